/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Arithmetic of loss inference: RTO, tail probe interval, and the age at which
 * a packet counts as lost.
 *
 * Not here: which packets are outstanding (txwin.h), and the search for lost
 * ones (txwin_scan.h).
 */
#ifndef _UET_CORE_LOSS_H
#define _UET_CORE_LOSS_H

#include "../cc/params.h"
#include "../cc/rtt.h"
#include "../env.h"

#define UET_RTO_LIMIT_NS		8000000000ULL	/* UE 1.0 range 0..8 s */
#define UET_RTO_RTTS			4
#define UET_PROBE_BUSY_RTTS		3
#define UET_PROBE_REPEAT_RTTS		5

/**
 * uet_rto_init_ns() - RTO before back-off
 * @p: parameters of the CCC
 * @est: measured round trip, may be without samples
 * @min_ns: floor
 * @max_ns: cap
 *
 * 4 * (base RTT + queueing), at least the measured srtt + 4 * deviation.
 * Queueing is the target delay, or without trimming the delay of a switch port
 * that is full up to its drop threshold.
 *
 * Return: interval in ns.
 */
u64 uet_rto_init_ns(const struct uet_cc_params *p,
		    const struct uet_rtt_est *est, u64 min_ns, u64 max_ns);

/**
 * uet_rto_backoff_ns() - interval of the n-th retry
 * @init_ns: interval of the first transmission
 * @retry: timeouts so far of this packet
 * @max_ns: cap
 *
 * Return: min(@init_ns * 2^@retry, @max_ns, %UET_RTO_LIMIT_NS).
 */
u64 uet_rto_backoff_ns(u64 init_ns, u32 retry, u64 max_ns);

/**
 * uet_tail_probe_ns() - delay of a tail probe after the last ACK
 * @base_rtt: base round trip, ns
 * @target: target queueing delay, ns
 * @backlog: more data waits
 * @repeat: a probe was sent already, and nothing has arrived since
 *
 * Return: interval in ns.
 */
static inline u64 uet_tail_probe_ns(u64 base_rtt, u64 target, bool backlog,
				    bool repeat)
{
	if (repeat)
		return UET_PROBE_REPEAT_RTTS * base_rtt;
	if (backlog)
		return UET_PROBE_BUSY_RTTS * base_rtt;
	return base_rtt + target;
}

/**
 * struct uet_reorder - reordering learned from needless retransmissions
 * @at: when @steps was last increased, ns
 * @steps: additional allowances for reordering
 * @repairs: retransmissions since then that were necessary
 */
struct uet_reorder {
	u64 at;
	u8 steps;
	u8 repairs;
};

/**
 * uet_reorder_needless() - a packet was retransmitted although it had arrived
 * @r: state of the CCC
 * @now: time, ns
 * @rtt: smoothed round trip, ns
 *
 * Adds an allowance, at most one per round trip (as RFC 8985 6.2 does).
 */
void uet_reorder_needless(struct uet_reorder *r, u64 now, u64 rtt);

/**
 * uet_reorder_repaired() - a packet was retransmitted that had been lost
 * @r: state of the CCC
 *
 * Sixteen of them in a row halve the number of allowances.
 */
void uet_reorder_repaired(struct uet_reorder *r);

/**
 * uet_loss_age_ns() - age at which an overtaken packet counts as lost
 * @p: parameters of the CCC
 * @est: measured round trip, may be without samples
 * @base_rtt: base round trip, ns
 * @newest: round trip of the packet sent last of those known to have arrived, ns
 * @steps: of struct uet_reorder
 *
 * An age, not a distance in packets, tolerates reordering between paths. A packet
 * may be later than one sent after it by as much as round trips on the paths of
 * the CCC differ. Allow max(4 * deviation, target / 2), times (steps + 1). Where
 * switches trim, a NACK reports most losses earlier; other losses may wait
 * longer.
 *
 * Return: time since the last transmission, ns.
 */
u64 uet_loss_age_ns(const struct uet_cc_params *p,
		    const struct uet_rtt_est *est, u64 base_rtt, u64 newest,
		    u32 steps);

#endif /* _UET_CORE_LOSS_H */
