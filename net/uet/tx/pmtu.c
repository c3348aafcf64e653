// SPDX-License-Identifier: GPL-2.0
/*
 * What is known of the path MTU to a peer beside its route.
 *
 * ICMP that quotes an outstanding packet of a PDC is believed, for the peer of
 * that PDC alone: other users of the route have their own judgement, and a peer
 * reached by mark, VRF or device has another route than the one that a lookup
 * without these would find.
 *
 * Where no ICMP comes, large packets vanish while the peer answers small ones
 * and probes. So losses of large packets are counted that something sent later
 * has survived, one for each time such a packet was sent, until a packet as
 * large arrives. After some of them a smaller MTU is tried: new packets are cut
 * for it, outstanding ones leave in fragments, and if these vanish too the next
 * one is tried. That is the search of RFC 8899 with data instead of padding,
 * downwards only: the MTU of the route is tried again when the time of what was
 * learnt is over, or the routes have changed.
 *
 * While a PDC opens nothing small is answered. What such a silent peer suggests
 * holds for a short time only.
 */
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <net/ip.h>

#include "link/peer.h"
#include "link/pmtu.h"
#include "link/ports.h"
#include "mib.h"
#include "pdc/pdc.h"
#include "tx/flow.h"

/* For so long, ten minutes as the kernel has it for routes */
#define UET_PMTU_AGE		(600 * HZ)
/* ... and what silence suggests */
#define UET_PMTU_TRY_AGE	(10 * HZ)
/* Losses of large packets in a row that are no accident */
#define UET_PMTU_LOSSES		6
/* No ICMP message makes packets smaller than this */
#define UET_PMTU_MIN4		576

/* Those that are tried, fit for payloads of a power of two or usual on links */
static const u16 uet_pmtu_steps[] = {
	8400, 4224, 2176, 1500, IPV6_MIN_MTU, UET_PMTU_MIN4,
};

static u32 uet_pmtu_min(const struct uet_peer *peer)
{
	return uet_peer_is_v4(peer) ? UET_PMTU_MIN4 : IPV6_MIN_MTU;
}

/* The next one below, 0 if there is none */
static u32 uet_pmtu_below(const struct uet_peer *peer, u32 mtu)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(uet_pmtu_steps); i++)
		if (uet_pmtu_steps[i] < mtu)
			break;
	if (i == ARRAY_SIZE(uet_pmtu_steps) ||
	    uet_pmtu_steps[i] < uet_pmtu_min(peer))
		return 0;
	return uet_pmtu_steps[i];
}

/**
 * uet_pmtu_cut() - path MTU to a peer of which something was learnt
 * @peer: the peer
 * @mtu: what the route says
 *
 * Context: any.
 * Return: what was learnt if it is less and still holds, else @mtu.
 */
u32 uet_pmtu_cut(struct uet_peer *peer, u32 mtu)
{
	u32 known = READ_ONCE(peer->pmtu);

	if (!known)
		return mtu;
	if (time_before(jiffies, READ_ONCE(peer->pmtu_until)) &&
	    READ_ONCE(peer->pmtu_genid) == uet_ports_genid(peer))
		return min(known, mtu);
	WRITE_ONCE(peer->pmtu, 0);
	return mtu;
}

static void uet_pmtu_learn(struct uet_peer *peer, u32 mtu, unsigned long age)
{
	WRITE_ONCE(peer->pmtu_genid, uet_ports_genid(peer));
	WRITE_ONCE(peer->pmtu_until, jiffies + age);
	WRITE_ONCE(peer->pmtu, mtu);
}

/**
 * uet_pmtu_told() - an ICMP message says that a packet was too big
 * @peer: peer of the PDC whose packet it quotes
 * @mtu: MTU of the link that it did not fit, less than the packet; 0 = not told
 *
 * Context: softirq.
 */
void uet_pmtu_told(struct uet_peer *peer, u32 mtu)
{
	if (!mtu)
		mtu = uet_pmtu_below(peer, uet_pmtu_limit(peer, IP_MAX_MTU));
	mtu = max(mtu, uet_pmtu_min(peer));
	if (mtu < uet_pmtu_limit(peer, IP_MAX_MTU))
		uet_pmtu_learn(peer, mtu, UET_PMTU_AGE);
}

/* Length of a packet with its IP header */
static u32 uet_pmtu_size(const struct uet_flow *flow, u32 len)
{
	return len + flow->overhead - UET_NOMINAL_ADD_BYTES +
	       (uet_peer_is_v4(flow->peer) ? sizeof(struct iphdr) :
					     sizeof(struct ipv6hdr));
}

/* Try a smaller one, if there is one. */
static void uet_pmtu_step(struct uet_pdc *pdc, bool silent)
{
	struct uet_flow *flow = pdc->tx.flow;
	struct uet_hole *hole = &flow->hole;
	u32 mtu;

	mtu = uet_pmtu_below(flow->peer, min(flow->ip_mtu, hole->size));
	hole->losses = 0;
	if (!mtu)
		return;
	hole->steps++;
	UET_INC(pdc->un, PMTU_STEPS);
	uet_pmtu_learn(flow->peer, mtu,
		       silent ? UET_PMTU_TRY_AGE : UET_PMTU_AGE);
	uet_flow_set_mtu(flow, mtu);
	/* Packets of another size: their first timeout is not a late one. */
	if (!silent)
		pdc->tx.retries = 0;
}

/**
 * uet_pmtu_resent() - a packet is about to be sent again
 * @pdc: initiator PDC
 * @len: its payload
 * @sent: when it was sent last, ns
 * @now: time, ns
 *
 * Context: flow lock held.
 */
void uet_pmtu_resent(struct uet_pdc *pdc, u32 len, u64 sent, u64 now)
{
	struct uet_flow *flow = pdc->tx.flow;
	u32 size = uet_pmtu_size(flow, len);
	struct uet_hole *hole = &flow->hole;
	bool silent = pdc->state == UET_PDC_SYN;

	lockdep_assert_held(&flow->lock);
	if (size <= uet_pmtu_min(flow->peer))
		return;
	/* Nothing passed it, or it left before the loss that was counted last */
	if ((!silent && pdc->tx.rack < sent) || sent < hole->at)
		return;
	if (!hole->since) {
		hole->since = now;
		hole->size = size;
	}
	hole->size = min(hole->size, size);
	hole->at = now;
	hole->pdc = pdc;
	if (++hole->losses >= UET_PMTU_LOSSES)
		uet_pmtu_step(pdc, silent);
}

/**
 * uet_pmtu_arrived() - a packet has reached the peer
 * @flow: the flow, whose hole is suspected
 * @len: payload of the packet
 *
 * Context: flow lock held.
 */
void uet_pmtu_arrived(struct uet_flow *flow, u32 len)
{
	lockdep_assert_held(&flow->lock);
	if (uet_pmtu_size(flow, len) < flow->hole.size)
		return;
	flow->hole.since = 0;
	flow->hole.losses = 0;
}

/**
 * uet_pmtu_hopeless() - do large packets vanish whatever is tried?
 * @pdc: initiator PDC
 * @now: time, ns
 *
 * Context: flow lock held.
 * Return: true if so, for as long as a silent peer is waited for.
 */
bool uet_pmtu_hopeless(const struct uet_pdc *pdc, u64 now)
{
	const struct uet_hole *hole = &pdc->tx.flow->hole;
	u64 silence = (u64)READ_ONCE(pdc->un->sysctl.peer_timeout_s) *
		      NSEC_PER_SEC;

	lockdep_assert_held(&pdc->tx.flow->lock);
	return unlikely(hole->since) && hole->pdc == pdc &&
	       now - hole->since >= silence;
}
