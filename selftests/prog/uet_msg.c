// SPDX-License-Identifier: GPL-2.0
/*
 * Messages through the system calls: parts and ends, flags, waiting, control
 * messages, reports. They travel from the host to itself.
 *
 *   uet_msg ADDR     an address of this host
 */
#define _GNU_SOURCE
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/errqueue.h>
#include <linux/sockios.h>

#include "sock_util.h"

/* Longest wait for a report, ms */
#define SOON		30000

/* --- messages ---------------------------------------------------------------- */

static void test_messages(int type)
{
	int a = bound_sock(type, 530), b = bound_sock(type, 531);
	struct sockaddr_uet from;
	socklen_t len = sizeof(from);
	char buf[100];
	int flags, n;

	EXPECT_ERR(recv(b, buf, 1, MSG_DONTWAIT), EAGAIN, "recv: nothing yet");
	result(!readable(b, 0), "type %d: poll: nothing yet", type);
	result(send_to(a, "0123456789", 10, 531) == 10, "type %d: send", type);
	result(readable(b, 20000), "type %d: poll: readable", type);
	result(!ioctl(b, SIOCINQ, &n) && n == 10, "type %d: SIOCINQ", type);
	result(recv_flags(b, buf, 4, MSG_PEEK, &flags) == 4 &&
	       !memcmp(buf, "0123", 4), "type %d: peek", type);
	result(recv_flags(b, buf, 4, 0, &flags) == 4 && !(flags & MSG_EOR) &&
	       !memcmp(buf, "0123", 4), "type %d: first part, no MSG_EOR",
	       type);
	memset(&from, 0xff, sizeof(from));
	result(recvfrom(b, buf, 3, 0, (struct sockaddr *)&from, &len) == 3 &&
	       !memcmp(buf, "456", 3), "type %d: second part", type);
	result(from.suet_pid == 530 && from.suet_family == libuet_family() &&
	       from.suet_reserved == 0 && len == sizeof(from),
	       "type %d: address of the sender", type);
	result(recv_flags(b, buf, 100, 0, &flags) == 3 &&
	       (flags & MSG_EOR) && !memcmp(buf, "789", 3),
	       "type %d: last part has MSG_EOR", type);
	/* The address that recvfrom() gave is good for an answer */
	result(sendto(b, "back", 4, 0, (struct sockaddr *)&from, len) == 4 &&
	       recv(a, buf, 100, 0) == 4, "type %d: answer", type);
	result(send_to(a, NULL, 0, 531) == 0 &&
	       recv_flags(b, buf, 100, 0, &flags) == 0 && (flags & MSG_EOR),
	       "type %d: empty message", type);
	close(a);
	close(b);
}

static void test_waitall(void)
{
	int a = bound_sock(SOCK_RDM, 532), b = bound_sock(SOCK_RDM, 533);
	size_t len = 3 * 1000 * 1000;
	char *buf = malloc(len);
	pid_t pid;
	int flags;

	memset(buf, 7, len);
	pid = fork();
	if (!pid)
		_exit(send_to(a, buf, len, 533) != (ssize_t)len);
	result(recv_flags(b, buf, len, MSG_WAITALL, &flags) == (ssize_t)len &&
	       (flags & MSG_EOR), "MSG_WAITALL returns the whole message");
	waitpid(pid, NULL, 0);
	send_to(a, "short", 5, 533);
	result(recv_flags(b, buf, 100, MSG_WAITALL, &flags) == 5,
	       "MSG_WAITALL ends at the end of the message");
	free(buf);
	close(a);
	close(b);
}

static void test_trunc(void)
{
	int a = bound_sock(SOCK_RDM, 534), b = bound_sock(SOCK_RDM, 535);
	char buf[16];
	int flags;

	send_to(a, "0123456789", 10, 535);
	readable(b, 20000);
	result(recv_flags(b, buf, 4, MSG_PEEK | MSG_TRUNC, &flags) == 10,
	       "MSG_TRUNC tells the length");
	result(recv_flags(b, buf, 16, 0, &flags) == 10 && (flags & MSG_EOR),
	       "and leaves the message alone");
	close(a);
	close(b);
}

static void test_timeouts(void)
{
	struct timeval tv = { .tv_usec = 200000 };
	int fd = bound_sock(SOCK_RDM, 536);
	uint64_t t0 = host_now_ns();
	char byte;

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv));
	EXPECT_ERR(recv(fd, &byte, 1, 0), EAGAIN, "SO_RCVTIMEO");
	result(host_now_ns() - t0 > 150000000, "after the time");
	close(fd);
}

static void test_vectors(void)
{
	int a = bound_sock(SOCK_SEQPACKET, 537);
	int b = bound_sock(SOCK_SEQPACKET, 538);
	struct mmsghdr out[3], in[3];
	struct iovec iov_out[3], iov_in[3];
	char bufs[3][8];
	struct sockaddr_uet to;
	int n = 0;

	uet_addr(&to, here, 0, 538, 0);
	memset(out, 0, sizeof(out));
	memset(in, 0, sizeof(in));
	for (int i = 0; i < 3; i++) {
		iov_out[i] = (struct iovec){ "abcdef" + i, 3 };
		out[i].msg_hdr.msg_iov = &iov_out[i];
		out[i].msg_hdr.msg_iovlen = 1;
		out[i].msg_hdr.msg_name = &to;
		out[i].msg_hdr.msg_namelen = sizeof(to);
		iov_in[i] = (struct iovec){ bufs[i], 8 };
		in[i].msg_hdr.msg_iov = &iov_in[i];
		in[i].msg_hdr.msg_iovlen = 1;
	}
	result(sendmmsg(a, out, 3, 0) == 3, "sendmmsg");
	while (n < 3) {
		int got = recvmmsg(b, in + n, 3 - n, MSG_WAITFORONE, NULL);

		if (got <= 0)
			break;
		n += got;
	}
	result(n == 3 && in[0].msg_len == 3 && in[2].msg_len == 3 &&
	       !memcmp(bufs[0], "abc", 3) && !memcmp(bufs[2], "cde", 3),
	       "recvmmsg");
	close(a);
	close(b);
}

/* What can be read of a long message while it arrives: not less than that */
static void test_lowat(void)
{
	int a = bound_sock(SOCK_RDM, 546), b = bound_sock(SOCK_RDM, 547);
	int rcvbuf = 65536, lowat = 20000;
	size_t len = 1000 * 1000, got = 0;
	char *buf = malloc(len);
	bool ok = true;
	ssize_t n;
	pid_t pid;
	int flags;

	memset(buf, 7, len);
	setsockopt(b, SOL_SOCKET, SO_RCVBUF, &rcvbuf, sizeof(rcvbuf));
	result(!setsockopt(b, SOL_SOCKET, SO_RCVLOWAT, &lowat, sizeof(lowat)),
	       "SO_RCVLOWAT");
	pid = fork();
	if (!pid)
		_exit(send_to(a, buf, len, 547) != (ssize_t)len);
	do {
		n = recv_flags(b, buf, len, 0, &flags);
		if (n > 0)
			got += n;
		if (n <= 0 || (n < lowat && !(flags & MSG_EOR)))
			ok = false;
	} while (n > 0 && !(flags & MSG_EOR));
	result(ok && got == len, "no read returns less, but the last one");
	waitpid(pid, NULL, 0);
	free(buf);
	close(a);
	close(b);
}

static void test_timestamp(void)
{
	int a = bound_sock(SOCK_RDM, 548), b = bound_sock(SOCK_RDM, 549);
	char space[256], buf[16];
	struct iovec iov = { buf, sizeof(buf) };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = space, .msg_controllen = sizeof(space),
	};
	struct timeval now, tv = { 0 };
	struct cmsghdr *cm;
	int on = 1;

	setsockopt(b, SOL_SOCKET, SO_TIMESTAMP, &on, sizeof(on));
	send_to(a, "when", 4, 549);
	result(recvmsg(b, &msg, 0) == 4, "receive with SO_TIMESTAMP");
	for (cm = CMSG_FIRSTHDR(&msg); cm; cm = CMSG_NXTHDR(&msg, cm))
		if (cm->cmsg_level == SOL_SOCKET &&
		    cm->cmsg_type == SO_TIMESTAMP)
			memcpy(&tv, CMSG_DATA(cm), sizeof(tv));
	gettimeofday(&now, NULL);
	result(tv.tv_sec && now.tv_sec - tv.tv_sec < 60,
	       "it says when the message came");
	close(a);
	close(b);
}

/* --- what is withdrawn while it is read ---------------------------------------- */

/* A child sends more than there is room for, and gives up when it can not go on
 * for half a second.
 */
static pid_t send_in_vain(void)
{
	struct timeval half = { .tv_usec = 500000 };
	int a, sndbuf = 65536;
	char *buf;
	pid_t pid;

	pid = fork();
	if (pid)
		return pid;
	a = bound_sock(SOCK_RDM, 558);
	buf = calloc(1, 1000000);
	setsockopt(a, SOL_SOCKET, SO_SNDBUF, &sndbuf, sizeof(sndbuf));
	setsockopt(a, SOL_SOCKET, SO_SNDTIMEO, &half, sizeof(half));
	send_to(a, buf, 1000000, 559);
	close(a);
	_exit(0);
}

/* Look until the error is there; it must be for the next read as well. */
static void peek_abort(int b, int flags, const char *name)
{
	pid_t pid = send_in_vain();
	char buf[100];
	int tries, err = 0;

	if (recv(b, buf, sizeof(buf), flags) != sizeof(buf))
		err = errno;
	waitpid(pid, NULL, 0);
	for (tries = 0; !err && tries < 2000; tries++) {
		if (recv(b, buf, sizeof(buf), MSG_PEEK | MSG_DONTWAIT) < 0)
			err = errno;
		else
			usleep(10000);
	}
	result(err == ECONNABORTED, "%s: MSG_PEEK tells of the end (%s)", name,
	       strerror(err));
	EXPECT_ERR(recv(b, buf, sizeof(buf), MSG_DONTWAIT), ECONNABORTED, name);
	EXPECT_ERR(recv(b, buf, sizeof(buf), MSG_DONTWAIT), EAGAIN, name);
}

static void test_peek_abort(void)
{
	int b = bound_sock(SOCK_RDM, 559), rcvbuf = 65536;

	setsockopt(b, SOL_SOCKET, SO_RCVBUF, &rcvbuf, sizeof(rcvbuf));
	peek_abort(b, 0, "withdrawn while it was read");
	peek_abort(b, MSG_PEEK, "withdrawn while it was looked at");
	close(b);
}

/* --- close ------------------------------------------------------------------- */

#define LINGER_MSGS	100
/* Nobody reads meanwhile: what waits does so for ever */
#define AT_ONCE_MS	10000

/* Queue more than the receiver has room for, close with @linger, and see how
 * many arrive when somebody reads. Returns the ms that close() took.
 */
static unsigned int close_with(const struct linger *linger, unsigned int *came)
{
	int a = bound_sock(SOCK_RDM, 556), b = bound_sock(SOCK_RDM, 557);
	static char buf[20000];
	int rcvbuf = 65536;
	uint64_t t0;
	unsigned int ms;

	setsockopt(b, SOL_SOCKET, SO_RCVBUF, &rcvbuf, sizeof(rcvbuf));
	for (int i = 0; i < LINGER_MSGS; i++)
		send_to(a, buf, sizeof(buf), 557);
	if (linger)
		setsockopt(a, SOL_SOCKET, SO_LINGER, linger, sizeof(*linger));
	t0 = host_now_ns();
	close(a);
	ms = (host_now_ns() - t0) / 1000000;
	for (*came = 0; readable(b, 3000); (*came)++)
		recv(b, buf, sizeof(buf), 0);
	close(b);
	return ms;
}

static void test_linger(void)
{
	struct linger none = { 1, 0 }, two = { 1, 2 };
	unsigned int came, ms;

	ms = close_with(NULL, &came);
	result(ms < AT_ONCE_MS && came == LINGER_MSGS,
	       "close: all goes on in the background (%u ms, %u)", ms, came);
	ms = close_with(&none, &came);
	result(ms < AT_ONCE_MS && came < LINGER_MSGS / 2,
	       "close with SO_LINGER 0 withdraws (%u ms, %u)", ms, came);
	ms = close_with(&two, &came);
	result(ms >= 1500 && came < LINGER_MSGS / 2,
	       "close with SO_LINGER 2 waits, then withdraws (%u ms, %u)", ms,
	       came);
}

/* --- poll, epoll, shutdown, queues --------------------------------------------- */

static void test_epoll(void)
{
	struct epoll_event ev = { .events = EPOLLIN | EPOLLET };
	int a = bound_sock(SOCK_RDM, 540), b = bound_sock(SOCK_RDM, 541);
	int ep = epoll_create1(0);
	char buf[8];

	epoll_ctl(ep, EPOLL_CTL_ADD, b, &ev);
	result(epoll_wait(ep, &ev, 1, 0) == 0, "epoll: nothing yet");
	send_to(a, "1", 1, 541);
	result(epoll_wait(ep, &ev, 1, 20000) == 1, "epoll: edge");
	result(epoll_wait(ep, &ev, 1, 100) == 0, "epoll: no second edge");
	send_to(a, "2", 1, 541);
	result(epoll_wait(ep, &ev, 1, 20000) == 1,
	       "epoll: an edge for the next message");
	recv(b, buf, 8, 0);
	recv(b, buf, 8, 0);
	close(a);
	close(b);
	close(ep);
}

static void test_shutdown(void)
{
	int a = bound_sock(SOCK_RDM, 542), b = bound_sock(SOCK_RDM, 543);
	struct pollfd pfd = { .fd = b, .events = POLLIN | POLLRDHUP };
	struct sockaddr_uet to;
	char byte;

	uet_addr(&to, here, 0, 543, 0);
	connect(a, (struct sockaddr *)&to, sizeof(to));
	EXPECT_ERR(shutdown(a, 7), EINVAL, "shutdown: bad argument");
	result(!shutdown(a, SHUT_WR), "shutdown SHUT_WR");
	EXPECT_ERR(send(a, "x", 1, MSG_NOSIGNAL), EPIPE,
		   "send after SHUT_WR");
	result(!shutdown(b, SHUT_RD), "shutdown SHUT_RD");
	result(recv(b, &byte, 1, 0) == 0, "recv after SHUT_RD returns 0");
	result(poll(&pfd, 1, 0) == 1 && pfd.revents & POLLIN,
	       "poll after SHUT_RD");
	close(a);
	close(b);
}

static void test_outq(void)
{
	int a = bound_sock(SOCK_RDM, 544), b = bound_sock(SOCK_RDM, 545);
	char buf[1000] = "";
	int n = -1;

	for (int i = 0; i < 20; i++)
		send_to(a, buf, sizeof(buf), 545);
	for (int i = 0; i < 200; i++) {
		if (!ioctl(a, SIOCOUTQ, &n) && n == 0)
			break;
		usleep(50000);
	}
	result(n == 0, "SIOCOUTQ becomes 0 when all is acknowledged");
	EXPECT_ERR(ioctl(a, 0x5499, &n), ENOTTY, "unknown ioctl");
	close(a);
	close(b);
}

/* --- control messages and reports ------------------------------------------------ */

/* With the control messages of @msg, which are used up */
static ssize_t send_control(int fd, const void *buf, size_t len, uint16_t pid,
			    struct msghdr *msg)
{
	struct iovec iov = { (void *)buf, len };
	struct sockaddr_uet to;
	ssize_t n;

	uet_addr(&to, here, 0, pid, 0);
	msg->msg_name = &to;
	msg->msg_namelen = sizeof(to);
	msg->msg_iov = &iov;
	msg->msg_iovlen = 1;
	n = sendmsg(fd, msg, 0);
	msg->msg_controllen = 0;
	return n;
}

static void test_control(void)
{
	int a = bound_sock(SOCK_RDM, 550), b = bound_sock(SOCK_RDM, 551);
	uint64_t hd = 0x1122334455667788ULL, tag = 0xabcd, got = 0;
	char control[256] = "", space[256], buf[16];
	struct msghdr out = { .msg_control = control };
	struct iovec iov = { buf, sizeof(buf) };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = space, .msg_controllen = sizeof(space),
	};
	struct uet_msg_info info = { 0 };
	int val = 99;

	libuet_add_cmsg(&out, sizeof(control), UET_CMSG_HEADER_DATA, &hd,
			sizeof(hd));
	libuet_add_cmsg(&out, sizeof(control), UET_CMSG_TAG, &tag, sizeof(tag));
	result(send_control(a, "hello", 5, 551, &out) == 5,
	       "send with header data and tag");
	result(recvmsg(b, &msg, 0) == 5, "and receive");
	result(libuet_get_cmsg(&msg, UET_CMSG_HEADER_DATA, &got, 8) &&
	       got == hd, "header data");
	result(libuet_get_cmsg(&msg, UET_CMSG_TAG, &got, 8) && got == tag,
	       "tag");
	result(libuet_get_cmsg(&msg, UET_CMSG_MSG_INFO, &info, sizeof(info)) &&
	       info.length == 5 && info.offset == 0 &&
	       info.delivery == UET_RUD, "message info");
	libuet_add_cmsg(&out, sizeof(control), UET_CMSG_DELIVERY, &val,
			sizeof(val));
	EXPECT_ERR(send_control(a, "x", 1, 551, &out), EINVAL,
		   "unknown delivery mode");
	libuet_add_cmsg(&out, sizeof(control), 999, &val,
			sizeof(val));
	EXPECT_ERR(send_control(a, "x", 1, 551, &out), EINVAL,
		   "unknown control message");
	libuet_add_cmsg(&out, sizeof(control), UET_CMSG_COOKIE, &val,
			sizeof(val));
	EXPECT_ERR(send_control(a, "x", 1, 551, &out), EINVAL,
		   "cookie of the wrong length");
	close(a);
	close(b);
}

static void test_failure_report(void)
{
	int a = bound_sock(SOCK_RDM, 552);
	char control[CMSG_SPACE(8)] = "", space[512] = "";
	struct msghdr out = { .msg_control = control };
	struct sockaddr_uet to, peer = {};
	struct msghdr in = {
		.msg_name = &peer, .msg_namelen = sizeof(peer),
		.msg_control = space, .msg_controllen = sizeof(space),
	};
	struct pollfd pfd = { .fd = a };
	struct sock_extended_err ee = {};
	struct uet_report rep = {};
	uint64_t cookie = 4711;
	int val = -1;
	socklen_t len = sizeof(val);

	libuet_add_cmsg(&out, sizeof(control), UET_CMSG_COOKIE, &cookie,
			sizeof(cookie));
	result(send_control(a, "nobody", 6, 3000, &out) == 6,
	       "send to nobody is taken over");
	result(poll(&pfd, 1, SOON) == 1 && pfd.revents & POLLERR &&
	       recvmsg(a, &in, MSG_ERRQUEUE | MSG_DONTWAIT) >= 0,
	       "EPOLLERR and a report follow");
	result(libuet_get_cmsg(&in, UET_CMSG_REPORT, &rep, sizeof(rep)) &&
	       rep.type == UET_REPORT_FAILED && rep.error == ECONNREFUSED &&
	       rep.source == UET_REPORT_SES && rep.code == 0x1a,
	       "it says ECONNREFUSED, SES BAD_PID");
	result(rep.cookie == cookie && rep.length == 6,
	       "with the cookie and the length");
	result(libuet_get_cmsg(&in, UET_CMSG_ERR, &ee, sizeof(ee)) &&
	       ee.ee_origin == SO_EE_ORIGIN_UET && ee.ee_errno == ECONNREFUSED,
	       "sock_extended_err agrees");
	uet_addr(&to, here, 0, 3000, 0);
	result(peer.suet_pid == 3000 &&
	       !memcmp(&peer.suet_addr, &to.suet_addr, 16),
	       "and the address of the peer");
	/* Reported once: the queue is empty now, and no error is pending */
	getsockopt(a, SOL_SOCKET, SO_ERROR, &val, &len);
	EXPECT_ERR(recv(a, space, 1, MSG_ERRQUEUE | MSG_DONTWAIT), EAGAIN,
		   "second read of the queue");
	close(a);
}

static void test_success_report(void)
{
	int a = bound_sock(SOCK_RDM, 553), b = bound_sock(SOCK_RDM, 554);
	unsigned int seen = 0;
	struct uet_report rep;
	int on = 1;
	bool ok = true;

	result(!setsockopt(a, SOL_UET, UET_NOTIFY, &on, sizeof(on)),
	       "UET_NOTIFY");
	for (int i = 0; i < 10; i++)
		send_to(a, "x", 1, 554);
	while (seen < 10 && next_report(a, &rep, NULL, SOON)) {
		if (rep.type != UET_REPORT_DELIVERED || rep.error ||
		    rep.cookie_last < rep.cookie)
			ok = false;
		seen += rep.cookie_last - rep.cookie + 1;
	}
	result(ok && seen == 10, "each success is reported once (%u)", seen);
	close(a);
	close(b);
}

/* UET_NOTIFY_NAMED: of what arrives only messages with a cookie are reported. */
static void test_named_report(void)
{
	int a = bound_sock(SOCK_SEQPACKET, 564), b = bound_sock(SOCK_RDM, 565);
	int v = UET_NOTIFY_NAMED, read_v = 0;
	struct libuet_attrs named = { .has = LIBUET_COOKIE };
	struct iovec iov = { "named", 5 };
	socklen_t len = sizeof(read_v);
	struct uet_report rep;
	struct sockaddr_uet to;
	uint64_t cookies[2] = {};
	int n = 0;

	result(!setsockopt(a, SOL_UET, UET_NOTIFY, &v, sizeof(v)) &&
	       !getsockopt(a, SOL_UET, UET_NOTIFY, &read_v, &len) && read_v == v,
	       "UET_NOTIFY_NAMED");
	v = UET_NOTIFY_NAMED + 1;
	EXPECT_ERR(setsockopt(a, SOL_UET, UET_NOTIFY, &v, sizeof(v)), EINVAL,
		   "a value beyond it");
	uet_addr(&to, here, 0, 565, 0);
	for (int i = 0; i < 6; i++) {
		named.cookie = 1000 + i;
		if (i == 1 || i == 4)
			libuet_sendmsg(a, &iov, 1, &to, &named, 0);
		else
			send_to(a, "x", 1, 565);
	}
	while (n < 2 && next_report(a, &rep, NULL, SOON))
		cookies[n++] = rep.type == UET_REPORT_DELIVERED &&
			       rep.cookie == rep.cookie_last ? rep.cookie : 0;
	result(n == 2 && cookies[0] == 1001 && cookies[1] == 1004,
	       "only messages with a cookie are reported");
	/* The last message is done before the next one that fails. */
	for (int i = 0; i < 6; i++)
		recv(b, (char[8]){}, 8, 0);
	send_to(a, "x", 1, 3000);
	result(next_report(a, &rep, NULL, SOON) && rep.error == ECONNREFUSED,
	       "... and failures of all");
	result(!next_report(a, &rep, NULL, 300), "... and nothing else");
	close(a);
	close(b);
}

static void test_max_msg(void)
{
	int a = bound_sock(SOCK_RDM, 562), b = bound_sock(SOCK_RDM, 563);
	static char buf[6000];
	struct uet_report rep;
	uint32_t max = 5000;

	setsockopt(b, SOL_UET, UET_MAX_MSG, &max, sizeof(max));
	send_to(a, buf, 5000, 563);
	result(recv(b, buf, sizeof(buf), 0) == 5000, "the longest accepted");
	send_to(a, buf, 5001, 563);
	result(next_report(a, &rep, NULL, SOON) && rep.error == EMSGSIZE,
	       "one byte more is reported as EMSGSIZE");
	close(a);
	close(b);
}

int main(int argc, char **argv)
{
	if (argc != 2)
		die("usage: uet_msg ADDR");
	here = argv[1];
	signal(SIGPIPE, SIG_IGN);
	ktap_begin();
	test_messages(SOCK_RDM);
	test_messages(SOCK_SEQPACKET);
	test_waitall();
	test_trunc();
	test_timeouts();
	test_vectors();
	test_lowat();
	test_timestamp();
	test_peek_abort();
	test_linger();
	test_epoll();
	test_shutdown();
	test_outq();
	test_control();
	test_failure_report();
	test_success_report();
	test_named_report();
	test_max_msg();
	return ktap_finish();
}
