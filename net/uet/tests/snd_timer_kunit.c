// SPDX-License-Identifier: GPL-2.0
/* Intervals and deadlines of a sender, and what a timeout finds; scripted events */
#include <kunit/test.h>
#include <linux/module.h>

#include "snd_script.h"

#define PSN(n)	(SCRIPT_PSN + (n))
#define MS	1000000ULL

/* Intervals; a round trip in ms was measured, or none */
static const struct timer_rto_case {
	const char *name;
	u32 srtt, var;
	u8 backoff;
	bool ambiguous;
	u32 spread_ms;
	u64 rto;
} timer_rto_cases[] = {
	{ "least", 0, 0, 0, false, 0, MS },
	{ "backs off", 0, 0, 3, false, 0, 8 * MS },
	{ "of a silent peer", 0, 0, 40, false, 0, 200 * MS },
	{ "of one of some silent peers", 0, 0, 40, false, 100, 200 * MS },
	{ "of one of many silent peers", 0, 0, 40, false, 3000, 3000 * MS },
	{ "beside many silent peers", 0, 0, 0, false, 3000, MS },
	{ "of one whose answers give no round trip", 0, 0, 40, true, 0, 8000 * MS },
	{ "twice the longest normal round trip", 10, 5, 0, false, 0, 30 * MS },
	{ "round trips beyond the limit", 200, 100, 0, false, 0, 600 * MS },
};

static void timer_rto_desc(const struct timer_rto_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(timer_rto, timer_rto_cases, timer_rto_desc);

static void timer_rtos(struct kunit *test)
{
	const struct timer_rto_case *c = test->param_value;
	struct script *k = script_new(test, false, true);

	k->ccc.rtt.srtt = 8 * c->srtt * MS;
	k->ccc.rtt.var = c->var * MS;
	k->s.backoff = c->backoff;
	k->s.ambiguous = c->ambiguous;
	k->flow.spread_ms = c->spread_ms;
	KUNIT_EXPECT_EQ(test, uet_snd_rto(&k->s), c->rto);
}

/* Probes back off, but not for long while ICMP says that nobody is there. */
static void timer_probe_interval(struct kunit *test)
{
	struct script *k = script_new(test, false, true);
	u64 once, twice;

	k->ccc.rtt.srtt = 8 * MS;
	uet_snd_busy(&k->s)->probes = 1;
	once = uet_snd_probe_interval(&k->s);
	uet_snd_busy(&k->s)->probes = 2;
	twice = uet_snd_probe_interval(&k->s);
	KUNIT_EXPECT_EQ(test, twice, 2 * once);
	uet_snd_busy(&k->s)->probes = 20;
	KUNIT_EXPECT_EQ(test, uet_snd_probe_interval(&k->s), 200 * MS);
}

/* Round trips over several interfaces differ by more than those over one. */
static void timer_loss_age(struct kunit *test)
{
	struct script *k = script_new(test, false, true);
	u64 age = uet_snd_loss_age(&k->s);

	k->flow.multi = true;
	KUNIT_EXPECT_GT(test, uet_snd_loss_age(&k->s), age);
	KUNIT_EXPECT_EQ(test, uet_snd_loss_age(&k->s),
			uet_snd_patience(&k->s) + 2 * k->p.target);
}

/* The timer fires for the earliest of all deadlines. */
static void timer_deadlines(struct kunit *test)
{
	struct script *k = script_new(test, false, true);
	struct uet_snd *s = &k->s;
	u64 *at[] = {
		&s->rto_at, &uet_snd_busy(s)->probe_at, &uet_snd_busy(s)->loss_at, &s->retry_at,
		&s->clear_at, &s->hold_at,
	};
	u32 i;

	KUNIT_EXPECT_EQ(test, uet_snd_deadline(s), 0);
	for (i = 0; i < ARRAY_SIZE(at); i++)
		*at[i] = 200;
	for (i = 0; i < ARRAY_SIZE(at); i++) {
		*at[i] = 100;
		KUNIT_EXPECT_EQ_MSG(test, uet_snd_deadline(s), 100, "%u", i);
		*at[i] = 200;
	}
}

/* A full window and no answer to come: probe at once, but only once. */
static const struct timer_probe_case {
	const char *name;
	u8 blocked;
	u8 probes;
	bool answered;		/* an answer will come */
	bool at_once;
} timer_probe_cases[] = {
	{ "window is full", UET_CC_BLOCK_WINDOW, 0, false, true },
	{ "window is open", 0, 0, false, false },
	{ "a probe brought nothing", UET_CC_BLOCK_WINDOW, 1, false, false },
	{ "an answer is due", UET_CC_BLOCK_WINDOW, 0, true, false },
};

static void timer_probe_desc(const struct timer_probe_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(timer_probe, timer_probe_cases, timer_probe_desc);

static void timer_probes(struct kunit *test)
{
	const struct timer_probe_case *c = test->param_value;
	struct script *k = script_new(test, false, true);
	u32 len = c->answered ? 2 * SCRIPT_MTU : 100;

	script_msg(k, 0, len, len);
	script_send(k, 9);
	KUNIT_ASSERT_EQ(test, uet_snd_answer_due(&k->s), c->answered);
	k->ccc.blocked = c->blocked;
	uet_snd_busy(&k->s)->probes = c->probes;
	uet_snd_settled(&k->s, k->now);
	if (c->at_once)
		KUNIT_EXPECT_EQ(test, uet_snd_busy(&k->s)->probe_at, k->now);
	else
		KUNIT_EXPECT_GT(test, uet_snd_busy(&k->s)->probe_at, k->now);
	script_arm(k);
	/* The timer may be late for it only if no answer is due. */
	uet_snd_busy(&k->s)->probe_at = k->now + 1;
	uet_snd_slacken(&k->s, k->now);
	KUNIT_EXPECT_EQ(test, !uet_snd_busy(&k->s)->probe_slack, c->answered);
}

/* No probe opens a PDC, nor is sent to one who refuses them. */
static void timer_no_probe(struct kunit *test)
{
	struct script *k = script_new(test, false, false);
	u8 habit;

	script_msg(k, 0, 100, 100);
	script_send(k, 9);
	script_wait(k, SCRIPT_RTO / 2);
	KUNIT_EXPECT_FALSE(test, !!script_cp(k, UET_CTL_PROBE));
	for (habit = UET_PROBES_NACKED; habit <= UET_PROBES_NEVER; habit++) {
		k = script_new(test, false, true);
		k->probes = habit;
		script_msg(k, 0, 100, 100);
		script_send(k, 9);
		KUNIT_EXPECT_TRUE(test, k->out.ar);
		script_wait(k, SCRIPT_RTO / 2);
		KUNIT_EXPECT_FALSE(test, !!script_cp(k, UET_CTL_PROBE));
		KUNIT_EXPECT_EQ(test, uet_snd_busy(&k->s)->probe_tx, 0);
		/* The timeout does what the probe would have. */
		script_wait(k, SCRIPT_RTO);
		KUNIT_EXPECT_EQ(test, k->lost, 1);
	}
}

/* The first answer of a target ends the back-off though it gives no sample. */
static void timer_opens(struct kunit *test)
{
	struct script *k = script_new(test, false, false);
	u32 i;

	script_msg(k, 0, 3 * SCRIPT_MTU, 3 * SCRIPT_MTU);
	script_send(k, 9);
	for (i = 0; i < 6; i++) {
		script_wait(k, 300 * MS);
		script_send(k, 9);
	}
	KUNIT_EXPECT_GE(test, uet_snd_rto(&k->s), 32 * SCRIPT_RTO);
	script_ack(k, PSN(0), PSN(0), 0);
	KUNIT_EXPECT_EQ(test, uet_snd_rto(&k->s), SCRIPT_RTO);
	KUNIT_EXPECT_LE(test, k->s.rto_at, k->now + SCRIPT_RTO);
}

/* The answer to a probe in the class of control packets proves no loss: it may have
 * overtaken data.
 */
static void timer_probe_apart(struct kunit *test)
{
	struct script *k;
	int apart;

	for (apart = 0; apart < 2; apart++) {
		k = script_new(test, false, true);
		k->flow.probes_apart = apart;
		script_msg(k, 0, 100, 100);
		script_send(k, 9);
		script_wait(k, SCRIPT_RTO / 2);
		KUNIT_ASSERT_NOT_NULL(test, script_cp(k, UET_CTL_PROBE));
		k->now += SCRIPT_RTT;
		k->pkt.flags = UET_F_PROBE;
		k->pkt.ack.probe_opaque = k->s.probe_id;
		script_ack(k, PSN(-1), PSN(-1), 0);
		KUNIT_EXPECT_EQ(test, !!uet_snd_busy(&k->s)->probed || k->lost, !apart);
		/* It goes on to ask, less and less often. */
		KUNIT_EXPECT_EQ(test, uet_snd_busy(&k->s)->probes, 1);
		KUNIT_EXPECT_GT(test, uet_snd_busy(&k->s)->probe_at, k->now);
		KUNIT_EXPECT_NE(test, k->s.rto_at, 0);
	}
}

/* Once all is answered nothing is probed for. */
static void timer_settles(struct kunit *test)
{
	struct script *k = script_new(test, false, true);

	script_msg(k, 0, 100, 100);
	script_send(k, 9);
	script_wait(k, SCRIPT_RTO / 2);
	KUNIT_ASSERT_NOT_NULL(test, script_cp(k, UET_CTL_PROBE));
	script_ack(k, PSN(0), PSN(0), 0);
	KUNIT_EXPECT_EQ(test, uet_snd_busy(&k->s)->probe_tx, 0);
	KUNIT_EXPECT_EQ(test, uet_snd_deadline(&k->s), 0);
}

/* A packet is lost only if a probe sent after it is overdue as well. */
static void timer_waits_for_probe(struct kunit *test)
{
	struct script *k = script_new(test, false, true);
	u64 probed;

	script_msg(k, 0, 100, 100);
	script_send(k, 9);
	script_wait(k, SCRIPT_RTO / 2);
	KUNIT_ASSERT_NOT_NULL(test, script_cp(k, UET_CTL_PROBE));
	probed = uet_snd_busy(&k->s)->probe_first;
	KUNIT_ASSERT_EQ(test, probed, k->now);
	while (!k->lost && k->now < 200000000000ULL)
		script_wait(k, SCRIPT_RTO / 10);
	/* Later ones do not postpone it. */
	KUNIT_EXPECT_EQ(test, uet_snd_busy(&k->s)->probe_first, probed);
	KUNIT_EXPECT_EQ(test, k->now, probed + SCRIPT_RTO);
}

/* The timer was armed for a packet that is answered: wait for the next one. */
static void timer_too_early(struct kunit *test)
{
	struct script *k = script_new(test, false, true);
	u64 start = k->now;

	k->probes = UET_PROBES_NACKED;
	script_msg(k, 0, 100, 100);
	script_send(k, 9);
	k->s.rto_at = k->now + 1;
	k->timer = k->s.rto_at;
	script_wait(k, SCRIPT_RTO / 2);
	KUNIT_EXPECT_EQ(test, k->lost, 0);
	KUNIT_EXPECT_EQ(test, k->s.rto_at, start + SCRIPT_RTO);
	KUNIT_EXPECT_EQ(test, k->s.retries, 0);
}

/* Long silence alone is no proof: the user may have sent nothing. */
static void timer_silence(struct kunit *test)
{
	struct script *k = script_new(test, false, true);

	k->probes = UET_PROBES_NACKED;
	k->now += 60000 * MS;
	script_msg(k, 0, 100, 100);
	script_send(k, 9);
	while (!k->lost && k->now < 200000000000ULL)
		script_wait(k, SCRIPT_RTO);
	KUNIT_EXPECT_EQ(test, k->w.end, UET_SND_ALIVE);
	KUNIT_EXPECT_EQ(test, k->s.retries, 1);
}

/* Wait until a control packet is sent, or the PDC ends. */
static void timer_wait_cp(struct script *k, u8 ctl)
{
	u64 end = k->now + 10000 * MS;

	do {
		uet_snd_work_init(&k->w, k->now, k->now);
		script_wait(k, SCRIPT_RTO);
	} while (!script_cp(k, ctl) && !k->w.end && k->now < end);
	if (!k->w.end)
		KUNIT_ASSERT_NOT_NULL(k->test, script_cp(k, ctl));
}

/* A response is asked for once per timeout, which backs off, by whatever sender. */
static void timer_asks_response(struct kunit *test, bool rod)
{
	struct script *k = script_new(test, rod, true);
	u64 asked, first = 0;
	u32 n;

	script_msg(k, 0, 2 * SCRIPT_MTU, 2 * SCRIPT_MTU);
	script_send(k, 9);
	k->pkt.next_hdr = UET_NH_RSP;
	script_ack(k, PSN(1), PSN(-1), 3);
	for (n = 0; n < 3; n++) {
		asked = k->now;
		timer_wait_cp(k, UET_CTL_ACK_REQ);
		KUNIT_EXPECT_EQ(test, script_cp(k, UET_CTL_ACK_REQ)->cp.psn,
				PSN(0));
		KUNIT_EXPECT_EQ(test, k->s.win.ring->nr_marked, 0);
		KUNIT_EXPECT_EQ(test, uet_txwin_slot(&k->s.win,
						     PSN(0))->tx_time, k->now);
		KUNIT_EXPECT_TRUE(test, uet_txwin_slot(&k->s.win,
						       PSN(0))->flags &
					UET_SND_ASKED);
		KUNIT_EXPECT_GE(test, k->now - asked, first << n);
		if (!n)
			first = k->now - asked;
	}
}

static void timer_asks(struct kunit *test)
{
	timer_asks_response(test, false);
	timer_asks_response(test, true);
}

/* ... and nothing that followed is resent for that. */
static void timer_asks_only(struct kunit *test)
{
	struct script *k = script_new(test, true, true);

	script_msg(k, 0, 2 * SCRIPT_MTU, 2 * SCRIPT_MTU);
	script_send(k, 9);
	k->now += SCRIPT_RTO / 2;
	k->probes = UET_PROBES_NACKED;
	script_msg(k, 0, 100, 100);
	script_send(k, 9);
	script_ack(k, PSN(1), PSN(-1), 3);
	k->s.rto_at = k->now + SCRIPT_RTO / 2;
	k->timer = k->s.rto_at;
	timer_wait_cp(k, UET_CTL_ACK_REQ);
	KUNIT_EXPECT_EQ(test, script_cp(k, UET_CTL_ACK_REQ)->cp.psn, PSN(0));
	KUNIT_EXPECT_EQ(test, k->s.win.ring->nr_marked, 0);
}

/*
 * All is answered, but CACK is so far behind that the window is closed: ask for it,
 * until it comes or the peer is given up.
 */
static void timer_stuck_cack(struct kunit *test)
{
	struct script *k = script_new(test, false, true);
	u64 start = k->now;
	u32 asked = 0;

	script_msg(k, 0, 2 * SCRIPT_MTU, SCRIPT_MTU + 1);
	script_send(k, 9);
	k->s.win.range = 1;
	k->s.win.limit = PSN(0);
	script_ack(k, PSN(0), PSN(-1), 1);
	KUNIT_EXPECT_EQ(test, uet_txwin_outstanding(&k->s.win), 0);
	KUNIT_EXPECT_TRUE(test, uet_txwin_waits_for_cack(&k->s.win));
	KUNIT_EXPECT_EQ(test, k->s.rto_at, start + uet_snd_rto(&k->s));
	while (k->now < start + 99000 * MS) {
		timer_wait_cp(k, UET_CTL_ACK_REQ);
		if (k->w.end == UET_SND_SILENT)
			break;
		KUNIT_EXPECT_EQ(test, k->w.cps[0].cp.psn, PSN(0));
		asked++;
	}
	KUNIT_EXPECT_EQ(test, k->w.end, UET_SND_SILENT);
	KUNIT_EXPECT_GE(test, k->now - start, 30000 * MS);
	/* By 200 ms at most, and it backs off to that */
	KUNIT_EXPECT_GE(test, asked, 140);
	KUNIT_EXPECT_LE(test, asked, 160);
}

/*
 * Answers that gave no round trip have made timeouts long. CLOSE_CMD is resent as
 * for a silent peer all the same: nobody waits behind it, and it takes no bandwidth.
 */
static void timer_close(struct kunit *test)
{
	struct script *k = script_new(test, false, true);
	struct uet_snd *s = &k->s;
	u64 left = k->now;

	s->backoff = 40;
	s->ambiguous = true;
	s->state = UET_PDC_CLOSING;
	uet_snd_commit_cp(s, s->win.next, k->now);
	script_arm(k);
	KUNIT_EXPECT_EQ(test, s->rto_at, left + 200 * MS);
	script_wait(k, 300 * MS);
	KUNIT_EXPECT_EQ(test, script_send(k, 9), 1);
	KUNIT_EXPECT_EQ(test, k->now, left + 200 * MS);
	KUNIT_EXPECT_EQ(test, s->rto_at, k->now + 200 * MS);
	script_ack(k, PSN(0), PSN(0), 0);
	KUNIT_EXPECT_EQ(test, uet_txwin_outstanding(&s->win), 0);
}

/* A message that waits for others leaves soon, also if none of them comes. */
static void timer_deferred(struct kunit *test)
{
	struct script *k = script_new(test, false, true);
	struct uet_snd *s = &k->s;
	u64 at;

	script_msg(k, 0, 100, 100);
	uet_snd_defer(s, k->now);
	at = s->retry_at;
	KUNIT_EXPECT_GT(test, at, k->now);
	script_arm(k);
	/* Later ones do not postpone it. */
	k->now += 1000;
	script_msg(k, 0, 100, 100);
	uet_snd_defer(s, k->now);
	script_arm(k);
	KUNIT_EXPECT_EQ(test, k->timer, at);
	/* Even if it was tried meanwhile, in vain */
	list_del_init(&s->ready_node);
	script_wait(k, at - k->now);
	KUNIT_EXPECT_EQ(test, k->now, at);
	KUNIT_EXPECT_EQ(test, script_send(k, 9), 2);
	KUNIT_EXPECT_EQ(test, s->retry_at, 0);
	/* If another takes it along there is nothing to see to. */
	script_msg(k, 0, 100, 100);
	uet_snd_defer(s, k->now);
	script_msg(k, 0, 100, 100);
	KUNIT_EXPECT_EQ(test, script_send(k, 9), 2);
	KUNIT_EXPECT_EQ(test, s->retry_at, 0);
}

static struct kunit_case snd_timer_cases[] = {
	KUNIT_CASE_PARAM(timer_rtos, timer_rto_gen_params),
	KUNIT_CASE(timer_probe_interval),
	KUNIT_CASE(timer_loss_age),
	KUNIT_CASE(timer_deadlines),
	KUNIT_CASE(timer_deferred),
	KUNIT_CASE_PARAM(timer_probes, timer_probe_gen_params),
	KUNIT_CASE(timer_no_probe),
	KUNIT_CASE(timer_opens),
	KUNIT_CASE(timer_probe_apart),
	KUNIT_CASE(timer_settles),
	KUNIT_CASE(timer_waits_for_probe),
	KUNIT_CASE(timer_too_early),
	KUNIT_CASE(timer_silence),
	KUNIT_CASE(timer_asks),
	KUNIT_CASE(timer_asks_only),
	KUNIT_CASE(timer_stuck_cack),
	KUNIT_CASE(timer_close),
	{}
};

static struct kunit_suite snd_timer_suite = {
	.name = "uet_snd_timer",
	.test_cases = snd_timer_cases,
};

kunit_test_suite(snd_timer_suite);
