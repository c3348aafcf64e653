// SPDX-License-Identifier: GPL-2.0
/* Sockets at addresses of this host, for the tests of system calls */
#include <poll.h>
#include <string.h>
#include <sys/time.h>

#include "sock_util.h"

const char *here;

int open_sock(int type)
{
	return uet_socket(&(struct libuet_sock){ .type = type });
}

int bind_pid(int fd, uint16_t pid)
{
	struct sockaddr_uet sa;

	uet_addr(&sa, here, 0, pid, 0);
	return bind(fd, (struct sockaddr *)&sa, sizeof(sa));
}

int bound_sock(int type, uint16_t pid)
{
	struct timeval tv = { .tv_sec = 20 };
	int fd = open_sock(type);

	if (bind_pid(fd, pid))
		die("bind %u: %s", pid, strerror(errno));
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv));
	return fd;
}

ssize_t send_to(int fd, const void *buf, size_t len, uint16_t pid)
{
	struct sockaddr_uet sa;

	uet_addr(&sa, here, 0, pid, 0);
	return sendto(fd, buf, len, 0, (struct sockaddr *)&sa, sizeof(sa));
}

ssize_t recv_flags(int fd, void *buf, size_t len, int flags, int *out)
{
	struct iovec iov = { buf, len };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	ssize_t n = recvmsg(fd, &msg, flags);

	*out = msg.msg_flags;
	return n;
}

bool readable(int fd, int ms)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };

	return poll(&pfd, 1, ms) == 1 && pfd.revents & POLLIN;
}

bool next_report(int fd, struct uet_report *rep, struct sockaddr_uet *peer,
		 int ms)
{
	struct pollfd pfd = { .fd = fd };

	return poll(&pfd, 1, ms) == 1 && pfd.revents & POLLERR &&
	       libuet_next_report(fd, rep, peer);
}
