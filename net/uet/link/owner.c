// SPDX-License-Identifier: GPL-2.0
/*
 * Owner sockets: skb->sk of the packets of an AF_UET socket.
 *
 * Firewall rules by owner and BPF programs of control groups look at skb->sk, the
 * latter only if it is an IPv4 or IPv6 socket. So each AF_UET socket has a UDP
 * socket as its owner, never bound, hashed or visible. It has the control group of
 * the creator of the AF_UET socket and, while that is open, its file. An IPv6
 * socket serves both families. Its error queue has the completions of MSG_ZEROCOPY.
 *
 * The owner outlives the AF_UET socket: messages under way hold it, so that closing
 * does not evade rules of the control group, and so do queued packets. Its
 * destructor is in the kernel (sock_efree()), so the module can be unloaded
 * meanwhile. As a kernel socket it does not hold its namespace, which may exit with
 * packets queued, even at a device of another namespace. Newer kernels keep the
 * memory of the namespace; in older ones nothing looks at the namespace of queued
 * packets, as with the kernel's own sockets (neighbour discovery).
 */
#include <linux/net.h>
#include <linux/udp.h>

#include "link/encap.h"
#include "link/owner.h"
#include "sock.h"

/**
 * uet_owner_new() - make an owner socket
 * @net: namespace
 * @owner: set to it, with a reference
 *
 * Context: process, current is the owner.
 * Return: 0 or a negative errno.
 */
int uet_owner_new(struct net *net, struct sock **owner)
{
	struct socket *sock;
	struct sock *sk;
	int err;

	err = sock_create_kern(net, AF_INET6, SOCK_DGRAM, IPPROTO_UDP, &sock);
	/* IPv6 may be disabled at boot. */
	if (err == -EAFNOSUPPORT)
		err = sock_create_kern(net, AF_INET, SOCK_DGRAM, IPPROTO_UDP,
				       &sock);
	if (err)
		return err;
	sk = sock->sk;
	sock_orphan(sk);
	sock->sk = NULL;
	sock_release(sock);
	/* A packet may drop the last reference, in the middle of IP. */
	sock_set_flag(sk, SOCK_RCU_FREE);
	/* For uet_encap_owns(); nothing is ever received. */
	WRITE_ONCE(udp_sk(sk)->encap_rcv, uet_encap_ops->rcv);
	*owner = sk;
	return 0;
}

/**
 * uet_owner_adopt() - give an owner socket the file, the user and those who wait of its
 *	AF_UET socket
 * @us: the UET socket, with uet_sock.owner
 * @sock: its struct socket
 *
 * Context: process.
 */
void uet_owner_adopt(struct uet_sock *us, struct socket *sock)
{
	struct sock *owner = us->owner;

	write_lock_bh(&owner->sk_callback_lock);
	sk_set_socket(owner, sock);
	/* What comes to its error queue wakes those who wait for the AF_UET socket. */
	rcu_assign_pointer(owner->sk_wq, &sock->wq);
	sock_set_flag(owner, SOCK_FASYNC);
	sock_reset_flag(owner, SOCK_DEAD);
	owner->sk_uid = us->sk.sk_uid;
	write_unlock_bh(&owner->sk_callback_lock);
}

/**
 * uet_owner_leave() - detach the owner from an AF_UET socket that closes
 * @us: the UET socket
 *
 * The owner loses the file; messages under way keep its control group.
 *
 * Context: process.
 */
void uet_owner_leave(struct uet_sock *us)
{
	struct sock *owner = us->owner;

	if (!owner)
		return;
	/* First, as sk_common_release() must not touch the file's struct socket */
	sock_orphan(owner);
	sock_hold(owner);
	sk_common_release(owner);
}

/**
 * uet_owner_sync() - copy the socket options that firewall rules may match
 * @us: the UET socket
 *
 * Context: process.
 */
void uet_owner_sync(struct uet_sock *us)
{
	struct sock *owner = us->owner;

	if (!owner)
		return;
	WRITE_ONCE(owner->sk_mark, READ_ONCE(us->sk.sk_mark));
	WRITE_ONCE(owner->sk_priority, READ_ONCE(us->sk.sk_priority));
	WRITE_ONCE(owner->sk_bound_dev_if, READ_ONCE(us->sk.sk_bound_dev_if));
}
