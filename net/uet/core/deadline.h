/* SPDX-License-Identifier: GPL-2.0 */
/* Deadlines in ns, where 0 is none */
#ifndef _UET_CORE_DEADLINE_H
#define _UET_CORE_DEADLINE_H

#include "env.h"

/* The earlier one of two deadlines */
static inline u64 uet_earliest(u64 a, u64 b)
{
	if (!a)
		return b;
	return b ? min(a, b) : a;
}

#endif /* _UET_CORE_DEADLINE_H */
