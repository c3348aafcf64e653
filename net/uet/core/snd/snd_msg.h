/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a sender (snd.h) sends: messages, their queues, lanes and holds, packets.
 */
#ifndef _UET_CORE_SND_MSG_H
#define _UET_CORE_SND_MSG_H

#include "../env.h"
#include "turn.h"
#include "txwin_heap.h"

/* Flags of packets */
#define UET_SND_MSG_ERROR	0x01	/* given up, no payload */

/**
 * enum uet_snd_msg_state - life of a message
 *
 *   QUEUED -> SENDING -> SENT -> DONE
 *      |         |         |
 *      +---------+---------+--> FAILED (reported once) -> DONE
 *
 * @UET_MSG_QUEUED: nothing of it was sent
 * @UET_MSG_SENDING: has a message id; some packets were sent
 * @UET_MSG_SENT: all packets were sent at least once
 * @UET_MSG_FAILED: reported; waits until its PSNs are acknowledged
 * @UET_MSG_DONE: off all lists
 */
enum uet_snd_msg_state {
	UET_MSG_QUEUED,
	UET_MSG_SENDING,
	UET_MSG_SENT,
	UET_MSG_FAILED,
	UET_MSG_DONE,
};

/**
 * struct uet_snd_msg - a message
 * @node: in uet_snd_queue.msgs until all of it is sent, then in .sent
 * @begun: in uet_snd.begun from SENDING on
 * @queue: its queue
 * @backlog: nominal bytes announced to the CCC and not yet sent
 * @announced: nominal bytes announced to the CCC so far
 * @len: length
 * @filled: bytes available so far
 * @sent: bytes cut into packets so far
 * @last_psn: PSN of the newest packet
 * @from: offset from which it is sent, not 0 if its target has what is before
 * @disowned: its PDC died: bytes before @from, and those NACKed since the target
 *	disowned the PDC
 * @msg_id: id on the wire, from SENDING on
 * @state: enum uet_snd_msg_state
 * @generation: of the resource index, the same in all its packets
 * @brief: bytes that its headers may have less than those of others, if it is one packet
 *	(SMALL, MEDIUM: UE 1.0 3.4.1)
 * @less: ... that they have less; from SENDING on
 * @retries: times it moved to another PDC after packets had been sent, or took
 *	another generation
 * @eom: all data is available
 * @withdrawn: MSG_ERROR ends it: it was given up, failed, or is to be resent
 * @given_up: its data is freed: its packets are resent as MSG_ERROR
 * @all_sent: every packet of it was sent, MSG_ERROR if it was given up
 * @again: resend all of it (NO_MATCH, DISABLED_GEN or BAD_GENERATION), or what its
 *	target asks for later, if it is @deferred
 * @deferred: the target defers it: when its packets are answered it leaves its
 *	sender; valid with @again
 * @maybe_accepted: its PDC died, and not all its packets were NACKed
 * @told: its sender waits to be told that it arrived
 * @joins: it is one packet, which may leave in a buffer with those of other messages
 * @run_len: packets with this payload may leave as a run, if sent for the first
 *	time; 0: each goes by itself
 * @run_max: packets of a run at most, 0 = the limit of the flow
 */
struct uet_snd_msg {
	struct list_head node;
	struct list_head begun;
	struct uet_snd_queue *queue;
	u64 backlog;
	u64 announced;
	u32 len;
	u32 filled;
	u32 sent;
	u32 last_psn;
	u32 from;
	u32 disowned;
	u16 msg_id;
	u8 state;
	u8 generation;
	u8 brief;
	u8 less;
	u8 retries;
	u16 run_len;
	u8 run_max;
	bool eom;
	bool withdrawn;
	bool given_up;
	bool all_sent;
	bool again;
	bool deferred;
	bool maybe_accepted;
	bool told;
	bool joins;
};

/**
 * struct uet_snd_hold - what a queue may send while its target is short of room
 * @on: nothing but the packets that are tried
 * @ramp: the hold has ended, but the pace is limited
 * @trying: @psn is in flight
 * @acked: ... or was, until an ACK that came just now; such queues are first in
 *	uet_snd.holds
 * @refused: NO_MATCH began it, or was heard in it
 * @level: of the exponential back-off
 * @allowed: packets released next; doubles
 * @budget: new packets left of @allowed
 * @psn: newest of the packets released
 * @next: when the oldest packet is tried, ns
 * @until: no new packets before, ns; 0 = none
 * @since: when the hold began, ns; valid while @on
 * @held_ns: time on hold, up to the end of the last hold
 * @held: held packets of the queue; those among them that were SACKed since stay
 *	until their turn, or until CACK covers them
 */
struct uet_snd_hold {
	bool on;
	bool ramp;
	bool trying;
	bool acked;
	bool refused;
	u8 level;
	u32 allowed;
	u32 budget;
	u32 psn;
	u64 next;
	u64 until;
	u64 since;
	u64 held_ns;
	struct uet_tx_heap held;
};

/**
 * struct uet_snd_lane - the queues of an ordered sender for one endpoint
 * @node: in uet_snd.lanes
 * @waiting: queues that could begin a message but must wait for @owner
 * @owner: the queue whose message is begun and not all sent
 * @users: queues of the lane
 * @pid: PIDonFEP of the endpoint, of any resource index
 * @stalled: @owner's message has nothing to send
 */
struct uet_snd_lane {
	struct list_head node;
	struct list_head waiting;
	struct uet_snd_queue *owner;
	u32 users;
	u16 pid;
	bool stalled;
};

/**
 * struct uet_snd_queue - messages for one target endpoint
 * @msgs: messages not completely sent, FIFO
 * @sent: messages sent and not done
 * @active: in uet_snd.active while something of @msgs can be sent, or in
 *	uet_snd_lane.waiting while another queue owns the lane
 * @hold_node: in uet_snd.holds
 * @lane: its lane at an ordered sender, NULL at others
 * @turn: quantum among the queues of its sender
 * @unfinished: messages in both lists
 * @pid: PIDonFEP of the endpoint
 * @generation: generation of the resource index that the target named last
 * @hold: the target NACKs for shortage
 * @crowd: how many queues wait for room, of those whose tries are to be few together, or
 *	NULL. Changes at any time
 */
struct uet_snd_queue {
	struct list_head msgs;
	struct list_head sent;
	struct list_head active;
	struct list_head hold_node;
	struct uet_snd_lane *lane;
	struct uet_turn turn;
	u32 unfinished;
	u16 pid;
	u8 generation;
	struct uet_snd_hold hold;
	const int *crowd;
};

/**
 * struct uet_snd_pkt - contents of the packet in one slot of the scoreboard
 * @msg: message the packet belongs to; it lives until CACK covers its last
 *	PSN. NULL for a control packet
 * @off: message offset
 * @len: payload bytes
 * @flags: UET_SND_MSG_ERROR
 * @wait: estimated wait in the local interface, uet_wait_pack()
 */
struct uet_snd_pkt {
	struct uet_snd_msg *msg;
	u32 off;
	u16 len;
	u8 flags;
	u8 wait;
};

#endif /* _UET_CORE_SND_MSG_H */
