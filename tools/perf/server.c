// SPDX-License-Identifier: GPL-2.0
/*
 * The server: one socket hears all clients, and each test has a socket and a process
 * of its own. What comes from the network takes a slot at most, and a process only
 * from whoever has read the answer to a first message: from no forged address.
 */
#include <err.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

#include "slot.h"

#define BURST	256	/* control messages from one look at signals to the next */

/**
 * struct server - a server
 * @fd: its socket
 * @active: tests that greeted and have not ended
 * @ended: tests that have ended
 * @messages: in them
 * @bytes: in those
 * @bad: messages with wrong contents
 * @rates: of the tests that were active with another one, bit/s
 * @n_rates: how many; 0 when a group begins
 */
struct server {
	const struct options *o;
	int		fd, sigfd;
	unsigned int	active;
	uint64_t	ended, messages, bytes, bad, ticked;
	double		rates[TESTS_MAX];
	unsigned int	n_rates;
};

static void answer(const struct server *v, const struct sockaddr_uet *to,
		   const struct wire_msg *m)
{
	/* Who has no room for it asks again, or is gone */
	send_control(v->fd, to, m, MSG_DONTWAIT);
}

/* --- a test begins ------------------------------------------------------------- */

static enum reason open_slot(const struct server *v, struct slot *s)
{
	const struct wire_msg *t = &s->worker.test;
	struct sockaddr_uet local = v->o->addr;
	struct libuet_sock how = v->o->how;
	bool source = t->role == ROLE_SOURCE;
	const char *step;

	local.suet_pid = 0;
	how.local = &local;
	how.peer = &s->peer;
	how.delivery = t->delivery;
	/* Nobody may send more than is asked of him */
	how.max_msg = source || !t->size ? 1 : t->size;
	s->worker.fd = libuet_open(&how, &step);
	if (s->worker.fd >= 0)
		return REASON_NONE;
	return errno == EOPNOTSUPP && !strcmp(step, "UET_DELIVERY") ?
		REASON_DELIVERY : REASON_SYSTEM;
}

/* The answer tells the client where its data goes, and the key, from there */
static bool welcome(struct slot *s)
{
	struct sockaddr_uet own;
	socklen_t len = sizeof(own);
	struct wire_msg m = { .kind = KIND_WELCOME, .slot = s - slots,
			      .seed = s->worker.test.seed };

	if (getsockname(s->worker.fd, (struct sockaddr *)&own, &len) ||
	    getrandom(&m.key, sizeof(m.key), 0) != sizeof(m.key))
		return false;
	m.pid = own.suet_pid;
	m.key |= 1;
	s->worker.test.key = m.key;
	s->worker.test.slot = m.slot;
	return send_control(s->worker.fd, &s->peer, &m, MSG_DONTWAIT);
}

static enum reason admit(struct server *v, const struct sockaddr_uet *from,
			 const struct wire_msg *m)
{
	enum reason reason;
	struct slot *s;

	if (m->role != ROLE_SINK && m->size > COPY_MAX)
		return REASON_SIZE;
	s = slot_take(now_ns());
	if (!s)
		return REASON_ROOM;
	s->peer = *from;
	s->worker.test = *m;
	s->worker.work = m->role == ROLE_SINK ? WORK_SINK :
		m->role == ROLE_ECHO ? WORK_ECHO : WORK_SOURCE;
	reason = open_slot(v, s);
	if (reason == REASON_NONE && !welcome(s))
		reason = REASON_SYSTEM;
	if (reason != REASON_NONE) {
		slot_free(s);
		return reason;
	}
	s->state = SLOT_GREETED;
	s->since = now_ns();
	return REASON_NONE;
}

static void hello(struct server *v, const struct sockaddr_uet *from,
		  const struct wire_msg *m)
{
	struct wire_msg no = { .kind = KIND_REFUSED, .seed = m->seed };

	if (slot_greeted(from, m->seed))
		return;
	no.reason = admit(v, from, m);
	if (no.reason != REASON_NONE)
		answer(v, from, &no);
}

static void begin(struct server *v, struct slot *s,
		  const struct sockaddr_uet *from)
{
	struct wire_msg no = { .kind = KIND_RESULT, .reason = REASON_SYSTEM,
			       .slot = s - slots, .key = s->worker.test.key };

	if (s->state != SLOT_GREETED)
		return;
	s->worker.control = *from;
	worker_begin(&s->worker);
	if (s->totalled)
		worker_until(s->worker.s, s->worker.fd, s->total);
	s->pid = watch_peer(s->worker.fd, &s->peer) ? -1 :
		worker_fork(&s->worker);
	if (s->pid < 0) {
		slot_free(s);
		answer(v, from, &no);
		return;
	}
	s->state = SLOT_RUNNING;
	s->since = now_ns();
	s->moved = s->since;
	v->active++;
}

/* --- a test ends ------------------------------------------------------------------ */

static double rate(const struct slot *s)
{
	return s->result.ns ? s->result.bytes * 8e9 / s->result.ns : 0;
}

static void tell(const struct server *v, const struct slot *s)
{
	static const char * const roles[] = {
		[ROLE_SINK] = "read", [ROLE_ECHO] = "echoed",
		[ROLE_SOURCE] = "sent",
	};
	char name[LIBUET_URI_SIZE];

	if (v->o->quiet)
		return;
	libuet_format(&s->peer, name, sizeof(name));
	printf("%s: %s %llu messages, %llu bytes in %.3f s, %.3f Mbit/s, %llu wrong%s%s\n",
	       name, roles[s->worker.test.role],
	       (unsigned long long)s->result.messages,
	       (unsigned long long)s->result.bytes, s->result.ns / 1e9,
	       rate(s) / 1e6, (unsigned long long)s->result.bad,
	       *s->worker.s->error ? "; " : "", s->worker.s->error);
	fflush(stdout);
}

/* Tests that ran at the same time: who got how much */
static void tell_group(struct server *v)
{
	double sum = 0, least = v->rates[0], most = 0;
	unsigned int i;

	for (i = 0; i < v->n_rates; i++) {
		sum += v->rates[i];
		least = v->rates[i] < least ? v->rates[i] : least;
		most = v->rates[i] > most ? v->rates[i] : most;
	}
	if (v->n_rates > 1 && !v->o->quiet)
		printf("together %u tests: %.3f Mbit/s, least %.3f, most %.3f, Jain's index %.3f\n",
		       v->n_rates, sum / 1e6, least / 1e6, most / 1e6,
		       jain(v->rates, v->n_rates));
	fflush(stdout);
	v->n_rates = 0;
}

/*
 * Tells a client what became of its test. Until then the socket stays: the client may
 * not have seen yet that all is done, and would find its peer gone.
 */
static void settle(const struct server *v, struct slot *s,
		   const struct sockaddr_uet *client)
{
	answer(v, client, &s->result);
	if (s->worker.fd >= 0)
		close(s->worker.fd);
	s->worker.fd = -1;
}

static void end(struct server *v, struct slot *s, int status)
{
	struct shared *sh = s->worker.s;
	struct trouble t;

	s->pid = 0;
	/* A client that is done has closed its socket, which is no trouble */
	if (!sh->done && !s->asked && !*s->trouble.text &&
	    trouble_of(s->worker.fd, &t))
		s->trouble = t;
	if (*s->trouble.text)
		snprintf(sh->error, sizeof(sh->error), "%s", s->trouble.text);
	else if (WIFSIGNALED(status) && !*sh->error)
		snprintf(sh->error, sizeof(sh->error),
			 "its process was ended by signal %d",
			 WTERMSIG(status));
	slot_sum(s, *sh->error ? REASON_FAILED : REASON_NONE);
	s->state = SLOT_ENDED;
	s->since = now_ns();
	v->active--;
	v->ended++;
	v->messages += s->result.messages;
	v->bytes += s->result.bytes;
	v->bad += s->result.bad;
	v->rates[v->n_rates++ % TESTS_MAX] = rate(s);
	tell(v, s);
	if (v->n_rates == TESTS_MAX || !v->active)
		tell_group(v);
	if (s->asked || s->result.reason != REASON_NONE)
		settle(v, s, &s->worker.control);
}

static void reap(struct server *v)
{
	struct slot *s;
	int status;

	for (s = slots; s < slots + n_slots; s++)
		if (s->state == SLOT_RUNNING &&
		    waitpid(s->pid, &status, WNOHANG) > 0)
			end(v, s, status);
}

/*
 * A reader says goodbye when it has all, which a source that has sent all need not
 * have seen yet: its process may still be in the last send().
 */
static bool sent_all(const struct slot *s, uint64_t now)
{
	const struct shared *sh = s->worker.s;

	return s->worker.test.role == ROLE_SOURCE &&
	       (atomic_load(&sh->told) ||
		atomic_load(&sh->messages) + 1 >= atomic_load(&sh->until)) &&
	       now - s->moved < 10 * TICK_NS;
}

static void bye(struct server *v, struct slot *s,
		const struct sockaddr_uet *from)
{
	uint64_t now = now_ns();

	if (s->state == SLOT_ENDED)
		settle(v, s, from);
	if (s->state == SLOT_GREETED)
		slot_free(s);
	if (s->state != SLOT_RUNNING)
		return;
	s->asked = true;
	/* Whoever has all data is about to end, and an echo waits for ever */
	if (!s->worker.s->done && !sent_all(s, now))
		slot_cut(s, now);
}

/* --- the loop ---------------------------------------------------------------------- */

/* Control messages are not ordered: this one may overtake START */
static void total(struct slot *s, uint64_t n)
{
	if (s->worker.work != WORK_SINK)
		return;
	if (s->state == SLOT_RUNNING)
		worker_until(s->worker.s, s->worker.fd, n);
	s->totalled = true;
	s->total = n;
}

static void handle(struct server *v, const struct sockaddr_uet *from,
		   const struct wire_msg *m)
{
	struct wire_msg no = { .kind = KIND_RESULT, .reason = REASON_UNKNOWN,
			       .slot = m->slot, .key = m->key };
	struct slot *s;

	if (m->kind == KIND_HELLO) {
		hello(v, from, m);
		return;
	}
	s = slot_find(m->slot, m->key);
	if (!s) {
		if (m->kind == KIND_BYE || m->kind == KIND_START)
			answer(v, from, &no);
		return;
	}
	if (m->kind == KIND_START)
		begin(v, s, from);
	else if (m->kind == KIND_TOTAL)
		total(s, m->total);
	else if (m->kind == KIND_HALT)
		atomic_store(&s->worker.s->stop, true);
	else if (m->kind == KIND_BYE)
		bye(v, s, from);
}

static void take(struct server *v)
{
	struct wire_msg no = { .kind = KIND_REFUSED, .reason = REASON_VERSION };
	struct sockaddr_uet from;
	struct trouble ignored;
	struct wire_msg m;
	unsigned int i;
	int verdict;

	/* An answer that was not delivered: its client is gone and knows */
	trouble_of(v->fd, &ignored);
	for (i = 0; i < BURST; i++) {
		verdict = take_control(v->fd, &from, &m);
		if (verdict < 0)
			return;
		if (verdict == WIRE_GOOD)
			handle(v, &from, &m);
		else if (verdict == WIRE_OTHER_VERSION)
			answer(v, &from, &no);
	}
}

static void look_at(struct slot *s, uint64_t now)
{
	uint64_t seen = atomic_load(&s->worker.s->messages);
	struct trouble t;

	if ((s->state == SLOT_GREETED || s->state == SLOT_ENDED) &&
	    now - s->since > 60 * TICK_NS)
		slot_free(s);
	if (s->state != SLOT_RUNNING)
		return;
	if (seen != s->seen) {
		s->seen = seen;
		s->moved = now;
	}
	if (!s->worker.s->done && !s->asked && !s->cut &&
	    trouble_of(s->worker.fd, &t) &&
	    !worker_parting(s->worker.s, t.error)) {
		s->trouble = t;
		slot_cut(s, now);
	}
	/* A client that went instead of confirming what it has */
	if (s->worker.s->told && now - s->moved > 60 * TICK_NS)
		slot_cut(s, now);
	if (s->cut && now - s->cut > KILL_NS)
		kill(s->pid, SIGKILL);
}

/* Somebody is still to be served, or to be told a result */
static bool busy(void)
{
	struct slot *s;

	for (s = slots; s < slots + n_slots; s++)
		if (s->worker.fd >= 0)
			return true;
	return false;
}

static void tick(struct server *v)
{
	uint64_t now = now_ns();
	struct slot *s;

	if (now - v->ticked < TICK_NS)
		return;
	v->ticked = now;
	for (s = slots; s < slots + n_slots; s++)
		look_at(s, now);
}

/* Tells the clients, and what has been done */
static void stop(struct server *v)
{
	struct slot *s;

	for (s = slots; s < slots + n_slots; s++) {
		if (s->state != SLOT_RUNNING)
			continue;
		kill(s->pid, SIGKILL);
		waitpid(s->pid, NULL, 0);
		slot_sum(s, REASON_STOPPED);
		answer(v, &s->worker.control, &s->result);
		v->ended++;
		v->messages += s->result.messages;
		v->bytes += s->result.bytes;
		v->bad += s->result.bad;
	}
	if (!v->o->quiet)
		printf("%llu tests, %llu messages, %llu bytes, %llu wrong\n",
		       (unsigned long long)v->ended,
		       (unsigned long long)v->messages,
		       (unsigned long long)v->bytes,
		       (unsigned long long)v->bad);
	fflush(stdout);
}

static void open_server(struct server *v)
{
	struct libuet_sock how = v->o->how;
	char name[LIBUET_URI_SIZE];
	const char *step;

	how.local = &v->o->addr;
	how.delivery = UET_RUD;
	how.max_msg = WIRE_SIZE;
	libuet_format(&v->o->addr, name, sizeof(name));
	v->fd = libuet_open(&how, &step);
	if (v->fd < 0 && errno == EADDRINUSE)
		errx(1, "%s is in use: another server runs there; -p selects another place",
		     name);
	if (v->fd < 0)
		err(1, "%s: %s", name, step);
	printf("ready at %s\n", name);
	fflush(stdout);
}

/**
 * serve() - serve clients until a signal comes
 * @o: options
 *
 * Return: exit status.
 */
int serve(const struct options *o)
{
	static struct server v;
	struct pollfd pfds[2];
	bool child;

	v.o = o;
	raise_files();
	v.sigfd = signals_fd();
	slots_init(o->tests);
	open_server(&v);
	pfds[0] = (struct pollfd){ v.sigfd, POLLIN, 0 };
	pfds[1] = (struct pollfd){ v.fd, POLLIN, 0 };
	while (!stopped) {
		poll(pfds, 2, busy() ? TICK_MS : -1);
		signals_read(v.sigfd, &child);
		if (child)
			reap(&v);
		take(&v);
		tick(&v);
		if (o->once && v.ended && !busy())
			break;
	}
	stop(&v);
	return 0;
}
