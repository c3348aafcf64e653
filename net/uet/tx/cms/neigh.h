/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Flows that wait for a next hop whose link layer address is not known yet.
 */
#ifndef _UET_TX_NEIGH_H
#define _UET_TX_NEIGH_H

#include <linux/types.h>

struct neighbour;
struct uet_flow;
struct uet_output;

/**
 * enum uet_neigh_verdict - may a flow with something to send do so?
 * @UET_NEIGH_GO: it may
 * @UET_NEIGH_WAIT: it waits for the next hop, and is queued when that is known
 * @UET_NEIGH_NONE: the next hop was not found
 */
enum uet_neigh_verdict {
	UET_NEIGH_GO,
	UET_NEIGH_WAIT,
	UET_NEIGH_NONE,
};

struct neighbour *uet_neigh_ask(const struct uet_flow *flow,
				const struct uet_output *out);
enum uet_neigh_verdict uet_neigh_wait(struct uet_flow *flow,
				      const struct neighbour *n);
void uet_neigh_unwait(struct uet_flow *flow);

int uet_neigh_init(void);
void uet_neigh_exit(void);

#endif /* _UET_TX_NEIGH_H */
