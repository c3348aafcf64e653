/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Source of RUDI (UE 1.0 3.5.8): packets without a PDC, each sent until it is answered.
 *
 * Locks, outermost first: uet_rudi.lock (BH) -> uet_sock.rudi_lock, uet_net.rudi_ids,
 * and the locks of peers, failures and error queues.
 */
#ifndef _UET_TX_RUDI_H
#define _UET_TX_RUDI_H

#include <linux/in6.h>
#include <linux/list.h>
#include <linux/refcount.h>
#include <linux/timerqueue.h>
#include <linux/types.h>
#include <linux/uet.h>

#include "core/snd/rudi.h"

struct sk_buff;
struct sock;
struct uet_cq;
struct uet_net;
struct uet_peer;
struct uet_rudi;
struct uet_rudi_pkt;
struct uet_rx_ctx;
struct uet_sock;

/**
 * struct uet_rudi_msg - a message whose packets are not all answered
 * @r: where its packets are
 * @deadline: in uet_rudi.deadlines, if it has one; uet_rudi.lock
 * @us_node: in uet_sock.rudi_msgs while @us; uet_sock.rudi_lock
 * @us: its socket, NULL once that is closed; written under uet_sock.rudi_lock, read
 *	under RCU
 * @owner: uet_sock.owner, with a reference, or NULL
 * @cq: completion queue with a slot for its result, or NULL
 * @ref: its packets, its sender, who cancels it
 * @to: where it goes
 * @cookie: names it in reports
 * @orphaned: when its socket was closed, ns, 0 = it is open; as @us
 * @len: length
 * @left: packets that are not done, + 1 while @open; uet_rudi.lock
 * @listed: a part of it was queued
 * @open: its sender has not queued all of it
 * @done: it has ended: its other packets are dropped
 * @has_cookie: the sender gave it @cookie
 * @withdrawn: by who closed the socket: it is not sent any more
 * @error: errno, for its sender while @open
 */
struct uet_rudi_msg {
	struct uet_rudi		*r;
	struct timerqueue_node	deadline;
	struct list_head	us_node;
	struct uet_sock		*us;
	struct sock		*owner;
	struct uet_cq		*cq;
	refcount_t		ref;
	struct sockaddr_uet	to;
	u64			cookie;
	u64			orphaned;
	u32			len;
	u32			left;
	bool			listed;
	bool			open;
	bool			done;
	bool			has_cookie;
	bool			withdrawn;
	int			error;
};

struct uet_rudi *uet_rudi_get(struct uet_peer *peer);
struct uet_rudi_msg *uet_rudi_begin(struct uet_rudi *r, struct uet_sock *us,
				    u64 deadline);
struct uet_rudi_pkt *uet_rudi_pkt_new(struct uet_rudi_msg *msg,
				      struct sk_buff *skb);
void uet_rudi_add(struct list_head *pkts, struct uet_rudi_pkt *pkt);
void uet_rudi_pkts_free(struct uet_net *un, struct list_head *pkts);
int uet_rudi_submit(struct uet_rudi_msg *msg, struct list_head *pkts, u32 n,
		    bool more);
void uet_rudi_abandon(struct uet_rudi_msg *msg);
void uet_rudi_msg_put(struct uet_rudi_msg *msg);

void uet_rudi_response(struct uet_rx_ctx *rx);
void uet_rudi_nack(struct uet_rx_ctx *rx);
bool uet_rudi_unreachable(struct uet_net *un, u32 pkt_id,
			  const struct in6_addr *laddr,
			  const struct in6_addr *raddr, int error, bool hard,
			  u16 code);

int uet_rudi_cancel(struct uet_sock *us, u64 cookie);
bool uet_rudi_busy(const struct uet_sock *us);
void uet_rudi_discard(struct uet_sock *us);
void uet_rudi_detach(struct uet_sock *us);

void uet_rudi_init(struct uet_net *un);
void uet_rudi_exit(struct uet_net *un);

#endif /* _UET_TX_RUDI_H */
