// SPDX-License-Identifier: GPL-2.0
/*
 * Messages that several calls put together (MSG_MORE), splice() and sendfile() to a
 * socket, and splice() from one.
 *
 *   uet_splice ADDR			cases; messages travel from the host to itself
 *   uet_splice send ADDR/PID N LEN	N messages from files, for uet_recv or the next
 *   uet_splice recv ADDR/PID N LEN	reads them by way of a pipe
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/sockios.h>

#include "sock_util.h"

/* Longest wait for what should come at once, ms */
#define SOON	30000
/* What does not come in this time, ms, is not on its way */
#define NEVER	300

#define LONG	(4 << 20)

static char data[LONG], got[LONG + 1];

/* A file of data[] */
static int data_file(size_t len)
{
	int fd = memfd_create("uet", 0);

	if (fd < 0 || write(fd, data, len) != (ssize_t)len)
		die("file: %s", strerror(errno));
	return fd;
}

static void connect_to(int fd, uint16_t pid)
{
	struct sockaddr_uet to;

	uet_addr(&to, here, 0, pid, 0);
	if (connect(fd, (struct sockaddr *)&to, sizeof(to)))
		die("connect: %s", strerror(errno));
}

/* An ordered socket connected to @pid */
static int sender(uint16_t own, uint16_t pid)
{
	int fd = bound_sock(SOCK_SEQPACKET, own);

	connect_to(fd, pid);
	return fd;
}

static void set_buf(int fd, int opt, int val)
{
	if (setsockopt(fd, SOL_SOCKET, opt, &val, sizeof(val)))
		die("option %d: %s", opt, strerror(errno));
}

/* The next message is this */
static bool arrives(int fd, const void *want, size_t len)
{
	int flags;
	ssize_t n = recv_flags(fd, got, sizeof(got), MSG_WAITALL, &flags);

	return n == (ssize_t)len && !memcmp(got, want, len) && flags & MSG_EOR;
}

static int outstanding(int fd)
{
	int n = -1;

	ioctl(fd, SIOCOUTQ, &n);
	return n;
}

static bool drained(int fd)
{
	for (int i = 0; i < SOON / 20 && outstanding(fd); i++)
		usleep(20000);
	return !outstanding(fd);
}

static ssize_t send_file(int fd, int file, off_t off, size_t len)
{
	return sendfile(fd, file, &off, len);
}

/* Linux before 6.5 does not tell a socket that its file ended early */
static bool tells_eof(void)
{
	struct utsname u;
	int major, minor;

	uname(&u);
	return sscanf(u.release, "%d.%d", &major, &minor) == 2 &&
	       (major > 6 || (major == 6 && minor >= 5));
}

/* --- MSG_MORE ---------------------------------------------------------------- */

static void test_more(void)
{
	int a = sender(750, 751), b = bound_sock(SOCK_SEQPACKET, 751);
	struct sockaddr_uet to;
	unsigned int bad = 0;

	result(send(a, data, 3, MSG_MORE) == 3 && !readable(b, NEVER),
	       "the first part waits");
	result(send(a, data + 3, 600, MSG_MORE) == 600 && !readable(b, NEVER),
	       "the second too");
	result(send(a, data + 603, 5, 0) == 5 && arrives(b, data, 608),
	       "the last sends all as one message");
	result(send(a, data, 100, MSG_MORE) == 100 && !send(a, data, 0, 0) &&
	       arrives(b, data, 100), "an empty one ends it as well");
	result(!send(a, data, 0, MSG_MORE) && !send(a, data, 0, 0) && arrives(b, data, 0),
	       "nothing and nothing is an empty message");

	for (int i = 0; i < 3000; i++)
		bad += send(a, data + i, 1, MSG_MORE) != 1;
	result(!bad && send(a, data + 3000, 40000, 0) == 40000 && arrives(b, data, 43000),
	       "byte by byte");
	/* Other messages between the parts, so that these lie apart */
	uet_addr(&to, here, 0, 751, 0);
	for (int i = 0; i < 200; i++) {
		int c = sender(0, 751);

		bad += send(a, data + i * 40, 40, MSG_MORE) != 40 ||
		       send(c, data + i, 1000, 0) != 1000 || !arrives(b, data + i, 1000);
		close(c);
	}
	result(!bad && !send(a, NULL, 0, 0) && arrives(b, data, 8000), "in 200 places");
	result(drained(a), "the buffer is empty again");
	close(a);
	close(b);
}

static ssize_t begin(int fd, const struct sockaddr_uet *to, uint64_t tag, int type)
{
	char control[CMSG_SPACE(8)] = "";
	struct msghdr msg = {
		.msg_name = (void *)to, .msg_namelen = sizeof(*to), .msg_control = control,
	};

	libuet_add_cmsg(&msg, sizeof(control), type, &tag, sizeof(tag));
	return sendmsg(fd, &msg, MSG_MORE);
}

static void test_address(void)
{
	int a = bound_sock(SOCK_RDM, 752), b = bound_sock(SOCK_RDM, 753);
	int file = data_file(70000);
	struct sockaddr_uet to, other;
	char control[256];
	struct iovec iov = { got, sizeof(got) };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control),
	};
	uint64_t tag = 0;

	uet_addr(&to, here, 0, 753, 0);
	uet_addr(&other, here, 0, 754, 0);
	EXPECT_ERR(send_file(a, file, 0, 70000), EDESTADDRREQ, "sendfile to nobody");
	result(!begin(a, &to, 77, UET_CMSG_TAG), "address and tag alone");
	EXPECT_ERR(sendto(a, data, 5, 0, (struct sockaddr *)&other, sizeof(other)), EINVAL,
		   "another address");
	EXPECT_ERR(begin(a, &to, 78, UET_CMSG_TAG), EINVAL, "another tag");
	result(sendto(a, data, 5, MSG_MORE, (struct sockaddr *)&to, sizeof(to)) == 5,
	       "the same address");
	result(send_file(a, file, 5, 69995) == 69995, "and a file");
	result(recvmsg(b, &msg, MSG_WAITALL) == 70000 && !memcmp(got, data, 70000) &&
	       libuet_get_cmsg(&msg, UET_CMSG_TAG, &tag, sizeof(tag)) && tag == 77,
	       "arrive as one message with the tag");
	close(a);
	close(b);
	close(file);
}

static void test_limits(void)
{
	int a = sender(755, 756), b = bound_sock(SOCK_SEQPACKET, 756), n = 0;
	struct pollfd pfd = { .fd = a, .events = POLLOUT };
	int file = data_file(LONG);
	struct uet_report rep;
	struct sockaddr_uet peer;
	uint64_t cookie = 4711;
	char *hole;
	ssize_t ret;

	set_buf(a, SO_SNDBUF, 100000);
	while (send(a, data + n, 1000, MSG_MORE) == 1000)
		n += 1000;
	result(errno == EMSGSIZE && n > 150000 && n <= 200000,
	       "SO_SNDBUF is the limit (%d)", n);
	result(poll(&pfd, 1, NEVER) == 1, "which poll() does not wait for");
	result(!readable(b, NEVER) && !send(a, NULL, 0, 0) && arrives(b, data, n),
	       "what was taken goes on");

	hole = mmap(NULL, 16384, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memcpy(hole, data + 10, 8192);
	munmap(hole + 8192, 8192);
	result(send(a, data, 10, MSG_MORE) == 10, "a part");
	EXPECT_ERR(send(a, hole, 16384, 0), EFAULT, "one that cannot be read");
	result(send(a, hole, 8192, 0) == 8192 && arrives(b, data, 8202),
	       "adds nothing and ends nothing");
	munmap(hole, 8192);

	/* Too long a file: some of it is taken, then it is refused. */
	uet_addr(&peer, here, 0, 756, 0);
	result(!begin(a, &peer, cookie, UET_CMSG_COOKIE), "a message");
	ret = send_file(a, file, 0, LONG);
	result(ret > 65536 && ret < 200000, "takes what fits of a file (%zd)", ret);
	EXPECT_ERR(send_file(a, file, ret, LONG - ret), EMSGSIZE, "the rest");
	result(outstanding(a) == ret, "it counts in the buffer");
	result(!setsockopt(a, SOL_UET, UET_CANCEL, &cookie, sizeof(cookie)), "cancelled");
	result(next_report(a, &rep, &peer, SOON) && rep.error == ECANCELED &&
	       rep.cookie == cookie && rep.length == ret, "that is reported");
	result(!outstanding(a) && !readable(b, NEVER), "and nothing is left");
	result(send(a, data, 9, 0) == 9 && arrives(b, data, 9), "the next message is another");
	close(a);
	close(b);
	close(file);
}

/* What fails when it is complete is reported: earlier calls said that it was taken */
static void test_late(void)
{
	int a = bound_sock(SOCK_RDM, 757), file = data_file(200000);
	struct uet_report rep;
	struct sockaddr_uet to;

	uet_addr(&to, strchr(here, ':') ? "2001:db8::1" : "203.0.113.1", 0, 758, 0);
	EXPECT_ERR(sendto(a, data, 5, 0, (struct sockaddr *)&to, sizeof(to)), ENETUNREACH,
		   "no route, in one call");
	if (connect(a, (struct sockaddr *)&to, sizeof(to)))
		die("connect: %s", strerror(errno));
	EXPECT_ERR(send_file(a, file, 0, 1000), ENETUNREACH, "a short file");
	result(send_file(a, file, 0, 200000) == 200000, "a long one is taken");
	result(next_report(a, &rep, &to, SOON) && rep.error == ENETUNREACH &&
	       rep.length == 200000 && rep.type == UET_REPORT_FAILED,
	       "and reported as failed");
	result(!outstanding(a), "nothing is left");
	close(a);
	close(file);
}

/* --- files and pipes ---------------------------------------------------------- */

static void test_files(void)
{
	static const size_t lens[] = {
		1, 512, 513, 2047, 2048, 4095, 4096, 4097, 16384, 65535, 65536, 65537,
		100001, 1 << 20, 3000001,
	};
	int a = sender(760, 761), b = bound_sock(SOCK_SEQPACKET, 761);
	int file = data_file(LONG);
	unsigned int n = 0, bad = 0;

	for (size_t i = 0; i < sizeof(lens) / sizeof(lens[0]); i++)
		for (int off = 0; off < 4096; off += 1365, n++)
			bad += send_file(a, file, off, lens[i]) != (ssize_t)lens[i] ||
			       !arrives(b, data + off, lens[i]);
	result(!bad, "%u files of all lengths, from anywhere, each a message", n);
	result(send(a, data, 100, MSG_MORE) == 100 &&
	       send_file(a, file, 100, 300000) == 300000 && arrives(b, data, 300100),
	       "a header and a file are one");
	result(send_file(a, file, LONG - 70000, 1 << 20) == 70000 &&
	       (tells_eof() || !send(a, NULL, 0, 0)) &&
	       arrives(b, data + LONG - 70000, 70000), "a file that ends early");
	result(!send_file(a, file, LONG, 5) && send(a, data, 7, 0) == 7 &&
	       arrives(b, data, 7), "at its end there is no message");
	result(drained(a), "the buffer is empty again");
	close(a);
	close(b);
	close(file);
}

/* What changes meanwhile may be seen, and nothing else */
static void test_changed(void)
{
	int a = sender(762, 763), b = bound_sock(SOCK_SEQPACKET, 763);
	int file = data_file(300000), other = data_file(300000);
	static char ones[300000];
	unsigned int bad = 0;
	ssize_t n;

	set_buf(b, SO_RCVBUF, 66000);
	if (send_file(a, file, 0, 300000) != 300000 ||
	    send_file(a, other, 0, 300000) != 300000)
		die("sendfile: %s", strerror(errno));
	memset(ones, 1, sizeof(ones));
	if (pwrite(file, ones, sizeof(ones), 0) != sizeof(ones) || ftruncate(other, 0))
		die("file: %s", strerror(errno));
	close(file);
	close(other);
	n = recv(b, got, sizeof(got), MSG_WAITALL);
	for (ssize_t i = 0; i < n; i++)
		bad += got[i] != data[i] && got[i] != 1;
	result(n == 300000 && !bad, "a file that is written to arrives, old or new");
	n = recv(b, got, sizeof(got), MSG_WAITALL);
	for (ssize_t i = 0; i < n; i++)
		bad += got[i] != data[i] && got[i];
	result(n == 300000 && !bad, "so does one that was truncated");
	close(a);
	close(b);
}

static void fill_pipe(int fd, size_t off, size_t len)
{
	if (write(fd, data + off, len) != (ssize_t)len)
		die("pipe: %s", strerror(errno));
}

static void test_pipes(void)
{
	int a = sender(764, 765), b = bound_sock(SOCK_SEQPACKET, 765), p[2];
	struct iovec iov[16];

	if (pipe(p) || fcntl(p[1], F_SETPIPE_SZ, 1 << 20) < 0)
		die("pipe: %s", strerror(errno));
	fill_pipe(p[1], 0, 10);
	result(splice(p[0], NULL, a, NULL, 1000, 0) == 10 && arrives(b, data, 10),
	       "a message is what is in the pipe");
	fill_pipe(p[1], 0, 10);
	result(splice(p[0], NULL, a, NULL, 4, 0) == 4 &&
	       splice(p[0], NULL, a, NULL, 6, 0) == 6 && arrives(b, data, 4) &&
	       arrives(b, data + 4, 6), "or a part of it");
	fill_pipe(p[1], 0, 10);
	result(splice(p[0], NULL, a, NULL, 4, SPLICE_F_MORE) == 4 && !readable(b, NEVER) &&
	       splice(p[0], NULL, a, NULL, 6, 0) == 6 && arrives(b, data, 10),
	       "SPLICE_F_MORE joins them");
	fill_pipe(p[1], 0, 900000);
	result(splice(p[0], NULL, a, NULL, 900000, 0) == 900000 && arrives(b, data, 900000),
	       "more than the kernel takes in a step");
	for (int i = 0; i < 16; i++)
		iov[i] = (struct iovec){ data + 3000 * i, i % 4 ? 3000 : 100 };
	result(vmsplice(p[1], iov, 16, 0) == 12 * 3000 + 400 &&
	       splice(p[0], NULL, a, NULL, 36400, 0) == 36400, "pages of a process");
	for (int i = 0, at = 0; i < 16; at += iov[i++].iov_len)
		memcpy(got + LONG / 2 + at, iov[i].iov_base, iov[i].iov_len);
	result(arrives(b, got + LONG / 2, 36400), "in pieces, long and short");
	for (int i = 0; i < 16; i++)
		iov[i] = (struct iovec){ data + 5000 * i, 1 };
	result(vmsplice(p[1], iov, 16, 0) == 16 &&
	       splice(p[0], NULL, a, NULL, 16, 0) == 16, "bytes");
	for (int i = 0; i < 16; i++)
		got[LONG / 2 + i] = data[5000 * i];
	result(arrives(b, got + LONG / 2, 16), "arrive");
	close(p[0]);
	close(p[1]);
	close(a);
	close(b);
}

/* --- waiting ------------------------------------------------------------------ */

/* Fill a buffer for a reader who does not read; returns the number of messages */
static int fill(int fd)
{
	int n = 0;

	while (send(fd, data, 50000, MSG_DONTWAIT) == 50000)
		n++;
	return n;
}

/* ... to the last byte: Linux 6.1 passes files on page by page. Room may come late. */
static int fill_up(int fd)
{
	int n = 0;

	for (int i = 0; i < 5; i++, usleep(50000))
		while (send(fd, data, 1, MSG_DONTWAIT) == 1)
			n++;
	return n;
}

static bool empty(int fd, int n)
{
	while (n--)
		if (!arrives(fd, data, 50000))
			return false;
	return true;
}

static void test_room(void)
{
	int a = sender(766, 767), b = bound_sock(SOCK_SEQPACKET, 767), n, waits = 0;
	struct pollfd pfd = { .fd = a, .events = POLLOUT };
	int file = data_file(LONG);
	size_t done = 0;
	ssize_t ret;
	pid_t pid;
	int more;
	bool ok;

	set_buf(a, SO_SNDBUF, 200000);
	set_buf(b, SO_RCVBUF, 66000);
	n = fill(a);
	result(n > 4 && errno == EAGAIN, "a full buffer (%d)", n);
	more = fill_up(a);
	EXPECT_ERR(send(a, data, 50000, MSG_MORE | MSG_DONTWAIT), EAGAIN, "a part");
	fcntl(a, F_SETFL, O_NONBLOCK);
	EXPECT_ERR(send_file(a, file, 0, 350000), EAGAIN, "a file");
	ok = empty(b, n);
	while (ok && more--)
		ok = arrives(b, data, 1);
	result(ok, "a reader");
	n = fill(a);
	result(n > 2 && empty(b, 2), "and some room");
	for (n -= 2; done < 350000; waits++) {
		ret = send_file(a, file, done, 350000 - done);
		if (ret > 0) {
			done += ret;
			continue;
		}
		if (errno != EAGAIN || (n && !arrives(b, data, 50000)))
			break;
		n -= n > 0;
		if (!n && poll(&pfd, 1, SOON) != 1)
			break;
	}
	result(done == 350000 && empty(b, n) && arrives(b, data, 350000),
	       "it goes on when there is room");
	note("in %d calls", waits);
	fcntl(a, F_SETFL, 0);

	n = fill(a);
	pid = fork();
	if (!pid)
		_exit(send_file(a, file, 0, 350000) == 350000 ? 0 : 1);
	usleep(100000);
	result(empty(b, n) && arrives(b, data, 350000), "who may wait waits");
	waitpid(pid, &n, 0);
	result(WIFEXITED(n) && !WEXITSTATUS(n), "and is done");
	close(a);
	close(b);
	close(file);
}

/* --- ends --------------------------------------------------------------------- */

static void test_ends(void)
{
	int a = sender(768, 769), b = bound_sock(SOCK_SEQPACKET, 769), pipes[2];
	int file = data_file(200000);
	char ready;
	pid_t pid;

	result(send_file(a, file, 0, 100000) == 100000 &&
	       send(a, data, 70000, MSG_MORE) == 70000 && !shutdown(a, SHUT_WR),
	       "shut down");
	signal(SIGPIPE, SIG_IGN);
	EXPECT_ERR(send(a, data, 5, 0), EPIPE, "the next part");
	EXPECT_ERR(send_file(a, file, 0, 100), EPIPE, "the next file");
	result(arrives(b, data, 100000) && !readable(b, NEVER) && drained(a),
	       "what was not complete is dropped");
	close(a);
	a = sender(768, 769);
	result(send(a, data, 70000, MSG_MORE) == 70000 && !close(a) && !readable(b, NEVER),
	       "so it is at close");
	if (pipe(pipes))
		die("pipe");
	pid = fork();
	if (!pid) {
		a = sender(768, 769);
		if (send(a, data, 10, MSG_MORE) != 10 ||
		    send_file(a, file, 0, 150000) != 150000 ||
		    send(a, data, 10, MSG_MORE) != 10 || write(pipes[1], "x", 1) != 1)
			_exit(1);
		pause();
	}
	if (read(pipes[0], &ready, 1) != 1)
		die("child");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	memcpy(got + LONG / 2, data, 10);
	memcpy(got + LONG / 2 + 10, data, 150000);
	result(arrives(b, got + LONG / 2, 150010) && !readable(b, NEVER),
	       "and when a process dies");
	close(pipes[0]);
	close(pipes[1]);
	close(b);
	close(file);
}

/* --- threads ------------------------------------------------------------------ */

#define THREADS		3
#define PER_THREAD	400

static int shared_fd, shared_file;

/* Parts, files and options of all at once; what becomes a message is up to chance. */
static void *talker(void *arg)
{
	unsigned int seed = (long)arg;
	uint64_t cookie = 999;
	size_t sent = 0;
	ssize_t n;

	for (int i = 0; i < PER_THREAD; i++) {
		int len = 1 + rand_r(&seed) % 5000;

		switch (rand_r(&seed) % 4) {
		case 0:
			n = send(shared_fd, data, len, MSG_MORE);
			break;
		case 1:
			n = send(shared_fd, data, len, 0);
			break;
		case 2:
			n = send_file(shared_fd, shared_file, 0, len);
			break;
		default:
			n = 0;
			setsockopt(shared_fd, SOL_UET, UET_CANCEL, &cookie, sizeof(cookie));
		}
		if (n < 0)
			return (void *)-1L;
		sent += n;
	}
	return (void *)sent;
}

static void test_threads(void)
{
	int b = bound_sock(SOCK_SEQPACKET, 771), file = data_file(5000);
	size_t sent = 0, came = 0;
	pthread_t t[THREADS];
	bool ok = true;
	ssize_t n;

	shared_fd = sender(770, 771);
	shared_file = file;
	for (long i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, talker, (void *)i);
	for (int i = 0; i < THREADS; i++) {
		void *ret;

		pthread_join(t[i], &ret);
		ok = ok && ret != (void *)-1L;
		sent += (size_t)ret;
	}
	send(shared_fd, NULL, 0, 0);
	while (came < sent && (n = recv(b, got, sizeof(got), 0)) > 0)
		came += n;
	result(ok && came == sent, "threads: each byte once (%zu of %zu)", came, sent);
	close(shared_fd);
	close(b);
	close(file);
}

/* --- splice() from a socket ---------------------------------------------------- */

static ssize_t from_pipe(int fd, size_t len)
{
	size_t n = 0;

	while (n < len) {
		ssize_t ret = read(fd, got + n, len - n);

		if (ret <= 0)
			die("pipe: %s", strerror(errno));
		n += ret;
	}
	return n;
}

static bool piped(int fd, const char *want, size_t len)
{
	return from_pipe(fd, len) == (ssize_t)len && !memcmp(got, want, len);
}

static void test_read(void)
{
	int a = sender(772, 773), b = bound_sock(SOCK_SEQPACKET, 773), p[2], flags;
	struct timeval tv = { .tv_usec = 200000 };
	pid_t pid;

	if (pipe(p))
		die("pipe");
	EXPECT_ERR(splice(b, NULL, p[1], NULL, 100, SPLICE_F_NONBLOCK), EAGAIN,
		   "splice() of nothing");
	result(send(a, data, 300, 0) == 300 && send(a, data + 300, 500, 0) == 500 &&
	       !send(a, NULL, 0, 0) && send(a, data + 800, 20, 0) == 20, "messages");
	result(recv(b, NULL, 0, MSG_PEEK | MSG_TRUNC) == 300, "the length of the first");
	result(splice(b, NULL, p[1], NULL, 1 << 20, 0) == 300 && piped(p[0], data, 300),
	       "splice() takes one message");
	result(splice(b, NULL, p[1], NULL, 200, 0) == 200 && piped(p[0], data + 300, 200),
	       "or less");
	result(recv_flags(b, got, 1000, 0, &flags) == 300 && flags & MSG_EOR &&
	       !memcmp(got, data + 500, 300), "the rest is there");
	result(!splice(b, NULL, p[1], NULL, 100, 0), "an empty one gives 0");
	result(splice(b, NULL, p[1], NULL, 100, 0) == 20 && piped(p[0], data + 800, 20),
	       "and the next is another");

	setsockopt(b, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv));
	EXPECT_ERR(splice(b, NULL, p[1], NULL, 100, 0), EAGAIN, "SO_RCVTIMEO");
	tv = (struct timeval){ .tv_sec = SOON / 1000 };
	setsockopt(b, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv));
	pid = fork();
	if (!pid) {
		usleep(200000);
		_exit(send(a, data, 40, 0) != 40);
	}
	result(splice(b, NULL, p[1], NULL, 100, 0) == 40 && piped(p[0], data, 40),
	       "it waits for a message");
	waitpid(pid, NULL, 0);
	shutdown(b, SHUT_RD);
	result(!splice(b, NULL, p[1], NULL, 100, 0), "after shutdown it is 0");
	close(p[0]);
	EXPECT_ERR(splice(b, NULL, p[1], NULL, 100, 0), EPIPE, "a pipe without a reader");
	close(p[1]);
	close(a);
	close(b);
}

/* Long messages, through a pipe that is too small for them, to a file */
static void test_long(size_t len)
{
	int a = sender(774, 775), b = bound_sock(SOCK_SEQPACKET, 775), p[2];
	int file = memfd_create("uet", 0), n = 0;
	size_t done = 0;
	ssize_t ret;
	pid_t pid;

	if (pipe(p) || file < 0)
		die("pipe");
	set_buf(a, SO_SNDBUF, 200000);
	pid = fork();
	if (!pid)
		_exit(send(a, data, len, 0) != (ssize_t)len);
	while (done < len && (ret = splice(b, NULL, p[1], NULL, len, 0)) > 0) {
		if (splice(p[0], NULL, file, NULL, ret, 0) != ret)
			die("file: %s", strerror(errno));
		done += ret;
		n++;
	}
	waitpid(pid, NULL, 0);
	result(done == len && pread(file, got, len, 0) == (ssize_t)len &&
	       !memcmp(got, data, len), "a message of %zu bytes, in %d steps", len, n);
	result(!readable(b, NEVER), "of which nothing is left");
	/* What was not read goes with the socket. */
	result(send(a, data, 100000, 0) == 100000 &&
	       splice(b, NULL, p[1], NULL, 20000, 0) > 0, "a part");
	close(b);
	result(drained(a), "of a message that is dropped");
	close(p[0]);
	close(p[1]);
	close(a);
	close(file);
}

/* From one socket to another one, message by message */
static void test_relay(void)
{
	int a = sender(776, 777), b = bound_sock(SOCK_SEQPACKET, 777);
	int c = sender(778, 779), d = bound_sock(SOCK_SEQPACKET, 779), p[2];
	static const size_t lens[] = { 10, 5000, 100000, 1000000 };
	bool ok = true;

	if (pipe(p))
		die("pipe");
	for (size_t i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
		size_t left;

		if (send(a, data, lens[i], 0) != (ssize_t)lens[i])
			die("send: %s", strerror(errno));
		readable(b, SOON);
		left = recv(b, NULL, 0, MSG_PEEK | MSG_TRUNC);
		ok = ok && left == lens[i];
		while (ok && left) {
			ssize_t n = splice(b, NULL, p[1], NULL, left, 0);

			left -= n;
			ok = n > 0 && splice(p[0], NULL, c, NULL, n,
					     left ? SPLICE_F_MORE : 0) == n;
		}
		ok = ok && arrives(d, data, lens[i]);
	}
	result(ok, "messages from socket to socket");
	close(p[0]);
	close(p[1]);
	close(a);
	close(b);
	close(c);
	close(d);
}

/* --- messages between programs -------------------------------------------------- */

/* Each from a file that is closed at once, with its header in front */
static int send_many(const char *target, unsigned int n, size_t len)
{
	struct sockaddr_uet to;
	int fd, file;

	uet_endpoint(&to, target, 0);
	fd = open_sock(SOCK_RDM);
	if (connect(fd, (struct sockaddr *)&to, sizeof(to)))
		die("connect: %s", strerror(errno));
	for (unsigned int seq = 0; seq < n; seq++) {
		struct msg_hdr hdr = { UET_HDR_MAGIC, 0, seq, len };

		pattern_fill(data, len, pattern_seed(0, seq), 0);
		file = data_file(len);
		if (seq % 2) {
			if (send(fd, &hdr, sizeof(hdr), MSG_MORE) != sizeof(hdr) ||
			    send_file(fd, file, sizeof(hdr), len - sizeof(hdr)) !=
			    (ssize_t)(len - sizeof(hdr)))
				die("send: %s", strerror(errno));
		} else if (pwrite(file, &hdr, sizeof(hdr), 0) != sizeof(hdr) ||
			   send_file(fd, file, 0, len) != (ssize_t)len) {
			die("sendfile: %s", strerror(errno));
		}
		close(file);
	}
	if (!drained(fd))
		die("not all is delivered");
	return 0;
}

static int recv_many(const char *addr, unsigned int n, size_t len)
{
	struct sockaddr_uet sa;
	int fd, p[2];

	uet_endpoint(&sa, addr, 0);
	fd = open_sock(SOCK_RDM);
	if (bind(fd, (struct sockaddr *)&sa, sizeof(sa)) || pipe(p))
		die("bind: %s", strerror(errno));
	for (unsigned int i = 0; i < n; i++) {
		struct msg_hdr hdr;
		size_t left = len;

		if (!readable(fd, SOON))
			die("nothing comes after %u", i);
		if (recv(fd, &hdr, sizeof(hdr), MSG_PEEK | MSG_TRUNC) != (ssize_t)len)
			die("message %u has another length", i);
		pattern_fill(data, len, pattern_seed(0, hdr.seq), 0);
		memcpy(data, &hdr, sizeof(hdr));
		while (left) {
			ssize_t ret = splice(fd, NULL, p[1], NULL, left, 0);

			if (ret <= 0)
				die("splice: %s", strerror(errno));
			if (!piped(p[0], data + len - left, ret))
				die("message %u is not what was sent", i);
			left -= ret;
		}
	}
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 5 && parse_size(argv[4]) <= LONG && !strcmp(argv[1], "send"))
		return send_many(argv[2], atoi(argv[3]), parse_size(argv[4]));
	if (argc == 5 && parse_size(argv[4]) <= LONG && !strcmp(argv[1], "recv"))
		return recv_many(argv[2], atoi(argv[3]), parse_size(argv[4]));
	if (argc != 2)
		die("usage: uet_splice ADDR | send ADDR/PID N LEN | recv ADDR/PID N LEN");
	here = argv[1];
	for (size_t i = 0; i < LONG; i++)
		data[i] = (char)(2 + i + (i >> 8) * 7 + (i >> 16) * 3);
	ktap_begin();
	test_more();
	test_address();
	test_limits();
	test_late();
	test_files();
	test_changed();
	test_pipes();
	test_room();
	test_ends();
	test_threads();
	test_read();
	test_long(500000);
	test_long(LONG);
	test_relay();
	return ktap_finish();
}
