// SPDX-License-Identifier: GPL-2.0
/*
 * The interfaces towards a peer as an operator wants to see them: also if there is
 * only one. Nothing is started by looking: no neighbour is made or resolved.
 */
#include <linux/netdevice.h>
#include <net/arp.h>
#include <net/ip6_fib.h>
#include <net/ip6_route.h>
#include <net/ndisc.h>
#include <net/neighbour.h>
#include <net/route.h>

#include "link/encap.h"
#include "link/peer.h"
#include "link/ports.h"
#include "link/speed.h"

/**
 * uet_port_info_nr() - number of interfaces towards a peer
 * @peer: the peer
 *
 * Context: RCU read side.
 * Return: at least 1.
 */
u32 uet_port_info_nr(const struct uet_peer *peer)
{
	const struct uet_ports *ports = rcu_dereference(peer->ports);

	return ports ? ports->nr : 1;
}

static struct dst_entry *uet_port_info_dst(struct uet_peer *peer, u32 port)
{
	struct uet_ports *ports = rcu_dereference(peer->ports);
	struct dst_entry *dst;

	if (ports)
		return port < ports->nr ?
		       uet_port_dst(peer, &ports->port[port]) : NULL;
	if (port)
		return NULL;
	dst = uet_peer_dst(peer);
	return IS_ERR(dst) ? NULL : dst;
}

/* The gateway of a route as a fabric address, or the peer if it has none */
static void uet_port_via(const struct uet_peer *peer, struct dst_entry *dst,
			 struct in6_addr *via)
{
	const struct rtable *rt;

	*via = peer->key.raddr;
	if (!uet_peer_is_v4(peer)) {
		*via = *rt6_nexthop(container_of(dst, struct rt6_info, dst),
				    &peer->key.raddr);
		return;
	}
	rt = container_of(dst, struct rtable, dst);
	if (rt->rt_gw_family == AF_INET6)
		*via = rt->rt_gw6;
	else if (rt->rt_gw_family == AF_INET)
		ipv6_addr_set_v4mapped(rt->rt_gw4, via);
}

static u8 uet_port_nud(const struct in6_addr *via, struct net_device *dev)
{
	bool v4 = ipv6_addr_v4mapped(via);
	struct neighbour *n;
	u8 state = NUD_NONE;

	/* The table is set up with IPv6 only. */
	if (!v4 && !ipv6_mod_enabled())
		return state;
	n = neigh_lookup(v4 ? &arp_tbl : &nd_tbl,
			 v4 ? (const void *)&via->s6_addr32[3] : via, dev);
	if (n) {
		state = READ_ONCE(n->nud_state);
		neigh_release(n);
	}
	return state;
}

/**
 * uet_port_info() - state of an interface towards a peer
 * @peer: the peer
 * @port: number of the interface, below uet_port_info_nr()
 * @info: filled
 *
 * Context: BH disabled, RCU read side.
 * Return: false if there is no such interface, or no route over it.
 */
bool uet_port_info(struct uet_peer *peer, u32 port, struct uet_port_info *info)
{
	struct dst_entry *dst = uet_port_info_dst(peer, port);
	struct net_device *dev;

	if (!dst)
		return false;
	dev = dst->dev;
	*info = (struct uet_port_info){
		.ifindex	= dev->ifindex,
		.up		= netif_running(dev) && netif_carrier_ok(dev),
		.mbps		= uet_speed_mbps(peer->fep->un, dev->ifindex),
		.mtu		= dst_mtu(dst),
	};
	if (info->up)
		info->backlog = uet_dev_backlog(dev);
	uet_port_via(peer, dst, &info->via);
	info->nud_state = uet_port_nud(&info->via, dev);
	dst_release(dst);
	return true;
}
