/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An outgoing message, and its queue.
 *
 * sendmsg() makes the message and copies the data once. The packet delivery
 * sublayer cuts packets from it; retransmissions refer to the same pages. The
 * data is freed when CACK covers it.
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

#include "core/turn.h"

struct sock;
struct uet_lane;
struct uet_net;
struct uet_pdc;
struct uet_sock;
struct uet_watch;
struct sk_buff;
struct iov_iter;

/* Data of a message: pieces of pages, in message order */
#define UET_TXBUF_FRAGS		14

struct uet_txfrag {
	struct page	*page;
	u32		off;
	u32		len;
};

/**
 * struct uet_txbuf - a block of message data
 * @node: in uet_txmsg.bufs
 * @start: offset in the message of the first byte
 * @len: bytes held
 * @nr: fragments in use
 * @gone: number of fragments at the start whose page was freed
 * @frags: the fragments; the last one may still grow
 */
struct uet_txbuf {
	struct list_head	node;
	u32			start;
	u32			len;
	u32			nr;
	u32			gone;
	struct uet_txfrag	frags[UET_TXBUF_FRAGS];
};

/* Up to this many bytes are stored in struct uet_txmsg itself and copied to the
 * linear part of the packet, which is cheaper than a page reference.
 */
#define UET_TXMSG_INLINE	512

/* Bytes charged to socket and namespace for a message beside its data */
#define UET_TXMSG_OVERHEAD	1024

/**
 * enum uet_txmsg_state - life of an outgoing message
 *
 *   QUEUED -> SENDING -> SENT -> DONE
 *      |         |         |
 *      +---------+---------+--> FAILED (reported once) -> DONE
 *
 * @UET_TXMSG_QUEUED: nothing of it was sent
 * @UET_TXMSG_SENDING: has a message id; some packets were sent
 * @UET_TXMSG_SENT: all packets were sent at least once
 * @UET_TXMSG_FAILED: reported; waits until its PSNs are acknowledged
 * @UET_TXMSG_DONE: off all lists
 */
enum uet_txmsg_state {
	UET_TXMSG_QUEUED,
	UET_TXMSG_SENDING,
	UET_TXMSG_SENT,
	UET_TXMSG_FAILED,
	UET_TXMSG_DONE,
};

/**
 * struct uet_txmsg - an outgoing message
 * @node: in uet_dest.queue until SENT, then in uet_dest.sent
 * @spare: in uet_sock.tx_spare instead, while it is kept for reuse
 * @dest: queue it belongs to, with a reference
 * @ref: one for the queue, one for a sendmsg() that still streams into it
 * @state: enum uet_txmsg_state; uet_flow.lock
 * @eom: all data is there (false while sendmsg() streams it in)
 * @streamed: longer than the send buffer: data is released as CACK advances
 * @withdrawn: MSG_ERROR ends it: it was given up, failed, or is to be resent
 * @given_up: its data is freed: its packets are resent as MSG_ERROR
 * @all_sent: every packet of it was sent, MSG_ERROR if it was given up
 * @again: resend all of it (NO_MATCH, DISABLED_GEN or BAD_GENERATION)
 * @maybe_accepted: its PDC died, and not all its packets were NACKed
 * @refused: its PDC died: bytes NACKed since the target disowned the PDC
 * @moving: in uet_dest.moving, or just taken out of it; dest->lock
 * @inlined: data is in @inline_data
 * @msg_id: id on the wire, from SENDING on
 * @len: length of the message
 * @filled: bytes copied in so far; release order, flow.lock for streamed ones
 * @sent: bytes cut into packets so far
 * @freed: bytes whose pages were given back
 * @charged: bytes of data charged to the socket and the namespace
 * @backlog: nominal bytes announced to the CCC and not yet sent
 * @announced: nominal bytes announced to the CCC so far
 * @begun: in uet_pdc_tx.begun from SENDING on
 * @best: highest offset acknowledged since the socket closed; only more than
 *	that counts as progress
 * @last_psn: PSN of the newest packet
 * @cookie: for reports
 * @deadline: when it expires, ns; 0 = never
 * @header_data: valid if @has_hd
 * @match_bits: tag if @has_tag, else 0
 * @has_hd: header data present
 * @has_tag: it is tagged
 * @generation: of the resource index, the same in all its packets
 * @retries: times it moved to another PDC after packets had been sent, or took
 *	another generation
 * @lock: of @charged and @sk_charged; if @streamed also of @bufs and @cursor,
 *	since sendmsg() adds at the end while packets are cut from the front.
 *	A leaf
 * @mem_charged: overhead and @charged are counted in uet_net.mem
 * @sk_charged: still counted in uet_sock.wmem and @dest->wmem
 * @error: errno of a failure while sendmsg() still streams (not reported on
 *	the error queue then); flow.lock
 * @bufs: data blocks, struct uet_txbuf; empty if @inlined
 * @cursor: block of the last access; packets are cut in sequence
 * @cursor_frag: fragment of the last access
 * @cursor_off: where that fragment begins in the block
 * @first: the first block of @bufs
 * @inline_data: short messages
 */
struct uet_txmsg {
	union {
		struct list_head	node;
		struct llist_node	spare;
	};
	struct uet_dest		*dest;
	refcount_t		ref;
	u8			state;
	bool			eom;
	bool			streamed;
	bool			withdrawn;
	bool			given_up;
	bool			all_sent;
	bool			again;
	bool			maybe_accepted;
	bool			moving;
	bool			has_hd;
	bool			has_tag;
	bool			inlined;
	u8			generation;
	u8			retries;
	u16			msg_id;
	u32			len;
	u32			filled;
	u32			sent;
	u32			freed;
	u32			charged;
	u32			best;
	u32			last_psn;
	u32			refused;
	u64			announced;
	u64			backlog;
	struct list_head	begun;
	u64			cookie;
	u64			deadline;
	u64			header_data;
	u64			match_bits;
	bool			mem_charged;
	bool			sk_charged;
	int			error;
	struct list_head	bufs;
	struct uet_txbuf	*cursor;
	u32			cursor_frag;
	u32			cursor_off;
	spinlock_t		lock;	/* charges and data if streamed */
	union {
		struct uet_txbuf	first;
		u8			inline_data[UET_TXMSG_INLINE];
	};
};

/**
 * struct uet_dest_key - what messages of one queue have in common
 * @owner: the socket, never dereferenced
 * @raddr: fabric address of the target
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
 * @watch: probes of a watch (tx/watch.c)
 */
struct uet_dest_key {
	unsigned long		owner;
	struct in6_addr		raddr;
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

/**
 * struct uet_dest - messages of one socket for one target endpoint
 * @node: in uet_net.dests
 * @key: identity
 * @un: namespace
 * @ref: the socket, each message
 * @rcu: for freeing
 * @us_node: in uet_sock.dests
 * @cc: congestion control asked for, empty = by sysctl
 * @path_policy: path policy asked for, empty = by sysctl
 * @account: account of the user who made the socket, with a reference
 * @owner: socket that its packets belong to, with a reference, or NULL
 * @us: the socket; NULL once it closed. Changes under uet_sock.dests_lock
 *	and the flow lock of @pdc
 * @watch: the watch whose probes it has, valid with @us; NULL in other queues
 * @wmem: bytes of message data and overhead held
 * @initiator: initiator ID of the socket
 * @laddr: source address wanted, or any
 * @uid: user of the socket
 * @prio: SO_PRIORITY
 * @alone: it wants a PDC of its own; @key.alone until there are too many
 * @generation: generation of the resource index that the target named last;
 *	flow.lock of @pdc
 * @lock: protects @pdc. Nests in uet_sock.dests_lock, outside flow.lock
 * @pdc: the PDC that carries it, with a reference, or NULL
 * @moves: messages of a dead PDC move to another one, new ones behind them;
 *	dest->lock
 * @moving: these messages; dest->lock
 * @queue: messages not completely sent, FIFO; flow.lock of @pdc from here on
 * @sent: messages sent and not done
 * @active: in uet_pdc_tx.active while something of @queue can be sent, or in
 *	uet_lane.waiting while another queue owns the lane
 * @lane: its lane on an ordered PDC (tx/lane.c), NULL on others
 * @pdc_node: in uet_pdc_tx.dests
 * @hold_node: in uet_pdc_tx.holds
 * @unfinished: messages in both lists
 * @renews: it must drain before it can change its PDC
 * @turn: quantum among the dests of its PDC
 * @progress: when new data of it was acknowledged last, or the socket closed,
 *	ns; valid while the PDC has dests without a socket
 * @given_up: its socket closed and all its messages were given up
 * @held_ns: time it was on hold, up to the end of the last hold
 * @held_since: when the hold began, ns; valid while @hold.on
 * @hold: the target NACKs for shortage (tx/hold.c)
 */
struct uet_dest {
	struct rhash_head	node;
	struct uet_dest_key	key;
	struct uet_net		*un;
	refcount_t		ref;
	struct rcu_head		rcu;
	struct list_head	us_node;
	struct uet_account	*account;
	struct sock		*owner;
	struct uet_sock		*us;
	struct uet_watch	*watch;
	atomic_long_t		wmem;
	u32			initiator;
	struct in6_addr		laddr;
	kuid_t			uid;
	u32			prio;
	bool			alone;
	u8			generation;
	char			cc[16];
	char			path_policy[16];

	spinlock_t		lock;	/* pdc */
	struct uet_pdc		*pdc;
	bool			moves;
	struct list_head	moving;
	struct list_head	queue;
	struct list_head	sent;
	struct list_head	active;
	struct uet_lane		*lane;
	struct list_head	pdc_node;
	struct list_head	hold_node;
	u32			unfinished;
	bool			renews;
	struct uet_turn		turn;
	u64			progress;
	bool			given_up;
	u64			held_ns;
	u64			held_since;
	struct uet_hold {
		bool	on;
		bool	ramp;		/* hold ended, pace limited */
		bool	trying;		/* @psn is in flight */
		u8	level;		/* of the exponential back-off */
		u32	allowed;	/* packets released next, doubles */
		u32	budget;		/* new packets left of @allowed */
		u32	psn;		/* newest of those released */
		u64	next;		/* ns, when the oldest is tried */
		u64	until;		/* ns, no new packets before, 0 = none */
	} hold;
};

/* tx/txmsg.c */
int uet_txmsg_cache_init(void);
void uet_txmsg_cache_exit(void);
struct uet_txmsg *uet_txmsg_alloc(struct uet_sock *us, struct uet_dest *dest,
				  u32 len);
void uet_txmsg_retire(struct uet_txmsg *msg);
void uet_txmsg_drop_spares(struct uet_sock *us);
bool uet_txmsg_try_drop_spares(struct uet_sock *us);
int uet_txmsg_fill(struct uet_txmsg *msg, struct uet_sock *us,
		   struct iov_iter *from, u32 off, u32 bytes);
int uet_txmsg_attach(struct uet_txmsg *msg, struct sk_buff *skb, u32 off,
		     u32 len);
void uet_txmsg_release(struct uet_txmsg *msg, u32 end);
int uet_txmsg_charge(struct uet_txmsg *msg, struct uet_sock *us, u32 bytes);
void uet_txmsg_cancel(struct uet_txmsg *msg, struct uet_sock *us);
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

/* tx/dest.c */
struct uet_dest *uet_dest_get(struct uet_sock *us, const struct uet_dest_key *key);
int uet_dest_watch(struct uet_sock *us, const struct uet_dest_key *key,
		   struct uet_watch *w, struct uet_dest **out);
void uet_dest_drop(struct uet_sock *us, struct uet_dest *dest);
void uet_dest_name(const struct uet_dest_key *key, struct sockaddr_uet *name);
void uet_dest_put(struct uet_dest *dest);

/* sock/shortmsg.c */
bool uet_shortmsg_fits(const struct uet_sock *us, const struct uet_dest *dest,
		       size_t len, u8 other);
struct uet_dest *uet_shortmsg_dest(struct uet_sock *us,
				   const struct uet_dest_key *key, size_t len);
u32 uet_shortmsg_prio(const struct uet_sock *us, const struct uet_dest *dest,
		      u8 other);
void uet_dest_note_connected(struct uet_sock *us, struct uet_dest *dest);
u64 uet_dest_held(const struct uet_dest *dest);
void uet_dest_detach_all(struct uet_sock *us);
void uet_dest_drop_idle(struct uet_sock *us);
int uet_dest_cache_init(void);
void uet_dest_cache_exit(void);
int uet_dest_table_init(struct uet_net *un);
void uet_dest_table_exit(struct uet_net *un);

#endif /* _UET_TXMSG_H */
