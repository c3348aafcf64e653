// SPDX-License-Identifier: GPL-2.0
/*
 * Congestion control context (CCC): counters, states, and the order in which
 * an event reaches path selection, window and credit (UE 1.0 3.6.12.3).
 *
 * Not here: the algorithms (cc_*.c) and path selection (lb*.c).
 */
#include "ccc.h"
#include "cc_rccc.h"
#include "../lb/lb_live.h"

#define CC_MAX_BYTES	((u64)S64_MAX >> 8)
/* The interval between Credit Requests doubles at most this many times */
#define CREDIT_REQ_BACKOFF_MAX	10
/* Delays and round trips up to this cannot overflow an average */
#define USUAL_DELAY_MAX	S32_MAX

static const struct uet_cc_ops *ccc_window_ops(const struct uet_ccc *c)
{
	return c->algo->window;
}

static const struct uet_cc_ops *ccc_credit_ops(const struct uet_ccc *c)
{
	return c->algo->credit;
}

/*
 * Counters never go below zero. An event that takes more than a counter holds
 * is a bug in the caller's accounting: count it, and set the counter to 0.
 */
static void ccc_take64(struct uet_ccc *c, u64 *counter, u64 n)
{
	if (unlikely(n > *counter)) {
		c->stats.imbalance++;
		n = *counter;
	}
	*counter -= n;
}

static void ccc_take32(struct uet_ccc *c, u32 *counter, u32 n)
{
	if (unlikely(n > *counter)) {
		c->stats.imbalance++;
		n = *counter;
	}
	*counter -= n;
}

static __always_inline u8 ccc_blocked_by(const struct uet_ccc *c)
{
	u8 why = 0;

	if (ccc_window_ops(c) && !ccc_window_ops(c)->can_send(c))
		why |= UET_CC_BLOCK_WINDOW;
	if (ccc_credit_ops(c) && !ccc_credit_ops(c)->can_send(c))
		why |= UET_CC_BLOCK_CREDIT;
	return why;
}

/* A wait for window and credit at once counts as one for the window. */
static void ccc_account_wait(struct uet_ccc *c, u64 now, u8 why)
{
	u64 waited;

	if (c->blocked) {
		waited = now > c->blocked_since ? now - c->blocked_since : 0;
		if (c->blocked & UET_CC_BLOCK_WINDOW)
			c->stats.blocked_window_ns += waited;
		else
			c->stats.blocked_credit_ns += waited;
	}
	if ((why & UET_CC_BLOCK_CREDIT) && !(c->blocked & UET_CC_BLOCK_CREDIT))
		c->credit_wait_since = now;
	if ((why ^ c->blocked) & UET_CC_BLOCK_WINDOW)
		c->state_since = now;
	c->blocked = why;
	c->blocked_since = now;
	if (why & UET_CC_BLOCK_WINDOW)
		c->wnd_blocked = true;
}

/* Have UET_RUN_CALM_RTTS gone by since @t? Not if it was after @now was taken. */
static bool ccc_long_since(const struct uet_ccc *c, u64 now, u64 t)
{
	return now > t && now - t > UET_RUN_CALM_RTTS * c->base_rtt;
}

static __always_inline void ccc_enter(struct uet_ccc *c, u8 state, u64 now)
{
	if (c->state == state)
		return;
	if (c->state == UET_CCC_IDLE && ccc_long_since(c, now, c->state_since))
		c->congested = now;
	c->state = state;
	c->state_since = now;
}

/* ccc_update_state() while data waits: READY if it may be sent, else ACTIVE. */
static __always_inline void ccc_update_waiting(struct uet_ccc *c, u64 now)
{
	u8 why = ccc_blocked_by(c);

	ccc_enter(c, why ? UET_CCC_ACTIVE : UET_CCC_READY, now);
	if (c->blocked | why)
		ccc_account_wait(c, now, why);
}

/* update_state() of UE 1.0, after every event. */
static __always_inline void ccc_update_state(struct uet_ccc *c, u64 now)
{
	/*
	 * With no packet in flight no ACK will release what rounding left in
	 * inflight; with a window of one packet, that would block for ever.
	 */
	if (!c->inflight_pkts)
		c->inflight = 0;
	if (c->backlog | c->waiting_rtx) {
		ccc_update_waiting(c, now);
		return;
	}
	if (c->blocked)
		ccc_account_wait(c, now, 0);
	ccc_enter(c, c->inflight_pkts ? UET_CCC_PENDING : UET_CCC_IDLE, now);
}

static void ccc_refresh(struct uet_ccc *c, u64 now)
{
	ccc_update_state(c, now);
}

static void ccc_begin(struct uet_ccc *c)
{
	c->did = 0;
}

static void ccc_hear(struct uet_ccc *c)
{
	c->heard = true;
}

static void ccc_signal_path(struct uet_ccc *c, struct uet_lb_signal *sig)
{
	if (!c->lb || !c->lb->listens)
		return;
	sig->base_rtt = c->base_rtt;
	sig->target = c->params->target;
	uet_lb_feedback(c->lb, sig, c->heeds);
	if (c->lb->ops->aware)
		uet_lb_follow_window(c->lb, uet_ccc_window(c));
}

static noinline void ccc_signal_ack(struct uet_ccc *c,
				    const struct uet_ccc_ack *ack)
{
	struct uet_lb_signal sig = {
		.now = ack->now,
		.rtt = ack->rtt,
		.base_rtt = c->base_rtt,
		.target = c->params->target,
		.ev = ack->ev,
		.reason = ack->m ? UET_LB_ECN : UET_LB_NO_ECN,
		.siblings = ack->siblings,
		.rtt_valid = ack->rtt_valid,
	};

	uet_lb_feedback(c->lb, &sig, c->heeds);
}

/* RTT estimate and path feedback of an ACK; most ACKs take the fast path. */
static __always_inline void ccc_take_sample(struct uet_ccc *c,
					    const struct uet_ccc_ack *ack)
{
	u64 delay = ack->rtt - c->base_rtt;
	struct uet_lb *lb = c->lb;

	if (likely(ack->rtt_valid && delay <= USUAL_DELAY_MAX)) {
		uet_rtt_est_add_usual(&c->rtt, ack->rtt);
		if (lb && likely(lb->acked && c->heeds)) {
			lb->acked(lb, ack->ev, ack->m, delay,
				  c->params->target, ack->now);
			return;
		}
	} else if (ack->rtt_valid) {
		uet_rtt_est_add(&c->rtt, ack->rtt);
	}
	if (lb && lb->listens)
		ccc_signal_ack(c, ack);
}

void uet_ccc_init(struct uet_ccc *c, const struct uet_cc_algo *algo,
		  const struct uet_cc_params *params, struct uet_lb *lb,
		  bool sprayed, u64 now)
{
	memset(c, 0, sizeof(*c));
	c->algo = algo;
	c->params = params;
	c->lb = lb;
	c->sprayed = sprayed;
	c->base_rtt = params->base_rtt;
	c->created = now;
	c->congested = now;
	c->run_share = 1;
	c->rccc = algo->credit;
	c->heeds = sprayed && !(algo->credit && algo->credit->blind);
	c->state = UET_CCC_IDLE;
	c->state_since = now;
	if (algo->window)
		algo->window->init(c, now);
	if (algo->credit)
		algo->credit->init(c, now);
}

void uet_ccc_set_base_rtt(struct uet_ccc *c, u64 ns)
{
	u64 sane = c->params->base_rtt >> UET_BASE_RTT_SANE_SHIFT;

	c->base_known = true;
	if (ns < sane || ns >= c->base_rtt)
		return;
	c->base_rtt = ns;
	if (ccc_window_ops(c))
		ccc_window_ops(c)->init(c, c->created);
	if (ccc_credit_ops(c))
		ccc_credit_ops(c)->init(c, c->created);
}

bool uet_ccc_lower_base_rtt(struct uet_ccc *c, u64 sample)
{
	u64 step;

	if (likely(sample >= c->base_rtt))
		return false;
	if (sample < c->params->base_rtt >> UET_BASE_RTT_SANE_SHIFT)
		return false;
	step = (c->base_rtt - sample) >> c->params->base_shift;
	if (!step)
		return false;
	c->base_rtt -= step;
	c->did |= UET_CC_DID_BASE_RTT;
	if (ccc_window_ops(c) && ccc_window_ops(c)->base_rtt_changed)
		ccc_window_ops(c)->base_rtt_changed(c);
	return true;
}

bool uet_ccc_probe_wanted(struct uet_ccc *c)
{
	if (c->base_known || !c->heard)
		return false;
	c->base_known = true;
	return c->stats.sent_bytes + c->backlog > c->params->bdp;
}

void uet_ccc_on_probe_rtt(struct uet_ccc *c, u64 now, u64 rtt)
{
	ccc_begin(c);
	uet_ccc_lower_base_rtt(c, uet_ccc_probe_base_rtt(c->params, rtt));
	ccc_refresh(c, now);
}

u64 uet_ccc_probe_base_rtt(const struct uet_cc_params *p, u64 rtt)
{
	return rtt + div_u64((u64)p->mtu * UET_MBPS_NS_PER_BYTE,
			     p->rate_mbps) * UET_PROBE_LINKS;
}

void uet_ccc_rebase(struct uet_ccc *c, u64 now)
{
	ccc_begin(c);
	c->base_rtt = c->params->base_rtt;
	c->did |= UET_CC_DID_BASE_RTT;
	if (ccc_window_ops(c) && ccc_window_ops(c)->base_rtt_changed)
		ccc_window_ops(c)->base_rtt_changed(c);
	ccc_refresh(c, now);
}

void uet_ccc_on_new_data(struct uet_ccc *c, u64 now, u64 bytes)
{
	ccc_begin(c);
	c->backlog += min(bytes, CC_MAX_BYTES);
	if (ccc_credit_ops(c) && ccc_credit_ops(c)->on_new_data)
		ccc_credit_ops(c)->on_new_data(c, now);
	ccc_update_state(c, now);
}

void uet_ccc_withdraw(struct uet_ccc *c, u64 now, u64 bytes)
{
	ccc_begin(c);
	ccc_take64(c, &c->backlog, bytes);
	ccc_refresh(c, now);
}

static noinline u16 ccc_next_ev(struct uet_ccc *c, const struct uet_ccc_ask *ask,
				u16 *run)
{
	struct uet_lb_ask la = {
		.now = ask->now,
		.port_free = ask->port_free,
		.base_rtt = c->base_rtt,
		.rtt = uet_rtt_est_ns(&c->rtt),
		.target = c->params->target,
		.sent_pkts = c->sent_pkts,
		.inflight_pkts = c->inflight_pkts,
		.size = ask->size,
		.want = max_t(u16, ask->want, c->run_share),
		.prev_ev = ask->prev_ev,
		.rtx = ask->rtx,
	};

	return uet_lb_next(c->lb, &la, run);
}

/* Choose the value of the next run. */
static void ccc_begin_run(struct uet_ccc *c, const struct uet_ccc_ask *ask)
{
	struct uet_lb *lb = c->lb;

	if (unlikely(!lb->ops->plain)) {
		c->run_ev = ccc_next_ev(c, ask, &c->run_left);
		return;
	}
	c->run_left = lb->run ?: max(ask->want, c->run_share);
	c->run_ev = lb->ops->plain(lb);
}

static noinline void ccc_choose_rtx_ev(struct uet_ccc *c,
				       const struct uet_ccc_ask *ask,
				       struct uet_ccc_send *out)
{
	u16 one;

	out->ev = ccc_next_ev(c, ask, &one);
	out->run = 1;
	if (c->lb->ops->ordered)
		c->run_left = 0;
}

/*
 * An entropy value is used for a run of packets. A retransmission gets a value
 * of its own; the run of new packets continues with the old one.
 */
static void ccc_choose_ev(struct uet_ccc *c, const struct uet_ccc_ask *ask,
			  struct uet_ccc_send *out)
{
	u16 want = max_t(u16, ask->want, 1);

	if (!c->lb) {
		out->ev = c->default_ev;
		out->run = want;
		return;
	}
	if (unlikely(ask->rtx)) {
		ccc_choose_rtx_ev(c, ask, out);
		return;
	}
	if (!c->run_left)
		ccc_begin_run(c, ask);
	out->ev = c->run_ev;
	out->run = min(want, c->run_left);
	c->run_left -= out->run;
}

u32 uet_ccc_credit_target(const struct uet_ccc *c)
{
	return ccc_credit_ops(c) ? ccc_credit_ops(c)->credit_target(c) : 0;
}

void uet_ccc_get_send_params(struct uet_ccc *c, const struct uet_ccc_ask *ask,
			     struct uet_ccc_send *out)
{
	ccc_choose_ev(c, ask, out);
	out->answer = false;
	if (c->lb && unlikely(c->lb->answer)) {
		c->lb->answer = false;
		out->answer = true;
	}
	out->has_target = ccc_credit_ops(c);
	out->credit_target = out->has_target ? uet_ccc_credit_target(c) : 0;
	c->credit_told = out->credit_target;
}

static bool ccc_sprays(const struct uet_ccc *c)
{
	return c->sprayed && c->lb && !c->lb->ops->ordered;
}

/* The part of the window that a run may be, as a shift */
static u32 ccc_run_shift(const struct uet_ccc *c, u64 now)
{
	if (!ccc_sprays(c))
		return UET_RUN_KEEP_SHIFT;
	return ccc_long_since(c, now, c->congested) ? UET_RUN_CALM_SHIFT :
						      UET_RUN_SPRAY_SHIFT;
}

/*
 * How many packets of a run the window suggests, or the setting says. Policies that
 * learn which values collide do so for one length, so it moves in steps only.
 */
static u32 ccc_run_length(const struct uet_ccc *c, u64 now, u32 size)
{
	u32 quarters, is = c->run_share;
	u64 share;

	if (c->lb && c->lb->run)
		return c->lb->run;
	share = uet_ccc_window(c) >> ccc_run_shift(c, now);
	quarters = (u32)min_t(u64, 4 * share, U32_MAX) / size;
	if (!ccc_sprays(c) || quarters < 4)
		return quarters / 4;
	if (quarters < 8 * is && quarters >= 3 * is)
		return is;
	return 1U << (fls(quarters / 4) - 1);
}

static void ccc_set_run_share(struct uet_ccc *c, u32 n)
{
	if (likely(c->run_share == n))
		return;
	c->run_share = (u16)n;
	if (c->lb)
		uet_lb_follow_run(c->lb, n, uet_ccc_window(c));
}

void uet_ccc_no_runs(struct uet_ccc *c)
{
	if (unlikely(c->run_share > 1))
		ccc_set_run_share(c, 1);
}

u32 uet_ccc_run(struct uet_ccc *c, u64 now, u32 size, u32 max)
{
	u64 share;

	max = clamp(ccc_run_length(c, now, size), 1U, max);
	ccc_set_run_share(c, max);
	if (max == 1)
		return 1;
	/* @room leaves out the last packet. */
	share = (u64)(max - 1) * size;
	if (ccc_window_ops(c))
		share = min(share, ccc_window_ops(c)->room(c));
	if (ccc_credit_ops(c))
		share = min(share, ccc_credit_ops(c)->room(c));
	return (u32)share / size + 1;
}

/* Packets leave; they were taken out of what waits. */
static __always_inline void ccc_sent(struct uet_ccc *c, u64 now, u32 bytes,
				     u32 pkts, u16 ev, bool rtx)
{
	c->inflight += bytes;
	if (ccc_window_ops(c) && ccc_window_ops(c)->on_send)
		ccc_window_ops(c)->on_send(c, now, bytes);
	if (ccc_credit_ops(c) && ccc_credit_ops(c)->on_send &&
	    !(rtx && ccc_credit_ops(c)->sent_once))
		ccc_credit_ops(c)->on_send(c, now, bytes);
	c->inflight_pkts += pkts;
	c->sent_pkts += pkts;
	c->stats.sent_pkts += pkts;
	c->stats.sent_bytes += bytes;
	if (c->lb && unlikely(c->lb->live))
		uet_lb_live_sent(c->lb, ev, pkts);
	ccc_update_state(c, now);
}

void uet_ccc_on_send_run(struct uet_ccc *c, u64 now, u32 bytes, u32 pkts,
			 u16 ev)
{
	ccc_begin(c);
	ccc_take64(c, &c->backlog, bytes);
	ccc_sent(c, now, bytes, pkts, ev, false);
}

bool uet_ccc_may_begin(const struct uet_ccc *c)
{
	if (c->state == UET_CCC_READY)
		return !c->algo->credit;
	return c->state != UET_CCC_ACTIVE && !c->algo->credit && !ccc_blocked_by(c);
}

void uet_ccc_on_send_once(struct uet_ccc *c, u64 now, u32 size, u16 ev)
{
	bool rests = c->state != UET_CCC_READY;

	ccc_begin(c);
	ccc_sent(c, now, size, 1, ev, false);
	/* It was READY in between. */
	if (rests)
		c->state_since = now;
}

void uet_ccc_on_send(struct uet_ccc *c, u64 now, u32 size, u16 ev, bool rtx)
{
	if (!rtx) {
		uet_ccc_on_send_run(c, now, size, 1, ev);
		return;
	}
	ccc_begin(c);
	ccc_take32(c, &c->waiting_rtx, 1);
	ccc_take64(c, &c->rtx_backlog, size);
	c->stats.rtx_pkts++;
	ccc_sent(c, now, size, 1, ev, true);
}

void uet_ccc_on_ack(struct uet_ccc *c, const struct uet_ccc_ack *ack)
{
	ccc_begin(c);
	ccc_hear(c);
	c->stats.acks++;
	if (ack->m) {
		c->stats.marks++;
		c->congested = ack->now;
	}
	/*
	 * A packet marked for retransmission was taken out of inflight then.
	 * rcvd_bytes, subtracted below, includes it: add it back.
	 */
	if (ack->unmarked_pkts) {
		ccc_take32(c, &c->waiting_rtx, ack->unmarked_pkts);
		ccc_take64(c, &c->rtx_backlog, ack->unmarked_bytes);
		c->inflight += (s64)min(ack->unmarked_bytes, CC_MAX_BYTES);
	}
	ccc_take_sample(c, ack);
	c->inflight -= ack->newly_rcvd_bytes;
	if (ccc_window_ops(c))
		ccc_window_ops(c)->on_ack(c, ack);
	else if (ack->rtt_valid && !ack->rtt_short)
		uet_ccc_lower_base_rtt(c, ack->rtt);
	if (c->did & UET_CC_DID_WINDOW && c->lb && c->lb->ops->aware)
		uet_lb_follow_window(c->lb, uet_ccc_window(c));
	if (ccc_credit_ops(c) && ccc_credit_ops(c)->on_ack)
		ccc_credit_ops(c)->on_ack(c, ack);
	ccc_take32(c, &c->inflight_pkts, ack->newly_acked_pkts);
	ccc_update_state(c, ack->now);
}

/* The packet counts as no longer in flight and waits for retransmission. */
static void ccc_mark_rtx(struct uet_ccc *c, u32 size)
{
	c->waiting_rtx++;
	c->rtx_backlog += size;
	ccc_take32(c, &c->inflight_pkts, 1);
}

void uet_ccc_on_nack(struct uet_ccc *c, const struct uet_ccc_nack *nack)
{
	struct uet_lb_signal sig = {
		.now = nack->now,
		.rtt = nack->rtt,
		.ev = nack->ev,
		.reason = uet_ccc_nack_signal(nack),
		.siblings = nack->siblings,
		.rtt_valid = nack->rtt_valid,
		.last_hop = nack->reason == UET_NACKED_LASTHOP,
		.again = nack->again,
	};

	ccc_begin(c);
	ccc_hear(c);
	if (nack->reason < UET_NACKED_CLASSES)
		c->stats.nacks[nack->reason]++;
	if (nack->reason != UET_NACKED_OTHER)
		c->congested = nack->now;
	ccc_signal_path(c, &sig);
	c->inflight -= nack->size;
	if (ccc_window_ops(c) && ccc_window_ops(c)->on_nack)
		ccc_window_ops(c)->on_nack(c, nack);
	else if (nack->rtt_valid && !nack->rtt_short)
		uet_ccc_lower_base_rtt(c, nack->rtt);
	if (ccc_credit_ops(c) && ccc_credit_ops(c)->on_nack)
		ccc_credit_ops(c)->on_nack(c, nack);
	ccc_mark_rtx(c, nack->size);
	ccc_refresh(c, nack->now);
}

void uet_ccc_on_go_back(struct uet_ccc *c, u64 now, u32 size)
{
	ccc_begin(c);
	c->inflight -= size;
	ccc_mark_rtx(c, size);
	ccc_refresh(c, now);
}

void uet_ccc_on_inferred_loss(struct uet_ccc *c,
			      const struct uet_ccc_loss *loss)
{
	struct uet_lb_signal sig = {
		.now = loss->now,
		.ev = loss->ev,
		.reason = UET_LB_TIMEOUT,
		.again = loss->again,
	};

	ccc_begin(c);
	if (loss->how < UET_LOSS_CLASSES)
		c->stats.losses[loss->how]++;
	c->inflight -= loss->size;
	if (ccc_window_ops(c) && ccc_window_ops(c)->on_inferred_loss)
		ccc_window_ops(c)->on_inferred_loss(c, loss);
	if (ccc_credit_ops(c) && ccc_credit_ops(c)->on_inferred_loss)
		ccc_credit_ops(c)->on_inferred_loss(c, loss);
	/* A packet dropped on this host says nothing about a path. */
	if (loss->how != UET_LOSS_LOCAL) {
		c->congested = loss->now;
		ccc_signal_path(c, &sig);
	}
	ccc_mark_rtx(c, loss->size);
	ccc_refresh(c, loss->now);
}

void uet_ccc_on_credit(struct uet_ccc *c, u64 now, u32 credit)
{
	ccc_begin(c);
	ccc_hear(c);
	if (ccc_credit_ops(c) && ccc_credit_ops(c)->on_credit)
		ccc_credit_ops(c)->on_credit(c, now, credit);
	if (c->did & UET_CC_DID_CREDIT)
		c->credit_reqs = 0;
	ccc_refresh(c, now);
}

void uet_ccc_speculate(struct uet_ccc *c, u64 now)
{
	ccc_begin(c);
	if (ccc_credit_ops(c) && ccc_credit_ops(c)->speculate)
		ccc_credit_ops(c)->speculate(c);
	ccc_refresh(c, now);
}

void uet_ccc_credit_anew(struct uet_ccc *c, u64 now)
{
	ccc_begin(c);
	c->credit_anew = false;
	c->credit_since = c->stats.sent_pkts;
	c->credit_told = 0;
	c->credit_reqs = 0;
	c->last_credit_req = 0;
	ccc_credit_ops(c)->init(c, now);
	ccc_refresh(c, now);
}

void uet_ccc_rtx_shrinks(struct uet_ccc *c, u32 bytes)
{
	ccc_take64(c, &c->rtx_backlog, bytes);
}

void uet_ccc_pdc_gone(struct uet_ccc *c, const struct uet_ccc_gone *gone)
{
	ccc_begin(c);
	ccc_take64(c, &c->backlog, gone->backlog);
	ccc_take64(c, &c->rtx_backlog, gone->rtx_bytes);
	ccc_take32(c, &c->waiting_rtx, gone->rtx_pkts);
	ccc_take32(c, &c->inflight_pkts, gone->inflight_pkts);
	c->inflight -= (s64)min(gone->inflight_bytes, CC_MAX_BYTES);
	ccc_refresh(c, gone->now);
}

/*
 * Does the destination not know what waits? A target that was lost with its packet, and
 * data that came when nothing was in flight, to carry one.
 */
static bool ccc_credit_untold(const struct uet_ccc *c)
{
	return c->waiting_rtx ||
	       uet_credit_step(uet_ccc_credit_target(c), c->credit_told);
}

/* From one Credit Request to the next; the first answer has a round trip or four. */
static u64 ccc_credit_wait(const struct uet_ccc *c, bool untold, u64 wait_max)
{
	u64 wait = c->base_rtt * (untold ? 1 : UET_CREDIT_TIMEOUT_RTTS);
	u8 vain = c->credit_reqs ? c->credit_reqs - 1 : 0;

	return max(wait, min(wait << min_t(u8, vain, CREDIT_REQ_BACKOFF_MAX),
			     wait_max));
}

bool uet_ccc_credit_req(struct uet_ccc *c, u64 now, u64 wait_max, u64 *when)
{
	bool untold;
	u64 wait;

	*when = 0;
	if (!ccc_credit_ops(c) || c->inflight_pkts ||
	    !(c->blocked & UET_CC_BLOCK_CREDIT))
		return false;
	/* It needs no credit, and carries the target. */
	if (c->waiting_rtx && ccc_credit_ops(c)->sent_once)
		return false;
	untold = ccc_credit_untold(c);
	wait = ccc_credit_wait(c, untold, wait_max);
	*when = c->last_credit_req ? c->last_credit_req + wait : 0;
	if (!untold)
		*when = max(*when, c->credit_wait_since + wait);
	*when = max(*when, c->credit_wait_since);
	if (now < *when)
		return false;
	c->last_credit_req = now;
	c->credit_told = uet_ccc_credit_target(c);
	if (c->credit_reqs < U8_MAX)
		c->credit_reqs++;
	*when = now + ccc_credit_wait(c, c->waiting_rtx, wait_max);
	return true;
}

void uet_ccc_set_window(struct uet_ccc *c, u64 now, u64 bytes)
{
	ccc_begin(c);
	if (ccc_window_ops(c) && ccc_window_ops(c)->set_window)
		ccc_window_ops(c)->set_window(c, bytes);
	ccc_refresh(c, now);
}

u64 uet_ccc_window(const struct uet_ccc *c)
{
	if (ccc_window_ops(c) && ccc_window_ops(c)->window)
		return ccc_window_ops(c)->window(c);
	return c->params->max_wnd;
}

void uet_ccc_info(const struct uet_ccc *c, struct uet_cc_info *info)
{
	memset(info, 0, sizeof(*info));
	if (ccc_window_ops(c))
		ccc_window_ops(c)->info(c, info);
	if (ccc_credit_ops(c))
		ccc_credit_ops(c)->info(c, info);
}

void uet_ccc_blocked_ns(const struct uet_ccc *c, u64 now, u64 *window,
			u64 *credit)
{
	u64 waited = c->blocked && now > c->blocked_since ?
		     now - c->blocked_since : 0;
	bool by_window = c->blocked & UET_CC_BLOCK_WINDOW;

	*window = c->stats.blocked_window_ns + (by_window ? waited : 0);
	*credit = c->stats.blocked_credit_ns + (by_window ? 0 : waited);
}
