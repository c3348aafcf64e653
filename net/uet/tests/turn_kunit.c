// SPDX-License-Identifier: GPL-2.0
/* Deficit round robin: equal shares of bytes, and no wait for short messages */
#include <kunit/test.h>

#include "random.h"
#include "turn_line.h"

#define QUANTUM		4208
#define SENDERS		4
#define PACKETS		100000

/* Too large for the stack */
static struct turn_line *line(struct kunit *test)
{
	struct turn_line *l = kunit_kzalloc(test, sizeof(*l), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, l);
	return l;
}

/* Packets of all sizes: equal shares of bytes. */
static void turn_shares(struct kunit *test)
{
	static const u32 sizes[SENDERS] = { QUANTUM, 140, 1500, 3000 };
	u64 least = U64_MAX, most = 0;
	struct turn_line *l = line(test);
	u32 i;

	turn_line_init(l, QUANTUM);
	for (i = 0; i < SENDERS; i++)
		turn_line_join(l, i);
	for (i = 0; i < PACKETS; i++) {
		turn_line_send(l, sizes[l->who[0]], true);
		KUNIT_ASSERT_EQ(test, l->n, SENDERS);
		KUNIT_ASSERT_TRUE(test, !turn_line_wrong(l));
	}
	for (i = 0; i < SENDERS; i++) {
		least = min(least, l->all[i].sent);
		most = max(most, l->all[i].sent);
	}
	KUNIT_EXPECT_LE(test, most - least, 2ULL * QUANTUM);
}

/* A sender that comes and goes is served first, but gets only its share. */
static void turn_comes_and_goes(struct kunit *test)
{
	static const u32 sizes[] = { 140, 1500, QUANTUM };
	const u32 bulk[] = { 0, 1 }, guest = 2;
	struct turn_line *l = line(test);
	u32 i, k, first;

	for (k = 0; k < ARRAY_SIZE(sizes); k++) {
		turn_line_init(l, QUANTUM);
		first = 0;
		turn_line_join(l, bulk[0]);
		turn_line_join(l, bulk[1]);
		for (i = 0; i < PACKETS; i++) {
			turn_line_join(l, guest);
			first += l->who[0] == guest;
			while (l->who[0] != guest)
				turn_line_send(l, QUANTUM, true);
			turn_line_send(l, sizes[k], false);
		}
		KUNIT_EXPECT_TRUE(test, !turn_line_wrong(l));
		/* It waits once for each quantum that it has used up. */
		KUNIT_EXPECT_GE(test, first + l->all[guest].sent / QUANTUM + 1,
				(u64)PACKETS);
		for (i = 0; i < 2; i++)
			KUNIT_EXPECT_LE(test, l->all[guest].sent,
					l->all[bulk[i]].sent + 2ULL * QUANTUM);
	}
}

/* Senders that come, go and fail at random: the bounds of turn.h hold. */
static void turn_random(struct kunit *test)
{
	struct test_rnd rnd = { .state = 11 };
	struct turn_line *l = line(test);
	const char *wrong;
	u32 i, packets = 0;

	turn_line_init(l, QUANTUM);
	for (i = 0; i < UET_TEST_ROUNDS; i++) {
		if (rnd_one_in(&rnd, 1000))
			turn_line_init(l, 1 + rnd_below(&rnd, 2 * QUANTUM));
		if (rnd_one_in(&rnd, 100))
			turn_line_replace(l, rnd_below(&rnd, TURN_SENDERS));
		if (rnd_one_in(&rnd, 3))
			turn_line_join(l, rnd_below(&rnd, TURN_SENDERS));
		if (l->n) {
			turn_line_send(l, rnd_one_in(&rnd, 2) ? l->quantum :
				       1 + rnd_below(&rnd, l->quantum),
				       !rnd_one_in(&rnd, 5));
			packets++;
		}
		wrong = turn_line_wrong(l);
		if (wrong) {
			KUNIT_FAIL(test, "round %u: %s", i, wrong);
			return;
		}
	}
	KUNIT_EXPECT_GT(test, packets, (u32)UET_TEST_ROUNDS / 2);
}

static struct kunit_case turn_cases[] = {
	KUNIT_CASE(turn_shares),
	KUNIT_CASE(turn_comes_and_goes),
	KUNIT_CASE(turn_random),
	{}
};

static struct kunit_suite turn_suite = {
	.name = "uet_turn",
	.test_cases = turn_cases,
};

kunit_test_suite(turn_suite);
