/* SPDX-License-Identifier: GPL-2.0 */
/* What the first processes of both sides share: signals, watched peers, reports */
#ifndef UETPERF_COMMON_H
#define UETPERF_COMMON_H

#include <signal.h>
#include <stdbool.h>

#include <libuet.h>

#include "wire.h"

#define TICK_MS		1000	/* from one look at all flows to the next */
#define TICK_NS		(TICK_MS * 1000000ULL)
#define KILL_NS		5000000000ULL	/* a worker that was shut down may take so long */

/**
 * struct trouble - what went wrong with messages of a socket, or with its peer
 * @error: errno; 0 if nothing
 * @text: in words
 */
struct trouble {
	unsigned int	error;
	char		text[LIBUET_TEXT_SIZE];
};

extern volatile sig_atomic_t stopped;	/* the signal that says so */

int signals_fd(void);
int signals_read(int fd, bool *child);
void raise_files(void);
int watch_peer(int fd, const struct sockaddr_uet *peer);
bool trouble_of(int fd, struct trouble *t);
int take_control(int fd, struct sockaddr_uet *from, struct wire_msg *m);
double jain(const double *rates, unsigned int n);

#endif
