// SPDX-License-Identifier: GPL-2.0
/* Destination flow control: the penalty, and when sources may resume. */
#include <kunit/test.h>
#include <linux/module.h>

#include "../core/cc/dfc.h"

#define RTT	10000ULL

static void dfc_pend(struct kunit *test)
{
	u32 q;

	KUNIT_EXPECT_EQ(test, uet_dfc_pend(0, 100, 200), 0);
	KUNIT_EXPECT_EQ(test, uet_dfc_pend(100, 100, 200), 0);
	KUNIT_EXPECT_EQ(test, uet_dfc_pend(150, 100, 200), 63);
	KUNIT_EXPECT_EQ(test, uet_dfc_pend(199, 100, 200), 125);
	KUNIT_EXPECT_EQ(test, uet_dfc_pend(200, 100, 200), UET_PEND_MAX);
	KUNIT_EXPECT_EQ(test, uet_dfc_pend(U64_MAX, 100, 200),
			UET_PEND_MAX);
	/* lo == hi, also at 0; lo > hi */
	KUNIT_EXPECT_EQ(test, uet_dfc_pend(6, 5, 5), UET_PEND_MAX);
	KUNIT_EXPECT_EQ(test, uet_dfc_pend(0, 0, 0), 0);
	KUNIT_EXPECT_EQ(test, uet_dfc_pend(150, 200, 100), 0);
	for (q = 1; q < 1000; q++)
		KUNIT_EXPECT_GE(test, uet_dfc_pend(q, 100, 900),
				uet_dfc_pend(q - 1, 100, 900));
	/* products that would overflow 64 bits */
	KUNIT_EXPECT_EQ(test, uet_dfc_pend(U64_MAX / 2, 0, U64_MAX), 63);
}

static void dfc_short_episode(struct kunit *test)
{
	struct uet_dfc d = {};
	bool rc;

	KUNIT_EXPECT_EQ(test, uet_dfc_update(&d, 1000, RTT, 0, &rc), 0);
	KUNIT_EXPECT_FALSE(test, rc);
	KUNIT_EXPECT_EQ(test, uet_dfc_update(&d, 2000, RTT, 40, &rc), 40);
	KUNIT_EXPECT_FALSE(test, rc);
	KUNIT_EXPECT_EQ(test, d.pend, 40);
	uet_dfc_update(&d, 2000 + 99 * RTT, RTT, 90, &rc);
	KUNIT_EXPECT_EQ(test, d.pend, 90);
	/* the restore flag is set at the end and for one round trip */
	KUNIT_EXPECT_EQ(test, uet_dfc_update(&d, 3000 + 99 * RTT, RTT, 0, &rc),
			0);
	KUNIT_EXPECT_TRUE(test, rc);
	KUNIT_EXPECT_EQ(test, d.pend, 0);
	uet_dfc_update(&d, 3000 + 100 * RTT, RTT, 0, &rc);
	KUNIT_EXPECT_TRUE(test, rc);
	uet_dfc_update(&d, 3001 + 100 * RTT, RTT, 0, &rc);
	KUNIT_EXPECT_FALSE(test, rc);
}

static void dfc_long_episode(struct kunit *test)
{
	struct uet_dfc d = {};
	bool rc;

	uet_dfc_update(&d, 1, RTT, 1, &rc);
	uet_dfc_update(&d, 1 + 100 * RTT, RTT, 1, &rc);
	uet_dfc_update(&d, 2 + 100 * RTT, RTT, 0, &rc);
	KUNIT_EXPECT_FALSE(test, rc);
}

/* The time after the last penalty, with a silent source, does not count */
static void dfc_rest(struct kunit *test)
{
	struct uet_dfc d = {};
	bool rc;

	uet_dfc_update(&d, 1, RTT, 100, &rc);
	uet_dfc_update(&d, 1 + RTT, RTT, 100, &rc);
	uet_dfc_update(&d, 1 + 5000 * RTT, RTT, 0, &rc);
	KUNIT_EXPECT_TRUE(test, rc);
	/* pressure again ends it at once */
	uet_dfc_update(&d, 2 + 5000 * RTT, RTT, 1, &rc);
	KUNIT_EXPECT_FALSE(test, rc);
	KUNIT_EXPECT_FALSE(test, d.restoring);
}

static struct kunit_case dfc_cases[] = {
	KUNIT_CASE(dfc_pend),
	KUNIT_CASE(dfc_short_episode),
	KUNIT_CASE(dfc_long_episode),
	KUNIT_CASE(dfc_rest),
	{}
};

static struct kunit_suite dfc_suite = {
	.name = "uet_dfc",
	.test_cases = dfc_cases,
};

kunit_test_suites(&dfc_suite);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Tests of the UET core");
