// SPDX-License-Identifier: GPL-2.0
/*
 * What a receiver can make a sender do: work is in proportion to its ACKs and to the
 * packets that they newly acknowledge, whatever they say and however long the window is.
 */
#include "random.h"
#include "snd_script.h"

#define SLOTS		4096
#define PSN(i)		(SCRIPT_PSN + (i))
/* As in snd_priv.h */
#define PER_PKT		64
/* Blocks and packets of the whole window: by send times, then one by one, and then those
 * sent before a probe
 */
#define WHOLE		(2 * SLOTS / 64 + 3 * SLOTS)

/**
 * struct cost - what ACKs made a sender do
 * @k: the sender
 * @mem: memory of its rings
 * @steps: blocks and packets that it examined
 * @acked: ACKs, and packets that they newly acknowledged
 * @psns: PSNs that CACK has passed
 */
struct cost {
	struct script *k;
	struct uet_snd_mem mem;
	u64 steps;
	u64 acked;
	u64 psns;
};

static void cost_begin(struct kunit *test, struct cost *c, u32 len)
{
	*c = (struct cost) { .k = script_new(test, false, true) };
	c->k->p.fixed_wnd = 2ULL * SLOTS * SCRIPT_MTU;
	snd_mem_alloc(test, &c->mem, SLOTS);
	uet_snd_attach(&c->k->s, &c->mem, SLOTS);
	c->k->s.win.limit += 2 * SLOTS;
	if (len)
		script_msg(c->k, 0, len, len);
}

static void cost_ack(struct cost *c, u32 psn, u32 cack, u64 bitmap)
{
	struct script *k = c->k;

	script_ack(k, psn, cack, bitmap);
	c->steps += k->w.steps;
	c->acked += 1 + k->acked.sum.pkts + k->acked.sum.unmarked_pkts;
	c->psns += k->acked.sum.psns;
}

/* Have the tail probe sent, and answer it. */
static void cost_probe(struct kunit *test, struct cost *c, u32 psn)
{
	struct script *k = c->k;
	const struct uet_snd_cp *cp = NULL;
	u32 i;

	for (i = 0; i < 100 && !cp; i++) {
		script_wait(k, SCRIPT_RTT);
		cp = script_cp(k, UET_CTL_PROBE);
	}
	KUNIT_ASSERT_NOT_NULL(test, cp);
	k->pkt.flags = UET_F_PROBE;
	k->pkt.ack.probe_opaque = cp->cp.probe_opaque;
	k->now += SCRIPT_RTT;
	cost_ack(c, psn, k->s.win.una - 1, 0);
}

/* After the answer to a probe each packet sent before it is missing, but too young to be
 * lost. It is not searched for with each ACK that acknowledges nothing.
 */
static void cost_probed(struct kunit *test)
{
	u32 n = SLOTS / 2, i;
	struct cost c;

	cost_begin(test, &c, n * SCRIPT_MTU);
	/* Packets may be late. */
	c.k->flow.reorder.steps = 8;
	KUNIT_ASSERT_EQ(test, script_send(c.k, n), n);
	c.k->now += SCRIPT_RTT;
	cost_ack(&c, PSN(0), PSN(0), 0);
	cost_probe(test, &c, PSN(0));
	KUNIT_ASSERT_NE(test, uet_snd_busy(&c.k->s)->probed, 0ULL);
	c.steps = 0;
	c.acked = 0;
	for (i = 0; i < 1000; i++) {
		c.k->now++;
		cost_ack(&c, PSN(0), PSN(0), 0);
	}
	KUNIT_EXPECT_LE(test, c.steps, PER_PKT * c.acked + WHOLE);
}

/* Each ACK says anew that the newest packet has come, and time passes: one more packet is
 * old enough each time.
 */
static void cost_oldest(struct kunit *test)
{
	u32 n = SLOTS - 1, i;
	struct cost c;

	cost_begin(test, &c, n * SCRIPT_MTU);
	for (i = 0; i < n; i++) {
		KUNIT_ASSERT_EQ(test, script_send(c.k, 1), 1);
		c.k->now += 10;
	}
	for (i = 0; i < 1000; i++) {
		c.k->now += 10;
		cost_ack(&c, PSN(n - 1), PSN(-1), 0);
	}
	KUNIT_EXPECT_LE(test, c.steps, PER_PKT * c.acked + WHOLE);
}

/* What ACKs do not pay for is found by the timer. */
static void cost_found(struct kunit *test)
{
	u32 n = SLOTS / 2, i, lost = 0;
	struct cost c;

	cost_begin(test, &c, n * SCRIPT_MTU);
	KUNIT_ASSERT_EQ(test, script_send(c.k, n), n);
	c.k->now += SCRIPT_RTT;
	cost_ack(&c, PSN(n - 1), PSN(-1), 0);
	cost_ack(&c, PSN(n - 1), PSN(-1), 0);
	lost = c.k->s.win.ring->nr_marked;
	for (i = 0; i < 100 && !lost; i++) {
		KUNIT_EXPECT_NE(test, c.k->timer, 0ULL);
		script_wait(c.k, SCRIPT_RTT / 4);
		lost = c.k->s.win.ring->nr_marked;
	}
	KUNIT_EXPECT_GE(test, lost, 1U);
	KUNIT_EXPECT_LE(test, i, 16U);
}

#define QUEUES	512

/* Many targets of one host are short: an ACK looks at those that it is about. */
static void cost_holds(struct kunit *test)
{
	struct uet_snd_queue *q;
	struct uet_snd_msg *m;
	struct cost c;
	u32 i;

	cost_begin(test, &c, 0);
	q = kunit_kzalloc(test, QUEUES * sizeof(*q), GFP_KERNEL);
	m = kunit_kzalloc(test, QUEUES * sizeof(*m), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, q);
	KUNIT_ASSERT_NOT_NULL(test, m);
	for (i = 0; i < QUEUES; i++) {
		uet_snd_queue_init(&q[i], (u16)i);
		m[i].queue = &q[i];
		m[i].len = SCRIPT_MTU;
		m[i].filled = SCRIPT_MTU;
		m[i].eom = true;
		uet_snd_submit(&c.k->s, &m[i], c.k->now);
		uet_snd_enqueue(&c.k->s, &m[i], c.k->now);
		KUNIT_ASSERT_EQ(test, script_send(c.k, 1), 1);
	}
	for (i = 0; i < QUEUES; i++)
		script_nack(c.k, PSN(i), UET_NACK_NO_PKT_BUFFER, false);
	/* All are tried. */
	for (i = 0; i < 100 && c.k->s.win.nr_held; i++) {
		script_wait(c.k, SCRIPT_RTT);
		script_send(c.k, QUEUES);
	}
	KUNIT_ASSERT_EQ(test, c.k->s.win.nr_held, 0);
	KUNIT_EXPECT_EQ(test, uet_snd_hold_acked(&c.k->s, c.k->now), 0U);
	c.k->pkt.type = UET_PDS_ACK_CC;
	c.k->pkt.ack.ack_psn = PSN(QUEUES - 1);
	c.k->pkt.ack.cack_psn = PSN(-1);
	uet_snd_ack(&c.k->s, &c.k->pkt, 1, c.k->now, &c.k->acked);
	KUNIT_EXPECT_EQ(test, uet_snd_hold_acked(&c.k->s, c.k->now), 1U);
	KUNIT_EXPECT_FALSE(test, q[QUEUES - 1].hold.on);
	/* The same again, and of all as a block */
	uet_snd_ack(&c.k->s, &c.k->pkt, 1, c.k->now, &c.k->acked);
	KUNIT_EXPECT_EQ(test, uet_snd_hold_acked(&c.k->s, c.k->now), 0U);
	c.k->pkt.ack.sack_base = PSN(0);
	c.k->pkt.ack.sack_bitmap = U64_MAX;
	uet_snd_ack(&c.k->s, &c.k->pkt, 1, c.k->now, &c.k->acked);
	KUNIT_EXPECT_EQ(test, uet_snd_hold_acked(&c.k->s, c.k->now), 64U);
}

/* The target NACKs, for one reason or another. */
static void liar_nack(struct cost *c, struct test_rnd *rnd)
{
	static const u8 codes[] = {
		UET_NACK_TRIMMED, UET_NACK_NO_PKT_BUFFER, UET_NACK_RCVR_INFER_LOSS,
		UET_NACK_PKT_NOT_RCVD,
	};
	struct uet_snd *s = &c->k->s;

	script_nack(c->k, s->win.una + rnd_below(rnd, SLOTS),
		    codes[rnd_below(rnd, ARRAY_SIZE(codes))], rnd_one_in(rnd, 2));
	c->steps += c->k->w.steps;
	/* One about each packet in a row may end a PDC, but this one goes on. */
	uet_snd_busy(s)->nack_e = 0;
}

/* The answer to the last probe, or to one that was not sent */
static void liar_probe(struct cost *c, struct test_rnd *rnd)
{
	c->k->pkt.flags = UET_F_PROBE;
	c->k->pkt.ack.probe_opaque = c->k->s.probe_id - rnd_one_in(rnd, 4);
}

static void liar_ack(struct cost *c, struct test_rnd *rnd)
{
	struct script *k = c->k;
	struct uet_txwin *w = &k->s.win;
	u32 n = uet_txwin_outstanding(w), psn = w->una + rnd_below(rnd, n + 1);
	u32 cack = w->una - 1;

	if (rnd_one_in(rnd, 64))
		cack += rnd_below(rnd, min(n, 64U) + 1);
	if (rnd_one_in(rnd, 8))
		psn = w->next - 1;
	else if (rnd_one_in(rnd, 2))
		psn = w->una - 1;
	if (rnd_one_in(rnd, 8))
		liar_probe(c, rnd);
	if (rnd_one_in(rnd, 4))
		k->pkt.ack.ooo_count = (u16)rnd32(rnd);
	cost_ack(c, psn, cack, rnd_one_in(rnd, 32) ? rnd64(rnd) & rnd64(rnd) : 0);
}

/* Anything may be said in any order. */
static void cost_liar(struct kunit *test)
{
	struct test_rnd rnd = { .state = 5 };
	u32 rounds = min(UET_TEST_ROUNDS, 200000), i;
	struct uet_snd_msg *m;
	struct cost c;

	cost_begin(test, &c, 0);
	m = script_msg(c.k, 0, U32_MAX, 0);
	for (i = 0; i < rounds; i++) {
		struct script *k = c.k;

		if (uet_txwin_outstanding(&k->s.win) < SLOTS / 2) {
			m->filled += SLOTS / 8 * SCRIPT_MTU;
			uet_snd_announce(&k->s, m, k->now);
			uet_snd_activate(&k->s, &k->q[0], k->now);
		}
		k->s.win.limit = k->s.win.una + SLOTS - 1;
		script_send(k, 64);
		if (rnd_one_in(&rnd, 32))
			script_wait(k, rnd_below(&rnd, SCRIPT_RTT));
		else
			k->now += rnd_below(&rnd, 100);
		if (rnd_one_in(&rnd, 8))
			liar_nack(&c, &rnd);
		else
			liar_ack(&c, &rnd);
		if (c.steps > PER_PKT * c.acked + 4 * c.psns + 2 * WHOLE ||
		    m->filled > U32_MAX / 2)
			break;
		k->s.retries = 0;
		k->w.end = UET_SND_ALIVE;
	}
	KUNIT_EXPECT_LE(test, c.steps, PER_PKT * c.acked + 4 * c.psns + 2 * WHOLE);
	KUNIT_EXPECT_GT(test, c.acked, 1000ULL);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(cost_probed),
	KUNIT_CASE(cost_oldest),
	KUNIT_CASE(cost_found),
	KUNIT_CASE(cost_holds),
	KUNIT_CASE(cost_liar),
	{}
};

static struct kunit_suite suite = {
	.name = "uet_snd_cost",
	.test_cases = cases,
};

kunit_test_suite(suite);
