// SPDX-License-Identifier: GPL-2.0
/*
 * Path MTU black holes: large packets vanish without ICMP while the peer
 * answers small ones and probes.
 *
 * Each loss of a large packet counts if a packet sent later arrived, until a
 * packet as large arrives. After UET_HOLE_LOSSES of them a smaller MTU is
 * tried: new packets are cut for it, outstanding ones leave in fragments, and
 * if these vanish too, the next smaller MTU is tried. This is the search of RFC
 * 8899 with data in place of padding, downwards only: the MTU of the route is
 * tried again when the learnt one expires, or when the routes have changed.
 *
 * While a PDC opens nothing of it is answered, and its peer may just not be there yet. So
 * each packet that goes again is followed by a short one that belongs to no PDC: a PROBE
 * that names none. Who is there NACKs it (UE 1.0 3.5.8), and then it is what arrived.
 */
#include <linux/ktime.h>
#include <net/ip.h>

#include "core/snd/snd_timer.h"
#include "core/wire/probe.h"
#include "link/encap.h"
#include "link/peer.h"
#include "link/pmtu.h"
#include "link/ports.h"
#include "mib.h"
#include "pdc/pdc.h"
#include "tx/cms/flow.h"
#include "tx/pds/half.h"
#include "tx/pds/hole.h"

/* Losses of large packets in a row before a smaller MTU is tried */
#define UET_HOLE_LOSSES		6
/* ... of a PDC that opens not sooner: its first timeouts are short, while round trips may
 * not be, and those of all PDCs that open count together
 */
#define UET_HOLE_OPENS_NS	(200 * NSEC_PER_MSEC)
/* Losses go on in shorter intervals than this, as long as there is a hole */
#define UET_HOLE_RECENT_NS	NSEC_PER_SEC

/*
 * Is the last loss too long ago for the hole to be there still? What was lost may have
 * been withdrawn since, so that no packet as large has to arrive.
 */
static bool uet_hole_stale(const struct uet_pdc *pdc, u64 now)
{
	u64 at = pdc->tx->flow->hole.at;

	return now - at >= UET_HOLE_RECENT_NS + 2 * uet_snd_rto(&pdc->tx->snd);
}

/* Length of a packet with its IP header */
static u32 uet_hole_size(const struct uet_flow *flow, u32 len)
{
	return len + flow->snd.overhead - UET_NOMINAL_ADD_BYTES +
	       (uet_peer_is_v4(flow->peer) ? sizeof(struct iphdr) :
					     sizeof(struct ipv6hdr));
}

/* Try a smaller MTU, if there is one. */
static void uet_hole_step(struct uet_pdc *pdc)
{
	struct uet_flow *flow = pdc->tx->flow;
	struct uet_hole *hole = &flow->hole;
	u32 mtu;

	mtu = uet_pmtu_below(flow->peer, min(flow->ip_mtu, hole->size));
	hole->losses = 0;
	if (!mtu)
		return;
	hole->steps++;
	UET_INC(pdc->un, PMTU_STEPS);
	uet_pmtu_learn(flow->peer, mtu, UET_PMTU_AGE);
	uet_flow_set_mtu(flow, mtu);
	hole->tried = true;
	/* Retries count anew for packets of another size. */
	pdc->tx->snd.retries = 0;
}

/**
 * uet_hole_resent() - count a loss: a packet is about to be sent again
 * @pdc: the PDC
 * @len: its payload
 * @sent: when it was sent last, ns
 * @now: time, ns
 *
 * Context: flow lock held.
 * Return: true if uet_hole_ask() is to follow it.
 */
bool uet_hole_resent(struct uet_pdc *pdc, u32 len, u64 sent, u64 now)
{
	struct uet_flow *flow = pdc->tx->flow;
	u32 size = uet_hole_size(flow, len);
	struct uet_hole *hole = &flow->hole;
	bool opens = pdc->tx->snd.state == UET_PDC_SYN;
	u64 arrived = opens ? hole->arrived : uet_snd_busy(&pdc->tx->snd)->rack;
	/* Once for all that go again at a time; a first timeout proves little. */
	bool ask = opens && pdc->tx->snd.retries > 1 && hole->asked_last <= sent;

	lockdep_assert_held(&flow->lock);
	if (size <= uet_pmtu_min(flow->peer))
		return false;
	/* No later packet arrived, or it left before the last loss counted */
	if (arrived < sent || sent < hole->at)
		return ask;
	if (!hole->since || uet_hole_stale(pdc, now)) {
		hole->since = now;
		hole->size = size;
		hole->tried = false;
	}
	hole->size = min(hole->size, size);
	hole->at = now;
	hole->pdc = pdc;
	if (++hole->losses >= UET_HOLE_LOSSES &&
	    (!opens || now - hole->since >= UET_HOLE_OPENS_NS))
		uet_hole_step(pdc);
	return ask;
}

/**
 * uet_hole_ask() - send a short packet behind a large one: is the peer there?
 * @pdc: a PDC that opens
 * @list: the packet is added here
 * @now: time, ns
 *
 * Context: flow lock held.
 */
void uet_hole_ask(struct uet_pdc *pdc, struct sk_buff_head *list, u64 now)
{
	struct uet_cp cp = { .probe_opaque = UET_PROBE_HOLE };
	struct uet_flow *flow = pdc->tx->flow;
	struct uet_hole *hole = &flow->hole;

	lockdep_assert_held(&flow->lock);
	if (READ_ONCE(*flow->snd.probes) == UET_PROBES_NEVER ||
	    uet_cp_queue(pdc, list, &cp, UET_CTL_PROBE, UET_F_AR, 0))
		return;
	/* It is to queue with the data, if it may. */
	if (likely(!flow->snd.probes_apart))
		UET_TXMETA(skb_peek_tail(list))->dsfield = pdc->tclass << 2 | UET_ECT0;
	UET_INC(pdc->un, PROBES);
	hole->asked_last = max(now, uet_snd_busy(&pdc->tx->snd)->departs);
	/* Answers do not tell which one they are to: it is taken for the oldest. */
	if (!hole->asked)
		hole->asked = hole->asked_last;
}

/**
 * uet_hole_answered() - a NACK that is about no packet of a PDC that opens
 * @flow: its flow
 * @pkt: the NACK
 *
 * Context: flow lock held.
 * Return: true if it answers uet_hole_ask().
 */
bool uet_hole_answered(struct uet_flow *flow, const struct uet_pkt *pkt)
{
	struct uet_hole *hole = &flow->hole;

	lockdep_assert_held(&flow->lock);
	if (!hole->asked || pkt->spdcid || pkt->nack.psn)
		return false;
	hole->arrived = hole->asked;
	hole->asked = 0;
	return true;
}

/**
 * uet_hole_arrived() - a packet has arrived: end the suspicion if it is large
 * @flow: the flow, suspected to have a hole
 * @len: payload of the packet
 *
 * Context: flow lock held.
 */
void uet_hole_arrived(struct uet_flow *flow, u32 len)
{
	lockdep_assert_held(&flow->lock);
	if (uet_hole_size(flow, len) < flow->hole.size)
		return;
	flow->hole.since = 0;
	flow->hole.losses = 0;
}

/**
 * uet_hole_told() - what to tell an operator about a hole
 * @flow: the flow
 * @now: time, ns
 * @ns: set to its age; if it is over, to the time since the last loss by it; 0 if
 *	there never was one
 *
 * A few losses of large packets are no hole yet, and one that a smaller MTU ended may
 * go on for the rest of the module until a large packet arrives.
 *
 * Context: flow lock held.
 * Return: length of the shortest packet that vanishes, 0 if there is no hole.
 */
u32 uet_hole_told(const struct uet_flow *flow, u64 now, u64 *ns)
{
	const struct uet_hole *hole = &flow->hole;

	lockdep_assert_held(&flow->lock);
	*ns = hole->steps ? max(now - hole->at, 1ULL) : 0;
	if (!hole->since || now - hole->at >= UET_HOLE_RECENT_NS ||
	    (!hole->tried && hole->losses < UET_HOLE_LOSSES / 2))
		return 0;
	*ns = max(now - hole->since, 1ULL);
	return hole->size;
}

/**
 * uet_hole_hopeless() - do large packets vanish at any MTU?
 * @pdc: the PDC
 * @now: time, ns
 *
 * Context: flow lock held.
 * Return: true if they have done so for peer_timeout_s, and go on to.
 */
bool uet_hole_hopeless(const struct uet_pdc *pdc, u64 now)
{
	const struct uet_hole *hole = &pdc->tx->flow->hole;
	u64 silence = (u64)READ_ONCE(pdc->un->sysctl.rules.peer_timeout_s) *
		      NSEC_PER_SEC;

	lockdep_assert_held(&pdc->tx->flow->lock);
	return unlikely(hole->since) && hole->pdc == pdc &&
	       now - hole->since >= silence && !uet_hole_stale(pdc, now);
}
