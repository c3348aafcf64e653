// SPDX-License-Identifier: GPL-2.0
/*
 * Tracepoints around the events of congestion control: the state of a CCC
 * before and after each.
 *
 * Not here: the tracepoints (tx/cms/trace.h), the algorithms (core/).
 */
#include "link/peer.h"
#include "tx/cms/cctrace.h"

#define CREATE_TRACE_POINTS
#include "tx/cms/trace.h"

/* Decisions of the four quadrants of ECN mark and queueing delay */
#define UET_CC_QUADRANTS	(UET_CC_DID_FAIR | UET_CC_DID_PROP |	\
				 UET_CC_DID_FAST | UET_CC_DID_HOLD |	\
				 UET_CC_DID_MD | UET_CC_DID_MD_GATED |	\
				 UET_CC_DID_UNUSED | UET_CC_DID_IGNORE |	\
				 UET_CC_DID_NO_RTT)
#define UET_CC_DFCS		(UET_CC_DID_DFC | UET_CC_DID_RESTORE |	\
				 UET_CC_DID_DFC_END)

DEFINE_STATIC_KEY_FALSE(uet_cc_tracing);

/* Called for each tracepoint that is enabled */
int uet_cc_trace_on(void)
{
	static_branch_inc(&uet_cc_tracing);
	return 0;
}

void uet_cc_trace_off(void)
{
	static_branch_dec(&uet_cc_tracing);
}

static void uet_cc_look(const struct uet_flow *flow, struct uet_cc_look *look)
{
	const struct uet_ccc *ccc = &flow->ccc;

	uet_ccc_info(ccc, &look->cc);
	look->cc.cwnd = uet_ccc_window(ccc);
	look->inflight = ccc->inflight;
	look->base_rtt = ccc->base_rtt;
	look->did = ccc->did;
}

/**
 * uet_cc_trace_ack() - uet_cc_ack() with tracepoints
 * @flow: the flow
 * @ack: what arrived
 *
 * Context: flow lock held.
 */
void uet_cc_trace_ack(struct uet_flow *flow, const struct uet_ccc_ack *ack)
{
	struct uet_cc_look was, is;

	lockdep_assert_held(&flow->lock);
	uet_cc_look(flow, &was);
	uet_ccc_on_ack(&flow->ccc, ack);
	uet_cc_look(flow, &is);
	if (is.did & UET_CC_DFCS)
		trace_uet_cc_dfc(flow, ack, &was, &is);
	if (is.did & UET_CC_DID_QA)
		trace_uet_cc_quick_adapt(flow, ack, &was, &is);
	if (is.did & UET_CC_QUADRANTS)
		trace_uet_cc_quadrant(flow, ack, &was, &is);
	if (is.cc.fast != was.cc.fast)
		trace_uet_cc_fast_increase(flow, ack, &was, &is);
}

/**
 * uet_cc_trace_nack() - uet_cc_nack() with tracepoints
 * @flow: the flow
 * @nack: what arrived
 *
 * Context: flow lock held.
 */
void uet_cc_trace_nack(struct uet_flow *flow, const struct uet_ccc_nack *nack)
{
	const struct uet_ccc_ack ack = {
		.now		= nack->now,
		.rtt		= nack->rtt,
		.rtt_valid	= nack->rtt_valid,
		.m		= nack->m,
	};
	struct uet_cc_look was, is;

	lockdep_assert_held(&flow->lock);
	uet_cc_look(flow, &was);
	uet_ccc_on_nack(&flow->ccc, nack);
	uet_cc_look(flow, &is);
	trace_uet_cc_refused(flow, nack->size, nack->ev, nack->reason, &was,
			     &is);
	if (is.did & UET_CC_DID_QA)
		trace_uet_cc_quick_adapt(flow, &ack, &was, &is);
}

/**
 * uet_cc_trace_loss() - uet_cc_loss() with tracepoints
 * @flow: the flow
 * @loss: the packet
 *
 * Context: flow lock held.
 */
void uet_cc_trace_loss(struct uet_flow *flow, const struct uet_ccc_loss *loss)
{
	struct uet_cc_look was, is;

	lockdep_assert_held(&flow->lock);
	uet_cc_look(flow, &was);
	uet_ccc_on_inferred_loss(&flow->ccc, loss);
	uet_cc_look(flow, &is);
	trace_uet_cc_loss(flow, loss->size, loss->ev, loss->how, &was, &is);
}

/**
 * uet_cc_trace_credit() - uet_cc_credit() with tracepoints
 * @flow: the flow
 * @now: time, ns
 * @credit: field of the ACK or CREDIT packet
 *
 * Context: flow lock held.
 */
void uet_cc_trace_credit(struct uet_flow *flow, u64 now, u32 credit)
{
	struct uet_cc_look was, is;

	lockdep_assert_held(&flow->lock);
	uet_cc_look(flow, &was);
	uet_ccc_on_credit(&flow->ccc, now, credit);
	uet_cc_look(flow, &is);
	trace_uet_cc_credit(flow, &was, &is);
}
