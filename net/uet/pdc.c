// SPDX-License-Identifier: GPL-2.0
/*
 * PDC objects: creation on both sides, tables, limits, death.
 */
#include <linux/jhash.h>
#include <linux/ktime.h>
#include <linux/random.h>
#include <linux/rhashtable.h>
#include <linux/slab.h>
#include <linux/wait_bit.h>

#include "compat.h"
#include "credit.h"
#include "flow.h"
#include "mib.h"
#include "pdc.h"
#include "pds.h"
#include "peer.h"
#include "txmsg.h"

/* Unconfirmed target PDCs take at most this part of the limit (wire.md 8.2) */
#define UET_UNCONFIRMED_SHARE	4
#define UET_UNCONFIRMED_MIN_NS	NSEC_PER_SEC

static const struct rhashtable_params uet_syn_params = {
	.key_len	= sizeof(struct uet_syn_key),
	.key_offset	= offsetof(struct uet_pdc, rx.syn_key),
	.head_offset	= offsetof(struct uet_pdc, rx.syn_node),
	.automatic_shrinking = true,
};

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
					  SLAB_HWCACHE_ALIGN | SLAB_NO_MERGE,
					  NULL);
	return uet_pdc_cache ? 0 : -ENOMEM;
}

/**
 * uet_pdc_cache_exit() - destroy it, after an RCU barrier
 */
void uet_pdc_cache_exit(void)
{
	kmem_cache_destroy(uet_pdc_cache);
}

int uet_pdc_tables_init(struct uet_net *un)
{
	init_llist_head(&un->reap);
	INIT_LIST_HEAD(&un->unconfirmed);
	spin_lock_init(&un->unconfirmed_lock);
	return rhashtable_init(&un->syn_pdcs, &uet_syn_params);
}

void uet_pdc_tables_exit(struct uet_net *un)
{
	rhashtable_destroy(&un->syn_pdcs);
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

/**
 * uet_pdc_by_syn() - the target PDC a SYN packet belongs to
 * @un: namespace
 * @key: addresses and spdcid
 *
 * Context: RCU read side.
 * Return: the PDC, maybe in TIME_WAIT, or NULL.
 */
struct uet_pdc *uet_pdc_by_syn(struct uet_net *un,
			       const struct uet_syn_key *key)
{
	return rhashtable_lookup(&un->syn_pdcs, key, uet_syn_params);
}

/* Count a PDC against the limits; false if there may be no more. */
static bool uet_pdc_count(struct uet_peer *peer)
{
	struct uet_net *un = peer->fep->un;

	if (READ_ONCE(un->exiting))
		return false;
	if (unlikely(uet_pdcs_short(peer)))
		uet_pdc_shed(un);
	if (READ_ONCE(peer->nr_pdcs) >= READ_ONCE(un->sysctl.pdc_max_per_peer))
		return false;
	if (atomic_inc_return(&un->pdcs) > READ_ONCE(un->sysctl.pdc_max)) {
		atomic_dec(&un->pdcs);
		return false;
	}
	spin_lock_bh(&peer->lock);
	peer->nr_pdcs++;
	spin_unlock_bh(&peer->lock);
	return true;
}

/* The last use of the namespace: its exit waits for it. */
static void uet_pdc_uncount(struct uet_net *un)
{
	if (atomic_dec_and_test(&un->pdcs))
		wake_up_var(&un->pdcs);
}

static void uet_peer_uncount(struct uet_peer *peer)
{
	spin_lock_bh(&peer->lock);
	peer->nr_pdcs--;
	spin_unlock_bh(&peer->lock);
}

static struct uet_pdc *uet_pdc_alloc(struct uet_peer *peer, bool initiator,
				     bool rod, gfp_t gfp)
{
	struct uet_pdc *pdc;

	if (!uet_pdc_count(peer))
		return NULL;
	pdc = kmem_cache_zalloc(uet_pdc_cache, gfp);
	if (!pdc) {
		uet_peer_uncount(peer);
		uet_pdc_uncount(peer->fep->un);
		return NULL;
	}
	pdc->un = peer->fep->un;
	pdc->peer = peer;
	pdc->initiator = initiator;
	pdc->rod = rod;
	refcount_set(&pdc->ref, 1);
	uet_pdc_timer_init(pdc);
	return pdc;
}

/* Give it a PDCID; from then on it can be found. */
static int uet_pdc_publish(struct uet_pdc *pdc, gfp_t gfp)
{
	struct uet_fep *fep = pdc->peer->fep;
	u32 id;
	int err;

	/* An entry reserves the id; the PDC knows it before it is visible. */
	err = xa_alloc_cyclic_bh(&fep->pdcs, &id, NULL, XA_LIMIT(1, U16_MAX),
				 &fep->next_pdcid, gfp);
	if (err < 0)
		return err;
	pdc->id = id;
	refcount_inc(&pdc->peer->ref);
	xa_store_bh(&fep->pdcs, id, pdc, gfp);
	rcu_assign_pointer(*uet_pdc_recent(fep, id), pdc);
	return 0;
}

static void uet_pdc_unpublish(struct uet_pdc *pdc)
{
	struct uet_fep *fep = pdc->peer->fep;

	xa_erase_bh(&fep->pdcs, pdc->id);
	/* A newer one may have its place. */
	cmpxchg((struct uet_pdc __force **)uet_pdc_recent(fep, pdc->id), pdc,
		NULL);
}

static void uet_pdc_discard(struct uet_pdc *pdc)
{
	/* The caller's reference to the peer keeps the namespace. */
	uet_peer_uncount(pdc->peer);
	uet_pdc_uncount(pdc->un);
	kmem_cache_free(uet_pdc_cache, pdc);
}

/**
 * uet_pdc_open() - make an initiator PDC
 * @peer: both FEPs
 * @flow: its congestion control context; the PDC takes a reference
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
			     u32 job, bool rod)
{
	struct uet_pdc *pdc;

	pdc = uet_pdc_alloc(peer, true, rod, GFP_KERNEL);
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
	INIT_LIST_HEAD(&pdc->tx.begun);
	uet_txwin_init(&pdc->tx.win, pdc->start_psn, UET_MPR_FIRST_PSNS);
	pdc->tx.clear_sent = pdc->start_psn - 1;
	uet_ackreq_init(&pdc->tx.ackreq, pdc->start_psn);
	pdc->tx.ret_cack = pdc->start_psn - 1;
	pdc->tx.heard = ktime_get_ns();
	pdc->tx.next_msg_id = get_random_u32();

	if (uet_pdc_publish(pdc, GFP_KERNEL)) {
		uet_pdc_discard(pdc);
		return NULL;
	}
	refcount_inc(&flow->ref);
	refcount_inc(&pdc->ref);
	spin_lock_bh(&peer->lock);
	list_add(&pdc->tx.peer_node, &peer->init_pdcs);
	peer->confirmed = true;
	spin_unlock_bh(&peer->lock);
	/* One that is never used goes by the idle timer. */
	spin_lock_bh(&flow->lock);
	uet_pdc_arm(pdc, pdc->tx.heard + NSEC_PER_SEC, pdc->tx.heard);
	spin_unlock_bh(&flow->lock);
	UET_INC(pdc->un, PDC_OPENED);
	return pdc;
}

/* Make room among the unconfirmed, or say there is none. */
static bool uet_pdc_unconfirmed_room(struct uet_net *un, u64 now)
{
	u32 limit = READ_ONCE(un->sysctl.pdc_max) / UET_UNCONFIRMED_SHARE;
	struct uet_pdc *old;
	bool evict = false;

	if (atomic_read(&un->pdcs_unconfirmed) < max(limit, 1U))
		return true;
	spin_lock_bh(&un->unconfirmed_lock);
	old = list_first_entry_or_null(&un->unconfirmed, struct uet_pdc,
				       rx.unconfirmed_node);
	/*
	 * Younger ones must stay: their SYN may come again. An honest peer
	 * with an open message has answered by then.
	 */
	if (old && now - READ_ONCE(old->rx.heard) >= UET_UNCONFIRMED_MIN_NS)
		evict = refcount_inc_not_zero(&old->ref);
	spin_unlock_bh(&un->unconfirmed_lock);
	if (!evict)
		return false;
	spin_lock_bh(&old->rx.lock);
	uet_pdc_rx_kill(old, ECONNRESET);
	spin_unlock_bh(&old->rx.lock);
	uet_pdc_put(old);
	return true;
}

/* MP_RANGE to advertise: the setting, or twice the window of our own port */
static u8 uet_pdc_mpr(struct uet_net *un, struct uet_peer *peer)
{
	u64 rtt_us = READ_ONCE(un->sysctl.base_rtt_us) ?: 100;
	u64 mbps = uet_flow_link_mbps(peer) ?: UET_RATE_DEFAULT_MBPS;
	u64 psns = mbps * rtt_us / 8 * 3 / 1024;

	return clamp_t(u64, DIV_ROUND_UP(psns, UET_MPR_UNIT_PSNS),
		       READ_ONCE(un->sysctl.mpr), UET_MPR_MAX);
}

/**
 * uet_pdc_accept() - make a target PDC for a SYN packet
 * @rx: the packet
 * @start_psn: its Start_PSN
 * @rod: ordered delivery
 * @nack: why not, a NACK code
 *
 * Context: softirq, RCU read side.
 * Return: the PDC (owned by the tables), or NULL with @nack set.
 */
struct uet_pdc *uet_pdc_accept(struct uet_rx_ctx *rx, u32 start_psn, bool rod,
			       u8 *nack)
{
	struct uet_peer_key key = {
		.laddr	= rx->daddr,
		.raddr	= rx->saddr,
		.scope	= rx->ifindex,
	};
	struct uet_net *un = rx->un;
	u64 now = ktime_get_ns();
	struct uet_peer *peer;
	struct uet_pdc *pdc;
	bool confirmed = uet_peer_confirmed(un, &key);
	int err;

	*nack = UET_NACK_NO_PDC_AVAIL;
	/* Before a peer is made: who is refused must not cost memory. */
	if (atomic_read(&un->pdcs) >= READ_ONCE(un->sysctl.pdc_max)) {
		uet_pdc_shed(un);
		goto err;
	}
	if (!confirmed && !uet_pdc_unconfirmed_room(un, now))
		goto err;
	peer = uet_peer_get(un, &key, GFP_ATOMIC);
	if (IS_ERR(peer))
		goto err;
	pdc = uet_pdc_alloc(peer, false, rod, GFP_ATOMIC);
	if (!pdc)
		goto err_peer;
	pdc->state = UET_PDC_ESTABLISHED;
	pdc->remote_id = rx->pkt->spdcid;
	pdc->start_psn = start_psn;
	spin_lock_init(&pdc->rx.lock);
	INIT_LIST_HEAD(&pdc->rx.gtd);
	INIT_LIST_HEAD(&pdc->rx.msgs);
	INIT_LIST_HEAD(&pdc->rx.starve_node);
	INIT_LIST_HEAD(&pdc->rx.unconfirmed_node);
	pdc->rx.mpr = uet_pdc_mpr(un, peer);
	uet_rxmap_init(&pdc->rx.map, start_psn,
		       pdc->rx.mpr * UET_MPR_UNIT_PSNS);
	pdc->rx.heard = now;
	pdc->rx.ret_psn = start_psn;
	pdc->rx.syn_key.raddr = rx->saddr;
	pdc->rx.syn_key.laddr = rx->daddr;
	pdc->rx.syn_key.spdcid = rx->pkt->spdcid;
	pdc->rx.syn_key.scope = rx->ifindex;

	/* It is found by others before it is complete. */
	spin_lock(&pdc->rx.lock);
	if (uet_pdc_publish(pdc, GFP_ATOMIC)) {
		spin_unlock(&pdc->rx.lock);
		goto err_discard;
	}
	pdc->rx.in_syn_table = true;
	err = rhashtable_lookup_insert_fast(&un->syn_pdcs, &pdc->rx.syn_node,
					    uet_syn_params);
	if (err) {
		/* Another CPU was first: the packet comes again. */
		uet_pdc_unpublish(pdc);
		pdc->state = UET_PDC_DEAD;
		pdc->rx.in_syn_table = false;
		spin_unlock(&pdc->rx.lock);
		uet_pdc_put(pdc);
		goto err_peer;
	}
	if (confirmed) {
		pdc->rx.confirmed = true;
	} else {
		atomic_inc(&un->pdcs_unconfirmed);
		spin_lock_bh(&un->unconfirmed_lock);
		list_add_tail(&pdc->rx.unconfirmed_node, &un->unconfirmed);
		spin_unlock_bh(&un->unconfirmed_lock);
	}
	spin_unlock(&pdc->rx.lock);
	uet_peer_put(peer);
	UET_INC(un, PDC_ACCEPTED);
	return pdc;

err_discard:
	uet_pdc_discard(pdc);
err_peer:
	uet_peer_put(peer);
err:
	UET_INC(un, PDC_REFUSED);
	return NULL;
}

/* Take it off the list of the unconfirmed; rx.lock held. */
static void uet_pdc_leave_unconfirmed(struct uet_pdc *pdc)
{
	struct uet_net *un = pdc->un;

	if (pdc->rx.confirmed)
		return;
	pdc->rx.confirmed = true;
	spin_lock_bh(&un->unconfirmed_lock);
	list_del_init(&pdc->rx.unconfirmed_node);
	spin_unlock_bh(&un->unconfirmed_lock);
	atomic_dec(&un->pdcs_unconfirmed);
}

/**
 * uet_pdc_confirm() - a packet with our PDCID came: the peer is real
 * @pdc: target PDC
 *
 * Context: softirq, rx.lock held.
 */
void uet_pdc_confirm(struct uet_pdc *pdc)
{
	lockdep_assert_held(&pdc->rx.lock);
	if (likely(pdc->rx.confirmed))
		return;
	uet_pdc_leave_unconfirmed(pdc);
	WRITE_ONCE(pdc->peer->confirmed, true);
}

/**
 * uet_pdc_heard_syn() - a SYN packet came: it is alive, if that is who it says
 * @pdc: target PDC
 *
 * The list of the unconfirmed begins with the one that was silent for longest:
 * who goes on with one of many must not keep the others from making room.
 *
 * Context: softirq, rx.lock held.
 */
void uet_pdc_heard_syn(struct uet_pdc *pdc)
{
	struct uet_net *un = pdc->un;

	lockdep_assert_held(&pdc->rx.lock);
	if (pdc->rx.confirmed)
		return;
	spin_lock_bh(&un->unconfirmed_lock);
	list_move_tail(&pdc->rx.unconfirmed_node, &un->unconfirmed);
	spin_unlock_bh(&un->unconfirmed_lock);
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
	if (pdc->rx.in_syn_table)
		rhashtable_remove_fast(&pdc->un->syn_pdcs, &pdc->rx.syn_node,
				       uet_syn_params);
	pdc->rx.in_syn_table = false;
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
