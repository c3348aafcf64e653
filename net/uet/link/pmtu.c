// SPDX-License-Identifier: GPL-2.0
/*
 * Path MTU discovery per peer.
 *
 * An ICMP error that quotes an outstanding packet of a PDC lowers the path MTU of
 * that PDC's peer, not of the kernel's route: other users of the route validate
 * ICMP by themselves, and a lookup without the peer's mark, VRF or device would
 * find another route.
 *
 * Not here: black hole detection, where no ICMP arrives (tx/pds/hole.c).
 */
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/jiffies.h>
#include <linux/log2.h>
#include <net/ip.h>

#include "core/wire/wire.h"
#include "core/wire/wire_ses.h"
#include "link/encap.h"
#include "link/peer.h"
#include "link/pmtu.h"
#include "link/ports.h"

/* Lower limit of the path MTU over IPv4 */
#define UET_PMTU_MIN4		576

/* MTUs to try: for payloads of a power of two, and common ones of links */
static const u16 uet_pmtu_steps[] = {
	8400, 4224, 2176, 1500, IPV6_MIN_MTU, UET_PMTU_MIN4,
};

/**
 * uet_pmtu_min() - lower limit of the path MTU
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
 * uet_pmtu_payload() - payload of a full packet
 * @peer: the peer
 * @mtu: path MTU, at least that of IPv4
 *
 * Return: the largest of 1024, 2048, 4096 and 8192 bytes that fits, or
 * net.uet.payload_mtu as far as that fits.
 */
u32 uet_pmtu_payload(const struct uet_peer *peer, u32 mtu)
{
	const struct uet_net *un = peer->fep->un;
	u32 headers = uet_form_len(uet_form_of_peer(peer)) + UET_PDS_REQ_CC_LEN +
		      UET_SES_STD_LEN;
	u32 room, want = READ_ONCE(un->sysctl.payload_mtu);

	headers += uet_peer_is_v4(peer) ? sizeof(struct iphdr) :
					  sizeof(struct ipv6hdr);
	room = max_t(u32, mtu, headers + 64) - headers;
	if (!want)
		want = rounddown_pow_of_two(clamp_t(u32, room, 1024, 8192));
	return min3(want, room, (u32)UET_SES_LEN14);
}

/**
 * uet_pmtu_cut() - path MTU to a peer with a learnt one
 * @peer: the peer
 * @mtu: MTU of the route
 *
 * Context: any.
 * Return: min(learnt path MTU, @mtu), or @mtu if the learnt one has expired.
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
 * uet_pmtu_learn() - set the learnt path MTU of a peer
 * @peer: the peer
 * @mtu: length of an IP packet
 * @age: its lifetime, jiffies
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
 * uet_pmtu_told() - an ICMP error says that a packet was too big
 * @peer: peer of the PDC whose packet it quotes
 * @mtu: MTU of the link, < length of the packet; 0 = not told
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
