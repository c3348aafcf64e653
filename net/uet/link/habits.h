/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is known of a peer's implementation. The wire does not name it, so it is
 * inferred from what the peer does.
 */
#ifndef _UET_HABITS_H
#define _UET_HABITS_H

#include <linux/compiler.h>
#include <linux/types.h>

#include "core/probe.h"

/**
 * struct uet_habits - habits of one peer; read and written without a lock
 * @ask_at: earliest time to send another PROBE about this, jiffies
 * @asked: number of such PROBEs sent
 * @probes: enum uet_probe_habit
 * @holds: it holds packets NACKed for shortage, and never fails the PDC for that
 * @returns: it sends in the return direction of PDCs
 */
struct uet_habits {
	unsigned long	ask_at;
	u8		asked;
	u8		probes;
	bool		holds;
	bool		returns;
};

static inline bool uet_habit_answers_probes(const struct uet_habits *h)
{
	return READ_ONCE(h->probes) == UET_PROBES_ANSWERED;
}

static inline bool uet_habit_nacks_probes(const struct uet_habits *h)
{
	return READ_ONCE(h->probes) == UET_PROBES_NACKED;
}

static inline bool uet_habit_holds(const struct uet_habits *h)
{
	return READ_ONCE(h->holds);
}

/*
 * The source sent a PROBE. This module sends one after its first ACK. Sources that
 * send none may count NACKs for shortage and fail the PDC.
 */
static inline void uet_habit_probed(struct uet_habits *h)
{
	if (unlikely(!READ_ONCE(h->holds)))
		WRITE_ONCE(h->holds, true);
}

/* Does the peer send requests in the return direction, and so accept them? */
static inline bool uet_habit_returns(const struct uet_habits *h)
{
	return READ_ONCE(h->returns);
}

/* The peer may not accept requests in the return direction. */
static inline void uet_habit_returns_not(struct uet_habits *h)
{
	if (unlikely(READ_ONCE(h->returns)))
		WRITE_ONCE(h->returns, false);
}

/* The peer sent a request in the return direction. */
static inline void uet_habit_returned(struct uet_habits *h)
{
	if (unlikely(!READ_ONCE(h->returns)))
		WRITE_ONCE(h->returns, true);
}

#endif /* _UET_HABITS_H */
