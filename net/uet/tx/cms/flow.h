/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Flow: a congestion control context (core/cc/ccc.h) with what it needs in the
 * kernel: a lock, the PDCs it serves, path selection, a place in the transmit
 * queue. Sprayed flows are shared by the RUD PDCs between two FEPs in one
 * traffic class; each ROD PDC has one of its own (UE 1.0 3.6.16.2).
 *
 * The flow lock protects the CCC and the sending half of every PDC it serves.
 *
 * Transmission: system calls run uet_flow_run() with BH off. It builds packets
 * into a list under the lock and sends the list without it. One CPU at a time
 * runs a flow; others set @again and return. ACK processing and timers put the
 * flow on a per-CPU queue instead, so that one batch of packets follows a batch
 * of ACKs, and flows take turns.
 */
#ifndef _UET_FLOW_H
#define _UET_FLOW_H

#include <linux/hrtimer.h>
#include <linux/list.h>
#include <linux/refcount.h>
#include <linux/skbuff.h>
#include <linux/spinlock.h>

#include "base.h"
#include "core/cc/ccc.h"
#include "core/cc/fall.h"
#include "core/cc/far.h"
#include "core/cc/rise.h"
#include "core/lb/lb.h"
#include "core/minute.h"
#include "core/snd/snd.h"
#include "link/peer.h"
#include "pdc/tx_half.h"

struct net_device;
struct uet_output;
struct uet_path_past;
struct uet_pdc;

/* Packets built under the lock at a time; packets per run of a flow or queue */
#define UET_TX_BATCH		16
#define UET_TX_BUDGET		128
/* Messages, and bytes, that wait for others at most before they are sent */
#define UET_TX_DEFER_MSGS	64
#define UET_TX_DEFER_BYTES	65536U

/**
 * struct uet_port_share - what a flow has handed to its interface
 * @ns: transmission time of the current portion so far
 * @leaves: when all that was handed over has left
 * @before: when the previous portion has left
 * @waits: the timer is armed
 * @pause_until: nothing is sent before, since the interface dropped packets
 * @pauses: that pause is the base RTT << (@pauses - 1)
 * @passed: the interface took packets since; changes without a lock
 * @shut_since: when the interface began to drop all packets; valid while @pauses
 *	and not @passed
 * @since: since when data that the window allows waits for the interface, 0 =
 *	none does
 * @waited_ns: total of such waits
 * @timer: holds a reference to the flow while armed
 */
struct uet_port_share {
	u32			ns;
	bool			waits;
	u8			pauses;
	bool			passed;
	u64			pause_until;
	u64			shut_since;
	u64			leaves;
	u64			before;
	u64			since;
	u64			waited_ns;
	struct hrtimer		timer;
};

/**
 * struct uet_hole - detection of a path MTU black hole (tx/pds/hole.c)
 * @since: when large packets began to vanish, ns; 0 = they do not
 * @at: when the last such loss was counted, ns
 * @size: the shortest of the lost packets
 * @losses: such losses in a row with this MTU
 * @steps: smaller MTUs tried, in all
 * @tried: one was tried since @since
 * @asked: when the oldest short packet left that is not answered, of those that
 *	uet_hole_ask() sends, ns; 0 = none
 * @asked_last: when the last one left, ns
 * @arrived: when the last one left that was answered, ns
 * @pdc: PDC of the last loss, never dereferenced
 */
struct uet_hole {
	u64			since;
	u64			at;
	u32			size;
	u32			losses;
	u32			steps;
	bool			tried;
	u64			asked;
	u64			asked_last;
	u64			arrived;
	const struct uet_pdc	*pdc;
};

/**
 * struct uet_flow - a CCC and what it needs in the kernel
 * @peer_node: in uet_peer.flows if sprayed; peer->lock
 * @peer: both FEPs, with a reference
 * @ref: PDCs, and the transmit queue while on it
 * @tclass: DSCP of requests
 * @sprayed: shared by RUD PDCs; false: one ROD PDC
 * @cc: congestion control asked for
 * @policy: path policy asked for
 * @lock: BH-disabled; protects all below, and uet_pdc_tx of its PDCs
 * @ccc: the CCC; @ccc.lb, its path selection, belongs to the flow
 * @snd: what its senders share
 * @params: its constants
 * @past: entropy values it has given up, with their history, or NULL
 * @lost: those given up last, without history; NULL before the first one
 * @gone: how many it has given up within the last minute
 * @far: search for a base RTT above the guess
 * @rise: search for a base RTT above the known one
 * @fall: search for a base RTT far below the known one
 * @run_len: payload of packets that may leave in runs, 0 = none may
 * @ip_mtu: path MTU that @snd.payload_mtu was derived from
 * @payload_max: largest @snd.payload_mtu, that which the CCC was made for
 * @headers: @snd.overhead without what depends on the form
 * @form: UET_FORM_* that @snd.overhead was derived from
 * @hole: detection of a path MTU black hole
 * @cfg: what @params were derived from beside the base RTT; NULL if that was
 *	configured
 * @guessed: the base RTT is a guess
 * @brief: the peer takes SMALL and MEDIUM headers, as of its last ACK
 * @fixed_rtt: the base RTT was configured, and is that of full packets
 * @ns_per_byte_q16: of the local interface, 0 if its speed is not known
 * @running: a CPU is in uet_flow_run(), or behind uet_flow_enter()
 * @again: another CPU called it meanwhile
 * @deferred: messages that were queued since and wait for others
 * @queue_node: in the transmit queue of a CPU
 * @queued: on that queue
 * @credit_sending: counted in uet_net.credit_senders
 * @ccc_id: id of the CCC on the wire, with receiver credit
 * @route_ns: time without a route to the peer, before @route_since
 * @route_since: up to when that time is in @route_ns; 0 = there is a route
 * @route_gone: since when there is none, valid with @route_since
 * @rtt_probe_at: when the probe for the base RTT left, 0 = none is out
 * @port_down_at: when one of its ports went out of use last, ns; 0 = never
 * @share: what waits in the local interface
 * @neigh_node: among flows that wait for their next hop (tx/cms/neigh.c)
 * @neigh: the neighbour it waits for, never dereferenced
 * @neigh_since: since when it waits, jiffies
 * @neigh_none: the neighbour was not found; set without the flow lock
 * @dead: the namespace exits: send nothing
 * @old: an administrator wants another one with the settings of now in its place
 * @sib: slot in uet_peer.sib
 * @history_at: when to retry the allocation of path history, jiffies
 * @ports_gen: uet_peer.ports_gen that @ccc.lb was made for; peer->lock
 * @id: its place in uet_net.flow_ids, never reused
 * @rcu: for freeing
 */
struct uet_flow {
	struct list_head	peer_node;
	struct uet_peer		*peer;
	refcount_t		ref;
	u8			tclass;
	bool			sprayed;
	char			cc[UET_NAME_MAX];
	char			policy[UET_NAME_MAX];

	spinlock_t		lock ____cacheline_aligned_in_smp;
	struct uet_ccc		ccc;
	struct uet_snd_flow	snd;
	struct uet_cc_params	params;
	struct uet_path_past	*past;
	struct uet_path_lost	*lost;
	struct uet_minute	gone;
	struct uet_far		far;
	struct uet_rise		rise;
	struct uet_fall		fall;
	u16			run_len;
	u32			ip_mtu;
	u16			payload_max;
	u8			headers;
	u8			form;
	u32			ns_per_byte_q16;
	struct uet_hole		hole;
	struct uet_cc_config	*cfg;
	bool			guessed;
	bool			brief;
	bool			fixed_rtt;
	bool			running;
	bool			again;
	bool			credit_sending;
	u8			deferred;
	u8			ccc_id;
	bool			dead;
	bool			old;
	u64			route_ns;
	u64			route_since;
	u64			route_gone;
	u64			rtt_probe_at;
	u64			port_down_at;
	struct uet_port_share	share;
	u8			sib;
	u32			ports_gen;
	unsigned long		history_at;

	struct hlist_node	neigh_node;
	unsigned long		neigh;
	unsigned long		neigh_since;
	bool			neigh_none;

	struct list_head	queue_node;
	unsigned long		queued;
	unsigned long		id;
	struct rcu_head		rcu;
};

/**
 * struct uet_flow_spec - what a new PDC asks of its flow
 * @cc: name of the congestion control, empty = by sysctl
 * @policy: name of the path policy, empty = by sysctl
 * @tclass: DSCP of requests
 * @sprayed: true for RUD
 */
struct uet_flow_spec {
	const char	*cc;
	const char	*policy;
	u8		tclass;
	bool		sprayed;
};

/* tx/cms/flow.c */
struct uet_flow *uet_flow_get(struct uet_peer *peer,
			      const struct uet_flow_spec *spec);
void uet_flow_put(struct uet_flow *flow);
void uet_flow_set_mtu(struct uet_flow *flow, u32 ip_mtu);
void uet_flow_set_form(struct uet_flow *flow, u8 form);
void uet_flow_net_init(struct uet_net *un);
void uet_flow_net_exit(struct uet_net *un);
int uet_flow_init(void);
void uet_flow_exit(void);

/**
 * uet_flow_from() - the flow with an id, or the next one
 * @un: namespace
 * @id: the id, set to that of the flow
 *
 * Context: RCU read side; valid until its end.
 * Return: the flow, NULL after the last one.
 */
static inline struct uet_flow *uet_flow_from(struct uet_net *un,
					     unsigned long *id)
{
	return xa_find(&un->flow_ids, id, ULONG_MAX, XA_PRESENT);
}

/* flow_ports.c */
void uet_flow_ports(struct uet_peer *peer);
void uet_flow_look(struct uet_flow *flow);

/* flow_params.c */
int uet_flow_fit(struct uet_flow *flow, const struct uet_sysctl *s);
void uet_flow_measured(struct uet_flow *flow, u64 base_rtt, u64 now);
void uet_flow_learned(const struct uet_flow *flow);

/* tx/pds/source.c */
void uet_flow_source_init(struct uet_net *un);

/* tx/pds/flow_tx.c */
u64 uet_flow_route_ns(const struct uet_flow *flow, u64 now);
bool uet_flow_at_rest(const struct uet_flow *flow, const struct uet_output *out);
bool uet_flow_defers(struct uet_flow *flow);
void uet_flow_output(struct uet_flow *flow, const struct uet_output *out,
		     struct sk_buff *skb);
void uet_flow_enter(struct uet_flow *flow);
void uet_flow_leave(struct uet_flow *flow, const struct uet_output *out);
void uet_flow_run_by(struct uet_flow *flow, const struct uet_output *out,
		     u64 now);
void uet_flow_run(struct uet_flow *flow, u64 now);
void uet_flow_tx_init(void);

/* tx/cms/txq.c */
void uet_flow_queue(struct uet_flow *flow);

/* tx/cms/port_share.c */
bool uet_port_share_next(struct uet_flow *flow, struct net_device *dev, u64 now);
bool uet_port_pauses(struct uet_flow *flow, u64 now);
void uet_port_dropped(struct uet_flow *flow, u64 now);
u64 uet_port_shut_ns(const struct uet_flow *flow, u64 now);
u64 uet_port_share_waited(const struct uet_flow *flow, u64 now);
void uet_port_share_init(struct uet_flow *flow);

/**
 * uet_port_share_took() - account a packet handed to the interface
 * @flow: the flow
 * @ns: transmission time of the packet
 * @leaves: when it has left
 *
 * Context: flow lock held.
 */
static inline void uet_port_share_took(struct uet_flow *flow, u32 ns,
				       u64 leaves)
{
	flow->share.ns += ns;
	flow->share.leaves = leaves;
}

/**
 * uet_flow_takes() - how long the interface sends
 * @flow: the flow
 * @size: nominal bytes
 *
 * Return: ns, an estimate.
 */
static inline u32 uet_flow_takes(const struct uet_flow *flow, u32 size)
{
	return (size * (u64)flow->ns_per_byte_q16) >> 16;
}

/**
 * uet_flow_departs() - when a packet given to the interface now begins to leave
 * @flow: the flow
 * @size: its nominal size, or that of a run
 * @now: time, ns
 *
 * The part of a window that exceeds the bandwidth-delay product waits in the
 * local interface. Congestion control would take that wait for network delay,
 * so packets are stamped with the time when the interface begins to send them.
 * Of a long queue, which other flows may have built, at most a base RTT is
 * excluded; tx/cms/port_share.c limits what each flow adds. CPUs may race here: the
 * estimate then is too early, never late.
 *
 * Context: flow lock held.
 * Return: time, ns.
 */
static inline u64 uet_flow_departs(struct uet_flow *flow, u32 size, u64 now)
{
	struct uet_fep *fep = flow->peer->fep;
	u64 at = max(now, READ_ONCE(fep->tx_free));
	u32 takes = uet_flow_takes(flow, size);

	WRITE_ONCE(fep->tx_free, at + takes);
	uet_port_share_took(flow, takes, at + takes);
	return min(at, now + flow->params.base_rtt);
}

/**
 * uet_flow_port_free() - when the interface has sent what it was given
 * @flow: the flow
 *
 * Context: any.
 * Return: time in ns, an estimate like that of uet_flow_departs().
 */
static inline u64 uet_flow_port_free(const struct uet_flow *flow)
{
	return READ_ONCE(flow->peer->fep->tx_free);
}

/* Do all flows of this FEP together have > a base RTT in the interface? */
static inline bool uet_port_crowded(const struct uet_flow *flow, u64 now)
{
	return uet_flow_port_free(flow) > now + flow->params.base_rtt;
}

/*
 * Size of a portion (tx/cms/port_share.c). A smaller one costs more timers and leaves the
 * interface idle if a timer is late; a larger one makes others wait.
 */
static inline u64 uet_portion_ns(const struct uet_flow *flow, bool crowded)
{
	return flow->params.base_rtt >> (crowded ? 4 : 2);
}

/**
 * uet_port_share() - may a flow give its interface another packet?
 * @flow: the flow
 * @dev: the interface
 * @now: time, ns
 *
 * If not, the flow is queued again as soon as it may.
 *
 * Context: BH disabled, flow lock held.
 * Return: true if so.
 */
static inline bool uet_port_share(struct uet_flow *flow, struct net_device *dev,
				  u64 now)
{
	u64 portion = uet_portion_ns(flow, uet_port_crowded(flow, now));

	if (likely(flow->share.ns < portion && now >= flow->share.pause_until))
		return true;
	return uet_port_share_next(flow, dev, now);
}

/**
 * uet_pdc_tx_arm() - arm the timer for the deadlines that an event has set
 * @pdc: the PDC
 *
 * Context: flow lock held.
 */
static inline void uet_pdc_tx_arm(struct uet_pdc *pdc)
{
	struct uet_snd *s = &pdc->tx->snd;

	lockdep_assert_held(&pdc->tx->flow->lock);
	uet_pdc_arm(pdc, s->wake_at);
	s->wake_at = 0;
}

#endif /* _UET_FLOW_H */
