// SPDX-License-Identifier: GPL-2.0
/*
 * "single": one value at a time, for ordered CCCs (UE 1.0 3.6.16.2).
 *
 * A change of the value may reorder packets. So it changes only after
 * congestion that another path can avoid, and then only while the flow is idle,
 * or else at most once per t_reroute round trips. Congestion at the last hop
 * does not count: every path ends there.
 *
 * Also here: the values of all single-path policies (lb_single.h).
 */
#include "lb_single.h"

#define EVIDENCE_ECN		1
#define EVIDENCE_NACK		4
#define EVIDENCE_IDLE		1	/* required to move while idle */
#define EVIDENCE_BUSY		4	/* required to move otherwise */
#define EVIDENCE_MAX		255
#define IDLE_RTT_SHIFT		1	/* half a round trip */

/**
 * struct single - state
 * @last_move: when the value last changed, ns
 * @last_send: when a packet was last sent, ns
 * @idle_ns: configured idle time, 0 = half an RTT with nothing in flight
 * @spot: current value
 * @t_reroute: round trips between moves
 * @evidence: sum of congestion seen on the value since it was last clear
 * @lost: a packet was inferred lost on this value
 * @started: @last_send is valid
 */
struct single {
	u64 last_move;
	u64 last_send;
	u64 idle_ns;
	struct uet_lb_spot spot;
	u32 t_reroute;
	u8 evidence;
	bool lost;
	bool started;
};

void uet_lb_spot_init(struct uet_lb *lb, struct uet_lb_spot *s,
		      const struct uet_lb_config *cfg)
{
	lb->perm.key = cfg->peer_key;
	s->index = cfg->peer_index % lb->n;
	s->ev = (u16)(lb->base + uet_perm_at(&lb->perm, s->index,
					     lb->perm.key));
}

void uet_lb_spot_move(struct uet_lb *lb, struct uet_lb_spot *s)
{
	u32 to = lb->have_spare ? lb->spare_index : s->index + 1;

	to %= lb->n;
	if (to == s->index)
		to = (to + 1) % lb->n;
	lb->have_spare = false;
	s->index = to;
	s->ev = (u16)(lb->base + uet_perm_at(&lb->perm, to, lb->perm.key));
	uet_lb_note(lb, UET_LB_NOTE_NEED_INDEX, s->ev);
}

static u64 single_since(u64 now, u64 then)
{
	return now > then ? now - then : 0;
}

static bool single_idle(const struct single *s, const struct uet_lb_ask *ask)
{
	u64 gap = single_since(ask->now, s->last_send);

	if (s->idle_ns)
		return gap >= s->idle_ns;
	return !ask->inflight_pkts && gap >= ask->base_rtt >> IDLE_RTT_SHIFT;
}

/* Round trips count as measured: those of a queue are longer than the base RTT. */
static bool single_moved_lately(const struct single *s,
				const struct uet_lb_ask *ask)
{
	return single_since(ask->now, s->last_move) <
	       s->t_reroute * (ask->rtt ?: ask->base_rtt);
}

static bool single_may_move(const struct single *s,
			    const struct uet_lb_ask *ask)
{
	if (!s->started)
		return false;
	if (s->lost && !ask->inflight_pkts)
		return true;
	if (!s->lost && s->evidence < EVIDENCE_IDLE)
		return false;
	if (single_idle(s, ask))
		return true;
	return (s->lost || s->evidence >= EVIDENCE_BUSY) &&
	       !single_moved_lately(s, ask);
}

static u16 single_next(struct uet_lb *lb, const struct uet_lb_ask *ask,
		       u16 *run)
{
	struct single *s = uet_lb_priv(lb);

	if (single_may_move(s, ask)) {
		uet_lb_spot_move(lb, &s->spot);
		uet_lb_note(lb, UET_LB_NOTE_MOVED, s->spot.ev);
		s->last_move = ask->now;
		s->evidence = 0;
		s->lost = false;
	}
	if (!s->started)
		s->last_move = ask->now;
	s->started = true;
	s->last_send = max(s->last_send, ask->now);
	return s->spot.ev;
}

/*
 * An unmarked answer that took longer than the target delay means that there was
 * congestion and that the queue is shrinking (UE 1.0 3.6.13). On a link slower
 * than others all answers look like that: the sender fills its queue up to the
 * target, where switches mark few packets. So only an unmarked answer within the
 * target clears the path.
 */
static bool single_late(const struct uet_lb_signal *sig)
{
	return sig->rtt_valid && sig->rtt >= sig->base_rtt + sig->target;
}

/*
 * ECN marks that the siblings see too, on other paths, come from the last hop.
 * ECN marks while they see none certainly come from this path.
 */
static void single_evidence(struct uet_lb *lb, const struct uet_lb_signal *sig)
{
	struct single *s = uet_lb_priv(lb);
	u32 add = 0;

	if (sig->ev != s->spot.ev || sig->last_hop)
		return;
	switch (sig->reason) {
	case UET_LB_NO_ECN:
		if (!single_late(sig))
			s->evidence = 0;
		return;
	case UET_LB_ECN:
		if (sig->siblings == UET_LB_SIB_MARKED)
			return;
		add = sig->siblings == UET_LB_SIB_CLEAR ?
		      2 * EVIDENCE_ECN : EVIDENCE_ECN;
		break;
	case UET_LB_NACK:
		add = EVIDENCE_NACK;
		break;
	case UET_LB_TIMEOUT:
		if (!s->lost)
			uet_lb_note(lb, UET_LB_NOTE_BAD, s->spot.ev);
		s->lost = true;
		return;
	}
	s->evidence = (u8)min_t(u32, s->evidence + add, EVIDENCE_MAX);
}

static void single_init(struct uet_lb *lb, const struct uet_lb_config *cfg)
{
	struct single *s = uet_lb_priv(lb);

	BUILD_BUG_ON(sizeof(*s) > UET_LB_PRIV_SIZE);
	uet_lb_spot_init(lb, &s->spot, cfg);
	s->idle_ns = cfg->idle_ns;
	s->t_reroute = cfg->t_reroute ?: UET_LB_T_REROUTE_DEFAULT;
}

/* Only the current value has state: leave it as after a loss. */
static int single_path_down(struct uet_lb *lb, u16 ev)
{
	struct single *s = uet_lb_priv(lb);

	if (ev == s->spot.ev) {
		s->lost = true;
		uet_lb_note(lb, UET_LB_NOTE_BAD, s->spot.ev);
	}
	return 0;
}

static int single_path_up(struct uet_lb *lb, u16 ev)
{
	struct single *s = uet_lb_priv(lb);

	if (ev == s->spot.ev && s->lost) {
		s->lost = false;
		uet_lb_note(lb, UET_LB_NOTE_GOOD, s->spot.ev);
	}
	return 0;
}

static void single_path_get(const struct uet_lb *lb, u32 index,
			    struct uet_lb_path *path)
{
	const struct single *s = uet_lb_priv_const(lb);

	path->current_ev = path->ev == s->spot.ev;
	path->bad = path->current_ev && s->lost;
	path->skip = path->current_ev ? s->evidence : 0;
}

static u32 single_bad_paths(const struct uet_lb *lb)
{
	const struct single *s = uet_lb_priv_const(lb);

	return s->lost;
}

const struct uet_lb_ops uet_lb_single = {
	.next = single_next,
	.feedback = single_evidence,
	.evidence = single_evidence,
	.init = single_init,
	.path_down = single_path_down,
	.path_up = single_path_up,
	.path_get = single_path_get,
	.bad_paths = single_bad_paths,
	.name = "single",
	.ordered = true,
};
