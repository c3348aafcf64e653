// SPDX-License-Identifier: GPL-2.0
/* Sockets whose packets wait for CACK behind a NACKed one */
#include <kunit/test.h>

#include "../core/rcv/rxshare.h"
#include "random.h"

#define RANGE	128
#define SOCKS	4
#define STEPS	UET_TEST_ROUNDS

/* Only their addresses are used */
static const char socks[SOCKS];

static bool behind(const struct uet_rxshare *s, u32 who, u32 psn)
{
	return uet_rxshare_behind(s, &socks[who], psn, RANGE);
}

static void rxshare_alone(struct kunit *test)
{
	struct uet_rxshare s = {};

	KUNIT_EXPECT_FALSE(test, behind(&s, 0, 1));
	uet_rxshare_note(&s, &socks[0], 10, RANGE);
	uet_rxshare_note(&s, &socks[0], 8, RANGE);
	KUNIT_EXPECT_FALSE(test, behind(&s, 0, 5));
	KUNIT_EXPECT_TRUE(test, behind(&s, 1, 9));
	KUNIT_EXPECT_FALSE(test, behind(&s, 1, 10));
}

/* A packet above CACK counts however long ago it arrived. */
static void rxshare_last_ones(struct kunit *test)
{
	struct uet_rxshare s = {};

	uet_rxshare_note(&s, &socks[0], U32_MAX - 1, RANGE);
	uet_rxshare_note(&s, &socks[1], 1, RANGE);
	uet_rxshare_note(&s, &socks[0], 0, RANGE);
	KUNIT_EXPECT_TRUE(test, behind(&s, 0, U32_MAX));
	KUNIT_EXPECT_TRUE(test, behind(&s, 0, 0));
	KUNIT_EXPECT_FALSE(test, behind(&s, 0, 1));
	KUNIT_EXPECT_TRUE(test, behind(&s, 1, U32_MAX));
	KUNIT_EXPECT_FALSE(test, behind(&s, 1, 0));
}

/*
 * Compare with the highest PSN of each socket: exact for one or two sockets, never
 * a false "no" for more. PSNs wrap, and some sockets are quiet for long.
 */
static void rxshare_random(struct kunit *test)
{
	u32 top[SOCKS], n, i, k, cack, psn, who, waits, said;
	struct test_rnd rnd = { .state = 7 };
	struct uet_rxshare s;

	for (n = 1; n <= SOCKS; n++) {
		memset(&s, 0, sizeof(s));
		cack = U32_MAX - STEPS;
		for (i = 0; i < SOCKS; i++)
			top[i] = cack;
		waits = 0;
		for (i = 0; i < STEPS; i++) {
			who = rnd_below(&rnd, n);
			if (who && rnd_below(&rnd, 8))
				who = 0;
			psn = cack + 1 + rnd_below(&rnd, RANGE);
			uet_rxshare_note(&s, &socks[who], psn, RANGE);
			top[who] = psn_between(top[who], psn, cack + RANGE) ?
				   top[who] : psn;
			cack += rnd_below(&rnd, 8);
			who = rnd_below(&rnd, n);
			psn = cack + 1 + rnd_below(&rnd, RANGE);
			for (k = 0, waits = 0; k < n; k++)
				if (k != who &&
				    psn_between(top[k], psn + 1, cack + RANGE))
					waits++;
			said = behind(&s, who, psn);
			if (waits)
				KUNIT_ASSERT_TRUE(test, said);
			else if (n <= 2)
				KUNIT_ASSERT_FALSE(test, said);
		}
	}
}

static struct kunit_case rxshare_cases[] = {
	KUNIT_CASE(rxshare_alone),
	KUNIT_CASE(rxshare_last_ones),
	KUNIT_CASE(rxshare_random),
	{}
};

static struct kunit_suite rxshare_suite = {
	.name = "uet_rxshare",
	.test_cases = rxshare_cases,
};

kunit_test_suite(rxshare_suite);
