/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which packets ask for an answer, and whether one is to be expected.
 */
#ifndef _UET_CORE_ACKREQ_H
#define _UET_CORE_ACKREQ_H

#include "txwin.h"

/* Answers the target gives in turn before it is asked for one */
#define UET_ACKREQ_IN_TURN	7

/**
 * struct uet_ackreq - what a source knows of the answers to come
 * @psn: last packet that was sent with AR
 * @count: bytes sent since, or since the target answered by itself, as it
 *	counts them
 * @rounds: how often it did so since that packet
 */
struct uet_ackreq {
	u32 psn;
	u32 count;
	u32 rounds;
};

/**
 * struct uet_ackreq_rule - how the target counts
 * @trigger: it answers by itself after so many bytes
 * @min_add: a packet adds at least these
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
 * It will if a packet in flight asked for one, or if those in flight together
 * reach the trigger: whenever the target began to count anew - at a mark or a
 * retransmission it does so without this host's knowing - its answer then told
 * what it had, and the packets in flight are those it has counted since or
 * will count.
 *
 * Return: true if so.
 */
bool uet_ackreq_due(const struct uet_ackreq *a, const struct uet_txwin *w,
		    const struct uet_ackreq_rule *r);

/**
 * uet_ackreq_share() - is it a quarter of a share since the last question?
 * @a: state
 * @w: scoreboard, the packet not in it yet
 * @r: how the target counts
 * @len: payload of the packet
 * @window: congestion window, bytes
 * @inflight: what fills it, of all PDCs of the context, bytes
 *
 * Targets count for each PDC. Where several share a window, what each of them
 * lets wait for an answer adds up to most of it, so each asks by its share.
 *
 * Return: true if so.
 */
bool uet_ackreq_share(const struct uet_ackreq *a, const struct uet_txwin *w,
		      const struct uet_ackreq_rule *r, u32 len, u64 window,
		      u64 inflight);

/**
 * uet_ackreq_wanted() - should a packet ask because the window gets full?
 * @a: state
 * @w: scoreboard, the packet not in it yet
 * @r: how the target counts
 * @len: payload of the packet
 * @window: congestion window, bytes
 * @inflight: what fills it, of all PDCs of the context, bytes
 *
 * Asking with every packet that fills the window (UE 1.0 3.6.13.5) would go on
 * for ever: each answer lets one packet out, which fills it again. So a packet
 * asks if a quarter of the window would go without an answer, or if none is
 * due; large windows need none of it, since the target answers by itself.
 *
 * Return: true if so.
 */
bool uet_ackreq_wanted(const struct uet_ackreq *a, const struct uet_txwin *w,
		       const struct uet_ackreq_rule *r, u32 len, u64 window,
		       u64 inflight);

/**
 * uet_ackreq_slips() - is it time for an answer out of turn?
 * @a: state
 * @r: how the target counts
 * @len: payload of the packet
 *
 * An answer per so many packets, and values used in turn, or packets that two
 * links deliver alternately: the answers would tell of the same few values, or
 * of one link, for ever. So one answer in eight is asked for a packet early.
 *
 * Return: true if so.
 */
static inline bool uet_ackreq_slips(const struct uet_ackreq *a,
				    const struct uet_ackreq_rule *r, u32 len)
{
	return unlikely(a->rounds >= UET_ACKREQ_IN_TURN) &&
	       a->count + 2 * uet_ackreq_counted(r, len) >= r->trigger;
}

/**
 * uet_ackreq_sent() - a packet was sent for the first time or again
 * @a: state
 * @r: how the target counts
 * @psn: its PSN
 * @len: its payload
 * @ar: it asks for an answer
 */
static inline void uet_ackreq_sent(struct uet_ackreq *a,
				   const struct uet_ackreq_rule *r, u32 psn,
				   u32 len, bool ar)
{
	a->count += uet_ackreq_counted(r, len);
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
