// SPDX-License-Identifier: GPL-2.0
/*
 * "hybrid": use a set of values in turn, each once per cycle, and replace a
 * value that does worse than the rest of the set. A value that loses a packet
 * is replaced; a value that queues longer than the mean is replaced with a
 * probability that grows with the excess. So each path ends up with as many
 * values as it can carry, whatever its speed and however unevenly values hash
 * onto paths, and a dead path with none. UE 1.0 3.6.16 leaves the algorithm
 * open; this one comes from no specification or study.
 *
 * The order is the same in all cycles. While senders are paced by their links,
 * a value therefore meets the same traffic in every cycle. Values that collide
 * with those of other senders are replaced until none collide.
 *
 * Values are compared with each other only: if all of them are late, the
 * congestion is common to all paths, and the window reacts to it. Nor is a value
 * replaced for its delay while a large share of them is marked or trimmed; for a
 * loss it is, since what is dead has to be left in any case.
 *
 * Of a dead path only the values that were tried are known to be dead, and values
 * are replaced for their delay all the time, by random ones. So that those of a dead path
 * are not drawn again and again, each entry remembers which of its values lost a packet.
 *
 * The table has three bytes per entry: which of the values that share the entry
 * is in use; the entry at this place of the order, valid once the first
 * cycle has reached it; and which of the values lost packets.
 */
#include "lb_marked.h"

#define UNITS		16	/* units per target delay */
#define DELAY_MAX	(16 * UNITS)
#define DELAY_TRIMMED	(4 * UNITS)
#define MEAN_SHIFT	4
/* Replace if excess delay > random number of this many bits. */
#define RISK_BITS_MARKED	5
#define RISK_BITS_CLEAR		6
/* Cycles after which one entry may draw again what lost packets: a path may be back. */
#define FORGET_CYCLES		16

/**
 * struct hybrid - state
 * @mean: smoothed queueing delay of all values, units << MEAN_SHIFT
 * @ordered: number of places of the order that are valid
 * @down: values in use that are declared down
 * @down_all: values declared down, in use or not
 * @gone: values replaced after a loss in this cycle
 * @gone_before: values replaced after a loss in the previous cycle
 * @cycles: cycles begun
 * @target: delay target that @recip belongs to, ns
 * @recip: UNITS / @target x 2^32
 * @entry_recip: 2^32 / uet_lb.n_max, rounded up
 * @late: smallest delay above %DELAY_MAX units, ns
 * @is_down: bit per entry: its value is declared down
 * @marked: entries that see congestion; a new value of an entry inherits that
 *	until it is answered
 */
struct hybrid {
	u32 mean;
	u32 ordered;
	u16 down;
	u16 down_all;
	u32 gone;
	u32 gone_before;
	u32 cycles;
	u64 target;
	u64 recip;
	u64 late;
	u64 entry_recip;
	u64 is_down[UET_LB_AWARE_MAX / 64];
	struct uet_lb_marked marked;
};

static u8 *hybrid_which(struct uet_lb *lb, u32 entry)
{
	return &lb->table[entry];
}

/* One byte is enough: a path-aware space has at most 256 entries. */
static u8 *hybrid_order(struct uet_lb *lb, u32 place)
{
	BUILD_BUG_ON(UET_LB_AWARE_MAX > 0x100);
	return &lb->table[lb->n_max + place];
}

/* Values of an entry that lost packets: a bit for each, from the ninth on shared */
static u8 *hybrid_lossy(struct uet_lb *lb, u32 entry)
{
	return &lb->table[2 * lb->n_max + entry];
}

static u64 *hybrid_down_word(struct hybrid *h, u32 entry)
{
	return &h->is_down[entry / 64];
}

static bool hybrid_is_down(const struct hybrid *h, u32 entry)
{
	return h->is_down[entry / 64] >> (entry % 64) & 1;
}

/* Entry of a value inside the space. */
static u32 hybrid_entry_of(const struct uet_lb *lb, u16 ev)
{
	u32 i = uet_lb_index(lb, ev);

	return i < lb->n_max ? i : i % lb->n_max;
}

static u16 hybrid_value(struct uet_lb *lb, u32 entry)
{
	return (u16)(lb->base + entry + *hybrid_which(lb, entry) * lb->n_max);
}

static u32 hybrid_next_entry(struct uet_lb *lb, struct hybrid *h)
{
	u32 place = lb->perm.i;

	if (unlikely(!place)) {
		h->gone_before = h->gone;
		h->gone = 0;
		if (++h->cycles % FORGET_CYCLES == 0)
			*hybrid_lossy(lb, h->cycles / FORGET_CYCLES % lb->n) = 0;
	}
	lb->perm.i = place + 1 == lb->n ? 0 : place + 1;
	if (unlikely(place >= h->ordered)) {
		*hybrid_order(lb, place) = (u8)uet_perm_at(&lb->perm, place,
							   lb->perm.key);
		h->ordered = place + 1;
	}
	return *hybrid_order(lb, place);
}

static u16 hybrid_next(struct uet_lb *lb, const struct uet_lb_ask *ask,
		       u16 *run)
{
	struct hybrid *h = uet_lb_priv(lb);
	u32 tries = lb->n;
	u32 entry;
	u16 ev;

	do {
		entry = hybrid_next_entry(lb, h);
		ev = hybrid_value(lb, entry);
		if (likely(!(h->down && hybrid_is_down(h, entry)) &&
			   !(ask->rtx && ev == ask->prev_ev)))
			break;
	} while (--tries);
	return ev;
}

/* Same as hybrid_next() for a new packet */
static u16 hybrid_plain(struct uet_lb *lb)
{
	struct hybrid *h = uet_lb_priv(lb);
	u32 tries = lb->n;
	u32 entry;

	do {
		entry = hybrid_next_entry(lb, h);
	} while (unlikely(h->down) && hybrid_is_down(h, entry) && --tries);
	return hybrid_value(lb, entry);
}

static bool hybrid_has_lost(struct uet_lb *lb, u32 entry, u32 which)
{
	return *hybrid_lossy(lb, entry) & BIT(which % 8);
}

/*
 * Replace the value of an entry by a random other one that shares it, if there is one by
 * one that did not lose a packet lately.
 */
static void hybrid_renew(struct uet_lb *lb, u32 entry)
{
	u32 n = lb->span / lb->n_max, tries = n;
	u8 *w = hybrid_which(lb, entry), old = *w;

	if (n <= 1)
		return;
	*w = (u8)((old + 1 + uet_prng_below(&lb->prng, n - 1)) % n);
	while ((*w == old || hybrid_has_lost(lb, entry, *w)) && --tries)
		*w = (u8)((*w + 1) % n);
}

/* Remember that the value of an entry lost a packet. If all did, none is to be avoided. */
static void hybrid_note_lossy(struct uet_lb *lb, u32 entry)
{
	u8 *lossy = hybrid_lossy(lb, entry), bit = BIT(*hybrid_which(lb, entry) % 8);
	u32 n = lb->span / lb->n_max;

	*lossy |= bit;
	if (*lossy == (n < 8 ? BIT(n) - 1 : U8_MAX))
		*lossy = bit;
}

static noinline void hybrid_set_target(struct hybrid *h, u64 target)
{
	h->target = target;
	h->recip = max_t(u64, div64_u64((u64)UNITS << 32, max_t(u64, target, 1)),
			 1);
	h->late = div64_u64((u64)DELAY_MAX << 32, h->recip) + 1;
}

static u32 hybrid_delay_units(const struct hybrid *h, u64 d)
{
	return d < h->late ? (u32)((d * h->recip) >> 32) : DELAY_MAX;
}

static noinline void hybrid_lost(struct uet_lb *lb, u16 ev)
{
	struct hybrid *h = uet_lb_priv(lb);
	u32 entry = hybrid_entry_of(lb, ev);

	if (hybrid_value(lb, entry) != ev || hybrid_is_down(h, entry))
		return;
	hybrid_note_lossy(lb, entry);
	hybrid_renew(lb, entry);
	h->gone++;
	uet_lb_note(lb, UET_LB_NOTE_BAD, ev);
}

static void hybrid_mark(struct uet_lb *lb, struct hybrid *h, u32 entry, bool m)
{
	if (uet_lb_marked_set(lb, &h->marked, entry, m))
		uet_lb_note(lb, UET_LB_NOTE_SATURATED,
			    hybrid_value(lb, entry));
}

/*
 * A packet with the value at position @i of the space queued for @d units. If
 * that is longer than the mean, the value may be replaced.
 */
static __always_inline void hybrid_queued(struct uet_lb *lb, struct hybrid *h,
					  u32 i, u32 d, bool m)
{
	u32 mean = h->mean >> MEAN_SHIFT;
	u32 w, entry;

	h->mean += d - mean;
	if (d <= mean && !m && likely(!h->marked.nr))
		return;
	/* i / n_max, exact for i < 2^16 */
	w = (u32)((i * h->entry_recip) >> 32);
	entry = i - w * lb->n_max;
	if (*hybrid_which(lb, entry) != w)
		return;
	if (m || h->marked.nr)
		hybrid_mark(lb, h, entry, m);
	if (d > mean && !uet_lb_marked_full(lb, &h->marked) &&
	    !(h->down_all && hybrid_is_down(h, entry)) &&
	    d - mean > uet_prng_bits(&lb->prng,
				     m ? RISK_BITS_MARKED : RISK_BITS_CLEAR)) {
		hybrid_renew(lb, entry);
		/* That of the entry was of its value. */
		if (unlikely(lb->live))
			memset(&lb->live[entry], 0, sizeof(lb->live[entry]));
	}
}

static void hybrid_feedback(struct uet_lb *lb, const struct uet_lb_signal *sig)
{
	struct hybrid *h = uet_lb_priv(lb);
	u32 i = uet_lb_index(lb, sig->ev);
	u64 delay = sig->rtt > sig->base_rtt ? sig->rtt - sig->base_rtt : 0;

	switch (sig->reason) {
	case UET_LB_NO_ECN:
	case UET_LB_ECN:
		if (sig->target != h->target)
			hybrid_set_target(h, sig->target);
		/* Without a round trip, the mean is what says nothing */
		hybrid_queued(lb, h, i, sig->rtt_valid ?
			      hybrid_delay_units(h, delay) :
			      h->mean >> MEAN_SHIFT,
			      sig->reason == UET_LB_ECN);
		break;
	case UET_LB_NACK:
		hybrid_queued(lb, h, i, DELAY_TRIMMED, true);
		break;
	default:
		hybrid_lost(lb, sig->ev);
	}
}

static noinline void hybrid_acked_any(struct uet_lb *lb, u16 ev, bool m,
				      u64 delay, u64 target, u64 now)
{
	struct hybrid *h = uet_lb_priv(lb);

	if (target != h->target)
		hybrid_set_target(h, target);
	if (!m)
		uet_lb_good_came_back(&lb->good, ev, now);
	hybrid_queued(lb, h, uet_lb_index(lb, ev), hybrid_delay_units(h, delay),
		      m);
}

/* Same as hybrid_acked_any(), without the rare cases. */
static void hybrid_acked(struct uet_lb *lb, u16 ev, bool m, u64 delay,
			 u64 target, u64 now)
{
	struct hybrid *h = uet_lb_priv(lb);
	u32 i = uet_lb_index(lb, ev);

	if (i >= lb->span)
		return;
	if (unlikely(target != h->target ||
		     !(m || uet_lb_good_is_new(&lb->good, ev)))) {
		hybrid_acked_any(lb, ev, m, delay, target, now);
		return;
	}
	if (!m)
		uet_lb_good_replace(&lb->good, ev, now);
	hybrid_queued(lb, h, i, hybrid_delay_units(h, delay), m);
}

static int hybrid_path_down(struct uet_lb *lb, u16 ev)
{
	struct hybrid *h = uet_lb_priv(lb);
	u32 entry = hybrid_entry_of(lb, ev);

	if (hybrid_value(lb, entry) != ev || hybrid_is_down(h, entry))
		return 0;
	*hybrid_down_word(h, entry) |= BIT_ULL(entry % 64);
	h->down += entry < lb->n;
	h->down_all++;
	uet_lb_note(lb, UET_LB_NOTE_BAD, ev);
	return 0;
}

static int hybrid_path_up(struct uet_lb *lb, u16 ev)
{
	struct hybrid *h = uet_lb_priv(lb);
	u32 entry = hybrid_entry_of(lb, ev);

	if (!hybrid_is_down(h, entry))
		return 0;
	*hybrid_down_word(h, entry) &= ~BIT_ULL(entry % 64);
	uet_lb_marked_set(lb, &h->marked, entry, false);
	h->down -= entry < lb->n;
	h->down_all--;
	uet_lb_note(lb, UET_LB_NOTE_GOOD, ev);
	return 0;
}

static void hybrid_resized(struct uet_lb *lb, u32 old)
{
	struct hybrid *h = uet_lb_priv(lb);
	u32 i;

	h->ordered = 0;
	h->gone = 0;
	h->gone_before = 0;
	h->down = 0;
	for (i = 0; i < lb->n; i++)
		h->down += hybrid_is_down(h, i);
	uet_lb_marked_resized(lb, &h->marked);
}

static void hybrid_path_get(const struct uet_lb *lb, u32 index,
			    struct uet_lb_path *path)
{
	path->ev = (u16)(lb->base + index + lb->table[index] * lb->n_max);
	path->down = hybrid_is_down(uet_lb_priv_const(lb), index);
	path->bad = path->down;
}

/* A value replaced after a loss counts as bad for one to two cycles. */
static u32 hybrid_bad_paths(const struct uet_lb *lb)
{
	const struct hybrid *h = uet_lb_priv_const(lb);

	return min(h->down + h->gone + h->gone_before, lb->n);
}

static void hybrid_init(struct uet_lb *lb, const struct uet_lb_config *cfg)
{
	struct hybrid *h = uet_lb_priv(lb);
	u32 i;

	BUILD_BUG_ON(sizeof(*h) > UET_LB_PRIV_SIZE);
	h->entry_recip = div_u64(U32_MAX, lb->n_max) + 1;
	/* hybrid_which() is a byte */
	lb->span = min(lb->span, lb->n_max * (U8_MAX + 1));
	for (i = 0; i < lb->n_max; i++)
		hybrid_renew(lb, i);
}

const struct uet_lb_ops uet_lb_hybrid = {
	.next = hybrid_next,
	.plain = hybrid_plain,
	.feedback = hybrid_feedback,
	.acked = hybrid_acked,
	.init = hybrid_init,
	.resized = hybrid_resized,
	.path_down = hybrid_path_down,
	.path_up = hybrid_path_up,
	.path_get = hybrid_path_get,
	.bad_paths = hybrid_bad_paths,
	.name = "hybrid",
	.ev_bytes = 3,
	.aware = true,
	.recalls = true,
	.renews = true,
};
