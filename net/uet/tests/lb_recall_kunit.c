// SPDX-License-Identifier: GPL-2.0
/* Values of retransmissions, and the frozen ring of "reps". */
#include <kunit/test.h>
#include <linux/module.h>

#include "../core/lb/lb_reps.h"

#define BASE	50000
#define RTT	100000ULL

static struct uet_lb *make(struct kunit *test, const char *policy, bool trimming)
{
	const struct uet_lb_ops *ops = uet_lb_find(policy);
	struct uet_lb_config cfg = {
		.n = 64, .base = BASE, .trimming = trimming,
	};
	struct uet_lb *lb;

	KUNIT_ASSERT_NOT_NULL(test, ops);
	lb = kunit_kzalloc(test, uet_lb_mem_size(ops, cfg.n), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, lb);
	KUNIT_ASSERT_EQ(test, uet_lb_init(lb, ops, &cfg), 0);
	return lb;
}

static u16 again(struct uet_lb *lb, u64 now, u16 prev)
{
	struct uet_lb_ask ask = {
		.now = now, .base_rtt = RTT, .target = RTT, .prev_ev = prev,
		.rtx = true,
	};
	u16 run = 0;

	return uet_lb_next(lb, &ask, &run);
}

static u16 next(struct uet_lb *lb, u64 now)
{
	struct uet_lb_ask ask = { .now = now, .base_rtt = RTT, .target = RTT };
	u16 run;

	return uet_lb_next(lb, &ask, &run);
}

static void tell(struct uet_lb *lb, u64 now, u16 ev, u8 reason)
{
	struct uet_lb_signal sig = {
		.now = now, .ev = ev, .reason = reason, .base_rtt = RTT,
		.target = RTT,
	};

	uet_lb_feedback(lb, &sig, true);
}

static const char * const recalling[] = { "bitmap", "reps", "hybrid", "rtt" };

/* Recently acknowledged values in turn. */
static void recall_takes_recent_values(struct kunit *test)
{
	u64 now = 100 * RTT;
	struct uet_lb *lb;
	u32 i, k;
	u16 ev;

	for (k = 0; k < ARRAY_SIZE(recalling); k++) {
		lb = make(test, recalling[k], true);
		tell(lb, now - 9 * RTT, BASE + 1, UET_LB_NO_ECN);
		KUNIT_EXPECT_EQ(test, again(lb, now, BASE + 9), BASE + 1);
		tell(lb, now - 3 * RTT, BASE + 2, UET_LB_NO_ECN);
		tell(lb, now, BASE + 3, UET_LB_NO_ECN);
		tell(lb, now, BASE + 4, UET_LB_ECN);
		for (i = 0; i < 8; i++) {
			ev = again(lb, now, BASE + 9);
			KUNIT_EXPECT_GE(test, ev, BASE + 2);
			KUNIT_EXPECT_LE(test, ev, BASE + 3);
			KUNIT_EXPECT_NE(test, again(lb, now, ev), ev);
		}
		/* none is recent: take the latest */
		for (i = 0; i < 8; i++)
			KUNIT_EXPECT_EQ(test, again(lb, 2 * now, BASE + 9),
					BASE + 3);
	}
}

static void recall_forgets_what_fails(struct kunit *test)
{
	static const u8 reasons[] = { UET_LB_NACK, UET_LB_TIMEOUT };
	struct uet_lb *lb;
	u32 i, k;

	for (k = 0; k < ARRAY_SIZE(recalling); k++) {
		for (i = 0; i < 2; i++) {
			lb = make(test, recalling[k], true);
			tell(lb, 0, BASE + 1, UET_LB_NO_ECN);
			tell(lb, 0, BASE + 2, UET_LB_NO_ECN);
			tell(lb, 0, BASE + 2, reasons[i]);
			KUNIT_EXPECT_EQ(test, again(lb, 0, BASE), BASE + 1);
			tell(lb, 0, BASE + 3, UET_LB_NO_ECN);
			uet_lb_doubt(lb, BASE + 3);
			KUNIT_EXPECT_EQ(test, again(lb, 0, BASE), BASE + 1);
			uet_lb_path_down(lb, BASE + 1);
			KUNIT_EXPECT_EQ(test, lb->good.nr, 0);
		}
	}
}

/* A full ring replaces the oldest value, and never holds a value twice. */
static void recall_keeps_different_values(struct kunit *test)
{
	struct uet_lb *lb = make(test, "hybrid", true);
	u32 seen = 0, i;
	u16 ev;

	for (i = 0; i < 40; i++) {
		tell(lb, i, BASE + i % 20, UET_LB_NO_ECN);
		tell(lb, i, BASE + i % 20, UET_LB_NO_ECN);
	}
	for (i = 0; i < UET_LB_GOOD; i++) {
		ev = again(lb, 40, BASE + 63);
		KUNIT_EXPECT_GE(test, ev, BASE + 12);
		seen |= BIT(ev - BASE);
	}
	KUNIT_EXPECT_EQ(test, hweight32(seen), (unsigned int)UET_LB_GOOD);
}

/* Values with the same lower byte are distinguished. */
static void recall_tells_values_apart(struct kunit *test)
{
	struct uet_lb_good g = { };
	u32 i, k, seen = 0;
	u16 ev = 0;

	for (k = 0; k < 3; k++)
		for (i = 0; i < UET_LB_GOOD; i++)
			uet_lb_good_came_back(&g, (u16)(BASE + 256 * i), i);
	KUNIT_EXPECT_EQ(test, g.nr, UET_LB_GOOD);
	uet_lb_good_forget(&g, BASE + 256);
	uet_lb_good_forget(&g, BASE + 1);
	KUNIT_EXPECT_EQ(test, g.nr, UET_LB_GOOD - 1);
	for (i = 0; i < UET_LB_GOOD; i++) {
		KUNIT_EXPECT_TRUE(test, uet_lb_good_recall(&g, 0, 0, &ev));
		seen |= BIT((ev - BASE) / 256);
	}
	KUNIT_EXPECT_EQ(test, seen, 0xfdU);
}

static struct uet_lb *make_renewing(struct kunit *test)
{
	struct uet_lb_config cfg = {
		.n = 48, .span = 48 * 40, .base = BASE, .seed = 3,
	};
	struct uet_lb *lb = make(test, "hybrid", true);

	KUNIT_ASSERT_EQ(test, uet_lb_init(lb, lb->ops, &cfg), 0);
	KUNIT_ASSERT_NOT_NULL(test, lb->acked);
	return lb;
}

/* acked() has the same effect as feedback(). */
static void hybrid_acked_is_feedback(struct kunit *test)
{
	struct uet_lb *a = make_renewing(test), *b = make_renewing(test);
	struct uet_lb_signal sig = { .base_rtt = RTT, .rtt_valid = true };
	size_t size = uet_lb_mem_size(a->ops, 48);
	u64 start = a->prng.state;
	u32 i, r;

	for (i = 0; i < 20000; i++) {
		r = uet_mix32(i);
		sig.now = i * 300ULL;
		sig.target = i < 10000 ? RTT : RTT / 2;
		sig.rtt = RTT + (r >> 8) % (17 * (u32)RTT / ((r & 15) + 1));
		sig.ev = next(a, sig.now);
		KUNIT_ASSERT_EQ(test, next(b, sig.now), sig.ev);
		if (!(r % 64))
			sig.ev = (u16)(BASE - 4 + uet_mix32(r) % (48 * 41));
		sig.reason = (r >> 4) % 8 ? UET_LB_NO_ECN : UET_LB_ECN;
		a->acked(a, sig.ev, sig.reason == UET_LB_ECN,
			 sig.rtt - sig.base_rtt, sig.target, sig.now);
		uet_lb_feedback(b, &sig, true);
		if (!(i % 1000)) {
			sig.reason = UET_LB_TIMEOUT;
			uet_lb_feedback(a, &sig, true);
			uet_lb_feedback(b, &sig, true);
		}
		if (memcmp(a, b, size)) {
			KUNIT_FAIL(test, "signal %u", i);
			return;
		}
	}
	KUNIT_EXPECT_NE(test, a->prng.state, start);
}

/* Single-path policies and those without feedback do not recall values. */
static void recall_is_for_some(struct kunit *test)
{
	static const char * const others[] = {
		"single", "oblivious", "flowlet", "conweave", "ecmp",
	};
	struct uet_lb *lb;
	u32 k;

	for (k = 0; k < ARRAY_SIZE(others); k++) {
		lb = make(test, others[k], true);
		tell(lb, 0, BASE + 1, UET_LB_NO_ECN);
		KUNIT_EXPECT_EQ(test, lb->good.nr, 0);
	}
}

/*
 * The frozen ring keeps its number of distinct values, however often they are
 * acknowledged. Values that turn out to be on the dead path leave it, and their
 * slots try others.
 */
static void reps_frozen_ring_stays_wide(struct kunit *test)
{
	struct uet_lb *lb = make(test, "reps", true);
	const struct uet_reps *r = uet_lb_priv(lb);
	u64 seen = 0;
	u32 i;

	for (i = 0; i < UET_REPS_RING; i++)
		tell(lb, i, BASE + i, UET_LB_NO_ECN);
	tell(lb, 8, BASE + 40, UET_LB_TIMEOUT);
	KUNIT_ASSERT_TRUE(test, r->frozen);
	for (i = 0; i < 100; i++)
		tell(lb, 9, BASE + 5, UET_LB_NO_ECN);
	for (i = 0; i < UET_REPS_RING; i++)
		seen |= BIT_ULL(next(lb, 9) - BASE);
	KUNIT_EXPECT_EQ(test, seen, 0xffULL);
	tell(lb, 10, BASE + 5, UET_LB_TIMEOUT);
	tell(lb, 10, BASE + 2, UET_LB_TIMEOUT);
	KUNIT_EXPECT_EQ(test, r->fill, UET_REPS_RING - 2);
	for (i = 0; i < r->fill; i++) {
		KUNIT_EXPECT_NE(test, r->ring[i], BASE + 5);
		KUNIT_EXPECT_NE(test, r->ring[i], BASE + 2);
	}
	for (i = 0, seen = 0; i < 100 * UET_REPS_RING; i++)
		seen |= BIT_ULL(next(lb, 11) - BASE);
	KUNIT_EXPECT_GE(test, hweight64(seen), 40U);
	tell(lb, 12, BASE + 30, UET_LB_NO_ECN);
	KUNIT_EXPECT_EQ(test, r->fill, UET_REPS_RING - 1);
	/* empty ring: draw from the whole space */
	for (i = 0; i < 64; i++)
		tell(lb, 13, BASE + i, UET_LB_TIMEOUT);
	KUNIT_EXPECT_EQ(test, r->fill, 0);
	for (i = 0; i < 100; i++)
		KUNIT_EXPECT_LT(test, next(lb, 13), BASE + 64);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(recall_takes_recent_values),
	KUNIT_CASE(recall_forgets_what_fails),
	KUNIT_CASE(recall_keeps_different_values),
	KUNIT_CASE(recall_is_for_some),
	KUNIT_CASE(recall_tells_values_apart),
	KUNIT_CASE(hybrid_acked_is_feedback),
	KUNIT_CASE(reps_frozen_ring_stays_wide),
	{}
};

static struct kunit_suite suite = {
	.name = "uet_lb_recall",
	.test_cases = cases,
};

kunit_test_suites(&suite);

MODULE_LICENSE("GPL");
