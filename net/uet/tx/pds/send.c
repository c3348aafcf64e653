// SPDX-License-Identifier: GPL-2.0
/*
 * Transmission of requests: memory and packets for what the sender picks
 * (core/snd/snd_pick.c).
 *
 * Not here: packets as bytes (tx/pds/req.c), runs of a flow (tx/pds/flow_tx.c).
 */
#include <linux/ktime.h>
#include <linux/slab.h>

#include "core/snd/snd_pick.h"
#include "core/snd/snd_timer.h"
#include "link/peer.h"
#include "mib.h"
#include "pdc/pdc.h"
#include "tx/cms/flow.h"
#include "tx/cms/trace.h"
#include "tx/cms/trace_path.h"
#include "tx/msg/txmsg.h"
#include "tx/pds/half.h"
#include "tx/pds/hole.h"
#include "tx/pds/join.h"

/* There is no memory to send: a timer tries again. */
static noinline void uet_pdc_nomem(struct uet_pdc *pdc, u64 now)
{
	UET_INC(pdc->un, TX_NOMEM);
	uet_snd_nomem(&pdc->tx->snd, now);
	uet_pdc_tx_arm(pdc);
}

/**
 * uet_pdc_tx_grow() - enlarge the rings of a sending half
 * @pdc: the PDC, %UET_SND_GROW
 * @now: time, ns
 *
 * The rings exist while something is outstanding and double as the receive window
 * opens.
 *
 * Context: flow lock held.
 * Return: false without memory; then the timer tries again.
 */
bool uet_pdc_tx_grow(struct uet_pdc *pdc, u64 now)
{
	struct uet_snd *s = &pdc->tx->snd;
	u32 nslots = uet_snd_more_slots(s);
	struct uet_snd_mem mem;

	lockdep_assert_held(&pdc->tx->flow->lock);
	mem.win = kvmalloc(uet_snd_win_size(nslots),
			   GFP_ATOMIC | __GFP_ACCOUNT | __GFP_NOWARN);
	mem.pkts = kvmalloc_array(nslots, sizeof(*mem.pkts),
				  GFP_ATOMIC | __GFP_ACCOUNT | __GFP_NOWARN);
	if (!mem.win || !mem.pkts) {
		uet_snd_mem_free(&mem);
		uet_pdc_nomem(pdc, now);
		return false;
	}
	uet_snd_attach(s, &mem, nslots);
	uet_snd_mem_free(&mem);
	return true;
}

/**
 * uet_pdc_tx_shrink() - free the rings of an idle PDC
 * @pdc: a PDC with nothing outstanding
 *
 * Context: flow lock held.
 */
void uet_pdc_tx_shrink(struct uet_pdc *pdc)
{
	struct uet_snd_mem mem;

	lockdep_assert_held(&pdc->tx->flow->lock);
	uet_snd_detach(&pdc->tx->snd, &mem);
	uet_snd_mem_free(&mem);
}

static struct sk_buff *uet_pdc_build(struct uet_pdc *pdc,
				     struct uet_snd_out *out, u64 now)
{
	struct sk_buff *skb;

	if (out->n > 1) {
		skb = uet_pdc_build_run(pdc, out);
		if (likely(skb)) {
			UET_INC(pdc->un, TX_RUNS);
			UET_ADD(pdc->un, TX_RUN_REQS, out->n);
			return skb;
		}
		uet_snd_pick_single(&pdc->tx->snd, out, now);
	}
	return uet_pdc_build_req(pdc, out);
}

/* A packet or run of @size nominal bytes was built, and leaves. */
static __always_inline void uet_pdc_leaves(struct uet_pdc *pdc,
					   struct uet_snd_out *out, u32 size,
					   u32 step, u64 now)
{
	u64 at = uet_flow_departs(pdc->tx->flow, size, now);

	uet_snd_commit(&pdc->tx->snd, out, at, step, now);
}

/* Build what was picked, or add it to the buffer of the packet before. NULL without
 * memory.
 */
static struct sk_buff *uet_pdc_send(struct uet_pdc *pdc,
				    struct uet_snd_out *out,
				    struct uet_join *join, u64 now)
{
	struct uet_flow *flow = pdc->tx->flow;
	struct sk_buff *skb;
	u32 step = 0;

	trace_uet_path_choose(flow, &out->ask, &out->params);
	skb = join->skb;
	if (!skb || !uet_join_add(join, pdc, out)) {
		skb = uet_pdc_build(pdc, out, now);
		if (likely(skb))
			uet_join_begin(join, pdc, out, skb);
	}
	if (unlikely(!skb)) {
		uet_pdc_nomem(pdc, now);
		return NULL;
	}
	if (out->n > 1)
		step = uet_flow_takes(flow, out->ask.size);
	uet_pdc_leaves(pdc, out, uet_snd_out_size(out), step, now);
	return skb;
}

/**
 * uet_pdc_send_alone() - send a message of one packet if all queues are empty
 * @pdc: the PDC
 * @msg: the message, complete, submitted and in no list
 * @dev: interface of its flow
 * @now: time, ns
 *
 * Replaces uet_snd_enqueue() and a run of the flow.
 *
 * Context: flow lock held, uet_flow_at_rest().
 * Return: its only packet; NULL if it must be queued after all.
 */
struct sk_buff *uet_pdc_send_alone(struct uet_pdc *pdc, struct uet_txmsg *msg,
				   struct net_device *dev, u64 now)
{
	struct uet_flow *flow = pdc->tx->flow;
	struct uet_snd *s = &pdc->tx->snd;
	struct uet_snd_out out __uninitialized;	/* uet_snd_pick_alone() fills it */
	struct sk_buff *skb;

	lockdep_assert_held(&flow->lock);
	if (!uet_snd_may_alone(s, &msg->m))
		return NULL;
	if (unlikely(uet_snd_has_room(s) != UET_SND_NEW) &&
	    (uet_snd_has_room(s) != UET_SND_GROW ||
	     !uet_pdc_tx_grow(pdc, now)))
		return NULL;
	if (!uet_port_share(flow, dev, now))
		return NULL;
	uet_snd_pick_alone(s, &msg->m, now, uet_flow_port_free(flow), &out);
	trace_uet_path_choose(flow, &out.ask, &out.params);
	skb = uet_pdc_build_req(pdc, &out);
	if (unlikely(!skb)) {
		uet_pdc_nomem(pdc, now);
		return NULL;
	}
	uet_pdc_leaves(pdc, &out, out.ask.size, 0, now);
	UET_INC(pdc->un, TX_REQS);
	uet_snd_transmitted(s, now);
	uet_pdc_tx_arm(pdc);
	return skb;
}

/**
 * uet_pdc_tx_next() - build the next packet or run of a PDC
 * @pdc: the PDC
 * @list: it is added here
 * @join: the buffer at the end of @list, if it may join that
 * @now: time, ns
 *
 * Context: flow lock held.
 * Return: packets that were built; 0 if the PDC has nothing it may send;
 * -EAGAIN if the congestion window of the flow is closed; -ENOMEM.
 */
int uet_pdc_tx_next(struct uet_pdc *pdc, struct sk_buff_head *list,
		    struct uet_join *join, u64 now)
{
	struct uet_flow *flow = pdc->tx->flow;
	struct uet_snd *s = &pdc->tx->snd;
	struct uet_snd_out out __uninitialized;	/* uet_snd_pick() fills it */
	enum uet_snd_verdict verdict;
	struct sk_buff *skb;
	bool ask = false;

	lockdep_assert_held(&flow->lock);
	do {
		verdict = uet_snd_pick(s, now, uet_flow_port_free(flow), &out);
	} while (unlikely(verdict == UET_SND_GROW) && uet_pdc_tx_grow(pdc, now));
	switch (verdict) {
	case UET_SND_NEW:
	case UET_SND_RTX:
		break;
	case UET_SND_CP:
		/* The buffer is not at the end of @list any more. */
		join->skb = NULL;
		return uet_pdc_resend_close(pdc, list, now);
	case UET_SND_CLOSED:
		trace_uet_cc_wait(flow);
		return -EAGAIN;
	default:
		return 0;
	}
	/* What this host dropped was not too long for a path. */
	if (unlikely(out.rtx && !out.dropped))
		ask = uet_hole_resent(pdc, out.pkt.len, out.tx_time, now);
	skb = uet_pdc_send(pdc, &out, join, now);
	if (unlikely(!skb))
		return -ENOMEM;
	if (unlikely(out.rtx))
		UET_INC(pdc->un, TX_RETX);
	else
		UET_ADD(pdc->un, TX_REQS, out.n);
	if (skb != skb_peek_tail(list))
		__skb_queue_tail(list, skb);
	if (unlikely(ask)) {
		uet_hole_ask(pdc, list, now);
		join->skb = NULL;
	}
	return out.n;
}
