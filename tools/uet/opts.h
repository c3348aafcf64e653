/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the options before the object say.
 */
#ifndef UET_OPTS_H
#define UET_OPTS_H

#include <stdbool.h>

/* Exit status, as iproute2 has it */
enum {
	EXIT_USAGE	= 1,	/* wrong arguments, or a command of a batch failed */
	EXIT_KERNEL	= 2,	/* the kernel refused */
};

struct opts {
	bool json;
	bool pretty;
	bool stats;
	bool details;
	bool numeric;
	bool colour;
	bool stamp;
	bool force;
	const char *netns;
	const char *batch;
};

#endif
