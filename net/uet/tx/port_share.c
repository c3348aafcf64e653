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
 * A host that sends to many peers has as many windows, and the port as many
 * portions. When more than a base RTT of them waits, flows give it portions of a
 * quarter of the usual ones, each when the last one has left: else delays of
 * the host's own port would hide what the network says, and first windows would
 * be in the port as a whole before anything can be said about them.
 *
 * When a portion has left follows from the speed of the port, which may be
 * wrong. So a flow stops only if the device says, too, that it has a portion
 * waiting.
 */

#include <linux/ktime.h>
#include <linux/netdevice.h>
#include <net/sch_generic.h>

#include "link/peer.h"
#include "link/ports.h"
#include "tx/flow.h"

/* How often the pause after packets that the port dropped doubles */
#define UET_REFUSALS_MAX	6

/*
 * A portion: less makes more work, since each costs a timer, and leaves the
 * port idle if that is late by as much; more makes others wait.
 */
static u64 uet_portion_ns(const struct uet_flow *flow, bool crowded)
{
	return flow->params.base_rtt >> (crowded ? 4 : 2);
}

/* Whether flows of this endpoint, all together, fill the port's queue */
static bool uet_port_crowded(const struct uet_flow *flow, u64 now)
{
	return uet_flow_port_free(flow) > now + flow->params.base_rtt;
}

/* The device has less than was thought: its speed is not what it is said to be */
static void uet_port_faster(const struct uet_flow *flow, u64 now)
{
	if (uet_port_crowded(flow, now))
		WRITE_ONCE(flow->peer->fep->tx_free,
			   now + flow->params.base_rtt);
}

/* Whether a portion is in the device, whoever gave it that */
static bool uet_portion_waits(const struct uet_flow *flow,
			      struct net_device *dev, u64 portion)
{
	u64 bytes;

	rcu_read_lock();
	bytes = uet_dev_backlog(dev);
	rcu_read_unlock();
	return (bytes * flow->ns_per_byte_q16) >> 16 >= portion;
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

	lockdep_assert_held(&flow->lock);
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

/* Look again at @until; false if the flow goes */
static bool uet_port_share_arm(struct uet_flow *flow, u64 until)
{
	if (!refcount_inc_not_zero(&flow->ref))
		return false;
	flow->share.waits = true;
	hrtimer_start(&flow->share.timer, ns_to_ktime(until),
		      HRTIMER_MODE_ABS_SOFT);
	return true;
}

/**
 * uet_port_refuses() - has the port dropped packets a short while ago?
 * @flow: the flow
 * @now: time, ns
 *
 * If so, the flow is queued again as soon as it may send.
 *
 * Context: BH disabled, flow lock held.
 * Return: true if so.
 */
bool uet_port_refuses(struct uet_flow *flow, u64 now)
{
	struct uet_port_share *share = &flow->share;

	lockdep_assert_held(&flow->lock);
	if (likely(now >= share->refused_until))
		return false;
	if (!share->waits)
		uet_port_share_arm(flow, share->refused_until);
	return !uet_port_share_wait(flow, now);
}

/**
 * uet_port_dropped() - the queue of the port had no room for a packet
 * @flow: the flow
 * @now: time, ns
 *
 * The packet goes again, but not at once, or it would be dropped as often as this
 * host can do that: after a base RTT, twice as long each time that the port took
 * nothing meanwhile, and half as long if it did.
 *
 * Context: BH disabled, flow lock held.
 */
void uet_port_dropped(struct uet_flow *flow, u64 now)
{
	struct uet_port_share *share = &flow->share;

	lockdep_assert_held(&flow->lock);
	/* Of the packets of one turn the first counts. */
	if (now < share->refused_until)
		return;
	if (!READ_ONCE(share->passed)) {
		if (share->refusals < UET_REFUSALS_MAX)
			WRITE_ONCE(share->refusals, share->refusals + 1);
	} else if (share->refusals > 1) {
		WRITE_ONCE(share->refusals, share->refusals - 1);
	}
	WRITE_ONCE(share->passed, false);
	share->refused_until = now + (flow->params.base_rtt <<
				      (share->refusals - 1));
	if (!share->waits)
		uet_port_share_arm(flow, share->refused_until);
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
	bool crowded = uet_port_crowded(flow, now);
	u64 portion = uet_portion_ns(flow, crowded);
	u64 until;

	lockdep_assert_held(&flow->lock);
	if (unlikely(uet_port_refuses(flow, now)))
		return false;
	if (likely(share->ns < portion))
		return true;
	until = crowded ? share->leaves : share->before;
	if (now < until) {
		if (share->waits)
			return uet_port_share_wait(flow, now);
		if (uet_portion_waits(flow, dev, portion)) {
			uet_port_share_arm(flow, until);
			return uet_port_share_wait(flow, now);
		}
		uet_port_faster(flow, now);
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
