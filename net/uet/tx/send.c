// SPDX-License-Identifier: GPL-2.0
/*
 * Transmission of requests: which packet of a PDC is next (UE 1.0 3.5.12), and
 * when it asks for an ACK.
 *
 * Retransmissions go first. New packets come from the dests of the PDC in
 * turn, so that a short message of one socket does not wait behind a long one
 * of another; within a dest messages go one after the other.
 *
 * Not here: packets as bytes (tx/req.c), turns of PDCs (tx/flow_tx.c).
 */
#include <linux/ktime.h>
#include <linux/slab.h>

#include "core/loss.h"
#include "core/txwin_scan.h"
#include "link/habits.h"
#include "link/peer.h"
#include "mib.h"
#include "pdc/pdc.h"
#include "tx/flow.h"
#include "tx/half.h"
#include "tx/hole.h"
#include "tx/trace_path.h"
#include "tx/txmsg.h"

/* Quantum of a dest among those of its PDC, bytes */
#define UET_DEST_QUANTUM	32768

/**
 * uet_pdc_tx_ready() - a PDC may have something to send
 * @pdc: the PDC
 *
 * Context: flow lock held; the caller runs or queues the flow.
 */
void uet_pdc_tx_ready(struct uet_pdc *pdc)
{
	struct uet_flow *flow = pdc->tx->flow;

	lockdep_assert_held(&flow->lock);
	if (pdc->tx->state == UET_PDC_DEAD || !list_empty(&pdc->tx->ready_node))
		return;
	if (uet_turn_over(&pdc->tx->turn, uet_flow_quantum(flow)))
		list_add_tail(&pdc->tx->ready_node, &flow->ready);
	else
		list_add(&pdc->tx->ready_node, &flow->ready);
}

static struct uet_txmsg *uet_dest_head(struct uet_dest *dest)
{
	return list_first_entry_or_null(&dest->queue, struct uet_txmsg, node);
}

/* Payload bytes of the next packet of a message, -1 if none can be cut yet. */
static int uet_txmsg_next_len(const struct uet_txmsg *msg, u32 mtu)
{
	u32 have = msg->filled - msg->sent;

	if (msg->withdrawn)
		return 0;		/* MSG_ERROR */
	if (have >= mtu)
		return mtu;
	/* Every packet but the last is full. */
	return msg->eom ? have : -1;
}

static inline bool uet_dest_may_send(const struct uet_dest *dest,
				     const struct uet_txmsg *head, u32 mtu)
{
	if (!head)
		return false;
	/* MSG_ERROR needs no room at the target and frees some. */
	if (unlikely(head->withdrawn))
		return true;
	return likely(!dest->hold.on) &&
	       likely(!dest->hold.ramp || dest->hold.budget) &&
	       uet_txmsg_next_len(head, mtu) >= 0;
}

/**
 * uet_dest_sendable() - does a queue have a packet that may be sent?
 * @dest: the queue
 *
 * Context: flow lock of its PDC held.
 */
bool uet_dest_sendable(struct uet_dest *dest)
{
	return uet_dest_may_send(dest, uet_dest_head(dest),
				 dest->pdc->tx->flow->payload_mtu);
}

/*
 * The backlog must cover the next packet of an active queue, also if it is the
 * rest of a message whose packets became smaller, or MSG_ERROR.
 */
static void uet_dest_announce(struct uet_dest *dest, struct uet_txmsg *msg)
{
	struct uet_flow *flow = dest->pdc->tx->flow;
	u64 size;

	if (dest->pdc->tx->state == UET_PDC_DEAD)
		return;
	size = uet_flow_nominal(flow, uet_txmsg_next_len(msg,
							 flow->payload_mtu));
	if (likely(msg->backlog >= size))
		return;
	uet_ccc_on_new_data(&flow->ccc, ktime_get_ns(), size - msg->backlog);
	msg->backlog = size;
}

/**
 * uet_dest_activate() - let a queue send if it has something to send
 * @dest: the queue
 *
 * Context: flow lock of its PDC held.
 */
void uet_dest_activate(struct uet_dest *dest)
{
	if (!list_empty(&dest->active) || !uet_dest_sendable(dest))
		return;
	if (unlikely(uet_lane_busy(dest))) {
		uet_lane_wait(dest);
		return;
	}
	uet_lane_goes_on(dest->pdc, dest);
	uet_dest_announce(dest, uet_dest_head(dest));
	if (uet_turn_over(&dest->turn, UET_DEST_QUANTUM))
		list_add_tail(&dest->active, &dest->pdc->tx->active);
	else
		list_add(&dest->active, &dest->pdc->tx->active);
	uet_pdc_tx_ready(dest->pdc);
}

/*
 * Make room in the rings, which exist while something is outstanding and double
 * as the receive window opens.
 */
static bool uet_pdc_tx_grow(struct uet_pdc *pdc)
{
	struct uet_pdc_tx *tx = pdc->tx;
	struct uet_txwin *win = &tx->win;
	u32 old_slots = win->nslots, nslots;
	struct uet_txpkt *pkts;
	void *mem, *old;
	u32 psn;

	nslots = old_slots ? old_slots * 2 : UET_TXWIN_MIN_SLOTS;
	if (nslots > UET_TXWIN_MAX_SLOTS)
		return false;
	mem = kvmalloc(uet_txwin_mem_size(nslots), GFP_ATOMIC | __GFP_NOWARN);
	pkts = kvmalloc_array(nslots, sizeof(*pkts),
			      GFP_ATOMIC | __GFP_NOWARN);
	if (!mem || !pkts || uet_txwin_attach(win, mem, nslots, &old)) {
		kvfree(mem);
		kvfree(pkts);
		UET_INC(pdc->un, TX_NOMEM);
		uet_pdc_nomem(pdc, ktime_get_ns());
		return false;
	}
	for (psn = win->una; psn != win->next; psn++)
		pkts[psn & (nslots - 1)] = tx->pkts[psn & (old_slots - 1)];
	kvfree(old);
	kvfree(tx->pkts);
	tx->pkts = pkts;
	return true;
}

/**
 * uet_pdc_tx_reserve() - make room for one PSN
 * @pdc: the PDC
 *
 * Context: flow lock held.
 * Return: false if the windows or memory do not allow it.
 */
bool uet_pdc_tx_reserve(struct uet_pdc *pdc)
{
	lockdep_assert_held(&pdc->tx->flow->lock);
	return uet_txwin_room(&pdc->tx->win) ||
	       (uet_txwin_allowed(&pdc->tx->win) && uet_pdc_tx_grow(pdc) &&
		uet_txwin_room(&pdc->tx->win));
}

/**
 * uet_pdc_tx_shrink() - free the rings of an idle PDC
 * @pdc: a PDC with nothing outstanding
 *
 * Context: flow lock held.
 */
void uet_pdc_tx_shrink(struct uet_pdc *pdc)
{
	lockdep_assert_held(&pdc->tx->flow->lock);
	kvfree(uet_txwin_detach(&pdc->tx->win));
	if (!pdc->tx->win.nslots) {
		kvfree(pdc->tx->pkts);
		pdc->tx->pkts = NULL;
	}
}

/* May a new PSN be used? 4096 packets at most before the first answer. */
static bool uet_pdc_tx_room(struct uet_pdc *pdc)
{
	if (pdc->tx->state == UET_PDC_SYN &&
	    pdc->tx->win.next - pdc->start_psn > UET_SYN_PSN_OFFSET_MAX)
		return false;
	return uet_pdc_tx_reserve(pdc);
}

/**
 * uet_pdc_tx_sent() - set timers after transmissions
 * @pdc: the PDC
 * @now: time, ns
 *
 * The RTO starts if it is not running; the interval of the tail probe restarts
 * when the last packet leaves.
 *
 * Context: flow lock held; once for all packets of a turn.
 */
void uet_pdc_tx_sent(struct uet_pdc *pdc, u64 now)
{
	struct uet_pdc_tx *tx = pdc->tx;
	u64 at = max(tx->departs, now);

	lockdep_assert_held(&pdc->tx->flow->lock);
	/* CLOSE_CMD has a deadline of its own. */
	if (pdc->tx->state == UET_PDC_CLOSING)
		return;
	if (!tx->rto_at)
		tx->rto_at = at + uet_pdc_rto(pdc);
	if (!tx->probe_tx && tx->win.flight_pkts)
		tx->probe_at = at + uet_pdc_probe_interval(pdc);
	tx->idle_at = now +
		(u64)READ_ONCE(pdc->un->sysctl.pdc_idle_s) * NSEC_PER_SEC;
	uet_pdc_arm(pdc, tx->probe_at ? min(tx->rto_at,
					    uet_pdc_probe_timer(pdc)) :
					tx->rto_at, now);
}

/* The rule by which the target sends ACKs without AR */
static struct uet_ackreq_rule uet_pdc_ackreq_rule(const struct uet_pdc *pdc)
{
	const struct uet_flow *flow = pdc->tx->flow;

	return (struct uet_ackreq_rule) {
		.trigger = flow->params.ack_gen_trigger,
		.min_add = READ_ONCE(pdc->un->sysctl.ack_gen_min_pkt_add),
		.overhead = flow->overhead,
	};
}

/**
 * uet_pdc_answer_due() - will a packet in flight be answered?
 * @pdc: the PDC
 *
 * Context: flow lock held.
 * Return: true if one has AR, or the target sends an ACK by itself.
 */
bool uet_pdc_answer_due(const struct uet_pdc *pdc)
{
	struct uet_ackreq_rule rule = uet_pdc_ackreq_rule(pdc);

	lockdep_assert_held(&pdc->tx->flow->lock);
	return uet_ackreq_due(&pdc->tx->ackreq, &pdc->tx->win, &rule);
}

/*
 * Missing packets of a message that was given up are resent as MSG_ERROR: the
 * data is freed, and the target needs no room to take it.
 */
static void uet_pdc_hollow(struct uet_pdc *pdc, u32 psn, struct uet_txpkt *p)
{
	struct uet_flow *flow = pdc->tx->flow;
	u32 less;

	p->flags |= UET_TXPKT_MSG_ERROR;
	p->len = 0;
	less = uet_txwin_shrink(&pdc->tx->win, psn, uet_flow_nominal(flow, 0));
	uet_ccc_rtx_shrinks(&flow->ccc, less);
}

static int uet_pdc_retransmit(struct uet_pdc *pdc, struct sk_buff_head *list,
			      u32 psn, u64 now)
{
	struct uet_tx_slot *slot = uet_txwin_slot(&pdc->tx->win, psn);
	struct uet_txpkt *p = &pdc->tx->pkts[uet_txwin_index(&pdc->tx->win, psn)];
	struct uet_ccc_ask ask = {
		.now = now, .port_free = uet_flow_port_free(pdc->tx->flow),
		.want = 1, .prev_ev = slot->ev, .rtx = true,
	};
	struct uet_ackreq_rule rule = uet_pdc_ackreq_rule(pdc);
	struct uet_ccc *ccc = &pdc->tx->flow->ccc;
	struct uet_ccc_send params;
	struct sk_buff *skb;
	u64 at;

	if (unlikely(p->msg->given_up))
		uet_pdc_hollow(pdc, psn, p);
	uet_hole_resent(pdc, p->len, slot->tx_time, now);
	ask.size = slot->size;
	uet_ccc_get_send_params(ccc, &ask, &params);
	trace_uet_path_choose(pdc->tx->flow, &ask, &params);
	skb = uet_pdc_build_req(pdc, psn, p, params.ev, true, true,
				params.credit_target);
	if (!skb)
		goto nomem;
	at = uet_flow_departs(pdc->tx->flow, slot->size, now);
	uet_txwin_resend(&pdc->tx->win, psn, params.ev, at);
	UET_INC(pdc->un, TX_RETX);
	p->wait = uet_wait_pack(at - now);
	pdc->tx->departs = at;
	uet_turn_took(&pdc->tx->turn, slot->size);
	uet_ackreq_sent(&pdc->tx->ackreq, &rule, psn, p->len, true);
	pdc->tx->probe_slack = 0;
	uet_ccc_on_send(ccc, now, slot->size, params.ev, true);
	__skb_queue_tail(list, skb);
	return 1;
nomem:
	UET_INC(pdc->un, TX_NOMEM);
	uet_pdc_nomem(pdc, now);
	return -ENOMEM;
}

/* Does congestion control want an ACK of the packet that is built now? */
static bool uet_cc_asks(const struct uet_ccc *ccc, u32 size)
{
	const struct uet_cc_ops *window = ccc->algo->window;
	const struct uet_cc_ops *credit = ccc->algo->credit;

	return (window && (!window->ack_request ||
			   window->ack_request(ccc, size))) ||
	       (credit && credit->ack_request &&
		credit->ack_request(ccc, size));
}

/*
 * Has half of the RTO passed without an answer? Each packet postpones the tail
 * probe, so that it may never ask if short messages follow one another slowly.
 */
static bool uet_pdc_waits_long(const struct uet_pdc *pdc, u64 now)
{
	return pdc->tx->rto_at && now + uet_pdc_rto(pdc) / 2 >= pdc->tx->rto_at;
}

/* Does the PDC have another packet to send at once? */
static bool uet_pdc_more_follows(struct uet_pdc *pdc,
				 const struct uet_txmsg *msg)
{
	const struct uet_dest *dest = msg->dest, *other;

	if (!list_empty(&dest->active) && !list_is_last(&msg->node, &dest->queue))
		return uet_txmsg_next_len(list_next_entry(msg, node),
					  pdc->tx->flow->payload_mtu) >= 0;
	other = list_first_entry_or_null(&pdc->tx->active, struct uet_dest,
					 active);
	return other && (other != dest ||
			 !list_is_singular(&pdc->tx->active));
}

/*
 * AR (UE 1.0 3.5.12) is set if the CCC wants an ACK, on one answer in eight a
 * packet early, on the last packet that a window allows, and at the end of a
 * message of several packets. After a shorter message the next one sets AR if
 * half of the RTO has passed, or the tail probe asks; if the peer is not known
 * to answer probes, the end of the last message sets it.
 */
static bool uet_pdc_want_ar(struct uet_pdc *pdc, const struct uet_txmsg *msg,
			    const struct uet_ackreq_rule *rule, u32 len,
			    bool last, u64 now)
{
	const struct uet_ccc *ccc = &pdc->tx->flow->ccc;
	u64 inflight = max(ccc->inflight, 0LL);
	/* As in UE 1.0 3.6.13.5: if the CCC wants it, and for each message */
	bool all = READ_ONCE(pdc->un->sysctl.ack_request_all);

	if (unlikely(all) && (last || uet_cc_asks(ccc, rule->overhead + len)))
		return true;
	if (unlikely(uet_cc_asks(ccc, rule->overhead + len)) &&
	    uet_ackreq_wanted(&pdc->tx->ackreq, &pdc->tx->win, rule, len,
			      uet_ccc_window(ccc), inflight))
		return true;
	if (inflight > pdc->tx->win.flight_bytes && pdc->tx->win.flight_pkts &&
	    uet_ackreq_share(&pdc->tx->ackreq, &pdc->tx->win, rule, len,
			     uet_ccc_window(ccc), inflight))
		return true;
	if (unlikely(uet_ackreq_slips(&pdc->tx->ackreq, rule, len)))
		return true;
	if (uet_txwin_allowed(&pdc->tx->win) == 1)
		return true;
	/* After a hold ACKs release the next packets. */
	if (unlikely(msg->dest->hold.ramp && msg->dest->hold.budget <= 1))
		return true;
	if (!last)
		return false;
	if (msg->len > pdc->tx->flow->payload_mtu || uet_pdc_waits_long(pdc, now))
		return true;
	return unlikely(!uet_habit_answers_probes(&pdc->peer->habits)) &&
	       !uet_pdc_more_follows(pdc, msg);
}

static void uet_msg_begin(struct uet_pdc *pdc, struct uet_txmsg *msg)
{
	msg->state = UET_TXMSG_SENDING;
	/* 0 is for UUD and "none". */
	if (unlikely(!pdc->tx->next_msg_id))
		pdc->tx->next_msg_id++;
	msg->msg_id = pdc->tx->next_msg_id++;
	msg->generation = msg->dest->generation;
	uet_lane_begun(msg->dest);
	list_add_tail(&msg->begun, &pdc->tx->begun);
}

/* Are fewer than UET_MSGS_BEGUN_MAX message ids in use? */
static bool uet_msg_may_begin(struct uet_pdc *pdc)
{
	const struct uet_txmsg *oldest;

	oldest = list_first_entry_or_null(&pdc->tx->begun, struct uet_txmsg,
					  begun);
	return !oldest || (u16)(pdc->tx->next_msg_id - oldest->msg_id) <
			  UET_MSGS_BEGUN_MAX;
}

/*
 * Withdraw the backlog that was announced but not needed. The caller puts the
 * message on uet_dest.sent.
 */
static void uet_msg_all_sent(struct uet_pdc *pdc, struct uet_txmsg *msg,
			     u64 now)
{
	if (msg->backlog)
		uet_ccc_withdraw(&pdc->tx->flow->ccc, now, msg->backlog);
	msg->backlog = 0;
	msg->all_sent = true;
	if (msg->state != UET_TXMSG_FAILED)
		msg->state = UET_TXMSG_SENT;
	uet_lane_ended(pdc, msg->dest);
}

/* Build the next packet of a message, NULL without memory; sets *last if it is
 * the last one.
 */
static struct sk_buff *uet_pdc_send_msg(struct uet_pdc *pdc,
					struct uet_txmsg *msg, u64 now,
					bool *last)
{
	struct uet_pdc_tx *tx = pdc->tx;
	struct uet_flow *flow = tx->flow;
	struct uet_ccc *ccc = &flow->ccc;
	struct uet_txpkt p = {
		.msg	= msg,
		.off	= msg->sent,
		.len	= uet_txmsg_next_len(msg, flow->payload_mtu),
		.flags	= msg->withdrawn ? UET_TXPKT_MSG_ERROR : 0,
	};
	struct uet_ccc_ask ask = {
		.now = now, .port_free = uet_flow_port_free(flow), .want = 1,
	};
	struct uet_ackreq_rule rule = uet_pdc_ackreq_rule(pdc);
	struct uet_ccc_send params;
	struct sk_buff *skb;
	bool ar;
	u32 psn;
	u64 at;

	ask.size = uet_flow_nominal(flow, p.len);
	/* The packets became larger while the message was queued. */
	if (unlikely(msg->backlog < ask.size))
		uet_dest_announce(msg->dest, msg);
	if (msg->state == UET_TXMSG_QUEUED)
		uet_msg_begin(pdc, msg);
	*last = msg->withdrawn || p.off + p.len == msg->len;
	uet_ccc_get_send_params(ccc, &ask, &params);
	trace_uet_path_choose(flow, &ask, &params);
	ar = params.answer ||
	     uet_pdc_want_ar(pdc, msg, &rule, p.len, *last, now);
	skb = uet_pdc_build_req(pdc, tx->win.next, &p, params.ev, false, ar,
				params.credit_target);
	if (!skb) {
		UET_INC(pdc->un, TX_NOMEM);
		uet_pdc_nomem(pdc, now);
		return NULL;
	}
	at = uet_flow_departs(flow, ask.size, now);
	psn = uet_txwin_send(&tx->win, ask.size, params.ev, 0, at);
	p.wait = uet_wait_pack(at - now);
	tx->departs = at;
	tx->pkts[uet_txwin_index(&tx->win, psn)] = p;
	uet_ackreq_sent(&tx->ackreq, &rule, psn, p.len, ar);
	if (ar)
		tx->probe_slack = 0;
	uet_ccc_on_send(ccc, now, ask.size, params.ev, false);
	msg->backlog -= ask.size;
	msg->sent += p.len;
	msg->last_psn = psn;
	uet_turn_took(&msg->dest->turn, ask.size);
	uet_turn_took(&tx->turn, ask.size);
	UET_INC(pdc->un, TX_REQS);
	if (*last)
		uet_msg_all_sent(pdc, msg, now);
	return skb;
}

static int uet_pdc_send_new(struct uet_pdc *pdc, struct uet_dest *dest,
			    struct sk_buff_head *list, u64 now)
{
	struct uet_txmsg *msg = uet_dest_head(dest);
	struct uet_pdc_tx *tx = pdc->tx;
	struct uet_flow *flow = tx->flow;
	struct sk_buff *skb;
	bool last;

	skb = uet_pdc_send_msg(pdc, msg, now, &last);
	if (!skb)
		return -ENOMEM;
	__skb_queue_tail(list, skb);
	if (unlikely(dest->hold.ramp))
		uet_pdc_hold_sent(dest, msg->last_psn);
	if (last) {
		list_move_tail(&msg->node, &dest->sent);
		msg = uet_dest_head(dest);
	}
	if (!uet_dest_may_send(dest, msg, flow->payload_mtu)) {
		uet_dest_step_out(pdc, dest);
		return 1;
	}
	uet_dest_announce(dest, msg);
	if (uet_turn_over(&dest->turn, UET_DEST_QUANTUM) &&
	    likely(!tx->one_by_one))
		list_move_tail(&dest->active, &tx->active);
	return 1;
}

/**
 * uet_pdc_send_alone() - send a message of one packet if all queues are empty
 * @pdc: the PDC
 * @msg: the message, complete, announced and in no list
 * @dev: interface of its flow
 * @now: time, ns
 *
 * Replaces uet_dest_activate() and a run of the flow.
 *
 * Context: flow lock held, uet_flow_at_rest().
 * Return: its only packet; NULL if it must be queued after all.
 */
struct sk_buff *uet_pdc_send_alone(struct uet_pdc *pdc, struct uet_txmsg *msg,
				   struct net_device *dev, u64 now)
{
	struct uet_dest *dest = msg->dest;
	struct uet_pdc_tx *tx = pdc->tx;
	struct sk_buff *skb;
	bool last;

	lockdep_assert_held(&pdc->tx->flow->lock);
	if (msg->len > tx->flow->payload_mtu || tx->win.nr_marked ||
	    pdc->tx->state != UET_PDC_ESTABLISHED ||
	    tx->flow->ccc.state != UET_CCC_READY ||
	    !list_empty(&tx->active) || !list_empty(&dest->queue) ||
	    dest->hold.on || dest->hold.ramp || uet_lane_busy(dest))
		return NULL;
	if (!uet_msg_may_begin(pdc) || !uet_pdc_tx_reserve(pdc) ||
	    !uet_port_share(tx->flow, dev, now))
		return NULL;
	/* The queues are empty: a turn begins or goes on. */
	uet_turn_over(&dest->turn, UET_DEST_QUANTUM);
	uet_turn_over(&tx->turn, uet_flow_quantum(tx->flow));
	skb = uet_pdc_send_msg(pdc, msg, now, &last);
	if (likely(skb)) {
		list_add_tail(&msg->node, &dest->sent);
		uet_pdc_tx_sent(pdc, now);
	}
	return skb;
}

/*
 * An ordered PDC was NACKed for shortage: its target can complete begun
 * messages if no other begins. So the oldest one is sent first, to its end.
 */
static void uet_pdc_prefer_begun(struct uet_pdc *pdc)
{
	struct uet_dest *dest, *first = NULL;
	const struct uet_txmsg *msg;
	u16 age, most = 0;

	list_for_each_entry(dest, &pdc->tx->active, active) {
		msg = uet_dest_head(dest);
		if (!msg || msg->state == UET_TXMSG_QUEUED)
			continue;
		age = pdc->tx->next_msg_id - msg->msg_id;
		if (age > most) {
			most = age;
			first = dest;
		}
	}
	if (first)
		list_move(&first->active, &pdc->tx->active);
}

/*
 * Per timeout one retransmission may exceed the window: a first timeout
 * declares one packet lost, and the others lost with it would keep the window
 * closed until a second one.
 */
static bool uet_pdc_owed(const struct uet_pdc *pdc)
{
	return pdc->tx->overdue &&
	       !(pdc->tx->flow->ccc.blocked & ~UET_CC_BLOCK_WINDOW);
}

/**
 * uet_pdc_tx_next() - build the next packet of a PDC
 * @pdc: the PDC
 * @list: the packet is added here
 * @now: time, ns
 *
 * Context: flow lock held.
 * Return: 1 if a packet was built; 0 if the PDC has nothing it may send;
 * -EAGAIN if the congestion window of the flow is closed; -ENOMEM.
 */
int uet_pdc_tx_next(struct uet_pdc *pdc, struct sk_buff_head *list, u64 now)
{
	struct uet_pdc_tx *tx = pdc->tx;
	struct uet_dest *dest;
	u32 psn;

	lockdep_assert_held(&pdc->tx->flow->lock);
	if (pdc->tx->state == UET_PDC_DEAD)
		return 0;
	if (uet_txwin_next_marked(&tx->win, &psn)) {
		if (pdc->rod && uet_pdc_hold_blocks(pdc, psn))
			return 0;
		if (uet_txwin_slot(&tx->win, psn)->flags & UET_TX_CP)
			return uet_pdc_resend_close(pdc, list, now);
		if (tx->flow->ccc.state != UET_CCC_READY && !uet_pdc_owed(pdc))
			return -EAGAIN;
		tx->overdue = false;
		return uet_pdc_retransmit(pdc, list, psn, now);
	}
	if (unlikely(tx->one_by_one))
		uet_pdc_prefer_begun(pdc);
	for (;;) {
		dest = list_first_entry_or_null(&tx->active, struct uet_dest,
						active);
		if (!dest)
			break;
		if (unlikely(!uet_dest_may_send(dest, uet_dest_head(dest),
						tx->flow->payload_mtu)))
			/* The MTU grew: the data fills no packet any more. */
			uet_dest_step_out(pdc, dest);
		else if (unlikely(uet_lane_busy(dest)))
			uet_lane_wait(dest);
		else
			break;
	}
	if (!dest || (pdc->rod && uet_pdc_hold_blocks(pdc, tx->win.next)))
		return 0;
	if (!uet_msg_may_begin(pdc) || !uet_pdc_tx_room(pdc)) {
		/* Wait for an answer; the tail probe asks if none comes. */
		if (!tx->mpr_since && !uet_txwin_allowed(&tx->win))
			tx->mpr_since = now;
		return 0;
	}
	if (tx->flow->ccc.state != UET_CCC_READY)
		return -EAGAIN;
	return uet_pdc_send_new(pdc, dest, list, now);
}
