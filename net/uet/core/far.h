/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The base RTT of a peer that a probe found farther away than the guess.
 *
 * What a probe took may be queues, and a window made for such a base RTT would
 * keep them long; taken for less than it is, the round trip itself looks like
 * congestion, and the window stays small for ever. So the guess holds until the
 * window is so small that this context cannot be what fills the queues; the
 * smallest of many round trips from then on is believed.
 */
#ifndef _UET_CORE_FAR_H
#define _UET_CORE_FAR_H

#include "env.h"

/**
 * struct uet_far - search for a base RTT above the guess
 * @min: smallest round trip of a full packet so far, ns
 * @since: when the first of them came, ns
 * @samples: how many there were
 * @on: a search is on
 */
struct uet_far {
	u64 min;
	u64 since;
	u16 samples;
	bool on;
};

/**
 * uet_far_start() - a probe took longer than the guess
 * @f: state
 */
void uet_far_start(struct uet_far *f);

/**
 * uet_far_sample() - a round trip of a full packet
 * @f: state, a search is on
 * @now: time, ns
 * @rtt: round trip, ns
 * @window: congestion window, bytes
 * @rate_mbps: speed of the local link
 *
 * Return: true if that ends the search: @f->min is the base RTT.
 */
bool uet_far_sample(struct uet_far *f, u64 now, u64 rtt, u64 window,
		    u32 rate_mbps);

#endif /* _UET_CORE_FAR_H */
