// SPDX-License-Identifier: GPL-2.0
/*
 * AF_UET: a socket per process at each end. Every message names its flow and
 * its place in the flow by its header data, since messages of a SOCK_RDM
 * socket arrive in any order.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/uio.h>

#include <libuet.h>

#include "lab.h"

#define MSG_INDEX_BITS	32		/* header data: flow << 32 | message */
#define WARM_FLOW	0xffffffffULL
#define MSG_INDEX_MASK	0xffffffffULL
#define MSG_PIECES	256
#define SNDBUF_SPARE	(1 << 20)
#define OPEN_SECONDS	5

static unsigned char buffer[1 << 20];

static void uet_addr(struct sockaddr_uet *sa, const char *addr, int pid)
{
	if (libuet_addr(sa, addr, 0, pid, 0))
		die("bad address %s", addr);
}

static int uet_socket(struct conn *c, struct ns *ns,
		      const struct libuet_sock *how)
{
	const char *step;
	int fd;

	netns_enter(ns);
	fd = libuet_open(how, &step);
	netns_leave();
	/* engine.py looks for this, to leave out what a module does not have */
	if (fd < 0)
		die("UET socket of connection %d: %s", c->id, step);
	return fd;
}

/* Header data tells the receiver the flow, the cookie comes back in reports. */
static ssize_t uet_put(int fd, struct iovec *iov, size_t nr, uint64_t header,
		       int flags)
{
	const struct libuet_attrs attrs = {
		.has = LIBUET_HEADER_DATA | LIBUET_COOKIE,
		.header_data = header, .cookie = header,
	};

	return libuet_sendmsg(fd, iov, nr, NULL, &attrs, flags | MSG_NOSIGNAL);
}

/* A call that never waits takes a message as a whole or not at all. */
static void uet_room(struct conn *c)
{
	uint64_t largest = 0;
	int i, size;

	for (i = 0; i < lab.nr_flows; i++)
		if (lab.flows[i].conn == c && lab.flows[i].msg > largest)
			largest = lab.flows[i].msg;
	size = 2 * largest + SNDBUF_SPARE;
	if (setsockopt(c->txfd, SOL_SOCKET, SO_SNDBUFFORCE, &size,
		       sizeof(size)))
		die("UET send buffer");
}

static void uet_open(struct conn *c)
{
	char text[WARM_BYTES] = { };
	struct iovec iov = { text, sizeof(text) };
	struct timeval patience = { .tv_sec = OPEN_SECONDS };
	struct sockaddr_uet src, dst;
	struct libuet_sock tx = {
		.cc = c->cc, .policy = c->policy, .notify = true,
		.local = &src, .peer = &dst,
	};
	struct libuet_sock rx = { .local = &dst };
	/* What is long and, by itself, what is short */
	static const int tclass[] = { 0, -1 };
	int i;

	tx.type = c->proto == PROTO_ROD ? SOCK_SEQPACKET : SOCK_RDM;
	tx.type |= SOCK_CLOEXEC;
	rx.type = tx.type;
	uet_addr(&src, c->saddr, c->sport);
	uet_addr(&dst, c->daddr, c->dport);
	c->rxfd = uet_socket(c, c->dst, &rx);
	c->txfd = uet_socket(c, c->src, &tx);
	uet_room(c);
	/* Virtual time would run on for ever for a message that never comes. */
	setsockopt(c->rxfd, SOL_SOCKET, SO_RCVTIMEO, &patience,
		   sizeof(patience));
	for (i = 0; i < 2; i++)
		if (setsockopt(c->txfd, SOL_UET, UET_TRAFFIC_CLASS, &tclass[i],
			       sizeof(tclass[i])) ||
		    uet_put(c->txfd, &iov, 1, WARM_FLOW << MSG_INDEX_BITS, 0) < 0 ||
		    recv(c->rxfd, text, sizeof(text), 0) != sizeof(text))
			die("opening message %s to %s", c->saddr, c->daddr);
}

static bool uet_has_more(const struct flow *f)
{
	return f->bytes ? f->sent < f->bytes : !f->stopped;
}

static int uet_send(struct conn *c, struct flow *f)
{
	struct iovec iov[MSG_PIECES];
	uint64_t at, left, index;
	size_t n, nr;

	while (uet_has_more(f)) {
		left = f->msg;
		if (f->bytes && f->bytes - f->sent < left)
			left = f->bytes - f->sent;
		index = f->sent / f->msg;
		for (at = f->sent, nr = 0; left; left -= n, at += n, nr++) {
			n = left;
			if (nr == MSG_PIECES)
				die("message of flow %d too long", f->id);
			iov[nr].iov_base = (void *)content_at(f->id, at, &n);
			iov[nr].iov_len = n;
		}
		index |= (uint64_t)f->id << MSG_INDEX_BITS;
		if (uet_put(c->txfd, iov, nr, index, MSG_DONTWAIT) < 0) {
			if (errno == EAGAIN)
				return 0;
			die("UET send on connection %d", c->id);
		}
		f->sent = at;
	}
	return 1;
}

static void uet_got(struct conn *c, const struct libuet_attrs *attrs, ssize_t n)
{
	uint64_t index = attrs->header_data & MSG_INDEX_MASK;
	struct flow *f = lab_flow(c, attrs->header_data >> MSG_INDEX_BITS);

	if (!f)
		die("connection %d: a message of no flow", c->id);
	lab_received(c, f, index * f->msg + attrs->info.offset, buffer, n);
}

static long uet_recv(struct conn *c, size_t max)
{
	struct iovec iov = { buffer, max < sizeof(buffer) ? max :
			     sizeof(buffer) };
	struct libuet_attrs attrs;
	ssize_t n;

	n = libuet_recvmsg(c->rxfd, &iov, 1, NULL, &attrs, MSG_DONTWAIT);
	if (n < 0 && errno == EAGAIN)
		return 0;
	if (n < 0)
		die("UET receive on connection %d", c->id);
	uet_got(c, &attrs, n);
	return n;
}

/* One report speaks of a range of cookies; those of one flow follow on. */
static void uet_report(struct conn *c, const struct uet_report *r)
{
	char text[LIBUET_TEXT_SIZE];
	uint64_t cookie;
	struct flow *f;

	if (r->type == UET_REPORT_FAILED) {
		errno = r->error;
		libuet_report_text(r, NULL, text, sizeof(text));
		die("connection %d: %s", c->id, text);
	}
	for (cookie = r->cookie; cookie <= r->cookie_last; cookie++) {
		f = lab_flow(c, cookie >> MSG_INDEX_BITS);
		if (!f || !f->bytes)
			continue;
		f->acked += f->msg;
		if (f->acked >= f->bytes)
			lab_acked(f);
	}
}

static void uet_error(struct conn *c)
{
	struct uet_report report;

	while (libuet_next_report(c->txfd, &report, NULL))
		uet_report(c, &report);
}

static void uet_window(struct conn *c, FILE *out, uint64_t now)
{
	struct uet_info info;

	if (libuet_get_info(c->txfd, &info) < 0)
		return;
	fprintf(out, "w %llu %d %llu %lld %llu\n", (unsigned long long)now,
		c->id, (unsigned long long)info.cwnd, (long long)info.inflight,
		(unsigned long long)info.rtt);
}

const struct conn_ops uet_ops = {
	.open	= uet_open,
	.send	= uet_send,
	.recv	= uet_recv,
	.error	= uet_error,
	.window	= uet_window,
};
