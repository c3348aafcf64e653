/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Congestion control parameters: what can be configured, the limits, and the
 * integer constants that a CCC uses (UE 1.0 3.6.13, "NSCC configuration
 * parameters").
 *
 * A configuration holds only what differs from the defaults. It is converted
 * to constants once, when a CCC is created; the event handlers then need no
 * division by a configured value.
 *
 * Not here: names, units and scopes of the settings (net/uet/settings.c).
 */
#ifndef _UET_CORE_PARAMS_H
#define _UET_CORE_PARAMS_H

#include "../env.h"
#include "../rate.h"

/**
 * enum uet_cc_param - every quantity that can be configured
 * @UET_CCP_RATE_MBPS: rate of the local interface, 0 = not known
 * @UET_CCP_PEER_RATE_MBPS: rate of the peer's interface, 0 = not known
 * @UET_CCP_BASE_RTT_NS: config_base_rtt, one value for the whole fabric
 * @UET_CCP_MTU: largest nominal packet size the CCC sends
 * @UET_CCP_TRIMMING: 1 if the switches trim instead of dropping
 * @UET_CCP_TARGET_QDELAY_NS: target queueing delay
 * @UET_CCP_MAX_WND: MaxWnd in bytes; if set, it does not follow base_rtt
 * @UET_CCP_WND_ADD: bytes added to MaxWnd = 1.5 BDP, for packets that have
 *	arrived but wait for their ACK
 * @UET_CCP_WND_ADD_RUNS: the same if packets leave in runs and are acknowledged
 *	by twos of them, at most; 0 = they do not
 * @UET_CCP_GAMMA_Q16: gain of the multiplicative decrease x 2^16
 * @UET_CCP_MAX_MD_JUMP_Q16: smallest factor of one decrease x 2^16
 * @UET_CCP_FI: fair increase in bytes per window
 * @UET_CCP_ALPHA_Q24: proportional gain in bytes per ns x 2^24
 * @UET_CCP_ETA: additive step in bytes per adjustment period
 * @UET_CCP_FI_SCALE_Q16: bytes added per byte in fast increase x 2^16
 * @UET_CCP_CLEAR_DELAY_NS: a smaller delay counts as no delay
 * @UET_CCP_ADJUST_BYTES: bytes after which accumulated increase is applied
 * @UET_CCP_ADJUST_PERIOD_NS: time after which it is applied
 * @UET_CCP_QA_GATE: quick adapt only if bytes achieved < max_wnd >> this
 * @UET_CCP_QA_THRESHOLD_NS: delay that triggers quick adapt by itself
 * @UET_CCP_DISABLE_QA: 1 switches quick adapt off
 * @UET_CCP_DELAY_AVG: enum uet_delay_avg
 * @UET_CCP_ACK_GEN_TRIGGER: ACK_Gen_Trigger of the PDS in bytes
 * @UET_CCP_DFC_LITERAL: 1 sets cwnd = min(cwnd, inflight) on every ACK with a
 *	penalty
 * @UET_CCP_WND_UNUSED: 1 suppresses increases of a window that is not used
 * @UET_CCP_FIXED_WND: window of the "fixed" algorithm in bytes
 * @UET_CCP_ETA_Q16: additive step in MTUs of the reference network x 2^16;
 *	@UET_CCP_ETA, if set, has precedence
 * @UET_CCP_BASE_SHIFT: a smaller sample lowers the base RTT by the difference
 *	>> this
 * @UET_CCP_QA_LOSS: 1 lets inferred losses trigger quick adapt if switches do
 *	not trim and delays are above the target
 * @UET_CCP_FI_END: 1 ends fast increase at the first sign of congestion
 * @UET_CCP_SEND_BELOW: 1 sends only while the window is larger than what is in flight
 *	and another packet, 0 also while it is as large
 * @UET_CCP_TFC_CELL: size of a cell in bytes
 * @UET_CCP_TFC_OVERHEAD: bytes that each packet takes in cells beside its own
 * @UET_CCP_TFC_FIRST: cells that need no grant
 * @UET_CCP_COUNT: number of parameters
 */
enum uet_cc_param {
	UET_CCP_RATE_MBPS,
	UET_CCP_PEER_RATE_MBPS,
	UET_CCP_BASE_RTT_NS,
	UET_CCP_MTU,
	UET_CCP_TRIMMING,
	UET_CCP_TARGET_QDELAY_NS,
	UET_CCP_MAX_WND,
	UET_CCP_WND_ADD,
	UET_CCP_WND_ADD_RUNS,
	UET_CCP_GAMMA_Q16,
	UET_CCP_MAX_MD_JUMP_Q16,
	UET_CCP_FI,
	UET_CCP_ALPHA_Q24,
	UET_CCP_ETA,
	UET_CCP_FI_SCALE_Q16,
	UET_CCP_CLEAR_DELAY_NS,
	UET_CCP_ADJUST_BYTES,
	UET_CCP_ADJUST_PERIOD_NS,
	UET_CCP_QA_GATE,
	UET_CCP_QA_THRESHOLD_NS,
	UET_CCP_DISABLE_QA,
	UET_CCP_DELAY_AVG,
	UET_CCP_ACK_GEN_TRIGGER,
	UET_CCP_DFC_LITERAL,
	UET_CCP_WND_UNUSED,
	UET_CCP_FIXED_WND,
	UET_CCP_ETA_Q16,
	UET_CCP_BASE_SHIFT,
	UET_CCP_QA_LOSS,
	UET_CCP_FI_END,
	UET_CCP_SEND_BELOW,
	UET_CCP_TFC_CELL,
	UET_CCP_TFC_OVERHEAD,
	UET_CCP_TFC_FIRST,
	UET_CCP_COUNT,
};

/**
 * enum uet_delay_avg - how delay samples are averaged
 * @UET_AVG_TIME_WEIGHTED: weight is the time since the last sample
 * @UET_AVG_PER_ACK: gain 1/80 per ACK, delays of draining queues filtered out
 * @UET_AVG_COUNT: number of kinds
 */
enum uet_delay_avg {
	UET_AVG_TIME_WEIGHTED,
	UET_AVG_PER_ACK,
	UET_AVG_COUNT,
};

#define UET_RATE_DEFAULT_MBPS		10000
#define UET_BASE_RTT_DEFAULT_NS		100000
#define UET_BASE_RTT_MIN_NS		1000
#define UET_BASE_RTT_MAX_NS		1000000000
#define UET_MTU_MIN			128
#define UET_MTU_MAX			65600
#define UET_BDP_MAX			200000000
#define UET_WND_MAX			0x40000000U
#define UET_WND_MIN_MTUS		2
#define UET_TARGET_MIN_NS		1000
#define UET_TARGET_MAX_BASE_RTTS	4
#define UET_Q16_ONE			65536U
#define UET_MAX_MD_JUMP_MIN_Q16		(UET_Q16_ONE / 4)
#define UET_FI_MAX			0x10000000U
#define UET_ALPHA_MAX_Q24		0x2000000000ULL
#define UET_ETA_MAX			0x10000000U
#define UET_ETA_MAX_Q16			(4 * UET_Q16_ONE)
#define UET_BASE_SHIFT_MAX		8
#define UET_FI_SCALE_MAX_Q16		(4096U << 16)
#define UET_ADJUST_MAX_MTUS		64
#define UET_QA_GATE_MAX			31
#define UET_QA_THRESHOLD_NEVER_NS	0x4000000000000000ULL
#define UET_ACK_GEN_TRIGGER_MAX		32768
#define UET_TFC_CELL_MIN		64
#define UET_TFC_CELL_MAX		65536
#define UET_TFC_OVERHEAD_MAX		65536
#define UET_TFC_FIRST_MAX		65536
/* Triggers after which an ACK comes if packets come in short and in long runs */
#define UET_ACK_RUN_LEAST		4
#define UET_ACK_RUN_MOST		8
/* ... and if they come in a burst */
#define UET_ACK_BURST_TRIGGERS		4

/* Defaults other than 0 that do not depend on other parameters */
#define UET_GAMMA_DEFAULT_Q16		52429		/* 0.8 */
#define UET_MAX_MD_JUMP_DEFAULT_Q16	(UET_Q16_ONE / 2)
#define UET_CLEAR_DELAY_DEFAULT_NS	1000
#define UET_QA_GATE_DEFAULT		3
#define UET_ACK_GEN_TRIGGER_DEFAULT	16384
#define UET_WND_UNUSED_DEFAULT		1
#define UET_QA_LOSS_DEFAULT		1
#define UET_TFC_CELL_DEFAULT		256
/* About what the kernel takes for a packet beside its data */
#define UET_TFC_OVERHEAD_DEFAULT	768
#define UET_TFC_FIRST_DEFAULT		64

/**
 * struct uet_cc_config - configured parameters
 * @val: values by enum uet_cc_param
 * @set: bit per parameter that has a value; all others are derived
 */
struct uet_cc_config {
	u64 val[UET_CCP_COUNT];
	u64 set;
};

/**
 * struct uet_cc_params - constants of one CCC
 * @rate_mbps: smaller rate of both ends' interfaces
 * @mtu: largest nominal packet size
 * @base_rtt: configured base round trip, ns
 * @bdp: rate x @base_rtt, bytes
 * @target: target queueing delay, ns
 * @max_wnd: initial and largest window, bytes
 * @alpha_q24: proportional gain, bytes per ns x 2^24
 * @qa_threshold: delay that triggers quick adapt, ns
 * @adjust_period: time between adjustments, ns
 * @clear_delay: a smaller delay counts as no delay, ns
 * @fixed_wnd: window of "fixed", bytes
 * @fi: fair increase, bytes
 * @eta: additive step, bytes
 * @fi_scale_q16: fast increase factor x 2^16
 * @gamma_q16: decrease gain x 2^16
 * @max_md_jump_q16: smallest decrease factor x 2^16
 * @adjust_bytes: bytes between adjustments
 * @ack_gen_trigger: bytes after which the target sends an ACK by itself
 * @wnd_add: bytes added to a MaxWnd that follows base_rtt
 * @wnd_add_runs: most that is added instead if packets leave in runs
 * @tfc_cell: size of a cell, bytes
 * @tfc_overhead: what each packet takes in cells beside its own, bytes
 * @tfc_first: cells that need no grant
 * @qa_gate: quick adapt only if bytes achieved < @max_wnd >> @qa_gate
 * @base_shift: see UET_CCP_BASE_SHIFT
 * @avg: enum uet_delay_avg
 * @trimming: switches trim
 * @disable_qa: no quick adapt
 * @dfc_literal: inflight limits the window on every ACK with a penalty
 * @wnd_unused: no increase of an unused window
 * @qa_loss: losses at a delay above the target trigger quick adapt
 * @fi_end: any sign of congestion ends fast increase
 * @send_below: bytes by which the window must exceed what is in flight and the next
 *	packet, 0 or 1
 * @max_wnd_fixed: @max_wnd was configured and does not follow base_rtt
 */
struct uet_cc_params {
	u32 rate_mbps;
	u32 mtu;
	u64 base_rtt;
	u64 bdp;
	u64 target;
	u64 max_wnd;
	u64 alpha_q24;
	u64 qa_threshold;
	u64 adjust_period;
	u64 clear_delay;
	u64 fixed_wnd;
	u32 fi;
	u32 eta;
	u32 fi_scale_q16;
	u32 gamma_q16;
	u32 max_md_jump_q16;
	u32 adjust_bytes;
	u32 ack_gen_trigger;
	u32 wnd_add;
	u32 wnd_add_runs;
	u32 tfc_cell;
	u32 tfc_overhead;
	u32 tfc_first;
	u8 qa_gate;
	u8 base_shift;
	u8 avg;
	bool trimming;
	bool disable_qa;
	bool dfc_literal;
	bool wnd_unused;
	bool fi_end;
	bool send_below;
	bool qa_loss;
	bool max_wnd_fixed;
};

/**
 * uet_cc_param_range() - limits that do not depend on other parameters
 * @id: parameter
 * @min: smallest value
 * @max: largest value
 *
 * uet_cc_params_derive() checks limits that depend on other parameters, such as
 * that of the target on the base RTT.
 *
 * Return: 0, or -EINVAL if @id is not a parameter.
 */
int uet_cc_param_range(enum uet_cc_param id, u64 *min, u64 *max);

/**
 * uet_cc_config_set() - set one parameter
 * @cfg: configuration, starts zeroed
 * @id: parameter
 * @value: its value
 *
 * Return: 0, -EINVAL if @id is not a parameter, -ERANGE if @value is outside
 * the fixed limits.
 */
int uet_cc_config_set(struct uet_cc_config *cfg, enum uet_cc_param id,
		      u64 value);

/**
 * uet_cc_config_rate() - rate of the path
 * @cfg: configuration
 *
 * Return: Mb/s: the smaller of both ends' rates, if the peer's is known. An
 * unknown local rate counts as %UET_RATE_DEFAULT_MBPS.
 */
u32 uet_cc_config_rate(const struct uet_cc_config *cfg);

/**
 * uet_cc_params_derive() - compute the constants of a CCC
 * @p: filled
 * @cfg: configuration; UET_CCP_MTU must be set
 * @bad: set to the offending parameter on failure, may be NULL
 *
 * Return: 0, -EINVAL if the MTU is missing, -ERANGE if a value is outside its
 * limits.
 */
int uet_cc_params_derive(struct uet_cc_params *p,
			 const struct uet_cc_config *cfg,
			 enum uet_cc_param *bad);

/**
 * uet_cc_params_fit() - uet_cc_params_derive(), but clamp conflicting values
 * @p: filled
 * @cfg: configuration; a value beyond a limit that depends on other values is
 *	clamped to it
 *
 * For settings made one by one, each within its own range: a shorter base RTT
 * must not turn the default of another setting into an error.
 *
 * Return: 0, -EINVAL if the MTU is missing.
 */
int uet_cc_params_fit(struct uet_cc_params *p, struct uet_cc_config *cfg);

/**
 * uet_cc_bdp() - bandwidth-delay product
 * @rate_mbps: rate
 * @ns: time
 *
 * Return: rate x time, rounded down, at most %UET_BDP_MAX.
 */
u64 uet_cc_bdp(u32 rate_mbps, u64 ns);

/**
 * uet_cc_wnd() - what a network holds, and what waits for its ACK
 * @bdp: bandwidth-delay product, bytes
 * @add: see %UET_CCP_WND_ADD
 * @add_runs: see %UET_CCP_WND_ADD_RUNS
 *
 * Where packets leave in runs, four of them wait for their ACK: at most an eighth of the
 * window is meant for that.
 *
 * Return: bytes.
 */
u64 uet_cc_wnd(u64 bdp, u32 add, u32 add_runs);

/**
 * uet_cc_max_wnd() - MaxWnd for a base RTT
 * @p: parameters of the CCC
 * @base_rtt: base round trip, ns
 *
 * Return: the configured value if there is one, else uet_cc_wnd(), at least 2 MTU.
 */
u64 uet_cc_max_wnd(const struct uet_cc_params *p, u64 base_rtt);

#endif /* _UET_CORE_PARAMS_H */
