// SPDX-License-Identifier: GPL-2.0
/*
 * Messages that their target has deferred (UE 1.0 3.4.1, deferrable send), at their
 * source.
 *
 * A target without room for a deferrable message drops it and says so. The source stops
 * it, and once its packets are answered it is on no PDC any more, so that neither what
 * is behind it nor the life of a PDC depends on when the target has room. Then the
 * target asks for it by DEFERRABLE_RTR, a request of its own, from an offset on.
 *
 * The target names a message by a token, which this host has chosen at random: whoever
 * sees no packet of the message cannot ask for part of it in the name of the target.
 *
 * Nothing depends on the target's word: a message that nobody asks for is offered again
 * after net.uet.defer_timeout_ms. The target may have restarted, or have given its note
 * of the message to others.
 *
 * Not here: messages that the target refuses (uet_msg_again()) or NACKs for shortage
 * (core/snd/snd_hold.c), and deferred messages at their target (rx/ses/defer.c).
 */
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include <net/ipv6.h>

#include "compat.h"
#include "core/snd/snd_queue.h"
#include "mib.h"
#include "pdc/pdc.h"
#include "sock.h"
#include "tx/cms/flow.h"
#include "tx/msg/txmsg.h"
#include "tx/pds/half.h"
#include "tx/pds/pds.h"
#include "tx/queue/defer.h"

/* A message that no PDC took for now is tried again after this. */
#define UET_DEFER_RETRY		(HZ / 100 + 1)

/**
 * uet_defer_name() - give a message a token, which makes it deferrable
 * @msg: a message that is neither queued nor streamed, of an unordered queue
 *
 * Without memory it is sent as others are.
 *
 * Context: process; sleeps.
 */
void uet_defer_name(struct uet_txmsg *msg)
{
	struct uet_deferred *d = &msg->dest->un->deferred;
	u32 token, from = get_random_u32();

	if (xa_alloc_cyclic_bh(&d->tokens, &token, msg, XA_LIMIT(1, U32_MAX),
			       &from, GFP_KERNEL | __GFP_NOWARN) < 0)
		return;
	msg->token = token;
	msg->named = true;
}

static unsigned long uet_defer_timeout(const struct uet_net *un)
{
	return msecs_to_jiffies(READ_ONCE(un->sysctl.defer_timeout_ms));
}

/* Have the work run when it is next needed; d->lock held. */
static void uet_defer_schedule(struct uet_deferred *d, unsigned long pause)
{
	const struct uet_txmsg *msg;
	unsigned long now = jiffies;

	lockdep_assert_held(&d->lock);
	if (!list_empty(&d->asked)) {
		mod_delayed_work(system_percpu_wq, &d->work, pause);
		return;
	}
	msg = list_first_entry_or_null(&d->parked, struct uet_txmsg, park_node);
	if (msg)
		mod_delayed_work(system_percpu_wq, &d->work,
				 time_after(msg->park_until, now) ?
				 msg->park_until - now : 0);
}

/* A message is on no PDC. It goes on at once if the target has asked meanwhile. */
static void uet_defer_add(struct uet_txmsg *msg, unsigned long pause)
{
	struct uet_net *un = msg->dest->un;
	struct uet_deferred *d = &un->deferred;
	bool first;

	spin_lock(&d->lock);
	list_add_tail(&msg->m.node, &msg->dest->deferred);
	msg->park_until = jiffies + uet_defer_timeout(un);
	first = list_empty(&d->parked);
	list_add_tail(&msg->park_node, msg->asked ? &d->asked : &d->parked);
	if (msg->asked || first)
		uet_defer_schedule(d, pause);
	spin_unlock(&d->lock);
}

/**
 * uet_defer_park() - a deferred message leaves its PDC
 * @msg: message, in no list; the reference of its queue is kept
 *
 * Context: BH disabled, lock of its queue or of its flow held.
 */
void uet_defer_park(struct uet_txmsg *msg)
{
	uet_snd_restart(&msg->m, msg->m.from);
	msg->cursor = NULL;
	uet_defer_add(msg, 0);
}

/**
 * uet_msg_deferred() - the target defers a message
 * @pdc: the PDC
 * @msg: the message, deferrable
 *
 * Context: flow lock held.
 */
void uet_msg_deferred(struct uet_pdc *pdc, struct uet_txmsg *msg)
{
	lockdep_assert_held(&pdc->tx->flow->lock);
	if (!uet_snd_defer_msg(&pdc->tx->snd, &msg->m, ktime_get_ns()))
		return;
	UET_INC(pdc->un, MSG_DEFERRED);
}

/* The message with a token, with a reference */
static struct uet_txmsg *uet_defer_find(struct uet_deferred *d, u32 token,
					const struct uet_rtr *rtr)
{
	const struct uet_dest_key *key;
	struct uet_txmsg *msg;

	xa_lock_bh(&d->tokens);
	msg = token ? xa_load(&d->tokens, token) : NULL;
	/* A message has its name no longer than its memory. */
	if (msg && !refcount_inc_not_zero(&msg->ref))
		msg = NULL;
	xa_unlock_bh(&d->tokens);
	if (!msg)
		return NULL;
	key = &msg->dest->key;
	if (ipv6_addr_equal(&key->raddr, &rtr->raddr) && key->job == rtr->job)
		return msg;
	uet_txmsg_put(msg);
	return NULL;
}

/* Note what the target asks for; d->lock held. */
static void uet_defer_ask(struct uet_deferred *d, struct uet_txmsg *msg,
			  u32 target, u32 from)
{
	lockdep_assert_held(&d->lock);
	msg->asked = true;
	msg->asked_token = target;
	msg->asked_from = from;
	/* Else it is sent again when its packets are answered, or right now. */
	if (list_empty(&msg->park_node))
		return;
	list_move_tail(&msg->park_node, &d->asked);
	uet_defer_schedule(d, 0);
}

/**
 * uet_defer_restart() - DEFERRABLE_RTR: the target asks for a message
 * @un: namespace
 * @rtr: what it says
 *
 * Of the two tokens one is ours: the order is not the same with all implementations. It
 * may be asked for before the answer that defers it is here.
 *
 * Context: softirq.
 * Return: SES return code.
 */
u8 uet_defer_restart(struct uet_net *un, const struct uet_rtr *rtr)
{
	struct uet_deferred *d = &un->deferred;
	u32 target = rtr->tokens[1];
	struct uet_txmsg *msg;
	u8 rc = UET_RC_OK;

	msg = uet_defer_find(d, rtr->tokens[0], rtr);
	if (!msg) {
		msg = uet_defer_find(d, rtr->tokens[1], rtr);
		target = rtr->tokens[0];
	}
	/* It arrived, was cancelled, or has expired. */
	if (!msg)
		return UET_RC_CANCELLED;
	if (rtr->from < msg->m.len) {
		spin_lock(&d->lock);
		uet_defer_ask(d, msg, target, (u32)rtr->from);
		spin_unlock(&d->lock);
	} else {
		rc = UET_RC_OP_VIOLATION;
	}
	UET_INC(un, RX_RTR);
	uet_txmsg_put(msg);
	return rc;
}

/* Has its socket closed too long ago? dest->lock held. */
static bool uet_defer_orphaned(const struct uet_dest *dest)
{
	u64 most = (u64)READ_ONCE(dest->un->sysctl.orphan_timeout_s) *
		   NSEC_PER_SEC;

	lockdep_assert_held(&dest->lock);
	return !dest->us && ktime_get_ns() >= dest->progress + most;
}

/* Why a message is not sent again, an errno, or 0; dest->lock held. */
static int uet_defer_ends(const struct uet_txmsg *msg)
{
	const struct uet_dest *dest = msg->dest;

	if (READ_ONCE(dest->un->exiting))
		return -ENETDOWN;
	if (msg->m.withdrawn)
		return -ECANCELED;
	if (!uet_defer_orphaned(dest))
		return 0;
	UET_INC(dest->un, MSG_ORPHANED);
	return -ETIMEDOUT;
}

/* Let a message that was taken leave its queue of deferred ones. Returns false if it
 * ends instead of being sent again.
 */
static bool uet_defer_leave(struct uet_txmsg *msg)
{
	struct uet_dest *dest = msg->dest;
	struct uet_deferred *d = &dest->un->deferred;
	int error;

	spin_lock_bh(&dest->lock);
	spin_lock(&d->lock);
	list_del_init(&msg->m.node);
	if (msg->asked) {
		msg->m.from = msg->asked_from;
		msg->target_token = msg->asked_token;
	}
	msg->asked = false;
	spin_unlock(&d->lock);
	error = uet_defer_ends(msg);
	if (error) {
		uet_msg_strand(msg, -error);
	} else {
		uet_snd_restart(&msg->m, msg->m.from);
		msg->moving = true;
		dest->submitting++;
	}
	spin_unlock_bh(&dest->lock);
	return !error;
}

/* No PDC took a message. */
static void uet_defer_failed(struct uet_txmsg *msg, int err)
{
	lockdep_assert_held(&msg->dest->lock);
	if (err != -EAGAIN && err != -ENOBUFS && err != -ENOMEM) {
		uet_msg_strand(msg, -err);
		return;
	}
	msg->moving = false;
	msg->asked = true;
	msg->asked_from = msg->m.from;
	msg->asked_token = msg->target_token;
	uet_defer_add(msg, UET_DEFER_RETRY);
}

/* Send a message again that was taken. */
static void uet_defer_resend(struct uet_txmsg *msg)
{
	struct uet_dest *dest = msg->dest;
	int err;

	refcount_inc(&dest->ref);
	if (!uet_defer_leave(msg))
		goto out;
	err = uet_pds_submit(msg, false);
	if (!err)
		UET_INC(dest->un, MSG_RESTARTED);
	spin_lock_bh(&dest->lock);
	dest->submitting--;
	if (err)
		uet_defer_failed(msg, err);
	spin_unlock_bh(&dest->lock);
out:
	uet_dest_put(dest);
}

/* Move what is due to @batch. */
static void uet_defer_due(struct uet_deferred *d, struct list_head *batch)
{
	struct uet_txmsg *msg, *next;

	spin_lock_bh(&d->lock);
	list_splice_tail_init(&d->asked, batch);
	list_for_each_entry_safe(msg, next, &d->parked, park_node) {
		if (time_after(msg->park_until, jiffies))
			break;
		list_move_tail(&msg->park_node, batch);
	}
	spin_unlock_bh(&d->lock);
}

/* Take the next one; until it leaves its queue it is known to be under way. */
static struct uet_txmsg *uet_defer_take(struct uet_deferred *d,
					struct list_head *batch)
{
	struct uet_txmsg *msg;

	spin_lock_bh(&d->lock);
	msg = list_first_entry_or_null(batch, struct uet_txmsg, park_node);
	if (msg)
		list_del_init(&msg->park_node);
	spin_unlock_bh(&d->lock);
	return msg;
}

static void uet_defer_work(struct work_struct *work)
{
	struct uet_deferred *d = container_of(to_delayed_work(work),
					      struct uet_deferred, work);
	struct uet_txmsg *msg;
	LIST_HEAD(batch);

	uet_defer_due(d, &batch);
	while ((msg = uet_defer_take(d, &batch))) {
		uet_defer_resend(msg);
		cond_resched();
	}
	spin_lock_bh(&d->lock);
	uet_defer_schedule(d, UET_DEFER_RETRY);
	spin_unlock_bh(&d->lock);
}

/**
 * uet_defer_pull() - take deferred messages out of their queue for good
 * @dest: the queue
 * @meant: is it one of them?
 * @arg: for @meant
 * @to: gets them
 *
 * Context: dest->lock held.
 * Return: true if one is just being sent again, and was not looked at.
 */
bool uet_defer_pull(struct uet_dest *dest,
		    bool (*meant)(const struct uet_txmsg *msg, void *arg),
		    void *arg, struct list_head *to)
{
	struct uet_deferred *d = &dest->un->deferred;
	struct uet_txmsg *msg, *next;
	bool busy = false;

	lockdep_assert_held(&dest->lock);
	if (likely(list_empty(&dest->deferred)))
		return false;
	spin_lock(&d->lock);
	list_for_each_entry_safe(msg, next, &dest->deferred, m.node) {
		if (list_empty(&msg->park_node)) {
			busy = true;
		} else if (meant(msg, arg)) {
			list_del_init(&msg->park_node);
			list_move_tail(&msg->m.node, to);
		}
	}
	spin_unlock(&d->lock);
	return busy;
}

/**
 * uet_defer_lock() - keep the deferred messages of queues as they are
 * @un: namespace
 *
 * Context: BH disabled.
 */
void uet_defer_lock(struct uet_net *un)
{
	spin_lock(&un->deferred.lock);
}

/**
 * uet_defer_unlock() - undo uet_defer_lock()
 * @un: namespace
 */
void uet_defer_unlock(struct uet_net *un)
{
	spin_unlock(&un->deferred.lock);
}

/**
 * uet_defer_init() - prepare a namespace
 * @un: namespace
 */
void uet_defer_init(struct uet_net *un)
{
	struct uet_deferred *d = &un->deferred;

	spin_lock_init(&d->lock);
	xa_init_flags(&d->tokens, XA_FLAGS_ALLOC1 | XA_FLAGS_LOCK_BH |
				  XA_FLAGS_ACCOUNT);
	INIT_LIST_HEAD(&d->asked);
	INIT_LIST_HEAD(&d->parked);
	INIT_DELAYED_WORK(&d->work, uet_defer_work);
}

/**
 * uet_defer_exit() - end what is deferred
 * @un: namespace, exiting, without PDCs that have messages
 */
void uet_defer_exit(struct uet_net *un)
{
	struct uet_deferred *d = &un->deferred;
	struct uet_txmsg *msg;
	LIST_HEAD(batch);

	cancel_delayed_work_sync(&d->work);
	spin_lock_bh(&d->lock);
	list_splice_tail_init(&d->asked, &batch);
	list_splice_tail_init(&d->parked, &batch);
	spin_unlock_bh(&d->lock);
	while ((msg = uet_defer_take(d, &batch)))
		uet_defer_resend(msg);
	WARN_ON_ONCE(!xa_empty(&d->tokens));
	xa_destroy(&d->tokens);
}
