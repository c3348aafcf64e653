/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Destination flow control, destination side: the penalty and the restore
 * flag that ACKs carry when this host is the bottleneck (UE 1.0 3.6.13.2).
 */
#ifndef _UET_CORE_DFC_H
#define _UET_CORE_DFC_H

#include "env.h"

#define UET_DFC_PEND_MAX		127
#define UET_DFC_SHORT_EPISODE_RTTS	100

/**
 * struct uet_dfc - penalties towards one source
 * @start: when the episode began, ns
 * @last: when the last penalty was sent, ns
 * @end: when the source was told of its end, ns
 * @pend: last penalty sent, 0 outside an episode
 * @restoring: the last episode was short and ended less than an RTT ago
 */
struct uet_dfc {
	u64 start;
	u64 last;
	u64 end;
	u8 pend;
	bool restoring;
};

/**
 * uet_dfc_pend() - penalty for an occupancy
 * @q: occupancy, any unit
 * @lo: below it there is no penalty
 * @hi: at and above it the penalty is greatest
 *
 * Return: 0 .. %UET_DFC_PEND_MAX.
 */
u8 uet_dfc_pend(u64 q, u64 lo, u64 hi);

/**
 * uet_dfc_update() - fields for an ACK that leaves now
 * @d: state, zeroed at the start
 * @now: time, ns
 * @base_rtt: base round trip, ns
 * @pend: penalty of this moment
 * @restore: set to the restore flag
 *
 * Sources may resume at once when the episode was short: for one base RTT
 * after it the ACKs say so. It lasted from the first penalty to the last; how
 * long the source had nothing to be told afterwards does not count.
 *
 * Return: @pend.
 */
u8 uet_dfc_update(struct uet_dfc *d, u64 now, u64 base_rtt, u8 pend,
		  bool *restore);

#endif /* _UET_CORE_DFC_H */
