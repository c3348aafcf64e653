// SPDX-License-Identifier: GPL-2.0
/*
 * Search for a base RTT that has grown. See rise.h.
 */
#include "rise.h"

/* Least number of samples before the window is lowered */
#define WATCH_SAMPLES	16
/* Least number of samples with the lowered window */
#define COLLECT_SAMPLES	4
#define COLLECT_RTTS	2
#define DRAIN_RTTS	2
/* Longest search, in round trips; it ends without a result */
#define SEARCH_RTTS	64
#define FLOOR_MTUS	2
/* Pause after a search, in multiples of watch_ns */
#define PAUSE		10

static void rise_begin(struct uet_rise *r, enum uet_rise_phase phase, u64 now)
{
	r->phase = phase;
	r->since = now;
	r->min = U64_MAX;
	r->samples = 0;
}

static void rise_take(struct uet_rise *r, u64 rtt)
{
	r->min = min(r->min, rtt);
	if (r->samples < U16_MAX)
		r->samples++;
}

/* Have there been only long round trips, for long enough? */
static bool rise_watch(struct uet_rise *r, const struct uet_ccc *c, u64 now,
		       u64 rtt, u64 watch_ns)
{
	if (!uet_rise_far(c, rtt)) {
		r->samples = 0;
		return false;
	}
	if (!r->samples) {
		r->since = now;
		r->min = U64_MAX;
	}
	rise_take(r, rtt);
	return r->samples >= WATCH_SAMPLES && now >= r->until &&
	       now - r->since >= max(watch_ns, WATCH_SAMPLES * r->min);
}

static void rise_floor_window(struct uet_ccc *c, u64 now)
{
	uet_ccc_set_window(c, now, FLOOR_MTUS * (u64)c->params->mtu);
}

/* End the search: restore the window, and do not search again for @pause. */
static void rise_end(struct uet_rise *r, struct uet_ccc *c, u64 now, u64 pause)
{
	uet_ccc_set_window(c, now, r->saved);
	r->phase = UET_RISE_WATCH;
	r->samples = 0;
	r->until = now + pause;
}

bool uet_rise_sample(struct uet_rise *r, struct uet_ccc *c, u64 now, u64 rtt,
		     bool m, u64 watch_ns)
{
	if (!c->algo->window || !c->algo->window->set_window)
		return false;
	if (r->phase != UET_RISE_WATCH && now - r->since > SEARCH_RTTS * rtt) {
		rise_end(r, c, now, PAUSE * watch_ns);
		return false;
	}
	switch (r->phase) {
	case UET_RISE_WATCH:
		if (m || !rise_watch(r, c, now, rtt, watch_ns))
			return false;
		r->saved = uet_ccc_window(c);
		rise_begin(r, UET_RISE_DRAIN, now);
		r->until = now + DRAIN_RTTS * rtt;
		rise_floor_window(c, now);
		return false;
	case UET_RISE_DRAIN:
		if (now < r->until)
			return false;
		rise_begin(r, UET_RISE_COLLECT, now);
		rise_floor_window(c, now);
		return false;
	default:
		break;
	}
	if (m)
		return false;
	rise_take(r, rtt);
	if (r->samples < COLLECT_SAMPLES ||
	    now - r->since < COLLECT_RTTS * r->min)
		return false;
	rise_end(r, c, now, PAUSE * watch_ns);
	return uet_rise_far(c, r->min);
}
