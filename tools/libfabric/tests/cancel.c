// SPDX-License-Identifier: GPL-2.0
/* Receives that are cancelled. */
#include "suite.h"

static void cancel(struct side *s, struct op *op)
{
	int ret = fi_cancel(&s->ep->fid, op);

	CHECK(s, !ret || ret == -FI_ENOENT, "fi_cancel() gives %d", ret);
}

static void check_cancelled(struct op *op)
{
	await_error(op, FI_ECANCELED, "a receive that is cancelled");
	CHECK(op->side, op->n == 1, "%u completions", op->n);
	CHECK(op->side, op->err.flags & FI_RECV, "flags %#llx",
	      (unsigned long long)op->err.flags);
}

/* Those in the middle, the first and the last of a queue; the others go on */
static void some(struct side *s)
{
	struct op *rx[10], *tx;
	unsigned int i;

	for (i = 0; i < 10; i++)
		rx[i] = recv_tag(s, 50000, 1, NO_IGNORE);
	for (i = 0; i < 10; i += 3) {
		cancel(s, rx[i]);
		check_cancelled(rx[i]);
	}
	for (i = 0; i < 10; i++) {
		if (i % 3 == 0)
			continue;
		tx = send_tag_to(s, s->self, i * 5000, i, 1);
		check_got_tag(rx[i], i * 5000, i, 1);
		check_sent(tx);
	}
	for (i = 0; i < 10; i++)
		CHECK(s, rx[i]->n == 1, "%u completions of receive %u", rx[i]->n, i);
}

static void plain(struct side *s)
{
	struct op *rx[3], *tx;
	unsigned int i;

	s->peer = s->self;
	for (i = 0; i < 3; i++)
		rx[i] = recv_msg(s, 100);
	cancel(s, rx[1]);
	check_cancelled(rx[1]);
	for (i = 0; i < 3; i += 2) {
		tx = send_msg(s, 100, i);
		check_got(rx[i], 100, i);
		check_sent(tx);
	}
}

/* One that is over cannot be cancelled, nor one that never was */
static void too_late(struct side *s)
{
	struct op *rx = recv_tag(s, 100, 1, NO_IGNORE);
	struct op *tx = send_tag_to(s, s->self, 100, 1, 1);

	check_got_tag(rx, 100, 1, 1);
	check_sent(tx);
	cancel(s, rx);
	cancel(s, op_new(s, 10));
	settle(s, 20);
	CHECK(s, rx->n == 1, "it ends again");
}

/* All in flight: each either gets its message or is cancelled, and the message lies there */
static void races(struct side *s)
{
	unsigned int n = scaled(300), i, got = 0;
	struct op **rx = get(s, n, sizeof(*rx));
	uint64_t rnd = suite.seed;

	for (i = 0; i < n; i++)
		rx[i] = recv_tag(s, 40000, i, NO_IGNORE);
	meet(s);
	for (i = 0; i < n; i++) {
		unsigned int k = below(&rnd, n);

		cancel(s, rx[k]);
		progress(s);
	}
	for (i = 0; i < n; i++)
		cancel(s, rx[i]);
	for (i = 0; i < n; i++) {
		size_t len = i % 5 ? i : 16385 + i;

		UNTIL(s, rx[i]->n, "waiting for the end of receive %u", i);
		if (!rx[i]->err.err) {
			got++;
			check_got_tag(rx[i], len, i, i);
			op_free(rx[i]);
			continue;
		}
		check_cancelled(rx[i]);
		op_free(rx[i]);
		rx[i] = recv_tag(s, 40000, i, NO_IGNORE);
		check_got_tag(rx[i], len, i, i);
		op_free(rx[i]);
	}
	free(rx);
}

static void sends(struct side *s)
{
	unsigned int n = scaled(300), i;
	struct op **tx = get(s, n, sizeof(*tx));

	meet(s);
	for (i = 0; i < n; i++)
		tx[i] = send_tag(s, i % 5 ? i : 16385 + i, i, i);
	for (i = 0; i < n; i++)
		check_sent(tx[i]);
	free(tx);
}

/* A send that nobody receives: cancelled or not, the endpoint closes */
static void a_send(struct side *s)
{
	struct op *tx = send_tag_to(s, s->self, MIB, 1, 1);

	cancel(s, tx);
	settle(s, 20);
}

/* Posted receives do not keep an endpoint from being closed */
static void closes(struct side *s)
{
	unsigned int i;

	for (i = 0; i < 50; i++) {
		recv_tag(s, i * 1000, i, NO_IGNORE);
		recv_msg(s, i * 1000);
	}
	OK(s, fi_close(&s->ep->fid));
	s->ep = NULL;
	OK(s, fi_close(&s->cq->fid));
	s->cq = NULL;
}

TESTS(cancel) = {
	{ "some of a queue", some },
	{ "without tags", plain },
	{ "what is over", too_late },
	{ "while messages arrive", races, sends },
	{ "a send", a_send },
	{ "the endpoint closes", closes },
	{ }
};
