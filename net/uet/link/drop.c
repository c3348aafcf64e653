// SPDX-License-Identifier: GPL-2.0
/*
 * Dropped packets: a counter, a tracepoint and the kernel's reason for each cause.
 *
 * A module cannot add reasons to the kernel: drop_reasons_register_subsys() takes
 * the subsystems of an enum in the kernel's headers, all of which have an owner.
 * Those whose name says TCP are not used, even if they would be nearer: who sees
 * one looks for trouble of TCP.
 */
#include <linux/bitfield.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/netfilter.h>
#include <net/ipv6.h>

#include "base.h"
#include "compat.h"
#include "core/wire/bytes.h"
#include "core/wire/wire.h"
#include "link/drop.h"
#include "link/packet.h"
#include "link/peer.h"
#include "mib.h"

#define CREATE_TRACE_POINTS
#include "link/trace_drop.h"

/* A line per cause: its counter and the kernel's reason */
#define UET_DROP_AS(counter, reason)					\
	{ .mib = UET_MIB_##counter, .skb = SKB_DROP_REASON_##reason }

static const struct {
	u8			mib;
	enum skb_drop_reason	skb;
} uet_drops[UET_DROPS] = {
	[UET_DROP_NETNS]	= UET_DROP_AS(DROP_NET, NO_SOCKET),
	[UET_DROP_SHORT]	= UET_DROP_AS(DROP_SHORT, PKT_TOO_SMALL),
	[UET_DROP_MALFORMED]	= UET_DROP_AS(DROP_PARSE, INVALID_PROTO),
	[UET_DROP_TYPE]		= UET_DROP_AS(DROP_TYPE, UNHANDLED_PROTO),
	[UET_DROP_CRC]		= UET_DROP_AS(DROP_CRC, UDP_CSUM),
	[UET_DROP_CSUM]		= UET_DROP_AS(DROP_CSUM, UDP_CSUM),
	[UET_DROP_NOMEM]	= UET_DROP_AS(DROP_NOMEM, NOMEM),
	[UET_DROP_NO_PDC]	= UET_DROP_AS(DROP_NO_PDC, NO_SOCKET),
	[UET_DROP_PEER]		= UET_DROP_AS(DROP_PEER, NO_SOCKET),
	[UET_DROP_JOB]		= UET_DROP_AS(DROP_JOB, SOCKET_FILTER),
	[UET_DROP_FILTER]	= UET_DROP_AS(DROP_FILTER, SOCKET_FILTER),
	[UET_DROP_NO_SOCKET]	= UET_DROP_AS(DROP_NO_SOCKET, NO_SOCKET),
	[UET_DROP_ENDPOINT]	= UET_DROP_AS(DROP_ENDPOINT, NO_SOCKET),
	[UET_DROP_TOO_LONG]	= UET_DROP_AS(DROP_TOO_LONG, PKT_TOO_BIG),
	[UET_DROP_KEY]		= UET_DROP_AS(DROP_KEY, NO_SOCKET),
	[UET_DROP_RANGE]	= UET_DROP_AS(DROP_RANGE, PKT_TOO_BIG),
	[UET_DROP_VIOLATION]	= UET_DROP_AS(DROP_VIOLATION, INVALID_PROTO),
	[UET_DROP_MODE]		= UET_DROP_AS(DROP_MODE, INVALID_PROTO),
	[UET_DROP_SYN]		= UET_DROP_AS(DROP_SYN, INVALID_PROTO),
	[UET_DROP_WINDOW]	= UET_DROP_AS(DROP_WINDOW, INVALID_PROTO),
	[UET_DROP_GAP]		= UET_DROP_AS(DROP_GAP, NOT_SPECIFIED),
	[UET_DROP_STALE]	= UET_DROP_AS(DROP_STALE, NOT_SPECIFIED),
	[UET_DROP_DUP]		= UET_DROP_AS(RX_DUPS, DUP_FRAG),
	[UET_DROP_ACK]		= UET_DROP_AS(DROP_ACK, INVALID_PROTO),
	[UET_DROP_NACK]		= UET_DROP_AS(DROP_NACK, INVALID_PROTO),
	[UET_DROP_CLEAR]	= UET_DROP_AS(DROP_CLEAR, INVALID_PROTO),
	[UET_DROP_STATE]	= UET_DROP_AS(DROP_STATE, NOT_SPECIFIED),
	[UET_DROP_ENDED]	= UET_DROP_AS(DROP_ENDED, NOT_SPECIFIED),
	[UET_DROP_REFUSED]	= UET_DROP_AS(PDC_REFUSED, PROTO_MEM),
	[UET_DROP_SHORTAGE]	= UET_DROP_AS(SHORTAGE, SOCKET_RCVBUFF),
	[UET_DROP_NO_ROOM]	= UET_DROP_AS(DROP_NO_ROOM, SOCKET_RCVBUFF),
	[UET_DROP_MIXED]	= UET_DROP_AS(MSG_MIXED, SOCKET_RCVBUFF),
	[UET_DROP_DEFERRED]	= UET_DROP_AS(MSG_PUT_OFF, SOCKET_RCVBUFF),
	[UET_DROP_NO_MATCH]	= UET_DROP_AS(MSG_NO_MATCH, SOCKET_RCVBUFF),
	[UET_DROP_UNREAD]	= UET_DROP_AS(DROP_UNREAD, QUEUE_PURGE),
	[UET_DROP_REPORT]	= UET_DROP_AS(REPORT_LOST, SOCKET_RCVBUFF),
	[UET_DROP_TX_ROUTE]	= UET_DROP_AS(TX_ERRORS, IP_OUTNOROUTES),
	[UET_DROP_TX_NOMEM]	= UET_DROP_AS(DROP_TX_NOMEM, NOMEM),
	[UET_DROP_GUARD]	= UET_DROP_AS(TX_GUARDED, NETFILTER_DROP),
};

static_assert(UET_MIB_MAX <= U8_MAX);

/* Count a drop, and tell the tracepoint; @skb may be NULL. */
static void uet_drop_tell(struct uet_net *un, const struct sk_buff *skb,
			  enum uet_drop why, const struct uet_drop_from *from)
{
	this_cpu_inc(un->mib->items[uet_drops[why].mib]);
	trace_uet_drop(un, skb, uet_drops[why].mib, from);
}

static void uet_drop_free(struct sk_buff *skb, enum uet_drop why)
{
	kfree_skb_reason(skb, uet_drops[why].skb);
}

/* Addresses by the IP header, if it is still there */
static void uet_drop_addrs(const struct sk_buff *skb,
			   struct uet_drop_from *from)
{
	if (skb->protocol == htons(ETH_P_IP)) {
		ipv6_addr_set_v4mapped(ip_hdr(skb)->saddr, &from->saddr);
		ipv6_addr_set_v4mapped(ip_hdr(skb)->daddr, &from->daddr);
	} else if (skb->protocol == htons(ETH_P_IPV6)) {
		from->saddr = ipv6_hdr(skb)->saddr;
		from->daddr = ipv6_hdr(skb)->daddr;
	}
}

/**
 * uet_drop() - drop a packet of which nothing else is known
 * @un: namespace
 * @skb: the packet; NULL if it could not even be allocated
 * @why: the cause
 *
 * Context: any.
 */
void uet_drop(struct uet_net *un, struct sk_buff *skb, enum uet_drop why)
{
	struct uet_drop_from from = {};

	if (skb && trace_uet_drop_enabled())
		uet_drop_addrs(skb, &from);
	uet_drop_tell(un, skb, why, &from);
	uet_drop_free(skb, why);
}

/**
 * uet_drop_list() - drop packets
 * @un: namespace
 * @list: the packets; empty afterwards
 * @why: the cause
 *
 * Context: any.
 */
void uet_drop_list(struct uet_net *un, struct sk_buff_head *list,
		   enum uet_drop why)
{
	struct sk_buff *skb;

	while ((skb = __skb_dequeue(list)))
		uet_drop(un, skb, why);
}

/**
 * uet_drop_rx() - drop a received packet
 * @rx: the packet, @rx->drop says why
 *
 * Context: softirq.
 */
void uet_drop_rx(const struct uet_rx_ctx *rx)
{
	struct uet_drop_from from = {};

	if (trace_uet_drop_enabled())
		from = (struct uet_drop_from){
			.saddr	= rx->saddr,
			.daddr	= rx->daddr,
			.type	= rx->pkt->type,
			.spdcid	= rx->pkt->spdcid,
			.dpdcid	= rx->pkt->dpdcid,
		};
	uet_drop_tell(rx->un, rx->skb, rx->drop, &from);
	uet_drop_free(rx->skb, rx->drop);
}

/**
 * uet_drop_tx() - drop a packet that was to be sent
 * @peer: where to
 * @skb: the packet, data at the PDS header
 * @why: the cause
 *
 * Context: BH disabled.
 */
void uet_drop_tx(const struct uet_peer *peer, struct sk_buff *skb,
		 enum uet_drop why)
{
	const struct uet_pds_req_wire *pds = (const void *)skb->data;
	struct uet_drop_from from = {};

	/* All kinds of packets have these fields in the same places. */
	if (trace_uet_drop_enabled())
		from = (struct uet_drop_from){
			.saddr	= peer->key.laddr,
			.daddr	= peer->key.raddr,
			.type	= FIELD_GET(UET_PROLOGUE_TYPE,
					    uet_get_be16(skb->data)),
			.spdcid	= ntohs(pds->spdcid),
			.dpdcid	= ntohs(pds->dpdcid),
		};
	uet_drop_tell(peer->fep->un, skb, why, &from);
	uet_drop_free(skb, why);
}

/**
 * uet_drop_nf() - let netfilter drop a packet
 * @un: namespace
 * @skb: the packet, IP header at its network header
 * @why: the cause
 *
 * Netfilter frees the packet, with %SKB_DROP_REASON_NETFILTER_DROP, and the sender
 * gets -EPERM.
 *
 * Context: a netfilter hook.
 * Return: the verdict.
 */
unsigned int uet_drop_nf(struct uet_net *un, const struct sk_buff *skb,
			 enum uet_drop why)
{
	struct uet_drop_from from = {};

	if (trace_uet_drop_enabled())
		uet_drop_addrs(skb, &from);
	uet_drop_tell(un, skb, why, &from);
	return NF_DROP;
}
