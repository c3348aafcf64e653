// SPDX-License-Identifier: GPL-2.0
/* When a source sets AR, and whether it can expect an ACK anyway. */
#include <kunit/test.h>

#include "../core/snd/ackreq.h"

#define SLOTS		128
#define FIRST		0xfffffff0u	/* close to the wrap */
#define OVERHEAD	100
#define LEN		4096

static const struct uet_ackreq_rule rule = {
	.trigger = 16384, .min_add = 1024, .overhead = OVERHEAD,
};

static void begin(struct kunit *test, struct uet_txwin *w,
		  struct uet_ackreq *a)
{
	void *mem = kunit_kzalloc(test, uet_txwin_mem_size(SLOTS), GFP_KERNEL);
	void *old;

	KUNIT_ASSERT_NOT_NULL(test, mem);
	uet_txwin_init(w, FIRST, SLOTS);
	KUNIT_ASSERT_EQ(test, uet_txwin_attach(w, mem, SLOTS, &old), 0);
	uet_ackreq_init(a, FIRST);
}

static u32 send(struct uet_txwin *w, struct uet_ackreq *a, u32 len, bool ar)
{
	u32 psn = uet_txwin_send(w, OVERHEAD + len, 0, 0, 1);

	uet_ackreq_sent(a, &rule, psn, uet_ackreq_counted(&rule, len), ar);
	return psn;
}

/* An answer is due at the trigger, or for a packet with AR. */
static void ackreq_due(struct kunit *test)
{
	struct uet_tx_acked sum = { 0 };
	struct uet_ackreq a;
	struct uet_txwin w;
	u32 i, psn;

	begin(test, &w, &a);
	KUNIT_EXPECT_FALSE(test, uet_ackreq_due(&a, &w, &rule));
	for (i = 0; i < 3; i++)
		psn = send(&w, &a, LEN, false);
	KUNIT_EXPECT_FALSE(test, uet_ackreq_due(&a, &w, &rule));
	psn = send(&w, &a, LEN, false);
	KUNIT_EXPECT_TRUE(test, uet_ackreq_due(&a, &w, &rule));
	uet_txwin_cack(&w, psn, &sum);
	KUNIT_EXPECT_FALSE(test, uet_ackreq_due(&a, &w, &rule));
	psn = send(&w, &a, LEN, true);
	KUNIT_EXPECT_TRUE(test, uet_ackreq_due(&a, &w, &rule));
	/* lost: it cannot be retransmitted while the window is full */
	uet_txwin_mark(&w, psn);
	KUNIT_EXPECT_FALSE(test, uet_ackreq_due(&a, &w, &rule));
	uet_txwin_resend(&w, psn, 0, 2);
	uet_ackreq_sent(&a, &rule, psn, LEN, true);
	KUNIT_EXPECT_TRUE(test, uet_ackreq_due(&a, &w, &rule));
	uet_txwin_sack(&w, psn, 1, &sum);
	KUNIT_EXPECT_FALSE(test, uet_ackreq_due(&a, &w, &rule));
}

/*
 * The target answers a packet with an ECN mark at once and restarts its count,
 * so it does not answer when this host's own count reaches the trigger.
 */
static void ackreq_target_counts_anew(struct kunit *test)
{
	struct uet_tx_acked sum = { 0 };
	struct uet_ackreq a;
	struct uet_txwin w;
	u32 i;

	begin(test, &w, &a);
	for (i = 0; i < 6; i++)
		send(&w, &a, LEN, false);
	KUNIT_EXPECT_TRUE(test, uet_ackreq_due(&a, &w, &rule));
	/* third packet: ECN mark; fourth: reaches the trigger by our count only */
	uet_txwin_cack(&w, FIRST + 2, &sum);
	KUNIT_EXPECT_FALSE(test, uet_ackreq_due(&a, &w, &rule));
	KUNIT_EXPECT_TRUE(test, uet_ackreq_wanted(&a, &w, &rule, LEN, 1 << 20, 0));
	send(&w, &a, LEN, false);
	KUNIT_EXPECT_TRUE(test, uet_ackreq_due(&a, &w, &rule));
	KUNIT_EXPECT_FALSE(test, uet_ackreq_wanted(&a, &w, &rule, LEN,
						   1 << 20, 0));
}

/* A small packet counts as min_add bytes. */
static void ackreq_small_packets(struct kunit *test)
{
	struct uet_ackreq a;
	struct uet_txwin w;
	u32 i;

	begin(test, &w, &a);
	for (i = 0; i < 15; i++)
		send(&w, &a, 10, false);
	KUNIT_EXPECT_FALSE(test, uet_ackreq_due(&a, &w, &rule));
	send(&w, &a, 10, false);
	KUNIT_EXPECT_TRUE(test, uet_ackreq_due(&a, &w, &rule));
}

/* At most four per window; every packet if window < trigger. */
static void ackreq_wanted(struct kunit *test)
{
	struct uet_ackreq a;
	struct uet_txwin w;

	begin(test, &w, &a);
	KUNIT_EXPECT_TRUE(test, uet_ackreq_wanted(&a, &w, &rule, LEN, 16383, 0));
	KUNIT_EXPECT_TRUE(test, uet_ackreq_wanted(&a, &w, &rule, LEN, 40000, 0));
	send(&w, &a, LEN, true);
	KUNIT_EXPECT_FALSE(test, uet_ackreq_wanted(&a, &w, &rule, LEN, 40000, 0));
	send(&w, &a, LEN, false);
	send(&w, &a, LEN, false);
	KUNIT_EXPECT_TRUE(test, uet_ackreq_wanted(&a, &w, &rule, LEN, 40000, 0));
	KUNIT_EXPECT_FALSE(test, uet_ackreq_wanted(&a, &w, &rule, LEN, 60000, 0));

	/* half of the window belongs to another PDC */
	KUNIT_EXPECT_FALSE(test, uet_ackreq_wanted(&a, &w, &rule, LEN, 60000,
						   w.ring->flight_bytes));
	KUNIT_EXPECT_TRUE(test, uet_ackreq_wanted(&a, &w, &rule, LEN, 60000,
						  2 * w.ring->flight_bytes));
}

#define SENT	4096

/*
 * Packets take @turns different values or links in turn, and the target answers
 * every n-th packet. Answers must report on all values or links, and evenly, even
 * if n is a multiple of @turns or the reverse.
 */
static void slips(struct kunit *test, u32 len, u32 turns)
{
	u32 i, count = 0, answers = 0, told[64] = { 0 };
	u32 per_answer = DIV_ROUND_UP(rule.trigger, max(len, rule.min_add));
	struct uet_ackreq a;

	uet_ackreq_init(&a, FIRST);
	for (i = 0; i < SENT; i++) {
		bool ar = uet_ackreq_slips(&a, &rule,
					 uet_ackreq_counted(&rule, len));

		uet_ackreq_sent(&a, &rule, FIRST + i,
				uet_ackreq_counted(&rule, len), ar);
		count += max(len, rule.min_add);
		if (!ar && count < rule.trigger)
			continue;
		count = 0;
		answers++;
		told[i % turns]++;
	}
	for (i = 0; i < turns; i++)
		KUNIT_EXPECT_GE(test, told[i] * turns * 2, answers);
	KUNIT_EXPECT_LE(test, answers * 100, SENT * 110 / per_answer);
}

static void ackreq_tells_of_all(struct kunit *test)
{
	static const u32 lens[] = { 10, 1024, 2048, LEN, 8192, 9000, 16384 };
	u32 i, turns;

	for (i = 0; i < ARRAY_SIZE(lens); i++)
		for (turns = 1; turns <= 64; turns *= 2)
			slips(test, lens[i], turns);
}

/* Four runs, and not fewer bytes than four triggers, nor more than eight */
static void ackreq_runs(struct kunit *test)
{
	static const struct {
		u32 trigger;
		u32 bytes;
		u32 want;
	} runs[] = {
		{ 16384, 2048, 65536 },
		{ 16384, 16384, 65536 },
		{ 16384, 24576, 98304 },
		{ 16384, 32768, 131072 },
		{ 16384, 61440, 131072 },
		{ 32768, 65535, 262140 },
		{ 0, 61440, 0 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(runs); i++)
		KUNIT_EXPECT_EQ(test,
				uet_ackreq_run_trigger(runs[i].trigger,
						       runs[i].bytes),
				runs[i].want);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(ackreq_due),
	KUNIT_CASE(ackreq_target_counts_anew),
	KUNIT_CASE(ackreq_small_packets),
	KUNIT_CASE(ackreq_wanted),
	KUNIT_CASE(ackreq_runs),
	KUNIT_CASE(ackreq_tells_of_all),
	{}
};

static struct kunit_suite suite = {
	.name = "uet_ackreq",
	.test_cases = cases,
};

kunit_test_suites(&suite);
