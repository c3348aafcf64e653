/* SPDX-License-Identifier: GPL-2.0 */
/*
 * RCCC, receiver credit, at the destination: one pacer per network interface
 * grants credit at nearly its line rate (UE 1.0 3.6.14).
 *
 * Sources with demand are in one ring and are served in turn. Sources without
 * demand are in a second ring. While no source has demand, they get some credit
 * in advance, so that they can restart without waiting a round trip. The caller
 * serialises, owns the memory and runs one timer.
 *
 * A source whose address is not verified, a stranger, is granted no more than it has
 * sent. That is enough for its second round trip to follow the first, and who forges
 * addresses gets no larger part of the pace than of the link.
 *
 * Not here: sending the grants, what the network does to the pace (rccc_pace.h), and
 * credit at the source (cc_rccc.c).
 */
#ifndef _UET_CORE_RCCC_PACER_H
#define _UET_CORE_RCCC_PACER_H

#include "../env.h"
#include "cc_rccc.h"
#include "rccc_pace.h"

#define UET_RCCC_GRANT_MTUS	4
#define UET_RCCC_PACE_PCT	99
#define UET_RCCC_EMPTY_BYTES	1024	/* wait after an empty tick */
/* Largest sane distance between target and grant: windows, and at least quanta */
#define UET_RCCC_SANE_WNDS	16
#define UET_RCCC_SANE_MIN	0x20000U
/* A source whose first target is more windows ahead has counted before */
#define UET_RCCC_START_WNDS	4
/* After so many base RTTs without packets and demand the pace starts anew */
#define UET_RCCC_REST_RTTS	16

/**
 * enum uet_rccc_ring - ring that a source is in
 * @UET_RCCC_NONE: none
 * @UET_RCCC_ACTIVE: sources with demand
 * @UET_RCCC_SATISFIED: sources without demand
 */
enum uet_rccc_ring {
	UET_RCCC_NONE,
	UET_RCCC_ACTIVE,
	UET_RCCC_SATISFIED,
};

/**
 * struct uet_rccc_src - one source: {source endpoint, ccc_id}
 * @next: neighbour in its ring
 * @prev: neighbour in its ring
 * @last_rx: when its last packet arrived, ns
 * @outstanding: bytes granted that have not arrived yet
 * @ahead: bytes granted in advance that it may still have: less what has come since, and
 *	nothing once it asks for more
 * @earned: bytes that a stranger has sent and has not been granted
 * @target: cumulative target, quanta, 24 bits
 * @granted: cumulative grant, quanta, 24 bits
 * @ring: enum uet_rccc_ring
 * @stranger: its last packet did not verify its address: it gets no more than @earned,
 *	nothing in advance
 */
struct uet_rccc_src {
	struct uet_rccc_src *next;
	struct uet_rccc_src *prev;
	u64 last_rx;
	u64 outstanding;
	u64 ahead;
	u64 earned;
	u32 target;
	u32 granted;
	u8 ring;
	bool stranger;
};

/**
 * struct uet_rccc_pacer - pacer of one network interface
 * @active: source to serve next in the ring with demand; NULL if empty
 * @satisfied: the same in the ring without demand
 * @next_tick: when the next grant is due, ns
 * @base_rtt: base round trip, ns
 * @max_wnd: most credit that a source gets in advance, bytes
 * @written_off: bytes of grants that timed out
 * @last_rx: when the last packet of any source arrived, ns
 * @pace: part of the rate that the network carries
 * @rate_mbps: rate of the interface
 * @mtu: nominal MTU
 * @n_active: sources in @active
 * @n_satisfied: sources in @satisfied
 * @yields: @pace counts
 */
struct uet_rccc_pacer {
	struct uet_rccc_src *active;
	struct uet_rccc_src *satisfied;
	u64 next_tick;
	u64 base_rtt;
	u64 max_wnd;
	u64 written_off;
	u64 last_rx;
	struct uet_rccc_pace pace;
	u32 rate_mbps;
	u32 mtu;
	u32 n_active;
	u32 n_satisfied;
	bool yields;
};

/**
 * struct uet_rccc_grant - a grant to be sent
 * @src: source that gets it
 * @credit: cumulative grant for the credit field, quanta, 24 bits
 * @bytes: bytes added by this grant
 */
struct uet_rccc_grant {
	struct uet_rccc_src *src;
	u32 credit;
	u32 bytes;
};

/**
 * uet_rccc_pacer_init() - initialise a pacer
 * @p: pacer
 * @rate_mbps: rate of the interface, 0 = not known
 * @base_rtt: base round trip, ns
 * @mtu: nominal MTU
 * @now: time, ns
 * @seed: of the random lengths of the periods of its pace
 */
void uet_rccc_pacer_init(struct uet_rccc_pacer *p, u32 rate_mbps, u64 base_rtt,
			 u32 mtu, u64 now, u64 seed);

/**
 * uet_rccc_pacer_set() - change the rate or base RTT
 * @p: pacer
 * @rate_mbps: rate of the interface, 0 = not known
 * @base_rtt: base round trip, ns
 *
 * May be called at any time; earlier grants stay valid.
 */
void uet_rccc_pacer_set(struct uet_rccc_pacer *p, u32 rate_mbps, u64 base_rtt);

/**
 * uet_rccc_pacer_yield() - should congestion in the network lower the pace?
 * @p: pacer
 * @on: false where the sources have a window besides
 */
void uet_rccc_pacer_yield(struct uet_rccc_pacer *p, bool on);

/**
 * uet_rccc_src_init() - initialise a source
 * @s: memory of the caller
 * @now: time, ns
 */
void uet_rccc_src_init(struct uet_rccc_src *s, u64 now);

/**
 * uet_rccc_start() - where to begin to count the grants of a source
 * @p: pacer
 * @target: its first target, quanta, 24 bits
 *
 * Its count has run since its CCC was made, and may be known no longer. It wants no
 * more than a window, which may be larger than one of this end: what is far before that
 * has been granted, and the pacer would spend its pace on grants that bring nothing.
 *
 * Return: cumulative grant, quanta, 24 bits.
 */
u32 uet_rccc_start(const struct uet_rccc_pacer *p, u32 target);

/**
 * uet_rccc_grant_quanta() - size of one grant
 * @p: pacer
 *
 * Return: credit quanta.
 */
u32 uet_rccc_grant_quanta(const struct uet_rccc_pacer *p);

/**
 * uet_rccc_astray() - has the counter of a source restarted?
 * @p: pacer
 * @granted: cumulative grant, quanta, 24 bits
 * @target: cumulative target of the source, quanta, 24 bits
 *
 * Return: true if @target is too far from @granted.
 */
bool uet_rccc_astray(const struct uet_rccc_pacer *p, u32 granted, u32 target);

/**
 * uet_rccc_hint() - what to believe of a target that may be false
 * @p: pacer
 * @granted: cumulative grant of the source
 * @target: target by the header of a trimmed packet, whose CRC cannot be checked
 *
 * It neither restarts the count nor counts for more than a window: so a bit that
 * flipped costs no more than that. The retransmission repeats the target.
 *
 * Return: target.
 */
u32 uet_rccc_hint(const struct uet_rccc_pacer *p, u32 granted, u32 target);

/**
 * uet_rccc_on_rx() - a request of a source arrived, possibly trimmed
 * @p: pacer
 * @s: source
 * @now: time, ns
 * @target: its credit_target
 * @bytes: nominal size, 0 for a Credit Request or a trimmed packet
 *
 * The first window of a source has its target, so the grants for the second begin at
 * once.
 *
 * A target many windows away from the grant comes from a source whose counter
 * restarted with its CCC or host; the grants then restart too.
 *
 * Return: true if the caller's timer should run.
 */
bool uet_rccc_on_rx(struct uet_rccc_pacer *p, struct uet_rccc_src *s, u64 now,
		    u32 target, u32 bytes);

/**
 * uet_rccc_signal() - what that request says about the network
 * @p: pacer
 * @s: source
 * @now: time, ns
 * @signal: enum uet_rccc_signal
 *
 * Does not count for a stranger: nothing has paced its first window, and a header may
 * be forged.
 *
 * Return: true if a period ended in which congestion lowered the pace.
 */
bool uet_rccc_signal(struct uet_rccc_pacer *p, const struct uet_rccc_src *s,
		     u64 now, u8 signal);

/**
 * uet_rccc_tick() - compute the grants that are due
 * @p: pacer
 * @now: time, ns
 * @grants: filled
 * @max: room in @grants; also the bound of the loop
 * @horizon: include grants due until @now + @horizon, ns; the timer's slack, so
 *	that one tick returns a batch
 * @next: set to the time of the next tick, 0 if none is needed
 *
 * Return: number of grants.
 */
u32 uet_rccc_tick(struct uet_rccc_pacer *p, u64 now,
		  struct uet_rccc_grant *grants, u32 max, u64 horizon,
		  u64 *next);

/**
 * uet_rccc_remove() - a source is freed
 * @p: pacer
 * @s: source
 */
void uet_rccc_remove(struct uet_rccc_pacer *p, struct uet_rccc_src *s);

#endif /* _UET_CORE_RCCC_PACER_H */
