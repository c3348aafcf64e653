// SPDX-License-Identifier: GPL-2.0
/*
 * Posted sends: their completions, and pages that their programs lend.
 *
 * A posted send is a message as any other, and needs nobody once it is posted: it has its
 * data, and owns its place in the completion queue. Its completion comes when it was
 * delivered or has failed, and no packet refers to its pages any more.
 *
 * Lent pages are pinned (cq/buffer.c), and have a reference for each place in the message
 * besides. They go with their program: then the message is given up, as by UET_CANCEL.
 * To a peer that may not take MSG_ERROR for a PSN that was used missing packets must be
 * sent again as they were (tx/queue/giveup.c): such a message keeps its pages until the
 * peer has all of it or is given up.
 *
 * Not here: what a program asks for (sock/sendop.c), packets of lent pages (tx/msg/txpin.c).
 */
#include <linux/delay.h>
#include <linux/ktime.h>
#include <linux/skbuff.h>
#include <linux/slab.h>
#include <linux/wait_bit.h>

#include "compat.h"
#include "cq/buffer.h"
#include "cq/cq.h"
#include "sock.h"
#include "tx/msg/done.h"
#include "tx/msg/failure.h"
#include "tx/msg/op.h"
#include "tx/msg/txmsg.h"
#include "tx/msg/wmem.h"
#include "tx/pds/pds.h"

/* A message that is just handed to another PDC is looked for again: how often, and after
 * how many ms
 */
#define UET_OP_END_TRIES	100
#define UET_OP_END_MS		10

/**
 * struct uet_op_pages - pages that a program lends for a posted send
 * @ubuf: what the message and its packets refer to
 * @buf: the pages
 * @cq: queue with a slot for the completion, of uet_done_own(), if it is to be told
 * @lock: of @msg; BH-disabled, a leaf
 * @msg: the message while it has them, without a reference
 * @op: uet_txmsg.op
 * @done: what to tell
 */
struct uet_op_pages {
	struct ubuf_info	ubuf;
	struct uet_buffer	buf;
	struct uet_cq		*cq;
	spinlock_t		lock;	/* of msg */
	struct uet_txmsg	*msg;
	u8			op;
	struct uet_completion	done;
};

static struct uet_op_pages *uet_op_pages_of(struct uet_buffer *buf)
{
	return container_of(buf, struct uet_op_pages, buf);
}

static struct uet_op_pages *uet_op_pages(const struct uet_txmsg *msg)
{
	return container_of(msg->ubuf, struct uet_op_pages, ubuf);
}

/* Tell by a slot, or give that back. */
static void uet_op_tell(struct uet_cq **slot, const struct uet_completion *done, u8 op)
{
	if (op & UET_TXOP_QUIET && !done->error) {
		uet_done_disown(slot);
		return;
	}
	uet_cq_tell(*slot, done);
	uet_cq_put(*slot);
	*slot = NULL;
}

static void uet_op_put(struct uet_op_pages *pages)
{
	if (!refcount_dec_and_test(&pages->ubuf.refcnt))
		return;
	if (pages->cq)
		uet_op_tell(&pages->cq, &pages->done, pages->op);
	uet_buffer_spend(&pages->buf);
}

static void uet_op_complete(struct sk_buff *skb, struct ubuf_info *ubuf, bool success)
{
	uet_op_put(container_of(ubuf, struct uet_op_pages, ubuf));
}

static const struct ubuf_info_ops uet_op_ubuf_ops = {
	.complete = uet_op_complete,
};

static bool uet_op_pages_get(struct uet_buffer *buf)
{
	return refcount_inc_not_zero(&uet_op_pages_of(buf)->ubuf.refcnt);
}

static void uet_op_ends_put(struct uet_net *un)
{
	if (atomic_dec_and_test(&un->op_ends))
		wake_up_var(&un->op_ends);
}

/* The message that has pages, with a reference, for which its namespace waits. */
static struct uet_txmsg *uet_op_msg(struct uet_op_pages *pages)
{
	struct uet_txmsg *msg;
	struct uet_net *un;

	spin_lock_bh(&pages->lock);
	msg = pages->msg;
	if (msg) {
		/* Before the reference: until uet_op_detach() it is there. */
		un = msg->dest->un;
		atomic_inc(&un->op_ends);
		if (!refcount_inc_not_zero(&msg->ref)) {
			uet_op_ends_put(un);
			msg = NULL;
		}
	}
	spin_unlock_bh(&pages->lock);
	return msg;
}

static void uet_op_msg_put(struct uet_txmsg *msg)
{
	struct uet_net *un = msg->dest->un;

	uet_txmsg_put(msg);
	uet_op_ends_put(un);
}

/* The program has ended: give its message up, with all others to the same endpoint. */
static void uet_op_pages_end(struct uet_buffer *buf)
{
	struct uet_op_pages *pages = uet_op_pages_of(buf);
	struct uet_txmsg *msg = uet_op_msg(pages);
	int tries = UET_OP_END_TRIES;

	while (msg && READ_ONCE(msg->op)) {
		struct uet_txdrop drop = {
			.now = ktime_get_ns(), .error = ECANCELED, .gone = true,
		};

		uet_pds_drop(msg->dest, &drop);
		if (!drop.moving || !tries--)
			break;
		msleep(UET_OP_END_MS);
	}
	if (msg)
		uet_op_msg_put(msg);
	uet_op_put(pages);
}

static void uet_op_pages_free(struct uet_buffer *buf)
{
	kfree(uet_op_pages_of(buf));
}

static const struct uet_buffer_ops uet_op_buffer_ops = {
	.get	= uet_op_pages_get,
	.end	= uet_op_pages_end,
	.free	= uet_op_pages_free,
};

/**
 * uet_op_pin() - pin the data of a posted send
 * @us: socket with a queue
 * @addr: address in the current process
 * @len: bytes
 *
 * Context: process; sleeps.
 * Return: the pages with a reference, or ERR_PTR(): uet_buffer_hold(), -ENOMEM.
 */
struct uet_op_pages *uet_op_pin(struct uet_sock *us, u64 addr, u32 len)
{
	struct uet_op_pages *pages = kzalloc(sizeof(*pages), GFP_KERNEL_ACCOUNT);
	int err;

	if (!pages)
		return ERR_PTR(-ENOMEM);
	refcount_set(&pages->ubuf.refcnt, 1);
	pages->ubuf.flags = SKBFL_ZEROCOPY_FRAG;
	uet_ubuf_set_ops(&pages->ubuf, &uet_op_ubuf_ops);
	spin_lock_init(&pages->lock);
	pages->buf.ops = &uet_op_buffer_ops;
	err = uet_buffer_hold(uet_cq_users(us->cq), &pages->buf, addr, len);
	if (!err)
		return pages;
	kfree(pages);
	return ERR_PTR(err);
}

/**
 * uet_op_buffer() - the pages themselves
 * @pages: of uet_op_pin()
 *
 * Return: the buffer.
 */
const struct uet_buffer *uet_op_buffer(const struct uet_op_pages *pages)
{
	return &pages->buf;
}

/**
 * uet_op_unpin() - drop the reference of uet_op_pin()
 * @pages: pages whose message, if there is one, was submitted or cancelled
 *
 * Whoever ended the operations of the queue before found no message to give up.
 *
 * Context: process; sleeps.
 */
void uet_op_unpin(struct uet_op_pages *pages)
{
	/* Here the message is submitted before it is asked whether the pages have ended; who
	 * ends them does the reverse, so one of both finds the other. Pairs with
	 * cond_synchronize_rcu() in uet_user_end().
	 */
	smp_mb();
	if (unlikely(uet_buffer_gone(&pages->buf)))
		uet_op_pages_end(&pages->buf);
	else
		uet_op_put(pages);
}

/**
 * uet_op_attach() - lend pages to a message
 * @msg: message, not known to others
 * @pages: its pages, of which it gets a reference
 *
 * Context: process.
 */
void uet_op_attach(struct uet_txmsg *msg, struct uet_op_pages *pages)
{
	net_zcopy_get(&pages->ubuf);
	msg->ubuf = &pages->ubuf;
	spin_lock_bh(&pages->lock);
	pages->msg = msg;
	spin_unlock_bh(&pages->lock);
}

/**
 * uet_op_describe() - the completion of a posted send
 * @msg: its message
 * @type: enum uet_completion_type
 * @done: filled in
 *
 * Context: any.
 */
void uet_op_describe(const struct uet_txmsg *msg, u8 type, struct uet_completion *done)
{
	struct sockaddr_uet peer;

	uet_dest_name(&msg->dest->key, &peer);
	*done = (struct uet_completion){
		.cookie	= msg->cookie,
		.type	= type,
		.flags	= UET_DONE_LAST,
		.length	= msg->m.len,
		.socket	= msg->inode,
		.peer	= peer,
	};
}

/**
 * uet_op_begin() - a message is a posted send: what becomes of it will be told
 * @msg: message with its data and a slot, not submitted
 * @us: its socket
 * @op: UET_TXOP_*
 *
 * Context: process.
 */
void uet_op_begin(struct uet_txmsg *msg, struct uet_sock *us, u8 op)
{
	msg->posted = true;
	msg->inode = (u32)us->inode;
	msg->op = op | UET_TXOP_POSTED;
	atomic_inc(&us->nr_ops);
	if (msg->lent) {
		uet_op_pages(msg)->op = msg->op;
		uet_op_pages(msg)->cq = msg->cq;
		msg->cq = NULL;
	}
}

/**
 * uet_op_taken() - a queue has taken a posted send: tell that its buffer is free
 * @msg: message with %UET_TXOP_COPIED
 *
 * Context: BH disabled; lock of the queue held, so that no failure is told before.
 */
void uet_op_taken(struct uet_txmsg *msg)
{
	struct uet_completion done;

	uet_op_describe(msg, UET_DONE_BUFFER, &done);
	msg->op &= ~UET_TXOP_COPIED;
	uet_cq_tell(msg->cq, &done);
}

/**
 * uet_op_refuse() - undo uet_op_begin(): it could not be submitted
 * @msg: message
 * @us: its socket
 *
 * Context: process.
 */
void uet_op_refuse(struct uet_txmsg *msg, struct uet_sock *us)
{
	msg->op = 0;
	if (msg->lent)
		uet_done_disown(&uet_op_pages(msg)->cq);
	uet_sock_op_ended(us);
}

/**
 * uet_op_done() - a posted send was delivered, or has failed
 * @msg: message whose completion was not told
 * @error: 0, or the errno of the failure, of either sign
 * @source: enum uet_report_source
 * @code: meaning depends on @source
 *
 * Of lent pages it is told when no packet refers to them.
 *
 * Context: any; lock of the queue or of its flow held, or nobody else has the message.
 */
void uet_op_done(struct uet_txmsg *msg, int error, u8 source, u16 code)
{
	u8 op = msg->op, type = op & UET_TXOP_BUFFER ? UET_DONE_BUFFER : UET_DONE_SENT;
	struct uet_completion done;
	struct sockaddr_uet peer;
	struct uet_report rep;

	uet_txmsg_result(msg, error, source, code, &rep, &peer);
	if (error && !msg->m.withdrawn)
		uet_failure_note(msg->dest->un, msg->dest->uid, &peer, &rep);
	uet_op_describe(msg, type, &done);
	done.error = rep.error;
	done.source = source;
	done.code = code;
	WRITE_ONCE(msg->op, 0);
	if (msg->lent) {
		uet_op_pages(msg)->done = done;
		return;
	}
	uet_op_tell(&msg->cq, &done, op);
}

/**
 * uet_op_detach() - a message that is done needs its pages no more
 * @msg: message with lent pages, whose reference is dropped next
 *
 * Context: any.
 */
void uet_op_detach(struct uet_txmsg *msg)
{
	struct uet_op_pages *pages = uet_op_pages(msg);

	spin_lock_bh(&pages->lock);
	pages->msg = NULL;
	spin_unlock_bh(&pages->lock);
}

/**
 * uet_op_gone() - has the program ended that lent the pages of a message?
 * @msg: any message
 *
 * Context: any.
 * Return: true if so.
 */
bool uet_op_gone(const struct uet_txmsg *msg)
{
	return msg->lent && uet_buffer_gone(&uet_op_pages(msg)->buf);
}
