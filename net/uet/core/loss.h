/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Loss inference arithmetic: intervals, deadlines and thresholds. What is
 * outstanding is known to the sent-PSN scoreboard, which walks it with these
 * numbers.
 */
#ifndef _UET_CORE_LOSS_H
#define _UET_CORE_LOSS_H

#include "env.h"
#include "params.h"
#include "rtt.h"

#define UET_RTO_LIMIT_NS		8000000000ULL	/* UE 1.0 range 0..8 s */
#define UET_RTO_RTTS			4
#define UET_PROBE_BUSY_RTTS		3
#define UET_PROBE_REPEAT_RTTS		5

/**
 * uet_rto_init_ns() - RTO before back-off
 * @p: parameters of the context
 * @est: measured round trip, may be without samples
 * @min_ns: floor
 * @max_ns: cap
 *
 * Four times base RTT plus target delay (without trimming: plus the delay of
 * a port that is full to its drop threshold), raised to what was measured.
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
 * Return: init x 2^retry, at most @max_ns and %UET_RTO_LIMIT_NS.
 */
u64 uet_rto_backoff_ns(u64 init_ns, u32 retry, u64 max_ns);

/**
 * uet_tail_probe_ns() - how long after an ACK a probe looks for a lost tail
 * @base_rtt: base round trip, ns
 * @target: target queueing delay, ns
 * @backlog: more data waits
 * @repeat: a probe was sent and nothing came since
 *
 * Return: interval in ns.
 */
u64 uet_tail_probe_ns(u64 base_rtt, u64 target, bool backlog, bool repeat);

/**
 * struct uet_reorder - what needless retransmissions taught of reordering
 * @at: when the last step was taken, ns
 * @steps: allowances for reordering beyond the usual one
 * @repairs: losses that were losses since
 */
struct uet_reorder {
	u64 at;
	u8 steps;
	u8 repairs;
};

/**
 * uet_reorder_needless() - a packet was sent again that had arrived
 * @r: state of the context
 * @now: time, ns
 * @rtt: smoothed round trip, ns
 *
 * Adds an allowance, once per round trip (as RFC 8985 6.2 does).
 */
void uet_reorder_needless(struct uet_reorder *r, u64 now, u64 rtt);

/**
 * uet_reorder_repaired() - a packet that was sent again had been lost
 * @r: state of the context
 *
 * Sixteen of them halve what needless ones added.
 */
void uet_reorder_repaired(struct uet_reorder *r);

/**
 * uet_loss_age_ns() - age at which a packet that was overtaken is a loss
 * @p: parameters of the context
 * @est: measured round trip, may be without samples
 * @base_rtt: base round trip, ns
 * @newest: round trip of the packet sent last of those known to have arrived, ns
 * @steps: of struct uet_reorder
 *
 * The age protects from reordering between paths, not the distance. What was sent
 * before a packet that arrived may be late by as much as round trips on the paths
 * of the context differ: four deviations, at least half a target delay, and that
 * again for each step. Where switches trim, a NACK tells of most losses earlier;
 * what remains may wait longer.
 *
 * Return: age of the last transmission in ns.
 */
u64 uet_loss_age_ns(const struct uet_cc_params *p,
		    const struct uet_rtt_est *est, u64 base_rtt, u64 newest,
		    u32 steps);

#endif /* _UET_CORE_LOSS_H */
