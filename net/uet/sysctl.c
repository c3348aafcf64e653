// SPDX-License-Identifier: GPL-2.0
/*
 * net.uet.*: one table per network namespace. What each knob means is in
 * Documentation/networking/uet-sysctl.rst; here are its default and range.
 */
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/swap.h>
#include <linux/sysctl.h>
#include <linux/uet.h>

#include "compat.h"
#include "core/ccc.h"
#include "core/lb.h"
#include "netns.h"

/* "Not set" of the DSCP knobs: one above the last code point */
#define UET_DSCP_OFF		64

#define UET_PAYLOAD_MTU_MIN	256
#define UET_PAYLOAD_MTU_MAX	16383	/* 14 bits of payload_length */
#define UET_PDC_MAX		(1 << 20)
#define UET_BUF_MIN		4096
#define UET_MEM_MIN		(1UL << 20)

static const unsigned long uet_mem_min = UET_MEM_MIN;

/* Numbers: X(field, default, min, max) */
#define UET_SYSCTL_NUMBERS(X)						\
	X(t_reroute, 10, 1, UET_LB_T_REROUTE_MAX)			\
	X(reroute_idle_us, 0, 0, 10000000)				\
	X(congestion_threshold, UET_LB_THRESHOLD_DEFAULT_PCT, 1, 100)	\
	X(spray_run, 1, 1, UET_LB_RUN_MAX)				\
	X(base_rtt_us, 0, 0, UET_BASE_RTT_MAX_NS / 1000)		\
	X(target_qdelay_us, 0, 0, UET_BASE_RTT_MAX_NS / 1000)		\
	X(link_mbps, 0, 0, 3200000)					\
	X(nscc_gamma, 52429, 0, UET_Q16_ONE)				\
	X(nscc_max_md_jump, 32768, UET_MAX_MD_JUMP_MIN_Q16, UET_Q16_ONE) \
	X(nscc_qa_gate, 3, 0, UET_QA_GATE_MAX)				\
	X(nscc_clear_delay_ns, 1000, 0, UET_BASE_RTT_MAX_NS)		\
	X(nscc_disable_qa, 0, 0, 1)					\
	X(nscc_idle_window, 1, 0, 1)					\
	X(nscc_htsim_avg, 0, 0, 1)					\
	X(nscc_dfc_literal, 0, 0, 1)					\
	X(trimming, 0, 0, 1)						\
	X(dscp_data, UET_DSCP_OFF, 0, UET_DSCP_OFF)			\
	X(dscp_control, UET_DSCP_OFF, 0, UET_DSCP_OFF)			\
	X(dscp_trimmed, UET_DSCP_OFF, 0, UET_DSCP_OFF)			\
	X(dscp_trimmed_lasthop, UET_DSCP_OFF, 0, UET_DSCP_OFF)		\
	X(ack_gen_trigger, 16384, 0, UET_ACK_GEN_TRIGGER_MAX)		\
	X(ack_gen_min_pkt_add, 1024, 0, 2048)				\
	X(ack_per_packet, 0, 0, 1)					\
	X(ack_on_ecn, 1, 0, 1)						\
	X(rto_min_us, 1000, 10, 8000000)				\
	X(rto_max_ms, 200, 1, 60000)					\
	X(max_rto_retx, 5, 1, 255)					\
	X(max_nack_retx, 5, 1, 255)					\
	X(nack_retx_us, 1000, 10, 8000000)				\
	X(peer_timeout_s, 30, 1, 86400)					\
	X(clear_time_us, 1000, 10, 8000000)				\
	X(close_req_time_ms, 5000, 1, 60000)				\
	X(rmem, 4 << 20, UET_BUF_MIN, 1 << 30)				\
	X(wmem, 4 << 20, UET_BUF_MIN, 1 << 30)				\
	X(mpr, 8, 1, 255)						\
	X(pdc_max, 0, 1, UET_PDC_MAX)					\
	X(pdc_max_per_peer, 0, 1, UET_PDC_MAX)				\
	X(pdc_idle_s, 60, 1, 86400)					\
	X(udp_port, UET_UDP_PORT, 1, 65535)				\
	X(data_protect, 0, 0, 1)					\
	X(pid_unprivileged_start, 16, 0, UET_PID_MAX + 1)

#define X(field, def, min, max)						\
	static int uet_min_##field = min, uet_max_##field = max;
UET_SYSCTL_NUMBERS(X)
#undef X

/* Handlers check into a copy and store it last: readers take no lock */
static int uet_sysctl_number(uet_ctl_table_p table, int write, void *buffer,
			     size_t *lenp, loff_t *ppos, u32 *value)
{
	struct ctl_table tmp = *table;
	int err;

	*value = READ_ONCE(*(u32 *)table->data);
	tmp.data = value;
	err = proc_dointvec_minmax(&tmp, write, buffer, lenp, ppos);
	return err;
}

static int uet_sysctl_u32(uet_ctl_table_p table, int write, void *buffer,
			  size_t *lenp, loff_t *ppos)
{
	u32 value;
	int err;

	err = uet_sysctl_number(table, write, buffer, lenp, ppos, &value);
	if (!err && write)
		WRITE_ONCE(*(u32 *)table->data, value);
	return err;
}

static int uet_sysctl_entropy(uet_ctl_table_p table, int write, void *buffer,
			      size_t *lenp, loff_t *ppos)
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

static int uet_sysctl_payload(uet_ctl_table_p table, int write, void *buffer,
			      size_t *lenp, loff_t *ppos)
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

/* A name that a table of the core must know */
static int uet_sysctl_name(uet_ctl_table_p table, int write, void *buffer,
			   size_t *lenp, loff_t *ppos,
			   bool (*known)(const char *name))
{
	struct ctl_table tmp = *table;
	char name[UET_NAME_MAX];
	int err;

	strscpy(name, table->data, sizeof(name));
	tmp.data = name;
	err = proc_dostring(&tmp, write, buffer, lenp, ppos);
	if (err || !write)
		return err;
	if (!known(name))
		return -EINVAL;
	strscpy_pad(table->data, name, sizeof(name));
	return 0;
}

static bool uet_cc_known(const char *name)
{
	return uet_cc_find(name);
}

static bool uet_lb_known(const char *name)
{
	return uet_lb_find(name);
}

static int uet_sysctl_cc(uet_ctl_table_p table, int write, void *buffer,
			 size_t *lenp, loff_t *ppos)
{
	return uet_sysctl_name(table, write, buffer, lenp, ppos, uet_cc_known);
}

static int uet_sysctl_lb(uet_ctl_table_p table, int write, void *buffer,
			 size_t *lenp, loff_t *ppos)
{
	return uet_sysctl_name(table, write, buffer, lenp, ppos, uet_lb_known);
}

static int uet_min_entropy = 1, uet_max_entropy = UET_LB_N_MAX;
static int uet_min_payload, uet_max_payload = UET_PAYLOAD_MTU_MAX;

/* @data is an offset in struct uet_sysctl until a namespace copies the table */
#define UET_SYSCTL(field, fn, min, max)					\
	{								\
		.procname	= #field,				\
		.data		= (void *)offsetof(struct uet_sysctl, field), \
		.maxlen		= sizeof_field(struct uet_sysctl, field), \
		.mode		= 0644,					\
		.proc_handler	= fn,					\
		.extra1		= min,					\
		.extra2		= max,					\
	}

static const struct ctl_table uet_sysctl_template[] = {
#define X(field, def, min, max)						\
	UET_SYSCTL(field, uet_sysctl_u32, &uet_min_##field, &uet_max_##field),
	UET_SYSCTL_NUMBERS(X)
#undef X
	UET_SYSCTL(entropy_size, uet_sysctl_entropy, &uet_min_entropy,
		   &uet_max_entropy),
	UET_SYSCTL(payload_mtu, uet_sysctl_payload, &uet_min_payload,
		   &uet_max_payload),
	UET_SYSCTL(path_policy, uet_sysctl_lb, NULL, NULL),
	UET_SYSCTL(path_policy_ordered, uet_sysctl_lb, NULL, NULL),
	UET_SYSCTL(congestion_control, uet_sysctl_cc, NULL, NULL),
	UET_SYSCTL(mem, proc_doulongvec_minmax, (void *)&uet_mem_min, NULL),
};

/* Limits that follow the machine: an idle PDC pair member is about 1 KiB */
static void uet_sysctl_size(struct uet_sysctl *s)
{
	unsigned long pages = nr_free_buffer_pages();

	s->pdc_max = clamp_t(unsigned long, pages / 16, 1024, 131072);
	s->pdc_max_per_peer = max_t(u32, s->pdc_max / 4, 1024);
	s->mem = max(pages / 4 * PAGE_SIZE, UET_MEM_MIN);
}

static void uet_sysctl_defaults(struct uet_sysctl *s)
{
#define X(field, def, min, max)	s->field = def;
	UET_SYSCTL_NUMBERS(X)
#undef X
	s->entropy_size = 256;
	strscpy(s->path_policy, uet_lb_find("hybrid") ? "hybrid" : "oblivious",
		sizeof(s->path_policy));
	strscpy(s->path_policy_ordered, "single",
		sizeof(s->path_policy_ordered));
	strscpy(s->congestion_control, "nscc", sizeof(s->congestion_control));
	uet_sysctl_size(s);
}

/**
 * uet_sysctl_init() - defaults and table of a namespace
 * @un: namespace
 *
 * Return: 0 or -ENOMEM.
 */
int uet_sysctl_init(struct uet_net *un)
{
	const size_t n = ARRAY_SIZE(uet_sysctl_template);
	struct ctl_table *table;
	size_t i;

	uet_sysctl_defaults(&un->sysctl);
	table = kcalloc(n + 1, sizeof(*table), GFP_KERNEL_ACCOUNT);
	if (!table)
		return -ENOMEM;
	for (i = 0; i < n; i++) {
		table[i] = uet_sysctl_template[i];
		table[i].data = (void *)&un->sysctl +
				(unsigned long)table[i].data;
	}
	un->sysctl_header = uet_register_net_sysctl(un->net, "net/uet", table,
						    n);
	if (!un->sysctl_header) {
		kfree(table);
		return -ENOMEM;
	}
	un->sysctl_table = table;
	return 0;
}

/**
 * uet_sysctl_exit() - remove the table
 * @un: namespace
 */
void uet_sysctl_exit(struct uet_net *un)
{
	unregister_net_sysctl_table(un->sysctl_header);
	kfree(un->sysctl_table);
}
