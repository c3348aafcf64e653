/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The order of the "oblivious" policy, which "bitmap" and "rtt" also use.
 */
#ifndef _UET_CORE_LB_OBLIVIOUS_H
#define _UET_CORE_LB_OBLIVIOUS_H

#include "lb.h"

/**
 * uet_lb_oblivious_next() - next value of the pseudo-random order
 * @lb: object
 *
 * Return: a value; each once per cycle.
 */
u16 uet_lb_oblivious_next(struct uet_lb *lb);

#endif /* _UET_CORE_LB_OBLIVIOUS_H */
