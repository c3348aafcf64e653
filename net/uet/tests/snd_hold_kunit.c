// SPDX-License-Identifier: GPL-2.0
/* Holds: pauses, what ends them, what they stop; scripted events */
#include <kunit/test.h>
#include <linux/module.h>

#include "snd_script.h"

#define PSN(n)	(SCRIPT_PSN + (n))
#define PAUSE	100000ULL	/* nack_retx_us, ns */
#define MS	1000000ULL

/* A message of @n packets is sent, and the first @nacked are NACKed for shortage. */
static struct script *hold_new(struct kunit *test, bool rod, u32 n, u32 nacked)
{
	struct script *k = script_new(test, rod, true);
	u32 i;

	script_msg(k, 0, n * SCRIPT_MTU, n * SCRIPT_MTU);
	KUNIT_ASSERT_EQ(test, script_send(k, n), n);
	for (i = 0; i < nacked; i++)
		script_nack(k, PSN(i), UET_NACK_NO_PKT_BUFFER, false);
	return k;
}

/* Wait until the next try of the first packet; how long did it take? */
static u64 hold_try(struct script *k)
{
	u64 start = k->now;

	while (!script_send(k, 1) && k->now < start + 2000 * MS)
		script_wait(k, 2000 * MS);
	return k->now - start;
}

/* The first packet is tried @n times more, each time in vain. */
static void hold_tries(struct script *k, u32 n)
{
	for (; n; n--) {
		hold_try(k);
		script_nack(k, PSN(0), UET_NACK_NO_PKT_BUFFER, true);
	}
}

static const struct hold_pause_case {
	const char *name;
	bool open;
	u32 tries;
	u64 least, most;
} hold_pause_cases[] = {
	{ "first", true, 0, PAUSE, PAUSE },
	{ "third", true, 2, 4 * PAUSE, 4 * PAUSE },
	{ "longest", true, 14, 128 * MS, 128 * MS },
	{ "longer than any level", true, 20, 128 * MS, 128 * MS },
	/* Hosts that wait for a PDC spread their tries. */
	{ "third in SYN", false, 2, 3 * PAUSE, 4 * PAUSE - 1 },
	{ "longest in SYN", false, 14, 750 * MS, 1000 * MS - 1 },
};

static void hold_pause_desc(const struct hold_pause_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(hold_pause, hold_pause_cases, hold_pause_desc);

static void hold_pauses(struct kunit *test)
{
	const struct hold_pause_case *c = test->param_value;
	struct script *k = hold_new(test, false, 1, 0);
	u64 pause;

	if (!c->open)
		k->s.state = UET_PDC_SYN;
	script_nack(k, PSN(0), UET_NACK_NO_PDC_AVAIL, false);
	hold_tries(k, c->tries);
	pause = hold_try(k);
	KUNIT_EXPECT_GE(test, pause, c->least);
	KUNIT_EXPECT_LE(test, pause, c->most);
}

/* Many queues of a user are tried less often, all of them together at a limited rate. */
static void hold_crowds(struct kunit *test)
{
	struct script *k = hold_new(test, false, 1, 1);
	int crowd = 0;

	k->q[0].crowd = &crowd;
	hold_tries(k, 14);
	KUNIT_EXPECT_EQ(test, hold_try(k), 128 * MS);
	crowd = 1280;
	script_nack(k, PSN(0), UET_NACK_NO_PKT_BUFFER, true);
	KUNIT_EXPECT_EQ(test, hold_try(k), 128 * MS);
	crowd = 10000;
	script_nack(k, PSN(0), UET_NACK_NO_PKT_BUFFER, true);
	KUNIT_EXPECT_EQ(test, hold_try(k), 1000 * MS);
	crowd = 1000000;
	script_nack(k, PSN(0), UET_NACK_NO_PKT_BUFFER, true);
	KUNIT_EXPECT_GE(test, hold_try(k), 2000 * MS);
}

/* What shows that there is room again makes the next pause short again. */
static void hold_level_ends(struct kunit *test)
{
	struct script *k = hold_new(test, false, 3, 3);

	/* ... a try that arrives */
	hold_tries(k, 3);
	hold_try(k);
	script_ack(k, PSN(0), PSN(0), 0);
	KUNIT_EXPECT_EQ(test, script_send(k, 9), 2);
	script_nack(k, PSN(1), UET_NACK_NO_PKT_BUFFER, true);
	KUNIT_EXPECT_EQ(test, hold_try(k), 2 * PAUSE);

	/* ... a target that says so */
	k = hold_new(test, false, 1, 1);
	hold_tries(k, 3);
	script_nack(k, PSN(0), UET_NACK_RCVR_INFER_LOSS, false);
	KUNIT_EXPECT_EQ(test, script_send(k, 9), 1);
	script_nack(k, PSN(0), UET_NACK_NO_PKT_BUFFER, true);
	KUNIT_EXPECT_EQ(test, hold_try(k), 2 * PAUSE);

	/* ... and the end of a hold of an ordered sender */
	k = hold_new(test, true, 1, 1);
	hold_tries(k, 3);
	script_ack(k, PSN(0), PSN(0), 0);
	hold_try(k);
	KUNIT_EXPECT_FALSE(test, k->q[0].hold.on);
	script_msg(k, 0, 100, 100);
	script_send(k, 9);
	script_nack(k, PSN(1), UET_NACK_NO_PKT_BUFFER, false);
	KUNIT_EXPECT_EQ(test, hold_try(k), PAUSE);
}

/* NACKs of packets behind a try left before the hold was known. */
static void hold_late_nack(struct kunit *test)
{
	struct script *k = hold_new(test, false, 3, 1);

	hold_try(k);
	script_nack(k, PSN(2), UET_NACK_NO_PKT_BUFFER, false);
	KUNIT_EXPECT_TRUE(test, k->q[0].hold.trying);
	KUNIT_EXPECT_EQ(test, k->q[0].hold.level, 0);
	/* An answer about another packet does not end the try. */
	script_ack(k, PSN(1), PSN(-1), 2);
	KUNIT_EXPECT_TRUE(test, k->q[0].hold.trying);
	KUNIT_EXPECT_EQ(test, k->q[0].hold.allowed, 1);
	KUNIT_EXPECT_EQ(test, script_send(k, 9), 0);
}

/* A packet that is lost meanwhile is held, too; a try that is lost is not. */
static void hold_loses(struct kunit *test)
{
	struct script *k = hold_new(test, false, 3, 1);
	struct uet_ccc_loss loss;

	KUNIT_EXPECT_TRUE(test, uet_snd_lost(&k->s, PSN(1), UET_LOSS_SACK,
					     k->now, &loss));
	uet_ccc_on_inferred_loss(&k->ccc, &loss);
	KUNIT_EXPECT_EQ(test, k->s.win.nr_held, 2);
	uet_snd_ready(&k->s);
	KUNIT_EXPECT_EQ(test, script_send(k, 9), 0);
	hold_try(k);
	KUNIT_EXPECT_TRUE(test, uet_snd_lost(&k->s, PSN(0), UET_LOSS_RTO,
					     k->now, &loss));
	uet_ccc_on_inferred_loss(&k->ccc, &loss);
	uet_snd_ready(&k->s);
	KUNIT_EXPECT_EQ(test, script_send(k, 9), 1);
	KUNIT_EXPECT_EQ(test, k->out.psn, PSN(0));
}

/* What goes back behind a held packet waits with it on an ordered PDC. */
static void hold_stops_go_back(struct kunit *test)
{
	struct script *k = hold_new(test, true, 3, 1);

	script_nack(k, PSN(1), UET_NACK_ROD_OOO, false);
	KUNIT_EXPECT_EQ(test, k->s.win.ring->nr_marked, 3);
	KUNIT_EXPECT_EQ(test, script_send(k, 9), 0);
}

/* NO_MATCH while a try is out: new packets pause once the held ones are through. */
static void hold_then_pause(struct kunit *test)
{
	struct script *k = hold_new(test, false, 1, 1);
	u64 start;

	hold_try(k);
	start = k->now;
	KUNIT_EXPECT_FALSE(test, uet_snd_pause(&k->s, &k->q[0], k->now));
	script_msg(k, 0, 100, 100);
	script_ack(k, PSN(0), PSN(0), 0);
	KUNIT_EXPECT_TRUE(test, k->q[0].hold.on);
	hold_try(k);
	KUNIT_EXPECT_EQ(test, k->now - start, PAUSE);
	KUNIT_EXPECT_EQ(test, k->out.psn, PSN(1));
}

/* NO_MATCH to the new packets after a hold: a longer pause */
static void hold_pauses_longer(struct kunit *test)
{
	struct script *k = hold_new(test, false, 1, 1);

	hold_try(k);
	script_ack(k, PSN(0), PSN(0), 0);
	script_msg(k, 0, 100, 100);
	script_msg(k, 0, 100, 100);
	script_msg(k, 0, 100, 100);
	KUNIT_EXPECT_EQ(test, script_send(k, 9), 2);
	KUNIT_EXPECT_TRUE(test, uet_snd_pause(&k->s, &k->q[0], k->now));
	script_arm(k);
	KUNIT_EXPECT_EQ(test, hold_try(k), 2 * PAUSE);
}

/* NO_MATCH to one message after the other: each pause is longer, up to the longest one,
 * on an ordered PDC as well. A message that is taken makes the next pause short again.
 */
static void hold_refused_again(struct kunit *test)
{
	bool rod;
	u32 i;

	for (i = 0; i < 2; i++) {
		struct script *k;
		u32 n;

		rod = i;
		k = script_new(test, rod, true);
		for (n = 0; n < SCRIPT_MSGS - 1; n++)
			script_msg(k, 0, 100, 100);
		KUNIT_ASSERT_EQ(test, script_send(k, 1), 1);
		for (n = 0; n < 12; n++) {
			uet_snd_pause(&k->s, &k->q[0], k->now);
			script_arm(k);
			script_ack(k, PSN(n), PSN(n), 0);
			KUNIT_EXPECT_EQ_MSG(test, hold_try(k),
					    min(PAUSE << n, 128 * MS),
					    "rod %d, %u", rod, n);
		}
		script_ack(k, PSN(n), PSN(n), 0);
		KUNIT_EXPECT_EQ(test, script_send(k, 1), 1);
		uet_snd_pause(&k->s, &k->q[0], k->now);
		script_arm(k);
		script_ack(k, PSN(n + 1), PSN(n + 1), 0);
		KUNIT_EXPECT_LE(test, hold_try(k), 2 * PAUSE);
	}
}

/* The last held packet is given up: the queue goes on at once. */
static void hold_given_up_ends(struct kunit *test)
{
	struct script *k = hold_new(test, false, 1, 1);

	script_msg(k, 0, 100, 100);
	k->m[0].withdrawn = true;
	k->m[0].given_up = true;
	k->m[0].state = UET_MSG_FAILED;
	uet_snd_hold_given_up(&k->s, &k->q[0], k->now);
	script_arm(k);
	KUNIT_EXPECT_FALSE(test, k->q[0].hold.on);
	KUNIT_EXPECT_EQ(test, script_send(k, 9), 2);
	KUNIT_EXPECT_EQ(test, k->resent, 1);
}

/* The limits double until they no longer matter; then the hold is forgotten. */
static void hold_ramp_ends(struct kunit *test)
{
	struct script *k = hold_new(test, false, 1, 1);
	u32 i, len = 4000 * SCRIPT_MTU;

	hold_try(k);
	script_msg(k, 0, len, len);
	for (i = 0; i < 12; i++) {
		k->pkt.ack.mpr = 2;
		script_ack(k, k->out.psn, k->out.psn, 0);
		script_send(k, 999);
	}
	KUNIT_EXPECT_FALSE(test, k->q[0].hold.ramp);
	KUNIT_EXPECT_TRUE(test, list_empty(&k->s.holds));
}

/* The flow knows how many queues are on hold, and since when there are any. */
static void hold_counted(struct kunit *test)
{
	struct script *k = hold_new(test, false, 1, 1);
	const struct uet_snd_waits *w = &k->s.flow->holds;
	u64 since = k->q[0].hold.since;

	KUNIT_EXPECT_EQ(test, w->nr, 1u);
	KUNIT_EXPECT_EQ(test, w->since, since);
	hold_tries(k, 2);
	KUNIT_EXPECT_EQ(test, w->nr, 1u);
	KUNIT_EXPECT_EQ(test, w->since, since);
	hold_try(k);
	script_ack(k, k->out.psn, k->out.psn, 0);
	KUNIT_EXPECT_FALSE(test, k->q[0].hold.on);
	KUNIT_EXPECT_EQ(test, w->nr, 0u);

	/* A queue that leaves takes its hold along, and only once. */
	k = hold_new(test, false, 1, 1);
	w = &k->s.flow->holds;
	uet_snd_hold_clear(&k->s, &k->q[0], k->now);
	KUNIT_EXPECT_EQ(test, w->nr, 0u);
	uet_snd_hold_clear(&k->s, &k->q[0], k->now);
	KUNIT_EXPECT_EQ(test, w->nr, 0u);
}

static struct kunit_case snd_hold_cases[] = {
	KUNIT_CASE_PARAM(hold_pauses, hold_pause_gen_params),
	KUNIT_CASE(hold_crowds),
	KUNIT_CASE(hold_level_ends),
	KUNIT_CASE(hold_late_nack),
	KUNIT_CASE(hold_loses),
	KUNIT_CASE(hold_stops_go_back),
	KUNIT_CASE(hold_then_pause),
	KUNIT_CASE(hold_pauses_longer),
	KUNIT_CASE(hold_refused_again),
	KUNIT_CASE(hold_given_up_ends),
	KUNIT_CASE(hold_ramp_ends),
	KUNIT_CASE(hold_counted),
	{}
};

static struct kunit_suite snd_hold_suite = {
	.name = "uet_snd_hold",
	.test_cases = snd_hold_cases,
};

kunit_test_suite(snd_hold_suite);
