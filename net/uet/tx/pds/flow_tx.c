// SPDX-License-Identifier: GPL-2.0
/*
 * Transmission of flows: batches of packets are built under the flow lock and
 * sent without it; in softirq ready flows take turns.
 *
 * Not here: which packet is next (core/snd/snd_pick.c), the queues of flows that are ready
 * (tx/cms/txq.c), the IP output (link/).
 */
#include <linux/ktime.h>
#include <linux/uet.h>
#include <net/dst.h>
#include <net/neighbour.h>
#include <net/sch_generic.h>

#include "core/snd/snd_loss.h"
#include "core/snd/snd_queue.h"
#include "core/snd/snd_timer.h"
#include "core/wire/hdr_run.h"
#include "link/encap.h"
#include "link/neigh.h"
#include "link/peer.h"
#include "link/ports.h"
#include "link/source.h"
#include "mib.h"
#include "pdc/pdc.h"
#include "tx/cms/cctrace.h"
#include "tx/cms/flow.h"
#include "tx/cms/neigh.h"
#include "tx/cms/path.h"
#include "tx/cms/txq.h"
#include "tx/pds/credit.h"
#include "tx/pds/half.h"
#include "tx/pds/join.h"

/* Payload of packets below which they leave one by one: of short ones headers, and the gaps
 * for them in the data, would be a good part.
 */
#define UET_RUN_PAYLOAD_MIN	1024

/* How many packets may leave as one buffer? With receiver credit headers differ. */
static void uet_flow_check_runs(struct uet_flow *flow,
				const struct uet_output *out)
{
	u32 payload = flow->snd.payload_mtu, max = 1;

	if (!flow->ccc.algo->credit && payload >= UET_RUN_PAYLOAD_MIN)
		max = uet_output_run_max(out, UET_HDR_RUN_LEN + payload);
	flow->snd.run_max = (u8)max;
	if (max <= 1) {
		flow->snd.run = 1;
		uet_ccc_no_runs(&flow->ccc);
	}
	payload = max > 1 ? payload : 0;
	if (likely(flow->run_len == payload))
		return;
	flow->run_len = (u16)payload;
	WRITE_ONCE(out->un->run_len, flow->run_len);
}

/* What the way to the peer allows may change at any time. */
static void uet_flow_check_way(struct uet_flow *flow,
			       const struct uet_output *out)
{
	u32 mtu = uet_output_mtu(out);

	if (unlikely(out->form != flow->form))
		uet_flow_set_form(flow, out->form);
	if (unlikely(mtu != flow->ip_mtu))
		uet_flow_set_mtu(flow, mtu);
	uet_flow_check_runs(flow, out);
}

/* The PDC whose turn it is; there is one. */
static struct uet_pdc *uet_flow_first(struct uet_flow *flow)
{
	return uet_pdc_of(list_first_entry(&flow->snd.ready, struct uet_snd,
					   ready_node));
}

/* A PDC sent its packets of this turn. */
static void uet_flow_sent(struct uet_pdc *pdc, u64 now)
{
	uet_snd_transmitted(&pdc->tx->snd, now);
	uet_pdc_tx_arm(pdc);
}

/*
 * New data waits for credit. Put the next PDC in front that has something to send again,
 * if that takes no credit; @pdc was in front and has not.
 */
static bool uet_flow_resends(struct uet_flow *flow, const struct uet_pdc *pdc)
{
	struct uet_snd *s;

	if (likely(!flow->ccc.algo->credit) || pdc->tx->snd.win.ring->nr_marked ||
	    !uet_ccc_may_resend(&flow->ccc))
		return false;
	list_for_each_entry(s, &flow->snd.ready, ready_node) {
		if (s->win.ring->nr_marked) {
			list_move(&s->ready_node, &flow->snd.ready);
			return true;
		}
	}
	return false;
}

/*
 * Build about @max packets, since runs are not cut, and return their number. @dev is
 * NULL without a route or with several interfaces.
 */
static unsigned int uet_flow_build(struct uet_flow *flow,
				   struct net_device *dev,
				   struct sk_buff_head *list, unsigned int max,
				   u64 now)
{
	struct uet_pdc *pdc, *sent = NULL;
	struct uet_join join = {};
	unsigned int n = 0;

	lockdep_assert_held(&flow->lock);
	flow->deferred = 0;
	if (flow->dead || list_empty(&flow->snd.ready))
		return 0;
	if (unlikely(flow->ccc.algo->credit))
		uet_credit_count_anew(flow, uet_flow_first(flow), now);
	if (unlikely(flow->snd.multi))
		uet_flow_look(flow);
	while (n < max && !list_empty(&flow->snd.ready)) {
		int ret;

		if (dev ? !uet_port_share(flow, dev, now) :
			  uet_port_pauses(flow, now))
			break;
		pdc = uet_flow_first(flow);
		ret = uet_pdc_tx_next(pdc, list, &join, now);
		/* The window is closed for all PDCs, or a timer tries again. */
		if (ret < 0) {
			if (ret == -EAGAIN && uet_flow_resends(flow, pdc))
				continue;
			break;
		}
		if (!ret) {
			/* This PDC has nothing to send. */
			list_del_init(&pdc->tx->snd.ready_node);
			continue;
		}
		n += ret;
		if (sent && sent != pdc)
			uet_flow_sent(sent, now);
		sent = pdc;
		uet_snd_rotate(&pdc->tx->snd);
	}
	if (sent)
		uet_flow_sent(sent, now);
	return n;
}

/* How often a local address that is away is looked for */
#define UET_SOURCE_POLL_NS	(NSEC_PER_SEC / 10)

/* How long after the peer was heard a local drop counts as a loss; see below */
#define UET_LOCAL_DROP_NS	NSEC_PER_SEC

static void uet_flow_lost_here(struct uet_pdc *pdc, u32 psn, u64 now)
{
	struct uet_snd *s = &pdc->tx->snd;
	struct uet_ccc_loss loss;

	if (!uet_txwin_has(&s->win, psn))
		return;
	uet_snd_dropped(s, psn);
	if (now >= s->heard + UET_LOCAL_DROP_NS)
		return;
	if (uet_snd_lost(s, psn, UET_LOSS_LOCAL, now, &loss))
		uet_cc_loss(pdc->tx->flow, &loss);
	UET_INC(pdc->un, RETX_LOCAL);
	uet_snd_ready(s);
}

/*
 * The queue of the interface had no room for requests: they are known to be lost.
 * If that never ends, packets stay in flight after a while, so that timeouts
 * find them and give the PDC up in time.
 */
static void uet_flow_dropped(struct uet_flow *flow, u16 pdcid, u32 psn, u32 n)
{
	struct uet_pdc *pdc;
	u64 now;
	u32 i;

	rcu_read_lock();
	pdc = uet_pdc_by_id(flow->peer->fep->un, &flow->peer->key.laddr, pdcid);
	/* The flow of a PDC never changes. */
	if (!pdc || !uet_pdc_tx(pdc) || pdc->tx->flow != flow)
		goto out;
	now = ktime_get_ns();
	spin_lock(&flow->lock);
	if (pdc->tx->snd.state != UET_PDC_DEAD &&
	    uet_txwin_has(&pdc->tx->snd.win, psn + n - 1)) {
		uet_port_dropped(flow, now);
		for (i = 0; i < n; i++)
			uet_flow_lost_here(pdc, psn + i, now);
	}
	spin_unlock(&flow->lock);
out:
	rcu_read_unlock();
}

/*
 * Without a queue the result is that of the driver: veth, for one, drops
 * packets that are too long for its other end. That is no lack of room;
 * tx/pds/hole.c copes.
 */
static bool uet_port_queues(const struct net_device *dev)
{
	return rcu_dereference_bh(netdev_get_tx_queue(dev, 0)->qdisc)->enqueue;
}

/**
 * uet_flow_output() - send a packet or run that was built under the flow lock
 * @flow: the flow
 * @out: the route to its peer
 * @skb: the packet or run
 *
 * A request that the interface drops is sent again.
 *
 * Context: BH disabled, flow lock not held.
 */
void uet_flow_output(struct uet_flow *flow, const struct uet_output *out,
		     struct sk_buff *skb)
{
	u16 pdcid = UET_TXMETA(skb)->pdcid;
	u32 psn = UET_TXMETA(skb)->psn;
	u8 n = UET_TXMETA(skb)->n;

	if (likely(uet_output(out, skb) != NET_XMIT_DROP)) {
		if (unlikely(READ_ONCE(flow->share.pauses) &&
			     !READ_ONCE(flow->share.passed)))
			WRITE_ONCE(flow->share.passed, true);
	} else if (pdcid && uet_port_queues(out->dst->dev)) {
		uet_flow_dropped(flow, pdcid, psn, n);
	}
}

/* Send packets that were built, or drop them without a route. */
static void uet_flow_emit(struct uet_flow *flow, const struct uet_output *out,
			  struct sk_buff_head *list)
{
	struct sk_buff *skb;

	if (unlikely(!out)) {
		while ((skb = __skb_dequeue(list)))
			uet_drop_tx(flow->peer, skb, UET_DROP_TX_ROUTE);
		return;
	}
	while ((skb = __skb_dequeue(list)))
		uet_flow_output(flow, out, skb);
}

/**
 * uet_flow_route_ns() - time that data has waited for a route
 * @flow: the flow
 * @now: time, ns
 *
 * Data that waits is tried again within rto_max_ms, so the current wait counts
 * no longer than that.
 *
 * Context: flow lock held.
 * Return: ns.
 */
u64 uet_flow_route_ns(const struct uet_flow *flow, u64 now)
{
	u64 max = (u64)READ_ONCE(flow->peer->fep->un->sysctl.rules.rto_max_ms) *
		  NSEC_PER_MSEC;

	lockdep_assert_held(&flow->lock);
	if (!flow->route_since)
		return flow->route_ns;
	return flow->route_ns + min(now - flow->route_since, max);
}

static void uet_flow_note_way(struct uet_flow *flow, bool way)
{
	u64 now;

	if (likely(way && !flow->route_since))
		return;
	now = ktime_get_ns();
	flow->route_ns = uet_flow_route_ns(flow, now);
	if (!flow->route_since)
		flow->route_gone = now;
	flow->route_since = way ? 0 : now;
}

/**
 * uet_flow_at_rest() - may a packet be sent without a run of the flow?
 * @flow: the flow
 * @out: the route to its peer
 *
 * It may if nothing is queued and no state needs an update. On an ordered flow it
 * takes the place of a run, since it would race with the packets of one:
 * uet_flow_enter().
 *
 * Context: flow lock held.
 * Return: true if so.
 */
bool uet_flow_at_rest(const struct uet_flow *flow, const struct uet_output *out)
{
	bool stats = READ_ONCE(flow->peer->fep->un->sysctl.path_stats);

	lockdep_assert_held(&flow->lock);
	return list_empty(&flow->snd.ready) && !flow->running &&
	       !flow->snd.multi && !out->multi && !flow->dead &&
	       !flow->route_since && uet_neigh_fresh(flow->peer) &&
	       !flow->ccc.algo->credit && stats == !!flow->ccc.lb->live &&
	       flow->form == out->form && flow->ip_mtu == uet_output_mtu(out);
}

/**
 * uet_flow_defers() - may the message queued last wait for others?
 * @flow: the flow
 *
 * It may while all that waits is little and could leave at once; if the congestion
 * window is closed, however much it is.
 *
 * Context: flow lock held.
 * Return: false if the flow is to be run.
 */
bool uet_flow_defers(struct uet_flow *flow)
{
	const struct uet_ccc *ccc = &flow->ccc;

	lockdep_assert_held(&flow->lock);
	if (ccc->state == UET_CCC_READY &&
	    (flow->deferred >= UET_TX_DEFER_MSGS ||
	     ccc->backlog >= min_t(u64, UET_TX_DEFER_BYTES,
				   uet_ccc_window(ccc))))
		return false;
	if (flow->deferred < UET_TX_DEFER_MSGS)
		flow->deferred++;
	return true;
}

/*
 * Packets do not leave. PDCs fail that are in no later state; for others the peer may come
 * back until its timeout.
 */
static void uet_flow_stuck(struct uet_flow *flow, enum uet_pdc_state state, int error)
{
	struct uet_peer *peer = flow->peer;
	struct uet_pdc_tx *tx;

	spin_lock(&peer->lock);
	list_for_each_entry(tx, &peer->tx_halves, peer_node) {
		if (tx->flow != flow || tx->snd.state == UET_PDC_DEAD)
			continue;
		if (tx->snd.state <= state)
			uet_pdc_fail(tx->pdc, error, UET_REPORT_LOCAL, 0);
		else
			uet_pdc_soft_err(tx, error, ktime_get_ns());
	}
	spin_unlock(&peer->lock);
}

/* Is nothing outstanding? Otherwise timeouts must go on counting. */
static bool uet_flow_begins(const struct uet_flow *flow)
{
	const struct uet_snd *s;

	list_for_each_entry(s, &flow->snd.ready, ready_node)
		if (uet_txwin_outstanding(&s->win))
			return false;
	return true;
}

/* Must ready PDCs wait for the next hop? Flow lock held. */
static bool uet_flow_waits_neigh(struct uet_flow *flow,
				 const struct neighbour *n)
{
	u64 now;

	lockdep_assert_held(&flow->lock);
	if (likely(!n && !READ_ONCE(flow->neigh_none)))
		return false;
	switch (uet_neigh_wait(flow, n)) {
	case UET_NEIGH_NONE:
		uet_flow_stuck(flow, UET_PDC_SYN, EHOSTUNREACH);
		return false;
	case UET_NEIGH_WAIT:
		if (!uet_flow_begins(flow))
			return false;
		/* A timer tries again in case no event comes. */
		now = ktime_get_ns();
		uet_pdc_arm(uet_flow_first(flow), now + NSEC_PER_SEC);
		return true;
	default:
		return false;
	}
}

/*
 * The local address is away. What is not built yet can go by another one (tx/pds/source.c), or
 * by this one when it is back. A PDC whose peer was silent for as long would be given up.
 */
static bool uet_flow_waits_source(struct uet_flow *flow)
{
	struct uet_peer *peer = flow->peer;
	unsigned long limit;

	lockdep_assert_held(&flow->lock);
	/* Pairs with uet_source_look(): @away_since is that of @away. */
	if (likely(!smp_load_acquire(&peer->away)) || list_empty(&flow->snd.ready))
		return false;
	limit = READ_ONCE(peer->fep->un->sysctl.rules.peer_timeout_s) * HZ;
	if (time_after(jiffies, READ_ONCE(peer->away_since) + limit))
		uet_flow_stuck(flow, UET_PDC_CLOSING, EADDRNOTAVAIL);
	else
		uet_pdc_arm(uet_flow_first(flow),
			    ktime_get_ns() + UET_SOURCE_POLL_NS);
	return true;
}

/* Send up to @budget packets; true if there is more that may go. */
static bool uet_flow_serve(struct uet_flow *flow, const struct uet_output *out,
			   unsigned int budget, u64 now)
{
	struct neighbour *neigh = out ? uet_neigh_ask(flow, out) : NULL;
	struct net_device *dev = NULL;
	struct sk_buff_head list;
	bool more, waits, way = out;
	unsigned int n;
	bool stats;

	__skb_queue_head_init(&list);
	spin_lock(&flow->lock);
	waits = uet_flow_waits_neigh(flow, neigh) ||
		(unlikely(!way) && uet_flow_waits_source(flow));
	uet_flow_note_way(flow, way && !waits);
	if (unlikely(waits)) {
		more = false;
		goto out;
	}
	if (flow->running) {
		flow->again = true;
		more = false;
		goto out;
	}
	if (likely(way)) {
		/* Not while another CPU builds by what its own @out allows */
		uet_flow_check_way(flow, out);
		/* With several interfaces path selection watches the queues. */
		if (likely(!flow->snd.multi))
			dev = out->dst->dev;
	}
	stats = READ_ONCE(flow->peer->fep->un->sysctl.path_stats);
	if (unlikely(stats != !!flow->ccc.lb->live))
		uet_path_history(flow, stats);
	flow->running = true;
	do {
		flow->again = false;
		if (!now)
			now = ktime_get_ns();
		n = uet_flow_build(flow, dev, &list,
				   min_t(unsigned int, budget, UET_TX_BATCH),
				   now);
		if (n) {
			spin_unlock(&flow->lock);
			uet_flow_emit(flow, out, &list);
			spin_lock(&flow->lock);
			now = 0;
		}
		budget -= min(n, budget);
	} while (budget && (n >= UET_TX_BATCH || flow->again));
	flow->running = false;
	if (unlikely(flow->ccc.algo->credit))
		uet_credit_wait(flow, &list);
	more = flow->again || (!budget && !list_empty(&flow->snd.ready));
out:
	spin_unlock(&flow->lock);
	if (unlikely(neigh))
		neigh_release(neigh);
	uet_flow_emit(flow, out, &list);
	return more;
}

/**
 * uet_flow_run_by() - send what may be sent now
 * @flow: the flow
 * @out: the route to its peer; NULL if there is none: then packets are dropped,
 *	and timeouts resend them
 * @now: time, ns
 *
 * Context: BH disabled, flow lock not held.
 */
void uet_flow_run_by(struct uet_flow *flow, const struct uet_output *out,
		     u64 now)
{
	if (uet_flow_serve(flow, out, UET_TX_BUDGET, now))
		uet_flow_queue(flow);
}

/**
 * uet_flow_run() - send what may be sent now
 * @flow: the flow
 * @now: time, ns
 *
 * Context: BH disabled, flow lock not held.
 */
void uet_flow_run(struct uet_flow *flow, u64 now)
{
	struct uet_output out;
	bool way = !uet_output_begin(&out, flow->peer);

	uet_flow_run_by(flow, way ? &out : NULL, now);
	if (likely(way))
		uet_output_end(&out);
}

/**
 * uet_flow_enter() - the packet of an ordered flow leaves without a run
 * @flow: the flow, uet_flow_at_rest()
 *
 * Until uet_flow_leave() nobody else sends.
 *
 * Context: BH disabled, flow lock held.
 */
void uet_flow_enter(struct uet_flow *flow)
{
	lockdep_assert_held(&flow->lock);
	flow->running = true;
	flow->again = false;
	refcount_inc(&flow->ref);
}

/**
 * uet_flow_leave() - the packet has left: send what came meanwhile
 * @flow: the flow, uet_flow_enter()
 * @out: the route to its peer
 *
 * Context: BH disabled, flow lock not held.
 */
void uet_flow_leave(struct uet_flow *flow, const struct uet_output *out)
{
	bool again;

	spin_lock(&flow->lock);
	flow->running = false;
	again = flow->again;
	spin_unlock(&flow->lock);
	if (unlikely(again))
		uet_flow_run_by(flow, out, ktime_get_ns());
	uet_flow_put(flow);
}

/* A flow may send a batch in its turn. The packets of it count as those that a device
 * has received.
 */
static int uet_txq_poll(struct napi_struct *napi, int budget)
{
	struct uet_output out;
	struct uet_flow *flow;
	int done = 0;
	bool way;

	while (done < budget) {
		flow = uet_txq_next(napi);
		if (!flow) {
			napi_complete_done(napi, done);
			return done;
		}
		way = !uet_output_begin(&out, flow->peer);
		if (uet_flow_serve(flow, way ? &out : NULL, UET_TX_BATCH,
				   ktime_get_ns()))
			uet_flow_queue(flow);
		if (likely(way))
			uet_output_end(&out);
		uet_flow_put(flow);
		done += UET_TX_BATCH;
	}
	return budget;
}

/**
 * uet_flow_tx_init() - begin to serve flows
 */
void uet_flow_tx_init(void)
{
	uet_txq_init(uet_txq_poll);
}
