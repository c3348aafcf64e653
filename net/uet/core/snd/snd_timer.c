// SPDX-License-Identifier: GPL-2.0
/*
 * Intervals and deadlines of a sender (UE 1.0 3.5.12): RTO, tail probe, loss
 * inferred from SACK and probes, CLEAR_CMD. See snd.h.
 *
 * Not here: what is done at a deadline (snd_loss.c), RTO arithmetic (loss.c).
 */
#include "snd_loss.h"
#include "snd_pick.h"
#include "snd_priv.h"
#include "snd_queue.h"
#include "snd_timer.h"

/* Pause before a retry when memory is lacking, ns */
#define NOMEM_RETRY_NS		2000000ULL
/* How long a message waits at most for others that are to be sent with it, ns. Longer
 * than it takes to copy them: the timer is for those that never come.
 */
#define DEFER_NS		1000000ULL
/* Largest exponent in the back-off of tail probes */
#define PROBE_BACKOFF_MAX	12

u64 uet_snd_patience(const struct uet_snd *s)
{
	const struct uet_ccc *ccc = s->flow->ccc;

	return max(ccc->base_rtt, uet_rtt_est_ns(&ccc->rtt) + ccc->rtt.var);
}

/*
 * rto_max_ms limits the back-off for a silent peer, so that its return is
 * noticed soon. Measured round trips may be longer. They must be if answers do
 * come, but each to a packet that was retransmitted before (@ambiguous). Where many
 * are silent, each is tried less often (@spread_ms).
 */
static u64 snd_rto_max(const struct uet_snd *s)
{
	const struct uet_ccc *ccc = s->flow->ccc;
	u64 max_ns = READ_ONCE(s->flow->rules->rto_max_ms) * SND_NS_PER_MS;

	if (unlikely(s->backoff))
		max_ns = max(max_ns, s->flow->spread_ms * SND_NS_PER_MS);
	if (unlikely(s->ambiguous))
		return UET_RTO_LIMIT_NS;
	return clamp_t(u64, 2 * (uet_rtt_est_ns(&ccc->rtt) + ccc->rtt.var),
		       max_ns, max_t(u64, max_ns, UET_RTO_LIMIT_NS));
}

u64 uet_snd_rto(const struct uet_snd *s)
{
	const struct uet_ccc *ccc = s->flow->ccc;
	u64 min_ns = READ_ONCE(s->flow->rules->rto_min_us) * SND_NS_PER_US;
	u64 max_ns = snd_rto_max(s), rto;

	rto = uet_rto_init_ns(ccc->params, &ccc->rtt, min_ns, max_ns);
	/* The last resort: at least twice the longest normal round trip. */
	rto = clamp(2 * uet_snd_patience(s), rto, max(rto, max_ns));
	return uet_rto_backoff_ns(rto, s->backoff, max_ns);
}

u64 uet_snd_loss_age(const struct uet_snd *s)
{
	const struct uet_ccc *ccc = s->flow->ccc;
	u64 age = uet_loss_age_ns(ccc->params, &ccc->rtt, ccc->base_rtt,
				  uet_snd_busy(s)->rack_rtt, s->flow->reorder.steps);

	/* Most samples are of fast interfaces, which answer more often. */
	if (unlikely(s->flow->multi))
		age = max(age, uet_snd_patience(s) + 2 * ccc->params->target);
	return age;
}

/* The probe interval while probes were sent or more data waits */
static noinline u64 snd_probe_again(const struct uet_snd *s, bool busy)
{
	const struct uet_ccc *ccc = s->flow->ccc;
	u8 probes = uet_snd_busy(s)->probes;
	/* With many paths the next one is tried as soon as the first. */
	bool repeat = probes && !ccc->sprayed;
	u64 ns = uet_tail_probe_ns(uet_snd_patience(s), ccc->params->target, busy,
				   repeat);

	/* Back off while probes bring nothing new. */
	return min(ns << min_t(u8, probes, PROBE_BACKOFF_MAX), snd_rto_max(s));
}

static __always_inline u64 snd_probe_interval(const struct uet_snd *s)
{
	const struct uet_ccc *ccc = s->flow->ccc;
	/* Data that a full window holds back brings no answer. */
	bool busy = ccc->backlog && !(ccc->blocked & UET_CC_BLOCK_WINDOW);
	u64 ns;

	if (busy || unlikely(uet_snd_busy(s)->probes))
		return snd_probe_again(s, busy);
	/* A first probe costs little if it comes too soon. */
	ns = uet_tail_probe_ns(max(ccc->base_rtt, uet_rtt_est_ns(&ccc->rtt)),
			       ccc->params->target, false, false);
	/* snd_rto_max() is no less than this. */
	if (likely(ns <= READ_ONCE(s->flow->rules->rto_max_ms) * SND_NS_PER_MS))
		return ns;
	return min(ns, snd_rto_max(s));
}

u64 uet_snd_probe_interval(const struct uet_snd *s)
{
	return snd_probe_interval(s);
}

void uet_snd_transmitted(struct uet_snd *s, u64 now)
{
	struct uet_snd_busy *b = uet_snd_busy(s);
	u64 at = max(b->departs, now);

	/* CLOSE_CMD has a deadline of its own. */
	if (s->state == UET_PDC_CLOSING)
		return;
	if (!s->rto_at)
		snd_start_rto(s, at, uet_snd_rto(s));
	if (b->ring.flight_pkts && (!b->probe_tx || !b->probe_at))
		b->probe_at = at + snd_probe_interval(s);
	s->idle_at = now + READ_ONCE(s->flow->rules->pdc_idle_s) * SND_NS_PER_S;
	uet_snd_wake(s, uet_earliest(s->rto_at, uet_snd_probe_timer(s)));
}

void uet_snd_nomem(struct uet_snd *s, u64 now)
{
	s->retry_at = now + NOMEM_RETRY_NS;
	uet_snd_wake(s, s->retry_at);
}

void uet_snd_defer(struct uet_snd *s, u64 now)
{
	if (s->retry_at)
		return;
	s->retry_at = now + DEFER_NS;
	uet_snd_wake(s, s->retry_at);
}

void uet_snd_opened(struct uet_snd *s)
{
	s->state = UET_PDC_ESTABLISHED;
	s->backoff = 0;
	s->ambiguous = false;
}

void uet_snd_slacken(struct uet_snd *s, u64 now)
{
	struct uet_snd_busy *b = uet_snd_busy(s);

	/* Packets without AR postponed the tail probe. */
	if (now < b->probe_at && !uet_snd_answer_due(s))
		b->probe_slack = (u32)min_t(u64, s->flow->ccc->base_rtt,
					    U32_MAX);
}

u64 uet_snd_deadline(const struct uet_snd *s)
{
	u64 at = uet_earliest(s->rto_at, uet_snd_probe_timer(s));

	at = uet_earliest(at, uet_snd_busy(s)->loss_at);
	at = uet_earliest(at, s->retry_at);
	at = uet_earliest(at, s->clear_at);
	return uet_earliest(at, s->hold_at);
}

void uet_snd_settled(struct uet_snd *s, u64 now)
{
	struct uet_snd_busy *b = uet_snd_busy(s);
	const struct uet_ccc *ccc = s->flow->ccc;

	if (!uet_txwin_outstanding(&s->win)) {
		if (s->win.nslots) {
			b->probe_at = 0;
			b->probe_tx = 0;
			b->loss_at = 0;
		}
	} else if (b->ring.flight_pkts && (!b->probe_tx || !b->probe_at)) {
		/*
		 * cwnd < inflight, so no packet will follow to reach the
		 * target's threshold for an ACK: probe at once.
		 */
		if (ccc->blocked & UET_CC_BLOCK_WINDOW && !b->probes &&
		    !uet_snd_answer_due(s)) {
			b->probe_at = now;
			b->probe_slack = 0;
		} else {
			b->probe_at = now + uet_snd_probe_interval(s);
		}
	}
	uet_snd_wake(s, s->rto_at);
	uet_snd_wake(s, uet_snd_probe_timer(s));
	uet_snd_wake(s, s->clear_at);
	if (b->ring.nr_marked || !list_empty(&s->active))
		uet_snd_ready(s);
}

void uet_snd_expire(struct uet_snd *s, struct uet_snd_work *w)
{
	struct uet_snd_busy *b = uet_snd_busy(s);
	u64 now = w->now;

	if (s->clear_at && now >= s->clear_at)
		w->todo |= SND_DO_CLEAR;
	if (s->hold_at && now >= s->hold_at)
		w->todo |= SND_DO_HOLD;
	if (b->loss_at && now >= b->loss_at)
		w->todo |= SND_DO_OVERTAKEN;
	if (s->retry_at && now >= s->retry_at) {
		s->retry_at = 0;
		uet_snd_ready(s);
	}
	if (unlikely(s->doubted))
		w->todo |= SND_DO_KNOWN;
	if (b->probe_at && now >= b->probe_at)
		w->todo |= SND_DO_PROBE;
	if (s->rto_at && now >= s->rto_at)
		w->todo |= SND_DO_RTO;
}
