// SPDX-License-Identifier: GPL-2.0
/*
 * Completions of sends. A socket with a completion queue (UET_CQ) has there what others
 * find on their error queue: results of messages, what became of watched endpoints and of
 * peers, and with MSG_ZEROCOPY that its buffers may be used again. Results for which there
 * is no memory go to the error queue still, where none is lost (tx/report.c).
 *
 * Not here: queues (cq/cq.c), pages of messages (tx/txpin.c).
 */
#include <linux/mm.h>
#include <linux/skbuff.h>
#include <linux/slab.h>

#include "compat.h"
#include "cq/cq.h"
#include "sock.h"
#include "tx/done.h"

static void uet_done_free(struct uet_cq_item *item)
{
	kfree(item);
}

static u8 uet_done_type(const struct uet_report *rep)
{
	switch (rep->type) {
	case UET_REPORT_WATCH:
		return UET_DONE_WATCH;
	case UET_REPORT_PEER:
		return UET_DONE_PEER;
	default:
		return UET_DONE_SENT;
	}
}

/**
 * uet_done_report() - tell what would be a report, if its socket has a queue
 * @us: socket
 * @rep: the report
 * @peer: endpoint it is about
 *
 * Context: any; flow lock held.
 * Return: false if it is to be told by the error queue.
 */
bool uet_done_report(struct uet_sock *us, const struct uet_report *rep,
		     const struct sockaddr_uet *peer)
{
	/* Pairs with uet_rxposts_begin(). */
	struct uet_cq *cq = smp_load_acquire(&us->cq);
	struct uet_cq_item *item;

	if (likely(!cq))
		return false;
	item = kmalloc(sizeof(*item), GFP_ATOMIC | __GFP_NOWARN);
	if (!item)
		return false;
	item->free = uet_done_free;
	item->done = (struct uet_completion){
		.cookie	= rep->cookie,
		.type	= uet_done_type(rep),
		.source	= rep->source,
		.code	= rep->code,
		.error	= rep->error,
		.flags	= UET_DONE_LAST,
		.length	= rep->length,
		.socket	= (u32)us->inode,
		.peer	= *peer,
	};
	if (item->done.type == UET_DONE_SENT) {
		uet_cq_add(cq, item);
	} else if (!uet_cq_try_add(cq, item)) {
		kfree(item);
		return false;
	}
	return true;
}

/**
 * struct uet_ubuf - notification of MSG_ZEROCOPY in a completion queue
 * @ubuf: what packets refer to
 * @item: the completion
 * @cq: queue, with a reference; NULL: nobody is to be told
 * @pin: the pages count for RLIMIT_MEMLOCK
 */
struct uet_ubuf {
	struct ubuf_info	ubuf;
	struct uet_cq_item	item;
	struct uet_cq		*cq;
	struct mmpin		pin;
};

static void uet_ubuf_free(struct uet_cq_item *item)
{
	kfree(container_of(item, struct uet_ubuf, item));
}

static void uet_ubuf_put(struct ubuf_info *ubuf)
{
	struct uet_ubuf *u = container_of(ubuf, struct uet_ubuf, ubuf);
	struct uet_cq *cq = u->cq;

	if (!refcount_dec_and_test(&ubuf->refcnt))
		return;
	mm_unaccount_pinned_pages(&u->pin);
	if (!cq) {
		kfree(u);
		return;
	}
	uet_cq_add(cq, &u->item);
	uet_cq_put(cq);
}

static void uet_ubuf_complete(struct sk_buff *skb, struct ubuf_info *ubuf, bool success)
{
	uet_ubuf_put(ubuf);
}

static const struct ubuf_info_ops uet_ubuf_ops = {
	.complete = uet_ubuf_complete,
};

/**
 * uet_done_ubuf() - a notification of MSG_ZEROCOPY for a completion queue
 * @us: socket with a queue
 * @pinned: bytes that stay where they are, 0 if the message is copied
 *
 * Context: process; sleeps.
 * Return: the notification with the reference of the call; NULL without memory, at
 * RLIMIT_MEMLOCK, or if completions wait for room in the queue.
 */
struct ubuf_info *uet_done_ubuf(struct uet_sock *us, size_t pinned)
{
	struct uet_ubuf *u;

	if (uet_cq_full(us->cq))
		return NULL;
	u = kzalloc(sizeof(*u), GFP_KERNEL_ACCOUNT);
	if (!u)
		return NULL;
	if (mm_account_pinned_pages(&u->pin, pinned)) {
		kfree(u);
		return NULL;
	}
	refcount_set(&u->ubuf.refcnt, 1);
	u->ubuf.flags = SKBFL_ZEROCOPY_FRAG;
	uet_ubuf_set_ops(&u->ubuf, &uet_ubuf_ops);
	u->item.free = uet_ubuf_free;
	u->item.done = (struct uet_completion){
		.type	= UET_DONE_BUFFER,
		.flags	= UET_DONE_LAST,
		.socket	= (u32)us->inode,
	};
	u->cq = us->cq;
	uet_cq_get(u->cq);
	return &u->ubuf;
}

/**
 * uet_done_ubuf_name() - say which message a notification is for
 * @ubuf: any notification
 * @cookie: of the message
 *
 * Context: process.
 */
void uet_done_ubuf_name(struct ubuf_info *ubuf, u64 cookie)
{
	if (uet_ubuf_has_ops(ubuf, &uet_ubuf_ops))
		container_of(ubuf, struct uet_ubuf, ubuf)->item.done.cookie = cookie;
}

/**
 * uet_done_ubuf_set() - say what the completion of a notification has
 * @ubuf: of uet_done_ubuf()
 * @done: the completion
 *
 * Context: process; no packet refers to it yet.
 */
void uet_done_ubuf_set(struct ubuf_info *ubuf, const struct uet_completion *done)
{
	container_of(ubuf, struct uet_ubuf, ubuf)->item.done = *done;
}

/**
 * uet_done_ubuf_end() - the call of a notification ends
 * @ubuf: any notification
 * @sent: the message was taken over; else nobody is told
 *
 * Context: process.
 * Return: false if it is not one of this file; then nothing was done.
 */
bool uet_done_ubuf_end(struct ubuf_info *ubuf, bool sent)
{
	struct uet_ubuf *u = container_of(ubuf, struct uet_ubuf, ubuf);

	if (!uet_ubuf_has_ops(ubuf, &uet_ubuf_ops))
		return false;
	/* No packet refers to what was not sent. */
	if (!sent) {
		uet_cq_put(u->cq);
		u->cq = NULL;
	}
	uet_ubuf_put(ubuf);
	return true;
}
