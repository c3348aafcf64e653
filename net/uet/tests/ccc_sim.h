/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A sender and a network around one CCC. It does the accounting of a PDC, so that
 * it creates only events that can really happen.
 */
#ifndef _UET_TESTS_CCC_SIM_H
#define _UET_TESTS_CCC_SIM_H

#include "../core/cc_nscc.h"
#include "../core/cc_rccc.h"
#include "random.h"

#define SIM_PKTS	512

/**
 * struct sim_pkt - a packet
 * @size: nominal size
 * @ev: value it was sent with
 * @marked: marked for retransmission
 */
struct sim_pkt {
	u32 size;
	u16 ev;
	bool marked;
};

/**
 * struct sim - a simulated sender and network
 * @c: the CCC
 * @p: its constants
 * @rnd: random numbers
 * @pkts: packets sent and not acknowledged
 * @n: number of them
 * @backlog: bytes announced and not sent
 * @arrived: bytes the destination counted
 * @field: rcvd_bytes of the last ACK
 * @granted: credit given, quanta
 * @now: time, ns
 * @acted: UET_CC_DID_* seen so far
 */
struct sim {
	struct uet_ccc c;
	struct uet_cc_params p;
	struct test_rnd rnd;
	struct sim_pkt pkts[SIM_PKTS];
	u32 n;
	u64 backlog;
	u64 arrived;
	u32 field;
	u32 granted;
	u64 now;
	u32 acted;
};

static inline void sim_note(struct sim *s)
{
	s->acted |= s->c.did;
}

static inline bool sim_ready(const struct sim *s)
{
	return s->c.state == UET_CCC_READY;
}

static inline u64 sim_rtt(struct sim *s)
{
	u64 base = s->p.base_rtt;

	if (rnd_one_in(&s->rnd, 3))
		return base + rnd_below(&s->rnd, 900);
	if (rnd_one_in(&s->rnd, 500))
		return rnd_below(&s->rnd, (u32)base);
	return base + rnd_below(&s->rnd, (u32)(4 * s->p.target) + 1);
}

static inline void sim_data(struct sim *s)
{
	u64 bytes = 1 + rnd_below(&s->rnd, 40 * s->p.mtu);

	s->backlog += bytes;
	uet_ccc_on_new_data(&s->c, s->now, bytes);
	sim_note(s);
}

static inline struct sim_pkt *sim_find(struct sim *s, bool marked)
{
	u32 k = s->n ? rnd_below(&s->rnd, s->n) : 0;
	u32 i;

	for (i = 0; i < s->n; i++)
		if (s->pkts[(k + i) % s->n].marked == marked)
			return &s->pkts[(k + i) % s->n];
	return NULL;
}

static inline bool sim_send(struct sim *s)
{
	struct sim_pkt *pkt = sim_find(s, true);
	struct uet_ccc_ask ask = { .now = s->now, .want = 1 };
	struct uet_ccc_send out;

	ask.rtx = pkt;
	if (!pkt) {
		if (!s->backlog || s->n == SIM_PKTS)
			return false;
		pkt = &s->pkts[s->n++];
		pkt->size = (u32)min_t(u64, s->backlog, s->p.mtu);
		s->backlog -= pkt->size;
	}
	ask.size = pkt->size;
	ask.prev_ev = pkt->ev;
	uet_ccc_get_send_params(&s->c, &ask, &out);
	pkt->ev = out.ev;
	pkt->marked = false;
	uet_ccc_on_send(&s->c, s->now, pkt->size, out.ev, ask.rtx);
	sim_note(s);
	return true;
}

/* One packet arrives and is acknowledged, marked for retransmission or not. */
static inline bool sim_ack(struct sim *s, bool marked)
{
	struct sim_pkt *pkt = sim_find(s, marked);
	struct uet_ccc_ack ack = { .now = s->now };
	u32 field;

	if (!pkt)
		return false;
	s->arrived += pkt->size;
	field = (u32)((s->arrived + 255) >> 8);
	ack.newly_rcvd_bytes = (field - s->field) << 8;
	s->field = field;
	ack.ev = pkt->ev;
	ack.m = rnd_one_in(&s->rnd, 3);
	ack.rtt_valid = !rnd_one_in(&s->rnd, 20);
	ack.rtt = sim_rtt(s);
	if (rnd_one_in(&s->rnd, 40))
		ack.pend = (u8)rnd32(&s->rnd);
	ack.restore = rnd_one_in(&s->rnd, 4);
	ack.newly_acked_pkts = !marked;
	ack.unmarked_pkts = marked;
	ack.unmarked_bytes = marked ? pkt->size : 0;
	*pkt = s->pkts[--s->n];
	uet_ccc_on_ack(&s->c, &ack);
	sim_note(s);
	return true;
}

static inline bool sim_nack(struct sim *s)
{
	struct sim_pkt *pkt = sim_find(s, false);
	struct uet_ccc_nack nack = { .now = s->now };

	if (!pkt)
		return false;
	nack.size = pkt->size;
	nack.ev = pkt->ev;
	nack.m = rnd_one_in(&s->rnd, 2);
	nack.reason = (u8)rnd_below(&s->rnd, UET_NACKED_CLASSES);
	nack.rtt_valid = rnd_one_in(&s->rnd, 2);
	nack.rtt = sim_rtt(s);
	pkt->marked = true;
	uet_ccc_on_nack(&s->c, &nack);
	sim_note(s);
	return true;
}

static inline bool sim_loss(struct sim *s)
{
	struct sim_pkt *pkt = sim_find(s, false);
	struct uet_ccc_loss loss = { .now = s->now };

	if (!pkt)
		return false;
	loss.size = pkt->size;
	loss.ev = pkt->ev;
	loss.how = (u8)rnd_below(&s->rnd, UET_LOSS_CLASSES);
	pkt->marked = true;
	uet_ccc_on_inferred_loss(&s->c, &loss);
	sim_note(s);
	return true;
}

/* The destination grants the requested credit in small steps. */
static inline void sim_credit(struct sim *s)
{
	u32 target, step;

	if (!s->c.algo->credit)
		return;
	target = s->c.algo->credit->credit_target(&s->c);
	step = uet_credit_step(target, s->granted);
	s->granted = (s->granted + min(step, 4 * s->p.mtu / 256)) &
		     UET_CREDIT_MASK;
	uet_ccc_on_credit(&s->c, s->now, s->granted);
	sim_note(s);
}

/* One random event that can happen now. */
static inline void sim_step(struct sim *s)
{
	u32 dice = rnd_below(&s->rnd, 100);

	s->now += rnd_below(&s->rnd, (u32)(s->p.base_rtt / 8) + 1);
	if (!s->backlog && dice < 30)
		sim_data(s);
	else if (sim_ready(s) && dice < 60)
		sim_send(s);
	else if (dice < 88)
		sim_ack(s, rnd_one_in(&s->rnd, 10));
	else if (dice < 92)
		sim_nack(s);
	else if (dice < 94)
		sim_loss(s);
	else
		sim_credit(s);
}

/* mtu <= window <= max_wnd */
static inline bool sim_window_sound(const struct sim *s)
{
	const struct uet_nscc *w = uet_nscc_const(&s->c);

	return s->c.algo->window != &uet_cc_nscc ||
	       (w->cwnd >= s->p.mtu && w->cwnd <= s->p.max_wnd &&
		w->max_wnd <= s->p.max_wnd);
}

/* READY if and only if data waits that may be sent. */
static inline bool sim_state_sound(const struct sim *s)
{
	const struct uet_ccc *c = &s->c;
	bool data = c->backlog || c->waiting_rtx;

	if (sim_ready(s))
		return data &&
		       (!c->algo->window || c->algo->window->can_send(c)) &&
		       (!c->algo->credit || c->algo->credit->can_send(c));
	return data || c->state == (c->inflight_pkts ? UET_CCC_PENDING :
						       UET_CCC_IDLE);
}

/*
 * If no packet is outstanding, there is no answer or timeout to wait for. Then
 * waiting data may be sent, or a Credit Request is scheduled.
 */
static inline bool sim_never_stalls(const struct sim *s)
{
	struct uet_ccc c;
	u64 when;

	if (s->c.state != UET_CCC_ACTIVE || s->c.inflight_pkts)
		return true;
	c = s->c;
	return c.blocked == UET_CC_BLOCK_CREDIT &&
	       (uet_ccc_credit_req(&c, s->now, U64_MAX, &when) || when);
}

/* Send all announced data and acknowledge it. */
static inline bool sim_drain(struct sim *s)
{
	u32 guard = 100000;

	while ((s->backlog || s->n) && guard--) {
		s->now += s->p.base_rtt / 16;
		if (sim_ready(s) && sim_send(s))
			continue;
		if (!sim_ack(s, false) && !sim_ack(s, true))
			sim_credit(s);
	}
	return !s->backlog && !s->n;
}

#endif /* _UET_TESTS_CCC_SIM_H */
