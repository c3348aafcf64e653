/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Hand the events of congestion control to the core. The core traces nothing;
 * it reports its decisions in uet_ccc.did, and the wrappers here trace them
 * with the state before and after. With tracing off they cost a static branch.
 */
#ifndef _UET_CCTRACE_H
#define _UET_CCTRACE_H

#include <linux/jump_label.h>

#include "tx/cms/flow.h"

/**
 * struct uet_cc_look - snapshot of a CCC
 * @cc: state of its algorithms
 * @inflight: bytes
 * @base_rtt: ns
 * @did: decisions of the last event
 */
struct uet_cc_look {
	struct uet_cc_info	cc;
	s64			inflight;
	u64			base_rtt;
	u32			did;
};

DECLARE_STATIC_KEY_FALSE(uet_cc_tracing);

void uet_cc_trace_ack(struct uet_flow *flow, const struct uet_ccc_ack *ack);
void uet_cc_trace_nack(struct uet_flow *flow, const struct uet_ccc_nack *nack);
void uet_cc_trace_loss(struct uet_flow *flow, const struct uet_ccc_loss *loss);
void uet_cc_trace_credit(struct uet_flow *flow, u64 now, u32 credit);

/* An ACK arrived. Flow lock held, also for the functions below. */
static inline void uet_cc_ack(struct uet_flow *flow,
			      const struct uet_ccc_ack *ack)
{
	if (static_branch_unlikely(&uet_cc_tracing))
		uet_cc_trace_ack(flow, ack);
	else
		uet_ccc_on_ack(&flow->ccc, ack);
}

/* A packet was NACKed. */
static inline void uet_cc_nack(struct uet_flow *flow,
			       const struct uet_ccc_nack *nack)
{
	if (static_branch_unlikely(&uet_cc_tracing))
		uet_cc_trace_nack(flow, nack);
	else
		uet_ccc_on_nack(&flow->ccc, nack);
}

/* A packet was declared lost. */
static inline void uet_cc_loss(struct uet_flow *flow,
			       const struct uet_ccc_loss *loss)
{
	if (static_branch_unlikely(&uet_cc_tracing))
		uet_cc_trace_loss(flow, loss);
	else
		uet_ccc_on_inferred_loss(&flow->ccc, loss);
}

/* Credit was granted. */
static inline void uet_cc_credit(struct uet_flow *flow, u64 now, u32 credit)
{
	if (static_branch_unlikely(&uet_cc_tracing))
		uet_cc_trace_credit(flow, now, credit);
	else
		uet_ccc_on_credit(&flow->ccc, now, credit);
}

#endif /* _UET_CCTRACE_H */
