/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The sender of one direction of a PDC (UE 1.0 3.5.11, 3.5.12): which packet is
 * next, and what to do about each answer, or if none comes.
 *
 * Events go in, with the time; actions come out. The caller has the messages'
 * data, builds and sends packets, reports messages and feeds congestion control.
 * It serialises all calls for the senders of a CCC.
 *
 *	event			function		what the caller does next
 *	a message		uet_snd_submit()	send
 *	send			uet_snd_pick()		build the packet, uet_snd_commit()
 *	ACK			uet_snd_ack()		messages, congestion control
 *				uet_snd_ack_done()	losses, uet_snd_settled()
 *	NACK			uet_snd_nack()		by its verdict
 *	timer			uet_snd_expire()	losses, control packets
 *
 * "Losses" is a loop of uet_snd_next_lost(), which does the rest of an event step
 * by step: congestion control hears of each lost packet before the next step.
 * Control packets that an event asks for are in struct uet_snd_work; one that
 * cannot be sent counts as lost on the way.
 *
 * Deadlines: @wake_at is the earliest one that was set since the caller cleared it;
 * uet_snd_deadline() is the earliest of all.
 *
 * In snd_queue.c: queues, lanes and turns. snd_pick.c: the next packet.
 * snd_ack.c, snd_nack.c: answers. snd_loss.c: which packets are lost, and the steps
 * of events. snd_timer.c: intervals and deadlines. snd_hold.c: targets that are
 * short of room. snd_gone.c: targets that lost the PDC.
 *
 * Not here: messages and queues as objects (snd_msg.h), PSNs (txwin.h), opening and
 * closing of PDCs, the data of messages.
 */
#ifndef _UET_CORE_SND_H
#define _UET_CORE_SND_H

#include "ackreq.h"
#include "ccc.h"
#include "deadline.h"
#include "hdr_parse.h"
#include "loss.h"
#include "pdc_state.h"
#include "prng.h"
#include "probe.h"
#include "snd_msg.h"
#include "snd_rules.h"
#include "turn.h"
#include "txwin.h"
#include "txwin_scan.h"

/* Limit of packets in flight until the first ACK_CC states MP_RANGE */
#define UET_MPR_FIRST_PSNS	128
/* Limit of unfinished messages, so that 16-bit message ids never run out */
#define UET_MSGS_BEGUN_MAX	32768
/* Quantum of a queue among those of its sender, bytes */
#define UET_SND_QUANTUM		32768

/* Flags of the scoreboard's slots */
#define UET_SND_ASKED		0x10	/* an ACK_REQ about it was sent */
#define UET_SND_DISOWNED	0x20	/* NACKed by one that disowned the PDC */
#define UET_SND_DISOWNED_RTX	0x40	/* ... and so was its retransmission */

/**
 * struct uet_snd_flow - what the senders of a CCC share
 * @ccc: the CCC
 * @rules: settings
 * @probes: enum uet_probe_habit of the peer, changes at any time
 * @ready: senders that may have something to send (uet_snd.ready_node)
 * @reorder: allowance for packets that are late, not lost
 * @mpr_ns: time senders waited for receive windows
 * @nacks_shortage: packets that targets NACKed for shortage
 * @payload_mtu: largest payload of a packet
 * @overhead: nominal size of a packet without payload
 * @multi: the peer is reached over several interfaces
 */
struct uet_snd_flow {
	struct uet_ccc *ccc;
	const struct uet_snd_rules *rules;
	const u8 *probes;
	struct list_head ready;
	struct uet_reorder reorder;
	u64 mpr_ns;
	u64 nacks_shortage;
	u16 payload_mtu;
	u16 overhead;
	bool multi;
};

/**
 * struct uet_snd - a sender
 * @flow: what it shares
 * @ready_node: in uet_snd_flow.ready
 * @win: scoreboard
 * @pkts: ring beside the scoreboard's
 * @active: queues with something to send now
 * @holds: queues on hold
 * @lanes: lanes of an ordered sender, one per endpoint
 * @begun: messages with an id that are not finished, in order of ids
 * @nr_msgs: messages that are not done
 * @state: enum uet_pdc_state; the caller changes it
 * @rod: ordered delivery
 * @next_msg_id: id of the next message that begins
 * @turn: quantum among the senders of its flow
 * @ackreq: which packets asked for an ACK
 * @wake_at: earliest deadline set since the caller cleared it, 0 = none
 * @rto_at: when the oldest transmission times out; 0 = nothing in flight.
 *	Of a disowned PDC: when its wait for NACKs ends
 * @probe_at: when the tail probe is due, 0 = none
 * @loss_at: when to check SACK evidence again, 0 = none
 * @retry_at: when to try again what failed for lack of memory, 0 = nothing
 * @clear_at: when CLEAR_CMD is due, 0 = none
 * @hold_at: when the next held packet is tried, 0 = none
 * @departs: when the newest packet leaves the interface, by estimate
 * @idle_at: when the PDC counts as idle
 * @heard: when the peer was heard last
 * @probe_tx: when the outstanding probe left, 0 = none
 * @probe_first: when the oldest unanswered probe left
 * @probed: when the last answered probe left, 0 = nothing sent before it is
 *	missing
 * @rack: latest send time of a packet known to have arrived
 * @mpr_since: since when the receive window blocks new packets, 0 = it does not
 * @gbn_until: ROD_OOO is ignored until then
 * @stalled_at: when @lanes_stalled became > 0
 * @unreachable_at: when ICMP first said port unreachable, ns, 0 = never; void if
 *	@heard is later
 * @unreachable_end: next PSN when the last such ICMP came
 * @vain_at: when @vain was last counted, ns
 * @doubt_at: when a NACK without a PSN disowned the PDC, ns; 0 = never
 * @doubt_psn: PSN of the ACK_REQ that verifies it
 * @lanes_stalled: lanes whose begun message has nothing to send
 * @probe_end: first PSN not sent before the last probe
 * @probe_slack: how much later the timer may fire for the probe, ns
 * @rack_rtt: round trip of the packet of @rack, ns
 * @nack_e_psn: the packet that the last NACK of the error class named
 * @clear_sent: last CLEAR_PSN sent
 * @awaited: packets of a disowned PDC whose NACKs are still awaited
 * @start_psn: first PSN
 * @prng: spreads the tries of hosts that wait for a PDC
 * @probe_id: opaque value of the last probe
 * @probe_ev: entropy value of the last probe
 * @retries: timeouts in a row
 * @backoff: timeouts since the last valid RTT sample
 * @probes: probes without an answer
 * @nack_e: NACKs of the error class in a row for @nack_e_psn
 * @vain: probes, ACK_REQs and retransmissions since @unreachable_at
 * @one_by_one: an ordered sender was NACKed for shortage: finish begun messages
 *	one after the other
 * @overdue: a timeout allows one retransmission beyond the window
 * @asked: the probe that tests whether the peer answers probes is out
 * @doubted: the ACK_REQ of @doubt_psn is due
 * @ambiguous: answers came since the last timeout, none with an RTT sample
 */
struct uet_snd {
	struct uet_snd_flow *flow;
	struct list_head ready_node;
	struct uet_txwin win;
	struct uet_snd_pkt *pkts;
	struct list_head active;
	struct list_head holds;
	struct list_head lanes;
	struct list_head begun;
	u32 nr_msgs;
	u8 state;
	bool rod;
	u16 next_msg_id;
	struct uet_turn turn;
	struct uet_ackreq ackreq;
	u64 wake_at;
	u64 rto_at;
	u64 probe_at;
	u64 loss_at;
	u64 retry_at;
	u64 clear_at;
	u64 hold_at;
	u64 departs;
	u64 idle_at;
	u64 heard;
	u64 probe_tx;
	u64 probe_first;
	u64 probed;
	u64 rack;
	u64 mpr_since;
	u64 gbn_until;
	u64 stalled_at;
	u64 unreachable_at;
	u64 vain_at;
	u64 doubt_at;
	u32 unreachable_end;
	u32 doubt_psn;
	u32 lanes_stalled;
	u32 probe_end;
	u32 probe_slack;
	u32 rack_rtt;
	u32 nack_e_psn;
	u32 clear_sent;
	u32 awaited;
	u32 start_psn;
	u32 prng;
	u16 probe_id;
	u16 probe_ev;
	u8 retries;
	u8 backoff;
	u8 probes;
	u8 nack_e;
	u8 vain;
	bool one_by_one : 1;
	bool overdue : 1;
	bool asked : 1;
	bool doubted : 1;
	bool ambiguous : 1;
};

/* Note a deadline for the caller to arm its timer. */
static inline void uet_snd_wake(struct uet_snd *s, u64 at)
{
	s->wake_at = uet_earliest(s->wake_at, at);
}

/**
 * uet_snd_nominal() - nominal size of a packet (UE 1.0 3.6.12)
 * @f: flow
 * @payload: its payload bytes
 *
 * Return: UDP length plus 40.
 */
static inline u32 uet_snd_nominal(const struct uet_snd_flow *f, u32 payload)
{
	return f->overhead + payload;
}

/**
 * uet_snd_init() - prepare a sender
 * @s: sender, zeroed
 * @f: what it shares
 * @start_psn: first PSN
 * @rod: ordered delivery
 * @seed: a random number
 * @now: time, ns
 */
void uet_snd_init(struct uet_snd *s, struct uet_snd_flow *f, u32 start_psn,
		  bool rod, u32 seed, u64 now);

/**
 * struct uet_snd_mem - memory of the rings of a sender, which the caller owns
 * @win: uet_txwin_mem_size() bytes, aligned to 8
 * @pkts: as many entries as the ring has slots
 *
 * Two pieces, since each is just above or at a power of two.
 */
struct uet_snd_mem {
	void *win;
	struct uet_snd_pkt *pkts;
};

/**
 * uet_snd_attach() - give a sender larger rings
 * @s: sender
 * @mem: the new memory; set to the old one, which the caller must free
 * @nslots: uet_snd_more_slots()
 */
void uet_snd_attach(struct uet_snd *s, struct uet_snd_mem *mem, u32 nslots);

/**
 * uet_snd_detach() - take the rings of a sender away
 * @s: sender
 * @mem: set to their memory, which the caller must free; to NULL if there is none
 *	or a packet is outstanding
 */
void uet_snd_detach(struct uet_snd *s, struct uet_snd_mem *mem);

/**
 * uet_snd_more_slots() - the next size of the rings
 * @s: sender
 *
 * Return: slots, 0 if there may be no more.
 */
u32 uet_snd_more_slots(const struct uet_snd *s);

/*
 * Queues and messages: snd_queue.c
 */

/**
 * uet_snd_queue_init() - prepare a queue
 * @q: queue, zeroed
 * @pid: PIDonFEP of its endpoint
 */
void uet_snd_queue_init(struct uet_snd_queue *q, u16 pid);

/**
 * uet_snd_submit() - a queue gets another message
 * @s: sender
 * @m: message, its @queue and @len set
 * @now: time, ns
 *
 * The caller goes on with uet_snd_pick_alone() or uet_snd_enqueue().
 */
void uet_snd_submit(struct uet_snd *s, struct uet_snd_msg *m, u64 now);

/**
 * uet_snd_enqueue() - put a submitted message in line
 * @s: sender
 * @m: message
 * @now: time, ns
 */
void uet_snd_enqueue(struct uet_snd *s, struct uet_snd_msg *m, u64 now);

/**
 * uet_snd_announce() - announce available data of a message to congestion control
 * @s: sender, not dead
 * @m: message
 * @now: time, ns
 */
void uet_snd_announce(struct uet_snd *s, struct uet_snd_msg *m, u64 now);

/**
 * uet_snd_sendable() - does a queue have a packet that may be sent?
 * @s: sender
 * @q: queue
 *
 * Return: true if so.
 */
bool uet_snd_sendable(const struct uet_snd *s, const struct uet_snd_queue *q);

/**
 * uet_snd_activate() - let a queue send if it has something to send
 * @s: sender
 * @q: queue
 * @now: time, ns
 */
void uet_snd_activate(struct uet_snd *s, struct uet_snd_queue *q, u64 now);

/**
 * uet_snd_step_out() - deactivate a queue that has nothing to send now
 * @s: sender
 * @q: queue
 * @now: time, ns
 */
void uet_snd_step_out(struct uet_snd *s, struct uet_snd_queue *q, u64 now);

/**
 * uet_snd_ready() - a sender may have something to send
 * @s: sender
 */
void uet_snd_ready(struct uet_snd *s);

/**
 * uet_snd_rotate() - a sender has sent a packet: whose turn is next?
 * @s: sender, first of its flow's
 *
 * It leaves the list if it has nothing left to send.
 */
void uet_snd_rotate(struct uet_snd *s);

/**
 * uet_snd_drop() - remove a message of which nothing was sent
 * @s: sender
 * @m: message
 * @now: time, ns
 *
 * Return: true if its queue has no message left.
 */
bool uet_snd_drop(struct uet_snd *s, struct uet_snd_msg *m, u64 now);

/**
 * uet_snd_end() - let MSG_ERROR end a message of which not all was sent
 * @s: sender
 * @m: message, SENDING
 * @now: time, ns
 */
void uet_snd_end(struct uet_snd *s, struct uet_snd_msg *m, u64 now);

/**
 * uet_snd_finish() - CACK covers the last packet of a message
 * @s: sender
 * @m: message, all sent
 * @now: time, ns
 *
 * Return: true if the message is done; false if it was queued again
 * (uet_snd_msg.again).
 */
bool uet_snd_finish(struct uet_snd *s, struct uet_snd_msg *m, u64 now);

/**
 * uet_snd_rewind() - reset a message to be sent from its start
 * @m: message, off its lists
 */
void uet_snd_rewind(struct uet_snd_msg *m);

/**
 * uet_snd_lane_join() - put a queue of an ordered sender in its lane
 * @s: sender
 * @q: queue
 * @spare: memory for a lane, in case there is none yet
 *
 * Ordered delivery is strictly by PSN. Each message begun takes memory at the
 * target, which only its last packet frees. If messages of several queues for the
 * same endpoint were mixed, that packet would have to wait behind the packets of
 * all others: the target would need memory for all of them, or the PDC would
 * deadlock. So of all queues for one PIDonFEP only one at a time has a message that
 * is begun and not all sent; the others wait in its lane. Messages for different
 * endpoints share the PDC packet by packet.
 *
 * Return: @spare if it was not needed, else NULL.
 */
struct uet_snd_lane *uet_snd_lane_join(struct uet_snd *s,
				       struct uet_snd_queue *q,
				       struct uet_snd_lane *spare);

/**
 * uet_snd_leave() - a queue leaves its sender
 * @s: sender
 * @q: queue, without messages
 * @now: time, ns
 *
 * Return: a lane without queues, which the caller must free, or NULL.
 */
struct uet_snd_lane *uet_snd_leave(struct uet_snd *s, struct uet_snd_queue *q,
				   u64 now);

/*
 * Packets: snd_pick.c
 */

/**
 * enum uet_snd_verdict - whether a sender has a packet to send
 * @UET_SND_NOTHING: no
 * @UET_SND_CLOSED: yes, but the window of congestion control is closed
 * @UET_SND_GROW: yes, but it needs larger rings first
 * @UET_SND_NEW: a new packet
 * @UET_SND_RTX: a retransmission
 * @UET_SND_CP: a control packet is to be sent again
 */
enum uet_snd_verdict {
	UET_SND_NOTHING,
	UET_SND_CLOSED,
	UET_SND_GROW,
	UET_SND_NEW,
	UET_SND_RTX,
	UET_SND_CP,
};

/**
 * struct uet_snd_out - the packet to send
 * @pkt: what it carries
 * @ask: question to congestion control
 * @params: its answer: entropy value, credit target
 * @rule: how the target counts it
 * @psn: its PSN
 * @tx_time: when it was sent last, if it is a retransmission, ns
 * @rtx: it is one
 * @ar: it asks for an ACK
 * @last: it is the last new packet of its message
 * @alone: by uet_snd_pick_alone()
 */
struct uet_snd_out {
	struct uet_snd_pkt pkt;
	struct uet_ccc_ask ask;
	struct uet_ccc_send params;
	struct uet_ackreq_rule rule;
	u32 psn;
	u64 tx_time;
	bool rtx;
	bool ar;
	bool last;
	bool alone;
};

/**
 * uet_snd_pick() - the next packet of a sender
 * @s: sender
 * @now: time, ns
 * @port_free: when the interface has sent what it was given, ns
 * @out: filled for %UET_SND_NEW, %UET_SND_RTX; only @psn for %UET_SND_CP
 *
 * The caller builds the packet and calls uet_snd_commit(), or uet_snd_nomem().
 *
 * Return: verdict.
 */
enum uet_snd_verdict uet_snd_pick(struct uet_snd *s, u64 now, u64 port_free,
				  struct uet_snd_out *out);

/**
 * uet_snd_may_alone() - may a message be sent without waiting in line?
 * @s: sender
 * @m: message, submitted and in no list
 *
 * Return: true if it fits one packet and nothing else waits.
 */
bool uet_snd_may_alone(const struct uet_snd *s, const struct uet_snd_msg *m);

/**
 * uet_snd_pick_alone() - the packet of a message that need not wait in line
 * @s: sender with room, see uet_snd_has_room()
 * @m: message, uet_snd_may_alone()
 * @now: time, ns
 * @port_free: as for uet_snd_pick()
 * @out: filled
 */
void uet_snd_pick_alone(struct uet_snd *s, struct uet_snd_msg *m, u64 now,
			u64 port_free, struct uet_snd_out *out);

/**
 * uet_snd_has_room() - may another PSN be used at once?
 * @s: sender
 *
 * Return: %UET_SND_NEW if so, %UET_SND_GROW if it needs larger rings, else
 * %UET_SND_NOTHING.
 */
enum uet_snd_verdict uet_snd_has_room(const struct uet_snd *s);

/**
 * uet_snd_commit() - a packet was handed over for transmission
 * @s: sender
 * @out: the packet
 * @at: when it leaves the interface, by estimate, ns
 * @now: time, ns
 */
void uet_snd_commit(struct uet_snd *s, struct uet_snd_out *out, u64 at,
		    u64 now);

/**
 * uet_snd_commit_cp() - a control packet with a PSN was sent or sent again
 * @s: sender
 * @psn: its PSN; uet_snd.win.next for a new one
 * @now: time, ns
 *
 * A new one needs room: uet_snd_has_room().
 */
void uet_snd_commit_cp(struct uet_snd *s, u32 psn, u64 now);

/**
 * uet_snd_transmitted() - set deadlines after transmissions
 * @s: sender
 * @now: time, ns
 *
 * The RTO starts if it is not running; the interval of the tail probe restarts
 * when the last packet leaves. Once for all packets of a turn.
 */
void uet_snd_transmitted(struct uet_snd *s, u64 now);

/**
 * uet_snd_answer_due() - will a packet in flight be answered?
 * @s: sender
 *
 * Return: true if one has AR, or the target sends an ACK by itself.
 */
bool uet_snd_answer_due(const struct uet_snd *s);

/*
 * Answers: snd_ack.c, snd_nack.c
 */

/**
 * struct uet_snd_sent - when a packet left, for its round trip
 * @at: time, ns
 * @wait: wait in the local interface before @at, ns; if > 0, @at is an estimate
 * @valid: @at is known
 * @brief: the packet is too short for a base RTT sample
 */
struct uet_snd_sent {
	u64 at;
	u64 wait;
	bool valid;
	bool brief;
};

/**
 * struct uet_snd_acked - what an ACK says
 * @sum: what it changed in the scoreboard
 * @from: the @sum.psns PSNs from here on are complete; walk them with
 *	uet_snd_covered()
 * @answered: contents of the packet it answers, if that is outstanding beyond
 *	CACK; valid until packets are sent
 * @first: it is the first answer to that packet
 * @needless: a retransmission arrived although the original had
 * @cc: for congestion control
 * @sent: when the packet it answers left
 */
struct uet_snd_acked {
	struct uet_tx_acked sum;
	u32 from;
	const struct uet_snd_pkt *answered;
	bool first;
	bool needless;
	struct uet_ccc_ack cc;
	struct uet_snd_sent sent;
};

/**
 * uet_snd_names() - does an ACK name packets of the sender?
 * @s: sender
 * @a: the ACK
 *
 * In SYN it must name a packet that was sent, since it will establish the PDC.
 *
 * Return: true if the ACK may be processed.
 */
bool uet_snd_names(const struct uet_snd *s, const struct uet_ack *a);

/**
 * uet_snd_ack() - process an ACK
 * @s: sender, uet_snd_names()
 * @pkt: the ACK
 * @ev: entropy value it echoes
 * @now: time, ns
 * @out: what it says
 *
 * The caller handles the response, walks the packets covered, feeds @out->cc to
 * congestion control, then calls uet_snd_ack_done().
 */
void uet_snd_ack(struct uet_snd *s, const struct uet_pkt *pkt, u16 ev, u64 now,
		 struct uet_snd_acked *out);

/**
 * uet_snd_covered() - contents of a packet that an ACK covers
 * @s: sender
 * @psn: one of the PSNs that uet_snd_ack() named
 * @last: set if it is the last one of its message: uet_snd_finish() may follow
 *
 * Return: contents; their @msg is NULL for a control packet. The caller sets it to
 * NULL.
 */
static inline struct uet_snd_pkt *uet_snd_covered(struct uet_snd *s, u32 psn,
						  bool *last)
{
	struct uet_snd_pkt *p = &s->pkts[uet_txwin_index(&s->win, psn)];
	const struct uet_snd_msg *m = p->msg;

	*last = m && m->last_psn == psn && m->all_sent;
	return p;
}

/**
 * uet_snd_sent_at() - find the send time of the packet that an answer names
 * @s: sender, the answer not processed yet
 * @psn: the packet
 * @rtx: the answer is to a retransmission
 * @sent: result
 *
 * Return: false if the answer gives no RTT sample.
 */
bool uet_snd_sent_at(const struct uet_snd *s, u32 psn, bool rtx,
		     struct uet_snd_sent *sent);

/**
 * uet_snd_sample() - round trip time of an answer
 * @s: sender
 * @sent: when the packet left
 * @service: service time at the target, ns
 * @now: time, ns
 * @rtt: result, ns
 *
 * If the packet waited in the local interface its send time is an estimate,
 * too late where the interface is faster than it reports: such a sample must
 * not lower the base RTT. The time since the handover to the interface is an
 * upper bound, though, and may lower it: otherwise a flow that always fills its
 * interface would never see its path become shorter.
 *
 * Return: false if there is no sample.
 */
bool uet_snd_sample(const struct uet_snd *s, const struct uet_snd_sent *sent,
		    u64 service, u64 now, u64 *rtt);

/* A control packet to send; its type is @ctl. */
struct uet_snd_cp {
	struct uet_cp cp;
	u8 ctl;
	bool data_class;	/* in the traffic class of data */
	u16 ev;			/* 0: any */
};

#define UET_SND_CPS	4

/**
 * enum uet_snd_end - how an event ended a PDC
 * @UET_SND_ALIVE: it did not
 * @UET_SND_SILENT: the peer has been silent for too long
 */
enum uet_snd_end {
	UET_SND_ALIVE,
	UET_SND_SILENT,
};

/**
 * struct uet_snd_work - an event that is being processed
 * @now: time, ns
 * @port_free: when the interface has sent what it was given, ns
 * @todo: steps that are left
 * @doing: the step whose packets are being scanned
 * @how: enum uet_loss_class of that step
 * @any: the scan found a lost packet
 * @young: the scan passed packets that are too young
 * @from: step "go back": first PSN that the target dropped
 * @ooo: out-of-order count of the ACK
 * @oldest: step "timed out": oldest packet that is not overtaken
 * @limit: packets sent before are lost, ns
 * @first: when @oldest was sent, ns
 * @scan: the scan
 * @gone_back: packets that are resent by "go back"
 * @timeouts: retransmission timeouts
 * @probes: tail probes
 * @nr_cps: control packets to send
 * @cps: these
 * @end: enum uet_snd_end
 */
struct uet_snd_work {
	u64 now;
	u64 port_free;
	u16 todo;
	u16 doing;
	u8 how;
	bool any;
	bool young;
	u8 nr_cps;
	u8 end;
	u8 timeouts;
	u8 probes;
	u16 ooo;
	u32 from;
	u32 oldest;
	u32 gone_back;
	u64 limit;
	u64 first;
	struct uet_tx_scan scan;
	struct uet_snd_cp cps[UET_SND_CPS];
};

/**
 * uet_snd_work_init() - before an event
 * @w: work
 * @now: time, ns
 * @port_free: when the interface has sent what it was given, ns
 */
static inline void uet_snd_work_init(struct uet_snd_work *w, u64 now,
				     u64 port_free)
{
	w->now = now;
	w->port_free = port_free;
	w->todo = 0;
	w->doing = 0;
	w->nr_cps = 0;
	w->end = UET_SND_ALIVE;
	w->timeouts = 0;
	w->probes = 0;
	w->gone_back = 0;
}

/**
 * uet_snd_next_lost() - do the steps of an event up to the next lost packet
 * @s: sender
 * @w: the event
 * @loss: the packet, which is marked for retransmission; the caller feeds it to
 *	congestion control
 *
 * Return: false if all steps are done.
 */
bool uet_snd_next_lost(struct uet_snd *s, struct uet_snd_work *w,
		       struct uet_ccc_loss *loss);

/**
 * uet_snd_lost() - one packet is known to be lost
 * @s: sender
 * @psn: the packet
 * @how: enum uet_loss_class
 * @now: time, ns
 * @loss: set for congestion control
 *
 * Return: false if congestion control need not hear of it.
 */
bool uet_snd_lost(struct uet_snd *s, u32 psn, u8 how, u64 now,
		  struct uet_ccc_loss *loss);

/**
 * uet_snd_ack_done() - second part of an ACK, after congestion control
 * @s: sender
 * @pkt: the ACK
 * @acked: what it says
 * @w: initialised; uet_snd_next_lost() follows, then uet_snd_settled()
 */
void uet_snd_ack_done(struct uet_snd *s, const struct uet_pkt *pkt,
		      const struct uet_snd_acked *acked, struct uet_snd_work *w);

/**
 * uet_snd_probe_answer() - an ACK answers a tail probe
 * @s: sender
 * @a: the ACK
 * @w: work of uet_snd_ack_done()
 * @rtt: set to the round trip, ns
 *
 * Return: false if the answer is not to the last probe, or gives no round trip.
 */
bool uet_snd_probe_answer(struct uet_snd *s, const struct uet_ack *a,
			  struct uet_snd_work *w, u64 *rtt);

/**
 * uet_snd_settled() - set deadlines after an answer
 * @s: sender, not dead
 * @now: time, ns
 */
void uet_snd_settled(struct uet_snd *s, u64 now);

/**
 * enum uet_snd_nack_verdict - what a NACK means
 * @UET_SND_NACK_STRAY: it is about no packet of the sender
 * @UET_SND_NACK_DONE: nothing more to do
 * @UET_SND_NACK_FATAL: the target has no such PDC
 * @UET_SND_NACK_TOO_MANY: it was one error too many: the PDC fails
 * @UET_SND_NACK_NO_PROBES: the peer does not support PROBEs
 * @UET_SND_NACK_SETTLE: go on with uet_snd_next_lost(), uet_snd_settled()
 * @UET_SND_NACK_FEED: a packet is resent: feed congestion control, if
 *	uet_snd_nacked.fed, then go on with uet_snd_settled()
 */
enum uet_snd_nack_verdict {
	UET_SND_NACK_STRAY,
	UET_SND_NACK_DONE,
	UET_SND_NACK_FATAL,
	UET_SND_NACK_TOO_MANY,
	UET_SND_NACK_NO_PROBES,
	UET_SND_NACK_SETTLE,
	UET_SND_NACK_FEED,
};

/**
 * struct uet_snd_nacked - what a NACK says
 * @cc: for congestion control
 * @fed: @cc is filled
 * @seen: the target has seen the packet: its payload length is @len
 * @len: see @seen
 * @held: a queue whose hold begins now, or NULL
 */
struct uet_snd_nacked {
	struct uet_ccc_nack cc;
	bool fed;
	bool seen;
	u16 len;
	struct uet_snd_queue *held;
};

/**
 * uet_snd_nack() - process a NACK
 * @s: sender, not dead
 * @pkt: the NACK
 * @ev: entropy value it echoes
 * @w: initialised
 * @probing: a PROBE of the flow for another purpose is out
 * @out: what it says
 *
 * Return: verdict.
 */
enum uet_snd_nack_verdict uet_snd_nack(struct uet_snd *s,
				       const struct uet_pkt *pkt, u16 ev,
				       bool probing, struct uet_snd_work *w,
				       struct uet_snd_nacked *out);

/**
 * uet_snd_clear_req() - the target wants a response to be cleared
 * @s: sender
 * @psn: PSN of the response
 * @ev: entropy value of the request
 * @w: initialised; gets ACK_REQ if the response was lost
 */
void uet_snd_clear_req(struct uet_snd *s, u32 psn, u16 ev,
		       struct uet_snd_work *w);

/*
 * Time: snd_timer.c
 */

/**
 * uet_snd_rto() - current retransmission timeout
 * @s: sender
 *
 * Return: interval in ns, back-off included.
 */
u64 uet_snd_rto(const struct uet_snd *s);

/**
 * uet_snd_patience() - longest normal round trip
 * @s: sender
 *
 * max(base RTT, SRTT + 4 deviations), since the paths of a CCC queue differently.
 *
 * Return: ns.
 */
u64 uet_snd_patience(const struct uet_snd *s);

/**
 * uet_snd_loss_age() - age at which a missing packet is lost, not late
 * @s: sender
 *
 * Return: ns since its last transmission.
 */
u64 uet_snd_loss_age(const struct uet_snd *s);

/**
 * uet_snd_probe_interval() - silence after which a tail probe is sent
 * @s: sender
 *
 * Return: interval in ns.
 */
u64 uet_snd_probe_interval(const struct uet_snd *s);

/**
 * uet_snd_probe_timer() - when the timer must fire for the tail probe
 * @s: sender
 *
 * Where short messages follow one another, each postpones the tail probe, and
 * the timer would fire once per probe interval for nothing. So after it did, it
 * may fire a base RTT late for the probe (uet_snd_slacken()): a lost tail is still
 * repaired within four round trips and a target delay. A packet with AR ends that,
 * since its sender is likely to wait for the answer.
 *
 * Return: time in ns, 0 if it need not fire.
 */
static inline u64 uet_snd_probe_timer(const struct uet_snd *s)
{
	return s->probe_at ? s->probe_at + s->probe_slack : 0;
}

/**
 * uet_snd_slacken() - the timer fired; see uet_snd_probe_timer()
 * @s: sender
 * @now: time, ns
 */
void uet_snd_slacken(struct uet_snd *s, u64 now);

/**
 * uet_snd_nomem() - schedule a retry: memory for a packet is lacking
 * @s: sender
 * @now: time, ns
 */
void uet_snd_nomem(struct uet_snd *s, u64 now);

/**
 * uet_snd_expire() - the timer fired
 * @s: sender, not dead
 * @w: initialised; uet_snd_next_lost() follows and does all that is due
 */
void uet_snd_expire(struct uet_snd *s, struct uet_snd_work *w);

/**
 * uet_snd_deadline() - when the timer must fire next
 * @s: sender
 *
 * Return: time in ns, 0 if it need not fire.
 */
u64 uet_snd_deadline(const struct uet_snd *s);

/**
 * uet_snd_unreachable() - ICMP said port unreachable about a packet
 * @s: sender
 * @now: time, ns
 *
 * Leads to a probe at once.
 */
void uet_snd_unreachable(struct uet_snd *s, u64 now);

/**
 * uet_snd_refused() - is "port unreachable" to be believed?
 * @s: sender
 * @now: time, ns
 *
 * Return: true if since then nothing was answered for a second and twice the longest
 * normal round trip, although this host asked several times.
 */
bool uet_snd_refused(const struct uet_snd *s, u64 now);

/**
 * uet_snd_lane_stalls() - does a lane block others without data to send?
 * @s: an ordered sender; callers without its lock get a hint
 * @now: time, ns
 *
 * Return: true if one has stalled for a while.
 */
bool uet_snd_lane_stalls(const struct uet_snd *s, u64 now);

/*
 * Holds: snd_hold.c
 */

/**
 * uet_snd_hold() - hold a packet that was NACKed for shortage
 * @s: sender
 * @psn: the packet, already marked for retransmission
 * @now: time, ns
 *
 * Return: its queue if the hold begins now, else NULL.
 */
struct uet_snd_queue *uet_snd_hold(struct uet_snd *s, u32 psn, u64 now);

/**
 * uet_snd_pause() - pause new packets: the target had no room (NO_MATCH)
 * @s: sender
 * @q: queue
 * @now: time, ns
 *
 * Held packets are released first, since they stop CACK and the target takes
 * them now; the pause follows.
 *
 * Return: true if a hold begins now.
 */
bool uet_snd_pause(struct uet_snd *s, struct uet_snd_queue *q, u64 now);

/**
 * uet_snd_hold_lost() - hold a lost packet if its queue is on hold
 * @s: sender
 * @psn: the packet, marked for retransmission; a try is resent at once
 */
void uet_snd_hold_lost(struct uet_snd *s, u32 psn);

/**
 * uet_snd_hold_blocks() - does a hold stop an ordered sender before a packet?
 * @s: sender
 * @psn: the packet
 *
 * The target accepts nothing behind a NACKed packet, whatever its endpoint.
 *
 * Return: true if @psn must wait.
 */
bool uet_snd_hold_blocks(const struct uet_snd *s, u32 psn);

/**
 * uet_snd_hold_acked() - release more packets of queues whose try arrived
 * @s: sender with holds
 * @now: time, ns
 */
void uet_snd_hold_acked(struct uet_snd *s, u64 now);

/**
 * uet_snd_hold_wake() - the receiver has room again (NACK RCVR_INFER_LOSS)
 * @s: sender
 * @psn: lowest PSN that it had NACKed for shortage
 * @now: time, ns
 */
void uet_snd_hold_wake(struct uet_snd *s, u32 psn, u64 now);

/**
 * uet_snd_hold_expire() - release packets whose pause has ended
 * @s: sender
 * @now: time, ns
 */
void uet_snd_hold_expire(struct uet_snd *s, u64 now);

/**
 * uet_snd_hold_given_up() - release held packets of messages given up
 * @s: sender
 * @q: queue
 * @now: time, ns
 *
 * They are resent at once, as MSG_ERROR. A try in flight ends by its answer, as
 * usual.
 */
void uet_snd_hold_given_up(struct uet_snd *s, struct uet_snd_queue *q, u64 now);

/**
 * uet_snd_hold_clear() - end the hold of a queue without messages
 * @q: queue
 * @now: time, ns
 */
void uet_snd_hold_clear(struct uet_snd_queue *q, u64 now);

/**
 * uet_snd_held_ns() - time that a queue has been on hold
 * @q: queue
 * @now: time, ns
 *
 * Return: ns, the present hold included.
 */
static inline u64 uet_snd_held_ns(const struct uet_snd_queue *q, u64 now)
{
	return q->hold.held_ns + (q->hold.on ? now - q->hold.since : 0);
}

/*
 * Targets that lost the PDC: snd_gone.c
 */

/**
 * uet_snd_disown() - the target disowned the PDC: await NACKs of what is in flight
 * @s: sender
 * @psn: the packet that its NACK names
 * @rtx: it was a retransmission
 * @now: time, ns
 *
 * Return: true if NACKs are awaited, up to @rto_at.
 */
bool uet_snd_disown(struct uet_snd *s, u32 psn, bool rtx, u64 now);

/**
 * uet_snd_disowned() - a NACK for a disowned PDC
 * @s: sender
 * @psn: the packet it names
 * @rtx: it was a retransmission
 *
 * Return: true if more NACKs are awaited.
 */
bool uet_snd_disowned(struct uet_snd *s, u32 psn, bool rtx);

/**
 * uet_snd_gone() - take what a dead sender leaves behind out of its CCC
 * @s: sender; @disowned and @maybe_accepted of its messages are set
 * @backlog: backlog of its messages, nominal bytes
 * @now: time, ns
 * @mem: set to the memory of its rings, which the caller must free
 */
void uet_snd_gone(struct uet_snd *s, u64 backlog, u64 now,
		  struct uet_snd_mem *mem);

/**
 * uet_snd_may_move() - may a message of a dead PDC move to another one?
 * @s: sender
 * @m: message
 * @unopened: the PDC died before any answer
 *
 * Only if the peer cannot have accepted any of it, and max_nack_retx times at most.
 * The caller has asked whether its data is still there.
 *
 * Return: true if so.
 */
bool uet_snd_may_move(const struct uet_snd *s, struct uet_snd_msg *m,
		      bool unopened);

#endif /* _UET_CORE_SND_H */
