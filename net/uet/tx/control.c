// SPDX-License-Identifier: GPL-2.0
/*
 * Control packets in (wire.md 3.8, 8.3, 8.4, 9.7).
 */
#include <linux/ktime.h>

#include "link/encap.h"
#include "link/habits.h"
#include "link/peer.h"
#include "mib.h"
#include "pdc/credit.h"
#include "pdc/pdc.h"
#include "tx/cctrace.h"
#include "tx/flow.h"

/* TIME_WAIT of a target, at least (wire.md 8.3) */
#define UET_TIME_WAIT_NS	NSEC_PER_SEC

/* The initiator closes: CLOSE_CMD is an implicit clear of everything. */
static struct sk_buff *uet_close_cmd(struct uet_pdc *pdc, struct uet_rx_ctx *rx)
{
	struct uet_pdc_rx *r = &pdc->rx;
	u32 psn = rx->pkt->cp.psn;
	u64 now = ktime_get_ns();

	if (pdc->state == UET_PDC_TIME_WAIT) {
		if (psn != r->map.cack)
			return NULL;
		return uet_ack_make(pdc, rx, psn, 0, NULL);
	}
	uet_pdc_cleared(pdc, r->map.highest);
	if (psn != uet_rxmap_expected(&r->map)) {
		/* Something before it is missing: it comes again. */
		UET_INC(rx->un, DROP_STALE);
		return NULL;
	}
	uet_rxmap_set(&r->map, psn);
	uet_ses_drop_all(pdc, ECONNRESET);
	pdc->state = UET_PDC_TIME_WAIT;
	r->close_at = now + max_t(u64, UET_TIME_WAIT_NS,
				  2 * (u64)NSEC_PER_USEC *
				  READ_ONCE(pdc->un->sysctl.rto_min_us));
	uet_pdc_arm(pdc, r->close_at, now);
	return uet_ack_make(pdc, rx, psn, 0, NULL);
}

/* Was this PSN received, and what was the answer? */
static struct sk_buff *uet_ack_req(struct uet_pdc *pdc, struct uet_rx_ctx *rx)
{
	u32 psn = rx->pkt->cp.psn;

	switch (uet_rxmap_classify(&pdc->rx.map, psn)) {
	case UET_RX_DUP:
		return uet_pdc_stored_answer(pdc, rx, psn);
	case UET_RX_NEW:
	case UET_RX_NOMAP:
		return uet_nack_make(pdc, rx, UET_NACK_PKT_NOT_RCVD, psn, 0);
	default:
		UET_INC(rx->un, DROP_STALE);
		return NULL;
	}
}

static void uet_control_target(struct uet_pdc *pdc, struct uet_rx_ctx *rx,
			       bool created)
{
	const struct uet_cp *cp = &rx->pkt->cp;
	struct sk_buff *answer = NULL;
	struct sk_buff_head list;
	u32 cack;

	__skb_queue_head_init(&list);
	spin_lock(&pdc->rx.lock);
	if (pdc->state == UET_PDC_DEAD)
		goto out;
	WRITE_ONCE(pdc->rx.heard, ktime_get_ns());
	/* With SYN it does not name our PDCID, and its source may be made up. */
	if (!(rx->pkt->flags & UET_F_SYN))
		uet_pdc_confirm(pdc);
	else if (!created)
		uet_pdc_heard_syn(pdc);
	if (created)
		uet_pdc_arm(pdc, pdc->rx.heard + NSEC_PER_SEC, pdc->rx.heard);
	switch (rx->pkt->ctl_type) {
	case UET_CTL_ACK_REQ:
		answer = uet_ack_req(pdc, rx);
		break;
	case UET_CTL_CLEAR_CMD:
		cack = pdc->rx.map.cack;
		uet_pdc_cleared(pdc, cp->payload);
		/* Nothing else would tell the source that CACK moved. */
		if (pdc->rx.map.cack != cack)
			answer = uet_ack_make(pdc, rx, pdc->rx.map.cack, 0,
					      NULL);
		break;
	case UET_CTL_CLOSE_CMD:
		answer = uet_close_cmd(pdc, rx);
		break;
	case UET_CTL_PROBE:
		if (!(rx->pkt->flags & UET_F_SYN))
			uet_habit_probed(&pdc->peer->habits);
		answer = uet_ack_make(pdc, rx, pdc->rx.map.cack, UET_F_PROBE,
				      NULL);
		break;
	case UET_CTL_NOOP:
	case UET_CTL_NEGOTIATION:
		/* They take a PSN: received, nothing to deliver (N-2, N-17). */
		answer = uet_pdc_take_psn(pdc, rx);
		break;
	case UET_CTL_CREDIT_REQ:
		uet_credit_asked(pdc, rx, &list);
		answer = __skb_dequeue(&list);
		break;
	default:
		break;
	}
out:
	spin_unlock(&pdc->rx.lock);
	if (answer)
		uet_output_one(pdc->peer, answer);
}

/*
 * A control packet of the target, with a PSN of the return direction. Nothing
 * there is waited for, so what is missing before it makes no difference.
 */
static struct sk_buff *uet_take_return(struct uet_pdc *pdc,
				       struct uet_rx_ctx *rx)
{
	struct uet_pdc_tx *tx = &pdc->tx;
	u32 psn = rx->pkt->cp.psn;

	if (psn_after(psn, tx->ret_cack))
		tx->ret_cack = psn;
	return uet_ack_make(pdc, rx, psn, 0, NULL);
}

/* The target wants to be rid of the PDC: finish, then CLOSE_CMD. */
static struct sk_buff *uet_close_req(struct uet_pdc *pdc, struct uet_rx_ctx *rx,
				     u64 now)
{
	if (pdc->state == UET_PDC_ESTABLISHED)
		pdc->state = UET_PDC_QUIESCE;
	uet_pdc_tx_rearm(pdc, now);
	return uet_take_return(pdc, rx);
}

/* A response is asked to be cleared: say what is, or ask for what is lost. */
static void uet_clear_req(struct uet_pdc *pdc, struct uet_rx_ctx *rx,
			  struct sk_buff_head *list, u64 now)
{
	struct uet_pdc_tx *tx = &pdc->tx;
	u32 psn = rx->pkt->cp.payload;
	struct uet_cp cp = { .psn = psn };

	if (uet_txwin_has(&tx->win, psn) &&
	    !uet_txwin_is_answered(&tx->win, psn)) {
		uet_cp_queue(pdc, list, &cp, UET_CTL_ACK_REQ, UET_F_AR, rx->ev);
		return;
	}
	tx->clear_sent = tx->win.clear_psn - 1;	/* say it even if said before */
	tx->clear_at = now;
	uet_pdc_arm(pdc, now, now);
}

static void uet_control_initiator(struct uet_pdc *pdc, struct uet_rx_ctx *rx)
{
	struct uet_flow *flow = pdc->tx.flow;
	const struct uet_cp *cp = &rx->pkt->cp;
	struct sk_buff_head list;
	struct sk_buff *skb;
	u64 now;

	__skb_queue_head_init(&list);
	spin_lock(&flow->lock);
	if (pdc->state == UET_PDC_DEAD || pdc->state == UET_PDC_SYN)
		goto out;
	now = ktime_get_ns();
	pdc->tx.heard = now;
	switch (rx->pkt->ctl_type) {
	case UET_CTL_CLOSE_REQ:
		skb = uet_close_req(pdc, rx, now);
		if (skb)
			__skb_queue_tail(&list, skb);
		break;
	case UET_CTL_NOOP:
	case UET_CTL_NEGOTIATION:
		skb = uet_take_return(pdc, rx);
		if (skb)
			__skb_queue_tail(&list, skb);
		break;
	case UET_CTL_CLEAR_REQ:
		uet_clear_req(pdc, rx, &list, now);
		break;
	case UET_CTL_PROBE:
		skb = uet_ack_make(pdc, rx, pdc->tx.ret_cack, UET_F_PROBE,
				   NULL);
		if (skb)
			__skb_queue_tail(&list, skb);
		break;
	case UET_CTL_CREDIT:
		UET_INC(rx->un, RX_CREDITS);
		uet_cc_credit(flow, now, uet_cp_credit(cp));
		uet_pdc_tx_rearm(pdc, now);
		break;
	default:
		break;
	}
out:
	spin_unlock(&flow->lock);
	while ((skb = __skb_dequeue(&list)))
		uet_output_one(pdc->peer, skb);
}

/**
 * uet_pdc_control() - a control packet for an existing PDC
 * @pdc: PDC named by dpdcid, peer verified; or by SYN
 * @rx: the packet
 * @created: this packet made the PDC
 *
 * Context: softirq.
 */
void uet_pdc_control(struct uet_pdc *pdc, struct uet_rx_ctx *rx, bool created)
{
	UET_INC(rx->un, RX_CPS);
	if (pdc->initiator)
		uet_control_initiator(pdc, rx);
	else
		uet_control_target(pdc, rx, created);
}
