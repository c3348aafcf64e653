/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Control messages of client and server, and the contents of data messages.
 *
 *	client                          server
 *	HELLO    data socket  -> 900    makes a data socket for the test
 *	         data socket  <-        WELCOME, from that socket: slot and key
 *	START    control      -> 900    a process begins to read, echo or send
 *	         ... data messages from one data socket to the other ...
 *	TOTAL    either way             so many have been sent: the sender stopped early
 *	HALT     control      -> 900    a server that sends is to stop
 *	BYE      control      -> 900    the test is over
 *	         control      <-        RESULT: what the server has seen
 *
 * Who reads answers a round of data messages with one byte. A test is known by its
 * slot and its key, which only its client has been told.
 */
#ifndef UETPERF_WIRE_H
#define UETPERF_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WIRE_VERSION	1
#define WIRE_PID	900	/* where a server is, if nothing else is said */
#define WIRE_SIZE	128	/* of each control message */
#define COPY_MAX	(1U << 20)	/* longest message a server keeps or sends */
#define ROUNDS_MAX	1000

enum wire_kind {
	KIND_HELLO	= 1,
	KIND_WELCOME	= 2,
	KIND_REFUSED	= 3,	/* instead of WELCOME; @reason says why */
	KIND_START	= 4,
	KIND_TOTAL	= 5,
	KIND_HALT	= 6,
	KIND_BYE	= 7,
	KIND_RESULT	= 8,
	KIND_MAX	= KIND_RESULT,
};

/* What the server does with data messages */
enum role {
	ROLE_SINK	= 1,	/* reads */
	ROLE_ECHO	= 2,	/* sends each one back */
	ROLE_SOURCE	= 3,	/* sends */
	ROLE_MAX	= ROLE_SOURCE,
};

enum reason {
	REASON_NONE	= 0,
	REASON_VERSION	= 1,	/* REFUSED: the server is of another version */
	REASON_ROOM	= 2,	/* REFUSED: it has as many tests as it may */
	REASON_SIZE	= 3,	/* REFUSED: too long to be kept or made there */
	REASON_DELIVERY	= 4,	/* REFUSED: its sockets lack this delivery mode */
	REASON_SYSTEM	= 5,	/* REFUSED, RESULT: no socket or no process */
	REASON_STOPPED	= 6,	/* RESULT: the server was told to end */
	REASON_UNKNOWN	= 7,	/* RESULT: no such test */
	REASON_FAILED	= 8,	/* RESULT: the test failed there */
	REASON_MAX	= REASON_FAILED,
};

/**
 * struct wire_msg - a control message, host byte order
 * @kind: enum wire_kind
 * @role: enum role (HELLO)
 * @delivery: enum uet_delivery (HELLO)
 * @reason: enum reason (REFUSED, RESULT)
 * @verify: contents are made and checked (HELLO)
 * @pid: PIDonFEP of the data socket (WELCOME)
 * @slot: the test (all but HELLO and REFUSED)
 * @key: of the test, chosen by the server
 * @spoil: each so many messages the sender spoils one; 0: none (HELLO)
 * @batches: rounds, the one that warms up included (HELLO)
 * @warm: rounds that warm up, 0 or 1 (HELLO)
 * @size: length of data messages (HELLO)
 * @round: messages of a round; 0: until TOTAL (HELLO)
 * @seed: of the contents, by which a client knows an answer to it (HELLO, WELCOME,
 *	REFUSED)
 * @total: messages that were sent (TOTAL)
 * @messages: seen, those of rounds that warm up not counted (RESULT)
 * @bytes: in them
 * @ns: from the first of them to the last
 * @bad: messages with wrong contents
 * @bad_seq: the first of them
 * @bad_offset: the first byte wrong in it
 */
struct wire_msg {
	uint8_t		kind, role, delivery, reason;
	bool		verify;
	uint16_t	pid;
	uint32_t	slot, spoil, batches, warm;
	uint64_t	key, size, round, seed, total;
	uint64_t	messages, bytes, ns, bad, bad_seq, bad_offset;
};

enum wire_verdict { WIRE_GOOD, WIRE_GARBAGE, WIRE_OTHER_VERSION };

void wire_put(unsigned char buf[WIRE_SIZE], const struct wire_msg *m);
enum wire_verdict wire_get(const void *buf, size_t len, struct wire_msg *m);

void pattern_fill(void *buf, size_t len, uint64_t seed, uint64_t seq);
size_t pattern_check(const void *buf, size_t len, size_t offset, uint64_t seed,
		     uint64_t seq);

#endif
