// SPDX-License-Identifier: GPL-2.0
/*
 * The server: one socket for all clients. It counts, checks and echoes, and
 * answers a question about a test at any time.
 */
#include <arpa/inet.h>
#include <endian.h>
#include <err.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "uetperf.h"

#define TESTS_MAX	1024
#define IDLE_NS		60000000000ULL	/* then another may take its place */

struct test {
	bool		used, verify;
	struct sockaddr_uet peer;
	uint32_t	id;
	uint64_t	seed, first, last, heard;
	struct wire_result sums;
};

/* The message that is being read; it may come in several pieces */
struct reading {
	struct sockaddr_uet from;
	uint64_t	tag, seq;
	size_t		have;
	bool		bad, more;
};

static struct test tests[TESTS_MAX];
static char buf[PING_MAX];

static bool same_peer(const struct sockaddr_uet *a, const struct sockaddr_uet *b)
{
	return a->suet_initiator == b->suet_initiator &&
	       a->suet_pid == b->suet_pid && a->suet_ri == b->suet_ri &&
	       a->suet_job == b->suet_job &&
	       !memcmp(&a->suet_addr, &b->suet_addr, sizeof(a->suet_addr));
}

static struct test *find(const struct sockaddr_uet *from, uint32_t id)
{
	struct test *t;

	for (t = tests; t < tests + TESTS_MAX; t++)
		if (t->used && t->id == id && same_peer(&t->peer, from))
			return t;
	return NULL;
}

static struct test *find_free(uint64_t now)
{
	struct test *t;

	for (t = tests; t < tests + TESTS_MAX; t++)
		if (!t->used || now - t->heard > IDLE_NS)
			return t;
	return NULL;
}

/* Who has no room for an answer asks again, or is gone */
static void answer(int fd, const struct reading *r, int delivery,
		   enum wire_kind kind, const void *data, size_t len)
{
	wire_send(fd, &r->from, delivery, wire_tag(kind, wire_test(r->tag)),
		  r->seq, data, len, MSG_DONTWAIT);
}

/* Also the second time, should the answer to the first have been lost */
static void hello(int fd, const struct reading *r, int delivery)
{
	struct test *t = find(&r->from, wire_test(r->tag));
	struct wire_hello h = { 0 };

	if (!t)
		t = find_free(now_ns());
	if (r->have == sizeof(h))
		memcpy(&h, buf, sizeof(h));
	if (!t || be64toh(h.version) != WIRE_VERSION) {
		answer(fd, r, delivery, KIND_REFUSED, NULL, 0);
		return;
	}
	*t = (struct test){
		.used = true, .verify = h.verify, .peer = r->from,
		.id = wire_test(r->tag), .seed = be64toh(h.seed),
		.heard = now_ns(),
	};
	answer(fd, r, delivery, KIND_WELCOME, NULL, 0);
}

static void result(int fd, const struct reading *r, int delivery)
{
	const struct test *t = find(&r->from, wire_test(r->tag));
	struct wire_result w = { 0 };

	if (t)
		w = (struct wire_result){
			.known = htobe64(1),
			.messages = htobe64(t->sums.messages),
			.bytes = htobe64(t->sums.bytes),
			.ns = htobe64(t->last - t->first),
			.bad = htobe64(t->sums.bad),
			.bad_seq = htobe64(t->sums.bad_seq),
			.bad_offset = htobe64(t->sums.bad_offset),
		};
	answer(fd, r, delivery, KIND_RESULT, &w, sizeof(w));
}

static void bye(const struct options *o, const struct reading *r)
{
	struct test *t = find(&r->from, wire_test(r->tag));
	char name[LIBUET_URI_SIZE];

	if (!t)
		return;
	t->used = false;
	if (o->quiet)
		return;
	libuet_format(&t->peer, name, sizeof(name));
	printf("%s: %llu messages, %llu bytes, %llu wrong\n", name,
	       (unsigned long long)t->sums.messages,
	       (unsigned long long)t->sums.bytes,
	       (unsigned long long)t->sums.bad);
	fflush(stdout);
}

/* A piece of a data message that is to be checked */
static void check(struct reading *r, struct test *t, size_t offset, size_t len)
{
	size_t good = pattern_check(buf, len, offset, t->seed, r->seq);

	if (good == len || r->bad)
		return;
	r->bad = true;
	if (t->sums.bad++)
		return;
	t->sums.bad_seq = r->seq;
	t->sums.bad_offset = offset + good;
}

static void count(struct test *t, const struct reading *r)
{
	t->heard = now_ns();
	t->last = t->heard;
	if (!t->sums.messages++)
		t->first = t->last;
	t->sums.bytes += r->have;
}

/* True if the message ended a test */
static bool complete(int fd, const struct options *o, const struct reading *r,
		     int delivery)
{
	struct test *t;

	switch (wire_kind(r->tag)) {
	case KIND_HELLO:
		hello(fd, r, delivery);
		return false;
	case KIND_DATA:
	case KIND_PING:
		t = find(&r->from, wire_test(r->tag));
		if (t)
			count(t, r);
		if (wire_kind(r->tag) == KIND_PING && t && r->have <= PING_MAX)
			answer(fd, r, delivery, KIND_PONG, buf, r->have);
		return false;
	case KIND_ASK:
		result(fd, r, delivery);
		return false;
	case KIND_BYE:
		bye(o, r);
		return true;
	default:
		return false;
	}
}

/* What is there; the number of tests that ended */
static unsigned int take(int fd, const struct options *o, struct reading *r)
{
	struct libuet_attrs attrs;
	struct sockaddr_uet from;
	unsigned int ended = 0;
	struct test *t;
	ssize_t n;

	while (!stopped) {
		/* What is echoed is kept whole, other data is not */
		size_t kept = r->more && wire_kind(r->tag) != KIND_DATA &&
			      r->have < sizeof(buf) ? r->have : 0;
		struct iovec iov = { buf + kept, sizeof(buf) - kept };

		n = libuet_recvmsg(fd, &iov, 1, &from, &attrs, MSG_DONTWAIT);
		if (n < 0 && errno == EAGAIN)
			break;
		if (n < 0) {
			/* The sender withdrew it or was reset */
			memset(r, 0, sizeof(*r));
			if (errno == EINTR || errno == ECONNABORTED ||
			    errno == ECONNRESET)
				continue;
			err(1, "receive");
		}
		if (!attrs.info.offset)
			*r = (struct reading){ .from = from, .tag = attrs.tag,
					       .seq = attrs.header_data };
		t = wire_kind(r->tag) == KIND_DATA ?
			find(&r->from, wire_test(r->tag)) : NULL;
		if (t && t->verify)
			check(r, t, attrs.info.offset, n);
		r->have += n;
		r->more = !(attrs.msg_flags & MSG_EOR);
		if (!r->more)
			ended += complete(fd, o, r, attrs.info.delivery);
	}
	return ended;
}

/* An answer that could not be delivered: its client is gone and hears of it */
static int ignore(void *arg, const struct uet_report *rep,
		  const struct sockaddr_uet *peer)
{
	(void)arg;
	(void)rep;
	(void)peer;
	return 0;
}

/**
 * serve() - serve clients until a signal comes
 * @o: options
 *
 * Return: exit status.
 */
int serve(const struct options *o)
{
	struct libuet_sock how = o->how;
	char name[LIBUET_URI_SIZE];
	struct reading r = { 0 };
	struct pollfd pfd;
	const char *step;

	how.local = &o->addr;
	pfd = (struct pollfd){ libuet_open(&how, &step), POLLIN };
	libuet_format(&o->addr, name, sizeof(name));
	if (pfd.fd < 0 && errno == EADDRINUSE)
		errx(1, "%s is in use: another server runs there; -p selects another place",
		     name);
	if (pfd.fd < 0)
		err(1, "%s: %s", name, step);
	printf("ready at %s\n", name);
	fflush(stdout);
	while (!stopped) {
		/* Now and then, for a signal that came just before */
		if (poll(&pfd, 1, 1000) < 0)
			continue;
		if (pfd.revents & POLLERR)
			libuet_drain(pfd.fd, 0, ignore, NULL);
		if (take(pfd.fd, o, &r) && o->once)
			break;
	}
	return 0;
}
