// SPDX-License-Identifier: GPL-2.0
/*
 * libuet on sockets: options, messages with what goes beside their data, reports.
 * What needs no socket is tested in tools/libuet/tests.
 *
 *   uet_lib ADDR     an address of this host
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "sock_util.h"

/* Longest wait for what should come at once, ms */
#define SOON		30000
#define MSGS		50
#define THREADS		4

static int get_int(int fd, int level, int name)
{
	socklen_t len = sizeof(int);
	int val = -12345;

	if (getsockopt(fd, level, name, &val, &len))
		return -54321;
	return val;
}

static bool text_is(int fd, int name, const char *expected)
{
	char text[64] = "";
	socklen_t len = sizeof(text);

	return !getsockopt(fd, SOL_UET, name, text, &len) &&
	       !strcmp(text, expected);
}

/* --- sockets ------------------------------------------------------------------ */

static void test_options(void)
{
	struct sockaddr_uet local, peer, got;
	struct libuet_sock how = {
		.local = &local, .peer = &peer, .job = 77, .enter_job = true,
	};
	socklen_t len = sizeof(got);
	const char *step = NULL;
	int fd, other;

	uet_addr(&local, here, 77, 800, 3);
	uet_addr(&peer, here, 77, 801, 4);
	libuet_sock_set(&how, "cc", "fixed");
	libuet_sock_set(&how, "policy", "ecmp");
	libuet_sock_set(&how, "tclass", "11");
	libuet_sock_set(&how, "max_msg", "100k");
	libuet_sock_set(&how, "send_timeout", "1234");
	libuet_sock_set(&how, "defer", "64k");
	libuet_sock_set(&how, "notify", "1");
	libuet_sock_set(&how, "pktinfo", "1");
	libuet_sock_set(&how, "mark", "0x55");
	libuet_sock_set(&how, "delivery", "rod");
	libuet_sock_set(&how, "sndbuf", "50k");
	libuet_sock_set(&how, "rcvbuf", "60k");
	libuet_sock_set(&how, "device", "lo");
	fd = libuet_open(&how, &step);
	result(fd >= 0, "a socket with all options (%s)", step);
	result(get_int(fd, SOL_SOCKET, SO_TYPE) == SOCK_RDM, "type");
	result(text_is(fd, UET_CC, "fixed"), "cc");
	result(text_is(fd, UET_PATH_POLICY, "ecmp"), "policy");
	result(get_int(fd, SOL_UET, UET_TRAFFIC_CLASS) == 11, "tclass");
	result(get_int(fd, SOL_UET, UET_MAX_MSG) == 102400, "max_msg");
	result(get_int(fd, SOL_UET, UET_SEND_TIMEOUT) == 1234, "send_timeout");
	result(get_int(fd, SOL_UET, UET_DEFER) == 65536, "defer");
	result(get_int(fd, SOL_UET, UET_NOTIFY) == 1, "notify");
	result(get_int(fd, SOL_UET, UET_PKTINFO) == 1, "pktinfo");
	result(get_int(fd, SOL_UET, UET_DELIVERY) == UET_ROD, "delivery");
	result(get_int(fd, SOL_UET, UET_JOB_ID) == 77, "job");
	result(get_int(fd, SOL_SOCKET, SO_MARK) == 0x55, "mark");
	result(get_int(fd, SOL_SOCKET, SO_SNDBUF) == 102400, "sndbuf");
	result(get_int(fd, SOL_SOCKET, SO_RCVBUF) == 122880, "rcvbuf");
	result(!getsockname(fd, (struct sockaddr *)&got, &len) &&
	       got.suet_pid == 800 && got.suet_ri == 3 && got.suet_job == 77,
	       "local");
	result(!getpeername(fd, (struct sockaddr *)&got, &len) &&
	       got.suet_pid == 801 && got.suet_ri == 4, "peer");
	other = libuet_open(&(struct libuet_sock){ .take_job = true,
						   .job_from = fd }, &step);
	result(get_int(other, SOL_UET, UET_JOB_ID) == 77, "the job of another");
	close(other);
	close(fd);
}

static bool fails_at(const struct libuet_sock *how, const char *where, int error)
{
	int lowest = dup(0), fd;
	const char *step = "";

	close(lowest);
	fd = libuet_open(how, &step);
	if (fd >= 0 || errno != error || strcmp(step, where)) {
		note("%d at %s: %s", fd, step, strerror(errno));
		return false;
	}
	/* Nothing stays open */
	fd = dup(0);
	close(fd);
	return fd == lowest;
}

static void test_steps(void)
{
	int taken = bound_sock(SOCK_RDM, 802);
	struct sockaddr_uet local, peer;

	uet_addr(&local, here, 0, 802, 0);
	uet_addr(&peer, here, 0, 803, 0);
	peer.suet_reserved = 1;
	result(fails_at(&(struct libuet_sock){ .type = SOCK_STREAM }, "socket",
			ESOCKTNOSUPPORT), "what fails: socket");
	result(fails_at(&(struct libuet_sock){ .cc = "nosuch" }, "UET_CC",
			ENOENT), "what fails: an option by its name");
	result(fails_at(&(struct libuet_sock){ .local = &local }, "bind",
			EADDRINUSE), "what fails: bind");
	result(fails_at(&(struct libuet_sock){ .peer = &peer }, "connect",
			EINVAL), "what fails: connect");
	result(libuet_open(&(struct libuet_sock){ .cc = "nosuch" }, NULL) == -1,
	       "what fails need not be told");
	close(taken);
}

static void test_family(void)
{
	FILE *f = fopen("/sys/module/uet/parameters/family", "r");
	int family = 0;

	if (!f || fscanf(f, "%d", &family) != 1)
		family = -1;
	if (f)
		fclose(f);
	result(family == libuet_family(), "the family is that of the module (%d)",
	       family);
}

/* --- messages ------------------------------------------------------------------- */

static void test_attrs(void)
{
	int a = bound_sock(SOCK_RDM, 810), b = bound_sock(SOCK_RDM, 811);
	const struct libuet_attrs sent = {
		.has = LIBUET_COOKIE | LIBUET_HEADER_DATA | LIBUET_TAG |
		       LIBUET_DELIVERY | LIBUET_TCLASS | LIBUET_TIMEOUT,
		.cookie = 5, .header_data = UINT64_MAX, .tag = 0,
		.delivery = UET_ROD, .tclass = 8, .timeout = 60000,
	};
	struct iovec out[2] = { { "hello ", 6 }, { "world", 5 } };
	char text[8];
	struct iovec in = { text, sizeof(text) };
	struct sockaddr_uet to, from;
	struct libuet_attrs got;

	uet_addr(&to, here, 0, 811, 0);
	result(libuet_sendmsg(a, out, 2, &to, &sent, 0) == 11,
	       "send with all attributes");
	result(libuet_recvmsg(b, &in, 1, &from, &got, 0) == 8 &&
	       !memcmp(text, "hello wo", 8) && !(got.msg_flags & MSG_EOR),
	       "receive a part");
	result(got.has == (LIBUET_HEADER_DATA | LIBUET_TAG | LIBUET_INFO) &&
	       got.header_data == UINT64_MAX && !got.tag &&
	       got.info.length == 11 && got.info.offset == 0 &&
	       got.info.delivery == UET_ROD && !got.info.ce,
	       "and its attributes");
	result(from.suet_pid == 810, "and its sender");
	result(libuet_recvmsg(b, &in, 1, NULL, &got, 0) == 3 &&
	       got.msg_flags & MSG_EOR && got.info.offset == 8, "and the rest");
	result(libuet_sendmsg(a, out, 1, &to, NULL, 0) == 6 &&
	       libuet_recvmsg(b, &in, 1, NULL, NULL, 0) == 6,
	       "a message without any");
	EXPECT_ERR(libuet_sendmsg(a, out, 1, &to, &got, 0), EINVAL,
		   "what is only received");
	EXPECT_ERR(libuet_recvmsg(b, &in, 1, NULL, &got, MSG_DONTWAIT), EAGAIN,
		   "nothing there");
	close(a);
	close(b);
}

/* --- reports ---------------------------------------------------------------------- */

struct tally {
	unsigned int	calls, stop_at;
	uint64_t	messages;
	bool		ranges, failed;
};

static int count(void *arg, const struct uet_report *rep,
		 const struct sockaddr_uet *peer)
{
	struct tally *t = arg;

	t->calls++;
	t->messages += rep->cookie_last - rep->cookie + 1;
	t->ranges |= rep->cookie_last != rep->cookie;
	t->failed |= rep->error || peer->suet_pid != 821;
	return t->calls == t->stop_at;
}

/* A burst to one socket, all of it read: successes to be reported */
static int burst(uint16_t pid, int *reader)
{
	int on = 1, a = bound_sock(SOCK_RDM, pid);
	char text[8];

	*reader = bound_sock(SOCK_RDM, 821);
	setsockopt(a, SOL_UET, UET_NOTIFY, &on, sizeof(on));
	for (int i = 0; i < MSGS; i++)
		send_to(a, "x", 1, 821);
	for (int i = 0; i < MSGS; i++)
		recv(*reader, text, sizeof(text), 0);
	return a;
}

static void test_drain(unsigned int flags, const char *how)
{
	struct tally t = {};
	int b, a = burst(820, &b), n = 0, got = 0;

	while (t.messages < MSGS && libuet_wait_report(a, SOON) == 1 &&
	       (n = libuet_drain(a, flags, count, &t)) >= 0)
		got += n;
	result(t.messages == MSGS && !t.failed, "%s: each message once (%llu)",
	       how, (unsigned long long)t.messages);
	if (flags)
		result(t.calls == MSGS && !t.ranges, "%s: one by one", how);
	else
		result((int)t.calls == got, "%s: a call for each report", how);
	result(!libuet_drain(a, flags, count, &t), "%s: then nothing", how);
	close(a);
	close(b);
}

static void test_stop(void)
{
	struct tally t = { .stop_at = 2 };
	int a = bound_sock(SOCK_RDM, 822);

	for (int i = 0; i < 5; i++)
		send_to(a, "x", 1, 3999);
	while (t.calls < 2 && libuet_wait_report(a, SOON) == 1)
		libuet_drain(a, 0, count, &t);
	result(t.calls == 2, "a call that stops is the last one");
	while (t.calls < 5 && libuet_wait_report(a, SOON) == 1)
		libuet_drain(a, 0, count, &t);
	result(t.calls == 5, "and the others come later (%u)", t.calls);
	close(a);
}

static void on_alarm(int sig)
{
	(void)sig;
}

static void test_wait(void)
{
	struct sigaction sa = { .sa_handler = on_alarm };
	int a = bound_sock(SOCK_RDM, 823);
	uint64_t t0 = host_now_ns();

	sigaction(SIGALRM, &sa, NULL);
	ualarm(20000, 20000);
	result(!libuet_wait_report(a, 200) && host_now_ns() - t0 > 190000000,
	       "signals do not end a wait");
	ualarm(0, 0);
	result(!libuet_wait_report(a, 0), "no wait");
	shutdown(a, SHUT_RDWR);
	t0 = host_now_ns();
	result(!libuet_wait_report(a, 100) && host_now_ns() - t0 > 90000000,
	       "nor does the end of the socket");
	close(a);
	EXPECT_ERR(libuet_wait_report(a, 0), EBADF, "wait for no socket");
	EXPECT_ERR(libuet_drain(a, 0, count, NULL), EBADF, "drain no socket");
}

static void test_sentence(void)
{
	char text[LIBUET_TEXT_SIZE] = "", expected[LIBUET_TEXT_SIZE];
	char uri[LIBUET_URI_SIZE];
	int a = bound_sock(SOCK_RDM, 824);
	struct sockaddr_uet peer, to;
	struct uet_report rep;

	uet_addr(&to, here, 0, 3998, 1);
	libuet_format(&to, uri, sizeof(uri));
	sendto(a, "nobody", 6, 0, (struct sockaddr *)&to, sizeof(to));
	if (libuet_wait_report(a, SOON) == 1 &&
	    libuet_next_report(a, &rep, &peer))
		libuet_report_text(&rep, &peer, text, sizeof(text));
	snprintf(expected, sizeof(expected),
		 "message 0 (6 bytes) to %s failed: Connection refused (ECONNREFUSED); the target answered BAD_PID (26): no such process",
		 uri);
	result(!strcmp(text, expected), "a report in words");
	if (strcmp(text, expected))
		note("%s", text);
	EXPECT_ERR(libuet_next_report(a, &rep, &peer) - 1, EAGAIN,
		   "the next report");
	close(a);
}

static void test_watch(void)
{
	int a = bound_sock(SOCK_RDM, 825);
	struct sockaddr_uet peer;
	struct uet_report rep = {};

	uet_addr(&peer, here, 0, 3997, 0);
	result(!libuet_watch(a, &peer, 99, 20, 0) &&
	       libuet_wait_report(a, SOON) == 1 &&
	       libuet_next_report(a, &rep, NULL) &&
	       rep.type == UET_REPORT_WATCH && rep.cookie == 99 &&
	       rep.error == ECONNREFUSED, "watch an endpoint");
	result(!libuet_watch(a, &peer, 99, 0, 0), "and no more");
	EXPECT_ERR(libuet_watch(a, &peer, 99, 0, 0), ENOENT, "a second end");
	EXPECT_ERR(libuet_cancel(a, 4), ENOENT, "cancel what was not sent");
	close(a);
}

/* --- several threads ------------------------------------------------------------------ */

static void *talk(void *arg)
{
	uint16_t pid = 830 + 2 * (uintptr_t)arg;
	int a = bound_sock(SOCK_RDM, pid), b = bound_sock(SOCK_RDM, pid + 1);
	char text[LIBUET_URI_SIZE], back[LIBUET_URI_SIZE];
	struct iovec out = { text, 0 }, in = { back, sizeof(back) };
	struct libuet_attrs attrs;
	struct sockaddr_uet to;
	bool ok = true;

	for (int i = 0; i < 200 && ok; i++) {
		uet_addr(&to, here, 0, pid + 1, 0);
		out.iov_len = libuet_format(&to, text, sizeof(text)) + 1;
		ok = !libuet_parse(text, NULL, &to) &&
		     libuet_sendmsg(a, &out, 1, &to, NULL, 0) ==
		     (ssize_t)out.iov_len &&
		     libuet_recvmsg(b, &in, 1, NULL, &attrs, 0) ==
		     (ssize_t)out.iov_len && !strcmp(text, back);
	}
	close(a);
	close(b);
	return ok ? arg : (void *)-1;
}

static void test_threads(void)
{
	pthread_t threads[THREADS];
	bool ok = true;
	void *ret;

	for (uintptr_t i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, talk, (void *)i);
	for (uintptr_t i = 0; i < THREADS; i++) {
		pthread_join(threads[i], &ret);
		ok &= ret == (void *)i;
	}
	result(ok, "several threads at once");
}

int main(int argc, char **argv)
{
	if (argc != 2)
		die("usage: uet_lib ADDR");
	here = argv[1];
	ktap_begin();
	test_family();
	test_options();
	test_steps();
	test_attrs();
	test_drain(0, "drain");
	test_drain(LIBUET_EXPAND, "drain, expanded");
	test_stop();
	test_wait();
	test_sentence();
	test_watch();
	test_threads();
	return ktap_finish();
}
