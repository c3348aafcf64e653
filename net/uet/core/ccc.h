/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Congestion control context (UE 1.0 3.6.12): what is common to all
 * algorithms, and how an algorithm plugs in.
 *
 * One CCC serves one or more PDCs from one local FEP to one remote FEP in one
 * traffic class. It owns the window or credit and the entropy state; PDCs own
 * reliability. Events go in, numbers come out; nothing here sends, sleeps,
 * allocates or reads a clock. The caller holds the CCC's lock around each
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
 * Every event returns whether the context became READY or stopped being so;
 * the caller keeps its list of ready contexts by that alone.
 */
#ifndef _UET_CORE_CCC_H
#define _UET_CORE_CCC_H

#include "env.h"
#include "lb.h"
#include "params.h"
#include "rtt.h"

/* Private state of algorithms inside struct uet_ccc; checked at build time. */
#define UET_CC_WINDOW_PRIV_SIZE		192
#define UET_CC_CREDIT_PRIV_SIZE		64

#define UET_CC_NAME_MAX			16

/* A sample below config_base_rtt / 16 is taken for a clock error. */
#define UET_BASE_RTT_SANE_SHIFT		4

/**
 * enum uet_ccc_state - state of a context
 * @UET_CCC_IDLE: nothing to send, nothing outstanding; may be freed
 * @UET_CCC_ACTIVE: data waits, the algorithms forbid sending
 * @UET_CCC_READY: data waits and may be sent
 * @UET_CCC_PENDING: nothing to send, acknowledgments outstanding
 */
enum uet_ccc_state {
	UET_CCC_IDLE,
	UET_CCC_ACTIVE,
	UET_CCC_READY,
	UET_CCC_PENDING,
};

/**
 * enum uet_ccc_edge - what an event means for the list of ready contexts
 * @UET_CCC_NO_EDGE: nothing
 * @UET_CCC_NOW_READY: put it on the list
 * @UET_CCC_NOT_READY: take it off the list
 */
enum uet_ccc_edge {
	UET_CCC_NO_EDGE,
	UET_CCC_NOW_READY,
	UET_CCC_NOT_READY,
};

/**
 * enum uet_refused - what a NACK code means for congestion control
 * @UET_REFUSED_TRIMMED: trimmed inside the network
 * @UET_REFUSED_LASTHOP: trimmed on the last hop
 * @UET_REFUSED_OTHER: any other reason, no signal of the network
 * @UET_REFUSED_CLASSES: number of classes
 */
enum uet_refused {
	UET_REFUSED_TRIMMED,
	UET_REFUSED_LASTHOP,
	UET_REFUSED_OTHER,
	UET_REFUSED_CLASSES,
};

/**
 * enum uet_loss_class - how a loss was inferred, for statistics
 * @UET_LOSS_RTO: retransmission timeout
 * @UET_LOSS_OOO: out-of-order count
 * @UET_LOSS_SACK: hole below SACKed packets
 * @UET_LOSS_PROBE: tail probe
 * @UET_LOSS_GO_BACK: below the gap of an ordered PDC
 * @UET_LOSS_CLASSES: number of classes
 */
enum uet_loss_class {
	UET_LOSS_RTO,
	UET_LOSS_OOO,
	UET_LOSS_SACK,
	UET_LOSS_PROBE,
	UET_LOSS_GO_BACK,
	UET_LOSS_CLASSES,
};

/* What an event did, in the order in which it does it. */
#define UET_CC_DID_DFC		BIT(0)	/* destination's penalty applied */
#define UET_CC_DID_RESTORE	BIT(1)	/* window restored after a penalty */
#define UET_CC_DID_DFC_END	BIT(2)	/* penalty ended without restoring */
#define UET_CC_DID_NO_RTT	BIT(3)	/* no sample, counters only */
#define UET_CC_DID_IGNORE	BIT(4)	/* quick adapt's old window drains */
#define UET_CC_DID_QA		BIT(5)	/* quick adapt set the window */
#define UET_CC_DID_FAIR		BIT(6)	/* fair increase */
#define UET_CC_DID_PROP		BIT(7)	/* proportional increase */
#define UET_CC_DID_FAST		BIT(8)	/* fast increase */
#define UET_CC_DID_HOLD		BIT(9)	/* marked at low delay: nothing */
#define UET_CC_DID_MD		BIT(10)	/* multiplicative decrease */
#define UET_CC_DID_MD_GATED	BIT(11)	/* decrease wanted, not allowed yet */
#define UET_CC_DID_ETA		BIT(12)	/* additive step */
#define UET_CC_DID_ADJ		BIT(13)	/* accumulated change applied */
#define UET_CC_DID_NACK_DEC	BIT(14)	/* one packet less for a trim */
#define UET_CC_DID_LOSS_DEC	BIT(15)	/* one packet less for a loss */
#define UET_CC_DID_UNUSED	BIT(16)	/* no increase, window not in use */
#define UET_CC_DID_CREDIT	BIT(17)	/* credit was added */
#define UET_CC_DID_BASE_RTT	BIT(18)	/* base RTT fell */

/* Why data waits: bits of struct uet_ccc.blocked. */
#define UET_CC_BLOCK_WINDOW	BIT(0)
#define UET_CC_BLOCK_CREDIT	BIT(1)

/**
 * struct uet_ccc_ack - an acknowledgment, as congestion control sees it
 * @now: arrival, ns
 * @rtt: sample of the packet named by ack_psn, ns, if @rtt_valid
 * @newly_rcvd_bytes: bytes it releases (rcvd_bytes of its PDC)
 * @newly_acked_pkts: packets newly acknowledged that were not marked for
 *	retransmission
 * @unmarked_pkts: packets newly acknowledged that were marked
 * @unmarked_bytes: their nominal bytes
 * @ev: echoed entropy value
 * @m: echoed ECN mark
 * @pend: rcvr_cwnd_pend, 0..127
 * @restore: rc flag
 * @rtt_valid: @rtt holds a sample
 * @siblings: enum uet_lb_siblings; leave 0 unless contexts are coordinated
 */
struct uet_ccc_ack {
	u64 now;
	u64 rtt;
	u32 newly_rcvd_bytes;
	u32 newly_acked_pkts;
	u32 unmarked_pkts;
	u64 unmarked_bytes;
	u16 ev;
	bool m;
	u8 pend;
	bool restore;
	bool rtt_valid;
	u8 siblings;
};

/**
 * struct uet_ccc_nack - a NACK for a packet that is outstanding and unmarked
 * @now: arrival, ns
 * @rtt: sample, ns, if @rtt_valid (service time 0)
 * @size: nominal size of the packet
 * @ev: echoed entropy value
 * @m: ECN mark of the packet as it arrived
 * @reason: enum uet_refused
 * @rtt_valid: @rtt holds a sample
 * @siblings: enum uet_lb_siblings
 */
struct uet_ccc_nack {
	u64 now;
	u64 rtt;
	u32 size;
	u16 ev;
	bool m;
	u8 reason;
	bool rtt_valid;
	u8 siblings;
};

/**
 * struct uet_ccc_loss - an inferred loss
 * @now: time, ns
 * @size: nominal size of the packet
 * @ev: value recorded at its last transmission
 * @how: enum uet_loss_class
 */
struct uet_ccc_loss {
	u64 now;
	u32 size;
	u16 ev;
	u8 how;
};

/**
 * struct uet_ccc_gone - what a closed or failed PDC leaves behind
 * @now: time, ns
 * @backlog: its bytes never sent
 * @rtx_bytes: bytes of its packets marked for retransmission
 * @inflight_bytes: bytes of its packets outstanding and unmarked
 * @rtx_pkts: its packets marked
 * @inflight_pkts: its packets outstanding and unmarked
 */
struct uet_ccc_gone {
	u64 now;
	u64 backlog;
	u64 rtx_bytes;
	u64 inflight_bytes;
	u32 rtx_pkts;
	u32 inflight_pkts;
};

/**
 * struct uet_ccc_ask - the packet GetSendParams is asked about
 * @now: time, ns
 * @size: nominal size
 * @want: packets in a row the caller would send, at least 1
 * @prev_ev: value of the last transmission, if @rtx
 * @rtx: retransmission
 */
struct uet_ccc_ask {
	u64 now;
	u32 size;
	u16 want;
	u16 prev_ev;
	bool rtx;
};

/**
 * struct uet_ccc_send - answer of GetSendParams
 * @credit_target: 24-bit target for the request's CC word, if @has_target
 * @ev: entropy value
 * @run: packets it is good for, 1 .. uet_ccc_ask.want
 * @ack_req: set AR
 * @has_target: the context uses receiver credit
 */
struct uet_ccc_send {
	u32 credit_target;
	u16 ev;
	u16 run;
	bool ack_req;
	bool has_target;
};

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
 * struct uet_ccc_stats - counts of one context
 * @acks: acknowledgments
 * @marks: of these marked
 * @nacks: by enum uet_refused
 * @losses: by enum uet_loss_class
 * @sent_pkts: packets sent, retransmissions included
 * @sent_bytes: their nominal bytes
 * @rtx_pkts: retransmissions
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
	u64 nacks[UET_REFUSED_CLASSES];
	u64 losses[UET_LOSS_CLASSES];
	u64 sent_pkts;
	u64 sent_bytes;
	u64 rtx_pkts;
	u64 mds;
	u64 qas;
	u64 dfc_episodes;
	u64 blocked_window_ns;
	u64 blocked_credit_ns;
	u64 imbalance;
};

struct uet_ccc;

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
 * @info: fill what it knows of struct uet_cc_info
 * @init: start private state
 * @name: for listings
 * @priv_size: bytes of private state
 *
 * All but @can_send, @init and @info may be NULL. Handlers change their own
 * state, lower the base RTT by uet_ccc_lower_base_rtt() and say what they did
 * in uet_ccc.did; counters and state are the context's.
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

/**
 * struct uet_ccc - congestion control context
 * @algo: algorithms
 * @params: constants; the caller keeps them alive as long as the context
 * @lb: path selection, or NULL (then @default_ev is used)
 * @inflight: bytes outstanding, signed: rounding makes it slightly negative
 * @backlog: bytes announced and never sent
 * @rtx_backlog: bytes marked for retransmission
 * @waiting_rtx: packets marked for retransmission
 * @inflight_pkts: packets sent and not acknowledged, refused or inferred lost
 * @base_rtt: smallest round trip seen, starts at the configured one, ns
 * @rtt: smoothed round trip
 * @created: time of creation, ns
 * @blocked_since: when data began to wait, ns
 * @last_credit_req: when a Credit Request was last due, ns
 * @credit_wait_since: when demand began to wait without credit, ns
 * @credit_reqs: Credit Requests due since credit last came
 * @did: UET_CC_DID_* of the last event
 * @sent_pkts: packets sent, wraps
 * @port_share: contexts sending on this port, 0 counts as 1; the caller's
 * @default_ev: value used without @lb
 * @run_ev: value being used in a run
 * @run_left: packets left of it
 * @state: enum uet_ccc_state
 * @blocked: UET_CC_BLOCK_* while data waits
 * @sprayed: false: one path at a time, feedback is evidence only
 * @rccc: receiver credit is on
 * @heard: there was feedback
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
	u64 created;
	u64 blocked_since;
	u64 last_credit_req;
	u64 credit_wait_since;
	u32 did;
	u32 sent_pkts;
	u32 port_share;
	u16 default_ev;
	u16 run_ev;
	u16 run_left;
	u8 state;
	u8 blocked;
	bool sprayed;
	bool rccc;
	bool heard;
	bool wnd_blocked;
	bool base_known;
	u8 credit_reqs;
	struct uet_ccc_stats stats;
	u64 window_priv[UET_CC_WINDOW_PRIV_SIZE / sizeof(u64)];
	u64 credit_priv[UET_CC_CREDIT_PRIV_SIZE / sizeof(u64)];
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
 * @c: context, nothing sent yet
 * @ns: what an earlier context to this peer found
 */
void uet_ccc_set_base_rtt(struct uet_ccc *c, u64 ns);

/**
 * uet_ccc_probe_wanted() - is a Probe for the base RTT due (UE 1.0 3.6.13.7)?
 * @c: context
 *
 * True once, after the first feedback, if the base RTT is not known from
 * elsewhere and more data will follow the second round trip.
 *
 * Return: true if the caller is to send one with the control traffic class.
 */
bool uet_ccc_probe_wanted(struct uet_ccc *c);

/**
 * uet_ccc_on_probe_rtt() - a probe was answered
 * @c: context
 * @now: time, ns
 * @rtt: sample, ns
 *
 * Return: list change.
 */
enum uet_ccc_edge uet_ccc_on_probe_rtt(struct uet_ccc *c, u64 now, u64 rtt);

/**
 * uet_ccc_on_new_data() - a PDC announces data
 * @c: context
 * @now: time, ns
 * @bytes: nominal bytes
 *
 * Return: list change.
 */
enum uet_ccc_edge uet_ccc_on_new_data(struct uet_ccc *c, u64 now, u64 bytes);

/**
 * uet_ccc_get_send_params() - GetSendParams
 * @c: context
 * @ask: the packet
 * @out: filled
 *
 * Packets of the run count as given: whoever asks sends them, each reported
 * by uet_ccc_on_send(). AR is decided for the first; later packets of a run
 * ask uet_ccc_ack_req().
 */
void uet_ccc_get_send_params(struct uet_ccc *c, const struct uet_ccc_ask *ask,
			     struct uet_ccc_send *out);

/**
 * uet_ccc_ack_req() - should a packet that is about to leave set AR?
 * @c: context, the packet not yet reported by uet_ccc_on_send()
 * @size: nominal size
 * @rtx: retransmission
 *
 * AckRequest of the algorithm, retransmissions, and the last packet waiting.
 *
 * Return: true if so.
 */
bool uet_ccc_ack_req(const struct uet_ccc *c, u32 size, bool rtx);

/**
 * uet_ccc_on_send() - a packet leaves
 * @c: context
 * @now: time, ns
 * @size: nominal size
 * @ev: value it carries
 * @rtx: retransmission
 *
 * Return: list change.
 */
enum uet_ccc_edge uet_ccc_on_send(struct uet_ccc *c, u64 now, u32 size, u16 ev,
				  bool rtx);

/**
 * uet_ccc_on_ack() - an acknowledgment arrived
 * @c: context
 * @ack: what it says
 *
 * Return: list change.
 */
enum uet_ccc_edge uet_ccc_on_ack(struct uet_ccc *c,
				 const struct uet_ccc_ack *ack);

/**
 * uet_ccc_on_nack() - a NACK arrived
 * @c: context
 * @nack: what it says; the packet is outstanding and not marked
 *
 * Return: list change.
 */
enum uet_ccc_edge uet_ccc_on_nack(struct uet_ccc *c,
				  const struct uet_ccc_nack *nack);

/**
 * uet_ccc_on_inferred_loss() - a packet is given up as lost
 * @c: context
 * @loss: the packet, outstanding and not marked
 *
 * Return: list change.
 */
enum uet_ccc_edge uet_ccc_on_inferred_loss(struct uet_ccc *c,
					   const struct uet_ccc_loss *loss);

/**
 * uet_ccc_on_credit() - credit arrived in an ACK or a Credit CP
 * @c: context
 * @now: time, ns
 * @credit: cumulative grant, 256-byte quanta, 24 bits
 *
 * Return: list change.
 */
enum uet_ccc_edge uet_ccc_on_credit(struct uet_ccc *c, u64 now, u32 credit);

/**
 * uet_ccc_pdc_gone() - a PDC closed or failed
 * @c: context
 * @gone: what it leaves behind
 *
 * Return: list change.
 */
enum uet_ccc_edge uet_ccc_pdc_gone(struct uet_ccc *c,
				   const struct uet_ccc_gone *gone);

/**
 * uet_ccc_withdraw() - announced data will not be sent
 * @c: context
 * @now: time, ns
 * @bytes: nominal bytes that leave the backlog
 *
 * Return: list change.
 */
enum uet_ccc_edge uet_ccc_withdraw(struct uet_ccc *c, u64 now, u64 bytes);

/**
 * uet_ccc_credit_req() - is a Credit Request due?
 * @c: context
 * @now: time, ns
 * @when: set to the time to ask again, 0 if nothing waits for credit
 *
 * True at most once per base RTT after a loss, and once per four base RTTs
 * without credit, while data waits, no credit is left and nothing is in
 * flight to carry the target. The interval doubles while no credit comes.
 *
 * Return: true if the caller is to send one.
 */
bool uet_ccc_credit_req(struct uet_ccc *c, u64 now, u64 *when);

/**
 * uet_ccc_credit_target() - target for a Credit Request
 * @c: context
 *
 * Return: the 24-bit target, 0 without receiver credit.
 */
u32 uet_ccc_credit_target(const struct uet_ccc *c);

/**
 * uet_ccc_speculate() - let one packet go without credit
 * @c: context
 * @now: time, ns
 *
 * In place of a Credit Request, where no PDC is established that could carry
 * one: the request that opens a PDC carries the target too.
 *
 * Return: list change.
 */
enum uet_ccc_edge uet_ccc_speculate(struct uet_ccc *c, u64 now);

/**
 * uet_ccc_window() - bytes allowed in flight
 * @c: context
 *
 * Return: window of the window algorithm, MaxWnd without one.
 */
u64 uet_ccc_window(const struct uet_ccc *c);

/**
 * uet_ccc_info() - what the algorithms show
 * @c: context
 * @info: filled
 */
void uet_ccc_info(const struct uet_ccc *c, struct uet_cc_info *info);

/**
 * uet_ccc_blocked_ns() - time data has waited, the present wait included
 * @c: context
 * @now: time, ns
 * @window: set to the time it waited for the window, ns
 * @credit: set to the time it waited for credit alone, ns
 */
void uet_ccc_blocked_ns(const struct uet_ccc *c, u64 now, u64 *window,
			u64 *credit);

/**
 * uet_ccc_state_name() - name of a state
 * @state: enum uet_ccc_state
 *
 * Return: "IDLE", "ACTIVE", "READY" or "PENDING".
 */
const char *uet_ccc_state_name(u8 state);

/* For algorithms. */

/**
 * uet_ccc_lower_base_rtt() - follow a smaller sample
 * @c: context
 * @sample: round trip, ns
 *
 * Return: true if the base RTT changed.
 */
bool uet_ccc_lower_base_rtt(struct uet_ccc *c, u64 sample);

#endif /* _UET_CORE_CCC_H */
