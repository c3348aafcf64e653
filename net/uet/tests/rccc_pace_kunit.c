// SPDX-License-Identifier: GPL-2.0
/* The pace of receiver credit under congestion in the network */
#include <kunit/test.h>
#include <linux/module.h>

#include "../core/cc/rccc_pace.h"

#define RTT	12000ULL

/* A period with so many packets, of which the first are trimmed, the next marked */
static bool period(struct uet_rccc_pace *p, u64 *now, u32 pkts, u32 trims,
		   u32 marks)
{
	bool slowed = false;
	u8 signal;
	u32 i;

	for (i = 0; i < pkts; i++) {
		if (i == pkts - 1)
			*now = max(*now, p->end);
		signal = i < trims ? UET_RCCC_TRIMMED :
			 i < trims + marks ? UET_RCCC_MARKED : UET_RCCC_CLEAR;
		slowed |= uet_rccc_pace_heard(p, *now, RTT, signal);
	}
	return slowed;
}

/* The periods after a fall say nothing of the new pace, whatever is in them. */
static void settle(struct kunit *test, struct uet_rccc_pace *p, u64 *now)
{
	u32 scale = p->scale, share = p->share, i;

	for (i = 0; i < UET_RCCC_SETTLE; i++)
		KUNIT_EXPECT_FALSE(test, period(p, now, 10, 5, 5));
	KUNIT_EXPECT_EQ(test, p->scale, scale);
	KUNIT_EXPECT_EQ(test, p->share, share);
}

static void start(struct uet_rccc_pace *p, u64 *now)
{
	*now = 1000;
	uet_rccc_pace_init(p, 1);
	/* The packet that opens the first period is in it. */
	uet_rccc_pace_heard(p, *now, RTT, UET_RCCC_CLEAR);
	p->pkts = 0;
}

/* The smoothed share has gain 1/2; above 0.3 the pace falls by half of the rest. */
static void pace_falls_with_marks(struct kunit *test)
{
	struct uet_rccc_pace p;
	u64 now;

	start(&p, &now);
	KUNIT_EXPECT_TRUE(test, period(&p, &now, 10, 0, 10));
	KUNIT_EXPECT_EQ(test, p.share, 32768U);
	KUNIT_EXPECT_EQ(test, p.scale, 58982U);
	settle(test, &p, &now);
	KUNIT_EXPECT_TRUE(test, period(&p, &now, 10, 0, 10));
	KUNIT_EXPECT_EQ(test, p.share, 49152U);
	KUNIT_EXPECT_EQ(test, p.scale, 45710U);
	settle(test, &p, &now);
	/* one period without marks: the smoothed share is still above 0.3 */
	KUNIT_EXPECT_TRUE(test, period(&p, &now, 10, 0, 0));
	KUNIT_EXPECT_EQ(test, p.scale, 43995U);
	settle(test, &p, &now);
	/* ... then up, in steps that double, but not beyond the longest */
	KUNIT_EXPECT_FALSE(test, period(&p, &now, 10, 0, 0));
	KUNIT_EXPECT_FALSE(test, period(&p, &now, 10, 0, 0));
	KUNIT_EXPECT_EQ(test, p.scale, 43995U + 3 * 655);
	KUNIT_EXPECT_FALSE(test, period(&p, &now, 10, 0, 0));
	KUNIT_EXPECT_EQ(test, p.scale, 43995U + 7 * 655);
	KUNIT_EXPECT_FALSE(test, period(&p, &now, 10, 0, 0));
	KUNIT_EXPECT_EQ(test, p.scale, 43995U + 11 * 655);
}

/* Few marks: up in single steps */
static void pace_bears_few_marks(struct kunit *test)
{
	struct uet_rccc_pace p;
	u64 now;
	u32 i;

	start(&p, &now);
	p.scale = UET_Q16_ONE / 2;
	for (i = 1; i <= 5; i++) {
		KUNIT_EXPECT_FALSE(test, period(&p, &now, 10, 0, 3));
		KUNIT_EXPECT_EQ(test, p.scale,
				UET_Q16_ONE / 2 + i * UET_RCCC_STEP);
	}
	for (i = 0; i < 100; i++)
		period(&p, &now, 10, 0, 3);
	KUNIT_EXPECT_EQ(test, p.scale, UET_Q16_ONE);
}

static void pace_falls_with_trims(struct kunit *test)
{
	struct uet_rccc_pace p;
	u64 now;
	u32 i;

	start(&p, &now);
	KUNIT_EXPECT_TRUE(test, period(&p, &now, 8, 2, 0));
	KUNIT_EXPECT_EQ(test, p.scale, 49152U);
	settle(test, &p, &now);
	/* trims end the doubling */
	for (i = 0; i < 2; i++)
		period(&p, &now, 8, 0, 0);
	KUNIT_EXPECT_EQ(test, p.scale, 49152U + 3 * UET_RCCC_STEP);
	period(&p, &now, 8, 1, 0);
	KUNIT_EXPECT_EQ(test, p.scale, 44727U);
	settle(test, &p, &now);
	period(&p, &now, 8, 0, 0);
	KUNIT_EXPECT_EQ(test, p.scale, 44727U + UET_RCCC_STEP);
	KUNIT_EXPECT_TRUE(test, period(&p, &now, 8, 8, 0));
	KUNIT_EXPECT_EQ(test, p.scale, UET_RCCC_SCALE_MIN);
}

/* 1.5 base RTTs, +-25 %; what does not arrive says nothing. */
static void pace_periods(struct kunit *test)
{
	struct uet_rccc_pace p;
	u64 low = U64_MAX, high = 0, now, was;
	u32 i;

	start(&p, &now);
	for (i = 0; i < 1000; i++) {
		was = now;
		period(&p, &now, 2, 0, 1);
		low = min(low, now - was);
		high = max(high, now - was);
	}
	KUNIT_EXPECT_GE(test, low, RTT * 9 / 8);
	KUNIT_EXPECT_LE(test, low, RTT * 10 / 8);
	KUNIT_EXPECT_LE(test, high, RTT * 15 / 8);
	KUNIT_EXPECT_GE(test, high, RTT * 14 / 8);
	p.scale = UET_Q16_ONE / 2;
	p.share = 0;
	now += 100 * RTT;
	uet_rccc_pace_heard(&p, now, RTT, UET_RCCC_CLEAR);
	KUNIT_EXPECT_EQ(test, p.scale, UET_Q16_ONE / 2 + UET_RCCC_STEP);
	KUNIT_EXPECT_FALSE(test, uet_rccc_pace_heard(&p, now, RTT,
						     UET_RCCC_TRIMMED));
	/* base round trips as long as can be configured, and longer */
	uet_rccc_pace_init(&p, 1);
	uet_rccc_pace_heard(&p, now, 10000000000ULL, UET_RCCC_CLEAR);
	KUNIT_EXPECT_GT(test, p.end, now);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(pace_falls_with_marks),
	KUNIT_CASE(pace_bears_few_marks),
	KUNIT_CASE(pace_falls_with_trims),
	KUNIT_CASE(pace_periods),
	{}
};

static struct kunit_suite suite = {
	.name = "uet_rccc_pace",
	.test_cases = cases,
};

kunit_test_suites(&suite);

MODULE_LICENSE("GPL");
