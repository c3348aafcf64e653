// SPDX-License-Identifier: GPL-2.0
/*
 * Only this module may send packets in a form of UET, over UDP or directly over IP, with
 * this host's address.
 *
 * Jobs separate users across hosts that trust each other: a receiver believes the
 * job id in a message because the sender's host has checked it. So users must not
 * be able to forge UET packets, as by a UDP datagram to its port. Such packets are
 * dropped in POST_ROUTING, after address translation, if a local socket sent them,
 * or if they are forwarded with a source address of this host.
 *
 * Not here: packets that bypass IP, sent by packet sockets or bridged. The former
 * need CAP_NET_RAW in the owner of the namespace, which exempts anyway.
 */
#include <linux/capability.h>
#include <linux/inetdevice.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/netfilter.h>
#include <linux/netfilter_ipv4.h>
#include <linux/netfilter_ipv6.h>
#include <net/addrconf.h>
#include <net/ip.h>
#include <net/ipv6.h>
#include <net/route.h>
#include <net/sock.h>

#include "link/drop.h"
#include "link/encap.h"
#include "link/hook.h"

/* Did the opener of the socket have CAP_NET_RAW? The current task may be another
 * one. Kernel sockets (tunnels) have no file, and so no privilege.
 */
static noinline bool uet_guard_privileged(struct net *net, struct sock *sk)
{
	bool ret = false;

	read_lock_bh(&sk->sk_callback_lock);
	if (sk->sk_socket && sk->sk_socket->file)
		ret = file_ns_capable(sk->sk_socket->file, net->user_ns,
				      CAP_NET_RAW);
	read_unlock_bh(&sk->sk_callback_lock);
	return ret;
}

static noinline bool uet_guard_local(struct net *net,
				     const struct sk_buff *skb)
{
	if (ip_hdr(skb)->version == 4)
		return inet_addr_type_dev_table(net, skb_dst(skb)->dev,
						ip_hdr(skb)->saddr) == RTN_LOCAL;
#if IS_ENABLED(CONFIG_IPV6)
	return ipv6_chk_addr(net, &ipv6_hdr(skb)->saddr, NULL, 0);
#else
	return false;
#endif
}

/* May a packet in a form of UET leave? */
static __always_inline bool uet_guard_allows(const struct nf_hook_state *state,
					     const struct sk_buff *skb)
{
	struct sock *sk = state->sk ?: skb->sk;

	/* Forwarded, or ours, orphaned and routed again by a virtual device */
	if (!sk)
		return !skb->skb_iif || !uet_guard_local(state->net, skb);
	sk = sk_to_full_sk(sk);
	return sk && (uet_encap_owns(sk) ||
		      uet_guard_privileged(state->net, sk));
}

/* Protocols other than the most frequent ones */
static bool uet_guard_proto(u8 proto)
{
	return proto == IPPROTO_UDP ||
	       (proto >= UET_IP_PROTO && proto <= UET_IP_PROTO_MAX);
}

/* @off: offset of what follows the IP header */
static __always_inline unsigned int uet_guard(const struct nf_hook_state *state,
					      struct sk_buff *skb, u8 proto, int off)
{
	struct uet_net *un = uet_net_rcu(state->net);

	if (!uet_encap_fits(un, skb, proto, off) ||
	    uet_guard_allows(state, skb))
		return NF_ACCEPT;
	return uet_drop_nf(un, skb, UET_DROP_GUARD);
}

/* Checks first fragments only: the others are useless without them. */
static unsigned int uet_guard_hook4(void *priv, struct sk_buff *skb,
				    const struct nf_hook_state *state)
{
	const struct iphdr *iph = ip_hdr(skb);

	if (likely(!uet_guard_proto(iph->protocol)) ||
	    iph->frag_off & htons(IP_OFFSET))
		return NF_ACCEPT;
	return uet_guard(state, skb, iph->protocol,
			 skb_network_offset(skb) + iph->ihl * 4);
}

static unsigned int uet_guard_hook6(void *priv, struct sk_buff *skb,
				    const struct nf_hook_state *state)
{
	int off = skb_network_offset(skb) + sizeof(struct ipv6hdr);
	u8 nexthdr = ipv6_hdr(skb)->nexthdr;
	__be16 frag_off = 0;

	if (likely(nexthdr == IPPROTO_TCP))
		return NF_ACCEPT;
	if (!uet_guard_proto(nexthdr)) {
		off = ipv6_skip_exthdr(skb, off, &nexthdr, &frag_off);
		if (off < 0 || !uet_guard_proto(nexthdr) ||
		    frag_off & htons(~0x7))
			return NF_ACCEPT;
	}
	return uet_guard(state, skb, nexthdr, off);
}

/* After source NAT, before connections are confirmed */
static const struct nf_hook_ops uet_guard_ops[] = {
	{
		.hook		= uet_guard_hook4,
		.pf		= NFPROTO_IPV4,
		.hooknum	= NF_INET_POST_ROUTING,
		.priority	= NF_IP_PRI_LAST - 1,
	},
	{
		.hook		= uet_guard_hook6,
		.pf		= NFPROTO_IPV6,
		.hooknum	= NF_INET_POST_ROUTING,
		.priority	= NF_IP6_PRI_LAST - 1,
	},
};

/**
 * uet_guard_enable() - keep others from sending what looks like UET
 * @un: namespace
 *
 * Context: process.
 * Return: 0 or the error of registering the hooks.
 */
int uet_guard_enable(struct uet_net *un)
{
	return uet_net_hook(un, &un->guard_hooked, uet_guard_ops,
			    ARRAY_SIZE(uet_guard_ops));
}

/**
 * uet_guard_disable() - let anybody send what looks like UET
 * @un: namespace
 *
 * Context: process.
 */
void uet_guard_disable(struct uet_net *un)
{
	uet_net_unhook(un, &un->guard_hooked, uet_guard_ops,
		       ARRAY_SIZE(uet_guard_ops));
}
