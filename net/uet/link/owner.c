// SPDX-License-Identifier: GPL-2.0
/*
 * The socket that packets of a UET socket belong to.
 *
 * Firewalls that ask whose packet it is, and BPF programs of control groups, look
 * at skb->sk, and the latter only if it is a socket of IPv4 or IPv6. So each UET
 * socket has one of UDP, which is never bound, hashed or seen: it has the control
 * group of who made the UET socket and, as long as that one is open, its file. A
 * socket of IPv6 does for both families, as one with mapped addresses would.
 *
 * It outlives the UET socket: in its messages that are under way, so that closing
 * evades no rule of the control group, and in packets that wait in a queue. These
 * hold a reference and point to nothing of this module (sock_efree()), which can
 * be unloaded. As a socket of the kernel it does not hold its namespace, which
 * can go away with packets waiting, even in the queue of a device of another
 * namespace. It holds the namespace's memory in newer kernels; in older ones it is
 * as with the stack's own sockets, of neighbour discovery for one: nobody asks for
 * the namespace of what has waited.
 */
#include <linux/net.h>
#include <linux/udp.h>

#include "link/encap.h"
#include "link/owner.h"
#include "sock.h"

/**
 * uet_owner_new() - make one
 * @net: namespace
 * @owner: gets it, with a reference
 *
 * Context: process, of who is to own.
 * Return: 0 or a negative errno.
 */
int uet_owner_new(struct net *net, struct sock **owner)
{
	struct socket *sock;
	struct sock *sk;
	int err;

	err = sock_create_kern(net, AF_INET6, SOCK_DGRAM, IPPROTO_UDP, &sock);
	/* IPv6 may be switched off when the kernel boots. */
	if (err == -EAFNOSUPPORT)
		err = sock_create_kern(net, AF_INET, SOCK_DGRAM, IPPROTO_UDP,
				       &sock);
	if (err)
		return err;
	sk = sock->sk;
	sock_orphan(sk);
	sock->sk = NULL;
	sock_release(sock);
	/* A packet may be the last that knows it, in the middle of IP. */
	sock_set_flag(sk, SOCK_RCU_FREE);
	/* For uet_encap_owns(); nothing is ever received. */
	WRITE_ONCE(udp_sk(sk)->encap_rcv, uet_encap_ops->rcv);
	*owner = sk;
	return 0;
}

/**
 * uet_owner_adopt() - a UET socket is what it stands for
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
	owner->sk_uid = us->sk.sk_uid;
	write_unlock_bh(&owner->sk_callback_lock);
}

/**
 * uet_owner_leave() - the UET socket closes
 * @us: the UET socket
 *
 * Its file is not to be used any more. Messages under way go on to belong to its
 * control group.
 *
 * Context: process.
 */
void uet_owner_leave(struct uet_sock *us)
{
	struct sock *owner = us->owner;

	if (!owner)
		return;
	/* Ahead of the rest, which would take the file's socket for its own */
	sock_orphan(owner);
	sock_hold(owner);
	sk_common_release(owner);
}

/**
 * uet_owner_sync() - take options over that rules may ask for
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
