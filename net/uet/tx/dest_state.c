// SPDX-License-Identifier: GPL-2.0
/*
 * What a queue of messages holds, and what its oldest data waits for, derived from
 * what its sender, its CCC and its flow know anyway.
 *
 * Not here: totals of such waits (tx/info.c).
 */
#include <linux/jiffies.h>
#include <linux/ktime.h>

#include "core/snd_hold.h"
#include "core/snd_pick.h"
#include "core/snd_queue.h"
#include "link/peer.h"
#include "pdc/pdc.h"
#include "sock.h"
#include "tx/dest_state.h"
#include "tx/flow.h"
#include "tx/half.h"
#include "tx/txmsg.h"

/* A cause, and how long it has lasted, ns */
struct uet_dest_wait {
	enum uet_nl_wait	why;
	u64			ns;
};

static u64 uet_jiffies_ago(unsigned long at)
{
	return jiffies64_to_nsecs(jiffies - at);
}

static struct uet_dest_wait uet_wait_from(enum uet_nl_wait why, u64 at, u64 now)
{
	return (struct uet_dest_wait){ why, now > at ? now - at : 0 };
}

static struct uet_dest_wait uet_wait_since(enum uet_nl_wait why,
					   unsigned long at)
{
	return (struct uet_dest_wait){ why, uet_jiffies_ago(at) };
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

/* Does an ordered PDC wait for another queue? Its hold stops all queues, and
 * those for one endpoint send one message after the other.
 */
static bool uet_wait_line(const struct uet_dest *dest, const struct uet_snd *s,
			  u64 now, struct uet_dest_wait *w)
{
	const struct uet_snd_queue *q = &dest->q, *other;

	if (!s->rod)
		return false;
	if (!list_empty(&s->holds) && uet_snd_hold_blocks(s, s->win.next)) {
		other = list_first_entry(&s->holds, struct uet_snd_queue,
					 hold_node);
		*w = uet_wait_from(UET_WAIT_LINE, other->hold.since, now);
		return true;
	}
	if (!q->lane || !q->lane->owner || q->lane->owner == q)
		return false;
	*w = uet_wait_since(UET_WAIT_LINE, uet_first_msg(&q->msgs)->born);
	return true;
}

/* What keeps all data of a flow back, if anything does */
static bool uet_wait_flow(const struct uet_flow *flow, u64 now,
			  struct uet_dest_wait *w)
{
	if (flow->route_since && flow->ccc.state != UET_CCC_IDLE) {
		*w = uet_wait_from(UET_WAIT_ROUTE, flow->route_gone, now);
		return true;
	}
	/* Changes without the flow lock */
	if (!hlist_unhashed_lockless(&flow->neigh_node)) {
		*w = uet_wait_since(UET_WAIT_ROUTE, flow->neigh_since);
		return true;
	}
	return false;
}

/* What data waits for that its queue could send */
static struct uet_dest_wait uet_wait_window(const struct uet_pdc_tx *tx,
					    const struct uet_txmsg *head, u64 now)
{
	const struct uet_flow *flow = tx->flow;
	const struct uet_ccc *ccc = &flow->ccc;

	if (tx->snd.mpr_since && !uet_txwin_allowed(&tx->snd.win))
		return uet_wait_from(UET_WAIT_RECEIVE_WINDOW, tx->snd.mpr_since,
				     now);
	if (ccc->blocked & UET_CC_BLOCK_WINDOW)
		return uet_wait_from(UET_WAIT_WINDOW, ccc->state_since, now);
	if (ccc->blocked & UET_CC_BLOCK_CREDIT)
		return uet_wait_from(UET_WAIT_CREDIT, ccc->credit_wait_since,
				     now);
	if (flow->share.since)
		return uet_wait_from(UET_WAIT_PORT, flow->share.since, now);
	return uet_wait_since(UET_WAIT_TURN, head->born);
}

/* What the oldest data of a queue with messages waits for; both locks held */
static struct uet_dest_wait uet_dest_wait(const struct uet_dest *dest,
					  const struct uet_pdc *pdc, u64 now)
{
	const struct uet_txmsg *head = uet_first_msg(&dest->q.msgs);
	const struct uet_pdc_tx *tx = pdc->tx;
	const struct uet_snd *s = &tx->snd;
	const struct uet_snd_hold *hold = &dest->q.hold;
	struct uet_dest_wait w;

	lockdep_assert_held(&tx->flow->lock);
	if (s->state == UET_PDC_DEAD)
		return uet_wait_from(UET_WAIT_MOVING, tx->died_at, now);
	if (hold->on || (hold->ramp && !hold->budget && head))
		return uet_wait_from(UET_WAIT_RECEIVER, hold->since, now);
	if (uet_wait_flow(tx->flow, now, &w))
		return w;
	if (s->state == UET_PDC_SYN)
		return uet_wait_since(UET_WAIT_OPENING,
				      uet_dest_oldest(dest)->born);
	/* All is sent. */
	if (!head) {
		head = uet_first_msg(&dest->q.sent);
		w = uet_wait_since(UET_WAIT_ANSWER, head->born);
		w.ns = min(w.ns, uet_wait_from(0, s->heard, now).ns);
		return w;
	}
	if (uet_wait_line(dest, s, now, &w))
		return w;
	if (!head->m.eom && !uet_snd_sendable(s, &dest->q))
		return uet_wait_since(UET_WAIT_WRITER, head->fed);
	return uet_wait_window(tx, head, now);
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

/* State of a queue; dest->lock and the flow lock of @pdc, if it has one, held */
static void uet_dest_describe(const struct uet_dest *dest,
			      const struct uet_pdc *pdc,
			      struct uet_dest_state *st)
{
	const struct uet_txmsg *oldest = uet_dest_oldest(dest);
	struct uet_dest_wait w = {};
	u64 now = ktime_get_ns();

	lockdep_assert_held(&dest->lock);
	*st = (struct uet_dest_state) {
		.inode		= dest->us ? dest->us->inode : 0,
		.bound		= pdc,
		.msgs		= dest->q.unfinished + dest->submitting +
				  uet_moving_msgs(dest),
		.bytes		= atomic_long_read(&dest->wmem),
		.held_ns	= uet_snd_held_ns(&dest->q, now),
		.oldest_ns	= oldest ? uet_jiffies_ago(oldest->born) : 0,
	};
	if (dest->moves || dest->submitting)
		w = uet_wait_since(UET_WAIT_MOVING, dest->moves_at);
	else if (pdc && oldest)
		w = uet_dest_wait(dest, pdc, now);
	st->wait = w.why;
	st->wait_ns = w.ns;
	if (!pdc)
		return;
	st->laddr = pdc->peer->key.laddr;
	st->pdc = pdc->id;
	st->ccc = pdc->tx->flow->id;
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

/* What a message waits for that was sent: not for what keeps later ones back */
static enum uet_nl_wait uet_sent_wait(const struct uet_dest_state *st)
{
	switch (st->wait) {
	case UET_WAIT_MOVING:
	case UET_WAIT_RECEIVER:
	case UET_WAIT_ROUTE:
	case UET_WAIT_OPENING:
		return st->wait;
	default:
		return UET_WAIT_ANSWER;
	}
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
	uet_msgs_visit(&dest->q.sent, uet_sent_wait(&st), &st, visit, arg);
	uet_msgs_visit(&dest->q.msgs, st.wait, &st, visit, arg);
	uet_msgs_visit(&dest->moving, UET_WAIT_MOVING, &st, visit, arg);
	uet_dest_let_go(dest, pdc);
}
