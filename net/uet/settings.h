/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What can be set, by whom and to what: one table, which the sysctls, the rules
 * by prefix of peers and the parameters of congestion control follow.
 *
 * Here are also the structures that hold what was set. The table names their
 * fields; code reads them directly.
 */
#ifndef _UET_SETTINGS_H
#define _UET_SETTINGS_H

#include <linux/bits.h>
#include <linux/types.h>

#include "core/params.h"

/* Of the DSCP settings, above the last code point: not set; as it fits the network */
#define UET_DSCP_OFF		64
#define UET_DSCP_AUTO		65
/* Of net.uet.return_requests: by a PDC that the peer opened requests are sent never,
 * if it does so itself, or always
 */
#define UET_RETURN_NEVER	0
#define UET_RETURN_KNOWN	1
#define UET_RETURN_ALWAYS	2

/*
 * struct uet_sysctl - net.uet.* of a namespace
 *
 * Written by sysctl handlers, read locklessly with READ_ONCE(); contexts take
 * their values when they are created unless the table says that they are live.
 * Units, ranges and meanings are in the table (settings.c).
 */
struct uet_sysctl {
	/* path selection */
	u32	t_reroute;
	u32	reroute_idle_us;
	u32	congestion_threshold;
	u32	entropy_size;
	u32	spray_run;
	u32	path_stats;
	const char *path_policy;	/* names of the core's tables */
	const char *path_policy_ordered;
	/* congestion control */
	const char *congestion_control;
	u32	base_rtt_us;
	u32	target_qdelay_us;
	u32	link_mbps;
	u32	nscc_gamma;
	u32	nscc_max_md_jump;
	u32	nscc_eta;
	u32	nscc_base_shift;
	u32	nscc_base_rise_ms;
	s32	nscc_wnd_add;
	u32	nscc_wnd_follows;
	u32	nscc_fi_end;
	u32	ack_request_all;
	const char *profile;		/* that was written last */
	u32	nscc_max_wnd;
	s32	nscc_fi;
	s32	nscc_alpha;
	s32	nscc_fi_scale;
	u32	nscc_adjust_bytes;
	u32	nscc_adjust_period_us;
	u32	nscc_qa_threshold_us;
	u32	nscc_qa_gate;
	u32	nscc_clear_delay_ns;
	u32	nscc_disable_qa;
	u32	nscc_qa_loss;
	u32	nscc_idle_window;
	u32	nscc_htsim_avg;
	u32	nscc_dfc_literal;
	u32	trimming;
	u32	dscp_data;
	u32	dscp_control;
	u32	dscp_short;
	u32	short_bytes;
	u32	dscp_trimmed;
	u32	dscp_trimmed_lasthop;
	/* acknowledgements */
	u32	ack_gen_trigger;
	u32	ack_gen_min_pkt_add;
	u32	ack_per_packet;
	u32	ack_on_ecn;
	/* loss recovery */
	u32	rto_min_us;
	u32	rto_max_ms;
	u32	max_rto_retx;
	u32	max_nack_retx;
	u32	nack_retx_us;
	u32	peer_timeout_s;
	u32	orphan_timeout_s;
	u32	clear_time_us;
	u32	close_req_time_ms;
	u32	rx_msg_timeout_ms;
	/* sizes and limits */
	u32	rmem;
	u32	wmem;
	u32	mpr;
	u32	payload_mtu;
	u32	pdc_max;
	u32	pdc_max_per_peer;
	u32	pdc_psns;
	u32	pdc_idle_s;
	u32	user_eps;		/* limits of each user */
	u32	user_pdcs;
	unsigned long mem;		/* ceiling of the namespace */
	/* encapsulation */
	u32	udp_port;
	u32	data_protect;
	u32	conntrack;		/* connection tracking sees UET */
	u32	trust_jobs;		/* of peers without a rule */
	u32	guard;			/* only this module sends to udp_port */
	u32	pid_unprivileged_start;
	u32	return_requests;	/* UET_RETURN_* */
};

/* Are jobs believed that peers name? */
enum uet_trust {
	UET_TRUST_UNSET,
	UET_TRUST_NO,
	UET_TRUST_YES,
};

/**
 * struct uet_peer_params - settings of the peers with a prefix
 * @cfg: parameters that are set
 * @cc: name of the congestion control, of the core's table; NULL = not set
 * @policy: name of the path policy of unordered contexts, likewise
 * @policy_ordered: of ordered contexts
 * @trust: are the jobs of their messages believed
 */
struct uet_peer_params {
	struct uet_cc_config	cfg;
	const char		*cc;
	const char		*policy;
	const char		*policy_ordered;
	enum uet_trust		trust;
};

/**
 * enum uet_setting_kind - what a setting is, and how a namespace stores it
 * @UET_SETTING_NUMBER: a u32, or an s32 where it can be below 0
 * @UET_SETTING_BOOL: 0 or 1, a u32
 * @UET_SETTING_SIZE: an unsigned long
 * @UET_SETTING_NAME: a pointer to one of the names that are known
 */
enum uet_setting_kind {
	UET_SETTING_NUMBER,
	UET_SETTING_BOOL,
	UET_SETTING_SIZE,
	UET_SETTING_NAME,
};

/* uet_setting.scope: who may have one of his own, the last goes first */
#define UET_SCOPE_NET		BIT(0)	/* a namespace: net.uet.* */
#define UET_SCOPE_PEER		BIT(1)	/* the peers with a prefix: a rule */
#define UET_SCOPE_SOCK		BIT(2)	/* a socket: one of its options */

/* uet_setting.flags; UET_SETTING_LIVE: holds at once, also for what exists */
#define UET_SETTING_LIVE	BIT(0)
/* The default means that nothing is set: what it would be is worked out */
#define UET_SETTING_AUTO	BIT(1)
/* It has a say in the parameter it feeds, but is not just copied to it */
#define UET_SETTING_SPECIAL	BIT(2)
#define UET_SETTING_POWER_OF_2	BIT(3)
/* 0 is taken as well, though it is below the smallest value */
#define UET_SETTING_OR_ZERO	BIT(4)
/* The default follows the size of the machine; the table has none */
#define UET_SETTING_MACHINE	BIT(5)
/* The largest value does, too, for owners of other user namespaces */
#define UET_SETTING_CAPPED	BIT(6)

/* uet_setting.max of what has no largest value */
#define UET_SETTING_NO_MAX	S64_MAX

/**
 * struct uet_setting - something that can be set
 * @name: its name, in all of @scope
 * @unit: what it counts, as the manual says it
 * @help: what it is, in a line
 * @kind: what values it has
 * @scope: UET_SCOPE_*
 * @flags: UET_SETTING_*
 * @has_spec: profile "spec" sets it to @spec
 * @min: smallest value; ask uet_setting_limits()
 * @max: largest value, %UET_SETTING_NO_MAX if there is none; likewise
 * @value: default of a number
 * @spec: value of UE 1.0
 * @word: default of a name
 * @known: the lasting copy of a name that may be given, else NULL
 * @param: core parameter that it feeds if @scale is not 0
 * @scale: what a value is multiplied by to be one of @param
 * @off: its place in struct uet_sysctl, in %UET_SCOPE_NET
 * @peer_off: its place in struct uet_peer_params, in %UET_SCOPE_PEER; what feeds a
 *	parameter is kept in uet_peer_params.cfg instead
 */
struct uet_setting {
	const char		*name;
	const char		*unit;
	const char		*help;
	enum uet_setting_kind	kind;
	u8			scope;
	u8			flags;
	bool			has_spec;
	s64			min;
	s64			max;
	s64			value;
	s64			spec;
	const char		*word;
	const char		*(*known)(const char *name);
	enum uet_cc_param	param;
	u32			scale;
	size_t			off;
	size_t			peer_off;
};

/**
 * uet_setting_at() - walk the table
 * @i: from 0 on
 *
 * Return: the setting of that number, NULL behind the last one.
 */
const struct uet_setting *uet_setting_at(unsigned int i);

/**
 * uet_setting_find() - a setting by name
 * @name: its name
 * @scope: one of UET_SCOPE_*; a name may mean different things in two of them
 *
 * Return: the setting, or NULL.
 */
const struct uet_setting *uet_setting_find(const char *name, u8 scope);

/**
 * uet_setting_of_param() - the setting that is a core parameter itself
 * @param: the parameter
 *
 * Return: the one by which rules set it, NULL if they cannot.
 */
const struct uet_setting *uet_setting_of_param(enum uet_cc_param param);

/**
 * uet_setting_limits() - smallest and largest value
 * @set: a setting that is not a name
 * @min: smallest
 * @max: largest, %UET_SETTING_NO_MAX if there is none
 *
 * The limits of core parameters are the core's.
 */
void uet_setting_limits(const struct uet_setting *set, s64 *min, s64 *max);

/**
 * uet_setting_takes() - may it have a value
 * @set: a setting that is not a name
 * @value: the value
 *
 * Return: true if so.
 */
bool uet_setting_takes(const struct uet_setting *set, s64 value);

/**
 * uet_setting_read() - value in a namespace
 * @set: a setting of namespaces that is not a name
 * @s: the namespace's
 *
 * Return: the value.
 */
s64 uet_setting_read(const struct uet_setting *set, const struct uet_sysctl *s);

/**
 * uet_setting_write() - store a value that uet_setting_takes()
 * @set: a setting of namespaces that is not a name
 * @s: the namespace's
 * @value: the value
 *
 * Context: any; what else is to follow a change is the caller's business.
 */
void uet_setting_write(const struct uet_setting *set, struct uet_sysctl *s,
		       s64 value);

/**
 * uet_settings_defaults() - give each setting of a namespace its default
 * @s: the namespace's; 0 is stored where the default follows the machine
 */
void uet_settings_defaults(struct uet_sysctl *s);

/**
 * uet_settings_profile() - set what a profile has a say in
 * @s: the namespace's
 * @spec: to the values of UE 1.0, not to the defaults
 */
void uet_settings_profile(struct uet_sysctl *s, bool spec);

/**
 * uet_settings_feed() - what a namespace sets of the core's parameters
 * @s: the namespace's
 * @cfg: parameters, to which all are added that are plainly copied
 */
void uet_settings_feed(const struct uet_sysctl *s, struct uet_cc_config *cfg);

#endif /* _UET_SETTINGS_H */
