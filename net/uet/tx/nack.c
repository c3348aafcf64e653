// SPDX-License-Identifier: GPL-2.0
/*
 * NACKs at the source (UE 1.0 3.5): which packets are resent and when, and
 * which codes end a PDC.
 *
 * Not here: holds for shortage (tx/hold.c), codes that disown a PDC
 * (tx/disowned.c).
 */
#include <linux/ktime.h>

#include "core/names.h"
#include "link/encap.h"
#include "link/habits.h"
#include "mib.h"
#include "pdc/pdc.h"
#include "tx/cctrace.h"
#include "tx/flow.h"
#include "tx/half.h"
#include "tx/hole.h"
#include "tx/path.h"
#include "tx/rtt.h"
#include "tx/trace_path.h"
#include "tx/txmsg.h"

/*
 * A packet in flight was NACKed: mark it for retransmission. If the NACK
 * reports it missing, it has no entropy value or round trip of that packet.
 */
static void uet_pdc_refused(struct uet_pdc *pdc, u32 psn,
			    struct uet_ccc_nack *nack)
{
	const struct uet_tx_slot *slot = uet_txwin_mark(&pdc->tx->win, psn);

	if (!slot || slot->flags & UET_TX_CP)
		return;
	nack->size = slot->size;
	if (nack->reason == UET_REFUSED_LOST) {
		nack->ev = slot->ev;
		nack->rtt_valid = false;
	}
	trace_uet_path_signal(pdc->tx->flow, nack->ev, uet_ccc_nack_signal(nack),
			      nack->rtt);
	uet_cc_nack(pdc->tx->flow, nack);
}

/* A NACK of the fatal class ends the PDC. */
static void uet_pdc_nack_fatal(struct uet_pdc *pdc, const struct uet_pkt *pkt)
{
	/* The target closed the PDC; its ACK of CLOSE_CMD was lost. */
	if (pdc->tx->state == UET_PDC_CLOSING &&
	    pkt->nack.code == UET_NACK_INV_DPDCID)
		uet_pdc_fail(pdc, 0, 0, 0);
	else
		uet_pdc_disown(pdc, pkt);
}

static void uet_pdc_nack_error(struct uet_pdc *pdc, u32 psn, u8 code)
{
	struct uet_pdc_tx *tx = pdc->tx;

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
	case UET_NACK_RCVR_INFER_LOSS:
		return UET_REFUSED_LOST;
	default:
		return UET_REFUSED_OTHER;
	}
}

/* Hold a packet NACKed for shortage; count the others */
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
		pdc->tx->flow->nacks_shortage++;
		/* Missing for shortage is no error. */
		pdc->tx->nack_e = 0;
		uet_pdc_hold(pdc, psn, now);
		UET_INC(pdc->un, RETX_NACK);
		break;
	default:
		UET_INC(pdc->un, RETX_NACK);
		break;
	}
}

/*
 * A NACK without a PSN disowns the PDC, and anybody could have forged it. Send
 * ACK_REQ: a true answer names the PSN of that.
 */
static void uet_pdc_doubt(struct uet_pdc *pdc)
{
	struct uet_pdc_tx *tx = pdc->tx;
	u64 now = ktime_get_ns();

	if (tx->doubt_at && now < tx->doubt_at + uet_pdc_rto(pdc))
		return;
	tx->doubted = true;
	tx->doubt_at = now;
	uet_pdc_arm(pdc, now, now);
}

/*
 * A NACK about a control packet without a PSN. A peer that does not support
 * PROBE answers UNEXP_EVENT.
 */
static bool uet_pdc_nack_probe(struct uet_pdc *pdc, const struct uet_pkt *pkt)
{
	struct uet_flow *flow = pdc->tx->flow;
	struct uet_pdc_tx *tx = pdc->tx;
	bool probing = tx->probe_tx || tx->asked || flow->rtt_probe_at;

	if (tx->doubt_at && !tx->doubted && pkt->nack.psn == tx->doubt_psn &&
	    uet_nack_class(pkt->nack.code) == UET_NACK_CLASS_FATAL) {
		uet_pdc_nack_fatal(pdc, pkt);
		return true;
	}
	if (pkt->nack.psn || (!probing && !flow->ccc.credit_reqs))
		return false;
	switch (pkt->nack.code) {
	case UET_NACK_INV_DPDCID:
	case UET_NACK_PDC_HDR_MISMATCH:
		uet_pdc_doubt(pdc);
		return true;
	case UET_NACK_UNEXP_EVENT:
		if (!probing)
			return false;
		UET_INC(pdc->un, PROBES_REFUSED);
		uet_habit_set_probes(&pdc->peer->habits, UET_PROBES_REFUSED);
		tx->probe_tx = 0;
		tx->asked = false;
		flow->rtt_probe_at = 0;
		return true;
	default:
		return false;
	}
}

static bool uet_pdc_nack_locked(struct uet_pdc *pdc, struct uet_rx_ctx *rx)
{
	const struct uet_pkt *pkt = rx->pkt;
	struct uet_pdc_tx *tx = pdc->tx;
	struct uet_ccc_nack nack = {
		.ev	= rx->ev,
		.m	= pkt->flags & UET_F_ECN,
		.reason	= uet_nack_reason(pkt->nack.code),
	};
	u32 psn = pkt->nack.psn;
	u8 code = pkt->nack.code;
	struct uet_pdc_sent sent;
	u64 now;

	if (pdc->tx->state == UET_PDC_DEAD)
		return uet_pdc_disowned_nack(pdc, pkt);
	if (pdc->tx->state == UET_PDC_SYN && !uet_txwin_has(&tx->win, psn))
		return false;
	if (pkt->spdcid && !uet_pdc_learn(pdc, pkt->spdcid))
		return false;
	now = ktime_get_ns();
	if (!uet_txwin_has(&tx->win, psn))
		return uet_pdc_nack_probe(pdc, pkt);
	tx->heard = now;
	if (uet_nack_class(code) == UET_NACK_CLASS_FATAL) {
		uet_pdc_nack_fatal(pdc, pkt);
		return true;
	}
	if (uet_nack_class(code) == UET_NACK_CLASS_ERROR &&
	    !uet_txwin_is_held(&tx->win, psn))
		uet_pdc_nack_error(pdc, psn, code);
	if (pdc->tx->state == UET_PDC_DEAD)
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
	/* With any other code the target has seen the packet. */
	if (unlikely(tx->flow->hole.since) && code != UET_NACK_PKT_NOT_RCVD &&
	    code != UET_NACK_RCVR_INFER_LOSS)
		uet_hole_arrived(tx->flow, tx->pkts[uet_txwin_index(&tx->win,
								    psn)].len);
	if (uet_pdc_sent_at(pdc, psn, pkt->flags & UET_F_RETX, &sent))
		nack.rtt_valid = uet_pdc_sample(pdc, &sent, 0, now, &nack.rtt);
	/* A trimmed packet lacks the serialisation delay of its payload. */
	nack.rtt_short = true;
	nack.now = now;
	if (!tx->flow->ccc.sprayed)
		nack.siblings = uet_path_siblings(tx->flow, nack.m, now);
	uet_pdc_refused(pdc, psn, &nack);
	uet_pdc_nack_action(pdc, pkt, now);
rearm:
	uet_pdc_tx_rearm(pdc, now);
	return true;
}

/**
 * uet_pdc_nack() - process a NACK
 * @pdc: a PDC with a sending half, named by dpdcid, peer's address verified
 * @rx: the packet
 *
 * Context: softirq.
 */
void uet_pdc_nack(struct uet_pdc *pdc, struct uet_rx_ctx *rx)
{
	struct uet_flow *flow = pdc->tx->flow;
	struct sk_buff *probe = NULL;

	spin_lock(&flow->lock);
	if (!uet_pdc_nack_locked(pdc, rx))
		UET_DROP(rx, DROP_NACK);
	else if (unlikely(!flow->ccc.base_known))
		probe = uet_rtt_probe(pdc, rx->ev);
	spin_unlock(&flow->lock);
	if (unlikely(probe))
		uet_output_one(pdc->peer, probe);
}
