// SPDX-License-Identifier: GPL-2.0
/* States of a receive that is posted ahead. See posted.h. */
#include "posted.h"

/**
 * uet_posted_init() - a receive, open
 * @r: the receive
 * @length: of its buffer, bytes
 * @least: it takes many messages, until less room than this is left; 0: it takes one
 */
void uet_posted_init(struct uet_posted *r, u32 length, u32 least)
{
	*r = (struct uet_posted){
		.state = UET_POSTED_OPEN, .many = least,
		.length = length, .least = least,
	};
}

/**
 * uet_posted_take() - a message takes a receive, which may close
 * @r: the receive, open
 * @len: length of the message
 *
 * Return: its place.
 */
struct uet_posted_part uet_posted_take(struct uet_posted *r, u32 len)
{
	struct uet_posted_part part = {
		.at = r->used, .room = min(len, r->length - r->used),
	};

	r->used += part.room;
	r->users++;
	if (!r->many || r->length - r->used < r->least)
		r->state = UET_POSTED_CLOSED;
	return part;
}

/**
 * uet_posted_leave() - a message leaves a receive, complete or failed
 * @r: the receive
 *
 * Return: true if the receive has ended: what is told of the message is the last.
 */
bool uet_posted_leave(struct uet_posted *r)
{
	r->users--;
	if (r->state == UET_POSTED_CLOSED && !r->users)
		r->state = UET_POSTED_ENDED;
	return r->state == UET_POSTED_ENDED;
}

/**
 * uet_posted_cancel() - no message may match a receive any more
 * @r: the receive, open
 *
 * Return: true if the receive has ended: that it is cancelled is told last. Else its
 * messages are told still.
 */
bool uet_posted_cancel(struct uet_posted *r)
{
	r->state = r->users ? UET_POSTED_CLOSED : UET_POSTED_ENDED;
	return r->state == UET_POSTED_ENDED;
}
