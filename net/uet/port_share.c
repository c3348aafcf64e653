// SPDX-License-Identifier: GPL-2.0
/*
 * How much of a flow waits in the port of this host.
 *
 * A congestion window is larger than what is on the way, so the rest of it
 * would wait in the port, in front of whatever is sent next: a short request
 * of another PDC, or of a flow to another peer, would wait longer there than
 * it takes on an idle network, and one of the same flow would find the window
 * full besides. A flow therefore gives the port portions of a quarter of the
 * base RTT, and begins one only after the last but one has left. What it has
 * beyond that stays in its PDCs, which take turns.
 *
 * When a portion has left follows from the speed of the port, which may be
 * wrong. So a flow stops only if the device says, too, that it has a portion
 * waiting.
 */

#include <linux/ktime.h>
#include <linux/netdevice.h>

#include "flow.h"
#include "peer.h"
#include "ports.h"

/*
 * A portion: less makes more work, since each costs a timer, and leaves the
 * port idle if that is late by as much; more makes others wait.
 */
static u64 uet_portion_ns(const struct uet_flow *flow)
{
	return flow->params.base_rtt >> 2;
}

/* Whether a portion is in the device, whoever gave it that */
static bool uet_portion_waits(const struct uet_flow *flow,
			      struct net_device *dev)
{
	u64 bytes;

	rcu_read_lock();
	bytes = uet_dev_backlog(dev);
	rcu_read_unlock();
	return (bytes * flow->ns_per_byte_q16) >> 16 >= uet_portion_ns(flow);
}

/**
 * uet_port_share_waited() - time that data waited for the port alone
 * @flow: the flow
 * @now: time, ns
 *
 * Context: flow lock held.
 * Return: ns, the present wait included.
 */
u64 uet_port_share_waited(const struct uet_flow *flow, u64 now)
{
	const struct uet_port_share *share = &flow->share;

	return share->waited_ns +
	       (share->since && now > share->since ? now - share->since : 0);
}

static void uet_port_share_goes_on(struct uet_flow *flow, u64 now)
{
	flow->share.waited_ns = uet_port_share_waited(flow, now);
	flow->share.since = 0;
}

/* It stays as it is; a wait for the window or for credit is counted there. */
static bool uet_port_share_wait(struct uet_flow *flow, u64 now)
{
	if (!flow->share.since && flow->ccc.state == UET_CCC_READY)
		flow->share.since = now;
	return false;
}

/**
 * uet_port_share() - may a flow give its port another packet?
 * @flow: the flow
 * @dev: the port
 * @now: time, ns
 *
 * If not, the flow is queued again as soon as it may.
 *
 * Context: BH disabled, flow lock held.
 * Return: true if so.
 */
bool uet_port_share(struct uet_flow *flow, struct net_device *dev, u64 now)
{
	struct uet_port_share *share = &flow->share;

	lockdep_assert_held(&flow->lock);
	if (likely(share->ns < uet_portion_ns(flow)))
		return true;
	if (now < share->before) {
		if (share->waits)
			return uet_port_share_wait(flow, now);
		if (uet_portion_waits(flow, dev)) {
			share->waits = true;
			refcount_inc(&flow->ref);
			hrtimer_start(&share->timer, ns_to_ktime(share->before),
				      HRTIMER_MODE_ABS_SOFT);
			return uet_port_share_wait(flow, now);
		}
	}
	if (share->since)
		uet_port_share_goes_on(flow, now);
	share->before = share->leaves;
	share->ns = 0;
	return true;
}

static enum hrtimer_restart uet_port_share_timer(struct hrtimer *timer)
{
	struct uet_flow *flow = container_of(timer, struct uet_flow,
					     share.timer);

	spin_lock(&flow->lock);
	flow->share.waits = false;
	uet_port_share_goes_on(flow, ktime_get_ns());
	spin_unlock(&flow->lock);
	uet_flow_queue(flow);
	uet_flow_put(flow);
	return HRTIMER_NORESTART;
}

/**
 * uet_port_share_init() - before the first packet
 * @flow: the flow
 *
 * Context: any.
 */
void uet_port_share_init(struct uet_flow *flow)
{
	hrtimer_init(&flow->share.timer, CLOCK_MONOTONIC,
		     HRTIMER_MODE_ABS_SOFT);
	flow->share.timer.function = uet_port_share_timer;
}
