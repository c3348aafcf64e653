// SPDX-License-Identifier: GPL-2.0
/*
 * Answers of the destination: ACK_CC with NSCC state, NACK (wire.md 3.4, 3.6,
 * 9.1 to 9.3). Built under the rx lock, sent after it.
 */
#include <linux/ktime.h>
#include <linux/random.h>
#include <linux/siphash.h>

#include "core/hdr_build.h"
#include "core/lb.h"
#include "core/rcvd.h"
#include "link/encap.h"
#include "link/peer.h"
#include "mib.h"
#include "pdc/pdc.h"
#include "rx/credit.h"
#include "rx/half.h"
#include "rx/pressure.h"

/*
 * NACKs about unknown PDCs: so many per namespace and second. The count begins
 * anew every period, in which each group of sources has a few of its own, so that
 * who asks most does not leave the others without an answer.
 */
#define UET_NACK_RATE		20000
#define UET_NACK_PERIODS	16	/* per second */
#define UET_NACK_OWN		4
#define UET_NACK_SHARED		(UET_NACK_RATE / UET_NACK_PERIODS - \
				 UET_NACK_GROUPS * UET_NACK_OWN)

static_assert(UET_NACK_RATE / UET_NACK_PERIODS > UET_NACK_GROUPS * UET_NACK_OWN);

/*
 * Time from arrival to now in units of 128 ns. Without a time stamp from the
 * device or the stack the answer is made in the same softirq pass: the least
 * value that says "measured".
 */
static u16 uet_service_time(const struct uet_rx_ctx *rx)
{
	s64 ns;

	if (!rx->arrived)
		return 1;
	ns = ktime_to_ns(ktime_sub(ktime_get_real(), rx->arrived));
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
	skb->priority = UET_CONTROL_PRIO;
	meta = UET_TXMETA(skb);
	meta->ev = ev;
	meta->dsfield = READ_ONCE(un->sysctl.dscp_control) << 2;
	meta->df = true;
	return skb;
}

/**
 * uet_ack_make() - build an ACK_CC
 * @pdc: the PDC
 * @rx: the packet that triggered it
 * @psn: ACK_PSN
 * @flags: UET_F_REQ_*, UET_F_PROBE
 * @rsp: SES response, or NULL
 *
 * Context: rx.lock held.
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
	const struct uet_rxmap *map = &pdc->rx->map;
	struct uet_ack *a = &pkt.ack;
	struct sk_buff *skb;
	bool probe = flags & UET_F_PROBE;

	lockdep_assert_held(&pdc->rx->lock);
	a->ack_psn = psn;
	a->cc_type = UET_CC_NSCC;
	a->service_time = uet_service_time(rx);
	a->cack_psn = map->cack;
	a->sack_base = probe ?
		       uet_rxmap_probe_base(map, rx->pkt->cp.payload) :
		       uet_rxmap_sack_base(map, psn);
	a->sack_bitmap = uet_rxmap_sack(map, a->sack_base);
	a->rcvd_bytes = uet_rcvd_field(pdc->rx->rcvd_bytes);
	a->ooo_count = uet_rxmap_ooo_count(map);
	a->mpr = pdc->rx->mpr;
	if (uet_credit_state(pdc, &a->credit))
		a->cc_type = UET_CC_CREDIT;
	else
		uet_pressure_state(pdc, rx, a);
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
 * Context: rx.lock held.
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

	lockdep_assert_held(&pdc->rx->lock);
	if (rx)
		pkt.flags = (rx->ce ? UET_F_ECN : 0) |
			    (rx->pkt->flags & UET_F_RETX);
	return uet_nack_build(pdc->un, &pkt,
			      rx ? rx->ev : UET_LB_UDP_LOW + pdc->id % 16384);
}

/**
 * uet_nack_limit_init() - nothing was answered yet
 * @un: namespace
 */
void uet_nack_limit_init(struct uet_net *un)
{
	spin_lock_init(&un->nacks.lock);
	get_random_bytes(&un->nacks.key, sizeof(un->nacks.key));
}

/*
 * Sources that are made up are as many as packets: a count for each would never
 * fill, so they share those of a few groups. Who has one address of an IPv6 link
 * has all of them.
 */
static u8 *uet_nack_group(struct uet_nack_limit *n, const struct in6_addr *from)
{
	u64 where = ipv6_addr_v4mapped(from) ?
		    (__force u32)from->s6_addr32[3] :
		    (u64)(__force u32)from->s6_addr32[0] << 32 |
		    (__force u32)from->s6_addr32[1];

	return &n->own[siphash_1u64(where, &n->key) % UET_NACK_GROUPS];
}

static bool uet_nack_allowed(struct uet_net *un, const struct in6_addr *from,
			     u64 now)
{
	struct uet_nack_limit *n = &un->nacks;
	u8 *own = uet_nack_group(n, from);
	bool ok = true;

	spin_lock(&n->lock);
	if (now - n->since >= NSEC_PER_SEC / UET_NACK_PERIODS) {
		n->since = now;
		n->shared = 0;
		memset(n->own, 0, sizeof(n->own));
	}
	if (*own < UET_NACK_OWN)
		++*own;
	else if (n->shared < UET_NACK_SHARED)
		n->shared++;
	else
		ok = false;
	spin_unlock(&n->lock);
	return ok;
}

/* To the source of a packet. Only what the output needs: nobody who may be made
 * up is kept.
 */
static noinline_for_stack void uet_answer_stranger(const struct uet_rx_ctx *rx,
						   struct sk_buff *skb)
{
	struct uet_fep fep = { .addr = rx->daddr, .un = rx->un };
	struct uet_peer peer = {
		.key = {
			.laddr	= rx->daddr,
			.raddr	= rx->saddr,
			.scope	= rx->ifindex,
		},
		.fep = &fep,
	};

	uet_output_one(&peer, skb);
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
	struct uet_pkt pkt = {
		.flags	= (rx->ce ? UET_F_ECN : 0) |
			  (rx->pkt->flags & UET_F_RETX),
		.dpdcid	= rx->pkt->spdcid,
		.nack	= { .psn = psn, .code = code },
	};
	struct sk_buff *skb;

	if (!uet_nack_allowed(rx->un, &rx->saddr, ktime_get_ns())) {
		UET_INC(rx->un, NACK_LIMITED);
		return;
	}
	skb = uet_nack_build(rx->un, &pkt, rx->ev);
	if (skb)
		uet_answer_stranger(rx, skb);
}
