// SPDX-License-Identifier: GPL-2.0
/*
 * Life of the receiving half of a PDC (UE 1.0 3.5.8): how it is made, joins a PDC
 * that was opened here, and dies.
 *
 * Not here: PDCs that peers open (rx/pds/accept.c), its deadlines (rx/pds/timer.c), and
 * what it does with packets (rx/pds/request.c, rx/pds/control.c).
 */
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/slab.h>

#include "compat.h"
#include "core/cc/params.h"
#include "link/peer.h"
#include "link/ports.h"
#include "mib.h"
#include "pdc/pdc.h"
#include "rx/cms/credit.h"
#include "rx/pds/half.h"
#include "rx/ses/rxmsg.h"
#include "rx/ses/ses.h"

static struct kmem_cache *uet_pdc_rx_cache;

/* MP_RANGE to advertise: the setting, or twice the window of our own interface */
static u8 uet_pdc_mpr(struct uet_net *un, struct uet_peer *peer)
{
	u64 rtt_us = READ_ONCE(un->sysctl.base_rtt_us) ?: 100;
	u64 mbps = uet_peer_mbps(peer) ?: UET_RATE_DEFAULT_MBPS;
	u64 psns = mbps * rtt_us / 8 * 3 / 1024;

	return clamp_t(u64, DIV_ROUND_UP(psns, UET_MPR_UNIT_PSNS),
		       READ_ONCE(un->sysctl.mpr), UET_MPR_MAX);
}

/**
 * uet_pdc_rx_alloc() - make a receiving half
 * @pdc: its PDC; peer and start_psn are set
 *
 * Context: any.
 * Return: the half, to which @pdc does not point yet, or NULL.
 */
struct uet_pdc_rx *uet_pdc_rx_alloc(struct uet_pdc *pdc)
{
	struct uet_pdc_rx *r;

	r = kmem_cache_zalloc(uet_pdc_rx_cache, GFP_ATOMIC | __GFP_NOWARN);
	if (!r)
		return NULL;
	r->pdc = pdc;
	r->state = UET_PDC_ESTABLISHED;
	spin_lock_init(&r->lock);
	INIT_LIST_HEAD(&r->starve_node);
	r->nacked_top = pdc->start_psn;
	r->mpr = uet_pdc_mpr(pdc->un, pdc->peer);
	uet_rxmap_init(&r->map, pdc->start_psn, r->mpr * UET_MPR_UNIT_PSNS);
	/* The peer may assume as much before it is told. */
	r->told = r->map.cack + r->map.range;
	r->heard = ktime_get_ns();
	r->moved = (u32)jiffies;
	return r;
}

/**
 * uet_pdc_rx_attach() - get the receiving half of a PDC, make it if need be
 * @pdc: the PDC; if opened here, the peer has answered
 *
 * A PDC that was opened here gets one when the first packet needs it.
 *
 * Context: softirq, RCU read side.
 * Return: the half, or NULL without memory or if the PDC is dead.
 */
struct uet_pdc_rx *uet_pdc_rx_attach(struct uet_pdc *pdc)
{
	struct uet_pdc_rx *r = uet_pdc_rx(pdc), *old;

	if (likely(r))
		return r;
	r = uet_pdc_rx_alloc(pdc);
	if (!r)
		return NULL;
	r->confirmed = true;
	r->heard = 0;
	if (!atomic_inc_not_zero(&pdc->halves)) {
		kmem_cache_free(uet_pdc_rx_cache, r);
		return NULL;
	}
	old = cmpxchg(&pdc->rx, NULL, r);
	if (old) {
		/* Another CPU was first, and the other halves may be dead. */
		kmem_cache_free(uet_pdc_rx_cache, r);
		uet_pdc_half_gone(pdc);
		return old;
	}
	/* A half that dies sets pdc->dying first, then looks for the other. */
	smp_mb__after_atomic();
	if (READ_ONCE(pdc->dying))
		uet_pdc_rx_ops->other_died(pdc);
	return r;
}

/**
 * uet_pdc_rx_drop_all() - drop what a receiving half that closes or dies holds
 * @pdc: the PDC
 * @error: errno for readers in the middle of a message
 *
 * Context: rx.lock held.
 */
void uet_pdc_rx_drop_all(struct uet_pdc *pdc, int error)
{
	uet_ses_drop_all(pdc, error);
	uet_early_drop_all(pdc);
	uet_pdc_drop_gtd(pdc);
}

/**
 * uet_pdc_rx_kill() - kill the receiving half of a PDC
 * @pdc: the PDC
 * @error: errno for readers in the middle of a message
 *
 * Context: BH disabled, rx.lock held. The caller is in an RCU section or has
 * a reference, since this may drop the reference of the tables.
 */
void uet_pdc_rx_kill(struct uet_pdc *pdc, int error)
{
	lockdep_assert_held(&pdc->rx->lock);
	if (pdc->rx->state == UET_PDC_DEAD)
		return;
	pdc->rx->state = UET_PDC_DEAD;
	uet_pdc_rx_drop_all(pdc, error);
	uet_credit_leave(pdc);
	uet_pdc_leave_unconfirmed(pdc);
	uet_pdc_leave_syn(pdc);
	uet_pdc_unoffer(pdc);
	if (pdc->tx)
		uet_pdc_tx_ops->other_died(pdc);
	else
		uet_pdc_tell(pdc, UET_PDC_CLOSED);
	uet_pdc_half_gone(pdc);
}

static void uet_pdc_rx_release(struct uet_pdc *pdc)
{
	struct uet_rxmap *map = &pdc->rx->map;

	WARN_ON_ONCE(pdc->rx->state != UET_PDC_DEAD);
	kfree(uet_rxmap_detach(map));
	kfree(map->bits);
}

static void uet_pdc_rx_free(struct uet_pdc *pdc)
{
	kmem_cache_free(uet_pdc_rx_cache, pdc->rx);
}

static bool uet_pdc_rx_busy(const struct uet_pdc *pdc)
{
	return READ_ONCE(pdc->rx->nr_msgs) || READ_ONCE(pdc->rx->nr_early);
}

static u64 uet_pdc_rx_heard(const struct uet_pdc *pdc)
{
	return READ_ONCE(pdc->rx->heard);
}

static bool uet_pdc_rx_join(struct uet_pdc *pdc, struct uet_pdc_tx *tx)
{
	bool ok;

	spin_lock_bh(&pdc->rx->lock);
	ok = pdc->rx->state == UET_PDC_ESTABLISHED && !pdc->tx &&
	     !pdc->rx->asked;
	if (ok) {
		atomic_inc(&pdc->halves);
		/* Pairs with uet_pdc_tx() */
		smp_store_release(&pdc->tx, tx);
	}
	spin_unlock_bh(&pdc->rx->lock);
	return ok;
}

/* TIME_WAIT outlives the sending half. */
static void uet_pdc_rx_other_died(struct uet_pdc *pdc)
{
	spin_lock_bh(&pdc->rx->lock);
	if (pdc->rx->state != UET_PDC_TIME_WAIT)
		uet_pdc_rx_kill(pdc, ECONNRESET);
	spin_unlock_bh(&pdc->rx->lock);
}

static void uet_pdc_rx_end(struct uet_pdc *pdc)
{
	spin_lock_bh(&pdc->rx->lock);
	uet_pdc_rx_kill(pdc, ECONNRESET);
	spin_unlock_bh(&pdc->rx->lock);
}

static const struct uet_pdc_ops uet_pdc_rx_side = {
	.timer		= uet_pdc_rx_timer,
	.busy		= uet_pdc_rx_busy,
	.heard		= uet_pdc_rx_heard,
	.join		= uet_pdc_rx_join,
	.other_died	= uet_pdc_rx_other_died,
	.kill		= uet_pdc_rx_end,
	.release	= uet_pdc_rx_release,
	.free		= uet_pdc_rx_free,
};

/**
 * uet_pdc_rx_init() - make the slab cache
 *
 * Return: 0 or -ENOMEM.
 */
int __init uet_pdc_rx_init(void)
{
	uet_pdc_rx_cache = kmem_cache_create("uet_pdc_rx",
					     sizeof(struct uet_pdc_rx), 0,
					     SLAB_ACCOUNT | SLAB_NO_MERGE, NULL);
	uet_pdc_rx_ops = &uet_pdc_rx_side;
	uet_rx_room = uet_pds_rx_room;
	return uet_pdc_rx_cache ? 0 : -ENOMEM;
}

/**
 * uet_pdc_rx_exit() - destroy the slab cache, after an RCU barrier
 */
void uet_pdc_rx_exit(void)
{
	kmem_cache_destroy(uet_pdc_rx_cache);
}
