/* SPDX-License-Identifier: GPL-2.0 */
/*
 * For whom the packets of a PDC were that came of late: whether, behind one that
 * is refused, something waits for CACK that others got.
 */
#ifndef _UET_CORE_RXSHARE_H
#define _UET_CORE_RXSHARE_H

#include "psn.h"

/**
 * struct uet_rxshare - who got packets of a PDC
 * @who: who got the last one; a name, never followed
 * @before: who did before
 * @top: highest PSN that @who got
 * @before_top: the same of @before
 * @rest_top: the same of all others
 *
 * A PSN of long ago counts as none.
 */
struct uet_rxshare {
	const void *who;
	const void *before;
	u32 top;
	u32 before_top;
	u32 rest_top;
};

/* The higher one of two PSNs, unless it is not near @psn: from long ago */
static inline u32 uet_rxshare_top(u32 a, u32 b, u32 psn, u32 range)
{
	if (!psn_between(a, psn - range, psn + range))
		return b;
	return psn_between(b, psn - range, psn + range) ? psn_max(a, b) : a;
}

/**
 * uet_rxshare_note() - somebody got a packet
 * @s: state
 * @who: name of who got it
 * @psn: the packet
 * @range: MP_RANGE
 */
static inline void uet_rxshare_note(struct uet_rxshare *s, const void *who,
				    u32 psn, u32 range)
{
	u32 top = s->top;

	if (likely(s->who == who)) {
		s->top = psn_between(top, psn, psn + range) ? top : psn;
		return;
	}
	if (s->before == who) {
		s->top = uet_rxshare_top(s->before_top, psn, psn, range);
	} else {
		s->rest_top = s->who ? uet_rxshare_top(s->rest_top,
						       s->before_top, psn,
						       range) : psn - range;
		s->top = psn;
	}
	s->before = s->who;
	s->before_top = s->who ? top : psn - range;
	s->who = who;
}

/**
 * uet_rxshare_behind() - has somebody else got something behind a packet?
 * @s: state
 * @who: name of who is to get the packet
 * @psn: the packet, above CACK
 * @range: MP_RANGE
 *
 * Where more than two get packets in turn, a third one's count as somebody else's.
 *
 * Return: true if so.
 */
static inline bool uet_rxshare_behind(const struct uet_rxshare *s,
				      const void *who, u32 psn, u32 range)
{
	u32 end = psn + range;

	if (!s->who)
		return false;
	return (s->who != who && psn_between(s->top, psn + 1, end)) ||
	       (s->before != who && psn_between(s->before_top, psn + 1, end)) ||
	       psn_between(s->rest_top, psn + 1, end);
}

#endif /* _UET_CORE_RXSHARE_H */
