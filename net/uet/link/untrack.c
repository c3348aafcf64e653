// SPDX-License-Identifier: GPL-2.0
/*
 * Exempt UET packets from connection tracking.
 *
 * Connection tracking expects replies to the source port of a packet. In UET that
 * is an entropy value, and answers go to the UDP port of UET, so each entropy value
 * in each direction would be a connection without a reply. A few dozen peers would
 * fill the table, and then everybody's connections are refused. Packets are set
 * untracked in PRE_ROUTING if they are for this host, and when they are built
 * (link/output.c).
 */
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_conntrack_common.h>
#include <linux/netfilter_ipv4.h>
#include <linux/netfilter_ipv6.h>
#include <net/addrconf.h>
#include <net/ip.h>
#include <net/ipv6.h>
#include <net/route.h>

#include "link/encap.h"
#include "link/hook.h"
#include "link/peer.h"

/* Is it an address of this host that no PDC uses? */
static bool uet_untrack_local(struct uet_net *un, const struct sk_buff *skb,
			      const struct in6_addr *daddr)
{
	if (ipv6_addr_v4mapped(daddr))
		return inet_addr_type_dev_table(un->net, skb->dev,
						daddr->s6_addr32[3]) == RTN_LOCAL;
#if IS_ENABLED(CONFIG_IPV6)
	return ipv6_chk_addr(un->net, daddr, NULL, 0);
#else
	return false;
#endif
}

/* It must be for this host, i.e. neither forwarded nor translated. */
static void uet_untrack(struct uet_net *un, struct sk_buff *skb,
			const struct in6_addr *daddr)
{
	if (uet_fep_find(un, daddr) || uet_untrack_local(un, skb, daddr))
		skb_set_nfct(skb, IP_CT_UNTRACKED);
}

/* For an address of which the newest FEP does not know */
static noinline void uet_untrack4(struct uet_net *un, struct sk_buff *skb)
{
	struct in6_addr daddr;

	ipv6_addr_set_v4mapped(ip_hdr(skb)->daddr, &daddr);
	uet_untrack(un, skb, &daddr);
}

static unsigned int uet_untrack_hook4(void *priv, struct sk_buff *skb,
				      const struct nf_hook_state *state)
{
	const struct iphdr *iph = ip_hdr(skb);
	struct uet_net *un = uet_net_rcu(state->net);

	if (ip_is_fragment(iph) || skb_get_nfct(skb) ||
	    !uet_encap_fits(un, skb, iph->protocol,
			    skb_network_offset(skb) + iph->ihl * 4))
		return NF_ACCEPT;
	if (likely(uet_fep_hinted4(un, iph->daddr)))
		skb_set_nfct(skb, IP_CT_UNTRACKED);
	else
		uet_untrack4(un, skb);
	return NF_ACCEPT;
}

static unsigned int uet_untrack_hook6(void *priv, struct sk_buff *skb,
				      const struct nf_hook_state *state)
{
	const struct ipv6hdr *ip6h = ipv6_hdr(skb);
	struct uet_net *un = uet_net_rcu(state->net);

	/* UET packets carry no extension headers. */
	if (!skb_get_nfct(skb) &&
	    uet_encap_fits(un, skb, ip6h->nexthdr,
			   skb_network_offset(skb) + sizeof(*ip6h)))
		uet_untrack(un, skb, &ip6h->daddr);
	return NF_ACCEPT;
}

/* Ahead of connection tracking, as rules with "notrack" are */
static const struct nf_hook_ops uet_untrack_ops[] = {
	{
		.hook		= uet_untrack_hook4,
		.pf		= NFPROTO_IPV4,
		.hooknum	= NF_INET_PRE_ROUTING,
		.priority	= NF_IP_PRI_RAW,
	},
	{
		.hook		= uet_untrack_hook6,
		.pf		= NFPROTO_IPV6,
		.hooknum	= NF_INET_PRE_ROUTING,
		.priority	= NF_IP6_PRI_RAW,
	},
};

/**
 * uet_untrack_enable() - keep UET out of connection tracking
 * @un: namespace, which uses UET
 *
 * Does nothing if net.uet.conntrack is set. A failure is not reported: packets are
 * then tracked.
 *
 * Context: process.
 */
void uet_untrack_enable(struct uet_net *un)
{
	if (!IS_ENABLED(CONFIG_NF_CONNTRACK) ||
	    READ_ONCE(un->untrack_hooked) ||
	    READ_ONCE(un->sysctl.conntrack))
		return;
	mutex_lock(&un->open_mutex);
	/* If it is set later, the setter calls uet_untrack_disable(). */
	if (!READ_ONCE(un->sysctl.conntrack))
		uet_net_hook_locked(un, &un->untrack_hooked, uet_untrack_ops,
				    ARRAY_SIZE(uet_untrack_ops));
	mutex_unlock(&un->open_mutex);
}

/**
 * uet_untrack_disable() - let connection tracking see UET packets
 * @un: namespace
 *
 * Context: process.
 */
void uet_untrack_disable(struct uet_net *un)
{
	uet_net_unhook(un, &un->untrack_hooked, uet_untrack_ops,
		       ARRAY_SIZE(uet_untrack_ops));
}
