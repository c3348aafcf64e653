/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Seedable pseudo-random numbers for path selection.
 *
 * Not for secrets: only sources and cycles must be independent of each other.
 * The caller seeds each generator differently.
 */
#ifndef _UET_CORE_PRNG_H
#define _UET_CORE_PRNG_H

#include "env.h"

/** struct uet_prng - generator state; any seed will do */
struct uet_prng {
	u64 state;
};

/* The steps of uet_mix32() that its upper 16 bits depend on */
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

/* Advance the state. The result still needs uet_mix32(). */
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
 * Return: upper half of a 64-bit product, which avoids a division.
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
 * Return: same as uet_prng_below() for 2^@bits, but cheaper.
 */
static inline u32 uet_prng_bits(struct uet_prng *p, u32 bits)
{
	return uet_mix32_high(uet_prng_step(p)) >> (32 - bits);
}

#endif /* _UET_CORE_PRNG_H */
