/* SPDX-License-Identifier: GPL-2.0 */
/* Queues of a sender (snd.h): messages in line, turns, lanes. */
#ifndef _UET_CORE_SND_QUEUE_H
#define _UET_CORE_SND_QUEUE_H

#include "snd.h"

/**
 * uet_snd_queue_init() - prepare a queue
 * @q: queue, zeroed
 * @pid: PIDonFEP of its endpoint
 */
void uet_snd_queue_init(struct uet_snd_queue *q, u16 pid);

/**
 * uet_snd_enter() - a queue gets another message
 * @s: sender
 * @m: message, its @queue and @len set
 *
 * The caller goes on with uet_snd_pick_alone(), or uet_snd_announce() and
 * uet_snd_enqueue().
 */
static inline void uet_snd_enter(struct uet_snd *s, struct uet_snd_msg *m)
{
	m->queue->unfinished++;
	s->nr_msgs++;
}

/**
 * uet_snd_submit() - a queue gets another message, which is announced
 * @s: sender
 * @m: message, its @queue and @len set
 * @now: time, ns
 *
 * The caller goes on with uet_snd_enqueue().
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
 * uet_snd_not_again() - a message that was to be sent again whole ends instead
 * @m: message
 *
 * It was withdrawn for that only, not by its sender, who is to hear of its end.
 * One that was deferred is deferred no more.
 */
static inline void uet_snd_not_again(struct uet_snd_msg *m)
{
	if (likely(!m->again))
		return;
	m->again = false;
	m->deferred = false;
	m->withdrawn = false;
}

/**
 * uet_snd_defer_msg() - the target defers a message (UE 1.0 3.4.1)
 * @s: sender
 * @m: message, begun
 * @now: time, ns
 *
 * Nothing more of it is sent. When all its packets are answered, uet_snd_finish() lets
 * it go, so that what is behind it and the PDC need not wait: the target asks for it in
 * its own time. An ordered sender has no such messages, since later ones would overtake
 * them.
 *
 * Return: false if it is not to be deferred: it failed, or is sent again anyway.
 */
bool uet_snd_defer_msg(struct uet_snd *s, struct uet_snd_msg *m, u64 now);

/**
 * uet_snd_is_deferred() - is a message deferred?
 * @m: message
 *
 * Return: true if so, and it has not failed since.
 */
static inline bool uet_snd_is_deferred(const struct uet_snd_msg *m)
{
	return unlikely(m->deferred) && m->again && m->state != UET_MSG_FAILED;
}

/**
 * uet_snd_finish() - CACK covers the last packet of a message
 * @s: sender
 * @m: message, all sent
 * @now: time, ns
 *
 * Return: true if the message is done, or deferred (uet_snd_msg.deferred): it is on no
 * list then; false if it was queued again (uet_snd_msg.again).
 */
bool uet_snd_finish(struct uet_snd *s, struct uet_snd_msg *m, u64 now);

/**
 * uet_snd_rewind() - reset a message to be sent from its start
 * @m: message, off its lists
 */
void uet_snd_rewind(struct uet_snd_msg *m);

/**
 * uet_snd_restart() - reset a message that was deferred, to be sent again
 * @m: message, off its lists
 * @from: offset from which the target wants it, less than its length
 */
void uet_snd_restart(struct uet_snd_msg *m, u32 from);

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

/**
 * uet_snd_lanes_stalled() - has a lane nothing to send, for however short a time?
 * @s: sender; callers without its lock get a hint
 *
 * Return: true if uet_snd_lane_stalls() may be.
 */
static inline bool uet_snd_lanes_stalled(const struct uet_snd *s)
{
	return READ_ONCE(s->lanes_stalled);
}

/**
 * uet_snd_lane_stalls() - does a lane block others without data to send?
 * @s: an ordered sender; callers without its lock get a hint
 * @now: time, ns
 *
 * Return: true if one has stalled for a while.
 */
bool uet_snd_lane_stalls(const struct uet_snd *s, u64 now);

#endif /* _UET_CORE_SND_QUEUE_H */
