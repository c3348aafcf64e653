// SPDX-License-Identifier: GPL-2.0
/*
 * One timer per PDC for everything. It is armed for the earliest deadline and never
 * moved later: when it fires early, the halves look and arm it again. So a deadline
 * that is pushed on by every packet costs nothing.
 *
 * The callback runs in softirq and holds a reference of its own.
 */
#include <linux/hrtimer.h>

#include "compat.h"
#include "pdc/pdc.h"

/* Deadline of a timer that is not to be armed any more */
#define UET_PDC_NEVER	1

/**
 * uet_pdc_arm() - see to it that the timer fires at a deadline
 * @pdc: the PDC
 * @at: deadline, ns; 0 is none
 * @now: time, ns
 *
 * Who has a deadline for a half calls it with the lock of that half: if the timer
 * fires meanwhile, the half looks at its deadlines after that.
 *
 * Context: BH disabled.
 */
void uet_pdc_arm(struct uet_pdc *pdc, u64 at, u64 now)
{
	u64 armed = READ_ONCE(pdc->timer_at);

	if (!at || (armed && armed <= at))
		return;
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
 * A callback that is running finds it dead and drops its reference itself.
 *
 * Context: any.
 */
void uet_pdc_disarm(struct uet_pdc *pdc)
{
	int ret;

	spin_lock_bh(&pdc->timer_lock);
	WRITE_ONCE(pdc->timer_at, UET_PDC_NEVER);
	ret = hrtimer_try_to_cancel(&pdc->timer);
	/* It is running, and armed again meanwhile: let that be over soon. */
	if (ret < 0 && hrtimer_is_queued(&pdc->timer))
		hrtimer_start(&pdc->timer, 0, HRTIMER_MODE_ABS_SOFT);
	spin_unlock_bh(&pdc->timer_lock);
	if (ret == 1)
		uet_pdc_put(pdc);
}

/* It may be armed again from now on. A start between its firing and now found
 * @timer_at set and took no reference.
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
 * uet_pdc_timer_init() - not armed
 * @pdc: the PDC, new
 */
void uet_pdc_timer_init(struct uet_pdc *pdc)
{
	spin_lock_init(&pdc->timer_lock);
	hrtimer_init(&pdc->timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_SOFT);
	pdc->timer.function = uet_pdc_timer;
}
