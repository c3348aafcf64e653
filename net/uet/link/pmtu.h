/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Path MTU discovery per peer.
 */
#ifndef _UET_PMTU_H
#define _UET_PMTU_H

#include <linux/types.h>

#include "link/peer.h"

/* Lifetime of a learnt path MTU, as the kernel has it for routes */
#define UET_PMTU_AGE		(600 * HZ)

u32 uet_pmtu_min(const struct uet_peer *peer);
u32 uet_pmtu_below(const struct uet_peer *peer, u32 mtu);
void uet_pmtu_learn(struct uet_peer *peer, u32 mtu, unsigned long age);
u32 uet_pmtu_cut(struct uet_peer *peer, u32 mtu);
u32 uet_pmtu_payload(const struct uet_peer *peer, u32 mtu);
void uet_pmtu_told(struct uet_peer *peer, u32 mtu);

/**
 * uet_pmtu_limit() - path MTU to a peer
 * @peer: the peer
 * @mtu: MTU of the route
 *
 * Context: any.
 * Return: @mtu, or the learnt path MTU if that is less.
 */
static inline u32 uet_pmtu_limit(struct uet_peer *peer, u32 mtu)
{
	return likely(!READ_ONCE(peer->pmtu)) ? mtu : uet_pmtu_cut(peer, mtu);
}

#endif /* _UET_PMTU_H */
