// SPDX-License-Identifier: GPL-2.0
/*
 * Next hops whose link layer address is not known yet.
 *
 * While the kernel resolves a neighbour it queues a few packets and drops the
 * others, so that most of a first window would be lost and resent a timeout
 * later. Instead a flow with something to send starts the resolution and waits
 * for its netevent. If the resolution fails, PDCs that were never answered fail
 * at once; others go on as if packets were lost, since a host or a switch may
 * come back.
 */
#include <linux/hash.h>
#include <linux/hashtable.h>
#include <linux/init.h>
#include <linux/jiffies.h>
#include <linux/spinlock.h>
#include <net/dst.h>
#include <net/neighbour.h>
#include <net/netevent.h>

#include "link/encap.h"
#include "link/neigh.h"
#include "link/peer.h"
#include "link/ports.h"
#include "tx/cms/flow.h"
#include "tx/cms/neigh.h"

#define UET_NEIGH_BITS		8

/* Flows that wait, by the pointer to the neighbour, never dereferenced */
static DEFINE_HASHTABLE(uet_neigh_waiting, UET_NEIGH_BITS);
static DEFINE_SPINLOCK(uet_neigh_lock);	/* for the table; a leaf, BH */

/**
 * uet_neigh_ask() - start the resolution of the next hop, if it is not known
 * @flow: a flow that is about to send
 * @out: the route to its peer
 *
 * With several interfaces one known next hop will do (uet_ports_dst()).
 *
 * Context: BH disabled, no lock held that the receive path takes: this sends.
 * Return: the neighbour with a reference; NULL if packets may be sent.
 */
struct neighbour *uet_neigh_ask(const struct uet_flow *flow,
				const struct uet_output *out)
{
	struct uet_peer *peer = out->peer;
	struct neighbour *n;

	if (likely(uet_neigh_fresh(peer)) || list_empty(&flow->snd.ready) ||
	    READ_ONCE(flow->neigh_none))
		return NULL;
	n = out->multi ? uet_ports_neigh(peer) : uet_neigh_of(peer, out->dst);
	if (likely(!n)) {
		WRITE_ONCE(peer->neigh_at, jiffies);
		return NULL;
	}
	neigh_event_send(n, NULL);
	return n;
}

/**
 * uet_neigh_wait() - may a flow send, or does it wait for its next hop?
 * @flow: a flow that has something to send
 * @n: what uet_neigh_ask() returned
 *
 * Context: BH disabled, flow lock held.
 * Return: enum uet_neigh_verdict.
 */
enum uet_neigh_verdict uet_neigh_wait(struct uet_flow *flow,
				      const struct neighbour *n)
{
	lockdep_assert_held(&flow->lock);
	if (unlikely(READ_ONCE(flow->neigh_none))) {
		WRITE_ONCE(flow->neigh_none, false);
		return UET_NEIGH_NONE;
	}
	if (likely(!n) || flow->dead || list_empty(&flow->snd.ready))
		return UET_NEIGH_GO;
	spin_lock(&uet_neigh_lock);
	if (!hlist_unhashed(&flow->neigh_node))
		hash_del(&flow->neigh_node);
	else
		WRITE_ONCE(flow->neigh_since, jiffies);
	flow->neigh = (unsigned long)n;
	hash_add(uet_neigh_waiting, &flow->neigh_node, flow->neigh);
	spin_unlock(&uet_neigh_lock);
	/* A change before hash_add() had no event: check the state again. */
	if (READ_ONCE(n->nud_state) & NUD_INCOMPLETE && !READ_ONCE(n->dead))
		return UET_NEIGH_WAIT;
	uet_neigh_unwait(flow);
	return UET_NEIGH_GO;
}

/**
 * uet_neigh_unwait() - take a flow out of the table of those that wait
 * @flow: the flow
 *
 * Context: BH disabled.
 */
void uet_neigh_unwait(struct uet_flow *flow)
{
	if (likely(hlist_unhashed(&flow->neigh_node)))
		return;
	spin_lock(&uet_neigh_lock);
	hash_del(&flow->neigh_node);
	spin_unlock(&uet_neigh_lock);
}

/* Take a flow that waits for this neighbour off the table, with a reference */
static struct uet_flow *uet_neigh_next(unsigned long neigh, bool none)
{
	struct uet_flow *flow;

	spin_lock(&uet_neigh_lock);
	hash_for_each_possible(uet_neigh_waiting, flow, neigh_node, neigh) {
		/* A flow without a reference is about to leave the table. */
		if (flow->neigh != neigh || !refcount_inc_not_zero(&flow->ref))
			continue;
		hash_del(&flow->neigh_node);
		WRITE_ONCE(flow->neigh_none, none);
		spin_unlock(&uet_neigh_lock);
		return flow;
	}
	spin_unlock(&uet_neigh_lock);
	return NULL;
}

/* A neighbour was found, given up or removed */
static int uet_neigh_event(struct notifier_block *nb, unsigned long event,
			   void *ptr)
{
	const struct neighbour *n = ptr;
	struct uet_flow *flow;
	u8 state;

	if (event != NETEVENT_NEIGH_UPDATE)
		return NOTIFY_DONE;
	state = READ_ONCE(n->nud_state);
	if (state & NUD_INCOMPLETE && !READ_ONCE(n->dead))
		return NOTIFY_DONE;
	local_bh_disable();
	while ((flow = uet_neigh_next((unsigned long)n, state & NUD_FAILED))) {
		uet_flow_queue(flow);
		uet_flow_put(flow);
	}
	local_bh_enable();
	return NOTIFY_DONE;
}

static struct notifier_block uet_neigh_nb = {
	.notifier_call = uet_neigh_event,
};

/**
 * uet_neigh_init() - register for events of neighbours
 *
 * Context: process.
 * Return: 0 or a negative errno.
 */
int __init uet_neigh_init(void)
{
	return register_netevent_notifier(&uet_neigh_nb);
}

/**
 * uet_neigh_exit() - undo uet_neigh_init()
 *
 * Context: process, after the last namespace.
 */
void uet_neigh_exit(void)
{
	unregister_netevent_notifier(&uet_neigh_nb);
}
