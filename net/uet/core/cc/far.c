// SPDX-License-Identifier: GPL-2.0
/*
 * Search for a base RTT above the initial guess. See far.h.
 */
#include "far.h"
#include "params.h"

#define SAMPLES		32
/* Long enough for other senders to notice a queue that they build */
#define ROUND_TRIPS	8
/* A window of one or two packets yields few samples: fewer, but for longer */
#define SAMPLES_FEW	8
#define ROUND_TRIPS_FEW	16
/* window <= rate * rtt / SHARE builds no queue */
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
