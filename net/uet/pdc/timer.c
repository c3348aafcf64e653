// SPDX-License-Identifier: GPL-2.0
/*
 * One timer per PDC for everything. It is armed for the earliest deadline
 * and never moved later: when it fires early, it looks and arms itself
 * again. So a deadline that is pushed on by every packet costs nothing.
 *
 * Where short messages follow one another, each puts the tail probe off, and the
 * timer would fire once per probe interval for nothing. So when it has, it fires
 * a round trip later, with which a lost tail is still repaired within four and a
 * target delay; not for a packet that asked for an answer, which is likely to be
 * missed if none comes.
 *
 * The callback runs in softirq and holds a reference of its own.
 */
#include <linux/hrtimer.h>
#include <linux/ktime.h>

#include "core/loss.h"
#include "link/encap.h"
#include "link/peer.h"
#include "mib.h"
#include "pdc/pdc.h"
#include "tx/flow.h"
#include "tx/txmsg.h"

/**
 * uet_pdc_arm() - see to it that the timer fires at a deadline
 * @pdc: the PDC
 * @at: deadline, ns; 0 is none
 * @now: time, ns
 *
 * Context: BH disabled, lock of the PDC's half held.
 */
void uet_pdc_arm(struct uet_pdc *pdc, u64 at, u64 now)
{
	if (!at || (pdc->timer_at && pdc->timer_at <= at) ||
	    (pdc->state == UET_PDC_DEAD && !uet_pdc_disowned(pdc)))
		return;
	if (!pdc->timer_at)
		refcount_inc(&pdc->ref);
	pdc->timer_at = at;
	hrtimer_start(&pdc->timer, ns_to_ktime(at), HRTIMER_MODE_ABS_SOFT);
}

/**
 * uet_pdc_disarm() - stop the timer of a dead PDC
 * @pdc: the PDC
 *
 * A callback that is running finds it dead and drops its reference itself.
 *
 * Context: any.
 */
void uet_pdc_disarm(struct uet_pdc *pdc)
{
	if (hrtimer_try_to_cancel(&pdc->timer) == 1)
		uet_pdc_put(pdc);
}

static u64 uet_earliest(u64 a, u64 b)
{
	if (!a)
		return b;
	return b ? min(a, b) : a;
}

/*
 * Idle and close of an initiator PDC (wire.md 8.3, 8.5).
 */
static u64 uet_pdc_tx_idle(struct uet_pdc *pdc, struct sk_buff_head *list,
			   u64 now)
{
	struct uet_pdc_tx *tx = &pdc->tx;
	u64 idle_ns = uet_pdc_idle_ns(pdc);
	u64 at = min(tx->idle_at, tx->heard + idle_ns);

	if (uet_txwin_outstanding(&tx->win) || tx->nr_msgs)
		return 0;
	if (pdc->state == UET_PDC_SYN) {
		/* Opened, but nothing was ever sent or all was withdrawn. */
		if (now - tx->heard < idle_ns)
			return tx->heard + idle_ns;
		uet_pdc_fail(pdc, 0, 0, 0);
		return 0;
	}
	if (pdc->state == UET_PDC_ESTABLISHED) {
		if (now < at)
			return at;
		pdc->state = UET_PDC_QUIESCE;
	}
	if (pdc->state == UET_PDC_QUIESCE && !tx->nr_msgs) {
		pdc->state = UET_PDC_CLOSING;
		uet_pdc_send_close(pdc, list, now);
		return tx->rto_at;
	}
	return 0;
}

/**
 * uet_pdc_probe_timer() - when the timer has to fire for the tail probe
 * @pdc: initiator PDC
 *
 * Context: flow lock held.
 * Return: time in ns, 0 = it has not to.
 */
u64 uet_pdc_probe_timer(const struct uet_pdc *pdc)
{
	return pdc->tx.probe_at ? pdc->tx.probe_at + pdc->tx.probe_slack : 0;
}

/* It fired: did packets put the tail probe off that expect no answer? */
static void uet_pdc_tx_slacken(struct uet_pdc *pdc, u64 now)
{
	struct uet_pdc_tx *tx = &pdc->tx;

	if (now < tx->probe_at && !uet_pdc_answer_due(pdc))
		tx->probe_slack = min_t(u64, tx->flow->ccc.base_rtt, U32_MAX);
}

static u64 uet_pdc_tx_deadline(struct uet_pdc *pdc, u64 now)
{
	const struct uet_pdc_tx *tx = &pdc->tx;
	u64 at = uet_earliest(tx->rto_at, uet_pdc_probe_timer(pdc));

	at = uet_earliest(at, tx->loss_at);
	at = uet_earliest(at, tx->clear_at);
	at = uet_earliest(at, tx->hold_at);
	at = uet_earliest(at, tx->orphan_at);
	/* A ring without anything in it is given back. */
	if (tx->win.nslots && !uet_txwin_outstanding(&tx->win))
		at = uet_earliest(at, max(tx->heard + UET_PDC_RING_IDLE_NS,
					  now + 1));
	/* Busy beyond its idle time: look again later, not at once. */
	return uet_earliest(at, max_t(u64, tx->idle_at, now + NSEC_PER_SEC));
}

/*
 * The callback has the lock: is the timer queued again? A start between its
 * firing and now found @timer_at set and took no reference.
 */
static void uet_pdc_timer_fired(struct uet_pdc *pdc)
{
	if (hrtimer_is_queued(&pdc->timer))
		refcount_inc(&pdc->ref);
	else
		pdc->timer_at = 0;
}

static void uet_pdc_tx_timer(struct uet_pdc *pdc)
{
	struct uet_pdc_tx *tx = &pdc->tx;
	struct uet_flow *flow = tx->flow;
	struct sk_buff_head list;
	struct sk_buff *skb;
	u64 now, idle;

	__skb_queue_head_init(&list);
	spin_lock(&flow->lock);
	now = ktime_get_ns();
	uet_pdc_timer_fired(pdc);
	if (pdc->state != UET_PDC_DEAD)
		uet_pdc_tx_expire(pdc, &list, now);
	else
		uet_pdc_disowned_expire(pdc, now);
	if (pdc->state != UET_PDC_DEAD) {
		uet_pdc_tx_slacken(pdc, now);
		idle = uet_pdc_tx_idle(pdc, &list, now);
		uet_pdc_arm(pdc, uet_earliest(idle, uet_pdc_tx_deadline(pdc, now)),
			    now);
	}
	if (!list_empty(&flow->ready))
		uet_flow_queue(flow);
	spin_unlock(&flow->lock);
	while ((skb = __skb_dequeue(&list)))
		uet_output_one(pdc->peer, skb);
}

static void uet_pdc_rx_timer(struct uet_pdc *pdc)
{
	struct sk_buff_head list;
	struct sk_buff *skb;
	u64 now, at = 0;

	__skb_queue_head_init(&list);
	spin_lock(&pdc->rx.lock);
	now = ktime_get_ns();
	uet_pdc_timer_fired(pdc);
	if (pdc->state != UET_PDC_DEAD)
		at = uet_pdc_rx_expire(pdc, &list, now);
	uet_pdc_arm(pdc, at, now);
	spin_unlock(&pdc->rx.lock);
	while ((skb = __skb_dequeue(&list)))
		uet_output_one(pdc->peer, skb);
}

static enum hrtimer_restart uet_pdc_timer(struct hrtimer *timer)
{
	struct uet_pdc *pdc = container_of(timer, struct uet_pdc, timer);

	rcu_read_lock();
	if (pdc->initiator)
		uet_pdc_tx_timer(pdc);
	else
		uet_pdc_rx_timer(pdc);
	rcu_read_unlock();
	uet_pdc_put(pdc);
	return HRTIMER_NORESTART;
}

void uet_pdc_timer_init(struct uet_pdc *pdc)
{
	hrtimer_init(&pdc->timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_SOFT);
	pdc->timer.function = uet_pdc_timer;
}
