// SPDX-License-Identifier: GPL-2.0
/*
 * "rtt": a smoothed round trip per value, as in the SRD paper. A value slower
 * than the fastest by more than half the target delay is skipped for one visit;
 * a retransmission never takes the value of the original. If most values are
 * slow, the congestion is common to all paths and the window reacts to it: then
 * no value is skipped.
 *
 * Two bytes per value: 10 bits of round trip in 1/32 of the base RTT; LOST, set
 * from a loss to the next answer; SLOW; and 4 bits for the number of visits to
 * skip.
 */
#include "lb_bitmap.h"
#include "lb_oblivious.h"

#define RTT_UNIT_SHIFT	5
#define RTT_MASK	0x03ff
#define LOST		BIT(10)
#define SLOW		BIT(11)
#define SKIP_SHIFT	12
#define AVOID		(SLOW | 0xf000)
#define GAIN_SHIFT	3

/**
 * struct rtt_lb - totals
 * @best: smallest smoothed round trip of the last cycle, units
 * @best_now: smallest of this cycle so far, units
 * @avoided: values in use that are slow or have visits to skip
 * @down: values in use that are declared down
 * @is_down: bit per value: it is declared down
 */
struct rtt_lb {
	u32 best;
	u32 best_now;
	u32 avoided;
	u32 down;
	u64 is_down[UET_LB_AWARE_MAX / 64];
};

static u16 *rtt_entry_of(struct uet_lb *lb, u32 i)
{
	return (u16 *)lb->table + i;
}

static bool rtt_is_down(const struct rtt_lb *r, u32 i)
{
	return r->is_down[i / 64] >> (i % 64) & 1;
}

static bool rtt_saturated(const struct uet_lb *lb, const struct rtt_lb *r)
{
	return uet_lb_saturated(lb, r->avoided);
}

/* Change an entry and update @avoided. */
static void rtt_store(struct uet_lb *lb, struct rtt_lb *r, u32 i, u16 v)
{
	u16 *e = rtt_entry_of(lb, i);

	if (i < lb->n) {
		r->avoided -= !!(*e & AVOID);
		r->avoided += !!(v & AVOID);
	}
	*e = v;
}

/* @best is determined anew in every cycle, so it can also rise. */
static u32 rtt_draw(struct uet_lb *lb, struct rtt_lb *r)
{
	u32 i = uet_lb_index(lb, uet_lb_oblivious_next(lb));
	u32 rtt = *rtt_entry_of(lb, i) & RTT_MASK;

	if (rtt && rtt < r->best_now)
		r->best_now = rtt;
	if (!lb->perm.i) {
		r->best = r->best_now;
		r->best_now = RTT_MASK;
	}
	return i;
}

/*
 * Consecutive draws within a cycle differ; across the end of a cycle two may be
 * equal. So three tries are enough.
 */
static u32 rtt_draw_other(struct uet_lb *lb, struct rtt_lb *r,
			  const struct uet_lb_ask *ask)
{
	u32 not = ask->rtx ? uet_lb_index(lb, ask->prev_ev) : U32_MAX;
	u32 tries = 3;
	u32 i;

	do {
		i = rtt_draw(lb, r);
	} while (i == not && --tries);
	return i;
}

/* Count down a skipped visit; a slow value is skipped only once. */
static u16 rtt_passed_over(u16 v)
{
	v &= ~SLOW;
	return v >> SKIP_SHIFT ? v - BIT(SKIP_SHIFT) : v;
}

static u16 rtt_next(struct uet_lb *lb, const struct uet_lb_ask *ask, u16 *run)
{
	struct rtt_lb *r = uet_lb_priv(lb);
	u32 tries = lb->n, pick = U32_MAX;
	u32 i;
	u16 v;

	do {
		i = rtt_draw_other(lb, r, ask);
		if (unlikely(r->down && rtt_is_down(r, i)))
			continue;
		pick = i;
		v = *rtt_entry_of(lb, i);
		if (!(v & AVOID))
			break;
		rtt_store(lb, r, i, rtt_passed_over(v));
		if (rtt_saturated(lb, r))
			break;
	} while (--tries);
	return (u16)(lb->base + (pick == U32_MAX ? i : pick));
}

static u16 rtt_smooth(u16 v, u64 rtt, u64 base_rtt)
{
	u64 units = div64_u64(rtt << RTT_UNIT_SHIFT, base_rtt);
	s32 old = v & RTT_MASK;
	s32 new = (s32)clamp_t(u64, units, 1, RTT_MASK);

	if (old)
		new = max(old + ((new - old) >> GAIN_SHIFT), 1);
	return (v & ~RTT_MASK) | (u16)new;
}

static void rtt_feedback(struct uet_lb *lb, const struct uet_lb_signal *sig)
{
	struct rtt_lb *r = uet_lb_priv(lb);
	u32 i = uet_lb_index(lb, sig->ev);
	u16 v = *rtt_entry_of(lb, i);
	u32 margin, skip;

	if (unlikely(r->down && rtt_is_down(r, i)))
		return;
	if (sig->rtt_valid && sig->base_rtt && sig->rtt < 1ULL << 40) {
		v = rtt_smooth(v, sig->rtt, sig->base_rtt);
		margin = (u32)div64_u64(sig->target << (RTT_UNIT_SHIFT - 1),
					sig->base_rtt);
		v &= ~SLOW;
		if (r->best && (v & RTT_MASK) > r->best + margin)
			v |= SLOW;
	}
	if (v & LOST && sig->reason <= UET_LB_ECN) {
		v &= ~LOST;
		uet_lb_note(lb, UET_LB_NOTE_GOOD, sig->ev);
	}
	skip = v >> SKIP_SHIFT;
	if (sig->reason == UET_LB_NACK)
		skip = min_t(u32, skip + UET_SKIP_NACK, UET_SKIP_MAX);
	if (sig->reason == UET_LB_TIMEOUT) {
		if (!(v & LOST))
			uet_lb_note(lb, UET_LB_NOTE_BAD, sig->ev);
		v |= LOST;
		skip = UET_SKIP_MAX;
	}
	v = (v & (RTT_MASK | LOST | SLOW)) | (u16)(skip << SKIP_SHIFT);
	rtt_store(lb, r, i, v);
}

static void rtt_init(struct uet_lb *lb, const struct uet_lb_config *cfg)
{
	struct rtt_lb *r = uet_lb_priv(lb);

	BUILD_BUG_ON(sizeof(*r) > UET_LB_PRIV_SIZE);
	r->best_now = RTT_MASK;
}

static void rtt_resized(struct uet_lb *lb, u32 old)
{
	struct rtt_lb *r = uet_lb_priv(lb);
	u32 i;

	r->avoided = 0;
	r->down = 0;
	for (i = 0; i < lb->n; i++) {
		r->avoided += !!(*rtt_entry_of(lb, i) & AVOID);
		r->down += rtt_is_down(r, i);
	}
}

/* Clear the round trip of the value, or it might be the fastest for ever. */
static int rtt_path_down(struct uet_lb *lb, u16 ev)
{
	struct rtt_lb *r = uet_lb_priv(lb);
	u32 i = uet_lb_index(lb, ev);

	if (rtt_is_down(r, i))
		return 0;
	rtt_store(lb, r, i, 0);
	r->is_down[i / 64] |= BIT_ULL(i % 64);
	r->down += i < lb->n;
	uet_lb_note(lb, UET_LB_NOTE_BAD, ev);
	return 0;
}

static int rtt_path_up(struct uet_lb *lb, u16 ev)
{
	struct rtt_lb *r = uet_lb_priv(lb);
	u32 i = uet_lb_index(lb, ev);

	rtt_store(lb, r, i, 0);
	if (rtt_is_down(r, i))
		r->down -= i < lb->n;
	r->is_down[i / 64] &= ~BIT_ULL(i % 64);
	uet_lb_note(lb, UET_LB_NOTE_GOOD, ev);
	return 0;
}

static void rtt_path_get(const struct uet_lb *lb, u32 index,
			 struct uet_lb_path *path)
{
	u16 v = ((const u16 *)lb->table)[index];

	path->skip = (u8)(v >> SKIP_SHIFT);
	path->down = rtt_is_down(uet_lb_priv_const(lb), index);
	path->bad = path->down || v & AVOID;
}

static u32 rtt_bad_paths(const struct uet_lb *lb)
{
	const struct rtt_lb *r = uet_lb_priv_const(lb);

	return r->avoided + r->down;
}

const struct uet_lb_ops uet_lb_rtt = {
	.next = rtt_next,
	.feedback = rtt_feedback,
	.init = rtt_init,
	.resized = rtt_resized,
	.path_down = rtt_path_down,
	.path_up = rtt_path_up,
	.path_get = rtt_path_get,
	.bad_paths = rtt_bad_paths,
	.name = "rtt",
	.ev_bytes = 2,
	.aware = true,
	.recalls = true,
};
