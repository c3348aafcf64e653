/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the single-path policies share: contexts of one peer take different
 * elements of one permutation.
 */
#ifndef _UET_CORE_LB_SINGLE_H
#define _UET_CORE_LB_SINGLE_H

#include "lb.h"

/**
 * struct uet_lb_spot - the value a single-path context uses
 * @index: element of the peer's permutation
 * @ev: the value
 */
struct uet_lb_spot {
	u32 index;
	u16 ev;
};

/**
 * uet_lb_spot_init() - take this context's element
 * @lb: object
 * @s: spot
 * @cfg: names the peer's key and the element
 */
void uet_lb_spot_init(struct uet_lb *lb, struct uet_lb_spot *s,
		      const struct uet_lb_config *cfg);

/**
 * uet_lb_spot_move() - take the reserved element, or the following one
 * @lb: object
 * @s: spot
 *
 * Asks for another index to reserve.
 */
void uet_lb_spot_move(struct uet_lb *lb, struct uet_lb_spot *s);

#endif /* _UET_CORE_LB_SINGLE_H */
