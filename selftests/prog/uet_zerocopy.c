// SPDX-License-Identifier: GPL-2.0
/*
 * MSG_ZEROCOPY: what arrives, when the sender is told that its buffer is free, and
 * what happens to data that is outstanding.
 *
 *   uet_zerocopy ADDR		cases; messages travel from the host to itself
 *   uet_zerocopy ADDR/PID N LEN	N messages for uet_recv, from few buffers
 */
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/errqueue.h>

#include "sock_util.h"

/* Longest wait for what should come at once, ms */
#define SOON		30000
/* What does not come in this time, ms, is not on its way */
#define NEVER		500

#define LONG		(256 * 1024)
#define IDS		4096

/* Completions of a socket */
struct done {
	unsigned char	times[IDS];	/* that an id was told */
	unsigned char	copied[IDS];
	unsigned int	ids;		/* different ones */
	unsigned int	entries;
	unsigned int	reports, failed;
};

static char *map(size_t len)
{
	char *p = mmap(NULL, len, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		die("mmap: %s", strerror(errno));
	return p;
}

static int zc_sock(uint16_t pid)
{
	int fd = bound_sock(SOCK_SEQPACKET, pid), one = 1;

	if (setsockopt(fd, SOL_UET, UET_ZEROCOPY, &one, sizeof(one)))
		die("UET_ZEROCOPY: %s", strerror(errno));
	return fd;
}

static void set_buf(int fd, int opt, int val)
{
	if (setsockopt(fd, SOL_SOCKET, opt, &val, sizeof(val)))
		die("option %d: %s", opt, strerror(errno));
}

static ssize_t send_zc(int fd, const void *data, size_t len, uint16_t pid, int flags)
{
	struct sockaddr_uet to;

	uet_addr(&to, here, 0, pid, 0);
	return sendto(fd, data, len, MSG_ZEROCOPY | flags, (struct sockaddr *)&to,
		      sizeof(to));
}

/* Take all entries of the error queue. */
static void take(int fd, struct done *d)
{
	char control[512];

	for (;;) {
		struct msghdr msg = {
			.msg_control = control, .msg_controllen = sizeof(control),
		};
		struct sock_extended_err ee;
		struct uet_report rep;

		if (recvmsg(fd, &msg, MSG_ERRQUEUE | MSG_DONTWAIT) < 0)
			return;
		if (libuet_get_cmsg(&msg, UET_CMSG_REPORT, &rep, sizeof(rep))) {
			if (rep.type == UET_REPORT_DELIVERED)
				d->reports += rep.cookie_last - rep.cookie + 1;
			else
				d->failed++;
			continue;
		}
		if (!libuet_get_cmsg(&msg, UET_CMSG_ERR, &ee, sizeof(ee)) ||
		    ee.ee_origin != SO_EE_ORIGIN_ZEROCOPY || ee.ee_errno)
			die("a strange entry");
		d->entries++;
		for (uint32_t id = ee.ee_info; id <= ee.ee_data && id < IDS; id++) {
			d->ids += !d->times[id]++;
			d->copied[id] = ee.ee_code & SO_EE_CODE_ZEROCOPY_COPIED;
		}
	}
}

/* Wait for as many ids; false if they do not come */
static bool await(int fd, struct done *d, unsigned int ids, int ms)
{
	struct pollfd pfd = { .fd = fd };

	for (take(fd, d); d->ids < ids; take(fd, d))
		if (poll(&pfd, 1, ms) != 1 || !(pfd.revents & POLLERR))
			return false;
	return true;
}

/* Ids 0 to @n - 1, each once */
static bool complete(const struct done *d, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (d->times[i] != 1)
			return false;
	return d->ids == n;
}

/* Read a message of up to @len bytes and compare it */
static bool arrives(int fd, const void *want, size_t len)
{
	static char got[8 << 20];
	ssize_t n = recv(fd, got, sizeof(got), MSG_WAITALL);

	return n == (ssize_t)len && !memcmp(got, want, len);
}

static void scribble(char *p, size_t len, int seed)
{
	for (size_t i = 0; i < len; i++)
		p[i] = (char)(seed + i + (i >> 8) * 7 + (i >> 16) * 3);
}

/* --- convention ------------------------------------------------------------- */

static void test_option(void)
{
	int a = bound_sock(SOCK_RDM, 700), b = bound_sock(SOCK_RDM, 701);
	char *buf = map(LONG), *keep = map(LONG);
	struct done d = {};
	socklen_t len = sizeof(int);
	int v = 2;

	scribble(buf, LONG, 1);
	result(send_zc(a, buf, LONG, 701, 0) == LONG && arrives(b, buf, LONG) &&
	       !await(a, &d, 1, NEVER), "without the option the flag says nothing");
	EXPECT_ERR(setsockopt(a, SOL_UET, UET_ZEROCOPY, &v, sizeof(v)), EINVAL,
		   "UET_ZEROCOPY 2");
	v = 1;
	result(!setsockopt(a, SOL_UET, UET_ZEROCOPY, &v, sizeof(v)), "UET_ZEROCOPY");
	v = 0;
	result(!getsockopt(a, SOL_SOCKET, SO_ZEROCOPY, &v, &len) && v == 1,
	       "SO_ZEROCOPY reads 1");
	result(send_zc(a, buf, LONG, 701, 0) == LONG, "a message");
	memcpy(keep, buf, LONG);
	result(await(a, &d, 1, SOON) && complete(&d, 1), "id 0 is told once");
	memset(buf, 0, LONG);
	result(arrives(b, keep, LONG),
	       "a reader who comes after that sees what was sent");
	result(d.copied[0], "it was copied: the receiver is on this host");
	result(send_zc(a, buf, 0, 701, 0) == 0 && !await(a, &d, 2, NEVER),
	       "an empty message has no id");
	recv(b, keep, 1, 0);
	result(send_zc(a, keep, 5, 701, 0) == 5 && await(a, &d, 2, SOON) &&
	       d.copied[1] && arrives(b, keep, 5), "a short one is copied");
	close(a);
	close(b);
	munmap(buf, LONG);
	munmap(keep, LONG);
}

static void test_lengths(void)
{
	static const size_t lens[] = {
		16383, 16384, 16385, 65536, 65537, 100001, 1 << 20, 3000001,
	};
	int a = zc_sock(702), b = bound_sock(SOCK_SEQPACKET, 703);
	unsigned int n = 0, bad = 0;
	char *buf = map(4 << 20);
	struct done d = {};

	scribble(buf, 4 << 20, 2);
	for (size_t i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
		for (int off = 0; off < 4096; off += 1365, n++) {
			if (send_zc(a, buf + off, lens[i], 703, 0) !=
			    (ssize_t)lens[i] || !arrives(b, buf + off, lens[i]))
				bad++;
		}
	}
	result(!bad, "%u messages of all lengths, anywhere in a page", n);
	result(await(a, &d, n, SOON) && complete(&d, n), "all told, each once");

	/* Pages that lie together */
	madvise(buf, 4 << 20, MADV_HUGEPAGE);
	memset(&d, 0, sizeof(d));
	close(a);
	a = zc_sock(702);
	result(send_zc(a, buf + 77, 2 << 20, 703, 0) == 2 << 20 &&
	       arrives(b, buf + 77, 2 << 20) && await(a, &d, 1, SOON),
	       "pages that may be huge");
	close(a);
	close(b);
	munmap(buf, 4 << 20);
}

static ssize_t send_vector(int fd, struct iovec *iov, int n, uint16_t pid)
{
	struct sockaddr_uet to;
	struct msghdr msg = {
		.msg_name = &to, .msg_namelen = sizeof(to),
		.msg_iov = iov, .msg_iovlen = n,
	};

	uet_addr(&to, here, 0, pid, 0);
	return sendmsg(fd, &msg, MSG_ZEROCOPY);
}

static void test_vectors(void)
{
	static struct iovec iov[1024];
	int a = zc_sock(704), b = bound_sock(SOCK_SEQPACKET, 705), i;
	char *buf = map(1 << 20);
	struct done d = {};

	scribble(buf, 1 << 20, 3);
	/* The worst that is not copied: short pieces, at both ends of pages */
	for (i = 0; i < 20; i++)
		iov[i] = (struct iovec){ buf + 5000 * i, 5000 };
	iov[5].iov_len = 2;
	iov[6] = (struct iovec){ buf + 25002, 3 };
	iov[7] = (struct iovec){ buf + 25005, 4995 + 5000 };
	iov[8] = (struct iovec){ buf + 35000, 4090 };
	iov[9] = (struct iovec){ buf + 39090, 5000 + 910 };
	for (i = 10; i < 20; i++)
		iov[i].iov_base = buf + 5000 * (i - 1);
	result(send_vector(a, iov, 20, 705) == 95000 && arrives(b, buf, 95000),
	       "a vector with some short pieces");
	for (i = 0; i < 1024; i++)
		iov[i] = (struct iovec){ buf + 64 * i, 64 };
	result(send_vector(a, iov, 1024, 705) == 65536, "one of many");
	result(await(a, &d, 2, SOON) && complete(&d, 2) && d.copied[1],
	       "is copied");
	result(arrives(b, buf, 65536), "and arrives");
	close(a);
	close(b);
	munmap(buf, 1 << 20);
}

static void test_streamed(void)
{
	int a = zc_sock(706), b = bound_sock(SOCK_SEQPACKET, 707);
	char *buf = map(4 << 20);
	struct done d = {};

	scribble(buf, 4 << 20, 4);
	set_buf(a, SO_SNDBUF, 100000);
	EXPECT_ERR(send_zc(a, buf, 2 << 20, 707, MSG_DONTWAIT), EMSGSIZE,
		   "more than SO_SNDBUF, without waiting");
	result(send_zc(a, buf, 2 << 20, 707, 0) == 2 << 20 &&
	       arrives(b, buf, 2 << 20), "more than SO_SNDBUF");
	result(await(a, &d, 1, SOON) && complete(&d, 1) && d.copied[0],
	       "is copied as it is streamed");
	close(a);
	close(b);
	munmap(buf, 4 << 20);
}

/* --- when it is told -------------------------------------------------------- */

/* A receiver that has no room for a message of LONG bytes before it reads */
static int full_sock(int from, uint16_t pid, char *buf)
{
	int fd = bound_sock(SOCK_SEQPACKET, pid), n;

	set_buf(fd, SO_RCVBUF, 100000);
	for (n = 0; n < 40; n++)
		if (send_zc(from, buf, 15000, pid, MSG_DONTWAIT) != 15000)
			die("fill: %s", strerror(errno));
	return fd;
}

static bool empty(int fd, int n)
{
	static char got[15000];

	while (n--)
		if (recv(fd, got, sizeof(got), MSG_WAITALL) != sizeof(got))
			return false;
	return true;
}

static void test_when(void)
{
	char *buf = map(LONG);
	int a = zc_sock(708), b, notify = 1;
	struct done d = {};

	scribble(buf, LONG, 5);
	setsockopt(a, SOL_UET, UET_NOTIFY, &notify, sizeof(notify));
	b = full_sock(a, 709, buf);
	result(send_zc(a, buf, LONG, 709, 0) == LONG, "a message for a full receiver");
	result(await(a, &d, 40, SOON) && !await(a, &d, 41, NEVER),
	       "is not told before it is delivered");
	result(empty(b, 40) && arrives(b, buf, LONG) && await(a, &d, 41, SOON) &&
	       complete(&d, 41), "but then, once");
	for (int i = 0; i < 100 && d.reports < 41; i++) {
		usleep(20000 * (i > 0));
		take(a, &d);
	}
	result(d.reports == 41 && !d.failed, "beside the reports of UET_NOTIFY");
	result(!(poll(&(struct pollfd){ .fd = a }, 1, 0)), "and POLLERR ends with them");
	close(a);
	close(b);
	munmap(buf, LONG);
}

/* What was never delivered: the buffer is free when the message has failed */
static void test_failure(void)
{
	uint64_t cookie = 77;
	char control[CMSG_SPACE(8)] = "", *buf = map(LONG);
	struct iovec iov = { buf, LONG };
	struct sockaddr_uet to;
	struct msghdr msg = {
		.msg_name = &to, .msg_namelen = sizeof(to),
		.msg_iov = &iov, .msg_iovlen = 1, .msg_control = control,
	};
	int a = zc_sock(710);
	struct done d = {};

	/* A neighbour that is not there */
	uet_addr(&to, strchr(here, ':') ? "fd00::77" : "10.0.0.77", 0, 711, 0);
	libuet_add_cmsg(&msg, sizeof(control), UET_CMSG_COOKIE, &cookie, sizeof(cookie));
	result(sendmsg(a, &msg, MSG_ZEROCOPY) == LONG, "a message to nobody");
	result(!await(a, &d, 1, NEVER), "is not told while it is tried");
	result(!setsockopt(a, SOL_UET, UET_CANCEL, &cookie, sizeof(cookie)), "cancelled");
	result(await(a, &d, 1, SOON) && complete(&d, 1) && d.failed == 1,
	       "it is told, beside the report");
	result(!d.copied[0], "and was not copied");
	close(a);
	munmap(buf, LONG);
}

/* --- what fails has no id --------------------------------------------------- */

static void test_errors(void)
{
	int a = zc_sock(712), b = bound_sock(SOCK_SEQPACKET, 713), n = 0;
	char *buf = map(2 * LONG);
	struct done d = {};

	scribble(buf, LONG, 6);
	munmap(buf + LONG, LONG);
	EXPECT_ERR(send_zc(a, buf + 4096, LONG, 713, 0), EFAULT,
		   "a buffer that ends too early");
	result(!readable(b, NEVER), "of which nothing arrives");
	result(send_zc(a, buf, LONG, 713, 0) == LONG && arrives(b, buf, LONG) &&
	       await(a, &d, 1, SOON) && complete(&d, 1), "the next one has id 0");
	close(b);

	b = full_sock(a, 713, buf);
	while (send_zc(a, buf, LONG, 713, MSG_DONTWAIT) == LONG)
		n++;
	result(errno == EAGAIN && n, "a full buffer gives EAGAIN");
	result(empty(b, 40), "room");
	for (int i = 0; i < n; i++)
		if (!arrives(b, buf, LONG))
			die("message %d", i);
	result(await(a, &d, 41 + n, SOON) && complete(&d, 41 + n),
	       "and no id is missing");
	close(a);
	close(b);
	munmap(buf, LONG);
}

/* What a socket that closed has not delivered stays locked. Returns 0, or where not. */
static int memlock_closed(int a, char *buf)
{
	int b = full_sock(a, 715, buf), i;

	if (send_zc(a, buf, LONG / 2, 715, 0) != LONG / 2)
		return 60;
	close(a);
	a = zc_sock(714);
	if (send_zc(a, buf, LONG / 2, 715, 0) != -1 || errno != ENOBUFS)
		return 61;
	if (!empty(b, 40) || !arrives(b, buf, LONG / 2))
		return 62;
	for (i = 0; i < SOON / 20; i++, usleep(20000))
		if (send_zc(a, buf, LONG / 2, 715, 0) == LONG / 2)
			return 0;
	return 63;
}

/* Unprivileged, with a limit */
static void memlock_child(void)
{
	struct rlimit lim = { LONG, LONG };
	int a = zc_sock(714), b = bound_sock(SOCK_SEQPACKET, 715);
	char *buf = map(2 * LONG);
	struct done d = {};

	scribble(buf, LONG, 7);
	if (setrlimit(RLIMIT_MEMLOCK, &lim) || setuid(65534))
		_exit(10);
	if (send_zc(a, buf, LONG, 715, 0) != -1 || errno != ENOBUFS)
		_exit(11);
	if (send_zc(a, buf, 100, 715, 0) != 100 || !arrives(b, buf, 100))
		_exit(12);
	/* What is given back can be taken again. */
	for (int i = 1; i < 10; i++) {
		if (send_zc(a, buf, LONG / 2, 715, 0) != LONG / 2)
			_exit(20 + i);
		if (!arrives(b, buf, LONG / 2) || !await(a, &d, i + 1, SOON))
			_exit(40 + i);
	}
	if (!complete(&d, 10))
		_exit(13);
	close(b);
	_exit(memlock_closed(a, buf));
}

static void test_memlock(void)
{
	pid_t pid = fork();
	int status;

	if (!pid)
		memlock_child();
	waitpid(pid, &status, 0);
	result(WIFEXITED(status) && !WEXITSTATUS(status),
	       "RLIMIT_MEMLOCK gives ENOBUFS (%d)", WEXITSTATUS(status));
}

static void test_optmem(void)
{
	int a = zc_sock(716), b, n = 0;
	char *buf = map(LONG);
	struct done d = {};

	scribble(buf, LONG, 8);
	set_buf(a, SO_SNDBUFFORCE, 32 << 20);
	b = full_sock(a, 717, buf);
	while (n < 2000 && send_zc(a, buf, 16384, 717, MSG_DONTWAIT) == 16384)
		n++;
	result(n < 2000 && errno == ENOBUFS, "so many outstanding give ENOBUFS (%d)", n);
	empty(b, 40);
	for (int i = 0; i < n; i++)
		if (!arrives(b, buf, 16384))
			die("message %d", i);
	result(await(a, &d, 40 + n, SOON) && complete(&d, 40 + n), "all are told");
	result(send_zc(a, buf, LONG, 717, 0) == LONG, "and there is room again");
	close(a);
	close(b);
	munmap(buf, LONG);
}

/* --- outstanding data ------------------------------------------------------- */

static void test_unmap(void)
{
	int a = zc_sock(718), b;
	char *buf = map(LONG), *other = map(LONG), *keep = map(LONG);
	struct done d = {};

	scribble(keep, LONG, 9);
	memcpy(buf, keep, LONG);
	memcpy(other, keep, LONG);
	b = full_sock(a, 719, keep);
	if (send_zc(a, buf, LONG, 719, 0) != LONG ||
	    send_zc(a, other, LONG, 719, 0) != LONG)
		die("send: %s", strerror(errno));
	munmap(buf, LONG);
	other = mremap(other, LONG, 2 * LONG, MREMAP_MAYMOVE);
	result(other != MAP_FAILED && empty(b, 40) && arrives(b, keep, LONG) &&
	       arrives(b, keep, LONG), "a buffer that was unmapped, one that moved");
	result(await(a, &d, 42, SOON) && complete(&d, 42), "both are told");
	close(a);
	close(b);
	munmap(other, 2 * LONG);
	munmap(keep, LONG);
}

static void test_close(void)
{
	int a = zc_sock(720), b;
	char *buf = map(LONG), *keep = map(LONG);

	scribble(keep, LONG, 10);
	memcpy(buf, keep, LONG);
	b = full_sock(a, 721, keep);
	for (int i = 0; i < 5; i++)
		if (send_zc(a, buf, LONG, 721, 0) != LONG)
			die("send: %s", strerror(errno));
	close(a);
	munmap(buf, LONG);
	result(empty(b, 40) && arrives(b, keep, LONG) && arrives(b, keep, LONG) &&
	       arrives(b, keep, LONG) && arrives(b, keep, LONG) &&
	       arrives(b, keep, LONG), "a socket that closes: all arrives");
	close(b);
	munmap(keep, LONG);
}

static void test_killed(void)
{
	char *buf = map(LONG), ready;
	int b = bound_sock(SOCK_SEQPACKET, 723), pipes[2];
	pid_t pid;

	scribble(buf, LONG, 11);
	set_buf(b, SO_RCVBUF, 100000);
	if (pipe(pipes))
		die("pipe");
	pid = fork();
	if (!pid) {
		int a = zc_sock(722);

		for (int i = 0; i < 5; i++)
			if (send_zc(a, buf, LONG, 723, 0) != LONG)
				_exit(1);
		if (write(pipes[1], "x", 1) != 1)
			_exit(1);
		pause();
		_exit(0);
	}
	if (read(pipes[0], &ready, 1) != 1)
		die("child");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	for (int i = 0; i < 5; i++)
		if (!arrives(b, buf, LONG)) {
			result(false, "a process that is killed: message %d", i);
			goto out;
		}
	result(true, "a process that is killed: all arrives");
out:
	close(b);
	close(pipes[0]);
	close(pipes[1]);
	munmap(buf, LONG);
}

/* --- threads ---------------------------------------------------------------- */

#define THREADS		3
#define PER_THREAD	100

static int shared_fd;
static char *shared_buf;

/* On several CPUs these are faster than who reads what is free: then there is no room
 * for what would tell it (test_optmem()), until it was read
 */
static ssize_t send_shared(const char *buf)
{
	ssize_t n;

	while ((n = send_zc(shared_fd, buf, 20000, 725, 0)) < 0 && errno == ENOBUFS)
		usleep(1000);
	return n;
}

static void *sender(void *arg)
{
	for (int i = 0; i < PER_THREAD; i++) {
		ssize_t n = send_shared(shared_buf);

		if (n != 20000) {
			note("sent %zd: %s", n, strerror(errno));
			return "send";
		}
		/* Fails late, when others may have got an id meanwhile */
		n = send_shared(shared_buf + LONG - 8192);
		if (n != -1 || errno != EFAULT) {
			note("sent %zd of what is not there: %s", n, strerror(errno));
			return "EFAULT";
		}
	}
	return arg;
}

static void test_threads(void)
{
	pthread_t t[THREADS];
	void *wrong[THREADS];
	struct done d = {};
	bool ok = true;
	int b, i;

	shared_fd = zc_sock(724);
	set_buf(shared_fd, SO_SNDBUFFORCE, 32 << 20);
	b = bound_sock(SOCK_SEQPACKET, 725);
	shared_buf = map(2 * LONG);
	munmap(shared_buf + LONG, LONG);
	scribble(shared_buf, LONG, 12);
	for (i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, sender, NULL);
	for (i = 0; i < THREADS * PER_THREAD; i++) {
		ok = ok && arrives(b, shared_buf, 20000);
		take(shared_fd, &d);
	}
	for (i = 0; i < THREADS; i++) {
		pthread_join(t[i], &wrong[i]);
		ok = ok && !wrong[i];
	}
	result(ok, "threads that share a socket");
	result(await(shared_fd, &d, THREADS * PER_THREAD, SOON) &&
	       complete(&d, THREADS * PER_THREAD), "each id once, none missing");
	note("%u entries for %u ids", d.entries, d.ids);
	close(shared_fd);
	close(b);
	munmap(shared_buf, LONG);
}

/* --- messages for uet_recv -------------------------------------------------- */

#define BUFFERS		8

/* Each buffer is rewritten as soon as it is told to be free */
static int send_many(const char *target, unsigned int n, size_t len)
{
	unsigned int user[BUFFERS], i, used = 0, seq;
	struct sockaddr_uet to;
	struct done d = {};
	char *buf[BUFFERS];
	int fd, one = 1;

	uet_endpoint(&to, target, 0);
	fd = open_sock(SOCK_RDM);
	if (setsockopt(fd, SOL_UET, UET_ZEROCOPY, &one, sizeof(one)))
		die("UET_ZEROCOPY: %s", strerror(errno));
	for (i = 0; i < BUFFERS; i++)
		buf[i] = map(len);
	for (seq = 0; seq < n; seq++) {
		struct msg_hdr hdr = { UET_HDR_MAGIC, 0, seq, len };

		for (i = 0; used == BUFFERS && !d.times[user[i]]; i = (i + 1) % BUFFERS)
			if (i == BUFFERS - 1 && !await(fd, &d, d.ids + 1, SOON))
				die("nothing completes");
		if (used < BUFFERS)
			i = used++;
		pattern_fill(buf[i], len, pattern_seed(0, seq), 0);
		memcpy(buf[i], &hdr, sizeof(hdr));
		if (sendto(fd, buf[i], len, MSG_ZEROCOPY, (struct sockaddr *)&to,
			   sizeof(to)) != (ssize_t)len)
			die("send: %s", strerror(errno));
		user[i] = seq;
	}
	if (!await(fd, &d, n, SOON))
		die("%u of %u told", d.ids, n);
	if (!complete(&d, n) || d.failed)
		die("not each once, or %u failed", d.failed);
	printf("%u messages, %u entries\n", n, d.entries);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 4 && atoi(argv[2]) <= IDS)
		return send_many(argv[1], atoi(argv[2]), parse_size(argv[3]));
	if (argc != 2)
		die("usage: uet_zerocopy ADDR | ADDR/PID N LEN");
	here = argv[1];
	ktap_begin();
	test_option();
	test_lengths();
	test_vectors();
	test_streamed();
	test_when();
	test_failure();
	test_errors();
	test_memlock();
	test_optmem();
	test_unmap();
	test_close();
	test_killed();
	test_threads();
	return ktap_finish();
}
