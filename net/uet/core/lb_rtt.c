// SPDX-License-Identifier: GPL-2.0
/*
 * "rtt": a smoothed round trip per value, as in the SRD paper. Values slower
 * than the fastest by more than half the target delay are passed over for one
 * visit; retransmissions never take the value of the original. If most values
 * are slow, the congestion is common to all of them and is the window's to
 * answer, so none is passed over.
 *
 * Two bytes per value: 10 bits of round trip in 1/32 of the base RTT, a flag for
 * what was lost until something comes back, one for slow, and 4 bits of visits
 * to pass over.
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
 * @avoided: values in use that are slow or have visits to pass over
 */
struct rtt_lb {
	u32 best;
	u32 best_now;
	u32 avoided;
};

static u16 *entry_of(struct uet_lb *lb, u32 i)
{
	return (u16 *)lb->table + i;
}

static bool saturated(const struct uet_lb *lb, const struct rtt_lb *r)
{
	return r->avoided * 100 >= lb->threshold_pct * lb->n;
}

/* Change an entry and keep the total right. */
static void store(struct uet_lb *lb, struct rtt_lb *r, u32 i, u16 v)
{
	u16 *e = entry_of(lb, i);

	if (i < lb->n) {
		r->avoided -= !!(*e & AVOID);
		r->avoided += !!(v & AVOID);
	}
	*e = v;
}

/* The smallest round trip is renewed every cycle, so it can also rise. */
static u32 draw(struct uet_lb *lb, struct rtt_lb *r)
{
	u32 i = uet_lb_index(lb, uet_lb_oblivious_next(lb));
	u32 rtt = *entry_of(lb, i) & RTT_MASK;

	if (rtt && rtt < r->best_now)
		r->best_now = rtt;
	if (!lb->perm.i) {
		r->best = r->best_now;
		r->best_now = RTT_MASK;
	}
	return i;
}

/*
 * Two draws in a row differ within a cycle; across its end they may be equal
 * once.
 */
static u32 draw_other(struct uet_lb *lb, struct rtt_lb *r,
		      const struct uet_lb_ask *ask)
{
	u32 not = ask->rtx ? uet_lb_index(lb, ask->prev_ev) : U32_MAX;
	u32 tries = 3;
	u32 i;

	do {
		i = draw(lb, r);
	} while (i == not && --tries);
	return i;
}

/* One visit less; a slow value is tried again after one. */
static u16 passed_over(u16 v)
{
	v &= ~SLOW;
	return v >> SKIP_SHIFT ? v - BIT(SKIP_SHIFT) : v;
}

static u16 next(struct uet_lb *lb, const struct uet_lb_ask *ask, u16 *run)
{
	struct rtt_lb *r = uet_lb_priv(lb);
	u32 tries = lb->n;
	u32 i;
	u16 v;

	do {
		i = draw_other(lb, r, ask);
		v = *entry_of(lb, i);
		if (!(v & AVOID))
			break;
		store(lb, r, i, passed_over(v));
		if (saturated(lb, r))
			break;
	} while (--tries);
	return (u16)(lb->base + i);
}

static u16 smooth(u16 v, u64 rtt, u64 base_rtt)
{
	u64 units = div64_u64(rtt << RTT_UNIT_SHIFT, base_rtt);
	s32 old = v & RTT_MASK;
	s32 new = (s32)clamp_t(u64, units, 1, RTT_MASK);

	if (old)
		new = max(old + ((new - old) >> GAIN_SHIFT), 1);
	return (v & ~RTT_MASK) | (u16)new;
}

static void feedback(struct uet_lb *lb, const struct uet_lb_signal *sig)
{
	struct rtt_lb *r = uet_lb_priv(lb);
	u32 i = uet_lb_index(lb, sig->ev);
	u16 v = *entry_of(lb, i);
	u32 margin, skip;

	if (sig->rtt_valid && sig->base_rtt && sig->rtt < 1ULL << 40) {
		v = smooth(v, sig->rtt, sig->base_rtt);
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
	store(lb, r, i, v);
}

static void init(struct uet_lb *lb, const struct uet_lb_config *cfg)
{
	struct rtt_lb *r = uet_lb_priv(lb);

	r->best_now = RTT_MASK;
}

static void resized(struct uet_lb *lb, u32 old)
{
	struct rtt_lb *r = uet_lb_priv(lb);
	u32 i;

	r->avoided = 0;
	for (i = 0; i < lb->n; i++)
		r->avoided += !!(*entry_of(lb, i) & AVOID);
}

static int path_up(struct uet_lb *lb, u16 ev)
{
	store(lb, uet_lb_priv(lb), uet_lb_index(lb, ev), 0);
	uet_lb_note(lb, UET_LB_NOTE_GOOD, ev);
	return 0;
}

static void path_get(const struct uet_lb *lb, u32 index,
		     struct uet_lb_path *path)
{
	u16 v = ((const u16 *)lb->table)[index];

	path->skip = (u8)(v >> SKIP_SHIFT);
	path->bad = v & AVOID;
}

static u32 bad_paths(const struct uet_lb *lb)
{
	const struct rtt_lb *r = uet_lb_priv_const(lb);

	return r->avoided;
}

const struct uet_lb_ops uet_lb_rtt = {
	.next = next,
	.feedback = feedback,
	.init = init,
	.resized = resized,
	.path_up = path_up,
	.path_get = path_get,
	.bad_paths = bad_paths,
	.name = "rtt",
	.ev_bytes = 2,
	.aware = true,
	.recalls = true,
};
