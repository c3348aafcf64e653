// SPDX-License-Identifier: GPL-2.0
/* Slots of a completion queue */
#include <kunit/test.h>

#include "../core/slots.h"
#include "random.h"

#define ENTRIES	16
#define REMOTE	4

static u16 remotes[UET_SLOTS_MAX];

static void init(struct uet_slots *s, u32 entries, u32 remote)
{
	memset(remotes, 0, sizeof(remotes));
	uet_slots_init(s, entries, remote, remotes);
}

/* Neither share can use up the other one. */
static void slots_shares(struct kunit *test)
{
	struct uet_slots s;

	init(&s, ENTRIES, REMOTE);
	KUNIT_EXPECT_FALSE(test, uet_slots_own(&s, UET_SLOTS_OWN, ENTRIES - REMOTE + 1));
	KUNIT_EXPECT_FALSE(test, uet_slots_own(&s, UET_SLOTS_OWN, U32_MAX));
	KUNIT_EXPECT_TRUE(test, uet_slots_own(&s, UET_SLOTS_OWN, ENTRIES - REMOTE));
	KUNIT_EXPECT_FALSE(test, uet_slots_own(&s, UET_SLOTS_OWN, 1));
	KUNIT_EXPECT_TRUE(test, uet_slots_own(&s, UET_SLOTS_REMOTE, REMOTE));
	KUNIT_EXPECT_FALSE(test, uet_slots_own(&s, UET_SLOTS_REMOTE, 1));
	uet_slots_disown(&s, UET_SLOTS_OWN, 2);
	KUNIT_EXPECT_FALSE(test, uet_slots_own(&s, UET_SLOTS_REMOTE, 1));
	KUNIT_EXPECT_TRUE(test, uet_slots_own(&s, UET_SLOTS_OWN, 2));
}

/* What was told belongs to its share until it was taken. */
static void slots_taken(struct kunit *test)
{
	struct uet_slots s;
	u32 i;

	init(&s, ENTRIES, REMOTE);
	KUNIT_EXPECT_TRUE(test, uet_slots_own(&s, UET_SLOTS_OWN, ENTRIES - REMOTE));
	KUNIT_EXPECT_TRUE(test, uet_slots_own(&s, UET_SLOTS_REMOTE, REMOTE));
	for (i = 0; i < ENTRIES; i++)
		KUNIT_EXPECT_EQ(test, i, uet_slots_tell(&s, i % 4 ? UET_SLOTS_OWN :
							UET_SLOTS_REMOTE));
	KUNIT_EXPECT_FALSE(test, uet_slots_own(&s, UET_SLOTS_OWN, 1));
	uet_slots_taken(&s, 1);
	KUNIT_EXPECT_FALSE(test, uet_slots_own(&s, UET_SLOTS_OWN, 1));
	KUNIT_EXPECT_TRUE(test, uet_slots_own(&s, UET_SLOTS_REMOTE, 1));
	uet_slots_taken(&s, ENTRIES);
	KUNIT_EXPECT_EQ(test, 0, uet_slots_filled(&s));
	KUNIT_EXPECT_TRUE(test, uet_slots_own(&s, UET_SLOTS_OWN, ENTRIES - REMOTE));
	KUNIT_EXPECT_FALSE(test, uet_slots_own(&s, UET_SLOTS_REMOTE, REMOTE));
	KUNIT_EXPECT_TRUE(test, uet_slots_own(&s, UET_SLOTS_REMOTE, REMOTE - 1));
}

/* What cannot be is ignored. */
static void slots_wrong_head(struct kunit *test)
{
	struct uet_slots s;
	u32 i;

	init(&s, ENTRIES, REMOTE);
	KUNIT_EXPECT_TRUE(test, uet_slots_own(&s, UET_SLOTS_OWN, 8));
	for (i = 0; i < 8; i++)
		uet_slots_tell(&s, UET_SLOTS_OWN);
	uet_slots_taken(&s, 9);
	uet_slots_taken(&s, U32_MAX);
	uet_slots_taken(&s, 1U << 31);
	KUNIT_EXPECT_EQ(test, 8, uet_slots_filled(&s));
	uet_slots_taken(&s, 5);
	uet_slots_taken(&s, 4);
	uet_slots_taken(&s, 0);
	KUNIT_EXPECT_EQ(test, 3, uet_slots_filled(&s));
}

/* An entry for each completion, told and not taken, and those that will be told */
struct oracle {
	u8	share[UET_SLOTS_MAX];
	u32	owed[UET_SLOTS_SHARES];
	u32	told[UET_SLOTS_SHARES];
	u32	head;
	u32	tail;
};

static void oracle_take(struct oracle *o, u32 head, u32 entries)
{
	if (head - o->head > o->tail - o->head)
		return;
	for (; o->head != head; o->head++)
		o->told[o->share[o->head & (entries - 1)]]--;
}

/* A program that writes to the ring what it likes, against a list of what is there */
static void slots_random(struct kunit *test)
{
	struct oracle *o = kunit_kzalloc(test, sizeof(*o), GFP_KERNEL);
	struct test_rnd rnd = { .state = 11 };
	u32 run, i, n, at, entries, remote, share;
	struct uet_slots s;

	KUNIT_ASSERT_NOT_NULL(test, o);
	for (run = 0; run < 64; run++) {
		entries = 4U << rnd_below(&rnd, run % 8 ? 5 : 15);
		remote = 1 + rnd_below(&rnd, entries / 2);
		init(&s, entries, remote);
		memset(o, 0, sizeof(*o));
		/* Numbers wrap around. */
		s.head = rnd_one_in(&rnd, 2) ? 0 : -rnd_below(&rnd, 2 * entries);
		s.tail = s.head;
		o->head = s.head;
		o->tail = s.head;
		for (i = 0; i < UET_TEST_ROUNDS / 16; i++) {
			share = rnd_below(&rnd, UET_SLOTS_SHARES);
			n = 1 + rnd_below(&rnd, rnd_one_in(&rnd, 8) ? entries + 1 : 3);
			switch (rnd_below(&rnd, 4)) {
			case 0:
				KUNIT_ASSERT_EQ(test, uet_slots_own(&s, share, n),
						o->owed[share] + o->told[share] + n <=
						(share ? remote : entries - remote));
				if (o->owed[share] + o->told[share] + n <=
				    (share ? remote : entries - remote))
					o->owed[share] += n;
				break;
			case 1:
				n = min(n, o->owed[share]);
				uet_slots_disown(&s, share, n);
				o->owed[share] -= n;
				break;
			case 2:
				for (; n && o->owed[share]; n--) {
					at = uet_slots_tell(&s, share);
					KUNIT_ASSERT_EQ(test, at, o->tail & (entries - 1));
					o->share[at] = share;
					o->tail++;
					o->owed[share]--;
					o->told[share]++;
				}
				break;
			default:
				n = rnd_one_in(&rnd, 4) ? rnd32(&rnd) : o->head - 2 +
				    rnd_below(&rnd, o->tail - o->head + 4);
				uet_slots_taken(&s, n);
				oracle_take(o, n, entries);
				break;
			}
			KUNIT_ASSERT_EQ(test, uet_slots_filled(&s), o->tail - o->head);
			KUNIT_ASSERT_LE(test, o->owed[0] + o->owed[1] + o->tail - o->head,
					entries);
		}
	}
}

static struct kunit_case slots_cases[] = {
	KUNIT_CASE(slots_shares),
	KUNIT_CASE(slots_taken),
	KUNIT_CASE(slots_wrong_head),
	KUNIT_CASE_SLOW(slots_random),
	{}
};

static struct kunit_suite slots_suite = {
	.name = "uet_slots",
	.test_cases = slots_cases,
};

kunit_test_suite(slots_suite);
