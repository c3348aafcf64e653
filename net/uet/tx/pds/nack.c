// SPDX-License-Identifier: GPL-2.0
/*
 * NACKs at the source (UE 1.0 3.5): congestion control hears of them, and some end
 * the PDC.
 *
 * Not here: which packets are resent and when (core/snd/snd_nack.c), messages of a PDC
 * that the target disowned (tx/queue/salvage.c).
 */
#include <linux/ktime.h>

#include "account.h"
#include "core/snd/snd_gone.h"
#include "core/snd/snd_loss.h"
#include "core/snd/snd_nack.h"
#include "link/encap.h"
#include "link/habits.h"
#include "mib.h"
#include "pdc/pdc.h"
#include "sock.h"
#include "tx/cms/cctrace.h"
#include "tx/cms/flow.h"
#include "tx/cms/path.h"
#include "tx/cms/trace_path.h"
#include "tx/msg/txmsg.h"
#include "tx/msg/wmem.h"
#include "tx/pds/half.h"
#include "tx/pds/hole.h"
#include "tx/pds/rtt.h"

/* Does a NACK code say that the target has no such PDC? */
static bool uet_nack_disowns(u8 code)
{
	return code == UET_NACK_INV_DPDCID ||
	       code == UET_NACK_PDC_HDR_MISMATCH || code == UET_NACK_CLOSING;
}

/* A NACK of the fatal class: the PDC dies, buried now or later. */
static void uet_pdc_nack_fatal(struct uet_pdc *pdc, const struct uet_pkt *pkt,
			       u64 now)
{
	struct uet_pdc_tx *tx = pdc->tx;
	u8 code = pkt->nack.code;
	bool awaited;

	/* The target closed the PDC; its ACK of CLOSE_CMD was lost. */
	if (tx->snd.state == UET_PDC_CLOSING && code == UET_NACK_INV_DPDCID) {
		uet_pdc_fail(pdc, 0, 0, 0);
		return;
	}
	tx->movable = code == UET_NACK_INVALID_SYN || uet_nack_disowns(code);
	if (!uet_nack_disowns(code)) {
		uet_pdc_fail(pdc, ECONNRESET, UET_REPORT_NACK, code);
		return;
	}
	if (pdc->remote_id && code != UET_NACK_CLOSING)
		uet_pdc_tell_reset(pdc);
	awaited = uet_snd_disown(&tx->snd, pkt->nack.psn,
				 pkt->flags & UET_F_RETX, now);
	uet_pdc_die(pdc, ECONNRESET, UET_REPORT_NACK, code);
	if (awaited)
		uet_pdc_tx_arm(pdc);
	else
		uet_pdc_bury(pdc);
}

/* A NACK for a dead PDC; false if it was not awaited. */
static bool uet_pdc_nack_dead(struct uet_pdc *pdc, const struct uet_pkt *pkt)
{
	if (!uet_pdc_disowned(pdc) || !uet_nack_disowns(pkt->nack.code))
		return false;
	if (!uet_snd_disowned(&pdc->tx->snd, pkt->nack.psn,
			      pkt->flags & UET_F_RETX))
		uet_pdc_bury(pdc);
	return true;
}

/**
 * uet_hold_began() - the target of a queue is short of room
 * @pdc: the PDC
 * @dest: the queue
 *
 * Its share of the send buffer shrinks, which may make room for others.
 *
 * Context: flow lock held.
 */
void uet_hold_began(struct uet_pdc *pdc, struct uet_dest *dest)
{
	lockdep_assert_held(&pdc->tx->flow->lock);
	UET_INC(pdc->un, HOLDS);
	if (!dest->held)
		uet_account_held(dest->account, true);
	dest->held = true;
	if (dest->us)
		uet_sock_held(dest->us);
}

/* A packet will be resent: feed congestion control, count */
static void uet_pdc_nack_feed(struct uet_pdc *pdc, u8 code,
			      struct uet_snd_nacked *nacked)
{
	struct uet_flow *flow = pdc->tx->flow;
	struct uet_ccc_nack *cc = &nacked->cc;

	if (unlikely(flow->hole.since) && nacked->seen)
		uet_hole_arrived(flow, nacked->len);
	if (likely(nacked->fed)) {
		if (!flow->ccc.sprayed)
			cc->siblings = uet_path_siblings(flow, cc->m, cc->now);
		trace_uet_path_signal(flow, cc->ev, uet_ccc_nack_signal(cc),
				      cc->rtt);
		uet_cc_nack(flow, cc);
	}
	if (nacked->held)
		uet_hold_began(pdc, uet_dest_of(nacked->held));
	if (code == UET_NACK_TRIMMED || code == UET_NACK_TRIMMED_LASTHOP)
		UET_INC(pdc->un, RETX_TRIM);
	else
		UET_INC(pdc->un, RETX_NACK);
}

/* Process a NACK; false if it is about no packet of the PDC. */
static bool uet_pdc_nack_locked(struct uet_pdc *pdc, struct uet_rx_ctx *rx)
{
	const struct uet_pkt *pkt = rx->pkt;
	struct uet_flow *flow = pdc->tx->flow;
	struct uet_snd *s = &pdc->tx->snd;
	struct uet_snd_nacked nacked;
	struct uet_snd_work w;
	u64 now;

	if (s->state == UET_PDC_DEAD)
		return uet_pdc_nack_dead(pdc, pkt);
	if (s->state == UET_PDC_SYN && !uet_txwin_has(&s->win, pkt->nack.psn))
		return uet_hole_answered(flow, pkt);
	if (pkt->spdcid && !uet_pdc_learn(pdc, pkt->spdcid))
		return false;
	now = ktime_get_ns();
	uet_snd_work_init(&w, now, 0);
	switch (uet_snd_nack(s, pkt, rx->ev, flow->rtt_probe_at, &w, &nacked)) {
	case UET_SND_NACK_STRAY:
		return false;
	case UET_SND_NACK_DONE:
		uet_pdc_tx_arm(pdc);
		return true;
	case UET_SND_NACK_FATAL:
		uet_pdc_nack_fatal(pdc, pkt, now);
		return true;
	case UET_SND_NACK_TOO_MANY:
		uet_pdc_fail(pdc, EREMOTEIO, UET_REPORT_NACK, pkt->nack.code);
		return true;
	case UET_SND_NACK_NO_PROBES:
		UET_INC(pdc->un, PROBES_REFUSED);
		uet_habit_refused(&pdc->peer->habits);
		flow->rtt_probe_at = 0;
		return true;
	case UET_SND_NACK_FEED:
		uet_pdc_nack_feed(pdc, pkt->nack.code, &nacked);
		break;
	case UET_SND_NACK_SETTLE:
		break;
	}
	uet_pdc_losses(pdc, &w);
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
		rx->drop = UET_DROP_NACK;
	else if (unlikely(!flow->ccc.base_known))
		probe = uet_rtt_probe(pdc, rx->ev);
	spin_unlock(&flow->lock);
	if (unlikely(probe))
		uet_output_one(pdc->peer, probe);
}
