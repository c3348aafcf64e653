// SPDX-License-Identifier: GPL-2.0
/*
 * How much a run may cost: the time from the last message submitted to the end, and
 * over all runs of a case the retransmissions. The bounds of a case (pair_cases.c) are
 * above what is measured, half as much for retransmissions, several times as much for
 * the time, which is that of the slowest run. So a sender that becomes slow or wasteful
 * fails, though it loses nothing.
 */
#include "pair.h"

#define NS_PER_MS	1000000ULL
/* Packets below which the share of retransmissions is chance */
#define ENOUGH		20000

void bounds_run(struct pair *p)
{
	uint64_t took = p->now - p->submitted;

	p->total.longest = max_t(uint64_t, p->total.longest, took);
	if (took > p->c->max_ms * NS_PER_MS)
		pair_fail(p, "it takes too many ms", (uint32_t)(took / NS_PER_MS));
}

bool bounds_case(const struct pair_case *c, const struct pair_total *t)
{
	uint64_t first = t->sent - t->rtx;

	if (c->run_max && first >= ENOUGH && t->in_runs * 10 < first) {
		printf("# only %llu of %llu packets left in runs\n",
		       (unsigned long long)t->in_runs, (unsigned long long)first);
		return false;
	}
	if (first < ENOUGH || t->rtx * 100 <= first * c->max_rtx)
		return true;
	printf("# %llu of 100 packets are resent, more than %u\n",
	       (unsigned long long)(t->rtx * 100 / first), c->max_rtx);
	return false;
}
