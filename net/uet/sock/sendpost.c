// SPDX-License-Identifier: GPL-2.0
/*
 * Sends that a program does not wait for (UET_SEND_POST): a task of the kernel does in
 * its place what sendmsg() would, with the memory of the program, and waits for room as
 * that would. So a message may be longer than the send buffer, whose length bounds what
 * is copied ahead.
 *
 * Sends to one endpoint follow one another, others go on meanwhile: each endpoint has its
 * turn by itself, and a reader that is late keeps nobody else waiting. What has not been
 * taken over when the socket closes is cancelled.
 *
 * With UET_SEND_ZEROCOPY the pages of the program are sent, as with MSG_ZEROCOPY, whose
 * notification it has then: that is the completion, when no packet refers to them any
 * more. What is pinned is charged to the program when it posts: the task has no limits.
 *
 * Not here: queues of completions (cq/cq.c), results of messages and notifications
 * (tx/done.c), references to pages (tx/txpin.c).
 */
#include <linux/kthread.h>
#include <linux/mmu_context.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/sockptr.h>
#include <linux/uio.h>
#include <linux/workqueue.h>

#include "compat.h"
#include "cq/cq.h"
#include "link/addr.h"
#include "sock.h"
#include "sock/calls.h"
#include "sock/send.h"
#include "tx/done.h"
#include "tx/txpin.h"
#include "tx/wmem.h"

#define UET_SEND_FLAGS	(UET_SEND_TAGGED | UET_SEND_HEADER_DATA | UET_SEND_ZEROCOPY)

/**
 * struct uet_sendpost - a send that is posted
 * @node: in uet_sock.sends
 * @us: socket, with a reference; it waits for its sends before it goes
 * @mm: memory of the program
 * @p: as posted
 * @slot: for the result of the message, until that has it
 * @ubuf: notification, if it is to be sent from the pages of the program, or NULL
 * @running: a task does it, or will soon
 * @work: that task's
 */
struct uet_sendpost {
	struct list_head	node;
	struct uet_sock		*us;
	struct mm_struct	*mm;
	struct uet_send_post	p;
	struct uet_cq		*slot;
	struct ubuf_info	*ubuf;
	bool			running;
	struct work_struct	work;
};

static struct workqueue_struct *uet_send_wq;

static void uet_sendpost_describe(const struct uet_sendpost *s,
				  struct uet_completion *done)
{
	*done = (struct uet_completion){
		.cookie	= s->p.cookie,
		.type	= UET_DONE_BUFFER,
		.flags	= UET_DONE_LAST,
		.length	= (u32)s->p.length,
		.socket	= (u32)s->us->inode,
		.peer	= s->p.to,
	};
}

/* There is nothing to be told by the notification: the data is copied, or not sent. */
static void uet_sendpost_unpin(struct uet_sendpost *s)
{
	if (s->ubuf)
		uet_done_ubuf_end(s->ubuf, false);
	s->ubuf = NULL;
}

/* A send has ended; it is in no list. */
static void uet_sendpost_tell(struct uet_sendpost *s, int error)
{
	struct uet_sock *us = s->us;
	struct uet_completion done;

	mmdrop(s->mm);
	uet_done_disown(&s->slot);
	if (error >= 0 && s->ubuf) {
		/* The last packet that refers to the data tells. */
		uet_cq_disown(us->cq, 1);
		uet_done_ubuf_end(s->ubuf, true);
		kfree(s);
		return;
	}
	uet_sendpost_unpin(s);
	uet_sendpost_describe(s, &done);
	done.error = error < 0 ? -error : 0;
	kfree(s);
	uet_cq_tell(us->cq, &done);
}

static bool uet_sendpost_same(const struct uet_sendpost *a, const struct uet_sendpost *b)
{
	return !memcmp(&a->p.to, &b->p.to, sizeof(a->p.to));
}

/* Is it the first one to its endpoint? sends_lock held */
static bool uet_sendpost_first(const struct uet_sock *us, const struct uet_sendpost *s)
{
	const struct uet_sendpost *it;

	list_for_each_entry(it, &us->sends, node) {
		if (it == s)
			return true;
		if (uet_sendpost_same(it, s))
			return false;
	}
	return false;
}

static void uet_sendpost_start(struct uet_sendpost *s)
{
	s->running = true;
	queue_work(uet_send_wq, &s->work);
}

/* A send leaves the list: the next one to its endpoint is on. sends_lock held */
static void uet_sendpost_leave(struct uet_sock *us, struct uet_sendpost *s)
{
	struct uet_sendpost *it;

	list_del(&s->node);
	us->nr_sends--;
	list_for_each_entry(it, &us->sends, node) {
		if (!uet_sendpost_same(it, s))
			continue;
		uet_sendpost_start(it);
		break;
	}
}

static void uet_sendpost_cmsg(struct msghdr *msg, int type, u64 v)
{
	struct cmsghdr *cmsg = msg->msg_control + msg->msg_controllen;

	cmsg->cmsg_level = SOL_UET;
	cmsg->cmsg_type = type;
	cmsg->cmsg_len = CMSG_LEN(sizeof(v));
	memcpy(CMSG_DATA(cmsg), &v, sizeof(v));
	msg->msg_controllen += CMSG_SPACE(sizeof(v));
}

/* sendmsg() in the program's place */
static int uet_sendpost_send(struct uet_sendpost *s)
{
	u8 control[3 * CMSG_SPACE(sizeof(u64))] __aligned(8);
	const struct uet_send_post *p = &s->p;
	struct msghdr msg = {
		.msg_name = &s->p.to, .msg_namelen = sizeof(s->p.to),
		.msg_control = control, .msg_flags = MSG_NOSIGNAL,
	};

	uet_sendpost_cmsg(&msg, UET_CMSG_COOKIE, p->cookie);
	if (p->flags & UET_SEND_TAGGED)
		uet_sendpost_cmsg(&msg, UET_CMSG_TAG, p->tag);
	if (p->flags & UET_SEND_HEADER_DATA)
		uet_sendpost_cmsg(&msg, UET_CMSG_HEADER_DATA, p->header_data);
	iov_iter_ubuf(&msg.msg_iter, WRITE, u64_to_user_ptr(p->addr), p->length);
	/* The send buffer may have changed. */
	if (s->ubuf && !uet_txpin_worth(s->us, &msg.msg_iter, p->length))
		uet_sendpost_unpin(s);
	return uet_send_posted(s->us, &msg, p->length, s->ubuf, &s->slot);
}

static void uet_sendpost_work(struct work_struct *work)
{
	struct uet_sendpost *s = container_of(work, struct uet_sendpost, work);
	struct uet_sock *us = s->us;
	int err = -ECANCELED;

	/* Else the program has exited. */
	if (mmget_not_zero(s->mm)) {
		kthread_use_mm(s->mm);
		err = uet_sendpost_send(s);
		kthread_unuse_mm(s->mm);
		mmput(s->mm);
	}
	if (err == -EPIPE && us->sk.sk_shutdown & SEND_SHUTDOWN)
		err = -ECANCELED;
	mutex_lock(&us->sends_lock);
	uet_sendpost_leave(us, s);
	uet_sendpost_tell(s, err);
	if (list_empty(&us->sends))
		wake_up_all(&us->sends_gone);
	mutex_unlock(&us->sends_lock);
	sock_put(&us->sk);
}

static int uet_sendpost_check(const struct uet_send_post *p)
{
	if (p->flags & ~UET_SEND_FLAGS ||
	    p->length >= MAX_RW_COUNT || p->reserved)
		return -EINVAL;
	if (!access_ok(u64_to_user_ptr(p->addr), p->length))
		return -EFAULT;
	return uet_addr_check((const struct sockaddr *)&p->to, sizeof(p->to));
}

/* Send from the pages of the program, if that pays and it may have so much pinned; else
 * the data is copied.
 */
static void uet_sendpost_pin(struct uet_sendpost *s)
{
	const struct uet_send_post *p = &s->p;
	struct uet_completion done;
	struct iov_iter from;

	if (!(p->flags & UET_SEND_ZEROCOPY))
		return;
	iov_iter_ubuf(&from, WRITE, u64_to_user_ptr(p->addr), p->length);
	if (!uet_txpin_worth(s->us, &from, p->length))
		return;
	s->ubuf = uet_done_ubuf(s->us, p->length);
	if (!s->ubuf)
		return;
	uet_sendpost_describe(s, &done);
	uet_done_ubuf_set(s->ubuf, &done);
}

static int uet_sendpost_add(struct uet_sock *us, struct uet_sendpost *s)
{
	int err = 0;

	mutex_lock(&us->sends_lock);
	if (READ_ONCE(us->sk.sk_shutdown) & SEND_SHUTDOWN)
		err = -EPIPE;
	else if (us->nr_sends >= UET_SEND_POSTS_MAX || !uet_cq_own(us->cq, 1))
		err = -EAGAIN;
	if (!err) {
		sock_hold(&us->sk);
		list_add_tail(&s->node, &us->sends);
		us->nr_sends++;
		if (uet_sendpost_first(us, s))
			uet_sendpost_start(s);
	}
	mutex_unlock(&us->sends_lock);
	return err;
}

/**
 * uet_send_post() - post a send (UET_SEND_POST)
 * @us: socket
 * @optval: struct uet_send_post
 * @optlen: its length
 *
 * Context: process; sleeps.
 * Return: 0 or a negative errno, see struct uet_send_post.
 */
int uet_send_post(struct uet_sock *us, sockptr_t optval, unsigned int optlen)
{
	struct uet_sendpost *s;
	int err;

	if (optlen != sizeof(s->p))
		return -EINVAL;
	if (sockptr_is_kernel(optval))
		return -EOPNOTSUPP;
	/* Pairs with uet_rxposts_begin(). */
	if (!smp_load_acquire(&us->cq))
		return -ENXIO;
	s = kzalloc(sizeof(*s), GFP_KERNEL_ACCOUNT);
	if (!s)
		return -ENOMEM;
	err = -EFAULT;
	if (!copy_from_sockptr(&s->p, optval, sizeof(s->p)))
		err = uet_sendpost_check(&s->p);
	if (err)
		goto err_free;
	if (uet_notifies(us, true))
		err = uet_done_own(us, &s->slot);
	if (err)
		goto err_free;
	s->us = us;
	INIT_WORK(&s->work, uet_sendpost_work);
	s->mm = current->mm;
	mmgrab(s->mm);
	uet_sendpost_pin(s);
	err = uet_sendpost_add(us, s);
	if (!err)
		return 0;
	uet_sendpost_unpin(s);
	uet_done_disown(&s->slot);
	mmdrop(s->mm);
err_free:
	kfree(s);
	return err;
}

/**
 * uet_send_posts_cancel() - a socket sends no more: end what is posted
 * @us: socket, shut down for sending
 *
 * What has been taken over is a message as any other.
 *
 * Context: process; waits for the tasks that send.
 */
void uet_send_posts_cancel(struct uet_sock *us)
{
	struct uet_sendpost *s, *next;

	mutex_lock(&us->sends_lock);
	list_for_each_entry_safe(s, next, &us->sends, node) {
		if (s->running)
			continue;
		list_del(&s->node);
		us->nr_sends--;
		uet_sendpost_tell(s, -ECANCELED);
		/* Not the last reference */
		__sock_put(&us->sk);
	}
	mutex_unlock(&us->sends_lock);
	/* Those that wait for room find that there will be none. */
	uet_sock_wake_tx(us);
	wait_event(us->sends_gone, !READ_ONCE(us->nr_sends));
}

/**
 * uet_send_posts_init() - make the tasks that send
 *
 * Return: 0 or -ENOMEM.
 */
int __init uet_send_posts_init(void)
{
	uet_send_wq = alloc_workqueue("uet_send", WQ_UNBOUND, 0);
	return uet_send_wq ? 0 : -ENOMEM;
}

/**
 * uet_send_posts_exit() - undo uet_send_posts_init()
 */
void uet_send_posts_exit(void)
{
	destroy_workqueue(uet_send_wq);
}
