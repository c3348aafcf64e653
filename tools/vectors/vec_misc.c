// SPDX-License-Identifier: GPL-2.0
/*
 * Kinds "derive", "rcvd_bytes" and "gates", and the RTT cases.
 */
#include "../../net/uet/core/cc/cc_nscc.h"
#include "../../net/uet/core/cc/rtt.h"
#include "../../net/uet/core/wire/rcvd.h"
#include "vec.h"

static void set(const struct vec *v, struct uet_cc_config *cfg,
		enum uet_cc_param id, const struct json *row, const char *key)
{
	if (uet_cc_config_set(cfg, id, (u64)vec_int(v, row, key)))
		vec_die(v, "%s: out of range", key);
}

static void check_scaled(struct vec *v, const struct json *row,
			 const char *key, unsigned int shift, u64 got)
{
	u64 want = vec_scaled(v, row, key, shift);

	v->checks++;
	if (want != got)
		vec_die(v, "%s: expected %llu, got %llu", key,
			(unsigned long long)want, (unsigned long long)got);
}

static void check_fx(struct vec *v, const struct json *fx,
		     const struct uet_cc_params *p)
{
	static const char * const names[] = {
		"fi", "eta", "fi_scale_q16", "alpha_q24", "gamma_q16",
		"max_md_jump_q16", NULL,
	};

	vec_only(v, fx, names);
	vec_check(v, fx, "fi", p->fi);
	vec_check(v, fx, "eta", p->eta);
	vec_check(v, fx, "fi_scale_q16", p->fi_scale_q16);
	vec_check(v, fx, "alpha_q24", (s64)p->alpha_q24);
	vec_check(v, fx, "gamma_q16", p->gamma_q16);
	vec_check(v, fx, "max_md_jump_q16", p->max_md_jump_q16);
}

static void check_row(struct vec *v, const struct json *row,
		      const struct uet_cc_params *p)
{
	static const char * const names[] = {
		"rate_mbps", "config_base_rtt", "mtu", "trimming", "bdp",
		"target_qdelay", "max_wnd", "gamma", "max_md_jump", "fi",
		"eta", "fi_scale", "alpha", "qa_gate", "qa_threshold",
		"adjust_bytes", "adjust_period", "clear_delay",
		"ack_gen_trigger", "disable_qa", "dfc", "rccc", "avg", "fx",
		"alpha_bytes_per_ns", "first_qa_gate_bytes", NULL,
	};

	vec_only(v, row, names);
	check_scaled(v, row, "bdp", 0, p->bdp);
	check_scaled(v, row, "target_qdelay", 0, p->target);
	check_scaled(v, row, "max_wnd", 0, p->max_wnd);
	check_scaled(v, row, "fi", 0, p->fi);
	check_scaled(v, row, "eta", 0, p->eta);
	check_scaled(v, row, "fi_scale", 16, p->fi_scale_q16);
	check_scaled(v, row, "alpha", 24, p->alpha_q24);
	check_scaled(v, row, "max_md_jump", 16, p->max_md_jump_q16);
	check_scaled(v, row, "qa_threshold", 0, p->qa_threshold);
	vec_check(v, row, "qa_gate", p->qa_gate);
	vec_check(v, row, "adjust_bytes", p->adjust_bytes);
	vec_check(v, row, "adjust_period", (s64)p->adjust_period);
	vec_check(v, row, "clear_delay", (s64)p->clear_delay);
	vec_check(v, row, "ack_gen_trigger", p->ack_gen_trigger);
	vec_check_bool(v, row, "disable_qa", p->disable_qa);
	vec_check_str(v, row, "dfc", p->dfc_literal ? "literal" : "onset");
	vec_check_str(v, row, "avg", p->avg == UET_AVG_TIME_WEIGHTED ?
		      "tw" : "htsim");
	if (json_get(row, "first_qa_gate_bytes"))
		vec_check(v, row, "first_qa_gate_bytes",
			  (s64)(p->max_wnd >> p->qa_gate));
	check_fx(v, vec_get(v, row, "fx"), p);
}

void vec_run_derive(struct vec *v, const struct json *j)
{
	const struct json *row = vec_get(v, j, "rows")->child;
	enum uet_cc_param bad;
	struct uet_cc_config cfg;
	struct uet_cc_params p;

	v->what = "row";
	for (v->index = 0; row; row = row->next, v->index++) {
		memset(&cfg, 0, sizeof(cfg));
		set(v, &cfg, UET_CCP_RATE_MBPS, row, "rate_mbps");
		set(v, &cfg, UET_CCP_BASE_RTT_NS, row, "config_base_rtt");
		set(v, &cfg, UET_CCP_MTU, row, "mtu");
		uet_cc_config_set(&cfg, UET_CCP_TRIMMING,
				  vec_bool(v, row, "trimming"));
		if (uet_cc_params_derive(&p, &cfg, &bad))
			vec_die(v, "parameter %u: refused", bad);
		check_row(v, row, &p);
	}
	v->index = -1;
}

static void run_source(struct vec *v, const struct json *row)
{
	static const char * const names[] = {
		"prev", "rcvd_bytes_field", "expect_newly", "expect_last",
		NULL,
	};
	u32 last, newly;

	v->what = "source row";
	for (v->index = 0; row; row = row->next, v->index++) {
		vec_only(v, row, names);
		last = (u32)vec_int(v, row, "prev");
		newly = uet_rcvd_newly(&last,
				       (u32)vec_int(v, row,
						    "rcvd_bytes_field"));
		vec_check(v, row, "expect_newly", newly);
		vec_check(v, row, "expect_last", last);
	}
}

static void run_destination(struct vec *v, const struct json *row)
{
	static const char * const names[] = {
		"nominal_pktsize", "trimmed", "duplicate",
		"expect_rcvd_bytes", "expect_field", NULL,
	};
	u64 total = 0;

	v->what = "destination row";
	for (v->index = 0; row; row = row->next, v->index++) {
		vec_only(v, row, names);
		if (!vec_bool(v, row, "trimmed") &&
		    !vec_bool(v, row, "duplicate"))
			total += (u64)vec_int(v, row, "nominal_pktsize");
		vec_check(v, row, "expect_rcvd_bytes", (s64)total);
		vec_check(v, row, "expect_field", uet_rcvd_field(total));
	}
}

void vec_run_rcvd_bytes(struct vec *v, const struct json *j)
{
	run_source(v, vec_get(v, j, "source")->child);
	run_destination(v, vec_get(v, j, "destination")->child);
	v->index = -1;
}

void vec_run_gates(struct vec *v, const struct json *j)
{
	static const char * const names[] = {
		"cwnd", "inflight", "expect_can_send", "expect_ack_request",
		NULL,
	};
	const struct json *row = vec_get(v, j, "rows")->child;
	struct uet_cc_config cfg = {};
	struct uet_cc_params p;
	struct uet_ccc c;

	set(v, &cfg, UET_CCP_MTU, j, "mtu");
	set(v, &cfg, UET_CCP_ACK_GEN_TRIGGER, j, "ack_gen_trigger");
	if (uet_cc_params_derive(&p, &cfg, NULL))
		vec_die(v, "parameters refused");
	v->what = "row";
	for (v->index = 0; row; row = row->next, v->index++) {
		vec_only(v, row, names);
		uet_ccc_init(&c, uet_cc_find("nscc"), &p, NULL, true, 0);
		uet_nscc(&c)->cwnd = (u64)vec_int(v, row, "cwnd");
		c.inflight = vec_int(v, row, "inflight");
		vec_check_bool(v, row, "expect_can_send",
			       uet_cc_nscc.can_send(&c));
		vec_check_bool(v, row, "expect_ack_request",
			       uet_cc_nscc.ack_request(&c, 0));
	}
	v->index = -1;
}

void vec_run_rtt_cases(struct vec *v, const struct json *cases)
{
	static const char * const names[] = {
		"rtx_count", "retx_flag", "tx_timestamp", "service_time",
		"arrival", "expect_rtt", NULL,
	};
	const struct json *row = cases->child;
	const struct json *want;
	bool valid;
	u64 rtt = 0;

	v->what = "rtt case";
	for (v->index = 0; row; row = row->next, v->index++) {
		vec_only(v, row, names);
		valid = uet_rtt_valid((u8)vec_int(v, row, "rtx_count"),
				      vec_bool(v, row, "retx_flag")) &&
			uet_rtt_sample((u64)vec_int(v, row, "tx_timestamp"),
				       (u64)vec_int(v, row, "service_time"),
				       (u64)vec_int(v, row, "arrival"), &rtt);
		want = vec_get(v, row, "expect_rtt");
		v->checks++;
		if (valid != (want->type != JSON_NULL))
			vec_die(v, "expect_rtt: expected %s sample, got %s",
				valid ? "no" : "a", valid ? "one" : "none");
		if (valid)
			vec_check(v, row, "expect_rtt", (s64)rtt);
	}
}
