/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Deficit round robin among the senders in a queue, where a sender that pauses
 * keeps its quantum.
 *
 * The sender at the front sends until its quantum is used up, gets a new one and
 * goes to the end. A sender without data leaves the queue and keeps the rest of
 * its quantum; it comes back to the front if rest > 0, else to the end. So short
 * messages need not wait for bulk senders, and however often they come, they
 * overtake each bulk sender by at most one quantum per round:
 *
 *	- between two packets of a waiting sender, another sends < 2 quanta;
 *	- while a sender waits, another sends < 3 quanta more than it does.
 */
#ifndef _UET_CORE_TURN_H
#define _UET_CORE_TURN_H

#include "../env.h"

/**
 * struct uet_turn - state of a sender; starts zeroed
 * @left: bytes left of its quantum
 */
struct uet_turn {
	s32 left;
};

/**
 * uet_turn_took() - bytes were sent
 * @t: the sender
 * @size: their number
 */
static inline void uet_turn_took(struct uet_turn *t, u32 size)
{
	t->left -= (s32)size;
}

/**
 * uet_turn_used_up() - would uet_turn_over() give a sender another quantum?
 * @t: the sender
 *
 * Return: true if so.
 */
static inline bool uet_turn_used_up(const struct uet_turn *t)
{
	return t->left <= 0;
}

/**
 * uet_turn_over() - is the quantum of a sender used up?
 * @t: sender that is in the queue or joins it
 * @quantum: bytes of the next quantum, added if so; >= largest packet
 *
 * Do not call it for a sender that leaves the queue: it would come back with a
 * quantum that it did not wait for.
 *
 * Return: true if the sender belongs at the end of the queue.
 */
static inline bool uet_turn_over(struct uet_turn *t, u32 quantum)
{
	if (!uet_turn_used_up(t))
		return false;
	t->left += (s32)quantum;
	return true;
}

#endif /* _UET_CORE_TURN_H */
