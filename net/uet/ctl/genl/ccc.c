// SPDX-License-Identifier: GPL-2.0
/*
 * Netlink object "ccc": congestion control contexts. Most of it is what UET_INFO
 * tells of the context of a socket.
 */
#include <linux/ktime.h>
#include <linux/rcupdate.h>
#include <linux/uet.h>
#include <net/genetlink.h>

#include "base.h"
#include "ctl/genl/genl.h"
#include "link/peer.h"
#include "pdc/pdc.h"
#include "tx/cms/flow.h"
#include "tx/pds/half.h"
#include "tx/pds/hole.h"
#include "tx/queue/wait.h"

/**
 * struct uet_genl_ccc - a CCC to tell
 * @flow: the flow
 * @info: what UET_INFO tells
 * @acks: acknowledgments
 * @losses_local: packets that the interface dropped
 * @hole: large packets are lost: the shortest of them, 0 = they are not
 * @hole_ns: since when, or how long ago; 0 = never
 * @port_down_ns: time since a port went out of use, 0 = none did
 * @port_shut_ns: time for which the interface has dropped all packets, 0 = it
 *	does not
 * @guessed: the base RTT is a guess
 * @form: UET_FORM_* of packets
 * @wait: what its data waits for
 * @now: time, ns
 */
struct uet_genl_ccc {
	const struct uet_flow	*flow;
	struct uet_info		info;
	u64			acks;
	u64			losses_local;
	u32			hole;
	u64			hole_ns;
	u64			port_down_ns;
	u64			port_shut_ns;
	bool			guessed;
	u8			form;
	struct uet_wait		wait;
	u64			now;
};

static void uet_genl_ccc_read(struct uet_flow *flow, struct uet_genl_ccc *c)
{
	const struct uet_snd_waits *mpr = &flow->snd.mpr;

	c->flow = flow;
	spin_lock_bh(&flow->lock);
	c->now = ktime_get_ns();
	uet_info_flow(flow, &c->info, c->now);
	if (mpr->nr)
		c->info.blocked_ns[UET_BLOCKED_MPR] += c->now - mpr->since;
	c->acks = flow->ccc.stats.acks;
	c->losses_local = flow->ccc.stats.losses[UET_LOSS_LOCAL];
	c->hole = uet_hole_told(flow, c->now, &c->hole_ns);
	if (flow->port_down_at)
		c->port_down_ns = max(c->now - flow->port_down_at, 1ULL);
	if (flow->ccc.state != UET_CCC_IDLE)
		c->port_shut_ns = uet_port_shut_ns(flow, c->now);
	c->guessed = flow->guessed;
	c->form = flow->form;
	c->wait = uet_flow_wait(flow);
	spin_unlock_bh(&flow->lock);
}

static int uet_genl_ccc_name(struct sk_buff *skb, const struct uet_genl_ccc *c)
{
	const struct uet_flow *flow = c->flow;
	const struct uet_peer_key *key = &flow->peer->key;

	return uet_genl_u64(skb, UET_A_CCC_ID, flow->id) ||
	       nla_put_in6_addr(skb, UET_A_CCC_LOCAL, &key->laddr) ||
	       nla_put_in6_addr(skb, UET_A_CCC_REMOTE, &key->raddr) ||
	       nla_put_u32(skb, UET_A_CCC_TCLASS, flow->tclass) ||
	       (flow->sprayed && nla_put_flag(skb, UET_A_CCC_SPRAYED)) ||
	       (c->form & UET_FORM_IP && nla_put_flag(skb, UET_A_CCC_NATIVE)) ||
	       (c->form & UET_FORM_CRC && nla_put_flag(skb, UET_A_CCC_CRC)) ||
	       nla_put_string(skb, UET_A_CCC_CC, c->info.cc) ||
	       nla_put_string(skb, UET_A_CCC_PATH_POLICY, c->info.path_policy);
}

static int uet_genl_ccc_state(struct sk_buff *skb, const struct uet_genl_ccc *c)
{
	const struct uet_info *i = &c->info;

	BUILD_BUG_ON((int)UET_CC_STATE_PENDING != (int)UET_CC_PENDING ||
		     UET_ALGO_MODE_CREDIT != UET_CC_MODE_CREDIT);
	return nla_put_u32(skb, UET_A_CCC_STATE, i->cc_state) ||
	       nla_put_u32(skb, UET_A_CCC_CC_MODE, i->cc_mode) ||
	       nla_put_u32(skb, UET_A_CCC_WAIT, c->wait.why) ||
	       uet_genl_u64(skb, UET_A_CCC_WAIT_NS,
			    uet_wait_ns(&c->wait, c->now)) ||
	       uet_genl_u64(skb, UET_A_CCC_RTT, i->rtt) ||
	       uet_genl_u64(skb, UET_A_CCC_RTT_VAR, i->rtt_var) ||
	       uet_genl_u64(skb, UET_A_CCC_BASE_RTT, i->base_rtt) ||
	       (c->guessed && nla_put_flag(skb, UET_A_CCC_BASE_GUESSED)) ||
	       uet_genl_u64(skb, UET_A_CCC_TARGET_QDELAY, i->target_qdelay) ||
	       uet_genl_u64(skb, UET_A_CCC_DELAY_AVG, i->delay_avg);
}

static int uet_genl_ccc_window(struct sk_buff *skb, const struct uet_info *i)
{
	return uet_genl_u64(skb, UET_A_CCC_CWND, i->cwnd) ||
	       uet_genl_u64(skb, UET_A_CCC_MAX_WND, i->max_wnd) ||
	       uet_genl_u64(skb, UET_A_CCC_SAVED_CWND, i->saved_cwnd) ||
	       nla_put_s64(skb, UET_A_CCC_INFLIGHT, i->inflight,
			   UET_A_CCC_PAD) ||
	       nla_put_u32(skb, UET_A_CCC_INFLIGHT_PKTS, i->inflight_pkts) ||
	       uet_genl_u64(skb, UET_A_CCC_BACKLOG, i->backlog) ||
	       uet_genl_u64(skb, UET_A_CCC_RTX_BACKLOG, i->rtx_backlog) ||
	       nla_put_u32(skb, UET_A_CCC_MTU, i->mtu) ||
	       nla_put_u32(skb, UET_A_CCC_PATH_MTU, i->path_mtu) ||
	       nla_put_u32(skb, UET_A_CCC_PATH_MTU_STEPS, i->path_mtu_steps) ||
	       nla_put_u32(skb, UET_A_CCC_LINK_MBPS, i->link_mbps) ||
	       nla_put_s64(skb, UET_A_CCC_CREDIT, i->credit, UET_A_CCC_PAD) ||
	       nla_put_u32(skb, UET_A_CCC_CREDIT_REQS, i->credit_reqs) ||
	       nla_put_u32(skb, UET_A_CCC_PATHS, i->paths) ||
	       nla_put_u32(skb, UET_A_CCC_PATHS_BAD, i->paths_bad) ||
	       nla_put_u32(skb, UET_A_CCC_PATHS_GONE, i->paths_gone) ||
	       nla_put_u32(skb, UET_A_CCC_PORTS, i->ports) ||
	       nla_put_u32(skb, UET_A_CCC_PORTS_DOWN, i->ports_down);
}

/**
 * struct uet_genl_count - where a counter of UET_INFO goes
 * @attr: attribute
 * @off: place in struct uet_info
 */
struct uet_genl_count {
	u16	attr;
	u16	off;
};

#define COUNT(_attr, _field)						\
	{ UET_A_CCC_##_attr, offsetof(struct uet_info, _field) }

static const struct uet_genl_count uet_genl_ccc_counts[] = {
	COUNT(SENT_PKTS,	pkts_sent),
	COUNT(SENT_BYTES,	bytes_sent),
	COUNT(MARKS,		marks),
	COUNT(TRIMS,		trims),
	COUNT(TRIMS_LASTHOP,	trims_lasthop),
	COUNT(NACKS_SHORTAGE,	nacks_shortage),
	COUNT(NACKS_OTHER,	nacks_other),
	COUNT(RETRANSMITS,	retransmits),
	COUNT(NEEDLESS,		needless),
	COUNT(LOSSES_SACK,	losses_sack),
	COUNT(LOSSES_OOO,	losses_ooo),
	COUNT(LOSSES_PROBE,	losses_probe),
	COUNT(LOSSES_RTO,	timeouts),
	COUNT(LOSSES_RCVR,	losses_rcvr),
	COUNT(LOSSES_GO_BACK,	losses_go_back),
	COUNT(DECREASES,	decreases),
	COUNT(QUICK_ADAPTS,	quick_adapts),
	COUNT(PENALTIES,	penalties),
	COUNT(WAITED_WINDOW_NS,	blocked_ns[UET_BLOCKED_WINDOW]),
	COUNT(WAITED_CREDIT_NS,	blocked_ns[UET_BLOCKED_CREDIT]),
	COUNT(WAITED_RECEIVE_WINDOW_NS, blocked_ns[UET_BLOCKED_MPR]),
	COUNT(WAITED_ROUTE_NS,	blocked_ns[UET_BLOCKED_ROUTE]),
	COUNT(WAITED_PORT_NS,	blocked_port_ns),
};

static int uet_genl_ccc_counters(struct sk_buff *skb,
				 const struct uet_genl_ccc *c)
{
	const struct uet_genl_count *n = uet_genl_ccc_counts;
	const void *info = &c->info;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(uet_genl_ccc_counts); i++, n++)
		if (uet_genl_u64(skb, n->attr, *(const u64 *)(info + n->off)))
			return -EMSGSIZE;
	return uet_genl_u64(skb, UET_A_CCC_ACKS, c->acks) ||
	       uet_genl_u64(skb, UET_A_CCC_LOSSES_LOCAL, c->losses_local) ||
	       (c->hole && nla_put_u32(skb, UET_A_CCC_HOLE_BYTES, c->hole)) ||
	       (c->hole_ns &&
		uet_genl_u64(skb, UET_A_CCC_HOLE_NS, c->hole_ns)) ||
	       (c->port_down_ns &&
		uet_genl_u64(skb, UET_A_CCC_PORTS_DOWN_NS, c->port_down_ns)) ||
	       (c->port_shut_ns &&
		uet_genl_u64(skb, UET_A_CCC_PORT_SHUT_NS, c->port_shut_ns));
}

static int uet_genl_ccc_fill(struct sk_buff *skb, const void *what)
{
	const struct uet_genl_ccc *c = what;

	return uet_genl_ccc_name(skb, c) || uet_genl_ccc_state(skb, c) ||
	       uet_genl_ccc_window(skb, &c->info) ||
	       uet_genl_ccc_counters(skb, c);
}

static int uet_genl_ccc_put(struct uet_genl_walk *w, struct uet_flow *flow)
{
	const struct uet_genl_filter *f = &w->filter;
	struct uet_genl_ccc c = {};

	if (!uet_genl_mine(w, flow->id) || !uet_genl_flow_fits(f, flow))
		return 0;
	uet_genl_ccc_read(flow, &c);
	if (f->has & UET_WANTS(WAITING) && c.wait.why == UET_WAIT_NOTHING)
		return 0;
	return uet_genl_put(w, uet_genl_ccc_fill, &c);
}

/* Cursor: 0 is the id */
static int uet_genl_ccc_walk(struct uet_genl_walk *w)
{
	unsigned long id = uet_genl_flow_first(w);
	struct uet_flow *flow;
	int err = 0;

	rcu_read_lock();
	while (!err && (flow = uet_flow_from(w->un, &id))) {
		err = uet_genl_ccc_put(w, flow);
		w->cursor[0] = err ? id : ++id;
		if (!err && uet_genl_flow_last(w))
			break;
		uet_genl_breathe(w);
	}
	rcu_read_unlock();
	return err;
}

static const struct uet_genl_object uet_genl_cccs = {
	.cmd		= UET_CMD_CCC_GET,
	.filter		= UET_A_CCC_FILTER,
	.filters	= UET_WANTS(REMOTE) | UET_WANTS(REMOTE_PLEN) |
			  UET_WANTS(LOCAL) | UET_WANTS(CCC) | UET_WANTS(WAITING),
	.whose		= UET_GENL_FLOWS,
	.walk		= uet_genl_ccc_walk,
};

int uet_nl_ccc_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	return uet_genl_get(skb, info, &uet_genl_cccs);
}

int uet_nl_ccc_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return uet_genl_dump(skb, cb, &uet_genl_cccs);
}

/* Contexts that a filter wants are left: each queue, once it is empty, goes to a new one. */
int uet_nl_ccc_renew_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct uet_net *un = uet_net(genl_info_net(info));
	struct uet_genl_filter filter;
	struct uet_flow *flow;
	unsigned long id = 0;
	bool found = false;
	u32 steps = 0;
	int err;

	err = uet_genl_filter_parse(&filter, info->attrs[UET_A_CCC_FILTER],
				    uet_genl_cccs.filters & ~UET_WANTS(WAITING),
				    info->extack);
	if (err)
		return err;
	rcu_read_lock();
	for (; (flow = uet_flow_from(un, &id)); id++) {
		if (uet_genl_flow_fits(&filter, flow)) {
			WRITE_ONCE(flow->old, true);
			found = true;
		}
		if (!(++steps % UET_GENL_STEPS))
			uet_genl_rest();
	}
	rcu_read_unlock();
	if (found) {
		/* The others would have to share the limits with them. */
		uet_pdc_shed(un);
		return 0;
	}
	NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[UET_A_CCC_FILTER],
			    "there is none");
	return -ENOENT;
}
