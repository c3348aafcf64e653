// SPDX-License-Identifier: GPL-2.0
/* Sockets of both ends, of any transport */
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <libuet.h>

#include "rounds.h"

/* PIDonFEP of AF_UET and port of the others; a flow has two */
#define PORT		2400

/* Of linux/sctp.h, which comes with a package of its own */
#ifndef SCTP_NODELAY
#define SCTP_NODELAY	3
#endif

static uint16_t server_port(unsigned int flow)
{
	return PORT + 2 * flow;
}

static uint16_t client_port(unsigned int flow)
{
	return PORT + 2 * flow + 1;
}

static bool is_stream(void)
{
	return opt.transport == TCP || opt.transport == SCTP;
}

static socklen_t fill_addr(struct sockaddr_storage *ss, const char *addr, uint16_t port)
{
	struct sockaddr_in6 *v6 = (void *)ss;
	struct sockaddr_in *v4 = (void *)ss;

	memset(ss, 0, sizeof(*ss));
	if (opt.transport == UET) {
		if (libuet_addr((void *)ss, addr, 0, port, 0))
			die(addr);
		return sizeof(struct sockaddr_uet);
	}
	if (inet_pton(AF_INET6, addr, &v6->sin6_addr) == 1) {
		v6->sin6_family = AF_INET6;
		v6->sin6_port = htons(port);
		return sizeof(*v6);
	}
	if (inet_pton(AF_INET, addr, &v4->sin_addr) != 1)
		die(addr);
	v4->sin_family = AF_INET;
	v4->sin_port = htons(port);
	return sizeof(*v4);
}

/* The kernel doubles what is set */
static void set_buffers(int fd)
{
	int bytes = opt.buffer / 2;

	if (bytes &&
	    (setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &bytes, sizeof(bytes)) ||
	     setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes))))
		die("SO_SNDBUFFORCE, SO_RCVBUFFORCE");
}

static int open_uet(void)
{
	const struct libuet_sock how = { .type = SOCK_RDM, .delivery = opt.delivery };
	const char *step;
	int fd = libuet_open(&how, &step);

	if (fd < 0)
		die(step);
	return fd;
}

static int open_inet(const char *addr)
{
	int fd = socket(strchr(addr, ':') ? AF_INET6 : AF_INET,
			is_stream() ? SOCK_STREAM : SOCK_DGRAM,
			opt.transport == SCTP ? IPPROTO_SCTP : 0);
	int on = 1;

	if (fd < 0)
		die("socket");
	if (is_stream())
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (opt.transport == TCP && opt.cc &&
	    setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, opt.cc, strlen(opt.cc)))
		die("TCP_CONGESTION");
	return fd;
}

static int bound_socket(const char *addr, uint16_t port)
{
	int fd = opt.transport == UET ? open_uet() : open_inet(addr);
	struct sockaddr_storage ss;
	socklen_t len = fill_addr(&ss, addr, port);

	set_buffers(fd);
	if (bind(fd, (struct sockaddr *)&ss, len))
		die("bind");
	return fd;
}

/* Round trips must not wait for more data; bulk is cheaper if it does */
static void set_nodelay(int fd)
{
	int on = 1;

	if (opt.bulk)
		return;
	if (opt.transport == TCP)
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	if (opt.transport == SCTP)
		setsockopt(fd, IPPROTO_SCTP, SCTP_NODELAY, &on, sizeof(on));
}

static void connect_to(int fd, const char *addr, uint16_t port)
{
	struct sockaddr_storage ss;
	socklen_t len = fill_addr(&ss, addr, port);

	if (connect(fd, (struct sockaddr *)&ss, len))
		die("connect");
	set_nodelay(fd);
}

/* Which address to listen at: of many, all */
static const char *listen_addr(void)
{
	if (opt.peers == 1)
		return opt.server_addr[0];
	if (opt.transport == UET)
		return "any";
	return strchr(opt.server_addr[0], ':') ? "::" : "0.0.0.0";
}

static void accept_all(struct end *e, int listener)
{
	for (e->fds = 0; e->fds < opt.peers; e->fds++) {
		int fd = accept(listener, NULL, NULL);

		if (fd < 0)
			die("accept");
		set_nodelay(fd);
		e->fd[e->fds] = fd;
	}
	close(listener);
}

/* The server listens, or is bound, before the client hears of it */
void end_serve(struct end *e, unsigned int flow, int wire)
{
	int fd = bound_socket(listen_addr(), server_port(flow));

	if (is_stream() && listen(fd, opt.peers))
		die("listen");
	if (!is_stream() && opt.peers == 1)
		connect_to(fd, opt.client_addr, client_port(flow));
	if (write(wire, "r", 1) != 1)
		die("to the client");
	if (is_stream()) {
		accept_all(e, fd);
		return;
	}
	e->fd[0] = fd;
	e->fds = 1;
	e->len = opt.peers == 1 ? 0 : sizeof(e->to[0]);
}

void end_connect(struct end *e, unsigned int flow, int wire)
{
	bool many = opt.peers > 1;
	char byte;

	if (read(wire, &byte, 1) != 1)
		die("the server");
	e->fds = many && is_stream() ? opt.peers : 1;
	for (unsigned int i = 0; i < e->fds; i++) {
		/* Connections to different addresses may have one port here */
		e->fd[i] = bound_socket(opt.client_addr, client_port(flow));
		if (!many || is_stream())
			connect_to(e->fd[i], opt.server_addr[i], server_port(flow));
	}
	if (many && !is_stream())
		for (unsigned int i = 0; i < opt.peers; i++)
			e->len = fill_addr(&e->to[i], opt.server_addr[i],
					   server_port(flow));
}

static int buffer_of(int fd, int which)
{
	int bytes = 0;
	socklen_t len = sizeof(bytes);

	getsockopt(fd, SOL_SOCKET, which, &bytes, &len);
	return bytes;
}

void end_note(const struct end *e, struct seen *s)
{
	s->sndbuf = buffer_of(e->fd[0], SO_SNDBUF);
	s->rcvbuf = buffer_of(e->fd[0], SO_RCVBUF);
}
