// SPDX-License-Identifier: GPL-2.0
/*
 * Header parser and builders: example packets both ways, truncation at every
 * byte, reserved code points.
 */
#include <kunit/test.h>

#include "hdr_examples.h"
#include "pkt_build.h"
#include "random.h"

#define UET_PDS_HDR	UET_PDS_REQ_LEN

/* A copy of exactly @len bytes, so that a read beyond them is caught. */
static void *exact_copy(struct kunit *test, const void *data, size_t len)
{
	void *p = kunit_kmalloc(test, len ? len : 1, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, p);
	memcpy(p, data, len);
	return p;
}

static void example_desc(const struct hdr_example *ex, char *desc)
{
	strscpy(desc, ex->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(example, hdr_examples, example_desc);

static void hdr_example_parse(struct kunit *test)
{
	const struct hdr_example *ex = test->param_value;
	const void *data = exact_copy(test, ex->bytes, ex->linear);
	struct uet_pkt pkt;

	memset(&pkt, 0, sizeof(pkt));
	KUNIT_ASSERT_EQ(test, uet_pkt_parse(&pkt, data, ex->linear,
					    ex->linear + ex->extra), 0);
	/* hdr_example_told() is about this one. */
	pkt.exact = false;
	KUNIT_EXPECT_MEMEQ(test, &pkt, &ex->pkt, sizeof(pkt));
}

/* Compare two structures up to @last, their last member, without padding. */
#define EXPECT_SAME(test, a, b, type, last) \
	KUNIT_EXPECT_MEMEQ(test, a, b, offsetofend(type, last))

/* No valid member depends on the previous contents of the structure. */
static void hdr_example_parse_writes_all(struct kunit *test)
{
	const struct hdr_example *ex = test->param_value;
	unsigned int len = ex->linear + ex->extra;
	struct uet_pkt a, b;

	memset(&a, 0x00, sizeof(a));
	memset(&b, 0xff, sizeof(b));
	KUNIT_ASSERT_EQ(test, uet_pkt_parse(&a, ex->bytes, ex->linear, len), 0);
	KUNIT_ASSERT_EQ(test, uet_pkt_parse(&b, ex->bytes, ex->linear, len), 0);
	EXPECT_SAME(test, &a, &b, struct uet_pkt, exact);
	if (uet_pkt_is_pds_req(&a))
		EXPECT_SAME(test, &a.req, &b.req, struct uet_req, ccc_id);
	else if (uet_pkt_is_ack(&a))
		EXPECT_SAME(test, &a.ack, &b.ack, struct uet_ack, rc);
	else if (uet_pkt_is_nack(&a))
		EXPECT_SAME(test, &a.nack, &b.nack, struct uet_nack, vendor);
	else if (a.type == UET_PDS_CP)
		EXPECT_SAME(test, &a.cp, &b.cp, struct uet_cp, probe_opaque);
	if (uet_pkt_has_ses_req(&a))
		EXPECT_SAME(test, &a.ses, &b.ses, struct uet_ses_req, ext_len);
	else if (uet_pkt_has_ses_rsp(&a))
		EXPECT_SAME(test, &a.rsp, &b.rsp, struct uet_ses_rsp,
			    generation);
}

/* Is it the first packet of several, which does not tell its length? */
static bool first_of_several(const struct uet_pkt *pkt)
{
	return uet_pkt_has_ses_req(pkt) &&
	       (pkt->ses.flags & (UET_SES_F_SOM | UET_SES_F_EOM)) ==
	       UET_SES_F_SOM && pkt->payload_len;
}

/* Does a packet have data that it tells the length of? */
static bool tells_data(const struct uet_pkt *pkt)
{
	return uet_pkt_has_ses_req(pkt) && pkt->ses.opcode == UET_SES_OP_SEND &&
	       !first_of_several(pkt);
}

/* Sound headers tell the length, and tell the same if a trailer follows. */
static void hdr_example_told(struct kunit *test)
{
	const struct hdr_example *ex = test->param_value;
	unsigned int len = ex->linear + ex->extra;
	unsigned int want = first_of_several(&ex->pkt) ? 0 : len;
	struct uet_pkt pkt;

	if (ex->pkt.violation)
		return;
	KUNIT_ASSERT_EQ(test, uet_pkt_parse(&pkt, ex->bytes, ex->linear, len), 0);
	KUNIT_EXPECT_EQ(test, uet_pkt_told_len(&pkt), want);
	if (pkt.exact)
		KUNIT_EXPECT_EQ(test, want, len);
	if (tells_data(&pkt))
		KUNIT_EXPECT_TRUE(test, pkt.exact);
	KUNIT_ASSERT_EQ(test, uet_pkt_parse(&pkt, ex->bytes, ex->linear, len + 4),
			0);
	KUNIT_EXPECT_EQ(test, uet_pkt_told_len(&pkt), want);
	KUNIT_EXPECT_FALSE(test, pkt.exact);
}

/* What is longer than any packet is told without a wrap. */
static void hdr_told_huge(struct kunit *test)
{
	struct uet_pkt pkt = {
		.next_hdr = UET_NH_REQ_STD, .hdr_len = 56,
		.ses = {
			.opcode = UET_SES_OP_SEND, .request_length = U32_MAX,
			.flags = UET_SES_F_SOM | UET_SES_F_EOM,
		},
	};

	KUNIT_EXPECT_GT(test, uet_pkt_told_len(&pkt), U16_MAX);
	pkt.ses.opcode = 0x2f;
	KUNIT_EXPECT_EQ(test, uet_pkt_told_len(&pkt), 0);
	/* Probes of a path are padded. */
	pkt.ses.opcode = UET_SES_OP_NO_OP;
	pkt.ses.request_length = 4;
	KUNIT_EXPECT_EQ(test, uet_pkt_told_len(&pkt), 60);
	pkt.ses.opcode = UET_SES_OP_DEFERRABLE_RTR;
	KUNIT_EXPECT_EQ(test, uet_pkt_told_len(&pkt), 56);
}

static void hdr_example_build(struct kunit *test)
{
	const struct hdr_example *ex = test->param_value;
	u8 want[UET_HDR_MAX_LEN], got[UET_HDR_MAX_LEN];
	unsigned int len = ex->pkt.hdr_len;

	memset(want, 0xa5, sizeof(want));
	memset(got, 0xa5, sizeof(got));
	memcpy(want, ex->bytes, len);
	if (ex->rsv_pdc)
		want[10] &= 0x7f;
	KUNIT_ASSERT_EQ(test, pkt_build(got, &ex->pkt), len);
	KUNIT_EXPECT_MEMEQ(test, got, want, sizeof(got));
}

/* Cut short the packet, or what is readable of it, at every byte. */
static void hdr_example_truncate(struct kunit *test)
{
	const struct hdr_example *ex = test->param_value;
	unsigned int n;

	for (n = 0; n < ex->linear; n++) {
		u8 *data = kunit_kmalloc(test, 1 + EX_MAX_BYTES, GFP_KERNEL);
		unsigned int hdr = ex->pkt.hdr_len;
		u8 *end = data + 1 + EX_MAX_BYTES - n;
		struct uet_pkt pkt;
		int cut, part;

		KUNIT_ASSERT_NOT_NULL(test, data);
		memcpy(end, ex->bytes, n);
		cut = uet_pkt_parse(&pkt, end, n, n);
		part = uet_pkt_parse(&pkt, end, n, ex->linear + ex->extra);
		if (n < ex->pkt.pds_len)
			KUNIT_EXPECT_EQ(test, cut, -UET_PERR_SHORT);
		else if (n < hdr)
			KUNIT_EXPECT_EQ(test, cut, -UET_PERR_SHORT_SES);
		else
			KUNIT_EXPECT_EQ(test, cut, 0);
		if (n < hdr)
			KUNIT_EXPECT_EQ(test, part, -UET_PERR_LINEAR);
		else
			KUNIT_EXPECT_EQ(test, part, 0);
		/* A single packet must carry its message, no more, no less. */
		if (!cut && uet_pkt_has_ses_req(&ex->pkt) &&
		    ex->pkt.payload_len) {
			uet_pkt_parse(&pkt, end, n, n);
			KUNIT_EXPECT_NE(test, pkt.violation, UET_VIOL_NONE);
			KUNIT_EXPECT_EQ(test, pkt.payload_len, 0);
		}
	}
}

static void hdr_example_trimmed(struct kunit *test)
{
	const struct hdr_example *ex = test->param_value;
	unsigned int n = min_t(unsigned int, ex->linear, UET_TRIM_KEEP_BYTES);
	const void *data = exact_copy(test, ex->bytes, n);
	bool answer = uet_pkt_is_ack(&ex->pkt) || uet_pkt_is_nack(&ex->pkt);
	struct uet_pkt pkt;
	int err;

	memset(&pkt, 0, sizeof(pkt));
	err = uet_pkt_parse_trimmed(&pkt, data, n);
	if (answer) {
		KUNIT_EXPECT_EQ(test, err, -UET_PERR_TRIMMED_TYPE);
		return;
	}
	KUNIT_ASSERT_EQ(test, err, 0);
	KUNIT_EXPECT_EQ(test, pkt.type, ex->pkt.type);
	KUNIT_EXPECT_EQ(test, pkt.flags, ex->pkt.flags);
	KUNIT_EXPECT_EQ(test, pkt.hdr_len, ex->pkt.pds_len);
	KUNIT_EXPECT_EQ(test, pkt.payload_len, 0);
	KUNIT_EXPECT_EQ(test, pkt.spdcid, ex->pkt.spdcid);
	KUNIT_EXPECT_EQ(test, pkt.dpdcid, ex->pkt.dpdcid);
	KUNIT_EXPECT_MEMEQ(test, &pkt.req, &ex->pkt.req, sizeof(pkt.ack));
}

/* The second SYN packet of a PDC, its header alone */
static void hdr_second_syn(struct kunit *test)
{
	static const u8 bytes[] = {
		0x11, 0x8c, 0xff, 0xfe, 0x12, 0x34, 0x56, 0x79,
		0x0a, 0x01, 0x80, 0x01,
	};
	struct uet_pkt pkt;
	u8 out[UET_PDS_HDR];

	KUNIT_EXPECT_EQ(test, uet_pkt_parse(&pkt, bytes, 12, 12),
			-UET_PERR_SHORT_SES);
	KUNIT_ASSERT_EQ(test, uet_pkt_parse_trimmed(&pkt, bytes, 12), 0);
	KUNIT_EXPECT_EQ(test, pkt.req.psn, 0x12345679u);
	KUNIT_EXPECT_EQ(test, pkt.req.start_psn, 0x12345678u);
	KUNIT_EXPECT_EQ(test, pkt.req.clear_psn, 0x12345677u);
	KUNIT_EXPECT_EQ(test, pkt.dpdcid, 0);
	KUNIT_EXPECT_EQ(test, uet_build_req(out, &pkt), 12u);
	KUNIT_EXPECT_EQ(test, out[10], 0);
	KUNIT_EXPECT_EQ(test, out[11], 1);
}

/* Every prologue: parsed, or rejected with the right error. */
static void hdr_all_prologues(struct kunit *test)
{
	static const u16 next[UET_PDS_TYPES] = {
		[UET_PDS_RUD_REQ] = 0x6e, [UET_PDS_ROD_REQ] = 0x6e,
		[UET_PDS_RUD_CC_REQ] = 0x6e, [UET_PDS_ROD_CC_REQ] = 0x6e,
		[UET_PDS_RUDI_REQ] = 0x0e, [UET_PDS_RUDI_RESP] = 0x70,
		[UET_PDS_UUD_REQ] = 0x0c, [UET_PDS_ACK] = 0x71,
		[UET_PDS_ACK_CC] = 0x71, [UET_PDS_ACK_CCX] = 0x71,
		[UET_PDS_NACK] = 0x01, [UET_PDS_NACK_CCX] = 0x01,
		[UET_PDS_CP] = 0x3ff,
	};
	u8 data[UET_HDR_MAX_LEN] = { 0 };
	struct uet_pkt pkt;
	unsigned int word;

	for (word = 0; word <= U16_MAX; word++) {
		unsigned int type = word >> 11, nh = word >> 7 & 15;
		int want = 0, got;

		if (type == UET_PDS_TSS)
			want = -UET_PERR_TSS;
		else if (!next[type])
			want = -UET_PERR_TYPE;
		else if (!(next[type] >> nh & 1))
			want = type == UET_PDS_CP ? -UET_PERR_CTL_TYPE :
						    -UET_PERR_NEXT_HDR;
		uet_put_be16(word, data);
		got = uet_pkt_parse(&pkt, data, sizeof(data), sizeof(data));
		KUNIT_ASSERT_EQ_MSG(test, got, want, "prologue 0x%04x", word);
	}
}

static void hdr_oversize(struct kunit *test)
{
	u8 data[UET_HDR_MAX_LEN] = { 0x11, 0x80 };
	struct uet_pkt pkt;

	data[UET_PDS_HDR] = UET_SES_OP_SEND;
	data[UET_PDS_HDR + 1] = UET_SES_F_SOM;
	uet_put_be32(U32_MAX, data + 52);
	KUNIT_EXPECT_EQ(test, uet_pkt_parse(&pkt, data, sizeof(data), 65536),
			-UET_PERR_OVERSIZE);
	KUNIT_EXPECT_EQ(test, uet_pkt_parse(&pkt, data, sizeof(data), 65535),
			0);
	KUNIT_EXPECT_EQ(test, pkt.payload_len, 65535 - 56);
	/* More readable than the packet has, as with a padded frame */
	KUNIT_EXPECT_EQ(test, uet_pkt_parse(&pkt, data, sizeof(data), 58), 0);
	KUNIT_EXPECT_EQ(test, pkt.payload_len, 2);
	KUNIT_EXPECT_EQ(test, uet_pkt_parse(&pkt, data, sizeof(data), 55),
			-UET_PERR_SHORT_SES);
}

/* A PSN distance at the limit of its field is built, one beyond is not */
static void hdr_build_limits(struct kunit *test)
{
	struct uet_pkt pkt = { .type = UET_PDS_RUD_REQ,
			       .next_hdr = UET_NH_REQ_STD };
	u8 data[UET_HDR_MAX_LEN];

	pkt.req.psn = 5;
	pkt.req.clear_psn = 5 - 32768;
	KUNIT_EXPECT_EQ(test, uet_build_req(data, &pkt), 12u);
	pkt.req.clear_psn--;
	KUNIT_EXPECT_EQ(test, uet_build_req(data, &pkt), 0u);
	pkt.req.clear_psn = 4;
	pkt.flags = UET_F_SYN;
	pkt.req.start_psn = 5 - 4095;
	KUNIT_EXPECT_EQ(test, uet_build_req(data, &pkt), 12u);
	pkt.req.start_psn--;
	KUNIT_EXPECT_EQ(test, uet_build_req(data, &pkt), 0u);
	pkt.req.start_psn = 6;
	KUNIT_EXPECT_EQ(test, uet_build_req(data, &pkt), 0u);

	memset(&pkt, 0, sizeof(pkt));
	pkt.type = UET_PDS_ACK_CC;
	pkt.ack.cack_psn = 100;
	pkt.ack.ack_psn = 100 + 32767;
	pkt.ack.sack_base = 100 - 32768;
	KUNIT_EXPECT_EQ(test, uet_build_ack_rsp(data, &pkt), 32u);
	pkt.ack.ack_psn++;
	KUNIT_EXPECT_EQ(test, uet_build_ack_rsp(data, &pkt), 0u);
	pkt.ack.ack_psn = 100;
	pkt.ack.sack_base--;
	KUNIT_EXPECT_EQ(test, uet_build_ack_rsp(data, &pkt), 0u);
	pkt.type = UET_PDS_ACK_CCX;
	KUNIT_EXPECT_EQ(test, pkt_build(data, &pkt), 0u);
	pkt.type = UET_PDS_RSVD;
	KUNIT_EXPECT_EQ(test, pkt_build(data, &pkt), 0u);
}

/* Extended state is skipped; the fields before it are used. */
static void hdr_extended_acks(struct kunit *test)
{
	u8 data[UET_PDS_ACK_CCX_LEN + UET_SES_RSP_LEN] = { 0 };
	struct uet_pkt pkt;

	uet_put_be16(UET_PROLOGUE(UET_PDS_ACK_CCX, UET_NH_RSP, 0), data);
	uet_put_be32(77, data + 4);
	data[12] = 0x10;
	data[13] = 3;
	data[23] = 1;
	memset(data + 24, 0xee, 16);
	data[40] = UET_RSP_OP_RESPONSE;
	data[41] = UET_RC_NO_MATCH;
	KUNIT_ASSERT_EQ(test, uet_pkt_parse(&pkt, data, 52, 52), 0);
	KUNIT_EXPECT_EQ(test, pkt.ack.cack_psn, 77u);
	KUNIT_EXPECT_EQ(test, pkt.ack.mpr, 3);
	KUNIT_EXPECT_EQ(test, pkt.ack.sack_bitmap, 1ULL);
	KUNIT_EXPECT_EQ(test, pkt.ack.cc_type, UET_CC_NONE);
	KUNIT_EXPECT_EQ(test, pkt.ack.credit, 0u);
	KUNIT_EXPECT_EQ(test, pkt.ack.ooo_count, UET_OOO_INVALID);
	KUNIT_EXPECT_EQ(test, pkt.rsp.code, UET_RC_NO_MATCH);

	/* ACK_CC with an unknown cc_type */
	uet_put_be16(UET_PROLOGUE(UET_PDS_ACK_CC, UET_NH_NONE, 0), data);
	data[12] = 0x20;
	KUNIT_ASSERT_EQ(test, uet_pkt_parse(&pkt, data, 52, 52), 0);
	KUNIT_EXPECT_EQ(test, pkt.ack.cc_type, UET_CC_NONE);
	KUNIT_EXPECT_EQ(test, pkt.ack.rcvd_bytes, 0u);

	memset(data, 0, sizeof(data));
	uet_put_be16(UET_PROLOGUE(UET_PDS_NACK_CCX, 0, 0), data);
	data[2] = UET_NACK_TRIMMED;
	KUNIT_EXPECT_EQ(test, uet_pkt_parse(&pkt, data, 31, 31),
			-UET_PERR_SHORT);
	KUNIT_ASSERT_EQ(test, uet_pkt_parse(&pkt, data, 32, 32), 0);
	KUNIT_EXPECT_TRUE(test, uet_pkt_is_nack(&pkt));
	KUNIT_EXPECT_EQ(test, pkt.nack.code, UET_NACK_TRIMMED);
}

/*
 * Random headers: parse random bytes, build the result, parse and build again:
 * both results and both builds must be equal.
 */
static void hdr_random_round_trips(struct kunit *test)
{
	struct test_rnd rnd = { 1 };
	unsigned int i, parsed = 0;

	for (i = 0; i < UET_TEST_ROUNDS; i++) {
		u8 data[UET_HDR_MAX_LEN + 16], a[UET_HDR_MAX_LEN];
		unsigned int len = rnd_below(&rnd, sizeof(data) + 1), n;
		u8 b[UET_HDR_MAX_LEN];
		struct uet_pkt pkt, again;

		for (n = 0; n < sizeof(data); n += 8)
			uet_put_be64(rnd64(&rnd), data + n);
		/* mostly types, next headers and versions that exist */
		data[0] = (2 + rnd_below(&rnd, 13)) << 3 | (data[0] & 3);
		for (n = 4; n < 32; n += 4)
			data[n + 1] &= 0x3f;
		memset(&pkt, 0, sizeof(pkt));
		if (uet_pkt_parse(&pkt, data, len, len))
			continue;
		n = pkt_build(a, &pkt);
		if (!n)
			continue;
		parsed++;
		/* Unknown state is built as NSCC with all state invalid. */
		if (pkt.type == UET_PDS_ACK_CC &&
		    pkt.ack.cc_type == UET_CC_NONE)
			pkt.ack.cc_type = UET_CC_NSCC;
		KUNIT_ASSERT_LE(test, n, (unsigned int)pkt.hdr_len);
		KUNIT_ASSERT_EQ(test, n + (uet_pkt_has_ses_req(&pkt) ?
					   pkt.ses.ext_len : 0),
				(unsigned int)pkt.hdr_len);
		memcpy(data, a, n);
		memset(&again, 0, sizeof(again));
		KUNIT_ASSERT_EQ(test, uet_pkt_parse(&again, data, len, len), 0);
		KUNIT_EXPECT_MEMEQ(test, &again, &pkt, sizeof(pkt));
		KUNIT_ASSERT_EQ(test, pkt_build(b, &again), n);
		KUNIT_EXPECT_MEMEQ(test, a, b, n);
	}
	KUNIT_EXPECT_GT(test, parsed, (unsigned int)UET_TEST_ROUNDS / 50);
}

static struct kunit_case hdr_cases[] = {
	KUNIT_CASE_PARAM(hdr_example_parse, example_gen_params),
	KUNIT_CASE_PARAM(hdr_example_parse_writes_all, example_gen_params),
	KUNIT_CASE_PARAM(hdr_example_told, example_gen_params),
	KUNIT_CASE(hdr_told_huge),
	KUNIT_CASE_PARAM(hdr_example_build, example_gen_params),
	KUNIT_CASE_PARAM(hdr_example_truncate, example_gen_params),
	KUNIT_CASE_PARAM(hdr_example_trimmed, example_gen_params),
	KUNIT_CASE(hdr_second_syn),
	KUNIT_CASE(hdr_all_prologues),
	KUNIT_CASE(hdr_oversize),
	KUNIT_CASE(hdr_build_limits),
	KUNIT_CASE(hdr_extended_acks),
	KUNIT_CASE(hdr_random_round_trips),
	{}
};

static struct kunit_suite hdr_suite = {
	.name = "uet_hdr",
	.test_cases = hdr_cases,
};

kunit_test_suites(&hdr_suite);
