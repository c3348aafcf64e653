// SPDX-License-Identifier: GPL-2.0
/*
 * A packet being received: who sent it to whom.
 */
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <net/inet_ecn.h>
#include <net/ip.h>
#include <net/ipv6.h>
#include <net/l3mdev.h>

#include "link/packet.h"

/* The interface a packet came by. In a VRF skb->dev is the VRF, and IP keeps the
 * interface itself in its control block.
 */
static int uet_rx_interface(const struct sk_buff *skb, bool v4)
{
	int sdif = v4 ? inet_sdif(skb) : inet6_sdif(skb);

	return sdif ?: skb->skb_iif ?: skb->dev->ifindex;
}

/**
 * uet_rx_addresses() - who sent a packet to whom, and was it marked
 * @rx: filled in
 * @skb: packet with its network header known
 *
 * Context: RCU read side.
 */
void uet_rx_addresses(struct uet_rx_ctx *rx, const struct sk_buff *skb)
{
	bool v4 = ip_hdr(skb)->version == 4;

	rx->iif = uet_rx_interface(skb, v4);
	if (v4) {
		ipv6_addr_set_v4mapped(ip_hdr(skb)->saddr, &rx->saddr);
		ipv6_addr_set_v4mapped(ip_hdr(skb)->daddr, &rx->daddr);
		rx->ce = INET_ECN_is_ce(ip_hdr(skb)->tos);
		rx->dscp = ip_hdr(skb)->tos >> 2;
		rx->ifindex = 0;
	} else {
		rx->saddr = ipv6_hdr(skb)->saddr;
		rx->daddr = ipv6_hdr(skb)->daddr;
		rx->ce = INET_ECN_is_ce(ipv6_get_dsfield(ipv6_hdr(skb)));
		rx->dscp = ipv6_get_dsfield(ipv6_hdr(skb)) >> 2;
		rx->ifindex = ipv6_addr_type(&rx->saddr) & IPV6_ADDR_LINKLOCAL ?
			      rx->iif : 0;
	}
	/* Inside a VRF a peer is one of the VRF's. */
	if (!rx->ifindex)
		rx->ifindex = l3mdev_master_ifindex_rcu(skb->dev);
}

