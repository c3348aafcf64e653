// SPDX-License-Identifier: GPL-2.0
/*
 * NSCC, the network-signal based algorithm of UE 1.0 3.6.13: a window moved
 * by two signals, the echoed mark (how the queue was when the packet left it)
 * and the delay (how it was when the packet entered it).
 *
 * Integers only. Increases accumulate as bytes squared and are divided by the
 * window once per adjustment. Clamps bound every product to 63 bits:
 * n <= 2^26, delay <= 2^34, gap <= 2^24, alpha <= 2^37 / 2^24 bytes per ns.
 */
#include "cc_nscc.h"
#include "dfc.h"

#define N_MAX		0x4000000U	/* bytes of one ACK that count */
#define DELAY_MAX_NS	0x400000000ULL
#define GAP_MAX_NS	0x1000000ULL
#define RECIP_SHIFT	63
#define AVG_ACKS	80		/* gain 1/80 of the per-ACK average */
#define DRAINING_SHIFT	2		/* base_rtt / 4 */
#define PEND_SHIFT	7		/* penalty is in 1/128 */

/* A clock that steps back must not look like a long time. */
static u64 since(u64 now, u64 then)
{
	return now > then ? now - then : 0;
}

static void nscc_base_rtt_fell(struct uet_ccc *c)
{
	uet_nscc(c)->max_wnd = uet_cc_max_wnd(c->params, c->base_rtt);
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

static bool nscc_can_send(const struct uet_ccc *c)
{
	return c->inflight + c->params->mtu <= (s64)uet_nscc_const(c)->cwnd;
}

static bool nscc_ack_request(const struct uet_ccc *c, u32 size)
{
	s64 cwnd = (s64)uet_nscc_const(c)->cwnd;

	return cwnd - (c->inflight + size) < c->params->mtu ||
	       cwnd < c->params->ack_gen_trigger;
}

/* Take off @bytes, but leave one packet. */
static void shrink(struct uet_ccc *c, u64 bytes)
{
	struct uet_nscc *s = uet_nscc(c);
	u64 mtu = c->params->mtu;

	s->cwnd = s->cwnd > bytes + mtu ? s->cwnd - bytes : mtu;
}

/*
 * (dt << 16) / base_rtt for dt < base_rtt < 2^47. The product with the
 * reciprocal is exact or one too small.
 */
static u32 avg_weight(struct uet_nscc *s, u64 dt, u64 base_rtt)
{
	u64 w;

	if (dt >= base_rtt)
		return UET_Q16_ONE;
	if (s->recip_base != base_rtt) {
		s->recip = div64_u64(1ULL << RECIP_SHIFT, base_rtt);
		s->recip_base = base_rtt;
	}
	w = (dt * s->recip) >> (RECIP_SHIFT - 16);
	if ((w + 1) * base_rtt <= dt << 16)
		w++;
	return (u32)w;
}

/*
 * The time-weighted average forgets at one speed whether ACKs come per packet
 * or coalesced. The other kind is for comparison with older models.
 */
static void average(struct uet_ccc *c, u64 now, u64 d, bool m)
{
	struct uet_nscc *s = uet_nscc(c);
	s64 diff;

	d = min(d, DELAY_MAX_NS);
	if (c->params->avg == UET_AVG_PER_ACK) {
		if (!m && d > c->params->target)
			d = c->base_rtt >> DRAINING_SHIFT;
		s->avg_q8 += div_s64(((s64)d << 8) - s->avg_q8, AVG_ACKS);
	} else {
		diff = ((s64)d << 8) - s->avg_q8;
		s->avg_q8 += (avg_weight(s, since(now, s->avg_t), c->base_rtt) *
			      diff) >> 16;
	}
	s->avg_t = max(s->avg_t, now);
}

/* Returns whether the quadrants are to be skipped. */
static bool quick_adapt(struct uet_ccc *c, u64 now, bool loss, bool m, u64 d)
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

static bool dfc(struct uet_ccc *c, const struct uet_ccc_ack *ack)
{
	struct uet_nscc *s = uet_nscc(c);
	s64 mtu = c->params->mtu;
	s64 cwnd = (s64)s->cwnd;
	s64 n = ack->newly_rcvd_bytes;
	u8 pend = min_t(u8, ack->pend, UET_DFC_PEND_MAX);

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
		} else if (since(ack->now, s->last_pend) > c->base_rtt) {
			s->saved_cwnd = 0;
			c->did |= UET_CC_DID_DFC_END;
		}
	}
	return pend;
}

static void increase_clear(struct uet_ccc *c, u32 n, u64 d)
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
		s->cwnd += ((u64)n * p->fi_scale_q16) >> 16;
		s->cwnd = min(s->cwnd, s->max_wnd);
		c->did |= UET_CC_DID_FAST;
	} else {
		gap = min(p->target - d, GAP_MAX_NS);
		s->inc_bytes += ((p->alpha_q24 * gap) >> 24) * n;
		c->did |= UET_CC_DID_PROP;
	}
}

static void decrease(struct uet_ccc *c, u64 now)
{
	const struct uet_cc_params *p = c->params;
	struct uet_nscc *s = uet_nscc(c);
	u64 avg = s->avg_q8 > 0 ? (u64)s->avg_q8 >> 8 : 0;
	u32 factor;

	s->increase_mode = false;
	s->fi_count = 0;
	if (avg <= p->target || since(now, s->last_dec) <= c->base_rtt) {
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

static void apply(struct uet_ccc *c, u64 now, bool unused)
{
	const struct uet_cc_params *p = c->params;
	struct uet_nscc *s = uet_nscc(c);

	if (s->inc_bytes)
		s->cwnd += div64_u64(s->inc_bytes, s->cwnd);
	if (since(now, s->last_adjust) >= p->adjust_period) {
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

/* The four cases of mark and delay. */
static void quadrant(struct uet_ccc *c, const struct uet_ccc_ack *ack, u64 d,
		     bool limited, bool unused)
{
	const struct uet_cc_params *p = c->params;
	u32 n = ack->newly_rcvd_bytes;

	if (ack->m) {
		if (d >= p->target)
			decrease(c, ack->now);
		else
			c->did |= UET_CC_DID_HOLD;
		return;
	}
	if (limited)
		return;
	if (unused) {
		c->did |= UET_CC_DID_UNUSED;
	} else if (d < p->target) {
		increase_clear(c, n, d);
	} else {
		uet_nscc(c)->inc_bytes += (u64)p->fi * min(n, N_MAX);
		c->did |= UET_CC_DID_FAIR;
	}
}

static void nscc_on_ack(struct uet_ccc *c, const struct uet_ccc_ack *ack)
{
	const struct uet_cc_params *p = c->params;
	struct uet_nscc *s = uet_nscc(c);
	u32 n = ack->newly_rcvd_bytes;
	bool unused = p->wnd_unused && !c->wnd_blocked &&
		      c->inflight + n < (s64)(s->cwnd / 2);
	bool limited;
	u64 d;

	s->ignored += n;
	s->received += n;
	s->achieved += n;
	limited = dfc(c, ack);
	if (!ack->rtt_valid) {
		c->did |= UET_CC_DID_NO_RTT;
		return;
	}
	uet_ccc_lower_base_rtt(c, ack->rtt);
	d = since(ack->rtt, c->base_rtt);
	average(c, ack->now, d, ack->m);
	if (quick_adapt(c, ack->now, false, ack->m, d))
		return;
	quadrant(c, ack, d, limited, unused);
	if (since(ack->now, s->last_adjust) >= p->adjust_period ||
	    s->received > p->adjust_bytes)
		apply(c, ack->now, unused);
}

static void nscc_on_nack(struct uet_ccc *c, const struct uet_ccc_nack *nack)
{
	struct uet_nscc *s = uet_nscc(c);
	bool last_hop = nack->reason == UET_REFUSED_LASTHOP;

	if (nack->rtt_valid)
		uet_ccc_lower_base_rtt(c, nack->rtt);
	if (nack->reason != UET_REFUSED_TRIMMED && !last_hop)
		return;
	/* a trim stands for a full queue, whatever its own delay was */
	average(c, nack->now, c->params->base_rtt, true);
	s->ignored += nack->size;
	if (last_hop && c->rccc)
		return;
	s->trigger_qa = true;
	if (!quick_adapt(c, nack->now, true, true, 0)) {
		shrink(c, nack->size);
		c->did |= UET_CC_DID_NACK_DEC;
	}
}

static void nscc_on_inferred_loss(struct uet_ccc *c,
				  const struct uet_ccc_loss *loss)
{
	shrink(c, loss->size);
	uet_nscc(c)->ignored += loss->size;
	c->did |= UET_CC_DID_LOSS_DEC;
}

static u64 nscc_window(const struct uet_ccc *c)
{
	return uet_nscc_const(c)->cwnd;
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
	.ack_request = nscc_ack_request,
	.on_ack = nscc_on_ack,
	.on_nack = nscc_on_nack,
	.on_inferred_loss = nscc_on_inferred_loss,
	.base_rtt_fell = nscc_base_rtt_fell,
	.window = nscc_window,
	.info = nscc_info,
	.init = nscc_init,
	.name = "nscc",
	.priv_size = sizeof(struct uet_nscc),
};
