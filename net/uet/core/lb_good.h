/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Values that came back lately: what was lost goes where packets come through.
 */
#ifndef _UET_CORE_LB_GOOD_H
#define _UET_CORE_LB_GOOD_H

#include "env.h"

#define UET_LB_GOOD		8	/* values remembered as working */

/**
 * struct uet_lb_good - different values that came back unmarked lately
 * @ev: the values
 * @low: their lower bytes, by which one look tells of nearly every value that
 *	comes back that it is not there
 * @at: when they last did, units of 1024 ns, compared modulo 2^32
 * @nr: slots of @ev in use
 * @head: slot that gives way to the next one
 * @turn: slot to be recalled next
 */
struct uet_lb_good {
	u16 ev[UET_LB_GOOD];
	u8 low[UET_LB_GOOD];
	u32 at[UET_LB_GOOD];
	u8 nr;
	u8 head;
	u8 turn;
};

/**
 * uet_lb_good_recall() - a value to send again what was lost
 * @g: values
 * @since: an answer to what left after the loss comes later than this, ns
 * @not: value that it was lost on
 * @ev: set to the value
 *
 * Return: false if there is none.
 */
bool uet_lb_good_recall(struct uet_lb_good *g, u64 since, u16 not, u16 *ev);

/**
 * uet_lb_good_forget() - a value works no longer
 * @g: values
 * @ev: the value
 */
void uet_lb_good_forget(struct uet_lb_good *g, u16 ev);

/**
 * uet_lb_good_forget_all() - begin anew
 * @g: values
 */
void uet_lb_good_forget_all(struct uet_lb_good *g);

static inline u32 uet_lb_good_ticks(u64 ns)
{
	return (u32)(ns >> 10);
}

#define UET_LB_GOOD_EACH	0x0101010101010101ULL

/**
 * uet_lb_good_is_new() - is this certainly one more, and no slot is free?
 * @g: values
 * @ev: a value
 *
 * Return: true for nearly all that come back.
 */
static inline bool uet_lb_good_is_new(const struct uet_lb_good *g, u16 ev)
{
	u64 x;

	BUILD_BUG_ON(sizeof(g->low) != sizeof(x));
	memcpy(&x, g->low, sizeof(x));
	x ^= UET_LB_GOOD_EACH * (u8)ev;
	/* A byte that is zero borrows from its highest bit. */
	x = (x - UET_LB_GOOD_EACH) & ~x & (UET_LB_GOOD_EACH << 7);
	return !x && g->nr == UET_LB_GOOD;
}

static inline void uet_lb_good_put(struct uet_lb_good *g, u32 slot, u16 ev,
				   u64 now)
{
	g->ev[slot] = ev;
	g->low[slot] = (u8)ev;
	g->at[slot] = uet_lb_good_ticks(now);
}

/**
 * uet_lb_good_replace() - a value that is not there takes the oldest one's slot
 * @g: values, all slots in use
 * @ev: the value
 * @now: when it came back, ns
 */
static inline void uet_lb_good_replace(struct uet_lb_good *g, u16 ev, u64 now)
{
	u32 slot = g->head;

	g->head = (u8)((slot + 1) % UET_LB_GOOD);
	uet_lb_good_put(g, slot, ev, now);
}

/**
 * uet_lb_good_came_back() - a packet with a value was acknowledged unmarked
 * @g: values
 * @ev: the value
 * @now: time, ns
 */
void uet_lb_good_came_back(struct uet_lb_good *g, u16 ev, u64 now);

#endif /* _UET_CORE_LB_GOOD_H */
