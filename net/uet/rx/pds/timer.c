// SPDX-License-Identifier: GPL-2.0
/*
 * Deadlines of the receiving half (UE 1.0 3.5.8, 3.5.12): guaranteed responses
 * that are not cleared, initiators that have vanished, the end of TIME_WAIT.
 *
 * Not here: the hrtimer itself (pdc/timer.c).
 */
#include <linux/ktime.h>

#include "link/encap.h"
#include "link/peer.h"
#include "mib.h"
#include "pdc/pdc.h"
#include "rx/pds/half.h"
#include "rx/ses/ses.h"

/* First CLEAR_REQ after so many clear_time_us, then the interval doubles (see
 * "Rules of this module" in uet-rules.rst)
 */
#define UET_CLEAR_REQ_TIMES	8
/* ... so often at most */
#define UET_CLEAR_REQ_BACKOFF_MAX	32
/* Interval of CLOSE_REQs <= rto_min_us * 2^this */
#define UET_CLOSE_REQ_BACKOFF_MAX	16
/* CLOSE_REQs to an address that may be made up: no more than TCP sends there */
#define UET_CLOSE_REQ_UNPROVED		3
/* ... and in a second to all of them */
#define UET_CLOSE_REQS_UNPROVED		100

/* When CLEAR_REQ is due, 0 = not */
static u64 uet_pdc_clear_req(const struct uet_pdc_rx *rx)
{
	return rx->confirmed ? rx->clear_req_at : 0;
}

/* ... how long after the one before, or after the response */
static u64 uet_pdc_clear_gap(const struct uet_pdc *pdc)
{
	return UET_CLEAR_REQ_TIMES * NSEC_PER_USEC *
	       (u64)READ_ONCE(pdc->un->sysctl.rules.clear_time_us) <<
	       pdc->rx->clear_reqs;
}

static u64 uet_pdc_rx_idle_ns(const struct uet_pdc *pdc)
{
	/* A sender may pause within a message: no shorter time under pressure */
	if (pdc->rx->nr_msgs || pdc->rx->nr_early)
		return 2 * (u64)READ_ONCE(pdc->un->sysctl.rules.pdc_idle_s) *
		       NSEC_PER_SEC;
	/* Otherwise the PDC of a vanished initiator would stay for ever. */
	return 2 * uet_pdc_idle_ns(pdc);
}

/**
 * uet_close_req_limit_init() - prepare the limit of CLOSE_REQs to who has not proved its
 *	address
 * @un: namespace
 *
 * Such addresses may be made up, as many as packets can be forged: nobody is to be flooded
 * so.
 */
void uet_close_req_limit_init(struct uet_net *un)
{
	ratelimit_state_init(&un->close_reqs, HZ, UET_CLOSE_REQS_UNPROVED);
	/* Nothing is logged of those that do not go. */
	ratelimit_set_flags(&un->close_reqs, RATELIMIT_MSG_ON_RELEASE);
}

/*
 * The initiator is silent: ask it to close, then close without it. One that has sent a
 * single packet is silent for as good a reason, and would go on by a PDC that is gone; but
 * its address may be spoofed, so it is asked a few times only.
 */
static u64 uet_pdc_rx_idle(struct uet_pdc *pdc, struct sk_buff_head *list,
			   u64 now)
{
	struct uet_pdc_rx *rx = pdc->rx;
	u64 close_ns = (u64)READ_ONCE(pdc->un->sysctl.close_req_time_ms) *
		       NSEC_PER_MSEC;
	struct uet_cp cp = { .psn = pdc->start_psn };
	u64 idle_ns;

	/* The initiator's sending half closes an idle PDC. */
	if (pdc->initiator)
		return 0;
	idle_ns = uet_pdc_rx_idle_ns(pdc);
	if (now - rx->heard < idle_ns)
		return rx->heard + idle_ns;
	if (pdc->tx && uet_pdc_tx_ops->busy(pdc)) {
		rx->close_req = false;
		return now + idle_ns;
	}
	if (!rx->close_req) {
		rx->close_req = true;
		rx->close_at = now + close_ns;
	} else if (now >= rx->close_at) {
		uet_pdc_rx_kill(pdc, ECONNRESET);
		return 0;
	}
	if (!rx->confirmed && rx->close_tries == UET_CLOSE_REQ_UNPROVED)
		return rx->close_at;
	if (pdc->tx) {
		rx->ask_close = true;
	} else {
		rx->asked = true;
		/* Else it is in another list by the same node. */
		if (rx->confirmed)
			uet_pdc_unoffer(pdc);
		if (rx->confirmed || __ratelimit(&pdc->un->close_reqs))
			uet_cp_queue(pdc, list, &cp, UET_CTL_CLOSE_REQ,
				     UET_F_AR | (rx->close_tries ? UET_F_RETX : 0),
				     0);
	}
	if (rx->close_tries < UET_CLOSE_REQ_BACKOFF_MAX)
		rx->close_tries++;
	return min(rx->close_at,
		   now + ((u64)READ_ONCE(pdc->un->sysctl.rules.rto_min_us) *
			  NSEC_PER_USEC << rx->close_tries));
}

/* Do what is due. Returns the next deadline, 0 if there is none. */
static u64 uet_pdc_rx_expire(struct uet_pdc *pdc, struct sk_buff_head *list, u64 now)
{
	struct uet_pdc_rx *rx = pdc->rx;
	u64 at;

	if (pdc->rx->state == UET_PDC_TIME_WAIT) {
		if (now < rx->close_at)
			return rx->close_at;
		uet_pdc_rx_kill(pdc, 0);
		return 0;
	}
	if (uet_pdc_clear_req(rx) && now >= rx->clear_req_at) {
		struct uet_cp cp = { .payload = rx->map.cack + 1 };

		rx->clear_req_at = 0;
		if (rx->nr_gtd) {
			uet_cp_queue(pdc, list, &cp, UET_CTL_CLEAR_REQ, 0, 0);
			rx->clear_reqs = min(rx->clear_reqs + 1,
					     UET_CLEAR_REQ_BACKOFF_MAX);
			rx->clear_req_at = now + uet_pdc_clear_gap(pdc);
		}
	}
	if (rx->nr_msgs)
		uet_ses_cack(pdc, rx->map.cack);
	at = uet_pdc_rx_idle(pdc, list, now);
	at = uet_earliest(at, uet_pdc_clear_req(rx));
	return pdc->rx->state == UET_PDC_DEAD ? 0 : at;
}

/**
 * uet_pdc_rx_timer() - handle the deadlines of a receiving half
 * @pdc: PDC with a receiving half
 *
 * Context: softirq, RCU read side.
 */
void uet_pdc_rx_timer(struct uet_pdc *pdc)
{
	struct sk_buff_head list;
	struct sk_buff *skb;
	u64 now, at = 0;
	bool ask;

	__skb_queue_head_init(&list);
	spin_lock(&pdc->rx->lock);
	now = ktime_get_ns();
	if (pdc->rx->state != UET_PDC_DEAD)
		at = uet_pdc_rx_expire(pdc, &list, now);
	uet_pdc_arm(pdc, at);
	ask = pdc->rx->ask_close;
	pdc->rx->ask_close = false;
	spin_unlock(&pdc->rx->lock);
	if (unlikely(ask))
		uet_pdc_tx_ops->close(pdc);
	while ((skb = __skb_dequeue(&list)))
		uet_output_answer(pdc->peer, skb);
}

/**
 * uet_pdc_want_clear() - a guaranteed response waits for its clear
 * @pdc: the PDC
 * @now: time, ns
 *
 * An unconfirmed PDC sends CLEAR_REQ only after it is confirmed.
 *
 * Context: rx.lock held.
 */
void uet_pdc_want_clear(struct uet_pdc *pdc, u64 now)
{
	lockdep_assert_held(&pdc->rx->lock);
	if (!pdc->rx->confirmed)
		return;
	pdc->rx->clear_reqs = 0;
	pdc->rx->clear_req_at = now + uet_pdc_clear_gap(pdc);
	uet_pdc_arm(pdc, pdc->rx->clear_req_at);
}
