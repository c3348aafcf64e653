// SPDX-License-Identifier: GPL-2.0
/*
 * A walk over the paths of all flows of a namespace, for /proc/net/uet_path.
 */
#include <linux/sched.h>

#include "core/lb/lb.h"
#include "core/lb/lb_ports.h"
#include "link/peer.h"
#include "tx/cms/flow.h"
#include "tx/cms/path.h"

/* Paths and flows looked at before cond_resched() */
#define UET_PATH_STEPS	1024

/* The flow at a cursor, or the next one from its first path on */
static struct uet_flow *uet_path_flow(struct uet_net *un,
				      struct uet_path_cursor *at)
{
	unsigned long id = at->flow;
	struct uet_flow *flow = uet_flow_from(un, &id);

	if (id != at->flow)
		at->index = 0;
	at->flow = id;
	return flow;
}

/**
 * uet_path_dull() - are all paths of a flow alike?
 * @flow: the flow
 *
 * Context: flow lock held.
 * Return: true if there is no history, no fixed path, and none is avoided.
 */
bool uet_path_dull(const struct uet_flow *flow)
{
	const struct uet_lb *lb = flow->ccc.lb;

	lockdep_assert_held(&flow->lock);
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
		err = uet_path_dull(flow) ? -ENOENT :
		      uet_path_get(flow, &at->index, info);
		spin_unlock_bh(&flow->lock);
		if (!err)
			break;
		at->flow++;
		at->index = 0;
		flow = uet_path_flow(un, at);
		if (flow)
			flow = uet_path_breathe(un, at, flow);
	}
	return flow;
}
