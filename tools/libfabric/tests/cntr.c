// SPDX-License-Identifier: GPL-2.0
/* Counters. */
#include <host.h>

#include "suite.h"

static void until_count(struct side *s, struct fid_cntr *cntr, uint64_t n, const char *what)
{
	UNTIL(s, fi_cntr_read(cntr) >= n, "waiting for %llu %s", (unsigned long long)n, what);
	CHECK(s, fi_cntr_read(cntr) == n, "%llu %s, not %llu",
	      (unsigned long long)fi_cntr_read(cntr), what, (unsigned long long)n);
}

static void set(struct side *s)
{
	CHECK(s, fi_cntr_read(s->tx_cntr) == 0, "it does not begin with 0");
	OK(s, fi_cntr_set(s->tx_cntr, 10));
	OK(s, fi_cntr_add(s->tx_cntr, 5));
	until_count(s, s->tx_cntr, 15, "that were set");
	OK(s, fi_cntr_seterr(s->tx_cntr, 3));
	OK(s, fi_cntr_adderr(s->tx_cntr, 1));
	CHECK(s, fi_cntr_readerr(s->tx_cntr) == 4, "%llu errors",
	      (unsigned long long)fi_cntr_readerr(s->tx_cntr));
	CHECK(s, fi_cntr_read(s->tx_cntr) == 15, "errors count as successes");
}

static void counts_sends(struct side *s)
{
	unsigned int i;

	for (i = 0; i < 20; i++)
		send_tag(s, i * 2000, i, i);
	until_count(s, s->tx_cntr, 20, "sends");
	for (i = 0; i < 5; i++)
		OK(s, fi_tinject(s->ep, "hello", 5, s->peer, 100 + i));
	until_count(s, s->tx_cntr, 25, "sends, injected ones among them,");
	meet(s);
	CHECK(s, fi_cntr_read(s->rx_cntr) == 0, "receives of one that sends");
}

static void counts_receives(struct side *s)
{
	struct op *rx[20];
	unsigned int i;

	for (i = 0; i < 20; i++)
		rx[i] = recv_tag(s, 40000, i, NO_IGNORE);
	until_count(s, s->rx_cntr, 20, "receives");
	for (i = 0; i < 20; i++)
		check_got_tag(rx[i], i * 2000, i, i);
	for (i = 0; i < 5; i++)
		recv_tag(s, 5, 100 + i, NO_IGNORE);
	until_count(s, s->rx_cntr, 25, "receives");
	CHECK(s, fi_cntr_readerr(s->rx_cntr) == 0, "errors");
	meet(s);
}

static void counts_errors(struct side *s)
{
	struct op *rx = recv_tag(s, 10, 1, NO_IGNORE);

	send_tag_to(s, s->self, 20, 1, 1);
	await_error(rx, FI_ETRUNC, "a receive that is too short");
	UNTIL(s, fi_cntr_readerr(s->rx_cntr), "waiting for an error to be counted");
	CHECK(s, fi_cntr_readerr(s->rx_cntr) == 1, "more than one error");
	CHECK(s, fi_cntr_read(s->rx_cntr) == 0, "an error counts as a success");
}

/* fi_cntr_wait() makes progress, and ends in time */
static void waits(struct side *s)
{
	uint64_t t0 = host_now_ns();
	struct op *rx;
	int ret;

	doing(s, "waiting in fi_cntr_wait()");
	ret = fi_cntr_wait(s->rx_cntr, 1, 100);
	CHECK(s, ret == -FI_ETIMEDOUT || (ret && !strict()), "a wait for nothing gives %d", ret);
	CHECK(s, host_now_ns() - t0 >= 90000000 || !strict(), "it does not wait");
	rx = recv_tag(s, 100 * KIB, 1, NO_IGNORE);
	meet(s);
	OK(s, fi_cntr_wait(s->rx_cntr, 1, suite.patience * 1000));
	check_got_tag(rx, 100 * KIB, 1, 1);
	ret = fi_cntr_wait(s->rx_cntr, 1, 0);
	CHECK(s, !ret, "a wait for what has come gives %d", ret);
}

static void sends_later(struct side *s)
{
	meet(s);
	settle(s, 50);
	check_sent(send_tag(s, 100 * KIB, 1, 1));
}

#define WITH_CNTRS .want = { .cntrs = true }
TESTS(cntr) = {
	{ "values that are set", set, WITH_CNTRS },
	{ "sends and receives", counts_sends, counts_receives, WITH_CNTRS },
	{ "errors", counts_errors, WITH_CNTRS },
	{ "waiting", waits, sends_later, .want = { .cntrs = true, .wait = FI_WAIT_UNSPEC } },
	{ }
};
