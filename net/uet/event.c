// SPDX-License-Identifier: GPL-2.0
/*
 * Events of a namespace, on their way to listeners of netlink. See event.h.
 *
 * Not here: where they happen, and their messages (ctl/genl/event.c).
 */
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/rcupdate.h>
#include <linux/rwsem.h>
#include <linux/slab.h>

#include "base.h"
#include "compat.h"
#include "event.h"

static const struct uet_event_sink __rcu *uet_event_sink;
/* Readers: work items that use the sink */
static DECLARE_RWSEM(uet_event_sem);

/**
 * uet_event_sink_set() - say who sends events
 * @sink: the sink; NULL: nobody any more. What it was before is no longer used when
 *	this returns
 *
 * Context: process.
 */
void uet_event_sink_set(const struct uet_event_sink *sink)
{
	down_write(&uet_event_sem);
	rcu_assign_pointer(uet_event_sink, sink);
	up_write(&uet_event_sem);
	synchronize_rcu();
}

/**
 * uet_event_wanted() - does somebody listen to events?
 * @un: namespace
 *
 * For callers to whom it is work to describe an event.
 *
 * Context: any.
 * Return: false if nobody does.
 */
bool uet_event_wanted(const struct uet_net *un)
{
	const struct uet_event_sink *sink;
	bool wanted;

	rcu_read_lock();
	sink = rcu_dereference(uet_event_sink);
	wanted = sink && sink->wanted(un);
	rcu_read_unlock();
	return wanted;
}

/* Go on with a larger ring; returns the one before. */
static struct uet_event *uet_events_move(struct uet_events *evs,
					 struct uet_event *ring, u32 size)
{
	struct uet_event *old = evs->ring;
	u32 i;

	lockdep_assert_held(&evs->lock);
	for (i = 0; i < evs->nr; i++)
		ring[i] = old[(evs->first + i) % evs->size];
	evs->ring = ring;
	WRITE_ONCE(evs->size, size);
	evs->first = 0;
	return old;
}

/* Room in a full ring. The first events may be many at a time: what a switch that dies
 * takes along is told by one packet after the other, and the work runs later.
 */
static void uet_events_room(struct uet_events *evs)
{
	struct uet_event *ring;

	lockdep_assert_held(&evs->lock);
	if (evs->ring == evs->few) {
		ring = kmalloc_array(UET_EVENTS_BURST, sizeof(*ring),
				     GFP_ATOMIC | __GFP_ACCOUNT | __GFP_NOWARN);
		if (ring) {
			uet_events_move(evs, ring, UET_EVENTS_BURST);
			return;
		}
	}
	evs->first = (evs->first + 1) % evs->size;
	evs->nr--;
}

/**
 * uet_event_tell() - put an event in the ring, if somebody listens
 * @un: namespace
 * @event: the event; its number and time are set here
 *
 * Context: any, also with locks held.
 */
void uet_event_tell(struct uet_net *un, const struct uet_event *event)
{
	struct uet_events *evs = &un->events;
	struct uet_event *slot;
	unsigned long flags;

	if (likely(!uet_event_wanted(un)))
		return;
	spin_lock_irqsave(&evs->lock, flags);
	if (evs->nr == evs->size)
		uet_events_room(evs);
	slot = &evs->ring[(evs->first + evs->nr++) % evs->size];
	*slot = *event;
	slot->seq = ++evs->seq;
	slot->time = ktime_get_real_ns();
	spin_unlock_irqrestore(&evs->lock, flags);
	queue_work(system_dfl_wq, &evs->work);
}

/**
 * uet_event_take() - take the oldest event out of the ring
 * @un: namespace
 * @event: set to it
 * @lost: set to the number of events before it that the ring has lost
 *
 * Context: process, the sink's work only.
 * Return: false if there is none.
 */
bool uet_event_take(struct uet_net *un, struct uet_event *event, u32 *lost)
{
	struct uet_events *evs = &un->events;
	bool found;

	spin_lock_irq(&evs->lock);
	found = evs->nr;
	if (found) {
		*event = evs->ring[evs->first];
		evs->first = (evs->first + 1) % evs->size;
		evs->nr--;
		*lost = event->seq - evs->taken - 1;
		evs->taken = event->seq;
	}
	spin_unlock_irq(&evs->lock);
	return found;
}

/* Without memory the ring stays, and the next work tries again. */
static void uet_events_grow(struct uet_events *evs)
{
	struct uet_event *ring, *old;

	/* Nobody else makes it that large. */
	if (READ_ONCE(evs->size) == UET_EVENTS_MANY)
		return;
	ring = kvmalloc_array(UET_EVENTS_MANY, sizeof(*ring), GFP_KERNEL_ACCOUNT);
	if (!ring)
		return;
	spin_lock_irq(&evs->lock);
	old = uet_events_move(evs, ring, UET_EVENTS_MANY);
	spin_unlock_irq(&evs->lock);
	if (old != evs->few)
		kfree(old);
}

static void uet_events_work(struct work_struct *work)
{
	struct uet_events *evs = container_of(work, struct uet_events, work);
	struct uet_net *un = container_of(evs, struct uet_net, events);
	const struct uet_event_sink *sink;

	uet_events_grow(evs);
	down_read(&uet_event_sem);
	sink = rcu_dereference_protected(uet_event_sink, true);
	/* In batches, for uet_event_sink_set() */
	if (sink && sink->drain(un))
		queue_work(system_dfl_wq, &evs->work);
	up_read(&uet_event_sem);
}

/**
 * uet_event_limit() - a limit was reached
 * @un: namespace
 * @limit: which
 *
 * Told once a second at most.
 *
 * Context: any.
 */
void uet_event_limit(struct uet_net *un, enum uet_limit limit)
{
	static const char * const names[] = {
		[UET_LIMIT_PDC_MAX]		= "pdc_max",
		[UET_LIMIT_PDC_MAX_PER_PEER]	= "pdc_max_per_peer",
		[UET_LIMIT_PDCIDS]		= "pdcids",
		[UET_LIMIT_USER_PDCS]		= "user_pdcs",
		[UET_LIMIT_USER_EPS]		= "user_eps",
		[UET_LIMIT_MEM]			= "mem",
	};
	struct uet_event event = {
		.what = UET_WHAT_LIMIT,
		.name = names[limit],
	};
	unsigned long *at = &un->events.limit_at[limit];
	unsigned long last = READ_ONCE(*at), now = jiffies;

	BUILD_BUG_ON(ARRAY_SIZE(names) != UET_LIMITS);
	if (time_before(now, last + HZ) || !uet_event_wanted(un) ||
	    cmpxchg(at, last, now) != last)
		return;
	uet_event_tell(un, &event);
}

/**
 * uet_event_param() - a setting of the namespace was set
 * @un: namespace
 * @name: its name, never freed
 *
 * Context: any.
 */
void uet_event_param(struct uet_net *un, const char *name)
{
	struct uet_event event = {
		.what = UET_WHAT_PARAM_CHANGED,
		.name = name,
	};

	uet_event_tell(un, &event);
}

/**
 * uet_event_rule() - settings of a prefix of peers were changed or deleted
 * @un: namespace
 * @prefix: the prefix
 * @plen: its length
 * @deleted: it has none any more
 *
 * Context: any.
 */
void uet_event_rule(struct uet_net *un, const struct in6_addr *prefix, u8 plen,
		    bool deleted)
{
	struct uet_event event = {
		.what	= deleted ? UET_WHAT_RULE_DELETED : UET_WHAT_RULE_CHANGED,
		.remote	= *prefix,
		.plen	= plen,
	};

	uet_event_tell(un, &event);
}

/**
 * uet_events_init() - prepare the events of a namespace
 * @un: namespace
 */
void uet_events_init(struct uet_net *un)
{
	struct uet_events *evs = &un->events;
	int i;

	spin_lock_init(&evs->lock);
	evs->ring = evs->few;
	evs->size = UET_EVENTS_FEW;
	INIT_WORK(&evs->work, uet_events_work);
	/* In the past: jiffies do not begin at 0 */
	for (i = 0; i < UET_LIMITS; i++)
		evs->limit_at[i] = jiffies - HZ;
}

/**
 * uet_events_exit() - drop the events of a namespace in which nothing happens
 * @un: namespace
 *
 * Context: process.
 */
void uet_events_exit(struct uet_net *un)
{
	struct uet_events *evs = &un->events;

	cancel_work_sync(&evs->work);
	if (evs->ring != evs->few)
		kvfree(evs->ring);
}
