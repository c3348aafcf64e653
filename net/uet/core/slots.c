// SPDX-License-Identifier: GPL-2.0
/* Slots of a completion queue. See slots.h. */
#include "slots.h"

/**
 * uet_slots_init() - slots of an empty ring
 * @s: slots
 * @entries: of the ring: a power of two, 2 to %UET_SLOTS_MAX
 * @remote: those for what peers cause: less than @entries, at most half of %UET_SLOTS_MAX
 * @remotes: memory for one number by entry; constant
 */
void uet_slots_init(struct uet_slots *s, u32 entries, u32 remote, u16 *remotes)
{
	*s = (struct uet_slots){
		.entries = entries, .remotes = remotes,
		.most = {
			[UET_SLOTS_OWN] = entries - remote,
			[UET_SLOTS_REMOTE] = remote,
		},
	};
}

/**
 * uet_slots_own() - own slots for what begins now
 * @s: slots
 * @share: whose
 * @n: number
 *
 * Return: false if there are not so many; then nothing was done.
 */
bool uet_slots_own(struct uet_slots *s, enum uet_slots_share share, u32 n)
{
	if (n > uet_slots_free(s, share))
		return false;
	s->used[share] += n;
	s->owed[share] += n;
	return true;
}

/**
 * uet_slots_disown() - give back slots: there will be nothing to tell
 * @s: slots
 * @share: whose
 * @n: number, owned
 */
void uet_slots_disown(struct uet_slots *s, enum uet_slots_share share, u32 n)
{
	s->used[share] -= n;
	s->owed[share] -= n;
}

/**
 * uet_slots_tell() - use a slot
 * @s: slots
 * @share: whose; one is owned
 *
 * Return: number of the entry.
 */
u32 uet_slots_tell(struct uet_slots *s, enum uet_slots_share share)
{
	u32 at = s->tail++ & (s->entries - 1);

	s->owed[share]--;
	if (share == UET_SLOTS_REMOTE)
		s->told_remote++;
	s->remotes[at] = s->told_remote;
	return at;
}

/**
 * uet_slots_taken() - the program says what it has taken
 * @s: slots
 * @head: completions so far. What cannot be is ignored
 */
void uet_slots_taken(struct uet_slots *s, u32 head)
{
	u32 n = head - s->head;
	u16 told, remote;

	if (!n || n > uet_slots_filled(s))
		return;
	told = s->remotes[(head - 1) & (s->entries - 1)];
	remote = told - s->taken_remote;
	s->taken_remote = told;
	s->used[UET_SLOTS_REMOTE] -= remote;
	s->used[UET_SLOTS_OWN] -= n - remote;
	s->head = head;
}
