// SPDX-License-Identifier: GPL-2.0
/*
 * The table of settings. Documentation/networking/uet-sysctl.rst describes each of
 * them; tools/check/settings compares both.
 *
 * A new setting of namespaces needs a field in struct uet_sysctl, a line here and a
 * paragraph there; if it feeds a parameter of the core, nothing else.
 *
 * Not here: the sysctl handlers (ctl/ns/sysctl.c), the rules by prefix of peers
 * (link/peer_rules.c).
 */
#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/stddef.h>
#include <linux/string.h>
#include <linux/uet.h>

#include "core/cc/cc_algo.h"
#include "core/lb/lb.h"
#include "core/wire/wire.h"
#include "core/wire/wire_ses.h"
#include "settings.h"

#define NS_PER_US		1000
#define PAYLOAD_MTU_MIN		256
#define PAYLOAD_MTU_MAX		UET_SES_LEN14
/* PSNs must stay < Start_PSN + 2^31: the margin is for messages queued by then */
#define PDC_PSNS		(0x80000000U - 0x2000000)
#define PDC_MAX			1048576
#define USER_EPS_MAX		16777216	/* all endpoints of a job */
/* Longer messages are not short in any network */
#define SHORT_BYTES_MAX		65536
#define BUF_DEFAULT		(4 * 1024 * 1024)
#define BUF_MIN			4096
#define BUF_MAX			(1024 * 1024 * 1024)
#define MEM_MIN			(1024 * 1024)
#define LINK_MBPS_MAX		3200000
#define TIME_US_MAX		8000000	/* of timers, UE 1.0 configuration */
#define TIME_MS_MAX		60000
#define TIME_S_MAX		86400
#define ORPHAN_S_MAX		3600
#define RETX_MAX		255

static const char *cc_choice(unsigned int i)
{
	const struct uet_cc_algo *algo = uet_cc_at(i);

	return algo ? algo->name : NULL;
}

static const char *lb_choice(unsigned int i)
{
	const struct uet_lb_ops *ops = uet_lb_at(i);

	return ops ? ops->name : NULL;
}

static const char *profile_choice(unsigned int i)
{
	static const char * const names[] = { "module", "spec" };

	return i < ARRAY_SIZE(names) ? names[i] : NULL;
}

static const char *encap_choice(unsigned int i)
{
	static const char * const names[] = { "udp", "ip" };

	return i < ARRAY_SIZE(names) ? names[i] : NULL;
}

static const char *ack_form_choice(unsigned int i)
{
	static const char * const names[] = {
		[UET_ACKS_CC]		= "cc",
		[UET_ACKS_ZERO]		= "zero",
		[UET_ACKS_PLAIN]	= "plain",
	};

	return i < ARRAY_SIZE(names) ? names[i] : NULL;
}

static const char *peer_kind_choice(unsigned int i)
{
	static const char * const names[] = {
		[UET_PEER_MODULE]	= "module",
		[UET_PEER_UE10]		= "ue10",
		[UET_PEER_FOREIGN]	= "foreign",
	};

	return i < ARRAY_SIZE(names) ? names[i] : NULL;
}

/* Short for the table */
enum {
	NET	= UET_SCOPE_NET,
	PEER	= UET_SCOPE_PEER,
	SOCK	= UET_SCOPE_SOCK,
	LIVE	= UET_SETTING_LIVE,
	AUTO	= UET_SETTING_AUTO,
	SPECIAL	= UET_SETTING_SPECIAL,
	POW2	= UET_SETTING_POWER_OF_2,
	ZERO	= UET_SETTING_OR_ZERO,
	MACHINE	= UET_SETTING_MACHINE,
	CAPPED	= UET_SETTING_CAPPED,
};

#define NUMBER_AT(_name, _off, _scope, _flags, _unit, _value, _min, _max,	\
		  _help, ...)						\
	{								\
		.name	= _name,					\
		.unit	= _unit,					\
		.help	= _help,					\
		.kind	= UET_SETTING_NUMBER,				\
		.scope	= _scope,					\
		.flags	= _flags,					\
		.min	= _min,						\
		.max	= _max,						\
		.value	= _value,					\
		.off	= _off,						\
		__VA_ARGS__						\
	}

#define NUMBER(_f, ...)							\
	NUMBER_AT(#_f, offsetof(struct uet_sysctl, _f), __VA_ARGS__)
/* One of struct uet_snd_rules */
#define SENDER(_f, ...)							\
	NUMBER_AT(#_f, offsetof(struct uet_sysctl, rules._f), __VA_ARGS__)

#define SWITCH_AT(_name, _off, _scope, _flags, _value, _help, ...)	\
	{								\
		.name	= _name,					\
		.unit	= "boolean",					\
		.help	= _help,					\
		.kind	= UET_SETTING_BOOL,				\
		.scope	= _scope,					\
		.flags	= _flags,					\
		.max	= 1,						\
		.value	= _value,					\
		.off	= _off,						\
		__VA_ARGS__						\
	}

#define SWITCH(_f, ...)							\
	SWITCH_AT(#_f, offsetof(struct uet_sysctl, _f), __VA_ARGS__)

#define SIZE(_f, _scope, _flags, _min, _help)				\
	{								\
		.name	= #_f,						\
		.unit	= "bytes",					\
		.help	= _help,					\
		.kind	= UET_SETTING_SIZE,				\
		.scope	= _scope,					\
		.flags	= _flags,					\
		.min	= _min,						\
		.max	= UET_SETTING_NO_MAX,				\
		.off	= offsetof(struct uet_sysctl, _f),			\
	}

#define NAME_AT(_name, _f, _scope, _flags, _word, _choice, _help, ...)	\
	{								\
		.name	= _name,					\
		.unit	= "name",					\
		.help	= _help,					\
		.kind	= UET_SETTING_NAME,				\
		.scope	= _scope,					\
		.flags	= _flags,					\
		.word	= _word,					\
		.choice	= _choice,					\
		.off	= offsetof(struct uet_sysctl, _f),			\
		__VA_ARGS__						\
	}

#define NAME(_f, ...)		NAME_AT(#_f, _f, __VA_ARGS__)

#define FEEDS(_param, _scale)	.param = UET_CCP_##_param, .scale = (_scale)
#define FLOOR(_value)	.floor = (_value)
#define SPEC(_value)		.has_spec = true, .spec = (_value)
#define SPEC_WORD(_word)	.has_spec = true, .spec_word = (_word)

static const struct uet_setting uet_settings[] = {
	NAME(congestion_control, NET | PEER | SOCK, 0, "nscc", cc_choice,
	     "congestion control"),
	NAME(path_policy, NET | PEER | SOCK, 0, "hybrid", lb_choice,
	     "how packets of unordered messages are spread",
	     SPEC_WORD("oblivious")),
	NAME(path_policy_ordered, NET | PEER | SOCK, 0, "single", lb_choice,
	     "how packets of ordered messages are spread", SPEC_WORD("single")),
	NAME(profile, NET, 0, "module", profile_choice,
	     "all settings that UE 1.0 names a value for"),

	/* Path selection */
	NUMBER(entropy_size, NET | PEER, POW2, "number of entropy values", 4096,
	       1, UET_LB_N_MAX, "source ports of a context", SPEC(256)),
	NUMBER(spray_run, NET, AUTO, "packets", 0, 0, UET_LB_RUN_MAX,
	       "packets in a row with the same entropy value", SPEC(1)),
	SWITCH(path_stats, NET, LIVE, 0, "keep a history of each entropy value"),
	NUMBER(congestion_threshold, NET | PEER, 0, "percent",
	       UET_LB_THRESHOLD_DEFAULT_PCT, 1, 100,
	       "share of congested entropy values from which on none is avoided",
	       SPEC(50)),
	NUMBER(t_reroute, NET | PEER, 0, "round trips",
	       UET_LB_T_REROUTE_DEFAULT, 1, UET_LB_T_REROUTE_MAX,
	       "least time between two changes of a path", SPEC(10)),
	NUMBER(reroute_idle_us, NET, AUTO, "microseconds", 0, 0, TIME_US_MAX,
	       "idle time after which a path may change"),

	/* Congestion control */
	NUMBER(base_rtt_us, NET | PEER, AUTO | SPECIAL, "microseconds", 0, 0,
	       UET_BASE_RTT_MAX_NS / NS_PER_US,
	       "round trip of a full packet without queues",
	       FEEDS(BASE_RTT_NS, NS_PER_US)),
	NUMBER(target_qdelay_us, NET | PEER, AUTO, "microseconds", 0, 0,
	       UET_BASE_RTT_MAX_NS / NS_PER_US,
	       "queueing delay that is aimed at",
	       FEEDS(TARGET_QDELAY_NS, NS_PER_US)),
	NUMBER(link_mbps, NET | PEER, AUTO | SPECIAL, "megabits per second", 0, 0,
	       LINK_MBPS_MAX, "rate of the local port", FEEDS(RATE_MBPS, 1)),
	NUMBER(nscc_eta, NET | PEER, 0, "1/65536", UET_Q16_ONE / 4 * 3, 0,
	       UET_ETA_MAX_Q16, "additive step, packets of 100 Gb/s and 12 us",
	       FEEDS(ETA_Q16, 1), SPEC(9830)),
	NUMBER(nscc_base_shift, NET, 0, "shift", 3, 0, UET_BASE_SHIFT_MAX,
	       "share of a lower sample that the base round trip takes over",
	       FEEDS(BASE_SHIFT, 1), SPEC(0)),
	NUMBER(nscc_base_rise_ms, NET, LIVE, "milliseconds", 1000, 0, TIME_MS_MAX,
	       "time after which a base round trip that nothing meets may grow",
	       SPEC(0)),
	NUMBER(nscc_wnd_add, NET, AUTO | SPECIAL, "bytes", -1, -1, UET_WND_MAX,
	       "largest window beyond 1.5 times the bandwidth-delay product",
	       FEEDS(WND_ADD, 1), SPEC(0)),
	SWITCH(nscc_wnd_follows, NET, 0, 0,
	       "the largest window follows a configured base round trip down",
	       SPEC(1)),
	SWITCH(nscc_fi_end, NET, 0, 0,
	       "any sign of congestion ends fast increase",
	       FEEDS(FI_END, 1), SPEC(1)),
	SWITCH(nscc_send_below, NET, 0, 0,
	       "the window has to exceed what is in flight and the next packet",
	       FEEDS(SEND_BELOW, 1), SPEC(1)),
	NUMBER(nscc_max_wnd, NET | PEER, AUTO | SPECIAL, "bytes", 0, 0, UET_WND_MAX,
	       "largest window, and the first one", FEEDS(MAX_WND, 1)),
	NUMBER(nscc_qa_gate, NET, 0, "shift", UET_QA_GATE_DEFAULT, 0,
	       UET_QA_GATE_MAX, "quick adapt only below max_wnd >> this",
	       FEEDS(QA_GATE, 1)),
	NUMBER(nscc_clear_delay_ns, NET, 0, "nanoseconds",
	       UET_CLEAR_DELAY_DEFAULT_NS, 0, UET_BASE_RTT_MAX_NS,
	       "a smaller queueing delay counts as none",
	       FEEDS(CLEAR_DELAY_NS, 1)),
	SWITCH(nscc_qa_loss, NET, 0, UET_QA_LOSS_DEFAULT,
	       "losses behind a queue trigger quick adapt",
	       FEEDS(QA_LOSS, 1), SPEC(0)),
	SWITCH(nscc_idle_window, NET, 0, UET_WND_UNUSED_DEFAULT,
	       "a window that is not used does not grow",
	       FEEDS(WND_UNUSED, 1), SPEC(0)),

	NUMBER(tfc_cell, NET | PEER, 0, "bytes", UET_TFC_CELL_DEFAULT,
	       UET_TFC_CELL_MIN, UET_TFC_CELL_MAX, "size of a cell",
	       FEEDS(TFC_CELL, 1)),
	NUMBER(tfc_overhead, NET | PEER, 0, "bytes", UET_TFC_OVERHEAD_DEFAULT, 0,
	       UET_TFC_OVERHEAD_MAX,
	       "what a packet takes in cells beside its bytes",
	       FEEDS(TFC_OVERHEAD, 1)),
	NUMBER(tfc_first, NET | PEER, 0, "cells", UET_TFC_FIRST_DEFAULT, 0,
	       UET_TFC_FIRST_MAX, "cells of a new source without a grant",
	       FEEDS(TFC_FIRST, 1)),
	NUMBER(tfc_buffer, NET, LIVE | AUTO, "bytes", 0, 0, BUF_MAX,
	       "what is handed out in cells"),

	/* Trimming and traffic classes */
	SWITCH(trimming, NET | PEER, LIVE, 0,
	       "the switches cut packets instead of dropping them",
	       FEEDS(TRIMMING, 1)),
	NUMBER(dscp_data, NET | SOCK, LIVE, "code point", UET_DSCP_OFF, 0,
	       UET_DSCP_OFF, "DSCP of requests"),
	NUMBER(dscp_control, NET, LIVE, "code point", 46, 0, UET_DSCP_OFF,
	       "DSCP of acknowledgements and control packets"),
	NUMBER(dscp_short, NET, LIVE, "code point", UET_DSCP_AUTO, 0,
	       UET_DSCP_AUTO, "DSCP of short unordered messages"),
	NUMBER(short_bytes, NET, LIVE, "bytes", 4096, 0, SHORT_BYTES_MAX,
	       "longest message that is a short one"),
	NUMBER(dscp_trimmed, NET, LIVE, "code point", UET_DSCP_OFF, 0,
	       UET_DSCP_OFF, "DSCP of a trimmed packet"),
	NUMBER(dscp_trimmed_lasthop, NET, LIVE, "code point", UET_DSCP_OFF, 0,
	       UET_DSCP_OFF, "DSCP of a packet that was trimmed at its last hop"),

	/* Acknowledgements */
	NUMBER(ack_gen_trigger, NET | PEER, LIVE, "bytes",
	       UET_ACK_GEN_TRIGGER_DEFAULT, 0, UET_ACK_GEN_TRIGGER_MAX,
	       "bytes between acknowledgements", FEEDS(ACK_GEN_TRIGGER, 1),
	       SPEC(16384)),
	SENDER(ack_gen_min_pkt_add, NET, LIVE, "bytes", 1024, 0, 2048,
	       "what a smaller packet counts as", SPEC(1024)),
	SWITCH(ack_per_packet, NET | PEER, LIVE, 0, "acknowledge each packet", SPEC(0)),
	SWITCH(ack_coalesce, NET, LIVE, 1, "acknowledge a burst at its end",
	       SPEC(0)),
	SWITCH_AT("ack_request_all",
		  offsetof(struct uet_sysctl, rules.ack_request_all), NET, LIVE,
		  0, "ask for an answer wherever congestion control wants one",
		  SPEC(1)),
	SWITCH(ack_on_ecn, NET, LIVE, 1, "acknowledge each marked packet",
	       SPEC(1)),

	/* Loss recovery */
	SENDER(rto_min_us, NET, LIVE, "microseconds", 1000, 10, TIME_US_MAX,
	       "least retransmission timeout", FLOOR(1000), SPEC(1000)),
	SENDER(rto_max_ms, NET, LIVE, "milliseconds", 200, 1, TIME_MS_MAX,
	       "largest retransmission timeout of a silent peer", FLOOR(200)),
	SENDER(max_rto_retx, NET, LIVE, "count", 5, 1, RETX_MAX,
	       "timeouts in a row after which a peer may count as gone", SPEC(5)),
	SENDER(peer_timeout_s, NET, LIVE, "seconds", 30, 1, TIME_S_MAX,
	       "silence after which a peer may count as gone"),
	NUMBER(orphan_timeout_s, NET, LIVE, "seconds", 60, 1, ORPHAN_S_MAX,
	       "how long messages of a closed socket are tried in vain"),
	SENDER(max_nack_retx, NET, LIVE, "count", 5, 1, RETX_MAX,
	       "refusals in a row after which a PDC is given up", SPEC(5)),
	SENDER(nack_retx_us, NET, LIVE, "microseconds", 1000, 10, TIME_US_MAX,
	       "first pause after a refusal for shortage", FLOOR(1000), SPEC(1000)),
	SENDER(clear_time_us, NET, LIVE, "microseconds", 1000, 10, TIME_US_MAX,
	       "how long a CLEAR may wait for a request", FLOOR(1000), SPEC(1000)),
	NUMBER(close_req_time_ms, NET, LIVE, "milliseconds", 5000, 1,
	       TIME_MS_MAX, "how long a target waits to be closed", SPEC(1)),
	NUMBER(defer_timeout_ms, NET, LIVE, "milliseconds", 5000, 10,
	       TIME_MS_MAX, "pause after which a deferred message is sent again",
	       FLOOR(1000)),
	NUMBER(rx_msg_timeout_ms, NET, LIVE, "milliseconds", 5000, 0,
	       TIME_MS_MAX, "how long a silent message may be in the way"),

	/* Sizes and limits */
	NUMBER(rmem, NET | SOCK, 0, "bytes", BUF_DEFAULT, BUF_MIN, BUF_MAX,
	       "receive buffer of a new socket"),
	NUMBER(wmem, NET | SOCK, 0, "bytes", BUF_DEFAULT, BUF_MIN, BUF_MAX,
	       "send buffer of a new socket"),
	SIZE(mem, NET, LIVE | MACHINE, MEM_MIN,
	     "ceiling of message data of the namespace"),
	NUMBER(mpr, NET, 0, "128 packets", 8, 1, 255,
	       "least receive window of a PDC", SPEC(8)),
	NUMBER(payload_mtu, NET, AUTO | ZERO, "bytes", 0, PAYLOAD_MTU_MIN,
	       PAYLOAD_MTU_MAX, "payload of a full packet"),
	NUMBER(pdc_max, NET, LIVE | MACHINE | CAPPED, "count", 0, 1, PDC_MAX,
	       "PDCs of the namespace"),
	NUMBER(pdc_max_per_peer, NET, LIVE | MACHINE | CAPPED, "count", 0, 1,
	       PDC_MAX, "PDCs of a pair of addresses"),
	NUMBER(pdc_psns, NET, LIVE, "packets", PDC_PSNS, 64, PDC_PSNS,
	       "packets after which a PDC is renewed"),
	NUMBER(user_eps, NET, LIVE, "count", 2048, 1, USER_EPS_MAX,
	       "endpoints of a user"),
	NUMBER(user_pdcs, NET, LIVE | MACHINE | CAPPED, "count", 0, 1, PDC_MAX,
	       "PDCs that were opened for a user"),
	SENDER(pdc_idle_s, NET, LIVE, "seconds", 60, 1, TIME_S_MAX,
	       "time after which an unused PDC is closed"),

	/* Encapsulation and names */
	NUMBER(udp_port, NET, LIVE, "port", UET_UDP_PORT, 1, 65535,
	       "UDP port of this host and of its peers"),
	NAME(encap, NET | PEER, LIVE, "udp", encap_choice,
	     "how packets travel to peers that were not heard yet"),
	NUMBER(ip_protocol, NET, LIVE, "IP protocol", UET_IP_PROTO, UET_IP_PROTO,
	       UET_IP_PROTO_MAX, "IP protocol of packets that are not over UDP"),
	NUMBER(data_protect, NET | PEER, LIVE, "integer", UET_PROTECT_AUTO,
	       UET_PROTECT_NONE, UET_PROTECT_AUTO, "a CRC-32C in each packet"),
	NUMBER(udp_csum, NET, LIVE, "integer", UET_UDP_CSUM_AUTO,
	       UET_UDP_CSUM_OFF, UET_UDP_CSUM_ON,
	       "UDP checksums, and several packets in one buffer",
	       SPEC(UET_UDP_CSUM_OFF)),
	SWITCH(steer, NET, LIVE, 1, "one CPU handles the packets of a PDC"),
	SWITCH(conntrack, NET, LIVE, 0, "connection tracking sees packets"),
	SWITCH(guard, NET, LIVE, 1, "nobody else sends to the UDP port"),
	NUMBER(return_requests, NET, LIVE, "integer", UET_RETURN_KNOWN,
	       UET_RETURN_NEVER, UET_RETURN_ALWAYS,
	       "send by PDCs that the peer opened"),
	SWITCH(trust_jobs, NET | PEER, LIVE, 1,
	       "believe the jobs that peers name"),
	NUMBER(pid_unprivileged_start, NET, LIVE, "PIDonFEP", 16, 0,
	       UET_PID_MAX + 1, "lower ones need a capability"),

	/* What the implementation at a peer is like, for rules by prefix */
	NAME_AT("profile", peer_profile, PEER, LIVE, NULL, peer_kind_choice,
		"what the peer runs: sets those below that are not set"),
	SWITCH(holds, PEER, LIVE, 0, "it holds what is refused for shortage"),
	SWITCH(probes, PEER, LIVE, 0, "it is sent probes"),
	NAME(ack_form, PEER, LIVE, NULL, ack_form_choice,
	     "form of acknowledgements to it"),
	SWITCH(resend_as_error, PEER, LIVE, 0,
	       "resend packets of messages given up as MSG_ERROR"),
	SWITCH(strict_dscp, PEER, LIVE, 0, "no DSCPs but dscp_data and dscp_control"),
	SWITCH(brief_headers, PEER, LIVE, 0, "it takes SMALL and MEDIUM headers"),
	NUMBER(packet_window, PEER, 0, "packets", 0, 1, UET_MPR_UNIT_PSNS,
	       "most packets outstanding on a PDC to it"),
};

const struct uet_setting *uet_setting_at(unsigned int i)
{
	return i < ARRAY_SIZE(uet_settings) ? &uet_settings[i] : NULL;
}

const struct uet_setting *uet_setting_find(const char *name, u8 scope)
{
	const struct uet_setting *set;
	unsigned int i;

	for (i = 0; (set = uet_setting_at(i)); i++)
		if (set->scope & scope && !strcmp(set->name, name))
			return set;
	return NULL;
}

const char *uet_setting_word(const struct uet_setting *set, const char *word)
{
	int at = uet_setting_position(set, word);

	return at < 0 ? NULL : set->choice(at);
}

int uet_setting_position(const struct uet_setting *set, const char *word)
{
	const char *name;
	int i;

	for (i = 0; (name = set->choice(i)); i++)
		if (!strcmp(name, word))
			return i;
	return -1;
}

void uet_setting_limits(const struct uet_setting *set, s64 *min, s64 *max)
{
	*min = set->min;
	*max = set->max;
	if (set->kind == UET_SETTING_SIZE)
		*max = min_t(u64, set->max, ULONG_MAX);
}

bool uet_setting_takes(const struct uet_setting *set, s64 value)
{
	s64 min, max;

	if (!value && set->flags & ZERO)
		return true;
	uet_setting_limits(set, &min, &max);
	if (value < min || value > max)
		return false;
	return !(set->flags & POW2) || (value > 0 && !(value & (value - 1)));
}

s64 uet_setting_read(const struct uet_setting *set, const struct uet_sysctl *s)
{
	const void *place = (const void *)s + set->off;

	if (set->kind == UET_SETTING_SIZE)
		return READ_ONCE(*(const unsigned long *)place);
	if (set->min < 0)
		return READ_ONCE(*(const s32 *)place);
	return READ_ONCE(*(const u32 *)place);
}

void uet_setting_write(const struct uet_setting *set, struct uet_sysctl *s,
		       s64 value)
{
	void *place = (void *)s + set->off;

	if (set->kind == UET_SETTING_SIZE)
		WRITE_ONCE(*(unsigned long *)place, value);
	else
		WRITE_ONCE(*(u32 *)place, value);
}

void uet_settings_defaults(struct uet_sysctl *s)
{
	const struct uet_setting *set;
	unsigned int i;

	for (i = 0; (set = uet_setting_at(i)); i++) {
		if (!(set->scope & NET))
			continue;
		if (set->kind == UET_SETTING_NAME)
			*(const char **)((void *)s + set->off) =
				uet_setting_word(set, set->word);
		else
			uet_setting_write(set, s, set->value);
	}
}

void uet_settings_profile(struct uet_sysctl *s, bool spec)
{
	const struct uet_setting *set;
	const char *word;
	unsigned int i;

	for (i = 0; (set = uet_setting_at(i)); i++) {
		if (!set->has_spec)
			continue;
		if (set->kind != UET_SETTING_NAME) {
			uet_setting_write(set, s, spec ? set->spec : set->value);
			continue;
		}
		word = spec ? set->spec_word : set->word;
		WRITE_ONCE(*(const char **)((void *)s + set->off),
			   uet_setting_word(set, word));
	}
}

static size_t uet_setting_size(const struct uet_setting *set)
{
	switch (set->kind) {
	case UET_SETTING_SIZE:
		return sizeof(unsigned long);
	case UET_SETTING_NAME:
		return sizeof(const char *);
	default:
		return sizeof(u32);
	}
}

void uet_settings_overlay(struct uet_sysctl *s, const struct uet_peer_params *p)
{
	const struct uet_setting *set;
	unsigned int i;

	for (i = 0; (set = uet_setting_at(i)); i++)
		if (set->scope & PEER && uet_peer_sets_at(p, set->off))
			memcpy((void *)s + set->off,
			       (const void *)&p->val + set->off,
			       uet_setting_size(set));
}

void uet_settings_feed(const struct uet_sysctl *s, struct uet_cc_config *cfg)
{
	const struct uet_setting *set;
	unsigned int i;
	s64 value;

	for (i = 0; (set = uet_setting_at(i)); i++) {
		if (!(set->scope & NET) || !set->scale || set->flags & SPECIAL)
			continue;
		value = uet_setting_read(set, s);
		if (set->flags & AUTO && value == set->value)
			continue;
		/* In the range of the setting, so in that of the parameter */
		uet_cc_config_set(cfg, set->param, value * set->scale);
	}
}
