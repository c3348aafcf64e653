// SPDX-License-Identifier: GPL-2.0
/* The client: a process for each flow, and what they have done in sum */
#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "uetperf.h"

static pid_t pids[FLOWS_MAX];

/* Signals that the first process waits for; it takes them one by one */
static sigset_t awaited(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	return set;
}

static void flow_process(const struct options *o, struct flow *f,
			 unsigned int index)
{
	sigset_t set = awaited();

	/* ^C reaches the first process, which says when to stop */
	signal(SIGINT, SIG_IGN);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	flow_run(o, f, index);
	_exit(0);
}

static void start(const struct options *o, struct flow *flows)
{
	unsigned int i;

	fflush(stdout);
	for (i = 0; i < o->flows; i++) {
		pids[i] = fork();
		if (pids[i] < 0)
			err(1, "fork");
		if (!pids[i])
			flow_process(o, &flows[i], i);
	}
}

static void stop(const struct options *o, int sig)
{
	unsigned int i;

	stopped = sig;
	for (i = 0; i < o->flows; i++)
		if (pids[i] > 0)
			kill(pids[i], SIGTERM);
}

/* The processes that have ended; a flow that was killed says nothing itself */
static unsigned int reap(const struct options *o, struct flow *flows)
{
	unsigned int i, n = 0;
	int status;

	for (i = 0; i < o->flows; i++) {
		if (pids[i] <= 0 || waitpid(pids[i], &status, WNOHANG) <= 0)
			continue;
		pids[i] = 0;
		n++;
		if (WIFSIGNALED(status) && !*flows[i].error)
			snprintf(flows[i].error, sizeof(flows[i].error),
				 "its process was ended by signal %d",
				 WTERMSIG(status));
	}
	return n;
}

struct progress {
	uint64_t	start, told, messages, bytes;
};

static void tell(const struct options *o, const struct flow *flows,
		 struct progress *p)
{
	uint64_t messages = 0, bytes = 0, now = now_ns();
	unsigned int i;

	for (i = 0; i < o->flows; i++) {
		messages += *(volatile uint64_t *)&flows[i].messages;
		bytes += *(volatile uint64_t *)&flows[i].bytes;
	}
	report_interval(o, (p->told - p->start) / 1e9, (now - p->start) / 1e9,
			messages - p->messages, bytes - p->bytes);
	p->told = now;
	p->messages = messages;
	p->bytes = bytes;
}

/* Sleeps until a signal comes or an interval is over */
static int nap(const struct options *o, const struct progress *p)
{
	uint64_t end = p->told + o->interval * 1e9, now = now_ns();
	uint64_t left = end > now ? end - now : 0;
	const struct timespec ts = { left / 1000000000, left % 1000000000 };
	sigset_t set = awaited();

	if (!o->interval)
		return sigwaitinfo(&set, NULL);
	return sigtimedwait(&set, NULL, &ts);
}

static void supervise(const struct options *o, struct flow *flows)
{
	struct progress p = { .start = now_ns() };
	unsigned int left = o->flows;
	int sig;

	p.told = p.start;
	while (left) {
		sig = nap(o, &p);
		if (sig < 0 && errno == EAGAIN)
			tell(o, flows, &p);
		if (sig == SIGINT || sig == SIGTERM)
			stop(o, sig);
		left -= reap(o, flows);
	}
}

static void add(struct summary *s, const struct flow *f)
{
	s->sum.messages += f->messages;
	s->sum.bytes += f->bytes;
	s->sum.server.messages += f->server.messages;
	s->sum.server.bytes += f->server.bytes;
	s->sum.server.bad += f->server.bad;
	if (f->server.ns > s->sum.server.ns)
		s->sum.server.ns = f->server.ns;
	if (f->ns > s->ns)
		s->ns = f->ns;
	hist_merge(&s->sum.rtt, &f->rtt);
	s->failed += *f->error != 0;
}

static void tell_errors(const struct options *o, const struct flow *flows)
{
	unsigned int i;

	for (i = 0; i < o->flows; i++) {
		const struct flow *f = &flows[i];

		if (*f->error)
			warnx("flow %u: %s", i, f->error);
		else if (f->server.bad)
			warnx("flow %u: %llu messages with wrong contents, first byte %llu of message %llu",
			      i, (unsigned long long)f->server.bad,
			      (unsigned long long)f->server.bad_offset,
			      (unsigned long long)f->server.bad_seq);
	}
}

static bool test(const struct options *o, struct flow *flows)
{
	struct summary *s = calloc(1, sizeof(*s));
	unsigned int i;
	bool good;

	if (!s)
		err(1, "memory");
	memset(flows, 0, o->flows * sizeof(*flows));
	start(o, flows);
	supervise(o, flows);
	s->size = o->size;
	for (i = 0; i < o->flows; i++)
		add(s, &flows[i]);
	report_size(o, s, flows);
	tell_errors(o, flows);
	good = !s->failed && !s->sum.server.bad;
	free(s);
	return good;
}

/**
 * client() - run the tests that the options ask for
 * @o: options
 *
 * Return: exit status: 0, 1 (something failed), 128 and the signal that ended it.
 */
int client(const struct options *o)
{
	struct options one = *o;
	sigset_t set = awaited();
	struct flow *flows;
	bool good = true;

	flows = mmap(NULL, o->flows * sizeof(*flows), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (flows == MAP_FAILED)
		err(1, "memory");
	sigprocmask(SIG_BLOCK, &set, NULL);
	report_begin(o);
	if (o->sweep)
		one.size = 1;
	do {
		good = test(&one, flows);
		one.size *= 4;
	} while (o->sweep && good && !stopped && one.size <= o->size);
	report_end(o);
	if (!good)
		return 1;
	return stopped ? 128 + stopped : 0;
}
