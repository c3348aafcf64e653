// SPDX-License-Identifier: GPL-2.0
/*
 * Options of level SOL_SOCKET.
 *
 *   uet_opts ADDR      cases on one host; an address of it
 *   uet_opts -t        each option, and what becomes of setting and getting it: yes,
 *                      the name of an errno, or - where it has no such direction
 *   uet_opts -p PID    a receiver that polls its device for a second, and then prints
 *                      the number of the NAPI instance that delivered
 */
#define _GNU_SOURCE
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <linux/filter.h>
#include <linux/net_tstamp.h>

#include "sock_util.h"

#ifndef SO_PASSPIDFD
#define SO_PASSPIDFD		76
#define SO_PEERPIDFD		77
#endif
#ifndef SO_DEVMEM_DONTNEED
#define SO_DEVMEM_DONTNEED	80
#endif
#define LONG_LEN	300000

#define SET	1
#define GET	2
#define BOTH	(SET | GET)

static const int rx_stamps = SOF_TIMESTAMPING_RX_SOFTWARE;
static const struct linger linger = { 1, 1 };
static const struct timeval tv = { 1, 0 };
static const struct sock_txtime txtime = { .clockid = CLOCK_MONOTONIC };
static struct sock_filter take_all = BPF_STMT(BPF_RET | BPF_K, ~0U);
static const struct sock_fprog filter = { 1, &take_all };

#define INT(opt, way)	{ opt, #opt, way, NULL, 0 }
#define OBJ(opt, way, obj) { opt, #opt, way, &(obj), sizeof(obj) }

static const struct {
	int		opt;
	const char	*name;
	int		way;
	const void	*val;
	socklen_t	len;
} opts[] = {
	INT(SO_ACCEPTCONN, GET),
	INT(SO_ATTACH_BPF, SET),
	OBJ(SO_ATTACH_FILTER, SET, filter),
	INT(SO_ATTACH_REUSEPORT_CBPF, SET),
	INT(SO_ATTACH_REUSEPORT_EBPF, SET),
	{ SO_BINDTODEVICE, "SO_BINDTODEVICE", BOTH, "lo", 3 },
	INT(SO_BINDTOIFINDEX, BOTH),
	INT(SO_BPF_EXTENSIONS, GET),
	INT(SO_BROADCAST, BOTH),
	INT(SO_BSDCOMPAT, BOTH),
	INT(SO_BUF_LOCK, BOTH),
	INT(SO_BUSY_POLL, BOTH),
	INT(SO_BUSY_POLL_BUDGET, SET),
	INT(SO_CNX_ADVICE, SET),
	INT(SO_COOKIE, GET),
	INT(SO_DEBUG, BOTH),
	INT(SO_DETACH_FILTER, SET),
	INT(SO_DETACH_REUSEPORT_BPF, SET),
	INT(SO_DEVMEM_DONTNEED, SET),
	INT(SO_DOMAIN, GET),
	INT(SO_DONTROUTE, BOTH),
	INT(SO_ERROR, GET),
	INT(SO_INCOMING_CPU, BOTH),
	INT(SO_INCOMING_NAPI_ID, GET),
	INT(SO_KEEPALIVE, BOTH),
	OBJ(SO_LINGER, BOTH, linger),
	INT(SO_LOCK_FILTER, BOTH),
	INT(SO_MARK, BOTH),
	INT(SO_MAX_PACING_RATE, BOTH),
	INT(SO_MEMINFO, GET),
	INT(SO_NETNS_COOKIE, GET),
	INT(SO_NOFCS, BOTH),
	INT(SO_NO_CHECK, BOTH),
	INT(SO_OOBINLINE, BOTH),
	INT(SO_PASSCRED, BOTH),
	INT(SO_PASSPIDFD, BOTH),
	INT(SO_PASSSEC, BOTH),
	INT(SO_PEEK_OFF, BOTH),
	INT(SO_PEERCRED, GET),
	INT(SO_PEERGROUPS, GET),
	INT(SO_PEERNAME, GET),
	INT(SO_PEERPIDFD, GET),
	INT(SO_PEERSEC, GET),
	INT(SO_PREFER_BUSY_POLL, BOTH),
	INT(SO_PRIORITY, BOTH),
	INT(SO_PROTOCOL, GET),
	INT(SO_RCVBUF, BOTH),
	INT(SO_RCVBUFFORCE, SET),
	INT(SO_RCVLOWAT, BOTH),
	INT(SO_RCVMARK, BOTH),
	OBJ(SO_RCVTIMEO, BOTH, tv),
	INT(SO_RESERVE_MEM, BOTH),
	INT(SO_REUSEADDR, BOTH),
	INT(SO_REUSEPORT, BOTH),
	INT(SO_RXQ_OVFL, BOTH),
	INT(SO_SELECT_ERR_QUEUE, BOTH),
	INT(SO_SNDBUF, BOTH),
	INT(SO_SNDBUFFORCE, SET),
	INT(SO_SNDLOWAT, BOTH),
	OBJ(SO_SNDTIMEO, BOTH, tv),
	INT(SO_TIMESTAMP, BOTH),
	OBJ(SO_TIMESTAMPING, BOTH, rx_stamps),
	INT(SO_TIMESTAMPNS, BOTH),
	INT(SO_TXREHASH, BOTH),
	OBJ(SO_TXTIME, BOTH, txtime),
	INT(SO_TYPE, GET),
	INT(SO_WIFI_STATUS, BOTH),
	INT(SO_ZEROCOPY, BOTH),
};

static const char *outcome(int ret)
{
	return ret ? strerrorname_np(errno) : "yes";
}

static void table(void)
{
	for (size_t i = 0; i < sizeof(opts) / sizeof(opts[0]); i++) {
		const char *set = "-", *get = "-";
		int one = 1, fd = open_sock(SOCK_RDM);
		uint64_t buf[64];
		socklen_t len = sizeof(buf);

		if (opts[i].way & SET)
			set = outcome(setsockopt(fd, SOL_SOCKET, opts[i].opt,
						 opts[i].val ?: &one,
						 opts[i].val ? opts[i].len :
						 sizeof(one)));
		/* It wants the length of its value. */
		if (opts[i].opt == SO_NETNS_COOKIE)
			len = 8;
		if (opts[i].way & GET)
			get = outcome(getsockopt(fd, SOL_SOCKET, opts[i].opt,
						 buf, &len));
		printf("%s %s %s\n", opts[i].name, set, get);
		close(fd);
	}
}

static int peek_off(int fd, int off)
{
	return setsockopt(fd, SOL_SOCKET, SO_PEEK_OFF, &off, sizeof(off));
}

static int peek_off_now(int fd)
{
	int off = -2;
	socklen_t len = sizeof(off);

	getsockopt(fd, SOL_SOCKET, SO_PEEK_OFF, &off, &len);
	return off;
}

/* Does a peek of @len bytes give @text, the end of the message or not? */
static bool peeks(int fd, size_t len, const char *text, bool eor)
{
	char buf[64];
	int flags = 0;
	ssize_t n = recv_flags(fd, buf, len, MSG_PEEK | MSG_DONTWAIT, &flags);

	note("%zd bytes, flags %x, offset %d", n, flags, peek_off_now(fd));
	return n == (ssize_t)strlen(text) && !memcmp(buf, text, n) &&
	       !!(flags & MSG_EOR) == eor;
}

static bool nothing(int fd)
{
	char byte;

	return recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 &&
	       errno == EAGAIN;
}

static void test_peek(int type)
{
	int a = bound_sock(type, 821), b = bound_sock(type, 822);
	char buf[16];

	result(peek_off_now(b) == -1, "SO_PEEK_OFF is off");
	result(!peek_off(b, 0) && !peek_off_now(b), "and can be set");
	result(nothing(b), "type %d: nothing there", type);
	/* One after the other: unordered sockets may change the order. */
	send_to(a, "hello", 5, 822);
	result(readable(b, 20000), "a message");
	result(peeks(b, 2, "he", false), "two bytes");
	result(peeks(b, 16, "llo", true), "the rest of it");
	result(nothing(b), "then nothing");
	send_to(a, "", 0, 822);
	send_to(a, "world!", 6, 822);
	for (int i = 0; i < 600 && !peeks(b, 16, "", true); i++)
		usleep(20000);
	for (int i = 0; i < 600 && nothing(b) && !peek_off(b, 5); i++)
		usleep(20000);
	result(peek_off_now(b) == 6, "an empty one, once (%d)", peek_off_now(b));
	result(peeks(b, 16, "orld!", true), "behind it the next");
	result(recv(b, buf, 3, 0) == 3 && peek_off_now(b) == 8,
	       "what is read moves it back (%d)", peek_off_now(b));
	result(recv(b, buf, 16, 0) == 2 && peek_off_now(b) == 6,
	       "also at the end of a message (%d)", peek_off_now(b));
	peek_off(b, 1);
	result(peeks(b, 4, "orld", false), "it can be set anywhere");
	peek_off(b, -1);
	result(peeks(b, 4, "", true), "without it the first one is seen");
	result(recv(b, buf, 16, 0) == 0 && peeks(b, 4, "worl", false) &&
	       recv(b, buf, 16, 0) == 6, "nothing is lost");
	close(a);
	close(b);
}

/* Peeking behind what is there waits for more, until the end. */
static void test_peek_waits(void)
{
	int a = bound_sock(SOCK_RDM, 823), b = bound_sock(SOCK_RDM, 824);
	struct timeval half = { .tv_usec = 300000 };
	char buf[16] = "";
	pid_t child;

	peek_off(b, 0);
	send_to(a, "one", 3, 824);
	result(readable(b, 20000) && recv(b, buf, 16, MSG_PEEK) == 3, "one");
	setsockopt(b, SOL_SOCKET, SO_RCVTIMEO, &half, sizeof(half));
	EXPECT_ERR(recv(b, buf, 16, MSG_PEEK), EAGAIN, "a wait in vain");
	half.tv_sec = 60;
	setsockopt(b, SOL_SOCKET, SO_RCVTIMEO, &half, sizeof(half));
	child = fork();
	if (!child) {
		usleep(300000);
		send_to(a, "three", 5, 824);
		usleep(300000);
		shutdown(b, SHUT_RD);
		_exit(0);
	}
	result(recv(b, buf, 16, MSG_PEEK) == 5 && !memcmp(buf, "three", 5),
	       "it waits for the next one");
	result(recv(b, buf, 16, MSG_PEEK) == 0, "and for the end");
	waitpid(child, NULL, 0);
	close(a);
	close(b);
}

/* Any place of a message of many packets, and of one that arrives meanwhile */
static void test_peek_long(int rcvbuf)
{
	int a = bound_sock(SOCK_RDM, 825), b = bound_sock(SOCK_RDM, 826);
	char *msg = malloc(LONG_LEN), buf[5000];
	unsigned int bad = 0, seen = 0;
	pid_t child;
	ssize_t n;

	for (int i = 0; i < LONG_LEN; i++)
		msg[i] = (i >> 8) + i * 7;
	setsockopt(b, SOL_SOCKET, SO_RCVBUF, &rcvbuf, sizeof(rcvbuf));
	child = fork();
	if (!child) {
		send_to(a, msg, LONG_LEN, 826);
		_exit(0);
	}
	for (int off = 0; off < LONG_LEN && readable(b, 20000);) {
		int at = off + (off % 3) * 4000;

		/* It may be that this has not come; look there, then read. */
		peek_off(b, at - off);
		n = recv(b, buf, sizeof(buf), MSG_PEEK | MSG_DONTWAIT);
		if (n > 0) {
			seen++;
			bad += n > LONG_LEN - at || memcmp(buf, msg + at, n);
		}
		n = recv(b, buf, 1 + off % sizeof(buf), 0);
		if (n <= 0)
			break;
		bad += !!memcmp(buf, msg + off, n);
		off += n;
	}
	result(seen > 20 && !bad, "a long message, buffer %d: %u peeks, %u wrong",
	       rcvbuf, seen, bad);
	result(!readable(b, 100), "read to its end");
	waitpid(child, NULL, 0);
	close(a);
	close(b);
	free(msg);
}

static int int_of(int fd, int opt)
{
	int val = -2;
	socklen_t len = sizeof(val);

	getsockopt(fd, SOL_SOCKET, opt, &val, &len);
	return val;
}

static void test_incoming_cpu(void)
{
	int a = bound_sock(SOCK_RDM, 827), b = bound_sock(SOCK_RDM, 828);
	int cpu = -2;
	char byte;
	cpu_set_t old, set;

	sched_getaffinity(0, sizeof(old), &old);
	result(int_of(b, SO_INCOMING_CPU) == -1, "SO_INCOMING_CPU: none yet");
	for (int i = 0; i < CPU_SETSIZE && cpu; i++) {
		if (!CPU_ISSET(i, &old))
			continue;
		CPU_ZERO(&set);
		CPU_SET(i, &set);
		sched_setaffinity(0, sizeof(set), &set);
		/* Loopback delivers where the sender is. */
		send_to(a, "x", 1, 828);
		recv(b, &byte, 1, 0);
		cpu = int_of(b, SO_INCOMING_CPU);
		result(cpu == i, "CPU %d delivers, SO_INCOMING_CPU is %d", i,
		       cpu);
		cpu = 1;
	}
	sched_setaffinity(0, sizeof(old), &old);
	close(a);
	close(b);
}

static void test_rcvmark(void)
{
	int a = bound_sock(SOCK_RDM, 829), b = bound_sock(SOCK_RDM, 830);
	char control[256], byte;
	struct iovec iov = { &byte, 1 };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control),
	};
	int on = 1, mark = 5;
	bool ok = false;

	setsockopt(a, SOL_SOCKET, SO_MARK, &mark, sizeof(mark));
	result(!setsockopt(b, SOL_SOCKET, SO_RCVMARK, &on, sizeof(on)),
	       "SO_RCVMARK");
	send_to(a, "x", 1, 830);
	result(recvmsg(b, &msg, 0) == 1, "a message with a mark");
	for (struct cmsghdr *c = CMSG_FIRSTHDR(&msg); c; c = CMSG_NXTHDR(&msg, c))
		if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SO_MARK) {
			memcpy(&mark, CMSG_DATA(c), sizeof(mark));
			note("mark %d", mark);
			ok = true;
		}
	result(ok, "its mark is told");
	close(a);
	close(b);
}

static void test_select_err_queue(void)
{
	int a = bound_sock(SOCK_RDM, 831), on = 1;
	struct pollfd pfd = { .fd = a, .events = POLLPRI };

	setsockopt(a, SOL_SOCKET, SO_SELECT_ERR_QUEUE, &on, sizeof(on));
	send_to(a, "x", 1, 3002);
	result(poll(&pfd, 1, 20000) == 1 && pfd.revents & POLLPRI &&
	       pfd.revents & POLLERR, "SO_SELECT_ERR_QUEUE: a report is POLLPRI");
	close(a);
}

static int set_int(int fd, int opt, int val)
{
	return setsockopt(fd, SOL_SOCKET, opt, &val, sizeof(val));
}

/* What SO_SNDBUF or SO_RCVBUF of a new socket is when this is asked for */
static int size_for(int opt, int val)
{
	int fd = open_sock(SOCK_RDM), size = -1;

	if (!set_int(fd, opt, val))
		size = int_of(fd, opt);
	close(fd);
	return size;
}

/* The most that the stack gives to who asks: net.core is not seen in namespaces. */
static int stack_limit(int opt)
{
	int fd = socket(AF_INET, SOCK_DGRAM, 0), size;

	set_int(fd, opt, INT_MAX);
	size = int_of(fd, opt);
	close(fd);
	return size;
}

/* The setting that gives new sockets their size; returns what it was, or -1 */
static int default_size(const char *name, int val)
{
	char path[64];
	int old = -1;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/sys/net/uet/%s", name);
	f = fopen(path, "r+");
	if (!f || fscanf(f, "%d", &old) != 1)
		return -1;
	rewind(f);
	if (fprintf(f, "%d", val) < 0)
		old = -1;
	return fclose(f) ? -1 : old;
}

static void test_size(int opt, int force, const char *sysctl, const char *name)
{
	int fd = open_sock(SOCK_RDM), has = int_of(fd, opt), limit = stack_limit(opt), old;
	/* Else the kernel keeps to itself what was asked for. */
	bool told = set_int(fd, SO_BROADCAST, 1) < 0;

	note("%s is %d, the stack gives %d", name, has, limit);
	if (has <= limit || has / 4 <= limit / 2) {
		skip(name, "the stack gives as much");
		close(fd);
		return;
	}
	result(size_for(opt, has) == has && size_for(opt, has / 2) == has &&
	       size_for(opt, INT_MAX) == has && size_for(opt, -1) == has,
	       "%s: who asks for much gets the default", name);
	result(size_for(opt, has / 4) == (told ? has / 2 : has), "... for half of it, half");
	result(size_for(opt, 10000) == 20000 && size_for(opt, limit / 2 - 1) == limit - 2,
	       "... for little, little");
	result(!set_int(fd, opt, 10000) && !set_int(fd, opt, has) && int_of(fd, opt) == has,
	       "... and more again");
	result(!set_int(fd, force, has) && int_of(fd, opt) == 2 * has,
	       "... whoever may force it, twice that");
	EXPECT_ERR(setsockopt(fd, SOL_SOCKET, opt, &has, sizeof(has) - 1), EINVAL,
		   "half a size");
	EXPECT_ERR(setsockopt(fd, SOL_SOCKET, opt, NULL, sizeof(has)), EFAULT,
		   "a size that is not there");
	result(int_of(fd, opt) == 2 * has, "... which change nothing");
	close(fd);
	old = default_size(sysctl, 50000);
	result(old == has && size_for(opt, INT_MAX) == limit && size_for(opt, 30000) == 60000,
	       "with a small default the limit is that of the stack");
	default_size(sysctl, has);
}

/* A sender that waits goes on when its buffer gets larger. */
static void test_size_wakes(void)
{
	int a = bound_sock(SOCK_RDM, 833), b = bound_sock(SOCK_RDM, 834), n;
	struct pollfd pfd = { .fd = a, .events = POLLOUT };
	static char msg[4000];
	struct sockaddr_uet to;
	pid_t child;

	set_int(a, SO_SNDBUF, 20000);
	set_int(b, SO_RCVBUF, 1);
	uet_addr(&to, here, 0, 834, 0);
	/* Full, and still so when nothing moves any more */
	for (n = 0; n < 3; n++) {
		while (sendto(a, msg, sizeof(msg), MSG_DONTWAIT, (struct sockaddr *)&to,
			      sizeof(to)) > 0)
			n = 0;
		usleep(100000);
	}
	child = fork();
	if (!child)
		_exit(poll(&pfd, 1, 20000) != 1);
	usleep(300000);
	result(!waitpid(child, &n, WNOHANG), "a sender waits for room");
	set_int(a, SO_SNDBUF, INT_MAX);
	result(waitpid(child, &n, 0) == child && !n, "a larger buffer wakes it");
	close(a);
	close(b);
}

/* SO_BUSY_POLL of a receiver: the poll function is seen by its tracepoint. */
static int busy_poll(const char *pid)
{
	int fd = open_sock(SOCK_RDM), usec = 1000000, budget = 5, n = 0;
	struct timeval brief = { .tv_sec = 1 };
	char buf[2000];

	here = "::";
	if (bind_pid(fd, atoi(pid)))
		die("bind: %s", strerror(errno));
	if (setsockopt(fd, SOL_SOCKET, SO_BUSY_POLL, &usec, sizeof(usec)) ||
	    setsockopt(fd, SOL_SOCKET, SO_BUSY_POLL_BUDGET, &budget,
		       sizeof(budget)))
		die("SO_BUSY_POLL: %s", strerror(errno));
	printf("ready\n");
	fflush(stdout);
	if (recv(fd, buf, sizeof(buf), 0) > 0)
		n++;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &brief, sizeof(brief));
	while (recv(fd, buf, sizeof(buf), 0) > 0)
		n++;
	printf("napi %d received %d\n", int_of(fd, SO_INCOMING_NAPI_ID), n);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "-t")) {
		table();
		return 0;
	}
	if (argc == 3 && !strcmp(argv[1], "-p"))
		return busy_poll(argv[2]);
	if (argc != 2)
		die("usage: uet_opts ADDR | -t | -p PID");
	here = argv[1];
	ktap_begin();
	test_peek(SOCK_RDM);
	test_peek(SOCK_SEQPACKET);
	test_peek_waits();
	test_peek_long(4 << 20);
	test_peek_long(60000);
	test_incoming_cpu();
	test_rcvmark();
	test_select_err_queue();
	test_size(SO_SNDBUF, SO_SNDBUFFORCE, "wmem", "SO_SNDBUF");
	test_size(SO_RCVBUF, SO_RCVBUFFORCE, "rmem", "SO_RCVBUF");
	test_size_wakes();
	return ktap_finish();
}
