// SPDX-License-Identifier: GPL-2.0
/*
 * Outgoing messages as objects: memory, charges, what becomes of them.
 *
 * Not here: their data (tx/msg/txdata.c), queues and states (core/snd/snd_queue.c,
 * tx/queue/bind.c), admission of messages (sock/sendmsg.c).
 */
#include <linux/slab.h>

#include "compat.h"
#include "mib.h"
#include "sock.h"
#include "tx/msg/done.h"
#include "tx/msg/op.h"
#include "tx/msg/report.h"
#include "tx/msg/txdata.h"
#include "tx/msg/txmsg.h"
#include "tx/msg/txpage.h"
#include "tx/msg/txpin.h"
#include "tx/msg/wmem.h"
#include "tx/pds/pds.h"
#include "tx/queue/watch.h"

#define CREATE_TRACE_POINTS
#include "tx/msg/trace_msg.h"

/* Messages that a socket keeps for reuse: about what one ACK completes */
#define UET_TXMSG_SPARES	32

static struct kmem_cache *uet_txmsg_cache;

/* A slab with a constructor is also exempt from init_on_alloc. */
static void uet_txmsg_ctor(void *p)
{
	struct uet_txmsg *msg = p;

	spin_lock_init(&msg->lock);
}

/**
 * uet_txmsg_cache_init() - make the slab caches
 *
 * Return: 0 or -ENOMEM.
 */
int uet_txmsg_cache_init(void)
{
	/* Short messages are copied from user space into the object */
	uet_txmsg_cache =
		kmem_cache_create_usercopy("uet_txmsg",
					   sizeof(struct uet_txmsg), 0,
					   SLAB_ACCOUNT | SLAB_HWCACHE_ALIGN |
					   SLAB_NO_MERGE,
					   offsetof(struct uet_txmsg,
						    inline_data),
					   UET_TXMSG_INLINE, uet_txmsg_ctor);
	if (uet_txmsg_cache && !uet_txdata_cache_init())
		return 0;
	kmem_cache_destroy(uet_txmsg_cache);
	return -ENOMEM;
}

/**
 * uet_txmsg_cache_exit() - destroy the slab caches
 */
void uet_txmsg_cache_exit(void)
{
	uet_txdata_cache_exit();
	kmem_cache_destroy(uet_txmsg_cache);
}

/* Take a message that is done and that the socket kept. */
static struct uet_txmsg *uet_txmsg_spare(struct uet_sock *us)
{
	struct llist_node *node;

	if (llist_empty(&us->tx_spare))
		return NULL;
	spin_lock(&us->dests_lock);
	node = llist_del_first(&us->tx_spare);
	spin_unlock(&us->dests_lock);
	if (!node)
		return NULL;
	atomic_dec(&us->tx_nr_spare);
	WRITE_ONCE(us->tx_pages.used, true);
	return llist_entry(node, struct uet_txmsg, spare);
}

/**
 * uet_txmsg_alloc() - a new message, empty
 * @us: its socket
 * @dest: its queue; the message takes over the caller's reference
 * @len: its length
 *
 * Context: process.
 * Return: the message with one reference, or NULL.
 */
struct uet_txmsg *uet_txmsg_alloc(struct uet_sock *us, struct uet_dest *dest,
				  u32 len)
{
	struct uet_txmsg *msg = uet_txmsg_spare(us);

	if (!msg)
		msg = kmem_cache_alloc(uet_txmsg_cache, GFP_KERNEL);
	if (!msg)
		return NULL;
	/* Later fields are written before they are read. */
	memset(msg, 0, offsetof(struct uet_txmsg, lock));
	INIT_LIST_HEAD(&msg->m.node);
	INIT_LIST_HEAD(&msg->park_node);
	INIT_LIST_HEAD(&msg->bufs);
	refcount_set(&msg->ref, 1);
	msg->dest = dest;
	msg->born = jiffies;
	msg->fed = msg->born;
	msg->m.queue = &dest->q;
	msg->m.len = len;
	msg->m.eom = true;
	msg->inlined = len <= UET_TXMSG_INLINE;
	return msg;
}

/* Account for more data of a message that has some. */
static noinline int uet_txmsg_charge_more(struct uet_txmsg *msg, struct uet_sock *us,
					  u32 bytes)
{
	if (!uet_mem_charge(us->un, bytes))
		return -ENOBUFS;
	spin_lock_bh(&msg->lock);
	msg->charged += bytes;
	/* Not if it failed a moment ago: nothing would uncharge it */
	if (msg->sk_charged)
		uet_sock_wcharge(us, msg->dest, bytes, false);
	spin_unlock_bh(&msg->lock);
	return 0;
}

/**
 * uet_txmsg_charge() - account for more data of a message
 * @msg: message
 * @us: its socket
 * @bytes: how much
 *
 * The first call also charges the message itself.
 *
 * Return: 0, or -ENOBUFS at the ceiling of the namespace.
 */
int uet_txmsg_charge(struct uet_txmsg *msg, struct uet_sock *us, u32 bytes)
{
	if (msg->mem_charged)
		return uet_txmsg_charge_more(msg, us, bytes);
	if (!uet_mem_charge(us->un, bytes + UET_TXMSG_OVERHEAD))
		return -ENOBUFS;
	/* No one else knows the message yet */
	msg->mem_charged = true;
	msg->sk_charged = true;
	msg->charged = bytes;
	uet_sock_wcharge(us, msg->dest, bytes, true);
	return 0;
}

/**
 * uet_txmsg_charge_lent() - account for a message whose data is lent
 * @msg: message
 * @us: its socket
 *
 * It takes no room in the send buffer: pages and completions of programs have limits of
 * their own.
 *
 * Return: 0, or -ENOBUFS at the ceiling of the namespace.
 */
int uet_txmsg_charge_lent(struct uet_txmsg *msg, struct uet_sock *us)
{
	if (!uet_mem_charge(us->un, UET_TXMSG_OVERHEAD))
		return -ENOBUFS;
	msg->mem_charged = true;
	msg->lent = true;
	return 0;
}

/**
 * uet_txmsg_uncharge() - data of a message was freed
 * @msg: message
 * @bytes: how much
 *
 * Context: flow lock held.
 */
void uet_txmsg_uncharge(struct uet_txmsg *msg, u32 bytes)
{
	struct uet_dest *dest = msg->dest;
	bool sk;

	uet_mem_uncharge(dest->un, bytes);
	spin_lock_bh(&msg->lock);
	msg->charged -= bytes;
	sk = msg->sk_charged;
	spin_unlock_bh(&msg->lock);
	if (sk && dest->us)
		uet_sock_wfree(dest->us, dest, bytes, false);
}

static noinline void uet_txmsg_unshare_streamed(struct uet_txmsg *msg,
						struct uet_sock *us)
{
	u32 charged;
	bool sk;

	spin_lock_bh(&msg->lock);
	sk = msg->sk_charged;
	msg->sk_charged = false;
	charged = msg->charged;
	spin_unlock_bh(&msg->lock);
	if (sk)
		uet_sock_wfree(us, msg->dest, charged, true);
}

/* Uncharge the socket for a message, once. Only a streamed one needs the lock:
 * others belong to the flow from their submission on.
 */
static inline void uet_txmsg_unshare(struct uet_txmsg *msg, struct uet_sock *us)
{
	if (unlikely(msg->streamed)) {
		uet_txmsg_unshare_streamed(msg, us);
		return;
	}
	if (!msg->sk_charged)
		return;
	msg->sk_charged = false;
	uet_sock_wfree(us, msg->dest, msg->charged, true);
}

/**
 * uet_txmsg_cancel() - drop a message that its sendmsg() gave up
 * @msg: message; never submitted, or withdrawn
 * @us: its socket
 *
 * Drops the caller's reference.
 */
void uet_txmsg_cancel(struct uet_txmsg *msg, struct uet_sock *us)
{
	uet_txmsg_unshare(msg, us);
	uet_txmsg_put(msg);
}

/* Its target may not ask for it any more; see uet_defer_name(). */
static void uet_txmsg_unname(struct uet_txmsg *msg)
{
	msg->named = false;
	xa_erase_bh(&msg->dest->un->deferred.tokens, msg->token);
}

static inline void uet_txmsg_clear(struct uet_txmsg *msg)
{
	if (unlikely(msg->named))
		uet_txmsg_unname(msg);
	if (!msg->inlined)
		uet_txdata_clear(msg);
	if (unlikely(msg->op))
		uet_op_done(msg, ECANCELED, UET_REPORT_LOCAL, 0);
	if (unlikely(msg->pinned))
		uet_txpin_drop(msg);
	uet_done_disown(&msg->cq);
	if (msg->mem_charged)
		uet_mem_uncharge(msg->dest->un,
				 msg->charged + UET_TXMSG_OVERHEAD);
}

/**
 * uet_txmsg_free() - free a message without references
 * @msg: message
 *
 * Context: any.
 */
void uet_txmsg_free(struct uet_txmsg *msg)
{
	struct uet_dest *dest = msg->dest;

	uet_txmsg_clear(msg);
	kmem_cache_free(uet_txmsg_cache, msg);
	uet_dest_put(dest);
}

/**
 * uet_txmsg_retire() - drop the reference of its queue to a message that is done
 * @msg: message
 *
 * If it was the last one, the socket may keep the message for reuse.
 *
 * Context: flow lock held.
 */
void uet_txmsg_retire(struct uet_txmsg *msg)
{
	struct uet_dest *dest = msg->dest;
	struct uet_sock *us = dest->us;

	if (!refcount_dec_and_test(&msg->ref))
		return;
	/* With KASAN free it, so that a use after free is found. */
	if (IS_ENABLED(CONFIG_KASAN) || !us ||
	    atomic_read(&us->tx_nr_spare) >= UET_TXMSG_SPARES) {
		uet_txmsg_free(msg);
		return;
	}
	uet_txmsg_clear(msg);
	atomic_inc(&us->tx_nr_spare);
	/* The first one starts the timer that frees all at idle. */
	if (llist_add(&msg->spare, &us->tx_spare))
		uet_txpages_idle(us);
	uet_dest_put(dest);
}

/**
 * uet_txmsg_drop_spares() - free the messages that a socket keeps
 * @us: the socket; no sender is in it
 *
 * Context: any.
 */
void uet_txmsg_drop_spares(struct uet_sock *us)
{
	struct llist_node *list = llist_del_all(&us->tx_spare);
	struct uet_txmsg *msg, *next;

	llist_for_each_entry_safe(msg, next, list, spare) {
		atomic_dec(&us->tx_nr_spare);
		kmem_cache_free(uet_txmsg_cache, msg);
	}
}

/**
 * uet_txmsg_try_drop_spares() - uet_txmsg_drop_spares() despite senders
 * @us: the socket
 *
 * Context: any.
 * Return: false, and nothing was done, if a sender holds the lock.
 */
bool uet_txmsg_try_drop_spares(struct uet_sock *us)
{
	/* Senders hold the lock with BH enabled: do not spin on it. */
	if (!spin_trylock(&us->dests_lock))
		return false;
	uet_txmsg_drop_spares(us);
	spin_unlock(&us->dests_lock);
	return true;
}

/**
 * uet_dest_name() - the address of a target endpoint as reports show it
 * @key: key of a queue for the target
 * @name: filled in
 */
void uet_dest_name(const struct uet_dest_key *key, struct sockaddr_uet *name)
{
	*name = (struct sockaddr_uet) {
		.suet_family = uet_family,
		.suet_flags = key->absolute ? UET_ADDR_ABSOLUTE : 0,
		.suet_job = key->job,
		.suet_pid = key->pid,
		.suet_ri = key->ri,
		.suet_initiator = (u32)key->pid << 12 | key->ri,
		.suet_scope_id = key->scope > 0 ? key->scope : 0,
		.suet_addr = key->raddr,
	};
}

/**
 * uet_txmsg_result() - what is reported of a message
 * @msg: the message
 * @error: 0, or the errno of the failure, of either sign
 * @source: enum uet_report_source
 * @code: meaning depends on @source
 * @rep: gets the report
 * @peer: gets the address it was sent to
 *
 * Context: any.
 */
void uet_txmsg_result(const struct uet_txmsg *msg, int error, u8 source, u16 code,
		      struct uet_report *rep, struct sockaddr_uet *peer)
{
	*rep = (struct uet_report){
		.error = error < 0 ? -error : error,
		.type = error ? UET_REPORT_FAILED : UET_REPORT_DELIVERED,
		.source = source,
		.code = code,
		.cookie = msg->cookie,
		.cookie_last = msg->cookie,
		.length = msg->m.len,
	};
	uet_dest_name(&msg->dest->key, peer);
}

static noinline void uet_txmsg_report(struct uet_txmsg *msg, struct uet_sock *us,
				      int error, u8 source, u16 code)
{
	struct sockaddr_uet peer;
	struct uet_report rep;

	uet_txmsg_result(msg, error, source, code, &rep, &peer);
	uet_sock_report(us, &rep, &peer, msg, &msg->cq);
}

/**
 * uet_txmsg_fail() - report and drop a message that could not be queued
 * @msg: message whose data was taken over
 * @us: its socket
 * @error: errno
 *
 * Drops the caller's reference.
 *
 * Context: process.
 */
void uet_txmsg_fail(struct uet_txmsg *msg, struct uet_sock *us, int error)
{
	trace_uet_msg_done(msg, error, UET_REPORT_LOCAL, 0);
	UET_INC(us->un, MSG_FAILED);
	local_bh_disable();
	uet_txmsg_report(msg, us, error, UET_REPORT_LOCAL, 0);
	local_bh_enable();
	uet_txmsg_cancel(msg, us);
}

/**
 * uet_txmsg_move() - give a message another queue
 * @msg: message, charged, not queued
 * @us: its socket
 * @dest: the queue; the message takes over the caller's reference
 *
 * Context: process.
 */
void uet_txmsg_move(struct uet_txmsg *msg, struct uet_sock *us, struct uet_dest *dest)
{
	long bytes = msg->charged + UET_TXMSG_OVERHEAD;
	struct uet_dest *old = msg->dest;

	if (old != dest) {
		atomic_long_sub(bytes, &old->wmem);
		atomic_long_add(bytes, &dest->wmem);
		msg->dest = dest;
		msg->m.queue = &dest->q;
	}
	uet_dest_put(old);
	/* It may not count for other dests: uet_sock_excess() */
	if (unlikely(READ_ONCE(dest->q.hold.on)))
		uet_sock_held(us);
}

/* What the end of a message says of an endpoint that is watched */
static noinline void uet_txmsg_tell(struct uet_txmsg *msg, int error, u8 source,
				    u16 code)
{
	struct uet_dest *dest = msg->dest;

	if (dest->key.watch)
		uet_watch_answered(dest, error, source, code);
	else
		uet_contact_msg_done(msg, error, source, code);
}

/**
 * uet_txmsg_done() - report and uncharge a message that arrived or failed
 * @msg: message
 * @error: 0, or the errno of the failure
 * @source: enum uet_report_source
 * @code: meaning depends on @source
 *
 * Called once per message. A sendmsg() that still streams into it returns the
 * failure itself; a message that the sender withdrew is not reported.
 *
 * Context: BH disabled, lock of the queue or of its flow held.
 */
void uet_txmsg_done(struct uet_txmsg *msg, int error, u8 source, u16 code)
{
	struct uet_dest *dest = msg->dest;
	struct uet_sock *us = dest->us;

	trace_uet_msg_done(msg, error, source, code);
	if (unlikely(msg->named))
		uet_txmsg_unname(msg);
	if (unlikely(dest->watch || dest->key.watch)) {
		WRITE_ONCE(msg->rtr_end, error ? UET_RTR_FAILED : UET_RTR_TAKEN);
		if (us && dest->watch)
			uet_txmsg_tell(msg, error, source, code);
		if (dest->key.watch)
			return;
	}
	if (error)
		UET_INC(dest->un, MSG_FAILED);
	else
		UET_INC(dest->un, MSG_DONE);
	if (error && !msg->m.eom)
		WRITE_ONCE(msg->error, error < 0 ? -error : error);
	if (unlikely(msg->op))
		uet_op_done(msg, error, source, code);
	if (!us)
		return;
	if (unlikely(msg->posted))
		uet_sock_op_ended(us);
	else if (!msg->m.withdrawn && !msg->error &&
		 (error || uet_notifies(us, msg->has_cookie)))
		uet_txmsg_report(msg, us, error, source, code);
	uet_txmsg_unshare(msg, us);
	if (msg->error)
		uet_sock_wake_tx(us);
}
