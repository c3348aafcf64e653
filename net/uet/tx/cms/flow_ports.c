// SPDX-License-Identifier: GPL-2.0
/*
 * Flows of a peer that several local interfaces reach, here called ports: their
 * path selection is rebuilt when the ports change, and is told their state.
 *
 * Not here: finding the ports (link/ports.c), choosing one (core/lb/lb_ports.c), the work
 * when routes and addresses have changed (tx/pds/source.c).
 */
#include <linux/ktime.h>

#include "core/lb/lb_ports.h"
#include "link/peer.h"
#include "link/ports.h"
#include "tx/cms/flow.h"
#include "tx/cms/path.h"

/* A sprayed flow whose paths were made for other ports */
static struct uet_flow *uet_flow_next_stale(struct uet_peer *peer)
{
	struct uet_flow *flow, *found = NULL;

	spin_lock_bh(&peer->lock);
	list_for_each_entry(flow, &peer->flows, peer_node) {
		if (flow->ports_gen == peer->ports_gen ||
		    !refcount_inc_not_zero(&flow->ref))
			continue;
		flow->ports_gen = peer->ports_gen;
		found = flow;
		break;
	}
	spin_unlock_bh(&peer->lock);
	return found;
}

/**
 * uet_flow_ports() - find the ports towards a peer
 * @peer: the peer
 *
 * If they have changed, existing flows get new paths and keep their window.
 *
 * Context: process, uet_net.open_mutex held.
 */
void uet_flow_ports(struct uet_peer *peer)
{
	struct uet_flow *flow;

	lockdep_assert_held(&peer->fep->un->open_mutex);
	if (!uet_ports_update(peer))
		return;
	while ((flow = uet_flow_next_stale(peer))) {
		uet_path_rebuild(flow);
		uet_flow_put(flow);
	}
}

/**
 * uet_flow_look() - tell path selection the state of the ports
 * @flow: a flow with several ports
 *
 * If the ports are being replaced, so will be the path selection.
 *
 * Context: BH disabled, flow lock held.
 */
void uet_flow_look(struct uet_flow *flow)
{
	u32 i, nr = uet_lb_ports_nr(flow->ccc.lb);
	struct uet_port_state port;

	lockdep_assert_held(&flow->lock);
	rcu_read_lock();
	for (i = 0; i < nr && uet_ports_state(flow->peer, i, &port); i++) {
		if (!uet_lb_ports_tell(flow->ccc.lb, i, port.up, port.backlog))
			continue;
		flow->ccc.run_left = 0;
		if (!port.up)
			flow->port_down_at = ktime_get_ns();
		uet_path_tell(flow, port.up ? UET_PATH_PORT_UP :
					      UET_PATH_PORT_DOWN,
			      0, port.ifindex);
	}
	rcu_read_unlock();
}
