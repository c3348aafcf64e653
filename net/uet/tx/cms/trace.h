/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tracepoints, events/uet/: what congestion control decided, with the values
 * before and after. See "Tracing" in Documentation/networking/uet.rst.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM uet

#if !defined(_UET_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define _UET_TRACE_H

#include <linux/tracepoint.h>

#include "link/peer.h"
#include "tx/cms/cctrace.h"
#include "tx/cms/flow.h"

int uet_cc_trace_on(void);
void uet_cc_trace_off(void);

#define UET_TRACE_DID							\
	{ UET_CC_DID_NO_RTT,	"no_rtt" },				\
	{ UET_CC_DID_IGNORE,	"draining" },				\
	{ UET_CC_DID_QA,	"quick_adapt" },			\
	{ UET_CC_DID_FAIR,	"fair" },				\
	{ UET_CC_DID_PROP,	"proportional" },			\
	{ UET_CC_DID_FAST,	"fast" },				\
	{ UET_CC_DID_HOLD,	"hold" },				\
	{ UET_CC_DID_MD,	"decrease" },				\
	{ UET_CC_DID_MD_GATED,	"decrease_gated" },			\
	{ UET_CC_DID_ETA,	"additive" },				\
	{ UET_CC_DID_ADJ,	"applied" },				\
	{ UET_CC_DID_UNUSED,	"unused" },				\
	{ UET_CC_DID_BASE_RTT,	"base_rtt" }

#define UET_TRACE_PEER							\
		__array(u8,	laddr, 16)				\
		__array(u8,	raddr, 16)				\
		__field(u8,	tclass)

#define UET_TRACE_SET_PEER(flow)					\
		memcpy(__entry->laddr, &(flow)->peer->key.laddr, 16);	\
		memcpy(__entry->raddr, &(flow)->peer->key.raddr, 16);	\
		__entry->tclass = (flow)->tclass

#define UET_TRACE_WINDOW						\
		__field(u64,	cwnd_was)				\
		__field(u64,	cwnd)					\
		__field(s64,	inflight)

#define UET_TRACE_SET_WINDOW(was, is)					\
		__entry->cwnd_was = (was)->cc.cwnd;			\
		__entry->cwnd = (is)->cc.cwnd;				\
		__entry->inflight = (is)->inflight

DECLARE_EVENT_CLASS(uet_cc_ack,
	TP_PROTO(const struct uet_flow *flow, const struct uet_ccc_ack *ack,
		 const struct uet_cc_look *was, const struct uet_cc_look *is),
	TP_ARGS(flow, ack, was, is),
	TP_STRUCT__entry(
		UET_TRACE_PEER
		UET_TRACE_WINDOW
		__field(u64,	rtt)
		__field(u64,	base_rtt_was)
		__field(u64,	base_rtt)
		__field(u64,	delay_was)
		__field(u64,	delay)
		__field(u32,	bytes)
		__field(u32,	did)
		__field(bool,	mark)
		__field(bool,	fast)
	),
	TP_fast_assign(
		UET_TRACE_SET_PEER(flow);
		UET_TRACE_SET_WINDOW(was, is);
		__entry->rtt = ack->rtt_valid ? ack->rtt : 0;
		__entry->base_rtt_was = was->base_rtt;
		__entry->base_rtt = is->base_rtt;
		__entry->delay_was = was->cc.avg_delay;
		__entry->delay = is->cc.avg_delay;
		__entry->bytes = ack->newly_rcvd_bytes;
		__entry->did = is->did;
		__entry->mark = ack->m;
		__entry->fast = is->cc.fast;
	),
	TP_printk("%pI6c > %pI6c tclass=%u cwnd=%llu->%llu inflight=%lld bytes=%u mark=%d rtt=%llu base_rtt=%llu->%llu delay=%llu->%llu fast=%d did=%s",
		  __entry->laddr, __entry->raddr, __entry->tclass,
		  __entry->cwnd_was, __entry->cwnd, __entry->inflight,
		  __entry->bytes, __entry->mark, __entry->rtt,
		  __entry->base_rtt_was, __entry->base_rtt,
		  __entry->delay_was, __entry->delay, __entry->fast,
		  __print_flags(__entry->did, "|", UET_TRACE_DID))
);

#define UET_CC_ACK_EVENT(name)						\
DEFINE_EVENT_FN(uet_cc_ack, name,					\
	TP_PROTO(const struct uet_flow *flow, const struct uet_ccc_ack *ack, \
		 const struct uet_cc_look *was,				\
		 const struct uet_cc_look *is),				\
	TP_ARGS(flow, ack, was, is), uet_cc_trace_on, uet_cc_trace_off)

UET_CC_ACK_EVENT(uet_cc_quadrant);
UET_CC_ACK_EVENT(uet_cc_quick_adapt);
UET_CC_ACK_EVENT(uet_cc_fast_increase);

TRACE_EVENT_FN(uet_cc_dfc,
	TP_PROTO(const struct uet_flow *flow, const struct uet_ccc_ack *ack,
		 const struct uet_cc_look *was, const struct uet_cc_look *is),
	TP_ARGS(flow, ack, was, is),
	TP_STRUCT__entry(
		UET_TRACE_PEER
		UET_TRACE_WINDOW
		__field(u64,	saved_was)
		__field(u64,	saved)
		__field(u32,	did)
		__field(u8,	pend)
	),
	TP_fast_assign(
		UET_TRACE_SET_PEER(flow);
		UET_TRACE_SET_WINDOW(was, is);
		__entry->saved_was = was->cc.saved_cwnd;
		__entry->saved = is->cc.saved_cwnd;
		__entry->did = is->did;
		__entry->pend = ack->pend;
	),
	TP_printk("%pI6c > %pI6c tclass=%u cwnd=%llu->%llu inflight=%lld saved=%llu->%llu pend=%u did=%s",
		  __entry->laddr, __entry->raddr, __entry->tclass,
		  __entry->cwnd_was, __entry->cwnd, __entry->inflight,
		  __entry->saved_was, __entry->saved, __entry->pend,
		  __print_flags(__entry->did, "|",
				{ UET_CC_DID_DFC, "penalty" },
				{ UET_CC_DID_RESTORE, "restore" },
				{ UET_CC_DID_DFC_END, "end" })),
	uet_cc_trace_on, uet_cc_trace_off
);

TRACE_EVENT_FN(uet_cc_credit,
	TP_PROTO(const struct uet_flow *flow, const struct uet_cc_look *was,
		 const struct uet_cc_look *is),
	TP_ARGS(flow, was, is),
	TP_STRUCT__entry(
		UET_TRACE_PEER
		__field(s64,	credit_was)
		__field(s64,	credit)
		__field(u32,	granted_was)
		__field(u32,	granted)
	),
	TP_fast_assign(
		UET_TRACE_SET_PEER(flow);
		__entry->credit_was = was->cc.credit;
		__entry->credit = is->cc.credit;
		__entry->granted_was = was->cc.granted;
		__entry->granted = is->cc.granted;
	),
	TP_printk("%pI6c > %pI6c tclass=%u credit=%lld->%lld granted=%u->%u",
		  __entry->laddr, __entry->raddr, __entry->tclass,
		  __entry->credit_was, __entry->credit,
		  __entry->granted_was, __entry->granted),
	uet_cc_trace_on, uet_cc_trace_off
);

/* Numbers behind the words, for trace-cmd and perf, which read the format alone */
TRACE_DEFINE_ENUM(UET_LOSS_RTO);
TRACE_DEFINE_ENUM(UET_LOSS_OOO);
TRACE_DEFINE_ENUM(UET_LOSS_SACK);
TRACE_DEFINE_ENUM(UET_LOSS_PROBE);
TRACE_DEFINE_ENUM(UET_LOSS_GO_BACK);
TRACE_DEFINE_ENUM(UET_LOSS_LOCAL);
TRACE_DEFINE_ENUM(UET_NACKED_TRIMMED);
TRACE_DEFINE_ENUM(UET_NACKED_LASTHOP);
TRACE_DEFINE_ENUM(UET_NACKED_OTHER);
TRACE_DEFINE_ENUM(UET_NACKED_LOST);

#define UET_TRACE_PACKET(name, words...)				\
TRACE_EVENT_FN(name,							\
	TP_PROTO(const struct uet_flow *flow, u32 size, u16 ev, u8 why,	\
		 const struct uet_cc_look *was,				\
		 const struct uet_cc_look *is),				\
	TP_ARGS(flow, size, ev, why, was, is),				\
	TP_STRUCT__entry(						\
		UET_TRACE_PEER						\
		UET_TRACE_WINDOW					\
		__field(u32,	size)					\
		__field(u16,	ev)					\
		__field(u8,	why)					\
	),								\
	TP_fast_assign(							\
		UET_TRACE_SET_PEER(flow);				\
		UET_TRACE_SET_WINDOW(was, is);				\
		__entry->size = size;					\
		__entry->ev = ev;					\
		__entry->why = why;					\
	),								\
	TP_printk("%pI6c > %pI6c tclass=%u cwnd=%llu->%llu inflight=%lld size=%u ev=%u why=%s", \
		  __entry->laddr, __entry->raddr, __entry->tclass,	\
		  __entry->cwnd_was, __entry->cwnd, __entry->inflight,	\
		  __entry->size, __entry->ev,				\
		  __print_symbolic(__entry->why, words)),		\
	uet_cc_trace_on, uet_cc_trace_off				\
)

UET_TRACE_PACKET(uet_cc_loss,
		 { UET_LOSS_RTO, "timeout" },
		 { UET_LOSS_OOO, "out_of_order" },
		 { UET_LOSS_SACK, "sack" },
		 { UET_LOSS_PROBE, "probe" },
		 { UET_LOSS_GO_BACK, "go_back" },
		 { UET_LOSS_LOCAL, "local_drop" });

UET_TRACE_PACKET(uet_cc_refused,
		 { UET_NACKED_TRIMMED, "trimmed" },
		 { UET_NACKED_LASTHOP, "trimmed_lasthop" },
		 { UET_NACKED_OTHER, "other" },
		 { UET_NACKED_LOST, "lost" });

TRACE_EVENT(uet_cc_wait,
	TP_PROTO(const struct uet_flow *flow),
	TP_ARGS(flow),
	TP_STRUCT__entry(
		UET_TRACE_PEER
		__field(u64,	cwnd)
		__field(u64,	backlog)
		__field(s64,	inflight)
		__field(u8,	why)
	),
	TP_fast_assign(
		UET_TRACE_SET_PEER(flow);
		__entry->cwnd = uet_ccc_window(&flow->ccc);
		__entry->backlog = flow->ccc.backlog + flow->ccc.rtx_backlog;
		__entry->inflight = flow->ccc.inflight;
		__entry->why = flow->ccc.blocked;
	),
	TP_printk("%pI6c > %pI6c tclass=%u cwnd=%llu inflight=%lld backlog=%llu why=%s",
		  __entry->laddr, __entry->raddr, __entry->tclass,
		  __entry->cwnd, __entry->inflight, __entry->backlog,
		  __print_flags(__entry->why, "|",
				{ UET_CC_BLOCK_WINDOW, "window" },
				{ UET_CC_BLOCK_CREDIT, "credit" }))
);

#endif /* _UET_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
