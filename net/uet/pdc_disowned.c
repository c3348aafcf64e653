// SPDX-License-Identifier: GPL-2.0
/*
 * A PDC that its target does not know any more, because the peer started anew,
 * reloaded its module or gave the PDC up (wire.md 8.5).
 *
 * What the target cannot have accepted goes on by another PDC: messages of
 * which each packet was sent once and refused. So the source stops, and listens
 * for the refusals of what is in flight, one RTO long at most, before the PDC
 * is buried.
 */
#include <linux/ktime.h>

#include "core/names.h"
#include "flow.h"
#include "pdc.h"
#include "txmsg.h"

/* Does a NACK code say that the target has no such PDC? */
static bool uet_nack_disowns(u8 code)
{
	return code == UET_NACK_INV_DPDCID ||
	       code == UET_NACK_PDC_HDR_MISMATCH || code == UET_NACK_CLOSING;
}

/* Could a refusal of this packet prove that it was never accepted? */
static bool uet_pdc_awaits(const struct uet_pdc *pdc, u32 psn)
{
	const struct uet_txwin *win = &pdc->tx.win;
	const struct uet_tx_slot *slot = uet_txwin_slot(win, psn);

	return !slot->rtx &&
	       !(slot->flags & (UET_TX_CP | UET_PDC_TX_REFUSED)) &&
	       !uet_txwin_is_sacked(win, psn);
}

/* A packet was named by a NACK that disowns its PDC. */
static void uet_pdc_disowns_psn(struct uet_pdc *pdc, u32 psn)
{
	if (!uet_txwin_has(&pdc->tx.win, psn) || !uet_pdc_awaits(pdc, psn))
		return;
	uet_txwin_slot(&pdc->tx.win, psn)->flags |= UET_PDC_TX_REFUSED;
	pdc->tx.awaited--;
}

/**
 * uet_pdc_disown() - a fatal NACK: the PDC dies, now or after a wait
 * @pdc: initiator PDC, not dead
 * @psn: packet that was refused
 * @code: code of the NACK, of class FATAL
 *
 * Context: softirq, flow lock held.
 */
void uet_pdc_disown(struct uet_pdc *pdc, u32 psn, u8 code)
{
	struct uet_pdc_tx *tx = &pdc->tx;
	u64 now;
	u32 at;

	pdc->movable = code == UET_NACK_INVALID_SYN || uet_nack_disowns(code);
	if (!uet_nack_disowns(code)) {
		uet_pdc_fail(pdc, ECONNRESET, UET_REPORT_NACK, code);
		return;
	}
	tx->awaited = 0;
	for (at = tx->win.una; at != tx->win.next; at++)
		tx->awaited += uet_pdc_awaits(pdc, at);
	uet_pdc_disowns_psn(pdc, psn);
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
 * uet_pdc_disowned_nack() - a NACK for a PDC that is dead
 * @pdc: initiator PDC
 * @psn: packet that was refused
 * @code: code of the NACK
 *
 * Context: softirq, flow lock held.
 * Return: whether it was waited for.
 */
bool uet_pdc_disowned_nack(struct uet_pdc *pdc, u32 psn, u8 code)
{
	if (!uet_pdc_disowned(pdc) || !uet_nack_disowns(code))
		return false;
	uet_pdc_disowns_psn(pdc, psn);
	if (!pdc->tx.awaited)
		uet_pdc_bury(pdc);
	return true;
}

/**
 * uet_pdc_disowned_expire() - its timer fired
 * @pdc: initiator PDC
 * @now: time, ns
 *
 * Context: softirq, flow lock held.
 */
void uet_pdc_disowned_expire(struct uet_pdc *pdc, u64 now)
{
	if (!uet_pdc_disowned(pdc))
		return;
	if (now >= pdc->tx.rto_at)
		uet_pdc_bury(pdc);
	else
		uet_pdc_arm(pdc, pdc->tx.rto_at, now);
}

/**
 * uet_pdc_count_refused() - what was refused of each message
 * @pdc: initiator PDC that was disowned, with its ring
 *
 * Context: flow lock held; once.
 */
void uet_pdc_count_refused(struct uet_pdc *pdc)
{
	const struct uet_txwin *win = &pdc->tx.win;
	const struct uet_txpkt *p;
	u32 psn;

	for (psn = win->una; psn != win->next; psn++) {
		p = &pdc->tx.pkts[uet_txwin_index(win, psn)];
		if (!p->msg)
			continue;
		if (uet_txwin_slot(win, psn)->flags & UET_PDC_TX_REFUSED)
			p->msg->refused += p->len;
		else
			p->msg->maybe_accepted = true;
	}
}
