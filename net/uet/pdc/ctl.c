// SPDX-License-Identifier: GPL-2.0
/*
 * Control packets out (wire.md 3.8).
 */
#include "core/hdr_build.h"
#include "link/encap.h"
#include "link/peer.h"
#include "mib.h"
#include "pdc/pdc.h"
#include "tx/flow.h"

/**
 * uet_cp_queue() - build a control packet
 * @pdc: PDC of either role
 * @list: the packet is added here
 * @cp: psn, payload, probe_opaque
 * @ctl: enum uet_ctl_type
 * @flags: UET_F_*
 * @ev: entropy value
 *
 * Context: lock of the PDC's half held.
 * Return: 0 or -ENOMEM.
 */
int uet_cp_queue(struct uet_pdc *pdc, struct sk_buff_head *list,
		 const struct uet_cp *cp, u8 ctl, u8 flags, u16 ev)
{
	struct uet_pkt pkt = {
		.type		= UET_PDS_CP,
		.ctl_type	= ctl,
		.flags		= flags,
		.spdcid		= pdc->id,
		.dpdcid		= pdc->remote_id,
		.cp		= *cp,
	};
	struct uet_txmeta *meta;
	struct sk_buff *skb;

	if (pdc->initiator && pdc->state == UET_PDC_SYN) {
		/* Only requests open a PDC here. */
		return -ENOTCONN;
	}
	skb = alloc_skb(UET_HEADROOM + UET_PDS_CP_LEN + UET_CRC_LEN,
			GFP_ATOMIC | __GFP_NOWARN);
	if (!skb) {
		UET_INC(pdc->un, TX_NOMEM);
		return -ENOMEM;
	}
	skb_reserve(skb, UET_HEADROOM);
	skb_put(skb, uet_build_cp(skb->data, &pkt));
	skb->priority = UET_CONTROL_PRIO;
	meta = UET_TXMETA(skb);
	meta->ev = ev ?: UET_LB_UDP_LOW + pdc->id % 16384;
	meta->dsfield = READ_ONCE(pdc->un->sysctl.dscp_control) << 2;
	meta->df = true;
	__skb_queue_tail(list, skb);
	UET_INC(pdc->un, TX_CPS);
	return 0;
}

/**
 * uet_pdc_send_close() - send CLOSE_CMD with a PSN of its own
 * @pdc: initiator PDC, CLOSING, with nothing outstanding
 * @list: the packet is added here
 * @now: time, ns
 *
 * Context: flow lock held.
 * Return: 0 or a negative error; the timer tries again.
 */
int uet_pdc_send_close(struct uet_pdc *pdc, struct sk_buff_head *list, u64 now)
{
	struct uet_pdc_tx *tx = &pdc->tx;
	struct uet_cp cp = { .psn = tx->win.next };
	int err;

	if (!uet_pdc_tx_reserve(pdc)) {
		pdc->state = UET_PDC_QUIESCE;
		uet_pdc_nomem(pdc, now);
		return -ENOMEM;
	}
	tx->close_psn = uet_txwin_send(&tx->win, 0, 0, UET_TX_CP, now);
	tx->pkts[uet_txwin_index(&tx->win, tx->close_psn)] =
		(struct uet_txpkt) {};
	tx->rto_at = now + uet_pdc_rto(pdc);
	/* If it cannot be built now, the timeout sends it. */
	err = uet_cp_queue(pdc, list, &cp, UET_CTL_CLOSE_CMD, UET_F_AR, 0);
	return err;
}

/**
 * uet_pdc_resend_close() - send CLOSE_CMD again after a timeout
 * @pdc: initiator PDC
 * @list: the packet is added here
 * @now: time, ns
 *
 * Context: flow lock held.
 * Return: 1, or -ENOMEM.
 */
int uet_pdc_resend_close(struct uet_pdc *pdc, struct sk_buff_head *list,
			 u64 now)
{
	struct uet_pdc_tx *tx = &pdc->tx;
	struct uet_cp cp = { .psn = tx->close_psn };

	if (uet_cp_queue(pdc, list, &cp, UET_CTL_CLOSE_CMD,
			 UET_F_AR | UET_F_RETX, 0)) {
		uet_pdc_nomem(pdc, now);
		return -ENOMEM;
	}
	uet_txwin_resend(&tx->win, tx->close_psn, 0, now);
	tx->rto_at = now + uet_pdc_rto(pdc);
	uet_pdc_arm(pdc, tx->rto_at, now);
	return 1;
}
