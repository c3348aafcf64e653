// SPDX-License-Identifier: GPL-2.0
/*
 * The probes of a namespace: their table, what is due, and how they end.
 *
 * A probe waits in the table, by its PDCID, and in line by time. An answer, an ICMP
 * error or its time takes it out of both. The work item then tells who asked, and
 * closes the PDC of a probe of an endpoint, which is a wait of the same kind.
 *
 * A probe is forgotten when the socket that asked closes. Only a PDC that is being
 * closed goes on, for less than UET_PING_CLOSE_TRIES rounds: the peer would keep it
 * for minutes otherwise.
 *
 * Not here: what is sent (ping/begin.c), what an answer says (ping/answer.c).
 */
#include <linux/hash.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/slab.h>
#include <net/ipv6.h>

#include "compat.h"
#include "link/peer.h"
#include "mib.h"
#include "ping/ping.h"

/* A probe of an endpoint is sent again after this time, the double of it, ... */
#define UET_PING_AGAIN_NS	(200 * NSEC_PER_MSEC)
#define UET_PING_AGAIN_MAX	4
/* How often the packet that closes a PDC is sent */
#define UET_PING_CLOSE_TRIES	4

void (*uet_ping_tell)(const struct uet_ping *ping);

static struct hlist_head *uet_ping_slot(struct uet_pings *pings, u16 spdcid)
{
	return &pings->table[hash_32(spdcid, UET_PING_BITS)];
}

static bool uet_ping_before(struct rb_node *a, const struct rb_node *b)
{
	return rb_entry(a, struct uet_ping, due_node)->due <
	       rb_entry(b, struct uet_ping, due_node)->due;
}

/* Have the work item run at a time; never later than it was to run before. */
static void uet_pings_wake(struct uet_pings *pings, u64 now)
{
	struct rb_node *first = rb_first_cached(&pings->due);
	u64 due;

	lockdep_assert_held(&pings->lock);
	if (pings->stopped)
		return;
	if (!list_empty(&pings->done)) {
		mod_delayed_work(system_percpu_wq, &pings->work, 0);
	} else if (first) {
		due = rb_entry(first, struct uet_ping, due_node)->due;
		mod_delayed_work(system_percpu_wq, &pings->work,
				 nsecs_to_jiffies(max(due, now) - now) + 1);
	}
}

static void uet_ping_link(struct uet_pings *pings, struct uet_ping *ping)
{
	lockdep_assert_held(&pings->lock);
	hlist_add_head(&ping->node, uet_ping_slot(pings, ping->ask.spdcid));
	rb_add_cached(&ping->due_node, &pings->due, uet_ping_before);
}

static void uet_ping_unlink(struct uet_pings *pings, struct uet_ping *ping)
{
	lockdep_assert_held(&pings->lock);
	hlist_del_init(&ping->node);
	rb_erase_cached(&ping->due_node, &pings->due);
}

/**
 * uet_ping_find() - find a probe that waits
 * @pings: the probes of a namespace
 * @laddr: address of this host
 * @spdcid: PDCID of the probe
 *
 * Context: lock held.
 * Return: the probe or NULL.
 */
struct uet_ping *uet_ping_find(struct uet_pings *pings,
			       const struct in6_addr *laddr, u16 spdcid)
{
	struct uet_ping *ping;

	lockdep_assert_held(&pings->lock);
	hlist_for_each_entry(ping, uet_ping_slot(pings, spdcid), node)
		if (ping->ask.spdcid == spdcid &&
		    ipv6_addr_equal(&ping->peer->key.laddr, laddr))
			return ping;
	return NULL;
}

/**
 * uet_ping_done() - a probe that waited has its result
 * @pings: the probes of the namespace
 * @ping: the probe, its result set
 *
 * Context: lock held.
 */
void uet_ping_done(struct uet_pings *pings, struct uet_ping *ping)
{
	uet_ping_unlink(pings, ping);
	ping->state = UET_PING_DONE;
	list_add_tail(&ping->done_node, &pings->done);
	uet_pings_wake(pings, 0);
}

/* When a probe is looked at next, after it was sent @sent times */
static u64 uet_ping_due(const struct uet_ping *ping, u64 now)
{
	u64 due = now + (UET_PING_AGAIN_NS <<
			 min_t(u32, ping->sent - 1, UET_PING_AGAIN_MAX));

	if (ping->state == UET_PING_CLOSES)
		return due;
	return ping->ask.endpoint ? min(due, ping->until) : ping->until;
}

static int uet_ping_wait(struct uet_ping *ping, enum uet_ping_state state)
{
	struct uet_pings *pings = ping->un->pings;
	u64 now = ktime_get_ns();
	int err = 0;

	spin_lock_bh(&pings->lock);
	if (pings->stopped) {
		err = -ENETDOWN;
	} else {
		ping->state = state;
		ping->sent = 1;
		ping->due = uet_ping_due(ping, now);
		uet_ping_link(pings, ping);
		uet_pings_wake(pings, now);
	}
	spin_unlock_bh(&pings->lock);
	return err;
}

/**
 * uet_ping_enter() - let a probe be answered from now on
 * @ping: the probe, about to be sent
 *
 * Context: process.
 * Return: 0 or -ENETDOWN; then it still belongs to the caller.
 */
int uet_ping_enter(struct uet_ping *ping)
{
	return uet_ping_wait(ping, UET_PING_WAITS);
}

/**
 * uet_ping_withdraw() - undo uet_ping_enter(): it could not be sent
 * @peer: where to
 * @spdcid: PDCID of the probe
 * @ping: the probe; only compared, it may have ended
 *
 * Context: process.
 * Return: true if it belongs to the caller again.
 */
bool uet_ping_withdraw(struct uet_peer *peer, u16 spdcid, struct uet_ping *ping)
{
	struct uet_pings *pings = peer->fep->un->pings;
	bool found;

	spin_lock_bh(&pings->lock);
	found = uet_ping_find(pings, &peer->key.laddr, spdcid) == ping;
	if (found)
		uet_ping_unlink(pings, ping);
	spin_unlock_bh(&pings->lock);
	return found;
}

/* Send a probe, or the close of its PDC, once more. */
static void uet_ping_again(struct uet_pings *pings, struct uet_ping *ping,
			   u64 now)
{
	struct uet_ping_ask ask = ping->ask;
	struct uet_peer *peer = ping->peer;
	u16 ev = ping->ev;
	u8 ttl = ping->ttl;

	/* An answer may end the probe as soon as the lock is dropped. */
	refcount_inc(&peer->ref);
	uet_ping_unlink(pings, ping);
	ping->sent++;
	ping->due = uet_ping_due(ping, now);
	uet_ping_link(pings, ping);
	spin_unlock_bh(&pings->lock);
	uet_ping_send(peer, &ask, ev, ttl, true);
	uet_peer_put(peer);
	cond_resched();
	spin_lock_bh(&pings->lock);
}

/* The time of a probe has come; the lock is held, and dropped meanwhile. */
static void uet_ping_expired(struct uet_pings *pings, struct uet_ping *ping,
			     u64 now)
{
	bool over = ping->state == UET_PING_CLOSES ?
		    ping->sent >= UET_PING_CLOSE_TRIES : now >= ping->until;

	if (!over) {
		uet_ping_again(pings, ping, now);
		return;
	}
	if (ping->state == UET_PING_WAITS)
		ping->result.end = UET_PING_END_LOST;
	uet_ping_done(pings, ping);
}

/* Tell what became of a probe that nobody else finds any more, and end it. */
static void uet_ping_finish(struct uet_ping *ping)
{
	void (*tell)(const struct uet_ping *ping) = READ_ONCE(uet_ping_tell);

	/* It was told when its PDC began to close. */
	if (ping->portid && tell)
		tell(ping);
	ping->portid = 0;
	if (ping->ask.remote || !ping->result.answer.remote ||
	    !ping->ask.endpoint)
		goto free;
	ping->ask.remote = ping->result.answer.remote;
	ping->ttl = 0;
	if (uet_ping_wait(ping, UET_PING_CLOSES))
		goto free;
	/* Only this work item frees it. */
	uet_ping_send(ping->peer, &ping->ask, ping->ev, 0, false);
	return;
free:
	uet_ping_free(ping);
}

static void uet_pings_work(struct work_struct *work)
{
	struct uet_pings *pings = container_of(to_delayed_work(work),
					       struct uet_pings, work);
	u64 now = ktime_get_ns();
	struct uet_ping *ping;
	struct rb_node *first;

	spin_lock_bh(&pings->lock);
	/* What is looked at is due later than now afterwards. */
	while ((first = rb_first_cached(&pings->due))) {
		ping = rb_entry(first, struct uet_ping, due_node);
		if (ping->due > now || pings->stopped)
			break;
		uet_ping_expired(pings, ping, now);
	}
	while (!list_empty(&pings->done) && !pings->stopped) {
		ping = list_first_entry(&pings->done, struct uet_ping,
					done_node);
		list_del(&ping->done_node);
		spin_unlock_bh(&pings->lock);
		uet_ping_finish(ping);
		cond_resched();
		spin_lock_bh(&pings->lock);
	}
	uet_pings_wake(pings, ktime_get_ns());
	spin_unlock_bh(&pings->lock);
}

/* Take probes out, of one socket or of all; they are freed without the lock. */
static void uet_pings_take(struct uet_pings *pings, u32 portid,
			   struct list_head *gone)
{
	struct uet_ping *ping, *tmp;
	struct rb_node *n, *next;

	lockdep_assert_held(&pings->lock);
	for (n = rb_first_cached(&pings->due); n; n = next) {
		next = rb_next(n);
		ping = rb_entry(n, struct uet_ping, due_node);
		if (portid && ping->portid != portid)
			continue;
		uet_ping_unlink(pings, ping);
		list_add(&ping->done_node, gone);
	}
	list_for_each_entry_safe(ping, tmp, &pings->done, done_node) {
		if (portid && ping->portid != portid)
			continue;
		/* A PDC that was opened shall be closed. */
		if (portid && ping->ask.endpoint)
			ping->portid = 0;
		else
			list_move(&ping->done_node, gone);
	}
}

static void uet_pings_free(struct list_head *gone)
{
	struct uet_ping *ping, *next;

	list_for_each_entry_safe(ping, next, gone, done_node)
		uet_ping_free(ping);
}

/**
 * uet_pings_forget() - a netlink socket closes: nobody waits for its probes
 * @un: namespace
 * @portid: of the socket, not 0
 *
 * Context: process.
 */
void uet_pings_forget(struct uet_net *un, u32 portid)
{
	LIST_HEAD(gone);

	if (!uet_pings_wait(un))
		return;
	spin_lock_bh(&un->pings->lock);
	uet_pings_take(un->pings, portid, &gone);
	spin_unlock_bh(&un->pings->lock);
	uet_pings_free(&gone);
}

/**
 * uet_pings_stop() - end all probes, and make no new ones
 * @un: namespace
 *
 * Context: process.
 */
void uet_pings_stop(struct uet_net *un)
{
	struct uet_pings *pings = un->pings;
	LIST_HEAD(gone);

	spin_lock_bh(&pings->lock);
	pings->stopped = true;
	spin_unlock_bh(&pings->lock);
	cancel_delayed_work_sync(&pings->work);
	spin_lock_bh(&pings->lock);
	uet_pings_take(pings, 0, &gone);
	spin_unlock_bh(&pings->lock);
	uet_pings_free(&gone);
}

/**
 * uet_pings_init() - prepare the probes of a namespace
 * @un: namespace
 *
 * Return: 0 or -ENOMEM.
 */
int uet_pings_init(struct uet_net *un)
{
	struct uet_pings *pings = kzalloc(sizeof(*pings), GFP_KERNEL_ACCOUNT);

	if (!pings)
		return -ENOMEM;
	pings->un = un;
	spin_lock_init(&pings->lock);
	pings->due = RB_ROOT_CACHED;
	INIT_LIST_HEAD(&pings->done);
	INIT_DELAYED_WORK(&pings->work, uet_pings_work);
	un->pings = pings;
	return 0;
}

/**
 * uet_pings_exit() - free what uet_pings_init() made
 * @un: namespace, without probes
 */
void uet_pings_exit(struct uet_net *un)
{
	WARN_ON_ONCE(un->pings->nr);
	kfree(un->pings);
}
