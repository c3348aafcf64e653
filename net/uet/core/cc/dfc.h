/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Destination flow control, destination side: the penalty and the restore
 * flag that ACKs carry when this host is the bottleneck (UE 1.0 3.6.13.2).
 *
 * Not here: what a source does with them (cc_nscc.c).
 */
#ifndef _UET_CORE_DFC_H
#define _UET_CORE_DFC_H

#include "../wire/wire.h"

#define UET_DFC_SHORT_EPISODE_RTTS	100

/**
 * struct uet_dfc - penalties sent to one source
 * @at: first penalty of the episode; after it, first ACK without one, ns
 * @length: from the first to the last penalty of the episode, units of 256 ns
 * @pend: last penalty sent, 0 outside an episode
 * @restoring: the last episode was short and ended at most one base RTT ago
 */
struct uet_dfc {
	u64 at;
	u32 length;
	u8 pend;
	bool restoring;
};

/**
 * uet_dfc_pend() - penalty for an occupancy
 * @q: occupancy, any unit
 * @lo: no penalty if @q <= @lo
 * @hi: full penalty if @q >= @hi
 *
 * Return: 0 .. %UET_PEND_MAX.
 */
u8 uet_dfc_pend(u64 q, u64 lo, u64 hi);

/**
 * uet_dfc_update() - fields for an ACK that leaves now
 * @d: state, zeroed at the start
 * @now: time, ns
 * @base_rtt: base round trip, ns
 * @pend: penalty at this moment
 * @restore: set to the restore flag
 *
 * After a short episode sources may restore their window at once: for one base
 * RTT after it ACKs carry the restore flag. A pause without ACKs after its last penalty
 * is no part of an episode.
 *
 * Return: @pend.
 */
u8 uet_dfc_update(struct uet_dfc *d, u64 now, u64 base_rtt, u8 pend,
		  bool *restore);

#endif /* _UET_CORE_DFC_H */
