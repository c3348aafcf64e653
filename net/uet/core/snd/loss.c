// SPDX-License-Identifier: GPL-2.0
/*
 * Arithmetic of loss inference. See loss.h.
 */
#include "loss.h"

/* A switch port drops at five BDPs, which is four base RTTs of delay. */
#define DROP_DELAY_BASE_RTTS	4
/* Where switches trim, allow for reordering by this many target delays */
#define TRIMMING_TARGETS	3
#define REORDER_STEPS		8U
#define REORDER_REPAIRS		16

u64 uet_rto_init_ns(const struct uet_cc_params *p,
		    const struct uet_rtt_est *est, u64 min_ns, u64 max_ns)
{
	u64 queue = p->trimming ? p->target :
		    DROP_DELAY_BASE_RTTS * p->base_rtt;
	u64 rto = UET_RTO_RTTS * (p->base_rtt + queue);

	if (est->srtt)
		rto = max(rto, (est->srtt >> 3) + est->var);
	return min3(max(rto, min_ns), max_ns, (u64)UET_RTO_LIMIT_NS);
}

u64 uet_rto_backoff_ns(u64 init_ns, u32 retry, u64 max_ns)
{
	u64 cap = min_t(u64, max_ns, UET_RTO_LIMIT_NS);

	if (init_ns >= cap)
		return cap;
	/* cap < 2^33, so 33 doublings of at least 1 ns reach it */
	if (retry > 33)
		return init_ns ? cap : 0;
	return min(init_ns << retry, cap);
}

void uet_reorder_needless(struct uet_reorder *r, u64 now, u64 rtt)
{
	r->repairs = 0;
	if (r->steps && now - r->at < rtt)
		return;
	r->at = now;
	r->steps = (u8)min(r->steps + 1U, REORDER_STEPS);
}

void uet_reorder_repaired(struct uet_reorder *r)
{
	if (!r->steps || ++r->repairs < REORDER_REPAIRS)
		return;
	r->repairs = 0;
	r->steps /= 2;
}

u64 uet_loss_age_ns(const struct uet_cc_params *p,
		    const struct uet_rtt_est *est, u64 base_rtt, u64 newest,
		    u32 steps)
{
	u64 allowance = max(est->var, p->target / 2);

	if (p->trimming)
		return max(base_rtt, (est->srtt >> 3) + est->var) +
		       TRIMMING_TARGETS * p->target;
	return max3(base_rtt, newest, est->srtt >> 3) +
	       (steps + 1) * allowance;
}
