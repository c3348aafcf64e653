// SPDX-License-Identifier: GPL-2.0
/*
 * One socket that sends to several endpoints without waiting, of which some do not
 * read: whom poll() and epoll tell of room for which, and UET_WRITABLE. Messages travel
 * from the host to itself.
 *
 *   uet_poll ADDR     an address of this host
 */
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "sock_util.h"

/* Longest wait for what should come at once, ms */
#define SOON	60000
#define LEN	8000
#define MANY	200

static char buf[65536];

static void set_int(int fd, int opt, int val)
{
	if (setsockopt(fd, SOL_SOCKET, opt, &val, sizeof(val)))
		die("option %d: %s", opt, strerror(errno));
}

/* Returns false if there is no room. */
static bool send_at(int fd, uint16_t pid)
{
	struct sockaddr_uet to;

	uet_addr(&to, here, 0, pid, 0);
	if (sendto(fd, buf, LEN, MSG_DONTWAIT, (struct sockaddr *)&to,
		   sizeof(to)) == LEN)
		return true;
	if (errno != EAGAIN)
		die("send: %s", strerror(errno));
	return false;
}

/* An endpoint with a short buffer */
static int reader_sock(uint16_t pid)
{
	int fd = bound_sock(SOCK_RDM, pid);

	set_int(fd, SO_RCVBUF, 40000);
	return fd;
}

static int sender_sock(uint16_t pid)
{
	int fd = bound_sock(SOCK_RDM, pid);

	set_int(fd, SO_SNDBUF, 200000);
	return fd;
}

struct reader {
	pthread_t	thread;
	int		fd;
	int		n;
	useconds_t	pause;
};

static void *read_on(void *arg)
{
	static __thread char space[LEN];
	struct reader *r = arg;

	while (r->n && recv(r->fd, space, sizeof(space), 0) > 0) {
		r->n--;
		usleep(r->pause);
	}
	return NULL;
}

static void read_start(struct reader *r, int fd, int n)
{
	*r = (struct reader){ .fd = fd, .n = n, .pause = 1000 };
	if (pthread_create(&r->thread, NULL, read_on, r))
		die("thread");
}

/* Fill what is for an endpoint that does not read, until that holds for good. */
static void fill(int fd, uint16_t pid)
{
	struct pollfd pfd = { .fd = fd, .events = POLLOUT };

	do {
		while (send_at(fd, pid))
			;
	} while (poll(&pfd, 1, 500));
}

/* --- ways to wait ------------------------------------------------------------ */

enum way { POLL, LEVEL, EDGE, WAYS };

static const char *const way_names[] = {
	"poll()", "level-triggered epoll", "edge-triggered epoll",
};

struct waiter {
	enum way	way;
	int		fd, ep;
};

static void wait_begin(struct waiter *w, enum way way, int fd)
{
	struct epoll_event ev = { .events = EPOLLOUT };

	*w = (struct waiter){ .way = way, .fd = fd, .ep = -1 };
	if (way == POLL)
		return;
	if (way == EDGE)
		ev.events |= EPOLLET;
	w->ep = epoll_create1(0);
	if (w->ep < 0 || epoll_ctl(w->ep, EPOLL_CTL_ADD, fd, &ev))
		die("epoll: %s", strerror(errno));
}

static bool wait_room(const struct waiter *w, int ms)
{
	struct pollfd pfd = { .fd = w->fd, .events = POLLOUT };
	struct epoll_event ev;

	if (w->way == POLL)
		return poll(&pfd, 1, ms) == 1;
	return epoll_wait(w->ep, &ev, 1, ms) == 1;
}

static void wait_end(struct waiter *w)
{
	if (w->ep >= 0)
		close(w->ep);
}

static bool listed(const struct sockaddr_uet *who, int n, uint16_t pid)
{
	while (n--)
		if (!who[n].suet_family || who[n].suet_pid == pid)
			return true;
	return false;
}

/* --- one reads, one does not ------------------------------------------------- */

/* Send to both, as to whom there is room. @list: ask who that is. The one that does not
 * read is always refused last.
 */
static void test_one_stopped(enum way way, bool list)
{
	int a = sender_sock(600), good = reader_sock(601), bad = reader_sock(602);
	int sent = 0, want = 100, idle = 0, lies = 0, n = 0;
	struct sockaddr_uet who[4];
	bool told = true, ask = false;
	struct waiter w;
	struct reader r;

	wait_begin(&w, way, a);
	fill(a, 602);
	read_start(&r, good, want);
	while (sent < want && told) {
		int before = sent;

		if (!ask || listed(who, n, 601))
			while (sent < want && send_at(a, 601))
				sent++;
		if (!ask || listed(who, n, 602))
			send_at(a, 602);
		idle += ask && sent == before;
		if (sent == want)
			break;
		told = wait_room(&w, SOON);
		ask = list;
		n = list ? libuet_writable(a, who, 4) : 0;
		/* It may have been the rule of the half buffer. */
		lies += list && listed(who, n, 602);
		ask = list && n > 0;
	}
	result(sent == want, "%s%s: one reads, one does not: %d of %d",
	       way_names[way], list ? " and a list" : "", sent, want);
	result(!lies && idle <= want, "... and the other is not listed (%d, %d)", lies,
	       idle);
	if (sent < want)
		shutdown(good, SHUT_RD);
	pthread_join(r.thread, NULL);
	/* Now the other one reads. */
	while (wait_room(&w, 0))
		send_at(a, 602);
	read_start(&r, bad, -1);
	/* The first one may be told again, as nobody sends to it any more. */
	do {
		told = wait_room(&w, SOON);
	} while (told && !send_at(a, 602));
	result(told, "%s: and then the other one", way_names[way]);
	shutdown(bad, SHUT_RD);
	pthread_join(r.thread, NULL);
	wait_end(&w);
	close(a);
	close(good);
	close(bad);
}

/* Told of room, a program has others refused before it asks for whom. */
static void test_late(enum way way)
{
	int a = sender_sock(640), good = reader_sock(641), bad = reader_sock(642);
	struct sockaddr_uet who[4];
	struct waiter w;
	struct reader r;
	int n, empty = 0;
	bool told;

	wait_begin(&w, way, a);
	fill(a, 641);
	fill(a, 642);
	while (libuet_writable(a, who, 4) > 0)
		;
	send_at(a, 641);
	send_at(a, 642);
	wait_room(&w, 0);
	read_start(&r, good, -1);
	if (!wait_room(&w, SOON))
		die("nobody tells of the one that reads");
	/* Until that has read all. */
	usleep(1000000);
	for (int i = 0; i < 10 && wait_room(&w, 0); i++)
		;
	for (int i = 0; i < 30; i++)
		send_at(a, 642);
	do {
		n = libuet_writable(a, who, 4);
		told = n > 0 || wait_room(&w, 5000);
	} while (!n && told && empty++ < 100);
	result(listed(who, n, 641), "%s: room is told late, after %d empty lists", way_names[way],
	       empty);
	shutdown(good, SHUT_RD);
	pthread_join(r.thread, NULL);
	wait_end(&w);
	close(a);
	close(good);
	close(bad);
}

/* What nobody sends again does not make the socket writable for ever. */
static void test_given_up(void)
{
	int a = sender_sock(610), gone = reader_sock(611), bad = reader_sock(612);
	struct pollfd pfd = { .fd = a, .events = POLLOUT };
	struct reader r;
	int rounds = 0;

	fill(a, 611);
	fill(a, 612);
	send_at(a, 611);
	send_at(a, 612);
	read_start(&r, gone, -1);
	if (poll(&pfd, 1, SOON) != 1)
		die("nobody tells of the one that reads");
	while (rounds < 1000 && poll(&pfd, 1, 2000) == 1) {
		send_at(a, 612);
		rounds++;
	}
	result(rounds < 100, "a destination that was given up is told %d times", rounds);
	shutdown(gone, SHUT_RD);
	pthread_join(r.thread, NULL);
	close(a);
	close(gone);
	close(bad);
}

/* More destinations than there are queues for */
static void test_many(void)
{
	int a = sender_sock(620), one = reader_sock(621), two = reader_sock(622);
	struct pollfd pfd = { .fd = a, .events = POLLOUT };
	int n = 0, all = 0, unnamed = 0, refused = 0;
	struct sockaddr_uet who[7];
	struct reader r;

	/* Two fill the buffer. */
	fill(a, 621);
	fill(a, 622);
	for (int i = 0; i < MANY; i++)
		refused += !send_at(a, 700 + i);
	result(refused == MANY, "a full buffer is full for others (%d of %d)", refused,
	       MANY);
	n = libuet_writable(a, who, 7);
	result(n == 0, "nobody is listed before (%d)", n);
	read_start(&r, one, -1);
	result(poll(&pfd, 1, SOON) == 1, "there is room for others");
	while ((n = libuet_writable(a, who, 7)) > 0) {
		for (int i = 0; i < n; i++) {
			unnamed += !who[i].suet_family;
			all += who[i].suet_family && who[i].suet_pid >= 700;
		}
		if (n < 7 && !poll(&pfd, 1, 0))
			break;
	}
	result(all > 0 && all <= MANY && unnamed >= 1,
	       "they are listed, and that there are more (%d, %d)", all, unnamed);
	shutdown(one, SHUT_RD);
	pthread_join(r.thread, NULL);
	close(a);
	close(one);
	close(two);
}

static void test_arguments(void)
{
	int a = sender_sock(630);
	struct sockaddr_uet who[1];
	socklen_t len = sizeof(who[0]) - 1;

	EXPECT_ERR(getsockopt(a, SOL_UET, UET_WRITABLE, who, &len), EINVAL,
		   "a list without room");
	len = -1;
	EXPECT_ERR(getsockopt(a, SOL_UET, UET_WRITABLE, who, &len), EINVAL,
		   "a list of negative length");
	EXPECT_ERR(setsockopt(a, SOL_UET, UET_WRITABLE, who, sizeof(who)),
		   ENOPROTOOPT, "a list to the kernel");
	result(libuet_writable(a, who, 1) == 0, "nothing was refused");
	close(a);
}

int main(int argc, char **argv)
{
	if (argc != 2)
		die("usage: uet_poll ADDR");
	here = argv[1];
	ktap_begin();
	test_arguments();
	for (enum way w = 0; w < WAYS; w++) {
		test_one_stopped(w, false);
		test_one_stopped(w, true);
	}
	for (enum way w = 0; w < WAYS; w++)
		test_late(w);
	test_given_up();
	test_many();
	return ktap_finish();
}
