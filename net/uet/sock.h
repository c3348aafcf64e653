/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The socket: an endpoint {netns, fabric address or any, job, PIDonFEP, RI}.
 *
 * What lives here: identity, bind and lookup, memory accounting, reports.
 * The packet delivery sublayer knows a socket only through struct uet_dest
 * (sending) and struct uet_rxmsg (receiving).
 *
 * Lock order, outermost first:
 *   sk lock (lock_sock; process context: bind, connect, options, readers)
 *     -> uet_net.job_lock
 *     -> uet_sock.dests_lock
 *       -> uet_flow.lock
 *     uet_pdc.rx.lock
 *       -> uet_sock.rx_lock
 * flow.lock and pdc.rx.lock are never held together. rx_lock is a leaf on the
 * receiving side, sk->sk_error_queue.lock a leaf everywhere.
 */
#ifndef _UET_SOCK_H
#define _UET_SOCK_H

#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/uet.h>
#include <net/sock.h>

#include "netns.h"

struct uet_dest;
struct uet_rxmsg;

/**
 * struct uet_job - the endpoints of one job in a namespace
 * @id: job id
 * @users: endpoints; protected by uet_net.job_lock
 * @eps: PIDonFEP << 12 | RI -> first struct uet_sock of that name (they
 *	differ in their address and are chained by ep_next)
 * @rcu: for freeing
 */
struct uet_job {
	u32			id;
	u32			users;
	struct xarray		eps;
	struct rcu_head		rcu;
};

/**
 * struct uet_sock - an AF_UET socket
 * @sk: must be first
 * @job: job id it is in or was allowed to enter (0 is everyone's)
 * @local: bound address; host byte order, suet_pid 0 while unbound
 * @bound: endpoint is in the table
 * @connected: @remote is valid
 * @remote: connected peer
 * @ep_next: next endpoint of the same {job, pid, ri}; RCU
 * @delivery: enum uet_delivery of new messages
 * @tclass: DSCP of requests, -1 = net.uet.dscp_data
 * @notify: report successes
 * @max_msg: longest message accepted
 * @cc: congestion control by name, empty = net.uet.congestion_control
 * @path_policy: path policy by name, empty = by sysctl
 * @tx_count: messages sent, the default cookie
 * @wmem: bytes of message data taken over and not yet released
 * @dests_lock: protects @dests, @last_dest and the us pointer of each dest
 * @dests: queues of this socket
 * @last_dest: the one used last, with a reference
 * @rx_lock: protects all below; BH-disabled. Nests in uet_pdc.rx.lock
 * @rx_ready: messages that a reader may take from, in order
 * @rx_open: messages not yet complete, oldest first
 * @rx_reserve: the message that owns the reserved half of the buffer
 * @rx_bytes: truesize of everything held for this socket
 * @rx_starved: target PDCs with refused packets for this socket
 */
struct uet_sock {
	struct sock		sk;

	u32			job;
	struct sockaddr_uet	local;
	struct sockaddr_uet	remote;
	bool			bound;
	bool			connected;
	struct uet_sock __rcu	*ep_next;

	u8			delivery;
	s8			tclass;
	bool			notify;
	u32			max_msg;
	char			cc[UET_NAME_MAX];
	char			path_policy[UET_NAME_MAX];

	atomic64_t		tx_count;
	atomic_t		wmem;

	spinlock_t		dests_lock;
	struct list_head	dests;
	struct uet_dest		*last_dest;

	spinlock_t		rx_lock ____cacheline_aligned_in_smp;
	struct list_head	rx_ready;
	struct list_head	rx_open;
	struct uet_rxmsg	*rx_reserve;
	u32			rx_bytes;
	struct list_head	rx_starved;
};

static inline struct uet_sock *uet_sk(const struct sock *sk)
{
	return (struct uet_sock *)sk;
}

extern struct proto uet_prot;
extern int uet_family;

/**
 * enum uet_lookup_fail - why no endpoint was found, an SES return code each
 */
enum uet_lookup_fail {
	UET_LOOKUP_JOB	= 1,	/* BAD_JOB_ID */
	UET_LOOKUP_PID,		/* BAD_PID */
	UET_LOOKUP_RI,		/* BAD_INDEX */
};

/* ep.c: the table of endpoints */
struct uet_sock *uet_ep_lookup(struct uet_net *un, const struct in6_addr *laddr,
			       int scope, u32 job, u16 pid, u16 ri,
			       enum uet_lookup_fail *why);
int uet_ep_bind(struct uet_sock *us, const struct sockaddr_uet *addr);
int uet_ep_autobind(struct uet_sock *us);
void uet_ep_unbind(struct uet_sock *us);

/* sock.c */
void uet_sock_report(struct uet_sock *us, const struct uet_report *rep,
		     const struct sockaddr_uet *peer);
void uet_sock_wfree(struct uet_sock *us, unsigned int bytes);

/* system calls */
int uet_sendmsg(struct socket *sock, struct msghdr *msg, size_t len);
int uet_recvmsg(struct socket *sock, struct msghdr *msg, size_t len, int flags);
__poll_t uet_poll(struct file *file, struct socket *sock,
		  struct poll_table_struct *wait);
int uet_setsockopt(struct socket *sock, int level, int optname,
		   sockptr_t optval, unsigned int optlen);
int uet_getsockopt(struct socket *sock, int level, int optname,
		   char __user *optval, int __user *optlen);

#endif /* _UET_SOCK_H */
