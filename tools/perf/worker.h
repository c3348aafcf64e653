/* SPDX-License-Identifier: GPL-2.0 */
/* A process that sends, reads or echoes data messages, at either end of a test */
#ifndef UETPERF_WORKER_H
#define UETPERF_WORKER_H

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

#include <libuet.h>

#include "hist.h"
#include "wire.h"

#define ERROR_SIZE	(LIBUET_TEXT_SIZE + 256)

enum work { WORK_SOURCE, WORK_SINK, WORK_ECHO, WORK_PING };

/**
 * struct shared - what a worker and the process that started it tell each other
 * @messages: sent or read so far; round trips
 * @until: a reader is done with so many messages
 * @stop: a sender is to end
 * @told: a sender has told how many messages there were
 * @base: messages that @first was taken after: those that warm up
 * @first: time when measuring began, ns
 * @last: time of the last message that was looked at, ns
 * @bad: messages with wrong contents
 * @bad_seq: the first of them
 * @bad_offset: the first byte wrong in it
 * @seq_sum: numbers of the messages that were checked, added up
 * @rounds: rounds that are in @round_ns
 * @round_ns: time of each round
 * @done: the worker did all that there was to do
 * @rtt: round trips, ns
 * @error: what went wrong; "" if nothing
 */
struct shared {
	_Atomic uint64_t messages, until;
	_Atomic bool	stop, told;
	uint64_t	base, first, last;
	uint64_t	bad, bad_seq, bad_offset, seq_sum;
	unsigned int	rounds;
	uint64_t	round_ns[ROUNDS_MAX];
	bool		done;
	struct hist	rtt;
	char		error[ERROR_SIZE];
};

/**
 * struct worker - what is to be done
 * @work: enum work
 * @fd: data socket
 * @timed: client: it notes the time of each round
 * @test: size, rounds, contents; slot and key of the test
 * @control: where to tell how many messages there were
 * @s: in shared memory
 */
struct worker {
	enum work	work;
	int		fd;
	bool		timed;
	struct wire_msg	test;
	struct sockaddr_uet control;
	struct shared	*s;
};

uint64_t now_ns(void);
void worker_begin(const struct worker *w);
void worker_until(struct shared *s, int fd, uint64_t total);
pid_t worker_fork(const struct worker *w);
bool send_control(int fd, const struct sockaddr_uet *to,
		  const struct wire_msg *m, int flags);

static inline uint64_t worker_messages(const struct shared *s)
{
	uint64_t n = atomic_load(&s->messages);

	return n > s->base ? n - s->base : 0;
}

/*
 * A reader who has heard that there is no more shuts its socket down, which refuses
 * probes from then on, and may do so before the sender has its confirmation.
 */
static inline bool worker_parting(const struct shared *s, unsigned int error)
{
	return error == ECONNREFUSED && atomic_load(&s->told);
}

static inline uint64_t worker_ns(const struct shared *s)
{
	return s->last > s->first ? s->last - s->first : 0;
}

#endif
