// SPDX-License-Identifier: GPL-2.0
/*
 * NSCC, network-signal based congestion control (UE 1.0 3.6.13): two signals
 * move a window. The echoed ECN mark shows the queue as the packet left it, the
 * delay shows the queue as the packet entered it:
 *
 *			delay < target		delay >= target
 *	not marked	proportional or fast	fair increase
 *			increase
 *	marked		no change		multiplicative decrease
 *
 * Integers only. Increases accumulate as bytes squared and are divided by the
 * window once per adjustment. Clamps bound every product to 63 bits:
 * n <= 2^26, delay <= 2^34, gap <= 2^24, alpha <= 2^37 / 2^24 bytes per ns.
 *
 * Not here: bytes in flight and CCC states (ccc.c), the penalty a destination
 * sends (dfc.c), entropy values (lb.c).
 */
#include "cc_nscc.h"
#include "dfc.h"

#define N_MAX		0x4000000ULL	/* most bytes counted per ACK */
#define DELAY_MAX_NS	0x400000000ULL
#define GAP_MAX_NS	0x1000000ULL
#define RECIP_BASE_MAX	0x1000000ULL	/* longest base RTT with a reciprocal */
#define CALM_DELAY_MAX	S32_MAX		/* no clamp acts up to this delay */
#define AVG_ACKS	80		/* gain 1/80 of the per-ACK average */
#define DRAINING_SHIFT	2		/* base_rtt / 4 */
#define PEND_SHIFT	7		/* penalty is in 1/128 */

/* 0 if @then is later than @now, not a huge difference. */
static u64 nscc_since(u64 now, u64 then)
{
	return now > then ? now - then : 0;
}

static void nscc_base_rtt_changed(struct uet_ccc *c)
{
	uet_nscc(c)->max_wnd = uet_cc_max_wnd(c->params, c->base_rtt);
	uet_nscc(c)->calm_until = 0;
}

static void nscc_init(struct uet_ccc *c, u64 now)
{
	const struct uet_cc_params *p = c->params;
	struct uet_nscc *s = uet_nscc(c);

	BUILD_BUG_ON(sizeof(*s) > UET_CC_WINDOW_PRIV_SIZE);
	memset(s, 0, sizeof(*s));
	s->max_wnd = c->base_rtt < p->base_rtt ?
		     uet_cc_max_wnd(p, c->base_rtt) : p->max_wnd;
	s->cwnd = s->max_wnd;
	s->last_adjust = now;
	s->last_dec = now;
	s->avg_t = now;
}

/* What the window leaves beside what is in flight and another packet */
static s64 nscc_spare(const struct uet_ccc *c)
{
	return (s64)uet_nscc_const(c)->cwnd - c->inflight - c->params->mtu;
}

/*
 * The prose of UE 1.0 (3.6.13) asks for more window than that, its algorithm for as
 * much. With the former, a window of one packet would never send: it does while
 * nothing is in flight.
 */
static bool nscc_can_send(const struct uet_ccc *c)
{
	s64 spare = nscc_spare(c);

	return spare >= c->params->send_below || (!spare && !c->inflight_pkts);
}

static u64 nscc_room(const struct uet_ccc *c)
{
	return (u64)max_t(s64, nscc_spare(c) - c->params->send_below, 0);
}

/* The packet after which none may leave asks. */
static bool nscc_ack_request(const struct uet_ccc *c, u32 size)
{
	return nscc_spare(c) - size < c->params->send_below ||
	       uet_nscc_const(c)->cwnd < c->params->ack_gen_trigger;
}

/* cwnd = max(cwnd - bytes, mtu) */
static void nscc_shrink(struct uet_ccc *c, u64 bytes)
{
	struct uet_nscc *s = uet_nscc(c);
	u64 mtu = c->params->mtu;

	s->cwnd = s->cwnd > bytes + mtu ? s->cwnd - bytes : mtu;
}

/*
 * (dt << 16) / base_rtt for dt < base_rtt, exact: the reciprocal is too large
 * by less than 1, so the product is too large by less than dt / 2^48. An error
 * below 1 / base_rtt cannot reach the next integer.
 */
static u32 nscc_weight_of(const struct uet_nscc *s, u64 dt)
{
	return (u32)((dt * s->recip) >> (64 - 16));
}

static u32 nscc_avg_weight(struct uet_nscc *s, u64 dt, u64 base_rtt)
{
	if (dt >= base_rtt)
		return UET_Q16_ONE;
	if (unlikely(base_rtt > RECIP_BASE_MAX))
		return (u32)div64_u64(dt << 16, base_rtt);
	if (s->recip_base != base_rtt) {
		s->recip = div64_u64(U64_MAX, base_rtt) + 1;
		s->recip_base = base_rtt;
	}
	return nscc_weight_of(s, dt);
}

static __always_inline void nscc_add_delay(struct uet_nscc *s, u32 weight,
					   u64 d)
{
	s->avg_q8 += (weight * (((s64)d << 8) - s->avg_q8)) >> 16;
}

/*
 * The time-weighted average decays at the same speed whether ACKs come per
 * packet or coalesced. The per-ACK average exists for comparison with older
 * models.
 */
static void nscc_average(struct uet_ccc *c, u64 now, u64 d, bool m)
{
	struct uet_nscc *s = uet_nscc(c);
	u64 dt = nscc_since(now, s->avg_t);

	s->avg_t += dt;
	d = min(d, DELAY_MAX_NS);
	if (c->params->avg == UET_AVG_PER_ACK) {
		if (!m && d > c->params->target)
			d = c->base_rtt >> DRAINING_SHIFT;
		s->avg_q8 += div_s64(((s64)d << 8) - s->avg_q8, AVG_ACKS);
	} else {
		nscc_add_delay(s, nscc_avg_weight(s, dt, c->base_rtt), d);
	}
}

static bool nscc_qa_act(struct uet_ccc *c, u64 now, bool loss, bool m, u64 d)
{
	const struct uet_cc_params *p = c->params;
	struct uet_nscc *s = uet_nscc(c);
	bool handled = false;

	if (p->disable_qa)
		return false;
	if (s->ignored < s->to_ignore && m) {
		c->did |= UET_CC_DID_IGNORE;
		handled = true;
	} else if (now >= s->qa_end) {
		if (s->qa_end &&
		    (s->trigger_qa || loss || d > p->qa_threshold) &&
		    s->achieved < s->max_wnd >> p->qa_gate) {
			s->cwnd = max_t(u64, s->achieved, p->mtu);
			s->to_ignore = max_t(s64, c->inflight, 0);
			s->ignored = 0;
			s->trigger_qa = false;
			c->did |= UET_CC_DID_QA;
			c->stats.qas++;
			handled = true;
		}
		s->achieved = 0;
		s->qa_end = now + c->base_rtt + p->target;
	}
	if (handled) {
		s->inc_bytes = 0;
		s->received = 0;
	}
	return handled;
}

/* Returns true if the caller must skip the increases and decreases. */
static __always_inline bool nscc_quick_adapt(struct uet_ccc *c, u64 now,
					     bool loss, bool m, u64 d)
{
	const struct uet_nscc *s = uet_nscc(c);

	return (now >= s->qa_end || s->ignored < s->to_ignore) &&
	       nscc_qa_act(c, now, loss, m, d);
}

static noinline bool nscc_dfc(struct uet_ccc *c, const struct uet_ccc_ack *ack)
{
	struct uet_nscc *s = uet_nscc(c);
	s64 mtu = c->params->mtu;
	s64 cwnd = (s64)s->cwnd;
	s64 n = ack->newly_rcvd_bytes;
	u8 pend = min_t(u8, ack->pend, UET_PEND_MAX);

	if (pend) {
		if (!s->saved_cwnd) {
			s->saved_cwnd = s->cwnd;
			c->stats.dfc_episodes++;
			cwnd = min(cwnd, c->inflight + n);
		}
		if (c->params->dfc_literal)
			cwnd = min(cwnd, c->inflight);
		s->cwnd = max(mtu, cwnd - ((pend * n) >> PEND_SHIFT));
		s->last_pend = ack->now;
		c->did |= UET_CC_DID_DFC;
	} else if (s->saved_cwnd) {
		if (ack->restore) {
			s->cwnd = min(s->saved_cwnd, s->max_wnd);
			s->saved_cwnd = 0;
			c->did |= UET_CC_DID_RESTORE;
		} else if (nscc_since(ack->now, s->last_pend) > c->base_rtt) {
			s->saved_cwnd = 0;
			c->did |= UET_CC_DID_DFC_END;
		}
	}
	return pend;
}

/* Proportional or fast increase. Returns UET_CC_DID_*. */
static __always_inline u32 nscc_increase_clear(struct uet_ccc *c, u64 n,
					       s64 room, u64 d)
{
	const struct uet_cc_params *p = c->params;
	struct uet_nscc *s = uet_nscc(c);
	u64 gap;

	if (d < p->clear_delay) {
		s->fi_count += n;
		if (s->fi_count > s->cwnd)
			s->increase_mode = true;
	} else {
		s->fi_count = 0;
		s->increase_mode = false;
	}
	n = min(n, N_MAX);
	if (s->increase_mode) {
		s->cwnd += (n * p->fi_scale_q16) >> 16;
		s->cwnd = min(s->cwnd, s->max_wnd);
		return UET_CC_DID_FAST;
	}
	gap = min_t(u64, room, GAP_MAX_NS);
	s->inc_bytes += ((p->alpha_q24 * gap) >> 24) * n;
	return UET_CC_DID_PROP;
}

static noinline void nscc_decrease(struct uet_ccc *c, u64 now)
{
	const struct uet_cc_params *p = c->params;
	struct uet_nscc *s = uet_nscc(c);
	u64 avg = s->avg_q8 > 0 ? (u64)s->avg_q8 >> 8 : 0;
	u32 factor;

	s->increase_mode = false;
	s->fi_count = 0;
	if (avg <= p->target || nscc_since(now, s->last_dec) <= c->base_rtt) {
		c->did |= UET_CC_DID_MD_GATED;
		return;
	}
	factor = UET_Q16_ONE -
		 (u32)div64_u64(p->gamma_q16 * (avg - p->target), avg);
	factor = max(factor, p->max_md_jump_q16);
	s->cwnd = max_t(u64, (s->cwnd * factor) >> 16, p->mtu);
	s->last_dec = now;
	c->stats.mds++;
	c->did |= UET_CC_DID_MD;
}

static noinline void nscc_apply(struct uet_ccc *c, u64 now, bool unused)
{
	const struct uet_cc_params *p = c->params;
	struct uet_nscc *s = uet_nscc(c);

	if (s->inc_bytes)
		s->cwnd += div64_u64(s->inc_bytes, s->cwnd);
	if (nscc_since(now, s->last_adjust) >= p->adjust_period) {
		if (!unused) {
			s->cwnd += p->eta;
			c->did |= UET_CC_DID_ETA;
		}
		s->last_adjust = now;
	}
	s->cwnd = min(s->cwnd, s->max_wnd);
	s->inc_bytes = 0;
	s->received = 0;
	c->wnd_blocked = false;
	c->did |= UET_CC_DID_ADJ;
}

/* Less than half of the window is in flight, and it held back no data. */
static __always_inline bool nscc_unused(const struct uet_ccc *c, u64 n)
{
	return c->params->wnd_unused && !c->wnd_blocked &&
	       c->inflight + (s64)n < (s64)(uet_nscc_const(c)->cwnd / 2);
}

/*
 * UE 1.0 contradicts itself: its algorithm ends fast increase at a delayed ACK
 * without an ECN mark or at a decrease, its prose at the first sign of
 * congestion. fi_end selects the prose.
 */
static __always_inline void nscc_end_fast(struct uet_ccc *c)
{
	if (unlikely(c->params->fi_end)) {
		uet_nscc(c)->increase_mode = false;
		uet_nscc(c)->fi_count = 0;
	}
}

static __always_inline u32 nscc_hold(struct uet_ccc *c)
{
	nscc_end_fast(c);
	return UET_CC_DID_HOLD;
}

static __always_inline u32 nscc_increase_fair(struct uet_ccc *c, u64 n)
{
	nscc_end_fast(c);
	uet_nscc(c)->inc_bytes += c->params->fi * min(n, N_MAX);
	return UET_CC_DID_FAIR;
}

/*
 * Until this time an ACK needs only nscc_on_ack()'s short path. Code outside
 * nscc_ack_any() that changes a field read here must set calm_until to 0.
 */
static u64 nscc_calm_until(const struct uet_ccc *c)
{
	const struct uet_nscc *s = uet_nscc_const(c);
	const struct uet_cc_params *p = c->params;
	u64 t = s->last_adjust + p->adjust_period;

	if (s->saved_cwnd || s->ignored < s->to_ignore ||
	    p->avg == UET_AVG_PER_ACK || s->recip_base != c->base_rtt)
		return 0;
	return p->disable_qa ? t : min(t, s->qa_end);
}

static void nscc_ack_any(struct uet_ccc *c, const struct uet_ccc_ack *ack)
{
	const struct uet_cc_params *p = c->params;
	struct uet_nscc *s = uet_nscc(c);
	u32 n = ack->newly_rcvd_bytes;
	bool rest = nscc_unused(c, n);
	bool penalty = false;
	u64 d;

	s->ignored += n;
	s->received += n;
	s->achieved += n;
	if (unlikely(ack->pend || s->saved_cwnd))
		penalty = nscc_dfc(c, ack);
	if (!ack->rtt_valid) {
		c->did |= UET_CC_DID_NO_RTT;
		return;
	}
	if (unlikely(ack->rtt < c->base_rtt) && !ack->rtt_short)
		uet_ccc_lower_base_rtt(c, ack->rtt);
	d = nscc_since(ack->rtt, c->base_rtt);
	nscc_average(c, ack->now, d, ack->m);
	if (nscc_quick_adapt(c, ack->now, false, ack->m, d))
		return;
	if (ack->m && d >= p->target)
		nscc_decrease(c, ack->now);
	else if (ack->m)
		c->did |= nscc_hold(c);
	else if (rest && !penalty)
		c->did |= UET_CC_DID_UNUSED;
	else if (!penalty && d < p->target)
		c->did |= nscc_increase_clear(c, n, (s64)(p->target - d), d);
	else if (!penalty)
		c->did |= nscc_increase_fair(c, n);
	if (ack->now >= s->last_adjust + p->adjust_period ||
	    s->received > p->adjust_bytes)
		nscc_apply(c, ack->now, rest);
}

static noinline void nscc_ack_not_calm(struct uet_ccc *c,
				       const struct uet_ccc_ack *ack)
{
	nscc_ack_any(c, ack);
	uet_nscc(c)->calm_until = nscc_calm_until(c);
}

static __always_inline void nscc_settle_calm(struct uet_ccc *c, u64 now)
{
	if (uet_nscc(c)->received > c->params->adjust_bytes)
		nscc_apply(c, now, false);
}

static noinline void nscc_decrease_calm(struct uet_ccc *c, u64 now)
{
	nscc_decrease(c, now);
	nscc_settle_calm(c, now);
}

/* Same result as nscc_ack_any(), without the steps that have no effect now. */
static void nscc_on_ack(struct uet_ccc *c, const struct uet_ccc_ack *ack)
{
	const struct uet_cc_params *p = c->params;
	struct uet_nscc *s = uet_nscc(c);
	u64 now = ack->now;
	u64 dt = now - s->avg_t;
	s64 d = (s64)(ack->rtt - c->base_rtt);
	u64 n = ack->newly_rcvd_bytes;
	s64 room;
	u32 did;

	if (unlikely(dt >= c->base_rtt || !ack->rtt_valid ||
		     (u64)d > CALM_DELAY_MAX || now >= s->calm_until ||
		     ack->pend)) {
		nscc_ack_not_calm(c, ack);
		return;
	}
	s->avg_t = now;
	nscc_add_delay(s, nscc_weight_of(s, dt), d);
	s->ignored += n;
	s->received += n;
	s->achieved += n;
	room = (s64)p->target - d;
	if (ack->m) {
		if (room <= 0) {
			nscc_decrease_calm(c, now);
			return;
		}
		did = nscc_hold(c);
	} else if (nscc_unused(c, n)) {
		did = UET_CC_DID_UNUSED;
	} else if (room > 0) {
		did = nscc_increase_clear(c, n, room, d);
	} else {
		did = nscc_increase_fair(c, n);
	}
	c->did |= did;
	nscc_settle_calm(c, now);
}

static void nscc_on_nack(struct uet_ccc *c, const struct uet_ccc_nack *nack)
{
	struct uet_nscc *s = uet_nscc(c);
	bool last_hop = nack->reason == UET_NACKED_LASTHOP;

	if (nack->rtt_valid && !nack->rtt_short)
		uet_ccc_lower_base_rtt(c, nack->rtt);
	if (nack->reason != UET_NACKED_TRIMMED && !last_hop)
		return;
	s->calm_until = 0;
	nscc_end_fast(c);
	/* A trim means a full queue, whatever the trimmed packet's delay was */
	nscc_average(c, nack->now, c->params->base_rtt, true);
	s->ignored += nack->size;
	if (last_hop && c->rccc)
		return;
	s->trigger_qa = true;
	if (!nscc_quick_adapt(c, nack->now, true, true, 0)) {
		nscc_shrink(c, nack->size);
		c->did |= UET_CC_DID_NACK_DEC;
	}
}

/*
 * Where switches do not trim, UE 1.0 triggers quick adapt by delay, at a
 * threshold that assumes port buffers of five BDPs. A shorter buffer drops long
 * before the delay gets there. CCCs that overload it would then keep losing
 * packets for as many round trips as it takes to halve the windows down. So a
 * loss triggers quick adapt here, as a trim does elsewhere. A loss on a path
 * without a queue comes from a bad link and does not trigger it.
 */
static bool nscc_loss_of_full_port(const struct uet_ccc *c)
{
	const struct uet_nscc *s = uet_nscc_const(c);

	return c->params->qa_loss && s->avg_q8 > 0 &&
	       (u64)s->avg_q8 >> 8 > c->params->target;
}

static void nscc_on_inferred_loss(struct uet_ccc *c,
				  const struct uet_ccc_loss *loss)
{
	struct uet_nscc *s = uet_nscc(c);

	nscc_end_fast(c);
	if (nscc_loss_of_full_port(c)) {
		s->calm_until = 0;
		s->trigger_qa = true;
	}
	nscc_shrink(c, loss->size);
	s->ignored += loss->size;
	c->did |= UET_CC_DID_LOSS_DEC;
}

static u64 nscc_window(const struct uet_ccc *c)
{
	return uet_nscc_const(c)->cwnd;
}

static void nscc_set_window(struct uet_ccc *c, u64 bytes)
{
	struct uet_nscc *s = uet_nscc(c);

	s->cwnd = clamp_t(u64, bytes, c->params->mtu, s->max_wnd);
	s->inc_bytes = 0;
	s->calm_until = 0;
}

static void nscc_info(const struct uet_ccc *c, struct uet_cc_info *info)
{
	const struct uet_nscc *s = uet_nscc_const(c);

	info->cwnd = s->cwnd;
	info->max_wnd = s->max_wnd;
	info->avg_delay = s->avg_q8 > 0 ? (u64)s->avg_q8 >> 8 : 0;
	info->saved_cwnd = s->saved_cwnd;
	info->achieved = s->achieved;
	info->fast = s->increase_mode;
	info->draining = s->ignored < s->to_ignore;
}

const struct uet_cc_ops uet_cc_nscc = {
	.can_send = nscc_can_send,
	.room = nscc_room,
	.ack_request = nscc_ack_request,
	.on_ack = nscc_on_ack,
	.on_nack = nscc_on_nack,
	.on_inferred_loss = nscc_on_inferred_loss,
	.base_rtt_changed = nscc_base_rtt_changed,
	.window = nscc_window,
	.set_window = nscc_set_window,
	.info = nscc_info,
	.init = nscc_init,
	.name = "nscc",
	.priv_size = sizeof(struct uet_nscc),
};
