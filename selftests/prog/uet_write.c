// SPDX-License-Identifier: GPL-2.0
/*
 * Writes to windows (UET_WINDOW, UET_RUDI) as programs see them.
 *
 *   uet_write ADDR           an address of this host
 *   uet_write ADDR PID KEY [FROM]
 *                            one socket, bound to FROM, writes each line that is read into
 *                            a window of another host, and says with what error that ended
 *   uet_write ADDR PID KEY - SECONDS
 *                            always has some on their way, until one arrives
 */
#define _GNU_SOURCE
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <linux/sockios.h>

#include "sock_util.h"

#define KEY	(UET_KEY_IDEMPOTENT | 0x1234)
#define SIZE	1000000
#define NOBODY	3900

static char data[300000];

struct got {
	char			buf[70000];
	struct uet_write	write;
	struct uet_msg_info	info;
	bool			has_write;
	int			flags;
};

static ssize_t get(int fd, struct got *g, size_t room, int flags)
{
	char control[512];
	struct iovec iov = { g->buf, room };
	struct msghdr m = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control),
	};
	struct cmsghdr *c;
	ssize_t n = recvmsg(fd, &m, flags);

	g->has_write = false;
	g->flags = m.msg_flags;
	for (c = CMSG_FIRSTHDR(&m); n >= 0 && c; c = CMSG_NXTHDR(&m, c)) {
		if (c->cmsg_level != SOL_UET)
			continue;
		if (c->cmsg_type == UET_CMSG_WRITE) {
			memcpy(&g->write, CMSG_DATA(c), sizeof(g->write));
			g->has_write = true;
		} else if (c->cmsg_type == UET_CMSG_MSG_INFO) {
			memcpy(&g->info, CMSG_DATA(c), sizeof(g->info));
		}
	}
	return n;
}

static void *put(struct msghdr *m, int type, const void *v, size_t len)
{
	struct cmsghdr *c = (void *)((char *)m->msg_control + m->msg_controllen);

	c->cmsg_level = SOL_UET;
	c->cmsg_type = type;
	c->cmsg_len = CMSG_LEN(len);
	memcpy(CMSG_DATA(c), v, len);
	m->msg_controllen += CMSG_SPACE(len);
	return c;
}

/* A write, in @mode if that is not 0 */
static ssize_t write_to(int fd, uint16_t pid, uint64_t key, uint64_t offset,
			size_t len, int mode, int flags)
{
	struct uet_write w = { .key = key, .offset = offset };
	struct sockaddr_uet to;
	char control[256];
	struct iovec iov = { data, len };
	struct msghdr m = {
		.msg_name = &to, .msg_namelen = sizeof(to),
		.msg_iov = &iov, .msg_iovlen = 1, .msg_control = control,
	};

	memset(control, 0, sizeof(control));
	uet_addr(&to, here, 0, pid, 0);
	put(&m, UET_CMSG_WRITE, &w, sizeof(w));
	if (mode)
		put(&m, UET_CMSG_DELIVERY, &mode, sizeof(mode));
	return sendmsg(fd, &m, flags);
}

static int window(int fd, uint64_t key, uint64_t length)
{
	struct uet_window w = { .key = key, .length = length };

	return setsockopt(fd, SOL_UET, UET_WINDOW, &w, sizeof(w));
}

/* Does a write end with this errno, by this SES code? 0: it succeeds */
static bool ends(int fd, int error, int code)
{
	struct uet_report rep;

	if (!next_report(fd, &rep, NULL, 20000)) {
		note("no report");
		return false;
	}
	note("type %d, error %d, source %d, code %#x", rep.type, rep.error,
	     rep.source, rep.code);
	return rep.error == (unsigned int)error &&
	       (code < 0 || rep.code == code) &&
	       rep.type == (error ? UET_REPORT_FAILED : UET_REPORT_DELIVERED);
}

static int make_writer(int fd)
{
	int on = 1, mode = UET_RUDI;

	setsockopt(fd, SOL_UET, UET_NOTIFY, &on, sizeof(on));
	setsockopt(fd, SOL_UET, UET_DELIVERY, &mode, sizeof(mode));
	return fd;
}

static int writer(uint16_t pid)
{
	return make_writer(bound_sock(SOCK_RDM, pid));
}

static void test_options(void)
{
	int fd = open_sock(SOCK_RDM), mode = UET_RUDI;
	struct uet_window w = {};
	socklen_t len = sizeof(w);

	EXPECT_ERR(window(fd, 0x1234, 10), EINVAL, "a key without the bit");
	EXPECT_ERR(window(fd, KEY, 0), EINVAL, "a key of no window");
	EXPECT_ERR(setsockopt(fd, SOL_UET, UET_WINDOW, &w, 8), EINVAL,
		   "half of an option");
	result(!window(fd, KEY, SIZE) &&
	       !getsockopt(fd, SOL_UET, UET_WINDOW, &w, &len) &&
	       len == sizeof(w) && w.key == KEY && w.length == SIZE,
	       "a window can be asked for");
	result(!window(fd, 0, 0) &&
	       !getsockopt(fd, SOL_UET, UET_WINDOW, &w, &len) && !w.key &&
	       !w.length, "... and ended");
	result(!setsockopt(fd, SOL_UET, UET_DELIVERY, &mode, sizeof(mode)),
	       "a socket that writes");
	EXPECT_ERR(send_to(fd, "x", 1, 900), EOPNOTSUPP,
		   "what is no write in this mode");
	EXPECT_ERR(write_to(fd, 900, KEY, 0, 1, UET_RUD, 0), EOPNOTSUPP,
		   "a write in another mode");
	EXPECT_ERR(write_to(fd, 900, 0x1234, 0, 1, 0, 0), EINVAL,
		   "a write with a key without the bit");
	EXPECT_ERR(write_to(fd, 900, KEY, UINT64_MAX, 2, 0, 0), ERANGE,
		   "a write beyond the end of numbers");
	EXPECT_ERR(write_to(fd, 900, KEY, 0, 1, 0, MSG_MORE), EOPNOTSUPP,
		   "a write in parts");
	close(fd);
}

static void test_basics(int type)
{
	int a = writer(901), b = bound_sock(type, 902), named;
	static struct got g;
	struct uet_report rep;

	window(b, KEY, SIZE);
	strcpy(data, "window");
	result(write_to(a, 902, KEY, 77, 7, 0, 0) == 7 &&
	       get(b, &g, sizeof(g.buf), 0) == 7 && !strcmp(g.buf, "window") &&
	       g.has_write && g.write.key == KEY && g.write.offset == 77 &&
	       g.info.delivery == UET_RUDI && g.info.length == 7 &&
	       g.flags & MSG_EOR, "a write arrives with its place");
	result(ends(a, 0, -1), "... and its sender hears of that");
	result(!write_to(a, 902, KEY, SIZE, 0, 0, 0) && !get(b, &g, 64, 0) &&
	       g.has_write && g.write.offset == SIZE && ends(a, 0, -1),
	       "an empty one");
	write_to(a, 902, KEY, 100, 7, 0, 0);
	result(get(b, &g, 3, MSG_PEEK) == 3 && get(b, &g, 3, 0) == 3 &&
	       g.write.offset == 100 && !(g.flags & (MSG_TRUNC | MSG_EOR)) &&
	       get(b, &g, 64, 0) == 4 && g.write.offset == 103 &&
	       g.flags & MSG_EOR, "the rest of it has its own place");
	ends(a, 0, -1);
	named = UET_NOTIFY_NAMED;
	setsockopt(a, SOL_UET, UET_NOTIFY, &named, sizeof(named));
	result(write_to(a, 902, KEY, 0, 7, 0, 0) == 7 && get(b, &g, 64, 0) == 7 &&
	       !next_report(a, &rep, NULL, 300), "one without a cookie is not reported");
	named = UET_NOTIFY_ALL;
	setsockopt(a, SOL_UET, UET_NOTIFY, &named, sizeof(named));
	write_to(a, 902, KEY, 0, 7, 0, 0);
	window(b, 0, 0);
	ends(a, 0, -1);
	result(get(b, &g, 64, MSG_DONTWAIT) == 7,
	       "what has arrived stays when the window ends");
	close(a);
	close(b);
}

/* All of a long write arrives, each byte at its place. */
static void test_long(void)
{
	static char want[sizeof(data)], is[sizeof(data)];
	int a = writer(903), b = bound_sock(SOCK_RDM, 904);
	static struct got g;
	unsigned int missing = sizeof(data), parts = 0;
	bool same = true;
	ssize_t n;

	window(b, KEY, SIZE);
	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = i * 2654435761U >> 13;
	memcpy(want, data, sizeof(want));
	memset(is, 0, sizeof(is));
	result(write_to(a, 904, KEY, 5000, sizeof(data), 0, 0) == sizeof(data),
	       "a long write");
	while (missing && (n = get(b, &g, sizeof(g.buf), 0)) > 0) {
		if (g.write.offset < 5000 ||
		    g.write.offset + n > 5000 + sizeof(data))
			break;
		memcpy(is + g.write.offset - 5000, g.buf, n);
		parts++;
		/* On loopback nothing is lost. */
		missing -= n < (ssize_t)missing ? n : (ssize_t)missing;
	}
	note("%u parts, %u bytes are missing", parts, missing);
	result(!memcmp(is, want, sizeof(is)), "... has all its bytes");
	result(ends(a, 0, -1), "... and is reported once");
	/* A part whose answer was late comes again. */
	while (readable(b, 50) && (n = get(b, &g, sizeof(g.buf), 0)) > 0)
		same &= g.write.offset >= 5000 &&
			g.write.offset + n <= 5000 + sizeof(data) &&
			!memcmp(want + g.write.offset - 5000, g.buf, n);
	result(same, "... and is all there is");
	close(a);
	close(b);
}

static void test_refused(void)
{
	int a = writer(905), b = bound_sock(SOCK_RDM, 906);
	int c = bound_sock(SOCK_RDM, 907);
	uint32_t max = 10;

	window(b, KEY, SIZE);
	write_to(a, 906, KEY + 1, 0, 5, 0, 0);
	result(ends(a, EACCES, 0x1c), "another key: BAD_MKEY");
	write_to(a, 907, KEY, 0, 5, 0, 0);
	result(ends(a, EACCES, 0x1c), "a socket without a window: BAD_MKEY");
	write_to(a, 906, KEY, SIZE - 4, 5, 0, 0);
	result(ends(a, ERANGE, 0x1d), "beyond the end: BAD_ADDR");
	write_to(a, 906, KEY, UINT64_MAX - 5, 5, 0, 0);
	result(ends(a, ERANGE, 0x1d), "far beyond the end: BAD_ADDR");
	write_to(a, NOBODY, KEY, 0, 5, 0, 0);
	result(ends(a, ECONNREFUSED, 0x1a), "a process that is not there: BAD_PID");
	setsockopt(b, SOL_UET, UET_MAX_MSG, &max, sizeof(max));
	write_to(a, 906, KEY, 0, 11, 0, 0);
	result(ends(a, EMSGSIZE, 0x22), "longer than the socket takes: TOO_LONG");
	result(!readable(b, 50) && !readable(c, 50), "nothing of them arrives");
	write_to(a, 906, KEY, SIZE - 5, 5, 0, 0);
	result(ends(a, 0, -1), "up to the end");
	close(a);
	close(b);
	close(c);
}

/* Who reads nothing makes the sender wait; nothing is lost. */
static void test_full(void)
{
	int a = writer(908), b = bound_sock(SOCK_RDM, 909), small = 20000, n, got = 0;
	struct pollfd p = { .fd = a, .events = POLLOUT };
	struct uet_report rep;
	static struct got g;
	int queued, done = 0;

	window(b, KEY, SIZE);
	setsockopt(b, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
	small = 100000;
	setsockopt(a, SOL_SOCKET, SO_SNDBUF, &small, sizeof(small));
	for (n = 0; n < 10000; n++)
		if (write_to(a, 909, KEY, n, 1000, 0, MSG_DONTWAIT) != 1000)
			break;
	result(n > 10 && n < 10000 && errno == EAGAIN,
	       "a sender that does not wait is told");
	result(!poll(&p, 1, 100) || !(p.revents & POLLOUT),
	       "... and poll() says the same");
	note("%d writes", n);
	for (int i = 0; i < 100000 && done < n; i++) {
		while (get(b, &g, sizeof(g.buf), MSG_DONTWAIT) >= 0)
			got++;
		while (next_report(a, &rep, NULL, 1)) {
			if (rep.error)
				break;
			done += rep.cookie_last - rep.cookie + 1;
		}
	}
	while (get(b, &g, sizeof(g.buf), MSG_DONTWAIT) >= 0)
		got++;
	note("%d arrived, %d reported", got, done);
	result(done == n && got >= n, "all arrive once there is room");
	result(poll(&p, 1, 1000) == 1 && p.revents & POLLOUT,
	       "... and the sender may go on");
	EXPECT_ERR(write_to(a, 909, KEY, 0, 90000, 0, MSG_DONTWAIT), EMSGSIZE,
		   "what could never be sent without waiting");
	result(!ioctl(a, SIOCOUTQ, &queued) && !queued, "nothing is queued");
	close(a);
	close(b);
}

static void test_ends(void)
{
	int a = writer(910), b = bound_sock(SOCK_RDM, 911), small = 5000;
	uint32_t timeout = 300;
	uint64_t cookie;

	/* A full buffer: what follows is held. */
	window(b, KEY, SIZE);
	setsockopt(b, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
	for (int i = 0; i < 20; i++)
		write_to(a, 911, KEY, 0, 1000, 0, 0);
	while (ends(a, 0, -1) && readable(a, 300))
		;
	setsockopt(a, SOL_UET, UET_SEND_TIMEOUT, &timeout, sizeof(timeout));
	write_to(a, 911, KEY, 0, 1000, 0, 0);
	result(ends(a, ETIMEDOUT, 0), "a lifetime ends");
	cookie = 5;
	result(!setsockopt(a, SOL_UET, UET_CANCEL, &cookie, sizeof(cookie)) ||
	       errno == ENOENT, "a cookie can be cancelled");
	cookie = 19;
	result(!setsockopt(a, SOL_UET, UET_CANCEL, &cookie, sizeof(cookie)) &&
	       ends(a, ECANCELED, 0), "a write that waits is cancelled");
	EXPECT_ERR(setsockopt(a, SOL_UET, UET_CANCEL, &cookie, sizeof(cookie)),
		   ENOENT, "... once");
	close(b);
	result(ends(a, ECONNREFUSED, 0x1a), "others end with the endpoint");
	close(a);
}

/* A closed socket's writes go on; with SO_LINGER 0 they do not. */
static void test_close(void)
{
	int a = writer(912), b = bound_sock(SOCK_RDM, 913), small = 5000, n = 0;
	struct linger l = { .l_onoff = 1, .l_linger = 20 };
	static struct got g;

	window(b, KEY, SIZE);
	setsockopt(b, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
	for (int i = 0; i < 30; i++)
		write_to(a, 913, KEY, i, 1000, 0, 0);
	close(a);
	for (int i = 0; i < 300 && n < 30; i++)
		if (readable(b, 100) && get(b, &g, sizeof(g.buf), 0) == 1000)
			n++;
	note("%d of 30", n);
	result(n >= 30, "writes outlive their socket");
	while (readable(b, 300))
		get(b, &g, sizeof(g.buf), 0);
	a = writer(912);
	setsockopt(a, SOL_SOCKET, SO_LINGER, &l, sizeof(l));
	write_to(a, 913, KEY, 0, 1000, 0, 0);
	close(a);
	result(readable(b, 0), "close() waits for them");
	while (readable(b, 300))
		get(b, &g, sizeof(g.buf), 0);
	a = writer(912);
	l.l_linger = 0;
	setsockopt(a, SOL_SOCKET, SO_LINGER, &l, sizeof(l));
	for (int i = 0; i < 30; i++)
		write_to(a, 913, KEY, i, 1000, 0, 0);
	close(a);
	for (n = 0; readable(b, 500) && n < 30;)
		if (get(b, &g, sizeof(g.buf), 0) == 1000)
			n++;
	note("%d of 30", n);
	result(n < 30, "... or withdraws them");
	close(b);
}

static int write_lines(uint16_t pid, uint64_t key, const char *from)
{
	int fd = make_writer(open_sock(SOCK_RDM));
	const char *there = here;
	struct uet_report rep;

	if (from) {
		here = from;
		if (bind_pid(fd, 0))
			die("bind");
		here = there;
	}
	while (fgets(data, sizeof(data), stdin)) {
		if (write_to(fd, pid, key, 0, strlen(data), 0, 0) < 0)
			rep.error = errno;
		else if (!next_report(fd, &rep, NULL, -1))
			die("no report");
		printf("%s\n", strerrorname_np(rep.error));
		fflush(stdout);
	}
	return 0;
}

static int write_always(uint16_t pid, uint64_t key, int seconds)
{
	int fd = make_writer(open_sock(SOCK_RDM));
	time_t end = time(NULL) + seconds;
	struct uet_report rep;
	long failed = 0;

	while (time(NULL) < end) {
		write_to(fd, pid, key, 0, 1, 0, MSG_DONTWAIT);
		while (next_report(fd, &rep, NULL, 0)) {
			if (!rep.error) {
				printf("one arrives after %ld failed\n", failed);
				return 0;
			}
			failed++;
		}
	}
	printf("%ld failed\n", failed);
	return 1;
}

int main(int argc, char **argv)
{
	uint64_t key;

	if (argc != 2 && (argc < 4 || argc > 6))
		die("usage: uet_write ADDR [PID KEY [FROM [SECONDS]]]");
	here = argv[1];
	if (argc >= 4) {
		key = UET_KEY_IDEMPOTENT | strtoull(argv[3], NULL, 10);
		if (argc == 6)
			return write_always(atoi(argv[2]), key, atoi(argv[5]));
		return write_lines(atoi(argv[2]), key, argv[4]);
	}
	ktap_begin();
	test_options();
	test_basics(SOCK_RDM);
	test_basics(SOCK_DGRAM);
	test_long();
	test_refused();
	test_full();
	test_ends();
	test_close();
	return ktap_finish();
}
