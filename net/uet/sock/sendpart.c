// SPDX-License-Identifier: GPL-2.0
/*
 * Messages that several calls put together: MSG_MORE, splice() and sendfile().
 *
 * The first packet has the length of the message, so none is sent before the last call,
 * the one without MSG_MORE. Until then its data is collected, charged to the send
 * buffer, and so it cannot exceed that. The splice core of the kernel makes calls of
 * 16 pages at most, and sets MSG_MORE in all but the last (sendfile() also asks by
 * splice_eof() if the file ends early, Linux 6.1 does not). So each splice() and each
 * sendfile() is a message, and SPLICE_F_MORE joins it with the next one.
 *
 * A socket has one such message at a time. The first call says where it goes and what
 * its properties are. A call that fails adds nothing and changes nothing. What fails
 * when the message is complete is reported as that of a message which was sent: the
 * callers of sendfile() see that it did less, but not why, and go on.
 *
 * Not here: references to pages (tx/msg/txpin.c).
 */
#include <linux/jiffies.h>
#include <linux/slab.h>
#include <linux/uio.h>

#include "compat.h"
#include "link/addr.h"
#include "mib.h"
#include "sock.h"
#include "sock/calls.h"
#include "sock/send.h"
#include "tx/msg/txmsg.h"
#include "tx/msg/txpin.h"
#include "tx/msg/wmem.h"
#include "tx/queue/refused.h"

/* What a part counts at least: its place in memory, and the page that it is in */
#define UET_PART_LEAST		UET_TXMSG_OVERHEAD

/**
 * struct uet_part - a message that several calls put together
 * @msg: it, charged, not queued
 * @key: of its queue; which one it is depends on the length
 * @send: what the first call asked for
 */
struct uet_part {
	struct uet_txmsg	*msg;
	struct uet_dest_key	key;
	struct uet_send		send;
};

static u32 uet_part_cost(u32 len)
{
	return len ? max_t(u32, len, UET_PART_LEAST) : 0;
}

/* Note how much is charged. part_lock held, or nobody else knows it. */
static void uet_part_note(struct uet_sock *us, const struct uet_part *part)
{
	const struct uet_txmsg *msg = part->msg;
	u32 bytes = us->part == part ? msg->charged + UET_TXMSG_OVERHEAD : 0;

	WRITE_ONCE(msg->dest->wmem_part, bytes);
	WRITE_ONCE(us->part_bytes, bytes);
	if (bytes)
		uet_sock_held(us);
}

static void uet_part_set(struct uet_sock *us, struct uet_part *part)
{
	struct uet_part *old = us->part;

	lockdep_assert_held(&us->part_lock);
	WRITE_ONCE(us->part, part);
	if (part ?: old)
		uet_part_note(us, part ?: old);
}

/* Give a message up. The socket does not know it. */
static void uet_part_free(struct uet_sock *us, struct uet_part *part)
{
	uet_txmsg_cancel(part->msg, us);
	kfree(part);
}

/* A message without data, which the socket does not know yet */
static struct uet_part *uet_part_new(struct uet_sock *us, struct uet_send *s,
				     struct msghdr *m, u32 len)
{
	struct uet_part *part = kzalloc(sizeof(*part), GFP_KERNEL_ACCOUNT);
	struct uet_dest *dest;
	int err;

	if (!part)
		return ERR_PTR(-ENOBUFS);
	part->send = *s;
	err = uet_send_parse(us, &part->send, m, &part->key);
	/* A datagram is one packet, and a write is sent by one call. */
	if (!err && (part->key.delivery == UET_UUD ||
		     part->key.delivery == UET_RUDI))
		err = -EOPNOTSUPP;
	if (err)
		goto err;
	dest = uet_send_dest(us, &part->send, &part->key, len);
	if (IS_ERR(dest)) {
		err = PTR_ERR(dest);
		goto err;
	}
	part->msg = uet_send_alloc(us, &part->send, dest, 0);
	if (!part->msg) {
		uet_dest_put(dest);
		err = -ENOBUFS;
		goto err;
	}
	s->cq = NULL;
	part->msg->inlined = false;
	part->msg->spliced = true;
	part->msg->ubuf = NULL;
	return part;

err:
	kfree(part);
	return ERR_PTR(err);
}

/* May a call go on with a message? It may repeat the address. */
static int uet_part_check(struct uet_sock *us, const struct uet_part *part,
			  const struct msghdr *m)
{
	struct uet_dest_key key;
	int err;

	if (m->msg_controllen)
		return -EINVAL;
	if (!m->msg_name)
		return 0;
	err = uet_addr_check(m->msg_name, m->msg_namelen);
	if (err)
		return err;
	/* With the padding */
	memcpy(&key, &part->key, sizeof(key));
	uet_send_target(&key, us, m->msg_name);
	return memcmp(&key, &part->key, sizeof(key)) ? -EINVAL : 0;
}

/* The message under way, or a new one */
static struct uet_part *uet_part_get(struct uet_sock *us, struct uet_send *s,
				     struct msghdr *m, u32 len)
{
	struct uet_part *part = us->part;
	int err;

	lockdep_assert_held(&us->part_lock);
	if (READ_ONCE(us->sk.sk_shutdown) & SEND_SHUTDOWN)
		return ERR_PTR(-EPIPE);
	if (!part)
		return uet_part_new(us, s, m, len);
	err = uet_part_check(us, part, m);
	return err ? ERR_PTR(err) : part;
}

/* Wait for room, without the lock: others may complete the message meanwhile. */
static int uet_part_wait(struct uet_sock *us, struct uet_send *s,
			 struct uet_dest *dest, u64 need)
{
	int err;

	mutex_unlock(&us->part_lock);
	err = uet_send_wait(us, dest, NULL, need, &s->timeo);
	mutex_lock(&us->part_lock);
	return err;
}

/* Get a message that has room for @len bytes, which the caller adds. */
static struct uet_part *uet_part_room(struct uet_sock *us, struct uet_send *s,
				      struct msghdr *m, u32 len)
{
	for (;;) {
		struct uet_part *part = uet_part_get(us, s, m, len);
		u64 need = uet_part_cost(len);
		struct uet_dest *dest;
		bool fits = true;
		s64 wake_at;
		int err;

		if (IS_ERR(part))
			return part;
		if (part != us->part)
			need += UET_TXMSG_OVERHEAD;
		dest = part->msg->dest;
		if (len && us->part_bytes + need > uet_sock_sndbuf(us))
			fits = false;
		if (fits && uet_send_ready(us, dest, NULL, need, &wake_at))
			return part;
		refcount_inc(&dest->ref);
		if (part != us->part)
			uet_part_free(us, part);
		err = fits ? uet_part_wait(us, s, dest, need) : -EMSGSIZE;
		uet_dest_put(dest);
		if (err)
			return ERR_PTR(err);
	}
}

/* Add what a call has */
static int uet_part_add(struct uet_sock *us, struct uet_part *part,
			struct msghdr *m, u32 len, bool pages)
{
	u32 cost = uet_part_cost(len);
	int err;

	err = uet_txmsg_charge(part->msg, us, cost);
	if (err)
		return err;
	err = uet_txdata_collect(part->msg, us, &m->msg_iter, len, pages);
	if (err)
		uet_txmsg_uncharge(part->msg, cost);
	else
		uet_part_note(us, part);
	return err;
}

/* Queue a complete message, which the socket does not know any more. */
static int uet_part_submit(struct uet_sock *us, struct uet_part *part)
{
	struct uet_txmsg *msg = part->msg;
	struct uet_dest *dest;

	dest = uet_send_dest(us, &part->send, &part->key, msg->m.len);
	if (IS_ERR(dest))
		return PTR_ERR(dest);
	uet_txmsg_move(msg, us, dest);
	msg->deadline = part->send.deadline;
	msg->born = jiffies;
	msg->m.filled = msg->m.len;
	uet_send_prio(us, dest);
	uet_txpin_plan(msg, READ_ONCE(dest->run_len));
	return uet_send_submit(us, &part->send, msg);
}

/* The message is complete. @late: earlier calls were told that their data is taken. */
static int uet_part_end(struct uet_sock *us, struct uet_part *part, bool late)
{
	int err = uet_part_submit(us, part);

	if (!err || late)
		UET_INC(us->un, MSG_SENT);
	if (!err)
		kfree(part);
	else if (!late)
		uet_part_free(us, part);
	if (!err || !late)
		return err;
	uet_txmsg_fail(part->msg, us, -err);
	kfree(part);
	return 0;
}

/**
 * uet_send_part() - sendmsg() of a part of a message
 * @us: the socket
 * @s: what the caller asks for
 * @m: address, data, control messages; without MSG_MORE it is the last part
 * @len: bytes
 * @pages: the data is pages to refer to
 *
 * Context: process; sleeps.
 * Return: @len, or a negative errno: then nothing was added.
 */
int uet_send_part(struct uet_sock *us, struct uet_send *s, struct msghdr *m,
		  u32 len, bool pages)
{
	bool more = m->msg_flags & MSG_MORE, late;
	struct uet_part *part;
	int err;

	mutex_lock(&us->part_lock);
	part = uet_part_room(us, s, m, len);
	if (IS_ERR(part)) {
		err = PTR_ERR(part);
		goto out;
	}
	late = part == us->part;
	err = uet_part_add(us, part, m, len, pages);
	if (err) {
		if (!late)
			uet_part_free(us, part);
		goto out;
	}
	if (unlikely(READ_ONCE(us->refused.nr)))
		uet_refused_taken(us, part->msg->dest, uet_part_cost(len));
	uet_part_set(us, more ? part : NULL);
	mutex_unlock(&us->part_lock);
	if (!more) {
		part->send.timeo = s->timeo;
		err = uet_part_end(us, part, late);
	}
	return err ?: len;
out:
	mutex_unlock(&us->part_lock);
	return err;
}

/* Take the message away from the socket, if there is one, and it has a cookie. */
static struct uet_part *uet_part_take(struct uet_sock *us, const u64 *cookie)
{
	struct uet_part *part;

	mutex_lock(&us->part_lock);
	part = us->part;
	if (part && cookie && part->msg->cookie != *cookie)
		part = NULL;
	if (part)
		uet_part_set(us, NULL);
	mutex_unlock(&us->part_lock);
	return part;
}

/**
 * uet_splice_eof() - proto_ops.splice_eof: sendfile() meets the end of its file early
 * @sock: socket
 *
 * It has said that more is to follow.
 */
void uet_splice_eof(struct socket *sock)
{
	struct uet_sock *us = uet_sk(sock->sk);
	struct uet_part *part = uet_part_take(us, NULL);

	if (!part)
		return;
	part->send.timeo = sock_sndtimeo(&us->sk, false);
	uet_part_end(us, part, true);
}

/**
 * uet_part_drop() - drop a message that cannot be completed any more
 * @us: the socket, shut down for sends
 *
 * Context: process; sleeps.
 */
void uet_part_drop(struct uet_sock *us)
{
	struct uet_part *part = uet_part_take(us, NULL);

	if (part)
		uet_part_free(us, part);
}

/**
 * uet_part_cancel() - UET_CANCEL of a message that is not complete
 * @us: the socket
 * @cookie: its cookie
 *
 * Context: process; sleeps.
 * Return: false if there is none with that cookie.
 */
bool uet_part_cancel(struct uet_sock *us, u64 cookie)
{
	struct uet_part *part = uet_part_take(us, &cookie);

	if (!part)
		return false;
	UET_INC(us->un, MSG_SENT);
	uet_txmsg_fail(part->msg, us, ECANCELED);
	kfree(part);
	return true;
}
