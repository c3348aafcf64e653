// SPDX-License-Identifier: GPL-2.0
/* Distribution of times, in constant memory */
#include "hist.h"

/* 32 steps in each power of two */
static unsigned int bucket_of(uint64_t value)
{
	unsigned int shift;

	if (value < 2 * HIST_SUB)
		return value;
	shift = 63 - __builtin_clzll(value) - 5;
	return shift * HIST_SUB + (value >> shift);
}

static uint64_t middle_of(unsigned int bucket)
{
	unsigned int shift;

	if (bucket < 2 * HIST_SUB)
		return bucket;
	shift = bucket / HIST_SUB - 1;
	return ((uint64_t)(bucket - shift * HIST_SUB) << shift) +
	       (1ULL << shift) / 2;
}

/**
 * hist_add() - count a value
 * @h: distribution
 * @value: value
 */
void hist_add(struct hist *h, uint64_t value)
{
	if (!h->count || value < h->min)
		h->min = value;
	if (value > h->max)
		h->max = value;
	h->bucket[bucket_of(value)]++;
	h->count++;
	h->sum += value;
}

/**
 * hist_merge() - add one distribution to another
 * @to: gets the sum
 * @from: what is added
 */
void hist_merge(struct hist *to, const struct hist *from)
{
	unsigned int i;

	if (!from->count)
		return;
	if (!to->count || from->min < to->min)
		to->min = from->min;
	if (from->max > to->max)
		to->max = from->max;
	to->count += from->count;
	to->sum += from->sum;
	for (i = 0; i < HIST_BUCKETS; i++)
		to->bucket[i] += from->bucket[i];
}

/**
 * hist_quantile() - value that a share of all values does not exceed
 * @h: distribution
 * @share: 0 to 1
 *
 * Return: the value, between min and max; 0 if there are none.
 */
uint64_t hist_quantile(const struct hist *h, double share)
{
	uint64_t below = 0, value;
	unsigned int i;

	for (i = 0; i < HIST_BUCKETS; i++) {
		below += h->bucket[i];
		if (below && below >= share * h->count)
			break;
	}
	if (!h->count || i == HIST_BUCKETS)
		return h->max;
	value = middle_of(i);
	if (value < h->min)
		return h->min;
	return value > h->max ? h->max : value;
}
