/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How far congestion in the network lowers the pace of receiver credit
 * (UE 1.0 3.6.14).
 *
 * Credit keeps the last hop free, but its sum may be more than the core of an
 * oversubscribed network carries. A source without a window does not see that, so
 * its destination does: the pace falls with the share of its packets that arrive
 * with an ECN mark, or trimmed before the last hop, and rises again without them.
 *
 * Not here: grants (rccc_pacer.c), and the window of a source that combines RCCC
 * with NSCC, which then governs the core (cc_nscc.c).
 */
#ifndef _UET_CORE_RCCC_PACE_H
#define _UET_CORE_RCCC_PACE_H

#include "../env.h"
#include "../prng.h"
#include "params.h"

/* A period is 1.5 base RTTs, +-25 % at random, so that destinations differ */
#define UET_RCCC_PERIOD(base_rtt)	((base_rtt) * 3 / 2)
/* Above this smoothed share of marked packets the pace falls */
#define UET_RCCC_MARKS_MAX	(UET_Q16_ONE * 3 / 10)
/*
 * The first step up. Steps double while nothing is marked, up to the longest: what all
 * destinations add at once comes back as marks some periods later only.
 */
#define UET_RCCC_STEP		(UET_Q16_ONE / 100)
#define UET_RCCC_STEP_MAX	(4 * UET_RCCC_STEP)
/*
 * Periods after a fall that are not judged: their packets were granted before, and wait
 * in the queues that it is to drain. Without this the pace falls several times for one
 * queue, and the core then runs empty.
 */
#define UET_RCCC_SETTLE		2
/* Least part of the line rate */
#define UET_RCCC_SCALE_MIN	(UET_Q16_ONE / 100)

/**
 * enum uet_rccc_signal - what a request says about the network it crossed
 * @UET_RCCC_NO_SIGNAL: it is a control packet, which nothing marks or trims
 * @UET_RCCC_CLEAR: no congestion
 * @UET_RCCC_MARKED: it has an ECN mark
 * @UET_RCCC_TRIMMED: it was trimmed, and not on the last hop
 */
enum uet_rccc_signal {
	UET_RCCC_NO_SIGNAL,
	UET_RCCC_CLEAR,
	UET_RCCC_MARKED,
	UET_RCCC_TRIMMED,
};

/**
 * struct uet_rccc_pace - part of the line rate that is granted
 * @end: end of the period, ns; 0 before the first packet
 * @pkts: packets of the period
 * @marks: those with a mark
 * @trims: those trimmed, and not on the last hop
 * @share: smoothed share of marked packets, Q16
 * @scale: part of the line rate, Q16
 * @step: next step up, Q16
 * @settling: periods to come that are not judged
 * @rnd: lengths of periods
 */
struct uet_rccc_pace {
	u64 end;
	u32 pkts;
	u32 marks;
	u32 trims;
	u32 share;
	u32 scale;
	u32 step;
	u8 settling;
	struct uet_prng rnd;
};

/**
 * uet_rccc_pace_init() - begin at the line rate
 * @p: pace
 * @seed: of the random lengths
 */
void uet_rccc_pace_init(struct uet_rccc_pace *p, u64 seed);

/**
 * uet_rccc_pace_rest() - forget the congestion of a load that is gone
 * @p: pace
 */
void uet_rccc_pace_rest(struct uet_rccc_pace *p);

/**
 * uet_rccc_pace_heard() - a request arrived
 * @p: pace
 * @now: time, ns
 * @base_rtt: base round trip, ns
 * @signal: enum uet_rccc_signal
 *
 * Return: true if a period ended in which the network was congested.
 */
bool uet_rccc_pace_heard(struct uet_rccc_pace *p, u64 now, u64 base_rtt,
			 u8 signal);

#endif /* _UET_CORE_RCCC_PACE_H */
