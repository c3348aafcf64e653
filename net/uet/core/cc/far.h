/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Search for the base RTT of a peer if a probe (UE 1.0 3.6.13.7) took longer
 * than the initial guess.
 *
 * The round trip of a probe may include queueing, and a window sized by it
 * would keep the queues long. But if the base RTT is too low, the distance looks
 * like congestion and the window stays small for ever. So keep the guess until
 * the window is so small that this CCC cannot fill a queue. From then on take
 * the smallest of many round trips.
 */
#ifndef _UET_CORE_FAR_H
#define _UET_CORE_FAR_H

#include "../env.h"

/**
 * struct uet_far - search for a base RTT above the guess
 * @min: smallest round trip of a full packet so far, ns
 * @since: time of the first sample, ns
 * @samples: number of samples, up to the number required
 * @on: the search is running
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
 * @f: state, the search is running
 * @now: time, ns
 * @rtt: round trip, ns
 * @window: congestion window, bytes
 * @rate_mbps: speed of the local link
 *
 * Return: true if the search has ended: @f->min is the base RTT.
 */
bool uet_far_sample(struct uet_far *f, u64 now, u64 rtt, u64 window,
		    u32 rate_mbps);

#endif /* _UET_CORE_FAR_H */
