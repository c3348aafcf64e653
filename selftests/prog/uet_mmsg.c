// SPDX-License-Identifier: GPL-2.0
/*
 * sendmmsg() and recvmmsg(): order, partial results, errors in the middle, time-outs.
 *
 *   uet_mmsg ADDR      an address of this host
 */
#define _GNU_SOURCE
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sock_util.h"

#define NR	64
#define LEN	32
#define SOON	60000

struct batch {
	struct mmsghdr		msg[NR];
	struct iovec		iov[NR];
	struct sockaddr_uet	name[NR];
	char			buf[NR][LEN];
};

static struct batch in, out;

/* Messages that name their number, to an endpoint of this host */
static void fill_out(uint16_t pid, unsigned int first)
{
	memset(&out, 0, sizeof(out));
	for (int i = 0; i < NR; i++) {
		struct msghdr *m = &out.msg[i].msg_hdr;

		uet_addr(&out.name[i], here, 0, pid, 0);
		snprintf(out.buf[i], LEN, "message %u", first + i);
		out.iov[i] = (struct iovec){ out.buf[i], 8 + i % 8 };
		out.iov[i].iov_len = strlen(out.buf[i]);
		m->msg_name = &out.name[i];
		m->msg_namelen = sizeof(out.name[i]);
		m->msg_iov = &out.iov[i];
		m->msg_iovlen = 1;
	}
}

static void fill_in(size_t len)
{
	memset(&in, 0, sizeof(in));
	for (int i = 0; i < NR; i++) {
		struct msghdr *m = &in.msg[i].msg_hdr;

		in.iov[i] = (struct iovec){ in.buf[i], len };
		m->msg_iov = &in.iov[i];
		m->msg_iovlen = 1;
	}
}

/* Are messages @from to @to - 1 of a batch those from number @first on? */
static bool right(int from, int to, unsigned int first)
{
	char text[LEN];

	for (int i = from; i < to; i++) {
		int len = snprintf(text, sizeof(text), "message %u",
				   first + i - from);

		if (in.msg[i].msg_len != (unsigned int)len ||
		    memcmp(in.buf[i], text, len) ||
		    !(in.msg[i].msg_hdr.msg_flags & MSG_EOR)) {
			note("%d is %.*s", i, (int)in.msg[i].msg_len,
			     in.buf[i]);
			return false;
		}
	}
	return true;
}

/* Wait until @n messages have arrived, without taking one */
static bool arrived(int fd, int n)
{
	char byte;
	int off = -1, i, zero;

	for (int tries = 0; tries < 600; tries++) {
		zero = 0;
		setsockopt(fd, SOL_SOCKET, SO_PEEK_OFF, &zero, sizeof(zero));
		for (i = 0; i < n; i++) {
			struct iovec iov = { &byte, 1 };
			struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
			ssize_t len = recvmsg(fd, &msg, MSG_PEEK | MSG_TRUNC |
					      MSG_DONTWAIT);

			if (len < 0)
				break;
			zero += len;
			setsockopt(fd, SOL_SOCKET, SO_PEEK_OFF, &zero,
				   sizeof(zero));
		}
		if (i == n)
			break;
		usleep(20000);
	}
	setsockopt(fd, SOL_SOCKET, SO_PEEK_OFF, &off, sizeof(off));
	return i == n;
}

/* A process that sends @n messages, after a pause before each */
static pid_t sender(uint16_t pid, int n, int pause_ms)
{
	pid_t child = fork();
	int fd;

	if (child)
		return child;
	fd = open_sock(SOCK_SEQPACKET);
	for (int i = 0; i < n; i++) {
		usleep(pause_ms * 1000);
		if (send_to(fd, "tick", 4, pid) != 4)
			_exit(1);
	}
	_exit(0);
}

static void end(pid_t child)
{
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

static void test_order(int type)
{
	int a = bound_sock(type, 801), b = bound_sock(type, 802), n = 0;

	fill_out(802, 0);
	result(sendmmsg(a, out.msg, NR, 0) == NR, "type %d: all are sent", type);
	fill_in(LEN);
	/* What is not ordered may come in any order: count it. */
	if (type == SOCK_SEQPACKET)
		n = recvmmsg(b, in.msg, NR, 0, NULL);
	else
		while (n < NR && recvmmsg(b, in.msg, 1, 0, NULL) == 1)
			n++;
	result(n == NR && (type == SOCK_RDM || right(0, NR, 0)),
	       "type %d: all arrive (%d)", type, n);
	EXPECT_ERR(recvmmsg(b, in.msg, NR, MSG_DONTWAIT, NULL), EAGAIN,
		   "no more");
	close(a);
	close(b);
}

static void test_send_error(void)
{
	int a = bound_sock(SOCK_SEQPACKET, 803);
	int b = bound_sock(SOCK_SEQPACKET, 804), n;

	fill_out(804, 0);
	out.name[3].suet_job = 77;
	n = sendmmsg(a, out.msg, NR, 0);
	result(n == 3, "an error in the middle ends it before (%d)", n);
	EXPECT_ERR(sendmmsg(a, out.msg + 3, NR - 3, 0), EACCES,
		   "and is told when it is first");
	n = sendmmsg(a, out.msg + 4, NR - 4, 0);
	result(n == NR - 4, "those behind can be sent (%d)", n);
	out.msg[0].msg_hdr.msg_iov = (void *)8;
	EXPECT_ERR(sendmmsg(a, out.msg, NR, 0), EFAULT, "bad address");
	fill_in(LEN);
	n = recvmmsg(b, in.msg, NR - 1, 0, NULL);
	result(n == NR - 1 && right(0, 3, 0) && right(3, NR - 1, 4),
	       "what was counted arrives, in order (%d)", n);
	close(a);
	close(b);
}

/* A receiver that does not read, and buffers that hold a part */
static void test_send_full(void)
{
	int a = bound_sock(SOCK_SEQPACKET, 805);
	int b = bound_sock(SOCK_SEQPACKET, 806);
	int small = 20000, sent = 0, got = 0, n;
	struct pollfd pfd = { .fd = a, .events = POLLOUT };

	setsockopt(a, SOL_SOCKET, SO_SNDBUF, &small, sizeof(small));
	setsockopt(b, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
	fill_out(806, 0);
	for (int i = 0; i < 100; i++) {
		n = sendmmsg(a, out.msg, NR, MSG_DONTWAIT);
		if (n > 0)
			sent += n;
		if (n < NR)
			break;
	}
	result(n < NR && (n > 0 || errno == EAGAIN),
	       "a full buffer ends a batch (%d after %d)", n, sent);
	/* Go on, as buffers empty, to the end of a batch */
	for (int i = 0; i < 1000 && sent % NR; i++) {
		while (recvmmsg(b, in.msg, 1, MSG_DONTWAIT, NULL) == 1)
			got++;
		poll(&pfd, 1, 100);
		n = sendmmsg(a, out.msg + sent % NR, NR - sent % NR,
			     MSG_DONTWAIT);
		if (n > 0)
			sent += n;
	}
	fill_in(LEN);
	while (got < sent && (n = recvmmsg(b, in.msg, NR, MSG_WAITFORONE,
					   NULL)) > 0)
		got += n;
	result(got == sent && !readable(b, 200), "what was counted arrives: %d of %d",
	       got, sent);
	close(a);
	close(b);
}

static void test_waitforone(void)
{
	int a = bound_sock(SOCK_SEQPACKET, 807);
	int b = bound_sock(SOCK_SEQPACKET, 808), n;
	pid_t child;

	fill_out(808, 0);
	fill_in(LEN);
	sendmmsg(a, out.msg, 3, 0);
	result(arrived(b, 3), "three wait");
	n = recvmmsg(b, in.msg, NR, MSG_WAITFORONE, NULL);
	result(n == 3 && right(0, 3, 0), "MSG_WAITFORONE takes what is there (%d)",
	       n);
	sendmmsg(a, out.msg, 2, 0);
	result(arrived(b, 2), "two wait");
	n = recvmmsg(b, in.msg, NR, MSG_DONTWAIT, NULL);
	result(n == 2, "MSG_DONTWAIT does, too (%d)", n);
	child = sender(808, 1, 300);
	n = recvmmsg(b, in.msg, NR, MSG_WAITFORONE, NULL);
	result(n == 1 && in.msg[0].msg_len == 4, "MSG_WAITFORONE waits for one (%d)",
	       n);
	end(child);
	close(a);
	close(b);
}

static void test_timeout(void)
{
	struct timespec ts = { .tv_nsec = 500 * 1000 * 1000 }, bad = { -1, 0 };
	int b = bound_sock(SOCK_SEQPACKET, 809), n;
	pid_t child = sender(809, NR - 1, 50);

	fill_in(LEN);
	n = recvmmsg(b, in.msg, NR, 0, &ts);
	result(n > 0 && n < NR - 1 && !ts.tv_sec && !ts.tv_nsec,
	       "the time-out ends it (%d)", n);
	end(child);
	EXPECT_ERR(recvmmsg(b, in.msg, NR, 0, &bad), EINVAL, "bad time-out");
	close(b);
}

/* An error after the first messages is told by the next call. */
static void test_recv_error(void)
{
	int a = bound_sock(SOCK_SEQPACKET, 810);
	int b = bound_sock(SOCK_SEQPACKET, 811), n, val = 0;
	socklen_t len = sizeof(val);

	for (int round = 0; round < 2; round++) {
		fill_out(811, 0);
		sendmmsg(a, out.msg, 4, 0);
		fill_in(LEN);
		in.iov[2].iov_base = (void *)8;
		n = recvmmsg(b, in.msg, 4, 0, NULL);
		result(n == 2 && right(0, 2, 0), "a bad buffer ends it (%d)", n);
		if (round)
			result(!getsockopt(b, SOL_SOCKET, SO_ERROR, &val, &len) &&
			       val == EFAULT, "SO_ERROR says why (%d)", val);
		else
			EXPECT_ERR(recv(b, in.buf[0], LEN, 0), EFAULT,
				   "the next call says why:");
		fill_in(LEN);
		n = recvmmsg(b, in.msg, 2, 0, NULL);
		result(n == 2 && right(0, 2, 2), "nothing is lost (%d)", n);
	}
	close(a);
	close(b);
}

/* A message that failed is no error of a receive. */
static void test_report(void)
{
	int a = bound_sock(SOCK_SEQPACKET, 812);
	int b = bound_sock(SOCK_SEQPACKET, 813), n, val = 0;
	char control[NR][512];
	socklen_t len = sizeof(val);
	struct pollfd pfd = { .fd = a };
	struct uet_report rep;

	for (int i = 0; i < 3; i++)
		send_to(a, "nobody", 6, 3001);
	result(poll(&pfd, 1, SOON) == 1 && pfd.revents & POLLERR,
	       "a message failed");
	fill_out(812, 0);
	sendmmsg(b, out.msg, 3, 0);
	fill_in(LEN);
	n = recvmmsg(a, in.msg, 3, 0, NULL);
	result(n == 3 && right(0, 3, 0), "recvmmsg() receives (%d)", n);
	result(!getsockopt(a, SOL_SOCKET, SO_ERROR, &val, &len) &&
	       val == ECONNREFUSED, "SO_ERROR says so (%d)", val);
	val = 1;
	getsockopt(a, SOL_SOCKET, SO_ERROR, &val, &len);
	fill_in(LEN);
	for (int i = 0; i < NR; i++) {
		in.msg[i].msg_hdr.msg_control = control[i];
		in.msg[i].msg_hdr.msg_controllen = sizeof(control[i]);
	}
	for (n = 0; n < 3 && poll(&pfd, 1, SOON) == 1;) {
		int got = recvmmsg(a, in.msg + n, NR - n, MSG_ERRQUEUE |
				   MSG_DONTWAIT, NULL);

		if (got > 0)
			n += got;
	}
	result(n == 3 && libuet_get_cmsg(&in.msg[2].msg_hdr, UET_CMSG_REPORT,
					 &rep, sizeof(rep)) &&
	       rep.error == ECONNREFUSED && rep.cookie == 2,
	       "recvmmsg() of the error queue (%d)", n);
	close(a);
	close(b);
}

static void test_peek(void)
{
	int a = bound_sock(SOCK_SEQPACKET, 814);
	int b = bound_sock(SOCK_SEQPACKET, 815), n, off = 0;

	fill_out(815, 0);
	fill_in(LEN);
	sendmmsg(a, out.msg, NR, 0);
	result(arrived(b, NR), "all wait");
	setsockopt(b, SOL_SOCKET, SO_PEEK_OFF, &off, sizeof(off));
	n = recvmmsg(b, in.msg, NR, MSG_PEEK | MSG_DONTWAIT, NULL);
	result(n == NR && right(0, NR, 0), "SO_PEEK_OFF shows all (%d)", n);
	fill_in(LEN);
	n = recvmmsg(b, in.msg, NR, 0, NULL);
	result(n == NR && right(0, NR, 0), "and they are still there (%d)", n);
	close(a);
	close(b);
}

/* A buffer that is too short: the next one gets the rest. */
static void test_parts(void)
{
	int a = bound_sock(SOCK_SEQPACKET, 816);
	int b = bound_sock(SOCK_SEQPACKET, 817), n;

	fill_out(817, 100);
	fill_in(4);
	sendmmsg(a, out.msg, 2, 0);
	n = recvmmsg(b, in.msg, 6, 0, NULL);
	result(n == 6 && !memcmp(in.buf[0], "mess", 4) &&
	       !memcmp(in.buf[2], "100", 3) && in.msg[2].msg_len == 3 &&
	       !(in.msg[1].msg_hdr.msg_flags & MSG_EOR) &&
	       in.msg[2].msg_hdr.msg_flags & MSG_EOR,
	       "messages in parts (%d, %u)", n, in.msg[2].msg_len);
	close(a);
	close(b);
}

int main(int argc, char **argv)
{
	if (argc != 2)
		die("usage: uet_mmsg ADDR");
	here = argv[1];
	ktap_begin();
	test_order(SOCK_RDM);
	test_order(SOCK_SEQPACKET);
	test_send_error();
	test_send_full();
	test_waitforone();
	test_timeout();
	test_recv_error();
	test_report();
	test_peek();
	test_parts();
	return ktap_finish();
}
