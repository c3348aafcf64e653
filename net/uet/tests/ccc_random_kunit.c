// SPDX-License-Identifier: GPL-2.0
/*
 * Invariants of a CCC and its sender, checked after every random event: with
 * honest networks for every algorithm and parameters at their limits, and with a
 * hostile peer; those of the CCC alone also with events that no sender causes.
 */
#include <kunit/test.h>
#include <linux/module.h>

#include "ccc_sim_net.h"

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
	struct sim *s = sim_new(test);
	struct uet_cc_config cfg = {};

	uet_cc_config_set(&cfg, UET_CCP_RATE_MBPS, n->mbps);
	uet_cc_config_set(&cfg, UET_CCP_BASE_RTT_NS, n->base_rtt);
	uet_cc_config_set(&cfg, UET_CCP_MTU, n->mtu);
	uet_cc_config_set(&cfg, UET_CCP_TRIMMING, n->trimming);
	KUNIT_ASSERT_EQ(test, sim_start(s, n->algo, &cfg, seed), 0);
	return s;
}

/* True if nothing is wrong. */
static bool sound(struct kunit *test, const char *wrong, u32 round)
{
	if (wrong)
		KUNIT_FAIL(test, "event %u: %s", round, wrong);
	return !wrong;
}

static void ccc_honest_network(struct kunit *test)
{
	struct sim *s = setup(test, 1);
	u32 i;

	for (i = 0; i < UET_TEST_ROUNDS; i++) {
		sim_step(s);
		if (!sound(test, sim_wrong(s), i))
			return;
		if (i % 4096 == 0 && !sim_drain(s))
			break;
	}
	KUNIT_EXPECT_TRUE(test, sim_drain(s));
	KUNIT_EXPECT_EQ(test, s->c.inflight, 0);
	KUNIT_EXPECT_EQ(test, s->c.state, UET_CCC_IDLE);
	sound(test, sim_wrong(s), i);
	if (s->c.algo->window == &uet_cc_nscc)
		KUNIT_EXPECT_TRUE(test, s->acted & UET_CC_DID_ADJ);
}

/* A PSN near those that are outstanding */
static u32 forged_psn(struct sim *s)
{
	const struct uet_txwin *win = &s->snd.win;
	u32 n = uet_txwin_outstanding(win);

	if (rnd_one_in(&s->rnd, 2))
		return win->una + rnd_below(&s->rnd, n + 1);
	return win->una - n - 64 + rnd_below(&s->rnd, 3 * n + 128);
}

/* An ACK with random fields */
static void forge_ack(struct sim *s)
{
	static const u8 types[] = { UET_CC_NSCC, UET_CC_CREDIT, UET_CC_NONE };
	struct uet_ack *a = &s->pkt.ack;

	memset(&s->pkt, 0, sizeof(s->pkt));
	s->pkt.type = UET_PDS_ACK_CC;
	s->pkt.next_hdr = rnd_one_in(&s->rnd, 2) ? UET_NH_RSP : UET_NH_NONE;
	s->pkt.flags = (u8)(rnd32(&s->rnd) & rnd32(&s->rnd));
	s->pkt.rsp.code = (u8)rnd_below(&s->rnd, 3);
	a->cack_psn = rnd_one_in(&s->rnd, 8) ? forged_psn(s) :
					       s->snd.win.una - 1;
	a->ack_psn = forged_psn(s);
	a->sack_base = forged_psn(s);
	a->sack_bitmap = rnd64(&s->rnd) & rnd64(&s->rnd) & rnd64(&s->rnd);
	a->rcvd_bytes = s->snd.win.last_rcvd + rnd_below(&s->rnd, 99);
	if (rnd_one_in(&s->rnd, 4))
		a->rcvd_bytes = rnd32(&s->rnd) >> rnd_below(&s->rnd, 24);
	a->rcvd_bytes &= UET_RCVD_FIELD_MASK;
	a->credit = rnd32(&s->rnd) >> 8;
	a->probe_opaque = rnd_one_in(&s->rnd, 2) ? s->snd.probe_id :
						   (u16)rnd32(&s->rnd);
	a->service_time = (u16)(rnd32(&s->rnd) >> rnd_below(&s->rnd, 32));
	a->ooo_count = (u16)(rnd32(&s->rnd) >> rnd_below(&s->rnd, 32));
	a->mpr = rnd_one_in(&s->rnd, 4) ? (u8)rnd32(&s->rnd) : 1;
	a->cc_type = types[rnd_below(&s->rnd, ARRAY_SIZE(types))];
	a->pend = (u8)rnd32(&s->rnd);
	a->rc = rnd_one_in(&s->rnd, 2);
	sim_take_ack(s);
}

static void forge_nack(struct sim *s)
{
	memset(&s->pkt, 0, sizeof(s->pkt));
	s->pkt.type = UET_PDS_NACK;
	s->pkt.flags = (u8)rnd32(&s->rnd);
	s->pkt.nack.psn = forged_psn(s);
	s->pkt.nack.code = (u8)rnd_below(&s->rnd, UET_NACK_RCVR_INFER_LOSS + 1);
	if (rnd_one_in(&s->rnd, 4))
		s->pkt.nack.code = (u8)rnd32(&s->rnd);
	sim_take_nack(s);
}

/* The books of a sender stay in order, whatever the peer says. */
static void forge_step(struct sim *s)
{
	sim_pass(s, s->now + rnd_below(&s->rnd, (u32)s->p.base_rtt / 8));
	switch (rnd_below(&s->rnd, 32)) {
	case 0:
		sim_cancel(s);
		break;
	case 1:
		if (rnd_one_in(&s->rnd, 4))
			sim_lose(s);
		break;
	case 2:
		if (rnd_one_in(&s->rnd, 4))
			sim_wait(s);
		break;
	case 3:
		uet_ccc_on_credit(&s->c, s->now, rnd32(&s->rnd));
		sim_note(s);
		break;
	case 4:
	case 5:
		forge_nack(s);
		break;
	case 6 ... 15:
		forge_ack(s);
		break;
	default:
		if (!s->c.backlog)
			sim_data(s);
		sim_send(s);
	}
}

static void ccc_hostile_peer(struct kunit *test)
{
	struct sim *s = setup(test, 2);
	u32 i;

	for (i = 0; i < UET_TEST_ROUNDS; i++) {
		forge_step(s);
		if (!sound(test, sim_wrong(s), i))
			return;
	}
}

/* An ACK that no sender would report, and a clock that jumps */
static void any_ack(struct sim *s)
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

static void any_event(struct sim *s)
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
		uet_ccc_on_new_data(&s->c, nack.now,
				    rnd_below(&s->rnd, 40 * s->p.mtu));
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
		any_ack(s);
	}
}

static void ccc_any_events(struct kunit *test)
{
	struct sim *s = setup(test, 2);
	u32 i;

	for (i = 0; i < UET_TEST_ROUNDS; i++) {
		any_event(s);
		if (!sound(test, sim_ccc_wrong(s), i))
			return;
	}
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(ccc_honest_network, net_gen_params),
	KUNIT_CASE_PARAM(ccc_hostile_peer, net_gen_params),
	KUNIT_CASE_PARAM(ccc_any_events, net_gen_params),
	{}
};

static struct kunit_suite suite = {
	.name = "uet_ccc_random",
	.test_cases = cases,
};

kunit_test_suites(&suite);

MODULE_LICENSE("GPL");
