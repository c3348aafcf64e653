// SPDX-License-Identifier: GPL-2.0
/*
 * Early demux for UET, as TCP and UDP have it.
 *
 * The source port of a UET packet is an entropy value, so the early demux of UDP
 * finds no socket with a route, and IP looks one up for each packet. It is the same
 * for all packets of a peer: the peer caches the input route, checked as the route
 * of a socket is. Firewalls still see the packets; without a cached route a packet
 * takes the normal path. No socket is needed then, see input/take.c.
 *
 * The hook is registered when a namespace opens its tunnel sockets, so that other
 * namespaces do not pay for it.
 */
#include <linux/hash.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/jiffies.h>
#include <linux/netfilter.h>
#include <linux/netfilter_ipv4.h>
#include <linux/netfilter_ipv6.h>
#include <net/dst.h>
#include <net/ip.h>
#include <net/ip6_fib.h>
#include <net/sock.h>

#include "core/wire/bytes.h"
#include "core/wire/wire.h"
#include "link/encap.h"
#include "link/hook.h"
#include "link/peer.h"
#include "mib.h"
#include "pdc/demux.h"
#include "pdc/pdc.h"

/* Offset of dpdcid in requests, ACKs, NACKs and CPs */
#define UET_DPDCID_OFF	offsetof(struct uet_pds_req_wire, dpdcid)

static_assert(offsetof(struct uet_pds_ack_wire, dpdcid) == UET_DPDCID_OFF);

/*
 * Peers are found by address in a small table; on a collision, by the packet's dpdcid,
 * unverified: it only selects whose cached route is tried. @off: offset of what follows
 * the IP header
 */
static noinline struct uet_peer *
uet_demux_collided(struct uet_net *un, const struct sk_buff *skb, u8 proto,
		   unsigned int off, const struct in6_addr *saddr,
		   const struct in6_addr *daddr)
{
	u8 form = proto == IPPROTO_UDP ? 0 : UET_FORM_IP;
	const u8 *pds = skb->data + off + uet_form_outer(form);
	u16 id = uet_get_be16(pds + UET_DPDCID_OFF);
	struct uet_pdc *pdc = uet_pdc_by_id(un, daddr, id);

	if (!pdc || !ipv6_addr_equal(&pdc->peer->key.raddr, saddr))
		return NULL;
	return pdc->peer;
}

static noinline struct uet_peer *
uet_demux_collided4(struct uet_net *un, const struct sk_buff *skb)
{
	const struct iphdr *iph = ip_hdr(skb);
	struct in6_addr saddr, daddr;

	ipv6_addr_set_v4mapped(iph->saddr, &saddr);
	ipv6_addr_set_v4mapped(iph->daddr, &daddr);
	return uet_demux_collided(un, skb, iph->protocol, sizeof(*iph), &saddr,
				  &daddr);
}

/* Give a packet the route that is cached in its peer. */
static __always_inline void uet_demux(struct sk_buff *skb,
				      const struct uet_peer *peer)
{
	struct dst_entry *dst = rcu_dereference(peer->rx_dst);

	if (!dst || READ_ONCE(peer->rx_iif) != skb->skb_iif ||
	    !dst_check(dst, READ_ONCE(peer->rx_cookie)))
		return;
	skb_dst_set_noref(skb, dst);
}

/* Is a packet fit for early demux, with the needed headers in the linear part? */
static bool uet_demux_wants(const struct sk_buff *skb, unsigned int len)
{
	return !skb_dst(skb) && !skb->sk && skb->pkt_type == PACKET_HOST &&
	       skb_headlen(skb) >= len + sizeof(struct udphdr) +
				   UET_DPDCID_OFF + sizeof(__be16);
}

static unsigned int uet_demux_hook4(void *priv, struct sk_buff *skb,
				    const struct nf_hook_state *state)
{
	const struct iphdr *iph = ip_hdr(skb);
	struct uet_peer *peer;
	struct uet_net *un;

	if (iph->ihl != 5 || ip_is_fragment(iph) ||
	    !uet_demux_wants(skb, sizeof(*iph)))
		return NF_ACCEPT;
	un = uet_net_rcu(state->net);
	if (!uet_encap_fits(un, skb, iph->protocol, sizeof(*iph)))
		return NF_ACCEPT;
	/* Both addresses of a peer are of the same family. */
	peer = rcu_dereference(*uet_demux_slot_of(un, iph->saddr));
	if (unlikely(!peer || !uet_addr_is_v4(&peer->key.raddr, iph->saddr) ||
		     peer->key.laddr.s6_addr32[3] != iph->daddr))
		peer = uet_demux_collided4(un, skb);
	if (likely(peer))
		uet_demux(skb, peer);
	return NF_ACCEPT;
}

static unsigned int uet_demux_hook6(void *priv, struct sk_buff *skb,
				    const struct nf_hook_state *state)
{
	const struct ipv6hdr *ip6h = ipv6_hdr(skb);
	struct uet_net *un = uet_net_rcu(state->net);
	struct uet_peer *peer;

	if (!uet_demux_wants(skb, sizeof(*ip6h)) ||
	    !uet_encap_fits(un, skb, ip6h->nexthdr, sizeof(*ip6h)))
		return NF_ACCEPT;
	peer = rcu_dereference(*uet_demux_slot(un, &ip6h->saddr));
	if (unlikely(!peer ||
		     !ipv6_addr_equal(&peer->key.raddr, &ip6h->saddr) ||
		     !ipv6_addr_equal(&peer->key.laddr, &ip6h->daddr)))
		peer = uet_demux_collided(un, skb, ip6h->nexthdr, sizeof(*ip6h),
					  &ip6h->saddr, &ip6h->daddr);
	if (likely(peer))
		uet_demux(skb, peer);
	return NF_ACCEPT;
}

/* After everything that may redirect a packet */
static const struct nf_hook_ops uet_demux_ops[] = {
	{
		.hook		= uet_demux_hook4,
		.pf		= NFPROTO_IPV4,
		.hooknum	= NF_INET_PRE_ROUTING,
		.priority	= NF_IP_PRI_LAST,
	},
	{
		.hook		= uet_demux_hook6,
		.pf		= NFPROTO_IPV6,
		.hooknum	= NF_INET_PRE_ROUTING,
		.priority	= NF_IP6_PRI_LAST,
	},
};

/**
 * uet_demux_enable() - enable early demux in a namespace
 * @un: namespace
 *
 * A failure is not reported: packets then take the normal path.
 *
 * Context: process, uet_net.open_mutex held.
 */
void uet_demux_enable(struct uet_net *un)
{
	lockdep_assert_held(&un->open_mutex);
	uet_net_hook_locked(un, &un->demux_hooked, uet_demux_ops,
			    ARRAY_SIZE(uet_demux_ops));
}

/**
 * uet_demux_disable() - disable early demux in a namespace
 * @un: namespace
 *
 * Context: process, uet_net.open_mutex held.
 */
void uet_demux_disable(struct uet_net *un)
{
	lockdep_assert_held(&un->open_mutex);
	uet_net_unhook_locked(un, &un->demux_hooked, uet_demux_ops,
			      ARRAY_SIZE(uet_demux_ops));
}

/*
 * Packets of a peer may arrive by several interfaces, or with routes that no two
 * packets share. Only one route is cached: replacing it for every packet would
 * cost more than the normal path. Another one may replace it if it is no longer
 * valid, or after a second.
 */
static bool uet_demux_taken(const struct uet_peer *peer)
{
	struct dst_entry *dst;

	if (time_after_eq(jiffies, READ_ONCE(peer->rx_learnt) + HZ))
		return false;
	dst = rcu_dereference(peer->rx_dst);
	return dst && READ_ONCE(peer->rx_iif) &&
	       dst_check(dst, READ_ONCE(peer->rx_cookie));
}

/**
 * uet_demux_learn() - cache the input route of a packet in its peer
 * @peer: the peer
 * @skb: the packet, verified to be the peer's; uet_demux_news() is true
 *
 * Context: softirq, RCU read side.
 */
void uet_demux_learn(struct uet_peer *peer, struct sk_buff *skb)
{
	struct dst_entry *dst = skb_dst(skb), *old;
	struct uet_net *un = peer->fep->un;

	/* Over loopback the packet still has the sender's route. */
	if (!dst || !skb->skb_iif || skb->dev->flags & IFF_LOOPBACK ||
	    uet_demux_taken(peer) || !dst_hold_safe(dst))
		return;
	UET_INC(un, DEMUX_LEARNT);
	WRITE_ONCE(peer->rx_learnt, jiffies);
	WRITE_ONCE(peer->rx_iif, 0);
	old = unrcu_pointer(xchg(&peer->rx_dst, RCU_INITIALIZER(dst)));
	WRITE_ONCE(peer->rx_cookie, uet_peer_is_v4(peer) ? 0 :
		   rt6_get_cookie((struct rt6_info *)dst));
	WRITE_ONCE(peer->rx_iif, skb->skb_iif);
	dst_release(old);

	spin_lock(&un->fep_lock);
	/* uet_peer_put() drops the last reference under this lock. */
	if (refcount_read(&peer->ref))
		rcu_assign_pointer(*uet_demux_slot(un, &peer->key.raddr), peer);
	spin_unlock(&un->fep_lock);
}

