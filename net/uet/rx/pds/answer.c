// SPDX-License-Identifier: GPL-2.0
/*
 * Answers of the destination (UE 1.0 3.5.12): ACKs and NACKs are built here,
 * under rx.lock; the caller sends them without it.
 *
 * Not here: when an ACK is due (rx/pds/request.c), what its congestion state says
 * (rx/ses/pressure.c, rx/cms/credit.c).
 */
#include <linux/ktime.h>
#include <linux/random.h>
#include <linux/siphash.h>

#include "core/lb/lb.h"
#include "core/wire/hdr_build.h"
#include "core/wire/rcvd.h"
#include "link/encap.h"
#include "link/peer.h"
#include "link/peer_profile.h"
#include "link/source.h"
#include "mib.h"
#include "pdc/pdc.h"
#include "rx/cms/credit.h"
#include "rx/ses/pressure.h"
#include "rx/pds/half.h"

/*
 * Limit of NACKs about unknown PDCs, per namespace and second. The count starts
 * again every period. In each, a group of sources has UET_NACK_OWN NACKs of its
 * own, so that a flood from one group does not silence the NACKs to the others.
 */
#define UET_NACK_RATE		20000
#define UET_NACK_PERIODS	16	/* per second */
#define UET_NACK_OWN		4
#define UET_NACK_SHARED		(UET_NACK_RATE / UET_NACK_PERIODS - \
				 UET_NACK_GROUPS * UET_NACK_OWN)

static_assert(UET_NACK_RATE / UET_NACK_PERIODS > UET_NACK_GROUPS * UET_NACK_OWN);

/*
 * Time since arrival in units of 128 ns. Without a time stamp it is 1, the
 * smallest value that means "measured": the answer is built in the same softirq.
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

/* Leave out what a peer is not to get: the state, or all that a plain ACK has no room
 * for. So it gets no penalty, and of credit only what CPs tell.
 */
static void uet_ack_plainly(struct uet_pkt *pkt, enum uet_ack_form form)
{
	struct uet_ack *a = &pkt->ack;

	if (form == UET_ACKS_PLAIN) {
		pkt->type = UET_PDS_ACK;
		return;
	}
	a->cc_type = UET_CC_NSCC;
	a->service_time = 0;
	a->rcvd_bytes = 0;
	a->ooo_count = 0;
	a->pend = 0;
	a->rc = false;
}

/*
 * MP_RANGE to state, in its unit. A source that may not hold what is NACKed is told of
 * less while it is asked to slow down, so that less arrives for which there is no room.
 * The end of the window does not move back (UE 1.0 3.5.12), but for what the unit cannot
 * express, and what arrives within the range of the receive map is taken all the same.
 */
static u8 uet_mpr_told(struct uet_pdc *pdc, u8 pend)
{
	struct uet_pdc_rx *r = pdc->rx;
	u32 cack = r->map.cack;
	s32 open = psn_delta(r->told, cack);
	u8 mpr = r->mpr;

	if (unlikely(pend) && !uet_peer_holds(pdc->peer)) {
		mpr -= (u32)mpr * pend / (UET_PEND_MAX + 1);
		if (open > mpr * UET_MPR_UNIT_PSNS)
			return min_t(u32, DIV_ROUND_UP((u32)open,
						       UET_MPR_UNIT_PSNS), r->mpr);
	}
	r->told = psn_max(r->told, cack + mpr * UET_MPR_UNIT_PSNS);
	return mpr;
}

/**
 * uet_ack_make() - build an ACK in the form that the peer is to get
 * @pdc: the PDC
 * @rx: the packet that triggered it
 * @psn: ACK_PSN
 * @flags: UET_F_REQ_*, UET_F_PROBE
 * @rsp: SES response, or NULL
 *
 * Context: rx.lock held.
 * Return: the packet, or NULL without memory: the source then asks again.
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
	enum uet_ack_form form = uet_profile_acks(uet_peer_profile(pdc->peer));
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
	if (uet_credit_state(pdc, &a->credit))
		a->cc_type = UET_CC_CREDIT;
	else
		uet_pressure_state(pdc, rx, a);
	a->mpr = uet_mpr_told(pdc, a->pend);
	if (unlikely(form != UET_ACKS_CC))
		uet_ack_plainly(&pkt, form);
	if (probe)
		a->probe_opaque = rx->pkt->cp.probe_opaque;
	if (rsp)
		pkt.rsp = *rsp;
	skb = uet_answer_alloc(pdc->un, UET_PDS_ACK_CC_LEN + UET_SES_RSP_LEN,
			       rx->ev);
	if (!skb)
		return NULL;
	skb_put(skb, uet_build_ack_rsp(skb->data, &pkt));
	if (unlikely(!skb->len)) {	/* a PSN offset no window allows */
		consume_skb(skb);
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
 * @rx: the packet that is NACKed, NULL if it is not at hand
 * @code: enum uet_nack_code
 * @psn: nack_psn
 * @payload: NACK payload, its meaning depends on @code
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
 * uet_nack_limit_init() - prepare the limit of NACKs about unknown PDCs
 * @un: namespace
 */
void uet_nack_limit_init(struct uet_net *un)
{
	spin_lock_init(&un->nacks.lock);
	get_random_bytes(&un->nacks.key, sizeof(un->nacks.key));
}

/*
 * Each packet may have another spoofed source, so a count per source would limit
 * nothing: count per group. Hash only the /64 of IPv6: a host on a link can use
 * all its addresses.
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

/* Send to the source of a packet. The peer is on the stack, with just what the
 * output needs: a spoofed address must not allocate one.
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
			.uid	= rx->un->root,
		},
		.form.guess = (rx->form & UET_FORM_ALL) | UET_FORM_GUESSED,
		.fep = &fep,
	};
	struct uet_peer *known;

	/* The packet came to the local address: that is there. */
	peer.addr_genid = uet_source_genid(rx->un, uet_peer_is_v4(&peer));
	spin_lock_init(&peer.lock);

	/* Whether a trimmed packet had a trailer does not show. */
	if (rx->form & UET_FORM_GUESSED) {
		known = uet_peer_find(rx->un, &peer.key);
		if (known && READ_ONCE(known->form.heard))
			peer.form.guess = READ_ONCE(known->form.heard);
	}

	uet_output_answer(&peer, skb);
}

/* May a packet that belongs to no PDC be answered? @known: its source knows a secret */
static bool uet_answer_allowed(const struct uet_rx_ctx *rx, bool known)
{
	if (known || uet_nack_allowed(rx->un, &rx->saddr, ktime_get_ns()))
		return true;
	UET_INC(rx->un, NACK_LIMITED);
	return false;
}

/**
 * uet_rudi_answer_rc() - answer a RUDI_REQ by its response (UE 1.0 3.5.8)
 * @rx: the packet, its source not a group
 * @rc: enum uet_rc
 * @generation: of the endpoint, for BAD_GENERATION
 * @known: its source knows the key of a window; else the rate is limited as that of NACKs
 *	about unknown PDCs
 *
 * Context: softirq, no lock held.
 */
void uet_rudi_answer_rc(const struct uet_rx_ctx *rx, u8 rc, u8 generation,
			bool known)
{
	const struct uet_pkt *req = rx->pkt;
	struct uet_pkt pkt = {
		.type		= UET_PDS_RUDI_RESP,
		.next_hdr	= UET_NH_RSP,
		.flags		= (rx->ce ? UET_F_ECN : 0) |
				  (req->flags & UET_F_RETX),
		.pkt_id		= req->pkt_id,
	};
	const struct uet_ses_rsp rsp = {
		.opcode		= rc == UET_RC_OK ? UET_RSP_OP_DEFAULT :
						    UET_RSP_OP_RESPONSE,
		.code		= rc,
		.msg_id		= req->ses.msg_id,
		.generation	= generation,
		.job		= req->ses.job,
	};
	struct sk_buff *skb;

	if (!uet_answer_allowed(rx, known))
		return;
	skb = uet_answer_alloc(rx->un, UET_PDS_RUDI_LEN + UET_SES_RSP_LEN, rx->ev);
	if (!skb)
		return;
	uet_build_rudi(skb_put(skb, UET_PDS_RUDI_LEN), &pkt);
	uet_build_rsp(skb_put(skb, UET_SES_RSP_LEN), &rsp);
	uet_answer_stranger(rx, skb);
}

/**
 * uet_rudi_answer_nack() - NACK a RUDI_REQ
 * @rx: the packet, its source not a group
 * @code: enum uet_nack_code
 * @known: as in uet_rudi_answer_rc()
 *
 * Context: softirq, no lock held.
 */
void uet_rudi_answer_nack(const struct uet_rx_ctx *rx, u8 code, bool known)
{
	struct uet_pkt pkt = {
		.flags	= (rx->ce ? UET_F_ECN : 0) |
			  (rx->pkt->flags & UET_F_RETX) | UET_F_NT_RUDI,
		.nack	= { .psn = rx->pkt->pkt_id, .code = code },
	};
	struct sk_buff *skb;

	if (!uet_answer_allowed(rx, known))
		return;
	skb = uet_nack_build(rx->un, &pkt, rx->ev);
	if (skb)
		uet_answer_stranger(rx, skb);
}

/**
 * uet_nack_stateless() - NACK a packet that belongs to no PDC
 * @rx: the packet
 * @code: enum uet_nack_code
 * @psn: nack_psn
 *
 * Its spdcid is 0, for lack of a PDC. Allocates nothing but the NACK.
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

	/* The answer would have the group as its source. */
	if (unlikely(uet_rx_group(rx)))
		return;
	if (!uet_answer_allowed(rx, false))
		return;
	skb = uet_nack_build(rx->un, &pkt, rx->ev);
	if (skb)
		uet_answer_stranger(rx, skb);
}
