// SPDX-License-Identifier: GPL-2.0
/*
 * Packet input: from UDP or IP to a half of a PDC (UE 1.0 3.5.12).
 *
 * A packet is parsed once, here; later stages read struct uet_pkt. Nothing in a
 * packet is believed before its PDC has been found and the source address and
 * PDCID of the peer have been compared.
 *
 * Not here: how packets get here ahead of UDP (input/take.c) or from IP
 * (input/native.c), trimmed packets (rx/pds/trim.c), ICMP errors (input/icmp.c).
 */
#include <linux/icmp.h>
#include <linux/icmpv6.h>
#include <linux/ktime.h>
#include <linux/uet.h>
#include <net/icmp.h>
#include <net/ipv6.h>
#include <net/route.h>

#include "compat.h"
#include "core/wire/bytes.h"
#include "core/wire/wire.h"
#include "input/home.h"
#include "input/input.h"
#include "input/take.h"
#include "link/encap.h"
#include "link/peer.h"
#include "mib.h"
#include "pdc/demux.h"
#include "pdc/pdc.h"
#include "ping/ping.h"
#include "rx/pds/half.h"
#include "tx/pds/half.h"
#include "tx/queue/rudi.h"

/* Lookups of the PDC of a SYN packet, which another CPU may open meanwhile */
#define UET_ACCEPT_TRIES	3

/* The PSN for a NACK of the packet */
static u32 uet_pkt_psn(const struct uet_pkt *pkt)
{
	if (uet_pkt_is_pds_req(pkt))
		return pkt->req.psn;
	return pkt->type == UET_PDS_CP ? pkt->cp.psn : 0;
}

/* May a packet be NACKed? Not ACKs, NACKs, CLEAR_*, CREDIT (UE 1.0 3.5.12) */
static bool uet_nackable(const struct uet_pkt *pkt)
{
	if (uet_pkt_is_pds_req(pkt))
		return true;
	return pkt->type == UET_PDS_CP && pkt->ctl_type != UET_CTL_CLEAR_CMD &&
	       pkt->ctl_type != UET_CTL_CLEAR_REQ &&
	       pkt->ctl_type != UET_CTL_CREDIT;
}

/* In ACKs and NACKs the bit has another meaning. */
static bool uet_pkt_is_syn(const struct uet_pkt *pkt)
{
	return pkt->flags & UET_F_SYN &&
	       (uet_pkt_is_pds_req(pkt) || pkt->type == UET_PDS_CP);
}

/*
 * A SYN packet for an existing PDC, with another Start_PSN: probe whether the
 * initiator still has the old PDC, so that a forged SYN kills nothing. Do not NACK
 * the SYN meanwhile: a restarted peer sends it again and opens a new PDC if the old
 * one is gone by then, while INVALID_SYN would fail its message. So each SYN leads
 * to one packet.
 */
static void uet_syn_conflict(struct uet_pdc *pdc, struct uet_rx_ctx *rx)
{
	rx->drop = UET_DROP_SYN;
	if (uet_pdc_rx_ask_alive(pdc, rx))
		uet_nack_stateless(rx, UET_NACK_INVALID_SYN,
				   uet_pkt_psn(rx->pkt));
}

/* The receiving half; made if missing and the peer has answered. */
static inline struct uet_pdc_rx *uet_input_rx(struct uet_pdc *pdc)
{
	struct uet_pdc_rx *r = uet_pdc_rx(pdc);

	if (likely(r) || !pdc->remote_id)
		return r;
	return uet_pdc_rx_attach(pdc);
}

static __always_inline void uet_input_request(struct uet_pdc *pdc,
					      struct uet_rx_ctx *rx)
{
	if (unlikely(!uet_input_rx(pdc))) {
		rx->drop = UET_DROP_STATE;
		return;
	}
	uet_pdc_request(pdc, rx, false);
}

static void uet_input_ack(struct uet_pdc *pdc, struct uet_rx_ctx *rx)
{
	UET_INC(rx->un, RX_ACKS);
	if (!pdc->initiator)
		uet_pdc_rx_ack(pdc, rx);
	if (uet_pdc_tx(pdc))
		uet_pdc_ack(pdc, rx);
}

static void uet_input_nack(struct uet_pdc *pdc, struct uet_rx_ctx *rx)
{
	UET_INC(rx->un, RX_NACKS);
	if (!pdc->initiator && uet_pdc_rx_nack(pdc, &rx->pkt->nack))
		return;
	if (uet_pdc_tx(pdc))
		uet_pdc_nack(pdc, rx);
	else
		rx->drop = UET_DROP_NACK;
}

/* Is it a control packet for which a missing receiving half is made? */
static bool uet_control_is_for_rx(u8 ctl)
{
	switch (ctl) {
	case UET_CTL_ACK_REQ:
	case UET_CTL_CLOSE_REQ:
	case UET_CTL_CREDIT_REQ:
	case UET_CTL_NEGOTIATION:
	case UET_CTL_NOOP:
	case UET_CTL_PROBE:
		return true;
	default:
		return false;
	}
}

static void uet_input_control(struct uet_pdc *pdc, struct uet_rx_ctx *rx,
			      bool created)
{
	UET_INC(rx->un, RX_CPS);
	/* Until a half takes it */
	rx->drop = UET_DROP_STATE;
	/* A SYN packet does not name our PDCID. */
	if (!(rx->pkt->flags & UET_F_SYN) && uet_pdc_tx(pdc))
		uet_pdc_tx_control(pdc, rx);
	if (uet_pdc_rx(pdc) || (uet_control_is_for_rx(rx->pkt->ctl_type) &&
				uet_input_rx(pdc)))
		uet_pdc_rx_control(pdc, rx, created);
}

/* Deliver a SYN packet to its PDC */
static void uet_syn_deliver(struct uet_pdc *pdc, struct uet_rx_ctx *rx,
			    bool created)
{
	if (uet_pkt_is_pds_req(rx->pkt))
		uet_pdc_request(pdc, rx, created);
	else
		uet_input_control(pdc, rx, created);
}

static bool uet_syn_opens(const struct uet_pkt *pkt)
{
	return uet_pkt_is_pds_req(pkt) || pkt->ctl_type == UET_CTL_NOOP ||
	       pkt->ctl_type == UET_CTL_NEGOTIATION;
}

/* Handle a SYN packet of an existing PDC; false if there is none */
static bool uet_input_syn_again(struct uet_rx_ctx *rx)
{
	struct uet_syn_key key = {
		.raddr	= rx->saddr,
		.laddr	= rx->daddr,
		.spdcid	= rx->pkt->spdcid,
		.scope	= rx->ifindex,
	};
	struct uet_pdc *pdc = uet_pdc_by_syn(rx->un, &key);

	if (!pdc)
		return false;
	if (unlikely(uet_form_lacks(pdc->peer, rx->form))) {
		rx->drop = UET_DROP_CRC;
		return true;
	}
	if (likely(pdc->start_psn == uet_syn_start_psn(rx->pkt))) {
		uet_syn_deliver(pdc, rx, false);
		return true;
	}
	if (uet_pdc_rx_replaced(pdc))
		return false;
	uet_syn_conflict(pdc, rx);
	return true;
}

/*
 * Without AF_UET sockets in the namespace, the UDP port is open for the remaining
 * PDCs only. Answer new peers as a closed port does, or a host without the protocol.
 */
static void uet_input_closed(struct uet_rx_ctx *rx)
{
	rx->drop = UET_DROP_NO_SOCKET;
	if (rx->form & UET_FORM_IP)
		uet_native_refuse(rx->skb);
	else if (ipv6_addr_v4mapped(&rx->saddr))
		icmp_send(rx->skb, ICMP_DEST_UNREACH, ICMP_PORT_UNREACH, 0);
	else
		icmpv6_send(rx->skb, ICMPV6_DEST_UNREACH, ICMPV6_PORT_UNREACH,
			    0);
}

/*
 * A SYN packet: it opens a PDC, or its source has not got our answer yet. Requests,
 * NOOP and NEGOTIATION open a PDC. The first packets of a PDC may arrive on several
 * CPUs at once: if no PDC can be made, look up again whether another CPU made it.
 */
static void uet_input_syn(struct uet_rx_ctx *rx)
{
	int tries = UET_ACCEPT_TRIES;
	struct uet_pdc *pdc;

	if (unlikely(uet_rx_group(rx))) {
		rx->drop = UET_DROP_PEER;
		return;
	}
	while (!uet_input_syn_again(rx)) {
		if (unlikely(!uet_syn_opens(rx->pkt))) {
			rx->drop = UET_DROP_STATE;
			return;
		}
		if (!tries--) {
			rx->drop = UET_DROP_REFUSED;
			uet_nack_stateless(rx, UET_NACK_NO_PDC_AVAIL,
					   uet_pkt_psn(rx->pkt));
			return;
		}
		if (unlikely(!atomic_read(&rx->un->socks))) {
			uet_input_closed(rx);
			return;
		}
		pdc = uet_pdc_accept(rx);
		if (!IS_ERR(pdc)) {
			uet_syn_deliver(pdc, rx, true);
			return;
		}
		if (pdc == ERR_PTR(-EBADMSG)) {
			rx->drop = UET_DROP_CRC;
			return;
		}
		if (pdc != ERR_PTR(-EEXIST))
			tries = 0;
	}
}

/*
 * A packet that names no PDC of this host and its source: it answers a probe, or it is
 * NACKed. PDCID 0, which no PDC has, is that of a probe (core/wire/ping.h), which is no
 * packet gone astray.
 */
static noinline void uet_input_unknown(struct uet_rx_ctx *rx, u8 nack)
{
	const struct uet_pkt *pkt = rx->pkt;

	if (unlikely(uet_pings_wait(rx->un)) && uet_ping_answered(rx))
		return;
	if (unlikely(uet_form_damaged(rx))) {
		rx->drop = UET_DROP_CRC;
		return;
	}
	if (!pkt->dpdcid && uet_pkt_is_pds_req(pkt))
		UET_INC(rx->un, PINGS_ECHOED);
	else
		rx->drop = nack == UET_NACK_INV_DPDCID ? UET_DROP_NO_PDC :
							 UET_DROP_PEER;
	if (uet_nackable(pkt))
		uet_nack_stateless(rx, nack, uet_pkt_psn(pkt));
}

/* A packet of a PDC, peer verified, has another form than the PDC is known for, or is the
 * first one in this tick. False if it is to be dropped, for @rx->drop. @known: it shows
 * that its source knows our PDCID and its own
 */
static noinline bool uet_input_form(struct uet_pdc *pdc, struct uet_rx_ctx *rx,
				    bool known)
{
	if (uet_form_lacks(pdc->peer, rx->form)) {
		rx->drop = UET_DROP_CRC;
		return false;
	}
	if (known)
		uet_form_heard(pdc->peer, rx->form);
	return true;
}

/* The body of uet_input_pdc() */
static __always_inline struct uet_pdc *uet_input_find(struct uet_rx_ctx *rx,
						      u8 *nack)
{
	const struct uet_pkt *pkt = rx->pkt;
	struct uet_pdc *pdc = uet_pdc_by_id(rx->un, &rx->daddr, pkt->dpdcid);
	bool anon = uet_pkt_is_nack(pkt) && !pkt->spdcid;
	struct uet_peer *peer;

	if (!pdc) {
		*nack = UET_NACK_INV_DPDCID;
		return NULL;
	}
	peer = pdc->peer;
	if (!uet_from_peer(peer, rx) ||
	    (!anon && pdc->remote_id && pdc->remote_id != pkt->spdcid)) {
		*nack = UET_NACK_PDC_HDR_MISMATCH;
		return NULL;
	}
	if (unlikely(!uet_form_is(&peer->form, rx->form)) &&
	    !uet_input_form(pdc, rx, !anon && pdc->remote_id)) {
		*nack = 0;
		return NULL;
	}
	if (unlikely(uet_demux_news(peer, rx->skb)))
		uet_demux_learn(peer, rx->skb);
	return pdc;
}

/**
 * uet_input_pdc() - find the PDC that a packet names by its dpdcid
 * @rx: the packet
 * @nack: enum uet_nack_code if there is none, or not with this peer; 0 if the packet
 *	is to be dropped, for @rx->drop
 *
 * Context: softirq, RCU read side.
 * Return: the PDC, peer verified, or NULL.
 */
struct uet_pdc *uet_input_pdc(struct uet_rx_ctx *rx, u8 *nack)
{
	return uet_input_find(rx, nack);
}

/* A packet of a PDC; @request: it is known to be a request */
static __always_inline void uet_input_established(struct uet_rx_ctx *rx, bool request)
{
	struct uet_pkt *pkt = rx->pkt;
	struct uet_pdc *pdc;
	u8 nack;

	pdc = uet_input_find(rx, &nack);
	if (unlikely(!pdc)) {
		if (nack)
			uet_input_unknown(rx, nack);
		return;
	}
	if (unlikely(uet_home_elsewhere(pdc, rx)))
		return;
	if (request || uet_pkt_is_pds_req(pkt))
		uet_input_request(pdc, rx);
	else if (uet_pkt_is_ack(pkt))
		uet_input_ack(pdc, rx);
	else if (uet_pkt_is_nack(pkt))
		uet_input_nack(pdc, rx);
	else
		uet_input_control(pdc, rx, false);
}

static void uet_input_datagram(struct uet_rx_ctx *rx)
{
	if (unlikely(uet_rx_group(rx)))
		rx->drop = UET_DROP_PEER;
	else
		uet_datagram(rx);
}

/* As a SYN packet, a write is answered only where there is a socket. */
static void uet_input_write(struct uet_rx_ctx *rx)
{
	if (unlikely(uet_rx_group(rx)))
		rx->drop = UET_DROP_PEER;
	else if (unlikely(!atomic_read(&rx->un->socks)))
		uet_input_closed(rx);
	else
		uet_rudi_request(rx);
}

/* Any packet. Apart, so that requests of a PDC, which are most packets, save few
 * registers
 */
static noinline void uet_input_any(struct uet_rx_ctx *rx)
{
	struct uet_pkt *pkt = rx->pkt;

	switch (pkt->type) {
	case UET_PDS_RUDI_REQ:
		uet_input_write(rx);
		return;
	case UET_PDS_RUDI_RESP:
		uet_rudi_response(rx);
		return;
	case UET_PDS_UUD_REQ:
		uet_input_datagram(rx);
		return;
	case UET_PDS_NACK:
	case UET_PDS_NACK_CCX:
		if (pkt->flags & UET_F_NT_RUDI) {
			uet_rudi_nack(rx);
			return;
		}
		break;
	default:
		break;
	}
	if (unlikely(uet_pkt_is_syn(pkt)))
		uet_input_syn(rx);
	else
		uet_input_established(rx, false);
}

static __always_inline void uet_input_parsed(struct uet_rx_ctx *rx)
{
	if (likely(uet_pkt_is_pds_req(rx->pkt) && !(rx->pkt->flags & UET_F_SYN)))
		uet_input_established(rx, true);
	else
		uet_input_any(rx);
}

static enum uet_drop uet_parse_drop(int err)
{
	switch (-err) {
	case UET_PERR_SHORT:
	case UET_PERR_SHORT_SES:
		return UET_DROP_SHORT;
	case UET_PERR_TYPE:
	case UET_PERR_TSS:
	case UET_PERR_CTL_TYPE:
		return UET_DROP_TYPE;
	default:
		return UET_DROP_MALFORMED;
	}
}

/* Parse the headers. The linear part is nearly always enough. */
static __always_inline int uet_input_parse(struct uet_rx_ctx *rx)
{
	struct sk_buff *skb = rx->skb;
	int err = uet_pkt_parse(rx->pkt, skb->data, skb_headlen(skb), skb->len);

	if (likely(!err) || !skb_is_nonlinear(skb))
		return err;
	if (!pskb_may_pull(skb, min_t(unsigned int, skb->len, UET_HDR_MAX_LEN))) {
		rx->drop = UET_DROP_NOMEM;
		return err;
	}
	return uet_pkt_parse(rx->pkt, skb->data, skb_headlen(skb), skb->len);
}

/* The peer that a packet seems to be from, by the PDC that it names */
static const struct uet_peer *uet_input_source(const struct uet_rx_ctx *rx)
{
	const struct uet_pkt *pkt = rx->pkt;
	struct uet_pdc *pdc;

	if (uet_pkt_is_syn(pkt))
		return NULL;
	pdc = uet_pdc_by_id(rx->un, &rx->daddr, pkt->dpdcid);
	return pdc && uet_from_peer(pdc->peer, rx) ? pdc->peer : NULL;
}

/* What to do with a packet that is longer than its headers tell, or whose headers do not
 * tell (@told is 0), if its last four bytes are no right CRC
 */
static enum uet_drop uet_input_damaged(const struct uet_rx_ctx *rx, u32 told,
				       enum uet_drop drop)
{
	const struct uet_peer *from = uet_input_source(rx);

	/* Its source sends trailers. */
	if (from && READ_ONCE(from->form.heard) & UET_FORM_CRC)
		return drop;
	/* Where nothing else is known, four bytes more are a trailer. */
	if (told && rx->skb->len == told + UET_CRC_LEN &&
	    !(from && READ_ONCE(from->form.heard)))
		return drop;
	return UET_DROP_NONE;
}

/*
 * A packet is longer than its headers tell, or they do not tell. If its last four bytes
 * are the right CRC, remove them. Return false if it is to be dropped.
 */
static noinline bool uet_input_trailer(struct uet_rx_ctx *rx, u32 told)
{
	const unsigned int outer = uet_form_outer(rx->form);
	const struct uet_peer *from;
	enum uet_drop drop;

	if (!told)
		rx->form ^= UET_FORM_HEARD | UET_FORM_GUESSED;
	__skb_push(rx->skb, outer);
	drop = uet_crc_strip(rx->skb);
	__skb_pull(rx->skb, outer);
	if (drop) {
		rx->drop = uet_input_damaged(rx, told, drop);
		return !rx->drop;
	}
	/* Of so many packets some are right by accident: with another entropy value, when
	 * it comes again, it is not.
	 */
	from = told ? NULL : uet_input_source(rx);
	if (from && uet_form_never(from)) {
		rx->drop = UET_DROP_CRC;
		return false;
	}
	rx->form = (rx->form & ~UET_FORM_BARE) | UET_FORM_CRC;
	UET_INC(rx->un, RX_TRAILERS);
	/* Headers may have been read into what was the trailer. */
	if (unlikely(uet_input_parse(rx)))
		rx->drop = UET_DROP_MALFORMED;
	return !rx->drop;
}

/* Does the length of a packet say that it has no trailer, or else do its last bytes?
 * Return false if it is to be dropped.
 */
static noinline bool uet_input_length(struct uet_rx_ctx *rx)
{
	u32 told = uet_pkt_told_len(rx->pkt);

	return likely(rx->skb->len == told) || uet_input_trailer(rx, told);
}

static enum uet_drop uet_input_strip(struct uet_net *un, struct sk_buff *skb, u8 form)
{
	enum uet_drop drop = uet_crc_strip(skb);

	if (unlikely(drop))
		return drop;
	UET_INC(un, RX_TRAILERS);
	return unlikely(skb->len < uet_form_outer(form)) ? UET_DROP_SHORT :
							   UET_DROP_NONE;
}

/* A packet arrived, maybe at another CPU, which has done something to it then. True if
 * another one handles it.
 */
static __always_inline bool uet_input_skb(struct uet_net *un,
					  struct sk_buff *skb, u8 form,
					  uet_okfn okfn, bool again)
{
	struct uet_pkt pkt __uninitialized;	/* uet_pkt_parse() fills it */
	struct uet_rx_ctx rx __uninitialized;	/* all of it is set here, or by uet_rx_begin() */
	u8 protect;
	int err;

	rx.un = un;
	rx.skb = skb;
	rx.pkt = &pkt;
	rx.arrived = skb->tstamp;
	rx.form = form;
	rx.okfn = okfn;
	rx.cells = 0;
	rx.us = NULL;
	rx.generation = 0;
	rx.drop = UET_DROP_NONE;
	rx.handed_over = false;
	if (!again) {
		UET_INC(un, RX_PKTS);
		UET_ADD(un, RX_BYTES, skb->len);
	}
	uet_rx_begin(&rx, skb);
	/* If @again, @skb has lost its trailer. */
	rx.pktsize = skb->len +
		     (again && form & UET_FORM_CRC ? UET_CRC_LEN : 0);
	rx.polled = uet_skb_polled(skb);
	/* In front in both headers */
	rx.ev = uet_get_be16(skb->data);
	if (unlikely(READ_ONCE(un->exiting))) {
		rx.drop = UET_DROP_NETNS;
		goto free;
	}
	protect = uet_form_protect(un, &rx.saddr);
	if (unlikely(protect == UET_PROTECT_CRC) && !again) {
		rx.form = (form & ~UET_FORM_BARE) | UET_FORM_CRC;
		rx.drop = uet_input_strip(un, skb, form);
		if (unlikely(rx.drop))
			goto free;
	}
	__skb_pull(skb, uet_form_outer(form));
	err = uet_input_parse(&rx);
	if (unlikely(err)) {
		rx.drop = rx.drop ?: uet_parse_drop(err);
		goto free;
	}
	if (likely(protect == UET_PROTECT_AUTO) && !again &&
	    unlikely(!pkt.exact) && !uet_input_length(&rx))
		goto free;
	if (rx.ce && !again)
		UET_INC(un, RX_CE);
	uet_input_parsed(&rx);
free:
	if (rx.skb)
		uet_rx_done(&rx);
	return rx.handed_over;
}

/**
 * uet_input() - a packet arrived
 * @un: namespace
 * @skb: the packet, data at the UDP or entropy header, in the linear part; consumed
 * @form: %UET_FORM_IP or 0
 * @okfn: uet_rx_ctx.okfn
 *
 * Context: softirq, RCU read side.
 * Return: true if another CPU handles it.
 */
bool uet_input(struct uet_net *un, struct sk_buff *skb, u8 form, uet_okfn okfn)
{
	if (likely(!form) && unlikely(!((struct udphdr *)skb->data)->check))
		form = UET_FORM_BARE;
	return uet_input_skb(un, skb, form | UET_FORM_HEARD, okfn, false);
}

/**
 * uet_input_again() - handle a packet that another CPU has handed over
 * @un: namespace
 * @skb: the packet, data at the UDP or entropy header; consumed
 * @form: uet_rx_ctx.form there
 *
 * Context: softirq, RCU read side.
 */
void uet_input_again(struct uet_net *un, struct sk_buff *skb, u8 form)
{
	uet_input_skb(un, skb, form, NULL, true);
}

/* UDP found the tunnel socket: struct uet_encap_ops.rcv */
static int uet_input_udp(struct sock *sk, struct sk_buff *skb)
{
	struct uet_net *un = rcu_dereference_sk_user_data(sk);

	if (likely(un))
		uet_input(un, skb, 0, NULL);
	else	/* The socket closes; its namespace stays until readers are gone. */
		uet_drop(uet_net(sock_net(sk)), skb, UET_DROP_NETNS);
	return 0;
}

static void uet_input_opened(struct uet_net *un)
{
	uet_demux_enable(un);
	uet_take_enable(un);
}

static void uet_input_closing(struct uet_net *un)
{
	uet_take_disable(un);
	uet_demux_disable(un);
}

static const struct uet_encap_ops uet_input_ops = {
	.rcv		= uet_input_udp,
	.icmp		= uet_input_icmp,
	.opened		= uet_input_opened,
	.closing	= uet_input_closing,
};

/**
 * uet_input_init() - register the callbacks of the tunnel sockets
 *
 * Context: when the module is loaded.
 */
void __init uet_input_init(void)
{
	uet_encap_ops = &uet_input_ops;
}
