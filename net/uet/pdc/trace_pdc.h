/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tracepoint events/uet_pdc/uet_pdc_event: a PDC is opened here, accepted from a
 * peer, used in the return direction, closed, or failed.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM uet_pdc

#if !defined(_UET_TRACE_PDC_H) || defined(TRACE_HEADER_MULTI_READ)
#define _UET_TRACE_PDC_H

#include <linux/tracepoint.h>

#include "link/peer.h"
#include "pdc/pdc.h"

/* Numbers behind the words, for trace-cmd and perf, which read the format alone */
TRACE_DEFINE_ENUM(UET_PDC_OPENED);
TRACE_DEFINE_ENUM(UET_PDC_ACCEPTED);
TRACE_DEFINE_ENUM(UET_PDC_RETURNED);
TRACE_DEFINE_ENUM(UET_PDC_CLOSED);
TRACE_DEFINE_ENUM(UET_PDC_FAILED);

#define uet_show_pdc_event(e)						\
	__print_symbolic(e,						\
		{ UET_PDC_OPENED,	"opened" },			\
		{ UET_PDC_ACCEPTED,	"accepted" },			\
		{ UET_PDC_RETURNED,	"returned" },			\
		{ UET_PDC_CLOSED,	"closed" },			\
		{ UET_PDC_FAILED,	"failed" })

TRACE_EVENT(uet_pdc_event,
	    TP_PROTO(const struct uet_pdc *pdc, u8 what, int error),
	    TP_ARGS(pdc, what, error),
	    TP_STRUCT__entry(__array(u8, laddr, 16)
			     __array(u8, raddr, 16)
			     __field(u32, job)
			     __field(u16, id)
			     __field(u16, remote_id)
			     __field(u8, what)
			     __field(bool, rod)
			     __field(bool, initiator)
			     __field(int, error)),
	    TP_fast_assign(memcpy(__entry->laddr, &pdc->peer->key.laddr, 16);
			   memcpy(__entry->raddr, &pdc->peer->key.raddr, 16);
			   __entry->job = pdc->job;
			   __entry->id = pdc->id;
			   __entry->remote_id = pdc->remote_id;
			   __entry->what = what;
			   __entry->rod = pdc->rod;
			   __entry->initiator = pdc->initiator;
			   __entry->error = error;),
	    TP_printk("%pI6c - %pI6c %s id=%u remote=%u job=%u rod=%d initiator=%d error=%d",
		      __entry->laddr, __entry->raddr,
		      uet_show_pdc_event(__entry->what), __entry->id,
		      __entry->remote_id, __entry->job, __entry->rod,
		      __entry->initiator, __entry->error));

#endif /* _UET_TRACE_PDC_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace_pdc
#include <trace/define_trace.h>
