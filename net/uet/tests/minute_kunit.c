// SPDX-License-Identifier: GPL-2.0
/* Events of the last minute, against a list of all of them */
#include <kunit/test.h>

#include "../core/minute.h"
#include "random.h"

#define SECOND		1000000000ULL
#define EVENTS		2000
/* An event counts at least so long, and at most a minute */
#define KEPT		((UET_MINUTE_PARTS - 1ULL) << UET_MINUTE_SHIFT)
#define MINUTE		(1ULL * UET_MINUTE_PARTS << UET_MINUTE_SHIFT)

static void minute_begins(struct kunit *test)
{
	struct uet_minute m = {};

	KUNIT_EXPECT_EQ(test, uet_minute_sum(&m, 0), 0U);
	uet_minute_add(&m, 0);
	uet_minute_add(&m, SECOND);
	KUNIT_EXPECT_EQ(test, uet_minute_sum(&m, SECOND), 2U);
	KUNIT_EXPECT_EQ(test, uet_minute_sum(&m, KEPT), 2U);
	/* A clock that was read before the last event */
	uet_minute_add(&m, 1ULL << UET_MINUTE_SHIFT);
	KUNIT_EXPECT_EQ(test, uet_minute_sum(&m, SECOND), 3U);
	m = (struct uet_minute) {};
	uet_minute_add(&m, SECOND);
	KUNIT_EXPECT_EQ(test, uet_minute_sum(&m, MINUTE), 0U);
	KUNIT_EXPECT_EQ(test, uet_minute_sum(&m, 1000 * MINUTE), 0U);
	KUNIT_EXPECT_LE(test, MINUTE, 61 * SECOND);
	KUNIT_EXPECT_GE(test, KEPT, 50 * SECOND);
}

/* What began before the first part, or after centuries */
static void minute_any_time(struct kunit *test)
{
	u64 at[] = { 59 * SECOND, 1ULL << 33, U64_MAX / 2, U64_MAX - MINUTE };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(at); i++) {
		struct uet_minute m = {};

		uet_minute_add(&m, at[i]);
		KUNIT_EXPECT_EQ(test, uet_minute_sum(&m, at[i]), 1U);
		KUNIT_EXPECT_EQ(test, uet_minute_sum(&m, at[i] + MINUTE), 0U);
	}
}

/* Pauses of all lengths: what counts is between the two bounds. */
static void minute_counts(struct kunit *test)
{
	struct test_rnd rnd = { 1 };
	struct uet_minute m = {};
	u64 now = 5 * SECOND, *at;
	unsigned int i, k, least, most;

	at = kunit_kzalloc(test, EVENTS * sizeof(*at), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, at);
	for (i = 0; i < EVENTS; i++) {
		now += rnd_below(&rnd, 1U << rnd_below(&rnd, 32)) * 16ULL;
		at[i] = now;
		uet_minute_add(&m, now);
		now += rnd_below(&rnd, 1U << rnd_below(&rnd, 30));
		for (k = least = most = 0; k <= i; k++) {
			least += now - at[k] < KEPT;
			most += now - at[k] < MINUTE;
		}
		KUNIT_ASSERT_GE(test, uet_minute_sum(&m, now), least);
		KUNIT_ASSERT_LE(test, uet_minute_sum(&m, now), most);
	}
}

static struct kunit_case minute_cases[] = {
	KUNIT_CASE(minute_begins),
	KUNIT_CASE(minute_any_time),
	KUNIT_CASE(minute_counts),
	{}
};

static struct kunit_suite minute_suite = {
	.name = "uet_minute",
	.test_cases = minute_cases,
};

kunit_test_suite(minute_suite);
