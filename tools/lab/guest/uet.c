// SPDX-License-Identifier: GPL-2.0
/*
 * AF_UET: a socket per process at each end. Every message names its flow and
 * its place in the flow by its header data, since messages of a SOCK_RDM
 * socket arrive in any order.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/errqueue.h>
#include <linux/uet.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>

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
	struct in_addr v4;

	memset(sa, 0, sizeof(*sa));
	sa->suet_family = AF_UET;
	sa->suet_pid = pid;
	if (inet_pton(AF_INET, addr, &v4) != 1)
		die("bad address %s", addr);
	sa->suet_addr.s6_addr[10] = 0xff;
	sa->suet_addr.s6_addr[11] = 0xff;
	memcpy(&sa->suet_addr.s6_addr[12], &v4, sizeof(v4));
}

static int uet_socket(struct conn *c, struct ns *ns, const char *addr, int pid)
{
	int type = c->proto == PROTO_ROD ? SOCK_SEQPACKET : SOCK_RDM;
	struct sockaddr_uet sa;
	int fd;

	netns_enter(ns);
	fd = socket(AF_UET, type | SOCK_CLOEXEC, 0);
	netns_leave();
	if (fd < 0)
		die("AF_UET socket");
	uet_addr(&sa, addr, pid);
	if (bind(fd, (void *)&sa, sizeof(sa)))
		die("bind UET %s %d", addr, pid);
	return fd;
}

static void uet_option(int fd, int option, const char *value)
{
	if (value[0] &&
	    setsockopt(fd, SOL_UET, option, value, strlen(value) + 1))
		die("UET option %d to %s", option, value);
}

/* Header data tells the receiver the flow, the cookie comes back in reports. */
static ssize_t uet_put(int fd, struct iovec *iov, size_t nr, uint64_t header,
		       int flags)
{
	static const int types[] = { UET_CMSG_HEADER_DATA, UET_CMSG_COOKIE };
	union {
		char		buf[2 * CMSG_SPACE(sizeof(uint64_t))];
		struct cmsghdr	align;
	} control = { };
	struct msghdr msg = {
		.msg_iov = iov, .msg_iovlen = nr,
		.msg_control = control.buf, .msg_controllen = sizeof(control),
	};
	struct cmsghdr *cm = CMSG_FIRSTHDR(&msg);
	size_t i;

	for (i = 0; i < 2; i++, cm = CMSG_NXTHDR(&msg, cm)) {
		cm->cmsg_level = SOL_UET;
		cm->cmsg_type = types[i];
		cm->cmsg_len = CMSG_LEN(sizeof(header));
		memcpy(CMSG_DATA(cm), &header, sizeof(header));
	}
	return sendmsg(fd, &msg, flags | MSG_NOSIGNAL);
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
	struct sockaddr_uet sa;
	/* What is long and, by itself, what is short */
	static const int tclass[] = { 0, -1 };
	int one = 1, i;

	c->rxfd = uet_socket(c, c->dst, c->daddr, c->dport);
	c->txfd = uet_socket(c, c->src, c->saddr, c->sport);
	uet_option(c->txfd, UET_CC, c->cc);
	uet_option(c->txfd, UET_PATH_POLICY, c->policy);
	uet_addr(&sa, c->daddr, c->dport);
	if (connect(c->txfd, (void *)&sa, sizeof(sa)))
		die("connect UET %s to %s", c->saddr, c->daddr);
	uet_room(c);
	if (setsockopt(c->txfd, SOL_UET, UET_NOTIFY, &one, sizeof(one)))
		die("UET reports");
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

static void uet_got(struct conn *c, struct msghdr *msg, ssize_t n)
{
	struct uet_msg_info info = { };
	uint64_t header = 0;
	struct cmsghdr *cm;
	struct flow *f;

	for (cm = CMSG_FIRSTHDR(msg); cm; cm = CMSG_NXTHDR(msg, cm)) {
		if (cm->cmsg_level != SOL_UET)
			continue;
		if (cm->cmsg_type == UET_CMSG_HEADER_DATA)
			memcpy(&header, CMSG_DATA(cm), sizeof(header));
		if (cm->cmsg_type == UET_CMSG_MSG_INFO)
			memcpy(&info, CMSG_DATA(cm), sizeof(info));
	}
	f = lab_flow(c, header >> MSG_INDEX_BITS);
	if (!f)
		die("connection %d: a message of no flow", c->id);
	lab_received(c, f, (header & MSG_INDEX_MASK) * f->msg + info.offset,
		     buffer, n);
}

static long uet_recv(struct conn *c, size_t max)
{
	union {
		char		buf[512];
		struct cmsghdr	align;
	} control;
	struct iovec iov = { buffer, max < sizeof(buffer) ? max :
			     sizeof(buffer) };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control.buf, .msg_controllen = sizeof(control),
	};
	ssize_t n;

	n = recvmsg(c->rxfd, &msg, MSG_DONTWAIT);
	if (n < 0 && errno == EAGAIN)
		return 0;
	if (n < 0)
		die("UET receive on connection %d", c->id);
	uet_got(c, &msg, n);
	return n;
}

/* One report speaks of a range of cookies; those of one flow follow on. */
static void uet_report(struct conn *c, const struct uet_report *r)
{
	uint64_t cookie;
	struct flow *f;

	if (r->type == UET_REPORT_FAILED) {
		errno = r->error;
		die("message %llx of connection %d failed (source %u code %u)",
		    (unsigned long long)r->cookie, c->id, r->source, r->code);
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
	union {
		char		buf[512];
		struct cmsghdr	align;
	} control;
	struct msghdr msg = { };
	struct uet_report report;
	struct cmsghdr *cm;

	for (;;) {
		msg.msg_control = control.buf;
		msg.msg_controllen = sizeof(control);
		if (recvmsg(c->txfd, &msg, MSG_ERRQUEUE | MSG_DONTWAIT) < 0)
			return;
		for (cm = CMSG_FIRSTHDR(&msg); cm; cm = CMSG_NXTHDR(&msg, cm)) {
			if (cm->cmsg_level != SOL_UET ||
			    cm->cmsg_type != UET_CMSG_REPORT)
				continue;
			memcpy(&report, CMSG_DATA(cm), sizeof(report));
			uet_report(c, &report);
		}
	}
}

static void uet_window(struct conn *c, FILE *out, uint64_t now)
{
	struct uet_info info = { };
	socklen_t len = sizeof(info);

	if (getsockopt(c->txfd, SOL_UET, UET_INFO, &info, &len))
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
