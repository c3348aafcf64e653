// SPDX-License-Identifier: GPL-2.0
/*
 * Lanes: ordered messages for one endpoint go one after the other.
 *
 * An ordered PDC delivers its packets in one line. If messages of several sockets
 * for the same endpoint were mixed there, each would take memory at the target
 * that only its end gives back, and the end stands in line behind the packets of
 * all others: the target would have to take them all in, however many, or the
 * line could never move again. So of all queues of a PDC for one PIDonFEP only one
 * at a time has a message that was begun and is not all sent; the others wait in
 * its lane. Messages for different endpoints share the PDC packet by packet.
 *
 * A message that sendmsg() still fills may stop on its way. Who comes to the PDC
 * while that lasts takes another one (uet_lane_stalls()).
 */
#include <linux/jiffies.h>
#include <linux/slab.h>

#include "pdc/pdc.h"
#include "tx/flow.h"
#include "tx/half.h"
#include "tx/txmsg.h"

/* A message that has nothing to send for so long keeps others away */
#define UET_LANE_STALL		(HZ / 10)

/**
 * struct uet_lane - the queues of an ordered PDC for one endpoint
 * @node: in uet_pdc_tx.lanes
 * @waiting: those that could send a message and must not begin it yet
 * @owner: the one whose message was begun and is not all sent
 * @users: queues of the lane
 * @pid: the PIDonFEP, of any resource index
 * @stalled: there is nothing to send of @owner's message
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
 * uet_lane_alloc() - a lane, in case there is none
 *
 * Context: process.
 * Return: for uet_lane_join() or kfree(), or NULL.
 */
struct uet_lane *uet_lane_alloc(void)
{
	return kzalloc(sizeof(struct uet_lane), GFP_KERNEL_ACCOUNT);
}

/**
 * uet_lane_join() - a queue was bound to an ordered PDC
 * @pdc: the PDC
 * @dest: the queue
 * @spare: of uet_lane_alloc()
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

/* Who waits for longest may begin, if nobody else has. */
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
 * uet_lane_leave() - a queue leaves its PDC
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
 * uet_lane_busy() - is a message of another queue on its way in the lane?
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
 * uet_lane_wait() - a queue may not begin a message yet
 * @dest: the queue, uet_lane_busy(); in line for its PDC or not
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
 * uet_lane_begun() - the first packet of a message is being built
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
 * uet_lane_ended() - the last packet of a message was sent
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
 * uet_lane_goes_on() - a queue is in line for its PDC again
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
 * uet_dest_step_out() - a queue has nothing to send now
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
 * uet_lane_stalls() - is a message of the PDC in the way of others for long?
 * @pdc: initiator PDC
 *
 * Return: true if its sender has had nothing to send for a while.
 */
bool uet_lane_stalls(const struct uet_pdc *pdc)
{
	return READ_ONCE(pdc->tx->lanes_stalled) &&
	       time_after(jiffies,
			  READ_ONCE(pdc->tx->stalled_at) + UET_LANE_STALL);
}
