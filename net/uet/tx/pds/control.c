// SPDX-License-Identifier: GPL-2.0
/*
 * Control packets for a sending half (UE 1.0 3.5): CLOSE_REQ, CLEAR_REQ
 * and CREDIT.
 *
 * Not here: those for a receiving half (rx/pds/control.c).
 */
#include <linux/ktime.h>

#include "core/snd/snd_loss.h"
#include "link/encap.h"
#include "link/peer.h"
#include "mib.h"
#include "pdc/pdc.h"
#include "tx/cms/cctrace.h"
#include "tx/cms/flow.h"
#include "tx/pds/half.h"

/**
 * uet_pdc_tx_control() - process a control packet for the sending half
 * @pdc: PDC named by dpdcid, peer verified
 * @rx: the packet; @rx->drop is cleared if it was for the sending half
 *
 * Context: softirq.
 */
void uet_pdc_tx_control(struct uet_pdc *pdc, struct uet_rx_ctx *rx)
{
	struct uet_pdc_tx *tx = pdc->tx;
	struct sk_buff_head list;
	struct uet_snd_work w;
	struct sk_buff *skb;
	u64 now;

	__skb_queue_head_init(&list);
	spin_lock(&tx->flow->lock);
	if (tx->snd.state == UET_PDC_DEAD)
		goto out;
	/* The first CREDIT may overtake the ACK that tells the peer's PDCID. */
	if (tx->snd.state == UET_PDC_SYN && rx->pkt->ctl_type != UET_CTL_CREDIT)
		goto out;
	now = ktime_get_ns();
	if (tx->snd.state != UET_PDC_SYN)
		tx->snd.heard = now;
	switch (rx->pkt->ctl_type) {
	case UET_CTL_CLOSE_REQ:
		/* The target asks for a close: finish, then CLOSE_CMD. */
		if (pdc->initiator) {
			rx->drop = UET_DROP_NONE;
			if (tx->snd.state == UET_PDC_ESTABLISHED)
				tx->snd.state = UET_PDC_QUIESCE;
		}
		uet_pdc_tx_rearm(pdc, now);
		break;
	case UET_CTL_CLEAR_REQ:
		rx->drop = UET_DROP_NONE;
		uet_snd_work_init(&w, now, 0);
		uet_snd_clear_req(&tx->snd, rx->pkt->cp.payload, rx->ev, &w);
		uet_pdc_send_cps(pdc, &list, &w);
		uet_pdc_tx_arm(pdc);
		break;
	case UET_CTL_CREDIT:
		UET_INC(rx->un, RX_CREDITS);
		rx->drop = UET_DROP_NONE;
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
