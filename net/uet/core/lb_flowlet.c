// SPDX-License-Identifier: GPL-2.0
/*
 * "flowlet": one value until the flow pauses for half a round trip (or the
 * configured idle time), then another, whatever the network says. Packets
 * before the pause have a head start over those after it.
 */
#include "lb_single.h"

struct flowlet {
	u64 last_send;
	u64 idle_ns;
	struct uet_lb_spot spot;
	bool started;
};

static u16 next(struct uet_lb *lb, const struct uet_lb_ask *ask, u16 *run)
{
	struct flowlet *f = uet_lb_priv(lb);
	u64 gap = ask->now > f->last_send ? ask->now - f->last_send : 0;

	if (f->started && gap >= (f->idle_ns ?: ask->base_rtt / 2)) {
		uet_lb_spot_move(lb, &f->spot);
		uet_lb_note(lb, UET_LB_NOTE_MOVED, f->spot.ev);
	}
	f->started = true;
	f->last_send = max(f->last_send, ask->now);
	return f->spot.ev;
}

static void init(struct uet_lb *lb, const struct uet_lb_config *cfg)
{
	struct flowlet *f = uet_lb_priv(lb);

	BUILD_BUG_ON(sizeof(*f) > UET_LB_PRIV_SIZE);
	uet_lb_spot_init(lb, &f->spot, cfg);
	f->idle_ns = cfg->idle_ns;
}

static void path_get(const struct uet_lb *lb, u32 index,
		     struct uet_lb_path *path)
{
	const struct flowlet *f = uet_lb_priv_const(lb);

	path->current_ev = path->ev == f->spot.ev;
}

const struct uet_lb_ops uet_lb_flowlet = {
	.next = next,
	.init = init,
	.path_get = path_get,
	.name = "flowlet",
	.ordered = true,
};
