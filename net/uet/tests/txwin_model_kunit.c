// SPDX-License-Identifier: GPL-2.0
/*
 * Scoreboard against a naive model: an array with one entry per PSN ever used,
 * walked from end to end.  Random honest and hostile events, rings of changing
 * size, PSNs across the wrap.
 */
#include <kunit/test.h>

#include "../core/snd/txwin_scan.h"
#include "random.h"

#define MODEL_PSNS	2048
#define MAX_RING	512
#define NOBODY		U32_MAX

struct tx_entry {
	u64 tx_time;
	u32 size;
	u8 rtx;
	bool cp, sacked, answered, marked, held;
};

/* PSNs relative to the first one */
struct tx_model {
	struct tx_entry e[MODEL_PSNS];
	void *mem[2];
	u32 first;
	u32 una;
	u32 next;
	u32 clear;	/* first not answered */
	u32 limit;	/* first beyond the receiver's window */
	u32 range;
	u64 now;
};

static struct uet_tx_acked model_received(struct tx_model *mod, u32 at)
{
	struct tx_entry *e = &mod->e[at];
	struct uet_tx_acked sum = { 0 };

	if (!e->sacked && !e->cp) {
		sum.pkts = !e->marked;
		sum.bytes = e->marked ? 0 : e->size;
		sum.unmarked_pkts = e->marked;
		sum.unmarked_bytes = e->marked ? e->size : 0;
	}
	e->sacked = true;
	e->marked = false;
	e->held = false;
	return sum;
}

static void sum_add(struct uet_tx_acked *sum, struct uet_tx_acked more)
{
	sum->pkts += more.pkts;
	sum->bytes += more.bytes;
	sum->unmarked_pkts += more.unmarked_pkts;
	sum->unmarked_bytes += more.unmarked_bytes;
}

static void model_clear(struct tx_model *mod)
{
	mod->clear = max(mod->clear, mod->una);
	while (mod->clear < mod->next && mod->e[mod->clear].answered)
		mod->clear++;
}

static void expect_sum(struct kunit *test, const struct uet_tx_acked *got,
		       const struct uet_tx_acked *want)
{
	KUNIT_ASSERT_EQ(test, got->pkts, want->pkts);
	KUNIT_ASSERT_EQ(test, got->bytes, want->bytes);
	KUNIT_ASSERT_EQ(test, got->unmarked_pkts, want->unmarked_pkts);
	KUNIT_ASSERT_EQ(test, got->unmarked_bytes, want->unmarked_bytes);
	KUNIT_ASSERT_EQ(test, got->psns, want->psns);
}

static bool in_flight(const struct tx_entry *e)
{
	return !e->sacked && !e->marked;
}

static void check_counts(struct kunit *test, const struct tx_model *mod,
			 const struct uet_txwin *w)
{
	u32 flight = 0, marked = 0, nr_marked = 0, sacked = 0, held = 0, i;
	u64 flight_bytes = 0, marked_bytes = 0;

	for (i = mod->una; i < mod->next; i++) {
		const struct tx_entry *e = &mod->e[i];

		nr_marked += e->marked;
		sacked += e->sacked;
		held += e->held;
		if (e->cp)
			continue;
		marked += e->marked;
		marked_bytes += e->marked ? e->size : 0;
		flight += in_flight(e);
		flight_bytes += in_flight(e) ? e->size : 0;
	}
	KUNIT_ASSERT_EQ(test, w->una, mod->first + mod->una);
	KUNIT_ASSERT_EQ(test, w->next, mod->first + mod->next);
	KUNIT_ASSERT_EQ(test, w->clear_psn, mod->first + mod->clear - 1);
	KUNIT_ASSERT_EQ(test, w->ring->flight_pkts, flight);
	KUNIT_ASSERT_EQ(test, w->ring->flight_bytes, flight_bytes);
	KUNIT_ASSERT_EQ(test, w->ring->marked_pkts, marked);
	KUNIT_ASSERT_EQ(test, w->ring->marked_bytes, marked_bytes);
	KUNIT_ASSERT_EQ(test, w->ring->nr_marked, nr_marked);
	KUNIT_ASSERT_EQ(test, w->ring->nr_sacked, sacked);
	KUNIT_ASSERT_EQ(test, w->nr_held, held);
	KUNIT_ASSERT_EQ(test, uet_txwin_allowed(w),
			mod->limit > mod->next ? mod->limit - mod->next : 0);
}

/* Compare all searches of the scoreboard with the model */
static void check_searches(struct kunit *test, const struct tx_model *mod,
			   struct uet_txwin *w, struct test_rnd *rnd)
{
	u32 ready = NOBODY, unanswered = NOBODY, oldest = NOBODY, i, psn;
	u64 before = mod->now - rnd_below(rnd, 3000), t;
	struct uet_tx_scan scan;

	uet_txwin_scan(w, &scan, w->una - rnd_below(rnd, 3),
		       w->next + rnd_below(rnd, 3), before);
	for (i = mod->una; i < mod->next; i++) {
		const struct tx_entry *e = &mod->e[i];

		if (ready == NOBODY && e->marked && !e->held)
			ready = i;
		if (unanswered == NOBODY && e->sacked && !e->answered &&
		    e->tx_time <= before)
			unanswered = i;
		if (!e->answered && !e->marked && !e->held &&
		    (oldest == NOBODY || e->tx_time < mod->e[oldest].tx_time))
			oldest = i;
		if (!in_flight(e) || e->held || e->tx_time > before)
			continue;
		KUNIT_ASSERT_TRUE(test, uet_txwin_scan_next(w, &scan, &psn));
		KUNIT_ASSERT_EQ(test, psn, mod->first + i);
	}
	KUNIT_ASSERT_FALSE(test, uet_txwin_scan_next(w, &scan, &psn));
	KUNIT_ASSERT_EQ(test, uet_txwin_next_marked(w, &psn), ready != NOBODY);
	if (ready != NOBODY)
		KUNIT_ASSERT_EQ(test, psn, mod->first + ready);
	KUNIT_ASSERT_EQ(test,
			uet_txwin_next_unanswered(w, w->una, before, &psn),
			unanswered != NOBODY);
	if (unanswered != NOBODY)
		KUNIT_ASSERT_EQ(test, psn, mod->first + unanswered);
	KUNIT_ASSERT_EQ(test, uet_txwin_oldest(w, &psn, &t), oldest != NOBODY);
	if (oldest != NOBODY)
		KUNIT_ASSERT_EQ(test, t, mod->e[oldest].tx_time);
}

static void op_send(struct kunit *test, struct tx_model *mod,
		    struct uet_txwin *w, struct test_rnd *rnd)
{
	u32 n = 1 + rnd_below(rnd, 20);

	while (n-- && uet_txwin_room(w) && mod->next < MODEL_PSNS) {
		struct tx_entry *e = &mod->e[mod->next];

		memset(e, 0, sizeof(*e));
		e->size = 60 + rnd_below(rnd, 4000);
		e->cp = rnd_one_in(rnd, 20);
		e->tx_time = mod->now;
		KUNIT_ASSERT_EQ(test,
				uet_txwin_send(w, e->size, mod->next,
					       e->cp ? UET_TX_CP : 0, mod->now),
				mod->first + mod->next);
		mod->next++;
	}
}

static void op_cack(struct kunit *test, struct tx_model *mod,
		    struct uet_txwin *w, struct test_rnd *rnd)
{
	s32 at = (s32)mod->una - 10 + (s32)rnd_below(rnd, 40);
	struct uet_tx_acked got = { 0 }, want = { 0 };
	int verdict, expect = UET_CACK_NEW;
	u8 mpr = rnd_below(rnd, 5);

	if (rnd_one_in(rnd, 10))
		at = (s32)mod->next - 1;
	verdict = uet_txwin_cack(w, mod->first + at, &got);
	if (at == (s32)mod->una - 1)
		expect = UET_CACK_SAME;
	else if (at < (s32)mod->una)
		expect = UET_CACK_OLD;
	else if (at >= (s32)mod->next)
		expect = UET_CACK_BAD;
	KUNIT_ASSERT_EQ(test, verdict, expect);
	if (verdict == UET_CACK_NEW) {
		want.psns = at + 1 - mod->una;
		while ((s32)mod->una <= at)
			sum_add(&want, model_received(mod, mod->una++));
		model_clear(mod);
	}
	expect_sum(test, &got, &want);
	if (verdict != UET_CACK_NEW && verdict != UET_CACK_SAME)
		return;
	uet_txwin_mpr(w, mod->first + at, mpr);
	if (mpr)
		mod->range = mpr * 128;
	mod->limit = max(mod->limit, mod->una + mod->range);
}

static void op_sack(struct kunit *test, struct tx_model *mod,
		    struct uet_txwin *w, struct test_rnd *rnd)
{
	s32 base = (s32)mod->una - 70 +
		   (s32)rnd_below(rnd, mod->next - mod->una + 80);
	struct uet_tx_acked got = { 0 }, want = { 0 };
	u64 bits = rnd64(rnd);
	u32 i;

	if (rnd_one_in(rnd, 2))
		bits &= rnd64(rnd) & rnd64(rnd);
	if (rnd_one_in(rnd, 20))	/* hostile */
		base = (s32)rnd32(rnd);
	uet_txwin_sack(w, mod->first + (u32)base, bits, &got);
	for (i = 0; i < 64; i++) {
		s64 at = (s64)base + i;

		if (bits >> i & 1 && at >= mod->una && at < mod->next)
			sum_add(&want, model_received(mod, at));
	}
	expect_sum(test, &got, &want);
}

static void op_answer(struct kunit *test, struct tx_model *mod,
		      struct uet_txwin *w, u32 at)
{
	struct uet_tx_acked got = { 0 }, want = { 0 };
	bool fresh = at >= mod->una && at < mod->next && !mod->e[at].answered;

	KUNIT_ASSERT_EQ(test, uet_txwin_answer(w, mod->first + at, &got), fresh);
	if (fresh) {
		sum_add(&want, model_received(mod, at));
		mod->e[at].answered = true;
		model_clear(mod);
	}
	expect_sum(test, &got, &want);
}

static void op_nack(struct kunit *test, struct tx_model *mod,
		    struct uet_txwin *w, u32 at, bool retx)
{
	struct tx_entry *e = &mod->e[at];
	int want = UET_NACK_VALID;

	if (at < mod->una || at >= mod->next)
		want = UET_NACK_OUTSIDE;
	else if (e->sacked)
		want = UET_NACK_ACKED;
	else if (e->marked)
		want = UET_NACK_MARKED;
	else if (!retx && e->rtx)
		want = UET_NACK_STALE;
	KUNIT_ASSERT_EQ(test, uet_txwin_nack(w, mod->first + at, retx), want);
	if (want != UET_NACK_VALID)
		return;
	KUNIT_ASSERT_TRUE(test, !!uet_txwin_mark(w, mod->first + at));
	e->marked = true;
}

static void op_resend(struct kunit *test, struct tx_model *mod,
		      struct uet_txwin *w)
{
	struct tx_entry *e;
	u32 psn;

	if (!uet_txwin_next_marked(w, &psn))
		return;
	e = &mod->e[psn - mod->first];
	KUNIT_ASSERT_TRUE(test, e->marked && !e->held);
	uet_txwin_resend(w, psn, 0, mod->now);
	e->marked = false;
	e->tx_time = mod->now;
	e->rtx = min(e->rtx + 1, 2);
	KUNIT_ASSERT_EQ(test, uet_txwin_slot(w, psn)->rtx, e->rtx);
}

static void op_hold(struct kunit *test, struct tx_model *mod,
		    struct uet_txwin *w, u32 at, bool hold)
{
	bool can = at >= mod->una && at < mod->next && !mod->e[at].sacked;

	if (!hold) {
		uet_txwin_unhold(w, mod->first + at);
		if (can)
			mod->e[at].held = false;
		return;
	}
	KUNIT_ASSERT_EQ(test, uet_txwin_hold(w, mod->first + at), can);
	if (can)
		mod->e[at].held = true;
}

static void op_rtt(struct kunit *test, struct tx_model *mod,
		   struct uet_txwin *w, u32 at, bool retx)
{
	const struct tx_entry *e = &mod->e[at];
	u64 t = 0;
	bool ok = at >= mod->una && at < mod->next && !e->sacked &&
		  e->rtx == retx;

	KUNIT_ASSERT_EQ(test, uet_txwin_rtt(w, mod->first + at, retx, &t), ok);
	if (ok)
		KUNIT_ASSERT_EQ(test, t, e->tx_time);
}

/* Attach a ring of random size, large enough or not */
static void op_attach(struct kunit *test, struct tx_model *mod,
		      struct uet_txwin *w, struct test_rnd *rnd)
{
	void *mem = w->ring == mod->mem[0] ? mod->mem[1] : mod->mem[0];
	u32 nslots = 64 << rnd_below(rnd, 4);
	bool fits = nslots >= mod->next - mod->una;
	void *was = w->ring, *old;

	KUNIT_ASSERT_EQ(test, uet_txwin_attach(w, mem, nslots, &old),
			fits ? 0 : -ENOSPC);
	if (fits)
		KUNIT_ASSERT_TRUE(test, old == was);
}

static void one_op(struct kunit *test, struct tx_model *mod,
		   struct uet_txwin *w, struct test_rnd *rnd)
{
	u32 span = mod->next - mod->una + 8;
	u32 at = mod->una + rnd_below(rnd, span);

	at = at < 4 ? 0 : at - 4;
	at = min_t(u32, at, MODEL_PSNS - 1);
	switch (rnd_below(rnd, 16)) {
	case 0 ... 3:
		op_send(test, mod, w, rnd);
		break;
	case 4:
	case 5:
		op_cack(test, mod, w, rnd);
		break;
	case 6:
	case 7:
		op_sack(test, mod, w, rnd);
		break;
	case 8:
		op_answer(test, mod, w, at);
		break;
	case 9:
	case 10:
		op_nack(test, mod, w, at, rnd_one_in(rnd, 2));
		break;
	case 11:
	case 12:
		op_resend(test, mod, w);
		break;
	case 13:
		op_hold(test, mod, w, at, rnd_one_in(rnd, 2));
		break;
	case 14:
		op_rtt(test, mod, w, at, rnd_one_in(rnd, 2));
		break;
	case 15:
		if (rnd_one_in(rnd, 4))
			op_attach(test, mod, w, rnd);
		break;
	}
	mod->now += rnd_below(rnd, 200);
}

static void txwin_random_against_model(struct kunit *test)
{
	struct tx_model *mod = kunit_kzalloc(test, sizeof(*mod), GFP_KERNEL);
	struct test_rnd rnd = { 3 };
	u32 ops = UET_TEST_ROUNDS;
	struct uet_txwin w;
	size_t size;
	void *old;

	size = uet_txwin_mem_size(MAX_RING);
	KUNIT_ASSERT_NOT_NULL(test, mod);
	mod->mem[0] = kunit_kzalloc(test, size, GFP_KERNEL);
	mod->mem[1] = kunit_kzalloc(test, size, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, mod->mem[0]);
	KUNIT_ASSERT_NOT_NULL(test, mod->mem[1]);
	mod->next = MODEL_PSNS;
	while (ops--) {
		if (mod->next == MODEL_PSNS) {
			mod->first = -rnd_below(&rnd, MODEL_PSNS);
			mod->una = 0;
			mod->next = 0;
			mod->clear = 0;
			mod->range = 1 + rnd_below(&rnd, MAX_RING);
			mod->limit = mod->range;
			mod->now = 1 << 20;
			uet_txwin_init(&w, mod->first, mod->range);
			uet_txwin_attach(&w, mod->mem[0], 64, &old);
		}
		one_op(test, mod, &w, &rnd);
		check_counts(test, mod, &w);
		check_searches(test, mod, &w, &rnd);
	}
}

/*
 * Released bytes: whatever fields come, the total stays within what was sent,
 * and an honest receiver releases all of it.
 */
static void txwin_release_random(struct kunit *test)
{
	struct test_rnd rnd = { 4 };
	u32 i;

	for (i = 0; i < UET_TEST_ROUNDS / 50; i++) {
		u64 rcvd = 0, released = 0;
		struct uet_txwin w;
		u32 n;

		uet_txwin_init(&w, 0, 128);
		for (n = 0; n < 50; n++) {
			u32 size = 60 + rnd_below(&rnd, 9000);
			u32 field;

			/* as uet_txwin_send() counts, without a ring */
			w.sent_bytes += size;
			if (rnd_one_in(&rnd, 8))
				continue;
			rcvd += size;
			field = uet_rcvd_field(rcvd);
			released += uet_txwin_release_rcvd(&w, field);
			KUNIT_ASSERT_EQ(test, released, round_up(rcvd, 256ULL));
		}
		for (n = 0; n < 50; n++) {
			released += uet_txwin_release_rcvd(&w, rnd32(&rnd));
			released += uet_txwin_release_plain(&w, rnd32(&rnd));
			KUNIT_ASSERT_EQ(test, released, w.released_bytes);
			KUNIT_ASSERT_LE(test, released,
					round_up(w.sent_bytes, 256ULL));
		}
	}
}

static struct kunit_case txwin_model_cases[] = {
	KUNIT_CASE_SLOW(txwin_random_against_model),
	KUNIT_CASE(txwin_release_random),
	{}
};

static struct kunit_suite txwin_model_suite = {
	.name = "uet_txwin_model",
	.test_cases = txwin_model_cases,
};

kunit_test_suites(&txwin_model_suite);
