/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Early demux for UET.
 */
#ifndef _UET_DEMUX_H
#define _UET_DEMUX_H

#include <linux/skbuff.h>
#include <linux/types.h>

#include "link/peer.h"

void uet_demux_enable(struct uet_net *un);
void uet_demux_disable(struct uet_net *un);
void uet_demux_learn(struct uet_peer *peer, struct sk_buff *skb);

/**
 * uet_demux_news() - do route and interface of a packet differ from the cached ones?
 * @peer: the peer
 * @skb: the packet, verified to be the peer's
 *
 * Checks both, as several interfaces may share an input route.
 *
 * Context: softirq, RCU read side.
 * Return: true if so.
 */
static inline bool uet_demux_news(const struct uet_peer *peer,
				  const struct sk_buff *skb)
{
	return rcu_access_pointer(peer->rx_dst) != skb_dst(skb) ||
	       READ_ONCE(peer->rx_iif) != skb->skb_iif;
}

#endif /* _UET_DEMUX_H */
