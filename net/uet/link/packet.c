// SPDX-License-Identifier: GPL-2.0
/*
 * A packet being received: who sent it to whom, and why it is dropped.
 */
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <net/inet_ecn.h>
#include <net/ip.h>
#include <net/ipv6.h>
#include <net/l3mdev.h>

#include "link/packet.h"

#define CREATE_TRACE_POINTS
#include "link/trace_rx.h"

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

/*
 * What the kernel calls it. Reasons of a module's own are not to be had: their
 * numbers are the kernel's. The tracepoint has the name of our counter.
 */
static enum skb_drop_reason uet_drop_reason(u8 drop)
{
	switch (drop) {
	case UET_MIB_DROP_SHORT:
		return SKB_DROP_REASON_PKT_TOO_SMALL;
	case UET_MIB_DROP_PARSE:
		return SKB_DROP_REASON_HDR_TRUNC;
	case UET_MIB_DROP_TYPE:
		return SKB_DROP_REASON_UNHANDLED_PROTO;
	case UET_MIB_DROP_CRC:
		return SKB_DROP_REASON_UDP_CSUM;
	case UET_MIB_DROP_FRAG:
		return SKB_DROP_REASON_NOMEM;
	case UET_MIB_DROP_FILTER:
		return SKB_DROP_REASON_SOCKET_FILTER;
	case UET_MIB_DROP_NO_PDC:
	case UET_MIB_DROP_NO_SOCKET:
		return SKB_DROP_REASON_NO_SOCKET;
	default:
		return SKB_DROP_REASON_NOT_SPECIFIED;
	}
}

/**
 * uet_rx_done() - a packet has been dealt with, or is dropped
 * @rx: the packet
 *
 * Context: softirq.
 */
void uet_rx_done(const struct uet_rx_ctx *rx)
{
	if (likely(!rx->drop)) {
		consume_skb(rx->skb);
		return;
	}
	trace_uet_drop(rx);
	kfree_skb_reason(rx->skb, uet_drop_reason(rx->drop));
}
