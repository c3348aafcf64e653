// SPDX-License-Identifier: GPL-2.0
/*
 * Many messages with tags, between two hosts: each goes to one receive that wants it, and
 * is whole; on an ordered socket receives that want the same get them in order.
 *
 *   uet_tags recv ADDR/PID rdm|seq N SEED
 *   uet_tags send ADDR/PID rdm|seq N SEED
 *
 * Both draw what message number n is from n and the seed. Receives are for one tag or for
 * several, posted before and after their messages come, and looked for at times.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "uet_common.h"

#define TAGS		8
#define POSTS		48
#define LONGEST		200000
/* Without a completion for so long a receive is cancelled, and so often at most */
#define PATIENCE_MS	20
#define IDLE_MAX	20000

struct slot {
	bool		used;
	uint64_t	tag, ignore;
	char		*buf;
};

static struct slot slots[POSTS];
static unsigned int seed;
static uint64_t rnd = 1;

static uint64_t mix(uint64_t x)
{
	x = (x ^ (x >> 31)) * 0x7fb5d329728ea185ULL;
	x = (x ^ (x >> 27)) * 0x81dadef4bc2dd44dULL;
	return x ^ (x >> 33);
}

static uint32_t draw(uint32_t below)
{
	rnd = mix(rnd + 0x9e3779b97f4a7c15ULL);
	return rnd % below;
}

static uint64_t tag_of(uint64_t n)
{
	return mix(n * 2 + seed) % TAGS;
}

static size_t len_of(uint64_t n)
{
	uint64_t r = mix(n * 2 + 1 + seed);

	switch (r % 8) {
	case 0:
		return 0;
	case 1:
		return (r >> 8) % LONGEST;
	case 2:
		return (r >> 8) % 20000;
	default:
		return (r >> 8) % 300;
	}
}

static int sock(const char *type)
{
	struct libuet_sock how = {
		.type = strcmp(type, "seq") ? SOCK_RDM : SOCK_SEQPACKET,
	};

	return uet_socket(&how);
}

static void send_all(const char *to, const char *type, uint64_t count)
{
	static char buf[LONGEST];
	struct sockaddr_uet sa;
	int fd = sock(type);

	uet_endpoint(&sa, to, 0);
	for (uint64_t n = 0; n < count; n++) {
		struct libuet_attrs attrs = {
			.has = LIBUET_TAG | LIBUET_HEADER_DATA,
			.tag = tag_of(n), .header_data = n,
		};
		struct iovec iov = { buf, len_of(n) };

		pattern_fill(buf, iov.iov_len, pattern_seed(seed, n), 0);
		if (libuet_sendmsg(fd, &iov, 1, &sa, &attrs, 0) < 0)
			die("message %llu: %m", (unsigned long long)n);
	}
	printf("sent %llu\n", (unsigned long long)count);
}

/* Post a receive; cookies are the order of posting. False without a slot of the queue */
static bool post(int fd, uint64_t cookie)
{
	struct slot *s = &slots[cookie % POSTS];
	struct uet_op op = {
		.cookie = cookie, .opcode = UET_OP_TRECV, .to = UET_OP_ANY,
		.addr = (uintptr_t)s->buf, .length = LONGEST,
	};

	s->used = true;
	s->tag = draw(TAGS);
	/* One in three is for several tags, one in nine for all. */
	s->ignore = draw(3) ? 0 : draw(3) ? 1 << draw(3) : TAGS - 1;
	op.tag = s->tag;
	op.ignore = s->ignore;
	if (libuet_post(fd, &op, 1, NULL, 0) == 1)
		return true;
	if (errno != EAGAIN)
		die("post %llu: %m", (unsigned long long)cookie);
	s->used = false;
	return false;
}

static void peek(int fd)
{
	struct uet_op op = {
		.cookie = UINT64_MAX, .opcode = UET_OP_TRECV, .to = UET_OP_ANY,
		.tag = draw(TAGS), .flags = UET_OP_PEEK,
	};

	if (libuet_post(fd, &op, 1, NULL, 0) < 0 && errno != EAGAIN)
		die("peek: %m");
}

static void check(const struct uet_completion *d, uint64_t count, char *seen,
		  uint64_t last[POSTS])
{
	struct slot *s = &slots[d->cookie % POSTS];
	uint64_t n = d->header_data;
	struct check c = { .seed = pattern_seed(seed, n), .first_bad = -1 };

	if (d->error || !(d->flags & UET_DONE_HEADER_DATA) || n >= count)
		die("receive %llu: error %u, message %llu",
		    (unsigned long long)d->cookie, d->error, (unsigned long long)n);
	if (seen[n]++)
		die("message %llu came twice", (unsigned long long)n);
	if (d->tag != tag_of(n) || d->length != len_of(n) || d->got != d->length)
		die("message %llu: tag %llu, %u of %u bytes", (unsigned long long)n,
		    (unsigned long long)d->tag, d->got, d->length);
	if ((d->tag ^ s->tag) & ~s->ignore)
		die("message %llu is not for receive %llu", (unsigned long long)n,
		    (unsigned long long)d->cookie);
	pattern_check(&c, s->buf, d->got, 0);
	if (c.bad_bytes)
		die("message %llu: byte %lld is wrong", (unsigned long long)n,
		    (long long)c.first_bad);
	last[d->cookie % POSTS] = n + 1;
	s->used = false;
}

/*
 * Of two receives for the same, both of which have ended, the one posted first has the
 * earlier message.
 */
static void check_order(uint64_t cookie, const uint64_t last[POSTS], uint64_t first,
			uint64_t posted)
{
	const struct slot *s = &slots[cookie % POSTS];
	uint64_t n = last[cookie % POSTS], c;

	for (c = first; c < posted; c++) {
		const struct slot *o = &slots[c % POSTS];
		uint64_t m = last[c % POSTS];

		if (c == cookie || !m || o->used || o->tag != s->tag ||
		    o->ignore != s->ignore)
			continue;
		if ((c < cookie) != (m < n))
			die("receives %llu and %llu have messages %llu and %llu",
			    (unsigned long long)c, (unsigned long long)cookie,
			    (unsigned long long)m - 1, (unsigned long long)n - 1);
	}
}

static void recv_all(const char *at, const char *type, uint64_t count)
{
	uint64_t posted = 0, done = 0, first = 0, last[POSTS] = {};
	bool ordered = !strcmp(type, "seq");
	char *seen = calloc(count, 1);
	struct uet_completion d;
	struct sockaddr_uet sa;
	struct libuet_cq cq;
	int fd = sock(type), n, idle = 0;

	uet_endpoint(&sa, at, 0);
	for (n = 0; n < POSTS; n++)
		slots[n].buf = malloc(LONGEST);
	if (!seen || bind(fd, (struct sockaddr *)&sa, sizeof(sa)))
		die("bind: %m");
	if (libuet_open_cq(fd, 64, &cq) || libuet_use_cq(fd, &cq))
		die("queue: %m");
	puts("ready");
	fflush(stdout);
	while (done < count) {
		/* The window of cookies follows the oldest receive that has not ended. */
		while (first < posted && !slots[first % POSTS].used)
			first++;
		if (posted < first + POSTS && draw(4) && post(fd, posted)) {
			last[posted++ % POSTS] = 0;
			if (!draw(10))
				peek(fd);
			continue;
		}
		/* At times the messages come first. */
		if (!draw(200))
			usleep(2000);
		n = libuet_next_done(&cq, &d, posted < first + POSTS ? 0 : PATIENCE_MS);
		if (n < 0)
			die("wait: %m");
		if (!n) {
			if (posted == first + POSTS && ++idle > IDLE_MAX)
				die("%llu of %llu have come", (unsigned long long)done,
				    (unsigned long long)count);
			/* Nothing comes for those that are posted: others are. */
			if (posted == first + POSTS)
				libuet_unpost(fd, first + draw(POSTS));
			continue;
		}
		idle = 0;
		if (d.type == UET_DONE_PEEK)
			continue;
		if (d.error == ECANCELED) {
			slots[d.cookie % POSTS].used = false;
			continue;
		}
		check(&d, count, seen, last);
		if (ordered)
			check_order(d.cookie, last, first, posted);
		done++;
	}
	printf("received %llu\n", (unsigned long long)count);
}

int main(int argc, char **argv)
{
	uint64_t count;

	if (argc != 6)
		die("usage: uet_tags recv|send ADDR/PID rdm|seq N SEED");
	count = parse_size(argv[4]);
	seed = atoi(argv[5]);
	rnd = mix(seed);
	if (!strcmp(argv[1], "send"))
		send_all(argv[2], argv[3], count);
	else
		recv_all(argv[2], argv[3], count);
	return 0;
}
