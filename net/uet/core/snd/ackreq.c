// SPDX-License-Identifier: GPL-2.0
/*
 * When a source sets AR, the flag that asks the target for an ACK
 * (UE 1.0 3.6.13.5). See ackreq.h.
 */
#include "ackreq.h"

/* ACKs requested per window, unless the target sends more by itself */
#define ANSWERS_PER_WINDOW	4

bool uet_ackreq_due(const struct uet_ackreq *a, const struct uet_txwin *w,
		    const struct uet_ackreq_rule *r)
{
	u64 headers = (u64)w->ring->flight_pkts * r->overhead;
	u64 payload = w->ring->flight_bytes - min(w->ring->flight_bytes, headers);

	if (uet_txwin_has(w, a->psn) && !uet_txwin_is_sacked(w, a->psn) &&
	    !uet_txwin_is_marked(w, a->psn))
		return true;
	return max(payload, (u64)w->ring->flight_pkts * r->min_add) >= r->trigger;
}

bool uet_ackreq_share(const struct uet_ackreq *a, const struct uet_txwin *w,
		      u32 bytes, u64 window, u64 inflight)
{
	u64 count = ((u64)a->count + bytes) * ANSWERS_PER_WINDOW;

	return count * inflight >= window * w->ring->flight_bytes;
}

bool uet_ackreq_wanted(const struct uet_ackreq *a, const struct uet_txwin *w,
		       const struct uet_ackreq_rule *r, u32 bytes, u64 window,
		       u64 inflight)
{
	return window < r->trigger ||
	       uet_ackreq_share(a, w, bytes, window,
				max(inflight, w->ring->flight_bytes)) ||
	       !uet_ackreq_due(a, w, r);
}
