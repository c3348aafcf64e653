// SPDX-License-Identifier: GPL-2.0
/*
 * When the number of PDCs is near a limit, idle ones are closed before their idle
 * time is over: by the initiator, or at the request of the target (see "Rules of
 * this module" in uet-rules.rst). And so are those whose CCC was renewed.
 */
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/rhashtable.h>
#include <linux/workqueue.h>

#include "base.h"
#include "link/peer.h"
#include "pdc/pdc.h"

/* Idle time if PDCs run short; the target waits twice as long */
#define UET_SHED_IDLE_NS	NSEC_PER_SEC
/* Spread the closing of many PDCs over time */
#define UET_SHED_SPREAD		1024
#define UET_SHED_GAP_NS		(100 * NSEC_PER_USEC)

/**
 * uet_pdc_idle_ns() - how long may a PDC be idle now?
 * @pdc: initiator PDC; a target waits twice as long
 *
 * Context: any.
 * Return: ns.
 */
u64 uet_pdc_idle_ns(const struct uet_pdc *pdc)
{
	u64 ns = (u64)READ_ONCE(pdc->un->sysctl.rules.pdc_idle_s) * NSEC_PER_SEC;

	return uet_share_short(pdc->peer, pdc->account) ? min(ns, UET_SHED_IDLE_NS) : ns;
}

/* Let a PDC's timer check its idle time, the later the larger @n is. */
static void uet_pdc_shed_look(struct uet_pdc *pdc, u32 n)
{
	u64 now = ktime_get_ns();

	local_bh_disable();
	uet_pdc_arm(pdc, now + n % UET_SHED_SPREAD * UET_SHED_GAP_NS);
	local_bh_enable();
}

/* May a PDC be idle for less than the usual time? */
static bool uet_pdc_sheds(const struct uet_pdc *pdc)
{
	return (uet_pdc_tx(pdc) && uet_pdc_tx_ops->left(pdc)) ||
	       uet_share_short(pdc->peer, pdc->account);
}

/* May take long with many PDCs, so it reschedules in between. */
static void uet_fep_shed(struct uet_fep *fep)
{
	struct uet_pdc *pdc;
	unsigned long id;
	u32 n = 0;

	rcu_read_lock();
	xa_for_each(&fep->pdcs, id, pdc) {
		/* The account goes with the last reference, not after a grace period. */
		if (!refcount_inc_not_zero(&pdc->ref))
			continue;
		rcu_read_unlock();
		if (uet_pdc_sheds(pdc))
			uet_pdc_shed_look(pdc, ++n);
		uet_pdc_put(pdc);
		cond_resched();
		rcu_read_lock();
	}
	rcu_read_unlock();
}

static void uet_pdc_shed_work(struct work_struct *work)
{
	struct uet_net *un = container_of(to_delayed_work(work), struct uet_net,
					  shed_work);
	struct rhashtable_iter iter;
	struct uet_fep *fep;

	WRITE_ONCE(un->shed_at, jiffies + HZ);
	rhashtable_walk_enter(&un->feps, &iter);
	rhashtable_walk_start(&iter);
	while ((fep = rhashtable_walk_next(&iter))) {
		if (IS_ERR(fep) || !refcount_inc_not_zero(&fep->ref))
			continue;
		rhashtable_walk_stop(&iter);
		uet_fep_shed(fep);
		uet_fep_put(fep);
		rhashtable_walk_start(&iter);
	}
	rhashtable_walk_stop(&iter);
	rhashtable_walk_exit(&iter);
}

/**
 * uet_pdc_shed() - close idle PDCs, as PDCs run short or were left for others
 * @un: namespace
 *
 * A work item does it, once a second at most.
 *
 * Context: any.
 */
void uet_pdc_shed(struct uet_net *un)
{
	unsigned long at = READ_ONCE(un->shed_at);

	if (!delayed_work_pending(&un->shed_work))
		schedule_delayed_work(&un->shed_work,
				      time_before(jiffies, at) ? at - jiffies :
								 0);
}

/**
 * uet_pdc_shed_init() - prepare the work item
 * @un: namespace
 *
 * Context: process.
 */
void uet_pdc_shed_init(struct uet_net *un)
{
	INIT_DELAYED_WORK(&un->shed_work, uet_pdc_shed_work);
	un->shed_at = jiffies;
}

/**
 * uet_pdc_shed_exit() - cancel the work item
 * @un: namespace, exiting, without PDCs
 *
 * Context: process.
 */
void uet_pdc_shed_exit(struct uet_net *un)
{
	cancel_delayed_work_sync(&un->shed_work);
}
