// SPDX-License-Identifier: GPL-2.0
/*
 * Netlink object "port": local interfaces towards peers. Peers that differ only in
 * the user, mark or traffic class of their routes are told one by one.
 */
#include <linux/rcupdate.h>
#include <net/genetlink.h>

#include "base.h"
#include "ctl/genl/genl.h"
#include "link/peer.h"
#include "link/ports.h"

/**
 * struct uet_genl_port - a port to tell
 * @peer: the peer
 * @info: the port
 */
struct uet_genl_port {
	const struct uet_peer	*peer;
	struct uet_port_info	info;
};

static int uet_genl_port_fill(struct sk_buff *skb, const void *what)
{
	const struct uet_genl_port *p = what;
	const struct uet_peer_key *key = &p->peer->key;
	const struct uet_port_info *i = &p->info;

	return nla_put_in6_addr(skb, UET_A_PORT_LOCAL, &key->laddr) ||
	       nla_put_in6_addr(skb, UET_A_PORT_REMOTE, &key->raddr) ||
	       nla_put_u32(skb, UET_A_PORT_IFINDEX, i->ifindex) ||
	       (i->up && nla_put_flag(skb, UET_A_PORT_UP)) ||
	       (i->mbps && nla_put_u32(skb, UET_A_PORT_MBPS, i->mbps)) ||
	       uet_genl_u64(skb, UET_A_PORT_BACKLOG, i->backlog) ||
	       nla_put_in6_addr(skb, UET_A_PORT_VIA, &i->via) ||
	       nla_put_u32(skb, UET_A_PORT_VIA_STATE, i->nud_state) ||
	       nla_put_u32(skb, UET_A_PORT_MTU, i->mtu);
}

/* Tell the port of a peer that the cursor names. */
static int uet_genl_port_put(struct uet_genl_walk *w, struct uet_peer *peer)
{
	const struct uet_genl_filter *f = &w->filter;
	struct uet_genl_port p = { .peer = peer };
	bool there;

	local_bh_disable();
	there = uet_port_info(peer, w->cursor[1], &p.info);
	local_bh_enable();
	if (!there || !uet_genl_fits(f, UET_WANTS(IFINDEX), f->ifindex,
				     p.info.ifindex))
		return 0;
	return uet_genl_put(w, uet_genl_port_fill, &p);
}

static int uet_genl_port_peer(struct uet_genl_walk *w, struct uet_peer *peer)
{
	const struct uet_genl_filter *f = &w->filter;
	int err = 0;

	if (!uet_genl_mine(w, peer->id) ||
	    !uet_genl_remote_fits(f, &peer->key.raddr) ||
	    !uet_genl_local_fits(f, &peer->key.laddr))
		return 0;
	while (!err && w->cursor[1] < uet_port_info_nr(peer)) {
		err = uet_genl_port_put(w, peer);
		if (!err)
			w->cursor[1]++;
	}
	return err;
}

/* Cursor: 0 is the id of the peer, 1 the number of the port */
static int uet_genl_port_walk(struct uet_genl_walk *w)
{
	unsigned long id = w->cursor[0];
	struct uet_peer *peer;
	int err;

	rcu_read_lock();
	while ((peer = uet_peer_from(w->un, &id))) {
		if (id != w->cursor[0])
			w->cursor[1] = 0;
		w->cursor[0] = id;
		err = uet_genl_port_peer(w, peer);
		if (err) {
			rcu_read_unlock();
			return err;
		}
		w->cursor[0] = ++id;
		w->cursor[1] = 0;
		uet_genl_breathe(w);
	}
	rcu_read_unlock();
	return 0;
}

static const struct uet_genl_object uet_genl_ports = {
	.cmd		= UET_CMD_PORT_GET,
	.filter		= UET_A_PORT_FILTER,
	.filters	= UET_WANTS(REMOTE) | UET_WANTS(REMOTE_PLEN) |
			  UET_WANTS(LOCAL) | UET_WANTS(IFINDEX),
	.whose		= UET_GENL_PEERS,
	.walk		= uet_genl_port_walk,
};

int uet_nl_port_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	return uet_genl_get(skb, info, &uet_genl_ports);
}

int uet_nl_port_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return uet_genl_dump(skb, cb, &uet_genl_ports);
}
