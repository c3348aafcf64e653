/* SPDX-License-Identifier: GPL-2.0 */
/* Distribution of times: values up to 63 exact, larger ones to within 1/32 */
#ifndef UETPERF_HIST_H
#define UETPERF_HIST_H

#include <stdint.h>

#define HIST_SUB	32
#define HIST_BUCKETS	(64 * HIST_SUB)

struct hist {
	uint64_t	count, min, max, sum;
	uint64_t	bucket[HIST_BUCKETS];
};

void hist_add(struct hist *h, uint64_t value);
void hist_merge(struct hist *to, const struct hist *from);
uint64_t hist_quantile(const struct hist *h, double share);

#endif
