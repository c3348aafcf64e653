/* SPDX-License-Identifier: GPL-2.0 */
/*
 * State of NSCC (UE 1.0 3.6.13), in a header so that tests can read it. Only
 * cc_nscc.c writes it.
 */
#ifndef _UET_CORE_CC_NSCC_H
#define _UET_CORE_CC_NSCC_H

#include "ccc.h"

/**
 * struct uet_nscc - NSCC of one CCC
 * @cwnd: window, bytes
 * @max_wnd: upper bound of @cwnd, follows the base RTT
 * @saved_cwnd: window before the destination's penalty, 0 = no penalty
 * @inc_bytes: accumulated increase in bytes squared, divided by cwnd later
 * @achieved: bytes received in the current quick adapt period
 * @received: bytes received since the last adjustment
 * @fi_count: bytes received in a row with almost no delay, for fast increase
 * @to_ignore: bytes in flight at quick adapt, whose ECN marks are ignored
 * @ignored: bytes of @to_ignore that have arrived
 * @qa_end: end of the quick adapt period, 0 = none open
 * @last_adjust: last additive step, ns
 * @last_dec: last multiplicative decrease, ns
 * @last_pend: last ACK with a penalty, ns
 * @avg_t: last sample of the average, ns
 * @avg_q8: average delay, ns x 2^8
 * @recip_base: base RTT that @recip belongs to
 * @recip: 2^64 / base RTT, rounded up
 * @calm_until: until then ACKs take the short path of nscc_on_ack(), ns; 0 if
 *	the next ACK must check everything
 * @increase_mode: fast increase is running
 * @trigger_qa: a trim or loss requests quick adapt
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
