// SPDX-License-Identifier: GPL-2.0
/*
 * Holds: a target NACKed packets of a dest for shortage, for example since its
 * reader is slow (see "Rules of this module" in uet-internals.rst).
 *
 * Packets of a dest on hold are neither sent nor declared lost, except for one
 * that is tried alone after a growing pause. Once it arrives the number of
 * packets allowed in flight starts at one and doubles per round trip. Shortage
 * never fails a message, however long the reader pauses.
 *
 * A target that answers NO_MATCH took the packets but not the message: no
 * packet is held, but new ones pause in the same way.
 */
#include <linux/ktime.h>
#include <linux/random.h>

#include "core/ccc.h"
#include "core/txwin_scan.h"
#include "mib.h"
#include "pdc/pdc.h"
#include "sock.h"
#include "tx/flow.h"
#include "tx/half.h"
#include "tx/txmsg.h"
#include "tx/wmem.h"

/* Longest pause between two tries */
#define UET_HOLD_MAX_NS		(128 * NSEC_PER_MSEC)
/* ... while the PDC is in SYN; a part of it is random */
#define UET_HOLD_OPEN_MAX_NS	NSEC_PER_SEC
#define UET_HOLD_LEVEL_MAX	16
/* Packets allowed in flight at which the restrictions of a hold end */
#define UET_HOLD_RAMP_END	256

static struct uet_dest *uet_psn_dest(const struct uet_pdc *pdc, u32 psn)
{
	const struct uet_txpkt *p;

	p = &pdc->tx->pkts[uet_txwin_index(&pdc->tx->win, psn)];
	return p->msg ? p->msg->dest : NULL;
}

/* Will the next transmission of a PSN be MSG_ERROR, which takes no room? */
static bool uet_psn_given_up(const struct uet_pdc *pdc, u32 psn)
{
	const struct uet_txpkt *p;

	p = &pdc->tx->pkts[uet_txwin_index(&pdc->tx->win, psn)];
	return p->msg && p->msg->given_up && !(p->flags & UET_TXPKT_MSG_ERROR);
}

/* Next held PSN of a dest, from @psn on */
static bool uet_hold_next(const struct uet_pdc *pdc,
			  const struct uet_dest *dest, u32 *psn)
{
	u32 from = *psn;

	while (uet_txwin_next_held(&pdc->tx->win, from, psn)) {
		if (uet_psn_dest(pdc, *psn) == dest)
			return true;
		from = *psn + 1;
	}
	return false;
}

static void uet_hold_schedule(struct uet_pdc *pdc, u64 at, u64 now)
{
	if (!pdc->tx->hold_at || at < pdc->tx->hold_at)
		pdc->tx->hold_at = at;
	uet_pdc_arm(pdc, pdc->tx->hold_at, now);
}

/* The share of a dest on hold shrinks, which may make room for others. */
static void uet_hold_tell(struct uet_dest *dest)
{
	if (dest->us)
		uet_sock_held(dest->us);
}

static void uet_hold_over(struct uet_dest *dest)
{
	dest->held_ns += ktime_get_ns() - dest->held_since;
}

static void uet_hold_begin(struct uet_pdc *pdc, struct uet_dest *dest, u64 now)
{
	struct uet_hold *hold = &dest->hold;

	hold->on = true;
	dest->held_since = now;
	uet_hold_tell(dest);
	hold->ramp = false;
	if (list_empty(&dest->hold_node)) {
		hold->level = 0;
		list_add_tail(&dest->hold_node, &pdc->tx->holds);
	}
	uet_dest_step_out(pdc, dest);
	UET_INC(pdc->un, HOLDS);
}

static u64 uet_hold_pause(const struct uet_pdc *pdc,
			  const struct uet_hold *hold)
{
	u64 ns = (u64)READ_ONCE(pdc->un->sysctl.nack_retx_us) * NSEC_PER_USEC;

	ns <<= hold->level;
	if (pdc->tx->state != UET_PDC_SYN)
		return min_t(u64, ns, UET_HOLD_MAX_NS);
	/* The target is short of PDCs: many hosts may wait for one. */
	ns = min_t(u64, ns, UET_HOLD_OPEN_MAX_NS);
	return ns - get_random_u32_below(ns / 4 + 1);
}

/**
 * uet_pdc_hold() - hold a packet that was NACKed for shortage
 * @pdc: the PDC
 * @psn: the packet, already marked for retransmission
 * @now: time, ns
 *
 * Context: flow lock held.
 */
void uet_pdc_hold(struct uet_pdc *pdc, u32 psn, u64 now)
{
	struct uet_dest *dest = uet_psn_dest(pdc, psn);
	struct uet_hold *hold;

	lockdep_assert_held(&pdc->tx->flow->lock);
	if (!dest || unlikely(uet_psn_given_up(pdc, psn)) ||
	    !uet_txwin_hold(&pdc->tx->win, psn))
		return;
	hold = &dest->hold;
	if (!hold->on) {
		uet_hold_begin(pdc, dest, now);
		pdc->tx->one_by_one = pdc->rod;
	} else if (!hold->trying || psn_after(psn, hold->psn)) {
		return;		/* sent before the hold was known */
	} else if (hold->level < UET_HOLD_LEVEL_MAX) {
		hold->level++;
	}
	hold->trying = false;
	hold->allowed = 1;
	hold->next = now + uet_hold_pause(pdc, hold);
	uet_hold_schedule(pdc, hold->next, now);
}

/**
 * uet_pdc_hold_clear() - end the hold of a dest without messages
 * @dest: the queue
 *
 * Context: flow lock held.
 */
void uet_pdc_hold_clear(struct uet_dest *dest)
{
	if (dest->hold.on)
		uet_hold_over(dest);
	memset(&dest->hold, 0, sizeof(dest->hold));
	list_del_init(&dest->hold_node);
}

/**
 * uet_pdc_hold_lost() - hold a lost packet if its dest is on hold
 * @pdc: the PDC
 * @psn: the packet, marked for retransmission; a try is resent at once
 *
 * Context: flow lock held.
 */
void uet_pdc_hold_lost(struct uet_pdc *pdc, u32 psn)
{
	const struct uet_dest *dest = uet_psn_dest(pdc, psn);

	lockdep_assert_held(&pdc->tx->flow->lock);
	if (!dest || !dest->hold.on ||
	    (dest->hold.trying && !psn_after(psn, dest->hold.psn)) ||
	    uet_psn_given_up(pdc, psn))
		return;
	uet_txwin_hold(&pdc->tx->win, psn);
}

/**
 * uet_pdc_hold_blocks() - does a hold stop an ordered PDC before a packet?
 * @pdc: the PDC, ROD
 * @psn: the packet
 *
 * The target accepts nothing behind a NACKed packet, whatever its endpoint.
 *
 * Context: flow lock held.
 * Return: true if @psn must wait.
 */
bool uet_pdc_hold_blocks(const struct uet_pdc *pdc, u32 psn)
{
	const struct uet_dest *dest;

	lockdep_assert_held(&pdc->tx->flow->lock);
	list_for_each_entry(dest, &pdc->tx->holds, hold_node)
		if (dest->hold.on &&
		    (!dest->hold.trying || psn_after(psn, dest->hold.psn)))
			return true;
	return false;
}

/**
 * uet_pdc_hold_sent() - account a new packet of a dest whose hold has ended
 * @dest: the queue
 * @psn: the packet
 *
 * Context: flow lock held.
 */
void uet_pdc_hold_sent(struct uet_dest *dest, u32 psn)
{
	struct uet_hold *hold = &dest->hold;

	lockdep_assert_held(&dest->pdc->tx->flow->lock);
	hold->psn = psn;
	hold->trying = true;
	if (hold->budget)
		hold->budget--;
}

/* Release the next packets of a dest; the hold ends when none is left. */
static void uet_hold_release(struct uet_pdc *pdc, struct uet_dest *dest,
			     u64 now)
{
	struct uet_hold *hold = &dest->hold;
	u32 psn = pdc->tx->win.una, n = hold->allowed;

	hold->trying = false;
	while (n && uet_hold_next(pdc, dest, &psn)) {
		uet_txwin_unhold(&pdc->tx->win, psn);
		hold->psn = psn++;
		hold->trying = true;
		n--;
	}
	if (!hold->trying && hold->on && hold->until > now) {
		hold->allowed = 1;
		hold->next = hold->until;
		hold->until = 0;
		uet_hold_schedule(pdc, hold->next, now);
		return;
	}
	if (!hold->trying) {
		/* No held packet is left; new ones follow at the same pace. */
		if (hold->on)
			uet_hold_over(dest);
		hold->on = false;
		hold->ramp = hold->allowed < UET_HOLD_RAMP_END && !pdc->rod;
		hold->budget = hold->allowed;
		if (!hold->ramp)
			list_del_init(&dest->hold_node);
		uet_dest_activate(dest);
	}
	uet_pdc_tx_ready(pdc);
}

/**
 * uet_pdc_hold_given_up() - release held packets of messages given up
 * @pdc: the PDC
 * @dest: the queue
 * @now: time, ns
 *
 * They are resent at once, as MSG_ERROR. A try in flight ends by its answer, as
 * usual.
 *
 * Context: flow lock held.
 */
void uet_pdc_hold_given_up(struct uet_pdc *pdc, struct uet_dest *dest, u64 now)
{
	struct uet_hold *hold = &dest->hold;
	u32 psn = pdc->tx->win.una;

	lockdep_assert_held(&pdc->tx->flow->lock);
	while (uet_hold_next(pdc, dest, &psn)) {
		if (uet_psn_given_up(pdc, psn))
			uet_txwin_unhold(&pdc->tx->win, psn);
		psn++;
	}
	if (hold->on && !hold->trying) {
		hold->until = 0;
		hold->level = 0;
		hold->allowed = 1;
		uet_hold_release(pdc, dest, now);
	}
	uet_pdc_tx_ready(pdc);
}

/**
 * uet_pdc_pause() - pause new packets: the target had no room (NO_MATCH)
 * @pdc: the PDC
 * @dest: the queue
 * @now: time, ns
 *
 * Held packets are released first, since they stop CACK and the target takes
 * them now; the pause follows.
 *
 * Context: flow lock held.
 */
void uet_pdc_pause(struct uet_pdc *pdc, struct uet_dest *dest, u64 now)
{
	struct uet_hold *hold = &dest->hold;
	bool tried = hold->trying;

	lockdep_assert_held(&pdc->tx->flow->lock);
	if (hold->on) {
		if (tried)
			hold->until = now + uet_hold_pause(pdc, hold);
		return;
	}
	uet_hold_begin(pdc, dest, now);
	if (tried && hold->level < UET_HOLD_LEVEL_MAX)
		hold->level++;
	hold->trying = false;
	hold->allowed = 1;
	hold->next = now + uet_hold_pause(pdc, hold);
	uet_hold_schedule(pdc, hold->next, now);
}

/**
 * uet_pdc_hold_acked() - release more packets of dests whose try arrived
 * @pdc: a PDC with holds
 * @now: time, ns
 *
 * Context: flow lock held, after an ACK was processed.
 */
void uet_pdc_hold_acked(struct uet_pdc *pdc, u64 now)
{
	struct uet_txwin *win = &pdc->tx->win;
	struct uet_dest *dest, *next;

	lockdep_assert_held(&pdc->tx->flow->lock);
	list_for_each_entry_safe(dest, next, &pdc->tx->holds, hold_node) {
		struct uet_hold *hold = &dest->hold;

		if (!hold->trying)
			continue;
		if (uet_txwin_has(win, hold->psn) &&
		    !uet_txwin_is_sacked(win, hold->psn))
			continue;
		hold->level = 0;
		hold->allowed = min_t(u32, hold->allowed * 2,
				      UET_TXWIN_MAX_SLOTS);
		uet_hold_release(pdc, dest, now);
	}
}

/**
 * uet_pdc_hold_wake() - the receiver has room again (NACK RCVR_INFER_LOSS)
 * @pdc: the PDC
 * @psn: lowest PSN that it had NACKed for shortage
 * @now: time, ns
 *
 * Context: flow lock held.
 */
void uet_pdc_hold_wake(struct uet_pdc *pdc, u32 psn, u64 now)
{
	struct uet_dest *dest = uet_psn_dest(pdc, psn);

	lockdep_assert_held(&pdc->tx->flow->lock);
	if (!dest || !dest->hold.on || dest->hold.trying)
		return;
	dest->hold.level = 0;
	dest->hold.allowed = 1;
	uet_hold_release(pdc, dest, now);
}

/**
 * uet_pdc_hold_expire() - release packets whose pause has ended
 * @pdc: the PDC
 * @now: time, ns
 *
 * Context: flow lock held.
 */
void uet_pdc_hold_expire(struct uet_pdc *pdc, u64 now)
{
	struct uet_dest *dest, *next;
	u64 at = 0;

	lockdep_assert_held(&pdc->tx->flow->lock);
	list_for_each_entry_safe(dest, next, &pdc->tx->holds, hold_node) {
		struct uet_hold *hold = &dest->hold;

		if (!hold->on || hold->trying)
			continue;
		if (now >= hold->next)
			uet_hold_release(pdc, dest, now);
		if (hold->on && !hold->trying && (!at || hold->next < at))
			at = hold->next;
	}
	pdc->tx->hold_at = at;
}
