// SPDX-License-Identifier: GPL-2.0
/*
 * Closing a PDC (UE 1.0 3.5.8.3): the initiator sends CLOSE_CMD; the target
 * requests that by CLOSE_REQ. Each takes a PSN and is retransmitted until
 * acknowledged.
 */
#include "link/encap.h"
#include "link/peer.h"
#include "mib.h"
#include "pdc/pdc.h"
#include "tx/flow.h"
#include "tx/half.h"

static int uet_close_queue(struct uet_pdc *pdc, struct sk_buff_head *list,
			   u32 psn, u8 flags)
{
	struct uet_cp cp = { .psn = psn };

	return uet_cp_queue(pdc, list, &cp, pdc->initiator ? UET_CTL_CLOSE_CMD :
							     UET_CTL_CLOSE_REQ,
			    UET_F_AR | flags, 0);
}

/**
 * uet_pdc_close() - send CLOSE_CMD or CLOSE_REQ
 * @pdc: the PDC, with nothing outstanding
 * @list: the packet is added here
 * @now: time, ns
 *
 * Without memory the state stays QUIESCE, and a timer tries again: at the
 * initiator of the sending half, at the target of the receiving half.
 *
 * Context: flow lock held.
 */
void uet_pdc_close(struct uet_pdc *pdc, struct sk_buff_head *list, u64 now)
{
	struct uet_pdc_tx *tx = pdc->tx;

	lockdep_assert_held(&tx->flow->lock);
	if (!uet_pdc_tx_reserve(pdc)) {
		tx->state = UET_PDC_QUIESCE;
		uet_pdc_nomem(pdc, now);
		return;
	}
	tx->state = UET_PDC_CLOSING;
	tx->close_psn = uet_txwin_send(&tx->win, 0, 0, UET_TX_CP, now);
	tx->pkts[uet_txwin_index(&tx->win, tx->close_psn)] =
		(struct uet_txpkt) {};
	tx->rto_at = now + uet_pdc_rto(pdc);
	/* If the packet cannot be built now, the RTO sends it. */
	uet_close_queue(pdc, list, tx->close_psn, 0);
}

/**
 * uet_pdc_resend_close() - retransmit CLOSE_CMD or CLOSE_REQ
 * @pdc: the PDC
 * @list: the packet is added here
 * @now: time, ns
 *
 * Context: flow lock held.
 * Return: 1, or -ENOMEM.
 */
int uet_pdc_resend_close(struct uet_pdc *pdc, struct sk_buff_head *list,
			 u64 now)
{
	struct uet_pdc_tx *tx = pdc->tx;

	lockdep_assert_held(&pdc->tx->flow->lock);
	if (uet_close_queue(pdc, list, tx->close_psn, UET_F_RETX)) {
		uet_pdc_nomem(pdc, now);
		return -ENOMEM;
	}
	uet_txwin_resend(&tx->win, tx->close_psn, 0, now);
	tx->rto_at = now + uet_pdc_rto(pdc);
	uet_pdc_arm(pdc, tx->rto_at, now);
	return 1;
}
