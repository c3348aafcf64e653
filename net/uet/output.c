// SPDX-License-Identifier: GPL-2.0
/*
 * Routes, and the last step of a packet through the kernel's tunnel helpers.
 */
#include <linux/ip.h>
#include <net/addrconf.h>
#include <net/dst_cache.h>
#include <net/ip6_route.h>
#include <net/ipv6_stubs.h>
#include <net/route.h>
#include <net/udp_tunnel.h>

#include "encap.h"
#include "mib.h"
#include "peer.h"

static struct rtable *uet_route4(struct uet_net *un, const struct in6_addr *laddr,
				 const struct in6_addr *raddr, int oif, u32 mark,
				 __be32 *saddr)
{
	struct flowi4 fl4 = {
		.flowi4_oif	= oif,
		.flowi4_mark	= mark,
		.flowi4_proto	= IPPROTO_UDP,
		.daddr		= raddr->s6_addr32[3],
		.saddr		= laddr ? laddr->s6_addr32[3] : 0,
		.fl4_dport	= htons(un->sysctl.udp_port),
	};
	struct rtable *rt = ip_route_output_key(un->net, &fl4);

	if (!IS_ERR(rt))
		*saddr = fl4.saddr;
	return rt;
}

static struct dst_entry *uet_route6(struct uet_net *un,
				    const struct in6_addr *laddr,
				    const struct in6_addr *raddr, int oif,
				    u32 mark, struct in6_addr *saddr)
{
	struct flowi6 fl6 = {
		.flowi6_oif	= oif,
		.flowi6_mark	= mark,
		.flowi6_proto	= IPPROTO_UDP,
		.daddr		= *raddr,
		.fl6_dport	= htons(un->sysctl.udp_port),
	};
	struct socket *sock = READ_ONCE(un->sock6);
	struct dst_entry *dst;

	if (!sock)
		return ERR_PTR(-EAFNOSUPPORT);
	if (laddr)
		fl6.saddr = *laddr;
	dst = ipv6_stub->ipv6_dst_lookup_flow(un->net, sock->sk, &fl6, NULL);
	if (!IS_ERR(dst))
		*saddr = fl6.saddr;
	return dst;
}

/**
 * uet_route_source() - which local fabric address reaches a remote one
 * @un: namespace
 * @raddr: remote address
 * @oif: interface to use, or 0
 * @mark: mark for policy routing
 * @laddr: the answer
 *
 * Context: process or BH.
 * Return: 0, or the error of the route lookup (-ENETUNREACH and others).
 */
int uet_route_source(struct uet_net *un, const struct in6_addr *raddr, int oif,
		     u32 mark, struct in6_addr *laddr)
{
	if (ipv6_addr_v4mapped(raddr)) {
		struct rtable *rt;
		__be32 saddr;

		rt = uet_route4(un, NULL, raddr, oif, mark, &saddr);
		if (IS_ERR(rt))
			return PTR_ERR(rt);
		ipv6_addr_set_v4mapped(saddr, laddr);
		ip_rt_put(rt);
	} else {
		struct dst_entry *dst;

		dst = uet_route6(un, NULL, raddr, oif, mark, laddr);
		if (IS_ERR(dst))
			return PTR_ERR(dst);
		dst_release(dst);
	}
	return 0;
}

/* The cached route, or a new one; BH off. The caller owns the reference. */
static struct dst_entry *uet_peer_dst(struct uet_peer *peer)
{
	struct uet_net *un = peer->fep->un;
	struct dst_entry *dst;

	if (uet_peer_is_v4(peer)) {
		struct rtable *rt;
		__be32 saddr;

		rt = dst_cache_get_ip4(&peer->dst, &saddr);
		if (rt)
			return &rt->dst;
		rt = uet_route4(un, &peer->key.laddr, &peer->key.raddr,
				peer->key.scope, peer->key.mark, &saddr);
		if (IS_ERR(rt))
			return ERR_CAST(rt);
		dst_cache_set_ip4(&peer->dst, &rt->dst, saddr);
		dst = &rt->dst;
	} else {
		struct in6_addr saddr;

		dst = dst_cache_get_ip6(&peer->dst, &saddr);
		if (dst)
			return dst;
		dst = uet_route6(un, &peer->key.laddr, &peer->key.raddr,
				 peer->key.scope, peer->key.mark, &saddr);
		if (IS_ERR(dst))
			return dst;
		dst_cache_set_ip6(&peer->dst, dst, &saddr);
	}
	return dst;
}

/**
 * uet_route_peer() - is the peer reachable, and with which IP MTU
 * @peer: the peer
 * @mtu: IP MTU of the route, ICMP reports included
 *
 * Context: process or BH.
 * Return: 0 or the error of the route lookup.
 */
int uet_route_peer(struct uet_peer *peer, u32 *mtu)
{
	struct dst_entry *dst;
	int err = 0;

	local_bh_disable();
	dst = uet_peer_dst(peer);
	if (IS_ERR(dst)) {
		err = PTR_ERR(dst);
	} else {
		*mtu = dst_mtu(dst);
		dst_release(dst);
	}
	local_bh_enable();
	return err;
}

/**
 * uet_route_dev() - the device of the route to a peer
 * @peer: the peer
 *
 * Context: process or BH.
 * Return: the device with a reference, or NULL.
 */
struct net_device *uet_route_dev(struct uet_peer *peer)
{
	struct net_device *dev = NULL;
	struct dst_entry *dst;

	local_bh_disable();
	dst = uet_peer_dst(peer);
	if (!IS_ERR(dst)) {
		dev = dst->dev;
		dev_hold(dev);
		dst_release(dst);
	}
	local_bh_enable();
	return dev;
}

/**
 * uet_output() - send a UET packet
 * @peer: where to
 * @skb: packet, data at the PDS header, UET_HEADROOM in front; consumed
 * @dsfield: DSCP and ECN bits
 * @ev: entropy value, the UDP source port
 * @df: do not fragment; clear only for a retransmission that was cut before
 *	the path MTU shrank (wire.md 9.5)
 *
 * Context: BH disabled, no lock held that the receive path takes.
 * Return: 0, or the error of the route lookup; what the device does with the
 * packet is not told.
 */
int uet_output(struct uet_peer *peer, struct sk_buff *skb, u8 dsfield, u16 ev,
	       bool df)
{
	struct uet_net *un = peer->fep->un;
	__be16 dport = htons(un->sysctl.udp_port);
	struct dst_entry *dst;
	struct socket *sock;

	if (un->sysctl.data_protect &&
	    uet_crc_append(skb, &peer->key.laddr, &peer->key.raddr, ev,
			   un->sysctl.udp_port)) {
		UET_INC(un, TX_NOMEM);
		kfree_skb(skb);
		return -ENOMEM;
	}
	dst = uet_peer_dst(peer);
	if (IS_ERR(dst)) {
		UET_INC(un, TX_ERRORS);
		kfree_skb(skb);
		return PTR_ERR(dst);
	}
	UET_INC(un, TX_PKTS);
	UET_ADD(un, TX_BYTES, skb->len);
	skb->ignore_df = !df;
	if (uet_peer_is_v4(peer)) {
		sock = READ_ONCE(un->sock4);
		if (!sock)
			goto gone;
		udp_tunnel_xmit_skb((struct rtable *)dst, sock->sk, skb,
				    peer->key.laddr.s6_addr32[3],
				    peer->key.raddr.s6_addr32[3], dsfield,
				    ip4_dst_hoplimit(dst),
				    df ? htons(IP_DF) : 0, htons(ev), dport,
				    false, true);
	} else {
		sock = READ_ONCE(un->sock6);
		if (!sock)
			goto gone;
		udp_tunnel6_xmit_skb(dst, sock->sk, skb, NULL,
				     &peer->key.laddr, &peer->key.raddr,
				     dsfield, ip6_dst_hoplimit(dst), 0,
				     htons(ev), dport, true);
	}
	return 0;
gone:
	dst_release(dst);
	kfree_skb(skb);
	return -ENETDOWN;
}
