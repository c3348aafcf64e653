/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Serial arithmetic on packet sequence numbers.
 *
 * PSNs are 32 bits and wrap; never compare them with < or >.  Two PSNs are
 * comparable while they are less than 2^31 apart, which the receive window
 * guarantees for honest peers.
 */
#ifndef _UET_CORE_PSN_H
#define _UET_CORE_PSN_H

#include "../env.h"

/**
 * psn_delta() - signed distance between two PSNs
 * @a: a PSN
 * @b: the PSN to measure from
 *
 * Return: @a - @b, positive when @a comes after @b.
 */
static inline s32 psn_delta(u32 a, u32 b)
{
	return (s32)(a - b);
}

/**
 * psn_after() - whether a PSN comes after another
 * @a: a PSN
 * @b: another PSN
 *
 * Return: true when @a comes strictly after @b.
 */
static inline bool psn_after(u32 a, u32 b)
{
	return psn_delta(a, b) > 0;
}

/**
 * psn_before() - whether a PSN comes before another
 * @a: a PSN
 * @b: another PSN
 *
 * Return: true when @a comes strictly before @b.
 */
static inline bool psn_before(u32 a, u32 b)
{
	return psn_delta(a, b) < 0;
}

/**
 * psn_between() - whether a PSN lies in a closed range
 * @psn: the PSN in question
 * @first: first PSN of the range
 * @last: last PSN of the range; @first - 1 makes the range empty
 *
 * Return: true when @first <= @psn <= @last in serial order.
 */
static inline bool psn_between(u32 psn, u32 first, u32 last)
{
	return psn - first < last - first + 1;
}

/**
 * psn_min() - the earlier of two PSNs
 * @a: a PSN
 * @b: another PSN
 *
 * Return: whichever comes first.
 */
static inline u32 psn_min(u32 a, u32 b)
{
	return psn_before(a, b) ? a : b;
}

/**
 * psn_max() - the later of two PSNs
 * @a: a PSN
 * @b: another PSN
 *
 * Return: whichever comes last.
 */
static inline u32 psn_max(u32 a, u32 b)
{
	return psn_after(a, b) ? a : b;
}

#endif /* _UET_CORE_PSN_H */
