// SPDX-License-Identifier: GPL-2.0
/*
 * Keyed permutation of an entropy space. See lb_perm.h.
 */
#include "../prng.h"
#include "lb_perm.h"

#define ROUNDS	4

void uet_perm_init(struct uet_perm *p, u32 n, u32 key)
{
	p->n = n;
	p->i = 0;
	p->key = key;
	p->half = 1;
	while ((1U << (2 * p->half)) < n)
		p->half++;
}

static u32 perm_feistel(u32 i, u32 key, u32 half)
{
	u32 mask = (1U << half) - 1;
	u32 left = i >> half;
	u32 right = i & mask;
	u32 r, t;

	for (r = 0; r < ROUNDS; r++) {
		t = left ^ (uet_mix32(key ^ (r << 24) ^ right) & mask);
		left = right;
		right = t;
	}
	return left << half | right;
}

/*
 * The block is less than four times the space (at n > 1), so a walk that leaves
 * the space comes back soon. @outside, the number of positions outside, bounds
 * the walk.
 */
u32 uet_perm_at(const struct uet_perm *p, u32 i, u32 key)
{
	u32 outside = (1U << (2 * p->half)) - p->n;

	do {
		i = perm_feistel(i, key, p->half);
	} while (i >= p->n && outside--);
	return i;
}

u32 uet_perm_next(struct uet_perm *p, bool *wrapped)
{
	u32 v = uet_perm_at(p, p->i, p->key);

	if (++p->i == p->n) {
		p->i = 0;
		*wrapped = true;
	}
	return v;
}
