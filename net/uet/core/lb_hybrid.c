// SPDX-License-Identifier: GPL-2.0
/*
 * "hybrid": use a set of values in turn, each once per cycle, and replace by a
 * new value what does worse than the set: the one that loses a packet, and,
 * the more likely the further it is behind, the one that queues longer than
 * most. So the set comes to hold as many values of each path as the path can
 * carry, whatever its speed and however unevenly values hash onto paths, and
 * none of a dead one (UE 1.0 3.6.16 leaves the algorithm open).
 *
 * All cycles have one order. So what a value meets in a cycle it meets in the
 * next one, too, as long as senders are paced by their links; values that
 * collide with those of other senders go, until all send past each other.
 *
 * Values are compared with each other: where all are late, congestion is
 * common to all of them and is the window's to answer.
 *
 * Two bytes per value in use: which of the values that share the entry it is,
 * and the entry at this place of the order, once the first cycle has come there.
 */
#include "lb.h"

#define UNITS		16	/* of a target delay */
#define DELAY_MAX	(16 * UNITS)
#define DELAY_TRIMMED	(4 * UNITS)
#define MEAN_SHIFT	4
/* Bits of a random number: an excess delay of more is never kept. */
#define RISK_BITS_MARKED	5
#define RISK_BITS_CLEAR		6

/**
 * struct hybrid - state
 * @mean: smoothed queueing delay of all values, units << MEAN_SHIFT
 * @ordered: places of the order that are known
 * @down: values in use that are declared down
 * @down_all: values declared down
 * @gone: values given up for a loss in this cycle
 * @gone_before: in the one before
 * @target: delay target that @recip belongs to, ns
 * @recip: UNITS / @target x 2^32
 * @entry_recip: 2^32 / uet_lb.n_max, rounded up
 * @late: smallest delay beyond %DELAY_MAX units, ns
 * @is_down: bit per entry: its value is declared down
 */
struct hybrid {
	u32 mean;
	u32 ordered;
	u32 down;
	u32 down_all;
	u32 gone;
	u32 gone_before;
	u64 target;
	u64 recip;
	u64 late;
	u64 entry_recip;
	u64 is_down[UET_LB_AWARE_MAX / 64];
};

static u8 *which(struct uet_lb *lb, u32 entry)
{
	return &lb->table[entry];
}

/* An entry is a byte: a path-aware space is not larger. */
static u8 *order(struct uet_lb *lb, u32 place)
{
	BUILD_BUG_ON(UET_LB_AWARE_MAX > 0x100);
	return &lb->table[lb->n_max + place];
}

static u64 *down_word(struct hybrid *h, u32 entry)
{
	return &h->is_down[entry / 64];
}

static bool is_down(const struct hybrid *h, u32 entry)
{
	return h->is_down[entry / 64] >> (entry % 64) & 1;
}

/* Of a value inside the space. */
static u32 entry_of(const struct uet_lb *lb, u16 ev)
{
	u32 i = uet_lb_index(lb, ev);

	return i < lb->n_max ? i : i % lb->n_max;
}

static u16 value(struct uet_lb *lb, u32 entry)
{
	return (u16)(lb->base + entry + *which(lb, entry) * lb->n_max);
}

static u32 next_entry(struct uet_lb *lb, struct hybrid *h)
{
	u32 place = lb->perm.i;

	if (unlikely(!place)) {
		h->gone_before = h->gone;
		h->gone = 0;
	}
	lb->perm.i = place + 1 == lb->n ? 0 : place + 1;
	if (unlikely(place >= h->ordered)) {
		*order(lb, place) = (u8)uet_perm_at(&lb->perm, place,
						    lb->perm.key);
		h->ordered = place + 1;
	}
	return *order(lb, place);
}

static u16 next(struct uet_lb *lb, const struct uet_lb_ask *ask, u16 *run)
{
	struct hybrid *h = uet_lb_priv(lb);
	u32 tries = lb->n;
	u32 entry;
	u16 ev;

	do {
		entry = next_entry(lb, h);
		ev = value(lb, entry);
		if (likely(!(h->down && is_down(h, entry)) &&
			   !(ask->rtx && ev == ask->prev_ev)))
			break;
	} while (--tries);
	return ev;
}

/* Take another of the values that share an entry, at random. */
static void renew(struct uet_lb *lb, u32 entry)
{
	u32 n = lb->span / lb->n_max;
	u8 *w = which(lb, entry);

	if (n > 1)
		*w = (u8)((*w + 1 + uet_prng_below(&lb->prng, n - 1)) % n);
}

static noinline void set_target(struct hybrid *h, u64 target)
{
	h->target = target;
	h->recip = max_t(u64, div64_u64((u64)UNITS << 32, max_t(u64, target, 1)),
			 1);
	h->late = div64_u64((u64)DELAY_MAX << 32, h->recip) + 1;
}

static u32 delay_units(const struct hybrid *h, u64 d)
{
	return d < h->late ? (u32)((d * h->recip) >> 32) : DELAY_MAX;
}

static noinline void lost(struct uet_lb *lb, u16 ev)
{
	struct hybrid *h = uet_lb_priv(lb);
	u32 entry = entry_of(lb, ev);

	if (value(lb, entry) != ev || is_down(h, entry))
		return;
	renew(lb, entry);
	h->gone++;
	uet_lb_note(lb, UET_LB_NOTE_BAD, ev);
}

/*
 * A packet with the value at @i of the space queued for @d. If that is longer
 * than most, another value may take its place.
 */
static __always_inline void queued(struct uet_lb *lb, struct hybrid *h, u32 i,
				   u32 d, bool m)
{
	u32 mean = h->mean >> MEAN_SHIFT;
	u32 w, entry;

	h->mean += d - mean;
	if (d <= mean)
		return;
	/* exact for any position below 2^16 */
	w = (u32)((i * h->entry_recip) >> 32);
	entry = i - w * lb->n_max;
	if (*which(lb, entry) == w && !(h->down_all && is_down(h, entry)) &&
	    d - mean > uet_prng_bits(&lb->prng,
				     m ? RISK_BITS_MARKED : RISK_BITS_CLEAR))
		renew(lb, entry);
}

static void feedback(struct uet_lb *lb, const struct uet_lb_signal *sig)
{
	struct hybrid *h = uet_lb_priv(lb);
	u32 i = uet_lb_index(lb, sig->ev);
	u64 delay = sig->rtt > sig->base_rtt ? sig->rtt - sig->base_rtt : 0;

	switch (sig->reason) {
	case UET_LB_NO_ECN:
	case UET_LB_ECN:
		if (!sig->rtt_valid)
			return;
		if (sig->target != h->target)
			set_target(h, sig->target);
		queued(lb, h, i, delay_units(h, delay),
		       sig->reason == UET_LB_ECN);
		break;
	case UET_LB_NACK:
		queued(lb, h, i, DELAY_TRIMMED, true);
		break;
	default:
		lost(lb, sig->ev);
	}
}

static noinline void acked_any(struct uet_lb *lb, u16 ev, bool m, u64 delay,
			       u64 target, u64 now)
{
	struct hybrid *h = uet_lb_priv(lb);

	if (target != h->target)
		set_target(h, target);
	if (!m)
		uet_lb_good_came_back(&lb->good, ev, now);
	queued(lb, h, uet_lb_index(lb, ev), delay_units(h, delay), m);
}

/* The same without what is rare. */
static void acked(struct uet_lb *lb, u16 ev, bool m, u64 delay, u64 target,
		  u64 now)
{
	struct hybrid *h = uet_lb_priv(lb);
	u32 i = uet_lb_index(lb, ev);

	if (i >= lb->span)
		return;
	if (unlikely(target != h->target ||
		     !(m || uet_lb_good_is_new(&lb->good, ev)))) {
		acked_any(lb, ev, m, delay, target, now);
		return;
	}
	if (!m)
		uet_lb_good_replace(&lb->good, ev, now);
	queued(lb, h, i, delay_units(h, delay), m);
}

static int path_down(struct uet_lb *lb, u16 ev)
{
	struct hybrid *h = uet_lb_priv(lb);
	u32 entry = entry_of(lb, ev);

	if (value(lb, entry) != ev || is_down(h, entry))
		return 0;
	*down_word(h, entry) |= BIT_ULL(entry % 64);
	h->down += entry < lb->n;
	h->down_all++;
	uet_lb_note(lb, UET_LB_NOTE_BAD, ev);
	return 0;
}

static int path_up(struct uet_lb *lb, u16 ev)
{
	struct hybrid *h = uet_lb_priv(lb);
	u32 entry = entry_of(lb, ev);

	if (!is_down(h, entry))
		return 0;
	*down_word(h, entry) &= ~BIT_ULL(entry % 64);
	h->down -= entry < lb->n;
	h->down_all--;
	uet_lb_note(lb, UET_LB_NOTE_GOOD, ev);
	return 0;
}

static void resized(struct uet_lb *lb, u32 old)
{
	struct hybrid *h = uet_lb_priv(lb);
	u32 i;

	h->ordered = 0;
	h->gone = 0;
	h->gone_before = 0;
	h->down = 0;
	for (i = 0; i < lb->n; i++)
		h->down += is_down(h, i);
}

static void path_get(const struct uet_lb *lb, u32 index,
		     struct uet_lb_path *path)
{
	path->ev = (u16)(lb->base + index + lb->table[index] * lb->n_max);
	path->down = is_down(uet_lb_priv_const(lb), index);
	path->bad = path->down;
}

/* What is given up is out of use at once: it counts for a cycle or two. */
static u32 bad_paths(const struct uet_lb *lb)
{
	const struct hybrid *h = uet_lb_priv_const(lb);

	return min(h->down + h->gone + h->gone_before, lb->n);
}

static void init(struct uet_lb *lb, const struct uet_lb_config *cfg)
{
	struct hybrid *h = uet_lb_priv(lb);
	u32 i;

	BUILD_BUG_ON(sizeof(*h) > UET_LB_PRIV_SIZE);
	h->entry_recip = div_u64(U32_MAX, lb->n_max) + 1;
	/* an entry counts them in a byte */
	lb->span = min(lb->span, lb->n_max * (U8_MAX + 1));
	for (i = 0; i < lb->n_max; i++)
		renew(lb, i);
}

const struct uet_lb_ops uet_lb_hybrid = {
	.next = next,
	.feedback = feedback,
	.acked = acked,
	.init = init,
	.resized = resized,
	.path_down = path_down,
	.path_up = path_up,
	.path_get = path_get,
	.bad_paths = bad_paths,
	.name = "hybrid",
	.ev_bytes = 2,
	.aware = true,
	.recalls = true,
	.renews = true,
};
