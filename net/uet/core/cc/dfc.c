// SPDX-License-Identifier: GPL-2.0
/*
 * Destination flow control, destination side (UE 1.0 3.6.13.2). See dfc.h.
 */
#include "dfc.h"

/* Unit of uet_dfc.length, a power of two */
#define DFC_UNIT_NS	256

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
			d->at = now;
		d->length = (u32)min_t(u64, (now - d->at + DFC_UNIT_NS - 1) /
					    DFC_UNIT_NS, U32_MAX);
		d->pend = pend;
		d->restoring = false;
		return pend;
	}
	if (d->pend) {
		d->pend = 0;
		d->at = now;
		d->restoring = (u64)d->length * DFC_UNIT_NS <
			       UET_DFC_SHORT_EPISODE_RTTS * base_rtt;
	}
	if (d->restoring && now - d->at > base_rtt)
		d->restoring = false;
	*restore = d->restoring;
	return 0;
}
