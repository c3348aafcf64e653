// SPDX-License-Identifier: GPL-2.0
/*
 * The entropy space: distribution of values, memory and time that policies need,
 * and hostile peers.
 */
#include <kunit/test.h>
#include <linux/module.h>

#include "../core/lb/lb.h"
#include "random.h"

#define BASE	50000
#define RTT	100000ULL

static const char * const spraying[] = {
	"oblivious", "bitmap", "hybrid", "rtt", "reps",
};

/* The first IN_CYCLES policies use each value once per cycle; the last draws. */
#define IN_CYCLES	4

static struct uet_lb *make(struct kunit *test, const struct uet_lb_ops *ops,
			   u32 n, u64 seed, u8 pct)
{
	struct uet_lb_config cfg = {
		.n = n, .base = BASE, .seed = seed, .threshold_pct = pct,
		.trimming = true,
	};
	struct uet_lb *lb;

	KUNIT_ASSERT_NOT_NULL(test, ops);
	lb = kunit_kzalloc(test, uet_lb_mem_size(ops, n), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, lb);
	KUNIT_ASSERT_EQ(test, uet_lb_init(lb, ops, &cfg), 0);
	return lb;
}

static u16 next(struct uet_lb *lb)
{
	struct uet_lb_ask ask = { .now = RTT, .base_rtt = RTT, .target = RTT };
	u16 run;

	return uet_lb_next(lb, &ask, &run);
}

static void tell(struct uet_lb *lb, u16 ev, u8 reason, u64 rtt)
{
	struct uet_lb_signal sig = {
		.now = RTT, .ev = ev, .reason = reason, .base_rtt = RTT,
		.target = RTT, .rtt = rtt, .rtt_valid = rtt,
	};

	uet_lb_feedback(lb, &sig, true);
}

/* At most three bytes per value, and no other memory that grows with them. */
static void space_memory(struct kunit *test)
{
	static const u32 sizes[] = { 1, 16, 100, 256, 32768 };
	const struct uet_lb_ops *ops;
	u32 i, k, n;

	KUNIT_EXPECT_LE(test, sizeof(struct uet_lb), 320UL);
	for (i = 0; (ops = uet_lb_at(i)); i++) {
		KUNIT_EXPECT_LE(test, ops->ev_bytes, 3);
		for (k = 0; k < ARRAY_SIZE(sizes); k++) {
			n = uet_lb_space(ops, sizes[k]);
			KUNIT_EXPECT_LE(test, uet_lb_mem_size(ops, n),
					sizeof(struct uet_lb) + 3UL * n + 7);
			KUNIT_EXPECT_LE(test, n, ops->aware ?
					UET_LB_AWARE_MAX : UET_LB_N_MAX);
		}
	}
}

static void space_uniform_per_cycle(struct kunit *test)
{
	u16 *seen = kunit_kzalloc(test, 256 * sizeof(*seen), GFP_KERNEL);
	struct uet_lb *lb;
	u32 k, i, cycle;

	for (k = 0; k < IN_CYCLES; k++) {
		lb = make(test, uet_lb_find(spraying[k]), 256, k, 0);
		for (cycle = 1; cycle <= 20; cycle++) {
			memset(seen, 0, 256 * sizeof(*seen));
			for (i = 0; i < 256; i++)
				seen[next(lb) - BASE]++;
			for (i = 0; i < 256; i++)
				KUNIT_EXPECT_EQ(test, seen[i], 1);
		}
	}
	/* 200 each on average; seven standard deviations are 98 */
	lb = make(test, uet_lb_find("reps"), 256, 5, 0);
	memset(seen, 0, 256 * sizeof(*seen));
	for (i = 0; i < 200 * 256; i++)
		seen[next(lb) - BASE]++;
	for (i = 0; i < 256; i++) {
		KUNIT_EXPECT_GE(test, seen[i], 102);
		KUNIT_EXPECT_LE(test, seen[i], 298);
	}
}

/*
 * 64 CCCs: a pair picks the same value in 20 of 1280 steps on average. None of the
 * 2016 pairs may do so 50 times, which is more than six standard deviations.
 * "hybrid" keeps one order: a pair that collides once in a cycle does so in all 20
 * cycles; 8 * 20 is more than five standard deviations.
 */
static void space_contexts_are_never_in_step(struct kunit *test)
{
	u32 *pair = kunit_kzalloc(test, 64 * 64 * sizeof(*pair), GFP_KERNEL);
	struct uet_lb_config cfg = { .n = 64, .base = BASE };
	size_t size = sizeof(struct uet_lb) + 3 * 64;
	u8 *mem = kunit_kzalloc(test, 64 * size, GFP_KERNEL);
	const struct uet_lb_ops *ops;
	u16 *ev = kunit_kzalloc(test, 64 * sizeof(*ev), GFP_KERNEL);
	u32 i, k, p, step, worst;
	struct uet_lb *lb;

	for (p = 0; p < ARRAY_SIZE(spraying); p++) {
		for (i = 0; i < 64; i++) {
			cfg.seed = i;
			lb = (void *)(mem + i * size);
			ops = uet_lb_find(spraying[p]);
			KUNIT_ASSERT_EQ(test, uet_lb_init(lb, ops, &cfg), 0);
		}
		memset(pair, 0, 64 * 64 * sizeof(*pair));
		for (step = 0; step < 1280; step++) {
			for (i = 0; i < 64; i++)
				ev[i] = next((void *)(mem + i * size));
			for (i = 0; i < 64; i++)
				for (k = i + 1; k < 64; k++)
					pair[i * 64 + k] += ev[i] == ev[k];
		}
		for (i = 0, worst = 0; i < 64 * 64; i++)
			worst = max(worst, pair[i]);
		if (worst > (strcmp(spraying[p], "hybrid") ? 50 : 160))
			KUNIT_FAIL(test, "%s: %u", spraying[p], worst);
	}
}

/* Values drawn since the object was made, if keys change with each cycle */
struct draws {
	u32 key;
	u32 cycles;
};

static u32 drawn(struct uet_lb *lb, struct draws *d)
{
	d->cycles += d->key != lb->perm.key;
	d->key = lb->perm.key;
	return d->cycles * lb->n + lb->perm.i;
}

/*
 * The choice for a packet examines each value at most once, and few on average:
 * while values are skipped at all, more than (100 - threshold) % of a cycle are
 * not.
 */
static void space_few_looks_per_packet(struct kunit *test)
{
	static const char * const names[] = { "oblivious", "bitmap", "rtt" };
	struct test_rnd rnd = { .state = 11 };
	struct draws d;
	struct uet_lb *lb;
	u32 i, k, before, looks, most;

	for (k = 0; k < ARRAY_SIZE(names); k++) {
		lb = make(test, uet_lb_find(names[k]), 64, k, 75);
		d = (struct draws){ .key = lb->perm.key };
		for (i = 0, most = 0; i < 20000; i++) {
			tell(lb, BASE + rnd_below(&rnd, 64),
			     (u8)rnd_below(&rnd, 4), 0);
			before = drawn(lb, &d);
			next(lb);
			looks = drawn(lb, &d) - before;
			most = max(most, looks);
		}
		/* "rtt" may examine one more, since it must not repeat a value */
		KUNIT_EXPECT_LE(test, most, 65U);
		KUNIT_EXPECT_LE(test, drawn(lb, &d), 4U * 20000 + 64);
	}
}

/* All values down: a packet still gets a value, after examining each once. */
static void space_all_down_ends(struct kunit *test)
{
	static const char * const names[] = { "bitmap", "hybrid", "rtt" };
	struct uet_lb *lb;
	u32 i, k, at;

	for (k = 0; k < ARRAY_SIZE(names); k++) {
		lb = make(test, uet_lb_find(names[k]), 64, 3, 0);
		for (i = 0; i < 64; i++)
			uet_lb_path_down(lb, BASE + i);
		KUNIT_EXPECT_EQ(test, uet_lb_bad_paths(lb), 64U);
		for (i = 0; i < 200; i++) {
			at = lb->perm.i;
			KUNIT_EXPECT_LT(test, next(lb), BASE + 64);
			KUNIT_EXPECT_EQ(test, lb->perm.i, at);
		}
	}
}

/* For every threshold: one value less is avoided, that many are not. */
static void space_threshold_is_exact(struct kunit *test)
{
	static const char * const names[] = { "bitmap", "rtt" };
	u32 k, pct, i, limit, hits;
	struct uet_lb *lb;

	for (k = 0; k < ARRAY_SIZE(names); k++) {
		for (pct = 2; pct <= 100; pct += 7) {
			limit = (pct * 64 + 99) / 100;
			lb = make(test, uet_lb_find(names[k]), 64, pct, pct);
			for (i = 0; i + 1 < limit; i++)
				tell(lb, BASE + i, UET_LB_TIMEOUT, 0);
			for (i = 0, hits = 0; i < 64 - limit; i++)
				hits += next(lb) - BASE < (int)limit - 1;
			KUNIT_EXPECT_EQ(test, hits, 0U);
			lb = make(test, uet_lb_find(names[k]), 64, pct, pct);
			for (i = 0; i < limit; i++)
				tell(lb, BASE + i, UET_LB_TIMEOUT, 0);
			for (i = 0, hits = 0; i < 64; i++)
				hits += next(lb) - BASE < (int)limit;
			KUNIT_EXPECT_GT(test, hits, 0U);
		}
	}
}

/* Echoes of values outside the space change no state. */
static void space_ignores_values_never_sent(struct kunit *test)
{
	struct test_rnd rnd = { .state = 17 };
	const struct uet_lb_ops *ops;
	struct uet_lb *lb, *copy;
	size_t size;
	u32 i, r;

	for (i = 0; (ops = uet_lb_at(i)); i++) {
		lb = make(test, ops, 100, i, 0);
		size = uet_lb_mem_size(ops, 100);
		copy = kunit_kzalloc(test, size, GFP_KERNEL);
		for (r = 0; r < 150; r++)
			tell(lb, next(lb), (u8)rnd_below(&rnd, 4), 2 * RTT);
		memcpy(copy, lb, size);
		for (r = 0; r < 2000; r++)
			tell(lb, BASE + 100 + rnd_below(&rnd, 65436),
			     (u8)rnd_below(&rnd, 4), rnd32(&rnd));
		KUNIT_EXPECT_EQ(test, memcmp(copy, lb, size), 0);
	}
}

/* With ECN marks on all packets, policies still spray. */
static void space_flood_of_marks(struct kunit *test)
{
	u16 *seen = kunit_kzalloc(test, 64 * sizeof(*seen), GFP_KERNEL);
	struct test_rnd rnd = { .state = 23 };
	struct uet_lb *lb;
	u32 k, i, m;

	for (k = 0; k < ARRAY_SIZE(spraying); k++) {
		lb = make(test, uet_lb_find(spraying[k]), 64, k, 0);
		memset(seen, 0, 64 * sizeof(*seen));
		for (i = 0; i < 100 * 64; i++) {
			for (m = 0; m < 8; m++)
				tell(lb, BASE + rnd_below(&rnd, 64), UET_LB_ECN,
				     RTT + rnd_below(&rnd, 20 * RTT));
			seen[next(lb) - BASE]++;
		}
		for (i = 0; i < 64; i++) {
			KUNIT_EXPECT_GE(test, seen[i], 50);
			KUNIT_EXPECT_LE(test, seen[i], 200);
		}
	}
}

/* Size: packets of two windows, changed by factors of two. */
static void space_follows_the_window(struct kunit *test)
{
	static const char * const names[] = { "bitmap", "hybrid", "rtt", "reps" };
	struct test_rnd rnd = { .state = 29 };
	struct uet_lb_config cfg = { .n = 256, .base = BASE, .mtu = 4160 };
	const struct uet_lb_ops *ops;
	struct uet_lb *lb;
	u64 sized, cwnd;
	u32 k, r, n;

	for (k = 0; k < ARRAY_SIZE(names); k++) {
		ops = uet_lb_find(names[k]);
		lb = kunit_kzalloc(test, uet_lb_mem_size(ops, 256), GFP_KERNEL);
		cfg.cwnd = 200000;
		KUNIT_ASSERT_EQ(test, uet_lb_init(lb, ops, &cfg), 0);
		sized = cfg.cwnd;
		for (r = 0; r < 2000; r++) {
			n = lb->n;
			cwnd = rnd_below(&rnd, 1 << (14 + rnd_below(&rnd, 8)));
			uet_lb_follow_window(lb, cwnd);
			if (2 * cwnd >= sized && cwnd <= 2 * sized) {
				KUNIT_EXPECT_EQ(test, lb->n, n);
				continue;
			}
			sized = cwnd;
			n = lb->n;
			KUNIT_EXPECT_TRUE(test, n == 16 ||
					  n * 4160ULL <= 2 * cwnd);
			KUNIT_EXPECT_TRUE(test, n == 256 ||
					  2 * n * 4160ULL > 2 * cwnd);
		}
	}
}

/* The state of a value is kept while it is outside the resized space. */
static void space_keeps_bad_values(struct kunit *test)
{
	static const char * const names[] = { "bitmap", "rtt", "hybrid" };
	struct uet_lb_config cfg = {
		.n = 256, .base = BASE, .mtu = 1000, .cwnd = 128000,
	};
	struct uet_lb_path path;
	struct uet_lb *lb;
	u32 k;

	for (k = 0; k < ARRAY_SIZE(names); k++) {
		const struct uet_lb_ops *ops = uet_lb_find(names[k]);

		lb = kunit_kzalloc(test, uet_lb_mem_size(ops, 256), GFP_KERNEL);
		KUNIT_ASSERT_EQ(test, uet_lb_init(lb, ops, &cfg), 0);
		if (k < 2)
			tell(lb, BASE + 200, UET_LB_TIMEOUT, 0);
		else
			uet_lb_path_down(lb, BASE + 200);
		uet_lb_follow_window(lb, 10000);
		KUNIT_EXPECT_EQ(test, lb->n, 16U);
		KUNIT_EXPECT_EQ(test, uet_lb_bad_paths(lb), 0U);
		uet_lb_follow_window(lb, 128000);
		KUNIT_EXPECT_EQ(test, lb->n, 256U);
		KUNIT_EXPECT_EQ(test, uet_lb_bad_paths(lb), 1U);
		uet_lb_path_get(lb, 200, &path);
		KUNIT_EXPECT_TRUE(test, path.bad);
	}
}

/* A value replaced after a loss counts as bad for one to two cycles. */
static void space_tells_what_was_given_up(struct kunit *test)
{
	struct uet_lb *lb = make(test, uet_lb_find("hybrid"), 64, 3, 0);
	u16 lost[3];
	u32 i;

	for (i = 0; i < ARRAY_SIZE(lost); i++)
		lost[i] = next(lb);
	for (i = 0; i < ARRAY_SIZE(lost); i++)
		tell(lb, lost[i], UET_LB_TIMEOUT, 0);
	KUNIT_EXPECT_EQ(test, uet_lb_bad_paths(lb), 3U);
	for (i = 0; i < 64; i++)
		next(lb);
	KUNIT_EXPECT_EQ(test, uet_lb_bad_paths(lb), 3U);
	uet_lb_path_down(lb, next(lb));
	KUNIT_EXPECT_EQ(test, uet_lb_bad_paths(lb), 4U);
	for (i = 0; i < 64; i++)
		next(lb);
	KUNIT_EXPECT_EQ(test, uet_lb_bad_paths(lb), 1U);
}

/* Eight paths, one of them dead; an even share of a hundred is a dozen. */
static u32 lost_of(struct uet_lb *lb, u32 salt, u32 packets)
{
	u32 lost = 0;
	u16 ev;

	while (packets--) {
		ev = next(lb);
		if (uet_mix32(ev ^ salt) % 8) {
			tell(lb, ev, UET_LB_NO_ECN, RTT);
		} else {
			tell(lb, ev, UET_LB_TIMEOUT, 0);
			lost++;
		}
	}
	return lost;
}

/*
 * Routing changes, and every value takes another path: bad values become good
 * and good ones bad. Policies must adapt soon.
 */
static void space_survives_a_remap(struct kunit *test)
{
	static const char * const names[] = { "bitmap", "hybrid", "rtt", "reps" };
	struct uet_lb_config cfg = {
		.n = 64, .span = 4096, .base = BASE, .trimming = true,
	};
	struct uet_lb *lb;
	u32 k, round;

	for (k = 0; k < ARRAY_SIZE(names); k++) {
		const struct uet_lb_ops *ops = uet_lb_find(names[k]);

		lb = kunit_kzalloc(test, uet_lb_mem_size(ops, 64), GFP_KERNEL);
		cfg.span = uet_lb_span(ops, ops->renews ? 4096 : 64);
		KUNIT_ASSERT_EQ(test, uet_lb_init(lb, ops, &cfg), 0);
		for (round = 0; round < 8; round++) {
			lost_of(lb, round << 16, 256);
			KUNIT_EXPECT_LE(test, lost_of(lb, round << 16, 640),
					40U);
		}
	}
}

static struct kunit_case cases[] = {
	KUNIT_CASE(space_survives_a_remap),
	KUNIT_CASE(space_memory),
	KUNIT_CASE(space_uniform_per_cycle),
	KUNIT_CASE(space_contexts_are_never_in_step),
	KUNIT_CASE(space_few_looks_per_packet),
	KUNIT_CASE(space_all_down_ends),
	KUNIT_CASE(space_threshold_is_exact),
	KUNIT_CASE(space_ignores_values_never_sent),
	KUNIT_CASE(space_flood_of_marks),
	KUNIT_CASE(space_follows_the_window),
	KUNIT_CASE(space_keeps_bad_values),
	KUNIT_CASE(space_tells_what_was_given_up),
	{}
};

static struct kunit_suite suite = {
	.name = "uet_lb_space",
	.test_cases = cases,
};

kunit_test_suites(&suite);

MODULE_LICENSE("GPL");
