/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Netlink attributes and statistics of the "trim" queueing discipline, an
 * output port of a packet trimming switch.
 */
#ifndef _LINUX_PKT_SCH_TRIM_H
#define _LINUX_PKT_SCH_TRIM_H

#include <linux/types.h>

/* Value of a threshold attribute that switches its feature off. */
#define TC_TRIM_OFF		0xffffffffU

/* TCA_TRIM_FLAGS */
#define TC_TRIM_F_LASTHOP	(1U << 0) /* rewrite to the last-hop DSCP */
#define TC_TRIM_F_ALL		TC_TRIM_F_LASTHOP

/* TCA_TRIM_BLACKHOLE */
enum {
	TC_TRIM_BLACKHOLE_OFF,
	TC_TRIM_BLACKHOLE_DATA,		/* the data class only */
	TC_TRIM_BLACKHOLE_ALL,
	__TC_TRIM_BLACKHOLE_END,
};

/* Attributes nested in TCA_OPTIONS. Sizes and thresholds are in bytes. */
enum {
	TCA_TRIM_UNSPEC,
	TCA_TRIM_PAD,
	TCA_TRIM_LIMIT,			/* u32, of the data class */
	TCA_TRIM_CONTROL_LIMIT,		/* u32 */
	TCA_TRIM_TRIMMED_LIMIT,		/* u32 */
	TCA_TRIM_ECN_MIN,		/* u32, TC_TRIM_OFF: no marking */
	TCA_TRIM_ECN_MAX,		/* u32, equal to the minimum: a step */
	TCA_TRIM_THRESHOLD,		/* u32, TC_TRIM_OFF: no trimming */
	TCA_TRIM_SIZE,			/* u32, kept from the IP header on */
	TCA_TRIM_DSCP_MASK,		/* u64, bit n: DSCP n is trimmable */
	TCA_TRIM_CONTROL_MASK,		/* u64, bit n: DSCP n is control */
	TCA_TRIM_DSCP_TRIMMED,		/* u8 */
	TCA_TRIM_DSCP_LASTHOP,		/* u8, DSCP of TRIMMED_LASTHOP */
	TCA_TRIM_FLAGS,			/* u32, TC_TRIM_F_* */
	TCA_TRIM_PORT,			/* u16, UDP destination port */
	TCA_TRIM_PROTO,			/* u8, IP protocol, 0: UDP only */
	TCA_TRIM_SHARE,			/* u32, percent of the link */
	TCA_TRIM_RATE64,		/* u64, bytes per second, 0: none */
	TCA_TRIM_OVERHEAD,		/* u32, per packet on the link */
	TCA_TRIM_DELAY,			/* u64, nanoseconds */
	TCA_TRIM_LOSS,			/* u32, packets per million */
	TCA_TRIM_SEED,			/* u64, of the random generators */
	TCA_TRIM_BLACKHOLE,		/* u8 */
	__TCA_TRIM_MAX,
};

#define TCA_TRIM_MAX	(__TCA_TRIM_MAX - 1)

enum {
	TC_TRIM_CONTROL,
	TC_TRIM_TRIMMED,
	TC_TRIM_DATA,
	TC_TRIM_CLASSES,
};

/**
 * struct tc_trim_class_xstats - statistics of one internal class
 * @packets: packets that left for the link
 * @bytes: their bytes
 * @drops: packets refused at the class's byte limit
 * @backlog: bytes waiting
 * @qlen: packets waiting
 * @peak: largest @backlog since the discipline was created
 * @recent_peak: largest @backlog since the statistics were last read
 */
struct tc_trim_class_xstats {
	__u64	packets;
	__u64	bytes;
	__u64	drops;
	__u32	backlog;
	__u32	qlen;
	__u32	peak;
	__u32	recent_peak;
};

/**
 * struct tc_trim_xstats - content of TCA_XSTATS, grows at its end
 * @cls: per class, indexed by TC_TRIM_CONTROL and so on
 * @trims: packets that were cut
 * @trimmed_bytes: bytes that were cut off
 * @marks: packets that got the CE code point here
 * @lost: packets dropped by random loss
 * @blackholed: packets dropped by the blackhole
 * @nomem: packets dropped because they could not be cut or segmented
 * @wait_ns: sum of the times that data packets waited in their class
 * @wait_max_ns: longest of them
 * @wire_bytes: bytes that are being serialised or propagate
 * @wire_qlen: packets in the same state
 */
struct tc_trim_xstats {
	struct tc_trim_class_xstats cls[TC_TRIM_CLASSES];
	__u64	trims;
	__u64	trimmed_bytes;
	__u64	marks;
	__u64	lost;
	__u64	blackholed;
	__u64	nomem;
	__u64	wait_ns;
	__u64	wait_max_ns;
	__u32	wire_bytes;
	__u32	wire_qlen;
};

#endif /* _LINUX_PKT_SCH_TRIM_H */
