/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tracepoints of path selection: each choice of an entropy value, the feedback
 * for it, and the events that the policy derives.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM uet_path

#if !defined(_UET_TRACE_PATH_H) || defined(TRACE_HEADER_MULTI_READ)
#define _UET_TRACE_PATH_H

#include <linux/tracepoint.h>

#include "link/peer.h"
#include "tx/cms/flow.h"
#include "tx/cms/path.h"

/* Numbers behind the words, for trace-cmd and perf, which read the format alone */
TRACE_DEFINE_ENUM(UET_LB_NO_ECN);
TRACE_DEFINE_ENUM(UET_LB_ECN);
TRACE_DEFINE_ENUM(UET_LB_NACK);
TRACE_DEFINE_ENUM(UET_LB_TIMEOUT);
TRACE_DEFINE_ENUM(UET_PATH_BAD);
TRACE_DEFINE_ENUM(UET_PATH_GOOD);
TRACE_DEFINE_ENUM(UET_PATH_MOVED);
TRACE_DEFINE_ENUM(UET_PATH_FROZEN);
TRACE_DEFINE_ENUM(UET_PATH_THAWED);
TRACE_DEFINE_ENUM(UET_PATH_SATURATED);
TRACE_DEFINE_ENUM(UET_PATH_RESIZED);
TRACE_DEFINE_ENUM(UET_PATH_PORT_DOWN);
TRACE_DEFINE_ENUM(UET_PATH_PORT_UP);

#define uet_show_reason(r)						\
	__print_symbolic(r,						\
		{ UET_LB_NO_ECN,	"clear" },			\
		{ UET_LB_ECN,		"marked" },			\
		{ UET_LB_NACK,		"trimmed" },			\
		{ UET_LB_TIMEOUT,	"lost" })

#define uet_show_path_event(e)						\
	__print_symbolic(e,						\
		{ UET_PATH_BAD,		"bad" },			\
		{ UET_PATH_GOOD,	"good" },			\
		{ UET_PATH_MOVED,	"moved" },			\
		{ UET_PATH_FROZEN,	"frozen" },			\
		{ UET_PATH_THAWED,	"thawed" },			\
		{ UET_PATH_SATURATED,	"saturated" },			\
		{ UET_PATH_RESIZED,	"resized" },			\
		{ UET_PATH_PORT_DOWN,	"port down" },			\
		{ UET_PATH_PORT_UP,	"port up" })

TRACE_EVENT(uet_path_choose,
	    TP_PROTO(const struct uet_flow *flow, const struct uet_ccc_ask *ask,
		     const struct uet_ccc_send *send),
	    TP_ARGS(flow, ask, send),
	    TP_STRUCT__entry(__array(u8, raddr, 16)
			     __field(u8, tclass)
			     __field(bool, rtx)
			     __field(u16, ev)
			     __field(u16, run)
			     __field(u16, prev_ev)
			     __field(u32, size)),
	    TP_fast_assign(memcpy(__entry->raddr, &flow->peer->key.raddr, 16);
			   __entry->tclass = flow->tclass;
			   __entry->rtx = ask->rtx;
			   __entry->ev = send->ev;
			   __entry->run = send->run;
			   __entry->prev_ev = ask->prev_ev;
			   __entry->size = ask->size;),
	    TP_printk("peer=%pI6c tclass=%u ev=%u run=%u size=%u rtx=%u prev_ev=%u",
		      __entry->raddr, __entry->tclass, __entry->ev, __entry->run,
		      __entry->size, __entry->rtx, __entry->prev_ev));

TRACE_EVENT(uet_path_signal,
	    TP_PROTO(const struct uet_flow *flow, u16 ev, u8 reason, u64 rtt),
	    TP_ARGS(flow, ev, reason, rtt),
	    TP_STRUCT__entry(__array(u8, raddr, 16)
			     __field(u64, rtt)
			     __field(u16, ev)
			     __field(u8, tclass)
			     __field(u8, reason)),
	    TP_fast_assign(memcpy(__entry->raddr, &flow->peer->key.raddr, 16);
			   __entry->rtt = rtt;
			   __entry->ev = ev;
			   __entry->tclass = flow->tclass;
			   __entry->reason = reason;),
	    TP_printk("peer=%pI6c tclass=%u ev=%u %s rtt=%llu", __entry->raddr,
		      __entry->tclass, __entry->ev,
		      uet_show_reason(__entry->reason), __entry->rtt));

TRACE_EVENT(uet_path_event,
	    TP_PROTO(const struct uet_flow *flow, unsigned long what, u16 ev,
		     int ifindex),
	    TP_ARGS(flow, what, ev, ifindex),
	    TP_STRUCT__entry(__array(u8, raddr, 16)
			     __field(int, ifindex)
			     __field(u16, ev)
			     __field(u8, tclass)
			     __field(u8, what)),
	    TP_fast_assign(memcpy(__entry->raddr, &flow->peer->key.raddr, 16);
			   __entry->ifindex = ifindex;
			   __entry->ev = ev;
			   __entry->tclass = flow->tclass;
			   __entry->what = (u8)what;),
	    TP_printk("peer=%pI6c tclass=%u ev=%u ifindex=%d %s", __entry->raddr,
		      __entry->tclass, __entry->ev, __entry->ifindex,
		      uet_show_path_event(__entry->what)));

#endif /* _UET_TRACE_PATH_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace_path
#include <trace/define_trace.h>
