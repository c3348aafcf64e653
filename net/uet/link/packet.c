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

/**
 * uet_rx_begin6() - the part of uet_rx_begin() for IPv6
 * @rx: filled in
 * @skb: packet with its network header set
 *
 * Context: RCU read side.
 */
void uet_rx_begin6(struct uet_rx_ctx *rx, const struct sk_buff *skb)
{
	const struct ipv6hdr *ip6h = ipv6_hdr(skb);

	rx->iif = uet_rx_interface(skb, inet6_sdif(skb));
	rx->saddr = ip6h->saddr;
	rx->daddr = ip6h->daddr;
	rx->ce = INET_ECN_is_ce(ipv6_get_dsfield(ip6h));
	rx->dscp = ipv6_get_dsfield(ip6h) >> 2;
	rx->ifindex = ipv6_addr_type(&rx->saddr) & IPV6_ADDR_LINKLOCAL ?
		      rx->iif : 0;
	/* As over IPv4 */
	if (!rx->ifindex)
		rx->ifindex = uet_rx_vrf(skb->dev);
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
