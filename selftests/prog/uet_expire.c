// SPDX-License-Identifier: GPL-2.0
/*
 * Messages that are given up before their time: deadlines of sockets and of
 * messages, and cancelling by cookie. Messages travel from the host to itself,
 * to a reader that does not read.
 *
 *   uet_expire ADDR     an address of this host
 *   uet_expire ADDR/PID...
 *                       others, of which some may have lost their contexts:
 *                       what is cancelled on its way there
 *   uet_expire again ADDR/PID ADDR/PID
 *                       two that take no message yet: one expires, one is
 *                       cancelled
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <linux/sockios.h>

#include "sock_util.h"

#define MSGS		20
#define MSG_SIZE	4000
#define REFUSED_SIZE	300000
/* Longest wait for a report, ms */
#define SOON		30000

static char buf[1 << 20];

struct tally {
	int	delivered;
	int	failed[256];	/* by errno */
	long	cookie;		/* of the last failure */
};

/* Returns false if nothing comes */
static bool count_report(int fd, struct tally *t)
{
	struct uet_report rep;

	if (!next_report(fd, &rep, NULL, SOON))
		return false;
	if (rep.type == UET_REPORT_DELIVERED) {
		t->delivered += rep.cookie_last - rep.cookie + 1;
	} else {
		t->failed[rep.error & 255]++;
		t->cookie = rep.cookie;
	}
	return true;
}

static ssize_t send_named_to(int fd, size_t len, struct sockaddr_uet *to,
			     uint64_t cookie, uint32_t timeout)
{
	const struct libuet_attrs attrs = {
		.has = LIBUET_COOKIE | LIBUET_TIMEOUT,
		.cookie = cookie, .timeout = timeout,
	};
	struct iovec iov = { buf, len };

	return libuet_sendmsg(fd, &iov, 1, to, &attrs, 0);
}

static ssize_t send_named(int fd, size_t len, uint16_t pid, uint64_t cookie,
			  uint32_t timeout)
{
	struct sockaddr_uet to;

	uet_addr(&to, here, 0, pid, 0);
	return send_named_to(fd, len, &to, cookie, timeout);
}

static int open_pair(int type, uint16_t pid, int *rx)
{
	int fd = bound_sock(type, pid), on = 1, rcvbuf = 20000;

	*rx = bound_sock(type, pid + 1);
	setsockopt(*rx, SOL_SOCKET, SO_RCVBUF, &rcvbuf, sizeof(rcvbuf));
	setsockopt(fd, SOL_UET, UET_NOTIFY, &on, sizeof(on));
	return fd;
}

/* Whole messages that can be read until nothing comes for a while */
static int read_all(int fd)
{
	int n = 0;

	while (readable(fd, 1000))
		n += recv(fd, buf, sizeof(buf), MSG_WAITALL) == MSG_SIZE;
	return n;
}

static void test_socket(int type)
{
	uint32_t ms = 300, got = 0;
	socklen_t len = sizeof(got);
	struct tally t = {};
	int a, b, read, timed, n = -1;

	a = open_pair(type, 630, &b);
	result(!setsockopt(a, SOL_UET, UET_SEND_TIMEOUT, &ms, sizeof(ms)) &&
	       !getsockopt(a, SOL_UET, UET_SEND_TIMEOUT, &got, &len) &&
	       got == ms, "type %d: UET_SEND_TIMEOUT", type);
	for (int i = 0; i < MSGS; i++)
		send_to(a, buf, MSG_SIZE, 631);
	do {
		timed = t.failed[ETIMEDOUT];
	} while (t.delivered + timed < MSGS && count_report(a, &t));
	result(timed && t.delivered + timed == MSGS,
	       "type %d: each message is reported (%d delivered, %d late)",
	       type, t.delivered, timed);
	read = read_all(b);
	result(read >= t.delivered && read < MSGS,
	       "type %d: and whole, or not there (%d)", type, read);
	for (int i = 0; n && i < SOON / 10; i++) {
		ioctl(a, SIOCOUTQ, &n);
		usleep(10000);
	}
	result(!n, "type %d: nothing is left", type);
	send_to(a, buf, MSG_SIZE, 631);
	result(readable(b, SOON) && read_all(b) == 1,
	       "type %d: and the next one arrives", type);
	close(a);
	close(b);
}

static void test_message(void)
{
	struct tally t = {};
	int a, b;

	a = open_pair(SOCK_RDM, 632, &b);
	for (int i = 0; i < MSGS; i++)
		send_named(a, MSG_SIZE, 633, i, i == MSGS - 1 ? 200 : 0);
	while (!t.failed[ETIMEDOUT] && count_report(a, &t))
		;
	result(t.failed[ETIMEDOUT] == 1 && t.cookie == MSGS - 1,
	       "UET_CMSG_TIMEOUT: that message is late (%ld)", t.cookie);
	result(read_all(b) == MSGS - 1, "the others arrive");
	close(a);
	close(b);
}

static void test_cancel(int type)
{
	uint64_t cookie = MSGS - 2;
	struct tally t = {};
	int a, b;

	a = open_pair(type, 634, &b);
	for (int i = 0; i < MSGS; i++)
		send_named(a, MSG_SIZE, 635, i, 0);
	result(!setsockopt(a, SOL_UET, UET_CANCEL, &cookie, sizeof(cookie)),
	       "type %d: UET_CANCEL", type);
	while (!t.failed[ECANCELED] && count_report(a, &t))
		;
	result(t.failed[ECANCELED] == 1 && t.cookie == MSGS - 2,
	       "type %d: that message is reported (%ld)", type, t.cookie);
	EXPECT_ERR(setsockopt(a, SOL_UET, UET_CANCEL, &cookie, sizeof(cookie)),
		   ENOENT, "a second time");
	EXPECT_ERR(setsockopt(a, SOL_UET, UET_CANCEL, &cookie, 4), EINVAL,
		   "half a cookie");
	result(read_all(b) == MSGS - 1, "type %d: the others arrive", type);
	close(a);
	close(b);
}

static void test_stream(void)
{
	uint32_t ms = 300;
	int a, b, n, sndbuf = 65536, got = 0;

	a = open_pair(SOCK_RDM, 636, &b);
	setsockopt(a, SOL_SOCKET, SO_SNDBUF, &sndbuf, sizeof(sndbuf));
	setsockopt(a, SOL_UET, UET_SEND_TIMEOUT, &ms, sizeof(ms));
	EXPECT_ERR(send_to(a, buf, sizeof(buf), 637), ETIMEDOUT,
		   "a stream that nobody reads");
	do {
		n = recv(b, buf, sizeof(buf), MSG_DONTWAIT);
		got += n > 0 ? n : 0;
	} while (n > 0);
	result(got < (int)sizeof(buf), "is not there whole (%d)", got);
	close(a);
	close(b);
}

/* Success means that not a single message of the cookie is left. */
static int cancel_everywhere(char **to, int n)
{
	struct libuet_sock how = { .type = SOCK_RDM };
	uint64_t cookie = 7;
	struct tally t = {};
	int fd = uet_socket(&how), i;

	ktap_begin();
	for (i = 0; i < n; i++) {
		struct sockaddr_uet addr;

		uet_endpoint(&addr, to[i], 0);
		result(send_named_to(fd, 3 * MSG_SIZE, &addr, cookie, 0) > 0,
		       "sent to %s", to[i]);
	}
	/* The first answers come. */
	sleep(1);
	result(!setsockopt(fd, SOL_UET, UET_CANCEL, &cookie, sizeof(cookie)),
	       "UET_CANCEL");
	for (i = 0; i < n && count_report(fd, &t); i++)
		;
	result(t.failed[ECANCELED] == n, "%d of %d are reported so",
	       t.failed[ECANCELED], n);
	EXPECT_ERR(setsockopt(fd, SOL_UET, UET_CANCEL, &cookie, sizeof(cookie)),
		   ENOENT, "a second time");
	close(fd);
	return ktap_finish();
}

/* Is a message reported as failed, before its context is given up? */
static bool reported(int fd, uint32_t error)
{
	struct uet_report rep;

	return next_report(fd, &rep, NULL, SOON / 3) && rep.error == error;
}

/* Messages too long to be all sent at once are refused, and are to be sent again. */
static int expire_again(char **to)
{
	struct libuet_sock how = { .type = SOCK_RDM };
	struct sockaddr_uet addr;
	uint64_t cookie = 7;
	int fd[2], i;

	ktap_begin();
	for (i = 0; i < 2; i++) {
		fd[i] = uet_socket(&how);
		if (libuet_parse(to[i], NULL, &addr))
			die("bad endpoint %s", to[i]);
		result(send_named_to(fd[i], REFUSED_SIZE, &addr, cookie,
				     i ? 0 : 1000) == REFUSED_SIZE,
		       "sent to %s", to[i]);
	}
	result(reported(fd[0], ETIMEDOUT), "one expires");
	result(!setsockopt(fd[1], SOL_UET, UET_CANCEL, &cookie, sizeof(cookie)),
	       "UET_CANCEL of the other one");
	result(reported(fd[1], ECANCELED), "it is reported");
	for (i = 0; i < 2; i++) {
		EXPECT_ERR(setsockopt(fd[i], SOL_UET, UET_CANCEL, &cookie,
				      sizeof(cookie)), ENOENT, "a second time");
		close(fd[i]);
	}
	return ktap_finish();
}

int main(int argc, char **argv)
{
	if (argc < 2)
		die("usage: uet_expire ADDR | ADDR/PID... | again ADDR/PID ADDR/PID");
	if (argc == 4 && !strcmp(argv[1], "again"))
		return expire_again(argv + 2);
	if (strchr(argv[1], '/'))
		return cancel_everywhere(argv + 1, argc - 1);
	here = argv[1];
	ktap_begin();
	test_socket(SOCK_RDM);
	test_socket(SOCK_SEQPACKET);
	test_message();
	test_cancel(SOCK_RDM);
	test_cancel(SOCK_SEQPACKET);
	test_stream();
	return ktap_finish();
}
