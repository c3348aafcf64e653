/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The sending half of a PDC (UE 1.0 3.5.11, 3.5.12). The flow lock protects it.
 *
 * Not here: what both directions share (pdc/pdc.h), the receiving half
 * (rx/half.h).
 */
#ifndef _UET_TX_HALF_H
#define _UET_TX_HALF_H

#include <linux/list.h>
#include <linux/llist.h>
#include <linux/types.h>

#include "core/ackreq.h"
#include "core/turn.h"
#include "core/txwin.h"
#include "link/packet.h"
#include "pdc/pdc.h"

struct net_device;
struct uet_dest;
struct uet_flow;
struct uet_info;
struct uet_lane;
struct uet_txmsg;

/* An idle PDC frees its rings after this much silence of the peer */
#define UET_PDC_RING_IDLE_NS	NSEC_PER_SEC

/* Limit of packets in flight until the first ACK_CC states MP_RANGE */
#define UET_MPR_FIRST_PSNS	128

/* Limit of unfinished messages, so that 16-bit message ids never run out */
#define UET_MSGS_BEGUN_MAX	32768

/* ECN field of requests and tail probes: ECT(0) */
#define UET_ECT0		0x02

/**
 * struct uet_txpkt - contents of the packet in one slot of the scoreboard
 * @msg: message the packet belongs to; it lives until CACK covers its last
 *	PSN. NULL for a control packet
 * @off: message offset
 * @len: payload bytes
 * @flags: UET_TXPKT_*
 * @wait: estimated wait in the local interface, uet_wait_pack()
 */
struct uet_txpkt {
	struct uet_txmsg	*msg;
	u32			off;
	u16			len;
	u8			flags;
	u8			wait;
};

/* Flags of the scoreboard's slots */
#define UET_PDC_TX_REFUSED	0x20	/* NACKed by one that disowned the PDC */
#define UET_PDC_TX_REFUSED_RTX	0x40	/* ... and so was its retransmission */

#define UET_TXPKT_MSG_ERROR	0x01	/* given up, no payload */

/**
 * struct uet_pdc_tx - sending half; the flow lock protects it
 * @pdc: its PDC
 * @state: enum uet_pdc_state
 * @reap_node: in uet_net.reap
 * @reap_queued: bit 0: @reap_node is or was in that list
 * @error: errno of its failure, 0 for an orderly close
 * @movable: messages the peer cannot have accepted may move to another PDC
 * @err_source: enum uet_report_source of @error
 * @err_code: code of that source
 * @flow: its CCC, with a reference
 * @peer_node: in uet_peer.tx_halves; peer->lock
 * @ready_node: in uet_flow.ready
 * @win: scoreboard
 * @pkts: ring beside the scoreboard's
 * @dests: dests bound to it
 * @active: dests with something to send now
 * @holds: dests on hold
 * @nr_msgs: messages that are not done
 * @next_msg_id: id of the next message that begins
 * @begun: messages with an id that are not finished, in order of ids
 * @rto_at: when the oldest transmission times out; 0 = nothing in flight.
 *	Of a disowned PDC: when its wait for NACKs ends
 * @probe_at: when the tail probe is due, 0 = none
 * @probe_slack: how much later the timer may fire for it, ns
 * @loss_at: when to check SACK evidence again, 0 = none
 * @clear_at: when CLEAR_CMD is due, 0 = none
 * @hold_at: when the next held packet is tried, 0 = none
 * @orphan_at: when to check dests without a socket, 0 = none
 * @departs: when the newest packet leaves the interface, by estimate
 * @idle_at: when the PDC counts as idle
 * @heard: when the peer was heard last
 * @probe_tx: when the outstanding probe left, 0 = none
 * @probe_id: opaque value of the last probe
 * @probe_ev: entropy value of the last probe
 * @probe_first: when the oldest unanswered probe left
 * @probed: when the last answered probe left, 0 = nothing sent before it is
 *	missing
 * @probe_end: first PSN not sent before the last probe
 * @rack: latest send time of a packet known to have arrived
 * @rack_rtt: round trip of that packet, ns
 * @retries: timeouts in a row
 * @backoff: timeouts since the last valid RTT sample
 * @nack_e: NACKs of the error class in a row for @nack_e_psn
 * @nack_e_psn: the packet they name
 * @clear_sent: last CLEAR_PSN sent
 * @probes: probes without an answer
 * @mpr_since: since when the receive window blocks new packets, 0 = it does not
 * @gbn_until: ROD_OOO is ignored until then
 * @close_psn: PSN of CLOSE_CMD or CLOSE_REQ
 * @awaited: packets of a disowned PDC whose NACKs are still awaited
 * @ackreq: which packets asked for an ACK
 * @overdue: a timeout allows one retransmission beyond the window
 * @alone: it carries the long messages of one dest at a time
 * @asked: the probe that tests whether the peer answers probes is out
 * @doubted: a NACK without a PSN disowned the PDC: verify by ACK_REQ
 * @doubt_psn: PSN of that ACK_REQ
 * @doubt_at: when the NACK came, ns; 0 = never
 * @ambiguous: answers came since the last timeout, none with an RTT sample
 * @lanes: lanes of an ordered PDC, one per endpoint (tx/lane.c)
 * @lanes_stalled: lanes whose begun message has nothing to send
 * @stalled_at: jiffies when @lanes_stalled became > 0
 * @one_by_one: ordered PDC was NACKed for shortage: finish begun messages one
 *	after the other
 * @turn: quantum among the PDCs of its flow
 * @soft_err: errno to report when retries are used up
 * @refused_at: when ICMP first said port unreachable, ns, 0 = never; void if
 *	@heard is later
 * @refused_end: next PSN when the last such ICMP came
 * @refused_code: type and code of that ICMP
 */
struct uet_pdc_tx {
	struct uet_pdc		*pdc;
	u8			state;
	bool			movable;
	u8			err_source;
	u16			err_code;
	int			error;
	struct llist_node	reap_node;
	unsigned long		reap_queued;
	struct uet_flow		*flow;
	struct list_head	peer_node;
	struct list_head	ready_node;
	struct uet_txwin	win;
	struct uet_txpkt	*pkts;
	struct list_head	dests;
	struct list_head	active;
	struct list_head	holds;
	struct list_head	lanes;
	u32			lanes_stalled;
	unsigned long		stalled_at;
	u32			nr_msgs;
	u16			next_msg_id;
	struct list_head	begun;
	u64			rto_at;
	u64			probe_at;
	u64			loss_at;
	u64			clear_at;
	u64			hold_at;
	u64			orphan_at;
	u64			departs;
	u64			idle_at;
	u64			heard;
	u64			probe_tx;
	u64			probe_first;
	u64			probed;
	u64			rack;
	u64			mpr_since;
	u64			gbn_until;
	u32			probe_end;
	u32			probe_slack;
	u32			rack_rtt;
	u16			probe_id;
	u16			probe_ev;
	u8			retries;
	u8			backoff;
	u8			probes;
	u8			nack_e;
	bool			one_by_one : 1;
	bool			overdue : 1;
	bool			alone : 1;
	bool			asked : 1;
	bool			doubted : 1;
	bool			ambiguous : 1;
	u32			nack_e_psn;
	u32			doubt_psn;
	u32			clear_sent;
	u32			close_psn;
	u32			awaited;
	struct uet_ackreq	ackreq;
	struct uet_turn		turn;
	int			soft_err;
	u16			refused_code;
	u32			refused_end;
	u64			refused_at;
	u64			doubt_at;
};

/**
 * struct uet_pdc_sent - when a packet left, for its round trip
 * @at: time, ns
 * @wait: wait in the local interface before @at, ns; if > 0, @at is an estimate
 * @valid: @at is known
 * @brief: the packet is too short for a base RTT sample
 */
struct uet_pdc_sent {
	u64	at;
	u64	wait;
	bool	valid;
	bool	brief;
};

/* open.c: beginning and end */
int uet_pdc_tx_init(void);
void uet_pdc_tx_exit(void);
struct uet_pdc *uet_pdc_open(struct uet_peer *peer, struct uet_flow *flow,
			     struct uet_account *acc, u32 job, bool rod);
void uet_pdc_die(struct uet_pdc *pdc, int error, u8 source, u16 code);
void uet_pdc_bury(struct uet_pdc *pdc);
void uet_pdc_fail(struct uet_pdc *pdc, int error, u8 source, u16 code);
void uet_pdc_flush(struct uet_net *un);
/* Dead but not buried: NACKs for packets in flight are awaited. */
static inline bool uet_pdc_disowned(const struct uet_pdc *pdc)
{
	return pdc->tx->state == UET_PDC_DEAD &&
	       !test_bit(0, &pdc->tx->reap_queued);
}

int uet_pdc_return(struct uet_pdc *pdc, struct uet_flow *flow);

/* timer.c */
u64 uet_pdc_probe_timer(const struct uet_pdc *pdc);
void uet_pdc_tx_timer(struct uet_pdc *pdc);

/* close.c */
void uet_pdc_close(struct uet_pdc *pdc, struct sk_buff_head *list, u64 now);
int uet_pdc_resend_close(struct uet_pdc *pdc, struct sk_buff_head *list,
			 u64 now);

/* habits.c */
struct sk_buff *uet_habit_probe(struct uet_pdc *pdc, u16 ev);

/* info.c */
void uet_info_fill(const struct uet_dest *dest, const struct uet_pdc *pdc,
		   struct uet_info *info);

/* disowned.c: what a target that lost the PDC cannot have accepted */
void uet_pdc_disown(struct uet_pdc *pdc, const struct uet_pkt *pkt);
bool uet_pdc_disowned_nack(struct uet_pdc *pdc, const struct uet_pkt *pkt);
void uet_pdc_disowned_expire(struct uet_pdc *pdc, u64 now);
void uet_pdc_count_refused(struct uet_pdc *pdc);

/* salvage.c: what a dead PDC leaves behind */
void uet_pds_salvage(struct uet_pdc *pdc);

/* bind.c: a queue and its PDC; dest->lock held */
void uet_dest_emptied(struct uet_dest *dest);
void uet_dest_unbind(struct uet_dest *dest);

/* ... and its locks */
struct uet_pdc *uet_dest_lock(struct uet_dest *dest);
struct uet_pdc *uet_msg_lock(struct uet_txmsg *msg);
void uet_dest_unlock_run(struct uet_dest *dest, struct uet_pdc *pdc);

/* ... NO_MATCH and BAD_GENERATION: resend the whole message */
void uet_msg_again(struct uet_pdc *pdc, struct uet_txmsg *msg, u8 code);
void uet_msg_regenerate(struct uet_pdc *pdc, struct uet_txmsg *msg,
			u8 generation);
void uet_msg_requeue(struct uet_pdc *pdc, struct uet_txmsg *msg);

/* giveup.c: queues whose socket closed; flow lock held */
void uet_orphan_watch(struct uet_pdc *pdc, struct uet_dest *dest, u64 now);
void uet_orphans_expire(struct uet_pdc *pdc, u64 now);

/* req.c */
struct sk_buff *uet_pdc_build_req(struct uet_pdc *pdc, u32 psn,
				  const struct uet_txpkt *p, u16 ev, bool retx,
				  bool ar, u32 credit_target);

/* send.c: requests out; flow lock held */
void uet_pdc_tx_ready(struct uet_pdc *pdc);
int uet_pdc_tx_next(struct uet_pdc *pdc, struct sk_buff_head *list, u64 now);
struct sk_buff *uet_pdc_send_alone(struct uet_pdc *pdc, struct uet_txmsg *msg,
				   struct net_device *dev, u64 now);
void uet_pdc_tx_sent(struct uet_pdc *pdc, u64 now);
bool uet_dest_sendable(struct uet_dest *dest);
void uet_dest_activate(struct uet_dest *dest);
void uet_dest_step_out(struct uet_pdc *pdc, struct uet_dest *dest);
bool uet_pdc_answer_due(const struct uet_pdc *pdc);
bool uet_pdc_tx_reserve(struct uet_pdc *pdc);
void uet_pdc_tx_shrink(struct uet_pdc *pdc);

/* lane.c */
struct uet_lane *uet_lane_alloc(void);
struct uet_lane *uet_lane_join(struct uet_pdc *pdc, struct uet_dest *dest,
			       struct uet_lane *spare);
void uet_lane_leave(struct uet_pdc *pdc, struct uet_dest *dest);
bool uet_lane_busy(const struct uet_dest *dest);
void uet_lane_wait(struct uet_dest *dest);
void uet_lane_begun(struct uet_dest *dest);
void uet_lane_ended(struct uet_pdc *pdc, struct uet_dest *dest);
void uet_lane_goes_on(struct uet_pdc *pdc, struct uet_dest *dest);
bool uet_lane_stalls(const struct uet_pdc *pdc);

/* expire.c: intervals, and what the timer finds due */
u64 uet_pdc_rto(const struct uet_pdc *pdc);
u64 uet_pdc_loss_age(const struct uet_pdc *pdc);
void uet_pdc_overtaken(struct uet_pdc *pdc, u64 now);
u64 uet_pdc_probe_interval(const struct uet_pdc *pdc);
void uet_pdc_nomem(struct uet_pdc *pdc, u64 now);
void uet_pdc_tx_expire(struct uet_pdc *pdc, struct sk_buff_head *list, u64 now);

/* ack.c: ACKs in */
void uet_pdc_ack(struct uet_pdc *pdc, struct uet_rx_ctx *rx);
bool uet_pdc_learn(struct uet_pdc *pdc, u16 spdcid);
bool uet_pdc_sent_at(const struct uet_pdc *pdc, u32 psn, bool retx,
		     struct uet_pdc_sent *sent);
bool uet_pdc_sample(const struct uet_pdc *pdc, const struct uet_pdc_sent *sent,
		    u64 service, u64 now, u64 *rtt);
void uet_pdc_lost(struct uet_pdc *pdc, u32 psn, u8 how, u64 now);
void uet_pdc_go_back(struct uet_pdc *pdc, u32 from, u8 how, u64 now);
void uet_pdc_tx_rearm(struct uet_pdc *pdc, u64 now);
void uet_msg_covered(struct uet_pdc *pdc, struct uet_txmsg *msg, u64 now);
void uet_msg_fail(struct uet_pdc *pdc, struct uet_txmsg *msg, int error,
		  u8 source, u16 code);

/* nack.c: NACKs in */
void uet_pdc_nack(struct uet_pdc *pdc, struct uet_rx_ctx *rx);

/* control.c: control packets in */
void uet_pdc_tx_control(struct uet_pdc *pdc, struct uet_rx_ctx *rx);

/* hold.c: targets that NACK for shortage */
void uet_pdc_hold(struct uet_pdc *pdc, u32 psn, u64 now);
void uet_pdc_hold_acked(struct uet_pdc *pdc, u64 now);
void uet_pdc_hold_wake(struct uet_pdc *pdc, u32 psn, u64 now);
bool uet_pdc_hold_blocks(const struct uet_pdc *pdc, u32 psn);
void uet_pdc_hold_lost(struct uet_pdc *pdc, u32 psn);
void uet_pdc_hold_sent(struct uet_dest *dest, u32 psn);
void uet_pdc_hold_clear(struct uet_dest *dest);
void uet_pdc_hold_given_up(struct uet_pdc *pdc, struct uet_dest *dest, u64 now);
void uet_pdc_hold_expire(struct uet_pdc *pdc, u64 now);
void uet_pdc_pause(struct uet_pdc *pdc, struct uet_dest *dest, u64 now);

#endif /* _UET_TX_HALF_H */
