// SPDX-License-Identifier: GPL-2.0
/* Headers of runs, against those that are built one by one. */
#include <kunit/test.h>

#include "../core/wire/hdr_build.h"
#include "../core/wire/hdr_run.h"
#include "../core/wire/psn.h"
#include "random.h"

#define LEN	UET_HDR_RUN_LEN

/* A random request that has a next one; @len: its payload */
static void random_pkt(struct test_rnd *rnd, struct uet_pkt *pkt, u32 *len)
{
	u32 left = 1 + rnd_below(rnd, 1 << 20);

	*len = 1 + rnd_below(rnd, rnd_one_in(rnd, 2) ? 4096 : UET_SES_LEN14);
	*pkt = (struct uet_pkt){
		.type		= rnd_one_in(rnd, 2) ? UET_PDS_RUD_REQ :
						       UET_PDS_ROD_REQ,
		.next_hdr	= UET_NH_REQ_STD,
		.flags		= rnd32(rnd) & (UET_F_AR | UET_F_RETX),
		.spdcid		= rnd32(rnd),
		.dpdcid		= rnd32(rnd),
		.req.psn	= rnd_one_in(rnd, 4) ? U32_MAX : rnd32(rnd),
		.ses = {
			.buffer_offset	= rnd64(rnd),
			.key		= rnd64(rnd),
			.header_data	= rnd64(rnd),
			.job		= rnd32(rnd) & UET_SES_JOB_MAX,
			.initiator	= rnd32(rnd),
			.payload_length	= *len,
			.msg_id		= rnd32(rnd),
			.pid		= rnd32(rnd) & UET_SES_ID12,
			.ri		= rnd32(rnd) & UET_SES_ID12,
			.opcode		= rnd_below(rnd, UET_SES_OPCODES),
			.flags		= rnd32(rnd) & (UET_SES_F_DC |
							UET_SES_F_REL),
			.generation	= rnd32(rnd),
		},
	};
	pkt->req.clear_psn = pkt->req.psn - 1 - rnd_below(rnd, 100);
	if (rnd_one_in(rnd, 8))
		pkt->req.clear_psn = pkt->req.psn - S16_MAX;
	if (rnd_one_in(rnd, 3))
		pkt->ses.flags |= UET_SES_F_SOM |
				  (rnd_one_in(rnd, 2) ? UET_SES_F_HD : 0);
	else
		pkt->ses.message_offset = rnd32(rnd) & ~(1U << 31);
	pkt->ses.request_length = pkt->ses.message_offset + *len + left;
}

/* As a sender goes on with the next packet */
static void next_pkt(struct uet_pkt *pkt, u32 len)
{
	pkt->req.psn++;
	if (psn_delta(pkt->req.psn, pkt->req.clear_psn) > S16_MAX)
		pkt->req.clear_psn = pkt->req.psn - S16_MAX;
	pkt->flags &= ~UET_F_AR;
	pkt->ses.flags &= ~(UET_SES_F_SOM | UET_SES_F_HD);
	pkt->ses.message_offset += len;
}

static void build(struct kunit *test, u8 *hdr, const struct uet_pkt *pkt)
{
	KUNIT_ASSERT_EQ(test, uet_build_req(hdr, pkt), UET_PDS_REQ_LEN);
	uet_build_ses_std(hdr + UET_PDS_REQ_LEN, &pkt->ses);
}

/* The header after @prev */
static void next_of(u8 *to, const u8 *prev, u32 len)
{
	struct uet_hdr_run run;

	uet_hdr_run_begin(&run, prev, len);
	uet_hdr_run_put(&run, to);
}

static bool follows(const u8 *prev, const u8 *hdr, u32 len, bool last)
{
	struct uet_hdr_run run;

	uet_hdr_run_begin(&run, prev, len);
	return last ? uet_hdr_run_ends(&run, hdr) :
		      uet_hdr_run_follow(&run, hdr, LEN, 1);
}

static void hdr_run_next_is_what_is_built(struct kunit *test)
{
	u8 prev[LEN], want[LEN], got[LEN];
	u32 rounds = UET_TEST_ROUNDS, len;
	struct test_rnd rnd = { 1 };
	struct uet_pkt pkt;
	unsigned int i;

	while (rounds--) {
		random_pkt(&rnd, &pkt, &len);
		build(test, prev, &pkt);
		for (i = 0; i < 3; i++) {
			next_pkt(&pkt, len);
			build(test, want, &pkt);
			next_of(got, prev, len);
			KUNIT_ASSERT_EQ(test, memcmp(got, want, LEN), 0);
			KUNIT_ASSERT_TRUE(test, follows(prev, want, len, false));
			KUNIT_ASSERT_EQ(test, uet_hdr_len(got), len);
			memcpy(prev, want, LEN);
		}
	}
}

/* All of a run, from its first header alone, and a bit that is wrong in one of them */
static void hdr_run_whole(struct kunit *test)
{
	u32 rounds = UET_TEST_ROUNDS / 10 + 1, len, n, cut, bad, bit;
	struct uet_hdr_run writes, reads, one;
	struct test_rnd rnd = { 5 };
	struct uet_pkt pkt;
	u8 want[LEN], *hdrs;
	unsigned int i;

	hdrs = kunit_kzalloc(test, UET_RUN_MAX * 2 * LEN, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, hdrs);
	while (rounds--) {
		u32 stride = LEN + rnd_below(&rnd, LEN + 1);

		random_pkt(&rnd, &pkt, &len);
		build(test, want, &pkt);
		uet_hdr_run_begin(&writes, want, len);
		reads = writes;
		n = 1 + rnd_below(&rnd, UET_RUN_MAX);
		for (i = 0; i < n; i++) {
			next_pkt(&pkt, len);
			build(test, want, &pkt);
			uet_hdr_run_put(&writes, hdrs + i * stride);
			KUNIT_ASSERT_EQ(test, memcmp(hdrs + i * stride, want, LEN),
					0);
		}
		one = reads;
		bad = rnd_below(&rnd, n);
		bit = rnd_below(&rnd, 8 * LEN);
		/* In two pieces, as they lie in pages */
		cut = rnd_below(&rnd, n);
		KUNIT_ASSERT_EQ(test, uet_hdr_run_follow(&reads, hdrs, stride, cut),
				cut);
		KUNIT_ASSERT_EQ(test,
				uet_hdr_run_follow(&reads, hdrs + cut * stride,
						   stride, n - 1 - cut), n - 1 - cut);
		KUNIT_ASSERT_TRUE(test,
				  uet_hdr_run_ends(&reads,
						   hdrs + (n - 1) * stride));
		hdrs[bad * stride + bit / 8] ^= BIT(bit % 8);
		KUNIT_ASSERT_EQ(test, uet_hdr_run_follow(&one, hdrs, stride, n),
				bad);
	}
}

static void hdr_run_end_is_what_is_built(struct kunit *test)
{
	u8 prev[LEN], want[LEN], got[LEN];
	u32 rounds = UET_TEST_ROUNDS, len;
	struct test_rnd rnd = { 2 };
	struct uet_pkt pkt;

	while (rounds--) {
		bool ar = rnd_one_in(&rnd, 2), eom = rnd_one_in(&rnd, 2);
		u32 tail;

		random_pkt(&rnd, &pkt, &len);
		build(test, prev, &pkt);
		next_pkt(&pkt, len);
		tail = 1 + rnd_below(&rnd, len);
		pkt.ses.payload_length = tail;
		pkt.flags |= ar ? UET_F_AR : 0;
		pkt.ses.flags |= eom ? UET_SES_F_EOM : 0;
		build(test, want, &pkt);
		next_of(got, prev, len);
		uet_hdr_set_len(got, tail);
		uet_hdr_end(got, ar, eom);
		KUNIT_ASSERT_EQ(test, memcmp(got, want, LEN), 0);
		KUNIT_ASSERT_EQ(test, uet_hdr_has_ar(got), ar);
		KUNIT_ASSERT_EQ(test, uet_hdr_has_eom(got), eom);
		KUNIT_ASSERT_EQ(test, uet_hdr_len(got), tail);
		KUNIT_ASSERT_TRUE(test, follows(prev, got, len, true));
		KUNIT_ASSERT_EQ(test, follows(prev, got, len, false),
				!ar && !eom && tail == len);
	}
}

/* The next header with one bit changed: what the last of a run may have */
static bool allowed(const u8 *hdr, u32 len, unsigned int bit)
{
	unsigned int byte = bit / 8, flag = BIT(bit % 8);

	return (byte == 1 && flag == UET_F_AR) ||
	       (byte == UET_PDS_REQ_LEN + 1 && flag == UET_SES_F_EOM) ||
	       (uet_hdr_len(hdr) != len && uet_hdr_len(hdr) &&
		uet_hdr_len(hdr) < len);
}

static void hdr_run_rejects_every_changed_bit(struct kunit *test)
{
	u32 rounds = UET_TEST_ROUNDS / 100 + 1, len;
	struct test_rnd rnd = { 3 };
	u8 prev[LEN], hdr[LEN];
	struct uet_pkt pkt;
	unsigned int bit;

	while (rounds--) {
		random_pkt(&rnd, &pkt, &len);
		build(test, prev, &pkt);
		next_of(hdr, prev, len);
		for (bit = 0; bit < 8 * LEN; bit++) {
			hdr[bit / 8] ^= BIT(bit % 8);
			KUNIT_ASSERT_FALSE(test, follows(prev, hdr, len, false));
			KUNIT_ASSERT_EQ(test,
					follows(prev, hdr, len, true),
					allowed(hdr, len, bit));
			hdr[bit / 8] ^= BIT(bit % 8);
		}
		KUNIT_ASSERT_FALSE(test, follows(prev, prev, len, true));
	}
}

/* Any bytes: nothing but what is made of the first header follows it */
static void hdr_run_follows_is_next(struct kunit *test)
{
	u8 prev[LEN], hdr[LEN], want[LEN];
	u32 rounds = UET_TEST_ROUNDS;
	struct test_rnd rnd = { 4 };
	unsigned int i;

	while (rounds--) {
		u32 len = 1 + rnd_below(&rnd, UET_SES_LEN14);

		for (i = 0; i < LEN; i++)
			prev[i] = rnd32(&rnd);
		next_of(want, prev, len);
		memcpy(hdr, want, LEN);
		for (i = rnd_below(&rnd, 3); i; i--)
			hdr[rnd_below(&rnd, LEN)] = rnd32(&rnd);
		KUNIT_ASSERT_EQ(test, follows(prev, hdr, len, false),
				!memcmp(hdr, want, LEN));
	}
}

static struct kunit_case hdr_run_cases[] = {
	KUNIT_CASE(hdr_run_next_is_what_is_built),
	KUNIT_CASE(hdr_run_whole),
	KUNIT_CASE(hdr_run_end_is_what_is_built),
	KUNIT_CASE(hdr_run_rejects_every_changed_bit),
	KUNIT_CASE(hdr_run_follows_is_next),
	{}
};

static struct kunit_suite hdr_run_suite = {
	.name = "uet_hdr_run",
	.test_cases = hdr_run_cases,
};

kunit_test_suites(&hdr_run_suite);
