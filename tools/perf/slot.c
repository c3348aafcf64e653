// SPDX-License-Identifier: GPL-2.0
/* Which test has which slot, and who gives way when there is none left */
#include <err.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "slot.h"

#define SHY_NS		5000000000ULL	/* a client that greeted may take so long */
#define IDLE_NS		60000000000ULL	/* a test without progress */

struct slot *slots;
unsigned int n_slots;

/**
 * slots_init() - make the table
 * @n: number of tests
 */
void slots_init(unsigned int n)
{
	struct shared *s = mmap(NULL, n * sizeof(*s), PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	unsigned int i;

	slots = calloc(n, sizeof(*slots));
	if (!slots || s == MAP_FAILED)
		err(1, "memory");
	for (i = 0; i < n; i++) {
		slots[i].worker.s = &s[i];
		slots[i].worker.fd = -1;
	}
	n_slots = n;
}

/**
 * slot_find() - the test that a control message speaks of
 * @index: of its slot
 * @key: of the test
 *
 * Return: the slot, or NULL.
 */
struct slot *slot_find(uint32_t index, uint64_t key)
{
	if (index >= n_slots || slots[index].state == SLOT_FREE ||
	    slots[index].worker.test.key != key)
		return NULL;
	return &slots[index];
}

/**
 * slot_greeted() - has this client greeted already?
 * @peer: its data socket
 * @seed: of its test
 *
 * Return: the slot, or NULL.
 */
struct slot *slot_greeted(const struct sockaddr_uet *peer, uint64_t seed)
{
	struct slot *s;

	for (s = slots; s < slots + n_slots; s++)
		if (s->state != SLOT_FREE && s->worker.test.seed == seed &&
		    !memcmp(&s->peer, peer, sizeof(*peer)))
			return s;
	return NULL;
}

/* What gives way first: results, clients that do not begin, tests that stand still */
static unsigned int rank(const struct slot *s, uint64_t now)
{
	switch (s->state) {
	case SLOT_FREE:
		return 4;
	case SLOT_ENDED:
		return 3;
	case SLOT_GREETED:
		return now - s->since > SHY_NS ? 2 : 0;
	case SLOT_RUNNING:
		return now - s->moved > IDLE_NS && !s->cut ? 1 : 0;
	}
	return 0;
}

/**
 * slot_take() - a slot for a further test
 * @now: time
 *
 * Return: a slot that is free, or NULL. If all that may give way is a test with a
 * process, it is ended for the next one who asks.
 */
struct slot *slot_take(uint64_t now)
{
	struct slot *s, *best = slots;

	for (s = slots; s < slots + n_slots; s++) {
		unsigned int a = rank(s, now), b = rank(best, now);

		if (a > b || (a == b && s->since < best->since))
			best = s;
		if (s->state == SLOT_FREE)
			break;
	}
	if (!rank(best, now))
		return NULL;
	if (best->state == SLOT_RUNNING) {
		slot_cut(best, now);
		return NULL;
	}
	slot_free(best);
	return best;
}

/**
 * slot_cut() - end the process of a test
 * @s: slot
 * @now: time
 */
void slot_cut(struct slot *s, uint64_t now)
{
	if (s->state != SLOT_RUNNING || s->cut)
		return;
	s->cut = now;
	atomic_store(&s->worker.s->stop, true);
	shutdown(s->worker.fd, SHUT_RDWR);
}

/**
 * slot_free() - forget a test that has no process
 * @s: slot
 */
void slot_free(struct slot *s)
{
	struct shared *shared = s->worker.s;

	if (s->worker.fd >= 0)
		close(s->worker.fd);
	memset(s, 0, sizeof(*s));
	s->worker.s = shared;
	s->worker.fd = -1;
}

/**
 * slot_sum() - note what a test has seen so far
 * @s: slot
 * @reason: why it ended
 */
void slot_sum(struct slot *s, enum reason reason)
{
	const struct shared *sh = s->worker.s;
	uint64_t messages = worker_messages(sh);

	s->result = (struct wire_msg){
		.kind = KIND_RESULT, .reason = reason,
		.slot = s - slots, .key = s->worker.test.key,
		.messages = messages, .bytes = messages * s->worker.test.size,
		.ns = worker_ns(sh), .bad = sh->bad, .bad_seq = sh->bad_seq,
		.bad_offset = sh->bad_offset,
	};
}
