// SPDX-License-Identifier: GPL-2.0
/*
 * The next hop to a peer: is its link layer address known?
 */
#include <linux/jiffies.h>
#include <net/dst.h>
#include <net/neighbour.h>

#include "link/neigh.h"

/**
 * uet_neigh_of() - get the next hop of a route if it must be resolved first
 * @peer: the peer
 * @dst: route to it
 *
 * Context: BH disabled.
 * Return: the neighbour with a reference; NULL if packets may be sent: it is
 * resolved, or there is no memory for it.
 */
struct neighbour *uet_neigh_of(const struct uet_peer *peer,
			       const struct dst_entry *dst)
{
	const void *addr = uet_peer_is_v4(peer) ?
			   (const void *)&peer->key.raddr.s6_addr32[3] :
			   (const void *)&peer->key.raddr;
	struct neighbour *n;

	if (!dst->ops->neigh_lookup)
		return NULL;
	n = dst_neigh_lookup(dst, addr);
	if (n && READ_ONCE(n->nud_state) & NUD_VALID) {
		neigh_release(n);
		n = NULL;
	}
	return n;
}
