// SPDX-License-Identifier: GPL-2.0
/* TCP and MPTCP: a connection per process pair, flows one after the other. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <linux/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lab.h"

#ifndef IPPROTO_MPTCP
#define IPPROTO_MPTCP	262
#endif

static unsigned char buffer[1 << 20];

void lab_addr(struct sockaddr_in *sin, const char *addr, int port)
{
	memset(sin, 0, sizeof(*sin));
	sin->sin_family = AF_INET;
	sin->sin_port = htons(port);
	if (addr && inet_pton(AF_INET, addr, &sin->sin_addr) != 1)
		die("bad address %s", addr);
}

static int tcp_socket(struct conn *c, struct ns *ns)
{
	int fd, one = 1;

	netns_enter(ns);
	fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC,
		    c->proto == PROTO_MPTCP ? IPPROTO_MPTCP : 0);
	netns_leave();
	if (fd < 0)
		die("socket");
	if (c->cc[0] && setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, c->cc,
				   strlen(c->cc)))
		die("congestion control %s", c->cc);
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	return fd;
}

static void exchange(int from, int to)
{
	char msg[WARM_BYTES] = { };
	size_t got = 0;
	ssize_t n;

	if (send(from, msg, sizeof(msg), 0) != sizeof(msg))
		die("opening message");
	while (got < sizeof(msg)) {
		n = recv(to, msg, sizeof(msg) - got, 0);
		if (n <= 0)
			die("opening message");
		got += n;
	}
}

static void tcp_open(struct conn *c)
{
	struct sockaddr_in sin;
	int fd;

	fd = tcp_socket(c, c->dst);
	lab_addr(&sin, c->daddr, c->dport);
	if (bind(fd, (void *)&sin, sizeof(sin)) || listen(fd, 64))
		die("listen on %s:%d", c->daddr, c->dport);
	c->txfd = tcp_socket(c, c->src);
	lab_addr(&sin, c->saddr, c->sport);
	if (bind(c->txfd, (void *)&sin, sizeof(sin)))
		die("bind %s:%d", c->saddr, c->sport);
	lab_addr(&sin, c->daddr, c->dport);
	if (connect(c->txfd, (void *)&sin, sizeof(sin)))
		die("connect %s to %s:%d", c->saddr, c->daddr, c->dport);
	c->rxfd = accept4(fd, NULL, NULL, SOCK_CLOEXEC);
	if (c->rxfd < 0)
		die("accept");
	/* Further subflows of MPTCP still want the listener. */
	if (c->proto != PROTO_MPTCP)
		close(fd);
	exchange(c->txfd, c->rxfd);
	exchange(c->rxfd, c->txfd);
	fcntl(c->txfd, F_SETFL, O_NONBLOCK);
	fcntl(c->rxfd, F_SETFL, O_NONBLOCK);
}

/* 1: all of the flow is with the transport; 0: it takes no more now. */
static int tcp_send(struct conn *c, struct flow *f)
{
	const void *p;
	size_t len;
	ssize_t n;

	while (f->bytes ? f->sent < f->bytes : !f->stopped) {
		len = f->bytes ? f->bytes - f->sent : f->msg;
		p = content_at(f->id, f->sent, &len);
		n = send(c->txfd, p, len, MSG_NOSIGNAL);
		if (n < 0 && errno == EAGAIN)
			return 0;
		if (n < 0)
			die("send on connection %d", c->id);
		f->sent += n;
	}
	return 1;
}

static long tcp_recv(struct conn *c, size_t max)
{
	struct flow *f = c->rxhead;
	size_t left;
	ssize_t n;

	if (max > sizeof(buffer))
		max = sizeof(buffer);
	/* Flows follow one another in the stream: read no further than one. */
	if (f && f->bytes) {
		left = f->bytes - f->received;
		if (left < max)
			max = left;
	}
	n = recv(c->rxfd, buffer, max, 0);
	if (n < 0 && errno == EAGAIN)
		return 0;
	if (n < 0)
		die("recv on connection %d", c->id);
	if (n && !f)
		die("connection %d: data of no flow", c->id);
	if (n)
		lab_received(c, f, f->received, buffer, n);
	return n;
}

static void tcp_error(struct conn *c)
{
	socklen_t len = sizeof(errno);

	getsockopt(c->txfd, SOL_SOCKET, SO_ERROR, &errno, &len);
	if (errno)
		die("connection %d", c->id);
}

static void tcp_window(struct conn *c, FILE *out, uint64_t now)
{
	struct tcp_info ti = { };
	socklen_t len = sizeof(ti);

	if (c->proto == PROTO_MPTCP ||
	    getsockopt(c->txfd, IPPROTO_TCP, TCP_INFO, &ti, &len))
		return;
	fprintf(out, "w %llu %d %llu %llu %llu\n", (unsigned long long)now,
		c->id, (unsigned long long)ti.tcpi_snd_cwnd * ti.tcpi_snd_mss,
		(unsigned long long)ti.tcpi_unacked * ti.tcpi_snd_mss,
		(unsigned long long)ti.tcpi_rtt * 1000);
}

const struct conn_ops tcp_ops = {
	.open	= tcp_open,
	.send	= tcp_send,
	.recv	= tcp_recv,
	.error	= tcp_error,
	.window	= tcp_window,
};
