// SPDX-License-Identifier: GPL-2.0
/*
 * "flowlet": one value until the flow pauses for half a round trip (or the
 * configured idle time), then another, whether or not it is congested. Packets
 * before the pause have a head start over those after it. The pause counts from
 * when the last packet leaves this host, not from when it was queued there.
 *
 * For some time after a loss, in which routing can get round a dead path, a
 * value that works is kept through pauses: any other may lie on that path. One
 * that nothing came back with is left at every pause, such as that before a
 * tail probe.
 */
#include "lb_single.h"

#define WARY_NS		10000000ULL

/**
 * struct flowlet - state
 * @last_send: when the last packet was queued, ns
 * @idle_ns: pause after which the value changes, 0 = half an RTT
 * @wary_until: end of the time after a loss, ns
 * @spot: the value
 * @works: the last word on it was an answer
 * @started: @last_send is valid
 */
struct flowlet {
	u64 last_send;
	u64 idle_ns;
	u64 wary_until;
	struct uet_lb_spot spot;
	bool works;
	bool started;
};

static bool paused(const struct flowlet *f, const struct uet_lb_ask *ask)
{
	u64 last = max(f->last_send, ask->port_free);

	return f->started && ask->now > last &&
	       ask->now - last >= (f->idle_ns ?: ask->base_rtt / 2);
}

static u16 next(struct uet_lb *lb, const struct uet_lb_ask *ask, u16 *run)
{
	struct flowlet *f = uet_lb_priv(lb);

	if (paused(f, ask) && (!f->works || ask->now >= f->wary_until)) {
		uet_lb_spot_move(lb, &f->spot);
		uet_lb_note(lb, UET_LB_NOTE_MOVED, f->spot.ev);
		f->works = false;
	}
	f->started = true;
	f->last_send = max(f->last_send, ask->now);
	return f->spot.ev;
}

static void feedback(struct uet_lb *lb, const struct uet_lb_signal *sig)
{
	struct flowlet *f = uet_lb_priv(lb);
	bool lost = sig->reason == UET_LB_TIMEOUT;

	if (lost)
		f->wary_until = sig->now + WARY_NS;
	if (sig->ev != f->spot.ev)
		return;
	if (lost && f->works)
		uet_lb_note(lb, UET_LB_NOTE_BAD, sig->ev);
	f->works = !lost;
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
	.feedback = feedback,
	.evidence = feedback,
	.init = init,
	.path_get = path_get,
	.name = "flowlet",
	.ordered = true,
};
