// SPDX-License-Identifier: GPL-2.0
/*
 * The message queues of a socket, one per target endpoint and way of sending
 * (struct uet_dest_key).
 *
 * A dest is in uet_net.dests and in uet_sock.dests while its socket uses it;
 * both change under uet_sock.dests_lock. Messages hold references of their own,
 * so that they are still sent after the socket closed or dropped the dest.
 *
 * Not here: which PDC carries a queue (tx/queue/bind.c).
 */
#include <linux/rhashtable.h>
#include <linux/slab.h>
#include <net/ipv6.h>

#include "account.h"
#include "compat.h"
#include "core/snd/snd.h"
#include "core/snd/snd_queue.h"
#include "link/addr.h"
#include "link/owner.h"
#include "sock.h"
#include "tx/msg/txmsg.h"
#include "tx/msg/wmem.h"
#include "tx/pds/pds.h"
#include "tx/queue/watch.h"

/* From this number of dests on a socket drops idle ones */
#define UET_DEST_CACHED		64

/* Least recently used dests that are examined for each new one */
#define UET_DEST_SCAN		4

static struct kmem_cache *uet_dest_cache;

static const struct rhashtable_params uet_dest_params = {
	.key_len		= sizeof(struct uet_dest_key),
	.key_offset		= offsetof(struct uet_dest, key),
	.head_offset		= offsetof(struct uet_dest, node),
	.automatic_shrinking	= true,
};

/**
 * uet_dest_cache_init() - make the slab cache
 *
 * Return: 0 or -ENOMEM.
 */
int uet_dest_cache_init(void)
{
	uet_dest_cache = kmem_cache_create("uet_dest", sizeof(struct uet_dest),
					   0, SLAB_ACCOUNT | SLAB_NO_MERGE,
					   NULL);
	return uet_dest_cache ? 0 : -ENOMEM;
}

/**
 * uet_dest_cache_exit() - destroy the slab cache, after rcu_barrier()
 */
void uet_dest_cache_exit(void)
{
	kmem_cache_destroy(uet_dest_cache);
}

/**
 * uet_dest_table_init() - prepare the table of a namespace
 * @un: namespace
 *
 * Return: 0 or a negative errno.
 */
int uet_dest_table_init(struct uet_net *un)
{
	/* The last reference may be dropped in softirq. */
	xa_init_flags(&un->dest_ids, XA_FLAGS_LOCK_BH | XA_FLAGS_ACCOUNT);
	return rhashtable_init(&un->dests, &uet_dest_params);
}

/**
 * uet_dest_table_exit() - free the table of a namespace
 * @un: namespace; its sockets are gone and its PDCs hold no message
 *
 * Waits until the last dests have dropped their PDCs.
 */
void uet_dest_table_exit(struct uet_net *un)
{
	rcu_barrier();
	rhashtable_destroy(&un->dests);
	xa_destroy(&un->dest_ids);
}

static void uet_dest_free(struct uet_dest *dest)
{
	uet_contact_leave(dest);
	uet_account_put(dest->account);
	if (dest->owner)
		sock_put(dest->owner);
	kmem_cache_free(uet_dest_cache, dest);
}

static void uet_dest_free_rcu(struct rcu_head *rcu)
{
	struct uet_dest *dest = container_of(rcu, struct uet_dest, rcu);

	uet_pds_dest_gone(dest);
	uet_dest_free(dest);
}

/**
 * uet_dest_put() - drop a reference
 * @dest: the dest
 *
 * Context: any, also with the flow lock held: an RCU callback drops the PDC.
 */
void uet_dest_put(struct uet_dest *dest)
{
	if (!refcount_dec_and_test(&dest->ref))
		return;
	xa_erase_bh(&dest->un->dest_ids, dest->id);
	call_rcu(&dest->rcu, uet_dest_free_rcu);
}

/* Remove a dest from its socket. The caller puts the socket's reference. */
static void uet_dest_forget(struct uet_sock *us, struct uet_dest *dest)
{
	lockdep_assert_held(&us->dests_lock);
	rhashtable_remove_fast(&us->un->dests, &dest->node, uet_dest_params);
	list_del_init(&dest->us_node);
	us->nr_dests--;
	if (us->last_dest == dest)
		us->last_dest = NULL;
	if (us->conn_dest == dest)
		us->conn_dest = NULL;
	uet_refusal_fold(&us->refused, &dest->refusal, &us->refused_others);
	if (us->batch == dest)
		WRITE_ONCE(us->batch, NULL);
	uet_pds_orphan(dest);
}

/* New references need dests_lock or an old one: a refcount of 1 is the
 * socket's own, and no one else can use the dest.
 */
static bool uet_dest_idle(const struct uet_dest *dest)
{
	return refcount_read(&dest->ref) == 1;
}

static void uet_dest_shrink(struct uet_sock *us)
{
	struct uet_dest *dest, *next;
	int n = UET_DEST_SCAN;

	if (us->nr_dests < UET_DEST_CACHED)
		return;
	list_for_each_entry_safe_reverse(dest, next, &us->dests, us_node) {
		if (!n--)
			break;
		if (uet_dest_idle(dest)) {
			uet_dest_forget(us, dest);
			uet_dest_put(dest);
		} else {
			/* Examine others next time */
			list_move(&dest->us_node, &us->dests);
		}
	}
}

static struct uet_dest *uet_dest_new(struct uet_sock *us,
				     const struct uet_dest_key *key)
{
	struct uet_dest *dest = kmem_cache_zalloc(uet_dest_cache, GFP_KERNEL);

	if (!dest)
		return NULL;
	/* With its padding: keys are compared by memcmp() */
	memcpy(&dest->key, key, sizeof(*key));
	dest->un = us->un;
	dest->us = us;
	refcount_inc(&us->account->ref);
	dest->account = us->account;
	if (us->owner) {
		uet_owner_sync(us);
		sock_hold(us->owner);
		dest->owner = us->owner;
	}
	refcount_set(&dest->ref, 2);
	dest->initiator = us->local.suet_initiator;
	dest->pid = us->local.suet_pid;
	dest->uid = us->sk.sk_uid;
	dest->prio = READ_ONCE(us->sk.sk_priority);
	dest->run_len = READ_ONCE(us->un->run_len);
	dest->alone = key->alone;
	uet_refusal_init(&dest->refusal);
	spin_lock_init(&dest->lock);
	INIT_LIST_HEAD(&dest->us_node);
	INIT_LIST_HEAD(&dest->moving);
	dest->drained.next = &dest->drained;
	INIT_LIST_HEAD(&dest->deferred);
	INIT_LIST_HEAD(&dest->pdc_node);
	uet_snd_queue_init(&dest->q, key->pid);
	dest->q.crowd = uet_account_held_nr(dest->account);
	if (unlikely(uet_peer_events(us)) && !key->watch)
		dest->watch = uet_contact_join(us, key);
	return dest;
}

static int uet_dest_add(struct uet_sock *us, struct uet_dest *dest)
{
	int err;

	lockdep_assert_held(&us->dests_lock);
	memcpy(dest->cc, us->cc, sizeof(dest->cc));
	memcpy(dest->path_policy, us->path_policy, sizeof(dest->path_policy));
	dest->id = atomic64_inc_return(&us->un->last_dest_id);
	err = xa_reserve_bh(&us->un->dest_ids, dest->id, GFP_ATOMIC);
	if (err)
		return err;
	err = rhashtable_insert_fast(&us->un->dests, &dest->node,
				     uet_dest_params);
	if (err) {
		xa_erase_bh(&us->un->dest_ids, dest->id);
		return err;
	}
	/* The entry is reserved: needs no memory */
	xa_store_bh(&us->un->dest_ids, dest->id, dest, GFP_ATOMIC);
	list_add(&dest->us_node, &us->dests);
	us->nr_dests++;
	return 0;
}

static struct uet_dest *uet_dest_find(struct uet_sock *us,
				      const struct uet_dest_key *key)
{
	struct uet_dest *dest = us->last_dest;

	lockdep_assert_held(&us->dests_lock);
	if (dest && !memcmp(&dest->key, key, sizeof(*key)))
		goto found;
	dest = rhashtable_lookup_fast(&us->un->dests, key, uet_dest_params);
	if (!dest)
		return NULL;
	list_move(&dest->us_node, &us->dests);
	us->last_dest = dest;
found:
	refcount_inc(&dest->ref);
	return dest;
}

/**
 * uet_dest_get() - find or make the queue for a message
 * @us: the socket, bound
 * @key: target and way of sending, padding zeroed
 *
 * Return: the dest with a reference, or an ERR_PTR.
 */
struct uet_dest *uet_dest_get(struct uet_sock *us,
			      const struct uet_dest_key *key)
{
	struct uet_dest *dest, *new;
	int err;

	spin_lock(&us->dests_lock);
	dest = uet_dest_find(us, key);
	spin_unlock(&us->dests_lock);
	if (likely(dest))
		return dest;

	new = uet_dest_new(us, key);
	if (!new)
		return ERR_PTR(-ENOBUFS);
	spin_lock(&us->dests_lock);
	dest = uet_dest_find(us, key);
	if (dest) {
		spin_unlock(&us->dests_lock);
		uet_dest_free(new);
		return dest;
	}
	uet_dest_shrink(us);
	err = uet_dest_add(us, new);
	if (!err)
		us->last_dest = new;
	spin_unlock(&us->dests_lock);
	if (err) {
		uet_dest_free(new);
		return ERR_PTR(-ENOBUFS);
	}
	return new;
}

/**
 * uet_dest_watch() - make the queue for the probes of a watch, or for one RTR
 * @us: the socket, bound
 * @key: target and way of sending; no other queue of a watch has this key
 * @w: the watch, or NULL
 * @out: set to the dest, with a reference beside the socket's
 *
 * Return: 0 or -ENOBUFS.
 */
int uet_dest_watch(struct uet_sock *us, const struct uet_dest_key *key,
		   struct uet_watch *w, struct uet_dest **out)
{
	struct uet_dest *dest = uet_dest_new(us, key);
	int err;

	if (!dest)
		return -ENOBUFS;
	dest->watch = w;
	*out = dest;
	spin_lock(&us->dests_lock);
	err = uet_dest_add(us, dest);
	spin_unlock(&us->dests_lock);
	if (!err)
		return 0;
	uet_dest_free(dest);
	return -ENOBUFS;
}

/**
 * uet_dest_drop() - remove a queue from its socket
 * @us: the socket
 * @dest: the queue, made by uet_dest_watch()
 *
 * Messages in it are still sent, but not reported.
 */
void uet_dest_drop(struct uet_sock *us, struct uet_dest *dest)
{
	spin_lock(&us->dests_lock);
	uet_dest_forget(us, dest);
	spin_unlock(&us->dests_lock);
	uet_dest_put(dest);
}

/**
 * uet_dest_next() - walk the queues of a namespace
 * @un: namespace
 * @id: look from this id on; set to that of the queue
 *
 * Also those of closed sockets that have messages left. Ids grow and are never
 * reused, so a walk that goes on at @id + 1, at any later time, meets each queue
 * that stays exactly once.
 *
 * Context: RCU read side; the result is valid in it, but may have no reference.
 * Return: the queue, or NULL after the last one.
 */
struct uet_dest *uet_dest_next(struct uet_net *un, u64 *id)
{
	unsigned long at = *id;
	struct uet_dest *dest;

	dest = xa_find(&un->dest_ids, &at, ULONG_MAX, XA_PRESENT);
	*id = at;
	return dest;
}

/**
 * uet_dest_note_connected() - cache the dest of the connected address
 * @us: the socket
 * @dest: result of uet_dest_get() for an address connected to a moment ago
 */
void uet_dest_note_connected(struct uet_sock *us, struct uet_dest *dest)
{
	const struct sockaddr_uet *to = &us->remote;
	const struct uet_dest_key *key = &dest->key;

	spin_lock(&us->dests_lock);
	/* Neither dropped nor connected to another address meanwhile? */
	if (us->last_dest == dest && us->connected &&
	    key->job == to->suet_job && key->pid == to->suet_pid &&
	    key->ri == to->suet_ri &&
	    key->absolute == !!(to->suet_flags & UET_ADDR_ABSOLUTE) &&
	    ipv6_addr_equal(&key->raddr, &to->suet_addr))
		us->conn_dest = dest;
	spin_unlock(&us->dests_lock);
}

/* The second queue for the same target, for messages of other lengths; RCU read side */
static struct uet_dest *uet_dest_pair(const struct uet_dest *dest)
{
	struct uet_dest_key key;

	memcpy(&key, &dest->key, sizeof(key));
	key.alone = !key.alone;
	return rhashtable_lookup(&dest->un->dests, &key, uet_dest_params);
}

/**
 * uet_dest_held() - bytes queued for a target that NACKs for shortage
 * @dest: a queue for it
 *
 * Long messages to the same target have a second queue.
 *
 * Return: bytes of this queue, and of the second one if it is on hold as well.
 */
u64 uet_dest_held(const struct uet_dest *dest)
{
	u64 held = uet_dest_queued(dest);
	struct uet_dest *other;

	rcu_read_lock();
	other = uet_dest_pair(dest);
	if (other && READ_ONCE(other->q.hold.on))
		held += uet_dest_queued(other);
	rcu_read_unlock();
	return held;
}

/**
 * uet_dest_want_room() - wake who waits for room when a target has taken anything
 * @dest: a queue for it
 *
 * The caller looks for the room again after a full barrier.
 */
void uet_dest_want_room(struct uet_dest *dest)
{
	struct uet_dest *other;

	WRITE_ONCE(dest->wanted, true);
	rcu_read_lock();
	other = uet_dest_pair(dest);
	if (other)
		WRITE_ONCE(other->wanted, true);
	rcu_read_unlock();
}

/**
 * uet_dest_drop_idle() - drop the dests without messages
 * @us: the socket
 *
 * For use after a change of an option that new dests copy.
 */
void uet_dest_drop_idle(struct uet_sock *us)
{
	struct uet_dest *dest, *next;

	spin_lock(&us->dests_lock);
	list_for_each_entry_safe(dest, next, &us->dests, us_node) {
		if (!uet_dest_idle(dest))
			continue;
		uet_dest_forget(us, dest);
		uet_dest_put(dest);
	}
	spin_unlock(&us->dests_lock);
}

/**
 * uet_dest_detach_all() - drop all dests of a socket that closes
 * @us: the socket; no system call is in it
 *
 * Queued messages are still sent.
 */
void uet_dest_detach_all(struct uet_sock *us)
{
	struct uet_dest *dest, *next;

	spin_lock(&us->dests_lock);
	list_for_each_entry_safe(dest, next, &us->dests, us_node) {
		uet_dest_forget(us, dest);
		uet_dest_put(dest);
	}
	spin_unlock(&us->dests_lock);
}
