// SPDX-License-Identifier: GPL-2.0
/*
 * Reading: a reader takes all readable packets out of the first message in one
 * step, copies from them without a spinlock, and puts back what it did not use.
 * Meanwhile the socket lock excludes other readers, and arriving packets are
 * appended to the message.
 */
#include <linux/skbuff.h>

#include "core/cc/dfc.h"
#include "link/drop.h"
#include "pdc/pdc.h"
#include "rx/ses/rxmsg.h"
#include "sock.h"

/* Messages that a search passes before others get the lock */
#define UET_PEEK_BATCH		64

static struct uet_rxmsg *uet_rx_first(struct uet_sock *us)
{
	return list_first_entry_or_null(&us->rx_ready, struct uet_rxmsg, node);
}

/* Would a reader get something of the message, @off bytes behind what was read? */
static bool uet_rx_has(const struct uet_sock *us, const struct uet_rxmsg *msg,
		       u32 off, u32 lowat)
{
	if (msg->complete || msg->error)
		return true;
	/* Cap it by what the buffer can hold at once */
	lowat = clamp_t(u32, lowat, 1, uet_rx_half(us) / 2);
	return msg->head - msg->read - off >= lowat;
}

/**
 * uet_rx_first_readable() - would a reader get something?
 * @us: socket, rx_lock held
 * @lowat: minimum of bytes, if the message is incomplete
 *
 * Return: true if the first message has that much, its end, or an error.
 */
bool uet_rx_first_readable(struct uet_sock *us, u32 lowat)
{
	const struct uet_rxmsg *msg = uet_rx_first(us);

	lockdep_assert_held(&us->rx_lock);
	return msg && uet_rx_has(us, msg, 0, lowat);
}

/**
 * uet_rx_readable() - uet_rx_first_readable() for callers without rx_lock
 * @us: socket
 * @lowat: bytes
 *
 * Return: see uet_rx_first_readable().
 */
bool uet_rx_readable(struct uet_sock *us, u32 lowat)
{
	bool ret;

	/* No lock: a waiter joins the wait queue before it checks. */
	if (list_empty(&us->rx_ready))
		return false;
	spin_lock_bh(&us->rx_lock);
	ret = uet_rx_first_readable(us, lowat);
	spin_unlock_bh(&us->rx_lock);
	return ret;
}

/**
 * uet_rx_pollable() - does poll() say that there is something to read?
 * @us: socket
 *
 * As for a reader. But with a completion queue what waits here is what no receive was
 * posted for, and its program wants to know when that takes much room, not of each.
 *
 * Context: process.
 * Return: true if so.
 */
bool uet_rx_pollable(struct uet_sock *us)
{
	u32 lowat = READ_ONCE(us->sk.sk_rcvlowat);
	bool ret;

	/* Pairs with uet_rxposts_begin(). */
	if (likely(lowat <= 1 || !smp_load_acquire(&us->cq)))
		return uet_rx_readable(us, lowat);
	/* Not more than the buffer can hold */
	lowat = min(lowat, uet_rx_half(us) / 2);
	spin_lock_bh(&us->rx_lock);
	ret = us->rx_ready_bytes >= lowat && uet_rx_first_readable(us, lowat);
	spin_unlock_bh(&us->rx_lock);
	return ret;
}

/*
 * The message that has the byte @off behind the first unread one, as SO_PEEK_OFF
 * counts: through all messages, empty ones once. @off becomes relative to the
 * message. Only readers remove complete messages and they hold the socket lock, so
 * rx_lock can be released in between.
 */
static struct uet_rxmsg *uet_rx_at(struct uet_sock *us, u32 *off)
{
	struct uet_rxmsg *msg;
	u32 n = 0;

	lockdep_assert_held(&us->rx_lock);
	list_for_each_entry(msg, &us->rx_ready, node) {
		u32 rest = msg->head - msg->read;

		if (msg->error || *off < rest || (!*off && !msg->peeked))
			return msg;
		/* What is behind it comes after the rest of it. */
		if (!msg->complete)
			return NULL;
		*off -= rest;
		if (++n % UET_PEEK_BATCH == 0) {
			spin_unlock_bh(&us->rx_lock);
			spin_lock_bh(&us->rx_lock);
		}
	}
	return NULL;
}

/**
 * uet_rx_peekable() - would MSG_PEEK with SO_PEEK_OFF get something?
 * @us: socket, locked
 * @off: the peek offset
 * @lowat: minimum of bytes, if the message is incomplete
 *
 * Return: true if there is data at the offset, the end of a message, or an error.
 */
bool uet_rx_peekable(struct uet_sock *us, u32 off, u32 lowat)
{
	const struct uet_rxmsg *msg;
	bool ret;

	spin_lock_bh(&us->rx_lock);
	msg = uet_rx_at(us, &off);
	ret = msg && uet_rx_has(us, msg, off, lowat);
	spin_unlock_bh(&us->rx_lock);
	return ret;
}

/**
 * uet_rx_avail() - bytes of the first message that can be read now (SIOCINQ)
 * @us: socket
 *
 * Return: bytes.
 */
u32 uet_rx_avail(struct uet_sock *us)
{
	const struct uet_rxmsg *msg;
	u32 ret = 0;

	spin_lock_bh(&us->rx_lock);
	msg = uet_rx_first(us);
	if (msg && !msg->error)
		ret = msg->head - msg->read;
	spin_unlock_bh(&us->rx_lock);
	return ret;
}

/**
 * uet_rx_pend() - how far is the reader behind?
 * @us: socket
 * @pdc: PDC that brings it data
 *
 * Counts readable bytes behind the first message. If the first one is read while
 * it arrives, nothing behind it is readable, so its own bytes count.
 *
 * Context: BH disabled.
 * Return: rcvr_cwnd_pend, 0 .. 127.
 */
u8 uet_rx_pend(struct uet_sock *us, const struct uet_pdc *pdc)
{
	unsigned long half = uet_rx_half(us), late = 0;
	const struct uet_rxmsg *msg;

	spin_lock(&us->rx_lock);
	msg = uet_rx_first(us);
	if (msg)
		late = msg->complete ? us->rx_ready_bytes - msg->bytes :
				       msg->bytes;
	if (unlikely(late > half / 4) && uet_rx_grow(us, pdc))
		half = uet_rx_half(us);
	spin_unlock(&us->rx_lock);
	return uet_dfc_pend(late, half / 4, half);
}

/* Is it time to wake the senders that were NACKed for shortage? Not for every
 * packet read: a wake-up costs a packet per PDC.
 */
static bool uet_rx_tell(struct uet_sock *us)
{
	u32 step;

	lockdep_assert_held(&us->rx_lock);
	if (likely(!us->rx_nacked))
		return false;
	step = uet_rx_half(us) / 4;
	if (us->rx_freed < step && us->rx_bytes > step)
		return false;
	us->rx_nacked = false;
	us->rx_freed = 0;
	return true;
}

/* What tells senders; set before the first socket is made */
bool (*uet_rx_room)(struct uet_sock *us) __ro_after_init;

/* Wake a batch of senders; the rest are next when the reader goes on. */
static void uet_rx_told(struct uet_sock *us)
{
	if (likely(!uet_rx_room(us)))
		return;
	spin_lock_bh(&us->rx_lock);
	us->rx_nacked = true;
	us->rx_freed = uet_rx_half(us);
	spin_unlock_bh(&us->rx_lock);
}

/**
 * uet_rx_room_made() - messages were taken by posted receives
 * @us: socket
 *
 * Context: process.
 */
void uet_rx_room_made(struct uet_sock *us)
{
	bool tell;

	spin_lock_bh(&us->rx_lock);
	tell = uet_rx_tell(us);
	spin_unlock_bh(&us->rx_lock);
	if (tell)
		uet_rx_told(us);
}

/**
 * uet_rxread_whole() - is the first message complete, and in one packet?
 * @us: socket, locked
 * @room: bytes that the reader has room for
 *
 * Only readers touch a complete message, so its packet need not be taken out to be
 * copied from; uet_rxread_taken() must follow.
 *
 * Return: the message, or NULL if not.
 */
struct uet_rxmsg *uet_rxread_whole(struct uet_sock *us, size_t room)
{
	struct uet_rxmsg *msg;

	spin_lock_bh(&us->rx_lock);
	msg = uet_rx_first(us);
	if (msg && (!msg->complete || msg->read || msg->len > room ||
		    skb_queue_len(&msg->prefix) != 1))
		msg = NULL;
	spin_unlock_bh(&us->rx_lock);
	return msg;
}

/**
 * uet_rxread_taken() - a message of one packet was read
 * @us: socket, locked
 * @msg: of uet_rxread_whole(); the socket's reference becomes the caller's
 */
void uet_rxread_taken(struct uet_sock *us, struct uet_rxmsg *msg)
{
	struct sk_buff *skb;
	bool tell;

	spin_lock_bh(&us->rx_lock);
	skb = __skb_dequeue(&msg->prefix);
	uet_rx_drop_read(us, msg);
	tell = uet_rx_tell(us);
	spin_unlock_bh(&us->rx_lock);
	consume_skb(skb);
	if (tell)
		uet_rx_told(us);
}

/**
 * uet_rxread_begin() - take the readable packets out of the first message
 * @us: socket, locked
 * @rd: filled in, but for @peek_off, which the caller has set
 * @same: NULL, or the message that must still be the first
 * @pos: with @same, the position it must be at
 * @lowat: without @same, minimum of bytes, if the message is incomplete
 * @peek: MSG_PEEK
 *
 * An error of the message is returned in @rd->error and removes the message; with
 * @peek the message stays, for a later read to report the error.
 *
 * Return: true if there was data or an error; uet_rxread_end() must follow unless
 * @rd->error is set.
 */
bool uet_rxread_begin(struct uet_sock *us, struct uet_rxread *rd,
		      const struct uet_rxmsg *same, u32 pos, u32 lowat,
		      bool peek)
{
	struct uet_rxmsg *msg;
	bool ret = false;
	u32 off = 0;

	__skb_queue_head_init(&rd->skbs);
	__skb_queue_head_init(&rd->used);
	rd->msg = NULL;
	rd->used_bytes = 0;
	rd->error = 0;

	spin_lock_bh(&us->rx_lock);
	if (unlikely(rd->peek_off >= 0)) {
		off = rd->peek_off;
		msg = uet_rx_at(us, &off);
	} else {
		msg = uet_rx_first(us);
	}
	if (!msg || (same && (msg != same || msg->read != pos || msg->error)))
		goto out;
	if (!same && !uet_rx_has(us, msg, off, lowat))
		goto out;
	if (msg->error) {
		rd->error = msg->error;
		rd->from = msg->from;
		ret = true;
		if (peek)
			goto out;
		rd->msg = msg;
		sk_peek_offset_bwd(&us->sk, msg->head - msg->read);
		uet_rx_drop(us, msg, &rd->skbs);
		goto out;
	}
	if (!msg->complete && msg->head == msg->read)
		goto out;
	msg->busy = true;
	refcount_inc(&msg->ref);
	skb_queue_splice_init(&msg->prefix, &rd->skbs);
	rd->msg = msg;
	rd->pos = msg->read + off;
	rd->whole = msg->complete;
	ret = true;
out:
	spin_unlock_bh(&us->rx_lock);
	if (rd->error && rd->msg) {
		uet_drop_list(us->un, &rd->skbs, UET_DROP_UNREAD);
		uet_rxmsg_put(rd->msg);
		rd->msg = NULL;
	}
	return ret;
}

/**
 * uet_rxread_used() - note that a packet was read to its end
 * @rd: hold
 * @skb: first of @rd->skbs
 */
void uet_rxread_used(struct uet_rxread *rd, struct sk_buff *skb)
{
	__skb_unlink(skb, &rd->skbs);
	__skb_queue_tail(&rd->used, skb);
	rd->used_bytes += skb->truesize;
}

/**
 * uet_rxread_commit() - give the memory of used packets back
 * @us: socket, locked
 * @rd: hold
 */
void uet_rxread_commit(struct uet_sock *us, struct uet_rxread *rd)
{
	struct uet_rxmsg *msg = rd->msg;
	bool tell;

	spin_lock_bh(&us->rx_lock);
	msg->read = rd->pos;
	uet_rx_uncharge(us, msg, rd->used_bytes);
	tell = uet_rx_tell(us);
	spin_unlock_bh(&us->rx_lock);
	rd->used_bytes = 0;
	uet_consume_list(&rd->used);
	if (tell)
		uet_rx_told(us);
}

/**
 * uet_rxread_end() - put back what was not read
 * @us: socket, locked
 * @rd: hold
 * @peek: put back everything
 *
 * A message read to its end leaves the socket.
 */
void uet_rxread_end(struct uet_sock *us, struct uet_rxread *rd, bool peek)
{
	struct uet_rxmsg *msg = rd->msg;
	struct sk_buff_head gone;
	bool drop, tell;

	__skb_queue_head_init(&gone);
	spin_lock_bh(&us->rx_lock);
	msg->busy = false;
	if (peek) {
		skb_queue_splice_init(&rd->used, &rd->skbs);
		msg->peeked = true;
	} else {
		msg->read = rd->pos;
	}
	skb_queue_splice_init(&rd->skbs, &msg->prefix);
	/* If it failed meanwhile, a reader that saw part gets the error next. */
	drop = msg->error ? !msg->read && !msg->peeked :
	       !peek && msg->complete && msg->read == msg->len;
	if (drop)
		uet_rx_drop(us, msg, &gone);
	else if (!peek)
		uet_rx_uncharge(us, msg, rd->used_bytes);
	if (!peek)
		msg->waits = jiffies;
	tell = uet_rx_tell(us);
	spin_unlock_bh(&us->rx_lock);

	uet_consume_list(&rd->used);
	uet_drop_list(us->un, &gone, UET_DROP_UNREAD);
	if (drop)
		uet_rxmsg_put(msg);
	uet_rxmsg_put(msg);
	rd->msg = NULL;
	if (tell)
		uet_rx_told(us);
}
