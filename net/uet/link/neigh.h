/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The next hop to a peer.
 */
#ifndef _UET_NEIGH_H
#define _UET_NEIGH_H

#include <linux/jiffies.h>
#include <linux/types.h>

#include "link/peer.h"

struct dst_entry;
struct neighbour;

/* A neighbour that was known within this time is taken for known */
#define UET_NEIGH_FRESH		(HZ / 10)

/**
 * uet_neigh_fresh() - was the next hop to a peer known a moment ago?
 * @peer: the peer
 *
 * Context: any.
 * Return: true if so.
 */
static inline bool uet_neigh_fresh(const struct uet_peer *peer)
{
	return time_before(jiffies,
			   READ_ONCE(peer->neigh_at) + UET_NEIGH_FRESH);
}

struct neighbour *uet_neigh_of(const struct uet_peer *peer,
			       const struct dst_entry *dst);

#endif /* _UET_NEIGH_H */
