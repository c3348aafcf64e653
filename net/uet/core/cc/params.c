// SPDX-License-Identifier: GPL-2.0
/*
 * Congestion control parameters: limits and derivation (UE 1.0 3.6.13). All
 * divisions by configured values happen here, once per CCC.
 */
#include "params.h"

/* The reference network that UE 1.0 scales from: 100 Gb/s and 12 us. */
#define REF_BDP_BYTES		150000
#define FI_MTUS			5
#define ADJUST_DEFAULT_MTUS	8
#define QA_THRESHOLD_TARGETS	4

/* Limits of each parameter; net/uet/settings.c has the names. */
struct param_limits {
	u64 min;
	u64 max;
};

static const struct param_limits param_table[UET_CCP_COUNT] = {
	[UET_CCP_RATE_MBPS] = { 0, U32_MAX },
	[UET_CCP_PEER_RATE_MBPS] = { 0, U32_MAX },
	[UET_CCP_BASE_RTT_NS] = { UET_BASE_RTT_MIN_NS, UET_BASE_RTT_MAX_NS },
	[UET_CCP_MTU] = { UET_MTU_MIN, UET_MTU_MAX },
	[UET_CCP_TRIMMING] = { 0, 1 },
	[UET_CCP_TARGET_QDELAY_NS] = {
		UET_TARGET_MIN_NS, UET_TARGET_MAX_BASE_RTTS * (u64)UET_BASE_RTT_MAX_NS
	},
	[UET_CCP_MAX_WND] = { UET_WND_MIN_MTUS * UET_MTU_MIN, UET_WND_MAX },
	[UET_CCP_WND_ADD] = { 0, UET_WND_MAX },
	[UET_CCP_WND_ADD_RUNS] = { 0, UET_WND_MAX },
	[UET_CCP_GAMMA_Q16] = { 0, UET_Q16_ONE },
	[UET_CCP_MAX_MD_JUMP_Q16] = { UET_MAX_MD_JUMP_MIN_Q16, UET_Q16_ONE },
	[UET_CCP_FI] = { 0, UET_FI_MAX },
	[UET_CCP_ALPHA_Q24] = { 0, UET_ALPHA_MAX_Q24 },
	[UET_CCP_ETA] = { 0, UET_ETA_MAX },
	[UET_CCP_FI_SCALE_Q16] = { 0, UET_FI_SCALE_MAX_Q16 },
	[UET_CCP_CLEAR_DELAY_NS] = {
		0, UET_TARGET_MAX_BASE_RTTS * (u64)UET_BASE_RTT_MAX_NS / 2
	},
	[UET_CCP_ADJUST_BYTES] = { 1, UET_ADJUST_MAX_MTUS * UET_MTU_MAX },
	[UET_CCP_ADJUST_PERIOD_NS] = {
		UET_BASE_RTT_MIN_NS, UET_BASE_RTT_MAX_NS
	},
	[UET_CCP_QA_GATE] = { 0, UET_QA_GATE_MAX },
	[UET_CCP_QA_THRESHOLD_NS] = {
		UET_TARGET_MIN_NS, UET_QA_THRESHOLD_NEVER_NS
	},
	[UET_CCP_DISABLE_QA] = { 0, 1 },
	[UET_CCP_DELAY_AVG] = { 0, UET_AVG_COUNT - 1 },
	[UET_CCP_ACK_GEN_TRIGGER] = { 0, UET_ACK_GEN_TRIGGER_MAX },
	[UET_CCP_DFC_LITERAL] = { 0, 1 },
	[UET_CCP_WND_UNUSED] = { 0, 1 },
	[UET_CCP_FIXED_WND] = { UET_MTU_MIN, UET_WND_MAX },
	[UET_CCP_ETA_Q16] = { 0, UET_ETA_MAX_Q16 },
	[UET_CCP_BASE_SHIFT] = { 0, UET_BASE_SHIFT_MAX },
	[UET_CCP_QA_LOSS] = { 0, 1 },
	[UET_CCP_FI_END] = { 0, 1 },
	[UET_CCP_SEND_BELOW] = { 0, 1 },
	[UET_CCP_TFC_CELL] = { UET_TFC_CELL_MIN, UET_TFC_CELL_MAX },
	[UET_CCP_TFC_OVERHEAD] = { 0, UET_TFC_OVERHEAD_MAX },
	[UET_CCP_TFC_FIRST] = { 0, UET_TFC_FIRST_MAX },
};

int uet_cc_param_range(enum uet_cc_param id, u64 *min, u64 *max)
{
	if ((u32)id >= UET_CCP_COUNT)
		return -EINVAL;
	*min = param_table[id].min;
	*max = param_table[id].max;
	return 0;
}

int uet_cc_config_set(struct uet_cc_config *cfg, enum uet_cc_param id,
		      u64 value)
{
	if ((u32)id >= UET_CCP_COUNT)
		return -EINVAL;
	if (value < param_table[id].min || value > param_table[id].max)
		return -ERANGE;
	cfg->val[id] = value;
	cfg->set |= BIT_ULL(id);
	return 0;
}

static bool params_is_set(const struct uet_cc_config *cfg, enum uet_cc_param id)
{
	return cfg->set & BIT_ULL(id);
}

static u64 params_value_or(const struct uet_cc_config *cfg,
			   enum uet_cc_param id, u64 derived)
{
	return params_is_set(cfg, id) ? cfg->val[id] : derived;
}

u64 uet_cc_bdp(u32 rate_mbps, u64 ns)
{
	ns = min_t(u64, ns, UET_BASE_RTT_MAX_NS);
	return min_t(u64, div_u64((u64)rate_mbps * ns, UET_MBPS_NS_PER_BYTE),
		     UET_BDP_MAX);
}

u64 uet_cc_wnd(u64 bdp, u32 add, u32 add_runs)
{
	u64 wnd = bdp * 3 / 2;

	return wnd + max_t(u64, add, min_t(u64, wnd / 8, add_runs));
}

u64 uet_cc_max_wnd(const struct uet_cc_params *p, u64 base_rtt)
{
	if (p->max_wnd_fixed)
		return p->max_wnd;
	return max_t(u64, uet_cc_wnd(uet_cc_bdp(p->rate_mbps, base_rtt),
				     p->wnd_add, p->wnd_add_runs),
		     UET_WND_MIN_MTUS * (u64)p->mtu);
}

u32 uet_cc_config_rate(const struct uet_cc_config *cfg)
{
	u32 local = (u32)params_value_or(cfg, UET_CCP_RATE_MBPS, 0);
	u32 peer = (u32)params_value_or(cfg, UET_CCP_PEER_RATE_MBPS, 0);

	if (!local)
		local = UET_RATE_DEFAULT_MBPS;
	return peer ? min(local, peer) : local;
}

static void params_derive_network(struct uet_cc_params *p,
				  const struct uet_cc_config *cfg)
{
	u64 target;

	p->rate_mbps = uet_cc_config_rate(cfg);
	p->mtu = (u32)cfg->val[UET_CCP_MTU];
	p->trimming = params_value_or(cfg, UET_CCP_TRIMMING, 0);
	p->base_rtt = params_value_or(cfg, UET_CCP_BASE_RTT_NS,
				      UET_BASE_RTT_DEFAULT_NS);
	p->bdp = uet_cc_bdp(p->rate_mbps, p->base_rtt);
	target = p->trimming ? p->base_rtt * 3 / 4 : p->base_rtt;
	p->target = params_value_or(cfg, UET_CCP_TARGET_QDELAY_NS, target);
	p->wnd_add = (u32)params_value_or(cfg, UET_CCP_WND_ADD, 0);
	p->wnd_add_runs = (u32)params_value_or(cfg, UET_CCP_WND_ADD_RUNS, 0);
	p->max_wnd = uet_cc_max_wnd(p, p->base_rtt);
	p->max_wnd_fixed = params_is_set(cfg, UET_CCP_MAX_WND);
	p->max_wnd = params_value_or(cfg, UET_CCP_MAX_WND, p->max_wnd);
	p->fixed_wnd = params_value_or(cfg, UET_CCP_FIXED_WND, p->max_wnd);
}

/*
 * UE 1.0 defines the gains relative to the reference network: fi is 5 MTU, eta
 * 0.15 MTU, fi_scale 0.25 and alpha MTU / 3000 ns, each times bdp / 150000.
 * Multiply first, so that only the last division rounds. With bdp < 2^28 and
 * MTU <= 2^16 + 64 no product exceeds 2^62.
 */
static u64 params_derive_eta(const struct uet_cc_config *cfg, u64 bdp_mtu)
{
	u64 scale;

	if (!params_is_set(cfg, UET_CCP_ETA_Q16))
		return div_u64(bdp_mtu * 3, 20U * REF_BDP_BYTES);
	/* bdp_mtu < 2^44, scale <= 2^18 */
	scale = cfg->val[UET_CCP_ETA_Q16];
	return div_u64(bdp_mtu * scale, REF_BDP_BYTES) >> 16;
}

static void params_derive_gains(struct uet_cc_params *p,
				const struct uet_cc_config *cfg)
{
	u64 bdp_mtu = p->bdp * p->mtu;
	u64 fi = div_u64(bdp_mtu * FI_MTUS, REF_BDP_BYTES);
	u64 eta = params_derive_eta(cfg, bdp_mtu);
	u64 fi_scale = div_u64(p->bdp << 16, 4U * REF_BDP_BYTES);
	/* 2^24 / (150000 * 3000), both divided by 2^7 */
	u64 alpha = div_u64(bdp_mtu << 17, 3515625);

	p->fi = (u32)params_value_or(cfg, UET_CCP_FI,
				     min_t(u64, fi, UET_FI_MAX));
	p->eta = (u32)params_value_or(cfg, UET_CCP_ETA,
				      min_t(u64, eta, UET_ETA_MAX));
	p->fi_scale_q16 = (u32)params_value_or(cfg, UET_CCP_FI_SCALE_Q16,
					       fi_scale);
	p->alpha_q24 = params_value_or(cfg, UET_CCP_ALPHA_Q24,
				       min_t(u64, alpha, UET_ALPHA_MAX_Q24));
	p->gamma_q16 = (u32)params_value_or(cfg, UET_CCP_GAMMA_Q16,
					    UET_GAMMA_DEFAULT_Q16);
	p->max_md_jump_q16 = (u32)params_value_or(cfg, UET_CCP_MAX_MD_JUMP_Q16,
						  UET_MAX_MD_JUMP_DEFAULT_Q16);
}

static void params_derive_thresholds(struct uet_cc_params *p,
				     const struct uet_cc_config *cfg)
{
	u64 qa = p->trimming ? UET_QA_THRESHOLD_NEVER_NS :
		 QA_THRESHOLD_TARGETS * p->target;

	p->clear_delay = params_value_or(cfg, UET_CCP_CLEAR_DELAY_NS,
					 UET_CLEAR_DELAY_DEFAULT_NS);
	p->adjust_bytes = (u32)params_value_or(cfg, UET_CCP_ADJUST_BYTES,
					       ADJUST_DEFAULT_MTUS * p->mtu);
	p->adjust_period = params_value_or(cfg, UET_CCP_ADJUST_PERIOD_NS,
					   p->base_rtt);
	p->qa_gate = (u8)params_value_or(cfg, UET_CCP_QA_GATE,
					 UET_QA_GATE_DEFAULT);
	p->qa_threshold = params_value_or(cfg, UET_CCP_QA_THRESHOLD_NS, qa);
	p->disable_qa = params_value_or(cfg, UET_CCP_DISABLE_QA, 0);
	p->avg = (u8)params_value_or(cfg, UET_CCP_DELAY_AVG,
				     UET_AVG_TIME_WEIGHTED);
	p->ack_gen_trigger = (u32)params_value_or(cfg, UET_CCP_ACK_GEN_TRIGGER,
						  UET_ACK_GEN_TRIGGER_DEFAULT);
	p->base_shift = (u8)params_value_or(cfg, UET_CCP_BASE_SHIFT, 0);
	p->dfc_literal = params_value_or(cfg, UET_CCP_DFC_LITERAL, 0);
	p->fi_end = params_value_or(cfg, UET_CCP_FI_END, 0);
	p->send_below = params_value_or(cfg, UET_CCP_SEND_BELOW, 0);
	p->wnd_unused = params_value_or(cfg, UET_CCP_WND_UNUSED,
					UET_WND_UNUSED_DEFAULT);
	p->qa_loss = !p->trimming &&
		     params_value_or(cfg, UET_CCP_QA_LOSS, UET_QA_LOSS_DEFAULT);
}

static void params_derive_cells(struct uet_cc_params *p,
				const struct uet_cc_config *cfg)
{
	p->tfc_cell = (u32)params_value_or(cfg, UET_CCP_TFC_CELL,
					   UET_TFC_CELL_DEFAULT);
	p->tfc_overhead = (u32)params_value_or(cfg, UET_CCP_TFC_OVERHEAD,
					       UET_TFC_OVERHEAD_DEFAULT);
	p->tfc_first = (u32)params_value_or(cfg, UET_CCP_TFC_FIRST,
					    UET_TFC_FIRST_DEFAULT);
}

/* Limits of one configured value; some depend on other values. */
static void params_limits(const struct uet_cc_params *p, enum uet_cc_param id,
			  u64 *min, u64 *max)
{
	*min = param_table[id].min;
	*max = param_table[id].max;
	switch (id) {
	case UET_CCP_TARGET_QDELAY_NS:
		*max = min(*max, UET_TARGET_MAX_BASE_RTTS * p->base_rtt);
		break;
	case UET_CCP_CLEAR_DELAY_NS:
		*max = min(*max, p->target / 2);
		break;
	case UET_CCP_MAX_WND:
		*min = max(*min, UET_WND_MIN_MTUS * (u64)p->mtu);
		break;
	case UET_CCP_ADJUST_BYTES:
		*max = min(*max, UET_ADJUST_MAX_MTUS * (u64)p->mtu);
		break;
	case UET_CCP_FIXED_WND:
		*min = max(*min, (u64)p->mtu);
		break;
	default:
		break;
	}
}

int uet_cc_params_derive(struct uet_cc_params *p,
			 const struct uet_cc_config *cfg,
			 enum uet_cc_param *bad)
{
	enum uet_cc_param none;
	u64 min, max;
	u32 id;

	if (!bad)
		bad = &none;
	memset(p, 0, sizeof(*p));
	if (!params_is_set(cfg, UET_CCP_MTU)) {
		*bad = UET_CCP_MTU;
		return -EINVAL;
	}
	/* The caller may have filled @cfg without uet_cc_config_set(). */
	for (id = 0; id < UET_CCP_COUNT; id++) {
		if (params_is_set(cfg, id) &&
		    (cfg->val[id] < param_table[id].min ||
		     cfg->val[id] > param_table[id].max)) {
			*bad = id;
			return -ERANGE;
		}
	}
	params_derive_network(p, cfg);
	params_derive_gains(p, cfg);
	params_derive_thresholds(p, cfg);
	params_derive_cells(p, cfg);
	for (id = 0; id < UET_CCP_COUNT; id++) {
		if (!params_is_set(cfg, id))
			continue;
		params_limits(p, id, &min, &max);
		if (cfg->val[id] < min || cfg->val[id] > max) {
			*bad = id;
			return -ERANGE;
		}
	}
	return 0;
}

int uet_cc_params_fit(struct uet_cc_params *p, struct uet_cc_config *cfg)
{
	enum uet_cc_param bad;
	u64 min, max;
	u32 tries;
	int err;

	/* Clamping a value may change the limit of another one. */
	for (tries = 0; tries < UET_CCP_COUNT; tries++) {
		err = uet_cc_params_derive(p, cfg, &bad);
		if (err != -ERANGE)
			return err;
		params_limits(p, bad, &min, &max);
		cfg->val[bad] = clamp(cfg->val[bad], min, max);
	}
	return err;
}
