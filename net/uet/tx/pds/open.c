// SPDX-License-Identifier: GPL-2.0
/*
 * Creation and end of the sending half of a PDC (UE 1.0 3.5.8).
 *
 * It dies under the flow lock. A work item then deals with its messages, since
 * it may take locks that cannot nest in the flow lock.
 *
 * Not here: closing in order (tx/pds/close.c), messages of dead PDCs
 * (tx/queue/salvage.c).
 */
#include <linux/ktime.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/uet.h>

#include "compat.h"
#include "link/encap.h"
#include "link/habits.h"
#include "link/peer.h"
#include "link/peer_profile.h"
#include "mib.h"
#include "pdc/pdc.h"
#include "tx/cms/flow.h"
#include "tx/pds/half.h"
#include "tx/queue/defer.h"

static struct kmem_cache *uet_pdc_tx_cache;

static int uet_pdc_tx_alloc(struct uet_pdc *pdc, struct uet_flow *flow,
			    struct uet_pdc_tx **out)
{
	struct uet_pdc_tx *tx;
	u32 window;

	tx = kmem_cache_zalloc(uet_pdc_tx_cache, GFP_KERNEL);
	if (!tx)
		return -ENOMEM;
	tx->pdc = pdc;
	tx->flow = flow;
	tx->reap_node.next = &tx->reap_node;
	INIT_LIST_HEAD(&tx->peer_node);
	INIT_LIST_HEAD(&tx->dests);
	uet_snd_init(&tx->snd, &flow->snd, pdc->start_psn, pdc->rod,
		     get_random_u32(), ktime_get_ns());
	window = FIELD_GET(UET_PROFILE_WINDOW, uet_peer_profile(pdc->peer));
	if (unlikely(window))
		uet_txwin_narrow(&tx->snd.win, window);
	*out = tx;
	return 0;
}

/* Let the sending half be chosen for messages. */
static void uet_pdc_tx_enlist(struct uet_pdc *pdc)
{
	struct uet_peer *peer = pdc->peer;

	spin_lock_bh(&peer->lock);
	/* The reaper sets @dying before it unlinks the half under this lock. */
	if (!READ_ONCE(pdc->dying))
		list_add(&pdc->tx->peer_node, &peer->tx_halves);
	peer->confirmed = true;
	spin_unlock_bh(&peer->lock);
}

/**
 * uet_pdc_open() - make a PDC to send by
 * @peer: both FEPs
 * @flow: its congestion control context; the PDC takes a reference
 * @acc: account of the user who needs it
 * @job: job id of its messages
 * @rod: ordered delivery
 *
 * Nothing is sent here: the first request opens the PDC (0-RTT).
 *
 * Context: process, under uet_net.open_mutex.
 * Return: the PDC with a reference for the caller, or NULL at a limit or
 * without memory.
 */
struct uet_pdc *uet_pdc_open(struct uet_peer *peer, struct uet_flow *flow,
			     struct uet_account *acc, u32 job, bool rod)
{
	struct uet_pdc *pdc;

	pdc = uet_pdc_alloc(peer, acc, rod, GFP_KERNEL);
	if (!pdc)
		return NULL;
	/* Random within [2^16, 2^31) */
	pdc->start_psn = 0x10000 +
			 get_random_u32() % (0x80000000U - 0x10000);
	pdc->job = job;
	pdc->tclass = flow->tclass;
	if (uet_pdc_tx_alloc(pdc, flow, &pdc->tx) ||
	    uet_pdc_take_id(pdc, GFP_KERNEL)) {
		uet_pdc_discard(pdc);
		return NULL;
	}
	pdc->tx->snd.state = UET_PDC_SYN;
	spin_lock_bh(&flow->lock);
	refcount_inc(&flow->ref);
	refcount_inc(&pdc->ref);
	uet_pdc_publish(pdc);
	uet_pdc_tx_enlist(pdc);
	/* The idle timer closes a PDC that is never used. */
	uet_pdc_arm(pdc, pdc->tx->snd.heard + NSEC_PER_SEC);
	spin_unlock_bh(&flow->lock);
	uet_pdc_tell(pdc, UET_PDC_OPENED);
	return pdc;
}

/**
 * uet_pdc_return() - add a sending half to a PDC that the peer opened
 * @pdc: the PDC, with a reference
 * @flow: its congestion control context here; the PDC takes a reference
 *
 * Context: process, under uet_net.open_mutex.
 * Return: 0, -ENOMEM, or -EAGAIN if the PDC is about to go.
 */
int uet_pdc_return(struct uet_pdc *pdc, struct uet_flow *flow)
{
	struct uet_pdc_tx *tx;
	int err;

	err = uet_pdc_tx_alloc(pdc, flow, &tx);
	if (err)
		return err;
	tx->snd.state = UET_PDC_ESTABLISHED;
	refcount_inc(&flow->ref);
	if (!uet_pdc_rx_ops->join(pdc, tx)) {
		uet_flow_put(flow);
		kmem_cache_free(uet_pdc_tx_cache, tx);
		return -EAGAIN;
	}
	uet_pdc_unoffer(pdc);
	uet_pdc_tx_enlist(pdc);
	uet_pdc_tell(pdc, UET_PDC_RETURNED);
	return 0;
}

/* Queue a PDC for the reaper, once. */
static void uet_pdc_reap_later(struct uet_pdc *pdc)
{
	struct llist_node *node = &pdc->tx->reap_node;
	struct uet_net *un = pdc->un;

	if (cmpxchg(&node->next, node, NULL) != node)
		return;
	refcount_inc(&pdc->ref);
	llist_add(node, &un->reap);
	schedule_work(&un->reap_work);
}

/**
 * uet_pdc_die() - set the sending half DEAD
 * @pdc: the PDC, not dead
 * @error: errno for its messages; 0 for an orderly close
 * @source: enum uet_report_source
 * @code: code of that source
 *
 * The caller calls uet_pdc_bury(), now or later.
 *
 * Context: BH disabled, flow lock held.
 */
void uet_pdc_die(struct uet_pdc *pdc, int error, u8 source, u16 code)
{
	lockdep_assert_held(&pdc->tx->flow->lock);
	pdc->tx->snd.state = UET_PDC_DEAD;
	pdc->tx->died_at = ktime_get_ns();
	pdc->tx->error = (u8)error;
	pdc->tx->err_source = source;
	pdc->tx->err_code = code;
	list_del_init(&pdc->tx->snd.ready_node);
	uet_pdc_tx_silent(pdc, false);
	/* The peer may have restarted without support for return requests. */
	if (error && !pdc->initiator)
		uet_habit_returns_not(&pdc->peer->habits);
	if (error)
		uet_pdc_tell_failed(pdc, error, source, code);
	else
		uet_pdc_tell(pdc, UET_PDC_CLOSED);
}

/**
 * uet_pdc_bury() - have a work item fail or move the messages of a dead PDC
 * @pdc: the PDC
 *
 * Repeated calls have no effect.
 *
 * Context: BH disabled, flow lock held.
 */
void uet_pdc_bury(struct uet_pdc *pdc)
{
	lockdep_assert_held(&pdc->tx->flow->lock);
	uet_pdc_reap_later(pdc);
}

/**
 * uet_pdc_fail() - set the sending half DEAD and bury it
 * @pdc: the PDC
 * @error: errno for its messages; 0 for an orderly close
 * @source: enum uet_report_source
 * @code: code of that source
 *
 * Context: BH disabled, flow lock held.
 */
void uet_pdc_fail(struct uet_pdc *pdc, int error, u8 source, u16 code)
{
	lockdep_assert_held(&pdc->tx->flow->lock);
	if (pdc->tx->snd.state != UET_PDC_DEAD)
		uet_pdc_die(pdc, error, source, code);
	uet_pdc_bury(pdc);
}

/* A sending half that is not dead yet ends because the receiving half died:
 * messages that the peer cannot have accepted move to another PDC.
 */
static void uet_pdc_end_tx(struct uet_pdc *pdc)
{
	struct uet_flow *flow = pdc->tx->flow;

	/* Pairs with uet_pdc_rx_attach() */
	smp_store_mb(pdc->dying, true);

	spin_lock_bh(&flow->lock);
	if (pdc->tx->snd.state != UET_PDC_DEAD) {
		pdc->tx->movable = true;
		/* An orderly close, unless messages are left */
		uet_pdc_die(pdc, pdc->tx->snd.nr_msgs ? ECONNRESET : 0,
			    UET_REPORT_LOCAL, 0);
	}
	spin_unlock_bh(&flow->lock);
}

/* Clean up after a sending half that died. */
static void uet_pdc_reap(struct uet_pdc *pdc)
{
	struct uet_peer *peer = pdc->peer;

	uet_pdc_end_tx(pdc);
	spin_lock_bh(&peer->lock);
	list_del_init(&pdc->tx->peer_node);
	spin_unlock_bh(&peer->lock);
	if (uet_pdc_rx(pdc))
		uet_pdc_rx_ops->other_died(pdc);
	uet_pds_salvage(pdc);
	uet_pdc_half_gone(pdc);
	uet_pdc_put(pdc);	/* the reap list's */
}

/**
 * uet_pdc_flush() - reap the PDCs that died, and move messages that waited for theirs
 * @un: namespace
 *
 * Context: process.
 */
void uet_pdc_flush(struct uet_net *un)
{
	struct llist_node *list = llist_del_all(&un->reap);
	struct uet_pdc_tx *tx, *next;

	llist_for_each_entry_safe(tx, next, list, reap_node)
		uet_pdc_reap(tx->pdc);
	uet_dests_move(un);
}

static void uet_pdc_tx_kill(struct uet_pdc *pdc)
{
	struct uet_flow *flow = pdc->tx->flow;

	spin_lock_bh(&flow->lock);
	flow->dead = true;
	uet_pdc_fail(pdc, ENETDOWN, UET_REPORT_LOCAL, 0);
	spin_unlock_bh(&flow->lock);
}

static void uet_pdc_tx_release(struct uet_pdc *pdc)
{
	WARN_ON_ONCE(pdc->tx->snd.state != UET_PDC_DEAD);
	uet_flow_put(pdc->tx->flow);
}

static void uet_pdc_tx_free(struct uet_pdc *pdc)
{
	kmem_cache_free(uet_pdc_tx_cache, pdc->tx);
}

static bool uet_pdc_tx_busy(const struct uet_pdc *pdc)
{
	const struct uet_pdc_tx *tx = pdc->tx;

	return READ_ONCE(tx->snd.nr_msgs) ||
	       (READ_ONCE(tx->snd.state) < UET_PDC_CLOSING &&
		uet_txwin_outstanding(&tx->snd.win));
}

static u64 uet_pdc_tx_heard(const struct uet_pdc *pdc)
{
	return READ_ONCE(pdc->tx->snd.heard);
}

static bool uet_pdc_tx_left(const struct uet_pdc *pdc)
{
	return READ_ONCE(pdc->tx->flow->old);
}

/* Send CLOSE_REQ with a PSN of the sending half. */
static void uet_pdc_tx_close(struct uet_pdc *pdc)
{
	struct uet_flow *flow = pdc->tx->flow;
	struct sk_buff_head list;
	u64 now = ktime_get_ns();
	struct sk_buff *skb;

	__skb_queue_head_init(&list);
	spin_lock(&flow->lock);
	if ((pdc->tx->snd.state == UET_PDC_ESTABLISHED ||
	     pdc->tx->snd.state == UET_PDC_QUIESCE) && !uet_pdc_tx_busy(pdc)) {
		uet_pdc_close(pdc, &list, now);
		uet_pdc_tx_arm(pdc);
	}
	spin_unlock(&flow->lock);
	while ((skb = __skb_dequeue(&list)))
		uet_output_one(pdc->peer, skb);
}

static bool uet_pdc_tx_closing(const struct uet_pdc *pdc)
{
	return READ_ONCE(pdc->tx->snd.state) >= UET_PDC_CLOSING;
}

static void uet_pdc_tx_other_died(struct uet_pdc *pdc)
{
	/* From now on the PDC is not chosen for messages. */
	WRITE_ONCE(pdc->dying, true);
	uet_pdc_reap_later(pdc);
}

static const struct uet_pdc_ops uet_pdc_tx_side = {
	.timer		= uet_pdc_tx_timer,
	.busy		= uet_pdc_tx_busy,
	.heard		= uet_pdc_tx_heard,
	.left		= uet_pdc_tx_left,
	.close		= uet_pdc_tx_close,
	.closing	= uet_pdc_tx_closing,
	.other_died	= uet_pdc_tx_other_died,
	.restart	= uet_defer_restart,
	.kill		= uet_pdc_tx_kill,
	.release	= uet_pdc_tx_release,
	.free		= uet_pdc_tx_free,
};

/**
 * uet_pdc_tx_init() - make the slab cache
 *
 * A cache of its own: kmalloc() would round up, and hosts of a large job have
 * many thousands of them.
 *
 * Return: 0 or -ENOMEM.
 */
int __init uet_pdc_tx_init(void)
{
	uet_pdc_tx_cache = kmem_cache_create("uet_pdc_tx",
					     sizeof(struct uet_pdc_tx), 0,
					     SLAB_ACCOUNT | SLAB_NO_MERGE, NULL);
	uet_pdc_tx_ops = &uet_pdc_tx_side;
	return uet_pdc_tx_cache ? 0 : -ENOMEM;
}

/**
 * uet_pdc_tx_exit() - destroy the slab cache, after an RCU barrier
 */
void uet_pdc_tx_exit(void)
{
	kmem_cache_destroy(uet_pdc_tx_cache);
}
