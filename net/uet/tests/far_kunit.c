// SPDX-License-Identifier: GPL-2.0
/* Base RTT of peers farther away than the guess */
#include <kunit/test.h>

#include "../core/cc/far.h"

#define MBPS	400
#define RTT	2000000ULL
#define SMALL	4200ULL
#define LARGE	200000ULL	/* 4 ms of that link */

/* The smallest of many round trips, once enough of them came. */
static void far_finds_the_smallest(struct kunit *test)
{
	struct uet_far f = {};
	u64 now = 1000;
	u32 i;

	uet_far_start(&f);
	KUNIT_EXPECT_TRUE(test, f.on);
	for (i = 0; i < 31; i++, now += RTT / 2)
		KUNIT_EXPECT_FALSE(test, uet_far_sample(&f, now,
							RTT + (i ^ 16) * 1000,
							SMALL, MBPS));
	KUNIT_EXPECT_TRUE(test, uet_far_sample(&f, now, 2 * RTT, SMALL, MBPS));
	KUNIT_EXPECT_FALSE(test, f.on);
	KUNIT_EXPECT_EQ(test, f.min, RTT);
}

/* Many answers at once do not end the search. */
static void far_takes_its_time(struct kunit *test)
{
	struct uet_far f = {};
	u64 now = 1000;
	u32 i;

	uet_far_start(&f);
	for (i = 0; i < 1000; i++, now += RTT / 1000)
		KUNIT_EXPECT_FALSE(test, uet_far_sample(&f, now, RTT, SMALL,
							MBPS));
	KUNIT_EXPECT_TRUE(test, uet_far_sample(&f, 1000 + 8 * RTT, RTT, SMALL,
					       MBPS));
}

/* One packet at a time: no more than sixteen round trips */
static void far_few_samples_will_do(struct kunit *test)
{
	struct uet_far f = {};
	u64 now = 1000;
	u32 i;

	uet_far_start(&f);
	for (i = 0; i < 16; i++, now += RTT)
		KUNIT_EXPECT_FALSE(test, uet_far_sample(&f, now, RTT, SMALL,
							MBPS));
	KUNIT_EXPECT_TRUE(test, uet_far_sample(&f, now, RTT, SMALL, MBPS));
	KUNIT_EXPECT_EQ(test, f.min, RTT);
}

/* Samples with a large window may include the CCC's own queue. */
static void far_ignores_its_own_queue(struct kunit *test)
{
	struct uet_far f = {};
	u64 now = 1000;
	u32 i;

	uet_far_start(&f);
	for (i = 0; i < 100; i++, now += RTT)
		KUNIT_EXPECT_FALSE(test, uet_far_sample(&f, now, RTT, LARGE,
							MBPS));
	KUNIT_EXPECT_EQ(test, f.samples, 0);
	for (i = 0; i < 31; i++, now += RTT)
		KUNIT_EXPECT_FALSE(test, uet_far_sample(&f, now, 3 * RTT, SMALL,
							MBPS));
	KUNIT_EXPECT_TRUE(test, uet_far_sample(&f, now, 4 * RTT, SMALL, MBPS));
	KUNIT_EXPECT_EQ(test, f.min, 3 * RTT);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(far_finds_the_smallest),
	KUNIT_CASE(far_takes_its_time),
	KUNIT_CASE(far_few_samples_will_do),
	KUNIT_CASE(far_ignores_its_own_queue),
	{}
};

static struct kunit_suite suite = {
	.name = "uet_far",
	.test_cases = cases,
};

kunit_test_suites(&suite);
