/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The socket that packets of a UET socket belong to.
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
 * uet_owner_mark() - whose packet it is
 * @skb: packet, of nobody yet
 * @owner: uet_sock.owner, or NULL
 *
 * What is on the way counts for no buffer: data of messages does, until the peer
 * has it.
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
 * uet_owner_refuses() - may a socket not have a packet?
 * @us: the socket
 * @skb: the packet, its network header set
 *
 * What a control group says of packets that sockets of its members receive.
 *
 * Context: softirq, RCU read side.
 * Return: true if a program wants it dropped.
 */
static inline bool uet_owner_refuses(const struct uet_sock *us,
				     struct sk_buff *skb)
{
	struct sock *owner = us->owner;

	return owner && BPF_CGROUP_RUN_PROG_INET_INGRESS(owner, skb);
}

#endif /* _UET_OWNER_H */
