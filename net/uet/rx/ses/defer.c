// SPDX-License-Identifier: GPL-2.0
/*
 * Deferrable messages for which a socket has no room (UE 1.0 3.4.1), at their target.
 *
 * Such a message is dropped and noted, and its source is told so: it stops, and nothing
 * of the message holds up CACK, the PDC, or memory. When the reader has made room the
 * source is asked for the messages that were noted, the oldest first, as many as the
 * room is for. What they will bring is set aside for them among deferrable messages,
 * until they come or do not come in time. A host whose message does not come has its
 * others wait behind those of all other hosts. A message that a posted receive is for
 * (rx/ses/post.c) needs no room, and is asked for as soon as the receive is posted.
 *
 * A note stays until the request for it is answered, so there are never more requests
 * under way than notes, whatever sources leave unanswered.
 *
 * A message of an ordered PDC is not deferred, since later ones would overtake it: it is
 * NACKed like others. So is one that is not noted because there are too many, one that
 * has begun to arrive, and one whose source has not proved its address: the request for
 * it would go to whoever has that.
 *
 * Not here: the requests (sock/rtr.c), and deferred messages at their source
 * (tx/queue/defer.c).
 */
#include <linux/jiffies.h>
#include <linux/slab.h>
#include <linux/workqueue.h>
#include <net/ipv6.h>

#include "compat.h"
#include "link/packet.h"
#include "mib.h"
#include "pdc/pdc.h"
#include "pdc/rx_half.h"
#include "rx/ses/defer.h"
#include "rx/ses/post.h"
#include "rx/ses/rxmsg.h"
#include "rx/ses/ses.h"
#include "sock.h"

/* Notes of a socket, and of those the messages of one host */
#define UET_DEFER_NOTES		64
#define UET_DEFER_NOTES_PEER	16

/* Room that no reader has made is looked for so often. */
#define UET_DEFER_LOOK		HZ

/* A source that was asked sends by then; the request may be lost and sent again */
#define UET_DEFER_COMES		(2 * HZ)

/**
 * struct uet_defer_note - a message that was deferred
 * @node: in uet_sock.defers, the oldest first
 * @rtr: how to ask for it
 * @tag: its tag, if @tagged
 * @tagged: it has a tag
 * @told_at: when its source was asked, jiffies, if @told
 * @told: its source was asked, and room is set aside for it
 * @asking: the request is not answered yet
 * @gone: it came, or is not waited for any more; only if @asking
 */
struct uet_defer_note {
	struct list_head	node;
	struct uet_defer_rtr	rtr;
	u64			tag;
	unsigned long		told_at;
	bool			tagged;
	bool			told;
	bool			asking;
	bool			gone;
};

/* Is there room for a whole message beside what is here and what was asked for? Data takes
 * more memory than it has bytes; half more is a guess that errs by little. A long message
 * is read while it arrives, so three quarters of the room will do, which a reader that
 * keeps up has free now and then.
 */
static bool uet_defer_fits(const struct uet_sock *us, u64 len)
{
	u32 half = uet_rx_half(us);
	u64 need = min_t(u64, len + len / 2, half - half / 4);

	lockdep_assert_held(&us->rx_lock);
	return us->rx_bytes + us->defer_told + need <= half;
}

/* What is set aside for a message */
static u32 uet_defer_share(const struct uet_sock *us,
			   const struct uet_defer_note *n)
{
	return min(n->rtr.len, uet_rx_half(us));
}

static void uet_defer_untell(struct uet_sock *us, struct uet_defer_note *n)
{
	if (!n->told)
		return;
	n->told = false;
	us->defer_told -= n->rtr.share;
}

static void uet_defer_free(struct uet_sock *us, struct uet_defer_note *n)
{
	lockdep_assert_held(&us->rx_lock);
	uet_defer_untell(us, n);
	list_del(&n->node);
	us->nr_defers--;
	uet_mem_uncharge(us->un, sizeof(*n));
	kfree(n);
}

/* A message is not to be asked for any more. */
static void uet_defer_end(struct uet_sock *us, struct uet_defer_note *n)
{
	if (!n->asking) {
		uet_defer_free(us, n);
		return;
	}
	uet_defer_untell(us, n);
	n->gone = true;
}

/* The note of a message, by the token that its source gave it */
static struct uet_defer_note *uet_defer_find(struct uet_sock *us,
					     const struct uet_rx_ctx *rx,
					     u32 *of_peer)
{
	const struct uet_ses_req *ses = &rx->pkt->ses;
	u32 token = uet_ses_token(ses->buffer_offset, false);
	struct uet_defer_note *n;

	*of_peer = 0;
	list_for_each_entry(n, &us->defers, node) {
		if (!ipv6_addr_equal(&n->rtr.from.suet_addr, &rx->saddr))
			continue;
		if (n->rtr.token == token && n->rtr.from.suet_job == ses->job &&
		    n->rtr.from.suet_initiator == ses->initiator)
			return n;
		++*of_peer;
	}
	return NULL;
}

/* Note a message. Returns false if it cannot be. */
static bool uet_defer_add(struct uet_sock *us, const struct uet_rx_ctx *rx)
{
	const struct uet_ses_req *ses = &rx->pkt->ses;
	struct uet_defer_note *n;

	if (!uet_mem_charge(us->un, sizeof(*n)))
		return false;
	n = kzalloc(sizeof(*n), GFP_ATOMIC | __GFP_NOWARN);
	if (!n) {
		uet_mem_uncharge(us->un, sizeof(*n));
		return false;
	}
	uet_ses_from(rx, &n->rtr.from);
	n->rtr.laddr = rx->daddr;
	n->rtr.token = uet_ses_token(ses->buffer_offset, false);
	n->rtr.len = ses->request_length;
	n->tag = ses->key;
	n->tagged = ses->opcode == UET_SES_OP_DEFERRABLE_TSEND;
	/* 0 is no token. */
	if (!++us->defer_id)
		us->defer_id++;
	n->rtr.id = us->defer_id;
	list_add_tail(&n->node, &us->defers);
	us->nr_defers++;
	return true;
}

/* The socket has no room for a message: note it, or keep its note in its place. */
static bool uet_defer_note(struct uet_sock *us, struct uet_rx_ctx *rx,
			   struct uet_defer_note *n, u32 of_peer)
{
	if (n) {
		uet_defer_untell(us, n);
		n->gone = false;
	} else if (us->nr_defers >= UET_DEFER_NOTES ||
		   of_peer >= UET_DEFER_NOTES_PEER || !uet_defer_add(us, rx)) {
		return false;
	}
	/* Readers are to tell when there is room. */
	us->rx_nacked = true;
	us->rx_freed = 0;
	queue_delayed_work(system_percpu_wq, &us->rtr_work, UET_DEFER_LOOK);
	return true;
}

/* A message comes by a PDC whose peer has not proved its address. With both tokens, which
 * are the same (sock/rtr.c), it is the one that was asked for, and needs no room set aside
 * any longer.
 */
static void uet_defer_came(struct uet_sock *us, const struct uet_rx_ctx *rx,
			   struct uet_defer_note *n)
{
	if (n && n->told && n->rtr.token &&
	    n->rtr.token == uet_ses_token(rx->pkt->ses.buffer_offset, true))
		uet_defer_end(us, n);
}

/* Has a program posted a receive for the message? */
static bool uet_defer_posted(struct uet_sock *us, const struct uet_rx_ctx *rx)
{
	const struct uet_ses_req *ses = &rx->pkt->ses;
	struct uet_post_key key = {
		.tag = ses->key, .tagged = ses->opcode == UET_SES_OP_DEFERRABLE_TSEND,
	};
	struct sockaddr_uet from;

	if (likely(!us->posts))
		return false;
	uet_ses_from(rx, &from);
	key.from = &from;
	return uet_rxpost_wanted(us, &key);
}

/**
 * uet_defer_msg() - is a deferrable message to be deferred?
 * @pdc: the PDC
 * @rx: the first packet of it that came
 * @us: its socket
 *
 * Context: softirq, rx.lock held.
 * Return: true if so, and it is noted; false if there is room, or it is to be treated
 * like other messages.
 */
bool uet_defer_msg(struct uet_pdc *pdc, struct uet_rx_ctx *rx,
		   struct uet_sock *us)
{
	struct uet_defer_note *n;
	bool ret = false;
	u32 of_peer;

	lockdep_assert_held(&pdc->rx->lock);
	if (pdc->rod)
		return false;
	spin_lock(&us->rx_lock);
	if (us->rx_closed)
		goto out;
	n = uet_defer_find(us, rx, &of_peer);
	if (!pdc->rx->confirmed) {
		uet_defer_came(us, rx, n);
		goto out;
	}
	/* It does not compete with what is set aside for it. */
	if (n && n->told)
		us->defer_told -= n->rtr.share;
	ret = !uet_defer_fits(us, rx->pkt->ses.request_length) &&
	      !uet_defer_posted(us, rx);
	if (n && n->told)
		us->defer_told += n->rtr.share;
	if (ret)
		ret = uet_defer_note(us, rx, n, of_peer);
	else if (n)
		uet_defer_end(us, n);
out:
	spin_unlock(&us->rx_lock);
	return ret;
}

/* A message that was asked for and did not come */
static struct uet_defer_note *uet_defer_overdue(struct uet_sock *us)
{
	struct uet_defer_note *n;

	list_for_each_entry(n, &us->defers, node)
		if (n->told && time_after_eq(jiffies, n->told_at +
						      UET_DEFER_COMES))
			return n;
	return NULL;
}

/* The messages of a host are the last ones, in the order that they had. */
static void uet_defer_behind(struct uet_sock *us, const struct in6_addr *host)
{
	struct uet_defer_note *n, *next;
	LIST_HEAD(last);

	list_for_each_entry_safe(n, next, &us->defers, node)
		if (ipv6_addr_equal(&n->rtr.from.suet_addr, host))
			list_move_tail(&n->node, &last);
	list_splice_tail(&last, &us->defers);
}

/* Forget what did not come: else a host could keep the room for messages that it
 * never sends, one after the other.
 */
static void uet_defer_expire(struct uet_sock *us)
{
	struct uet_defer_note *n;
	struct in6_addr host;

	while ((n = uet_defer_overdue(us))) {
		host = n->rtr.from.suet_addr;
		uet_defer_end(us, n);
		uet_defer_behind(us, &host);
	}
}

static struct uet_defer_note *uet_defer_untold(struct uet_sock *us)
{
	struct uet_defer_note *n;

	list_for_each_entry(n, &us->defers, node)
		if (!n->told && !n->asking)
			return n;
	return NULL;
}

/* The first message that a receive was posted for, of which no source was asked */
static struct uet_defer_note *uet_defer_wanted(struct uet_sock *us)
{
	struct uet_defer_note *n;

	if (likely(!us->posts))
		return NULL;
	list_for_each_entry(n, &us->defers, node) {
		struct uet_post_key key = {
			.tag = n->tag, .from = &n->rtr.from, .tagged = n->tagged,
		};

		if (!n->told && !n->asking && uet_rxpost_wanted(us, &key))
			return n;
	}
	return NULL;
}

/**
 * uet_defer_next() - the next message that a source is to be asked for
 * @us: the socket
 * @rtr: filled in
 *
 * A socket that takes nothing any more asks for all: their sources find out so.
 *
 * Context: process.
 * Return: true if there is one.
 */
bool uet_defer_next(struct uet_sock *us, struct uet_defer_rtr *rtr)
{
	struct uet_defer_note *n, *wanted;

	spin_lock_bh(&us->rx_lock);
	uet_defer_expire(us);
	wanted = uet_defer_wanted(us);
	n = wanted ?: uet_defer_untold(us);
	if (n && !wanted && !us->rx_closed && !uet_defer_fits(us, n->rtr.len)) {
		us->rx_nacked = true;
		n = NULL;
	}
	if (n) {
		n->told = true;
		n->asking = true;
		n->told_at = jiffies;
		n->rtr.share = wanted ? 0 : uet_defer_share(us, n);
		us->defer_told += n->rtr.share;
		*rtr = n->rtr;
	}
	spin_unlock_bh(&us->rx_lock);
	return n;
}

static struct uet_defer_note *uet_defer_named(struct uet_sock *us, u32 id)
{
	struct uet_defer_note *n;

	list_for_each_entry(n, &us->defers, node)
		if (n->rtr.id == id)
			return n;
	return NULL;
}

/**
 * uet_defer_unasked() - a source could not be asked for now
 * @us: the socket
 * @id: names the message
 *
 * Context: process.
 */
void uet_defer_unasked(struct uet_sock *us, u32 id)
{
	struct uet_defer_note *n;

	spin_lock_bh(&us->rx_lock);
	n = uet_defer_named(us, id);
	if (n) {
		n->asking = false;
		uet_defer_untell(us, n);
		if (n->gone)
			uet_defer_free(us, n);
	}
	spin_unlock_bh(&us->rx_lock);
}

/**
 * uet_defer_answered() - the request for a message has ended
 * @us: the socket
 * @id: names the message
 * @comes: its source will send it
 *
 * Context: process.
 */
void uet_defer_answered(struct uet_sock *us, u32 id, bool comes)
{
	struct uet_defer_note *n;

	spin_lock_bh(&us->rx_lock);
	n = uet_defer_named(us, id);
	if (n) {
		n->asking = false;
		/* One that was offered again meanwhile is asked for again. */
		if (n->gone || (n->told && !comes))
			uet_defer_free(us, n);
	}
	spin_unlock_bh(&us->rx_lock);
}

/**
 * uet_defer_pause() - when the notes must be looked at again
 * @us: the socket
 *
 * Context: process.
 * A reader that makes room does not wait for that.
 *
 * Return: jiffies from now; 0 = there are none.
 */
unsigned long uet_defer_pause(struct uet_sock *us)
{
	unsigned long at, pause = 0;
	struct uet_defer_note *n;

	spin_lock_bh(&us->rx_lock);
	list_for_each_entry(n, &us->defers, node) {
		at = n->told_at + UET_DEFER_COMES;
		at = time_after(at, jiffies) ? at - jiffies : 1;
		if (!n->told || n->asking)
			at = UET_DEFER_LOOK;
		pause = pause ? min(pause, at) : at;
	}
	spin_unlock_bh(&us->rx_lock);
	return pause;
}

/**
 * uet_defer_room() - a reader has made room: sources may be asked
 * @us: the socket
 *
 * Context: process or BH, no locks held.
 */
void uet_defer_room(struct uet_sock *us)
{
	if (likely(!READ_ONCE(us->nr_defers)))
		return;
	mod_delayed_work(system_percpu_wq, &us->rtr_work, 0);
}

/**
 * uet_defer_drop_all() - forget all messages: the socket closes
 * @us: the socket, which takes nothing any more
 */
void uet_defer_drop_all(struct uet_sock *us)
{
	struct uet_defer_note *n, *next;

	spin_lock_bh(&us->rx_lock);
	list_for_each_entry_safe(n, next, &us->defers, node)
		uet_defer_free(us, n);
	spin_unlock_bh(&us->rx_lock);
}
