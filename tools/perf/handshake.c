// SPDX-License-Identifier: GPL-2.0
/* How a client agrees with the server on the tests that are to begin */
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "uetperf.h"

/**
 * advice() - what may help
 * @error: errno of a failure, 0 if there is none
 *
 * Return: a sentence.
 */
const char *advice(unsigned int error)
{
	switch (error) {
	case ECONNREFUSED:
		return "is uetperf -s running there, at this PIDonFEP and job?";
	case ECONNRESET:
		return "the server's host, module or process was restarted: run this again";
	case ETIMEDOUT:
	case EHOSTUNREACH:
	case ENETUNREACH:
		return "check the address, the route (ip route get) and that UDP port 4793 is let through";
	case EACCES:
		return "the server must be in the same job: -O job=";
	case EMFILE:
		return "raise net.uet.user_eps, or ulimit -n";
	default:
		return "uet explain HOST says more";
	}
}

/**
 * reason_text() - why a server refused or ended a test
 * @reason: what it said
 *
 * Return: in words.
 */
const char *reason_text(enum reason reason)
{
	switch (reason) {
	case REASON_VERSION:
		return "the server is another version of uetperf";
	case REASON_ROOM:
		return "the server has as many tests as it may (its option -M)";
	case REASON_SIZE:
		return "messages that are echoed or that the server sends have 1M at most";
	case REASON_DELIVERY:
		return "the sockets of the server do not have this delivery mode";
	case REASON_SYSTEM:
		return "the server can make no socket or process";
	case REASON_STOPPED:
		return "the server was stopped";
	case REASON_UNKNOWN:
		return "the server does not know this test: was it restarted?";
	default:
		return "the test failed at the server, which says more";
	}
}

/**
 * flow_fail() - note why a flow failed; the first cause stays
 * @f: flow
 * @error: errno for advice, or 0
 * @format: as in printf()
 */
void flow_fail(struct flow *f, unsigned int error, const char *format, ...)
{
	struct shared *s = f->worker.s;
	va_list ap;

	if (*s->error)
		return;
	f->advised = error;
	va_start(ap, format);
	vsnprintf(s->error, sizeof(s->error), format, ap);
	va_end(ap);
}

static void settle(const struct options *o, struct flow *f)
{
	struct wire_msg *t = &f->worker.test;
	bool lat = o->mode == MODE_LAT;

	*t = (struct wire_msg){
		.kind = KIND_HELLO,
		.role = lat ? ROLE_ECHO : f->reverse ? ROLE_SOURCE : ROLE_SINK,
		.delivery = o->how.delivery, .verify = o->verify,
		.spoil = o->corrupt, .size = o->size, .round = o->count,
		.warm = o->rounds > 0, .batches = o->rounds + 1,
	};
	f->worker.work = lat ? WORK_PING : f->reverse ? WORK_SINK : WORK_SOURCE;
	f->worker.timed = true;
	f->worker.control = o->addr;
}

static bool greet(const struct options *o, struct flow *f, unsigned int index)
{
	struct wire_msg *t = &f->worker.test;
	struct libuet_sock how = o->how;
	const char *step;

	settle(o, f);
	worker_begin(&f->worker);
	if (o->locals)
		how.local = &o->local[index % o->locals];
	f->worker.fd = libuet_open(&how, &step);
	if (f->worker.fd < 0) {
		flow_fail(f, errno, "%s: %s", step, strerror(errno));
		return false;
	}
	if (getrandom(&t->seed, sizeof(t->seed), 0) == sizeof(t->seed) &&
	    send_control(f->worker.fd, &o->addr, t, MSG_DONTWAIT))
		return true;
	flow_fail(f, errno, "send: %s", strerror(errno));
	return false;
}

/* True if the server has answered, whatever it said */
static bool answered(struct flow *f)
{
	struct worker *w = &f->worker;
	struct sockaddr_uet from, to = w->control;
	struct trouble t;
	struct wire_msg m;
	int verdict;

	while ((verdict = take_control(w->fd, &from, &m)) >= 0) {
		if (verdict == WIRE_OTHER_VERSION ||
		    (verdict == WIRE_GOOD && m.kind == KIND_REFUSED &&
		     m.seed == w->test.seed)) {
			flow_fail(f, 0, "%s", reason_text(verdict == WIRE_GOOD ?
						m.reason : REASON_VERSION));
			return true;
		}
		if (verdict != WIRE_GOOD || m.kind != KIND_WELCOME ||
		    m.seed != w->test.seed)
			continue;
		w->test.slot = m.slot;
		w->test.key = m.key;
		to.suet_pid = m.pid;
		if (connect(w->fd, (struct sockaddr *)&to, sizeof(to)) ||
		    watch_peer(w->fd, &to))
			flow_fail(f, errno, "connect and watch: %s",
				  strerror(errno));
		return true;
	}
	if (!trouble_of(w->fd, &t))
		return false;
	flow_fail(f, t.error, "%s", t.text);
	return true;
}

static bool await(struct flow *f, int sigfd, uint64_t deadline)
{
	struct pollfd pfds[] = { { sigfd, POLLIN, 0 },
				 { f->worker.fd, POLLIN, 0 } };
	bool child;

	while (!answered(f)) {
		uint64_t now = now_ns();

		if (now >= deadline)
			return false;
		poll(pfds, 2, (deadline - now) / 1000000 + 1);
		if (signals_read(sigfd, &child))
			return false;
	}
	return true;
}

/**
 * handshake() - agree with the server on the tests of all flows
 * @o: options; @size is that of this test
 * @flows: flows; @reverse is set, as is the shared memory of the worker
 * @n: number of them
 * @control: control socket
 * @sigfd: signals_fd()
 *
 * Flows that cannot begin have an error and are over.
 */
void handshake(const struct options *o, struct flow *flows, unsigned int n,
	       int control, int sigfd)
{
	uint64_t deadline = now_ns() + o->timeout_s * 1000000000ULL;
	struct flow *f;

	for (f = flows; f < flows + n; f++)
		f->over = !greet(o, f, f - flows);
	for (f = flows; f < flows + n && !stopped; f++) {
		if (!f->over && !await(f, sigfd, deadline) && !stopped)
			flow_fail(f, ECONNREFUSED,
				  "no answer from the server within %u s",
				  o->timeout_s);
		f->over = *f->worker.s->error;
	}
	for (f = flows; f < flows + n; f++) {
		struct wire_msg m = { .kind = KIND_START,
				      .slot = f->worker.test.slot,
				      .key = f->worker.test.key };

		if (stopped)
			f->over = true;
		if (!f->over && !send_control(control, &o->addr, &m, 0)) {
			flow_fail(f, errno, "send: %s", strerror(errno));
			f->over = true;
		}
	}
}
