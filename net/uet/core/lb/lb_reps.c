// SPDX-License-Identifier: GPL-2.0
/*
 * "reps", after REPS: recycle values that were acknowledged without an ECN mark,
 * each once, oldest first; if there is none, draw at random. A loss freezes the
 * ring for a while: until routing has converged, use only values known to work
 * (UE 1.0 3.6.16.4).
 *
 * While a large share of the values is congested, all are drawn at random: those that
 * are not would have to take what the others cannot. Random draws also tell when that
 * has ended, as recycled values alone would not.
 */
#include "lb_reps.h"

bool uet_reps_recycle(struct uet_reps *r, u16 *ev)
{
	u32 k, slot;

	for (k = 0; r->fresh && k < UET_REPS_RING; k++) {
		slot = (r->head + k) % UET_REPS_RING;
		if (r->fresh & BIT(slot)) {
			r->fresh &= ~BIT(slot);
			*ev = r->ring[slot];
			return true;
		}
	}
	return false;
}

bool uet_reps_frozen_next(struct uet_reps *r, u16 *ev)
{
	u8 slot = r->scan;

	r->scan = (r->scan + 1) % UET_REPS_RING;
	if (slot >= r->fill)
		return false;
	*ev = r->ring[slot];
	r->fresh &= ~BIT(slot);
	return true;
}

/* Remove a value from the ring and close the gap. */
static void reps_take_out(struct uet_reps *r, u16 ev)
{
	u8 fresh = 0, n = 0;
	u32 slot;

	for (slot = 0; slot < r->fill; slot++) {
		if (r->ring[slot] == ev)
			continue;
		if (r->fresh & BIT(slot))
			fresh |= BIT(n);
		r->ring[n++] = r->ring[slot];
	}
	if (n == r->fill)
		return;
	r->fresh = fresh;
	r->fill = n;
	r->head = n;
}

void uet_reps_keep(const struct uet_lb *lb, struct uet_reps *r)
{
	u32 slot;

	for (slot = 0; slot < r->fill; slot++)
		if (uet_lb_index(lb, r->ring[slot]) >= lb->n)
			r->fresh &= ~BIT(slot);
	uet_lb_marked_resized(lb, &r->marked);
}

/*
 * While frozen, only values of the ring are sent and acknowledged. Storing each
 * of them again would soon leave few different values in the ring.
 */
static bool reps_refreshed(struct uet_reps *r, u16 ev)
{
	u32 slot;

	for (slot = 0; slot < r->fill; slot++) {
		if (r->ring[slot] == ev) {
			r->fresh |= BIT(slot);
			return true;
		}
	}
	return false;
}

static void reps_empty(struct uet_reps *r)
{
	r->fresh = 0;
	r->head = 0;
	r->fill = 0;
	r->scan = 0;
}

/*
 * With trimming a timeout means a dead path. Without it a timeout may be mere
 * congestion: require losses on two values within one RTO with ACKs in between,
 * which show that some paths work and some do not.
 */
static bool reps_loss_freezes(const struct uet_lb *lb, struct uet_reps *r,
			      const struct uet_lb_signal *sig)
{
	bool second = r->lost && r->heard && r->lost_ev != sig->ev &&
		      sig->now >= r->lost_at && sig->now - r->lost_at <= r->rto;

	r->lost = true;
	r->heard = false;
	r->lost_ev = sig->ev;
	r->lost_at = sig->now;
	return lb->trimming || second;
}

void uet_reps_feedback(struct uet_lb *lb, struct uet_reps *r,
		       const struct uet_lb_signal *sig)
{
	if (r->frozen && sig->now > r->frozen_until) {
		reps_empty(r);
		r->frozen = false;
		r->explore = UET_REPS_EXPLORE;
		uet_lb_note(lb, UET_LB_NOTE_THAWED, sig->ev);
	}
	if (sig->reason == UET_LB_TIMEOUT) {
		/* The ring may hold values of the dead path */
		if (r->frozen)
			reps_take_out(r, sig->ev);
		if (reps_loss_freezes(lb, r, sig) && !r->frozen &&
		    !r->explore) {
			r->frozen = true;
			r->frozen_until = sig->now + UET_REPS_FREEZE_NS;
			uet_lb_note(lb, UET_LB_NOTE_FROZEN, sig->ev);
		}
		return;
	}
	r->heard = true;
	if (uet_lb_marked_set(lb, &r->marked, uet_lb_index(lb, sig->ev),
			      sig->reason != UET_LB_NO_ECN))
		uet_lb_note(lb, UET_LB_NOTE_SATURATED, sig->ev);
	if (sig->reason != UET_LB_NO_ECN ||
	    (r->frozen && reps_refreshed(r, sig->ev)))
		return;
	r->ring[r->head] = sig->ev;
	r->fresh |= BIT(r->head);
	r->head = (r->head + 1) % UET_REPS_RING;
	r->fill = min_t(u8, r->fill + 1, UET_REPS_RING);
}

static u16 reps_random_ev(struct uet_lb *lb)
{
	return (u16)(lb->base + uet_prng_below(&lb->prng, lb->n));
}

static u16 reps_next(struct uet_lb *lb, const struct uet_lb_ask *ask, u16 *run)
{
	struct uet_reps *r = uet_lb_priv(lb);
	u16 ev;

	if (r->explore) {
		r->explore--;
		return reps_random_ev(lb);
	}
	if (r->frozen) {
		if (uet_reps_frozen_next(r, &ev))
			return ev;
	} else if (!uet_lb_marked_full(lb, &r->marked) &&
		   uet_reps_recycle(r, &ev)) {
		return ev;
	}
	return reps_random_ev(lb);
}

static void reps_init(struct uet_lb *lb, const struct uet_lb_config *cfg)
{
	struct uet_reps *r = uet_lb_priv(lb);

	BUILD_BUG_ON(sizeof(*r) > UET_LB_PRIV_SIZE);
	r->rto = cfg->rto_ns;
}

static void reps_feedback(struct uet_lb *lb, const struct uet_lb_signal *sig)
{
	uet_reps_feedback(lb, uet_lb_priv(lb), sig);
}

static void reps_resized(struct uet_lb *lb, u32 old)
{
	uet_reps_keep(lb, uet_lb_priv(lb));
}

const struct uet_lb_ops uet_lb_reps = {
	.next = reps_next,
	.feedback = reps_feedback,
	.init = reps_init,
	.resized = reps_resized,
	.name = "reps",
	.aware = true,
	.recalls = true,
};
