// SPDX-License-Identifier: GPL-2.0
/*
 * Options of completion queues and of receives that are posted ahead.
 *
 * Not here: queues (cq/cq.c), which message goes to which receive (rx/post.c).
 */
#include <linux/slab.h>
#include <linux/sockptr.h>
#include <net/sock.h>

#include "compat.h"
#include "link/addr.h"
#include "rx/defer.h"
#include "rx/post.h"
#include "rx/rxmsg.h"
#include "sock.h"
#include "sock/calls.h"

#define UET_RECV_FLAGS	(UET_RECV_TAGGED | UET_RECV_MULTI | UET_RECV_PEEK | \
			 UET_RECV_CLAIM | UET_RECV_CLAIMED | UET_RECV_DISCARD | \
			 UET_RECV_INLINE)

/* Receives posted by one call at most: it can not be interrupted */
#define UET_RECV_BATCH	256

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

static int uet_post_check_from(const struct sockaddr_uet *from)
{
	if (!from->suet_family)
		return 0;
	return uet_addr_check((const struct sockaddr *)from, sizeof(*from));
}

static int uet_post_check(const struct uet_recv_post *p)
{
	u32 f = p->flags;

	if (f & ~UET_RECV_FLAGS || p->length > UET_MSG_MAX)
		return -EINVAL;
	if (f & UET_RECV_CLAIM &&
	    (f & (UET_RECV_PEEK | UET_RECV_DISCARD)) != UET_RECV_PEEK)
		return -EINVAL;
	if (f & UET_RECV_DISCARD && !(f & (UET_RECV_PEEK | UET_RECV_CLAIMED)))
		return -EINVAL;
	if (f & UET_RECV_PEEK && f & UET_RECV_CLAIMED)
		return -EINVAL;
	if (f & UET_RECV_INLINE &&
	    (f & (UET_RECV_MULTI | UET_RECV_PEEK | UET_RECV_DISCARD) ||
	     p->length > UET_RECV_INLINE_MAX))
		return -EINVAL;
	if (!(f & UET_RECV_MULTI))
		return p->least ? -EINVAL : uet_post_check_from(&p->from);
	if (!p->least || p->least > p->length || f & (UET_RECV_PEEK | UET_RECV_CLAIMED))
		return -EINVAL;
	return uet_post_check_from(&p->from);
}

static void uet_posts_drop(struct list_head *list)
{
	struct uet_rxpost *post, *next;

	list_for_each_entry_safe(post, next, list, node) {
		list_del_init(&post->node);
		uet_rxpost_put(post);
	}
}

/* Make receives of what the program asks for: all or none. */
static int uet_posts_make(struct uet_sock *us, sockptr_t optval, u32 n,
			  struct list_head *list)
{
	struct uet_recv_post p;
	struct uet_rxpost *post;
	u32 i;
	int err;

	for (i = 0; i < n; i++) {
		err = -EFAULT;
		if (copy_from_sockptr_offset(&p, optval, i * sizeof(p), sizeof(p)))
			goto err;
		err = uet_post_check(&p);
		if (err)
			goto err;
		post = uet_rxpost_alloc(us, &p);
		err = PTR_ERR_OR_ZERO(post);
		if (err)
			goto err;
		list_add_tail(&post->node, list);
	}
	return 0;

err:
	uet_posts_drop(list);
	return err;
}

/**
 * uet_recv_post() - post receives (UET_RECV_POST)
 * @us: socket
 * @optval: array of struct uet_recv_post
 * @optlen: its length
 *
 * Context: process; sleeps.
 * Return: 0 or a negative errno, see struct uet_recv_post.
 */
int uet_recv_post(struct uet_sock *us, sockptr_t optval, unsigned int optlen)
{
	u32 n = optlen / sizeof(struct uet_recv_post);
	struct uet_rxpost *post, *next;
	LIST_HEAD(list);
	int err;

	if (!n || optlen % sizeof(struct uet_recv_post) || n > UET_RECV_BATCH)
		return -EINVAL;
	/* Pages are those of a program. */
	if (us->sk.sk_type == SOCK_DGRAM || sockptr_is_kernel(optval))
		return -EOPNOTSUPP;
	/* Pairs with uet_rxposts_begin(): there are posts, too. */
	if (!smp_load_acquire(&us->cq))
		return -ENXIO;
	/* Room for RLIMIT_MEMLOCK, and no work for others */
	uet_users_reap(uet_cq_users(us->cq));
	err = uet_posts_make(us, optval, n, &list);
	if (err)
		return err;
	lock_sock(&us->sk);
	/* Messages that stand in the line are older than these receives. */
	uet_rxposts_room(us);
	err = us->sk.sk_shutdown & RCV_SHUTDOWN ? -ESHUTDOWN :
						  uet_rxposts_allow(us, &list, n);
	if (err) {
		uet_posts_drop(&list);
		goto out;
	}
	list_for_each_entry_safe(post, next, &list, node) {
		list_del_init(&post->node);
		uet_rxpost_add(us, post);
	}
	uet_rx_room_made(us);
	/* Deferred messages may be what was waited for. */
	uet_defer_room(us);
out:
	release_sock(&us->sk);
	return err;
}

/**
 * uet_recv_cancel() - cancel a posted receive (UET_RECV_CANCEL)
 * @us: socket
 * @optval: its cookie, u64
 * @optlen: length
 *
 * Return: 0; -ENOENT if none that waits has that cookie; -EINVAL, -EFAULT.
 */
int uet_recv_cancel(struct uet_sock *us, sockptr_t optval, unsigned int optlen)
{
	u64 cookie;

	if (optlen < sizeof(cookie))
		return -EINVAL;
	if (copy_from_sockptr(&cookie, optval, sizeof(cookie)))
		return -EFAULT;
	if (!uet_rxpost_cancel(us, cookie))
		return -ENOENT;
	/* It may have been what messages stood in the line for. */
	lock_sock(&us->sk);
	uet_rxposts_room(us);
	release_sock(&us->sk);
	return 0;
}
