// SPDX-License-Identifier: GPL-2.0
/* Answers at a sender: ACKs, NACKs, and targets that lost the PDC; scripted events */
#include <kunit/test.h>
#include <linux/module.h>

#include "../core/snd/snd_gone.h"
#include "snd_script.h"

#define PSN(n)	(SCRIPT_PSN + (n))
#define US	1000ULL

/* Three packets are out: which ACKs are about them? */
static const struct answer_name_case {
	const char *name;
	bool open;
	s32 ack, cack;
	bool ok;
} answer_name_cases[] = {
	{ "all of them", true, 2, 2, true },
	{ "older ones", true, -9, -9, true },
	{ "CACK of one never sent", true, 2, 3, false },
	{ "CACK of one far ahead", true, 2, 70000, false },
	{ "first answer", false, 1, -1, true },
	{ "first answer, of none", false, 3, -1, false },
	{ "first answer, of an older one", false, -1, -1, false },
};

static void answer_name_desc(const struct answer_name_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(answer_name, answer_name_cases, answer_name_desc);

static void answer_names(struct kunit *test)
{
	const struct answer_name_case *c = test->param_value;
	struct script *k = script_new(test, false, c->open);
	struct uet_ack a = {
		.ack_psn = PSN(c->ack), .cack_psn = PSN(c->cack),
	};

	script_msg(k, 0, 3 * SCRIPT_MTU, 3 * SCRIPT_MTU);
	script_send(k, 9);
	KUNIT_EXPECT_EQ(test, uet_snd_names(&k->s, &a), c->ok);
}

/* Round trips in us; a packet may have waited in this host before it left. */
static const struct answer_rtt_case {
	const char *name;
	u32 since, wait, service;
	bool valid;
	u32 rtt;
} answer_rtt_cases[] = {
	{ "plain", 15, 0, 0, true, 15 },
	{ "service time", 15, 0, 3, true, 12 },
	{ "service time longer than all", 15, 0, 16, false },
	/* The send time is an estimate: no less than the base RTT of 10 us, */
	{ "waited", 15, 5, 0, true, 15 },
	{ "waited, too short", 8, 5, 0, true, 10 },
	/* but no more than the time since it was handed over. */
	{ "waited, shorter even so", 2, 5, 0, true, 7 },
};

static void answer_rtt_desc(const struct answer_rtt_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(answer_rtt, answer_rtt_cases, answer_rtt_desc);

static void answer_rtts(struct kunit *test)
{
	const struct answer_rtt_case *c = test->param_value;
	struct script *k = script_new(test, false, true);
	struct uet_snd_sent sent = {
		.at = k->now - 1000 * c->since, .wait = 1000 * c->wait,
		.valid = true,
	};
	u64 rtt = 0;

	KUNIT_ASSERT_EQ(test, k->ccc.base_rtt, 10000);
	KUNIT_EXPECT_EQ(test, uet_snd_sample(&k->s, &sent, 1000 * c->service,
					     k->now, &rtt), c->valid);
	if (c->valid)
		KUNIT_EXPECT_EQ(test, rtt, 1000 * c->rtt);
}

/* Short packets are no samples of the base RTT. */
static void answer_brief(struct kunit *test)
{
	struct script *k = script_new(test, false, true);

	script_msg(k, 0, 100, 100);
	script_msg(k, 0, SCRIPT_MTU, SCRIPT_MTU);
	script_send(k, 9);
	k->now += SCRIPT_RTT;
	script_ack(k, PSN(0), PSN(0), 0);
	KUNIT_EXPECT_TRUE(test, k->acked.cc.rtt_short);
	script_ack(k, PSN(1), PSN(1), 0);
	KUNIT_EXPECT_FALSE(test, k->acked.cc.rtt_short);
}

/* Zeros instead of congestion control state: inflight falls by what is acknowledged.
 * That counts once, if such an ACK is among others.
 */
static void answer_zeros(struct kunit *test)
{
	struct script *k = script_new(test, false, true);
	u32 size = SCRIPT_MTU + SCRIPT_OVERHEAD, i;

	script_msg(k, 0, 8 * SCRIPT_MTU, 8 * SCRIPT_MTU);
	KUNIT_ASSERT_EQ(test, script_send(k, 8), 8);
	for (i = 0; i < 4; i++) {
		k->now += SCRIPT_RTT;
		script_ack(k, PSN(i), PSN(i), 0);
		KUNIT_EXPECT_EQ(test, k->acked.cc.newly_rcvd_bytes, size);
		KUNIT_EXPECT_EQ(test, k->w.ooo, UET_OOO_INVALID);
	}
	/* 5 packets, rounded up to 256 bytes */
	k->pkt.ack.rcvd_bytes = (5 * size + 255) / 256;
	script_ack(k, PSN(4), PSN(4), 0);
	KUNIT_EXPECT_GE(test, k->acked.cc.newly_rcvd_bytes, size);
	KUNIT_EXPECT_LT(test, k->acked.cc.newly_rcvd_bytes, size + 256);
	KUNIT_EXPECT_EQ(test, k->w.ooo, 0);
	/* Any field that is not zero is a statement. */
	k->pkt.ack.service_time = 1;
	script_ack(k, PSN(5), PSN(5), 0);
	KUNIT_EXPECT_EQ(test, k->acked.cc.newly_rcvd_bytes, 0);
}

/* An answer ends counts of failures; only a round trip ends the back-off. */
static void answer_resets(struct kunit *test)
{
	struct script *k = script_new(test, false, true);
	struct uet_snd *s = &k->s;

	script_msg(k, 0, 100, 100);
	script_msg(k, 0, 100, 100);
	script_send(k, 9);
	s->retries = 3;
	s->backoff = 3;
	uet_snd_busy(s)->probes = 3;
	uet_snd_busy(s)->nack_e = 3;
	k->pkt.flags = UET_F_RETX;	/* that it was not */
	script_ack(k, PSN(0), PSN(0), 0);
	KUNIT_EXPECT_EQ(test, s->retries, 0);
	KUNIT_EXPECT_EQ(test, uet_snd_busy(s)->probes, 0);
	KUNIT_EXPECT_EQ(test, uet_snd_busy(s)->nack_e, 0);
	KUNIT_EXPECT_EQ(test, s->backoff, 3);
	KUNIT_EXPECT_TRUE(test, s->ambiguous);
	script_ack(k, PSN(1), PSN(1), 0);
	KUNIT_EXPECT_EQ(test, s->backoff, 0);
	KUNIT_EXPECT_FALSE(test, s->ambiguous);
}

/* Round trips took 100 us: does an answer after so many us end the back-off? */
static const struct answer_prompt_case {
	const char *name;
	u32 us;
	u32 resent;
	bool first;		/* it answers the first transmission */
	bool unknown;		/* round trips are not known */
	bool ends;
} answer_prompt_cases[] = {
	{ "as soon as before", .us = 100, .resent = 2, .ends = true },
	{ "later than before", .us = 1000, .resent = 2 },
	{ "to the first transmission", .us = 100, .resent = 2, .first = true },
	{ "of a packet that was not resent", .us = 100 },
	{ "while round trips are not known", .us = 1, .resent = 2,
	  .unknown = true },
};

static void answer_prompt_desc(const struct answer_prompt_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(answer_prompt, answer_prompt_cases, answer_prompt_desc);

/* An ordered sender resends what follows a gap again and again. */
static void answer_prompts(struct kunit *test)
{
	const struct answer_prompt_case *c = test->param_value;
	struct script *k = script_new(test, true, true);
	struct uet_snd *s = &k->s;
	u32 i;

	if (!c->unknown)
		uet_rtt_est_add(&k->ccc.rtt, 100 * US);
	script_msg(k, 0, 100, 100);
	script_send(k, 9);
	for (i = 0; i < c->resent; i++) {
		k->now += 5000 * US;
		uet_txwin_mark(&s->win, PSN(0));
		uet_txwin_resend(&s->win, PSN(0), 0, k->now);
	}
	s->backoff = 3;
	k->now += c->us * US;
	k->pkt.flags = c->first ? 0 : UET_F_RETX;
	script_ack(k, PSN(0), PSN(0), 0);
	KUNIT_EXPECT_EQ(test, s->backoff, c->ends ? 0 : 3);
	KUNIT_EXPECT_EQ(test, (bool)s->ambiguous, !c->ends);
}

/* An older packet that arrives late proves nothing about newer ones. */
static void answer_newest(struct kunit *test)
{
	struct script *k = script_new(test, false, true);
	u64 newest;

	script_msg(k, 0, 100, 100);
	script_send(k, 9);
	k->now += 1000;
	newest = k->now;
	script_msg(k, 0, 100, 100);
	script_send(k, 9);
	k->now += SCRIPT_RTT;
	script_ack(k, PSN(1), PSN(-1), 2);
	KUNIT_EXPECT_EQ(test, uet_snd_busy(&k->s)->rack, newest);
	k->now += SCRIPT_RTT;
	script_ack(k, PSN(0), PSN(1), 0);
	KUNIT_EXPECT_EQ(test, uet_snd_busy(&k->s)->rack, newest);
	KUNIT_EXPECT_EQ(test, uet_snd_busy(&k->s)->rack_rtt, SCRIPT_RTT);
}

/* All is answered, though CACK stays behind: messages end. */
static void answer_settles(struct kunit *test)
{
	struct script *k = script_new(test, false, true);

	script_msg(k, 0, 100, 100);
	script_msg(k, 0, 100, 100);
	script_send(k, 9);
	script_ack(k, PSN(1), PSN(-1), 2);
	KUNIT_EXPECT_EQ(test, k->finished, 0);
	script_ack(k, PSN(0), PSN(-1), 3);
	KUNIT_EXPECT_EQ(test, k->finished, 2);
	KUNIT_EXPECT_EQ(test, uet_txwin_outstanding(&k->s.win), 0);
}

/* Only the last probe is answered, and CLEAR_CMD is not postponed. */
static void answer_once(struct kunit *test)
{
	struct script *k = script_new(test, false, true);
	u64 clear_at;

	script_msg(k, 0, 2 * SCRIPT_MTU, 2 * SCRIPT_MTU);
	script_send(k, 9);
	script_wait(k, SCRIPT_RTO / 2);
	KUNIT_ASSERT_NOT_NULL(test, script_cp(k, UET_CTL_PROBE));
	k->pkt.flags = UET_F_PROBE;
	k->pkt.ack.probe_opaque = k->s.probe_id - 1;
	script_ack(k, PSN(-1), PSN(-1), 0);
	KUNIT_EXPECT_NE(test, uet_snd_busy(&k->s)->probe_tx, 0);
	k->pkt.flags = UET_F_REQ_CLEAR;
	script_ack(k, PSN(0), PSN(-1), 1);
	clear_at = k->s.clear_at;
	KUNIT_EXPECT_NE(test, clear_at, 0);
	k->now += 1000;
	k->pkt.flags = UET_F_REQ_CLEAR;
	script_ack(k, PSN(0), PSN(-1), 1);
	KUNIT_EXPECT_EQ(test, k->s.clear_at, clear_at);
	/* A request has told the same meanwhile. */
	k->s.clear_sent = k->s.win.clear_psn;
	uet_snd_work_init(&k->w, clear_at, clear_at);
	uet_snd_expire(&k->s, &k->w);
	script_losses(k);
	KUNIT_EXPECT_EQ(test, k->s.clear_at, 0);
	KUNIT_EXPECT_FALSE(test, !!script_cp(k, UET_CTL_CLEAR_CMD));
}

/* CACK moves from one response to the next, which nobody asks to clear again. */
static void answer_clears_on(struct kunit *test)
{
	struct script *k = script_new(test, false, true);
	int i;

	for (i = 0; i < 4; i++)
		script_msg(k, 0, 100, 100);
	script_send(k, 9);
	k->pkt.flags = UET_F_REQ_CLEAR;
	script_ack(k, PSN(0), PSN(-1), 0xf);
	k->pkt.flags = UET_F_REQ_CLEAR;
	script_ack(k, PSN(2), PSN(-1), 0xf);
	script_wait(k, k->s.clear_at - k->now);
	KUNIT_EXPECT_NOT_NULL(test, script_cp(k, UET_CTL_CLEAR_CMD));
	KUNIT_EXPECT_EQ(test, k->s.clear_sent, PSN(0));
	k->pkt.flags = 0;
	script_ack(k, PSN(1), PSN(1), 3);
	KUNIT_EXPECT_EQ(test, k->s.win.clear_psn, PSN(2));
	KUNIT_ASSERT_NE(test, k->s.clear_at, 0);
	script_wait(k, k->s.clear_at - k->now);
	KUNIT_EXPECT_NOT_NULL(test, script_cp(k, UET_CTL_CLEAR_CMD));
	/* Nothing is left to clear. */
	script_ack(k, PSN(3), PSN(3), 0);
	KUNIT_EXPECT_EQ(test, k->s.clear_at, 0);
	KUNIT_EXPECT_EQ(test, k->finished, 4);
}

/* What is missing before an answered probe is late as long as it is young. */
static void answer_probe_soon(struct kunit *test)
{
	struct script *k = script_new(test, false, true);

	script_msg(k, 0, 3 * SCRIPT_MTU, 3 * SCRIPT_MTU);
	script_send(k, 9);
	k->now += 1;
	uet_snd_busy(&k->s)->probe_at = k->now;
	k->timer = k->now;
	script_wait(k, 0);
	KUNIT_ASSERT_NOT_NULL(test, script_cp(k, UET_CTL_PROBE));
	k->now += SCRIPT_RTT / 2;
	k->pkt.flags = UET_F_PROBE;
	k->pkt.ack.probe_opaque = k->s.probe_id;
	script_ack(k, PSN(-1), PSN(-1), 0);
	KUNIT_EXPECT_EQ(test, k->lost, 0);
	while (!k->lost && k->now < k->s.rto_at)
		script_wait(k, SCRIPT_RTT);
	KUNIT_EXPECT_EQ(test, k->lost, 3);
	KUNIT_EXPECT_EQ(test, k->how, UET_LOSS_PROBE);
}

/* Does the target's count show that packets are lost? */
static const struct answer_count_case {
	const char *name;
	u32 age;		/* round trips since they were sent */
	bool trimming;		/* a NACK would tell */
	bool lost;
} answer_count_cases[] = {
	{ "old", 21, false, true },
	{ "old, but switches trim", 21, true, false },
	{ "young", 1, false, false },
};

static void answer_count_desc(const struct answer_count_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(answer_count, answer_count_cases, answer_count_desc);

static void answer_counts(struct kunit *test)
{
	const struct answer_count_case *c = test->param_value;
	struct script *k = script_new(test, false, true);

	script_msg(k, 0, 200 * SCRIPT_MTU, 200 * SCRIPT_MTU);
	script_send(k, 200);
	k->now += SCRIPT_RTT;
	script_ack(k, PSN(0), PSN(0), 0);
	k->now += (c->age - 1) * SCRIPT_RTT;
	k->p.trimming = c->trimming;
	k->pkt.ack.ooo_count = (u16)(k->p.max_wnd / SCRIPT_MTU + 5);
	script_ack(k, PSN(0), PSN(0), 0);
	KUNIT_EXPECT_EQ(test, !!k->lost, c->lost);
}

/* The oldest packet of an ordered PDC is the gap. */
static void answer_gap(struct kunit *test)
{
	struct script *k = script_new(test, true, true);

	script_msg(k, 0, 3 * SCRIPT_MTU, 3 * SCRIPT_MTU);
	script_send(k, 9);
	script_nack(k, PSN(0), UET_NACK_ROD_OOO, false);
	KUNIT_EXPECT_EQ(test, k->lost, 1);
	KUNIT_EXPECT_EQ(test, k->w.gone_back, 3);
	/* At once again: it is about the same gap. */
	script_send(k, 9);
	KUNIT_EXPECT_EQ(test, script_nack(k, PSN(0), UET_NACK_ROD_OOO, false),
			UET_SND_NACK_DONE);
}

/* NACKs of the error class end a PDC if they are about one packet, in a row. */
static const struct answer_error_case {
	const char *name;
	u8 between;		/* code of a NACK between */
	u32 psns;		/* packets that they are about in turn */
	bool ends;
} answer_error_cases[] = {
	{ "in a row", 0, 1, true },
	{ "about two packets", 0, 2, false },
	{ "with shortage between", UET_NACK_NO_PKT_BUFFER, 1, false },
};

static void answer_error_desc(const struct answer_error_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(answer_error, answer_error_cases, answer_error_desc);

static void answer_errors(struct kunit *test)
{
	const struct answer_error_case *c = test->param_value;
	struct script *k = script_new(test, false, true);
	bool ended = false;
	u32 i, tries;

	script_msg(k, 0, 2 * SCRIPT_MTU, 2 * SCRIPT_MTU);
	script_send(k, 9);
	for (i = 0; i < 20 && !ended; i++) {
		ended = script_nack(k, PSN(i % c->psns), UET_NACK_EXP_ERROR,
				    true) == UET_SND_NACK_TOO_MANY;
		script_send(k, 9);
		if (!c->between)
			continue;
		script_nack(k, PSN(0), c->between, true);
		for (tries = 0; !script_send(k, 9) && tries < 999; tries++)
			script_wait(k, SCRIPT_RTO);
	}
	KUNIT_EXPECT_EQ(test, ended, c->ends);
}

/* A held packet is known to be missing: errors about it mean nothing. */
static void answer_error_held(struct kunit *test)
{
	struct script *k = script_new(test, false, true);
	u32 i;

	script_msg(k, 0, 100, 100);
	script_send(k, 9);
	script_nack(k, PSN(0), UET_NACK_NO_PKT_BUFFER, false);
	for (i = 0; i < 20; i++)
		KUNIT_EXPECT_EQ(test, script_nack(k, PSN(0),
						  UET_NACK_PKT_NOT_RCVD, false),
				UET_SND_NACK_DONE);
}

/* A packet that the target reports missing gives no round trip. */
static void answer_missing(struct kunit *test)
{
	struct script *k = script_new(test, false, true);

	script_msg(k, 0, 2 * SCRIPT_MTU, 2 * SCRIPT_MTU);
	script_send(k, 9);
	k->now += SCRIPT_RTT;
	script_nack(k, PSN(0), UET_NACK_RCVR_INFER_LOSS, false);
	KUNIT_EXPECT_TRUE(test, k->nacked.fed);
	KUNIT_EXPECT_FALSE(test, k->nacked.cc.rtt_valid);
	script_nack(k, PSN(1), UET_NACK_TRIMMED, false);
	KUNIT_EXPECT_TRUE(test, k->nacked.cc.rtt_valid);
}

/* A reserved code says nothing: the packet is not resent. */
static void answer_reserved(struct kunit *test)
{
	struct script *k = script_new(test, false, true);
	static const u8 codes[] = { 0, UET_NACK_RCVR_INFER_LOSS + 1, 0xfc };
	u32 i;

	script_msg(k, 0, 100, 100);
	script_send(k, 9);
	for (i = 0; i < ARRAY_SIZE(codes); i++)
		KUNIT_EXPECT_EQ(test, script_nack(k, PSN(0), codes[i], false),
				UET_SND_NACK_STRAY);
	KUNIT_EXPECT_EQ(test, k->s.win.ring->marked_pkts, 0);
}

/* Without a question a NACK without a PSN is a stray; doubts take an RTO each. */
static void answer_doubts(struct kunit *test)
{
	struct script *k = script_new(test, false, true);

	script_msg(k, 0, 100, 100);
	script_send(k, 9);
	KUNIT_EXPECT_EQ(test, script_nack(k, 0, UET_NACK_INV_DPDCID, false),
			UET_SND_NACK_STRAY);
	script_wait(k, SCRIPT_RTO / 2);
	KUNIT_ASSERT_NOT_NULL(test, script_cp(k, UET_CTL_PROBE));
	script_nack(k, 0, UET_NACK_INV_DPDCID, false);
	script_wait(k, 0);
	KUNIT_ASSERT_NOT_NULL(test, script_cp(k, UET_CTL_ACK_REQ));
	KUNIT_EXPECT_EQ(test, script_nack(k, 0, UET_NACK_INV_DPDCID, false),
			UET_SND_NACK_DONE);
	KUNIT_EXPECT_FALSE(test, k->s.doubted);
}

/* A dead PDC: what proves that a packet was never accepted? */
static const struct answer_proof_case {
	const char *name;
	u8 rtx;			/* times it was resent */
	bool first, again;	/* NACKs that came: of the original, of others */
	bool proven;
} answer_proof_cases[] = {
	{ "sent once", 0, true, false, true },
	{ "sent once, no NACK", 0, false, false, false },
	{ "sent twice", 1, true, true, true },
	{ "sent twice, one NACK", 1, false, true, false },
	{ "sent twice, NACK of the first", 1, true, false, false },
	{ "sent three times", 2, true, true, false },
};

static void answer_proof_desc(const struct answer_proof_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(answer_proof, answer_proof_cases, answer_proof_desc);

static void answer_proofs(struct kunit *test)
{
	const struct answer_proof_case *c = test->param_value;
	struct script *k = script_new(test, false, true);
	struct uet_snd_msg *m = script_msg(k, 0, 100, 100);

	script_send(k, 9);
	uet_txwin_slot(&k->s.win, PSN(0))->rtx = c->rtx;
	uet_snd_disown(&k->s, PSN(-1), false, k->now);
	if (c->first)
		uet_snd_disowned(&k->s, PSN(0), false);
	if (c->again)
		uet_snd_disowned(&k->s, PSN(0), true);
	uet_snd_gone(&k->s, 0, k->now, &k->mem);
	KUNIT_EXPECT_EQ(test, uet_snd_may_move(&k->s, m, false), c->proven);
}

/* No NACK is awaited of a packet that arrived. */
static void answer_awaits(struct kunit *test)
{
	struct script *k = script_new(test, false, true);

	script_msg(k, 0, 2 * SCRIPT_MTU, 2 * SCRIPT_MTU);
	script_send(k, 9);
	script_ack(k, PSN(1), PSN(-1), 2);
	KUNIT_EXPECT_FALSE(test, uet_snd_disown(&k->s, PSN(0), false, k->now));
}

/* Which messages of a dead PDC may move? All of 100 bytes was sent. */
static const struct answer_move_case {
	const char *name;
	u8 state;
	u32 disowned;
	bool maybe, withdrawn, unopened;
	u8 retries;
	bool moves;
} answer_move_cases[] = {
	{ "never sent", UET_MSG_QUEUED, 0, false, false, false, 9, true },
	{ "never sent, withdrawn", UET_MSG_QUEUED, 0, false, true, false, 0,
	  false },
	{ "all disowned", UET_MSG_SENT, 100, false, false, false, 0, true },
	{ "withdrawn", UET_MSG_SENT, 100, false, true, false, 0, false },
	{ "reported", UET_MSG_FAILED, 100, false, false, false, 0, false },
	{ "not all disowned", UET_MSG_SENT, 99, false, false, false, 0, false },
	{ "maybe accepted", UET_MSG_SENT, 100, true, false, false, 0, false },
	{ "no PDC was opened", UET_MSG_SENT, 0, true, false, true, 0, true },
	{ "last time", UET_MSG_SENT, 100, false, false, false, 4, true },
	{ "too often", UET_MSG_SENT, 100, false, false, false, 5, false },
};

static void answer_move_desc(const struct answer_move_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(answer_move, answer_move_cases, answer_move_desc);

static void answer_moves(struct kunit *test)
{
	const struct answer_move_case *c = test->param_value;
	struct script *k = script_new(test, false, true);
	struct uet_snd_msg m = {
		.len = 100, .sent = 100, .state = c->state,
		.disowned = c->disowned, .maybe_accepted = c->maybe,
		.withdrawn = c->withdrawn, .retries = c->retries,
	};

	KUNIT_EXPECT_EQ(test, uet_snd_may_move(&k->s, &m, c->unopened),
			c->moves);
}

static struct kunit_case snd_answer_cases[] = {
	KUNIT_CASE_PARAM(answer_names, answer_name_gen_params),
	KUNIT_CASE_PARAM(answer_rtts, answer_rtt_gen_params),
	KUNIT_CASE(answer_brief),
	KUNIT_CASE(answer_zeros),
	KUNIT_CASE(answer_resets),
	KUNIT_CASE_PARAM(answer_prompts, answer_prompt_gen_params),
	KUNIT_CASE(answer_newest),
	KUNIT_CASE(answer_settles),
	KUNIT_CASE(answer_once),
	KUNIT_CASE(answer_clears_on),
	KUNIT_CASE(answer_probe_soon),
	KUNIT_CASE_PARAM(answer_counts, answer_count_gen_params),
	KUNIT_CASE(answer_gap),
	KUNIT_CASE_PARAM(answer_errors, answer_error_gen_params),
	KUNIT_CASE(answer_error_held),
	KUNIT_CASE(answer_missing),
	KUNIT_CASE(answer_reserved),
	KUNIT_CASE(answer_doubts),
	KUNIT_CASE_PARAM(answer_proofs, answer_proof_gen_params),
	KUNIT_CASE(answer_awaits),
	KUNIT_CASE_PARAM(answer_moves, answer_move_gen_params),
	{}
};

static struct kunit_suite snd_answer_suite = {
	.name = "uet_snd_answer",
	.test_cases = snd_answer_cases,
};

kunit_test_suite(snd_answer_suite);
