// SPDX-License-Identifier: GPL-2.0
/* Rules of rxroom.h one by one; tools/unit/rxroom_model.c runs them together. */
#include <kunit/test.h>

#include "../core/rcv/rxroom.h"

#define HALF	1000

static const struct uet_rxroom at_rest = { .half = HALF };
static const struct uet_rxroom in_use = {
	.half = HALF, .rights = 1, .alive = true,
};

/* Without rivals: the next message, if all messages with a right are silent */
static void rxroom_rights(struct kunit *test)
{
	struct uet_rxroom_msg m = { .len = 100, .first = true };
	struct uet_rxroom room = at_rest;

	KUNIT_EXPECT_TRUE(test, uet_rxroom_right(&room, &m));
	KUNIT_EXPECT_FALSE(test, uet_rxroom_right(&in_use, &m));
	m.first = false;
	KUNIT_EXPECT_FALSE(test, uet_rxroom_right(&room, &m));
	m.first = true;
	/* The shared half is full of readable data: the reader makes room. */
	room.shared = HALF + 1;
	KUNIT_EXPECT_TRUE(test, uet_rxroom_right(&room, &m));
	room.readable = true;
	KUNIT_EXPECT_FALSE(test, uet_rxroom_right(&room, &m));
	room = at_rest;
	room.rights = UET_RXROOM_RIGHTS - 1;
	KUNIT_EXPECT_TRUE(test, uet_rxroom_right(&room, &m));
	room.rights++;
	KUNIT_EXPECT_FALSE(test, uet_rxroom_right(&room, &m));
}

/* An overtaken message gets a right if it can be completed before it is read. */
static void rxroom_overtaken(struct kunit *test)
{
	static const struct {
		enum uet_rxroom_rival rival;
		bool fits, too_long;
	} cases[] = {
		{ UET_RIVAL_NONE, false, false },
		{ UET_RIVAL_AHEAD, false, false },
		{ UET_RIVAL_UNSEEN, true, true },
		{ UET_RIVAL_SEEN, true, false },
	};
	struct uet_rxroom_msg m = { .first = true };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		m.rival = cases[i].rival;
		m.len = HALF;
		KUNIT_EXPECT_EQ(test, uet_rxroom_right(&in_use, &m),
				cases[i].fits);
		m.len = HALF + 1;
		KUNIT_EXPECT_EQ(test, uet_rxroom_right(&in_use, &m),
				cases[i].too_long);
	}
	/* Nor does it fill the shared half with data that cannot be read. */
	KUNIT_EXPECT_FALSE(test, uet_rxroom_shared(&at_rest, &m, 1));
	m.len = HALF;
	KUNIT_EXPECT_TRUE(test, uet_rxroom_shared(&at_rest, &m, 1));
}

/* So does one that a message with a receive has overtaken, but readers read it, too. */
static void rxroom_posted(struct kunit *test)
{
	struct uet_rxroom_msg m = { .posted = true, .len = HALF };
	struct uet_rxroom room = in_use;

	KUNIT_EXPECT_TRUE(test, uet_rxroom_right(&in_use, &m));
	room.shared = HALF + 1;
	KUNIT_EXPECT_FALSE(test, uet_rxroom_right(&room, &m));
	m.len++;
	KUNIT_EXPECT_FALSE(test, uet_rxroom_right(&in_use, &m));
	KUNIT_EXPECT_TRUE(test, uet_rxroom_hand_over(&at_rest, &m, false));
	KUNIT_EXPECT_TRUE(test, uet_rxroom_shared(&at_rest, &m, 1));
}

/*
 * A rival that overtook the message does not hide that another one is handed over
 * already: if this one were handed over, too, they would wait for each other.
 */
static void rxroom_several_rivals(struct kunit *test)
{
	struct uet_rxroom_nacked nacked = { .range = 128 };
	struct uet_rxroom_msg m = { .len = HALF + 1 };

	m.rival = uet_rxroom_rival(true, false);
	m.rival |= uet_rxroom_rival(false, true);
	KUNIT_EXPECT_FALSE(test, uet_rxroom_hand_over(&in_use, &m, true));
	KUNIT_EXPECT_FALSE(test, uet_rxroom_right(&in_use, &m));
	nacked.rival = m.rival;
	KUNIT_EXPECT_TRUE(test, uet_rxroom_send_back(&nacked));
	/* One that fits can be completed before it is read. */
	m.len = HALF;
	KUNIT_EXPECT_TRUE(test, uet_rxroom_right(&in_use, &m));
}

/* What got a right and is complete now fills the buffer: no more of them */
static void rxroom_sum(struct kunit *test)
{
	struct uet_rxroom_msg m = { .len = HALF, .rival = UET_RIVAL_UNSEEN };
	struct uet_rxroom room = in_use;

	for (; room.rights < UET_RXROOM_RIGHTS; room.rights++) {
		room.shared = (UET_RXROOM_RIGHTS - room.rights) * HALF;
		KUNIT_EXPECT_TRUE(test, uet_rxroom_right(&room, &m));
		room.shared++;
		KUNIT_EXPECT_FALSE(test, uet_rxroom_right(&room, &m));
	}
}

static void rxroom_within_right(struct kunit *test)
{
	struct uet_rxroom_msg m = { .len = 10 * HALF, .read = 500 };

	KUNIT_EXPECT_TRUE(test, uet_rxroom_within(&at_rest, &m, 1500, 100, false));
	KUNIT_EXPECT_FALSE(test, uet_rxroom_within(&at_rest, &m, 1501, 100, true));
	/* What comes early must not take the memory of what is next. */
	m.bytes = UET_RXROOM_EARLY * HALF;
	KUNIT_EXPECT_FALSE(test, uet_rxroom_within(&at_rest, &m, 1500, 1, false));
	KUNIT_EXPECT_TRUE(test, uet_rxroom_within(&at_rest, &m, 1500, 1, true));
	m.bytes = UET_RXROOM_CRUMBS * HALF;
	KUNIT_EXPECT_FALSE(test, uet_rxroom_within(&at_rest, &m, 1500, 1, true));
}

/* If messages with a right hold much, there are fewer of them. */
static void rxroom_used_up(struct kunit *test)
{
	struct uet_rxroom_msg m = { .len = 100, .first = true };
	struct uet_rxroom room = at_rest;

	room.rights = 2;
	room.used = UET_RXROOM_RIGHTS * HALF;
	KUNIT_EXPECT_TRUE(test, uet_rxroom_right(&room, &m));
	KUNIT_EXPECT_FALSE(test, uet_rxroom_full(&room));
	room.used++;
	KUNIT_EXPECT_FALSE(test, uet_rxroom_right(&room, &m));
	KUNIT_EXPECT_TRUE(test, uet_rxroom_full(&room));
}

/* A buffer grows at once, and becomes smaller when nothing depends on its size. */
static void rxroom_resized(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, uet_rxroom_resize(HALF, 2 * HALF, HALF, 1, true), 2ULL * HALF);
	KUNIT_EXPECT_EQ(test, uet_rxroom_resize(2 * HALF, HALF, HALF, 0, true), 1ULL * HALF);
	KUNIT_EXPECT_EQ(test, uet_rxroom_resize(2 * HALF, HALF, HALF + 1, 0, true),
			2ULL * HALF);
	KUNIT_EXPECT_EQ(test, uet_rxroom_resize(2 * HALF, HALF, HALF + 1, 0, false),
			1ULL * HALF);
	KUNIT_EXPECT_EQ(test, uet_rxroom_resize(2 * HALF, HALF, HALF, 1, true), 2ULL * HALF);
}

/* Only messages that are too long, one per PDC, regardless of whose turn it is:
 * a slow sender must not keep a fast sender's message from its reader.
 */
static void rxroom_handed_over(struct kunit *test)
{
	struct uet_rxroom_msg m = { .len = HALF + 1 };

	KUNIT_EXPECT_TRUE(test, uet_rxroom_hand_over(&at_rest, &m, false));
	KUNIT_EXPECT_FALSE(test, uet_rxroom_hand_over(&in_use, &m, false));
	KUNIT_EXPECT_TRUE(test, uet_rxroom_hand_over(&in_use, &m, true));
	m.rival = UET_RIVAL_AHEAD;
	KUNIT_EXPECT_FALSE(test, uet_rxroom_hand_over(&in_use, &m, true));
	m.rival = UET_RIVAL_UNSEEN;
	KUNIT_EXPECT_TRUE(test, uet_rxroom_hand_over(&in_use, &m, true));
	m.rival = UET_RIVAL_SEEN;
	KUNIT_EXPECT_FALSE(test, uet_rxroom_hand_over(&in_use, &m, true));
	m.rival = UET_RIVAL_NONE;
	m.len = HALF;
	KUNIT_EXPECT_FALSE(test, uet_rxroom_hand_over(&at_rest, &m, false));
}

static void rxroom_sent_back(struct kunit *test)
{
	struct uet_rxroom_nacked r = { .half = HALF, .len = HALF, .range = 128 };

	KUNIT_EXPECT_FALSE(test, uet_rxroom_send_back(&r));
	r.shares = true;
	KUNIT_EXPECT_TRUE(test, uet_rxroom_send_back(&r));
	r.covered = true;
	KUNIT_EXPECT_FALSE(test, uet_rxroom_send_back(&r));
	r.beyond = 63;
	KUNIT_EXPECT_FALSE(test, uet_rxroom_send_back(&r));
	r.beyond = 64;
	KUNIT_EXPECT_TRUE(test, uet_rxroom_send_back(&r));
	r.beyond = 0;
	r.posted = true;
	KUNIT_EXPECT_TRUE(test, uet_rxroom_send_back(&r));
	r.len = HALF + 1;
	KUNIT_EXPECT_FALSE(test, uet_rxroom_send_back(&r));
	r.half = UET_RXROOM_KEPT + 1;
	r.len = UET_RXROOM_KEPT;
	KUNIT_EXPECT_TRUE(test, uet_rxroom_send_back(&r));
	r.len++;
	KUNIT_EXPECT_FALSE(test, uet_rxroom_send_back(&r));
	r.covered = false;
	r.shares = false;
	KUNIT_EXPECT_TRUE(test, uet_rxroom_send_back(&r));
	r.posted = false;
	KUNIT_EXPECT_FALSE(test, uet_rxroom_send_back(&r));
	r.rival = UET_RIVAL_AHEAD;
	KUNIT_EXPECT_FALSE(test, uet_rxroom_send_back(&r));
	r.rival = UET_RIVAL_SEEN;
	KUNIT_EXPECT_TRUE(test, uet_rxroom_send_back(&r));
}

/* Messages that an ordered line mixes */
static void rxroom_line(struct kunit *test)
{
	struct uet_rxroom room = { .half = HALF, .rights = 1 };
	struct uet_rxroom_msg m = { .len = 100, .bytes = 10 };
	const u64 most = UET_RXROOM_MIXED * HALF;

	KUNIT_EXPECT_TRUE(test, uet_rxroom_mix(&room, &m, 0));
	KUNIT_EXPECT_TRUE(test, uet_rxroom_mix(&room, &m, most - 10));
	KUNIT_EXPECT_FALSE(test, uet_rxroom_mix(&room, &m, most - 9));
	room.shared = HALF + 11;
	KUNIT_EXPECT_FALSE(test, uet_rxroom_mix(&room, &m, 0));
	/* A message of another PDC has a right. */
	room.shared = 0;
	room.rights = 2;
	KUNIT_EXPECT_FALSE(test, uet_rxroom_mix(&room, &m, 0));
	/* The first one is complete: its right is free. */
	room.rights = UET_RXROOM_MIXED;
	KUNIT_EXPECT_TRUE(test, uet_rxroom_line_right(&room, &m));
	room.rights++;
	KUNIT_EXPECT_FALSE(test, uet_rxroom_line_right(&room, &m));
	KUNIT_EXPECT_TRUE(test, uet_rxroom_line_full(&room, 4, true));
	/* Not full: the only message of its line; other lines have rights; a reader. */
	KUNIT_EXPECT_FALSE(test, uet_rxroom_line_full(&room, 4, false));
	KUNIT_EXPECT_FALSE(test, uet_rxroom_line_full(&room, 3, true));
	room.readable = true;
	KUNIT_EXPECT_FALSE(test, uet_rxroom_line_full(&room, 4, true));
}

static struct kunit_case rxroom_cases[] = {
	KUNIT_CASE(rxroom_rights),
	KUNIT_CASE(rxroom_overtaken),
	KUNIT_CASE(rxroom_posted),
	KUNIT_CASE(rxroom_several_rivals),
	KUNIT_CASE(rxroom_sum),
	KUNIT_CASE(rxroom_within_right),
	KUNIT_CASE(rxroom_used_up),
	KUNIT_CASE(rxroom_resized),
	KUNIT_CASE(rxroom_handed_over),
	KUNIT_CASE(rxroom_sent_back),
	KUNIT_CASE(rxroom_line),
	{}
};

static struct kunit_suite rxroom_suite = {
	.name = "uet_rxroom",
	.test_cases = rxroom_cases,
};

kunit_test_suite(rxroom_suite);
