// SPDX-License-Identifier: GPL-2.0
/*
 * The timer of the sending half.
 *
 * Where short messages follow one another, each postpones the tail probe, and
 * the timer would fire once per probe interval for nothing. So after it did, it
 * may fire a base RTT late for the probe: a lost tail is still repaired within
 * four round trips and a target delay. A packet with AR ends that, since its
 * sender is likely to wait for the answer.
 *
 * Not here: the actions at a deadline (tx/expire.c), the hrtimer (pdc/timer.c).
 */
#include <linux/ktime.h>

#include "core/loss.h"
#include "link/encap.h"
#include "link/peer.h"
#include "tx/flow.h"
#include "tx/half.h"

/*
 * Idle timeout and close by the initiator (UE 1.0 3.5.8.3). Packets that the
 * receiving half got count as activity, too.
 */
static u64 uet_pdc_tx_idle(struct uet_pdc *pdc, struct sk_buff_head *list,
			   u64 now)
{
	struct uet_pdc_tx *tx = pdc->tx;
	u64 idle_ns = uet_pdc_idle_ns(pdc);
	u64 at = min(tx->idle_at, tx->heard + idle_ns);
	u64 heard;

	if (!pdc->initiator || uet_txwin_outstanding(&tx->win) || tx->nr_msgs)
		return 0;
	if (uet_pdc_rx(pdc)) {
		heard = uet_pdc_rx_ops->heard(pdc);
		/* A peer that vanished in mid-message must not pin the PDC. */
		if (uet_pdc_rx_ops->busy(pdc) &&
		    now < heard + 2 * NSEC_PER_SEC *
			  (u64)READ_ONCE(pdc->un->sysctl.pdc_idle_s))
			return now + NSEC_PER_SEC;
		at = max(at, heard + idle_ns);
	}
	if (pdc->tx->state == UET_PDC_SYN) {
		/* Opened, but nothing was ever sent or all was withdrawn. */
		if (now - tx->heard < idle_ns)
			return tx->heard + idle_ns;
		uet_pdc_fail(pdc, 0, 0, 0);
		return 0;
	}
	if (pdc->tx->state == UET_PDC_ESTABLISHED) {
		if (now < at)
			return at;
		pdc->tx->state = UET_PDC_QUIESCE;
	}
	if (pdc->tx->state == UET_PDC_QUIESCE && !tx->nr_msgs) {
		uet_pdc_close(pdc, list, now);
		return tx->rto_at;
	}
	return 0;
}

/**
 * uet_pdc_probe_timer() - when the timer must fire for the tail probe
 * @pdc: the PDC
 *
 * Context: flow lock held.
 * Return: time in ns, 0 if it need not fire.
 */
u64 uet_pdc_probe_timer(const struct uet_pdc *pdc)
{
	lockdep_assert_held(&pdc->tx->flow->lock);
	return pdc->tx->probe_at ? pdc->tx->probe_at + pdc->tx->probe_slack : 0;
}

/* If packets without AR postponed the tail probe, the timer may be late. */
static void uet_pdc_tx_slacken(struct uet_pdc *pdc, u64 now)
{
	struct uet_pdc_tx *tx = pdc->tx;

	if (now < tx->probe_at && !uet_pdc_answer_due(pdc))
		tx->probe_slack = min_t(u64, tx->flow->ccc.base_rtt, U32_MAX);
}

static u64 uet_pdc_tx_deadline(struct uet_pdc *pdc, u64 now)
{
	const struct uet_pdc_tx *tx = pdc->tx;
	u64 at = uet_earliest(tx->rto_at, uet_pdc_probe_timer(pdc));

	at = uet_earliest(at, tx->loss_at);
	at = uet_earliest(at, tx->clear_at);
	at = uet_earliest(at, tx->hold_at);
	at = uet_earliest(at, tx->orphan_at);
	/* An empty ring is freed. */
	if (tx->win.nslots && !uet_txwin_outstanding(&tx->win))
		at = uet_earliest(at, max(tx->heard + UET_PDC_RING_IDLE_NS,
					  now + 1));
	if (!pdc->initiator)
		return at;
	/* If it is busy after its idle time: check again later, not at once. */
	return uet_earliest(at, max_t(u64, tx->idle_at, now + NSEC_PER_SEC));
}

/**
 * uet_pdc_tx_timer() - handle what is due when the timer fires
 * @pdc: a PDC with a sending half
 *
 * Context: softirq, RCU read side.
 */
void uet_pdc_tx_timer(struct uet_pdc *pdc)
{
	struct uet_pdc_tx *tx = pdc->tx;
	struct uet_flow *flow = tx->flow;
	struct sk_buff_head list;
	struct sk_buff *skb;
	u64 now, idle;

	__skb_queue_head_init(&list);
	spin_lock(&flow->lock);
	now = ktime_get_ns();
	if (pdc->tx->state != UET_PDC_DEAD)
		uet_pdc_tx_expire(pdc, &list, now);
	else
		uet_pdc_disowned_expire(pdc, now);
	if (pdc->tx->state != UET_PDC_DEAD) {
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
