/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The counters of the namespace at a point in time.
 */
#ifndef UET_COUNTERS_H
#define UET_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "cmd.h"

#define COUNTERS_MAX	256
#define COUNTER_NAME	48

/**
 * struct counters - counters
 * @at: when, ns of the monotonic clock
 * @n: how many
 * @cut: there are more
 * @of: counters, in the order of the kernel
 */
struct counters {
	uint64_t at;
	unsigned int n;
	bool cut;
	struct counter {
		char name[COUNTER_NAME];
		uint64_t value;
		bool gauge;
	} of[COUNTERS_MAX];
};

int counters_read(struct tool *t, const char *begin, struct counters *c);
const struct counter *counters_find(const struct counters *c, const char *name,
				    unsigned int hint);
double counters_rate(const struct counters *now, const struct counters *before,
		     unsigned int i);

/* openmetrics.c */
int openmetrics_run(struct tool *t, const struct counters *c);

#endif
