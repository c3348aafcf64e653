// SPDX-License-Identifier: GPL-2.0
/*
 * Answers of the destination: ACK_CC with NSCC state, NACK (wire.md 3.4, 3.6,
 * 9.1 to 9.3). Built under the rx lock, sent after it.
 */
#include <linux/ktime.h>
#include <linux/ratelimit.h>

#include "core/hdr_build.h"
#include "core/rcvd.h"
#include "credit.h"
#include "encap.h"
#include "flow.h"
#include "mib.h"
#include "pdc.h"
#include "peer.h"

/* NACKs about unknown PDCs: so many per namespace and second */
#define UET_NACK_RATE		20000

/*
 * Time from arrival to now in units of 128 ns. Without a time stamp from the
 * device or the stack the answer is made in the same softirq pass: the least
 * value that says "measured".
 */
static u16 uet_service_time(const struct sk_buff *skb)
{
	s64 ns;

	if (!skb || !skb->tstamp)
		return 1;
	ns = ktime_to_ns(ktime_sub(ktime_get_real(), skb->tstamp));
	return clamp_t(s64, ns / UET_SERVICE_TIME_UNIT_NS, 1,
		       UET_SERVICE_TIME_SATURATED);
}

static struct sk_buff *uet_answer_alloc(struct uet_net *un, unsigned int len,
					u16 ev)
{
	struct uet_txmeta *meta;
	struct sk_buff *skb;

	skb = alloc_skb(UET_HEADROOM + len + UET_CRC_LEN,
			GFP_ATOMIC | __GFP_NOWARN);
	if (unlikely(!skb)) {
		UET_INC(un, TX_NOMEM);
		return NULL;
	}
	skb_reserve(skb, UET_HEADROOM);
	meta = UET_TXMETA(skb);
	meta->ev = ev;
	meta->dsfield = READ_ONCE(un->sysctl.dscp_control) << 2;
	meta->df = true;
	return skb;
}

/**
 * uet_ack_make() - build an ACK_CC
 * @pdc: PDC of either role; an initiator answers for the return direction
 * @rx: the packet that triggered it
 * @psn: ACK_PSN
 * @flags: UET_F_REQ_*, UET_F_PROBE
 * @rsp: SES response, or NULL
 *
 * Context: lock of the PDC's half held.
 * Return: the packet or NULL without memory (the source asks again).
 */
struct sk_buff *uet_ack_make(struct uet_pdc *pdc, const struct uet_rx_ctx *rx,
			     u32 psn, u8 flags, const struct uet_ses_rsp *rsp)
{
	struct uet_pkt pkt = {
		.type		= UET_PDS_ACK_CC,
		.next_hdr	= rsp ? UET_NH_RSP : UET_NH_NONE,
		.flags		= flags | (rx->ce ? UET_F_ECN : 0) |
				  (rx->pkt->flags & UET_F_RETX),
		.spdcid		= pdc->id,
		.dpdcid		= pdc->remote_id,
	};
	struct uet_ack *a = &pkt.ack;
	struct sk_buff *skb;
	bool probe = flags & UET_F_PROBE;

	a->ack_psn = psn;
	a->cc_type = UET_CC_NSCC;
	a->service_time = uet_service_time(rx->skb);
	if (pdc->initiator) {
		a->cack_psn = pdc->tx.ret_cack;
		a->sack_base = a->cack_psn + 1;
	} else {
		struct uet_rxmap *map = &pdc->rx.map;

		a->cack_psn = map->cack;
		a->sack_base = probe ?
			uet_rxmap_probe_base(map, rx->pkt->cp.payload) :
			uet_rxmap_sack_base(map, psn);
		a->sack_bitmap = uet_rxmap_sack(map, a->sack_base);
		a->rcvd_bytes = uet_rcvd_field(pdc->rx.rcvd_bytes);
		a->ooo_count = uet_rxmap_ooo_count(map);
		a->mpr = pdc->rx.mpr;
		if (uet_credit_state(pdc, &a->credit))
			a->cc_type = UET_CC_CREDIT;
		else
			uet_pressure_state(pdc, rx, a);
	}
	if (probe)
		a->probe_opaque = rx->pkt->cp.probe_opaque;
	if (rsp)
		pkt.rsp = *rsp;
	skb = uet_answer_alloc(pdc->un, UET_PDS_ACK_CC_LEN + UET_SES_RSP_LEN,
			       rx->ev);
	if (!skb)
		return NULL;
	skb_put(skb, uet_build_ack_rsp(skb->data, &pkt));
	if (unlikely(!skb->len)) {	/* a distance no window allows */
		kfree_skb(skb);
		return NULL;
	}
	UET_INC(pdc->un, TX_ACKS);
	return skb;
}

static struct sk_buff *uet_nack_build(struct uet_net *un, struct uet_pkt *pkt,
				      u16 ev)
{
	struct sk_buff *skb = uet_answer_alloc(un, UET_PDS_NACK_LEN, ev);

	if (!skb)
		return NULL;
	pkt->type = UET_PDS_NACK;
	skb_put(skb, uet_build_nack(skb->data, pkt));
	UET_INC(un, TX_NACKS);
	return skb;
}

/**
 * uet_nack_make() - build a NACK of a PDC
 * @pdc: the PDC
 * @rx: the packet complained about, or NULL if there is none at hand
 * @code: enum uet_nack_code
 * @psn: nack_psn
 * @payload: by code
 *
 * Context: lock of the PDC's half held.
 * Return: the packet or NULL without memory.
 */
struct sk_buff *uet_nack_make(struct uet_pdc *pdc, const struct uet_rx_ctx *rx,
			      u8 code, u32 psn, u32 payload)
{
	struct uet_pkt pkt = {
		.spdcid	= pdc->id,
		.dpdcid	= pdc->remote_id,
		.nack	= { .psn = psn, .payload = payload, .code = code },
	};

	if (rx)
		pkt.flags = (rx->ce ? UET_F_ECN : 0) |
			    (rx->pkt->flags & UET_F_RETX);
	return uet_nack_build(pdc->un, &pkt,
			      rx ? rx->ev : UET_LB_UDP_LOW + pdc->id % 16384);
}

/*
 * Counted per namespace: sources that are made up are as many as packets, and
 * a count for each would never fill.
 */
static bool uet_nack_allowed(struct uet_net *un, u64 now)
{
	bool ok;

	spin_lock(&un->nack_lock);
	if (now - un->nack_since >= NSEC_PER_SEC) {
		un->nack_since = now;
		un->nacks = 0;
	}
	ok = un->nacks < UET_NACK_RATE;
	if (ok)
		un->nacks++;
	spin_unlock(&un->nack_lock);
	return ok;
}

/**
 * uet_nack_stateless() - refuse a packet that belongs to no PDC
 * @rx: the packet
 * @code: enum uet_nack_code
 * @psn: nack_psn
 *
 * spdcid is 0: there is no PDC for this packet here. Nothing is allocated but
 * the answer.
 *
 * Context: softirq, no lock held.
 */
void uet_nack_stateless(const struct uet_rx_ctx *rx, u8 code, u32 psn)
{
	struct uet_fep fep = { .addr = rx->daddr, .un = rx->un };
	/* Only what the output needs: nobody who may be made up is kept. */
	struct uet_peer peer = {
		.key = {
			.laddr	= rx->daddr,
			.raddr	= rx->saddr,
			.scope	= rx->ifindex,
		},
		.fep = &fep,
	};
	struct uet_pkt pkt = {
		.flags	= (rx->ce ? UET_F_ECN : 0) |
			  (rx->pkt->flags & UET_F_RETX),
		.dpdcid	= rx->pkt->spdcid,
		.nack	= { .psn = psn, .code = code },
	};
	struct sk_buff *skb;

	if (!uet_nack_allowed(rx->un, ktime_get_ns())) {
		UET_INC(rx->un, NACK_LIMITED);
		return;
	}
	skb = uet_nack_build(rx->un, &pkt, rx->ev);
	if (skb)
		uet_output_one(&peer, skb);
}
