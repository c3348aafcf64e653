// SPDX-License-Identifier: GPL-2.0
/*
 * Smoothed round trip for timers, with the gains every transport uses: 1/8
 * for the mean, 1/4 for the deviation.
 */
#include "rtt.h"

#define RTT_SAMPLE_MAX_NS	0x400000000ULL

void uet_rtt_est_add(struct uet_rtt_est *e, u64 rtt)
{
	u64 mean, dev;

	rtt = clamp_t(u64, rtt, 1, RTT_SAMPLE_MAX_NS);
	if (!e->srtt) {
		e->srtt = rtt << 3;
		e->var = rtt << 1;
		return;
	}
	mean = e->srtt >> 3;
	dev = rtt > mean ? rtt - mean : mean - rtt;
	e->srtt += rtt - mean;
	e->var += dev;
	e->var -= (e->var - dev) >> 2;
}
