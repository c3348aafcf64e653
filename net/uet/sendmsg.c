// SPDX-License-Identifier: GPL-2.0
/*
 * sendmsg(): one call makes one message.
 *
 * A message that fits into SO_SNDBUF is taken over whole or not at all; a
 * longer one is streamed: its first part starts off, and the call goes on
 * copying as the peer acknowledges. No socket lock is held here. What the call
 * needs of the socket (endpoint, options) is fixed or a single word; its queue
 * is found under dests_lock.
 */
#include <linux/sched/signal.h>
#include <linux/uio.h>
#include <net/ipv6.h>

#include "compat.h"
#include "mib.h"
#include "pds.h"
#include "sock.h"
#include "txmsg.h"

/* A streamed message may hold so much whatever else is in the buffer: there
 * must always be a full packet of it (the payload MTU is at most 8192), or
 * nothing would go and no room would come.
 */
#define UET_STREAM_MIN		32768U

/* Longer messages have a PDC of their own: one that its reader leaves standing
 * stops the PDC after the receive window, and with it others that are still to
 * be sent. The same number of bytes is a small part of that window.
 */
#define UET_SEND_ALONE		(512U * 1024)

/* Most that is copied in one step */
#define UET_STREAM_STEP		(1024U * 1024)

/**
 * struct uet_send - one sendmsg() under way
 * @cookie: from the caller
 * @header_data: from the caller
 * @tag: match bits
 * @timeo: jiffies it may still wait
 * @has_cookie: @cookie is valid
 * @has_hd: @header_data is valid
 */
struct uet_send {
	u64			cookie;
	u64			header_data;
	u64			tag;
	long			timeo;
	bool			has_cookie;
	bool			has_hd;
};

static int uet_send_delivery(struct uet_dest_key *key, int mode)
{
	switch (mode) {
	case UET_DELIVERY_DEFAULT:
		return 0;
	case UET_RUD:
	case UET_ROD:
		key->delivery = mode;
		return 0;
	case UET_RUDI:
	case UET_UUD:
		return -EOPNOTSUPP;
	default:
		return -EINVAL;
	}
}

static int uet_send_cmsg(struct uet_send *s, struct uet_dest_key *key,
			 struct cmsghdr *cmsg)
{
	int *v = CMSG_DATA(cmsg);
	u64 v64 = 0;

	switch (cmsg->cmsg_type) {
	case UET_CMSG_COOKIE:
	case UET_CMSG_HEADER_DATA:
	case UET_CMSG_TAG:
		if (cmsg->cmsg_len != CMSG_LEN(sizeof(u64)))
			return -EINVAL;
		memcpy(&v64, CMSG_DATA(cmsg), sizeof(v64));
		break;
	case UET_CMSG_DELIVERY:
	case UET_CMSG_TCLASS:
		if (cmsg->cmsg_len != CMSG_LEN(sizeof(int)))
			return -EINVAL;
		break;
	}

	switch (cmsg->cmsg_type) {
	case UET_CMSG_COOKIE:
		s->cookie = v64;
		s->has_cookie = true;
		return 0;
	case UET_CMSG_HEADER_DATA:
		s->header_data = v64;
		s->has_hd = true;
		return 0;
	case UET_CMSG_TAG:
		s->tag = v64;
		return 0;
	case UET_CMSG_DELIVERY:
		return uet_send_delivery(key, *v);
	case UET_CMSG_TCLASS:
		if (*v < 0 || *v > 63)
			return -EINVAL;
		key->tclass = *v;
		return 0;
	default:
		return -EINVAL;
	}
}

static int uet_send_cmsgs(struct uet_sock *us, struct uet_send *s,
			  struct uet_dest_key *key, struct msghdr *msg)
{
	struct sockcm_cookie sockc;
	struct cmsghdr *cmsg;
	int err;

	sockcm_init(&sockc, &us->sk);
	sockc.mark = key->mark;
	for_each_cmsghdr(cmsg, msg) {
		if (!CMSG_OK(msg, cmsg))
			return -EINVAL;
		err = 0;
		if (cmsg->cmsg_level == SOL_UET)
			err = uet_send_cmsg(s, key, cmsg);
		else if (cmsg->cmsg_level == SOL_SOCKET)
			err = uet_sock_cmsg_send(&us->sk, msg, cmsg, &sockc);
		if (err)
			return err;
	}
	key->mark = sockc.mark;
	return 0;
}

static int uet_send_bind(struct uet_sock *us)
{
	int err;

	/* Pairs with uet_ep_insert() */
	if (likely(smp_load_acquire(&us->bound)))
		return 0;
	lock_sock(&us->sk);
	err = uet_ep_autobind(us);
	release_sock(&us->sk);
	return err;
}

static void uet_send_target(struct uet_dest_key *key, const struct uet_sock *us,
			    const struct sockaddr_uet *to)
{
	key->raddr = to->suet_addr;
	key->scope = READ_ONCE(us->sk.sk_bound_dev_if);
	if (!key->scope && ipv6_addr_type(&to->suet_addr) & IPV6_ADDR_LINKLOCAL)
		key->scope = to->suet_scope_id;
	key->job = to->suet_job;
	key->pid = to->suet_pid;
	key->ri = to->suet_ri;
	key->absolute = !!(to->suet_flags & UET_ADDR_ABSOLUTE);
}

/* Where the message goes: the address given, else the connected one */
static int uet_send_to(struct uet_sock *us, struct uet_dest_key *key,
		       struct msghdr *msg)
{
	const struct sockaddr_uet *to = msg->msg_name;
	struct sockaddr_uet peer;
	int err;

	if (to) {
		err = uet_addr_check(msg->msg_name, msg->msg_namelen);
		if (!err)
			err = uet_send_bind(us);
		if (!err)
			err = uet_addr_check_dest(us, to);
		if (err)
			return err;
	} else {
		bool connected;

		spin_lock(&us->dests_lock);
		connected = us->connected;
		peer = us->remote;
		spin_unlock(&us->dests_lock);
		if (!connected)
			return -EDESTADDRREQ;
		to = &peer;
	}
	uet_send_target(key, us, to);
	return 0;
}

static u8 uet_send_tclass(const struct uet_sock *us)
{
	u32 dscp = READ_ONCE(us->un->sysctl.dscp_data);
	int tclass = READ_ONCE(us->tclass);

	return tclass >= 0 ? tclass : dscp < 64 ? dscp : 0;
}

static bool uet_send_alone(const struct uet_sock *us, u8 delivery, size_t len)
{
	return delivery == UET_RUD &&
	       (len > UET_SEND_ALONE || len > uet_sock_sndbuf(us));
}

/* The queue for a message, whatever its address and control messages */
static noinline struct uet_dest *uet_send_find(struct uet_sock *us,
					       struct uet_send *s,
					       struct msghdr *msg, size_t len)
{
	struct uet_dest_key key;
	struct uet_dest *dest;
	int err;

	/* The key is compared as bytes, so its padding counts */
	memset(&key, 0, sizeof(key));
	key.owner = (unsigned long)us;
	key.mark = READ_ONCE(us->sk.sk_mark);
	key.delivery = READ_ONCE(us->delivery);
	key.tclass = uet_send_tclass(us);
	err = uet_send_to(us, &key, msg);
	if (!err && unlikely(msg->msg_controllen))
		err = uet_send_cmsgs(us, s, &key, msg);
	if (err)
		return ERR_PTR(err);
	key.alone = uet_send_alone(us, key.delivery, len);
	dest = uet_dest_get(us, &key);
	if (!msg->msg_name && !IS_ERR(dest))
		uet_dest_note_connected(us, dest);
	return dest;
}

/* The same for one without either, if it is the queue used last */
static struct uet_dest *uet_send_again(struct uet_sock *us, size_t len)
{
	u8 delivery = READ_ONCE(us->delivery);
	struct uet_dest *dest;

	spin_lock(&us->dests_lock);
	dest = us->conn_dest;
	if (likely(dest && dest == us->last_dest &&
		   dest->key.mark == READ_ONCE(us->sk.sk_mark) &&
		   /* One of a link-local address is looked for. */
		   dest->key.scope == READ_ONCE(us->sk.sk_bound_dev_if) &&
		   dest->key.delivery == delivery &&
		   dest->key.tclass == uet_send_tclass(us) &&
		   dest->key.alone == uet_send_alone(us, delivery, len)))
		refcount_inc(&dest->ref);
	else
		dest = NULL;
	spin_unlock(&us->dests_lock);
	return dest;
}

/* Is there room for @need bytes, or was the message failed meanwhile? */
static bool uet_send_ready(struct uet_sock *us, struct uet_dest *dest,
			   const struct uet_txmsg *msg, u64 need)
{
	if (READ_ONCE(us->sk.sk_shutdown) & SEND_SHUTDOWN)
		return true;
	if (msg && READ_ONCE(msg->error))
		return true;
	if (msg && msg->charged <= UET_STREAM_MIN / 2)
		return true;
	return uet_sock_tx_room(us, dest, need);
}

/* Wait for room. @msg is the message being streamed, or NULL. */
static int uet_send_wait(struct uet_sock *us, struct uet_dest *dest,
			 const struct uet_txmsg *msg, u64 need, long *timeo)
{
	DEFINE_WAIT_FUNC(wait, woken_wake_function);
	struct sock *sk = &us->sk;
	s64 below;
	int err = 0;

	add_wait_queue(sk_sleep(sk), &wait);
	while (!uet_send_ready(us, dest, msg, need)) {
		if (!*timeo) {
			err = -EAGAIN;
			break;
		}
		if (signal_pending(current)) {
			err = sock_intr_errno(*timeo);
			break;
		}
		/* The use of the whole buffer says little about a queue
		 * that refuses, or about one's own message.
		 */
		below = msg || READ_ONCE(dest->hold.on) ?
			S32_MAX : (s64)uet_sock_sndbuf(us) - (s64)need;
		uet_sock_wake_below(us, below);
		if (uet_send_ready(us, dest, msg, need))
			break;
		*timeo = wait_woken(&wait, TASK_INTERRUPTIBLE, *timeo);
	}
	remove_wait_queue(sk_sleep(sk), &wait);
	return err;
}

static struct uet_txmsg *uet_send_alloc(struct uet_sock *us,
					const struct uet_send *s,
					struct uet_dest *dest, u32 len)
{
	struct uet_txmsg *msg = uet_txmsg_alloc(us, dest, len);

	if (!msg)
		return NULL;
	msg->cookie = atomic64_fetch_inc(&us->tx_count);
	if (s->has_cookie)
		msg->cookie = s->cookie;
	msg->header_data = s->header_data;
	msg->has_hd = s->has_hd;
	msg->match_bits = s->tag;
	return msg;
}

/* A message that fits: all of it or nothing */
static int uet_send_whole(struct uet_sock *us, struct uet_send *s,
			  struct uet_dest *dest, struct msghdr *m, u32 len)
{
	u64 need = (u64)len + UET_TXMSG_OVERHEAD;
	struct uet_txmsg *msg;
	int err;

	if (unlikely(!uet_send_ready(us, dest, NULL, need))) {
		err = uet_send_wait(us, dest, NULL, need, &s->timeo);
		if (err) {
			if (err == -EAGAIN)
				WRITE_ONCE(us->tx_need, need);
			return err;
		}
		if (READ_ONCE(us->sk.sk_shutdown) & SEND_SHUTDOWN)
			return -EPIPE;
	}
	if (unlikely(READ_ONCE(us->tx_need)))
		WRITE_ONCE(us->tx_need, 0);

	msg = uet_send_alloc(us, s, dest, len);
	if (!msg)
		return -ENOBUFS;
	err = uet_txmsg_charge(msg, us, len);
	if (!err)
		err = uet_txmsg_fill(msg, us, &m->msg_iter, 0, len);
	if (!err) {
		msg->filled = len;
		err = uet_pds_submit(msg);
	}
	if (err) {
		uet_txmsg_cancel(msg, us);
		return err;
	}
	UET_INC(us->un, MSG_SENT);
	return len;
}

/* How much of a streamed message to copy next: what there was room for, but no
 * crumbs
 */
static u32 uet_stream_step(struct uet_sock *us, u32 rest)
{
	u32 step = max(uet_sock_sndbuf(us) / 4, UET_STREAM_MIN);

	return min3(rest, step, UET_STREAM_STEP);
}

/* Room for the next step: a quarter of the buffer, or what is left */
static u64 uet_stream_need(struct uet_sock *us, u32 rest)
{
	return min_t(u64, rest, uet_sock_sndbuf(us) / 4);
}

/* At the ceiling of the namespace a message under way waits for its own data
 * to be acknowledged rather than fail.
 */
static int uet_stream_charge(struct uet_sock *us, struct uet_txmsg *msg,
			     u32 step, long *timeo)
{
	for (;;) {
		long slice = min_t(long, *timeo, HZ / 50 + 1);

		if (!uet_txmsg_charge(msg, us, step))
			return 0;
		if (msg->charged <= UET_STREAM_MIN / 2)
			return -ENOBUFS;
		if (READ_ONCE(msg->error))
			return -READ_ONCE(msg->error);
		if (!slice)
			return -EAGAIN;
		if (signal_pending(current))
			return sock_intr_errno(*timeo);
		schedule_timeout_interruptible(slice);
		if (*timeo != MAX_SCHEDULE_TIMEOUT)
			*timeo -= slice;
	}
}

/* Copy one more piece of a streamed message in */
static int uet_stream_fill(struct uet_sock *us, struct uet_send *s,
			   struct uet_txmsg *msg, struct msghdr *m, u32 done)
{
	u32 rest = msg->len - done;
	u32 step;
	int err;

	err = uet_send_wait(us, msg->dest, done ? msg : NULL,
			    uet_stream_need(us, rest), &s->timeo);
	if (err)
		return err;
	if (READ_ONCE(us->sk.sk_shutdown) & SEND_SHUTDOWN)
		return -EPIPE;
	if (READ_ONCE(msg->error))
		return -READ_ONCE(msg->error);
	step = uet_stream_step(us, rest);
	err = uet_stream_charge(us, msg, step, &s->timeo);
	if (err)
		return err;
	err = uet_txmsg_fill(msg, us, &m->msg_iter, done, step);
	return err ? err : step;
}

/* A message longer than the buffer */
static int uet_send_stream(struct uet_sock *us, struct uet_send *s,
			   struct uet_dest *dest, struct msghdr *m, u32 len)
{
	struct uet_txmsg *msg;
	u32 done = 0;
	int n;

	msg = uet_send_alloc(us, s, dest, len);
	if (!msg)
		return -ENOBUFS;
	msg->streamed = true;
	msg->eom = false;

	n = uet_stream_fill(us, s, msg, m, 0);
	if (n > 0) {
		done = n;
		msg->filled = done;
		msg->eom = done == len;
		uet_txmsg_get(msg);
		n = uet_pds_submit(msg);
		if (n)
			uet_txmsg_put(msg);
	}
	if (n < 0) {
		uet_txmsg_cancel(msg, us);
		return n;
	}
	UET_INC(us->un, MSG_SENT);

	while (done < len) {
		n = uet_stream_fill(us, s, msg, m, done);
		if (n < 0)
			break;
		done += n;
		uet_pds_more(msg, done, done == len);
	}
	/* Either it failed before its end was announced, and this is the
	 * report, or the error queue tells from now on.
	 */
	if (READ_ONCE(msg->error))
		n = -READ_ONCE(msg->error);
	else if (n < 0)
		uet_pds_withdraw(msg);
	if (n < 0) {
		uet_txmsg_cancel(msg, us);
		return n;
	}
	uet_txmsg_put(msg);
	return len;
}

static int uet_send_check(struct uet_sock *us, const struct msghdr *msg,
			  size_t len)
{
	if (msg->msg_flags & MSG_OOB)
		return -EOPNOTSUPP;
	if (READ_ONCE(us->sk.sk_shutdown) & SEND_SHUTDOWN)
		return -EPIPE;
	if (len > UET_MSG_MAX)
		return -EMSGSIZE;
	return 0;
}

/**
 * uet_sendmsg() - proto_ops.sendmsg
 * @sock: socket
 * @msg: where to, what and how
 * @len: length of the message
 *
 * Return: @len, or a negative errno: then nothing of it is delivered.
 */
int uet_sendmsg(struct socket *sock, struct msghdr *msg, size_t len)
{
	struct uet_sock *us = uet_sk(sock->sk);
	bool wait = !(msg->msg_flags & MSG_DONTWAIT);
	struct uet_dest *dest = NULL;
	struct uet_send s = {};
	int err;

	err = uet_send_check(us, msg, len);
	if (err)
		goto out;
	s.timeo = sock_sndtimeo(&us->sk, !wait);
	if (likely(!msg->msg_name && !msg->msg_controllen))
		dest = uet_send_again(us, len);
	if (!dest)
		dest = uet_send_find(us, &s, msg, len);
	if (IS_ERR(dest)) {
		err = PTR_ERR(dest);
		goto out;
	}
	if (READ_ONCE(dest->prio) != READ_ONCE(us->sk.sk_priority))
		WRITE_ONCE(dest->prio, READ_ONCE(us->sk.sk_priority));
	if (likely(len <= uet_sock_sndbuf(us)))
		err = uet_send_whole(us, &s, dest, msg, len);
	else if (wait)
		err = uet_send_stream(us, &s, dest, msg, len);
	else
		err = -EMSGSIZE;
	uet_dest_put(dest);
out:
	if (err == -EPIPE && !(msg->msg_flags & MSG_NOSIGNAL))
		send_sig(SIGPIPE, current, 0);
	return err;
}
