/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Turns by bytes among those who wait in a line: deficit round robin, whose
 * turns outlast a pause.
 *
 * Who is at the front sends until its turn is used up, gets the next one and
 * goes to the end. Who has nothing to send leaves the line and keeps what is
 * left of its turn; it comes back to the front if that is something, and to
 * the end if not. So what is short does not wait for others that send all they
 * can, and can overtake each of them by one turn per round only, however often
 * it comes: between two packets of one that waits, another sends less than two
 * quanta, and as long as it waits less than three more than it does.
 */
#ifndef _UET_CORE_TURN_H
#define _UET_CORE_TURN_H

#include "env.h"

/**
 * struct uet_turn - turn of somebody who sends; zeroed to begin with
 * @left: bytes left of it
 */
struct uet_turn {
	s32 left;
};

/**
 * uet_turn_took() - bytes were sent
 * @t: turn of the sender
 * @size: their number
 */
static inline void uet_turn_took(struct uet_turn *t, u32 size)
{
	t->left -= (s32)size;
}

/**
 * uet_turn_over() - is a turn used up?
 * @t: turn of somebody who is in the line or joins it
 * @quantum: bytes of the next turn, given if so; not below the largest packet
 *
 * Not to be asked for who leaves the line: it would come back with a turn that
 * it did not wait for.
 *
 * Return: true if its place is the end of the line.
 */
static inline bool uet_turn_over(struct uet_turn *t, u32 quantum)
{
	if (t->left > 0)
		return false;
	t->left += (s32)quantum;
	return true;
}

#endif /* _UET_CORE_TURN_H */
