// SPDX-License-Identifier: GPL-2.0
/*
 * UET packets directly over IP (UE 1.0 3.5.10): protocol 253 or 254, of which a
 * namespace uses one (net.uet.ip_protocol), with the entropy header.
 *
 * IP hands them over behind its filters and IPsec policies, with nothing in between that
 * would have to be avoided: no socket, no checksum, no length. So there is no hook for
 * them as for UDP (input/take.c). Nothing merges or segments them; receive scaling of
 * most devices goes by their addresses.
 *
 * A namespace that does not use UET, or not that protocol, answers as a host without the
 * protocol does.
 */
#include <linux/icmp.h>
#include <linux/icmpv6.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/skbuff.h>
#include <linux/udp.h>
#include <net/dsfield.h>
#include <net/icmp.h>
#include <net/ip6_route.h>
#include <net/ipv6.h>
#include <net/protocol.h>
#include <net/raw.h>
#include <net/rawv6.h>
#include <net/route.h>
#include <net/udp.h>

#include "compat.h"
#include "core/wire/wire.h"
#include "input/input.h"
#include "link/encap.h"
#include "mib.h"
#include "rx/pds/trim.h"

#define UET_NATIVE_PROTOS	(UET_IP_PROTO_MAX - UET_IP_PROTO + 1)

static bool uet_native_is_v4(const struct sk_buff *skb)
{
	return ip_hdr(skb)->version == 4;
}

static u8 uet_native_proto(const struct sk_buff *skb)
{
	return uet_native_is_v4(skb) ? ip_hdr(skb)->protocol :
	       skb_network_header(skb)[IP6CB(skb)->nhoff];
}

/* Does a raw socket have a copy of the packet? Then the protocol is not unknown. */
static bool uet_native_raw(const struct net *net, const struct sk_buff *skb)
{
	const struct raw_hashinfo *raw = &raw_v4_hashinfo;

#if IS_ENABLED(CONFIG_IPV6)
	if (!uet_native_is_v4(skb))
		raw = &raw_v6_hashinfo;
#endif
	return !hlist_empty(&raw->ht[raw_hashfunc(net, uet_native_proto(skb))]);
}

/**
 * uet_native_refuse() - tell the source that this host does not know the protocol
 * @skb: a packet directly over IP, which stays the caller's
 *
 * Context: softirq, RCU read side.
 */
void uet_native_refuse(struct sk_buff *skb)
{
	if (uet_native_is_v4(skb))
		icmp_send(skb, ICMP_DEST_UNREACH, ICMP_PROT_UNREACH, 0);
	else
		icmpv6_send(skb, ICMPV6_PARAMPROB, ICMPV6_UNK_NEXTHDR,
			    IP6CB(skb)->nhoff);
}

/* As IP does with protocols that it does not know */
static void uet_native_unknown(struct uet_net *un, struct sk_buff *skb)
{
	struct net *net = un->net;

	if (uet_native_raw(net, skb)) {
		consume_skb(skb);
		return;
	}
	if (uet_native_is_v4(skb))
		__IP_INC_STATS(net, IPSTATS_MIB_INUNKNOWNPROTOS);
	else
		__IP6_INC_STATS(net, __in6_dev_get_safely(skb->dev),
				IPSTATS_MIB_INUNKNOWNPROTOS);
	uet_native_refuse(skb);
	uet_drop(un, skb, UET_DROP_NO_SOCKET);
}

/* Is UET in use in the namespace, with this protocol? */
static bool uet_native_used(const struct uet_net *un, bool v4, u8 proto)
{
	return READ_ONCE(*(v4 ? &un->sock4 : &un->sock6)) &&
	       proto == READ_ONCE(un->sysctl.ip_protocol);
}

/* The sysctl for sockets of UDP says whether those in a VRF are for all. */
static bool uet_native_takes(const struct uet_net *un, const struct sk_buff *skb)
{
	bool v4 = uet_native_is_v4(skb);

	return uet_native_used(un, v4, uet_native_proto(skb)) &&
	       (v4 ? udp_sk_bound_dev_eq(un->net, 0, inet_iif(skb),
					 inet_sdif(skb)) :
		     udp_sk_bound_dev_eq(un->net, 0, inet6_iif(skb),
					 inet6_sdif(skb)));
}

/* UDP has no say in these packets: uet_rx_ctx.okfn, which is not called. */
static int uet_native_okfn(struct net *net, struct sock *sk, struct sk_buff *skb)
{
	uet_drop(uet_net(net), skb, UET_DROP_MALFORMED);
	return 0;
}

/* struct net_protocol.handler, struct inet6_protocol.handler */
static int uet_native_rcv(struct sk_buff *skb)
{
	struct uet_net *un = uet_net_rcu(dev_net(skb->dev));
	u8 dscp;

	if (unlikely(!uet_native_takes(un, skb))) {
		uet_native_unknown(un, skb);
		return 0;
	}
	dscp = uet_native_is_v4(skb) ? ip_hdr(skb)->tos >> 2 :
				       ipv6_get_dsfield(ipv6_hdr(skb)) >> 2;
	if (unlikely(!pskb_may_pull(skb, sizeof(struct uet_entropy_wire)))) {
		uet_drop(un, skb, UET_DROP_SHORT);
		return 0;
	}
	/* Buffers of several packets that no device puts together */
	if (unlikely(skb_is_gso(skb))) {
		uet_drop(un, skb, UET_DROP_MALFORMED);
		return 0;
	}
	UET_INC(un, RX_NATIVE);
	if (!uet_trim_take(un, skb, 0, dscp, UET_FORM_IP))
		uet_input(un, skb, UET_FORM_IP, uet_native_okfn);
	return 0;
}

/* struct net_protocol.err_handler; data at the quoted IP header */
static int uet_native_err4(struct sk_buff *skb, u32 info)
{
	const struct iphdr *iph = (const struct iphdr *)skb->data;
	struct net *net = dev_net(skb->dev);
	struct uet_net *un = uet_net_rcu(net);

	if (!uet_native_used(un, true, iph->protocol))
		return -ENOENT;
	if (!uet_encap_icmp(un, skb, iph->ihl * 4, UET_FORM_IP))
		return 0;
	if (icmp_hdr(skb)->type == ICMP_DEST_UNREACH)
		ipv4_update_pmtu(skb, net, info, 0, iph->protocol);
	else
		ipv4_redirect(skb, net, 0, iph->protocol);
	return 0;
}

static const struct net_protocol uet_native_proto4 = {
	.handler	= uet_native_rcv,
	.err_handler	= uet_native_err4,
};

#if IS_ENABLED(CONFIG_IPV6)
/* struct inet6_protocol.err_handler; data at the quoted IP header */
static int uet_native_err6(struct sk_buff *skb, struct inet6_skb_parm *opt,
			   u8 type, u8 code, int offset, __be32 info)
{
	const struct ipv6hdr *ip6h = (const struct ipv6hdr *)skb->data;
	struct net *net = dev_net(skb->dev);
	struct uet_net *un = uet_net_rcu(net);

	/* UET packets carry no extension headers. */
	if (!uet_native_used(un, false, ip6h->nexthdr))
		return -ENOENT;
	if (!uet_encap_icmp(un, skb, offset, UET_FORM_IP))
		return 0;
	if (type == ICMPV6_PKT_TOOBIG)
		ip6_update_pmtu(skb, net, info, 0, 0, sock_net_uid(net, NULL));
	else
		ip6_redirect(skb, net, skb->dev->ifindex, 0,
			     sock_net_uid(net, NULL));
	return 0;
}

static const struct inet6_protocol uet_native_proto6 = {
	.handler	= uet_native_rcv,
	.err_handler	= uet_native_err6,
	.flags		= INET6_PROTO_FINAL,
};

static int uet_native_add6(u8 proto)
{
	return inet6_add_protocol(&uet_native_proto6, proto);
}

static void uet_native_del6(u8 proto)
{
	inet6_del_protocol(&uet_native_proto6, proto);
}
#else
static int uet_native_add6(u8 proto)
{
	return 0;
}

static void uet_native_del6(u8 proto)
{
}
#endif

static int uet_native_add(u8 proto)
{
	if (inet_add_protocol(&uet_native_proto4, proto))
		return -EBUSY;
	if (uet_native_add6(proto)) {
		inet_del_protocol(&uet_native_proto4, proto);
		return -EBUSY;
	}
	return 0;
}

static void uet_native_del(u8 proto)
{
	inet_del_protocol(&uet_native_proto4, proto);
	uet_native_del6(proto);
}

/* Which protocols are ours; set when the module is loaded */
static bool uet_native_has[UET_NATIVE_PROTOS];

/**
 * uet_native_init() - receive packets directly over IP
 *
 * Where another module has a protocol, only those of the other one are received. UDP does
 * not depend on it.
 *
 * Context: when the module is loaded, after namespaces are registered.
 */
void __init uet_native_init(void)
{
	int i;

	for (i = 0; i < UET_NATIVE_PROTOS; i++) {
		uet_native_has[i] = !uet_native_add(UET_IP_PROTO + i);
		if (!uet_native_has[i])
			pr_warn("another module has IP protocol %d: net.uet.ip_protocol must be another one\n",
				UET_IP_PROTO + i);
	}
}

/**
 * uet_native_exit() - receive no more
 *
 * Context: when the module is unloaded, before namespaces are unregistered. No packet is
 * in a handler afterwards.
 */
void uet_native_exit(void)
{
	int i;

	for (i = 0; i < UET_NATIVE_PROTOS; i++)
		if (uet_native_has[i])
			uet_native_del(UET_IP_PROTO + i);
}
