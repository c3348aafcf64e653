/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Several local ports towards one peer (UE 1.0 3.6.12, GetSendParams).
 *
 * The FEP's one address is reached, and reaches the peer, over more than one
 * interface: next hops of a multipath route, or routes of one prefix and
 * metric. Each such interface is a port. Which port a packet leaves by stands
 * in its entropy value (core/lb_ports.h), so everything from the scoreboard to
 * the answer of the peer speaks of (port, value) by the value alone.
 *
 * A peer with one port has no struct uet_ports, and its packets see of all
 * this one pointer that is NULL.
 */
#ifndef _UET_PORTS_H
#define _UET_PORTS_H

#include <linux/rcupdate.h>
#include <net/dst_cache.h>

#include "base.h"
#include "core/lb_ports.h"

struct neighbour;
struct uet_peer;

/**
 * struct uet_port - an interface towards a peer
 * @ifindex: the interface
 * @mbps: speed of its link, 0 = not known
 * @neigh_at: when its next hop was known last, jiffies
 * @dst: route over it
 */
struct uet_port {
	int			ifindex;
	u32			mbps;
	unsigned long		neigh_at;
	struct dst_cache	dst;
};

/**
 * struct uet_ports - interfaces towards a peer, never changed once published
 * @rcu: for freeing
 * @nr: their number, at least 2
 * @port: in order of ifindex
 */
struct uet_ports {
	struct rcu_head	rcu;
	u32		nr;
	struct uet_port	port[];
};

/**
 * struct uet_port_state - what a port is doing
 * @ifindex: the interface
 * @up: it works
 * @backlog: bytes that wait there
 */
struct uet_port_state {
	int	ifindex;
	bool	up;
	u64	backlog;
};

void uet_ports_exit(struct uet_net *un);

bool uet_ports_update(struct uet_peer *peer);
void uet_ports_stale(struct uet_peer *peer);
void uet_ports_free(struct uet_peer *peer);

struct neighbour *uet_ports_neigh(struct uet_peer *peer);
int uet_ports_genid(const struct uet_peer *peer);
struct dst_entry *uet_ports_dst(struct uet_peer *peer, u16 ev);
u32 uet_ports_mtu(struct uet_peer *peer);
u32 uet_ports_speeds(struct uet_peer *peer, u32 *mbps);
u32 uet_peer_mbps(struct uet_peer *peer);
int uet_ports_ifindex(struct uet_peer *peer, u32 port);
bool uet_ports_state(const struct uet_peer *peer, u32 port,
		     struct uet_port_state *state);

/* backlog.c */
u64 uet_dev_backlog(struct net_device *dev);

#endif /* _UET_PORTS_H */
