// SPDX-License-Identifier: GPL-2.0
/* The next packet of a sender: limits, messages in line, what it costs; scripted */
#include <kunit/test.h>
#include <linux/module.h>

#include "snd_script.h"

#define PSN(n)	(SCRIPT_PSN + (n))

/* Limits of PSNs before the first answer, of message ids, of the receive window */
static const struct pick_limit_case {
	const char *name;
	bool open;
	u32 psns, ids;
	s32 window;
	enum uet_snd_verdict verdict;
	bool waits;		/* counts as a wait for the receive window */
} pick_limit_cases[] = {
	{ "last PSN in SYN", false, 4095, 1, 9, UET_SND_NEW },
	{ "one more PSN in SYN", false, 4096, 1, 9, UET_SND_NOTHING },
	{ "as many once open", true, 4096, 1, 9, UET_SND_NEW },
	{ "last message id", true, 9, 32767, 9, UET_SND_NEW },
	{ "one more message id", true, 9, 32768, 9, UET_SND_NOTHING },
	{ "receive window", true, 9, 1, 0, UET_SND_NOTHING, true },
};

static void pick_limit_desc(const struct pick_limit_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(pick_limit, pick_limit_cases, pick_limit_desc);

static void pick_limits(struct kunit *test)
{
	const struct pick_limit_case *c = test->param_value;
	struct script *k = script_new(test, false, c->open);
	struct uet_snd_msg *m = script_msg(k, 0, 2 * SCRIPT_MTU, SCRIPT_MTU);
	struct uet_snd *s = &k->s;

	KUNIT_ASSERT_EQ(test, script_send(k, 1), 1);
	script_msg(k, 1, 100, 100);
	s->start_psn = s->win.next - c->psns;
	s->next_msg_id = m->msg_id + (u16)c->ids;
	s->win.limit = s->win.next - 1 + c->window;
	KUNIT_EXPECT_EQ(test, uet_snd_pick(s, k->now, k->now, &k->out),
			c->verdict);
	KUNIT_EXPECT_EQ(test, !!uet_snd_busy(s)->mpr_since, c->waits);
}

/* Message ids skip 0; all packets name the generation that the queue knows. */
static void pick_begins(struct kunit *test)
{
	struct script *k = script_new(test, false, true);
	struct uet_snd_msg *m = script_msg(k, 0, 100, 100);

	k->s.next_msg_id = 0;
	k->q[0].generation = 3;
	script_send(k, 9);
	KUNIT_EXPECT_EQ(test, m->msg_id, 1);
	KUNIT_EXPECT_EQ(test, m->generation, 3);
}

/* After a timeout one retransmission may exceed a window, but not lack credit. */
static void pick_owed(struct kunit *test)
{
	struct script *k = script_new(test, false, true);
	struct uet_ccc_loss loss;
	u32 i;

	k->probes = UET_PROBES_NACKED;
	for (i = 0; i < 3; i++)
		script_msg(k, 0, 100, 100);
	script_send(k, 9);
	k->p.fixed_wnd = 0;
	while (!k->lost && k->now < 200000000000ULL)
		script_wait(k, SCRIPT_RTO);
	KUNIT_ASSERT_TRUE(test, uet_snd_lost(&k->s, PSN(2), UET_LOSS_SACK,
					     k->now, &loss));
	uet_ccc_on_inferred_loss(&k->ccc, &loss);
	KUNIT_EXPECT_EQ(test, k->s.win.ring->nr_marked, 2);
	k->ccc.blocked |= UET_CC_BLOCK_CREDIT;
	KUNIT_EXPECT_EQ(test, script_send(k, 9), 0);
	k->ccc.blocked &= ~UET_CC_BLOCK_CREDIT;
	KUNIT_EXPECT_EQ(test, script_send(k, 9), 1);
	KUNIT_EXPECT_TRUE(test, k->out.rtx);
	KUNIT_EXPECT_EQ(test, k->s.win.ring->nr_marked, 1);
}

/* What this host dropped is told once, with the transmission that makes up for it. */
static void pick_dropped(struct kunit *test)
{
	struct script *k = script_new(test, false, true);
	struct uet_ccc_loss loss;
	u32 i;

	script_msg(k, 0, 100, 100);
	script_send(k, 9);
	uet_snd_dropped(&k->s, PSN(0));
	uet_snd_dropped(&k->s, PSN(1));
	for (i = 0; i < 2; i++) {
		KUNIT_ASSERT_TRUE(test, uet_snd_lost(&k->s, PSN(0), UET_LOSS_LOCAL,
						     k->now, &loss));
		uet_ccc_on_inferred_loss(&k->ccc, &loss);
		uet_snd_ready(&k->s);
		KUNIT_EXPECT_EQ(test, script_send(k, 9), 1);
		KUNIT_EXPECT_TRUE(test, k->out.rtx);
		KUNIT_EXPECT_EQ(test, k->out.dropped, !i);
	}
}

/* ... and still may if memory was lacking for it. */
static void pick_owed_nomem(struct kunit *test)
{
	struct script *k = script_new(test, false, true);

	k->probes = UET_PROBES_NACKED;
	script_msg(k, 0, 100, 100);
	script_send(k, 9);
	k->p.fixed_wnd = 0;
	while (!k->lost && k->now < 200000000000ULL)
		script_wait(k, SCRIPT_RTO);
	KUNIT_EXPECT_EQ(test, uet_snd_pick(&k->s, k->now, k->now, &k->out),
			UET_SND_RTX);
	uet_snd_nomem(&k->s, k->now);
	script_arm(k);
	KUNIT_EXPECT_EQ(test, script_send(k, 9), 1);
}

/* What is resent as MSG_ERROR is smaller, also for congestion control. */
static void pick_hollow(struct kunit *test)
{
	struct script *k = script_new(test, false, true);
	struct uet_snd_msg *m = script_msg(k, 0, 2 * SCRIPT_MTU,
					   2 * SCRIPT_MTU);
	u32 i;

	script_send(k, 9);
	m->withdrawn = true;
	m->given_up = true;
	m->state = UET_MSG_FAILED;
	for (i = 0; i < 2; i++)
		script_nack(k, PSN(i), UET_NACK_TRIMMED, false);
	KUNIT_EXPECT_EQ(test, k->ccc.rtx_backlog,
			2 * (SCRIPT_MTU + SCRIPT_OVERHEAD));
	KUNIT_EXPECT_EQ(test, script_send(k, 9), 2);
	KUNIT_EXPECT_EQ(test, k->ccc.rtx_backlog, 0);
	KUNIT_EXPECT_EQ(test, k->s.win.ring->flight_bytes, 2 * SCRIPT_OVERHEAD);
	KUNIT_EXPECT_EQ(test, k->ccc.stats.imbalance, 0);
}

/* Ordered, after shortage: the message that began first, whoever's turn it is */
static void pick_prefers_begun(struct kunit *test)
{
	struct script *k = script_new(test, true, true);
	u32 len = 2 * UET_SND_QUANTUM, i;

	script_msg(k, 0, len, len);
	script_msg(k, 2, len, len);
	script_send(k, UET_SND_QUANTUM / SCRIPT_MTU + 1);
	KUNIT_ASSERT_EQ(test, k->m[1].state, UET_MSG_SENDING);
	k->s.one_by_one = true;
	for (i = 0; i < 4; i++) {
		list_move(&k->q[i & 2].active, &k->s.active);
		KUNIT_EXPECT_EQ(test, script_send(k, 1), 1);
		KUNIT_EXPECT_PTR_EQ(test, k->out.pkt.msg, &k->m[0]);
	}
	/* Once all that began have ended, it is as before. */
	while (k->m[1].state != UET_MSG_DONE && script_send(k, 99))
		script_ack(k, k->out.psn, k->out.psn, 0);
	KUNIT_EXPECT_EQ(test, k->finished, 2);
	KUNIT_EXPECT_FALSE(test, k->s.one_by_one);
}

/* A message is cut by the MTU of the moment; the backlog is what that takes. */
static const struct pick_mtu_case {
	const char *name;
	u16 first, then, last;
	u32 packets;
} pick_mtu_cases[] = {
	{ "grows", 256, 1024, 1024, 3 },
	{ "shrinks", 1024, 256, 256, 5 },
	{ "shrinks and grows", 1024, 256, 1024, 3 },
};

static void pick_mtu_desc(const struct pick_mtu_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(pick_mtu, pick_mtu_cases, pick_mtu_desc);

static void pick_mtus(struct kunit *test)
{
	const struct pick_mtu_case *c = test->param_value;
	struct script *k = script_new(test, false, true);
	struct uet_snd_msg *m;
	u32 n = 1;

	k->flow.payload_mtu = c->first;
	m = script_msg(k, 0, 2 * SCRIPT_MTU, 2 * SCRIPT_MTU);
	script_send(k, 1);
	k->flow.payload_mtu = c->then;
	n += script_send(k, 1);
	k->flow.payload_mtu = c->last;
	n += script_send(k, 99);
	KUNIT_EXPECT_EQ(test, m->state, UET_MSG_SENT);
	KUNIT_EXPECT_EQ(test, m->sent, m->len);
	KUNIT_EXPECT_EQ(test, n, c->packets);
	KUNIT_EXPECT_EQ(test, k->ccc.backlog, 0);
	KUNIT_EXPECT_EQ(test, k->ccc.stats.imbalance, 0);
}

/* Even the rest of a message whose packets became many counts as waiting. */
static void pick_mtu_covers(struct kunit *test)
{
	struct script *k = script_new(test, false, true);
	struct uet_snd_msg *m = script_msg(k, 0, 2 * SCRIPT_MTU,
					   2 * SCRIPT_MTU);

	for (k->flow.payload_mtu = 256; m->state != UET_MSG_SENT;) {
		KUNIT_ASSERT_LE(test, 256 + SCRIPT_OVERHEAD, m->backlog);
		KUNIT_ASSERT_EQ(test, script_send(k, 1), 1);
		if (m->sent == 6 * 256)
			k->flow.payload_mtu = 1024;
	}
	KUNIT_EXPECT_EQ(test, k->ccc.backlog, 0);
	KUNIT_EXPECT_EQ(test, k->ccc.stats.imbalance, 0);
}

/* A packet carries CLEAR_PSN and asks for an answer: deadlines that it replaces */
static void pick_commits(struct kunit *test)
{
	struct script *k = script_new(test, false, true);
	u64 rto;

	script_msg(k, 0, 100, 100);
	KUNIT_ASSERT_EQ(test, uet_snd_pick(&k->s, k->now, k->now, &k->out),
			UET_SND_NEW);
	k->s.clear_at = k->now + 1;
	uet_snd_busy(&k->s)->probe_slack = 1;
	k->out.ar = true;
	/* It leaves later. */
	uet_snd_commit(&k->s, &k->out, k->now + 5000, 0, k->now);
	uet_snd_transmitted(&k->s, k->now);
	rto = k->now + 5000 + uet_snd_rto(&k->s);
	KUNIT_EXPECT_EQ(test, k->s.clear_at, 0);
	KUNIT_EXPECT_EQ(test, uet_snd_busy(&k->s)->probe_slack, 0);
	KUNIT_EXPECT_EQ(test, k->s.rto_at, rto);
	KUNIT_EXPECT_EQ(test, uet_snd_busy(&k->s)->probe_at,
			k->now + 5000 + uet_snd_probe_interval(&k->s));
	/* The RTO is that of the oldest packet. */
	k->now += 1000;
	script_msg(k, 0, 100, 100);
	KUNIT_EXPECT_EQ(test, script_send(k, 9), 1);
	KUNIT_EXPECT_EQ(test, k->s.rto_at, rto);
	KUNIT_EXPECT_FALSE(test, k->out.ar);
	/* Each packet postpones the probe: after half of it they ask. */
	k->now = rto - uet_snd_rto(&k->s) / 2;
	script_msg(k, 0, 100, 100);
	script_send(k, 9);
	KUNIT_EXPECT_TRUE(test, k->out.ar);
}

/* Of messages that follow one another the last one asks, if any had several packets. */
static const struct pick_end_case {
	const char *name;
	u32 len[3];
	u8 asks;		/* bit per packet */
} pick_end_cases[] = {
	{ "one packet each", { 100, 100, 100 }, 0 },
	{ "two packets", { 2000 }, 0x2 },
	{ "two packets each", { 2000, 2000, 2000 }, 0x20 },
	{ "two packets, short ones follow", { 2000, 100, 100 }, 0x8 },
	{ "short ones, two packets", { 100, 100, 2000 }, 0x8 },
};

static void pick_end_desc(const struct pick_end_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(pick_end, pick_end_cases, pick_end_desc);

static void pick_ends(struct kunit *test)
{
	const struct pick_end_case *c = test->param_value;
	struct script *k = script_new(test, false, true);
	u32 asks = 0, i;

	for (i = 0; i < ARRAY_SIZE(c->len) && c->len[i]; i++)
		script_msg(k, 0, c->len[i], c->len[i]);
	for (i = 0; script_send(k, 1); i++)
		asks |= (u32)k->out.ar << i;
	KUNIT_EXPECT_EQ(test, asks, c->asks);
	/* What was owed is settled. */
	script_msg(k, 0, 100, 100);
	KUNIT_EXPECT_EQ(test, script_send(k, 1), 1);
	KUNIT_EXPECT_FALSE(test, k->out.ar);
}

/* Shorter headers: of messages of one packet only, and they count as less. */
static void pick_brief(struct kunit *test)
{
	const u32 less = 12, size = 100 + SCRIPT_OVERHEAD - less;
	struct script *k = script_new(test, false, true);
	struct uet_snd_msg *m = script_msg(k, 0, 100, 100);

	m->brief = less;
	KUNIT_EXPECT_EQ(test, script_send(k, 1), 1);
	KUNIT_EXPECT_EQ(test, m->less, less);
	KUNIT_EXPECT_EQ(test, uet_snd_out_size(&k->out), size);
	KUNIT_EXPECT_EQ(test, k->s.win.ring->flight_bytes, size);
	KUNIT_EXPECT_EQ(test, k->ccc.inflight, size);
	KUNIT_EXPECT_EQ(test, k->ccc.backlog, 0);
	/* Sent again in the same form */
	script_nack(k, PSN(0), UET_NACK_TRIMMED, false);
	KUNIT_EXPECT_EQ(test, script_send(k, 1), 1);
	KUNIT_EXPECT_TRUE(test, k->out.rtx);
	KUNIT_EXPECT_EQ(test, k->out.ask.size, size);
	/* Several packets */
	m = script_msg(k, 0, SCRIPT_MTU + 1, SCRIPT_MTU + 1);
	m->brief = less;
	KUNIT_EXPECT_EQ(test, script_send(k, 2), 2);
	KUNIT_EXPECT_EQ(test, m->less, 0);
	KUNIT_EXPECT_EQ(test, k->out.ask.size, 1 + SCRIPT_OVERHEAD);
	/* More is to come */
	m = script_msg(k, 0, 2 * SCRIPT_MTU, SCRIPT_MTU);
	m->brief = less;
	KUNIT_EXPECT_EQ(test, script_send(k, 1), 1);
	KUNIT_EXPECT_EQ(test, m->less, 0);
	/* None */
	m = script_msg(k, 1, 0, 0);
	m->brief = 24;
	KUNIT_EXPECT_EQ(test, script_send(k, 1), 1);
	KUNIT_EXPECT_EQ(test, k->out.ask.size, SCRIPT_OVERHEAD - 24);
	/* Given up: without data, but with a standard header, which is not charged */
	m->given_up = true;
	script_nack(k, k->out.psn, UET_NACK_TRIMMED, false);
	KUNIT_EXPECT_EQ(test, script_send(k, 1), 1);
	KUNIT_EXPECT_EQ(test, k->out.pkt.flags, UET_SND_MSG_ERROR);
	KUNIT_EXPECT_EQ(test, k->out.ask.size, SCRIPT_OVERHEAD - 24);
	script_ack(k, k->out.psn, k->out.psn, 0);
	KUNIT_EXPECT_EQ(test, k->ccc.inflight, 0);
}

static struct kunit_case snd_pick_cases[] = {
	KUNIT_CASE_PARAM(pick_limits, pick_limit_gen_params),
	KUNIT_CASE(pick_begins),
	KUNIT_CASE(pick_owed),
	KUNIT_CASE(pick_dropped),
	KUNIT_CASE(pick_owed_nomem),
	KUNIT_CASE(pick_hollow),
	KUNIT_CASE(pick_prefers_begun),
	KUNIT_CASE_PARAM(pick_mtus, pick_mtu_gen_params),
	KUNIT_CASE(pick_mtu_covers),
	KUNIT_CASE(pick_commits),
	KUNIT_CASE_PARAM(pick_ends, pick_end_gen_params),
	KUNIT_CASE(pick_brief),
	{}
};

static struct kunit_suite snd_pick_suite = {
	.name = "uet_snd_pick",
	.test_cases = snd_pick_cases,
};

kunit_test_suite(snd_pick_suite);
