/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Settings of sch_trim: defaults, what is accepted, netlink in and out.
 */
#ifndef _TRIM_PARAMS_H
#define _TRIM_PARAMS_H

#include <linux/bits.h>
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/pkt_sch_trim.h>
#include <linux/rtnetlink.h>
#include <linux/time64.h>
#include <net/netlink.h>

#include "trim_pkt.h"

#define TRIM_LIMIT_DEFAULT		(1024 * 1024)
#define TRIM_LIMIT_AHEAD_DEFAULT	(256 * 1024)
#define TRIM_LIMIT_MAX			(1024 * 1024 * 1024)
#define TRIM_SIZE_DEFAULT		64
#define TRIM_SIZE_MIN			(sizeof(struct iphdr) + TRIM_MIN_UDP)
#define TRIM_SIZE_MAX			65535
#define TRIM_PORT_DEFAULT		4793
#define TRIM_PROTO_DEFAULT		253
#define TRIM_DSCP_DEFAULT		0
#define TRIM_DSCP_CONTROL_DEFAULT	46
#define TRIM_DSCP_TRIMMED_DEFAULT	5
#define TRIM_DSCP_LASTHOP_DEFAULT	6
#define TRIM_DSCP_MAX			63
#define TRIM_SHARE_DEFAULT		50
#define TRIM_SHARE_FULL			100
#define TRIM_RATE_MIN			1000ULL		/* bytes per second */
#define TRIM_RATE_MAX			1250000000000ULL
#define TRIM_OVERHEAD_MAX		1024
#define TRIM_DELAY_MAX			(10ULL * NSEC_PER_SEC)
#define TRIM_LOSS_FULL			1000000

/**
 * struct trim_params - settings, see the TCA_TRIM_* attributes
 * @limit: by class
 * @ecn_min: lower threshold of marking
 * @ecn_max: upper threshold of marking
 * @threshold: of trimming
 * @size: bytes kept
 * @trimmable: bit per DSCP
 * @control: bit per DSCP
 * @dscp_trimmed: set by a trimming port
 * @dscp_lasthop: set by a trimming port with TC_TRIM_F_LASTHOP
 * @flags: TC_TRIM_F_*
 * @port: UDP port of the transport
 * @proto: IP protocol of the transport
 * @blackhole: TC_TRIM_BLACKHOLE_*
 * @share: of control and trimmed together, percent
 * @overhead: bytes that each packet occupies on the link besides its own
 * @rate: bytes per second
 * @delay: of propagation, ns
 * @loss: packets per million
 * @seed: of both generators
 */
struct trim_params {
	u32	limit[TC_TRIM_CLASSES];
	u32	ecn_min;
	u32	ecn_max;
	u32	threshold;
	u32	size;
	u64	trimmable;
	u64	control;
	u8	dscp_trimmed;
	u8	dscp_lasthop;
	u8	proto;
	u8	blackhole;
	u16	port;
	u32	flags;
	u32	share;
	u32	overhead;
	u64	rate;
	u64	delay;
	u32	loss;
	u64	seed;
};

static const struct trim_params trim_params_default = {
	.limit = {
		[TC_TRIM_CONTROL] = TRIM_LIMIT_AHEAD_DEFAULT,
		[TC_TRIM_TRIMMED] = TRIM_LIMIT_AHEAD_DEFAULT,
		[TC_TRIM_DATA] = TRIM_LIMIT_DEFAULT,
	},
	.ecn_min = TC_TRIM_OFF,
	.ecn_max = TC_TRIM_OFF,
	.threshold = TC_TRIM_OFF,
	.size = TRIM_SIZE_DEFAULT,
	.trimmable = BIT_ULL(TRIM_DSCP_DEFAULT),
	.control = BIT_ULL(TRIM_DSCP_CONTROL_DEFAULT),
	.dscp_trimmed = TRIM_DSCP_TRIMMED_DEFAULT,
	.dscp_lasthop = TRIM_DSCP_LASTHOP_DEFAULT,
	.port = TRIM_PORT_DEFAULT,
	.proto = TRIM_PROTO_DEFAULT,
	.share = TRIM_SHARE_DEFAULT,
};

static const struct nla_policy trim_policy[TCA_TRIM_MAX + 1] = {
	[TCA_TRIM_LIMIT]		= { .type = NLA_U32 },
	[TCA_TRIM_CONTROL_LIMIT]	= { .type = NLA_U32 },
	[TCA_TRIM_TRIMMED_LIMIT]	= { .type = NLA_U32 },
	[TCA_TRIM_ECN_MIN]		= { .type = NLA_U32 },
	[TCA_TRIM_ECN_MAX]		= { .type = NLA_U32 },
	[TCA_TRIM_THRESHOLD]		= { .type = NLA_U32 },
	[TCA_TRIM_SIZE]			= { .type = NLA_U32 },
	[TCA_TRIM_DSCP_MASK]		= { .type = NLA_U64 },
	[TCA_TRIM_CONTROL_MASK]		= { .type = NLA_U64 },
	[TCA_TRIM_DSCP_TRIMMED]		= { .type = NLA_U8 },
	[TCA_TRIM_DSCP_LASTHOP]		= { .type = NLA_U8 },
	[TCA_TRIM_FLAGS]		= { .type = NLA_U32 },
	[TCA_TRIM_PORT]			= { .type = NLA_U16 },
	[TCA_TRIM_PROTO]		= { .type = NLA_U8 },
	[TCA_TRIM_SHARE]		= { .type = NLA_U32 },
	[TCA_TRIM_RATE64]		= { .type = NLA_U64 },
	[TCA_TRIM_OVERHEAD]		= { .type = NLA_U32 },
	[TCA_TRIM_DELAY]		= { .type = NLA_U64 },
	[TCA_TRIM_LOSS]			= { .type = NLA_U32 },
	[TCA_TRIM_SEED]			= { .type = NLA_U64 },
	[TCA_TRIM_BLACKHOLE]		= { .type = NLA_U8 },
};

static inline void trim_get_u32(struct nlattr **tb, int attr, u32 *val)
{
	if (tb[attr])
		*val = nla_get_u32(tb[attr]);
}

static inline void trim_get_u64(struct nlattr **tb, int attr, u64 *val)
{
	if (tb[attr])
		*val = nla_get_u64(tb[attr]);
}

static inline void trim_get_u8(struct nlattr **tb, int attr, u8 *val)
{
	if (tb[attr])
		*val = nla_get_u8(tb[attr]);
}

static inline void trim_params_read(struct nlattr **tb, struct trim_params *p)
{
	trim_get_u32(tb, TCA_TRIM_LIMIT, &p->limit[TC_TRIM_DATA]);
	trim_get_u32(tb, TCA_TRIM_CONTROL_LIMIT, &p->limit[TC_TRIM_CONTROL]);
	trim_get_u32(tb, TCA_TRIM_TRIMMED_LIMIT, &p->limit[TC_TRIM_TRIMMED]);
	trim_get_u32(tb, TCA_TRIM_ECN_MIN, &p->ecn_min);
	trim_get_u32(tb, TCA_TRIM_ECN_MAX, &p->ecn_max);
	trim_get_u32(tb, TCA_TRIM_THRESHOLD, &p->threshold);
	trim_get_u32(tb, TCA_TRIM_SIZE, &p->size);
	trim_get_u64(tb, TCA_TRIM_DSCP_MASK, &p->trimmable);
	trim_get_u64(tb, TCA_TRIM_CONTROL_MASK, &p->control);
	trim_get_u8(tb, TCA_TRIM_DSCP_TRIMMED, &p->dscp_trimmed);
	trim_get_u8(tb, TCA_TRIM_DSCP_LASTHOP, &p->dscp_lasthop);
	trim_get_u32(tb, TCA_TRIM_FLAGS, &p->flags);
	if (tb[TCA_TRIM_PORT])
		p->port = nla_get_u16(tb[TCA_TRIM_PORT]);
	trim_get_u8(tb, TCA_TRIM_PROTO, &p->proto);
	trim_get_u32(tb, TCA_TRIM_SHARE, &p->share);
	trim_get_u64(tb, TCA_TRIM_RATE64, &p->rate);
	trim_get_u32(tb, TCA_TRIM_OVERHEAD, &p->overhead);
	trim_get_u64(tb, TCA_TRIM_DELAY, &p->delay);
	trim_get_u32(tb, TCA_TRIM_LOSS, &p->loss);
	trim_get_u64(tb, TCA_TRIM_SEED, &p->seed);
	trim_get_u8(tb, TCA_TRIM_BLACKHOLE, &p->blackhole);
}

static inline const char *trim_check_queues(const struct trim_params *p)
{
	u32 limit = p->limit[TC_TRIM_DATA];
	int i;

	for (i = 0; i < TC_TRIM_CLASSES; i++)
		if (!p->limit[i] || p->limit[i] > TRIM_LIMIT_MAX)
			return "Limits must lie between 1 byte and 1 GiB";
	if (p->ecn_min != TC_TRIM_OFF && p->ecn_max == TC_TRIM_OFF)
		return "ECN marking needs both thresholds";
	if (p->ecn_min > p->ecn_max)
		return "ECN minimum is above the maximum";
	if (p->ecn_max != TC_TRIM_OFF && p->ecn_max > limit)
		return "ECN maximum is above the limit";
	if (p->threshold != TC_TRIM_OFF && p->threshold > limit)
		return "Trim threshold is above the limit";
	if (!p->share || p->share > TRIM_SHARE_FULL)
		return "Share must lie between 1 and 100 percent";
	return NULL;
}

static inline const char *trim_check_packets(const struct trim_params *p)
{
	u64 trimmed;

	if (p->size < TRIM_SIZE_MIN || p->size > TRIM_SIZE_MAX)
		return "Trim size must lie between 44 and 65535 bytes";
	if (p->dscp_trimmed > TRIM_DSCP_MAX || p->dscp_lasthop > TRIM_DSCP_MAX)
		return "A DSCP has 6 bits";
	if (p->dscp_trimmed == p->dscp_lasthop)
		return "DSCPs of trimmed packets must differ";
	trimmed = BIT_ULL(p->dscp_trimmed) | BIT_ULL(p->dscp_lasthop);
	if (p->trimmable & trimmed)
		return "A DSCP cannot be trimmable and trimmed";
	if (p->control & trimmed)
		return "A DSCP cannot be control and trimmed";
	if (p->control & p->trimmable)
		return "A DSCP cannot be control and trimmable";
	if (p->flags & ~TC_TRIM_F_ALL)
		return "Unknown flag";
	if (!p->port)
		return "The UDP port cannot be 0";
	switch (p->proto) {
	case IPPROTO_ICMP:
	case IPPROTO_TCP:
	case IPPROTO_UDP:
	case IPPROTO_ICMPV6:
		return "That IP protocol is taken";
	}
	return NULL;
}

static inline const char *trim_check_link(const struct trim_params *p)
{
	if (p->rate && (p->rate < TRIM_RATE_MIN || p->rate > TRIM_RATE_MAX))
		return "Rate must lie between 8 kbit/s and 10 Tbit/s";
	if (p->overhead > TRIM_OVERHEAD_MAX)
		return "Overhead is above 1024 bytes";
	if (p->delay > TRIM_DELAY_MAX)
		return "Delay is above 10 s";
	if (p->loss > TRIM_LOSS_FULL)
		return "Loss is above 100 percent";
	if (p->blackhole >= __TC_TRIM_BLACKHOLE_END)
		return "Unknown kind of blackhole";
	return NULL;
}

/**
 * trim_params_get() - change settings as a netlink request asks
 * @p: settings, changed also if the request is refused
 * @opt: TCA_OPTIONS of the request
 * @seeded: set to whether the request has a seed
 * @extack: tells why a request is refused
 *
 * Return: 0 or -EINVAL.
 */
static inline int trim_params_get(struct trim_params *p, struct nlattr *opt,
				  bool *seeded, struct netlink_ext_ack *extack)
{
	struct nlattr *tb[TCA_TRIM_MAX + 1];
	const char *bad;
	int err;

	err = nla_parse_nested(tb, TCA_TRIM_MAX, opt, trim_policy, extack);
	if (err < 0)
		return err;

	trim_params_read(tb, p);
	*seeded = tb[TCA_TRIM_SEED];

	bad = trim_check_queues(p) ?: trim_check_packets(p) ?:
	      trim_check_link(p);
	if (!bad)
		return 0;

	/* The strings are constants, which is what extack wants. */
	if (extack)
		extack->_msg = bad;
	return -EINVAL;
}

/**
 * trim_params_dump() - write settings into a dump
 * @p: settings
 * @skb: message of the dump
 *
 * Return: length of the message or -EMSGSIZE.
 */
static inline int trim_params_dump(const struct trim_params *p,
				   struct sk_buff *skb)
{
	struct nlattr *opts;

	opts = nla_nest_start(skb, TCA_OPTIONS);
	if (!opts)
		return -EMSGSIZE;

	if (nla_put_u32(skb, TCA_TRIM_LIMIT, p->limit[TC_TRIM_DATA]) ||
	    nla_put_u32(skb, TCA_TRIM_CONTROL_LIMIT,
			p->limit[TC_TRIM_CONTROL]) ||
	    nla_put_u32(skb, TCA_TRIM_TRIMMED_LIMIT,
			p->limit[TC_TRIM_TRIMMED]) ||
	    nla_put_u32(skb, TCA_TRIM_ECN_MIN, p->ecn_min) ||
	    nla_put_u32(skb, TCA_TRIM_ECN_MAX, p->ecn_max) ||
	    nla_put_u32(skb, TCA_TRIM_THRESHOLD, p->threshold) ||
	    nla_put_u32(skb, TCA_TRIM_SIZE, p->size) ||
	    nla_put_u64_64bit(skb, TCA_TRIM_DSCP_MASK, p->trimmable,
			      TCA_TRIM_PAD) ||
	    nla_put_u64_64bit(skb, TCA_TRIM_CONTROL_MASK, p->control,
			      TCA_TRIM_PAD) ||
	    nla_put_u8(skb, TCA_TRIM_DSCP_TRIMMED, p->dscp_trimmed) ||
	    nla_put_u8(skb, TCA_TRIM_DSCP_LASTHOP, p->dscp_lasthop) ||
	    nla_put_u32(skb, TCA_TRIM_FLAGS, p->flags) ||
	    nla_put_u16(skb, TCA_TRIM_PORT, p->port) ||
	    nla_put_u8(skb, TCA_TRIM_PROTO, p->proto) ||
	    nla_put_u32(skb, TCA_TRIM_SHARE, p->share) ||
	    nla_put_u64_64bit(skb, TCA_TRIM_RATE64, p->rate, TCA_TRIM_PAD) ||
	    nla_put_u32(skb, TCA_TRIM_OVERHEAD, p->overhead) ||
	    nla_put_u64_64bit(skb, TCA_TRIM_DELAY, p->delay, TCA_TRIM_PAD) ||
	    nla_put_u32(skb, TCA_TRIM_LOSS, p->loss) ||
	    nla_put_u64_64bit(skb, TCA_TRIM_SEED, p->seed, TCA_TRIM_PAD) ||
	    nla_put_u8(skb, TCA_TRIM_BLACKHOLE, p->blackhole))
		return -EMSGSIZE;

	return nla_nest_end(skb, opts);
}

#endif /* _TRIM_PARAMS_H */
