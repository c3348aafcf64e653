// SPDX-License-Identifier: GPL-2.0
/*
 * Receives that are posted ahead: a server of many requests, and a client that has many
 * of them under way. The kernel matches a message to a receive by its tag and writes it
 * to the buffer when it comes; what came, and which buffers are free again, both read
 * from a completion queue, mostly without a system call.
 *
 *   post serve uet:///0/100
 *   post ask uet://10.0.0.2/0/100 COUNT
 *
 * The tag of a request has its number in the lower half, and its answer has the same. An
 * answer is the request with its bytes in reverse order.
 */
#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libuet.h>

#define LONGEST		16384
#define POSTED		128	/* receives of the server */
#define UNDER_WAY	16	/* requests of one client, at most */
#define SEND_MS		10000	/* who does not read for so long gets no answer */
#define PATIENCE_MS	60000

#define REQUEST		(1ULL << 32)
#define ANSWER		(2ULL << 32)
#define NUMBER		0xffffffffULL

static int open_socket(const struct libuet_sock *how, struct libuet_cq *cq)
{
	const char *step;
	int fd = libuet_open(how, &step);

	if (fd < 0)
		err(1, "%s", step);
	/* Room for all that may be under way, or further posts have to wait */
	if (libuet_open_cq(fd, 8 * POSTED, cq) || libuet_use_cq(fd, cq))
		err(1, errno == ENOBUFS ? "completion queue (ulimit -l)" : "completion queue");
	return fd;
}

static void post(int fd, uint64_t cookie, void *buf, uint64_t tag, uint64_t ignore)
{
	const struct uet_op op = {
		.cookie = cookie, .opcode = UET_OP_TRECV, .to = UET_OP_ANY,
		.addr = (uintptr_t)buf, .length = LONGEST, .tag = tag, .ignore = ignore,
	};

	/* Its pages are held until it has completed */
	if (libuet_post(fd, &op, 1, NULL, 0) != 1)
		err(1, errno == ENOBUFS ? "receive (ulimit -l)" : "receive");
}

/* So short a message is copied: the send buffer has room for all that are under way */
static int post_send(int fd, uint64_t cookie, const void *buf, size_t n, uint64_t tag,
		     const struct sockaddr_uet *to)
{
	const struct uet_op op = {
		.cookie = cookie, .opcode = UET_OP_TSEND, .to = 1,
		.addr = (uintptr_t)buf, .length = n, .tag = tag,
	};

	return libuet_post(fd, &op, 1, to, 1) == 1 ? 0 : -1;
}

/* --- the server ------------------------------------------------------------------ */

struct slot {
	char			buf[LONGEST];
	struct sockaddr_uet	to;
	bool			answers;	/* @buf is an answer that is under way */
};

static struct slot slots[POSTED];

static void reverse(char *buf, size_t n)
{
	for (size_t i = 0; i < n / 2; i++) {
		char c = buf[i];

		buf[i] = buf[n - 1 - i];
		buf[n - 1 - i] = c;
	}
}

static bool same(const struct sockaddr_uet *a, const struct sockaddr_uet *b)
{
	return !memcmp(&a->suet_addr, &b->suet_addr, sizeof(a->suet_addr)) &&
	       a->suet_pid == b->suet_pid && a->suet_ri == b->suet_ri;
}

/* A client that does not read its answers keeps a few slots for a while, and not all.
 * One that does has what it asks for, and as many answers may not be confirmed yet.
 */
static bool has_many(const struct sockaddr_uet *client)
{
	int n = 0;

	for (int i = 0; i < POSTED; i++)
		n += slots[i].answers && same(&slots[i].to, client);
	return n >= 2 * UNDER_WAY;
}

static void wait_for_request(int fd, int i)
{
	slots[i].answers = false;
	post(fd, i, slots[i].buf, REQUEST, NUMBER);
}

/* The slot is free when the client has the answer; for one that cannot be, at once */
static void answer(int fd, const struct uet_completion *done)
{
	struct slot *s = &slots[done->cookie];

	if (done->error || has_many(&done->peer)) {
		wait_for_request(fd, done->cookie);
		return;
	}
	s->answers = true;
	s->to = done->peer;
	reverse(s->buf, done->got);
	if (post_send(fd, done->cookie, s->buf, done->got, ANSWER | (done->tag & NUMBER),
		      &s->to))
		wait_for_request(fd, done->cookie);
}

static void serve(const struct sockaddr_uet *local)
{
	const struct libuet_sock how = {
		.local = local, .max_msg = LONGEST, .send_timeout = SEND_MS,
	};
	struct uet_completion done;
	struct libuet_cq cq;
	int fd = open_socket(&how, &cq);

	for (int i = 0; i < POSTED; i++)
		wait_for_request(fd, i);
	puts("ready");
	fflush(stdout);
	while (libuet_next_done(&cq, &done, -1) >= 0 || errno == EINTR) {
		if (done.type == UET_DONE_RECV)
			answer(fd, &done);
		else if (done.type == UET_DONE_SENT)
			/* Who is gone, or does not read, has no answer */
			wait_for_request(fd, done.cookie);
	}
	err(1, "completions");
}

/* --- a client ----------------------------------------------------------------------- */

struct request {
	char	question[LONGEST], answer[LONGEST];
	size_t	length;
};

static struct request requests[UNDER_WAY];

/* The receive comes first: so its answer finds it */
static void ask(int fd, uint64_t number, const struct sockaddr_uet *server)
{
	struct request *r = &requests[number % UNDER_WAY];

	r->length = random() % (LONGEST + 1);
	for (size_t i = 0; i < r->length; i++)
		r->question[i] = random();
	post(fd, number, r->answer, ANSWER | (number & NUMBER), 0);
	if (post_send(fd, number, r->question, r->length, REQUEST | (number & NUMBER), server))
		err(1, "request %llu", (unsigned long long)number);
}

static void check(const struct uet_completion *done)
{
	struct request *r = &requests[done->cookie % UNDER_WAY];

	reverse(r->question, r->length);
	if (done->got != r->length || memcmp(r->answer, r->question, r->length))
		errx(1, "request %llu: another answer", (unsigned long long)done->cookie);
}

static void ask_all(const struct sockaddr_uet *server, uint64_t count)
{
	const struct libuet_sock how = { .type = SOCK_RDM };
	uint64_t asked = 0, answered = 0;
	struct uet_completion done;
	struct libuet_cq cq;
	int fd = open_socket(&how, &cq);

	while (asked < count && asked < UNDER_WAY)
		ask(fd, asked++, server);
	while (answered < count) {
		int n = libuet_next_done(&cq, &done, PATIENCE_MS);

		if (n < 0 && errno != EINTR)
			err(1, "completions");
		if (!n)
			errx(1, "no answer");
		if (n > 0 && done.error)
			errx(1, "request %llu: %s", (unsigned long long)done.cookie,
			     strerror(done.error));
		if (n < 0 || done.type != UET_DONE_RECV)
			continue;
		check(&done);
		answered++;
		if (asked < count)
			ask(fd, done.cookie + UNDER_WAY, server), asked++;
	}
	libuet_close_cq(&cq);
	printf("%llu answers, all right\n", (unsigned long long)answered);
}

int main(int argc, char **argv)
{
	bool server = argc == 3 && !strcmp(argv[1], "serve");
	struct sockaddr_uet addr;

	if (!server && (argc != 4 || strcmp(argv[1], "ask")))
		errx(2, "usage: post serve ADDRESS | post ask ADDRESS COUNT");
	if (libuet_resolve(argv[2], NULL, &addr, 1) < 0)
		err(1, "%s", argv[2]);
	if (server)
		serve(&addr);
	ask_all(&addr, strtoull(argv[3], NULL, 10));
	return 0;
}
