// SPDX-License-Identifier: GPL-2.0
/*
 * Path selection (UE 1.0 3.6.16) around the policies of the core: creation for
 * a flow, coordination of ordered flows to one peer, history of entropy values
 * on request, and notification of paths that go bad or good.
 *
 * Not here: the policies (core/lb/).
 */
#include <linux/init.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/random.h>
#include <linux/slab.h>

#include "core/lb/lb_live.h"
#include "link/peer.h"
#include "link/peer_rules.h"
#include "link/ports.h"
#include "mib.h"
#include "tx/cms/flow.h"
#include "tx/cms/path.h"

#define CREATE_TRACE_POINTS
#include "tx/cms/trace_path.h"

static ATOMIC_NOTIFIER_HEAD(uet_path_chain);

/**
 * uet_path_register() - register for events of paths, in all namespaces
 * @nb: called with enum uet_path_what and struct uet_path_event, with the lock
 *	of the flow held: it must not sleep and not send
 *
 * Context: any.
 * Return: 0 or -EEXIST.
 */
int uet_path_register(struct notifier_block *nb)
{
	return atomic_notifier_chain_register(&uet_path_chain, nb);
}

/**
 * uet_path_unregister() - undo uet_path_register()
 * @nb: not called any more afterwards
 *
 * Context: process.
 */
void uet_path_unregister(struct notifier_block *nb)
{
	atomic_notifier_chain_unregister(&uet_path_chain, nb);
}

/* Count path events for /proc/net/uet_stat. */
static int uet_path_count(struct notifier_block *nb, unsigned long what,
			  void *data)
{
	const struct uet_path_event *event = data;
	struct uet_net *un = event->flow->peer->fep->un;

	switch (what) {
	case UET_PATH_BAD:
		UET_INC(un, PATH_BAD);
		break;
	case UET_PATH_GOOD:
		UET_INC(un, PATH_GOOD);
		break;
	case UET_PATH_MOVED:
		UET_INC(un, PATH_MOVED);
		break;
	case UET_PATH_PORT_DOWN:
		UET_INC(un, PORT_DOWN);
		break;
	case UET_PATH_PORT_UP:
		UET_INC(un, PORT_UP);
		break;
	}
	return NOTIFY_DONE;
}

static struct notifier_block uet_path_counts = {
	.notifier_call = uet_path_count,
};

/**
 * uet_path_init() - register the counters of path events
 *
 * Context: process, before there are namespaces.
 * Return: 0 or -EEXIST.
 */
int __init uet_path_init(void)
{
	return uet_path_register(&uet_path_counts);
}

/**
 * uet_path_exit() - undo uet_path_init()
 *
 * Context: process, after the last namespace.
 */
void uet_path_exit(void)
{
	uet_path_unregister(&uet_path_counts);
}

/**
 * uet_path_tell() - trace and notify an event of a path
 * @flow: the flow
 * @what: enum uet_path_what
 * @ev: entropy value, 0 for an event of an interface
 * @ifindex: the interface, 0 if there is only one
 *
 * Context: flow lock held.
 */
void uet_path_tell(const struct uet_flow *flow, unsigned long what, u16 ev,
		   int ifindex)
{
	struct uet_path_event event = {
		.flow = flow, .ev = ev, .ifindex = ifindex,
	};

	lockdep_assert_held(&flow->lock);
	trace_uet_path_event(flow, what, ev, ifindex);
	atomic_notifier_call_chain(&uet_path_chain, what, &event);
}

static int uet_path_ifindex(const struct uet_flow *flow, u16 ev)
{
	u32 nr = uet_lb_ports_nr(flow->ccc.lb);

	return nr ? uet_ports_ifindex(flow->peer, uet_lb_zone(ev) % nr) : 0;
}

static void uet_path_note_lost(struct uet_flow *flow, u16 ev)
{
	struct uet_path_lost *lost = flow->lost;
	u32 i;

	if (!lost)
		lost = kzalloc(sizeof(*lost), GFP_ATOMIC | __GFP_NOWARN);
	if (!lost)
		return;
	flow->lost = lost;
	i = lost->nr++ % UET_PATHS_LOST;
	lost->gone[i].at = jiffies;
	lost->gone[i].ifindex = uet_path_ifindex(flow, ev);
	lost->gone[i].ev = ev;
}

/* Remember an entropy value that was replaced after a loss, with its history if
 * that is kept: otherwise operators would see good values only.
 */
static void uet_path_note_gone(struct uet_flow *flow, u16 ev)
{
	struct uet_path_past *past = flow->past;
	struct uet_lb *lb = flow->ccc.lb;
	struct uet_path_gone *gone;
	struct uet_lb_path path;
	u32 i;

	i = uet_lb_locate(lb, ev);
	if (uet_lb_path_get(lb, i, &path) || path.ev == ev)
		return;
	uet_path_note_lost(flow, ev);
	if (likely(!past) || !lb->live)
		return;
	gone = &past->gone[past->nr++ % UET_PATHS_GONE];
	gone->at = jiffies;
	gone->ifindex = uet_path_ifindex(flow, ev);
	gone->ev = ev;
	gone->live = lb->live[i];
	memset(&lb->live[i], 0, sizeof(lb->live[i]));
}

/* Note of a path policy; flow lock held, or the flow is not published yet */
static void uet_path_noted(struct uet_lb *lb, u32 note, u16 ev)
{
	static const u8 what[] = {
		[ilog2(UET_LB_NOTE_BAD)]	= UET_PATH_BAD,
		[ilog2(UET_LB_NOTE_GOOD)]	= UET_PATH_GOOD,
		[ilog2(UET_LB_NOTE_MOVED)]	= UET_PATH_MOVED,
		[ilog2(UET_LB_NOTE_FROZEN)]	= UET_PATH_FROZEN,
		[ilog2(UET_LB_NOTE_THAWED)]	= UET_PATH_THAWED,
		[ilog2(UET_LB_NOTE_SATURATED)]	= UET_PATH_SATURATED,
		[ilog2(UET_LB_NOTE_RESIZED)]	= UET_PATH_RESIZED,
	};
	struct uet_flow *flow = lb->owner;

	if (note == UET_LB_NOTE_NEED_INDEX)
		uet_lb_give_index(lb, atomic_fetch_inc(&flow->peer->ev_index));
	else
		uet_path_tell(flow, what[ilog2(note)], ev,
			      uet_path_ifindex(flow, ev));
	if (note != UET_LB_NOTE_BAD)
		return;
	uet_minute_add(&flow->gone, ktime_get_ns());
	uet_path_note_gone(flow, ev);
}

/* The interface that a flow on one path at a time begins with, by speed */
static u32 uet_path_pick_port(const u32 *mbps, u32 nr)
{
	u32 i, total = 0, r;

	for (i = 0; i < nr; i++)
		total += mbps[i];
	r = get_random_u32_below(total);
	for (i = 0; i < nr - 1 && r >= mbps[i]; i++)
		r -= mbps[i];
	return i;
}

static void uet_path_config(const struct uet_flow *flow,
			    struct uet_lb_config *cfg)
{
	struct uet_sysctl s;

	uet_peer_settings(flow->peer->fep->un, &flow->peer->key.raddr, &s);
	*cfg = (struct uet_lb_config) {
		.seed		= get_random_u64(),
		.n		= s.entropy_size,
		.run		= s.spray_run,
		.threshold_pct	= s.congestion_threshold,
		.trimming	= flow->params.trimming,
		.t_reroute	= s.t_reroute,
		.idle_ns	= (u64)s.reroute_idle_us * NSEC_PER_USEC,
		.peer_key	= flow->peer->ev_key,
		.rto_ns		= (u64)s.rules.rto_min_us * NSEC_PER_USEC,
		.cwnd		= flow->params.max_wnd,
		.mtu		= flow->params.mtu,
	};
}

/*
 * Flows on one path at a time share a space of entropy values with others of
 * their peer and take different elements of one permutation, so that their
 * paths differ.
 */
static struct uet_lb *uet_path_one_port(struct uet_flow *flow,
					const struct uet_lb_ops *ops,
					struct uet_lb_config *cfg,
					const u32 *mbps, u32 nr)
{
	struct uet_peer *peer = flow->peer;
	u32 random = ops->ordered ? peer->ev_key : get_random_u32();
	struct uet_lb *lb;

	if (nr) {
		cfg->n = min_t(u32, cfg->n, UET_LB_ZONE);
		cfg->span = min_t(u32, cfg->span,
				  rounddown(UET_LB_ZONE, cfg->n));
		cfg->base = uet_lb_zone_base(uet_path_pick_port(mbps, nr),
					     cfg->span, random);
	} else {
		cfg->base = uet_lb_choose_base(cfg->span, random, true);
	}
	if (ops->ordered) {
		cfg->peer_index = atomic_fetch_inc(&peer->ev_index);
		flow->sib = cfg->peer_index % UET_SIB_SLOTS;
	}
	lb = kzalloc(uet_lb_mem_size(ops, cfg->n), GFP_KERNEL_ACCOUNT);
	if (lb && uet_lb_init(lb, ops, cfg)) {
		kfree(lb);
		return ERR_PTR(-EINVAL);
	}
	if (lb && ops->ordered)
		uet_lb_give_index(lb, atomic_fetch_inc(&peer->ev_index));
	return lb;
}

static struct uet_lb *uet_path_all_ports(const struct uet_lb_ops *ops,
					 struct uet_lb_config *cfg,
					 const u32 *mbps, u32 nr)
{
	struct uet_lb *lb;

	cfg->n = min_t(u32, cfg->n, UET_LB_ZONE);
	lb = kzalloc(uet_lb_ports_mem_size(ops, cfg->n, nr), GFP_KERNEL_ACCOUNT);
	if (lb && uet_lb_ports_init(lb, ops, cfg, nr, mbps)) {
		kfree(lb);
		return ERR_PTR(-EINVAL);
	}
	return lb;
}

/* Eighths of an owner's memory that histories leave to messages */
#define UET_PATH_LEAVE	4

/* A history is large: where a user can ask for it, it counts as memory of his. */
static struct uet_account *uet_path_owner(const struct uet_flow *flow)
{
	return flow->peer->fep->un->owner;
}

/* Keep the history of entropy values, if there is memory for it */
static void uet_path_remember(struct uet_flow *flow, struct uet_lb *lb,
			      gfp_t gfp)
{
	struct uet_account *owner = uet_path_owner(flow);
	size_t size = uet_lb_live_size(lb);
	struct uet_path_past *past;
	void *mem;

	gfp |= __GFP_ACCOUNT | __GFP_NOWARN;
	if (owner && !uet_account_mem(owner, size, -UET_PATH_LEAVE))
		return;
	mem = kvmalloc(size, gfp);
	if (!mem) {
		if (owner)
			uet_account_mem_gone(owner, size);
		return;
	}
	uet_lb_live_attach(lb, mem);
	if (READ_ONCE(flow->past))
		return;
	past = kzalloc(sizeof(*past), gfp);
	/* Two threads may do this when the interfaces of a flow change. */
	if (cmpxchg(&flow->past, NULL, past))
		kfree(past);
}

/**
 * uet_path_new() - make the path selection of a flow
 * @flow: the flow, its constants known
 * @ops: policy
 *
 * Context: process.
 * Return: the object, for uet_path_free(), or an ERR_PTR: -ENOMEM, -EINVAL.
 */
struct uet_lb *uet_path_new(struct uet_flow *flow,
			    const struct uet_lb_ops *ops)
{
	u32 mbps[UET_LB_PORTS_MAX];
	struct uet_lb_config cfg;
	struct uet_lb *lb;
	u32 nr;

	nr = uet_ports_speeds(flow->peer, mbps);
	uet_path_config(flow, &cfg);
	cfg.span = uet_lb_span(ops, cfg.n);
	cfg.n = uet_lb_space(ops, cfg.n);
	lb = nr && !ops->ordered ?
	     uet_path_all_ports(ops, &cfg, mbps, nr) :
	     uet_path_one_port(flow, ops, &cfg, mbps, nr);
	if (!lb)
		return ERR_PTR(-ENOMEM);
	if (IS_ERR(lb))
		return lb;
	lb->noted = uet_path_noted;
	lb->owner = flow;
	if (READ_ONCE(flow->peer->fep->un->sysctl.path_stats))
		uet_path_remember(flow, lb, GFP_KERNEL);
	return lb;
}

/**
 * uet_path_uncharge() - give back what the path selection of a flow counts as
 * @flow: the flow
 * @lb: the object, whose history nobody starts or stops any more
 *
 * Context: any.
 */
void uet_path_uncharge(const struct uet_flow *flow, const struct uet_lb *lb)
{
	struct uet_account *owner = uet_path_owner(flow);

	if (unlikely(owner) && lb->live)
		uet_account_mem_gone(owner, uet_lb_live_size(lb));
}

/**
 * uet_path_free() - undo uet_path_new(), after uet_path_uncharge()
 * @lb: the object
 *
 * Context: any.
 */
void uet_path_free(struct uet_lb *lb)
{
	kvfree(uet_lb_live_detach(lb));
	kfree(lb);
}

/**
 * uet_path_rebuild() - replace path selection after the interfaces changed
 * @flow: a sprayed flow
 *
 * All state of the old paths is dropped. Feedback for entropy values in flight
 * has no effect.
 *
 * Context: process.
 * Return: 0 or -ENOMEM; then the paths stay as they were.
 */
int uet_path_rebuild(struct uet_flow *flow)
{
	struct uet_lb *lb, *old;

	/* Nobody else replaces @ccc.lb, and its policy stays the same. */
	lb = uet_path_new(flow, uet_lb_policy(flow->ccc.lb));
	if (IS_ERR(lb))
		return PTR_ERR(lb);
	spin_lock_bh(&flow->lock);
	old = flow->ccc.lb;
	flow->ccc.lb = lb;
	flow->ccc.run_left = 0;
	flow->snd.multi = uet_lb_ports_nr(lb);
	spin_unlock_bh(&flow->lock);
	uet_path_uncharge(flow, old);
	uet_path_free(old);
	return 0;
}

/**
 * uet_path_history() - start or stop the history of entropy values
 * @flow: the flow
 * @on: start
 *
 * A failed allocation is retried once a second.
 *
 * Context: flow lock held.
 */
void uet_path_history(struct uet_flow *flow, bool on)
{
	lockdep_assert_held(&flow->lock);
	if (!on) {
		uet_path_uncharge(flow, flow->ccc.lb);
		kvfree(uet_lb_live_detach(flow->ccc.lb));
		kfree(xchg(&flow->past, NULL));
		return;
	}
	if (flow->history_at && time_before(jiffies, flow->history_at))
		return;
	flow->history_at = jiffies + HZ;
	uet_path_remember(flow, flow->ccc.lb, GFP_ATOMIC);
}

/* The same as uet_path_get_gone() without history */
static int uet_path_get_lost(const struct uet_flow *flow, u32 *n,
			     struct uet_path_info *info)
{
	const struct uet_path_lost *lost = flow->lost;
	u32 i;

	if (!lost || *n >= lost->nr)
		return -ENOENT;
	if (lost->nr - *n > UET_PATHS_LOST)
		*n = lost->nr - UET_PATHS_LOST;
	i = *n % UET_PATHS_LOST;
	*info = (struct uet_path_info) {
		.path		= { .ev = lost->gone[i].ev },
		.ifindex	= lost->gone[i].ifindex,
		.gone		= true,
		.at		= lost->gone[i].at,
	};
	return 0;
}

/*
 * The value that was given up as number @n of all, or the next one that is still
 * known: so a walk finds each once, although more are given up meanwhile.
 */
static int uet_path_get_gone(const struct uet_flow *flow, u32 *n,
			     struct uet_path_info *info)
{
	const struct uet_path_past *past = flow->past;
	const struct uet_path_gone *gone;

	if (!past)
		return uet_path_get_lost(flow, n, info);
	if (*n >= past->nr)
		return -ENOENT;
	if (past->nr - *n > UET_PATHS_GONE)
		*n = past->nr - UET_PATHS_GONE;
	gone = &past->gone[*n % UET_PATHS_GONE];
	*info = (struct uet_path_info) {
		.path		= { .ev = gone->ev, .live = gone->live },
		.ifindex	= gone->ifindex,
		.gone		= true,
		.at		= gone->at,
	};
	return 0;
}

/**
 * uet_path_get() - state of one path of a flow
 * @flow: the flow
 * @index: from 0; a dump goes on where it stopped. Entropy values in use come
 *	first, then those given up; set to the next one if that is forgotten
 * @info: filled
 *
 * Context: flow lock held.
 * Return: 0, or -ENOENT beyond the last.
 */
int uet_path_get(const struct uet_flow *flow, u32 *index,
		 struct uet_path_info *info)
{
	u32 n = *index - flow->ccc.lb->n_max;

	lockdep_assert_held(&flow->lock);
	if (uet_lb_path_get(flow->ccc.lb, *index, &info->path)) {
		if (uet_path_get_gone(flow, &n, info))
			return -ENOENT;
		*index = flow->ccc.lb->n_max + n;
		return 0;
	}
	info->ifindex = uet_path_ifindex(flow, info->path.ev);
	info->gone = false;
	return 0;
}

/**
 * uet_path_siblings() - do other ordered flows to the peer see ECN marks now?
 * @flow: an ordered flow
 * @marked: it got an ECN mark itself
 * @now: time, ns
 *
 * They use other paths: if they see ECN marks too, these come from the last
 * hop, where all paths meet (UE 1.0 3.6.16.2). Each flow stores time and mark
 * of its last answer in a slot, without a lock; two flows that share a slot
 * overwrite each other.
 *
 * Context: flow lock held.
 * Return: enum uet_lb_siblings.
 */
u8 uet_path_siblings(struct uet_flow *flow, bool marked, u64 now)
{
	struct uet_peer *peer = flow->peer;
	u32 fresh = (u32)(2 * flow->ccc.base_rtt >> UET_SIB_SHIFT) + 2;
	u32 tick = (u32)(now >> UET_SIB_SHIFT) & ~1U;
	u32 i, v, nr_marked = 0, nr_clear = 0;

	lockdep_assert_held(&flow->lock);
	WRITE_ONCE(peer->sib[flow->sib], tick | marked);
	for (i = 0; i < UET_SIB_SLOTS; i++) {
		v = READ_ONCE(peer->sib[i]);
		if (i == flow->sib || !v || tick - (v & ~1U) > fresh)
			continue;
		if (v & 1)
			nr_marked++;
		else
			nr_clear++;
	}
	if (!nr_marked && !nr_clear)
		return UET_LB_SIB_UNKNOWN;
	return nr_marked > nr_clear ? UET_LB_SIB_MARKED : UET_LB_SIB_CLEAR;
}
