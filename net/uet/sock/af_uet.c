// SPDX-License-Identifier: GPL-2.0
/*
 * The socket family: creation, bind(), connect(), close(). Nothing here runs per
 * message.
 *
 * Not here: sendmsg(), recvmsg() and options (other files in sock/), the table of
 * endpoints (rx/ses/ep.c).
 */
#include <asm/ioctls.h>
#include <linux/compat.h>
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/net.h>
#include <linux/sched/signal.h>
#include <linux/sockios.h>
#include <linux/wait.h>
#include <net/net_namespace.h>

#include "base.h"
#include "compat.h"
#include "cq/cq.h"
#include "link/addr.h"
#include "link/encap.h"
#include "link/owner.h"
#include "rx/ses/ep.h"
#include "rx/ses/post.h"
#include "rx/ses/rxmem.h"
#include "rx/ses/rxmsg.h"
#include "sock.h"
#include "sock/calls.h"
#include "sock/send.h"
#include "tx/msg/report.h"
#include "tx/msg/txmsg.h"
#include "tx/msg/txpage.h"
#include "tx/msg/wmem.h"
#include "tx/pds/pds.h"
#include "tx/queue/refused.h"
#include "tx/queue/rudi.h"
#include "tx/queue/watch.h"

/* Sockets not freed yet. Open files hold the module; closed sockets do not, so
 * unloading waits for them.
 */
static atomic_t uet_socks;
static DECLARE_WAIT_QUEUE_HEAD(uet_socks_gone);

static atomic_long_t uet_memory_allocated;
static DEFINE_PER_CPU(int, uet_memory_per_cpu_fw_alloc);
static long uet_sysctl_mem[3];
static int uet_sysctl_buf_min = PAGE_SIZE;

/* SO_KEEPALIVE */
static void uet_keepalive(struct sock *sk, int on)
{
	uet_contacts_keepalive(uet_sk(sk), on);
}

/* What io_uring may ask, too */
static int uet_prot_ioctl(struct sock *sk, int cmd, int *answer)
{
	struct uet_sock *us = uet_sk(sk);
	u32 n;

	switch (cmd) {
	case SIOCOUTQ:
		n = lower_32_bits(atomic64_read(&us->wmem));
		break;
	case SIOCINQ:
		n = uet_rx_avail(us);
		break;
	default:
		return -ENOIOCTLCMD;
	}
	*answer = min_t(u32, n, INT_MAX);
	return 0;
}

static struct proto uet_prot = {
	.name			= "UET",
	.obj_size		= sizeof(struct uet_sock),
	.memory_allocated	= &uet_memory_allocated,
	.per_cpu_fw_alloc	= &uet_memory_per_cpu_fw_alloc,
	.sysctl_mem		= uet_sysctl_mem,
	.sysctl_rmem		= &uet_sysctl_buf_min,
	.sysctl_wmem		= &uet_sysctl_buf_min,
	.keepalive		= uet_keepalive,
#ifndef UET_CUSTOM_SOCKOPT
	/* Options of SOL_SOCKET are seen when the socket is unlocked */
	.release_cb		= uet_release_cb,
#endif
#ifdef UET_PROT_IOCTL
	.ioctl			= uet_prot_ioctl,
#endif
};

static void uet_sock_destruct(struct sock *sk)
{
	uet_consume_list(&sk->sk_error_queue);
	uet_rxmsg_drop_spare(uet_sk(sk));
	uet_rxposts_end(uet_sk(sk));
	WARN_ON_ONCE(atomic_read(&sk->sk_rmem_alloc));
	/* Linux 6.1 allows SO_RESERVE_MEM for all protocols that account pages. */
	sk_mem_reclaim_final(sk);
	WARN_ON_ONCE(sk->sk_forward_alloc);
	uet_account_put(uet_sk(sk)->account);
	if (uet_sk(sk)->owner)
		sock_put(uet_sk(sk)->owner);
	if (atomic_dec_and_test(&uet_socks))
		wake_up(&uet_socks_gone);
}

/* Has a closing socket messages that are not done? */
static bool uet_unfinished(const struct uet_sock *us)
{
	return uet_sock_wmem(us) || atomic_read(&us->nr_ops) || uet_rudi_busy(us);
}

/* Wait until all messages are done, for @timeout at most. Returns the time left. */
static long uet_linger(struct uet_sock *us, long timeout)
{
	DEFINE_WAIT_FUNC(wait, woken_wake_function);
	struct sock *sk = &us->sk;

	add_wait_queue(sk_sleep(sk), &wait);
	while (timeout && uet_unfinished(us) && !signal_pending(current)) {
		uet_sock_wake_below(us, 0);
		if (uet_unfinished(us))
			timeout = wait_woken(&wait, TASK_INTERRUPTIBLE,
					     timeout);
	}
	remove_wait_queue(sk_sleep(sk), &wait);
	return timeout;
}

static void uet_discard(struct uet_sock *us)
{
	struct uet_dest *dest;

	spin_lock(&us->dests_lock);
	list_for_each_entry(dest, &us->dests, us_node)
		uet_pds_discard(dest);
	spin_unlock(&us->dests_lock);
	uet_rudi_discard(us);
}

/* Queued messages go on without the socket. With SO_LINGER close() waits for them
 * and withdraws those not done when the time is over (0: at once). An exiting
 * process does not wait; a signal ends the wait but withdraws nothing.
 */
static void uet_close_tx(struct uet_sock *us)
{
	struct sock *sk = &us->sk;
	long left;

	if (sock_flag(sk, SOCK_LINGER)) {
		left = sk->sk_lingertime;
		if (!(current->flags & PF_EXITING))
			left = uet_linger(us, left);
		if (!left && uet_unfinished(us))
			uet_discard(us);
	}
	uet_dest_detach_all(us);
	uet_rudi_detach(us);
}

/* Wake all senders NACKed for shortage: they find the endpoint gone. */
static void uet_tell_all_gone(struct uet_sock *us)
{
	while (uet_pds_rx_room(us))
		cond_resched();
}

static int uet_release(struct socket *sock)
{
	struct sock *sk = sock->sk;
	struct uet_sock *us;

	if (!sk)
		return 0;
	us = uet_sk(sk);
	WRITE_ONCE(sk->sk_shutdown, SHUTDOWN_MASK);
	uet_ep_unbind(us);
	uet_rxmsg_purge(us);
	uet_tell_all_gone(us);
	uet_rtr_close(us);
	uet_watch_stop(us);
	uet_part_drop(us);
	uet_close_tx(us);
	uet_sock_drop_late(us);
	uet_watch_free(us);
	uet_tx_expire_stop(us);
	uet_txpages_free(us);
	uet_refused_stop(us);
	uet_datagram_forget(us);
	uet_owner_leave(us);
	sock_prot_inuse_add(sock_net(sk), sk->sk_prot, -1);
	sock_orphan(sk);
	sock->sk = NULL;
	atomic_dec(&us->un->socks);
	uet_encap_put(us->un);
	sock_put(sk);
	return 0;
}

static int uet_bind(struct socket *sock, struct uet_sockaddr *addr, int len)
{
	struct sock *sk = sock->sk;
	int err = uet_addr_check((const struct sockaddr_uet *)addr, len);

	if (err)
		return err;
	lock_sock(sk);
	err = uet_ep_bind(uet_sk(sk), (struct sockaddr_uet *)addr);
	release_sock(sk);
	return err;
}

static void uet_set_remote(struct uet_sock *us, const struct sockaddr_uet *addr)
{
	spin_lock(&us->dests_lock);
	us->connected = !!addr;
	us->conn_dest = NULL;
	if (addr)
		us->remote = *addr;
	spin_unlock(&us->dests_lock);
}

/* Sets the default destination. It does not filter senders: replies may come from
 * another address of the same host.
 */
static int uet_connect(struct socket *sock, struct uet_sockaddr *addr, int len,
		       int flags)
{
	struct sockaddr_uet *to = (struct sockaddr_uet *)addr;
	struct sock *sk = sock->sk;
	struct uet_sock *us = uet_sk(sk);
	int err;

	if (len < (int)sizeof(addr->sa_family))
		return -EINVAL;
	if (addr->sa_family == AF_UNSPEC) {
		uet_set_remote(us, NULL);
		return 0;
	}
	err = uet_addr_check(to, len);
	if (err)
		return err;
	lock_sock(sk);
	err = uet_ep_autobind(us);
	if (!err)
		err = uet_addr_check_dest(us, to);
	if (!err)
		uet_set_remote(us, to);
	release_sock(sk);
	return err;
}

static int uet_getname(struct socket *sock, struct sockaddr *addr, int peer)
{
	struct sockaddr_uet *ua = (struct sockaddr_uet *)addr;
	struct sock *sk = sock->sk;
	struct uet_sock *us = uet_sk(sk);
	int ret = sizeof(*ua);

	lock_sock(sk);
	spin_lock(&us->dests_lock);
	if (!peer)
		*ua = us->local;
	else if (us->connected)
		*ua = us->remote;
	else
		ret = -ENOTCONN;
	spin_unlock(&us->dests_lock);
	release_sock(sk);
	return ret;
}

static int uet_shutdown(struct socket *sock, int how)
{
	struct sock *sk = sock->sk;

	if (how < SHUT_RD || how > SHUT_RDWR)
		return -EINVAL;
	/* SHUT_* + 1 are the bits of sk_shutdown. */
	how++;
	lock_sock(sk);
	WRITE_ONCE(sk->sk_shutdown, sk->sk_shutdown | how);
	if (how & RCV_SHUTDOWN)
		uet_rx_stop(uet_sk(sk));
	/* Datagrams wait for room at the owner. */
	if (how & SEND_SHUTDOWN && uet_sk(sk)->owner)
		WRITE_ONCE(uet_sk(sk)->owner->sk_shutdown, SEND_SHUTDOWN);
	sk->sk_state_change(sk);
	if (how & SEND_SHUTDOWN)
		uet_sock_wake_tx(uet_sk(sk));
	release_sock(sk);
	if (how & SEND_SHUTDOWN)
		uet_part_drop(uet_sk(sk));
	if (how & RCV_SHUTDOWN)
		uet_tell_all_gone(uet_sk(sk));
	return 0;
}

static int uet_ioctl(struct socket *sock, unsigned int cmd, unsigned long arg)
{
	int err, n;

	if (cmd == SIOCUETCQ)
		return uet_cq_create((struct uet_cq_params __user *)arg);
	if (cmd == SIOCUETPOST)
		return uet_post(uet_sk(sock->sk), (struct uet_post __user *)arg);
	err = uet_prot_ioctl(sock->sk, cmd, &n);
	return err ?: put_user(n, (int __user *)arg);
}

#ifdef CONFIG_COMPAT
static int uet_compat_ioctl(struct socket *sock, unsigned int cmd,
			    unsigned long arg)
{
	return uet_ioctl(sock, cmd, (unsigned long)compat_ptr(arg));
}
#endif

#ifdef UET_SENDPAGE
static ssize_t uet_sendpage(struct socket *sock, struct page *page, int offset,
			    size_t size, int flags)
{
	struct bio_vec bvec = {
		.bv_page = page, .bv_offset = offset, .bv_len = size,
	};
	struct msghdr msg = { .msg_flags = flags & ~MSG_SENDPAGE_NOTLAST };

	if (flags & MSG_SENDPAGE_NOTLAST)
		msg.msg_flags |= MSG_MORE;
	iov_iter_bvec(&msg.msg_iter, WRITE, &bvec, 1, size);
	return uet_splice(sock, &msg, size);
}
#endif

static const struct proto_ops uet_ops = {
	/* Only MPTCP reads it; the family of sockets is in net_proto_family */
	.family		= PF_UET,
	.owner		= THIS_MODULE,
	.release	= uet_release,
	.bind		= uet_bind,
	.connect	= uet_connect,
	.socketpair	= sock_no_socketpair,
	.accept		= sock_no_accept,
	.getname	= uet_getname,
	.poll		= uet_poll,
	.ioctl		= uet_ioctl,
#ifdef CONFIG_COMPAT
	.compat_ioctl	= uet_compat_ioctl,
#endif
	.gettstamp	= sock_gettstamp,
	.listen		= sock_no_listen,
	.shutdown	= uet_shutdown,
	.setsockopt	= uet_setsockopt,
	.getsockopt	= uet_getsockopt,
	.sendmsg	= uet_sendmsg,
	.recvmsg	= uet_recvmsg,
	.mmap		= sock_no_mmap,
	.set_peek_off	= sk_set_peek_off,
	.splice_read	= uet_splice_read,
#ifdef UET_SENDPAGE
	.sendpage	= uet_sendpage,
#else
	.splice_eof	= uet_splice_eof,
#endif
};

/**
 * uet_sock_of() - the UET socket of a struct socket
 * @sock: any socket
 *
 * Return: the UET socket, or NULL if @sock is of another family.
 */
struct uet_sock *uet_sock_of(const struct socket *sock)
{
	return sock->ops == &uet_ops ? uet_sk(sock->sk) : NULL;
}

static void uet_write_space(struct sock *sk)
{
	struct socket_wq *wq;

	rcu_read_lock();
	wq = rcu_dereference(sk->sk_wq);
	/* TASK_NORMAL, as a sendmsg() that streams sleeps in TASK_KILLABLE. */
	if (skwq_has_sleeper(wq))
		__wake_up_sync_key(&wq->wait, TASK_NORMAL,
				   poll_to_key(EPOLLOUT | EPOLLWRNORM |
					       EPOLLWRBAND));
	sk_wake_async(sk, SOCK_WAKE_SPACE, POLL_OUT);
	rcu_read_unlock();
}

static void uet_sock_setup(struct uet_sock *us, struct net *net, int type)
{
	struct sock *sk = &us->sk;
	struct uet_net *un = uet_net(net);

	us->un = un;
	us->local.suet_family = uet_family;
	us->delivery = uet_type_delivery(type);
	us->tclass = -1;
	us->max_msg = UET_MSG_MAX;
	us->ka_idle = UET_KEEPALIVE_IDLE_MS;
	spin_lock_init(&us->dests_lock);
	spin_lock_init(&us->rudi_lock);
	INIT_LIST_HEAD(&us->rudi_msgs);
	INIT_LIST_HEAD(&us->dests);
	INIT_LIST_HEAD(&us->late);
	atomic64_set(&us->tx_wake_at, -1);
	mutex_init(&us->part_lock);
	uet_refused_init(us);
	uet_txpages_init(&us->tx_pages);
	uet_tx_expire_init(us);
	uet_rtr_init(us);
	init_llist_head(&us->tx_spare);
	atomic_set(&us->tx_nr_spare, 0);
	spin_lock_init(&us->rx_lock);
	INIT_LIST_HEAD(&us->rx_ready);
	INIT_LIST_HEAD(&us->rx_open);
	INIT_LIST_HEAD(&us->rx_granted);
	INIT_LIST_HEAD(&us->rx_mixed);
	INIT_LIST_HEAD(&us->rx_absent);
	INIT_LIST_HEAD(&us->rx_starved);
	us->rx_nacked_at = jiffies;
	us->rx_nacked_since = jiffies;
	us->rx_told_at = jiffies - HZ;
	us->rx_looked_at = jiffies;

	sk->sk_protocol = UETPROTO_UET;
	sk->sk_destruct = uet_sock_destruct;
	sk->sk_write_space = uet_write_space;
	/* The receive path takes no reference. */
	sock_set_flag(sk, SOCK_RCU_FREE);
	WRITE_ONCE(sk->sk_rcvbuf, READ_ONCE(un->sysctl.rmem));
	uet_rx_resize(us);
	WRITE_ONCE(sk->sk_sndbuf, READ_ONCE(un->sysctl.wmem));
}

static int uet_create(struct net *net, struct socket *sock, int protocol,
		      int kern)
{
	struct uet_net *un = uet_net(net);
	struct sock *sk, *owner = NULL;
	struct uet_account *acc;
	int err;

	if (protocol && protocol != UETPROTO_UET)
		return -EPROTONOSUPPORT;
	if (sock->type != SOCK_RDM && sock->type != SOCK_SEQPACKET &&
	    sock->type != SOCK_DGRAM)
		return -ESOCKTNOSUPPORT;
	err = uet_encap_get(un);
	if (err)
		return err;

	err = -ENOMEM;
	acc = uet_account_user(un, current_fsuid());
	if (!acc)
		goto err_encap;
	if (!kern) {
		err = uet_owner_new(net, &owner);
		if (err)
			goto err_account;
	}
	err = -ENOMEM;
	sk = sk_alloc(net, uet_family, GFP_KERNEL, &uet_prot, kern);
	if (!sk)
		goto err_owner;
	uet_sk(sk)->owner = owner;
	uet_sk(sk)->account = acc;
	atomic_inc(&un->socks);
	atomic_inc(&uet_socks);
	sock->ops = &uet_ops;
	/* io_uring: uet_send_zerocopy() */
	set_bit(SOCK_SUPPORT_ZC, &sock->flags);
	sock_init_data(sock, sk);
	uet_sk(sk)->inode = SOCK_INODE(sock)->i_ino;
	uet_sock_asks_us(sock);
	uet_sock_setup(uet_sk(sk), net, sock->type);
	if (owner)
		uet_owner_adopt(uet_sk(sk), sock);
	uet_untrack_enable(un);
	sock_prot_inuse_add(net, &uet_prot, 1);
	return 0;

err_owner:
	if (owner)
		sk_common_release(owner);
err_account:
	uet_account_put(acc);
err_encap:
	uet_encap_put(un);
	return err;
}

static struct net_proto_family uet_family_ops __ro_after_init = {
	.create	= uet_create,
	.owner	= THIS_MODULE,
};

/* Limits for pages of received data, all namespaces: sized as UDP's */
static void __init uet_proto_mem_init(void)
{
	unsigned long limit = max(nr_free_buffer_pages() / 8, 128UL);

	uet_sysctl_mem[0] = limit / 4 * 3;
	uet_sysctl_mem[1] = limit;
	uet_sysctl_mem[2] = uet_sysctl_mem[0] * 2;
}

/**
 * uet_sock_init() - register the protocol; sockets cannot be created yet
 *
 * Return: 0 or a negative errno.
 */
int __init uet_sock_init(void)
{
	if (uet_family <= AF_UNSPEC || uet_family >= AF_MAX)
		return -EINVAL;
	uet_family_ops.family = uet_family;
	uet_proto_mem_init();
	return proto_register(&uet_prot, 1);
}

/**
 * uet_sock_exit() - undo uet_sock_init()
 */
void uet_sock_exit(void)
{
	proto_unregister(&uet_prot);
}

/**
 * uet_sock_open() - register the family: allow creation of sockets
 *
 * Return: 0 or a negative errno.
 */
int __init uet_sock_open(void)
{
	return sock_register(&uet_family_ops);
}

/**
 * uet_sock_close() - undo uet_sock_open()
 */
void uet_sock_close(void)
{
	sock_unregister(uet_family);
}

/**
 * uet_sock_wait() - wait until all closed sockets are freed
 *
 * RCU callbacks free them. The barrier waits for the end of the callback that freed
 * the last one.
 *
 * Context: process, after the last namespace.
 */
void uet_sock_wait(void)
{
	wait_event(uet_socks_gone, !atomic_read(&uet_socks));
	rcu_barrier();
}
