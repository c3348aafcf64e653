/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Several local ports towards one peer (UE 1.0 3.6.12, GetSendParams).
 *
 * One FEP address may be reachable, and reach the peer, over more than one
 * interface: next hops of a multipath route, or routes of one prefix and metric.
 * Each such interface is a port. The entropy value of a packet names its port
 * (core/lb/lb_ports.h), so the scoreboard and the peer's answers need the entropy
 * value only.
 *
 * A peer with one port has no struct uet_ports: its packets cost a test for NULL.
 */
#ifndef _UET_PORTS_H
#define _UET_PORTS_H

#include <linux/rcupdate.h>
#include <net/dst_cache.h>

#include "base.h"
#include "core/lb/lb_ports.h"

struct neighbour;
struct uet_peer;

/**
 * struct uet_port - an interface towards a peer
 * @ifindex: the interface
 * @mbps: speed of its link, 0 = not known
 * @neigh_at: when its next hop was last known, jiffies
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
 * struct uet_port_state - state of a port
 * @ifindex: the interface
 * @up: it is running and has a carrier
 * @backlog: bytes that wait there to be sent
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

struct dst_entry *uet_port_dst(const struct uet_peer *peer,
			       struct uet_port *port);

/* port_info.c */

/**
 * struct uet_port_info - an interface towards a peer as shown to an operator
 * @ifindex: the interface
 * @up: it is running and has a carrier
 * @mbps: speed of its link, 0 = not known
 * @backlog: bytes that wait there to be sent
 * @via: next hop
 * @nud_state: NUD_* of that neighbour, NUD_NONE if there is none
 * @mtu: IP MTU of the route
 */
struct uet_port_info {
	int		ifindex;
	bool		up;
	u32		mbps;
	u64		backlog;
	struct in6_addr	via;
	u8		nud_state;
	u32		mtu;
};

u32 uet_port_info_nr(const struct uet_peer *peer);
bool uet_port_info(struct uet_peer *peer, u32 port, struct uet_port_info *info);

/* backlog.c */
u64 uet_dev_backlog(struct net_device *dev);

#endif /* _UET_PORTS_H */
