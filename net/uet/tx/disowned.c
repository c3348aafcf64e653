// SPDX-License-Identifier: GPL-2.0
/*
 * PDCs that the target disowns by NACK (INV_DPDCID, PDC_HDR_MISMATCH, CLOSING),
 * because the peer restarted, reloaded its module or gave the PDC up.
 *
 * A message moves to another PDC if the target cannot have accepted any of it:
 * each packet was NACKed so as often as it was sent. So the source stops
 * sending and waits up to one RTO for NACKs of packets in flight before the PDC
 * is buried (see "Rules of this module" in uet-internals.rst).
 *
 * NACKs tell the first transmission from others, so a packet may have been sent
 * twice, as happens if the RTO fires while a peer starts.
 */
#include <linux/ktime.h>

#include "core/names.h"
#include "pdc/pdc.h"
#include "tx/flow.h"
#include "tx/half.h"
#include "tx/txmsg.h"

/* Does a NACK code say that the target has no such PDC? */
static bool uet_nack_disowns(u8 code)
{
	return code == UET_NACK_INV_DPDCID ||
	       code == UET_NACK_PDC_HDR_MISMATCH || code == UET_NACK_CLOSING;
}

/* NACKs that prove that a packet was never accepted, as flags of its slot */
static u8 uet_tx_refusals(const struct uet_tx_slot *slot)
{
	return slot->rtx ? UET_PDC_TX_REFUSED | UET_PDC_TX_REFUSED_RTX :
			   UET_PDC_TX_REFUSED;
}

/* Was a packet NACKed as often as it was sent? */
static bool uet_tx_refused(const struct uet_tx_slot *slot)
{
	return slot->rtx <= 1 && !(uet_tx_refusals(slot) & ~slot->flags);
}

/* Could more NACKs of this packet prove that it was never accepted? */
static bool uet_pdc_awaits(const struct uet_pdc *pdc, u32 psn)
{
	const struct uet_tx_slot *slot = uet_txwin_slot(&pdc->tx->win, psn);

	return slot->rtx <= 1 && !(slot->flags & UET_TX_CP) &&
	       !uet_txwin_is_sacked(&pdc->tx->win, psn) && !uet_tx_refused(slot);
}

/* A NACK that disowns the PDC names a packet. */
static void uet_pdc_disowns_psn(struct uet_pdc *pdc, u32 psn, bool retx)
{
	struct uet_tx_slot *slot;

	if (!uet_txwin_has(&pdc->tx->win, psn) || !uet_pdc_awaits(pdc, psn))
		return;
	slot = uet_txwin_slot(&pdc->tx->win, psn);
	slot->flags |= retx ? UET_PDC_TX_REFUSED_RTX : UET_PDC_TX_REFUSED;
	if (uet_tx_refused(slot))
		pdc->tx->awaited--;
}

/**
 * uet_pdc_disown() - handle a fatal NACK: the PDC dies, buried now or later
 * @pdc: the PDC, not dead
 * @pkt: the NACK, of class FATAL
 *
 * Context: softirq, flow lock held.
 */
void uet_pdc_disown(struct uet_pdc *pdc, const struct uet_pkt *pkt)
{
	struct uet_pdc_tx *tx = pdc->tx;
	u8 code = pkt->nack.code;
	u64 now;
	u32 at;

	lockdep_assert_held(&pdc->tx->flow->lock);
	pdc->tx->movable = code == UET_NACK_INVALID_SYN || uet_nack_disowns(code);
	if (!uet_nack_disowns(code)) {
		uet_pdc_fail(pdc, ECONNRESET, UET_REPORT_NACK, code);
		return;
	}
	tx->awaited = 0;
	for (at = tx->win.una; at != tx->win.next; at++)
		tx->awaited += uet_pdc_awaits(pdc, at);
	uet_pdc_disowns_psn(pdc, pkt->nack.psn, pkt->flags & UET_F_RETX);
	uet_pdc_die(pdc, ECONNRESET, UET_REPORT_NACK, code);
	if (!tx->awaited) {
		uet_pdc_bury(pdc);
		return;
	}
	now = ktime_get_ns();
	tx->rto_at = now + uet_pdc_rto(pdc);
	uet_pdc_arm(pdc, tx->rto_at, now);
}

/**
 * uet_pdc_disowned_nack() - handle a NACK for a dead PDC
 * @pdc: the PDC
 * @pkt: the NACK
 *
 * Context: softirq, flow lock held.
 * Return: true if the NACK was awaited.
 */
bool uet_pdc_disowned_nack(struct uet_pdc *pdc, const struct uet_pkt *pkt)
{
	lockdep_assert_held(&pdc->tx->flow->lock);
	if (!uet_pdc_disowned(pdc) || !uet_nack_disowns(pkt->nack.code))
		return false;
	uet_pdc_disowns_psn(pdc, pkt->nack.psn, pkt->flags & UET_F_RETX);
	if (!pdc->tx->awaited)
		uet_pdc_bury(pdc);
	return true;
}

/**
 * uet_pdc_disowned_expire() - bury a PDC whose wait for NACKs has ended
 * @pdc: the PDC
 * @now: time, ns
 *
 * Context: softirq, flow lock held.
 */
void uet_pdc_disowned_expire(struct uet_pdc *pdc, u64 now)
{
	lockdep_assert_held(&pdc->tx->flow->lock);
	if (!uet_pdc_disowned(pdc))
		return;
	if (now >= pdc->tx->rto_at)
		uet_pdc_bury(pdc);
	else
		uet_pdc_arm(pdc, pdc->tx->rto_at, now);
}

/**
 * uet_pdc_count_refused() - count the NACKed bytes of each message
 * @pdc: a dead PDC, with its ring
 *
 * Context: flow lock held; once.
 */
void uet_pdc_count_refused(struct uet_pdc *pdc)
{
	const struct uet_txwin *win = &pdc->tx->win;
	const struct uet_txpkt *p;
	u32 psn;

	lockdep_assert_held(&pdc->tx->flow->lock);
	for (psn = win->una; psn != win->next; psn++) {
		p = &pdc->tx->pkts[uet_txwin_index(win, psn)];
		if (!p->msg)
			continue;
		if (uet_tx_refused(uet_txwin_slot(win, psn)))
			p->msg->refused += p->len;
		else
			p->msg->maybe_accepted = true;
	}
}
