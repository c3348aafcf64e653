/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Probes of endpoints: those that a socket watches (UET_WATCH, tx/queue/watch.c) and the
 * peers that it talked to (UET_PEER_EVENTS, tx/queue/contact.c).
 */
#ifndef _UET_WATCH_H
#define _UET_WATCH_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/rbtree.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/uet.h>
#include <linux/workqueue.h>

struct uet_contacts;
struct uet_dest;
struct uet_dest_key;
struct uet_sock;
struct uet_txmsg;

/* uet_watch.error: the endpoint was never heard, so it cannot be lost either */
#define UET_WATCH_UNHEARD	(-1)

/**
 * struct uet_watch - an endpoint that is probed
 * @node: in uet_watches.queue
 * @list: in uet_watches.list, if it was asked for by UET_WATCH
 * @dest: queue of its probes, with a reference; NULL while a peer is not probed
 * @cookie: for reports
 * @interval: between two probes, ns
 * @timeout: of a probe, ns; 0 = that of the peer
 * @next: when to look at it next, ns
 * @type: UET_REPORT_WATCH, or UET_REPORT_PEER: then it is in a struct uet_contact
 * @busy: a probe is under way
 * @resets: PDCs lost in a row without an answer; changes when a probe ends
 * @error: errno that was reported last, 0 = the endpoint exists, or
 *	%UET_WATCH_UNHEARD; changes when a probe or a message ends
 */
struct uet_watch {
	struct rb_node		node;
	struct list_head	list;
	struct uet_dest		*dest;
	u64			cookie;
	u64			interval;
	u64			timeout;
	u64			next;
	u8			type;
	bool			busy;
	u8			resets;
	int			error;
};

/**
 * struct uet_watches - what a socket watches
 * @us: the socket
 * @lock: protects @list, @stopped and the fields of a watch that the end of a probe
 *	does not change. Nests in the socket lock, outside all others
 * @list: struct uet_watch, those asked for by UET_WATCH
 * @nr: length of @list
 * @stopped: the socket closes
 * @work: sends probes
 * @queue_lock: protects @queue, and the table of @contacts; a leaf
 * @queue: struct uet_watch, by time
 * @contacts: peers that the socket talked to, or NULL; set under @lock
 */
struct uet_watches {
	struct uet_sock		*us;
	struct mutex		lock;	/* list */
	struct list_head	list;
	u32			nr;
	bool			stopped;
	struct delayed_work	work;
	spinlock_t		queue_lock;	/* queue, table of contacts */
	struct rb_root_cached	queue;
	struct uet_contacts	*contacts;
};

/* watch.c */
bool uet_watch_ms_valid(u32 ms);
bool uet_watch_valid(const struct uet_watch_req *req);
int uet_watch_set(struct uet_sock *us, const struct uet_dest_key *key,
		  const struct uet_watch_req *req);
void uet_watch_answered(struct uet_dest *dest, int error, u8 source, u16 code);
void uet_watch_stop(struct uet_sock *us);
void uet_watch_free(struct uet_sock *us);

struct uet_watches *uet_watches_get(struct uet_sock *us);
void uet_watch_enqueue(struct uet_watches *ws, struct uet_watch *w, u64 next);
void uet_watch_dequeue(struct uet_watches *ws, struct uet_watch *w);
void uet_watch_kick(struct uet_watches *ws);
bool uet_watch_probe(struct uet_sock *us, struct uet_watch *w, u64 now);
void uet_watch_state(struct uet_watch *w, const struct uet_dest_key *key,
		     struct uet_sock *us, int state, u8 source, u16 code);

/* contact.c: the socket layer */
int uet_contacts_set(struct uet_sock *us, bool on);
void uet_contact_heard(struct uet_sock *us, const struct uet_dest_key *key, gfp_t gfp);
bool uet_contact_heard_again(struct uet_sock *us, const struct sockaddr_uet *from);
void uet_contact_failed(struct uet_sock *us, const struct uet_dest_key *key,
			int error, gfp_t gfp);

/* ... queues and messages */
struct uet_watch *uet_contact_join(struct uet_sock *us,
				   const struct uet_dest_key *key);
void uet_contact_leave(struct uet_dest *dest);
void uet_contact_msg_done(const struct uet_txmsg *msg, int error, u8 source,
			  u16 code);
void uet_contact_pdc_gone(struct uet_dest *dest, int error, u8 source,
			  u16 code);

/* ... watches and probes */
void uet_contact_doubt(struct uet_watches *ws, const struct uet_watch *w);
void uet_contact_get(struct uet_watch *w);
void uet_contacts_free(struct uet_watches *ws);

/* keepalive.c */
void uet_contacts_keepalive(struct uet_sock *us, bool on);
void uet_contacts_reap(struct uet_watches *ws);
void uet_contact_due(struct uet_watches *ws, struct uet_watch *w, u64 now);
void uet_contact_answered(struct uet_watches *ws, struct uet_watch *w);

#endif /* _UET_WATCH_H */
