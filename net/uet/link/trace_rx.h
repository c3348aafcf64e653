/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tracepoint events/uet_rx/uet_drop: a received packet is dropped; "why" is the
 * name of its counter in /proc/net/uet_stat.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM uet_rx

#if !defined(_UET_TRACE_RX_H) || defined(TRACE_HEADER_MULTI_READ)
#define _UET_TRACE_RX_H

#include <linux/tracepoint.h>

#include "link/packet.h"

#define UET_TRACE_NAME	24

TRACE_EVENT(uet_drop,
	    TP_PROTO(const struct uet_rx_ctx *rx),
	    TP_ARGS(rx),
	    TP_STRUCT__entry(__array(u8, saddr, 16)
			     __array(u8, daddr, 16)
			     __array(char, why, UET_TRACE_NAME)
			     __field(u8, type)
			     __field(u16, spdcid)
			     __field(u16, dpdcid)
			     __field(u32, len)),
	    TP_fast_assign(memcpy(__entry->saddr, &rx->saddr, 16);
			   memcpy(__entry->daddr, &rx->daddr, 16);
			   strscpy(__entry->why, uet_mib_name_of(rx->drop),
				   UET_TRACE_NAME);
			   __entry->type = rx->pkt->type;
			   __entry->spdcid = rx->pkt->spdcid;
			   __entry->dpdcid = rx->pkt->dpdcid;
			   __entry->len = rx->skb->len;),
	    TP_printk("%pI6c > %pI6c %s type=%u spdcid=%u dpdcid=%u len=%u",
		      __entry->saddr, __entry->daddr, __entry->why,
		      __entry->type, __entry->spdcid, __entry->dpdcid,
		      __entry->len));

#endif /* _UET_TRACE_RX_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace_rx
#include <trace/define_trace.h>
