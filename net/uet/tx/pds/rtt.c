// SPDX-License-Identifier: GPL-2.0
/*
 * Base RTT of a peer (UE 1.0 3.6.13.7). A flow that starts while queues are
 * long never sees an empty path and would take a standing queue for propagation
 * delay. So it sends one probe in the traffic class of control packets once the
 * peer has answered, unless the base RTT is known from an earlier flow: struct
 * uet_peer keeps it, and link/rttcache.c after the peer is freed.
 */
#include <linux/ktime.h>

#include "link/encap.h"
#include "link/peer.h"
#include "mib.h"
#include "pdc/pdc.h"
#include "tx/cms/flow.h"
#include "tx/pds/half.h"
#include "tx/pds/rtt.h"

/**
 * uet_rtt_probe() - build a probe for the base RTT, if the CCC wants one
 * @pdc: a PDC that was answered
 * @ev: entropy value
 *
 * Context: softirq, flow lock held.
 * Return: the packet, to be sent after the lock; NULL if none is due.
 */
struct sk_buff *uet_rtt_probe(struct uet_pdc *pdc, u16 ev)
{
	struct uet_flow *flow = pdc->tx->flow;
	struct uet_cp cp = {
		.payload	= pdc->tx->snd.win.una,
		.probe_opaque	= UET_PROBE_RTT,
	};
	struct sk_buff_head list;

	lockdep_assert_held(&pdc->tx->flow->lock);
	if (pdc->tx->snd.state != UET_PDC_ESTABLISHED ||
	    uet_habit_nacks_probes(&pdc->peer->habits) ||
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
 * uet_rtt_probe_answer() - process the answer to a probe for the base RTT
 * @pdc: the PDC
 * @pkt: ACK with probe_opaque %UET_PROBE_RTT
 * @now: time, ns
 *
 * It proves no loss, since the probe may have overtaken data.
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
	/* Store an RTT above the parameter, too: no flow need probe again. */
	if (flow->fixed_rtt || flow->far.on) {
		/* Above the guess it must be confirmed first (core/cc/far.h). */
		WRITE_ONCE(pdc->peer->far, false);
		WRITE_ONCE(pdc->peer->base_rtt, base);
	} else {
		uet_flow_learned(flow);
	}
}

/**
 * uet_rtt_far() - sample a round trip while the base RTT seems > the guess
 * @flow: the flow, whose uet_flow.far is on
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
	uet_flow_learned(flow);
}

/**
 * uet_rtt_rise() - sample a round trip that the base RTT cannot explain
 * @flow: the flow
 * @rtt: round trip of a full packet, ns
 * @m: the packet had an ECN mark
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
	uet_flow_learned(flow);
}

/**
 * uet_rtt_fall() - sample a round trip that may be far below the base RTT
 * @flow: the flow
 * @rtt: round trip of a full packet, ns
 * @now: time, ns
 *
 * Normally a sample lowers the base RTT by a part only, or not at all if it is
 * implausible. A base RTT above the guess is not certain enough for that.
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
	uet_flow_learned(flow);
}
