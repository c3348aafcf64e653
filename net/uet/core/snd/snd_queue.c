// SPDX-License-Identifier: GPL-2.0
/*
 * Queues of a sender: messages in line, whose turn it is, and lanes, which keep the
 * messages of an ordered sender for one endpoint apart. See snd.h.
 *
 * Queues take turns, so that a short message of one socket does not wait behind a
 * long one of another; within a queue messages go one after the other.
 *
 * A message that the user still fills may stall. Meanwhile queues that need a
 * sender take another one (uet_snd_lane_stalls()).
 *
 * Not here: the next packet (snd_pick.c).
 */
#include "snd_hold.h"
#include "snd_priv.h"
#include "snd_queue.h"

/* A sender takes no new queues if a begun message had no data for this long, ns */
#define LANE_STALL	100000000ULL

void uet_snd_queue_init(struct uet_snd_queue *q, u16 pid)
{
	INIT_LIST_HEAD(&q->msgs);
	INIT_LIST_HEAD(&q->sent);
	INIT_LIST_HEAD(&q->active);
	INIT_LIST_HEAD(&q->hold_node);
	q->pid = pid;
}

/* Nominal bytes of the packets that @bytes of a message need */
static u64 snd_msg_nominal(const struct uet_snd_flow *f, u64 bytes)
{
	u64 pkts = 1;

	if (bytes > f->payload_mtu)
		pkts = div_u64(bytes + f->payload_mtu - 1, f->payload_mtu);
	return pkts * f->overhead + bytes;
}

void uet_snd_announce(struct uet_snd *s, struct uet_snd_msg *m, u64 now)
{
	u64 total = snd_msg_nominal(s->flow, m->filled);
	u64 more = total - m->announced;

	if (total <= m->announced || s->state == UET_PDC_DEAD)
		return;
	m->announced = total;
	m->backlog += more;
	uet_ccc_on_new_data(s->flow->ccc, now, more);
}

void uet_snd_submit(struct uet_snd *s, struct uet_snd_msg *m, u64 now)
{
	uet_snd_enter(s, m);
	uet_snd_announce(s, m, now);
}

void uet_snd_enqueue(struct uet_snd *s, struct uet_snd_msg *m, u64 now)
{
	list_add_tail(&m->node, &m->queue->msgs);
	uet_snd_activate(s, m->queue, now);
}

bool snd_may_send(const struct uet_snd *s, const struct uet_snd_queue *q,
		  const struct uet_snd_msg *head)
{
	if (!head)
		return false;
	/* MSG_ERROR needs no room at the target and frees some. */
	if (unlikely(head->withdrawn))
		return true;
	return likely(!q->hold.on) &&
	       likely(!q->hold.ramp || q->hold.budget) &&
	       snd_next_len(head, s->flow->payload_mtu) >= 0;
}

bool uet_snd_sendable(const struct uet_snd *s, const struct uet_snd_queue *q)
{
	return snd_may_send(s, q, snd_head(q));
}

void snd_cover(struct uet_snd *s, struct uet_snd_msg *m, u32 size, u64 now)
{
	if (likely(m->backlog >= size) || s->state == UET_PDC_DEAD)
		return;
	uet_ccc_on_new_data(s->flow->ccc, now, size - m->backlog);
	m->backlog = size;
}

void snd_cover_next(struct uet_snd *s, struct uet_snd_msg *m, u64 now)
{
	int len = snd_next_len(m, s->flow->payload_mtu);

	snd_cover(s, m, uet_snd_nominal(s->flow, len), now);
}

void snd_lane_wait(struct uet_snd_queue *q)
{
	list_del(&q->active);
	list_add_tail(&q->active, &q->lane->waiting);
}

static void snd_lane_set_stalled(struct uet_snd *s, struct uet_snd_lane *lane,
				 bool stalled, u64 now)
{
	if (lane->stalled == stalled)
		return;
	lane->stalled = stalled;
	/* Both pair with uet_snd_lane_stalls() and uet_snd_lanes_stalled(). */
	if (stalled && !s->lanes_stalled)
		WRITE_ONCE(s->stalled_at, now);
	WRITE_ONCE(s->lanes_stalled, s->lanes_stalled + (stalled ? 1 : -1));
}

bool uet_snd_lane_stalls(const struct uet_snd *s, u64 now)
{
	return uet_snd_lanes_stalled(s) &&
	       now > READ_ONCE(s->stalled_at) + LANE_STALL;
}

void uet_snd_ready(struct uet_snd *s)
{
	struct uet_snd_flow *f = s->flow;

	if (s->state == UET_PDC_DEAD || !list_empty(&s->ready_node))
		return;
	if (uet_turn_over(&s->turn, snd_flow_quantum(f)))
		list_add_tail(&s->ready_node, &f->ready);
	else
		list_add(&s->ready_node, &f->ready);
}

void uet_snd_rotate(struct uet_snd *s)
{
	struct uet_snd_flow *f = s->flow;

	if (list_empty(&s->active) && !s->win.ring->nr_marked)
		list_del_init(&s->ready_node);
	else if (uet_turn_over(&s->turn, snd_flow_quantum(f)))
		list_move_tail(&s->ready_node, &f->ready);
}

void uet_snd_activate(struct uet_snd *s, struct uet_snd_queue *q, u64 now)
{
	if (!list_empty(&q->active) || !uet_snd_sendable(s, q))
		return;
	if (unlikely(snd_lane_busy(q))) {
		snd_lane_wait(q);
		return;
	}
	if (q->lane && q->lane->owner == q)
		snd_lane_set_stalled(s, q->lane, false, now);
	snd_cover_next(s, snd_head(q), now);
	if (uet_turn_over(&q->turn, snd_queue_quantum(s->flow)))
		list_add_tail(&q->active, &s->active);
	else
		list_add(&q->active, &s->active);
	uet_snd_ready(s);
}

/* Without an owner the queue that has waited longest may begin. */
static void snd_lane_wake(struct uet_snd *s, struct uet_snd_lane *lane, u64 now)
{
	struct uet_snd_queue *q;

	while (!lane->owner && !list_empty(&lane->waiting)) {
		q = list_first_entry(&lane->waiting, struct uet_snd_queue,
				     active);
		list_del_init(&q->active);
		uet_snd_activate(s, q, now);
		if (!list_empty(&q->active))
			return;
	}
}

void uet_snd_step_out(struct uet_snd *s, struct uet_snd_queue *q, u64 now)
{
	struct uet_snd_lane *lane = q->lane;

	if (list_empty(&q->active))
		return;
	list_del_init(&q->active);
	if (likely(!lane))
		return;
	if (lane->owner == q && !q->hold.on)
		snd_lane_set_stalled(s, lane, true, now);
	snd_lane_wake(s, lane, now);
}

void snd_lane_pass_on(struct uet_snd *s, struct uet_snd_lane *lane, u64 now)
{
	snd_lane_set_stalled(s, lane, false, now);
	lane->owner = NULL;
	snd_lane_wake(s, lane, now);
}

struct uet_snd_lane *uet_snd_lane_join(struct uet_snd *s,
				       struct uet_snd_queue *q,
				       struct uet_snd_lane *spare)
{
	struct uet_snd_lane *lane;

	list_for_each_entry(lane, &s->lanes, node)
		if (lane->pid == q->pid)
			goto found;
	lane = spare;
	spare = NULL;
	memset(lane, 0, sizeof(*lane));
	lane->pid = q->pid;
	INIT_LIST_HEAD(&lane->waiting);
	list_add(&lane->node, &s->lanes);
found:
	lane->users++;
	q->lane = lane;
	return spare;
}

struct uet_snd_lane *uet_snd_leave(struct uet_snd *s, struct uet_snd_queue *q,
				   u64 now)
{
	struct uet_snd_lane *lane = q->lane;

	list_del_init(&q->active);
	if (!list_empty(&q->hold_node))
		/* At an ordered sender other queues may wait for this hold. */
		uet_snd_ready(s);
	uet_snd_hold_clear(s, q, now);
	if (!lane)
		return NULL;
	snd_lane_ended(s, q, now);
	q->lane = NULL;
	if (--lane->users) {
		snd_lane_wake(s, lane, now);
		return NULL;
	}
	list_del(&lane->node);
	return lane;
}

bool uet_snd_drop(struct uet_snd *s, struct uet_snd_msg *m, u64 now)
{
	struct uet_snd_queue *q = m->queue;

	if (m->backlog)
		uet_ccc_withdraw(s->flow->ccc, now, m->backlog);
	m->backlog = 0;
	m->state = UET_MSG_DONE;
	list_del(&m->node);
	q->unfinished--;
	s->nr_msgs--;
	/* If it kept the next message back: that one may go now. */
	if (uet_snd_sendable(s, q))
		uet_snd_activate(s, q, now);
	else
		uet_snd_step_out(s, q, now);
	return !q->unfinished;
}

void uet_snd_end(struct uet_snd *s, struct uet_snd_msg *m, u64 now)
{
	m->withdrawn = true;
	uet_snd_activate(s, m->queue, now);
}

/* Queue a message again whose packets are all answered. */
static noinline void snd_requeue(struct uet_snd *s, struct uet_snd_msg *m, u64 now)
{
	struct list_head *at = &m->queue->msgs;
	const struct uet_snd_msg *first = snd_head(m->queue);

	m->again = false;
	m->withdrawn = false;
	m->all_sent = false;
	m->state = UET_MSG_QUEUED;
	m->sent = m->from;
	m->run_len = 0;
	m->announced = 0;
	/* A begun message may occupy the target: it stays in front. */
	if (first && first->state != UET_MSG_QUEUED)
		at = at->next;
	list_add(&m->node, at);
	uet_snd_announce(s, m, now);
	uet_snd_activate(s, m->queue, now);
}

bool uet_snd_finish(struct uet_snd *s, struct uet_snd_msg *m, u64 now)
{
	list_del(&m->begun);
	list_del(&m->node);
	if (list_empty(&s->begun))
		s->one_by_one = false;
	if (m->again && !m->deferred && m->state != UET_MSG_FAILED) {
		snd_requeue(s, m, now);
		return false;
	}
	/* Of one that is deferred the state is that of its next life. */
	m->state = uet_snd_is_deferred(m) ? UET_MSG_QUEUED : UET_MSG_DONE;
	m->queue->unfinished--;
	s->nr_msgs--;
	return true;
}

bool uet_snd_defer_msg(struct uet_snd *s, struct uet_snd_msg *m, u64 now)
{
	if (m->again || m->withdrawn || m->state == UET_MSG_FAILED || s->rod)
		return false;
	m->again = true;
	m->deferred = true;
	if (!m->all_sent)
		uet_snd_end(s, m, now);
	return true;
}

void uet_snd_rewind(struct uet_snd_msg *m)
{
	m->state = UET_MSG_QUEUED;
	m->sent = m->from;
	m->run_len = 0;
	m->all_sent = false;
	m->again = false;
	m->announced = 0;
	m->disowned = m->from;
	m->maybe_accepted = false;
	m->backlog = 0;
	m->brief = 0;
}

void uet_snd_restart(struct uet_snd_msg *m, u32 from)
{
	m->from = from;
	uet_snd_rewind(m);
	m->deferred = false;
	m->withdrawn = false;
}
