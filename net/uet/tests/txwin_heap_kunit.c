// SPDX-License-Identifier: GPL-2.0
/* Heaps of PSNs: order, cost, growth of the ring */
#include <kunit/test.h>
#include <linux/module.h>

#include "../core/snd/txwin_heap.h"
#include "random.h"

#define SLOTS		8192
#define FIRST		0xfffffff0U	/* wraps soon */
#define HEAPS		4
/* Amortised steps per operation: log(SLOTS) to the base of the golden ratio */
#define STEPS		19

static void heap_attach(struct kunit *test, struct uet_txwin *w, u32 nslots)
{
	void *mem = kunit_kzalloc(test, uet_txwin_mem_size(nslots), GFP_KERNEL);
	void *old;

	KUNIT_ASSERT_NOT_NULL(test, mem);
	KUNIT_ASSERT_EQ(test, uet_txwin_attach(w, mem, nslots, &old), 0);
}

static void heap_open(struct kunit *test, struct uet_txwin *w, u32 nslots)
{
	uet_txwin_init(w, FIRST, UET_TXWIN_MAX_SLOTS);
	heap_attach(test, w, nslots);
	while (uet_txwin_outstanding(w) < nslots)
		uet_txwin_send(w, 100, 0, 0, 1);
}

/* Rising, falling, and in bit-reversed order: the lowest comes first. */
static void heap_sorts(struct kunit *test)
{
	struct uet_tx_heap h;
	struct uet_txwin w;
	u32 i, j, bit, at, order;

	heap_open(test, &w, SLOTS);
	for (order = 0; order < 3; order++) {
		memset(&h, 0, sizeof(h));
		for (i = 0; i < SLOTS; i++) {
			at = order == 1 ? SLOTS - 1 - i : i;
			if (order == 2)
				for (at = 0, j = i, bit = SLOTS / 2; bit;
				     bit /= 2, j /= 2)
					at |= j & 1 ? bit : 0;
			uet_txwin_heap_add(&w, &h, FIRST + at);
		}
		KUNIT_ASSERT_EQ(test, h.nr, SLOTS);
		for (i = 0; i < SLOTS; i++)
			KUNIT_ASSERT_EQ(test, uet_txwin_heap_pop(&w, &h),
					FIRST + i);
		KUNIT_EXPECT_EQ(test, h.nr, 0);
		KUNIT_EXPECT_LE(test, h.steps, 2 * SLOTS * STEPS);
	}
}

/* Several heaps, against a plain table; in between the ring grows. */
static void heap_random(struct kunit *test)
{
	struct test_rnd rnd = { .state = 1 };
	struct uet_tx_heap h[HEAPS] = {};
	u32 rounds, i, k, at, ops = 0;
	struct uet_txwin w;
	u8 *in;

	in = kunit_kzalloc(test, SLOTS, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, in);
	heap_open(test, &w, SLOTS / 2);
	for (rounds = 0; rounds < UET_TEST_ROUNDS / 4; rounds++) {
		if (rounds == UET_TEST_ROUNDS / 8) {
			heap_attach(test, &w, SLOTS);
			while (uet_txwin_outstanding(&w) < SLOTS)
				uet_txwin_send(&w, 100, 0, 0, 1);
		}
		for (i = 0; i < 3; i++) {
			at = rnd_below(&rnd, uet_txwin_outstanding(&w));
			if (in[at])
				continue;
			k = rnd_below(&rnd, HEAPS);
			in[at] = (u8)(k + 1);
			uet_txwin_heap_add(&w, &h[k], FIRST + at);
			ops++;
		}
		k = rnd_below(&rnd, HEAPS);
		for (i = rnd_below(&rnd, 4); i && h[k].nr; i--) {
			for (at = 0; in[at] != k + 1; at++)
				;
			KUNIT_ASSERT_EQ(test, uet_txwin_heap_pop(&w, &h[k]),
					FIRST + at);
			in[at] = 0;
			ops++;
		}
	}
	for (k = 0, i = 0; k < HEAPS; k++)
		i += h[k].steps;
	KUNIT_EXPECT_LE(test, i, ops * STEPS);
}

static struct kunit_case txwin_heap_cases[] = {
	KUNIT_CASE(heap_sorts),
	KUNIT_CASE(heap_random),
	{}
};

static struct kunit_suite txwin_heap_suite = {
	.name = "uet_txwin_heap",
	.test_cases = txwin_heap_cases,
};

kunit_test_suite(txwin_heap_suite);
