// SPDX-License-Identifier: GPL-2.0
/* Operations of a case, their content and how they end. */
#include <stdio.h>

#include <uet_common.h>

#include "suite.h"

/* Behind each buffer; nothing may write there */
#define GUARD		64
#define GUARD_BYTE	0xa5
/* In a buffer that nothing was received into */
#define EMPTY_BYTE	0x5a

/* Memory of zeroes; without it the role fails */
void *get(struct side *s, size_t n, size_t size)
{
	void *p = calloc(n, size);

	if (!p)
		fail(s, "no memory for %zu bytes", n * size);
	return p;
}

struct op *op_new(struct side *s, size_t len)
{
	struct op *op = calloc(1, sizeof(*op));

	if (op)
		op->buf = malloc(len + GUARD);
	if (!op || !op->buf) {
		free(op);
		fail(s, "no memory for %zu bytes", len);
	}
	op->side = s;
	op->len = len;
	memset(op->buf, EMPTY_BYTE, len);
	memset(op->buf + len, GUARD_BYTE, GUARD);
	op->magic = OP_MAGIC;
	op->next = s->ops;
	op->prev = &s->ops;
	if (op->next)
		op->next->prev = &op->next;
	s->ops = op;
	return op;
}

struct op *op_content(struct side *s, size_t len, uint64_t seed)
{
	struct op *op = op_new(s, len);

	op->sent = true;
	op->seed = seed;
	pattern_fill(op->buf, len, pattern_seed(1, seed), 0);
	return op;
}

void op_free(struct op *op)
{
	*op->prev = op->next;
	if (op->next)
		op->next->prev = op->prev;
	op->magic = 0;
	free(op->buf);
	free(op);
}

void ops_free(struct side *s)
{
	while (s->ops)
		op_free(s->ops);
}

struct op *send_msg(struct side *s, size_t len, uint64_t seed)
{
	struct op *op = op_content(s, len, seed);

	POST(s, fi_send(s->ep, op->buf, len, NULL, s->peer, op));
	return op;
}

struct op *recv_msg(struct side *s, size_t len)
{
	struct op *op = op_new(s, len);

	POST(s, fi_recv(s->ep, op->buf, len, NULL, FI_ADDR_UNSPEC, op));
	return op;
}

struct op *send_tag_to(struct side *s, fi_addr_t to, size_t len, uint64_t seed, uint64_t tag)
{
	struct op *op = op_content(s, len, seed);

	POST(s, fi_tsend(s->ep, op->buf, len, NULL, to, tag, op));
	return op;
}

struct op *send_tag(struct side *s, size_t len, uint64_t seed, uint64_t tag)
{
	return send_tag_to(s, s->peer, len, seed, tag);
}

struct op *recv_tag_from(struct side *s, fi_addr_t from, size_t len, uint64_t tag,
			 uint64_t ignore)
{
	struct op *op = op_new(s, len);

	POST(s, fi_trecv(s->ep, op->buf, len, NULL, from, tag, ignore, op));
	return op;
}

struct op *recv_tag(struct side *s, size_t len, uint64_t tag, uint64_t ignore)
{
	return recv_tag_from(s, FI_ADDR_UNSPEC, len, tag, ignore);
}

void await(struct op *op, const char *what)
{
	struct side *s = op->side;

	UNTIL(s, op->n, "waiting for %s", what);
	CHECK(s, !op->err.err, "%s: error %d, %s", what, op->err.err,
	      fi_strerror(op->err.err));
}

void await_error(struct op *op, int err, const char *what)
{
	struct side *s = op->side;

	UNTIL(s, op->n, "waiting for the error of %s", what);
	CHECK(s, op->err.err == err, "%s: error %d, not %d, %s", what, op->err.err, err,
	      fi_strerror(err));
}

/* A send ended well, once, and nobody wrote into its buffer */
void check_sent(struct op *op)
{
	await(op, "a send");
	CHECK(op->side, op->n == 1, "%u completions of a send", op->n);
	CHECK(op->side, op->e.flags & FI_SEND, "a send with the flags %#llx",
	      (unsigned long long)op->e.flags);
	check_content(op, op->len, op->seed);
}

/* The first @len bytes are those of a message, the others are as they were */
void check_content(struct op *op, size_t len, uint64_t seed)
{
	struct check c = { .seed = pattern_seed(1, seed) };
	struct side *s = op->side;
	size_t i;

	pattern_check(&c, op->buf, len, 0);
	CHECK(s, !c.bad_bytes, "%llu of %zu bytes are wrong, the first at %lld",
	      (unsigned long long)c.bad_bytes, len, (long long)c.first_bad);
	for (i = len; i < op->len; i++)
		CHECK(s, op->buf[i] == EMPTY_BYTE, "byte %zu of %zu, behind a message of %zu,",
		      i, op->len, len);
	for (i = 0; i < GUARD; i++)
		CHECK(s, op->buf[op->len + i] == GUARD_BYTE, "byte %zu behind a buffer of %zu",
		      i, op->len);
}

/* A receive ended well, once, with this message */
void check_got(struct op *op, size_t len, uint64_t seed)
{
	struct side *s = op->side;

	await(op, "a receive");
	CHECK(s, op->n == 1, "%u completions of a receive", op->n);
	CHECK(s, op->e.flags & FI_RECV, "a receive with the flags %#llx",
	      (unsigned long long)op->e.flags);
	CHECK(s, op->e.len == len, "%zu bytes were received, not %zu,", op->e.len, len);
	check_content(op, len, seed);
}

void check_got_tag(struct op *op, size_t len, uint64_t seed, uint64_t tag)
{
	check_got(op, len, seed);
	CHECK(op->side, op->e.flags & FI_TAGGED, "a tagged receive with the flags %#llx",
	      (unsigned long long)op->e.flags);
	CHECK(op->side, op->e.tag == tag, "tag %#llx, not %#llx,",
	      (unsigned long long)op->e.tag, (unsigned long long)tag);
}

/* xorshift64*: the same everywhere */
uint64_t next_random(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 0x2545f4914f6cdd1dULL;
}

uint64_t below(uint64_t *state, uint64_t n)
{
	return (next_random(state) >> 16) % n;
}
