/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counters, per CPU and network namespace, shown in /proc/net/uet_stat.
 * X(enum suffix, name): one line each, order is the file's order.
 */
#ifndef _UET_MIB_H
#define _UET_MIB_H

#include <linux/percpu.h>
#include <linux/types.h>

#include "netns.h"

#define UET_MIB_LIST(X)							\
	/* traffic */							\
	X(TX_PKTS, "TxPkts")		/* UET packets sent */		\
	X(TX_BYTES, "TxBytes")		/* UET bytes sent */		\
	X(TX_REQS, "TxReqs")		/* new requests sent */		\
	X(TX_ACKS, "TxAcks")						\
	X(TX_NACKS, "TxNacks")						\
	X(TX_CPS, "TxCps")						\
	X(TX_ERRORS, "TxErrors")	/* output refused a packet */	\
	X(TX_NOMEM, "TxNoMem")						\
	X(RX_PKTS, "RxPkts")						\
	X(RX_BYTES, "RxBytes")						\
	X(RX_REQS, "RxReqs")		/* new requests accepted */	\
	X(RX_ACKS, "RxAcks")						\
	X(RX_NACKS, "RxNacks")						\
	X(RX_CPS, "RxCps")						\
	X(RX_CE, "RxCe")		/* packets that came marked */	\
	X(RX_DUPS, "RxDups")						\
	X(RX_OOO, "RxOutOfOrder")	/* above a hole */		\
	X(RX_TRIMMED, "RxTrimmed")					\
	/* retransmissions by cause */					\
	X(RETX_RTO, "RetxRto")						\
	X(RETX_SACK, "RetxSack")					\
	X(RETX_OOO, "RetxOooCount")					\
	X(RETX_PROBE, "RetxProbe")					\
	X(RETX_TRIM, "RetxTrim")					\
	X(RETX_NACK, "RetxNack")	/* shortage and others */	\
	X(RETX_GBN, "RetxGoBack")	/* ordered PDC went back */	\
	X(RTO_FIRED, "RtoFired")					\
	X(PROBES, "TailProbes")						\
	/* messages */							\
	X(MSG_SENT, "MsgSent")						\
	X(MSG_DONE, "MsgDelivered")					\
	X(MSG_FAILED, "MsgFailed")					\
	X(MSG_RCVD, "MsgReceived")					\
	X(MSG_ABORTED, "MsgAborted")	/* incomplete, dropped */	\
	X(REPORT_LOST, "ReportsLost")	/* no memory or queue full */	\
	/* PDCs */							\
	X(PDC_OPENED, "PdcOpened")					\
	X(PDC_ACCEPTED, "PdcAccepted")					\
	X(PDC_CLOSED, "PdcClosed")					\
	X(PDC_FAILED, "PdcFailed")					\
	X(PDC_REFUSED, "PdcRefused")	/* SYN beyond a limit */	\
	X(HOLDS, "Holds")		/* target refused for shortage */ \
	X(SHORTAGE, "Shortage")		/* refused here for shortage */	\
	/* drops */							\
	X(DROP_NET, "DropNetns")	/* namespace goes away */	\
	X(DROP_SHORT, "DropShort")	/* truncated */			\
	X(DROP_PARSE, "DropMalformed")					\
	X(DROP_TYPE, "DropUnknownType")					\
	X(DROP_CRC, "DropCrc")						\
	X(DROP_FRAG, "DropNoMem")					\
	X(DROP_NO_PDC, "DropNoPdc")	/* answer to an unknown PDC */	\
	X(DROP_PEER, "DropWrongPeer")	/* address or PDCID differ */	\
	X(DROP_STALE, "DropStale")	/* old or impossible PSN */	\
	X(DROP_ACK, "DropBadAck")	/* acknowledges what was not sent */ \
	X(DROP_NACK, "DropBadNack")					\
	X(DROP_CLEAR, "DropBadClear")					\
	X(DROP_STATE, "DropState")	/* PDC closing or dead */	\
	X(ICMP, "IcmpErrors")						\
	X(NACK_LIMITED, "NackRateLimited")

enum uet_mib_item {
#define X(id, name) UET_MIB_##id,
	UET_MIB_LIST(X)
#undef X
	UET_MIB_MAX
};

struct uet_mib {
	u64	items[UET_MIB_MAX];
};

#define UET_INC(un, id)		this_cpu_inc((un)->mib->items[UET_MIB_##id])
#define UET_ADD(un, id, n)	this_cpu_add((un)->mib->items[UET_MIB_##id], n)

/* mib.c */
int uet_mib_init(struct uet_net *un);
void uet_mib_exit(struct uet_net *un);

#endif /* _UET_MIB_H */
