/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Detects that a path got longer during the life of a CCC.
 *
 * UE 1.0 3.6.13 only lowers the base RTT. On a path that became longer all round
 * trips then look like congestion, and the largest window stays too small. But
 * longer round trips may also be queueing, caused by this CCC or by others. So if
 * no unmarked answer came near the base RTT for long:
 *
 *	- lower the window to two packets;
 *	- wait two round trips, until the queues of this CCC have drained;
 *	- take the smallest of the next round trips as base RTT;
 *	- restore the window.
 *
 * Answers with an ECN mark never count: there is a queue. If others kept a queue
 * filled all the time, the base RTT falls again as soon as they stop.
 */
#ifndef _UET_CORE_RISE_H
#define _UET_CORE_RISE_H

#include "ccc.h"

/**
 * enum uet_rise_phase - phase of the search
 * @UET_RISE_WATCH: normal window; count round trips far from the base RTT
 * @UET_RISE_DRAIN: small window; wait for packets sent before
 * @UET_RISE_COLLECT: small window; take samples
 */
enum uet_rise_phase {
	UET_RISE_WATCH,
	UET_RISE_DRAIN,
	UET_RISE_COLLECT,
};

/**
 * struct uet_rise - search for a base RTT above the known one
 * @since: start of the phase, ns; in WATCH: first of the long round trips
 * @until: in DRAIN: end of the phase, ns; in WATCH: earliest start of DRAIN
 * @min: smallest round trip of the phase, ns
 * @saved: window before it was lowered, bytes
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
 * uet_rise_far() - is a round trip far above the base RTT?
 * @c: CCC
 * @rtt: round trip, ns
 *
 * Return: true if @rtt > base_rtt + target / 2.
 */
static inline bool uet_rise_far(const struct uet_ccc *c, u64 rtt)
{
	return rtt > c->base_rtt + c->params->target / 2;
}

/**
 * uet_rise_quiet() - can a round trip be ignored?
 * @r: state
 * @c: CCC
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
 * @c: CCC; its window may be changed
 * @now: time, ns
 * @rtt: round trip, ns
 * @m: the answer echoes an ECN mark
 * @watch_ns: how long to watch before the window is lowered
 *
 * Return: true if @r->min is the new base RTT.
 */
bool uet_rise_sample(struct uet_rise *r, struct uet_ccc *c, u64 now, u64 rtt,
		     bool m, u64 watch_ns);

#endif /* _UET_CORE_RISE_H */
