// SPDX-License-Identifier: GPL-2.0
/* Messages whose buffer is free when the call returns, without a completion. */
#include "suite.h"

static const size_t sizes[] = { 0, 1, 8, 64, 1000, 4096, 16383, 16384 };

/* Sizes of what this provider injects */
static unsigned int fitting(struct side *s)
{
	unsigned int n = 0;

	while (n < ARRAY_SIZE(sizes) && sizes[n] <= s->info->tx_attr->inject_size)
		n++;
	return n;
}

/* The buffer is overwritten at once */
static void injects(struct side *s)
{
	unsigned int i;

	for (i = 0; i < fitting(s); i++) {
		struct op *op = op_content(s, sizes[i], i);

		POST(s, fi_inject(s->ep, op->buf, sizes[i], s->peer));
		memset(op->buf, 0xff, sizes[i]);
		op_free(op);
		op = op_content(s, sizes[i], i);
		POST(s, fi_tinject(s->ep, op->buf, sizes[i], s->peer, i));
		memset(op->buf, 0xff, sizes[i]);
		op_free(op);
		op = op_content(s, sizes[i], i);
		POST(s, fi_injectdata(s->ep, op->buf, sizes[i], 1000 + i, s->peer));
		memset(op->buf, 0xff, sizes[i]);
		op_free(op);
		op = op_content(s, sizes[i], i);
		POST(s, fi_tinjectdata(s->ep, op->buf, sizes[i], 2000 + i, s->peer, i));
		memset(op->buf, 0xff, sizes[i]);
		op_free(op);
	}
	meet(s);
	settle(s, 10);
	CHECK(s, !s->completions, "%llu completions of what was injected",
	      (unsigned long long)s->completions);
}

static void receives(struct side *s)
{
	struct op *rx;
	unsigned int i;

	for (i = 0; i < fitting(s); i++) {
		rx = recv_msg(s, sizes[i]);
		check_got(rx, sizes[i], i);
		rx = recv_msg(s, sizes[i]);
		check_got(rx, sizes[i], i);
		CHECK(s, rx->e.data == 1000 + i, "data %llu", (unsigned long long)rx->e.data);
		rx = recv_tag(s, sizes[i], i, NO_IGNORE);
		check_got_tag(rx, sizes[i], i, i);
		rx = recv_tag(s, sizes[i], i, NO_IGNORE);
		check_got_tag(rx, sizes[i], i, i);
		CHECK(s, rx->e.data == 2000 + i, "data %llu", (unsigned long long)rx->e.data);
	}
	meet(s);
}

/* FI_INJECT: the buffer is free, and there is a completion */
static void flag(struct side *s)
{
	unsigned int i;

	for (i = 0; i < fitting(s); i++) {
		struct op *rx = recv_tag(s, sizes[i], i, NO_IGNORE);
		struct op *tx = op_content(s, sizes[i], i);
		struct iovec iov = { tx->buf, sizes[i] };
		struct fi_msg_tagged msg = {
			.msg_iov = &iov, .iov_count = 1, .addr = s->self, .tag = i, .context = tx,
		};

		POST(s, fi_tsendmsg(s->ep, &msg, FI_INJECT | FI_COMPLETION));
		memset(tx->buf, 0xff, sizes[i]);
		await(tx, "a send with FI_INJECT");
		check_got_tag(rx, sizes[i], i, i);
	}
}

/* More than anything takes at once: it is refused with -FI_EAGAIN, not lost */
static void floods(struct side *s)
{
	unsigned int n = scaled(5000), i;
	struct op *op = op_new(s, 64);

	for (i = 0; i < n; i++) {
		memset(op->buf, i, 64);
		POST(s, fi_tinject(s->ep, op->buf, 64, s->peer, i));
	}
	meet(s);
}

static void drinks(struct side *s)
{
	unsigned int n = scaled(5000), i, k;

	for (i = 0; i < n; i++) {
		struct op *rx = recv_tag(s, 64, i, NO_IGNORE);

		await(rx, "a message of a flood");
		for (k = 0; k < 64; k++)
			CHECK(s, rx->buf[k] == (uint8_t)i, "byte %u of message %u", k, i);
		op_free(rx);
	}
	meet(s);
}

/* --- a peer that is gone ------------------------------------------------------------- */

/* An address where an endpoint was */
static fi_addr_t gone(struct side *s)
{
	struct fid_ep *ep = NULL;
	fi_addr_t addr;

	if (!strict())
		skip_case(s, "others tell nothing, or each error");
	s->injects = true;
	side_new_ep(s, &ep, &addr);
	OK(s, fi_close(&ep->fid));
	return addr;
}

static void inject_some(struct side *s, fi_addr_t to)
{
	unsigned int i;

	for (i = 0; i < 5; i++)
		POST(s, fi_tinject(s->ep, "12345678", 8, to, i));
}

/* What waits for the peer has the error, or what begins later; there is no other one. A
 * program that waits for nothing else is told after a while.
 */
static void failing(struct side *s)
{
	fi_addr_t received = gone(s), sent = gone(s), alone = gone(s);
	struct op *rx = recv_tag_from(s, received, 8, 1, NO_IGNORE);
	struct op *other = recv_tag_from(s, s->self, 8, 2, NO_IGNORE);
	struct op *tx;

	inject_some(s, received);
	inject_some(s, sent);
	inject_some(s, alone);
	UNTIL(s, rx->n, "waiting for the error of a receive");
	CHECK(s, rx->err.err == FI_ECONNREFUSED, "%s", fi_strerror(rx->err.err));
	inject_some(s, received);
	settle(s, 100);
	CHECK(s, !s->orphans, "an error without a context comes at once");
	tx = send_tag_to(s, sent, 8, 1, 1);
	UNTIL(s, tx->n, "waiting for the error of a send");
	CHECK(s, tx->err.err == FI_ECONNREFUSED, "%s", fi_strerror(tx->err.err));
	settle(s, 1500);
	CHECK(s, !s->orphans, "an error without a context, and there is an operation");
	check_sent(send_tag_to(s, s->self, 8, 1, 2));
	check_got_tag(other, 8, 1, 2);
	UNTIL(s, s->orphans, "waiting for an error without a context");
	settle(s, 500);
	CHECK(s, rx->n == 1, "%u completions of a receive", rx->n);
	CHECK(s, tx->n == 1, "%u completions of a send", tx->n);
	CHECK(s, s->orphans == 1, "%u errors without a context", s->orphans);
}

/* It ended before it said anything; and what begins when that is known */
static void awaiting(struct side *s)
{
	fi_addr_t from = gone(s);
	struct op *other = recv_tag_from(s, s->self, 8, 2, NO_IGNORE);
	struct op *rx;
	int i;

	for (i = 0; i < 2; i++) {
		rx = recv_tag_from(s, from, 8, 1, NO_IGNORE);
		UNTIL(s, rx->n, "waiting for the error of a receive");
		CHECK(s, rx->err.err == FI_ECONNREFUSED, "%s", fi_strerror(rx->err.err));
	}
	CHECK(s, !other->n, "one from a peer that is there ends");
	check_sent(send_tag_to(s, s->self, 8, 1, 2));
	check_got_tag(other, 8, 1, 2);
}

TESTS(inject) = {
	{ "all sizes", injects, receives },
	{ "FI_INJECT", flag },
	{ "many", floods, drinks },
	{ "many, by one thread", floods, drinks, .want = { .threading = FI_THREAD_DOMAIN } },
	{ "to peers that are gone", failing, .want = { .caps = FI_DIRECTED_RECV } },
	{ "from one that is gone", awaiting, .want = { .caps = FI_DIRECTED_RECV } },
	{ }
};
