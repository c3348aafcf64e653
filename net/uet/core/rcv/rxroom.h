/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which messages may use the receive buffer of a full socket, and what happens
 * to a packet for which there is no room. Pure decisions on facts that the caller
 * supplies; the model in tools/unit runs the same code.
 *
 * The problem is deadlock. After a NACK for shortage a source retries the oldest
 * NACKed packet and sends nothing behind it, and no packet is sent farther than
 * MP_RANGE beyond the oldest missing one. So a message depends on the older
 * messages of its PDC. If a reader has begun with it while an older one gets
 * NACKs, each waits for the other. The rules for an unordered PDC:
 *
 *	- Half of the buffer is shared, the other half is reserved for messages
 *	  with a "right" to it: one message at a time, another one only if all
 *	  messages with a right are silent. A message too long for the reserved
 *	  half is handed over to its reader while it arrives, but only if it has a
 *	  right.
 *	- The message with the right may have overtaken an older one of its PDC,
 *	  which was lost or NACKed. If the older one finds no room now, it gets a
 *	  right too, so that both can be completed. But if it is too long to be
 *	  completed before the younger one, its rival, has been read, it is sent
 *	  back (NO_MATCH): all of its packets are taken and dropped, and the
 *	  source starts it again, behind the younger one.
 *	- The same holds for a message that was overtaken by one for which a receive
 *	  was posted. That needs no room, but its source sends its rest behind the
 *	  older one, and the program may read nothing before it has ended. If the
 *	  older one fits into the reserved half it gets a right while the shared half
 *	  is not overfull, or it is sent back, up to UET_RXROOM_KEPT bytes even if CACK
 *	  covers a part of it.
 *	- A NACKed message is also sent back when half of MP_RANGE is used up
 *	  behind its packet. To make that possible, only one message per PDC and
 *	  socket at a time is handed over while it arrives.
 *
 * In an ordered PDC, below a "line", no message overtakes and none is sent back.
 * A message can be completed only if all packets before its own find room. This
 * module's sources finish one message before they begin the next, so only one is
 * incomplete at a time. If another source mixes messages, one of them has a right,
 * and the others together may use as much as UET_RXROOM_MIXED rights. If the next
 * packet of the line finds no room, no other line has a right and there is
 * nothing to read, the line would stall for ever: the message without room is
 * rejected with an error, and the others are completed.
 */
#ifndef _UET_CORE_RXROOM_H
#define _UET_CORE_RXROOM_H

#include "../env.h"

/* Most messages with a right to the reserved half */
#define UET_RXROOM_RIGHTS	4

/* Number of these rights that the messages share which a line mixes with the one
 * that has a right
 */
#define UET_RXROOM_MIXED	3

/* A source keeps messages up to here whole, unless its send buffer is smaller, bytes */
#define UET_RXROOM_KEPT		65536

/* Most buffer space of a message with a right, in halves of the buffer. Packets that
 * continue it are packed and need far less; this limits what came before that.
 */
#define UET_RXROOM_CRUMBS	4
/* ... with a packet before its turn, which can come again */
#define UET_RXROOM_EARLY	2

/**
 * enum uet_rxroom_rival - another message of the same PDC that has a right
 * @UET_RIVAL_NONE: there is none that matters
 * @UET_RIVAL_AHEAD: it is older, and handed over while it arrives
 * @UET_RIVAL_UNSEEN: it overtook this one, and is not handed over yet
 * @UET_RIVAL_SEEN: it overtook this one, and is handed over while it arrives
 *
 * Of several rivals, take the bitwise OR. If one is ahead and another one overtook
 * this message, that is as bad as UET_RIVAL_SEEN: a reader is in the middle of the
 * first, so this message cannot be read before it, and the second waits for it.
 */
enum uet_rxroom_rival {
	UET_RIVAL_NONE,
	UET_RIVAL_AHEAD,
	UET_RIVAL_UNSEEN,
	UET_RIVAL_SEEN = UET_RIVAL_AHEAD | UET_RIVAL_UNSEEN,
};

/**
 * struct uet_rxroom - receive buffer of a socket
 * @half: half of its size, bytes
 * @shared: bytes in use in the shared half
 * @used: bytes in use in all
 * @rights: number of messages that have a right to the reserved half
 * @alive: data of one of them arrived recently
 * @readable: there is data to read now
 */
struct uet_rxroom {
	u64 half;
	u64 shared;
	u64 used;
	u32 rights;
	bool alive;
	bool readable;
};

/**
 * struct uet_rxroom_msg - a message that is arriving
 * @len: its length
 * @read: bytes its reader has taken
 * @bytes: buffer space that it uses
 * @rival: enum uet_rxroom_rival
 * @posted: it was overtaken by a younger message of the same PDC for which a receive
 *	was posted
 * @first: it is the next one to get a right
 */
struct uet_rxroom_msg {
	u32 len;
	u32 read;
	u64 bytes;
	enum uet_rxroom_rival rival;
	bool posted;
	bool first;
};

/**
 * struct uet_rxroom_nacked - a packet of an unordered PDC that found no room
 * @half: half of the buffer's size, bytes
 * @len: length of its message
 * @range: MP_RANGE
 * @beyond: highest PSN that arrived, even if NACKed, minus its own PSN
 * @rival: enum uet_rxroom_rival
 * @posted: as in struct uet_rxroom_msg
 * @shares: other sockets receive by the same PDC
 * @covered: CACK covers the beginning of its message, which the source may have
 *	freed by now
 */
struct uet_rxroom_nacked {
	u64 half;
	u32 len;
	u32 range;
	u32 beyond;
	enum uet_rxroom_rival rival;
	bool posted;
	bool shares;
	bool covered;
};

/**
 * uet_rxroom_resize() - half of the buffer that counts from now on
 * @half: what counted so far, bytes
 * @want: half of what the program asks for now
 * @used: bytes in use
 * @rights: number of messages that have a right to the reserved half
 * @begun: messages are not complete
 *
 * A buffer grows at once. A smaller one counts only when no message needs more than
 * it has. Else messages that were let in as short ones could not be completed and
 * would be too long to be completed, each in the way of others, in states that no
 * buffer of constant size comes to.
 *
 * Return: bytes.
 */
static inline u64 uet_rxroom_resize(u64 half, u64 want, u64 used, u32 rights,
				    bool begun)
{
	return want >= half || (!rights && (!begun || used <= want)) ? want : half;
}

/**
 * uet_rxroom_long() - must a message be handed over while it arrives?
 * @half: half of the buffer
 * @len: length of the message
 *
 * Return: true if it does not fit into the reserved half.
 */
static inline bool uet_rxroom_long(u64 half, u32 len)
{
	return len > half;
}

/**
 * uet_rxroom_rival() - classify another message of the same PDC with a right
 * @seen: it is handed over while it arrives
 * @overtook: it is younger
 *
 * Return: enum uet_rxroom_rival.
 */
static inline enum uet_rxroom_rival uet_rxroom_rival(bool seen, bool overtook)
{
	if (overtook)
		return seen ? UET_RIVAL_SEEN : UET_RIVAL_UNSEEN;
	return seen ? UET_RIVAL_AHEAD : UET_RIVAL_NONE;
}

/**
 * uet_rxroom_shared() - is there room in the shared half?
 * @room: buffer
 * @m: message
 * @bytes: buffer space of a packet
 *
 * A long message whose rival is being read gets none: each would wait for the
 * other. It must be sent back before CACK covers any of it.
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
 * uet_rxroom_full() - may no other message get a right?
 * @room: buffer
 *
 * Messages with a right may hold more than half a buffer each, as packets take more
 * memory than they have bytes. Then there are fewer of them.
 *
 * Return: true if so.
 */
static inline bool uet_rxroom_full(const struct uet_rxroom *room)
{
	return room->rights >= UET_RXROOM_RIGHTS ||
	       room->used > UET_RXROOM_RIGHTS * room->half;
}

/**
 * uet_rxroom_line_right() - uet_rxroom_right() for a line that mixes messages
 * @room: buffer
 * @m: message of the line without a right
 *
 * The line can continue only with this message, so @m->first does not matter.
 *
 * Return: true if the message may get a right.
 */
static inline bool uet_rxroom_line_right(const struct uet_rxroom *room,
					 const struct uet_rxroom_msg *m)
{
	return room->rights < UET_RXROOM_RIGHTS &&
	       room->shared <= room->half + m->bytes;
}

/**
 * uet_rxroom_mix() - may a message use the rights reserved for mixed messages?
 * @room: buffer
 * @m: message of the line without a right; another one of the line has one
 * @mixed: buffer space of such messages of the line, 0 if there are none
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
 * uet_rxroom_line_full() - does a line without room wait for itself?
 * @room: buffer
 * @line: number of rights that the line has
 * @others: another message of the line has a right or is mixed with it
 *
 * Return: true if only later packets of the line itself could free room.
 */
static inline bool uet_rxroom_line_full(const struct uet_rxroom *room,
					u32 line, bool others)
{
	return !room->readable && line == room->rights && others;
}

bool uet_rxroom_right(const struct uet_rxroom *room,
		      const struct uet_rxroom_msg *m);
bool uet_rxroom_within(const struct uet_rxroom *room,
		       const struct uet_rxroom_msg *m, u64 end, u32 bytes,
		       bool next);
bool uet_rxroom_hand_over(const struct uet_rxroom *room,
			  const struct uet_rxroom_msg *m, bool right);
bool uet_rxroom_send_back(const struct uet_rxroom_nacked *r);

#endif /* _UET_CORE_RXROOM_H */
