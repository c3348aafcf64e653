/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How many events there were within the last minute, in bounded memory: counts of
 * seven parts of 8.6 s, of which the current one is not over yet. So an event counts
 * for at least 51 s and at most 60.
 */
#ifndef _UET_CORE_MINUTE_H
#define _UET_CORE_MINUTE_H

#include "env.h"

#define UET_MINUTE_PARTS	7
#define UET_MINUTE_SHIFT	33	/* of ns, for a part */

/**
 * struct uet_minute - events of the last minute; starts zeroed
 * @part: number of the latest part with an event, since time 0
 * @nr: events of the parts, by number modulo %UET_MINUTE_PARTS
 */
struct uet_minute {
	u32 part;
	u32 nr[UET_MINUTE_PARTS];
};

/**
 * uet_minute_add() - count an event
 * @m: events
 * @now: time, ns, not before that of earlier calls
 */
static inline void uet_minute_add(struct uet_minute *m, u64 now)
{
	u32 part = (u32)(now >> UET_MINUTE_SHIFT);

	if (part - m->part >= UET_MINUTE_PARTS)
		memset(m->nr, 0, sizeof(m->nr));
	else
		while (m->part < part)
			m->nr[++m->part % UET_MINUTE_PARTS] = 0;
	m->part = part;
	m->nr[part % UET_MINUTE_PARTS]++;
}

/**
 * uet_minute_sum() - number of events within the last minute
 * @m: events
 * @now: time, ns
 *
 * Return: their number.
 */
static inline u32 uet_minute_sum(const struct uet_minute *m, u64 now)
{
	u32 part = (u32)(now >> UET_MINUTE_SHIFT);
	/* Who took the time before an event was counted is late by a part at most. */
	u32 over = part > m->part ? part - m->part : 0;
	u32 i, sum = 0;

	/* From the part after the oldest one that counts, to the latest */
	for (i = over; i < UET_MINUTE_PARTS; i++)
		sum += m->nr[(m->part + UET_MINUTE_PARTS + over - i) %
			     UET_MINUTE_PARTS];
	return sum;
}

#endif /* _UET_CORE_MINUTE_H */
