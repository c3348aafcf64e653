// SPDX-License-Identifier: GPL-2.0
/* Messages that the receiver fetches, and messages that do not fit. */
#include <sys/resource.h>

#include "suite.h"

/* Around the limit of short ones, and of pieces */
static const size_t sizes[] = {
	16383, 16384, 16385, 32767, 32768, 65535, 65536, 65537, 131072, 262143, 262144, 262145,
	500000, MIB - 1, MIB, MIB + 1, 3 * MIB + 7, 16 * MIB,
};

static void sends(struct side *s)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct op *tx = send_tag(s, sizes[i], i, i);

		check_sent(tx);
		op_free(tx);
	}
}

static void receives(struct side *s)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct op *rx = recv_tag(s, sizes[i], i, NO_IGNORE);

		check_got_tag(rx, sizes[i], i, i);
		op_free(rx);
	}
}

/* All of them at a time, both ways */
static void crosses(struct side *s)
{
	struct op *rx[ARRAY_SIZE(sizes)], *tx[ARRAY_SIZE(sizes)];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		rx[i] = recv_tag(s, sizes[i], i, NO_IGNORE);
		tx[i] = send_tag(s, sizes[i], i, i);
	}
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		check_got_tag(rx[i], sizes[i], i, i);
		check_sent(tx[i]);
	}
}

/* The receives come backwards, long after the messages */
static void sends_ahead(struct side *s)
{
	struct op *tx[20];
	unsigned int i;

	for (i = 0; i < 20; i++)
		tx[i] = send_tag(s, MIB + i, i, i);
	meet(s);
	for (i = 0; i < 20; i++)
		check_sent(tx[i]);
}

static void receives_late(struct side *s)
{
	struct op *rx[20];
	unsigned int i;

	meet(s);
	for (i = 20; i--; )
		rx[i] = recv_tag(s, MIB + i, i, NO_IGNORE);
	for (i = 0; i < 20; i++)
		check_got_tag(rx[i], MIB + i, i, i);
}

/* --- truncation --------------------------------------------------------------------- */

static const struct {
	size_t sent, room;
} cuts[] = {
	{ 1, 0 }, { 100, 99 }, { 100, 0 }, { 4096, 1 }, { 16384, 16383 }, { 16384, 0 },
	{ 16385, 16384 }, { 16385, 0 }, { 16385, 100 }, { 70000, 69999 }, { 70000, 0 },
	{ MIB, 16384 }, { MIB, MIB - 1 }, { 4 * MIB, 3 * MIB }, { 4 * MIB, 0 },
};

/* The receive ends with FI_ETRUNC; what there was room for may be there, no more */
static void check_cut(struct op *rx, unsigned int i)
{
	struct side *s = rx->side;
	size_t k;

	await_error(rx, FI_ETRUNC, "a receive that is too short");
	CHECK(s, rx->n == 1, "%u completions", rx->n);
	CHECK(s, rx->err.olen == cuts[i].sent - cuts[i].room || !strict(), "olen is %zu for %zu of %zu",
	      rx->err.olen, cuts[i].room, cuts[i].sent);
	CHECK(s, rx->err.tag == i, "tag %llu", (unsigned long long)rx->err.tag);
	for (k = 0; k < 64; k++)
		CHECK(s, rx->buf[rx->len + k] == 0xa5, "byte %zu behind the buffer", k);
}

static void sends_too_long(struct side *s)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cuts); i++) {
		struct op *tx = send_tag(s, cuts[i].sent, i, i), *after;

		/* Whether that is an error of the send depends on the provider */
		UNTIL(s, tx->n, "waiting for a send that does not fit");
		op_free(tx);
		after = send_tag(s, 40000, i, 1000 + i);
		check_sent(after);
		meet(s);
	}
}

static void cut_short(struct side *s, bool before)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cuts); i++) {
		struct op *rx, *after;

		if (!before)
			settle(s, 5);
		rx = recv_tag(s, cuts[i].room, i, NO_IGNORE);
		check_cut(rx, i);
		op_free(rx);
		after = recv_tag(s, 40000, 1000 + i, NO_IGNORE);
		check_got_tag(after, 40000, i, 1000 + i);
		meet(s);
	}
}

static void cut_at_once(struct side *s)
{
	cut_short(s, true);
}

static void cut_later(struct side *s)
{
	cut_short(s, false);
}

/* --- ends ------------------------------------------------------------------------------ */

/* A sender that closes leaves its peer no crash, and its other messages arrive */
static void closes(struct side *s)
{
	struct op *tx = send_tag(s, 8 * MIB, 1, 1);

	meet(s);
	CHECK(s, !fi_close(&s->ep->fid), "an endpoint with a message does not close");
	s->ep = NULL;
	op_free(tx);
	side_new_ep(s, &s->ep, &s->self);
}

static void is_left(struct side *s)
{
	struct op *rx, *tx, *own;

	meet(s);
	rx = recv_tag(s, 8 * MIB, 1, NO_IGNORE);
	settle(s, 100);
	own = recv_tag(s, 100, 2, NO_IGNORE);
	tx = send_tag_to(s, s->self, 100, 2, 2);
	check_got_tag(own, 100, 2, 2);
	check_sent(tx);
	if (rx->n && !rx->err.err)
		check_content(rx, 8 * MIB, 1);
}

/* Receives take all memory that may be pinned. The message is copied, or fails; the send
 * never hangs.
 */
static void not_pinned(struct side *s)
{
	struct rlimit lim;
	struct op *rx, *tx;
	unsigned int i;

	if (getrlimit(RLIMIT_MEMLOCK, &lim) || lim.rlim_cur > 4 * MIB)
		skip_case(s, "there is memory to pin");
	for (i = 0; i < 500; i++)
		recv_tag(s, 16384, 1, NO_IGNORE);
	settle(s, 50);
	rx = recv_tag(s, MIB, 2, NO_IGNORE);
	tx = send_tag_to(s, s->self, MIB, 1, 2);
	UNTIL(s, tx->n, "waiting for a send of what cannot be pinned");
	CHECK(s, !tx->err.err || tx->err.err == ENOBUFS, "it fails with %d", tx->err.err);
	if (!tx->err.err)
		check_got_tag(rx, MIB, 1, 2);
}

TESTS(long) = {
	{ "one after the other", sends, receives },
	{ "one after the other, unordered", sends, receives, .want = { .unordered = true } },
	{ "all at a time, both ways", crosses, crosses },
	{ "received backwards", sends_ahead, receives_late },
	{ "too long for a receive", sends_too_long, cut_at_once },
	{ "... which comes later", sends_too_long, cut_later },
	{ "the sender closes", closes, is_left },
	{ "no memory to pin", not_pinned },
	{ }
};
