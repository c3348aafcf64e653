// SPDX-License-Identifier: GPL-2.0
/* Probes of paths and endpoints: their bytes, and which packets answer them. */
#include <kunit/test.h>

#include "../core/wire/hdr_build.h"
#include "../core/wire/ping.h"

#define PSN	0xffffffffu	/* the close is behind the wrap */
#define LOCAL	0x4321
#define REMOTE	0x1234

static const struct uet_ping_ask path = {
	.psn = PSN, .spdcid = LOCAL, .size = 100,
};

static const struct uet_ping_ask endpoint = {
	.psn = PSN, .spdcid = LOCAL, .job = 7, .pid = 100, .ri = 3,
	.endpoint = true,
};

/* Build, and parse as a target does */
static struct uet_pkt sent(struct kunit *test, const struct uet_ping_ask *ask,
			   bool again)
{
	u8 buf[UET_PING_HDR_LEN + 100] = { 0 };
	struct uet_pkt pkt;

	KUNIT_ASSERT_EQ(test, uet_ping_build(buf, ask, again),
			UET_PING_HDR_LEN);
	KUNIT_ASSERT_EQ(test, uet_pkt_parse(&pkt, buf, sizeof(buf),
					    UET_PING_HDR_LEN + ask->size), 0);
	return pkt;
}

/* It names no PDC and opens none. */
static void ping_path_build(struct kunit *test)
{
	struct uet_pkt pkt = sent(test, &path, false);

	KUNIT_EXPECT_EQ(test, pkt.type, UET_PDS_RUD_REQ);
	KUNIT_EXPECT_EQ(test, pkt.flags, UET_F_AR);
	KUNIT_EXPECT_EQ(test, pkt.dpdcid, 0);
	KUNIT_EXPECT_EQ(test, pkt.spdcid, LOCAL);
	KUNIT_EXPECT_EQ(test, pkt.req.psn, PSN);
	KUNIT_EXPECT_EQ(test, pkt.ses.opcode, UET_SES_OP_NO_OP);
	KUNIT_EXPECT_EQ(test, pkt.ses.request_length, 100);
}

static void ping_endpoint_build(struct kunit *test)
{
	struct uet_pkt pkt = sent(test, &endpoint, true);

	KUNIT_EXPECT_EQ(test, pkt.flags, UET_F_AR | UET_F_SYN | UET_F_RETX);
	KUNIT_EXPECT_EQ(test, pkt.req.start_psn, PSN);
	KUNIT_EXPECT_EQ(test, pkt.req.clear_psn, PSN - 1);
	KUNIT_EXPECT_EQ(test, pkt.violation, 0);
	KUNIT_EXPECT_EQ(test, pkt.ses.opcode, UET_SES_OP_NO_OP);
	KUNIT_EXPECT_EQ(test, pkt.ses.job, 7);
	KUNIT_EXPECT_EQ(test, pkt.ses.pid, 100);
	KUNIT_EXPECT_EQ(test, pkt.ses.ri, 3);
	KUNIT_EXPECT_EQ(test, pkt.ses.request_length, 0);
}

static void ping_close_build(struct kunit *test)
{
	struct uet_ping_ask ask = endpoint;
	u8 buf[UET_PDS_CP_LEN];
	struct uet_pkt pkt;

	ask.remote = REMOTE;
	KUNIT_ASSERT_EQ(test, uet_ping_build_close(buf, &ask, false),
			UET_PDS_CP_LEN);
	KUNIT_ASSERT_EQ(test, uet_pkt_parse(&pkt, buf, sizeof(buf),
					    sizeof(buf)), 0);
	KUNIT_EXPECT_EQ(test, pkt.ctl_type, UET_CTL_CLOSE_CMD);
	KUNIT_EXPECT_EQ(test, pkt.cp.psn, 0);
	KUNIT_EXPECT_EQ(test, pkt.spdcid, LOCAL);
	KUNIT_EXPECT_EQ(test, pkt.dpdcid, REMOTE);
}

/* What a target answers, through bytes */
static enum uet_ping_verdict nacked(struct kunit *test,
				    const struct uet_ping_ask *ask, u8 code,
				    u32 psn, u16 dpdcid,
				    struct uet_ping_answer *answer)
{
	struct uet_pkt pkt = {
		.type	= UET_PDS_NACK,
		.flags	= UET_F_ECN,
		.dpdcid	= dpdcid,
		.nack	= { .code = code, .psn = psn },
	};
	u8 buf[UET_PDS_NACK_LEN];

	uet_build_nack(buf, &pkt);
	KUNIT_ASSERT_EQ(test, uet_pkt_parse(&pkt, buf, sizeof(buf),
					    sizeof(buf)), 0);
	return uet_ping_judge(ask, &pkt, answer);
}

static enum uet_ping_verdict acked(struct kunit *test,
				   const struct uet_ping_ask *ask, u32 ack_psn,
				   u32 cack, u16 spdcid, u8 rc,
				   struct uet_ping_answer *answer)
{
	struct uet_pkt pkt = {
		.type		= UET_PDS_ACK_CC,
		.next_hdr	= UET_NH_RSP,
		.spdcid		= spdcid,
		.dpdcid		= LOCAL,
		.ack = {
			.ack_psn = ack_psn, .cack_psn = cack,
			.sack_base = cack + 1, .mpr = 8,
		},
		.rsp		= { .code = rc, .generation = 9 },
	};
	u8 buf[UET_HDR_MAX_LEN];
	unsigned int len = uet_build_ack_rsp(buf, &pkt);

	KUNIT_ASSERT_NE(test, len, 0);
	KUNIT_ASSERT_EQ(test, uet_pkt_parse(&pkt, buf, len, len), 0);
	return uet_ping_judge(ask, &pkt, answer);
}

static void ping_path_answer(struct kunit *test)
{
	struct uet_ping_answer a;

	KUNIT_EXPECT_EQ(test, nacked(test, &path, UET_NACK_INV_DPDCID, PSN,
				     LOCAL, &a), UET_PING_ANSWERED);
	KUNIT_EXPECT_EQ(test, a.nack, UET_NACK_INV_DPDCID);
	KUNIT_EXPECT_EQ(test, a.remote, 0);
	KUNIT_EXPECT_TRUE(test, a.marked);
	KUNIT_EXPECT_EQ(test, nacked(test, &path, UET_NACK_TRIMMED, PSN, LOCAL,
				     &a), UET_PING_ANSWERED);
}

/* Who guesses one of the two numbers has not seen the probe. */
static void ping_forged(struct kunit *test)
{
	struct uet_ping_ask closing = endpoint;
	struct uet_ping_answer a;
	u32 i;

	closing.remote = REMOTE;
	for (i = 0; i < 32; i++)
		KUNIT_EXPECT_EQ(test, nacked(test, &path, UET_NACK_INV_DPDCID,
					     PSN ^ BIT(i), LOCAL, &a),
				UET_PING_FOREIGN);
	for (i = 0; i < 16; i++)
		KUNIT_EXPECT_EQ(test, nacked(test, &path, UET_NACK_INV_DPDCID,
					     PSN, LOCAL ^ BIT(i), &a),
				UET_PING_FOREIGN);
	/* Nobody ACKs a probe of a path, it has no PDC. */
	KUNIT_EXPECT_EQ(test, acked(test, &path, PSN, PSN, REMOTE, UET_RC_OK,
				    &a), UET_PING_FOREIGN);
	KUNIT_EXPECT_EQ(test, acked(test, &endpoint, PSN - 5, PSN - 1, REMOTE,
				    UET_RC_OK, &a), UET_PING_FOREIGN);
	KUNIT_EXPECT_EQ(test, acked(test, &endpoint, PSN, PSN, 0, UET_RC_OK,
				    &a), UET_PING_FOREIGN);
	KUNIT_EXPECT_EQ(test, acked(test, &closing, PSN + 1, PSN + 1,
				    REMOTE + 1, UET_RC_OK, &a),
			UET_PING_FOREIGN);
}

static void ping_endpoint_answer(struct kunit *test)
{
	struct uet_ping_answer a;

	KUNIT_EXPECT_EQ(test, acked(test, &endpoint, PSN, PSN, REMOTE,
				    UET_RC_OK, &a), UET_PING_ANSWERED);
	KUNIT_EXPECT_EQ(test, a.rc, UET_RC_OK);
	KUNIT_EXPECT_EQ(test, a.remote, REMOTE);
	KUNIT_EXPECT_EQ(test, a.mpr, 8);
	KUNIT_EXPECT_EQ(test, a.generation, 0);
	/* An error is guaranteed: it holds CACK back. */
	KUNIT_EXPECT_EQ(test, acked(test, &endpoint, PSN, PSN - 1, REMOTE,
				    UET_RC_BAD_GENERATION, &a),
			UET_PING_ANSWERED);
	KUNIT_EXPECT_EQ(test, a.rc, UET_RC_BAD_GENERATION);
	KUNIT_EXPECT_EQ(test, a.generation, 9);
	KUNIT_EXPECT_EQ(test, nacked(test, &endpoint, UET_NACK_NO_PDC_AVAIL,
				     PSN, LOCAL, &a), UET_PING_ANSWERED);
	KUNIT_EXPECT_EQ(test, a.nack, UET_NACK_NO_PDC_AVAIL);
}

static void ping_closed(struct kunit *test)
{
	struct uet_ping_ask ask = endpoint;
	struct uet_ping_answer a;

	ask.remote = REMOTE;
	KUNIT_EXPECT_EQ(test, acked(test, &ask, PSN, PSN, REMOTE, UET_RC_OK,
				    &a), UET_PING_FOREIGN);
	KUNIT_EXPECT_EQ(test, acked(test, &ask, PSN + 1, PSN + 1, REMOTE,
				    UET_RC_OK, &a), UET_PING_CLOSED);
	KUNIT_EXPECT_EQ(test, nacked(test, &ask, UET_NACK_INV_DPDCID, PSN + 1,
				     LOCAL, &a), UET_PING_CLOSED);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(ping_path_build),
	KUNIT_CASE(ping_endpoint_build),
	KUNIT_CASE(ping_close_build),
	KUNIT_CASE(ping_path_answer),
	KUNIT_CASE(ping_forged),
	KUNIT_CASE(ping_endpoint_answer),
	KUNIT_CASE(ping_closed),
	{}
};

static struct kunit_suite suite = {
	.name = "uet_ping",
	.test_cases = cases,
};

kunit_test_suites(&suite);
