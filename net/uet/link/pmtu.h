/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is known of the path MTU to a peer beside its route.
 */
#ifndef _UET_PMTU_H
#define _UET_PMTU_H

#include <linux/types.h>

#include "link/peer.h"

struct uet_flow;
struct uet_pdc;

u32 uet_pmtu_cut(struct uet_peer *peer, u32 mtu);
void uet_pmtu_told(struct uet_peer *peer, u32 mtu);

void uet_pmtu_resent(struct uet_pdc *pdc, u32 len, u64 sent, u64 now);
void uet_pmtu_arrived(struct uet_flow *flow, u32 len);
bool uet_pmtu_hopeless(const struct uet_pdc *pdc, u64 now);

/**
 * uet_pmtu_limit() - path MTU to a peer
 * @peer: the peer
 * @mtu: what the route says
 *
 * Context: any.
 * Return: that, or less if less is known.
 */
static inline u32 uet_pmtu_limit(struct uet_peer *peer, u32 mtu)
{
	return likely(!READ_ONCE(peer->pmtu)) ? mtu : uet_pmtu_cut(peer, mtu);
}

#endif /* _UET_PMTU_H */
