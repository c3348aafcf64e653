// SPDX-License-Identifier: GPL-2.0
/*
 * "bitmap": the oblivious order, but skip values that saw congestion recently
 * (UE 1.0 3.6.16.4). A counter per value holds how many more visits to skip.
 * The space is sized to be cycled in about one round trip, so one visit is
 * about one round trip.
 *
 * When half the counters are set, congestion is everywhere (typically an
 * incast) and avoiding some values does not help: skipping stops.
 */
#include "lb_bitmap.h"
#include "lb_oblivious.h"

static u8 *bitmap_skip_of(struct uet_lb *lb, u32 i)
{
	return &lb->table[i];
}

/* A visit that was skipped: count down. */
static void bitmap_decay(struct uet_lb *lb, struct uet_bitmap *b, u8 *skip,
			 u16 ev)
{
	if (!(*skip & UET_SKIP_MASK))
		return;
	(*skip)--;
	if (*skip & UET_SKIP_MASK)
		return;
	b->marked--;
	if (*skip & UET_SKIP_BAD) {
		*skip &= ~UET_SKIP_BAD;
		uet_lb_note(lb, UET_LB_NOTE_GOOD, ev);
	}
}

u16 uet_bitmap_next(struct uet_lb *lb, struct uet_bitmap *b)
{
	u32 tries = lb->n;
	u8 *skip;
	u16 ev;

	do {
		ev = uet_lb_oblivious_next(lb);
		skip = bitmap_skip_of(lb, uet_lb_index(lb, ev));
		if (!*skip)
			return ev;
		bitmap_decay(lb, b, skip, ev);
		if (!(*skip & UET_SKIP_DOWN) && uet_bitmap_saturated(lb, b))
			return ev;
	} while (--tries);
	return ev;
}

static u8 bitmap_amount(u8 reason)
{
	switch (reason) {
	case UET_LB_ECN:
		return UET_SKIP_ECN;
	case UET_LB_NACK:
		return UET_SKIP_NACK;
	default:
		return UET_SKIP_TIMEOUT;
	}
}

void uet_bitmap_feedback(struct uet_lb *lb, struct uet_bitmap *b,
			 const struct uet_lb_signal *sig)
{
	u32 i = uet_lb_index(lb, sig->ev);
	u8 *skip = bitmap_skip_of(lb, i);
	u8 old = *skip & UET_SKIP_MASK;
	u8 add = bitmap_amount(sig->reason);
	bool was_saturated;

	was_saturated = uet_bitmap_saturated(lb, b);
	if (!old && i < lb->n)
		b->marked++;
	*skip = (*skip & ~UET_SKIP_MASK) | min_t(u8, old + add, UET_SKIP_MAX);
	if (sig->reason == UET_LB_TIMEOUT && !(*skip & UET_SKIP_BAD)) {
		*skip |= UET_SKIP_BAD;
		uet_lb_note(lb, UET_LB_NOTE_BAD, sig->ev);
	}
	if (!was_saturated && uet_bitmap_saturated(lb, b))
		uet_lb_note(lb, UET_LB_NOTE_SATURATED, sig->ev);
}

void uet_bitmap_resized(struct uet_lb *lb, struct uet_bitmap *b)
{
	u32 i;

	b->marked = 0;
	b->down = 0;
	for (i = 0; i < lb->n; i++) {
		b->marked += !!(*bitmap_skip_of(lb, i) & UET_SKIP_MASK);
		b->down += !!(*bitmap_skip_of(lb, i) & UET_SKIP_DOWN);
	}
}

void uet_bitmap_down(struct uet_lb *lb, struct uet_bitmap *b, u32 index)
{
	u8 *skip = bitmap_skip_of(lb, index);

	if (*skip & UET_SKIP_DOWN)
		return;
	*skip |= UET_SKIP_DOWN;
	b->down += index < lb->n;
	uet_lb_note(lb, UET_LB_NOTE_BAD, (u16)(lb->base + index));
}

void uet_bitmap_up(struct uet_lb *lb, struct uet_bitmap *b, u32 index)
{
	u8 *skip = bitmap_skip_of(lb, index);

	if (*skip & UET_SKIP_MASK)
		b->marked -= index < lb->n;
	if (*skip & UET_SKIP_DOWN)
		b->down -= index < lb->n;
	if (*skip)
		uet_lb_note(lb, UET_LB_NOTE_GOOD, (u16)(lb->base + index));
	*skip = 0;
}

void uet_bitmap_get(const struct uet_lb *lb, u32 index,
		    struct uet_lb_path *path)
{
	u8 skip = lb->table[index];

	path->skip = skip & UET_SKIP_MASK;
	path->down = skip & UET_SKIP_DOWN;
	path->bad = skip;
}

static u16 bitmap_next(struct uet_lb *lb, const struct uet_lb_ask *ask,
		       u16 *run)
{
	return uet_bitmap_next(lb, uet_lb_priv(lb));
}

static void bitmap_feedback(struct uet_lb *lb, const struct uet_lb_signal *sig)
{
	if (sig->reason != UET_LB_NO_ECN)
		uet_bitmap_feedback(lb, uet_lb_priv(lb), sig);
}

static void bitmap_resized(struct uet_lb *lb, u32 old)
{
	uet_bitmap_resized(lb, uet_lb_priv(lb));
}

static int bitmap_path_down(struct uet_lb *lb, u16 ev)
{
	uet_bitmap_down(lb, uet_lb_priv(lb), uet_lb_index(lb, ev));
	return 0;
}

static int bitmap_path_up(struct uet_lb *lb, u16 ev)
{
	uet_bitmap_up(lb, uet_lb_priv(lb), uet_lb_index(lb, ev));
	return 0;
}

static u32 bitmap_bad_paths(const struct uet_lb *lb)
{
	const struct uet_bitmap *b = uet_lb_priv_const(lb);

	return min(b->marked + b->down, lb->n);
}

const struct uet_lb_ops uet_lb_bitmap = {
	.next = bitmap_next,
	.feedback = bitmap_feedback,
	.resized = bitmap_resized,
	.path_down = bitmap_path_down,
	.path_up = bitmap_path_up,
	.path_get = uet_bitmap_get,
	.bad_paths = bitmap_bad_paths,
	.name = "bitmap",
	.ev_bytes = 1,
	.aware = true,
	.recalls = true,
};
