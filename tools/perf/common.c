// SPDX-License-Identifier: GPL-2.0
/* What the first processes of both sides share: signals, watched peers, reports */
#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "common.h"

#define WATCH_MS	500	/* from one probe of the peer to the next */

volatile sig_atomic_t stopped;

/**
 * signals_fd() - take signals from a descriptor from now on
 *
 * Return: the descriptor; it does not return without one.
 */
int signals_fd(void)
{
	sigset_t set;
	int fd;

	/* A reader that went is an error of a write, not the end: others wait */
	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	/* What nohup or a shell without job control had ignored */
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGCHLD, SIG_DFL);
	fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	if (fd < 0)
		err(1, "signalfd");
	return fd;
}

/**
 * signals_read() - take the signals that have come
 * @fd: signals_fd()
 * @child: gets whether a child process ended
 *
 * Return: how many times the program was told to stop; @stopped is the signal.
 */
int signals_read(int fd, bool *child)
{
	struct signalfd_siginfo info;
	int n = 0;

	*child = false;
	while (read(fd, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGCHLD) {
			*child = true;
			continue;
		}
		stopped = info.ssi_signo;
		n++;
	}
	return n;
}

/* Each flow is a socket of the first process, too */
void raise_files(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

/* A lost peer is to be told within net.uet.peer_timeout_s */
static unsigned int watch_timeout_ms(void)
{
	FILE *f = fopen("/proc/sys/net/uet/peer_timeout_s", "r");
	unsigned int s = 30;

	if (f && fscanf(f, "%u", &s) != 1)
		s = 30;
	if (f)
		fclose(f);
	if (s > UET_WATCH_MS_MAX / 1000)
		return UET_WATCH_MS_MAX;
	return s < 3 ? WATCH_MS : 1000 * s - WATCH_MS - TICK_MS;
}

/**
 * watch_peer() - have a socket told if its peer goes
 * @fd: socket
 * @peer: the peer
 *
 * Return: 0, or -1 with errno.
 */
int watch_peer(int fd, const struct sockaddr_uet *peer)
{
	return libuet_watch(fd, peer, 0, WATCH_MS, watch_timeout_ms());
}

static int first(void *arg, const struct uet_report *rep,
		 const struct sockaddr_uet *peer)
{
	struct trouble *t = arg;

	if (!rep->error || t->error)
		return 0;
	t->error = rep->error;
	libuet_report_text(rep, peer, t->text, sizeof(t->text));
	return 0;
}

/**
 * trouble_of() - read the reports of a socket
 * @fd: socket
 * @t: gets the first trouble, if there is any
 *
 * Return: true if there is.
 */
bool trouble_of(int fd, struct trouble *t)
{
	t->error = 0;
	libuet_drain(fd, 0, first, t);
	return t->error;
}

/**
 * take_control() - receive the next control message
 * @fd: socket
 * @from: gets where it came from
 * @m: gets the message
 *
 * Return: its verdict; -1 if there is no further message.
 */
int take_control(int fd, struct sockaddr_uet *from, struct wire_msg *m)
{
	unsigned char bytes[WIRE_SIZE + 1];
	struct iovec iov = { bytes, sizeof(bytes) };
	struct libuet_attrs attrs;
	ssize_t n;

	n = libuet_recvmsg(fd, &iov, 1, from, &attrs, MSG_DONTWAIT);
	if (n < 0 && (errno == ECONNABORTED || errno == ECONNRESET ||
		      errno == EINTR))
		return WIRE_GARBAGE;
	if (n < 0)
		return -1;
	/* Of a longer one this is a piece */
	if (attrs.info.offset || !(attrs.msg_flags & MSG_EOR))
		return WIRE_GARBAGE;
	return wire_get(bytes, n, m);
}

/**
 * jain() - Jain's index of fairness
 * @rates: what each one got
 * @n: how many
 *
 * Return: from 1/n (one has all) to 1 (all have the same); 1 if there is nothing.
 */
double jain(const double *rates, unsigned int n)
{
	double sum = 0, squares = 0;
	unsigned int i;

	for (i = 0; i < n; i++) {
		sum += rates[i];
		squares += rates[i] * rates[i];
	}
	return squares > 0 ? sum * sum / (n * squares) : 1;
}
