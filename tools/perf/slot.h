/* SPDX-License-Identifier: GPL-2.0 */
/* The tests of a server: so many at most, each a socket and a process */
#ifndef UETPERF_SLOT_H
#define UETPERF_SLOT_H

#include "uetperf.h"

enum slot_state {
	SLOT_FREE,
	SLOT_GREETED,	/* has a socket and waits for START */
	SLOT_RUNNING,	/* has a process */
	SLOT_ENDED,	/* has a result, which its client may ask for again */
};

/**
 * struct slot - a test
 * @state: enum slot_state
 * @peer: data socket of the client
 * @worker: its process @pid; where control messages of the client come from
 * @asked: the client said BYE
 * @totalled: it said how many messages it sent: @total
 * @result: what became of it (SLOT_ENDED)
 * @trouble: what went wrong with the peer
 * @since: when the state began, ns
 * @seen: messages when it last made progress, at @moved
 * @cut: when the socket was shut down, or 0
 */
struct slot {
	enum slot_state	state;
	struct sockaddr_uet peer;
	struct worker	worker;
	pid_t		pid;
	bool		asked;
	bool		totalled;
	uint64_t	total;
	struct wire_msg	result;
	struct trouble	trouble;
	uint64_t	since, seen, moved, cut;
};

extern struct slot *slots;
extern unsigned int n_slots;

void slots_init(unsigned int n);
struct slot *slot_find(uint32_t index, uint64_t key);
struct slot *slot_greeted(const struct sockaddr_uet *peer, uint64_t seed);
struct slot *slot_take(uint64_t now);
void slot_cut(struct slot *s, uint64_t now);
void slot_free(struct slot *s);
void slot_sum(struct slot *s, enum reason reason);

#endif
