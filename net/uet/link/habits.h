/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is known of the implementation at the other end: nothing on the wire
 * names it, so it shows by what a peer does.
 */
#ifndef _UET_HABITS_H
#define _UET_HABITS_H

#include <linux/compiler.h>
#include <linux/types.h>

/**
 * enum uet_probe_habit - what a peer does with a PROBE
 * @UET_PROBES_UNKNOWN: it was not seen yet, or it is silent about them
 * @UET_PROBES_ANSWERED: it answers
 * @UET_PROBES_REFUSED: it said that it does not take them
 */
enum uet_probe_habit {
	UET_PROBES_UNKNOWN,
	UET_PROBES_ANSWERED,
	UET_PROBES_REFUSED,
};

/**
 * struct uet_habits - of one peer; read and written without a lock
 * @ask_at: not to be asked again before, jiffies
 * @asked: how often it was asked
 * @probes: enum uet_probe_habit
 * @holds: it holds what is refused for shortage, and never gives up for that
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

static inline bool uet_habit_refuses_probes(const struct uet_habits *h)
{
	return READ_ONCE(h->probes) == UET_PROBES_REFUSED;
}

static inline void uet_habit_set_probes(struct uet_habits *h,
					enum uet_probe_habit probes)
{
	if (unlikely(READ_ONCE(h->probes) != probes))
		WRITE_ONCE(h->probes, probes);
}

static inline bool uet_habit_holds(const struct uet_habits *h)
{
	return READ_ONCE(h->holds);
}

/*
 * The source sent a PROBE. Those that take no probes send none, and they are also
 * those that count refusals for shortage; each source of this module sends one
 * when it has been answered for the first time.
 */
static inline void uet_habit_probed(struct uet_habits *h)
{
	if (unlikely(!READ_ONCE(h->holds)))
		WRITE_ONCE(h->holds, true);
}

/* Does it send requests by PDCs that were opened here, and so accept them? */
static inline bool uet_habit_returns(const struct uet_habits *h)
{
	return READ_ONCE(h->returns);
}

/* It is not known any more. */
static inline void uet_habit_returns_not(struct uet_habits *h)
{
	if (unlikely(READ_ONCE(h->returns)))
		WRITE_ONCE(h->returns, false);
}

/* It did. */
static inline void uet_habit_returned(struct uet_habits *h)
{
	if (unlikely(!READ_ONCE(h->returns)))
		WRITE_ONCE(h->returns, true);
}

#endif /* _UET_HABITS_H */
