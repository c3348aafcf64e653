// SPDX-License-Identifier: GPL-2.0
/*
 * Progress: whatever waits at a source must have somebody who ends the wait. That is the
 * timer, the queue of senders that may send, or packets of others that are in flight.
 *
 * Not here: how long it takes in the end (pair_bounds.c).
 */
#include "../../net/uet/core/snd/snd_hold.h"
#include "../../net/uet/core/snd/snd_pick.h"
#include "../../net/uet/core/snd/snd_queue.h"
#include "../../net/uet/core/snd/snd_timer.h"
#include "pair.h"

/* A timer that fires so often at one time never lets it pass. */
#define STUCK	100

static void wrong(struct pair_tx *tx, const char *what)
{
	pair_fail(tx->host->pair, what, tx->id);
}

/* The timer, armed by what events asked for, must not miss a deadline. */
static void live_timer(struct pair_tx *tx)
{
	uint64_t at = uet_snd_deadline(&tx->s);

	if (tx->s.wake_at)
		wrong(tx, "a deadline was noted that nobody armed the timer for");
	if (at && (!tx->timer || tx->timer > at))
		wrong(tx, "the timer is later than a deadline");
}

/* Who ends the wait for packets in flight, held, or that lack a response? */
static void live_outstanding(struct pair_tx *tx)
{
	const struct uet_snd *s = &tx->s;
	u64 oldest;
	u32 psn;

	if (uet_txwin_oldest(&s->win, &psn, &oldest) && !s->rto_at)
		wrong(tx, "a packet in flight never times out");
	if (uet_txwin_waits_for_cack(&s->win) && !list_empty(&s->active) &&
	    !s->rto_at)
		wrong(tx, "nobody asks for the CACK that opens the window");
}

static void live_holds(struct pair_tx *tx)
{
	const struct uet_snd *s = &tx->s;
	const struct uet_snd_queue *q;

	list_for_each_entry(q, &s->holds, hold_node)
		if (q->hold.on && !q->hold.trying &&
		    (!s->hold_at || s->hold_at > q->hold.next))
			wrong(tx, "a hold never ends");
}

/* Would uet_snd_pick() find something, the window of the CCC aside? */
static bool live_has_work(struct uet_snd *s)
{
	u32 psn;

	if (uet_txwin_next_marked(&s->win, &psn))
		return !(s->rod && uet_snd_hold_blocks(s, psn));
	return !list_empty(&s->active) &&
	       !(s->rod && uet_snd_hold_blocks(s, s->win.next)) &&
	       uet_snd_has_room(s) != UET_SND_NOTHING;
}

static void live_ready(struct pair_tx *tx)
{
	struct uet_snd *s = &tx->s;

	if (list_empty(&s->ready_node) && !s->retry_at && live_has_work(s))
		wrong(tx, "a sender has packets but is not in line");
}

/*
 * A queue that can send must be in line, or in that for its lane. If the MTU shrank and
 * what was less than a packet is one now, it may wait until the user adds to it.
 */
static void live_queue(struct pair_queue *q)
{
	const struct uet_snd_msg *m;

	if (!list_empty(&q->q.active) || !uet_snd_sendable(&q->tx->s, &q->q))
		return;
	m = list_first_entry(&q->q.msgs, struct uet_snd_msg, node);
	if (m->eom || m->withdrawn || !q->tx->host->pair->c->mtus)
		wrong(q->tx, "a queue has packets but is not in line");
}

/* If the window is closed an answer, or a timeout, must be to come. */
static void live_window(struct pair_host *h)
{
	if (h->ccc.state == UET_CCC_ACTIVE && !h->ccc.inflight_pkts &&
	    h->ccc.blocked & UET_CC_BLOCK_WINDOW)
		pair_fail(h->pair, "nothing in flight closes the window",
			  (uint32_t)h->ccc.inflight);
}

void live_check(struct pair_host *h)
{
	uint32_t i;

	for (i = 0; i < h->nr_tx; i++) {
		struct pair_tx *tx = h->tx[i];

		if (tx->s.state == UET_PDC_DEAD)
			continue;
		live_timer(tx);
		live_outstanding(tx);
		live_holds(tx);
		live_ready(tx);
	}
	for (i = 0; i < PAIR_QUEUES; i++)
		if (h->queue[i].tx && h->queue[i].tx->s.state != UET_PDC_DEAD)
			live_queue(&h->queue[i]);
	live_window(h);
}

void live_fired(struct pair_tx *tx)
{
	uint64_t now = tx->host->pair->now;

	tx->stuck = tx->fired == now ? tx->stuck + 1 : 0;
	tx->fired = now;
	if (tx->stuck > STUCK)
		wrong(tx, "the timer fires without end");
}
