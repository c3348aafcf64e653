/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Peers that a socket talked to (tx/queue/contact.c), and how they are probed
 * (tx/queue/keepalive.c).
 */
#ifndef _UET_CONTACT_H
#define _UET_CONTACT_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/llist.h>
#include <linux/refcount.h>
#include <linux/time64.h>
#include <linux/types.h>

#include "sock.h"
#include "tx/msg/txmsg.h"
#include "tx/queue/watch.h"

#define UET_CONTACT_BITS	8

/**
 * struct uet_contact - an endpoint that a socket talked to
 * @w: how it is probed, and its state
 * @ref: the table, each queue to it, and who probes it
 * @hash: in uet_contacts.table
 * @lru: in uet_contacts.lru
 * @done: in uet_contacts.done: a probe has ended
 * @un: namespace that is charged
 * @key: of the queue for probes, made when it was first noted
 * @heard: when it was heard last, jiffies
 * @probed: when it was probed last, jiffies
 * @generation: of the endpoint at the last probe, 0 = not known
 * @probing: @w.dest is there; uet_watches.queue_lock
 *
 * uet_watches.queue_lock protects @hash and @lru, uet_watches.lock @probed.
 */
struct uet_contact {
	struct uet_watch	w;
	refcount_t		ref;
	struct hlist_node	hash;
	struct list_head	lru;
	struct llist_node	done;
	struct uet_net		*un;
	struct uet_dest_key	key;
	unsigned long		heard;
	unsigned long		probed;
	u8			generation;
	bool			probing;
};

/**
 * struct uet_contacts - the peers that a socket talked to
 * @table: struct uet_contact by endpoint; uet_watches.queue_lock
 * @lru: the same, noted last first; uet_watches.queue_lock
 * @nr: length of @lru; uet_watches.queue_lock
 * @nr_probing: probes under way; uet_watches.lock
 * @done: contacts whose probe has ended
 * @doubts: counts what may make the next message of a peer news
 * @heard: peer whose message was noted last; uet_sock.rx_lock, as the next two
 * @heard_at: when, jiffies
 * @heard_doubts: @doubts before that
 */
struct uet_contacts {
	struct hlist_head	table[1 << UET_CONTACT_BITS];
	struct list_head	lru;
	u32			nr;
	u32			nr_probing;
	struct llist_head	done;
	atomic_t		doubts;
	struct sockaddr_uet	heard;
	unsigned long		heard_at;
	int			heard_doubts;
};

static inline struct uet_contact *uet_contact_of(struct uet_watch *w)
{
	return container_of(w, struct uet_contact, w);
}

/* ns of silence before a peer is probed */
static inline u64 uet_contact_idle(const struct uet_sock *us)
{
	return (u64)READ_ONCE(us->ka_idle) * NSEC_PER_MSEC;
}

void uet_contact_put(struct uet_contact *c);
void uet_contact_unprobe(struct uet_watches *ws, struct uet_contact *c);

#endif /* _UET_CONTACT_H */
