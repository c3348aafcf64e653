/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reproducible random numbers for tests, and the number of rounds of random
 * tests; builds with more time define a larger UET_TEST_ROUNDS.
 */
#ifndef _UET_TESTS_RANDOM_H
#define _UET_TESTS_RANDOM_H

#include "../core/env.h"

#ifndef UET_TEST_ROUNDS
#define UET_TEST_ROUNDS	20000
#endif

struct test_rnd {
	u64 state;
};

/* splitmix64 */
static inline u64 rnd64(struct test_rnd *r)
{
	u64 z = (r->state += 0x9e3779b97f4a7c15ULL);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

static inline u32 rnd32(struct test_rnd *r)
{
	return (u32)(rnd64(r) >> 32);
}

/* 0 to @n - 1 */
static inline u32 rnd_below(struct test_rnd *r, u32 n)
{
	return (u32)(((rnd64(r) >> 32) * n) >> 32);
}

/* true once in @n times */
static inline bool rnd_one_in(struct test_rnd *r, u32 n)
{
	return rnd_below(r, n) == 0;
}

#endif /* _UET_TESTS_RANDOM_H */
