/* SPDX-License-Identifier: GPL-2.0 */
/* Collects what a path policy reports, for its tests. */
#ifndef _UET_TESTS_LB_NOTES_H
#define _UET_TESTS_LB_NOTES_H

#include "../core/lb/lb.h"

/**
 * struct lb_notes - notes of one object
 * @bits: UET_LB_NOTE_* since last taken
 * @bad: number of UET_LB_NOTE_BAD
 * @ev: value of the last note
 */
struct lb_notes {
	u32 bits;
	u32 bad;
	u16 ev;
};

static inline void lb_notes_add(struct uet_lb *lb, u32 note, u16 ev)
{
	struct lb_notes *n = lb->owner;

	n->bits |= note;
	n->bad += note == UET_LB_NOTE_BAD;
	n->ev = ev;
}

static inline void lb_notes_listen(struct uet_lb *lb, struct lb_notes *n)
{
	memset(n, 0, sizeof(*n));
	lb->noted = lb_notes_add;
	lb->owner = n;
}

static inline u32 lb_notes_take(struct lb_notes *n)
{
	u32 bits = n->bits;

	n->bits = 0;
	return bits;
}

#endif /* _UET_TESTS_LB_NOTES_H */
