// SPDX-License-Identifier: GPL-2.0
/*
 * Client of the sample module uet_store, and its tests.
 *
 *   uet_kstore ADDR [PID [run]]   run: reads and writes until it is told to end, and
 *                                 says how it ended; PID: 2000
 */
#define _GNU_SOURCE
#include <endian.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../samples/uet/uet_store.h"
#include "sock_util.h"

#define SIZE	(16ULL << 20)
#define FLIGHT	64

struct question {
	struct uet_store_ask	ask;
	char			data[UET_STORE_DATA_MAX + 1];
};

struct reply {
	struct uet_store_answer	answer;
	char			data[UET_STORE_DATA_MAX];
};

static struct sockaddr_uet to;
static struct question q;
static struct reply r;

static ssize_t ask(int fd, uint32_t op, uint64_t offset, uint32_t len, uint64_t cookie,
		   size_t with)
{
	q.ask = (struct uet_store_ask){
		.cookie = htobe64(cookie), .offset = htobe64(offset),
		.op = htobe32(op), .len = htobe32(len),
	};
	return sendto(fd, &q, sizeof(q.ask) + with, MSG_NOSIGNAL, (void *)&to, sizeof(to));
}

/* The next answer: its errno, -1 without one. *len: of its data */
static int answer(int fd, uint64_t *cookie, uint32_t *len)
{
	ssize_t n = recv(fd, &r, sizeof(r), 0);

	if (n < (ssize_t)sizeof(r.answer))
		return -1;
	*cookie = be64toh(r.answer.cookie);
	*len = be32toh(r.answer.len);
	return be32toh(r.answer.error);
}

/* Ask, and get the answer to that. */
static int done(int fd, uint32_t op, uint64_t offset, uint32_t len, size_t with)
{
	static uint64_t cookie;
	uint64_t got;
	uint32_t n;
	int error;

	if (ask(fd, op, offset, len, ++cookie, with) < 0)
		return -1;
	error = answer(fd, &got, &n);
	return got == cookie && (error || n == len) ? error : -1;
}


static void test_basics(int fd)
{
	pattern_fill(q.data, 5000, 1, 0);
	result(!done(fd, UET_STORE_WRITE, 100, 5000, 5000), "bytes are written");
	result(!done(fd, UET_STORE_READ, 100, 5000, 0) && !memcmp(r.data, q.data, 5000),
	       "and read");
	pattern_fill(q.data, UET_STORE_DATA_MAX, 2, 0);
	result(!done(fd, UET_STORE_WRITE, SIZE - UET_STORE_DATA_MAX, UET_STORE_DATA_MAX,
		     UET_STORE_DATA_MAX) &&
	       !done(fd, UET_STORE_READ, SIZE - UET_STORE_DATA_MAX, UET_STORE_DATA_MAX, 0) &&
	       !memcmp(r.data, q.data, UET_STORE_DATA_MAX), "as much as there may be, at the end");
	result(!done(fd, UET_STORE_READ, SIZE, 0, 0), "nothing");
}

static void test_wrong(int fd)
{
	result(done(fd, UET_STORE_READ, SIZE - 1, 2, 0) == ERANGE, "beyond the end");
	result(done(fd, UET_STORE_WRITE, UINT64_MAX, 1, 1) == ERANGE, "an offset that wraps");
	result(done(fd, UET_STORE_READ, 0, UET_STORE_DATA_MAX + 1, 0) == EMSGSIZE,
	       "more than an answer has");
	result(done(fd, UET_STORE_WRITE, 0, 100, 99) == EINVAL, "less than is told");
	result(done(fd, 3, 0, 1, 0) == EOPNOTSUPP, "an operation that is not there");
	sendto(fd, &q, 5, 0, (void *)&to, sizeof(to));
	ask(fd, UET_STORE_WRITE, 0, UET_STORE_DATA_MAX + 1, 9, UET_STORE_DATA_MAX + 1);
	result(!done(fd, UET_STORE_READ, 0, 1, 0), "after what cannot be answered");
}

/* Many questions at once, whose answers nobody reads for a while: none is lost. */
static void test_many(int fd)
{
	const int n = 2000;
	static bool seen[2000];
	int got = 0, sent = 0;
	uint64_t cookie;
	uint32_t len;

	memset(seen, 0, sizeof(seen));
	while (got < n) {
		struct pollfd pfd = { fd, POLLIN | (sent < n ? POLLOUT : 0), 0 };

		if (poll(&pfd, 1, 20000) <= 0)
			break;
		if (sent < n && pfd.revents & POLLOUT) {
			if (ask(fd, UET_STORE_READ, sent * 100, 60000, sent, 0) > 0)
				sent++;
			continue;
		}
		if (answer(fd, &cookie, &len) || len != 60000 || cookie >= (uint64_t)n ||
		    seen[cookie])
			break;
		seen[cookie] = true;
		got++;
	}
	result(got == n, "%d of %d answers to many questions", got, n);
}

static int run(int fd)
{
	struct timeval tv = { .tv_sec = 60 };
	unsigned long n = 0;

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv));
	for (;; n++) {
		pattern_fill(q.data, 8192, n, 0);
		if (done(fd, UET_STORE_WRITE, n % 1000 * 8192, 8192, 8192) ||
		    done(fd, UET_STORE_READ, n % 1000 * 8192, 8192, 0) ||
		    memcmp(r.data, q.data, 8192))
			break;
		if (n == 100)
			write(1, "runs\n", 5);
	}
	printf("%lu rounds, %s\n", n, strerror(errno));
	return 0;
}

int main(int argc, char **argv)
{
	int fd;

	if (argc < 2)
		die("usage: uet_kstore ADDR [PID [run]]");
	here = argv[1];
	uet_addr(&to, here, 0, argc > 2 ? atoi(argv[2]) : 2000, 0);
	fd = open_sock(SOCK_RDM);
	if (argc > 3)
		return run(fd);
	ktap_begin();
	test_basics(fd);
	test_wrong(fd);
	test_many(fd);
	return ktap_finish();
}
