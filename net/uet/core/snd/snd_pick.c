// SPDX-License-Identifier: GPL-2.0
/*
 * Which packet of a sender is next (UE 1.0 3.5.12), how many leave as a run, and
 * when one asks for an ACK. See snd.h.
 *
 * Retransmissions go first. New packets come from the queues in turn.
 *
 * Not here: whose turn it is (snd_queue.c), packets as bytes.
 */
#include "../cc/fall.h"
#include "../wire/probe.h"
#include "snd_hold.h"
#include "snd_pick.h"
#include "snd_priv.h"
#include "snd_queue.h"
#include "snd_timer.h"
#include "txwin_scan.h"

bool uet_snd_answer_due(const struct uet_snd *s)
{
	struct uet_ackreq_rule rule = snd_ackreq_rule(s);

	return uet_ackreq_due(&s->ackreq, &s->win, &rule);
}

/*
 * Has half of the RTO passed without an answer? Each packet postpones the tail
 * probe, so that it may never ask if short messages follow one another slowly.
 */
static bool snd_waits_long(const struct uet_snd *s, u64 now)
{
	return s->rto_at && now + uet_wait_unpack(s->rto_half) >= s->rto_at;
}

/* Does the sender have another packet to send at once? */
static bool snd_more_follows(const struct uet_snd *s,
			     const struct uet_snd_msg *m)
{
	const struct uet_snd_queue *q = m->queue, *other;

	if (!list_empty(&q->active) && !list_is_last(&m->node, &q->msgs))
		return snd_next_len(list_next_entry(m, node),
				    s->flow->payload_mtu) >= 0;
	other = snd_first(s);
	return other && (other != q || !list_is_singular(&s->active));
}

/* What the target counts for a packet or run */
static u32 snd_counted(const struct uet_snd_out *out)
{
	return (out->n - 1) * uet_ackreq_counted(&out->rule, out->pkt.len) +
	       uet_ackreq_counted(&out->rule, out->last_len);
}

/*
 * AR (UE 1.0 3.5.12) is set if the CCC wants an ACK, on one answer in eight a
 * packet early, on the last packet that a window allows, and at the end of a
 * message of several packets, or of those that follow it at once. After a shorter
 * message the next one sets AR if half of the RTO has passed, or the tail probe
 * asks; if the peer is not known to answer probes, the end of the last message sets
 * it. So does one that the program waits to hear of, if no answer is under way that it
 * could wait for: a program that takes the next step after each pays for no probe.
 *
 * @out has @n packets of @size nominal bytes, which the target counts as @bytes.
 */
static __always_inline bool snd_asks(const struct uet_snd *s,
				     const struct uet_snd_out *out, u32 n, u32 bytes,
				     u32 size, bool last, u64 now)
{
	const struct uet_ackreq_rule *rule = &out->rule;
	const struct uet_snd_msg *m = out->pkt.msg;
	const struct uet_snd_flow *f = s->flow;
	const struct uet_ccc *ccc = f->ccc;
	u64 inflight = max(ccc->inflight, 0LL);
	/* As in UE 1.0 3.6.13.5: if the CCC wants it, and for each message */
	bool all = READ_ONCE(f->rules->ack_request_all);

	if (unlikely(all) && (last || uet_ccc_ack_req(ccc, size)))
		return true;
	if (unlikely(uet_ccc_ack_req(ccc, size)) &&
	    uet_ackreq_wanted(&s->ackreq, &s->win, rule, bytes,
			      uet_ccc_window(ccc), inflight))
		return true;
	if (inflight > s->win.ring->flight_bytes && s->win.ring->flight_pkts &&
	    uet_ackreq_share(&s->ackreq, &s->win, bytes, uet_ccc_window(ccc),
			     inflight))
		return true;
	if (unlikely(uet_ackreq_slips(&s->ackreq, rule, bytes)))
		return true;
	if (uet_txwin_allowed(&s->win) == n)
		return true;
	/* After a hold ACKs release the next packets. */
	if (unlikely(m->queue->hold.ramp && m->queue->hold.budget <= 1))
		return true;
	if (!last)
		return false;
	if (snd_waits_long(s, now))
		return true;
	return (m->len > f->payload_mtu || s->owes_ar ||
		(m->told && !uet_snd_answer_due(s)) ||
		unlikely(READ_ONCE(*f->probes) != UET_PROBES_ANSWERED)) &&
	       !snd_more_follows(s, m);
}

/* ... of what was picked */
static noinline bool snd_wants_ar(const struct uet_snd *s,
				  const struct uet_snd_out *out, u64 now)
{
	return snd_asks(s, out, out->n, snd_counted(out), uet_snd_out_size(out),
			out->last, now);
}

static void snd_begin(struct uet_snd *s, struct uet_snd_msg *m)
{
	struct uet_snd_queue *q = m->queue;

	m->state = UET_MSG_SENDING;
	/* 0 is for UUD and "none". */
	if (unlikely(!s->next_msg_id))
		s->next_msg_id++;
	m->msg_id = s->next_msg_id++;
	m->generation = q->generation;
	if (q->lane)
		q->lane->owner = q;
	list_add_tail(&m->begun, &s->begun);
}

/* How many bytes less than others do the headers of a message have that begins with a
 * packet of @len bytes? Only those of one packet can be shorter.
 */
static u8 snd_less(const struct uet_snd_msg *m, u32 len)
{
	if (likely(!m->brief) || !m->eom || m->withdrawn || m->sent ||
	    len != m->len)
		return 0;
	return m->brief;
}

/* Are fewer than UET_MSGS_BEGUN_MAX message ids in use? */
static bool snd_may_begin(const struct uet_snd *s)
{
	const struct uet_snd_msg *oldest;

	if (list_empty(&s->begun))
		return true;
	oldest = list_first_entry(&s->begun, struct uet_snd_msg, begun);
	return (u16)(s->next_msg_id - oldest->msg_id) < UET_MSGS_BEGUN_MAX;
}

/* How many packets of a message may leave as a run now, the window aside? */
static u32 snd_run_limit(const struct uet_snd *s, const struct uet_snd_msg *m,
			 u32 len)
{
	u32 have = m->filled - m->sent, n;

	/* SYN packets differ; a target that is short takes one after the other. */
	if (!m->run_len || m->run_len != len || m->withdrawn || s->state == UET_PDC_SYN ||
	    m->queue->hold.ramp || (s->rod && !list_empty(&s->holds)))
		return 1;
	n = have / len + (m->eom && have % len);
	if (unlikely(m->run_max))
		n = min_t(u32, n, m->run_max);
	return min3(n, uet_txwin_room(&s->win), (u32)s->flow->run_max);
}

/* Is a message one packet, which another one follows that may share its buffer? Then
 * they share an entropy value, as the packets of a run do.
 */
static bool snd_is_joined(const struct uet_snd *s, const struct uet_snd_msg *m, u32 len)
{
	const struct uet_snd_msg *next;

	if (!m->joins || m->len != len || s->flow->run_max <= 1 ||
	    list_empty(&m->node) || list_is_last(&m->node, &m->queue->msgs))
		return false;
	next = list_next_entry(m, node);
	return next->joins && next->len <= len;
}

/* Take a run if it is allowed; @out has its first packet. */
static void snd_pick_run(struct uet_snd *s, struct uet_snd_msg *m,
			 struct uet_snd_out *out)
{
	struct uet_snd_flow *f = s->flow;
	u32 len = out->pkt.len, limit = snd_run_limit(s, m, len);

	out->joined = limit <= 1 && snd_is_joined(s, m, len);
	/* What joins others goes their way as long as they do. */
	if (limit <= 1 && (!out->joined || f->ccc->run_left))
		return;
	f->run = (u8)uet_ccc_run(f->ccc, out->ask.now, out->ask.size,
				  f->run_max);
	out->n = min_t(u32, limit, f->run);
}

/* The number of packets is settled: which one is the last? */
static void snd_end_run(const struct uet_snd_msg *m, struct uet_snd_out *out)
{
	u32 left = m->filled - m->sent - (out->n - 1) * out->pkt.len;

	if (out->n > 1)
		out->last_len = min_t(u32, left, out->pkt.len);
	out->last = m->withdrawn || m->sent + uet_snd_out_len(out) == m->len;
}

/* A new packet of @len bytes, which leaves by itself unless its caller makes it a run */
static __always_inline void snd_pick_one(struct uet_snd *s, struct uet_snd_msg *m,
					 u32 len, u64 now, u64 port_free,
					 struct uet_snd_out *out)
{
	if (m->state == UET_MSG_QUEUED)
		m->less = snd_less(m, len);
	out->pkt = (struct uet_snd_pkt) {
		.msg = m, .off = m->sent, .len = (u16)len,
		.flags = m->withdrawn ? UET_SND_MSG_ERROR : 0,
	};
	out->ask = (struct uet_ccc_ask) {
		.now = now, .port_free = port_free, .want = 1,
		.size = uet_snd_nominal(s->flow, len) - m->less,
	};
	out->rule = snd_ackreq_rule(s);
	out->psn = s->win.next;
	out->n = 1;
	out->last_len = len;
	out->rtx = false;
	out->alone = false;
	out->joined = false;
}

static void snd_pick_new(struct uet_snd *s, struct uet_snd_msg *m, u64 now,
			 u64 port_free, struct uet_snd_out *out)
{
	struct uet_snd_flow *f = s->flow;

	snd_pick_one(s, m, (u32)snd_next_len(m, f->payload_mtu), now, port_free, out);
	snd_pick_run(s, m, out);
	out->ask.want = (u16)out->n;
	if (m->state == UET_MSG_QUEUED)
		snd_begin(s, m);
	uet_ccc_get_send_params(f->ccc, &out->ask, &out->params);
	out->n = min_t(u32, out->n, out->params.run);
	snd_end_run(m, out);
	/* The packets became larger while the message was queued. */
	snd_cover(s, m, uet_snd_out_size(out), now);
	out->ar = out->params.answer || snd_wants_ar(s, out, now);
}

void uet_snd_pick_single(struct uet_snd *s, struct uet_snd_out *out, u64 now)
{
	out->n = 1;
	out->last_len = out->pkt.len;
	out->last = out->pkt.off + out->pkt.len == out->pkt.msg->len;
	out->ar = out->params.answer || snd_wants_ar(s, out, now);
}

bool uet_snd_may_alone(const struct uet_snd *s, const struct uet_snd_msg *m)
{
	const struct uet_snd_queue *q = m->queue;

	return m->len <= s->flow->payload_mtu && !m->withdrawn &&
	       !s->win.ring->nr_marked &&
	       s->state == UET_PDC_ESTABLISHED &&
	       uet_ccc_may_begin(s->flow->ccc) &&
	       list_empty(&s->active) && list_empty(&q->msgs) &&
	       !q->hold.on && !q->hold.ramp && !snd_lane_busy(q) &&
	       !(s->rod && uet_snd_hold_blocks(s, s->win.next)) &&
	       snd_may_begin(s);
}

void uet_snd_pick_alone(struct uet_snd *s, struct uet_snd_msg *m, u64 now,
			u64 port_free, struct uet_snd_out *out)
{
	u32 len = m->len - m->sent;

	/* The queues are empty: a turn begins or goes on. */
	if (unlikely(uet_turn_used_up(&m->queue->turn)))
		uet_turn_over(&m->queue->turn, snd_queue_quantum(s->flow));
	if (unlikely(uet_turn_used_up(&s->turn)))
		uet_turn_over(&s->turn, snd_flow_quantum(s->flow));
	snd_pick_one(s, m, len, now, port_free, out);
	out->alone = true;
	out->last = true;
	snd_begin(s, m);
	uet_ccc_get_send_params(s->flow->ccc, &out->ask, &out->params);
	out->ar = out->params.answer ||
		  snd_asks(s, out, 1, uet_ackreq_counted(&out->rule, len),
			   out->ask.size, true, now);
}

/*
 * Missing packets of a message that was given up are resent as MSG_ERROR: the
 * data is freed, and the target needs no room to take it.
 */
static void snd_hollow(struct uet_snd *s, u32 psn, struct uet_snd_pkt *p)
{
	u32 less;

	p->flags |= UET_SND_MSG_ERROR;
	p->len = 0;
	less = uet_txwin_shrink(&s->win, psn, uet_snd_nominal(s->flow, 0));
	uet_ccc_rtx_shrinks(s->flow->ccc, less);
}

static void snd_pick_rtx(struct uet_snd *s, u32 psn, u64 now, u64 port_free,
			 struct uet_snd_out *out)
{
	const struct uet_tx_slot *slot = uet_txwin_slot(&s->win, psn);
	struct uet_snd_pkt *p = snd_pkt(s, psn);

	if (unlikely(p->msg->given_up))
		snd_hollow(s, psn, p);
	out->pkt = *p;
	out->ask = (struct uet_ccc_ask) {
		.now = now, .port_free = port_free, .want = 1,
		.size = slot->size, .prev_ev = slot->ev, .rtx = true,
	};
	out->rule = snd_ackreq_rule(s);
	out->psn = psn;
	out->n = 1;
	out->last_len = p->len;
	out->tx_time = slot->tx_time;
	out->dropped = slot->flags & UET_SND_DROPPED;
	out->rtx = true;
	out->alone = false;
	out->joined = false;
	out->ar = true;
	uet_ccc_get_send_params(s->flow->ccc, &out->ask, &out->params);
}

/*
 * An ordered sender was NACKed for shortage: its target can complete begun
 * messages if no other begins. So the oldest one is sent first, to its end.
 */
static void snd_prefer_begun(struct uet_snd *s)
{
	struct uet_snd_queue *q, *first = NULL;
	const struct uet_snd_msg *m;
	u16 age, most = 0;

	list_for_each_entry(q, &s->active, active) {
		m = snd_head(q);
		if (!m || m->state == UET_MSG_QUEUED)
			continue;
		age = s->next_msg_id - m->msg_id;
		if (age > most) {
			most = age;
			first = q;
		}
	}
	if (first)
		list_move(&first->active, &s->active);
}

/* The queue that sends next, or NULL */
static struct uet_snd_queue *snd_turn(struct uet_snd *s, u64 now)
{
	struct uet_snd_queue *q;

	if (unlikely(s->one_by_one))
		snd_prefer_begun(s);
	for (;;) {
		q = snd_first(s);
		if (!q)
			return NULL;
		if (unlikely(!uet_snd_sendable(s, q)))
			/* The MTU grew: the data fills no packet any more. */
			uet_snd_step_out(s, q, now);
		else if (unlikely(snd_lane_busy(q)))
			snd_lane_wait(q);
		else
			return q;
	}
}

/*
 * Per timeout one retransmission may exceed the window: a first timeout
 * declares one packet lost, and the others lost with it would keep the window
 * closed until a second one.
 */
static bool snd_owed(const struct uet_snd *s)
{
	return s->overdue &&
	       !(s->flow->ccc->blocked & ~UET_CC_BLOCK_WINDOW);
}

enum uet_snd_verdict uet_snd_pick(struct uet_snd *s, u64 now, u64 port_free,
				  struct uet_snd_out *out)
{
	enum uet_snd_verdict room;
	struct uet_snd_queue *q;
	u32 psn;

	if (s->state == UET_PDC_DEAD)
		return UET_SND_NOTHING;
	if (uet_txwin_next_marked(&s->win, &psn)) {
		if (s->rod && uet_snd_hold_blocks(s, psn))
			return UET_SND_NOTHING;
		if (uet_txwin_slot(&s->win, psn)->flags & UET_TX_CP) {
			out->psn = psn;
			return UET_SND_CP;
		}
		if (!uet_ccc_may_resend(s->flow->ccc) && !snd_owed(s))
			return UET_SND_CLOSED;
		snd_pick_rtx(s, psn, now, port_free, out);
		return UET_SND_RTX;
	}
	q = snd_turn(s, now);
	if (!q || (s->rod && uet_snd_hold_blocks(s, s->win.next)))
		return UET_SND_NOTHING;
	room = snd_may_begin(s) ? uet_snd_has_room(s) : UET_SND_NOTHING;
	if (unlikely(room != UET_SND_NEW)) {
		/* Wait for an answer; the tail probe asks if none comes. */
		if (!uet_snd_busy(s)->mpr_since && !uet_txwin_allowed(&s->win)) {
			uet_snd_busy(s)->mpr_since = now;
			snd_waits_begin(&s->flow->mpr, now);
		}
		return room;
	}
	if (s->flow->ccc->state != UET_CCC_READY)
		return UET_SND_CLOSED;
	snd_pick_new(s, snd_head(q), now, port_free, out);
	return UET_SND_NEW;
}

/*
 * All of a message is sent: withdraw the backlog that was announced but not
 * needed.
 */
static void snd_all_sent(struct uet_snd *s, struct uet_snd_msg *m, u64 now)
{
	if (m->backlog)
		uet_ccc_withdraw(s->flow->ccc, now, m->backlog);
	m->backlog = 0;
	m->all_sent = true;
	if (m->state != UET_MSG_FAILED)
		m->state = UET_MSG_SENT;
	snd_lane_ended(s, m->queue, now);
	/* A message that did not wait in line is in no list. */
	if (!list_empty(&m->node))
		list_del(&m->node);
	list_add_tail(&m->node, &m->queue->sent);
}

/* A queue sent a packet: whose turn is next? */
static void snd_queue_sent(struct uet_snd *s, struct uet_snd_queue *q, u64 now)
{
	struct uet_snd_msg *m = snd_head(q);

	if (!snd_may_send(s, q, m)) {
		uet_snd_step_out(s, q, now);
		return;
	}
	snd_cover_next(s, m, now);
	if (uet_turn_over(&q->turn, snd_queue_quantum(s->flow)) &&
	    likely(!s->one_by_one))
		list_move_tail(&q->active, &s->active);
}

/* Note what a packet carries, and how long it waits in the interface. */
static inline void snd_note_pkt(struct uet_snd *s, const struct uet_snd_out *out,
				u64 wait)
{
	struct uet_snd_pkt *pkt = snd_pkt(s, out->psn);

	*pkt = out->pkt;
	pkt->wait = wait ? uet_wait_pack(wait) : 0;
}

/* ... of each packet of a run */
static void snd_note_pkts(struct uet_snd *s, const struct uet_snd_out *out,
			  u64 wait, u32 step)
{
	struct uet_snd_pkt pkt = out->pkt;
	u32 psn = out->psn, end = psn + out->n;

	for (; psn != end; psn++) {
		pkt.wait = uet_wait_pack(wait);
		*snd_pkt(s, psn) = pkt;
		pkt.off += pkt.len;
		wait += step;
	}
	snd_pkt(s, end - 1)->len = (u16)out->last_len;
}

/* A request leaves, the last one of those in @out with the PSN @psn. */
static __always_inline void snd_commit_any(struct uet_snd *s,
					   const struct uet_snd_out *out, u32 psn,
					   u32 bytes, u32 size, u64 departs)
{
	struct uet_snd_busy *b = uet_snd_busy(s);

	b->departs = departs;
	/* A request carries CLEAR_PSN. */
	s->clear_at = 0;
	s->clear_sent = s->win.clear_psn;
	/* There is memory, and what was deferred is about to leave. */
	s->retry_at = 0;
	if (out->ar) {
		b->probe_slack = 0;
		s->owes_ar = false;
	} else if (out->last && out->pkt.msg->len > s->flow->payload_mtu) {
		s->owes_ar = true;
	}
	uet_ackreq_sent(&s->ackreq, &out->rule, psn, bytes, out->ar);
	uet_turn_took(&s->turn, size);
}

/* New packets leave: @len bytes of a message, @size nominal bytes */
static __always_inline void snd_msg_sent(struct uet_snd_msg *m, u32 psn, u32 len,
					 u32 size)
{
	m->sent += len;
	m->last_psn = psn;
	uet_turn_took(&m->queue->turn, size);
}

/* The packet of uet_snd_pick_alone() */
static void snd_commit_alone(struct uet_snd *s, const struct uet_snd_out *out, u64 at,
			     u64 now)
{
	struct uet_snd_msg *m = out->pkt.msg;
	u32 len = out->pkt.len, size = out->ask.size, psn = out->psn;

	snd_commit_any(s, out, psn, uet_ackreq_counted(&out->rule, len), size, at);
	uet_txwin_send(&s->win, size, out->params.ev, 0, at);
	snd_note_pkt(s, out, at - now);
	uet_ccc_on_send_once(s->flow->ccc, now, size, out->params.ev);
	snd_msg_sent(m, psn, len, size);
	m->announced = size;
	snd_all_sent(s, m, now);
}

static noinline void snd_commit_new(struct uet_snd *s, struct uet_snd_out *out, u64 at,
				    u32 step, u64 now)
{
	struct uet_snd_msg *m = out->pkt.msg;
	struct uet_snd_queue *q = m->queue;
	u32 size = uet_snd_out_size(out);

	if (out->n == 1) {
		uet_txwin_send(&s->win, size, out->params.ev, 0, at);
		snd_note_pkt(s, out, at - now);
	} else {
		struct uet_tx_run run = {
			.at = at, .step = step, .n = out->n, .size = out->ask.size,
			.last_size = uet_snd_nominal(s->flow, out->last_len) - m->less,
			.ev = out->params.ev,
		};

		uet_txwin_send_run(&s->win, &run);
		snd_note_pkts(s, out, at - now, step);
	}
	uet_ccc_on_send_run(s->flow->ccc, now, size, out->n, out->params.ev);
	/* From here on packets do not begin where the data was cut for runs. */
	if (out->pkt.len != m->run_len)
		m->run_len = 0;
	m->backlog -= size;
	snd_msg_sent(m, out->psn + out->n - 1, uet_snd_out_len(out), size);
	if (out->last)
		snd_all_sent(s, m, now);
	if (unlikely(q->hold.ramp))
		snd_hold_sent(q, out->psn);
	snd_queue_sent(s, q, now);
}

void uet_snd_commit(struct uet_snd *s, struct uet_snd_out *out, u64 at, u32 step,
		    u64 now)
{
	if (out->alone) {
		snd_commit_alone(s, out, at, now);
		return;
	}
	snd_commit_any(s, out, out->psn + out->n - 1, snd_counted(out),
		       uet_snd_out_size(out), at + (u64)step * (out->n - 1));
	if (!out->rtx) {
		snd_commit_new(s, out, at, step, now);
		return;
	}
	s->overdue = false;
	uet_txwin_resend(&s->win, out->psn, out->params.ev, at);
	if (unlikely(out->dropped))
		uet_txwin_slot(&s->win, out->psn)->flags &= ~UET_SND_DROPPED;
	snd_pkt(s, out->psn)->wait = uet_wait_pack(at - now);
	uet_ccc_on_send(s->flow->ccc, now, out->ask.size, out->params.ev, true);
}

void uet_snd_commit_cp(struct uet_snd *s, u32 psn, u64 now)
{
	if (psn == s->win.next) {
		uet_txwin_send(&s->win, 0, 0, UET_TX_CP, now);
		*snd_pkt(s, psn) = (struct uet_snd_pkt) {};
		/*
		 * It is short and alone in flight: if round trips are longer than
		 * the RTO of a silent peer, to resend it costs little.
		 */
		s->ambiguous = false;
	} else {
		uet_txwin_resend(&s->win, psn, 0, now);
	}
	snd_start_rto(s, now, uet_snd_rto(s));
	uet_snd_wake(s, s->rto_at);
}
