// SPDX-License-Identifier: GPL-2.0
/* Which posted receive a message goes to, against a plain list */
#include <kunit/test.h>

#include "../core/rcv/match.h"
#include "random.h"

#define RECEIVES	256
#define MANY		1024
#define SOURCES		4

struct receive {
	struct uet_match_entry	e;
	u64			tag;
	u64			ignore;
	u64			seq;
	bool			tagged;
	bool			any;
	bool			used;
	u8			from;
};

struct world {
	struct uet_match	m;
	struct receive		r[MANY];
	u64			seq;
};

static const struct uet_match_source sources[SOURCES] = {
	{ { 1, 2 }, 3 }, { { 1, 2 }, 4 }, { { 1, 3 }, 3 }, { { 2, 2 }, 3 },
};

static u64 mix(const struct uet_match *m, const struct uet_match_key *key)
{
	u64 h = key->tag ^ key->mask ^ (u64)key->any << 32;

	h = h * 0x9e3779b97f4a7c15ULL ^ key->from.addr[0];
	h = h * 0x9e3779b97f4a7c15ULL ^ key->from.addr[1];
	h = h * 0x9e3779b97f4a7c15ULL ^ key->from.id;
	return (h * 0x9e3779b97f4a7c15ULL) >> 32;
}

/* All in one chain */
static u64 same(const struct uet_match *m, const struct uet_match_key *key)
{
	return 7;
}

static bool wants(const struct receive *r, bool tagged, u64 tag, u32 from)
{
	return r->used && r->tagged == tagged &&
	       (!tagged || !((r->tag ^ tag) & ~r->ignore)) && (r->any || r->from == from);
}

/* Would this mask be one too many? */
static bool too_many(const struct world *w, u64 ignore)
{
	u64 seen[UET_MATCH_MASKS];
	u32 n = 0, i, k;

	for (i = 0; i < RECEIVES; i++) {
		const struct receive *r = &w->r[i];

		if (!r->used || !r->tagged)
			continue;
		if (r->ignore == ignore)
			return false;
		for (k = 0; k < n && seen[k] != r->ignore; k++)
			;
		if (k == n)
			seen[n++] = r->ignore;
	}
	return n == UET_MATCH_MASKS;
}

static void check_find(struct kunit *test, struct world *w, bool tagged, u64 tag, u32 from)
{
	const struct receive *want = NULL;
	struct uet_match_entry *e;
	u32 i;

	for (i = 0; i < RECEIVES; i++)
		if (wants(&w->r[i], tagged, tag, from) &&
		    (!want || w->r[i].seq < want->seq))
			want = &w->r[i];
	e = uet_match_find(&w->m, tagged, tag, &sources[from]);
	KUNIT_ASSERT_TRUE(test, e == (want ? &want->e : NULL));
}

static void step(struct kunit *test, struct world *w, struct test_rnd *rnd,
		 const u64 *masks, u32 nr_masks)
{
	struct receive *r = &w->r[rnd_below(rnd, RECEIVES)];
	u64 tag = rnd64(rnd) & (rnd_one_in(rnd, 4) ? ~0ULL : 7);
	bool tagged = !rnd_one_in(rnd, 4);
	u32 from = rnd_below(rnd, SOURCES);

	if (rnd_one_in(rnd, 2)) {
		check_find(test, w, tagged, tag, from);
		return;
	}
	if (r->used) {
		uet_match_del(&w->m, &r->e);
		r->used = false;
		return;
	}
	*r = (struct receive){
		.tag = tag, .ignore = masks[rnd_below(rnd, nr_masks)],
		.tagged = tagged, .any = rnd_one_in(rnd, 2), .from = from,
	};
	if (!uet_match_hold(&w->m, &r->e, tagged, tag, r->ignore,
			    r->any ? NULL : &sources[from])) {
		KUNIT_ASSERT_TRUE(test, tagged && too_many(w, r->ignore));
		return;
	}
	KUNIT_ASSERT_FALSE(test, tagged && too_many(w, r->ignore));
	if (rnd_one_in(rnd, 16)) {
		uet_match_release(&w->m, &r->e);
		return;
	}
	uet_match_add(&w->m, &r->e);
	r->seq = w->seq++;
	r->used = true;
}

/* Receives with random masks, more of them than there may be at a time */
static void match_random(struct kunit *test)
{
	struct world *w = kunit_kzalloc(test, sizeof(*w), GFP_KERNEL);
	struct test_rnd rnd = { .state = 5 };
	u64 masks[12];
	u32 run, i;

	KUNIT_ASSERT_NOT_NULL(test, w);
	for (run = 0; run < 16; run++) {
		memset(w, 0, sizeof(*w));
		uet_match_init(&w->m, run % 2 ? same : mix);
		masks[0] = 0;
		masks[1] = ~0ULL;
		for (i = 2; i < 12; i++)
			masks[i] = rnd64(&rnd) & (rnd_one_in(&rnd, 2) ? ~0ULL : 7);
		for (i = 0; i < UET_TEST_ROUNDS / 16; i++)
			step(test, w, &rnd, masks, 1 + run % 12);
	}
}

static u32 chain(const struct uet_match *m, u32 bucket)
{
	const struct list_head *pos;
	u32 n = 0;

	for (pos = m->buckets[bucket].next; pos != &m->buckets[bucket]; pos = pos->next)
		n++;
	return n;
}

/* Receives that want the same make no chain longer. */
static void match_same(struct kunit *test)
{
	struct world *w = kunit_kzalloc(test, sizeof(*w), GFP_KERNEL);
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, w);
	uet_match_init(&w->m, same);
	for (i = 0; i < MANY; i++) {
		KUNIT_ASSERT_TRUE(test, uet_match_hold(&w->m, &w->r[i].e, true, 1, 0, NULL));
		uet_match_add(&w->m, &w->r[i].e);
	}
	KUNIT_EXPECT_EQ(test, chain(&w->m, 7), 1);
	KUNIT_EXPECT_FALSE(test, uet_match_find(&w->m, true, 2, &sources[0]));
	/* The oldest leaves, then one in the middle, and so on. */
	for (i = 0; i < MANY; i += 2) {
		KUNIT_ASSERT_TRUE(test, uet_match_find(&w->m, true, 1, &sources[0]) ==
				    &w->r[i / 2].e);
		uet_match_del(&w->m, &w->r[i / 2].e);
		uet_match_del(&w->m, &w->r[MANY - 1 - i / 2].e);
		KUNIT_ASSERT_EQ(test, chain(&w->m, 7), i + 2 < MANY);
	}
}

/* A mask that has no users makes room for another one. */
static void match_masks(struct kunit *test)
{
	struct world *w = kunit_kzalloc(test, sizeof(*w), GFP_KERNEL);
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, w);
	uet_match_init(&w->m, mix);
	for (i = 0; i < UET_MATCH_MASKS; i++)
		KUNIT_ASSERT_TRUE(test, uet_match_hold(&w->m, &w->r[i].e, true, 0, i, NULL));
	KUNIT_EXPECT_FALSE(test, uet_match_hold(&w->m, &w->r[8].e, true, 0, 100, NULL));
	KUNIT_EXPECT_TRUE(test, uet_match_hold(&w->m, &w->r[8].e, true, 0, 3, NULL));
	KUNIT_EXPECT_TRUE(test, uet_match_hold(&w->m, &w->r[9].e, false, 0, 0, NULL));
	uet_match_release(&w->m, &w->r[3].e);
	KUNIT_EXPECT_FALSE(test, uet_match_hold(&w->m, &w->r[10].e, true, 0, 100, NULL));
	uet_match_release(&w->m, &w->r[8].e);
	KUNIT_EXPECT_TRUE(test, uet_match_hold(&w->m, &w->r[10].e, true, 0, 100, NULL));
}

static struct kunit_case match_cases[] = {
	KUNIT_CASE(match_random),
	KUNIT_CASE(match_same),
	KUNIT_CASE(match_masks),
	{}
};

static struct kunit_suite match_suite = {
	.name = "uet_match",
	.test_cases = match_cases,
};

kunit_test_suite(match_suite);
