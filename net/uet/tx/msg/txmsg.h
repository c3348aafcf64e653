/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An outgoing message, and its queue.
 *
 * sendmsg() makes the message and copies the data once, or refers to the pages of
 * its caller or of a file. The packet delivery sublayer cuts packets from it; retransmissions
 * refer to the same pages. The data is freed when CACK covers it.
 */
#ifndef _UET_TXMSG_H
#define _UET_TXMSG_H

#include <linux/list.h>
#include <linux/llist.h>
#include <linux/mm_types.h>
#include <linux/refcount.h>
#include <linux/rhashtable-types.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/uet.h>

#include "core/snd/refused.h"
#include "core/snd/snd_msg.h"
#include "tx/msg/txdata.h"

struct sock;
struct ubuf_info;
struct uet_cq;
struct uet_net;
struct uet_pdc;
struct uet_sock;
struct uet_watch;

/* Up to this many bytes are stored in struct uet_txmsg itself and copied to the
 * linear part of the packet, which is cheaper than a page reference.
 */
#define UET_TXMSG_INLINE	512

/* Bytes charged to socket and namespace for a message beside its data */
#define UET_TXMSG_OVERHEAD	1024

/**
 * struct uet_txmsg - an outgoing message
 * @m: what its sender knows of it; flow.lock of the PDC
 * @dest: queue it belongs to, with a reference
 * @ref: one for the queue, one for a sendmsg() that still streams into it, one for
 *	@late
 * @streamed: longer than the send buffer: data is released as CACK advances
 * @moving: in uet_dest.moving, or just taken out of it; dest->lock
 * @has_hd: header data present
 * @has_tag: it is tagged
 * @has_cookie: the sender gave it @cookie
 * @inlined: data is in @inline_data
 * @named: @token leads to it: see uet_net.deferred
 * @asked: the target asks for it; this, @asked_from and @asked_token:
 *	uet_deferred.lock
 * @pinned: data is not copied (tx/msg/txpin.c)
 * @spliced: nobody is told when it is free; with @pinned
 * @lent: pages of the program of a posted send (tx/msg/op.c), which are not charged; with
 *	@pinned
 * @posted: it is a posted send
 * @inode: inode number of its socket, if @posted
 * @op: UET_TXOP_* of a posted send, whose completion is not told, else 0; lock of the
 *	queue or of its flow
 * @rtr_end: enum uet_rtr_end, of DEFERRABLE_RTR; read without a lock
 * @late_source: enum uet_report_source, if in @late
 * @slot: payload between two gaps of the data; 0 = it has none (tx/msg/txdata.c)
 * @late_code: meaning depends on @late_source
 * @freed: bytes whose pages were given back
 * @charged: bytes of data charged to the socket and the namespace
 * @best: highest offset acknowledged since the socket closed; only more than
 *	that counts as progress
 * @asked_from: offset that the target asks for, if @asked
 * @asked_token: what the target names it by, if @asked
 * @token: names it to a target that may defer it, 0 = none may; constant
 * @target_token: @asked_token of the request that it is sent for, 0 = none; constant
 *	while it has a PDC
 * @late_bytes: charged to uet_sock.reports, if in @late
 * @cookie: for reports
 * @born: when it was made, jiffies; constant
 * @fed: when sendmsg() last added data, jiffies, if @streamed; dest->lock
 * @deadline: when it expires, ns; 0 = never
 * @header_data: valid if @has_hd
 * @match_bits: tag if @has_tag, else 0
 * @mem_charged: overhead and @charged are counted in uet_net.mem
 * @sk_charged: still counted in uet_sock.wmem and @dest->wmem
 * @late_error: errno, 0 = delivered; if in @late
 * @error: errno of a failure while sendmsg() still streams (not reported on
 *	the error queue then); flow.lock
 * @cq: completion queue with a slot for its result, or NULL
 * @late: in uet_sock.late; it and the other late fields: sk_error_queue.lock
 * @park_node: in uet_deferred.asked or .parked, or in a list of what is due;
 *	uet_deferred.lock
 * @park_until: when it is sent again, jiffies, if in uet_deferred.parked
 * @bufs: data blocks, struct uet_txbuf; empty if @inlined
 * @cursor: block of the last access; packets are cut in sequence
 * @spare: in uet_sock.tx_spare instead, while it is kept for reuse
 * @cursor_frag: fragment of the last access
 * @cursor_off: where that fragment begins in the block
 * @lock: of @charged and @sk_charged; if @streamed also of @bufs and @cursor,
 *	since sendmsg() adds at the end while packets are cut from the front.
 *	A leaf
 * @ubuf: completion of a @pinned message, with a reference; NULL if @spliced
 * @first: the first block of @bufs
 * @inline_data: short messages
 */
struct uet_txmsg {
	struct uet_snd_msg	m;
	struct uet_dest		*dest;
	refcount_t		ref;
	bool			streamed;
	bool			moving;
	bool			has_hd;
	bool			has_tag;
	bool			has_cookie;
	bool			inlined;
	bool			named;
	bool			asked;
	bool			pinned;
	bool			spliced;
	bool			lent;
	bool			posted;
	u8			op;
	u8			rtr_end;
	u8			late_source;
	u16			slot;
	u16			late_code;
	u32			freed;
	u32			charged;
	u32			best;
	u32			asked_from;
	u32			asked_token;
	u32			token;
	u32			target_token;
	u32			late_bytes;
	u32			inode;
	u64			cookie;
	unsigned long		born;
	unsigned long		fed;
	u64			deadline;
	u64			header_data;
	u64			match_bits;
	bool			mem_charged;
	bool			sk_charged;
	u16			late_error;
	int			error;
	struct uet_cq		*cq;
	struct list_head	late;
	struct list_head	park_node;
	unsigned long		park_until;
	struct list_head	bufs;
	union {
		struct uet_txbuf	*cursor;
		struct llist_node	spare;
	};
	u32			cursor_frag;
	u32			cursor_off;
	spinlock_t		lock;	/* charges and data if streamed */
	struct ubuf_info	*ubuf;
	union {
		struct uet_txbuf	first;
		u8			inline_data[UET_TXMSG_INLINE];
	};
};

static inline struct uet_txmsg *uet_txmsg_of(const struct uet_snd_msg *m)
{
	return container_of(m, struct uet_txmsg, m);
}

/**
 * struct uet_dest_key - what messages of one queue have in common
 * @owner: the socket, never dereferenced
 * @raddr: fabric address of the target
 * @laddr: source address wanted, or any
 * @scope: interface of a link-local address, else bound device or 0
 * @mark: SO_MARK
 * @job: job id
 * @pid: target PIDonFEP
 * @ri: target resource index
 * @delivery: UET_RUD or UET_ROD
 * @tclass: DSCP
 * @route: uet_peer_key.tclass
 * @absolute: absolute addressing
 * @alone: long messages, which use a PDC of their own
 * @watch: no data, but probes of a watch (tx/queue/watch.c): its type; or %UET_DEST_RTR
 */
struct uet_dest_key {
	unsigned long		owner;
	struct in6_addr		raddr;
	struct in6_addr		laddr;
	s32			scope;
	u32			mark;
	u32			job;
	u16			pid;
	u16			ri;
	u8			delivery;
	u8			tclass;
	u8			route;
	u8			absolute;
	u8			alone;
	u8			watch;
};

/* uet_dest_key.watch of a queue for a DEFERRABLE_RTR (sock/rtr.c) */
#define UET_DEST_RTR	0x80

/**
 * enum uet_rtr_end - what has become of a DEFERRABLE_RTR
 * @UET_RTR_ASKS: it is under way
 * @UET_RTR_TAKEN: the source will send the message
 * @UET_RTR_FAILED: it will not, or was not reached
 */
enum uet_rtr_end {
	UET_RTR_ASKS,
	UET_RTR_TAKEN,
	UET_RTR_FAILED,
};

/**
 * struct uet_dest - messages of one socket for one target endpoint
 * @node: in uet_net.dests
 * @key: identity
 * @un: namespace
 * @ref: the socket, each message
 * @rcu: for freeing
 * @id: its id in uet_net.dest_ids, never reused
 * @us_node: in uet_sock.dests
 * @cc: congestion control asked for, empty = by sysctl
 * @path_policy: path policy asked for, empty = by sysctl
 * @account: account of the user who made the socket, with a reference
 * @owner: socket that its packets belong to, with a reference, or NULL
 * @us: the socket; NULL once it closed. Changes under uet_sock.dests_lock
 *	and the flow lock of @pdc
 * @watch: the watch whose probes it has, valid with @us; in other queues that of the
 *	contact with the target, with a reference, or NULL (tx/queue/contact.c)
 * @wmem: bytes of message data and overhead held
 * @wmem_part: those of a message that calls still put together (sock/sendpart.c);
 *	uet_sock.part_lock
 * @refusal: sends to it that got EAGAIN, in uet_sock.refused
 * @wanted: whoever waits for room is woken when any of @wmem is given back
 * @initiator: initiator ID of the socket
 * @pid: PIDonFEP of the socket
 * @uid: user of the socket
 * @prio: SO_PRIORITY
 * @run_len: payload of packets that may leave in runs, 0 = none may; a guess until
 *	it has a PDC. Lags behind uet_flow.run_len: then packets leave one by one, and
 *	their data is copied if it lies in too many places
 * @alone: it wants a PDC of its own; @key.alone until there are too many
 * @lock: protects @pdc. Nests in uet_sock.dests_lock, outside flow.lock
 * @pdc: the PDC that carries it, with a reference, or NULL
 * @moves_at: when @moves was last set, jiffies; dest->lock
 * @moves: messages of a dead PDC move to another one, new ones behind them;
 *	dest->lock
 * @moving: these messages; dest->lock
 * @drained: in uet_net.drained, or points to itself
 * @submitting: those that were taken from @moving and not handed over yet;
 *	dest->lock
 * @deferred: those that the target deferred; uet_deferred.lock
 * @q: its messages; flow.lock of @pdc from here on
 * @pdc_node: in uet_pdc_tx.dests
 * @renews: it must drain before it can change its PDC
 * @progress: when new data of it was acknowledged last, or the socket closed,
 *	ns; valid while the PDC has dests without a socket
 * @given_up: its socket closed and all its messages were given up
 * @held: its target was short of room since it was empty: counted in uet_account.held
 */
struct uet_dest {
	struct rhash_head	node;
	struct uet_dest_key	key;
	struct uet_net		*un;
	refcount_t		ref;
	struct rcu_head		rcu;
	u64			id;
	struct list_head	us_node;
	struct uet_account	*account;
	struct sock		*owner;
	struct uet_sock		*us;
	struct uet_watch	*watch;
	atomic_long_t		wmem;
	u32			wmem_part;
	bool			wanted;
	struct uet_refusal	refusal;
	u32			initiator;
	u16			pid;
	kuid_t			uid;
	u32			prio;
	u16			run_len;
	bool			alone;
	char			cc[16];
	char			path_policy[16];

	spinlock_t		lock;	/* pdc */
	struct uet_pdc		*pdc;
	unsigned long		moves_at;
	bool			moves;
	struct list_head	moving;
	struct llist_node	drained;
	u32			submitting;
	struct list_head	deferred;
	struct uet_snd_queue	q;
	struct list_head	pdc_node;
	bool			renews;
	u64			progress;
	bool			given_up;
	bool			held;
};

static inline struct uet_dest *uet_dest_of(const struct uet_snd_queue *q)
{
	return container_of(q, struct uet_dest, q);
}

/* tx/msg/txmsg.c */
int uet_txmsg_cache_init(void);
void uet_txmsg_cache_exit(void);
struct uet_txmsg *uet_txmsg_alloc(struct uet_sock *us, struct uet_dest *dest,
				  u32 len);
void uet_txmsg_retire(struct uet_txmsg *msg);
void uet_txmsg_drop_spares(struct uet_sock *us);
bool uet_txmsg_try_drop_spares(struct uet_sock *us);
int uet_txmsg_charge(struct uet_txmsg *msg, struct uet_sock *us, u32 bytes);
int uet_txmsg_charge_lent(struct uet_txmsg *msg, struct uet_sock *us);
void uet_txmsg_uncharge(struct uet_txmsg *msg, u32 bytes);
void uet_txmsg_cancel(struct uet_txmsg *msg, struct uet_sock *us);
void uet_txmsg_fail(struct uet_txmsg *msg, struct uet_sock *us, int error);
void uet_txmsg_move(struct uet_txmsg *msg, struct uet_sock *us, struct uet_dest *dest);
void uet_txmsg_free(struct uet_txmsg *msg);

static inline void uet_txmsg_get(struct uet_txmsg *msg)
{
	refcount_inc(&msg->ref);
}

static inline void uet_txmsg_put(struct uet_txmsg *msg)
{
	if (refcount_dec_and_test(&msg->ref))
		uet_txmsg_free(msg);
}

struct uet_report;
struct sockaddr_uet;

void uet_txmsg_result(const struct uet_txmsg *msg, int error, u8 source, u16 code,
		      struct uet_report *rep, struct sockaddr_uet *peer);
void uet_dest_name(const struct uet_dest_key *key, struct sockaddr_uet *name);

/**
 * uet_dest_queued() - bytes of messages in a queue
 * @dest: the queue
 *
 * Return: bytes, overhead included, without a message that calls still put together.
 */
static inline u64 uet_dest_queued(const struct uet_dest *dest)
{
	long part = READ_ONCE(dest->wmem_part);

	return max(atomic_long_read(&dest->wmem) - part, 0L);
}

static inline void uet_dest_hold(struct uet_dest *dest)
{
	refcount_inc(&dest->ref);
}

/* tx/queue/dest.c */
struct uet_dest *uet_dest_next(struct uet_net *un, u64 *id);
struct uet_dest *uet_dest_get(struct uet_sock *us, const struct uet_dest_key *key);
int uet_dest_watch(struct uet_sock *us, const struct uet_dest_key *key,
		   struct uet_watch *w, struct uet_dest **out);
void uet_dest_drop(struct uet_sock *us, struct uet_dest *dest);
void uet_dest_put(struct uet_dest *dest);

void uet_dest_note_connected(struct uet_sock *us, struct uet_dest *dest);
u64 uet_dest_held(const struct uet_dest *dest);
void uet_dest_want_room(struct uet_dest *dest);
void uet_dest_detach_all(struct uet_sock *us);
void uet_dest_drop_idle(struct uet_sock *us);
int uet_dest_cache_init(void);
void uet_dest_cache_exit(void);
int uet_dest_table_init(struct uet_net *un);
void uet_dest_table_exit(struct uet_net *un);

#endif /* _UET_TXMSG_H */
