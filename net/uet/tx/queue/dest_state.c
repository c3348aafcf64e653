// SPDX-License-Identifier: GPL-2.0
/*
 * What a queue of messages holds.
 *
 * Not here: what it waits for (tx/queue/wait.c), totals of such waits (tx/queue/info.c).
 */
#include <linux/jiffies.h>
#include <linux/ktime.h>

#include "core/snd/snd_hold.h"
#include "core/snd/snd_queue.h"
#include "link/peer.h"
#include "pdc/pdc.h"
#include "sock.h"
#include "tx/cms/flow.h"
#include "tx/msg/txmsg.h"
#include "tx/pds/half.h"
#include "tx/queue/defer.h"
#include "tx/queue/dest_state.h"
#include "tx/queue/wait.h"

static u64 uet_jiffies_ago(unsigned long at)
{
	return jiffies64_to_nsecs(jiffies - at);
}

/* The oldest message of a list; they are in order */
static const struct uet_txmsg *uet_first_msg(const struct list_head *list)
{
	return list_empty(list) ? NULL :
	       list_first_entry(list, struct uet_txmsg, m.node);
}

/* The oldest message of a queue, or NULL */
static const struct uet_txmsg *uet_dest_oldest(const struct uet_dest *dest)
{
	const struct list_head *lists[] = {
		&dest->q.sent, &dest->q.msgs, &dest->moving,
	};
	const struct uet_txmsg *msg, *oldest = NULL;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(lists); i++) {
		msg = uet_first_msg(lists[i]);
		if (msg && (!oldest || time_before(msg->born, oldest->born)))
			oldest = msg;
	}
	return oldest;
}

/* They move for a moment only: not worth a counter */
static u32 uet_moving_msgs(const struct uet_dest *dest)
{
	const struct list_head *pos;
	u32 n = 0;

	list_for_each(pos, &dest->moving)
		n++;
	return n;
}

/* The deferred messages of a queue; @ns is set to the age of the oldest one. */
static u32 uet_deferred_msgs(const struct uet_dest *dest, u64 *ns)
{
	const struct uet_txmsg *msg;
	u64 oldest = 0;
	u32 n = 0;

	uet_defer_lock(dest->un);
	list_for_each_entry(msg, &dest->deferred, m.node) {
		oldest = max(oldest, uet_jiffies_ago(msg->born));
		n++;
	}
	uet_defer_unlock(dest->un);
	*ns = oldest;
	return n;
}

/* State of a queue; dest->lock and the flow lock of @pdc, if it has one, held */
static void uet_dest_describe(const struct uet_dest *dest,
			      const struct uet_pdc *pdc,
			      struct uet_dest_state *st)
{
	const struct uet_txmsg *oldest = uet_dest_oldest(dest);
	u64 now = ktime_get_ns(), deferred_ns;
	u32 deferred = uet_deferred_msgs(dest, &deferred_ns);
	struct uet_wait w = {};

	lockdep_assert_held(&dest->lock);
	*st = (struct uet_dest_state) {
		.inode		= dest->us ? dest->us->inode : 0,
		.bound		= pdc,
		.msgs		= dest->q.unfinished + dest->submitting +
				  uet_moving_msgs(dest) + deferred,
		.bytes		= atomic_long_read(&dest->wmem),
		.held_ns	= uet_snd_held_ns(&dest->q, now),
		.oldest_ns	= max(oldest ? uet_jiffies_ago(oldest->born) : 0,
				      deferred_ns),
	};
	if (dest->moves || dest->submitting)
		w = uet_moving_wait(dest->moves_at);
	else if (pdc && oldest)
		w = uet_queue_wait(dest, pdc, oldest->born);
	else if (unlikely(deferred))
		w = (struct uet_wait) {
			.why = UET_WAIT_RECEIVER, .since = now - deferred_ns,
		};
	st->wait = w.why;
	st->wait_ns = uet_wait_ns(&w, now);
	if (!pdc)
		return;
	st->laddr = pdc->peer->key.laddr;
	st->pdc = pdc->id;
	st->ccc = pdc->tx->flow->id;
	st->peer = pdc->peer->id;
}

static struct uet_pdc *uet_dest_hold_still(struct uet_dest *dest)
{
	spin_lock_bh(&dest->lock);
	if (dest->pdc)
		spin_lock(&dest->pdc->tx->flow->lock);
	return dest->pdc;
}

static void uet_dest_let_go(struct uet_dest *dest, struct uet_pdc *pdc)
{
	if (pdc)
		spin_unlock(&pdc->tx->flow->lock);
	spin_unlock_bh(&dest->lock);
}

/**
 * uet_dest_state() - what a queue holds and waits for
 * @dest: the queue
 * @st: filled
 *
 * Context: BH enabled; RCU read side or a reference.
 */
void uet_dest_state(struct uet_dest *dest, struct uet_dest_state *st)
{
	struct uet_pdc *pdc = uet_dest_hold_still(dest);

	uet_dest_describe(dest, pdc, st);
	uet_dest_let_go(dest, pdc);
}

static void uet_msgs_visit(const struct list_head *list, enum uet_nl_wait wait,
			   const struct uet_dest_state *st,
			   uet_txmsg_visit visit, void *arg)
{
	const struct uet_txmsg *msg;

	list_for_each_entry(msg, list, m.node)
		if (!visit(msg, wait, st, arg))
			return;
}

/**
 * uet_dest_visit() - visit the messages of a queue
 * @dest: the queue
 * @visit: called for each, the oldest of a list first
 * @arg: for @visit
 *
 * Context: BH enabled; RCU read side or a reference. @visit is called with BH
 * disabled.
 */
void uet_dest_visit(struct uet_dest *dest, uet_txmsg_visit visit, void *arg)
{
	struct uet_pdc *pdc = uet_dest_hold_still(dest);
	struct uet_dest_state st;

	uet_dest_describe(dest, pdc, &st);
	uet_msgs_visit(&dest->q.sent, uet_sent_msg_wait(st.wait, pdc), &st,
		       visit, arg);
	uet_msgs_visit(&dest->q.msgs, st.wait, &st, visit, arg);
	uet_msgs_visit(&dest->moving, UET_WAIT_MOVING, &st, visit, arg);
	uet_defer_lock(dest->un);
	uet_msgs_visit(&dest->deferred, UET_WAIT_RECEIVER, &st, visit, arg);
	uet_defer_unlock(dest->un);
	uet_dest_let_go(dest, pdc);
}
