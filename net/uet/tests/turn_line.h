/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A queue of senders served by turn.h, and its invariants; for the test suite and
 * for the fuzz target.
 *
 * Let b wait in the queue without a pause, and a be any other sender: a may get a
 * quantum before b gets its next one, but cannot use it up before b has used up
 * its own. So however often a comes and goes,
 *
 *	between two packets of b, a sends less than two quanta;
 *	since b joined, a has sent less than three quanta more than b.
 */
#ifndef _UET_TESTS_TURN_LINE_H
#define _UET_TESTS_TURN_LINE_H

#include "../core/snd/turn.h"

#define TURN_SENDERS	6

/**
 * struct turn_sender - a sender that has data at times
 * @turn: its state
 * @waits: it is in the queue
 * @sent: bytes sent
 * @at_join: bytes that each had sent when this one joined
 * @at_sent: bytes that each had sent at this one's last packet, or as it joined
 */
struct turn_sender {
	struct uet_turn turn;
	bool waits;
	u64 sent;
	u64 at_join[TURN_SENDERS];
	u64 at_sent[TURN_SENDERS];
};

/**
 * struct turn_line - the queue and all senders
 * @quantum: bytes of a quantum
 * @who: numbers of the senders in the queue, the front at 0
 * @n: length of the queue
 * @all: all senders
 */
struct turn_line {
	u32 quantum;
	u32 who[TURN_SENDERS];
	u32 n;
	struct turn_sender all[TURN_SENDERS];
};

static inline void turn_line_init(struct turn_line *l, u32 quantum)
{
	memset(l, 0, sizeof(*l));
	l->quantum = quantum;
}

static inline void turn_line_note(const struct turn_line *l, u64 *sent)
{
	u32 i;

	for (i = 0; i < TURN_SENDERS; i++)
		sent[i] = l->all[i].sent;
}

static inline void turn_line_take_out(struct turn_line *l, u32 at)
{
	l->all[l->who[at]].waits = false;
	l->n--;
	memmove(l->who + at, l->who + at + 1, (l->n - at) * sizeof(l->who[0]));
}

/* Sender @i has data. */
static inline void turn_line_join(struct turn_line *l, u32 i)
{
	struct turn_sender *s = &l->all[i];

	if (s->waits)
		return;
	s->waits = true;
	if (uet_turn_over(&s->turn, l->quantum)) {
		l->who[l->n] = i;
	} else {
		memmove(l->who + 1, l->who, l->n * sizeof(l->who[0]));
		l->who[0] = i;
	}
	l->n++;
	turn_line_note(l, s->at_join);
	turn_line_note(l, s->at_sent);
}

/* The sender at the front sends a packet, and leaves unless @more. */
static inline void turn_line_send(struct turn_line *l, u32 size, bool more)
{
	u32 i = l->who[0];
	struct turn_sender *s = &l->all[i];

	uet_turn_took(&s->turn, size);
	s->sent += size;
	turn_line_note(l, s->at_sent);
	if (!more) {
		turn_line_take_out(l, 0);
	} else if (uet_turn_over(&s->turn, l->quantum)) {
		turn_line_take_out(l, 0);
		l->who[l->n++] = i;
		s->waits = true;
	}
}

/* Bytes of @a minus bytes of @b since @b joined */
static inline s64 turn_line_lead(const struct turn_line *l, u32 a, u32 b)
{
	const u64 *at_join = l->all[b].at_join;

	return (s64)((l->all[a].sent - at_join[a]) -
		     (l->all[b].sent - at_join[b]));
}

/* Sender @i fails, in the queue or not, and another one takes its number. */
static inline void turn_line_replace(struct turn_line *l, u32 i)
{
	u32 at, b;

	for (at = 0; at < l->n; at++) {
		if (l->who[at] == i) {
			turn_line_take_out(l, at);
			break;
		}
	}
	l->all[i].turn = (struct uet_turn) {};
	for (b = 0; b < TURN_SENDERS; b++)
		l->all[b].at_join[i] += turn_line_lead(l, i, b);
}

/* The invariant that is violated, or NULL */
static inline const char *turn_line_wrong(const struct turn_line *l)
{
	const struct turn_sender *b;
	u32 a, i;

	for (i = 0; i < TURN_SENDERS; i++) {
		b = &l->all[i];
		if (b->turn.left > (s32)l->quantum ||
		    b->turn.left <= -(s32)l->quantum)
			return "a turn is outside its bounds";
		if (!b->waits)
			continue;
		if (b->turn.left <= 0)
			return "somebody waits without a turn";
		for (a = 0; a < TURN_SENDERS; a++) {
			if (a == i)
				continue;
			if (l->all[a].sent - b->at_sent[a] >= 2ULL * l->quantum)
				return "somebody waits for too long";
			if (turn_line_lead(l, a, i) >= 3LL * l->quantum)
				return "shares are not equal";
		}
	}
	return NULL;
}

#endif /* _UET_TESTS_TURN_LINE_H */
