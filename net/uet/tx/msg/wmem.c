// SPDX-License-Identifier: GPL-2.0
/*
 * Accounting of a socket's send buffer, and wake-up of senders that wait for
 * room.
 *
 * Not here: the memory of the namespace (uet_mem_charge()).
 */
#include <net/sock.h>

#include "sock.h"
#include "tx/msg/txmsg.h"
#include "tx/msg/txpage.h"
#include "tx/msg/wmem.h"

#define UET_WMEM_MSG		BIT_ULL(32)	/* one message in uet_sock.wmem */

static u64 uet_wmem_use(u64 wmem)
{
	return (u32)wmem + (wmem >> 32) * UET_TXMSG_OVERHEAD;
}

/**
 * uet_sock_wmem() - how much of the send buffer is used
 * @us: socket
 *
 * Return: bytes, overhead included.
 */
u64 uet_sock_wmem(const struct uet_sock *us)
{
	return uet_wmem_use(atomic64_read(&us->wmem));
}

/**
 * uet_sock_excess() - bytes that dests on hold have beyond half of the buffer
 * @us: socket
 * @but: one that does not count, or NULL
 *
 * Context: process, dests_lock held.
 * Return: bytes.
 */
noinline u64 uet_sock_excess(struct uet_sock *us, const struct uet_dest *but)
{
	u64 half = uet_sock_sndbuf(us) / 2;
	struct uet_dest *dest;
	u64 excess = 0;

	lockdep_assert_held(&us->dests_lock);
	list_for_each_entry(dest, &us->dests, us_node) {
		u64 own = uet_dest_queued(dest), held;

		if (dest == but || !READ_ONCE(dest->q.hold.on) || !own)
			continue;
		held = uet_dest_held(dest);
		/* If both queues for a target are on hold count one */
		if (held > half && (held == own || !dest->key.alone))
			excess += held - half;
	}
	return excess;
}

/**
 * uet_sock_dest_room() - does a dest accept more?
 * @us: socket
 * @dest: the dest
 * @need: bytes, overhead included
 *
 * Not if it is on hold and fills half of the buffer, nor if it must drain before it
 * changes its PDC.
 *
 * Context: process.
 * Return: true if so.
 */
bool uet_sock_dest_room(const struct uet_sock *us, const struct uet_dest *dest,
			u64 need)
{
	u64 held;

	/* Others may wait for it already, and messages line up behind them. */
	if (unlikely(READ_ONCE(dest->renews)) && READ_ONCE(dest->q.unfinished) &&
	    !READ_ONCE(dest->moves))
		return false;
	if (likely(!READ_ONCE(dest->q.hold.on)))
		return true;
	held = uet_dest_held(dest);
	return !held || held + need <= uet_sock_sndbuf(us) / 2;
}

/* uet_sock_tx_room() where the buffer is nearly full, or the dest is a special one */
static noinline bool uet_sock_tx_room_for(struct uet_sock *us,
					  const struct uet_dest *dest, u64 need,
					  s64 *wake_at)
{
	u64 sndbuf = uet_sock_sndbuf(us);
	u64 limit = sndbuf - min(need, sndbuf);
	u64 use;

	/* Whether the dest has room depends little on the use of the buffer. */
	*wake_at = UET_WAKE_ANY;
	if (dest && !uet_sock_dest_room(us, dest, need))
		return false;
	use = uet_sock_wmem(us);
	if (!need || use <= limit)
		return true;
	spin_lock(&us->dests_lock);
	limit += uet_sock_excess(us, dest);
	spin_unlock(&us->dests_lock);
	/* A message of several calls does not drain, and the buffer may be smaller now:
	 * beside it alone all else has room, and its next part may be too long.
	 */
	limit = max_t(u64, limit, READ_ONCE(us->part_bytes));
	*wake_at = limit;
	return use <= limit;
}

/**
 * uet_sock_tx_room() - does the send buffer have room for a message?
 * @us: socket
 * @dest: its queue, or NULL for any
 * @need: bytes, overhead included; 0 if they are in the buffer already
 * @wake_at: set if there is none: at which use of the buffer to check again,
 *	for uet_sock_wake_below()
 *
 * A buffer that is empty, but for a message of several calls, takes everything. A dest
 * on hold may fill half of it.
 *
 * The excess only grows when a hold begins, or when more is queued for a dest
 * on hold: uet_sock_held() and uet_sock_wcharge() wake then, and who adds to a message of
 * several calls.
 *
 * Return: true if there is room.
 */
bool uet_sock_tx_room(struct uet_sock *us, const struct uet_dest *dest,
		      u64 need, s64 *wake_at)
{
	if (likely(dest && !READ_ONCE(dest->renews) && !READ_ONCE(dest->q.hold.on) &&
		   uet_sock_wmem(us) + need <= uet_sock_sndbuf(us)))
		return true;
	return uet_sock_tx_room_for(us, dest, need, wake_at);
}

/**
 * uet_sock_ask_room() - uet_sock_tx_room(), and a wake-up if there is none
 * @us: socket
 * @dest: queue of the message, or NULL for any
 * @need: bytes, overhead included
 *
 * The caller is on the socket's wait queue already.
 *
 * Return: true if there is room.
 */
bool uet_sock_ask_room(struct uet_sock *us, const struct uet_dest *dest,
		       u64 need)
{
	s64 asked = -1, at;

	while (!uet_sock_tx_room(us, dest, need, &at)) {
		if (at <= asked)
			return false;
		uet_sock_wake_below(us, at);
		asked = at;
	}
	return true;
}

/**
 * uet_sock_wcharge() - charge data to the send buffer
 * @us: socket
 * @dest: its queue
 * @bytes: how much
 * @first: the first piece of its message
 */
void uet_sock_wcharge(struct uet_sock *us, struct uet_dest *dest, u32 bytes,
		      bool first)
{
	atomic64_add(bytes + (first ? UET_WMEM_MSG : 0), &us->wmem);
	atomic_long_add(bytes + (first ? UET_TXMSG_OVERHEAD : 0), &dest->wmem);
	/* It may not count for other dests: uet_sock_excess() */
	if (unlikely(READ_ONCE(dest->q.hold.on)))
		uet_sock_held(us);
}

/**
 * uet_sock_wfree() - uncharge data from the send buffer
 * @us: socket
 * @dest: its queue
 * @bytes: how much
 * @last: the message is done
 *
 * Context: any; with the flow lock held, or in the system call that charged.
 */
void uet_sock_wfree(struct uet_sock *us, struct uet_dest *dest, u32 bytes,
		    bool last)
{
	s64 wake_at;
	u64 use;

	atomic_long_sub(bytes + (last ? UET_TXMSG_OVERHEAD : 0), &dest->wmem);
	use = uet_wmem_use(atomic64_sub_return(bytes + (last ? UET_WMEM_MSG : 0),
					       &us->wmem));
	/* The subtraction is a full barrier; pairs with uet_sock_wake_below() and
	 * uet_refused_dest_room()
	 */
	wake_at = atomic64_read(&us->tx_wake_at);
	if ((wake_at >= 0 && use <= (u64)wake_at) || unlikely(READ_ONCE(dest->wanted))) {
		WRITE_ONCE(dest->wanted, false);
		uet_sock_wake_tx(us);
	}
	if (!use)
		uet_txpages_idle(us);
}

/**
 * uet_sock_wake_below() - ask for a wake-up when the buffer drains
 * @us: socket
 * @use: wake if the use is <= this; the highest value of all callers counts,
 *	and a caller that is woken too early asks again
 *
 * SIGIO is sent as well, if enabled.
 *
 * The caller is on the socket's wait queue already and checks the buffer again
 * afterwards.
 */
void uet_sock_wake_below(struct uet_sock *us, s64 use)
{
	s64 old = atomic64_read(&us->tx_wake_at);

	sk_set_bit(SOCKWQ_ASYNC_NOSPACE, &us->sk);
	use = max_t(s64, use, 0);
	while (old < use && !atomic64_try_cmpxchg(&us->tx_wake_at, &old, use))
		;
	/* Pairs with the subtraction in uet_sock_wfree() */
	smp_mb();
}

/**
 * uet_sock_wake_tx() - wake all who wait for room
 * @us: socket
 */
void uet_sock_wake_tx(struct uet_sock *us)
{
	atomic64_set(&us->tx_wake_at, -1);
	us->sk.sk_write_space(&us->sk);
}

/**
 * uet_sock_held() - wake senders after a hold began, or a dest on hold got data, or a
 *	message of several calls
 * @us: socket
 *
 * The limit at which others find room may have grown.
 *
 * Context: any.
 */
void uet_sock_held(struct uet_sock *us)
{
	/* Pairs with uet_sock_wake_below() */
	smp_mb();
	if (atomic64_read(&us->tx_wake_at) >= 0)
		uet_sock_wake_tx(us);
}

/**
 * uet_sock_op_ended() - a posted send has ended
 * @us: socket
 *
 * Context: any.
 */
void uet_sock_op_ended(struct uet_sock *us)
{
	/* A full barrier; pairs with uet_sock_wake_below() */
	if (atomic_dec_and_test(&us->nr_ops) && atomic64_read(&us->tx_wake_at) >= 0)
		uet_sock_wake_tx(us);
}
