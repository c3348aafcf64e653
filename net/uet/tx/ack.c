// SPDX-License-Identifier: GPL-2.0
/*
 * ACKs at the source (UE 1.0 3.5.12): scoreboard, congestion control,
 * completion of messages.
 *
 * Not here: NACKs (tx/nack.c), timeouts (tx/expire.c).
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
 * uet_pdc_lost() - declare a packet in flight lost
 * @pdc: the PDC
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
 * uet_pdc_go_back() - resend from a gap on an ordered PDC (UE 1.0 3.5.12)
 * @pdc: the PDC
 * @from: first PSN that the target dropped
 * @how: loss class of the packets below @from
 * @now: time, ns
 *
 * Packets below @from are lost. The target dropped the others, which is no
 * congestion signal. A timeout passes the oldest PSN.
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
 * @pdc: the PDC
 * @msg: the message, all sent; invalid afterwards
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

/* Let MSG_ERROR tell the target that no more of a message follows. */
static void uet_msg_stop(struct uet_pdc *pdc, struct uet_txmsg *msg)
{
	if (msg->state == UET_TXMSG_SENT)
		return;
	msg->withdrawn = true;
	uet_dest_activate(msg->dest);
}

/**
 * uet_msg_fail() - fail a message that the target answered by an SES error
 * @pdc: the PDC
 * @msg: the message
 * @error: errno
 * @source: enum uet_report_source
 * @code: code of that source
 *
 * It is reported now and stays queued until its PSNs are acknowledged.
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
		/* Withdrawn for a resend, not by the sender: report it. */
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

/* The SES response that an ACK carries for its ACK_PSN */
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
 * Note progress on a PDC that has messages of closed sockets. Only bytes
 * beyond @best count, since NO_MATCH restarts a message from the beginning.
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

/* Per-packet work of a CACK: release data, complete messages. */
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
 * uet_pdc_learn() - check the target's PDCID in an answer, learn the first one
 * @pdc: the PDC
 * @spdcid: PDCID of the target
 *
 * The first answer establishes the PDC.
 *
 * Context: flow lock held.
 * Return: true if @spdcid is that of the PDC's target.
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
 * A valid RTT sample came, which alone ends the back-off of the RTO (Karn's
 * second rule): if the RTO is too short each packet is retransmitted, and
 * answers to retransmitted packets give no sample.
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

/* A packet sent at @sent has arrived: missing older ones may be lost. */
static void uet_pdc_rack(struct uet_pdc_tx *tx, u64 sent, u64 now)
{
	if (sent < tx->rack || now < sent)
		return;
	tx->rack = sent;
	tx->rack_rtt = min_t(u64, now - sent, U32_MAX);
}

/* An ACK answers a PROBE: packets sent before it and missing may be lost. */
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
	/* It queued with data, but on one path of several: age decides. */
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
 * uet_pdc_sent_at() - find the send time of the packet that an answer names
 * @pdc: the PDC
 * @psn: the packet
 * @retx: the answer is to a retransmission
 * @sent: result
 *
 * Context: flow lock held.
 * Return: false if the answer gives no RTT sample.
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
 * @pdc: the PDC
 * @sent: when the packet left
 * @service: service time at the target, ns
 * @now: time, ns
 * @rtt: result, ns
 *
 * If the packet waited in the local interface its send time is an estimate,
 * too late where the interface is faster than it reports: such a sample must
 * not lower the base RTT. The time since the handover to the interface is an
 * upper bound, though, and may lower it: otherwise a flow that always fills its
 * interface would never see its path become shorter.
 *
 * Context: flow lock held.
 * Return: false if there is no sample.
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
 * A retransmission arrived. Return code NULL says that it was a duplicate: the
 * original was late, not lost.
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

/* Feed an ACK to congestion control */
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

/* Process an ACK; false if it does not belong to the PDC. */
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
	/* Believe the first answer only if it names a packet that was sent. */
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
 * uet_pdc_tx_rearm() - after feedback: set timers, queue the flow
 * @pdc: the PDC
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
		/* A target instead waits for CLOSE_CMD. */
		uet_pdc_fail(pdc, 0, 0, 0);
		return;
	}
	if (!uet_txwin_outstanding(&tx->win)) {
		tx->probe_at = 0;
		tx->probe_tx = 0;
		tx->loss_at = 0;
	} else if (!tx->probe_tx && tx->win.flight_pkts) {
		/*
		 * cwnd < inflight, so no packet will follow to reach the
		 * target's threshold for an ACK: probe at once.
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
 * uet_pdc_ack() - process an ACK
 * @pdc: a PDC with a sending half, named by dpdcid, peer's address verified
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
