// SPDX-License-Identifier: GPL-2.0
/*
 * Invariants of a CCC, checked after every random event: with honest networks for
 * every algorithm and parameters at their limits, and with hostile ones.
 */
#include <kunit/test.h>
#include <linux/module.h>

#include "ccc_sim.h"

struct net_case {
	const char *algo;
	u32 mbps;
	u64 base_rtt;
	u32 mtu;
	bool trimming;
};

static const struct net_case nets[] = {
	{ "nscc", 100000, 12000, 4160, true },
	{ "nscc", 10000, 100000, 1564, false },
	{ "nscc", 0, 100000, 9216, false },
	{ "nscc", 1, 1000, 128, true },
	{ "nscc", U32_MAX, 100000000, 65600, true },
	{ "nscc", 1600000, 1000000, 9216, false },
	{ "rccc", 100000, 12000, 4160, true },
	{ "rccc", 1, 1000, 128, true },
	{ "nscc+rccc", 400000, 12000, 4160, true },
	{ "fixed", 25000, 20000, 1564, false },
};

static void net_desc(const struct net_case *n, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s %u Mb/s mtu %u", n->algo,
		 n->mbps, n->mtu);
}

KUNIT_ARRAY_PARAM(net, nets, net_desc);

static struct sim *setup(struct kunit *test, u64 seed)
{
	const struct net_case *n = test->param_value;
	struct sim *s = kunit_kzalloc(test, sizeof(*s), GFP_KERNEL);
	struct uet_cc_config cfg = {};

	KUNIT_ASSERT_NOT_NULL(test, s);
	s->rnd.state = seed;
	s->now = 1000000;
	uet_cc_config_set(&cfg, UET_CCP_RATE_MBPS, n->mbps);
	uet_cc_config_set(&cfg, UET_CCP_BASE_RTT_NS, n->base_rtt);
	uet_cc_config_set(&cfg, UET_CCP_MTU, n->mtu);
	uet_cc_config_set(&cfg, UET_CCP_TRIMMING, n->trimming);
	KUNIT_ASSERT_EQ(test, uet_cc_params_derive(&s->p, &cfg, NULL), 0);
	uet_ccc_init(&s->c, uet_cc_find(n->algo), &s->p, NULL, true, s->now);
	return s;
}

/* True if all invariants hold. */
static bool sound(struct kunit *test, const struct sim *s)
{
	bool ok = sim_window_sound(s) && sim_state_sound(s) &&
		  sim_never_stalls(s);

	KUNIT_EXPECT_TRUE(test, ok);
	return ok;
}

static bool books_agree(struct kunit *test, const struct sim *s)
{
	u64 marked_bytes = 0;
	u32 marked = 0;
	bool ok;
	u32 i;

	for (i = 0; i < s->n; i++) {
		marked += s->pkts[i].marked;
		marked_bytes += s->pkts[i].marked ? s->pkts[i].size : 0;
	}
	ok = s->c.backlog == s->backlog && s->c.waiting_rtx == marked &&
	     s->c.rtx_backlog == marked_bytes &&
	     s->c.inflight_pkts == s->n - marked && !s->c.stats.imbalance;
	KUNIT_EXPECT_TRUE(test, ok);
	return ok;
}

static void ccc_honest_network(struct kunit *test)
{
	struct sim *s = setup(test, 1);
	u32 i;

	for (i = 0; i < UET_TEST_ROUNDS; i++) {
		sim_step(s);
		if (!sound(test, s))
			return;
		if (i % 64 == 0 && !books_agree(test, s))
			return;
		if (i % 4096 == 0 && !sim_drain(s))
			break;
	}
	KUNIT_EXPECT_TRUE(test, sim_drain(s));
	KUNIT_EXPECT_EQ(test, s->c.inflight, 0);
	KUNIT_EXPECT_EQ(test, s->c.state, UET_CCC_IDLE);
	books_agree(test, s);
	if (s->c.algo->window == &uet_cc_nscc)
		KUNIT_EXPECT_TRUE(test, s->acted & UET_CC_DID_ADJ);
}

/* An ACK with random fields, and a clock that jumps. */
static void hostile_ack(struct sim *s)
{
	struct uet_ccc_ack ack = {
		.now = rnd64(&s->rnd) >> rnd_below(&s->rnd, 64),
		.rtt = rnd64(&s->rnd) >> rnd_below(&s->rnd, 64),
		.newly_rcvd_bytes = rnd32(&s->rnd) >> rnd_below(&s->rnd, 32),
		.ev = (u16)rnd32(&s->rnd),
		.m = rnd_one_in(&s->rnd, 2),
		.pend = (u8)rnd32(&s->rnd),
		.restore = rnd_one_in(&s->rnd, 2),
		.rtt_valid = rnd_one_in(&s->rnd, 2),
		.newly_acked_pkts = rnd_below(&s->rnd, 3),
		.unmarked_pkts = rnd_below(&s->rnd, 2),
		.unmarked_bytes = rnd64(&s->rnd) >> rnd_below(&s->rnd, 64),
		.siblings = (u8)rnd32(&s->rnd),
	};

	uet_ccc_on_ack(&s->c, &ack);
}

static void hostile_step(struct sim *s)
{
	struct uet_ccc_nack nack = {
		.now = rnd64(&s->rnd) >> rnd_below(&s->rnd, 64),
		.rtt = rnd64(&s->rnd) >> rnd_below(&s->rnd, 64),
		.size = rnd_below(&s->rnd, s->p.mtu + 1),
		.reason = (u8)rnd32(&s->rnd),
		.rtt_valid = rnd_one_in(&s->rnd, 2),
	};
	struct uet_ccc_loss loss = {
		.now = nack.now, .size = nack.size, .how = (u8)rnd32(&s->rnd),
	};

	switch (rnd_below(&s->rnd, 8)) {
	case 0:
		sim_data(s);
		break;
	case 1:
	case 2:
		if (sim_ready(s))
			uet_ccc_on_send(&s->c, nack.now, s->p.mtu, 0, false);
		break;
	case 3:
		uet_ccc_on_nack(&s->c, &nack);
		break;
	case 4:
		uet_ccc_on_inferred_loss(&s->c, &loss);
		break;
	case 5:
		uet_ccc_on_credit(&s->c, nack.now, rnd32(&s->rnd));
		break;
	default:
		hostile_ack(s);
	}
	sim_note(s);
}

static void ccc_hostile_peer(struct kunit *test)
{
	struct sim *s = setup(test, 2);
	u32 i;

	for (i = 0; i < UET_TEST_ROUNDS; i++) {
		hostile_step(s);
		if (!sound(test, s))
			return;
	}
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(ccc_honest_network, net_gen_params),
	KUNIT_CASE_PARAM(ccc_hostile_peer, net_gen_params),
	{}
};

static struct kunit_suite suite = {
	.name = "uet_ccc_random",
	.test_cases = cases,
};

kunit_test_suites(&suite);

MODULE_LICENSE("GPL");
