// SPDX-License-Identifier: GPL-2.0
/*
 * The route to a peer, and the output of UET packets over UDP or directly over IP (UE
 * 1.0 3.5.10).
 *
 * Not here: routes over several interfaces (link/ports.c), what may leave to the
 * UDP port of UET (link/guard.c).
 */
#include <linux/if_arp.h>
#include <linux/ip.h>
#include <linux/netfilter/nf_conntrack_common.h>
#include <net/addrconf.h>
#include <net/dst_cache.h>
#include <net/geneve.h>
#include <net/ip6_checksum.h>
#include <net/ip6_route.h>
#include <net/route.h>
#include <net/udp_tunnel.h>
#include <net/vxlan.h>

#include "compat.h"
#include "core/wire/hdr_run.h"
#include "link/encap.h"
#include "link/peer.h"
#include "link/pmtu.h"
#include "link/ports.h"
#include "link/source.h"
#include "mib.h"

static u8 uet_route_dscp(const struct uet_net *un,
			 const struct uet_peer_key *key)
{
	return key->tclass ? key->tclass - 1 : uet_data_dscp(un);
}

/* IP protocol of a form */
static u8 uet_form_proto(const struct uet_net *un, u8 form)
{
	return form & UET_FORM_IP ? READ_ONCE(un->sysctl.ip_protocol) : IPPROTO_UDP;
}

static __be16 uet_form_dport(const struct uet_net *un, u8 form)
{
	return form & UET_FORM_IP ? 0 : htons(READ_ONCE(un->sysctl.udp_port));
}

/**
 * uet_route_flow4() - the key of the route lookup to a peer
 * @un: namespace
 * @key: the peer, IPv4
 * @form: UET_FORM_* of packets to it
 * @oif: interface, or 0
 *
 * Return: the flow.
 */
struct flowi4 uet_route_flow4(const struct uet_net *un,
			      const struct uet_peer_key *key, u8 form, int oif)
{
	return (struct flowi4) {
		.flowi4_oif	= oif,
		.flowi4_mark	= key->mark,
		UET_FLOW4_DSCP(uet_route_dscp(un, key)),
		.flowi4_uid	= key->uid,
		.flowi4_proto	= uet_form_proto(un, form),
		.daddr		= key->raddr.s6_addr32[3],
		.saddr		= key->laddr.s6_addr32[3],
		.fl4_dport	= uet_form_dport(un, form),
	};
}

/**
 * uet_route_flow6() - uet_route_flow4() for IPv6
 * @un: namespace
 * @key: the peer, IPv6
 * @form: UET_FORM_* of packets to it
 * @oif: interface, or 0
 *
 * Return: the flow.
 */
struct flowi6 uet_route_flow6(const struct uet_net *un,
			      const struct uet_peer_key *key, u8 form, int oif)
{
	return (struct flowi6) {
		.flowi6_oif	= oif,
		.flowi6_mark	= key->mark,
		.flowi6_uid	= key->uid,
		.flowi6_proto	= uet_form_proto(un, form),
		.flowlabel	= ip6_make_flowinfo(uet_route_dscp(un, key) << 2,
						    0),
		.daddr		= key->raddr,
		.saddr		= key->laddr,
		.fl6_dport	= uet_form_dport(un, form),
	};
}

static struct rtable *uet_route4(struct uet_net *un,
				 const struct uet_peer_key *key, u8 form,
				 __be32 *saddr)
{
	struct flowi4 fl4 = uet_route_flow4(un, key, form, key->scope);
	struct rtable *rt = ip_route_output_key(un->net, &fl4);

	if (!IS_ERR(rt))
		*saddr = fl4.saddr;
	return rt;
}

static struct dst_entry *uet_route6(struct uet_net *un,
				    const struct uet_peer_key *key, u8 form,
				    struct in6_addr *saddr)
{
	struct flowi6 fl6 = uet_route_flow6(un, key, form, key->scope);
	struct socket *sock = READ_ONCE(un->sock6);
	struct dst_entry *dst;

	/* The socket stays until a grace period ends (uet_encap_swap()). */
	RCU_LOCKDEP_WARN(!rcu_read_lock_held() && !rcu_read_lock_bh_held(),
			 "tunnel socket used without protection");
	if (!sock)
		return ERR_PTR(-EAFNOSUPPORT);
	dst = ip6_dst_lookup_flow(un->net, sock->sk, &fl6, NULL);
	if (!IS_ERR(dst))
		*saddr = fl6.saddr;
	return dst;
}

/**
 * uet_route_source() - choose the local fabric address for a remote one
 * @un: namespace
 * @key: the peer; @laddr is unset, and is set here
 *
 * Context: process or BH.
 * Return: 0, or the error of the route lookup (-ENETUNREACH and others).
 */
int uet_route_source(struct uet_net *un, struct uet_peer_key *key)
{
	u8 form = uet_form_of_addr(un, &key->raddr);
	int err = 0;

	if (ipv6_addr_v4mapped(&key->raddr)) {
		struct rtable *rt;
		__be32 saddr;

		rt = uet_route4(un, key, form, &saddr);
		if (IS_ERR(rt))
			return PTR_ERR(rt);
		ipv6_addr_set_v4mapped(saddr, &key->laddr);
		ip_rt_put(rt);
	} else {
		struct in6_addr saddr;
		struct dst_entry *dst;

		/* Keeps the tunnel socket while the UDP port is changed. */
		local_bh_disable();
		dst = uet_route6(un, key, form, &saddr);
		local_bh_enable();
		if (IS_ERR(dst))
			return PTR_ERR(dst);
		/* The kernel's last resort, to which nothing comes back. */
		if (ipv6_addr_loopback(&saddr) && !ipv6_addr_loopback(&key->raddr) &&
		    !(dst->dev->flags & IFF_LOOPBACK))
			err = -EADDRNOTAVAIL;
		key->laddr = saddr;
		dst_release(dst);
	}
	return err;
}

/* Does a (tunnel) device choose its path by the packet's hash? Then that hash must
 * include the entropy value.
 */
static bool uet_dev_spreads(const struct net_device *dev)
{
	switch (dev->type) {
	case ARPHRD_TUNNEL:
	case ARPHRD_TUNNEL6:
	case ARPHRD_SIT:
	case ARPHRD_IPGRE:
	case ARPHRD_IP6GRE:
		return true;
	default:
		return netif_is_vxlan(dev) || netif_is_geneve(dev);
	}
}

/* Look up the route to a peer, and cache it. Returns it with a reference, or an ERR_PTR. */
static noinline struct dst_entry *uet_peer_lookup(struct uet_peer *peer, u8 form)
{
	struct uet_net *un = peer->fep->un;
	struct dst_entry *dst;

	if (uet_peer_is_v4(peer)) {
		struct rtable *rt;
		__be32 saddr;

		rt = uet_route4(un, &peer->key, form, &saddr);
		if (IS_ERR(rt))
			return ERR_CAST(rt);
		dst_cache_set_ip4(&peer->dst, &rt->dst, saddr);
		dst = &rt->dst;
	} else {
		struct in6_addr saddr;

		dst = uet_route6(un, &peer->key, form, &saddr);
		if (IS_ERR(dst))
			return dst;
		dst_cache_set_ip6(&peer->dst, dst, &saddr);
	}
	/* With the route, since it takes two comparisons of names. */
	WRITE_ONCE(peer->out_hash,
		   uet_dev_spreads(dst->dev) ? 0 : peer->flow_hash);
	uet_ports_stale(peer);
	return dst;
}

/* The route to a peer, @form being that of uet_form_refresh() */
static struct dst_entry *uet_peer_route(struct uet_peer *peer, u8 form)
{
	return dst_cache_get(&peer->dst) ?: uet_peer_lookup(peer, form);
}

/**
 * uet_peer_dst() - the route to a peer, cached or a new one
 * @peer: the peer
 *
 * Context: BH disabled.
 * Return: the route with a reference, or an ERR_PTR of the lookup.
 */
struct dst_entry *uet_peer_dst(struct uet_peer *peer)
{
	return uet_peer_route(peer, uet_form_refresh(peer));
}

/**
 * uet_route_peer() - is the peer reachable, and with which IP MTU?
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
		*mtu = uet_pmtu_limit(peer, uet_ports_mtu(peer) ?:
					    dst_mtu(dst));
		dst_release(dst);
	}
	local_bh_enable();
	return err;
}

/**
 * uet_route_ifindex() - the device of the route to a peer
 * @peer: the peer
 *
 * Context: process or BH.
 * Return: its index; 0 if there is no route.
 */
int uet_route_ifindex(struct uet_peer *peer)
{
	struct dst_entry *dst;
	int ifindex = 0;

	local_bh_disable();
	dst = uet_peer_dst(peer);
	if (!IS_ERR(dst)) {
		ifindex = dst->dev->ifindex;
		dst_release(dst);
	}
	local_bh_enable();
	return ifindex;
}

/*
 * May several packets leave as one buffer? Segments of such a buffer have a UDP
 * checksum, also to peers that send none: only if it costs nothing, or if it is
 * wanted. Interfaces towards a peer may differ, and the trailer of data_protect is
 * for each packet. Nothing segments packets directly over IP.
 */
static bool uet_output_runs(const struct uet_output *out)
{
	netdev_features_t has = out->dst->dev->features;

	if (out->multi || out->form & ~UET_FORM_BARE)
		return false;
	switch (READ_ONCE(out->un->sysctl.udp_csum)) {
	case UET_UDP_CSUM_OFF:
		return false;
	case UET_UDP_CSUM_AUTO:
		return has & NETIF_F_GSO && has & NETIF_F_GSO_UDP_L4 &&
		       has & NETIF_F_SG &&
		       has & (NETIF_F_HW_CSUM |
			      (out->v4 ? NETIF_F_IP_CSUM : NETIF_F_IPV6_CSUM));
	default:
		return true;
	}
}

/* ip4_dst_hoplimit(), which would look for the namespace */
static u8 uet_output_ttl4(const struct uet_output *out)
{
	return dst_metric_raw(out->dst, RTAX_HOPLIMIT) ?:
	       READ_ONCE(out->un->net->ipv4.sysctl_ip_default_ttl);
}

/**
 * uet_output_begin() - look up the route to a peer, once for several packets
 * @out: filled in
 * @peer: where to
 *
 * Context: BH disabled, until uet_output_end().
 * Return: 0, -EADDRNOTAVAIL if the local address is away, or the error of the route
 * lookup; then do not call uet_output_end().
 */
int uet_output_begin(struct uet_output *out, struct uet_peer *peer)
{
	struct uet_net *un = peer->fep->un;
	u8 form = uet_form_refresh(peer);
	struct dst_entry *dst;
	struct socket *sock;

	if (unlikely(uet_source_away(peer)))
		return -EADDRNOTAVAIL;
	dst = uet_peer_route(peer, form);
	if (IS_ERR(dst)) {
		/* It may have gone since, and IPv4 has no route from there. */
		uet_source_look(peer);
		return PTR_ERR(dst);
	}
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
	out->udp_port = READ_ONCE(un->sysctl.udp_port);
	out->form = form;
	out->proto = uet_form_proto(un, form);
	out->track = READ_ONCE(un->sysctl.conntrack);
	out->hash = READ_ONCE(peer->out_hash);
	out->ttl = out->v4 ? uet_output_ttl4(out) : ip6_dst_hoplimit(dst);
	return 0;
}

/**
 * uet_output_end() - end what uet_output_begin() began
 * @out: of uet_output_begin()
 */
void uet_output_end(struct uet_output *out)
{
	dst_release(out->dst);
}

/**
 * uet_output_mtu() - path MTU
 * @out: of uet_output_begin()
 *
 * Context: BH disabled, between uet_output_begin() and uet_output_end().
 * Return: IP MTU, including what was learnt about the peer (link/pmtu.c).
 */
u32 uet_output_mtu(const struct uet_output *out)
{
	u32 mtu = 0;

	if (unlikely(out->multi))
		mtu = uet_ports_mtu(out->peer);
	return uet_pmtu_limit(out->peer, mtu ?: dst_mtu(out->dst));
}

/**
 * uet_output_run_max() - most packets that may leave as one buffer
 * @out: of uet_output_begin()
 * @size: UDP payload of each
 *
 * Context: BH disabled, between uet_output_begin() and uet_output_end().
 * Return: number, at least 1.
 */
u32 uet_output_run_max(const struct uet_output *out, u32 size)
{
	const struct net_device *dev = out->dst->dev;
	/* The length field of IP, and what UDP's field is until it is segmented */
	u32 room = U16_MAX - sizeof(struct ipv6hdr) - sizeof(struct udphdr);
	u32 takes = READ_ONCE(dev->gso_max_size);

	if (!uet_output_runs(out))
		return 1;
	room = min(room, takes - min_t(u32, takes, UET_HEADROOM));
	return clamp(min(room / size, READ_ONCE(dev->gso_max_segs)), 1U,
		     (u32)UET_RUN_MAX);
}

/* A packet may be fragmented. */
static noinline void uet_output_frag4(const struct uet_output *out, struct sk_buff *skb,
				      struct iphdr *iph, u32 frag)
{
	iph->frag_off = 0;
	__ip_select_ident(out->un->net, iph, 1);
	skb->ignore_df = 1;
	if (skb->len > frag)
		IPCB(skb)->frag_max_size = frag;
}

/*
 * Not udp_tunnel_xmit_skb(): it scrubs packets that come from elsewhere and draws
 * an IP ident from a keyed hash, a good part of the cost of IP output. These
 * packets are built here, and with DF set the ident has no meaning (RFC 6864).
 *
 * @frag: MTU, if the packet was built before the path MTU shrank and may be
 * fragmented; else 0.
 */
static int uet_output4(const struct uet_output *out, struct sk_buff *skb,
		       u8 dsfield, u32 frag)
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
	iph->protocol	= out->proto;
	iph->saddr	= key->laddr.s6_addr32[3];
	iph->daddr	= key->raddr.s6_addr32[3];
	memset(IPCB(skb), 0, sizeof(*IPCB(skb)));
	if (unlikely(frag))
		uet_output_frag4(out, skb, iph, frag);
	return ip_local_out(out->un->net, skb->sk ?: out->sk, skb);
}

static noinline int uet_output6(const struct uet_output *out, struct sk_buff *skb,
				u8 dsfield, u32 frag)
{
	const struct uet_peer_key *key = &out->peer->key;
	struct ipv6hdr *ip6h = __skb_push(skb, sizeof(*ip6h));

	skb_reset_network_header(skb);
	ip6_flow_hdr(ip6h, dsfield, 0);
	ip6h->payload_len = htons(skb->len - sizeof(*ip6h));
	ip6h->nexthdr	= out->proto;
	ip6h->hop_limit	= out->ttl;
	ip6h->saddr	= key->laddr;
	ip6h->daddr	= key->raddr;
	memset(IP6CB(skb), 0, sizeof(*IP6CB(skb)));
	if (unlikely(frag)) {
		skb->ignore_df = 1;
		if (skb->len > frag)
			IP6CB(skb)->frag_max_size = frag;
	}
	return ip6_local_out(out->un->net, skb->sk ?: out->sk, skb);
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

/*
 * Flow queueing (fq_codel and others) would take each entropy value for a flow, and
 * give a sprayed CCC the share of many. So set a hash of addresses and traffic
 * class. It is not an L4 hash: multipath routing, here or in a namespace that
 * forwards, then still uses the UDP ports.
 */
static void uet_output_dress(const struct uet_output *out, struct sk_buff *skb,
			     u8 dsfield)
{
	/* As UDP does: SO_MARK, and the priority of the DSCP if none is set */
	skb->mark = out->peer->key.mark;
	if (!skb->priority)
		skb->priority = rt_tos2priority(dsfield);
	if (likely(out->hash))
		__skb_set_sw_hash(skb, out->hash + (dsfield >> 2), false);
	if (likely(!out->track))
		skb_set_nfct(skb, IP_CT_UNTRACKED);
}

/* The packet gets a checksum, or each segment of a run. The device computes it; if it
 * cannot, the stack does so behind the queues.
 */
static void uet_output_csum(const struct uet_output *out, struct sk_buff *skb,
			    struct udphdr *uh)
{
	const struct uet_peer_key *key = &out->peer->key;

	if (out->v4)
		uh->check = ~csum_tcpudp_magic(key->laddr.s6_addr32[3],
					       key->raddr.s6_addr32[3],
					       skb->len, IPPROTO_UDP, 0);
	else
		uh->check = ~csum_ipv6_magic(&key->laddr, &key->raddr, skb->len,
					     IPPROTO_UDP, 0);
	skb->ip_summed = CHECKSUM_PARTIAL;
	skb->csum_start = skb_transport_header(skb) - skb->head;
	skb->csum_offset = offsetof(struct udphdr, check);
}

/* The entropy header, of packets directly over IP */
static noinline void uet_output_entropy(const struct uet_output *out,
					struct sk_buff *skb, u16 ev)
{
	struct uet_entropy_wire *eh = __skb_push(skb, sizeof(*eh));

	UET_INC(out->un, TX_NATIVE);
	eh->entropy = htons(ev);
	eh->rsvd = 0;
	skb_reset_transport_header(skb);
}

static void uet_output_udp(const struct uet_output *out, struct sk_buff *skb, u16 ev,
			   bool run)
{
	struct udphdr *uh = __skb_push(skb, sizeof(*uh));
	u32 trailer = out->form & UET_FORM_CRC ? UET_CRC_LEN : 0;

	skb_reset_transport_header(skb);
	uh->source = htons(ev);
	uh->dest = htons(out->udp_port);
	uh->len = htons(skb->len + trailer);
	uh->check = 0;
	if (likely(!out->form) || run)
		uet_output_csum(out, skb, uh);
}

/**
 * uet_output() - send a UET packet, or a run of them
 * @out: of uet_output_begin()
 * @skb: packet, data at the PDS header, UET_HEADROOM in front, struct
 *	uet_txmeta filled in; consumed
 *
 * To a peer that sends none single packets have no UDP checksum, also over IPv6 (UE
 * 1.0.1 3.5.10.1).
 *
 * Context: BH disabled, no lock held that the receive path takes.
 * Return: the result of IP and the qdisc: NET_XMIT_DROP if the qdisc dropped the
 * packet; NET_XMIT_CN if it dropped this or another packet.
 */
int uet_output(const struct uet_output *out, struct sk_buff *skb)
{
	const struct uet_txmeta meta = *UET_TXMETA(skb);
	const struct uet_peer_key *key = &out->peer->key;
	u32 frag = 0, len = skb->len, n = 1;

	if (unlikely(out->form & UET_FORM_IP)) {
		uet_output_entropy(out, skb, meta.ev);
		len += sizeof(struct uet_entropy_wire);
	} else {
		bool run = skb_is_gso(skb);

		if (run)
			n = meta.n;
		uet_output_udp(out, skb, meta.ev, run);
		/* Each packet of a run gets one. */
		len += n * sizeof(struct udphdr);
	}
	if (unlikely(out->form & UET_FORM_CRC)) {
		if (uet_crc_append(skb, &key->laddr, &key->raddr)) {
			uet_drop_tx(out->peer, skb, UET_DROP_TX_NOMEM);
			return -ENOMEM;
		}
		len += UET_CRC_LEN;
		UET_INC(out->un, TX_TRAILERS);
	}
	UET_ADD(out->un, TX_PKTS, n);
	UET_ADD(out->un, TX_BYTES, len);
	uet_output_dress(out, skb, meta.dsfield);
	if (unlikely(!meta.df))
		frag = uet_output_mtu(out);
	if (unlikely(out->multi))
		skb_dst_set(skb, uet_output_dst(out, meta.ev));
	else
		skb_dst_set_noref(skb, out->dst);
	return out->v4 ? uet_output4(out, skb, meta.dsfield, frag) :
			 uet_output6(out, skb, meta.dsfield, frag);
}

static void uet_output_single(struct uet_peer *peer, struct sk_buff *skb, bool answer)
{
	struct uet_output out;

	if (uet_output_begin(&out, peer)) {
		uet_drop_tx(peer, skb, UET_DROP_TX_ROUTE);
		return;
	}
	if (answer) {
		out.form = uet_form_of_answer(peer);
		out.proto = uet_form_proto(out.un, out.form);
	}
	uet_output(&out, skb);
	uet_output_end(&out);
}

/**
 * uet_output_one() - send a single UET packet of a sending half
 * @peer: where to
 * @skb: as for uet_output()
 *
 * Context: see uet_output().
 */
void uet_output_one(struct uet_peer *peer, struct sk_buff *skb)
{
	uet_output_single(peer, skb, false);
}

/**
 * uet_output_answer() - send a single UET packet of a receiving half
 * @peer: where to
 * @skb: as for uet_output()
 *
 * Its form is that in which the peer opened its PDC, while nothing better is known.
 *
 * Context: see uet_output().
 */
void uet_output_answer(struct uet_peer *peer, struct sk_buff *skb)
{
	uet_output_single(peer, skb, true);
}
