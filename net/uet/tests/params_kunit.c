// SPDX-License-Identifier: GPL-2.0
/* Parameters at their edges, timer arithmetic, the destination's penalty. */
#include <kunit/test.h>
#include <linux/module.h>

#include "../core/cc/cc_nscc.h"
#include "../core/snd/loss.h"
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

/* Both limits of every parameter are accepted, values beyond are rejected. */
static void params_ranges(struct kunit *test)
{
	struct uet_cc_config cfg = {};
	u64 min, max;
	u32 id;

	for (id = 0; id < UET_CCP_COUNT; id++) {
		KUNIT_ASSERT_EQ(test, uet_cc_param_range(id, &min, &max), 0);
		KUNIT_EXPECT_LE(test, min, max);
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
}

struct dependent {
	enum uet_cc_param id;
	u64 good, bad;
};

/* Limits that depend on other parameters report the right parameter. */
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
		cfg.set &= ~BIT_ULL(rows[i].id);
		KUNIT_EXPECT_EQ(test, uet_cc_params_derive(&p, &cfg, NULL), 0);
	}
}

/* Conflicting values are clamped. */
static void params_fit(struct kunit *test)
{
	struct uet_cc_config cfg = {};
	struct uet_cc_params p;

	KUNIT_EXPECT_EQ(test, uet_cc_params_fit(&p, &cfg), -EINVAL);
	uet_cc_config_set(&cfg, UET_CCP_MTU, 4160);
	uet_cc_config_set(&cfg, UET_CCP_BASE_RTT_NS, 1000);
	uet_cc_config_set(&cfg, UET_CCP_CLEAR_DELAY_NS, 50000);
	uet_cc_config_set(&cfg, UET_CCP_TARGET_QDELAY_NS, 80000);
	uet_cc_config_set(&cfg, UET_CCP_MAX_WND, 4160);
	KUNIT_EXPECT_EQ(test, uet_cc_params_fit(&p, &cfg), 0);
	KUNIT_EXPECT_EQ(test, p.target, 4000ULL);
	KUNIT_EXPECT_EQ(test, p.clear_delay, 2000ULL);
	KUNIT_EXPECT_EQ(test, p.max_wnd, 8320ULL);
	KUNIT_EXPECT_EQ(test, p.base_rtt, 1000ULL);
}

static void params_window_is_fixed(struct kunit *test)
{
	struct uet_cc_config cfg = {};
	struct uet_cc_params p;

	uet_cc_config_set(&cfg, UET_CCP_MTU, 4160);
	uet_cc_config_set(&cfg, UET_CCP_MAX_WND, 99999);
	KUNIT_EXPECT_EQ(test, uet_cc_params_derive(&p, &cfg, NULL), 0);
	KUNIT_EXPECT_EQ(test, p.max_wnd, 99999ULL);
	/* a configured window does not follow the round trip */
	KUNIT_EXPECT_EQ(test, uet_cc_max_wnd(&p, 10), 99999ULL);
}

static void params_wnd_add(struct kunit *test)
{
	struct uet_cc_config cfg = {};
	struct uet_cc_params p;

	uet_cc_config_set(&cfg, UET_CCP_RATE_MBPS, 10000);
	uet_cc_config_set(&cfg, UET_CCP_BASE_RTT_NS, 52000);
	uet_cc_config_set(&cfg, UET_CCP_MTU, 4160);
	KUNIT_EXPECT_EQ(test, uet_cc_params_derive(&p, &cfg, NULL), 0);
	KUNIT_EXPECT_EQ(test, p.max_wnd, 97500ULL);
	uet_cc_config_set(&cfg, UET_CCP_WND_ADD, 16384);
	KUNIT_EXPECT_EQ(test, uet_cc_params_derive(&p, &cfg, NULL), 0);
	KUNIT_EXPECT_EQ(test, p.max_wnd, 113884ULL);
	KUNIT_EXPECT_EQ(test, uet_cc_max_wnd(&p, 26000), 65134ULL);
	KUNIT_EXPECT_EQ(test, p.bdp, 65000ULL);
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
}

static void loss_age(struct kunit *test)
{
	struct uet_rtt_est est = {};
	struct uet_cc_params p = { .target = 80 };

	/* at least half a target above the round trip of the newest arrival */
	KUNIT_EXPECT_EQ(test, uet_loss_age_ns(&p, &est, 100, 0, 0), 140ULL);
	KUNIT_EXPECT_EQ(test, uet_loss_age_ns(&p, &est, 100, 130, 0), 170ULL);
	est.srtt = 120 << 3;
	est.var = 90;
	KUNIT_EXPECT_EQ(test, uet_loss_age_ns(&p, &est, 100, 0, 0), 210ULL);
	KUNIT_EXPECT_EQ(test, uet_loss_age_ns(&p, &est, 100, 130, 0), 220ULL);
	p.trimming = true;
	KUNIT_EXPECT_EQ(test, uet_loss_age_ns(&p, &est, 100, 130, 0), 450ULL);
}

/* Needless retransmissions add steps, once per round trip; losses reduce them. */
static void loss_reorder(struct kunit *test)
{
	struct uet_cc_params p = { .target = 80 };
	struct uet_rtt_est est = { .srtt = 100 << 3 };
	struct uet_reorder r = {};
	u32 i;

	uet_reorder_repaired(&r);
	KUNIT_EXPECT_EQ(test, r.steps, 0);
	uet_reorder_needless(&r, 10, 100);
	uet_reorder_needless(&r, 50, 100);
	KUNIT_EXPECT_EQ(test, r.steps, 1);
	KUNIT_EXPECT_EQ(test, uet_loss_age_ns(&p, &est, 100, 0, r.steps),
			180ULL);
	for (i = 1; i < 20; i++)
		uet_reorder_needless(&r, 50 + i * 100, 100);
	KUNIT_EXPECT_EQ(test, r.steps, 8);
	for (i = 0; i < 15; i++)
		uet_reorder_repaired(&r);
	KUNIT_EXPECT_EQ(test, r.steps, 8);
	uet_reorder_repaired(&r);
	KUNIT_EXPECT_EQ(test, r.steps, 4);
	for (i = 0; i < 15; i++)
		uet_reorder_repaired(&r);
	/* not in a row */
	uet_reorder_needless(&r, 10000, 100);
	KUNIT_EXPECT_EQ(test, r.steps, 5);
	for (i = 0; i < 3 * 16; i++)
		uet_reorder_repaired(&r);
	KUNIT_EXPECT_EQ(test, r.steps, 0);
}

/* The additive step by its scale, and by its value */
static void params_eta(struct kunit *test)
{
	struct uet_cc_config cfg = {};
	struct uet_cc_params p;

	uet_cc_config_set(&cfg, UET_CCP_MTU, 4160);
	uet_cc_config_set(&cfg, UET_CCP_RATE_MBPS, 100000);
	uet_cc_config_set(&cfg, UET_CCP_BASE_RTT_NS, 12000);
	KUNIT_EXPECT_EQ(test, uet_cc_params_derive(&p, &cfg, NULL), 0);
	KUNIT_EXPECT_EQ(test, p.eta, 624U);
	uet_cc_config_set(&cfg, UET_CCP_ETA_Q16, UET_Q16_ONE);
	KUNIT_EXPECT_EQ(test, uet_cc_params_derive(&p, &cfg, NULL), 0);
	KUNIT_EXPECT_EQ(test, p.eta, 4160U);
	uet_cc_config_set(&cfg, UET_CCP_ETA, 5);
	KUNIT_EXPECT_EQ(test, uet_cc_params_derive(&p, &cfg, NULL), 0);
	KUNIT_EXPECT_EQ(test, p.eta, 5U);
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

/* An unused window does not grow; one that holds data back does. */
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

/* The reciprocal must give the exact quotient. */
static void average_is_exact(struct kunit *test, u64 base)
{
	struct uet_cc_config cfg = {};
	struct uet_cc_params p;
	struct uet_ccc *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);
	struct test_rnd rnd = { .state = 11 };
	struct uet_ccc_ack ack = { .rtt_valid = true };
	s64 avg = 0;
	u64 t = 0, dt, w;
	u32 i;

	uet_cc_config_set(&cfg, UET_CCP_BASE_RTT_NS, base);
	uet_cc_config_set(&cfg, UET_CCP_MTU, 4096);
	KUNIT_ASSERT_EQ(test, uet_cc_params_derive(&p, &cfg, NULL), 0);
	uet_ccc_init(c, uet_cc_find("nscc"), &p, NULL, true, 0);
	for (i = 0; i < UET_TEST_ROUNDS; i++) {
		dt = rnd_below(&rnd, base + 100) >> rnd_below(&rnd, 27);
		ack.now = t + dt;
		t = ack.now;
		ack.rtt = base - (i & 1) * rnd_below(&rnd, 3) +
			  rnd_below(&rnd, 2 * base);
		uet_ccc_on_ack(c, &ack);
		w = dt >= c->base_rtt ? 65536 :
		    div64_u64(dt << 16, c->base_rtt);
		avg += ((s64)w * ((s64)((ack.rtt - c->base_rtt) << 8) -
				  avg)) >> 16;
		if (avg != uet_nscc(c)->avg_q8) {
			KUNIT_FAIL(test, "base %llu, round %u",
				   (unsigned long long)base, i);
			return;
		}
	}
}

static void nscc_average_is_exact(struct kunit *test)
{
	/* includes values around RECIP_BASE_MAX */
	static const u32 bases[] = {
		1000, 12000, 65536, 0xffffff, 0x1000000, 0x1000001, 99999989,
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(bases); i++)
		average_is_exact(test, bases[i]);
}

static void random_ack(struct test_rnd *rnd, struct uet_ccc_ack *ack,
		       u64 base, u64 target)
{
	*ack = (struct uet_ccc_ack) {
		.now = ack->now + rnd_below(rnd, (u32)base / 10) *
		       (rnd_one_in(rnd, 100) ? 40 : 1),
		.rtt = base + rnd_below(rnd, 3 * (u32)target) -
		       (rnd_one_in(rnd, 200) ? base / 4 : 0),
		.newly_rcvd_bytes = rnd_below(rnd, 8192),
		.rtt_valid = !rnd_one_in(rnd, 50),
		.m = rnd_one_in(rnd, 6),
		.pend = rnd_one_in(rnd, 300) ? 40 : 0,
		.restore = rnd_one_in(rnd, 3),
	};
}

/* The short path of most ACKs has the same result as the long one. */
static void nscc_calm_is_short_for_all(struct kunit *test)
{
	struct uet_cc_config cfg = {};
	struct uet_cc_params p;
	struct uet_ccc *c = kunit_kzalloc(test, 2 * sizeof(*c), GFP_KERNEL);
	struct uet_ccc *d = c + 1;
	struct uet_ccc_nack nack = { .size = 4096, .m = true };
	struct test_rnd rnd = { .state = 5 };
	struct uet_ccc_ack ack = { .now = 1 };
	u32 i, calm = 0;

	uet_cc_config_set(&cfg, UET_CCP_BASE_RTT_NS, 12000);
	uet_cc_config_set(&cfg, UET_CCP_MTU, 4096);
	uet_cc_config_set(&cfg, UET_CCP_TRIMMING, 1);
	KUNIT_ASSERT_EQ(test, uet_cc_params_derive(&p, &cfg, NULL), 0);
	uet_ccc_init(c, uet_cc_find("nscc"), &p, NULL, true, 0);
	uet_ccc_init(d, uet_cc_find("nscc"), &p, NULL, true, 0);
	for (i = 0; i < UET_TEST_ROUNDS; i++) {
		random_ack(&rnd, &ack, c->base_rtt, p.target);
		c->inflight = rnd_below(&rnd, 100000);
		d->inflight = c->inflight;
		uet_nscc(d)->calm_until = 0;
		if (rnd_one_in(&rnd, 100)) {
			nack.now = ack.now;
			uet_ccc_on_nack(c, &nack);
			uet_ccc_on_nack(d, &nack);
		} else {
			calm += ack.now < uet_nscc(c)->calm_until;
			uet_ccc_on_ack(c, &ack);
			uet_ccc_on_ack(d, &ack);
		}
		uet_nscc(d)->calm_until = uet_nscc(c)->calm_until;
		if (memcmp(c, d, sizeof(*c))) {
			KUNIT_FAIL(test, "round %u", i);
			return;
		}
	}
	KUNIT_EXPECT_GT(test, calm, UET_TEST_ROUNDS / 4);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(params_defaults),
	KUNIT_CASE(params_ranges),
	KUNIT_CASE(params_dependent_limits),
	KUNIT_CASE(params_fit),
	KUNIT_CASE(params_window_is_fixed),
	KUNIT_CASE(params_wnd_add),
	KUNIT_CASE(params_extremes_do_not_overflow),
	KUNIT_CASE(params_eta),
	KUNIT_CASE(loss_timers),
	KUNIT_CASE(loss_age),
	KUNIT_CASE(loss_reorder),
	KUNIT_CASE(rtt_samples),
	KUNIT_CASE(nscc_penalty_scale),
	KUNIT_CASE(nscc_unused_window_rests),
	KUNIT_CASE(nscc_average_is_exact),
	KUNIT_CASE(nscc_calm_is_short_for_all),
	{}
};

static struct kunit_suite suite = {
	.name = "uet_params",
	.test_cases = cases,
};

kunit_test_suites(&suite);

MODULE_LICENSE("GPL");
