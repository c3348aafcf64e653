// SPDX-License-Identifier: GPL-2.0
/* A round of either end: the same calls in the same order, whatever the transport */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "rounds.h"

static char *buf;
static struct mmsghdr batch[BATCH_MAX];
static struct iovec iov;

void transfer_begin(void)
{
	buf = malloc(opt.size);
	if (!buf)
		die("memory");
	memset(buf, 0x5a, opt.size);
	iov = (struct iovec){ buf, opt.size };
	for (unsigned int i = 0; i < opt.batch; i++)
		batch[i].msg_hdr = (struct msghdr){ .msg_iov = &iov, .msg_iovlen = 1 };
}

/* --- one message -------------------------------------------------------------- */

static void put(int fd, size_t len)
{
	size_t done = 0;

	do {
		ssize_t n = send(fd, buf + done, len - done, 0);

		if (n < 0)
			die("send");
		done += n;
	} while (done < len);
}

static void get(int fd, size_t len)
{
	size_t done = 0;

	do {
		ssize_t n = recv(fd, buf + done, len - done, 0);

		if (n <= 0)
			die("recv");
		done += n;
	} while (done < len);
}

/* To one of many peers of a socket, and to whoever a message came from */
static void put_to(int fd, const struct sockaddr_storage *to, socklen_t len)
{
	if (sendto(fd, buf, opt.size, 0, (const struct sockaddr *)to, len) !=
	    (ssize_t)opt.size)
		die("sendto");
}

static socklen_t get_from(int fd, struct sockaddr_storage *from)
{
	socklen_t len = sizeof(*from);

	if (recvfrom(fd, buf, opt.size, 0, (struct sockaddr *)from, &len) !=
	    (ssize_t)opt.size)
		die("recvfrom");
	return len;
}

/* --- several messages --------------------------------------------------------- */

static void put_many(int fd, unsigned int n)
{
	unsigned int done = 0;

	if (!opt.batch) {
		put(fd, opt.size);
		return;
	}
	while (done < n) {
		int sent = sendmmsg(fd, batch, n - done, 0);

		if (sent < 0)
			die("sendmmsg");
		done += sent;
	}
}

/* Reads at least one message and at most @n; returns how many */
static unsigned int get_many(int fd, unsigned int n)
{
	int got;

	if (!opt.batch) {
		get(fd, opt.size);
		return 1;
	}
	got = recvmmsg(fd, batch, n, MSG_WAITFORONE, NULL);
	if (got <= 0)
		die("recvmmsg");
	return got;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* --- rounds ------------------------------------------------------------------- */

static void serve_trips(const struct end *e)
{
	struct sockaddr_storage from;

	for (uint64_t i = 0; i < opt.count; i++) {
		int fd = e->fd[i % e->fds];

		if (e->len) {
			socklen_t len = get_from(fd, &from);

			put_to(fd, &from, len);
		} else {
			get(fd, opt.size);
			put(fd, opt.size);
		}
	}
}

static void client_trips(const struct end *e)
{
	for (uint64_t i = 0; i < opt.count; i++) {
		int fd = e->fd[i % e->fds];

		if (e->len)
			put_to(fd, &e->to[i % opt.peers], e->len);
		else
			put(fd, opt.size);
		get(fd, opt.size);
	}
}

static void serve_bulk(int fd)
{
	uint64_t n, most = opt.batch ? opt.batch : 1;

	for (uint64_t i = 0; i < opt.count; i += n) {
		n = least(most, opt.count - i);
		if (opt.transport == UDP)
			n = least(n, UDP_CONFIRM - i % UDP_CONFIRM);
		n = get_many(fd, n);
		if (opt.transport == UDP && (i + n) % UDP_CONFIRM == 0)
			put(fd, 1);
	}
	put(fd, 1);
}

static void client_bulk(int fd)
{
	uint64_t n, free = UDP_WINDOW, most = opt.batch ? opt.batch : 1;

	for (uint64_t i = 0; i < opt.count; i += n) {
		n = least(most, opt.count - i);
		if (opt.transport == UDP)
			n = least(n, free);
		put_many(fd, n);
		if (opt.transport == UDP && (free -= n) == 0) {
			get(fd, 1);
			free = UDP_CONFIRM;
		}
	}
	/* The confirmations still under way, then the answer to the round */
	if (opt.transport == UDP) {
		uint64_t asked = opt.count < UDP_WINDOW ? 0 :
			(opt.count - UDP_WINDOW) / UDP_CONFIRM + 1;

		for (; asked < opt.count / UDP_CONFIRM; asked++)
			get(fd, 1);
	}
	get(fd, 1);
}

void transfer_serve(const struct end *e)
{
	if (opt.bulk)
		serve_bulk(e->fd[0]);
	else
		serve_trips(e);
}

void transfer_client(const struct end *e)
{
	if (opt.bulk)
		client_bulk(e->fd[0]);
	else
		client_trips(e);
}
