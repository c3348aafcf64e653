// SPDX-License-Identifier: GPL-2.0
/*
 * Peers that a socket talked to (UET_PEER_EVENTS), and keep-alive.
 *
 *   uet_peer ADDR      cases on one host; an address of it
 *   uet_peer IDLE TIMEOUT -p PID
 *                      receives, with keep-alive if IDLE is not 0
 *   uet_peer IDLE TIMEOUT ADDR/PID...
 *                      sends one message to each and then nothing
 *
 * The latter two print "ready", "got PID" or "sent", and of each report of a peer its
 * PIDonFEP, the name of the errno or OK, the source and the code, until killed.
 */
#define _GNU_SOURCE
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sock_util.h"

/* Longest wait for a report, and how long none must come, ms */
#define SOON		60000
#define QUIET		400
#define IDLE		50

static int set(int fd, int opt, int val)
{
	return setsockopt(fd, SOL_UET, opt, &val, sizeof(val));
}

static int get(int fd, int opt)
{
	int val = -2;
	socklen_t len = sizeof(val);

	return getsockopt(fd, SOL_UET, opt, &val, &len) ? -1 : val;
}

static void keepalive(int fd, int on)
{
	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
}

static int events_sock(int type, uint16_t pid, int idle)
{
	int fd = bound_sock(type, pid);

	set(fd, UET_PEER_EVENTS, 1);
	if (idle) {
		set(fd, UET_KEEPALIVE_IDLE, idle);
		keepalive(fd, 1);
	}
	return fd;
}

/* The next report of a peer; those of messages before it are counted. */
static bool next_event(int fd, struct uet_report *rep, uint16_t *pid, int ms,
		       unsigned int *failed)
{
	struct sockaddr_uet from;

	while (next_report(fd, rep, &from, ms)) {
		note("error %u type %u source %u code %u pid %u", rep->error,
		     rep->type, rep->source, rep->code, from.suet_pid);
		if (rep->type == UET_REPORT_PEER) {
			*pid = from.suet_pid;
			return true;
		}
		if (failed)
			++*failed;
	}
	return false;
}

static bool event(int fd, uint16_t pid, int error)
{
	struct uet_report rep;
	uint16_t from;

	return next_event(fd, &rep, &from, SOON, NULL) && from == pid &&
	       rep.error == (uint32_t)error && !rep.cookie && !rep.length;
}

static bool quiet(int fd)
{
	struct uet_report rep;
	uint16_t from;

	return !next_event(fd, &rep, &from, QUIET, NULL);
}

/* One message from one to the other is delivered and read. */
static bool talk(int a, int b, uint16_t pid)
{
	char byte;

	return send_to(a, "x", 1, pid) == 1 && recv(b, &byte, 1, 0) == 1;
}

static void test_options(void)
{
	int fd = bound_sock(SOCK_RDM, 900), on = 0;
	socklen_t len = sizeof(on);

	result(get(fd, UET_PEER_EVENTS) == 0, "UET_PEER_EVENTS is off");
	result(get(fd, UET_KEEPALIVE_IDLE) == UET_KEEPALIVE_IDLE_MS &&
	       !get(fd, UET_KEEPALIVE_INTERVAL) &&
	       !get(fd, UET_KEEPALIVE_TIMEOUT), "defaults");
	result(!set(fd, UET_PEER_EVENTS, 5) && get(fd, UET_PEER_EVENTS) == 1,
	       "on");
	result(!set(fd, UET_PEER_EVENTS, 0) && get(fd, UET_PEER_EVENTS) == 0,
	       "off again");
	EXPECT_ERR(set(fd, UET_KEEPALIVE_IDLE, 0), EINVAL, "no idle time");
	EXPECT_ERR(set(fd, UET_KEEPALIVE_IDLE, UET_WATCH_MS_MIN - 1), EINVAL,
		   "idle time too short");
	EXPECT_ERR(set(fd, UET_KEEPALIVE_INTERVAL, UET_WATCH_MS_MAX + 1),
		   EINVAL, "interval too long");
	EXPECT_ERR(set(fd, UET_KEEPALIVE_TIMEOUT, 1), EINVAL,
		   "time-out too short");
	result(!set(fd, UET_KEEPALIVE_IDLE, 20) &&
	       !set(fd, UET_KEEPALIVE_INTERVAL, 30) &&
	       !set(fd, UET_KEEPALIVE_TIMEOUT, 40) &&
	       get(fd, UET_KEEPALIVE_IDLE) == 20 &&
	       get(fd, UET_KEEPALIVE_INTERVAL) == 30 &&
	       get(fd, UET_KEEPALIVE_TIMEOUT) == 40, "times are kept");
	EXPECT_ERR(setsockopt(fd, SOL_UET, UET_PEER_EVENTS, &on, 2), EINVAL,
		   "too short a value");
	keepalive(fd, 1);
	result(!getsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, &len) && on,
	       "SO_KEEPALIVE");
	close(fd);
}

/* What messages tell, without keep-alive */
static void test_messages(int type)
{
	int a = events_sock(type, 901, 0), b = bound_sock(type, 902);
	unsigned int failed = 0;
	struct uet_report rep;
	uint16_t from = 0;

	send_to(a, "x", 1, 3004);
	result(!next_event(a, &rep, &from, QUIET, &failed) && failed == 1,
	       "type %d: who was never there is not lost", type);
	result(talk(a, b, 902) && quiet(a), "type %d: quiet while all is well",
	       type);
	close(b);
	result(quiet(a), "type %d: and as long as nothing is sent", type);
	failed = 0;
	for (int i = 0; i < 20; i++)
		send_to(a, "x", 1, 902);
	result(next_event(a, &rep, &from, SOON, &failed) && from == 902 &&
	       rep.error == ECONNREFUSED && rep.source == UET_REPORT_SES,
	       "type %d: lost", type);
	while (failed < 20 && !next_event(a, &rep, &from, QUIET, &failed) &&
	       failed)
		;
	result(failed == 20, "type %d: told once, beside %u messages", type,
	       failed);
	b = bound_sock(type, 902);
	result(talk(a, b, 902) && event(a, 902, 0), "type %d: heard again",
	       type);
	set(a, UET_PEER_EVENTS, 0);
	close(b);
	send_to(a, "x", 1, 902);
	result(quiet(a), "type %d: quiet when switched off", type);
	close(a);
}

/* The endpoint that @a talks to is another one at once. If a probe comes while there
 * is none, it is lost, and that has to begin anew.
 */
static bool replaced(int type, int a, int *b)
{
	unsigned int failed = 0;
	struct uet_report rep;
	uint16_t from = 0;

	for (int i = 0; i < 10; i++) {
		close(*b);
		*b = bound_sock(type, 904);
		if (!next_event(a, &rep, &from, SOON, &failed) || from != 904)
			return false;
		if (rep.error != ECONNREFUSED)
			return rep.error == ECONNRESET;
		if (!talk(*b, a, 903) || !event(a, 904, 0))
			return false;
		usleep(IDLE * 4000);
	}
	return false;
}

/* Probes, of who was sent to and of who sent */
static void test_keepalive(int type, bool sends)
{
	const char *what = sends ? "sent to" : "received from";
	int a = events_sock(type, 903, IDLE), b = bound_sock(type, 904);

	result(sends ? talk(a, b, 904) : talk(b, a, 903),
	       "type %d, %s: talk", type, what);
	result(quiet(a), "type %d, %s: quiet while it is there", type, what);
	result(!readable(b, 0), "type %d, %s: it hears nothing", type, what);
	close(b);
	result(event(a, 904, ECONNREFUSED), "type %d, %s: lost", type, what);
	result(quiet(a), "type %d, %s: told once", type, what);
	b = bound_sock(type, 904);
	result(quiet(a), "type %d, %s: a lost one is not probed", type, what);
	result(talk(b, a, 903) && event(a, 904, 0),
	       "type %d, %s: heard again", type, what);
	usleep(IDLE * 4000);
	result(replaced(type, a, &b), "type %d, %s: another one", type, what);
	result(quiet(a), "type %d, %s: which is there", type, what);
	close(b);
	result(event(a, 904, ECONNREFUSED), "type %d, %s: lost as well", type,
	       what);
	close(a);
}

/* Keep-alive is begun and ended at any time. */
static void test_switch(void)
{
	int a = events_sock(SOCK_RDM, 905, 0), b = bound_sock(SOCK_RDM, 906);

	talk(a, b, 906);
	close(b);
	result(quiet(a), "without keep-alive nothing is noticed");
	set(a, UET_KEEPALIVE_IDLE, IDLE);
	keepalive(a, 1);
	result(event(a, 906, ECONNREFUSED), "with it, it is");
	b = bound_sock(SOCK_RDM, 906);
	talk(a, b, 906);
	result(event(a, 906, 0), "heard again");
	keepalive(a, 0);
	usleep(IDLE * 3000);
	close(b);
	result(quiet(a), "switched off nothing is noticed");
	set(a, UET_PEER_EVENTS, 0);
	keepalive(a, 1);
	result(quiet(a), "nor without UET_PEER_EVENTS");
	set(a, UET_PEER_EVENTS, 1);
	b = bound_sock(SOCK_RDM, 906);
	talk(a, b, 906);
	close(b);
	result(event(a, 906, ECONNREFUSED), "both again");
	close(a);
}

/* Who reads no more is lost, though it may still send. */
static void test_shutdown(int type)
{
	int a = events_sock(type, 912, IDLE), b = bound_sock(type, 913);

	result(talk(a, b, 913) && quiet(a), "type %d: reads", type);
	shutdown(b, SHUT_RD);
	result(event(a, 913, ECONNREFUSED), "type %d: reads no more", type);
	result(quiet(a), "type %d: which is told once", type);
	result(talk(b, a, 912) && event(a, 913, 0) &&
	       event(a, 913, ECONNREFUSED),
	       "type %d: sends: there, and reads no more", type);
	close(b);
	result(quiet(a), "type %d: closed, which is nothing new", type);
	close(a);
}

/* A watch of the same endpoint has reports of its own. */
static void test_with_watch(void)
{
	struct uet_watch_req req = { .interval = 50, .cookie = 9 };
	int a = events_sock(SOCK_RDM, 907, IDLE), b = bound_sock(SOCK_RDM, 908);
	bool watched = false, lost = false;
	struct sockaddr_uet from;
	struct uet_report rep;

	talk(a, b, 908);
	uet_addr(&req.peer, here, 0, 908, 0);
	usleep(IDLE * 2000);
	result(!setsockopt(a, SOL_UET, UET_WATCH, &req, sizeof(req)),
	       "a watch of a peer");
	close(b);
	while (!(watched && lost) && next_report(a, &rep, &from, SOON)) {
		watched |= rep.type == UET_REPORT_WATCH && rep.cookie == 9;
		lost |= rep.type == UET_REPORT_PEER && !rep.cookie;
	}
	result(watched && lost, "both report");
	close(a);
}

/* More peers than there is room for: those noted last are known. */
static void test_many(void)
{
	int a = events_sock(SOCK_RDM, 909, 0), b = bound_sock(SOCK_RDM, 910);
	int n = UET_PEERS_MAX + 300, last = 0, fd;
	struct uet_report rep;
	struct sockaddr_uet sa;
	uint16_t from;
	char byte;

	/* Names beyond the limit: endpoints that come, send and go */
	for (int i = 0; i < n; i++) {
		fd = open_sock(SOCK_RDM);
		uet_addr(&sa, here, 0, 911 + i / 4000, i % 4000);
		if (bind(fd, (struct sockaddr *)&sa, sizeof(sa)))
			die("bind: %s", strerror(errno));
		if (send_to(fd, "x", 1, 909) != 1 || recv(a, &byte, 1, 0) != 1)
			break;
		last = i;
		close(fd);
	}
	result(last == n - 1, "%d peers", n);
	talk(a, b, 910);
	set(a, UET_KEEPALIVE_IDLE, 10);
	keepalive(a, 1);
	for (n = 0; n < UET_PEERS_MAX - 1 &&
	     next_event(a, &rep, &from, SOON, NULL); n++)
		if (rep.error != ECONNREFUSED || from == 910)
			break;
	result(n == UET_PEERS_MAX - 1, "%d of them are lost", n);
	result(quiet(a), "the others are forgotten");
	close(b);
	result(event(a, 910, ECONNREFUSED), "the last one was known");
	close(a);
}

/* Sockets go with probes under way and while messages come. */
static void test_close(void)
{
	for (int i = 0; i < 20; i++) {
		int a = events_sock(SOCK_RDM, 914, 10);
		int b = bound_sock(SOCK_RDM, 915);

		for (int k = 0; k < 20; k++)
			send_to(a, "x", 1, k & 1 ? 915 : 3005 + k);
		talk(b, a, 914);
		usleep(i * 3000);
		if (i & 1)
			set(a, UET_PEER_EVENTS, 0);
		if (i & 2)
			close(b);
		close(a);
		if (!(i & 2))
			close(b);
	}
	result(true, "closed with probes under way");
}

/* The next completion that is not of a message sent; its type, 0 if none comes in time */
static int next_done(struct libuet_cq *cq, struct uet_completion *d, int ms)
{
	while (libuet_next_done(cq, d, ms) == 1) {
		note("type %u cookie %llu error %u source %u pid %u", d->type,
		     (unsigned long long)d->cookie, d->error, d->source,
		     d->peer.suet_pid);
		if (d->type != UET_DONE_SENT)
			return d->type;
	}
	return 0;
}

static bool done_event(struct libuet_cq *cq, int type, uint64_t cookie, uint16_t pid,
		       int error)
{
	struct uet_completion d;

	return next_done(cq, &d, SOON) == type && d.cookie == cookie &&
	       d.peer.suet_pid == pid && d.error == (uint32_t)error &&
	       d.flags == UET_DONE_LAST;
}

/* One message from one socket fills a receive of the other. */
static bool fill(int from, int to, uint16_t pid, struct libuet_cq *cq)
{
	static char buf[10];
	struct uet_op op = {
		.cookie = 77, .opcode = UET_OP_RECV, .to = UET_OP_ANY,
		.addr = (uintptr_t)buf, .length = sizeof(buf),
	};
	struct uet_completion d;

	return libuet_post(to, &op, 1, NULL, 0) == 1 && send_to(from, "x", 1, pid) == 1 &&
	       next_done(cq, &d, SOON) == UET_DONE_RECV && d.cookie == 77 && d.got == 1;
}

/* A socket with a completion queue, whose messages go to posted receives */
static void test_queue(int type)
{
	int a = events_sock(type, 916, 0), b = bound_sock(type, 917);
	struct sockaddr_uet to;
	struct libuet_cq cq;
	struct uet_report rep;
	struct uet_completion d;

	if (libuet_open_cq(a, 64, &cq) || libuet_use_cq(a, &cq))
		die("completion queue: %m");
	result(fill(b, a, 916, &cq), "type %d: one to a receive", type);
	close(b);
	send_to(a, "x", 1, 917);
	result(done_event(&cq, UET_DONE_PEER, 0, 917, ECONNREFUSED),
	       "type %d: its sender was heard, and is lost", type);
	b = bound_sock(type, 917);
	send_to(b, "x", 1, 916);
	if (!readable(a, SOON))
		die("nothing arrives");
	result(!next_done(&cq, &d, QUIET), "type %d: what waits was not read", type);
	send_to(a, "x", 1, 3902);
	result(!next_done(&cq, &d, QUIET), "type %d: who was never heard is not lost", type);
	struct uet_op late = { .cookie = 78, .opcode = UET_OP_RECV, .to = UET_OP_ANY };

	libuet_post(a, &late, 1, NULL, 0);
	result(done_event(&cq, UET_DONE_PEER, 0, 917, 0),
	       "type %d: a receive posted later finds it again", type);
	result(next_done(&cq, &d, SOON) == UET_DONE_RECV && d.cookie == 78,
	       "type %d: ... and its message", type);
	set(a, UET_KEEPALIVE_IDLE, IDLE);
	keepalive(a, 1);
	close(b);
	result(done_event(&cq, UET_DONE_PEER, 0, 917, ECONNREFUSED),
	       "type %d: lost, by a probe", type);
	uet_addr(&to, here, 0, 918, 0);
	libuet_watch(a, &to, 4711, IDLE, 0);
	result(done_event(&cq, UET_DONE_WATCH, 4711, 918, ECONNREFUSED),
	       "type %d: a watched endpoint is not there", type);
	b = bound_sock(type, 918);
	result(done_event(&cq, UET_DONE_WATCH, 4711, 918, 0), "type %d: ... now it is", type);
	result(!next_report(a, &rep, NULL, 0), "type %d: no error queue", type);
	close(a);
	close(b);
	libuet_close_cq(&cq);
}

/* A program that takes no completions is told of no more than there is room for. */
static void test_queue_full(void)
{
	int a = bound_sock(SOCK_RDM, 919), n, reports;
	struct uet_completion d;
	struct sockaddr_uet to;
	struct libuet_cq cq;
	struct uet_report rep;

	if (libuet_open_cq(a, 1024, &cq) || libuet_use_cq(a, &cq))
		die("completion queue: %m");
	/* Each watch of an endpoint that is not there is told once. */
	for (n = 0; n < 1100; n++) {
		uet_addr(&to, here, 0, 3903, n % 200);
		if (libuet_watch(a, &to, n, IDLE * 20, 0))
			die("libuet_watch: %m");
		if (n % 200 != 199)
			continue;
		/* Told, all of them: begin again */
		usleep(500000);
		for (int i = 0; i < 200; i++) {
			uet_addr(&to, here, 0, 3903, i);
			libuet_watch(a, &to, 0, 0, 0);
		}
	}
	usleep(500000);
	for (reports = 0; next_report(a, &rep, NULL, 0); reports++)
		;
	for (n = 0; libuet_next_done(&cq, &d, 300) == 1; n++)
		;
	result(n + reports == 1100 && n == 256,
	       "%d completions, %d on the error queue", n, reports);
	close(a);
	libuet_close_cq(&cq);
}

static int cases(const char *text, bool many)
{
	here = text;
	ktap_begin();
	test_options();
	test_messages(SOCK_RDM);
	test_messages(SOCK_SEQPACKET);
	test_keepalive(SOCK_RDM, true);
	test_keepalive(SOCK_RDM, false);
	test_keepalive(SOCK_SEQPACKET, true);
	test_switch();
	test_shutdown(SOCK_RDM);
	test_shutdown(SOCK_SEQPACKET);
	test_with_watch();
	test_queue(SOCK_RDM);
	test_queue(SOCK_SEQPACKET);
	test_queue_full();
	if (many)
		test_many();
	test_close();
	return ktap_finish();
}

static void print_events(int fd, bool receives)
{
	struct pollfd pfd = { .fd = fd, .events = receives ? POLLIN : 0 };
	struct sockaddr_uet from;
	struct uet_report rep;
	socklen_t len;
	char byte;

	while (poll(&pfd, 1, -1) > 0) {
		while (libuet_next_report(fd, &rep, &from))
			if (rep.type == UET_REPORT_PEER)
				printf("%u %s %u 0x%x\n", from.suet_pid,
				       rep.error ? strerrorname_np(rep.error) :
				       "OK", rep.source, rep.code);
		len = sizeof(from);
		if (pfd.revents & POLLIN &&
		    recvfrom(fd, &byte, 1, MSG_DONTWAIT,
			     (struct sockaddr *)&from, &len) >= 0)
			printf("got %u\n", from.suet_pid);
	}
}

int main(int argc, char **argv)
{
	struct libuet_sock how = { .type = SOCK_RDM };
	struct sockaddr_uet to;
	bool receives;
	int fd, i;

	if (argc == 2)
		return cases(argv[1], true);
	if (argc < 4)
		die("usage: uet_peer ADDR | IDLE TIMEOUT -p PID | ADDR/PID...");
	setvbuf(stdout, NULL, _IOLBF, 0);
	receives = !strcmp(argv[3], "-p");
	here = "::";
	fd = uet_socket(&how);
	if (receives && bind_pid(fd, atoi(argv[4])))
		die("bind: %s", strerror(errno));
	set(fd, UET_PEER_EVENTS, 1);
	if (atoi(argv[1])) {
		set(fd, UET_KEEPALIVE_IDLE, atoi(argv[1]));
		set(fd, UET_KEEPALIVE_TIMEOUT, atoi(argv[2]));
		keepalive(fd, 1);
	}
	for (i = 3; i < argc && !receives; i++) {
		if (libuet_parse(argv[i], NULL, &to))
			die("bad endpoint: %s", argv[i]);
		if (sendto(fd, "x", 1, 0, (struct sockaddr *)&to,
			   sizeof(to)) != 1)
			die("%s: %s", argv[i], strerror(errno));
	}
	printf(receives ? "ready\n" : "sent\n");
	print_events(fd, receives);
	return 1;
}
