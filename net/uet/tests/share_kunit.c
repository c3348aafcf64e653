// SPDX-License-Identifier: GPL-2.0
/* Sharing of limits by users and peers */
#include <kunit/test.h>
#include <linux/module.h>

#include "../core/share.h"

#define USERS	6

static const u32 limits[] = { 1, 2, 3, 8, 16, 1000, 1024, 65535, 131072 };

static u32 take_all(u32 *own, u32 *used, u32 limit)
{
	u32 before = *own;

	while (uet_share_user(*own, *used, limit)) {
		(*own)++;
		(*used)++;
	}
	return *own - before;
}

/* One after the other takes all that it gets: who has none gets one. */
static void share_newcomer(struct kunit *test)
{
	u32 i, n, own, used, left;

	for (i = 0; i < ARRAY_SIZE(limits); i++) {
		used = 0;
		for (n = 0; n < USERS; n++) {
			own = 0;
			left = limits[i] - used;
			take_all(&own, &used, limits[i]);
			KUNIT_EXPECT_EQ(test, own > 0, left > 0);
			KUNIT_EXPECT_LE(test, own, left - left / 2);
			KUNIT_EXPECT_LE(test, used, limits[i]);
		}
	}
}

/* All take in turn: they have the same, and about as much is left. */
static void share_fair(struct kunit *test)
{
	u32 own[USERS], used, n, i, limit = 65535;
	bool took;

	for (n = 1; n <= USERS; n++) {
		memset(own, 0, sizeof(own));
		used = 0;
		do {
			took = false;
			for (i = 0; i < n; i++) {
				if (!uet_share_user(own[i], used, limit))
					continue;
				own[i]++;
				used++;
				took = true;
			}
		} while (took);
		for (i = 0; i < n; i++) {
			KUNIT_EXPECT_GE(test, own[i], limit / (n + 1) - n);
			KUNIT_EXPECT_LE(test, own[i], limit / (n + 1) + n);
		}
	}
}

/* What is held when a limit is lowered stays, and nobody gets more. */
static void share_lowered(struct kunit *test)
{
	KUNIT_EXPECT_FALSE(test, uet_share_user(0, 10, 10));
	KUNIT_EXPECT_FALSE(test, uet_share_user(0, 10, 5));
	KUNIT_EXPECT_FALSE(test, uet_share_user(0, U32_MAX, 5));
	KUNIT_EXPECT_FALSE(test, uet_share_peer(10, 5, true));
	KUNIT_EXPECT_FALSE(test, uet_share_peer(U32_MAX, U32_MAX, true));
}

/* Strangers leave some to proved peers, these leave some to local users. */
static void share_peers(struct kunit *test)
{
	u32 i, used, own, limit, strangers, proved;

	for (i = 0; i < ARRAY_SIZE(limits); i++) {
		limit = limits[i];
		for (used = 0; uet_share_peer(used, limit, false); used++)
			;
		strangers = used;
		for (; uet_share_peer(used, limit, true); used++)
			;
		proved = used;
		own = 0;
		take_all(&own, &used, limit);
		KUNIT_EXPECT_GE(test, strangers, 1);
		KUNIT_EXPECT_EQ(test, strangers, limit - limit / 8);
		KUNIT_EXPECT_EQ(test, proved, limit - limit / 16);
		KUNIT_EXPECT_EQ(test, own > 0, limit >= 16);
	}
}

static struct kunit_case share_cases[] = {
	KUNIT_CASE(share_newcomer),
	KUNIT_CASE(share_fair),
	KUNIT_CASE(share_lowered),
	KUNIT_CASE(share_peers),
	{}
};

static struct kunit_suite share_suite = {
	.name = "uet_share",
	.test_cases = share_cases,
};

kunit_test_suite(share_suite);
