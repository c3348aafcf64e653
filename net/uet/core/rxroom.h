/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Who gets the receive buffer of a socket when it is full: what becomes of a
 * packet for which there is no room. Plain decisions about facts that the
 * caller knows; the same code decides in the model of tools/unit.
 *
 * What the rules must see to is that there always is a next step. A source that
 * was refused tries the oldest refused packet alone and nothing behind it, and no
 * packet is sent farther than MP_RANGE beyond the oldest that is missing. So a
 * message depends on the older ones of its PDC. If its reader has begun with it
 * while an older one is refused, each waits for the other:
 *
 *	- One message at a time has a right to the half of the buffer that is
 *	  reserved, the next one only if all who have it are silent. A message that
 *	  is too long to be read as a whole is handed over while it arrives if it
 *	  has the right, and not else.
 *	- Who has the right may have overtaken an older message of its PDC, as that
 *	  was lost or refused. If that one is refused now it gets a right as well,
 *	  for then both can be completed; unless it is too long to be completed
 *	  before the other one was read. It is sent back then: all of its packets
 *	  are taken and dropped, and the source begins it again, behind the other.
 *	- What is refused is sent back too when half of MP_RANGE was used up behind
 *	  it. So that it can be, a message that is handed over while it arrives is
 *	  the only one of its PDC for its socket.
 *
 * An ordered PDC lets nothing overtake, and sends nothing back. It delivers in one
 * line, so a message of it can only be completed if the packets before its own get
 * in. Sources of ours end the one before they begin the next, and then only one is
 * begun at a time. Of a source that mixes them one has a right, and all others
 * together so much as UET_RXROOM_MIXED rights are worth. If nobody else has one, and
 * what comes next in the line gets no room although there is nothing to be read,
 * that line would never move again: the message that has no room is refused for
 * good, and the others are completed.
 */
#ifndef _UET_CORE_RXROOM_H
#define _UET_CORE_RXROOM_H

#include "env.h"

/* Messages that may have a right to the reserved half */
#define UET_RXROOM_RIGHTS	4

/* Of these, what the messages take together that an ordered line mixes with the one
 * that has a right
 */
#define UET_RXROOM_MIXED	3

/* What a message with a right may hold, in halves of the buffer. Full packets
 * stay far below; who sends crumbs is stopped here.
 */
#define UET_RXROOM_CRUMBS	4

/**
 * enum uet_rxroom_rival - what another message of the PDC, with a right, is to one
 * @UET_RIVAL_NONE: there is none that matters
 * @UET_RIVAL_AHEAD: it is older, and handed over while it arrives
 * @UET_RIVAL_UNSEEN: it overtook this one, and the reader knows nothing of it
 * @UET_RIVAL_SEEN: it overtook this one, and is handed over while it arrives
 *
 * The last of those that apply is the one that counts.
 */
enum uet_rxroom_rival {
	UET_RIVAL_NONE,
	UET_RIVAL_AHEAD,
	UET_RIVAL_UNSEEN,
	UET_RIVAL_SEEN,
};

/**
 * struct uet_rxroom - receive buffer of a socket
 * @half: half of its size, bytes
 * @shared: bytes in use in the half that is shared
 * @rights: messages that have a right to the other half
 * @alive: something came of one of them a short while ago
 * @readable: a reader would get something now
 */
struct uet_rxroom {
	u64 half;
	u64 shared;
	u32 rights;
	bool alive;
	bool readable;
};

/**
 * struct uet_rxroom_msg - a message that arrives
 * @len: its length
 * @read: bytes its reader took
 * @bytes: bytes of the buffer that it holds
 * @rival: another message of the PDC, with a right
 * @first: it is its turn among those without a right
 */
struct uet_rxroom_msg {
	u32 len;
	u32 read;
	u64 bytes;
	enum uet_rxroom_rival rival;
	bool first;
};

/**
 * struct uet_rxroom_refused - a packet that was refused, of an unordered PDC
 * @range: MP_RANGE
 * @beyond: highest PSN that came, though it was refused, minus its own
 * @rival: another message of the PDC, with a right
 * @shares: others get data by the same PDC
 * @covered: CACK covers the beginning of its message, which the source may have
 *	forgotten by now
 */
struct uet_rxroom_refused {
	u32 range;
	u32 beyond;
	enum uet_rxroom_rival rival;
	bool shares;
	bool covered;
};

/**
 * uet_rxroom_long() - must a message be handed over while it arrives?
 * @half: half of the buffer
 * @len: length of the message
 *
 * Return: true if it is more than its right lets in before somebody reads.
 */
static inline bool uet_rxroom_long(u64 half, u32 len)
{
	return len > half;
}

/**
 * uet_rxroom_rival() - what another message of the PDC is to one
 * @seen: it is handed over while it arrives
 * @overtook: it is younger
 *
 * Return: enum uet_rxroom_rival, if the other one has a right.
 */
static inline enum uet_rxroom_rival uet_rxroom_rival(bool seen, bool overtook)
{
	if (overtook)
		return seen ? UET_RIVAL_SEEN : UET_RIVAL_UNSEEN;
	return seen ? UET_RIVAL_AHEAD : UET_RIVAL_NONE;
}

/**
 * uet_rxroom_shared() - is there room in the half that is shared?
 * @room: buffer
 * @m: message
 * @bytes: what a packet takes
 *
 * A message that can only wait for its reader, and its rival for it, gets none:
 * it is to be sent back before CACK covers any of it.
 *
 * Return: true if the packet may come in without a right.
 */
static inline bool uet_rxroom_shared(const struct uet_rxroom *room,
				     const struct uet_rxroom_msg *m, u32 bytes)
{
	if (m->rival == UET_RIVAL_SEEN && uet_rxroom_long(room->half, m->len))
		return false;
	return room->shared + bytes <= room->half;
}

/**
 * uet_rxroom_line_right() - the same for an ordered line that mixes messages
 * @room: buffer
 * @m: message of the line, without a right
 *
 * The line goes on at once or not at all, so whose turn it is does not count.
 *
 * Return: true if the message may have a right.
 */
static inline bool uet_rxroom_line_right(const struct uet_rxroom *room,
					 const struct uet_rxroom_msg *m)
{
	return room->rights < UET_RXROOM_RIGHTS &&
	       room->shared <= room->half + m->bytes;
}

/**
 * uet_rxroom_mix() - may a message join the one of its line that has a right?
 * @room: buffer
 * @m: message of the line, without a right
 * @mixed: what such messages of the line hold, 0 if there are none
 *
 * Return: true if so.
 */
static inline bool uet_rxroom_mix(const struct uet_rxroom *room,
				  const struct uet_rxroom_msg *m, u64 mixed)
{
	return (mixed || room->rights + UET_RXROOM_MIXED <= UET_RXROOM_RIGHTS) &&
	       room->shared <= room->half + m->bytes &&
	       mixed + m->bytes <= UET_RXROOM_MIXED * room->half;
}

/**
 * uet_rxroom_line_full() - does an ordered line that is refused wait for itself?
 * @room: buffer
 * @line: rights that the line has
 * @others: another message of the line has one or is mixed with it
 *
 * Return: true if nothing but its own end, behind this packet, makes room.
 */
static inline bool uet_rxroom_line_full(const struct uet_rxroom *room,
					u32 line, bool others)
{
	return !room->readable && line == room->rights && others;
}

bool uet_rxroom_right(const struct uet_rxroom *room,
		      const struct uet_rxroom_msg *m);
bool uet_rxroom_within(const struct uet_rxroom *room,
		       const struct uet_rxroom_msg *m, u64 end, u32 bytes);
bool uet_rxroom_hand_over(const struct uet_rxroom *room,
			  const struct uet_rxroom_msg *m, bool right);
bool uet_rxroom_send_back(const struct uet_rxroom_refused *r);

#endif /* _UET_CORE_RXROOM_H */
