// SPDX-License-Identifier: GPL-2.0
/*
 * PDC objects: creation, PDCIDs, limits, death. How peers open them is in
 * rx/accept.c.
 */
#include <linux/jhash.h>
#include <linux/ktime.h>
#include <linux/random.h>
#include <linux/rhashtable.h>
#include <linux/slab.h>
#include <linux/wait_bit.h>

#include "compat.h"
#include "link/encap.h"
#include "link/peer.h"
#include "mib.h"
#include "pdc/credit.h"
#include "pdc/pdc.h"
#include "tx/flow.h"
#include "tx/pds.h"
#include "tx/txmsg.h"

static struct kmem_cache *uet_pdc_cache;

/**
 * uet_pdc_cache_init() - make the slab cache
 *
 * Hosts of a large job have many thousands: nothing is to be rounded up.
 *
 * Return: 0 or -ENOMEM.
 */
int uet_pdc_cache_init(void)
{
	uet_pdc_cache = kmem_cache_create("uet_pdc", sizeof(struct uet_pdc), 0,
					  SLAB_HWCACHE_ALIGN | SLAB_ACCOUNT |
					  SLAB_NO_MERGE, NULL);
	return uet_pdc_cache ? 0 : -ENOMEM;
}

/**
 * uet_pdc_cache_exit() - destroy it, after an RCU barrier
 */
void uet_pdc_cache_exit(void)
{
	kmem_cache_destroy(uet_pdc_cache);
}

static struct uet_pdc __rcu **uet_pdc_recent(struct uet_fep *fep, u16 id)
{
	return &fep->recent[id % UET_PDC_RECENT];
}

/**
 * uet_pdc_by_id() - the PDC a packet names by its dpdcid
 * @un: namespace
 * @laddr: destination address of the packet
 * @id: dpdcid
 *
 * Context: RCU read side.
 * Return: the PDC or NULL.
 */
struct uet_pdc *uet_pdc_by_id(struct uet_net *un, const struct in6_addr *laddr,
			      u16 id)
{
	struct uet_fep *fep = uet_fep_find(un, laddr);
	struct uet_pdc *pdc;

	if (unlikely(!fep))
		return NULL;
	pdc = rcu_dereference(*uet_pdc_recent(fep, id));
	if (likely(pdc && pdc->id == id))
		return pdc;
	return xa_load(&fep->pdcs, id);
}

/* Count a PDC against the limits; false if there may be no more. */
static bool uet_pdc_count(struct uet_peer *peer, bool initiator)
{
	struct uet_net *un = peer->fep->un;

	if (READ_ONCE(un->exiting))
		return false;
	if (!(initiator ? !uet_encap_get_locked(un) : uet_encap_hold(un)))
		return false;
	if (unlikely(uet_pdcs_short(peer)))
		uet_pdc_shed(un);
	if (READ_ONCE(peer->nr_pdcs) >= READ_ONCE(un->sysctl.pdc_max_per_peer))
		goto refused;
	if (atomic_inc_return(&un->pdcs) > READ_ONCE(un->sysctl.pdc_max)) {
		atomic_dec(&un->pdcs);
		goto refused;
	}
	spin_lock_bh(&peer->lock);
	peer->nr_pdcs++;
	spin_unlock_bh(&peer->lock);
	return true;

refused:
	uet_encap_put(un);
	return false;
}

/* The last use of the namespace: its exit waits for it. */
static void uet_pdc_uncount(struct uet_net *un)
{
	uet_encap_put(un);
	if (atomic_dec_and_test(&un->pdcs))
		wake_up_var(&un->pdcs);
}

static void uet_peer_uncount(struct uet_peer *peer)
{
	spin_lock_bh(&peer->lock);
	peer->nr_pdcs--;
	spin_unlock_bh(&peer->lock);
}

/**
 * uet_pdc_alloc() - a PDC that nobody can find yet
 * @peer: both FEPs; the caller has a reference
 * @acc: account of who opens it; NULL at a target. In a namespace of one's own
 *	all of them are the owner's
 * @rod: ordered delivery
 * @gfp: %GFP_KERNEL or %GFP_ATOMIC
 *
 * uet_pdc_take_id() is to follow, or uet_pdc_discard().
 *
 * Context: as @gfp says.
 * Return: the PDC, counted, or NULL at a limit or without memory.
 */
struct uet_pdc *uet_pdc_alloc(struct uet_peer *peer, struct uet_account *acc,
			      bool rod, gfp_t gfp)
{
	bool initiator = acc;
	struct uet_pdc *pdc;

	acc = peer->fep->un->owner ?: acc;
	if (acc && !uet_account_pdc(acc)) {
		uet_pdc_shed(peer->fep->un);
		return NULL;
	}
	if (!uet_pdc_count(peer, initiator))
		goto err_account;
	pdc = kmem_cache_zalloc(uet_pdc_cache, gfp);
	if (!pdc)
		goto err_uncount;
	pdc->account = acc;
	pdc->un = peer->fep->un;
	pdc->peer = peer;
	pdc->initiator = initiator;
	pdc->rod = rod;
	refcount_set(&pdc->ref, 1);
	uet_pdc_timer_init(pdc);
	return pdc;

err_uncount:
	uet_peer_uncount(peer);
	uet_pdc_uncount(peer->fep->un);
err_account:
	uet_account_pdc_gone(acc);
	return NULL;
}

/**
 * uet_pdc_take_id() - give a PDC its PDCID
 * @pdc: the PDC
 * @gfp: as for uet_pdc_alloc()
 *
 * An initiator's go round, so that none is used again soon. A target's says that
 * who names it got our answer, and cannot be told from others.
 *
 * uet_pdc_publish() is to follow.
 *
 * Context: as @gfp says.
 * Return: 0 or a negative error: no memory, or none is free.
 */
int uet_pdc_take_id(struct uet_pdc *pdc, gfp_t gfp)
{
	struct uet_fep *fep = pdc->peer->fep;
	u32 id, random = 1 + get_random_u32() % U16_MAX;
	int err;

	/* An entry reserves the id; the PDC knows it before it is visible. */
	err = xa_alloc_cyclic_bh(&fep->pdcs, &id, NULL, XA_LIMIT(1, U16_MAX),
				 pdc->initiator ? &fep->next_pdcid : &random,
				 gfp);
	if (err < 0)
		return err;
	pdc->id = id;
	return 0;
}

/**
 * uet_pdc_publish() - from now on it can be found
 * @pdc: the PDC, with its PDCID, which takes a reference to its peer
 *
 * Whoever finds it may have it die at once, so this is done under the lock of its
 * half, which is held until it has everything that its death takes away.
 *
 * Context: BH disabled, lock of the PDC's half held.
 */
void uet_pdc_publish(struct uet_pdc *pdc)
{
	struct uet_fep *fep = pdc->peer->fep;

	refcount_inc(&pdc->peer->ref);
	/* The place is reserved: needs no memory */
	xa_store_bh(&fep->pdcs, pdc->id, pdc, GFP_ATOMIC);
	rcu_assign_pointer(*uet_pdc_recent(fep, pdc->id), pdc);
}

/**
 * uet_pdc_unpublish() - take the PDCID back
 * @pdc: the PDC
 *
 * Context: any.
 */
void uet_pdc_unpublish(struct uet_pdc *pdc)
{
	struct uet_fep *fep = pdc->peer->fep;

	xa_erase_bh(&fep->pdcs, pdc->id);
	/* A newer one may have its place. */
	cmpxchg((struct uet_pdc __force **)uet_pdc_recent(fep, pdc->id), pdc,
		NULL);
}

/**
 * uet_pdc_discard() - undo uet_pdc_alloc()
 * @pdc: the PDC, without a PDCID
 *
 * Context: any.
 */
void uet_pdc_discard(struct uet_pdc *pdc)
{
	/* The caller's reference to the peer keeps the namespace. */
	uet_account_pdc_gone(pdc->account);
	uet_peer_uncount(pdc->peer);
	uet_pdc_uncount(pdc->un);
	kmem_cache_free(uet_pdc_cache, pdc);
}

/**
 * uet_pdc_open() - make an initiator PDC
 * @peer: both FEPs
 * @flow: its congestion control context; the PDC takes a reference
 * @acc: account of who needs it
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
	/* wire.md 5.1: random within [2^16, 2^31) */
	pdc->start_psn = 0x10000 +
			 get_random_u32() % (0x80000000U - 0x10000);
	pdc->state = UET_PDC_SYN;
	pdc->job = job;
	pdc->tclass = flow->tclass;
	pdc->tx.flow = flow;
	INIT_LIST_HEAD(&pdc->tx.peer_node);
	INIT_LIST_HEAD(&pdc->tx.ready_node);
	INIT_LIST_HEAD(&pdc->tx.dests);
	INIT_LIST_HEAD(&pdc->tx.active);
	INIT_LIST_HEAD(&pdc->tx.holds);
	INIT_LIST_HEAD(&pdc->tx.lanes);
	INIT_LIST_HEAD(&pdc->tx.begun);
	uet_txwin_init(&pdc->tx.win, pdc->start_psn, UET_MPR_FIRST_PSNS);
	pdc->tx.clear_sent = pdc->start_psn - 1;
	uet_ackreq_init(&pdc->tx.ackreq, pdc->start_psn);
	pdc->tx.ret_cack = pdc->start_psn - 1;
	pdc->tx.heard = ktime_get_ns();
	pdc->tx.next_msg_id = get_random_u32();

	if (uet_pdc_take_id(pdc, GFP_KERNEL)) {
		uet_pdc_discard(pdc);
		return NULL;
	}
	spin_lock_bh(&flow->lock);
	refcount_inc(&flow->ref);
	refcount_inc(&pdc->ref);
	uet_pdc_publish(pdc);
	spin_lock(&peer->lock);
	list_add(&pdc->tx.peer_node, &peer->init_pdcs);
	peer->confirmed = true;
	spin_unlock(&peer->lock);
	/* One that is never used goes by the idle timer. */
	uet_pdc_arm(pdc, pdc->tx.heard + NSEC_PER_SEC, pdc->tx.heard);
	spin_unlock_bh(&flow->lock);
	UET_INC(pdc->un, PDC_OPENED);
	return pdc;
}

static void uet_pdc_free_rcu(struct rcu_head *head)
{
	kmem_cache_free(uet_pdc_cache,
			container_of(head, struct uet_pdc, rcu));
}

/**
 * uet_pdc_put() - drop a reference
 * @pdc: the PDC
 *
 * Context: any.
 */
void uet_pdc_put(struct uet_pdc *pdc)
{
	struct uet_peer *peer = pdc->peer;
	struct uet_net *un = pdc->un;

	if (!refcount_dec_and_test(&pdc->ref))
		return;
	WARN_ON_ONCE(pdc->state != UET_PDC_DEAD);
	if (pdc->initiator) {
		uet_flow_put(pdc->tx.flow);
	} else {
		kfree(uet_rxmap_detach(&pdc->rx.map));
		kfree(pdc->rx.map.bits);
	}
	uet_account_pdc_gone(pdc->account);
	uet_peer_uncount(peer);
	call_rcu(&pdc->rcu, uet_pdc_free_rcu);
	uet_peer_put(peer);
	uet_pdc_uncount(un);
}

/**
 * uet_pdc_die() - an initiator PDC sends no more
 * @pdc: the PDC, not dead
 * @error: errno for its messages; 0 for an orderly close
 * @source: enum uet_report_source
 * @code: code of that source
 *
 * uet_pdc_bury() is to follow.
 *
 * Context: BH disabled, flow lock held.
 */
void uet_pdc_die(struct uet_pdc *pdc, int error, u8 source, u16 code)
{
	lockdep_assert_held(&pdc->tx.flow->lock);
	pdc->state = UET_PDC_DEAD;
	pdc->error = error;
	pdc->err_source = source;
	pdc->err_code = code;
	list_del_init(&pdc->tx.ready_node);
	if (error)
		UET_INC(pdc->un, PDC_FAILED);
	else
		UET_INC(pdc->un, PDC_CLOSED);
}

/**
 * uet_pdc_bury() - fail or move the messages of a dead initiator PDC
 * @pdc: the PDC
 *
 * By a work item, which may take the locks this context cannot. It is done
 * once, however often it is asked for.
 *
 * Context: BH disabled, flow lock held.
 */
void uet_pdc_bury(struct uet_pdc *pdc)
{
	struct uet_net *un = pdc->un;

	lockdep_assert_held(&pdc->tx.flow->lock);
	if (test_and_set_bit(0, &pdc->reap_queued))
		return;
	refcount_inc(&pdc->ref);
	llist_add(&pdc->reap_node, &un->reap);
	schedule_work(&un->reap_work);
}

/**
 * uet_pdc_fail() - an initiator PDC dies at once
 * @pdc: the PDC
 * @error: errno for its messages; 0 for an orderly close
 * @source: enum uet_report_source
 * @code: code of that source
 *
 * Context: BH disabled, flow lock held.
 */
void uet_pdc_fail(struct uet_pdc *pdc, int error, u8 source, u16 code)
{
	if (pdc->state != UET_PDC_DEAD)
		uet_pdc_die(pdc, error, source, code);
	uet_pdc_bury(pdc);
}

/**
 * uet_pdc_rx_kill() - a target PDC dies
 * @pdc: the PDC
 * @error: errno for readers in the middle of a message
 *
 * Context: BH disabled, rx.lock held. The caller is in an RCU section or has
 * a reference, since this drops the one of the tables.
 */
void uet_pdc_rx_kill(struct uet_pdc *pdc, int error)
{
	lockdep_assert_held(&pdc->rx.lock);
	if (pdc->state == UET_PDC_DEAD)
		return;
	pdc->state = UET_PDC_DEAD;
	uet_ses_drop_all(pdc, error);
	uet_credit_leave(pdc);
	uet_pdc_leave_unconfirmed(pdc);
	uet_pdc_leave_syn(pdc);
	uet_pdc_unpublish(pdc);
	UET_INC(pdc->un, PDC_CLOSED);
	uet_pdc_disarm(pdc);
	uet_pdc_put(pdc);
}

/* Everything initiator PDC @pdc has, after it died */
static void uet_pdc_reap(struct uet_pdc *pdc)
{
	struct uet_peer *peer = pdc->peer;

	uet_pdc_disarm(pdc);
	spin_lock_bh(&peer->lock);
	list_del_init(&pdc->tx.peer_node);
	spin_unlock_bh(&peer->lock);
	uet_pds_salvage(pdc);
	uet_pdc_unpublish(pdc);
	uet_pdc_put(pdc);	/* the table's */
	uet_pdc_put(pdc);	/* the reap list's */
}

/**
 * uet_pdc_flush() - deal with the initiator PDCs that died
 * @un: namespace
 *
 * Context: process.
 */
void uet_pdc_flush(struct uet_net *un)
{
	struct llist_node *list = llist_del_all(&un->reap);
	struct uet_pdc *pdc, *next;

	llist_for_each_entry_safe(pdc, next, list, reap_node)
		uet_pdc_reap(pdc);
}

/**
 * uet_pdc_kill_all() - the namespace goes away
 * @un: namespace, exiting, with no packet coming in any more
 *
 * Context: process.
 */
void uet_pdc_kill_all(struct uet_net *un)
{
	struct rhashtable_iter iter;
	struct uet_fep *fep;
	struct uet_pdc *pdc;
	unsigned long id;

	rhashtable_walk_enter(&un->feps, &iter);
	rhashtable_walk_start(&iter);
	while ((fep = rhashtable_walk_next(&iter))) {
		if (IS_ERR(fep))
			continue;
		xa_for_each(&fep->pdcs, id, pdc) {
			spinlock_t *lock = pdc->initiator ?
					   &pdc->tx.flow->lock : &pdc->rx.lock;

			if (!refcount_inc_not_zero(&pdc->ref))
				continue;
			spin_lock_bh(lock);
			if (pdc->initiator) {
				pdc->tx.flow->dead = true;
				uet_pdc_fail(pdc, ENETDOWN, UET_REPORT_LOCAL,
					     0);
			} else {
				uet_pdc_rx_kill(pdc, ECONNRESET);
			}
			spin_unlock_bh(lock);
			uet_pdc_put(pdc);
		}
	}
	rhashtable_walk_stop(&iter);
	rhashtable_walk_exit(&iter);
	flush_work(&un->reap_work);
	uet_pdc_flush(un);
}
