// SPDX-License-Identifier: GPL-2.0
/*
 * Closing a PDC (UE 1.0 3.5.8.3): the initiator sends CLOSE_CMD; the target
 * requests that by CLOSE_REQ. Each takes a PSN and is retransmitted until
 * acknowledged.
 */
#include "core/snd/snd_pick.h"
#include "core/snd/snd_timer.h"
#include "link/encap.h"
#include "link/peer.h"
#include "mib.h"
#include "pdc/pdc.h"
#include "tx/cms/flow.h"
#include "tx/pds/half.h"

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
	tx->snd.state = UET_PDC_QUIESCE;
	if (uet_snd_has_room(&tx->snd) == UET_SND_GROW)
		uet_pdc_tx_grow(pdc, now);
	if (uet_snd_has_room(&tx->snd) != UET_SND_NEW) {
		uet_snd_nomem(&tx->snd, now);
		uet_pdc_tx_arm(pdc);
		return;
	}
	tx->snd.state = UET_PDC_CLOSING;
	tx->close_psn = tx->snd.win.next;
	uet_snd_commit_cp(&tx->snd, tx->close_psn, now);
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
		uet_snd_nomem(&tx->snd, now);
		uet_pdc_tx_arm(pdc);
		return -ENOMEM;
	}
	uet_snd_commit_cp(&tx->snd, tx->close_psn, now);
	uet_pdc_tx_arm(pdc);
	return 1;
}
