// SPDX-License-Identifier: GPL-2.0
/*
 * The client: a process for each flow, which its first process starts, watches and
 * ends. That one alone talks to the server about tests.
 */
#include <err.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/sockios.h>

#include "uetperf.h"

#define RESULT_NS	2000000000ULL	/* a failed flow waits so long for figures */

/**
 * struct run - the test of all flows at one size
 * @start: when it began, ns
 * @told: when progress was last told
 * @told_messages: what was told
 * @ticked: when all flows were last looked at
 * @halted: the flows were told to stop
 * @hard: the user does not want to wait for the server
 */
struct run {
	const struct options *o;
	struct flow	*flows;
	unsigned int	n;
	int		control, sigfd;
	uint64_t	start, told, told_messages, ticked;
	bool		halted, hard;
};

static bool say(const struct run *r, const struct flow *f, enum wire_kind kind)
{
	const struct wire_msg m = { .kind = kind, .slot = f->worker.test.slot,
				    .key = f->worker.test.key };

	return send_control(r->control, &r->o->addr, &m, MSG_DONTWAIT);
}

/* Ends whatever call the worker is in */
static void cut(struct flow *f, uint64_t now)
{
	if (f->cut || !f->pid)
		return;
	f->cut = now;
	atomic_store(&f->worker.s->stop, true);
	shutdown(f->worker.fd, SHUT_RDWR);
}

static void start(struct run *r)
{
	struct flow *f;

	for (f = r->flows; f < r->flows + r->n; f++) {
		f->moved = r->start;
		if (f->over)
			continue;
		f->pid = worker_fork(&f->worker);
		if (f->pid > 0)
			continue;
		flow_fail(f, errno, "fork: %s", strerror(errno));
		f->pid = 0;
		say(r, f, KIND_BYE);
		f->over = true;
	}
}

/* Senders end by themselves; a server that sends has to be told, until it listens */
static void halt(struct run *r)
{
	struct flow *f;

	r->halted = true;
	for (f = r->flows; f < r->flows + r->n; f++) {
		atomic_store(&f->worker.s->stop, true);
		if (f->reverse && f->pid)
			say(r, f, KIND_HALT);
	}
}

/* --- what the server says ------------------------------------------------------ */

static struct flow *find(const struct run *r, const struct wire_msg *m)
{
	struct flow *f;

	for (f = r->flows; f < r->flows + r->n; f++)
		if (f->worker.test.key == m->key &&
		    f->worker.test.slot == m->slot && m->key)
			return f;
	return NULL;
}

static void result(struct flow *f, const struct wire_msg *m)
{
	if (f->over)
		return;
	f->server = *m;
	f->heard = m->reason != REASON_UNKNOWN;
	if (m->reason != REASON_NONE)
		flow_fail(f, 0, "%s", reason_text(m->reason));
	if (f->pid)
		cut(f, now_ns());
	else
		f->over = true;
}

static void listen_to_server(struct run *r)
{
	struct sockaddr_uet from;
	struct trouble t;
	struct wire_msg m;
	struct flow *f;
	int verdict;

	while ((verdict = take_control(r->control, &from, &m)) >= 0) {
		f = verdict == WIRE_GOOD ? find(r, &m) : NULL;
		if (f && m.kind == KIND_TOTAL && f->reverse)
			worker_until(f->worker.s, f->worker.fd, m.total);
		else if (f && m.kind == KIND_RESULT)
			result(f, &m);
	}
	if (!trouble_of(r->control, &t))
		return;
	for (f = r->flows; f < r->flows + r->n; f++) {
		if (f->over)
			continue;
		flow_fail(f, t.error, "%s", t.text);
		cut(f, now_ns());
		f->over = !f->pid;
	}
}

/* --- what the processes do -------------------------------------------------------- */

static void reap_one(struct run *r, struct flow *f, int status)
{
	struct shared *s = f->worker.s;
	struct trouble t;

	f->pid = 0;
	if (!s->done)
		s->last = f->cut ?: now_ns();
	/* The cause, if the worker has only seen what followed from it */
	if (!s->done && !f->cut && trouble_of(f->worker.fd, &t)) {
		*s->error = 0;
		flow_fail(f, t.error, "%s", t.text);
	}
	if (WIFSIGNALED(status))
		flow_fail(f, 0, "its process was ended by signal %d",
			  WTERMSIG(status));
	else if (!s->done)
		flow_fail(f, 0, "it was broken off");
	f->asked = now_ns();
	f->bye = true;
	say(r, f, KIND_BYE);
	if (f->heard || r->hard)
		f->over = true;
}

static void reap(struct run *r)
{
	struct flow *f;
	int status;

	for (f = r->flows; f < r->flows + r->n; f++)
		if (f->pid > 0 && waitpid(f->pid, &status, WNOHANG) > 0)
			reap_one(r, f, status);
}

/* Messages of a second for each MiB are thought slow, not stopped */
static bool patient(const struct run *r, struct flow *f, uint64_t now)
{
	uint64_t patience = r->o->timeout_s + (r->o->size >> 20);
	uint64_t seen = atomic_load(&f->worker.s->messages);
	int queued = 0;

	ioctl(f->worker.fd, SIOCOUTQ, &queued);
	seen = (seen << 32) ^ queued;
	if (seen != f->seen) {
		f->seen = seen;
		f->moved = now;
	}
	return now - f->moved < patience * 1000000000ULL;
}

static void look_at(struct run *r, struct flow *f, uint64_t now)
{
	struct trouble t;

	if (f->pid && trouble_of(f->worker.fd, &t) &&
	    !worker_parting(f->worker.s, t.error)) {
		flow_fail(f, t.error, "%s", t.text);
		cut(f, now);
	}
	if (f->pid && !f->cut && !patient(r, f, now)) {
		flow_fail(f, 0, "nothing moved for %u s; is the server stopped?",
			  r->o->timeout_s);
		cut(f, now);
	}
	if (f->pid && f->cut && now - f->cut > KILL_NS)
		kill(f->pid, SIGKILL);
	if (!f->bye || f->over)
		return;
	say(r, f, KIND_BYE);
	if (*f->worker.s->error && now - f->asked > RESULT_NS)
		f->over = true;
	if (now - f->asked > r->o->timeout_s * 1000000000ULL) {
		flow_fail(f, 0, "the server does not tell what it has seen");
		f->over = true;
	}
}

static void tick(struct run *r, uint64_t now)
{
	struct flow *f;

	r->ticked = now;
	if (r->halted)
		halt(r);
	for (f = r->flows; f < r->flows + r->n; f++)
		look_at(r, f, now);
}

static void hurry(struct run *r, uint64_t now)
{
	struct flow *f;

	r->hard = true;
	for (f = r->flows; f < r->flows + r->n; f++) {
		flow_fail(f, 0, "it was broken off");
		cut(f, now);
		f->over = !f->pid;
	}
}

/* --- the loop ----------------------------------------------------------------------- */

static void tell(struct run *r, uint64_t now)
{
	uint64_t messages = 0;
	unsigned int i;

	for (i = 0; i < r->n; i++)
		messages += atomic_load(&r->flows[i].worker.s->messages);
	report_interval(r->o, (r->told - r->start) / 1e9,
			(now - r->start) / 1e9, messages - r->told_messages);
	r->told = now;
	r->told_messages = messages;
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* When something is to be done without a signal or a message */
static uint64_t next_time(const struct run *r)
{
	uint64_t next = r->ticked + TICK_NS;

	if (!r->o->count && !r->halted)
		next = earlier(next, r->start + r->o->seconds * 1e9);
	if (r->o->interval)
		next = earlier(next, r->told + r->o->interval * 1e9);
	return next;
}

static void do_what_is_due(struct run *r, uint64_t now)
{
	if (!r->o->count && !r->halted &&
	    now >= r->start + r->o->seconds * 1e9)
		halt(r);
	if (r->o->interval && now >= r->told + r->o->interval * 1e9)
		tell(r, now);
	if (now >= r->ticked + TICK_NS)
		tick(r, now);
}

static bool all_over(const struct run *r)
{
	unsigned int i;

	for (i = 0; i < r->n; i++)
		if (!r->flows[i].over)
			return false;
	return true;
}

static void supervise(struct run *r)
{
	struct pollfd pfds[] = { { r->sigfd, POLLIN, 0 },
				 { r->control, POLLIN, 0 } };
	struct timespec ts;
	bool child;
	int told;

	while (!all_over(r)) {
		uint64_t now = now_ns(), next = next_time(r);

		next = next > now ? next - now : 0;
		ts = (struct timespec){ next / 1000000000, next % 1000000000 };
		ppoll(pfds, 2, &ts, NULL);
		told = signals_read(r->sigfd, &child);
		if (told && (r->halted || told > 1))
			hurry(r, now);
		if (told)
			halt(r);
		if (child)
			reap(r);
		listen_to_server(r);
		do_what_is_due(r, now_ns());
	}
}

/* --- tests ---------------------------------------------------------------------------- */

static void tell_errors(const struct run *r)
{
	unsigned int i;

	for (i = 0; i < r->n; i++) {
		const struct flow *f = &r->flows[i];
		const struct shared *s = f->worker.s;
		bool here = s->bad || !f->heard;
		uint64_t bad = here ? s->bad : f->server.bad;

		if (*s->error)
			warnx("flow %u: %s%s%s", i, s->error,
			      f->advised ? "; " : "",
			      f->advised ? advice(f->advised) : "");
		if (bad)
			warnx("flow %u: %llu messages with wrong contents, first byte %llu of message %llu",
			      i, (unsigned long long)bad,
			      (unsigned long long)(here ? s->bad_offset :
						   f->server.bad_offset),
			      (unsigned long long)(here ? s->bad_seq :
						   f->server.bad_seq));
	}
}

static bool good(const struct run *r)
{
	unsigned int i;

	for (i = 0; i < r->n; i++)
		if (*r->flows[i].worker.s->error || r->flows[i].server.bad ||
		    r->flows[i].worker.s->bad)
			return false;
	return true;
}

static int open_control(const struct options *o)
{
	struct libuet_sock how = o->how;
	const char *step;
	int fd;

	if (o->locals)
		how.local = &o->local[0];
	how.max_msg = WIRE_SIZE;
	fd = libuet_open(&how, &step);
	if (fd < 0)
		err(1, "%s", step);
	if (watch_peer(fd, &o->addr))
		err(1, "UET_WATCH");
	return fd;
}

/* The flows of one size. A control socket lasts for a test: nothing late is heard */
static bool test(struct run *r)
{
	unsigned int i;

	for (i = 0; i < r->n; i++)
		r->flows[i] = (struct flow){
			.worker = { .s = r->flows[i].worker.s, .fd = -1 },
			.reverse = r->o->direction == REVERSE ||
				(r->o->direction == BOTH && i % 2),
		};
	r->control = open_control(r->o);
	handshake(r->o, r->flows, r->n, r->control, r->sigfd);
	r->start = now_ns();
	r->told = r->start;
	r->ticked = r->start;
	r->halted = false;
	r->told_messages = 0;
	start(r);
	supervise(r);
	report_live_end();
	report_size(r->o, r->flows, r->n);
	tell_errors(r);
	for (i = 0; i < r->n; i++)
		if (r->flows[i].worker.fd >= 0)
			close(r->flows[i].worker.fd);
	close(r->control);
	return good(r);
}

static struct flow *allocate(unsigned int n)
{
	struct flow *flows = calloc(n, sizeof(*flows));
	struct shared *s;
	unsigned int i;

	s = mmap(NULL, n * sizeof(*s), PROT_READ | PROT_WRITE,
		 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (!flows || s == MAP_FAILED)
		err(1, "memory");
	for (i = 0; i < n; i++)
		flows[i].worker.s = &s[i];
	return flows;
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
	struct run r = { .o = &one };
	bool fine;

	raise_files();
	r.sigfd = signals_fd();
	r.n = o->direction == BOTH ? 2 * o->flows : o->flows;
	r.flows = allocate(r.n);
	report_begin(o);
	if (o->sweep)
		one.size = 1;
	do {
		fine = test(&r);
		one.size *= 4;
	} while (o->sweep && fine && !stopped && one.size <= o->size);
	if (!report_end(o) || !fine)
		return 1;
	return stopped ? 128 + stopped : 0;
}
