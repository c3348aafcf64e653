// SPDX-License-Identifier: GPL-2.0
/*
 * Watched destinations (UET_WATCH).
 *
 *   uet_watch ADDR      cases on one host; an address of it
 *   uet_watch [-j JOB] INTERVAL TIMEOUT ADDR/PID...
 *                       watches until it is killed. Prints "watching", and of
 *                       each report the number of the endpoint, the name of the
 *                       errno or OK, the source and the code
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sock_util.h"

#define COOKIE		0x123456789abcULL
/* Longest wait for a report, and how long none must come, ms */
#define SOON		60000
#define QUIET		400

static int watch(int fd, uint16_t pid, uint16_t ri, uint32_t interval)
{
	struct sockaddr_uet to;

	uet_addr(&to, here, 0, pid, ri);
	return libuet_watch(fd, &to, COOKIE, interval, 0);
}

static bool reported(int fd, uint16_t pid, int error)
{
	struct sockaddr_uet from;
	struct uet_report rep;

	if (!next_report(fd, &rep, &from, SOON)) {
		note("no report");
		return false;
	}
	note("error %u type %u source %u code %u", rep.error, rep.type,
	     rep.source, rep.code);
	return rep.type == UET_REPORT_WATCH && rep.cookie == COOKIE &&
	       rep.error == (uint32_t)error && from.suet_pid == pid &&
	       !rep.length && !rep.reserved;
}

static bool quiet(int fd)
{
	struct sockaddr_uet from;
	struct uet_report rep;

	if (!next_report(fd, &rep, &from, QUIET))
		return true;
	note("error %u type %u", rep.error, rep.type);
	return false;
}

static void test_arguments(void)
{
	struct uet_watch_req req = { .interval = 100 };
	int fd = bound_sock(SOCK_RDM, 700), n, err;
	socklen_t len = sizeof(req);

	uet_addr(&req.peer, here, 0, 701, 0);
	EXPECT_ERR(setsockopt(fd, SOL_UET, UET_WATCH, &req, sizeof(req) - 4),
		   EINVAL, "too short");
	EXPECT_ERR(setsockopt(fd, SOL_UET, UET_WATCH, &req, sizeof(req) + 4),
		   EINVAL, "too long");
	EXPECT_ERR(setsockopt(fd, SOL_UET, UET_WATCH, NULL, sizeof(req)),
		   EFAULT, "no structure");
	EXPECT_ERR(getsockopt(fd, SOL_UET, UET_WATCH, &req, &len),
		   ENOPROTOOPT, "getsockopt");
	req.reserved[1] = 1;
	EXPECT_ERR(setsockopt(fd, SOL_UET, UET_WATCH, &req, sizeof(req)),
		   EINVAL, "reserved");
	req.reserved[1] = 0;
	EXPECT_ERR(watch(fd, 701, 0, UET_WATCH_MS_MIN - 1), EINVAL,
		   "interval too short");
	EXPECT_ERR(watch(fd, 701, 0, UET_WATCH_MS_MAX + 1), EINVAL,
		   "interval too long");
	req.timeout = UET_WATCH_MS_MAX + 1;
	EXPECT_ERR(setsockopt(fd, SOL_UET, UET_WATCH, &req, sizeof(req)),
		   EINVAL, "timeout too long");
	EXPECT_ERR(watch(fd, 701, 0, 0), ENOENT, "end of no watch");
	req.timeout = 0;
	req.peer.suet_job = 5;
	EXPECT_ERR(setsockopt(fd, SOL_UET, UET_WATCH, &req, sizeof(req)),
		   EACCES, "another job");
	for (n = 0; n <= UET_WATCH_MAX && !watch(fd, 701, n, 60000); n++)
		;
	err = errno;
	result(n && n <= UET_WATCH_MAX && err == ENOBUFS,
	       "%d watches, then ENOBUFS", n);
	result(!watch(fd, 701, 0, 60000), "a change of one is none more");
	result(!watch(fd, 701, 0, 0) && !watch(fd, 702, 1, 60000),
	       "one ended makes room");
	close(fd);
}

static void test_life(int type)
{
	int fd = bound_sock(type, 703), peer;
	uint64_t cookie = COOKIE;

	result(!watch(fd, 704, 0, 20), "type %d: watch nobody", type);
	result(reported(fd, 704, ECONNREFUSED), "type %d: nobody there", type);
	result(quiet(fd), "type %d: said once", type);
	EXPECT_ERR(setsockopt(fd, SOL_UET, UET_CANCEL, &cookie, sizeof(cookie)),
		   ENOENT, "a watch is no message: UET_CANCEL");
	peer = bound_sock(type, 704);
	result(reported(fd, 704, 0), "type %d: there", type);
	result(quiet(fd), "type %d: quiet while it is", type);
	result(!readable(peer, 0), "type %d: it hears nothing of it", type);
	shutdown(peer, SHUT_RD);
	result(reported(fd, 704, ECONNREFUSED), "type %d: reads no more", type);
	close(peer);
	peer = bound_sock(type, 704);
	/* It may be the same or another one for all that is known. */
	result(reported(fd, 704, ECONNRESET), "type %d: bound anew", type);
	result(quiet(fd), "type %d: and there", type);
	result(!watch(fd, 704, 0, 0), "type %d: end", type);
	close(peer);
	result(quiet(fd), "type %d: quiet after it", type);
	close(fd);
}

/* Between two probes the endpoint is replaced. */
static void test_replaced(void)
{
	struct sockaddr_uet from;
	struct uet_report rep = {};
	int fd = bound_sock(SOCK_RDM, 705), peer;
	bool gone = false, ok;

	watch(fd, 706, 0, 2000);
	result(reported(fd, 706, ECONNREFUSED), "nobody there");
	peer = bound_sock(SOCK_RDM, 706);
	result(reported(fd, 706, 0), "there");
	close(peer);
	peer = bound_sock(SOCK_RDM, 706);
	ok = next_report(fd, &rep, &from, SOON);
	if (ok && rep.error == ECONNREFUSED) {
		/* A guest so slow that the probe came in between */
		gone = true;
		ok = next_report(fd, &rep, &from, SOON);
	}
	result(ok && rep.error == ECONNRESET && rep.source == UET_REPORT_SES &&
	       rep.code == 2, "replaced%s", gone ? ", seen in between" : "");
	close(peer);
	close(fd);
}

/* Watches and probes under way when the socket is closed */
static void test_close(void)
{
	for (int i = 0; i < 20; i++) {
		int fd = bound_sock(SOCK_RDM, 707);

		for (int k = 0; k < 20; k++)
			watch(fd, 708, k, 10);
		usleep(i * 1000);
		close(fd);
	}
	result(true, "closed with probes under way");
}

static int cases(const char *text)
{
	here = text;
	ktap_begin();
	test_arguments();
	test_life(SOCK_RDM);
	test_life(SOCK_SEQPACKET);
	test_replaced();
	test_close();
	return ktap_finish();
}

int main(int argc, char **argv)
{
	struct sockaddr_uet to, from;
	struct libuet_sock how = { .type = SOCK_RDM };
	struct uet_report rep;
	int fd, opt, i;

	while ((opt = getopt(argc, argv, "j:")) == 'j')
		uet_option(&how, "job", optarg);
	if (argc - optind == 1 && !how.job)
		return cases(argv[optind]);
	if (opt != -1 || argc - optind < 3)
		die("usage: uet_watch ADDR | [-j JOB] INTERVAL TIMEOUT ADDR/PID...");
	setvbuf(stdout, NULL, _IOLBF, 0);
	fd = uet_socket(&how);
	for (i = optind + 2; i < argc; i++) {
		uet_endpoint(&to, argv[i], how.job);
		if (libuet_watch(fd, &to, i - optind - 2, atoi(argv[optind]),
				 atoi(argv[optind + 1])))
			die("UET_WATCH: %s", strerror(errno));
	}
	printf("watching\n");
	for (;;)
		if (next_report(fd, &rep, &from, -1))
			printf("%llu %s %u 0x%x\n",
			       (unsigned long long)rep.cookie,
			       rep.error ? strerrorname_np(rep.error) : "OK",
			       rep.source, rep.code);
}
