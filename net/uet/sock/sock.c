// SPDX-License-Identifier: GPL-2.0
/*
 * What a socket holds: the use of its send buffer with those who wait for it,
 * and the reports on its error queue.
 *
 * Errors of messages are only on the error queue. EPOLLERR says that it is not
 * empty; SO_ERROR tells the errno of the last failure (and forgets it), but no
 * later send or receive fails because of it.
 */
#include <linux/errqueue.h>
#include <linux/poll.h>
#include <linux/skbuff.h>

#include "mib.h"
#include "sock.h"
#include "tx/txmsg.h"

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
 * uet_sock_sndbuf() - size of the send buffer
 * @us: socket
 *
 * Return: bytes.
 */
u32 uet_sock_sndbuf(const struct uet_sock *us)
{
	return READ_ONCE(us->sk.sk_sndbuf);
}

/* What destinations that refuse hold beyond their half of the buffer does not
 * keep others from sending.
 */
static u64 uet_sock_excess(struct uet_sock *us, const struct uet_dest *but)
{
	u64 half = uet_sock_sndbuf(us) / 2;
	struct uet_dest *dest;
	u64 excess = 0;

	spin_lock(&us->dests_lock);
	list_for_each_entry(dest, &us->dests, us_node) {
		u64 own = atomic_long_read(&dest->wmem), held;

		if (dest == but || !READ_ONCE(dest->hold.on) || !own)
			continue;
		held = uet_dest_held(dest);
		/* Of two queues for one target the other one counts */
		if (held > half && (held == own || !dest->key.alone))
			excess += held - half;
	}
	spin_unlock(&us->dests_lock);
	return excess;
}

/* Does a destination leave room? Not if it refuses for shortage and fills its
 * half of the buffer, nor if its queue is to move to another PDC when it is
 * empty.
 */
static bool uet_sock_dest_room(const struct uet_sock *us,
			       const struct uet_dest *dest, u64 need)
{
	u64 held;

	if (unlikely(READ_ONCE(dest->renews)) && READ_ONCE(dest->unfinished))
		return false;
	if (likely(!READ_ONCE(dest->hold.on)))
		return true;
	held = uet_dest_held(dest);
	return !held || held + need <= uet_sock_sndbuf(us) / 2;
}

/**
 * uet_sock_tx_room() - may a message be taken over now
 * @us: socket
 * @dest: where to, or NULL for anywhere
 * @need: bytes, overhead included; 0 if they are in the buffer already
 * @wake_at: set if there is none: the use of the buffer at which it is worth
 *	while to look again, for uet_sock_wake_below()
 *
 * An empty buffer takes everything. A destination that refuses for shortage
 * may fill half of it.
 *
 * The excess only grows when a destination begins to refuse, or when more is
 * queued for one that does: uet_sock_held() and uet_sock_wcharge() wake then.
 *
 * Return: true if there is room.
 */
bool uet_sock_tx_room(struct uet_sock *us, const struct uet_dest *dest,
		      u64 need, s64 *wake_at)
{
	u64 sndbuf = uet_sock_sndbuf(us);
	u64 limit = sndbuf - min(need, sndbuf);
	u64 use;

	/* The use of the buffer says little about the queue. */
	*wake_at = UET_WAKE_ANY;
	if (dest && !uet_sock_dest_room(us, dest, need))
		return false;
	use = uet_sock_wmem(us);
	if (!need || use <= limit)
		return true;
	limit += uet_sock_excess(us, dest);
	*wake_at = limit;
	return use <= limit;
}

/**
 * uet_sock_ask_room() - uet_sock_tx_room(), and a wake-up if there is none
 * @us: socket
 * @dest: where to, or NULL for anywhere
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
 * uet_sock_wcharge() - data was taken over
 * @us: socket
 * @dest: where to
 * @bytes: how much
 * @first: the first piece of its message
 */
void uet_sock_wcharge(struct uet_sock *us, struct uet_dest *dest, u32 bytes,
		      bool first)
{
	atomic64_add(bytes + (first ? UET_WMEM_MSG : 0), &us->wmem);
	atomic_long_add(bytes + (first ? UET_TXMSG_OVERHEAD : 0), &dest->wmem);
	/* It may count for nobody else: uet_sock_excess() */
	if (unlikely(READ_ONCE(dest->hold.on)))
		uet_sock_held(us);
}

/**
 * uet_sock_wfree() - data is not held any more
 * @us: socket
 * @dest: where it was to go
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
	/* The subtraction is a full barrier; pairs with uet_sock_wake_below() */
	wake_at = atomic64_read(&us->tx_wake_at);
	if (wake_at >= 0 && use <= (u64)wake_at)
		uet_sock_wake_tx(us);
	if (!use)
		uet_txpages_idle(us);
}

/**
 * uet_sock_wake_below() - ask for a wake-up when the buffer drains
 * @us: socket
 * @use: at or below which use; the highest wish of all counts, and who is
 *	woken too early asks again
 *
 * SIGIO follows as well, if it is asked for.
 *
 * The caller is on the socket's wait queue already and looks at the buffer
 * again afterwards.
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
 * uet_sock_held() - a destination began to refuse for shortage
 * @us: socket
 *
 * Its share of the send buffer shrinks, which may make room for others. So it
 * does when more is queued for one that refuses.
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
 * uet_write_space() - struct sock's sk_write_space
 * @sk: socket
 */
void uet_write_space(struct sock *sk)
{
	struct socket_wq *wq;

	rcu_read_lock();
	wq = rcu_dereference(sk->sk_wq);
	/* A sendmsg() in the middle of a message sleeps uninterruptibly. */
	if (skwq_has_sleeper(wq))
		__wake_up_sync_key(&wq->wait, TASK_NORMAL,
				   poll_to_key(EPOLLOUT | EPOLLWRNORM |
					       EPOLLWRBAND));
	sk_wake_async(sk, SOCK_WAKE_SPACE, POLL_OUT);
	rcu_read_unlock();
}

/* What a report on the error queue is made of */
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

/* Who never reads must not collect reports without end; successes leave half
 * of the room to failures.
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
 */
void uet_sock_report(struct uet_sock *us, const struct uet_report *rep,
		     const struct sockaddr_uet *peer)
{
	bool failure = rep->type != UET_REPORT_DELIVERED;
	struct sock *sk = &us->sk;
	struct sk_buff_head *q = &sk->sk_error_queue;
	struct sk_buff *skb;
	unsigned long flags;
	bool merged = false;

	if (!failure) {
		spin_lock_irqsave(&q->lock, flags);
		merged = uet_report_extends(skb_peek_tail(q), rep, peer);
		spin_unlock_irqrestore(&q->lock, flags);
		if (merged)
			return;
	}
	skb = uet_report_alloc(rep, peer);
	spin_lock_irqsave(&q->lock, flags);
	if (skb && uet_report_fits(us, skb, failure)) {
		us->reports += skb->truesize;
		__skb_queue_tail(q, skb);
		skb = NULL;
		merged = true;
	}
	spin_unlock_irqrestore(&q->lock, flags);
	if (!merged) {
		kfree_skb(skb);
		UET_INC(us->un, REPORT_LOST);
	}
	if (rep->error)
		WRITE_ONCE(sk->sk_err, rep->error);
	sk_error_report(sk);
}

static struct sk_buff *uet_report_dequeue(struct uet_sock *us)
{
	struct sk_buff_head *q = &us->sk.sk_error_queue;
	struct sk_buff *skb;
	unsigned long flags;

	spin_lock_irqsave(&q->lock, flags);
	skb = __skb_dequeue(q);
	if (skb)
		us->reports -= min(us->reports, skb->truesize);
	if (skb_queue_empty(q))
		WRITE_ONCE(us->sk.sk_err, 0);
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
	struct uet_errmsg *em;
	struct sk_buff *skb;

	skb = uet_report_dequeue(uet_sk(sk));
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
