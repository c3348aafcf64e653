/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events that go into a congestion control context (CCC), the answers that
 * come out (UE 1.0 3.6.12), and the bits that record what an event did.
 */
#ifndef _UET_CORE_CC_EVENT_H
#define _UET_CORE_CC_EVENT_H

#include "../env.h"

/**
 * enum uet_nacked - what a NACK code means for congestion control
 * @UET_NACKED_TRIMMED: trimmed inside the network
 * @UET_NACKED_LASTHOP: trimmed on the last hop
 * @UET_NACKED_OTHER: any other reason; says nothing about congestion
 * @UET_NACKED_LOST: the target infers that the packet was lost; @ev of
 *	struct uet_ccc_nack is the value the packet was sent with
 * @UET_NACKED_CLASSES: number of classes
 */
enum uet_nacked {
	UET_NACKED_TRIMMED,
	UET_NACKED_LASTHOP,
	UET_NACKED_OTHER,
	UET_NACKED_LOST,
	UET_NACKED_CLASSES,
};

/**
 * enum uet_loss_class - how a loss was inferred, for statistics
 * @UET_LOSS_RTO: retransmission timeout
 * @UET_LOSS_OOO: out-of-order count
 * @UET_LOSS_SACK: hole below SACKed packets
 * @UET_LOSS_PROBE: tail probe
 * @UET_LOSS_GO_BACK: below the gap of an ordered PDC
 * @UET_LOSS_LOCAL: dropped by this host's own interface, which reported it
 * @UET_LOSS_CLASSES: number of classes
 */
enum uet_loss_class {
	UET_LOSS_RTO,
	UET_LOSS_OOO,
	UET_LOSS_SACK,
	UET_LOSS_PROBE,
	UET_LOSS_GO_BACK,
	UET_LOSS_LOCAL,
	UET_LOSS_CLASSES,
};

/**
 * struct uet_ccc_ack - what congestion control needs of an ACK
 * @now: arrival, ns
 * @rtt: sample of the packet named by ack_psn, ns, if @rtt_valid
 * @rtt_short: the packet was shorter than a full one, hence faster: do not
 *	derive the base RTT from @rtt
 * @newly_rcvd_bytes: bytes it releases (increase of the PDC's rcvd_bytes)
 * @newly_acked_pkts: packets newly acknowledged that were not marked for
 *	retransmission
 * @unmarked_pkts: packets newly acknowledged that were marked for
 *	retransmission, which are now unmarked
 * @unmarked_bytes: nominal bytes of @unmarked_pkts
 * @ev: echoed entropy value
 * @m: echoed ECN mark
 * @pend: rcvr_cwnd_pend, 0..127
 * @restore: rc flag
 * @rtt_valid: @rtt holds a sample
 * @siblings: enum uet_lb_siblings; leave 0 unless CCCs are coordinated
 */
struct uet_ccc_ack {
	u64 now;
	u64 rtt;
	u32 newly_rcvd_bytes;
	u32 newly_acked_pkts;
	u32 unmarked_pkts;
	u64 unmarked_bytes;
	u16 ev;
	bool m;
	u8 siblings;
	bool rtt_valid;
	bool rtt_short;
	bool restore;
	u8 pend;
};

/**
 * struct uet_ccc_nack - a NACK for a packet that is outstanding and not marked
 *	for retransmission
 * @now: arrival, ns
 * @rtt: sample, ns, if @rtt_valid (service time 0)
 * @rtt_short: as in struct uet_ccc_ack
 * @size: nominal size of the packet
 * @ev: echoed entropy value
 * @m: ECN mark of the packet as it arrived
 * @reason: enum uet_nacked
 * @rtt_valid: @rtt holds a sample
 * @siblings: enum uet_lb_siblings
 * @again: the packet before it in its run was NACKed or lost, too
 */
struct uet_ccc_nack {
	u64 now;
	u64 rtt;
	u32 size;
	u16 ev;
	bool m;
	u8 reason;
	bool rtt_valid;
	bool rtt_short;
	u8 siblings;
	bool again;
};

/**
 * struct uet_ccc_loss - an inferred loss
 * @now: time, ns
 * @size: nominal size of the packet
 * @ev: value recorded at its last transmission
 * @how: enum uet_loss_class
 * @again: the packet before it in its run was NACKed or lost, too
 */
struct uet_ccc_loss {
	u64 now;
	u32 size;
	u16 ev;
	u8 how;
	bool again;
};

/**
 * struct uet_ccc_gone - what a closed or failed PDC leaves behind
 * @now: time, ns
 * @backlog: its bytes never sent
 * @rtx_bytes: bytes of its packets marked for retransmission
 * @inflight_bytes: bytes of its packets outstanding and not so marked
 * @rtx_pkts: number of its packets marked for retransmission
 * @inflight_pkts: number of its packets outstanding and not so marked
 */
struct uet_ccc_gone {
	u64 now;
	u64 backlog;
	u64 rtx_bytes;
	u64 inflight_bytes;
	u32 rtx_pkts;
	u32 inflight_pkts;
};

/**
 * struct uet_ccc_ask - the packet for which GetSendParams is called
 * @now: time, ns
 * @port_free: when all earlier packets have left this host's interface, ns
 * @size: nominal size
 * @want: number of packets the caller would send in a row, at least 1
 * @prev_ev: entropy value of the last transmission, if @rtx
 * @rtx: retransmission
 */
struct uet_ccc_ask {
	u64 now;
	u64 port_free;
	u32 size;
	u16 want;
	u16 prev_ev;
	bool rtx;
};

/**
 * struct uet_ccc_send - answer of GetSendParams
 * @credit_target: 24-bit target for the request's CC word, if @has_target
 * @ev: entropy value
 * @run: packets to send with @ev, 1 .. uet_ccc_ask.want
 * @has_target: the CCC uses receiver credit
 * @answer: path selection wants this packet acknowledged (AR)
 */
struct uet_ccc_send {
	u32 credit_target;
	u16 ev;
	u16 run;
	bool has_target;
	bool answer;
};

/* What an event did, in the order in which it does it. */
#define UET_CC_DID_DFC		BIT(0)	/* destination's penalty applied */
#define UET_CC_DID_RESTORE	BIT(1)	/* window restored after a penalty */
#define UET_CC_DID_DFC_END	BIT(2)	/* penalty ended without restoring */
#define UET_CC_DID_NO_RTT	BIT(3)	/* no sample, counters only */
#define UET_CC_DID_IGNORE	BIT(4)	/* ECN mark from before quick adapt */
#define UET_CC_DID_QA		BIT(5)	/* quick adapt set the window */
#define UET_CC_DID_FAIR		BIT(6)	/* fair increase */
#define UET_CC_DID_PROP		BIT(7)	/* proportional increase */
#define UET_CC_DID_FAST		BIT(8)	/* fast increase */
#define UET_CC_DID_HOLD		BIT(9)	/* ECN mark at low delay: no change */
#define UET_CC_DID_MD		BIT(10)	/* multiplicative decrease */
#define UET_CC_DID_MD_GATED	BIT(11)	/* decrease wanted, not allowed yet */
#define UET_CC_DID_ETA		BIT(12)	/* additive step */
#define UET_CC_DID_ADJ		BIT(13)	/* accumulated change applied */
#define UET_CC_DID_NACK_DEC	BIT(14)	/* window - packet, for a trim */
#define UET_CC_DID_LOSS_DEC	BIT(15)	/* window - packet, for a loss */
#define UET_CC_DID_UNUSED	BIT(16)	/* no increase, window not in use */
#define UET_CC_DID_CREDIT	BIT(17)	/* credit was added */
#define UET_CC_DID_BASE_RTT	BIT(18)	/* base RTT changed */

/* Bits of actions that may have changed the window */
#define UET_CC_DID_WINDOW	(UET_CC_DID_DFC | UET_CC_DID_RESTORE |	\
				 UET_CC_DID_QA | UET_CC_DID_FAST |	\
				 UET_CC_DID_MD | UET_CC_DID_ADJ)

#endif /* _UET_CORE_CC_EVENT_H */
