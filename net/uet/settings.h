/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Settings: one table of name, scope and range, for the sysctls, the rules by
 * prefix of peers and the parameters of congestion control.
 *
 * The structures with the values are also here. The table names their fields; code
 * reads the fields directly.
 */
#ifndef _UET_SETTINGS_H
#define _UET_SETTINGS_H

#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/stddef.h>
#include <linux/types.h>

#include "core/cc/params.h"
#include "core/snd/snd_rules.h"

/* Values of DSCP settings above the last code point: not set; chosen by the module */
#define UET_DSCP_OFF		64
#define UET_DSCP_AUTO		65
/* Values of net.uet.udp_csum: packets have no UDP checksum; they have one, and leave in
 * runs if the device segments; they have one, and leave in runs in any case
 */
#define UET_UDP_CSUM_OFF	0
#define UET_UDP_CSUM_AUTO	1
#define UET_UDP_CSUM_ON		2
/* Values of net.uet.data_protect: packets have a CRC trailer never, always, or if the
 * peer's have one
 */
#define UET_PROTECT_NONE	0
#define UET_PROTECT_CRC		1
#define UET_PROTECT_AUTO	2
/* Values of net.uet.return_requests: send requests on PDCs that the peer opened
 * never, if the peer does the like, or always
 */
#define UET_RETURN_NEVER	0
#define UET_RETURN_KNOWN	1
#define UET_RETURN_ALWAYS	2

/*
 * struct uet_sysctl - net.uet.* of a namespace, or what a rule for peers sets of it
 *
 * Written by sysctl handlers, read without a lock by READ_ONCE(). CCCs copy values
 * when they are created, except those that the table marks live. Units, ranges and
 * meanings are in the table (settings.c).
 */
struct uet_sysctl {
	/* path selection */
	u32	t_reroute;
	u32	reroute_idle_us;
	u32	congestion_threshold;
	u32	entropy_size;
	u32	spray_run;
	u32	path_stats;
	const char *path_policy;	/* names in the core's tables */
	const char *path_policy_ordered;
	/* congestion control */
	const char *congestion_control;
	const char *encap;
	u32	base_rtt_us;
	u32	target_qdelay_us;
	u32	link_mbps;
	u32	nscc_eta;
	u32	nscc_base_shift;
	u32	nscc_base_rise_ms;
	s32	nscc_wnd_add;
	u32	nscc_wnd_follows;
	u32	nscc_fi_end;
	u32	nscc_send_below;
	const char *profile;		/* the one written last */
	u32	nscc_max_wnd;
	u32	nscc_qa_gate;
	u32	nscc_clear_delay_ns;
	u32	nscc_qa_loss;
	u32	nscc_idle_window;
	u32	tfc_cell;
	u32	tfc_overhead;
	u32	tfc_first;
	u32	tfc_buffer;
	u32	trimming;
	u32	dscp_data;
	u32	dscp_control;
	u32	dscp_short;
	u32	short_bytes;
	u32	dscp_trimmed;
	u32	dscp_trimmed_lasthop;
	/* acknowledgements */
	u32	ack_gen_trigger;
	u32	ack_per_packet;
	u32	ack_coalesce;
	u32	ack_on_ecn;
	/* loss recovery, and more of what senders go by */
	struct uet_snd_rules rules;
	u32	orphan_timeout_s;
	u32	close_req_time_ms;
	u32	rx_msg_timeout_ms;
	u32	defer_timeout_ms;
	/* sizes and limits */
	u32	rmem;
	u32	wmem;
	u32	mpr;
	u32	payload_mtu;
	u32	pdc_max;
	u32	pdc_max_per_peer;
	u32	pdc_psns;
	u32	user_eps;		/* limits per user */
	u32	user_pdcs;
	unsigned long mem;		/* limit of the namespace */
	/* encapsulation */
	u32	udp_port;
	u32	ip_protocol;
	u32	data_protect;		/* UET_PROTECT_* */
	u32	udp_csum;		/* UET_UDP_CSUM_* */
	u32	steer;			/* a PDC has a CPU */
	u32	conntrack;		/* track connections of UET packets */
	u32	trust_jobs;		/* of peers without a rule */
	u32	guard;			/* only this module sends to udp_port */
	u32	pid_unprivileged_start;
	u32	return_requests;	/* UET_RETURN_* */
	/* of rules for peers alone: what the implementation there is like */
	u32	holds;
	const char *peer_profile;	/* words of the table */
	const char *ack_form;
	u32	probes;
	u32	resend_as_error;
	u32	strict_dscp;
	u32	brief_headers;
	u32	packet_window;
};

/**
 * enum uet_ack_form - form of ACKs to a peer: a word of the table of settings
 * @UET_ACKS_CC: ACK_CC with congestion control state
 * @UET_ACKS_ZERO: ACK_CC whose state is zero
 * @UET_ACKS_PLAIN: ACK, which has no SACK, receive window or state
 */
enum uet_ack_form {
	UET_ACKS_CC,
	UET_ACKS_ZERO,
	UET_ACKS_PLAIN,
};

/**
 * enum uet_peer_kind - what a peer runs: a word of the table of settings
 * @UET_PEER_MODULE: this module
 * @UET_PEER_UE10: an endpoint that knows UE 1.0 and no rule of this module
 * @UET_PEER_FOREIGN: one that may lack what UE 1.0 leaves to the implementer, too
 */
enum uet_peer_kind {
	UET_PEER_MODULE,
	UET_PEER_UE10,
	UET_PEER_FOREIGN,
};

/* Is a value of net.uet.encap native IP? It is one of the table's words. */
static inline bool uet_encap_is_ip(const char *encap)
{
	return *encap == 'i';
}

/* Places of settings, for which struct uet_peer_params has a bit each */
#define UET_PEER_PLACES		DIV_ROUND_UP(sizeof(struct uet_sysctl), sizeof(u32))

/**
 * struct uet_peer_params - settings for the peers with a prefix
 * @val: the values
 * @set: those that have one: a bit for each place in @val
 */
struct uet_peer_params {
	struct uet_sysctl	val;
	u64			set[DIV_ROUND_UP(UET_PEER_PLACES, 64)];
};

/* Does a rule set the setting at an offset of struct uet_sysctl? */
static inline bool uet_peer_sets_at(const struct uet_peer_params *p, size_t off)
{
	return p->set[off / sizeof(u32) / 64] >> off / sizeof(u32) % 64 & 1;
}

/* Does a rule set a field of struct uet_sysctl? */
#define uet_peer_sets(_p, _f)						\
	uet_peer_sets_at(_p, offsetof(struct uet_sysctl, _f))

/**
 * enum uet_setting_kind - type of a setting, and how a namespace stores it
 * @UET_SETTING_NUMBER: a u32, or an s32 if it can be < 0
 * @UET_SETTING_BOOL: 0 or 1, a u32
 * @UET_SETTING_SIZE: an unsigned long
 * @UET_SETTING_NAME: a pointer to a known name
 */
enum uet_setting_kind {
	UET_SETTING_NUMBER,
	UET_SETTING_BOOL,
	UET_SETTING_SIZE,
	UET_SETTING_NAME,
};

/* uet_setting.scope: what can have a value of its own; a later one overrides */
#define UET_SCOPE_NET		BIT(0)	/* a namespace: net.uet.* */
#define UET_SCOPE_PEER		BIT(1)	/* the peers with a prefix: a rule */
#define UET_SCOPE_SOCK		BIT(2)	/* a socket: one of its options */

/* uet_setting.flags; UET_SETTING_LIVE: changes apply at once to existing objects */
#define UET_SETTING_LIVE	BIT(0)
/* The default means "not set": the module computes the value */
#define UET_SETTING_AUTO	BIT(1)
/* It affects the parameter it feeds, but is not just copied to it */
#define UET_SETTING_SPECIAL	BIT(2)
#define UET_SETTING_POWER_OF_2	BIT(3)
/* 0 is allowed, too, though < min */
#define UET_SETTING_OR_ZERO	BIT(4)
/* The default depends on the memory of the machine; the table has none */
#define UET_SETTING_MACHINE	BIT(5)
/* So does the largest value, outside the initial user namespace */
#define UET_SETTING_CAPPED	BIT(6)

/* uet_setting.max of a setting without a largest value */
#define UET_SETTING_NO_MAX	S64_MAX

/**
 * struct uet_setting - a setting
 * @name: its name, in all of @scope
 * @unit: its unit, as in the manual
 * @help: description in one line
 * @kind: its type
 * @scope: UET_SCOPE_*
 * @flags: UET_SETTING_*
 * @has_spec: profile "spec" sets it to @spec, or to @spec_word if it is a name
 * @min: smallest value; ask uet_setting_limits()
 * @max: largest value, %UET_SETTING_NO_MAX if there is none; likewise
 * @floor: smallest value outside the initial user namespace, 0 = @min: smaller ones
 *	would let an ordinary user have the host do more than his programs do
 * @value: default of a number
 * @spec: value of UE 1.0
 * @spec_word: the same of a name
 * @word: default of a name
 * @choice: the valid names by position, which last; NULL after the last one
 * @param: core parameter that it feeds if @scale != 0
 * @scale: factor from its value to that of @param
 * @off: offset in struct uet_sysctl
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
	s64			floor;
	s64			value;
	s64			spec;
	const char		*spec_word;
	const char		*word;
	const char		*(*choice)(unsigned int i);
	enum uet_cc_param	param;
	u32			scale;
	size_t			off;
};

/**
 * uet_setting_at() - walk the table
 * @i: index, from 0 on
 *
 * Return: the setting, NULL after the last one.
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
 * uet_setting_word() - a valid name of a setting
 * @set: a setting that is a name
 * @word: the name
 *
 * Return: the copy of it that lasts, NULL if it is not valid.
 */
const char *uet_setting_word(const struct uet_setting *set, const char *word);

/**
 * uet_setting_position() - position of a name among the valid ones
 * @set: a setting that is a name
 * @word: a valid name
 *
 * Return: its position, that is the enum of such settings; -1 if it is not valid.
 */
int uet_setting_position(const struct uet_setting *set, const char *word);

/**
 * uet_setting_limits() - smallest and largest value
 * @set: a setting that is not a name
 * @min: smallest
 * @max: largest, %UET_SETTING_NO_MAX if there is none
 */
void uet_setting_limits(const struct uet_setting *set, s64 *min, s64 *max);

/**
 * uet_setting_takes() - is a value valid for a setting?
 * @set: a setting that is not a name
 * @value: the value
 *
 * Return: true if so.
 */
bool uet_setting_takes(const struct uet_setting *set, s64 value);

/**
 * uet_setting_read() - value of a setting
 * @set: a setting that is not a name
 * @s: those of a namespace, or what a rule sets
 *
 * Return: the value.
 */
s64 uet_setting_read(const struct uet_setting *set, const struct uet_sysctl *s);

/**
 * uet_setting_write() - store a valid value
 * @set: a setting that is not a name
 * @s: those of a namespace, or what a rule sets
 * @value: the value
 *
 * Context: any. The caller takes any further action.
 */
void uet_setting_write(const struct uet_setting *set, struct uet_sysctl *s,
		       s64 value);

/**
 * uet_settings_defaults() - give each setting of a namespace its default
 * @s: the namespace's; settings with %UET_SETTING_MACHINE get 0
 */
void uet_settings_defaults(struct uet_sysctl *s);

/**
 * uet_settings_profile() - set all settings that profiles cover
 * @s: the namespace's
 * @spec: true: to the values of UE 1.0, false: to the defaults
 */
void uet_settings_profile(struct uet_sysctl *s, bool spec);

/**
 * uet_settings_overlay() - lay what a rule for peers sets over the rest
 * @s: settings of the namespace, changed in place
 * @p: the rule
 */
void uet_settings_overlay(struct uet_sysctl *s, const struct uet_peer_params *p);

/**
 * uet_settings_feed() - copy settings to core parameters
 * @s: those of the namespace and of the peer
 * @cfg: set to these, except parameters of %UET_SETTING_SPECIAL settings
 */
void uet_settings_feed(const struct uet_sysctl *s, struct uet_cc_config *cfg);

#endif /* _UET_SETTINGS_H */
