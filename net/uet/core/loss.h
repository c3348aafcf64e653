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
 * uet_sack_loss_age_ns() - age at which a hole below SACKs is a loss
 * @base_rtt: base round trip, ns
 * @target: target queueing delay, ns
 *
 * The age protects from reordering between paths, not the distance.
 *
 * Return: age of the last transmission in ns.
 */
u64 uet_sack_loss_age_ns(u64 base_rtt, u64 target);

#endif /* _UET_CORE_LOSS_H */
