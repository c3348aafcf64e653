// SPDX-License-Identifier: GPL-2.0
/*
 * "hybrid": recycle a value that came back clear if nothing is held against
 * it, else take the next value of the bitmap; freeze after losses. The ring
 * reacts within one round trip, the counters remember.
 */
#include "lb_bitmap.h"
#include "lb_reps.h"

struct hybrid {
	struct uet_reps ring;
	struct uet_bitmap map;
};

static bool clean(const struct uet_lb *lb, u16 ev)
{
	u32 i = uet_lb_index(lb, ev);

	return i < lb->n && !lb->table[i];
}

static u16 next(struct uet_lb *lb, const struct uet_lb_ask *ask, u16 *run)
{
	struct hybrid *h = uet_lb_priv(lb);
	u32 tries = UET_REPS_RING;
	u16 ev;

	if (h->ring.explore) {
		h->ring.explore--;
		return uet_bitmap_next(lb, &h->map);
	}
	while (tries-- && (h->ring.frozen ?
			   uet_reps_frozen_next(&h->ring, &ev) :
			   uet_reps_recycle(&h->ring, &ev)))
		if (clean(lb, ev) && !(ask->rtx && ev == ask->prev_ev))
			return ev;
	return uet_bitmap_next(lb, &h->map);
}

static void init(struct uet_lb *lb, const struct uet_lb_config *cfg)
{
	struct hybrid *h = uet_lb_priv(lb);

	BUILD_BUG_ON(sizeof(*h) > UET_LB_PRIV_SIZE);
	h->ring.rto = cfg->rto_ns;
}

static void feedback(struct uet_lb *lb, const struct uet_lb_signal *sig)
{
	struct hybrid *h = uet_lb_priv(lb);

	if (sig->reason != UET_LB_NO_ECN)
		uet_bitmap_feedback(lb, &h->map, sig);
	uet_reps_feedback(lb, &h->ring, sig);
}

static void resized(struct uet_lb *lb, u32 old)
{
	struct hybrid *h = uet_lb_priv(lb);

	uet_bitmap_resized(lb, &h->map);
	uet_reps_keep(lb, &h->ring);
}

static int path_down(struct uet_lb *lb, u32 index)
{
	struct hybrid *h = uet_lb_priv(lb);

	uet_bitmap_down(lb, &h->map, index);
	uet_reps_forget(&h->ring, (u16)(lb->base + index));
	return 0;
}

static int path_up(struct uet_lb *lb, u32 index)
{
	struct hybrid *h = uet_lb_priv(lb);

	uet_bitmap_up(lb, &h->map, index);
	return 0;
}

static u32 bad_paths(const struct uet_lb *lb)
{
	const struct hybrid *h = uet_lb_priv_const(lb);

	return min(h->map.marked + h->map.down, lb->n);
}

const struct uet_lb_ops uet_lb_hybrid = {
	.next = next,
	.feedback = feedback,
	.init = init,
	.resized = resized,
	.path_down = path_down,
	.path_up = path_up,
	.path_get = uet_bitmap_get,
	.bad_paths = bad_paths,
	.name = "hybrid",
	.ev_bytes = 1,
	.aware = true,
};
