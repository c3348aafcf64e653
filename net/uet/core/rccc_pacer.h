/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Receiver credit at the destination: one pacer per device port hands out
 * credit at nearly its line rate (UE 1.0 3.6.14).
 *
 * Sources with demand stand in a ring and are served in turn. Sources whose
 * demand is met stand in a second ring and are given some credit ahead while
 * nobody else wants any, so that they can restart without a round trip. The
 * caller serialises, owns the memory and runs one timer.
 */
#ifndef _UET_CORE_RCCC_PACER_H
#define _UET_CORE_RCCC_PACER_H

#include "env.h"
#include "cc_rccc.h"

#define UET_RCCC_GRANT_MTUS	4
#define UET_RCCC_PACE_PCT	99
#define UET_RCCC_EMPTY_BYTES	1024	/* wait after an empty tick */
/* Windows that a target may be away from what was granted, in quanta at least */
#define UET_RCCC_SANE_WNDS	16
#define UET_RCCC_SANE_MIN	0x20000U

/**
 * enum uet_rccc_ring - where a source stands
 * @UET_RCCC_NONE: nowhere
 * @UET_RCCC_ACTIVE: has demand
 * @UET_RCCC_SATISFIED: has none
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
 * @last_rx: when a packet of it last arrived, ns
 * @outstanding: bytes granted and not yet seen to arrive
 * @target: cumulative target, quanta, 24 bits
 * @granted: cumulative grant, quanta, 24 bits
 * @ring: enum uet_rccc_ring
 * @stranger: its address is not proved: nothing is given ahead
 */
struct uet_rccc_src {
	struct uet_rccc_src *next;
	struct uet_rccc_src *prev;
	u64 last_rx;
	u64 outstanding;
	u32 target;
	u32 granted;
	u8 ring;
	bool stranger;
};

/**
 * struct uet_rccc_pacer - one port
 * @active: ring of sources with demand, next to serve; NULL = empty
 * @satisfied: ring of the others
 * @next_tick: when credit may next be given, ns
 * @base_rtt: base round trip, ns
 * @max_wnd: most that a satisfied source is given ahead, bytes
 * @written_off: grants given up by the credit timeout, bytes
 * @rate_mbps: port rate
 * @mtu: nominal MTU
 * @n_active: sources in @active
 * @n_satisfied: sources in @satisfied
 */
struct uet_rccc_pacer {
	struct uet_rccc_src *active;
	struct uet_rccc_src *satisfied;
	u64 next_tick;
	u64 base_rtt;
	u64 max_wnd;
	u64 written_off;
	u32 rate_mbps;
	u32 mtu;
	u32 n_active;
	u32 n_satisfied;
};

/**
 * struct uet_rccc_grant - credit to be sent
 * @src: source it is for
 * @credit: cumulative grant for the credit field, quanta, 24 bits
 * @bytes: bytes added by this grant
 */
struct uet_rccc_grant {
	struct uet_rccc_src *src;
	u32 credit;
	u32 bytes;
};

/**
 * uet_rccc_pacer_init() - start a port
 * @p: pacer
 * @rate_mbps: port rate, 0 = not known
 * @base_rtt: base round trip, ns
 * @mtu: nominal MTU
 * @now: time, ns
 */
void uet_rccc_pacer_init(struct uet_rccc_pacer *p, u32 rate_mbps, u64 base_rtt,
			 u32 mtu, u64 now);

/**
 * uet_rccc_pacer_set() - a port has another rate or round trip
 * @p: pacer
 * @rate_mbps: port rate, 0 = not known
 * @base_rtt: base round trip, ns
 *
 * May be called at any time; what was granted stays.
 */
void uet_rccc_pacer_set(struct uet_rccc_pacer *p, u32 rate_mbps, u64 base_rtt);

/**
 * uet_rccc_src_init() - start a source
 * @s: memory of the caller
 * @now: time, ns
 */
void uet_rccc_src_init(struct uet_rccc_src *s, u64 now);

/**
 * uet_rccc_grant_quanta() - what one grant gives
 * @p: pacer
 *
 * Return: credit quanta.
 */
u32 uet_rccc_grant_quanta(const struct uet_rccc_pacer *p);

/**
 * uet_rccc_astray() - does a source count from somewhere else?
 * @p: pacer
 * @granted: cumulative grant, quanta, 24 bits
 * @target: what the source names
 *
 * Return: true if they are whole windows apart.
 */
bool uet_rccc_astray(const struct uet_rccc_pacer *p, u32 granted, u32 target);

/**
 * uet_rccc_on_rx() - a request of a source arrived, trimmed ones too
 * @p: pacer
 * @s: source
 * @now: time, ns
 * @target: its credit_target
 * @bytes: nominal size, 0 for a Credit Request or a trimmed packet
 *
 * A target many windows away from what was granted comes from a source that
 * counts anew, since its context or host was restarted; so do the grants then.
 *
 * Return: true if a source has demand and the caller's timer should run.
 */
bool uet_rccc_on_rx(struct uet_rccc_pacer *p, struct uet_rccc_src *s, u64 now,
		    u32 target, u32 bytes);

/**
 * uet_rccc_tick() - hand out credit
 * @p: pacer
 * @now: time, ns
 * @grants: filled
 * @max: room in @grants; also the bound of the loop
 * @horizon: time ahead of which credit may be given, ns: the timer's slack,
 *	so that one tick gives a batch
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
