// SPDX-License-Identifier: GPL-2.0
/*
 * io_uring: IORING_OP_SENDMSG and IORING_OP_RECVMSG, cancelled and left pending; options
 * by IORING_OP_URING_CMD, and completion queues by IORING_OP_POLL_ADD.
 *
 *   uet_uring ADDR      an address of this host
 */
#define _GNU_SOURCE
#include <liburing.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sock_util.h"

#define DEPTH	64
#define NR	16
#define LEN	64
#define SOON	60	/* s */
#define BGID	7

/* enum of Linux 6.7, SOCKET_URING_OP_* */
enum { OP_SIOCINQ, OP_SIOCOUTQ, OP_GETSOCKOPT, OP_SETSOCKOPT };

static struct io_uring ring;

/* A message of the ring: its memory stays until it is done */
struct item {
	struct msghdr		msg;
	struct iovec		iov;
	struct sockaddr_uet	name;
	char			control[512];
	char			buf[LEN];
};

static struct item items[DEPTH];

static struct item *send_item(int i, uint16_t pid, const char *text)
{
	struct item *it = &items[i];

	memset(it, 0, sizeof(*it));
	uet_addr(&it->name, here, 0, pid, 0);
	snprintf(it->buf, LEN, "%s", text);
	it->iov = (struct iovec){ it->buf, strlen(text) };
	it->msg.msg_name = &it->name;
	it->msg.msg_namelen = sizeof(it->name);
	it->msg.msg_iov = &it->iov;
	it->msg.msg_iovlen = 1;
	return it;
}

static struct item *recv_item(int i)
{
	struct item *it = &items[i];

	memset(it, 0, sizeof(*it));
	it->iov = (struct iovec){ it->buf, LEN };
	it->msg.msg_name = &it->name;
	it->msg.msg_namelen = sizeof(it->name);
	it->msg.msg_iov = &it->iov;
	it->msg.msg_iovlen = 1;
	return it;
}

static struct io_uring_sqe *queue_send(int fd, int i, unsigned int flags)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&ring);

	io_uring_prep_sendmsg(sqe, fd, &items[i].msg, flags);
	sqe->user_data = i;
	return sqe;
}

static struct io_uring_sqe *queue_recv(int fd, int i, unsigned int flags)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&ring);

	io_uring_prep_recvmsg(sqe, fd, &items[i].msg, flags);
	sqe->user_data = i;
	return sqe;
}

/* The next completion: its number, result and flags; false if none comes */
static bool next_cqe(uint64_t *data, int *res, unsigned int *flags)
{
	struct __kernel_timespec ts = { .tv_sec = SOON };
	struct io_uring_cqe *cqe;

	if (io_uring_wait_cqe_timeout(&ring, &cqe, &ts)) {
		note("no completion");
		return false;
	}
	*data = cqe->user_data;
	*res = cqe->res;
	if (flags)
		*flags = cqe->flags;
	io_uring_cqe_seen(&ring, cqe);
	return true;
}

/* The result of one operation that alone is under way */
static int one(int i)
{
	uint64_t data;
	int res;

	io_uring_submit(&ring);
	if (!next_cqe(&data, &res, NULL) || data != (uint64_t)i)
		return -EPROTO;
	return res;
}

static bool none(void)
{
	struct io_uring_cqe *cqe;

	io_uring_submit(&ring);
	usleep(50000);
	return io_uring_peek_cqe(&ring, &cqe) == -EAGAIN;
}

static bool is(int i, int res, const char *text)
{
	note("%d: %s", res, res < 0 ? strerror(-res) : items[i].buf);
	return res == (int)strlen(text) && !memcmp(items[i].buf, text, res) &&
	       items[i].msg.msg_flags & MSG_EOR;
}

static void test_pair(int type, unsigned int prio, const char *what)
{
	int a = bound_sock(type, 841), b = bound_sock(type, 842);

	recv_item(0);
	queue_recv(b, 0, 0)->ioprio = prio;
	result(none(), "type %d, %s: a receive waits", type, what);
	send_item(1, 842, "hello");
	queue_send(a, 1, 0)->ioprio = prio;
	io_uring_submit(&ring);
	for (int i = 0; i < 2; i++) {
		uint64_t data = 9;
		int res = 0;

		next_cqe(&data, &res, NULL);
		if (data == 1)
			result(res == 5, "type %d, %s: sent", type, what);
		else
			result(data == 0 && is(0, res, "hello") &&
			       items[0].name.suet_pid == 841,
			       "type %d, %s: received", type, what);
	}
	close(a);
	close(b);
}

/* A chain of sends, then of receives: in order */
static void test_order(void)
{
	int a = bound_sock(SOCK_SEQPACKET, 843), good = 0, res = 0;
	int b = bound_sock(SOCK_SEQPACKET, 844);
	uint64_t data;
	char text[LEN];

	for (int i = 0; i < NR; i++) {
		snprintf(text, LEN, "message %d", i);
		send_item(i, 844, text);
		queue_send(a, i, 0)->flags |= i < NR - 1 ? IOSQE_IO_LINK : 0;
		recv_item(NR + i);
		queue_recv(b, NR + i, 0)->flags |=
			i < NR - 1 ? IOSQE_IO_LINK : 0;
		io_uring_submit(&ring);
		for (int k = 0; k < 2; k++)
			if (next_cqe(&data, &res, NULL) &&
			    (data == (uint64_t)i ||
			     (data == (uint64_t)NR + i &&
			      is(NR + i, res, text))))
				good++;
	}
	result(good == 2 * NR, "one after the other: %d right", good);
	good = 0;
	for (int i = 0; i < NR; i++) {
		snprintf(text, LEN, "chained %d", i);
		send_item(i, 844, text);
		queue_send(a, i, 0)->flags |= i < NR - 1 ? IOSQE_IO_LINK : 0;
	}
	io_uring_submit(&ring);
	for (int i = 0; i < NR; i++) {
		snprintf(text, LEN, "chained %d", i);
		good += next_cqe(&data, &res, NULL) && data == (uint64_t)i &&
			res == (int)strlen(text);
	}
	for (int i = 0; i < NR; i++) {
		snprintf(text, LEN, "chained %d", i);
		recv_item(i);
		queue_recv(b, i, 0);
		good += is(i, one(i), text);
	}
	result(good == 2 * NR, "a chain of sends: %d right", good);
	close(a);
	close(b);
}

/* An error breaks the chain, what is before it is sent. */
static void test_error(void)
{
	int a = bound_sock(SOCK_SEQPACKET, 845), res = 0;
	int b = bound_sock(SOCK_SEQPACKET, 846);
	static const int want[] = { 1, -EACCES, -ECANCELED };
	uint64_t data = 0;
	bool ok = true;

	for (int i = 0; i < 3; i++) {
		send_item(i, 846, "x");
		if (i == 1)
			items[i].name.suet_job = 77;
		queue_send(a, i, 0)->flags |= i < 2 ? IOSQE_IO_LINK : 0;
	}
	io_uring_submit(&ring);
	for (int i = 0; i < 3; i++)
		if (!next_cqe(&data, &res, NULL) || res != want[data]) {
			note("%d: %d", (int)data, res);
			ok = false;
		}
	result(ok, "an error in the middle");
	recv_item(0);
	queue_recv(b, 0, 0);
	result(is(0, one(0), "x") && !readable(b, 100), "the first arrives alone");
	/* Not ready, and told not to wait */
	recv_item(0);
	queue_recv(b, 0, MSG_DONTWAIT);
	result(one(0) == -EAGAIN, "MSG_DONTWAIT");
	close(a);
	close(b);
}

static void test_timeout(void)
{
	struct __kernel_timespec ts = { .tv_nsec = 200 * 1000 * 1000 };
	int b = bound_sock(SOCK_RDM, 847), res = 0;
	struct io_uring_sqe *sqe;
	uint64_t data = 0;
	bool ok = true;

	recv_item(0);
	queue_recv(b, 0, 0)->flags |= IOSQE_IO_LINK;
	sqe = io_uring_get_sqe(&ring);
	io_uring_prep_link_timeout(sqe, &ts, 0);
	sqe->user_data = 1;
	io_uring_submit(&ring);
	for (int i = 0; i < 2; i++)
		ok &= next_cqe(&data, &res, NULL) &&
		      res == (data ? -ETIME : -ECANCELED);
	result(ok, "a time-out ends a receive");
	close(b);
}

static int cancel(uint64_t what, int *res)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&ring);
	uint64_t data;
	int n, cancelled = 1;

	io_uring_prep_cancel64(sqe, what, 0);
	sqe->user_data = 99;
	io_uring_submit(&ring);
	for (int i = 0; i < 2; i++) {
		if (!next_cqe(&data, &n, NULL))
			return -EPROTO;
		if (data == 99)
			cancelled = n;
		else
			*res = n;
	}
	return cancelled;
}

static void test_cancel(void)
{
	int a = bound_sock(SOCK_RDM, 848), b = bound_sock(SOCK_RDM, 849);
	int small = 20000, res = 0, sent = 0, got = 0;
	static char big[12000];
	char byte;

	recv_item(0);
	queue_recv(b, 0, 0);
	result(none(), "a receive waits");
	result(!cancel(0, &res) && res == -ECANCELED, "it is cancelled (%d)",
	       res);
	send_to(a, "x", 1, 849);
	result(readable(b, 20000) && recv(b, &byte, 1, 0) == 1,
	       "and takes nothing any more");
	/* A send that waits for room */
	setsockopt(a, SOL_SOCKET, SO_SNDBUF, &small, sizeof(small));
	setsockopt(b, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
	for (;;) {
		struct sockaddr_uet to;

		uet_addr(&to, here, 0, 849, 0);
		if (sendto(a, big, sizeof(big), MSG_DONTWAIT,
			   (struct sockaddr *)&to, sizeof(to)) > 0) {
			sent++;
			continue;
		}
		/* Full, and still so when nothing moves any more? */
		usleep(300000);
		if (sendto(a, big, sizeof(big), MSG_DONTWAIT,
			   (struct sockaddr *)&to, sizeof(to)) < 0)
			break;
		sent++;
	}
	send_item(0, 849, "y");
	items[0].iov = (struct iovec){ big, sizeof(big) };
	queue_send(a, 0, 0);
	result(none(), "a send waits (after %d)", sent);
	result(!cancel(0, &res) && res == -ECANCELED, "it is cancelled (%d)",
	       res);
	while (readable(b, 1000))
		if (recv(b, big, sizeof(big), MSG_WAITALL) == sizeof(big))
			got++;
	result(got == sent, "nothing of it arrives: %d of %d", got, sent);
	/* One that waits and then has room */
	send_item(0, 849, "room");
	queue_send(a, 0, 0);
	result(one(0) == 4, "there is room again");
	close(a);
	close(b);
}

static void test_multishot(void)
{
	int a = bound_sock(SOCK_SEQPACKET, 850), res = 0, good = 0, n = 0;
	int b = bound_sock(SOCK_SEQPACKET, 851);
	static char bufs[NR][512];
	struct msghdr msg = { .msg_namelen = sizeof(struct sockaddr_uet) };
	struct io_uring_sqe *sqe = io_uring_get_sqe(&ring);
	unsigned int flags = 0;
	uint64_t data;
	char text[LEN];

	io_uring_prep_provide_buffers(sqe, bufs, sizeof(bufs[0]), NR, BGID, 0);
	sqe->user_data = 0;
	if (one(0) < 0)
		return skip("multishot", "no provided buffers");
	sqe = io_uring_get_sqe(&ring);
	io_uring_prep_recvmsg_multishot(sqe, b, &msg, 0);
	sqe->flags |= IOSQE_BUFFER_SELECT;
	sqe->buf_group = BGID;
	sqe->user_data = 1;
	io_uring_submit(&ring);
	for (int i = 0; i < NR / 2; i++) {
		struct io_uring_recvmsg_out *o;

		snprintf(text, LEN, "message %d", i);
		send_to(a, text, strlen(text), 851);
		if (!next_cqe(&data, &res, &flags))
			break;
		if (res == -EINVAL && !i) {
			skip("multishot", "not known to this kernel");
			goto out;
		}
		n = flags >> IORING_CQE_BUFFER_SHIFT;
		o = res < 0 ? NULL : io_uring_recvmsg_validate(bufs[n], res,
							       &msg);
		if (!o || !(flags & IORING_CQE_F_MORE)) {
			note("%d: %d %x", i, res, flags);
			break;
		}
		good += o->payloadlen == strlen(text) && o->flags & MSG_EOR &&
			((struct sockaddr_uet *)io_uring_recvmsg_name(o))
				->suet_pid == 850 &&
			!memcmp(io_uring_recvmsg_payload(o, &msg), text,
				strlen(text));
	}
	result(good == NR / 2, "multishot: %d of %d", good, NR / 2);
	/* It ends without buffers, and says so */
	for (int i = 0; i < NR; i++)
		send_to(a, "x", 1, 851);
	for (n = 0; next_cqe(&data, &res, &flags) && flags & IORING_CQE_F_MORE;)
		n++;
	result(res == -ENOBUFS && n == NR / 2, "ends without buffers (%d, %d)",
	       res, n);
	for (n = 0; n < NR - NR / 2 && recv(b, text, LEN, 0) == 1;)
		n++;
	result(n == NR - NR / 2, "the rest is still there (%d)", n);
out:
	close(a);
	close(b);
}

static void test_shutdown(void)
{
	int b = bound_sock(SOCK_RDM, 852);

	recv_item(0);
	queue_recv(b, 0, 0);
	result(none(), "a receive waits");
	shutdown(b, SHUT_RD);
	result(one(0) == 0, "shutdown() ends it");
	send_item(0, 852, "x");
	shutdown(b, SHUT_WR);
	queue_send(b, 0, MSG_NOSIGNAL);
	result(one(0) == -EPIPE, "a send gives EPIPE");
	close(b);
}

/* Reports by the ring, and receives while one is not read */
static void test_reports(void)
{
	int a = bound_sock(SOCK_RDM, 853), b = bound_sock(SOCK_RDM, 854);
	struct pollfd pfd = { .fd = a };
	struct uet_report rep = {};

	recv_item(0);
	queue_recv(a, 0, 0);
	result(none(), "a receive waits");
	send_to(a, "nobody", 6, 3003);
	result(poll(&pfd, 1, SOON * 1000) == 1 && pfd.revents & POLLERR && none(),
	       "a report does not end it");
	send_to(b, "data", 4, 853);
	result(is(0, one(0), "data"), "data does");
	recv_item(1);
	items[1].msg.msg_control = items[1].control;
	items[1].msg.msg_controllen = sizeof(items[1].control);
	queue_recv(a, 1, MSG_ERRQUEUE);
	result(one(1) == 0 && libuet_get_cmsg(&items[1].msg, UET_CMSG_REPORT,
					      &rep, sizeof(rep)) &&
	       rep.error == ECONNREFUSED, "the report can be read");
	recv_item(1);
	items[1].msg.msg_control = items[1].control;
	items[1].msg.msg_controllen = sizeof(items[1].control);
	queue_recv(a, 1, MSG_ERRQUEUE);
	result(none(), "a read of the next one waits");
	send_to(a, "nobody", 6, 3003);
	result(one(1) == 0, "and gets it");
	close(a);
	close(b);
}

/* io_uring asks without waiting, workers too: what is longer than the buffer cannot
 * be streamed.
 */
static void test_long(void)
{
	int a = bound_sock(SOCK_RDM, 855), small = 20000;
	size_t len = 1000 * 1000;
	char *msg = calloc(1, len);

	setsockopt(a, SOL_SOCKET, SO_SNDBUF, &small, sizeof(small));
	send_item(0, 856, "");
	items[0].iov = (struct iovec){ msg, len };
	queue_send(a, 0, 0);
	result(one(0) == -EMSGSIZE, "a long message gives EMSGSIZE");
	queue_send(a, 0, 0)->flags |= IOSQE_ASYNC;
	result(one(0) == -EMSGSIZE, "with IOSQE_ASYNC as well");
	free(msg);
	close(a);
}

/* Sockets and rings go with operations under way. */
static void test_close(void)
{
	int fd, tries;

	for (int i = 0; i < 5; i++) {
		fd = bound_sock(SOCK_RDM, 857);
		for (int k = 0; k < 10; k++) {
			recv_item(k);
			queue_recv(fd, k, k & 1 ? MSG_ERRQUEUE : 0);
		}
		io_uring_submit(&ring);
		usleep(i * 5000);
		/* The ring holds the socket: its name is not free yet. */
		close(fd);
		io_uring_queue_exit(&ring);
		if (io_uring_queue_init(DEPTH, &ring, 0))
			die("io_uring_queue_init");
		fd = open_sock(SOCK_RDM);
		for (tries = 0; tries < 1000 && bind_pid(fd, 857); tries++)
			usleep(20000);
		close(fd);
		if (tries == 1000)
			break;
		/* Closed for good: the next round binds it again. */
		usleep(20000);
	}
	result(tries < 1000, "closed with receives under way (%d)", tries);
	fd = bound_sock(SOCK_RDM, 858);
	for (int k = 0; k < 10; k++) {
		recv_item(k);
		queue_recv(fd, k, 0);
	}
	io_uring_submit(&ring);
	/* The process ends with them. */
	result(none(), "left under way");
}

/* IORING_OP_SEND and RECV, WRITE and READ, by descriptors that are registered */
static void test_plain(int type)
{
	int fds[2] = { bound_sock(type, 861), bound_sock(type, 862) };
	char buf[LEN] = "", sent[] = "plain";
	struct sockaddr_uet to;

	uet_addr(&to, here, 0, 862, 0);
	if (connect(fds[0], (struct sockaddr *)&to, sizeof(to)) ||
	    io_uring_register_files(&ring, fds, 2))
		die("connect and register");
	for (int rw = 0; rw < 2; rw++) {
		struct io_uring_sqe *sqe = io_uring_get_sqe(&ring);

		if (rw)
			io_uring_prep_write(sqe, 0, sent, 5, 0);
		else
			io_uring_prep_send(sqe, 0, sent, 5, 0);
		sqe->flags |= IOSQE_FIXED_FILE;
		sqe->user_data = 0;
		result(one(0) == 5, "type %d: %s", type, rw ? "WRITE" : "SEND");
		sqe = io_uring_get_sqe(&ring);
		if (rw)
			io_uring_prep_read(sqe, 1, buf, LEN, 0);
		else
			io_uring_prep_recv(sqe, 1, buf, LEN, 0);
		sqe->flags |= IOSQE_FIXED_FILE;
		sqe->user_data = 1;
		result(one(1) == 5 && !memcmp(buf, sent, 5), "type %d: %s", type,
		       rw ? "READ" : "RECV");
		memset(buf, 0, sizeof(buf));
	}
	io_uring_unregister_files(&ring);
	close(fds[0]);
	close(fds[1]);
}

/* Send without a copy: the result, then the word that the buffer is free. Returns the
 * result, or an errno below -1000 if the second is wrong.
 */
static int zero_copy(void)
{
	unsigned int flags = 0;
	int res = 0, told = 0;
	uint64_t data;

	io_uring_submit(&ring);
	if (!next_cqe(&data, &res, &flags))
		return -1001;
	if (!(flags & IORING_CQE_F_MORE))
		return res;
	if (!next_cqe(&data, &told, &flags))
		return -1002;
	return flags & IORING_CQE_F_NOTIF ? res : -1003;
}

static void test_zero_copy(void)
{
	static char sent[100000], came[100000];
	int a = bound_sock(SOCK_RDM, 863), b = bound_sock(SOCK_RDM, 864);
	struct iovec iov = { sent, sizeof(sent) };
	struct sockaddr_uet to;
	struct msghdr msg = {
		.msg_name = &to, .msg_namelen = sizeof(to), .msg_iov = &iov, .msg_iovlen = 1,
	};

	memset(sent, 7, sizeof(sent));
	uet_addr(&to, here, 0, 864, 0);
	send_item(0, 864, "short");
	io_uring_prep_sendmsg_zc(io_uring_get_sqe(&ring), a, &items[0].msg, 0);
	result(zero_copy() == 5 && recv(b, came, sizeof(came), 0) == 5, "SENDMSG_ZC, short");
	io_uring_prep_sendmsg_zc(io_uring_get_sqe(&ring), a, &msg, 0);
	result(zero_copy() == sizeof(sent), "SENDMSG_ZC, long: the buffer is free");
	memset(sent, 8, sizeof(sent));
	result(recv(b, came, sizeof(came), MSG_WAITALL) == sizeof(came) &&
	       came[0] == 7 && !memcmp(came, came + 1, sizeof(came) - 1),
	       "and what it had arrives");
	if (connect(a, (struct sockaddr *)&to, sizeof(to)) ||
	    io_uring_register_buffers(&ring, &iov, 1))
		die("register: %s", strerror(errno));
	io_uring_prep_send_zc_fixed(io_uring_get_sqe(&ring), a, sent + 10, 70000, 0, 0, 0);
	result(zero_copy() == 70000 && recv(b, came, sizeof(came), MSG_WAITALL) == 70000 &&
	       !memcmp(came, sent, 70000), "SEND_ZC of a registered buffer");
	iov.iov_base = (void *)4096;
	io_uring_prep_sendmsg_zc(io_uring_get_sqe(&ring), a, &msg, 0);
	result(zero_copy() == -EFAULT && !readable(b, 100), "a bad buffer gives EFAULT");
	io_uring_unregister_buffers(&ring);
	close(a);
	close(b);
}

static struct io_uring_sqe *queue_cmd(struct io_uring *r, int fd, int op)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(r);

	io_uring_prep_rw(IORING_OP_URING_CMD, sqe, fd, NULL, 0, 0);
	sqe->cmd_op = op;
	sqe->user_data = 0;
	return sqe;
}

/* setsockopt() of level SOL_UET; @val stays until it is done */
static struct io_uring_sqe *queue_opt(struct io_uring *r, int fd, int opt, const void *val,
				      unsigned int len)
{
	struct io_uring_sqe *sqe = queue_cmd(r, fd, OP_SETSOCKOPT);
	const uint32_t what[] = { SOL_UET, opt };

	/* level, optname; optlen; optval */
	memcpy(&sqe->addr, what, sizeof(what));
	sqe->splice_fd_in = len;
	sqe->addr3 = (uintptr_t)val;
	return sqe;
}

static void queue_poll(int fd, int i, bool multi)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&ring);

	if (multi)
		io_uring_prep_poll_multishot(sqe, fd, POLLIN);
	else
		io_uring_prep_poll_add(sqe, fd, POLLIN);
	sqe->user_data = i;
}

/* Sockets of before 6.7 have no commands. */
static bool has_commands(void)
{
	unsigned int major = 0, minor = 0;
	struct utsname u;

	uname(&u);
	sscanf(u.release, "%u.%u", &major, &minor);
	return major > 6 || (major == 6 && minor >= 7);
}

static int post_recv(int fd, uint64_t cookie, void *at, uint32_t len)
{
	const struct uet_op op = {
		.cookie = cookie, .opcode = UET_OP_RECV, .to = UET_OP_ANY,
		.addr = (uintptr_t)at, .length = len,
	};

	return libuet_post(fd, &op, 1, NULL, 0) == 1 ? 0 : -1;
}

static struct libuet_cq cq_for(int fd, uint32_t entries)
{
	struct libuet_cq cq;

	if (libuet_open_cq(fd, entries, &cq) || libuet_use_cq(fd, &cq))
		die("a completion queue: %m");
	return cq;
}

static bool done_is(struct libuet_cq *cq, uint64_t cookie, int type, uint32_t error,
		    uint32_t length)
{
	struct uet_completion d = {};

	if (libuet_next_done(cq, &d, SOON * 1000) == 1 && d.cookie == cookie &&
	    d.type == type && d.error == error && d.length == length)
		return true;
	note("cookie %llu, type %u, error %u, length %u", (unsigned long long)d.cookie,
	     d.type, d.error, d.length);
	return false;
}

/* What a program left under way by ring and queue goes with it. */
static bool left_under_way(void)
{
	pid_t child = fork();
	int status, fd;

	if (!child) {
		struct libuet_cq cq;

		if (io_uring_queue_init(DEPTH, &ring, 0))
			_exit(1);
		fd = bound_sock(SOCK_RDM, 868);
		cq = cq_for(fd, 4);
		post_recv(fd, 1, items[0].buf, LEN);
		queue_poll(cq.fd, 1, false);
		queue_poll(cq.fd, 2, true);
		io_uring_submit(&ring);
		/* The ring holds the queue. */
		libuet_close_cq(&cq);
		send_to(fd, "x", 1, 868);
		_exit(0);
	}
	return waitpid(child, &status, 0) == child && !status;
}

/* Options by the ring, one of them from a worker */
static void test_commands(int a, int b, struct libuet_cq *to)
{
	int on = 1, res = 1;
	uint64_t cookie = 77;

	queue_opt(&ring, a, UET_NOTIFY, &on, sizeof(on));
	if (!has_commands()) {
		result(one(0) < 0, "no commands of sockets before 6.7");
		return;
	}
	result(!one(0), "an option");
	queue_opt(&ring, b, UET_CANCEL, (void *)4096, sizeof(cookie));
	result(one(0) == -EFAULT, "one that is not there");
	queue_opt(&ring, b, UET_CANCEL, &cookie, -1);
	result(one(0) < 0, "a length below 0");
	queue_opt(&ring, b, UET_CANCEL, &cookie, sizeof(cookie));
	result(one(0) == -ENOENT, "to cancel what is not there");
	post_recv(b, cookie, NULL, 0);
	queue_opt(&ring, b, UET_CANCEL, &cookie, sizeof(cookie))->flags |= IOSQE_ASYNC;
	result(!one(0) && done_is(to, cookie, UET_DONE_RECV, ECANCELED, 0),
	       "a worker cancels a receive");
	send_to(a, "seven b", 7, 866);
	result(readable(b, SOON * 1000), "a message without a receive");
	queue_cmd(&ring, b, OP_SIOCINQ);
	result(one(0) == 7, "SOCKET_URING_OP_SIOCINQ");
	for (int i = 0; i < 600 && res; i++) {
		queue_cmd(&ring, a, OP_SIOCOUTQ);
		res = one(0);
		usleep(res ? 20000 : 0);
	}
	result(!res, "SOCKET_URING_OP_SIOCOUTQ");
}

/* The ring waits for completions of what is posted. */
static void test_post(void)
{
	int a = bound_sock(SOCK_SEQPACKET, 865), b = bound_sock(SOCK_SEQPACKET, 866), res = 0;
	struct libuet_cq from = cq_for(a, 64), to = cq_for(b, 8);
	unsigned int flags = 0;
	uint64_t data = 0;
	bool ok = true;

	post_recv(b, 1, items[0].buf, LEN);
	queue_poll(to.fd, 3, false);
	result(none(), "a wait for a completion");
	send_to(a, "hello", 5, 866);
	result(next_cqe(&data, &res, NULL) && data == 3 && res & POLLIN &&
	       done_is(&to, 1, UET_DONE_RECV, 0, 5) && !memcmp(items[0].buf, "hello", 5),
	       "which comes");
	for (int i = 0; i < 4; i++)
		post_recv(b, 10 + i, items[i].buf, LEN);
	queue_poll(to.fd, 4, true);
	for (int i = 0; i < 4; i++) {
		io_uring_submit(&ring);
		send_to(a, "again", 5, 866);
		ok &= next_cqe(&data, &res, &flags) && data == 4 && res & POLLIN &&
		      flags & IORING_CQE_F_MORE && done_is(&to, 10 + i, UET_DONE_RECV, 0, 5);
	}
	result(ok, "a wait for each of them");
	result(!cancel(4, &res) && res == -ECANCELED, "... which ends");
	test_commands(a, b, &to);
	result(left_under_way(), "a program that exits");
	libuet_close_cq(&from);
	libuet_close_cq(&to);
	close(a);
	close(b);
}

int main(int argc, char **argv)
{
	int err;

	if (argc != 2)
		die("usage: uet_uring ADDR");
	here = argv[1];
	ktap_begin();
	err = io_uring_queue_init(DEPTH, &ring, 0);
	if (err) {
		skip("io_uring", strerror(-err));
		return ktap_finish();
	}
	test_pair(SOCK_RDM, 0, "at once");
	test_pair(SOCK_SEQPACKET, 0, "at once");
	test_pair(SOCK_RDM, IORING_RECVSEND_POLL_FIRST, "poll first");
	test_plain(SOCK_RDM);
	test_plain(SOCK_SEQPACKET);
	test_zero_copy();
	test_order();
	test_error();
	test_timeout();
	test_cancel();
	test_multishot();
	test_shutdown();
	test_reports();
	test_long();
	test_post();
	test_close();
	return ktap_finish();
}
