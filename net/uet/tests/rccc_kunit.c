// SPDX-License-Identifier: GPL-2.0
/* Receiver credit: the source's arithmetic and the destination's pacer. */
#include <kunit/test.h>
#include <linux/module.h>

#include "../core/rccc_pacer.h"
#include "random.h"

#define MTU	4096
#define RTT	12000ULL

static struct uet_ccc *source(struct kunit *test, struct uet_cc_params *p)
{
	struct uet_ccc *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);
	struct uet_cc_config cfg = {};

	KUNIT_ASSERT_NOT_NULL(test, c);
	uet_cc_config_set(&cfg, UET_CCP_RATE_MBPS, 100000);
	uet_cc_config_set(&cfg, UET_CCP_BASE_RTT_NS, RTT);
	uet_cc_config_set(&cfg, UET_CCP_MTU, MTU);
	KUNIT_ASSERT_EQ(test, uet_cc_params_derive(p, &cfg, NULL), 0);
	uet_ccc_init(c, uet_cc_find("rccc"), p, NULL, true, 0);
	return c;
}

static void rccc_speculates_until_heard(struct kunit *test)
{
	struct uet_cc_params p;
	struct uet_ccc *c = source(test, &p);
	struct uet_rccc *s = uet_rccc(c);
	struct uet_ccc_ack ack = { .newly_acked_pkts = 1 };
	struct uet_ccc_send out;
	struct uet_ccc_ask ask = { .size = MTU };

	uet_ccc_on_new_data(c, 0, 10 * MTU);
	KUNIT_EXPECT_EQ(test, s->credit, 225000);
	uet_ccc_get_send_params(c, &ask, &out);
	KUNIT_EXPECT_TRUE(test, out.has_target);
	/* credit covers all data, but one packet is requested */
	KUNIT_EXPECT_EQ(test, out.credit_target, MTU / 256U);
	uet_ccc_on_send(c, 0, MTU, 0, false);
	KUNIT_EXPECT_EQ(test, s->credit, 225000 - MTU);
	uet_ccc_on_ack(c, &ack);
	KUNIT_EXPECT_EQ(test, s->credit, 0);
	KUNIT_EXPECT_EQ(test, c->state, UET_CCC_ACTIVE);
	uet_ccc_get_send_params(c, &ask, &out);
	KUNIT_EXPECT_EQ(test, out.credit_target, 9 * MTU / 256U);
	/* demand is divided, but never down to 0 */
	c->credit_senders = 3;
	uet_ccc_get_send_params(c, &ask, &out);
	KUNIT_EXPECT_EQ(test, out.credit_target, 3 * MTU / 256U);
	c->credit_senders = U32_MAX;
	uet_ccc_get_send_params(c, &ask, &out);
	KUNIT_EXPECT_EQ(test, out.credit_target, 1U);
}

static void rccc_credit_wraps(struct kunit *test)
{
	struct uet_cc_params p;
	struct uet_ccc *c = source(test, &p);
	struct uet_rccc *s = uet_rccc(c);

	uet_ccc_on_credit(c, 0, 0);
	s->granted = 0xfffffa;
	uet_ccc_on_credit(c, 0, 6);
	KUNIT_EXPECT_EQ(test, s->credit, 12 * 256);
	KUNIT_EXPECT_EQ(test, s->granted, 6U);
	/* an older grant, and the same one again */
	uet_ccc_on_credit(c, 0, 0xffffff);
	uet_ccc_on_credit(c, 0, 6);
	KUNIT_EXPECT_EQ(test, s->credit, 12 * 256);
	/* never more than a window */
	uet_ccc_on_credit(c, 0, 0x7fffff);
	KUNIT_EXPECT_EQ(test, s->credit, 225000);
}

/* A lost first window is retransmitted without credit. */
static void rccc_first_window_lost(struct kunit *test)
{
	struct uet_cc_params p;
	struct uet_ccc *c = source(test, &p);
	struct uet_rccc *s = uet_rccc(c);
	struct uet_ccc_loss loss = { .size = MTU, .how = UET_LOSS_RTO };
	u32 sent = 0, lost;

	uet_ccc_on_new_data(c, 0, 100 * MTU);
	for (; c->state == UET_CCC_READY; sent++)
		uet_ccc_on_send(c, 0, MTU, 0, false);
	KUNIT_EXPECT_LE(test, s->credit, 0);
	for (lost = 0; lost < sent; lost++)
		uet_ccc_on_inferred_loss(c, &loss);
	KUNIT_EXPECT_EQ(test, c->state, UET_CCC_READY);
	KUNIT_EXPECT_EQ(test, s->credit, 225000);
	uet_ccc_on_send(c, 0, MTU, 0, true);
	/* after feedback a loss returns no credit */
	uet_ccc_on_credit(c, 0, 0);
	KUNIT_EXPECT_EQ(test, s->credit, 0);
	uet_ccc_on_inferred_loss(c, &loss);
	KUNIT_EXPECT_EQ(test, s->credit, 0);
	KUNIT_EXPECT_EQ(test, c->state, UET_CCC_ACTIVE);
	/* if no PDC can carry a Credit Request, a packet does */
	uet_ccc_speculate(c, 0);
	KUNIT_EXPECT_EQ(test, c->state, UET_CCC_READY);
	uet_ccc_on_send(c, 0, MTU, 0, true);
	KUNIT_EXPECT_EQ(test, c->state, UET_CCC_ACTIVE);
}

/* Without a limit on the interval */
static bool asks(struct uet_ccc *c, u64 now, u64 *when)
{
	return uet_ccc_credit_req(c, now, U64_MAX, when);
}

static void rccc_asks_ever_more_rarely(struct kunit *test)
{
	struct uet_cc_params p;
	struct uet_ccc *c = source(test, &p);
	u64 when, gap = 4 * RTT, now = 1000;
	u32 i;

	uet_ccc_on_new_data(c, now, 100 * MTU);
	uet_ccc_on_credit(c, now, 0);
	/* nobody knows of the data yet */
	KUNIT_EXPECT_TRUE(test, asks(c, now, &when));
	for (i = 0; i < 5; i++, gap *= 2) {
		KUNIT_EXPECT_EQ(test, when, now + gap);
		KUNIT_EXPECT_FALSE(test, asks(c, now, &when));
		KUNIT_EXPECT_EQ(test, when, now + gap);
		now = when;
		KUNIT_EXPECT_TRUE(test, asks(c, now, &when));
	}
	/* credit ends the wait, however long it was */
	uet_ccc_on_credit(c, now, 1);
	KUNIT_EXPECT_FALSE(test, asks(c, now, &when));
	KUNIT_EXPECT_EQ(test, c->credit_reqs, 0);
	for (i = 0; i < 300; i++) {
		uet_ccc_on_send(c, now, MTU, 0, false);
		uet_ccc_on_new_data(c, now, 100 * MTU);
		c->inflight_pkts = 0;
		asks(c, now, &when);
		now = when;
	}
	KUNIT_EXPECT_EQ(test, c->credit_reqs, U8_MAX);
}

/* What waits is told at once, but once per round trip, and not again at once. */
static void rccc_tells_new_demand(struct kunit *test)
{
	struct uet_cc_params p;
	struct uet_ccc *c = source(test, &p);
	struct uet_ccc_ask ask = { .size = MTU };
	struct uet_ccc_ack ack = { .newly_acked_pkts = 1 };
	struct uet_ccc_send out;
	u64 when, now = 1000;

	uet_ccc_on_credit(c, now, 0);
	uet_ccc_on_credit(c, now, 1);
	uet_ccc_on_new_data(c, now, 3 * MTU);
	uet_ccc_get_send_params(c, &ask, &out);
	uet_ccc_on_send(c, now, MTU, 0, false);
	/* a packet in flight carries the target */
	KUNIT_EXPECT_FALSE(test, asks(c, now, &when));
	KUNIT_EXPECT_EQ(test, when, 0ULL);
	uet_ccc_on_ack(c, &ack);
	/* ... which was told: an answer has four round trips */
	out.credit_target = uet_ccc_credit_target(c);
	c->credit_told = out.credit_target;
	KUNIT_EXPECT_FALSE(test, asks(c, now, &when));
	KUNIT_EXPECT_EQ(test, when, now + 4 * RTT);
	/* more data is news */
	now += RTT;
	uet_ccc_on_new_data(c, now, MTU);
	KUNIT_EXPECT_TRUE(test, asks(c, now, &when));
	KUNIT_EXPECT_EQ(test, when, now + 4 * RTT);
	uet_ccc_on_new_data(c, now + 1, MTU);
	KUNIT_EXPECT_FALSE(test, asks(c, now + 1, &when));
	KUNIT_EXPECT_EQ(test, when, now + RTT);
	KUNIT_EXPECT_TRUE(test, asks(c, now + RTT, &when));
	/* also where the count wraps */
	uet_rccc(c)->granted = 0xffffff;
	c->credit_told = 0xffffff;
	c->credit_reqs = 0;
	c->last_credit_req = 0;
	KUNIT_EXPECT_TRUE(test, asks(c, now + 2 * RTT, &when));
	KUNIT_EXPECT_LT(test, c->credit_told, 1000U);
}

/* The limit on the interval, and at most one request per four round trips */
static void rccc_asks_now_and_then(struct kunit *test)
{
	struct uet_cc_params p;
	struct uet_ccc *c = source(test, &p);
	u64 when, now = 1000;
	u32 i;

	uet_ccc_on_new_data(c, now, 100 * MTU);
	uet_ccc_on_credit(c, now, 0);
	for (i = 0; i < 20; i++) {
		uet_ccc_credit_req(c, now, 50 * RTT, &when);
		KUNIT_EXPECT_LE(test, when, now + 50 * RTT);
		now = when;
	}
	KUNIT_EXPECT_TRUE(test, uet_ccc_credit_req(c, now, 50 * RTT, &when));
	KUNIT_EXPECT_EQ(test, when, now + 50 * RTT);
	now = when;
	KUNIT_EXPECT_TRUE(test, uet_ccc_credit_req(c, now, RTT, &when));
	KUNIT_EXPECT_EQ(test, when, now + 4 * RTT);
}

/* The counter of a source restarts at 0 with a new CCC. */
static void pacer_meets_a_restarted_source(struct kunit *test)
{
	static const u32 granted[] = { 200000, 0x7fffff, 0x800000, 0xf00000 };
	struct uet_rccc_pacer p;
	struct uet_rccc_src s;
	struct uet_rccc_grant g[4];
	u64 next;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(granted); i++) {
		uet_rccc_pacer_init(&p, 100000, RTT, MTU, 0);
		uet_rccc_src_init(&s, 0);
		s.granted = granted[i];
		s.target = granted[i];
		KUNIT_EXPECT_TRUE(test, uet_rccc_on_rx(&p, &s, 10, 300, MTU));
		KUNIT_ASSERT_EQ(test, uet_rccc_tick(&p, 10, g, 1, 0, &next),
				1U);
		/* the full request, by the source's counter */
		KUNIT_EXPECT_EQ(test, g[0].credit, 300U);
	}
	/* targets of a running source or of a late packet are sane */
	uet_rccc_pacer_init(&p, 100000, RTT, MTU, 0);
	uet_rccc_src_init(&s, 0);
	s.granted = 500000;
	s.target = 500000;
	uet_rccc_on_rx(&p, &s, 10, 500000 - 20000, MTU);
	KUNIT_EXPECT_EQ(test, s.granted, 500000U);
	uet_rccc_on_rx(&p, &s, 10, 500000 + 20000, MTU);
	KUNIT_EXPECT_EQ(test, s.granted, 500000U);
	KUNIT_EXPECT_EQ(test, s.target, 520000U);
	uet_rccc_pacer_set(&p, 200000, RTT);
	KUNIT_EXPECT_EQ(test, p.max_wnd, 450000ULL);
}

/* A target that is not verified: up to a window, and no restart */
static void pacer_takes_hints(struct kunit *test)
{
	static const u32 granted[] = { 0, 200000, 0x7fffff, 0xffffff };
	struct uet_rccc_pacer p;
	u32 i, k, g, hint;

	uet_rccc_pacer_init(&p, 100000, RTT, MTU, 0);
	for (i = 0; i < ARRAY_SIZE(granted); i++) {
		g = granted[i];
		hint = uet_rccc_hint(&p, g, (g + 100) & UET_CREDIT_MASK);
		KUNIT_EXPECT_EQ(test, hint, (g + 100) & UET_CREDIT_MASK);
		hint = uet_rccc_hint(&p, g, (g - 100) & UET_CREDIT_MASK);
		KUNIT_EXPECT_EQ(test, hint, g);
		for (k = 0; k < 24; k++) {
			hint = uet_rccc_hint(&p, g, g ^ 1U << k);
			KUNIT_EXPECT_LE(test, (hint - g) & UET_CREDIT_MASK,
					p.max_wnd / UET_CREDIT_UNIT_BYTES);
		}
	}
}

static void pacer_gives_below_line_rate(struct kunit *test)
{
	struct uet_rccc_pacer p;
	struct uet_rccc_src s[4];
	struct uet_rccc_grant g[16];
	u64 now = 0, next, total = 0, each[4] = {};
	u32 i, k, n;

	uet_rccc_pacer_init(&p, 100000, RTT, MTU, 0);
	for (i = 0; i < 4; i++)
		uet_rccc_src_init(&s[i], 0);
	while (now < 10000000) {
		for (i = 0; i < 4; i++)
			uet_rccc_on_rx(&p, &s[i], now, s[i].granted + 1000,
				       MTU);
		n = uet_rccc_tick(&p, now, g, 16, 5000, &next);
		KUNIT_EXPECT_GT(test, next, now);
		for (k = 0; k < n; k++) {
			total += g[k].bytes;
			each[g[k].src - s] += g[k].bytes;
			KUNIT_EXPECT_EQ(test, g[k].bytes, 4U * MTU);
		}
		now = next;
	}
	/* 10 ms at 12.5 bytes per ns, 99 percent of it, and a batch ahead */
	KUNIT_EXPECT_LE(test, total, 123750000ULL + 16 * 4 * MTU);
	KUNIT_EXPECT_GE(test, total, 122500000ULL);
	for (i = 0; i < 4; i++) {
		KUNIT_EXPECT_LE(test, each[i], total / 4 + 8 * MTU);
		KUNIT_EXPECT_GE(test, each[i], total / 4 - 8 * MTU);
	}
}

static void pacer_grants_what_is_wanted(struct kunit *test)
{
	struct uet_rccc_pacer p;
	struct uet_rccc_src s;
	struct uet_rccc_grant g[16];
	u64 next;

	uet_rccc_pacer_init(&p, 100000, RTT, MTU, 0);
	uet_rccc_src_init(&s, 0);
	KUNIT_EXPECT_EQ(test, uet_rccc_tick(&p, 0, g, 16, 0, &next), 0U);
	KUNIT_EXPECT_EQ(test, next, 0ULL);
	s.target = 0xfffffe;
	s.granted = 0xfffffe;
	KUNIT_EXPECT_TRUE(test, uet_rccc_on_rx(&p, &s, 1000, 3, MTU));
	KUNIT_EXPECT_EQ(test, uet_rccc_tick(&p, 1000, g, 1, 0, &next), 1U);
	KUNIT_EXPECT_EQ(test, g[0].bytes, 5U * 256);
	KUNIT_EXPECT_EQ(test, g[0].credit, 3U);
	/* an older target changes nothing */
	uet_rccc_on_rx(&p, &s, 1100, 0xffffff, MTU);
	KUNIT_EXPECT_EQ(test, s.target, 3U);
	KUNIT_EXPECT_EQ(test, s.ring, UET_RCCC_SATISFIED);
}

/* Satisfied sources get up to a window in advance, then the timer stops. */
static void pacer_gives_ahead_and_rests(struct kunit *test)
{
	struct uet_rccc_pacer p;
	struct uet_rccc_src s;
	struct uet_rccc_grant g[4];
	u64 now = 0, next = 1, total = 0;
	u32 n, k, ticks = 0;

	uet_rccc_pacer_init(&p, 100000, RTT, MTU, 0);
	uet_rccc_src_init(&s, 0);
	uet_rccc_on_rx(&p, &s, 0, 0, MTU);
	while (next && ticks++ < 1000) {
		n = uet_rccc_tick(&p, now, g, 4, 0, &next);
		for (k = 0; k < n; k++)
			total += g[k].bytes;
		now = next;
	}
	KUNIT_EXPECT_LE(test, ticks, 100U);
	KUNIT_EXPECT_GE(test, total, 225000ULL);
	KUNIT_EXPECT_LE(test, total, 225000ULL + 256);
	uet_rccc_remove(&p, &s);
	KUNIT_EXPECT_EQ(test, p.n_satisfied, 0U);
}

/* A source with an unverified address gets no credit in advance. */
static void pacer_gives_strangers_nothing_ahead(struct kunit *test)
{
	struct uet_rccc_pacer p;
	struct uet_rccc_src s;
	struct uet_rccc_grant g[4];
	u64 next;

	uet_rccc_pacer_init(&p, 100000, RTT, MTU, 0);
	uet_rccc_src_init(&s, 0);
	s.stranger = true;
	uet_rccc_on_rx(&p, &s, 0, 1, MTU);
	KUNIT_EXPECT_EQ(test, uet_rccc_tick(&p, 0, g, 4, RTT, &next), 1U);
	KUNIT_EXPECT_EQ(test, g[0].bytes, 256U);
	KUNIT_EXPECT_EQ(test, uet_rccc_tick(&p, next, g, 4, RTT, &next), 0U);
	KUNIT_EXPECT_EQ(test, next, 0ULL);
	s.stranger = false;
	uet_rccc_on_rx(&p, &s, 1000, 1, MTU);
	KUNIT_EXPECT_EQ(test, uet_rccc_tick(&p, 1000, g, 1, RTT, &next), 1U);
}

static void pacer_writes_off_silent_sources(struct kunit *test)
{
	struct uet_rccc_pacer p;
	struct uet_rccc_src quiet, busy;
	struct uet_rccc_grant g[4];
	u64 now, next, to_quiet = 0;
	u32 n, k;

	uet_rccc_pacer_init(&p, 100000, RTT, MTU, 0);
	uet_rccc_src_init(&quiet, 0);
	uet_rccc_src_init(&busy, 0);
	uet_rccc_on_rx(&p, &quiet, 0, 100000, MTU);
	for (now = 0; now < 10000000; now = next) {
		uet_rccc_on_rx(&p, &busy, now, busy.granted + 500, 4 * MTU);
		n = uet_rccc_tick(&p, now, g, 4, 0, &next);
		for (k = 0; k < n; k++)
			to_quiet += g[k].src == &quiet ? g[k].bytes : 0;
	}
	KUNIT_EXPECT_GT(test, p.written_off, 0ULL);
	KUNIT_EXPECT_EQ(test, quiet.ring, UET_RCCC_SATISFIED);
	KUNIT_EXPECT_LE(test, to_quiet, 1000000ULL);
	/* it is served again after it sends a packet */
	uet_rccc_on_rx(&p, &quiet, now, quiet.granted + 100, MTU);
	KUNIT_EXPECT_EQ(test, quiet.ring, UET_RCCC_ACTIVE);
}

/* Rings stay consistent under any order of arrivals, ticks and removals. */
static void pacer_random(struct kunit *test)
{
	struct uet_rccc_pacer p;
	struct uet_rccc_src *s = kunit_kzalloc(test, 32 * sizeof(*s),
					       GFP_KERNEL);
	struct uet_rccc_grant g[8];
	struct test_rnd rnd = { .state = 4 };
	struct uet_rccc_src *at;
	u64 now = 0, next;
	u32 i, k, n;

	uet_rccc_pacer_init(&p, 0, RTT, MTU, 0);
	for (i = 0; i < 32; i++)
		uet_rccc_src_init(&s[i], 0);
	for (i = 0; i < UET_TEST_ROUNDS; i++) {
		k = rnd_below(&rnd, 32);
		now = rnd_one_in(&rnd, 1000) ? rnd64(&rnd) >> 8 :
		      now + rnd_below(&rnd, 5000);
		if (rnd_one_in(&rnd, 3))
			uet_rccc_on_rx(&p, &s[k], now, rnd32(&rnd),
				       rnd_below(&rnd, 5000));
		else if (rnd_one_in(&rnd, 8))
			uet_rccc_remove(&p, &s[k]);
		else
			KUNIT_EXPECT_LE(test, uet_rccc_tick(&p, now, g, 8,
							    rnd32(&rnd),
							    &next), 8U);
		for (n = 0, at = p.active; at && n <= 32; at = at->next) {
			n++;
			if (at->next == p.active)
				break;
		}
		if (n != p.n_active || !at != !p.active) {
			KUNIT_FAIL(test, "round %u: %u of %u", i, n,
				   p.n_active);
			return;
		}
	}
}

static struct kunit_case cases[] = {
	KUNIT_CASE(rccc_speculates_until_heard),
	KUNIT_CASE(rccc_credit_wraps),
	KUNIT_CASE(rccc_first_window_lost),
	KUNIT_CASE(rccc_asks_ever_more_rarely),
	KUNIT_CASE(rccc_tells_new_demand),
	KUNIT_CASE(rccc_asks_now_and_then),
	KUNIT_CASE(pacer_meets_a_restarted_source),
	KUNIT_CASE(pacer_takes_hints),
	KUNIT_CASE(pacer_gives_below_line_rate),
	KUNIT_CASE(pacer_grants_what_is_wanted),
	KUNIT_CASE(pacer_gives_ahead_and_rests),
	KUNIT_CASE(pacer_gives_strangers_nothing_ahead),
	KUNIT_CASE(pacer_writes_off_silent_sources),
	KUNIT_CASE(pacer_random),
	{}
};

static struct kunit_suite suite = {
	.name = "uet_rccc",
	.test_cases = cases,
};

kunit_test_suites(&suite);

MODULE_LICENSE("GPL");
