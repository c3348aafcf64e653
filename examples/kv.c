// SPDX-License-Identifier: GPL-2.0
/*
 * A key-value server with epoll: one socket serves any number of peers, and a
 * client that plays thousands of them.
 *
 *   kv serve uet:///0/100
 *   kv load uet://10.0.0.2/0/100 PEERS ROUNDS
 *
 * Questions are text: "put KEY VALUE" is answered by "ok", "get KEY" by "=VALUE" or
 * "none". The header data of a question comes back with its answer.
 *
 * A peer that does not read its answers gets no others: a send to it gives EAGAIN
 * while sends to the others go on. Its answer waits here until libuet_writable() has
 * its address.
 */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/queue.h>
#include <sys/resource.h>
#include <unistd.h>

#include <libuet.h>

#define LONGEST		4096
#define MAX_WAITING	10000	/* answers; further ones are dropped */
#define ROOM_FOR	64	/* peers that are told at a time */
#define PATIENCE_MS	120000

/* --- the store ------------------------------------------------------------------ */

struct item {
	char	*key, *value;
};

static void *store;

static int by_key(const void *a, const void *b)
{
	return strcmp(((const struct item *)a)->key,
		      ((const struct item *)b)->key);
}

static const char *get(char *key)
{
	struct item **found = tfind(&(struct item){ .key = key }, &store, by_key);

	return found ? (*found)->value : NULL;
}

static void put(const char *key, const char *value)
{
	struct item *new = calloc(1, sizeof(*new)), **found;

	if (!new)
		err(1, "memory");
	new->key = strdup(key);
	if (!new->key)
		err(1, "memory");
	found = tsearch(new, &store, by_key);
	if (!found)
		err(1, "memory");
	if (*found != new) {
		free(new->key);
		free(new);
	}
	free((*found)->value);
	(*found)->value = strdup(value);
}

/* --- the server ------------------------------------------------------------------ */

struct answer {
	STAILQ_ENTRY(answer) next;
	struct sockaddr_uet to;
	struct libuet_attrs attrs;
	char		text[LONGEST];
};

static STAILQ_HEAD(, answer) waiting = STAILQ_HEAD_INITIALIZER(waiting);
static unsigned int n_waiting;

/* False if the peer has no room now */
static bool send_answer(int fd, const struct answer *a)
{
	struct iovec iov = { (void *)a->text, strlen(a->text) };

	return libuet_sendmsg(fd, &iov, 1, &a->to, &a->attrs,
			      MSG_DONTWAIT) >= 0 || errno != EAGAIN;
}

static void answer(int fd, const struct answer *a)
{
	struct answer *copy;

	if (send_answer(fd, a) || n_waiting == MAX_WAITING)
		return;
	copy = malloc(sizeof(*copy));
	if (!copy)
		return;
	*copy = *a;
	STAILQ_INSERT_TAIL(&waiting, copy, next);
	n_waiting++;
}

/* Is a peer one of those that have room? One without an address is any of them. */
static bool has_room(const struct sockaddr_uet *to, const struct sockaddr_uet *who,
		     int n)
{
	for (; n > 0; n--, who++)
		if (!who->suet_family ||
		    (who->suet_pid == to->suet_pid && who->suet_ri == to->suet_ri &&
		     who->suet_job == to->suet_job &&
		     IN6_ARE_ADDR_EQUAL(&who->suet_addr, &to->suet_addr)))
			return true;
	return false;
}

/* One try for each that is for a peer with room. Nobody in the list: there may be room
 * for any, as half of the buffer is free.
 */
static void answer_waiting(int fd)
{
	struct sockaddr_uet who[ROOM_FOR];
	int room = libuet_writable(fd, who, ROOM_FOR);

	if (room < 0)
		err(1, "who has room");
	for (unsigned int n = n_waiting; n; n--) {
		struct answer *a = STAILQ_FIRST(&waiting);

		STAILQ_REMOVE_HEAD(&waiting, next);
		if (room && !has_room(&a->to, who, room)) {
			STAILQ_INSERT_TAIL(&waiting, a, next);
		} else if (send_answer(fd, a)) {
			free(a);
			n_waiting--;
		} else {
			STAILQ_INSERT_TAIL(&waiting, a, next);
		}
	}
}

static void carry_out(char *question, char *text)
{
	char *verb = strtok(question, " "), *key = strtok(NULL, " ");
	char *value = strtok(NULL, "");
	const char *found = key ? get(key) : NULL;

	if (key && value && !strcmp(verb, "put")) {
		put(key, value);
		strcpy(text, "ok");
	} else if (key && !value && !strcmp(verb, "get")) {
		snprintf(text, LONGEST, found ? "=%s" : "none", found);
	} else {
		strcpy(text, "what?");
	}
}

/* All questions that are there. UET_MAX_MSG keeps longer ones out. */
static void take_questions(int fd)
{
	char question[LONGEST];
	struct answer a;
	ssize_t n;

	for (;;) {
		struct iovec iov = { question, sizeof(question) - 1 };

		n = libuet_recvmsg(fd, &iov, 1, &a.to, &a.attrs, MSG_DONTWAIT);
		if (n < 0 && (errno == ECONNABORTED || errno == ECONNRESET))
			continue;
		if (n < 0)
			break;
		question[n] = 0;
		carry_out(question, a.text);
		a.attrs.has &= LIBUET_HEADER_DATA | LIBUET_PKTINFO;
		answer(fd, &a);
	}
	if (errno != EAGAIN)
		err(1, "receive");
}

/* Who is gone gets no answer; nothing else depends on it */
static int ignore(void *arg, const struct uet_report *rep,
		  const struct sockaddr_uet *peer)
{
	(void)arg;
	(void)rep;
	(void)peer;
	return 0;
}

static int open_socket(const struct libuet_sock *how)
{
	const char *step;
	int fd = libuet_open(how, &step);

	if (fd < 0)
		err(1, "%s", step);
	return fd;
}

static void serve(const struct sockaddr_uet *local)
{
	const struct libuet_sock how = {
		.local = local, .max_msg = LONGEST - 1, .pktinfo = 1,
	};
	int fd = open_socket(&how), ep = epoll_create1(EPOLL_CLOEXEC);
	struct epoll_event ev = { .events = EPOLLIN };

	if (ep < 0 || epoll_ctl(ep, EPOLL_CTL_ADD, fd, &ev))
		err(1, "epoll");
	puts("ready");
	fflush(stdout);
	for (;;) {
		if (epoll_wait(ep, &ev, 1, -1) < 0)
			continue;
		if (ev.events & EPOLLERR)
			libuet_drain(fd, 0, ignore, NULL);
		if (ev.events & EPOLLIN)
			take_questions(fd);
		if (ev.events & EPOLLOUT)
			answer_waiting(fd);
		ev.events = EPOLLIN | (n_waiting ? EPOLLOUT : 0);
		epoll_ctl(ep, EPOLL_CTL_MOD, fd, &ev);
	}
}

/* --- peers ------------------------------------------------------------------------ */

struct peer {
	int		fd, number;
	uint64_t	done;		/* answers; odd: it has put, and gets now */
};

static void ask(const struct peer *p)
{
	char text[64];
	struct iovec iov = { text, 0 };
	const struct libuet_attrs attrs = {
		.has = LIBUET_HEADER_DATA, .header_data = p->done,
	};
	int round = p->done / 2;

	if (p->done % 2)
		iov.iov_len = sprintf(text, "get key%d", p->number);
	else
		iov.iov_len = sprintf(text, "put key%d value %d of %d",
				      p->number, round, p->number);
	if (libuet_sendmsg(p->fd, &iov, 1, NULL, &attrs, 0) < 0)
		err(1, "peer %d", p->number);
}

static void check(struct peer *p)
{
	char text[LONGEST] = "", expected[64] = "ok";
	struct iovec iov = { text, sizeof(text) - 1 };
	struct libuet_attrs attrs;

	if (libuet_recvmsg(p->fd, &iov, 1, NULL, &attrs, 0) < 0)
		err(1, "peer %d", p->number);
	if (p->done % 2)
		sprintf(expected, "=value %d of %d", (int)(p->done / 2),
			p->number);
	if (attrs.header_data != p->done || strcmp(text, expected))
		errx(1, "peer %d: \"%s\" is no answer, \"%s\" is", p->number,
		     text, expected);
	p->done++;
}

static int fail(void *arg, const struct uet_report *rep,
		const struct sockaddr_uet *peer)
{
	char text[LIBUET_TEXT_SIZE];

	(void)arg;
	libuet_report_text(rep, peer, text, sizeof(text));
	errx(1, "%s", text);
}

static void load(const struct sockaddr_uet *server, int n, uint64_t rounds)
{
	const struct libuet_sock how = { .peer = server, .sndbuf = 65536,
					 .rcvbuf = 65536 };
	struct rlimit files = { n + 64, n + 64 };
	struct peer *peers = calloc(n, sizeof(*peers));
	int ep = epoll_create1(EPOLL_CLOEXEC), busy = n;
	struct epoll_event ev;

	setrlimit(RLIMIT_NOFILE, &files);
	for (int i = 0; i < n; i++) {
		peers[i].fd = open_socket(&how);
		peers[i].number = i;
		ev = (struct epoll_event){ EPOLLIN, { .ptr = &peers[i] } };
		if (epoll_ctl(ep, EPOLL_CTL_ADD, peers[i].fd, &ev))
			err(1, "epoll");
	}
	for (int i = 0; i < n; i++)
		ask(&peers[i]);
	while (busy) {
		struct peer *p;

		if (epoll_wait(ep, &ev, 1, PATIENCE_MS) != 1)
			errx(1, "%d peers have no answer", busy);
		p = ev.data.ptr;
		if (ev.events & EPOLLERR)
			libuet_drain(p->fd, 0, fail, NULL);
		if (!(ev.events & EPOLLIN))
			continue;
		check(p);
		if (p->done < 2 * rounds)
			ask(p);
		else
			busy--;
	}
	printf("%d peers: %llu answers, all right\n", n,
	       2ULL * n * rounds);
}

int main(int argc, char **argv)
{
	bool server = argc == 3 && !strcmp(argv[1], "serve");
	struct sockaddr_uet addr;

	if (!server && (argc != 5 || strcmp(argv[1], "load")))
		errx(2, "usage: kv serve ADDRESS | kv load ADDRESS PEERS ROUNDS");
	if (libuet_resolve(argv[2], NULL, &addr, 1) < 0)
		err(1, "%s", argv[2]);
	if (server)
		serve(&addr);
	load(&addr, atoi(argv[3]), atoi(argv[4]));
	return 0;
}
