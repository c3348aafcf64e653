// SPDX-License-Identifier: GPL-2.0
/*
 * How messages to other endpoints failed last.
 *
 * A namespace remembers a limited number of endpoints. A failure at one more takes
 * the place of the one whose last failure is the oldest, so a program that sends to
 * everybody costs no more memory than another one.
 *
 * Not here: reports for the sockets that sent the messages (tx/msg/report.c).
 */
#include <linux/hashtable.h>
#include <linux/jhash.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/xarray.h>
#include <net/ipv6.h>

#include "base.h"
#include "sock.h"
#include "tx/msg/failure.h"

/* Endpoints that a namespace remembers; the description of netlink tells it */
#define UET_FAILURES		256
#define UET_FAILURES_BITS	6

/**
 * struct uet_failure_entry - an endpoint that is remembered
 * @f: how messages to it failed
 * @id: its place in uet_failures.ids, never reused
 * @hash: in uet_failures.hash
 * @lru: in uet_failures.lru
 */
struct uet_failure_entry {
	struct uet_failure	f;
	unsigned long		id;
	struct hlist_node	hash;
	struct list_head	lru;
};

/**
 * struct uet_failures - endpoints that are remembered
 * @lock: of all below; BH; a leaf
 * @hash: the entries by endpoint
 * @lru: the entries, the oldest failure first
 * @ids: the entries by id, for walks
 * @last_id: last id in use
 * @nr: number of entries
 */
struct uet_failures {
	spinlock_t	lock;	/* of all below */
	DECLARE_HASHTABLE(hash, UET_FAILURES_BITS);
	struct list_head lru;
	struct xarray	ids;
	unsigned long	last_id;
	u32		nr;
};

static u32 uet_failure_hash(kuid_t uid, const struct sockaddr_uet *target)
{
	return jhash_3words(target->suet_job, target->suet_pid, __kuid_val(uid),
			    __ipv6_addr_jhash(&target->suet_addr, 0));
}

static struct uet_failure_entry *
uet_failure_find(struct uet_failures *fs, kuid_t uid,
		 const struct sockaddr_uet *target)
{
	struct uet_failure_entry *e;

	lockdep_assert_held(&fs->lock);
	hash_for_each_possible(fs->hash, e, hash, uet_failure_hash(uid, target))
		if (uid_eq(e->f.uid, uid) && e->f.pid == target->suet_pid &&
		    e->f.job == target->suet_job &&
		    ipv6_addr_equal(&e->f.remote, &target->suet_addr))
			return e;
	return NULL;
}

static void uet_failure_unlink(struct uet_failures *fs,
			       struct uet_failure_entry *e)
{
	lockdep_assert_held(&fs->lock);
	hash_del(&e->hash);
	list_del(&e->lru);
	xa_erase(&fs->ids, e->id);
	fs->nr--;
}

/* A free entry: a new one, or that of the oldest failure */
static struct uet_failure_entry *uet_failure_place(struct uet_failures *fs)
{
	struct uet_failure_entry *e = NULL;

	if (fs->nr < UET_FAILURES)
		e = kmalloc(sizeof(*e), GFP_ATOMIC | __GFP_NOWARN);
	if (e || list_empty(&fs->lru))
		return e;
	e = list_first_entry(&fs->lru, struct uet_failure_entry, lru);
	uet_failure_unlink(fs, e);
	return e;
}

/* Remember an endpoint. Without memory it is not, since nothing depends on it. */
static struct uet_failure_entry *
uet_failure_add(struct uet_failures *fs, kuid_t uid,
		const struct sockaddr_uet *target)
{
	struct uet_failure_entry *e;

	lockdep_assert_held(&fs->lock);
	e = uet_failure_place(fs);
	if (!e)
		return NULL;
	*e = (struct uet_failure_entry) {
		.f = {
			.uid	= uid,
			.remote	= target->suet_addr,
			.job	= target->suet_job,
			.pid	= target->suet_pid,
		},
		.id = fs->last_id + 1,
	};
	if (xa_err(xa_store(&fs->ids, e->id, e, GFP_ATOMIC | __GFP_NOWARN))) {
		kfree(e);
		return NULL;
	}
	fs->last_id = e->id;
	fs->nr++;
	hash_add(fs->hash, &e->hash, uet_failure_hash(uid, target));
	list_add_tail(&e->lru, &fs->lru);
	return e;
}

static void uet_failure_update(struct uet_failure *f,
			       const struct uet_report *rep)
{
	if (f->error != rep->error || f->source != rep->source ||
	    f->code != rep->code)
		f->count = 0;
	f->error = rep->error;
	f->source = rep->source;
	f->code = rep->code;
	f->at = ktime_get_ns();
	if (f->count < U32_MAX)
		f->count++;
}

/**
 * uet_failure_note() - remember that a message failed
 * @un: namespace
 * @uid: user of the socket that sent it
 * @target: endpoint it was for
 * @rep: report of the failure
 *
 * Context: interrupts enabled; flow locks may be held.
 */
void uet_failure_note(struct uet_net *un, kuid_t uid, const struct sockaddr_uet *target,
		      const struct uet_report *rep)
{
	struct uet_failures *fs = un->failures;
	struct uet_failure_entry *e;

	spin_lock_bh(&fs->lock);
	e = uet_failure_find(fs, uid, target) ?: uet_failure_add(fs, uid, target);
	if (e) {
		list_move_tail(&e->lru, &fs->lru);
		uet_failure_update(&e->f, rep);
	}
	spin_unlock_bh(&fs->lock);
}

/**
 * uet_failure_next() - the endpoint with an id, or the next one
 * @un: namespace
 * @id: the id, set to that of the endpoint
 * @failure: filled
 *
 * Context: interrupts enabled.
 * Return: false after the last one.
 */
bool uet_failure_next(struct uet_net *un, unsigned long *id,
		      struct uet_failure *failure)
{
	struct uet_failures *fs = un->failures;
	struct uet_failure_entry *e;

	spin_lock_bh(&fs->lock);
	e = xa_find(&fs->ids, id, ULONG_MAX, XA_PRESENT);
	if (e)
		*failure = e->f;
	spin_unlock_bh(&fs->lock);
	return e;
}

/**
 * uet_failures_init() - prepare to remember failures in a namespace
 * @un: namespace
 *
 * Return: 0 or -ENOMEM.
 */
int uet_failures_init(struct uet_net *un)
{
	struct uet_failures *fs = kzalloc(sizeof(*fs), GFP_KERNEL_ACCOUNT);

	if (!fs)
		return -ENOMEM;
	spin_lock_init(&fs->lock);
	hash_init(fs->hash);
	INIT_LIST_HEAD(&fs->lru);
	xa_init(&fs->ids);
	un->failures = fs;
	return 0;
}

/**
 * uet_failures_exit() - forget the failures of a namespace without messages
 * @un: namespace
 *
 * Context: process.
 */
void uet_failures_exit(struct uet_net *un)
{
	struct uet_failures *fs = un->failures;
	struct uet_failure_entry *e, *next;

	list_for_each_entry_safe(e, next, &fs->lru, lru)
		kfree(e);
	xa_destroy(&fs->ids);
	kfree(fs);
}
