/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The next hop to a peer.
 */
#ifndef _UET_NEIGH_H
#define _UET_NEIGH_H

#include <linux/types.h>

struct dst_entry;
struct neighbour;
struct uet_peer;

bool uet_neigh_fresh(const struct uet_peer *peer);
struct neighbour *uet_neigh_of(const struct uet_peer *peer,
			       const struct dst_entry *dst);

#endif /* _UET_NEIGH_H */
