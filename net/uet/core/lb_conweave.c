// SPDX-License-Identifier: GPL-2.0
/*
 * "conweave": rerouting at the source for contexts that must not reorder
 * beyond two paths. Once per epoch an answer is awaited; if it misses its
 * deadline the context moves to a value that was not marked lately, but only
 * after everything sent before the previous move has left the network. So at
 * most two values have packets in flight.
 */
#include "lb_single.h"

#define BUSY_SLOTS		8
#define EPOCH_RTTS		2
#define HOLD_RTTS		16
#define CLEAR_TIMEOUT_RTTS	16
#define MOVE_TRIES		4

/**
 * struct conweave - state
 * @epoch: when the answer awaited was asked for, ns
 * @moved: time of the last move, ns
 * @busy_until: end of the hold of each busy value, ns
 * @spot: the value
 * @tail: packets sent before the last move
 * @busy: values marked lately
 * @busy_next: slot to be reused next
 * @waiting: an answer is awaited
 * @late: the answer came, but late
 * @clearing: packets from before the last move may still be in flight
 */
struct conweave {
	u64 epoch;
	u64 moved;
	u32 busy_until[BUSY_SLOTS];
	struct uet_lb_spot spot;
	u32 tail;
	u16 busy[BUSY_SLOTS];
	u8 busy_next;
	bool waiting;
	bool late;
	bool clearing;
};

/* Holds are kept in units of 1024 ns, compared modulo 2^32: an hour. */
static u32 ticks(u64 ns)
{
	return (u32)(ns >> 10);
}

static bool is_busy(const struct conweave *s, u16 ev, u64 now)
{
	u32 k;

	for (k = 0; k < BUSY_SLOTS; k++)
		if (s->busy_until[k] && s->busy[k] == ev &&
		    (s32)(s->busy_until[k] - ticks(now)) > 0)
			return true;
	return false;
}

static void hold(struct conweave *s, u16 ev, u64 now, u64 base_rtt)
{
	u32 until = ticks(now + HOLD_RTTS * base_rtt) | 1;
	u32 k;

	for (k = 0; k < BUSY_SLOTS; k++) {
		if (s->busy[k] == ev) {
			s->busy_until[k] = until;
			return;
		}
	}
	k = s->busy_next;
	s->busy[k] = ev;
	s->busy_until[k] = until;
	s->busy_next = (k + 1) % BUSY_SLOTS;
}

static bool cleared(struct conweave *s, const struct uet_lb_ask *ask)
{
	u32 gone = ask->sent_pkts - ask->inflight_pkts;

	if (!s->clearing)
		return true;
	if ((s32)(gone - s->tail) >= 0 || !ask->inflight_pkts ||
	    (ask->now > s->moved && ask->now - s->moved >
	     CLEAR_TIMEOUT_RTTS * (ask->base_rtt + ask->target)))
		s->clearing = false;
	return !s->clearing;
}

static void move(struct uet_lb *lb, struct conweave *s,
		 const struct uet_lb_ask *ask)
{
	struct uet_lb_spot old = s->spot;
	u32 tries = MOVE_TRIES;

	hold(s, old.ev, ask->now, ask->base_rtt);
	do {
		uet_lb_spot_move(lb, &s->spot);
	} while (--tries && is_busy(s, s->spot.ev, ask->now));
	if (is_busy(s, s->spot.ev, ask->now)) {
		s->spot = old;
		return;
	}
	uet_lb_note(lb, UET_LB_NOTE_MOVED, s->spot.ev);
	s->tail = ask->sent_pkts;
	s->moved = ask->now;
	s->clearing = true;
}

static u16 next(struct uet_lb *lb, const struct uet_lb_ask *ask, u16 *run)
{
	struct conweave *s = uet_lb_priv(lb);
	u64 age = ask->now > s->epoch ? ask->now - s->epoch : 0;

	if (s->waiting && (s->late || age > ask->base_rtt + ask->target)) {
		if (!cleared(s, ask))
			return s->spot.ev;
		move(lb, s, ask);
		s->waiting = false;
	}
	if (!s->waiting && (!s->epoch || age >= EPOCH_RTTS * ask->base_rtt)) {
		s->epoch = ask->now;
		s->waiting = true;
		s->late = false;
	}
	return s->spot.ev;
}

static void feedback(struct uet_lb *lb, const struct uet_lb_signal *sig)
{
	struct conweave *s = uet_lb_priv(lb);

	if (sig->reason != UET_LB_NO_ECN && !sig->last_hop &&
	    sig->siblings != UET_LB_SIB_MARKED)
		hold(s, sig->ev, sig->now, sig->base_rtt);
	if (sig->ev != s->spot.ev || !s->waiting)
		return;
	if (sig->reason == UET_LB_TIMEOUT || sig->reason == UET_LB_NACK) {
		s->late = true;
		return;
	}
	/* only a packet sent within the epoch answers for it */
	if (!sig->rtt_valid || sig->now < s->epoch ||
	    sig->now - s->epoch < sig->rtt)
		return;
	if (sig->rtt > sig->base_rtt + sig->target)
		s->late = true;
	else
		s->waiting = false;
}

static void init(struct uet_lb *lb, const struct uet_lb_config *cfg)
{
	struct conweave *s = uet_lb_priv(lb);

	BUILD_BUG_ON(sizeof(*s) > UET_LB_PRIV_SIZE);
	uet_lb_spot_init(lb, &s->spot, cfg);
}

static void path_get(const struct uet_lb *lb, u32 index,
		     struct uet_lb_path *path)
{
	const struct conweave *s = uet_lb_priv_const(lb);

	path->current_ev = path->ev == s->spot.ev;
}

const struct uet_lb_ops uet_lb_conweave = {
	.next = next,
	.feedback = feedback,
	.evidence = feedback,
	.init = init,
	.path_get = path_get,
	.name = "conweave",
	.ordered = true,
};
