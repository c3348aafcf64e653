// SPDX-License-Identifier: GPL-2.0
/* Parameters at their edges, timer arithmetic, the destination's penalty. */
#include <kunit/test.h>
#include <linux/module.h>

#include "../core/cc_nscc.h"
#include "../core/dfc.h"
#include "../core/loss.h"
#include "random.h"

static void params_defaults(struct kunit *test)
{
	struct uet_cc_config cfg = {};
	struct uet_cc_params p;
	enum uet_cc_param bad = UET_CCP_COUNT;

	KUNIT_EXPECT_EQ(test, uet_cc_params_derive(&p, &cfg, &bad), -EINVAL);
	KUNIT_EXPECT_EQ(test, (u32)bad, (u32)UET_CCP_MTU);
	uet_cc_config_set(&cfg, UET_CCP_MTU, 4160);
	KUNIT_EXPECT_EQ(test, uet_cc_params_derive(&p, &cfg, &bad), 0);
	KUNIT_EXPECT_EQ(test, p.rate_mbps, 10000U);
	KUNIT_EXPECT_EQ(test, p.base_rtt, 100000ULL);
	KUNIT_EXPECT_EQ(test, p.target, 100000ULL);
	KUNIT_EXPECT_EQ(test, p.bdp, 125000ULL);
	KUNIT_EXPECT_EQ(test, p.max_wnd, 187500ULL);
	uet_cc_config_set(&cfg, UET_CCP_RATE_MBPS, 0);
	uet_cc_config_set(&cfg, UET_CCP_PEER_RATE_MBPS, 1000);
	KUNIT_EXPECT_EQ(test, uet_cc_params_derive(&p, &cfg, &bad), 0);
	KUNIT_EXPECT_EQ(test, p.rate_mbps, 1000U);
}

/* Both limits of every parameter are taken, what lies beyond is refused. */
static void params_ranges(struct kunit *test)
{
	struct uet_cc_config cfg = {};
	u64 min, max;
	u32 id;

	for (id = 0; id < UET_CCP_COUNT; id++) {
		KUNIT_ASSERT_EQ(test, uet_cc_param_range(id, &min, &max), 0);
		KUNIT_EXPECT_LE(test, min, max);
		KUNIT_ASSERT_NOT_NULL(test, uet_cc_param_name(id));
		KUNIT_EXPECT_EQ(test, uet_cc_config_set(&cfg, id, min), 0);
		KUNIT_EXPECT_EQ(test, uet_cc_config_set(&cfg, id, max), 0);
		KUNIT_EXPECT_EQ(test, uet_cc_config_set(&cfg, id, max + 1),
				-ERANGE);
		if (min)
			KUNIT_EXPECT_EQ(test,
					uet_cc_config_set(&cfg, id, min - 1),
					-ERANGE);
		KUNIT_EXPECT_EQ(test, cfg.val[id], max);
	}
	KUNIT_EXPECT_EQ(test, uet_cc_config_set(&cfg, UET_CCP_COUNT, 0),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, uet_cc_param_range(UET_CCP_COUNT, &min, &max),
			-EINVAL);
	KUNIT_EXPECT_TRUE(test, !uet_cc_param_name(UET_CCP_COUNT));
}

struct dependent {
	enum uet_cc_param id;
	u64 good, bad;
};

/* Limits that follow from other parameters name the culprit. */
static void params_dependent_limits(struct kunit *test)
{
	static const struct dependent rows[] = {
		{ UET_CCP_TARGET_QDELAY_NS, 48000, 48001 },
		{ UET_CCP_CLEAR_DELAY_NS, 6000, 6001 },
		{ UET_CCP_MAX_WND, 8320, 8319 },
		{ UET_CCP_ADJUST_BYTES, 64 * 4160, 64 * 4160 + 1 },
		{ UET_CCP_FIXED_WND, 4160, 4159 },
	};
	enum uet_cc_param bad;
	struct uet_cc_params p;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct uet_cc_config cfg = {};

		uet_cc_config_set(&cfg, UET_CCP_MTU, 4160);
		uet_cc_config_set(&cfg, UET_CCP_BASE_RTT_NS, 12000);
		uet_cc_config_set(&cfg, rows[i].id, rows[i].good);
		KUNIT_EXPECT_EQ(test, uet_cc_params_derive(&p, &cfg, &bad), 0);
		uet_cc_config_set(&cfg, rows[i].id, rows[i].bad);
		KUNIT_EXPECT_EQ(test, uet_cc_params_derive(&p, &cfg, &bad),
				-ERANGE);
		KUNIT_EXPECT_EQ(test, (u32)bad, (u32)rows[i].id);
		uet_cc_config_clear(&cfg, rows[i].id);
		KUNIT_EXPECT_EQ(test, uet_cc_params_derive(&p, &cfg, NULL), 0);
	}
}

static void params_merge(struct kunit *test)
{
	struct uet_cc_config net = {}, peer = {};
	struct uet_cc_params p;

	uet_cc_config_set(&net, UET_CCP_MTU, 4160);
	uet_cc_config_set(&net, UET_CCP_ETA, 100);
	uet_cc_config_set(&net, UET_CCP_FI, 100);
	uet_cc_config_set(&peer, UET_CCP_FI, 7);
	uet_cc_config_set(&peer, UET_CCP_MAX_WND, 99999);
	uet_cc_config_merge(&net, &peer);
	KUNIT_EXPECT_EQ(test, uet_cc_params_derive(&p, &net, NULL), 0);
	KUNIT_EXPECT_EQ(test, p.eta, 100U);
	KUNIT_EXPECT_EQ(test, p.fi, 7U);
	KUNIT_EXPECT_EQ(test, p.max_wnd, 99999ULL);
	/* a window that was asked for does not follow the round trip */
	KUNIT_EXPECT_EQ(test, uet_cc_max_wnd(&p, 10), 99999ULL);
}

static void params_extremes_do_not_overflow(struct kunit *test)
{
	struct uet_cc_config cfg = {};
	struct uet_cc_params p;

	uet_cc_config_set(&cfg, UET_CCP_RATE_MBPS, U32_MAX);
	uet_cc_config_set(&cfg, UET_CCP_BASE_RTT_NS, UET_BASE_RTT_MAX_NS);
	uet_cc_config_set(&cfg, UET_CCP_MTU, UET_MTU_MAX);
	KUNIT_EXPECT_EQ(test, uet_cc_params_derive(&p, &cfg, NULL), 0);
	KUNIT_EXPECT_EQ(test, p.bdp, (u64)UET_BDP_MAX);
	KUNIT_EXPECT_EQ(test, p.max_wnd, 300000000ULL);
	KUNIT_EXPECT_EQ(test, p.fi, UET_FI_MAX);
	KUNIT_EXPECT_LE(test, p.alpha_q24, UET_ALPHA_MAX_Q24);
	uet_cc_config_set(&cfg, UET_CCP_RATE_MBPS, 1);
	uet_cc_config_set(&cfg, UET_CCP_BASE_RTT_NS, UET_BASE_RTT_MIN_NS);
	KUNIT_EXPECT_EQ(test, uet_cc_params_derive(&p, &cfg, NULL), 0);
	KUNIT_EXPECT_EQ(test, p.bdp, 0ULL);
	KUNIT_EXPECT_EQ(test, p.max_wnd, 2ULL * UET_MTU_MAX);
}

static void loss_timers(struct kunit *test)
{
	struct uet_cc_params p = {
		.base_rtt = 12000, .target = 9000, .trimming = true,
	};
	struct uet_rtt_est est = {};
	u32 i;

	KUNIT_EXPECT_EQ(test, uet_rto_init_ns(&p, &est, 0, 1000000), 84000ULL);
	KUNIT_EXPECT_EQ(test, uet_rto_init_ns(&p, &est, 1000000, 200000000),
			1000000ULL);
	p.trimming = false;
	KUNIT_EXPECT_EQ(test, uet_rto_init_ns(&p, &est, 0, 1000000),
			240000ULL);
	for (i = 0; i < 100; i++)
		uet_rtt_est_add(&est, 500000);
	KUNIT_EXPECT_EQ(test, uet_rtt_est_ns(&est), 500000ULL);
	KUNIT_EXPECT_GE(test, uet_rto_init_ns(&p, &est, 0, 1000000),
			500000ULL);
	KUNIT_EXPECT_EQ(test, uet_rto_init_ns(&p, &est, 0, 300000), 300000ULL);

	KUNIT_EXPECT_EQ(test, uet_rto_backoff_ns(1000, 0, 1000000), 1000ULL);
	KUNIT_EXPECT_EQ(test, uet_rto_backoff_ns(1000, 5, 1000000), 32000ULL);
	KUNIT_EXPECT_EQ(test, uet_rto_backoff_ns(1000, 10, 1000000),
			1000000ULL);
	KUNIT_EXPECT_EQ(test, uet_rto_backoff_ns(1000, U32_MAX, U64_MAX),
			UET_RTO_LIMIT_NS);
	KUNIT_EXPECT_EQ(test, uet_rto_backoff_ns(1, 33, U64_MAX),
			UET_RTO_LIMIT_NS);

	KUNIT_EXPECT_EQ(test, uet_tail_probe_ns(100, 75, false, false),
			175ULL);
	KUNIT_EXPECT_EQ(test, uet_tail_probe_ns(100, 75, true, false), 300ULL);
	KUNIT_EXPECT_EQ(test, uet_tail_probe_ns(100, 75, true, true), 500ULL);
	KUNIT_EXPECT_EQ(test, uet_sack_loss_age_ns(100, 75), 250ULL);
}

static void rtt_samples(struct kunit *test)
{
	u64 ns = 0, rtt = 0;

	KUNIT_EXPECT_TRUE(test, uet_service_time_ns(3, &ns));
	KUNIT_EXPECT_EQ(test, ns, 384ULL);
	KUNIT_EXPECT_FALSE(test, uet_service_time_ns(0xffff, &ns));
	/* a service time above the round trip, a clock that went back */
	KUNIT_EXPECT_FALSE(test, uet_rtt_sample(5000, 384, 5383, &rtt));
	KUNIT_EXPECT_FALSE(test, uet_rtt_sample(5000, 0, 4999, &rtt));
	KUNIT_EXPECT_FALSE(test, uet_rtt_sample(5000, U64_MAX, 9000, &rtt));
	KUNIT_EXPECT_TRUE(test, uet_rtt_sample(5000, 384, 5384, &rtt));
	KUNIT_EXPECT_EQ(test, rtt, 0ULL);
}

static void dfc_penalty(struct kunit *test)
{
	u32 q;

	KUNIT_EXPECT_EQ(test, uet_dfc_pend(10, 10, 20), 0);
	KUNIT_EXPECT_EQ(test, uet_dfc_pend(15, 10, 20), 63);
	KUNIT_EXPECT_EQ(test, uet_dfc_pend(20, 10, 20), 127);
	KUNIT_EXPECT_EQ(test, uet_dfc_pend(21, 20, 20), 127);
	KUNIT_EXPECT_EQ(test, uet_dfc_pend(25, 20, 10), 127);
	KUNIT_EXPECT_EQ(test, uet_dfc_pend(U64_MAX / 2, 0, U64_MAX), 63);
	for (q = 1; q < 1000; q++)
		KUNIT_EXPECT_GE(test, uet_dfc_pend(q, 100, 900),
				uet_dfc_pend(q - 1, 100, 900));
}

static void dfc_restores_after_short_episodes(struct kunit *test)
{
	struct uet_dfc d = {};
	bool restore;

	KUNIT_EXPECT_EQ(test, uet_dfc_update(&d, 1000, 100, 0, &restore), 0);
	KUNIT_EXPECT_FALSE(test, restore);
	KUNIT_EXPECT_EQ(test, uet_dfc_update(&d, 2000, 100, 9, &restore), 9);
	KUNIT_EXPECT_FALSE(test, restore);
	uet_dfc_update(&d, 11999, 100, 0, &restore);
	KUNIT_EXPECT_TRUE(test, restore);
	uet_dfc_update(&d, 12099, 100, 0, &restore);
	KUNIT_EXPECT_TRUE(test, restore);
	uet_dfc_update(&d, 12100, 100, 0, &restore);
	KUNIT_EXPECT_FALSE(test, restore);
	/* a long one */
	uet_dfc_update(&d, 20000, 100, 9, &restore);
	uet_dfc_update(&d, 30000, 100, 0, &restore);
	KUNIT_EXPECT_FALSE(test, restore);
}

/* 64 on all ACKs of a window halves it; 127 leaves about one packet. */
static void nscc_penalty_scale(struct kunit *test)
{
	static const u8 pends[] = { 64, 127 };
	struct uet_cc_config cfg = {};
	struct uet_cc_params p;
	struct uet_ccc *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);
	struct uet_ccc_ack ack = { .newly_rcvd_bytes = 4096,
				   .newly_acked_pkts = 1 };
	u32 k, i;

	uet_cc_config_set(&cfg, UET_CCP_RATE_MBPS, 100000);
	uet_cc_config_set(&cfg, UET_CCP_BASE_RTT_NS, 12000);
	uet_cc_config_set(&cfg, UET_CCP_MTU, 4096);
	KUNIT_ASSERT_EQ(test, uet_cc_params_derive(&p, &cfg, NULL), 0);
	for (k = 0; k < 2; k++) {
		uet_ccc_init(c, uet_cc_find("nscc"), &p, NULL, true, 0);
		uet_nscc(c)->cwnd = 32 * 4096;
		uet_ccc_on_new_data(c, 0, 1000 * 4096);
		for (i = 0; i < 32; i++)
			uet_ccc_on_send(c, 0, 4096, 0, false);
		ack.pend = pends[k];
		for (i = 0; i < 32; i++)
			uet_ccc_on_ack(c, &ack);
		if (k)
			KUNIT_EXPECT_EQ(test, uet_nscc(c)->cwnd, 4096ULL);
		else
			KUNIT_EXPECT_EQ(test, uet_nscc(c)->cwnd, 16 * 4096ULL);
		KUNIT_EXPECT_EQ(test, uet_nscc(c)->saved_cwnd, 32 * 4096ULL);
	}
}

/* A window that is not used does not grow; one that held data back does. */
static void nscc_unused_window_rests(struct kunit *test)
{
	struct uet_cc_config cfg = {};
	struct uet_cc_params p;
	struct uet_ccc *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);
	struct uet_ccc_ack ack = {
		.newly_rcvd_bytes = 4096, .newly_acked_pkts = 1,
		.rtt = 12000, .rtt_valid = true,
	};
	u32 i;

	uet_cc_config_set(&cfg, UET_CCP_RATE_MBPS, 100000);
	uet_cc_config_set(&cfg, UET_CCP_BASE_RTT_NS, 12000);
	uet_cc_config_set(&cfg, UET_CCP_MTU, 4096);
	KUNIT_ASSERT_EQ(test, uet_cc_params_derive(&p, &cfg, NULL), 0);
	uet_ccc_init(c, uet_cc_find("nscc"), &p, NULL, true, 0);
	uet_nscc(c)->cwnd = 50000;
	for (i = 1; i < 100; i++) {
		uet_ccc_on_new_data(c, i * 12000, 4096);
		uet_ccc_on_send(c, i * 12000, 4096, 0, false);
		ack.now = i * 12000 + 12000;
		uet_ccc_on_ack(c, &ack);
	}
	KUNIT_EXPECT_EQ(test, uet_nscc(c)->cwnd, 50000ULL);
	KUNIT_EXPECT_TRUE(test, c->did & UET_CC_DID_UNUSED);
	/* the same in use */
	uet_ccc_on_new_data(c, ack.now, 100 * 4096);
	while (c->state == UET_CCC_READY)
		uet_ccc_on_send(c, ack.now, 4096, 0, false);
	for (i = 0; i < 20; i++) {
		ack.now += 1000;
		uet_ccc_on_ack(c, &ack);
	}
	KUNIT_EXPECT_GT(test, uet_nscc(c)->cwnd, 50000ULL);
}

/* The reciprocal must give the quotient, not nearly so. */
static void nscc_average_is_exact(struct kunit *test)
{
	struct uet_cc_config cfg = {};
	struct uet_cc_params p;
	struct uet_ccc *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);
	struct test_rnd rnd = { .state = 11 };
	struct uet_ccc_ack ack = { .rtt_valid = true };
	s64 avg = 0;
	u64 t = 0, dt, w;
	u32 i;

	uet_cc_config_set(&cfg, UET_CCP_BASE_RTT_NS, 99999989);
	uet_cc_config_set(&cfg, UET_CCP_MTU, 4096);
	KUNIT_ASSERT_EQ(test, uet_cc_params_derive(&p, &cfg, NULL), 0);
	uet_ccc_init(c, uet_cc_find("nscc"), &p, NULL, true, 0);
	for (i = 0; i < UET_TEST_ROUNDS; i++) {
		dt = rnd_below(&rnd, 100000100) >> rnd_below(&rnd, 27);
		ack.now = t + dt;
		t = ack.now;
		ack.rtt = 99999989ULL - (i & 1) * rnd_below(&rnd, 3) +
			  rnd_below(&rnd, 200000000);
		uet_ccc_on_ack(c, &ack);
		w = dt >= c->base_rtt ? 65536 :
		    div64_u64(dt << 16, c->base_rtt);
		avg += ((s64)w * ((s64)((ack.rtt - c->base_rtt) << 8) -
				  avg)) >> 16;
		if (avg != uet_nscc(c)->avg_q8) {
			KUNIT_FAIL(test, "round %u", i);
			return;
		}
	}
}

static struct kunit_case cases[] = {
	KUNIT_CASE(params_defaults),
	KUNIT_CASE(params_ranges),
	KUNIT_CASE(params_dependent_limits),
	KUNIT_CASE(params_merge),
	KUNIT_CASE(params_extremes_do_not_overflow),
	KUNIT_CASE(loss_timers),
	KUNIT_CASE(rtt_samples),
	KUNIT_CASE(dfc_penalty),
	KUNIT_CASE(dfc_restores_after_short_episodes),
	KUNIT_CASE(nscc_penalty_scale),
	KUNIT_CASE(nscc_unused_window_rests),
	KUNIT_CASE(nscc_average_is_exact),
	{}
};

static struct kunit_suite suite = {
	.name = "uet_params",
	.test_cases = cases,
};

kunit_test_suites(&suite);

MODULE_LICENSE("GPL");
