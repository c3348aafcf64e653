// SPDX-License-Identifier: GPL-2.0
/* Receive map: single rules, then random traffic against a naive model. */
#include <kunit/test.h>

#include "../core/rcv/rxmap.h"
#include "random.h"

#define RANGE		128
#define BITS		128
#define FIRST		0xffffffe0u	/* close to the wrap */

static void rxmap_in_order_needs_no_bitmap(struct kunit *test)
{
	struct uet_rxmap m;
	u32 psn;

	uet_rxmap_init(&m, FIRST, RANGE);
	KUNIT_EXPECT_EQ(test, m.cack, FIRST - 1);
	KUNIT_EXPECT_EQ(test, uet_rxmap_expected(&m), FIRST);
	for (psn = FIRST; psn != FIRST + 1000; psn++) {
		KUNIT_ASSERT_EQ(test, uet_rxmap_classify(&m, psn), UET_RX_NEW);
		KUNIT_ASSERT_EQ(test, uet_rxmap_set(&m, psn), 1u);
		KUNIT_ASSERT_EQ(test, uet_rxmap_classify(&m, psn), UET_RX_DUP);
	}
	KUNIT_EXPECT_EQ(test, m.cack, FIRST + 999);
	KUNIT_EXPECT_EQ(test, uet_rxmap_ooo_count(&m), 0);
	KUNIT_EXPECT_EQ(test, uet_rxmap_sack_base(&m, m.cack), m.cack + 1);
	KUNIT_EXPECT_EQ(test, uet_rxmap_sack(&m, m.cack + 1), 0ULL);
}

static void rxmap_bitmap_on_demand(struct kunit *test)
{
	struct uet_rxmap m;
	u64 bits[BITS / 64];

	uet_rxmap_init(&m, FIRST, RANGE);
	KUNIT_EXPECT_EQ(test, uet_rxmap_classify(&m, FIRST + 1), UET_RX_NOMAP);
	KUNIT_EXPECT_PTR_EQ(test, uet_rxmap_detach(&m), NULL);
	/* too small, or no power of two: handed back */
	KUNIT_EXPECT_PTR_EQ(test, uet_rxmap_attach(&m, bits, 64), &bits[0]);
	KUNIT_EXPECT_PTR_EQ(test, uet_rxmap_attach(&m, bits, 192), &bits[0]);
	KUNIT_EXPECT_PTR_EQ(test, uet_rxmap_attach(&m, bits, BITS), NULL);
	KUNIT_EXPECT_EQ(test, uet_rxmap_classify(&m, FIRST + 1), UET_RX_NEW);
	KUNIT_EXPECT_EQ(test, uet_rxmap_set(&m, FIRST + 1), 0u);
	KUNIT_EXPECT_EQ(test, uet_rxmap_ooo_count(&m), 1);
	KUNIT_EXPECT_PTR_EQ(test, uet_rxmap_detach(&m), NULL);
	KUNIT_EXPECT_EQ(test, uet_rxmap_set(&m, FIRST), 2u);
	KUNIT_EXPECT_EQ(test, uet_rxmap_ooo_count(&m), 0);
	KUNIT_EXPECT_PTR_EQ(test, uet_rxmap_detach(&m), &bits[0]);
	KUNIT_EXPECT_EQ(test, uet_rxmap_classify(&m, FIRST + 3), UET_RX_NOMAP);
}

static void rxmap_window_edges(struct kunit *test)
{
	u64 bits[BITS / 64];
	struct uet_rxmap m;

	uet_rxmap_init(&m, FIRST, RANGE);
	uet_rxmap_attach(&m, bits, BITS);
	KUNIT_EXPECT_EQ(test, uet_rxmap_classify(&m, m.cack + RANGE),
			UET_RX_NEW);
	KUNIT_EXPECT_EQ(test, uet_rxmap_classify(&m, m.cack + RANGE + 1),
			UET_RX_ABOVE);
	KUNIT_EXPECT_EQ(test, uet_rxmap_classify(&m, m.cack), UET_RX_DUP);
	KUNIT_EXPECT_EQ(test, uet_rxmap_classify(&m, m.cack - 65536),
			UET_RX_DUP);
	KUNIT_EXPECT_EQ(test, uet_rxmap_classify(&m, m.cack - 65537),
			UET_RX_FAR_BELOW);
	KUNIT_EXPECT_EQ(test, uet_rxmap_classify(&m, m.cack + 0x80000000u),
			UET_RX_FAR_BELOW);
	KUNIT_EXPECT_EQ(test, uet_rxmap_classify(&m, m.cack + 0x7fffffffu),
			UET_RX_ABOVE);
}

/* The whole window except its first packet, then the first packet */
static void rxmap_full_window(struct kunit *test)
{
	u64 bits[BITS / 64];
	struct uet_rxmap m;
	u32 i;

	uet_rxmap_init(&m, FIRST, RANGE);
	uet_rxmap_attach(&m, bits, BITS);
	for (i = RANGE; i > 1; i--)
		KUNIT_ASSERT_EQ(test, uet_rxmap_set(&m, m.cack + i), 0u);
	KUNIT_EXPECT_EQ(test, uet_rxmap_ooo_count(&m), RANGE - 1);
	KUNIT_EXPECT_EQ(test, uet_rxmap_sack(&m, m.cack + 1),
			~1ULL);
	KUNIT_EXPECT_EQ(test, uet_rxmap_sack(&m, m.cack), ~2ULL);
	KUNIT_EXPECT_EQ(test, uet_rxmap_set(&m, m.cack + 1), (u32)RANGE);
	KUNIT_EXPECT_EQ(test, m.above, 0u);
	KUNIT_EXPECT_EQ(test, bits[0] | bits[1], 0ULL);
}

/* PSNs above the window share bits of the ring with some inside it. */
static void rxmap_sack_does_not_wrap(struct kunit *test)
{
	u64 bits[BITS / 64];
	struct uet_rxmap m;

	uet_rxmap_init(&m, 0, RANGE);
	uet_rxmap_attach(&m, bits, BITS);
	uet_rxmap_set(&m, 5);
	uet_rxmap_set(&m, 127);
	KUNIT_EXPECT_EQ(test, uet_rxmap_sack(&m, 100), 1ULL << 27);
	KUNIT_EXPECT_FALSE(test, uet_rxmap_received(&m, 133));
}

/* UE 1.0 3.5.12: CACK stops below a guaranteed response until it is cleared. */
static void rxmap_hold(struct kunit *test)
{
	struct uet_rxmap m;

	uet_rxmap_init(&m, 9, RANGE);
	KUNIT_EXPECT_EQ(test, uet_rxmap_set(&m, 9), 1u);
	KUNIT_EXPECT_EQ(test, uet_rxmap_set_hold(&m, 10), 0u);
	KUNIT_EXPECT_EQ(test, uet_rxmap_set(&m, 10), 0u);
	KUNIT_EXPECT_EQ(test, uet_rxmap_set(&m, 11), 0u);
	KUNIT_EXPECT_EQ(test, m.cack, 9u);
	KUNIT_EXPECT_EQ(test, uet_rxmap_ooo_count(&m), 2);
	KUNIT_EXPECT_EQ(test, uet_rxmap_sack_base(&m, 11), 10u);
	KUNIT_EXPECT_EQ(test, uet_rxmap_sack(&m, 10), 3ULL);
	KUNIT_EXPECT_EQ(test, uet_rxmap_classify(&m, 10), UET_RX_DUP);
	/* the window does not move either */
	KUNIT_EXPECT_EQ(test, uet_rxmap_classify(&m, 9 + RANGE + 1),
			UET_RX_ABOVE);
	/* a hold at or below CACK is ignored */
	KUNIT_EXPECT_EQ(test, uet_rxmap_set_hold(&m, 9), 0u);
	KUNIT_EXPECT_EQ(test, m.cack, 9u);
	KUNIT_EXPECT_EQ(test, uet_rxmap_clear(&m, 12), UET_CLEAR_BAD);
	KUNIT_EXPECT_EQ(test, uet_rxmap_clear(&m, 8), UET_CLEAR_OLD);
	KUNIT_EXPECT_EQ(test, uet_rxmap_clear(&m, 10), UET_CLEAR_NEW);
	KUNIT_EXPECT_EQ(test, uet_rxmap_clear(&m, 10), UET_CLEAR_OLD);
	/* the next uncleared response is that of 11, then there is none */
	KUNIT_EXPECT_EQ(test, uet_rxmap_set_hold(&m, 11), 1u);
	KUNIT_EXPECT_EQ(test, m.cack, 10u);
	KUNIT_EXPECT_EQ(test, uet_rxmap_drop_hold(&m), 1u);
	KUNIT_EXPECT_EQ(test, m.cack, 11u);

	/* the last of four places is for the next packet in order */
	KUNIT_EXPECT_TRUE(test, uet_rxmap_may_hold(&m, m.edge + 2, 2, 4));
	KUNIT_EXPECT_FALSE(test, uet_rxmap_may_hold(&m, m.edge + 2, 3, 4));
	KUNIT_EXPECT_TRUE(test, uet_rxmap_may_hold(&m, m.edge + 1, 3, 4));
	KUNIT_EXPECT_FALSE(test, uet_rxmap_may_hold(&m, m.edge + 1, 4, 4));
}

static void rxmap_sack_bases(struct kunit *test)
{
	u64 bits[1024 / 64];
	struct uet_rxmap m;

	uet_rxmap_init(&m, 0, 1024);
	uet_rxmap_attach(&m, bits, 1024);
	uet_rxmap_set(&m, 5);
	KUNIT_EXPECT_EQ(test, uet_rxmap_sack_base(&m, 5), 0u);
	KUNIT_EXPECT_EQ(test, uet_rxmap_sack(&m, 0), 1ULL << 5);
	KUNIT_EXPECT_EQ(test, uet_rxmap_sack(&m, 5), 1ULL);
	KUNIT_EXPECT_EQ(test, uet_rxmap_sack(&m, 6), 0ULL);
	uet_rxmap_set(&m, 500);
	KUNIT_EXPECT_EQ(test, uet_rxmap_sack_base(&m, 500), 437u);
	KUNIT_EXPECT_EQ(test, uet_rxmap_sack(&m, 437), 1ULL << 63);
	/* bases from a hostile PROBE */
	KUNIT_EXPECT_EQ(test, uet_rxmap_sack(&m, -64u), U64_MAX);
	KUNIT_EXPECT_EQ(test, uet_rxmap_sack(&m, -63u), U64_MAX >> 1);
	KUNIT_EXPECT_EQ(test, uet_rxmap_sack(&m, -58u),
			(U64_MAX >> 6) | (1ULL << 63));
	KUNIT_EXPECT_EQ(test, uet_rxmap_sack(&m, 0x7fffff00u), 0ULL);
	KUNIT_EXPECT_EQ(test, uet_rxmap_sack(&m, 0x80000500u), U64_MAX);
	KUNIT_EXPECT_EQ(test, uet_rxmap_sack(&m, 5 + 1024), 0ULL);
	KUNIT_EXPECT_EQ(test, uet_rxmap_probe_base(&m, 32766), 32766u);
	KUNIT_EXPECT_EQ(test, uet_rxmap_probe_base(&m, 32767), 0u);
	KUNIT_EXPECT_EQ(test, uet_rxmap_probe_base(&m, -32769u), -32769u);
	KUNIT_EXPECT_EQ(test, uet_rxmap_probe_base(&m, -32770u), 0u);
}

static void rxmap_grow(struct kunit *test)
{
	u64 small[BITS / 64], big[1024 / 64];
	struct uet_rxmap m;
	u32 i;

	KUNIT_EXPECT_EQ(test, uet_rxmap_nbits(1), 64u);
	KUNIT_EXPECT_EQ(test, uet_rxmap_nbits(128), 128u);
	KUNIT_EXPECT_EQ(test, uet_rxmap_nbits(129), 256u);
	KUNIT_EXPECT_EQ(test, uet_rxmap_nbits(32640), 32768u);
	uet_rxmap_init(&m, FIRST, RANGE);
	uet_rxmap_attach(&m, small, BITS);
	for (i = 1; i < RANGE; i += 3)
		uet_rxmap_set(&m, FIRST + i);
	KUNIT_EXPECT_PTR_EQ(test, uet_rxmap_attach(&m, big, 1024), &small[0]);
	KUNIT_EXPECT_PTR_EQ(test, uet_rxmap_attach(&m, small, BITS), &small[0]);
	for (i = 0; i < RANGE; i++)
		KUNIT_EXPECT_EQ(test, uet_rxmap_received(&m, FIRST + i),
				i % 3 == 1);
}

/* The naive model: a byte per PSN since the first one */
#define MODEL_PSNS	65536
#define MODEL_RANGE	1024

struct rx_model {
	u8 *rcvd;
	u8 *gtd;	/* an uncleared guaranteed response */
	u32 first;
	u32 cack;	/* as distance from first - 1 */
	u32 edge;
	u32 top;
	u32 range;
};

static bool model_rcvd(const struct rx_model *mod, s64 at)
{
	return at < 0 || (at < MODEL_PSNS && mod->rcvd[at]);
}

static void model_advance(struct rx_model *mod)
{
	while (mod->edge < MODEL_PSNS && mod->rcvd[mod->edge])
		mod->edge++;
	while (mod->cack < mod->edge && !mod->gtd[mod->cack])
		mod->cack++;
}

static void check_model(struct kunit *test, const struct rx_model *mod,
			const struct uet_rxmap *m, struct test_rnd *rnd)
{
	s64 off = (s64)mod->cack - 200 + rnd_below(rnd, mod->range + 400);
	u32 base = mod->first + (u32)off, ooo = 0;
	u64 want = 0;
	u32 i;

	KUNIT_ASSERT_EQ(test, m->cack, mod->first - 1 + mod->cack);
	KUNIT_ASSERT_EQ(test, uet_rxmap_expected(m), mod->first + mod->edge);
	for (i = 0; i < 64; i++) {
		if (off + i < (s64)mod->top && model_rcvd(mod, off + i))
			want |= BIT_ULL(i);
	}
	KUNIT_ASSERT_EQ(test, uet_rxmap_sack(m, base), want);
	for (i = mod->cack; i < mod->top; i++)
		ooo += mod->rcvd[i];
	KUNIT_ASSERT_EQ(test, (u32)uet_rxmap_ooo_count(m), ooo);
}

/* Set the hold to the lowest uncleared guaranteed response, or drop it. */
static void sync_hold(const struct rx_model *mod, struct uet_rxmap *m)
{
	u32 i;

	for (i = mod->cack; i < mod->top; i++) {
		if (mod->gtd[i]) {
			uet_rxmap_set_hold(m, mod->first + i);
			return;
		}
	}
	uet_rxmap_drop_hold(m);
}

static int model_verdict(const struct rx_model *mod, const struct uet_rxmap *m,
			 s64 at)
{
	if (at < (s64)mod->cack)
		return at - mod->cack + 1 < -65536 ? UET_RX_FAR_BELOW :
						     UET_RX_DUP;
	if (at >= (s64)mod->cack + mod->range)
		return UET_RX_ABOVE;
	if (mod->rcvd[at])
		return UET_RX_DUP;
	return m->bits || at == mod->edge ? UET_RX_NEW : UET_RX_NOMAP;
}

static void model_run(struct kunit *test, struct test_rnd *rnd, u64 *bits,
		      struct rx_model *mod, u32 ops)
{
	struct uet_rxmap m;
	u32 i;

	uet_rxmap_init(&m, mod->first, mod->range);
	while (ops-- && mod->cack + 3 * mod->range < MODEL_PSNS) {
		s64 at = (s64)mod->edge - 8 + rnd_below(rnd, 24);
		int verdict;

		if (rnd_one_in(rnd, 3))
			at = (s64)mod->cack - 100 +
			     rnd_below(rnd, mod->range + 200);
		else if (rnd_one_in(rnd, 4))
			at = mod->edge;
		verdict = uet_rxmap_classify(&m, mod->first + (u32)at);
		KUNIT_ASSERT_EQ(test, verdict, model_verdict(mod, &m, at));
		if (verdict == UET_RX_NOMAP) {
			uet_rxmap_attach(&m, bits, MODEL_RANGE);
			verdict = UET_RX_NEW;
		}
		if (verdict == UET_RX_NEW) {
			u32 old = mod->cack;

			mod->gtd[at] = rnd_one_in(rnd, 40);
			mod->rcvd[at] = 1;
			mod->top = max(mod->top, (u32)at + 1);
			if (mod->gtd[at])
				sync_hold(mod, &m);
			model_advance(mod);
			KUNIT_ASSERT_EQ(test,
					uet_rxmap_set(&m, mod->first + (u32)at),
					mod->cack - old);
		}
		if (rnd_one_in(rnd, 30)) {
			u32 end = mod->cack + rnd_below(rnd, 100);

			for (i = mod->cack; i < end; i++)
				mod->gtd[i] = 0;
			model_advance(mod);
			sync_hold(mod, &m);
		}
		if (rnd_one_in(rnd, 50))
			uet_rxmap_detach(&m);
		check_model(test, mod, &m, rnd);
	}
}

static void rxmap_random_against_model(struct kunit *test)
{
	struct test_rnd rnd = { 2 };
	struct rx_model mod = { 0 };
	u32 rounds = UET_TEST_ROUNDS / 4000 + 1;
	u64 *bits;

	mod.rcvd = kunit_kzalloc(test, MODEL_PSNS, GFP_KERNEL);
	mod.gtd = kunit_kzalloc(test, MODEL_PSNS, GFP_KERNEL);
	bits = kunit_kzalloc(test, MODEL_RANGE / 8, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, mod.rcvd);
	KUNIT_ASSERT_NOT_NULL(test, mod.gtd);
	KUNIT_ASSERT_NOT_NULL(test, bits);
	while (rounds--) {
		memset(mod.rcvd, 0, MODEL_PSNS);
		memset(mod.gtd, 0, MODEL_PSNS);
		mod.first = -rnd_below(&rnd, 3000);
		mod.cack = 0;
		mod.edge = 0;
		mod.top = 0;
		mod.range = 1 + rnd_below(&rnd, MODEL_RANGE);
		model_run(test, &rnd, bits, &mod, 4000);
	}
}

#define RUN_RANGE	256

/* What the single calls say of a run, and do if it is all new */
static int singles(struct uet_rxmap *m, u64 *bits, u32 psn, u32 n, u32 *advanced)
{
	int verdict = UET_RX_NEW, v;
	u32 i;

	*advanced = 0;
	for (i = 0; i < n; i++) {
		v = uet_rxmap_classify(m, psn + i);
		if (v == UET_RX_NOMAP) {
			verdict = v;
			uet_rxmap_attach(m, bits, RUN_RANGE);
			v = UET_RX_NEW;
		}
		if (v != UET_RX_NEW)
			return v;
		*advanced += uet_rxmap_set(m, psn + i);
	}
	return verdict;
}

static void same_maps(struct kunit *test, const struct uet_rxmap *a,
		      const struct uet_rxmap *b)
{
	KUNIT_ASSERT_EQ(test, a->cack, b->cack);
	KUNIT_ASSERT_EQ(test, a->edge, b->edge);
	KUNIT_ASSERT_EQ(test, a->highest, b->highest);
	KUNIT_ASSERT_EQ(test, a->above, b->above);
	KUNIT_ASSERT_EQ(test, a->nbits, b->nbits);
	if (a->bits)
		KUNIT_ASSERT_EQ(test, memcmp(a->bits, b->bits, a->nbits / 8), 0);
}

/* One run at @psn, against the single calls; @bits: of two maps */
static void one_run(struct kunit *test, struct uet_rxmap *m, u64 (*bits)[4],
		    u32 psn, u32 n)
{
	struct uet_rxmap other = *m;
	int got, want;
	u32 advanced;

	if (m->bits) {
		memcpy(bits[1], bits[0], sizeof(bits[0]));
		other.bits = bits[1];
	}
	got = uet_rxmap_classify_run(m, psn, n);
	want = singles(&other, bits[1], psn, n, &advanced);
	if (want != UET_RX_NEW && want != UET_RX_NOMAP) {
		KUNIT_ASSERT_NE(test, got, UET_RX_NEW);
		KUNIT_ASSERT_NE(test, got, UET_RX_NOMAP);
		return;
	}
	KUNIT_ASSERT_EQ(test, got, want);
	if (got == UET_RX_NOMAP) {
		uet_rxmap_attach(m, bits[0], RUN_RANGE);
		KUNIT_ASSERT_EQ(test, uet_rxmap_classify_run(m, psn, n),
				UET_RX_NEW);
	}
	KUNIT_ASSERT_EQ(test, uet_rxmap_set_run(m, psn, n), advanced);
	same_maps(test, m, &other);
}

/* Runs are what their PSNs are, one by one: with holes, holds, at the wrap */
static void rxmap_runs_are_single_packets(struct kunit *test)
{
	u32 rounds = UET_TEST_ROUNDS / 500 + 1, i, psn, range;
	u64 bits[2][RUN_RANGE / 64];
	struct test_rnd rnd = { 5 };
	struct uet_rxmap m;

	while (rounds--) {
		range = 1 + rnd_below(&rnd, RUN_RANGE);
		uet_rxmap_init(&m, -rnd_below(&rnd, 1000), range);
		for (i = 0; i < 1000; i++) {
			psn = m.edge + 1;
			if (rnd_one_in(&rnd, 2))
				psn += rnd_below(&rnd, range + 40) - 20;
			one_run(test, &m, bits, psn, 1 + rnd_below(&rnd, 64));
			if (rnd_one_in(&rnd, 20))
				uet_rxmap_set_hold(&m, m.cack + 1 +
						   rnd_below(&rnd, range));
			else if (rnd_one_in(&rnd, 10))
				uet_rxmap_drop_hold(&m);
			else if (rnd_one_in(&rnd, 20))
				uet_rxmap_detach(&m);
		}
	}
}

/* In order: what came early is reported, and moves CACK only when it is delivered. */
static void rxmap_delivers_in_order(struct kunit *test)
{
	u64 bits[BITS / 64];
	struct uet_rxmap m;

	uet_rxmap_init(&m, -2, RANGE);		/* wraps between the packets */
	KUNIT_EXPECT_EQ(test, uet_rxmap_classify(&m, 0), UET_RX_NOMAP);
	uet_rxmap_attach(&m, bits, BITS);
	KUNIT_EXPECT_EQ(test, uet_rxmap_set_run(&m, -1, 3), 0u);
	KUNIT_EXPECT_EQ(test, uet_rxmap_set(&m, 4), 0u);
	KUNIT_EXPECT_FALSE(test, uet_rxmap_due(&m));
	KUNIT_EXPECT_EQ(test, uet_rxmap_classify(&m, -2), UET_RX_NEW);
	KUNIT_EXPECT_EQ(test, uet_rxmap_classify(&m, 0), UET_RX_DUP);
	KUNIT_EXPECT_EQ(test, uet_rxmap_deliver(&m, 1), 1u);
	/* The next one may have no room: it is no new packet. */
	KUNIT_EXPECT_TRUE(test, uet_rxmap_due(&m));
	KUNIT_EXPECT_EQ(test, m.cack, (u32)-2);
	KUNIT_EXPECT_EQ(test, uet_rxmap_classify(&m, -1), UET_RX_DUP);
	KUNIT_EXPECT_EQ(test, uet_rxmap_classify_run(&m, -1, 5), UET_RX_DUP);
	KUNIT_EXPECT_EQ(test, uet_rxmap_sack(&m, m.cack + 1), 0x27ULL);
	KUNIT_EXPECT_EQ(test, uet_rxmap_ooo_count(&m), 4);
	KUNIT_EXPECT_EQ(test, uet_rxmap_deliver(&m, 1), 1u);
	KUNIT_EXPECT_EQ(test, uet_rxmap_deliver(&m, 2), 2u);
	KUNIT_EXPECT_FALSE(test, uet_rxmap_due(&m));
	/* A run fills the gap, and one that was kept follows it. */
	KUNIT_EXPECT_EQ(test, uet_rxmap_classify_run(&m, 2, 3), UET_RX_DUP);
	KUNIT_EXPECT_EQ(test, uet_rxmap_classify_run(&m, 2, 2), UET_RX_NEW);
	KUNIT_EXPECT_EQ(test, uet_rxmap_deliver(&m, 2), 2u);
	KUNIT_EXPECT_TRUE(test, uet_rxmap_due(&m));
	/* A response that is not cleared holds CACK. */
	uet_rxmap_set_hold(&m, 4);
	KUNIT_EXPECT_EQ(test, uet_rxmap_deliver(&m, 1), 0u);
	KUNIT_EXPECT_EQ(test, uet_rxmap_expected(&m), 5u);
	KUNIT_EXPECT_EQ(test, uet_rxmap_drop_hold(&m), 1u);
	KUNIT_EXPECT_EQ(test, m.highest, 4u);
	KUNIT_EXPECT_EQ(test, m.above, 0u);
	KUNIT_EXPECT_PTR_EQ(test, uet_rxmap_detach(&m), &bits[0]);
}

/* Random arrivals of packets that are delivered in order, with refusals */
static void rxmap_in_order_random(struct kunit *test)
{
	u32 rounds = UET_TEST_ROUNDS / 50 + 1, psn, next, n;
	struct test_rnd rnd = { 11 };
	u64 bits[BITS / 64];
	struct uet_rxmap m;
	bool came[2 * BITS];

	uet_rxmap_init(&m, FIRST, RANGE);
	uet_rxmap_attach(&m, bits, BITS);
	memset(came, 0, sizeof(came));
	next = FIRST;
	while (rounds--) {
		psn = next + rnd_below(&rnd, RANGE);
		KUNIT_ASSERT_EQ(test, uet_rxmap_expected(&m), next);
		KUNIT_ASSERT_EQ(test, uet_rxmap_classify(&m, psn),
				came[psn % (2 * BITS)] ? UET_RX_DUP :
							 UET_RX_NEW);
		if (psn != next && !came[psn % (2 * BITS)]) {
			KUNIT_ASSERT_EQ(test, uet_rxmap_set(&m, psn), 0u);
			came[psn % (2 * BITS)] = true;
		} else if (psn == next && !came[psn % (2 * BITS)]) {
			KUNIT_ASSERT_EQ(test, uet_rxmap_deliver(&m, 1), 1u);
			next++;
		}
		/* Now and then there is no room. */
		for (n = rnd_below(&rnd, 10); n && came[next % (2 * BITS)];
		     n--) {
			KUNIT_ASSERT_TRUE(test, uet_rxmap_due(&m));
			KUNIT_ASSERT_EQ(test, uet_rxmap_deliver(&m, 1), 1u);
			came[next++ % (2 * BITS)] = false;
		}
		KUNIT_ASSERT_EQ(test, uet_rxmap_due(&m),
				came[next % (2 * BITS)]);
		KUNIT_ASSERT_EQ(test, m.cack, next - 1);
	}
}

static struct kunit_case rxmap_cases[] = {
	KUNIT_CASE(rxmap_in_order_needs_no_bitmap),
	KUNIT_CASE(rxmap_bitmap_on_demand),
	KUNIT_CASE(rxmap_window_edges),
	KUNIT_CASE(rxmap_full_window),
	KUNIT_CASE(rxmap_sack_does_not_wrap),
	KUNIT_CASE(rxmap_hold),
	KUNIT_CASE(rxmap_sack_bases),
	KUNIT_CASE(rxmap_grow),
	KUNIT_CASE(rxmap_random_against_model),
	KUNIT_CASE(rxmap_runs_are_single_packets),
	KUNIT_CASE(rxmap_delivers_in_order),
	KUNIT_CASE(rxmap_in_order_random),
	{}
};

static struct kunit_suite rxmap_suite = {
	.name = "uet_rxmap",
	.test_cases = rxmap_cases,
};

kunit_test_suites(&rxmap_suite);
