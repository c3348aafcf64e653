// SPDX-License-Identifier: GPL-2.0
/* Messages of one sender match in the order they were sent in (FI_ORDER_SAS). */
#include "suite.h"

/* Sizes change between those that go at once and those that do not */
static size_t size_of(unsigned int i)
{
	static const size_t sizes[] = { 0, 100, 16384, 16385, 8, 60000, 1000, 200000 };

	return sizes[(i * 5 + i / 8) % ARRAY_SIZE(sizes)];
}

#define WINDOW	64

static void sends(struct side *s)
{
	unsigned int n = scaled(800), i;
	struct op *tx[WINDOW] = { NULL };

	for (i = 0; i < n; i++) {
		unsigned int k = i % WINDOW;

		if (tx[k]) {
			check_sent(tx[k]);
			op_free(tx[k]);
		}
		tx[k] = send_tag(s, size_of(i), i, 1);
	}
	for (i = 0; i < WINDOW && tx[i]; i++)
		check_sent(tx[i]);
}

/* All receives are alike: the n-th gets the n-th message */
static void receives(struct side *s)
{
	unsigned int n = scaled(800), i;
	struct op *rx[WINDOW];

	for (i = 0; i < n + WINDOW; i++) {
		unsigned int k = i % WINDOW;

		if (i >= WINDOW) {
			check_got_tag(rx[k], size_of(i - WINDOW), i - WINDOW, 1);
			op_free(rx[k]);
		}
		if (i < n)
			rx[k] = recv_tag(s, 200000, 1, NO_IGNORE);
	}
}

/* One receive at a time, so that most messages are there before */
static void receives_slowly(struct side *s)
{
	unsigned int n = scaled(800), i;

	for (i = 0; i < n; i++) {
		struct op *rx = recv_tag(s, 200000, 0, TAG_BITS);

		check_got_tag(rx, size_of(i), i, 1);
		op_free(rx);
		if (i % 100 == 0)
			settle(s, 5);
	}
}

/* Each way of sending keeps its place among the others */
static void mixes(struct side *s)
{
	unsigned int i;

	for (i = 0; i < 60; i++) {
		struct op *op = op_content(s, 50, i);

		switch (i % 4) {
		case 0:
			POST(s, fi_tinject(s->ep, op->buf, 50, s->peer, i));
			break;
		case 1:
			POST(s, fi_tsend(s->ep, op->buf, 50, NULL, s->peer, i, op));
			break;
		case 2:
			POST(s, fi_tsenddata(s->ep, op->buf, 50, NULL, i, s->peer, i, op));
			break;
		case 3:
			send_tag(s, 40000, i, i);
			break;
		}
	}
	meet(s);
}

static void receives_mixed(struct side *s)
{
	struct op *rx[60];
	unsigned int i;

	for (i = 0; i < 30; i++)
		rx[i] = recv_tag(s, 40000, 0, TAG_BITS);
	for (i = 0; i < 30; i++)
		check_got_tag(rx[i], i % 4 == 3 ? 40000 : 50, i, i);
	for (; i < 60; i++) {
		rx[i] = recv_tag(s, 40000, 0, TAG_BITS);
		check_got_tag(rx[i], i % 4 == 3 ? 40000 : 50, i, i);
	}
	meet(s);
}

/* Without an order all of them still arrive, once */
static void receives_any(struct side *s)
{
	unsigned int n = scaled(800), i, k;
	struct op *rx[WINDOW];
	bool *seen = get(s, n, sizeof(*seen));

	for (i = 0; i < n + WINDOW; i++) {
		unsigned int slot = i % WINDOW;

		if (i >= WINDOW) {
			await(rx[slot], "a message of any place");
			k = rx[slot]->e.data;
			CHECK(s, k < n && !seen[k], "message %u comes again", k);
			seen[k] = true;
			check_got_tag(rx[slot], size_of(k), k, 1);
			op_free(rx[slot]);
		}
		if (i < n)
			rx[slot] = recv_tag(s, 200000, 1, NO_IGNORE);
	}
	free(seen);
}

static void sends_numbered(struct side *s)
{
	unsigned int n = scaled(800), i;
	struct op *tx[WINDOW] = { NULL };

	for (i = 0; i < n; i++) {
		unsigned int k = i % WINDOW;

		if (tx[k]) {
			check_sent(tx[k]);
			op_free(tx[k]);
		}
		tx[k] = op_content(s, size_of(i), i);
		POST(s, fi_tsenddata(s->ep, tx[k]->buf, tx[k]->len, NULL, i, s->peer, 1, tx[k]));
	}
	for (i = 0; i < WINDOW && tx[i]; i++)
		check_sent(tx[i]);
}

TESTS(order) = {
	{ "receives are there first", sends, receives },
	{ "messages are there first", sends, receives_slowly },
	{ "ways of sending", mixes, receives_mixed },
	{ "without an order", sends_numbered, receives_any, .want = { .unordered = true } },
	{ }
};
