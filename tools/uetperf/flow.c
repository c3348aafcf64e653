// SPDX-License-Identifier: GPL-2.0
/* A flow of the client: a process and a socket */
#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "uetperf.h"

#define LOOK_EVERY	32	/* messages between looks at the error queue */
#define ASK_MS		20	/* between questions how far the server is */

struct run {
	const struct options *o;
	struct flow	*f;
	int		fd, delivery;
	uint32_t	id;
	uint64_t	seed, start, end;
	char		*buf;
	size_t		room;
};

static bool fail(struct run *r, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The first one is told; false, always */
static bool fail(struct run *r, const char *format, ...)
{
	va_list ap;

	if (*r->f->error)
		return false;
	va_start(ap, format);
	vsnprintf(r->f->error, sizeof(r->f->error), format, ap);
	va_end(ap);
	return false;
}

static const char *advice(unsigned int error)
{
	switch (error) {
	case ECONNREFUSED:
		return "is uetperf -s running there, at this PIDonFEP and job?";
	case ECONNRESET:
		return "the server's host or module was restarted: start uetperf -s there and run this again";
	case ETIMEDOUT:
	case EHOSTUNREACH:
	case ENETUNREACH:
		return "check the address, the route (ip route get) and that UDP port 4793 is let through";
	case EACCES:
		return "start the server in the same job (-j)";
	default:
		return "see uet stat on both hosts";
	}
}

static int failed(void *arg, const struct uet_report *rep,
		  const struct sockaddr_uet *peer)
{
	char text[LIBUET_TEXT_SIZE];
	struct run *r = arg;

	if (rep->type != UET_REPORT_FAILED)
		return 0;
	libuet_report_text(rep, peer, text, sizeof(text));
	fail(r, "%s; %s", text, advice(rep->error));
	return 0;
}

static bool sound(struct run *r)
{
	libuet_drain(r->fd, 0, failed, r);
	return !*r->f->error;
}

static bool send_kind(struct run *r, enum wire_kind kind, uint64_t seq,
		      const void *data, size_t len)
{
	if (wire_send(r->fd, NULL, r->delivery, wire_tag(kind, r->id), seq,
		      data, len, 0) >= 0)
		return true;
	if (errno == EINTR || !sound(r))
		return false;
	if (errno == EAGAIN)
		return fail(r, "the server took nothing for %u s; is it stopped?",
			    r->o->timeout_s);
	return fail(r, "send: %s; %s", strerror(errno), advice(errno));
}

/* A whole message of this test; its kind, or 0 if there is none in time */
static enum wire_kind get(struct run *r, uint64_t *seq, size_t *len, int ms)
{
	struct pollfd pfd = { r->fd, POLLIN };
	struct libuet_attrs attrs;
	ssize_t n;

	for (;;) {
		struct iovec iov = { r->buf, r->room };

		n = libuet_recvmsg(r->fd, &iov, 1, NULL, &attrs,
				   MSG_DONTWAIT | MSG_WAITALL);
		if (n >= 0 && wire_test(attrs.tag) == r->id &&
		    attrs.msg_flags & MSG_EOR && !attrs.info.offset) {
			*seq = attrs.header_data;
			*len = n;
			return wire_kind(attrs.tag);
		}
		if (n >= 0)
			continue;
		if (!sound(r) || poll(&pfd, 1, ms) <= 0)
			return 0;
	}
}

static bool begin(struct run *r)
{
	const struct wire_hello h = {
		htobe64(WIRE_VERSION), htobe64(r->o->verify), htobe64(r->seed),
	};
	enum wire_kind kind;
	uint64_t seq;
	size_t len;

	if (!send_kind(r, KIND_HELLO, 0, &h, sizeof(h)))
		return false;
	kind = get(r, &seq, &len, r->o->timeout_s * 1000);
	if (kind == KIND_WELCOME)
		return true;
	if (kind == KIND_REFUSED)
		return fail(r, "the server has another version or no room for a further test");
	return stopped ? false :
		fail(r, "no answer from the server within %u s; %s",
		     r->o->timeout_s, advice(ECONNREFUSED));
}

static bool more(const struct run *r)
{
	if (stopped)
		return false;
	return r->o->count ? r->f->messages < r->o->count : now_ns() < r->end;
}

static void send_data(struct run *r, size_t size)
{
	struct flow *f = r->f;

	while (more(r)) {
		if (r->o->verify)
			pattern_fill(r->buf, size, r->seed, f->messages);
		if (r->o->corrupt && size &&
		    (f->messages + 1) % r->o->corrupt == 0)
			r->buf[size / 2] ^= 0x20;
		if (!send_kind(r, KIND_DATA, f->messages, r->buf, size))
			return;
		f->messages++;
		f->bytes += size;
		if (f->messages % LOOK_EVERY == 0 && !sound(r))
			return;
	}
}

static bool ping(struct run *r, size_t size)
{
	uint64_t start, seq, wanted = r->f->messages;
	enum wire_kind kind;
	size_t len;

	if (r->o->verify)
		pattern_fill(r->buf, size, r->seed, wanted);
	if (r->o->corrupt && size && (wanted + 1) % r->o->corrupt == 0)
		r->buf[size / 2] ^= 0x20;
	start = now_ns();
	if (!send_kind(r, KIND_PING, wanted, r->buf, size))
		return false;
	kind = get(r, &seq, &len, r->o->timeout_s * 1000);
	if (kind != KIND_PONG || seq != wanted || len != size)
		return stopped ? false :
			fail(r, "no echo of message %llu; was the server restarted?",
			     (unsigned long long)wanted);
	hist_add(&r->f->rtt, now_ns() - start);
	if (!r->o->verify)
		return true;
	len = pattern_check(r->buf, size, 0, r->seed, wanted);
	if (len == size)
		return true;
	if (!r->f->server.bad++) {
		r->f->server.bad_seq = wanted;
		r->f->server.bad_offset = len;
	}
	return true;
}

static void ping_pong(struct run *r, size_t size)
{
	while (more(r) && ping(r, size)) {
		r->f->messages++;
		r->f->bytes += size;
	}
}

static bool take_result(struct run *r)
{
	struct wire_result w, *to = &r->f->server;

	memcpy(&w, r->buf, sizeof(w));
	if (!w.known)
		return fail(r, "the server does not know this test: it was restarted meanwhile; run this again");
	to->known = 1;
	to->messages = be64toh(w.messages);
	to->bytes = be64toh(w.bytes);
	to->ns = be64toh(w.ns);
	/* Echoes are checked here: what was wrong both ways is found */
	if (r->o->mode == MODE_LAT)
		return true;
	to->bad = be64toh(w.bad);
	to->bad_seq = be64toh(w.bad_seq);
	to->bad_offset = be64toh(w.bad_offset);
	return true;
}

/* Messages are not ordered: asks until the server has them all */
static void finish(struct run *r)
{
	uint64_t seq, heard = now_ns(), had = 0;
	size_t len;

	while (now_ns() - heard < r->o->timeout_s * 1000000000ULL) {
		if (!send_kind(r, KIND_ASK, 0, NULL, 0) && *r->f->error)
			return;
		if (get(r, &seq, &len, ASK_MS * 10) == KIND_RESULT &&
		    len == sizeof(struct wire_result)) {
			if (!take_result(r))
				return;
			if (r->f->server.messages > had)
				heard = now_ns();
			had = r->f->server.messages;
		}
		r->f->ns = now_ns() - r->start;
		if (r->f->server.known && had >= r->f->messages) {
			send_kind(r, KIND_BYE, 0, NULL, 0);
			return;
		}
		if (!sound(r))
			return;
		poll(NULL, 0, ASK_MS);
	}
	fail(r, "the server has %llu of %llu messages and gets no more; %s",
	     (unsigned long long)had, (unsigned long long)r->f->messages,
	     advice(0));
}

static bool open_flow(struct run *r, unsigned int index)
{
	struct timeval tv = { .tv_sec = r->o->timeout_s };
	struct libuet_sock how = r->o->how;
	const char *step;

	how.peer = &r->o->addr;
	if (r->o->locals)
		how.local = &r->o->local[index % r->o->locals];
	r->fd = libuet_open(&how, &step);
	if (r->fd < 0)
		return fail(r, "%s: %s", step, strerror(errno));
	setsockopt(r->fd, SOL_SOCKET, SO_SNDTIMEO, &tv, sizeof(tv));
	return true;
}

/**
 * flow_run() - the test of one flow
 * @o: options; @size is that of this test
 * @f: gets what comes of it
 * @index: of the flow
 */
void flow_run(const struct options *o, struct flow *f, unsigned int index)
{
	struct run r = {
		.o = o, .f = f, .delivery = o->how.delivery,
		.room = o->size > 4096 ? o->size : 4096,
	};

	r.buf = calloc(1, r.room);
	if (!r.buf) {
		fail(&r, "no memory for a message of %zu bytes", o->size);
		return;
	}
	if (getrandom(&r.id, sizeof(r.id), 0) != sizeof(r.id) ||
	    getrandom(&r.seed, sizeof(r.seed), 0) != sizeof(r.seed)) {
		fail(&r, "getrandom: %s", strerror(errno));
		return;
	}
	if (!open_flow(&r, index) || !begin(&r))
		return;
	r.start = now_ns();
	r.end = r.start + o->seconds * 1e9;
	if (o->mode == MODE_LAT)
		ping_pong(&r, o->size);
	else
		send_data(&r, o->size);
	f->ns = now_ns() - r.start;
	if (!*f->error)
		finish(&r);
	close(r.fd);
	free(r.buf);
}
