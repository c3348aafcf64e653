/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Flow: a congestion control context (core/ccc.h) with what it needs in the
 * kernel: a lock, the PDCs it serves, path selection, a place in the transmit
 * queue. Sprayed flows are shared by the RUD PDCs between two FEPs in one
 * traffic class; each ROD PDC has one of its own (UE 1.0 3.6.16.2).
 *
 * The flow lock protects the CCC and the sending half of every PDC it serves.
 *
 * Transmission: whoever finds something to send calls uet_flow_run(), with BH
 * off. It builds packets under the lock into a list and sends the list
 * without it; one CPU at a time owns a flow, others leave a note and go. ACK
 * processing and timers put the flow on a per-CPU queue instead, so that a
 * batch of ACKs is followed by one batch of packets, and flows take turns.
 */
#ifndef _UET_FLOW_H
#define _UET_FLOW_H

#include <linux/list.h>
#include <linux/refcount.h>
#include <linux/skbuff.h>
#include <linux/spinlock.h>

#include "core/ccc.h"
#include "core/lb.h"
#include "netns.h"

struct uet_peer;
struct uet_pdc;

/* Packets built under the lock at a time, and sent by one run of a queue */
#define UET_TX_BATCH		16
#define UET_TX_BUDGET		128

/**
 * struct uet_flow - congestion control context of the kernel
 * @peer_node: in uet_peer.flows if sprayed; peer->lock
 * @peer: both FEPs, with a reference
 * @ref: PDCs, and the transmit queue while on it
 * @tclass: DSCP of requests
 * @sprayed: shared by RUD PDCs; false: one ROD PDC
 * @cc: congestion control asked for
 * @policy: path policy asked for
 * @lock: BH-disabled; protects all below, and uet_pdc.tx of its PDCs
 * @ccc: the context
 * @params: its constants
 * @lb: path selection
 * @ready: PDCs that may have something to send (uet_pdc_tx.ready_node)
 * @ip_mtu: path MTU @payload_mtu was derived from
 * @payload_mtu: largest payload of a packet
 * @overhead: nominal size of a packet without payload
 * @running: a CPU is in uet_flow_run()
 * @again: something came up meanwhile
 * @queue_node: in the transmit queue of a CPU
 * @queued: on that queue
 * @credit_sending: counted in uet_net.credit_senders
 * @ccc_id: names it to the peer where receiver credit is used
 * @dead: namespace goes away, send nothing
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
	struct uet_cc_params	params;
	struct uet_lb		*lb;
	struct list_head	ready;
	u32			ip_mtu;
	u16			payload_mtu;
	u16			overhead;
	bool			running;
	bool			again;
	bool			credit_sending;
	u8			ccc_id;
	bool			dead;

	struct list_head	queue_node;
	unsigned long		queued;
	struct rcu_head		rcu;
};

/**
 * struct uet_flow_spec - what a new PDC asks of its flow
 * @cc: name of the congestion control, empty = by sysctl
 * @policy: name of the path policy, empty = by sysctl
 * @tclass: DSCP of requests
 * @sprayed: RUD
 */
struct uet_flow_spec {
	const char	*cc;
	const char	*policy;
	u8		tclass;
	bool		sprayed;
};

struct uet_flow *uet_flow_get(struct uet_peer *peer,
			      const struct uet_flow_spec *spec);
void uet_flow_put(struct uet_flow *flow);
void uet_flow_run(struct uet_flow *flow);
void uet_flow_queue(struct uet_flow *flow);
u32 uet_flow_link_mbps(struct uet_peer *peer);

int uet_flow_init(void);
void uet_flow_exit(void);

/* Nominal size of a packet (UE 1.0 3.6.12): UDP length plus 40 */
static inline u32 uet_flow_nominal(const struct uet_flow *flow, u32 payload)
{
	return flow->overhead + payload;
}

#endif /* _UET_FLOW_H */
