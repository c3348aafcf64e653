// SPDX-License-Identifier: GPL-2.0
/*
 * "flowlet": change the value when the flow has paused for half a round trip
 * (or the configured idle time), whether or not there is congestion. The pause
 * gives earlier packets a head start, so a change rarely reorders. The pause
 * starts when the last packet leaves this host, not when it was queued there.
 *
 * After a loss routing needs some time to avoid a dead path. During that time
 * a value that works is kept through pauses, since another one may lie on the
 * dead path. A value that has brought no answer changes at every pause, such as
 * the one before a tail probe.
 */
#include "lb_single.h"

#define WARY_NS		10000000ULL

/**
 * struct flowlet - state
 * @last_send: when the last packet was queued, ns
 * @idle_ns: pause after which the value changes, 0 = half an RTT
 * @wary_until: until then a value that works is kept, ns
 * @spot: current value
 * @works: the last feedback on the current value was not a loss
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

static bool flowlet_paused(const struct flowlet *f,
			   const struct uet_lb_ask *ask)
{
	u64 last = max(f->last_send, ask->port_free);

	return f->started && ask->now > last &&
	       ask->now - last >= (f->idle_ns ?: ask->base_rtt / 2);
}

static u16 flowlet_next(struct uet_lb *lb, const struct uet_lb_ask *ask,
			u16 *run)
{
	struct flowlet *f = uet_lb_priv(lb);

	if (flowlet_paused(f, ask) &&
	    (!f->works || ask->now >= f->wary_until)) {
		uet_lb_spot_move(lb, &f->spot);
		uet_lb_note(lb, UET_LB_NOTE_MOVED, f->spot.ev);
		f->works = false;
	}
	f->started = true;
	f->last_send = max(f->last_send, ask->now);
	return f->spot.ev;
}

static void flowlet_feedback(struct uet_lb *lb, const struct uet_lb_signal *sig)
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

static void flowlet_init(struct uet_lb *lb, const struct uet_lb_config *cfg)
{
	struct flowlet *f = uet_lb_priv(lb);

	BUILD_BUG_ON(sizeof(*f) > UET_LB_PRIV_SIZE);
	uet_lb_spot_init(lb, &f->spot, cfg);
	f->idle_ns = cfg->idle_ns;
}

static void flowlet_path_get(const struct uet_lb *lb, u32 index,
			     struct uet_lb_path *path)
{
	const struct flowlet *f = uet_lb_priv_const(lb);

	path->current_ev = path->ev == f->spot.ev;
}

const struct uet_lb_ops uet_lb_flowlet = {
	.next = flowlet_next,
	.feedback = flowlet_feedback,
	.evidence = flowlet_feedback,
	.init = flowlet_init,
	.path_get = flowlet_path_get,
	.name = "flowlet",
	.ordered = true,
};
