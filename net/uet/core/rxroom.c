// SPDX-License-Identifier: GPL-2.0
/* Who gets the receive buffer of a socket when it is full, see rxroom.h */
#include "rxroom.h"

/**
 * uet_rxroom_right() - may a message have a right to the reserved half?
 * @room: buffer
 * @m: message, without one
 *
 * Return: true if so.
 */
bool uet_rxroom_right(const struct uet_rxroom *room,
		      const struct uet_rxroom_msg *m)
{
	if (room->rights >= UET_RXROOM_RIGHTS)
		return false;
	if (m->rival == UET_RIVAL_UNSEEN)
		return true;
	if (m->rival != UET_RIVAL_NONE && uet_rxroom_long(room->half, m->len))
		return false;
	if (m->rival == UET_RIVAL_SEEN)
		return true;
	if (room->alive || !m->first)
		return false;
	/* The reader will make room for what is complete. */
	return !room->readable || room->shared <= room->half + m->bytes;
}

/**
 * uet_rxroom_within() - is a packet within the right of its message?
 * @room: buffer
 * @m: message, with a right
 * @end: offset in the message of the packet's end
 * @bytes: what it takes
 *
 * Return: true if so.
 */
bool uet_rxroom_within(const struct uet_rxroom *room,
		       const struct uet_rxroom_msg *m, u64 end, u32 bytes)
{
	return end - m->read <= room->half &&
	       m->bytes + bytes <= UET_RXROOM_CRUMBS * room->half;
}

/**
 * uet_rxroom_hand_over() - is a message to be read while it arrives?
 * @room: buffer
 * @m: message
 * @right: it has a right; else it gets one if so
 *
 * It need not be its turn: as long as nobody has a right nobody needed one, and
 * who is read takes least of the buffer.
 *
 * Return: true if it is too long to wait, and the only one of its PDC.
 */
bool uet_rxroom_hand_over(const struct uet_rxroom *room,
			  const struct uet_rxroom_msg *m, bool right)
{
	if (!uet_rxroom_long(room->half, m->len) ||
	    m->rival == UET_RIVAL_AHEAD || m->rival == UET_RIVAL_SEEN)
		return false;
	return right || (!room->alive && room->rights < UET_RXROOM_RIGHTS);
}

/**
 * uet_rxroom_send_back() - is the message of a refused packet to be sent back?
 * @r: the packet
 *
 * If not, it waits at its source. What the source may have forgotten is not sent
 * back just to let others go on sooner.
 *
 * Return: true if so.
 */
bool uet_rxroom_send_back(const struct uet_rxroom_refused *r)
{
	return r->rival >= UET_RIVAL_UNSEEN || r->beyond >= r->range / 2 ||
	       (r->shares && !r->covered);
}
