// SPDX-License-Identifier: GPL-2.0
/*
 * Base RTT of a peer. A context that starts among long queues never sees an
 * empty path and would take its standing queue for the path itself. So it
 * sends one probe, in the class of control packets, once the peer has
 * answered. A peer that was talked to before needs none: its base RTT outlives
 * contexts in struct uet_peer, and that one in link/rttcache.c.
 */
#include <linux/ktime.h>

#include "link/encap.h"
#include "link/peer.h"
#include "mib.h"
#include "pdc/pdc.h"
#include "tx/flow.h"
#include "tx/half.h"
#include "tx/rtt.h"

/**
 * uet_rtt_probe() - a probe for the base RTT, if the context wants one
 * @pdc: initiator PDC that was answered
 * @ev: entropy value
 *
 * Context: softirq, flow lock held.
 * Return: the packet, to be sent after the lock; NULL if none is due.
 */
struct sk_buff *uet_rtt_probe(struct uet_pdc *pdc, u16 ev)
{
	struct uet_flow *flow = pdc->tx->flow;
	struct uet_cp cp = {
		.payload	= pdc->tx->win.una,
		.probe_opaque	= UET_PROBE_RTT,
	};
	struct sk_buff_head list;

	lockdep_assert_held(&pdc->tx->flow->lock);
	if (pdc->tx->state != UET_PDC_ESTABLISHED ||
	    uet_habit_refuses_probes(&pdc->peer->habits) ||
	    !uet_ccc_probe_wanted(&flow->ccc))
		return NULL;
	__skb_queue_head_init(&list);
	if (uet_cp_queue(pdc, &list, &cp, UET_CTL_PROBE, UET_F_AR, ev))
		return NULL;
	flow->rtt_probe_at = ktime_get_ns();
	UET_INC(pdc->un, RTT_PROBES);
	return __skb_dequeue(&list);
}

/**
 * uet_rtt_probe_answer() - the answer to it
 * @pdc: initiator PDC
 * @pkt: ACK with probe_opaque %UET_PROBE_RTT
 * @now: time, ns
 *
 * It says nothing of losses: it may have overtaken data.
 *
 * Context: softirq, flow lock held.
 */
void uet_rtt_probe_answer(struct uet_pdc *pdc, const struct uet_pkt *pkt,
			  u64 now)
{
	struct uet_flow *flow = pdc->tx->flow;
	u64 sent = flow->rtt_probe_at, service, rtt, base;

	lockdep_assert_held(&pdc->tx->flow->lock);
	flow->rtt_probe_at = 0;
	if (!sent || !uet_service_time_ns(pkt->ack.service_time, &service) ||
	    !uet_rtt_sample(sent, service, now, &rtt))
		return;
	base = uet_ccc_probe_base_rtt(&flow->params, rtt);
	if (flow->guessed && base > flow->params.base_rtt)
		uet_far_start(&flow->far);
	else if (flow->guessed)
		uet_flow_measured(flow, base, now);
	else
		uet_ccc_on_probe_rtt(&flow->ccc, now, rtt);
	/* An RTT above the parameter is knowledge too: no one need ask again. */
	if (flow->fixed_rtt || flow->far.on) {
		/* Above the guess it is to be confirmed first (core/far.h). */
		WRITE_ONCE(pdc->peer->far, false);
		WRITE_ONCE(pdc->peer->base_rtt, base);
	} else {
		uet_rtt_learned(flow);
	}
}

/**
 * uet_rtt_far() - a round trip while the peer seems farther away than the guess
 * @flow: the context, whose uet_flow.far is on
 * @rtt: round trip of a full packet, ns
 * @now: time, ns
 *
 * Context: softirq, flow lock held.
 */
void uet_rtt_far(struct uet_flow *flow, u64 rtt, u64 now)
{
	lockdep_assert_held(&flow->lock);
	if (!flow->guessed) {
		flow->far.on = false;
		return;
	}
	if (!uet_far_sample(&flow->far, now, rtt, uet_ccc_window(&flow->ccc),
			    flow->params.rate_mbps))
		return;
	uet_flow_measured(flow, flow->far.min, now);
	WRITE_ONCE(flow->peer->far, true);
	uet_rtt_learned(flow);
}

/**
 * uet_rtt_rise() - a round trip that is longer than the base RTT explains
 * @flow: the context
 * @rtt: round trip of a full packet, ns
 * @m: the packet was marked
 * @now: time, ns
 *
 * Context: softirq, flow lock held.
 */
void uet_rtt_rise(struct uet_flow *flow, u64 rtt, bool m, u64 now)
{
	u32 ms = READ_ONCE(flow->peer->fep->un->sysctl.nscc_base_rise_ms);

	lockdep_assert_held(&flow->lock);
	if (!ms || !flow->cfg || flow->far.on ||
	    !uet_rise_sample(&flow->rise, &flow->ccc, now, rtt, m,
			     (u64)ms * NSEC_PER_MSEC))
		return;
	UET_INC(flow->peer->fep->un, BASE_RTT_ROSE);
	uet_flow_measured(flow, flow->rise.min, now);
	WRITE_ONCE(flow->peer->far, true);
	uet_rtt_learned(flow);
}

/**
 * uet_rtt_fall() - a round trip that may be far shorter than the base RTT
 * @flow: the context
 * @rtt: round trip of a full packet, ns
 * @now: time, ns
 *
 * That a sample lowers the base RTT by a part only, or not at all if it seems
 * impossible, is meant for what is known better than one above the guess is.
 *
 * Context: softirq, flow lock held.
 */
void uet_rtt_fall(struct uet_flow *flow, u64 rtt, u64 now)
{
	u64 base;

	lockdep_assert_held(&flow->lock);
	if (!flow->cfg || flow->guessed ||
	    flow->params.base_rtt <= UET_BASE_RTT_DEFAULT_NS ||
	    !uet_fall_sample(&flow->fall, flow->params.base_rtt, rtt, &base))
		return;
	if (base <= UET_BASE_RTT_DEFAULT_NS)
		WRITE_ONCE(flow->peer->far, false);
	uet_flow_measured(flow, base, now);
	uet_rtt_learned(flow);
}

/**
 * uet_rtt_learned() - a context knows its base RTT
 * @flow: the context
 *
 * Neither a setting nor a guess is knowledge.
 *
 * Context: any.
 */
void uet_rtt_learned(const struct uet_flow *flow)
{
	if (!flow->guessed && !flow->fixed_rtt)
		WRITE_ONCE(flow->peer->base_rtt, flow->ccc.base_rtt);
}

