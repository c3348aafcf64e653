/* SPDX-License-Identifier: GPL-2.0 */
/* Holds of queues whose target is short of room (snd_msg.h). */
#ifndef _UET_CORE_SND_HOLD_H
#define _UET_CORE_SND_HOLD_H

#include "snd.h"

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
 *
 * Return: number of queues looked at, which is not more than that of packets that
 * answers named since the last call.
 */
u32 uet_snd_hold_acked(struct uet_snd *s, u64 now);

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
 * @s: sender
 * @q: queue
 * @now: time, ns
 */
void uet_snd_hold_clear(struct uet_snd *s, struct uet_snd_queue *q, u64 now);

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

#endif /* _UET_CORE_SND_HOLD_H */
