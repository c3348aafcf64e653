// SPDX-License-Identifier: GPL-2.0
/*
 * Sends that are posted (SIOCUETPOST): nobody waits for them, not even a task of the
 * kernel.
 *
 * The call takes the data: it copies what is short, for which there must be room in the
 * send buffer, and pins what is long (tx/msg/op.c), which takes no room there. Then the message
 * is one as any other: what it waits for later is state of its queue and its PDC. So one
 * program keeps no other waiting, and close() and exit() wait for none.
 *
 * Not here: arrays of operations (sock/post.c), completions (tx/msg/op.c).
 */
#include <linux/uio.h>

#include "compat.h"
#include "cq/cq.h"
#include "mib.h"
#include "sock.h"
#include "sock/calls.h"
#include "sock/send.h"
#include "tx/msg/done.h"
#include "tx/msg/op.h"
#include "tx/msg/txmsg.h"
#include "tx/msg/txpin.h"
#include "tx/msg/wmem.h"
#include "tx/pds/pds.h"
#include "tx/queue/defer.h"
#include "tx/queue/refused.h"

/* Longer data is pinned: from some 10 KiB on that is cheaper than a copy, as the kernel's
 * manual of MSG_ZEROCOPY says.
 */
#define UET_OP_COPY	16384U

#define UET_SEND_OP_FLAGS \
	(UET_OP_IMM | UET_OP_INLINE | UET_OP_QUIET | UET_OP_BUFFER)

/**
 * struct uet_sendop - a posted send under way
 * @op: as posted
 * @s: what it asks for
 * @dest: its queue, with a reference until a message has that
 * @len: length of the message
 * @pages: its data, if it is pinned, or NULL
 * @extra: it has a slot for its buffer besides
 * @flags: UET_TXOP_*
 */
struct uet_sendop {
	const struct uet_op	*op;
	struct uet_send		s;
	struct uet_dest		*dest;
	u32			len;
	struct uet_op_pages	*pages;
	bool			extra;
	u8			flags;
};

static int uet_sendop_check(const struct uet_op *op)
{
	u32 f = op->flags;

	if (f & ~UET_SEND_OP_FLAGS || op->ignore || (op->imm && !(f & UET_OP_IMM)) ||
	    (op->tag && op->opcode != UET_OP_TSEND) ||
	    (f & UET_OP_QUIET && f & UET_OP_BUFFER))
		return -EINVAL;
	if (f & UET_OP_INLINE)
		return op->addr || op->length > sizeof(op->data) ? -EINVAL : 0;
	if (memchr_inv(op->data, 0, sizeof(op->data)))
		return -EINVAL;
	if (op->length > UET_MSG_MAX)
		return -EMSGSIZE;
	return access_ok(u64_to_user_ptr(op->addr), op->length) ? 0 : -EFAULT;
}

/* Where does it go, and how? */
static int uet_sendop_dest(struct uet_sock *us, struct uet_sendop *so,
			   const struct sockaddr_uet *to)
{
	struct msghdr msg = {
		.msg_name = (void *)to, .msg_namelen = to ? sizeof(*to) : 0,
	};
	const struct uet_op *op = so->op;
	struct uet_dest_key key;
	int err;

	so->s = (struct uet_send){
		.cookie		= op->cookie,
		.header_data	= op->imm,
		.tag		= op->tag,
		.delivery	= op->delivery,
		.posted		= true,
		.has_cookie	= true,
		.has_hd		= op->flags & UET_OP_IMM,
		.has_tag	= op->opcode == UET_OP_TSEND,
	};
	err = uet_send_parse(us, &so->s, &msg, &key);
	if (err)
		return err;
	/* Datagrams and writes have no queue. */
	if (key.delivery != UET_RUD && key.delivery != UET_ROD)
		return -EOPNOTSUPP;
	if (op->timeout)
		so->s.timeout = op->timeout;
	so->dest = uet_send_dest(us, &so->s, &key, so->len);
	return PTR_ERR_OR_ZERO(so->dest);
}

/* Room in the send buffer for data that is copied; poll() tells when there is. */
static int uet_sendop_room(struct uet_sock *us, struct uet_sendop *so)
{
	u64 need = (u64)so->len + UET_TXMSG_OVERHEAD;
	long none = 0;
	int err;

	err = uet_send_wait(us, so->dest, NULL, need, &none);
	if (!err && unlikely(READ_ONCE(us->refused.nr)))
		uet_refused_taken(us, so->dest, (u32)need);
	if (!err && READ_ONCE(us->sk.sk_shutdown) & SEND_SHUTDOWN)
		err = -EPIPE;
	return err;
}

/* Pin the data, or find room for a copy. */
static int uet_sendop_take(struct uet_sock *us, struct uet_sendop *so)
{
	int err;

	if (so->len <= UET_OP_COPY)
		return uet_sendop_room(us, so);
	so->pages = uet_op_pin(us, so->op->addr, so->len);
	if (!IS_ERR(so->pages))
		return 0;
	err = PTR_ERR(so->pages);
	so->pages = NULL;
	if ((err != -ENOBUFS && err != -EOPNOTSUPP) ||
	    so->len + UET_TXMSG_OVERHEAD > uet_sock_sndbuf(us))
		return err;
	return uet_sendop_room(us, so);
}

static int uet_sendop_copy(struct uet_sock *us, struct uet_sendop *so,
			   struct uet_txmsg *msg)
{
	struct kvec vec = { (void *)so->op->data, so->len };
	struct iov_iter from;
	int err;

	err = uet_txmsg_charge(msg, us, so->len);
	if (err)
		return err;
	if (so->op->flags & UET_OP_INLINE)
		iov_iter_kvec(&from, WRITE, &vec, 1, so->len);
	else
		iov_iter_ubuf(&from, WRITE, u64_to_user_ptr(so->op->addr), so->len);
	uet_txdata_lay_out(msg, READ_ONCE(so->dest->run_len));
	return uet_txdata_fill(msg, us, &from, 0, so->len);
}

static int uet_sendop_lend(struct uet_sock *us, struct uet_sendop *so,
			   struct uet_txmsg *msg)
{
	int err;

	err = uet_txmsg_charge_lent(msg, us);
	if (err)
		return err;
	uet_op_attach(msg, so->pages);
	return uet_txpin_lend(msg, uet_op_buffer(so->pages),
			      READ_ONCE(so->dest->run_len));
}

/* The message has its data. */
static int uet_sendop_submit(struct uet_sock *us, struct uet_sendop *so,
			     struct uet_txmsg *msg)
{
	int err;

	msg->m.filled = so->len;
	msg->m.told = !(so->flags & UET_TXOP_QUIET);
	if (uet_send_defers(us, &so->s, so->dest, so->len))
		uet_defer_name(msg);
	uet_op_begin(msg, us, so->flags);
	err = uet_send_submit(us, &so->s, msg);
	if (err) {
		uet_op_refuse(msg, us);
		return err;
	}
	so->extra = false;
	UET_INC(us->un, MSG_SENT);
	return 0;
}

static int uet_sendop_send(struct uet_sock *us, struct uet_sendop *so)
{
	struct uet_txmsg *msg;
	int err;

	msg = uet_send_alloc(us, &so->s, so->dest, so->len);
	if (!msg) {
		uet_dest_put(so->dest);
		return -ENOBUFS;
	}
	if (so->pages)
		err = uet_sendop_lend(us, so, msg);
	else
		err = uet_sendop_copy(us, so, msg);
	if (!err)
		err = uet_sendop_submit(us, so, msg);
	if (err)
		uet_txmsg_cancel(msg, us);
	return err;
}

/* Own slots of the queue: one for what becomes of the message, and with UET_OP_BUFFER one
 * for its buffer.
 */
static int uet_sendop_own(struct uet_sock *us, struct uet_sendop *so)
{
	if (atomic_read(&us->nr_ops) >= UET_SENDS_MAX)
		return -EAGAIN;
	if (so->op->flags & UET_OP_BUFFER) {
		if (!uet_cq_own(us->cq, 1))
			return -EAGAIN;
		so->extra = true;
	}
	return uet_done_own(us, &so->s.cq);
}

/* The buffer of a copy is free at once, and then only a failure is told; pages that are
 * lent are free when the message is done, and one completion tells both.
 */
static void uet_sendop_flags(struct uet_sock *us, struct uet_sendop *so)
{
	if (so->op->flags & UET_OP_QUIET)
		so->flags = UET_TXOP_QUIET;
	if (so->extra && !so->pages)
		so->flags = UET_TXOP_QUIET | UET_TXOP_COPIED;
	if (!so->extra || !so->pages)
		return;
	so->flags = UET_TXOP_BUFFER;
	uet_cq_disown(us->cq, 1);
	so->extra = false;
}

/**
 * uet_send_op() - post a send
 * @us: socket with a queue
 * @op: what to send
 * @to: where; NULL: to the connected endpoint
 * @more: other operations are to follow at once
 *
 * Context: process; sleeps, but waits for no peer and for no room.
 * Return: 0 or a negative errno, see struct uet_op.
 */
int uet_send_op(struct uet_sock *us, const struct uet_op *op,
		const struct sockaddr_uet *to, bool more)
{
	struct uet_sendop so = { .op = op, .len = (u32)op->length };
	int err;

	err = uet_sendop_check(op);
	if (!err && READ_ONCE(us->sk.sk_shutdown) & SEND_SHUTDOWN)
		err = -EPIPE;
	if (!err)
		err = uet_sendop_dest(us, &so, to);
	if (err)
		return err;
	so.s.more = more;
	uet_send_prio(us, so.dest);
	uet_send_flush_but(us, so.dest);
	/* The message takes over the reference, and may be gone soon. */
	uet_dest_hold(so.dest);
	err = uet_sendop_own(us, &so);
	if (!err)
		err = uet_sendop_take(us, &so);
	if (!err) {
		uet_sendop_flags(us, &so);
		err = uet_sendop_send(us, &so);
	} else {
		uet_dest_put(so.dest);
	}
	if (so.extra)
		uet_cq_disown(us->cq, 1);
	uet_done_disown(&so.s.cq);
	if (so.pages)
		uet_op_unpin(so.pages);
	if (!err)
		uet_send_set_batch(us, more ? so.dest : NULL);
	uet_dest_put(so.dest);
	return err;
}
