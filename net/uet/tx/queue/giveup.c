// SPDX-License-Identifier: GPL-2.0
/*
 * Messages that are given up: because their sendmsg() was cut short, they
 * expired, they were cancelled, SO_LINGER ran out, or their socket closed and
 * nothing of its queue was acknowledged for net.uet.orphan_timeout_s.
 *
 * A message of which nothing was sent is dropped. For any other the target must
 * learn that no more follows: if it is not all sent MSG_ERROR ends it, and each
 * of its packets that is missing at the target is resent as MSG_ERROR, with its
 * PSN but without payload (see "Rules of this module" in uet-rules.rst). So
 * its data is freed at once. The target needs no room for such a packet, hence
 * CACK advances even if the reader stopped, and other messages of the PDC lose
 * nothing and keep their order. Data that arrived before completes the message
 * at the target or is dropped there.
 *
 * UE 1.0 has no other contents for a PSN that was used. To a peer that may not take
 * them (uet_peer_takes_errors()) missing packets are resent as they were: the data
 * stays until the target has it. MSG_ERROR still ends a message that is not all sent,
 * by a PSN of its own.
 *
 * Not here: deadlines and cancellation (tx/queue/deadline.c).
 */
#include <linux/ktime.h>

#include "core/snd/snd_hold.h"
#include "core/snd/snd_queue.h"
#include "link/peer_profile.h"
#include "mib.h"
#include "pdc/pdc.h"
#include "tx/cms/flow.h"
#include "tx/msg/op.h"
#include "tx/msg/txmsg.h"
#include "tx/msg/txpin.h"
#include "tx/pds/half.h"
#include "tx/pds/pds.h"
#include "tx/queue/defer.h"

/* Queues given up per check of a PDC, which may have very many, and checks per
 * orphan_timeout_s
 */
#define UET_ORPHANS_BUDGET	32
#define UET_ORPHANS_LOOKS	16

/* Free the data of a message that is given up; flow lock held. */
static void uet_msg_abandon(struct uet_pdc *pdc, struct uet_txmsg *msg, u64 now)
{
	struct uet_snd *s = &pdc->tx->snd;

	lockdep_assert_held(&pdc->tx->flow->lock);
	msg->m.withdrawn = true;	/* ended by MSG_ERROR */
	if (msg->m.state == UET_MSG_QUEUED) {
		if (uet_snd_drop(s, &msg->m, now))
			uet_dest_emptied(pdc, msg->dest, now);
		uet_txmsg_put(msg);
		return;
	}
	msg->m.state = UET_MSG_FAILED;
	if (likely(uet_peer_takes_errors(pdc->peer))) {
		msg->m.given_up = true;
		uet_txdata_release(msg, U32_MAX);
		/* Nor does it keep its program waiting, which may have ended. */
		if (msg->lent)
			uet_txpin_drop(msg);
	}
	if (!msg->m.all_sent)
		uet_snd_activate(s, &msg->dest->q, now);
}

/* Give a message up, whatever was sent of it; flow lock held. */
static void uet_msg_withdraw(struct uet_pdc *pdc, struct uet_txmsg *msg,
			     u64 now)
{
	lockdep_assert_held(&pdc->tx->flow->lock);
	if (msg->m.given_up || msg->m.state == UET_MSG_DONE)
		return;
	msg->m.withdrawn = true;	/* not reported */
	if (msg->m.state != UET_MSG_FAILED)
		uet_txmsg_done(msg, ECANCELED, UET_REPORT_LOCAL, 0);
	uet_msg_abandon(pdc, msg, now);
}

/* Give up all messages of a queue; flow lock held. */
static void uet_dest_give_up(struct uet_pdc *pdc, struct uet_dest *dest,
			     u64 now)
{
	struct uet_txmsg *msg, *next;

	lockdep_assert_held(&pdc->tx->flow->lock);
	list_for_each_entry_safe(msg, next, &dest->q.msgs, m.node)
		uet_msg_withdraw(pdc, msg, now);
	list_for_each_entry(msg, &dest->q.sent, m.node)
		uet_msg_withdraw(pdc, msg, now);
	uet_snd_hold_given_up(&pdc->tx->snd, &dest->q, now);
	uet_pdc_tx_arm(pdc);
}

/**
 * uet_pds_withdraw() - give up a message whose sendmsg() was cut short
 * @msg: the message; not reported, the caller returns the error
 *
 * Context: process.
 */
void uet_pds_withdraw(struct uet_txmsg *msg)
{
	struct uet_dest *dest = msg->dest;
	struct uet_pdc *pdc = uet_msg_lock(msg);
	u64 now;

	if (!pdc) {
		/* MSG_ERROR ends it on the next PDC. */
		msg->m.withdrawn = true;
		spin_unlock_bh(&dest->lock);
		return;
	}
	now = ktime_get_ns();
	uet_msg_withdraw(pdc, msg, now);
	uet_snd_hold_given_up(&pdc->tx->snd, &dest->q, now);
	uet_pdc_tx_arm(pdc);
	uet_dest_unlock_run(dest, pdc);
}

static bool uet_msg_is_any(const struct uet_txmsg *msg, void *arg)
{
	return true;
}

/* End all that the target deferred, unreported; dest->lock held. */
static void uet_deferred_discard(struct uet_dest *dest)
{
	struct uet_txmsg *msg, *next;
	LIST_HEAD(gone);

	/* Also what is just being sent again: it ends instead. */
	uet_defer_lock(dest->un);
	list_for_each_entry(msg, &dest->deferred, m.node)
		msg->m.withdrawn = true;
	uet_defer_unlock(dest->un);
	uet_defer_pull(dest, uet_msg_is_any, NULL, &gone);
	list_for_each_entry_safe(msg, next, &gone, m.node) {
		list_del_init(&msg->m.node);
		uet_msg_strand(msg, ECANCELED);
	}
}

/**
 * uet_pds_discard() - give up all messages of a queue (SO_LINGER ran out)
 * @dest: the queue
 *
 * Context: process.
 */
void uet_pds_discard(struct uet_dest *dest)
{
	struct uet_txmsg *msg;
	struct uet_pdc *pdc;

	spin_lock_bh(&dest->lock);
	list_for_each_entry(msg, &dest->moving, m.node)
		msg->m.withdrawn = true;
	uet_deferred_discard(dest);
	spin_unlock_bh(&dest->lock);
	pdc = uet_dest_lock(dest);
	if (!pdc)
		return;
	uet_dest_give_up(pdc, dest, ktime_get_ns());
	uet_dest_unlock_run(dest, pdc);
}

/*
 * Does a message still wait to be delivered? MSG_ERROR also ends one that the
 * target did not take and that is sent again later (uet_snd_msg.again): that one
 * does.
 */
static bool uet_msg_is_under_way(const struct uet_snd_msg *m)
{
	return m->state < UET_MSG_FAILED && (!m->withdrawn || m->again);
}

static bool uet_msg_is_meant(const struct uet_txmsg *msg, void *arg)
{
	struct uet_txdrop *drop = arg;

	if (!uet_msg_is_under_way(&msg->m))
		return false;
	if (drop->gone)
		return uet_op_gone(msg);
	if (drop->named)
		return msg->cookie == drop->cookie && !msg->dest->key.watch;
	if (msg->deadline && msg->deadline > drop->now)
		drop->next = min_not_zero(drop->next, msg->deadline);
	return msg->deadline && msg->deadline <= drop->now;
}

/* Messages that are about to move; nothing of them was accepted. */
static void uet_moving_drop(struct uet_dest *dest, struct uet_txdrop *drop)
{
	struct uet_txmsg *msg, *next;

	lockdep_assert_held(&dest->lock);
	list_for_each_entry_safe(msg, next, &dest->moving, m.node) {
		if (!uet_msg_is_meant(msg, drop))
			continue;
		list_del_init(&msg->m.node);
		uet_msg_strand(msg, drop->error);
		drop->dropped++;
	}
	drop->moving |= dest->submitting;
}

/* Messages that the target deferred; nothing of them is under way. */
static void uet_deferred_drop(struct uet_dest *dest, struct uet_txdrop *drop)
{
	struct uet_txmsg *msg, *next;
	LIST_HEAD(gone);

	drop->moving |= uet_defer_pull(dest, uet_msg_is_meant, drop, &gone);
	list_for_each_entry_safe(msg, next, &gone, m.node) {
		list_del_init(&msg->m.node);
		uet_msg_strand(msg, drop->error);
		drop->dropped++;
	}
}

static void uet_msgs_drop(struct uet_pdc *pdc, struct list_head *list,
			  struct uet_txdrop *drop, u64 now)
{
	struct uet_txmsg *msg, *next;

	list_for_each_entry_safe(msg, next, list, m.node) {
		if (!uet_msg_is_meant(msg, drop))
			continue;
		uet_snd_not_again(&msg->m);
		uet_txmsg_done(msg, drop->error, UET_REPORT_LOCAL, 0);
		uet_msg_abandon(pdc, msg, now);
		drop->dropped++;
	}
}

/**
 * uet_pds_drop() - give up messages that expired or were cancelled, and report
 * @dest: the queue
 * @drop: selects the messages, gets the result
 *
 * A message that was sent may still have arrived. Of a dead PDC uet_pds_salvage()
 * ends what was begun; it moves none that was given up.
 *
 * Context: process.
 */
void uet_pds_drop(struct uet_dest *dest, struct uet_txdrop *drop)
{
	struct uet_pdc *pdc;
	u32 before;
	u64 now;

	spin_lock_bh(&dest->lock);
	uet_moving_drop(dest, drop);
	uet_deferred_drop(dest, drop);
	pdc = dest->pdc;
	if (!pdc) {
		spin_unlock_bh(&dest->lock);
		return;
	}
	spin_lock(&pdc->tx->flow->lock);
	/* Under the lock: times of a sender must not go back. */
	now = ktime_get_ns();
	before = drop->dropped;
	uet_msgs_drop(pdc, &dest->q.msgs, drop, now);
	uet_msgs_drop(pdc, &dest->q.sent, drop, now);
	if (drop->dropped != before) {
		uet_snd_hold_given_up(&pdc->tx->snd, &dest->q, now);
		uet_pdc_tx_arm(pdc);
	}
	uet_dest_unlock_run(dest, pdc);
}

static u64 uet_orphan_timeout(const struct uet_pdc *pdc)
{
	return (u64)READ_ONCE(pdc->un->sysctl.orphan_timeout_s) * NSEC_PER_SEC;
}

/**
 * uet_orphan_watch() - schedule the check of a queue without a socket
 * @pdc: the PDC
 * @dest: the queue
 * @now: time, ns
 *
 * Context: flow lock held.
 */
void uet_orphan_watch(struct uet_pdc *pdc, struct uet_dest *dest, u64 now)
{
	u64 at = max(dest->progress + uet_orphan_timeout(pdc), now + 1);

	lockdep_assert_held(&pdc->tx->flow->lock);
	dest->given_up = false;
	if (pdc->tx->snd.state == UET_PDC_DEAD)
		return;
	if (pdc->tx->orphan_at && pdc->tx->orphan_at <= at)
		return;
	pdc->tx->orphan_at = at;
	uet_pdc_arm(pdc, at);
}

/**
 * uet_pds_orphan() - the socket of a queue closes
 * @dest: the queue; its messages go on without report and socket
 *
 * Context: process.
 */
void uet_pds_orphan(struct uet_dest *dest)
{
	struct uet_pdc *pdc;
	u64 now = ktime_get_ns();

	spin_lock_bh(&dest->lock);
	dest->progress = now;
	pdc = dest->pdc;
	if (pdc) {
		spin_lock(&pdc->tx->flow->lock);
		dest->us = NULL;
		if (dest->q.unfinished)
			uet_orphan_watch(pdc, dest, now);
		spin_unlock(&pdc->tx->flow->lock);
		if (!dest->q.unfinished)
			uet_dest_unbind(dest);
	} else {
		dest->us = NULL;
	}
	spin_unlock_bh(&dest->lock);
}

/* Are all messages left on a PDC given up? */
static bool uet_pdc_given_up(const struct uet_pdc *pdc)
{
	const struct uet_dest *dest;

	if (!pdc->tx->snd.nr_msgs)
		return false;
	list_for_each_entry(dest, &pdc->tx->dests, pdc_node)
		if (dest->q.unfinished && !dest->given_up)
			return false;
	return true;
}

/**
 * uet_orphans_expire() - give up queues without a socket and without progress
 * @pdc: the PDC
 * @now: time, ns
 *
 * A PDC on which nothing else is left fails if the target does not take even
 * MSG_ERROR for another orphan_timeout_s, or if the PDC was never established.
 * Queues beyond the budget wait for a check a millisecond later.
 *
 * Context: softirq, flow lock held.
 */
void uet_orphans_expire(struct uet_pdc *pdc, u64 now)
{
	u64 timeout = uet_orphan_timeout(pdc), at = 0;
	u32 budget = UET_ORPHANS_BUDGET;
	struct uet_dest *dest;
	bool end = false;

	lockdep_assert_held(&pdc->tx->flow->lock);
	list_for_each_entry(dest, &pdc->tx->dests, pdc_node) {
		if (dest->us || !dest->q.unfinished)
			continue;
		if (now >= dest->progress + timeout) {
			if (!budget--) {
				pdc->tx->orphan_at = now + NSEC_PER_MSEC;
				return;
			}
			end |= dest->given_up ||
			       pdc->tx->snd.state == UET_PDC_SYN;
			UET_ADD(pdc->un, MSG_ORPHANED,
				dest->given_up ? 0 : dest->q.unfinished);
			dest->given_up = true;
			dest->progress = now;
			uet_dest_give_up(pdc, dest, now);
		}
		if (dest->q.unfinished && (!at || dest->progress + timeout < at))
			at = dest->progress + timeout;
	}
	pdc->tx->orphan_at = at ? max(at, now + timeout / UET_ORPHANS_LOOKS) : 0;
	/* The receiving half may still be in use. */
	if (end && uet_pdc_given_up(pdc) &&
	    !(uet_pdc_rx(pdc) && uet_pdc_rx_ops->busy(pdc)))
		uet_pdc_fail(pdc, ETIMEDOUT, UET_REPORT_LOCAL, 0);
}
