// SPDX-License-Identifier: GPL-2.0
/* Matching of messages with tags. */
#include "suite.h"

#define HIGH_TAG	(1ULL << 61 | 5)

static const size_t sizes[] = { 0, 1, 100, 4000, 16384, 16385, 70000, 300000 };

static void sends(struct side *s)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		check_sent(send_tag(s, sizes[i], i, i));
}

/* Receives wait for the messages */
static void receives(struct side *s)
{
	struct op *rx[ARRAY_SIZE(sizes)];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		rx[i] = recv_tag(s, sizes[i], i, NO_IGNORE);
	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		check_got_tag(rx[i], sizes[i], i, i);
}

static void receives_backwards(struct side *s)
{
	struct op *rx;
	unsigned int i;

	settle(s, 50);
	for (i = ARRAY_SIZE(sizes); i--; ) {
		rx = recv_tag(s, sizes[i], i, NO_IGNORE);
		check_got_tag(rx, sizes[i], i, i);
	}
}

static void begins_all(struct side *s)
{
	struct op *tx[ARRAY_SIZE(sizes)];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		tx[i] = send_tag(s, sizes[i], i, i);
	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		check_sent(tx[i]);
}

/* Bits that are ignored, in the low, the middle and the highest ones */
static const struct {
	uint64_t tag, want, ignore;
	bool match;
} masks[] = {
	{ 0, 0, 0, true },
	{ 1, 0, 0, false },
	{ 0x1234, 0x1200, 0xff, true },
	{ 0x1334, 0x1200, 0xff, false },
	{ 0xdeadbeefcafeULL, 0, TAG_BITS, true },
	{ HIGH_TAG, 5, 1ULL << 61, true },
	{ HIGH_TAG, 5, 1ULL << 60, false },
	{ HIGH_TAG, HIGH_TAG, 0, true },
	{ TAG_BITS, TAG_BITS, 0, true },
	{ TAG_BITS, 0x2aaaaaaaaaaaaaaaULL, 0x1555555555555555ULL, true },
	{ TAG_BITS, 0x2aaaaaaaaaaaaaaaULL, 0x1555555555555554ULL, false },
	{ 7, 0x3000000000000007ULL, 0x3000000000000000ULL, true },
};

/* A message that does not match lies there until a receive of its own tag comes */
static void sends_masks(struct side *s)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(masks); i++) {
		check_sent(send_tag(s, 20, i, masks[i].tag));
		check_sent(send_msg(s, 4, 1));
		meet(s);
	}
}

static void masks_posted(struct side *s, bool before)
{
	struct op *rx = NULL, *plain, *exact;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(masks); i++) {
		if (before)
			rx = recv_tag(s, 20, masks[i].want, masks[i].ignore);
		plain = recv_msg(s, 4);
		check_got(plain, 4, 1);	/* sent behind it, so the other one is here, too */
		if (!before)
			rx = recv_tag(s, 20, masks[i].want, masks[i].ignore);
		if (masks[i].match) {
			check_got_tag(rx, 20, i, masks[i].tag);
			meet(s);
			continue;
		}
		exact = recv_tag(s, 20, masks[i].tag, NO_IGNORE);
		check_got_tag(exact, 20, i, masks[i].tag);
		CHECK(s, !rx->n, "tag %#llx matches %#llx, ignoring %#llx",
		      (unsigned long long)masks[i].tag, (unsigned long long)masks[i].want,
		      (unsigned long long)masks[i].ignore);
		OK(s, fi_cancel(&s->ep->fid, rx));
		await_error(rx, FI_ECANCELED, "a receive that is cancelled");
		meet(s);
	}
}

static void masks_before(struct side *s)
{
	masks_posted(s, true);
}

static void masks_after(struct side *s)
{
	masks_posted(s, false);
}

/* The oldest message that matches, and the oldest receive */
static void sends_equal(struct side *s)
{
	unsigned int i;

	for (i = 0; i < 40; i++)
		send_tag(s, 100 + i * 1000, i, i % 4);
	meet(s);
	UNTIL(s, s->ops->n, "waiting for the last send");
	meet(s);
}

static void receives_equal(struct side *s)
{
	struct op *rx[40];
	unsigned int i, tag, k;

	/* Half of them are posted before, of which some take any tag */
	for (i = 0; i < 20; i++)
		rx[i] = recv_tag(s, 50000, 0, i % 5 == 4 ? TAG_BITS : 3);
	meet(s);
	/* The first twenty take any of the four tags: in order */
	for (i = 0; i < 20; i++)
		check_got_tag(rx[i], 100 + i * 1000, i, i % 4);
	for (tag = 3, i = 20; tag < 4; tag--)
		for (k = 0; k < 5; k++, i++) {
			rx[i] = recv_tag(s, 50000, tag, NO_IGNORE);
			check_got_tag(rx[i], 100 + (20 + 4 * k + tag) * 1000, 20 + 4 * k + tag,
				      tag);
		}
	meet(s);
}

/* Messages with and without tags do not take each other's receives */
static void both_kinds(struct side *s)
{
	struct op *tagged, *plain, *tx[2];

	s->peer = s->self;
	tagged = recv_tag(s, 10, 0, TAG_BITS);
	plain = recv_msg(s, 20);
	tx[0] = send_msg(s, 20, 1);
	check_got(plain, 20, 1);
	CHECK(s, !tagged->n, "a message without a tag takes a tagged receive");
	tx[1] = send_tag(s, 10, 2, 3);
	check_got_tag(tagged, 10, 2, 3);
	check_sent(tx[0]);
	check_sent(tx[1]);
	/* ... nor when they come first */
	tx[0] = send_msg(s, 20, 3);
	tx[1] = send_tag(s, 10, 4, 4);
	settle(s, 20);
	tagged = recv_tag(s, 10, 0, TAG_BITS);
	check_got_tag(tagged, 10, 4, 4);
	plain = recv_msg(s, 20);
	check_got(plain, 20, 3);
	check_sent(tx[0]);
	check_sent(tx[1]);
}

/* Receives from one source only, posted before and after */
static void directed(struct side *s)
{
	struct op *from_self, *from_peer, *any, *tx;
	size_t len = s->role ? 200 : 30000;
	unsigned int round;

	for (round = 0; round < 2; round++) {
		meet(s);
		if (round) {
			send_tag(s, len, 1, 9);
			send_tag_to(s, s->self, len, 2, 9);
			meet(s);
			settle(s, 20);
		}
		from_peer = recv_tag_from(s, s->peer, 50000, 9, NO_IGNORE);
		from_self = recv_tag_from(s, s->self, 50000, 9, NO_IGNORE);
		if (!round) {
			meet(s);
			send_tag_to(s, s->self, len, 2, 9);
			send_tag(s, len, 1, 9);
		}
		check_got_tag(from_self, len, 2, 9);
		check_got_tag(from_peer, s->role ? 30000 : 200, 1, 9);
		CHECK(s, from_self->src == s->self && from_peer->src == s->peer, "sources");
	}
	meet(s);
	any = recv_tag(s, 10, 0, TAG_BITS);
	from_peer = recv_tag_from(s, s->peer, 10, 0, TAG_BITS);
	tx = send_tag_to(s, s->self, 10, 3, 1);
	check_got_tag(any, 10, 3, 1);
	check_sent(tx);
	meet(s);
	tx = send_tag(s, 10, 4, 1);
	check_got_tag(from_peer, 10, 4, 1);
	check_sent(tx);
	for (tx = s->ops; tx; tx = tx->next)
		UNTIL(s, tx->n, "waiting for all to end");
}

static void data(struct side *s)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct op *rx = recv_tag(s, sizes[i], i, NO_IGNORE);
		struct op *tx = op_content(s, sizes[i], i);

		POST(s, fi_tsenddata(s->ep, tx->buf, sizes[i], NULL, 0x8000000000000001 + i,
				     s->self, i, tx));
		check_got_tag(rx, sizes[i], i, i);
		CHECK(s, rx->e.flags & FI_REMOTE_CQ_DATA, "no data told");
		CHECK(s, rx->e.data == 0x8000000000000001 + i, "data %#llx",
		      (unsigned long long)rx->e.data);
		check_sent(tx);
	}
}

/* Vectors of sends and receives */
static void vectors(struct side *s)
{
	struct op *rx = op_new(s, 60000), *tx = op_content(s, 60000, 1);
	struct iovec to = { rx->buf, 60000 }, from[2] = {
		{ tx->buf, 1 }, { tx->buf + 1, 59999 },
	};

	POST(s, fi_trecvv(s->ep, &to, NULL, 1, FI_ADDR_UNSPEC, 1, 0, rx));
	POST(s, fi_tsendv(s->ep, from, NULL, 2, s->self, 1, tx));
	check_got_tag(rx, 60000, 1, 1);
	check_sent(tx);
}

TESTS(tagged) = {
	{ "receives are there first", sends, receives },
	{ "messages are there first", begins_all, receives_backwards },
	{ "masks, receives first", sends_masks, masks_before },
	{ "masks, messages first", sends_masks, masks_after },
	{ "the oldest is taken", sends_equal, receives_equal },
	{ "with and without tags", both_kinds },
	{ "from one source", directed, directed,
	  .want = { .caps = FI_SOURCE | FI_DIRECTED_RECV } },
	{ "data of completions", data },
	{ "vectors", vectors },
	{ }
};
