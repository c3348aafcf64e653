/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Path selection: which entropy value (EV) a packet carries (UE 1.0 3.6.16).
 *
 * A policy returns a value and the number of packets to send with it in a row,
 * and gets feedback on the values it returned. It never touches packets or
 * routes. One struct uet_lb ("object" below) serves one CCC, under that CCC's
 * lock. The caller allocates it together with the policy's table.
 *
 * "Value" below means entropy value; "marked" means that the packet arrived
 * with an ECN mark.
 *
 * A policy is one file with an ops table, and one line in lb.c.
 */
#ifndef _UET_CORE_LB_H
#define _UET_CORE_LB_H

#include "../env.h"
#include "../prng.h"
#include "lb_good.h"
#include "lb_perm.h"

/* Private state of a policy inside struct uet_lb; checked at build time. */
#define UET_LB_PRIV_SIZE	128

#define UET_LB_N_MAX		32768	/* values in the largest space */
#define UET_LB_AWARE_MIN	16	/* smallest space of a path-aware policy */
#define UET_LB_AWARE_MAX	256
#define UET_LB_UDP_LOW		49152	/* first UDP port of the dynamic range */
#define UET_LB_UDP_FLOOR	32768	/* lowest UDP port of a large space */
#define UET_LB_THRESHOLD_DEFAULT_PCT	50
#define UET_LB_T_REROUTE_DEFAULT	10
#define UET_LB_T_REROUTE_MAX		10000
#define UET_LB_RUN_MAX		64

/**
 * enum uet_lb_reason - what happened to a packet sent with a value
 * @UET_LB_NO_ECN: it arrived unmarked, or was trimmed at the last hop
 *	unmarked, or was NACKed for a reason other than the network
 * @UET_LB_ECN: it arrived, or was NACKed, marked
 * @UET_LB_NACK: it was trimmed inside the network
 * @UET_LB_TIMEOUT: it was inferred lost
 */
enum uet_lb_reason {
	UET_LB_NO_ECN,
	UET_LB_ECN,
	UET_LB_NACK,
	UET_LB_TIMEOUT,
};

/**
 * enum uet_lb_siblings - what other CCCs to the same peer see now
 * @UET_LB_SIB_UNKNOWN: there are none, or they are idle
 * @UET_LB_SIB_CLEAR: they see no marks: congestion is on this path
 * @UET_LB_SIB_MARKED: they see marks too: congestion is at the last hop
 */
enum uet_lb_siblings {
	UET_LB_SIB_UNKNOWN,
	UET_LB_SIB_CLEAR,
	UET_LB_SIB_MARKED,
};

/* Events a policy reports to its caller; see struct uet_lb.noted. */
#define UET_LB_NOTE_BAD		BIT(0)	/* value taken out of use */
#define UET_LB_NOTE_GOOD	BIT(1)	/* value is back in use */
#define UET_LB_NOTE_MOVED	BIT(2)	/* single-path CCC changed its value */
#define UET_LB_NOTE_FROZEN	BIT(3)	/* exploring stopped */
#define UET_LB_NOTE_THAWED	BIT(4)	/* exploring again */
#define UET_LB_NOTE_SATURATED	BIT(5)	/* most values marked, none is avoided */
#define UET_LB_NOTE_RESIZED	BIT(6)	/* the space grew or shrank */
#define UET_LB_NOTE_NEED_INDEX	BIT(7)	/* call uet_lb_give_index() */

/**
 * struct uet_lb_ask - a request for a value
 * @now: time, ns
 * @base_rtt: base round trip, ns
 * @rtt: smoothed round trip, ns, 0 if there was none yet
 * @target: target queueing delay, ns
 * @sent_pkts: packets the CCC has sent so far, wraps
 * @inflight_pkts: packets outstanding
 * @size: nominal size of a packet, bytes
 * @want: packets that the caller would send with the value, at least 1
 * @port_free: when all earlier packets leave, or have left, this host's
 *	interface, ns
 * @prev_ev: value of the last transmission, if @rtx
 * @rtx: the packet is a retransmission
 */
struct uet_lb_ask {
	u64 now;
	u64 port_free;
	u64 base_rtt;
	u64 rtt;
	u64 target;
	u32 sent_pkts;
	u32 inflight_pkts;
	u32 size;
	u16 want;
	u16 prev_ev;
	bool rtx;
};

/**
 * struct uet_lb_signal - feedback on a value
 * @now: time, ns
 * @rtt: round trip of the packet, ns, if @rtt_valid
 * @base_rtt: base round trip, ns
 * @target: target queueing delay, ns
 * @ev: value echoed by the peer, or recorded at transmission
 * @reason: enum uet_lb_reason
 * @siblings: enum uet_lb_siblings, used by single-path policies
 * @rtt_valid: @rtt holds a sample
 * @last_hop: the packet was trimmed at its last hop
 * @again: the same was said of the packet before it in its run. It is counted in the
 *	history of the value, and no policy hears of it: a run is one choice
 */
struct uet_lb_signal {
	u64 now;
	u64 rtt;
	u64 base_rtt;
	u64 target;
	u16 ev;
	u8 reason;
	u8 siblings;
	bool rtt_valid;
	bool last_hop;
	bool again;
};

/**
 * struct uet_lb_live - history of one value, if kept
 * @sent: packets sent with it
 * @acked: answers without an ECN mark
 * @marked: answers with an ECN mark
 * @trimmed: in-network trims
 * @lost: inferred losses
 * @rtt: last round trip, ns, saturated
 */
struct uet_lb_live {
	u32 sent;
	u32 acked;
	u32 marked;
	u32 trimmed;
	u32 lost;
	u32 rtt;
};

/**
 * struct uet_lb_path - state of one value as shown to an operator
 * @ev: the value
 * @skip: number of next visits at which it is skipped
 * @bad: it is being avoided
 * @down: uet_lb_path_down() was called for it
 * @current_ev: it is the value in use (single-path policies)
 * @live: history; zeros if none is kept
 */
struct uet_lb_path {
	u16 ev;
	u8 skip;
	bool bad;
	bool down;
	bool current_ev;
	struct uet_lb_live live;
};

/**
 * struct uet_lb_config - configuration of an object
 * @seed: random bits of this CCC
 * @n: size of the entropy space, 1 to %UET_LB_N_MAX; for a path-aware policy
 *	its largest size, at most %UET_LB_AWARE_MAX
 * @span: number of values that a policy with @renews may choose from, a
 *	multiple of @n; 0 for @n
 * @base: first value of the space, see uet_lb_choose_base()
 * @run: packets per value, 0 for 1
 * @threshold_pct: no value is avoided for congestion if this share of them sees it,
 *	1 to 100, 0 for the default
 * @trimming: switches trim
 * @t_reroute: round trips between moves of a single path, 0 for the default
 * @idle_ns: idle time after which a single path may move, 0 = half an RTT
 * @peer_key: key of the peer's permutation, the same in all CCCs to it
 * @peer_index: this CCC's element of it, unique among the CCCs to the peer
 * @rto_ns: initial RTO; without trimming, "reps" freezes after two losses
 *	within this time
 * @cwnd: window to size the space for, bytes
 * @mtu: nominal MTU
 */
struct uet_lb_config {
	u64 seed;
	u32 n;
	u32 span;
	u16 base;
	u16 run;
	u8 threshold_pct;
	bool trimming;
	u32 t_reroute;
	u64 idle_ns;
	u32 peer_key;
	u32 peer_index;
	u64 rto_ns;
	u64 cwnd;
	u32 mtu;
};

struct uet_lb;

typedef void uet_lb_acked_fn(struct uet_lb *lb, u16 ev, bool m, u64 delay,
			     u64 target, u64 now);

/**
 * struct uet_lb_ops - a policy
 * @next: value for a packet; may set *run, which holds the configured run on
 *	entry, 1 for a retransmission
 * @plain: fast path of @next for a new packet, by a policy that need not know more
 *	of it and never sets *run; may be NULL
 * @feedback: feedback on a value of a sprayed CCC
 * @evidence: feedback on a value of a single-path CCC; NULL if the policy
 *	needs none
 * @acked: fast path of uet_lb_feedback() for an ACK with a round trip on a
 *	sprayed CCC: value, ECN mark, queueing delay, target delay, time; may be
 *	NULL
 * @doubt: replaces the common rule of uet_lb_doubt()
 * @init: prepare private state; the tables are zeroed
 * @resized: uet_lb.n changed from @old
 * @resize: size the space for a window, replaces the common rule
 * @locate: position of a value in the space, uet_lb.n_max or more if it is
 *	outside; NULL if the space is one range
 * @path_down: do not use a value until path_up. NULL if the policy has no
 *	state per value: "oblivious" and "ecmp" have none, "reps" only for
 *	recently acknowledged values, "flowlet" and "conweave" for values in use
 * @path_up: undo path_down and clear the congestion state of the value
 * @path_get: fill skip, bad, down and current_ev of one value, and other
 *	fields that the common part does not know
 * @bad_paths: number of values out of use; NULL if the policy has no such state
 * @paths: number of values in use; NULL if that is uet_lb.n
 * @name: name in settings
 * @ev_bytes: bytes of table per value, at most 3
 * @aware: path-aware: it avoids values, so the space follows the window
 * @renews: it replaces values, so it chooses from all of the configured space
 * @recalls: a retransmission takes a recently acknowledged value
 * @ordered: it keeps a CCC on one path at a time, as ROD requires
 */
struct uet_lb_ops {
	u16 (*next)(struct uet_lb *lb, const struct uet_lb_ask *ask, u16 *run);
	u16 (*plain)(struct uet_lb *lb);
	void (*feedback)(struct uet_lb *lb, const struct uet_lb_signal *sig);
	void (*evidence)(struct uet_lb *lb, const struct uet_lb_signal *sig);
	uet_lb_acked_fn *acked;
	void (*doubt)(struct uet_lb *lb, u16 ev);
	void (*init)(struct uet_lb *lb, const struct uet_lb_config *cfg);
	void (*resized)(struct uet_lb *lb, u32 old);
	void (*resize)(struct uet_lb *lb, u64 cwnd);
	u32 (*locate)(const struct uet_lb *lb, u16 ev);
	int (*path_down)(struct uet_lb *lb, u16 ev);
	int (*path_up)(struct uet_lb *lb, u16 ev);
	void (*path_get)(const struct uet_lb *lb, u32 index,
			 struct uet_lb_path *path);
	u32 (*bad_paths)(const struct uet_lb *lb);
	u32 (*paths)(const struct uet_lb *lb);
	const char *name;
	u8 ev_bytes;
	bool aware;
	bool renews;
	bool recalls;
	bool ordered;
};

/**
 * struct uet_lb - path selection of one CCC
 * @ops: the policy
 * @prng: random bits
 * @perm: order of the values
 * @n: values in use now
 * @n_max: number of entries of the tables
 * @span: values of the space; values whose offset from @base is i modulo
 *	@n_max share entry i of the tables
 * @wnd_low: smallest window for which @n is kept, bytes
 * @wnd_span: largest minus smallest window for which @n is kept, bytes
 * @mtu: nominal MTU
 * @unit: packets that usually leave with one value; @n counts those, not packets
 * @spare_index: element of the peer's permutation reserved for a move
 * @base: first value
 * @run: packets per value; 0: as many as the caller wants
 * @threshold_pct: no value is avoided for congestion if this share of them sees it
 * @have_spare: @spare_index is valid
 * @trimming: switches trim
 * @listens: the policy or @live uses feedback
 * @answer: set AR in the packet whose value was just chosen
 * @acked: the policy's @acked, NULL if @live needs the feedback too
 * @good: recently acknowledged values
 * @noted: called with each note, or NULL; must not call functions of this object
 * @owner: for use by @noted
 * @live: history per value, or NULL; see lb_live.h
 * @priv: state of the policy
 * @table: policy's bytes per value
 */
struct uet_lb {
	const struct uet_lb_ops *ops;
	struct uet_prng prng;
	struct uet_perm perm;
	u32 n;
	u32 n_max;
	u32 span;
	u64 wnd_low;
	u64 wnd_span;
	u32 mtu;
	u32 unit;
	u32 spare_index;
	u16 base;
	u16 run;
	u8 threshold_pct;
	bool have_spare;
	bool trimming;
	bool listens;
	bool answer;
	uet_lb_acked_fn *acked;
	struct uet_lb_good good;
	void (*noted)(struct uet_lb *lb, u32 note, u16 ev);
	void *owner;
	struct uet_lb_live *live;
	u64 priv[UET_LB_PRIV_SIZE / sizeof(u64)];
	u8 table[] __aligned(8);
};

extern const struct uet_lb_ops uet_lb_single;
extern const struct uet_lb_ops uet_lb_oblivious;
extern const struct uet_lb_ops uet_lb_bitmap;
extern const struct uet_lb_ops uet_lb_reps;
extern const struct uet_lb_ops uet_lb_hybrid;
extern const struct uet_lb_ops uet_lb_flowlet;
extern const struct uet_lb_ops uet_lb_rtt;
extern const struct uet_lb_ops uet_lb_conweave;
extern const struct uet_lb_ops uet_lb_ecmp;

/**
 * uet_lb_find() - policy by name
 * @name: name, NUL-terminated
 *
 * Return: the policy or NULL.
 */
const struct uet_lb_ops *uet_lb_find(const char *name);

/**
 * uet_lb_at() - policy by position, for listings
 * @i: from 0
 *
 * Return: the policy, or NULL beyond the last.
 */
const struct uet_lb_ops *uet_lb_at(u32 i);

/**
 * uet_lb_space() - size of the space to give a policy
 * @ops: policy
 * @entropy_size: configured size
 *
 * Return: value for uet_lb_config.n: @entropy_size, at most
 * %UET_LB_AWARE_MAX for a path-aware policy.
 */
u32 uet_lb_space(const struct uet_lb_ops *ops, u32 entropy_size);

/**
 * uet_lb_span() - number of values a policy may choose from
 * @ops: policy
 * @entropy_size: configured size, a power of two
 *
 * Return: value for uet_lb_config.span and for uet_lb_choose_base().
 */
u32 uet_lb_span(const struct uet_lb_ops *ops, u32 entropy_size);

/**
 * uet_lb_mem_size() - memory that one object needs
 * @ops: policy
 * @n: size of the entropy space, as in uet_lb_config.n
 *
 * Return: bytes, struct uet_lb included.
 */
size_t uet_lb_mem_size(const struct uet_lb_ops *ops, u32 n);

/**
 * uet_lb_choose_base() - place an entropy space
 * @n: its size
 * @random: random bits
 * @udp: values are UDP source ports
 *
 * With UDP the space lies in the dynamic UDP ports. A space of more than 16384
 * values extends downwards, but not below 32768.
 *
 * Return: the first value.
 */
u16 uet_lb_choose_base(u32 n, u32 random, bool udp);

/**
 * uet_lb_init() - start an object
 * @lb: memory of uet_lb_mem_size() bytes for the same arguments
 * @ops: policy
 * @cfg: configuration
 *
 * Return: 0, or -EINVAL if the space exceeds 16 bits or a setting is outside its
 * range.
 */
int uet_lb_init(struct uet_lb *lb, const struct uet_lb_ops *ops,
		const struct uet_lb_config *cfg);

/**
 * uet_lb_next() - value for the next packet
 * @lb: object
 * @ask: the packet and the state of the CCC
 * @run: set to the number of packets to send with the value in a row; 1 for a
 *	retransmission
 *
 * Return: the value.
 */
u16 uet_lb_next(struct uet_lb *lb, const struct uet_lb_ask *ask, u16 *run);

/**
 * uet_lb_locate() - entry of a value in the tables
 * @lb: object
 * @ev: value
 *
 * Return: index for uet_lb_path_get(), uet_lb.n_max or more for a value outside
 * the space. Where a policy replaces values, several share an entry.
 */
static inline u32 uet_lb_locate(const struct uet_lb *lb, u16 ev)
{
	u32 i = (u16)(ev - lb->base);

	if (lb->ops->locate)
		return lb->ops->locate(lb, ev);
	if (i < lb->n_max)
		return i;
	return i < lb->span ? i % lb->n_max : U32_MAX;
}

/**
 * uet_lb_feedback() - feedback on a value
 * @lb: object
 * @sig: the signal
 * @sprayed: false for a single-path CCC: call uet_lb_ops.evidence
 *
 * Values outside the space are ignored; only a faulty or hostile peer echoes
 * them.
 */
void uet_lb_feedback(struct uet_lb *lb, const struct uet_lb_signal *sig,
		     bool sprayed);

/**
 * uet_lb_doubt() - a probe sent with a value was not answered yet
 * @lb: object
 * @ev: the value
 *
 * That is not a loss, which would take the value out of use. But
 * retransmissions should not use it.
 */
void uet_lb_doubt(struct uet_lb *lb, u16 ev);

/**
 * uet_lb_resize() - size the space for a window
 * @lb: object of a path-aware policy
 * @cwnd: window, bytes
 */
void uet_lb_resize(struct uet_lb *lb, u64 cwnd);

/**
 * uet_lb_follow_window() - let the space follow the window
 * @lb: object
 * @cwnd: window, bytes
 *
 * Resizes the space of a path-aware policy if the window differs by more than a
 * factor of two from the one the space was sized for. State of values outside
 * the new space is kept.
 */
static inline void uet_lb_follow_window(struct uet_lb *lb, u64 cwnd)
{
	if (unlikely(cwnd - lb->wnd_low > lb->wnd_span))
		uet_lb_resize(lb, cwnd);
}

/**
 * uet_lb_follow_run() - let the space follow the length of runs
 * @lb: object
 * @run: packets that leave with one value, at least 1
 * @cwnd: window, bytes
 *
 * As uet_lb_follow_window(): where a value takes more packets, there is time for
 * fewer values.
 */
static inline void uet_lb_follow_run(struct uet_lb *lb, u32 run, u64 cwnd)
{
	if (likely(run <= 2 * lb->unit && lb->unit <= 2 * run))
		return;
	lb->unit = run;
	if (lb->ops->aware)
		uet_lb_resize(lb, cwnd);
}

/**
 * uet_lb_size_for() - number of values used within two round trips
 * @cwnd: window, bytes
 * @size: bytes that leave with one value
 * @limit: configured size
 *
 * Return: largest power of two up to 2 * cwnd / size, from 16 to 256, but not
 * above @limit.
 */
u32 uet_lb_size_for(u64 cwnd, u32 size, u32 limit);

/**
 * uet_lb_path_down() - declare a value unusable
 * @lb: object
 * @ev: value
 *
 * Return: 0, -EINVAL for a value outside the space, -EOPNOTSUPP if the policy
 * keeps no state per value.
 */
int uet_lb_path_down(struct uet_lb *lb, u16 ev);

/**
 * uet_lb_path_up() - undo uet_lb_path_down()
 * @lb: object
 * @ev: value
 *
 * Return: as uet_lb_path_down().
 */
int uet_lb_path_up(struct uet_lb *lb, u16 ev);

/**
 * uet_lb_path_get() - state of one value
 * @lb: object
 * @index: 0 to uet_lb.n_max - 1, so that a dump can continue where it stopped
 * @path: filled
 *
 * Return: 0, or -ENOENT beyond the last.
 */
int uet_lb_path_get(const struct uet_lb *lb, u32 index,
		    struct uet_lb_path *path);

/**
 * uet_lb_paths() - number of values in use
 * @lb: object
 *
 * Return: at least 1.
 */
u32 uet_lb_paths(const struct uet_lb *lb);

/**
 * uet_lb_bad_paths() - number of values out of use
 * @lb: object
 *
 * Return: 0 .. uet_lb_paths().
 */
u32 uet_lb_bad_paths(const struct uet_lb *lb);

/**
 * uet_lb_give_index() - reserve a permutation element for the next move
 * @lb: object
 * @index: next unused element of the peer
 */
static inline void uet_lb_give_index(struct uet_lb *lb, u32 index)
{
	lb->spare_index = index;
	lb->have_spare = true;
}

/* For policies. */

static inline void *uet_lb_priv(struct uet_lb *lb)
{
	return lb->priv;
}

static inline const void *uet_lb_priv_const(const struct uet_lb *lb)
{
	return lb->priv;
}

/*
 * Do so many of the values see congestion that none is to be avoided for it?
 * @nr: number of those that do
 */
static inline bool uet_lb_saturated(const struct uet_lb *lb, u32 nr)
{
	return nr * 100 >= lb->threshold_pct * lb->n;
}

static inline void uet_lb_note(struct uet_lb *lb, u32 note, u16 ev)
{
	if (lb->noted)
		lb->noted(lb, note, ev);
}

/*
 * Position of a value in a space that is one range. The result is >= uet_lb.n
 * for a value outside.
 */
static inline u32 uet_lb_index(const struct uet_lb *lb, u16 ev)
{
	return (u16)(ev - lb->base);
}

#endif /* _UET_CORE_LB_H */
