/* SPDX-License-Identifier: GPL-2.0 */
/*
 * State of NSCC (UE 1.0 3.6.13). Only the algorithm changes it; tests and
 * vectors look at it.
 */
#ifndef _UET_CORE_CC_NSCC_H
#define _UET_CORE_CC_NSCC_H

#include "ccc.h"

/**
 * struct uet_nscc - NSCC of one context
 * @cwnd: window, bytes
 * @max_wnd: its bound, follows the base RTT
 * @saved_cwnd: window before the destination's penalty, 0 = no penalty
 * @inc_bytes: accumulated increase in bytes squared, divided by cwnd later
 * @achieved: bytes received in the current quick adapt period
 * @received: bytes received since the last adjustment
 * @fi_count: bytes seen on a clear path
 * @to_ignore: bytes whose marks are ignored after quick adapt
 * @ignored: bytes of these seen so far
 * @qa_end: end of the quick adapt period, 0 = none open
 * @last_adjust: last additive step, ns
 * @last_dec: last multiplicative decrease, ns
 * @last_pend: last penalised ACK, ns
 * @avg_t: last sample of the average, ns
 * @avg_q8: average delay, ns x 2^8
 * @recip_base: base RTT that @recip belongs to
 * @recip: 2^64 / base RTT, rounded up
 * @calm_until: until then an ACK moves only sums and average, ns; 0 = look at
 *	everything with the next one
 * @increase_mode: fast increase is running
 * @trigger_qa: a trim asks for quick adapt
 */
struct uet_nscc {
	u64 cwnd;
	u64 calm_until;
	u64 avg_t;
	s64 avg_q8;
	u64 recip;
	u64 received;
	u64 inc_bytes;
	u64 achieved;
	u64 fi_count;
	u64 ignored;
	bool increase_mode;
	bool trigger_qa;
	u64 max_wnd;
	u64 saved_cwnd;
	u64 to_ignore;
	u64 qa_end;
	u64 last_adjust;
	u64 last_dec;
	u64 last_pend;
	u64 recip_base;
};

static inline struct uet_nscc *uet_nscc(struct uet_ccc *c)
{
	return (struct uet_nscc *)c->window_priv;
}

static inline const struct uet_nscc *uet_nscc_const(const struct uet_ccc *c)
{
	return (const struct uet_nscc *)c->window_priv;
}

#endif /* _UET_CORE_CC_NSCC_H */
