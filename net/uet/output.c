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
#include "ports.h"

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

	/* The socket stays until a grace period ends (uet_encap_swap()). */
	RCU_LOCKDEP_WARN(!rcu_read_lock_held() && !rcu_read_lock_bh_held(),
			 "tunnel socket used without protection");
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

		/* The port, and with it the socket, may be changed meanwhile. */
		local_bh_disable();
		dst = uet_route6(un, NULL, raddr, oif, mark, laddr);
		local_bh_enable();
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
	uet_ports_stale(peer);
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
		*mtu = uet_ports_mtu(peer) ?: dst_mtu(dst);
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
 * uet_output_begin() - look the way to a peer up, once for several packets
 * @out: filled in
 * @peer: where to
 *
 * Context: BH disabled, until uet_output_end().
 * Return: 0, or the error of the route lookup; then nothing needs to be ended.
 */
int uet_output_begin(struct uet_output *out, struct uet_peer *peer)
{
	struct uet_net *un = peer->fep->un;
	struct dst_entry *dst = uet_peer_dst(peer);
	struct socket *sock;

	if (IS_ERR(dst))
		return PTR_ERR(dst);
	out->v4 = uet_peer_is_v4(peer);
	sock = READ_ONCE(*(out->v4 ? &un->sock4 : &un->sock6));
	if (unlikely(!sock)) {
		dst_release(dst);
		return -ENETDOWN;
	}
	out->un = un;
	out->peer = peer;
	out->dst = dst;
	out->multi = rcu_access_pointer(peer->ports);
	out->sk = sock->sk;
	out->port = READ_ONCE(un->sysctl.udp_port);
	out->protect = READ_ONCE(un->sysctl.data_protect);
	out->ttl = out->v4 ? ip4_dst_hoplimit(dst) : ip6_dst_hoplimit(dst);
	return 0;
}

/**
 * uet_output_end() - no more packets
 * @out: of uet_output_begin()
 */
void uet_output_end(struct uet_output *out)
{
	dst_release(out->dst);
}

/*
 * What udp_tunnel_xmit_skb() does for any packet costs a good part of the way
 * through IP: it cleans packets that came from elsewhere and draws an IP ident
 * from a keyed hash. These are made here and are never fragmented, so that
 * their ident means nothing (RFC 6864).
 */
static void uet_output4(const struct uet_output *out, struct sk_buff *skb,
			u8 dsfield)
{
	const struct uet_peer_key *key = &out->peer->key;
	struct iphdr *iph = __skb_push(skb, sizeof(*iph));

	skb_reset_network_header(skb);
	iph->version	= 4;
	iph->ihl	= sizeof(*iph) / 4;
	iph->tos	= dsfield;
	iph->id		= 0;
	iph->frag_off	= htons(IP_DF);
	iph->ttl	= out->ttl;
	iph->protocol	= IPPROTO_UDP;
	iph->saddr	= key->laddr.s6_addr32[3];
	iph->daddr	= key->raddr.s6_addr32[3];
	memset(IPCB(skb), 0, sizeof(*IPCB(skb)));
	ip_local_out(out->un->net, out->sk, skb);
}

static void uet_output6(const struct uet_output *out, struct sk_buff *skb,
			u8 dsfield)
{
	const struct uet_peer_key *key = &out->peer->key;
	struct ipv6hdr *ip6h = __skb_push(skb, sizeof(*ip6h));

	skb_reset_network_header(skb);
	ip6_flow_hdr(ip6h, dsfield, 0);
	ip6h->payload_len = htons(skb->len - sizeof(*ip6h));
	ip6h->nexthdr	= IPPROTO_UDP;
	ip6h->hop_limit	= out->ttl;
	ip6h->saddr	= key->laddr;
	ip6h->daddr	= key->raddr;
	memset(IP6CB(skb), 0, sizeof(*IP6CB(skb)));
	ip6_local_out(out->un->net, out->sk, skb);
}

/* The route of one packet, with a reference */
static struct dst_entry *uet_output_dst(const struct uet_output *out, u16 ev)
{
	struct dst_entry *dst = NULL;

	if (out->multi)
		dst = uet_ports_dst(out->peer, ev);
	if (!dst) {
		dst = out->dst;
		dst_hold(dst);
	}
	return dst;
}

/* A packet cut before the path MTU shrank may have to be fragmented. */
static void uet_output_large(const struct uet_output *out, struct sk_buff *skb,
			     u8 dsfield, u16 ev)
{
	struct uet_peer_key *key = &out->peer->key;
	struct dst_entry *dst = uet_output_dst(out, ev);

	skb->ignore_df = 1;
	if (out->v4)
		udp_tunnel_xmit_skb((struct rtable *)dst, out->sk, skb,
				    key->laddr.s6_addr32[3],
				    key->raddr.s6_addr32[3], dsfield, out->ttl,
				    0, htons(ev), htons(out->port), false,
				    true);
	else
		udp_tunnel6_xmit_skb(dst, out->sk, skb, NULL, &key->laddr,
				     &key->raddr, dsfield, out->ttl, 0,
				     htons(ev), htons(out->port), true);
}

/**
 * uet_output() - send a UET packet
 * @out: the way, from uet_output_begin()
 * @skb: packet, data at the PDS header, UET_HEADROOM in front, struct
 *	uet_txmeta filled in; consumed. What the device does with it is not told
 *
 * Without a checksum, also over IPv6 (UE 1.0.1 3.5.10.1).
 *
 * Context: BH disabled, no lock held that the receive path takes.
 */
void uet_output(const struct uet_output *out, struct sk_buff *skb)
{
	const struct uet_txmeta meta = *UET_TXMETA(skb);
	const struct uet_peer_key *key = &out->peer->key;
	struct udphdr *uh;

	if (out->protect && uet_crc_append(skb, &key->laddr, &key->raddr,
					   meta.ev, out->port)) {
		UET_INC(out->un, TX_NOMEM);
		kfree_skb(skb);
		return;
	}
	UET_INC(out->un, TX_PKTS);
	UET_ADD(out->un, TX_BYTES, skb->len);
	if (unlikely(!meta.df)) {
		uet_output_large(out, skb, meta.dsfield, meta.ev);
		return;
	}
	uh = __skb_push(skb, sizeof(*uh));
	skb_reset_transport_header(skb);
	uh->source = htons(meta.ev);
	uh->dest = htons(out->port);
	uh->len = htons(skb->len);
	uh->check = 0;
	if (unlikely(out->multi))
		skb_dst_set(skb, uet_output_dst(out, meta.ev));
	else
		skb_dst_set_noref(skb, out->dst);
	if (out->v4)
		uet_output4(out, skb, meta.dsfield);
	else
		uet_output6(out, skb, meta.dsfield);
}

/**
 * uet_output_one() - send a single UET packet
 * @peer: where to
 * @skb: as for uet_output()
 *
 * Context: as uet_output().
 */
void uet_output_one(struct uet_peer *peer, struct sk_buff *skb)
{
	struct uet_output out;

	if (uet_output_begin(&out, peer)) {
		UET_INC(peer->fep->un, TX_ERRORS);
		kfree_skb(skb);
		return;
	}
	uet_output(&out, skb);
	uet_output_end(&out);
}
