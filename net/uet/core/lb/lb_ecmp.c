// SPDX-License-Identifier: GPL-2.0
/*
 * "ecmp": one random value for the life of a CCC, as an ordinary flow has.
 * The baseline for comparisons.
 */
#include "lb.h"

struct ecmp {
	u16 ev;
};

static u16 ecmp_next(struct uet_lb *lb, const struct uet_lb_ask *ask, u16 *run)
{
	struct ecmp *e = uet_lb_priv(lb);

	return e->ev;
}

static void ecmp_init(struct uet_lb *lb, const struct uet_lb_config *cfg)
{
	struct ecmp *e = uet_lb_priv(lb);

	e->ev = (u16)(lb->base + uet_prng_below(&lb->prng, lb->n));
}

static void ecmp_path_get(const struct uet_lb *lb, u32 index,
			  struct uet_lb_path *path)
{
	const struct ecmp *e = uet_lb_priv_const(lb);

	path->current_ev = path->ev == e->ev;
}

const struct uet_lb_ops uet_lb_ecmp = {
	.next = ecmp_next,
	.init = ecmp_init,
	.path_get = ecmp_path_get,
	.name = "ecmp",
	.ordered = true,
};
