// SPDX-License-Identifier: GPL-2.0
/*
 * Attacks of a hostile peer on a sender, one by one: the window must stay within
 * its bounds, and nothing may overflow, divide by zero or stall.
 */
#include <kunit/test.h>
#include <linux/module.h>

#include "../core/snd/txwin_scan.h"
#include "ccc_sim_net.h"

#define SLOTS		128
#define MTU		4160
#define HALF_FIELD	0x800000U

static struct sim *sim_plain(struct kunit *test, const char *algo)
{
	struct sim *s = sim_new(test);
	struct uet_cc_config cfg = {};

	uet_cc_config_set(&cfg, UET_CCP_RATE_MBPS, 100000);
	uet_cc_config_set(&cfg, UET_CCP_BASE_RTT_NS, 12000);
	uet_cc_config_set(&cfg, UET_CCP_MTU, MTU);
	KUNIT_ASSERT_EQ(test, sim_start(s, algo, &cfg, 7), 0);
	return s;
}

/* Send full packets until the CCC stops them; nobody keeps books. */
static void fill(struct sim *s)
{
	for (;;) {
		if (!s->c.backlog)
			uet_ccc_on_new_data(&s->c, s->now, MTU);
		if (!sim_ready(s))
			break;
		uet_ccc_on_send(&s->c, s->now, MTU, 0, false);
	}
}

static void tx_open(struct kunit *test, struct uet_txwin *w)
{
	void *mem = kunit_kzalloc(test, uet_txwin_mem_size(SLOTS), GFP_KERNEL);
	void *old;

	KUNIT_ASSERT_NOT_NULL(test, mem);
	uet_txwin_init(w, 0, SLOTS);
	KUNIT_ASSERT_EQ(test, uet_txwin_attach(w, mem, SLOTS, &old), 0);
}

/* rcvd_bytes jumps by half its range: released bytes <= sent bytes. */
static void hostile_rcvd_bytes(struct kunit *test)
{
	static const u32 steps[] = {
		HALF_FIELD, HALF_FIELD - 1, HALF_FIELD + 1, 1, 0xffffff,
	};
	struct test_rnd rnd = { .state = 1 };
	u64 sent = 0, released = 0;
	struct uet_txwin w;
	u32 i, field = 0;

	tx_open(test, &w);
	for (i = 0; i < UET_TEST_ROUNDS; i++) {
		if (uet_txwin_outstanding(&w) < SLOTS / 2) {
			uet_txwin_send(&w, MTU, 0, 0, i);
			sent += MTU;
		}
		field += rnd_one_in(&rnd, 3) ? rnd32(&rnd) :
			 steps[rnd_below(&rnd, ARRAY_SIZE(steps))];
		field &= 0xffffff;
		released += uet_txwin_release_rcvd(&w, field);
		if (released > round_up(sent, 256))
			break;
		if (rnd_one_in(&rnd, 2))
			uet_txwin_cack(&w, w.next - 1,
				       &(struct uet_tx_acked){ 0 });
	}
	KUNIT_EXPECT_EQ(test, i, UET_TEST_ROUNDS);
	KUNIT_EXPECT_GT(test, released, 0ULL);
}

/* SACK bits and CACKs around the PSNs that were sent */
static void hostile_sack(struct kunit *test)
{
	struct test_rnd rnd = { .state = 2 };
	struct uet_txwin w;
	u32 i, n, psn;

	tx_open(test, &w);
	for (i = 0; i < UET_TEST_ROUNDS; i++) {
		struct uet_tx_acked sum = { 0 };
		struct uet_tx_scan scan;

		if (uet_txwin_room(&w) && rnd_one_in(&rnd, 2))
			uet_txwin_send(&w, MTU, 0, 0, i);
		n = w.next - w.una;
		uet_txwin_sack(&w, w.una + rnd_below(&rnd, 400) - 200,
			       rnd64(&rnd) & rnd64(&rnd), &sum);
		if (rnd_one_in(&rnd, 8))
			uet_txwin_cack(&w, w.una + rnd_below(&rnd, 400) - 200,
				       &sum);
		uet_txwin_scan_sacked(&w, &scan, i - rnd_below(&rnd, 64));
		while (uet_txwin_scan_next(&w, &scan, &psn))
			if (!uet_txwin_mark(&w, psn))
				break;
		if (sum.pkts + sum.unmarked_pkts > n ||
		    w.ring->flight_pkts + w.ring->nr_marked > w.next - w.una ||
		    psn_after(w.una, w.next))
			break;
		while (w.ring->nr_marked && uet_txwin_next_marked(&w, &psn))
			uet_txwin_resend(&w, psn, 0, i);
	}
	KUNIT_EXPECT_EQ(test, i, UET_TEST_ROUNDS);
}

/* Credit that wraps and jumps never exceeds the largest window. */
static void hostile_credit(struct kunit *test)
{
	static const char * const algos[] = { "rccc", "nscc+rccc" };
	struct sim *s;
	u32 a, i;

	for (a = 0; a < ARRAY_SIZE(algos); a++) {
		s = sim_plain(test, algos[a]);
		for (i = 0; i < UET_TEST_ROUNDS; i++) {
			sim_pass(s, s->now + rnd_below(&s->rnd, 20000));
			if (!s->c.backlog)
				sim_data(s);
			sim_send(s);
			sim_arrive(s);
			s->granted += rnd_one_in(&s->rnd, 2) ? HALF_FIELD - 1 :
				      rnd32(&s->rnd);
			s->granted &= UET_CREDIT_MASK;
			uet_ccc_on_credit(&s->c, s->now, s->granted);
			sim_note(s);
			if (sim_wrong(s) || uet_rccc(&s->c)->credit >
					 (s64)s->p.max_wnd)
				break;
		}
		KUNIT_EXPECT_EQ(test, i, UET_TEST_ROUNDS);
	}
}

/* A service time longer than the round trip, and a saturated one */
static void hostile_service_time(struct kunit *test)
{
	u64 ns = 0, rtt = 0;

	KUNIT_EXPECT_TRUE(test, uet_service_time_ns(100, &ns));
	KUNIT_EXPECT_FALSE(test, uet_rtt_sample(1000, ns, 1000 + ns - 1, &rtt));
	KUNIT_EXPECT_FALSE(test, uet_rtt_sample(1000, 0, 999, &rtt));
	KUNIT_EXPECT_FALSE(test, uet_rtt_sample(U64_MAX, ns, 5, &rtt));
	KUNIT_EXPECT_EQ(test, rtt, 0ULL);
	KUNIT_EXPECT_TRUE(test, uet_rtt_sample(1000, ns, 1000 + ns, &rtt));
	KUNIT_EXPECT_EQ(test, rtt, 0ULL);
	KUNIT_EXPECT_FALSE(test, uet_service_time_ns(0xffff, &ns));
}

static void one_ack(struct sim *s, u64 now, u8 pend, bool restore)
{
	struct uet_ccc_ack ack = {
		.now = now,
		.rtt = s->p.base_rtt + rnd_below(&s->rnd, 2 * s->p.target),
		.rtt_valid = true,
		.newly_rcvd_bytes = MTU,
		.newly_acked_pkts = s->c.inflight_pkts ? 1 : 0,
		.m = rnd_one_in(&s->rnd, 2),
		.pend = pend,
		.restore = restore,
	};

	uet_ccc_on_ack(&s->c, &ack);
}

/* A penalty that comes and goes with each ACK, restored or not */
static void hostile_pend(struct kunit *test)
{
	struct sim *s = sim_plain(test, "nscc");
	u32 i;

	for (i = 0; i < UET_TEST_ROUNDS; i++) {
		s->now += rnd_below(&s->rnd, 3000);
		fill(s);
		one_ack(s, s->now, i & 1 ? (u8)rnd32(&s->rnd) : 0,
			rnd_one_in(&s->rnd, 3));
		if (sim_ccc_wrong(s) ||
		    uet_nscc(&s->c)->saved_cwnd > s->p.max_wnd)
			break;
	}
	KUNIT_EXPECT_EQ(test, i, UET_TEST_ROUNDS);
	/* The effect ends one round trip after the last penalty. */
	while (s->c.inflight_pkts)
		one_ack(s, s->now, 0, false);
	one_ack(s, s->now + 2 * s->p.base_rtt, 0, false);
	KUNIT_EXPECT_EQ(test, uet_nscc(&s->c)->saved_cwnd, 0ULL);
	KUNIT_EXPECT_EQ(test, s->c.inflight_pkts, 0U);
}

/* A clock that runs backwards counts as no time: timed actions do not repeat. */
static void hostile_clock(struct kunit *test)
{
	struct sim *s = sim_plain(test, "nscc");
	u64 now = s->now, mds;
	u32 i;

	for (i = 0; i < 1000; i++)
		one_ack(s, now += 1000, 0, false);
	mds = s->c.stats.mds;
	for (i = 0; i < UET_TEST_ROUNDS && now > 5000; i++) {
		now -= rnd_below(&s->rnd, 5000);
		s->now = now;
		fill(s);
		one_ack(s, now, 0, false);
		if (sim_ccc_wrong(s))
			break;
	}
	KUNIT_EXPECT_TRUE(test, i == UET_TEST_ROUNDS || now <= 5000);
	KUNIT_EXPECT_LE(test, s->c.stats.mds, mds + 1);
}

static void set_edge(struct uet_cc_config *cfg, u32 id, bool high)
{
	u64 min, max;

	uet_cc_param_range(id, &min, &max);
	uet_cc_config_set(cfg, id, high ? max : min);
}

/* What goes wrong with a configuration, or NULL */
static const char *runs(struct sim *s, const char *algo,
			struct uet_cc_config *cfg)
{
	const char *wrong;
	u32 i;

	if (sim_start(s, algo, cfg, 7))
		return "parameters do not fit";
	for (i = 0; i < 500; i++) {
		sim_step(s);
		wrong = sim_wrong(s);
		if (wrong)
			return wrong;
	}
	if (!sim_drain(s))
		return "a message does not end";
	return s->c.inflight ? "bytes stay in flight" : sim_wrong(s);
}

/* Each parameter at both ends of its range, link speeds 0 and largest among them */
static void hostile_parameters(struct kunit *test)
{
	static const char * const algos[] = { "nscc", "nscc+rccc", "fixed" };
	struct sim *s = sim_new(test);
	const char *wrong;
	u32 i, a;

	for (i = 0; i < 2 * UET_CCP_COUNT; i++) {
		for (a = 0; a < ARRAY_SIZE(algos); a++) {
			struct uet_cc_config cfg = {};

			uet_cc_config_set(&cfg, UET_CCP_MTU, MTU);
			set_edge(&cfg, i / 2, i % 2);
			wrong = runs(s, algos[a], &cfg);
			if (wrong)
				KUNIT_FAIL(test, "%s, %s of parameter %u: %s",
					   algos[a], i % 2 ? "most" : "least",
					   i / 2, wrong);
		}
	}
}

/* All parameters at random ends of their ranges */
static void hostile_mixtures(struct kunit *test)
{
	static const char * const algos[] = { "nscc", "nscc+rccc" };
	struct test_rnd rnd = { .state = 9 };
	struct sim *s = sim_new(test);
	const char *wrong;
	u32 i, id;

	for (i = 0; i < 200; i++) {
		struct uet_cc_config cfg = {};

		uet_cc_config_set(&cfg, UET_CCP_MTU, MTU);
		for (id = 0; id < UET_CCP_COUNT; id++)
			if (rnd_one_in(&rnd, 2))
				set_edge(&cfg, id, rnd_one_in(&rnd, 2));
		wrong = runs(s, algos[i % 2], &cfg);
		if (wrong)
			KUNIT_FAIL(test, "mixture %u: %s", i, wrong);
	}
}

static struct kunit_case cases[] = {
	KUNIT_CASE(hostile_rcvd_bytes),
	KUNIT_CASE(hostile_sack),
	KUNIT_CASE(hostile_credit),
	KUNIT_CASE(hostile_service_time),
	KUNIT_CASE(hostile_pend),
	KUNIT_CASE(hostile_clock),
	KUNIT_CASE(hostile_parameters),
	KUNIT_CASE(hostile_mixtures),
	{}
};

static struct kunit_suite suite = {
	.name = "uet_hostile",
	.test_cases = cases,
};

kunit_test_suites(&suite);

MODULE_LICENSE("GPL");
