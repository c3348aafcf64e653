// SPDX-License-Identifier: GPL-2.0
/* A base RTT that rises (rise.h) or falls (fall.h) */
#include <kunit/test.h>

#include "../core/cc/cc_nscc.h"
#include "../core/cc/fall.h"
#include "../core/cc/rise.h"

#define BASE	20000ULL
#define LONG	500000ULL
#define MTU	4200
#define WATCH	1000000000ULL

struct rise_world {
	struct uet_cc_params params;
	struct uet_ccc ccc;
	struct uet_rise rise;
	u64 now;
};

static struct rise_world *world(struct kunit *test, const char *cc)
{
	struct rise_world *w = kunit_kzalloc(test, sizeof(*w), GFP_KERNEL);
	struct uet_cc_config cfg = {};

	KUNIT_ASSERT_NOT_NULL(test, w);
	uet_cc_config_set(&cfg, UET_CCP_RATE_MBPS, 10000);
	uet_cc_config_set(&cfg, UET_CCP_BASE_RTT_NS, BASE);
	uet_cc_config_set(&cfg, UET_CCP_MTU, MTU);
	KUNIT_ASSERT_EQ(test, uet_cc_params_derive(&w->params, &cfg, NULL), 0);
	uet_ccc_init(&w->ccc, uet_cc_find(cc), &w->params, NULL, true, 0);
	w->now = 1000;
	return w;
}

/* Feed round trips, @small while the window is small, else @rtt, until found */
static bool run(struct rise_world *w, u64 rtt, u64 small, u64 ns, bool m)
{
	u64 end = w->now + ns;

	while (w->now < end) {
		bool tiny = uet_ccc_window(&w->ccc) <= 2 * MTU;
		u64 now_rtt = tiny ? small : rtt;

		w->now += now_rtt / 4;
		if (!uet_rise_quiet(&w->rise, &w->ccc, now_rtt) &&
		    uet_rise_sample(&w->rise, &w->ccc, w->now, now_rtt, m,
				    WATCH))
			return true;
	}
	return false;
}

/* A longer path is found after watch_ns and a few round trips */
static void rise_follows_the_path(struct kunit *test)
{
	struct rise_world *w = world(test, "nscc");
	u64 before, start;

	before = uet_ccc_window(&w->ccc);
	KUNIT_EXPECT_FALSE(test, run(w, BASE, BASE, 2 * WATCH, false));
	start = w->now;
	KUNIT_EXPECT_TRUE(test, run(w, LONG, LONG - 1000, 2 * WATCH, false));
	KUNIT_EXPECT_EQ(test, w->rise.min, LONG - 1000);
	KUNIT_EXPECT_GE(test, w->now - start, WATCH);
	KUNIT_EXPECT_LE(test, w->now - start, WATCH + 10 * LONG);
	KUNIT_EXPECT_EQ(test, uet_ccc_window(&w->ccc), before);
}

/* The CCC's own queue drains with the small window; searches pause then. */
static void rise_ignores_its_own_queue(struct kunit *test)
{
	struct rise_world *w = world(test, "nscc");
	u32 searches = 0;
	bool was = false;
	u64 before, end;

	before = uet_ccc_window(&w->ccc);
	end = 22 * WATCH;
	while (w->now < end) {
		KUNIT_ASSERT_FALSE(test, run(w, LONG, BASE, LONG, false));
		searches += !was && w->rise.phase;
		was = w->rise.phase;
	}
	KUNIT_EXPECT_GE(test, searches, 2);
	KUNIT_EXPECT_LE(test, searches, 3);
	KUNIT_EXPECT_EQ(test, uet_ccc_window(&w->ccc), before);
	KUNIT_EXPECT_EQ(test, w->ccc.base_rtt, BASE);
}

/* Packets with an ECN mark waited in a queue and do not count. */
static void rise_ignores_marks(struct kunit *test)
{
	struct rise_world *w = world(test, "nscc");

	KUNIT_EXPECT_FALSE(test, run(w, LONG, LONG, 5 * WATCH, true));
	KUNIT_EXPECT_EQ(test, w->rise.phase, UET_RISE_WATCH);
}

/* An occasional answer near the base RTT is enough to keep it. */
static void rise_one_short_one_keeps_it(struct kunit *test)
{
	struct rise_world *w = world(test, "nscc");
	u32 i;

	for (i = 0; i < 10; i++) {
		KUNIT_EXPECT_FALSE(test, run(w, LONG, LONG, WATCH / 2, false));
		w->now += BASE;
		uet_rise_sample(&w->rise, &w->ccc, w->now, BASE, false, WATCH);
		KUNIT_EXPECT_EQ(test, w->rise.samples, 0);
	}
	KUNIT_EXPECT_EQ(test, w->rise.phase, UET_RISE_WATCH);
}

/* A search without an unmarked answer ends and restores the window. */
static void rise_gives_up(struct kunit *test)
{
	struct rise_world *w = world(test, "nscc");
	u64 before;

	before = uet_ccc_window(&w->ccc);
	while (w->rise.phase != UET_RISE_COLLECT)
		KUNIT_ASSERT_FALSE(test, run(w, LONG, LONG, LONG, false));
	KUNIT_EXPECT_LT(test, uet_ccc_window(&w->ccc), before);
	KUNIT_EXPECT_FALSE(test, run(w, LONG, LONG, 100 * LONG, true));
	KUNIT_EXPECT_EQ(test, w->rise.phase, UET_RISE_WATCH);
	KUNIT_EXPECT_EQ(test, uet_ccc_window(&w->ccc), before);
}

/* An algorithm with a fixed window is left alone. */
static void rise_needs_a_window(struct kunit *test)
{
	struct rise_world *w = world(test, "fixed");

	KUNIT_EXPECT_FALSE(test, run(w, LONG, LONG, 5 * WATCH, false));
	KUNIT_EXPECT_EQ(test, w->rise.phase, UET_RISE_WATCH);
}

/* Two short round trips in a row are required; the longer one counts */
static void fall_takes_two(struct kunit *test)
{
	struct uet_fall f = {};
	u64 base = 0;

	KUNIT_EXPECT_FALSE(test, uet_fall_sample(&f, LONG, BASE, &base));
	KUNIT_EXPECT_TRUE(test, uet_fall_sample(&f, LONG, BASE + 5, &base));
	KUNIT_EXPECT_EQ(test, base, BASE + 5);
	KUNIT_EXPECT_FALSE(test, uet_fall_sample(&f, LONG, 0, &base));
	KUNIT_EXPECT_TRUE(test, uet_fall_sample(&f, LONG, 0, &base));
	KUNIT_EXPECT_EQ(test, base, 1);
}

/* Single short round trips never count. */
static void fall_not_by_one(struct kunit *test)
{
	struct uet_fall f = {};
	u64 base;
	u32 i;

	for (i = 0; i < 100; i++) {
		KUNIT_EXPECT_FALSE(test,
				   uet_fall_sample(&f, LONG, BASE, &base));
		KUNIT_EXPECT_FALSE(test, uet_fall_quiet(&f, LONG, LONG));
		KUNIT_EXPECT_FALSE(test,
				   uet_fall_sample(&f, LONG, LONG / 2, &base));
		KUNIT_EXPECT_TRUE(test, uet_fall_quiet(&f, LONG, LONG / 2));
	}
	KUNIT_EXPECT_FALSE(test, uet_fall_quiet(&f, LONG, LONG / 2 - 1));
}

/* A time packed in 8 bits is rounded up by at most an eighth. */
static void wait_is_packed(struct kunit *test)
{
	u64 ns, got, last = 0;

	KUNIT_EXPECT_EQ(test, uet_wait_pack(0), 0);
	KUNIT_EXPECT_EQ(test, uet_wait_unpack(0), 0);
	for (ns = 1; ns < BIT_ULL(40) - 512; ns += ns / 64 + 1) {
		got = uet_wait_unpack(uet_wait_pack(ns));
		KUNIT_ASSERT_LE(test, ns, got);
		KUNIT_ASSERT_LE(test, got, ns + max(ns / 8, 256ULL));
		KUNIT_ASSERT_LE(test, last, got);
		last = got;
	}
}

static struct kunit_case cases[] = {
	KUNIT_CASE(rise_follows_the_path),
	KUNIT_CASE(rise_ignores_its_own_queue),
	KUNIT_CASE(rise_ignores_marks),
	KUNIT_CASE(rise_one_short_one_keeps_it),
	KUNIT_CASE(rise_gives_up),
	KUNIT_CASE(rise_needs_a_window),
	KUNIT_CASE(fall_takes_two),
	KUNIT_CASE(fall_not_by_one),
	KUNIT_CASE(wait_is_packed),
	{}
};

static struct kunit_suite suite = {
	.name = "uet_rise",
	.test_cases = cases,
};

kunit_test_suites(&suite);
