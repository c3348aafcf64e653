/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The only place that knows kernel versions. The code is written to the
 * newest supported kernel; this file gives older ones its shape.
 */
#ifndef _UET_COMPAT_H
#define _UET_COMPAT_H

#include <linux/version.h>

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
