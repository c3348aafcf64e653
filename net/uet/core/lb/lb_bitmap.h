/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Skip counters of the "bitmap" policy, one byte per value in uet_lb.table.
 */
#ifndef _UET_CORE_LB_BITMAP_H
#define _UET_CORE_LB_BITMAP_H

#include "lb.h"

#define UET_SKIP_MASK		0x0f	/* number of visits to skip */
#define UET_SKIP_MAX		15
#define UET_SKIP_BAD		0x40	/* reported as bad, not yet as good */
#define UET_SKIP_DOWN		0x80	/* uet_lb_path_down() was called */

/* Feedback adds this to the counter of a value. */
#define UET_SKIP_ECN		1
#define UET_SKIP_NACK		4
#define UET_SKIP_TIMEOUT	15

/**
 * struct uet_bitmap - totals over the table
 * @marked: values in use whose counter is not zero
 * @down: values in use that are declared down
 */
struct uet_bitmap {
	u32 marked;
	u32 down;
};

/**
 * uet_bitmap_saturated() - do too many values see congestion to avoid them?
 * @lb: object
 * @b: its totals
 *
 * Return: true if skipping is switched off.
 */
static inline bool uet_bitmap_saturated(const struct uet_lb *lb,
					const struct uet_bitmap *b)
{
	return uet_lb_saturated(lb, b->marked);
}

/**
 * uet_bitmap_next() - next value whose counter is zero
 * @lb: object
 * @b: its totals
 *
 * Return: a value.
 */
u16 uet_bitmap_next(struct uet_lb *lb, struct uet_bitmap *b);

/**
 * uet_bitmap_feedback() - add to a value's counter
 * @lb: object
 * @b: its totals
 * @sig: signal for a value inside the tables, not %UET_LB_NO_ECN
 */
void uet_bitmap_feedback(struct uet_lb *lb, struct uet_bitmap *b,
			 const struct uet_lb_signal *sig);

/**
 * uet_bitmap_resized() - recompute the totals after a change of the space
 * @lb: object
 * @b: its totals
 */
void uet_bitmap_resized(struct uet_lb *lb, struct uet_bitmap *b);

/**
 * uet_bitmap_down() - declare a value down
 * @lb: object
 * @b: its totals
 * @index: position in the space
 */
void uet_bitmap_down(struct uet_lb *lb, struct uet_bitmap *b, u32 index);

/**
 * uet_bitmap_up() - clear all state of a value
 * @lb: object
 * @b: its totals
 * @index: position in the space
 */
void uet_bitmap_up(struct uet_lb *lb, struct uet_bitmap *b, u32 index);

/**
 * uet_bitmap_get() - fill the skip state of a value
 * @lb: object
 * @index: position in the space
 * @path: skip, down and bad are set
 */
void uet_bitmap_get(const struct uet_lb *lb, u32 index,
		    struct uet_lb_path *path);

#endif /* _UET_CORE_LB_BITMAP_H */
