/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How an algorithm plugs into a congestion control context. It is one file: an
 * ops table, and one line in cc_algo.c.
 */
#ifndef _UET_CORE_CC_ALGO_H
#define _UET_CORE_CC_ALGO_H

#include "cc_event.h"

/* Private state of algorithms inside struct uet_ccc; checked at build time. */
#define UET_CC_WINDOW_PRIV_SIZE		192
#define UET_CC_CREDIT_PRIV_SIZE		64

#define UET_CC_NAME_MAX			16

struct uet_ccc;

/**
 * struct uet_cc_info - what an engineer wants to see of an algorithm
 * @cwnd: window, bytes; 0 without one
 * @max_wnd: its bound
 * @avg_delay: average queueing delay, ns
 * @saved_cwnd: window before the destination's penalty, 0 without one
 * @achieved: bytes received in quick adapt's current period
 * @credit: bytes of credit; meaningful with receiver credit
 * @granted: credit granted so far in 256-byte quanta, 24 bits
 * @fast: fast increase is running
 * @draining: quick adapt's old window is draining
 * @speculating: no feedback yet, speculative credit in use
 */
struct uet_cc_info {
	u64 cwnd;
	u64 max_wnd;
	u64 avg_delay;
	u64 saved_cwnd;
	u64 achieved;
	s64 credit;
	u32 granted;
	bool fast;
	bool draining;
	bool speculating;
};

/**
 * struct uet_cc_ops - how an algorithm plugs in
 * @can_send: may a packet of one MTU leave now?
 * @ack_request: should a packet of @size that leaves now ask for an ACK?
 * @on_send: a packet left; inflight holds it already
 * @on_ack: inflight has lost the released bytes already
 * @on_nack: inflight has lost the packet already
 * @on_inferred_loss: inflight has lost the packet already
 * @on_new_data: backlog has grown
 * @on_credit: credit field of an ACK or Credit CP
 * @credit_target: target to put into requests
 * @speculate: one packet may go without credit
 * @first_feedback: before the first ACK, NACK or credit is handled
 * @base_rtt_fell: uet_ccc.base_rtt is smaller than before
 * @window: bytes it allows in flight
 * @set_window: go on from another window, within its bounds
 * @info: fill what it knows of struct uet_cc_info
 * @init: start private state
 * @name: for listings
 * @priv_size: bytes of private state
 *
 * All but @can_send, @init, @info and a window's @on_ack may be NULL; that one
 * lets the base RTT follow the samples. Handlers change their own state, lower
 * the base RTT by uet_ccc_lower_base_rtt() and say what they did in uet_ccc.did;
 * counters and state are the context's.
 */
struct uet_cc_ops {
	bool (*can_send)(const struct uet_ccc *c);
	bool (*ack_request)(const struct uet_ccc *c, u32 size);
	void (*on_send)(struct uet_ccc *c, u64 now, u32 size);
	void (*on_ack)(struct uet_ccc *c, const struct uet_ccc_ack *ack);
	void (*on_nack)(struct uet_ccc *c, const struct uet_ccc_nack *nack);
	void (*on_inferred_loss)(struct uet_ccc *c,
				 const struct uet_ccc_loss *loss);
	void (*on_new_data)(struct uet_ccc *c, u64 now);
	void (*on_credit)(struct uet_ccc *c, u64 now, u32 credit);
	u32 (*credit_target)(const struct uet_ccc *c);
	void (*speculate)(struct uet_ccc *c);
	void (*first_feedback)(struct uet_ccc *c);
	void (*base_rtt_fell)(struct uet_ccc *c);
	u64 (*window)(const struct uet_ccc *c);
	void (*set_window)(struct uet_ccc *c, u64 bytes);
	void (*info)(const struct uet_ccc *c, struct uet_cc_info *info);
	void (*init)(struct uet_ccc *c, u64 now);
	const char *name;
	size_t priv_size;
};

/**
 * struct uet_cc_algo - what a context can be told to use
 * @name: as in settings
 * @window: window algorithm or NULL
 * @credit: credit algorithm or NULL
 */
struct uet_cc_algo {
	const char *name;
	const struct uet_cc_ops *window;
	const struct uet_cc_ops *credit;
};

extern const struct uet_cc_ops uet_cc_nscc;
extern const struct uet_cc_ops uet_cc_rccc;
extern const struct uet_cc_ops uet_cc_fixed;

/**
 * uet_cc_find() - algorithms by name
 * @name: "nscc", "rccc", "nscc+rccc" or "fixed", NUL-terminated
 *
 * Return: the entry or NULL.
 */
const struct uet_cc_algo *uet_cc_find(const char *name);

/**
 * uet_cc_at() - algorithms by position, for listings
 * @i: from 0
 *
 * Return: the entry, or NULL beyond the last.
 */
const struct uet_cc_algo *uet_cc_at(u32 i);

/**
 * uet_ccc_lower_base_rtt() - follow a smaller sample
 * @c: context
 * @sample: round trip, ns
 *
 * A receiver that takes packets in batches answers some sooner than it would
 * answer a lone one. A single such sample must not count for good: of flows on
 * one queue the one that had it would take more delay for queueing than the
 * others and give way to them for ever. So the base RTT follows in steps.
 *
 * Return: true if the base RTT changed.
 */
bool uet_ccc_lower_base_rtt(struct uet_ccc *c, u64 sample);

#endif /* _UET_CORE_CC_ALGO_H */
