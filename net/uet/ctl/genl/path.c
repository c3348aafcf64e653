// SPDX-License-Identifier: GPL-2.0
/*
 * Netlink object "path": entropy values of congestion control contexts. Unlike
 * /proc/net/uet_path it has those of which nothing is known, too.
 */
#include <linux/jiffies.h>
#include <linux/rcupdate.h>
#include <net/genetlink.h>

#include "base.h"
#include "core/lb/lb.h"
#include "ctl/genl/genl.h"
#include "link/peer.h"
#include "tx/cms/flow.h"
#include "tx/cms/path.h"

/**
 * struct uet_genl_path - a path to tell
 * @flow: its flow
 * @state: enum uet_nl_path_state
 * @info: the path
 */
struct uet_genl_path {
	const struct uet_flow	*flow;
	u32			state;
	struct uet_path_info	info;
};

static u32 uet_genl_path_state(const struct uet_path_info *info)
{
	const struct uet_lb_path *p = &info->path;

	if (info->gone)
		return UET_PATH_STATE_GONE;
	if (p->down)
		return UET_PATH_STATE_DOWN;
	if (p->bad)
		return UET_PATH_STATE_BAD;
	return p->current_ev ? UET_PATH_STATE_CURRENT : UET_PATH_STATE_GOOD;
}

static int uet_genl_path_live(struct sk_buff *skb,
			      const struct uet_lb_live *live)
{
	return nla_put_u32(skb, UET_A_PATH_SENT, live->sent) ||
	       nla_put_u32(skb, UET_A_PATH_CLEAR, live->acked) ||
	       nla_put_u32(skb, UET_A_PATH_MARKED, live->marked) ||
	       nla_put_u32(skb, UET_A_PATH_TRIMMED, live->trimmed) ||
	       nla_put_u32(skb, UET_A_PATH_LOST, live->lost) ||
	       uet_genl_u64(skb, UET_A_PATH_RTT, live->rtt);
}

static int uet_genl_path_fill(struct sk_buff *skb, const void *what)
{
	const struct uet_genl_path *p = what;
	const struct uet_peer_key *key = &p->flow->peer->key;
	const struct uet_lb_path *path = &p->info.path;
	u64 ms = p->info.gone ? jiffies_to_msecs(jiffies - p->info.at) : 0;

	return uet_genl_u64(skb, UET_A_PATH_CCC, p->flow->id) ||
	       nla_put_in6_addr(skb, UET_A_PATH_LOCAL, &key->laddr) ||
	       nla_put_in6_addr(skb, UET_A_PATH_REMOTE, &key->raddr) ||
	       nla_put_u32(skb, UET_A_PATH_EV, path->ev) ||
	       (p->info.ifindex &&
		nla_put_u32(skb, UET_A_PATH_IFINDEX, p->info.ifindex)) ||
	       nla_put_u32(skb, UET_A_PATH_STATE, p->state) ||
	       nla_put_u32(skb, UET_A_PATH_SKIP, path->skip) ||
	       uet_genl_path_live(skb, &path->live) ||
	       (p->info.gone &&
		uet_genl_u64(skb, UET_A_PATH_GONE_NS, ms * NSEC_PER_MSEC));
}

static int uet_genl_path_put(struct uet_genl_walk *w, struct uet_genl_path *p)
{
	const struct uet_genl_filter *f = &w->filter;

	p->state = uet_genl_path_state(&p->info);
	if (!uet_genl_fits(f, UET_WANTS(PATH_STATE), f->path_state, p->state) ||
	    !uet_genl_fits(f, UET_WANTS(IFINDEX), f->ifindex, p->info.ifindex))
		return 0;
	return uet_genl_put(w, uet_genl_path_fill, p);
}

/* A flow has further paths: it may have thousands, of which none is wanted. */
#define UET_GENL_MORE		1

/* Does a flow have no path of the wanted state? */
static bool uet_genl_path_none(const struct uet_genl_filter *f,
			       const struct uet_flow *flow)
{
	return f->has & UET_WANTS(PATH_STATE) &&
	       f->path_state != UET_PATH_STATE_GOOD && uet_path_dull(flow) &&
	       !flow->lost;
}

/* Paths of a flow from the cursor on; 0 after the last of them, or %UET_GENL_MORE */
static int uet_genl_path_flow(struct uet_genl_walk *w, struct uet_flow *flow)
{
	struct uet_genl_path p = { .flow = flow };
	u32 index = w->cursor[1];
	u32 left = UET_GENL_STEPS;
	int err = 0;

	for (; !err; left--) {
		if (!left)
			return UET_GENL_MORE;
		spin_lock_bh(&flow->lock);
		err = uet_genl_path_none(&w->filter, flow) ? -ENOENT :
		      uet_path_get(flow, &index, &p.info);
		spin_unlock_bh(&flow->lock);
		if (err)
			return 0;
		err = uet_genl_path_put(w, &p);
		w->cursor[1] = err ? index : ++index;
	}
	return err;
}

/* Cursor: 0 is the id of the CCC, 1 the index for uet_path_get() */
static int uet_genl_path_walk(struct uet_genl_walk *w)
{
	unsigned long id = uet_genl_flow_first(w);
	struct uet_flow *flow;
	int err = 0;

	rcu_read_lock();
	while ((flow = uet_flow_from(w->un, &id))) {
		if (id != w->cursor[0])
			w->cursor[1] = 0;
		w->cursor[0] = id;
		if (uet_genl_mine(w, flow->id) &&
		    uet_genl_flow_fits(&w->filter, flow))
			err = uet_genl_path_flow(w, flow);
		if (err == UET_GENL_MORE) {
			err = 0;
			uet_genl_rest();
			continue;
		}
		if (err)
			break;
		w->cursor[0] = ++id;
		w->cursor[1] = 0;
		if (uet_genl_flow_last(w))
			break;
		uet_genl_breathe(w);
	}
	rcu_read_unlock();
	return err;
}

static const struct uet_genl_object uet_genl_paths = {
	.cmd		= UET_CMD_PATH_GET,
	.filter		= UET_A_PATH_FILTER,
	.filters	= UET_WANTS(REMOTE) | UET_WANTS(REMOTE_PLEN) |
			  UET_WANTS(LOCAL) | UET_WANTS(CCC) |
			  UET_WANTS(PATH_STATE) | UET_WANTS(IFINDEX),
	.whose		= UET_GENL_FLOWS,
	.walk		= uet_genl_path_walk,
};

int uet_nl_path_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	return uet_genl_get(skb, info, &uet_genl_paths);
}

int uet_nl_path_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return uet_genl_dump(skb, cb, &uet_genl_paths);
}
