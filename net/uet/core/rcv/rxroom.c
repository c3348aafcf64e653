// SPDX-License-Identifier: GPL-2.0
/* Which messages may use the receive buffer of a full socket, see rxroom.h */
#include "rxroom.h"

/**
 * uet_rxroom_right() - may a message get a right to the reserved half?
 * @room: buffer
 * @m: message without a right
 *
 * A message that is complete keeps its space and loses its right, and messages that
 * were overtaken get one whether the shared half is full or not. So the sum has a
 * limit: a message with a right gets half a buffer more, one that is handed over may be
 * complete and not yet read, and the payload of all of them together is
 * <= (2 + %UET_RXROOM_RIGHTS) * half. No message gets a right while they take more than
 * %UET_RXROOM_RIGHTS * half.
 *
 * Return: true if so.
 */
bool uet_rxroom_right(const struct uet_rxroom *room,
		      const struct uet_rxroom_msg *m)
{
	if (uet_rxroom_full(room) ||
	    room->shared > (UET_RXROOM_RIGHTS - room->rights) * room->half)
		return false;
	if (m->rival == UET_RIVAL_UNSEEN ||
	    (m->posted && !uet_rxroom_long(room->half, m->len) &&
	     room->shared <= room->half + m->bytes))
		return true;
	if (m->rival != UET_RIVAL_NONE && uet_rxroom_long(room->half, m->len))
		return false;
	if (m->rival == UET_RIVAL_SEEN)
		return true;
	if (room->alive || !m->first)
		return false;
	/* Wait if the shared half is full and its reader can make room. */
	return !room->readable || room->shared <= room->half + m->bytes;
}

/**
 * uet_rxroom_within() - does the right of a message cover a packet?
 * @room: buffer
 * @m: message with a right
 * @end: offset in the message of the packet's end
 * @bytes: buffer space of the packet
 * @next: it continues what the message has from its beginning on
 *
 * With the packets that are next any message comes to its end, or its reader gets them.
 * They are packed; others are let in up to %UET_RXROOM_EARLY halves of the buffer, and
 * else come again after those before them.
 *
 * Return: true if so.
 */
bool uet_rxroom_within(const struct uet_rxroom *room,
		       const struct uet_rxroom_msg *m, u64 end, u32 bytes,
		       bool next)
{
	u32 halves = next ? UET_RXROOM_CRUMBS : UET_RXROOM_EARLY;

	return end - m->read <= room->half &&
	       m->bytes + bytes <= halves * room->half;
}

/**
 * uet_rxroom_hand_over() - should a message be read while it arrives?
 * @room: buffer
 * @m: message
 * @right: it has a right; if not, it gets one when this returns true
 *
 * It need not be the message's turn: while no message has a right none needed
 * one, and a message that is being read uses the least buffer.
 *
 * Return: true if it is too long to be stored, and no other message of its PDC
 * is being read.
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
 * uet_rxroom_send_back() - send back the message of a NACKed packet?
 * @r: the packet
 *
 * If not, the message waits at its source. A message whose beginning the source
 * may have freed is not sent back merely to let others continue sooner.
 *
 * Return: true if so.
 */
bool uet_rxroom_send_back(const struct uet_rxroom_nacked *r)
{
	return r->rival >= UET_RIVAL_UNSEEN || r->beyond >= r->range / 2 ||
	       (r->shares && !r->covered) ||
	       (r->posted && (!r->covered ||
			      (r->len <= UET_RXROOM_KEPT &&
			       !uet_rxroom_long(r->half, r->len))));
}
