// SPDX-License-Identifier: GPL-2.0
/*
 * Clean-up after a dead PDC: its messages move to another PDC or fail, and its
 * share of the counters of the CCC is removed.
 *
 * Not here: NACKs of a PDC that the target disowned (core/snd/snd_gone.c).
 */
#include <linux/ktime.h>
#include <linux/mm.h>

#include "core/snd/snd_gone.h"
#include "core/snd/snd_queue.h"
#include "pdc/pdc.h"
#include "sock.h"
#include "tx/cms/flow.h"
#include "tx/msg/txmsg.h"
#include "tx/pds/half.h"
#include "tx/pds/pds.h"
#include "tx/queue/defer.h"
#include "tx/queue/watch.h"

/* May a message of a dead PDC move to another one? */
static bool uet_msg_may_move(const struct uet_pdc *pdc, struct uet_txmsg *msg)
{
	bool unopened = pdc->tx->err_code == UET_NACK_INVALID_SYN;

	/* Queued after the PDC died, hence never sent */
	if (!msg->m.announced)
		return true;
	if (!pdc->tx->movable)
		return false;
	/* Before any answer nothing was accepted. */
	if (unopened && msg->m.state != UET_MSG_QUEUED &&
	    (pdc->remote_id || msg->streamed))
		return false;
	return uet_snd_may_move(&pdc->tx->snd, &msg->m, unopened);
}

/* Reset a message to be sent from the start by another PDC. */
static void uet_msg_rewind(struct uet_txmsg *msg)
{
	uet_snd_rewind(&msg->m);
	msg->cursor = NULL;
	msg->moving = true;
}

/* Did it fail because the peer cannot be reached? A peer that answers does not take
 * what was given up, or no packets of that size.
 */
static bool uet_pdc_ended_by_peer(const struct uet_pdc *pdc)
{
	u64 limit = READ_ONCE(pdc->un->sysctl.rules.peer_timeout_s);

	return pdc->tx->error != ETIMEDOUT ||
	       ktime_get_ns() - pdc->tx->snd.heard >= limit * NSEC_PER_SEC;
}

/* Move or fail the messages of one dest; dest->lock held. */
static void uet_dest_salvage(struct uet_pdc *pdc, struct uet_dest *dest)
{
	struct uet_txmsg *msg, *next;
	LIST_HEAD(all);
	LIST_HEAD(move);

	lockdep_assert_held(&dest->lock);
	if (unlikely(dest->watch) && uet_pdc_ended_by_peer(pdc))
		uet_contact_pdc_gone(dest, pdc->tx->error, pdc->tx->err_source,
				     pdc->tx->err_code);
	spin_lock(&pdc->tx->flow->lock);
	list_splice_tail_init(&dest->q.sent, &all);
	list_splice_tail_init(&dest->q.msgs, &all);
	dest->q.unfinished = 0;
	spin_unlock(&pdc->tx->flow->lock);

	list_for_each_entry_safe(msg, next, &all, m.node) {
		list_del(&msg->m.node);
		if (uet_snd_is_deferred(&msg->m)) {
			/* The target has nothing of it, and asks for it some day. */
			list_del(&msg->m.begun);
			uet_defer_park(msg);
			continue;
		}
		if (uet_msg_may_move(pdc, msg)) {
			if (msg->m.state != UET_MSG_QUEUED)
				list_del(&msg->m.begun);
			uet_msg_rewind(msg);
			list_add_tail(&msg->m.node, &move);
			continue;
		}
		if (msg->m.state != UET_MSG_QUEUED)
			list_del(&msg->m.begun);
		uet_snd_not_again(&msg->m);
		if (msg->m.state != UET_MSG_FAILED)
			uet_txmsg_done(msg, pdc->tx->error ?: ECONNRESET,
				       pdc->tx->err_source, pdc->tx->err_code);
		msg->m.state = UET_MSG_DONE;
		uet_txmsg_put(msg);
	}
	uet_dest_unbind(dest);
	/* Others have waited for the queue to drain. */
	list_splice(&move, &dest->moving);
	dest->moves_at = jiffies;
	WRITE_ONCE(dest->moves, !list_empty(&dest->moving));
}

/**
 * uet_msg_strand() - a message that moves ends before it gets to another PDC
 * @msg: the message, in no list; its reference is consumed
 * @error: errno of the report
 *
 * Context: dest->lock held.
 */
void uet_msg_strand(struct uet_txmsg *msg, int error)
{
	lockdep_assert_held(&msg->dest->lock);
	uet_txmsg_done(msg, error, UET_REPORT_LOCAL, 0);
	/* Not even its sendmsg() gives it to a PDC any more. */
	msg->m.state = UET_MSG_DONE;
	msg->moving = false;
	uet_txmsg_put(msg);
}

/* The next message to move; after the last one new ones need not wait. If @more,
 * the one before was handed over or has failed.
 */
static struct uet_txmsg *uet_dest_next_moving(struct uet_dest *dest, bool more)
{
	struct uet_txmsg *msg;

	spin_lock_bh(&dest->lock);
	if (more)
		dest->submitting--;
	msg = list_first_entry_or_null(&dest->moving, struct uet_txmsg,
				       m.node);
	if (msg) {
		list_del_init(&msg->m.node);
		dest->submitting++;
	} else {
		WRITE_ONCE(dest->moves, false);
	}
	spin_unlock_bh(&dest->lock);
	return msg;
}

/* The queue has to drain first: the rest waits for that. Returns false if it has. */
static bool uet_dest_stop_moving(struct uet_dest *dest, struct uet_txmsg *msg)
{
	struct uet_pdc *pdc = uet_dest_lock(dest);
	bool waits;

	if (!pdc)
		return false;
	waits = dest->renews && dest->q.unfinished;
	if (waits) {
		list_add(&msg->m.node, &dest->moving);
		dest->submitting--;
	}
	spin_unlock(&pdc->tx->flow->lock);
	spin_unlock_bh(&dest->lock);
	return waits;
}

/* Move messages to another PDC, in the order in which they were sent. */
static void uet_dest_move(struct uet_dest *dest)
{
	struct uet_txmsg *msg;
	bool more = false;
	int err;

	for (; (msg = uet_dest_next_moving(dest, more)); more = true) {
		do {
			err = READ_ONCE(dest->un->exiting) ? -ENETDOWN :
							     uet_pds_submit(msg, false);
			if (err == -EAGAIN && uet_dest_stop_moving(dest, msg))
				return;
		} while (err == -EAGAIN);
		if (!err)
			continue;
		spin_lock_bh(&dest->lock);
		uet_msg_strand(msg, -err);
		spin_unlock_bh(&dest->lock);
	}
}

/* Remove a dead PDC from the counters of its CCC, and free its rings. */
static void uet_pdc_settle(struct uet_pdc *pdc)
{
	struct uet_snd_mem mem;
	struct uet_dest *dest;
	struct uet_txmsg *msg;
	u64 backlog = 0;

	list_for_each_entry(dest, &pdc->tx->dests, pdc_node) {
		list_for_each_entry(msg, &dest->q.msgs, m.node) {
			backlog += msg->m.backlog;
			msg->m.backlog = 0;
		}
	}
	uet_snd_gone(&pdc->tx->snd, backlog, ktime_get_ns(), &mem);
	uet_snd_mem_free(&mem);
}

/**
 * uet_pds_salvage() - move or fail the messages of a dead PDC
 * @pdc: the PDC
 *
 * Context: process.
 */
void uet_pds_salvage(struct uet_pdc *pdc)
{
	struct uet_flow *flow = pdc->tx->flow;
	struct uet_dest *dest;

	spin_lock_bh(&flow->lock);
	uet_pdc_settle(pdc);
	while ((dest = list_first_entry_or_null(&pdc->tx->dests,
						struct uet_dest, pdc_node))) {
		list_del_init(&dest->pdc_node);
		if (!refcount_inc_not_zero(&dest->ref))
			continue;	/* it leaves by itself */
		spin_unlock_bh(&flow->lock);
		spin_lock_bh(&dest->lock);
		if (dest->pdc == pdc)
			uet_dest_salvage(pdc, dest);
		spin_unlock_bh(&dest->lock);
		uet_dest_move(dest);
		uet_dest_put(dest);
		spin_lock_bh(&flow->lock);
	}
	/* Other PDCs of the flow may use the window that its bytes filled. */
	uet_flow_queue(flow);
	spin_unlock_bh(&flow->lock);
}

/**
 * uet_dest_move_later() - a queue has drained: have its messages go to another PDC
 * @dest: the queue; its messages wait for that, if there are any (uet_dest.moving)
 *
 * Context: BH disabled, flow lock held.
 */
void uet_dest_move_later(struct uet_dest *dest)
{
	struct llist_node *node = &dest->drained;
	struct uet_net *un = dest->un;

	/* Once; and not for a queue that goes, which has no message. */
	if (cmpxchg(&node->next, node, NULL) != node)
		return;
	if (!refcount_inc_not_zero(&dest->ref)) {
		node->next = node;
		return;
	}
	llist_add(node, &un->drained);
	schedule_work(&un->reap_work);
}

/**
 * uet_dests_move() - move the messages of queues that have drained
 * @un: namespace
 *
 * Context: process, one at a time.
 */
void uet_dests_move(struct uet_net *un)
{
	struct uet_dest *dest, *next;

	llist_for_each_entry_safe(dest, next, llist_del_all(&un->drained), drained) {
		dest->drained.next = &dest->drained;
		uet_dest_move(dest);
		uet_dest_put(dest);
	}
}
