/* SPDX-License-Identifier: GPL-2.0 */
/*
 * TFC at the destination (UE 1.0 3.6.15): a buffer, counted in cells, that is handed out
 * to sources. See tfc.h.
 *
 * A cell of the buffer is free, or reserved for a packet that a source may send, or held
 * by a packet that came and was not read. Grants are made of free cells, for what
 * sources ask, in turns. A source gets no more than twice what is then left free for
 * others (the dynamic threshold of shared buffers in switches): so one alone has two
 * thirds of the buffer, and who comes later finds room at once.
 *
 * The buffer is exceeded by two things, and both are bounded. A new source has its first
 * cells without a grant. And what is held may be packets of messages that are not
 * complete, so that nobody can read and free them: then one source at a time gets cells
 * beyond the buffer, until it holds something that can be read.
 *
 * The caller serialises, owns the memory and runs one timer.
 *
 * Not here: sending the grants, whose packets hold what (rx/cms/tfc.c), and the source
 * (cc_tfc.c).
 */
#ifndef _UET_CORE_TFC_CELLS_H
#define _UET_CORE_TFC_CELLS_H

#include "../env.h"
#include "cc_rccc.h"
#include "tfc.h"

/* A source gets at most this many times what is then left free */
#define UET_TFC_SHARE		2
/* A grant is this part of the buffer, within limits, unless a source wants less */
#define UET_TFC_TURNS		16
#define UET_TFC_TURN_MIN	16U
#define UET_TFC_TURN_MAX	1024U
/* So many Credit Requests in a row say that what was granted is of no use. */
#define UET_TFC_ASKS		3
/* Up to so many times the buffer a source that was granted more need not ask for it */
#define UET_TFC_BEYOND		2
/* How far the target of a packet that was overtaken may be behind */
#define UET_TFC_LAG		1024U
/* A target so far from the grants is of a source whose count began anew */
#define UET_TFC_ASTRAY		(2 * UET_TFC_CELLS_MAX)

/**
 * struct uet_tfc_src - cells of one source: {source endpoint, ccc_id}
 * @turn: in uet_tfc_pool.turns while it wants cells
 * @quiet: in uet_tfc_pool.quiet while @reserved counts there
 * @last_rx: when its last packet arrived, ns
 * @reserved: cells that it may send and that have not come
 * @held: cells of its packets that were not read
 * @ready: those of them that a reader could read
 * @target: cumulative target, cells, 24 bits
 * @granted: cumulative grant, cells, 24 bits
 * @proved: its address is verified; before that nothing is granted, and its first cells
 *	are not counted
 * @largest: cells of its largest packet
 * @asks: Credit Requests since its last packet: with one, nothing is in flight from it
 */
struct uet_tfc_src {
	struct list_head turn;
	struct list_head quiet;
	u64 last_rx;
	u64 reserved;
	u64 held;
	u64 ready;
	u32 target;
	u32 granted;
	u32 largest;
	bool proved;
	u8 asks;
};

/**
 * struct uet_tfc_pool - a buffer that is handed out in cells
 * @turns: sources that want cells; the first one is next
 * @quiet: sources with reserved cells, about in the order of their last packets
 * @beyond: source that may exceed the buffer, or NULL
 * @size: cells of the buffer
 * @reserved: sum of all sources that are proved
 * @held: sum of all sources, also of those that have gone
 * @lent: cells granted beyond the buffer so far
 * @taken_back: cells so far that silent sources were granted and did not use
 * @nr_turns: length of @turns
 */
struct uet_tfc_pool {
	struct list_head turns;
	struct list_head quiet;
	struct uet_tfc_src *beyond;
	u64 size;
	u64 reserved;
	u64 held;
	u64 lent;
	u64 taken_back;
	u32 nr_turns;
};

/**
 * struct uet_tfc_grant - a grant to be sent
 * @src: source that gets it
 * @cells: cells that it adds
 */
struct uet_tfc_grant {
	struct uet_tfc_src *src;
	u32 cells;
};

/**
 * uet_tfc_pool_init() - initialise a buffer
 * @p: buffer
 * @size: cells
 */
void uet_tfc_pool_init(struct uet_tfc_pool *p, u64 size);

/**
 * uet_tfc_pool_set() - change the size
 * @p: buffer
 * @size: cells; if it is less than what is in use, nothing is granted until that is
 *	free
 */
void uet_tfc_pool_set(struct uet_tfc_pool *p, u64 size);

/**
 * uet_tfc_src_init() - initialise a source
 * @s: memory of the caller
 * @target: its first target, cells, 24 bits
 * @first: cells that it may send without a grant
 * @now: time, ns
 *
 * Its count began at 0, unless the target is too far for that: then this end has
 * forgotten it.
 */
void uet_tfc_src_init(struct uet_tfc_src *s, u32 target, u32 first, u64 now);

/**
 * uet_tfc_src_again() - a new PDC names a source that is known
 * @p: buffer
 * @s: source
 * @target: its credit_target
 * @first: cells that a new source may send without a grant
 *
 * A source that restarted may have the ccc_id of one from before. Then its target is
 * farther behind the grants than those that a source has not heard of yet, which are
 * reserved: its count begins anew here, too.
 */
void uet_tfc_src_again(struct uet_tfc_pool *p, struct uet_tfc_src *s, u32 target,
		       u32 first);

/**
 * uet_tfc_heard() - a packet of a source arrived, possibly trimmed
 * @p: buffer
 * @s: source
 * @now: time, ns
 * @target: its credit_target
 * @proved: its address is verified
 * @asks: it is a Credit Request
 *
 * Return: true if uet_tfc_tick() may have something to grant.
 */
bool uet_tfc_heard(struct uet_tfc_pool *p, struct uet_tfc_src *s, u64 now,
		   u32 target, bool proved, bool asks);

/**
 * uet_tfc_grant() - grant what an answer to a Credit Request can tell of at once
 * @p: buffer
 * @s: source that asks
 *
 * Only if no other source waits for a turn.
 *
 * Return: cells.
 */
u32 uet_tfc_grant(struct uet_tfc_pool *p, struct uet_tfc_src *s);

/**
 * uet_tfc_arrived() - a packet is accepted that was not before
 * @p: buffer
 * @s: source
 * @cells: what it cost
 *
 * Its cells are not reserved any more. They are free, unless uet_tfc_hold() was called.
 */
void uet_tfc_arrived(struct uet_tfc_pool *p, struct uet_tfc_src *s, u32 cells);

/**
 * uet_tfc_hold() - a packet is in a buffer until it is read
 * @p: buffer
 * @s: source
 * @cells: its cells
 * @ready: it can be read
 */
void uet_tfc_hold(struct uet_tfc_pool *p, struct uet_tfc_src *s, u32 cells,
		  bool ready);

/**
 * uet_tfc_ready() - what is held can be read now
 * @p: buffer
 * @s: source
 * @cells: cells of it
 */
void uet_tfc_ready(struct uet_tfc_pool *p, struct uet_tfc_src *s, u32 cells);

/**
 * uet_tfc_free() - what was held is read, or dropped
 * @p: buffer
 * @s: source, which may have been removed
 * @cells: cells of it
 * @ready: it could be read
 *
 * Return: true if uet_tfc_tick() may have something to grant.
 */
bool uet_tfc_free(struct uet_tfc_pool *p, struct uet_tfc_src *s, u32 cells,
		  bool ready);

/**
 * uet_tfc_tick() - grant what can be granted now
 * @p: buffer
 * @now: time, ns
 * @grants: filled, one entry for each source
 * @max: room in @grants; also bounds the loops
 * @next: set to the time of another tick if nothing happens, 0 if none is needed
 *
 * Also takes back what silent sources have not used.
 *
 * Return: number of grants.
 */
u32 uet_tfc_tick(struct uet_tfc_pool *p, u64 now, struct uet_tfc_grant *grants,
		 u32 max, u64 *next);

/**
 * uet_tfc_remove() - a source is gone
 * @p: buffer
 * @s: source; it must stay until what it holds was freed
 *
 * What was reserved for it is free.
 */
void uet_tfc_remove(struct uet_tfc_pool *p, struct uet_tfc_src *s);

#endif /* _UET_CORE_TFC_CELLS_H */
