// SPDX-License-Identifier: GPL-2.0
/* CCC: states, counters, the two corrections, values returned to the caller. */
#include <kunit/test.h>
#include <linux/module.h>

#include "../core/cc/cc_nscc.h"
#include "../core/cc/cc_rccc.h"
#include "../core/lb/lb_live.h"

#define MTU	4160

struct ctx {
	struct uet_ccc c;
	struct uet_cc_params p;
};

static struct ctx *make(struct kunit *test, const char *algo, u64 base_rtt)
{
	struct ctx *x = kunit_kzalloc(test, sizeof(*x), GFP_KERNEL);
	struct uet_cc_config cfg = {};

	KUNIT_ASSERT_NOT_NULL(test, x);
	uet_cc_config_set(&cfg, UET_CCP_RATE_MBPS, 100000);
	uet_cc_config_set(&cfg, UET_CCP_BASE_RTT_NS, base_rtt);
	uet_cc_config_set(&cfg, UET_CCP_MTU, MTU);
	uet_cc_config_set(&cfg, UET_CCP_TRIMMING, 1);
	KUNIT_ASSERT_EQ(test, uet_cc_params_derive(&x->p, &cfg, NULL), 0);
	uet_ccc_init(&x->c, uet_cc_find(algo), &x->p, NULL, true, 0);
	return x;
}

static void ack(struct uet_ccc *c, u64 now, u32 bytes, u32 pkts)
{
	struct uet_ccc_ack a = {
		.now = now, .newly_rcvd_bytes = bytes,
		.newly_acked_pkts = pkts, .rtt = 12000, .rtt_valid = true,
	};

	uet_ccc_on_ack(c, &a);
}

static void ccc_states(struct kunit *test)
{
	struct uet_ccc *c = &make(test, "nscc", 12000)->c;

	KUNIT_EXPECT_EQ(test, c->state, UET_CCC_IDLE);
	uet_ccc_on_new_data(c, 0, 2 * MTU);
	KUNIT_EXPECT_EQ(test, c->state, UET_CCC_READY);
	uet_ccc_on_send(c, 0, MTU, 0, false);
	KUNIT_EXPECT_EQ(test, c->state, UET_CCC_READY);
	uet_ccc_on_send(c, 0, MTU, 0, false);
	KUNIT_EXPECT_EQ(test, c->state, UET_CCC_PENDING);
	ack(c, 100, MTU, 1);
	KUNIT_EXPECT_EQ(test, c->state, UET_CCC_PENDING);
	ack(c, 100, MTU, 1);
	KUNIT_EXPECT_EQ(test, c->state, UET_CCC_IDLE);
	KUNIT_EXPECT_EQ(test, c->inflight, 0);
}

static void ccc_window_blocks(struct kunit *test)
{
	struct uet_ccc *c = &make(test, "nscc", 12000)->c;
	u64 window, credit;

	uet_nscc(c)->cwnd = MTU;
	uet_ccc_on_new_data(c, 0, 3 * MTU);
	uet_ccc_on_send(c, 1000, MTU, 0, false);
	KUNIT_EXPECT_EQ(test, c->state, UET_CCC_ACTIVE);
	uet_ccc_blocked_ns(c, 1500, &window, &credit);
	KUNIT_EXPECT_EQ(test, window, 500ULL);
	ack(c, 3000, 4352, 1);
	KUNIT_EXPECT_EQ(test, c->state, UET_CCC_READY);
	uet_ccc_blocked_ns(c, 9000, &window, &credit);
	KUNIT_EXPECT_EQ(test, window, 2000ULL);
	KUNIT_EXPECT_EQ(test, credit, 0ULL);
}

/*
 * As large a window as what is in flight and a packet: enough, unless the setting asks for
 * more. Who may not send has asked for an answer; a window of one packet sends.
 */
static void ccc_window_to_the_byte(struct kunit *test)
{
	u32 below;

	for (below = 0; below < 2; below++) {
		struct uet_ccc *c;
		struct ctx *x = make(test, "nscc", 12000);

		x->p.send_below = below;
		x->p.ack_gen_trigger = 0;
		c = &x->c;
		uet_nscc(c)->cwnd = 3 * MTU;
		uet_ccc_on_new_data(c, 0, 9 * MTU);
		uet_ccc_on_send(c, 0, MTU, 0, false);
		KUNIT_EXPECT_EQ(test, c->state, UET_CCC_READY);
		KUNIT_EXPECT_EQ(test, c->algo->window->room(c), MTU - below);
		KUNIT_EXPECT_EQ(test, c->algo->window->ack_request(c, MTU),
				below);
		uet_ccc_on_send(c, 0, MTU, 0, false);
		KUNIT_EXPECT_EQ(test, c->state,
				below ? UET_CCC_ACTIVE : UET_CCC_READY);
		ack(c, 10, 2 * MTU, 2);
		uet_nscc(c)->cwnd = MTU;
		uet_ccc_on_new_data(c, 20, MTU);
		KUNIT_EXPECT_EQ(test, c->state, UET_CCC_READY);
		KUNIT_EXPECT_EQ(test, c->algo->window->room(c), 0ULL);
	}
}

/* A spuriously inferred loss must leave no trace in the counters. */
static void ccc_unmark_returns_bytes(struct kunit *test)
{
	struct uet_ccc *c = &make(test, "nscc", 12000)->c;
	struct uet_ccc_loss loss = { .now = 10, .size = MTU };
	struct uet_ccc_ack a = {
		.now = 20, .newly_rcvd_bytes = MTU, .unmarked_pkts = 1,
		.unmarked_bytes = MTU,
	};

	uet_ccc_on_new_data(c, 0, 2 * MTU);
	uet_ccc_on_send(c, 0, MTU, 0, false);
	uet_ccc_on_send(c, 0, MTU, 0, false);
	uet_ccc_on_inferred_loss(c, &loss);
	KUNIT_EXPECT_EQ(test, c->inflight, MTU);
	KUNIT_EXPECT_EQ(test, c->inflight_pkts, 1U);
	KUNIT_EXPECT_EQ(test, c->waiting_rtx, 1U);
	uet_ccc_on_ack(c, &a);
	KUNIT_EXPECT_EQ(test, c->inflight, MTU);
	KUNIT_EXPECT_EQ(test, c->inflight_pkts, 1U);
	KUNIT_EXPECT_EQ(test, c->waiting_rtx, 0U);
	KUNIT_EXPECT_EQ(test, c->rtx_backlog, 0ULL);
	ack(c, 30, MTU, 1);
	KUNIT_EXPECT_EQ(test, c->state, UET_CCC_IDLE);
	KUNIT_EXPECT_EQ(test, c->stats.imbalance, 0ULL);
}

/* Bytes left by rounding would block a window of one packet. */
static void ccc_resynchronises(struct kunit *test)
{
	struct uet_ccc *c = &make(test, "nscc", 12000)->c;

	uet_nscc(c)->cwnd = MTU;
	uet_ccc_on_new_data(c, 0, 2 * MTU);
	uet_ccc_on_send(c, 0, MTU, 0, false);
	ack(c, 10, MTU - 100, 1);
	KUNIT_EXPECT_EQ(test, c->inflight, 0);
	KUNIT_EXPECT_EQ(test, c->state, UET_CCC_READY);
}

static void ccc_pdc_gone(struct kunit *test)
{
	struct uet_ccc *c = &make(test, "nscc", 12000)->c;
	struct uet_ccc_loss loss = { .now = 10, .size = MTU };
	struct uet_ccc_gone gone = {
		.now = 20, .backlog = MTU, .rtx_bytes = MTU, .rtx_pkts = 1,
		.inflight_bytes = MTU, .inflight_pkts = 1,
	};

	uet_ccc_on_new_data(c, 0, 3 * MTU);
	uet_ccc_on_send(c, 0, MTU, 0, false);
	uet_ccc_on_send(c, 0, MTU, 0, false);
	uet_ccc_on_inferred_loss(c, &loss);
	KUNIT_EXPECT_EQ(test, c->state, UET_CCC_READY);
	uet_ccc_pdc_gone(c, &gone);
	KUNIT_EXPECT_EQ(test, c->state, UET_CCC_IDLE);
	KUNIT_EXPECT_EQ(test, c->inflight, 0);
	KUNIT_EXPECT_EQ(test, c->stats.imbalance, 0ULL);
	uet_ccc_pdc_gone(c, &gone);
	KUNIT_EXPECT_EQ(test, c->stats.imbalance, 4ULL);
	KUNIT_EXPECT_EQ(test, c->state, UET_CCC_IDLE);
}

static void ccc_ack_requests(struct kunit *test)
{
	struct uet_ccc *c = &make(test, "nscc", 12000)->c;

	uet_ccc_on_new_data(c, 0, 10 * MTU);
	KUNIT_EXPECT_FALSE(test, uet_ccc_ack_req(c, MTU));
	c->inflight = (s64)uet_nscc(c)->cwnd - 2 * MTU + 1;
	KUNIT_EXPECT_TRUE(test, uet_ccc_ack_req(c, MTU));
	c->inflight--;
	KUNIT_EXPECT_FALSE(test, uet_ccc_ack_req(c, MTU));
}

static void ccc_probe_once(struct kunit *test)
{
	struct uet_ccc *c = &make(test, "nscc", 12000)->c;

	uet_ccc_on_new_data(c, 0, 200000);
	KUNIT_EXPECT_FALSE(test, uet_ccc_probe_wanted(c));
	uet_ccc_on_send(c, 0, MTU, 0, false);
	ack(c, 10, MTU, 1);
	KUNIT_EXPECT_TRUE(test, uet_ccc_probe_wanted(c));
	KUNIT_EXPECT_FALSE(test, uet_ccc_probe_wanted(c));
	/* four links that take 332 ns each for an MTU */
	uet_ccc_on_probe_rtt(c, 20, 8000);
	KUNIT_EXPECT_EQ(test, c->base_rtt, 9328ULL);
	KUNIT_EXPECT_EQ(test, uet_nscc(c)->max_wnd, 174900ULL);
	uet_ccc_on_probe_rtt(c, 30, 12000 - 1328);
	KUNIT_EXPECT_EQ(test, c->base_rtt, 9328ULL);

	c = &make(test, "nscc", 12000)->c;
	uet_ccc_set_base_rtt(c, 6000);
	KUNIT_EXPECT_EQ(test, uet_ccc_window(c), 112500ULL);
	uet_ccc_on_new_data(c, 0, 200000);
	ack(c, 10, 0, 0);
	KUNIT_EXPECT_FALSE(test, uet_ccc_probe_wanted(c));

	/* too little data for a second round trip: no probe, not even later */
	c = &make(test, "nscc", 12000)->c;
	uet_ccc_on_new_data(c, 0, 100000);
	uet_ccc_on_send(c, 0, MTU, 0, false);
	ack(c, 10, MTU, 1);
	KUNIT_EXPECT_FALSE(test, uet_ccc_probe_wanted(c));
	uet_ccc_on_new_data(c, 0, 1000000);
	KUNIT_EXPECT_FALSE(test, uet_ccc_probe_wanted(c));
}

static void ccc_base_rtt_ignores_clock_errors(struct kunit *test)
{
	struct uet_ccc *c = &make(test, "fixed", 16000)->c;

	KUNIT_EXPECT_FALSE(test, uet_ccc_lower_base_rtt(c, 999));
	KUNIT_EXPECT_EQ(test, c->base_rtt, 16000ULL);
	KUNIT_EXPECT_TRUE(test, uet_ccc_lower_base_rtt(c, 1000));
	KUNIT_EXPECT_FALSE(test, uet_ccc_lower_base_rtt(c, 2000));
	KUNIT_EXPECT_EQ(test, c->base_rtt, 1000ULL);
}

/* The base RTT falls in steps, so that one lucky sample has no lasting effect. */
static void ccc_base_rtt_in_steps(struct kunit *test)
{
	struct ctx *x = make(test, "nscc", 16000);
	struct uet_ccc *c = &x->c;
	u64 max_wnd = x->p.max_wnd;

	x->p.base_shift = 3;
	KUNIT_EXPECT_TRUE(test, uet_ccc_lower_base_rtt(c, 8000));
	KUNIT_EXPECT_EQ(test, c->base_rtt, 15000ULL);
	KUNIT_EXPECT_FALSE(test, uet_ccc_lower_base_rtt(c, 15000));
	KUNIT_EXPECT_FALSE(test, uet_ccc_lower_base_rtt(c, 14993));
	KUNIT_EXPECT_EQ(test, uet_nscc(c)->max_wnd, max_wnd * 15 / 16);
	while (uet_ccc_lower_base_rtt(c, 8000))
		;
	KUNIT_EXPECT_LE(test, c->base_rtt, 8007ULL);
}

/* A probe found the base RTT; the parameters were derived again. */
static void ccc_rebase(struct kunit *test)
{
	struct ctx *x = make(test, "nscc", 16000);
	struct uet_cc_config cfg = {};

	KUNIT_EXPECT_EQ(test, uet_ccc_probe_base_rtt(&x->p, 1000),
			1000ULL + 4 * (MTU * 8000ULL / 100000));
	uet_ccc_lower_base_rtt(&x->c, 9000);
	uet_cc_config_set(&cfg, UET_CCP_RATE_MBPS, 100000);
	uet_cc_config_set(&cfg, UET_CCP_BASE_RTT_NS, 40000);
	uet_cc_config_set(&cfg, UET_CCP_MTU, MTU);
	KUNIT_ASSERT_EQ(test, uet_cc_params_derive(&x->p, &cfg, NULL), 0);
	uet_ccc_rebase(&x->c, 1);
	KUNIT_EXPECT_EQ(test, x->c.base_rtt, 40000ULL);
	KUNIT_EXPECT_EQ(test, uet_nscc(&x->c)->max_wnd, 750000ULL);
}

/* A short packet's sample counts as a delay, but not as the base RTT. */
static void ccc_base_rtt_of_full_packets(struct kunit *test)
{
	static const char * const algos[] = { "nscc", "rccc" };
	struct uet_ccc_nack nack = {
		.rtt = 10000, .size = MTU, .rtt_valid = true, .rtt_short = true,
	};
	struct uet_ccc_ack a = {
		.newly_rcvd_bytes = MTU, .newly_acked_pkts = 1,
		.rtt = 9000, .rtt_valid = true, .rtt_short = true,
	};
	struct uet_ccc *c;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(algos); i++) {
		c = &make(test, algos[i], 12000)->c;
		uet_ccc_on_new_data(c, 0, 4 * MTU);
		uet_ccc_on_send(c, 0, MTU, 0, false);
		uet_ccc_on_send(c, 0, MTU, 0, false);
		uet_ccc_on_ack(c, &a);
		uet_ccc_on_nack(c, &nack);
		KUNIT_EXPECT_EQ(test, c->base_rtt, 12000ULL);
		KUNIT_EXPECT_EQ(test, c->rtt.srtt >> 3, 9000ULL);
		a.rtt_short = false;
		uet_ccc_on_ack(c, &a);
		KUNIT_EXPECT_EQ(test, c->base_rtt, 9000ULL);
		a.rtt_short = true;
	}
}

/* A NACK for a missing packet is a loss on its path; another NACK is not. */
static void ccc_tells_paths_what_nacks_mean(struct kunit *test)
{
	static const u8 reasons[] = {
		UET_NACKED_TRIMMED, UET_NACKED_LASTHOP, UET_NACKED_OTHER,
		UET_NACKED_LOST,
	};
	struct ctx *x = make(test, "nscc", 12000);
	const struct uet_lb_ops *ops = uet_lb_find("bitmap");
	struct uet_lb_config cfg = { .n = 16, .base = 50000 };
	struct uet_lb *lb = kunit_kzalloc(test, uet_lb_mem_size(ops, 16),
					  GFP_KERNEL);
	struct uet_ccc_nack nack = { .size = MTU };
	u32 i;

	KUNIT_ASSERT_EQ(test, uet_lb_init(lb, ops, &cfg), 0);
	uet_lb_live_attach(lb, kunit_kzalloc(test, uet_lb_live_size(lb),
					     GFP_KERNEL));
	x->c.lb = lb;
	uet_ccc_on_new_data(&x->c, 0, 4 * MTU);
	for (i = 0; i < ARRAY_SIZE(reasons); i++) {
		uet_ccc_on_send(&x->c, 0, MTU, (u16)(50000 + i), false);
		nack.ev = (u16)(50000 + i);
		nack.reason = reasons[i];
		uet_ccc_on_nack(&x->c, &nack);
		KUNIT_EXPECT_EQ(test, lb->live[i].trimmed, (u32)(i == 0));
		KUNIT_EXPECT_EQ(test, lb->live[i].acked, (u32)(i == 1 || i == 2));
		KUNIT_EXPECT_EQ(test, lb->live[i].lost, (u32)(i == 3));
	}
	KUNIT_EXPECT_EQ(test, x->c.stats.nacks[UET_NACKED_LOST], 1ULL);
	KUNIT_EXPECT_EQ(test, uet_lb_bad_paths(lb), 2U);
}

static void ccc_runs_of_one_value(struct kunit *test)
{
	struct ctx *x = make(test, "nscc", 12000);
	const struct uet_lb_ops *ops = uet_lb_find("oblivious");
	struct uet_lb_config cfg = { .n = 16, .base = 50000, .run = 4 };
	struct uet_lb *lb = kunit_kzalloc(test, uet_lb_mem_size(ops, 16),
					  GFP_KERNEL);
	struct uet_ccc_ask ask = { .size = MTU, .want = 1 };
	struct uet_ccc_send out;
	u16 ev;
	u32 i;

	KUNIT_ASSERT_EQ(test, uet_lb_init(lb, ops, &cfg), 0);
	uet_lb_live_attach(lb, kunit_kzalloc(test, uet_lb_live_size(lb),
					     GFP_KERNEL));
	x->c.lb = lb;
	uet_ccc_get_send_params(&x->c, &ask, &out);
	ev = out.ev;
	for (i = 0; i < 3; i++) {
		KUNIT_EXPECT_EQ(test, out.run, 1);
		uet_ccc_get_send_params(&x->c, &ask, &out);
		KUNIT_EXPECT_EQ(test, out.ev, ev);
	}
	ask.want = 64;
	uet_ccc_get_send_params(&x->c, &ask, &out);
	KUNIT_EXPECT_NE(test, out.ev, ev);
	KUNIT_EXPECT_EQ(test, out.run, 4);
	/* a retransmission does not use up the run of new packets */
	ask.want = 1;
	uet_ccc_get_send_params(&x->c, &ask, &out);
	ev = out.ev;
	ask.rtx = true;
	ask.prev_ev = ev;
	uet_ccc_get_send_params(&x->c, &ask, &out);
	KUNIT_EXPECT_NE(test, out.ev, ev);
	KUNIT_EXPECT_EQ(test, out.run, 1);
	ask.rtx = false;
	for (i = 0; i < 3; i++) {
		uet_ccc_get_send_params(&x->c, &ask, &out);
		KUNIT_EXPECT_EQ(test, out.ev, ev);
	}
}

static void ccc_algorithms_by_name(struct kunit *test)
{
	KUNIT_EXPECT_PTR_EQ(test, uet_cc_find("nscc"), uet_cc_at(0));
	KUNIT_EXPECT_TRUE(test, uet_cc_find("nscc+rccc")->credit);
	KUNIT_EXPECT_TRUE(test, !uet_cc_find("cubic"));
	KUNIT_EXPECT_TRUE(test, !uet_cc_find(""));
	KUNIT_EXPECT_TRUE(test, !uet_cc_at(99));
}

/* Without a limit on the interval */
static bool asks(struct uet_ccc *c, u64 now, u64 *when)
{
	return uet_ccc_credit_req(c, now, U64_MAX, when);
}

static void ccc_credit_requests(struct kunit *test)
{
	struct uet_ccc *c = &make(test, "rccc", 12000)->c;
	u64 when;

	uet_ccc_on_new_data(c, 0, MTU);
	KUNIT_EXPECT_FALSE(test, asks(c, 0, &when));
	KUNIT_EXPECT_EQ(test, when, 0ULL);
	uet_ccc_on_credit(c, 1000, 0);
	KUNIT_EXPECT_EQ(test, c->state, UET_CCC_ACTIVE);
	/* No packet has carried a target. */
	KUNIT_EXPECT_TRUE(test, asks(c, 1000, &when));
	KUNIT_EXPECT_EQ(test, when, 49000ULL);
	KUNIT_EXPECT_FALSE(test, asks(c, 1001, &when));
	KUNIT_EXPECT_EQ(test, when, 49000ULL);
	KUNIT_EXPECT_TRUE(test, asks(c, 49000, &when));
	KUNIT_EXPECT_EQ(test, when, 145000ULL);
	KUNIT_EXPECT_FALSE(test, asks(c, 60000, &when));
	uet_ccc_on_credit(c, 61000, 17);
	KUNIT_EXPECT_EQ(test, c->state, UET_CCC_READY);
	KUNIT_EXPECT_FALSE(test, asks(c, 99000, &when));
}

/* Packets dropped behind a gap by an ordered target say nothing about a path. */
static void ccc_go_back_is_no_signal(struct kunit *test)
{
	const struct uet_lb_ops *ops = uet_lb_find("single");
	struct uet_lb_config cfg = { .n = 16, .base = 50000 };
	struct uet_lb *lb = kunit_kzalloc(test, uet_lb_mem_size(ops, 16),
					  GFP_KERNEL);
	struct uet_ccc *c = &make(test, "nscc", 12000)->c;
	struct uet_ccc_ask ask = { .size = MTU, .want = 1 };
	struct uet_ccc_ack a = {
		.now = 10, .newly_rcvd_bytes = MTU, .newly_acked_pkts = 1,
		.m = true,
	};
	struct uet_ccc_send out;
	struct uet_lb_path path;
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, lb);
	KUNIT_ASSERT_EQ(test, uet_lb_init(lb, ops, &cfg), 0);
	c->lb = lb;
	uet_ccc_on_new_data(c, 0, 4 * MTU);
	for (i = 0; i < 3; i++) {
		uet_ccc_get_send_params(c, &ask, &out);
		uet_ccc_on_send(c, 0, MTU, out.ev, false);
	}
	uet_ccc_on_go_back(c, 5, MTU);
	KUNIT_EXPECT_FALSE(test, c->heard);
	a.ev = out.ev;
	uet_ccc_on_ack(c, &a);
	uet_ccc_on_go_back(c, 20, MTU);
	KUNIT_EXPECT_EQ(test, c->inflight, 0);
	KUNIT_EXPECT_EQ(test, c->inflight_pkts, 0U);
	KUNIT_EXPECT_EQ(test, c->waiting_rtx, 2U);
	KUNIT_EXPECT_EQ(test, c->rtx_backlog, 2ULL * MTU);
	KUNIT_ASSERT_EQ(test, uet_lb_path_get(lb, uet_lb_index(lb, out.ev),
					      &path), 0);
	KUNIT_EXPECT_TRUE(test, path.current_ev);
	KUNIT_EXPECT_GT(test, path.skip, 0);
}

/*
 * Window after two periods of quick adapt, if a packet is lost in the first one,
 * all packets queue for @delay and switches do not trim.
 */
static u64 window_after_loss(struct kunit *test, u64 delay, bool qa_loss)
{
	struct ctx *x = make(test, "nscc", 12000);
	struct uet_ccc_loss loss = { .now = 21000, .size = MTU };
	struct uet_ccc_ack a = {
		.newly_rcvd_bytes = MTU, .newly_acked_pkts = 1,
		.rtt = 12000 + delay, .rtt_valid = true,
	};
	struct uet_cc_config cfg = {};
	u32 i;

	uet_cc_config_set(&cfg, UET_CCP_RATE_MBPS, 100000);
	uet_cc_config_set(&cfg, UET_CCP_BASE_RTT_NS, 12000);
	uet_cc_config_set(&cfg, UET_CCP_MTU, MTU);
	uet_cc_config_set(&cfg, UET_CCP_QA_LOSS, qa_loss);
	KUNIT_ASSERT_EQ(test, uet_cc_params_derive(&x->p, &cfg, NULL), 0);
	uet_ccc_init(&x->c, uet_cc_find("nscc"), &x->p, NULL, true, 0);
	uet_ccc_on_new_data(&x->c, 0, 40 * MTU);
	for (i = 0; i < 20; i++)
		uet_ccc_on_send(&x->c, 0, MTU, 0, false);
	a.now = 1000;
	uet_ccc_on_ack(&x->c, &a);
	a.now = 20000;
	uet_ccc_on_ack(&x->c, &a);
	uet_ccc_on_inferred_loss(&x->c, &loss);
	a.now = 26000;
	uet_ccc_on_ack(&x->c, &a);
	return uet_ccc_window(&x->c);
}

/* A switch port with a short buffer shows congestion by losses, not by delay. */
static void ccc_losses_of_a_full_port(struct kunit *test)
{
	u64 max = 225000;

	KUNIT_EXPECT_EQ(test, window_after_loss(test, 30000, true), 2ULL * MTU);
	KUNIT_EXPECT_GT(test, window_after_loss(test, 30000, false), max / 2);
	/* loss without delay: a bad link, keep the window */
	KUNIT_EXPECT_GT(test, window_after_loss(test, 0, true), max / 2);
}

/* What ends fast increase: in the algorithm of UE 1.0 a delay or a decrease, in its
 * prose any sign of congestion
 */
static void ccc_end_of_fast_increase(struct kunit *test)
{
	struct uet_ccc_ack marked = {
		.now = 1000, .newly_rcvd_bytes = MTU, .newly_acked_pkts = 1,
		.rtt = 12000, .rtt_valid = true, .m = true,
	};
	struct uet_ccc_ack slow = marked;
	struct uet_ccc_loss loss = { .now = 1000, .size = MTU };
	u32 i, sign;

	slow.m = false;
	slow.rtt = 12000 + 10000;
	for (i = 0; i < 6; i++) {
		struct ctx *x = make(test, "nscc", 12000);
		struct uet_nscc *s = uet_nscc(&x->c);

		sign = i / 2;
		x->p.fi_end = i & 1;
		s->increase_mode = true;
		s->fi_count = 1000;
		uet_ccc_on_new_data(&x->c, 0, 2 * MTU);
		uet_ccc_on_send(&x->c, 0, MTU, 0, false);
		x->c.wnd_blocked = true;
		if (sign == 0)
			uet_ccc_on_ack(&x->c, &marked);
		else if (sign == 1)
			uet_ccc_on_ack(&x->c, &slow);
		else
			uet_ccc_on_inferred_loss(&x->c, &loss);
		KUNIT_EXPECT_EQ(test, s->increase_mode, !x->p.fi_end);
		KUNIT_EXPECT_EQ(test, s->fi_count, x->p.fi_end ? 0 : 1000);
	}
}

static struct kunit_case cases[] = {
	KUNIT_CASE(ccc_end_of_fast_increase),
	KUNIT_CASE(ccc_states),
	KUNIT_CASE(ccc_window_blocks),
	KUNIT_CASE(ccc_window_to_the_byte),
	KUNIT_CASE(ccc_unmark_returns_bytes),
	KUNIT_CASE(ccc_resynchronises),
	KUNIT_CASE(ccc_pdc_gone),
	KUNIT_CASE(ccc_ack_requests),
	KUNIT_CASE(ccc_probe_once),
	KUNIT_CASE(ccc_base_rtt_ignores_clock_errors),
	KUNIT_CASE(ccc_base_rtt_in_steps),
	KUNIT_CASE(ccc_rebase),
	KUNIT_CASE(ccc_base_rtt_of_full_packets),
	KUNIT_CASE(ccc_tells_paths_what_nacks_mean),
	KUNIT_CASE(ccc_runs_of_one_value),
	KUNIT_CASE(ccc_algorithms_by_name),
	KUNIT_CASE(ccc_credit_requests),
	KUNIT_CASE(ccc_go_back_is_no_signal),
	KUNIT_CASE(ccc_losses_of_a_full_port),
	{}
};

static struct kunit_suite suite = {
	.name = "uet_ccc",
	.test_cases = cases,
};

kunit_test_suites(&suite);

MODULE_LICENSE("GPL");
