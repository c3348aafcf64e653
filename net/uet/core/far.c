// SPDX-License-Identifier: GPL-2.0
/*
 * The base RTT of a peer that a probe found farther away than the guess.
 */
#include "far.h"
#include "params.h"

#define SAMPLES		32
/* Longer than other senders need to see a queue of their own */
#define ROUND_TRIPS	8
/* A window of a packet or two brings few samples: these will do after longer */
#define SAMPLES_FEW	8
#define ROUND_TRIPS_FEW	16
/* A window below this share of what the link carries in a round trip fills none */
#define SHARE		4

void uet_far_start(struct uet_far *f)
{
	f->on = true;
	f->samples = 0;
	f->min = U64_MAX;
}

bool uet_far_sample(struct uet_far *f, u64 now, u64 rtt, u64 window,
		    u32 rate_mbps)
{
	u64 looked, send_ns = div_u64(window * UET_MBPS_NS_PER_BYTE, rate_mbps);

	if (send_ns * SHARE > rtt)
		return false;
	if (!f->samples)
		f->since = now;
	f->min = min(f->min, rtt);
	f->samples = (u16)min(f->samples + 1U, (u32)SAMPLES);
	looked = now - f->since;
	if ((f->samples < SAMPLES || looked < ROUND_TRIPS * f->min) &&
	    (f->samples < SAMPLES_FEW || looked < ROUND_TRIPS_FEW * f->min))
		return false;
	f->on = false;
	return true;
}
