// SPDX-License-Identifier: GPL-2.0
/*
 * Peers that a socket talked to (UET_PEER_EVENTS): it reports when one of them that
 * was heard before is lost, and when it is heard again.
 *
 * What tells: messages that arrive or fail, the end of a PDC that an idle queue was
 * bound to, and with SO_KEEPALIVE probes of peers that are silent.
 *
 * A contact is made when a queue to the endpoint is made or a message of it is
 * read, and noted again only then and when a message is done: nothing is done per
 * packet. The number per socket is limited; a new one takes the place of one that
 * was noted long ago and has no queue.
 *
 * Not here: when a peer is probed (tx/queue/keepalive.c).
 */
#include <linux/jhash.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/once.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <net/ipv6.h>

#include "mib.h"
#include "sock.h"
#include "tx/msg/txmsg.h"
#include "tx/pds/pds.h"
#include "tx/queue/contact.h"
#include "tx/queue/watch.h"

/* Contacts that are examined for one to forget */
#define UET_CONTACT_SCAN	8

/**
 * uet_contact_put() - drop a reference
 * @c: the contact
 *
 * Context: any.
 */
void uet_contact_put(struct uet_contact *c)
{
	if (!refcount_dec_and_test(&c->ref))
		return;
	uet_mem_uncharge(c->un, sizeof(*c));
	kfree(c);
}

/**
 * uet_contact_get() - take a reference
 * @w: watch of a contact in the table
 */
void uet_contact_get(struct uet_watch *w)
{
	refcount_inc(&uet_contact_of(w)->ref);
}

static u32 uet_contact_hash(const struct uet_dest_key *key)
{
	static u32 seed __read_mostly;

	net_get_random_once(&seed, sizeof(seed));
	return jhash_3words(__ipv6_addr_jhash(&key->raddr, seed),
			    (u32)key->pid << 12 | key->ri, key->job, seed) >>
	       (32 - UET_CONTACT_BITS);
}

/* The same endpoint, whatever the way of sending to it? */
static bool uet_contact_is(const struct uet_contact *c,
			   const struct uet_dest_key *key)
{
	const struct uet_dest_key *k = &c->key;

	return ipv6_addr_equal(&k->raddr, &key->raddr) &&
	       k->scope == key->scope && k->job == key->job &&
	       k->pid == key->pid && k->ri == key->ri &&
	       k->absolute == key->absolute;
}

/* Find a contact and note that it is in use; uet_watches.queue_lock held. */
static struct uet_contact *uet_contact_find(struct uet_contacts *cs,
					    const struct uet_dest_key *key)
{
	struct uet_contact *c;

	hlist_for_each_entry(c, &cs->table[uet_contact_hash(key)], hash) {
		if (!uet_contact_is(c, key))
			continue;
		list_move(&c->lru, &cs->lru);
		return c;
	}
	return NULL;
}

static struct uet_contact *uet_contact_new(struct uet_sock *us,
					   const struct uet_dest_key *key, gfp_t gfp)
{
	struct uet_contact *c;

	if (!uet_mem_charge(us->un, sizeof(*c)))
		return NULL;
	c = kzalloc(sizeof(*c), gfp);
	if (!c) {
		uet_mem_uncharge(us->un, sizeof(*c));
		return NULL;
	}
	refcount_set(&c->ref, 1);
	RB_CLEAR_NODE(&c->w.node);
	c->w.type = UET_REPORT_PEER;
	c->w.error = UET_WATCH_UNHEARD;
	c->un = us->un;
	/* With its padding: keys of queues are compared by memcmp() */
	memcpy(&c->key, key, sizeof(*key));
	c->key.delivery = UET_RUD;
	c->key.alone = 0;
	/* Another key than that of a watch of UET_WATCH */
	c->key.watch = UET_REPORT_PEER;
	c->heard = jiffies;
	c->probed = jiffies;
	return c;
}

/* Take a contact out of the table; the caller puts the reference. */
static void uet_contact_forget(struct uet_watches *ws, struct uet_contact *c)
{
	lockdep_assert_held(&ws->queue_lock);
	uet_watch_dequeue(ws, &c->w);
	hlist_del_init(&c->hash);
	list_del_init(&c->lru);
	ws->contacts->nr--;
}

/* At the limit: forget one that was noted long ago and that nobody uses. */
static struct uet_contact *uet_contact_oldest(struct uet_watches *ws)
{
	struct uet_contacts *cs = ws->contacts;
	struct uet_contact *c, *prev;
	int n = UET_CONTACT_SCAN;

	list_for_each_entry_safe_reverse(c, prev, &cs->lru, lru) {
		if (!n--)
			break;
		if (!c->probing && refcount_read(&c->ref) == 1) {
			uet_contact_forget(ws, c);
			return c;
		}
		/* Examine others next time */
		list_move(&c->lru, &cs->lru);
	}
	return NULL;
}

/* Add a contact, unless another thread was faster. Returns the one in the table,
 * or NULL if there is no room; *gone is to be put.
 */
static struct uet_contact *uet_contact_add(struct uet_watches *ws,
					   struct uet_contact *new,
					   struct uet_contact **gone)
{
	struct uet_contacts *cs = ws->contacts;
	struct uet_contact *c = uet_contact_find(cs, &new->key);

	if (c) {
		*gone = new;
		return c;
	}
	if (cs->nr >= UET_PEERS_MAX) {
		*gone = uet_contact_oldest(ws);
		UET_INC(new->un, PEERS_FORGOTTEN);
		if (!*gone) {
			*gone = new;
			return NULL;
		}
	}
	hlist_add_head(&new->hash, &cs->table[uet_contact_hash(&new->key)]);
	list_add(&new->lru, &cs->lru);
	cs->nr++;
	if (READ_ONCE(ws->us->keepalive)) {
		uet_watch_enqueue(ws, &new->w, ktime_get_ns() +
				  uet_contact_idle(ws->us));
		/* The first one starts the work. */
		if (rb_first_cached(&ws->queue) == &new->w.node)
			uet_watch_kick(ws);
	}
	return new;
}

/* The contact of an endpoint, made if need be, with a reference */
static struct uet_contact *uet_contact_note(struct uet_sock *us,
					    const struct uet_dest_key *key, gfp_t gfp)
{
	struct uet_contact *c = NULL, *new, *gone = NULL;
	struct uet_watches *ws = us->watches;
	bool on;

	spin_lock_bh(&ws->queue_lock);
	on = us->peer_events;	/* It may have been switched off. */
	if (on)
		c = uet_contact_find(ws->contacts, key);
	if (c)
		refcount_inc(&c->ref);
	spin_unlock_bh(&ws->queue_lock);
	if (c || !on)
		return c;
	new = uet_contact_new(us, key, gfp);
	if (!new) {
		UET_INC(us->un, PEERS_FORGOTTEN);
		return NULL;
	}
	spin_lock_bh(&ws->queue_lock);
	if (us->peer_events)
		c = uet_contact_add(ws, new, &gone);
	else
		gone = new;
	if (c)
		refcount_inc(&c->ref);
	spin_unlock_bh(&ws->queue_lock);
	if (gone)
		uet_contact_put(gone);
	return c;
}

static void uet_contact_alive(struct uet_contact *c, struct uet_sock *us,
			      const struct uet_dest_key *key)
{
	int error = READ_ONCE(c->w.error);

	/* That it is another endpoint than before is no news then. */
	if (error == ECONNREFUSED || error == ECONNRESET)
		WRITE_ONCE(c->generation, 0);
	WRITE_ONCE(c->heard, jiffies);
	WRITE_ONCE(c->w.resets, 0);
	uet_watch_state(&c->w, key, us, 0, UET_REPORT_LOCAL, 0);
}

/**
 * uet_contact_heard() - a message of a peer was read
 * @us: the socket, with peer_events; it cannot close meanwhile
 * @key: of a queue to the peer, for unordered messages
 * @gfp: for a peer that is not known yet
 *
 * Context: any that @gfp allows.
 */
void uet_contact_heard(struct uet_sock *us, const struct uet_dest_key *key, gfp_t gfp)
{
	struct uet_contact *c = uet_contact_note(us, key, gfp);

	if (!c)
		return;
	uet_contact_alive(c, us, key);
	uet_contact_put(c);
}

static bool uet_contact_same(const struct sockaddr_uet *a, const struct sockaddr_uet *b)
{
	return a->suet_pid == b->suet_pid && a->suet_ri == b->suet_ri &&
	       a->suet_job == b->suet_job && a->suet_flags == b->suet_flags &&
	       a->suet_scope_id == b->suet_scope_id &&
	       ipv6_addr_equal(&a->suet_addr, &b->suet_addr);
}

/**
 * uet_contact_heard_again() - is the next message of a peer no news?
 * @us: the socket, with peer_events; it cannot close meanwhile
 * @from: the peer
 *
 * Messages of one peer come in rows, and what is noted of them has the grain of
 * jiffies: after the first one nothing changes before the next tick, unless there was
 * a doubt about a peer. If the answer is no the caller notes the message.
 *
 * Context: any.
 * Return: true if there is nothing to note.
 */
bool uet_contact_heard_again(struct uet_sock *us, const struct sockaddr_uet *from)
{
	struct uet_contacts *cs = us->watches->contacts;
	unsigned long now = jiffies;
	/* Before it is noted: a doubt that comes meanwhile counts. */
	int doubts = atomic_read(&cs->doubts);

	lockdep_assert_held(&us->rx_lock);
	if (cs->heard_at == now && cs->heard_doubts == doubts &&
	    uet_contact_same(&cs->heard, from))
		return true;
	cs->heard = *from;
	cs->heard_at = now;
	cs->heard_doubts = doubts;
	return false;
}

/**
 * uet_contact_doubt() - a message of a peer that was just heard would be news again
 * @ws: watches of the socket
 * @w: what there is a doubt about; nothing is done if it is not a peer
 *
 * Context: any; the socket cannot close meanwhile.
 */
void uet_contact_doubt(struct uet_watches *ws, const struct uet_watch *w)
{
	if (w->type == UET_REPORT_PEER)
		atomic_inc(&ws->contacts->doubts);
}

/**
 * uet_contact_failed() - a message of a peer broke off: its host was reset
 * @us: the socket, with peer_events; it cannot close meanwhile
 * @key: of a queue to the peer, for unordered messages
 * @error: errno
 * @gfp: for a peer that is not known yet
 *
 * Context: any that @gfp allows.
 */
void uet_contact_failed(struct uet_sock *us, const struct uet_dest_key *key,
			int error, gfp_t gfp)
{
	struct uet_contact *c = uet_contact_note(us, key, gfp);

	if (!c)
		return;
	uet_watch_state(&c->w, key, us, error, UET_REPORT_LOCAL, 0);
	uet_contact_put(c);
}

/**
 * uet_contact_join() - the contact for a new queue
 * @us: the socket, with peer_events
 * @key: of the queue
 *
 * Context: process.
 * Return: for uet_dest.watch, with a reference; NULL if the peer is not noted.
 */
struct uet_watch *uet_contact_join(struct uet_sock *us,
				   const struct uet_dest_key *key)
{
	struct uet_contact *c = uet_contact_note(us, key, GFP_KERNEL_ACCOUNT);

	return c ? &c->w : NULL;
}

/**
 * uet_contact_leave() - undo uet_contact_join(): the queue is freed
 * @dest: the queue
 *
 * Context: any.
 */
void uet_contact_leave(struct uet_dest *dest)
{
	if (dest->watch && !dest->key.watch)
		uet_contact_put(uet_contact_of(dest->watch));
}

/* What the end of a message says of the peer: an errno, 0 = it is there, -1 =
 * nothing
 */
static int uet_contact_verdict(int error, u8 source)
{
	switch (error) {
	case 0:
	case ECONNREFUSED:
	case ECONNRESET:
	case EHOSTUNREACH:
	case ENETUNREACH:
	case ETIMEDOUT:
		return error;
	default:
		return source == UET_REPORT_SES ? 0 : -1;
	}
}

static bool uet_contact_expired(const struct uet_txmsg *msg)
{
	return msg->deadline && ktime_get_ns() >= msg->deadline;
}

/**
 * uet_contact_msg_done() - a message to a peer arrived or failed
 * @msg: the message; its queue has a socket and a contact
 * @error: 0 or an errno, of either sign
 * @source: enum uet_report_source
 * @code: meaning depends on @source
 *
 * Context: lock of the queue or of its flow held.
 */
void uet_contact_msg_done(const struct uet_txmsg *msg, int error, u8 source,
			  u16 code)
{
	struct uet_dest *dest = msg->dest;
	struct uet_contact *c = uet_contact_of(dest->watch);
	int verdict = uet_contact_verdict(error < 0 ? -error : error, source);

	if (verdict < 0 || !uet_peer_events(dest->us))
		return;
	if (!verdict)
		uet_contact_alive(c, dest->us, &dest->key);
	/* The peer has not died because nobody read the message in time. */
	else if (verdict != ETIMEDOUT || !uet_contact_expired(msg))
		uet_watch_state(&c->w, &dest->key, dest->us, verdict, source,
				code);
}

/**
 * uet_contact_pdc_gone() - the PDC of an idle queue died
 * @dest: the queue
 * @error: why, errno, 0 = an orderly end
 * @source: enum uet_report_source
 * @code: meaning depends on @source
 *
 * Context: dest->lock held.
 */
void uet_contact_pdc_gone(struct uet_dest *dest, int error, u8 source,
			  u16 code)
{
	struct uet_contact *c;

	lockdep_assert_held(&dest->lock);
	/* It may be in use again; and a PDC may end for harmless reasons. */
	if (!dest->us || !dest->watch || dest->key.watch ||
	    !uet_peer_events(dest->us) || error <= 0 ||
	    error == ECONNRESET || uet_contact_verdict(error, source) <= 0)
		return;
	c = uet_contact_of(dest->watch);
	uet_watch_state(&c->w, &dest->key, dest->us, error, source, code);
}

static int uet_contacts_open(struct uet_watches *ws)
{
	struct uet_contacts *cs;

	if (ws->contacts)
		return 0;
	cs = kzalloc(sizeof(*cs), GFP_KERNEL_ACCOUNT);
	if (!cs)
		return -ENOBUFS;
	INIT_LIST_HEAD(&cs->lru);
	init_llist_head(&cs->done);
	ws->contacts = cs;
	return 0;
}

/* Forget all contacts; uet_watches.lock held. */
static void uet_contacts_clear(struct uet_watches *ws)
{
	struct uet_contacts *cs = ws->contacts;
	struct uet_contact *c, *next;
	LIST_HEAD(gone);

	lockdep_assert_held(&ws->lock);
	list_for_each_entry(c, &cs->lru, lru)
		uet_contact_unprobe(ws, c);
	/* Without queues no probe can end any more. */
	llist_del_all(&cs->done);
	spin_lock_bh(&ws->queue_lock);
	list_for_each_entry_safe(c, next, &cs->lru, lru) {
		uet_contact_forget(ws, c);
		list_add(&c->lru, &gone);
	}
	atomic_inc(&cs->doubts);
	spin_unlock_bh(&ws->queue_lock);
	list_for_each_entry_safe(c, next, &gone, lru)
		uet_contact_put(c);
}

/**
 * uet_contacts_set() - UET_PEER_EVENTS
 * @us: the socket, locked
 * @on: begin or end
 *
 * Return: 0 or -ENOBUFS.
 */
int uet_contacts_set(struct uet_sock *us, bool on)
{
	struct uet_watches *ws = us->watches;
	int err = 0;

	if (on == us->peer_events)
		return 0;
	if (!ws)
		ws = uet_watches_get(us);
	if (!ws)
		return -ENOBUFS;
	mutex_lock(&ws->lock);
	if (on)
		err = uet_contacts_open(ws);
	if (!err) {
		spin_lock_bh(&ws->queue_lock);
		/* Pairs with uet_peer_events() */
		smp_store_release(&us->peer_events, on);
		spin_unlock_bh(&ws->queue_lock);
	}
	if (!on)
		uet_contacts_clear(ws);
	mutex_unlock(&ws->lock);
	if (!err)
		uet_dest_drop_idle(us);
	return err;
}

/**
 * uet_contacts_free() - free all contacts: the socket closes
 * @ws: watches of the socket; its queues are detached, no work is queued
 */
void uet_contacts_free(struct uet_watches *ws)
{
	struct uet_contacts *cs = ws->contacts;
	struct uet_contact *c, *next;

	if (!cs)
		return;
	list_for_each_entry_safe(c, next, &cs->lru, lru) {
		if (c->w.dest)
			uet_dest_put(c->w.dest);
		uet_contact_put(c);
	}
	kfree(cs);
}
