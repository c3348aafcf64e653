// SPDX-License-Identifier: GPL-2.0
/* Plain UDP, as fast as the port takes it: only to check the engine itself. */
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "lab.h"

#define UDP_BUFFER	(1 << 20)

static unsigned char buffer[65536];

static int udp_socket(struct ns *ns, const char *addr, int port, int option,
		      int size)
{
	struct sockaddr_in sin;
	int fd;

	netns_enter(ns);
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	netns_leave();
	lab_addr(&sin, addr, port);
	if (fd < 0 || bind(fd, (void *)&sin, sizeof(sin)))
		die("udp socket on %s:%d", addr, port);
	if (setsockopt(fd, SOL_SOCKET, option, &size, sizeof(size)))
		die("udp buffer");
	return fd;
}

static void udp_open(struct conn *c)
{
	struct sockaddr_in sin;

	c->txfd = udp_socket(c->src, c->saddr, c->sport, SO_SNDBUFFORCE,
			     UDP_BUFFER / 8);
	c->rxfd = udp_socket(c->dst, c->daddr, c->dport, SO_RCVBUFFORCE,
			     64 * UDP_BUFFER);
	lab_addr(&sin, c->daddr, c->dport);
	if (connect(c->txfd, (void *)&sin, sizeof(sin)))
		die("udp connect");
}

static int udp_send(struct conn *c, struct flow *f)
{
	const void *p;
	size_t len;

	while (f->sent < f->bytes) {
		len = f->bytes - f->sent;
		if (len > f->msg)
			len = f->msg;
		p = content_at(f->id, f->sent, &len);
		if (send(c->txfd, p, len, 0) < 0) {
			if (errno == EAGAIN || errno == ENOBUFS)
				return 0;
			die("udp send");
		}
		f->sent += len;
	}
	return 1;
}

static long udp_recv(struct conn *c, size_t max)
{
	struct flow *f = c->rxhead;
	ssize_t n;

	(void)max;
	n = recv(c->rxfd, buffer, sizeof(buffer), 0);
	if (n < 0 && errno == EAGAIN)
		return 0;
	if (n < 0 || !f)
		die("udp receive");
	lab_received(c, f, f->received, buffer, n);
	return n;
}

static void udp_error(struct conn *c)
{
	(void)c;
}

static void udp_window(struct conn *c, FILE *out, uint64_t now)
{
	(void)c;
	(void)out;
	(void)now;
}

const struct conn_ops udp_ops = {
	.open	= udp_open,
	.send	= udp_send,
	.recv	= udp_recv,
	.error	= udp_error,
	.window	= udp_window,
};
