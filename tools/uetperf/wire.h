/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What client and server say to each other. The match bits of a message are its
 * kind and the test it belongs to, the header data its number: data messages are
 * all payload and may have any length.
 */
#ifndef UETPERF_WIRE_H
#define UETPERF_WIRE_H

#include <stddef.h>
#include <stdint.h>

#include <libuet.h>

#define WIRE_VERSION	1
#define WIRE_PID	900	/* where a server is, if nothing else is said */
#define PING_MAX	(1U << 20)

enum wire_kind {
	KIND_HELLO	= 1,	/* begins a test: struct wire_hello */
	KIND_WELCOME	= 2,	/* the answer: no payload */
	KIND_REFUSED	= 3,	/* other version, or too many tests */
	KIND_DATA	= 4,	/* is counted, and checked if asked for */
	KIND_PING	= 5,	/* comes back as KIND_PONG */
	KIND_PONG	= 6,
	KIND_ASK	= 7,	/* how far is it? */
	KIND_RESULT	= 8,	/* the answer: struct wire_result */
	KIND_BYE	= 9,	/* the test is over */
};

/* All in network byte order */
struct wire_hello {
	uint64_t	version, verify, seed;
};

struct wire_result {
	uint64_t	known;		/* 0: no such test, the rest is 0 */
	uint64_t	messages, bytes;
	uint64_t	ns;		/* from the first message to the last */
	uint64_t	bad;		/* messages whose contents are wrong */
	uint64_t	bad_seq;	/* the first of them */
	uint64_t	bad_offset;	/* the first byte wrong in it */
};

ssize_t wire_send(int fd, const struct sockaddr_uet *to, int delivery,
		  uint64_t tag, uint64_t seq, const void *data, size_t len,
		  int flags);
uint64_t wire_tag(enum wire_kind kind, uint32_t test);
enum wire_kind wire_kind(uint64_t tag);
uint32_t wire_test(uint64_t tag);

void pattern_fill(void *buf, size_t len, uint64_t seed, uint64_t seq);
size_t pattern_check(const void *buf, size_t len, size_t offset, uint64_t seed,
		     uint64_t seq);

uint64_t now_ns(void);

#endif
