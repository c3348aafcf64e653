// SPDX-License-Identifier: GPL-2.0
/*
 * What programs do with any socket: epoll in its modes, descriptors that are passed on
 * and shared, readers that compete, read() and write(), ioctl().
 *
 *   uet_unix ADDR      an address of this host
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <net/if.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/select.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/sockios.h>

#include "sock_util.h"

#define SOON	60000	/* ms */
#define READERS	8

static int connected_sock(int type, uint16_t pid)
{
	struct sockaddr_uet sa;
	int fd = open_sock(type);

	uet_addr(&sa, here, 0, pid, 0);
	if (connect(fd, (struct sockaddr *)&sa, sizeof(sa)))
		die("connect %u: %s", pid, strerror(errno));
	return fd;
}

/* --- epoll ---------------------------------------------------------------- */

static int epoll_of(int fd, uint32_t events)
{
	struct epoll_event ev = { .events = events };
	int ep = epoll_create1(EPOLL_CLOEXEC);

	if (ep < 0 || epoll_ctl(ep, EPOLL_CTL_ADD, fd, &ev))
		die("epoll: %s", strerror(errno));
	return ep;
}

/* What it says now, or before its time is over */
static uint32_t said(int ep, int ms)
{
	struct epoll_event ev;

	return epoll_wait(ep, &ev, 1, ms) == 1 ? ev.events : 0;
}

static void test_epoll_edge(void)
{
	int to = bound_sock(SOCK_RDM, 900), from = connected_sock(SOCK_RDM, 900);
	int level = epoll_of(to, EPOLLIN), edge = epoll_of(to, EPOLLIN | EPOLLET);
	int once = epoll_of(to, EPOLLIN | EPOLLONESHOT);
	struct epoll_event again = { .events = EPOLLIN | EPOLLONESHOT };
	char buf[8];

	send(from, "one", 3, 0);
	result(said(level, SOON) == EPOLLIN && said(level, 0) == EPOLLIN,
	       "epoll: by level, as long as there is a message");
	result(said(edge, 0) == EPOLLIN && !said(edge, 0), "epoll: by edge, once");
	result(said(once, 0) == EPOLLIN && !said(once, 0), "epoll: one shot");
	send(from, "two", 3, 0);
	result(said(edge, SOON) == EPOLLIN, "epoll: by edge, for the next message");
	result(!said(once, 0) && !epoll_ctl(once, EPOLL_CTL_MOD, to, &again) &&
	       said(once, 0) == EPOLLIN, "epoll: one shot, armed again");
	while (recv(to, buf, sizeof(buf), MSG_DONTWAIT) > 0)
		;
	result(errno == EAGAIN && !said(level, 0), "epoll: nothing is left");
	close(level);
	close(edge);
	close(once);
	close(from);
	close(to);
}

static void test_epoll_ends(void)
{
	int fd = bound_sock(SOCK_RDM, 901);
	int ep = epoll_of(fd, EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET);

	result(said(ep, SOON) == EPOLLOUT, "epoll: a new socket can be written to");
	shutdown(fd, SHUT_RD);
	result(said(ep, SOON) == (EPOLLIN | EPOLLOUT | EPOLLRDHUP),
	       "epoll: EPOLLRDHUP after SHUT_RD");
	shutdown(fd, SHUT_WR);
	result(said(ep, SOON) == (EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLHUP),
	       "epoll: EPOLLHUP after both");
	close(ep);
	close(fd);
}

/* A report wakes who waits for data, in select() as well */
static void test_report(void)
{
	int fd = connected_sock(SOCK_RDM, 4000), on = 1;
	int ep = epoll_of(fd, EPOLLIN), err = 0;
	struct timeval tv = { .tv_sec = SOON / 1000 };
	socklen_t len = sizeof(err);
	struct uet_report rep;
	fd_set in, except;

	setsockopt(fd, SOL_SOCKET, SO_SELECT_ERR_QUEUE, &on, sizeof(on));
	send(fd, "x", 1, 0);
	result(said(ep, SOON) & EPOLLERR, "epoll: a report, unasked");
	FD_ZERO(&in);
	FD_SET(fd, &in);
	except = in;
	result(select(fd + 1, &in, NULL, &except, &tv) > 0 &&
	       FD_ISSET(fd, &except), "select(): as an exception");
	result(!getsockopt(fd, SOL_SOCKET, SO_ERROR, &err, &len) &&
	       err == ECONNREFUSED, "SO_ERROR says why (%d)", err);
	result(next_report(fd, &rep, NULL, SOON) && rep.error == ECONNREFUSED,
	       "the report says so, too");
	result(!said(ep, 0), "epoll: quiet when it is read");
	EXPECT_ERR(recv(fd, &err, sizeof(err), MSG_ERRQUEUE), EAGAIN,
		   "an empty error queue, with a socket that waits,");
	close(ep);
	close(fd);
}

/* --- readers -------------------------------------------------------------- */

static int contested, got[READERS], ends[READERS];

static void *reader(void *arg)
{
	int *mine = arg, *end = &ends[mine - got];
	char buf[16];
	ssize_t n;

	while ((n = recv(contested, buf, sizeof(buf), 0)) > 0) {
		if (!strcmp(buf, "end"))
			break;
		++*mine;
	}
	*end = n > 0;
	return NULL;
}

/* Each message goes to one of them; nobody sleeps while there is one for him */
static void test_readers(int type)
{
	pthread_t thread[READERS];
	int from, sum = 0, ended = 0, n = 400;

	contested = bound_sock(type, 910);
	from = connected_sock(type, 910);
	memset(got, 0, sizeof(got));
	for (int i = 0; i < READERS; i++)
		pthread_create(&thread[i], NULL, reader, &got[i]);
	for (int i = 0; i < n; i++)
		send(from, "message", 8, 0);
	/* Unordered, "end" may come before others, and ends one reader alone */
	for (int i = 0; i < READERS; i++)
		send(from, "end", 4, 0);
	for (int i = 0; i < READERS; i++) {
		pthread_join(thread[i], NULL);
		sum += got[i];
		ended += ends[i];
	}
	while (recv(contested, &ended, 0, MSG_DONTWAIT | MSG_TRUNC) == 8)
		sum++;
	result(ended == READERS, "%d readers, type %d: all wake (%d)", READERS, type,
	       ended);
	if (type == SOCK_SEQPACKET)
		result(sum == n, "each message once: %d of %d", sum, n);
	close(from);
	close(contested);
}

/* --- descriptors ---------------------------------------------------------- */

static void pass_fd(int via, int fd)
{
	union {
		struct cmsghdr hdr;
		char buf[CMSG_SPACE(sizeof(int))];
	} control = { .hdr = { .cmsg_len = CMSG_LEN(sizeof(int)),
			       .cmsg_level = SOL_SOCKET,
			       .cmsg_type = SCM_RIGHTS } };
	struct iovec iov = { "x", 1 };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1,
			      .msg_control = &control,
			      .msg_controllen = sizeof(control) };

	memcpy(CMSG_DATA(&control.hdr), &fd, sizeof(fd));
	if (sendmsg(via, &msg, 0) != 1)
		die("SCM_RIGHTS: %s", strerror(errno));
}

static int take_fd(int via)
{
	char text, control[CMSG_SPACE(sizeof(int))];
	struct iovec iov = { &text, 1 };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1,
			      .msg_control = control,
			      .msg_controllen = sizeof(control) };
	int fd = -1;

	if (recvmsg(via, &msg, 0) == 1 && CMSG_FIRSTHDR(&msg))
		memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof(fd));
	return fd;
}

/* A server hands its socket to the next one; it is open as long as anybody has it */
static void test_passed(void)
{
	int pair[2], fd, from, status = -1;
	char buf[8] = "";
	pid_t child;

	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, pair))
		die("socketpair: %s", strerror(errno));
	fd = bound_sock(SOCK_RDM, 920);
	child = fork();
	if (!child) {
		close(fd);
		fd = take_fd(pair[1]);
		_exit(recv(fd, buf, sizeof(buf), 0) == 5 &&
		      !strcmp(buf, "hello") ? 0 : 1);
	}
	pass_fd(pair[0], fd);
	close(fd);
	from = connected_sock(SOCK_RDM, 920);
	send(from, "hello", 5, 0);
	waitpid(child, &status, 0);
	result(!status, "a socket passed on by SCM_RIGHTS is that socket");
	fd = open_sock(SOCK_RDM);
	for (int i = 0; i < 200 && bind_pid(fd, 920); i++)
		usleep(SOON * 5);
	result(bind_pid(fd, 920) && errno == EINVAL,
	       "its name is free when the last one has closed it");
	close(fd);
	close(from);
	close(pair[0]);
	close(pair[1]);
}

/* --- read(), write(), ioctl() ---------------------------------------------- */

static void test_read_write(int type)
{
	int to = bound_sock(type, 930), from = connected_sock(type, 930);
	struct iovec parts[] = { { "he", 2 }, { NULL, 0 }, { "llo", 3 } };
	char head[2], tail[8];
	struct iovec room[] = { { head, 2 }, { tail, sizeof(tail) } };

	result(writev(from, parts, 3) == 5, "type %d: writev()", type);
	result(readable(to, SOON) && readv(to, room, 2) == 5 &&
	       !memcmp(head, "he", 2) && !memcmp(tail, "llo", 3), "readv()");
	result(write(from, "abc", 3) == 3 && readable(to, SOON) &&
	       read(to, tail, sizeof(tail)) == 3 && !memcmp(tail, "abc", 3),
	       "write() and read()");
	result(!write(from, "", 0) && readable(to, SOON) &&
	       !read(to, tail, sizeof(tail)), "an empty message");
	EXPECT_ERR(pread(to, tail, 1, 0), ESPIPE, "pread()");
	EXPECT_ERR(lseek(to, 0, SEEK_SET), ESPIPE, "lseek()");
	EXPECT_ERR(ftruncate(to, 0), EINVAL, "ftruncate()");
	close(from);
	close(to);
}

static void test_ioctl(void)
{
	int to = bound_sock(SOCK_RDM, 940), from = connected_sock(SOCK_RDM, 940);
	struct ifreq ifr = { .ifr_name = "lo" };
	int n = -1, on = 1;
	char buf[16];

	result(!ioctl(to, FIONREAD, &n) && !n, "FIONREAD: nothing yet (%d)", n);
	send(from, "0123456789", 10, 0);
	result(readable(to, SOON) && !ioctl(to, FIONREAD, &n) && n == 10,
	       "FIONREAD: the next message (%d)", n);
	recv(to, buf, 4, 0);
	result(!ioctl(to, FIONREAD, &n) && n == 6, "FIONREAD: what is left (%d)", n);
	recv(to, buf, sizeof(buf), 0);
	result(!ioctl(to, FIONBIO, &on) && recv(to, buf, 1, 0) < 0 &&
	       errno == EAGAIN, "FIONBIO");
	result(fcntl(to, F_GETFL) & O_NONBLOCK, "is O_NONBLOCK of fcntl()");
	result(!ioctl(to, SIOCGIFINDEX, &ifr) && ifr.ifr_ifindex > 0,
	       "SIOCGIFINDEX, as on any socket");
	EXPECT_ERR(ioctl(to, 0x12345678, &n), ENOTTY, "an unknown ioctl");
	close(from);
	close(to);
}

/* Control messages that find no room are told to be missing, the data is there */
static void test_short_control(void)
{
	int to = bound_sock(SOCK_RDM, 950), from = connected_sock(SOCK_RDM, 950);
	struct libuet_attrs attrs = { .has = LIBUET_TAG, .tag = 7 };
	char buf[8], control[CMSG_LEN(4)];
	struct iovec iov = { buf, sizeof(buf) };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1,
			      .msg_control = control,
			      .msg_controllen = sizeof(control) };
	ssize_t n;

	result(libuet_sendmsg(from, &(struct iovec){ "tagged", 6 }, 1, NULL, &attrs,
			      0) == 6, "a message with a tag");
	n = recvmsg(to, &msg, 0);
	result(n == 6 && msg.msg_flags & MSG_CTRUNC && msg.msg_flags & MSG_EOR,
	       "no room for it: MSG_CTRUNC (%zd, %x)", n, msg.msg_flags);
	close(from);
	close(to);
}

int main(int argc, char **argv)
{
	if (argc != 2)
		die("usage: uet_unix ADDR");
	here = argv[1];
	ktap_begin();
	test_epoll_edge();
	test_epoll_ends();
	test_report();
	test_readers(SOCK_RDM);
	test_readers(SOCK_SEQPACKET);
	test_passed();
	test_read_write(SOCK_RDM);
	test_read_write(SOCK_SEQPACKET);
	test_ioctl();
	test_short_control();
	return ktap_finish();
}
