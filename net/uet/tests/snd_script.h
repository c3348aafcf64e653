/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A sender whose events are scripted, without a network: what the kernel does
 * around core/snd/snd.h, and a timer that must never be later than the deadlines.
 */
#ifndef _UET_TESTS_SND_SCRIPT_H
#define _UET_TESTS_SND_SCRIPT_H

#include <kunit/test.h>

#include "../core/snd/snd.h"
#include "../core/snd/snd_ack.h"
#include "../core/snd/snd_hold.h"
#include "../core/snd/snd_loss.h"
#include "../core/snd/snd_nack.h"
#include "../core/snd/snd_pick.h"
#include "../core/snd/snd_queue.h"
#include "../core/snd/snd_timer.h"
#include "../core/wire/probe.h"
#include "snd_mem.h"

#define SCRIPT_SLOTS	256
#define SCRIPT_MSGS	16
#define SCRIPT_QUEUES	4
#define SCRIPT_PSN	0xfffffff0U	/* wraps soon */
#define SCRIPT_MTU	1024
#define SCRIPT_OVERHEAD	104
#define SCRIPT_RTT	10000ULL	/* base round trip, ns */
#define SCRIPT_RTO	1000000ULL	/* as long as nothing is measured, ns */
#define SCRIPT_PDC	77		/* PDCID of the target */

/**
 * struct script - a sender and what is around it
 * @test: the running test
 * @now: time, ns
 * @ccc: congestion control with a fixed window
 * @p: its constants
 * @rules: settings
 * @probes: enum uet_probe_habit
 * @flow: flow
 * @s: the sender
 * @mem: memory of its rings, while it has none
 * @q: queues
 * @m: messages
 * @nr: messages submitted
 * @lane: memory for lanes
 * @timer: when the timer fires, 0 = never
 * @pkt: an answer
 * @out: last packet sent
 * @sent: packets sent by the last script_send()
 * @resent: retransmissions among them
 * @acked: last ACK
 * @nacked: last NACK
 * @w: last event
 * @lost: losses that the last event reported
 * @how: class of the last one
 * @finished: messages that ended by being acknowledged
 */
struct script {
	struct kunit *test;
	u64 now;
	struct uet_ccc ccc;
	struct uet_cc_params p;
	struct uet_snd_rules rules;
	u8 probes;
	struct uet_snd_flow flow;
	struct uet_snd s;
	struct uet_snd_mem mem;
	struct uet_snd_queue q[SCRIPT_QUEUES];
	struct uet_snd_msg m[SCRIPT_MSGS];
	u32 nr;
	struct uet_snd_lane lane[SCRIPT_QUEUES];
	u64 timer;
	struct uet_pkt pkt;
	struct uet_snd_out out;
	u32 sent;
	u32 resent;
	struct uet_snd_acked acked;
	struct uet_snd_nacked nacked;
	struct uet_snd_work w;
	u32 lost;
	u8 how;
	u32 finished;
};

/* The sender has noted a deadline: arm the timer, as uet_pdc_arm() does. */
static inline void script_arm(struct script *k)
{
	u64 at = uet_snd_deadline(&k->s);

	k->timer = uet_earliest(k->timer, k->s.wake_at);
	k->s.wake_at = 0;
	if (at)
		KUNIT_EXPECT_TRUE(k->test, k->timer && k->timer <= at);
}

static inline struct script *script_new(struct kunit *test, bool rod, bool open)
{
	struct script *k = kunit_kzalloc(test, sizeof(*k), GFP_KERNEL);
	struct uet_cc_config cfg = {};
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, k);
	snd_mem_alloc(test, &k->mem, SCRIPT_SLOTS);
	k->test = test;
	k->now = 100000000000ULL;
	uet_cc_config_set(&cfg, UET_CCP_RATE_MBPS, 400000);
	uet_cc_config_set(&cfg, UET_CCP_BASE_RTT_NS, SCRIPT_RTT);
	uet_cc_config_set(&cfg, UET_CCP_MTU, SCRIPT_MTU + SCRIPT_OVERHEAD);
	uet_cc_config_set(&cfg, UET_CCP_TRIMMING, 0);
	KUNIT_ASSERT_EQ(test, uet_cc_params_derive(&k->p, &cfg, NULL), 0);
	uet_ccc_init(&k->ccc, uet_cc_find("fixed"), &k->p, NULL, !rod, k->now);
	k->rules = (struct uet_snd_rules) {
		.rto_min_us = 1000, .rto_max_ms = 200, .max_rto_retx = 5,
		.peer_timeout_s = 30, .max_nack_retx = 5, .nack_retx_us = 100,
		.clear_time_us = 100, .pdc_idle_s = 60,
		.ack_gen_min_pkt_add = 1024,
	};
	k->probes = UET_PROBES_ANSWERED;
	k->flow = (struct uet_snd_flow) {
		.ccc = &k->ccc, .rules = &k->rules, .probes = &k->probes,
		.payload_mtu = SCRIPT_MTU, .overhead = SCRIPT_OVERHEAD,
	};
	INIT_LIST_HEAD(&k->flow.ready);
	uet_snd_init(&k->s, &k->flow, SCRIPT_PSN, rod, 1, k->now);
	uet_snd_attach(&k->s, &k->mem, SCRIPT_SLOTS);
	if (open)
		k->s.state = UET_PDC_ESTABLISHED;
	for (i = 0; i < SCRIPT_QUEUES; i++) {
		/* Two queues for each of two endpoints */
		uet_snd_queue_init(&k->q[i], (u16)(i / 2));
		if (rod)
			uet_snd_lane_join(&k->s, &k->q[i], &k->lane[i]);
	}
	return k;
}

/* A message for a queue; @filled of its @len bytes are there. */
static inline struct uet_snd_msg *script_msg(struct script *k, u32 queue,
					     u32 len, u32 filled)
{
	struct uet_snd_msg *m = &k->m[k->nr++];

	KUNIT_ASSERT_LE(k->test, k->nr, SCRIPT_MSGS);
	m->queue = &k->q[queue];
	m->len = len;
	m->filled = filled;
	m->eom = filled == len;
	uet_snd_submit(&k->s, m, k->now);
	uet_snd_enqueue(&k->s, m, k->now);
	script_arm(k);
	return m;
}

/* Send up to @max packets of what may go. */
static inline u32 script_send(struct script *k, u32 max)
{
	enum uet_snd_verdict v;

	k->sent = 0;
	k->resent = 0;
	while (k->sent < max && !list_empty(&k->flow.ready)) {
		v = uet_snd_pick(&k->s, k->now, k->now, &k->out);
		if (v == UET_SND_CLOSED)
			break;
		if (v == UET_SND_CP) {
			uet_snd_commit_cp(&k->s, k->out.psn, k->now);
		} else if (v == UET_SND_NEW || v == UET_SND_RTX) {
			k->resent += k->out.rtx;
			uet_snd_commit(&k->s, &k->out, k->now, 0, k->now);
		} else {
			list_del_init(&k->s.ready_node);
			continue;
		}
		k->sent++;
		uet_snd_transmitted(&k->s, k->now);
		uet_snd_rotate(&k->s);
	}
	script_arm(k);
	return k->sent;
}

static inline void script_losses(struct script *k)
{
	struct uet_ccc_loss loss;

	k->lost = 0;
	while (uet_snd_next_lost(&k->s, &k->w, &loss)) {
		k->lost++;
		k->how = loss.how;
		uet_ccc_on_inferred_loss(&k->ccc, &loss);
	}
}

/* An ACK; what is in @k->pkt beside its PSNs is kept. */
static inline void script_ack(struct script *k, u32 ack_psn, u32 cack,
			      u64 bitmap)
{
	struct uet_snd *s = &k->s;
	u64 rtt;
	u32 i;

	k->pkt.type = UET_PDS_ACK_CC;
	k->pkt.ack.ack_psn = ack_psn;
	k->pkt.ack.cack_psn = cack;
	k->pkt.ack.sack_base = cack + 1;
	k->pkt.ack.sack_bitmap = bitmap;
	KUNIT_EXPECT_TRUE(k->test, uet_snd_names(s, &k->pkt.ack));
	if (s->state == UET_PDC_SYN)
		uet_snd_opened(s);
	uet_snd_ack(s, &k->pkt, 1, k->now, &k->acked);
	for (i = 0; i < k->acked.sum.psns; i++) {
		struct uet_snd_pkt *p;
		struct uet_snd_msg *m;
		bool last;

		p = uet_snd_covered(s, k->acked.from + i, &last);
		m = p->msg;
		p->msg = NULL;
		if (last && uet_snd_finish(s, m, k->now))
			k->finished++;
	}
	uet_ccc_on_ack(&k->ccc, &k->acked.cc);
	uet_snd_work_init(&k->w, k->now, k->now);
	uet_snd_ack_done(s, &k->pkt, &k->acked, &k->w);
	if (k->pkt.flags & UET_F_PROBE)
		uet_snd_probe_answer(s, &k->pkt.ack, &k->w, &rtt);
	script_losses(k);
	if (!list_empty(&s->holds))
		uet_snd_hold_acked(s, k->now);
	uet_snd_settled(s, k->now);
	script_arm(k);
	memset(&k->pkt, 0, sizeof(k->pkt));
}

static inline enum uet_snd_nack_verdict script_nack(struct script *k, u32 psn,
						    u8 code, bool rtx)
{
	enum uet_snd_nack_verdict v;

	k->pkt.type = UET_PDS_NACK;
	k->pkt.flags = rtx ? UET_F_RETX : 0;
	k->pkt.nack.psn = psn;
	k->pkt.nack.code = code;
	uet_snd_work_init(&k->w, k->now, k->now);
	v = uet_snd_nack(&k->s, &k->pkt, 1, false, &k->w, &k->nacked);
	if (v == UET_SND_NACK_FEED && k->nacked.fed)
		uet_ccc_on_nack(&k->ccc, &k->nacked.cc);
	k->lost = 0;
	if (v == UET_SND_NACK_FEED || v == UET_SND_NACK_SETTLE) {
		script_losses(k);
		uet_snd_settled(&k->s, k->now);
	}
	if (v != UET_SND_NACK_FATAL)
		script_arm(k);
	memset(&k->pkt, 0, sizeof(k->pkt));
	return v;
}

/* Time passes; what the timer finds due is done. */
static inline void script_wait(struct script *k, u64 ns)
{
	u64 end = k->now + ns;

	k->lost = 0;
	while (k->timer && k->timer <= end && !k->lost) {
		k->now = max(k->now, k->timer);
		k->timer = 0;
		uet_snd_work_init(&k->w, k->now, k->now);
		uet_snd_expire(&k->s, &k->w);
		script_losses(k);
		k->s.wake_at = uet_snd_deadline(&k->s);
		script_arm(k);
		if (k->w.nr_cps || k->w.end || !list_empty(&k->flow.ready))
			return;
	}
	if (!k->lost)
		k->now = end;
}

/* The control packet of one type that the last event asks for, or NULL */
static inline const struct uet_snd_cp *script_cp(const struct script *k, u8 ctl)
{
	u32 i;

	for (i = 0; i < k->w.nr_cps; i++)
		if (k->w.cps[i].ctl == ctl)
			return &k->w.cps[i];
	return NULL;
}

#endif /* _UET_TESTS_SND_SCRIPT_H */
