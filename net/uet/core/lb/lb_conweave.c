// SPDX-License-Identifier: GPL-2.0
/*
 * "conweave": rerouting at the source, after ConWeave, for CCCs whose packets
 * may use at most two paths at a time. Once per epoch one answer must arrive by
 * a deadline. If it does not, the CCC moves to a value that saw no congestion
 * recently, but only after everything sent before the previous move has left
 * the network. So at most two values have packets in flight.
 *
 * A path keeps its order. So the packets sent before a move have left the
 * network when the last of them, the tail, is answered. The number of answers
 * since the move says nothing: packets of the new path overtake.
 */
#include "lb_single.h"

#define BUSY_SLOTS		8
#define EPOCH_RTTS		2
#define HOLD_RTTS		16
#define CLEAR_TIMEOUT_RTTS	16
#define MOVE_TRIES		4

/**
 * struct conweave - state
 * @epoch: start of the epoch, ns
 * @moved: time of the last move, ns
 * @tail_at: when the tail of @old_ev leaves this host, ns; packets sent with
 *	@old_ev before are older than the tail
 * @busy_until: when each entry of @busy expires, in conweave_ticks()
 * @spot: current value
 * @busy: values that saw congestion recently
 * @old_ev: value before the last move
 * @busy_next: next entry of @busy to reuse
 * @waiting: the answer of this epoch has not arrived
 * @late: the answer was late, or the packet was trimmed or lost
 * @clearing: packets from before the last move may still be in flight
 * @tailing: the tail was sent, the next packet moves
 */
struct conweave {
	u64 epoch;
	u64 moved;
	u64 tail_at;
	u32 busy_until[BUSY_SLOTS];
	struct uet_lb_spot spot;
	u16 busy[BUSY_SLOTS];
	u16 old_ev;
	u8 busy_next;
	bool waiting;
	bool late;
	bool clearing;
	bool tailing;
};

/* Units of 1024 ns, compared modulo 2^32 (about 73 minutes). */
static u32 conweave_ticks(u64 ns)
{
	return (u32)(ns >> 10);
}

static bool conweave_is_busy(const struct conweave *s, u16 ev, u64 now)
{
	u32 k;

	for (k = 0; k < BUSY_SLOTS; k++)
		if (s->busy_until[k] && s->busy[k] == ev &&
		    (s32)(s->busy_until[k] - conweave_ticks(now)) > 0)
			return true;
	return false;
}

static void conweave_hold(struct conweave *s, u16 ev, u64 now, u64 base_rtt)
{
	u32 until = conweave_ticks(now + HOLD_RTTS * base_rtt) | 1;
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

static bool conweave_cleared(struct conweave *s, const struct uet_lb_ask *ask)
{
	if (!ask->inflight_pkts ||
	    (ask->now > s->moved && ask->now - s->moved >
	     CLEAR_TIMEOUT_RTTS * (ask->base_rtt + ask->target)))
		s->clearing = false;
	return !s->clearing;
}

static void conweave_move(struct uet_lb *lb, struct conweave *s,
			  const struct uet_lb_ask *ask)
{
	struct uet_lb_spot old = s->spot;
	u32 tries = MOVE_TRIES;

	conweave_hold(s, old.ev, ask->now, ask->base_rtt);
	do {
		uet_lb_spot_move(lb, &s->spot);
	} while (--tries && conweave_is_busy(s, s->spot.ev, ask->now));
	if (conweave_is_busy(s, s->spot.ev, ask->now)) {
		s->spot = old;
		return;
	}
	uet_lb_note(lb, UET_LB_NOTE_MOVED, s->spot.ev);
	/* A retransmission moves without a tail: no answer ends clearing. */
	if (!s->tailing)
		s->tail_at = max(ask->now, ask->port_free);
	s->old_ev = old.ev;
	s->moved = ask->now;
	s->clearing = ask->inflight_pkts;
}

/* The last packet with this value sets AR. */
static void conweave_send_tail(struct uet_lb *lb, struct conweave *s,
			       const struct uet_lb_ask *ask, u16 *run)
{
	s->tailing = true;
	s->tail_at = max(ask->now, ask->port_free);
	lb->answer = true;
	*run = 1;
}

static u16 conweave_next(struct uet_lb *lb, const struct uet_lb_ask *ask,
			 u16 *run)
{
	struct conweave *s = uet_lb_priv(lb);
	u64 age = ask->now > s->epoch ? ask->now - s->epoch : 0;

	if (s->waiting && (s->late || age > ask->base_rtt + ask->target)) {
		if (!conweave_cleared(s, ask))
			return s->spot.ev;
		if (!s->tailing && !ask->rtx) {
			conweave_send_tail(lb, s, ask, run);
			return s->spot.ev;
		}
		conweave_move(lb, s, ask);
		s->waiting = false;
	}
	s->tailing = false;
	if (!s->waiting && (!s->epoch || age >= EPOCH_RTTS * ask->base_rtt)) {
		s->epoch = ask->now;
		s->waiting = true;
		s->late = false;
	}
	return s->spot.ev;
}

static void conweave_feedback(struct uet_lb *lb,
			      const struct uet_lb_signal *sig)
{
	struct conweave *s = uet_lb_priv(lb);

	if (sig->reason != UET_LB_NO_ECN && !sig->last_hop &&
	    sig->siblings != UET_LB_SIB_MARKED)
		conweave_hold(s, sig->ev, sig->now, sig->base_rtt);
	/* A NACK does not show it: trimmed packets overtake. */
	if (sig->reason <= UET_LB_ECN && !sig->last_hop && sig->rtt_valid &&
	    sig->ev == s->old_ev && sig->now >= s->tail_at + sig->rtt)
		s->clearing = false;
	if (sig->ev != s->spot.ev || !s->waiting)
		return;
	if (sig->reason == UET_LB_TIMEOUT || sig->reason == UET_LB_NACK) {
		s->late = true;
		return;
	}
	/* Only packets sent within the epoch count */
	if (!sig->rtt_valid || sig->now < s->epoch ||
	    sig->now - s->epoch < sig->rtt)
		return;
	if (sig->rtt > sig->base_rtt + sig->target)
		s->late = true;
	else
		s->waiting = false;
}

static void conweave_init(struct uet_lb *lb, const struct uet_lb_config *cfg)
{
	struct conweave *s = uet_lb_priv(lb);

	BUILD_BUG_ON(sizeof(*s) > UET_LB_PRIV_SIZE);
	uet_lb_spot_init(lb, &s->spot, cfg);
}

static void conweave_path_get(const struct uet_lb *lb, u32 index,
			      struct uet_lb_path *path)
{
	const struct conweave *s = uet_lb_priv_const(lb);

	path->current_ev = path->ev == s->spot.ev;
}

const struct uet_lb_ops uet_lb_conweave = {
	.next = conweave_next,
	.feedback = conweave_feedback,
	.evidence = conweave_feedback,
	.init = conweave_init,
	.path_get = conweave_path_get,
	.name = "conweave",
	.ordered = true,
};
