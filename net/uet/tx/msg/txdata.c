// SPDX-License-Identifier: GPL-2.0
/*
 * The data of outgoing messages: sendmsg() copies it once, all transmissions of
 * a packet refer to it, and acknowledgments free it. Pages of the sender or of a file
 * (tx/msg/txpin.c) take the place of the copy in long messages with MSG_ZEROCOPY and in
 * those of splice() and sendfile().
 *
 * The data of a message whose packets may leave in runs is laid out for that:
 *
 *	[gap][payload][gap][payload]...
 *
 * A gap is as long as the headers of a packet. The headers of all packets of a run
 * but the first are written there, so that the run lies together in memory. Who
 * refers to it then, on this host or another one, must not see them change: a gap
 * is written once, when its packet is sent for the first time. Retransmissions
 * have their headers elsewhere.
 *
 * Not here: how messages are charged (tx/msg/txmsg.c), pages (tx/msg/txpage.c), headers
 * (tx/pds/req.c).
 */
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/skbuff.h>
#include <linux/slab.h>
#include <linux/uio.h>

#include "compat.h"
#include "core/wire/hdr_run.h"
#include "sock.h"
#include "tx/msg/txdata.h"
#include "tx/msg/txmsg.h"
#include "tx/msg/txpage.h"
#include "tx/msg/txpin.h"

/* Bytes that are worth a fragment */
#define UET_TXFRAG_LEAST	32U

static struct kmem_cache *uet_txbuf_cache;

/**
 * uet_txdata_cache_init() - make the slab cache
 *
 * Return: 0 or -ENOMEM.
 */
int uet_txdata_cache_init(void)
{
	uet_txbuf_cache = kmem_cache_create("uet_txbuf",
					    sizeof(struct uet_txbuf), 0,
					    SLAB_ACCOUNT | SLAB_NO_MERGE,
					    NULL);
	return uet_txbuf_cache ? 0 : -ENOMEM;
}

/**
 * uet_txdata_cache_exit() - destroy the slab cache
 */
void uet_txdata_cache_exit(void)
{
	kmem_cache_destroy(uet_txbuf_cache);
}

/**
 * uet_txdata_lay_out() - decide how the data of a message will lie in memory
 * @msg: message, empty, streamed or not
 * @payload: payload of its packets, if they may leave in runs; else 0
 *
 * Context: process.
 */
void uet_txdata_lay_out(struct uet_txmsg *msg, u32 payload)
{
	if (!payload)
		return;
	/* In one block: data of a streamed message may lie in several. */
	msg->m.joins = msg->m.len <= payload && !msg->streamed;
	if (msg->inlined)
		return;
	msg->slot = payload;
	if (msg->m.len > payload)
		msg->m.run_len = payload;
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

/**
 * uet_txbuf_tail() - make room for a fragment
 * @msg: message
 * @bufs: blocks; those of a streamed message that packets already refer to do not
 *	change
 * @off: offset in the message of the first byte
 *
 * Context: process; sleeps.
 * Return: the last block, with a fragment to spare; NULL without memory.
 */
struct uet_txbuf *uet_txbuf_tail(struct uet_txmsg *msg, struct list_head *bufs,
				 u32 off)
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

/* Where the byte at @off of the message lies in the page of @frag, which begins
 * with the byte at @start
 */
static u32 uet_txfrag_at(const struct uet_txmsg *msg,
			 const struct uet_txfrag *frag, u32 start, u32 off)
{
	u32 gaps = msg->slot ? off / msg->slot - start / msg->slot : 0;

	return frag->off + off - start + gaps * UET_HDR_RUN_LEN;
}

/* Add @n bytes of the message that were written into @pf, with @gap bytes before the
 * first one, up to the offset @at. The last fragment ends at @end.
 */
static void uet_txbuf_append(struct uet_txbuf *buf, struct page_frag *pf,
			     u32 gap, u32 n, u32 at, u32 *end)
{
	struct uet_txfrag *last = buf->nr ? &buf->frags[buf->nr - 1] : NULL;

	if (last && last->page == pf->page && *end == pf->offset) {
		last->len += n;
	} else {
		last = &buf->frags[buf->nr++];
		last->page = pf->page;
		last->off = pf->offset + gap;
		last->len = n;
		get_page(pf->page);
	}
	buf->len += n;
	pf->offset = at;
	*end = at;
}

/**
 * struct uet_txfill - data on its way from a system call into a message
 * @from: source
 * @left: bytes to copy
 * @slot: bytes between gaps, 0 without any
 * @phase: bytes of the current slot that were copied
 */
struct uet_txfill {
	struct iov_iter	*from;
	u32		left;
	u32		slot;
	u32		phase;
};

/* The gap before the next byte */
static u32 uet_txfill_gap(const struct uet_txfill *f)
{
	return f->slot && !f->phase ? UET_HDR_RUN_LEN : 0;
}

/* The next bytes that lie together */
static u32 uet_txfill_piece(const struct uet_txfill *f)
{
	return f->slot ? min(f->left, f->slot - f->phase) : f->left;
}

/* What the next piece has to have room for */
static u32 uet_txfill_least(const struct uet_txfill *f)
{
	return uet_txfill_gap(f) + min(uet_txfill_piece(f), UET_TXFRAG_LEAST);
}

/* Copy whole slots from @at on, as many as the page has room for: the loop that most of a
 * long message takes. Returns where they end, or -EFAULT.
 */
static int uet_txfill_slots(struct uet_txfill *f, u8 *page, u32 at, u32 size)
{
	u32 slot = f->slot, stride = UET_HDR_RUN_LEN + slot;
	u32 n = min(f->left / slot, (size - at) / stride), end = at + n * stride;

	for (; at < end; at += stride)
		if (_copy_from_iter(page + at + UET_HDR_RUN_LEN, slot,
				    f->from) != slot)
			return -EFAULT;
	f->left -= n * slot;
	return at;
}

/* Copy as much as the page has room for, which is at least uet_txfill_least(). Returns
 * where it ends in the page, or -EFAULT.
 */
static int uet_txfill_page(struct uet_txfill *f, const struct page_frag *pf)
{
	/* No highmem: the page was allocated with GFP_KERNEL. Nor is it slab memory,
	 * so copy_from_iter() has no object to check.
	 */
	u8 *page = page_address(pf->page);
	u32 n;
	int at = pf->offset;

	do {
		if (uet_txfill_gap(f)) {
			at = uet_txfill_slots(f, page, at, pf->size);
			if (at < 0)
				return at;
			if (!f->left || at + uet_txfill_least(f) > pf->size)
				break;
		}
		at += uet_txfill_gap(f);
		n = min(uet_txfill_piece(f), pf->size - at);
		if (_copy_from_iter(page + at, n, f->from) != n)
			return -EFAULT;
		at += n;
		f->left -= n;
		f->phase += n;
		if (f->phase == f->slot)
			f->phase = 0;
	} while (f->left && at + uet_txfill_least(f) <= pf->size);
	return at;
}

/* Copy into the task's page, as TCP does. */
static int uet_txdata_fill_pages(struct uet_txmsg *msg,
				 struct uet_txpages *pages,
				 struct list_head *bufs, struct iov_iter *from,
				 u32 off, u32 bytes)
{
	struct page_frag *pf = &current->task_frag;
	struct uet_txfill f = {
		.from = from, .left = bytes, .slot = msg->slot,
		.phase = msg->slot ? off % msg->slot : 0,
	};
	u32 end = 0;

	while (f.left) {
		u32 gap = uet_txfill_gap(&f), left = f.left;
		struct uet_txbuf *buf;
		int at;

		/* In any case before the first piece: if nobody but the task
		 * refers to the page, refilling starts it from offset 0.
		 */
		if ((!end || pf->offset + uet_txfill_least(&f) > pf->size) &&
		    !uet_txpages_refill(pages, pf, uet_txfill_least(&f)))
			return -ENOBUFS;
		buf = uet_txbuf_tail(msg, bufs, off);
		if (!buf)
			return -ENOBUFS;
		at = uet_txfill_page(&f, pf);
		if (at < 0)
			return at;
		uet_txbuf_append(buf, pf, gap, left - f.left, at, &end);
		off += left - f.left;
	}
	return 0;
}

/**
 * uet_txdata_fill() - copy data into a message
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
int uet_txdata_fill(struct uet_txmsg *msg, struct uet_sock *us,
		    struct iov_iter *from, u32 off, u32 bytes)
{
	LIST_HEAD(bufs);
	int err;

	if (msg->inlined) {
		if (!copy_from_iter_full(msg->inline_data, bytes, from))
			return -EFAULT;
		return 0;
	}
	err = uet_txdata_fill_pages(msg, &us->tx_pages, &bufs, from, off, bytes);
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

/* Move the fragments of a block to the end of another one that has room for them. */
static void uet_txbuf_merge(struct uet_txbuf *to, struct uet_txbuf *from)
{
	struct uet_txfrag *last = &to->frags[to->nr - 1];
	u32 i = 0;

	if (last->page == from->frags[0].page &&
	    last->off + last->len == from->frags[0].off) {
		last->len += from->frags[0].len;
		put_page(from->frags[i++].page);
	}
	memcpy(last + 1, &from->frags[i], (from->nr - i) * sizeof(*last));
	to->nr += from->nr - i;
	to->len += from->len;
	list_del(&from->node);
	kmem_cache_free(uet_txbuf_cache, from);
}

/* Add blocks to a message. Else who sends a message byte by byte would have a block
 * for each.
 */
static void uet_txbufs_join(struct uet_txmsg *msg, struct list_head *bufs)
{
	struct uet_txbuf *last, *first;

	if (!list_empty(&msg->bufs) && !list_empty(bufs)) {
		last = list_last_entry(&msg->bufs, struct uet_txbuf, node);
		first = list_first_entry(bufs, struct uet_txbuf, node);
		if (last->nr + first->nr <= UET_TXBUF_FRAGS)
			uet_txbuf_merge(last, first);
	}
	list_splice_tail(bufs, &msg->bufs);
}

/**
 * uet_txdata_collect() - add data to a message that several calls put together
 * @msg: message, not inlined, not laid out, not queued
 * @us: its socket
 * @from: source
 * @bytes: how much
 * @refer: @from has pages to refer to; short pieces of them are copied
 *
 * Context: process; sleeps. The calls are serialised.
 * Return: 0, -EFAULT or -ENOBUFS; then nothing was added.
 */
int uet_txdata_collect(struct uet_txmsg *msg, struct uet_sock *us,
		       struct iov_iter *from, u32 bytes, bool refer)
{
	u32 off = msg->m.len, end = off + bytes, n;
	LIST_HEAD(bufs);
	int err = 0;

	for (; off < end && !err; off += n) {
		n = end - off;
		if (refer)
			n = min_t(size_t, n, iov_iter_single_seg_count(from));
		if (refer && uet_txpin_refers(from, n))
			err = uet_txpin_refer(msg, &bufs, from, off, n);
		else
			err = uet_txdata_fill_pages(msg, &us->tx_pages, &bufs,
						    from, off, n);
	}
	if (err) {
		uet_txbufs_free(msg, &bufs);
		return err;
	}
	uet_txbufs_join(msg, &bufs);
	msg->m.len = end;
	return 0;
}

/* Set the cursor to the byte at @off; returns its block, or NULL. Packets are cut in
 * sequence, so it is mostly the one at the cursor or the next.
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
	off -= buf->start;
	if (buf != msg->cursor || off < msg->cursor_off) {
		msg->cursor_frag = 0;
		msg->cursor_off = 0;
	}
	msg->cursor = buf;
	/* Fragments are in sequence, too. */
	while (off - msg->cursor_off >= buf->frags[msg->cursor_frag].len)
		msg->cursor_off += buf->frags[msg->cursor_frag++].len;
	return buf;
}

/**
 * uet_skb_add_frag() - add a piece of a page to a packet
 * @skb: packet
 * @page: the page; the packet takes a reference of its own
 * @off: where the piece begins
 * @len: bytes
 *
 * Return: false if the packet has no fragment left.
 */
bool uet_skb_add_frag(struct sk_buff *skb, struct page *page, u32 off, u32 len)
{
	int i = skb_shinfo(skb)->nr_frags;

	if (skb_can_coalesce(skb, i, page, off)) {
		skb_frag_size_add(&skb_shinfo(skb)->frags[i - 1], len);
	} else {
		if (i >= UET_TX_SKB_FRAGS)
			return false;
		get_page(page);
		skb_fill_page_desc(skb, i, page, off, len);
	}
	skb->len += len;
	skb->data_len += len;
	skb->truesize += len;
	return true;
}

/* A part of a message that lies in one fragment: @len bytes from @off of the message
 * on. The fragment begins with the byte at @start.
 */
struct uet_txpiece {
	const struct uet_txfrag	*frag;
	u32			start;
	u32			off;
	u32			len;
};

/* Add a piece to a packet, up to the next gap; by reference, or to the tailroom of one
 * that was made for a copy. Returns how much that is.
 */
static int uet_txdata_attach_piece(const struct uet_txmsg *msg,
				   struct sk_buff *skb,
				   const struct uet_txpiece *p, bool copy)
{
	u32 at = uet_txfrag_at(msg, p->frag, p->start, p->off), n = p->len;

	if (msg->slot)
		n = min(n, msg->slot - p->off % msg->slot);
	if (unlikely(copy)) {
		__skb_put_data(skb, (u8 *)page_address(p->frag->page) + at, n);
		return n;
	}
	return uet_skb_add_frag(skb, p->frag->page, at, n) ? n : -EMSGSIZE;
}

/* Add a piece to a run, with the gaps in it. The gap in front of the first packet is
 * left out: its headers are in the linear part of the buffer.
 */
static int uet_txdata_attach_slots(const struct uet_txmsg *msg,
				   struct sk_buff *skb,
				   const struct uet_txpiece *p,
				   struct uet_txgaps *gaps)
{
	u32 begin = uet_txfrag_at(msg, p->frag, p->start, p->off), end = begin;
	u8 *page = page_address(p->frag->page);
	u32 phase = p->off % msg->slot, left = msg->slot - phase, n = p->len;

	if (!phase && skb->data_len) {
		begin -= UET_HDR_RUN_LEN;
		gaps->at[gaps->n++] = page + begin;
	}
	for (; n > left; left = msg->slot) {
		n -= left;
		end += left;
		gaps->at[gaps->n++] = page + end;
		end += UET_HDR_RUN_LEN;
	}
	end += n;
	return uet_skb_add_frag(skb, p->frag->page, begin, end - begin) ?
	       p->len : -EMSGSIZE;
}

/* Add part of a message to a packet; of a run with the gaps behind the first one. */
static int uet_txdata_attach_pages(struct uet_txmsg *msg, struct sk_buff *skb,
				   u32 off, u32 len, struct uet_txgaps *gaps,
				   bool copy)
{
	struct uet_txbuf *buf = uet_txbuf_seek(msg, off);
	struct uet_txpiece p = { .off = off };
	int n;

	if (!buf)
		return -EINVAL;
	p.frag = &buf->frags[msg->cursor_frag];
	p.start = buf->start + msg->cursor_off;
	while (len) {
		if (p.off - p.start == p.frag->len) {
			p.start += p.frag->len;
			if (++p.frag == &buf->frags[buf->nr]) {
				if (list_is_last(&buf->node, &msg->bufs))
					return -EINVAL;
				buf = list_next_entry(buf, node);
				p.frag = buf->frags;
			}
		}
		p.len = min(len, p.frag->len - (p.off - p.start));
		n = gaps ? uet_txdata_attach_slots(msg, skb, &p, gaps) :
			   uet_txdata_attach_piece(msg, skb, &p, copy);
		if (n < 0)
			return n;
		p.off += n;
		len -= n;
	}
	return 0;
}

/**
 * uet_txdata_refer() - add references to part of a message to a packet or run
 * @msg: message, not inlined
 * @skb: packet
 * @off: offset in the message
 * @len: bytes
 * @gaps: of a run: set to the gaps behind the first packet; else NULL
 *
 * Context: the flow lock serialises.
 * Return: see uet_txdata_attach().
 */
int uet_txdata_refer(struct uet_txmsg *msg, struct sk_buff *skb, u32 off, u32 len,
		     struct uet_txgaps *gaps)
{
	return uet_txdata_attach_pages(msg, skb, off, len, gaps, false);
}

static int uet_txdata_attach_locked(struct uet_txmsg *msg, struct sk_buff *skb,
				    u32 off, u32 len, struct uet_txgaps *gaps,
				    bool copy)
{
	int err;

	if (!msg->streamed)
		return uet_txdata_attach_pages(msg, skb, off, len, gaps, copy);
	spin_lock_bh(&msg->lock);
	err = uet_txdata_attach_pages(msg, skb, off, len, gaps, copy);
	spin_unlock_bh(&msg->lock);
	return err;
}

/**
 * uet_txdata_attach() - make part of a message the payload of a packet
 * @msg: message, not inlined
 * @skb: packet, headers built; the data is added by reference
 * @off: offset in the message, not released yet
 * @len: bytes
 *
 * Context: the flow lock serialises.
 * Return: 0, -EINVAL if the data is not there, -EMSGSIZE if the packet has too
 * few fragments left. On error the packet is of no use.
 */
int uet_txdata_attach(struct uet_txmsg *msg, struct sk_buff *skb, u32 off,
		      u32 len)
{
	if (unlikely(msg->pinned))
		return uet_txpin_attach(msg, skb, off, len);
	return uet_txdata_attach_locked(msg, skb, off, len, NULL, false);
}

/**
 * uet_txdata_copy() - copy part of a message into a packet
 * @msg: message, not inlined
 * @skb: packet, headers built, with tailroom for @len bytes
 * @off: offset in the message, not released yet
 * @len: bytes
 *
 * For data that lies in more places than a packet has fragments: gaps part it where
 * packets became many times larger since it was laid out.
 *
 * Context: the flow lock serialises.
 * Return: see uet_txdata_attach().
 */
int uet_txdata_copy(struct uet_txmsg *msg, struct sk_buff *skb, u32 off, u32 len)
{
	if (skb_tailroom(skb) < len)
		return -EINVAL;
	return uet_txdata_attach_locked(msg, skb, off, len, NULL, true);
}

/**
 * uet_txdata_attach_run() - make part of a message the payload of a run
 * @msg: message, laid out for runs or pinned
 * @skb: buffer with the headers of the first packet
 * @off: offset in the message where a packet begins, not released yet
 * @len: bytes of all packets
 * @gaps: set to where the headers of the others belong
 *
 * Context: the flow lock serialises.
 * Return: see uet_txdata_attach().
 */
int uet_txdata_attach_run(struct uet_txmsg *msg, struct sk_buff *skb, u32 off,
			  u32 len, struct uet_txgaps *gaps)
{
	gaps->n = 0;
	if (unlikely(msg->pinned))
		return uet_txpin_attach_run(msg, skb, off, len, gaps);
	return uet_txdata_attach_locked(msg, skb, off, len, gaps, false);
}

/**
 * uet_txdata_joins() - can all of a message be added to a buffer?
 * @msg: message of one packet, laid out for that
 * @skb: the buffer
 *
 * Context: the flow lock serialises.
 * Return: true if there is room for it.
 */
bool uet_txdata_joins(const struct uet_txmsg *msg, const struct sk_buff *skb)
{
	if (msg->inlined)
		return skb_tailroom(skb) >= UET_HDR_RUN_LEN + msg->m.len;
	return skb_shinfo(skb)->nr_frags + msg->first.nr <= UET_TX_SKB_FRAGS;
}

/**
 * uet_txdata_join() - add all of a message to a buffer
 * @msg: message of one packet, laid out for that
 * @skb: the buffer, which has room for it
 *
 * Context: the flow lock serialises.
 * Return: where UET_HDR_RUN_LEN bytes of headers belong.
 */
u8 *uet_txdata_join(struct uet_txmsg *msg, struct sk_buff *skb)
{
	const struct uet_txfrag *frag = msg->first.frags;
	u32 gap = UET_HDR_RUN_LEN, i;
	u8 *to;

	if (msg->inlined) {
		to = __skb_put(skb, UET_HDR_RUN_LEN + msg->m.len);
		memcpy(to + UET_HDR_RUN_LEN, msg->inline_data, msg->m.len);
		return to;
	}

	for (i = 0; i < msg->first.nr; i++, frag++, gap = 0)
		uet_skb_add_frag(skb, frag->page, frag->off - gap,
				 frag->len + gap);
	frag = msg->first.frags;
	return (u8 *)page_address(frag->page) + frag->off - UET_HDR_RUN_LEN;
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
static u32 uet_txdata_cut(struct uet_txmsg *msg, u32 end,
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
 * uet_txdata_release() - free data that the peer has for good
 * @msg: message; afterwards it cannot be resent from the start
 * @end: offset below which no byte is needed again
 *
 * Blocks are freed as a whole, except for the one that the last packet of an
 * unfinished message ends in.
 *
 * Context: flow lock held.
 */
void uet_txdata_release(struct uet_txmsg *msg, u32 end)
{
	LIST_HEAD(gone);
	u32 freed;

	if (msg->inlined)
		return;
	spin_lock_bh(&msg->lock);
	freed = uet_txdata_cut(msg, end, &gone);
	spin_unlock_bh(&msg->lock);
	if (freed == msg->freed)
		return;
	uet_txbufs_free(msg, &gone);
	if (likely(!msg->lent))
		uet_txmsg_uncharge(msg, freed - msg->freed);
	msg->freed = freed;
}

/**
 * uet_txdata_clear() - free all data of a message
 * @msg: message without references, not inlined
 *
 * Context: any.
 */
void uet_txdata_clear(struct uet_txmsg *msg)
{
	uet_txbufs_free(msg, &msg->bufs);
}
