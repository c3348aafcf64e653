/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The value of a single-path policy. CCCs to the same peer take different
 * elements of one permutation of the entropy space, so their values differ.
 */
#ifndef _UET_CORE_LB_SINGLE_H
#define _UET_CORE_LB_SINGLE_H

#include "lb.h"

/**
 * struct uet_lb_spot - the value a single-path CCC uses
 * @index: element of the peer's permutation
 * @ev: the value
 */
struct uet_lb_spot {
	u32 index;
	u16 ev;
};

/**
 * uet_lb_spot_init() - take the first element
 * @lb: object
 * @s: spot
 * @cfg: peer_key and peer_index are used
 */
void uet_lb_spot_init(struct uet_lb *lb, struct uet_lb_spot *s,
		      const struct uet_lb_config *cfg);

/**
 * uet_lb_spot_move() - take the reserved element, or the following one
 * @lb: object
 * @s: spot
 *
 * Notes %UET_LB_NOTE_NEED_INDEX: the caller should reserve another element.
 */
void uet_lb_spot_move(struct uet_lb *lb, struct uet_lb_spot *s);

#endif /* _UET_CORE_LB_SINGLE_H */
