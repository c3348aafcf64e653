// SPDX-License-Identifier: GPL-2.0
/*
 * Which packets of a sender are lost, and what an event has to do step by step.
 * See snd.h.
 *
 * UE 1.0 3.5.12 leaves the inference of losses to the implementer. Here packets
 * are lost that are missing below SACKed ones or before an answered probe, once
 * they are so old that no other path could be that slow; those that the target's
 * out-of-order count implies; and those that time out. An ordered target may drop what
 * follows a gap; as long as it has not shown that it does not, its sender goes back to
 * the gap.
 *
 * Not here: the age and other intervals (snd_timer.c), searches of the scoreboard
 * (txwin_scan.c).
 */
#include "../wire/probe.h"
#include "snd_hold.h"
#include "snd_loss.h"
#include "snd_priv.h"
#include "snd_queue.h"
#include "snd_timer.h"

/* Mark a packet; true if congestion control is to hear of it. */
bool uet_snd_lost(struct uet_snd *s, u32 psn, u8 how, u64 now,
		  struct uet_ccc_loss *loss)
{
	const struct uet_tx_slot *slot = uet_txwin_mark(&s->win, psn);

	if (!slot || slot->flags & UET_TX_CP)
		return false;
	loss->now = now;
	loss->size = slot->size;
	loss->ev = slot->ev;
	loss->how = how;
	loss->again = snd_run_marked(s, psn, slot);
	if (unlikely(!list_empty(&s->holds)))
		uet_snd_hold_lost(s, psn);
	return true;
}

/* Remember that a packet did not leave this host: what becomes of it is no evidence. */
void uet_snd_dropped(struct uet_snd *s, u32 psn)
{
	if (uet_txwin_has(&s->win, psn))
		uet_txwin_slot(&s->win, psn)->flags |= UET_SND_DROPPED;
}

static void snd_cp(struct uet_snd_work *w, u8 ctl, u16 ev,
		   const struct uet_cp *cp)
{
	if (w->nr_cps == UET_SND_CPS)
		return;
	w->cps[w->nr_cps++] = (struct uet_snd_cp) {
		.cp = *cp, .ctl = ctl, .ev = ev,
		.data_class = ctl == UET_CTL_PROBE,
	};
}

/*
 * Entropy value of an ACK_REQ or a probe: on many paths not that of the packet
 * in question, whose path may be dead.
 */
static u16 snd_ask_ev(struct uet_snd *s, const struct uet_snd_work *w, u32 psn)
{
	const struct uet_tx_slot *slot = uet_txwin_slot(&s->win, psn);
	struct uet_ccc_ask ask = {
		.now = w->now, .port_free = w->port_free,
		.size = slot->size, .want = 1,
		.prev_ev = slot->ev, .rtx = true,
	};
	struct uet_ccc_send params;

	if (!s->flow->ccc->sprayed)
		return slot->ev;
	uet_ccc_get_send_params(s->flow->ccc, &ask, &params);
	return params.ev;
}

static void snd_ask_ack(struct uet_snd *s, struct uet_snd_work *w, u32 psn)
{
	const struct uet_snd_pkt *p = snd_pkt(s, psn);
	struct uet_cp cp = { .psn = psn };

	if (p->msg)
		cp.payload = p->msg->msg_id;
	uet_txwin_slot(&s->win, psn)->flags |= UET_SND_ASKED;
	snd_cp(w, UET_CTL_ACK_REQ, snd_ask_ev(s, w, psn), &cp);
	uet_txwin_touch(&s->win, psn, w->now);
}

/* Ask for CACK when every packet is answered. */
static void snd_ask_cack(struct uet_snd *s, struct uet_snd_work *w)
{
	struct uet_cp cp = { .psn = s->win.una - 1 };

	snd_cp(w, UET_CTL_ACK_REQ, 0, &cp);
}

/*
 * Does the target know the PDC? A forged answer could not name the PSN. A NACK of
 * this ACK_REQ says nothing about a packet in flight.
 */
static void snd_ask_known(struct uet_snd *s, struct uet_snd_work *w)
{
	s->doubted = false;
	s->doubt_psn = s->win.una - 1;
	snd_ask_cack(s, w);
}

static void snd_clear(struct uet_snd *s, struct uet_snd_work *w)
{
	struct uet_cp cp = { .payload = s->win.clear_psn };

	s->clear_at = 0;
	if (s->clear_sent == s->win.clear_psn)
		return;
	snd_cp(w, UET_CTL_CLEAR_CMD, s->flow->ccc->run_ev, &cp);
	s->clear_sent = s->win.clear_psn;
}

void uet_snd_clear_req(struct uet_snd *s, u32 psn, u16 ev,
		       struct uet_snd_work *w)
{
	struct uet_cp cp = { .psn = psn };

	if (uet_txwin_has(&s->win, psn) &&
	    !uet_txwin_is_answered(&s->win, psn)) {
		uet_txwin_slot(&s->win, psn)->flags |= UET_SND_ASKED;
		snd_cp(w, UET_CTL_ACK_REQ, ev, &cp);
		return;
	}
	s->clear_sent = s->win.clear_psn - 1;	/* even if sent before */
	s->clear_at = w->now;
	uet_snd_wake(s, w->now);
}

/* A probe was not answered in time: distrust its entropy value. */
static void snd_probe_unheard(const struct uet_snd *s)
{
	const struct uet_ccc *ccc = s->flow->ccc;

	if (uet_snd_busy(s)->probe_tx && ccc->sprayed && ccc->lb)
		uet_lb_doubt(ccc->lb, uet_snd_busy(s)->probe_ev);
}

/*
 * Tail probe: ask for the state of the receiver. It has the traffic class of
 * data. In the class of control packets it can overtake data that queues in
 * this host or the fabric, and its answer proves no loss (@probes_apart).
 */
static void snd_probe(struct uet_snd *s, struct uet_snd_work *w)
{
	struct uet_cp cp = { .payload = s->win.una };
	struct uet_snd_busy *b = uet_snd_busy(s);

	b->probe_at = 0;
	if (!b->ring.flight_pkts)
		return;		/* all packets are lost or held */
	if (s->state == UET_PDC_SYN)
		return;		/* a probe opens no PDC */
	if (unlikely(READ_ONCE(*s->flow->probes) >= UET_PROBES_NACKED))
		return;		/* ends of messages set AR instead */
	snd_probe_unheard(s);
	b->probe_ev = snd_ask_ev(s, w, s->win.una);
	if (++s->probe_id <= UET_PROBE_HOLE)
		s->probe_id = UET_PROBE_HOLE + 1;
	cp.probe_opaque = s->probe_id;
	snd_cp(w, UET_CTL_PROBE, b->probe_ev, &cp);
	w->probes++;
	if (!b->probe_tx)
		b->probe_first = w->now;
	b->probe_tx = w->now;
	b->probe_end = s->win.next;
	if (b->probes < U8_MAX)
		b->probes++;
	b->probe_at = w->now + uet_snd_probe_interval(s);
	b->probe_slack = 0;
}

/* retries >= max_rto_retx and silence >= peer_timeout_s? */
static bool snd_gave_up(const struct uet_snd *s, u64 now)
{
	const struct uet_snd_rules *r = s->flow->rules;
	u64 silence = READ_ONCE(r->peer_timeout_s) * SND_NS_PER_S;

	return s->retries >= READ_ONCE(r->max_rto_retx) &&
	       now - s->heard >= silence;
}

static void snd_back_off(struct uet_snd *s)
{
	if (s->retries < U8_MAX)
		s->retries++;
	if (s->backoff < U8_MAX)
		s->backoff++;
}

static void snd_give_up(struct uet_snd_work *w)
{
	w->end = UET_SND_SILENT;
	w->todo = 0;
}

/*
 * Every packet is answered, but CACK has not passed all of them, or too few for
 * more to be sent: it stopped below a response that was cleared since. Ask
 * until it moves.
 */
static void snd_stuck_cack(struct uet_snd *s, struct uet_snd_work *w)
{
	bool closed = uet_txwin_waits_for_cack(&s->win);

	if ((!uet_txwin_outstanding(&s->win) && !closed) || s->win.ring->nr_marked) {
		s->rto_at = 0;
		return;
	}
	if (snd_gave_up(s, w->now)) {
		snd_give_up(w);
		return;
	}
	if (closed)
		snd_ask_cack(s, w);
	else
		snd_ask_ack(s, w, s->win.una);
	snd_back_off(s);
	snd_start_rto(s, w->now, uet_snd_rto(s));
}

static void snd_scan_all(struct uet_snd *s, struct uet_snd_work *w, u16 step,
			 u8 how, u64 before)
{
	w->doing = step;
	w->how = how;
	w->any = false;
	uet_txwin_scan(&s->win, &w->scan, s->win.una, s->win.next, before);
}

/*
 * RTO (UE 1.0 3.5.12). For a packet that is only SACKed the source sends
 * ACK_REQ, not the packet.
 *
 * A first timeout proves little: a first window may queue longer in this host
 * than any round trip measured so far. So packets are lost that a later one has
 * overtaken, else the oldest only; answers, also to the tail probe, will tell
 * of the others. At a second timeout without any answer all of them are lost,
 * since they would keep the window closed for as many timeouts.
 */
static void snd_timeout(struct uet_snd *s, struct uet_snd_work *w)
{
	struct uet_snd_busy *b = uet_snd_busy(s);
	u64 rto = uet_snd_rto(s), oldest;
	u32 psn;

	if (!uet_txwin_oldest(&s->win, &psn, &oldest)) {
		snd_stuck_cack(s, w);
		return;
	}
	/* A probe sent after the data must be overdue as well. */
	if (b->probe_tx)
		oldest = max(oldest, b->probe_first);
	if (w->now < oldest + rto) {
		snd_start_rto(s, oldest, rto);
		return;
	}
	if (snd_gave_up(s, w->now)) {
		snd_give_up(w);
		return;
	}
	w->timeouts++;
	snd_probe_unheard(s);
	w->todo |= SND_DO_ASK;
	w->limit = w->now - rto;
	if (!snd_goes_back(s)) {
		w->todo |= SND_DO_TIMED_OUT;
	} else if (!uet_txwin_is_sacked(&s->win, psn)) {
		w->from = psn;
		w->how = UET_LOSS_RTO;
		w->todo |= SND_DO_GO_BACK;
	}
}

static void snd_begin_timed_out(struct uet_snd *s, struct uet_snd_work *w)
{
	u64 before = w->limit;

	snd_scan_all(s, w, SND_DO_TIMED_OUT, UET_LOSS_RTO, before);
	if (!s->retries)
		w->limit = uet_snd_busy(s)->rack;
	w->first = U64_MAX;
}

/* After a timeout: ask for an answer, and let a retransmission go. */
static void snd_after_timeout(struct uet_snd *s, struct uet_snd_work *w)
{
	u64 before = w->now - uet_snd_rto(s);
	u32 psn;

	if (uet_txwin_next_unanswered(&s->win, s->win.una, before, &psn))
		snd_ask_ack(s, w, psn);
	snd_back_off(s);
	snd_start_rto(s, w->now, uet_snd_rto(s));
	if (!s->win.ring->nr_marked)
		return;
	uet_snd_ready(s);
	/* Ahead of senders that a closed window blocks */
	s->overdue = true;
	list_move(&s->ready_node, &s->flow->ready);
}

/* Packets that are missing below SACKed ones, or before an answered probe */
static void snd_overtaken(struct uet_snd *s, struct uet_snd_work *w)
{
	struct uet_snd_busy *b = uet_snd_busy(s);

	if (b->loss_at)
		b->loss_at = 0;
	if (snd_goes_back(s) || (!b->ring.nr_sacked && !b->probed))
		return;
	w->limit = w->now - uet_snd_loss_age(s);
	w->doing = SND_DO_OVERTAKEN;
	w->how = UET_LOSS_SACK;
	w->todo |= SND_DO_PROBED;
	uet_txwin_scan_sacked(&s->win, &w->scan, min(w->limit, b->rack));
}

static void snd_begin_probed(struct uet_snd *s, struct uet_snd_work *w)
{
	const struct uet_snd_busy *b = uet_snd_busy(s);
	u32 end = psn_max(b->probe_end, s->win.una);

	w->doing = SND_DO_PROBED;
	w->how = UET_LOSS_PROBE;
	w->young = false;
	uet_txwin_scan(&s->win, &w->scan, s->win.una,
		       b->probed ? end : s->win.una, b->probed);
}

static void snd_probed_done(struct uet_snd *s, struct uet_snd_work *w)
{
	struct uet_snd_busy *b = uet_snd_busy(s);

	if (!w->young)
		b->probed = 0;
	if (b->ring.nr_marked)
		uet_snd_ready(s);
	if (!b->ring.flight_pkts || (!b->ring.nr_sacked && !b->probed))
		return;
	b->loss_at = w->now + (w->now - w->limit) / SND_SCANS_PER_AGE;
	uet_snd_wake(s, b->loss_at);
}

static void snd_begin_ooo(struct uet_snd *s, struct uet_snd_work *w)
{
	const struct uet_ccc *ccc = s->flow->ccc;
	u32 size = ccc->params->mtu, threshold;
	u64 cwnd = uet_ccc_window(ccc);

	if (snd_goes_back(s) || ccc->params->trimming)
		return;
	threshold = uet_txwin_ooo_threshold(cwnd, ccc->params->max_wnd, size);
	if (!uet_txwin_ooo(&s->win, w->ooo, threshold,
			   (u32)div_u64(cwnd, size) + 1, &w->scan))
		return;
	w->doing = SND_DO_OOO;
	w->how = UET_LOSS_OOO;
	w->scan.before = w->now - uet_snd_loss_age(s);
}

/* Do the next step, or begin it if it scans packets. */
static void snd_step(struct uet_snd *s, struct uet_snd_work *w)
{
	u16 step = w->todo & -w->todo;

	w->todo &= ~step;
	switch (step) {
	case SND_DO_CLEAR:
		snd_clear(s, w);
		break;
	case SND_DO_HOLD:
		uet_snd_hold_expire(s, w->now);
		break;
	case SND_DO_OVERTAKEN:
		snd_overtaken(s, w);
		break;
	case SND_DO_PROBED:
		snd_begin_probed(s, w);
		break;
	case SND_DO_OOO:
		snd_begin_ooo(s, w);
		break;
	case SND_DO_GO_BACK:
		snd_scan_all(s, w, SND_DO_GO_BACK, w->how, U64_MAX);
		break;
	case SND_DO_KNOWN:
		snd_ask_known(s, w);
		break;
	case SND_DO_PROBE:
		snd_probe(s, w);
		break;
	case SND_DO_RTO:
		snd_timeout(s, w);
		break;
	case SND_DO_TIMED_OUT:
		snd_begin_timed_out(s, w);
		break;
	case SND_DO_ASK:
		snd_after_timeout(s, w);
		break;
	}
}

/* The packets behind a gap were dropped by the target: no congestion signal. */
static bool snd_go_back(struct uet_snd *s, struct uet_snd_work *w, u32 psn,
			struct uet_ccc_loss *loss)
{
	const struct uet_tx_slot *slot;

	w->gone_back++;
	if (psn_before(psn, w->from) || psn == s->win.una)
		return uet_snd_lost(s, psn, w->how, w->now, loss);
	slot = uet_txwin_mark(&s->win, psn);
	if (slot && !(slot->flags & UET_TX_CP))
		uet_ccc_on_go_back(s->flow->ccc, w->now, slot->size);
	return false;
}

/* The scan of a step found a packet: is it lost? */
static bool snd_found(struct uet_snd *s, struct uet_snd_work *w, u32 psn,
		      struct uet_ccc_loss *loss)
{
	u64 at = uet_txwin_slot(&s->win, psn)->tx_time;

	w->back = w->doing == SND_DO_GO_BACK;
	switch (w->doing) {
	case SND_DO_GO_BACK:
		return snd_go_back(s, w, psn, loss);
	case SND_DO_PROBED:
		if (at < w->limit)
			break;
		w->young = true;
		return false;
	case SND_DO_TIMED_OUT:
		if (at <= w->limit) {
			w->any = true;
			break;
		}
		if (at < w->first) {
			w->first = at;
			w->oldest = psn;
		}
		return false;
	}
	return uet_snd_lost(s, psn, w->how, w->now, loss);
}

/* The scan of a step has ended; true if there is one more lost packet. */
static bool snd_scanned(struct uet_snd *s, struct uet_snd_work *w,
			struct uet_ccc_loss *loss)
{
	u16 step = w->doing;

	w->doing = 0;
	w->steps += w->scan.steps;
	switch (step) {
	case SND_DO_PROBED:
		uet_snd_busy(s)->owed = max(uet_snd_busy(s)->owed, w->steps);
		snd_probed_done(s, w);
		break;
	case SND_DO_OOO:
		uet_txwin_ooo_done(&s->win, &w->scan);
		break;
	case SND_DO_GO_BACK:
		uet_snd_ready(s);
		break;
	case SND_DO_TIMED_OUT:
		return !w->any && w->first != U64_MAX &&
		       uet_snd_lost(s, w->oldest, w->how, w->now, loss);
	}
	return false;
}

bool uet_snd_next_lost(struct uet_snd *s, struct uet_snd_work *w,
		       struct uet_ccc_loss *loss)
{
	u32 psn;

	for (;;) {
		while (w->doing && uet_txwin_scan_next(&s->win, &w->scan, &psn))
			if (snd_found(s, w, psn, loss))
				return true;
		if (w->doing && snd_scanned(s, w, loss))
			return true;
		if (!w->todo)
			return false;
		snd_step(s, w);
	}
}
