/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Probes of paths and endpoints for an operator (core/wire/ping.h). They belong to no
 * CCC, message or socket: nothing that a probe meets changes a window, the choice of
 * paths, a round-trip time or a path MTU.
 *
 * All probes of a namespace are in one table, under one lock. What became of a probe
 * is told from a work item, and its times are taken in softirq, so what is told does
 * not depend on when that runs.
 */
#ifndef _UET_PING_H
#define _UET_PING_H

#include <linux/in6.h>
#include <linux/list.h>
#include <linux/rbtree.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include "base.h"
#include "core/wire/ping.h"

struct sk_buff;
struct uet_account;
struct uet_icmp;
struct uet_peer;
struct uet_quote;
struct uet_rx_ctx;

#define UET_PING_BITS		8
#define UET_PING_PACES_BITS	6

/* Probes of a namespace at a time, ... */
#define UET_PINGS_MAX		4096
/* ... of which users who are limited leave so many to those who are not */
#define UET_PINGS_RESERVE	1024

/**
 * struct uet_ping_req - what is asked for
 * @raddr: fabric address of the peer
 * @scope: interface of a link-local address, VRF, or the interface to use; or 0
 * @timeout: ms
 * @job: job id
 * @size: payload
 * @ev: entropy value, 0 = any
 * @pid: PIDonFEP
 * @ri: resource index
 * @ttl: TTL or hop limit, 0 = that of the route
 * @endpoint: ask for the endpoint; else probe the path
 */
struct uet_ping_req {
	struct in6_addr	raddr;
	int		scope;
	u32		timeout;
	u32		job;
	u16		size;
	u16		ev;
	u16		pid;
	u16		ri;
	u8		ttl;
	bool		endpoint;
};

/**
 * enum uet_ping_end - what became of a probe
 * @UET_PING_END_ANSWERED: the peer answered
 * @UET_PING_END_LOST: nothing came in time
 * @UET_PING_END_ICMP: an ICMP error came
 */
enum uet_ping_end {
	UET_PING_END_ANSWERED,
	UET_PING_END_LOST,
	UET_PING_END_ICMP,
};

/**
 * struct uet_ping_result - what became of a probe
 * @end: enum uet_ping_end
 * @version: of SES at the peer, valid with @has_version
 * @has_version: the answer had a SES response
 * @icmp_type: type of the ICMP error
 * @icmp_code: its code
 * @too_big: it says that the probe exceeds the MTU of a link
 * @mtu: MTU of that link
 * @answer: the answer
 * @from: who answered; :: = not known
 * @rtt: time until then, ns; 0 if the probe was sent more than once
 */
struct uet_ping_result {
	u8			end;
	u8			version;
	bool			has_version;
	u8			icmp_type;
	u8			icmp_code;
	bool			too_big;
	u32			mtu;
	struct uet_ping_answer	answer;
	struct in6_addr		from;
	u64			rtt;
};

/**
 * enum uet_ping_state - where a probe is
 * @UET_PING_NEW: in no list
 * @UET_PING_WAITS: for an answer, in the table and in line
 * @UET_PING_DONE: it will be told what became of it
 * @UET_PING_CLOSES: its PDC closes, in the table and in line
 */
enum uet_ping_state {
	UET_PING_NEW,
	UET_PING_WAITS,
	UET_PING_DONE,
	UET_PING_CLOSES,
};

/**
 * struct uet_ping - a probe
 * @node: in uet_pings.table
 * @due_node: in uet_pings.due
 * @done_node: in uet_pings.done
 * @un: namespace
 * @peer: where to, with a reference
 * @account: of the user who asked, with a reference
 * @ask: what is sent
 * @portid: netlink socket that asked
 * @seq: sequence number of its request
 * @due: when to look at it next, ns
 * @until: when it is lost, ns
 * @sent_at: when it was sent first, ns
 * @ev: entropy value
 * @ttl: TTL or hop limit, 0 = that of the route
 * @state: enum uet_ping_state
 * @sent: times that it, or the close of its PDC, was sent
 * @result: what became of it
 *
 * A probe that is in no list belongs to who took it out; all else changes under
 * uet_pings.lock.
 */
struct uet_ping {
	struct hlist_node	node;
	struct rb_node		due_node;
	struct list_head	done_node;
	struct uet_net		*un;
	struct uet_peer		*peer;
	struct uet_account	*account;
	struct uet_ping_ask	ask;
	u32			portid;
	u32			seq;
	u64			due;
	u64			until;
	u64			sent_at;
	u16			ev;
	u8			ttl;
	u8			state;
	u32			sent;
	struct uet_ping_result	result;
};

/**
 * struct uet_pings - the probes of a namespace
 * @un: namespace
 * @lock: of all below; BH; a leaf
 * @nr: probes that exist; also read without the lock
 * @stopped: no new ones
 * @table: probes by their PDCID
 * @due: the same by time
 * @done: probes with a result that was not told yet
 * @work: tells results, sends again, gives up
 * @paces: when users may send the next probe, ns, by hash of their id
 */
struct uet_pings {
	struct uet_net		*un;
	spinlock_t		lock;	/* of all below */
	u32			nr;
	bool			stopped;
	struct hlist_head	table[BIT(UET_PING_BITS)];
	struct rb_root_cached	due;
	struct list_head	done;
	struct delayed_work	work;
	atomic64_t		paces[BIT(UET_PING_PACES_BITS)];
};

/**
 * struct uet_ping_way - how a probe is sent
 * @ifindex: interface of the route
 * @mtu: IP MTU of the route, with what was learnt of it
 * @payload_mtu: payload of a full packet
 * @len: length of the IP packet
 */
struct uet_ping_way {
	int	ifindex;
	u32	mtu;
	u32	payload_mtu;
	u32	len;
};

/* Tells who asked what became of a probe; process context. NULL: nobody listens */
extern void (*uet_ping_tell)(const struct uet_ping *ping);

/**
 * uet_pings_wait() - does any probe wait for an answer?
 * @un: namespace
 *
 * Context: any.
 * Return: true if so.
 */
static inline bool uet_pings_wait(const struct uet_net *un)
{
	return READ_ONCE(un->pings->nr);
}

/* ping.c */
int uet_pings_init(struct uet_net *un);
void uet_pings_stop(struct uet_net *un);
void uet_pings_exit(struct uet_net *un);
void uet_pings_forget(struct uet_net *un, u32 portid);
int uet_ping_enter(struct uet_ping *ping);
bool uet_ping_withdraw(struct uet_peer *peer, u16 spdcid,
		       struct uet_ping *ping);
void uet_ping_done(struct uet_pings *pings, struct uet_ping *ping);
struct uet_ping *uet_ping_find(struct uet_pings *pings,
			       const struct in6_addr *laddr, u16 spdcid);

/* begin.c */
struct uet_ping *uet_ping_begin(struct uet_net *un,
				const struct uet_ping_req *req,
				struct uet_ping_way *way);
void uet_ping_free(struct uet_ping *ping);
int uet_ping_start(struct uet_ping *ping);
int uet_ping_send(struct uet_peer *peer, const struct uet_ping_ask *ask,
		  u16 ev, u8 ttl, bool again);

/* answer.c */
bool uet_ping_answered(const struct uet_rx_ctx *rx);
bool uet_ping_icmp(struct uet_net *un, const struct sk_buff *skb,
		   const struct uet_quote *quote, const struct uet_icmp *icmp);

#endif /* _UET_PING_H */
