/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Ring of the "reps" policy: values acknowledged without an ECN mark.
 */
#ifndef _UET_CORE_LB_REPS_H
#define _UET_CORE_LB_REPS_H

#include "lb_marked.h"

#define UET_REPS_RING		8
#define UET_REPS_FREEZE_NS	10000000ULL
#define UET_REPS_EXPLORE	16

/**
 * struct uet_reps - recycled values
 * @frozen_until: end of the frozen mode, ns
 * @lost_at: when @lost_ev was inferred lost, ns
 * @rto: without trimming, freeze if a second loss comes within this time, ns
 * @ring: values
 * @lost_ev: value of the last inferred loss
 * @fresh: bit per slot: its value was not used since its acknowledgment
 * @head: slot to be filled next
 * @fill: slots filled
 * @scan: slot used next while frozen
 * @explore: random values still to be drawn after the frozen mode
 * @frozen: use only values of the ring
 * @lost: @lost_ev and @lost_at are valid
 * @heard: there was an ACK since @lost_at
 * @marked: values that see congestion
 */
struct uet_reps {
	u64 frozen_until;
	u64 lost_at;
	u64 rto;
	u16 ring[UET_REPS_RING];
	u16 lost_ev;
	u8 fresh;
	u8 head;
	u8 fill;
	u8 scan;
	u8 explore;
	bool frozen;
	bool lost;
	bool heard;
	struct uet_lb_marked marked;
};

/**
 * uet_reps_recycle() - take the oldest fresh value
 * @r: ring
 * @ev: set to the value
 *
 * Return: false if there is none.
 */
bool uet_reps_recycle(struct uet_reps *r, u16 *ev);

/**
 * uet_reps_frozen_next() - while frozen, take the next value in slot order
 * @r: ring
 * @ev: set to the value
 *
 * Return: false if that slot is empty.
 */
bool uet_reps_frozen_next(struct uet_reps *r, u16 *ev);

/**
 * uet_reps_feedback() - feedback on a value
 * @lb: object, for its notes
 * @r: ring
 * @sig: signal
 */
void uet_reps_feedback(struct uet_lb *lb, struct uet_reps *r,
		       const struct uet_lb_signal *sig);

/**
 * uet_reps_keep() - neither recycle nor count values outside the resized space
 * @lb: object
 * @r: ring
 */
void uet_reps_keep(const struct uet_lb *lb, struct uet_reps *r);

#endif /* _UET_CORE_LB_REPS_H */
