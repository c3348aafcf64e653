// SPDX-License-Identifier: GPL-2.0
/*
 * Incoming messages: placement of packets, which RUD delivers in any order, and
 * the order in which readers get messages.
 *
 * Not here: the memory they may take (rx/ses/rxmem.c) and how a reader takes data out
 * (rx/ses/rxread.c).
 */
#include <linux/slab.h>
#include <linux/skbuff.h>
#include <net/dst.h>
#include <net/sock.h>

#include "compat.h"
#include "link/drop.h"
#include "mib.h"
#include "rx/cms/tfc.h"
#include "rx/ses/post.h"
#include "rx/ses/rxmem.h"
#include "rx/ses/rxmsg.h"
#include "sock.h"

/* Memory of a buffer that several packets are copied to, bytes */
#define UET_RX_PACK	16384UL

static struct kmem_cache *uet_rxmsg_cache;

/**
 * uet_rxmsg_cache_init() - make the slab cache
 *
 * Return: 0 or -ENOMEM.
 */
int uet_rxmsg_cache_init(void)
{
	uet_rxmsg_cache = kmem_cache_create("uet_rxmsg",
					    sizeof(struct uet_rxmsg), 0,
					    SLAB_HWCACHE_ALIGN | SLAB_NO_MERGE,
					    NULL);
	return uet_rxmsg_cache ? 0 : -ENOMEM;
}

/**
 * uet_rxmsg_cache_exit() - destroy the slab cache
 */
void uet_rxmsg_cache_exit(void)
{
	kmem_cache_destroy(uet_rxmsg_cache);
}

/**
 * uet_rxmsg_put() - drop a reference
 * @msg: message
 *
 * Context: any.
 */
void uet_rxmsg_put(struct uet_rxmsg *msg)
{
	if (refcount_dec_and_test(&msg->ref))
		kmem_cache_free(uet_rxmsg_cache, msg);
}

/**
 * uet_rxmsg_free() - free a message that nobody else has seen
 * @msg: of uet_rxmsg_alloc()
 *
 * Context: any.
 */
void uet_rxmsg_free(struct uet_rxmsg *msg)
{
	kmem_cache_free(uet_rxmsg_cache, msg);
}

/**
 * uet_rxmsg_retire() - drop a reader's reference
 * @us: socket
 * @msg: message
 *
 * If it was the last one, the socket keeps the memory for its next message.
 *
 * Context: process, socket locked.
 */
void uet_rxmsg_retire(struct uet_sock *us, struct uet_rxmsg *msg)
{
	if (!refcount_dec_and_test(&msg->ref))
		return;
	/* Free it under KASAN, to catch use after free. */
	if (IS_ENABLED(CONFIG_KASAN) || cmpxchg(&us->rx_spare, NULL, msg))
		kmem_cache_free(uet_rxmsg_cache, msg);
}

/**
 * uet_rxmsg_drop_spare() - free what uet_rxmsg_retire() kept
 * @us: socket without readers
 */
void uet_rxmsg_drop_spare(struct uet_sock *us)
{
	if (us->rx_spare)
		kmem_cache_free(uet_rxmsg_cache, us->rx_spare);
}

/**
 * uet_rxmsg_alloc() - allocate a message when its first packet arrives
 * @us: socket it is for
 *
 * Context: softirq, RCU section.
 * Return: a message in no list, for uet_rxmsg_whole() or uet_rxmsg_begin(), or
 * NULL. The caller fills in @from, @to, @iif, @pdc, @line, @psn, @len, @msg_id, @opcode,
 * @delivery, @replyable, @line_last and @match_bits.
 */
struct uet_rxmsg *uet_rxmsg_alloc(struct uet_sock *us)
{
	struct uet_rxmsg *msg = NULL;

	if (READ_ONCE(us->rx_spare))
		msg = xchg(&us->rx_spare, NULL);
	if (!msg)
		msg = kmem_cache_alloc(uet_rxmsg_cache,
				       GFP_ATOMIC | __GFP_NOWARN);
	if (!msg)
		return NULL;
	memset_startat(msg, 0, rcvd);
	INIT_LIST_HEAD(&msg->node);
	INIT_LIST_HEAD(&msg->open_node);
	INIT_LIST_HEAD(&msg->waiting);
	INIT_LIST_HEAD(&msg->by_tag);
	refcount_set(&msg->ref, 2);
	msg->us = us;
	msg->born = jiffies;
	msg->last = msg->born;
	__skb_queue_head_init(&msg->prefix);
	return msg;
}

/* A reader may have a message from now on. */
static __always_inline void uet_rx_show(struct uet_sock *us, struct uet_rxmsg *msg)
{
	msg->ready = true;
	msg->waits = jiffies;
	uet_rx_count_ready(us, msg->bytes);
	if (unlikely(msg->cells))
		uet_tfc_readable(us->un, msg);
	list_add_tail(&msg->node, &us->rx_ready);
}

static void uet_rx_make_ready(struct uet_sock *us, struct uet_rxmsg *msg)
{
	if (!msg->ready)
		uet_rx_show(us, msg);
}

/* A message too long for the buffer is handed over while it arrives, if it holds
 * or gets a right.
 */
static void uet_rx_hand_over(struct uet_sock *us, struct uet_rxmsg *msg)
{
	if (!msg->ready && msg->head != msg->read &&
	    uet_rx_may_hand_over(us, msg))
		uet_rx_make_ready(us, msg);
}

/* A message leaves the lists of incomplete ones. If its right lets another message
 * be handed over, do that now instead of at that message's next packet.
 */
static void uet_rx_left(struct uet_sock *us, struct uet_rxmsg *msg)
{
	bool right = msg->granted;
	struct uet_rxmsg *next;
	int i = 0;

	uet_rx_leave(us, msg);
	if (!right || us->rx_closed)
		return;
	list_for_each_entry(next, &us->rx_granted, open_node) {
		uet_rx_hand_over(us, next);
		if (++i == UET_RXROOM_RIGHTS)
			break;
	}
	next = list_first_entry_or_null(&us->rx_open, struct uet_rxmsg,
					open_node);
	if (next)
		uet_rx_hand_over(us, next);
}

/* Move all packets of the message to @to. Returns their truesize. */
static u32 uet_rx_strip(struct uet_rxmsg *msg, struct sk_buff_head *to)
{
	struct sk_buff *skb, *next;
	u32 bytes = 0;

	while ((skb = __skb_dequeue(&msg->prefix))) {
		bytes += skb->truesize;
		__skb_queue_tail(to, skb);
	}
	/* The tree may be large: take it apart without rebalancing. */
	rbtree_postorder_for_each_entry_safe(skb, next, &msg->ooo, rbnode) {
		bytes += skb->truesize;
		__skb_queue_tail(to, skb);
	}
	msg->ooo = RB_ROOT;
	return bytes;
}

/* Readers do not find a message any more, and its memory is given back. */
static __always_inline void uet_rx_hide(struct uet_sock *us, struct uet_rxmsg *msg)
{
	list_del_init(&msg->node);
	if (unlikely(us->posts)) {
		list_del_init(&msg->waiting);
		list_del_init(&msg->by_tag);
	}
	/* Includes what a reader has taken out and not accounted for yet */
	uet_rx_uncharge(us, msg, msg->bytes);
	msg->ready = false;
}

/**
 * uet_rx_leave_lists() - take a message and its data out of the lists of its socket
 * @us: socket
 * @msg: message, in no posted receive
 * @to: gets its data
 */
void uet_rx_leave_lists(struct uet_sock *us, struct uet_rxmsg *msg,
			struct sk_buff_head *to)
{
	lockdep_assert_held(&us->rx_lock);
	/* One that was read to its end has none left. */
	if (!skb_queue_empty(&msg->prefix) || !RB_EMPTY_ROOT(&msg->ooo))
		uet_rx_strip(msg, to);
	if (!msg->complete)
		uet_rx_left(us, msg);
	uet_rx_hide(us, msg);
}

/**
 * uet_rx_drop() - take a message out of its socket
 * @us: socket
 * @msg: message
 * @to: gets its data
 *
 * The caller puts the socket's reference after it has released rx_lock.
 */
void uet_rx_drop(struct uet_sock *us, struct uet_rxmsg *msg,
		 struct sk_buff_head *to)
{
	uet_rx_leave_lists(us, msg, to);
	WRITE_ONCE(msg->us, NULL);
}

/**
 * uet_rx_drop_read() - uet_rx_drop() of a complete message without data
 * @us: socket
 * @msg: message, whose data the reader has
 */
void uet_rx_drop_read(struct uet_sock *us, struct uet_rxmsg *msg)
{
	lockdep_assert_held(&us->rx_lock);
	uet_rx_hide(us, msg);
	WRITE_ONCE(msg->us, NULL);
}

/* Fail an incomplete message. If a reader has seen part of it, the reader gets
 * @error. Else the message is dropped; returns true, and the caller puts the
 * socket's reference after it has released rx_lock.
 */
static bool uet_rx_fail(struct uet_sock *us, struct uet_rxmsg *msg, int error,
			struct sk_buff_head *to)
{
	lockdep_assert_held(&us->rx_lock);
	if (unlikely(msg->post)) {
		uet_rxpost_end(us, msg, error ?: ECONNABORTED);
		return true;
	}
	if (!msg->read && !msg->busy && !msg->peeked) {
		uet_rx_drop(us, msg, to);
		return true;
	}
	msg->error = error;
	uet_rx_left(us, msg);
	uet_rx_uncharge(us, msg, uet_rx_strip(msg, to));
	return false;
}

/**
 * uet_rx_unwedge() - give up a silent message that keeps others out, if any
 * @us: socket
 * @want: what was NACKed
 *
 * Context: softirq or process, RCU section.
 * Return: bytes freed.
 */
unsigned long uet_rx_unwedge(struct uet_sock *us, enum uet_rx_want want)
{
	unsigned long freed = 0;
	struct sk_buff_head gone;
	struct uet_rxmsg *msg;
	bool dropped = false;

	__skb_queue_head_init(&gone);
	spin_lock_bh(&us->rx_lock);
	msg = uet_rx_wedging(us, want);
	if (msg) {
		freed = msg->bytes;
		msg->given_up = true;
		dropped = uet_rx_fail(us, msg, ECONNABORTED, &gone);
	}
	spin_unlock_bh(&us->rx_lock);
	if (likely(!msg))
		return 0;
	UET_INC(us->un, MSG_ABORTED);
	UET_INC(us->un, MSG_SILENT);
	us->sk.sk_data_ready(&us->sk);
	uet_rx_free(us->un, &gone);
	if (dropped)
		uet_rxmsg_put(msg);
	return freed;
}

/* Move what follows the prefix from the tree to it. */
static void uet_rx_follow(struct uet_rxmsg *msg)
{
	struct sk_buff *skb;
	struct rb_node *n;

	while ((n = rb_first(&msg->ooo))) {
		skb = rb_to_skb(n);
		if (UET_RXCB(skb)->off != msg->head)
			return;
		rb_erase(n, &msg->ooo);
		__skb_queue_tail(&msg->prefix, skb);
		msg->head += UET_RXCB(skb)->len;
	}
}

/* Find a packet's place in the tree; -EINVAL if it overlaps another */
static int uet_rx_ooo_slot(struct uet_rxmsg *msg, u32 off, u32 len,
			   struct rb_node ***link, struct rb_node **parent)
{
	struct rb_node **p = &msg->ooo.rb_node, *last = NULL;

	while (*p) {
		const struct uet_rxcb *cb = UET_RXCB(rb_to_skb(*p));

		last = *p;
		if (off + len <= cb->off)
			p = &(*p)->rb_left;
		else if (off >= cb->off + cb->len)
			p = &(*p)->rb_right;
		else
			return -EINVAL;
	}
	*link = p;
	*parent = last;
	return 0;
}

/* Strip a packet of its state from the receive path */
static inline void uet_rx_scrub(struct sock *sk, struct sk_buff *skb)
{
	skb_orphan(skb);
	skb_dst_drop(skb);
	nf_reset_ct(skb);
	skb_ext_reset(skb);
	skb->dev = NULL;
	sock_skb_set_dropcount(sk, skb);
}

/* Does the reader want a time stamp per packet? Else the first one's will do */
static bool uet_rx_stamps(const struct sock *sk)
{
	return sock_flag(sk, SOCK_RCVTSTAMP) ||
	       READ_ONCE(sk->sk_tsflags) & (SOF_TIMESTAMPING_SOFTWARE |
					    SOF_TIMESTAMPING_RAW_HARDWARE);
}

static void uet_rx_label(struct sk_buff *skb, const struct uet_rxpart *part)
{
	*UET_RXCB(skb) = (struct uet_rxcb){
		.off = part->off, .len = part->len,
		.seg = part->seg, .gap = part->gap,
	};
}

/* Coalesce in-order data with the packet before it. That frees the skb while it is
 * warm in the allocator instead of when the message is read. A packet's memory is
 * uncharged when all of it was read, so limit its size (uet_rxmsg_fits_buffer()).
 * The headers in a run stay in their places, so nothing is appended to one.
 */
static bool uet_rx_join(struct uet_sock *us, struct uet_rxmsg *msg,
			struct sk_buff *skb)
{
	struct sk_buff *tail = skb_peek_tail(&msg->prefix);
	u32 len = skb->len, truesize = skb->truesize;
	bool stolen;
	int delta;

	if (!tail || UET_RXCB(tail)->gap || uet_rx_stamps(&us->sk) ||
	    !uet_rxmsg_fits_buffer(us, tail->len + len) ||
	    !skb_try_coalesce(tail, skb, &stolen, &delta))
		return false;
	UET_RXCB(tail)->len += len;
	msg->head += len;
	uet_rx_uncharge(us, msg, truesize - delta);
	kfree_skb_partial(skb, stolen);
	return true;
}

/* Room in the buffer that a packet is copied to. Behind the next one of its message there
 * is room for those that follow.
 */
static u32 uet_rx_compact_room(const struct uet_sock *us, const struct sk_buff *skb,
			       bool next)
{
	u32 size = min(rounddown_pow_of_two(uet_rx_half(us) / 8), UET_RX_PACK);
	u32 room = SKB_WITH_OVERHEAD(size);

	if (next && !uet_rx_stamps(&us->sk) && skb->len <= room / 2 &&
	    skb->truesize > skb->len + skb->len / 4)
		return room;
	return skb->truesize > 2 * SKB_TRUESIZE(skb->len) ? skb->len : 0;
}

/* Copy a packet to another buffer, as devices have large ones for short packets */
static struct sk_buff *uet_rx_compact(const struct uet_sock *us,
				      const struct sk_buff *skb, bool next)
{
	u32 room = uet_rx_compact_room(us, skb, next);
	struct sk_buff *copy;

	if (!room)
		return NULL;
	copy = alloc_skb(room, GFP_ATOMIC | __GFP_NOWARN);
	if (!copy)
		return NULL;
	if (skb_copy_bits(skb, 0, skb_put(copy, skb->len), skb->len)) {
		consume_skb(copy);
		return NULL;
	}
	copy->tstamp = skb->tstamp;
	return copy;
}

/* May the next packet be added to the buffer of the one before, which was copied? */
static bool uet_rx_packs(const struct uet_sock *us, const struct uet_rxmsg *msg,
			 const struct sk_buff *skb)
{
	const struct sk_buff *tail = skb_peek_tail(&msg->prefix);

	return tail && !UET_RXCB(tail)->gap && !skb_cloned(tail) &&
	       !uet_rx_stamps(&us->sk) && skb_tailroom(tail) >= skb->len &&
	       uet_rxmsg_fits_buffer(us, tail->len + skb->len);
}

static void uet_rx_pack(struct uet_rxmsg *msg, const struct sk_buff *skb)
{
	struct sk_buff *tail = skb_peek_tail(&msg->prefix);

	/* A packet that was taken in has its bytes. */
	if (WARN_ON_ONCE(skb_copy_bits(skb, 0, skb_put(tail, skb->len), skb->len)))
		return;
	UET_RXCB(tail)->len += skb->len;
	msg->head += skb->len;
	uet_rx_follow(msg);
}

/* Do offset and length of a packet fit the message? */
static int uet_rx_check(const struct uet_rxmsg *msg, u32 off, u32 len,
			bool som)
{
	if (off > msg->len || len > msg->len - off)
		return -EINVAL;
	/* Only an empty message has an empty packet, and only one */
	if (!len && (msg->len || msg->som || !som))
		return -EINVAL;
	return off < msg->head ? -EINVAL : 0;
}

/* Place a packet. If a copy of it is placed, *spare is the original, for the caller to
 * free. A message that holds a right, and much memory, is packed.
 */
static int uet_rx_store(struct uet_sock *us, struct uet_rxmsg *msg,
			struct sk_buff *skb, const struct uet_rxpart *part,
			struct sk_buff **spare)
{
	u32 off = part->off, len = part->len;
	bool next = off == msg->head, dense, packs;
	struct rb_node **link, *parent;
	int err;

	err = uet_rx_check(msg, off, len, part->som);
	if (err)
		return err;
	if (!next || !RB_EMPTY_ROOT(&msg->ooo)) {
		err = uet_rx_ooo_slot(msg, off, len, &link, &parent);
		if (err)
			return err;
	}
	dense = msg->granted && msg->bytes > uet_rx_half(us) / 2 && !part->gap && len;
	packs = unlikely(dense) && next && uet_rx_packs(us, msg, skb);
	if (unlikely(dense) && !packs) {
		struct sk_buff *copy = uet_rx_compact(us, skb, next);

		if (copy) {
			*spare = skb;
			skb = copy;
		}
	}
	err = uet_rx_admit(us, msg, (u64)off + len, packs ? 0 : skb->truesize, next,
			   part->gap);
	if (err) {
		if (*spare) {
			consume_skb(skb);
			*spare = NULL;
		}
		/* The packets of a run come again, one by one. */
		if (err == -ENOBUFS && !part->gap)
			uet_rx_nacked(us, msg);
		return err;
	}
	msg->rcvd += len;
	uet_rx_came(msg);
	if (unlikely(packs)) {
		uet_rx_pack(msg, skb);
		*spare = skb;
		return 0;
	}
	if (likely(next && RB_EMPTY_ROOT(&msg->ooo)) &&
	    !part->gap && uet_rx_join(us, msg, skb))
		return 0;
	uet_rx_scrub(&us->sk, skb);
	uet_rx_label(skb, part);
	if (next) {
		__skb_queue_tail(&msg->prefix, skb);
		msg->head += len;
		uet_rx_follow(msg);
	} else {
		rb_link_node(&skb->rbnode, parent, link);
		rb_insert_color(&skb->rbnode, &msg->ooo);
	}
	return 0;
}

/* There is new data to read. @napi_id: of the packet that brought it */
static void uet_rx_wake(struct uet_sock *us, u32 napi_id)
{
	struct sock *sk = &us->sk;

	sk_incoming_cpu_update(sk);
	uet_sk_mark_napi(sk, napi_id);
	sk->sk_data_ready(sk);
}

/* After a packet was placed: is there new data to read? */
static bool uet_rx_advance(struct uet_sock *us, struct uet_rxmsg *msg)
{
	if (msg->som && msg->rcvd == msg->len) {
		msg->complete = true;
		uet_rx_make_ready(us, msg);
		uet_rx_left(us, msg);
		return true;
	}
	uet_rx_hand_over(us, msg);
	return msg->ready && msg->head != msg->read &&
	       uet_rx_first_readable(us, READ_ONCE(us->sk.sk_rcvlowat));
}

/**
 * uet_rxmsg_fits_buffer() - may so much data of a message be in one buffer?
 * @us: socket
 * @len: bytes
 *
 * The memory of a buffer is given back when all of it was read.
 *
 * Context: any.
 * Return: true if so.
 */
bool uet_rxmsg_fits_buffer(const struct uet_sock *us, u32 len)
{
	return len <= min(uet_rx_half(us), uet_rx_half_wanted(us)) / 8;
}

/**
 * uet_rxmsg_whole() - deliver a message of one packet, or of one run
 * @us: socket it is for
 * @msg: of uet_rxmsg_alloc(), filled in
 * @skb: packet; data is the payload and nothing else, but for gaps
 * @part: what it has of the message
 *
 * What uet_rxmsg_begin() does, if there is room without a right.
 *
 * Context: softirq, RCU section.
 * Return: true if it was delivered, and the caller has no reference any more; false if
 * nothing was done: then call that, which tells why, or uet_rxmsg_free().
 */
bool uet_rxmsg_whole(struct uet_sock *us, struct uet_rxmsg *msg,
		     struct sk_buff *skb, const struct uet_rxpart *part)
{
	u32 napi_id = uet_skb_napi_id(skb);

	if (unlikely(part->len != msg->len))
		return false;
	spin_lock(&us->rx_lock);
	if (unlikely(us->posts) && part->som && !part->off &&
	    uet_rxpost_begin(us, msg, skb, part)) {
		spin_unlock(&us->rx_lock);
		/* the socket's and the caller's */
		uet_rxmsg_put(msg);
		uet_rxmsg_put(msg);
		consume_skb(skb);
		return true;
	}
	if (unlikely(!uet_rx_enter_whole(us, msg, skb->truesize))) {
		spin_unlock(&us->rx_lock);
		return false;
	}
	/* the socket's; nobody else has seen the message yet */
	refcount_set(&msg->ref, 1);
	uet_rx_scrub(&us->sk, skb);
	uet_rx_label(skb, part);
	__skb_queue_tail(&msg->prefix, skb);
	msg->head = part->len;
	msg->rcvd = part->len;
	msg->som = true;
	msg->complete = true;
	msg->has_hd = part->has_hd;
	msg->header_data = part->header_data;
	msg->ce = part->ce;
	if (unlikely(part->cells))
		uet_tfc_placed(us->un, msg, part);
	uet_rx_show(us, msg);
	if (unlikely(us->posts))
		uet_rxpost_wait(us, msg);
	spin_unlock(&us->rx_lock);
	uet_rx_wake(us, napi_id);
	return true;
}

/* Place a packet in a message of the receive buffer. *@wake: there is new data to read */
static int uet_rx_add(struct uet_sock *us, struct uet_rxmsg *msg, struct sk_buff *skb,
		      const struct uet_rxpart *part, struct sk_buff **spare, bool *wake)
{
	int err = uet_rx_store(us, msg, skb, part, spare);

	if (err)
		return err;
	if (part->som) {
		msg->som = true;
		msg->has_hd = part->has_hd;
		msg->header_data = part->header_data;
	}
	msg->ce |= part->ce;
	if (unlikely(part->cells))
		uet_tfc_placed(us->un, msg, part);
	*wake = uet_rx_advance(us, msg);
	return msg->complete;
}

/* Queue a message and place its first packet, or neither. -EAGAIN: no further message */
static int uet_rx_add_first(struct uet_sock *us, struct uet_rxmsg *msg, struct sk_buff *skb,
			    const struct uet_rxpart *part, struct sk_buff **spare, bool *wake)
{
	struct sk_buff_head none;
	int err;

	err = uet_rx_enter(us, msg);
	if (err) {
		if (err == -ENOBUFS && !part->gap)
			uet_rx_nacked(us, msg);
		return err == -ENOBUFS ? -EAGAIN : err;
	}
	err = uet_rx_add(us, msg, skb, part, spare, wake);
	if (err < 0) {
		__skb_queue_head_init(&none);
		uet_rx_drop(us, msg, &none);
	} else if (unlikely(us->posts)) {
		uet_rxpost_wait(us, msg);
	}
	return err;
}

/**
 * uet_rxmsg_begin() - take up a message with the first packet of it that came
 * @us: socket it is for
 * @msg: of uet_rxmsg_alloc(), filled in; freed on failure
 * @skb: packet; data is the payload and nothing else, but for gaps
 * @part: what it has of the message
 *
 * The message goes to a posted receive if there is one for it.
 *
 * Context: softirq, RCU section.
 * Return: 0, or 1 if the message is complete now; then it has the caller's reference, and
 * the socket's for as long as that knows it. -EAGAIN if there is no room for another
 * message or the socket is closing; else as uet_rxmsg_place().
 */
int uet_rxmsg_begin(struct uet_sock *us, struct uet_rxmsg *msg,
		    struct sk_buff *skb, const struct uet_rxpart *part)
{
	u32 napi_id = uet_skb_napi_id(skb);
	struct sk_buff *spare = NULL;
	bool wake = false, ended;
	int err;

	spin_lock(&us->rx_lock);
	err = uet_rx_check(msg, part->off, part->len, part->som);
	if (unlikely(us->posts) && !err && uet_rxpost_begin(us, msg, skb, part)) {
		err = msg->complete;
		ended = !msg->us;
		spin_unlock(&us->rx_lock);
		if (ended)
			uet_rxmsg_put(msg);
		consume_skb(skb);
		return err;
	}
	if (!err)
		err = uet_rx_add_first(us, msg, skb, part, &spare, &wake);
	spin_unlock(&us->rx_lock);
	if (wake)
		uet_rx_wake(us, napi_id);
	consume_skb(spare);
	if (likely(err >= 0))
		return err;
	kmem_cache_free(uet_rxmsg_cache, msg);
	if ((err == -EAGAIN || err == -ENOBUFS) && !part->gap)
		uet_rx_unwedge(us, err == -EAGAIN ? UET_RX_WANT_MESSAGE :
						    UET_RX_WANT_PACKET);
	return err;
}

/**
 * uet_rxmsg_place() - place a packet, or a run of packets, in its message
 * @msg: its message
 * @skb: packet; data is the payload and nothing else, but for gaps
 * @part: what it has of the message
 *
 * Context: softirq, RCU read side.
 * Return: 0, or 1 if the message is complete now; -ENOBUFS if there is no room
 * now, -ENOSPC if there will be none, as its line is full; -EINVAL if the packet
 * overlaps others or exceeds the message; -EPIPE if the socket is gone or has
 * dropped the message; -ETIME if the message was given up, as it was silent while
 * others waited. On error the packet stays the caller's; an error of a run counts and
 * answers nothing, so that its packets can be tried one by one.
 */
int uet_rxmsg_place(struct uet_rxmsg *msg, struct sk_buff *skb,
		    const struct uet_rxpart *part)
{
	u32 napi_id = uet_skb_napi_id(skb);
	struct sk_buff *spare = NULL;
	struct uet_sock *us;
	bool wake = false;
	int err = -EPIPE;

	us = READ_ONCE(msg->us);
	if (!us)
		return READ_ONCE(msg->given_up) ? -ETIME : -EPIPE;
	spin_lock(&us->rx_lock);
	if (unlikely(msg->post) && msg->us == us) {
		err = uet_rxpost_place(us, msg, skb, part);
		if (err == 1)
			uet_rxpost_end(us, msg, 0);
		spin_unlock(&us->rx_lock);
		if (err == 1)
			uet_rxmsg_put(msg);
		if (err >= 0)
			consume_skb(skb);
		return err;
	}
	if (msg->us == us && !msg->error && !msg->complete)
		err = uet_rx_add(us, msg, skb, part, &spare, &wake);
	spin_unlock(&us->rx_lock);
	if (wake)
		uet_rx_wake(us, napi_id);
	if (unlikely(err == -ENOBUFS) && !part->gap)
		uet_rx_unwedge(us, UET_RX_WANT_PACKET);
	consume_skb(spare);
	if (err == -EPIPE && READ_ONCE(msg->given_up))
		err = -ETIME;
	return err;
}

/**
 * uet_rxmsg_abort() - fail a message whose rest will not come
 * @msg: message
 * @error: errno for a reader in the middle of it; 0 for a message of which
 *	nothing was placed
 * @gone: gets its packets, for uet_rx_free()
 *
 * Complete messages are left alone.
 *
 * Context: softirq; the caller keeps its reference.
 */
void uet_rxmsg_abort(struct uet_rxmsg *msg, int error,
		     struct sk_buff_head *gone)
{
	struct uet_sock *us;
	bool dropped = false;

	rcu_read_lock();
	us = READ_ONCE(msg->us);
	if (!us)
		goto out;
	spin_lock_bh(&us->rx_lock);
	if (msg->us != us || msg->complete || msg->error) {
		spin_unlock_bh(&us->rx_lock);
		goto out;
	}
	if (error)
		UET_INC(us->un, MSG_ABORTED);
	dropped = uet_rx_fail(us, msg, error < 0 ? -error : error, gone);
	spin_unlock_bh(&us->rx_lock);
	if (error)
		us->sk.sk_data_ready(&us->sk);
out:
	rcu_read_unlock();
	if (dropped)
		uet_rxmsg_put(msg);
}

/**
 * uet_rxmsg_unbegin() - drop an incomplete message that no reader has seen
 * @msg: message
 *
 * Context: softirq, RCU read side; the caller keeps its reference.
 * Return: false if a reader may have seen it, if it holds a right and fits the
 * reserved half, or if its socket has dropped it.
 */
bool uet_rxmsg_unbegin(struct uet_rxmsg *msg)
{
	struct sk_buff_head gone;
	struct uet_sock *us;
	bool ret = false;

	__skb_queue_head_init(&gone);
	us = READ_ONCE(msg->us);
	if (!us)
		return false;
	spin_lock(&us->rx_lock);
	if (msg->us == us && !msg->complete && !msg->error && !msg->ready &&
	    !msg->post &&
	    (!msg->granted || uet_rxroom_long(uet_rx_half(us), msg->len))) {
		uet_rx_drop(us, msg, &gone);
		ret = true;
	}
	spin_unlock(&us->rx_lock);
	uet_rx_free(us->un, &gone);
	if (ret)
		uet_rxmsg_put(msg);
	return ret;
}

/**
 * uet_rxmsg_rivals() - which other messages of the PDC wait for one without room?
 * @us: socket
 * @pdc: PDC of the message, unordered
 * @psn: lowest PSN of the message that arrived
 * @nacked: its @half, @rival and @posted are set
 *
 * Context: softirq, RCU read side.
 */
void uet_rxmsg_rivals(struct uet_sock *us, const struct uet_pdc *pdc, u32 psn,
		      struct uet_rxroom_nacked *nacked)
{
	spin_lock(&us->rx_lock);
	nacked->half = uet_rx_half(us);
	nacked->rival = uet_rx_rival(us, pdc, psn);
	nacked->posted = uet_rxpost_overtook(us, pdc, psn);
	spin_unlock(&us->rx_lock);
}

/* Drop the messages of a list; @open: they are incomplete and fail */
static void uet_rx_drop_list(struct uet_sock *us, struct list_head *list,
			     bool open, struct list_head *msgs,
			     struct sk_buff_head *gone)
{
	struct uet_rxmsg *msg, *next;

	if (open) {
		list_for_each_entry_safe(msg, next, list, open_node) {
			if (uet_rx_fail(us, msg, ECONNABORTED, gone))
				list_add_tail(&msg->node, msgs);
		}
		return;
	}
	list_for_each_entry_safe(msg, next, list, node) {
		uet_rx_drop(us, msg, gone);
		list_add_tail(&msg->node, msgs);
	}
}

/* Free messages and data that left the socket's lists, outside rx_lock. */
static void uet_rx_bury(struct uet_net *un, struct list_head *msgs,
			struct sk_buff_head *gone)
{
	struct uet_rxmsg *msg, *next;

	uet_drop_list(un, gone, UET_DROP_UNREAD);
	list_for_each_entry_safe(msg, next, msgs, node) {
		list_del_init(&msg->node);
		uet_rxmsg_put(msg);
	}
}

/**
 * uet_rx_stop() - stop receiving (SHUT_RD)
 * @us: socket, locked: no reader is copying
 *
 * Complete messages can still be read.
 */
void uet_rx_stop(struct uet_sock *us)
{
	struct sk_buff_head gone;
	LIST_HEAD(msgs);
	int i;

	__skb_queue_head_init(&gone);
	spin_lock_bh(&us->rx_lock);
	us->rx_closed = true;
	if (us->posts) {
		for (i = 0; i < UET_POST_BUCKETS; i++)
			uet_rx_drop_list(us, &us->posts->begun[i], true, &msgs,
					 &gone);
		uet_rxposts_stop(us);
	}
	uet_rx_drop_list(us, &us->rx_granted, true, &msgs, &gone);
	uet_rx_drop_list(us, &us->rx_mixed, true, &msgs, &gone);
	uet_rx_drop_list(us, &us->rx_open, true, &msgs, &gone);
	uet_rx_drop_list(us, &us->rx_absent, true, &msgs, &gone);
	spin_unlock_bh(&us->rx_lock);
	uet_rx_bury(us->un, &msgs, &gone);
}

/**
 * uet_rxmsg_purge() - drop all messages of a closing socket
 * @us: socket; no system call is in it
 */
void uet_rxmsg_purge(struct uet_sock *us)
{
	struct sk_buff_head gone;
	LIST_HEAD(msgs);

	__skb_queue_head_init(&gone);
	/* poll() of the completion queue may give messages to receives. */
	lock_sock(&us->sk);
	uet_rx_stop(us);
	spin_lock_bh(&us->rx_lock);
	uet_rx_drop_list(us, &us->rx_ready, false, &msgs, &gone);
	sk_mem_reclaim(&us->sk);
	spin_unlock_bh(&us->rx_lock);
	release_sock(&us->sk);
	uet_rx_bury(us->un, &msgs, &gone);
}
