/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Congestion control context, CCC (UE 1.0 3.6.12): the part that all
 * algorithms share.
 *
 * One CCC serves one or more PDCs from one local FEP to one remote FEP in one
 * traffic class. It owns the window or credit and the entropy state; PDCs own
 * reliability. The functions take events and return values; they do not send,
 * sleep, allocate or read a clock. The caller holds the CCC's lock around each
 * call.
 *
 *                    data                      can send
 *	IDLE ----------------------> ACTIVE <=================> READY
 *	  ^                            |    cannot send           |
 *	  | last ACK                   +-------------+------------+
 *	  |                                          | all sent
 *	PENDING <------------------------------------+
 *	  |                            ^
 *	  +------- data ---------------+
 *
 * Every event brings uet_ccc.state up to date; data may be sent while it is
 * %UET_CCC_READY.
 */
#ifndef _UET_CORE_CCC_H
#define _UET_CORE_CCC_H

#include "../lb/lb.h"
#include "cc_algo.h"
#include "cc_event.h"
#include "params.h"
#include "rtt.h"

/* A sample below config_base_rtt / 16 is taken for a clock error. */
#define UET_BASE_RTT_SANE_SHIFT		4

/*
 * Unless its length is configured, a run of packets that share a path is at most this
 * share of the window: of a policy that sprays, while the network shows no congestion
 * (UET_RUN_CALM_RTTS), ...
 */
#define UET_RUN_CALM_SHIFT		4
/*
 * ... and when it does. Queues are as uneven as runs are long, which costs up to 1 % of
 * the time of a permutation that fills all paths (make lab EXP=runs).
 */
#define UET_RUN_SPRAY_SHIFT		6
/* ... and of one that keeps its path anyway */
#define UET_RUN_KEEP_SHIFT		2

/* The network counts as calm after so many base RTTs without a mark, a trim or a loss.
 * A CCC that was idle for as long knows nothing of it, and begins to wait anew.
 */
#define UET_RUN_CALM_RTTS		8

/* Links of a path; each takes longer to serialise a full packet than a probe */
#define UET_PROBE_LINKS			4

/**
 * enum uet_ccc_state - state of a CCC
 * @UET_CCC_IDLE: nothing to send, nothing outstanding; may be freed
 * @UET_CCC_ACTIVE: data waits, window or credit forbids sending
 * @UET_CCC_READY: data waits and may be sent
 * @UET_CCC_PENDING: nothing to send, acknowledgments outstanding
 */
enum uet_ccc_state {
	UET_CCC_IDLE,
	UET_CCC_ACTIVE,
	UET_CCC_READY,
	UET_CCC_PENDING,
};

/* Why data waits: bits of struct uet_ccc.blocked. */
#define UET_CC_BLOCK_WINDOW	BIT(0)
#define UET_CC_BLOCK_CREDIT	BIT(1)

/**
 * struct uet_ccc_stats - counts of one CCC
 * @acks: acknowledgments
 * @marks: acknowledgments that echo an ECN mark
 * @nacks: by enum uet_nacked
 * @losses: by enum uet_loss_class
 * @sent_pkts: packets sent, retransmissions included
 * @sent_bytes: their nominal bytes
 * @rtx_pkts: retransmissions
 * @needless: of these, those whose original had arrived; counted by the caller
 * @mds: multiplicative decreases
 * @qas: quick adapts
 * @dfc_episodes: penalties begun by the destination
 * @blocked_window_ns: time data waited for the window
 * @blocked_credit_ns: time data waited for credit alone
 * @imbalance: an event took more from a counter than it held
 */
struct uet_ccc_stats {
	u64 acks;
	u64 marks;
	u64 nacks[UET_NACKED_CLASSES];
	u64 losses[UET_LOSS_CLASSES];
	u64 sent_pkts;
	u64 sent_bytes;
	u64 rtx_pkts;
	u64 needless;
	u64 mds;
	u64 qas;
	u64 dfc_episodes;
	u64 blocked_window_ns;
	u64 blocked_credit_ns;
	u64 imbalance;
};

/**
 * struct uet_ccc - congestion control context
 * @algo: algorithms
 * @params: constants; must live as long as the CCC
 * @lb: path selection, or NULL (then @default_ev is used)
 * @inflight: bytes outstanding, signed: rounding makes it slightly negative
 * @backlog: bytes announced and never sent
 * @rtx_backlog: bytes marked for retransmission
 * @waiting_rtx: packets marked for retransmission
 * @inflight_pkts: packets sent and not acknowledged, NACKed or inferred lost
 * @base_rtt: round trip without queueing, starts at the configured one, ns
 * @rtt: smoothed round trip
 * @congested: last mark, trim or loss; its creation before that, ns
 * @created: time of creation, ns
 * @blocked_since: up to when waits are in @stats, ns
 * @state_since: since when it is in its state, or its data waits for the same, ns
 * @last_credit_req: when a Credit Request was last due, ns
 * @credit_wait_since: when demand began to wait without credit, ns
 * @credit_reqs: Credit Requests due since credit last came
 * @did: UET_CC_DID_* of the last event
 * @sent_pkts: packets sent, wraps
 * @credit_told: last credit target that a packet carried, 24 bits
 * @credit_senders: CCCs of this host that request credit for waiting data, 0
 *	counts as 1; set by the caller
 * @default_ev: entropy value used without @lb
 * @run_ev: entropy value of the current run
 * @run_left: packets left in the current run
 * @run_share: packets that a run may have, as long as the window has room for them
 * @state: enum uet_ccc_state
 * @blocked: UET_CC_BLOCK_* while data waits
 * @sprayed: packets use many paths; false: one path at a time
 * @rccc: receiver credit is on
 * @heeds: feedback on entropy values goes to path selection: @sprayed, and the
 *	algorithm is not blind to it
 * @credit_since: packets sent before the count of credit began
 * @credit_anew: begin the count of credit anew, with another ccc_id
 * @heard: an ACK, NACK or credit has arrived
 * @wnd_blocked: the window held data back since the last adjustment
 * @base_known: base RTT is known from elsewhere or was probed for
 * @stats: counts
 * @window_priv: state of the window algorithm
 * @credit_priv: state of the credit algorithm
 */
struct uet_ccc {
	const struct uet_cc_algo *algo;
	const struct uet_cc_params *params;
	struct uet_lb *lb;
	s64 inflight;
	u64 backlog;
	u64 rtx_backlog;
	u32 waiting_rtx;
	u32 inflight_pkts;
	u64 base_rtt;
	struct uet_rtt_est rtt;
	u64 congested;
	u64 created;
	u64 blocked_since;
	u64 state_since;
	u64 last_credit_req;
	u64 credit_wait_since;
	u64 credit_since;
	u32 did;
	u32 sent_pkts;
	u32 credit_told;
	u32 credit_senders;
	u16 default_ev;
	u16 run_ev;
	u16 run_left;
	u16 run_share;
	u8 state;
	u8 blocked;
	bool sprayed;
	bool rccc;
	bool heeds;
	bool credit_anew;
	bool heard;
	bool wnd_blocked;
	bool base_known;
	u8 credit_reqs;
	struct uet_ccc_stats stats;
	u64 window_priv[UET_CC_WINDOW_PRIV_SIZE / sizeof(u64)];
	u64 credit_priv[UET_CC_CREDIT_PRIV_SIZE / sizeof(u64)];
};

/**
 * uet_ccc_init() - AllocateCCC
 * @c: memory of the caller, contents ignored
 * @algo: algorithms
 * @params: constants
 * @lb: path selection, initialised, or NULL
 * @sprayed: false for ROD
 * @now: time, ns
 */
void uet_ccc_init(struct uet_ccc *c, const struct uet_cc_algo *algo,
		  const struct uet_cc_params *params, struct uet_lb *lb,
		  bool sprayed, u64 now);

/**
 * uet_ccc_set_base_rtt() - start from a cached base RTT
 * @c: CCC that has sent nothing yet
 * @ns: base RTT that an earlier CCC to this peer measured
 */
void uet_ccc_set_base_rtt(struct uet_ccc *c, u64 ns);

/**
 * uet_ccc_probe_wanted() - is a Probe for the base RTT due (UE 1.0 3.6.13.7)?
 * @c: CCC
 *
 * True once, after the first feedback, if no base RTT was cached and the CCC
 * sends more than one BDP.
 *
 * Return: true if the caller should send one with the control traffic class.
 */
bool uet_ccc_probe_wanted(struct uet_ccc *c);

/**
 * uet_ccc_on_probe_rtt() - a probe was answered
 * @c: CCC
 * @now: time, ns
 * @rtt: sample, ns
 */
void uet_ccc_on_probe_rtt(struct uet_ccc *c, u64 now, u64 rtt);

/**
 * uet_ccc_probe_base_rtt() - base RTT by the round trip of a probe
 * @p: parameters of the CCC
 * @rtt: sample, ns
 *
 * The base RTT is that of a full packet, but a probe is short: add the time to
 * serialise one MTU on each link of the longest path. Samples of data packets
 * lower the result if that was too much.
 *
 * Return: ns.
 */
u64 uet_ccc_probe_base_rtt(const struct uet_cc_params *p, u64 rtt);

/**
 * uet_ccc_rebase() - uet_ccc.params was recomputed for another base RTT
 * @c: CCC
 * @now: time, ns
 */
void uet_ccc_rebase(struct uet_ccc *c, u64 now);

/**
 * uet_ccc_on_new_data() - a PDC announces data
 * @c: CCC
 * @now: time, ns
 * @bytes: nominal bytes
 */
void uet_ccc_on_new_data(struct uet_ccc *c, u64 now, u64 bytes);

/**
 * uet_ccc_may_begin() - may a packet leave at once that was not announced?
 * @c: CCC
 *
 * Return: true if it would be %UET_CCC_READY with the packet announced; false with
 * receiver credit.
 */
bool uet_ccc_may_begin(const struct uet_ccc *c);

/**
 * uet_ccc_get_send_params() - GetSendParams
 * @c: CCC
 * @ask: the packet
 * @out: filled
 *
 * The caller must send all @out->run packets and report them by
 * uet_ccc_on_send_run(), or each by uet_ccc_on_send(). AckRequest, which
 * UE 1.0 3.6.12 returns here, is uet_ccc_ack_req(), because the sender combines it
 * with rules of its own.
 */
void uet_ccc_get_send_params(struct uet_ccc *c, const struct uet_ccc_ask *ask,
			     struct uet_ccc_send *out);

/**
 * uet_ccc_ack_req() - does congestion control want an ACK of a packet?
 * @c: CCC, the packet not yet reported by uet_ccc_on_send()
 * @size: nominal size
 *
 * The sender has more reasons to set AR: retransmissions and the end of data.
 *
 * Return: true if one of the algorithms does.
 */
static inline bool uet_ccc_ack_req(const struct uet_ccc *c, u32 size)
{
	const struct uet_cc_ops *window = c->algo->window;
	const struct uet_cc_ops *credit = c->algo->credit;

	return (window && (!window->ack_request ||
			   window->ack_request(c, size))) ||
	       (credit && credit->ack_request && credit->ack_request(c, size));
}

/**
 * uet_ccc_run() - how many packets may leave as one run?
 * @c: CCC, %UET_CCC_READY
 * @now: time, ns
 * @size: nominal size of a packet
 * @max: most that the caller can send as one
 *
 * Packets of a run share an entropy value and leave back to back. A run that is a
 * large part of the window fills the queue of its path while others are empty, so
 * its length follows from the window, unless the path policy was given one. A run that
 * the window cuts short goes on later with the same value, so that values carry equal
 * parts.
 *
 * Return: number of packets, at least 1.
 */
u32 uet_ccc_run(struct uet_ccc *c, u64 now, u32 size, u32 max);

/**
 * uet_ccc_no_runs() - packets leave one by one
 * @c: CCC
 *
 * So each has an entropy value of its own again, unless runs are configured.
 */
void uet_ccc_no_runs(struct uet_ccc *c);

/**
 * uet_ccc_on_send_run() - new packets leave, in one run
 * @c: CCC
 * @now: time, ns
 * @bytes: sum of their nominal sizes
 * @pkts: their number
 * @ev: value they carry
 */
void uet_ccc_on_send_run(struct uet_ccc *c, u64 now, u32 bytes, u32 pkts,
			 u16 ev);

/**
 * uet_ccc_on_send_once() - a new packet leaves that was not announced
 * @c: CCC, uet_ccc_may_begin()
 * @now: time, ns
 * @size: nominal size
 * @ev: value it carries
 */
void uet_ccc_on_send_once(struct uet_ccc *c, u64 now, u32 size, u16 ev);

/**
 * uet_ccc_on_send() - a packet leaves
 * @c: CCC
 * @now: time, ns
 * @size: nominal size
 * @ev: value it carries
 * @rtx: retransmission
 */
void uet_ccc_on_send(struct uet_ccc *c, u64 now, u32 size, u16 ev, bool rtx);

/**
 * uet_ccc_on_ack() - an acknowledgment arrived
 * @c: CCC
 * @ack: the acknowledgment
 */
void uet_ccc_on_ack(struct uet_ccc *c, const struct uet_ccc_ack *ack);

/**
 * uet_ccc_nack_signal() - what a NACK says about the path of its packet
 * @nack: the NACK
 *
 * Return: enum uet_lb_reason.
 */
static inline u8 uet_ccc_nack_signal(const struct uet_ccc_nack *nack)
{
	switch (nack->reason) {
	case UET_NACKED_TRIMMED:
		return UET_LB_NACK;
	case UET_NACKED_LOST:
		return UET_LB_TIMEOUT;
	default:
		return nack->m ? UET_LB_ECN : UET_LB_NO_ECN;
	}
}

/**
 * uet_ccc_on_nack() - a NACK arrived
 * @c: CCC
 * @nack: the packet is outstanding and not marked for retransmission
 */
void uet_ccc_on_nack(struct uet_ccc *c, const struct uet_ccc_nack *nack);

/**
 * uet_ccc_on_go_back() - a packet behind a gap must be retransmitted
 * @c: CCC
 * @now: time, ns
 * @size: nominal size of the packet, outstanding and not marked for
 *	retransmission
 *
 * An ordered target drops every packet behind a gap. So this says nothing about
 * the network or the packet's path, neither good nor bad.
 */
void uet_ccc_on_go_back(struct uet_ccc *c, u64 now, u32 size);

/**
 * uet_ccc_on_inferred_loss() - a packet is given up as lost
 * @c: CCC
 * @loss: the packet, outstanding and not marked for retransmission
 */
void uet_ccc_on_inferred_loss(struct uet_ccc *c,
			      const struct uet_ccc_loss *loss);

/**
 * uet_ccc_on_credit() - credit arrived in an ACK or a Credit CP
 * @c: CCC
 * @now: time, ns
 * @credit: cumulative grant, 256-byte quanta, 24 bits
 */
void uet_ccc_on_credit(struct uet_ccc *c, u64 now, u32 credit);

/**
 * uet_ccc_rtx_shrinks() - a packet marked for retransmission becomes smaller
 * @c: CCC
 * @bytes: difference of its nominal sizes
 *
 * The caller calls uet_ccc_on_send() for the packet next.
 */
void uet_ccc_rtx_shrinks(struct uet_ccc *c, u32 bytes);

/**
 * uet_ccc_pdc_gone() - a PDC closed or failed
 * @c: CCC
 * @gone: what it leaves behind
 */
void uet_ccc_pdc_gone(struct uet_ccc *c, const struct uet_ccc_gone *gone);

/**
 * uet_ccc_withdraw() - announced data will not be sent
 * @c: CCC
 * @now: time, ns
 * @bytes: nominal bytes that leave the backlog
 */
void uet_ccc_withdraw(struct uet_ccc *c, u64 now, u64 bytes);

/**
 * uet_ccc_credit_req() - is a Credit Request due?
 * @c: CCC
 * @now: time, ns
 * @wait_max: longest interval that doubling leads to, ns
 * @when: set to the time to ask again, 0 if nothing waits for credit
 *
 * True while data waits, no credit is left, and no packet in flight carries the credit
 * target, nor one that waits to be sent again and needs no credit: at most once per base
 * RTT for data that no target has told of and after a loss, otherwise once per four base
 * RTTs. The interval doubles while no credit comes.
 *
 * Return: true if the caller should send one.
 */
bool uet_ccc_credit_req(struct uet_ccc *c, u64 now, u64 wait_max, u64 *when);

/**
 * uet_ccc_credit_target() - target for a Credit Request
 * @c: CCC
 *
 * Return: the 24-bit target, 0 without receiver credit.
 */
u32 uet_ccc_credit_target(const struct uet_ccc *c);

/**
 * uet_ccc_speculate() - allow one packet without credit
 * @c: CCC
 * @now: time, ns
 *
 * Used in place of a Credit Request if no PDC is established that could carry
 * one: the request that opens a PDC carries the credit target too.
 */
void uet_ccc_speculate(struct uet_ccc *c, u64 now);

/**
 * uet_ccc_credit_counts() - has the source used credit that the destination must count?
 * @c: CCC
 *
 * Return: true if so, with an algorithm whose ends have to count alike.
 */
static inline bool uet_ccc_credit_counts(const struct uet_ccc *c)
{
	return c->algo->credit && c->algo->credit->sent_once &&
	       c->stats.sent_pkts != c->credit_since;
}

/**
 * uet_ccc_credit_anew() - begin the count of credit anew
 * @c: CCC, with a ccc_id that the destination does not know
 * @now: time, ns
 */
void uet_ccc_credit_anew(struct uet_ccc *c, u64 now);

/**
 * uet_ccc_may_resend() - may a retransmission leave?
 * @c: CCC
 *
 * Return: true if so; new data may leave only while it is %UET_CCC_READY.
 */
static inline bool uet_ccc_may_resend(const struct uet_ccc *c)
{
	return c->state == UET_CCC_READY ||
	       (c->waiting_rtx && c->algo->credit &&
		c->algo->credit->sent_once &&
		!(c->blocked & UET_CC_BLOCK_WINDOW));
}

/**
 * uet_ccc_set_window() - continue with another window
 * @c: CCC
 * @now: time, ns
 * @bytes: new window, clamped to its bounds
 *
 * No effect if the algorithm has no window or a fixed one.
 */
void uet_ccc_set_window(struct uet_ccc *c, u64 now, u64 bytes);

/**
 * uet_ccc_window() - bytes allowed in flight
 * @c: CCC
 *
 * Return: window of the window algorithm, MaxWnd without one.
 */
u64 uet_ccc_window(const struct uet_ccc *c);

/**
 * uet_ccc_info() - state of the algorithms for diagnostics
 * @c: CCC
 * @info: filled
 */
void uet_ccc_info(const struct uet_ccc *c, struct uet_cc_info *info);

/**
 * uet_ccc_blocked_ns() - time data has waited, the present wait included
 * @c: CCC
 * @now: time, ns
 * @window: set to the time data waited for the window, ns
 * @credit: set to the time data waited for credit alone, ns
 */
void uet_ccc_blocked_ns(const struct uet_ccc *c, u64 now, u64 *window,
			u64 *credit);

#endif /* _UET_CORE_CCC_H */
