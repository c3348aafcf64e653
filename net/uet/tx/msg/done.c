// SPDX-License-Identifier: GPL-2.0
/*
 * Completions of sends. A socket with a completion queue (UET_CQ) has there what others
 * find on their error queue: results of messages, what became of watched endpoints and of
 * peers, and with MSG_ZEROCOPY that its buffers may be used again. A message whose success
 * is told owns a slot from its call on. What nobody asked for (failures of other messages,
 * lost peers) takes a slot if there is one, and else goes to the error queue still.
 *
 * Not here: queues (cq/cq.c), pages of messages (tx/msg/txpin.c).
 */
#include <linux/mm.h>
#include <linux/skbuff.h>
#include <linux/slab.h>

#include "compat.h"
#include "cq/cq.h"
#include "sock.h"
#include "tx/msg/done.h"

/**
 * uet_done_own() - own a slot for the result of a message
 * @us: socket
 * @slot: set to its queue, with a reference and the slot; NULL: it has no queue
 *
 * Context: process.
 * Return: 0, or -EAGAIN if there is no slot.
 */
int uet_done_own(struct uet_sock *us, struct uet_cq **slot)
{
	/* Pairs with uet_rxposts_begin(). */
	struct uet_cq *cq = smp_load_acquire(&us->cq);

	*slot = NULL;
	if (!cq)
		return 0;
	if (!uet_cq_own(cq, 1))
		return -EAGAIN;
	uet_cq_get(cq);
	*slot = cq;
	return 0;
}

/**
 * uet_done_disown() - give back a slot of uet_done_own(), if any
 * @slot: set to NULL
 *
 * Context: any.
 */
void uet_done_disown(struct uet_cq **slot)
{
	if (!*slot)
		return;
	uet_cq_disown(*slot, 1);
	uet_cq_put(*slot);
	*slot = NULL;
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
 * @slot: slot for it of uet_done_own(), which is used up; or NULL
 *
 * Context: any; flow lock held.
 * Return: false if it is to be told by the error queue.
 */
bool uet_done_report(struct uet_sock *us, const struct uet_report *rep,
		     const struct sockaddr_uet *peer, struct uet_cq **slot)
{
	/* Pairs with uet_rxposts_begin(). */
	struct uet_cq *cq = smp_load_acquire(&us->cq);
	struct uet_completion done;

	if (likely(!cq))
		return false;
	done = (struct uet_completion){
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
	if (slot && *slot) {
		uet_cq_tell(*slot, &done);
		uet_cq_put(*slot);
		*slot = NULL;
		return true;
	}
	if (done.type == UET_DONE_SENT) {
		if (!uet_cq_own(cq, 1))
			return false;
		uet_cq_tell(cq, &done);
	} else {
		if (!uet_cq_own_remote(cq, NULL))
			return false;
		uet_cq_tell_remote(cq, &done);
	}
	return true;
}

/**
 * struct uet_ubuf - notification of MSG_ZEROCOPY in a completion queue
 * @ubuf: what packets refer to
 * @done: the completion
 * @cq: queue, with a reference and a slot; NULL: nobody is to be told
 * @pin: the pages count for RLIMIT_MEMLOCK
 */
struct uet_ubuf {
	struct ubuf_info	ubuf;
	struct uet_completion	done;
	struct uet_cq		*cq;
	struct mmpin		pin;
};

static void uet_ubuf_put(struct ubuf_info *ubuf)
{
	struct uet_ubuf *u = container_of(ubuf, struct uet_ubuf, ubuf);
	struct uet_cq *cq = u->cq;

	if (!refcount_dec_and_test(&ubuf->refcnt))
		return;
	mm_unaccount_pinned_pages(&u->pin);
	if (cq) {
		uet_cq_tell(cq, &u->done);
		uet_cq_put(cq);
	}
	kfree(u);
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
 * RLIMIT_MEMLOCK, or without a slot of the queue.
 */
struct ubuf_info *uet_done_ubuf(struct uet_sock *us, size_t pinned)
{
	struct uet_ubuf *u = kzalloc(sizeof(*u), GFP_KERNEL_ACCOUNT);

	if (!u)
		return NULL;
	if (mm_account_pinned_pages(&u->pin, pinned))
		goto err_free;
	if (uet_done_own(us, &u->cq))
		goto err_unpin;
	refcount_set(&u->ubuf.refcnt, 1);
	u->ubuf.flags = SKBFL_ZEROCOPY_FRAG;
	uet_ubuf_set_ops(&u->ubuf, &uet_ubuf_ops);
	u->done = (struct uet_completion){
		.type	= UET_DONE_BUFFER,
		.flags	= UET_DONE_LAST,
		.socket	= (u32)us->inode,
	};
	return &u->ubuf;

err_unpin:
	mm_unaccount_pinned_pages(&u->pin);
err_free:
	kfree(u);
	return NULL;
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
		container_of(ubuf, struct uet_ubuf, ubuf)->done.cookie = cookie;
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
	if (!sent)
		uet_done_disown(&u->cq);
	uet_ubuf_put(ubuf);
	return true;
}
