// SPDX-License-Identifier: GPL-2.0
/* Memory of a namespace: never above its limit, refused near it only, nothing lost. */
#include <kunit/test.h>
#include <linux/cpumask.h>
#include <linux/workqueue.h>

#include "../memory.h"
#include "random.h"

#define PIECES	64

struct memory_model {
	struct uet_mem mem;
	long piece[PIECES];
	long used;
	unsigned long limit;
};

/* What CPUs may have ahead at most, with a quantum that no limit lowered */
static long ahead_max(const struct memory_model *m)
{
	return 2 * m->mem.quantum * (long)num_possible_cpus();
}

static void model_take(struct kunit *test, struct memory_model *m, u32 i, long bytes)
{
	if (uet_mem_take(&m->mem, bytes, m->limit)) {
		m->piece[i] = bytes;
		m->used += bytes;
		KUNIT_EXPECT_LE(test, m->used, (long)m->limit);
	} else {
		KUNIT_EXPECT_GT(test, m->used + bytes + ahead_max(m),
				(long)m->limit);
	}
}

static void model_check(struct kunit *test, struct memory_model *m)
{
	long taken = atomic_long_read(&m->mem.taken);

	KUNIT_EXPECT_EQ(test, uet_mem_used(&m->mem), m->used);
	KUNIT_EXPECT_LE(test, taken, (long)m->limit);
	KUNIT_EXPECT_LE(test, taken - m->used, ahead_max(m));
}

static void random_pieces(struct kunit *test, unsigned long limit, u32 most)
{
	struct test_rnd rnd = { .state = limit };
	struct memory_model m = { .limit = limit };
	u32 n, i;

	KUNIT_ASSERT_EQ(test, uet_mem_init(&m.mem), 0);
	for (n = 0; n < UET_TEST_ROUNDS; n++) {
		i = rnd_below(&rnd, PIECES);
		if (m.piece[i]) {
			uet_mem_give(&m.mem, m.piece[i]);
			m.used -= m.piece[i];
			m.piece[i] = 0;
		} else {
			model_take(test, &m, i, 1 + rnd_below(&rnd, most));
		}
		model_check(test, &m);
	}
	for (i = 0; i < PIECES; i++)
		uet_mem_give(&m.mem, m.piece[i]);
	KUNIT_EXPECT_EQ(test, uet_mem_used(&m.mem), 0);
	uet_mem_exit(&m.mem);
}

static void memory_random(struct kunit *test)
{
	random_pieces(test, 1 << 20, 60000);
	random_pieces(test, 64 << 20, 60000);
	random_pieces(test, 64 << 20, 4 << 20);
	random_pieces(test, 65536, 3000);
}

/* All of a limit can be had, whatever the quantum is, and no byte more. */
static void memory_to_the_limit(struct kunit *test)
{
	struct uet_mem mem;
	long n;

	KUNIT_ASSERT_EQ(test, uet_mem_init(&mem), 0);
	for (n = 0; n < 1 << 20; n += 4096)
		KUNIT_ASSERT_TRUE(test, uet_mem_take(&mem, 4096, 1 << 20));
	KUNIT_EXPECT_FALSE(test, uet_mem_take(&mem, 1, 1 << 20));
	uet_mem_give(&mem, n);
	KUNIT_EXPECT_EQ(test, uet_mem_used(&mem), 0);
	uet_mem_exit(&mem);
}

static long give_there(void *mem)
{
	uet_mem_give(mem, 4096);
	uet_mem_note_ready(mem, -4096);
	return 0;
}

/* Taken on one CPU, given back on another */
static void memory_moves(struct kunit *test)
{
	int there = cpumask_last(cpu_online_mask);
	struct uet_mem mem;
	int i;

	KUNIT_ASSERT_EQ(test, uet_mem_init(&mem), 0);
	for (i = 0; i < 1000; i++) {
		KUNIT_ASSERT_TRUE(test, uet_mem_take(&mem, 4096, 4 << 20));
		uet_mem_note_ready(&mem, 4096);
		work_on_cpu(there, give_there, &mem);
		KUNIT_ASSERT_LE(test, atomic_long_read(&mem.taken), 1L << 20);
	}
	KUNIT_EXPECT_EQ(test, uet_mem_used(&mem), 0);
	KUNIT_EXPECT_EQ(test, uet_mem_ready(&mem), 0);
	uet_mem_exit(&mem);
}

/* Near enough for a penalty, exact as a sum */
static void memory_ready(struct kunit *test)
{
	struct test_rnd rnd = { .state = 7 };
	long ready = 0, delta, off;
	struct uet_mem mem;
	u32 n;

	KUNIT_ASSERT_EQ(test, uet_mem_init(&mem), 0);
	KUNIT_ASSERT_TRUE(test, uet_mem_take(&mem, 1, 64 << 20));
	for (n = 0; n < UET_TEST_ROUNDS; n++) {
		delta = (long)rnd_below(&rnd, 200000) - 100000;
		uet_mem_note_ready(&mem, delta);
		ready += delta;
		off = ready - atomic_long_read(&mem.ready);
		KUNIT_EXPECT_LE(test, abs(off),
				mem.quantum * (long)num_possible_cpus());
		KUNIT_EXPECT_EQ(test, uet_mem_ready(&mem), ready);
	}
	uet_mem_give(&mem, 1);
	uet_mem_exit(&mem);
}

static struct kunit_case memory_cases[] = {
	KUNIT_CASE(memory_random),
	KUNIT_CASE(memory_to_the_limit),
	KUNIT_CASE(memory_moves),
	KUNIT_CASE(memory_ready),
	{}
};

static struct kunit_suite memory_suite = {
	.name = "uet_memory",
	.test_cases = memory_cases,
};

kunit_test_suite(memory_suite);
