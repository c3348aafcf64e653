/* SPDX-License-Identifier: GPL-2.0 */
/* Names of the states of a CCC, for vectors and the output of tests. */
#ifndef _UET_TESTS_CCC_NAMES_H
#define _UET_TESTS_CCC_NAMES_H

#include "../core/cc/ccc.h"

static inline const char *ccc_state_name(u8 state)
{
	static const char * const names[] = {
		[UET_CCC_IDLE] = "IDLE",
		[UET_CCC_ACTIVE] = "ACTIVE",
		[UET_CCC_READY] = "READY",
		[UET_CCC_PENDING] = "PENDING",
	};

	return state < ARRAY_SIZE(names) ? names[state] : "?";
}

#endif /* _UET_TESTS_CCC_NAMES_H */
