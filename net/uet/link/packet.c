// SPDX-License-Identifier: GPL-2.0
/*
 * A packet being received: its addresses, and the reason if it is dropped.
 */
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <net/inet_ecn.h>
#include <net/ip.h>
#include <net/ipv6.h>
#include <net/l3mdev.h>
#include <net/route.h>

#include "link/packet.h"

/* The interface by which a packet arrived. In a VRF skb->dev is the VRF, and the
 * IP control block has the interface.
 */
static int uet_rx_interface(const struct sk_buff *skb, bool v4)
{
	int sdif = v4 ? inet_sdif(skb) : inet6_sdif(skb);

	return sdif ?: skb->skb_iif ?: skb->dev->ifindex;
}

/**
 * uet_rx_begin() - fill in addresses, interface, DSCP and ECN mark of a packet
 * @rx: filled in; the fields of @rx->pkt that uet_rx_done() traces are cleared,
 *	since a packet may be dropped before it is parsed
 * @skb: packet with its network header set
 *
 * Context: RCU read side.
 */
void uet_rx_begin(struct uet_rx_ctx *rx, const struct sk_buff *skb)
{
	bool v4 = ip_hdr(skb)->version == 4;

	rx->pkt->type = 0;
	rx->pkt->spdcid = 0;
	rx->pkt->dpdcid = 0;
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
	/* Inside a VRF the scope of a peer is the VRF. */
	if (!rx->ifindex)
		rx->ifindex = l3mdev_master_ifindex_rcu(skb->dev);
}

/**
 * uet_rx_group() - is the destination a group?
 * @rx: the packet
 *
 * Such packets open no PDC, and nothing is answered to them.
 *
 * Context: RCU read side.
 * Return: true if so.
 */
bool uet_rx_group(const struct uet_rx_ctx *rx)
{
	const struct rtable *rt;

	if (!ipv6_addr_v4mapped(&rx->daddr))
		return ipv6_addr_is_multicast(&rx->daddr);
	rt = skb_rtable(rx->skb);
	return rt && rt->rt_flags & (RTCF_BROADCAST | RTCF_MULTICAST);
}

/**
 * uet_rx_done() - free a packet that was handled or is dropped
 * @rx: the packet
 *
 * Context: softirq.
 */
void uet_rx_done(const struct uet_rx_ctx *rx)
{
	if (likely(rx->drop == UET_DROP_NONE))
		consume_skb(rx->skb);
	else
		uet_drop_rx(rx);
}
