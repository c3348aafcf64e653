/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counters, per CPU and network namespace, shown in /proc/net/uet_stat.
 * The names are in mib.c.
 */
#ifndef _UET_MIB_H
#define _UET_MIB_H

#include <linux/percpu.h>
#include <linux/types.h>

#include "base.h"

enum uet_mib_item {
	/* traffic */
	UET_MIB_TX_PKTS,		/* UET packets sent */
	UET_MIB_TX_BYTES,		/* UET bytes sent */
	UET_MIB_TX_NATIVE,		/* packets directly over IP */
	UET_MIB_TX_TRAILERS,		/* with a CRC */
	UET_MIB_TX_REQS,		/* new requests sent */
	UET_MIB_TX_RUNS,		/* buffers with several new requests */
	UET_MIB_TX_RUN_REQS,		/* the requests in them */
	UET_MIB_TX_BRIEF,		/* with SMALL or MEDIUM headers */
	UET_MIB_TX_RETX,		/* requests sent again */
	UET_MIB_TX_NEEDLESS,		/* of these: had arrived before */
	UET_MIB_TX_ACKS,
	UET_MIB_TX_NACKS,
	UET_MIB_TX_CPS,
	UET_MIB_TX_ERRORS,		/* no route */
	UET_MIB_TX_NOMEM,
	UET_MIB_TX_GUARDED,		/* dropped: not ours, to the UET port */
	UET_MIB_RX_PKTS,
	UET_MIB_RX_BYTES,
	UET_MIB_RX_NATIVE,		/* packets directly over IP */
	UET_MIB_RX_TRAILERS,		/* with a CRC that was right */
	UET_MIB_RX_REQS,		/* new requests accepted */
	UET_MIB_RX_RUNS,		/* several of them in one step */
	UET_MIB_RX_RUN_REQS,		/* accepted in such steps */
	UET_MIB_RX_ACKS,
	UET_MIB_RX_NACKS,
	UET_MIB_RX_CPS,
	UET_MIB_TX_CREDITS,		/* CREDIT packets sent */
	UET_MIB_TX_CREDIT_REQS,
	UET_MIB_RX_CREDITS,
	UET_MIB_RX_CREDIT_REQS,
	UET_MIB_CREDIT_GRANTED,		/* bytes of credit granted */
	UET_MIB_CREDIT_SOURCES,		/* CCCs of peers that asked for it */
	UET_MIB_CREDIT_SLOWED,		/* its pace fell, the network was congested */
	UET_MIB_CREDIT_BEYOND,		/* bytes of cells granted beyond the buffer */
	UET_MIB_CREDIT_TAKEN_BACK,	/* ... that silent sources did not use */
	UET_MIB_TX_PENALTIES,		/* ACKs that slow a source down */
	UET_MIB_RX_PENALTIES,
	UET_MIB_RX_CE,			/* packets received with an ECN mark */
	UET_MIB_RX_DUPS,
	UET_MIB_RX_OOO,			/* above a hole */
	UET_MIB_RX_TRIMMED,
	UET_MIB_DEMUX_LEARNT,		/* input route of a peer cached */
	UET_MIB_RX_STEERED,		/* given to the CPU of their PDC */
	UET_MIB_RX_HOME_FULL,		/* not given, since its queue was full */
	/* packets taken for lost, by evidence */
	UET_MIB_RETX_RTO,
	UET_MIB_RETX_SACK,
	UET_MIB_RETX_OOO,
	UET_MIB_RETX_PROBE,
	UET_MIB_RETX_TRIM,
	UET_MIB_RETX_NACK,		/* shortage and others */
	UET_MIB_RETX_GBN,		/* ordered PDC went back */
	UET_MIB_RETX_LOCAL,		/* dropped on output in this host */
	UET_MIB_RTO_FIRED,
	UET_MIB_PROBES,
	UET_MIB_PROBES_REFUSED,		/* NACKed by peers that take none */
	UET_MIB_BASE_RTT_ROSE,		/* of a CCC whose path got longer */
	UET_MIB_RTT_PROBES,		/* for the base RTT of a CCC */
	UET_MIB_PMTU_STEPS,		/* path MTU lowered: large packets vanish */
	/* paths */
	UET_MIB_PATH_BAD,		/* entropy value no longer used */
	UET_MIB_PATH_GOOD,		/* entropy value used again */
	UET_MIB_PATH_MOVED,		/* single-path CCC changed entropy value */
	UET_MIB_PORT_DOWN,		/* interface lost its carrier */
	UET_MIB_PORT_UP,
	/* messages */
	UET_MIB_TX_DATAGRAMS,
	UET_MIB_RX_DATAGRAMS,
	UET_MIB_TX_RUDI,
	UET_MIB_RETX_RUDI,
	UET_MIB_RUDI_ANSWERED,
	UET_MIB_RX_RUDI,
	UET_MIB_MSG_SENT,
	UET_MIB_MSG_BATCHED,		/* of these: waited for more of a sendmmsg() */
	UET_MIB_MSG_DONE,
	UET_MIB_MSG_FAILED,
	UET_MIB_MSG_ORPHANED,		/* of these: of a closed socket, stuck */
	UET_MIB_MSG_RCVD,
	UET_MIB_MSG_ABORTED,		/* incomplete, dropped */
	UET_MIB_MSG_AGAIN,		/* SES error for all of it, sent again */
	UET_MIB_MSG_DEFERRED,		/* by its target, which asks for it later */
	UET_MIB_MSG_RESTARTED,		/* after that, sent again */
	UET_MIB_MSG_PUT_OFF,		/* deferred here, for want of room */
	UET_MIB_TX_RTR,			/* DEFERRABLE_RTR sent */
	UET_MIB_RX_RTR,			/* ... received, of a message that is here */
	UET_MIB_MSG_NO_MATCH,		/* NO_MATCH answered here */
	UET_MIB_MSG_SILENT,		/* aborted: silent while others waited */
	UET_MIB_MSG_POSTED,		/* went to a receive posted before */
	UET_MIB_MSG_POSTED_LATE,	/* waited for the receive it went to */
	UET_MIB_WATCH_PROBES,		/* probes of UET_WATCH */
	UET_MIB_WATCH_REPORTS,		/* changes that they found */
	UET_MIB_PINGS,			/* probes of "uet ping" sent */
	UET_MIB_PINGS_ANSWERED,		/* answers to them */
	UET_MIB_PINGS_ECHOED,		/* probes of paths answered here */
	UET_MIB_PEER_REPORTS,		/* UET_PEER_EVENTS: lost or there again */
	UET_MIB_PEERS_FORGOTTEN,	/* beyond the limit of a socket or memory */
	UET_MIB_MSG_MIXED,		/* DROPPED: ordered PDC mixes too many */
	UET_MIB_REPORT_LOST,		/* queue full */
	/* PDCs */
	UET_MIB_PDC_OPENED,
	UET_MIB_PDC_ACCEPTED,
	UET_MIB_PDC_RETURNED,		/* opened by a peer, used to send too */
	UET_MIB_PDC_CLOSED,
	UET_MIB_PDC_FAILED,
	UET_MIB_PDC_REFUSED,		/* SYN beyond a limit */
	UET_MIB_HOLDS,			/* target NACKed for shortage */
	UET_MIB_SHORTAGE,		/* no room for a packet here */
	UET_MIB_SHORT_UNSAID,		/* of these: no NACK sent */
	/* drops */
	UET_MIB_DROP_NET,		/* namespace exits */
	UET_MIB_DROP_SHORT,		/* truncated */
	UET_MIB_DROP_PARSE,
	UET_MIB_DROP_TYPE,
	UET_MIB_DROP_CRC,
	UET_MIB_DROP_CSUM,
	UET_MIB_DROP_NOMEM,
	UET_MIB_DROP_NO_PDC,		/* answer to an unknown PDC */
	UET_MIB_DROP_PEER,		/* address or PDCID differ */
	UET_MIB_DROP_JOB,		/* of a peer whose jobs are not believed */
	UET_MIB_DROP_FILTER,		/* by the receiver's control group */
	UET_MIB_DROP_STALE,		/* old or impossible PSN */
	UET_MIB_DROP_ACK,		/* acknowledges what was not sent */
	UET_MIB_DROP_NACK,
	UET_MIB_DROP_CLEAR,
	UET_MIB_DROP_STATE,		/* PDC closing or dead */
	UET_MIB_DROP_NO_SOCKET,		/* SYN, but no AF_UET socket is open */
	UET_MIB_DROP_ENDPOINT,		/* no such endpoint */
	UET_MIB_DROP_TOO_LONG,
	UET_MIB_DROP_KEY,		/* no window with that key */
	UET_MIB_DROP_RANGE,		/* beyond the window */
	UET_MIB_DROP_VIOLATION,		/* contradicts its message */
	UET_MIB_DROP_MODE,		/* ordered or not, unlike its PDC */
	UET_MIB_DROP_NO_ROOM,		/* datagrams */
	UET_MIB_DROP_SYN,		/* Start_PSN is not that of the PDC */
	UET_MIB_DROP_WINDOW,		/* above the receive window */
	UET_MIB_DROP_GAP,		/* ordered, an earlier packet is missing */
	UET_MIB_DROP_ENDED,		/* the message has failed */
	UET_MIB_DROP_UNREAD,		/* accepted, then nobody read it */
	UET_MIB_DROP_TX_NOMEM,		/* outgoing, no memory for the CRC */
	UET_MIB_CLEAR_IGNORED,		/* CLEAR_PSN in requests */
	UET_MIB_ICMP,
	UET_MIB_ICMP_IGNORED,		/* about no packet of ours */
	UET_MIB_NACK_LIMITED,
	UET_MIB_MAX
};

struct uet_mib {
	u64	items[UET_MIB_MAX];
};

#define UET_INC(un, id)		this_cpu_inc((un)->mib->items[UET_MIB_##id])
#define UET_ADD(un, id, n)	this_cpu_add((un)->mib->items[UET_MIB_##id], n)

/* mib.c */
const char *uet_mib_name(u32 i);
const char *uet_mib_name_of(u32 entry);
u64 uet_mib_sum(const struct uet_net *un, u32 i);
int uet_mib_init(struct uet_net *un);
void uet_mib_exit(struct uet_net *un);

#endif /* _UET_MIB_H */
