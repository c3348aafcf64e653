/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A CCC with the sender of core/snd/snd.h around it: one queue of messages, memory,
 * answers that are taken as net/uet/tx/pds/ack.c does, and the invariants of both.
 *
 * Not here: the network and the target (ccc_sim_net.h).
 */
#ifndef _UET_TESTS_CCC_SIM_H
#define _UET_TESTS_CCC_SIM_H

#include <kunit/test.h>

#include "../core/cc/cc_nscc.h"
#include "../core/cc/cc_rccc.h"
#include "../core/rcv/rxmap.h"
#include "../core/snd/snd.h"
#include "../core/snd/snd_ack.h"
#include "../core/snd/snd_hold.h"
#include "../core/snd/snd_loss.h"
#include "../core/snd/snd_nack.h"
#include "../core/snd/snd_pick.h"
#include "../core/snd/snd_queue.h"
#include "../core/snd/snd_timer.h"
#include "../core/wire/probe.h"
#include "random.h"
#include "snd_mem.h"

/* Slots of the sender's rings, packets in the network, receive window */
#define SIM_PKTS	256
#define SIM_MSGS	32
/* Nominal size of a packet without payload */
#define SIM_OVERHEAD	104
/* Largest message, packets */
#define SIM_MSG_PKTS	40
/* PSNs wrap soon. */
#define SIM_START_PSN	0xffffff00U
/* Later than any interval is long, ns */
#define SIM_START_NS	1000000000000ULL

/**
 * struct sim_tx - a packet in the network
 * @at: when it left, ns
 * @psn: its PSN
 * @probe: probe_opaque of a PROBE, 0 for data
 * @rtx: retransmission
 */
struct sim_tx {
	u64 at;
	u32 psn;
	u16 probe;
	bool rtx;
};

/**
 * struct sim - a sender, and a network if it has one
 * @c: the CCC
 * @copy: copy of it for a question that changes it
 * @p: its constants
 * @rnd: random numbers
 * @snd: the sender
 * @flow: its flow
 * @rules: its settings
 * @probes: the peer answers PROBEs
 * @queue: its queue
 * @msgs: messages; those that are %UET_MSG_DONE are not used
 * @mem: memory of its rings
 * @out: the packet that is being sent
 * @pkt: the answer that is being taken
 * @acked: what it says, if it is an ACK
 * @nacked: what it says, if it is a NACK
 * @work: the event that is being processed
 * @net: ring of packets in the network
 * @net_in: packets that entered it
 * @net_out: packets that left it
 * @delay: queueing delay of the path, ns
 * @map: what the target received
 * @map_bits: memory of @map
 * @arrived: bytes the target counted
 * @granted: credit given, quanta
 * @known: bytes that the sender knows to have arrived
 * @rounding: bytes that the CCC left out as it set inflight to 0
 * @now: time, ns
 * @acted: UET_CC_DID_* seen so far
 */
struct sim {
	struct uet_ccc c;
	struct uet_ccc copy;
	struct uet_cc_params p;
	struct test_rnd rnd;
	struct uet_snd snd;
	struct uet_snd_flow flow;
	struct uet_snd_rules rules;
	u8 probes;
	struct uet_snd_queue queue;
	struct uet_snd_msg msgs[SIM_MSGS];
	struct uet_snd_mem mem;
	struct uet_snd_out out;
	struct uet_pkt pkt;
	struct uet_snd_acked acked;
	struct uet_snd_nacked nacked;
	struct uet_snd_work work;
	struct sim_tx net[SIM_PKTS];
	u32 net_in;
	u32 net_out;
	u64 delay;
	struct uet_rxmap map;
	u64 map_bits[SIM_PKTS / 64];
	u64 arrived;
	u32 granted;
	u64 known;
	s64 rounding;
	u64 now;
	u32 acted;
};

static inline struct sim *sim_new(struct kunit *test)
{
	struct sim *s = kunit_kzalloc(test, sizeof(*s), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, s);
	snd_mem_alloc(test, &s->mem, SIM_PKTS);
	return s;
}

static inline void sim_init_sender(struct sim *s)
{
	struct uet_snd_mem mem = s->mem;
	u32 i;

	s->rules = (struct uet_snd_rules) {
		.rto_min_us = 1, .rto_max_ms = 8000, .max_rto_retx = U32_MAX,
		.max_nack_retx = U32_MAX, .nack_retx_us = 1,
		.clear_time_us = 100, .pdc_idle_s = 60,
		.ack_gen_min_pkt_add = 1024,
	};
	s->probes = UET_PROBES_ANSWERED;
	s->flow = (struct uet_snd_flow) {
		.ccc = &s->c, .rules = &s->rules, .probes = &s->probes,
		.payload_mtu = (u16)min_t(u32, s->p.mtu - SIM_OVERHEAD,
					  UET_SES_LEN14),
		.overhead = SIM_OVERHEAD,
	};
	INIT_LIST_HEAD(&s->flow.ready);
	uet_snd_init(&s->snd, &s->flow, SIM_START_PSN, false, rnd32(&s->rnd),
		     s->now);
	uet_snd_attach(&s->snd, &mem, SIM_PKTS);
	uet_snd_queue_init(&s->queue, 0);
	for (i = 0; i < SIM_MSGS; i++)
		s->msgs[i].state = UET_MSG_DONE;
}

/* Begin, perhaps anew; 0, or an error if the parameters do not fit. */
static inline int sim_start(struct sim *s, const char *algo,
			    struct uet_cc_config *cfg, u64 seed)
{
	struct uet_snd_mem mem = s->mem;
	int err;

	memset(s, 0, sizeof(*s));
	s->mem = mem;
	s->rnd.state = seed;
	s->now = SIM_START_NS;
	err = uet_cc_params_fit(&s->p, cfg);
	if (err)
		return err;
	uet_ccc_init(&s->c, uet_cc_find(algo), &s->p, NULL, true, s->now);
	sim_init_sender(s);
	uet_rxmap_init(&s->map, SIM_START_PSN, SIM_PKTS);
	uet_rxmap_attach(&s->map, s->map_bits, SIM_PKTS);
	return 0;
}

/* The CCC processed an event. */
static inline void sim_note(struct sim *s)
{
	s->acted |= s->c.did;
	if (!s->snd.win.ring->flight_pkts)
		s->rounding = (s64)(s->snd.win.released_bytes - s->known);
}

static inline bool sim_ready(const struct sim *s)
{
	return s->c.state == UET_CCC_READY;
}

/* A new message, unless too many have not ended */
static inline void sim_data(struct sim *s)
{
	u32 pkts = rnd_one_in(&s->rnd, 4) ? 1 : SIM_MSG_PKTS;
	struct uet_snd_msg *m = s->msgs;

	while (m->state != UET_MSG_DONE)
		if (++m == s->msgs + SIM_MSGS)
			return;
	memset(m, 0, sizeof(*m));
	m->queue = &s->queue;
	m->len = rnd_below(&s->rnd, pkts * s->flow.payload_mtu + 1);
	m->filled = m->len;
	m->eom = true;
	uet_snd_submit(&s->snd, m, s->now);
	uet_snd_enqueue(&s->snd, m, s->now);
	sim_note(s);
}

/* The user gives up a message. */
static inline void sim_cancel(struct sim *s)
{
	struct uet_snd_msg *m = &s->msgs[rnd_below(&s->rnd, SIM_MSGS)];

	if (m->withdrawn || m->state >= UET_MSG_FAILED)
		return;
	m->withdrawn = true;
	if (m->state == UET_MSG_QUEUED) {
		if (uet_snd_drop(&s->snd, m, s->now))
			uet_snd_hold_clear(&s->snd, &s->queue, s->now);
	} else {
		m->state = UET_MSG_FAILED;
		m->given_up = true;
		if (!m->all_sent)
			uet_snd_activate(&s->snd, &s->queue, s->now);
	}
	uet_snd_hold_given_up(&s->snd, &s->queue, s->now);
	sim_note(s);
}

/* A packet enters the network; if that is full, it is lost. */
static inline void sim_transmit(struct sim *s, u32 psn, bool rtx, u16 probe)
{
	if (s->net_in - s->net_out == SIM_PKTS)
		return;
	s->net[s->net_in++ % SIM_PKTS] = (struct sim_tx) {
		.at = s->now, .psn = psn, .probe = probe, .rtx = rtx,
	};
}

/* One packet of the sender, if it is in line and may send */
static inline bool sim_send(struct sim *s)
{
	enum uet_snd_verdict v;

	if (list_empty(&s->flow.ready))
		return false;
	v = uet_snd_pick(&s->snd, s->now, s->now, &s->out);
	if (v == UET_SND_CLOSED)
		return false;
	if (v == UET_SND_NOTHING) {
		list_del_init(&s->snd.ready_node);
		return false;
	}
	/* Memory lacks for larger rings, and at times for packets. */
	if (v == UET_SND_GROW || rnd_one_in(&s->rnd, 500)) {
		uet_snd_nomem(&s->snd, s->now);
		list_del_init(&s->snd.ready_node);
		return false;
	}
	uet_snd_commit(&s->snd, &s->out, s->now, 0, s->now);
	uet_snd_transmitted(&s->snd, s->now);
	uet_snd_rotate(&s->snd);
	sim_transmit(s, s->out.psn, s->out.rtx, 0);
	sim_note(s);
	return true;
}

static inline void sim_losses(struct sim *s)
{
	struct uet_ccc_loss loss;

	while (uet_snd_next_lost(&s->snd, &s->work, &loss)) {
		uet_ccc_on_inferred_loss(&s->c, &loss);
		sim_note(s);
	}
}

/* The interface of this host drops a packet that is in flight. */
static inline void sim_lose(struct sim *s)
{
	struct uet_txwin *win = &s->snd.win;
	u32 psn = win->una + rnd_below(&s->rnd, uet_txwin_outstanding(win));
	struct uet_ccc_loss loss;

	if (!uet_snd_lost(&s->snd, psn, UET_LOSS_LOCAL, s->now, &loss))
		return;
	uet_ccc_on_inferred_loss(&s->c, &loss);
	uet_snd_ready(&s->snd);
	sim_note(s);
}

/* The timer fires. PROBEs enter the network, other control packets are lost. */
static inline void sim_expire(struct sim *s)
{
	u32 i;

	uet_snd_work_init(&s->work, s->now, s->now);
	uet_snd_expire(&s->snd, &s->work);
	sim_losses(s);
	for (i = 0; i < s->work.nr_cps; i++)
		if (s->work.cps[i].ctl == UET_CTL_PROBE)
			sim_transmit(s, s->work.cps[i].cp.payload, false,
				     s->work.cps[i].cp.probe_opaque);
	uet_snd_slacken(&s->snd, s->now);
}

/* Time passes until @to, if that is later. */
static inline void sim_pass(struct sim *s, u64 to)
{
	u64 at = uet_snd_deadline(&s->snd);

	s->now = max(s->now, to);
	if (at && at <= s->now)
		sim_expire(s);
}

static inline void sim_covered(struct sim *s)
{
	struct uet_snd_msg *m;
	bool last;
	u32 i;

	for (i = 0; i < s->acked.sum.psns; i++) {
		struct uet_snd_pkt *k = uet_snd_covered(&s->snd,
							s->acked.from + i,
							&last);

		m = k->msg;
		k->msg = NULL;
		if (last && uet_snd_finish(&s->snd, m, s->now) &&
		    !s->queue.unfinished)
			uet_snd_hold_clear(&s->snd, &s->queue, s->now);
	}
}

static inline void sim_feed_ack(struct sim *s)
{
	const struct uet_ack *a = &s->pkt.ack;

	if (a->cc_type == UET_CC_CREDIT) {
		uet_ccc_on_credit(&s->c, s->now, a->credit);
		s->acted |= s->c.did;
	}
	uet_ccc_on_ack(&s->c, &s->acked.cc);
	sim_note(s);
}

/* The sender gets the ACK in @pkt. */
static inline void sim_take_ack(struct sim *s)
{
	const struct uet_ack *a = &s->pkt.ack;
	u64 rtt;

	if (!uet_snd_names(&s->snd, a))
		return;
	s->snd.state = UET_PDC_ESTABLISHED;
	uet_snd_ack(&s->snd, &s->pkt, 0, s->now, &s->acked);
	s->known += s->acked.sum.bytes + s->acked.sum.unmarked_bytes;
	sim_covered(s);
	sim_feed_ack(s);
	uet_snd_work_init(&s->work, s->now, s->now);
	uet_snd_ack_done(&s->snd, &s->pkt, &s->acked, &s->work);
	if (s->pkt.flags & UET_F_PROBE &&
	    uet_snd_probe_answer(&s->snd, a, &s->work, &rtt)) {
		uet_ccc_on_probe_rtt(&s->c, s->now, rtt);
		sim_note(s);
	}
	sim_losses(s);
	if (!list_empty(&s->snd.holds))
		uet_snd_hold_acked(&s->snd, s->now);
	uet_snd_settled(&s->snd, s->now);
}

/* The sender gets the NACK in @pkt; one that ends PDCs is ignored here. */
static inline void sim_take_nack(struct sim *s)
{
	if (s->snd.state == UET_PDC_SYN &&
	    !uet_txwin_has(&s->snd.win, s->pkt.nack.psn))
		return;
	uet_snd_work_init(&s->work, s->now, s->now);
	switch (uet_snd_nack(&s->snd, &s->pkt, 0, false, &s->work,
			     &s->nacked)) {
	case UET_SND_NACK_FEED:
		if (s->nacked.fed)
			uet_ccc_on_nack(&s->c, &s->nacked.cc);
		sim_note(s);
		break;
	case UET_SND_NACK_SETTLE:
		break;
	default:
		return;
	}
	sim_losses(s);
	uet_snd_settled(&s->snd, s->now);
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
static inline bool sim_never_stalls(struct sim *s)
{
	u64 when;

	if (s->c.state != UET_CCC_ACTIVE || s->c.inflight_pkts)
		return true;
	s->copy = s->c;
	return s->c.blocked == UET_CC_BLOCK_CREDIT &&
	       (uet_ccc_credit_req(&s->copy, s->now, U64_MAX, &when) || when);
}

/* The invariant of the CCC that is violated, or NULL */
static inline const char *sim_ccc_wrong(struct sim *s)
{
	if (!sim_window_sound(s))
		return "the window is outside its bounds";
	if (!sim_state_sound(s))
		return "the state of the CCC is wrong";
	if (!sim_never_stalls(s))
		return "the CCC stalls";
	return NULL;
}

/*
 * The CCC's inflight is what the scoreboard has in flight, less what rcvd_bytes
 * released beyond the packets that are known to have arrived.
 */
static inline bool sim_books_agree(const struct sim *s)
{
	const struct uet_txwin *win = &s->snd.win;
	const struct uet_ccc *c = &s->c;
	const struct uet_snd_msg *m;
	u64 backlog = 0;

	list_for_each_entry(m, &s->queue.msgs, node)
		backlog += m->backlog;
	return c->backlog == backlog && c->waiting_rtx == win->ring->marked_pkts &&
	       c->rtx_backlog == win->ring->marked_bytes &&
	       c->inflight_pkts == win->ring->flight_pkts &&
	       c->inflight == (s64)(win->ring->flight_bytes + s->known -
				    win->released_bytes) + s->rounding &&
	       !c->stats.imbalance;
}

/* The sender has a deadline, or its turn to send will come. */
static inline bool sim_awake(const struct sim *s)
{
	if (uet_snd_deadline(&s->snd))
		return true;
	return !s->snd.win.ring->flight_pkts &&
	       (!list_empty(&s->flow.ready) ||
		(!s->c.backlog && !s->c.waiting_rtx));
}

/* The invariant of the CCC and the sender that is violated, or NULL */
static inline const char *sim_wrong(struct sim *s)
{
	if (!sim_books_agree(s))
		return "the books of the CCC and the sender differ";
	if (!sim_awake(s))
		return "the sender sleeps";
	return sim_ccc_wrong(s);
}

#endif /* _UET_TESTS_CCC_SIM_H */
