/* SPDX-License-Identifier: GPL-2.0 */
/* What is asked for on the command line, and the parts of the program */
#ifndef UETPERF_H
#define UETPERF_H

#include <stdbool.h>

#include "common.h"
#include "worker.h"

#define FLOWS_MAX	1024
#define LOCALS_MAX	64
#define TESTS_MAX	2048

enum mode { MODE_BW, MODE_LAT, MODE_RATE };
enum direction { FORWARD, REVERSE, BOTH };

struct options {
	enum mode	mode;
	enum direction	direction;
	bool		server, once, quiet, json, verify, sweep, live;
	size_t		size;
	bool		has_size;
	double		seconds, interval;
	uint64_t	count;		/* messages of a round; 0: by time */
	unsigned int	rounds;		/* after one that warms up; 0: one, without */
	unsigned int	flows, corrupt, timeout_s, tests;
	struct libuet_sock how;
	struct sockaddr_uet base;	/* what the address may leave out */
	struct sockaddr_uet addr;	/* of the server */
	struct sockaddr_uet local[LOCALS_MAX];
	unsigned int	locals;
};

/**
 * struct flow - a flow of a client
 * @reverse: the server sends
 * @worker: its process, which @pid is, or 0
 * @server: what the server says, if @heard
 * @advised: errno of what went wrong, for a word of advice
 * @bye: the process is gone, and the server was asked for its figures
 * @over: all is known
 * @seen: progress of its process when it last made any, at @moved
 * @asked: when the server was first asked
 * @cut: when its socket was shut down, or 0
 */
struct flow {
	bool		reverse;
	struct worker	worker;
	pid_t		pid;
	struct wire_msg	server;
	unsigned int	advised;
	bool		heard, bye, over;
	uint64_t	seen, moved, asked, cut;
};

int serve(const struct options *o);
int client(const struct options *o);

/* handshake.c */
void handshake(const struct options *o, struct flow *flows, unsigned int n,
	       int control, int sigfd);
void flow_fail(struct flow *f, unsigned int error, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
const char *advice(unsigned int error);
const char *reason_text(enum reason reason);

/* report.c */
void report_begin(const struct options *o);
void report_interval(const struct options *o, double from, double to,
		     uint64_t messages);
void report_live_end(void);
void report_size(const struct options *o, const struct flow *flows,
		 unsigned int n);
bool report_end(const struct options *o);

#endif
