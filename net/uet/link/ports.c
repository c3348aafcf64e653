// SPDX-License-Identifier: GPL-2.0
/*
 * Several local ports (interfaces) towards a peer (UE 1.0 3.6.12): discovery, the
 * route over each, their state.
 *
 * Discovery looks up a route over each interface, in process context, when a CCC
 * is made and after each change of the routes. Sending never waits for it. Carrier
 * and backlog of a port are polled for each batch of packets: no notifier needed.
 *
 * Not here: which port a packet takes (core/lb/lb_ports.c).
 */
#include <linux/netdevice.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <net/addrconf.h>
#include <net/ip6_fib.h>
#include <net/ip6_route.h>
#include <net/ip_fib.h>
#include <net/l3mdev.h>
#include <net/neighbour.h>
#include <net/route.h>

#include "compat.h"
#include "core/cc/params.h"
#include "link/encap.h"
#include "link/neigh.h"
#include "link/peer.h"
#include "link/ports.h"
#include "link/speed.h"

/* Interfaces that discovery looks at, the first ones if there are more */
#define UET_PORTS_SCAN		64
/* Time until a next hop that was known is checked again */
#define UET_PORT_NEIGH		(HZ / 10)

/**
 * struct uet_found - properties of a route that discovery compares
 * @table: routing table it is in
 * @metric: its metric
 * @plen: length of its prefix
 */
struct uet_found {
	const void	*table;
	u32		metric;
	u32		plen;
};

static struct flowi4 uet_port_flow4(const struct uet_peer *peer, int oif)
{
	return uet_route_flow4(peer->fep->un, &peer->key,
			       uet_form_of_peer(peer), oif);
}

static struct flowi6 uet_port_flow6(const struct uet_peer *peer, int oif)
{
	return uet_route_flow6(peer->fep->un, &peer->key,
			       uet_form_of_peer(peer), oif);
}

static bool uet_find4(const struct uet_peer *peer, int oif,
		      struct uet_found *found)
{
	struct flowi4 fl4 = uet_port_flow4(peer, oif);
	struct fib_result res = {};

	if (fib_lookup(peer->fep->un->net, &fl4, &res, 0) ||
	    res.type != RTN_UNICAST)
		return false;
	*found = (struct uet_found) {
		.table = res.table, .metric = res.fi->fib_priority,
		.plen = res.prefixlen,
	};
	return true;
}

static bool uet_find6(const struct uet_peer *peer, int oif,
		      struct uet_found *found)
{
	struct flowi6 fl6 = uet_port_flow6(peer, oif);
	struct net *net = peer->fep->un->net;
	struct fib6_result res = {};

	if (uet_fib6_lookup(net, oif, &fl6, &res,
			    oif ? RT6_LOOKUP_F_IFACE : 0) ||
	    !res.f6i || res.fib6_type != RTN_UNICAST ||
	    res.fib6_flags & RTF_REJECT)
		return false;
	*found = (struct uet_found) {
		.table = res.f6i->fib6_table, .metric = res.f6i->fib6_metric,
		.plen = res.f6i->fib6_dst.plen,
	};
	return true;
}

/* Find the route over one interface, or the best one if @oif is 0; RCU. */
static bool uet_find(const struct uet_peer *peer, int oif,
		     struct uet_found *found)
{
	return uet_peer_is_v4(peer) ? uet_find4(peer, oif, found) :
				      uet_find6(peer, oif, found);
}

/* May an interface be a port? It is up, in the peer's VRF, and not loopback. */
static bool uet_port_candidate(const struct uet_peer *peer,
			       const struct net_device *dev)
{
	return netif_running(dev) && !(dev->flags & IFF_LOOPBACK) &&
	       !netif_is_l3_master(dev) &&
	       l3mdev_master_ifindex_rcu(dev) == peer->key.scope;
}

/*
 * Find interfaces whose route to the peer is as good as the best one. Routes with
 * a larger metric or a shorter prefix are backups, and not used.
 */
static u32 uet_ports_find(const struct uet_peer *peer, int *ifindex)
{
	struct uet_found best, found;
	struct net_device *dev;
	u32 nr = 0, scan = 0;

	rcu_read_lock();
	if (!uet_find(peer, peer->key.scope, &best))
		goto out;
	for_each_netdev_rcu(peer->fep->un->net, dev) {
		if (nr == UET_LB_PORTS_MAX || scan++ == UET_PORTS_SCAN)
			break;
		if (!uet_port_candidate(peer, dev) ||
		    !uet_find(peer, dev->ifindex, &found) ||
		    found.table != best.table || found.plen != best.plen ||
		    found.metric != best.metric)
			continue;
		ifindex[nr++] = dev->ifindex;
	}
out:
	rcu_read_unlock();
	return nr;
}

/* A peer tied to one interface, by link-local address or binding, has one port. */
static bool uet_ports_possible(const struct uet_peer *peer)
{
	struct net_device *dev;
	bool ok = true;

	if (peer->key.scope) {
		rcu_read_lock();
		dev = dev_get_by_index_rcu(peer->fep->un->net, peer->key.scope);
		ok = dev && netif_is_l3_master(dev);
		rcu_read_unlock();
	}
	return ok;
}

static void uet_ports_free_rcu(struct rcu_head *head)
{
	struct uet_ports *ports = container_of(head, struct uet_ports, rcu);
	u32 i;

	for (i = 0; i < ports->nr; i++)
		dst_cache_destroy(&ports->port[i].dst);
	kfree(ports);
}

static struct uet_ports *uet_ports_make(const struct uet_peer *peer,
					const int *ifindex, u32 nr)
{
	struct uet_ports *ports;
	u32 i;

	ports = kzalloc(struct_size(ports, port, nr), GFP_KERNEL_ACCOUNT);
	if (!ports)
		return NULL;
	for (i = 0; i < nr; i++, ports->nr++) {
		if (dst_cache_init(&ports->port[i].dst, GFP_KERNEL_ACCOUNT)) {
			uet_ports_free_rcu(&ports->rcu);
			return NULL;
		}
		ports->port[i].ifindex = ifindex[i];
		ports->port[i].mbps = uet_speed_mbps(peer->fep->un, ifindex[i]);
		ports->port[i].neigh_at = jiffies - HZ;
	}
	return ports;
}

static bool uet_ports_same(const struct uet_ports *ports, const int *ifindex,
			   u32 nr)
{
	u32 i;

	if (!ports || nr < 2)
		return !ports && nr < 2;
	if (ports->nr != nr)
		return false;
	for (i = 0; i < nr; i++)
		if (ports->port[i].ifindex != ifindex[i])
			return false;
	return true;
}

static int uet_ports_cmp(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/**
 * uet_ports_genid() - state of the routing tables of a peer's family
 * @peer: the peer
 *
 * Context: any.
 * Return: a number that changes with each change of a route.
 */
int uet_ports_genid(const struct uet_peer *peer)
{
	const struct net *net = peer->fep->un->net;

	return uet_peer_is_v4(peer) ? rt_genid_ipv4(net) : rt_genid_ipv6(net);
}

/**
 * uet_ports_update() - find the ports towards a peer
 * @peer: the peer
 *
 * Does nothing if the routes have not changed since the last time.
 *
 * Context: process, uet_net.open_mutex held.
 * Return: true if the ports, and uet_peer.ports_gen, have changed.
 */
bool uet_ports_update(struct uet_peer *peer)
{
	struct uet_ports *old = rcu_dereference_protected(peer->ports,
			lockdep_is_held(&peer->fep->un->open_mutex));
	int ifindex[UET_LB_PORTS_MAX], genid = uet_ports_genid(peer);
	struct uet_ports *ports = NULL;
	bool changed = false;
	u32 nr;

	lockdep_assert_held(&peer->fep->un->open_mutex);
	if (peer->ports_known && genid == peer->ports_genid)
		return false;
	nr = uet_ports_possible(peer) ? uet_ports_find(peer, ifindex) : 0;
	sort(ifindex, nr, sizeof(*ifindex), uet_ports_cmp, NULL);
	if (!uet_ports_same(old, ifindex, nr)) {
		if (nr > 1) {
			ports = uet_ports_make(peer, ifindex, nr);
			if (!ports)
				return false;	/* try again later */
		}
		rcu_assign_pointer(peer->ports, ports);
		if (old)
			call_rcu(&old->rcu, uet_ports_free_rcu);
		peer->ports_gen++;
		changed = true;
	}
	WRITE_ONCE(peer->ports_genid, genid);
	WRITE_ONCE(peer->ports_known, true);
	return changed;
}

/**
 * uet_ports_stale() - queue discovery for a peer if routes have changed
 * @peer: the peer, whose route was looked up again
 *
 * Only for peers with a PDC: packets of strangers cause no work.
 *
 * Context: any, RCU read side or with a reference.
 */
void uet_ports_stale(struct uet_peer *peer)
{
	struct uet_net *un = peer->fep->un;

	if (!READ_ONCE(peer->nr_pdcs) ||
	    (READ_ONCE(peer->ports_known) &&
	     READ_ONCE(peer->ports_genid) == uet_ports_genid(peer)) ||
	    READ_ONCE(un->exiting) || test_and_set_bit(0, &peer->ports_queued))
		return;
	/* An answer may be sent after the last PDC is gone. */
	if (!refcount_inc_not_zero(&peer->ref))
		return;
	llist_add(&peer->ports_node, &un->ports_todo);
	schedule_work(&un->ports_work);
}

/**
 * uet_ports_exit() - wait for the work, which may hold peers
 * @un: namespace, exiting, without flows and PDCs
 *
 * Context: process.
 */
void uet_ports_exit(struct uet_net *un)
{
	flush_work(&un->ports_work);
}

/**
 * uet_ports_free() - free the ports of a peer
 * @peer: the peer, unreachable
 *
 * Context: any.
 */
void uet_ports_free(struct uet_peer *peer)
{
	struct uet_ports *ports = rcu_dereference_protected(peer->ports, true);

	if (ports)
		uet_ports_free_rcu(&ports->rcu);
}

/*
 * A route over one interface. Without a route over it IPv4 takes any destination
 * for on-link, so check first that there is one. IPv6 may return another next hop
 * of a group, unless RT6_LOOKUP_F_IFACE is set.
 */
static struct dst_entry *uet_port_route4(const struct uet_peer *peer, int oif)
{
	struct flowi4 fl4 = uet_port_flow4(peer, oif);
	struct rtable *rt = ip_route_output_key(peer->fep->un->net, &fl4);

	return IS_ERR(rt) ? ERR_CAST(rt) : &rt->dst;
}

static struct dst_entry *uet_port_route6(const struct uet_peer *peer, int oif)
{
	struct flowi6 fl6 = uet_port_flow6(peer, oif);
	struct net *net = peer->fep->un->net;
	struct dst_entry *dst;

	dst = ip6_route_output_flags(net, NULL, &fl6, RT6_LOOKUP_F_IFACE);
	if (dst->error) {
		dst_release(dst);
		return ERR_PTR(-ENETUNREACH);
	}
	return xfrm_lookup_route(net, dst, flowi6_to_flowi(&fl6), NULL, 0);
}

static struct dst_entry *uet_port_route(const struct uet_peer *peer, int oif)
{
	struct uet_found found;

	if (!uet_find(peer, oif, &found))
		return ERR_PTR(-ENETUNREACH);
	return uet_peer_is_v4(peer) ? uet_port_route4(peer, oif) :
				      uet_port_route6(peer, oif);
}

/**
 * uet_port_dst() - route over a port
 * @peer: the peer
 * @port: one of its ports
 *
 * Context: BH disabled.
 * Return: the route with a reference, or NULL.
 */
struct dst_entry *uet_port_dst(const struct uet_peer *peer,
			       struct uet_port *port)
{
	struct dst_entry *dst = dst_cache_get(&port->dst);

	if (dst)
		return dst;
	dst = uet_port_route(peer, port->ifindex);
	if (IS_ERR(dst))
		return NULL;
	if (uet_peer_is_v4(peer))
		dst_cache_set_ip4(&port->dst, dst, 0);
	else
		dst_cache_set_ip6(&port->dst, dst, &peer->key.laddr);
	return dst;
}

static bool uet_port_works(const struct net_device *dev)
{
	return netif_running(dev) && netif_carrier_ok(dev);
}

/* The next hop of a port if it is unresolved, with a reference; starts resolution */
static struct neighbour *uet_port_neigh(const struct uet_peer *peer,
					struct uet_port *port,
					const struct dst_entry *dst)
{
	struct neighbour *n;

	if (likely(time_before(jiffies,
			       READ_ONCE(port->neigh_at) + UET_PORT_NEIGH)))
		return NULL;
	n = uet_neigh_of(peer, dst);
	if (n)
		neigh_event_send(n, NULL);
	else
		WRITE_ONCE(port->neigh_at, jiffies);
	return n;
}

/**
 * uet_ports_neigh() - get a next hop to wait for
 * @peer: a peer with several ports
 *
 * Context: BH disabled, no lock held that the receive path takes.
 * Return: a next hop being resolved, with a reference; NULL if the next hop of
 * some port is known, or no port works.
 */
struct neighbour *uet_ports_neigh(struct uet_peer *peer)
{
	struct neighbour *n, *first = NULL;
	struct uet_ports *ports;
	struct dst_entry *dst;
	bool known = false;
	u32 i;

	rcu_read_lock();
	ports = rcu_dereference(peer->ports);
	for (i = 0; ports && i < ports->nr; i++) {
		dst = uet_port_dst(peer, &ports->port[i]);
		if (!dst)
			continue;
		if (uet_port_works(dst->dev)) {
			n = uet_port_neigh(peer, &ports->port[i], dst);
			known |= !n;
			if (!first)
				first = n;
			else if (n)
				neigh_release(n);
		}
		dst_release(dst);
	}
	rcu_read_unlock();
	if (known && first) {
		neigh_release(first);
		first = NULL;
	}
	return first;
}

/* The route of the first port from @at on that works and whose next hop is known,
 * else of the first that works; RCU
 */
static struct dst_entry *uet_ports_choose(const struct uet_peer *peer,
					  struct uet_ports *ports, u32 at)
{
	struct dst_entry *dst, *spare = NULL;
	struct neighbour *n;
	u32 i;

	for (i = 0; i < ports->nr; i++) {
		struct uet_port *port = &ports->port[at];

		at = at + 1 < ports->nr ? at + 1 : 0;
		dst = uet_port_dst(peer, port);
		if (!dst)
			continue;
		if (likely(uet_port_works(dst->dev))) {
			n = uet_port_neigh(peer, port, dst);
			if (likely(!n)) {
				dst_release(spare);
				return dst;
			}
			neigh_release(n);
			if (!spare) {
				spare = dst;
				continue;
			}
		}
		dst_release(dst);
	}
	return spare;
}

/**
 * uet_ports_dst() - route of a packet to a peer with several ports
 * @peer: the peer
 * @ev: entropy value of the packet, which names its port
 *
 * If that port has no route, carrier or resolved next hop, uses the next one that
 * has.
 *
 * Context: BH disabled.
 * Return: a route with a reference; NULL if no port has one.
 */
struct dst_entry *uet_ports_dst(struct uet_peer *peer, u16 ev)
{
	struct dst_entry *dst = NULL;
	struct uet_ports *ports;

	rcu_read_lock();
	ports = rcu_dereference(peer->ports);
	if (likely(ports))
		dst = uet_ports_choose(peer, ports,
				       uet_lb_zone(ev) % ports->nr);
	rcu_read_unlock();
	return dst;
}

/**
 * uet_ports_mtu() - the smallest IP MTU of the ports towards a peer
 * @peer: the peer
 *
 * Context: BH disabled.
 * Return: the MTU, 0 if there is only one port or none has a route.
 */
u32 uet_ports_mtu(struct uet_peer *peer)
{
	struct uet_ports *ports;
	struct dst_entry *dst;
	u32 i, least = 0, mtu;

	if (likely(!rcu_access_pointer(peer->ports)))
		return 0;
	uet_ports_stale(peer);
	rcu_read_lock();
	ports = rcu_dereference(peer->ports);
	for (i = 0; ports && i < ports->nr; i++) {
		dst = uet_port_dst(peer, &ports->port[i]);
		if (!dst)
			continue;
		mtu = dst_mtu(dst);
		least = least ? min(least, mtu) : mtu;
		dst_release(dst);
	}
	rcu_read_unlock();
	return least;
}

/**
 * uet_ports_speeds() - speeds of the ports towards a peer
 * @peer: the peer
 * @mbps: %UET_LB_PORTS_MAX of them, none zero
 *
 * Context: any.
 * Return: number of ports; 0 if there is only one, and then @mbps is not set.
 */
u32 uet_ports_speeds(struct uet_peer *peer, u32 *mbps)
{
	u32 set = READ_ONCE(peer->fep->un->sysctl.link_mbps), i, nr = 0;
	const struct uet_ports *ports;

	rcu_read_lock();
	ports = rcu_dereference(peer->ports);
	if (ports)
		nr = ports->nr;
	for (i = 0; i < nr; i++)
		mbps[i] = set ?: ports->port[i].mbps ?: UET_RATE_DEFAULT_MBPS;
	rcu_read_unlock();
	return nr;
}

/**
 * uet_ports_ifindex() - interface of a port
 * @peer: the peer
 * @port: number of the port
 *
 * Context: any.
 * Return: the index, 0 if there is no such port.
 */
int uet_ports_ifindex(struct uet_peer *peer, u32 port)
{
	const struct uet_ports *ports;
	int ifindex = 0;

	rcu_read_lock();
	ports = rcu_dereference(peer->ports);
	if (ports && port < ports->nr)
		ifindex = ports->port[port].ifindex;
	rcu_read_unlock();
	return ifindex;
}

/**
 * uet_peer_mbps() - speed of the local interface towards a peer
 * @peer: the peer
 *
 * Context: process or BH.
 * Return: the setting, else the speed of the device as cached in the peer, else 0;
 * with several ports, the sum.
 */
u32 uet_peer_mbps(struct uet_peer *peer)
{
	u32 mbps = READ_ONCE(peer->fep->un->sysctl.link_mbps);
	u32 speeds[UET_LB_PORTS_MAX], i, nr, sum = 0;

	if (unlikely(rcu_access_pointer(peer->ports))) {
		nr = uet_ports_speeds(peer, speeds);
		for (i = 0; i < nr; i++)
			sum += speeds[i];
		if (sum)
			return sum;
	}
	return mbps ?: READ_ONCE(peer->link_mbps);
}

/**
 * uet_ports_state() - state of a port
 * @peer: the peer
 * @port: number of the port
 * @state: filled in
 *
 * Context: BH disabled, RCU read side.
 * Return: false if there is no such port.
 */
bool uet_ports_state(const struct uet_peer *peer, u32 port,
		     struct uet_port_state *state)
{
	const struct uet_ports *ports = rcu_dereference(peer->ports);
	struct net_device *dev;

	if (!ports || port >= ports->nr)
		return false;
	state->ifindex = ports->port[port].ifindex;
	dev = dev_get_by_index_rcu(peer->fep->un->net, state->ifindex);
	state->up = dev && uet_port_works(dev);
	state->backlog = state->up ? uet_dev_backlog(dev) : 0;
	return true;
}
