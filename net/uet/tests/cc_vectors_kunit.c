// SPDX-License-Identifier: GPL-2.0
/* The published congestion-control vectors, bit for bit, in the kernel too. */
#include <kunit/test.h>
#include <linux/module.h>

#include "../core/cc/cc_nscc.h"
#include "../core/lb/lb_bitmap.h"
#include "../core/lb/lb_reps.h"
#include "cc_vectors.h"

#define PRNG_STEP	0x9e3779b97f4a7c15ULL
#define UNCOUNTED_PKTS	0x40000000U
#define ALL_ACTIONS	0xffff

enum { EV_NEW_DATA, EV_SEND, EV_ACK, EV_NACK, EV_LOSS };
enum { SETUP_NOW, SETUP_CWND, SETUP_CONTEXT, SETUP_PARAMS };

struct replay {
	struct uet_ccc c;
	struct uet_cc_params p;
};

static void trace_desc(const struct cc_trace *t, char *desc)
{
	strscpy(desc, t->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(trace, cc_traces, trace_desc);

/* The order is that of PARAMS, FX and what follows in the generator. */
static bool load(struct uet_cc_params *p, const s64 *v)
{
	p->rate_mbps = (u32)v[0];
	p->mtu = (u32)v[1];
	p->base_rtt = (u64)v[2];
	p->bdp = (u64)v[3];
	p->target = (u64)v[4];
	p->max_wnd = (u64)v[5];
	p->qa_threshold = (u64)v[6];
	p->adjust_period = (u64)v[7];
	p->clear_delay = (u64)v[8];
	p->adjust_bytes = (u32)v[9];
	p->ack_gen_trigger = (u32)v[10];
	p->qa_gate = (u8)v[11];
	p->trimming = v[12];
	p->disable_qa = v[13];
	p->fi = (u32)v[14];
	p->eta = (u32)v[15];
	p->fi_scale_q16 = (u32)v[16];
	p->alpha_q24 = (u64)v[17];
	p->gamma_q16 = (u32)v[18];
	p->max_md_jump_q16 = (u32)v[19];
	p->dfc_literal = v[20];
	p->avg = v[22] ? UET_AVG_PER_ACK : UET_AVG_TIME_WEIGHTED;
	return v[21];
}

static void play(struct replay *r, const s64 *v, bool context)
{
	u64 now = (u64)v[1];
	u32 size = (u32)v[2];
	struct uet_ccc_ack ack = {
		.now = now, .newly_rcvd_bytes = size, .m = v[3],
		.rtt_valid = v[5] >= 0, .rtt = (u64)v[5], .pend = (u8)v[6],
		.restore = v[7], .newly_acked_pkts = (u32)v[8],
		.unmarked_pkts = (u32)v[9], .unmarked_bytes = (u64)v[10],
	};
	struct uet_ccc_nack nack = {
		.now = now, .size = size, .m = v[3], .reason = (u8)v[4],
		.rtt_valid = v[5] >= 0, .rtt = (u64)v[5],
	};
	struct uet_ccc_loss loss = { .now = now, .size = size };

	switch (v[0]) {
	case EV_NEW_DATA:
		uet_ccc_on_new_data(&r->c, now, size);
		break;
	case EV_SEND:
		if (!context && v[3]) {
			r->c.waiting_rtx++;
			r->c.rtx_backlog += size;
		} else if (!context) {
			r->c.backlog += size;
		}
		uet_ccc_on_send(&r->c, now, size, 0, v[3]);
		break;
	case EV_ACK:
		uet_ccc_on_ack(&r->c, &ack);
		break;
	case EV_NACK:
		uet_ccc_on_nack(&r->c, &nack);
		break;
	case EV_LOSS:
		uet_ccc_on_inferred_loss(&r->c, &loss);
		break;
	}
}

static void compare(struct kunit *test, u32 i, const struct replay *r,
		    const s64 *v, bool context)
{
	const struct uet_ccc *c = &r->c;
	const struct uet_nscc *s = uet_nscc_const(c);
	const s64 got[] = {
		(s64)s->cwnd, c->inflight, (s64)s->max_wnd, (s64)c->base_rtt,
		s->avg_q8 >> 8, (s64)s->achieved, (s64)s->received,
		(s64)s->fi_count, s->increase_mode, s->trigger_qa,
		(s64)s->qa_end, (s64)s->ignored, (s64)s->to_ignore,
		(s64)s->saved_cwnd, uet_cc_nscc.can_send(c),
		uet_cc_nscc.ack_request(c, 0), c->state, (s64)c->backlog,
		c->waiting_rtx, (s64)c->rtx_backlog, c->inflight_pkts,
	};
	u32 n = ARRAY_SIZE(got) - (context ? 0 : 5);
	u32 k;

	if (v[11] >= 0)
		KUNIT_EXPECT_EQ_MSG(test, (s64)(c->did & ALL_ACTIONS), v[11],
				    "event %u, actions", i);
	for (k = 0; k < n; k++)
		KUNIT_EXPECT_EQ_MSG(test, got[k], v[12 + k],
				    "event %u, value %u", i, k);
}

static void vectors_nscc(struct kunit *test)
{
	const struct cc_trace *t = test->param_value;
	struct replay *r = kunit_kzalloc(test, sizeof(*r), GFP_KERNEL);
	bool context = t->setup[SETUP_CONTEXT];
	bool rccc;
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, r);
	rccc = load(&r->p, &t->setup[SETUP_PARAMS]);
	uet_ccc_init(&r->c, uet_cc_find("nscc"), &r->p, NULL, true,
		     (u64)t->setup[SETUP_NOW]);
	r->c.rccc = rccc;
	if (t->setup[SETUP_CWND])
		uet_nscc(&r->c)->cwnd = (u64)t->setup[SETUP_CWND];
	/* without a packet count the byte count must not be corrected */
	if (!context)
		r->c.inflight_pkts = UNCOUNTED_PKTS;
	for (i = 0; i < t->count; i++) {
		play(r, t->events[i], context);
		compare(test, i, r, t->events[i], context);
	}
}

static void vectors_derive(struct kunit *test)
{
	struct uet_cc_params want = {}, got;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(nscc_01_derive); i++) {
		struct uet_cc_config cfg = {};

		load(&want, nscc_01_derive[i]);
		uet_cc_config_set(&cfg, UET_CCP_RATE_MBPS, want.rate_mbps);
		uet_cc_config_set(&cfg, UET_CCP_MTU, want.mtu);
		uet_cc_config_set(&cfg, UET_CCP_BASE_RTT_NS, want.base_rtt);
		uet_cc_config_set(&cfg, UET_CCP_TRIMMING, want.trimming);
		uet_cc_config_set(&cfg, UET_CCP_WND_UNUSED, 0);
		uet_cc_config_set(&cfg, UET_CCP_QA_LOSS, 0);
		KUNIT_ASSERT_EQ(test, uet_cc_params_derive(&got, &cfg, NULL),
				0);
		want.fixed_wnd = got.fixed_wnd;
		/* No vector has cells. */
		want.tfc_cell = UET_TFC_CELL_DEFAULT;
		want.tfc_overhead = UET_TFC_OVERHEAD_DEFAULT;
		want.tfc_first = UET_TFC_FIRST_DEFAULT;
		KUNIT_EXPECT_EQ_MSG(test, memcmp(&want, &got, sizeof(got)), 0,
				    "row %u", i);
	}
}

static void vectors_gates(struct kunit *test)
{
	struct replay *r = kunit_kzalloc(test, sizeof(*r), GFP_KERNEL);
	const s64 *v;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(nscc_16_gates); i++) {
		v = nscc_16_gates[i];
		r->p.mtu = (u32)v[0];
		r->p.ack_gen_trigger = (u32)v[1];
		uet_ccc_init(&r->c, uet_cc_find("nscc"), &r->p, NULL, true, 0);
		uet_nscc(&r->c)->cwnd = (u64)v[2];
		r->c.inflight = v[3];
		KUNIT_EXPECT_EQ(test, uet_cc_nscc.can_send(&r->c), (bool)v[4]);
		KUNIT_EXPECT_EQ(test, uet_cc_nscc.ack_request(&r->c, 0),
				(bool)v[5]);
	}
}

static u32 odd_inverse(u32 a)
{
	u32 x = a;
	u32 i;

	for (i = 0; i < 5; i++)
		x *= 2 - a * x;
	return x;
}

/* Seed after which the generator's first output is @want. */
static u64 seed_for(u32 want)
{
	u32 x = want;

	x ^= x >> 16;
	x *= odd_inverse(0x846ca68bU);
	x ^= x >> 15 ^ x >> 30;
	x *= odd_inverse(0x7feb352dU);
	x ^= x >> 16;
	return ((u64)x << 32) - PRNG_STEP;
}

static struct uet_lb *policy(struct kunit *test, const char *name, u32 n,
			     u64 seed)
{
	const struct uet_lb_ops *ops = uet_lb_find(name);
	struct uet_lb_config cfg = {
		.n = n, .base = 49152, .seed = seed, .trimming = true,
	};
	struct uet_lb *lb = kunit_kzalloc(test, uet_lb_mem_size(ops, n),
					  GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, lb);
	KUNIT_ASSERT_EQ(test, uet_lb_init(lb, ops, &cfg), 0);
	return lb;
}

static void run_op(struct kunit *test, struct uet_lb *lb, const s64 *v, u32 i)
{
	struct uet_lb_ask ask = { .now = (u64)v[1], .base_rtt = 1 };
	struct uet_lb_signal sig = {
		.now = (u64)v[1], .ev = (u16)v[2], .reason = (u8)v[3],
		.base_rtt = 1,
	};
	u16 run;

	if (v[0])
		KUNIT_EXPECT_EQ_MSG(test, (s64)uet_lb_next(lb, &ask, &run),
				    v[5], "op %u", i);
	else
		uet_lb_feedback(lb, &sig, true);
}

static void vectors_oblivious(struct kunit *test)
{
	struct uet_lb_ask ask = { .base_rtt = 1 };
	u32 i, k, n, keys;
	struct uet_lb *lb;
	const s64 *v;
	u16 run;

	for (i = 0; i < ARRAY_SIZE(nscc_17_ev_oblivious); i++) {
		v = nscc_17_ev_oblivious[i];
		n = (u32)v[0];
		keys = (u32)v[2];
		lb = policy(test, "oblivious", n, seed_for((u32)v[3]));
		for (k = 0; k < 128; k++) {
			if (k % n == n - 1 && k / n + 1 < keys)
				lb->prng.state = seed_for((u32)v[4 + k / n]);
			KUNIT_EXPECT_EQ_MSG(test,
					    (s64)uet_lb_next(lb, &ask, &run),
					    v[3 + keys + k] + 49152 - v[1],
					    "case %u, value %u", i, k);
		}
	}
}

static void vectors_bitmap(struct kunit *test)
{
	struct uet_lb *lb = policy(test, "bitmap", 16, seed_for(7));
	const struct uet_bitmap *b = uet_lb_priv(lb);
	u64 armed = seed_for(8);
	u32 key = 8, i;
	const s64 *v;

	lb->prng.state = armed;
	for (i = 0; i < ARRAY_SIZE(nscc_18_ev_bitmap_ops); i++) {
		v = nscc_18_ev_bitmap_ops[i];
		run_op(test, lb, v, i);
		if (lb->prng.state != armed) {
			key = key < 10 ? key + 1 : uet_mix32(key + 1);
			armed = seed_for(key);
			lb->prng.state = armed;
		}
		KUNIT_EXPECT_EQ_MSG(test, (s64)b->marked, v[6], "op %u", i);
		if (v[7] >= 0)
			KUNIT_EXPECT_EQ_MSG(test, (s64)(lb->table[v[2] - 49152]
							& UET_SKIP_MASK), v[7],
					    "op %u", i);
		KUNIT_EXPECT_EQ_MSG(test, (s64)uet_bitmap_saturated(lb, b),
				    v[8], "op %u", i);
	}
}

static void vectors_reps(struct kunit *test)
{
	struct uet_lb *lb = policy(test, "reps", 256, 0);
	const struct uet_reps *r = uet_lb_priv(lb);
	const s64 *v;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(nscc_19_ev_reps_ops); i++) {
		v = nscc_19_ev_reps_ops[i];
		if (v[0])
			lb->prng.state = seed_for((u32)v[4]);
		run_op(test, lb, v, i);
		KUNIT_EXPECT_EQ_MSG(test, (s64)hweight64((u64)r->fresh), v[9],
				    "op %u", i);
		if (v[0])
			continue;
		KUNIT_EXPECT_EQ_MSG(test, (s64)r->fill, v[10], "op %u", i);
		KUNIT_EXPECT_EQ_MSG(test, (s64)r->frozen, v[11], "op %u", i);
		KUNIT_EXPECT_EQ_MSG(test, (s64)r->explore, v[12], "op %u", i);
	}
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(vectors_nscc, trace_gen_params),
	KUNIT_CASE(vectors_derive),
	KUNIT_CASE(vectors_gates),
	KUNIT_CASE(vectors_oblivious),
	KUNIT_CASE(vectors_bitmap),
	KUNIT_CASE(vectors_reps),
	{}
};

static struct kunit_suite suite = {
	.name = "uet_cc_vectors",
	.test_cases = cases,
};

kunit_test_suites(&suite);

MODULE_LICENSE("GPL");
