// SPDX-License-Identifier: GPL-2.0
/*
 * One timer per PDC for all its deadlines. It is armed for the earliest deadline
 * and never moved to a later time: when it fires early, the halves check their
 * deadlines and arm it again. So a deadline that each packet postpones costs a
 * store, not a change of the timer.
 *
 * The armed timer holds a reference to the PDC; the callback runs in softirq.
 *
 * Not here: what is done at a deadline (tx/pds/timer.c, rx/pds/timer.c).
 */
#include <linux/hrtimer.h>

#include "compat.h"
#include "pdc/pdc.h"

/* timer_at of a timer that must not be armed any more */
#define UET_PDC_NEVER	1

/**
 * uet_pdc_arm_earlier() - second part of uet_pdc_arm()
 * @pdc: the PDC
 * @at: deadline, ns
 *
 * Context: BH disabled.
 */
void uet_pdc_arm_earlier(struct uet_pdc *pdc, u64 at)
{
	u64 armed;

	spin_lock(&pdc->timer_lock);
	armed = pdc->timer_at;
	if (!armed || armed > at) {
		if (!armed)
			refcount_inc(&pdc->ref);
		WRITE_ONCE(pdc->timer_at, at);
		hrtimer_start(&pdc->timer, ns_to_ktime(at),
			      HRTIMER_MODE_ABS_SOFT);
	}
	spin_unlock(&pdc->timer_lock);
}

/**
 * uet_pdc_disarm() - stop the timer of a dead PDC for good
 * @pdc: the PDC
 *
 * A running callback finds the PDC dead and drops its own reference.
 *
 * Context: any.
 */
void uet_pdc_disarm(struct uet_pdc *pdc)
{
	int ret;

	spin_lock_bh(&pdc->timer_lock);
	WRITE_ONCE(pdc->timer_at, UET_PDC_NEVER);
	ret = hrtimer_try_to_cancel(&pdc->timer);
	/* It is running, and armed again: let it fire at once. */
	if (ret < 0 && hrtimer_is_queued(&pdc->timer))
		hrtimer_start(&pdc->timer, 0, HRTIMER_MODE_ABS_SOFT);
	spin_unlock_bh(&pdc->timer_lock);
	if (ret == 1)
		uet_pdc_put(pdc);
}

/* Allow arming again. If uet_pdc_arm() has started the timer since it fired, it
 * found @timer_at set and took no reference: take one now.
 */
static void uet_pdc_timer_fired(struct uet_pdc *pdc)
{
	spin_lock(&pdc->timer_lock);
	if (hrtimer_is_queued(&pdc->timer))
		refcount_inc(&pdc->ref);
	else if (pdc->timer_at != UET_PDC_NEVER)
		WRITE_ONCE(pdc->timer_at, 0);
	spin_unlock(&pdc->timer_lock);
}

static enum hrtimer_restart uet_pdc_timer(struct hrtimer *timer)
{
	struct uet_pdc *pdc = container_of(timer, struct uet_pdc, timer);

	rcu_read_lock();
	uet_pdc_timer_fired(pdc);
	if (uet_pdc_tx(pdc))
		uet_pdc_tx_ops->timer(pdc);
	if (uet_pdc_rx(pdc))
		uet_pdc_rx_ops->timer(pdc);
	rcu_read_unlock();
	uet_pdc_put(pdc);
	return HRTIMER_NORESTART;
}

/**
 * uet_pdc_timer_init() - prepare the timer, not armed
 * @pdc: the PDC, new
 */
void uet_pdc_timer_init(struct uet_pdc *pdc)
{
	spin_lock_init(&pdc->timer_lock);
	uet_hrtimer_setup(&pdc->timer, uet_pdc_timer);
}
