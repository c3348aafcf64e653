// SPDX-License-Identifier: GPL-2.0
/*
 * ACKs and NACKs at the source: scoreboard, congestion control, messages.
 */
#include <linux/ktime.h>

#include "core/loss.h"
#include "core/names.h"
#include "encap.h"
#include "flow.h"
#include "mib.h"
#include "pdc.h"
#include "pds.h"
#include "peer.h"
#include "txmsg.h"

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
	const struct uet_tx_slot *slot = uet_txwin_mark(&pdc->tx.win, psn);
	struct uet_ccc_loss loss = { .now = now, .how = how };

	if (!slot || slot->flags & UET_TX_CP)
		return;
	loss.size = slot->size;
	loss.ev = slot->ev;
	uet_ccc_on_inferred_loss(&pdc->tx.flow->ccc, &loss);
	if (unlikely(!list_empty(&pdc->tx.holds)))
		uet_pdc_hold_lost(pdc, psn);
}

/* A packet in flight was refused: out of flight, to be sent again. */
static void uet_pdc_refused(struct uet_pdc *pdc, u32 psn,
			    struct uet_ccc_nack *nack)
{
	const struct uet_tx_slot *slot = uet_txwin_mark(&pdc->tx.win, psn);

	if (!slot || slot->flags & UET_TX_CP)
		return;
	nack->size = slot->size;
	uet_ccc_on_nack(&pdc->tx.flow->ccc, nack);
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
	struct uet_txwin *win = &pdc->tx.win;
	struct uet_ccc_nack nack = {
		.now	= now,
		.reason	= UET_REFUSED_OTHER,
	};
	struct uet_tx_scan scan;
	u32 psn;

	uet_txwin_scan(win, &scan, win->una, win->next, U64_MAX);
	while (uet_txwin_scan_next(win, &scan, &psn)) {
		if (psn_before(psn, from) || psn == win->una) {
			uet_pdc_lost(pdc, psn, how, now);
		} else {
			nack.ev = uet_txwin_slot(win, psn)->ev;
			uet_pdc_refused(pdc, psn, &nack);
		}
		UET_INC(pdc->un, RETX_GBN);
	}
	uet_pdc_tx_ready(pdc);
}

/**
 * uet_msg_covered() - CACK covers the last packet of a message
 * @pdc: initiator PDC
 * @msg: the message, all sent; gone afterwards
 *
 * Context: flow lock held.
 */
void uet_msg_covered(struct uet_pdc *pdc, struct uet_txmsg *msg)
{
	struct uet_dest *dest = msg->dest;
	bool failed = msg->state == UET_TXMSG_FAILED;

	list_del(&msg->begun);
	list_del(&msg->node);
	if (msg->again && !failed) {
		uet_msg_requeue(pdc, msg);
		return;
	}
	msg->state = UET_TXMSG_DONE;
	if (!--dest->unfinished)
		uet_pdc_hold_clear(dest);
	pdc->tx.nr_msgs--;
	if (!failed)
		uet_txmsg_done(msg, 0, 0, 0);
	uet_txmsg_put(msg);
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
	if (msg->state == UET_TXMSG_FAILED || msg->state == UET_TXMSG_DONE)
		return;
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
	struct uet_txwin *win = &pdc->tx.win;
	struct uet_txmsg *msg;

	if (rsp->code == UET_RC_OK || rsp->code == UET_RC_NULL ||
	    !uet_txwin_has(win, pkt->ack.ack_psn))
		return;
	msg = pdc->tx.pkts[uet_txwin_index(win, pkt->ack.ack_psn)].msg;
	if (!msg || msg->msg_id != rsp->msg_id)
		return;
	if (rsp->code == UET_RC_NO_MATCH || rsp->code == UET_RC_DISABLED_GEN)
		uet_msg_again(pdc, msg, rsp->code);
	else
		uet_msg_fail(pdc, msg, -uet_rc_errno(rsp->code), UET_REPORT_SES,
			     rsp->code);
}

/* Per packet work of a CACK: give data back, finish messages. */
static void uet_pdc_covered(struct uet_pdc *pdc, u32 psn, u32 n)
{
	struct uet_pdc_tx *tx = &pdc->tx;

	for (; n; n--, psn++) {
		struct uet_txpkt *p = &tx->pkts[uet_txwin_index(&tx->win, psn)];
		struct uet_txmsg *msg = p->msg;

		if (!msg)
			continue;
		p->msg = NULL;
		if (msg->streamed)
			uet_txmsg_release(msg, p->off + p->len);
		if (msg->last_psn == psn && msg->all_sent)
			uet_msg_covered(pdc, msg);
	}
}

/* First answer of the target: the PDC is established (wire.md 8.2). */
static bool uet_pdc_learn(struct uet_pdc *pdc, u16 spdcid)
{
	if (pdc->remote_id == spdcid)
		return true;
	if (pdc->state != UET_PDC_SYN || !spdcid)
		return false;
	pdc->remote_id = spdcid;
	pdc->state = UET_PDC_ESTABLISHED;
	return true;
}

static void uet_pdc_progress(struct uet_pdc *pdc, u64 now)
{
	struct uet_pdc_tx *tx = &pdc->tx;

	tx->retries = 0;
	tx->probes = 0;
	tx->nack_e = 0;
	tx->rto_at = uet_txwin_outstanding(&tx->win) ?
		     now + uet_pdc_rto(pdc) : 0;
}

/* An ACK that answers our PROBE: what left before it and is missing is lost */
static void uet_pdc_probe_answer(struct uet_pdc *pdc, const struct uet_pkt *pkt,
				 u64 now)
{
	struct uet_pdc_tx *tx = &pdc->tx;
	struct uet_ccc *ccc = &tx->flow->ccc;
	u64 service, rtt, sent = tx->probe_tx;
	struct uet_tx_scan scan;
	u32 psn;

	if (!sent || pkt->ack.probe_opaque != tx->probe_id)
		return;
	tx->probe_tx = 0;
	tx->probe_at = 0;
	if (!uet_service_time_ns(pkt->ack.service_time, &service) ||
	    !uet_rtt_sample(sent, service, now, &rtt))
		return;
	uet_ccc_on_probe_rtt(ccc, now, rtt);
	uet_rtt_est_add(&ccc->rtt, rtt);
	tx->rack = max(tx->rack, sent);
	if (pdc->rod && tx->win.flight_pkts) {
		uet_txwin_scan(&tx->win, &scan, tx->win.una, tx->win.next,
			       sent);
		if (uet_txwin_scan_next(&tx->win, &scan, &psn))
			uet_pdc_go_back(pdc, psn, UET_LOSS_PROBE, now);
		return;
	}
	/* It queued as data does, but on one of several paths. */
	uet_txwin_scan(&tx->win, &scan, tx->win.una, tx->win.next,
		       min(sent, now - uet_pdc_loss_age(pdc)));
	while (uet_txwin_scan_next(&tx->win, &scan, &psn)) {
		uet_pdc_lost(pdc, psn, UET_LOSS_PROBE, now);
		UET_INC(pdc->un, RETX_PROBE);
	}
}

static void uet_pdc_ooo_evidence(struct uet_pdc *pdc, u16 ooo, u64 now)
{
	struct uet_pdc_tx *tx = &pdc->tx;
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

/* Congestion control's view of an ACK */
static void uet_pdc_ack_cc(struct uet_pdc *pdc, const struct uet_rx_ctx *rx,
			   const struct uet_tx_acked *sum, bool rtt_valid,
			   u64 tx_time, u64 now)
{
	const struct uet_ack *a = &rx->pkt->ack;
	struct uet_txwin *win = &pdc->tx.win;
	struct uet_ccc *ccc = &pdc->tx.flow->ccc;
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

	if (rtt_valid && uet_service_time_ns(a->service_time, &service))
		ack.rtt_valid = uet_rtt_sample(tx_time, service, now,
					       &ack.rtt);
	if (a->cc_type == UET_CC_NSCC)
		ack.newly_rcvd_bytes = uet_txwin_release_rcvd(win,
							      a->rcvd_bytes);
	else
		ack.newly_rcvd_bytes =
			uet_txwin_release_plain(win, sum->bytes +
						sum->unmarked_bytes);
	if (a->cc_type == UET_CC_CREDIT)
		uet_ccc_on_credit(ccc, now, a->credit);
	uet_ccc_on_ack(ccc, &ack);
}

/* The bookkeeping of an ACK; false if it is none of ours. */
static bool uet_pdc_ack_locked(struct uet_pdc *pdc, struct uet_rx_ctx *rx)
{
	const struct uet_pkt *pkt = rx->pkt;
	const struct uet_ack *a = &pkt->ack;
	struct uet_pdc_tx *tx = &pdc->tx;
	struct uet_tx_acked sum = {};
	bool probe = pkt->flags & UET_F_PROBE, rtt_valid;
	u32 una = tx->win.una;
	u64 tx_time = 0, now;

	if (pdc->state == UET_PDC_DEAD ||
	    psn_after(a->cack_psn, tx->win.next - 1))
		return false;
	/* The first answer is believed if it names a packet we sent. */
	if (pdc->state == UET_PDC_SYN && !uet_txwin_has(&tx->win, a->ack_psn))
		return false;
	if (!uet_pdc_learn(pdc, pkt->spdcid))
		return false;
	now = ktime_get_ns();
	rtt_valid = !probe && uet_txwin_rtt(&tx->win, a->ack_psn,
					    pkt->flags & UET_F_RETX, &tx_time);
	tx->heard = now;
	if (rtt_valid)
		tx->rack = max(tx->rack, tx_time);
	if (uet_txwin_cack(&tx->win, a->cack_psn, &sum) == UET_CACK_NEW)
		uet_pdc_covered(pdc, una, sum.psns);
	if (a->sack_bitmap)
		uet_txwin_sack(&tx->win, a->sack_base, a->sack_bitmap, &sum);
	if (!probe) {
		uet_txwin_answer(&tx->win, a->ack_psn, &sum);
		if (uet_pkt_has_ses_rsp(pkt))
			uet_pdc_response(pdc, pkt);
	}
	uet_txwin_mpr(&tx->win, a->cack_psn, a->mpr);
	uet_pdc_ack_cc(pdc, rx, &sum, rtt_valid, tx_time, now);
	if (sum.psns || sum.pkts || sum.unmarked_pkts)
		uet_pdc_progress(pdc, now);
	if (probe)
		uet_pdc_probe_answer(pdc, pkt, now);
	uet_pdc_sack_evidence(pdc, now);
	uet_pdc_ooo_evidence(pdc, a->ooo_count, now);
	if (!list_empty(&tx->holds))
		uet_pdc_hold_acked(pdc, now);
	if ((pkt->flags & UET_F_REQ_MASK) == UET_F_REQ_CLEAR && !tx->clear_at)
		tx->clear_at = now + (u64)NSEC_PER_USEC *
			       READ_ONCE(pdc->un->sysctl.clear_time_us);
	if ((pkt->flags & UET_F_REQ_MASK) == UET_F_REQ_CLOSE &&
	    pdc->state == UET_PDC_ESTABLISHED)
		pdc->state = UET_PDC_QUIESCE;
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
	struct uet_pdc_tx *tx = &pdc->tx;

	if (pdc->state == UET_PDC_CLOSING &&
	    !uet_txwin_outstanding(&tx->win)) {
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
		tx->probe_at = tx->flow->ccc.blocked & UET_CC_BLOCK_WINDOW &&
			       !uet_pdc_answer_due(pdc) ?
			       now : now + uet_pdc_probe_interval(pdc);
	}
	if (tx->rto_at)
		uet_pdc_arm(pdc, tx->rto_at, now);
	if (tx->probe_at)
		uet_pdc_arm(pdc, tx->probe_at, now);
	if (tx->clear_at)
		uet_pdc_arm(pdc, tx->clear_at, now);
	if (pdc->state == UET_PDC_QUIESCE && !tx->nr_msgs)
		uet_pdc_arm(pdc, now, now);
	else
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
	struct uet_flow *flow = pdc->tx.flow;

	UET_INC(rx->un, RX_ACKS);
	spin_lock(&flow->lock);
	if (!uet_pdc_ack_locked(pdc, rx))
		UET_INC(rx->un, DROP_ACK);
	spin_unlock(&flow->lock);
}

/* The target has no PDC for us: may what it never accepted go elsewhere? */
static void uet_pdc_nack_fatal(struct uet_pdc *pdc, const struct uet_pkt *pkt)
{
	u8 code = pkt->nack.code;

	/* wire.md N-5: CLOSE_CMD did its work, its ACK was lost. */
	if (pdc->state == UET_PDC_CLOSING && code == UET_NACK_INV_DPDCID) {
		uet_pdc_fail(pdc, 0, 0, 0);
		return;
	}
	pdc->movable = code == UET_NACK_INV_DPDCID ||
		       code == UET_NACK_PDC_HDR_MISMATCH ||
		       code == UET_NACK_CLOSING ||
		       code == UET_NACK_INVALID_SYN;
	uet_pdc_fail(pdc, ECONNRESET, UET_REPORT_NACK, code);
}

static void uet_pdc_nack_error(struct uet_pdc *pdc, u32 psn, u8 code)
{
	struct uet_pdc_tx *tx = &pdc->tx;

	if (tx->nack_e && tx->nack_e_psn != psn)
		tx->nack_e = 0;
	tx->nack_e_psn = psn;
	if (++tx->nack_e > READ_ONCE(pdc->un->sysctl.max_nack_retx))
		uet_pdc_fail(pdc, EREMOTEIO, UET_REPORT_NACK, code);
}

static u8 uet_nack_reason(u8 code)
{
	switch (code) {
	case UET_NACK_TRIMMED:
		return UET_REFUSED_TRIMMED;
	case UET_NACK_TRIMMED_LASTHOP:
		return UET_REFUSED_LASTHOP;
	default:
		return UET_REFUSED_OTHER;
	}
}

/* What becomes of the packet after it left flight */
static void uet_pdc_nack_action(struct uet_pdc *pdc, const struct uet_pkt *pkt,
				u64 now)
{
	u32 psn = pkt->nack.psn;

	switch (pkt->nack.code) {
	case UET_NACK_TRIMMED:
	case UET_NACK_TRIMMED_LASTHOP:
		UET_INC(pdc->un, RETX_TRIM);
		break;
	case UET_NACK_NO_PDC_AVAIL:
	case UET_NACK_NO_CCC_AVAIL:
	case UET_NACK_NO_BITMAP:
	case UET_NACK_NO_PKT_BUFFER:
	case UET_NACK_NO_GTD_DEL_AVAIL:
	case UET_NACK_NO_SES_MSG_AVAIL:
	case UET_NACK_NO_RESOURCE:
		uet_pdc_hold(pdc, psn, now);
		UET_INC(pdc->un, RETX_NACK);
		break;
	default:
		UET_INC(pdc->un, RETX_NACK);
		break;
	}
}

static bool uet_pdc_nack_locked(struct uet_pdc *pdc, struct uet_rx_ctx *rx)
{
	const struct uet_pkt *pkt = rx->pkt;
	struct uet_pdc_tx *tx = &pdc->tx;
	struct uet_ccc_nack nack = {
		.ev	= rx->ev,
		.m	= pkt->flags & UET_F_ECN,
		.reason	= uet_nack_reason(pkt->nack.code),
	};
	u32 psn = pkt->nack.psn;
	u8 code = pkt->nack.code;
	u64 tx_time, now;

	if (pdc->state == UET_PDC_DEAD)
		return false;
	if (pdc->state == UET_PDC_SYN && !uet_txwin_has(&tx->win, psn))
		return false;
	if (pkt->spdcid && !uet_pdc_learn(pdc, pkt->spdcid))
		return false;
	now = ktime_get_ns();
	if (!uet_txwin_has(&tx->win, psn)) {
		/* About a probe or Credit Request: they have no PSN. */
		if (code != UET_NACK_INV_DPDCID || psn ||
		    (!tx->probe_tx && !tx->flow->ccc.credit_reqs))
			return false;
		uet_pdc_nack_fatal(pdc, pkt);
		return true;
	}
	tx->heard = now;
	if (uet_nack_class(code) == UET_NACK_CLASS_FATAL) {
		uet_pdc_nack_fatal(pdc, pkt);
		return true;
	}
	if (uet_nack_class(code) == UET_NACK_CLASS_ERROR)
		uet_pdc_nack_error(pdc, psn, code);
	if (pdc->state == UET_PDC_DEAD)
		return true;
	if (code == UET_NACK_RCVR_INFER_LOSS &&
	    uet_txwin_is_held(&tx->win, psn)) {
		uet_pdc_hold_wake(pdc, psn, now);
		goto rearm;
	}
	if (code == UET_NACK_RCVD_SES_PROCG)
		return true;
	if (code == UET_NACK_ROD_OOO) {
		if (!pdc->rod || now < tx->gbn_until)
			return true;
		tx->gbn_until = now + tx->flow->ccc.base_rtt +
				tx->flow->ccc.params->target;
		uet_pdc_go_back(pdc, psn, UET_LOSS_GO_BACK, now);
		goto rearm;
	}
	if (uet_txwin_nack(&tx->win, psn, pkt->flags & UET_F_RETX) !=
	    UET_NACK_VALID)
		return true;
	if (uet_txwin_rtt(&tx->win, psn, pkt->flags & UET_F_RETX, &tx_time))
		nack.rtt_valid = uet_rtt_sample(tx_time, 0, now, &nack.rtt);
	nack.now = now;
	uet_pdc_refused(pdc, psn, &nack);
	uet_pdc_nack_action(pdc, pkt, now);
rearm:
	uet_pdc_tx_rearm(pdc, now);
	return true;
}

/**
 * uet_pdc_nack() - a NACK for an initiator PDC
 * @pdc: initiator PDC, named by dpdcid, peer's address verified
 * @rx: the packet
 *
 * Context: softirq.
 */
void uet_pdc_nack(struct uet_pdc *pdc, struct uet_rx_ctx *rx)
{
	struct uet_flow *flow = pdc->tx.flow;

	UET_INC(rx->un, RX_NACKS);
	spin_lock(&flow->lock);
	if (!uet_pdc_nack_locked(pdc, rx))
		UET_INC(rx->un, DROP_NACK);
	spin_unlock(&flow->lock);
}
