// SPDX-License-Identifier: GPL-2.0
/*
 * A walk over the paths of all flows of a namespace, for /proc/net/uet_path.
 */
#include <linux/rculist.h>
#include <linux/sched.h>

#include "core/lb.h"
#include "core/lb_ports.h"
#include "link/peer.h"
#include "tx/flow.h"
#include "tx/path.h"

/* Paths and flows looked at before cond_resched() */
#define UET_PATH_STEPS	1024

/**
 * uet_path_list() - let uet_path_next() find a flow
 * @flow: the flow, complete
 *
 * Context: process or BH.
 */
void uet_path_list(struct uet_flow *flow)
{
	struct uet_net *un = flow->peer->fep->un;

	spin_lock_bh(&un->flow_list_lock);
	flow->id = ++un->last_flow_id;
	list_add_tail_rcu(&flow->net_node, &un->flow_list);
	spin_unlock_bh(&un->flow_list_lock);
}

/**
 * uet_path_unlist() - undo uet_path_list()
 * @flow: the flow, freed after a grace period
 *
 * Context: any.
 */
void uet_path_unlist(struct uet_flow *flow)
{
	struct uet_net *un = flow->peer->fep->un;

	spin_lock_bh(&un->flow_list_lock);
	list_del_rcu(&flow->net_node);
	spin_unlock_bh(&un->flow_list_lock);
}

/* The flow at a cursor, or the next one from its first path on */
static struct uet_flow *uet_path_flow(struct uet_net *un,
				      struct uet_path_cursor *at)
{
	struct uet_flow *flow;

	list_for_each_entry_rcu(flow, &un->flow_list, net_node) {
		if (flow->id < at->flow)
			continue;
		if (flow->id > at->flow)
			at->index = 0;
		at->flow = flow->id;
		return flow;
	}
	return NULL;
}

/* Are all paths alike: no history, no fixed path, none avoided? */
static bool uet_path_dull(const struct uet_lb *lb)
{
	return !lb->live && !uet_lb_policy(lb)->ordered &&
	       !uet_lb_bad_paths(lb);
}

/*
 * Most flows may have no path to show: reschedule now and then. The flow may be
 * gone after that.
 */
static struct uet_flow *uet_path_breathe(struct uet_net *un,
					 struct uet_path_cursor *at,
					 struct uet_flow *flow)
{
	if (++at->steps % UET_PATH_STEPS)
		return flow;
	rcu_read_unlock();
	cond_resched();
	rcu_read_lock();
	return uet_path_flow(un, at);
}

/**
 * uet_path_next() - the next path of a namespace
 * @un: namespace
 * @at: zero at first; set to the path that was found, the caller increments its
 *	index for the next one
 * @flow: what the last call returned, if the RCU read side was not left since,
 *	or NULL
 * @info: filled
 *
 * Flows may come and go between the calls, and change their paths. Flows whose
 * paths are all alike are skipped.
 *
 * Context: process, RCU read side, which is left for a moment now and then.
 * Return: the flow, NULL after the last.
 */
struct uet_flow *uet_path_next(struct uet_net *un, struct uet_path_cursor *at,
			       struct uet_flow *flow,
			       struct uet_path_info *info)
{
	int err;

	flow = flow ? uet_path_breathe(un, at, flow) : uet_path_flow(un, at);
	while (flow) {
		spin_lock_bh(&flow->lock);
		err = uet_path_dull(flow->ccc.lb) ? -ENOENT :
		      uet_path_get(flow, at->index, info);
		spin_unlock_bh(&flow->lock);
		if (!err)
			break;
		flow = list_next_or_null_rcu(&un->flow_list, &flow->net_node,
					     struct uet_flow, net_node);
		at->flow = flow ? flow->id : at->flow + 1;
		at->index = 0;
		if (flow)
			flow = uet_path_breathe(un, at, flow);
	}
	return flow;
}

/**
 * uet_path_walk_init() - prepare the list of flows
 * @un: namespace
 */
void uet_path_walk_init(struct uet_net *un)
{
	INIT_LIST_HEAD(&un->flow_list);
	spin_lock_init(&un->flow_list_lock);
}
