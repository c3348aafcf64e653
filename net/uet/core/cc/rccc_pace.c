// SPDX-License-Identifier: GPL-2.0
/*
 * The pace of receiver credit under congestion in the network (UE 1.0 3.6.14).
 * See rccc_pace.h.
 */
#include "rccc_pace.h"

void uet_rccc_pace_rest(struct uet_rccc_pace *p)
{
	p->end = 0;
	p->pkts = 0;
	p->marks = 0;
	p->trims = 0;
	p->share = 0;
	p->scale = UET_Q16_ONE;
	p->step = UET_RCCC_STEP;
	p->settling = 0;
}

void uet_rccc_pace_init(struct uet_rccc_pace *p, u64 seed)
{
	uet_prng_seed(&p->rnd, seed);
	uet_rccc_pace_rest(p);
}

static u32 pace_part(u32 n, u32 of)
{
	return (u32)div_u64((u64)n << 16, of);
}

/*
 * The part that was trimmed is what the network did not carry, so the pace falls by as
 * much, and a little for marks. Returns true if it was lowered.
 */
static bool pace_adjust(struct uet_rccc_pace *p)
{
	u32 keep = UET_Q16_ONE - pace_part(p->trims, p->pkts);

	p->share = (p->share + pace_part(p->marks, p->pkts)) / 2;
	if (p->marks || p->trims)
		p->step = UET_RCCC_STEP;
	if (p->share <= UET_RCCC_MARKS_MAX && !p->trims) {
		p->scale = min(p->scale + p->step, UET_Q16_ONE);
		if (!p->marks)
			p->step = min(p->step * 2, UET_RCCC_STEP_MAX);
		return false;
	}
	if (p->share > UET_RCCC_MARKS_MAX)
		keep -= min(keep, (p->share - UET_RCCC_MARKS_MAX) / 2);
	p->scale = max((u32)((u64)p->scale * keep >> 16), UET_RCCC_SCALE_MIN);
	return true;
}

static void pace_next_period(struct uet_rccc_pace *p, u64 now, u64 base_rtt)
{
	u32 length = (u32)min_t(u64, UET_RCCC_PERIOD(base_rtt), U32_MAX);

	p->end = now + length - length / 4 +
		 uet_prng_below(&p->rnd, length / 2 + 1);
	p->pkts = 0;
	p->marks = 0;
	p->trims = 0;
}

/*
 * A period ends with the first packet after its time: one without packets says
 * nothing, neither good nor bad.
 */
bool uet_rccc_pace_heard(struct uet_rccc_pace *p, u64 now, u64 base_rtt,
			 u8 signal)
{
	bool slowed = false;

	if (!p->end)
		pace_next_period(p, now, base_rtt);
	p->pkts++;
	p->marks += signal == UET_RCCC_MARKED;
	p->trims += signal == UET_RCCC_TRIMMED;
	if (now < p->end)
		return false;
	if (p->settling)
		p->settling--;
	else
		slowed = pace_adjust(p);
	if (slowed)
		p->settling = UET_RCCC_SETTLE;
	pace_next_period(p, now, base_rtt);
	return slowed;
}
