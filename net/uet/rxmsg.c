// SPDX-License-Identifier: GPL-2.0
/*
 * Incoming messages: placement, memory, and the order in which readers get
 * them.
 *
 * Memory. One half of SO_RCVBUF is shared by all messages, first come first
 * served. The other half is for one message at a time, the one being read or
 * else the oldest incomplete one, whose packets are accepted up to that many
 * bytes beyond what the reader took: without such a right a buffer full of
 * pieces would refuse the very packets that complete them. A message keeps
 * the right once it has it until it is complete, so that its sender can always
 * go on after a pause; when all who have it were silent for a second, the next
 * gets it too, up to UET_RX_GRANTS of them. What a completed message holds
 * counts to the shared half, and nobody new is given a right while that is
 * full: then something is there to be read, and the reader makes room.
 */
#include <linux/slab.h>
#include <linux/skbuff.h>
#include <net/dst.h>
#include <net/sock.h>

#include "compat.h"
#include "mib.h"
#include "rxmsg.h"
#include "sock.h"

/* Smallest half of the buffer: some packets of the largest payload MTU */
#define UET_RX_HALF_MIN		32768U

/* Messages that may have a right to the reserved half, beside the one read */
#define UET_RX_GRANTS		4

/* Who has the right and sends nothing for so long does not bar the next */
#define UET_RX_STALL		HZ

/* Who waits for it and sends nothing for so long is passed over; senders that
 * are held try every 128 ms at least
 */
#define UET_RX_ABSENT		(HZ / 5)

/* Messages passed over for one packet */
#define UET_RX_SCAN		8

/* What a message with a right may hold, in halves of the buffer. Full packets
 * stay far below; who sends crumbs is stopped here.
 */
#define UET_RX_CRUMBS		4

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
 * uet_rxmsg_cache_exit() - destroy it
 */
void uet_rxmsg_cache_exit(void)
{
	kmem_cache_destroy(uet_rxmsg_cache);
}

/**
 * uet_rx_half() - half of the receive buffer
 * @us: socket
 *
 * Return: bytes.
 */
u32 uet_rx_half(const struct uet_sock *us)
{
	return max_t(u32, READ_ONCE(us->sk.sk_rcvbuf) / 2, UET_RX_HALF_MIN);
}

/* Longer ones are handed over while they arrive */
static bool uet_rx_progressive(const struct uet_sock *us,
			       const struct uet_rxmsg *msg)
{
	return msg->ready || msg->len > uet_rx_half(us);
}

/* Bytes in use that count to the shared half */
static unsigned long uet_rx_shared(const struct uet_sock *us)
{
	return us->rx_bytes - us->rx_granted_bytes;
}

/* Room in the protocol's and the control group's memory. sk_forward_alloc
 * belongs to rx_lock here.
 */
static bool uet_rx_schedule(struct sock *sk, u32 bytes)
{
	int more = bytes - sk->sk_forward_alloc;

	return more <= 0 || __sk_mem_schedule(sk, more, SK_MEM_RECV);
}

static bool uet_rx_charge(struct uet_sock *us, struct uet_rxmsg *msg,
			  u32 bytes)
{
	struct uet_net *un = us->un;
	struct sock *sk = &us->sk;

	/* Who has a right may reach into a quarter more of the namespace's
	 * memory, so that what is begun can end.
	 */
	if (!uet_mem_charge(un, bytes) &&
	    (!msg->granted || !uet_mem_charge_more(un, bytes)))
		return false;
	if (!uet_rx_schedule(sk, bytes)) {
		uet_mem_uncharge(un, bytes);
		return false;
	}
	sk_mem_charge(sk, bytes);
	atomic_add(bytes, &sk->sk_rmem_alloc);
	us->rx_bytes += bytes;
	msg->bytes += bytes;
	if (msg->granted)
		us->rx_granted_bytes += bytes;
	return true;
}

/**
 * uet_rx_uncharge() - a message holds less
 * @us: socket
 * @msg: message
 * @bytes: truesize given back
 */
void uet_rx_uncharge(struct uet_sock *us, struct uet_rxmsg *msg, u32 bytes)
{
	struct sock *sk = &us->sk;

	lockdep_assert_held(&us->rx_lock);
	if (msg->granted)
		us->rx_granted_bytes -= bytes;
	msg->bytes -= bytes;
	us->rx_bytes -= bytes;
	us->rx_freed += bytes;
	atomic_sub(bytes, &sk->sk_rmem_alloc);
	sk_mem_uncharge(sk, bytes);
	uet_mem_uncharge(us->un, bytes);
}

/**
 * uet_rx_grant() - give a message the right to the reserved half
 * @us: socket
 * @msg: message
 */
void uet_rx_grant(struct uet_sock *us, struct uet_rxmsg *msg)
{
	if (msg->granted || msg->complete)
		return;
	msg->granted = true;
	us->rx_nr_granted++;
	us->rx_granted_bytes += msg->bytes;
	list_move_tail(&msg->open_node, &us->rx_granted);
}

/* Complete, failed or gone: no longer among the open ones */
static void uet_rx_close(struct uet_sock *us, struct uet_rxmsg *msg)
{
	if (msg->granted) {
		msg->granted = false;
		us->rx_nr_granted--;
		us->rx_granted_bytes -= msg->bytes;
	}
	list_del_init(&msg->open_node);
}

/* May the message have the reserved half? The oldest comes first, but one
 * whose sender does not show up is passed over.
 */
static bool uet_rx_may_grant(struct uet_sock *us, struct uet_rxmsg *msg)
{
	unsigned long half = uet_rx_half(us);
	struct uet_rxmsg *it;
	int i;

	if (us->rx_nr_granted >= UET_RX_GRANTS ||
	    uet_rx_shared(us) - msg->bytes > half)
		return false;
	list_for_each_entry(it, &us->rx_granted, open_node)
		if (time_before(jiffies, it->last + UET_RX_STALL))
			return false;
	for (i = 0; i < UET_RX_SCAN; i++) {
		it = list_first_entry(&us->rx_open, struct uet_rxmsg,
				      open_node);
		if (it == msg)
			return true;
		if (time_before(jiffies, it->last + UET_RX_ABSENT))
			return false;
		list_move_tail(&it->open_node, &us->rx_open);
	}
	return false;
}

static bool uet_rx_admit(struct uet_sock *us, struct uet_rxmsg *msg,
			 u64 end, u32 truesize)
{
	unsigned long half = uet_rx_half(us);

	if (!msg->granted) {
		if (uet_rx_shared(us) + truesize <= half)
			return true;
		if (!uet_rx_may_grant(us, msg))
			return false;
		uet_rx_grant(us, msg);
	}
	return end - msg->read <= half &&
	       (u64)msg->bytes + truesize <= (u64)UET_RX_CRUMBS * half;
}

/**
 * uet_rxmsg_new() - the first packet of a message has come
 * @us: socket it is for
 * @from: sender, as readers see it
 * @len: length of the message
 * @msg_id: its id on the wire
 * @opcode: SES opcode
 * @delivery: enum uet_delivery
 * @match_bits: tag
 *
 * Context: softirq, RCU section.
 * Return: the message with two references, the caller's and the socket's;
 * NULL if the socket is closing or for want of memory or room.
 */
struct uet_rxmsg *uet_rxmsg_new(struct uet_sock *us,
				const struct sockaddr_uet *from, u32 len,
				u16 msg_id, u8 opcode, u8 delivery,
				u64 match_bits)
{
	struct uet_rxmsg *msg;
	unsigned long limit;

	msg = kmem_cache_zalloc(uet_rxmsg_cache, GFP_ATOMIC | __GFP_NOWARN);
	if (!msg)
		return NULL;
	INIT_LIST_HEAD(&msg->node);
	refcount_set(&msg->ref, 2);
	msg->us = us;
	msg->from = *from;
	msg->len = len;
	msg->msg_id = msg_id;
	msg->opcode = opcode;
	msg->delivery = delivery;
	msg->match_bits = match_bits;
	msg->last = jiffies;
	__skb_queue_head_init(&msg->prefix);
	msg->ooo = RB_ROOT;

	spin_lock_bh(&us->rx_lock);
	/* A little more than data may fill, so that a newcomer can stand in
	 * line for the reserved half.
	 */
	limit = uet_rx_half(us) + uet_rx_half(us) / 8;
	if (us->rx_closed || uet_rx_shared(us) + sizeof(*msg) > limit ||
	    !uet_rx_charge(us, msg, sizeof(*msg))) {
		us->rx_refused = true;
		us->rx_freed = 0;
		spin_unlock_bh(&us->rx_lock);
		kmem_cache_free(uet_rxmsg_cache, msg);
		return NULL;
	}
	list_add_tail(&msg->open_node, &us->rx_open);
	spin_unlock_bh(&us->rx_lock);
	return msg;
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

/* Move to @to what the message holds. Returns its truesize. */
static u32 uet_rx_strip(struct uet_rxmsg *msg, struct sk_buff_head *to)
{
	struct sk_buff *skb;
	struct rb_node *n;
	u32 bytes = 0;

	while ((skb = __skb_dequeue(&msg->prefix))) {
		bytes += skb->truesize;
		__skb_queue_tail(to, skb);
	}
	while ((n = rb_first(&msg->ooo))) {
		skb = rb_to_skb(n);
		rb_erase(n, &msg->ooo);
		bytes += skb->truesize;
		__skb_queue_tail(to, skb);
	}
	return bytes;
}

/**
 * uet_rx_drop() - the socket lets go of a message
 * @us: socket
 * @msg: message
 * @to: gets its data
 *
 * The caller puts the socket's reference when it has left rx_lock.
 */
void uet_rx_drop(struct uet_sock *us, struct uet_rxmsg *msg,
		 struct sk_buff_head *to)
{
	lockdep_assert_held(&us->rx_lock);
	uet_rx_strip(msg, to);
	uet_rx_close(us, msg);
	list_del_init(&msg->node);
	msg->ready = false;
	/* With what a reader has taken out and not accounted for yet */
	uet_rx_uncharge(us, msg, msg->bytes);
	WRITE_ONCE(msg->us, NULL);
}

static void uet_rx_make_ready(struct uet_sock *us, struct uet_rxmsg *msg)
{
	if (msg->ready)
		return;
	msg->ready = true;
	list_add_tail(&msg->node, &us->rx_ready);
}

/* In-order data: to the prefix, and what was waiting for it */
static void uet_rx_extend(struct uet_rxmsg *msg, struct sk_buff *skb)
{
	struct rb_node *n;

	for (;;) {
		__skb_queue_tail(&msg->prefix, skb);
		msg->head += UET_RXCB(skb)->len;
		n = rb_first(&msg->ooo);
		if (!n)
			return;
		skb = rb_to_skb(n);
		if (UET_RXCB(skb)->off != msg->head)
			return;
		rb_erase(n, &msg->ooo);
	}
}

/* Where in the tree does a packet belong; -EINVAL if it overlaps another */
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

/* Off with what belongs to the way it came, not to the data */
static void uet_rx_scrub(struct sock *sk, struct sk_buff *skb)
{
	skb_orphan(skb);
	skb_dst_drop(skb);
	nf_reset_ct(skb);
	skb_ext_reset(skb);
	skb->dev = NULL;
	sock_skb_set_dropcount(sk, skb);
}

/* A copy in memory of the right size, for devices that spend a large buffer on
 * each packet. Only for who has a right and would run into its limit.
 */
static struct sk_buff *uet_rx_compact(struct sk_buff *skb)
{
	struct sk_buff *copy;

	if (skb->truesize <= 2 * SKB_TRUESIZE(skb->len))
		return NULL;
	copy = alloc_skb(skb->len, GFP_ATOMIC | __GFP_NOWARN);
	if (!copy)
		return NULL;
	if (skb_copy_bits(skb, 0, skb_put(copy, skb->len), skb->len)) {
		kfree_skb(copy);
		return NULL;
	}
	copy->tstamp = skb->tstamp;
	return copy;
}

static int uet_rx_refuse(struct uet_sock *us, struct uet_rxmsg *msg)
{
	us->rx_refused = true;
	us->rx_freed = 0;
	/* A message that only sends crumbs does not count as alive */
	if (msg->bytes <= (UET_RX_CRUMBS - 1) * (u64)uet_rx_half(us))
		msg->last = jiffies;
	return -ENOBUFS;
}

/* Is the packet acceptable, and if so where does it go? */
static int uet_rx_check(const struct uet_rxmsg *msg, u32 off, u32 len,
			bool som)
{
	if (off > msg->len || len > msg->len - off)
		return -EINVAL;
	/* Only the one packet of an empty message is empty */
	if (!len && (msg->len || msg->som || !som))
		return -EINVAL;
	return off < msg->head ? -EINVAL : 0;
}

/* Queue a packet that may be placed. Returns the packet that was queued, a
 * compact copy perhaps, or an error.
 */
static int uet_rx_store(struct uet_sock *us, struct uet_rxmsg *msg,
			struct sk_buff *skb, u32 off, bool som,
			struct sk_buff **spare)
{
	struct rb_node **link, *parent;
	u32 len = skb->len;
	int err;

	err = uet_rx_check(msg, off, len, som);
	if (err)
		return err;
	if (off != msg->head || !RB_EMPTY_ROOT(&msg->ooo)) {
		err = uet_rx_ooo_slot(msg, off, len, &link, &parent);
		if (err)
			return err;
	}
	if (msg->granted && msg->bytes > 2ULL * uet_rx_half(us)) {
		struct sk_buff *copy = uet_rx_compact(skb);

		if (copy) {
			*spare = skb;
			skb = copy;
		}
	}
	if (!uet_rx_admit(us, msg, (u64)off + len, skb->truesize) ||
	    !uet_rx_charge(us, msg, skb->truesize)) {
		if (*spare) {
			kfree_skb(skb);
			*spare = NULL;
		}
		return uet_rx_refuse(us, msg);
	}
	uet_rx_scrub(&us->sk, skb);
	UET_RXCB(skb)->off = off;
	UET_RXCB(skb)->len = len;
	if (off == msg->head) {
		uet_rx_extend(msg, skb);
	} else {
		rb_link_node(&skb->rbnode, parent, link);
		rb_insert_color(&skb->rbnode, &msg->ooo);
	}
	msg->rcvd += len;
	msg->last = jiffies;
	return 0;
}

/* After a packet was placed: is there something new to read? */
static bool uet_rx_advance(struct uet_sock *us, struct uet_rxmsg *msg)
{
	if (msg->som && msg->rcvd == msg->len) {
		msg->complete = true;
		uet_rx_close(us, msg);
		uet_rx_make_ready(us, msg);
		return true;
	}
	if (msg->head == msg->read || !uet_rx_progressive(us, msg))
		return false;
	uet_rx_make_ready(us, msg);
	return uet_rx_first_readable(us, READ_ONCE(us->sk.sk_rcvlowat));
}

/**
 * uet_rxmsg_place() - take a packet over
 * @msg: its message
 * @skb: packet; data is the payload and nothing else
 * @off: offset in the message
 * @som: start of message: the header data is valid
 * @has_hd: there is header data
 * @header_data: the header data
 * @ce: the packet was marked
 *
 * Context: softirq.
 * Return: 0, 1 if the message is complete now; -ENOBUFS for want of room,
 * -EINVAL if the packet overlaps others or the end, -EPIPE if nobody wants
 * the message any more. On error the packet stays the caller's.
 */
int uet_rxmsg_place(struct uet_rxmsg *msg, struct sk_buff *skb, u32 off,
		    bool som, bool has_hd, u64 header_data, bool ce)
{
	struct sk_buff *spare = NULL;
	struct uet_sock *us;
	bool wake = false;
	int err = -EPIPE;

	rcu_read_lock();
	us = READ_ONCE(msg->us);
	if (!us)
		goto out;
	spin_lock_bh(&us->rx_lock);
	if (msg->us == us && !msg->error && !msg->complete) {
		err = uet_rx_store(us, msg, skb, off, som, &spare);
		if (!err) {
			if (som) {
				msg->som = true;
				msg->has_hd = has_hd;
				msg->header_data = header_data;
			}
			msg->ce |= ce;
			wake = uet_rx_advance(us, msg);
			err = msg->complete;
		}
	}
	spin_unlock_bh(&us->rx_lock);
	if (wake)
		us->sk.sk_data_ready(&us->sk);
	kfree_skb(spare);
out:
	rcu_read_unlock();
	return err;
}

/**
 * uet_rxmsg_abort() - the rest of a message will not come
 * @msg: message
 * @error: errno for who is in the middle of reading it
 *
 * Complete messages are left alone.
 *
 * Context: softirq; the caller keeps its reference.
 */
void uet_rxmsg_abort(struct uet_rxmsg *msg, int error)
{
	struct sk_buff_head gone;
	struct uet_sock *us;
	bool dropped = false;

	__skb_queue_head_init(&gone);
	rcu_read_lock();
	us = READ_ONCE(msg->us);
	if (!us)
		goto out;
	spin_lock_bh(&us->rx_lock);
	if (msg->us != us || msg->complete || msg->error) {
		spin_unlock_bh(&us->rx_lock);
		goto out;
	}
	UET_INC(us->un, MSG_ABORTED);
	if (msg->read || msg->busy) {
		msg->error = error < 0 ? -error : error;
		uet_rx_close(us, msg);
		uet_rx_uncharge(us, msg, uet_rx_strip(msg, &gone));
	} else {
		uet_rx_drop(us, msg, &gone);
		dropped = true;
	}
	spin_unlock_bh(&us->rx_lock);
	us->sk.sk_data_ready(&us->sk);
out:
	rcu_read_unlock();
	__skb_queue_purge(&gone);
	if (dropped)
		uet_rxmsg_put(msg);
}

/* Drop the messages of one list, all or those not complete */
static void uet_rx_drop_list(struct uet_sock *us, struct list_head *list,
			     bool open, struct list_head *msgs,
			     struct sk_buff_head *gone)
{
	struct uet_rxmsg *msg, *next;

	if (open) {
		list_for_each_entry_safe(msg, next, list, open_node) {
			if (msg->read || msg->busy) {
				msg->error = ECONNABORTED;
				uet_rx_close(us, msg);
				uet_rx_uncharge(us, msg,
						uet_rx_strip(msg, gone));
				continue;
			}
			uet_rx_drop(us, msg, gone);
			list_add_tail(&msg->node, msgs);
		}
		return;
	}
	list_for_each_entry_safe(msg, next, list, node) {
		uet_rx_drop(us, msg, gone);
		list_add_tail(&msg->node, msgs);
	}
}

/* Messages and data that left the socket's lists are freed outside rx_lock */
static void uet_rx_bury(struct list_head *msgs, struct sk_buff_head *gone)
{
	struct uet_rxmsg *msg, *next;

	__skb_queue_purge(gone);
	list_for_each_entry_safe(msg, next, msgs, node) {
		list_del_init(&msg->node);
		uet_rxmsg_put(msg);
	}
}

/**
 * uet_rx_stop() - nothing more comes in (SHUT_RD)
 * @us: socket, locked: nobody is copying
 *
 * Complete messages can still be read.
 */
void uet_rx_stop(struct uet_sock *us)
{
	struct sk_buff_head gone;
	LIST_HEAD(msgs);

	__skb_queue_head_init(&gone);
	spin_lock_bh(&us->rx_lock);
	us->rx_closed = true;
	uet_rx_drop_list(us, &us->rx_granted, true, &msgs, &gone);
	uet_rx_drop_list(us, &us->rx_open, true, &msgs, &gone);
	spin_unlock_bh(&us->rx_lock);
	uet_rx_bury(&msgs, &gone);
}

/**
 * uet_rxmsg_purge() - the socket closes
 * @us: socket; no system call is in it
 */
void uet_rxmsg_purge(struct uet_sock *us)
{
	struct sk_buff_head gone;
	LIST_HEAD(msgs);

	uet_rx_stop(us);
	__skb_queue_head_init(&gone);
	spin_lock_bh(&us->rx_lock);
	uet_rx_drop_list(us, &us->rx_ready, false, &msgs, &gone);
	sk_mem_reclaim(&us->sk);
	spin_unlock_bh(&us->rx_lock);
	uet_rx_bury(&msgs, &gone);
}
