// SPDX-License-Identifier: GPL-2.0
/* Looking at messages that are there: FI_PEEK, FI_CLAIM, FI_DISCARD. */
#include "suite.h"

static void tag_call(struct side *s, struct op *op, uint64_t tag, uint64_t ignore,
		     uint64_t flags)
{
	struct iovec iov = { op->buf, op->len };
	struct fi_msg_tagged msg = {
		.msg_iov = &iov, .iov_count = op->len ? 1 : 0, .addr = FI_ADDR_UNSPEC,
		.tag = tag, .ignore = ignore, .context = op,
	};
	ssize_t ret;

	doing(s, "trying fi_trecvmsg() with the flags %#llx", (unsigned long long)flags);
	op->n = 0;
	memset(&op->err, 0, sizeof(op->err));
	while ((ret = fi_trecvmsg(s->ep, &msg, flags | FI_COMPLETION)) == -FI_EAGAIN)
		step(s);
	if (ret == -FI_ENOSYS || ret == -FI_EOPNOTSUPP || (ret == -FI_EINVAL && !strict()))
		skip_case(s, "no flags %#llx of fi_trecvmsg()", (unsigned long long)flags);
	if (ret == -FI_ENOMSG) {
		op->n = 1;
		op->err.err = FI_ENOMSG;
		return;
	}
	CHECK(s, !ret, "flags %#llx give %zd, %s", (unsigned long long)flags, ret,
	      fi_strerror((int)-ret));
}

/* Whether there is one */
static bool peek(struct side *s, struct op *op, uint64_t tag, uint64_t ignore, uint64_t flags)
{
	tag_call(s, op, tag, ignore, FI_PEEK | flags);
	UNTIL(s, op->n, "waiting for what a peek finds");
	CHECK(s, !op->err.err || op->err.err == FI_ENOMSG, "a peek ends with %d, %s",
	      op->err.err, fi_strerror(op->err.err));
	return !op->err.err;
}

static void peek_until(struct side *s, struct op *op, uint64_t tag, uint64_t ignore,
		       uint64_t flags)
{
	uint64_t i;

	for (i = 0; !peek(s, op, tag, ignore, flags); i++) {
		CHECK(s, i < suite.patience * 1000ULL, "no message is found after %u s",
		      suite.patience);
		settle(s, 1);
	}
}

static const size_t sizes[] = { 0, 100, 16384, 16385, 300000 };

static void sends_some(struct side *s, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		struct op *tx = op_content(s, sizes[i], i);

		POST(s, fi_tsenddata(s->ep, tx->buf, sizes[i], NULL, 500 + i, s->peer, i, tx));
	}
	meet(s);
	UNTIL(s, s->ops->n, "waiting for the sends");
}

static void sends(struct side *s)
{
	sends_some(s, ARRAY_SIZE(sizes));
}

/* Of other providers the sender of a long one never hears that it was discarded */
static unsigned int to_discard(void)
{
	return strict() ? ARRAY_SIZE(sizes) : 2;
}

static void sends_in_vain(struct side *s)
{
	sends_some(s, to_discard());
}

static void none(struct side *s)
{
	struct op *op = op_new(s, 0);

	CHECK(s, !peek(s, op, 1, TAG_BITS, 0), "something is found");
	CHECK(s, !peek(s, op, 1, TAG_BITS, FI_CLAIM), "something is found");
	CHECK(s, !peek(s, op, 1, TAG_BITS, FI_DISCARD), "something is found");
}

static void check_seen(struct op *op, unsigned int i)
{
	struct side *s = op->side;

	CHECK(s, op->e.len == sizes[i], "%zu bytes are told, not %zu", op->e.len, sizes[i]);
	CHECK(s, op->e.tag == i, "tag %llu", (unsigned long long)op->e.tag);
	CHECK(s, op->e.data == 500 + i, "data %llu", (unsigned long long)op->e.data);
	CHECK(s, op->e.flags & FI_REMOTE_CQ_DATA || !strict(), "no data told");
}

/* Seen, and seen again, it stays there until it is received */
static void looks(struct side *s)
{
	struct op *look = op_new(s, 0), *rx;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		peek_until(s, look, i, NO_IGNORE, 0);
		check_seen(look, i);
		CHECK(s, peek(s, look, i, NO_IGNORE, 0), "it is gone");
		CHECK(s, !peek(s, look, 99, NO_IGNORE, 0), "another tag is found");
		rx = recv_tag(s, sizes[i], i, NO_IGNORE);
		check_got_tag(rx, sizes[i], i, i);
		CHECK(s, !peek(s, look, i, NO_IGNORE, 0), "it is there, though received");
	}
	meet(s);
}

/* The oldest one is seen first */
static void looks_in_order(struct side *s)
{
	struct op *look = op_new(s, 0), *rx;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		peek_until(s, look, 0, TAG_BITS, 0);
		check_seen(look, i);
		rx = recv_tag(s, sizes[i], 0, TAG_BITS);
		check_got_tag(rx, sizes[i], i, i);
	}
	meet(s);
}

/* A claimed one is for the one who has claimed it, whatever is received meanwhile */
static void claims(struct side *s)
{
	struct op *claim[ARRAY_SIZE(sizes)], *look = op_new(s, 0);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		claim[i] = op_new(s, sizes[i]);
		peek_until(s, claim[i], 0, TAG_BITS, FI_CLAIM);
		check_seen(claim[i], i);
		CHECK(s, !peek(s, look, i, NO_IGNORE, 0), "it is seen, though claimed");
	}
	for (i = ARRAY_SIZE(sizes); i--; ) {
		tag_call(s, claim[i], i, NO_IGNORE, FI_CLAIM);
		UNTIL(s, claim[i]->n, "waiting for a message that is claimed");
		check_got_tag(claim[i], sizes[i], i, i);
	}
	meet(s);
}

/* Claimed and then not wanted */
static void claims_and_discards(struct side *s)
{
	struct op *claim = op_new(s, 0);
	unsigned int i;

	for (i = 0; i < to_discard(); i++) {
		peek_until(s, claim, i, NO_IGNORE, FI_CLAIM);
		tag_call(s, claim, i, NO_IGNORE, FI_CLAIM | FI_DISCARD);
		UNTIL(s, claim->n, "waiting for the end of a message that is discarded");
		CHECK(s, !claim->err.err, "error %d", claim->err.err);
		CHECK(s, !peek(s, claim, i, NO_IGNORE, 0), "it is there, though discarded");
	}
	meet(s);
}

static void discards(struct side *s)
{
	struct op *look = op_new(s, 0);
	unsigned int i;

	for (i = 0; i < to_discard(); i++) {
		peek_until(s, look, i, NO_IGNORE, FI_DISCARD);
		CHECK(s, !peek(s, look, i, NO_IGNORE, 0), "it is there, though discarded");
	}
	meet(s);
}

/* A message that a receive waits for is not one that is there */
static void not_expected(struct side *s)
{
	struct op *rx = recv_tag(s, 100, 1, NO_IGNORE), *look = op_new(s, 0);
	struct op *tx = send_tag_to(s, s->self, 100, 1, 1);

	check_got_tag(rx, 100, 1, 1);
	check_sent(tx);
	CHECK(s, !peek(s, look, 0, TAG_BITS, 0), "what was received is found");
}

TESTS(peek) = {
	{ "nothing is there", none },
	{ "FI_PEEK", looks, sends },
	{ "FI_PEEK of any tag", looks_in_order, sends },
	{ "FI_PEEK with FI_CLAIM", claims, sends },
	{ "FI_CLAIM with FI_DISCARD", claims_and_discards, sends_in_vain },
	{ "FI_PEEK with FI_DISCARD", discards, sends_in_vain },
	{ "what was waited for", not_expected },
	{ }
};
