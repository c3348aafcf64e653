// SPDX-License-Identifier: GPL-2.0
/*
 * Packets that a switch trimmed (UE 1.0 3.6.12).
 *
 * Instead of dropping a packet, a switch may cut its payload. It adjusts the IP
 * length but not the UDP length, so UDP would drop the packet before any socket sees
 * it. While net.uet.trimming is on, such packets are taken ahead of UDP
 * (input/take.c). Their CRC cannot be checked, so they are hints: they deliver
 * nothing, open no PDC and confirm none.
 */
#include <linux/udp.h>

#include "link/peer.h"
#include "mib.h"
#include "pdc/pdc.h"
#include "rx/half.h"
#include "rx/trim.h"

/* Trimming leaves at least the UDP header and 16 bytes of PDS header */
#define UET_TRIM_MIN	(sizeof(struct udphdr) + UET_TRIM_KEEP_BYTES)

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
			   unsigned int off, bool lasthop)
{
	struct uet_pkt pkt;
	struct uet_rx_ctx rx = {
		.un = un, .skb = skb, .pkt = &pkt, .arrived = skb->tstamp,
	};
	const struct udphdr *uh = (const void *)(skb->data + off);

	UET_INC(un, RX_TRIMMED);
	rx.ev = ntohs(uh->source);
	uet_rx_begin(&rx, skb);
	if (uet_pkt_parse_trimmed(&pkt, uh + 1, skb_headlen(skb) - off -
				  sizeof(*uh))) {
		rx.drop = UET_DROP_MALFORMED;
	} else if (uet_pkt_is_pds_req(&pkt)) {
		uet_trim_request(&rx, lasthop);
	} else {
		rx.drop = UET_DROP_TYPE;
	}
	uet_rx_done(&rx);
}

/**
 * uet_trim_take() - handle a packet if a switch trimmed it
 * @un: namespace
 * @skb: packet to the UDP port of UET, data at its IP header
 * @off: offset of its UDP header
 * @dscp: its DSCP
 *
 * Context: softirq, RCU read side.
 * Return: true if it did and @skb is consumed; false if nothing was done.
 */
bool uet_trim_take(struct uet_net *un, struct sk_buff *skb, unsigned int off,
		   u8 dscp)
{
	const struct uet_sysctl *s = &un->sysctl;
	bool lasthop;

	if (likely(!READ_ONCE(s->trimming)))
		return false;
	lasthop = dscp == READ_ONCE(s->dscp_trimmed_lasthop);
	if (!lasthop && dscp != READ_ONCE(s->dscp_trimmed))
		return false;
	if (!pskb_may_pull(skb, off + UET_TRIM_MIN))
		return false;
	uet_trim_input(un, skb, off, lasthop);
	return true;
}
