// SPDX-License-Identifier: GPL-2.0
/*
 * "oblivious": every value once per cycle in pseudo-random order, a new order
 * per cycle, ignoring feedback (UE 1.0 3.6.16.3).
 */
#include "lb_oblivious.h"

u16 uet_lb_oblivious_next(struct uet_lb *lb)
{
	bool wrapped = false;
	u32 i = uet_perm_next(&lb->perm, &wrapped);

	if (wrapped)
		lb->perm.key = uet_prng_u32(&lb->prng);
	return (u16)(lb->base + i);
}

static u16 oblivious_next(struct uet_lb *lb, const struct uet_lb_ask *ask,
			  u16 *run)
{
	return uet_lb_oblivious_next(lb);
}

const struct uet_lb_ops uet_lb_oblivious = {
	.next = oblivious_next,
	.name = "oblivious",
};
