// SPDX-License-Identifier: GPL-2.0
/*
 * What the timer finds due: retransmission timeout, tail probe, SACK evidence
 * that grew old, clears, and on the receiving side clear requests and vanished
 * initiators (wire.md 8 and 9, cc.md 7).
 */
#include <linux/ktime.h>

#include "core/loss.h"
#include "encap.h"
#include "flow.h"
#include "mib.h"
#include "pdc.h"
#include "peer.h"
#include "txmsg.h"

/* A transmission that failed for memory is tried again after this */
#define UET_NOMEM_RETRY_NS	(2 * NSEC_PER_MSEC)
/* CLEAR_REQ after 8 clear times, doubling up to a second (wire.md 9.4) */
#define UET_CLEAR_REQ_TIMES	8
#define UET_CLEAR_REQ_MAX_NS	NSEC_PER_SEC
/* Tail probes double their distance up to this power */
#define UET_PROBE_BACKOFF_MAX	12

static u64 uet_pdc_rto_max(const struct uet_pdc *pdc)
{
	return (u64)READ_ONCE(pdc->un->sysctl.rto_max_ms) * NSEC_PER_MSEC;
}

/*
 * Round trip that an answer may take while nothing is wrong: the smoothed one
 * and four deviations, since the paths of one context queue differently.
 */
static u64 uet_pdc_patience(const struct uet_pdc *pdc)
{
	const struct uet_ccc *ccc = &pdc->tx.flow->ccc;

	return max(ccc->base_rtt, uet_rtt_est_ns(&ccc->rtt) + ccc->rtt.var);
}

/**
 * uet_pdc_rto() - current retransmission timeout
 * @pdc: initiator PDC
 *
 * Return: interval in ns, back-off included.
 */
u64 uet_pdc_rto(const struct uet_pdc *pdc)
{
	const struct uet_ccc *ccc = &pdc->tx.flow->ccc;
	u64 min_ns = (u64)READ_ONCE(pdc->un->sysctl.rto_min_us) *
		     NSEC_PER_USEC;
	u64 max_ns = uet_pdc_rto_max(pdc);
	u64 rto;

	rto = uet_rto_init_ns(ccc->params, &ccc->rtt, min_ns, max_ns);
	/* The last resort: twice what an answer may take. */
	rto = clamp(2 * uet_pdc_patience(pdc), rto, max(rto, max_ns));
	return uet_rto_backoff_ns(rto, pdc->tx.retries, max_ns);
}

/**
 * uet_pdc_loss_age() - age at which a missing packet is lost, not late
 * @pdc: initiator PDC
 *
 * Return: ns since its last transmission (cc.md 7.3).
 */
u64 uet_pdc_loss_age(const struct uet_pdc *pdc)
{
	return uet_sack_loss_age_ns(uet_pdc_patience(pdc),
				    pdc->tx.flow->ccc.params->target);
}

/**
 * uet_pdc_probe_interval() - time after which silence is worth a probe
 * @pdc: initiator PDC
 *
 * Return: interval in ns.
 */
u64 uet_pdc_probe_interval(const struct uet_pdc *pdc)
{
	const struct uet_ccc *ccc = &pdc->tx.flow->ccc;
	u64 rtt = uet_pdc_patience(pdc);

	/* Probes that bring nothing new become rare. */
	return min(uet_tail_probe_ns(rtt, ccc->params->target, ccc->backlog,
				     pdc->tx.probes) <<
		   min_t(u8, pdc->tx.probes, UET_PROBE_BACKOFF_MAX),
		   uet_pdc_rto_max(pdc));
}

/**
 * uet_pdc_nomem() - a packet could not be built: try again soon
 * @pdc: initiator PDC
 * @now: time, ns
 *
 * Context: flow lock held.
 */
void uet_pdc_nomem(struct uet_pdc *pdc, u64 now)
{
	pdc->tx.loss_at = now + UET_NOMEM_RETRY_NS;
	uet_pdc_arm(pdc, pdc->tx.loss_at, now);
}

/* Retries used up, and nothing came from the peer for a long time */
static bool uet_pdc_gave_up(const struct uet_pdc *pdc, u64 now)
{
	const struct uet_sysctl *s = &pdc->un->sysctl;
	u64 silence = (u64)READ_ONCE(s->peer_timeout_s) * NSEC_PER_SEC;

	return pdc->tx.retries >= READ_ONCE(s->max_rto_retx) &&
	       now - pdc->tx.heard >= silence;
}

static void uet_pdc_ask_ack(struct uet_pdc *pdc, struct sk_buff_head *list,
			    u32 psn, u64 now)
{
	struct uet_tx_slot *slot = uet_txwin_slot(&pdc->tx.win, psn);
	const struct uet_txpkt *p;
	struct uet_cp cp = { .psn = psn };

	p = &pdc->tx.pkts[uet_txwin_index(&pdc->tx.win, psn)];
	if (p->msg)
		cp.payload = p->msg->msg_id;
	if (!uet_cp_queue(pdc, list, &cp, UET_CTL_ACK_REQ, UET_F_AR, slot->ev))
		uet_txwin_touch(&pdc->tx.win, psn, now);
}

/*
 * Nothing is in flight or unanswered, but CACK has not passed all of it: it
 * waits below a response that was cleared since. Ask until it moves.
 */
static void uet_pdc_stuck_cack(struct uet_pdc *pdc, struct sk_buff_head *list,
			       u64 now)
{
	struct uet_pdc_tx *tx = &pdc->tx;

	if (!uet_txwin_outstanding(&tx->win) || tx->win.nr_marked) {
		tx->rto_at = 0;
		return;
	}
	if (uet_pdc_gave_up(pdc, now)) {
		uet_pdc_fail(pdc, tx->soft_err ?: ETIMEDOUT, UET_REPORT_LOCAL,
			     0);
		return;
	}
	uet_pdc_ask_ack(pdc, list, tx->win.una, now);
	if (tx->retries < U8_MAX)
		tx->retries++;
	tx->rto_at = now + uet_pdc_rto(pdc);
}

/*
 * A timeout alone says little: a first window may queue longer in this host
 * than any round trip measured so far. So it is the oldest packet that goes
 * again, and those that a later one has overtaken; an answer, or that of the
 * tail probe, tells of the others.
 */
static void uet_pdc_timed_out(struct uet_pdc *pdc, u32 oldest, u64 before,
			      u64 now)
{
	struct uet_pdc_tx *tx = &pdc->tx;
	struct uet_tx_scan scan;
	u32 psn;

	uet_txwin_scan(&tx->win, &scan, tx->win.una, tx->win.next,
		       min(before, tx->rack));
	while (uet_txwin_scan_next(&tx->win, &scan, &psn)) {
		uet_pdc_lost(pdc, psn, UET_LOSS_RTO, now);
		UET_INC(pdc->un, RETX_RTO);
	}
	if (!uet_txwin_is_sacked(&tx->win, oldest) &&
	    !uet_txwin_is_marked(&tx->win, oldest)) {
		uet_pdc_lost(pdc, oldest, UET_LOSS_RTO, now);
		UET_INC(pdc->un, RETX_RTO);
	}
}

/*
 * RTO (UE 1.0 3.5.12). A packet that is only SACKed is asked for, not sent
 * again.
 */
static void uet_pdc_timeout(struct uet_pdc *pdc, struct sk_buff_head *list,
			    u64 now)
{
	struct uet_pdc_tx *tx = &pdc->tx;
	u64 rto = uet_pdc_rto(pdc), oldest;
	u32 psn;

	if (!uet_txwin_oldest(&tx->win, &psn, &oldest)) {
		uet_pdc_stuck_cack(pdc, list, now);
		return;
	}
	/* A probe behind the data must have had its time as well. */
	if (tx->probe_tx)
		oldest = max(oldest, tx->probe_first);
	if (now < oldest + rto) {
		tx->rto_at = oldest + rto;
		return;
	}
	if (uet_pdc_gave_up(pdc, now)) {
		uet_pdc_fail(pdc, tx->soft_err ?: ETIMEDOUT, UET_REPORT_LOCAL,
			     0);
		return;
	}
	UET_INC(pdc->un, RTO_FIRED);
	if (pdc->rod) {
		if (!uet_txwin_is_sacked(&tx->win, psn))
			uet_pdc_go_back(pdc, psn, UET_LOSS_RTO, now);
	} else {
		uet_pdc_timed_out(pdc, psn, now - rto, now);
	}
	if (uet_txwin_next_unanswered(&tx->win, tx->win.una, now - rto, &psn))
		uet_pdc_ask_ack(pdc, list, psn, now);
	if (tx->retries < U8_MAX)
		tx->retries++;
	tx->rto_at = now + uet_pdc_rto(pdc);
	uet_pdc_tx_ready(pdc);
}

/*
 * Tail probe: where does the receiver stand? It travels as data, not in the
 * class of control packets, which overtakes: data sent before it may still
 * queue in this host or the fabric then, and its answer would mean nothing.
 */
static void uet_pdc_probe(struct uet_pdc *pdc, struct sk_buff_head *list,
			  u64 now)
{
	struct uet_pdc_tx *tx = &pdc->tx;
	struct uet_cp cp = {
		.payload	= tx->win.una,
		.probe_opaque	= ++tx->probe_id,
	};

	tx->probe_at = 0;
	if (!tx->win.flight_pkts)
		return;		/* all of it is known to be missing or held */
	if (pdc->state == UET_PDC_SYN)
		return;		/* a probe opens no PDC */
	if (uet_cp_queue(pdc, list, &cp, UET_CTL_PROBE, UET_F_AR,
			 uet_txwin_slot(&tx->win, tx->win.una)->ev))
		return;
	UET_TXMETA(skb_peek_tail(list))->dsfield = pdc->tclass << 2 | UET_ECT0;
	UET_INC(pdc->un, PROBES);
	if (!tx->probe_tx)
		tx->probe_first = now;
	tx->probe_tx = now;
	if (tx->probes < U8_MAX)
		tx->probes++;
	tx->probe_at = now + uet_pdc_probe_interval(pdc);
}

/**
 * uet_pdc_sack_evidence() - declare lost what SACKs passed long ago
 * @pdc: initiator PDC
 * @now: time, ns
 *
 * cc.md 7.3; not where switches trim, and not on an ordered PDC, whose target
 * keeps nothing out of order.
 *
 * Context: flow lock held.
 */
void uet_pdc_sack_evidence(struct uet_pdc *pdc, u64 now)
{
	struct uet_pdc_tx *tx = &pdc->tx;
	const struct uet_ccc *ccc = &tx->flow->ccc;
	struct uet_tx_scan scan;
	u64 age;
	u32 psn;

	tx->loss_at = 0;
	if (pdc->rod || ccc->params->trimming || !tx->win.nr_sacked)
		return;
	age = uet_pdc_loss_age(pdc);
	uet_txwin_scan_sacked(&tx->win, &scan, now - age);
	while (uet_txwin_scan_next(&tx->win, &scan, &psn)) {
		uet_pdc_lost(pdc, psn, UET_LOSS_SACK, now);
		UET_INC(pdc->un, RETX_SACK);
	}
	if (tx->win.flight_pkts) {
		tx->loss_at = now + age / 4;
		uet_pdc_arm(pdc, tx->loss_at, now);
	}
}

static void uet_pdc_clear(struct uet_pdc *pdc, struct sk_buff_head *list)
{
	struct uet_pdc_tx *tx = &pdc->tx;
	struct uet_cp cp = { .payload = tx->win.clear_psn };

	tx->clear_at = 0;
	if (tx->clear_sent == tx->win.clear_psn)
		return;
	if (!uet_cp_queue(pdc, list, &cp, UET_CTL_CLEAR_CMD, 0,
			  tx->flow->ccc.run_ev))
		tx->clear_sent = tx->win.clear_psn;
}

/**
 * uet_pdc_tx_expire() - deal with the deadlines of the sending half
 * @pdc: initiator PDC
 * @list: packets to send are added here
 * @now: time, ns
 *
 * Context: softirq, flow lock held.
 */
void uet_pdc_tx_expire(struct uet_pdc *pdc, struct sk_buff_head *list, u64 now)
{
	struct uet_pdc_tx *tx = &pdc->tx;

	if (tx->clear_at && now >= tx->clear_at)
		uet_pdc_clear(pdc, list);
	if (tx->hold_at && now >= tx->hold_at)
		uet_pdc_hold_expire(pdc, now);
	if (tx->loss_at && now >= tx->loss_at) {
		uet_pdc_sack_evidence(pdc, now);
		uet_pdc_tx_ready(pdc);
	}
	if (tx->probe_at && now >= tx->probe_at)
		uet_pdc_probe(pdc, list, now);
	if (tx->rto_at && now >= tx->rto_at)
		uet_pdc_timeout(pdc, list, now);
	if (pdc->state != UET_PDC_DEAD && !uet_txwin_outstanding(&tx->win) &&
	    tx->win.nslots && now >= tx->heard + NSEC_PER_SEC)
		uet_pdc_tx_shrink(pdc);
}

static u64 uet_pdc_rx_idle_ns(const struct uet_pdc *pdc)
{
	/* An initiator that vanished would hold its PDC here for ever. */
	return 2 * (u64)READ_ONCE(pdc->un->sysctl.pdc_idle_s) * NSEC_PER_SEC;
}

/* The initiator is silent: ask it to close, then close without it. */
static u64 uet_pdc_rx_idle(struct uet_pdc *pdc, struct sk_buff_head *list,
			   u64 now)
{
	struct uet_pdc_rx *rx = &pdc->rx;
	u64 close_ns = (u64)READ_ONCE(pdc->un->sysctl.close_req_time_ms) *
		       NSEC_PER_MSEC;
	u64 idle_ns = uet_pdc_rx_idle_ns(pdc);
	struct uet_cp cp = { .psn = rx->ret_psn };

	if (now - rx->heard < idle_ns)
		return rx->heard + idle_ns;
	if (!rx->close_req) {
		rx->close_req = true;
		rx->close_at = now + close_ns;
	} else if (now >= rx->close_at) {
		uet_pdc_rx_kill(pdc, ECONNRESET);
		return 0;
	}
	uet_cp_queue(pdc, list, &cp, UET_CTL_CLOSE_REQ,
		     UET_F_AR | (rx->close_tries ? UET_F_RETX : 0), 0);
	if (rx->close_tries < 8)
		rx->close_tries++;
	return min(rx->close_at,
		   now + ((u64)READ_ONCE(pdc->un->sysctl.rto_min_us) *
			  NSEC_PER_USEC << rx->close_tries));
}

/**
 * uet_pdc_rx_expire() - deal with the deadlines of the receiving half
 * @pdc: target PDC
 * @list: packets to send are added here
 * @now: time, ns
 *
 * Context: softirq, rx.lock held.
 * Return: next deadline in ns, 0 if there is none.
 */
u64 uet_pdc_rx_expire(struct uet_pdc *pdc, struct sk_buff_head *list, u64 now)
{
	struct uet_pdc_rx *rx = &pdc->rx;
	u64 at;

	if (pdc->state == UET_PDC_TIME_WAIT) {
		if (now < rx->close_at)
			return rx->close_at;
		uet_pdc_rx_kill(pdc, 0);
		return 0;
	}
	if (rx->clear_req_at && now >= rx->clear_req_at) {
		struct uet_cp cp = { .payload = rx->map.cack + 1 };

		rx->clear_req_at = 0;
		if (rx->nr_gtd) {
			uet_cp_queue(pdc, list, &cp, UET_CTL_CLEAR_REQ, 0, 0);
			rx->clear_req_gap = min_t(u64, rx->clear_req_gap * 2,
						  UET_CLEAR_REQ_MAX_NS);
			rx->clear_req_at = now + rx->clear_req_gap;
		}
	}
	at = uet_pdc_rx_idle(pdc, list, now);
	if (rx->clear_req_at && (!at || rx->clear_req_at < at))
		at = rx->clear_req_at;
	return pdc->state == UET_PDC_DEAD ? 0 : at;
}

/**
 * uet_pdc_want_clear() - a guaranteed response waits for its clear
 * @pdc: target PDC
 * @now: time, ns
 *
 * Context: rx.lock held.
 */
void uet_pdc_want_clear(struct uet_pdc *pdc, u64 now)
{
	pdc->rx.clear_req_gap = UET_CLEAR_REQ_TIMES *
		(u64)READ_ONCE(pdc->un->sysctl.clear_time_us) * NSEC_PER_USEC;
	pdc->rx.clear_req_at = now + pdc->rx.clear_req_gap;
	uet_pdc_arm(pdc, pdc->rx.clear_req_at, now);
}
