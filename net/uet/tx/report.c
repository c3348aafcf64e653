// SPDX-License-Identifier: GPL-2.0
/*
 * Reports of delivered and failed messages on the error queue of their socket. The
 * completions of MSG_ZEROCOPY (tx/txpin.c), on the error queue of its owner socket, are
 * read with them.
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
#include "tx/failure.h"
#include "tx/report.h"

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
	serr->ee.ee_errno = rep->error;
	serr->ee.ee_origin = SO_EE_ORIGIN_UET;
	serr->ee.ee_type = rep->source;
	serr->ee.ee_code = rep->code;
	serr->ee.ee_info = lower_32_bits(rep->cookie);
	serr->ee.ee_data = upper_32_bits(rep->cookie);
	return skb;
}

/* Limit the reports of a socket that never reads them; others leave half of the
 * room to failed messages.
 */
static bool uet_report_fits(const struct uet_sock *us, const struct sk_buff *skb,
			    bool failure)
{
	u32 limit = READ_ONCE(us->sk.sk_rcvbuf);

	return us->reports + skb->truesize <= (failure ? limit : limit / 2);
}

/**
 * uet_sock_report() - put a delivery result on the error queue
 * @us: socket
 * @rep: result; a success may extend the range of the newest report
 * @peer: address it was sent to
 *
 * Context: any; flow lock held.
 * Return: false if there is no room for it.
 */
bool uet_sock_report(struct uet_sock *us, const struct uet_report *rep,
		     const struct sockaddr_uet *peer)
{
	bool success = rep->type == UET_REPORT_DELIVERED;
	bool failure = !success && rep->type != UET_REPORT_PEER;
	struct sock *sk = &us->sk;
	struct sk_buff_head *q = &sk->sk_error_queue;
	struct sk_buff *skb;
	unsigned long flags;
	bool merged = false;

	if (success) {
		spin_lock_irqsave(&q->lock, flags);
		merged = uet_report_extends(skb_peek_tail(q), rep, peer);
		spin_unlock_irqrestore(&q->lock, flags);
		if (merged)
			return true;
	}
	if (rep->type == UET_REPORT_FAILED)
		uet_failure_note(us->un, peer, rep);
	skb = uet_report_alloc(rep, peer);
	spin_lock_irqsave(&q->lock, flags);
	if (skb && uet_report_fits(us, skb, failure)) {
		us->reports += skb->truesize;
		__skb_queue_tail(q, skb);
		skb = NULL;
		merged = true;
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
	if (skb_queue_empty(q))
		WRITE_ONCE(us->sk.sk_err_soft, 0);
	spin_unlock_irqrestore(&q->lock, flags);
	return skb;
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
	struct {
		struct sock_extended_err ee;
		struct sockaddr_uet offender;
	} err = {};
	struct uet_sock *us = uet_sk(sk);
	struct uet_errmsg *em;
	struct sk_buff *skb;

	skb = us->owner ? skb_dequeue(&us->owner->sk_error_queue) : NULL;
	if (!skb)
		skb = uet_report_dequeue(us);
	if (!skb)
		return -EAGAIN;
	err.ee = SKB_EXT_ERR(skb)->ee;
	if (err.ee.ee_origin == SO_EE_ORIGIN_UET) {
		em = (struct uet_errmsg *)skb->data;
		err.offender = em->peer;
		if (msg->msg_name) {
			memcpy(msg->msg_name, &em->peer, sizeof(em->peer));
			msg->msg_namelen = sizeof(em->peer);
		}
		put_cmsg(msg, SOL_UET, UET_CMSG_REPORT, sizeof(em->rep),
			 &em->rep);
	}
	put_cmsg(msg, SOL_UET, UET_CMSG_ERR, sizeof(err), &err);
	msg->msg_flags |= MSG_ERRQUEUE;
	consume_skb(skb);
	return 0;
}
