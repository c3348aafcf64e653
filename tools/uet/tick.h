/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Something each interval: options for it, and the wait.
 */
#ifndef UET_TICK_H
#define UET_TICK_H

#include <signal.h>
#include <stdint.h>

/**
 * struct tick - how often
 * @interval: seconds, 0 = once
 * @count: so many times, 0 = until it is ended
 * @next: when the next one is due, ns of the monotonic clock
 */
struct tick {
	double interval;
	uint64_t count;
	uint64_t next;
};

enum tick_event {
	TICK_DUE,
	TICK_INPUT,
	TICK_SIGNAL,
};

int tick_option(struct tick *tick, int *argc, char ***argv);
enum tick_event tick_wait(struct tick *tick, int fd, const sigset_t *mask);
uint64_t now_ns(void);

#endif
