/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Packet delivery context (UE 1.0 3.5; wire.md 4 to 9).
 *
 * The module sends requests in the forward direction only: the initiator is
 * the source, the target the destination. The return direction carries
 * control packets. So a PDC has either a sending or a receiving half.
 *
 *   initiator  SYN --first ACK--> ESTABLISHED --> QUIESCE --> CLOSING --> DEAD
 *   target     ESTABLISHED --CLOSE_CMD--> TIME_WAIT --> DEAD
 *   both       --error--> DEAD
 *
 * Life: the table of its FEP holds a reference until the PDC is DEAD, the
 * armed timer one, each dest bound to it one. Readers in softirq need none,
 * objects are freed after an RCU grace period.
 *
 * Locks (outermost first): uet_dest.lock -> uet_flow.lock, and
 * uet_pdc_rx.lock -> uet_sock.rx_lock. A flow lock and an rx lock are never
 * held together. uet_peer.lock and the tables' own locks are leaves.
 */
#ifndef _UET_PDC_H
#define _UET_PDC_H

#include <linux/hrtimer.h>
#include <linux/list.h>
#include <linux/llist.h>
#include <linux/refcount.h>
#include <linux/rhashtable-types.h>
#include <linux/spinlock.h>

#include "base.h"
#include "core/ackreq.h"
#include "core/dfc.h"
#include "core/hdr_parse.h"
#include "core/rxmap.h"
#include "core/rxshare.h"
#include "core/turn.h"
#include "core/txwin.h"
#include "link/pressure.h"

struct net_device;
struct uet_credit_src;
struct uet_dest;
struct uet_lane;
struct uet_flow;
struct uet_peer;
struct uet_rx_msg;
struct uet_sock;
struct uet_txmsg;

/* A PDC that has heard nothing for so long needs no ring to send */
#define UET_PDC_RING_IDLE_NS	NSEC_PER_SEC

/* Packets in flight before the first ACK_CC states MP_RANGE (D-11) */
#define UET_MPR_FIRST_PSNS	128
/* Guaranteed responses kept by a target */
#define UET_GTD_MAX		64
/* Messages begun and not finished, so that 16-bit ids never run out */
#define UET_MSGS_BEGUN_MAX	32768
/* Messages open at a target */
#define UET_RX_MSGS_MAX		4096
/* ECN field of packets that queue as data, ECT(0) */
#define UET_ECT0		0x02

/* probe_opaque of the probe for the base RTT, and of that which finds out whether
 * the peer takes any; tail probes count from above them
 */
#define UET_PROBE_RTT		0
#define UET_PROBE_HABIT		1

enum uet_pdc_state {
	UET_PDC_SYN,
	UET_PDC_ESTABLISHED,
	UET_PDC_QUIESCE,
	UET_PDC_CLOSING,
	UET_PDC_TIME_WAIT,
	UET_PDC_DEAD,
};

/**
 * struct uet_txpkt - beside each slot of the scoreboard
 * @msg: message the packet belongs to; it lives until CACK covers its last
 *	PSN. NULL for a control packet
 * @off: message offset
 * @len: payload bytes
 * @flags: UET_TXPKT_*
 * @wait: how long our port seemed to keep the packet, uet_wait_pack()
 */
struct uet_txpkt {
	struct uet_txmsg	*msg;
	u32			off;
	u16			len;
	u8			flags;
	u8			wait;
};

/* Flags of the scoreboard's slots */
#define UET_PDC_TX_REFUSED	0x20	/* by a target that disowned the PDC */
#define UET_PDC_TX_REFUSED_RTX	0x40	/* ... and so was its retransmission */

#define UET_TXPKT_MSG_ERROR	0x01	/* a message given up, no payload */

/**
 * struct uet_pdc_tx - sending half; the flow lock protects it
 * @flow: congestion control context, with a reference
 * @peer_node: in uet_peer.init_pdcs; peer->lock
 * @ready_node: in uet_flow.ready
 * @win: scoreboard
 * @pkts: ring beside the scoreboard's
 * @dests: dests bound to it
 * @active: dests with something to send now
 * @holds: dests on hold
 * @nr_msgs: messages not done
 * @next_msg_id: message ids are handed out in order
 * @begun: messages begun and not finished, in order of their ids
 * @rto_at: when the oldest transmission times out; 0 = nothing in flight.
 *	Of a disowned PDC: when it waits no longer
 * @probe_at: tail probe, 0 = none
 * @probe_slack: how much later the timer may fire for it, ns
 * @loss_at: look at SACK evidence again, 0 = none
 * @clear_at: CLEAR_CMD at the latest, 0 = none
 * @hold_at: next try of a held packet, 0 = none
 * @orphan_at: look at the dests whose socket closed, 0 = there is none
 * @departs: when the newest packet leaves the port, by estimate
 * @idle_at: when it counts as idle
 * @heard: when the peer was heard last
 * @probe_tx: when the outstanding probe left, 0 = none
 * @probe_id: opaque value of the last probe
 * @probe_ev: entropy value that it took
 * @probe_first: when the first probe left that is not answered
 * @probed: when a probe left that was answered, 0 = nothing sent before is
 *	missing
 * @probe_end: first PSN not sent before the last probe
 * @rack: when the newest packet left that is known to have arrived
 * @rack_rtt: its round trip, ns
 * @retries: timeouts in a row
 * @backoff: timeouts since an answer told a round trip time
 * @nack_e: E-class NACKs in a row
 * @nack_e_psn: for this packet
 * @clear_sent: CLEAR_PSN the target knows
 * @probes: probes without an answer
 * @mpr_since: when the receive window stopped it, 0 = it does not
 * @gbn_until: ROD_OOO is ignored until then
 * @ret_cack: CACK of the return direction
 * @close_psn: PSN of CLOSE_CMD
 * @awaited: packets in flight of a disowned PDC that may still be refused
 * @ackreq: which packets asked for an answer
 * @overdue: a timeout has one packet sent again, whatever the window says
 * @alone: it carries the long messages of one dest at a time
 * @asked: the probe is out that finds out whether the peer takes any
 * @doubted: who named no PSN said that the target does not know us: ask it
 * @doubt_psn: the PSN that it was asked about
 * @doubt_at: when, ns; 0 = never
 * @ambiguous: answers came since the last timeout, and none told a time
 * @lanes: the queues of an ordered one by endpoint
 * @lanes_stalled: those whose message has begun and has nothing to send
 * @stalled_at: jiffies, since when there are some
 * @one_by_one: it is ordered and was refused for shortage: messages are not
 *	mixed until no begun one is left
 * @turn: its turn among the PDCs of its flow
 * @soft_err: errno to report when retries are used up
 * @refused_at: since when ICMP says that nobody listens there, ns, 0 = it does
 *	not; of no meaning if something was heard later
 * @refused_end: PSN behind the newest packet when it last said so
 * @refused_code: type and code of that ICMP
 */
struct uet_pdc_tx {
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
	u32			ret_cack;
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

/* What a SYN packet is looked up by (wire.md 4); @scope is its interface or VRF */
struct uet_syn_key {
	struct in6_addr		raddr;
	struct in6_addr		laddr;
	u16			spdcid;
	u16			pad;
	s32			scope;
};

/**
 * struct uet_pdc_rx - receiving half
 * @lock: BH-disabled; protects all below
 * @syn_node: in uet_net.syn_pdcs by @syn_key
 * @syn_key: addresses and the peer's PDCID
 * @in_syn_table: it is in that table
 * @mpr: MP_RANGE advertised, units of 128
 * @close_tries: CLOSE_REQs sent
 * @close_at: end of TIME_WAIT, or of waiting for CLOSE_CMD, ns
 * @unconfirmed_node: in uet_net.unconfirmed, by @known
 * @unconfirmed_peer: in uet_peer.unconfirmed
 * @known: its peer was known to be real when this PDC was opened
 * @credit: source of the credit it asks for, held; NULL without
 * @credit_moved: when it joined that source, ns
 * @dfc: penalties it was sent
 * @reader: who reads what comes by it
 * @share: who got what of it
 * @ep: endpoint that its messages were for last
 * @map: receive map
 * @moved: jiffies, when a packet was received last that was not before
 * @rcvd_bytes: nominal bytes accepted (UE 1.0 3.6.13.8)
 * @ack_count: ACK_GEN_COUNT
 * @ar_psn: highest PSN that asked for an ACK while below a hole
 * @ar_wait: @ar_psn is valid
 * @gtd: guaranteed responses not cleared, struct uet_gtd by PSN
 * @nr_gtd: their number
 * @msgs: open messages and tombstones, struct uet_rx_msg
 * @msgs_by_id: the same by message id
 * @msgs_by_end: those whose last packet came, by its PSN
 * @last: the one used last
 * @nr_msgs: in @msgs
 * @refused_psn: lowest PSN refused for shortage since the last wake-up
 * @refused: it is valid
 * @refused_top: highest PSN refused so, ever
 * @short_nacks: refusals sent since a packet was accepted, to a source that may
 *	count them
 * @short_next: the next one not before, ns
 * @starve_node: in uet_sock.rx_starved; its rx_lock
 * @starved_at: the socket whose list that is
 * @ooo_psn: gap ROD_OOO was sent for
 * @ooo_until: not again before
 * @ret_psn: PSN of an outstanding CLOSE_REQ
 * @close_req: CLOSE_REQ is outstanding
 * @probe_out: PROBE sent because of an odd SYN
 * @alive_at: when one was answered last, ns; 0 = never
 * @confirmed: a packet with our PDCID came, the peer's address is real
 * @heard: time of the last packet, ns
 * @clear_req_at: CLEAR_REQ due, 0 = none
 * @clear_req_gap: its back-off
 */
struct uet_pdc_rx {
	spinlock_t		lock;	/* of all below */
	struct rhash_head	syn_node;
	struct uet_syn_key	syn_key;
	struct uet_ep_hint	ep;
	struct uet_rxmap	map;
	unsigned long		moved;
	u64			rcvd_bytes;
	u32			ack_count;
	u32			ar_psn;
	bool			ar_wait;
	bool			refused;
	bool			close_req;
	bool			probe_out;
	bool			confirmed;
	bool			known;
	bool			in_syn_table;
	u8			mpr;
	u8			nr_gtd;
	u8			close_tries;
	u8			short_nacks;
	struct list_head	gtd;
	struct list_head	msgs;
	struct rb_root		msgs_by_id;
	struct rb_root		msgs_by_end;
	struct uet_rx_msg	*last;
	u32			nr_msgs;
	u32			refused_psn;
	u32			refused_top;
	struct list_head	starve_node;
	struct uet_sock		*starved_at;
	u32			ooo_psn;
	u64			ooo_until;
	u32			ret_psn;
	u64			heard;
	u64			clear_req_at;
	u64			clear_req_gap;
	u64			close_at;
	u64			alive_at;
	u64			short_next;
	struct list_head	unconfirmed_node;
	struct list_head	unconfirmed_peer;
	struct uet_credit_src	*credit;
	u64			credit_moved;
	struct uet_dfc		dfc;
	struct uet_reader	reader;
	struct uet_rxshare	share;
};

/**
 * struct uet_pdc - packet delivery context
 * @un: namespace
 * @peer: both FEPs, with a reference
 * @account: whose context it is, with a reference; NULL for that of a peer
 * @ref: see above
 * @id: PDCID here
 * @remote_id: PDCID at the peer, 0 until known
 * @initiator: sending half, else receiving half
 * @rod: ordered
 * @tclass: DSCP
 * @state: enum uet_pdc_state, changes under the half's lock
 * @job: job of its messages; at a target that of the packet which opened it
 * @start_psn: first PSN of both directions
 * @timer: one for everything
 * @timer_at: when it fires, 0 = not armed
 * @reap_node: in uet_net.reap, once
 * @reap_queued: it is or was there
 * @error: errno it died of, 0 for an orderly close
 * @movable: what the peer cannot have accepted goes to another PDC
 * @err_source: enum uet_report_source of @error
 * @err_code: code of that source
 * @rcu: for freeing
 * @tx: sending half
 * @rx: receiving half
 */
struct uet_pdc {
	struct uet_net		*un;
	struct uet_peer		*peer;
	struct uet_account	*account;
	refcount_t		ref;
	u16			id;
	u16			remote_id;
	bool			initiator;
	bool			rod;
	u8			tclass;
	u8			state;
	u32			job;
	u32			start_psn;
	struct hrtimer		timer;
	u64			timer_at;
	struct llist_node	reap_node;
	unsigned long		reap_queued;
	int			error;
	bool			movable;
	u8			err_source;
	u16			err_code;
	struct rcu_head		rcu;
	union {
		struct uet_pdc_tx tx;
		struct uet_pdc_rx rx;
	};
};

/**
 * struct uet_rx_ctx - a packet being received
 * @un: namespace
 * @skb: the packet; data at the PDS header
 * @pkt: parsed
 * @saddr: its source
 * @daddr: its destination
 * @ifindex: scope for link-local peers, else 0
 * @iif: interface it came by
 * @ev: its entropy value, used for the answer
 * @ce: it came marked
 * @polled: its device is polled, and has a queue of its own for what waits
 * @arrived: its time stamp, 0 if it has none; @skb may be gone when it is answered
 * @udp_len: UDP length, for the nominal size
 * @us: socket that took the packet's data, for this RCU section; or NULL
 * @generation: of the endpoint, if another one is refused for that
 */
struct uet_rx_ctx {
	struct uet_net		*un;
	struct sk_buff		*skb;
	struct uet_pkt		*pkt;
	struct in6_addr		saddr;
	struct in6_addr		daddr;
	int			ifindex;
	int			iif;
	u16			ev;
	bool			ce;
	bool			polled;
	ktime_t			arrived;
	u32			udp_len;
	struct uet_sock		*us;
	u8			generation;
};

/* tx/info.c */
struct uet_info;
void uet_info_fill(const struct uet_dest *dest, const struct uet_pdc *pdc,
		   struct uet_info *info);

/* input/input.c */
void uet_rx_addresses(struct uet_rx_ctx *rx, const struct sk_buff *skb);
bool uet_from_peer(const struct uet_pdc *pdc, const struct uet_rx_ctx *rx);

/* pdc/pdc.c: object and tables */
int uet_pdc_cache_init(void);
void uet_pdc_cache_exit(void);
struct uet_pdc *uet_pdc_alloc(struct uet_peer *peer, struct uet_account *acc,
			      bool rod, gfp_t gfp);
int uet_pdc_take_id(struct uet_pdc *pdc, gfp_t gfp);
void uet_pdc_publish(struct uet_pdc *pdc);
void uet_pdc_unpublish(struct uet_pdc *pdc);
void uet_pdc_discard(struct uet_pdc *pdc);
struct uet_pdc *uet_pdc_open(struct uet_peer *peer, struct uet_flow *flow,
			     struct uet_account *acc, u32 job, bool rod);
struct uet_pdc *uet_pdc_by_id(struct uet_net *un, const struct in6_addr *laddr,
			      u16 id);
void uet_pdc_put(struct uet_pdc *pdc);
void uet_pdc_die(struct uet_pdc *pdc, int error, u8 source, u16 code);
void uet_pdc_bury(struct uet_pdc *pdc);
void uet_pdc_fail(struct uet_pdc *pdc, int error, u8 source, u16 code);
void uet_pdc_rx_kill(struct uet_pdc *pdc, int error);
void uet_pdc_flush(struct uet_net *un);
void uet_pdc_kill_all(struct uet_net *un);

/* rx/accept.c: opened by peers */
static inline u32 uet_syn_start_psn(const struct uet_pkt *pkt)
{
	return uet_pkt_is_pds_req(pkt) ? pkt->req.start_psn : pkt->cp.start_psn;
}

static inline bool uet_syn_is_rod(const struct uet_pkt *pkt)
{
	return uet_pkt_is_pds_req(pkt) ? uet_pkt_is_rod(pkt) :
					 pkt->flags & UET_F_ISROD;
}

int uet_pdc_accept_init(struct uet_net *un);
void uet_pdc_accept_exit(struct uet_net *un);
struct uet_pdc *uet_pdc_accept(struct uet_rx_ctx *rx);
struct uet_pdc *uet_pdc_by_syn(struct uet_net *un,
			       const struct uet_syn_key *key);
void uet_pdc_confirm(struct uet_pdc *pdc);
void uet_pdc_heard_syn(struct uet_pdc *pdc);
void uet_pdc_leave_unconfirmed(struct uet_pdc *pdc);
void uet_pdc_leave_syn(struct uet_pdc *pdc);

/* tx/disowned.c: what a target that lost the PDC cannot have accepted */
void uet_pdc_disown(struct uet_pdc *pdc, const struct uet_pkt *pkt);
bool uet_pdc_disowned_nack(struct uet_pdc *pdc, const struct uet_pkt *pkt);
void uet_pdc_disowned_expire(struct uet_pdc *pdc, u64 now);
void uet_pdc_count_refused(struct uet_pdc *pdc);

/* It is dead and not buried: refusals of what is in flight are awaited. */
static inline bool uet_pdc_disowned(const struct uet_pdc *pdc)
{
	return pdc->state == UET_PDC_DEAD && pdc->initiator &&
	       !test_bit(0, &pdc->reap_queued);
}

/* pdc/shed.c: PDCs run short */
bool uet_pdcs_short(const struct uet_peer *peer);
u64 uet_pdc_idle_ns(const struct uet_pdc *pdc);
void uet_pdc_shed(struct uet_net *un);
void uet_pdc_shed_init(struct uet_net *un);
void uet_pdc_shed_exit(struct uet_net *un);

/* tx/salvage.c: what a dead PDC leaves behind */
void uet_pds_salvage(struct uet_pdc *pdc);

/* tx/bind.c: a queue and its PDC; dest->lock held */
void uet_dest_emptied(struct uet_dest *dest);
void uet_dest_unbind(struct uet_dest *dest);

/* ... and its locks */
struct uet_pdc *uet_dest_lock(struct uet_dest *dest);
struct uet_pdc *uet_msg_lock(struct uet_txmsg *msg);
void uet_dest_unlock_run(struct uet_dest *dest, struct uet_pdc *pdc);

/* tx/giveup.c: queues whose socket closed; flow lock held */
void uet_orphan_watch(struct uet_pdc *pdc, struct uet_dest *dest, u64 now);
void uet_orphans_expire(struct uet_pdc *pdc, u64 now);

/* pdc/timer.c */
u64 uet_pdc_probe_timer(const struct uet_pdc *pdc);
void uet_pdc_timer_init(struct uet_pdc *pdc);
void uet_pdc_arm(struct uet_pdc *pdc, u64 at, u64 now);
void uet_pdc_disarm(struct uet_pdc *pdc);

/* tx/req.c */
struct sk_buff *uet_pdc_build_req(struct uet_pdc *pdc, u32 psn,
				  const struct uet_txpkt *p, u16 ev, bool retx,
				  bool ar, u32 credit_target);

/* tx/send.c: requests out; flow lock held */
void uet_pdc_tx_ready(struct uet_pdc *pdc);
int uet_pdc_tx_next(struct uet_pdc *pdc, struct sk_buff_head *list, u64 now);
struct sk_buff *uet_pdc_send_alone(struct uet_pdc *pdc, struct uet_txmsg *msg,
				   struct net_device *dev, u64 now);
void uet_pdc_tx_sent(struct uet_pdc *pdc, u64 now);
bool uet_dest_sendable(struct uet_dest *dest);
void uet_dest_activate(struct uet_dest *dest);

/* tx/lane.c */
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
void uet_dest_step_out(struct uet_pdc *pdc, struct uet_dest *dest);
bool uet_pdc_answer_due(const struct uet_pdc *pdc);
bool uet_pdc_tx_reserve(struct uet_pdc *pdc);
void uet_pdc_tx_shrink(struct uet_pdc *pdc);
int uet_pdc_send_close(struct uet_pdc *pdc, struct sk_buff_head *list, u64 now);
int uet_pdc_resend_close(struct uet_pdc *pdc, struct sk_buff_head *list,
			 u64 now);

/* tx/expire.c: intervals */
u64 uet_pdc_rto(const struct uet_pdc *pdc);
u64 uet_pdc_loss_age(const struct uet_pdc *pdc);
void uet_pdc_overtaken(struct uet_pdc *pdc, u64 now);
void uet_pdc_want_clear(struct uet_pdc *pdc, u64 now);
u64 uet_pdc_probe_interval(const struct uet_pdc *pdc);
void uet_pdc_nomem(struct uet_pdc *pdc, u64 now);

/* pdc/ctl.c: control packets out */
int uet_cp_queue(struct uet_pdc *pdc, struct sk_buff_head *list,
		 const struct uet_cp *cp, u8 ctl, u8 flags, u16 ev);

/**
 * struct uet_pdc_sent - when a packet left, for its round trip
 * @at: time, ns
 * @wait: how long before our port got it, ns; if not 0, @at is an estimate
 * @valid: it is known
 * @brief: too short a packet for the base RTT
 */
struct uet_pdc_sent {
	u64	at;
	u64	wait;
	bool	valid;
	bool	brief;
};

/* tx/ack.c: ACKs in, at the source */
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

/* tx/nack.c: NACKs in, at the source */
void uet_pdc_nack(struct uet_pdc *pdc, struct uet_rx_ctx *rx);

/* tx/bind.c: NO_MATCH and BAD_GENERATION, the whole message goes again */
void uet_msg_again(struct uet_pdc *pdc, struct uet_txmsg *msg, u8 code);
void uet_msg_regenerate(struct uet_pdc *pdc, struct uet_txmsg *msg,
			u8 generation);
void uet_msg_requeue(struct uet_pdc *pdc, struct uet_txmsg *msg);

/* tx/hold.c: targets that refuse for shortage */
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

/* tx/expire.c: what the timer finds due */
void uet_pdc_tx_expire(struct uet_pdc *pdc, struct sk_buff_head *list, u64 now);
u64 uet_pdc_rx_expire(struct uet_pdc *pdc, struct sk_buff_head *list, u64 now);

/* rx/request.c: requests in, at the destination */
void uet_pdc_request(struct uet_pdc *pdc, struct uet_rx_ctx *rx, bool created);
void uet_pdc_cleared(struct uet_pdc *pdc, u32 clear_psn);
void uet_pdc_drop_gtd(struct uet_pdc *pdc);
u32 uet_pdc_refused_top(const struct uet_pdc *pdc);
struct sk_buff *uet_pdc_stored_answer(struct uet_pdc *pdc,
				      struct uet_rx_ctx *rx, u32 psn);
struct sk_buff *uet_pdc_take_psn(struct uet_pdc *pdc, struct uet_rx_ctx *rx);
void uet_pdc_trimmed(struct uet_pdc *pdc, struct uet_rx_ctx *rx, bool lasthop);

/* rx/answer.c: answers out; rx.lock held while they are made */
struct sk_buff *uet_ack_make(struct uet_pdc *pdc, const struct uet_rx_ctx *rx,
			     u32 psn, u8 flags, const struct uet_ses_rsp *rsp);
struct sk_buff *uet_nack_make(struct uet_pdc *pdc, const struct uet_rx_ctx *rx,
			      u8 code, u32 psn, u32 payload);
void uet_nack_limit_init(struct uet_net *un);
void uet_nack_stateless(const struct uet_rx_ctx *rx, u8 code, u32 psn);

/* tx/control.c: control packets in */
void uet_pdc_control(struct uet_pdc *pdc, struct uet_rx_ctx *rx, bool created);

/* rx/ses.c: what a request means; rx.lock held */
enum uet_ses_verdict {
	UET_SES_TAKEN,		/* delivered, skb consumed */
	UET_SES_DROP,		/* received, nothing to deliver; skb is ours */
	UET_SES_REFUSED,	/* guaranteed response in *rc; skb is ours */
	UET_SES_SHORT,		/* no room: NACK; skb is ours */
};

enum uet_ses_verdict uet_ses_request(struct uet_pdc *pdc,
				     struct uet_rx_ctx *rx, u8 *code);
bool uet_ses_cack(struct uet_pdc *pdc, u32 cack);
void uet_ses_drop_all(struct uet_pdc *pdc, int error);

#endif /* _UET_PDC_H */
