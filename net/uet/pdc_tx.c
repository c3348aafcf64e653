// SPDX-License-Identifier: GPL-2.0
/*
 * Requests out: which packet goes next, and building it.
 *
 * Retransmissions go first. New packets come from the dests of the PDC in
 * turn, so that a short message of one socket does not wait behind a long one
 * of another; within a dest messages go one after the other.
 */
#include <linux/ktime.h>
#include <linux/slab.h>

#include "core/hdr_build.h"
#include "core/loss.h"
#include "encap.h"
#include "flow.h"
#include "mib.h"
#include "pdc.h"
#include "peer.h"
#include "txmsg.h"

/* Bytes a dest may send before the next one has its turn */
#define UET_DEST_QUANTUM	32768

/* Answers asked for per window, where the target does not give more */
#define UET_ANSWERS_PER_WINDOW	4

/**
 * uet_pdc_tx_ready() - a PDC may have something to send
 * @pdc: initiator PDC
 *
 * Context: flow lock held; the caller runs or queues the flow.
 */
void uet_pdc_tx_ready(struct uet_pdc *pdc)
{
	lockdep_assert_held(&pdc->tx.flow->lock);
	if (pdc->state != UET_PDC_DEAD && list_empty(&pdc->tx.ready_node))
		list_add_tail(&pdc->tx.ready_node, &pdc->tx.flow->ready);
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
	/* Every packet but the last is full (wire.md 12.1). */
	return msg->eom ? have : -1;
}

/**
 * uet_dest_sendable() - has a queue something that could be cut and sent?
 * @dest: the queue
 *
 * Context: flow lock of its PDC held.
 */
bool uet_dest_sendable(struct uet_dest *dest)
{
	const struct uet_txmsg *msg = uet_dest_head(dest);

	return msg && !dest->hold.on &&
	       (!dest->hold.ramp || dest->hold.budget) &&
	       uet_txmsg_next_len(msg, dest->pdc->tx.flow->payload_mtu) >= 0;
}

/*
 * The next packet of a queue in line is in the backlog, whatever it is: the
 * rest of a message whose packets became smaller, or MSG_ERROR.
 */
static void uet_dest_announce(struct uet_dest *dest)
{
	struct uet_flow *flow = dest->pdc->tx.flow;
	struct uet_txmsg *msg = uet_dest_head(dest);
	u64 size;

	if (dest->pdc->state == UET_PDC_DEAD)
		return;
	size = uet_flow_nominal(flow, uet_txmsg_next_len(msg,
							 flow->payload_mtu));
	if (likely(msg->backlog >= size))
		return;
	uet_ccc_on_new_data(&flow->ccc, ktime_get_ns(), size - msg->backlog);
	msg->backlog = size;
}

/**
 * uet_dest_activate() - put a queue in line if it has something to send
 * @dest: the queue
 *
 * Context: flow lock of its PDC held.
 */
void uet_dest_activate(struct uet_dest *dest)
{
	if (!list_empty(&dest->active) || !uet_dest_sendable(dest))
		return;
	dest->deficit = UET_DEST_QUANTUM;
	uet_dest_announce(dest);
	list_add_tail(&dest->active, &dest->pdc->tx.active);
	uet_pdc_tx_ready(dest->pdc);
}

/*
 * Room in the ring: it exists while something is outstanding and doubles as
 * the receiver's window opens.
 */
static bool uet_pdc_tx_grow(struct uet_pdc *pdc)
{
	struct uet_pdc_tx *tx = &pdc->tx;
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
 * uet_pdc_tx_reserve() - have room for one PSN
 * @pdc: initiator PDC
 *
 * Context: flow lock held.
 * Return: false if the windows or memory do not allow it.
 */
bool uet_pdc_tx_reserve(struct uet_pdc *pdc)
{
	return uet_txwin_room(&pdc->tx.win) ||
	       (uet_txwin_allowed(&pdc->tx.win) && uet_pdc_tx_grow(pdc) &&
		uet_txwin_room(&pdc->tx.win));
}

/**
 * uet_pdc_tx_shrink() - an idle PDC gives its ring back
 * @pdc: initiator PDC with nothing outstanding
 *
 * Context: flow lock held.
 */
void uet_pdc_tx_shrink(struct uet_pdc *pdc)
{
	kvfree(uet_txwin_detach(&pdc->tx.win));
	if (!pdc->tx.win.nslots) {
		kvfree(pdc->tx.pkts);
		pdc->tx.pkts = NULL;
	}
}

/* May a new PSN be used? 4096 packets at most before the first answer. */
static bool uet_pdc_tx_room(struct uet_pdc *pdc)
{
	if (pdc->state == UET_PDC_SYN &&
	    pdc->tx.win.next - pdc->start_psn > UET_SYN_PSN_OFFSET_MAX)
		return false;
	return uet_pdc_tx_reserve(pdc);
}

/* Bytes of SES header data that a packet of a message carries */
static void uet_pdc_fill_ses(const struct uet_txmsg *msg,
			     const struct uet_txpkt *p, struct uet_ses_req *ses)
{
	const struct uet_dest *dest = msg->dest;

	*ses = (struct uet_ses_req){
		.key		= msg->match_bits,
		.job		= dest->key.job,
		.initiator	= dest->initiator,
		.request_length	= msg->len,
		.message_offset	= p->off,
		.payload_length	= p->len,
		.msg_id		= msg->msg_id,
		.pid		= dest->key.pid,
		.ri		= dest->key.ri,
		.opcode		= msg->match_bits ? UET_SES_OP_TAGGED_SEND :
						    UET_SES_OP_SEND,
	};
	if (!dest->key.absolute)
		ses->flags |= UET_SES_F_REL;
	if (p->flags & UET_TXPKT_MSG_ERROR) {
		ses->opcode = UET_SES_OP_MSG_ERROR;
		ses->flags |= UET_SES_F_EOM;
		return;
	}
	if (!p->off) {
		ses->flags |= UET_SES_F_SOM;
		if (msg->has_hd) {
			ses->flags |= UET_SES_F_HD;
			ses->header_data = msg->header_data;
		}
	}
	if (p->off + p->len == msg->len)
		ses->flags |= UET_SES_F_EOM;
}

/* Build one transmission of a PSN; NULL without memory. */
static struct sk_buff *uet_pdc_build_req(struct uet_pdc *pdc, u32 psn,
					 const struct uet_txpkt *p, u16 ev,
					 bool retx, bool ar, u32 credit_target)
{
	bool cc = pdc->tx.flow->ccc.algo->credit;
	struct uet_pkt pkt = {
		.type		= pdc->rod ?
				  (cc ? UET_PDS_ROD_CC_REQ : UET_PDS_ROD_REQ) :
				  (cc ? UET_PDS_RUD_CC_REQ : UET_PDS_RUD_REQ),
		.next_hdr	= UET_NH_REQ_STD,
		.flags		= (retx ? UET_F_RETX : 0) | (ar ? UET_F_AR : 0),
		.spdcid		= pdc->id,
		.dpdcid		= pdc->remote_id,
		.req = {
			.psn		= psn,
			.clear_psn	= pdc->tx.win.clear_psn,
			.start_psn	= pdc->start_psn,
			.credit_target	= credit_target,
			.ccc_id		= pdc->tx.flow->ccc_id,
		},
	};
	unsigned int room = UET_PDS_REQ_CC_LEN + UET_SES_STD_LEN + UET_CRC_LEN;
	struct uet_txmeta *meta;
	struct sk_buff *skb;
	unsigned int len;

	if (pdc->state == UET_PDC_SYN)
		pkt.flags |= UET_F_SYN;
	/* Far behind, an old CLEAR_PSN says nothing wrong either. */
	if (psn_delta(psn, pkt.req.clear_psn) > S16_MAX)
		pkt.req.clear_psn = psn - S16_MAX;
	if (p->msg->inlined)
		room += p->len;
	skb = alloc_skb(UET_HEADROOM + room, GFP_ATOMIC | __GFP_NOWARN);
	if (unlikely(!skb))
		return NULL;
	skb_reserve(skb, UET_HEADROOM);
	uet_pdc_fill_ses(p->msg, p, &pkt.ses);
	len = uet_build_req(skb->data, &pkt);
	len += uet_build_ses_std(skb->data + len, &pkt.ses);
	skb_put(skb, len);
	if (p->len && unlikely(uet_txmsg_attach(p->msg, skb, p->off, p->len))) {
		kfree_skb(skb);
		return NULL;
	}
	skb->priority = p->msg->dest->prio;
	meta = UET_TXMETA(skb);
	meta->ev = ev;
	meta->dsfield = pdc->tclass << 2 | UET_ECT0;
	/* Cut before the path MTU shrank: the one packet that may be fragmented. */
	meta->df = p->len <= pdc->tx.flow->payload_mtu;
	pdc->tx.clear_at = 0;
	pdc->tx.clear_sent = pdc->tx.win.clear_psn;
	return skb;
}

/* Timers after a transmission: the RTO runs, the tail probe starts anew. */
static void uet_pdc_tx_sent(struct uet_pdc *pdc, u64 now)
{
	struct uet_pdc_tx *tx = &pdc->tx;

	if (!tx->rto_at)
		tx->rto_at = now + uet_pdc_rto(pdc);
	if (!tx->probe_tx && tx->win.flight_pkts)
		tx->probe_at = now + uet_pdc_probe_interval(pdc);
	tx->idle_at = now +
		(u64)READ_ONCE(pdc->un->sysctl.pdc_idle_s) * NSEC_PER_SEC;
	uet_pdc_arm(pdc, tx->probe_at ? min(tx->rto_at, tx->probe_at) :
					tx->rto_at, now);
}

static int uet_pdc_retransmit(struct uet_pdc *pdc, struct sk_buff_head *list,
			      u32 psn, u64 now)
{
	struct uet_tx_slot *slot = uet_txwin_slot(&pdc->tx.win, psn);
	struct uet_txpkt *p = &pdc->tx.pkts[uet_txwin_index(&pdc->tx.win, psn)];
	struct uet_ccc_ask ask = {
		.now = now, .size = slot->size, .want = 1,
		.prev_ev = slot->ev, .rtx = true,
	};
	struct uet_ccc *ccc = &pdc->tx.flow->ccc;
	struct uet_ccc_send params;
	struct sk_buff *skb;

	uet_ccc_get_send_params(ccc, &ask, &params);
	skb = uet_pdc_build_req(pdc, psn, p, params.ev, true, true,
				params.credit_target);
	if (!skb)
		goto nomem;
	uet_txwin_resend(&pdc->tx.win, psn, params.ev, now);
	uet_ccc_on_send(ccc, now, slot->size, params.ev, true);
	__skb_queue_tail(list, skb);
	uet_pdc_tx_sent(pdc, now);
	return 1;
nomem:
	UET_INC(pdc->un, TX_NOMEM);
	uet_pdc_nomem(pdc, now);
	return -ENOMEM;
}

/* Does congestion control want an answer to the packet that leaves now? */
static bool uet_cc_asks(const struct uet_ccc *ccc, u32 size)
{
	const struct uet_cc_ops *window = ccc->algo->window;
	const struct uet_cc_ops *credit = ccc->algo->credit;

	return (window && (!window->ack_request ||
			   window->ack_request(ccc, size))) ||
	       (credit && credit->ack_request &&
		credit->ack_request(ccc, size));
}

/**
 * uet_pdc_answer_due() - is a packet under way that will be answered?
 * @pdc: initiator PDC
 *
 * Context: flow lock held.
 * Return: true if the target was asked, or answers it by itself.
 */
bool uet_pdc_answer_due(const struct uet_pdc *pdc)
{
	const struct uet_txwin *win = &pdc->tx.win;

	return uet_txwin_has(win, pdc->tx.answer_psn) &&
	       !uet_txwin_is_sacked(win, pdc->tx.answer_psn);
}

/*
 * A window that is full asks (UE 1.0 3.6.13.5). Asking with every packet that
 * fills it would go on for ever: each answer lets one packet out, which fills
 * it again. So a packet asks if nothing under way will be answered, or if a
 * quarter of the window would go without; large windows need none of it, since
 * the target answers every ACK_Gen_Trigger bytes.
 */
static bool uet_pdc_window_asks(const struct uet_pdc *pdc, u32 size, u32 count)
{
	const struct uet_ccc *ccc = &pdc->tx.flow->ccc;
	u64 window = uet_ccc_window(ccc);

	if (likely(!uet_cc_asks(ccc, size)))
		return false;
	return window < ccc->params->ack_gen_trigger ||
	       count >= window / UET_ANSWERS_PER_WINDOW ||
	       !uet_pdc_answer_due(pdc);
}

/*
 * AR (UE 1.0 3.5.12): when the CCC asks for it, on the last packet that a
 * window lets out, and the end of a message that is not short. After a short
 * one the tail probe asks if nothing else does.
 */
static bool uet_pdc_want_ar(struct uet_pdc *pdc, const struct uet_txmsg *msg,
			    u32 size, u32 count, bool last)
{
	if (uet_pdc_window_asks(pdc, size, count))
		return true;
	if (uet_txwin_allowed(&pdc->tx.win) == 1)
		return true;
	return last && msg->len > pdc->tx.flow->payload_mtu;
}

/* ACK_GEN_COUNT of the target after one more packet */
static u32 uet_pdc_unasked(const struct uet_pdc *pdc, u32 len)
{
	return pdc->tx.unasked +
	       max_t(u32, len, READ_ONCE(pdc->un->sysctl.ack_gen_min_pkt_add));
}

/* A packet left: will the target answer it? */
static void uet_pdc_count_unasked(struct uet_pdc *pdc, u32 psn, u32 count,
				  bool ar)
{
	struct uet_pdc_tx *tx = &pdc->tx;

	if (!ar && count < tx->flow->params.ack_gen_trigger) {
		tx->unasked = count;
		return;
	}
	tx->unasked = 0;
	tx->answer_psn = psn;
}

static void uet_msg_begin(struct uet_pdc *pdc, struct uet_txmsg *msg)
{
	msg->state = UET_TXMSG_SENDING;
	msg->msg_id = pdc->tx.next_msg_id++;
	list_add_tail(&msg->begun, &pdc->tx.begun);
}

/* May another message get an id? */
static bool uet_msg_may_begin(struct uet_pdc *pdc)
{
	const struct uet_txmsg *oldest;

	oldest = list_first_entry_or_null(&pdc->tx.begun, struct uet_txmsg,
					  begun);
	return !oldest || (u16)(pdc->tx.next_msg_id - oldest->msg_id) <
			  UET_MSGS_BEGUN_MAX;
}

/* The backlog was announced for full packets; what was not needed goes. */
static void uet_msg_all_sent(struct uet_pdc *pdc, struct uet_txmsg *msg,
			     u64 now)
{
	struct uet_dest *dest = msg->dest;

	if (msg->backlog)
		uet_ccc_withdraw(&pdc->tx.flow->ccc, now, msg->backlog);
	msg->backlog = 0;
	msg->all_sent = true;
	if (msg->state != UET_TXMSG_FAILED)
		msg->state = UET_TXMSG_SENT;
	list_move_tail(&msg->node, &dest->sent);
}

static int uet_pdc_send_new(struct uet_pdc *pdc, struct uet_dest *dest,
			    struct sk_buff_head *list, u64 now)
{
	struct uet_pdc_tx *tx = &pdc->tx;
	struct uet_flow *flow = tx->flow;
	struct uet_ccc *ccc = &flow->ccc;
	struct uet_txmsg *msg = uet_dest_head(dest);
	struct uet_txpkt p = {
		.msg	= msg,
		.off	= msg->sent,
		.len	= uet_txmsg_next_len(msg, flow->payload_mtu),
		.flags	= msg->withdrawn ? UET_TXPKT_MSG_ERROR : 0,
	};
	struct uet_ccc_ask ask = { .now = now, .want = 1 };
	struct uet_ccc_send params;
	struct sk_buff *skb;
	bool last, ar;
	u32 psn, count;

	ask.size = uet_flow_nominal(flow, p.len);
	if (msg->state == UET_TXMSG_QUEUED)
		uet_msg_begin(pdc, msg);
	last = msg->withdrawn || p.off + p.len == msg->len;
	uet_ccc_get_send_params(ccc, &ask, &params);
	count = uet_pdc_unasked(pdc, p.len);
	ar = uet_pdc_want_ar(pdc, msg, ask.size, count, last);
	skb = uet_pdc_build_req(pdc, tx->win.next, &p, params.ev, false, ar,
				params.credit_target);
	if (!skb) {
		UET_INC(pdc->un, TX_NOMEM);
		uet_pdc_nomem(pdc, now);
		return -ENOMEM;
	}
	psn = uet_txwin_send(&tx->win, ask.size, params.ev, 0, now);
	tx->pkts[uet_txwin_index(&tx->win, psn)] = p;
	uet_pdc_count_unasked(pdc, psn, count, ar);
	uet_ccc_on_send(ccc, now, ask.size, params.ev, false);
	msg->backlog -= ask.size;
	msg->sent += p.len;
	msg->last_psn = psn;
	dest->deficit -= ask.size;
	__skb_queue_tail(list, skb);
	UET_INC(pdc->un, TX_REQS);
	uet_pdc_tx_sent(pdc, now);

	if (last)
		uet_msg_all_sent(pdc, msg, now);
	if (unlikely(dest->hold.ramp))
		uet_pdc_hold_sent(dest, psn);
	if (!uet_dest_sendable(dest)) {
		list_del_init(&dest->active);
		return 1;
	}
	uet_dest_announce(dest);
	if (dest->deficit <= 0) {
		dest->deficit += UET_DEST_QUANTUM;
		list_move_tail(&dest->active, &tx->active);
	}
	return 1;
}

/**
 * uet_pdc_tx_next() - build the next packet of a PDC
 * @pdc: initiator PDC
 * @list: the packet is added here
 * @now: time, ns
 *
 * Context: flow lock held.
 * Return: 1 if a packet was built; 0 if the PDC has nothing it may send;
 * -EAGAIN if the congestion window of the flow is closed; -ENOMEM.
 */
int uet_pdc_tx_next(struct uet_pdc *pdc, struct sk_buff_head *list, u64 now)
{
	struct uet_pdc_tx *tx = &pdc->tx;
	struct uet_dest *dest;
	u32 psn;

	if (pdc->state == UET_PDC_DEAD)
		return 0;
	if (uet_txwin_next_marked(&tx->win, &psn)) {
		if (pdc->rod && uet_pdc_hold_blocks(pdc, psn))
			return 0;
		if (uet_txwin_slot(&tx->win, psn)->flags & UET_TX_CP)
			return uet_pdc_resend_close(pdc, list, now);
		if (tx->flow->ccc.state != UET_CCC_READY)
			return -EAGAIN;
		return uet_pdc_retransmit(pdc, list, psn, now);
	}
	for (;;) {
		dest = list_first_entry_or_null(&tx->active, struct uet_dest,
						active);
		if (!dest || likely(uet_dest_sendable(dest)))
			break;
		/* The MTU grew: what is there fills no packet any more. */
		list_del_init(&dest->active);
	}
	if (!dest || (pdc->rod && uet_pdc_hold_blocks(pdc, tx->win.next)))
		return 0;
	if (!uet_msg_may_begin(pdc) || !uet_pdc_tx_room(pdc)) {
		/* An answer is needed; the probe asks if none comes. */
		return 0;
	}
	if (tx->flow->ccc.state != UET_CCC_READY)
		return -EAGAIN;
	return uet_pdc_send_new(pdc, dest, list, now);
}
