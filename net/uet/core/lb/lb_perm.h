/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pseudo-random order of an entropy space in constant memory: a keyed 4-round
 * Feistel network over an even number of bits. A result outside the space is
 * permuted again until it is inside (cycle walking).
 */
#ifndef _UET_CORE_LB_PERM_H
#define _UET_CORE_LB_PERM_H

#include "../env.h"

/**
 * struct uet_perm - position in the current order
 * @n: size of the space
 * @i: next position
 * @key: key of the current order
 * @half: half the number of bits of the Feistel block
 */
struct uet_perm {
	u32 n;
	u32 i;
	u32 key;
	u8 half;
};

/**
 * uet_perm_init() - start an order
 * @p: order
 * @n: size of the space, 1 to 2^16
 * @key: key
 */
void uet_perm_init(struct uet_perm *p, u32 n, u32 key);

/**
 * uet_perm_at() - element of an order
 * @p: order
 * @i: position, below @p->n
 * @key: key
 *
 * Return: a number below @p->n; distinct for distinct positions.
 */
u32 uet_perm_at(const struct uet_perm *p, u32 i, u32 key);

/**
 * uet_perm_next() - next element
 * @p: order
 * @wrapped: set to true if this was the last element, otherwise unchanged; the
 *	caller may then set a new key
 *
 * Return: a number below @p->n.
 */
u32 uet_perm_next(struct uet_perm *p, bool *wrapped);

#endif /* _UET_CORE_LB_PERM_H */
