/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The socket: an endpoint {netns, fabric address or any, job, PIDonFEP, RI}.
 *
 * Not here: its system calls (sock/), what it sends (struct uet_dest, tx/msg/wmem.c),
 * what it receives (struct uet_rxmsg) and the table of endpoints (rx/ses/ep.c).
 *
 * Lock order, outermost first:
 *   uet_sock.part_lock (process context: sends of parts; inside pipe->mutex)
 *   sk lock (lock_sock; process context: bind, connect, options, readers)
 *     -> uet_net.job_lock
 *     -> uet_sock.dests_lock
 *       -> uet_flow.lock
 *     uet_pdc_rx.lock
 *       -> uet_sock.rx_lock
 *         -> uet_watches.queue_lock
 * flow.lock and pdc_rx.lock are never held together. uet_watches.queue_lock and
 * sk->sk_error_queue.lock are leaves everywhere.
 */
#ifndef _UET_SOCK_H
#define _UET_SOCK_H

#include <linux/list.h>
#include <linux/llist.h>
#include <linux/mm_types.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/sched/mm.h>
#include <linux/spinlock.h>
#include <linux/timer.h>
#include <linux/uet.h>
#include <linux/workqueue.h>
#include <net/sock.h>

#include "base.h"
#include "core/snd/refused.h"

struct uet_cq;
struct uet_dest;
struct uet_part;
struct uet_rxmsg;
struct uet_rxposts;
struct uet_watches;

/* Pages kept for reuse: 4 MiB of 32 KiB each */
#define UET_TXPAGES		128

/**
 * struct uet_txpages - full pages of message data, kept for reuse
 * @lock: of all below; BH-disabled, a leaf
 * @first: oldest of @ring
 * @nr: pages in @ring
 * @bytes: their size, charged to the namespace
 * @used: a message was written since the timer last ran
 * @ring: the pages, each with a reference, oldest first
 * @timer: frees the pages of an idle socket
 */
struct uet_txpages {
	spinlock_t		lock;	/* of all below */
	u16			first;
	u16			nr;
	bool			used;
	unsigned long		bytes;
	struct page		*ring[UET_TXPAGES];
	struct timer_list	timer;
};

/**
 * struct uet_job - the endpoints of one job in a namespace
 * @id: job id
 * @users: endpoints; protected by uet_net.job_lock
 * @eps: PIDonFEP << 12 | RI -> first struct uet_sock (those with the same key
 *	differ in address or device and are chained by ep_next)
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
 * @un: namespace
 * @account: account of its creator, with a reference
 * @owner: skb->sk of its packets (link/owner.c), with a reference; has the completions
 *	of MSG_ZEROCOPY; NULL if the kernel created it
 * @job: job id it is in or may enter (0 is everyone's)
 * @local: bound address; host byte order, suet_pid 0 while unbound
 * @inode: inode number of the file
 * @bound: endpoint is in the table
 * @id: its id in uet_net.ep_ids, if @bound
 * @generation: tells it from earlier endpoints of the same address; never 0
 * @connected: @remote is valid
 * @remote: connected peer
 * @ep_next: next endpoint of the same {job, pid, ri}; RCU
 * @delivery: enum uet_delivery of new messages
 * @pktinfo: recvmsg() tells UET_CMSG_PKTINFO
 * @tclass: DSCP of requests, -1 = net.uet.dscp_data
 * @notify: enum uet_notify
 * @max_msg: longest message accepted
 * @defer_min: unordered messages of so many bytes are deferrable, 0 = none are
 * @send_timeout: lifetime of a message, ms, 0 = no limit
 * @cc: name of the congestion control, "" = net.uet.congestion_control
 * @path_policy: name of the path policy, "" = by sysctl
 * @tx_count: messages sent, the default cookie
 * @zerocopies: sends with MSG_ZEROCOPY so far, the id of the next one
 * @wmem: messages queued and not done << 32 | bytes of their data not yet released
 * @tx_wake_at: wake senders when the buffer use falls to this, -1 = nobody waits
 * @tx_waits: calls that wait for room; @dests_lock, as is @tx_waits_at
 * @tx_waits_at: since when there is one, jiffies
 * @refused: sends that got EAGAIN, by destination; @dests_lock, but for its number
 * @refused_others: stands in it for those whose queue was dropped
 * @refused_owner: stands in it for datagrams and writes, which wait for room at @owner
 * @refused_timer: poll() must look at @refused again
 * @tx_pages: pages for message data
 * @tx_spare: finished messages kept for reuse; taken under @dests_lock
 * @tx_nr_spare: approximate length of @tx_spare
 * @nr_ops: posted sends that have not ended
 * @part_lock: protects @part. A mutex
 * @part: message that several calls put together (sock/sendpart.c), or NULL
 * @part_bytes: charged to @wmem for it
 * @expire_work: looks for messages whose lifetime is over
 * @expire_at: when it must run, ns; 0 = need not; changes under @dests_lock
 * @watches: destinations it watches, or NULL; set under the socket lock
 * @peer_events: reports of peers that it talked to; changes under the socket lock and
 *	uet_watches.queue_lock
 * @keepalive: SO_KEEPALIVE: probe them
 * @ka_idle: ms of silence before the first probe
 * @ka_interval: ms between probes, 0 = @ka_idle
 * @ka_timeout: ms that a probe may take, 0 = net.uet.peer_timeout_s
 * @reports: bytes of reports on the error queue and of @late; sk_error_queue.lock
 * @late: messages whose report had no memory, to be made when it is read, oldest
 *	first; sk_error_queue.lock
 * @dests_lock: protects @dests, @last_dest, @conn_dest, @refused, @batch and the us
 *	pointer of each dest
 * @dests: queues of this socket, last used first
 * @nr_dests: length of @dests
 * @last_dest: the queue used last, one of @dests
 * @conn_dest: the queue that messages to @remote used last, one of @dests
 * @dgram_genid: uet_datagram_genid() when @dgram_peer was chosen; as that
 * @dgram_peer: the peer that datagrams went to last, with a reference, or NULL;
 *	@dests_lock
 * @dgram_laddr: own address that was asked for, with @dgram_peer
 * @rudi_lock: of @rudi_msgs; BH-disabled; nests in uet_rudi.lock
 * @rudi_msgs: struct uet_rudi_msg that are not answered
 * @window_key: key of its window, 0 = it has none; changes under the socket lock and
 *	@rx_lock, as does @window_len
 * @window_len: size of the window, bytes
 * @batch: queue whose newest messages wait for others of the same sendmmsg(), one of
 *	@dests; NULL: none does
 * @rx_lock: protects all below; BH-disabled. Nests in uet_pdc_rx.lock
 * @rx_ready: messages that a reader may take from, in order
 * @rx_open: messages not yet complete, without a right to the reserved half
 *	of the buffer, oldest first
 * @rx_absent: like @rx_open, but passed over as silent
 * @rx_granted: messages not yet complete, with such a right; few
 * @rx_mixed: messages with a right, of an ordered PDC that has one in @rx_granted
 * @rx_bytes: truesize of everything held for this socket
 * @rx_granted_bytes: the part of it held by messages in @rx_granted and @rx_mixed
 * @rx_mixed_bytes: the part of it held by messages in @rx_mixed
 * @rx_ready_bytes: the part of it held by messages in @rx_ready
 * @rx_freed: bytes freed by readers since a packet was last NACKed
 * @rx_half: half of the receive buffer, bytes; what SO_RCVBUF says comes to count
 *	with the next packet, see uet_rxroom_resize(). Also read without the lock
 * @rx_nr_granted: length of @rx_granted
 * @rx_nr_mixed: length of @rx_mixed
 * @rx_mixed_line: uet_rxmsg.line of @rx_mixed, valid if @rx_nr_mixed > 0
 * @rx_nacked: a packet or message was NACKed for shortage
 * @rx_nacked_at: when one was last NACKed, jiffies
 * @rx_nacked_since: start of the current series of such NACKs, jiffies
 * @rx_told_at: when listeners were last told that it has no room, jiffies
 * @rx_looked_at: when all lists were last searched for a message to give up, jiffies
 * @rx_closed: nothing is accepted and nothing may be added to @rx_starved
 * @rx_starved: PDCs with packets NACKed for shortage at this socket
 * @defers: messages that were deferred, struct uet_defer_note
 * @nr_defers: length of @defers; also read without the lock
 * @defer_id: token of the newest one
 * @defer_told: bytes set aside for those that their sources were asked for
 * @rtrs: requests for them that are under way, struct uet_rtr_sent; of @rtr_work
 * @rtr_work: asks for them
 * @rx_spare: a message struct kept for reuse; changes atomically
 * @posts: receives posted ahead, NULL without @cq; set once
 * @cq: completion queue, with a reference, or NULL; set once, after @posts
 */
struct uet_sock {
	struct sock		sk;
	struct uet_net		*un;
	struct uet_account	*account;
	struct sock		*owner;

	u32			job;
	u64			inode;
	u64			id;
	struct sockaddr_uet	local;
	struct sockaddr_uet	remote;
	bool			bound;
	bool			connected;
	u8			generation;
	struct uet_sock __rcu	*ep_next;

	u8			delivery;
	bool			pktinfo;
	s8			tclass;
	u8			notify;
	u32			max_msg;
	u32			defer_min;
	u32			send_timeout;
	char			cc[UET_NAME_MAX];
	char			path_policy[UET_NAME_MAX];

	atomic64_t		tx_count;
	atomic_t		zerocopies;
	atomic64_t		wmem;
	atomic64_t		tx_wake_at;
	u32			tx_waits;
	unsigned long		tx_waits_at;
	struct uet_refusals	refused;
	struct uet_refusal	refused_others;
	struct uet_refusal	refused_owner;
	struct timer_list	refused_timer;
	u32			reports;
	struct list_head	late;
	struct uet_txpages	tx_pages;
	struct llist_head	tx_spare;
	atomic_t		tx_nr_spare;
	atomic_t		nr_ops;
	struct mutex		part_lock;	/* part, part_bytes */
	struct uet_part		*part;
	u32			part_bytes;
	struct delayed_work	expire_work;
	u64			expire_at;
	struct uet_watches	*watches;
	bool			peer_events;
	bool			keepalive;
	u32			ka_idle;
	u32			ka_interval;
	u32			ka_timeout;

	spinlock_t		dests_lock;	/* dests, connected, remote */
	struct list_head	dests;
	u32			nr_dests;
	struct uet_dest		*last_dest;
	struct uet_dest		*conn_dest;
	struct uet_dest		*batch;
	struct uet_peer		*dgram_peer;
	struct in6_addr		dgram_laddr;
	int			dgram_genid;
	spinlock_t		rudi_lock;	/* of rudi_msgs */
	struct list_head	rudi_msgs;
	u64			window_key;
	u64			window_len;

	spinlock_t		rx_lock ____cacheline_aligned_in_smp;
	struct list_head	rx_ready;
	struct list_head	rx_open;
	struct list_head	rx_absent;
	struct list_head	rx_granted;
	struct list_head	rx_mixed;
	unsigned long		rx_bytes;
	unsigned long		rx_granted_bytes;
	unsigned long		rx_mixed_bytes;
	unsigned long		rx_mixed_line;
	unsigned long		rx_ready_bytes;
	unsigned long		rx_freed;
	unsigned long		rx_nacked_at;
	unsigned long		rx_nacked_since;
	unsigned long		rx_told_at;
	unsigned long		rx_looked_at;
	u32			rx_half;
	u32			rx_nr_granted;
	u32			rx_nr_mixed;
	bool			rx_nacked;
	bool			rx_closed;
	struct list_head	rx_starved;
	struct list_head	defers;
	u32			nr_defers;
	u32			defer_id;
	u64			defer_told;
	struct list_head	rtrs;
	struct delayed_work	rtr_work;
	struct uet_rxmsg	*rx_spare;
	struct uet_rxposts	*posts;
	struct uet_cq		*cq;
};

/* Delivery mode of a socket type */
static inline u8 uet_type_delivery(int type)
{
	switch (type) {
	case SOCK_RDM:
		return UET_RUD;
	case SOCK_DGRAM:
		return UET_UUD;
	default:
		return UET_ROD;
	}
}

static inline struct uet_sock *uet_sk(const struct sock *sk)
{
	return (struct uet_sock *)sk;
}

/* If so, @us->watches and its contacts are there. */
static inline bool uet_peer_events(const struct uet_sock *us)
{
	/* Pairs with uet_contacts_set() */
	return smp_load_acquire(&us->peer_events);
}

/* Size of the send buffer, bytes */
static inline u32 uet_sock_sndbuf(const struct uet_sock *us)
{
	return READ_ONCE(us->sk.sk_sndbuf);
}

/* Is the success of a message reported? @has_cookie: its sender gave it one */
static inline bool uet_notifies(const struct uet_sock *us, bool has_cookie)
{
	u8 notify = READ_ONCE(us->notify);

	return notify == UET_NOTIFY_ALL ||
	       (notify == UET_NOTIFY_NAMED && has_cookie);
}

extern int uet_family;

/**
 * uet_sock_charge_begin() - charge what this kernel thread allocates for a socket
 * @us: the socket
 *
 * Its memory control group pays, as for what the calls of its program allocate.
 *
 * Context: process.
 * Return: for uet_sock_charge_end().
 */
static inline struct mem_cgroup *uet_sock_charge_begin(const struct uet_sock *us)
{
#ifdef CONFIG_MEMCG
	return set_active_memcg(us->sk.sk_memcg);
#else
	return NULL;
#endif
}

/**
 * uet_sock_charge_end() - undo uet_sock_charge_begin()
 * @old: its result
 */
static inline void uet_sock_charge_end(struct mem_cgroup *old)
{
	set_active_memcg(old);
}

#endif /* _UET_SOCK_H */
