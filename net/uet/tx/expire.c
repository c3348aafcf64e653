// SPDX-License-Identifier: GPL-2.0
/*
 * Deadlines of the sending half (UE 1.0 3.5.12): RTO, tail probe, loss inferred
 * from SACK and probes, CLEAR_CMD.
 *
 * Not here: the timer (tx/timer.c, pdc/timer.c), RTO arithmetic (core/loss.c).
 */
#include <linux/ktime.h>

#include "core/loss.h"
#include "core/txwin_scan.h"
#include "link/encap.h"
#include "link/habits.h"
#include "link/peer.h"
#include "mib.h"
#include "pdc/pdc.h"
#include "tx/flow.h"
#include "tx/half.h"
#include "tx/hole.h"
#include "tx/txmsg.h"

/* Pause before a retry when a packet could not be allocated */
#define UET_NOMEM_RETRY_NS	(2 * NSEC_PER_MSEC)
/* Silence after which ICMP port unreachable is believed */
#define UET_REFUSED_NS		NSEC_PER_SEC
/* Largest exponent in the back-off of tail probes */
#define UET_PROBE_BACKOFF_MAX	12

/*
 * Longest normal round trip: max(base RTT, SRTT + 4 deviations), since the
 * paths of a CCC queue differently.
 */
static u64 uet_pdc_patience(const struct uet_pdc *pdc)
{
	const struct uet_ccc *ccc = &pdc->tx->flow->ccc;

	return max(ccc->base_rtt, uet_rtt_est_ns(&ccc->rtt) + ccc->rtt.var);
}

/*
 * rto_max_ms limits the back-off for a silent peer, so that its return is
 * noticed soon. Measured round trips may be longer. They must be if answers do
 * come, but each to a packet that was retransmitted before (@ambiguous).
 */
static u64 uet_pdc_rto_max(const struct uet_pdc *pdc)
{
	const struct uet_ccc *ccc = &pdc->tx->flow->ccc;
	u64 max_ns = (u64)READ_ONCE(pdc->un->sysctl.rto_max_ms) * NSEC_PER_MSEC;

	if (unlikely(pdc->tx->ambiguous))
		return UET_RTO_LIMIT_NS;
	return clamp_t(u64, 2 * (uet_rtt_est_ns(&ccc->rtt) + ccc->rtt.var),
		       max_ns, max_t(u64, max_ns, UET_RTO_LIMIT_NS));
}

/**
 * uet_pdc_rto() - current retransmission timeout
 * @pdc: the PDC
 *
 * Return: interval in ns, back-off included.
 */
u64 uet_pdc_rto(const struct uet_pdc *pdc)
{
	const struct uet_ccc *ccc = &pdc->tx->flow->ccc;
	u64 min_ns = (u64)READ_ONCE(pdc->un->sysctl.rto_min_us) *
		     NSEC_PER_USEC;
	u64 max_ns = uet_pdc_rto_max(pdc);
	u64 rto;

	rto = uet_rto_init_ns(ccc->params, &ccc->rtt, min_ns, max_ns);
	/* The last resort: at least twice the longest normal round trip. */
	rto = clamp(2 * uet_pdc_patience(pdc), rto, max(rto, max_ns));
	return uet_rto_backoff_ns(rto, pdc->tx->backoff, max_ns);
}

/**
 * uet_pdc_loss_age() - age at which a missing packet is lost, not late
 * @pdc: the PDC
 *
 * Return: ns since its last transmission.
 */
u64 uet_pdc_loss_age(const struct uet_pdc *pdc)
{
	const struct uet_ccc *ccc = &pdc->tx->flow->ccc;
	u64 age = uet_loss_age_ns(ccc->params, &ccc->rtt, ccc->base_rtt,
				  pdc->tx->rack_rtt,
				  pdc->tx->flow->reorder.steps);

	/* Most samples are of fast interfaces, which answer more often. */
	if (unlikely(pdc->tx->flow->multi))
		age = max(age, uet_pdc_patience(pdc) + 2 * ccc->params->target);
	return age;
}

/**
 * uet_pdc_probe_interval() - silence after which a tail probe is sent
 * @pdc: the PDC
 *
 * Return: interval in ns.
 */
u64 uet_pdc_probe_interval(const struct uet_pdc *pdc)
{
	const struct uet_ccc *ccc = &pdc->tx->flow->ccc;
	/* Data that a full window holds back brings no answer. */
	bool busy = ccc->backlog && !(ccc->blocked & UET_CC_BLOCK_WINDOW);
	/* With many paths the next one is tried as soon as the first. */
	bool repeat = pdc->tx->probes && !pdc->tx->flow->sprayed;
	u64 rtt = uet_pdc_patience(pdc);

	/* A first probe costs little if it comes too soon. */
	if (!busy && !pdc->tx->probes)
		rtt = max(ccc->base_rtt, uet_rtt_est_ns(&ccc->rtt));

	/* Back off while probes bring nothing new. */
	return min(uet_tail_probe_ns(rtt, ccc->params->target, busy, repeat) <<
		   min_t(u8, pdc->tx->probes, UET_PROBE_BACKOFF_MAX),
		   uet_pdc_rto_max(pdc));
}

/**
 * uet_pdc_nomem() - schedule a retry: a packet could not be allocated
 * @pdc: the PDC
 * @now: time, ns
 *
 * Context: flow lock held.
 */
void uet_pdc_nomem(struct uet_pdc *pdc, u64 now)
{
	lockdep_assert_held(&pdc->tx->flow->lock);
	pdc->tx->loss_at = now + UET_NOMEM_RETRY_NS;
	uet_pdc_arm(pdc, pdc->tx->loss_at, now);
}

/* retries >= max_rto_retx and silence >= peer_timeout_s? */
static bool uet_pdc_gave_up(const struct uet_pdc *pdc, u64 now)
{
	const struct uet_sysctl *s = &pdc->un->sysctl;
	u64 silence = (u64)READ_ONCE(s->peer_timeout_s) * NSEC_PER_SEC;

	return pdc->tx->retries >= READ_ONCE(s->max_rto_retx) &&
	       now - pdc->tx->heard >= silence;
}

/*
 * Did ICMP say port unreachable, and has no packet or probe been answered
 * since, for UET_REFUSED_NS + 2 * the longest normal round trip?
 */
static bool uet_pdc_refused_long(const struct uet_pdc *pdc, u64 now)
{
	const struct uet_pdc_tx *tx = pdc->tx;

	if (likely(!tx->refused_at) || tx->heard >= tx->refused_at)
		return false;
	/* Packets sent after the last such ICMP may have arrived. */
	if (tx->refused_end != tx->win.next)
		return false;
	return now - tx->refused_at >= UET_REFUSED_NS + 2 * uet_pdc_patience(pdc);
}

/*
 * Entropy value of an ACK_REQ or a probe: on many paths not that of the packet
 * in question, whose path may be dead.
 */
static u16 uet_pdc_ask_ev(struct uet_pdc *pdc, u32 psn, u64 now)
{
	struct uet_tx_slot *slot = uet_txwin_slot(&pdc->tx->win, psn);
	struct uet_ccc_ask ask = {
		.now = now, .port_free = uet_flow_port_free(pdc->tx->flow),
		.size = slot->size, .want = 1,
		.prev_ev = slot->ev, .rtx = true,
	};
	struct uet_ccc_send params;

	if (!pdc->tx->flow->sprayed)
		return slot->ev;
	uet_ccc_get_send_params(&pdc->tx->flow->ccc, &ask, &params);
	return params.ev;
}

static void uet_pdc_ask_ack(struct uet_pdc *pdc, struct sk_buff_head *list,
			    u32 psn, u64 now)
{
	u16 ev = uet_pdc_ask_ev(pdc, psn, now);
	const struct uet_txpkt *p;
	struct uet_cp cp = { .psn = psn };

	p = &pdc->tx->pkts[uet_txwin_index(&pdc->tx->win, psn)];
	if (p->msg)
		cp.payload = p->msg->msg_id;
	if (!uet_cp_queue(pdc, list, &cp, UET_CTL_ACK_REQ, UET_F_AR, ev))
		uet_txwin_touch(&pdc->tx->win, psn, now);
}

static void uet_pdc_back_off(struct uet_pdc_tx *tx)
{
	if (tx->retries < U8_MAX)
		tx->retries++;
	if (tx->backoff < U8_MAX)
		tx->backoff++;
}

/* Ask for CACK when every packet is answered. */
static void uet_pdc_ask_cack(struct uet_pdc *pdc, struct sk_buff_head *list)
{
	struct uet_cp cp = { .psn = pdc->tx->win.una - 1 };

	uet_cp_queue(pdc, list, &cp, UET_CTL_ACK_REQ, UET_F_AR, 0);
}

/* Does the target know the PDC? A forged answer could not name the PSN. */
static void uet_pdc_ask_known(struct uet_pdc *pdc, struct sk_buff_head *list,
			      u64 now)
{
	struct uet_pdc_tx *tx = pdc->tx;

	tx->doubted = false;
	tx->doubt_psn = tx->win.una;
	if (uet_txwin_outstanding(&tx->win)) {
		uet_pdc_ask_ack(pdc, list, tx->win.una, now);
		return;
	}
	tx->doubt_psn--;
	uet_pdc_ask_cack(pdc, list);
}

/*
 * Every packet is answered, but CACK has not passed all of them, or too few for
 * more to be sent: it stopped below a response that was cleared since. Ask
 * until it moves.
 */
static void uet_pdc_stuck_cack(struct uet_pdc *pdc, struct sk_buff_head *list,
			       u64 now)
{
	struct uet_pdc_tx *tx = pdc->tx;
	bool closed = uet_txwin_waits_for_cack(&tx->win);

	if ((!uet_txwin_outstanding(&tx->win) && !closed) ||
	    tx->win.nr_marked) {
		tx->rto_at = 0;
		return;
	}
	if (uet_pdc_gave_up(pdc, now)) {
		uet_pdc_fail(pdc, tx->soft_err ?: ETIMEDOUT, UET_REPORT_LOCAL,
			     0);
		return;
	}
	if (closed)
		uet_pdc_ask_cack(pdc, list);
	else
		uet_pdc_ask_ack(pdc, list, tx->win.una, now);
	uet_pdc_back_off(tx);
	tx->rto_at = now + uet_pdc_rto(pdc);
}

/* A probe was not answered in time: distrust its entropy value. */
static void uet_pdc_probe_unheard(const struct uet_pdc *pdc)
{
	struct uet_ccc *ccc = &pdc->tx->flow->ccc;

	if (pdc->tx->probe_tx && ccc->sprayed && ccc->lb)
		uet_lb_doubt(ccc->lb, pdc->tx->probe_ev);
}

/*
 * A first timeout proves little: a first window may queue longer in this host
 * than any round trip measured so far. So packets are lost that a later one has
 * overtaken, else the oldest only; answers, also to the tail probe, will tell
 * of the others. At a second timeout without any answer all of them are lost,
 * since they would keep the window closed for as many timeouts.
 */
static void uet_pdc_timed_out(struct uet_pdc *pdc, u64 before, u64 now)
{
	struct uet_pdc_tx *tx = pdc->tx;
	u64 overtaken = tx->retries ? before : tx->rack;
	u64 at, first = U64_MAX;
	struct uet_tx_scan scan;
	u32 psn, oldest = 0;
	bool any = false;

	uet_txwin_scan(&tx->win, &scan, tx->win.una, tx->win.next, before);
	while (uet_txwin_scan_next(&tx->win, &scan, &psn)) {
		at = uet_txwin_slot(&tx->win, psn)->tx_time;
		if (at <= overtaken) {
			uet_pdc_lost(pdc, psn, UET_LOSS_RTO, now);
			UET_INC(pdc->un, RETX_RTO);
			any = true;
		} else if (at < first) {
			first = at;
			oldest = psn;
		}
	}
	if (!any && first != U64_MAX) {
		uet_pdc_lost(pdc, oldest, UET_LOSS_RTO, now);
		UET_INC(pdc->un, RETX_RTO);
	}
}

/*
 * RTO (UE 1.0 3.5.12). For a packet that is only SACKed the source sends
 * ACK_REQ, not the packet.
 */
static void uet_pdc_timeout(struct uet_pdc *pdc, struct sk_buff_head *list,
			    u64 now)
{
	struct uet_pdc_tx *tx = pdc->tx;
	u64 rto = uet_pdc_rto(pdc), oldest;
	u32 psn;

	if (!uet_txwin_oldest(&tx->win, &psn, &oldest)) {
		uet_pdc_stuck_cack(pdc, list, now);
		return;
	}
	/* A probe sent after the data must be overdue as well. */
	if (tx->probe_tx)
		oldest = max(oldest, tx->probe_first);
	if (now < oldest + rto) {
		tx->rto_at = oldest + rto;
		return;
	}
	if (uet_pdc_gave_up(pdc, now)) {
		uet_pdc_fail(pdc, tx->soft_err ?: ETIMEDOUT, UET_REPORT_LOCAL,
			     0);
		return;
	}
	UET_INC(pdc->un, RTO_FIRED);
	uet_pdc_probe_unheard(pdc);
	if (pdc->rod) {
		if (!uet_txwin_is_sacked(&tx->win, psn))
			uet_pdc_go_back(pdc, psn, UET_LOSS_RTO, now);
	} else {
		uet_pdc_timed_out(pdc, now - rto, now);
	}
	if (uet_txwin_next_unanswered(&tx->win, tx->win.una, now - rto, &psn))
		uet_pdc_ask_ack(pdc, list, psn, now);
	uet_pdc_back_off(tx);
	tx->rto_at = now + uet_pdc_rto(pdc);
	if (!tx->win.nr_marked)
		return;
	uet_pdc_tx_ready(pdc);
	/* Ahead of PDCs that a closed window blocks */
	tx->overdue = true;
	list_move(&tx->ready_node, &tx->flow->ready);
}

/*
 * Tail probe: ask for the state of the receiver. It has the traffic class of
 * data. In the class of control packets it could overtake data that queues in
 * this host or the fabric, and its answer would prove no loss.
 */
static void uet_pdc_probe(struct uet_pdc *pdc, struct sk_buff_head *list,
			  u64 now)
{
	struct uet_pdc_tx *tx = pdc->tx;
	struct uet_cp cp = {
		.payload	= tx->win.una,
	};

	tx->probe_at = 0;
	if (!tx->win.flight_pkts)
		return;		/* all packets are lost or held */
	if (pdc->tx->state == UET_PDC_SYN)
		return;		/* a probe opens no PDC */
	if (unlikely(uet_habit_refuses_probes(&pdc->peer->habits)))
		return;		/* ends of messages set AR instead */
	uet_pdc_probe_unheard(pdc);
	tx->probe_ev = uet_pdc_ask_ev(pdc, tx->win.una, now);
	if (++tx->probe_id <= UET_PROBE_ALIVE)
		tx->probe_id = UET_PROBE_ALIVE + 1;
	cp.probe_opaque = tx->probe_id;
	if (uet_cp_queue(pdc, list, &cp, UET_CTL_PROBE, UET_F_AR,
			 tx->probe_ev))
		return;
	UET_TXMETA(skb_peek_tail(list))->dsfield = pdc->tclass << 2 | UET_ECT0;
	UET_INC(pdc->un, PROBES);
	if (!tx->probe_tx)
		tx->probe_first = now;
	tx->probe_tx = now;
	tx->probe_end = tx->win.next;
	if (tx->probes < U8_MAX)
		tx->probes++;
	tx->probe_at = now + uet_pdc_probe_interval(pdc);
	tx->probe_slack = 0;
}

/*
 * Missing packets that left before an answered probe are lost once they are
 * older than @age, so that no other path could be that slow.
 */
static void uet_pdc_probe_evidence(struct uet_pdc *pdc, u64 age, u64 now)
{
	struct uet_pdc_tx *tx = pdc->tx;
	struct uet_tx_scan scan;
	bool young = false;
	u32 psn;

	if (psn_after(tx->probe_end, tx->win.una)) {
		uet_txwin_scan(&tx->win, &scan, tx->win.una, tx->probe_end,
			       tx->probed);
		while (uet_txwin_scan_next(&tx->win, &scan, &psn)) {
			if (uet_txwin_slot(&tx->win, psn)->tx_time >= now - age) {
				young = true;
				continue;
			}
			uet_pdc_lost(pdc, psn, UET_LOSS_PROBE, now);
			UET_INC(pdc->un, RETX_PROBE);
		}
	}
	if (!young)
		tx->probed = 0;
}

/**
 * uet_pdc_overtaken() - declare packets lost that others overtook long ago
 * @pdc: the PDC
 * @now: time, ns
 *
 * UE 1.0 3.5.12 leaves the inference of losses to the implementer. Here packets
 * are lost that are missing below SACKed ones or before an answered probe, once
 * they are old. Not on an ordered PDC: its target keeps nothing out of order.
 *
 * Context: flow lock held.
 */
void uet_pdc_overtaken(struct uet_pdc *pdc, u64 now)
{
	struct uet_pdc_tx *tx = pdc->tx;
	struct uet_tx_scan scan;
	u64 age;
	u32 psn;

	lockdep_assert_held(&pdc->tx->flow->lock);
	tx->loss_at = 0;
	if (pdc->rod || (!tx->win.nr_sacked && !tx->probed))
		return;
	age = uet_pdc_loss_age(pdc);
	uet_txwin_scan_sacked(&tx->win, &scan, min(now - age, tx->rack));
	while (uet_txwin_scan_next(&tx->win, &scan, &psn)) {
		uet_pdc_lost(pdc, psn, UET_LOSS_SACK, now);
		UET_INC(pdc->un, RETX_SACK);
	}
	if (tx->probed)
		uet_pdc_probe_evidence(pdc, age, now);
	if (tx->win.flight_pkts && (tx->win.nr_sacked || tx->probed)) {
		tx->loss_at = now + age / 4;
		uet_pdc_arm(pdc, tx->loss_at, now);
	}
}

static void uet_pdc_clear(struct uet_pdc *pdc, struct sk_buff_head *list)
{
	struct uet_pdc_tx *tx = pdc->tx;
	struct uet_cp cp = { .payload = tx->win.clear_psn };

	tx->clear_at = 0;
	if (tx->clear_sent == tx->win.clear_psn)
		return;
	if (!uet_cp_queue(pdc, list, &cp, UET_CTL_CLEAR_CMD, 0,
			  tx->flow->ccc.run_ev))
		tx->clear_sent = tx->win.clear_psn;
}

/**
 * uet_pdc_tx_expire() - handle the deadlines of the sending half
 * @pdc: the PDC
 * @list: packets to send are added here
 * @now: time, ns
 *
 * Context: softirq, flow lock held.
 */
void uet_pdc_tx_expire(struct uet_pdc *pdc, struct sk_buff_head *list, u64 now)
{
	struct uet_pdc_tx *tx = pdc->tx;

	lockdep_assert_held(&pdc->tx->flow->lock);
	if (tx->orphan_at && now >= tx->orphan_at)
		uet_orphans_expire(pdc, now);
	if (pdc->tx->state == UET_PDC_DEAD)
		return;
	if (tx->clear_at && now >= tx->clear_at)
		uet_pdc_clear(pdc, list);
	if (tx->hold_at && now >= tx->hold_at)
		uet_pdc_hold_expire(pdc, now);
	if (tx->loss_at && now >= tx->loss_at) {
		uet_pdc_overtaken(pdc, now);
		uet_pdc_tx_ready(pdc);
	}
	if (unlikely(tx->doubted))
		uet_pdc_ask_known(pdc, list, now);
	if (tx->probe_at && now >= tx->probe_at)
		uet_pdc_probe(pdc, list, now);
	if (tx->rto_at && now >= tx->rto_at)
		uet_pdc_timeout(pdc, list, now);
	if (pdc->tx->state != UET_PDC_DEAD && uet_hole_hopeless(pdc, now))
		uet_pdc_fail(pdc, ETIMEDOUT, UET_REPORT_LOCAL, 0);
	if (pdc->tx->state != UET_PDC_DEAD && uet_pdc_refused_long(pdc, now)) {
		/*
		 * The peer may be back without this PDC: messages that were
		 * never sent try another one.
		 */
		pdc->tx->movable = true;
		uet_pdc_fail(pdc, ECONNREFUSED, UET_REPORT_ICMP,
			     tx->refused_code);
	}
	if (pdc->tx->state != UET_PDC_DEAD && !uet_txwin_outstanding(&tx->win) &&
	    tx->win.nslots && now >= tx->heard + UET_PDC_RING_IDLE_NS)
		uet_pdc_tx_shrink(pdc);
}

