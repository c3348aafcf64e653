// SPDX-License-Identifier: GPL-2.0
/*
 * The timer of the sending half: it carries out what the sender finds due, and
 * closes a PDC that is idle.
 *
 * Not here: what is due (core/snd/snd_timer.c, core/snd/snd_loss.c), the hrtimer
 * (pdc/timer.c).
 */
#include <linux/ktime.h>
#include <linux/uet.h>

#include "core/snd/snd_loss.h"
#include "core/snd/snd_timer.h"
#include "link/encap.h"
#include "link/peer.h"
#include "mib.h"
#include "pdc/pdc.h"
#include "tx/cms/flow.h"
#include "tx/pds/half.h"
#include "tx/pds/hole.h"

/*
 * Idle timeout and close by the initiator (UE 1.0 3.5.8.3). Packets that the
 * receiving half got count as activity, too.
 */
static u64 uet_pdc_tx_idle(struct uet_pdc *pdc, struct sk_buff_head *list,
			   u64 now)
{
	struct uet_pdc_tx *tx = pdc->tx;
	u64 idle_ns, sent_ns, at, heard;

	if (!pdc->initiator || uet_txwin_outstanding(&tx->snd.win) || tx->snd.nr_msgs)
		return 0;
	idle_ns = uet_pdc_idle_ns(pdc);
	/* No queue of messages comes back to a CCC that was told to go. */
	sent_ns = READ_ONCE(tx->flow->old) ? 0 : idle_ns;
	at = min(tx->snd.idle_at, tx->snd.heard + sent_ns);
	if (uet_pdc_rx(pdc)) {
		heard = uet_pdc_rx_ops->heard(pdc);
		/* A peer that vanished in mid-message must not pin the PDC. */
		if (uet_pdc_rx_ops->busy(pdc) &&
		    now < heard + 2 * NSEC_PER_SEC *
			  (u64)READ_ONCE(pdc->un->sysctl.rules.pdc_idle_s))
			return now + NSEC_PER_SEC;
		at = max(at, heard + idle_ns);
	}
	if (pdc->tx->snd.state == UET_PDC_SYN) {
		/* Opened, but nothing was ever sent or all was withdrawn. */
		if (now - tx->snd.heard < sent_ns)
			return tx->snd.heard + sent_ns;
		uet_pdc_fail(pdc, 0, 0, 0);
		return 0;
	}
	if (pdc->tx->snd.state == UET_PDC_ESTABLISHED) {
		if (now < at)
			return at;
		pdc->tx->snd.state = UET_PDC_QUIESCE;
	}
	if (pdc->tx->snd.state == UET_PDC_QUIESCE && !tx->snd.nr_msgs) {
		uet_pdc_close(pdc, list, now);
		return tx->snd.rto_at;
	}
	return 0;
}

/**
 * uet_pdc_tx_rearm() - after feedback: set timers, queue the flow
 * @pdc: the PDC
 * @now: time, ns
 *
 * Context: flow lock held.
 */
void uet_pdc_tx_rearm(struct uet_pdc *pdc, u64 now)
{
	struct uet_flow *flow = pdc->tx->flow;
	struct uet_snd *s = &pdc->tx->snd;
	u64 idle_at = READ_ONCE(flow->old) ? 0 : s->idle_at;

	lockdep_assert_held(&flow->lock);
	if (s->state == UET_PDC_CLOSING && !uet_txwin_outstanding(&s->win) &&
	    pdc->initiator) {
		/* A target instead waits for CLOSE_CMD. */
		uet_pdc_fail(pdc, 0, 0, 0);
		return;
	}
	uet_snd_settled(s, now);
	if (s->state == UET_PDC_QUIESCE && !s->nr_msgs)
		uet_snd_wake(s, now);
	else if (pdc->initiator)
		uet_snd_wake(s, max_t(u64, idle_at, now + NSEC_PER_SEC));
	uet_pdc_tx_arm(pdc);
	if (!list_empty(&flow->snd.ready) &&
	    (flow->ccc.state == UET_CCC_READY || s->win.ring->nr_marked))
		uet_flow_queue(flow);
}

/**
 * uet_pdc_send_cps() - build the control packets that an event asks for
 * @pdc: the PDC
 * @list: they are added here
 * @w: the event
 *
 * Context: flow lock held.
 */
void uet_pdc_send_cps(struct uet_pdc *pdc, struct sk_buff_head *list,
		      const struct uet_snd_work *w)
{
	const struct uet_snd_cp *cp;

	lockdep_assert_held(&pdc->tx->flow->lock);
	for (cp = w->cps; cp < w->cps + w->nr_cps; cp++) {
		u8 flags = cp->ctl == UET_CTL_CLEAR_CMD ? 0 : UET_F_AR;

		if (uet_cp_queue(pdc, list, &cp->cp, cp->ctl, flags, cp->ev))
			continue;	/* as if it were lost on the way */
		if (cp->data_class && likely(!pdc->tx->flow->snd.probes_apart))
			UET_TXMETA(skb_peek_tail(list))->dsfield =
				pdc->tclass << 2 | UET_ECT0;
	}
}

/**
 * uet_pdc_tx_silent() - note whether the peer is silent
 * @pdc: the PDC
 * @silent: timeouts are all that came since the last answer
 *
 * Context: flow lock held.
 */
void uet_pdc_tx_silent(struct uet_pdc *pdc, bool silent)
{
	struct uet_pdc_tx *tx = pdc->tx;

	lockdep_assert_held(&tx->flow->lock);
	if (likely(tx->silent == silent) || !pdc->account)
		return;
	tx->silent = silent;
	uet_account_silent(pdc->account, silent);
}

/**
 * uet_pdc_silent_err() - errno for a PDC whose peer was silent for too long
 * @pdc: the PDC
 *
 * Context: flow lock held.
 * Return: what the kernel or ICMP said meanwhile, else ETIMEDOUT.
 */
int uet_pdc_silent_err(const struct uet_pdc *pdc)
{
	const struct uet_pdc_tx *tx = pdc->tx;
	u32 heard = (u32)(tx->snd.heard >> UET_SOFT_SHIFT);
	int error = ETIMEDOUT;

	lockdep_assert_held(&tx->flow->lock);
	if (READ_ONCE(pdc->peer->away))
		error = EADDRNOTAVAIL;
	else if (tx->soft_err && (s32)(tx->soft_at - heard) >= 0)
		error = tx->soft_err;
	return error;
}

/* Do what is due at a sending half that is not dead. */
static void uet_pdc_tx_expire(struct uet_pdc *pdc, struct sk_buff_head *list,
			      u64 now)
{
	struct uet_pdc_tx *tx = pdc->tx;
	struct uet_snd *s = &tx->snd;
	struct uet_snd_work w;

	if (tx->orphan_at && now >= tx->orphan_at)
		uet_orphans_expire(pdc, now);
	if (s->state == UET_PDC_DEAD)
		return;
	uet_pdc_tx_silent(pdc, s->backoff);
	if (unlikely(tx->silent))
		tx->flow->snd.spread_ms = uet_account_spread_ms(pdc->account);
	uet_snd_work_init(&w, now, uet_flow_port_free(tx->flow));
	uet_snd_expire(s, &w);
	uet_pdc_losses(pdc, &w);
	if (w.probes)
		UET_INC(pdc->un, PROBES);
	if (w.timeouts)
		UET_INC(pdc->un, RTO_FIRED);
	if (w.end == UET_SND_SILENT) {
		uet_pdc_fail(pdc, uet_pdc_silent_err(pdc), UET_REPORT_LOCAL, 0);
		return;
	}
	if (unlikely(uet_pdc_unreached(tx, now)) &&
	    uet_pdc_silent_err(pdc) == tx->soft_err) {
		uet_pdc_fail(pdc, tx->soft_err, UET_REPORT_ICMP, tx->err_code);
		return;
	}
	uet_pdc_send_cps(pdc, list, &w);
	if (uet_hole_hopeless(pdc, now)) {
		uet_pdc_fail(pdc, ETIMEDOUT, UET_REPORT_LOCAL, 0);
	} else if (s->win.nslots && uet_snd_at_rest(s) &&
		   now >= s->heard + UET_PDC_RING_IDLE_NS) {
		uet_pdc_tx_shrink(pdc);
	}
}

static u64 uet_pdc_tx_deadline(struct uet_pdc *pdc, u64 now)
{
	const struct uet_snd *s = &pdc->tx->snd;
	u64 at = uet_earliest(uet_snd_deadline(s), pdc->tx->orphan_at);

	/* An empty ring is freed. */
	if (s->win.nslots && uet_snd_at_rest(s))
		at = uet_earliest(at, max(s->heard + UET_PDC_RING_IDLE_NS,
					  now + 1));
	if (!pdc->initiator)
		return at;
	/* If it is busy after its idle time: check again later, not at once. */
	return uet_earliest(at, max_t(u64, s->idle_at, now + NSEC_PER_SEC));
}

/* Bury a PDC whose wait for NACKs has ended. */
static void uet_pdc_disowned_expire(struct uet_pdc *pdc, u64 now)
{
	if (!uet_pdc_disowned(pdc))
		return;
	if (now >= pdc->tx->snd.rto_at)
		uet_pdc_bury(pdc);
	else
		uet_pdc_arm(pdc, pdc->tx->snd.rto_at);
}

/* Is there nothing to send before another deadline? Memory is short then, or messages
 * wait for others.
 */
static bool uet_pdc_tx_waits(const struct uet_snd *s)
{
	return s->state != UET_PDC_DEAD && s->retry_at && !s->win.ring->nr_marked;
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
	if (pdc->tx->snd.state != UET_PDC_DEAD)
		uet_pdc_tx_expire(pdc, &list, now);
	else
		uet_pdc_disowned_expire(pdc, now);
	if (pdc->tx->snd.state != UET_PDC_DEAD) {
		uet_snd_slacken(&tx->snd, now);
		idle = uet_pdc_tx_idle(pdc, &list, now);
		/* Those that events of this run have set are among all. */
		tx->snd.wake_at = 0;
		uet_pdc_arm(pdc, uet_earliest(idle, uet_pdc_tx_deadline(pdc, now)));
	}
	if (!list_empty(&flow->snd.ready) && !uet_pdc_tx_waits(&tx->snd))
		uet_flow_queue(flow);
	spin_unlock(&flow->lock);
	while ((skb = __skb_dequeue(&list)))
		uet_output_one(pdc->peer, skb);
}
