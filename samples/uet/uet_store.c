// SPDX-License-Identifier: GPL-2.0
/*
 * A store of bytes in memory that is served by the kernel, to show how kernel code uses
 * AF_UET sockets.
 *
 * Three rules make it safe:
 *
 * - sk_data_ready() and sk_write_space() run in softirq, or wherever a message is done.
 *   They may only note that there is work. Here they queue it; sk_callback_lock keeps
 *   them from a store that is going away.
 * - kernel_recvmsg() and kernel_sendmsg() are for process context: they take the lock of
 *   the socket and allocate memory, also with MSG_DONTWAIT. A work item calls them.
 * - A send that got EAGAIN is told of room by sk_write_space(). Until then the answer is
 *   kept and no further question is read, so that clients who do not read are stopped by
 *   their own windows and cost no memory.
 *
 * A socket of the kernel does not keep its namespace, so the store is in the first one,
 * which never goes.
 *
 * Who may send to the host may read and write: this is a sample.
 */
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/net.h>
#include <linux/uet.h>
#include <linux/uio.h>
#include <linux/vmalloc.h>
#include <linux/workqueue.h>
#include <net/net_namespace.h>
#include <net/sock.h>

#include "uet_store.h"

/* Questions that are answered before others get the processor */
#define STORE_BATCH	64

static unsigned int pid = 2000;
module_param(pid, uint, 0444);
MODULE_PARM_DESC(pid, "PIDonFEP that the store is bound to");

static unsigned long size = 16 << 20;
module_param(size, ulong, 0444);
MODULE_PARM_DESC(size, "bytes that the store has");

/**
 * struct store - the store
 * @sock: its socket
 * @data_ready: the socket's callback
 * @write_space: the socket's callback
 * @work: receives and answers; one at a time
 * @bytes: what is stored
 * @from: who asked
 * @ask: the question
 * @answer: the answer
 * @data: behind either
 * @unsent: bytes of an answer that waits for room, header included; 0 = none does
 */
struct store {
	struct socket		*sock;
	void			(*data_ready)(struct sock *sk);
	void			(*write_space)(struct sock *sk);
	struct work_struct	work;
	u8			*bytes;
	struct sockaddr_uet	from;
	struct uet_store_ask	ask;
	struct uet_store_answer	answer;
	u8			*data;
	u32			unsent;
};

static struct store store;

/* Any context */
static void store_event(struct sock *sk)
{
	struct store *st;

	read_lock_bh(&sk->sk_callback_lock);
	st = sk->sk_user_data;
	if (st)
		queue_work(system_unbound_wq, &st->work);
	read_unlock_bh(&sk->sk_callback_lock);
}

static void store_listen(struct store *st)
{
	struct sock *sk = st->sock->sk;

	write_lock_bh(&sk->sk_callback_lock);
	st->data_ready = sk->sk_data_ready;
	st->write_space = sk->sk_write_space;
	sk->sk_user_data = st;
	sk->sk_data_ready = store_event;
	sk->sk_write_space = store_event;
	write_unlock_bh(&sk->sk_callback_lock);
}

/* No event comes from here on; the work may still run. */
static void store_deafen(struct store *st)
{
	struct sock *sk = st->sock->sk;

	write_lock_bh(&sk->sk_callback_lock);
	sk->sk_data_ready = st->data_ready;
	sk->sk_write_space = st->write_space;
	sk->sk_user_data = NULL;
	write_unlock_bh(&sk->sk_callback_lock);
}

/* Send the answer. -EAGAIN: sk_write_space() says when to try again. */
static int store_send(struct store *st)
{
	struct msghdr msg = {
		.msg_name	= &st->from,
		.msg_namelen	= sizeof(st->from),
		.msg_flags	= MSG_DONTWAIT | MSG_NOSIGNAL,
	};
	struct kvec vec[] = {
		{ &st->answer, sizeof(st->answer) },
		{ st->data, st->unsent - sizeof(st->answer) },
	};
	int ret;

	ret = kernel_sendmsg(st->sock, &msg, vec, ARRAY_SIZE(vec), st->unsent);
	if (ret == -EAGAIN)
		return ret;
	/* Whoever asked is gone, or cannot be answered. */
	st->unsent = 0;
	return 0;
}

/* Receive a question and what comes with it. Returns its length, header included. */
static int store_receive(struct store *st)
{
	struct msghdr msg = {
		.msg_name	= &st->from,
		.msg_namelen	= sizeof(st->from),
	};
	struct kvec vec[] = {
		{ &st->ask, sizeof(st->ask) },
		{ st->data, UET_STORE_DATA_MAX },
	};
	int ret, more;

	ret = kernel_recvmsg(st->sock, &msg, vec, ARRAY_SIZE(vec),
			     sizeof(st->ask) + UET_STORE_DATA_MAX, MSG_DONTWAIT);
	if (ret < 0 || msg.msg_flags & MSG_EOR)
		return ret;
	/* UET_MAX_MSG refuses longer ones; one that broke off has no end. */
	more = ret;
	while (more > 0 && !(msg.msg_flags & MSG_EOR))
		more = kernel_recvmsg(st->sock, &msg, vec, ARRAY_SIZE(vec),
				      UET_STORE_DATA_MAX, MSG_DONTWAIT);
	return 0;
}

/* Do what a question of @have bytes asks for. Returns 0 and the length, or an error. */
static int store_do(struct store *st, u32 have, u32 *len)
{
	u64 offset = be64_to_cpu(st->ask.offset);
	u32 n = be32_to_cpu(st->ask.len);

	if (n > UET_STORE_DATA_MAX)
		return -EMSGSIZE;
	if (offset > size || n > size - offset)
		return -ERANGE;
	switch (be32_to_cpu(st->ask.op)) {
	case UET_STORE_READ:
		memcpy(st->data, st->bytes + offset, n);
		break;
	case UET_STORE_WRITE:
		if (have != n)
			return -EINVAL;
		memcpy(st->bytes + offset, st->data, n);
		break;
	default:
		return -EOPNOTSUPP;
	}
	*len = n;
	return 0;
}

/* Make the answer to a question of so many bytes, header included. */
static void store_answer(struct store *st, u32 have)
{
	u32 len = 0;
	int error;

	if (have < sizeof(st->ask))
		return;		/* it has no cookie to answer with */
	error = store_do(st, have - sizeof(st->ask), &len);
	st->answer.cookie = st->ask.cookie;
	st->answer.error = cpu_to_be32(-error);
	st->answer.len = cpu_to_be32(len);
	st->unsent = sizeof(st->answer);
	if (!error && be32_to_cpu(st->ask.op) == UET_STORE_READ)
		st->unsent += len;
}

static void store_work(struct work_struct *work)
{
	struct store *st = container_of(work, struct store, work);
	int i, ret;

	for (i = 0; i < STORE_BATCH; i++) {
		if (st->unsent && store_send(st))
			return;
		ret = store_receive(st);
		if (ret == -EAGAIN)
			return;
		if (ret > 0)
			store_answer(st, ret);
		cond_resched();
	}
	queue_work(system_unbound_wq, &st->work);
}

static int store_open(struct store *st)
{
	struct sockaddr_uet addr = {
		.suet_family	= AF_UET,
		.suet_pid	= pid,
	};
	int max = sizeof(st->ask) + UET_STORE_DATA_MAX, err;

	err = sock_create_kern(&init_net, AF_UET, SOCK_RDM, 0, &st->sock);
	if (err)
		return err;
	err = st->sock->ops->setsockopt(st->sock, SOL_UET, UET_MAX_MSG,
					KERNEL_SOCKPTR(&max), sizeof(max));
	if (err)
		goto err_sock;
	store_listen(st);
	err = kernel_bind(st->sock, (void *)&addr, sizeof(addr));
	if (!err)
		return 0;
	store_deafen(st);
	cancel_work_sync(&st->work);
err_sock:
	sock_release(st->sock);
	return err;
}

static int __init store_init(void)
{
	int err = -ENOMEM;

	INIT_WORK(&store.work, store_work);
	store.bytes = vzalloc(size);
	store.data = kvmalloc(UET_STORE_DATA_MAX, GFP_KERNEL);
	if (!store.bytes || !store.data)
		goto err_free;
	err = store_open(&store);
	if (!err)
		return 0;
err_free:
	kvfree(store.data);
	vfree(store.bytes);
	return err;
}

/* Answers under way go on without the socket. */
static void __exit store_exit(void)
{
	store_deafen(&store);
	cancel_work_sync(&store.work);
	sock_release(store.sock);
	kvfree(store.data);
	vfree(store.bytes);
}

module_init(store_init);
module_exit(store_exit);

MODULE_DESCRIPTION("Sample of AF_UET sockets in the kernel: a store of bytes");
MODULE_LICENSE("GPL");
