/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tracepoint events/uet/uet_drop: a packet is dropped; "why" is the name of its
 * counter in /proc/net/uet_stat. "skbaddr" finds the same packet in other events,
 * such as skb:kfree_skb.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM uet

#if !defined(_UET_TRACE_DROP_H) || defined(TRACE_HEADER_MULTI_READ)
#define _UET_TRACE_DROP_H

#include <linux/skbuff.h>
#include <linux/tracepoint.h>

#include "base.h"
#include "link/drop.h"
#include "mib.h"

#define UET_TRACE_NAME	24

TRACE_EVENT(uet_drop,
	    TP_PROTO(const struct uet_net *un, const struct sk_buff *skb,
		     u8 mib, const struct uet_drop_from *from),
	    TP_ARGS(un, skb, mib, from),
	    TP_STRUCT__entry(__field(const void *, skbaddr)
			     __array(u8, saddr, 16)
			     __array(u8, daddr, 16)
			     __array(char, why, UET_TRACE_NAME)
			     __field(u32, netns)
			     __field(u32, len)
			     __field(u16, spdcid)
			     __field(u16, dpdcid)
			     __field(u8, type)),
	    TP_fast_assign(__entry->skbaddr = skb;
			   memcpy(__entry->saddr, &from->saddr, 16);
			   memcpy(__entry->daddr, &from->daddr, 16);
			   strscpy(__entry->why, uet_mib_name_of(mib),
				   UET_TRACE_NAME);
			   __entry->netns = un->net->ns.inum;
			   __entry->len = skb ? skb->len : 0;
			   __entry->spdcid = from->spdcid;
			   __entry->dpdcid = from->dpdcid;
			   __entry->type = from->type;),
	    TP_printk("%pI6c > %pI6c %s type=%u spdcid=%u dpdcid=%u len=%u netns=%u skbaddr=%p",
		      __entry->saddr, __entry->daddr, __entry->why,
		      __entry->type, __entry->spdcid, __entry->dpdcid,
		      __entry->len, __entry->netns, __entry->skbaddr));

#endif /* _UET_TRACE_DROP_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace_drop
#include <trace/define_trace.h>
