// SPDX-License-Identifier: GPL-2.0
/*
 * What the data of a flow, a PDC or a queue waits for now, and since when: for those
 * who look for the cause of a wait. All is found in state that the transport keeps
 * anyway.
 *
 * The order is the same for all of them: what keeps everything back comes first (no
 * PDC, no route), then the receiver, then what keeps the next packet back. Data that
 * is all sent waits for answers, whatever keeps back what comes after it.
 *
 * A sender on the ready list of its flow has a packet that only the flow keeps
 * back; others wait for something of their own.
 *
 * Not here: how long data waited in all (tx/queue/info.c).
 */
#include <linux/jiffies.h>
#include <linux/ktime.h>

#include "core/snd/snd.h"
#include "core/snd/snd_hold.h"
#include "core/snd/snd_queue.h"
#include "pdc/pdc.h"
#include "tx/cms/flow.h"
#include "tx/msg/txmsg.h"
#include "tx/pds/half.h"
#include "tx/queue/wait.h"

/* Queues of a PDC that are looked at: there may be as many as sockets, and senders
 * wait for the lock meanwhile
 */
#define UET_WAIT_QUEUES		256

static struct uet_wait uet_wait(u32 why, u64 since)
{
	return (struct uet_wait){ .why = why, .since = since };
}

/* The time of ktime_get_ns() at @at in jiffies */
static u64 uet_wait_time(unsigned long at)
{
	return ktime_get_ns() - jiffies64_to_nsecs(jiffies - at);
}

/* Can nothing be sent to the peer at all? */
static bool uet_wait_route(const struct uet_flow *flow, struct uet_wait *w)
{
	if (flow->route_since && flow->ccc.state != UET_CCC_IDLE) {
		*w = uet_wait(UET_WAIT_ROUTE, flow->route_gone);
		return true;
	}
	/* Changes without the flow lock */
	if (!hlist_unhashed_lockless(&flow->neigh_node)) {
		*w = uet_wait(UET_WAIT_ROUTE,
			      uet_wait_time(READ_ONCE(flow->neigh_since)));
		return true;
	}
	return false;
}

/* What a packet waits for that is ready to be sent */
static struct uet_wait uet_wait_ready(const struct uet_flow *flow)
{
	const struct uet_ccc *ccc = &flow->ccc;

	if (ccc->blocked & UET_CC_BLOCK_WINDOW)
		return uet_wait(UET_WAIT_WINDOW, ccc->state_since);
	if (ccc->blocked & UET_CC_BLOCK_CREDIT)
		return uet_wait(UET_WAIT_CREDIT, ccc->credit_wait_since);
	if (flow->share.since)
		return uet_wait(UET_WAIT_PORT, flow->share.since);
	return uet_wait(UET_WAIT_TURN, ccc->state_since);
}

/**
 * uet_flow_wait() - what the data of a flow waits for
 * @flow: the flow
 *
 * If its PDCs wait for different things, what keeps the whole flow back comes
 * first, then what lasts longest. A flow knows less than its PDCs: a wait for
 * answers begins anew when something is sent again, and queues that a receiver let
 * go on slowly after a hold wait for answers.
 *
 * Context: flow lock held.
 * Return: cause and time.
 */
struct uet_wait uet_flow_wait(const struct uet_flow *flow)
{
	const struct uet_snd_flow *snd = &flow->snd;
	const struct uet_ccc *ccc = &flow->ccc;
	struct uet_wait w;

	lockdep_assert_held(&flow->lock);
	if (ccc->state == UET_CCC_IDLE)
		return uet_wait(UET_WAIT_NOTHING, 0);
	if (uet_wait_route(flow, &w))
		return w;
	if (!list_empty(&snd->ready))
		return uet_wait_ready(flow);
	if (snd->holds.nr)
		return uet_wait(UET_WAIT_RECEIVER, snd->holds.since);
	if (snd->mpr.nr)
		return uet_wait(UET_WAIT_RECEIVE_WINDOW, snd->mpr.since);
	/* Data made the first PDC, and the flow with it. */
	if (!ccc->heard)
		return uet_wait(UET_WAIT_OPENING, ccc->created);
	return uet_wait(UET_WAIT_ANSWER, ccc->state_since);
}

/* What keeps all data of a PDC back, if anything does */
static bool uet_wait_whole(const struct uet_pdc_tx *tx, struct uet_wait *w)
{
	if (tx->snd.state != UET_PDC_DEAD)
		return uet_wait_route(tx->flow, w);
	*w = uet_wait(UET_WAIT_MOVING, tx->died_at);
	return true;
}

/* Does the receiver keep a queue back: on hold, or its share of a round trip after
 * one is sent?
 */
static bool uet_wait_held(const struct uet_snd_queue *q)
{
	return q->hold.on ||
	       (q->hold.ramp && !q->hold.budget && !list_empty(&q->msgs));
}

/* The first queue that the receiver keeps back, if it is among the first ones */
static const struct uet_snd_queue *uet_wait_first_held(const struct uet_snd *s)
{
	const struct uet_snd_queue *q;
	u32 left = UET_WAIT_QUEUES;

	list_for_each_entry(q, &s->holds, hold_node) {
		if (uet_wait_held(q))
			return q;
		if (!--left)
			break;
	}
	return NULL;
}

/* What data waits for that was sent */
static struct uet_wait uet_wait_sent(const struct uet_snd *s)
{
	/* @heard is when the PDC was made. */
	if (s->state == UET_PDC_SYN)
		return uet_wait(UET_WAIT_OPENING, s->heard);
	/* After timeouts none of those in flight is as old as the silence. */
	if (s->retries || !uet_txwin_outstanding(&s->win))
		return uet_wait(UET_WAIT_ANSWER, s->heard);
	return uet_wait(UET_WAIT_ANSWER,
			uet_txwin_slot(&s->win, s->win.una)->tx_time);
}

/* The oldest message of a list; they are in order */
static const struct uet_txmsg *uet_wait_first(const struct list_head *list)
{
	return list_empty(list) ? NULL :
	       list_first_entry(list, struct uet_txmsg, m.node);
}

/* When a program last wrote what a queue sends next */
static u64 uet_wait_fed(const struct uet_txmsg *head)
{
	return uet_wait_time(READ_ONCE(head->fed));
}

/* Since when has a PDC without packets waited for programs that write? */
static u64 uet_wait_writers(const struct uet_pdc_tx *tx)
{
	const struct uet_txmsg *head;
	const struct uet_dest *dest;
	u64 since = tx->snd.heard;
	u32 left = UET_WAIT_QUEUES;
	bool found = false;
	u64 fed;

	list_for_each_entry(dest, &tx->dests, pdc_node) {
		if (!left--)
			break;
		head = uet_wait_first(&dest->q.msgs);
		if (!head || head->m.eom)
			continue;
		fed = uet_wait_fed(head);
		since = found ? min(since, fed) : fed;
		found = true;
	}
	return since;
}

/**
 * uet_pdc_wait() - what the data of a PDC waits for
 * @pdc: a PDC with a sending half
 *
 * Context: flow lock held.
 * Return: cause and time.
 */
struct uet_wait uet_pdc_wait(const struct uet_pdc *pdc)
{
	const struct uet_pdc_tx *tx = pdc->tx;
	const struct uet_snd *s = &tx->snd;
	const struct uet_snd_queue *q;
	struct uet_wait w;

	lockdep_assert_held(&tx->flow->lock);
	if (!s->nr_msgs)
		return uet_wait(UET_WAIT_NOTHING, 0);
	if (uet_wait_whole(tx, &w))
		return w;
	if (!list_empty(&s->ready_node))
		return uet_wait_ready(tx->flow);
	q = uet_wait_first_held(s);
	if (q)
		return uet_wait(UET_WAIT_RECEIVER, q->hold.since);
	if (uet_snd_busy(s)->mpr_since)
		return uet_wait(UET_WAIT_RECEIVE_WINDOW, uet_snd_busy(s)->mpr_since);
	if (s->state == UET_PDC_SYN || uet_txwin_outstanding(&s->win))
		return uet_wait_sent(s);
	return uet_wait(UET_WAIT_WRITER, uet_wait_writers(tx));
}

/* The packet that ends a hold when it arrives: it is being tried, or is the next to be */
static u32 uet_wait_held_psn(const struct uet_snd_hold *h)
{
	return h->trying || !h->held.nr ? h->psn : h->held.top;
}

/* Is a queue of an ordered PDC on hold behind another one? The target delivers in order,
 * so what it tries comes to nothing before the earlier packet of the other one arrives.
 */
static bool uet_wait_behind(const struct uet_snd_queue *q, const struct uet_snd *s,
			    struct uet_wait *w)
{
	const struct uet_snd_queue *other;
	u32 left = UET_WAIT_QUEUES;

	if (!s->rod || !q->hold.on)
		return false;
	list_for_each_entry(other, &s->holds, hold_node) {
		if (other->hold.on && psn_before(uet_wait_held_psn(&other->hold),
						 uet_wait_held_psn(&q->hold))) {
			*w = uet_wait(UET_WAIT_LINE, other->hold.since);
			return true;
		}
		if (!--left)
			break;
	}
	return false;
}

/* Does an ordered PDC wait for another queue? Its hold stops all queues, and
 * those for one endpoint send one message after the other.
 */
static bool uet_wait_line(const struct uet_snd_queue *q,
			  const struct uet_txmsg *head,
			  const struct uet_snd *s, struct uet_wait *w)
{
	const struct uet_snd_queue *other;

	if (!s->rod)
		return false;
	other = uet_wait_first_held(s);
	if (other && uet_snd_hold_blocks(s, s->win.next)) {
		*w = uet_wait(UET_WAIT_LINE, other->hold.since);
		return true;
	}
	if (!q->lane || !q->lane->owner || q->lane->owner == q)
		return false;
	*w = uet_wait(UET_WAIT_LINE, uet_wait_time(head->born));
	return true;
}

/* What a queue waits for that is not all sent */
static struct uet_wait uet_wait_unsent(const struct uet_snd_queue *q,
				       const struct uet_txmsg *head,
				       const struct uet_pdc_tx *tx)
{
	const struct uet_snd *s = &tx->snd;
	struct uet_wait w;

	if (uet_wait_line(q, head, s, &w))
		return w;
	if (!head->m.eom && !uet_snd_sendable(s, q))
		return uet_wait(UET_WAIT_WRITER, uet_wait_fed(head));
	if (uet_snd_busy(s)->mpr_since && !uet_txwin_allowed(&s->win))
		return uet_wait(UET_WAIT_RECEIVE_WINDOW, uet_snd_busy(s)->mpr_since);
	if (list_empty(&s->ready_node) &&
	    (s->state == UET_PDC_SYN || uet_txwin_outstanding(&s->win)))
		return uet_wait_sent(s);
	return uet_wait_ready(tx->flow);
}

/**
 * uet_queue_wait() - what the oldest data of a queue waits for
 * @dest: queue with messages
 * @pdc: its PDC
 * @born: when its oldest message was made, jiffies; it waits no longer than that
 *
 * Context: dest->lock and flow lock held.
 * Return: cause and time.
 */
struct uet_wait uet_queue_wait(const struct uet_dest *dest,
			       const struct uet_pdc *pdc, unsigned long born)
{
	const struct uet_txmsg *head = uet_wait_first(&dest->q.msgs);
	const struct uet_pdc_tx *tx = pdc->tx;
	struct uet_wait w;

	lockdep_assert_held(&dest->lock);
	lockdep_assert_held(&tx->flow->lock);
	if (!uet_wait_whole(tx, &w) && !uet_wait_behind(&dest->q, &tx->snd, &w)) {
		if (uet_wait_held(&dest->q))
			w = uet_wait(UET_WAIT_RECEIVER, dest->q.hold.since);
		else if (!head)
			w = uet_wait_sent(&tx->snd);
		else
			w = uet_wait_unsent(&dest->q, head, tx);
	}
	w.since = max(w.since, uet_wait_time(born));
	return w;
}

/**
 * uet_moving_wait() - a queue whose messages move to another PDC
 * @at: since when, jiffies
 *
 * Return: cause and time.
 */
struct uet_wait uet_moving_wait(unsigned long at)
{
	return uet_wait(UET_WAIT_MOVING, uet_wait_time(at));
}

/**
 * uet_sent_msg_wait() - what a message waits for that was sent
 * @why: what its queue waits for
 * @pdc: PDC of the queue, or NULL
 *
 * What only keeps back later messages of the queue is no cause.
 *
 * Context: flow lock of @pdc held.
 * Return: enum uet_nl_wait.
 */
enum uet_nl_wait uet_sent_msg_wait(u32 why, const struct uet_pdc *pdc)
{
	switch (why) {
	case UET_WAIT_MOVING:
	case UET_WAIT_RECEIVER:
	case UET_WAIT_ROUTE:
		return why;
	default:
		return pdc ? uet_wait_sent(&pdc->tx->snd).why : UET_WAIT_ANSWER;
	}
}
