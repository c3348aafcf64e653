// SPDX-License-Identifier: GPL-2.0
/* Runs: how many packets leave as one, and what is noted of each; scripted */
#include <kunit/test.h>
#include <linux/module.h>

#include "../core/cc/fall.h"
#include "../core/snd/snd_loss.h"
#include "snd_script.h"

#define PSN(n)	(SCRIPT_PSN + (n))
#define PKT	(SCRIPT_MTU + SCRIPT_OVERHEAD)
#define TAIL	100
#define STEP	500

/* A sender whose message may leave in runs, its window @pkts packets */
static struct script *run_script(struct kunit *test, bool rod, u32 pkts, u32 len)
{
	struct script *k = script_new(test, rod, true);
	struct uet_snd_msg *m;

	k->p.fixed_wnd = (u64)pkts * PKT;
	k->flow.run_max = UET_RUN_MAX;
	k->s.win.limit = k->s.win.next - 1 + SCRIPT_SLOTS;
	m = script_msg(k, 0, len, len);
	m->run_len = SCRIPT_MTU;
	return k;
}

static void run_pick(struct script *k, u32 n)
{
	KUNIT_ASSERT_EQ(k->test, uet_snd_pick(&k->s, k->now, k->now, &k->out),
			UET_SND_NEW);
	KUNIT_EXPECT_EQ(k->test, k->out.n, n);
}

/* The length of a run follows from the window, and from what there is. */
static const struct run_case {
	const char *name;
	u32 window, len, n;
	u32 filled, room, run_max;	/* 0: as much as possible */
	u32 run_len;			/* of the message, 0: the MTU */
	u32 msg_max;			/* uet_snd_msg.run_max */
	bool rod, syn, ramp, hold;
} run_cases[] = {
	{ "a quarter of the window", 40, 40 * SCRIPT_MTU, 10 },
	{ "a large window", 400, 40 * SCRIPT_MTU, UET_RUN_MAX },
	{ "a window of seven packets", 7, 40 * SCRIPT_MTU, 1 },
	{ "a window of eight packets", 8, 40 * SCRIPT_MTU, 2 },
	{ "the message", 400, 3 * SCRIPT_MTU, 3 },
	{ "the message and its tail", 400, 3 * SCRIPT_MTU + 1, 4 },
	{ "a message of one packet", 400, SCRIPT_MTU, 1 },
	{ "an empty message", 400, 0, 1 },
	{ "a message that is being filled", 400, 40 * SCRIPT_MTU, 4,
	  .filled = 5 * SCRIPT_MTU - 1 },
	{ "the receive window", 400, 40 * SCRIPT_MTU, 3, .room = 3 },
	{ "what the device takes", 400, 40 * SCRIPT_MTU, 5, .run_max = 5 },
	{ "what the data allows", 400, 40 * SCRIPT_MTU, 3, .msg_max = 3 },
	{ "less than the data allows", 400, 40 * SCRIPT_MTU, 5, .run_max = 5,
	  .msg_max = 6 },
	{ "no device for runs", 400, 40 * SCRIPT_MTU, 1, .run_max = 1 },
	{ "data in another layout", 400, 40 * SCRIPT_MTU, 1, .run_len = 1000 },
	{ "an ordered sender", 400, 40 * SCRIPT_MTU, UET_RUN_MAX,
	  .rod = true },
	{ "an ordered sender with a hold", 400, 40 * SCRIPT_MTU, 1,
	  .rod = true, .hold = true },
	{ "before the first answer", 400, 40 * SCRIPT_MTU, 1, .syn = true },
	{ "after a hold", 400, 40 * SCRIPT_MTU, 1, .ramp = true },
};

static void run_desc(const struct run_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(run, run_cases, run_desc);

static void run_lengths(struct kunit *test)
{
	const struct run_case *c = test->param_value;
	struct script *k = run_script(test, c->rod, c->window, c->len);
	struct uet_snd_msg *m = &k->m[0];

	if (c->filled) {
		m->filled = c->filled;
		m->eom = false;
	}
	if (c->run_len)
		m->run_len = (u16)c->run_len;
	m->run_max = (u8)c->msg_max;
	if (c->room)
		k->s.win.limit = k->s.win.next - 1 + c->room;
	if (c->run_max)
		k->flow.run_max = (u8)c->run_max;
	if (c->syn)
		k->s.state = UET_PDC_SYN;
	if (c->ramp) {
		m->queue->hold.ramp = true;
		m->queue->hold.budget = 9;
	}
	if (c->hold)
		list_add(&k->q[1].hold_node, &k->s.holds);
	run_pick(k, c->n);
}

/* A run may fill the window, as single packets may. */
static void run_room(struct kunit *test)
{
	struct script *k = run_script(test, false, 40, 60 * SCRIPT_MTU);
	u32 sent = 0;

	while (uet_snd_pick(&k->s, k->now, k->now, &k->out) == UET_SND_NEW) {
		sent += k->out.n;
		uet_snd_commit(&k->s, &k->out, k->now, STEP, k->now);
	}
	KUNIT_EXPECT_EQ(test, sent, 40);
	KUNIT_EXPECT_EQ(test, k->ccc.inflight, 40 * PKT);
	KUNIT_EXPECT_EQ(test, k->ccc.inflight_pkts, 40);
	KUNIT_EXPECT_EQ(test, k->s.win.ring->flight_bytes, 40 * PKT);
	KUNIT_EXPECT_EQ(test, k->ccc.stats.imbalance, 0);
}

/* What is noted of each packet of a run with a tail */
static void run_commits(struct kunit *test)
{
	struct script *k = run_script(test, false, 400, 3 * SCRIPT_MTU + TAIL);
	const struct uet_tx_slot *slot;
	const struct uet_snd_pkt *pkt;
	u64 at = k->now + 5000;
	u32 i;

	run_pick(k, 4);
	KUNIT_EXPECT_EQ(test, k->out.psn, PSN(0));
	KUNIT_EXPECT_EQ(test, k->out.last_len, TAIL);
	KUNIT_EXPECT_TRUE(test, k->out.last);
	KUNIT_EXPECT_TRUE(test, k->out.ar);
	uet_snd_commit(&k->s, &k->out, at, STEP, k->now);
	uet_snd_transmitted(&k->s, k->now);
	for (i = 0; i < 4; i++) {
		slot = uet_txwin_slot(&k->s.win, PSN(i));
		pkt = &uet_snd_busy(&k->s)->pkts[uet_txwin_index(&k->s.win, PSN(i))];
		KUNIT_EXPECT_EQ(test, slot->tx_time, at + i * STEP);
		KUNIT_EXPECT_EQ(test, slot->size,
				i < 3 ? PKT : TAIL + SCRIPT_OVERHEAD);
		KUNIT_EXPECT_EQ(test, slot->rtx, 0);
		KUNIT_EXPECT_EQ(test, slot->ev, k->out.params.ev);
		KUNIT_EXPECT_PTR_EQ(test, pkt->msg, &k->m[0]);
		KUNIT_EXPECT_EQ(test, pkt->off, i * SCRIPT_MTU);
		KUNIT_EXPECT_EQ(test, pkt->len, i < 3 ? SCRIPT_MTU : TAIL);
		KUNIT_EXPECT_EQ(test, pkt->wait, uet_wait_pack(5000 + i * STEP));
	}
	KUNIT_EXPECT_EQ(test, uet_snd_busy(&k->s)->departs, at + 3 * STEP);
	KUNIT_EXPECT_EQ(test, k->s.ackreq.psn, PSN(3));
	KUNIT_EXPECT_EQ(test, k->m[0].last_psn, PSN(3));
	KUNIT_EXPECT_EQ(test, k->m[0].state, UET_MSG_SENT);
	KUNIT_EXPECT_EQ(test, k->m[0].backlog, 0);
	KUNIT_EXPECT_EQ(test, k->ccc.backlog, 0);
	/* One of them is lost: it is sent again by itself. */
	script_ack(k, PSN(3), PSN(0), 0x6);
	k->now += SCRIPT_RTO;
	KUNIT_EXPECT_TRUE(test, uet_txwin_has(&k->s.win, PSN(1)));
	uet_txwin_mark(&k->s.win, PSN(1));
	uet_ccc_on_go_back(&k->ccc, k->now, PKT);
	KUNIT_ASSERT_EQ(test, uet_snd_pick(&k->s, k->now, k->now, &k->out),
			UET_SND_RTX);
	KUNIT_EXPECT_EQ(test, k->out.n, 1);
	KUNIT_EXPECT_EQ(test, k->out.pkt.off, SCRIPT_MTU);
	KUNIT_EXPECT_EQ(test, uet_snd_out_size(&k->out), PKT);
}

/* A run is noted as its packets would be, one by one: across words, at PSN wrap. */
static void run_notes(struct kunit *test)
{
	u32 size = (u32)uet_txwin_mem_size(SCRIPT_SLOTS), sent = 0, i;
	struct uet_tx_run run = { .at = 1000, .step = 7, .size = PKT };
	struct uet_tx_acked sum = { 0 };
	struct uet_txwin w[2];
	void *mem[2], *old;

	for (i = 0; i < 2; i++) {
		mem[i] = kunit_kzalloc(test, size, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, mem[i]);
		uet_txwin_init(&w[i], SCRIPT_PSN, 1024);
		uet_txwin_attach(&w[i], mem[i], SCRIPT_SLOTS, &old);
	}
	for (run.n = 1; run.n <= UET_RUN_MAX; run.n++) {
		run.last_size = PKT - run.n;
		run.ev = (u16)run.n;
		uet_txwin_send_run(&w[0], &run);
		for (i = 0; i < run.n; i++)
			uet_txwin_send(&w[1], i < run.n - 1 ? PKT : run.last_size,
				       run.ev, i ? UET_TX_NEXT : 0,
				       run.at + i * run.step);
		sent += run.n;
		run.at += 500;
		if (sent == 15)
			for (i = 0; i < 2; i++)
				uet_txwin_cack(&w[i], SCRIPT_PSN + 8, &sum);
	}
	KUNIT_EXPECT_EQ(test, sent, 120);
	w[1].ring->words = w[0].ring->words;
	KUNIT_EXPECT_EQ(test, memcmp(mem[0], mem[1], size), 0);
	w[1].ring = w[0].ring;
	KUNIT_EXPECT_EQ(test, memcmp(&w[0], &w[1], sizeof(w[0])), 0);
}

static bool run_loses(struct script *k, u32 n)
{
	struct uet_ccc_loss loss;

	KUNIT_EXPECT_TRUE(k->test, uet_snd_lost(&k->s, PSN(n), UET_LOSS_SACK,
						k->now, &loss));
	return loss.again;
}

/* Losses in a row of a run are one event for path selection. */
static void run_lost_once(struct kunit *test)
{
	struct script *k = run_script(test, false, 40, 40 * SCRIPT_MTU);

	script_send(k, 1);
	script_send(k, 1);
	KUNIT_ASSERT_EQ(test, k->s.win.ring->flight_pkts, 20);
	KUNIT_EXPECT_FALSE(test, run_loses(k, 2));
	KUNIT_EXPECT_TRUE(test, run_loses(k, 3));
	KUNIT_EXPECT_TRUE(test, run_loses(k, 4));
	/* Others between arrived */
	KUNIT_EXPECT_FALSE(test, run_loses(k, 8));
	/* The end of one run, and the beginning of another */
	KUNIT_EXPECT_TRUE(test, run_loses(k, 9));
	KUNIT_EXPECT_FALSE(test, run_loses(k, 10));
	/* Sent again: by itself, perhaps with another value */
	uet_txwin_resend(&k->s.win, PSN(3), 1, k->now);
	KUNIT_EXPECT_FALSE(test, run_loses(k, 3));
	uet_txwin_resend(&k->s.win, PSN(4), 1, k->now);
	uet_txwin_resend(&k->s.win, PSN(8), 1, k->now);
	uet_txwin_resend(&k->s.win, PSN(9), 1, k->now);
	KUNIT_EXPECT_FALSE(test, run_loses(k, 8));
	KUNIT_EXPECT_FALSE(test, run_loses(k, 9));
	KUNIT_EXPECT_FALSE(test, run_loses(k, 5));
}

/* Once data is cut otherwise, or sent again from the start, packets go one by one. */
static void run_ends(struct kunit *test)
{
	struct script *k = run_script(test, false, 400, 60 * SCRIPT_MTU);

	script_send(k, 1);
	KUNIT_EXPECT_EQ(test, k->out.n, UET_RUN_MAX);
	k->flow.payload_mtu = SCRIPT_MTU / 2;
	script_send(k, 1);
	KUNIT_EXPECT_EQ(test, k->out.n, 1);
	k->flow.payload_mtu = SCRIPT_MTU;
	run_pick(k, 1);

	k = run_script(test, false, 400, 60 * SCRIPT_MTU);
	script_send(k, 1);
	KUNIT_EXPECT_EQ(test, k->out.n, UET_RUN_MAX);
	uet_snd_rewind(&k->m[0]);
	KUNIT_EXPECT_EQ(test, k->m[0].run_len, 0);
}

/* A run counts in turns: queues get the same, whatever their packets. */
static void run_turns(struct kunit *test)
{
	struct script *k = run_script(test, false, 4000, 90 * SCRIPT_MTU);
	struct uet_snd_msg *single = script_msg(k, 1, 90 * SCRIPT_MTU,
						90 * SCRIPT_MTU);
	s32 most = 0, least = 0, ahead;

	while (k->m[0].sent < k->m[0].len && single->sent < single->len) {
		KUNIT_ASSERT_EQ(test, script_send(k, 1), 1);
		ahead = (s32)(k->m[0].sent - single->sent);
		most = max(most, ahead);
		least = min(least, ahead);
	}
	KUNIT_EXPECT_LE(test, most, 2 * UET_SND_QUANTUM);
	KUNIT_EXPECT_GE(test, least, -2 * UET_SND_QUANTUM);
}

/* Messages of one packet leave one by one. Those that may share a buffer with the next
 * one share its entropy value, as packets of a run do.
 */
static void run_joins(struct kunit *test)
{
	static const struct {
		u32 len;
		bool may, joined;
	} msgs[] = {
		{ 100, true, true }, { 100, true, true }, { 99, true, true },
		{ 0, true, false }, { 1000, true, false }, { 1000, false, false },
		{ SCRIPT_MTU, true, false },
	};
	struct script *k = script_new(test, false, true);
	const struct uet_lb_ops *ops = uet_lb_find("oblivious");
	struct uet_lb_config cfg = { .n = 64, .base = 50000, .run = 3 };
	struct uet_snd_msg *m;
	struct uet_lb *lb;
	u16 ev = 0;
	u32 i;

	k->p.fixed_wnd = 400 * PKT;
	k->flow.run_max = UET_RUN_MAX;
	k->s.win.limit = k->s.win.next - 1 + SCRIPT_SLOTS;
	lb = kunit_kzalloc(test, uet_lb_mem_size(ops, cfg.n), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, lb);
	KUNIT_ASSERT_EQ(test, uet_lb_init(lb, ops, &cfg), 0);
	k->ccc.lb = lb;
	for (i = 0; i < ARRAY_SIZE(msgs); i++) {
		m = script_msg(k, 0, msgs[i].len, msgs[i].len);
		m->joins = msgs[i].may;
	}
	for (i = 0; i < ARRAY_SIZE(msgs); i++) {
		run_pick(k, 1);
		KUNIT_EXPECT_PTR_EQ(test, k->out.pkt.msg, &k->m[i]);
		KUNIT_EXPECT_EQ_MSG(test, k->out.joined, msgs[i].joined, "%u", i);
		if (i % 3)
			KUNIT_EXPECT_EQ(test, k->out.params.ev, ev);
		ev = k->out.params.ev;
		uet_snd_commit(&k->s, &k->out, k->now, STEP, k->now);
	}
	KUNIT_EXPECT_EQ(test, k->ccc.inflight_pkts, ARRAY_SIZE(msgs));
	/* It is not in the queue that others follow in. */
	m = &k->m[k->nr++];
	INIT_LIST_HEAD(&m->node);
	m->queue = &k->q[0];
	m->joins = true;
	m->eom = true;
	uet_snd_enter(&k->s, m);
	KUNIT_ASSERT_TRUE(test, uet_snd_may_alone(&k->s, m));
	uet_snd_pick_alone(&k->s, m, k->now, k->now, &k->out);
	KUNIT_EXPECT_FALSE(test, k->out.joined);
}

/* How many packets may leave as one is the share of the window that paths stand. */
static void run_shares(struct kunit *test)
{
	struct script *k = run_script(test, false, 160, 60 * SCRIPT_MTU);
	struct uet_lb_config cfg = { .n = 16, .base = 50000 };
	const char * const policies[] = { "oblivious", "single" };
	u64 calm, now = k->ccc.created;
	struct uet_lb *lb;
	u32 i;

	calm = now + UET_RUN_CALM_RTTS * k->ccc.base_rtt + 1;
	for (i = 0; i < ARRAY_SIZE(policies); i++) {
		const struct uet_lb_ops *ops = uet_lb_find(policies[i]);

		lb = kunit_kzalloc(test, uet_lb_mem_size(ops, 16), GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, lb);
		cfg.run = 0;
		KUNIT_ASSERT_EQ(test, uet_lb_init(lb, ops, &cfg), 0);
		k->ccc.lb = lb;
		KUNIT_EXPECT_EQ(test, uet_ccc_run(&k->ccc, now, PKT, 64),
				ops->ordered ? 40 : 2);
		KUNIT_EXPECT_EQ(test, uet_ccc_run(&k->ccc, calm, PKT, 64),
				ops->ordered ? 40 : 8);
		/* A configured length counts for any window. */
		cfg.run = 12;
		KUNIT_ASSERT_EQ(test, uet_lb_init(lb, ops, &cfg), 0);
		KUNIT_EXPECT_EQ(test, uet_ccc_run(&k->ccc, now, PKT, 64), 12);
		KUNIT_EXPECT_EQ(test, uet_ccc_run(&k->ccc, now, PKT, 7), 7);
		run_pick(k, 12);
		lb->run = 0;
	}
	/* Ordered delivery keeps its path, whatever the policy. */
	k->ccc.sprayed = false;
	KUNIT_EXPECT_EQ(test, uet_ccc_run(&k->ccc, now, PKT, 64), 40);
}

/* It is a power of two, and moves when the window leaves a factor of two or so. Values
 * that take more packets are fewer.
 */
static void run_steps(struct kunit *test)
{
	struct script *k = run_script(test, false, 160, 60 * SCRIPT_MTU);
	const struct uet_lb_ops *ops = uet_lb_find("hybrid");
	struct uet_lb_config cfg = {
		.n = 256, .base = 50000, .mtu = PKT, .cwnd = 128 * PKT,
	};
	static const struct {
		u32 window, run, values;
	} steps[] = {
		{ 128, 8, 32 }, { 255, 8, 32 }, { 97, 8, 32 }, { 95, 4, 32 },
		{ 127, 4, 32 }, { 129, 8, 32 }, { 15, 1, 16 }, { 31, 1, 32 },
		{ 33, 2, 32 }, { 25, 2, 32 }, { 23, 1, 32 },
	};
	u64 calm = k->ccc.created + UET_RUN_CALM_RTTS * k->ccc.base_rtt + 1;
	struct uet_lb *lb;
	u32 i;

	lb = kunit_kzalloc(test, uet_lb_mem_size(ops, cfg.n), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, lb);
	KUNIT_ASSERT_EQ(test, uet_lb_init(lb, ops, &cfg), 0);
	KUNIT_EXPECT_EQ(test, lb->n, 256);
	k->ccc.lb = lb;
	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		k->p.fixed_wnd = steps[i].window * (u64)PKT;
		uet_lb_follow_window(lb, uet_ccc_window(&k->ccc));
		KUNIT_EXPECT_EQ_MSG(test, uet_ccc_run(&k->ccc, calm, PKT, 64),
				    steps[i].run, "step %u", i);
		KUNIT_EXPECT_EQ_MSG(test, lb->n, steps[i].values, "step %u", i);
	}
	/* No runs any more: a value per packet */
	k->p.fixed_wnd = 128 * PKT;
	KUNIT_EXPECT_EQ(test, uet_ccc_run(&k->ccc, calm, PKT, 64), 8);
	uet_ccc_no_runs(&k->ccc);
	KUNIT_EXPECT_EQ(test, lb->n, 256);
}

/* A mark, a trim or a loss, or not to have sent for long, makes runs short. */
static void run_calms(struct kunit *test)
{
	struct script *k = run_script(test, false, 160, 60 * SCRIPT_MTU);
	const struct uet_lb_ops *ops = uet_lb_find("oblivious");
	u64 rtts = UET_RUN_CALM_RTTS * k->ccc.base_rtt + 1;
	struct uet_lb_config cfg = { .n = 16, .base = 50000 };
	struct uet_ccc_ack ack = { .m = true, .ev = 50000 };
	struct uet_ccc_loss loss = { .how = UET_LOSS_LOCAL, .ev = 50000 };
	u64 now = k->ccc.created + rtts;
	struct uet_lb *lb;

	lb = kunit_kzalloc(test, uet_lb_mem_size(ops, 16), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, lb);
	KUNIT_ASSERT_EQ(test, uet_lb_init(lb, ops, &cfg), 0);
	k->ccc.lb = lb;
	KUNIT_EXPECT_EQ(test, uet_ccc_run(&k->ccc, now, PKT, 64), 8);
	ack.now = now;
	uet_ccc_on_ack(&k->ccc, &ack);
	KUNIT_EXPECT_EQ(test, uet_ccc_run(&k->ccc, now, PKT, 64), 2);
	/* The time was taken before the mark came. */
	KUNIT_EXPECT_EQ(test, uet_ccc_run(&k->ccc, now - 1, PKT, 64), 2);
	now += rtts;
	KUNIT_EXPECT_EQ(test, uet_ccc_run(&k->ccc, now, PKT, 64), 8);
	/* Dropped on this host */
	loss.now = now;
	uet_ccc_on_inferred_loss(&k->ccc, &loss);
	KUNIT_EXPECT_EQ(test, uet_ccc_run(&k->ccc, now, PKT, 64), 8);
	loss.how = UET_LOSS_RTO;
	uet_ccc_on_inferred_loss(&k->ccc, &loss);
	KUNIT_EXPECT_EQ(test, uet_ccc_run(&k->ccc, now, PKT, 64), 2);
}

static struct kunit_case run_kunit_cases[] = {
	KUNIT_CASE_PARAM(run_lengths, run_gen_params),
	KUNIT_CASE(run_room),
	KUNIT_CASE(run_commits),
	KUNIT_CASE(run_notes),
	KUNIT_CASE(run_lost_once),
	KUNIT_CASE(run_ends),
	KUNIT_CASE(run_turns),
	KUNIT_CASE(run_joins),
	KUNIT_CASE(run_shares),
	KUNIT_CASE(run_steps),
	KUNIT_CASE(run_calms),
	{}
};

static struct kunit_suite run_suite = {
	.name = "uet_snd_run",
	.test_cases = run_kunit_cases,
};

kunit_test_suite(run_suite);
