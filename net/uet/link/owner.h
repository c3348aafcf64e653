/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Owner sockets: skb->sk of the packets of an AF_UET socket.
 */
#ifndef _UET_OWNER_H
#define _UET_OWNER_H

#include <linux/bpf-cgroup.h>
#include <linux/skbuff.h>
#include <net/sock.h>

#include "sock.h"

int uet_owner_new(struct net *net, struct sock **owner);
void uet_owner_adopt(struct uet_sock *us, struct socket *sock);
void uet_owner_leave(struct uet_sock *us);
void uet_owner_sync(struct uet_sock *us);

/**
 * uet_owner_mark() - set the owner socket of a packet
 * @skb: packet, without a socket
 * @owner: uet_sock.owner, or NULL
 *
 * The packet is not charged: the data of its message is, until it is ACKed.
 *
 * Context: any, with a reference to the owner.
 */
static inline void uet_owner_mark(struct sk_buff *skb, struct sock *owner)
{
	if (unlikely(!owner))
		return;
	sock_hold(owner);
	skb->sk = owner;
	skb->destructor = sock_efree;
}

/**
 * uet_owner_denies() - run the control group's ingress programs on a packet
 * @us: the socket
 * @skb: the packet, its network header set
 *
 * Context: softirq, RCU read side.
 * Return: true if a program drops it.
 */
static inline bool uet_owner_denies(const struct uet_sock *us,
				    struct sk_buff *skb)
{
	struct sock *owner = us->owner;

	return owner && BPF_CGROUP_RUN_PROG_INET_INGRESS(owner, skb);
}

#endif /* _UET_OWNER_H */
