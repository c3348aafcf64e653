// SPDX-License-Identifier: GPL-2.0
/*
 * Destination flow control, destination side (UE 1.0 3.6.13.2). See dfc.h.
 */
#include "dfc.h"

u8 uet_dfc_pend(u64 q, u64 lo, u64 hi)
{
	u64 span, over;

	if (q <= lo)
		return 0;
	if (q >= hi)
		return UET_PEND_MAX;
	/* lo < q < hi; keep the product below 2^64 */
	span = hi - lo;
	over = q - lo;
	while (span >> 56) {
		span >>= 1;
		over >>= 1;
	}
	return (u8)div64_u64(over * UET_PEND_MAX, span);
}

u8 uet_dfc_update(struct uet_dfc *d, u64 now, u64 base_rtt, u8 pend,
		  bool *restore)
{
	*restore = false;
	if (pend) {
		if (!d->pend)
			d->start = now;
		d->last = now;
		d->pend = pend;
		d->restoring = false;
		return pend;
	}
	if (d->pend) {
		d->pend = 0;
		d->end = now;
		d->restoring = d->last - d->start <
			       UET_DFC_SHORT_EPISODE_RTTS * base_rtt;
	}
	if (d->restoring && now - d->end > base_rtt)
		d->restoring = false;
	*restore = d->restoring;
	return 0;
}
