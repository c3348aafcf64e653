// SPDX-License-Identifier: GPL-2.0
/*
 * Destinations that a socket watches (UET_WATCH): it sends a NO_OP request
 * periodically and reports when the result changes. Peers that it talked to are
 * probed in the same way (tx/queue/contact.c).
 *
 * A probe is an empty message in a queue of its own. It is sent like any
 * message: by a PDC for the peer, retransmitted if lost, with a deadline if the
 * watch has one. It is charged to no send buffer: each watch has one probe at a
 * time, and the watches of a socket are limited.
 *
 * The target checks whether the endpoint exists. The generation of its resource
 * index, which the first probe learns, changes when the endpoint is bound anew,
 * for example after a restart of the process or the host.
 */
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/workqueue.h>
#include <net/ipv6.h>

#include "compat.h"
#include "core/wire/wire_ses.h"
#include "mib.h"
#include "sock.h"
#include "tx/msg/report.h"
#include "tx/msg/txmsg.h"
#include "tx/msg/wmem.h"
#include "tx/pds/pds.h"
#include "tx/queue/watch.h"

/* A PDC may end for harmless reasons: report the loss of this many in a row. */
#define UET_WATCH_RESETS	3

static bool uet_watch_report(struct uet_sock *us, const struct uet_watch *w,
			     const struct uet_dest_key *key, int error,
			     u8 source, u16 code)
{
	struct uet_report rep = {
		.error		= error,
		.type		= w->type,
		.source		= source,
		.code		= code,
		.cookie		= READ_ONCE(w->cookie),
		.cookie_last	= READ_ONCE(w->cookie),
	};
	struct sockaddr_uet peer;

	if (w->type == UET_REPORT_WATCH)
		UET_INC(us->un, WATCH_REPORTS);
	else
		UET_INC(us->un, PEER_REPORTS);
	uet_dest_name(key, &peer);
	return uet_sock_report(us, &rep, &peer, NULL, NULL);
}

/**
 * uet_watch_state() - note the state of an endpoint, and report what changed
 * @w: the watch
 * @key: of a queue for the endpoint
 * @us: its socket
 * @state: 0 = the endpoint exists, else an errno
 * @source: enum uet_report_source
 * @code: meaning depends on @source
 *
 * Context: any; the socket cannot close meanwhile.
 */
void uet_watch_state(struct uet_watch *w, const struct uet_dest_key *key,
		     struct uet_sock *us, int state, u8 source, u16 code)
{
	int old = READ_ONCE(w->error);

	if (old == state)
		return;
	if (old == UET_WATCH_UNHEARD) {
		if (!state)
			WRITE_ONCE(w->error, 0);
		return;
	}
	/* An endpoint that is bound anew exists. */
	if (code == UET_RC_BAD_GENERATION && source == UET_REPORT_SES)
		WRITE_ONCE(w->error, 0);
	/* Messages of several queues may end at once: one of them reports. */
	else if (xchg(&w->error, state) == state)
		return;
	/* Without room for the report it is found and told again later. */
	if (!uet_watch_report(us, w, key, state, source, code))
		WRITE_ONCE(w->error, old);
	uet_contact_doubt(us->watches, w);
}

/* Result of a probe: an errno, 0 = the endpoint exists, -1 = unknown */
static int uet_watch_verdict(struct uet_watch *w, int error, u8 source,
			     u16 code)
{
	switch (error) {
	case 0:
		break;
	case EOPNOTSUPP:
	case EREMOTEIO:
		/* The host answers, if only by an SES error. */
		if (source != UET_REPORT_SES)
			return error;
		break;
	case ECONNRESET:
		if (source == UET_REPORT_SES || ++w->resets >= UET_WATCH_RESETS)
			return error;
		return -1;
	case EADDRNOTAVAIL:
	case ECANCELED:
	case ENETDOWN:
	case ENOBUFS:
	case ENOMEM:
	case EAGAIN:
		/* An error of this host */
		return -1;
	default:
		return error;
	}
	w->resets = 0;
	return 0;
}

static void uet_watch_judge(struct uet_sock *us, struct uet_watch *w, int error,
			    u8 source, u16 code)
{
	int verdict = uet_watch_verdict(w, error, source, code);

	/* It may have counted a reset, which a message takes back. */
	if (error)
		uet_contact_doubt(us->watches, w);
	if (verdict >= 0)
		uet_watch_state(w, &w->dest->key, us, verdict, source, code);
}

/**
 * uet_watch_answered() - handle the end of a probe
 * @dest: its queue, which still has a socket
 * @error: 0 or an errno, of either sign
 * @source: enum uet_report_source
 * @code: meaning depends on @source
 *
 * Context: lock of the queue or of its flow held.
 */
void uet_watch_answered(struct uet_dest *dest, int error, u8 source, u16 code)
{
	struct uet_watch *w = dest->watch;
	struct uet_sock *us = dest->us;

	uet_watch_judge(us, w, error < 0 ? -error : error, source, code);
	/* Pairs with uet_watch_probe() */
	smp_store_release(&w->busy, false);
	if (w->type == UET_REPORT_PEER)
		uet_contact_answered(us->watches, w);
}

/**
 * uet_watch_probe() - send a probe, unless one is under way
 * @us: the socket
 * @w: the watch, with a queue
 * @now: time, ns
 *
 * Context: process, uet_watches.lock held.
 * Return: true if uet_watch_answered() was or will be called.
 */
bool uet_watch_probe(struct uet_sock *us, struct uet_watch *w, u64 now)
{
	struct uet_txmsg *msg;
	int err;

	lockdep_assert_held(&us->watches->lock);
	/* Pairs with uet_watch_answered() */
	if (smp_load_acquire(&w->busy))
		return true;
	uet_dest_hold(w->dest);
	msg = uet_txmsg_alloc(us, w->dest, 0);
	if (!msg) {
		uet_dest_put(w->dest);
		return false;
	}
	w->busy = true;
	if (w->timeout)
		msg->deadline = now + w->timeout;
	UET_INC(us->un, WATCH_PROBES);
	err = uet_pds_submit(msg, false);
	if (err) {
		uet_txmsg_put(msg);
		uet_watch_judge(us, w, -err, UET_REPORT_LOCAL, 0);
		w->busy = false;
		return false;
	}
	if (w->timeout)
		uet_tx_expire(us, now + w->timeout);
	return true;
}

static bool uet_watch_less(struct rb_node *a, const struct rb_node *b)
{
	return rb_entry(a, struct uet_watch, node)->next <
	       rb_entry(b, struct uet_watch, node)->next;
}

/**
 * uet_watch_enqueue() - look at a watch at a given time
 * @ws: watches of its socket
 * @w: the watch
 * @next: the time, ns
 *
 * The caller sees to it that the work runs then.
 *
 * Context: uet_watches.queue_lock held.
 */
void uet_watch_enqueue(struct uet_watches *ws, struct uet_watch *w, u64 next)
{
	lockdep_assert_held(&ws->queue_lock);
	uet_watch_dequeue(ws, w);
	w->next = next;
	rb_add_cached(&w->node, &ws->queue, uet_watch_less);
}

/**
 * uet_watch_dequeue() - undo uet_watch_enqueue()
 * @ws: watches of its socket
 * @w: the watch, queued or not
 *
 * Context: uet_watches.queue_lock held.
 */
void uet_watch_dequeue(struct uet_watches *ws, struct uet_watch *w)
{
	lockdep_assert_held(&ws->queue_lock);
	if (RB_EMPTY_NODE(&w->node))
		return;
	rb_erase_cached(&w->node, &ws->queue);
	RB_CLEAR_NODE(&w->node);
}

/* Take the next watch that is due, if any. */
static struct uet_watch *uet_watch_take(struct uet_watches *ws, u64 now)
{
	struct uet_watch *w = NULL;
	struct rb_node *node;

	spin_lock_bh(&ws->queue_lock);
	node = rb_first_cached(&ws->queue);
	if (node && rb_entry(node, struct uet_watch, node)->next <= now) {
		w = rb_entry(node, struct uet_watch, node);
		uet_watch_dequeue(ws, w);
		if (w->type == UET_REPORT_PEER)
			uet_contact_get(w);
	}
	spin_unlock_bh(&ws->queue_lock);
	return w;
}

/**
 * uet_watch_kick() - have the queue looked at now
 * @ws: the watches
 *
 * Context: any.
 */
void uet_watch_kick(struct uet_watches *ws)
{
	mod_delayed_work(system_percpu_wq, &ws->work, 0);
}

static void uet_watch_again(struct uet_watches *ws, u64 now)
{
	struct rb_node *node;
	u64 next = 0;

	spin_lock_bh(&ws->queue_lock);
	node = rb_first_cached(&ws->queue);
	if (node)
		next = rb_entry(node, struct uet_watch, node)->next;
	spin_unlock_bh(&ws->queue_lock);
	if (node)
		mod_delayed_work(system_percpu_wq, &ws->work,
				 nsecs_to_jiffies(max(next, now) - now) + 1);
}

static void uet_watch_due(struct uet_watches *ws, struct uet_watch *w, u64 now)
{
	if (w->type == UET_REPORT_PEER) {
		uet_contact_due(ws, w, now);
		return;
	}
	uet_watch_probe(ws->us, w, now);
	spin_lock_bh(&ws->queue_lock);
	uet_watch_enqueue(ws, w, now + w->interval);
	spin_unlock_bh(&ws->queue_lock);
}

static void uet_watch_work(struct work_struct *work)
{
	struct uet_watches *ws = container_of(to_delayed_work(work),
					      struct uet_watches, work);
	struct mem_cgroup *memcg = uet_sock_charge_begin(ws->us);
	u64 now = ktime_get_ns();
	struct uet_watch *w;

	mutex_lock(&ws->lock);
	if (!ws->stopped) {
		/* What is looked at is due later than now afterwards. */
		while ((w = uet_watch_take(ws, now))) {
			uet_watch_due(ws, w, now);
			cond_resched();
		}
		uet_watch_again(ws, now);
		uet_contacts_reap(ws);
	}
	mutex_unlock(&ws->lock);
	uet_sock_charge_end(memcg);
}

/**
 * uet_watches_get() - the watches of a socket, made at first use
 * @us: the socket, locked
 *
 * Return: the watches, or NULL without memory.
 */
struct uet_watches *uet_watches_get(struct uet_sock *us)
{
	struct uet_watches *ws = us->watches;

	if (ws)
		return ws;
	ws = kzalloc(sizeof(*ws), GFP_KERNEL_ACCOUNT);
	if (!ws)
		return NULL;
	ws->us = us;
	mutex_init(&ws->lock);
	INIT_LIST_HEAD(&ws->list);
	INIT_DELAYED_WORK(&ws->work, uet_watch_work);
	spin_lock_init(&ws->queue_lock);
	ws->queue = RB_ROOT_CACHED;
	/* Pairs with the readers in contact.c */
	smp_store_release(&us->watches, ws);
	return ws;
}

static struct uet_watch *uet_watch_find(struct uet_watches *ws,
					const struct uet_dest_key *key)
{
	struct uet_watch *w;

	list_for_each_entry(w, &ws->list, list) {
		const struct uet_dest_key *k = &w->dest->key;

		if (ipv6_addr_equal(&k->raddr, &key->raddr) &&
		    k->scope == key->scope && k->job == key->job &&
		    k->pid == key->pid && k->ri == key->ri &&
		    k->absolute == key->absolute)
			return w;
	}
	return NULL;
}

static int uet_watch_new(struct uet_watches *ws, const struct uet_dest_key *key,
			 struct uet_watch **out)
{
	struct uet_sock *us = ws->us;
	struct uet_watch *w;
	int err;

	if (ws->nr >= UET_WATCH_MAX)
		return -ENOBUFS;
	/* Charged to net.core.optmem_max */
	w = sock_kmalloc(&us->sk, sizeof(*w), GFP_KERNEL_ACCOUNT);
	if (!w)
		return -ENOBUFS;
	memset(w, 0, sizeof(*w));
	RB_CLEAR_NODE(&w->node);
	w->type = UET_REPORT_WATCH;
	err = uet_dest_watch(us, key, w, &w->dest);
	if (err) {
		sock_kfree_s(&us->sk, w, sizeof(*w));
		return err;
	}
	list_add_tail(&w->list, &ws->list);
	ws->nr++;
	*out = w;
	return 0;
}

static void uet_watch_end(struct uet_watches *ws, struct uet_watch *w)
{
	spin_lock_bh(&ws->queue_lock);
	uet_watch_dequeue(ws, w);
	spin_unlock_bh(&ws->queue_lock);
	/* From now on the queue does not lead to the watch. */
	uet_dest_drop(ws->us, w->dest);
	uet_dest_put(w->dest);
	list_del(&w->list);
	ws->nr--;
	sock_kfree_s(&ws->us->sk, w, sizeof(*w));
}

static int uet_watch_change(struct uet_watches *ws, struct uet_watch *w,
			    const struct uet_dest_key *key,
			    const struct uet_watch_req *req)
{
	int err = 0;

	if (!req->interval) {
		if (!w)
			return -ENOENT;
		uet_watch_end(ws, w);
		return 0;
	}
	if (!w)
		err = uet_watch_new(ws, key, &w);
	if (err)
		return err;
	WRITE_ONCE(w->cookie, req->cookie);
	w->interval = (u64)req->interval * NSEC_PER_MSEC;
	w->timeout = (u64)req->timeout * NSEC_PER_MSEC;
	spin_lock_bh(&ws->queue_lock);
	uet_watch_enqueue(ws, w, 0);
	spin_unlock_bh(&ws->queue_lock);
	uet_watch_kick(ws);
	return 0;
}

/**
 * uet_watch_ms_valid() - is it a time that a watch may have?
 * @ms: ms, 0 = a default
 *
 * Return: true if so.
 */
bool uet_watch_ms_valid(u32 ms)
{
	return !ms || (ms >= UET_WATCH_MS_MIN && ms <= UET_WATCH_MS_MAX);
}

/**
 * uet_watch_valid() - are the numbers of a request in their ranges?
 * @req: from user space
 *
 * Return: true if so.
 */
bool uet_watch_valid(const struct uet_watch_req *req)
{
	return !req->reserved[0] && !req->reserved[1] &&
	       uet_watch_ms_valid(req->interval) &&
	       uet_watch_ms_valid(req->timeout);
}

/**
 * uet_watch_set() - begin, change or end a watch
 * @us: the socket
 * @key: queue of its probes
 * @req: from user space, valid
 *
 * Context: process, socket locked.
 * Return: 0, -ENOENT if there is none to end, -ENOBUFS at the limit.
 */
int uet_watch_set(struct uet_sock *us, const struct uet_dest_key *key,
		  const struct uet_watch_req *req)
{
	struct uet_watches *ws;
	int err;

	ws = uet_watches_get(us);
	if (!ws)
		return -ENOBUFS;
	mutex_lock(&ws->lock);
	err = uet_watch_change(ws, uet_watch_find(ws, key), key, req);
	mutex_unlock(&ws->lock);
	return err;
}

/**
 * uet_watch_stop() - stop all probes: the socket closes
 * @us: the socket; no system call is in it
 */
void uet_watch_stop(struct uet_sock *us)
{
	struct uet_watches *ws = us->watches;

	if (!ws)
		return;
	mutex_lock(&ws->lock);
	ws->stopped = true;
	mutex_unlock(&ws->lock);
	cancel_delayed_work_sync(&ws->work);
}

/**
 * uet_watch_free() - free all watches
 * @us: the socket; its queues are detached
 */
void uet_watch_free(struct uet_sock *us)
{
	struct uet_watches *ws = us->watches;
	struct uet_watch *w, *next;

	if (!ws)
		return;
	/* An answer may have queued it once more before the queues were detached. */
	cancel_delayed_work_sync(&ws->work);
	list_for_each_entry_safe(w, next, &ws->list, list) {
		uet_dest_put(w->dest);
		sock_kfree_s(&us->sk, w, sizeof(*w));
	}
	uet_contacts_free(ws);
	us->watches = NULL;
	kfree(ws);
}
