/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Interface between a congestion control context (CCC, ccc.h) and its
 * algorithms. An algorithm is one file with an ops table, and one line in
 * cc_algo.c.
 */
#ifndef _UET_CORE_CC_ALGO_H
#define _UET_CORE_CC_ALGO_H

#include "cc_event.h"

/* Private state of algorithms inside struct uet_ccc; checked at build time. */
#define UET_CC_WINDOW_PRIV_SIZE		192
#define UET_CC_CREDIT_PRIV_SIZE		64

struct uet_ccc;

/**
 * struct uet_cc_info - state of an algorithm for diagnostics
 * @cwnd: window, bytes; 0 if the algorithm has none
 * @max_wnd: upper bound of @cwnd
 * @avg_delay: average queueing delay, ns
 * @saved_cwnd: window before the destination's penalty, 0 without a penalty
 * @achieved: bytes received in quick adapt's current period
 * @credit: bytes of credit; meaningful with receiver credit
 * @granted: credit granted so far in 256-byte quanta or in cells, 24 bits
 * @fast: fast increase is running
 * @draining: packets sent before quick adapt cut the window are still in flight
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
 * struct uet_cc_ops - what a CCC calls in an algorithm
 * @can_send: may a packet of one MTU leave now?
 * @room: while @can_send says yes: bytes that may leave before it says no
 * @ack_request: should a packet of @size that leaves now ask for an ACK? Without
 *	it, a window algorithm wants one of each packet, a credit algorithm none
 * @on_send: a packet left; already added to uet_ccc.inflight
 * @on_ack: an ACK came; the bytes it releases are already subtracted
 * @on_nack: a NACK came; its packet is already subtracted
 * @on_inferred_loss: a packet was lost; it is already subtracted
 * @on_new_data: backlog has grown
 * @on_credit: credit field of an ACK or Credit CP
 * @credit_target: credit target to put into requests
 * @speculate: allow one packet without credit
 * @base_rtt_changed: uet_ccc.base_rtt has changed
 * @window: bytes allowed in flight
 * @set_window: continue with another window, clamped to its bounds
 * @info: fill the fields of struct uet_cc_info that the algorithm has
 * @init: initialise private state
 * @name: for listings
 * @priv_size: bytes of private state
 * @sent_once: of a credit algorithm: a packet uses credit, and calls @on_send, only when
 *	it is sent first; what is sent again waits for no credit
 * @blind: of a credit algorithm: path selection ignores feedback on entropy values
 *
 * Mandatory: @can_send, @room, @init, @info, and @on_ack of a window algorithm, which
 * must lower the base RTT from the samples. Handlers change their private
 * state, lower the base RTT through uet_ccc_lower_base_rtt(), and record what
 * they did in uet_ccc.did. The counters and the state belong to the CCC.
 */
struct uet_cc_ops {
	bool (*can_send)(const struct uet_ccc *c);
	u64 (*room)(const struct uet_ccc *c);
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
	void (*base_rtt_changed)(struct uet_ccc *c);
	u64 (*window)(const struct uet_ccc *c);
	void (*set_window)(struct uet_ccc *c, u64 bytes);
	void (*info)(const struct uet_ccc *c, struct uet_cc_info *info);
	void (*init)(struct uet_ccc *c, u64 now);
	const char *name;
	size_t priv_size;
	bool sent_once;
	bool blind;
};

/**
 * struct uet_cc_algo - a choice of algorithms for a CCC
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
extern const struct uet_cc_ops uet_cc_tfc;
extern const struct uet_cc_ops uet_cc_fixed;

/**
 * uet_cc_find() - algorithms by name
 * @name: "nscc", "rccc", "nscc+rccc", "fixed" or "tfc", NUL-terminated
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
 * uet_ccc_lower_base_rtt() - lower the base RTT towards a smaller sample
 * @c: CCC
 * @sample: round trip, ns
 *
 * A receiver that takes packets in batches answers some of them sooner than it
 * would answer a lone packet. If one such sample set the base RTT, its flow
 * would see more queueing delay than other flows on the same queue, and yield
 * to them for ever. So the base RTT moves by 1 / 2^base_shift of the
 * difference.
 *
 * Return: true if the base RTT changed.
 */
bool uet_ccc_lower_base_rtt(struct uet_ccc *c, u64 sample);

#endif /* _UET_CORE_CC_ALGO_H */
