/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How many bytes an acknowledgement releases from the window, per PDC.
 *
 * The peer's rcvd_bytes field says it; acknowledgements without that field
 * release what they newly acknowledge instead. Both kinds may come on one
 * PDC, and neither may release what was never sent.
 */
#ifndef _UET_CORE_RELEASE_H
#define _UET_CORE_RELEASE_H

#include "env.h"
#include "rcvd.h"

/**
 * struct uet_release - release accounting of one PDC at the source
 * @sent: nominal bytes of all distinct PSNs sent
 * @released: bytes released so far
 * @ahead: bytes released by acknowledgements without the field that the
 *	field will count again
 * @last: last field value taken
 */
struct uet_release {
	u64 sent;
	u64 released;
	u64 ahead;
	u32 last;
};

/**
 * uet_release_sent() - a PSN was sent for the first time
 * @r: accounting, zeroed at the start
 * @size: nominal size
 */
static inline void uet_release_sent(struct uet_release *r, u32 size)
{
	r->sent += size;
}

static inline u32 uet_release_clamp(struct uet_release *r, u64 n)
{
	u64 limit = (r->sent + UET_RCVD_UNIT_BYTES - 1) &
		    ~(u64)(UET_RCVD_UNIT_BYTES - 1);
	u64 room = limit > r->released ? limit - r->released : 0;

	n = min3(n, room, (u64)U32_MAX);
	r->released += n;
	return (u32)n;
}

/**
 * uet_release_field() - an acknowledgement with rcvd_bytes arrived
 * @r: accounting
 * @field: the 24-bit field
 *
 * Return: bytes it releases.
 */
static inline u32 uet_release_field(struct uet_release *r, u32 field)
{
	u64 step = uet_rcvd_newly(&r->last, field);
	u64 twice = min(step, r->ahead);

	r->ahead -= twice;
	return uet_release_clamp(r, step - twice);
}

/**
 * uet_release_plain() - an acknowledgement without rcvd_bytes arrived
 * @r: accounting
 * @bytes: nominal bytes of the packets it newly acknowledges
 *
 * Return: bytes it releases.
 */
static inline u32 uet_release_plain(struct uet_release *r, u32 bytes)
{
	r->ahead += bytes;
	return uet_release_clamp(r, bytes);
}

/**
 * uet_release_idle() - nothing of the PDC is outstanding any more
 * @r: accounting
 *
 * What the peer acknowledged without releasing it would otherwise add up and
 * open the window by all of it at once later.
 */
static inline void uet_release_idle(struct uet_release *r)
{
	r->released = max(r->released, r->sent);
}

#endif /* _UET_CORE_RELEASE_H */
