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
 * Each of these headers has a file of code beside it: snd_queue.h: queues, lanes and
 * turns. snd_pick.h: the next packet. snd_ack.h, snd_nack.h: answers. snd_loss.h:
 * which packets are lost, and the steps of events. snd_timer.h: intervals and
 * deadlines. snd_hold.h: targets that are short of room. snd_gone.h: targets that
 * lost the PDC. Here is what they work on.
 *
 * New packets of a message may leave as a run: equal in size, but for the last of the
 * message, with one entropy value, in one buffer. They are picked and committed as
 * one; answers and losses are per packet.
 *
 * Not here: messages and queues as objects (snd_msg.h), PSNs (txwin.h), opening and
 * closing of PDCs, the data of messages.
 */
#ifndef _UET_CORE_SND_H
#define _UET_CORE_SND_H

#include "../cc/ccc.h"
#include "../deadline.h"
#include "../wire/hdr_run.h"
#include "../wire/wire_ses.h"
#include "ackreq.h"
#include "loss.h"
#include "pdc_state.h"
#include "snd_msg.h"
#include "snd_rules.h"
#include "turn.h"
#include "txwin.h"

/* Limit of packets in flight until the first ACK_CC states MP_RANGE */
#define UET_MPR_FIRST_PSNS	128
/* Limit of unfinished messages, so that 16-bit message ids never run out */
#define UET_MSGS_BEGUN_MAX	32768
/*
 * Largest packet, nominal bytes: 14 bits of payload_length, and ample room for
 * headers, which uet_snd_flow.overhead must not exceed
 */
#define UET_SND_OVERHEAD_MAX	256
#define UET_SND_PKT_MAX		(UET_SES_LEN14 + UET_SND_OVERHEAD_MAX)
/*
 * Least quantum of a queue among those of its sender, bytes; it is not less than a
 * run. See uet_turn_over()
 */
#define UET_SND_QUANTUM		32768
static_assert(UET_SND_QUANTUM >= UET_SND_PKT_MAX);

/* Flags of the scoreboard's slots */
#define UET_SND_ASKED		0x10	/* an ACK_REQ about it was sent */
#define UET_SND_DISOWNED	0x20	/* NACKed by one that disowned the PDC */
#define UET_SND_DISOWNED_RTX	0x40	/* ... and so was its retransmission */
#define UET_SND_DROPPED		0x80	/* dropped by this host, not sent since */
static_assert(!((UET_SND_ASKED | UET_SND_DISOWNED | UET_SND_DISOWNED_RTX |
		 UET_SND_DROPPED) & ~UET_TX_USER_MASK));

/**
 * struct uet_snd_waits - senders or queues of a CCC that wait for the same
 * @nr: their number
 * @since: since when there are any, ns; valid while @nr
 */
struct uet_snd_waits {
	u32 nr;
	u64 since;
};

/**
 * struct uet_snd_flow - what the senders of a CCC share
 * @ccc: the CCC
 * @rules: settings
 * @probes: enum uet_probe_habit of the peer, changes at any time
 * @ready: senders that may have something to send (uet_snd.ready_node)
 * @reorder: allowance for packets that are late, not lost
 * @mpr_ns: time senders waited for receive windows
 * @mpr: senders that wait for their receive windows
 * @holds: queues on hold
 * @nacks_shortage: packets that targets NACKed for shortage
 * @prng: spreads the tries of hosts that wait for a PDC
 * @run_max: most packets that may leave as a run; 0 or 1: each by itself
 * @run: packets of a run that congestion control allowed last
 * @payload_mtu: largest payload of a packet
 * @overhead: nominal size of a packet without payload, <= %UET_SND_OVERHEAD_MAX
 * @spread_ms: largest retransmission timeout of silent peers at least, as so many of
 *	a user's are silent, ms
 * @multi: the peer is reached over several interfaces
 * @probes_apart: tail probes have the traffic class of control packets
 */
struct uet_snd_flow {
	struct uet_ccc *ccc;
	const struct uet_snd_rules *rules;
	const u8 *probes;
	struct list_head ready;
	struct uet_reorder reorder;
	u64 mpr_ns;
	struct uet_snd_waits mpr;
	struct uet_snd_waits holds;
	u64 nacks_shortage;
	u32 prng;
	u32 spread_ms;
	u8 run_max;
	u8 run;
	u16 payload_mtu;
	u16 overhead;
	bool multi;
	bool probes_apart;
};

/**
 * struct uet_snd_busy - what a sender needs only as long as it has rings
 * @pkts: ring beside the scoreboard's
 * @probe_at: when the tail probe is due, 0 = none
 * @loss_at: when to check SACK evidence again, 0 = none
 * @departs: when the newest packet leaves the interface, by estimate
 * @probe_tx: when the outstanding probe left, 0 = none
 * @probe_first: when the oldest unanswered probe left
 * @probed: when the last answered probe left, 0 = nothing sent before it is
 *	missing
 * @rack: latest send time of a packet known to have arrived
 * @mpr_since: since when the receive window blocks new packets, 0 = it does not
 * @gbn_until: ROD_OOO is ignored until then
 * @probe_end: first PSN not sent before the last probe
 * @probe_slack: how much later the timer may fire for the probe, ns
 * @rack_rtt: round trip of the packet of @rack, ns
 * @nack_e_psn: the packet that the last NACK of the error class named
 * @owed: blocks and packets that the last search for missing packets examined, less
 *	what ACKs paid since; see uet_snd_ack_done()
 * @awaited: packets of a disowned PDC whose NACKs are still awaited
 * @probe_ev: entropy value of the last probe
 * @probes: probes without an answer
 * @nack_e: NACKs of the error class in a row for @nack_e_psn
 * @ring: scoreboard of packets that are outstanding
 *
 * It is one piece of memory with the scoreboard's ring, so there is no other that may
 * be lacking. Without rings all of it reads as zero, and nothing writes it: nothing is
 * outstanding then, and the receive window is open.
 */
struct uet_snd_busy {
	struct uet_snd_pkt *pkts;
	u64 probe_at;
	u64 loss_at;
	u64 departs;
	u64 probe_tx;
	u64 probe_first;
	u64 probed;
	u64 rack;
	u64 mpr_since;
	u64 gbn_until;
	u32 probe_end;
	u32 probe_slack;
	u32 rack_rtt;
	u32 nack_e_psn;
	u32 awaited;
	u32 owed;
	u16 probe_ev;
	u8 probes;
	u8 nack_e;
	struct uet_tx_ring ring;
};

/**
 * struct uet_snd - a sender
 * @flow: what it shares
 * @ready_node: in uet_snd_flow.ready
 * @win: scoreboard; see uet_snd_busy() for what else is beside its ring
 * @active: queues with something to send now
 * @holds: queues on hold
 * @lanes: lanes of an ordered sender, one per endpoint
 * @begun: messages with an id that are not finished, in order of ids
 * @nr_msgs: messages that are not done
 * @state: enum uet_pdc_state; the caller changes it
 * @rod: ordered delivery
 * @keeps: an ordered target keeps packets behind a gap: it has SACKed some, and did not
 *	send ROD_OOO since
 * @next_msg_id: id of the next message that begins
 * @turn: quantum among the senders of its flow
 * @ackreq: which packets asked for an ACK
 * @wake_at: earliest deadline set since the caller cleared it, 0 = none
 * @rto_at: when the oldest transmission times out; 0 = nothing in flight.
 *	Of a disowned PDC: when its wait for NACKs ends
 * @retry_at: when to try again what failed for lack of memory, or to send what was
 *	deferred; 0 = nothing
 * @clear_at: when CLEAR_CMD is due, 0 = none
 * @hold_at: when the next held packet is tried, 0 = none
 * @idle_at: when the PDC counts as idle
 * @heard: when the peer was heard last
 * @stalled_at: when @lanes_stalled became > 0. Also read without the lock: a value
 *	that is torn or old, since a stall begins now, does no worse than send a
 *	queue to another sender, or to this one
 * @doubt_at: when a NACK without a PSN disowned the PDC, ns; 0 = never
 * @doubt_psn: PSN of the ACK_REQ that verifies it
 * @lanes_stalled: lanes whose begun message has nothing to send; also read
 *	without the lock
 * @clear_sent: last CLEAR_PSN sent
 * @start_psn: first PSN
 * @probe_id: opaque value of the last probe
 * @retries: timeouts in a row
 * @backoff: timeouts since the last valid RTT sample
 * @rto_half: half of the RTO that runs until @rto_at, uet_wait_pack()
 * @one_by_one: an ordered sender was NACKed for shortage: finish begun messages
 *	one after the other
 * @overdue: a timeout allows one retransmission beyond the window
 * @asked: the probe that tests whether the peer answers probes is out
 * @doubted: the ACK_REQ of @doubt_psn is due
 * @ambiguous: answers came since the last timeout, none with an RTT sample
 * @owes_ar: a message of several packets ended without AR, since others followed it
 */
struct uet_snd {
	struct uet_snd_flow *flow;
	struct list_head ready_node;
	struct uet_txwin win;
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
	u64 retry_at;
	u64 clear_at;
	u64 hold_at;
	u64 idle_at;
	u64 heard;
	u64 stalled_at;
	u64 doubt_at;
	u32 doubt_psn;
	u32 lanes_stalled;
	u32 clear_sent;
	u32 start_psn;
	u16 probe_id;
	u8 retries;
	u8 backoff;
	u8 rto_half;
	bool keeps : 1;
	bool one_by_one : 1;
	bool overdue : 1;
	bool asked : 1;
	bool doubted : 1;
	bool ambiguous : 1;
	bool owes_ar : 1;
};

/**
 * uet_snd_busy() - what a sender needs only as long as it has rings
 * @s: sender
 *
 * Return: it; of a sender without rings to be read only.
 */
static inline struct uet_snd_busy *uet_snd_busy(const struct uet_snd *s)
{
	return container_of(s->win.ring, struct uet_snd_busy, ring);
}

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
 * @win: uet_snd_win_size() bytes, aligned to 8
 * @pkts: as many entries as the ring has slots
 *
 * Two pieces, since each is just above or at a power of two.
 */
struct uet_snd_mem {
	void *win;
	struct uet_snd_pkt *pkts;
};

/**
 * uet_snd_win_size() - size of the first piece
 * @nslots: slots of the rings
 *
 * Return: bytes.
 */
static inline size_t uet_snd_win_size(u32 nslots)
{
	return offsetof(struct uet_snd_busy, ring) + uet_txwin_mem_size(nslots);
}

/**
 * uet_snd_attach() - give a sender larger rings
 * @s: sender
 * @mem: the new memory; set to the old one, which the caller must free
 * @nslots: uet_snd_more_slots()
 */
void uet_snd_attach(struct uet_snd *s, struct uet_snd_mem *mem, u32 nslots);

/**
 * uet_snd_at_rest() - may a sender do without rings?
 * @s: sender
 *
 * Return: true if nothing is outstanding or waits for the receive window.
 */
static inline bool uet_snd_at_rest(const struct uet_snd *s)
{
	return !uet_txwin_outstanding(&s->win) && uet_txwin_allowed(&s->win) &&
	       !uet_snd_busy(s)->mpr_since;
}

/**
 * uet_snd_detach() - take the rings of a sender away
 * @s: sender, uet_snd_at_rest() or dead
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

#endif /* _UET_CORE_SND_H */
