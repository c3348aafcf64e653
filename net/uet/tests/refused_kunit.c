// SPDX-License-Identifier: GPL-2.0
/* When a socket with several destinations is writable */
#include <kunit/test.h>

#include "../core/snd/refused.h"
#include "random.h"

#define DESTS	5
#define WANTED	8
#define MS	1000000ULL

struct refused_test {
	struct uet_refusals	rs;
	struct uet_refusal	r[DESTS];
	struct uet_refusal	others;
	u32			room[DESTS];
	u64			now;
	u64			again;
};

static struct refused_test *refused_begin(struct kunit *test)
{
	struct refused_test *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, t);
	uet_refusals_init(&t->rs);
	for (i = 0; i < DESTS; i++)
		uet_refusal_init(&t->r[i]);
	uet_refusal_init(&t->others);
	t->now = MS;
	return t;
}

/* Who was forgotten has the room of the first one. */
static bool ready(struct uet_refusal *r, void *arg)
{
	struct refused_test *t = arg;

	return r->need <= t->room[r == &t->others ? 0 : r - t->r];
}

static bool look(struct refused_test *t)
{
	return uet_refusals_look(&t->rs, t->now, ready, t, &t->again);
}

static bool try(struct refused_test *t, u32 d, u32 need)
{
	if (need > t->room[d]) {
		uet_refusal_note(&t->rs, &t->r[d], need);
		return false;
	}
	t->room[d] -= need;
	uet_refusal_taken(&t->rs, &t->r[d], need, t->now);
	return true;
}

/* One that has stopped does not hide one that has not, whoever was refused last. */
static void refused_any(struct kunit *test)
{
	struct refused_test *t = refused_begin(test);
	u32 last;

	for (last = 0; last < 2; last++) {
		t->room[0] = 0;
		try(t, !last, 100);
		try(t, last, 100);
		KUNIT_EXPECT_FALSE(test, look(t));
		KUNIT_EXPECT_EQ(test, t->again, 0);
		t->room[0] = 150;
		KUNIT_EXPECT_TRUE(test, look(t));
		KUNIT_EXPECT_TRUE(test, look(t));
		KUNIT_EXPECT_TRUE(test, try(t, 0, 100));
		/* The other one is waited for. */
		try(t, 1, 100);
		KUNIT_EXPECT_FALSE(test, look(t));
	}
}

/* The shortest of those that nobody was told of decides, then those that were tried. */
static void refused_lengths(struct kunit *test)
{
	struct refused_test *t = refused_begin(test);

	try(t, 0, 1000);
	try(t, 0, 10);
	try(t, 0, 500);
	t->room[0] = 20;
	KUNIT_EXPECT_TRUE(test, look(t));
	try(t, 0, 1000);
	KUNIT_EXPECT_TRUE(test, try(t, 0, 10));
	try(t, 0, 500);
	t->room[0] = 499;
	KUNIT_EXPECT_FALSE(test, look(t));
	t->room[0] = 500;
	KUNIT_EXPECT_TRUE(test, look(t));
}

/* What a program has given up is told ever less often, and then no more. */
static void refused_given_up(struct kunit *test)
{
	struct refused_test *t = refused_begin(test);
	u32 rounds = 0, tells = 0;

	try(t, 0, 100);
	try(t, 1, 100);
	t->room[0] = 100;
	while (look(t)) {
		try(t, 1, 100);
		KUNIT_ASSERT_LT(test, rounds++, 2 + UET_REFUSED_TRIES + 1);
	}
	while (t->again) {
		KUNIT_ASSERT_GT(test, t->again, t->now);
		t->now = t->again;
		if (!look(t))
			break;
		KUNIT_EXPECT_TRUE(test, look(t));
		try(t, 1, 100);
		KUNIT_EXPECT_FALSE(test, look(t));
		tells++;
	}
	KUNIT_EXPECT_EQ(test, tells, UET_REFUSED_TELLS);
	KUNIT_EXPECT_GT(test, t->now, 10000 * MS);
	KUNIT_EXPECT_FALSE(test, uet_refusal_noted(&t->r[0]));
	KUNIT_EXPECT_EQ(test, t->rs.nr, 1);
}

static void refused_list(struct kunit *test)
{
	struct refused_test *t = refused_begin(test);
	struct uet_refusal *got[DESTS + 1];
	u32 i, n;

	for (i = 0; i < DESTS; i++) {
		try(t, i, 100);
		t->room[i] = i % 2 ? 0 : 100;
	}
	n = uet_refusals_take(&t->rs, ready, t, got, 2);
	KUNIT_ASSERT_EQ(test, n, 2);
	KUNIT_EXPECT_PTR_EQ(test, got[0], &t->r[0]);
	KUNIT_EXPECT_PTR_EQ(test, got[1], &t->r[2]);
	KUNIT_EXPECT_TRUE(test, look(t));
	KUNIT_EXPECT_EQ(test, 1, uet_refusals_take(&t->rs, ready, t, got,
						   DESTS));
	KUNIT_EXPECT_PTR_EQ(test, got[0], &t->r[4]);
	KUNIT_EXPECT_FALSE(test, look(t));
	KUNIT_EXPECT_EQ(test, t->rs.nr, 2);
	t->room[3] = 100;
	KUNIT_EXPECT_TRUE(test, look(t));
}

static void refused_fold(struct kunit *test)
{
	struct refused_test *t = refused_begin(test);
	struct uet_refusal *got[DESTS + 1];

	try(t, 1, 300);
	try(t, 2, 200);
	try(t, 3, 100);
	uet_refusal_fold(&t->rs, &t->r[1], &t->others);
	uet_refusal_fold(&t->rs, &t->r[2], &t->others);
	uet_refusal_fold(&t->rs, &t->r[4], &t->others);
	KUNIT_EXPECT_EQ(test, t->rs.nr, 2);
	t->room[0] = 199;
	KUNIT_EXPECT_FALSE(test, look(t));
	t->room[0] = 200;
	KUNIT_EXPECT_TRUE(test, look(t));
	KUNIT_EXPECT_EQ(test, 1, uet_refusals_take(&t->rs, ready, t, got,
						   DESTS));
	KUNIT_EXPECT_PTR_EQ(test, got[0], &t->others);
	uet_refusal_drop(&t->rs, &t->r[3]);
	KUNIT_EXPECT_EQ(test, t->rs.nr, 0);
	KUNIT_EXPECT_TRUE(test, list_empty(&t->rs.list));
}

/* --- programs of several kinds, readers that read, stop and go on ----------------- */

enum kind {
	TRY_ALL,	/* sends again to all that were refused */
	TRY_ONE,	/* one for each time that it is told, in turn */
	ASK,		/* those that the list has */
	KINDS,
};

struct wanted {
	bool	on;
	bool	refused;
	u32	dest;
	u32	need;
};

struct program {
	enum kind	kind;
	bool		gives_up;
	struct wanted	w[WANTED];
	u32		turn;
};

/* One that has not been tried, or not since its destination was ready */
static bool send_wanted(struct refused_test *t, struct wanted *w)
{
	w->refused = !try(t, w->dest, w->need);
	w->on = w->refused;
	return !w->refused;
}

static bool told_one(struct refused_test *t, struct program *p)
{
	u32 i;

	for (i = 0; i < WANTED; i++) {
		p->turn = (p->turn + 1) % WANTED;
		if (p->w[p->turn].on)
			return send_wanted(t, &p->w[p->turn]);
	}
	return false;
}

/* Those of a destination one after the other, until one is refused */
static bool told_list(struct refused_test *t, struct program *p)
{
	struct uet_refusal *got[DESTS + 1];
	u32 n = uet_refusals_take(&t->rs, ready, t, got, DESTS + 1);
	bool any = false;
	u32 i, d;

	while (n--) {
		d = got[n] - t->r;
		for (i = 0; i < WANTED; i++) {
			if (!p->w[i].on || p->w[i].dest != d)
				continue;
			if (!send_wanted(t, &p->w[i]))
				break;
			any = true;
		}
	}
	return any;
}

/* The program was told that it may send. Returns true if it did. */
static bool told(struct refused_test *t, struct program *p, struct test_rnd *rnd)
{
	u32 i, k, from = rnd_below(rnd, WANTED);
	bool any = false;

	if (p->kind == TRY_ONE)
		return told_one(t, p);
	if (p->kind == ASK)
		return told_list(t, p);
	for (i = 0; i < WANTED; i++) {
		k = (from + i) % WANTED;
		if (p->w[k].on && send_wanted(t, &p->w[k]))
			any = true;
		/* epoll may look at any time. */
		if (rnd_one_in(rnd, 4))
			look(t);
	}
	return any;
}

static void want(struct refused_test *t, struct program *p, struct test_rnd *rnd)
{
	u32 i = rnd_below(rnd, WANTED), k;
	struct wanted *w = &p->w[i];

	if (w->on) {
		if (p->gives_up)
			w->on = false;
		return;
	}
	*w = (struct wanted){
		.on = true, .dest = rnd_below(rnd, DESTS),
		.need = 1 + rnd_below(rnd, 3),
	};
	/* Who does not try all keeps those of a destination in line. */
	for (k = 0; k < WANTED && p->kind != TRY_ALL; k++)
		if (k != i && p->w[k].on && p->w[k].dest == w->dest) {
			w->on = false;
			return;
		}
	send_wanted(t, w);
}

/* Is there anything that would be taken, if the program only tried? */
static bool overlooked(const struct refused_test *t, const struct program *p)
{
	u32 i;

	for (i = 0; i < WANTED; i++)
		if (p->w[i].on && p->w[i].need <= t->room[p->w[i].dest])
			return true;
	return false;
}

static bool waits(const struct program *p)
{
	u32 i;

	for (i = 0; i < WANTED; i++)
		if (p->w[i].on)
			return true;
	return false;
}

/* A program that waits is told of all that it may send, at once or after a while, and
 * is not told for ever of what it does not want.
 */
static void refused_random(struct kunit *test)
{
	struct refused_test *t = refused_begin(test);
	struct test_rnd rnd = { .state = 11 };
	struct program p = {};
	u32 step, spins, pauses;

	for (step = 0; step < UET_TEST_ROUNDS; step++) {
		if (!(step % 1000)) {
			memset(&p, 0, sizeof(p));
			p.kind = step / 1000 % KINDS;
			p.gives_up = step / 3000 % 2;
		}
		want(t, &p, &rnd);
		t->room[rnd_below(&rnd, DESTS - 1)] = rnd_below(&rnd, 4);
		t->now += rnd_below(&rnd, 2) * rnd_below(&rnd, 5) * MS;
		spins = 0;
		pauses = 0;
		while (waits(&p)) {
			if (look(t)) {
				if (told(t, &p, &rnd))
					spins = 0;
				KUNIT_ASSERT_LT(test, spins++,
						2 * DESTS * (DESTS + UET_REFUSED_TRIES));
				continue;
			}
			if (!overlooked(t, &p))
				break;
			/* Nothing happens: only time passes. */
			KUNIT_ASSERT_NE(test, t->again, 0);
			KUNIT_ASSERT_LT(test, pauses++, 100);
			t->now = max(t->now, t->again);
		}
		KUNIT_ASSERT_FALSE(test, overlooked(t, &p));
	}
}

static struct kunit_case refused_cases[] = {
	KUNIT_CASE(refused_any),
	KUNIT_CASE(refused_lengths),
	KUNIT_CASE(refused_given_up),
	KUNIT_CASE(refused_list),
	KUNIT_CASE(refused_fold),
	KUNIT_CASE(refused_random),
	{}
};

static struct kunit_suite refused_suite = {
	.name = "uet_refused",
	.test_cases = refused_cases,
};

kunit_test_suite(refused_suite);
