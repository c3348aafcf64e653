// SPDX-License-Identifier: GPL-2.0
/* Several interfaces ("ports"): shares, ports that go down and up, losses. */
#include <kunit/test.h>
#include <linux/module.h>

#include "../core/lb/lb_live.h"
#include "../core/lb/lb_ports.h"
#include "lb_notes.h"
#include "random.h"

#define RTT	100000ULL
#define MTU	4160
#define ROUNDS	40000

/**
 * struct net - simulated ports of a sender
 * @lb: path selection
 * @now: time, ns
 * @next: when each link will be idle, ns
 * @mbps: real speed of each link
 * @sent: packets given to each
 * @mark_ns: a packet that waits longer gets an ECN mark
 */
struct net {
	struct uet_lb *lb;
	u64 now;
	u64 next[UET_LB_PORTS_MAX];
	u32 mbps[UET_LB_PORTS_MAX];
	u32 sent[UET_LB_PORTS_MAX];
	u64 mark_ns;
};

static struct uet_lb *make(struct kunit *test, const char *policy, u32 n,
			   u32 nr, const u32 *mbps)
{
	const struct uet_lb_ops *ops = uet_lb_find(policy);
	struct uet_lb_config cfg = {
		.seed = 11, .n = n, .cwnd = 64 * MTU, .mtu = MTU,
		.trimming = true,
	};
	struct uet_lb *lb;

	lb = kunit_kzalloc(test, uet_lb_ports_mem_size(ops, n, nr),
			   GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, lb);
	KUNIT_ASSERT_EQ(test, uet_lb_ports_init(lb, ops, &cfg, nr, mbps), 0);
	KUNIT_EXPECT_EQ(test, uet_lb_ports_nr(lb), nr);
	KUNIT_EXPECT_TRUE(test, uet_lb_policy(lb) == ops);
	return lb;
}

static u16 choose(struct uet_lb *lb, u64 now, bool rtx, u16 prev)
{
	struct uet_lb_ask ask = {
		.now = now, .base_rtt = RTT, .target = RTT, .size = MTU,
		.rtx = rtx, .prev_ev = prev,
	};
	u16 run;

	return uet_lb_next(lb, &ask, &run);
}

static void tell(struct uet_lb *lb, u64 now, u16 ev, u8 reason)
{
	struct uet_lb_signal sig = {
		.now = now, .ev = ev, .reason = reason, .base_rtt = RTT,
		.target = RTT,
	};

	uet_lb_feedback(lb, &sig, true);
}

/* Send one packet and receive its answer, with an ECN mark if it waited. */
static u32 packet(struct net *n)
{
	u16 ev = choose(n->lb, n->now, false, 0);
	u32 p = uet_lb_zone(ev);
	u64 wait;

	n->next[p] = max(n->next[p], n->now);
	wait = n->next[p] - n->now;
	n->next[p] += MTU * 8000 / n->mbps[p];
	n->sent[p]++;
	tell(n->lb, n->now, ev, wait > n->mark_ns ? UET_LB_ECN : UET_LB_NO_ECN);
	return p;
}

static void ports_share_by_speed(struct kunit *test)
{
	static const u32 mbps[] = { 10000, 25000, 40000 };
	struct net n = {
		.lb = make(test, "hybrid", 64, 3, mbps), .now = RTT,
		.mbps = { 10000, 25000, 40000 }, .mark_ns = RTT,
	};
	u32 i;

	/* 75 Gb/s of packets of 4160 bytes */
	for (i = 0; i < ROUNDS; i++, n.now += 444)
		packet(&n);
	for (i = 0; i < 3; i++) {
		KUNIT_EXPECT_GE(test, n.sent[i], ROUNDS / 75 * mbps[i] / 1000 *
				98 / 100);
		KUNIT_EXPECT_LE(test, n.sent[i], ROUNDS / 75 * mbps[i] / 1000 *
				102 / 100);
	}
}

/* Light load is spread over all ports, too. */
static void ports_share_when_idle(struct kunit *test)
{
	static const u32 mbps[] = { 10000, 10000 };
	struct net n = {
		.lb = make(test, "oblivious", 256, 2, mbps), .now = RTT,
		.mbps = { 10000, 10000 }, .mark_ns = RTT,
	};
	u32 i;

	for (i = 0; i < 1000; i++, n.now += RTT / 10)
		packet(&n);
	KUNIT_EXPECT_GE(test, n.sent[0], 480U);
	KUNIT_EXPECT_LE(test, n.sent[0], 520U);
}

/* The choice considers packets that others have queued at a port. */
static void ports_look_at_queues(struct kunit *test)
{
	static const u32 mbps[] = { 10000, 10000 };
	struct uet_lb *lb = make(test, "oblivious", 256, 2, mbps);
	u32 i, sent[2] = {};

	/* 125 kB are 100 us; 50 us of packets go by the other port */
	KUNIT_EXPECT_FALSE(test, uet_lb_ports_tell(lb, 0, true, 125000));
	for (i = 0; i < 15; i++)
		sent[uet_lb_zone(choose(lb, 10 * RTT, false, 0))]++;
	KUNIT_EXPECT_EQ(test, sent[0], 0U);
	/* then both */
	for (i = 0; i < 115; i++)
		sent[uet_lb_zone(choose(lb, 10 * RTT, false, 0))]++;
	KUNIT_EXPECT_GE(test, sent[0], 49U);
	KUNIT_EXPECT_LE(test, sent[0], 51U);
}

static void ports_follow_the_carrier(struct kunit *test)
{
	static const u32 mbps[] = { 10000, 10000 };
	struct net n = {
		.lb = make(test, "hybrid", 64, 2, mbps), .now = RTT,
		.mbps = { 10000, 10000 }, .mark_ns = RTT,
	};
	u32 i, bad = 0;

	for (i = 0; i < 1000; i++, n.now += 1700)
		packet(&n);
	KUNIT_EXPECT_TRUE(test, uet_lb_ports_tell(n.lb, 1, false, 0));
	KUNIT_EXPECT_GE(test, uet_lb_bad_paths(n.lb), 16U);
	for (i = 0; i < 1000; i++, n.now += 3400)
		bad += packet(&n) == 1;
	KUNIT_EXPECT_EQ(test, bad, 0U);
	KUNIT_EXPECT_TRUE(test, uet_lb_ports_tell(n.lb, 1, true, 0));
	KUNIT_EXPECT_EQ(test, uet_lb_bad_paths(n.lb), 0U);
	memset(n.sent, 0, sizeof(n.sent));
	for (i = 0; i < 1000; i++, n.now += 1700)
		packet(&n);
	KUNIT_EXPECT_GE(test, n.sent[1], 450U);
	KUNIT_EXPECT_LE(test, n.sent[1], 600U);
	/* without any carrier next() still returns a value */
	uet_lb_ports_tell(n.lb, 0, false, 0);
	uet_lb_ports_tell(n.lb, 1, false, 0);
	KUNIT_EXPECT_LT(test, uet_lb_zone(choose(n.lb, n.now, false, 0)), 2U);
}

/* A port gets a quarter of its link's rate if its network carries no more. */
static void ports_find_the_slow_network(struct kunit *test)
{
	static const u32 mbps[] = { 10000, 10000 };
	struct net n = {
		.lb = make(test, "hybrid", 64, 2, mbps), .now = RTT,
		.mbps = { 10000, 2500 }, .mark_ns = RTT / 4,
	};
	u32 i;

	/* 12.5 Gb/s; the queues forget what is beyond half a round trip */
	for (i = 0; i < 2 * ROUNDS; i++, n.now += 2662) {
		packet(&n);
		n.next[0] = min(n.next[0], n.now + RTT / 2);
		n.next[1] = min(n.next[1], n.now + RTT / 2);
		if (i == ROUNDS)
			memset(n.sent, 0, sizeof(n.sent));
	}
	KUNIT_EXPECT_GE(test, n.sent[1], ROUNDS / 5 * 85 / 100);
	KUNIT_EXPECT_LE(test, n.sent[1], ROUNDS / 5 * 125 / 100);
	/* the network becomes as fast as the link: the share comes back */
	n.mbps[1] = 10000;
	memset(n.sent, 0, sizeof(n.sent));
	for (i = 0; i < ROUNDS; i++, n.now += 1700)
		packet(&n);
	KUNIT_EXPECT_GE(test, n.sent[1], ROUNDS / 2 * 90 / 100);
}

/* If every packet behind a port is lost, it gets little more than SHARE_MIN. */
static void ports_leave_a_dead_network(struct kunit *test)
{
	static const u32 mbps[] = { 10000, 10000 };
	struct uet_lb *lb = make(test, "hybrid", 64, 2, mbps);
	u32 i, lost = 0, again = 0;
	u64 now = RTT;
	u16 ev;

	for (i = 0; i < 20000; i++, now += 1700) {
		ev = choose(lb, now, false, 0);
		if (uet_lb_zone(ev) == 0) {
			tell(lb, now, ev, UET_LB_NO_ECN);
			continue;
		}
		lost++;
		tell(lb, now, ev, UET_LB_TIMEOUT);
		again += uet_lb_zone(choose(lb, now, true, ev)) == 1;
	}
	KUNIT_EXPECT_LE(test, lost, 20000U / 12);
	KUNIT_EXPECT_LE(test, again, lost / 4);
}

/* Values of different ports never mix, whatever is echoed. */
static void ports_keep_their_values(struct kunit *test)
{
	static const u32 mbps[] = { 1000, 400000, 25000, 1 };
	struct test_rnd rnd = { .state = 3 };
	static const char * const names[] = {
		"oblivious", "bitmap", "reps", "hybrid", "rtt",
	};
	struct uet_lb_path path;
	struct uet_lb *lb;
	u32 i, k, index;
	u64 now = 0;
	u16 ev;

	for (k = 0; k < ARRAY_SIZE(names); k++) {
		lb = make(test, names[k], 128, 4, mbps);
		uet_lb_live_attach(lb, kunit_kzalloc(test, uet_lb_live_size(lb),
						     GFP_KERNEL));
		for (i = 0; i < 5000; i++) {
			now += rnd_below(&rnd, 20000);
			ev = choose(lb, now, rnd_one_in(&rnd, 9), (u16)rnd32(&rnd));
			index = uet_lb_locate(lb, ev);
			KUNIT_ASSERT_LT(test, index, lb->n_max);
			KUNIT_ASSERT_EQ(test, uet_lb_path_get(lb, index, &path), 0);
			KUNIT_ASSERT_EQ(test, path.ev, ev);
			uet_lb_live_sent(lb, ev, 1);
			if (rnd_one_in(&rnd, 4))
				ev = (u16)rnd32(&rnd);
			tell(lb, now, ev, (u8)rnd_below(&rnd, 6));
			if (rnd_one_in(&rnd, 50))
				uet_lb_ports_tell(lb, rnd_below(&rnd, 4),
						  rnd_one_in(&rnd, 2),
						  rnd64(&rnd) >> rnd_below(&rnd, 64));
			if (rnd_one_in(&rnd, 50))
				uet_lb_follow_window(lb, rnd32(&rnd) >> 8);
			if (rnd_one_in(&rnd, 50))
				uet_lb_path_down(lb, ev);
			if (rnd_one_in(&rnd, 50))
				uet_lb_path_up(lb, ev);
			KUNIT_ASSERT_LE(test, uet_lb_bad_paths(lb), uet_lb_paths(lb));
		}
		KUNIT_EXPECT_EQ(test, uet_lb_path_get(lb, lb->n_max, &path),
				-ENOENT);
	}
}

static void ports_pass_notes_on(struct kunit *test)
{
	static const u32 mbps[] = { 10000, 10000 };
	struct uet_lb *lb = make(test, "hybrid", 64, 2, mbps);
	u16 ev = uet_lb_ports_get(lb, 1)->lb->base;
	struct lb_notes n;

	lb_notes_listen(lb, &n);
	tell(lb, RTT, ev, UET_LB_TIMEOUT);
	KUNIT_EXPECT_EQ(test, n.bad, 1U);
	KUNIT_EXPECT_EQ(test, n.ev, ev);
	KUNIT_EXPECT_EQ(test, uet_lb_path_down(lb, (u16)(ev + 1)), 0);
	KUNIT_EXPECT_EQ(test, n.bad, 2U);
	KUNIT_EXPECT_EQ(test, uet_lb_path_down(lb, 20000), -EINVAL);
}

static void ports_refuse_bad_settings(struct kunit *test)
{
	static const u32 mbps[] = { 10000, 0, 1 }, huge[] = { U32_MAX, 1 };
	const struct uet_lb_ops *ops = uet_lb_find("hybrid");
	struct uet_lb_config cfg = { .n = 16 };
	struct uet_lb *lb;

	lb = kunit_kzalloc(test, uet_lb_ports_mem_size(ops, 16, 8), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, lb);
	KUNIT_EXPECT_EQ(test, uet_lb_ports_init(lb, ops, &cfg, 1, mbps),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, uet_lb_ports_init(lb, ops, &cfg, 9, mbps),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, uet_lb_ports_init(lb, ops, &cfg, 2, mbps),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, uet_lb_ports_init(lb, ops, &cfg, 2, huge),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, uet_lb_ports_init(lb, uet_lb_find("single"), &cfg,
						2, mbps + 2), -EINVAL);
	cfg.n = UET_LB_ZONE * 2;
	KUNIT_EXPECT_EQ(test, uet_lb_ports_init(lb, ops, &cfg, 2, huge),
			-EINVAL);
}

/* Answers to every fourth packet report on both ports alike. */
static void ports_are_all_heard_of(struct kunit *test)
{
	static const u32 equal[] = { 1000, 1000 };
	struct uet_lb *lb = make(test, "hybrid", 64, 2, equal);
	u32 i, heard[2] = {};

	for (i = 0; i < ROUNDS; i++) {
		u16 ev = choose(lb, i * 16ULL * MTU, false, 0);

		if (i % 4 == 3)
			heard[uet_lb_zone(ev)]++;
	}
	KUNIT_EXPECT_GT(test, heard[0], ROUNDS / 4 * 2 / 5);
	KUNIT_EXPECT_GT(test, heard[1], ROUNDS / 4 * 2 / 5);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(ports_share_by_speed),
	KUNIT_CASE(ports_share_when_idle),
	KUNIT_CASE(ports_look_at_queues),
	KUNIT_CASE(ports_follow_the_carrier),
	KUNIT_CASE(ports_find_the_slow_network),
	KUNIT_CASE(ports_leave_a_dead_network),
	KUNIT_CASE(ports_keep_their_values),
	KUNIT_CASE(ports_pass_notes_on),
	KUNIT_CASE(ports_refuse_bad_settings),
	KUNIT_CASE(ports_are_all_heard_of),
	{}
};

static struct kunit_suite suite = {
	.name = "uet_lb_ports",
	.test_cases = cases,
};

kunit_test_suites(&suite);

MODULE_LICENSE("GPL");
