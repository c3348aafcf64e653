// SPDX-License-Identifier: GPL-2.0
/*
 * The netlink group "events": takes events out of the ring of a namespace and sends
 * them to its listeners, in a work item: many listeners cost no softirq time.
 *
 * A listener that does not read loses events and gets ENOBUFS, like any listener of
 * netlink; it sees by the numbers how many.
 *
 * Not here: the ring (event.c), where events happen.
 */
#include <linux/notifier.h>
#include <linux/sched.h>
#include <net/genetlink.h>

#include "base.h"
#include "ctl/genl/genl.h"
#include "event.h"
#include "link/peer.h"
#include "tx/cms/flow.h"
#include "tx/cms/path.h"

/* Events that one work item sends */
#define UET_GENL_EVENTS_BATCH	64

/* Groups of fields of struct uet_event */
#define UET_HAS_LOCAL		BIT(0)
#define UET_HAS_REMOTE		BIT(1)
#define UET_HAS_PDC		BIT(2)
#define UET_HAS_ERROR		BIT(3)
#define UET_HAS_EV		BIT(4)
#define UET_HAS_PORT		BIT(5)	/* CCC and interface */
#define UET_HAS_SOCK		BIT(6)
#define UET_HAS_NAME		BIT(7)
#define UET_HAS_PLEN		BIT(8)

#define UET_HAS_PEER		(UET_HAS_LOCAL | UET_HAS_REMOTE)

static const u16 uet_genl_event_has[] = {
	[UET_WHAT_PDC_OPENED]	 = UET_HAS_PEER | UET_HAS_PDC,
	[UET_WHAT_PDC_ACCEPTED]	 = UET_HAS_PEER | UET_HAS_PDC,
	[UET_WHAT_PDC_RETURNED]	 = UET_HAS_PEER | UET_HAS_PDC,
	[UET_WHAT_PDC_CLOSED]	 = UET_HAS_PEER | UET_HAS_PDC,
	[UET_WHAT_PDC_FAILED]	 = UET_HAS_PEER | UET_HAS_PDC | UET_HAS_ERROR,
	[UET_WHAT_PATH_BAD]	 = UET_HAS_PEER | UET_HAS_PORT | UET_HAS_EV,
	[UET_WHAT_PATH_GOOD]	 = UET_HAS_PEER | UET_HAS_PORT | UET_HAS_EV,
	[UET_WHAT_PATH_MOVED]	 = UET_HAS_PEER | UET_HAS_PORT | UET_HAS_EV,
	[UET_WHAT_PORT_UP]	 = UET_HAS_PEER | UET_HAS_PORT,
	[UET_WHAT_PORT_DOWN]	 = UET_HAS_PEER | UET_HAS_PORT,
	[UET_WHAT_PEER_RESET]	 = UET_HAS_PEER,
	[UET_WHAT_PRESSURE]	 = UET_HAS_LOCAL | UET_HAS_SOCK,
	[UET_WHAT_LIMIT]	 = UET_HAS_NAME,
	[UET_WHAT_PARAM_CHANGED] = UET_HAS_NAME,
	[UET_WHAT_RULE_CHANGED]	 = UET_HAS_REMOTE | UET_HAS_PLEN,
	[UET_WHAT_RULE_DELETED]	 = UET_HAS_REMOTE | UET_HAS_PLEN,
};

/**
 * struct uet_genl_event - an event to send
 * @e: the event
 * @lost: those before it that the ring has lost
 */
struct uet_genl_event {
	struct uet_event	e;
	u32			lost;
};

static int uet_genl_event_peer(struct sk_buff *skb, const struct uet_event *e,
			       u16 has)
{
	return (has & UET_HAS_LOCAL &&
		nla_put_in6_addr(skb, UET_A_EVENT_LOCAL, &e->local)) ||
	       (has & UET_HAS_REMOTE &&
		nla_put_in6_addr(skb, UET_A_EVENT_REMOTE, &e->remote)) ||
	       (has & UET_HAS_PLEN &&
		nla_put_u8(skb, UET_A_EVENT_PLEN, e->plen)) ||
	       (has & UET_HAS_NAME &&
		nla_put_string(skb, UET_A_EVENT_NAME, e->name));
}

static int uet_genl_event_pdc(struct sk_buff *skb, const struct uet_event *e,
			      u16 has)
{
	if (has & UET_HAS_PDC &&
	    (nla_put_u32(skb, UET_A_EVENT_PDC, e->pdc) ||
	     nla_put_u32(skb, UET_A_EVENT_MODE, e->mode)))
		return -EMSGSIZE;
	if (!(has & UET_HAS_ERROR))
		return 0;
	return nla_put_u32(skb, UET_A_EVENT_ERROR, e->error) ||
	       nla_put_u32(skb, UET_A_EVENT_SOURCE, e->source) ||
	       nla_put_u32(skb, UET_A_EVENT_CODE, e->code);
}

static int uet_genl_event_path(struct sk_buff *skb, const struct uet_event *e,
			       u16 has)
{
	if (has & UET_HAS_EV && nla_put_u32(skb, UET_A_EVENT_EV, e->ev))
		return -EMSGSIZE;
	if (!(has & UET_HAS_PORT))
		return 0;
	return nla_put_u64_64bit(skb, UET_A_EVENT_CCC, e->ccc,
				 UET_A_EVENT_PAD) ||
	       (e->ifindex &&
		nla_put_u32(skb, UET_A_EVENT_IFINDEX, e->ifindex));
}

static int uet_genl_event_sock(struct sk_buff *skb, const struct uet_event *e,
			       u16 has)
{
	if (!(has & UET_HAS_SOCK))
		return 0;
	return nla_put_u64_64bit(skb, UET_A_EVENT_INODE, e->inode,
				 UET_A_EVENT_PAD) ||
	       nla_put_u32(skb, UET_A_EVENT_JOB, e->job) ||
	       nla_put_u32(skb, UET_A_EVENT_PID, e->pid);
}

static int uet_genl_event_fill(struct sk_buff *skb, const void *what)
{
	const struct uet_genl_event *event = what;
	const struct uet_event *e = &event->e;
	u16 has = uet_genl_event_has[e->what];

	return nla_put_u32(skb, UET_A_EVENT_SEQ, e->seq) ||
	       (event->lost &&
		nla_put_u32(skb, UET_A_EVENT_LOST, event->lost)) ||
	       nla_put_u64_64bit(skb, UET_A_EVENT_TIME, e->time,
				 UET_A_EVENT_PAD) ||
	       nla_put_u32(skb, UET_A_EVENT_WHAT, e->what) ||
	       uet_genl_event_peer(skb, e, has) ||
	       uet_genl_event_pdc(skb, e, has) ||
	       uet_genl_event_path(skb, e, has) ||
	       uet_genl_event_sock(skb, e, has);
}

static void uet_genl_event_send(struct uet_net *un,
				const struct uet_genl_event *event)
{
	struct uet_genl_walk w = { .cmd = UET_CMD_EVENT };

	/* Without memory it is missing in the numbers, as for a slow listener. */
	w.skb = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_KERNEL);
	if (!w.skb)
		return;
	if (WARN_ON_ONCE(uet_genl_put(&w, uet_genl_event_fill, event)))
		nlmsg_free(w.skb);
	else
		genlmsg_multicast_netns(&uet_genl_family, un->net, w.skb, 0,
					UET_NLGRP_EVENTS, GFP_KERNEL);
}

static bool uet_genl_events_drain(struct uet_net *un)
{
	int budget = UET_GENL_EVENTS_BATCH;
	struct uet_genl_event event;

	while (uet_event_take(un, &event.e, &event.lost)) {
		uet_genl_event_send(un, &event);
		cond_resched();
		if (!--budget)
			return true;
	}
	return false;
}

static bool uet_genl_events_wanted(const struct uet_net *un)
{
	return genl_has_listeners(&uet_genl_family, un->net, UET_NLGRP_EVENTS);
}

static const struct uet_event_sink uet_genl_event_sink = {
	.wanted	= uet_genl_events_wanted,
	.drain	= uet_genl_events_drain,
};

/* Context: flow lock held */
static int uet_genl_path_event(struct notifier_block *nb, unsigned long what,
			       void *data)
{
	static const struct {
		bool			told;
		enum uet_nl_what	what;
	} of[] = {
		[UET_PATH_BAD]		= { true, UET_WHAT_PATH_BAD },
		[UET_PATH_GOOD]		= { true, UET_WHAT_PATH_GOOD },
		[UET_PATH_MOVED]	= { true, UET_WHAT_PATH_MOVED },
		[UET_PATH_PORT_DOWN]	= { true, UET_WHAT_PORT_DOWN },
		[UET_PATH_PORT_UP]	= { true, UET_WHAT_PORT_UP },
	};
	const struct uet_path_event *event = data;
	const struct uet_flow *flow = event->flow;
	struct uet_event e = {
		.local		= flow->peer->key.laddr,
		.remote		= flow->peer->key.raddr,
		.ccc		= flow->id,
		.ev		= event->ev,
		.ifindex	= event->ifindex,
	};

	if (what >= ARRAY_SIZE(of) || !of[what].told)
		return NOTIFY_DONE;
	e.what = of[what].what;
	uet_event_tell(flow->peer->fep->un, &e);
	return NOTIFY_DONE;
}

static struct notifier_block uet_genl_paths = {
	.notifier_call = uet_genl_path_event,
};

/**
 * uet_genl_events_init() - send events from now on
 *
 * Context: process, the family is registered.
 * Return: 0 or -EEXIST.
 */
int uet_genl_events_init(void)
{
	int err = uet_path_register(&uet_genl_paths);

	BUILD_BUG_ON(ARRAY_SIZE(uet_genl_event_has) !=
		     UET_WHAT_RULE_DELETED + 1);
	if (!err)
		uet_event_sink_set(&uet_genl_event_sink);
	return err;
}

/**
 * uet_genl_events_exit() - send no more events
 *
 * Context: process, the family is still registered.
 */
void uet_genl_events_exit(void)
{
	uet_event_sink_set(NULL);
	uet_path_unregister(&uet_genl_paths);
}
