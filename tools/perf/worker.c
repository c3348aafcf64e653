// SPDX-License-Identifier: GPL-2.0
/*
 * What a process at either end of a test does. Data messages go by send() and
 * recv() with nothing beside them, and calls block: what is measured is the
 * transport. Whoever started the worker ends a call that blocks for ever by
 * shutdown(), which reaches its socket whatever it is doing.
 */
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "worker.h"

#define LOOK_EVERY	64	/* messages from one look at the clock to the next, */
#define LOOK_SIZE	16384	/* if reading one takes no more time than that */

static char *buf;
static size_t room;

uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

/**
 * send_control() - send a control message
 * @fd: socket
 * @to: where to
 * @m: message
 * @flags: of sendmsg()
 *
 * Return: true if it was taken over.
 */
bool send_control(int fd, const struct sockaddr_uet *to,
		  const struct wire_msg *m, int flags)
{
	const struct libuet_attrs attrs = {
		.has = LIBUET_DELIVERY, .delivery = UET_RUD,
	};
	unsigned char bytes[WIRE_SIZE];
	struct iovec iov = { bytes, sizeof(bytes) };

	wire_put(bytes, m);
	return libuet_sendmsg(fd, &iov, 1, to, &attrs, flags | MSG_NOSIGNAL) ==
	       sizeof(bytes);
}

static void fail(struct shared *s, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* What is told first stays: shutdown() makes more errors of one */
static void fail(struct shared *s, const char *format, ...)
{
	va_list ap;

	if (*s->error)
		return;
	va_start(ap, format);
	vsnprintf(s->error, sizeof(s->error), format, ap);
	va_end(ap);
}

static void note_bad(struct shared *s, uint64_t seq, uint64_t offset)
{
	if (s->bad++)
		return;
	s->bad_seq = seq;
	s->bad_offset = offset;
}

/* --- one message ------------------------------------------------------------ */

static void make(const struct worker *w, uint64_t seq)
{
	const struct wire_msg *t = &w->test;

	if (t->verify)
		pattern_fill(buf, t->size, t->seed, seq);
	if (t->spoil && t->size && (seq + 1) % t->spoil == 0)
		buf[t->size / 2] ^= 0x20;
}

static bool put(const struct worker *w, uint64_t seq)
{
	const struct libuet_attrs attrs = {
		.has = LIBUET_HEADER_DATA, .header_data = seq,
	};
	struct iovec iov = { buf, w->test.size };
	ssize_t n;

	do {
		n = w->test.verify ?
			libuet_sendmsg(w->fd, &iov, 1, NULL, &attrs,
				       MSG_NOSIGNAL) :
			send(w->fd, buf, w->test.size, MSG_NOSIGNAL);
	} while (n < 0 && errno == EINTR);
	if (n >= 0)
		return true;
	fail(w->s, "send: %s", strerror(errno));
	return false;
}

/* An empty message reads like the end of the socket, but for a flag */
static bool get_empty(const struct worker *w)
{
	struct msghdr msg = { 0 };

	return recvmsg(w->fd, &msg, 0) == 0 && msg.msg_flags & MSG_EOR;
}

/* Reads a message, the whole of it if there is room, else piece by piece */
static bool get_plain(const struct worker *w)
{
	size_t size = w->test.size, done = 0;

	do {
		size_t left = size - done;
		ssize_t n = room == size ?
			recv(w->fd, buf + done, left, 0) :
			recv(w->fd, buf, left < room ? left : room, 0);

		if (n <= 0)
			return false;
		done += n;
	} while (done < size);
	return true;
}

/* The number of a message comes with it: messages may be in any order */
static bool get_checked(const struct worker *w)
{
	const struct wire_msg *t = &w->test;
	struct libuet_attrs attrs;
	bool bad = false;
	size_t done = 0;

	do {
		struct iovec iov = { buf, room };
		ssize_t n = libuet_recvmsg(w->fd, &iov, 1, NULL, &attrs, 0);
		size_t good;

		if (n < 0 || (!n && !(attrs.msg_flags & MSG_EOR)))
			return false;
		good = pattern_check(buf, n, attrs.info.offset, t->seed,
				     attrs.header_data);
		if (good < (size_t)n && !bad) {
			bad = true;
			note_bad(w->s, attrs.header_data,
				 attrs.info.offset + good);
		}
		done = attrs.info.offset + n;
	} while (!(attrs.msg_flags & MSG_EOR));
	w->s->seq_sum += attrs.header_data;
	if (done != t->size && !bad)
		note_bad(w->s, attrs.header_data, done);
	return true;
}

/* False when the socket was shut down, or cannot be read */
static bool get(const struct worker *w)
{
	for (;;) {
		bool good;

		errno = 0;
		if (w->test.verify && w->work == WORK_SINK)
			good = get_checked(w);
		else
			good = w->test.size ? get_plain(w) : get_empty(w);
		/* A message that was withdrawn was never sent */
		if (good || (errno != EINTR && errno != ECONNABORTED))
			return good;
	}
}

/* --- rounds ------------------------------------------------------------------ */

static void round_begin(const struct worker *w, unsigned int round)
{
	if (round > w->test.warm)
		return;
	w->s->base = atomic_load(&w->s->messages);
	w->s->first = now_ns();
	w->s->last = w->s->first;
}

/* What was broken off is no round */
static void round_end(const struct worker *w, unsigned int round,
		      uint64_t start, uint64_t left)
{
	struct shared *s = w->s;

	s->last = now_ns();
	if (w->timed && w->test.round && !left && round >= w->test.warm &&
	    s->rounds < ROUNDS_MAX)
		s->round_ns[s->rounds++] = s->last - start;
}

/*
 * The reader has all of a round when it says so by a byte. It does not know where the
 * last one ends that was broken off.
 */
static bool confirmed(const struct worker *w, bool last)
{
	struct wire_msg m = { .kind = KIND_TOTAL, .slot = w->test.slot,
			      .key = w->test.key };
	ssize_t n;
	char byte;

	m.total = atomic_load(&w->s->messages);
	atomic_store(&w->s->told, last);
	if (last && !send_control(w->fd, &w->control, &m, 0)) {
		fail(w->s, "send: %s", strerror(errno));
		return false;
	}
	do {
		n = recv(w->fd, &byte, 1, 0);
	} while (n < 0 && errno == EINTR);
	if (n == 1)
		return true;
	fail(w->s, "the reader did not confirm what it has");
	return false;
}

static void source(const struct worker *w)
{
	struct shared *s = w->s;
	bool last = false;
	unsigned int r;

	for (r = 0; r < w->test.batches && !last; r++) {
		uint64_t left = w->test.round ?: UINT64_MAX;
		uint64_t start = now_ns();

		round_begin(w, r);
		for (; left && !atomic_load(&s->stop); left--) {
			uint64_t seq = atomic_load_explicit(&s->messages,
							    memory_order_relaxed);

			if (w->test.verify)
				make(w, seq);
			if (!put(w, seq))
				return;
			atomic_store_explicit(&s->messages, seq + 1,
					      memory_order_relaxed);
		}
		last = !w->test.round || atomic_load(&s->stop);
		if (!confirmed(w, last))
			return;
		round_end(w, r, start, left);
	}
	s->done = true;
}

static bool confirm(const struct worker *w)
{
	if (send(w->fd, "", 1, MSG_NOSIGNAL) == 1)
		return true;
	fail(w->s, "send: %s", strerror(errno));
	return false;
}

/* Reads a round of @left messages; true if there was an end to it */
static bool sink_round(const struct worker *w, uint64_t *left)
{
	uint64_t every = w->test.size < LOOK_SIZE ? LOOK_EVERY : 1;
	struct shared *s = w->s;
	uint64_t n = atomic_load(&s->messages);

	while (*left && n < atomic_load(&s->until)) {
		if (get(w)) {
			--*left;
			n = atomic_fetch_add(&s->messages, 1) + 1;
			if (n % every == 0)
				s->last = now_ns();
		} else if (n < atomic_load(&s->until)) {
			fail(s, "the sender fell silent");
			return false;
		}
	}
	return true;
}

/* The numbers of what was read add up if each message came once */
static bool each_once(const struct worker *w)
{
	uint64_t n = atomic_load(&w->s->messages);
	uint64_t sum = n % 2 ? (n - 1) / 2 * n : n / 2 * (n - 1);

	if (w->test.verify && w->s->seq_sum != sum)
		fail(w->s, "messages came twice, or others than were sent");
	return !*w->s->error;
}

static void sink(const struct worker *w)
{
	struct shared *s = w->s;
	unsigned int r;

	for (r = 0; r < w->test.batches; r++) {
		uint64_t left = w->test.round ?: UINT64_MAX;
		uint64_t start = now_ns();

		round_begin(w, r);
		if (!sink_round(w, &left))
			return;
		round_end(w, r, start, left);
		if (!confirm(w))
			return;
		if (atomic_load(&s->messages) >= atomic_load(&s->until))
			break;
	}
	s->done = each_once(w);
}

static void echo(const struct worker *w)
{
	uint64_t n, warm = w->test.round * w->test.warm;
	struct shared *s = w->s;

	round_begin(w, 0);
	while (get(w) && put(w, 0)) {
		n = atomic_fetch_add(&s->messages, 1) + 1;
		/* The message is on its way: nobody waits for the clock */
		if (n == warm)
			round_begin(w, 0);
		else
			s->last = now_ns();
	}
}

/* Sends a message and waits for it to come back */
static bool ping(const struct worker *w, uint64_t seq)
{
	if (!put(w, seq))
		return false;
	if (get(w))
		return true;
	fail(w->s, "no echo of message %llu", (unsigned long long)seq);
	return false;
}

/* The same with contents, of which the time is not counted, and with the clock */
static bool timed_ping(const struct worker *w, uint64_t seq, uint64_t *last)
{
	const struct wire_msg *t = &w->test;
	uint64_t now;
	size_t good;

	if (t->verify) {
		make(w, seq);
		*last = now_ns();
	}
	if (!ping(w, seq))
		return false;
	now = now_ns();
	hist_add(&w->s->rtt, now - *last);
	*last = now;
	if (!t->verify)
		return true;
	good = pattern_check(buf, t->size, 0, t->seed, seq);
	if (good < t->size)
		note_bad(w->s, seq, good);
	return true;
}

/* Rounds are timed as a whole, with nothing between their messages */
static void note_mean(const struct worker *w, unsigned int round,
		      uint64_t start, uint64_t left)
{
	uint64_t n = w->test.round - left;

	if (n && round >= w->test.warm)
		hist_add(&w->s->rtt, (w->s->last - start) / n);
}

static void ping_pong(const struct worker *w)
{
	bool plain = w->test.batches > 1 && !w->test.verify;
	struct shared *s = w->s;
	uint64_t seq = 0;
	unsigned int r;

	for (r = 0; r < w->test.batches; r++) {
		uint64_t left = w->test.round ?: UINT64_MAX;
		uint64_t start = now_ns(), last = start;

		round_begin(w, r);
		for (; left && !atomic_load(&s->stop); left--) {
			if (!(plain ? ping(w, seq) : timed_ping(w, seq, &last)))
				return;
			atomic_store_explicit(&s->messages, ++seq,
					      memory_order_relaxed);
		}
		round_end(w, r, start, left);
		if (plain)
			note_mean(w, r, start, left);
		else if (r < w->test.warm)
			memset(&s->rtt, 0, sizeof(s->rtt));
		if (atomic_load(&s->stop))
			break;
	}
	s->done = true;
}

/* --- processes ---------------------------------------------------------------- */

/**
 * worker_begin() - make shared memory ready for a worker
 * @w: worker
 */
void worker_begin(const struct worker *w)
{
	memset(w->s, 0, sizeof(*w->s));
	atomic_store(&w->s->until, w->test.round ?
		     w->test.round * w->test.batches : UINT64_MAX);
	w->s->first = now_ns();
	w->s->last = w->s->first;
}

/**
 * worker_until() - say how many messages a reader will get
 * @s: of the reader
 * @fd: its data socket
 * @total: so many
 *
 * A reader that has them already may wait for another one.
 */
void worker_until(struct shared *s, int fd, uint64_t total)
{
	if (total < atomic_load(&s->until))
		atomic_store(&s->until, total);
	if (atomic_load(&s->messages) >= total)
		shutdown(fd, SHUT_RD);
}

static void work(const struct worker *w)
{
	size_t size = w->test.size;
	bool whole = w->work != WORK_SINK || size <= COPY_MAX;

	room = whole ? size : COPY_MAX;
	if (w->test.verify && w->work == WORK_SINK)
		room = COPY_MAX;
	buf = malloc(room ?: 1);
	if (!buf) {
		fail(w->s, "no memory for a message of %zu bytes", size);
		return;
	}
	memset(buf, 0x5a, room);
	switch (w->work) {
	case WORK_SOURCE:
		source(w);
		break;
	case WORK_SINK:
		sink(w);
		break;
	case WORK_ECHO:
		echo(w);
		break;
	case WORK_PING:
		ping_pong(w);
		break;
	}
}

/**
 * worker_fork() - start a worker as a process
 * @w: worker; worker_begin() came before
 *
 * Return: the process, or -1 with errno.
 */
pid_t worker_fork(const struct worker *w)
{
	struct worker own = *w;
	sigset_t none;
	pid_t pid, parent = getpid();

	fflush(NULL);
	pid = fork();
	if (pid)
		return pid;
	/* ^C reaches the first process too, which says when to stop */
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	/* No other flow's socket may stay open because of this process */
	own.fd = 3;
	if (w->fd != own.fd && dup2(w->fd, own.fd) < 0)
		_exit(1);
	close_range(own.fd + 1, ~0U, 0);
	work(&own);
	_exit(0);
}
