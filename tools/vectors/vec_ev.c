// SPDX-License-Identifier: GPL-2.0
/*
 * Kinds "ev_oblivious", "ev_bitmap" and "ev_reps": sequences of path
 * selection with given random numbers. The mixing function is a bijection, so
 * the generator can be put into the state whose next output is the number the
 * vector names; the policies need no hook for it.
 */
#include <stdlib.h>

#include "../../net/uet/core/lb/lb_bitmap.h"
#include "../../net/uet/core/lb/lb_reps.h"
#include "vec.h"

#define PRNG_STEP	0x9e3779b97f4a7c15ULL

static u32 odd_inverse(u32 a)
{
	u32 x = a;
	int i;

	for (i = 0; i < 5; i++)
		x *= 2 - a * x;
	return x;
}

static u32 unmix(u32 x)
{
	x ^= x >> 16;
	x *= odd_inverse(0x846ca68bU);
	x ^= x >> 15 ^ x >> 30;
	x *= odd_inverse(0x7feb352dU);
	x ^= x >> 16;
	return x;
}

/* Seed after which the generator's first output is @want. */
static u64 seed_for(u32 want)
{
	return ((u64)unmix(want) << 32) - PRNG_STEP;
}

/**
 * struct keys - the keys a vector gives to successive cycles
 * @next: next of the list
 * @last: key given last; the list goes on as a hash chain
 * @armed: generator state with the next key ready
 */
struct keys {
	const struct json *next;
	u32 last;
	u64 armed;
};

static u32 take_key(const struct vec *v, struct keys *k)
{
	if (k->next) {
		k->last = (u32)vec_value(v, k->next);
		k->next = k->next->next;
	} else {
		k->last = uet_mix32(k->last + 1);
	}
	return k->last;
}

static void arm(const struct vec *v, struct keys *k, struct uet_lb *lb)
{
	k->armed = seed_for(take_key(v, k));
	lb->prng.state = k->armed;
}

/* Ready the next key if the policy has used the last one. */
static void rearm(const struct vec *v, struct keys *k, struct uet_lb *lb)
{
	if (lb->prng.state != k->armed)
		arm(v, k, lb);
}

static struct uet_lb *make(const struct vec *v, const char *policy,
			   const struct json *j, struct uet_lb_config *cfg)
{
	const struct uet_lb_ops *ops = uet_lb_find(policy);
	struct uet_lb *lb;

	cfg->n = (u32)vec_int(v, j, "n");
	cfg->base = (u16)vec_int(v, j, "base");
	lb = calloc(1, uet_lb_mem_size(ops, cfg->n));
	if (!lb || uet_lb_init(lb, ops, cfg))
		vec_die(v, "policy \"%s\" refused", policy);
	return lb;
}

static u16 next(struct uet_lb *lb, u64 now)
{
	struct uet_lb_ask ask = { .now = now, .base_rtt = 1 };
	u16 run;

	return uet_lb_next(lb, &ask, &run);
}

static void feedback(struct vec *v, struct uet_lb *lb, const struct json *op,
		     u64 now)
{
	static const char * const reasons[] = {
		[UET_LB_NO_ECN] = "NO_ECN",
		[UET_LB_ECN] = "ECN",
		[UET_LB_NACK] = "NACK",
		[UET_LB_TIMEOUT] = "TIMEOUT",
	};
	const char *reason = vec_str(v, op, "reason");
	struct uet_lb_signal sig = {
		.now = now,
		.base_rtt = 1,
		.ev = (u16)vec_int(v, op, "ev"),
	};

	while (sig.reason < ARRAY_SIZE(reasons) &&
	       strcmp(reason, reasons[sig.reason]))
		sig.reason++;
	if (sig.reason == ARRAY_SIZE(reasons))
		vec_die(v, "reason: unknown value \"%s\"", reason);
	uet_lb_feedback(lb, &sig, true);
}

static bool is_next(const struct vec *v, const struct json *op)
{
	const char *what = vec_str(v, op, "op");

	if (!strcmp(what, "next"))
		return true;
	if (strcmp(what, "process_ev"))
		vec_die(v, "op: unknown operation \"%s\"", what);
	return false;
}

static struct uet_lb *make_keyed(const struct vec *v, const char *policy,
				 const struct json *j, struct keys *k,
				 struct uet_lb_config *cfg)
{
	struct uet_lb *lb;

	k->next = vec_get(v, j, "keys")->child;
	cfg->seed = seed_for(take_key(v, k));
	lb = make(v, policy, j, cfg);
	arm(v, k, lb);
	return lb;
}

static void run_case(struct vec *v, const struct json *j)
{
	const struct json *m = vec_get(v, j, "expect")->child;
	struct uet_lb_config cfg = {};
	struct keys k;
	struct uet_lb *lb = make_keyed(v, "oblivious", j, &k, &cfg);
	long i;
	s64 got;

	for (i = 0; m; m = m->next, i++) {
		got = next(lb, 0);
		rearm(v, &k, lb);
		v->checks++;
		if (vec_value(v, m) != got)
			vec_die(v, "expect[%ld]: expected %s, got %lld", i,
				m->text, (long long)got);
	}
	free(lb);
}

void vec_run_ev_oblivious(struct vec *v, const struct json *j)
{
	static const char * const names[] = {
		"n", "base", "keys", "expect", NULL,
	};
	const struct json *m = vec_get(v, j, "cases")->child;

	v->what = "case";
	for (v->index = 0; m; m = m->next, v->index++) {
		vec_only(v, m, names);
		run_case(v, m);
	}
	v->index = -1;
}

static void check_bitmap(struct vec *v, const struct json *op,
			 struct uet_lb *lb)
{
	const struct uet_bitmap *b = uet_lb_priv(lb);

	if (json_get(op, "expect_marked"))
		vec_check(v, op, "expect_marked", b->marked);
	if (json_get(op, "expect_saturated"))
		vec_check_bool(v, op, "expect_saturated",
			       uet_bitmap_saturated(lb, b));
	if (json_get(op, "expect_skip"))
		vec_check(v, op, "expect_skip",
			  lb->table[uet_lb_index(lb, (u16)vec_int(v, op,
								  "ev"))] &
			  UET_SKIP_MASK);
}

void vec_run_ev_bitmap(struct vec *v, const struct json *j)
{
	static const char * const names[] = {
		"op", "t", "ev", "reason", "expect_ev", "expect_marked",
		"expect_skip", "expect_saturated", NULL,
	};
	const struct json *op = vec_get(v, j, "ops")->child;
	struct uet_lb_config cfg = {
		.threshold_pct = (u8)vec_int(v, j, "threshold_pct"),
	};
	struct keys k;
	struct uet_lb *lb = make_keyed(v, "bitmap", j, &k, &cfg);

	v->what = "op";
	for (v->index = 0; op; op = op->next, v->index++) {
		vec_only(v, op, names);
		if (is_next(v, op)) {
			vec_check(v, op, "expect_ev", next(lb, 0));
			rearm(v, &k, lb);
		} else {
			feedback(v, lb, op, 0);
		}
		check_bitmap(v, op, lb);
	}
	v->index = -1;
	free(lb);
}

static void check_reps(struct vec *v, const struct json *op, struct uet_lb *lb)
{
	const struct uet_reps *r = uet_lb_priv(lb);

	if (json_get(op, "expect_marked"))
		vec_check(v, op, "expect_marked", r->marked.nr);
	if (json_get(op, "expect_saturated"))
		vec_check_bool(v, op, "expect_saturated",
			       uet_lb_saturated(lb, r->marked.nr));
	if (json_get(op, "expect_fresh"))
		vec_check(v, op, "expect_fresh",
			  __builtin_popcount(r->fresh));
	if (json_get(op, "expect_fill"))
		vec_check(v, op, "expect_fill", r->fill);
	if (json_get(op, "expect_frozen"))
		vec_check_bool(v, op, "expect_frozen", r->frozen);
	if (json_get(op, "expect_explore"))
		vec_check(v, op, "expect_explore", r->explore);
}

void vec_run_ev_reps(struct vec *v, const struct json *j)
{
	static const char * const names[] = {
		"op", "t", "ev", "reason", "rnd", "expect_ev", "expect_fresh",
		"expect_fill", "expect_frozen", "expect_explore",
		"expect_marked", "expect_saturated", NULL,
	};
	const struct json *op = vec_get(v, j, "ops")->child;
	struct uet_lb_config cfg = { .trimming = true };
	struct uet_lb *lb;
	u64 now;

	if (json_get(j, "trimming"))
		cfg.trimming = vec_bool(v, j, "trimming");
	if (json_get(j, "rto_ns"))
		cfg.rto_ns = (u64)vec_int(v, j, "rto_ns");
	if (json_get(j, "threshold_pct"))
		cfg.threshold_pct = (u8)vec_int(v, j, "threshold_pct");
	vec_check(v, j, "ring", UET_REPS_RING);
	vec_check(v, j, "freeze_ns", UET_REPS_FREEZE_NS);
	lb = make(v, "reps", j, &cfg);
	v->what = "op";
	for (v->index = 0; op; op = op->next, v->index++) {
		vec_only(v, op, names);
		now = (u64)vec_int(v, op, "t");
		if (is_next(v, op)) {
			lb->prng.state = seed_for((u32)vec_int(v, op, "rnd"));
			vec_check(v, op, "expect_ev", next(lb, now));
		} else {
			feedback(v, lb, op, now);
		}
		check_reps(v, op, lb);
	}
	v->index = -1;
	free(lb);
}
