// SPDX-License-Identifier: GPL-2.0
/* Receiver credit: the source's arithmetic and the destination's pacer. */
#include <kunit/test.h>
#include <linux/module.h>

#include "../core/cc/rccc_pacer.h"
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

/* Any answer ends the speculative window, a NACK too, also where it began anew. */
static void rccc_a_nack_ends_speculation(struct kunit *test)
{
	struct uet_cc_params p;
	struct uet_ccc *c = source(test, &p);
	struct uet_rccc *s = uet_rccc(c);
	struct uet_ccc_nack nack = { .size = MTU, .reason = UET_NACKED_OTHER };
	u32 round;

	KUNIT_ASSERT_TRUE(test, c->algo->credit->on_nack);
	uet_ccc_on_new_data(c, 0, 10 * MTU);
	for (round = 0; round < 2; round++) {
		KUNIT_EXPECT_TRUE(test, s->speculating);
		uet_ccc_on_send(c, 0, MTU, 0, false);
		KUNIT_EXPECT_EQ(test, s->credit, 225000 - MTU);
		uet_ccc_on_nack(c, &nack);
		KUNIT_EXPECT_FALSE(test, s->speculating);
		KUNIT_EXPECT_EQ(test, s->credit, 0);
		KUNIT_EXPECT_EQ(test, c->state, UET_CCC_ACTIVE);
		/* the retransmission takes credit like any packet */
		uet_ccc_on_credit(c, 0, (s->granted + MTU / 256) & 0xffffff);
		KUNIT_EXPECT_EQ(test, s->credit, MTU);
		uet_ccc_on_send(c, 0, MTU, 0, true);
		KUNIT_EXPECT_EQ(test, s->credit, 0);
		uet_ccc_credit_anew(c, 0);
	}
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

/* What a hostile destination may say: never more than a window, nothing backwards */
static void rccc_credit_of_a_liar(struct kunit *test)
{
	struct test_rnd rnd = { .state = 5 };
	struct uet_cc_params p;
	struct uet_ccc *c = source(test, &p);
	struct uet_rccc *s = uet_rccc(c);
	u64 now;
	u32 i;

	/* nothing was asked for */
	uet_ccc_on_credit(c, 0, 0x7fffff);
	KUNIT_EXPECT_EQ(test, s->credit, 225000);
	KUNIT_EXPECT_EQ(test, c->state, UET_CCC_IDLE);
	uet_ccc_on_credit(c, 0, 0x7ffffe);
	uet_ccc_on_credit(c, 0, 0xffffff);
	KUNIT_EXPECT_EQ(test, s->granted, 0x7fffffU);
	/* bits above the field */
	uet_ccc_on_credit(c, 0, 0x17fffff);
	KUNIT_EXPECT_EQ(test, s->granted, 0x7fffffU);
	for (i = 0, now = 0; i < UET_TEST_ROUNDS; i++, now += 100) {
		if (c->backlog < MTU)
			uet_ccc_on_new_data(c, now, 10 * MTU);
		if (c->state == UET_CCC_READY)
			uet_ccc_on_send(c, now, MTU, 0, false);
		uet_ccc_on_credit(c, now, rnd32(&rnd));
		if (s->credit > 225000 || s->credit < -MTU ||
		    s->granted > UET_CREDIT_MASK ||
		    uet_ccc_credit_target(c) > UET_CREDIT_MASK) {
			KUNIT_FAIL(test, "round %u: credit %lld", i, s->credit);
			return;
		}
	}
}

/* A source without receiver credit takes none. */
static void credit_for_nscc(struct kunit *test)
{
	struct uet_cc_params p;
	struct uet_ccc *c = source(test, &p);
	struct uet_cc_info before, after;

	uet_ccc_init(c, uet_cc_find("nscc"), &p, NULL, true, 0);
	uet_ccc_on_new_data(c, 0, 100 * MTU);
	uet_ccc_info(c, &before);
	uet_ccc_on_credit(c, 0, 0x1000);
	uet_ccc_info(c, &after);
	KUNIT_EXPECT_EQ(test, memcmp(&before, &after, sizeof(before)), 0);
	KUNIT_EXPECT_EQ(test, uet_ccc_credit_target(c), 0U);
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
		uet_rccc_pacer_init(&p, 100000, RTT, MTU, 0, 1);
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
	uet_rccc_pacer_init(&p, 100000, RTT, MTU, 0, 1);
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

	uet_rccc_pacer_init(&p, 100000, RTT, MTU, 0, 1);
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
	struct uet_rccc_grant *g = kunit_kzalloc(test, 16 * sizeof(*g), GFP_KERNEL);
	u64 now = 0, next, total = 0, each[4] = {};
	struct uet_rccc_pacer p;
	struct uet_rccc_src s[4];
	u32 i, k, n;

	KUNIT_ASSERT_NOT_NULL(test, g);
	uet_rccc_pacer_init(&p, 100000, RTT, MTU, 0, 1);
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

	uet_rccc_pacer_init(&p, 100000, RTT, MTU, 0, 1);
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

	uet_rccc_pacer_init(&p, 100000, RTT, MTU, 0, 1);
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
	KUNIT_EXPECT_LE(test, total, 225000ULL + UET_RCCC_GRANT_MTUS * MTU + 256);
	uet_rccc_remove(&p, &s);
	KUNIT_EXPECT_EQ(test, p.n_satisfied, 0U);
}

/* Ticks until the timer stops. Returns the bytes that were granted. */
static u64 pacer_run(struct uet_rccc_pacer *p, u64 *now, u32 *grants)
{
	struct uet_rccc_grant g[4];
	u64 next = p->next_tick, total = 0;
	u32 n, k, ticks = 0;

	do {
		*now = max(*now, next);
		n = uet_rccc_tick(p, *now, g, 4, 0, &next);
		for (k = 0; k < n; k++)
			total += g[k].bytes;
		*grants += n;
	} while (next && ++ticks < 1000);
	return total;
}

/* Of what it has in advance it gets as much again as it uses, not a window for each packet. */
static void pacer_gives_ahead_what_is_used(struct kunit *test)
{
	u64 now = 0, most = 225000 + 100 * 1000 + UET_RCCC_GRANT_MTUS * MTU, total = 0;
	struct uet_rccc_pacer p;
	struct uet_rccc_src s;
	u32 i, grants = 0;

	uet_rccc_pacer_init(&p, 100000, RTT, MTU, 0, 1);
	uet_rccc_src_init(&s, 0);
	for (i = 0; i < 100; i++) {
		uet_rccc_on_rx(&p, &s, now, s.granted, 1000);
		total += pacer_run(&p, &now, &grants);
	}
	KUNIT_EXPECT_GE(test, total, 225000ULL);
	KUNIT_EXPECT_LE(test, total, most);
	KUNIT_EXPECT_LT(test, grants, 30U);
	/* Once it lacks some, it has nothing left. */
	uet_rccc_on_rx(&p, &s, now, s.granted + 1, 1000);
	KUNIT_EXPECT_GE(test, pacer_run(&p, &now, &grants), 225000ULL);
	uet_rccc_remove(&p, &s);
}

/* A source with an unverified address gets no credit in advance. */
static void pacer_gives_strangers_nothing_ahead(struct kunit *test)
{
	struct uet_rccc_pacer p;
	struct uet_rccc_src s;
	struct uet_rccc_grant g[4];
	u64 next;

	uet_rccc_pacer_init(&p, 100000, RTT, MTU, 0, 1);
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

/* A source with an unverified address is granted what it has sent, at once. */
static void pacer_gives_strangers_what_they_sent(struct kunit *test)
{
	struct uet_rccc_pacer p;
	struct uet_rccc_src s;
	struct uet_rccc_grant g[4];
	u64 next;

	uet_rccc_pacer_init(&p, 100000, RTT, MTU, 0, 1);
	uet_rccc_src_init(&s, 0);
	s.stranger = true;
	s.granted = 0xfffffe;
	s.target = 0xfffffe;
	KUNIT_EXPECT_TRUE(test, uet_rccc_on_rx(&p, &s, 10, 500, 5 * 256 + 255));
	KUNIT_ASSERT_EQ(test, uet_rccc_tick(&p, 10, g, 4, 0, &next), 1U);
	KUNIT_EXPECT_EQ(test, g[0].credit, 3U);
	/* the rest of a quantum counts with the next packet, a repeated target not */
	uet_rccc_on_rx(&p, &s, RTT, 500, 0);
	KUNIT_EXPECT_EQ(test, uet_rccc_tick(&p, RTT, g, 4, 0, &next), 0U);
	uet_rccc_on_rx(&p, &s, 2 * RTT, 500, 1);
	KUNIT_ASSERT_EQ(test, uet_rccc_tick(&p, 2 * RTT, g, 4, 0, &next), 1U);
	KUNIT_EXPECT_EQ(test, g[0].credit, 4U);
	/* a count far away is not followed, at most a window is earned */
	uet_rccc_on_rx(&p, &s, 2 * RTT, 0x400000, 0x7fffffff);
	KUNIT_EXPECT_EQ(test, s.granted, 4U);
	KUNIT_EXPECT_EQ(test, s.target, 4U);
	KUNIT_EXPECT_EQ(test, s.earned, p.max_wnd);
	/* until the address is verified */
	s.stranger = false;
	uet_rccc_on_rx(&p, &s, 2 * RTT, 500, 0);
	KUNIT_EXPECT_EQ(test, s.target, 500U);
	KUNIT_EXPECT_EQ(test, s.earned, 0ULL);
}

/* The first target of a source whose count has run on */
static void pacer_starts_near_the_target(struct kunit *test)
{
	struct uet_rccc_pacer p;

	/* four of 225000 bytes */
	uet_rccc_pacer_init(&p, 100000, RTT, MTU, 0, 1);
	KUNIT_EXPECT_EQ(test, uet_rccc_start(&p, 0), 0U);
	KUNIT_EXPECT_EQ(test, uet_rccc_start(&p, 3515), 0U);
	KUNIT_EXPECT_EQ(test, uet_rccc_start(&p, 3516), 1U);
	KUNIT_EXPECT_EQ(test, uet_rccc_start(&p, 0xffffff), 0xffffffU - 3515);
	KUNIT_EXPECT_EQ(test, uet_rccc_start(&p, 0x1000001), 0U);
	p.max_wnd = U64_MAX;
	KUNIT_EXPECT_EQ(test, uet_rccc_start(&p, 0xffffff), 0x800000U);
}

/* How much a source gets within so long; it sends what it was granted */
static u64 pacer_gives_in(struct uet_rccc_pacer *p, struct uet_rccc_src *s,
			  u64 *now, u64 ns, u8 signal)
{
	struct uet_rccc_grant g[4];
	u64 end = *now + ns, sum = 0, next;
	u32 n, k;

	for (; *now < end; *now = next) {
		uet_rccc_on_rx(p, s, *now, (s->granted + 800) & UET_CREDIT_MASK,
			       4 * MTU);
		uet_rccc_signal(p, s, *now, signal);
		n = uet_rccc_tick(p, *now, g, 4, 0, &next);
		for (k = 0; k < n; k++)
			sum += g[k].bytes;
	}
	return sum;
}

static void pacer_yields_to_the_network(struct kunit *test)
{
	struct uet_rccc_pacer p;
	struct uet_rccc_src s;
	u64 now = 0, full, got;

	uet_rccc_pacer_init(&p, 100000, RTT, MTU, 0, 1);
	uet_rccc_src_init(&s, 0);
	/* where sources have windows, they do that */
	full = pacer_gives_in(&p, &s, &now, 100 * RTT, UET_RCCC_MARKED);
	KUNIT_EXPECT_GE(test, full, 14700000ULL);
	uet_rccc_pacer_yield(&p, true);
	/* a first window, and a header that may be forged */
	s.stranger = true;
	uet_rccc_signal(&p, &s, now, UET_RCCC_TRIMMED);
	uet_rccc_signal(&p, &s, now + 10 * RTT, UET_RCCC_TRIMMED);
	/* a control packet */
	s.stranger = false;
	uet_rccc_signal(&p, &s, now, UET_RCCC_NO_SIGNAL);
	KUNIT_EXPECT_EQ(test, p.pace.end, 0ULL);
	got = pacer_gives_in(&p, &s, &now, 100 * RTT, UET_RCCC_CLEAR);
	KUNIT_EXPECT_GE(test, got, full - 8 * MTU);
	got = pacer_gives_in(&p, &s, &now, 100 * RTT, UET_RCCC_MARKED);
	KUNIT_EXPECT_LE(test, got, full / 3);
	/* it never stops, and comes back */
	got = pacer_gives_in(&p, &s, &now, 1000 * RTT, UET_RCCC_TRIMMED);
	KUNIT_EXPECT_GE(test, got, full / 12);
	KUNIT_EXPECT_LE(test, got, full / 2);
	KUNIT_EXPECT_EQ(test, p.pace.scale, UET_RCCC_SCALE_MIN);
	pacer_gives_in(&p, &s, &now, 400 * RTT, UET_RCCC_CLEAR);
	got = pacer_gives_in(&p, &s, &now, 100 * RTT, UET_RCCC_CLEAR);
	KUNIT_EXPECT_GE(test, got, full - 8 * MTU);
}

/* A load that is gone does not slow the next one. */
static void pacer_forgets_congestion(struct kunit *test)
{
	struct uet_rccc_pacer p;
	struct uet_rccc_src s;
	u64 now = 0;

	uet_rccc_pacer_init(&p, 100000, RTT, MTU, 0, 1);
	uet_rccc_pacer_yield(&p, true);
	uet_rccc_src_init(&s, 0);
	pacer_gives_in(&p, &s, &now, 100 * RTT, UET_RCCC_MARKED);
	KUNIT_EXPECT_LT(test, p.pace.scale, UET_Q16_ONE / 2);
	/* not as long as it wants credit */
	KUNIT_EXPECT_EQ(test, s.ring, UET_RCCC_ACTIVE);
	now += 17 * RTT;
	uet_rccc_on_rx(&p, &s, now, s.target, MTU);
	KUNIT_EXPECT_LT(test, p.pace.scale, UET_Q16_ONE / 2);
	uet_rccc_remove(&p, &s);
	now += 17 * RTT;
	uet_rccc_on_rx(&p, &s, now, s.target, MTU);
	KUNIT_EXPECT_EQ(test, p.pace.scale, UET_Q16_ONE);
}

static void pacer_writes_off_silent_sources(struct kunit *test)
{
	struct uet_rccc_pacer p;
	struct uet_rccc_src quiet, busy;
	struct uet_rccc_grant g[4];
	u64 now, next, to_quiet = 0;
	u32 n, k;

	uet_rccc_pacer_init(&p, 100000, RTT, MTU, 0, 1);
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

	uet_rccc_pacer_init(&p, 0, RTT, MTU, 0, 1);
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
	KUNIT_CASE(rccc_a_nack_ends_speculation),
	KUNIT_CASE(rccc_credit_wraps),
	KUNIT_CASE(rccc_credit_of_a_liar),
	KUNIT_CASE(credit_for_nscc),
	KUNIT_CASE(rccc_first_window_lost),
	KUNIT_CASE(rccc_asks_ever_more_rarely),
	KUNIT_CASE(rccc_tells_new_demand),
	KUNIT_CASE(rccc_asks_now_and_then),
	KUNIT_CASE(pacer_meets_a_restarted_source),
	KUNIT_CASE(pacer_takes_hints),
	KUNIT_CASE(pacer_gives_below_line_rate),
	KUNIT_CASE(pacer_grants_what_is_wanted),
	KUNIT_CASE(pacer_gives_ahead_and_rests),
	KUNIT_CASE(pacer_gives_ahead_what_is_used),
	KUNIT_CASE(pacer_gives_strangers_nothing_ahead),
	KUNIT_CASE(pacer_gives_strangers_what_they_sent),
	KUNIT_CASE(pacer_starts_near_the_target),
	KUNIT_CASE(pacer_yields_to_the_network),
	KUNIT_CASE(pacer_forgets_congestion),
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
