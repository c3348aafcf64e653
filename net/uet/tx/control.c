// SPDX-License-Identifier: GPL-2.0
/*
 * Control packets for a sending half (UE 1.0 3.5): CLOSE_REQ, CLEAR_REQ
 * and CREDIT.
 *
 * Not here: those for a receiving half (rx/control.c).
 */
#include <linux/ktime.h>

#include "link/encap.h"
#include "link/peer.h"
#include "mib.h"
#include "pdc/pdc.h"
#include "tx/cctrace.h"
#include "tx/flow.h"
#include "tx/half.h"

/* CLEAR_REQ: send CLEAR_CMD, or ACK_REQ if the response was lost. */
static void uet_clear_req(struct uet_pdc *pdc, struct uet_rx_ctx *rx,
			  struct sk_buff_head *list, u64 now)
{
	struct uet_pdc_tx *tx = pdc->tx;
	u32 psn = rx->pkt->cp.payload;
	struct uet_cp cp = { .psn = psn };

	if (uet_txwin_has(&tx->win, psn) &&
	    !uet_txwin_is_answered(&tx->win, psn)) {
		uet_cp_queue(pdc, list, &cp, UET_CTL_ACK_REQ, UET_F_AR, rx->ev);
		return;
	}
	tx->clear_sent = tx->win.clear_psn - 1;	/* even if sent before */
	tx->clear_at = now;
	uet_pdc_arm(pdc, now, now);
}

/**
 * uet_pdc_tx_control() - process a control packet for the sending half
 * @pdc: PDC named by dpdcid, peer verified
 * @rx: the packet
 *
 * Context: softirq.
 */
void uet_pdc_tx_control(struct uet_pdc *pdc, struct uet_rx_ctx *rx)
{
	struct uet_pdc_tx *tx = pdc->tx;
	struct sk_buff_head list;
	struct sk_buff *skb;
	u64 now;

	__skb_queue_head_init(&list);
	spin_lock(&tx->flow->lock);
	if (tx->state == UET_PDC_DEAD || tx->state == UET_PDC_SYN)
		goto out;
	now = ktime_get_ns();
	tx->heard = now;
	switch (rx->pkt->ctl_type) {
	case UET_CTL_CLOSE_REQ:
		/* The target asks for a close: finish, then CLOSE_CMD. */
		if (pdc->initiator && tx->state == UET_PDC_ESTABLISHED)
			tx->state = UET_PDC_QUIESCE;
		uet_pdc_tx_rearm(pdc, now);
		break;
	case UET_CTL_CLEAR_REQ:
		uet_clear_req(pdc, rx, &list, now);
		break;
	case UET_CTL_CREDIT:
		UET_INC(rx->un, RX_CREDITS);
		uet_cc_credit(tx->flow, now, uet_cp_credit(&rx->pkt->cp));
		uet_pdc_tx_rearm(pdc, now);
		break;
	default:
		break;
	}
out:
	spin_unlock(&tx->flow->lock);
	while ((skb = __skb_dequeue(&list)))
		uet_output_one(pdc->peer, skb);
}
