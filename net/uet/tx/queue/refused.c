// SPDX-License-Identifier: GPL-2.0
/*
 * Destinations that a socket had sends refused to, and whether they have room now: what
 * poll() and UET_WRITABLE tell.
 *
 * Each queue remembers its refusal, so there is no more memory for them than there is
 * for queues: when an idle queue is dropped, uet_sock.refused_others stands for it. So
 * does uet_sock.refused_owner for datagrams and writes, which have no queue.
 *
 * Not here: when one is told how often (core/snd/refused.c).
 */
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <net/sock.h>

#include "compat.h"
#include "core/snd/refused.h"
#include "sock.h"
#include "tx/msg/txmsg.h"
#include "tx/msg/wmem.h"
#include "tx/queue/refused.h"

/* Refusals that are taken at a time */
#define UET_REFUSED_STEP	32

static void uet_refused_timeout(struct timer_list *t)
{
	struct uet_sock *us = timer_container_of(us, t, refused_timer);

	uet_sock_wake_tx(us);
	sock_put(&us->sk);
}

/**
 * uet_refused_init() - nothing was refused
 * @us: a new socket
 */
void uet_refused_init(struct uet_sock *us)
{
	uet_refusals_init(&us->refused);
	uet_refusal_init(&us->refused_others);
	uet_refusal_init(&us->refused_owner);
	timer_setup(&us->refused_timer, uet_refused_timeout, 0);
}

/**
 * uet_refused_stop() - stop the timer
 * @us: socket that closes
 *
 * Context: process.
 */
void uet_refused_stop(struct uet_sock *us)
{
	sk_stop_timer_sync(&us->sk, &us->refused_timer);
}

/**
 * uet_refused_note() - a send that would not wait was refused for want of room
 * @us: the socket
 * @dest: queue of the message, NULL: it is a datagram or a write
 * @need: bytes that it needs
 *
 * With @dest to be called before the room is looked at for the last time.
 */
void uet_refused_note(struct uet_sock *us, struct uet_dest *dest, u32 need)
{
	struct uet_refusal *r = &us->refused_owner;

	spin_lock(&us->dests_lock);
	if (dest)
		r = list_empty(&dest->us_node) ? &us->refused_others : &dest->refusal;
	uet_refusal_note(&us->refused, r, need);
	spin_unlock(&us->dests_lock);
	/* Who looked in between knows nothing of it. */
	if (!dest && us->owner && sock_writeable(us->owner))
		uet_sock_wake_tx(us);
}

/**
 * uet_refused_taken() - a send has succeeded, and something was refused before
 * @us: the socket
 * @dest: queue of the message, NULL: it is a datagram or a write
 * @need: bytes that it needed
 */
void uet_refused_taken(struct uet_sock *us, struct uet_dest *dest, u32 need)
{
	u64 now = ktime_get_ns();

	spin_lock(&us->dests_lock);
	uet_refusal_taken(&us->refused, dest ? &dest->refusal : &us->refused_owner,
			  need, now);
	spin_unlock(&us->dests_lock);
}

/**
 * struct uet_refused_room - a walk over what was refused
 * @us: the socket
 * @excess: uet_sock_excess(), if @known
 * @known: so
 *
 * Those that have room of their own add nothing to the excess, so that it is the same
 * for all of them.
 */
struct uet_refused_room {
	struct uet_sock	*us;
	u64		excess;
	bool		known;
};

static bool uet_refused_dest_room(struct uet_sock *us, struct uet_dest *dest, u32 need)
{
	if (uet_sock_dest_room(us, dest, need))
		return true;
	sk_set_bit(SOCKWQ_ASYNC_NOSPACE, &us->sk);
	uet_dest_want_room(dest);
	/* Pairs with uet_sock_wfree() */
	smp_mb();
	return uet_sock_dest_room(us, dest, need);
}

static u64 uet_refused_excess(struct uet_refused_room *room)
{
	if (!room->known) {
		/* First, so that whoever makes it grow meanwhile wakes us */
		uet_sock_wake_below(room->us, 0);
		room->excess = uet_sock_excess(room->us, NULL);
		room->known = true;
	}
	return room->excess;
}

/* A uet_refusal_ready function; dests_lock held */
static bool uet_refused_room(struct uet_refusal *r, void *arg)
{
	struct uet_refused_room *room = arg;
	struct uet_sock *us = room->us;
	u64 sndbuf = uet_sock_sndbuf(us), limit;

	/* Its space wakes those who wait here. */
	if (r == &us->refused_owner)
		return !us->owner || sock_writeable(us->owner);
	if (r != &us->refused_others &&
	    !uet_refused_dest_room(us, container_of(r, struct uet_dest, refusal),
				   r->need))
		return false;
	limit = sndbuf - min_t(u64, r->need, sndbuf);
	if (uet_sock_wmem(us) <= limit)
		return true;
	limit += uet_refused_excess(room);
	limit = max_t(u64, limit, READ_ONCE(us->part_bytes));
	if (uet_sock_wmem(us) <= limit)
		return true;
	uet_sock_wake_below(us, limit);
	return uet_sock_wmem(us) <= limit;
}

/**
 * uet_refused_look() - would any send be taken now that was refused?
 * @us: the socket
 * @waits: set if the last send was refused: then nothing else is worth a wake-up
 *
 * If not, whoever is on the socket's wait queue is woken when one may be.
 *
 * Context: process.
 * Return: true if so.
 */
bool uet_refused_look(struct uet_sock *us, bool *waits)
{
	struct uet_refused_room room = { .us = us };
	u64 now, again;
	bool told;

	*waits = false;
	if (likely(!READ_ONCE(us->refused.nr)))
		return false;
	now = ktime_get_ns();
	spin_lock(&us->dests_lock);
	told = uet_refusals_look(&us->refused, now, uet_refused_room, &room, &again);
	*waits = us->refused.nr && us->refused.last;
	spin_unlock(&us->dests_lock);
	if (again)
		sk_reset_timer(&us->sk, &us->refused_timer, jiffies + 1 +
			       nsecs_to_jiffies(again > now ? again - now : 0));
	return told;
}

/* The destination that a refusal is of; of family 0 if nobody knows */
static void uet_refused_name(struct uet_sock *us, struct uet_refusal *r,
			     struct sockaddr_uet *name)
{
	if (r == &us->refused_others || r == &us->refused_owner)
		memset(name, 0, sizeof(*name));
	else
		uet_dest_name(&container_of(r, struct uet_dest, refusal)->key, name);
}

/**
 * uet_refused_take() - the destinations that would take what was refused
 * @us: the socket
 * @names: filled with their addresses; the first of one whose address nobody knows any
 *	more is of family 0
 * @max: room there
 *
 * They are forgotten: their senders try again.
 *
 * Context: process.
 * Return: their number.
 */
u32 uet_refused_take(struct uet_sock *us, struct sockaddr_uet *names, u32 max)
{
	struct uet_refusal *taken[UET_REFUSED_STEP];
	u32 n, got = 0, i;

	do {
		struct uet_refused_room room = { .us = us };

		spin_lock(&us->dests_lock);
		n = uet_refusals_take(&us->refused, uet_refused_room, &room, taken,
				      min_t(u32, max - got, UET_REFUSED_STEP));
		for (i = 0; i < n; i++)
			uet_refused_name(us, taken[i], &names[got++]);
		spin_unlock(&us->dests_lock);
	} while (n == UET_REFUSED_STEP && got < max);
	return got;
}
