// SPDX-License-Identifier: GPL-2.0
/* TFC at the destination: who gets how much of the buffer. */
#include <kunit/test.h>
#include <linux/module.h>

#include "../core/cc/tfc_cells.h"
#include "random.h"

#define SIZE	1600U
#define TURN	100U		/* SIZE / UET_TFC_TURNS */
#define FIRST	40U
#define BATCH	8

/* Tick until nothing more is granted; the cells that were */
static u64 ticks(struct uet_tfc_pool *p, u64 now)
{
	struct uet_tfc_grant g[BATCH];
	u64 next, sum = 0;
	u32 n, i;

	do {
		n = uet_tfc_tick(p, now, g, BATCH, &next);
		for (i = 0; i < n; i++)
			sum += g[i].cells;
	} while (n);
	return sum;
}

static void start(struct uet_tfc_pool *p, struct uet_tfc_src *s, u32 n)
{
	uet_tfc_pool_init(p, SIZE);
	while (n--)
		uet_tfc_src_init(&s[n], 0, 0, 0);
}

/* A source alone has two thirds, another one then finds room. */
static void cells_are_shared(struct kunit *test)
{
	struct uet_tfc_pool p;
	struct uet_tfc_src s[3];
	u64 got;

	start(&p, s, 3);
	KUNIT_EXPECT_TRUE(test, uet_tfc_heard(&p, &s[0], 0, 10000, true, false));
	got = ticks(&p, 0);
	KUNIT_EXPECT_LE(test, got, SIZE * 2 / 3);
	KUNIT_EXPECT_GT(test, got, SIZE * 2 / 3 - TURN);
	KUNIT_EXPECT_EQ(test, s[0].granted, got);
	KUNIT_EXPECT_EQ(test, s[0].reserved, got);
	uet_tfc_heard(&p, &s[1], 0, 10000, true, false);
	ticks(&p, 0);
	KUNIT_EXPECT_GE(test, s[1].reserved, 2U * TURN);
	/* what the first one's packets free comes to all in turns */
	uet_tfc_heard(&p, &s[2], 0, 10000, true, false);
	uet_tfc_arrived(&p, &s[0], (u32)s[0].reserved);
	ticks(&p, 0);
	KUNIT_EXPECT_GE(test, s[2].reserved, 3U * TURN);
	KUNIT_EXPECT_LE(test, s[0].reserved, s[1].reserved + TURN);
	KUNIT_EXPECT_LE(test, s[2].reserved, s[1].reserved + TURN);
	KUNIT_EXPECT_LE(test, p.reserved, SIZE);
	KUNIT_EXPECT_EQ(test, p.nr_turns, 3U);
}

/* One whose reader has stopped keeps its share, and no more. */
static void cells_beside_a_slow_reader(struct kunit *test)
{
	struct uet_tfc_pool p;
	struct uet_tfc_src s[2];
	u32 i, cells;
	u64 sum = 0;

	start(&p, s, 2);
	for (i = 0; i < 100; i++) {
		uet_tfc_heard(&p, &s[0], 0, s[0].granted + 1000, true, false);
		ticks(&p, 0);
		cells = (u32)s[0].reserved;
		uet_tfc_hold(&p, &s[0], cells, true);
		uet_tfc_arrived(&p, &s[0], cells);
	}
	KUNIT_EXPECT_LE(test, s[0].held, SIZE * 2 / 3);
	for (i = 0; i < 100; i++) {
		uet_tfc_heard(&p, &s[1], 0, s[1].granted + 1000, true, false);
		ticks(&p, 0);
		cells = (u32)s[1].reserved;
		KUNIT_EXPECT_GE(test, cells, TURN);
		uet_tfc_hold(&p, &s[1], cells, true);
		uet_tfc_arrived(&p, &s[1], cells);
		uet_tfc_free(&p, &s[1], cells, true);
		sum += cells;
	}
	KUNIT_EXPECT_EQ(test, p.held, s[0].held);
	KUNIT_EXPECT_EQ(test, p.lent, 0ULL);
}

/* An answer to a request tells of a grant at once if nobody else waits. */
static void cells_at_once(struct kunit *test)
{
	struct uet_tfc_pool p;
	struct uet_tfc_src s[2];

	start(&p, s, 2);
	KUNIT_EXPECT_EQ(test, uet_tfc_grant(&p, &s[0]), 0U);
	uet_tfc_heard(&p, &s[0], 0, 150, true, true);
	KUNIT_EXPECT_EQ(test, uet_tfc_grant(&p, &s[0]), TURN);
	KUNIT_EXPECT_EQ(test, uet_tfc_grant(&p, &s[1]), 0U);
	KUNIT_EXPECT_EQ(test, uet_tfc_grant(&p, &s[0]), 50U);
	KUNIT_EXPECT_EQ(test, uet_tfc_grant(&p, &s[0]), 0U);
	KUNIT_EXPECT_EQ(test, p.nr_turns, 0U);
	KUNIT_EXPECT_EQ(test, p.reserved, 150ULL);
	uet_tfc_heard(&p, &s[0], 0, 200, true, true);
	uet_tfc_heard(&p, &s[1], 0, 200, true, true);
	KUNIT_EXPECT_EQ(test, uet_tfc_grant(&p, &s[1]), 0U);
	KUNIT_EXPECT_EQ(test, ticks(&p, 0), 250ULL);
}

/* Grants do not become tiny, and small demands are met. */
static void cells_in_turns(struct kunit *test)
{
	struct uet_tfc_pool p;
	struct uet_tfc_src s[2];

	start(&p, s, 2);
	uet_tfc_heard(&p, &s[0], 0, 5, true, false);
	KUNIT_EXPECT_EQ(test, ticks(&p, 0), 5ULL);
	KUNIT_EXPECT_EQ(test, p.nr_turns, 0U);
	uet_tfc_heard(&p, &s[0], 0, 10000, true, false);
	ticks(&p, 0);
	uet_tfc_hold(&p, &s[0], (u32)s[0].reserved, true);
	uet_tfc_arrived(&p, &s[0], (u32)s[0].reserved);
	uet_tfc_pool_set(&p, p.held + TURN / 2);
	KUNIT_EXPECT_EQ(test, ticks(&p, 0), 0ULL);
	uet_tfc_heard(&p, &s[1], 0, 10, true, false);
	KUNIT_EXPECT_EQ(test, ticks(&p, 0), 10ULL);
	/* a smaller buffer gives nothing until there is room in it */
	uet_tfc_pool_set(&p, 100);
	uet_tfc_heard(&p, &s[1], 0, 20, true, false);
	KUNIT_EXPECT_EQ(test, ticks(&p, 0), 0ULL);
	uet_tfc_free(&p, &s[0], (u32)s[0].held - 40, true);
	ticks(&p, 0);
	KUNIT_EXPECT_EQ(test, s[1].granted, 20U);
	/* an older target takes nothing back */
	uet_tfc_heard(&p, &s[1], 0, 3, true, false);
	KUNIT_EXPECT_EQ(test, s[1].target, 20U);
}

/* An address that may be forged takes no part of the buffer. */
static void cells_for_strangers(struct kunit *test)
{
	struct uet_tfc_pool p;
	struct uet_tfc_src s;

	uet_tfc_pool_init(&p, SIZE);
	uet_tfc_src_init(&s, 500, FIRST, 0);
	KUNIT_EXPECT_FALSE(test, uet_tfc_heard(&p, &s, 0, 500, false, true));
	KUNIT_EXPECT_EQ(test, ticks(&p, 0), 0ULL);
	KUNIT_EXPECT_EQ(test, p.reserved, 0ULL);
	uet_tfc_hold(&p, &s, 30, false);
	uet_tfc_arrived(&p, &s, 30);
	KUNIT_EXPECT_EQ(test, p.held, 30ULL);
	/* the rest of its first cells counts when it is known */
	KUNIT_EXPECT_TRUE(test, uet_tfc_heard(&p, &s, 0, 500, true, false));
	KUNIT_EXPECT_EQ(test, p.reserved, (u64)FIRST - 30);
	KUNIT_EXPECT_EQ(test, ticks(&p, 0), 500ULL);
	/* once is enough: other packets of it may be forged */
	KUNIT_EXPECT_EQ(test, p.reserved, 500ULL + FIRST - 30);
	uet_tfc_heard(&p, &s, 0, 510, false, false);
	KUNIT_EXPECT_EQ(test, ticks(&p, 0), 10ULL);
	uet_tfc_remove(&p, &s);
	KUNIT_EXPECT_EQ(test, p.reserved, 0ULL);
	uet_tfc_free(&p, &s, 30, false);
	KUNIT_EXPECT_EQ(test, p.held, 0ULL);
	/* one that goes before */
	uet_tfc_src_init(&s, 500, FIRST, 0);
	uet_tfc_heard(&p, &s, 0, 500, false, false);
	uet_tfc_remove(&p, &s);
	KUNIT_EXPECT_EQ(test, p.reserved, 0ULL);
}

/* Fill the buffer with packets of messages that are not complete. */
static void fill(struct uet_tfc_pool *p, struct uet_tfc_src *s)
{
	u32 cells;

	do {
		uet_tfc_heard(p, s, 0, s->granted + 1000, true, false);
		ticks(p, 0);
		cells = (u32)s->reserved;
		uet_tfc_hold(p, s, cells, false);
		while (s->reserved)
			uet_tfc_arrived(p, s, 19);
	} while (cells);
}

/* One source at a time gets more than there is, until something can be read. */
static void cells_beyond_the_buffer(struct kunit *test)
{
	struct uet_tfc_pool p;
	struct uet_tfc_src s[2];
	u64 got;

	start(&p, s, 2);
	fill(&p, &s[0]);
	fill(&p, &s[1]);
	KUNIT_EXPECT_EQ(test, p.lent, 0ULL);
	/* nothing is in flight */
	uet_tfc_heard(&p, &s[0], 0, s[0].granted + 1000, true, true);
	uet_tfc_heard(&p, &s[1], 0, s[1].granted + 1000, true, true);
	got = ticks(&p, 0);
	KUNIT_EXPECT_EQ(test, got, (u64)TURN);
	KUNIT_EXPECT_EQ(test, p.lent, got);
	KUNIT_ASSERT_NOT_NULL(test, p.beyond);
	/* its last grant was lost, which an answer repeats; it is of no use */
	uet_tfc_heard(&p, p.beyond, 0, p.beyond->granted + 1000, true, true);
	KUNIT_EXPECT_EQ(test, ticks(&p, 0), 0ULL);
	uet_tfc_heard(&p, p.beyond, 0, p.beyond->granted + 1000, true, true);
	KUNIT_EXPECT_EQ(test, ticks(&p, 0), 0ULL);
	uet_tfc_heard(&p, p.beyond, 0, p.beyond->granted + 1000, true, true);
	KUNIT_EXPECT_EQ(test, ticks(&p, 0), (u64)TURN);
	/* then it need not ask: a turn follows when the one before has come, nearly */
	uet_tfc_arrived(&p, p.beyond, TURN);
	KUNIT_EXPECT_TRUE(test, uet_tfc_heard(&p, p.beyond, 0,
					      p.beyond->granted + 1000, true,
					      false));
	KUNIT_EXPECT_EQ(test, ticks(&p, 0), 0ULL);
	uet_tfc_arrived(&p, p.beyond, 1);
	KUNIT_EXPECT_EQ(test, ticks(&p, 0), (u64)TURN);
	KUNIT_EXPECT_EQ(test, ticks(&p, 0), 0ULL);
	/* ... up to twice the buffer */
	got = p.size;
	uet_tfc_pool_set(&p, (p.held + p.reserved) / 2);
	uet_tfc_arrived(&p, p.beyond, (u32)p.beyond->reserved);
	uet_tfc_hold(&p, p.beyond, 200, false);
	uet_tfc_heard(&p, p.beyond, 0, p.beyond->granted + 1000, true, false);
	KUNIT_EXPECT_EQ(test, ticks(&p, 0), 0ULL);
	uet_tfc_pool_set(&p, got);
	/* its message is complete: now the other one */
	uet_tfc_ready(&p, p.beyond, 10);
	KUNIT_EXPECT_PTR_EQ(test, p.beyond, NULL);
	KUNIT_EXPECT_EQ(test, ticks(&p, 0), (u64)TURN);
	/* which goes, or drops what it holds */
	got = p.beyond == &s[1];
	uet_tfc_free(&p, &s[got], (u32)s[got].held, false);
	KUNIT_EXPECT_PTR_EQ(test, p.beyond, NULL);
}

/* What waits for a reader is no reason to exceed the buffer. */
static void cells_not_beyond_for_readers(struct kunit *test)
{
	struct uet_tfc_pool p;
	struct uet_tfc_src s;
	u32 i;

	start(&p, &s, 1);
	fill(&p, &s);
	uet_tfc_ready(&p, &s, 1);
	for (i = 0; i < 10; i++)
		uet_tfc_heard(&p, &s, 0, s.granted + 1000, true, true);
	KUNIT_EXPECT_EQ(test, ticks(&p, 0), 0ULL);
	KUNIT_EXPECT_EQ(test, p.lent, 0ULL);
}

static void cells_of_a_tiny_buffer(struct kunit *test)
{
	struct uet_tfc_pool p;
	struct uet_tfc_src s;

	start(&p, &s, 1);
	uet_tfc_pool_set(&p, 1);
	KUNIT_EXPECT_FALSE(test, uet_tfc_heard(&p, &s, 0, 19, true, false));
	KUNIT_EXPECT_EQ(test, ticks(&p, 0), 0ULL);
	KUNIT_EXPECT_TRUE(test, uet_tfc_heard(&p, &s, 0, 19, true, true));
	KUNIT_EXPECT_EQ(test, ticks(&p, 0), (u64)UET_TFC_TURN_MIN);
	/* not enough for its packet */
	for (; s.granted != 19;)  {
		uet_tfc_heard(&p, &s, 0, 19, true, true);
		ticks(&p, 0);
	}
	KUNIT_EXPECT_EQ(test, p.lent, 19ULL);
}

/* What silent sources have not used comes back. */
static void cells_come_back(struct kunit *test)
{
	struct uet_tfc_pool p;
	struct uet_tfc_src s[3];
	struct uet_tfc_grant g[BATCH];
	u64 next, now = 1000;

	start(&p, s, 3);
	uet_tfc_heard(&p, &s[0], now, 600, true, false);
	uet_tfc_heard(&p, &s[1], now, 10000, true, false);
	ticks(&p, now);
	now += UET_TFC_SILENCE_NS - 1;
	uet_tfc_heard(&p, &s[2], now, 10000, true, false);
	ticks(&p, now);
	KUNIT_EXPECT_EQ(test, p.taken_back, 0ULL);
	now++;
	KUNIT_EXPECT_GT(test, ticks(&p, now), 0ULL);
	KUNIT_EXPECT_EQ(test, s[0].reserved, 0ULL);
	KUNIT_EXPECT_EQ(test, s[1].reserved, 0ULL);
	KUNIT_EXPECT_GT(test, p.taken_back, 900ULL);
	KUNIT_EXPECT_GT(test, s[2].reserved, 900ULL);
	KUNIT_EXPECT_EQ(test, p.reserved, s[2].reserved);
	/* and they want nothing until they are heard */
	KUNIT_EXPECT_EQ(test, p.nr_turns, 1U);
	/* as long as one waits the timer goes on, to find them */
	KUNIT_EXPECT_EQ(test, uet_tfc_tick(&p, now, g, BATCH, &next), 0U);
	KUNIT_EXPECT_EQ(test, next, now + UET_TFC_KEEP_NS);
	uet_tfc_remove(&p, &s[2]);
	uet_tfc_tick(&p, now, g, BATCH, &next);
	KUNIT_EXPECT_EQ(test, next, 0ULL);
	/* one that was to exceed the buffer */
	fill(&p, &s[0]);
	uet_tfc_heard(&p, &s[0], now, s[0].granted + 1000, true, true);
	ticks(&p, now);
	KUNIT_EXPECT_PTR_EQ(test, p.beyond, &s[0]);
	ticks(&p, now + UET_TFC_SILENCE_NS);
	KUNIT_EXPECT_PTR_EQ(test, p.beyond, NULL);
}

/* Where a count begins */
static void cells_counts(struct kunit *test)
{
	struct uet_tfc_pool p;
	struct uet_tfc_src s;

	uet_tfc_pool_init(&p, SIZE);
	uet_tfc_src_init(&s, 300, FIRST, 0);
	KUNIT_EXPECT_EQ(test, s.granted, 0U);
	/* this end has forgotten it */
	uet_tfc_src_init(&s, 0xf00000, FIRST, 0);
	KUNIT_EXPECT_EQ(test, s.granted, 0xf00000U - UET_TFC_TURN_MIN);
	/* it began anew under the same id, or wraps */
	uet_tfc_src_init(&s, 0, FIRST, 0);
	s.granted = 0xfffff0;
	s.target = 0xfffff0;
	uet_tfc_heard(&p, &s, 0, 4, true, false);
	KUNIT_EXPECT_EQ(test, ticks(&p, 0), 20ULL);
	KUNIT_EXPECT_EQ(test, s.granted, 4U);
	uet_tfc_heard(&p, &s, 0, 0x7000000 | 0x700000, true, false);
	KUNIT_EXPECT_EQ(test, ticks(&p, 0), (u64)UET_TFC_TURN_MIN);
	KUNIT_EXPECT_EQ(test, s.granted, 0x700000U);
	KUNIT_EXPECT_EQ(test, p.reserved, (u64)UET_TFC_TURN_MIN);
	uet_tfc_heard(&p, &s, 0, 2, true, false);
	KUNIT_EXPECT_EQ(test, ticks(&p, 0), (u64)UET_TFC_TURN_MIN);
	KUNIT_EXPECT_EQ(test, s.granted, 2U);
}

/* A source that restarted, with an id that another one had */
static void cells_again(struct kunit *test)
{
	struct uet_tfc_pool p;
	struct uet_tfc_src s;

	uet_tfc_pool_init(&p, SIZE);
	uet_tfc_src_init(&s, 0, FIRST, 0);
	s.granted = 5000;
	s.target = 5000;
	uet_tfc_heard(&p, &s, 0, 5300, true, false);
	KUNIT_EXPECT_EQ(test, ticks(&p, 0), 300ULL);
	uet_tfc_hold(&p, &s, 60, true);
	uet_tfc_arrived(&p, &s, 60);
	/* another PDC, which has not heard of the grants, and was overtaken */
	uet_tfc_src_again(&p, &s, 5300 - 280 - UET_TFC_LAG, FIRST);
	KUNIT_EXPECT_EQ(test, s.granted, 5300U);
	uet_tfc_src_again(&p, &s, 6000, FIRST);
	KUNIT_EXPECT_EQ(test, s.granted, 5300U);
	/* that of another source: what the first one left is still held */
	uet_tfc_src_again(&p, &s, 5300 - 280 - UET_TFC_LAG - 1, FIRST);
	KUNIT_EXPECT_EQ(test, s.granted, 0U);
	KUNIT_EXPECT_EQ(test, s.held, 60ULL);
	KUNIT_EXPECT_EQ(test, p.reserved, 0ULL);
	uet_tfc_heard(&p, &s, 0, 100, true, false);
	KUNIT_EXPECT_EQ(test, ticks(&p, 0), 100ULL);
	KUNIT_EXPECT_EQ(test, p.reserved, 100ULL + FIRST);
	uet_tfc_remove(&p, &s);
	uet_tfc_free(&p, &s, 60, true);
	KUNIT_EXPECT_EQ(test, p.reserved + p.held, 0ULL);
}

/* More sources than one tick serves */
static void cells_of_many(struct kunit *test)
{
	struct uet_tfc_src *s = kunit_kzalloc(test, 100 * sizeof(*s), GFP_KERNEL);
	struct uet_tfc_grant g[BATCH];
	struct uet_tfc_pool p;
	u64 next;
	u32 i, n, got = 0;

	KUNIT_ASSERT_NOT_NULL(test, s);
	start(&p, s, 100);
	uet_tfc_pool_set(&p, 16000);
	for (i = 0; i < 100; i++)
		uet_tfc_heard(&p, &s[i], 0, 50, true, false);
	n = uet_tfc_tick(&p, 0, g, BATCH, &next);
	KUNIT_EXPECT_EQ(test, n, (u32)BATCH);
	KUNIT_EXPECT_NE(test, next, 0ULL);
	ticks(&p, 0);
	for (i = 0; i < 100; i++)
		got += s[i].granted == 50;
	KUNIT_EXPECT_EQ(test, got, 100U);
	/* all wait, and none can get anything: the time of a tick is bounded */
	uet_tfc_pool_set(&p, 10);
	for (i = 0; i < 100; i++)
		uet_tfc_heard(&p, &s[i], 0, 100, true, false);
	KUNIT_EXPECT_EQ(test, uet_tfc_tick(&p, 5, g, BATCH, &next), 0U);
	KUNIT_EXPECT_GT(test, next, 5ULL);
	KUNIT_EXPECT_LT(test, next, UET_TFC_KEEP_NS);
}

#define MANY	12

struct many {
	struct uet_tfc_pool p;
	struct uet_tfc_src s[MANY];
	u64 msg[MANY];		/* held, of a message that is not complete */
	u64 unread[MANY];
	bool there[MANY];
};

static void many_event(struct many *m, struct test_rnd *rnd, u64 now)
{
	u32 i = rnd_below(rnd, MANY), cells = 1 + rnd_below(rnd, 30);
	struct uet_tfc_src *s = &m->s[i];

	switch (rnd_below(rnd, 8)) {
	case 0:
		if (!m->there[i] && !s->held) {
			uet_tfc_src_init(s, rnd_below(rnd, 5000), FIRST, now);
			m->there[i] = true;
		} else if (m->there[i] && rnd_one_in(rnd, 20)) {
			uet_tfc_remove(&m->p, s);
			m->there[i] = false;
		}
		break;
	case 1:
	case 2:
		if (m->there[i])
			uet_tfc_heard(&m->p, s, now, s->granted +
				      rnd_below(rnd, 500), !rnd_one_in(rnd, 9),
				      rnd_one_in(rnd, 5));
		break;
	case 3:
	case 4:
		/* no source sends what it has no cells for */
		cells = min_t(u32, cells, s->reserved);
		if (!m->there[i] || !cells)
			break;
		uet_tfc_hold(&m->p, s, cells, false);
		uet_tfc_arrived(&m->p, s, cells);
		m->msg[i] += cells;
		break;
	case 5:
		uet_tfc_ready(&m->p, s, (u32)m->msg[i]);
		m->unread[i] += m->msg[i];
		m->msg[i] = 0;
		break;
	case 6:
		cells = min_t(u32, cells, m->unread[i]);
		uet_tfc_free(&m->p, s, cells, true);
		m->unread[i] -= cells;
		break;
	default:
		/* a message is dropped */
		if (!rnd_one_in(rnd, 10))
			break;
		uet_tfc_free(&m->p, s, (u32)m->msg[i], false);
		m->msg[i] = 0;
	}
}

static bool many_right(const struct many *m)
{
	u64 reserved = 0, held = 0;
	u32 i, turns = 0, proved = 0;

	for (i = 0; i < MANY; i++) {
		const struct uet_tfc_src *s = &m->s[i];

		if (s->held != m->msg[i] + m->unread[i] ||
		    s->ready != m->unread[i])
			return false;
		held += s->held;
		if (!m->there[i])
			continue;
		turns += !list_empty(&s->turn);
		proved += s->proved;
		if (s->proved)
			reserved += s->reserved;
	}
	if (m->p.reserved != reserved || m->p.held != held ||
	    m->p.nr_turns != turns)
		return false;
	/* What came without a grant, and what the stuck got, is all beyond it. */
	return reserved + held <= SIZE + m->p.lent + MANY * FIRST;
}

/* Anything in any order, with sources that come and go */
static void cells_random(struct kunit *test)
{
	struct many *m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);
	struct test_rnd rnd = { .state = 3 };
	struct uet_tfc_grant g[BATCH];
	u64 next, now = 0, lent;
	u32 i, n, k;

	KUNIT_ASSERT_NOT_NULL(test, m);
	start(&m->p, m->s, MANY);
	for (i = 0; i < UET_TEST_ROUNDS; i++) {
		now += rnd_one_in(&rnd, 1000) ? UET_TFC_SILENCE_NS : 1000;
		many_event(m, &rnd, now);
		if (rnd_one_in(&rnd, 4)) {
			lent = m->p.lent;
			n = uet_tfc_tick(&m->p, now, g, 1 + rnd_below(&rnd, BATCH),
					 &next);
			for (k = 0; k < n; k++)
				if (!g[k].cells || !g[k].src->proved)
					KUNIT_FAIL(test, "grant of %u cells",
						   g[k].cells);
			if (m->p.lent != lent && !m->p.beyond)
				KUNIT_FAIL(test, "lent to nobody");
		}
		if (!many_right(m)) {
			KUNIT_FAIL(test, "round %u: reserved %llu held %llu", i,
				   m->p.reserved, m->p.held);
			return;
		}
	}
	/* All of it comes back. */
	for (i = 0; i < MANY; i++) {
		if (m->there[i])
			uet_tfc_remove(&m->p, &m->s[i]);
		uet_tfc_free(&m->p, &m->s[i], (u32)m->msg[i], false);
		uet_tfc_free(&m->p, &m->s[i], (u32)m->unread[i], true);
	}
	KUNIT_EXPECT_EQ(test, m->p.reserved + m->p.held, 0ULL);
	KUNIT_EXPECT_TRUE(test, list_empty(&m->p.turns));
	KUNIT_EXPECT_TRUE(test, list_empty(&m->p.quiet));
	KUNIT_EXPECT_PTR_EQ(test, m->p.beyond, NULL);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(cells_are_shared),
	KUNIT_CASE(cells_beside_a_slow_reader),
	KUNIT_CASE(cells_at_once),
	KUNIT_CASE(cells_in_turns),
	KUNIT_CASE(cells_for_strangers),
	KUNIT_CASE(cells_beyond_the_buffer),
	KUNIT_CASE(cells_not_beyond_for_readers),
	KUNIT_CASE(cells_of_a_tiny_buffer),
	KUNIT_CASE(cells_come_back),
	KUNIT_CASE(cells_counts),
	KUNIT_CASE(cells_again),
	KUNIT_CASE(cells_of_many),
	KUNIT_CASE(cells_random),
	{}
};

static struct kunit_suite suite = {
	.name = "uet_tfc_cells",
	.test_cases = cases,
};

kunit_test_suites(&suite);

MODULE_LICENSE("GPL");
