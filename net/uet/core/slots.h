/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Slots of a completion queue: who begins something that will be told owns a slot of the
 * ring from then on, so there is always room to tell it, and nothing waits for that.
 *
 * The entries are divided. What the program begins takes those of one share, what peers
 * cause those of the other: neither can use up what the other one has. A slot belongs to
 * its share until the program has taken what was told in it.
 *
 * The program says by the number that it has taken (head) what is free. It may write there
 * what it likes: a number that cannot be is ignored.
 */
#ifndef _UET_CORE_SLOTS_H
#define _UET_CORE_SLOTS_H

#include "env.h"

/* Entries of a ring, at most: uet_slots.remotes counts modulo 2^16 */
#define UET_SLOTS_MAX	65536U

/**
 * enum uet_slots_share - whose slots
 * @UET_SLOTS_OWN: what the program begins
 * @UET_SLOTS_REMOTE: what peers cause
 * @UET_SLOTS_SHARES: their number
 */
enum uet_slots_share {
	UET_SLOTS_OWN,
	UET_SLOTS_REMOTE,
	UET_SLOTS_SHARES,
};

/**
 * struct uet_slots - slots of a ring
 * @entries: of the ring, a power of two
 * @head: completions that the program has taken, as it said last
 * @tail: completions that were told
 * @most: slots of a share
 * @owed: slots of a share that are owned, and not told yet
 * @used: @owed, and those told that the program has not taken
 * @told_remote: completions of %UET_SLOTS_REMOTE told so far
 * @taken_remote: ... up to @head
 * @remotes: by entry: @told_remote when it was told, with it
 */
struct uet_slots {
	u32	entries;
	u32	head;
	u32	tail;
	u32	most[UET_SLOTS_SHARES];
	u32	owed[UET_SLOTS_SHARES];
	u32	used[UET_SLOTS_SHARES];
	u16	told_remote;
	u16	taken_remote;
	u16	*remotes;
};

/**
 * uet_slots_filled() - completions that the program has not taken
 * @s: slots
 *
 * Return: their number.
 */
static inline u32 uet_slots_filled(const struct uet_slots *s)
{
	return s->tail - s->head;
}

/**
 * uet_slots_free() - slots of a share that nobody has
 * @s: slots
 * @share: whose
 *
 * Return: their number.
 */
static inline u32 uet_slots_free(const struct uet_slots *s, enum uet_slots_share share)
{
	return s->most[share] - s->used[share];
}

void uet_slots_init(struct uet_slots *s, u32 entries, u32 remote, u16 *remotes);
bool uet_slots_own(struct uet_slots *s, enum uet_slots_share share, u32 n);
void uet_slots_disown(struct uet_slots *s, enum uet_slots_share share, u32 n);
u32 uet_slots_tell(struct uet_slots *s, enum uet_slots_share share);
void uet_slots_taken(struct uet_slots *s, u32 head);

#endif /* _UET_CORE_SLOTS_H */
