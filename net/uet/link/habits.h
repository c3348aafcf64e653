/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is known of a peer's implementation. The wire does not name it, so it is
 * inferred from what the peer does: from packets only that name ids which it alone was
 * told, and for this peer alone.
 *
 * Not here: what rules say, which counts more (link/peer_profile.h).
 */
#ifndef _UET_HABITS_H
#define _UET_HABITS_H

#include <linux/compiler.h>
#include <linux/types.h>

#include "core/wire/probe.h"

/**
 * struct uet_habits - habits of one peer; read and written without a lock
 * @ask_at: earliest time to send another PROBE about this, jiffies
 * @asked: number of such PROBEs sent
 * @probes: enum uet_probe_habit, by a rule if @ruled
 * @ruled: a rule decides @probes
 * @holds: it holds packets NACKed for shortage, and never fails the PDC for that
 * @returns: it sends in the return direction of PDCs
 * @brief: it sends SMALL or MEDIUM headers, and so takes them
 */
struct uet_habits {
	unsigned long	ask_at;
	u8		asked;
	u8		probes;
	bool		ruled;
	bool		holds;
	bool		returns;
	bool		brief;
};

static inline bool uet_habit_answers_probes(const struct uet_habits *h)
{
	return READ_ONCE(h->probes) == UET_PROBES_ANSWERED;
}

static inline bool uet_habit_nacks_probes(const struct uet_habits *h)
{
	return READ_ONCE(h->probes) >= UET_PROBES_NACKED;
}

/* Is there nothing to find out by a PROBE? */
static inline bool uet_habit_probes_known(const struct uet_habits *h)
{
	u8 probes = READ_ONCE(h->probes);

	return probes == UET_PROBES_ANSWERED || probes == UET_PROBES_NEVER;
}

/* Rules have changed. Two CPUs that do this at a time do the same. */
static inline void uet_habit_ruled(struct uet_habits *h, bool ruled, bool probes)
{
	if (ruled)
		WRITE_ONCE(h->probes, probes ? UET_PROBES_ANSWERED :
					       UET_PROBES_NEVER);
	else if (READ_ONCE(h->ruled))
		WRITE_ONCE(h->probes, UET_PROBES_UNKNOWN);
	WRITE_ONCE(h->ruled, ruled);
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

static inline bool uet_habit_brief(const struct uet_habits *h)
{
	return READ_ONCE(h->brief);
}

/* The peer sent a SMALL or MEDIUM header. */
static inline void uet_habit_was_brief(struct uet_habits *h)
{
	if (unlikely(!READ_ONCE(h->brief)))
		WRITE_ONCE(h->brief, true);
}

/* The peer sent a request in the return direction. */
static inline void uet_habit_returned(struct uet_habits *h)
{
	if (unlikely(!READ_ONCE(h->returns)))
		WRITE_ONCE(h->returns, true);
}

#endif /* _UET_HABITS_H */
