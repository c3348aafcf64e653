// SPDX-License-Identifier: GPL-2.0
/*
 * The data of outgoing messages: sendmsg() copies it once, all transmissions of
 * a packet refer to it, and acknowledgments free it.
 *
 * Not here: queues and states (core/snd_queue.c, tx/bind.c), admission of
 * messages (sock/sendmsg.c).
 */
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/skbuff.h>
#include <linux/slab.h>
#include <linux/uio.h>

#include "compat.h"
#include "mib.h"
#include "sock.h"
#include "tx/pds.h"
#include "tx/report.h"
#include "tx/txmsg.h"
#include "tx/txpage.h"
#include "tx/watch.h"
#include "tx/wmem.h"

#define CREATE_TRACE_POINTS
#include "tx/trace_msg.h"

/* Messages that a socket keeps for reuse: about what one ACK completes */
#define UET_TXMSG_SPARES	32

static struct kmem_cache *uet_txmsg_cache;
static struct kmem_cache *uet_txbuf_cache;

/* A slab with a constructor is also exempt from init_on_alloc. */
static void uet_txmsg_ctor(void *p)
{
	struct uet_txmsg *msg = p;

	spin_lock_init(&msg->lock);
}

/**
 * uet_txmsg_cache_init() - make the slab caches
 *
 * Return: 0 or -ENOMEM.
 */
int uet_txmsg_cache_init(void)
{
	/* Short messages are copied from user space into the object */
	uet_txmsg_cache =
		kmem_cache_create_usercopy("uet_txmsg",
					   sizeof(struct uet_txmsg), 0,
					   SLAB_ACCOUNT | SLAB_HWCACHE_ALIGN |
					   SLAB_NO_MERGE,
					   offsetof(struct uet_txmsg,
						    inline_data),
					   UET_TXMSG_INLINE, uet_txmsg_ctor);
	uet_txbuf_cache = kmem_cache_create("uet_txbuf",
					    sizeof(struct uet_txbuf), 0,
					    SLAB_ACCOUNT | SLAB_NO_MERGE,
					    NULL);
	if (uet_txmsg_cache && uet_txbuf_cache)
		return 0;
	uet_txmsg_cache_exit();
	return -ENOMEM;
}

/**
 * uet_txmsg_cache_exit() - destroy the slab caches
 */
void uet_txmsg_cache_exit(void)
{
	kmem_cache_destroy(uet_txbuf_cache);
	kmem_cache_destroy(uet_txmsg_cache);
}

/* Take a message that is done and that the socket kept. */
static struct uet_txmsg *uet_txmsg_spare(struct uet_sock *us)
{
	struct llist_node *node;

	if (llist_empty(&us->tx_spare))
		return NULL;
	spin_lock(&us->dests_lock);
	node = llist_del_first(&us->tx_spare);
	spin_unlock(&us->dests_lock);
	if (!node)
		return NULL;
	atomic_dec(&us->tx_nr_spare);
	WRITE_ONCE(us->tx_pages.used, true);
	return llist_entry(node, struct uet_txmsg, spare);
}

/**
 * uet_txmsg_alloc() - a new message, empty
 * @us: its socket
 * @dest: its queue; the message takes a reference
 * @len: its length
 *
 * Context: process.
 * Return: the message with one reference, or NULL.
 */
struct uet_txmsg *uet_txmsg_alloc(struct uet_sock *us, struct uet_dest *dest,
				  u32 len)
{
	struct uet_txmsg *msg = uet_txmsg_spare(us);

	if (!msg)
		msg = kmem_cache_alloc(uet_txmsg_cache, GFP_KERNEL);
	if (!msg)
		return NULL;
	/* Later fields are written before they are read. */
	memset(msg, 0, offsetof(struct uet_txmsg, lock));
	INIT_LIST_HEAD(&msg->m.node);
	INIT_LIST_HEAD(&msg->bufs);
	refcount_set(&msg->ref, 1);
	refcount_inc(&dest->ref);
	msg->dest = dest;
	msg->born = jiffies;
	msg->fed = msg->born;
	msg->m.queue = &dest->q;
	msg->m.len = len;
	msg->m.eom = true;
	msg->inlined = len <= UET_TXMSG_INLINE;
	return msg;
}

/**
 * uet_txmsg_charge() - account for more data of a message
 * @msg: message
 * @us: its socket
 * @bytes: how much
 *
 * The first call also charges the message itself.
 *
 * Return: 0, or -ENOBUFS at the ceiling of the namespace.
 */
int uet_txmsg_charge(struct uet_txmsg *msg, struct uet_sock *us, u32 bytes)
{
	bool first = !msg->mem_charged;

	if (!uet_mem_charge(us->un, bytes + (first ? UET_TXMSG_OVERHEAD : 0)))
		return -ENOBUFS;
	if (first) {
		/* No one else knows the message yet */
		msg->mem_charged = true;
		msg->sk_charged = true;
		msg->charged = bytes;
		uet_sock_wcharge(us, msg->dest, bytes, true);
		return 0;
	}
	spin_lock_bh(&msg->lock);
	msg->charged += bytes;
	/* Not if it failed a moment ago: nothing would uncharge it */
	if (msg->sk_charged)
		uet_sock_wcharge(us, msg->dest, bytes, false);
	spin_unlock_bh(&msg->lock);
	return 0;
}

static void uet_txbuf_init(struct uet_txbuf *buf, u32 start)
{
	INIT_LIST_HEAD(&buf->node);
	buf->start = start;
	buf->len = 0;
	buf->nr = 0;
	buf->gone = 0;
}

static void uet_txbuf_free(struct uet_txmsg *msg, struct uet_txbuf *buf)
{
	u32 i;

	for (i = buf->gone; i < buf->nr; i++)
		put_page(buf->frags[i].page);
	if (buf != &msg->first)
		kmem_cache_free(uet_txbuf_cache, buf);
}

static void uet_txbufs_free(struct uet_txmsg *msg, struct list_head *bufs)
{
	struct uet_txbuf *buf, *next;

	list_for_each_entry_safe(buf, next, bufs, node) {
		list_del(&buf->node);
		uet_txbuf_free(msg, buf);
	}
}

/* Make room for a fragment at the end of @bufs. Blocks of a streamed message
 * that packets already refer to do not change.
 */
static struct uet_txbuf *uet_txbuf_tail(struct uet_txmsg *msg,
					struct list_head *bufs, u32 off)
{
	struct uet_txbuf *buf;

	if (!list_empty(bufs)) {
		buf = list_last_entry(bufs, struct uet_txbuf, node);
		if (buf->nr < UET_TXBUF_FRAGS)
			return buf;
	}
	if (!off)
		buf = &msg->first;
	else
		buf = kmem_cache_alloc(uet_txbuf_cache, GFP_KERNEL);
	if (!buf)
		return NULL;
	uet_txbuf_init(buf, off);
	list_add_tail(&buf->node, bufs);
	return buf;
}

static void uet_txbuf_append(struct uet_txbuf *buf, struct page_frag *pf, u32 n)
{
	struct uet_txfrag *last = buf->nr ? &buf->frags[buf->nr - 1] : NULL;

	if (last && last->page == pf->page &&
	    last->off + last->len == pf->offset) {
		last->len += n;
	} else {
		last = &buf->frags[buf->nr++];
		last->page = pf->page;
		last->off = pf->offset;
		last->len = n;
		get_page(pf->page);
	}
	buf->len += n;
	pf->offset += n;
}

/* Copy into the task's page, as TCP does. */
static int uet_txmsg_fill_pages(struct uet_txmsg *msg,
				struct uet_txpages *pages,
				struct list_head *bufs, struct iov_iter *from,
				u32 off, u32 bytes)
{
	struct page_frag *pf = &current->task_frag;

	while (bytes) {
		struct uet_txbuf *buf;
		u32 n;

		if (!uet_txpages_refill(pages, pf, bytes))
			return -ENOBUFS;
		buf = uet_txbuf_tail(msg, bufs, off);
		if (!buf)
			return -ENOBUFS;
		n = min_t(u32, bytes, pf->size - pf->offset);
		/* No highmem: the page was allocated with GFP_KERNEL. */
		if (!copy_from_iter_full(page_address(pf->page) + pf->offset,
					 n, from))
			return -EFAULT;
		uet_txbuf_append(buf, pf, n);
		off += n;
		bytes -= n;
	}
	return 0;
}

/**
 * uet_txmsg_fill() - copy data into a message
 * @msg: message
 * @us: its socket
 * @from: source
 * @off: offset in the message; pieces come in order
 * @bytes: how much, in all at most the length of the message
 *
 * Packets of a streamed message may be sent meanwhile: new blocks are added
 * once they are complete. The caller announces them with uet_pds_more().
 *
 * Context: process; sleeps.
 * Return: 0, -EFAULT or -ENOBUFS; then nothing was added.
 */
int uet_txmsg_fill(struct uet_txmsg *msg, struct uet_sock *us,
		   struct iov_iter *from, u32 off, u32 bytes)
{
	LIST_HEAD(bufs);
	int err;

	if (msg->inlined) {
		if (!copy_from_iter_full(msg->inline_data, bytes, from))
			return -EFAULT;
		return 0;
	}
	err = uet_txmsg_fill_pages(msg, &us->tx_pages, &bufs, from, off, bytes);
	if (err) {
		uet_txbufs_free(msg, &bufs);
		return err;
	}
	if (!msg->streamed) {
		list_splice_tail(&bufs, &msg->bufs);
		return 0;
	}
	spin_lock_bh(&msg->lock);
	list_splice_tail(&bufs, &msg->bufs);
	spin_unlock_bh(&msg->lock);
	return 0;
}

/* Uncharge the socket for a message, once. Only a streamed one needs the lock:
 * others belong to the flow from their submission on.
 */
static void uet_txmsg_unshare(struct uet_txmsg *msg, struct uet_sock *us)
{
	bool lock = msg->streamed;
	u32 charged;
	bool sk;

	if (unlikely(lock))
		spin_lock_bh(&msg->lock);
	sk = msg->sk_charged;
	msg->sk_charged = false;
	charged = msg->charged;
	if (unlikely(lock))
		spin_unlock_bh(&msg->lock);
	if (sk)
		uet_sock_wfree(us, msg->dest, charged, true);
}

/**
 * uet_txmsg_cancel() - drop a message that its sendmsg() gave up
 * @msg: message; never submitted, or withdrawn
 * @us: its socket
 *
 * Drops the caller's reference.
 */
void uet_txmsg_cancel(struct uet_txmsg *msg, struct uet_sock *us)
{
	uet_txmsg_unshare(msg, us);
	uet_txmsg_put(msg);
}

/* Find the block with the byte at @off. Packets are cut in sequence, so it is
 * mostly the one at the cursor or the next.
 */
static struct uet_txbuf *uet_txbuf_seek(struct uet_txmsg *msg, u32 off)
{
	struct uet_txbuf *buf = msg->cursor;

	if (list_empty(&msg->bufs))
		return NULL;
	if (!buf)
		buf = list_first_entry(&msg->bufs, struct uet_txbuf, node);
	while (off < buf->start) {
		if (list_is_first(&buf->node, &msg->bufs))
			return NULL;
		buf = list_prev_entry(buf, node);
	}
	while (off - buf->start >= buf->len) {
		if (list_is_last(&buf->node, &msg->bufs))
			return NULL;
		buf = list_next_entry(buf, node);
	}
	/* Fragments are in sequence, too. */
	if (buf != msg->cursor || off - buf->start < msg->cursor_off) {
		msg->cursor_frag = 0;
		msg->cursor_off = 0;
	}
	msg->cursor = buf;
	return buf;
}

static bool uet_skb_add_frag(struct sk_buff *skb, struct page *page, u32 off,
			     u32 len)
{
	int i = skb_shinfo(skb)->nr_frags;

	if (skb_can_coalesce(skb, i, page, off)) {
		skb_frag_size_add(&skb_shinfo(skb)->frags[i - 1], len);
	} else {
		if (i >= MAX_SKB_FRAGS)
			return false;
		get_page(page);
		skb_fill_page_desc(skb, i, page, off, len);
	}
	skb->len += len;
	skb->data_len += len;
	skb->truesize += len;
	return true;
}

static int uet_txmsg_attach_pages(struct uet_txmsg *msg, struct sk_buff *skb,
				  u32 off, u32 len)
{
	struct uet_txbuf *buf = uet_txbuf_seek(msg, off);
	u32 i;

	if (!buf)
		return -EINVAL;
	i = msg->cursor_frag;
	off -= buf->start + msg->cursor_off;
	while (off >= buf->frags[i].len) {
		off -= buf->frags[i].len;
		msg->cursor_off += buf->frags[i++].len;
	}
	msg->cursor_frag = i;
	while (len) {
		struct uet_txfrag *frag;
		u32 n;

		if (i == buf->nr) {
			if (list_is_last(&buf->node, &msg->bufs))
				return -EINVAL;
			buf = list_next_entry(buf, node);
			i = 0;
		}
		frag = &buf->frags[i++];
		n = min(len, frag->len - off);
		if (!uet_skb_add_frag(skb, frag->page, frag->off + off, n))
			return -EMSGSIZE;
		off = 0;
		len -= n;
	}
	return 0;
}

/**
 * uet_txmsg_attach() - make part of a message the payload of a packet
 * @msg: message
 * @skb: packet, headers built; inlined data goes to its tailroom, other data
 *	is added by reference
 * @off: offset in the message, not released yet
 * @len: bytes
 *
 * Context: the flow lock serialises.
 * Return: 0, -EINVAL if the data is not there, -EMSGSIZE if the packet has too
 * few fragments left. On error the packet is of no use.
 */
int uet_txmsg_attach(struct uet_txmsg *msg, struct sk_buff *skb, u32 off,
		     u32 len)
{
	int err;

	if (!len)
		return 0;
	if (msg->inlined) {
		if (off > msg->m.len || len > msg->m.len - off ||
		    skb_tailroom(skb) < len)
			return -EINVAL;
		__skb_put_data(skb, msg->inline_data + off, len);
		return 0;
	}
	if (!msg->streamed)
		return uet_txmsg_attach_pages(msg, skb, off, len);
	spin_lock_bh(&msg->lock);
	err = uet_txmsg_attach_pages(msg, skb, off, len);
	spin_unlock_bh(&msg->lock);
	return err;
}

static void uet_txmsg_uncharge(struct uet_txmsg *msg, u32 bytes)
{
	struct uet_dest *dest = msg->dest;

	bool sk;

	uet_mem_uncharge(dest->un, bytes);
	spin_lock_bh(&msg->lock);
	msg->charged -= bytes;
	sk = msg->sk_charged;
	spin_unlock_bh(&msg->lock);
	if (sk && dest->us)
		uet_sock_wfree(dest->us, dest, bytes, false);
}

/* Free the pages that hold no data from @end on. */
static void uet_txbuf_trim(struct uet_txbuf *buf, u32 end)
{
	u32 at = buf->start, i;

	for (i = 0; i < buf->nr; i++) {
		at += buf->frags[i].len;
		if (at > end)
			break;
		if (i == buf->gone)
			put_page(buf->frags[buf->gone++].page);
	}
}

/* Move the blocks below @end to @gone; returns where the rest begins */
static u32 uet_txmsg_cut(struct uet_txmsg *msg, u32 end,
			 struct list_head *gone)
{
	struct uet_txbuf *buf, *next;
	u32 freed = msg->freed;

	list_for_each_entry_safe(buf, next, &msg->bufs, node) {
		if (end < buf->start || end - buf->start < buf->len)
			break;
		if (msg->cursor == buf)
			msg->cursor = NULL;
		freed = buf->start + buf->len;
		list_move_tail(&buf->node, gone);
	}
	/* The rest fills no packet: nothing is sent before sendmsg() adds data,
	 * which may need the room that this frees.
	 */
	if (msg->streamed && end == msg->m.sent && end > freed) {
		uet_txbuf_trim(buf, end);
		freed = end;
	}
	return freed;
}

/**
 * uet_txmsg_release() - free data that the peer has for good
 * @msg: message; afterwards it cannot be resent from the start
 * @end: offset below which no byte is needed again
 *
 * Blocks are freed as a whole, except for the one that the last packet of an
 * unfinished message ends in.
 *
 * Context: flow lock held.
 */
void uet_txmsg_release(struct uet_txmsg *msg, u32 end)
{
	LIST_HEAD(gone);
	u32 freed;

	if (msg->inlined)
		return;
	spin_lock_bh(&msg->lock);
	freed = uet_txmsg_cut(msg, end, &gone);
	spin_unlock_bh(&msg->lock);
	if (freed == msg->freed)
		return;
	uet_txbufs_free(msg, &gone);
	uet_txmsg_uncharge(msg, freed - msg->freed);
	msg->freed = freed;
}

static void uet_txmsg_clear(struct uet_txmsg *msg)
{
	if (!msg->inlined)
		uet_txbufs_free(msg, &msg->bufs);
	if (msg->mem_charged)
		uet_mem_uncharge(msg->dest->un,
				 msg->charged + UET_TXMSG_OVERHEAD);
}

/**
 * uet_txmsg_free() - free a message without references
 * @msg: message
 *
 * Context: any.
 */
void uet_txmsg_free(struct uet_txmsg *msg)
{
	struct uet_dest *dest = msg->dest;

	uet_txmsg_clear(msg);
	kmem_cache_free(uet_txmsg_cache, msg);
	uet_dest_put(dest);
}

/**
 * uet_txmsg_retire() - drop the reference of its queue to a message that is done
 * @msg: message
 *
 * If it was the last one, the socket may keep the message for reuse.
 *
 * Context: flow lock held.
 */
void uet_txmsg_retire(struct uet_txmsg *msg)
{
	struct uet_dest *dest = msg->dest;
	struct uet_sock *us = dest->us;

	if (!refcount_dec_and_test(&msg->ref))
		return;
	/* With KASAN free it, so that a use after free is found. */
	if (IS_ENABLED(CONFIG_KASAN) || !us ||
	    atomic_read(&us->tx_nr_spare) >= UET_TXMSG_SPARES) {
		uet_txmsg_free(msg);
		return;
	}
	uet_txmsg_clear(msg);
	atomic_inc(&us->tx_nr_spare);
	/* The first one starts the timer that frees all at idle. */
	if (llist_add(&msg->spare, &us->tx_spare))
		uet_txpages_idle(us);
	uet_dest_put(dest);
}

/**
 * uet_txmsg_drop_spares() - free the messages that a socket keeps
 * @us: the socket; no sender is in it
 *
 * Context: any.
 */
void uet_txmsg_drop_spares(struct uet_sock *us)
{
	struct llist_node *list = llist_del_all(&us->tx_spare);
	struct uet_txmsg *msg, *next;

	llist_for_each_entry_safe(msg, next, list, spare) {
		atomic_dec(&us->tx_nr_spare);
		kmem_cache_free(uet_txmsg_cache, msg);
	}
}

/**
 * uet_txmsg_try_drop_spares() - uet_txmsg_drop_spares() despite senders
 * @us: the socket
 *
 * Context: any.
 * Return: false, and nothing was done, if a sender holds the lock.
 */
bool uet_txmsg_try_drop_spares(struct uet_sock *us)
{
	/* Senders hold the lock with BH enabled: do not spin on it. */
	if (!spin_trylock(&us->dests_lock))
		return false;
	uet_txmsg_drop_spares(us);
	spin_unlock(&us->dests_lock);
	return true;
}

static void uet_txmsg_report(struct uet_txmsg *msg, struct uet_sock *us,
			     int error, u8 source, u16 code)
{
	struct uet_report rep = {
		.error = error < 0 ? -error : error,
		.type = error ? UET_REPORT_FAILED : UET_REPORT_DELIVERED,
		.source = source,
		.code = code,
		.cookie = msg->cookie,
		.cookie_last = msg->cookie,
		.length = msg->m.len,
	};
	struct sockaddr_uet peer;

	uet_dest_name(&msg->dest->key, &peer);
	uet_sock_report(us, &rep, &peer);
}

/* What the end of a message says of an endpoint that is watched */
static void uet_txmsg_tell(struct uet_txmsg *msg, int error, u8 source,
			   u16 code)
{
	struct uet_dest *dest = msg->dest;

	if (dest->key.watch)
		uet_watch_answered(dest, error, source, code);
	else
		uet_contact_msg_done(msg, error, source, code);
}

/**
 * uet_txmsg_done() - report and uncharge a message that arrived or failed
 * @msg: message
 * @error: 0, or the errno of the failure
 * @source: enum uet_report_source
 * @code: meaning depends on @source
 *
 * Called once per message. A sendmsg() that still streams into it returns the
 * failure itself; a message that the sender withdrew is not reported.
 *
 * Context: BH disabled, lock of the queue or of its flow held.
 */
void uet_txmsg_done(struct uet_txmsg *msg, int error, u8 source, u16 code)
{
	struct uet_dest *dest = msg->dest;
	struct uet_sock *us = dest->us;

	trace_uet_msg_done(msg, error, source, code);
	if (unlikely(dest->watch)) {
		if (us)
			uet_txmsg_tell(msg, error, source, code);
		if (dest->key.watch)
			return;
	}
	if (error)
		UET_INC(dest->un, MSG_FAILED);
	else
		UET_INC(dest->un, MSG_DONE);
	if (error && !msg->m.eom)
		WRITE_ONCE(msg->error, error < 0 ? -error : error);
	if (!us)
		return;
	if (!msg->m.withdrawn && !msg->error &&
	    (error || READ_ONCE(us->notify)))
		uet_txmsg_report(msg, us, error, source, code);
	uet_txmsg_unshare(msg, us);
	if (msg->error)
		uet_sock_wake_tx(us);
}
