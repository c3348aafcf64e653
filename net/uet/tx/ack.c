// SPDX-License-Identifier: GPL-2.0
/*
 * ACKs at the source: scoreboard, congestion control, messages.
 *
 * Not here: NACKs (tx/nack.c).
 */
#include <linux/ktime.h>

#include "core/loss.h"
#include "core/txwin_scan.h"
#include "link/encap.h"
#include "link/habits.h"
#include "link/peer.h"
#include "mib.h"
#include "pdc/pdc.h"
#include "tx/cctrace.h"
#include "tx/flow.h"
#include "tx/half.h"
#include "tx/hole.h"
#include "tx/path.h"
#include "tx/pds.h"
#include "tx/rtt.h"
#include "tx/trace_path.h"
#include "tx/txmsg.h"

/**
 * uet_pdc_lost() - a packet in flight is given up as lost
 * @pdc: initiator PDC
 * @psn: the packet
 * @how: enum uet_loss_class
 * @now: time, ns
 *
 * Context: flow lock held.
 */
void uet_pdc_lost(struct uet_pdc *pdc, u32 psn, u8 how, u64 now)
{
	const struct uet_tx_slot *slot = uet_txwin_mark(&pdc->tx->win, psn);
	struct uet_ccc_loss loss = { .now = now, .how = how };

	lockdep_assert_held(&pdc->tx->flow->lock);
	if (!slot || slot->flags & UET_TX_CP)
		return;
	loss.size = slot->size;
	loss.ev = slot->ev;
	if (how != UET_LOSS_LOCAL)
		trace_uet_path_signal(pdc->tx->flow, loss.ev, UET_LB_TIMEOUT, 0);
	uet_cc_loss(pdc->tx->flow, &loss);
	if (unlikely(!list_empty(&pdc->tx->holds)))
		uet_pdc_hold_lost(pdc, psn);
}

/**
 * uet_pdc_go_back() - an ordered PDC starts again from a gap
 * @pdc: initiator PDC
 * @from: PSN the target did not accept any more
 * @how: class of the loss below it
 * @now: time, ns
 *
 * cc.md 3.4: packets below @from are lost, the others were dropped by the
 * target, which is no signal of the network. A timeout passes the oldest PSN
 * and goes back the same way.
 *
 * Context: flow lock held.
 */
void uet_pdc_go_back(struct uet_pdc *pdc, u32 from, u8 how, u64 now)
{
	struct uet_txwin *win = &pdc->tx->win;
	const struct uet_tx_slot *slot;
	struct uet_tx_scan scan;
	u32 psn;

	lockdep_assert_held(&pdc->tx->flow->lock);
	uet_txwin_scan(win, &scan, win->una, win->next, U64_MAX);
	while (uet_txwin_scan_next(win, &scan, &psn)) {
		if (psn_before(psn, from) || psn == win->una) {
			uet_pdc_lost(pdc, psn, how, now);
		} else {
			slot = uet_txwin_mark(win, psn);
			if (slot && !(slot->flags & UET_TX_CP))
				uet_ccc_on_go_back(&pdc->tx->flow->ccc, now,
						   slot->size);
		}
		UET_INC(pdc->un, RETX_GBN);
	}
	uet_pdc_tx_ready(pdc);
}

/**
 * uet_msg_covered() - CACK covers the last packet of a message
 * @pdc: initiator PDC
 * @msg: the message, all sent; gone afterwards
 * @now: time, ns
 *
 * Context: flow lock held.
 */
void uet_msg_covered(struct uet_pdc *pdc, struct uet_txmsg *msg, u64 now)
{
	struct uet_dest *dest = msg->dest;
	bool failed = msg->state == UET_TXMSG_FAILED;

	lockdep_assert_held(&pdc->tx->flow->lock);
	list_del(&msg->begun);
	list_del(&msg->node);
	if (list_empty(&pdc->tx->begun))
		pdc->tx->one_by_one = false;
	if (msg->again && !failed) {
		uet_msg_requeue(pdc, msg);
		return;
	}
	msg->state = UET_TXMSG_DONE;
	dest->progress = now;
	if (!--dest->unfinished)
		uet_dest_emptied(dest);
	pdc->tx->nr_msgs--;
	if (!failed)
		uet_txmsg_done(msg, 0, 0, 0);
	uet_txmsg_retire(msg);
}

/* Take an unsent or half sent message out of the send queue's way. */
static void uet_msg_stop(struct uet_pdc *pdc, struct uet_txmsg *msg)
{
	if (msg->state == UET_TXMSG_SENT)
		return;
	/* The target must hear that there is no more (wire.md 12.7). */
	msg->withdrawn = true;
	uet_dest_activate(msg->dest);
}

/**
 * uet_msg_fail() - the target refused a message
 * @pdc: initiator PDC
 * @msg: the message
 * @error: errno
 * @source: enum uet_report_source
 * @code: code of that source
 *
 * Reported now; its PSNs are still to be acknowledged.
 *
 * Context: flow lock held.
 */
void uet_msg_fail(struct uet_pdc *pdc, struct uet_txmsg *msg, int error,
		  u8 source, u16 code)
{
	lockdep_assert_held(&pdc->tx->flow->lock);
	if (msg->state == UET_TXMSG_FAILED || msg->state == UET_TXMSG_DONE)
		return;
	if (msg->again) {
		/* Withdrawn by us, to begin again: it is reported. */
		msg->again = false;
		msg->withdrawn = false;
	}
	uet_txmsg_done(msg, error, source, code);
	uet_msg_stop(pdc, msg);
	msg->state = UET_TXMSG_FAILED;
}

static int uet_rc_errno(u8 code)
{
	switch (code) {
	case UET_RC_BAD_JOB_ID:
	case UET_RC_PERM_VIOLATION:
		return -EACCES;
	case UET_RC_BAD_PID:
	case UET_RC_BAD_INDEX:
		return -ECONNREFUSED;
	case UET_RC_UNSUPPORTED_OP:
	case UET_RC_UNSUPPORTED_SIZE:
		return -EOPNOTSUPP;
	case UET_RC_TOO_LONG:
		return -EMSGSIZE;
	default:
		return -EREMOTEIO;
	}
}

/* The response that an ACK carries for the packet it names */
static void uet_pdc_response(struct uet_pdc *pdc, const struct uet_pkt *pkt)
{
	const struct uet_ses_rsp *rsp = &pkt->rsp;
	struct uet_txwin *win = &pdc->tx->win;
	struct uet_txmsg *msg;

	if (rsp->code == UET_RC_OK || rsp->code == UET_RC_NULL ||
	    !uet_txwin_has(win, pkt->ack.ack_psn))
		return;
	msg = pdc->tx->pkts[uet_txwin_index(win, pkt->ack.ack_psn)].msg;
	if (!msg || msg->msg_id != rsp->msg_id)
		return;
	if (rsp->code == UET_RC_NO_MATCH || rsp->code == UET_RC_DISABLED_GEN)
		uet_msg_again(pdc, msg, rsp->code);
	else if (rsp->code == UET_RC_BAD_GENERATION)
		uet_msg_regenerate(pdc, msg, rsp->generation);
	else
		uet_msg_fail(pdc, msg, -uet_rc_errno(rsp->code), UET_REPORT_SES,
			     rsp->code);
}

/*
 * Something arrived on a PDC with messages of closed sockets. Only what was not
 * known to be there says that a message gets on: one that is refused by NO_MATCH
 * begins again as often as it likes.
 */
static void uet_msg_advance(const struct uet_txpkt *p, u64 now)
{
	struct uet_txmsg *msg = p->msg;

	if (p->off + p->len <= msg->best)
		return;
	msg->best = p->off + p->len;
	msg->dest->progress = now;
}

/* A packet above CACK was answered. */
static void uet_pdc_answered(struct uet_pdc *pdc, u32 psn, u64 now)
{
	struct uet_txwin *win = &pdc->tx->win;
	const struct uet_txpkt *p = &pdc->tx->pkts[uet_txwin_index(win, psn)];

	if (!p->msg)
		return;
	if (pdc->tx->orphan_at)
		uet_msg_advance(p, now);
	uet_hole_arrived(pdc->tx->flow, p->len);
}

/* Per packet work of a CACK: give data back, finish messages. */
static void uet_pdc_covered(struct uet_pdc *pdc, u32 psn, u32 n, u64 now)
{
	struct uet_pdc_tx *tx = pdc->tx;

	for (; n; n--, psn++) {
		struct uet_txpkt *p = &tx->pkts[uet_txwin_index(&tx->win, psn)];
		struct uet_txmsg *msg = p->msg;

		if (!msg)
			continue;
		if (unlikely(tx->orphan_at))
			uet_msg_advance(p, now);
		if (unlikely(tx->flow->hole.since))
			uet_hole_arrived(tx->flow, p->len);
		p->msg = NULL;
		if (msg->streamed && !msg->again)
			uet_txmsg_release(msg, p->off + p->len);
		if (msg->last_psn == psn && msg->all_sent)
			uet_msg_covered(pdc, msg, now);
	}
}

/**
 * uet_pdc_learn() - the PDCID that an answer names
 * @pdc: initiator PDC
 * @spdcid: PDCID of the target
 *
 * With the first answer the PDC is established (wire.md 8.2).
 *
 * Context: flow lock held.
 * Return: true if it is the one of our target.
 */
bool uet_pdc_learn(struct uet_pdc *pdc, u16 spdcid)
{
	lockdep_assert_held(&pdc->tx->flow->lock);
	if (pdc->remote_id == spdcid)
		return true;
	if (pdc->tx->state != UET_PDC_SYN || !spdcid)
		return false;
	pdc->remote_id = spdcid;
	pdc->tx->state = UET_PDC_ESTABLISHED;
	return true;
}

/*
 * An answer told a round trip time. Not before does the back-off of the timeout
 * end (Karn's second rule): where it is too short, each packet is sent again,
 * and answers to packets that were, or may have been, tell nothing.
 */
static void uet_pdc_timed(struct uet_pdc_tx *tx)
{
	tx->backoff = 0;
	tx->ambiguous = false;
}

static void uet_pdc_progress(struct uet_pdc *pdc, u64 now)
{
	struct uet_pdc_tx *tx = pdc->tx;

	tx->retries = 0;
	tx->ambiguous |= tx->backoff;
	tx->probes = 0;
	tx->nack_e = 0;
	tx->rto_at = uet_txwin_outstanding(&tx->win) ||
		     uet_txwin_waits_for_cack(&tx->win) ?
		     now + uet_pdc_rto(pdc) : 0;
}

/* A packet that left then has arrived: others may be missing now. */
static void uet_pdc_rack(struct uet_pdc_tx *tx, u64 sent, u64 now)
{
	if (sent < tx->rack || now < sent)
		return;
	tx->rack = sent;
	tx->rack_rtt = min_t(u64, now - sent, U32_MAX);
}

/* An ACK that answers our PROBE: what left before it and is missing is lost */
static void uet_pdc_probe_answer(struct uet_pdc *pdc, const struct uet_pkt *pkt,
				 u64 now)
{
	struct uet_pdc_tx *tx = pdc->tx;
	struct uet_ccc *ccc = &tx->flow->ccc;
	u64 service, rtt, sent = tx->probe_tx;
	struct uet_tx_scan scan;
	u32 psn;

	uet_habit_set_probes(&pdc->peer->habits, UET_PROBES_ANSWERED);
	if (pkt->ack.probe_opaque == UET_PROBE_RTT) {
		uet_rtt_probe_answer(pdc, pkt, now);
		return;
	}
	if (pkt->ack.probe_opaque == UET_PROBE_HABIT) {
		tx->asked = false;
		return;
	}
	if (!sent || pkt->ack.probe_opaque != tx->probe_id)
		return;
	tx->probe_tx = 0;
	tx->probe_at = 0;
	if (!uet_service_time_ns(pkt->ack.service_time, &service) ||
	    !uet_rtt_sample(sent, service, now, &rtt))
		return;
	if (!tx->flow->fixed_rtt) {
		uet_ccc_on_probe_rtt(ccc, now, rtt);
		uet_rtt_fall(tx->flow, uet_ccc_probe_base_rtt(ccc->params, rtt),
			     now);
	}
	uet_rtt_est_add(&ccc->rtt, rtt);
	uet_pdc_timed(tx);
	uet_pdc_rack(tx, sent, now);
	if (pdc->rod && tx->win.flight_pkts) {
		uet_txwin_scan(&tx->win, &scan, tx->win.una, tx->win.next,
			       sent);
		if (uet_txwin_scan_next(&tx->win, &scan, &psn))
			uet_pdc_go_back(pdc, psn, UET_LOSS_PROBE, now);
		return;
	}
	/* It queued as data does, but on one of several paths. */
	tx->probed = sent;
}

static void uet_pdc_ooo_evidence(struct uet_pdc *pdc, u16 ooo, u64 now)
{
	struct uet_pdc_tx *tx = pdc->tx;
	const struct uet_ccc *ccc = &tx->flow->ccc;
	u32 size = ccc->params->mtu, threshold;
	u64 cwnd = uet_ccc_window(ccc);
	struct uet_tx_scan scan;
	u32 psn;

	if (pdc->rod || ccc->params->trimming)
		return;
	threshold = uet_txwin_ooo_threshold(cwnd, ccc->params->max_wnd, size);
	if (!uet_txwin_ooo(&tx->win, ooo, threshold, div_u64(cwnd, size) + 1,
			   &scan))
		return;
	scan.before = now - uet_pdc_loss_age(pdc);
	while (uet_txwin_scan_next(&tx->win, &scan, &psn)) {
		uet_pdc_lost(pdc, psn, UET_LOSS_OOO, now);
		UET_INC(pdc->un, RETX_OOO);
	}
	uet_txwin_ooo_done(&tx->win, &scan);
}

/**
 * uet_pdc_sent_at() - when was the packet sent that an answer names?
 * @pdc: initiator PDC
 * @psn: the packet
 * @retx: the answer is to a retransmission
 * @sent: result
 *
 * Context: flow lock held.
 * Return: false if it tells no round trip time.
 */
bool uet_pdc_sent_at(const struct uet_pdc *pdc, u32 psn, bool retx,
		     struct uet_pdc_sent *sent)
{
	const struct uet_flow *flow = pdc->tx->flow;
	const struct uet_txwin *win = &pdc->tx->win;
	const struct uet_txpkt *p;

	lockdep_assert_held(&pdc->tx->flow->lock);
	sent->valid = uet_txwin_rtt(win, psn, retx, &sent->at);
	if (!sent->valid)
		return false;
	p = &pdc->tx->pkts[uet_txwin_index(win, psn)];
	sent->wait = uet_wait_unpack(p->wait);
	sent->brief = uet_txwin_slot(win, psn)->size < flow->params.mtu / 2;
	return true;
}

/**
 * uet_pdc_sample() - round trip time of an answer
 * @pdc: initiator PDC
 * @sent: when the packet left
 * @service: time that the target took, ns
 * @now: time, ns
 * @rtt: result, ns
 *
 * A packet that waited in our port left at an estimated time, which may be too
 * late where the port is faster than it says: no base RTT comes from that. All the
 * time since the port got it is none too short, though. Without it a context that
 * always fills its port would never see that its path became shorter.
 *
 * Context: flow lock held.
 * Return: false if there is none.
 */
bool uet_pdc_sample(const struct uet_pdc *pdc, const struct uet_pdc_sent *sent,
		    u64 service, u64 now, u64 *rtt)
{
	u64 base_rtt = pdc->tx->flow->ccc.base_rtt;
	u64 whole;
	bool ok;

	lockdep_assert_held(&pdc->tx->flow->lock);
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
 * A retransmission arrived. A duplicate has NULL for an answer (wire.md 9.6):
 * the packet had only been late.
 */
static void uet_pdc_retx_arrived(struct uet_pdc *pdc, const struct uet_pkt *pkt,
				 u64 now)
{
	struct uet_flow *flow = pdc->tx->flow;

	if (!uet_pkt_has_ses_rsp(pkt))
		return;
	if (pkt->rsp.code != UET_RC_NULL) {
		uet_reorder_repaired(&flow->reorder);
		return;
	}
	UET_INC(pdc->un, TX_NEEDLESS);
	uet_reorder_needless(&flow->reorder, now,
			     uet_rtt_est_ns(&flow->ccc.rtt));
}

/* Congestion control's view of an ACK */
static void uet_pdc_ack_cc(struct uet_pdc *pdc, const struct uet_rx_ctx *rx,
			   const struct uet_tx_acked *sum,
			   const struct uet_pdc_sent *sent, u64 now)
{
	const struct uet_ack *a = &rx->pkt->ack;
	struct uet_txwin *win = &pdc->tx->win;
	struct uet_ccc *ccc = &pdc->tx->flow->ccc;
	struct uet_ccc_ack ack = {
		.now			= now,
		.newly_acked_pkts	= sum->pkts,
		.unmarked_pkts		= sum->unmarked_pkts,
		.unmarked_bytes		= sum->unmarked_bytes,
		.ev			= rx->ev,
		.m			= rx->pkt->flags & UET_F_ECN,
		.pend			= a->pend,
		.restore		= a->rc,
	};
	u64 service;

	if (uet_service_time_ns(a->service_time, &service))
		ack.rtt_valid = uet_pdc_sample(pdc, sent, service, now,
					       &ack.rtt);
	ack.rtt_short = sent->brief;
	if (a->cc_type == UET_CC_NSCC)
		ack.newly_rcvd_bytes = uet_txwin_release_rcvd(win,
							      a->rcvd_bytes);
	else
		ack.newly_rcvd_bytes =
			uet_txwin_release_plain(win, sum->bytes +
						sum->unmarked_bytes);
	if (a->cc_type == UET_CC_CREDIT)
		uet_cc_credit(pdc->tx->flow, now, a->credit);
	if (unlikely(a->pend))
		UET_INC(pdc->un, RX_PENALTIES);
	if (!ccc->sprayed)
		ack.siblings = uet_path_siblings(pdc->tx->flow, ack.m, now);
	trace_uet_path_signal(pdc->tx->flow, ack.ev,
			      ack.m ? UET_LB_ECN : UET_LB_NO_ECN, ack.rtt);
	uet_cc_ack(pdc->tx->flow, &ack);
	if (unlikely(pdc->tx->flow->far.on) && ack.rtt_valid && !ack.rtt_short)
		uet_rtt_far(pdc->tx->flow, ack.rtt, now);
	if (unlikely(ccc->did & UET_CC_DID_BASE_RTT))
		uet_rtt_learned(pdc->tx->flow);
	if (ack.rtt_valid && !ack.rtt_short &&
	    unlikely(!uet_fall_quiet(&pdc->tx->flow->fall,
				     pdc->tx->flow->params.base_rtt, ack.rtt)))
		uet_rtt_fall(pdc->tx->flow, ack.rtt, now);
	if (ack.rtt_valid && !ack.rtt_short &&
	    unlikely(!uet_rise_quiet(&pdc->tx->flow->rise, ccc, ack.rtt)))
		uet_rtt_rise(pdc->tx->flow, ack.rtt, ack.m, now);
}

/* The bookkeeping of an ACK; false if it is none of ours. */
static bool uet_pdc_ack_locked(struct uet_pdc *pdc, struct uet_rx_ctx *rx)
{
	const struct uet_pkt *pkt = rx->pkt;
	const struct uet_ack *a = &pkt->ack;
	struct uet_pdc_tx *tx = pdc->tx;
	struct uet_tx_acked sum = {};
	bool probe = pkt->flags & UET_F_PROBE;
	struct uet_pdc_sent sent = {};
	u32 una = tx->win.una, psns;
	u64 now;

	if (pdc->tx->state == UET_PDC_DEAD ||
	    psn_after(a->cack_psn, tx->win.next - 1))
		return false;
	/* The first answer is believed if it names a packet we sent. */
	if (pdc->tx->state == UET_PDC_SYN && !uet_txwin_has(&tx->win, a->ack_psn))
		return false;
	if (!uet_pdc_learn(pdc, pkt->spdcid))
		return false;
	now = ktime_get_ns();
	if (!probe)
		uet_pdc_sent_at(pdc, a->ack_psn, pkt->flags & UET_F_RETX,
				&sent);
	tx->heard = now;
	if (sent.valid) {
		uet_pdc_timed(tx);
		uet_pdc_rack(tx, sent.at, now);
	}
	if (uet_txwin_cack(&tx->win, a->cack_psn, &sum) == UET_CACK_NEW)
		uet_pdc_covered(pdc, una, sum.psns, now);
	if (a->sack_bitmap)
		uet_txwin_sack(&tx->win, a->sack_base, a->sack_bitmap, &sum);
	if (!probe) {
		if (uet_txwin_answer(&tx->win, a->ack_psn, &sum) &&
		    unlikely(tx->orphan_at || tx->flow->hole.since))
			uet_pdc_answered(pdc, a->ack_psn, now);
		if (uet_pkt_has_ses_rsp(pkt))
			uet_pdc_response(pdc, pkt);
		psns = sum.psns;
		if (unlikely(uet_txwin_settle(&tx->win, &sum)))
			uet_pdc_covered(pdc, una + psns, sum.psns - psns, now);
		if (unlikely(pkt->flags & UET_F_RETX))
			uet_pdc_retx_arrived(pdc, pkt, now);
	}
	uet_txwin_mpr(&tx->win, a->cack_psn, a->mpr);
	if (tx->mpr_since && uet_txwin_allowed(&tx->win)) {
		tx->flow->mpr_ns += now - tx->mpr_since;
		tx->mpr_since = 0;
	}
	uet_pdc_ack_cc(pdc, rx, &sum, &sent, now);
	if (sum.psns || sum.pkts || sum.unmarked_pkts)
		uet_pdc_progress(pdc, now);
	if (probe)
		uet_pdc_probe_answer(pdc, pkt, now);
	uet_pdc_overtaken(pdc, now);
	uet_pdc_ooo_evidence(pdc, a->ooo_count, now);
	if (!list_empty(&tx->holds))
		uet_pdc_hold_acked(pdc, now);
	if ((pkt->flags & UET_F_REQ_MASK) == UET_F_REQ_CLEAR && !tx->clear_at)
		tx->clear_at = now + (u64)NSEC_PER_USEC *
			       READ_ONCE(pdc->un->sysctl.clear_time_us);
	if ((pkt->flags & UET_F_REQ_MASK) == UET_F_REQ_CLOSE && pdc->initiator &&
	    pdc->tx->state == UET_PDC_ESTABLISHED)
		pdc->tx->state = UET_PDC_QUIESCE;
	uet_pdc_tx_rearm(pdc, now);
	return true;
}

/**
 * uet_pdc_tx_rearm() - after feedback: timers, and what may be sent now
 * @pdc: initiator PDC
 * @now: time, ns
 *
 * Context: flow lock held.
 */
void uet_pdc_tx_rearm(struct uet_pdc *pdc, u64 now)
{
	struct uet_pdc_tx *tx = pdc->tx;

	lockdep_assert_held(&pdc->tx->flow->lock);
	if (pdc->tx->state == UET_PDC_CLOSING &&
	    !uet_txwin_outstanding(&tx->win) && pdc->initiator) {
		/* A target waits for CLOSE_CMD, which ends both halves. */
		uet_pdc_fail(pdc, 0, 0, 0);
		return;
	}
	if (!uet_txwin_outstanding(&tx->win)) {
		tx->probe_at = 0;
		tx->probe_tx = 0;
		tx->loss_at = 0;
	} else if (!tx->probe_tx && tx->win.flight_pkts) {
		/*
		 * The window fell below what is in flight, and the target
		 * counts towards an answer that no packet will complete.
		 */
		if (tx->flow->ccc.blocked & UET_CC_BLOCK_WINDOW &&
		    !tx->probes && !uet_pdc_answer_due(pdc)) {
			tx->probe_at = now;
			tx->probe_slack = 0;
		} else {
			tx->probe_at = now + uet_pdc_probe_interval(pdc);
		}
	}
	if (tx->rto_at)
		uet_pdc_arm(pdc, tx->rto_at, now);
	if (tx->probe_at)
		uet_pdc_arm(pdc, uet_pdc_probe_timer(pdc), now);
	if (tx->clear_at)
		uet_pdc_arm(pdc, tx->clear_at, now);
	if (pdc->tx->state == UET_PDC_QUIESCE && !tx->nr_msgs)
		uet_pdc_arm(pdc, now, now);
	else if (pdc->initiator)
		uet_pdc_arm(pdc, max_t(u64, tx->idle_at, now + NSEC_PER_SEC),
			    now);
	if (tx->win.nr_marked || !list_empty(&tx->active))
		uet_pdc_tx_ready(pdc);
	if (!list_empty(&tx->flow->ready) &&
	    (tx->flow->ccc.state == UET_CCC_READY || tx->win.nr_marked))
		uet_flow_queue(tx->flow);
}

/**
 * uet_pdc_ack() - an ACK for an initiator PDC
 * @pdc: initiator PDC, named by dpdcid, peer's address verified
 * @rx: the packet
 *
 * Context: softirq.
 */
void uet_pdc_ack(struct uet_pdc *pdc, struct uet_rx_ctx *rx)
{
	struct uet_flow *flow = pdc->tx->flow;
	struct sk_buff *probe = NULL;
	bool known = uet_habit_answers_probes(&pdc->peer->habits);

	spin_lock(&flow->lock);
	if (!uet_pdc_ack_locked(pdc, rx))
		UET_DROP(rx, DROP_ACK);
	else if (unlikely(!flow->ccc.base_known || !known))
		probe = uet_rtt_probe(pdc, rx->ev) ?:
			uet_habit_probe(pdc, rx->ev);
	spin_unlock(&flow->lock);
	if (unlikely(probe))
		uet_output_one(pdc->peer, probe);
}
