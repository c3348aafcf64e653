// SPDX-License-Identifier: GPL-2.0
/*
 * Messages of sendmmsg() wait for the last one of the call. If that never comes they
 * arrive all the same, complete and in order, and without another send.
 *
 *   uet_batch ADDR      an address of this host
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sock_util.h"

#define NR	32
#define LEN	300		/* of the longest message */

struct batch {
	struct mmsghdr		*msg;
	struct iovec		iov[NR];
	struct sockaddr_uet	name[NR];
	char			buf[NR][LEN];
};

static struct batch out;

/* The first @fit headers are the last ones of a page, with nothing behind it. */
static struct mmsghdr *headers(int fit)
{
	size_t page = sysconf(_SC_PAGESIZE);
	char *p = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED || (fit < NR && munmap(p + page, page)))
		die("mmap");
	return (struct mmsghdr *)(p + page - fit * sizeof(struct mmsghdr));
}

/* Message @i of a batch; its text says which one it is */
static size_t text(char *buf, int i)
{
	memset(buf, 'a' + i % 26, LEN);
	snprintf(buf, LEN, "message %d", i);
	return 20 + i * 37 % (LEN - 20);
}

/* Messages for @pid, or in turn for @pid and @other */
static void fill(uint16_t pid, uint16_t other, int fit)
{
	memset(&out, 0, sizeof(out));
	out.msg = headers(fit);
	for (int i = 0; i < NR; i++) {
		uet_addr(&out.name[i], here, 0, i % 2 ? other : pid, 0);
		out.iov[i] = (struct iovec){ out.buf[i], text(out.buf[i], i) };
	}
	for (int i = 0; i < fit && i < NR; i++) {
		struct msghdr *m = &out.msg[i].msg_hdr;

		m->msg_name = &out.name[i];
		m->msg_namelen = sizeof(out.name[i]);
		m->msg_iov = &out.iov[i];
		m->msg_iovlen = 1;
	}
}

/* Receives @n messages: number @first, and so on by @step */
static bool arrive(int fd, int n, int first, int step)
{
	char want[LEN], got[LEN];
	size_t len;
	ssize_t ret;

	for (int i = first; n--; i += step) {
		len = text(want, i);
		ret = recv(fd, got, sizeof(got), 0);
		if (ret != (ssize_t)len || memcmp(want, got, len)) {
			note("message %d: %zd, %.20s", i, ret, ret > 0 ? got : "");
			return false;
		}
	}
	return true;
}

/* What the kernel does of sendmmsg() until it cannot go on */
static void begin(int fd, int n)
{
	for (int i = 0; i < n; i++)
		if (sendmsg(fd, &out.msg[i].msg_hdr, MSG_BATCH) < 0)
			die("send %d", i);
}

static void test_cut_header(void)
{
	int a = bound_sock(SOCK_SEQPACKET, 901), b = bound_sock(SOCK_SEQPACKET, 902);
	int n;

	for (int fit = 1; fit < NR; fit += 10) {
		fill(902, 902, fit);
		n = sendmmsg(a, out.msg, NR, 0);
		result(n == fit && arrive(b, fit, 0, 1) && !readable(b, 100),
		       "no header after %d (%d)", fit, n);
	}
	close(a);
	close(b);
}

static void test_cut_message(void)
{
	int a = bound_sock(SOCK_SEQPACKET, 903), b = bound_sock(SOCK_SEQPACKET, 904);
	int n;

	fill(904, 904, NR);
	out.name[5].suet_job = 77;
	n = sendmmsg(a, out.msg, NR, 0);
	result(n == 5 && arrive(b, 5, 0, 1), "a bad address (%d)", n);
	fill(904, 904, NR);
	out.iov[7].iov_base = (void *)8;
	n = sendmmsg(a, out.msg, NR, 0);
	result(n == 7 && arrive(b, 7, 0, 1), "no data (%d)", n);
	close(a);
	close(b);
}

/* Nobody reads meanwhile, so what fills the buffer must have left it. */
static void test_cut_full(void)
{
	int a = bound_sock(SOCK_SEQPACKET, 905), b = bound_sock(SOCK_SEQPACKET, 906);
	int small = 5000, n;

	setsockopt(a, SOL_SOCKET, SO_SNDBUF, &small, sizeof(small));
	fill(906, 906, NR);
	n = sendmmsg(a, out.msg, NR, MSG_DONTWAIT);
	result(n > 0 && arrive(b, n, 0, 1), "a full buffer (%d)", n);
	close(a);
	close(b);
}

static void test_waits(void)
{
	int a = bound_sock(SOCK_SEQPACKET, 907), b = bound_sock(SOCK_SEQPACKET, 908);
	int small = 5000, n;

	setsockopt(a, SOL_SOCKET, SO_SNDBUF, &small, sizeof(small));
	fill(908, 908, NR);
	n = sendmmsg(a, out.msg, NR, 0);
	result(n == NR && arrive(b, NR, 0, 1), "it waits for room (%d)", n);
	close(a);
	close(b);
}

static void test_in_turn(void)
{
	int a = bound_sock(SOCK_SEQPACKET, 909), b = bound_sock(SOCK_SEQPACKET, 910);
	int c = bound_sock(SOCK_SEQPACKET, 911);

	fill(910, 911, NR);
	result(sendmmsg(a, out.msg, NR, 0) == NR && arrive(b, NR / 2, 0, 2) &&
	       arrive(c, NR / 2, 1, 2), "two receivers in turn");
	begin(a, NR - 1);
	result(arrive(b, NR / 2, 0, 2) && arrive(c, NR / 2 - 1, 1, 2),
	       "two receivers in turn, no end");
	close(a);
	close(b);
	close(c);
}

/* How a sender ends in the middle */
enum ending { STAYS, SHUTS, CLOSES, EXITS, DIES, ENDINGS };

static void test_ending(enum ending how)
{
	static const char * const names[] = { "stays", "shuts down", "closes",
					      "exits", "is killed" };
	int b = bound_sock(SOCK_SEQPACKET, 912), a;
	pid_t child;
	bool ok;

	fill(912, 912, NR);
	child = fork();
	if (!child) {
		a = open_sock(SOCK_SEQPACKET);
		begin(a, NR - 3);
		if (how == SHUTS)
			shutdown(a, SHUT_WR);
		else if (how == CLOSES)
			close(a);
		else if (how == EXITS)
			_exit(0);
		else if (how == DIES)
			kill(getpid(), SIGKILL);
		pause();
	}
	ok = arrive(b, NR - 3, 0, 1);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	result(ok && !readable(b, 100), "the sender %s", names[how]);
	close(b);
}

/* The next send of any kind takes them along, in order. */
static void test_goes_on(void)
{
	int a = bound_sock(SOCK_SEQPACKET, 913), b = bound_sock(SOCK_SEQPACKET, 914);

	fill(914, 914, NR);
	for (int i = 0; i < NR; i++)
		sendmsg(a, &out.msg[i].msg_hdr, i % 3 ? MSG_BATCH : 0);
	result(arrive(b, NR, 0, 1), "batches of three and their ends");
	close(a);
	close(b);
}

int main(int argc, char **argv)
{
	if (argc != 2)
		die("usage: uet_batch ADDR");
	here = argv[1];
	ktap_begin();
	test_cut_header();
	test_cut_message();
	test_cut_full();
	test_waits();
	test_in_turn();
	for (int how = 0; how < ENDINGS; how++)
		test_ending(how);
	test_goes_on();
	return ktap_finish();
}
