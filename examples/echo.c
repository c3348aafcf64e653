// SPDX-License-Identifier: GPL-2.0
/*
 * Echo: a server that sends back what it gets, and a client that asks.
 *
 *   echo serve uet:///0/100
 *   echo ask uet://10.0.0.2/0/100 hello 'more words'
 *
 * Messages of a SOCK_RDM socket arrive in any order, so each question has a
 * number as header data, and its answer has the same. An answer comes from the address
 * that was asked, of which the host may have several.
 */
#include <err.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libuet.h>

#define LONGEST		(1 << 20)
#define PATIENCE_MS	60000

static char buf[LONGEST];

static int open_socket(const struct sockaddr_uet *local,
		       const struct sockaddr_uet *peer)
{
	const struct libuet_sock how = {
		.local = local, .peer = peer, .pktinfo = 1,
	};
	const char *step;
	int fd = libuet_open(&how, &step);

	if (fd < 0)
		err(1, "%s", step);
	return fd;
}

static void serve(const struct sockaddr_uet *local)
{
	int fd = open_socket(local, NULL);

	puts("ready");
	fflush(stdout);
	for (;;) {
		struct iovec iov = { buf, sizeof(buf) };
		struct libuet_attrs attrs;
		struct sockaddr_uet from;
		ssize_t n = libuet_recvmsg(fd, &iov, 1, &from, &attrs,
					   MSG_WAITALL);

		/* A message may be given up by its sender while it arrives */
		if (n < 0 && (errno == ECONNABORTED || errno == ECONNRESET))
			continue;
		if (n < 0)
			err(1, "receive");
		/* The address that it came from is good for an answer */
		attrs.has &= LIBUET_HEADER_DATA | LIBUET_PKTINFO;
		iov.iov_len = n;
		if (libuet_sendmsg(fd, &iov, 1, &from, &attrs, 0) < 0)
			warn("answer");
	}
}

/* Reports are of questions that failed: success is not asked for */
static int fail(void *arg, const struct uet_report *rep,
		const struct sockaddr_uet *peer)
{
	char text[LIBUET_TEXT_SIZE];

	(void)arg;
	libuet_report_text(rep, peer, text, sizeof(text));
	errx(1, "%s", text);
}

static void wait_answer(int fd)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };

	if (poll(&pfd, 1, PATIENCE_MS) != 1)
		errx(1, "no answer");
	if (pfd.revents & POLLERR)
		libuet_drain(fd, 0, fail, NULL);
}

static void ask(const struct sockaddr_uet *server, char **texts, int n)
{
	int fd = open_socket(NULL, server);
	struct libuet_attrs attrs = { .has = LIBUET_HEADER_DATA };

	for (int i = 0; i < n; i++) {
		struct iovec iov = { texts[i], strlen(texts[i]) };

		attrs.header_data = i;
		if (libuet_sendmsg(fd, &iov, 1, NULL, &attrs, 0) < 0)
			err(1, "send");
	}
	for (int i = 0; i < n; i++) {
		struct iovec iov = { buf, sizeof(buf) };
		ssize_t len;

		wait_answer(fd);
		len = libuet_recvmsg(fd, &iov, 1, NULL, &attrs, MSG_WAITALL);
		if (len < 0)
			err(1, "receive");
		printf("%llu: %.*s\n", (unsigned long long)attrs.header_data,
		       (int)len, buf);
	}
}

int main(int argc, char **argv)
{
	bool server = argc == 3 && !strcmp(argv[1], "serve");
	struct sockaddr_uet addr;

	if (!server && (argc < 4 || strcmp(argv[1], "ask")))
		errx(2, "usage: echo serve ADDRESS | echo ask ADDRESS TEXT...");
	if (libuet_resolve(argv[2], NULL, &addr, 1) < 0)
		err(1, "%s", argv[2]);
	if (server)
		serve(&addr);
	ask(&addr, argv + 3, argc - 3);
	return 0;
}
