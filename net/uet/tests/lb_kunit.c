// SPDX-License-Identifier: GPL-2.0
/* Path policies: common invariants, statistics, and the rules of each. */
#include <kunit/test.h>
#include <linux/module.h>

#include "../core/lb/lb_bitmap.h"
#include "../core/lb/lb_live.h"
#include "../core/lb/lb_reps.h"
#include "lb_notes.h"
#include "random.h"

#define BASE	50000
#define RTT	100000ULL

static struct uet_lb *make(struct kunit *test, const char *policy,
			   struct uet_lb_config *cfg)
{
	const struct uet_lb_ops *ops = uet_lb_find(policy);
	struct uet_lb *lb;

	KUNIT_ASSERT_NOT_NULL(test, ops);
	lb = kunit_kzalloc(test, uet_lb_mem_size(ops, cfg->n),
			   GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, lb);
	cfg->base = cfg->base ?: BASE;
	KUNIT_ASSERT_EQ(test, uet_lb_init(lb, ops, cfg), 0);
	return lb;
}

static void keep_history(struct kunit *test, struct uet_lb *lb)
{
	void *mem = kunit_kzalloc(test, uet_lb_live_size(lb), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, mem);
	uet_lb_live_attach(lb, mem);
}

static u16 next_at(struct uet_lb *lb, u64 now, u32 inflight)
{
	struct uet_lb_ask ask = {
		.now = now, .base_rtt = RTT, .target = RTT,
		.inflight_pkts = inflight,
	};
	u16 run;

	return uet_lb_next(lb, &ask, &run);
}

static void tell(struct uet_lb *lb, u64 now, u16 ev, u8 reason, bool sprayed)
{
	struct uet_lb_signal sig = {
		.now = now, .ev = ev, .reason = reason, .base_rtt = RTT,
		.target = RTT,
	};

	uet_lb_feedback(lb, &sig, sprayed);
}

/* With any echoed value, values stay in the space and next() returns. */
static void lb_policies_stay_inside(struct kunit *test)
{
	static const u32 sizes[] = { 1, 2, 3, 16, 100, 256, 32768 };
	struct test_rnd rnd = { .state = 7 };
	const struct uet_lb_ops *ops;
	struct uet_lb_config cfg;
	struct uet_lb_ask ask = { .base_rtt = RTT, .target = RTT };
	struct uet_lb_signal sig = { .base_rtt = RTT, .target = RTT };
	struct uet_lb *lb;
	u32 i, k, n, r;
	u16 run, ev;

	for (i = 0; uet_lb_at(i); i++) {
		ops = uet_lb_at(i);
		for (k = 0; k < ARRAY_SIZE(sizes); k++) {
			n = uet_lb_space(ops, sizes[k]);
			cfg = (struct uet_lb_config) {
				.n = n, .base = 20000, .mtu = 4160,
				.cwnd = 1000000,
				.seed = rnd64(&rnd), .trimming = k & 1,
				.peer_index = rnd32(&rnd),
			};
			lb = make(test, ops->name, &cfg);
			keep_history(test, lb);
			for (r = 0; r < 3000; r++) {
				ask.now += rnd_below(&rnd, 50000);
				ask.rtx = rnd_one_in(&rnd, 9);
				ask.inflight_pkts = rnd_below(&rnd, 3);
				ask.sent_pkts++;
				ev = uet_lb_next(lb, &ask, &run);
				if ((u16)(ev - 20000) >= n || run != 1) {
					KUNIT_FAIL(test, "%s: %u of %u",
						   ops->name, ev, n);
					return;
				}
				ask.prev_ev = ev;
				sig.now = ask.now;
				sig.ev = rnd_one_in(&rnd, 3) ?
					 (u16)rnd32(&rnd) :
					 20000 + rnd_below(&rnd, n);
				sig.reason = (u8)rnd_below(&rnd, 6);
				sig.rtt = rnd64(&rnd) >> rnd_below(&rnd, 64);
				sig.rtt_valid = rnd_one_in(&rnd, 2);
				sig.siblings = (u8)rnd_below(&rnd, 3);
				sig.last_hop = rnd_one_in(&rnd, 5);
				uet_lb_feedback(lb, &sig, rnd_one_in(&rnd, 2));
				if (rnd_one_in(&rnd, 100))
					uet_lb_follow_window(lb,
							     rnd32(&rnd) >> 8);
				if (rnd_one_in(&rnd, 200))
					uet_lb_path_down(lb, sig.ev);
				if (rnd_one_in(&rnd, 100))
					uet_lb_path_up(lb, sig.ev);
				if (uet_lb_bad_paths(lb) > lb->n) {
					KUNIT_FAIL(test, "%s: bad > n",
						   ops->name);
					return;
				}
			}
		}
	}
	KUNIT_EXPECT_EQ(test, i, 9U);
}

/* Totals updated step by step must equal a full count. */
static void lb_bitmap_totals(struct kunit *test)
{
	struct uet_lb_config cfg = { .n = 256, .mtu = 4160, .cwnd = 600000 };
	struct uet_lb *lb = make(test, "bitmap", &cfg);
	const struct uet_bitmap *b = uet_lb_priv(lb);
	struct test_rnd rnd = { .state = 3 };
	u32 r, i, marked, down;

	for (r = 0; r < 4000; r++) {
		next_at(lb, r, 1);
		tell(lb, r, (u16)(BASE + rnd_below(&rnd, 256)),
		     (u8)rnd_below(&rnd, 4), true);
		if (rnd_one_in(&rnd, 50))
			uet_lb_path_down(lb, BASE + rnd_below(&rnd, 256));
		if (rnd_one_in(&rnd, 20))
			uet_lb_path_up(lb, BASE + rnd_below(&rnd, 256));
		if (rnd_one_in(&rnd, 30))
			uet_lb_follow_window(lb, rnd_below(&rnd, 1200000));
		for (i = 0, marked = 0, down = 0; i < lb->n; i++) {
			marked += !!(lb->table[i] & UET_SKIP_MASK);
			down += !!(lb->table[i] & UET_SKIP_DOWN);
		}
		if (marked != b->marked || down != b->down) {
			KUNIT_FAIL(test, "round %u", r);
			return;
		}
	}
}

static void lb_oblivious_uniform(struct kunit *test)
{
	struct uet_lb_config cfg = { .n = 256, .seed = 1 };
	struct uet_lb *lb = make(test, "oblivious", &cfg);
	u8 *seen = kunit_kzalloc(test, 256, GFP_KERNEL);
	u32 cycle, i;

	for (cycle = 0; cycle < 50; cycle++) {
		memset(seen, 0, 256);
		for (i = 0; i < 256; i++)
			seen[next_at(lb, 0, 1) - BASE]++;
		for (i = 0; i < 256; i++)
			KUNIT_EXPECT_EQ(test, seen[i], 1);
	}
}

/*
 * Sources with different seeds: in any step about 1/n of the pairs pick the same
 * value, and over many steps no source follows another one.
 */
static void lb_sources_are_independent(struct kunit *test)
{
	struct uet_lb **lb = kunit_kzalloc(test, 64 * sizeof(*lb), GFP_KERNEL);
	u32 *pair = kunit_kzalloc(test, 64 * 64 * sizeof(u32),
				  GFP_KERNEL);
	u32 i, k, step, equal = 0, worst = 0;
	u16 ev[64];

	for (i = 0; i < 64; i++) {
		struct uet_lb_config cfg = { .n = 64, .seed = i };

		lb[i] = make(test, "oblivious", &cfg);
	}
	for (step = 0; step < 1280; step++) {
		for (i = 0; i < 64; i++)
			ev[i] = next_at(lb[i], 0, 1);
		for (i = 0; i < 64; i++)
			for (k = i + 1; k < 64; k++)
				if (ev[i] == ev[k]) {
					equal++;
					pair[i * 64 + k]++;
				}
	}
	for (i = 0; i < 64 * 64; i++)
		worst = max(worst, pair[i]);
	/* 2016 pairs x 1280 steps / 64 = 40320; 20 per pair, 6 sigma is 47 */
	KUNIT_EXPECT_GE(test, equal, 39000U);
	KUNIT_EXPECT_LE(test, equal, 41600U);
	KUNIT_EXPECT_LE(test, worst, 50U);
}

static void lb_skipping_stops_at_threshold(struct kunit *test)
{
	struct uet_lb_config cfg = { .n = 16, .threshold_pct = 50 };
	struct uet_lb *lb = make(test, "bitmap", &cfg);
	struct lb_notes notes;
	u32 i, hits;

	lb_notes_listen(lb, &notes);
	/* losses on seven of sixteen values: one cycle avoids all seven */
	for (i = 0; i < 7; i++)
		tell(lb, 0, (u16)(BASE + i), UET_LB_TIMEOUT, true);
	KUNIT_EXPECT_FALSE(test, uet_bitmap_saturated(lb, uet_lb_priv(lb)));
	for (i = 0; i < 9; i++)
		KUNIT_EXPECT_GE(test, next_at(lb, 0, 1), BASE + 7);
	KUNIT_EXPECT_EQ(test, lb_notes_take(&notes), UET_LB_NOTE_BAD);
	/* the eighth saturates: all sixteen are used */
	tell(lb, 0, BASE + 7, UET_LB_TIMEOUT, true);
	KUNIT_EXPECT_TRUE(test, lb_notes_take(&notes) &
				UET_LB_NOTE_SATURATED);
	for (i = 0, hits = 0; i < 160; i++)
		hits += next_at(lb, 0, 1) < BASE + 8;
	KUNIT_EXPECT_GE(test, hits, 70U);
}

static void lb_down_is_never_used(struct kunit *test)
{
	static const char * const policies[] = { "bitmap", "hybrid", "rtt" };
	struct uet_lb_config cfg = { .n = 16 };
	struct uet_lb_path path;
	struct uet_lb *lb;
	u32 i, k;

	for (k = 0; k < ARRAY_SIZE(policies); k++) {
		lb = make(test, policies[k], &cfg);
		KUNIT_EXPECT_EQ(test, uet_lb_path_down(lb, BASE + 3), 0);
		KUNIT_EXPECT_EQ(test, uet_lb_path_down(lb, 7), -EINVAL);
		for (i = 0; i < 500; i++) {
			u16 ev = next_at(lb, i, 1);

			KUNIT_EXPECT_NE(test, ev, BASE + 3);
			tell(lb, i, BASE + 3, UET_LB_NO_ECN, true);
			tell(lb, i, BASE + i % 16, UET_LB_ECN, true);
		}
		uet_lb_path_get(lb, 3, &path);
		KUNIT_EXPECT_TRUE(test, path.down && path.bad);
		uet_lb_path_up(lb, BASE + 3);
		uet_lb_path_get(lb, 3, &path);
		KUNIT_EXPECT_FALSE(test, path.down || path.bad);
		KUNIT_EXPECT_EQ(test, uet_lb_path_get(lb, 16, &path),
				-ENOENT);
	}
}

static void lb_resize_keeps_what_is_known(struct kunit *test)
{
	struct uet_lb_config cfg = { .n = 256, .mtu = 1000, .cwnd = 128000 };
	struct uet_lb *lb = make(test, "bitmap", &cfg);
	struct uet_lb_path path;
	struct lb_notes notes;

	lb_notes_listen(lb, &notes);
	KUNIT_EXPECT_EQ(test, lb->n, 256U);
	tell(lb, 0, BASE + 200, UET_LB_TIMEOUT, true);
	uet_lb_follow_window(lb, 64000);
	KUNIT_EXPECT_EQ(test, lb->n, 256U);
	uet_lb_follow_window(lb, 31999);
	KUNIT_EXPECT_EQ(test, lb->n, 32U);
	KUNIT_EXPECT_EQ(test, uet_lb_bad_paths(lb), 0U);
	KUNIT_EXPECT_TRUE(test, lb_notes_take(&notes) &
				UET_LB_NOTE_RESIZED);
	uet_lb_follow_window(lb, 1000000);
	KUNIT_EXPECT_EQ(test, lb->n, 256U);
	uet_lb_path_get(lb, 200, &path);
	KUNIT_EXPECT_EQ(test, path.skip, UET_SKIP_MAX);
	KUNIT_EXPECT_EQ(test, uet_lb_bad_paths(lb), 1U);
}

static void lb_sizes_and_places(struct kunit *test)
{
	u32 n, r;

	KUNIT_EXPECT_EQ(test, uet_lb_size_for(0, 4160, 256), 16U);
	KUNIT_EXPECT_EQ(test, uet_lb_size_for(225000, 4160, 256), 64U);
	KUNIT_EXPECT_EQ(test, uet_lb_size_for(266240, 4160, 256), 128U);
	KUNIT_EXPECT_EQ(test, uet_lb_size_for(1ULL << 40, 4160, 4096), 256U);
	KUNIT_EXPECT_EQ(test, uet_lb_size_for(225000, 4160, 8), 8U);
	KUNIT_EXPECT_EQ(test, uet_lb_size_for(225000, 0, 256), 16U);
	for (n = 1; n <= 32768; n *= 2) {
		for (r = 0; r < 3; r++) {
			u32 random = r ? (r == 1 ? U32_MAX : 0x80000000) : 0;
			u32 base = uet_lb_choose_base(n, random, true);

			KUNIT_EXPECT_LE(test, base + n, 65536U);
			KUNIT_EXPECT_GE(test, base,
					n > 16384 ? 32768U : 49152U);
			base = uet_lb_choose_base(n, random, false);
			KUNIT_EXPECT_LE(test, base + n, 65536U);
			KUNIT_EXPECT_GE(test, base, 1U);
		}
	}
}

static void lb_refuses_bad_settings(struct kunit *test)
{
	struct uet_lb_config good = { .n = 256, .base = 65280 };
	struct uet_lb *lb = make(test, "single", &good);
	const struct uet_lb_ops *ops = lb->ops;
	struct uet_lb_config c;

	c = good;
	c.n = 0;
	KUNIT_EXPECT_EQ(test, uet_lb_init(lb, ops, &c), -EINVAL);
	c.n = 65536;
	c.base = 0;
	KUNIT_EXPECT_EQ(test, uet_lb_init(lb, ops, &c), -EINVAL);
	c = good;
	c.base = 65281;
	KUNIT_EXPECT_EQ(test, uet_lb_init(lb, ops, &c), -EINVAL);
	c = good;
	c.threshold_pct = 101;
	KUNIT_EXPECT_EQ(test, uet_lb_init(lb, ops, &c), -EINVAL);
	c = good;
	c.t_reroute = 10001;
	KUNIT_EXPECT_EQ(test, uet_lb_init(lb, ops, &c), -EINVAL);
	c = good;
	c.run = 65;
	KUNIT_EXPECT_EQ(test, uet_lb_init(lb, ops, &c), -EINVAL);
	c = good;
	c.n = UET_LB_AWARE_MAX + 1;
	c.base = 0;
	KUNIT_EXPECT_EQ(test, uet_lb_init(lb, &uet_lb_bitmap, &c), -EINVAL);
	KUNIT_EXPECT_TRUE(test, !uet_lb_find("nothing"));
}

static void lb_live_history(struct kunit *test)
{
	struct uet_lb_config cfg = { .n = 16 };
	struct uet_lb *lb = make(test, "oblivious", &cfg);
	struct uet_lb_path path;

	KUNIT_EXPECT_FALSE(test, lb->listens);
	keep_history(test, lb);
	KUNIT_EXPECT_TRUE(test, lb->listens);
	uet_lb_live_sent(lb, BASE + 5, 3);
	uet_lb_live_sent(lb, 1, 3);
	tell(lb, 0, BASE + 5, UET_LB_NO_ECN, true);
	tell(lb, 0, BASE + 5, UET_LB_ECN, true);
	tell(lb, 0, BASE + 5, UET_LB_NACK, true);
	tell(lb, 0, BASE + 5, UET_LB_TIMEOUT, true);
	KUNIT_EXPECT_EQ(test, uet_lb_path_get(lb, 5, &path), 0);
	KUNIT_EXPECT_EQ(test, path.ev, BASE + 5);
	KUNIT_EXPECT_EQ(test, path.live.sent, 3U);
	KUNIT_EXPECT_EQ(test, path.live.acked, 1U);
	KUNIT_EXPECT_EQ(test, path.live.marked, 1U);
	KUNIT_EXPECT_EQ(test, path.live.trimmed, 1U);
	KUNIT_EXPECT_EQ(test, path.live.lost, 1U);
	KUNIT_EXPECT_EQ(test, uet_lb_path_down(lb, BASE + 5), -EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, uet_lb_path_get(lb, 16, &path), -ENOENT);
	KUNIT_EXPECT_TRUE(test, uet_lb_live_detach(lb));
	KUNIT_EXPECT_TRUE(test, !uet_lb_live_detach(lb));
	KUNIT_EXPECT_FALSE(test, lb->listens);
	tell(lb, 0, BASE + 5, UET_LB_ECN, true);
	KUNIT_EXPECT_EQ(test, uet_lb_path_get(lb, 5, &path), 0);
	KUNIT_EXPECT_EQ(test, path.live.marked, 0U);
}

/* A value that takes the place of a slow one does not inherit its history. */
static void lb_live_history_of_new_values(struct kunit *test)
{
	struct uet_lb_config cfg = { .n = 16, .span = 4096 };
	struct uet_lb *lb = make(test, "hybrid", &cfg);
	struct uet_lb_signal sig = {
		.reason = UET_LB_NO_ECN, .base_rtt = RTT, .target = RTT, .rtt_valid = true,
	};
	struct uet_lb_path path;
	u32 i, r, changed = 0;

	keep_history(test, lb);
	for (r = 0; r < 2000; r++) {
		i = r % lb->n;
		KUNIT_ASSERT_EQ(test, uet_lb_path_get(lb, i, &path), 0);
		sig.ev = path.ev;
		sig.rtt = RTT + (i == 3 ? 4 * RTT : 0);
		uet_lb_live_sent(lb, sig.ev, 1);
		uet_lb_feedback(lb, &sig, true);
		KUNIT_ASSERT_EQ(test, uet_lb_path_get(lb, i, &path), 0);
		if (path.ev == sig.ev)
			continue;
		changed++;
		KUNIT_EXPECT_EQ(test, path.live.sent, 0U);
		KUNIT_EXPECT_EQ(test, path.live.acked, 0U);
	}
	KUNIT_EXPECT_GT(test, changed, 0U);
}

/* Of several packets of a run, the history counts each, and the policy hears of one. */
static void lb_runs_are_told_once(struct kunit *test)
{
	struct uet_lb_config cfg = { .n = 16 };
	struct uet_lb *lb = make(test, "bitmap", &cfg);
	struct uet_lb_signal sig = {
		.ev = BASE + 5, .reason = UET_LB_TIMEOUT, .again = true,
	};
	struct uet_lb_path path;

	keep_history(test, lb);
	uet_lb_feedback(lb, &sig, true);
	KUNIT_EXPECT_EQ(test, uet_lb_path_get(lb, 5, &path), 0);
	KUNIT_EXPECT_EQ(test, path.live.lost, 1U);
	KUNIT_EXPECT_FALSE(test, path.bad);
	sig.again = false;
	uet_lb_feedback(lb, &sig, true);
	KUNIT_EXPECT_EQ(test, uet_lb_path_get(lb, 5, &path), 0);
	KUNIT_EXPECT_EQ(test, path.live.lost, 2U);
	KUNIT_EXPECT_TRUE(test, path.bad);
}

/* Without trimming one loss does not freeze; two on different values do. */
static void lb_reps_freezing_without_trimming(struct kunit *test)
{
	struct uet_lb_config cfg = { .n = 64, .rto_ns = 1000 };
	struct uet_lb *lb = make(test, "reps", &cfg);
	const struct uet_reps *r = uet_lb_priv(lb);

	tell(lb, 100, BASE + 1, UET_LB_TIMEOUT, true);
	tell(lb, 200, BASE + 2, UET_LB_TIMEOUT, true);
	KUNIT_EXPECT_FALSE(test, r->frozen);
	tell(lb, 300, BASE + 9, UET_LB_NO_ECN, true);
	tell(lb, 400, BASE + 2, UET_LB_TIMEOUT, true);
	KUNIT_EXPECT_FALSE(test, r->frozen);
	tell(lb, 500, BASE + 9, UET_LB_NO_ECN, true);
	tell(lb, 1500, BASE + 3, UET_LB_TIMEOUT, true);
	KUNIT_EXPECT_FALSE(test, r->frozen);
	tell(lb, 1600, BASE + 9, UET_LB_ECN, true);
	tell(lb, 1700, BASE + 4, UET_LB_TIMEOUT, true);
	KUNIT_EXPECT_TRUE(test, r->frozen);
}

/* A value that loses a packet or queues longer than most is replaced. */
static void lb_hybrid_replaces_bad_values(struct kunit *test)
{
	struct uet_lb_config cfg = { .n = 16, .span = 4096 };
	struct uet_lb *lb = make(test, "hybrid", &cfg);
	struct uet_lb_signal sig = {
		.base_rtt = RTT, .target = RTT, .rtt_valid = true,
	};
	u32 dead = 0, slow = 0, i;
	u16 ev, run, path;

	/* eight paths; one is dead, one queues two targets longer than others */
	for (i = 0; i < 3200; i++) {
		ev = uet_lb_next(lb, &(struct uet_lb_ask){}, &run);
		KUNIT_EXPECT_GE(test, ev, BASE);
		KUNIT_EXPECT_LT(test, ev, BASE + 4096U);
		path = uet_mix32(ev) % 8;
		dead += i >= 1600 && path == 0;
		slow += i >= 1600 && path == 1;
		sig.ev = ev;
		sig.reason = path ? UET_LB_NO_ECN : UET_LB_TIMEOUT;
		sig.rtt = path == 1 ? 4 * RTT : 2 * RTT;
		uet_lb_feedback(lb, &sig, true);
	}
	/* an even share would be 200 each */
	KUNIT_EXPECT_LE(test, dead, 20U);
	KUNIT_EXPECT_LE(test, slow, 60U);
}

/* While queues vary, so that values are replaced, those of a dead path are drawn a few
 * times, and not again and again; when the path is back, they are in time.
 */
static void lb_hybrid_remembers_a_dead_path(struct kunit *test)
{
	struct uet_lb_config cfg = { .n = 32, .span = 512 };
	struct uet_lb *lb = make(test, "hybrid", &cfg);
	struct uet_lb_signal sig = {
		.base_rtt = RTT, .target = RTT, .rtt_valid = true,
	};
	u32 dead = 0, back = 0, i;
	bool lost;
	u16 run;

	for (i = 0; i < 80000; i++) {
		sig.ev = uet_lb_next(lb, &(struct uet_lb_ask){}, &run);
		lost = uet_mix32(sig.ev) % 4 == 0;
		dead += lost && i >= 10000 && i < 40000;
		back += lost && i >= 60000;
		lost = lost && i < 40000;
		sig.reason = lost ? UET_LB_TIMEOUT : UET_LB_NO_ECN;
		sig.rtt = RTT + uet_mix32(i) % (2 * RTT);
		uet_lb_feedback(lb, &sig, true);
	}
	KUNIT_EXPECT_LE(test, dead, 300U);
	KUNIT_EXPECT_GE(test, back, 2500U);
}

/* However few values share an entry, and whatever each of them lost: one that loses a
 * packet is not used in the next cycle.
 */
static void lb_hybrid_leaves_what_loses(struct kunit *test)
{
	struct uet_lb_signal sig = { .reason = UET_LB_TIMEOUT };
	u32 share, i, k;
	u16 run;

	for (share = 2; share <= 9; share++) {
		struct uet_lb_config cfg = { .n = 32, .span = 32 * share };
		struct uet_lb *lb = make(test, "hybrid", &cfg);
		u16 last[32] = {}, now[32];

		for (i = 0; i < 100; i++) {
			for (k = 0; k < 32; k++) {
				now[k] = uet_lb_next(lb, &(struct uet_lb_ask){}, &run);
				sig.ev = now[k];
				uet_lb_feedback(lb, &sig, true);
			}
			for (k = 0; i && k < 32 * 32; k++)
				KUNIT_EXPECT_NE(test, now[k / 32], last[k % 32]);
			memcpy(last, now, sizeof(last));
		}
	}
}

/* No value is replaced if all queue alike; stale signals are ignored. */
static void lb_hybrid_keeps_values_in_common_congestion(struct kunit *test)
{
	struct uet_lb_config cfg = { .n = 16, .span = 4096 };
	struct uet_lb *lb = make(test, "hybrid", &cfg);
	struct uet_lb_signal sig = {
		.base_rtt = RTT, .target = RTT, .rtt_valid = true,
		.reason = UET_LB_ECN, .rtt = 3 * RTT,
	};
	struct uet_lb_path path;
	u16 before[16], run;
	u32 i;

	for (i = 0; i < 1600; i++) {
		if (i == 800)
			for (run = 0; run < 16; run++) {
				uet_lb_path_get(lb, run, &path);
				before[run] = path.ev;
			}
		sig.ev = uet_lb_next(lb, &(struct uet_lb_ask){}, &run);
		uet_lb_feedback(lb, &sig, true);
		/* a value of the same entry that is not in use */
		tell(lb, 0, (u16)(BASE + (sig.ev - BASE + 16) % 4096),
		     UET_LB_TIMEOUT, true);
	}
	for (i = 0; i < 16; i++) {
		uet_lb_path_get(lb, i, &path);
		KUNIT_EXPECT_EQ(test, path.ev, before[i]);
	}
}

/* One cycle: entries below @bad are marked and late. Return: values that changed. */
static u32 hybrid_cycle(struct uet_lb *lb, u32 bad)
{
	struct uet_lb_signal sig = {
		.base_rtt = RTT, .target = RTT, .rtt_valid = true,
	};
	u16 before[16], run;
	struct uet_lb_path path;
	u32 i, changed = 0;

	for (i = 0; i < 16; i++) {
		uet_lb_path_get(lb, i, &path);
		before[i] = path.ev;
	}
	for (i = 0; i < 16; i++) {
		sig.ev = uet_lb_next(lb, &(struct uet_lb_ask){}, &run);
		sig.reason = uet_lb_locate(lb, sig.ev) < bad ? UET_LB_ECN :
							       UET_LB_NO_ECN;
		sig.rtt = sig.reason == UET_LB_ECN ? 4 * RTT : RTT;
		uet_lb_feedback(lb, &sig, true);
	}
	for (i = 0; i < 16; i++) {
		uet_lb_path_get(lb, i, &path);
		changed += path.ev != before[i];
	}
	return changed;
}

/* Above the threshold late values are kept; below it, and for a loss, they are not. */
static void lb_hybrid_heeds_the_threshold(struct kunit *test)
{
	struct uet_lb_config cfg = {
		.n = 16, .span = 4096, .threshold_pct = 50,
	};
	static const u32 shares[] = { 4, 7, 8, 12 };
	struct lb_notes notes;
	struct uet_lb *lb;
	u32 i, k, changed;
	u16 ev;

	for (k = 0; k < ARRAY_SIZE(shares); k++) {
		lb = make(test, "hybrid", &cfg);
		lb_notes_listen(lb, &notes);
		hybrid_cycle(lb, shares[k]);
		for (i = 0, changed = 0; i < 20; i++)
			changed += hybrid_cycle(lb, shares[k]);
		if (shares[k] < 8)
			KUNIT_EXPECT_GE(test, changed, 20U);
		else
			KUNIT_EXPECT_EQ(test, changed, 0U);
		KUNIT_EXPECT_EQ(test, lb_notes_take(&notes),
				shares[k] < 8 ? 0 : UET_LB_NOTE_SATURATED);
		tell(lb, 0, uet_lb_next(lb, &(struct uet_lb_ask){}, &ev),
		     UET_LB_TIMEOUT, true);
		KUNIT_EXPECT_EQ(test, lb_notes_take(&notes), UET_LB_NOTE_BAD);
	}
	/* it ends with the congestion */
	hybrid_cycle(lb, 4);
	for (i = 0, changed = 0; i < 20; i++)
		changed += hybrid_cycle(lb, 4);
	KUNIT_EXPECT_GE(test, changed, 20U);
}

/* Above the threshold all values are drawn, not just those that came back clear. */
static void lb_reps_heeds_the_threshold(struct kunit *test)
{
	struct uet_lb_config cfg = { .n = 16, .threshold_pct = 50 };
	static const u8 reasons[] = { UET_LB_ECN, UET_LB_NACK };
	struct lb_notes notes;
	struct uet_lb *lb;
	u32 i, k, hits;

	for (k = 0; k < ARRAY_SIZE(reasons); k++) {
		lb = make(test, "reps", &cfg);
		lb_notes_listen(lb, &notes);
		for (i = 0; i < 7; i++)
			tell(lb, 0, BASE + i, reasons[k], true);
		for (i = 8; i < 16; i++)
			tell(lb, 0, BASE + i, UET_LB_NO_ECN, true);
		for (i = 8; i < 12; i++)
			KUNIT_EXPECT_EQ(test, next_at(lb, 0, 1), BASE + i);
		KUNIT_EXPECT_EQ(test, lb_notes_take(&notes), 0U);
		tell(lb, 0, BASE + 7, reasons[k], true);
		KUNIT_EXPECT_EQ(test, lb_notes_take(&notes),
				UET_LB_NOTE_SATURATED);
		for (i = 0, hits = 0; i < 160; i++)
			hits += next_at(lb, 0, 1) < BASE + 8;
		KUNIT_EXPECT_GE(test, hits, 50U);
		KUNIT_EXPECT_LE(test, hits, 110U);
		/* what is in the ring has not been used up */
		tell(lb, 0, BASE, UET_LB_NO_ECN, true);
		for (i = 12; i < 16; i++)
			KUNIT_EXPECT_EQ(test, next_at(lb, 0, 1), BASE + i);
		KUNIT_EXPECT_EQ(test, next_at(lb, 0, 1), BASE);
	}
}

/* The count of congested values, kept step by step, equals a full count. */
static void lb_reps_totals(struct kunit *test)
{
	struct uet_lb_config cfg = { .n = 256, .mtu = 4160, .cwnd = 600000 };
	struct uet_lb *lb = make(test, "reps", &cfg);
	const struct uet_reps *r = uet_lb_priv(lb);
	struct test_rnd rnd = { .state = 5 };
	u32 round, i, nr;

	for (round = 0; round < 4000; round++) {
		tell(lb, round, (u16)(BASE + rnd_below(&rnd, 256)),
		     (u8)rnd_below(&rnd, 4), true);
		if (rnd_one_in(&rnd, 30))
			uet_lb_follow_window(lb, rnd_below(&rnd, 1200000));
		for (i = 0, nr = 0; i < lb->n; i++)
			nr += r->marked.bit[i / 64] >> (i % 64) & 1;
		if (nr != r->marked.nr) {
			KUNIT_FAIL(test, "round %u", round);
			return;
		}
	}
}

/* SRD: slow values are avoided, retransmissions change the value. */
static void lb_rtt_avoids_slow_values(struct kunit *test)
{
	struct uet_lb_config cfg = { .n = 16 };
	struct uet_lb *lb = make(test, "rtt", &cfg);
	struct uet_lb_signal sig = {
		.base_rtt = RTT, .target = RTT, .rtt_valid = true,
	};
	struct uet_lb_ask ask = { .base_rtt = RTT, .target = RTT };
	u32 slow = 0, i;
	u16 ev, run;

	for (i = 0; i < 1600; i++) {
		ev = next_at(lb, i, 1);
		slow += i >= 320 && ev == BASE + 5;
		sig.ev = ev;
		sig.rtt = ev == BASE + 5 ? 3 * RTT : RTT;
		uet_lb_feedback(lb, &sig, true);
	}
	/* an even share would be 80; it is tried again every second cycle */
	KUNIT_EXPECT_LE(test, slow, 45U);
	KUNIT_EXPECT_GE(test, slow, 10U);
	ask.rtx = true;
	for (i = 0; i < 500; i++) {
		ask.prev_ev = BASE + i % 16;
		KUNIT_EXPECT_NE(test, uet_lb_next(lb, &ask, &run),
				ask.prev_ev);
	}
}

/* A value is reported bad once after losses, and good after an answer. */
static void lb_rtt_tells_what_comes_back(struct kunit *test)
{
	struct uet_lb_config cfg = { .n = 16 };
	struct uet_lb *lb = make(test, "rtt", &cfg);
	struct lb_notes notes;

	lb_notes_listen(lb, &notes);
	tell(lb, 0, BASE + 3, UET_LB_TIMEOUT, true);
	KUNIT_EXPECT_EQ(test, lb_notes_take(&notes), UET_LB_NOTE_BAD);
	KUNIT_EXPECT_EQ(test, notes.ev, BASE + 3);
	tell(lb, RTT, BASE + 3, UET_LB_TIMEOUT, true);
	tell(lb, RTT, BASE + 3, UET_LB_NACK, true);
	tell(lb, RTT, BASE + 4, UET_LB_NO_ECN, true);
	KUNIT_EXPECT_EQ(test, lb_notes_take(&notes), 0U);
	tell(lb, 2 * RTT, BASE + 3, UET_LB_ECN, true);
	KUNIT_EXPECT_EQ(test, lb_notes_take(&notes), UET_LB_NOTE_GOOD);
	KUNIT_EXPECT_EQ(test, notes.ev, BASE + 3);
	tell(lb, 3 * RTT, BASE + 3, UET_LB_NO_ECN, true);
	KUNIT_EXPECT_EQ(test, lb_notes_take(&notes), 0U);
}

static void lb_ecmp_never_moves(struct kunit *test)
{
	struct uet_lb_config cfg = { .n = 256, .seed = 9 };
	struct uet_lb *lb = make(test, "ecmp", &cfg);
	u16 ev = next_at(lb, 0, 0);
	u32 i;

	for (i = 1; i < 100; i++) {
		tell(lb, i * RTT, ev, UET_LB_TIMEOUT, true);
		KUNIT_EXPECT_EQ(test, next_at(lb, i * RTT, 0), ev);
	}
}

static struct kunit_case cases[] = {
	KUNIT_CASE(lb_policies_stay_inside),
	KUNIT_CASE(lb_bitmap_totals),
	KUNIT_CASE(lb_oblivious_uniform),
	KUNIT_CASE(lb_sources_are_independent),
	KUNIT_CASE(lb_skipping_stops_at_threshold),
	KUNIT_CASE(lb_down_is_never_used),
	KUNIT_CASE(lb_resize_keeps_what_is_known),
	KUNIT_CASE(lb_sizes_and_places),
	KUNIT_CASE(lb_refuses_bad_settings),
	KUNIT_CASE(lb_live_history),
	KUNIT_CASE(lb_live_history_of_new_values),
	KUNIT_CASE(lb_runs_are_told_once),
	KUNIT_CASE(lb_reps_freezing_without_trimming),
	KUNIT_CASE(lb_hybrid_replaces_bad_values),
	KUNIT_CASE(lb_hybrid_remembers_a_dead_path),
	KUNIT_CASE(lb_hybrid_leaves_what_loses),
	KUNIT_CASE(lb_hybrid_keeps_values_in_common_congestion),
	KUNIT_CASE(lb_hybrid_heeds_the_threshold),
	KUNIT_CASE(lb_reps_heeds_the_threshold),
	KUNIT_CASE(lb_reps_totals),
	KUNIT_CASE(lb_rtt_avoids_slow_values),
	KUNIT_CASE(lb_rtt_tells_what_comes_back),
	KUNIT_CASE(lb_ecmp_never_moves),
	{}
};

static struct kunit_suite suite = {
	.name = "uet_lb",
	.test_cases = cases,
};

kunit_test_suites(&suite);

MODULE_LICENSE("GPL");
