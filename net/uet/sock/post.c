// SPDX-License-Identifier: GPL-2.0
/*
 * Posting: arrays of operations (SIOCUETPOST), and completion queues of sockets (UET_CQ).
 *
 * An operation names an endpoint by its place in an array of addresses that comes with the
 * call. So there is no table of peers to be filled, limited and forgotten, a program may
 * keep its own array for all calls, and an address costs the kernel a copy of 40 bytes:
 * what queue is meant depends on options of the socket and the length of the message
 * besides, and is looked up for each.
 *
 * Not here: sends (sock/sendop.c), which message goes to which receive (rx/ses/post.c), queues
 * (cq/cq.c).
 */
#include <linux/slab.h>
#include <linux/sockptr.h>
#include <net/sock.h>

#include "compat.h"
#include "link/addr.h"
#include "rx/ses/defer.h"
#include "rx/ses/post.h"
#include "rx/ses/rxmsg.h"
#include "sock.h"
#include "sock/calls.h"
#include "sock/send.h"

#define UET_RECV_FLAGS \
	(UET_OP_MULTI | UET_OP_PEEK | UET_OP_CLAIM | UET_OP_CLAIMED | \
	 UET_OP_DISCARD | UET_OP_INLINE)

/* Operations between two looks for a signal */
#define UET_POST_STEP	64

/**
 * struct uet_posting - a call of SIOCUETPOST under way
 * @us: the socket
 * @p: what is posted
 * @received: there was a receive among it
 */
struct uet_posting {
	struct uet_sock		*us;
	struct uet_post		p;
	bool			received;
};

/**
 * uet_set_cq() - give a socket its completion queue (UET_CQ)
 * @us: socket
 * @fd: descriptor of the queue
 *
 * Context: process, socket locked.
 * Return: 0; -EBADF, -EINVAL, -EBUSY (it has one), -ENOMEM.
 */
int uet_set_cq(struct uet_sock *us, int fd)
{
	struct uet_cq *cq = uet_cq_of(fd);
	int err;

	if (IS_ERR(cq))
		return PTR_ERR(cq);
	err = uet_rxposts_begin(us, cq, uet_recv_posted);
	if (err)
		uet_cq_put(cq);
	return err;
}

/* The endpoint that an operation names; NULL: the connected one */
static const struct sockaddr_uet *uet_post_addr(const struct uet_posting *pg, u32 to,
						struct sockaddr_uet *addr)
{
	const struct sockaddr_uet __user *addrs = u64_to_user_ptr(pg->p.addrs);

	if (!to)
		return NULL;
	if (to > pg->p.nr_addrs)
		return ERR_PTR(-EINVAL);
	if (copy_from_user(addr, addrs + to - 1, sizeof(*addr)))
		return ERR_PTR(-EFAULT);
	return addr;
}

static int uet_post_send(struct uet_posting *pg, const struct uet_op *op, bool more)
{
	const struct sockaddr_uet *to;
	struct sockaddr_uet addr;

	to = uet_post_addr(pg, op->to, &addr);
	return IS_ERR(to) ? PTR_ERR(to) : uet_send_op(pg->us, op, to, more);
}

/* The endpoint that messages of a receive must come from */
static int uet_post_source(struct uet_posting *pg, u32 to, struct sockaddr_uet *from)
{
	const struct sockaddr_uet *given;
	struct uet_sock *us = pg->us;
	int err = 0;

	if (to == UET_OP_ANY)
		return 0;
	given = uet_post_addr(pg, to, from);
	if (IS_ERR(given))
		return PTR_ERR(given);
	if (given)
		return uet_addr_check(from, sizeof(*from));
	spin_lock(&us->dests_lock);
	if (us->connected)
		*from = us->remote;
	else
		err = -EDESTADDRREQ;
	spin_unlock(&us->dests_lock);
	return err;
}

static int uet_post_check_recv(const struct uet_op *op)
{
	u16 f = op->flags;

	if (f & ~UET_RECV_FLAGS || op->length > UET_MSG_MAX || op->delivery ||
	    op->timeout || op->imm > U32_MAX ||
	    memchr_inv(op->data, 0, sizeof(op->data)) ||
	    (op->opcode != UET_OP_TRECV && (op->tag || op->ignore)))
		return -EINVAL;
	if (f & UET_OP_CLAIM && (f & (UET_OP_PEEK | UET_OP_DISCARD)) != UET_OP_PEEK)
		return -EINVAL;
	if (f & UET_OP_DISCARD && !(f & (UET_OP_PEEK | UET_OP_CLAIMED)))
		return -EINVAL;
	if (f & UET_OP_PEEK && f & UET_OP_CLAIMED)
		return -EINVAL;
	if (f & UET_OP_INLINE && (f & (UET_OP_MULTI | UET_OP_PEEK | UET_OP_DISCARD) ||
				  op->addr || op->length > UET_OP_DATA_MAX))
		return -EINVAL;
	if (!(f & UET_OP_MULTI))
		return op->imm ? -EINVAL : 0;
	if (!op->imm || op->imm > op->length || f & (UET_OP_PEEK | UET_OP_CLAIMED))
		return -EINVAL;
	return 0;
}

static int uet_post_recv(struct uet_posting *pg, const struct uet_op *op)
{
	struct sockaddr_uet from = {};
	struct uet_sock *us = pg->us;
	struct uet_rxpost *post;
	int err;

	if (us->sk.sk_type == SOCK_DGRAM)
		return -EOPNOTSUPP;
	err = uet_post_check_recv(op);
	if (!err)
		err = uet_post_source(pg, op->to, &from);
	if (err)
		return err;
	post = uet_rxpost_alloc(us, op, &from);
	if (IS_ERR(post))
		return PTR_ERR(post);
	lock_sock(&us->sk);
	/* Messages that stand in the line are older than this receive. */
	uet_rxposts_room(us);
	err = us->sk.sk_shutdown & RCV_SHUTDOWN ? -ESHUTDOWN : uet_rxpost_allow(us, post);
	if (!err)
		uet_rxpost_add(us, post);
	else
		uet_rxpost_put(post);
	release_sock(&us->sk);
	pg->received = true;
	return err;
}

static int uet_post_op(struct uet_posting *pg, u32 i)
{
	const struct uet_post *p = &pg->p;
	struct uet_op op;
	int err;

	err = copy_struct_from_user(&op, sizeof(op),
				    u64_to_user_ptr(p->ops + (u64)i * p->op_size),
				    p->op_size);
	if (err)
		return err == -E2BIG ? -EINVAL : err;
	if (op.reserved0 || op.reserved1 ||
	    memchr_inv(op.reserved, 0, sizeof(op.reserved)))
		return -EINVAL;
	switch (op.opcode) {
	case UET_OP_SEND:
	case UET_OP_TSEND:
		return uet_post_send(pg, &op, i + 1 < p->nr);
	case UET_OP_RECV:
	case UET_OP_TRECV:
		return uet_post_recv(pg, &op);
	default:
		return -EOPNOTSUPP;
	}
}

static int uet_post_check_call(const struct uet_post *p)
{
	BUILD_BUG_ON(sizeof(struct uet_op) != 128);
	if (!p->nr || p->nr > UET_POST_MAX || p->flags || p->reserved ||
	    p->op_size < sizeof(struct uet_op) || p->op_size > PAGE_SIZE)
		return -EINVAL;
	return 0;
}

/* Messages that waited, or were deferred, may have found a receive. */
static void uet_post_made_room(struct uet_sock *us)
{
	lock_sock(&us->sk);
	uet_rx_room_made(us);
	uet_defer_room(us);
	release_sock(&us->sk);
}

/**
 * uet_post() - post an array of operations (SIOCUETPOST)
 * @us: socket
 * @arg: see struct uet_post
 *
 * Context: process; sleeps.
 * Return: how many were posted, or the errno of the first.
 */
int uet_post(struct uet_sock *us, struct uet_post __user *arg)
{
	struct uet_posting pg = { .us = us };
	int err = 0;
	u32 n;

	if (copy_from_user(&pg.p, arg, sizeof(pg.p)))
		return -EFAULT;
	err = uet_post_check_call(&pg.p);
	if (err)
		return err;
	/* Pairs with uet_rxposts_begin(): there are posts, too. */
	if (!smp_load_acquire(&us->cq))
		return -ENXIO;
	/* Room for RLIMIT_MEMLOCK, and no work for others */
	uet_users_reap(uet_cq_users(us->cq));
	for (n = 0; n < pg.p.nr; n++) {
		if (n && !(n % UET_POST_STEP) && signal_pending(current))
			break;
		err = uet_post_op(&pg, n);
		if (err)
			break;
	}
	uet_send_flush_but(us, NULL);
	if (pg.received)
		uet_post_made_room(us);
	return n ?: err;
}
