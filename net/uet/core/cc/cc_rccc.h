/* SPDX-License-Identifier: GPL-2.0 */
/*
 * RCCC, receiver credit (UE 1.0 3.6.14): state of the source, and the
 * arithmetic of cumulative credit that both ends use.
 */
#ifndef _UET_CORE_CC_RCCC_H
#define _UET_CORE_CC_RCCC_H

#include "ccc.h"

#define UET_CREDIT_UNIT_SHIFT	8
#define UET_CREDIT_UNIT_BYTES	256
#define UET_CREDIT_MASK		0xffffffU
#define UET_CREDIT_HALF		0x800000U

/* After this many base RTTs without credit the source requests some. */
#define UET_CREDIT_TIMEOUT_RTTS	4

/**
 * uet_credit_step() - how far one cumulative value is ahead of another
 * @a: a 24-bit value
 * @b: another
 *
 * Return: @a - @b in quanta, 0 if @a is older than @b.
 */
static inline u32 uet_credit_step(u32 a, u32 b)
{
	u32 step = (a - b) & UET_CREDIT_MASK;

	return step < UET_CREDIT_HALF ? step : 0;
}

/**
 * struct uet_rccc - receiver credit of one CCC at the source
 * @credit: bytes that may be sent, negative after an overshoot
 * @granted: cumulative grant, quanta, 24 bits
 * @speculating: no feedback yet
 */
struct uet_rccc {
	s64 credit;
	u32 granted;
	bool speculating;
};

static inline struct uet_rccc *uet_rccc(struct uet_ccc *c)
{
	return (struct uet_rccc *)c->credit_priv;
}

static inline const struct uet_rccc *uet_rccc_const(const struct uet_ccc *c)
{
	return (const struct uet_rccc *)c->credit_priv;
}

#endif /* _UET_CORE_CC_RCCC_H */
