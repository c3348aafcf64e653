/* SPDX-License-Identifier: GPL-2.0 */
/*
 * All differences between the supported kernels (6.1 to 7.3). The rest of the
 * module is written for the newest one. Where possible this tests for a macro
 * instead of the version, since distributions backport changes.
 */
#ifndef _UET_COMPAT_H
#define _UET_COMPAT_H

#include <linux/hrtimer.h>
#include <linux/ipv6.h>
#include <linux/net.h>
#include <linux/netdevice.h>
#include <linux/slab.h>
#include <linux/sysctl.h>
#include <linux/timer.h>
#include <linux/uio.h>
#include <linux/version.h>
#include <net/busy_poll.h>
#include <net/genetlink.h>
#include <net/ip6_fib.h>
#ifdef UET_IPV6_STUBS
#include <net/ipv6_stubs.h>
#endif
#include <net/net_namespace.h>
#include <net/route.h>
#include <net/sock.h>
#include <net/udp_tunnel.h>
#if KERNEL_VERSION(6, 9, 0) <= LINUX_VERSION_CODE
#include <net/hotdata.h>
#endif

/* 6.11: the table argument of a sysctl handler is const */
#if KERNEL_VERSION(6, 11, 0) > LINUX_VERSION_CODE
#define uet_ctl_table_const
#else
#define uet_ctl_table_const	const
#endif

/* 6.6: tables have a size; 6.11: they may not end with an empty entry. Callers
 * keep an empty entry behind the @n they count.
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

/* 6.19: addresses given to a protocol have no size of their own */
#if KERNEL_VERSION(6, 19, 0) > LINUX_VERSION_CODE
#define uet_sockaddr		sockaddr
#else
#define uet_sockaddr		sockaddr_unsized
#endif

/* 7.x: without a module IPv6 needs no table of its functions, and has exported this one
 * for another module
 */
static inline int uet_fib6_lookup(struct net *net, int oif, struct flowi6 *fl6,
				  struct fib6_result *res, int flags)
{
#ifdef UET_IPV6_STUBS
	return ipv6_stub->fib6_lookup(net, oif, fl6, res, flags);
#elif defined(MODULE) && !IS_MODULE(CONFIG_NFT_FIB_IPV6)
#error "uet needs fib6_lookup(), which is exported with CONFIG_NFT_FIB_IPV6=m"
#else
	return ipv6_mod_enabled() ? fib6_lookup(net, oif, fl6, res, flags) :
				    -EAFNOSUPPORT;
#endif
}

/* 7.x: a UDP tunnel is known by its struct sock */
static inline void *uet_tunnel(struct socket *sock)
{
	return __same_type(udp_tunnel_sock_release, void (struct sock *)) ?
	       (void *)sock->sk : (void *)sock;
}

/* 6.13: a timer is set up with its function */
static inline void uet_hrtimer_setup(struct hrtimer *timer,
				     enum hrtimer_restart (*function)(struct hrtimer *))
{
#if KERNEL_VERSION(6, 13, 0) > LINUX_VERSION_CODE
	hrtimer_init(timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_SOFT);
	timer->function = function;
#else
	hrtimer_setup(timer, function, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_SOFT);
#endif
}

/* 6.16: another name */
#ifndef timer_container_of
#define timer_container_of	from_timer
#endif

/* 6.5: splice() to a socket is a flag of sendmsg(), before it was sendpage(); and the
 * socket is told when a file ends before sendfile() expected it
 */
#if KERNEL_VERSION(6, 5, 0) > LINUX_VERSION_CODE
#ifndef MSG_SPLICE_PAGES
#define MSG_SPLICE_PAGES	0
#endif
#define UET_SENDPAGE
#endif

/* 6.4: the vector of an iterator has an accessor */
static inline const struct iovec *uet_iter_iov(const struct iov_iter *iter)
{
#if KERNEL_VERSION(6, 4, 0) > LINUX_VERSION_CODE
	return iter->iov;
#else
	return iter_iov(iter);
#endif
}

/* 6.2: the message argument is gone */
static inline int uet_sock_cmsg_send(struct sock *sk, struct msghdr *msg,
				     struct cmsghdr *cmsg,
				     struct sockcm_cookie *sockc)
{
#if KERNEL_VERSION(6, 2, 0) > LINUX_VERSION_CODE
	return __sock_cmsg_send(sk, msg, cmsg, sockc);
#else
	return __sock_cmsg_send(sk, cmsg, sockc);
#endif
}

/* 6.5: without it caches share slabs, and leaked objects are not reported */
#ifndef SLAB_NO_MERGE
#define SLAB_NO_MERGE	0
#endif

/* 6.9: many tunables of the stack moved together */
static inline int uet_max_backlog(void)
{
#if KERNEL_VERSION(6, 9, 0) > LINUX_VERSION_CODE
	return READ_ONCE(netdev_max_backlog);
#else
	return READ_ONCE(net_hotdata.max_backlog);
#endif
}

/* 6.10: a device that is none, for NAPI instances without one */
static inline struct net_device *uet_dummy_netdev(void)
{
#if KERNEL_VERSION(6, 10, 0) > LINUX_VERSION_CODE
	struct net_device *dev = kzalloc(sizeof(*dev), GFP_KERNEL);

	if (dev)
		init_dummy_netdev(dev);
	return dev;
#else
	return alloc_netdev_dummy(0);
#endif
}

static inline void uet_free_dummy_netdev(struct net_device *dev)
{
#if KERNEL_VERSION(6, 10, 0) > LINUX_VERSION_CODE
	kfree(dev);
#else
	free_netdev(dev);
#endif
}

/* The NAPI instance whose poll function received the packet, 0 = none */
static inline u32 uet_skb_napi_id(const struct sk_buff *skb)
{
#ifdef CONFIG_NET_RX_BUSY_POLL
	/* Smaller numbers are those of CPUs. */
	return skb->napi_id >= MIN_NAPI_ID ? skb->napi_id : 0;
#else
	return 0;
#endif
}

/* Was the packet received by a device's NAPI poll function? */
static inline bool uet_skb_polled(const struct sk_buff *skb)
{
	return uet_skb_napi_id(skb);
}

/* Note the NAPI instance for SO_BUSY_POLL, poll() and epoll_wait(); 0 = none */
static inline void uet_sk_mark_napi(struct sock *sk, u32 napi_id)
{
#ifdef CONFIG_NET_RX_BUSY_POLL
	if (unlikely(napi_id && READ_ONCE(sk->sk_napi_id) != napi_id))
		WRITE_ONCE(sk->sk_napi_id, napi_id);
#endif
}

/* 6.12: IPv4 route lookups use all bits of a DSCP, before that the lower three; 6.18:
 * a flow has a type for it
 */
#if KERNEL_VERSION(6, 12, 0) > LINUX_VERSION_CODE
#define UET_FLOW4_DSCP(dscp)	.flowi4_tos = ((dscp) << 2) & IPTOS_RT_MASK
#elif KERNEL_VERSION(6, 18, 0) > LINUX_VERSION_CODE
#define UET_FLOW4_DSCP(dscp)	.flowi4_tos = (dscp) << 2
#else
#define UET_FLOW4_DSCP(dscp)	.flowi4_dscp = inet_dsfield_to_dscp((dscp) << 2)
#endif

/* 6.5 and 6.12: options that do not concern these sockets */
#ifndef SO_PASSPIDFD
#define SO_PASSPIDFD		76
#endif
#ifndef SO_DEVMEM_DONTNEED
#define SO_DEVMEM_DONTNEED	80
#endif

/* Have SOL_SOCKET options passed to uet_setsockopt(); 6.1 does so for MPTCP only. The
 * flag is no macro everywhere.
 */
#if defined(SOCK_CUSTOM_SOCKOPT) || KERNEL_VERSION(6, 12, 0) <= LINUX_VERSION_CODE
#define UET_CUSTOM_SOCKOPT
#endif

static inline void uet_sock_asks_us(struct socket *sock)
{
#ifdef UET_CUSTOM_SOCKOPT
	set_bit(SOCK_CUSTOM_SOCKOPT, &sock->flags);
#endif
}

/* 6.5: io_uring asks the protocol (6.7), and the answer has this form */
#if KERNEL_VERSION(6, 5, 0) <= LINUX_VERSION_CODE
#define UET_PROT_IOCTL
#endif

/* 6.2 and 6.8: further reasons to drop a packet */
#if KERNEL_VERSION(6, 2, 0) > LINUX_VERSION_CODE
#define SKB_DROP_REASON_DUP_FRAG	SKB_DROP_REASON_NOT_SPECIFIED
#endif
#if KERNEL_VERSION(6, 8, 0) > LINUX_VERSION_CODE
#define SKB_DROP_REASON_QUEUE_PURGE	SKB_DROP_REASON_NOT_SPECIFIED
#endif

/* Ranges of policies are constant since then */
#if KERNEL_VERSION(6, 7, 0) > LINUX_VERSION_CODE
#undef NLA_POLICY_FULL_RANGE
#define NLA_POLICY_FULL_RANGE(tp, _range) {				\
	.type = NLA_ENSURE_UINT_OR_BINARY_TYPE(tp),			\
	.validation_type = NLA_VALIDATE_RANGE_PTR,			\
	.range = (struct netlink_range_validation *)(_range),		\
}
#endif

/* 6.7: the attributes of a dump are those of its struct genl_info */
static inline struct nlattr **uet_genl_dump_attrs(struct netlink_callback *cb)
{
#if KERNEL_VERSION(6, 7, 0) > LINUX_VERSION_CODE
	return genl_dumpit_info(cb)->attrs;
#else
	return genl_dumpit_info(cb)->info.attrs;
#endif
}

/* 6.16: memory of devices can be sent */
static inline struct ubuf_info *uet_zerocopy_alloc(struct sock *sk, size_t size)
{
#if KERNEL_VERSION(6, 16, 0) > LINUX_VERSION_CODE
	return msg_zerocopy_realloc(sk, size, NULL);
#else
	return msg_zerocopy_realloc(sk, size, NULL, false);
#endif
}

/* 6.10: notifications of pages have a table of functions, before that one function */
#if KERNEL_VERSION(6, 10, 0) > LINUX_VERSION_CODE
struct ubuf_info_ops {
	void (*complete)(struct sk_buff *skb, struct ubuf_info *ubuf, bool success);
};
#endif

static inline void uet_ubuf_set_ops(struct ubuf_info *ubuf,
				    const struct ubuf_info_ops *ops)
{
#if KERNEL_VERSION(6, 10, 0) > LINUX_VERSION_CODE
	ubuf->callback = ops->complete;
#else
	ubuf->ops = ops;
#endif
}

static inline bool uet_ubuf_has_ops(const struct ubuf_info *ubuf,
				    const struct ubuf_info_ops *ops)
{
#if KERNEL_VERSION(6, 10, 0) > LINUX_VERSION_CODE
	return ubuf->callback == ops->complete;
#else
	return ubuf->ops == ops;
#endif
}

/* 6.17: the names of the queues say where work runs */
#if KERNEL_VERSION(6, 17, 0) > LINUX_VERSION_CODE
#define system_percpu_wq	system_wq
#define system_dfl_wq		system_unbound_wq
#endif

#endif /* _UET_COMPAT_H */
