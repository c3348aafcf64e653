/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Seedable random bits for path selection.
 *
 * Not for secrets: only independence between sources and between cycles is
 * asked for. The caller seeds each user with bits of its own.
 */
#ifndef _UET_CORE_PRNG_H
#define _UET_CORE_PRNG_H

#include "env.h"

/** struct uet_prng - generator state, any seed is good */
struct uet_prng {
	u64 state;
};

/* uet_mix32() as far as the upper half of its result needs it */
static inline u32 uet_mix32_high(u32 x)
{
	x ^= x >> 16;
	x *= 0x7feb352dU;
	x ^= x >> 15;
	return x * 0x846ca68bU;
}

/**
 * uet_mix32() - the 32-bit mixing function of the entropy permutation
 * @x: input word
 *
 * A bijection on 32-bit words in which every input bit reaches every output
 * bit.
 *
 * Return: the mixed word.
 */
static inline u32 uet_mix32(u32 x)
{
	x = uet_mix32_high(x);
	return x ^ x >> 16;
}

/**
 * uet_prng_seed() - start a generator
 * @p: generator
 * @seed: any value
 */
static inline void uet_prng_seed(struct uet_prng *p, u64 seed)
{
	p->state = seed;
}

/* The word that the next number is mixed from, once mixed */
static inline u32 uet_prng_step(struct uet_prng *p)
{
	p->state += 0x9e3779b97f4a7c15ULL;
	return (u32)(p->state >> 32) ^ uet_mix32((u32)p->state);
}

/**
 * uet_prng_u32() - next 32 random bits
 * @p: generator
 *
 * Return: a value uniform over all 32-bit words (period 2^64).
 */
static inline u32 uet_prng_u32(struct uet_prng *p)
{
	return uet_mix32(uet_prng_step(p));
}

/**
 * uet_prng_below() - random number in [0, n)
 * @p: generator
 * @n: bound, at least 1
 *
 * Return: the high word of a 32 x 32 bit product, so no divide.
 */
static inline u32 uet_prng_below(struct uet_prng *p, u32 n)
{
	return (u32)(((u64)uet_prng_u32(p) * n) >> 32);
}

/**
 * uet_prng_bits() - short random number
 * @p: generator
 * @bits: 1 to 16
 *
 * Return: uet_prng_below() for 2^@bits, for less.
 */
static inline u32 uet_prng_bits(struct uet_prng *p, u32 bits)
{
	return uet_mix32_high(uet_prng_step(p)) >> (32 - bits);
}

#endif /* _UET_CORE_PRNG_H */
