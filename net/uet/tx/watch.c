// SPDX-License-Identifier: GPL-2.0
/*
 * Destinations that a socket watches (UET_WATCH): it sends a NO_OP request
 * periodically and reports when the result changes.
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

#include "core/wire_ses.h"
#include "mib.h"
#include "sock.h"
#include "tx/pds.h"
#include "tx/report.h"
#include "tx/txmsg.h"
#include "tx/watch.h"
#include "tx/wmem.h"

/* A PDC may end for harmless reasons: report the loss of this many in a row. */
#define UET_WATCH_RESETS	3

/**
 * struct uet_watch - a destination that is watched
 * @node: in uet_watches.list
 * @dest: queue of its probes, with a reference
 * @cookie: for reports
 * @interval: between two probes, ns
 * @timeout: of a probe, ns; 0 = that of the peer
 * @next: when the next probe goes, ns
 * @busy: a probe is under way
 * @resets: PDCs lost in a row without an answer; changes when a probe ends
 * @error: errno that was reported last, 0 = the endpoint exists; changes when
 *	a probe ends
 */
struct uet_watch {
	struct list_head	node;
	struct uet_dest		*dest;
	u64			cookie;
	u64			interval;
	u64			timeout;
	u64			next;
	bool			busy;
	u8			resets;
	int			error;
};

/**
 * struct uet_watches - the watches of a socket
 * @us: the socket
 * @lock: protects @list and the fields that the end of a probe does not change.
 *	Nests in the socket lock, outside all others
 * @list: struct uet_watch
 * @nr: length of @list
 * @work: sends probes
 */
struct uet_watches {
	struct uet_sock		*us;
	struct mutex		lock;	/* list */
	struct list_head	list;
	u32			nr;
	struct delayed_work	work;
};

static void uet_watch_report(struct uet_watch *w, int error, u8 source,
			     u16 code)
{
	struct uet_dest *dest = w->dest;
	struct uet_report rep = {
		.error		= error,
		.type		= UET_REPORT_WATCH,
		.source		= source,
		.code		= code,
		.cookie		= w->cookie,
		.cookie_last	= w->cookie,
	};
	struct sockaddr_uet peer;

	UET_INC(dest->un, WATCH_REPORTS);
	uet_dest_name(&dest->key, &peer);
	uet_sock_report(dest->us, &rep, &peer);
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

static void uet_watch_judge(struct uet_watch *w, int error, u8 source, u16 code)
{
	int verdict = uet_watch_verdict(w, error, source, code);

	if (verdict < 0 || verdict == w->error)
		return;
	/* An endpoint that is bound anew exists. */
	w->error = code == UET_RC_BAD_GENERATION && source == UET_REPORT_SES ?
		   0 : verdict;
	uet_watch_report(w, verdict, source, code);
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

	uet_watch_judge(w, error < 0 ? -error : error, source, code);
	/* Pairs with uet_watch_probe() */
	smp_store_release(&w->busy, false);
}

static void uet_watch_probe(struct uet_sock *us, struct uet_watch *w, u64 now)
{
	struct uet_txmsg *msg;
	int err;

	/* Pairs with uet_watch_answered() */
	if (smp_load_acquire(&w->busy))
		return;
	msg = uet_txmsg_alloc(us, w->dest, 0);
	if (!msg)
		return;
	w->busy = true;
	if (w->timeout)
		msg->deadline = now + w->timeout;
	UET_INC(us->un, WATCH_PROBES);
	err = uet_pds_submit(msg);
	if (err) {
		uet_txmsg_put(msg);
		uet_watch_judge(w, -err, UET_REPORT_LOCAL, 0);
		w->busy = false;
	} else if (w->timeout) {
		uet_tx_expire(us, now + w->timeout);
	}
}

static void uet_watch_work(struct work_struct *work)
{
	struct uet_watches *ws = container_of(to_delayed_work(work),
					      struct uet_watches, work);
	u64 now = ktime_get_ns(), next = U64_MAX;
	struct uet_watch *w;

	mutex_lock(&ws->lock);
	list_for_each_entry(w, &ws->list, node) {
		if (w->next <= now) {
			uet_watch_probe(ws->us, w, now);
			w->next = now + w->interval;
		}
		next = min(next, w->next);
	}
	if (ws->nr)
		mod_delayed_work(system_wq, &ws->work,
				 nsecs_to_jiffies(next - now) + 1);
	mutex_unlock(&ws->lock);
}

static struct uet_watches *uet_watches_get(struct uet_sock *us)
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
	us->watches = ws;
	return ws;
}

static struct uet_watch *uet_watch_find(struct uet_watches *ws,
					const struct uet_dest_key *key)
{
	struct uet_watch *w;

	list_for_each_entry(w, &ws->list, node) {
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
	err = uet_dest_watch(us, key, w, &w->dest);
	if (err) {
		sock_kfree_s(&us->sk, w, sizeof(*w));
		return err;
	}
	list_add_tail(&w->node, &ws->list);
	ws->nr++;
	*out = w;
	return 0;
}

static void uet_watch_end(struct uet_watches *ws, struct uet_watch *w)
{
	/* From now on the queue does not lead to the watch. */
	uet_dest_drop(ws->us, w->dest);
	uet_dest_put(w->dest);
	list_del(&w->node);
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
	w->next = 0;
	mod_delayed_work(system_wq, &ws->work, 0);
	return 0;
}

static bool uet_watch_ms_valid(u32 ms)
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
	if (us->watches)
		cancel_delayed_work_sync(&us->watches->work);
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
	list_for_each_entry_safe(w, next, &ws->list, node) {
		uet_dest_put(w->dest);
		sock_kfree_s(&us->sk, w, sizeof(*w));
	}
	us->watches = NULL;
	kfree(ws);
}
