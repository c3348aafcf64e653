// SPDX-License-Identifier: GPL-2.0
/*
 * PDC objects (UE 1.0 3.5.8): creation, PDCIDs, limits, death.
 *
 * Not here: how they are opened (tx/pds/open.c, and by peers rx/pds/accept.c), their halves
 * (pdc/tx_half.h, pdc/rx_half.h).
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
#include "pdc/pdc.h"

#define CREATE_TRACE_POINTS
#include "pdc/trace_pdc.h"

static struct kmem_cache *uet_pdc_cache;

/* Callbacks of the halves; set before the first PDC is made */
const struct uet_pdc_ops *uet_pdc_tx_ops __ro_after_init;
const struct uet_pdc_ops *uet_pdc_rx_ops __ro_after_init;

/**
 * uet_pdc_cache_init() - make the slab cache
 *
 * Not kmalloc(): hosts of a large job have many thousands, so do not round up.
 *
 * Return: 0 or -ENOMEM.
 */
int uet_pdc_cache_init(void)
{
	uet_pdc_cache = kmem_cache_create("uet_pdc", sizeof(struct uet_pdc), 0,
					  SLAB_ACCOUNT | SLAB_NO_MERGE, NULL);
	return uet_pdc_cache ? 0 : -ENOMEM;
}

/**
 * uet_pdc_cache_exit() - destroy the slab cache, after an RCU barrier
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
 * uet_pdc_by_id() - find the PDC that a packet names by its dpdcid
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

/* Count a PDC against the limits; false if one refuses it to a user, or to the peer. */
static bool uet_pdc_count(struct uet_peer *peer, const struct uet_account *acc,
			  bool initiator)
{
	struct uet_net *un = peer->fep->un;
	enum uet_limit limit;

	if (READ_ONCE(un->exiting))
		return false;
	if (!(initiator ? !uet_encap_get_locked(un) : uet_encap_hold(un)))
		return false;
	if (unlikely(uet_share_short(peer, acc)))
		uet_pdc_shed(un);
	limit = initiator ? uet_share_refuses(peer, acc) :
			    uet_share_refuses_peer(un, &peer->key, peer, 0);
	if (limit == UET_LIMITS &&
	    atomic_inc_return(&un->pdcs) > READ_ONCE(un->sysctl.pdc_max)) {
		atomic_dec(&un->pdcs);
		limit = UET_LIMIT_PDC_MAX;
	}
	if (limit != UET_LIMITS) {
		uet_event_limit(un, limit);
		uet_encap_put(un);
		return false;
	}
	spin_lock_bh(&peer->lock);
	peer->nr_pdcs++;
	spin_unlock_bh(&peer->lock);
	return true;
}

/* The last access to the namespace, whose exit waits for the count. */
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

static void uet_pdc_unaccount(struct uet_pdc *pdc)
{
	uet_share_give(pdc->peer, pdc->account);
	uet_account_pdc_gone(pdc->account);
}

/**
 * uet_pdc_alloc() - allocate a PDC, not published yet
 * @peer: both FEPs; the caller has a reference
 * @acc: account of the user who opens it; NULL if the peer opens it. A namespace
 *	with an owner charges the owner instead
 * @rod: ordered delivery
 * @gfp: %GFP_KERNEL or %GFP_ATOMIC
 *
 * It has no half yet. uet_pdc_take_id() or uet_pdc_discard() must follow.
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
		uet_event_limit(peer->fep->un, UET_LIMIT_USER_PDCS);
		uet_pdc_shed(peer->fep->un);
		return NULL;
	}
	if (!uet_pdc_count(peer, acc, initiator))
		goto err_account;
	if (!uet_share_take(peer, acc, gfp))
		goto err_uncount;
	pdc = kmem_cache_zalloc(uet_pdc_cache, gfp);
	if (!pdc)
		goto err_share;
	pdc->account = acc;
	pdc->un = peer->fep->un;
	pdc->peer = peer;
	pdc->initiator = initiator;
	pdc->rod = rod;
	refcount_set(&pdc->ref, 1);
	atomic_set(&pdc->halves, 1);
	INIT_LIST_HEAD(&pdc->return_node);
	uet_pdc_timer_init(pdc);
	return pdc;

err_share:
	uet_share_give(peer, acc);
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
 * @gfp: see uet_pdc_alloc()
 *
 * PDCIDs of an initiator go round robin, so that none is reused soon. Those of a
 * target are random: only a peer that got our answer can name it.
 *
 * uet_pdc_publish() must follow.
 *
 * Context: as @gfp says.
 * Return: 0 or a negative error: no memory, or none is free.
 */
int uet_pdc_take_id(struct uet_pdc *pdc, gfp_t gfp)
{
	struct uet_fep *fep = pdc->peer->fep;
	u32 id, random = 1 + get_random_u32() % UET_PDCIDS;
	int err;

	/* Reserve the id: the PDC must know it before it can be found. */
	err = xa_alloc_cyclic_bh(&fep->pdcs, &id, NULL, XA_LIMIT(1, UET_PDCIDS),
				 pdc->initiator ? &fep->next_pdcid : &random,
				 gfp);
	if (err < 0)
		return err;
	pdc->id = id;
	return 0;
}

/**
 * uet_pdc_id_reserve() - take a PDCID that no PDC of this host has or will have
 * @fep: local address
 * @id: set
 *
 * Packets that name it find no PDC.
 *
 * Context: process.
 * Return: 0 or a negative error: no memory, or none is free.
 */
int uet_pdc_id_reserve(struct uet_fep *fep, u16 *id)
{
	u32 got, random = 1 + get_random_u32() % UET_PDCIDS;
	int err;

	err = xa_alloc_cyclic_bh(&fep->pdcs, &got, NULL, XA_LIMIT(1, UET_PDCIDS),
				 &random, GFP_KERNEL_ACCOUNT);
	if (err < 0)
		return err;
	*id = got;
	return 0;
}

/**
 * uet_pdc_id_release() - undo uet_pdc_id_reserve()
 * @fep: local address
 * @id: the PDCID
 *
 * Context: any.
 */
void uet_pdc_id_release(struct uet_fep *fep, u16 id)
{
	xa_erase_bh(&fep->pdcs, id);
}

/**
 * uet_pdc_publish() - make a PDC visible in the table of its FEP
 * @pdc: the PDC, with its PDCID; takes a reference to its peer
 *
 * Another CPU may find it and kill it at once, so the caller holds the lock of its
 * half until all that a dying half takes down is set up.
 *
 * Context: BH disabled, lock of the PDC's half held.
 */
void uet_pdc_publish(struct uet_pdc *pdc)
{
	struct uet_fep *fep = pdc->peer->fep;

	refcount_inc(&pdc->peer->ref);
	atomic_inc(&fep->nr_pdcs);
	/* The entry is reserved: needs no memory */
	xa_store_bh(&fep->pdcs, pdc->id, pdc, GFP_ATOMIC);
	rcu_assign_pointer(*uet_pdc_recent(fep, pdc->id), pdc);
}

/**
 * uet_pdc_unpublish() - remove a PDC from the table of its FEP
 * @pdc: the PDC
 *
 * Context: any.
 */
void uet_pdc_unpublish(struct uet_pdc *pdc)
{
	struct uet_fep *fep = pdc->peer->fep;

	xa_erase_bh(&fep->pdcs, pdc->id);
	atomic_dec(&fep->nr_pdcs);
	/* A newer PDC may have its slot. */
	cmpxchg((struct uet_pdc __force **)uet_pdc_recent(fep, pdc->id), pdc,
		NULL);
}

static void uet_pdc_free(struct uet_pdc *pdc)
{
	if (pdc->tx)
		uet_pdc_tx_ops->free(pdc);
	if (pdc->rx)
		uet_pdc_rx_ops->free(pdc);
	kmem_cache_free(uet_pdc_cache, pdc);
}

/**
 * uet_pdc_discard() - undo uet_pdc_alloc()
 * @pdc: the PDC, not published; its half, if any, is freed too
 *
 * Context: any.
 */
void uet_pdc_discard(struct uet_pdc *pdc)
{
	/* The caller's reference to the peer still holds the namespace. */
	uet_pdc_unaccount(pdc);
	uet_peer_uncount(pdc->peer);
	uet_pdc_uncount(pdc->un);
	uet_pdc_free(pdc);
}

static void uet_pdc_free_rcu(struct rcu_head *head)
{
	uet_pdc_free(container_of(head, struct uet_pdc, rcu));
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
	if (pdc->tx)
		uet_pdc_tx_ops->release(pdc);
	if (pdc->rx)
		uet_pdc_rx_ops->release(pdc);
	uet_pdc_unaccount(pdc);
	uet_peer_uncount(peer);
	call_rcu(&pdc->rcu, uet_pdc_free_rcu);
	uet_peer_put(peer);
	uet_pdc_uncount(un);
}

/**
 * uet_pdc_half_gone() - a half is dead
 * @pdc: the PDC
 *
 * After the last one the PDC is unpublished, and its timer stops.
 *
 * Context: any. The caller is in an RCU section or has a reference, since this may
 * drop the reference of the table.
 */
void uet_pdc_half_gone(struct uet_pdc *pdc)
{
	if (!atomic_dec_and_test(&pdc->halves))
		return;
	uet_pdc_unpublish(pdc);
	uet_pdc_disarm(pdc);
	uet_pdc_put(pdc);
}

/**
 * uet_pdc_offer() - let requests of this host use a PDC that the peer opened
 * @pdc: PDC opened by the peer, confirmed
 *
 * Context: BH disabled, lock of the receiving half held.
 */
void uet_pdc_offer(struct uet_pdc *pdc)
{
	struct uet_peer *peer = pdc->peer;

	spin_lock(&peer->lock);
	if (!pdc->tx && list_empty(&pdc->return_node))
		list_add(&pdc->return_node, &peer->return_pdcs);
	spin_unlock(&peer->lock);
}

/**
 * uet_pdc_unoffer() - undo uet_pdc_offer(): the PDC is in use so, or closes
 * @pdc: the PDC, confirmed
 *
 * Context: any.
 */
void uet_pdc_unoffer(struct uet_pdc *pdc)
{
	struct uet_peer *peer = pdc->peer;

	spin_lock_bh(&peer->lock);
	list_del_init(&pdc->return_node);
	spin_unlock_bh(&peer->lock);
}

static void uet_pdc_event(const struct uet_pdc *pdc, enum uet_nl_what what,
			  int error, u8 source, u16 code)
{
	struct uet_event event = {
		.what	= what,
		.local	= pdc->peer->key.laddr,
		.remote	= pdc->peer->key.raddr,
		.pdc	= pdc->id,
		.mode	= pdc->rod ? UET_MODE_ROD : UET_MODE_RUD,
		.error	= error,
		.source	= source,
		.code	= code,
	};

	uet_event_tell(pdc->un, &event);
}

/**
 * uet_pdc_tell() - count, trace and report an event of a PDC
 * @pdc: the PDC
 * @what: what happened, but for UET_PDC_FAILED
 *
 * Context: any.
 */
void uet_pdc_tell(const struct uet_pdc *pdc, enum uet_pdc_event what)
{
	static const struct {
		enum uet_mib_item	mib;
		enum uet_nl_what	event;
	} of[] = {
		[UET_PDC_OPENED] = { UET_MIB_PDC_OPENED, UET_WHAT_PDC_OPENED },
		[UET_PDC_ACCEPTED] = { UET_MIB_PDC_ACCEPTED,
				       UET_WHAT_PDC_ACCEPTED },
		[UET_PDC_RETURNED] = { UET_MIB_PDC_RETURNED,
				       UET_WHAT_PDC_RETURNED },
		[UET_PDC_CLOSED] = { UET_MIB_PDC_CLOSED, UET_WHAT_PDC_CLOSED },
	};

	this_cpu_inc(pdc->un->mib->items[of[what].mib]);
	trace_uet_pdc_event(pdc, what, 0);
	if (unlikely(uet_event_wanted(pdc->un)))
		uet_pdc_event(pdc, of[what].event, 0, 0, 0);
}

/**
 * uet_pdc_tell_failed() - count, trace and report that a PDC failed
 * @pdc: the PDC
 * @error: errno
 * @source: enum uet_report_source
 * @code: code of that source
 *
 * Context: any.
 */
void uet_pdc_tell_failed(const struct uet_pdc *pdc, int error, u8 source,
			 u16 code)
{
	UET_INC(pdc->un, PDC_FAILED);
	trace_uet_pdc_event(pdc, UET_PDC_FAILED, error);
	if (unlikely(uet_event_wanted(pdc->un)))
		uet_pdc_event(pdc, UET_WHAT_PDC_FAILED, error, source, code);
}

/**
 * uet_pdc_tell_reset() - report that a peer knows an open PDC no longer
 * @pdc: the PDC, which the peer has answered or opened
 *
 * A peer that started anew forgot them all, so it is told once a second at most.
 *
 * Context: any.
 */
void uet_pdc_tell_reset(const struct uet_pdc *pdc)
{
	struct uet_peer *peer = pdc->peer;
	unsigned long last = READ_ONCE(peer->reset_at), now = jiffies;

	if (likely(!uet_event_wanted(pdc->un)) ||
	    (last && time_before(now, last + HZ)) ||
	    cmpxchg(&peer->reset_at, last, now) != last)
		return;
	uet_pdc_event(pdc, UET_WHAT_PEER_RESET, 0, 0, 0);
}

/**
 * uet_pdc_kill_all() - kill all PDCs of a namespace
 * @un: namespace, exiting, with no more packets coming in
 *
 * uet_net.reap_work finishes PDCs that have a sending half.
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
			if (!refcount_inc_not_zero(&pdc->ref))
				continue;
			if (pdc->tx)
				uet_pdc_tx_ops->kill(pdc);
			if (pdc->rx)
				uet_pdc_rx_ops->kill(pdc);
			uet_pdc_put(pdc);
		}
	}
	rhashtable_walk_stop(&iter);
	rhashtable_walk_exit(&iter);
}
