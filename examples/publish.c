// SPDX-License-Identifier: GPL-2.0
/*
 * Publish to many: whoever subscribes gets every item, from one socket.
 *
 *   publish serve uet:///0/100 SUBSCRIBERS ITEMS
 *   publish follow uet://10.0.0.2/0/100
 *
 * The publisher waits for so many subscribers and asks for reports: a cookie tells
 * which subscriber a report is about, and one that is gone gets nothing more.
 * Followers watch the publisher, so that its end ends them, too.
 *
 * The number of an item is its header data; the last one is empty.
 */
#include <err.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <libuet.h>

#define LONGEST		1024
#define INDEX_BITS	32		/* cookie: subscriber << 32 | item */
#define WATCH_MS	1000
#define WATCH_COOKIE	1

struct subscriber {
	struct sockaddr_uet addr;
	bool		gone;
	uint64_t	outstanding, delivered;
};

static struct subscriber *subscribers;
static unsigned int n_subscribers;

static int open_socket(const struct libuet_sock *how)
{
	const char *step;
	int fd = libuet_open(how, &step);

	if (fd < 0)
		err(1, "%s", step);
	return fd;
}

static int item_reported(void *arg, const struct uet_report *rep,
			 const struct sockaddr_uet *peer)
{
	struct subscriber *s = &subscribers[rep->cookie >> INDEX_BITS];
	char text[LIBUET_TEXT_SIZE];

	(void)arg;
	s->outstanding--;
	if (!rep->error) {
		s->delivered++;
	} else if (!s->gone) {
		s->gone = true;
		libuet_report_text(rep, peer, text, sizeof(text));
		warnx("%s", text);
	}
	return 0;
}

static void publish(int fd, uint64_t item, void *text, size_t len)
{
	struct libuet_attrs attrs = {
		.has = LIBUET_COOKIE | LIBUET_HEADER_DATA, .header_data = item,
	};

	for (unsigned int i = 0; i < n_subscribers; i++) {
		struct subscriber *s = &subscribers[i];
		struct iovec iov = { text, len };

		if (s->gone)
			continue;
		attrs.cookie = (uint64_t)i << INDEX_BITS | item;
		if (libuet_sendmsg(fd, &iov, 1, &s->addr, &attrs, 0) < 0)
			s->gone = true;
		else
			s->outstanding++;
	}
	/* A report may be of a range of cookies; here each counts by itself */
	libuet_drain(fd, LIBUET_EXPAND, item_reported, NULL);
}

static bool all_reported(void)
{
	for (unsigned int i = 0; i < n_subscribers; i++)
		if (subscribers[i].outstanding)
			return false;
	return true;
}

static void await_subscribers(int fd, unsigned int n)
{
	char text[16];

	subscribers = calloc(n, sizeof(*subscribers));
	while (n_subscribers < n) {
		struct iovec iov = { text, sizeof(text) };
		struct sockaddr_uet *from = &subscribers[n_subscribers].addr;

		if (libuet_recvmsg(fd, &iov, 1, from, NULL, 0) < 0)
			err(1, "receive");
		n_subscribers++;
	}
}

static void serve(const struct sockaddr_uet *local, unsigned int n, uint64_t items)
{
	const struct libuet_sock how = { .local = local, .notify = 1 };
	int fd = open_socket(&how);
	unsigned int whole = 0;
	char text[LONGEST];

	puts("ready");
	fflush(stdout);
	await_subscribers(fd, n);
	for (uint64_t i = 0; i < items; i++)
		publish(fd, i, text, snprintf(text, sizeof(text), "item %llu",
					      (unsigned long long)i));
	publish(fd, items, NULL, 0);
	while (!all_reported()) {
		libuet_wait_report(fd, -1);
		libuet_drain(fd, LIBUET_EXPAND, item_reported, NULL);
	}
	for (unsigned int i = 0; i < n; i++)
		whole += subscribers[i].delivered == items + 1;
	printf("%u of %u subscribers have all %llu items\n", whole, n,
	       (unsigned long long)items);
}

/* --- a follower ------------------------------------------------------------------ */

/* Why the publisher is gone, or "" */
static char gone[LIBUET_TEXT_SIZE];

static int publisher_gone(void *arg, const struct uet_report *rep,
			  const struct sockaddr_uet *peer)
{
	(void)arg;
	if (rep->error)
		libuet_report_text(rep, peer, gone, sizeof(gone));
	else
		gone[0] = 0;
	return 0;
}

/* The next item; an empty one tells how many there are */
static ssize_t next_item(int fd, struct iovec *iov, struct libuet_attrs *attrs)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	ssize_t n;

	for (;;) {
		n = libuet_recvmsg(fd, iov, 1, NULL, attrs, MSG_DONTWAIT);
		if (n >= 0)
			return n;
		if (errno != EAGAIN)
			err(1, "receive");
		/* What has arrived is read, even if nothing follows */
		if (gone[0])
			errx(1, "%s", gone);
		poll(&pfd, 1, -1);
		libuet_drain(fd, 0, publisher_gone, NULL);
	}
}

static void follow(const struct sockaddr_uet *publisher)
{
	int fd = open_socket(&(struct libuet_sock){ .peer = publisher });
	uint64_t got = 0, sum = 0, items = UINT64_MAX;

	if (libuet_watch(fd, publisher, WATCH_COOKIE, WATCH_MS, 0) ||
	    send(fd, "subscribe", 9, 0) < 0)
		err(1, "subscribe");
	/* In any order: the end may come before the last items */
	while (got < items) {
		char text[LONGEST] = "", expected[32];
		struct iovec iov = { text, sizeof(text) - 1 };
		struct libuet_attrs attrs;
		ssize_t n;

		n = next_item(fd, &iov, &attrs);
		if (!n) {
			items = attrs.header_data;
			continue;
		}
		sprintf(expected, "item %llu",
			(unsigned long long)attrs.header_data);
		if (strcmp(text, expected))
			errx(1, "\"%s\" is no item", text);
		sum += attrs.header_data;
		got++;
	}
	printf("%llu items, sum %llu\n", (unsigned long long)got,
	       (unsigned long long)sum);
}

int main(int argc, char **argv)
{
	bool server = argc == 5 && !strcmp(argv[1], "serve");
	struct sockaddr_uet addr;

	if (!server && (argc != 3 || strcmp(argv[1], "follow")))
		errx(2, "usage: publish serve ADDRESS SUBSCRIBERS ITEMS | publish follow ADDRESS");
	if (libuet_resolve(argv[2], NULL, &addr, 1) < 0)
		err(1, "%s", argv[2]);
	if (server)
		serve(&addr, atoi(argv[3]), strtoull(argv[4], NULL, 0));
	else
		follow(&addr);
	return 0;
}
