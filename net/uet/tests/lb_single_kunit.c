// SPDX-License-Identifier: GPL-2.0
/* Single-path policies: they move when they should, and else stay. */
#include <kunit/test.h>
#include <linux/module.h>

#include "../core/lb/lb_single.h"
#include "lb_notes.h"
#include "random.h"

#define BASE	50000
#define RTT	100000ULL

static struct uet_lb *make(struct kunit *test, const char *policy,
			   u32 peer_index, u64 idle_ns)
{
	const struct uet_lb_ops *ops = uet_lb_find(policy);
	struct uet_lb_config cfg = {
		.n = 64, .base = BASE, .peer_key = 5, .idle_ns = idle_ns,
		.peer_index = peer_index,
	};
	struct uet_lb *lb = kunit_kzalloc(test, uet_lb_mem_size(ops, 64),
					  GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, lb);
	KUNIT_ASSERT_EQ(test, uet_lb_init(lb, ops, &cfg), 0);
	KUNIT_EXPECT_TRUE(test, ops->ordered);
	return lb;
}

static u16 next_rtt(struct uet_lb *lb, u64 now, u32 sent, u32 inflight, u64 rtt)
{
	struct uet_lb_ask ask = {
		.now = now, .base_rtt = RTT, .rtt = rtt, .target = RTT,
		.sent_pkts = sent, .inflight_pkts = inflight,
	};
	u16 run;

	return uet_lb_next(lb, &ask, &run);
}

static u16 next_at(struct uet_lb *lb, u64 now, u32 sent, u32 inflight)
{
	return next_rtt(lb, now, sent, inflight, 0);
}

static void tell(struct uet_lb *lb, u16 ev, u8 reason, u8 siblings,
		 bool last_hop)
{
	struct uet_lb_signal sig = {
		.ev = ev, .reason = reason, .base_rtt = RTT, .target = RTT,
		.siblings = siblings, .last_hop = last_hop,
	};

	uet_lb_feedback(lb, &sig, false);
}

static void single_stays_without_evidence(struct kunit *test)
{
	struct uet_lb *lb = make(test, "single", 0, 0);
	u16 ev = next_at(lb, 1, 0, 0);
	u32 i;

	for (i = 1; i < 100; i++) {
		tell(lb, ev, UET_LB_NO_ECN, UET_LB_SIB_UNKNOWN, false);
		KUNIT_EXPECT_EQ(test, next_at(lb, i * 50 * RTT, i, 0), ev);
	}
}

static void single_moves_when_idle(struct kunit *test)
{
	struct uet_lb *lb = make(test, "single", 0, 0);
	u16 ev = next_at(lb, RTT, 0, 0);
	struct lb_notes notes;

	lb_notes_listen(lb, &notes);
	tell(lb, ev, UET_LB_ECN, UET_LB_SIB_UNKNOWN, false);
	KUNIT_EXPECT_EQ(test, next_at(lb, RTT + 10, 1, 1), ev);
	/* idle, but something is in flight */
	KUNIT_EXPECT_EQ(test, next_at(lb, 2 * RTT, 2, 1), ev);
	/* nothing in flight, but not for half a round trip */
	KUNIT_EXPECT_EQ(test, next_at(lb, 2 * RTT + RTT / 2 - 1, 3, 0), ev);
	KUNIT_EXPECT_NE(test, next_at(lb, 3 * RTT, 4, 0), ev);
	KUNIT_EXPECT_EQ(test, lb_notes_take(&notes),
			UET_LB_NOTE_MOVED | UET_LB_NOTE_NEED_INDEX);
}

static void single_idle_time_is_configurable(struct kunit *test)
{
	struct uet_lb *lb = make(test, "single", 0, 3 * RTT);
	u16 ev = next_at(lb, RTT, 0, 0);

	tell(lb, ev, UET_LB_NACK, UET_LB_SIB_UNKNOWN, false);
	KUNIT_EXPECT_EQ(test, next_at(lb, 3 * RTT, 1, 0), ev);
	KUNIT_EXPECT_NE(test, next_at(lb, 6 * RTT, 2, 0), ev);
}

/* Moves within 100 base RTTs of trims inside the network, never idle */
static u32 single_moves_at(struct kunit *test, u64 rtt)
{
	struct uet_lb *lb = make(test, "single", 0, 0);
	u16 ev = next_at(lb, RTT, 0, 0);
	u32 i, moves = 0;
	u64 now = RTT;
	u16 was;

	for (i = 0; i < 1000; i++) {
		was = ev;
		now += RTT / 10;
		tell(lb, ev, UET_LB_NACK, UET_LB_SIB_UNKNOWN, false);
		ev = next_rtt(lb, now, i, 5, rtt);
		moves += ev != was;
	}
	return moves;
}

static void single_reroutes_once_per_t_reroute(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, single_moves_at(test, 0), 10U);
	/* in a queue, round trips are as long as they are, not as the base RTT */
	KUNIT_EXPECT_EQ(test, single_moves_at(test, RTT), 10U);
	KUNIT_EXPECT_EQ(test, single_moves_at(test, 5 * RTT), 2U);
	KUNIT_EXPECT_EQ(test, single_moves_at(test, 5 * RTT / 2), 4U);
}

static void single_clear_answers_clear_evidence(struct kunit *test)
{
	struct uet_lb *lb = make(test, "single", 0, 0);
	u16 ev = next_at(lb, RTT, 0, 0);

	tell(lb, ev, UET_LB_ECN, UET_LB_SIB_UNKNOWN, false);
	tell(lb, ev, UET_LB_NO_ECN, UET_LB_SIB_UNKNOWN, false);
	KUNIT_EXPECT_EQ(test, next_at(lb, 90 * RTT, 1, 0), ev);
}

/*
 * On a slow path every answer is late, and one in ten has an ECN mark: that is
 * enough to leave. An answer within the target in between clears the path.
 */
static void single_leaves_a_slow_path(struct kunit *test)
{
	struct uet_lb *lb = make(test, "single", 0, 0);
	struct uet_lb_signal sig = {
		.base_rtt = RTT, .target = RTT, .rtt_valid = true,
		.ev = next_at(lb, RTT, 0, 0),
	};
	u32 i, round;
	u16 ev;

	for (round = 0; round < 2; round++) {
		for (i = 1; i <= (round ? 31 : 40); i++) {
			sig.reason = i % 10 == 1 ? UET_LB_ECN : UET_LB_NO_ECN;
			sig.rtt = !round && i % 10 == 5 ? 2 * RTT - 1 : 2 * RTT;
			uet_lb_feedback(lb, &sig, false);
			ev = next_at(lb, (round * 40 + i) * RTT, i, 5);
			if (round && i == 31)
				KUNIT_EXPECT_NE(test, ev, sig.ev);
			else
				KUNIT_EXPECT_EQ(test, ev, sig.ev);
		}
	}
}

static void single_heeds_no_last_hop(struct kunit *test)
{
	struct uet_lb *lb = make(test, "single", 0, 0);
	u16 ev = next_at(lb, RTT, 0, 0);
	u32 i;

	for (i = 0; i < 50; i++) {
		tell(lb, ev, UET_LB_ECN, UET_LB_SIB_UNKNOWN, true);
		tell(lb, ev, UET_LB_ECN, UET_LB_SIB_MARKED, false);
		tell(lb, ev + 1, UET_LB_NACK, UET_LB_SIB_UNKNOWN, false);
		KUNIT_EXPECT_EQ(test, next_at(lb, (90 + i) * RTT, i, 0), ev);
	}
}

static void single_leaves_a_lossy_path_at_once(struct kunit *test)
{
	struct uet_lb *lb = make(test, "single", 0, 0);
	u16 ev = next_at(lb, RTT, 0, 0);
	struct lb_notes notes;

	lb_notes_listen(lb, &notes);
	tell(lb, ev, UET_LB_TIMEOUT, UET_LB_SIB_UNKNOWN, false);
	tell(lb, ev, UET_LB_TIMEOUT, UET_LB_SIB_UNKNOWN, false);
	KUNIT_EXPECT_EQ(test, notes.bad, 1U);
	KUNIT_EXPECT_EQ(test, uet_lb_bad_paths(lb), 1U);
	/* something else is in flight */
	KUNIT_EXPECT_EQ(test, next_at(lb, RTT + 1, 1, 1), ev);
	KUNIT_EXPECT_NE(test, next_at(lb, RTT + 2, 2, 0), ev);
	KUNIT_EXPECT_EQ(test, uet_lb_bad_paths(lb), 0U);
}

static void single_contexts_of_a_peer_differ(struct kunit *test)
{
	u16 ev[64];
	struct uet_lb *lb = NULL;
	u32 i, k;

	for (i = 0; i < 64; i++) {
		lb = make(test, "single", i, 0);
		ev[i] = next_at(lb, 0, 0, 0);
		for (k = 0; k < i; k++)
			KUNIT_EXPECT_NE(test, ev[i], ev[k]);
	}
	/* a move takes the reserved element */
	uet_lb_give_index(lb, 17);
	uet_lb_path_down(lb, ev[63]);
	KUNIT_EXPECT_EQ(test, next_at(lb, 1, 1, 0), ev[17]);
}

static void flowlet_moves_after_a_gap(struct kunit *test)
{
	struct uet_lb *lb = make(test, "flowlet", 0, 0);
	u16 ev = next_at(lb, RTT, 0, 0);
	u16 second;
	u32 i;

	for (i = 1; i < 100; i++) {
		tell(lb, ev, UET_LB_TIMEOUT, UET_LB_SIB_UNKNOWN, false);
		KUNIT_EXPECT_EQ(test, next_at(lb, RTT + i * RTT / 2 - i, i, 9),
				ev);
	}
	second = next_at(lb, 100 * RTT, 100, 9);
	KUNIT_EXPECT_NE(test, second, ev);
	/* a clock that steps back does not count as a pause */
	KUNIT_EXPECT_EQ(test, next_at(lb, 5, 101, 9), second);
}

static u16 flowlet_next(struct uet_lb *lb, u64 now, u64 port_free)
{
	struct uet_lb_ask ask = {
		.now = now, .port_free = port_free, .base_rtt = RTT,
		.target = RTT,
	};
	u16 run;

	return uet_lb_next(lb, &ask, &run);
}

/* No pause if the packet leaves this host right behind the last one. */
static void flowlet_counts_from_departure(struct kunit *test)
{
	struct uet_lb *lb = make(test, "flowlet", 0, 0);
	u16 ev = flowlet_next(lb, RTT, RTT);

	KUNIT_EXPECT_EQ(test, flowlet_next(lb, 3 * RTT, 5 * RTT), ev);
	KUNIT_EXPECT_EQ(test, flowlet_next(lb, 5 * RTT, 5 * RTT), ev);
	KUNIT_EXPECT_EQ(test, flowlet_next(lb, 5 * RTT + RTT / 2 - 1, 5 * RTT),
			ev);
	KUNIT_EXPECT_NE(test, flowlet_next(lb, 6 * RTT, 5 * RTT), ev);
}

/* After a loss pauses change the value only until a value works. */
static void flowlet_stays_on_what_works(struct kunit *test)
{
	struct uet_lb *lb = make(test, "flowlet", 0, 0);
	u16 dead = next_at(lb, RTT, 0, 0), ev, last = dead;
	u64 now;

	tell(lb, dead, UET_LB_TIMEOUT, UET_LB_SIB_UNKNOWN, false);
	for (now = 2 * RTT; now < 6 * RTT; now += RTT) {
		ev = next_at(lb, now, 0, 0);
		KUNIT_EXPECT_NE(test, ev, last);
		KUNIT_EXPECT_NE(test, ev, dead);
		last = ev;
	}
	tell(lb, last, UET_LB_ECN, UET_LB_SIB_UNKNOWN, false);
	for (; now < 50 * RTT; now += RTT)
		KUNIT_EXPECT_EQ(test, next_at(lb, now, 0, 0), last);
	/* further losses on the dead path do not count against the new value */
	tell(lb, dead, UET_LB_TIMEOUT, UET_LB_SIB_UNKNOWN, false);
	KUNIT_EXPECT_EQ(test, next_at(lb, now, 0, 0), last);
	/* the path may be back: pauses count again */
	KUNIT_EXPECT_NE(test, next_at(lb, 300 * RTT, 0, 0), last);
}

#define CW_PKTS		64
#define CW_WINDOW	20

/* Packets in flight on paths with different delays, each of which keeps order */
struct cw_net {
	struct test_rnd rnd;
	u64 now;
	u32 delay[64];
	u16 ev[CW_PKTS];
	u64 at[CW_PKTS];
	bool out[CW_PKTS];
	bool asks[CW_PKTS];
	u32 sent, inflight;
};

static u32 cw_values(const struct cw_net *n)
{
	u16 seen[CW_PKTS];
	u32 i, k, nr = 0;

	for (i = 0; i < CW_PKTS; i++) {
		if (!n->out[i])
			continue;
		for (k = 0; k < nr && seen[k] != n->ev[i]; k++)
			;
		if (k == nr)
			seen[nr++] = n->ev[i];
	}
	return nr;
}

static void cw_answers(struct cw_net *n, struct uet_lb *lb)
{
	struct uet_lb_signal sig = {
		.now = n->now, .base_rtt = RTT, .target = RTT,
		.rtt_valid = true,
	};
	u32 i;

	for (i = 0; i < CW_PKTS; i++) {
		sig.ev = n->ev[i];
		sig.rtt = n->delay[sig.ev % 64];
		if (!n->out[i] || n->now < n->at[i] + sig.rtt)
			continue;
		n->out[i] = false;
		n->inflight--;
		/* Acknowledged; most coalesced ACKs report only their last packet. */
		if (!n->asks[i] && !rnd_one_in(&n->rnd, 8))
			continue;
		sig.rtt = n->now - n->at[i];
		uet_lb_feedback(lb, &sig, false);
	}
}

/*
 * With any delay and reordering, at most two values have packets in flight.
 */
static void conweave_keeps_two_values_in_flight(struct kunit *test)
{
	struct uet_lb *lb = make(test, "conweave", 0, 0);
	struct cw_net *n = kunit_kzalloc(test, sizeof(*n), GFP_KERNEL);
	u32 i, slot, moves = 0;
	u16 ev, last = 0;

	n->rnd.state = 5;
	n->now = RTT;
	for (i = 0; i < 64; i++)
		n->delay[i] = RTT / 2 + rnd_below(&n->rnd, 8 * (u32)RTT);
	for (i = 0; i < 100000; i++) {
		n->now += RTT / 8;
		cw_answers(n, lb);
		slot = n->sent % CW_PKTS;
		if (n->inflight >= CW_WINDOW || n->out[slot])
			continue;
		ev = next_at(lb, n->now, n->sent++, n->inflight++);
		moves += last && ev != last;
		last = ev;
		n->ev[slot] = ev;
		n->at[slot] = n->now;
		n->out[slot] = true;
		n->asks[slot] = lb->answer;
		lb->answer = false;
		if (cw_values(n) > 2) {
			KUNIT_FAIL(test, "packet %u: %u values", n->sent,
				   cw_values(n));
			return;
		}
	}
	KUNIT_EXPECT_GE(test, moves, 100U);
}

static void conweave_stays_while_answers_come(struct kunit *test)
{
	struct uet_lb *lb = make(test, "conweave", 0, 0);
	struct uet_lb_signal sig = {
		.rtt = RTT, .rtt_valid = true, .base_rtt = RTT, .target = RTT,
	};
	u16 ev = next_at(lb, RTT, 0, 0);
	u32 i;

	for (i = 1; i < 1000; i++) {
		sig.ev = ev;
		sig.now = RTT + i * RTT / 4;
		uet_lb_feedback(lb, &sig, false);
		KUNIT_EXPECT_EQ(test, next_at(lb, sig.now, i, 4), ev);
	}
}

static struct kunit_case cases[] = {
	KUNIT_CASE(single_stays_without_evidence),
	KUNIT_CASE(single_moves_when_idle),
	KUNIT_CASE(single_idle_time_is_configurable),
	KUNIT_CASE(single_reroutes_once_per_t_reroute),
	KUNIT_CASE(single_clear_answers_clear_evidence),
	KUNIT_CASE(single_leaves_a_slow_path),
	KUNIT_CASE(single_heeds_no_last_hop),
	KUNIT_CASE(single_leaves_a_lossy_path_at_once),
	KUNIT_CASE(single_contexts_of_a_peer_differ),
	KUNIT_CASE(flowlet_moves_after_a_gap),
	KUNIT_CASE(flowlet_counts_from_departure),
	KUNIT_CASE(flowlet_stays_on_what_works),
	KUNIT_CASE(conweave_keeps_two_values_in_flight),
	KUNIT_CASE(conweave_stays_while_answers_come),
	{}
};

static struct kunit_suite suite = {
	.name = "uet_lb_single",
	.test_cases = cases,
};

kunit_test_suites(&suite);

MODULE_LICENSE("GPL");
