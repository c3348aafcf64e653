// SPDX-License-Identifier: GPL-2.0
/*
 * Reports: what became of messages, and of endpoints that are watched.
 *
 * Not here: reports in words (text.c).
 */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <time.h>

#include "internal.h"

#define HUP_MS	10	/* between looks at a socket that is shut down */

/**
 * libuet_next_report() - take a report from the error queue
 * @fd: socket
 * @rep: gets it
 * @peer: gets the address it is about, or NULL
 *
 * Does not wait; poll() says POLLERR when there is one.
 *
 * Return: true, or false with errno: EAGAIN (there is none), those of recvmsg().
 */
bool libuet_next_report(int fd, struct uet_report *rep,
			struct sockaddr_uet *peer)
{
	union {
		char		buf[LIBUET_CONTROL_SIZE];
		struct cmsghdr	align;
	} control;

	for (;;) {
		struct msghdr msg = {
			.msg_name = peer,
			.msg_namelen = peer ? sizeof(*peer) : 0,
			.msg_control = control.buf,
			.msg_controllen = sizeof(control.buf),
		};

		if (recvmsg(fd, &msg, MSG_ERRQUEUE | MSG_DONTWAIT) < 0)
			return false;
		if (libuet_get_cmsg(&msg, UET_CMSG_REPORT, rep,
				    sizeof(*rep)))
			return true;
	}
}

static int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000LL + ts.tv_nsec / 1000000;
}

/* What is left of the time until @end; negative is for ever */
static int left_ms(int timeout_ms, int64_t end)
{
	int64_t left = end - now_ms();

	if (timeout_ms < 0)
		return -1;
	return left > 0 ? left : 0;
}

/**
 * libuet_wait_report() - wait until there is a report
 * @fd: socket
 * @timeout_ms: for so long at most; negative is for ever
 *
 * Signals do not end it.
 *
 * Return: 1, 0 if the time is over, or -1 with errno of poll(), EBADF.
 */
int libuet_wait_report(int fd, int timeout_ms)
{
	int64_t end = now_ms() + timeout_ms;
	struct pollfd pfd = { .fd = fd };
	int left = timeout_ms, n;

	for (;; left = left_ms(timeout_ms, end)) {
		n = poll(&pfd, 1, left);
		if (n < 0 && errno != EINTR)
			return -1;
		if (n > 0 && pfd.revents & POLLERR)
			return 1;
		if (n > 0 && pfd.revents & POLLNVAL) {
			errno = EBADF;
			return -1;
		}
		if (!n || !left)
			return 0;
		/* POLLHUP cannot be waited out, and reports may still come */
		if (n > 0)
			poll(NULL, 0, HUP_MS);
	}
}

/* A call for each message of a range, or one for all; its last return value */
static int tell(const struct uet_report *rep, const struct sockaddr_uet *peer,
		unsigned int flags, libuet_report_fn fn, void *arg)
{
	struct uet_report one = *rep;
	uint64_t n = 1;
	int ret = 0;

	if (!(flags & LIBUET_EXPAND) || rep->type != UET_REPORT_DELIVERED ||
	    rep->cookie_last < rep->cookie)
		return fn(arg, rep, peer);
	for (n = rep->cookie_last - rep->cookie + 1; n && !ret; n--) {
		one.cookie_last = one.cookie;
		ret = fn(arg, &one, peer);
		one.cookie++;
	}
	return ret;
}

/**
 * libuet_drain() - give each report of the error queue to a function
 * @fd: socket
 * @flags: LIBUET_EXPAND: a call for each message of a range
 * @fn: gets the reports; a range whose calls it stops has no others
 * @arg: for it
 *
 * Does not wait.
 *
 * Return: how many reports were taken from the queue, or -1 with errno of
 * recvmsg() if that is not because the queue is empty.
 */
int libuet_drain(int fd, unsigned int flags, libuet_report_fn fn, void *arg)
{
	struct sockaddr_uet peer;
	struct uet_report rep;
	int n = 0;

	while (libuet_next_report(fd, &rep, &peer)) {
		n++;
		if (tell(&rep, &peer, flags, fn, arg))
			return n;
	}
	return errno == EAGAIN ? n : -1;
}
