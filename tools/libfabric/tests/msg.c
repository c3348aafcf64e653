// SPDX-License-Identifier: GPL-2.0
/* Messages without tags. */
#include "suite.h"

static const size_t sizes[] = {
	0, 1, 7, 8, 63, 64, 65, 255, 1000, 1500, 4095, 4096, 4097, 8192, 9000, 16383, 16384, 16385,
	20000, 32768, 65535, 65536, 65537, 100000, 262144, MIB,
};

static void sends(struct side *s)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct op *tx = send_msg(s, sizes[i], i);

		check_sent(tx);
		op_free(tx);
		meet(s);
	}
}

static void receives(struct side *s)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct op *rx = recv_msg(s, sizes[i] + (i % 3) * 50);

		check_got(rx, sizes[i], i);
		CHECK(s, rx->e.flags & FI_MSG, "flags %#llx", (unsigned long long)rx->e.flags);
		op_free(rx);
		meet(s);
	}
}

/* Many at a time, both ways; ordered, so they fill the receives in order */
static void stream(struct side *s)
{
	unsigned int n = scaled(1000), i, window = 32;
	struct op **rx = get(s, n, sizeof(*rx)), **tx = get(s, n, sizeof(*tx));

	for (i = 0; i < n + window; i++) {
		if (i < n) {
			rx[i] = recv_msg(s, 20000);
			tx[i] = send_msg(s, (i * 37) % 20000, i);
		}
		if (i < window)
			continue;
		check_got(rx[i - window], ((i - window) * 37) % 20000, i - window);
		check_sent(tx[i - window]);
		op_free(rx[i - window]);
		op_free(tx[i - window]);
	}
	free(rx);
	free(tx);
}

/* Gathered from as many pieces as there may be, with empty ones among them */
static void gathers(struct side *s)
{
	size_t max = s->info->tx_attr->iov_limit, n;
	struct iovec iov[32];

	for (n = 1; n <= max && n <= ARRAY_SIZE(iov); n++) {
		size_t total = n * 1000 + n * (n - 1) / 2 * 3000, at = 0, i;
		struct op *tx = op_content(s, total, n);

		for (i = 0; i < n; i++) {
			iov[i] = (struct iovec){ tx->buf + at, 1000 + i * 3000 };
			at += iov[i].iov_len;
		}
		if (n > 2) {
			iov[1].iov_base = iov[0].iov_base;
			iov[0].iov_len += iov[1].iov_len;
			iov[1] = (struct iovec){ tx->buf, 0 };
		}
		POST(s, fi_sendv(s->ep, iov, NULL, n, s->peer, tx));
		memset(iov, 0xff, sizeof(iov));	/* the vector is not needed any more */
		check_sent(tx);
		meet(s);
	}
}

static void receives_gathered(struct side *s)
{
	size_t max = s->info->tx_attr->iov_limit, n;

	for (n = 1; n <= max && n <= 32; n++) {
		size_t total = n * 1000 + n * (n - 1) / 2 * 3000;
		struct op *rx = op_new(s, total);
		struct iovec iov = { rx->buf, total };

		POST(s, fi_recvv(s->ep, &iov, NULL, 1, FI_ADDR_UNSPEC, rx));
		check_got(rx, total, n);
		meet(s);
	}
}

static const size_t data_sizes[] = { 0, 100, 16384, 16385, 200000 };

static void sends_data(struct side *s)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(data_sizes); i++) {
		struct op *tx = op_content(s, data_sizes[i], i);

		POST(s, fi_senddata(s->ep, tx->buf, data_sizes[i], NULL, ~0ULL - i, s->peer, tx));
		check_sent(tx);
		tx = send_msg(s, data_sizes[i], i);
		check_sent(tx);
		meet(s);
	}
}

static void receives_data(struct side *s)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(data_sizes); i++) {
		struct op *rx = recv_msg(s, data_sizes[i]);
		struct op *without = recv_msg(s, data_sizes[i]);

		check_got(rx, data_sizes[i], i);
		CHECK(s, rx->e.flags & FI_REMOTE_CQ_DATA, "no data told");
		CHECK(s, rx->e.data == ~0ULL - i, "data %#llx", (unsigned long long)rx->e.data);
		check_got(without, data_sizes[i], i);
		CHECK(s, !(without->e.flags & FI_REMOTE_CQ_DATA), "data that nobody sent");
		meet(s);
	}
}

/* The source is told, of a short and a long message */
static void knows_source(struct side *s)
{
	struct op *rx = recv_msg(s, 100), *tx = op_content(s, 50, 1);

	POST(s, fi_send(s->ep, tx->buf, 50, NULL, s->self, tx));
	check_got(rx, 50, 1);
	check_sent(tx);
	CHECK(s, rx->src == s->self, "from %llu", (unsigned long long)rx->src);
	meet(s);
	rx = recv_msg(s, 50000);
	meet(s);
	tx = send_msg(s, 50000 - s->role, 2);
	check_got(rx, 50000 - !s->role, 2);
	CHECK(s, rx->src == s->peer, "from %llu, not %llu", (unsigned long long)rx->src,
	      (unsigned long long)s->peer);
	check_sent(tx);
}

/* One that is not in the table is nobody that could be named */
static void unknown_source(struct side *s)
{
	struct op *rx;

	OK(s, fi_av_remove(s->av, &s->peer, 1, 0));
	rx = recv_msg(s, 100);
	meet(s);
	check_got(rx, 100, 1);
	CHECK(s, rx->src == FI_ADDR_NOTAVAIL, "from %llu", (unsigned long long)rx->src);
}

static void is_unknown(struct side *s)
{
	meet(s);
	check_sent(send_msg(s, 100, 1));
}

/* To oneself, all sizes */
static void to_oneself(struct side *s)
{
	unsigned int i;

	s->peer = s->self;
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct op *rx = recv_msg(s, sizes[i]), *tx = send_msg(s, sizes[i], i);

		check_got(rx, sizes[i], i);
		check_sent(tx);
		op_free(rx);
		op_free(tx);
	}
}

TESTS(msg) = {
	{ "all sizes", sends, receives },
	{ "all sizes, unordered", sends, receives, .want = { .unordered = true } },
	{ "to oneself", to_oneself },
	{ "many both ways", stream, stream },
	{ "vectors", gathers, receives_gathered },
	{ "data of completions", sends_data, receives_data },
	{ "the source", knows_source, knows_source, .want = { .caps = FI_SOURCE } },
	{ "a source that is not in the table", unknown_source, is_unknown,
	  .want = { .caps = FI_SOURCE } },
	{ }
};
