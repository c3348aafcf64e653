/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Recently acknowledged values, for retransmissions. A dead path takes many
 * values with it, and most of them are not known to be dead yet. So a
 * retransmission uses a value of which a packet just arrived.
 */
#ifndef _UET_CORE_LB_GOOD_H
#define _UET_CORE_LB_GOOD_H

#include "../env.h"

#define UET_LB_GOOD		8	/* number of values kept */

/**
 * struct uet_lb_good - distinct values acknowledged recently without ECN mark
 * @ev: the values
 * @low: their lower bytes, which a single 64-bit test can search
 * @at: last acknowledgment of each, units of 1024 ns, compared modulo 2^32
 * @nr: slots in use
 * @head: slot to replace next
 * @turn: slot to choose next
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
 * uet_lb_good_recall() - choose a value for a retransmission
 * @g: values
 * @since: prefer values acknowledged since then, ns
 * @not: value of the lost packet
 * @ev: set to the value
 *
 * Return: false if there is none.
 */
bool uet_lb_good_recall(struct uet_lb_good *g, u64 since, u16 not, u16 *ev);

/**
 * uet_lb_good_forget() - remove a value that may no longer work
 * @g: values
 * @ev: the value
 */
void uet_lb_good_forget(struct uet_lb_good *g, u16 ev);

/**
 * uet_lb_good_forget_all() - remove all values
 * @g: values
 */
void uet_lb_good_forget_all(struct uet_lb_good *g);

static inline u32 uet_lb_good_ticks(u64 ns)
{
	return (u32)(ns >> 10);
}

#define UET_LB_GOOD_EACH	0x0101010101010101ULL

/**
 * uet_lb_good_is_new() - is a value not stored, and no slot free?
 * @g: values
 * @ev: a value
 *
 * Return: false also for a stored value with the same lower byte.
 */
static inline bool uet_lb_good_is_new(const struct uet_lb_good *g, u16 ev)
{
	u64 x;

	BUILD_BUG_ON(sizeof(g->low) != sizeof(x));
	memcpy(&x, g->low, sizeof(x));
	x ^= UET_LB_GOOD_EACH * (u8)ev;
	/* Sets the highest bit of a byte that is zero. */
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
 * uet_lb_good_replace() - store a new value in the oldest slot
 * @g: values, all slots in use
 * @ev: a value that is not stored
 * @now: time of the acknowledgment, ns
 */
static inline void uet_lb_good_replace(struct uet_lb_good *g, u16 ev, u64 now)
{
	u32 slot = g->head;

	g->head = (u8)((slot + 1) % UET_LB_GOOD);
	uet_lb_good_put(g, slot, ev, now);
}

/**
 * uet_lb_good_came_back() - a packet was acknowledged without ECN mark
 * @g: values
 * @ev: its value
 * @now: time, ns
 */
void uet_lb_good_came_back(struct uet_lb_good *g, u16 ev, u64 now);

#endif /* _UET_CORE_LB_GOOD_H */
