/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which entries of a path-aware policy are congested: what an entry heard last was an
 * ECN mark or a trim. If that holds for a large share of them, the congestion is not on
 * single paths, and avoiding some of them does not help (UE 1.0 3.6.16.4).
 */
#ifndef _UET_CORE_LB_MARKED_H
#define _UET_CORE_LB_MARKED_H

#include "lb.h"

/**
 * struct uet_lb_marked - congested entries
 * @bit: bit per entry: it is congested
 * @nr: number of these bits below uet_lb.n
 */
struct uet_lb_marked {
	u64 bit[UET_LB_AWARE_MAX / 64];
	u32 nr;
};

/**
 * uet_lb_marked_full() - is too much congested to avoid any of it?
 * @lb: object
 * @m: its congested entries
 *
 * Return: true if no entry is to be avoided for congestion.
 */
static inline bool uet_lb_marked_full(const struct uet_lb *lb,
				      const struct uet_lb_marked *m)
{
	return unlikely(m->nr) && uet_lb_saturated(lb, m->nr);
}

/**
 * uet_lb_marked_set() - store what an entry heard
 * @lb: object
 * @m: its congested entries
 * @i: entry, below %UET_LB_AWARE_MAX
 * @bad: it was a mark or a trim
 *
 * Return: true if so many entries are congested now, and were not before, that none is
 * to be avoided.
 */
static inline bool uet_lb_marked_set(const struct uet_lb *lb,
				     struct uet_lb_marked *m, u32 i, bool bad)
{
	u64 *word = &m->bit[i / 64], bit = BIT_ULL(i % 64);
	bool was;

	if (!!(*word & bit) == bad)
		return false;
	*word ^= bit;
	if (i >= lb->n)
		return false;
	was = uet_lb_saturated(lb, m->nr);
	m->nr += bad ? 1 : -1;
	return !was && uet_lb_saturated(lb, m->nr);
}

/**
 * uet_lb_marked_resized() - count anew after uet_lb.n changed
 * @lb: object
 * @m: its congested entries
 */
static inline void uet_lb_marked_resized(const struct uet_lb *lb,
					 struct uet_lb_marked *m)
{
	u32 i;

	m->nr = 0;
	for (i = 0; i < lb->n; i++)
		m->nr += m->bit[i / 64] >> (i % 64) & 1;
}

#endif /* _UET_CORE_LB_MARKED_H */
