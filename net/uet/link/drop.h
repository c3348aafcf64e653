/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Dropped packets. One enum names the causes. By its cause a packet is counted, told
 * to the tracepoint uet:uet_drop, and freed with the kernel's reason that comes
 * nearest. The table of counters and reasons is in drop.c.
 *
 * A received packet is dropped by setting uet_rx_ctx.drop: uet_rx_done() does the
 * rest. Other packets go through a function below. No other file frees a packet as
 * dropped (tools/check/drops); consume_skb() is for those that were used.
 */
#ifndef _UET_DROP_H
#define _UET_DROP_H

#include <linux/in6.h>
#include <linux/skbuff.h>
#include <linux/types.h>

struct uet_net;
struct uet_peer;
struct uet_rx_ctx;

/**
 * enum uet_drop - why a packet is dropped
 * @UET_DROP_NONE: it is not
 * @UET_DROP_NETNS: the namespace or the UDP port goes away
 * @UET_DROP_SHORT: truncated
 * @UET_DROP_MALFORMED: the headers contradict themselves
 * @UET_DROP_TYPE: type or operation that is reserved, or not supported
 * @UET_DROP_CRC: wrong or no CRC
 * @UET_DROP_CSUM: wrong UDP checksum
 * @UET_DROP_NOMEM: no memory to make the headers linear
 * @UET_DROP_NO_PDC: there is no such PDC
 * @UET_DROP_PEER: address or PDCID are not those of the PDC, or a group address
 * @UET_DROP_JOB: job of a peer whose jobs are not believed
 * @UET_DROP_FILTER: refused by the control group of the receiver
 * @UET_DROP_NO_SOCKET: it opens a PDC, but no AF_UET socket is open
 * @UET_DROP_ENDPOINT: no such job, PIDonFEP or resource index
 * @UET_DROP_TOO_LONG: message longer than the socket accepts
 * @UET_DROP_KEY: write with the key of no window
 * @UET_DROP_RANGE: write beyond the end of the window
 * @UET_DROP_VIOLATION: it contradicts its message
 * @UET_DROP_MODE: ordered packet on an unordered PDC, or the other way round; datagram
 *	to a socket that takes none
 * @UET_DROP_SYN: SYN with another Start_PSN than that of its PDC
 * @UET_DROP_WINDOW: PSN above the receive window
 * @UET_DROP_GAP: ordered, and an earlier packet is missing
 * @UET_DROP_STALE: PSN that is old or impossible
 * @UET_DROP_DUP: received before
 * @UET_DROP_ACK: ACK of what was not sent
 * @UET_DROP_NACK: NACK of what was not sent
 * @UET_DROP_CLEAR: clears what was not received
 * @UET_DROP_STATE: its PDC is closing, dead, or has no half for it
 * @UET_DROP_ENDED: its message has failed already
 * @UET_DROP_REFUSED: no PDC for it: a limit, or no memory
 * @UET_DROP_SHORTAGE: no room now; the source tries again
 * @UET_DROP_NO_ROOM: no room for a datagram
 * @UET_DROP_MIXED: no room ever: an ordered PDC mixes too many messages
 * @UET_DROP_DEFERRED: no room for a deferrable message, which is asked for later
 * @UET_DROP_NO_MATCH: no room, and in the way of others
 * @UET_DROP_UNREAD: accepted, but its message ended before it was read
 * @UET_DROP_REPORT: a report without room on the error queue
 * @UET_DROP_TX_ROUTE: outgoing, without a route
 * @UET_DROP_TX_NOMEM: outgoing, no memory for its CRC
 * @UET_DROP_GUARD: of somebody else, to the UDP port of UET
 * @UET_DROPS: number of causes
 */
enum uet_drop {
	UET_DROP_NONE,
	UET_DROP_NETNS,
	UET_DROP_SHORT,
	UET_DROP_MALFORMED,
	UET_DROP_TYPE,
	UET_DROP_CRC,
	UET_DROP_CSUM,
	UET_DROP_NOMEM,
	UET_DROP_NO_PDC,
	UET_DROP_PEER,
	UET_DROP_JOB,
	UET_DROP_FILTER,
	UET_DROP_NO_SOCKET,
	UET_DROP_ENDPOINT,
	UET_DROP_TOO_LONG,
	UET_DROP_KEY,
	UET_DROP_RANGE,
	UET_DROP_VIOLATION,
	UET_DROP_MODE,
	UET_DROP_SYN,
	UET_DROP_WINDOW,
	UET_DROP_GAP,
	UET_DROP_STALE,
	UET_DROP_DUP,
	UET_DROP_ACK,
	UET_DROP_NACK,
	UET_DROP_CLEAR,
	UET_DROP_STATE,
	UET_DROP_ENDED,
	UET_DROP_REFUSED,
	UET_DROP_SHORTAGE,
	UET_DROP_NO_ROOM,
	UET_DROP_MIXED,
	UET_DROP_DEFERRED,
	UET_DROP_NO_MATCH,
	UET_DROP_UNREAD,
	UET_DROP_REPORT,
	UET_DROP_TX_ROUTE,
	UET_DROP_TX_NOMEM,
	UET_DROP_GUARD,
	UET_DROPS
};

/**
 * struct uet_drop_from - what is known of a dropped packet; 0 if it is not known
 * @saddr: source address
 * @daddr: destination address
 * @spdcid: PDCID at the sender
 * @dpdcid: PDCID at the receiver
 * @type: PDS type
 */
struct uet_drop_from {
	struct in6_addr	saddr;
	struct in6_addr	daddr;
	u16		spdcid;
	u16		dpdcid;
	u8		type;
};

void uet_drop(struct uet_net *un, struct sk_buff *skb, enum uet_drop why);
void uet_drop_list(struct uet_net *un, struct sk_buff_head *list,
		   enum uet_drop why);
void uet_drop_rx(const struct uet_rx_ctx *rx);
void uet_drop_tx(const struct uet_peer *peer, struct sk_buff *skb,
		 enum uet_drop why);
unsigned int uet_drop_nf(struct uet_net *un, const struct sk_buff *skb,
			 enum uet_drop why);

/**
 * uet_consume_list() - free packets that were used
 * @list: the packets; empty afterwards
 *
 * __skb_queue_purge() would free them as dropped.
 *
 * Context: any.
 */
static inline void uet_consume_list(struct sk_buff_head *list)
{
	struct sk_buff *skb;

	while ((skb = __skb_dequeue(list)))
		consume_skb(skb);
}

#endif /* _UET_DROP_H */
