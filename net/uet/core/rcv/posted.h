/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A receive that is posted ahead: who has it.
 *
 *	OPEN	in the index, or of the task that posts it: messages may match it
 *	CLOSED	its messages have it: no further one may match
 *	ENDED	nobody has it: all was told
 *
 * One for a single message goes to that, and ends with it. One for many is open until it
 * has less room than the program wants. There is no way back: what was taken is never
 * open again, so nothing that may fail lies between the match and the first byte, or the
 * end of an empty message. Hence a receive that is posted late takes no message of which
 * nothing has come yet.
 *
 * tools/unit/posted_explore.c runs these steps interleaved, whole.
 */
#ifndef _UET_CORE_POSTED_H
#define _UET_CORE_POSTED_H

#include "../env.h"

/**
 * enum uet_posted_state - state of a receive
 * @UET_POSTED_OPEN: messages may match it
 * @UET_POSTED_CLOSED: it has its messages
 * @UET_POSTED_ENDED: nothing is to be told of it any more
 */
enum uet_posted_state {
	UET_POSTED_OPEN,
	UET_POSTED_CLOSED,
	UET_POSTED_ENDED,
};

/**
 * struct uet_posted - a receive
 * @state: enum uet_posted_state
 * @many: it takes one message after the other
 * @length: of its buffer, bytes
 * @least: with @many it closes when less room than this is left
 * @used: bytes of it that messages have got
 * @users: messages in it
 */
struct uet_posted {
	u8	state;
	bool	many;
	u32	length;
	u32	least;
	u32	used;
	u32	users;
};

/**
 * struct uet_posted_part - the place of a message in a receive
 * @at: where in the buffer it begins
 * @room: bytes of the message that go there
 */
struct uet_posted_part {
	u32	at;
	u32	room;
};

void uet_posted_init(struct uet_posted *r, u32 length, u32 least);
struct uet_posted_part uet_posted_take(struct uet_posted *r, u32 len);
bool uet_posted_leave(struct uet_posted *r);
bool uet_posted_cancel(struct uet_posted *r);

/**
 * uet_posted_open() - may messages match a receive?
 * @r: the receive
 *
 * Return: true if so.
 */
static inline bool uet_posted_open(const struct uet_posted *r)
{
	return r->state == UET_POSTED_OPEN;
}

/**
 * uet_posted_late() - may a receive that is posted now take a message?
 * @rcvd: bytes of it that came
 * @complete: all of it came
 * @begun: a reader has seen a part of it
 * @failed: its rest will not come
 *
 * Return: true if so.
 */
static inline bool uet_posted_late(u32 rcvd, bool complete, bool begun, bool failed)
{
	return (rcvd || complete) && !begun && !failed;
}

#endif /* _UET_CORE_POSTED_H */
