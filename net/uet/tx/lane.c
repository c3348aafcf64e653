// SPDX-License-Identifier: GPL-2.0
/*
 * Lanes: ordered messages for one endpoint are sent one after the other.
 *
 * An ordered PDC delivers its packets strictly by PSN. Each message begun takes
 * memory at the target, which only its last packet frees. If messages of
 * several sockets for the same endpoint were mixed, that packet would have to
 * wait behind the packets of all others: the target would need memory for all
 * of them, or the PDC would deadlock. So of all queues of a PDC for one
 * PIDonFEP only one at a time has a message that is begun and not all sent; the
 * others wait in its lane. Messages for different endpoints share the PDC
 * packet by packet.
 *
 * A message that sendmsg() still fills may stall. Meanwhile queues that need a
 * PDC take another one (uet_lane_stalls()).
 */
#include <linux/jiffies.h>
#include <linux/slab.h>

#include "pdc/pdc.h"
#include "tx/flow.h"
#include "tx/half.h"
#include "tx/txmsg.h"

/* A PDC takes no new queues if a begun message had no data for this long */
#define UET_LANE_STALL		(HZ / 10)

/**
 * struct uet_lane - the queues of an ordered PDC for one endpoint
 * @node: in uet_pdc_tx.lanes
 * @waiting: queues that could begin a message but must wait for @owner
 * @owner: the queue whose message is begun and not all sent
 * @users: queues of the lane
 * @pid: the PIDonFEP, of any resource index
 * @stalled: @owner's message has nothing to send
 *
 * The flow lock protects all of it.
 */
struct uet_lane {
	struct list_head	node;
	struct list_head	waiting;
	struct uet_dest		*owner;
	u32			users;
	u16			pid;
	bool			stalled;
};

/**
 * uet_lane_alloc() - allocate a lane, in case there is none
 *
 * Context: process.
 * Return: for uet_lane_join() or kfree(), or NULL.
 */
struct uet_lane *uet_lane_alloc(void)
{
	return kzalloc(sizeof(struct uet_lane), GFP_KERNEL_ACCOUNT);
}

/**
 * uet_lane_join() - put a queue that was bound to an ordered PDC in its lane
 * @pdc: the PDC
 * @dest: the queue
 * @spare: result of uet_lane_alloc()
 *
 * Context: flow lock held.
 * Return: @spare if it was not needed.
 */
struct uet_lane *uet_lane_join(struct uet_pdc *pdc, struct uet_dest *dest,
			       struct uet_lane *spare)
{
	struct uet_lane *lane;

	lockdep_assert_held(&pdc->tx->flow->lock);
	list_for_each_entry(lane, &pdc->tx->lanes, node)
		if (lane->pid == dest->key.pid)
			goto found;
	lane = spare;
	spare = NULL;
	lane->pid = dest->key.pid;
	INIT_LIST_HEAD(&lane->waiting);
	list_add(&lane->node, &pdc->tx->lanes);
found:
	lane->users++;
	dest->lane = lane;
	return spare;
}

/* Without an owner the queue that has waited longest may begin. */
static void uet_lane_wake(struct uet_lane *lane)
{
	struct uet_dest *dest;

	while (!lane->owner && !list_empty(&lane->waiting)) {
		dest = list_first_entry(&lane->waiting, struct uet_dest,
					active);
		list_del_init(&dest->active);
		uet_dest_activate(dest);
		if (!list_empty(&dest->active))
			return;
	}
}

static void uet_lane_set_stalled(struct uet_lane *lane, struct uet_pdc *pdc,
				 bool stalled)
{
	struct uet_pdc_tx *tx = pdc->tx;

	if (lane->stalled == stalled)
		return;
	lane->stalled = stalled;
	if (stalled && !tx->lanes_stalled)
		WRITE_ONCE(tx->stalled_at, jiffies);
	WRITE_ONCE(tx->lanes_stalled, tx->lanes_stalled + (stalled ? 1 : -1));
}

/**
 * uet_lane_leave() - take a queue out of its lane
 * @pdc: the PDC
 * @dest: the queue, not active
 *
 * Context: flow lock held.
 */
void uet_lane_leave(struct uet_pdc *pdc, struct uet_dest *dest)
{
	struct uet_lane *lane = dest->lane;

	lockdep_assert_held(&pdc->tx->flow->lock);
	if (!lane)
		return;
	if (lane->owner == dest)
		uet_lane_ended(pdc, dest);
	dest->lane = NULL;
	if (--lane->users) {
		uet_lane_wake(lane);
		return;
	}
	list_del(&lane->node);
	kfree(lane);
}

/**
 * uet_lane_busy() - does another queue own the lane?
 * @dest: the queue
 *
 * Context: flow lock held.
 * Return: true if so.
 */
bool uet_lane_busy(const struct uet_dest *dest)
{
	lockdep_assert_held(&dest->pdc->tx->flow->lock);
	return dest->lane && dest->lane->owner && dest->lane->owner != dest;
}

/**
 * uet_lane_wait() - let a queue wait for its lane
 * @dest: the queue, uet_lane_busy(); active at its PDC or not
 *
 * Context: flow lock held.
 */
void uet_lane_wait(struct uet_dest *dest)
{
	lockdep_assert_held(&dest->pdc->tx->flow->lock);
	list_del(&dest->active);
	list_add_tail(&dest->active, &dest->lane->waiting);
}

/**
 * uet_lane_begun() - take the lane: the first packet of a message is built
 * @dest: its queue
 *
 * Context: flow lock held.
 */
void uet_lane_begun(struct uet_dest *dest)
{
	lockdep_assert_held(&dest->pdc->tx->flow->lock);
	if (dest->lane)
		dest->lane->owner = dest;
}

/**
 * uet_lane_ended() - free the lane: the last packet of a message was sent
 * @pdc: the PDC
 * @dest: its queue
 *
 * Context: flow lock held.
 */
void uet_lane_ended(struct uet_pdc *pdc, struct uet_dest *dest)
{
	struct uet_lane *lane = dest->lane;

	lockdep_assert_held(&pdc->tx->flow->lock);
	if (!lane || lane->owner != dest)
		return;
	uet_lane_set_stalled(lane, pdc, false);
	lane->owner = NULL;
	uet_lane_wake(lane);
}

/**
 * uet_lane_goes_on() - a queue has something to send again
 * @pdc: the PDC
 * @dest: the queue
 *
 * Context: flow lock held.
 */
void uet_lane_goes_on(struct uet_pdc *pdc, struct uet_dest *dest)
{
	lockdep_assert_held(&pdc->tx->flow->lock);
	if (dest->lane && dest->lane->owner == dest)
		uet_lane_set_stalled(dest->lane, pdc, false);
}

/**
 * uet_dest_step_out() - deactivate a queue that has nothing to send now
 * @pdc: its PDC
 * @dest: the queue
 *
 * Context: flow lock held.
 */
void uet_dest_step_out(struct uet_pdc *pdc, struct uet_dest *dest)
{
	struct uet_lane *lane = dest->lane;

	lockdep_assert_held(&pdc->tx->flow->lock);
	if (list_empty(&dest->active))
		return;
	list_del_init(&dest->active);
	if (likely(!lane))
		return;
	if (lane->owner == dest && !dest->hold.on)
		uet_lane_set_stalled(lane, pdc, true);
	uet_lane_wake(lane);
}

/**
 * uet_lane_stalls() - does a lane block others without data to send?
 * @pdc: an ordered PDC
 *
 * Return: true if one has stalled for more than UET_LANE_STALL.
 */
bool uet_lane_stalls(const struct uet_pdc *pdc)
{
	return READ_ONCE(pdc->tx->lanes_stalled) &&
	       time_after(jiffies,
			  READ_ONCE(pdc->tx->stalled_at) + UET_LANE_STALL);
}
