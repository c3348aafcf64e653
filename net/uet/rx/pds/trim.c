// SPDX-License-Identifier: GPL-2.0
/*
 * Packets that a switch trimmed (UE 1.0 3.6.12).
 *
 * Instead of dropping a packet, a switch may cut its payload. It adjusts the IP
 * length but not the UDP length, so UDP would drop the packet before any socket sees
 * it. While net.uet.trimming is on, such packets are taken ahead of UDP
 * (input/take.c); those directly over IP have no length of their own. Their CRC or
 * checksum cannot be checked, so they are hints: they deliver nothing, open no PDC and
 * confirm none.
 */
#include "core/wire/bytes.h"
#include "link/peer.h"
#include "mib.h"
#include "pdc/pdc.h"
#include "rx/pds/half.h"
#include "rx/pds/trim.h"

static void uet_trim_request(struct uet_rx_ctx *rx, bool lasthop)
{
	u8 code = lasthop ? UET_NACK_TRIMMED_LASTHOP : UET_NACK_TRIMMED;
	const struct uet_pkt *pkt = rx->pkt;
	struct uet_syn_key key = {
		.raddr	= rx->saddr,
		.laddr	= rx->daddr,
		.spdcid	= pkt->spdcid,
		.scope	= rx->ifindex,
	};
	struct uet_pdc *pdc;

	if (pkt->flags & UET_F_SYN)
		pdc = uet_pdc_by_syn(rx->un, &key);
	else
		pdc = uet_pdc_by_id(rx->un, &rx->daddr, pkt->dpdcid);
	if (!pdc && pkt->flags & UET_F_SYN) {
		/* It opens no PDC, but its source may know that it was trimmed. */
		uet_nack_stateless(rx, code, pkt->req.psn);
	} else if (!pdc && uet_form_damaged(rx)) {
		/* The whole packet, which comes again, will tell. */
		rx->drop = UET_DROP_CRC;
	} else if (!pdc) {
		rx->drop = UET_DROP_NO_PDC;
		uet_nack_stateless(rx, UET_NACK_INV_DPDCID, pkt->req.psn);
	} else if (!uet_from_peer(pdc->peer, rx) ||
		   pdc->remote_id != pkt->spdcid) {
		rx->drop = UET_DROP_PEER;
	} else if (!uet_pdc_rx_attach(pdc)) {
		rx->drop = UET_DROP_STATE;
	} else {
		uet_pdc_trimmed(pdc, rx, lasthop);
	}
}

static void uet_trim_input(struct uet_net *un, struct sk_buff *skb,
			   unsigned int off, bool lasthop, u8 form)
{
	struct uet_pkt pkt;
	/* Whether it had a trailer nobody knows, and its checksum was that of more. */
	struct uet_rx_ctx rx = {
		.un = un, .skb = skb, .pkt = &pkt, .arrived = skb->tstamp,
		.form = form | (form ? 0 : UET_FORM_BARE) | UET_FORM_GUESSED,
	};
	unsigned int pds = off + uet_form_outer(form);

	UET_INC(un, RX_TRIMMED);
	/* In front in both headers */
	rx.ev = uet_get_be16(skb->data + off);
	uet_rx_begin(&rx, skb);
	if (uet_pkt_parse_trimmed(&pkt, skb->data + pds,
				  skb_headlen(skb) - pds)) {
		rx.drop = UET_DROP_MALFORMED;
	} else if (uet_pkt_is_pds_req(&pkt)) {
		uet_trim_request(&rx, lasthop);
	} else if (pkt.type == UET_PDS_RUDI_REQ) {
		uet_rudi_trimmed(&rx, lasthop);
	} else {
		rx.drop = UET_DROP_TYPE;
	}
	uet_rx_done(&rx);
}

/**
 * uet_trim_take_marked() - uet_trim_take() where switches trim
 * @un: namespace
 * @skb: packet for UET
 * @off: offset of its UDP or entropy header, from skb->data on
 * @dscp: its DSCP
 * @form: %UET_FORM_IP or 0
 *
 * Context: softirq, RCU read side.
 * Return: true if it did and @skb is consumed; false if nothing was done.
 */
bool uet_trim_take_marked(struct uet_net *un, struct sk_buff *skb,
			  unsigned int off, u8 dscp, u8 form)
{
	const struct uet_sysctl *s = &un->sysctl;
	bool lasthop;

	lasthop = dscp == READ_ONCE(s->dscp_trimmed_lasthop);
	if (!lasthop && dscp != READ_ONCE(s->dscp_trimmed))
		return false;
	/* Trimming leaves at least 16 bytes of the PDS header. */
	if (!pskb_may_pull(skb, off + uet_form_outer(form) + UET_TRIM_KEEP_BYTES))
		return false;
	uet_trim_input(un, skb, off, lasthop, form);
	return true;
}
