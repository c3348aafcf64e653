/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the fuzz targets share: the entry point of libFuzzer and AFL++, a check
 * that ends the run, and a reader that turns input into operations.
 */
#ifndef _UET_FUZZ_H
#define _UET_FUZZ_H

#include <stdio.h>
#include <stdlib.h>

#include "../../net/uet/core/env.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

#define CHECK(cond)							\
	do {								\
		if (!(cond)) {						\
			fprintf(stderr, "%s:%d: %s\n", __FILE__,	\
				__LINE__, #cond);			\
			abort();					\
		}							\
	} while (0)

struct input {
	const u8 *p;
	size_t left;
};

/* Up to eight bytes, zero when the input has ended */
static inline u64 take(struct input *in, unsigned int n)
{
	u64 v = 0;

	while (n-- && in->left) {
		v = v << 8 | *in->p++;
		in->left--;
	}
	return v;
}

#endif
