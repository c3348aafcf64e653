// SPDX-License-Identifier: GPL-2.0
/* TFC: the source's count of cells, and both ends over a bad network. */
#include <kunit/test.h>
#include <linux/module.h>

#include "../core/cc/cc_tfc.h"
#include "../core/cc/tfc_cells.h"
#include "random.h"

#define MTU	4096
#define RTT	12000ULL
#define CELL	256
#define OVER	768
#define FULL	19		/* cells of a packet of one MTU */
#define FIRST	40

static struct uet_ccc *source(struct kunit *test, struct uet_cc_params *p)
{
	struct uet_ccc *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);
	struct uet_cc_config cfg = {};

	KUNIT_ASSERT_NOT_NULL(test, c);
	uet_cc_config_set(&cfg, UET_CCP_RATE_MBPS, 100000);
	uet_cc_config_set(&cfg, UET_CCP_BASE_RTT_NS, RTT);
	uet_cc_config_set(&cfg, UET_CCP_MTU, MTU);
	uet_cc_config_set(&cfg, UET_CCP_TFC_FIRST, FIRST);
	KUNIT_ASSERT_EQ(test, uet_cc_params_derive(p, &cfg, NULL), 0);
	uet_ccc_init(c, uet_cc_find("tfc"), p, NULL, true, 0);
	return c;
}

static void tfc_cells_of_a_packet(struct kunit *test)
{
	static const struct {
		u32 size, cell, overhead, cells;
	} cases[] = {
		{ 4096, 256, 768, 19 },
		{ 4097, 256, 768, 20 },
		{ 256, 256, 0, 1 },
		{ 257, 256, 0, 2 },
		{ 60, 64, 0, 1 },
		{ 1, 65536, 65535, 1 },
		{ 65600, 65536, 65536, 3 },
		{ 65600, 64, 65536, 2049 },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		KUNIT_EXPECT_EQ(test, uet_tfc_cells(cases[i].size, cases[i].cell,
						    cases[i].overhead),
				cases[i].cells);
}

static void tfc_sends_with_cells_only(struct kunit *test)
{
	struct uet_cc_params p;
	struct uet_ccc *c = source(test, &p);
	struct uet_tfc_cc *s = uet_tfc_cc(c);
	struct uet_ccc_ack ack = { .newly_acked_pkts = 1 };

	KUNIT_EXPECT_EQ(test, s->full, FULL);
	uet_ccc_on_new_data(c, 0, 5 * MTU);
	/* the first cells, less than for three packets, and as many beyond all data */
	KUNIT_EXPECT_EQ(test, uet_ccc_credit_target(c), 5 * FULL);
	uet_ccc_on_send(c, 0, MTU, 0, false);
	KUNIT_EXPECT_EQ(test, c->state, UET_CCC_READY);
	KUNIT_EXPECT_TRUE(test, uet_ccc_ack_req(c, MTU));
	uet_ccc_on_send(c, 0, MTU, 0, false);
	KUNIT_EXPECT_EQ(test, s->credit, FIRST - 2 * FULL);
	KUNIT_EXPECT_EQ(test, c->state, UET_CCC_ACTIVE);
	/* an answer brings nothing by itself, and takes nothing */
	uet_ccc_on_ack(c, &ack);
	KUNIT_EXPECT_EQ(test, c->state, UET_CCC_ACTIVE);
	KUNIT_EXPECT_EQ(test, uet_ccc_credit_target(c), 5 * FULL);
	/* too few for a packet, then enough */
	uet_ccc_on_credit(c, 0, FULL - 3);
	KUNIT_EXPECT_EQ(test, c->state, UET_CCC_ACTIVE);
	uet_ccc_on_credit(c, 0, FULL - 2);
	KUNIT_EXPECT_EQ(test, c->state, UET_CCC_READY);
	KUNIT_EXPECT_EQ(test, s->credit, FULL);
	uet_ccc_on_send(c, 0, MTU, 0, false);
	uet_ccc_on_send(c, 0, MTU, 0, false);
	KUNIT_EXPECT_EQ(test, s->credit, -FULL);
	c->backlog = 1;
	KUNIT_EXPECT_EQ(test, uet_ccc_credit_target(c), s->granted + 4 + FIRST +
			FULL);
	c->backlog = 0;
	KUNIT_EXPECT_EQ(test, uet_ccc_credit_target(c), s->granted + FIRST + FULL);
	/* few are not worth a grant, unless they are all that is missing */
	s->credit = FIRST / 2 + 1;
	KUNIT_EXPECT_EQ(test, uet_ccc_credit_target(c), s->granted);
	s->credit = FIRST / 2;
	KUNIT_EXPECT_EQ(test, uet_ccc_credit_target(c), s->granted + FIRST / 2);
	p.tfc_first = 0;
	s->credit = FULL - 1;
	KUNIT_EXPECT_EQ(test, uet_ccc_credit_target(c), s->granted + 1);
}

/* What was told as a target is not taken back: estimates of what waits may be too high,
 * few cells are not worth a grant, and data may be withdrawn.
 */
static void tfc_target_stays(struct kunit *test)
{
	struct uet_cc_params p;
	struct uet_ccc *c = source(test, &p);
	struct uet_tfc_cc *s = uet_tfc_cc(c);
	struct uet_ccc_ask ask = { .want = 1 };
	struct uet_ccc_send out;
	u32 told = 0, i;

	for (i = 0; i < 100; i++) {
		ask.size = MTU - 37 * (i % 5);
		ask.now = i * RTT;
		uet_ccc_on_new_data(c, ask.now, ask.size);
		uet_ccc_get_send_params(c, &ask, &out);
		KUNIT_ASSERT_EQ_MSG(test, uet_credit_step(told, out.credit_target),
				    0U, "packet %u: %u after %u", i,
				    out.credit_target, told);
		told = out.credit_target;
		uet_ccc_on_send(c, ask.now, ask.size, 0, false);
		if (i % 3)
			uet_ccc_on_credit(c, ask.now, told);
	}
	uet_ccc_on_new_data(c, ask.now, 9 * MTU);
	uet_ccc_get_send_params(c, &ask, &out);
	uet_ccc_withdraw(c, ask.now, 9 * MTU);
	KUNIT_EXPECT_EQ(test, uet_ccc_credit_target(c), out.credit_target);
	uet_ccc_on_credit(c, ask.now, out.credit_target);
	KUNIT_EXPECT_EQ(test, uet_ccc_credit_target(c), s->granted);
}

/* What is sent again costs nothing and waits for nothing. */
static void tfc_resends_free(struct kunit *test)
{
	struct uet_cc_params p;
	struct uet_ccc *c = source(test, &p);
	struct uet_tfc_cc *s = uet_tfc_cc(c);
	struct uet_ccc_loss loss = { .size = MTU, .how = UET_LOSS_RTO };
	struct uet_ccc_nack nack = { .size = MTU, .reason = UET_NACKED_OTHER };
	struct uet_ccc_ack ack = { .newly_acked_pkts = 0, .unmarked_pkts = 1,
				   .unmarked_bytes = MTU };
	s64 credit;
	u64 when;

	uet_ccc_on_new_data(c, 0, 2 * MTU);
	uet_ccc_on_send(c, 0, MTU, 0, false);
	uet_ccc_on_send(c, 0, MTU, 0, false);
	credit = s->credit;
	uet_ccc_on_inferred_loss(c, &loss);
	uet_ccc_on_nack(c, &nack);
	KUNIT_EXPECT_EQ(test, s->credit, credit);
	/* nothing else waits */
	KUNIT_EXPECT_EQ(test, c->state, UET_CCC_READY);
	KUNIT_EXPECT_EQ(test, uet_ccc_credit_target(c), 2U * FULL);
	/* new data does, for cells; the lost packets do not */
	uet_ccc_on_new_data(c, 0, MTU);
	KUNIT_EXPECT_EQ(test, c->state, UET_CCC_ACTIVE);
	KUNIT_EXPECT_TRUE(test, uet_ccc_may_resend(c));
	KUNIT_EXPECT_FALSE(test, uet_ccc_credit_req(c, 100 * RTT, U64_MAX,
						    &when));
	uet_ccc_on_send(c, 0, MTU, 0, true);
	KUNIT_EXPECT_EQ(test, s->credit, credit);
	/* the other one was not lost */
	uet_ccc_on_ack(c, &ack);
	KUNIT_EXPECT_EQ(test, s->credit, credit);
	KUNIT_EXPECT_FALSE(test, uet_ccc_may_resend(c));
	KUNIT_EXPECT_FALSE(test, c->credit_anew);
	/* with other algorithms it waits as new data does */
	uet_ccc_init(c, uet_cc_find("rccc"), &p, NULL, true, 0);
	uet_ccc_on_new_data(c, 0, MTU);
	uet_ccc_on_send(c, 0, MTU, 0, false);
	uet_ccc_on_credit(c, 0, 0);
	uet_ccc_on_inferred_loss(c, &loss);
	KUNIT_EXPECT_FALSE(test, uet_ccc_may_resend(c));
}

static void tfc_count_wraps(struct kunit *test)
{
	struct uet_cc_params p;
	struct uet_ccc *c = source(test, &p);
	struct uet_tfc_cc *s = uet_tfc_cc(c);

	s->granted = 0xfffffa;
	uet_ccc_on_credit(c, 0, 6);
	KUNIT_EXPECT_EQ(test, s->credit, FIRST + 12);
	KUNIT_EXPECT_EQ(test, s->granted, 6U);
	/* older ones, the same one again, and one half way round */
	uet_ccc_on_credit(c, 0, 0xffffff);
	uet_ccc_on_credit(c, 0, 6);
	uet_ccc_on_credit(c, 0, 0x800006);
	KUNIT_EXPECT_EQ(test, s->credit, FIRST + 12);
	/* a liar gives no more than can be asked for */
	uet_ccc_on_credit(c, 0, 0x7fffff);
	KUNIT_EXPECT_EQ(test, s->credit, UET_TFC_CELLS_MAX);
	s->granted = 0xfffff0;
	s->credit = 0;
	uet_ccc_on_new_data(c, 0, 2 * MTU);
	KUNIT_EXPECT_EQ(test, uet_ccc_credit_target(c), 2U * FULL + FIRST - 16);
	/* nor does a source ask for more */
	uet_ccc_on_new_data(c, 0, U64_MAX / 2);
	KUNIT_EXPECT_LE(test, uet_credit_step(uet_ccc_credit_target(c),
					      s->granted), UET_TFC_CELLS_MAX);
}

/* When the ends may count differently, both begin anew. */
static void tfc_begins_anew(struct kunit *test)
{
	struct uet_cc_params p;
	struct uet_ccc *c = source(test, &p);
	struct uet_tfc_cc *s = uet_tfc_cc(c);
	struct uet_ccc_ack ack = { .newly_acked_pkts = 1 };
	u64 now = UET_TFC_KEEP_NS;

	/* a rest before anything was sent is none */
	uet_ccc_on_new_data(c, now, MTU);
	KUNIT_EXPECT_FALSE(test, c->credit_anew);
	uet_ccc_on_send(c, now, MTU, 0, false);
	uet_ccc_on_credit(c, now, 100);
	ack.now = now;
	uet_ccc_on_ack(c, &ack);
	KUNIT_EXPECT_EQ(test, c->state, UET_CCC_IDLE);
	now += UET_TFC_KEEP_NS - 1;
	uet_ccc_on_new_data(c, now, MTU);
	KUNIT_EXPECT_FALSE(test, c->credit_anew);
	uet_ccc_on_send(c, now, MTU, 0, false);
	/* what is outstanding is no rest */
	now += UET_TFC_KEEP_NS;
	uet_ccc_on_new_data(c, now, MTU);
	KUNIT_EXPECT_FALSE(test, c->credit_anew);
	uet_ccc_on_send(c, now, MTU, 0, false);
	ack.newly_acked_pkts = 2;
	ack.now = now;
	uet_ccc_on_ack(c, &ack);
	now += UET_TFC_KEEP_NS;
	uet_ccc_on_new_data(c, now, MTU);
	KUNIT_EXPECT_TRUE(test, c->credit_anew);
	uet_ccc_credit_anew(c, now);
	KUNIT_EXPECT_FALSE(test, c->credit_anew);
	KUNIT_EXPECT_EQ(test, s->granted, 0U);
	KUNIT_EXPECT_EQ(test, s->credit, FIRST);
	KUNIT_EXPECT_EQ(test, c->state, UET_CCC_READY);
	/* nothing was sent since */
	KUNIT_EXPECT_FALSE(test, uet_ccc_credit_counts(c));
	uet_ccc_on_send(c, now, MTU, 0, false);
	KUNIT_EXPECT_TRUE(test, uet_ccc_credit_counts(c));
	/* not with receiver credit */
	uet_ccc_init(c, uet_cc_find("rccc"), &p, NULL, true, 0);
	uet_ccc_on_new_data(c, now, MTU);
	uet_ccc_on_send(c, now, MTU, 0, false);
	KUNIT_EXPECT_FALSE(test, uet_ccc_credit_counts(c));
}

/* A packet that opens a PDC may leave without cells: it asks for them. */
static void tfc_speculates_one_packet(struct kunit *test)
{
	struct uet_cc_params p;
	struct uet_ccc *c = source(test, &p);
	struct uet_tfc_cc *s = uet_tfc_cc(c);

	p.tfc_first = 0;
	uet_ccc_init(c, uet_cc_find("tfc"), &p, NULL, true, 0);
	uet_ccc_on_new_data(c, 0, 3 * MTU);
	KUNIT_EXPECT_EQ(test, c->state, UET_CCC_ACTIVE);
	uet_ccc_speculate(c, 0);
	uet_ccc_speculate(c, 0);
	KUNIT_EXPECT_EQ(test, s->credit, FULL);
	uet_ccc_on_send(c, 0, MTU, 0, false);
	KUNIT_EXPECT_EQ(test, c->state, UET_CCC_ACTIVE);
	KUNIT_EXPECT_EQ(test, uet_ccc_credit_target(c), 3U * FULL);
}

/* Feedback on entropy values does not reach path selection. */
static void tfc_paths_get_no_feedback(struct kunit *test)
{
	static const char * const algos[] = { "tfc", "rccc" };
	struct uet_ccc_ack ack = { .now = 1, .m = true, .rtt = RTT,
				   .rtt_valid = true };
	struct uet_ccc_nack nack = { .now = 1, .size = MTU,
				     .reason = UET_NACKED_TRIMMED };
	struct uet_ccc_loss loss = { .now = 1, .size = MTU };
	struct uet_lb_config lc = { .n = 64, .base = 50000, .cwnd = 100000,
				    .mtu = MTU };
	const struct uet_lb_ops *ops = uet_lb_find("bitmap");
	struct uet_cc_params p;
	struct uet_ccc *c = source(test, &p);
	struct uet_lb *lb = kunit_kzalloc(test, uet_lb_mem_size(ops, 64),
					  GFP_KERNEL);
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, lb);
	for (i = 0; i < ARRAY_SIZE(algos); i++) {
		KUNIT_ASSERT_EQ(test, uet_lb_init(lb, ops, &lc), 0);
		uet_ccc_init(c, uet_cc_find(algos[i]), &p, lb, true, 0);
		for (ack.ev = 50000; ack.ev < 50004; ack.ev++)
			uet_ccc_on_ack(c, &ack);
		for (nack.ev = 50004; nack.ev < 50008; nack.ev++)
			uet_ccc_on_nack(c, &nack);
		for (loss.ev = 50008; loss.ev < 50012; loss.ev++)
			uet_ccc_on_inferred_loss(c, &loss);
		KUNIT_EXPECT_EQ(test, uet_lb_bad_paths(lb), i ? 12U : 0U);
	}
}

/*
 * Both ends over a network that loses, doubles and reorders packets, grants and requests
 * for them. The destination sees each packet as the PDS would show it: once.
 */
#define NET_PKTS	512	/* PSNs at a time */

struct net_pkt {
	u32 size;
	bool sent;
	bool lost;	/* marked for retransmission */
	bool came;
};

struct net {
	struct kunit *test;
	struct test_rnd rnd;
	struct uet_cc_params p;
	struct uet_ccc *c;
	struct uet_tfc_pool pool;
	struct uet_tfc_src src;
	struct net_pkt *pkt;
	u32 next, una;
	u64 now;
	u64 unread;		/* cells that wait for the reader */
	u64 msg;		/* cells of the message that arrives */
	u32 credit[4];		/* grants on their way */
	u64 came_cells;
};

static void net_send(struct net *n, struct net_pkt *pkt, bool rtx)
{
	struct uet_ccc_ask ask = { .now = n->now, .size = pkt->size, .want = 1,
				   .rtx = rtx };
	struct uet_ccc_send out;

	uet_ccc_get_send_params(n->c, &ask, &out);
	uet_ccc_on_send(n->c, n->now, pkt->size, 0, rtx);
	pkt->sent = true;
	pkt->lost = false;
	if (rnd_one_in(&n->rnd, 5))
		return;
	uet_tfc_heard(&n->pool, &n->src, n->now, out.credit_target, true, false);
	if (pkt->came)
		return;
	pkt->came = true;
	uet_tfc_arrived(&n->pool, &n->src, uet_tfc_cells(pkt->size, CELL, OVER));
	uet_tfc_hold(&n->pool, &n->src, uet_tfc_cells(pkt->size, CELL, OVER),
		     false);
	n->msg += uet_tfc_cells(pkt->size, CELL, OVER);
	n->came_cells += uet_tfc_cells(pkt->size, CELL, OVER);
	if (rnd_one_in(&n->rnd, 4)) {
		uet_tfc_ready(&n->pool, &n->src, (u32)n->msg);
		n->unread += n->msg;
		n->msg = 0;
	}
}

static void net_new(struct net *n)
{
	struct net_pkt *pkt = &n->pkt[n->next % NET_PKTS];

	if (n->c->state != UET_CCC_READY || n->next - n->una >= NET_PKTS ||
	    !n->c->backlog)
		return;
	*pkt = (struct net_pkt){ .size = 100 + rnd_below(&n->rnd, MTU - 99) };
	if (pkt->size > n->c->backlog)
		pkt->size = (u32)n->c->backlog;
	n->next++;
	net_send(n, pkt, false);
}

/* The oldest packet is acknowledged, or lost, or what was lost is sent again. */
static void net_answer(struct net *n)
{
	struct net_pkt *pkt = &n->pkt[n->una % NET_PKTS];
	struct uet_ccc_ack ack = { .now = n->now, .newly_acked_pkts = 1 };
	struct uet_ccc_loss loss = { .now = n->now, .how = UET_LOSS_RTO };

	if (n->una == n->next)
		return;
	if (pkt->lost) {
		if (uet_ccc_may_resend(n->c))
			net_send(n, pkt, true);
		else
			KUNIT_FAIL(n->test, "a packet waits to be sent again");
	} else if (pkt->came && !rnd_one_in(&n->rnd, 6)) {
		ack.newly_rcvd_bytes = pkt->size;
		uet_ccc_on_ack(n->c, &ack);
		n->una++;
	} else {
		/* also if only its ACK was lost */
		loss.size = pkt->size;
		uet_ccc_on_inferred_loss(n->c, &loss);
		pkt->lost = true;
	}
}

static void net_read(struct net *n)
{
	u32 cells = (u32)min_t(u64, n->unread, rnd_below(&n->rnd, 200));

	uet_tfc_free(&n->pool, &n->src, cells, true);
	n->unread -= cells;
}

static void net_grant(struct net *n)
{
	u32 slot = rnd_below(&n->rnd, ARRAY_SIZE(n->credit)), k;
	struct uet_tfc_grant g[4];
	u64 next, when;

	k = uet_tfc_tick(&n->pool, n->now, g, ARRAY_SIZE(g), &next);
	if (k && k != 1)
		KUNIT_FAIL(n->test, "%u grants for one source", k);
	if (uet_ccc_credit_req(n->c, n->now, RTT, &when) &&
	    !rnd_one_in(&n->rnd, 4)) {
		uet_tfc_heard(&n->pool, &n->src, n->now,
			      uet_ccc_credit_target(n->c), true, true);
		uet_tfc_grant(&n->pool, &n->src);
		n->credit[slot] = n->src.granted;
	}
	if (k)
		n->credit[slot] = n->src.granted;
	slot = rnd_below(&n->rnd, ARRAY_SIZE(n->credit));
	if (!rnd_one_in(&n->rnd, 3))
		uet_ccc_on_credit(n->c, n->now, n->credit[slot]);
}

static bool net_right(const struct net *n)
{
	const struct uet_tfc_pool *p = &n->pool;
	const struct uet_tfc_src *s = &n->src;

	if (p->held != n->unread + n->msg || s->held != p->held ||
	    s->ready != n->unread || p->reserved != s->reserved)
		return false;
	/* the buffer, and what is allowed beyond it */
	if (p->reserved + p->held > p->size + FIRST + p->lent)
		return false;
	/* nothing that the source may still send has no room */
	if (uet_tfc_cc_const(n->c)->credit > (s64)s->reserved)
		return false;
	return !n->c->stats.imbalance;
}

/* No older grant is on its way. */
static void net_forget(struct net *n)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(n->credit); i++)
		n->credit[i] = n->src.granted;
}

static void net_start(struct kunit *test, struct net *n, u64 seed, u32 size,
		      u32 granted)
{
	memset(n, 0, sizeof(*n));
	n->test = test;
	n->rnd.state = seed;
	n->c = source(test, &n->p);
	n->pkt = kunit_kzalloc(test, NET_PKTS * sizeof(*n->pkt), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, n->pkt);
	uet_tfc_pool_init(&n->pool, size);
	uet_tfc_src_init(&n->src, granted, FIRST, 0);
	n->src.granted = granted;
	n->src.target = granted;
	uet_tfc_cc(n->c)->granted = granted;
	n->c->credit_told = granted;
	net_forget(n);
	uet_tfc_heard(&n->pool, &n->src, 0, granted, true, false);
}

/* Send all of @bytes; the rounds that took, 0 if it failed */
static u32 net_run(struct net *n, u64 bytes)
{
	u32 i, rounds = 100 * (u32)(bytes / MTU) + 10000;

	uet_ccc_on_new_data(n->c, n->now, bytes);
	for (i = 1; i < rounds; i++) {
		n->now += RTT / 4;
		switch (rnd_below(&n->rnd, 4)) {
		case 0:
			net_new(n);
			break;
		case 1:
			net_answer(n);
			break;
		case 2:
			net_read(n);
			break;
		default:
			net_grant(n);
		}
		if (!net_right(n)) {
			KUNIT_FAIL(n->test,
				   "round %u: size %llu reserved %llu held %llu lent %llu credit %lld",
				   i, n->pool.size, n->pool.reserved,
				   n->pool.held, n->pool.lent,
				   uet_tfc_cc(n->c)->credit);
			return 0;
		}
		if (n->c->state == UET_CCC_IDLE)
			return i;
	}
	KUNIT_FAIL(n->test, "stuck: backlog %llu, state %u, credit %lld",
		   n->c->backlog, n->c->state, uet_tfc_cc(n->c)->credit);
	return 0;
}

/* Cells that are neither used nor free: what the source has, and no more */
static void net_settled(struct net *n)
{
	n->msg = 0;
	n->unread = 0;
	uet_tfc_free(&n->pool, &n->src, (u32)n->src.ready, true);
	uet_tfc_free(&n->pool, &n->src, (u32)n->src.held, false);
	uet_ccc_on_credit(n->c, n->now, n->src.granted);
	KUNIT_EXPECT_EQ(n->test, uet_tfc_cc(n->c)->credit,
			(s64)n->src.reserved);
}

static void tfc_over_a_bad_network(struct kunit *test)
{
	u32 i, sizes[] = { 60, 200, 1000, 5000 };
	struct net *n = kunit_kzalloc(test, sizeof(*n), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, n);
	for (i = 0; i < 16; i++) {
		net_start(test, n, i, sizes[i % 4], i * 0x111111);
		if (!net_run(n, 300 * MTU) || !net_run(n, MTU / 2) ||
		    !net_run(n, 100 * MTU))
			return;
		net_settled(n);
	}
}

/* The count wraps several times. */
static void tfc_over_many_wraps(struct kunit *test)
{
	struct net *n = kunit_kzalloc(test, sizeof(*n), GFP_KERNEL);
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, n);
	net_start(test, n, 77, 3000, UET_CREDIT_MASK - 100);
	for (i = 0; i < 20; i++) {
		if (!net_run(n, 50 * MTU))
			return;
		/* as if so much had come and gone */
		n->src.granted = (n->src.granted + 0x700000) & UET_CREDIT_MASK;
		n->src.target = (n->src.target + 0x700000) & UET_CREDIT_MASK;
		uet_tfc_cc(n->c)->granted = (uet_tfc_cc(n->c)->granted +
					     0x700000) & UET_CREDIT_MASK;
		net_forget(n);
	}
	net_settled(n);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(tfc_cells_of_a_packet),
	KUNIT_CASE(tfc_sends_with_cells_only),
	KUNIT_CASE(tfc_target_stays),
	KUNIT_CASE(tfc_resends_free),
	KUNIT_CASE(tfc_count_wraps),
	KUNIT_CASE(tfc_begins_anew),
	KUNIT_CASE(tfc_speculates_one_packet),
	KUNIT_CASE(tfc_paths_get_no_feedback),
	KUNIT_CASE(tfc_over_a_bad_network),
	KUNIT_CASE(tfc_over_many_wraps),
	{}
};

static struct kunit_suite suite = {
	.name = "uet_tfc",
	.test_cases = cases,
};

kunit_test_suites(&suite);

MODULE_LICENSE("GPL");
