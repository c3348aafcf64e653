/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Refusals: destinations to which a socket had a send that would not wait refused,
 * for want of room. They are what poll() of a socket looks at, see refused.c.
 */
#ifndef _UET_CORE_REFUSED_H
#define _UET_CORE_REFUSED_H

#include "../env.h"

/* Sends refused, beyond one for each refusal, after which one that is ready and that
 * nobody tried again is told less often
 */
#define UET_REFUSED_TRIES	8
/* The first pause before it is told again, ns; it doubles */
#define UET_REFUSED_PAUSE_NS	10000000ULL
/* How often it is told so before it is forgotten: after 20 s */
#define UET_REFUSED_TELLS	10

/**
 * struct uet_refusal - sends to one destination that were refused
 * @node: in uet_refusals.list; empty: none was
 * @need: bytes of the one that needed the least since it was last told
 * @sends: uet_refusals.sends when it was found ready, or was last told
 * @next: when it is told again, ns, if @quiet
 * @tells: how often it was told since it is @quiet
 * @told: it is ready, and somebody may know
 * @done: a send as long as @need has succeeded since
 * @quiet: it is told less often
 */
struct uet_refusal {
	struct list_head	node;
	u32			need;
	u32			sends;
	u64			next;
	u8			tells;
	bool			told;
	bool			done;
	bool			quiet;
};

/**
 * struct uet_refusals - the refusals of a socket
 * @list: struct uet_refusal
 * @nr: length of @list
 * @sends: sends that were refused so far
 * @last: the last send that would not wait was refused
 */
struct uet_refusals {
	struct list_head	list;
	u32			nr;
	u32			sends;
	bool			last;
};

/**
 * typedef uet_refusal_ready - would a send be taken now?
 * @r: the refusal, which says how long it is
 * @arg: of the caller
 *
 * If not, it sees to it that somebody looks again when it may be.
 *
 * Return: true if it would.
 */
typedef bool (*uet_refusal_ready)(struct uet_refusal *r, void *arg);

static inline void uet_refusals_init(struct uet_refusals *rs)
{
	INIT_LIST_HEAD(&rs->list);
	rs->nr = 0;
	rs->sends = 0;
	rs->last = false;
}

static inline void uet_refusal_init(struct uet_refusal *r)
{
	INIT_LIST_HEAD(&r->node);
}

/* Is there one? Without a lock the answer may be that of a moment ago. */
static inline bool uet_refusal_noted(const struct uet_refusal *r)
{
	return !list_empty(&r->node);
}

void uet_refusal_note(struct uet_refusals *rs, struct uet_refusal *r, u32 need);
void uet_refusal_taken(struct uet_refusals *rs, struct uet_refusal *r, u32 need,
		       u64 now);
void uet_refusal_drop(struct uet_refusals *rs, struct uet_refusal *r);
void uet_refusal_fold(struct uet_refusals *rs, struct uet_refusal *r,
		      struct uet_refusal *into);
bool uet_refusals_look(struct uet_refusals *rs, u64 now, uet_refusal_ready ready,
		       void *arg, u64 *again);
u32 uet_refusals_take(struct uet_refusals *rs, uet_refusal_ready ready, void *arg,
		      struct uet_refusal **taken, u32 max);

#endif /* _UET_CORE_REFUSED_H */
