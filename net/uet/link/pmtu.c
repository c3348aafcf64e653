// SPDX-License-Identifier: GPL-2.0
/*
 * What is known of the path MTU to a peer beside its route.
 *
 * ICMP that quotes an outstanding packet of a PDC is believed, for the peer of
 * that PDC alone: other users of the route have their own judgement, and a peer
 * reached by mark, VRF or device has another route than the one that a lookup
 * without these would find. Where no ICMP comes, tx/hole.c finds out.
 */
#include <linux/jiffies.h>
#include <net/ip.h>

#include "link/peer.h"
#include "link/pmtu.h"
#include "link/ports.h"

/* No ICMP message makes packets smaller than this */
#define UET_PMTU_MIN4		576

/* Those that are tried, fit for payloads of a power of two or usual on links */
static const u16 uet_pmtu_steps[] = {
	8400, 4224, 2176, 1500, IPV6_MIN_MTU, UET_PMTU_MIN4,
};

/**
 * uet_pmtu_min() - no path MTU is taken for less than this
 * @peer: the peer
 *
 * Return: length of an IP packet.
 */
u32 uet_pmtu_min(const struct uet_peer *peer)
{
	return uet_peer_is_v4(peer) ? UET_PMTU_MIN4 : IPV6_MIN_MTU;
}

/**
 * uet_pmtu_below() - the next path MTU to try
 * @peer: the peer
 * @mtu: the one that seems too large
 *
 * Return: length of an IP packet, 0 if there is none to try.
 */
u32 uet_pmtu_below(const struct uet_peer *peer, u32 mtu)
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

/**
 * uet_pmtu_learn() - believe in a path MTU for a time
 * @peer: the peer
 * @mtu: length of an IP packet
 * @age: for so long, jiffies
 *
 * Context: any.
 */
void uet_pmtu_learn(struct uet_peer *peer, u32 mtu, unsigned long age)
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
