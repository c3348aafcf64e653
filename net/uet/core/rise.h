/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A base RTT that grew: a path got longer while a context lives.
 *
 * UE 1.0 lets the base RTT fall only. On a path that became longer all round
 * trips look like congestion then, and the window stays what it was sized for.
 * Longer round trips may as well be queues, of this context or of others. So when
 * no unmarked answer came near the base RTT for long, the window goes down to two
 * packets, and after two round trips, when queues of this context have drained, the
 * smallest round trip of the next ones tells what the path takes. Then the window
 * is what it was before. Marked answers never count: they say that there is a queue.
 * Should others have filled it all the time, the base RTT falls again as soon as
 * they stop.
 */
#ifndef _UET_CORE_RISE_H
#define _UET_CORE_RISE_H

#include "ccc.h"

/**
 * enum uet_rise_phase - what the search does
 * @UET_RISE_WATCH: looks how long nothing came near the base RTT
 * @UET_RISE_DRAIN: the window is small, what was sent before is awaited
 * @UET_RISE_COLLECT: the window is small, and round trips count
 */
enum uet_rise_phase {
	UET_RISE_WATCH,
	UET_RISE_DRAIN,
	UET_RISE_COLLECT,
};

/**
 * struct uet_rise - search for a base RTT above the one that is known
 * @since: begin of the phase, ns; of watching: of the first long round trip
 * @until: end of draining, ns; of watching: not to drain before
 * @min: smallest round trip of the phase, ns
 * @saved: window before it went down, bytes
 * @samples: round trips of the phase, saturating
 * @phase: enum uet_rise_phase
 */
struct uet_rise {
	u64 since;
	u64 until;
	u64 min;
	u64 saved;
	u16 samples;
	u8 phase;
};

/**
 * uet_rise_far() - is a round trip longer than one of the base RTT should be?
 * @c: context
 * @rtt: round trip, ns
 *
 * Return: true if so.
 */
static inline bool uet_rise_far(const struct uet_ccc *c, u64 rtt)
{
	return rtt > c->base_rtt + c->params->target / 2;
}

/**
 * uet_rise_quiet() - is there nothing to do with a round trip?
 * @r: state
 * @c: context
 * @rtt: round trip, ns
 *
 * Return: true if uet_rise_sample() need not be called.
 */
static inline bool uet_rise_quiet(const struct uet_rise *r,
				  const struct uet_ccc *c, u64 rtt)
{
	return !r->phase && !r->samples && !uet_rise_far(c, rtt);
}

/**
 * uet_rise_sample() - a round trip of a full packet
 * @r: state
 * @c: context; its window may be changed
 * @now: time, ns
 * @rtt: round trip, ns
 * @m: the answer says that the packet was marked
 * @watch_ns: how long nothing near the base RTT means something
 *
 * Return: true if @r->min is the base RTT now.
 */
bool uet_rise_sample(struct uet_rise *r, struct uet_ccc *c, u64 now, u64 rtt,
		     bool m, u64 watch_ns);

#endif /* _UET_CORE_RISE_H */
