/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Path selection in the kernel: what the policies of core/lb/lb.h need around
 * them, and the events and the state of paths for others.
 */
#ifndef _UET_PATH_H
#define _UET_PATH_H

#include <linux/notifier.h>

#include "tx/cms/flow.h"

/**
 * enum uet_path_what - what happened to a path
 * @UET_PATH_BAD: an entropy value is no longer used
 * @UET_PATH_GOOD: an entropy value is used again
 * @UET_PATH_MOVED: a flow on one path at a time took another one
 * @UET_PATH_FROZEN: only known good paths until the network has settled
 * @UET_PATH_THAWED: end of that restriction
 * @UET_PATH_SATURATED: so many paths have ECN marks that none is avoided
 * @UET_PATH_RESIZED: the flow uses more or fewer entropy values
 * @UET_PATH_PORT_DOWN: a local interface lost its carrier
 * @UET_PATH_PORT_UP: a local interface has a carrier again
 */
enum uet_path_what {
	UET_PATH_BAD,
	UET_PATH_GOOD,
	UET_PATH_MOVED,
	UET_PATH_FROZEN,
	UET_PATH_THAWED,
	UET_PATH_SATURATED,
	UET_PATH_RESIZED,
	UET_PATH_PORT_DOWN,
	UET_PATH_PORT_UP,
};

/**
 * struct uet_path_event - with enum uet_path_what as the action of a notifier
 * @flow: the flow, its lock held
 * @ev: the entropy value; 0 for events of interfaces
 * @ifindex: the interface, 0 for values of a flow with a single one
 */
struct uet_path_event {
	const struct uet_flow	*flow;
	u16			ev;
	int			ifindex;
};

/* Entropy values that are remembered after they were given up */
#define UET_PATHS_GONE		64

/**
 * struct uet_path_gone - an entropy value that lost a packet and was replaced
 * @at: jiffies, when that was
 * @ifindex: its interface, 0 with a single one
 * @ev: the entropy value
 * @live: its history, including that of earlier values at the same place of the
 *	set, which were replaced for another reason
 */
struct uet_path_gone {
	unsigned long		at;
	int			ifindex;
	u16			ev;
	struct uet_lb_live	live;
};

/**
 * struct uet_path_past - entropy values given up by a flow that keeps history
 * @nr: number of them so far
 * @gone: ring of the latest
 */
struct uet_path_past {
	u32			nr;
	struct uet_path_gone	gone[UET_PATHS_GONE];
};

/* ... without history: as many as a small block of memory has room for */
#define UET_PATHS_LOST		11

/**
 * struct uet_path_lost - entropy values given up by a flow, without history
 * @nr: number of them so far
 * @gone: ring of the latest
 * @gone.at: jiffies, when that was
 * @gone.ifindex: its interface, 0 with a single one
 * @gone.ev: the entropy value
 *
 * Few flows ever lose a packet, so only those pay for it.
 */
struct uet_path_lost {
	u32			nr;
	struct {
		unsigned long	at;
		int		ifindex;
		u16		ev;
	} gone[UET_PATHS_LOST];
};

/**
 * struct uet_path_info - one path as shown to an operator
 * @path: its entropy value, state and history
 * @ifindex: its interface, 0 with a single one
 * @gone: it was given up
 * @at: jiffies, when that was
 */
struct uet_path_info {
	struct uet_lb_path	path;
	int			ifindex;
	bool			gone;
	unsigned long		at;
};

/**
 * struct uet_path_cursor - a place in the walk over all paths
 * @flow: id of the flow
 * @index: its path, for uet_path_get()
 * @steps: paths and flows looked at
 */
struct uet_path_cursor {
	unsigned long	flow;
	u32		index;
	u32		steps;
};

int uet_path_init(void);
void uet_path_exit(void);
int uet_path_register(struct notifier_block *nb);
void uet_path_unregister(struct notifier_block *nb);

struct uet_lb *uet_path_new(struct uet_flow *flow,
			    const struct uet_lb_ops *ops);
void uet_path_uncharge(const struct uet_flow *flow, const struct uet_lb *lb);
void uet_path_free(struct uet_lb *lb);
int uet_path_rebuild(struct uet_flow *flow);
void uet_path_history(struct uet_flow *flow, bool on);
int uet_path_get(const struct uet_flow *flow, u32 *index,
		 struct uet_path_info *info);
u8 uet_path_siblings(struct uet_flow *flow, bool marked, u64 now);
void uet_path_tell(const struct uet_flow *flow, unsigned long what, u16 ev,
		   int ifindex);

/* path_walk.c */
struct uet_flow *uet_path_next(struct uet_net *un, struct uet_path_cursor *at,
			       struct uet_flow *flow,
			       struct uet_path_info *info);
bool uet_path_dull(const struct uet_flow *flow);

#endif /* _UET_PATH_H */
