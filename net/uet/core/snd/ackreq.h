/* SPDX-License-Identifier: GPL-2.0 */
/*
 * When a source sets AR, the flag that asks the target for an ACK
 * (UE 1.0 3.6.13.5). The target also sends ACKs by itself, one per trigger
 * bytes received; a source that predicts those need not ask for more.
 * "Answer" here means such an ACK.
 *
 * Not here: AR for retransmissions and at the end of data (snd_pick.c).
 */
#ifndef _UET_CORE_ACKREQ_H
#define _UET_CORE_ACKREQ_H

#include "../cc/params.h"
#include "txwin.h"

/* Unrequested answers in a row before the source asks for one early */
#define UET_ACKREQ_IN_TURN	7

/**
 * struct uet_ackreq - the source's estimate of the target's ACK counter
 * @psn: last packet that was sent with AR
 * @count: bytes sent, counted as the target counts, since @psn or since the
 *	target should have answered by itself
 * @rounds: how often the target should have answered by itself since @psn
 */
struct uet_ackreq {
	u32 psn;
	u32 count;
	u32 rounds;
};

/**
 * struct uet_ackreq_rule - how the target counts
 * @trigger: it answers by itself after this many bytes
 * @min_add: a packet adds at least this many bytes
 * @overhead: nominal size of a packet without payload
 */
struct uet_ackreq_rule {
	u32 trigger;
	u32 min_add;
	u32 overhead;
};

/**
 * uet_ackreq_counted() - bytes that a packet counts for
 * @r: how the target counts
 * @len: payload of the packet
 *
 * Return: bytes.
 */
static inline u32 uet_ackreq_counted(const struct uet_ackreq_rule *r, u32 len)
{
	return max(len, r->min_add);
}

/**
 * uet_ackreq_run_trigger() - the trigger of a target that gets runs
 * @trigger: its ACK_Gen_Trigger
 * @bytes: what a run counts for
 *
 * An ACK costs both hosts a third of what a run of eight packets does, and a window
 * that lets packets leave in runs has room for many of them. So one answers four runs,
 * more if they are short: after %UET_ACK_RUN_LEAST to %UET_ACK_RUN_MOST triggers. Both
 * ends reckon with it.
 *
 * Return: bytes after which an ACK is sent.
 */
static inline u32 uet_ackreq_run_trigger(u32 trigger, u32 bytes)
{
	return clamp(4 * bytes, trigger * UET_ACK_RUN_LEAST,
		     trigger * UET_ACK_RUN_MOST);
}

/**
 * uet_ackreq_init() - before the first packet
 * @a: state
 * @start: first PSN
 */
static inline void uet_ackreq_init(struct uet_ackreq *a, u32 start)
{
	a->psn = start - 1;
	a->count = 0;
	a->rounds = 0;
}

/**
 * uet_ackreq_due() - will an answer come without another packet?
 * @a: state
 * @w: scoreboard
 * @r: how the target counts
 *
 * It will if a packet in flight carries AR, or if the packets in flight add up
 * to the trigger. The target also restarts its count at an ECN mark or a
 * retransmission, which this host does not see. But it answers then, and that
 * answer acknowledges the bytes counted before. It has counted the bytes still in
 * flight since then, or will count them.
 *
 * Return: true if an answer will come.
 */
bool uet_ackreq_due(const struct uet_ackreq *a, const struct uet_txwin *w,
		    const struct uet_ackreq_rule *r);

/**
 * uet_ackreq_share() - has this PDC sent a quarter of its share since the last AR?
 * @a: state
 * @w: scoreboard, the packet not in it yet
 * @bytes: what the packet or run counts for: uet_ackreq_counted()
 * @window: congestion window, bytes
 * @inflight: bytes in flight of all PDCs of the CCC
 *
 * Targets count per PDC. Where several PDCs share a window, the bytes that each
 * of them leaves unanswered add up to most of it. So each PDC asks four times
 * per share; its share is window * w->ring->flight_bytes / inflight.
 *
 * Return: true if so.
 */
bool uet_ackreq_share(const struct uet_ackreq *a, const struct uet_txwin *w,
		      u32 bytes, u64 window, u64 inflight);

/**
 * uet_ackreq_wanted() - should a packet set AR because the window gets full?
 * @a: state
 * @w: scoreboard, the packet not in it yet
 * @r: how the target counts
 * @bytes: what the packet or run counts for: uet_ackreq_counted()
 * @window: congestion window, bytes
 * @inflight: bytes in flight of all PDCs of the CCC
 *
 * UE 1.0 3.6.13.5 sets AR in every packet that fills the window. That never
 * ends: each answer releases one packet, which fills the window again. So a
 * packet asks only if a quarter of the window would go unanswered, or if no
 * answer is due. Large windows rarely need AR: the target answers by itself.
 *
 * Return: true if so.
 */
bool uet_ackreq_wanted(const struct uet_ackreq *a, const struct uet_txwin *w,
		       const struct uet_ackreq_rule *r, u32 bytes, u64 window,
		       u64 inflight);

/**
 * uet_ackreq_slips() - is it time to ask for an answer one packet early?
 * @a: state
 * @r: how the target counts
 * @bytes: what the packet or run counts for: uet_ackreq_counted()
 *
 * The target answers every n-th packet. If n and the number of entropy values
 * used in turn (or of links that deliver alternately) have a common divisor,
 * all answers report on the same few values or links. Asking for one answer in
 * eight a packet early breaks the pattern.
 *
 * Return: true if so.
 */
static inline bool uet_ackreq_slips(const struct uet_ackreq *a,
				    const struct uet_ackreq_rule *r, u32 bytes)
{
	return unlikely(a->rounds >= UET_ACKREQ_IN_TURN) &&
	       a->count + 2 * bytes >= r->trigger;
}

/**
 * uet_ackreq_sent() - a packet was sent or retransmitted, or a run was sent
 * @a: state
 * @r: how the target counts
 * @psn: its PSN, of a run the last one
 * @bytes: what it counts for: uet_ackreq_counted()
 * @ar: it carries AR
 */
static inline void uet_ackreq_sent(struct uet_ackreq *a,
				   const struct uet_ackreq_rule *r, u32 psn,
				   u32 bytes, bool ar)
{
	a->count += bytes;
	if (ar) {
		a->psn = psn;
		a->count = 0;
		a->rounds = 0;
	} else if (a->count >= r->trigger) {
		a->count = 0;
		a->rounds++;
	}
}

#endif /* _UET_CORE_ACKREQ_H */
