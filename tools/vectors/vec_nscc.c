// SPDX-License-Identifier: GPL-2.0
/*
 * Kind "nscc": a sequence of events through a whole context that runs NSCC,
 * its state compared after each.
 *
 * Vectors that are about NSCC alone do not announce data or say how many
 * packets an ACK covers. For those the runner keeps the books of the context
 * balanced, with packets outstanding that nobody acknowledges, so that
 * reaching none in flight does not resynchronise the byte count.
 */
#include "../../net/uet/core/cc/cc_nscc.h"
#include "../../net/uet/tests/ccc_names.h"
#include "vec.h"

#define UNCOUNTED_PKTS	0x40000000U

struct run {
	struct uet_cc_params params;
	struct uet_ccc ccc;
	bool context;
};

static const struct {
	const char *name;
	u32 bit;
} action_names[] = {
	{ "dfc", UET_CC_DID_DFC },
	{ "restore", UET_CC_DID_RESTORE },
	{ "dfc-end", UET_CC_DID_DFC_END },
	{ "no-rtt", UET_CC_DID_NO_RTT },
	{ "ignore", UET_CC_DID_IGNORE },
	{ "qa", UET_CC_DID_QA },
	{ "fair", UET_CC_DID_FAIR },
	{ "prop", UET_CC_DID_PROP },
	{ "fast", UET_CC_DID_FAST },
	{ "hold", UET_CC_DID_HOLD },
	{ "md", UET_CC_DID_MD },
	{ "md-gated", UET_CC_DID_MD_GATED },
	{ "eta", UET_CC_DID_ETA },
	{ "adj", UET_CC_DID_ADJ },
	{ "nack-dec", UET_CC_DID_NACK_DEC },
	{ "loss-dec", UET_CC_DID_LOSS_DEC },
};

static u8 pick(const struct vec *v, const struct json *o, const char *key,
	       const char *zero, const char *one)
{
	const char *s = vec_str(v, o, key);

	if (!strcmp(s, zero))
		return 0;
	if (strcmp(s, one))
		vec_die(v, "%s: unknown value \"%s\"", key, s);
	return 1;
}

static void load_params(const struct vec *v, const struct json *j,
			struct run *r)
{
	const struct json *in = vec_get(v, j, "params");
	const struct json *fx = vec_get(v, in, "fx");
	struct uet_cc_params *p = &r->params;

	p->rate_mbps = (u32)vec_int(v, in, "rate_mbps");
	p->mtu = (u32)vec_int(v, in, "mtu");
	p->base_rtt = (u64)vec_int(v, in, "config_base_rtt");
	p->bdp = vec_scaled(v, in, "bdp", 0);
	p->target = vec_scaled(v, in, "target_qdelay", 0);
	p->max_wnd = vec_scaled(v, in, "max_wnd", 0);
	p->fixed_wnd = p->max_wnd;
	p->alpha_q24 = (u64)vec_int(v, fx, "alpha_q24");
	p->qa_threshold = vec_scaled(v, in, "qa_threshold", 0);
	p->adjust_period = (u64)vec_int(v, in, "adjust_period");
	p->clear_delay = (u64)vec_int(v, in, "clear_delay");
	p->fi = (u32)vec_int(v, fx, "fi");
	p->eta = (u32)vec_int(v, fx, "eta");
	p->fi_scale_q16 = (u32)vec_int(v, fx, "fi_scale_q16");
	p->gamma_q16 = (u32)vec_int(v, fx, "gamma_q16");
	p->max_md_jump_q16 = (u32)vec_int(v, fx, "max_md_jump_q16");
	p->adjust_bytes = (u32)vec_int(v, in, "adjust_bytes");
	p->ack_gen_trigger = (u32)vec_int(v, in, "ack_gen_trigger");
	p->qa_gate = (u8)vec_int(v, in, "qa_gate");
	p->trimming = vec_bool(v, in, "trimming");
	p->disable_qa = vec_bool(v, in, "disable_qa");
	p->dfc_literal = pick(v, in, "dfc", "onset", "literal");
	p->avg = pick(v, in, "avg", "tw", "htsim") ? UET_AVG_PER_ACK :
		 UET_AVG_TIME_WEIGHTED;
	/* the refinement for windows not in use is off in vectors */
	p->wnd_unused = false;
}

static void load_initial(const struct vec *v, const struct json *j,
			 struct run *r)
{
	struct uet_nscc *s = uet_nscc(&r->ccc);
	const struct {
		const char *name;
		u64 *to;
	} fields[] = {
		{ "cwnd", &s->cwnd },
		{ "max_wnd", &s->max_wnd },
		{ "saved_cwnd", &s->saved_cwnd },
		{ "achieved", &s->achieved },
		{ "received", &s->received },
		{ "inc", &s->inc_bytes },
		{ "fi_count", &s->fi_count },
		{ "qa_end", &s->qa_end },
		{ "ignored", &s->ignored },
		{ "to_ignore", &s->to_ignore },
		{ "last_adjust", &s->last_adjust },
		{ "last_dec", &s->last_dec },
		{ "last_pend", &s->last_pend },
		{ "base_rtt", &r->ccc.base_rtt },
		{ "inflight", (u64 *)&r->ccc.inflight },
	};
	const struct json *init = json_get(j, "initial");
	const struct json *m;
	size_t i;

	s->calm_until = 0;
	for (m = init ? init->child : NULL; m; m = m->next) {
		for (i = 0; i < ARRAY_SIZE(fields); i++)
			if (!strcmp(m->key, fields[i].name))
				break;
		if (i < ARRAY_SIZE(fields))
			*fields[i].to = (u64)vec_value(v, m);
		else if (!strcmp(m->key, "avg_delay"))
			s->avg_q8 = vec_value(v, m) << 8;
		else if (!strcmp(m->key, "fast"))
			s->increase_mode = vec_bool(v, init, "fast");
		else if (!strcmp(m->key, "trigger_qa"))
			s->trigger_qa = vec_bool(v, init, "trigger_qa");
		else
			vec_die(v, "initial: %s: unknown field", m->key);
	}
}

/* A context vector is one whose expectations speak of the context. */
static bool is_context(const struct json *events)
{
	const struct json *e;

	for (e = events->child; e; e = e->next)
		if (json_get(json_get(e, "expect"), "ccc"))
			return true;
	return false;
}

static void start(const struct vec *v, const struct json *j, struct run *r)
{
	const struct json *in = vec_get(v, j, "params");

	memset(r, 0, sizeof(*r));
	load_params(v, j, r);
	uet_ccc_init(&r->ccc, uet_cc_find("nscc"), &r->params, NULL, true,
		     (u64)vec_int_or(v, j, "now0", 0));
	r->ccc.rccc = vec_bool(v, in, "rccc");
	load_initial(v, j, r);
	r->context = is_context(vec_get(v, j, "events"));
	if (!r->context)
		r->ccc.inflight_pkts = UNCOUNTED_PKTS;
}

static void run_send(const struct vec *v, const struct json *e, struct run *r,
		     u64 now)
{
	u32 size = (u32)vec_int(v, e, "size");
	bool rtx = vec_bool(v, e, "rtx");

	if (!r->context && rtx) {
		r->ccc.waiting_rtx++;
		r->ccc.rtx_backlog += size;
	} else if (!r->context) {
		r->ccc.backlog += size;
	}
	uet_ccc_on_send(&r->ccc, now, size, 0, rtx);
}

static bool load_rtt(const struct vec *v, const struct json *e, u64 *rtt)
{
	const struct json *m = vec_get(v, e, "rtt");

	if (m->type == JSON_NULL)
		return false;
	*rtt = (u64)vec_value(v, m);
	return true;
}

static void run_ack(const struct vec *v, const struct json *e, struct run *r,
		    u64 now)
{
	const struct json *un = json_get(e, "unmarked");
	const struct json *m;
	struct uet_ccc_ack ack = {
		.now = now,
		.newly_rcvd_bytes = (u32)vec_int(v, e, "newly_rcvd_bytes"),
		.m = vec_bool(v, e, "m"),
		.pend = (u8)vec_int(v, e, "rcv_cwnd_pend"),
		.restore = vec_bool(v, e, "restore"),
		.newly_acked_pkts = (u32)vec_int_or(v, e, "newly_acked_pkts",
						    0),
	};

	ack.rtt_valid = load_rtt(v, e, &ack.rtt);
	for (m = un ? un->child : NULL; m; m = m->next) {
		ack.unmarked_pkts++;
		ack.unmarked_bytes += (u64)vec_value(v, m);
	}
	uet_ccc_on_ack(&r->ccc, &ack);
}

static void run_nack(const struct vec *v, const struct json *e, struct run *r,
		     u64 now)
{
	const char *reason = vec_str(v, e, "reason");
	struct uet_ccc_nack nack = {
		.now = now,
		.size = (u32)vec_int(v, e, "size"),
		.m = vec_bool(v, e, "m"),
	};

	if (!strcmp(reason, "TRIMMED"))
		nack.reason = UET_NACKED_TRIMMED;
	else if (!strcmp(reason, "TRIMMED_LASTHOP"))
		nack.reason = UET_NACKED_LASTHOP;
	else if (!strcmp(reason, "OTHER"))
		nack.reason = UET_NACKED_OTHER;
	else
		vec_die(v, "reason: unknown value \"%s\"", reason);
	nack.rtt_valid = load_rtt(v, e, &nack.rtt);
	uet_ccc_on_nack(&r->ccc, &nack);
}

static void run_event(const struct vec *v, const struct json *e,
		      struct run *r)
{
	const char *ev = vec_str(v, e, "ev");
	u64 now = (u64)vec_int(v, e, "t");

	if (!strcmp(ev, "new_data")) {
		uet_ccc_on_new_data(&r->ccc, now, (u64)vec_int(v, e, "bytes"));
	} else if (!strcmp(ev, "send")) {
		run_send(v, e, r, now);
	} else if (!strcmp(ev, "ack")) {
		run_ack(v, e, r, now);
	} else if (!strcmp(ev, "nack")) {
		run_nack(v, e, r, now);
	} else if (!strcmp(ev, "inferred_loss")) {
		struct uet_ccc_loss loss = {
			.now = now,
			.size = (u32)vec_int(v, e, "size"),
		};

		uet_ccc_on_inferred_loss(&r->ccc, &loss);
	} else {
		vec_die(v, "ev: unknown event \"%s\"", ev);
	}
}

static void check_actions(struct vec *v, const struct json *want, u32 did)
{
	const struct json *a = want->child;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(action_names); i++) {
		if (!(did & action_names[i].bit))
			continue;
		v->checks++;
		if (!a || a->type != JSON_STRING ||
		    strcmp(a->text, action_names[i].name))
			vec_die(v, "actions: expected %s, got %s",
				a && a->text ? a->text : "no more",
				action_names[i].name);
		a = a->next;
	}
	if (a)
		vec_die(v, "actions: expected %s, got no more",
			a->text ? a->text : "?");
}

static void check_context(struct vec *v, const struct json *o,
			  const struct uet_ccc *c)
{
	static const char * const names[] = {
		"state", "backlog", "waiting_rtx", "rtx_backlog",
		"inflight_pkts", NULL,
	};

	vec_only(v, o, names);
	vec_check_str(v, o, "state", ccc_state_name(c->state));
	vec_check(v, o, "backlog", (s64)c->backlog);
	vec_check(v, o, "waiting_rtx", c->waiting_rtx);
	vec_check(v, o, "rtx_backlog", (s64)c->rtx_backlog);
	vec_check(v, o, "inflight_pkts", c->inflight_pkts);
	v->checks++;
	if (c->stats.imbalance)
		vec_die(v, "counters out of balance");
}

/* The real-number window is a second opinion, within the agreed tolerance. */
static void check_near(struct vec *v, const struct json *o, const char *key,
		       u64 got)
{
	s64 want = vec_int(v, o, key);
	s64 off = (s64)got - want;
	s64 limit = want / 128 > 8 ? want / 128 : 8;

	v->checks++;
	if (off > limit || off < -limit)
		vec_die(v, "%s: expected about %lld, got %llu", key,
			(long long)want, (unsigned long long)got);
}

static void check_state(struct vec *v, const struct json *o,
			const struct run *r)
{
	static const char * const names[] = {
		"cwnd", "inflight", "max_wnd", "base_rtt", "avg_delay",
		"achieved", "received", "inc", "fi_count", "fast",
		"trigger_qa", "qa_end", "ignored", "to_ignore", "saved_cwnd",
		"can_send", "ack_req", "cwnd_fx", "avg_delay_fx",
		"saved_cwnd_fx", "actions", "ccc", NULL,
	};
	const struct uet_ccc *c = &r->ccc;
	const struct uet_nscc *s = uet_nscc_const(c);

	vec_only(v, o, names);
	if (json_get(o, "actions"))
		check_actions(v, json_get(o, "actions"), c->did);
	vec_check(v, o, "cwnd_fx", (s64)s->cwnd);
	vec_check(v, o, "inflight", c->inflight);
	vec_check(v, o, "max_wnd", (s64)s->max_wnd);
	vec_check(v, o, "base_rtt", (s64)c->base_rtt);
	vec_check(v, o, "avg_delay_fx", s->avg_q8 >> 8);
	vec_check(v, o, "achieved", (s64)s->achieved);
	vec_check(v, o, "received", (s64)s->received);
	vec_check(v, o, "fi_count", (s64)s->fi_count);
	vec_check_bool(v, o, "fast", s->increase_mode);
	vec_check_bool(v, o, "trigger_qa", s->trigger_qa);
	vec_check(v, o, "qa_end", (s64)s->qa_end);
	vec_check(v, o, "ignored", (s64)s->ignored);
	vec_check(v, o, "to_ignore", (s64)s->to_ignore);
	vec_check(v, o, "saved_cwnd_fx", (s64)s->saved_cwnd);
	vec_check_bool(v, o, "can_send", uet_cc_nscc.can_send(c));
	vec_check_bool(v, o, "ack_req", uet_cc_nscc.ack_request(c, 0));
	check_near(v, o, "cwnd", s->cwnd);
	if (r->context)
		check_context(v, vec_get(v, o, "ccc"), c);
}

void vec_run_nscc(struct vec *v, const struct json *j)
{
	const struct json *events = vec_get(v, j, "events");
	const struct json *cases = json_get(j, "rtt_cases");
	const struct json *e;
	struct run r;

	start(v, j, &r);
	v->what = "event";
	v->index = 0;
	for (e = events->child; e; e = e->next) {
		run_event(v, e, &r);
		check_state(v, vec_get(v, e, "expect"), &r);
		v->index++;
	}
	if (cases)
		vec_run_rtt_cases(v, cases);
	v->index = -1;
}
