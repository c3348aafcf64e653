// SPDX-License-Identifier: GPL-2.0
/* Buffers that take several messages (FI_MULTI_RECV). */
#include <uet_common.h>

#include "suite.h"

#define BUFFERS		4
#define BUFFER_SIZE	(256 * 1024)
#define MIN_FREE	(40 * 1024)

#define MOST		1000

struct taken {
	unsigned int	n;		/* messages */
	unsigned int	given_back;	/* buffers */
	struct op	*idle[BUFFERS];	/* that were given back, and are not posted again */
	unsigned int	idles;
	bool		seen[MOST];
	struct span {
		struct op *op;
		uint8_t *from, *to;
	} span[MOST];		/* where the messages lie, buffers in use */
	unsigned int	spans;
};

static size_t size_of(unsigned int i)
{
	static const size_t sizes[] = { 0, 1, 100, 16384, 3000, 16385, 40000, 7 };

	return sizes[i % ARRAY_SIZE(sizes)];
}

/* No message lies where another one does */
static void take_place(struct taken *t, struct op *op)
{
	struct span new = { op, op->e.buf, (uint8_t *)op->e.buf + op->e.len };
	struct side *s = op->side;
	unsigned int i;

	CHECK(s, new.from >= op->buf && new.to <= op->buf + op->len,
	      "a message is not in its buffer");
	for (i = 0; i < t->spans; i++)
		CHECK(s, new.from >= t->span[i].to || new.to <= t->span[i].from,
		      "two messages lie in one place");
	t->span[t->spans++] = new;
}

/* A buffer is given back: its places may be used again */
static void give_back(struct taken *t, struct op *op)
{
	unsigned int i, kept = 0;

	for (i = 0; i < t->spans; i++)
		if (t->span[i].op != op)
			t->span[kept++] = t->span[i];
	t->spans = kept;
	t->idle[t->idles++] = op;
	t->given_back++;
}

/* At a completion: a message, the end of a buffer, or both. Long ones end late. */
static void each(struct op *op)
{
	struct check c = { .seed = pattern_seed(1, op->e.data) };
	struct taken *t = op->arg;
	struct side *s = op->side;
	unsigned int i = op->e.data;

	CHECK(s, !op->err.err, "error %d", op->err.err);
	if (op->e.flags & FI_REMOTE_CQ_DATA) {
		CHECK(s, i < MOST && !t->seen[i], "message %u comes again", i);
		CHECK(s, op->e.len == size_of(i), "message %u has %zu bytes, not %zu", i,
		      op->e.len, size_of(i));
		if (op->e.len) {
			take_place(t, op);
			pattern_check(&c, op->e.buf, op->e.len, 0);
			CHECK(s, !c.bad_bytes, "message %u: byte %lld", i,
			      (long long)c.first_bad);
		}
		t->seen[i] = true;
		t->n++;
	}
	if (op->e.flags & FI_MULTI_RECV)
		give_back(t, op);
}

/* As many as give buffers back */
static unsigned int messages(void)
{
	unsigned int n = scaled(400);

	return n < 100 ? 100 : n;
}

static struct op *send_numbered(struct side *s, unsigned int i)
{
	struct op *op = op_content(s, size_of(i), i);

	POST(s, fi_senddata(s->ep, op->buf, op->len, NULL, i, s->peer, op));
	return op;
}

static void post(struct side *s, struct op *op)
{
	struct iovec iov = { op->buf, op->len };
	struct fi_msg msg = { .msg_iov = &iov, .iov_count = 1, .addr = FI_ADDR_UNSPEC,
			      .context = op };

	POST(s, fi_recvmsg(s->ep, &msg, FI_MULTI_RECV));
}

static void receives(struct side *s)
{
	unsigned int n = messages(), i;
	size_t min = MIN_FREE, got = 0, len = sizeof(got);
	struct op *op[BUFFERS];
	struct taken t = { 0 };

	OK(s, fi_setopt(&s->ep->fid, FI_OPT_ENDPOINT, FI_OPT_MIN_MULTI_RECV, &min, sizeof(min)));
	OK(s, fi_getopt(&s->ep->fid, FI_OPT_ENDPOINT, FI_OPT_MIN_MULTI_RECV, &got, &len));
	CHECK(s, got == min, "%zu, not %zu", got, min);
	for (i = 0; i < BUFFERS; i++) {
		op[i] = op_new(s, BUFFER_SIZE);
		op[i]->each = each;
		op[i]->arg = &t;
		post(s, op[i]);
	}
	meet(s);
	while (t.n < n) {
		unsigned int before = t.n;

		UNTIL(s, t.n != before || t.idles, "waiting for message %u of %u, buffer %u", t.n, n, t.given_back);
		while (t.idles)
			post(s, t.idle[--t.idles]);
	}
	CHECK(s, t.given_back > 0, "no buffer was given back");
	/* What is posted still is cancelled */
	for (i = 0; i < BUFFERS; i++)
		op[i]->each = NULL;
	meet(s);
}

static void sends(struct side *s)
{
	unsigned int n = messages(), i;
	struct op *tx[32] = { NULL };

	meet(s);
	for (i = 0; i < n; i++) {
		struct op **slot = &tx[i % ARRAY_SIZE(tx)];

		if (*slot) {
			check_sent(*slot);
			op_free(*slot);
		}
		*slot = send_numbered(s, i);
	}
	for (i = 0; i < ARRAY_SIZE(tx); i++)
		if (tx[i])
			check_sent(tx[i]);
	meet(s);
}

/* Messages that were there before go into it, too */
static void receives_late(struct side *s)
{
	struct op *op = op_new(s, BUFFER_SIZE);
	struct taken t = { 0 };

	op->each = each;
	op->arg = &t;
	meet(s);
	settle(s, 20);
	post(s, op);
	while (t.n < 7) {
		unsigned int before = t.n;

		UNTIL(s, t.n != before, "waiting for message %u", t.n);
	}
	meet(s);
}

static void sends_ahead(struct side *s)
{
	unsigned int i;

	for (i = 0; i < 7; i++)
		send_numbered(s, i);
	meet(s);
	meet(s);
}

/* Cancelled, it is given back with an error, once */
static void cancelled(struct side *s)
{
	struct op *op = op_new(s, BUFFER_SIZE);

	post(s, op);
	OK(s, fi_cancel(&s->ep->fid, op));
	await_error(op, FI_ECANCELED, "a buffer that is cancelled");
	CHECK(s, !strict() || op->e.flags & FI_MULTI_RECV, "it is not given back");
}

#define MULTI .want = { .caps = FI_MULTI_RECV }
TESTS(multi_recv) = {
	{ "buffers in turn", receives, sends, MULTI },
	{ "messages are there first", receives_late, sends_ahead, MULTI },
	{ "cancelled", cancelled, NULL, MULTI },
	{ }
};
#undef MULTI
