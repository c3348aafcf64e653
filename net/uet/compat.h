/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The seams between the supported kernels (6.1 to 6.12), all of them. The
 * rest of the module is written for the newest one. Where the compiler can
 * tell which shape a function has, it is asked instead of the version, since
 * distributions port changes back.
 */
#ifndef _UET_COMPAT_H
#define _UET_COMPAT_H

#include <linux/slab.h>
#include <linux/sysctl.h>
#include <linux/version.h>
#include <net/net_namespace.h>
#include <net/sock.h>

/* The table argument of a sysctl handler is const since 6.11 */
typedef typeof(_Generic(&proc_dointvec,
			int (*)(const struct ctl_table *, int, void *,
				size_t *, loff_t *) :
				(const struct ctl_table *)NULL,
			default : (struct ctl_table *)NULL)) uet_ctl_table_p;

/* Tables have a size since 6.6, and may not end with an empty entry since
 * 6.11. Callers keep an empty entry behind the @n they count.
 */
static inline struct ctl_table_header *
uet_register_net_sysctl(struct net *net, const char *path,
			struct ctl_table *table, size_t n)
{
#ifdef register_net_sysctl
	return register_net_sysctl_sz(net, path, table, n);
#else
	return register_net_sysctl(net, path, table);
#endif
}

/* The message argument is gone since 6.2 */
typedef int (*uet_cmsg_send_old_t)(struct sock *sk, struct msghdr *msg,
				   struct cmsghdr *cmsg,
				   struct sockcm_cookie *sockc);
typedef int (*uet_cmsg_send_new_t)(struct sock *sk, struct cmsghdr *cmsg,
				   struct sockcm_cookie *sockc);

static inline int uet_cmsg_call_old(uet_cmsg_send_old_t fn, struct sock *sk,
				    struct msghdr *msg, struct cmsghdr *cmsg,
				    struct sockcm_cookie *sockc)
{
	return fn(sk, msg, cmsg, sockc);
}

static inline int uet_cmsg_call_new(uet_cmsg_send_new_t fn, struct sock *sk,
				    struct msghdr *msg, struct cmsghdr *cmsg,
				    struct sockcm_cookie *sockc)
{
	return fn(sk, cmsg, sockc);
}

#define uet_sock_cmsg_send(sk, msg, cmsg, sockc)			\
	_Generic(&__sock_cmsg_send,					\
		 uet_cmsg_send_old_t : uet_cmsg_call_old,		\
		 uet_cmsg_send_new_t : uet_cmsg_call_new)		\
		(&__sock_cmsg_send, sk, msg, cmsg, sockc)

/* Since 6.5; without it caches share slabs, and what is left in them when it
 * should be empty cannot be told
 */
#ifndef SLAB_NO_MERGE
#define SLAB_NO_MERGE	0
#endif

/* 6.2: encap_err_rcv() gets the error and what follows the UDP header */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
#define UET_ENCAP_ERR_RCV(name)						\
	static void name(struct sock *sk, struct sk_buff *skb,		\
			 unsigned int udp_offset)
#else
#define UET_ENCAP_ERR_RCV(name)						\
	static void name(struct sock *sk, struct sk_buff *skb, int err,	\
			 __be16 port, u32 info, u8 *payload)
#endif

#endif /* _UET_COMPAT_H */
