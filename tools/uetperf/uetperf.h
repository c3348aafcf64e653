/* SPDX-License-Identifier: GPL-2.0 */
/* What is asked for on the command line, and what a flow has done */
#ifndef UETPERF_H
#define UETPERF_H

#include <signal.h>
#include <stdbool.h>

#include "hist.h"
#include "wire.h"

#define FLOWS_MAX	1024
#define LOCALS_MAX	64

enum mode { MODE_BW, MODE_LAT, MODE_RATE };

struct options {
	enum mode	mode;
	bool		server, once, quiet, json, verify, sweep;
	size_t		size;
	bool		has_size;
	double		seconds, interval;
	uint64_t	count;		/* messages of each flow; 0: by time */
	unsigned int	flows, corrupt, timeout_s;
	struct libuet_sock how;
	struct sockaddr_uet base;	/* what the address may leave out */
	struct sockaddr_uet addr;	/* of the server */
	struct sockaddr_uet local[LOCALS_MAX];
	unsigned int	locals;
};

/**
 * struct flow - a flow, in memory that its process shares with the first one
 * @messages: sent, or round trips
 * @bytes: in them
 * @ns: from the first message until the server had all
 * @rtt: round trips, ns
 * @server: what the server says, host byte order
 * @error: what went wrong; "" if nothing
 */
struct flow {
	uint64_t	messages, bytes, ns;
	struct hist	rtt;
	struct wire_result server;
	char		error[LIBUET_TEXT_SIZE + 256];
};

/* The sum of all flows of one size */
struct summary {
	size_t		size;
	uint64_t	ns;		/* of the slowest */
	unsigned int	failed;
	struct flow	sum;
};

extern volatile sig_atomic_t stopped;	/* the signal that says so */

void catch_signals(void);
int serve(const struct options *o);
void flow_run(const struct options *o, struct flow *f, unsigned int index);
int client(const struct options *o);

void report_begin(const struct options *o);
void report_interval(const struct options *o, double from, double to,
		     uint64_t messages, uint64_t bytes);
void report_size(const struct options *o, const struct summary *s,
		 const struct flow *flows);
void report_end(const struct options *o);

#endif
