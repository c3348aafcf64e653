// SPDX-License-Identifier: GPL-2.0
/*
 * SES headers: versions, opcodes, lengths and offsets that contradict each
 * other, short forms, extension headers.
 */
#include <kunit/test.h>

#include "pkt_build.h"

#define UET_PDS_HDR	UET_PDS_REQ_LEN

static void hdr_ses_versions_and_opcodes(struct kunit *test)
{
	struct uet_pkt pkt;
	u8 data[64] = { 0 };
	unsigned int v;

	for (v = 0; v < 4; v++) {
		uet_put_be16(UET_PROLOGUE(UET_PDS_RUD_REQ,
					  UET_NH_REQ_STD, 0), data);
		data[UET_PDS_HDR] = UET_SES_OP_SEND;
		data[UET_PDS_HDR + 1] = v << 6 | UET_SES_F_SOM;
		KUNIT_EXPECT_EQ(test, uet_pkt_parse(&pkt, data, 64, 64),
				v ? -UET_PERR_SES_VERSION : 0);
		uet_put_be16(UET_PROLOGUE(UET_PDS_ACK, UET_NH_RSP, 0),
			     data);
		data[UET_PDS_HDR] = UET_RSP_OP_RESPONSE;
		KUNIT_EXPECT_EQ(test, uet_pkt_parse(&pkt, data, 64, 64),
				v ? -UET_PERR_SES_VERSION : 0);
	}
	/* Reserved bits of the opcode byte are ignored in a request. */
	uet_put_be16(UET_PROLOGUE(UET_PDS_RUD_REQ, UET_NH_REQ_STD, 0),
		     data);
	data[UET_PDS_HDR] = 0xc0 | UET_SES_OP_SEND;
	data[UET_PDS_HDR + 1] = UET_SES_F_SOM;
	KUNIT_EXPECT_EQ(test, uet_pkt_parse(&pkt, data, 64, 64), 0);
	KUNIT_EXPECT_EQ(test, pkt.ses.opcode, UET_SES_OP_SEND);
	/* The parser accepts reserved opcodes; the message layer rejects them. */
	data[UET_PDS_HDR] = 0x2f;
	KUNIT_EXPECT_EQ(test, uet_pkt_parse(&pkt, data, 64, 64), 0);
	KUNIT_EXPECT_EQ(test, pkt.ses.opcode, 0x2f);
	KUNIT_EXPECT_EQ(test, pkt.violation, UET_VIOL_NONE);
	KUNIT_EXPECT_EQ(test, pkt.payload_len, 8);
	uet_put_be16(UET_PROLOGUE(UET_PDS_ACK, UET_NH_RSP, 0), data);
	data[UET_PDS_HDR + 1] = 0;
	for (v = 0; v < UET_SES_OPCODES; v++) {
		data[UET_PDS_HDR] = v;
		KUNIT_EXPECT_EQ(test, uet_pkt_parse(&pkt, data, 64, 64),
				v < UET_RSP_OP_KNOWN ? 0 :
						       -UET_PERR_RSP_OPCODE);
	}
}

#define SOM	UET_SES_F_SOM
#define EOM	UET_SES_F_EOM

struct ses_check {
	u8 opcode, flags;
	u32 request_length, message_offset;
	u16 payload_length, present;
	u8 violation;
	u16 want_len;		/* ses.payload_length, if well-formed */
	u16 want_payload;
};

static void hdr_ses_checks(struct kunit *test)
{
	static const struct ses_check rows[] = {
		/* a message of one packet; padding behind it is cut */
		{ UET_SES_OP_SEND, SOM | EOM, 0, 0, 0, 0, 0, 0, 0 },
		{ UET_SES_OP_SEND, SOM | EOM, 5, 0, 0, 5, 0, 5, 5 },
		{ UET_SES_OP_SEND, SOM | EOM, 5, 0, 0, 9, 0, 5, 5 },
		{ UET_SES_OP_SEND, SOM | EOM, 5, 0, 0, 4, UET_VIOL_SHORT },
		/* first of several */
		{ UET_SES_OP_WRITE, SOM, 50, 0, 0, 20, 0, 20, 20 },
		{ UET_SES_OP_WRITE, SOM, 20, 0, 0, 20, 0, 20, 20 },
		{ UET_SES_OP_WRITE, SOM, 20, 0, 0, 21, UET_VIOL_LENGTH },
		/* later ones */
		{ UET_SES_OP_WRITE, 0, 50, 20, 20, 20, 0, 20, 20 },
		{ UET_SES_OP_WRITE, EOM, 50, 40, 10, 10, 0, 10, 10 },
		{ UET_SES_OP_WRITE, EOM, 50, 41, 10, 10, UET_VIOL_OFFSET },
		{ UET_SES_OP_WRITE, 0, 50, 20, 20, 21, UET_VIOL_LENGTH },
		{ UET_SES_OP_WRITE, 0, 50, 20, 20, 19, UET_VIOL_LENGTH },
		{ UET_SES_OP_SEND, 0, 50, U32_MAX, 10, 10, UET_VIOL_OFFSET },
		/* the end of a deferred send, without data */
		{ UET_SES_OP_DEFERRABLE_SEND, EOM, 50, 20, 0, 0, 0, 0, 0 },
		/* operations without payload */
		{ UET_SES_OP_READ, SOM, 50, 0, 0, 0, 0, 50, 0 },
		{ UET_SES_OP_READ, SOM, 70000, 0, 0, 0, 0, 65535, 0 },
		{ UET_SES_OP_READ, EOM, 50, 20, 30, 0, 0, 30, 0 },
		{ UET_SES_OP_READ, EOM, 50, 21, 30, 0, UET_VIOL_OFFSET },
		{ UET_SES_OP_READ, SOM, 50, 0, 0, 1, UET_VIOL_PAYLOAD },
		{ UET_SES_OP_MSG_ERROR, EOM, 50, 20, 0, 0, 0, 0, 0 },
		{ UET_SES_OP_MSG_ERROR, EOM, 50, 51, 0, 0, UET_VIOL_OFFSET },
		{ UET_SES_OP_MSG_ERROR, EOM, 50, 20, 5, 0, UET_VIOL_LENGTH },
		{ UET_SES_OP_NO_OP, SOM | EOM, 0, 0, 0, 3, UET_VIOL_PAYLOAD },
		/* reserved opcode: no checks */
		{ 0x2f, EOM, 1, 2, 3, 7, 0, 3, 7 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct ses_check *r = &rows[i];
		struct uet_pkt out = { .type = UET_PDS_RUD_REQ,
				       .next_hdr = UET_NH_REQ_STD };
		u8 data[UET_HDR_MAX_LEN];
		struct uet_pkt pkt;
		unsigned int len;

		out.ses.opcode = r->opcode;
		out.ses.flags = r->flags;
		out.ses.request_length = r->request_length;
		out.ses.message_offset = r->message_offset;
		out.ses.payload_length = r->payload_length;
		len = pkt_build(data, &out);
		KUNIT_ASSERT_EQ_MSG(test,
				    uet_pkt_parse(&pkt, data, len,
						  len + r->present),
				    0, "row %u", i);
		KUNIT_EXPECT_EQ_MSG(test, pkt.violation, r->violation,
				    "row %u", i);
		KUNIT_EXPECT_EQ_MSG(test, pkt.payload_len, r->want_payload,
				    "row %u", i);
		if (!r->violation)
			KUNIT_EXPECT_EQ_MSG(test, pkt.ses.payload_length,
					    r->want_len, "row %u", i);
	}
}

/* The optimised forms are for messages of one packet. */
static void hdr_short_forms_are_single(struct kunit *test)
{
	u8 nh, flags;

	for (nh = UET_NH_REQ_SMALL; nh <= UET_NH_REQ_MEDIUM; nh++) {
		for (flags = 0; flags < 4; flags++) {
			struct uet_pkt out = { .type = UET_PDS_ROD_REQ,
					       .next_hdr = nh }, pkt;
			u8 data[UET_HDR_MAX_LEN];
			unsigned int len;

			out.ses.opcode = UET_SES_OP_WRITE;
			out.ses.flags = flags;
			out.ses.request_length = 8;
			len = pkt_build(data, &out);
			KUNIT_ASSERT_EQ(test, uet_pkt_parse(&pkt, data, len,
							    len + 8), 0);
			KUNIT_EXPECT_EQ(test, pkt.violation,
					flags == (SOM | EOM) ?
					UET_VIOL_NONE : UET_VIOL_SINGLE);
			KUNIT_EXPECT_EQ(test, pkt.payload_len,
					flags == (SOM | EOM) ? 8 : 0);
		}
	}
}

/* What each form carries; what UE 1.0 does not define is not malformed. */
static void hdr_short_forms_carry(struct kunit *test)
{
	static const u16 small = 0x001f, medium = 0x62bf;
	struct uet_pkt out = { .type = UET_PDS_RUD_REQ }, pkt;
	u8 data[UET_HDR_MAX_LEN + UET_SES_RENDEZVOUS_LEN] = {};
	unsigned int len, op, carried;
	u8 nh;

	out.ses.flags = SOM | EOM;
	for (nh = UET_NH_REQ_SMALL; nh <= UET_NH_REQ_MEDIUM; nh++) {
		for (op = 0; op < UET_SES_OPCODES; op++) {
			out.next_hdr = nh;
			out.ses.opcode = op;
			len = pkt_build(data, &out);
			memset(data + len, 0, sizeof(data) - len);
			/* With an extension, of operations that have one */
			if (op == UET_SES_OP_RENDEZVOUS_SEND ||
			    op == UET_SES_OP_RENDEZVOUS_TSEND)
				len += UET_SES_RENDEZVOUS_LEN;
			else if (BIT(op) & (BIT(UET_SES_OP_ATOMIC) |
					    BIT(UET_SES_OP_FETCHING_ATOMIC) |
					    BIT(UET_SES_OP_TSEND_ATOMIC) |
					    BIT(UET_SES_OP_TSEND_FETCH_ATOMIC)))
				len += UET_SES_ATOMIC_LEN;
			KUNIT_ASSERT_EQ(test, uet_pkt_parse(&pkt, data, len,
							    len), 0);
			carried = nh == UET_NH_REQ_SMALL ? small : medium;
			KUNIT_EXPECT_EQ_MSG(test, pkt.violation,
					    op >= UET_SES_OP_KNOWN ||
					    carried >> op & 1 ? UET_VIOL_NONE :
					    UET_VIOL_FORM, "form %u, %u", nh, op);
		}
	}
}

/* Built and parsed again: the parts that each form has */
static void hdr_short_forms_built(struct kunit *test)
{
	struct uet_pkt out = {
		.type = UET_PDS_RUD_REQ,
		.ses = {
			.opcode = UET_SES_OP_WRITE, .flags = SOM | EOM,
			.request_length = 16383, .job = 0xabcdef, .pid = 0xfed,
			.ri = 0x123, .generation = 9, .initiator = 77,
			.key = 0x1020304050607080ULL, .msg_id = 5,
			.buffer_offset = 0x8070605040302010ULL,
		},
	}, pkt;
	u8 data[UET_HDR_MAX_LEN];
	unsigned int len;
	u8 nh;

	for (nh = UET_NH_REQ_SMALL; nh <= UET_NH_REQ_STD; nh++) {
		out.next_hdr = nh;
		memset(data, 0xa5, sizeof(data));
		len = uet_build_req(data, &out);
		len += uet_build_ses_req(data + len, &out);
		KUNIT_EXPECT_EQ(test, len, UET_PDS_REQ_LEN +
				(nh == UET_NH_REQ_SMALL ? UET_SES_SMALL_LEN :
				 nh == UET_NH_REQ_MEDIUM ? UET_SES_MEDIUM_LEN :
				 UET_SES_STD_LEN));
		KUNIT_ASSERT_EQ(test, uet_pkt_parse(&pkt, data, len,
						    len + 16383), 0);
		KUNIT_EXPECT_EQ(test, pkt.violation, UET_VIOL_NONE);
		KUNIT_EXPECT_EQ(test, pkt.payload_len, 16383);
		KUNIT_EXPECT_EQ(test, pkt.ses.job, out.ses.job);
		KUNIT_EXPECT_EQ(test, pkt.ses.pid, out.ses.pid);
		KUNIT_EXPECT_EQ(test, pkt.ses.ri, out.ses.ri);
		KUNIT_EXPECT_EQ(test, pkt.ses.generation, out.ses.generation);
		KUNIT_EXPECT_EQ(test, pkt.ses.buffer_offset,
				out.ses.buffer_offset);
		KUNIT_EXPECT_EQ(test, pkt.ses.initiator,
				nh == UET_NH_REQ_SMALL ? 0 : 77);
		KUNIT_EXPECT_EQ(test, pkt.ses.key,
				nh == UET_NH_REQ_SMALL ? 0 : out.ses.key);
		KUNIT_EXPECT_EQ(test, pkt.ses.msg_id,
				nh == UET_NH_REQ_STD ? 5 : 0);
	}
}

/* Restart tokens: one word, the initiator's first */
static void hdr_tokens(struct kunit *test)
{
	u64 both = uet_ses_tokens(0x11223344, 0x55667788);

	KUNIT_EXPECT_EQ(test, both, 0x1122334455667788ULL);
	KUNIT_EXPECT_EQ(test, uet_ses_token(both, false), 0x11223344);
	KUNIT_EXPECT_EQ(test, uet_ses_token(both, true), 0x55667788);
}

/* MEDIUM has one field for header data and buffer offset. */
static void hdr_medium_header_data(struct kunit *test)
{
	struct uet_pkt out = { .type = UET_PDS_RUD_REQ,
			       .next_hdr = UET_NH_REQ_MEDIUM }, pkt;
	u8 data[UET_HDR_MAX_LEN];
	unsigned int len;

	out.ses.opcode = UET_SES_OP_SEND;
	out.ses.flags = SOM | EOM | UET_SES_F_HD;
	out.ses.header_data = 0x1122334455667788ULL;
	out.ses.buffer_offset = 0x99;
	len = pkt_build(data, &out);
	KUNIT_ASSERT_EQ(test, uet_pkt_parse(&pkt, data, len, len), 0);
	KUNIT_EXPECT_EQ(test, pkt.ses.header_data, 0x1122334455667788ULL);
	KUNIT_EXPECT_EQ(test, pkt.ses.buffer_offset, 0ULL);
	out.ses.flags = SOM | EOM;
	pkt_build(data, &out);
	KUNIT_ASSERT_EQ(test, uet_pkt_parse(&pkt, data, len, len), 0);
	KUNIT_EXPECT_EQ(test, pkt.ses.header_data, 0ULL);
	KUNIT_EXPECT_EQ(test, pkt.ses.buffer_offset, 0x99ULL);
}

static void hdr_rsp_data_checks(struct kunit *test)
{
	struct uet_pkt out = { .type = UET_PDS_RUD_REQ,
			       .next_hdr = UET_NH_RSP_DATA }, pkt;
	u8 data[UET_HDR_MAX_LEN];
	unsigned int len;

	out.rsp.opcode = UET_RSP_OP_DATA;
	out.rsp.code = UET_RC_OK;
	out.rsp.msg_id = 9;
	out.rsp.payload_length = 8192;
	out.rsp.message_offset = 8192;
	out.rsp.modified_length = 16384;
	len = pkt_build(data, &out);
	KUNIT_EXPECT_EQ(test, len, 32u);
	KUNIT_ASSERT_EQ(test, uet_pkt_parse(&pkt, data, len, len + 8192), 0);
	KUNIT_EXPECT_EQ(test, pkt.violation, UET_VIOL_NONE);
	KUNIT_EXPECT_EQ(test, pkt.payload_len, 8192);
	KUNIT_ASSERT_EQ(test, uet_pkt_parse(&pkt, data, len, len + 8191), 0);
	KUNIT_EXPECT_EQ(test, pkt.violation, UET_VIOL_LENGTH);
	KUNIT_EXPECT_EQ(test, pkt.payload_len, 0);
	out.rsp.modified_length--;
	pkt_build(data, &out);
	KUNIT_ASSERT_EQ(test, uet_pkt_parse(&pkt, data, len, len + 8192), 0);
	KUNIT_EXPECT_EQ(test, pkt.violation, UET_VIOL_OFFSET);
}

/* An extension of @len bytes, of which the parser looks at @opcode alone */
static unsigned int put_atomic(u8 *p, u8 opcode, unsigned int len)
{
	struct uet_ses_atomic_wire ext = {
		.opcode = opcode, .datatype = UET_AMO_UINT64,
	};

	memset(p, 0xa5, len);
	memcpy(p, &ext, sizeof(ext));
	return len;
}

static void hdr_atomic_ext(struct kunit *test)
{
	struct uet_pkt out = { .type = UET_PDS_RUD_CC_REQ,
			       .next_hdr = UET_NH_REQ_STD }, pkt;
	u8 data[UET_HDR_MAX_LEN];
	unsigned int len, amo;

	out.ses.opcode = UET_SES_OP_FETCHING_ATOMIC;
	out.ses.flags = SOM | EOM;
	out.ses.request_length = 8;
	memset(data, 0xa5, sizeof(data));
	len = pkt_build(data, &out);
	len += put_atomic(data + len, UET_AMO_SUM, UET_SES_ATOMIC_LEN);
	KUNIT_ASSERT_EQ(test, uet_pkt_parse(&pkt, data, len, len + 8), 0);
	KUNIT_EXPECT_EQ(test, pkt.ses.ext_len, UET_SES_ATOMIC_LEN);
	KUNIT_EXPECT_EQ(test, pkt.hdr_len, len);
	KUNIT_EXPECT_EQ(test, pkt.payload_len, 8);
	/* operand missing */
	KUNIT_ASSERT_EQ(test, uet_pkt_parse(&pkt, data, len, len + 7), 0);
	KUNIT_EXPECT_EQ(test, pkt.violation, UET_VIOL_SHORT);
	KUNIT_EXPECT_EQ(test, uet_pkt_parse(&pkt, data, len - 1, len - 1), 0);
	KUNIT_EXPECT_EQ(test, pkt.violation, UET_VIOL_EXT);
	KUNIT_EXPECT_EQ(test, pkt.hdr_len, len - UET_SES_ATOMIC_LEN);
	KUNIT_EXPECT_EQ(test, uet_pkt_parse(&pkt, data, len - 1, len + 8),
			-UET_PERR_LINEAR);

	for (amo = UET_AMO_CSWAP; amo <= UET_AMO_MSWAP; amo++) {
		out.ses.request_length = 16;
		len = pkt_build(data, &out);
		len += put_atomic(data + len, amo, UET_SES_CSWAP_LEN);
		KUNIT_EXPECT_EQ(test, len, UET_HDR_MAX_LEN);
		KUNIT_ASSERT_EQ(test, uet_pkt_parse(&pkt, data, len, len), 0);
		KUNIT_EXPECT_EQ(test, pkt.violation, UET_VIOL_NONE);
		KUNIT_EXPECT_EQ(test, pkt.ses.ext_len, UET_SES_CSWAP_LEN);
		KUNIT_EXPECT_EQ(test, uet_pkt_parse(&pkt, data, len - 1,
						    len - 1), 0);
		KUNIT_EXPECT_EQ(test, pkt.violation, UET_VIOL_EXT);
		KUNIT_ASSERT_EQ(test, uet_pkt_parse(&pkt, data, len, len + 1),
				0);
		KUNIT_EXPECT_EQ(test, pkt.violation, UET_VIOL_PAYLOAD);
	}
	data[16 + 1] = UET_SES_F_SOM;
	KUNIT_ASSERT_EQ(test, uet_pkt_parse(&pkt, data, len, len), 0);
	KUNIT_EXPECT_EQ(test, pkt.violation, UET_VIOL_SINGLE);
}

static void hdr_rendezvous_ext(struct kunit *test)
{
	struct uet_pkt out = { .type = UET_PDS_RUD_REQ,
			       .next_hdr = UET_NH_REQ_STD }, pkt;
	u8 data[UET_HDR_MAX_LEN];
	unsigned int len;

	out.ses.opcode = UET_SES_OP_RENDEZVOUS_SEND;
	out.ses.flags = SOM | EOM;
	out.ses.request_length = 100000;
	len = pkt_build(data, &out);
	memset(data + len, 0xa5, UET_SES_RENDEZVOUS_LEN);
	uet_put_be32(100, data + len);
	len += UET_SES_RENDEZVOUS_LEN;
	KUNIT_EXPECT_EQ(test, len, 80u);
	KUNIT_ASSERT_EQ(test, uet_pkt_parse(&pkt, data, len, len + 100), 0);
	KUNIT_EXPECT_EQ(test, pkt.violation, UET_VIOL_NONE);
	KUNIT_EXPECT_EQ(test, pkt.ses.ext_len, UET_SES_RENDEZVOUS_LEN);
	KUNIT_EXPECT_EQ(test, pkt.payload_len, 100);
	KUNIT_ASSERT_EQ(test, uet_pkt_parse(&pkt, data, len - 1, len - 1), 0);
	KUNIT_EXPECT_EQ(test, pkt.violation, UET_VIOL_EXT);
	KUNIT_EXPECT_EQ(test, pkt.payload_len, 0);
}

static struct kunit_case hdr_ses_cases[] = {
	KUNIT_CASE(hdr_ses_versions_and_opcodes),
	KUNIT_CASE(hdr_ses_checks),
	KUNIT_CASE(hdr_short_forms_are_single),
	KUNIT_CASE(hdr_short_forms_carry),
	KUNIT_CASE(hdr_short_forms_built),
	KUNIT_CASE(hdr_tokens),
	KUNIT_CASE(hdr_medium_header_data),
	KUNIT_CASE(hdr_rsp_data_checks),
	KUNIT_CASE(hdr_atomic_ext),
	KUNIT_CASE(hdr_rendezvous_ext),
	{}
};

static struct kunit_suite hdr_ses_suite = {
	.name = "uet_hdr_ses",
	.test_cases = hdr_ses_cases,
};

kunit_test_suites(&hdr_ses_suite);
