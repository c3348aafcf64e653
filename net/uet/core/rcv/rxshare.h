/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which sockets got the latest packets of a PDC. If a packet is NACKed for
 * shortage, CACK stops before it; this tells whether other sockets have got
 * packets behind it, which then also wait for CACK. See rxroom.h.
 */
#ifndef _UET_CORE_RXSHARE_H
#define _UET_CORE_RXSHARE_H

#include "../wire/psn.h"

/**
 * struct uet_rxshare - the latest receivers of a PDC
 * @who: socket that got the last packet; only compared, never dereferenced
 * @before: socket that got packets before @who
 * @top: highest PSN that @who got
 * @before_top: highest PSN that @before got
 * @rest_top: highest PSN that any other socket got
 *
 * A PSN outside the current window counts as none.
 */
struct uet_rxshare {
	const void *who;
	const void *before;
	u32 top;
	u32 before_top;
	u32 rest_top;
};

/* The higher of two PSNs, ignoring @a or @b if more than @range from @psn */
static inline u32 uet_rxshare_top(u32 a, u32 b, u32 psn, u32 range)
{
	if (!psn_between(a, psn - range, psn + range))
		return b;
	return psn_between(b, psn - range, psn + range) ? psn_max(a, b) : a;
}

/**
 * uet_rxshare_note() - a socket got a packet
 * @s: state
 * @who: the socket
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
 * uet_rxshare_behind() - has another socket got a packet behind this one?
 * @s: state
 * @who: socket that the packet is for
 * @psn: the packet, above CACK
 * @range: MP_RANGE
 *
 * Packets in @rest_top count as another socket's even if @who got them: with
 * more than two sockets the answer may be a false true.
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
