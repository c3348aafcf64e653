// SPDX-License-Identifier: GPL-2.0
/*
 * Keep-alive: with SO_KEEPALIVE the peers that a socket talked to (tx/queue/contact.c) are
 * probed after UET_KEEPALIVE_IDLE of silence, then each UET_KEEPALIVE_INTERVAL. A
 * peer that is lost is not probed: it is there again when it is heard.
 *
 * The queue of a probe exists as long as the probe is under way and the number of
 * probes is limited, so that thousands of peers take little memory.
 *
 * Not here: probes and the work that is due (tx/queue/watch.c).
 */
#include <linux/jiffies.h>
#include <linux/ktime.h>

#include "sock.h"
#include "tx/msg/txmsg.h"
#include "tx/queue/contact.h"
#include "tx/queue/watch.h"

/* Probes of a socket under way: as many as it may ask for by UET_WATCH */
#define UET_CONTACT_PROBES	UET_WATCH_MAX
/* A peer waits that long for others to be answered */
#define UET_CONTACT_WAIT_NS	(50 * NSEC_PER_MSEC)

/* ns from one probe to the next of a peer that says nothing else */
static u64 uet_contact_interval(const struct uet_sock *us)
{
	u32 ms = READ_ONCE(us->ka_interval);

	return ms ? (u64)ms * NSEC_PER_MSEC : uet_contact_idle(us);
}

/**
 * uet_contact_unprobe() - a probe is over: drop its queue
 * @ws: watches of the socket, locked
 * @c: the contact
 */
void uet_contact_unprobe(struct uet_watches *ws, struct uet_contact *c)
{
	struct uet_dest *dest = c->w.dest;

	lockdep_assert_held(&ws->lock);
	if (!dest)
		return;
	WRITE_ONCE(c->generation, READ_ONCE(dest->q.generation));
	uet_dest_drop(ws->us, dest);
	uet_dest_put(dest);
	c->w.dest = NULL;
	ws->contacts->nr_probing--;
	spin_lock_bh(&ws->queue_lock);
	c->probing = false;
	spin_unlock_bh(&ws->queue_lock);
}

/**
 * uet_contacts_reap() - drop the queues of probes that were answered
 * @ws: watches of the socket, locked
 */
void uet_contacts_reap(struct uet_watches *ws)
{
	struct uet_contact *c, *next;

	lockdep_assert_held(&ws->lock);
	if (!ws->contacts)
		return;
	llist_for_each_entry_safe(c, next, llist_del_all(&ws->contacts->done),
				  done)
		uet_contact_unprobe(ws, c);
}

/**
 * uet_contact_answered() - the probe of a contact has ended
 * @ws: watches of the socket
 * @w: its watch
 *
 * Context: lock of the queue or of its flow held.
 */
void uet_contact_answered(struct uet_watches *ws, struct uet_watch *w)
{
	llist_add(&uet_contact_of(w)->done, &ws->contacts->done);
	uet_watch_kick(ws);
}

/* Send a probe. Returns false if there are too many. */
static bool uet_contact_probe(struct uet_watches *ws, struct uet_contact *c,
			      u64 now)
{
	struct uet_sock *us = ws->us;

	if (ws->contacts->nr_probing >= UET_CONTACT_PROBES)
		return false;
	c->w.timeout = (u64)READ_ONCE(us->ka_timeout) * NSEC_PER_MSEC;
	if (uet_dest_watch(us, &c->key, &c->w, &c->w.dest)) {
		c->w.dest = NULL;
		return false;
	}
	c->w.dest->q.generation = READ_ONCE(c->generation);
	ws->contacts->nr_probing++;
	spin_lock_bh(&ws->queue_lock);
	c->probing = true;
	spin_unlock_bh(&ws->queue_lock);
	c->probed = jiffies;
	if (!uet_watch_probe(us, &c->w, now))
		uet_contact_unprobe(ws, c);
	return true;
}

/* ns after which to look again, as the peer may be heard meanwhile */
static u64 uet_contact_again(const struct uet_sock *us)
{
	return min(uet_contact_idle(us), uet_contact_interval(us));
}

/* ns until a contact is to be probed, 0 = now. A lost one is not probed. */
static u64 uet_contact_wait(const struct uet_sock *us,
			    const struct uet_contact *c)
{
	unsigned long heard = READ_ONCE(c->heard), now = jiffies, at;

	if (READ_ONCE(c->w.error) || c->w.dest)
		return uet_contact_again(us);
	at = heard + nsecs_to_jiffies(uet_contact_idle(us));
	if (time_after(c->probed, heard))
		at = c->probed + nsecs_to_jiffies(uet_contact_interval(us));
	return time_after(at, now) ? jiffies_to_nsecs(at - now) : 0;
}

/**
 * uet_contact_due() - look whether a contact is to be probed
 * @ws: watches of the socket, locked
 * @w: watch of the contact, taken from the queue with a reference
 * @now: time, ns
 */
void uet_contact_due(struct uet_watches *ws, struct uet_watch *w, u64 now)
{
	struct uet_contact *c = uet_contact_of(w);
	u64 wait = uet_contact_wait(ws->us, c);

	lockdep_assert_held(&ws->lock);
	if (!wait)
		wait = uet_contact_probe(ws, c, now) ?
		       uet_contact_again(ws->us) : UET_CONTACT_WAIT_NS;
	spin_lock_bh(&ws->queue_lock);
	if (!hlist_unhashed(&c->hash) && READ_ONCE(ws->us->keepalive))
		uet_watch_enqueue(ws, w, now + wait);
	spin_unlock_bh(&ws->queue_lock);
	uet_contact_put(c);
}

/**
 * uet_contacts_keepalive() - SO_KEEPALIVE, or its times have changed
 * @us: the socket, locked
 * @on: probe peers
 *
 * Contacts that are not to be probed leave the queue as their time comes.
 */
void uet_contacts_keepalive(struct uet_sock *us, bool on)
{
	struct uet_watches *ws = us->watches;
	u64 now = ktime_get_ns();
	struct uet_contact *c;

	WRITE_ONCE(us->keepalive, on);
	if (!on || !us->peer_events)
		return;
	spin_lock_bh(&ws->queue_lock);
	list_for_each_entry(c, &ws->contacts->lru, lru)
		uet_watch_enqueue(ws, &c->w, now);
	spin_unlock_bh(&ws->queue_lock);
	uet_watch_kick(ws);
}
