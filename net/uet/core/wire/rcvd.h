/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The rcvd_bytes field of the NSCC acknowledgment state (UE 1.0 3.6.13.8-9):
 * total new bytes received on a PDC in units of 256 bytes, rounded up so that
 * a small last packet is released too, in 24 bits that wrap.
 */
#ifndef _UET_CORE_RCVD_H
#define _UET_CORE_RCVD_H

#include "../env.h"

#define UET_RCVD_UNIT_SHIFT	8
#define UET_RCVD_UNIT_BYTES	256U
#define UET_RCVD_FIELD_MASK	0xffffffU
/* A step of half the field's space or more is an older value. */
#define UET_RCVD_FIELD_HALF	0x800000U

/**
 * uet_rcvd_field() - field value for a byte total
 * @total: nominal bytes of all new data packets accepted so far
 *
 * Return: the 24-bit field.
 */
static inline u32 uet_rcvd_field(u64 total)
{
	return (u32)((total + UET_RCVD_UNIT_BYTES - 1) >> UET_RCVD_UNIT_SHIFT) &
	       UET_RCVD_FIELD_MASK;
}

/**
 * uet_rcvd_newly() - bytes newly received according to a field
 * @last: largest field value seen so far, updated when @field is newer
 * @field: 24-bit field of the acknowledgment at hand
 *
 * A reordered acknowledgment brings an older value; it releases nothing and
 * leaves @last alone.
 *
 * Return: bytes between @last and @field, a multiple of 256, below 2^31.
 */
static inline u32 uet_rcvd_newly(u32 *last, u32 field)
{
	u32 step = (field - *last) & UET_RCVD_FIELD_MASK;

	if (step >= UET_RCVD_FIELD_HALF)
		return 0;
	*last = field & UET_RCVD_FIELD_MASK;
	return step << UET_RCVD_UNIT_SHIFT;
}

#endif /* _UET_CORE_RCVD_H */
