/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tracepoints, events/uet_msg/: a message is handed over by its sender; it was
 * delivered or has failed. "msg" is the same in both.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM uet_msg

#if !defined(_UET_TRACE_MSG_H) || defined(TRACE_HEADER_MULTI_READ)
#define _UET_TRACE_MSG_H

#include <linux/tracepoint.h>

#include "tx/msg/txmsg.h"

TRACE_EVENT(uet_msg_queued,
	    TP_PROTO(const struct uet_txmsg *msg),
	    TP_ARGS(msg),
	    TP_STRUCT__entry(__field(const void *, msg)
			     __array(u8, raddr, 16)
			     __field(u64, cookie)
			     __field(u32, job)
			     __field(u32, len)
			     __field(u16, pid)
			     __field(u16, ri)),
	    TP_fast_assign(__entry->msg = msg;
			   memcpy(__entry->raddr, &msg->dest->key.raddr, 16);
			   __entry->cookie = msg->cookie;
			   __entry->job = msg->dest->key.job;
			   __entry->len = msg->m.len;
			   __entry->pid = msg->dest->key.pid;
			   __entry->ri = msg->dest->key.ri;),
	    TP_printk("%pI6c/%u/%u job=%u cookie=%llu len=%u msg=%p",
		      __entry->raddr, __entry->pid, __entry->ri, __entry->job,
		      __entry->cookie, __entry->len, __entry->msg));

TRACE_EVENT(uet_msg_done,
	    TP_PROTO(const struct uet_txmsg *msg, int error, u8 source, u16 code),
	    TP_ARGS(msg, error, source, code),
	    TP_STRUCT__entry(__field(const void *, msg)
			     __array(u8, raddr, 16)
			     __field(u64, cookie)
			     __field(u32, job)
			     __field(u32, len)
			     __field(u32, sent)
			     __field(u16, pid)
			     __field(u16, ri)
			     __field(u16, code)
			     __field(u8, source)
			     __field(int, error)),
	    TP_fast_assign(__entry->msg = msg;
			   memcpy(__entry->raddr, &msg->dest->key.raddr, 16);
			   __entry->cookie = msg->cookie;
			   __entry->job = msg->dest->key.job;
			   __entry->len = msg->m.len;
			   __entry->sent = msg->m.sent;
			   __entry->pid = msg->dest->key.pid;
			   __entry->ri = msg->dest->key.ri;
			   __entry->code = code;
			   __entry->source = source;
			   __entry->error = error < 0 ? -error : error;),
	    TP_printk("%pI6c/%u/%u job=%u cookie=%llu len=%u sent=%u error=%d source=%u code=%u msg=%p",
		      __entry->raddr, __entry->pid, __entry->ri, __entry->job,
		      __entry->cookie, __entry->len, __entry->sent,
		      __entry->error, __entry->source, __entry->code,
		      __entry->msg));

#endif /* _UET_TRACE_MSG_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace_msg
#include <trace/define_trace.h>
