// SPDX-License-Identifier: GPL-2.0
/*
 * Counters of a namespace, one set per CPU, and their names.
 */
#include <linux/percpu.h>
#include <net/snmp.h>

#include "mib.h"

/* Names, in the order in which they are shown */
static const struct snmp_mib uet_mib_names[] = {
	SNMP_MIB_ITEM("TxPkts", UET_MIB_TX_PKTS),
	SNMP_MIB_ITEM("TxBytes", UET_MIB_TX_BYTES),
	SNMP_MIB_ITEM("TxNative", UET_MIB_TX_NATIVE),
	SNMP_MIB_ITEM("TxTrailers", UET_MIB_TX_TRAILERS),
	SNMP_MIB_ITEM("TxReqs", UET_MIB_TX_REQS),
	SNMP_MIB_ITEM("TxRuns", UET_MIB_TX_RUNS),
	SNMP_MIB_ITEM("TxRunReqs", UET_MIB_TX_RUN_REQS),
	SNMP_MIB_ITEM("TxBrief", UET_MIB_TX_BRIEF),
	SNMP_MIB_ITEM("TxRetx", UET_MIB_TX_RETX),
	SNMP_MIB_ITEM("TxRetxNeedless", UET_MIB_TX_NEEDLESS),
	SNMP_MIB_ITEM("TxAcks", UET_MIB_TX_ACKS),
	SNMP_MIB_ITEM("TxNacks", UET_MIB_TX_NACKS),
	SNMP_MIB_ITEM("TxCps", UET_MIB_TX_CPS),
	SNMP_MIB_ITEM("TxErrors", UET_MIB_TX_ERRORS),
	SNMP_MIB_ITEM("TxNoMem", UET_MIB_TX_NOMEM),
	SNMP_MIB_ITEM("TxGuarded", UET_MIB_TX_GUARDED),
	SNMP_MIB_ITEM("RxPkts", UET_MIB_RX_PKTS),
	SNMP_MIB_ITEM("RxBytes", UET_MIB_RX_BYTES),
	SNMP_MIB_ITEM("RxNative", UET_MIB_RX_NATIVE),
	SNMP_MIB_ITEM("RxTrailers", UET_MIB_RX_TRAILERS),
	SNMP_MIB_ITEM("RxReqs", UET_MIB_RX_REQS),
	SNMP_MIB_ITEM("RxRuns", UET_MIB_RX_RUNS),
	SNMP_MIB_ITEM("RxRunReqs", UET_MIB_RX_RUN_REQS),
	SNMP_MIB_ITEM("RxAcks", UET_MIB_RX_ACKS),
	SNMP_MIB_ITEM("RxNacks", UET_MIB_RX_NACKS),
	SNMP_MIB_ITEM("RxCps", UET_MIB_RX_CPS),
	SNMP_MIB_ITEM("TxCredits", UET_MIB_TX_CREDITS),
	SNMP_MIB_ITEM("TxCreditReqs", UET_MIB_TX_CREDIT_REQS),
	SNMP_MIB_ITEM("RxCredits", UET_MIB_RX_CREDITS),
	SNMP_MIB_ITEM("RxCreditReqs", UET_MIB_RX_CREDIT_REQS),
	SNMP_MIB_ITEM("CreditGranted", UET_MIB_CREDIT_GRANTED),
	SNMP_MIB_ITEM("CreditSources", UET_MIB_CREDIT_SOURCES),
	SNMP_MIB_ITEM("CreditSlowed", UET_MIB_CREDIT_SLOWED),
	SNMP_MIB_ITEM("CreditBeyond", UET_MIB_CREDIT_BEYOND),
	SNMP_MIB_ITEM("CreditTakenBack", UET_MIB_CREDIT_TAKEN_BACK),
	SNMP_MIB_ITEM("TxPenalties", UET_MIB_TX_PENALTIES),
	SNMP_MIB_ITEM("RxPenalties", UET_MIB_RX_PENALTIES),
	SNMP_MIB_ITEM("RxCe", UET_MIB_RX_CE),
	SNMP_MIB_ITEM("RxDups", UET_MIB_RX_DUPS),
	SNMP_MIB_ITEM("RxOutOfOrder", UET_MIB_RX_OOO),
	SNMP_MIB_ITEM("RxTrimmed", UET_MIB_RX_TRIMMED),
	SNMP_MIB_ITEM("DemuxLearnt", UET_MIB_DEMUX_LEARNT),
	SNMP_MIB_ITEM("RxSteered", UET_MIB_RX_STEERED),
	SNMP_MIB_ITEM("RxHomeFull", UET_MIB_RX_HOME_FULL),
	SNMP_MIB_ITEM("RetxRto", UET_MIB_RETX_RTO),
	SNMP_MIB_ITEM("RetxSack", UET_MIB_RETX_SACK),
	SNMP_MIB_ITEM("RetxOooCount", UET_MIB_RETX_OOO),
	SNMP_MIB_ITEM("RetxProbe", UET_MIB_RETX_PROBE),
	SNMP_MIB_ITEM("RetxLocal", UET_MIB_RETX_LOCAL),
	SNMP_MIB_ITEM("RetxTrim", UET_MIB_RETX_TRIM),
	SNMP_MIB_ITEM("RetxNack", UET_MIB_RETX_NACK),
	SNMP_MIB_ITEM("RetxGoBack", UET_MIB_RETX_GBN),
	SNMP_MIB_ITEM("RtoFired", UET_MIB_RTO_FIRED),
	SNMP_MIB_ITEM("TailProbes", UET_MIB_PROBES),
	SNMP_MIB_ITEM("ProbesRefused", UET_MIB_PROBES_REFUSED),
	SNMP_MIB_ITEM("BaseRttRose", UET_MIB_BASE_RTT_ROSE),
	SNMP_MIB_ITEM("RttProbes", UET_MIB_RTT_PROBES),
	SNMP_MIB_ITEM("PathMtuSteps", UET_MIB_PMTU_STEPS),
	SNMP_MIB_ITEM("PathBad", UET_MIB_PATH_BAD),
	SNMP_MIB_ITEM("PathGood", UET_MIB_PATH_GOOD),
	SNMP_MIB_ITEM("PathMoved", UET_MIB_PATH_MOVED),
	SNMP_MIB_ITEM("PortDown", UET_MIB_PORT_DOWN),
	SNMP_MIB_ITEM("PortUp", UET_MIB_PORT_UP),
	SNMP_MIB_ITEM("TxDatagrams", UET_MIB_TX_DATAGRAMS),
	SNMP_MIB_ITEM("RxDatagrams", UET_MIB_RX_DATAGRAMS),
	SNMP_MIB_ITEM("TxRudi", UET_MIB_TX_RUDI),
	SNMP_MIB_ITEM("RetxRudi", UET_MIB_RETX_RUDI),
	SNMP_MIB_ITEM("RudiAnswered", UET_MIB_RUDI_ANSWERED),
	SNMP_MIB_ITEM("RxRudi", UET_MIB_RX_RUDI),
	SNMP_MIB_ITEM("MsgSent", UET_MIB_MSG_SENT),
	SNMP_MIB_ITEM("MsgBatched", UET_MIB_MSG_BATCHED),
	SNMP_MIB_ITEM("MsgDelivered", UET_MIB_MSG_DONE),
	SNMP_MIB_ITEM("MsgFailed", UET_MIB_MSG_FAILED),
	SNMP_MIB_ITEM("MsgOrphaned", UET_MIB_MSG_ORPHANED),
	SNMP_MIB_ITEM("MsgReceived", UET_MIB_MSG_RCVD),
	SNMP_MIB_ITEM("MsgAborted", UET_MIB_MSG_ABORTED),
	SNMP_MIB_ITEM("MsgAgain", UET_MIB_MSG_AGAIN),
	SNMP_MIB_ITEM("MsgDeferred", UET_MIB_MSG_DEFERRED),
	SNMP_MIB_ITEM("MsgRestarted", UET_MIB_MSG_RESTARTED),
	SNMP_MIB_ITEM("MsgPutOff", UET_MIB_MSG_PUT_OFF),
	SNMP_MIB_ITEM("TxRtr", UET_MIB_TX_RTR),
	SNMP_MIB_ITEM("RxRtr", UET_MIB_RX_RTR),
	SNMP_MIB_ITEM("MsgNoMatch", UET_MIB_MSG_NO_MATCH),
	SNMP_MIB_ITEM("MsgSilent", UET_MIB_MSG_SILENT),
	SNMP_MIB_ITEM("MsgPosted", UET_MIB_MSG_POSTED),
	SNMP_MIB_ITEM("MsgPostedLate", UET_MIB_MSG_POSTED_LATE),
	SNMP_MIB_ITEM("WatchProbes", UET_MIB_WATCH_PROBES),
	SNMP_MIB_ITEM("WatchReports", UET_MIB_WATCH_REPORTS),
	SNMP_MIB_ITEM("Pings", UET_MIB_PINGS),
	SNMP_MIB_ITEM("PingsAnswered", UET_MIB_PINGS_ANSWERED),
	SNMP_MIB_ITEM("PingsEchoed", UET_MIB_PINGS_ECHOED),
	SNMP_MIB_ITEM("PeerReports", UET_MIB_PEER_REPORTS),
	SNMP_MIB_ITEM("PeersForgotten", UET_MIB_PEERS_FORGOTTEN),
	SNMP_MIB_ITEM("MsgMixed", UET_MIB_MSG_MIXED),
	SNMP_MIB_ITEM("ReportsLost", UET_MIB_REPORT_LOST),
	SNMP_MIB_ITEM("PdcOpened", UET_MIB_PDC_OPENED),
	SNMP_MIB_ITEM("PdcAccepted", UET_MIB_PDC_ACCEPTED),
	SNMP_MIB_ITEM("PdcReturned", UET_MIB_PDC_RETURNED),
	SNMP_MIB_ITEM("PdcClosed", UET_MIB_PDC_CLOSED),
	SNMP_MIB_ITEM("PdcFailed", UET_MIB_PDC_FAILED),
	SNMP_MIB_ITEM("PdcRefused", UET_MIB_PDC_REFUSED),
	SNMP_MIB_ITEM("Holds", UET_MIB_HOLDS),
	SNMP_MIB_ITEM("Shortage", UET_MIB_SHORTAGE),
	SNMP_MIB_ITEM("ShortageUnsaid", UET_MIB_SHORT_UNSAID),
	SNMP_MIB_ITEM("DropNetns", UET_MIB_DROP_NET),
	SNMP_MIB_ITEM("DropShort", UET_MIB_DROP_SHORT),
	SNMP_MIB_ITEM("DropMalformed", UET_MIB_DROP_PARSE),
	SNMP_MIB_ITEM("DropUnknownType", UET_MIB_DROP_TYPE),
	SNMP_MIB_ITEM("DropCrc", UET_MIB_DROP_CRC),
	SNMP_MIB_ITEM("DropChecksum", UET_MIB_DROP_CSUM),
	SNMP_MIB_ITEM("DropNoMem", UET_MIB_DROP_NOMEM),
	SNMP_MIB_ITEM("DropNoPdc", UET_MIB_DROP_NO_PDC),
	SNMP_MIB_ITEM("DropWrongPeer", UET_MIB_DROP_PEER),
	SNMP_MIB_ITEM("DropUntrustedJob", UET_MIB_DROP_JOB),
	SNMP_MIB_ITEM("DropFilter", UET_MIB_DROP_FILTER),
	SNMP_MIB_ITEM("DropStale", UET_MIB_DROP_STALE),
	SNMP_MIB_ITEM("DropBadAck", UET_MIB_DROP_ACK),
	SNMP_MIB_ITEM("DropBadNack", UET_MIB_DROP_NACK),
	SNMP_MIB_ITEM("DropBadClear", UET_MIB_DROP_CLEAR),
	SNMP_MIB_ITEM("DropState", UET_MIB_DROP_STATE),
	SNMP_MIB_ITEM("DropNoSocket", UET_MIB_DROP_NO_SOCKET),
	SNMP_MIB_ITEM("DropNoEndpoint", UET_MIB_DROP_ENDPOINT),
	SNMP_MIB_ITEM("DropTooLong", UET_MIB_DROP_TOO_LONG),
	SNMP_MIB_ITEM("DropBadKey", UET_MIB_DROP_KEY),
	SNMP_MIB_ITEM("DropBadRange", UET_MIB_DROP_RANGE),
	SNMP_MIB_ITEM("DropViolation", UET_MIB_DROP_VIOLATION),
	SNMP_MIB_ITEM("DropWrongMode", UET_MIB_DROP_MODE),
	SNMP_MIB_ITEM("DropNoRoom", UET_MIB_DROP_NO_ROOM),
	SNMP_MIB_ITEM("DropBadSyn", UET_MIB_DROP_SYN),
	SNMP_MIB_ITEM("DropBeyondWindow", UET_MIB_DROP_WINDOW),
	SNMP_MIB_ITEM("DropGap", UET_MIB_DROP_GAP),
	SNMP_MIB_ITEM("DropEnded", UET_MIB_DROP_ENDED),
	SNMP_MIB_ITEM("DropUnread", UET_MIB_DROP_UNREAD),
	SNMP_MIB_ITEM("DropTxNoMem", UET_MIB_DROP_TX_NOMEM),
	SNMP_MIB_ITEM("ClearsIgnored", UET_MIB_CLEAR_IGNORED),
	SNMP_MIB_ITEM("IcmpErrors", UET_MIB_ICMP),
	SNMP_MIB_ITEM("IcmpIgnored", UET_MIB_ICMP_IGNORED),
	SNMP_MIB_ITEM("NackRateLimited", UET_MIB_NACK_LIMITED),
};

static_assert(ARRAY_SIZE(uet_mib_names) == UET_MIB_MAX);

/**
 * uet_mib_name() - name of a counter
 * @i: place in the order in which they are shown, below %UET_MIB_MAX
 *
 * Return: the name.
 */
const char *uet_mib_name(u32 i)
{
	return uet_mib_names[i].name;
}

/**
 * uet_mib_name_of() - name of a counter
 * @entry: %UET_MIB_*
 *
 * Return: the name.
 */
const char *uet_mib_name_of(u32 entry)
{
	u32 i;

	for (i = 0; i < UET_MIB_MAX - 1; i++)
		if (uet_mib_names[i].entry == entry)
			break;
	return uet_mib_names[i].name;
}

/**
 * uet_mib_sum() - value of a counter
 * @un: namespace
 * @i: place in the order in which they are shown, below %UET_MIB_MAX
 *
 * Return: the sum over all CPUs.
 */
u64 uet_mib_sum(const struct uet_net *un, u32 i)
{
	int cpu, entry = uet_mib_names[i].entry;
	u64 sum = 0;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(per_cpu_ptr(un->mib, cpu)->items[entry]);
	return sum;
}

/**
 * uet_mib_init() - allocate the counters of a namespace
 * @un: namespace
 *
 * Return: 0 or -ENOMEM.
 */
int uet_mib_init(struct uet_net *un)
{
	un->mib = alloc_percpu_gfp(struct uet_mib, GFP_KERNEL_ACCOUNT);
	return un->mib ? 0 : -ENOMEM;
}

/**
 * uet_mib_exit() - free the counters of a namespace
 * @un: namespace
 */
void uet_mib_exit(struct uet_net *un)
{
	free_percpu(un->mib);
}
