// SPDX-License-Identifier: GPL-2.0
/*
 * net.uet.*: one table per network namespace. What each knob means is in
 * Documentation/networking/uet-sysctl.rst; here are its default and range.
 */
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/swap.h>
#include <linux/sysctl.h>
#include <linux/uet.h>

#include "base.h"
#include "compat.h"
#include "core/ccc.h"
#include "core/lb.h"
#include "link/encap.h"
#include "link/peer_rules.h"
#include "ns/netns.h"
#include "rx/trim.h"

#define UET_PAYLOAD_MTU_MIN	256
/* Start_PSN + 2^31 is never reached (wire.md 5.1): the rest is for what stands in
 * queues by then.
 */
#define UET_PDC_PSNS		(0x80000000U - 0x2000000)
#define UET_PAYLOAD_MTU_MAX	16383	/* 14 bits of payload_length */
#define UET_PDC_MAX		1048576
#define UET_USER_EPS_MAX	16777216	/* all there are in a job */
#define UET_BUF_DEFAULT		(4 * 1024 * 1024)
#define UET_BUF_MIN		4096
#define UET_BUF_MAX		(1024 * 1024 * 1024)
#define UET_MEM_MIN		(1024UL * 1024)
#define UET_LINK_MBPS_MAX	3200000
#define UET_TIME_US_MAX		8000000	/* of timers, UE 1.0 configuration */
#define UET_TIME_MS_MAX		60000
#define UET_TIME_S_MAX		86400
#define UET_ORPHAN_S_MAX	3600
#define UET_RETX_MAX		255

static const unsigned long uet_mem_min = UET_MEM_MIN;

/**
 * struct uet_knob - a number among the tunables
 * @name: its name
 * @off: its place in struct uet_sysctl, a u32 or s32
 * @value: default, 0 also for what follows the machine
 * @min: smallest value
 * @max: largest value
 * @handler: its handler
 */
struct uet_knob {
	const char	*name;
	size_t		off;
	int		value;
	int		min;
	int		max;
	proc_handler	*handler;
};

#define UET_KNOB(_f, _value, _min, _max, _handler)			\
	{								\
		.name		= #_f,					\
		.off		= offsetof(struct uet_sysctl, _f),	\
		.value		= (_value),				\
		.min		= (_min),				\
		.max		= (_max),				\
		.handler	= (_handler),				\
	}

static proc_handler uet_sysctl_u32, uet_sysctl_entropy, uet_sysctl_payload;
static proc_handler uet_sysctl_port, uet_sysctl_trimming, uet_sysctl_guard;
static proc_handler uet_sysctl_conntrack, uet_sysctl_trust;

static const struct uet_knob uet_knobs[] = {
	UET_KNOB(t_reroute, UET_LB_T_REROUTE_DEFAULT, 1, UET_LB_T_REROUTE_MAX,
		 uet_sysctl_u32),
	UET_KNOB(reroute_idle_us, 0, 0, UET_TIME_US_MAX, uet_sysctl_u32),
	UET_KNOB(congestion_threshold, UET_LB_THRESHOLD_DEFAULT_PCT, 1, 100,
		 uet_sysctl_u32),
	UET_KNOB(entropy_size, 4096, 1, UET_LB_N_MAX, uet_sysctl_entropy),
	UET_KNOB(spray_run, 1, 1, UET_LB_RUN_MAX, uet_sysctl_u32),
	UET_KNOB(path_stats, 0, 0, 1, uet_sysctl_u32),
	UET_KNOB(base_rtt_us, 0, 0, UET_BASE_RTT_MAX_NS / 1000, uet_sysctl_u32),
	UET_KNOB(target_qdelay_us, 0, 0, UET_BASE_RTT_MAX_NS / 1000,
		 uet_sysctl_u32),
	UET_KNOB(link_mbps, 0, 0, UET_LINK_MBPS_MAX, uet_sysctl_u32),
	UET_KNOB(nscc_gamma, 52429, 0, UET_Q16_ONE, uet_sysctl_u32),
	UET_KNOB(nscc_max_md_jump, UET_Q16_ONE / 2, UET_MAX_MD_JUMP_MIN_Q16,
		 UET_Q16_ONE, uet_sysctl_u32),
	UET_KNOB(nscc_eta, UET_Q16_ONE / 4 * 3, 0, UET_ETA_MAX_Q16, uet_sysctl_u32),
	UET_KNOB(nscc_base_shift, 3, 0, UET_BASE_SHIFT_MAX, uet_sysctl_u32),
	UET_KNOB(nscc_base_rise_ms, 1000, 0, UET_TIME_MS_MAX, uet_sysctl_u32),
	UET_KNOB(nscc_wnd_add, -1, -1, UET_WND_MAX, uet_sysctl_u32),
	UET_KNOB(nscc_wnd_follows, 0, 0, 1, uet_sysctl_u32),
	UET_KNOB(nscc_fi_end, 0, 0, 1, uet_sysctl_u32),
	UET_KNOB(nscc_max_wnd, 0, 0, UET_WND_MAX, uet_sysctl_u32),
	UET_KNOB(nscc_fi, -1, -1, UET_FI_MAX, uet_sysctl_u32),
	UET_KNOB(nscc_alpha, -1, -1, UET_ALPHA_MAX_Q24 >> UET_ALPHA_SHIFT,
		 uet_sysctl_u32),
	UET_KNOB(nscc_fi_scale, -1, -1, UET_FI_SCALE_MAX_Q16, uet_sysctl_u32),
	UET_KNOB(nscc_adjust_bytes, 0, 0, UET_ADJUST_MAX_MTUS * UET_MTU_MAX,
		 uet_sysctl_u32),
	UET_KNOB(nscc_adjust_period_us, 0, 0, UET_BASE_RTT_MAX_NS / 1000,
		 uet_sysctl_u32),
	UET_KNOB(nscc_qa_threshold_us, 0, 0, UET_TIME_US_MAX, uet_sysctl_u32),
	UET_KNOB(nscc_qa_gate, 3, 0, UET_QA_GATE_MAX, uet_sysctl_u32),
	UET_KNOB(nscc_clear_delay_ns, 1000, 0, UET_BASE_RTT_MAX_NS,
		 uet_sysctl_u32),
	UET_KNOB(nscc_disable_qa, 0, 0, 1, uet_sysctl_u32),
	UET_KNOB(nscc_qa_loss, 1, 0, 1, uet_sysctl_u32),
	UET_KNOB(nscc_idle_window, 1, 0, 1, uet_sysctl_u32),
	UET_KNOB(nscc_htsim_avg, 0, 0, 1, uet_sysctl_u32),
	UET_KNOB(nscc_dfc_literal, 0, 0, 1, uet_sysctl_u32),
	UET_KNOB(trimming, 0, 0, 1, uet_sysctl_trimming),
	UET_KNOB(dscp_data, UET_DSCP_OFF, 0, UET_DSCP_OFF, uet_sysctl_u32),
	UET_KNOB(dscp_control, 46, 0, UET_DSCP_OFF, uet_sysctl_u32),
	UET_KNOB(dscp_short, UET_DSCP_AUTO, 0, UET_DSCP_AUTO, uet_sysctl_u32),
	UET_KNOB(short_bytes, 4096, 0, UET_SHORT_BYTES_MAX, uet_sysctl_u32),
	UET_KNOB(dscp_trimmed, UET_DSCP_OFF, 0, UET_DSCP_OFF, uet_sysctl_u32),
	UET_KNOB(dscp_trimmed_lasthop, UET_DSCP_OFF, 0, UET_DSCP_OFF,
		 uet_sysctl_u32),
	UET_KNOB(ack_gen_trigger, 16384, 0, UET_ACK_GEN_TRIGGER_MAX,
		 uet_sysctl_u32),
	UET_KNOB(ack_gen_min_pkt_add, 1024, 0, 2048, uet_sysctl_u32),
	UET_KNOB(ack_per_packet, 0, 0, 1, uet_sysctl_u32),
	UET_KNOB(ack_request_all, 0, 0, 1, uet_sysctl_u32),
	UET_KNOB(ack_on_ecn, 1, 0, 1, uet_sysctl_u32),
	UET_KNOB(rto_min_us, 1000, 10, UET_TIME_US_MAX, uet_sysctl_u32),
	UET_KNOB(rto_max_ms, 200, 1, UET_TIME_MS_MAX, uet_sysctl_u32),
	UET_KNOB(max_rto_retx, 5, 1, UET_RETX_MAX, uet_sysctl_u32),
	UET_KNOB(max_nack_retx, 5, 1, UET_RETX_MAX, uet_sysctl_u32),
	UET_KNOB(nack_retx_us, 1000, 10, UET_TIME_US_MAX, uet_sysctl_u32),
	UET_KNOB(peer_timeout_s, 30, 1, UET_TIME_S_MAX, uet_sysctl_u32),
	UET_KNOB(orphan_timeout_s, 60, 1, UET_ORPHAN_S_MAX, uet_sysctl_u32),
	UET_KNOB(clear_time_us, 1000, 10, UET_TIME_US_MAX, uet_sysctl_u32),
	UET_KNOB(close_req_time_ms, 5000, 1, UET_TIME_MS_MAX, uet_sysctl_u32),
	UET_KNOB(rx_msg_timeout_ms, 5000, 0, UET_TIME_MS_MAX, uet_sysctl_u32),
	UET_KNOB(rmem, UET_BUF_DEFAULT, UET_BUF_MIN, UET_BUF_MAX,
		 uet_sysctl_u32),
	UET_KNOB(wmem, UET_BUF_DEFAULT, UET_BUF_MIN, UET_BUF_MAX,
		 uet_sysctl_u32),
	UET_KNOB(mpr, 8, 1, 255, uet_sysctl_u32),
	UET_KNOB(payload_mtu, 0, 0, UET_PAYLOAD_MTU_MAX, uet_sysctl_payload),
	UET_KNOB(pdc_max, 0, 1, UET_PDC_MAX, uet_sysctl_u32),
	UET_KNOB(pdc_max_per_peer, 0, 1, UET_PDC_MAX, uet_sysctl_u32),
	UET_KNOB(pdc_psns, UET_PDC_PSNS, 64, UET_PDC_PSNS, uet_sysctl_u32),
	UET_KNOB(pdc_idle_s, 60, 1, UET_TIME_S_MAX, uet_sysctl_u32),
	UET_KNOB(user_eps, 2048, 1, UET_USER_EPS_MAX, uet_sysctl_u32),
	UET_KNOB(user_pdcs, 0, 1, UET_PDC_MAX, uet_sysctl_u32),
	UET_KNOB(udp_port, UET_UDP_PORT, 1, 65535, uet_sysctl_port),
	UET_KNOB(data_protect, 0, 0, 1, uet_sysctl_u32),
	UET_KNOB(conntrack, 0, 0, 1, uet_sysctl_conntrack),
	UET_KNOB(trust_jobs, 1, 0, 1, uet_sysctl_trust),
	UET_KNOB(guard, 1, 0, 1, uet_sysctl_guard),
	UET_KNOB(return_requests, UET_RETURN_KNOWN, UET_RETURN_NEVER,
		 UET_RETURN_ALWAYS, uet_sysctl_u32),
	UET_KNOB(pid_unprivileged_start, 16, 0, UET_PID_MAX + 1,
		 uet_sysctl_u32),
};

/* Handlers check into a copy and store it last: readers take no lock */
static int uet_sysctl_number(uet_ctl_table_const struct ctl_table *table,
			     int write, void *buffer, size_t *lenp,
			     loff_t *ppos, u32 *value)
{
	struct ctl_table tmp = *table;

	*value = READ_ONCE(*(u32 *)table->data);
	tmp.data = value;
	return proc_dointvec_minmax(&tmp, write, buffer, lenp, ppos);
}

static int uet_sysctl_u32(uet_ctl_table_const struct ctl_table *table,
			  int write, void *buffer, size_t *lenp, loff_t *ppos)
{
	u32 value;
	int err;

	err = uet_sysctl_number(table, write, buffer, lenp, ppos, &value);
	if (!err && write)
		WRITE_ONCE(*(u32 *)table->data, value);
	return err;
}

static int uet_sysctl_entropy(uet_ctl_table_const struct ctl_table *table,
			      int write, void *buffer, size_t *lenp, loff_t *ppos)
{
	u32 value;
	int err;

	err = uet_sysctl_number(table, write, buffer, lenp, ppos, &value);
	if (err || !write)
		return err;
	if (!is_power_of_2(value))
		return -EINVAL;
	WRITE_ONCE(*(u32 *)table->data, value);
	return 0;
}

static int uet_sysctl_payload(uet_ctl_table_const struct ctl_table *table,
			      int write, void *buffer, size_t *lenp, loff_t *ppos)
{
	u32 value;
	int err;

	err = uet_sysctl_number(table, write, buffer, lenp, ppos, &value);
	if (err || !write)
		return err;
	if (value && value < UET_PAYLOAD_MTU_MIN)
		return -EINVAL;
	WRITE_ONCE(*(u32 *)table->data, value);
	return 0;
}

/* The tunnel sockets move to the new port, or stay if it is taken */
static int uet_sysctl_port(uet_ctl_table_const struct ctl_table *table,
			   int write, void *buffer, size_t *lenp, loff_t *ppos)
{
	struct uet_net *un = container_of((u32 *)table->data, struct uet_net,
					  sysctl.udp_port);
	u32 value;
	int err;

	err = uet_sysctl_number(table, write, buffer, lenp, ppos, &value);
	if (err || !write)
		return err;
	return uet_encap_move(un, value);
}

/* A setting and the hooks that go by it change together, whoever else writes. */
static DEFINE_MUTEX(uet_sysctl_hooks);

/* A switch that is a hook in the way of packets while it is on */
static int uet_sysctl_hook(uet_ctl_table_const struct ctl_table *table,
			   int write, void *buffer, size_t *lenp, loff_t *ppos,
			   struct uet_net *un,
			   int (*enable)(struct uet_net *un),
			   void (*disable)(struct uet_net *un))
{
	u32 value;
	int err;

	err = uet_sysctl_number(table, write, buffer, lenp, ppos, &value);
	if (err || !write)
		return err;
	mutex_lock(&uet_sysctl_hooks);
	if (value)
		err = enable(un);
	else
		disable(un);
	if (!err)
		WRITE_ONCE(*(u32 *)table->data, value);
	mutex_unlock(&uet_sysctl_hooks);
	return err;
}

static int uet_sysctl_trimming(uet_ctl_table_const struct ctl_table *table,
			       int write, void *buffer, size_t *lenp,
			       loff_t *ppos)
{
	struct uet_net *un = container_of((u32 *)table->data, struct uet_net,
					  sysctl.trimming);

	return uet_sysctl_hook(table, write, buffer, lenp, ppos, un,
			       uet_trim_enable, uet_trim_disable);
}

static int uet_sysctl_guard(uet_ctl_table_const struct ctl_table *table,
			    int write, void *buffer, size_t *lenp, loff_t *ppos)
{
	struct uet_net *un = container_of((u32 *)table->data, struct uet_net,
					  sysctl.guard);

	return uet_sysctl_hook(table, write, buffer, lenp, ppos, un,
			       uet_guard_enable, uet_guard_disable);
}

static int uet_sysctl_conntrack(uet_ctl_table_const struct ctl_table *table,
				int write, void *buffer, size_t *lenp,
				loff_t *ppos)
{
	struct uet_net *un = container_of((u32 *)table->data, struct uet_net,
					  sysctl.conntrack);
	u32 value;
	int err;

	err = uet_sysctl_number(table, write, buffer, lenp, ppos, &value);
	if (err || !write)
		return err;
	mutex_lock(&uet_sysctl_hooks);
	WRITE_ONCE(un->sysctl.conntrack, value);
	if (value)
		uet_untrack_disable(un);
	else if (READ_ONCE(un->demux_hooked))
		uet_untrack_enable(un);
	mutex_unlock(&uet_sysctl_hooks);
	return 0;
}

static int uet_sysctl_trust(uet_ctl_table_const struct ctl_table *table,
			    int write, void *buffer, size_t *lenp, loff_t *ppos)
{
	struct uet_net *un = container_of((u32 *)table->data, struct uet_net,
					  sysctl.trust_jobs);
	int err = uet_sysctl_u32(table, write, buffer, lenp, ppos);

	if (!err && write)
		uet_peer_trust_changed(un);
	return err;
}

/* A name that a table of the core must know. What is kept is the table's own,
 * so that readers get one name or another, and no mixture.
 */
static int uet_sysctl_name(uet_ctl_table_const struct ctl_table *table,
			   int write, void *buffer, size_t *lenp, loff_t *ppos,
			   const char *(*known)(const char *name))
{
	const char **place = table->data, *found;
	struct ctl_table tmp = *table;
	char name[UET_NAME_MAX];
	int err;

	strscpy(name, READ_ONCE(*place), sizeof(name));
	tmp.data = name;
	err = proc_dostring(&tmp, write, buffer, lenp, ppos);
	if (err || !write)
		return err;
	found = known(name);
	if (!found)
		return -EINVAL;
	WRITE_ONCE(*place, found);
	return 0;
}

static const char *uet_cc_known(const char *name)
{
	const struct uet_cc_algo *algo = uet_cc_find(name);

	return algo ? algo->name : NULL;
}

static const char *uet_lb_known(const char *name)
{
	const struct uet_lb_ops *ops = uet_lb_find(name);

	return ops ? ops->name : NULL;
}

static int uet_sysctl_cc(uet_ctl_table_const struct ctl_table *table,
			 int write, void *buffer, size_t *lenp, loff_t *ppos)
{
	struct uet_net *un = container_of(table->data, struct uet_net,
					  sysctl.congestion_control);
	int err;

	err = uet_sysctl_name(table, write, buffer, lenp, ppos, uet_cc_known);
	if (!err && write)
		WRITE_ONCE(un->credit_in_acks,
			   !strcmp(READ_ONCE(un->sysctl.congestion_control),
				   "rccc"));
	return err;
}

static int uet_sysctl_lb(uet_ctl_table_const struct ctl_table *table,
			 int write, void *buffer, size_t *lenp, loff_t *ppos)
{
	return uet_sysctl_name(table, write, buffer, lenp, ppos, uet_lb_known);
}

static u32 *uet_knob_place(struct uet_sysctl *s, const struct uet_knob *knob)
{
	return (void *)s + knob->off;
}

/* What UE 1.0 names a value for, where ours is another one */
static const struct {
	size_t	off;
	u32	value;
} uet_profile_spec[] = {
	{ offsetof(struct uet_sysctl, entropy_size), 256 },
	{ offsetof(struct uet_sysctl, nscc_eta), 9830 },	/* 0.15 */
	{ offsetof(struct uet_sysctl, nscc_base_shift), 0 },
	{ offsetof(struct uet_sysctl, nscc_base_rise_ms), 0 },
	{ offsetof(struct uet_sysctl, nscc_wnd_add), 0 },
	{ offsetof(struct uet_sysctl, nscc_wnd_follows), 1 },
	{ offsetof(struct uet_sysctl, nscc_idle_window), 0 },
	{ offsetof(struct uet_sysctl, nscc_qa_loss), 0 },
	{ offsetof(struct uet_sysctl, nscc_fi_end), 1 },
	{ offsetof(struct uet_sysctl, ack_request_all), 1 },
};

/* Either of its values, to each setting that a profile has a say in */
static void uet_profile_apply(struct uet_sysctl *s, bool spec)
{
	const struct uet_knob *knob;
	size_t i, k;

	for (k = 0; k < ARRAY_SIZE(uet_knobs); k++) {
		knob = &uet_knobs[k];
		for (i = 0; i < ARRAY_SIZE(uet_profile_spec); i++)
			if (knob->off == uet_profile_spec[i].off)
				WRITE_ONCE(*uet_knob_place(s, knob),
					   spec ? uet_profile_spec[i].value :
						  (u32)knob->value);
	}
}

static const char *uet_profile_known(const char *name)
{
	if (!strcmp(name, "spec"))
		return "spec";
	return strcmp(name, "module") ? NULL : "module";
}

static int uet_sysctl_profile(uet_ctl_table_const struct ctl_table *table,
			      int write, void *buffer, size_t *lenp,
			      loff_t *ppos)
{
	struct uet_sysctl *s = container_of(table->data, struct uet_sysctl,
					    profile);
	int err;

	err = uet_sysctl_name(table, write, buffer, lenp, ppos,
			      uet_profile_known);
	if (!err && write)
		uet_profile_apply(s, !strcmp(READ_ONCE(s->profile), "spec"));
	return err;
}

/* Those that are not numbers. @data is an offset in struct uet_sysctl until a
 * namespace copies the table.
 */
#define UET_SYSCTL_OFF(_f)	((void *)offsetof(struct uet_sysctl, _f))

static const struct ctl_table uet_sysctl_others[] = {
	{
		.procname	= "path_policy",
		.data		= UET_SYSCTL_OFF(path_policy),
		.maxlen		= UET_NAME_MAX,
		.mode		= 0644,
		.proc_handler	= uet_sysctl_lb,
	},
	{
		.procname	= "path_policy_ordered",
		.data		= UET_SYSCTL_OFF(path_policy_ordered),
		.maxlen		= UET_NAME_MAX,
		.mode		= 0644,
		.proc_handler	= uet_sysctl_lb,
	},
	{
		.procname	= "congestion_control",
		.data		= UET_SYSCTL_OFF(congestion_control),
		.maxlen		= UET_NAME_MAX,
		.mode		= 0644,
		.proc_handler	= uet_sysctl_cc,
	},
	{
		.procname	= "profile",
		.data		= UET_SYSCTL_OFF(profile),
		.maxlen		= UET_NAME_MAX,
		.mode		= 0644,
		.proc_handler	= uet_sysctl_profile,
	},
	{
		.procname	= "mem",
		.data		= UET_SYSCTL_OFF(mem),
		.maxlen		= sizeof(unsigned long),
		.mode		= 0644,
		.proc_handler	= proc_doulongvec_minmax,
		.extra1		= (void *)&uet_mem_min,
	},
};

/* What this machine allows for PDCs, which are not charged to anybody: more is
 * for who owns the machine
 */
static int uet_pdc_cap;

#define UET_SYSCTL_NR	(ARRAY_SIZE(uet_knobs) + ARRAY_SIZE(uet_sysctl_others))

/* Limits that follow the machine: an idle PDC pair member is about 1 KiB */
static void uet_sysctl_size(struct uet_sysctl *s)
{
	unsigned long pages = nr_free_buffer_pages();

	s->pdc_max = clamp_t(unsigned long, pages / 16, 1024, 131072);
	s->pdc_max_per_peer = max_t(u32, s->pdc_max / 4, 1024);
	s->user_pdcs = s->pdc_max / 2;
	uet_pdc_cap = s->pdc_max;
	s->mem = max(pages / 4 * PAGE_SIZE, UET_MEM_MIN);
}

/**
 * uet_sysctl_defaults() - set all tunables of a namespace
 * @un: namespace
 */
void uet_sysctl_defaults(struct uet_net *un)
{
	struct uet_sysctl *s = &un->sysctl;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(uet_knobs); i++)
		*uet_knob_place(s, &uet_knobs[i]) = uet_knobs[i].value;
	s->path_policy = uet_lb_known("hybrid");
	s->path_policy_ordered = uet_lb_known("single");
	s->congestion_control = uet_cc_known("nscc");
	s->profile = uet_profile_known("module");
	uet_sysctl_size(s);
}

static void uet_sysctl_fill(struct ctl_table *table, struct uet_sysctl *s,
			    bool own)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(uet_knobs); i++, table++) {
		const struct uet_knob *knob = &uet_knobs[i];

		table->procname = knob->name;
		table->data = uet_knob_place(s, knob);
		table->maxlen = sizeof(u32);
		table->mode = 0644;
		table->proc_handler = knob->handler;
		table->extra1 = (void *)&knob->min;
		table->extra2 = (void *)&knob->max;
		if (!own && knob->max == UET_PDC_MAX)
			table->extra2 = &uet_pdc_cap;
	}
	for (i = 0; i < ARRAY_SIZE(uet_sysctl_others); i++, table++) {
		*table = uet_sysctl_others[i];
		table->data = (void *)s + (unsigned long)table->data;
	}
}

/**
 * uet_sysctl_register() - make the tunables of a namespace visible
 * @un: namespace, ready for changes
 *
 * Return: 0 or -ENOMEM.
 */
int uet_sysctl_register(struct uet_net *un)
{
	struct ctl_table *table;

	/* The last entry stays empty for kernels that look for it */
	table = kcalloc(UET_SYSCTL_NR + 1, sizeof(*table), GFP_KERNEL_ACCOUNT);
	if (!table)
		return -ENOMEM;
	uet_sysctl_fill(table, &un->sysctl, un->net->user_ns == &init_user_ns);
	un->sysctl_header = uet_register_net_sysctl(un->net, "net/uet", table,
						    UET_SYSCTL_NR);
	if (!un->sysctl_header) {
		kfree(table);
		return -ENOMEM;
	}
	un->sysctl_table = table;
	return 0;
}

/**
 * uet_sysctl_unregister() - remove them; the values stay
 * @un: namespace
 */
void uet_sysctl_unregister(struct uet_net *un)
{
	unregister_net_sysctl_table(un->sysctl_header);
	kfree(un->sysctl_table);
}
