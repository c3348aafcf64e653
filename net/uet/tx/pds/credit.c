// SPDX-License-Identifier: GPL-2.0
/*
 * Receiver credit at the source (UE 1.0 3.6.14, 3.6.15): Credit Requests when data waits
 * and no request is in flight that could carry the credit target, and counts that begin
 * anew.
 *
 * Not here: the arithmetic (core/cc/cc_rccc.c, core/cc/cc_tfc.c), ids (tx/cms/credit_id.c),
 * the destination (rx/cms/credit.c).
 */
#include <linux/bitfield.h>
#include <linux/ktime.h>
#include <linux/uet.h>

#include "link/encap.h"
#include "link/peer.h"
#include "mib.h"
#include "pdc/pdc.h"
#include "tx/cms/credit_id.h"
#include "tx/cms/flow.h"
#include "tx/pds/credit.h"
#include "tx/pds/half.h"

/* Has a PDC of the flow sent something, so that the destination may know the flow? */
static bool uet_credit_known(struct uet_flow *flow)
{
	struct uet_peer *peer = flow->peer;
	const struct uet_pdc_tx *tx;
	bool known = false;

	spin_lock(&peer->lock);
	list_for_each_entry(tx, &peer->tx_halves, peer_node) {
		if (tx->flow == flow && tx->snd.state != UET_PDC_DEAD &&
		    tx->snd.win.next != tx->snd.start_psn) {
			known = true;
			break;
		}
	}
	spin_unlock(&peer->lock);
	return known;
}

/* Begin the count anew, under another ccc_id; if all are in use it goes on. */
static void uet_credit_anew(struct uet_flow *flow, u64 now)
{
	int id = uet_credit_id_take(flow->peer);

	if (id < 0)
		return;
	uet_credit_id_give(flow->peer, flow->ccc_id);
	flow->ccc_id = id;
	uet_ccc_credit_anew(&flow->ccc, now);
}

/**
 * uet_credit_count_anew() - do both ends count from the same beginning?
 * @flow: the flow, which uses credit and is about to send
 * @pdc: PDC whose turn it is
 * @now: time, ns
 *
 * If not, the count of this end begins anew, and the ccc_id tells the other end. With
 * TFC only: RCCC does not need exact counts.
 *
 * Context: BH disabled, flow lock held.
 */
void uet_credit_count_anew(struct uet_flow *flow, const struct uet_pdc *pdc,
			   u64 now)
{
	const struct uet_snd *s = &pdc->tx->snd;

	lockdep_assert_held(&flow->lock);
	/* With the last PDC that it knew the destination may have forgotten it. */
	if (s->win.next == s->start_psn && uet_ccc_credit_counts(&flow->ccc) &&
	    !uet_credit_known(flow))
		flow->ccc.credit_anew = true;
	if (unlikely(flow->ccc.credit_anew))
		uet_credit_anew(flow, now);
}

/* An established PDC among those on the ready list */
static struct uet_pdc *uet_credit_pdc(struct uet_flow *flow)
{
	const struct uet_snd *s;

	list_for_each_entry(s, &flow->snd.ready, ready_node)
		if (s->state != UET_PDC_SYN)
			return uet_pdc_of(s);
	return NULL;
}

static void uet_credit_ask(struct uet_flow *flow, struct uet_pdc *pdc,
			   struct sk_buff_head *list)
{
	struct uet_cp cp = {
		.payload = FIELD_PREP(UET_REQ_CC_CCC_ID, flow->ccc_id) |
			   FIELD_PREP(UET_REQ_CC_TARGET,
				      uet_ccc_credit_target(&flow->ccc)),
	};

	if (!uet_cp_queue(pdc, list, &cp, UET_CTL_CREDIT_REQ, 0,
			  flow->ccc.run_ev))
		UET_INC(pdc->un, TX_CREDIT_REQS);
}

/* credit_reqs > max_rto_retx and silence >= peer_timeout_s? */
static bool uet_credit_gave_up(const struct uet_pdc *pdc, u64 now)
{
	const struct uet_sysctl *s = &pdc->un->sysctl;

	return pdc->tx->flow->ccc.credit_reqs > READ_ONCE(s->rules.max_rto_retx) &&
	       now - pdc->tx->snd.heard >=
	       (u64)READ_ONCE(s->rules.peer_timeout_s) * NSEC_PER_SEC;
}

/**
 * uet_credit_wait() - request credit if a flow waits for it
 * @flow: the flow
 * @list: a Credit Request is added here if one is due
 *
 * Arms the timer of a PDC, which runs the flow again.
 *
 * Context: BH disabled, flow lock held.
 */
void uet_credit_wait(struct uet_flow *flow, struct sk_buff_head *list)
{
	struct uet_ccc *ccc = &flow->ccc;
	struct uet_pdc *pdc;
	u64 now, when, most;

	lockdep_assert_held(&flow->lock);
	if (likely(!ccc->algo->credit) || flow->dead)
		return;
	uet_credit_count(flow, ccc->backlog || ccc->waiting_rtx);
	if (list_empty(&flow->snd.ready) || !(ccc->blocked & UET_CC_BLOCK_CREDIT))
		return;
	now = ktime_get_ns();
	pdc = uet_credit_pdc(flow);
	most = (u64)READ_ONCE(flow->peer->fep->un->sysctl.rules.rto_max_ms) *
	       NSEC_PER_MSEC;
	if (uet_ccc_credit_req(ccc, now, most, &when)) {
		if (pdc && uet_credit_gave_up(pdc, now)) {
			uet_pdc_fail(pdc, uet_pdc_silent_err(pdc),
				     UET_REPORT_LOCAL, 0);
			uet_flow_queue(flow);
			return;
		}
		if (pdc) {
			uet_credit_ask(flow, pdc, list);
		} else {
			/* The packet that opens a PDC asks for credit, too. */
			uet_ccc_speculate(ccc, now);
			uet_flow_queue(flow);
		}
	}
	if (!pdc)
		pdc = uet_pdc_of(list_first_entry(&flow->snd.ready,
						  struct uet_snd, ready_node));
	uet_pdc_arm(pdc, when);
}
