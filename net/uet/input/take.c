// SPDX-License-Identifier: GPL-2.0
/*
 * UET packets are taken at the end of LOCAL_IN, ahead of UDP.
 *
 * UDP would look up a socket, which is always the tunnel socket, and has its own
 * ideas about packets that a switch trimmed (rx/pds/trim.c) and of several packets in one
 * buffer (input/run.c, input/split.c). Taps and all other hooks have seen a packet by
 * then. UDP gets what is not plain: packets with IP options or extension headers, of
 * another length than UDP says, to a group; those that raw sockets, IPsec policies or a
 * socket that somebody has assigned may have a say in; those that have pages of a program
 * of this host, which IP copies behind this hook (in older kernels ahead of it); and
 * everything while the hook cannot be registered. What is for this module comes to
 * uet_input() by the tunnel socket then. A checksum that no device has verified is verified
 * here, or by UDP.
 *
 * The hook is registered while the tunnel sockets are open. Packets that are taken
 * count as delivered by IP and by UDP.
 */
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/netfilter.h>
#include <linux/netfilter_ipv4.h>
#include <linux/netfilter_ipv6.h>
#include <linux/udp.h>
#include <net/addrconf.h>
#include <net/ip.h>
#include <net/ipv6.h>
#include <net/netfilter/nf_conntrack.h>
#include <net/raw.h>
#include <net/rawv6.h>
#include <net/udp.h>
#include <net/xfrm.h>

#include "input/input.h"
#include "input/take.h"
#include "link/hook.h"
#include "rx/pds/trim.h"

/*
 * The hook that confirms a connection has the same priority, and comes after this
 * one. (net.uet.conntrack is 0 by default, and no packet is tracked.)
 */
static bool uet_take_unconfirmed(const struct sk_buff *skb)
{
#if IS_ENABLED(CONFIG_NF_CONNTRACK)
	enum ip_conntrack_info info;
	struct nf_conn *ct = nf_ct_get(skb, &info);

	return ct && !nf_ct_is_confirmed(ct);
#else
	return false;
#endif
}

/* May a raw socket want a copy? Other protocols share its place in the table. */
static bool uet_take_raw(const struct net *net, const struct raw_hashinfo *raw)
{
	return !hlist_empty(&raw->ht[raw_hashfunc(net, IPPROTO_UDP)]);
}

/* Is nothing left to verify of the checksum? csum_valid may have been set for the UDP
 * header of a tunnel around this packet: it is cleared, as UDP does.
 */
static __always_inline bool uet_take_sound(struct sk_buff *skb, const struct udphdr *uh)
{
	skb->csum_valid = 0;
	return likely(skb_csum_unnecessary(skb)) || !uh->check;
}

/* Is a UDP header all that is left between a packet and the tunnel socket? */
static __always_inline bool uet_take_plain(struct sk_buff *skb, const struct udphdr *uh,
					   unsigned int off)
{
	return ntohs(uh->len) == skb->len - off &&
	       (likely(!skb_is_gso(skb)) || uet_take_sound(skb, uh)) &&
	       skb->pkt_type == PACKET_HOST && !skb->sk && !skb_zcopy(skb) &&
	       !uet_take_unconfirmed(skb);
}

/* Verify the checksum of a packet, which no device has. If it is wrong, drop the packet,
 * count it as UDP would, and return false.
 */
static noinline bool uet_take_verify(struct uet_net *un, struct sk_buff *skb,
				     unsigned int off, u8 family)
{
	struct netns_mib *mib = &un->net->mib;

	if (likely(!nf_checksum(skb, NF_INET_LOCAL_IN, off, IPPROTO_UDP, family)))
		return true;
	if (family == AF_INET) {
		__SNMP_INC_STATS(mib->udp_statistics, UDP_MIB_CSUMERRORS);
		__SNMP_INC_STATS(mib->udp_statistics, UDP_MIB_INERRORS);
	} else {
		__SNMP_INC_STATS(mib->udp_stats_in6, UDP_MIB_CSUMERRORS);
		__SNMP_INC_STATS(mib->udp_stats_in6, UDP_MIB_INERRORS);
	}
	uet_drop(un, skb, UET_DROP_CSUM);
	return false;
}

/* Take several packets in one buffer. Returns their number, or as uet_take() */
static noinline int uet_take_several(struct uet_net *un, struct sk_buff *skb,
				     unsigned int off, uet_okfn okfn)
{
	int n = uet_input_run(un, skb, off, okfn);

	return n ?: uet_input_split(un, skb, off, okfn);
}

/* Take a packet whose UDP header is at @off. Returns its datagrams, 0 if it is not
 * taken, -1 if it was given to another CPU.
 */
static __always_inline int uet_take(struct uet_net *un, struct sk_buff *skb,
				    unsigned int off, uet_okfn okfn)
{
	lockdep_assert_in_softirq();
	/* A departure time that came over a local device is no time of arrival. */
	skb_clear_delivery_time(skb);
	if (skb_is_gso(skb))
		return uet_take_several(un, skb, off, okfn);
	__skb_pull(skb, off);
	return uet_input(un, skb, 0, okfn) ? -1 : 1;
}

/* The same for one that another CPU has given to this one. If it is not taken, its data
 * is at the IP header.
 */
static int uet_take_handed(struct uet_net *un, struct sk_buff *skb)
{
	unsigned int off = skb_network_header_len(skb);

	if (!skb_is_gso(skb)) {
		uet_input_again(un, skb, UET_TAKE_CB(skb)->form);
		return 1;
	}
	__skb_push(skb, off);
	return uet_take_several(un, skb, off, NULL);
}

static __always_inline void uet_take_count4(struct uet_net *un, u32 n)
{
	__IP_INC_STATS(un->net, IPSTATS_MIB_INDELIVERS);
	SNMP_ADD_STATS(un->net->mib.udp_statistics, UDP_MIB_INDATAGRAMS, n);
}

static void uet_take_count6(struct uet_net *un, struct inet6_dev *idev, u32 n)
{
	__IP6_INC_STATS(un->net, idev, IPSTATS_MIB_INDELIVERS);
	SNMP_ADD_STATS(un->net->mib.udp_stats_in6, UDP_MIB_INDATAGRAMS, n);
}

/**
 * uet_take_again() - handle a packet that another CPU has handed over
 * @un: namespace
 * @skb: the packet, data at the UDP or entropy header; consumed
 *
 * Context: softirq, RCU read side.
 */
void uet_take_again(struct uet_net *un, struct sk_buff *skb)
{
	bool v4 = ip_hdr(skb)->version == 4;
	/* It stays as long as its device, which readers of RCU keep. */
	struct inet6_dev *idev = v4 ? NULL : ip6_dst_idev(skb_dst(skb));
	uet_okfn okfn = UET_TAKE_CB(skb)->okfn;
	int n;

	/* IP counts by itself what it delivers to a protocol. */
	if (UET_TAKE_CB(skb)->form & UET_FORM_IP) {
		uet_input_again(un, skb, UET_TAKE_CB(skb)->form);
		return;
	}
	n = uet_take_handed(un, skb);
	if (!n)
		okfn(un->net, NULL, skb);
	else if (v4)
		uet_take_count4(un, n);
	else
		uet_take_count6(un, idev, n);
}

/* The UDP header of a packet to the UDP port of UET, or NULL */
static __always_inline const struct udphdr *
uet_take_wants(const struct uet_net *un, struct sk_buff *skb, unsigned int off)
{
	const struct udphdr *uh;

	if (unlikely(!pskb_may_pull(skb, off + sizeof(*uh))))
		return NULL;
	uh = (const void *)(skb->data + off);
	return uh->dest == htons(READ_ONCE(un->sysctl.udp_port)) ? uh : NULL;
}

/* Packets that a rule has given to a program (NFQUEUE) come back in the context of
 * that, with BH enabled.
 */
static noinline unsigned int uet_take_from_process(struct sk_buff *skb,
						   const struct nf_hook_state *state,
						   nf_hookfn *hook)
{
	unsigned int verdict;

	local_bh_disable();
	verdict = hook(NULL, skb, state);
	local_bh_enable();
	return verdict;
}

static unsigned int uet_take_hook4(void *priv, struct sk_buff *skb,
				   const struct nf_hook_state *state)
{
	struct uet_net *un = uet_net_rcu(state->net);
	const struct iphdr *iph = ip_hdr(skb);
	const unsigned int off = sizeof(*iph);
	const struct udphdr *uh;
	u8 dscp = iph->tos >> 2;
	int n;

	if (unlikely(!in_softirq()))
		return uet_take_from_process(skb, state, uet_take_hook4);
	if (iph->protocol != IPPROTO_UDP || iph->ihl * 4 != off ||
	    ip_is_fragment(iph))
		return NF_ACCEPT;
	uh = uet_take_wants(un, skb, off);
	if (!uh || !READ_ONCE(un->sock4))
		return NF_ACCEPT;
	if (uet_trim_take(un, skb, off, dscp, 0))
		return NF_STOLEN;
	if (!uet_take_plain(skb, uh, off) ||
	    !udp_sk_bound_dev_eq(un->net, 0, inet_iif(skb), inet_sdif(skb)) ||
	    uet_take_raw(un->net, &raw_v4_hashinfo) ||
	    !xfrm4_policy_check(NULL, XFRM_POLICY_IN, skb))
		return NF_ACCEPT;
	if (!uet_take_sound(skb, uh) && !uet_take_verify(un, skb, off, AF_INET))
		return NF_STOLEN;
	n = uet_take(un, skb, off, state->okfn);
	if (!n)
		return NF_ACCEPT;
	if (likely(n > 0))
		uet_take_count4(un, n);
	return NF_STOLEN;
}

static unsigned int uet_take_hook6(void *priv, struct sk_buff *skb,
				   const struct nf_hook_state *state)
{
	struct uet_net *un = uet_net_rcu(state->net);
	const struct ipv6hdr *ip6h = ipv6_hdr(skb);
	const unsigned int off = sizeof(*ip6h);
	u8 dscp = ipv6_get_dsfield(ip6h) >> 2;
	const struct udphdr *uh;
	struct inet6_dev *idev;
	int n;

	if (unlikely(!in_softirq()))
		return uet_take_from_process(skb, state, uet_take_hook6);
	if (ip6h->nexthdr != IPPROTO_UDP)
		return NF_ACCEPT;
	uh = uet_take_wants(un, skb, off);
	if (!uh || !READ_ONCE(un->sock6))
		return NF_ACCEPT;
	if (uet_trim_take(un, skb, off, dscp, 0))
		return NF_STOLEN;
	if (!uet_take_plain(skb, uh, off) ||
	    !udp_sk_bound_dev_eq(un->net, 0, inet6_iif(skb), inet6_sdif(skb)) ||
	    uet_take_raw(un->net, &raw_v6_hashinfo) ||
	    !xfrm6_policy_check(NULL, XFRM_POLICY_IN, skb))
		return NF_ACCEPT;
	if (!uet_take_sound(skb, uh) && !uet_take_verify(un, skb, off, AF_INET6))
		return NF_STOLEN;
	/* It stays as long as its device, which readers of RCU keep. */
	idev = ip6_dst_idev(skb_dst(skb));
	n = uet_take(un, skb, off, state->okfn);
	if (!n)
		return NF_ACCEPT;
	if (likely(n > 0))
		uet_take_count6(un, idev, n);
	return NF_STOLEN;
}

static const struct nf_hook_ops uet_take_ops[] = {
	{
		.hook		= uet_take_hook4,
		.pf		= NFPROTO_IPV4,
		.hooknum	= NF_INET_LOCAL_IN,
		.priority	= NF_IP_PRI_LAST,
	},
	{
		.hook		= uet_take_hook6,
		.pf		= NFPROTO_IPV6,
		.hooknum	= NF_INET_LOCAL_IN,
		.priority	= NF_IP6_PRI_LAST,
	},
};

/**
 * uet_take_enable() - take packets ahead of UDP in a namespace
 * @un: namespace
 *
 * A failure is not reported: packets then come by the tunnel socket, but trimmed
 * ones, which UDP drops.
 *
 * Context: process, uet_net.open_mutex held.
 */
void uet_take_enable(struct uet_net *un)
{
	lockdep_assert_held(&un->open_mutex);
	uet_net_hook_locked(un, &un->take_hooked, uet_take_ops,
			    ARRAY_SIZE(uet_take_ops));
}

/**
 * uet_take_disable() - leave packets to UDP
 * @un: namespace
 *
 * Context: process, uet_net.open_mutex held.
 */
void uet_take_disable(struct uet_net *un)
{
	lockdep_assert_held(&un->open_mutex);
	uet_net_unhook_locked(un, &un->take_hooked, uet_take_ops,
			      ARRAY_SIZE(uet_take_ops));
}
