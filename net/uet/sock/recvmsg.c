// SPDX-License-Identifier: GPL-2.0
/*
 * recvmsg(), splice() from a socket, and poll().
 *
 * A call returns data of one message. If the buffer is too short, the next call
 * returns the rest; the call that reaches the end sets MSG_EOR. Messages longer
 * than half of SO_RCVBUF can be read while they arrive.
 *
 * Not here: how packets are taken out of a message (rx/ses/rxread.c).
 */
#include <linux/poll.h>
#include <linux/sched/signal.h>
#include <linux/skbuff.h>
#include <linux/splice.h>
#include <net/busy_poll.h>

#include "core/wire/wire_ses.h"
#include "link/addr.h"
#include "rx/ses/rxmsg.h"
#include "sock.h"
#include "sock/calls.h"
#include "tx/msg/report.h"
#include "tx/msg/txmsg.h"
#include "tx/msg/wmem.h"
#include "tx/queue/refused.h"
#include "tx/queue/watch.h"

/**
 * struct uet_recv - one recvmsg() under way
 * @msg: the caller's; NULL with @pipe
 * @pipe: takes pages instead of a copy, or NULL
 * @len: size of its buffer
 * @copied: bytes copied so far
 * @flags: MSG_*
 * @peek_off: SO_PEEK_OFF with MSG_PEEK, -1 without either
 * @rxmsg: message read from, with a reference; NULL before the first data
 * @start: offset in the message of the first byte of this call
 * @pos: offset of the next byte to read
 * @eor: the end of the message was reached
 * @stamped: time stamps were delivered
 */
struct uet_recv {
	struct msghdr		*msg;
	struct pipe_inode_info	*pipe;
	size_t			len;
	size_t			copied;
	int			flags;
	s32			peek_off;
	struct uet_rxmsg	*rxmsg;
	u32			start;
	u32			pos;
	bool			eor;
	bool			stamped;
};

/*
 * Fast path: payload is nearly always in a few fragments. skb_copy_datagram_msg()
 * copies page by page, and asks for each piece whether it is inside a slab object.
 * Without highmem a fragment is contiguous, and slab memory is never a fragment
 * (sendpage_ok()), so one copy without that check does.
 */
static u32 uet_recv_frags(const struct sk_buff *skb, u32 off,
			  struct iov_iter *to, u32 len)
{
	const struct skb_shared_info *si = skb_shinfo(skb);
	const struct uet_rxcb *cb = UET_RXCB(skb);
	u32 to_gap = len, done = 0;
	u32 at = uet_rxcb_at(cb, off, &to_gap);
	int i;

	for (i = 0; done < len && i < si->nr_frags; i++) {
		const skb_frag_t *frag = &si->frags[i];
		struct page *page = skb_frag_page(frag);
		u32 size = skb_frag_size(frag);
		const void *data;

		if (!page || PageHighMem(page))
			return done;
		data = page_address(page) + skb_frag_off(frag);
		while (at < size && done < len) {
			u32 n = min3(size - at, to_gap, len - done);

			if (_copy_to_iter(data + at, n, to) != n)
				return done;
			at += n;
			done += n;
			to_gap -= n;
			if (!to_gap) {
				at += cb->gap;
				to_gap = cb->seg;
			}
		}
		at -= min(at, size);
	}
	return done;
}

/* Any packet: from gap to gap */
static int uet_recv_pieces(const struct sk_buff *skb, u32 off,
			   struct msghdr *msg, u32 len)
{
	size_t left = iov_iter_count(&msg->msg_iter);
	u32 n, at;
	int err;

	for (; len; off += n, len -= n) {
		n = len;
		at = uet_rxcb_at(UET_RXCB(skb), off, &n);
		err = skb_copy_datagram_msg(skb, at, msg, n);
		if (unlikely(err)) {
			iov_iter_revert(&msg->msg_iter,
					left - iov_iter_count(&msg->msg_iter));
			return err;
		}
	}
	return 0;
}

/* Copy @len bytes of a packet's payload, from @off on. */
static int uet_recv_skb(const struct sk_buff *skb, u32 off, struct msghdr *msg,
			u32 len)
{
	struct iov_iter *to = &msg->msg_iter;
	size_t left = iov_iter_count(to);

	if (off + len <= skb_headlen(skb) && !UET_RXCB(skb)->gap &&
	    copy_to_iter(skb->data + off, len, to) == len)
		return 0;
	if (!skb_headlen(skb) && !skb_has_frag_list(skb) &&
	    uet_recv_frags(skb, off, to, len) == len)
		return 0;
	iov_iter_revert(to, left - iov_iter_count(to));
	return uet_recv_pieces(skb, off, msg, len);
}

/* Give a pipe references to @len bytes of a packet's payload, from @off on. Returns how
 * much it had room for, or an error.
 */
static int uet_recv_splice(struct uet_sock *us, struct sk_buff *skb, u32 off,
			   struct pipe_inode_info *pipe, u32 len)
{
	u32 done = 0, n, at;
	int got;

	while (done < len) {
		n = len - done;
		at = uet_rxcb_at(UET_RXCB(skb), off + done, &n);
		got = skb_splice_bits(skb, &us->sk, at, pipe, n, 0);
		if (got <= 0)
			return done ?: got ?: -EAGAIN;
		done += got;
		if (got < n)
			break;
	}
	return done;
}

/* Hand @len bytes of a packet over. Returns how much that is, or an error. */
static int uet_recv_give(struct uet_sock *us, struct uet_recv *r,
			 struct sk_buff *skb, u32 off, u32 len)
{
	int err;

	if (unlikely(r->pipe))
		return uet_recv_splice(us, skb, off, r->pipe, len);
	err = uet_recv_skb(skb, off, r->msg, len);
	return err ?: len;
}

/* Copy data from the packets in @rd. On a fault the packet stays for the next
 * call.
 */
static int uet_recv_copy(struct uet_sock *us, struct uet_recv *r,
			 struct uet_rxread *rd)
{
	bool peek = r->flags & MSG_PEEK;
	struct sk_buff *skb;

	while ((skb = skb_peek(&rd->skbs))) {
		u32 off = rd->pos - UET_RXCB(skb)->off;
		u32 rest = UET_RXCB(skb)->len - off;
		int n = min_t(size_t, rest, r->len - r->copied);

		if (rest && !n)
			break;
		if (n)
			n = uet_recv_give(us, r, skb, off, n);
		if (n < 0)
			return n;
		if (!r->stamped && (n == rest || r->copied + n == r->len) &&
		    (skb_queue_is_last(&rd->skbs, skb) ||
		     r->copied + n == r->len)) {
			sock_recv_cmsgs(r->msg, &us->sk, skb);
			r->stamped = true;
		}
		rd->pos += n;
		r->copied += n;
		if (n < rest)
			break;
		uet_rxread_used(rd, skb);
		if (!peek && rd->used_bytes >= uet_rx_half(us) / 8)
			uet_rxread_commit(us, rd);
	}
	return 0;
}

/* Fast path for a message of one packet that fits: copy it in place. Returns as
 * uet_recv_some(), and 0 also for other messages.
 */
static int uet_recv_whole(struct uet_sock *us, struct uet_recv *r)
{
	struct uet_rxmsg *msg = uet_rxread_whole(us, r->len);
	struct sk_buff *skb;

	if (!msg)
		return 0;
	skb = skb_peek(&msg->prefix);
	if (msg->len && uet_recv_skb(skb, 0, r->msg, msg->len))
		return -EFAULT;
	sock_recv_cmsgs(r->msg, &us->sk, skb);
	uet_rxread_taken(us, msg);
	r->rxmsg = msg;
	r->pos = msg->len;
	r->copied = msg->len;
	r->eor = true;
	return 1;
}

/* For UET_PEER_EVENTS: a message of a peer was read, or broke off. Senders with an
 * initiator ID of their own cannot be addressed.
 */
static void uet_recv_note(struct uet_sock *us, const struct sockaddr_uet *from,
			  int error, gfp_t gfp)
{
	struct uet_dest_key key;

	if (!from->suet_pid || uet_addr_check_dest(us, from))
		return;
	uet_send_key(us, from, &key);
	if (error)
		uet_contact_failed(us, &key, error, gfp);
	else
		uet_contact_heard(us, &key, gfp);
}

static void uet_recv_peer(struct uet_sock *us, const struct sockaddr_uet *from,
			  int error)
{
	uet_recv_note(us, from, error, GFP_KERNEL_ACCOUNT);
}

/**
 * uet_recv_posted() - a message in a posted receive has ended: see uet_rxposts.ended
 * @us: the socket
 * @from: who sent it
 * @error: 0 or an errno
 *
 * Context: any, rx_lock held, so the socket cannot close.
 */
void uet_recv_posted(struct uet_sock *us, const struct sockaddr_uet *from, int error)
{
	if (likely(!uet_peer_events(us)) || (error && error != ECONNRESET))
		return;
	if (!error && uet_contact_heard_again(us, from))
		return;
	uet_recv_note(us, from, error, GFP_ATOMIC | __GFP_NOWARN);
}

/* Pass packets that end before the peek offset. */
static void uet_recv_skip(struct uet_rxread *rd)
{
	struct sk_buff *skb;

	while ((skb = skb_peek(&rd->skbs)) &&
	       UET_RXCB(skb)->off + UET_RXCB(skb)->len <= rd->pos)
		uet_rxread_used(rd, skb);
}

/* General case of uet_recv_some() */
static int uet_recv_parts(struct uet_sock *us, struct uet_recv *r,
			  size_t lowat)
{
	struct uet_rxread rd;
	int err;

	rd.peek_off = r->peek_off;
	if (!uet_rxread_begin(us, &rd, r->rxmsg, r->pos,
			      min_t(size_t, lowat, U32_MAX),
			      r->flags & MSG_PEEK))
		return 0;
	if (unlikely(rd.error)) {
		if (rd.error == ECONNRESET && uet_peer_events(us))
			uet_recv_peer(us, &rd.from, ECONNRESET);
		return -rd.error;
	}
	if (!r->rxmsg) {
		refcount_inc(&rd.msg->ref);
		r->rxmsg = rd.msg;
		r->start = rd.pos;
	}
	if (unlikely(rd.peek_off > 0))
		uet_recv_skip(&rd);
	err = uet_recv_copy(us, r, &rd);
	r->pos = rd.pos;
	r->eor = rd.whole && rd.pos == rd.msg->len;
	uet_rxread_end(us, &rd, r->flags & MSG_PEEK);
	return err ? err : 1;
}

/* Read what is there. Returns 1 if there was something, 0 if not, or an error. */
static int uet_recv_some(struct uet_sock *us, struct uet_recv *r,
			 size_t lowat)
{
	int err;

	/* No lock: a waiter joins the wait queue before it looks again. */
	if (list_empty(&us->rx_ready))
		return 0;
	if (!r->rxmsg && !r->pipe && !(r->flags & MSG_PEEK)) {
		err = uet_recv_whole(us, r);
		if (err)
			return err;
	}
	return uet_recv_parts(us, r, lowat);
}

static bool uet_recv_ready(struct uet_sock *us, const struct uet_recv *r,
			   u32 want)
{
	if (likely(r->peek_off < 0))
		return uet_rx_readable(us, want);
	return uet_rx_peekable(us, r->peek_off, want);
}

/* Wakes a reader once: until it has run, further messages need not wake it. */
static int uet_recv_woken(struct wait_queue_entry *wait, unsigned int mode,
			  int sync, void *key)
{
	int ret = woken_wake_function(wait, mode, sync, key);

	/* Pairs with finish_wait() */
	list_del_init_careful(&wait->entry);
	return ret;
}

/* Sleep once. The caller tries to read again: another reader may be faster. */
static int uet_recv_wait(struct uet_sock *us, const struct uet_recv *r,
			 u32 want, long *timeo)
{
	DEFINE_WAIT_FUNC(wait, uet_recv_woken);
	struct sock *sk = &us->sk;
	bool ready;

	if (!*timeo)
		return -EAGAIN;
	if (signal_pending(current))
		return sock_intr_errno(*timeo);
	add_wait_queue(sk_sleep(sk), &wait);
	ready = uet_recv_ready(us, r, want) || sk->sk_shutdown & RCV_SHUTDOWN;
	release_sock(sk);
	if (!ready)
		*timeo = wait_woken(&wait, TASK_INTERRUPTIBLE, *timeo);
	lock_sock(sk);
	finish_wait(sk_sleep(sk), &wait);
	return 0;
}

/* Has another reader gone on with the message that this call began? */
static bool uet_recv_lost(struct uet_sock *us, const struct uet_recv *r)
{
	const struct uet_rxmsg *first;
	bool lost;

	if (!r->rxmsg)
		return false;
	spin_lock_bh(&us->rx_lock);
	first = list_first_entry_or_null(&us->rx_ready, struct uet_rxmsg, node);
	lost = first != r->rxmsg || first->read != r->pos || first->error;
	spin_unlock_bh(&us->rx_lock);
	return lost;
}

static int uet_recv_loop(struct uet_sock *us, struct uet_recv *r)
{
	bool whole = (r->flags & (MSG_WAITALL | MSG_PEEK)) == MSG_WAITALL;
	long timeo = sock_rcvtimeo(&us->sk, r->flags & MSG_DONTWAIT);
	size_t target = r->pipe ? 1 : sock_rcvlowat(&us->sk, whole, r->len);
	int err;

	for (;;) {
		/* No more data will come. */
		if (us->sk.sk_shutdown & RCV_SHUTDOWN)
			target = 1;
		/* SO_RCVLOWAT also applies to the first data. */
		err = uet_recv_some(us, r, target);
		if (err < 0)
			return err;
		if (r->eor || (err && r->copied == r->len) ||
		    (r->rxmsg && r->copied >= target) ||
		    (r->rxmsg && r->flags & MSG_PEEK))
			return 0;
		if (uet_recv_lost(us, r))
			return 0;
		if (us->sk.sk_shutdown & RCV_SHUTDOWN &&
		    !uet_recv_ready(us, r, 1))
			return 0;
		err = uet_recv_wait(us, r, min_t(size_t, target - r->copied,
						 U32_MAX), &timeo);
		if (err)
			return err;
	}
}

/* Always offered: without room skip it instead of setting MSG_CTRUNC */
static void uet_put_cmsg_if(struct msghdr *msg, int type, int len, void *data)
{
	if (msg->msg_controllen >= CMSG_SPACE(len))
		put_cmsg(msg, SOL_UET, type, len, data);
}

static noinline void uet_recv_cmsgs(const struct uet_sock *us, struct msghdr *msg,
				    const struct uet_recv *r)
{
	const struct uet_rxmsg *m = r->rxmsg;
	struct uet_msg_info info = {
		.length = m->len,
		.offset = r->start,
		.msg_id = m->msg_id,
		.opcode = m->opcode,
		.delivery = m->delivery,
		.ce = READ_ONCE(m->ce),
		.replyable = m->replyable,
	};
	u64 v;

	if (m->has_hd) {
		v = m->header_data;
		put_cmsg(msg, SOL_UET, UET_CMSG_HEADER_DATA, sizeof(v), &v);
	}
	if (m->opcode == UET_SES_OP_TAGGED_SEND) {
		v = m->match_bits;
		put_cmsg(msg, SOL_UET, UET_CMSG_TAG, sizeof(v), &v);
	}
	if (m->delivery == UET_RUDI) {
		struct uet_write w = {
			.key	= m->match_bits,
			.offset	= m->header_data + r->start,
		};

		put_cmsg(msg, SOL_UET, UET_CMSG_WRITE, sizeof(w), &w);
	}
	if (READ_ONCE(us->pktinfo)) {
		struct uet_pktinfo pi = { .addr = m->to, .ifindex = m->iif };

		put_cmsg(msg, SOL_UET, UET_CMSG_PKTINFO, sizeof(pi), &pi);
	}
	uet_put_cmsg_if(msg, UET_CMSG_MSG_INFO, sizeof(info), &info);
}

/* A datagram of which there is a rest has none for the next call. */
static noinline void uet_recv_cut(struct uet_sock *us, struct uet_recv *r)
{
	struct uet_rxread rd;
	struct sk_buff *skb;

	r->msg->msg_flags |= MSG_TRUNC;
	if (r->flags & MSG_PEEK)
		return;
	rd.peek_off = -1;
	if (!uet_rxread_begin(us, &rd, r->rxmsg, r->pos, 1, false))
		return;
	if (!rd.error) {
		while ((skb = skb_peek(&rd.skbs)))
			uet_rxread_used(&rd, skb);
		rd.pos = rd.msg->len;
	}
	uet_rxread_end(us, &rd, false);
}

static int uet_recv_finish(struct sock *sk, struct uet_recv *r)
{
	struct uet_rxmsg *m = r->rxmsg;
	struct msghdr *msg = r->msg;
	int ret = r->copied;

	/* The address of a datagram may be forged. */
	if (unlikely(uet_peer_events(uet_sk(sk))) && m->delivery != UET_UUD)
		uet_recv_peer(uet_sk(sk), &m->from, 0);
	if (unlikely(m->delivery == UET_UUD && !r->eor && !r->pipe))
		uet_recv_cut(uet_sk(sk), r);
	if (r->flags & MSG_PEEK)
		sk_peek_offset_fwd(sk, r->copied);
	else
		sk_peek_offset_bwd(sk, r->copied);
	if (r->pipe)
		return ret;
	if (msg->msg_name) {
		memcpy(msg->msg_name, &m->from, sizeof(m->from));
		msg->msg_namelen = sizeof(m->from);
	}
	if (r->eor)
		msg->msg_flags |= MSG_EOR;
	if (msg->msg_controllen)
		uet_recv_cmsgs(uet_sk(sk), msg, r);
	/* MSG_TRUNC returns the length of the rest; of a message nothing is lost. */
	if (r->flags & MSG_TRUNC)
		ret = min_t(u32, m->len - r->start, INT_MAX);
	return ret;
}

#ifdef CONFIG_NET_RX_BUSY_POLL
static bool uet_recv_busy_end(void *p, unsigned long start)
{
	struct uet_sock *us = p;

	return !list_empty(&us->rx_ready) ||
	       sk_busy_loop_timeout(&us->sk, start);
}

/* SO_BUSY_POLL: run the NAPI poll function that delivered last, until there is a
 * message; once if the caller does not wait.
 */
static void uet_recv_busy_poll(struct uet_sock *us, bool once)
{
	struct sock *sk = &us->sk;
	unsigned int napi_id = READ_ONCE(sk->sk_napi_id);

	if (napi_id < MIN_NAPI_ID || !list_empty(&us->rx_ready) ||
	    READ_ONCE(sk->sk_shutdown) & RCV_SHUTDOWN)
		return;
	napi_busy_loop(napi_id, once ? NULL : uet_recv_busy_end, us,
		       READ_ONCE(sk->sk_prefer_busy_poll),
		       READ_ONCE(sk->sk_busy_poll_budget) ?: BUSY_POLL_BUDGET);
}
#else
static void uet_recv_busy_poll(struct uet_sock *us, bool once)
{
}
#endif

/* Receive, wherever it goes to. */
static int uet_recv(struct sock *sk, struct uet_recv *r)
{
	/* An error that a recvmmsg() met after its first message */
	int err = sock_error(sk);

	if (unlikely(err))
		return err;
	if (sk_can_busy_loop(sk))
		uet_recv_busy_poll(uet_sk(sk), r->flags & MSG_DONTWAIT);
	lock_sock(sk);
	r->peek_off = r->flags & MSG_PEEK ? READ_ONCE(sk->sk_peek_off) : -1;
	err = uet_recv_loop(uet_sk(sk), r);
	if (r->rxmsg) {
		/* Copied data has left the socket: report it despite errors */
		if (!err || r->copied)
			err = uet_recv_finish(sk, r);
		uet_rxmsg_retire(uet_sk(sk), r->rxmsg);
	}
	release_sock(sk);
	return err;
}

/**
 * uet_recvmsg() - proto_ops.recvmsg
 * @sock: socket
 * @msg: where to
 * @len: size of the buffer
 * @flags: MSG_*
 *
 * Return: bytes copied, 0 for an empty message (MSG_EOR is set) and after
 * shutdown, or a negative errno.
 */
int uet_recvmsg(struct socket *sock, struct msghdr *msg, size_t len, int flags)
{
	struct sock *sk = sock->sk;
	struct uet_recv r = {
		.msg = msg,
		.len = min_t(size_t, len, INT_MAX),
		.flags = flags,
	};

	if (flags & MSG_ERRQUEUE)
		return uet_sock_recv_report(sk, msg, len);
	if (flags & MSG_OOB)
		return -EOPNOTSUPP;
	return uet_recv(sk, &r);
}

/**
 * uet_splice_read() - proto_ops.splice_read
 * @sock: socket
 * @ppos: not used
 * @pipe: takes the pages; locked
 * @len: bytes at most
 * @flags: SPLICE_F_*
 *
 * As read(): data of one message. SO_RCVLOWAT does not apply.
 *
 * Return: bytes handed over, 0 as uet_recvmsg(), or a negative errno.
 */
ssize_t uet_splice_read(struct socket *sock, loff_t *ppos,
			struct pipe_inode_info *pipe, size_t len, unsigned int flags)
{
	struct uet_recv r = {
		.pipe = pipe,
		.len = min_t(size_t, len, INT_MAX),
		/* There is nowhere to put them. */
		.stamped = true,
	};

	if (flags & SPLICE_F_NONBLOCK || sock->file->f_flags & O_NONBLOCK)
		r.flags = MSG_DONTWAIT;
	return uet_recv(sock->sk, &r);
}

/* After EAGAIN: would a send be taken that was refused, to any destination? Else, and
 * after a send that was not refused: is half of the buffer free, also by the rules for
 * the connected queue?
 */
static bool uet_poll_writable(struct uet_sock *us)
{
	/* A message under way needs room for its next part. */
	u32 part = READ_ONCE(us->part_bytes);
	u64 half = uet_sock_sndbuf(us) / 2;
	struct uet_dest *dest;
	bool ret, waits;

	if (uet_refused_look(us, &waits))
		return true;
	if (waits)
		return false;
	spin_lock(&us->dests_lock);
	dest = us->connected ? us->conn_dest : NULL;
	if (dest)
		refcount_inc(&dest->ref);
	spin_unlock(&us->dests_lock);
	ret = uet_sock_ask_room(us, dest, half - min_t(u64, half, part));
	if (dest)
		uet_dest_put(dest);
	return ret;
}

/**
 * uet_poll() - proto_ops.poll
 * @file: file
 * @sock: socket
 * @wait: where to sleep
 *
 * Return: EPOLL* mask.
 */
__poll_t uet_poll(struct file *file, struct socket *sock,
		  struct poll_table_struct *wait)
{
	struct sock *sk = sock->sk;
	struct uet_sock *us = uet_sk(sk);
	u8 shutdown = READ_ONCE(sk->sk_shutdown);
	__poll_t out = EPOLLOUT | EPOLLWRNORM | EPOLLWRBAND;
	__poll_t mask = 0;

	sock_poll_wait(file, sock, wait);
	if (READ_ONCE(sk->sk_err) || READ_ONCE(sk->sk_err_soft) ||
	    uet_sock_has_report(us))
		mask |= EPOLLERR |
			(sock_flag(sk, SOCK_SELECT_ERR_QUEUE) ? EPOLLPRI : 0);
	if (shutdown == SHUTDOWN_MASK)
		mask |= EPOLLHUP;
	if (shutdown & RCV_SHUTDOWN)
		mask |= EPOLLRDHUP | EPOLLIN | EPOLLRDNORM;
	if (uet_rx_pollable(us))
		mask |= EPOLLIN | EPOLLRDNORM;
	/* Writable after shutdown: send returns EPIPE at once */
	if (poll_requested_events(wait) & out &&
	    (shutdown & SEND_SHUTDOWN || uet_poll_writable(us)))
		mask |= out;
	return mask;
}
