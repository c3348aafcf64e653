// SPDX-License-Identifier: GPL-2.0
/*
 * ACKs at a sender (UE 1.0 3.5.12): scoreboard, round trips, what congestion
 * control hears. See snd.h.
 *
 * Not here: packets that an ACK proves lost (snd_loss.c), responses of the semantic
 * sublayer.
 */
#include "../cc/fall.h"
#include "snd_ack.h"
#include "snd_loss.h"
#include "snd_priv.h"
#include "snd_timer.h"

bool uet_snd_sent_at(const struct uet_snd *s, u32 psn, bool rtx,
		     struct uet_snd_sent *sent)
{
	const struct uet_txwin *win = &s->win;

	sent->valid = uet_txwin_rtt(win, psn, rtx, &sent->at);
	if (!sent->valid)
		return false;
	sent->wait = uet_wait_unpack(snd_pkt(s, psn)->wait);
	sent->brief = uet_txwin_slot(win, psn)->size <
		      s->flow->ccc->params->mtu / 2;
	return true;
}

bool uet_snd_sample(const struct uet_snd *s, const struct uet_snd_sent *sent,
		    u64 service, u64 now, u64 *rtt)
{
	u64 base_rtt = s->flow->ccc->base_rtt;
	u64 whole;
	bool ok;

	if (!sent->valid)
		return false;
	ok = uet_rtt_sample(sent->at, service, now, rtt);
	if (!sent->wait)
		return ok;
	*rtt = ok ? max(*rtt, base_rtt) : base_rtt;
	if (uet_rtt_sample(sent->at - sent->wait, service, now, &whole))
		*rtt = min(*rtt, whole);
	return true;
}

/*
 * The round trip is known, which alone ends the back-off of the RTO (Karn's
 * second rule): if the RTO is too short each packet is retransmitted, and
 * answers to retransmitted packets give no sample.
 */
static void snd_timed(struct uet_snd *s)
{
	s->backoff = 0;
	s->ambiguous = false;
}

/*
 * A packet that was resent several times gives no sample. But if a retransmission is
 * answered as soon as round trips were before, they have not become longer than the
 * RTO. Otherwise an ordered sender, which resends all behind a gap again and again,
 * would back off for as long as packets are lost.
 */
static bool snd_prompt(const struct uet_snd *s, const struct uet_pkt *pkt,
		       const struct uet_snd_sent *sent, u64 now)
{
	if (!s->backoff || !sent->at || !(pkt->flags & UET_F_RETX) ||
	    !uet_txwin_slot(&s->win, pkt->ack.ack_psn)->rtx)
		return false;
	return s->flow->ccc->rtt.srtt && now - sent->at <= uet_snd_patience(s);
}

/* A packet sent at @sent has arrived: missing older ones may be lost. */
static void snd_rack(struct uet_snd *s, u64 sent, u64 now)
{
	struct uet_snd_busy *b = uet_snd_busy(s);

	if (sent < b->rack || now < sent)
		return;
	b->rack = sent;
	b->rack_rtt = (u32)min_t(u64, now - sent, U32_MAX);
}

/*
 * A retransmission arrived. Return code NULL says that it was a duplicate: the
 * original was late, not lost.
 */
static void snd_rtx_arrived(struct uet_snd *s, const struct uet_pkt *pkt,
			    u64 now, struct uet_snd_acked *out)
{
	struct uet_snd_flow *f = s->flow;

	if (!uet_pkt_has_ses_rsp(pkt))
		return;
	if (pkt->rsp.code != UET_RC_NULL) {
		uet_reorder_repaired(&f->reorder);
		return;
	}
	out->needless = true;
	f->ccc->stats.needless++;
	uet_reorder_needless(&f->reorder, now, uet_rtt_est_ns(&f->ccc->rtt));
}

/*
 * A target that keeps no congestion control state may send ACK_CC with zeros there.
 * Once anything has arrived rcvd_bytes is 0 for 256 bytes in 4 GiB only, since it is
 * rounded up (UE 1.0 3.6.13.9), and the next ACK makes up for it.
 */
static bool snd_states_nothing(const struct uet_ack *a)
{
	return unlikely(!a->rcvd_bytes) && a->cc_type == UET_CC_NSCC &&
	       !a->service_time && !a->ooo_count && !a->pend && !a->rc;
}

/* What congestion control hears of an ACK */
static void snd_ack_cc(struct uet_snd *s, const struct uet_pkt *pkt, u16 ev,
		       u64 now, struct uet_snd_acked *out)
{
	const struct uet_tx_acked *sum = &out->sum;
	const struct uet_ack *a = &pkt->ack;
	struct uet_ccc_ack *cc = &out->cc;
	u64 service;

	*cc = (struct uet_ccc_ack) {
		.now			= now,
		.newly_acked_pkts	= sum->pkts,
		.unmarked_pkts		= sum->unmarked_pkts,
		.unmarked_bytes		= sum->unmarked_bytes,
		.ev			= ev,
		.m			= pkt->flags & UET_F_ECN,
		.pend			= a->pend,
		.restore		= a->rc,
		.rtt_short		= out->sent.brief,
	};
	if (uet_service_time_ns(a->service_time, &service))
		cc->rtt_valid = uet_snd_sample(s, &out->sent, service, now,
					       &cc->rtt);
	cc->newly_rcvd_bytes = a->cc_type == UET_CC_NSCC &&
			       !snd_states_nothing(a) ?
		uet_txwin_release_rcvd(&s->win, a->rcvd_bytes) :
		uet_txwin_release_plain(&s->win,
					sum->bytes + sum->unmarked_bytes);
}

/*
 * Has an ordered target kept the packet, without looking at its contents yet? Then its
 * response, which may still be an error, is to come: the answer is NO_RESPONSE, or has
 * none.
 */
static bool snd_kept(const struct uet_snd *s, const struct uet_pkt *pkt)
{
	u32 psn = pkt->ack.ack_psn;

	return s->rod && (!uet_pkt_has_ses_rsp(pkt) ||
			  pkt->rsp.opcode == UET_RSP_OP_NO_RESPONSE) &&
	       uet_txwin_has(&s->win, psn) &&
	       !(uet_txwin_slot(&s->win, psn)->flags & UET_TX_CP);
}

void uet_snd_ack(struct uet_snd *s, const struct uet_pkt *pkt, u16 ev, u64 now,
		 struct uet_snd_acked *out)
{
	const struct uet_ack *a = &pkt->ack;
	bool probe = pkt->flags & UET_F_PROBE;
	struct uet_txwin *win = &s->win;

	out->sum = (struct uet_tx_acked) {};
	out->sent = (struct uet_snd_sent) {};
	out->from = win->una;
	out->answered = NULL;
	out->first = false;
	out->needless = false;
	if (!probe)
		uet_snd_sent_at(s, a->ack_psn, pkt->flags & UET_F_RETX,
				&out->sent);
	s->heard = now;
	if (out->sent.valid) {
		snd_timed(s);
		snd_rack(s, out->sent.at, now);
	} else if (unlikely(snd_prompt(s, pkt, &out->sent, now))) {
		snd_timed(s);
	}
	uet_txwin_cack(win, a->cack_psn, &out->sum);
	if (a->sack_bitmap)
		uet_txwin_sack(win, a->sack_base, a->sack_bitmap, &out->sum);
	if (!probe && unlikely(snd_kept(s, pkt))) {
		uet_txwin_sack(win, a->ack_psn, 1, &out->sum);
	} else if (!probe) {
		if (uet_txwin_has(win, a->ack_psn))
			out->answered = snd_pkt(s, a->ack_psn);
		out->first = uet_txwin_answer(win, a->ack_psn, &out->sum);
		uet_txwin_settle(win, &out->sum);
		if (unlikely(pkt->flags & UET_F_RETX))
			snd_rtx_arrived(s, pkt, now, out);
	}
	if (s->rod && win->ring->nr_sacked)
		s->keeps = true;
	if (unlikely(!list_empty(&s->holds))) {
		snd_hold_covered(s, out->from, out->sum.psns);
		snd_hold_sacked(s, a->sack_base, a->sack_bitmap);
		if (!probe)
			snd_hold_sacked(s, a->ack_psn, 1);
	}
	uet_txwin_mpr(win, a->cack_psn, a->mpr);
	if (unlikely(uet_snd_busy(s)->mpr_since) && uet_txwin_allowed(win))
		snd_mpr_over(s, now);
	snd_ack_cc(s, pkt, ev, now, out);
}

bool uet_snd_probe_answer(struct uet_snd *s, const struct uet_ack *a,
			  struct uet_snd_work *w, u64 *rtt)
{
	struct uet_snd_busy *b = uet_snd_busy(s);
	u64 service, sent = b->probe_tx;
	struct uet_tx_scan scan;
	bool sampled;

	if (!sent || a->probe_opaque != s->probe_id)
		return false;
	b->probe_tx = 0;
	b->probe_at = 0;
	/* It did not queue with data: what its answer acknowledges is all it tells. */
	if (unlikely(s->flow->probes_apart) ||
	    !uet_service_time_ns(a->service_time, &service))
		return false;
	/* A target that took less than a unit states one, as 0 means unknown: a round trip
	 * below that is no sample, but evidence.
	 */
	sampled = uet_rtt_sample(sent, service, w->now, rtt);
	if (sampled)
		uet_rtt_est_add(&s->flow->ccc->rtt, *rtt);
	else if (w->now < sent || a->service_time > 1)
		return false;
	snd_timed(s);
	snd_rack(s, sent, w->now);
	if (!snd_goes_back(s) || !b->ring.flight_pkts) {
		/* It queued with data, on one path of several: age decides. */
		b->probed = sent;
		w->todo |= SND_DO_OVERTAKEN;
		return sampled;
	}
	uet_txwin_scan(&s->win, &scan, s->win.una, b->probe_end, sent);
	if (uet_txwin_scan_next(&s->win, &scan, &w->from)) {
		w->how = UET_LOSS_PROBE;
		w->todo |= SND_DO_GO_BACK;
	}
	return sampled;
}

static void snd_progress(struct uet_snd *s, u64 now)
{
	struct uet_snd_busy *b = uet_snd_busy(s);

	s->retries = 0;
	s->ambiguous |= s->backoff;
	b->probes = 0;
	b->nack_e = 0;
	if (uet_txwin_outstanding(&s->win) || uet_txwin_waits_for_cack(&s->win))
		snd_start_rto(s, now, uet_snd_rto(s));
	else
		s->rto_at = 0;
}

/*
 * A target keeps CACK below the first response that it does not know to be cleared, and
 * asks for a clear with the response alone. So when CACK has moved to the next one of
 * several, which came before, nobody asks.
 */
static bool snd_owes_clear(const struct uet_snd *s)
{
	return psn_after(s->win.clear_psn, s->win.cack) &&
	       s->win.clear_psn != s->clear_sent;
}

/* A search for missing packets may look at the whole window, and who answers the same
 * packet again and again could have one begin with each ACK. So ACKs, and the packets
 * that they newly acknowledge, pay for the last one before an ACK begins the next.
 */
static bool snd_paid(struct uet_snd_busy *b, const struct uet_tx_acked *sum)
{
	u32 pkts = sum->pkts + sum->unmarked_pkts;

	if (unlikely(b->owed))
		b->owed -= min(b->owed, (pkts + 1) * SND_SCAN_PER_PKT);
	return !b->owed;
}

/* Look for missing packets with a later ACK, or soon. */
static void snd_search_later(struct uet_snd *s, u64 now)
{
	struct uet_snd_busy *b = uet_snd_busy(s);

	if (!b->loss_at)
		b->loss_at = now + uet_snd_loss_age(s) / SND_SCANS_PER_AGE;
	uet_snd_wake(s, b->loss_at);
}

void uet_snd_ack_done(struct uet_snd *s, const struct uet_pkt *pkt,
		      const struct uet_snd_acked *acked, struct uet_snd_work *w)
{
	const struct uet_tx_acked *sum = &acked->sum;
	struct uet_snd_busy *b = uet_snd_busy(s);
	bool paid = snd_paid(b, sum);

	if (sum->psns || sum->pkts || sum->unmarked_pkts)
		snd_progress(s, w->now);
	if (((pkt->flags & UET_F_REQ_MASK) == UET_F_REQ_CLEAR ||
	     unlikely(snd_owes_clear(s))) && !s->clear_at)
		s->clear_at = w->now + SND_NS_PER_US *
			      READ_ONCE(s->flow->rules->clear_time_us);
	w->ooo = snd_states_nothing(&pkt->ack) ? UET_OOO_INVALID :
						 pkt->ack.ooo_count;
	/* Nothing is out of order: nothing is missing. */
	if (likely(!b->ring.nr_sacked && !b->probed && !b->ring.recovering &&
		   (!w->ooo || w->ooo == UET_OOO_INVALID))) {
		if (unlikely(b->loss_at))
			b->loss_at = 0;
		return;
	}
	/* This search goes on where it ended last. */
	w->todo |= SND_DO_OOO;
	if (likely(paid))
		w->todo |= SND_DO_OVERTAKEN;
	else
		snd_search_later(s, w->now);
}
