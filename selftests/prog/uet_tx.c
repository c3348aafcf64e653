// SPDX-License-Identifier: GPL-2.0
/*
 * What a sender meets: room in its buffer and who is told of it, messages that
 * are streamed, signals and time-outs in the middle of one, flags. Messages
 * travel from the host to itself.
 *
 *   uet_tx ADDR     an address of this host
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/errqueue.h>
#include <linux/net_tstamp.h>
#include <linux/sockios.h>

#include "sock_util.h"

/* Longest wait for what should come at once, ms */
#define SOON		30000

static char buf[1 << 20];

static void set_int(int fd, int opt, int val)
{
	if (setsockopt(fd, SOL_SOCKET, opt, &val, sizeof(val)))
		die("option %d: %s", opt, strerror(errno));
}

static void send_timeout(int fd, int ms)
{
	struct timeval tv = { ms / 1000, ms % 1000 * 1000 };

	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &tv, sizeof(tv));
}

static bool writable(int fd, int ms)
{
	struct pollfd pfd = { .fd = fd, .events = POLLOUT };

	return poll(&pfd, 1, ms) == 1 && pfd.revents & POLLOUT;
}

static void sysctl(const char *name, int val)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/sys/net/uet/%s", name);
	f = fopen(path, "w");
	if (!f || fprintf(f, "%d\n", val) < 0 || fclose(f))
		die("%s: %s", path, strerror(errno));
}

static long counter(const char *name)
{
	char key[64];
	long val = -1, n;
	FILE *f = fopen("/proc/net/uet_stat", "r");

	while (f && fscanf(f, "%63s %ld", key, &n) == 2)
		if (!strcmp(key, name))
			val = n;
	if (f)
		fclose(f);
	return val;
}

static ssize_t send_at(int fd, size_t len, uint16_t pid, int flags)
{
	struct sockaddr_uet to;

	uet_addr(&to, here, 0, pid, 0);
	return sendto(fd, buf, len, flags, (struct sockaddr *)&to, sizeof(to));
}

/* --- what a call takes ------------------------------------------------------ */

static void test_tag_zero(void)
{
	int a = bound_sock(SOCK_RDM, 600), b = bound_sock(SOCK_RDM, 601);
	char space[256], control[CMSG_SPACE(8)] = "";
	struct iovec iov = { buf, 5 };
	struct sockaddr_uet to;
	struct msghdr out = {
		.msg_name = &to, .msg_namelen = sizeof(to),
		.msg_iov = &iov, .msg_iovlen = 1, .msg_control = control,
	};
	struct msghdr in = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = space, .msg_controllen = sizeof(space),
	};
	uint64_t tag = 0;
	bool tagged;

	uet_addr(&to, here, 0, 601, 0);
	libuet_add_cmsg(&out, sizeof(control), UET_CMSG_TAG, &tag, sizeof(tag));
	result(sendmsg(a, &out, 0) == 5 && recvmsg(b, &in, 0) == 5,
	       "a message with tag 0");
	tag = 1;
	tagged = libuet_get_cmsg(&in, UET_CMSG_TAG, &tag, sizeof(tag));
	result(tagged && !tag, "it arrives with that tag");
	send_at(a, 5, 601, 0);
	in.msg_controllen = sizeof(space);
	result(recvmsg(b, &in, 0) == 5, "one without");
	tagged = libuet_get_cmsg(&in, UET_CMSG_TAG, &tag, sizeof(tag));
	result(!tagged, "it arrives without");
	close(a);
	close(b);
}

/* The kernel cuts what a call may carry to 2 GiB less a page */
static void test_too_long(void)
{
	int a = bound_sock(SOCK_RDM, 602), b = bound_sock(SOCK_RDM, 603);
	size_t most = 0x7ffff000, len = 5UL << 29;
	struct sockaddr_uet to;
	void *map;

	uet_addr(&to, here, 0, 603, 0);
	map = mmap(NULL, len, PROT_READ,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (map == MAP_FAILED) {
		skip("messages longer than a call carries", "no address space");
		goto out;
	}
	send_timeout(a, 500);
	EXPECT_ERR(sendto(a, map, len, 0, (struct sockaddr *)&to, sizeof(to)),
		   EMSGSIZE, "a message of 2.5 GiB");
	EXPECT_ERR(sendto(a, map, most, 0, (struct sockaddr *)&to, sizeof(to)),
		   EMSGSIZE, "one that may have been cut");
	EXPECT_ERR(sendto(a, map, most - 1, 0, (struct sockaddr *)&to,
			  sizeof(to)), EAGAIN, "one byte less, not read");
	munmap(map, len);
out:
	close(a);
	close(b);
}

static void test_flags(void)
{
	int a = bound_sock(SOCK_RDM, 604), b = bound_sock(SOCK_RDM, 605);
	char control[CMSG_SPACE(sizeof(uint32_t))] = "";
	struct iovec iov = { buf, 5 };
	struct sockaddr_uet to;
	struct msghdr msg = {
		.msg_name = &to, .msg_namelen = sizeof(to),
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control),
	};
	struct cmsghdr *cm = CMSG_FIRSTHDR(&msg);
	uint32_t stamp = SOF_TIMESTAMPING_TX_SOFTWARE;

	uet_addr(&to, here, 0, 605, 0);
	cm->cmsg_level = SOL_SOCKET;
	cm->cmsg_type = SO_TIMESTAMPING;
	cm->cmsg_len = CMSG_LEN(sizeof(stamp));
	memcpy(CMSG_DATA(cm), &stamp, sizeof(stamp));
	EXPECT_ERR(sendmsg(a, &msg, 0), EOPNOTSUPP,
		   "a time stamp of what is sent");
	EXPECT_ERR(send_at(a, 5, 605, MSG_OOB), EOPNOTSUPP, "MSG_OOB");
	EXPECT_ERR(recv(b, buf, 1, MSG_DONTWAIT), EAGAIN,
		   "nothing of all that arrives");
	close(a);
	close(b);
}

/* --- room ------------------------------------------------------------------- */

/* Fill what @fd may hold for an endpoint that does not read */
static int fill(int fd, uint16_t pid, size_t len)
{
	int n;

	for (n = 0; send_at(fd, len, pid, MSG_DONTWAIT) == (ssize_t)len; n++)
		;
	return n;
}

/* Until the target refuses: then it has a share of the buffer only */
static void fill_for_good(int fd, uint16_t pid, size_t len)
{
	long holds = counter("Holds");

	for (int i = 0; i < SOON / 50; i++) {
		fill(fd, pid, len);
		if (counter("Holds") > holds && !fill(fd, pid, len))
			return;
		usleep(50000);
	}
	die("the target refuses nothing");
}

static void test_poll_agrees(bool connected)
{
	int a = bound_sock(SOCK_RDM, 606), b = bound_sock(SOCK_RDM, 607);
	const char *how = connected ? "connected" : "unconnected";
	struct epoll_event ev = { .events = EPOLLOUT | EPOLLET };
	struct sockaddr_uet to;
	int ep = epoll_create1(0), lies = 0;
	uint64_t end;

	uet_addr(&to, here, 0, 607, 0);
	if (connected && connect(a, (struct sockaddr *)&to, sizeof(to)))
		die("connect: %s", strerror(errno));
	set_int(a, SO_SNDBUF, 100000);
	set_int(b, SO_RCVBUF, 20000);
	epoll_ctl(ep, EPOLL_CTL_ADD, a, &ev);
	epoll_wait(ep, &ev, 1, 0);
	fill_for_good(a, 607, 4000);
	/* Also when the target tries and refuses again and again */
	for (end = host_now_ns() + 500000000; host_now_ns() < end;) {
		if (!writable(a, 50))
			continue;
		if (send_at(a, 4000, 607, MSG_DONTWAIT) < 0)
			lies++;
	}
	result(lies <= 1, "%s: no POLLOUT before EAGAIN (%d)", how, lies);
	while (epoll_wait(ep, &ev, 1, 0) > 0)
		;
	fill(a, 607, 4000);
	while (recv(b, buf, sizeof(buf), MSG_DONTWAIT) > 0)
		;
	for (end = host_now_ns() + SOON * 1000000ULL;
	     !epoll_wait(ep, &ev, 1, 10) && host_now_ns() < end;)
		while (recv(b, buf, sizeof(buf), MSG_DONTWAIT) > 0)
			;
	result(host_now_ns() < end, "%s: an edge when there is room", how);
	result(writable(a, 1000) &&
	       send_at(a, 4000, 607, MSG_DONTWAIT) == 4000,
	       "%s: and the message goes", how);
	close(ep);
	close(a);
	close(b);
}

struct reader {
	pthread_t	thread;
	int		fd;
	size_t		got;
	size_t		want;
	useconds_t	pause;
	int		error;
};

static void *read_on(void *arg)
{
	struct reader *r = arg;
	static __thread char space[65536];
	ssize_t n;

	while (r->got < r->want) {
		n = recv(r->fd, space, sizeof(space), 0);
		if (n <= 0) {
			r->error = n ? errno : ESHUTDOWN;
			break;
		}
		r->got += n;
		if (r->pause)
			usleep(r->pause);
	}
	return NULL;
}

static void read_start(struct reader *r, int fd, size_t want, useconds_t pause)
{
	*r = (struct reader){ .fd = fd, .want = want, .pause = pause };
	if (pthread_create(&r->thread, NULL, read_on, r))
		die("thread");
}

/* One endpoint does not read; sends to another one, which does, go on */
static void test_healthy_one(void)
{
	int a = bound_sock(SOCK_RDM, 608), b = bound_sock(SOCK_RDM, 609);
	int c = bound_sock(SOCK_RDM, 610), sent = 0, polled = 0;
	uint64_t t0, longest = 0;
	struct reader r;

	set_int(a, SO_SNDBUF, 100000);
	set_int(b, SO_RCVBUF, 20000);
	send_timeout(a, 3000);
	/* All of the buffer is for the one that will not read: it is full
	 * before the first answer comes
	 */
	if (system("tc qdisc add dev lo root netem delay 50ms limit 10000"))
		die("netem");
	fill(a, 609, 4000);
	fill_for_good(a, 609, 4000);
	system("tc qdisc change dev lo root netem delay 2ms limit 10000");
	read_start(&r, c, 200 * 20000, 0);
	for (int i = 0; i < 200; i++) {
		t0 = host_now_ns();
		if (i % 2 && writable(a, 3000))
			polled++;
		sent += send_at(a, 20000, 610, 0) == 20000;
		if (host_now_ns() - t0 > longest)
			longest = host_now_ns() - t0;
		if (sent <= i || longest > 2500000000ULL)
			break;
	}
	result(sent == 200 && polled == 100 && longest < 2500000000ULL,
	       "one target refuses, another one goes on (%d, %d, %u ms)", sent,
	       polled, (unsigned int)(longest / 1000000));
	if (sent < 200)
		shutdown(c, SHUT_RD);
	pthread_join(r.thread, NULL);
	system("tc qdisc del dev lo root");
	close(a);
	close(b);
	close(c);
}

/* --- streamed messages ------------------------------------------------------ */

struct sender {
	pthread_t	thread;
	int		fd;
	uint16_t	pid;
	size_t		len;
	int		n, sent;
	int		error;
};

static void *send_on(void *arg)
{
	struct sender *s = arg;
	struct sockaddr_uet to;
	void *data = calloc(1, s->len);

	uet_addr(&to, here, 0, s->pid, 0);
	for (int i = 0; i < s->n; i++) {
		if (sendto(s->fd, data, s->len, 0, (struct sockaddr *)&to,
			   sizeof(to)) != (ssize_t)s->len) {
			s->error = errno;
			break;
		}
		s->sent++;
	}
	free(data);
	return NULL;
}

static void send_start(struct sender *s)
{
	if (pthread_create(&s->thread, NULL, send_on, s))
		die("thread");
}

/* No step of a stream is a multiple of the payload */
static void test_stream(const char *name, int type, int mtu, int sndbuf,
			struct sender *senders, int n)
{
	/* A context of its own: those that exist keep their payload */
	static int tclass = 10;
	int a, b;
	size_t all = 0;
	struct reader r;
	bool ok = true;

	sysctl("payload_mtu", mtu);
	a = bound_sock(type, 612);
	b = bound_sock(type, 613);
	tclass++;
	setsockopt(a, SOL_UET, UET_TRAFFIC_CLASS, &tclass, sizeof(tclass));
	set_int(a, SO_SNDBUF, sndbuf);
	send_timeout(a, SOON);
	for (int i = 0; i < n; i++) {
		senders[i].fd = a;
		senders[i].sent = 0;
		senders[i].pid = 613;
		all += senders[i].n * senders[i].len;
	}
	read_start(&r, b, all, 0);
	for (int i = 0; i < n; i++)
		send_start(&senders[i]);
	for (int i = 0; i < n; i++) {
		pthread_join(senders[i].thread, NULL);
		ok = ok && senders[i].sent == senders[i].n;
	}
	if (!ok)
		shutdown(b, SHUT_RD);
	pthread_join(r.thread, NULL);
	result(ok && r.got == all && !r.error, "%s: all arrives (%zu of %zu, %s)",
	       name, r.got, all, strerror(senders[0].error));
	close(a);
	close(b);
	sysctl("payload_mtu", 0);
}

static void test_streams(void)
{
	struct sender small_mtu[] = { { .len = 300000, .n = 3 } };
	struct sender two[] = {
		{ .len = 3000000, .n = 1 }, { .len = 3000000, .n = 1 },
	};
	struct sender mixed[] = {
		{ .len = 1000000, .n = 2 }, { .len = 700, .n = 400 },
	};

	test_stream("payload of 1400 and a small buffer", SOCK_RDM, 1400,
		    16384, small_mtu, 1);
	test_stream("two streams at once", SOCK_RDM, 4096, 100000, two, 2);
	test_stream("stream beside small messages", SOCK_SEQPACKET, 1400,
		    100000, mixed, 2);
	test_stream("the longest payload", SOCK_RDM, 16383, 16384, small_mtu,
		    1);
}

/* --- signals and time-outs ------------------------------------------------------ */

static volatile sig_atomic_t ticks;

static void on_alarm(int sig)
{
	(void)sig;
	ticks++;
}

static void set_ticks(int flags, int ms)
{
	struct sigaction sa = { .sa_handler = on_alarm, .sa_flags = flags };
	struct itimerval it = {
		.it_interval.tv_usec = ms * 1000,
		.it_value.tv_usec = ms * 1000,
	};

	sigaction(SIGALRM, &sa, NULL);
	ticks = 0;
	setitimer(ITIMER_REAL, &it, NULL);
}

/* A timer that fires more often than a message takes does not keep it back */
static void test_signals(int flags, const char *name)
{
	int a = bound_sock(SOCK_RDM, 614), b = bound_sock(SOCK_RDM, 615);
	struct sockaddr_uet to;
	sigset_t block;
	struct reader r;
	ssize_t n;

	uet_addr(&to, here, 0, 615, 0);
	set_int(a, SO_SNDBUF, 65536);
	set_int(b, SO_RCVBUF, 65536);
	send_timeout(a, SOON);
	sigemptyset(&block);
	sigaddset(&block, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &block, NULL);
	read_start(&r, b, sizeof(buf), 20000);
	pthread_sigmask(SIG_UNBLOCK, &block, NULL);
	set_ticks(flags, 40);
	n = sendto(a, buf, sizeof(buf), 0, (struct sockaddr *)&to, sizeof(to));
	setitimer(ITIMER_REAL, &(struct itimerval){}, NULL);
	if (n < 0)
		shutdown(b, SHUT_RD);
	pthread_join(r.thread, NULL);
	result(n == sizeof(buf) && ticks, "%s: the message is sent (%d ticks)",
	       name, (int)ticks);
	result(r.got == sizeof(buf) && !r.error, "%s: once (%zu, %s)", name,
	       r.got, strerror(r.error));
	close(a);
	close(b);
}

static long send_until_refused(int fd, size_t len, uint16_t pid)
{
	for (int i = 0; i < 100; i++)
		if (send_at(fd, len, pid, 0) < 0)
			return -1;
	return 0;
}

/* What is not begun is interrupted */
static void test_signal_before(void)
{
	int a = bound_sock(SOCK_RDM, 616), b = bound_sock(SOCK_RDM, 617);

	set_int(a, SO_SNDBUF, 60000);
	set_int(b, SO_RCVBUF, 20000);
	fill_for_good(a, 617, 4000);
	set_ticks(0, 50);
	/* What refuses tries again now and then, so one more may get in. */
	EXPECT_ERR(send_until_refused(a, 4000, 617), EINTR,
		   "a send that waits for room");
	setitimer(ITIMER_REAL, &(struct itimerval){}, NULL);
	close(a);
	close(b);
}

/* The reader in the middle of what does not go on hears of it */
static void test_stream_ends(bool kill_it)
{
	const char *name = kill_it ? "SIGKILL" : "SO_SNDTIMEO";
	int a = bound_sock(SOCK_RDM, 618), b = bound_sock(SOCK_RDM, 619);
	size_t got = 0;
	ssize_t n;
	int err, status = 0;
	pid_t pid;

	set_int(a, SO_SNDBUF, 65536);
	set_int(b, SO_RCVBUF, 65536);
	if (!kill_it)
		send_timeout(a, 500);
	pid = fork();
	if (!pid) {
		n = send_at(a, sizeof(buf), 619, 0);
		_exit(n < 0 && errno == EAGAIN ? 0 : 1);
	}
	if (readable(b, SOON))
		got = recv(b, buf, 1000, 0);
	if (kill_it)
		kill(pid, SIGKILL);
	result(waitpid(pid, &status, 0) == pid &&
	       (kill_it ? WIFSIGNALED(status) : status == 0),
	       "%s ends a stream", name);
	while ((n = recv(b, buf, sizeof(buf), 0)) > 0)
		got += n;
	err = errno;
	result(n < 0 && err == ECONNABORTED && got < sizeof(buf),
	       "%s: the reader gets ECONNABORTED (%zu, %s)", name, got,
	       strerror(err));
	close(a);
	close(b);
}

static void test_shutdown(void)
{
	int a = bound_sock(SOCK_RDM, 620), b = bound_sock(SOCK_RDM, 621);
	struct sender s = { .fd = a, .pid = 621, .len = 1 << 20, .n = 1 };

	signal(SIGPIPE, SIG_IGN);
	set_int(a, SO_SNDBUF, 65536);
	set_int(b, SO_RCVBUF, 65536);
	send_timeout(a, SOON);
	send_start(&s);
	readable(b, SOON);
	shutdown(a, SHUT_WR);
	pthread_join(s.thread, NULL);
	result(!s.sent && s.error == EPIPE, "shutdown() ends a stream (%s)",
	       strerror(s.error));
	close(a);
	close(b);
}

static void test_sigio(void)
{
	int a = bound_sock(SOCK_RDM, 622), b = bound_sock(SOCK_RDM, 623);
	uint64_t end;

	signal(SIGIO, on_alarm);
	set_int(a, SO_SNDBUF, 60000);
	set_int(b, SO_RCVBUF, 20000);
	fcntl(a, F_SETOWN, getpid());
	fcntl(a, F_SETFL, O_ASYNC | O_NONBLOCK);
	fill_for_good(a, 623, 4000);
	usleep(1000);
	fill(a, 623, 4000);
	ticks = 0;
	for (end = host_now_ns() + SOON * 1000000ULL;
	     !ticks && host_now_ns() < end;)
		if (recv(b, buf, sizeof(buf), MSG_DONTWAIT) < 0)
			usleep(1000);
	result(ticks, "O_ASYNC: SIGIO when there is room again");
	fcntl(a, F_SETFL, 0);
	signal(SIGIO, SIG_IGN);
	close(a);
	close(b);
}

/* --- pages that are kept ------------------------------------------------------ */

/* Those of messages that are done count in the memory of the namespace for as
 * long as they are kept for the next ones
 */
static void test_pages(void)
{
	int a = bound_sock(SOCK_RDM, 624), b = bound_sock(SOCK_RDM, 625);
	long most = 0, held = 1;
	struct reader r;
	int n;

	set_int(a, SO_SNDBUF, 200000);
	/* A guest may be so slow that the socket has rested before one looks. */
	for (int tries = 0; !most && tries < 10; tries++) {
		read_start(&r, b, 200 * 20000, 0);
		for (int i = 0; i < 200; i++)
			send_at(a, 20000, 625, 0);
		pthread_join(r.thread, NULL);
		n = 1;
		for (int i = 0; n && i < SOON; i++) {
			ioctl(a, SIOCOUTQ, &n);
			usleep(1000);
		}
		most = counter("CurMem");
	}
	result(!n && most > 0 && most <= 400000,
	       "kept pages are counted, and no more than SO_SNDBUF (%ld)",
	       most);
	for (int i = 0; held && i < SOON / 100; i++) {
		usleep(100000);
		held = counter("CurMem");
	}
	result(!held, "and given back when the socket rests (%ld)", held);
	close(a);
	close(b);
}

/* --- a PDC that is used up ---------------------------------------------------- */

/* Several threads and a path that takes long: the queue is never empty when a
 * PDC has used up its PSNs. The senders wait until it is, and nothing else.
 */
static void test_renewal(int type)
{
	struct sender s[] = {
		{ .len = 3000, .n = 400 }, { .len = 500, .n = 400 },
		{ .len = 100, .n = 400 },
	};
	long opened = counter("PdcOpened");
	char name[64];

	snprintf(name, sizeof(name), "type %d: PDCs are renewed", type);
	if (system("tc qdisc add dev lo root netem delay 2ms limit 10000"))
		die("netem");
	sysctl("pdc_psns", 64);
	test_stream(name, type, 0, 200000, s, 3);
	sysctl("pdc_psns", 2113929216);
	system("tc qdisc del dev lo root");
	opened = counter("PdcOpened") - opened;
	/* What stands in the queue goes by the PDC it stands at. */
	result(opened > 2, "%s: more than once (%ld)", name, opened);
}

int main(int argc, char **argv)
{
	if (argc != 2)
		die("usage: uet_tx ADDR");
	here = argv[1];
	ktap_begin();
	test_tag_zero();
	test_too_long();
	test_flags();
	test_poll_agrees(false);
	test_poll_agrees(true);
	test_healthy_one();
	test_streams();
	test_signals(SA_RESTART, "SA_RESTART");
	test_signals(0, "no SA_RESTART");
	test_signal_before();
	test_stream_ends(false);
	test_stream_ends(true);
	test_shutdown();
	test_sigio();
	test_pages();
	test_renewal(SOCK_RDM);
	test_renewal(SOCK_SEQPACKET);
	return ktap_finish();
}
