/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_MATH64_H
#define _SHIM_LINUX_MATH64_H

#include <linux/types.h>

/* Then what an object has of 64-bit divisions is written with / and % there. */
#ifdef SHIM_DIVIDES_ELSEWHERE
u64 div_u64_rem(u64 dividend, u32 divisor, u32 *remainder);
u64 div_u64(u64 dividend, u32 divisor);
s64 div_s64(s64 dividend, s32 divisor);
u64 div64_u64(u64 dividend, u64 divisor);
s64 div64_s64(s64 dividend, s64 divisor);
#else
static inline u64 div_u64_rem(u64 dividend, u32 divisor, u32 *remainder)
{
	*remainder = (u32)(dividend % divisor);
	return dividend / divisor;
}

static inline u64 div_u64(u64 dividend, u32 divisor)
{
	return dividend / divisor;
}

static inline s64 div_s64(s64 dividend, s32 divisor)
{
	return dividend / divisor;
}

static inline u64 div64_u64(u64 dividend, u64 divisor)
{
	return dividend / divisor;
}

static inline s64 div64_s64(s64 dividend, s64 divisor)
{
	return dividend / divisor;
}
#endif

static inline u64 mul_u32_u32(u32 a, u32 b)
{
	return (u64)a * b;
}

#define DIV64_U64_ROUND_UP(ll, d) \
	({ u64 __d = (d); div64_u64((ll) + __d - 1, __d); })

#endif
