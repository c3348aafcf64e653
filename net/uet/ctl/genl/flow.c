// SPDX-License-Identifier: GPL-2.0
/*
 * What walks over flows have in common: the objects "ccc" and "path".
 */
#include "ctl/genl/genl.h"
#include "link/peer.h"
#include "tx/cms/flow.h"

/**
 * uet_genl_flow_fits() - is a flow wanted?
 * @f: filter
 * @flow: the flow
 *
 * Context: RCU read side.
 * Return: true if id and addresses are those wanted.
 */
bool uet_genl_flow_fits(const struct uet_genl_filter *f,
			const struct uet_flow *flow)
{
	const struct uet_peer_key *key = &flow->peer->key;

	return uet_genl_fits(f, UET_WANTS(CCC), f->ccc, flow->id) &&
	       uet_genl_remote_fits(f, &key->raddr) &&
	       uet_genl_local_fits(f, &key->laddr);
}

/**
 * uet_genl_flow_first() - where a walk goes on
 * @w: walk, with an id of flows as w->cursor[0]
 *
 * Return: the id; where only one is wanted, not before it.
 */
unsigned long uet_genl_flow_first(const struct uet_genl_walk *w)
{
	if (w->filter.has & UET_WANTS(CCC))
		return max_t(u64, w->cursor[0], w->filter.ccc);
	return w->cursor[0];
}

/**
 * uet_genl_flow_last() - did a walk pass the only flow that is wanted?
 * @w: walk, with the next id as w->cursor[0]
 *
 * Return: true if so.
 */
bool uet_genl_flow_last(const struct uet_genl_walk *w)
{
	return w->filter.has & UET_WANTS(CCC) &&
	       w->cursor[0] > w->filter.ccc;
}
