// SPDX-License-Identifier: GPL-2.0
/*
 * Reports of delivered and failed messages on the error queue of their socket. The
 * completions of MSG_ZEROCOPY (tx/msg/txpin.c), on the error queue of its owner socket, are
 * read with them. Without memory for a report its message is kept instead, and says
 * the same when it is read: who waits for every report would wait for ever for one.
 *
 * Errors of messages appear only there. EPOLLERR says that the queue is not
 * empty; SO_ERROR returns and clears the errno of the last failure, but no
 * later send or receive fails because of it.
 */
#include <linux/errqueue.h>
#include <linux/skbuff.h>
#include <net/sock.h>

#include "link/drop.h"
#include "sock.h"
#include "tx/msg/done.h"
#include "tx/msg/failure.h"
#include "tx/msg/report.h"
#include "tx/msg/txmsg.h"

/* Data of a report on the error queue */
struct uet_errmsg {
	struct uet_report	rep;
	struct sockaddr_uet	peer;
};

static bool uet_report_extends(struct sk_buff *tail,
			       const struct uet_report *rep,
			       const struct sockaddr_uet *peer)
{
	struct uet_errmsg *em;

	if (!tail || SKB_EXT_ERR(tail)->ee.ee_origin != SO_EE_ORIGIN_UET)
		return false;
	em = (struct uet_errmsg *)tail->data;
	if (em->rep.type != UET_REPORT_DELIVERED ||
	    em->rep.cookie_last + 1 != rep->cookie ||
	    memcmp(&em->peer, peer, sizeof(*peer)))
		return false;
	em->rep.cookie_last = rep->cookie_last;
	em->rep.length = rep->length;
	return true;
}

static void uet_report_ee(const struct uet_report *rep, struct sock_extended_err *ee)
{
	*ee = (struct sock_extended_err){
		.ee_errno = rep->error,
		.ee_origin = SO_EE_ORIGIN_UET,
		.ee_type = rep->source,
		.ee_code = rep->code,
		.ee_info = lower_32_bits(rep->cookie),
		.ee_data = upper_32_bits(rep->cookie),
	};
}

static struct sk_buff *uet_report_alloc(const struct uet_report *rep,
					const struct sockaddr_uet *peer)
{
	struct sk_buff *skb = alloc_skb(sizeof(struct uet_errmsg),
					GFP_ATOMIC | __GFP_NOWARN);
	struct sock_exterr_skb *serr;
	struct uet_errmsg *em;

	if (!skb)
		return NULL;
	em = skb_put_zero(skb, sizeof(*em));
	em->rep = *rep;
	em->peer = *peer;
	serr = SKB_EXT_ERR(skb);
	memset(serr, 0, sizeof(*serr));
	uet_report_ee(rep, &serr->ee);
	return skb;
}

/* Limit the reports of a socket that never reads them; others leave half of the
 * room to failed messages.
 */
static bool uet_report_fits(const struct uet_sock *us, u32 bytes, bool failure)
{
	u32 limit = READ_ONCE(us->sk.sk_rcvbuf);

	return us->reports + (u64)bytes <= (failure ? limit : limit / 2);
}

/* Keep a message in place of its report, with its data. */
static bool uet_report_late(struct uet_sock *us, struct uet_txmsg *msg,
			    const struct uet_report *rep)
{
	u32 bytes = sizeof(*msg) + READ_ONCE(msg->charged);

	if (!uet_report_fits(us, bytes, rep->error))
		return false;
	refcount_inc(&msg->ref);
	msg->late_bytes = bytes;
	msg->late_error = rep->error;
	msg->late_source = rep->source;
	msg->late_code = rep->code;
	us->reports += bytes;
	list_add_tail(&msg->late, &us->late);
	return true;
}

/**
 * uet_sock_report() - put a delivery result on the error queue
 * @us: socket
 * @rep: result; a success may extend the range of the newest report
 * @peer: address it was sent to
 * @msg: the message whose result it is, or NULL
 * @slot: slot for it of uet_done_own(), or NULL
 *
 * Context: any; flow lock held.
 * Return: false if there is no room for it.
 */
bool uet_sock_report(struct uet_sock *us, const struct uet_report *rep,
		     const struct sockaddr_uet *peer, struct uet_txmsg *msg,
		     struct uet_cq **slot)
{
	bool success = rep->type == UET_REPORT_DELIVERED;
	bool failure = !success && rep->type != UET_REPORT_PEER;
	struct sock *sk = &us->sk;
	struct sk_buff_head *q = &sk->sk_error_queue;
	struct sk_buff *skb;
	unsigned long flags;
	bool merged = false;

	if (unlikely(uet_done_report(us, rep, peer, slot))) {
		if (rep->type == UET_REPORT_FAILED)
			uet_failure_note(us->un, us->sk.sk_uid, peer, rep);
		return true;
	}
	if (success) {
		spin_lock_irqsave(&q->lock, flags);
		merged = uet_report_extends(skb_peek_tail(q), rep, peer);
		spin_unlock_irqrestore(&q->lock, flags);
		if (merged)
			return true;
	}
	if (rep->type == UET_REPORT_FAILED)
		uet_failure_note(us->un, us->sk.sk_uid, peer, rep);
	skb = uet_report_alloc(rep, peer);
	spin_lock_irqsave(&q->lock, flags);
	if (skb && uet_report_fits(us, skb->truesize, failure)) {
		us->reports += skb->truesize;
		__skb_queue_tail(q, skb);
		skb = NULL;
		merged = true;
	} else if (unlikely(!skb && msg)) {
		merged = uet_report_late(us, msg, rep);
	}
	spin_unlock_irqrestore(&q->lock, flags);
	if (!merged)
		uet_drop(us->un, skb, UET_DROP_REPORT);
	/* Not sk_err: recvmmsg() would fail because of it. */
	if (rep->error)
		WRITE_ONCE(sk->sk_err_soft, rep->error);
	sk_error_report(sk);
	return merged;
}

/**
 * uet_sock_has_report() - is there something for uet_sock_recv_report()?
 * @us: socket
 *
 * Context: any.
 * Return: true if so.
 */
bool uet_sock_has_report(const struct uet_sock *us)
{
	return !skb_queue_empty_lockless(&us->sk.sk_error_queue) ||
	       !list_empty(&us->late) ||
	       (us->owner &&
		!skb_queue_empty_lockless(&us->owner->sk_error_queue));
}

static struct sk_buff *uet_report_dequeue(struct uet_sock *us)
{
	struct sk_buff_head *q = &us->sk.sk_error_queue;
	struct sk_buff *skb;
	unsigned long flags;

	spin_lock_irqsave(&q->lock, flags);
	skb = __skb_dequeue(q);
	/* A completion of a socket without an owner is charged to optmem_max. */
	if (skb && SKB_EXT_ERR(skb)->ee.ee_origin == SO_EE_ORIGIN_UET)
		us->reports -= min(us->reports, skb->truesize);
	if (skb_queue_empty(q) && list_empty(&us->late))
		WRITE_ONCE(us->sk.sk_err_soft, 0);
	spin_unlock_irqrestore(&q->lock, flags);
	return skb;
}

/* Take the oldest message that is there in place of its report. */
static struct uet_txmsg *uet_report_late_take(struct uet_sock *us)
{
	struct sk_buff_head *q = &us->sk.sk_error_queue;
	struct uet_txmsg *msg;
	unsigned long flags;

	if (likely(list_empty(&us->late)))
		return NULL;
	spin_lock_irqsave(&q->lock, flags);
	msg = list_first_entry_or_null(&us->late, struct uet_txmsg, late);
	if (msg) {
		list_del(&msg->late);
		us->reports -= min(us->reports, msg->late_bytes);
		if (skb_queue_empty(q) && list_empty(&us->late))
			WRITE_ONCE(us->sk.sk_err_soft, 0);
	}
	spin_unlock_irqrestore(&q->lock, flags);
	return msg;
}

/**
 * uet_sock_drop_late() - free the messages that are there in place of reports
 * @us: a socket that closes; none of its messages is reported any more
 *
 * Context: process.
 */
void uet_sock_drop_late(struct uet_sock *us)
{
	struct uet_txmsg *msg;

	while ((msg = uet_report_late_take(us)))
		uet_txmsg_put(msg);
}

static void uet_report_put(struct msghdr *msg, const struct sock_extended_err *ee,
			   const struct uet_errmsg *em)
{
	struct {
		struct sock_extended_err ee;
		struct sockaddr_uet offender;
	} err = { .ee = *ee };

	if (em) {
		err.offender = em->peer;
		if (msg->msg_name) {
			memcpy(msg->msg_name, &em->peer, sizeof(em->peer));
			msg->msg_namelen = sizeof(em->peer);
		}
		put_cmsg(msg, SOL_UET, UET_CMSG_REPORT, sizeof(em->rep),
			 (void *)&em->rep);
	}
	put_cmsg(msg, SOL_UET, UET_CMSG_ERR, sizeof(err), &err);
	msg->msg_flags |= MSG_ERRQUEUE;
}

static void uet_report_put_late(struct msghdr *msg, struct uet_txmsg *tx)
{
	struct sock_extended_err ee;
	struct uet_errmsg em;

	uet_txmsg_result(tx, tx->late_error, tx->late_source, tx->late_code, &em.rep,
			 &em.peer);
	uet_report_ee(&em.rep, &ee);
	uet_report_put(msg, &ee, &em);
}

/**
 * uet_sock_recv_report() - recvmsg() with MSG_ERRQUEUE
 * @sk: socket
 * @msg: gets the peer's address and control messages, no data
 * @len: size of the buffer, not used
 *
 * Return: 0, or -EAGAIN if the queue is empty.
 */
int uet_sock_recv_report(struct sock *sk, struct msghdr *msg, size_t len)
{
	struct uet_sock *us = uet_sk(sk);
	const struct sock_extended_err *ee;
	struct uet_txmsg *late;
	struct sk_buff *skb;

	late = uet_report_late_take(us);
	if (unlikely(late)) {
		uet_report_put_late(msg, late);
		uet_txmsg_put(late);
		return 0;
	}
	skb = us->owner ? skb_dequeue(&us->owner->sk_error_queue) : NULL;
	if (!skb)
		skb = uet_report_dequeue(us);
	if (!skb)
		return -EAGAIN;
	ee = &SKB_EXT_ERR(skb)->ee;
	uet_report_put(msg, ee, ee->ee_origin == SO_EE_ORIGIN_UET ?
				(struct uet_errmsg *)skb->data : NULL);
	consume_skb(skb);
	return 0;
}
