// SPDX-License-Identifier: GPL-2.0
/* Messages that nobody has asked for yet. */
#include "suite.h"

#define SHORTS	5000
#define LONGS	200
#define MILLION	1000000
/* More receives than a provider gives to the kernel at a time */
#define MANY	1500

static size_t short_size(unsigned int i)
{
	return i % 50 ? i % 97 : 4000;
}

static void sends(struct side *s, unsigned int n)
{
	struct op *op = op_new(s, 4000);
	unsigned int i;

	for (i = 0; i < n; i++) {
		op->buf[0] = i;
		op->buf[3999] = i >> 8;
		if (short_size(i) > 1)
			memcpy(op->buf + short_size(i) - 1, &(uint8_t){ i >> 8 }, 1);
		POST(s, fi_tinject(s->ep, op->buf,
				   short_size(i) <= s->info->tx_attr->inject_size ?
				   short_size(i) : 8, s->peer, i));
	}
	meet(s);
	meet(s);
}

static void receives(struct side *s, unsigned int n)
{
	unsigned int i, k;

	meet(s);
	for (k = 0; k < n; k++) {
		struct op *rx;
		size_t len;

		i = n - 1 - k;
		len = short_size(i);
		if (len > s->info->tx_attr->inject_size)
			len = 8;
		rx = recv_tag(s, 4000, i, NO_IGNORE);
		await(rx, "a message that came before");
		CHECK(s, rx->e.len == len && rx->e.tag == i, "%zu bytes, tag %llu for %u",
		      rx->e.len, (unsigned long long)rx->e.tag, i);
		CHECK(s, !len || rx->buf[0] == (uint8_t)i || len == 1, "byte of %u", i);
		CHECK(s, len < 2 || len != short_size(i) || rx->buf[len - 1] == (uint8_t)(i >> 8),
		      "last byte of %u", i);
		op_free(rx);
	}
	meet(s);
}

static void sends_shorts(struct side *s)
{
	sends(s, scaled(SHORTS));
}

static void receives_shorts(struct side *s)
{
	receives(s, scaled(SHORTS));
}

static void sends_million(struct side *s)
{
	sends(s, MILLION);
}

/* In the order they came in: backwards takes a provider without an index hours */
static void receives_million(struct side *s)
{
	unsigned int i;

	meet(s);
	for (i = 0; i < MILLION; i++) {
		struct op *rx = recv_tag(s, 4000, i, NO_IGNORE);

		await(rx, "a message that came before");
		CHECK(s, rx->e.tag == i, "tag %llu for %u", (unsigned long long)rx->e.tag, i);
		op_free(rx);
	}
	meet(s);
}

static void sends_longs(struct side *s)
{
	unsigned int n = scaled(LONGS), i;
	struct op **tx = get(s, n, sizeof(*tx));

	for (i = 0; i < n; i++)
		tx[i] = send_tag(s, 16385 + i * 211, i, i);
	meet(s);
	for (i = 0; i < n; i++)
		check_sent(tx[i]);
	free(tx);
}

static void receives_longs(struct side *s)
{
	unsigned int n = scaled(LONGS), i;

	meet(s);
	for (i = n; i--; ) {
		struct op *rx = recv_tag(s, 16385 + i * 211, i, NO_IGNORE);

		check_got_tag(rx, 16385 + i * 211, i, i);
		op_free(rx);
	}
}

/* Each role sends all that it has before it receives anything, and then backwards */
static void flood_each_other(struct side *s)
{
	unsigned int n = scaled(SHORTS), i;
	struct op *op = op_new(s, 1024), *rx;

	for (i = 0; i < n; i++) {
		memset(op->buf, i, 1024);
		POST(s, fi_tinject(s->ep, op->buf, s->info->tx_attr->inject_size < 1024 ? 8 :
				   8 + i % 1000, s->peer, i));
	}
	for (i = n; i--; ) {
		rx = recv_tag(s, 1024, i, NO_IGNORE);
		await(rx, "a message that came before, or comes");
		CHECK(s, rx->buf[0] == (uint8_t)i && rx->buf[rx->e.len - 1] == (uint8_t)i,
		      "content of message %u", i);
		op_free(rx);
	}
	meet(s);
}

/* They lie there when their endpoint closes: nothing hangs or is left */
static void leaves(struct side *s)
{
	unsigned int i;

	for (i = 0; i < 100; i++)
		send_tag(s, i * 400, i, i);
	meet(s);
	meet(s);
}

static void closes(struct side *s)
{
	meet(s);
	settle(s, 20);
	CHECK(s, !fi_close(&s->ep->fid), "an endpoint with messages does not close");
	s->ep = NULL;
	meet(s);
}

/* Messages that many receives before theirs are not for, short ones and long ones */
static void behind_many(struct side *s)
{
	static const size_t sizes[] = { 100, 20000, 0, 300 * KIB, 101 };
	struct op *many[MANY], *tx[ARRAY_SIZE(sizes)], *rx;
	unsigned int i;

	for (i = 0; i < MANY; i++)
		many[i] = recv_tag(s, 8192, 1, NO_IGNORE);
	settle(s, 50);
	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		tx[i] = send_tag_to(s, s->self, sizes[i], i, 2);
	settle(s, 200);
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		rx = recv_tag(s, sizes[i], 2, NO_IGNORE);
		check_got_tag(rx, sizes[i], i, 2);
		check_sent(tx[i]);
	}
	for (i = 0; i < MANY; i += MANY / 10)
		CHECK(s, !many[i]->n, "receive %u has a message of another tag", i);
	/* The others still have their order. */
	for (i = 0; i < 3; i++)
		check_sent(send_tag_to(s, s->self, 8000 + i, i, 1));
	for (i = 0; i < 3; i++)
		check_got_tag(many[i], 8000 + i, i, 1);
}

TESTS(unexpected) = {
	{ "short ones, received backwards", sends_shorts, receives_shorts },
	{ "long ones, received backwards", sends_longs, receives_longs },
	{ "short ones both ways, received backwards", flood_each_other, flood_each_other },
	{ "a million", sends_million, receives_million, .huge = true },
	{ "behind many receives of another tag", behind_many },
	{ "the endpoint closes", leaves, closes },
	{ }
};
