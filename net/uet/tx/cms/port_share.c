// SPDX-License-Identifier: GPL-2.0
/*
 * Limit how much of a flow waits in the local interface, as TCP small queues
 * do.
 *
 * The part of a congestion window that exceeds the bandwidth-delay product
 * would wait in the interface, ahead of all that is sent next: a short request
 * of another PDC or flow would wait longer there than its round trip on an idle
 * network. A flow therefore gives the interface portions of a quarter of the
 * base RTT, and begins one only after the last but one has left. Other data
 * stays in its PDCs, which take turns.
 *
 * A host that sends to many peers has many windows, and the interface as many
 * portions. When more than a base RTT of them waits, flows give it a quarter of
 * the usual portion, each when the last one has left: otherwise local delays
 * would hide those of the network, and first windows would be in the interface
 * as a whole before any feedback comes.
 *
 * When a portion has left is computed from the speed of the interface, which
 * may be wrong. So a flow stops only if the device, too, reports a portion
 * waiting.
 */

#include <linux/ktime.h>
#include <linux/netdevice.h>
#include <net/sch_generic.h>

#include "compat.h"
#include "link/peer.h"
#include "link/ports.h"
#include "tx/cms/flow.h"

/* Largest back-off level of the pause after the interface dropped packets */
#define UET_PORT_PAUSES_MAX	6

/* The device has less queued than estimated: correct the estimate. */
static void uet_port_faster(const struct uet_flow *flow, u64 now)
{
	if (uet_port_crowded(flow, now))
		WRITE_ONCE(flow->peer->fep->tx_free,
			   now + flow->params.base_rtt);
}

/* Does the device have a portion queued, from any sender? */
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
 * uet_port_share_waited() - time that data waited for the interface alone
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

/* Begin to count a wait, unless the flow waits for window or credit. */
static bool uet_port_share_wait(struct uet_flow *flow, u64 now)
{
	if (!flow->share.since && flow->ccc.state == UET_CCC_READY)
		flow->share.since = now;
	return false;
}

/* Run the flow again at @until; false if it is about to be freed. */
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
 * uet_port_pauses() - must a flow pause since the interface dropped packets?
 * @flow: the flow
 * @now: time, ns
 *
 * If so, the flow is queued again as soon as it may send.
 *
 * Context: BH disabled, flow lock held.
 * Return: true if so.
 */
bool uet_port_pauses(struct uet_flow *flow, u64 now)
{
	struct uet_port_share *share = &flow->share;

	lockdep_assert_held(&flow->lock);
	if (likely(now >= share->pause_until))
		return false;
	if (!share->waits)
		uet_port_share_arm(flow, share->pause_until);
	return !uet_port_share_wait(flow, now);
}

/**
 * uet_port_shut_ns() - how long has the interface dropped all packets of a flow?
 * @flow: the flow
 * @now: time, ns
 *
 * Context: flow lock held.
 * Return: ns, at least 1; 0 if it took the last one, or never dropped any.
 */
u64 uet_port_shut_ns(const struct uet_flow *flow, u64 now)
{
	const struct uet_port_share *share = &flow->share;

	lockdep_assert_held(&flow->lock);
	if (!READ_ONCE(share->pauses) || READ_ONCE(share->passed))
		return 0;
	return now > share->shut_since ? now - share->shut_since : 1;
}

/**
 * uet_port_dropped() - pause a flow since the interface dropped a packet
 * @flow: the flow
 * @now: time, ns
 *
 * An immediate resend would be dropped again. The pause starts at a base RTT.
 * It doubles if the interface took nothing since the last drop, else it halves.
 *
 * Context: BH disabled, flow lock held.
 */
void uet_port_dropped(struct uet_flow *flow, u64 now)
{
	struct uet_port_share *share = &flow->share;

	lockdep_assert_held(&flow->lock);
	if (!uet_port_shut_ns(flow, now))
		share->shut_since = now;
	/* Only the first drop of a batch counts. */
	if (now < share->pause_until)
		return;
	if (!READ_ONCE(share->passed)) {
		if (share->pauses < UET_PORT_PAUSES_MAX)
			WRITE_ONCE(share->pauses, share->pauses + 1);
	} else if (share->pauses > 1) {
		WRITE_ONCE(share->pauses, share->pauses - 1);
	}
	WRITE_ONCE(share->passed, false);
	share->pause_until = now + (flow->params.base_rtt <<
				    (share->pauses - 1));
	if (!share->waits)
		uet_port_share_arm(flow, share->pause_until);
}

/**
 * uet_port_share_next() - second part of uet_port_share()
 * @flow: the flow
 * @dev: the interface
 * @now: time, ns
 *
 * Context: BH disabled, flow lock held.
 * Return: as uet_port_share(); then another portion has begun.
 */
bool uet_port_share_next(struct uet_flow *flow, struct net_device *dev, u64 now)
{
	struct uet_port_share *share = &flow->share;
	bool crowded = uet_port_crowded(flow, now);
	u64 portion = uet_portion_ns(flow, crowded);
	u64 until;

	lockdep_assert_held(&flow->lock);
	if (unlikely(uet_port_pauses(flow, now)))
		return false;
	/* Other CPUs change what is in the interface. */
	if (unlikely(share->ns < portion))
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
 * uet_port_share_init() - prepare the timer of a new flow
 * @flow: the flow
 *
 * Context: any.
 */
void uet_port_share_init(struct uet_flow *flow)
{
	uet_hrtimer_setup(&flow->share.timer, uet_port_share_timer);
}
