// SPDX-License-Identifier: GPL-2.0
/*
 * Control packets for the receiving half, and the peer's answers to the PROBEs
 * and CLOSE_REQs that the receiving half sent (UE 1.0 3.5.8, 3.5.12).
 *
 * Not here: control packets about what this host sends (tx/pds/control.c), and
 * building control packets (pdc/ctl.c).
 */
#include <linux/ktime.h>

#include "link/encap.h"
#include "link/habits.h"
#include "link/peer.h"
#include "link/peer_profile.h"
#include "mib.h"
#include "pdc/pdc.h"
#include "rx/cms/credit.h"
#include "rx/pds/half.h"
#include "rx/ses/ses.h"

/* For so long a PROBE's answer proves that the initiator still has the PDC */
#define UET_ALIVE_NS		NSEC_PER_SEC
/* Minimum TIME_WAIT (see "Rules of this module" in uet-rules.rst) */
#define UET_TIME_WAIT_NS	NSEC_PER_SEC

/* Requests of this host are to use the PDC no more, if they might. */
static void uet_pdc_offer_no_more(struct uet_pdc *pdc)
{
	if (pdc->rx->confirmed)
		uet_pdc_unoffer(pdc);
}

/* CLOSE_CMD, which implicitly clears all guaranteed responses */
static struct sk_buff *uet_close_cmd(struct uet_pdc *pdc, struct uet_rx_ctx *rx)
{
	struct uet_pdc_rx *r = pdc->rx;
	u32 psn = rx->pkt->cp.psn;
	u64 now = ktime_get_ns();
	struct sk_buff *nack;

	if (pdc->rx->state == UET_PDC_TIME_WAIT) {
		if (psn != r->map.cack) {
			rx->drop = UET_DROP_STALE;
			return NULL;
		}
		return uet_ack_make(pdc, rx, psn, 0, NULL);
	}
	uet_pdc_cleared(pdc, r->map.highest);
	if (psn != uet_rxmap_expected(&r->map) || uet_rxmap_due(&r->map)) {
		/* An earlier PSN is missing: CLOSE_CMD is sent again. */
		rx->drop = UET_DROP_STALE;
		return NULL;
	}
	if (pdc->tx && uet_pdc_tx_ops->busy(pdc)) {
		/*
		 * CLOSE_CMD crossed our requests. An initiator that runs this
		 * module NACKs them, and they move to another PDC; any other
		 * initiator repeats CLOSE_CMD.
		 */
		rx->drop = UET_DROP_STATE;
		if (!(rx->pkt->flags & UET_F_RETX))
			return NULL;
		nack = uet_nack_make(pdc, rx, UET_NACK_CLOSING_IN_ERR, psn, 0);
		uet_pdc_rx_kill(pdc, ECONNRESET);
		return nack;
	}
	uet_rxmap_deliver(&r->map, 1);
	uet_pdc_rx_drop_all(pdc, ECONNRESET);
	pdc->rx->state = UET_PDC_TIME_WAIT;
	uet_pdc_offer_no_more(pdc);
	if (pdc->tx)
		uet_pdc_tx_ops->other_died(pdc);
	r->close_at = now + max_t(u64, UET_TIME_WAIT_NS,
				  2 * (u64)NSEC_PER_USEC *
				  READ_ONCE(pdc->un->sysctl.rules.rto_min_us));
	uet_pdc_arm(pdc, r->close_at);
	return uet_ack_make(pdc, rx, psn, 0, NULL);
}

/* ACK_REQ: was this PSN received, and what was the response? */
static struct sk_buff *uet_ack_req(struct uet_pdc *pdc, struct uet_rx_ctx *rx)
{
	struct sk_buff *told = NULL, *answer;
	u32 psn = rx->pkt->cp.psn;

	switch (uet_rxmap_classify(&pdc->rx->map, psn)) {
	case UET_RX_DUP:
		if (unlikely(uet_pdc_keeps(pdc, psn)))
			told = uet_pdc_retry_early(pdc);
		answer = uet_pdc_keeps(pdc, psn) ?
			 uet_nack_make(pdc, rx, UET_NACK_RCVD_SES_PROCG, psn, 0) :
			 uet_pdc_stored_answer(pdc, rx, psn,
					       (u16)rx->pkt->cp.payload);
		return uet_answers_join(answer, told);
	case UET_RX_NEW:
	case UET_RX_NOMAP:
		return uet_nack_make(pdc, rx, UET_NACK_PKT_NOT_RCVD, psn, 0);
	default:
		rx->drop = UET_DROP_STALE;
		return NULL;
	}
}

/* Is a control packet for the receiving half? */
static bool uet_control_is_ours(const struct uet_pdc *pdc, u8 ctl)
{
	switch (ctl) {
	case UET_CTL_CLEAR_REQ:
	case UET_CTL_CREDIT:
		return false;
	case UET_CTL_CLOSE_CMD:
		/* Only the initiator closes a PDC. */
		return !pdc->initiator;
	case UET_CTL_CLOSE_REQ:
		/* The sending half has handled it (tx/pds/control.c). */
		return pdc->initiator;
	default:
		return true;
	}
}

/* The answer to a control packet of ours, or NULL; rx.lock held */
static struct sk_buff *uet_control_answer(struct uet_pdc *pdc,
					  struct uet_rx_ctx *rx)
{
	const struct uet_cp *cp = &rx->pkt->cp;
	struct uet_rxmap *map = &pdc->rx->map;
	struct sk_buff_head list;
	u32 cack = map->cack;

	lockdep_assert_held(&pdc->rx->lock);
	switch (rx->pkt->ctl_type) {
	case UET_CTL_ACK_REQ:
		return uet_ack_req(pdc, rx);
	case UET_CTL_CLEAR_CMD:
		if (!uet_pdc_cleared(pdc, cp->payload))
			rx->drop = UET_DROP_CLEAR;
		/* No other packet would tell the source that CACK moved. */
		return map->cack == cack ? NULL :
		       uet_ack_make(pdc, rx, map->cack, 0, NULL);
	case UET_CTL_CLOSE_CMD:
		return uet_close_cmd(pdc, rx);
	case UET_CTL_PROBE:
		if (!(rx->pkt->flags & UET_F_SYN))
			uet_habit_probed(&pdc->peer->habits);
		return uet_ack_make(pdc, rx, map->cack, UET_F_PROBE, NULL);
	case UET_CTL_CLOSE_REQ:
	case UET_CTL_NOOP:
	case UET_CTL_NEGOTIATION:
		/* They take a PSN and deliver nothing. */
		return uet_pdc_take_psn(pdc, rx);
	case UET_CTL_CREDIT_REQ:
		__skb_queue_head_init(&list);
		uet_credit_asked(pdc, rx, &list);
		return __skb_dequeue(&list);
	default:
		return NULL;
	}
}

/**
 * uet_pdc_rx_control() - handle a control packet about what the peer sends
 * @pdc: PDC found by dpdcid, with the peer verified, or by SYN
 * @rx: the packet; @rx->drop is cleared if it was for the receiving half
 * @created: this packet made the PDC
 *
 * Context: softirq.
 */
void uet_pdc_rx_control(struct uet_pdc *pdc, struct uet_rx_ctx *rx,
			bool created)
{
	struct uet_pdc_rx *r = pdc->rx;
	struct sk_buff *answer = NULL;

	spin_lock(&r->lock);
	if (r->state == UET_PDC_DEAD)
		goto out;
	/* Only requests count as use of a PDC that was opened here. */
	if (!pdc->initiator)
		WRITE_ONCE(r->heard, ktime_get_ns());
	/* A SYN packet lacks our PDCID: its source may be spoofed. */
	if (!(rx->pkt->flags & UET_F_SYN))
		uet_pdc_confirm(pdc);
	else if (!created)
		uet_pdc_heard_syn(pdc);
	if (created)
		uet_pdc_arm(pdc, r->heard + NSEC_PER_SEC);
	if (!uet_control_is_ours(pdc, rx->pkt->ctl_type))
		goto out;
	rx->drop = UET_DROP_NONE;
	answer = uet_control_answer(pdc, rx);
out:
	spin_unlock(&r->lock);
	uet_pdc_send_answers(pdc, answer);
}

/**
 * uet_pdc_rx_ack() - the initiator ACKed our PROBE or CLOSE_REQ
 * @pdc: PDC that the peer opened
 * @rx: the packet
 *
 * Context: softirq.
 */
void uet_pdc_rx_ack(struct uet_pdc *pdc, struct uet_rx_ctx *rx)
{
	struct uet_pdc_rx *r = pdc->rx;

	spin_lock(&r->lock);
	if (r->state == UET_PDC_DEAD) {
		/* With a sending half, that one judges it. */
		if (!pdc->tx)
			rx->drop = UET_DROP_STATE;
		goto out;
	}
	uet_pdc_confirm(pdc);
	if (rx->pkt->flags & UET_F_PROBE && r->probe_out) {
		r->probe_out = false;
		r->alive_at = ktime_get_ns();
	}
	WRITE_ONCE(r->heard, ktime_get_ns());
out:
	spin_unlock(&r->lock);
}

/**
 * uet_pdc_rx_nack() - a NACK of the initiator
 * @pdc: PDC that the peer opened
 * @nack: the NACK
 *
 * A NACK of a CLOSE_REQ repeats its PSN. One of a PROBE has no PSN, so it may be
 * forged: it does not end a PDC whose sending half is busy.
 *
 * Context: softirq.
 * Return: true if the NACK ended the PDC.
 */
bool uet_pdc_rx_nack(struct uet_pdc *pdc, const struct uet_nack *nack)
{
	struct uet_pdc_rx *r = pdc->rx;
	bool ours;

	if (nack->code != UET_NACK_INV_DPDCID &&
	    nack->code != UET_NACK_PDC_HDR_MISMATCH)
		return false;
	spin_lock(&r->lock);
	ours = (r->probe_out && !nack->psn &&
		!(pdc->tx && uet_pdc_tx_ops->busy(pdc))) ||
	       (r->close_req && !pdc->tx && nack->psn == pdc->start_psn);
	/* The answer to a CLOSE_REQ says that the peer has closed it. */
	if (ours && !r->close_req)
		uet_pdc_tell_reset(pdc);
	if (ours)
		uet_pdc_rx_kill(pdc, ECONNRESET);
	spin_unlock(&r->lock);
	return ours;
}

/**
 * uet_pdc_rx_replaced() - a SYN packet with another Start_PSN came for a PDC
 * @pdc: PDC that the peer opened
 *
 * A PDC in TIME_WAIT gives way: the peer uses its PDCID again.
 *
 * Context: softirq, RCU read side.
 * Return: true if the PDC is gone.
 */
bool uet_pdc_rx_replaced(struct uet_pdc *pdc)
{
	bool closed;

	spin_lock(&pdc->rx->lock);
	closed = pdc->rx->state != UET_PDC_ESTABLISHED;
	if (closed)
		uet_pdc_rx_kill(pdc, 0);
	spin_unlock(&pdc->rx->lock);
	return closed;
}

/*
 * The same question to a peer that must not be sent PROBEs: CLOSE_REQ. Who has the
 * PDC closes it, so that the SYN opens the new one; who does not NACKs it; who is
 * silent for close_req_time_ms has lost the PDC. True if the sending half is to ask.
 */
static bool uet_pdc_rx_ask_close(struct uet_pdc *pdc, struct sk_buff_head *list,
				 u16 ev)
{
	struct uet_pdc_rx *r = pdc->rx;
	struct uet_cp cp = { .psn = pdc->start_psn };
	u64 wait = (u64)NSEC_PER_MSEC *
		   READ_ONCE(pdc->un->sysctl.close_req_time_ms);
	u64 now = ktime_get_ns();
	bool again = r->close_req;

	if (!again) {
		r->close_req = true;
		r->close_at = now + wait;
	} else if (now >= r->close_at && now - r->heard >= wait) {
		uet_pdc_rx_kill(pdc, ECONNRESET);
		return false;
	}
	if (pdc->tx)
		return true;
	r->asked = true;
	uet_pdc_offer_no_more(pdc);
	uet_cp_queue(pdc, list, &cp, UET_CTL_CLOSE_REQ,
		     UET_F_AR | (again ? UET_F_RETX : 0), ev);
	return false;
}

/**
 * uet_pdc_rx_ask_alive() - does the initiator still have this open PDC?
 * @pdc: PDC that the peer opened
 * @rx: the SYN packet
 *
 * Sends a PROBE unless the initiator answered one within UET_ALIVE_NS.
 *
 * Context: softirq, RCU read side.
 * Return: true if it did.
 */
bool uet_pdc_rx_ask_alive(struct uet_pdc *pdc, const struct uet_rx_ctx *rx)
{
	struct uet_pdc_rx *r = pdc->rx;
	struct sk_buff_head list;
	struct uet_cp cp = { .probe_opaque = UET_PROBE_ALIVE };
	bool lives = false, ask = false;
	struct sk_buff *skb;
	bool probes;

	probes = uet_profile_says(uet_peer_profile(pdc->peer),
				  UET_PROFILE_PROBES, true);
	__skb_queue_head_init(&list);
	spin_lock(&r->lock);
	if (r->state == UET_PDC_ESTABLISHED && unlikely(!probes)) {
		ask = uet_pdc_rx_ask_close(pdc, &list, rx->ev);
	} else if (r->state == UET_PDC_ESTABLISHED) {
		lives = r->confirmed && r->alive_at &&
			ktime_get_ns() - r->alive_at < UET_ALIVE_NS;
		if (!lives) {
			r->probe_out = true;
			uet_cp_queue(pdc, &list, &cp, UET_CTL_PROBE, UET_F_AR,
				     rx->ev);
		}
	}
	spin_unlock(&r->lock);
	if (unlikely(ask))
		uet_pdc_tx_ops->close(pdc);
	while ((skb = __skb_dequeue(&list)))
		uet_output_answer(pdc->peer, skb);
	return lives;
}
