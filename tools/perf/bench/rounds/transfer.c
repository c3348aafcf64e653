// SPDX-License-Identifier: GPL-2.0
/* A round of either end: the same calls in the same order, whatever the transport */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <unistd.h>

#include <linux/uet.h>

#include "rounds.h"

/* Sends with MSG_ZEROCOPY after which is read which of them are done */
#define UNTOLD	16

static char *buf;
static int file, sink, pipes[2];
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

/* What a way other than copying needs, at either end */
void transfer_open(int fd)
{
	int on = 1, err = 0;

	if (opt.put == ZEROCOPY)
		err = opt.transport == UET ?
		      setsockopt(fd, SOL_UET, UET_ZEROCOPY, &on, sizeof(on)) :
		      setsockopt(fd, SOL_SOCKET, SO_ZEROCOPY, &on, sizeof(on));
	if (err)
		die("SO_ZEROCOPY");
	if (opt.put == FILE_PAGES) {
		file = memfd_create("rounds", 0);
		if (file < 0 || write(file, buf, opt.size) != (ssize_t)opt.size)
			die("file");
	}
	if (opt.get == PIPE) {
		sink = open("/dev/null", O_WRONLY);
		if (sink < 0 || pipe(pipes) || fcntl(pipes[1], F_SETPIPE_SZ, 1 << 20) < 0)
			die("pipe");
	}
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

/* The buffer is not written to, so it does not matter which sends are done. */
static void put_pages(int fd, size_t len)
{
	static unsigned int untold;
	struct msghdr msg = { 0 };
	size_t done = 0;

	while (done < len) {
		ssize_t n = send(fd, buf + done, len - done, MSG_ZEROCOPY);

		if (n < 0)
			die("send");
		done += n;
	}
	if (++untold < UNTOLD)
		return;
	untold = 0;
	while (!recvmsg(fd, &msg, MSG_ERRQUEUE | MSG_DONTWAIT))
		msg = (struct msghdr){ 0 };
	if (errno != EAGAIN)
		die("MSG_ERRQUEUE");
}

static void put_file(int fd, size_t len)
{
	off_t at = 0;

	while (at < (off_t)len)
		if (sendfile(fd, file, &at, len - at) <= 0)
			die("sendfile");
}

static void get_pages(int fd, size_t len)
{
	while (len) {
		ssize_t n = splice(fd, NULL, pipes[1], NULL, len, 0);

		if (n <= 0 || splice(pipes[0], NULL, sink, NULL, n, 0) != n)
			die("splice");
		len -= n;
	}
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
		if (opt.put == ZEROCOPY)
			put_pages(fd, opt.size);
		else if (opt.put == FILE_PAGES)
			put_file(fd, opt.size);
		else
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
		if (opt.get == PIPE)
			get_pages(fd, opt.size);
		else
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
