// SPDX-License-Identifier: GPL-2.0
/*
 * Both tables grow as they must: a profile that is not complete is worth nothing.
 *
 * As text (lines "context ID PARENT FUNCTION" and "block CONTEXT PHASE ADDRESS
 * VALUE...", addresses in hexadecimal) they are read by ../read.py.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "counts.h"

/* @child, @next: contexts that were called from here, and a list of them; 0 ends it */
struct context {
	uint32_t	parent, child, next;
	uint64_t	function;
};

static struct context *contexts;
static uint32_t n_contexts, room_contexts;

static struct counts *slots;	/* empty: block is 0 */
static uint64_t n_slots, room_slots;

static void *grown(void *old, size_t bytes)
{
	void *p = realloc(old, bytes);

	if (!p) {
		perror("profile: no memory");
		exit(1);
	}
	return p;
}

/**
 * context_child() - the context of a call
 * @parent: context of the caller
 * @function: address that is called
 */
uint32_t context_child(uint32_t parent, uint64_t function)
{
	uint32_t id;

	if (!n_contexts)
		n_contexts = CONTEXT_FIRST;
	if (n_contexts >= room_contexts) {
		uint32_t room = room_contexts ? 2 * room_contexts : 4096;

		contexts = grown(contexts, room * sizeof(*contexts));
		memset(contexts + room_contexts, 0,
		       (room - room_contexts) * sizeof(*contexts));
		room_contexts = room;
	}
	for (id = contexts[parent].child; id; id = contexts[id].next)
		if (contexts[id].function == function)
			return id;
	id = n_contexts++;
	contexts[id] = (struct context){ .parent = parent, .function = function,
					 .next = contexts[parent].child };
	contexts[parent].child = id;
	return id;
}

static struct counts *slot(uint32_t context, uint32_t phase, uint64_t block)
{
	uint64_t hash = (block ^ ((uint64_t)context << 32 | phase << 24)) *
			0x9e3779b97f4a7c15ULL;
	uint64_t at = hash >> 20;

	for (;; at++) {
		struct counts *c = &slots[at & (room_slots - 1)];

		if (!c->block || (c->block == block && c->context == context &&
				  c->phase == phase))
			return c;
	}
}

static void grow_slots(void)
{
	struct counts *old = slots;
	uint64_t n = room_slots;

	room_slots = n ? 2 * n : 1 << 16;
	slots = grown(NULL, room_slots * sizeof(*slots));
	memset(slots, 0, room_slots * sizeof(*slots));
	for (uint64_t i = 0; i < n; i++)
		if (old[i].block)
			*slot(old[i].context, old[i].phase, old[i].block) = old[i];
	free(old);
}

/**
 * counts_of() - where to count; good until the next call
 * @context: calling context
 * @phase: phase
 * @block: address of the code, not 0
 */
struct counts *counts_of(uint32_t context, uint32_t phase, uint64_t block)
{
	struct counts *c;

	if (2 * n_slots >= room_slots)
		grow_slots();
	c = slot(context, phase, block);
	if (!c->block) {
		n_slots++;
		c->context = context;
		c->phase = phase;
		c->block = block;
	}
	return c;
}

void counts_write(FILE *f)
{
	for (uint32_t id = CONTEXT_FIRST; id < n_contexts; id++)
		fprintf(f, "context %" PRIu32 " %" PRIu32 " %" PRIx64 "\n", id,
			contexts[id].parent, contexts[id].function);
	for (uint64_t i = 0; i < room_slots; i++) {
		const struct counts *c = &slots[i];

		if (!c->block)
			continue;
		fprintf(f, "block %" PRIu32 " %" PRIu32 " %" PRIx64, c->context,
			c->phase, c->block);
		for (int v = 0; v < COUNTS_VALUES; v++)
			fprintf(f, " %" PRIu64, c->value[v]);
		fputc('\n', f);
	}
}
