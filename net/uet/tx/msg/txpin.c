// SPDX-License-Identifier: GPL-2.0
/*
 * Messages whose data is not copied: MSG_ZEROCOPY, splice() and sendfile().
 *
 * With MSG_ZEROCOPY (Documentation/networking/msg_zerocopy.rst) packets refer to the
 * pages of the sender, who must not change them before it is told on
 * the error queue that they are free. That is the kernel's own notification, struct
 * ubuf_info: the call, the message and each packet on its way have a reference. A
 * receiver on this host gets a copy (skb_orphan_frags_rx()), so that neither it sees
 * what the sender writes later, nor the sender waits for it to read.
 *
 * A notification holds the socket that it is for, and a packet may wait in a queue
 * for long. So that is the owner socket (link/owner.c), which outlives this module and
 * its namespace; its error queue is read with that of the AF_UET socket
 * (tx/msg/report.c). When the socket closes its messages keep their notifications, and
 * the pages stay charged until they are done, but nobody is told.
 *
 * splice() and sendfile() have nobody to tell: packets refer to the pages of a file or
 * pipe, and may show what is written to the file meanwhile (sendfile(2)); packets on
 * their way are marked for that (SKBFL_SHARED_FRAG), and one whose checksum is wrong by
 * it is lost and sent again.
 *
 * A run of packets has the headers of all packets but the first in memory of its own,
 * since pages of the sender have no gaps for them (tx/msg/txdata.c):
 *
 *	linear	[hdr]
 *	frags	[payload] [hdr][payload] [hdr][payload]...
 *
 * Not here: whether a message may be queued at all (sock/sendmsg.c), how several calls
 * put one together (sock/sendpart.c).
 */
#include <linux/mm.h>
#include <linux/skbuff.h>
#include <linux/uio.h>
#include <net/sock.h>

#include "compat.h"
#include "core/wire/hdr_run.h"
#include "sock.h"
#include "cq/buffer.h"
#include "tx/msg/done.h"
#include "tx/msg/op.h"
#include "tx/msg/txdata.h"
#include "tx/msg/txmsg.h"
#include "tx/msg/txpin.h"
#include "tx/msg/wmem.h"

/* Shorter messages are copied: pages and notifications have a price of their own; the
 * kernel's manual says that they pay from some 10 KiB on.
 */
#define UET_TXPIN_LEAST		16384U

/* Segments of a vector that may be shorter than a page. Each has two fragments at
 * most, and what else a packet of 8192 bytes refers to has 10: it fits MAX_SKB_FRAGS.
 */
#define UET_TXPIN_SHORT		3

/* Shorter pieces of pages that splice() has are copied. So the payload of a packet lies
 * in few places: at most 10 if it has 8192 bytes and is of one call.
 */
#define UET_TXPIN_PIECE		(PAGE_SIZE / 2)

/* Pages taken in one step */
#define UET_TXPIN_BATCH		16

static_assert(2 * UET_TXPIN_SHORT + 10 <= UET_TX_SKB_FRAGS);

/**
 * uet_txpin_worth() - is a message to be sent from the pages of its sender?
 * @us: the socket
 * @from: the data
 * @len: bytes
 *
 * If not, it is copied: if it is short, in small pieces, or streamed, since its pages
 * would be held for as long as the call lasts, which tells as well as a notification
 * that they are free.
 *
 * Return: true if so.
 */
bool uet_txpin_worth(const struct uet_sock *us, const struct iov_iter *from,
		     size_t len)
{
	const struct iovec *iov;
	unsigned long i;
	u32 n = 0;

	if (len < UET_TXPIN_LEAST || len > uet_sock_sndbuf(us))
		return false;
	/* Sockets of the kernel have no owner socket. */
	if (user_backed_iter(from) ? !us->owner : !iov_iter_is_bvec(from))
		return false;
	if (!iter_is_iovec(from))
		return true;
	iov = uet_iter_iov(from);
	for (i = 0; i < from->nr_segs; i++)
		if (iov[i].iov_len < PAGE_SIZE && ++n > UET_TXPIN_SHORT)
			return false;
	return true;
}

/**
 * uet_txpin_begin() - prepare the notification of a call
 * @us: the socket
 * @pinned: bytes that stay where they are, 0 if the message is copied
 *
 * Charged to net.core.optmem_max, and @pinned to RLIMIT_MEMLOCK.
 *
 * Context: process; sleeps.
 * Return: the notification with the reference of the call; NULL at a limit.
 */
struct ubuf_info *uet_txpin_begin(struct uet_sock *us, size_t pinned)
{
	struct sock *sk = us->owner ?: &us->sk;
	struct ubuf_info *ubuf;

	/* Pairs with uet_rxposts_begin(). */
	if (smp_load_acquire(&us->cq))
		return uet_done_ubuf(us, pinned);
	ubuf = uet_zerocopy_alloc(sk, pinned);
	if (ubuf && !pinned)
		uarg_to_msgzc(ubuf)->zerocopy = 0;
	return ubuf;
}

/**
 * uet_txpin_end() - the call ends
 * @us: the socket
 * @ubuf: its notification; the reference is consumed
 * @sent: the message was taken over; else there is no notification
 *
 * Only now the notification gets its id: that of sk_zckey would be lost with a call
 * that fails, or given twice if calls of two threads overlap, as they may here.
 */
void uet_txpin_end(struct uet_sock *us, struct ubuf_info *ubuf, bool sent)
{
	if (uet_done_ubuf_end(ubuf, sent))
		return;
	if (!sent) {
		net_zcopy_put_abort(ubuf, true);
		return;
	}
	uarg_to_msgzc(ubuf)->id = (u32)atomic_inc_return(&us->zerocopies) - 1;
	net_zcopy_put(ubuf);
}

/* Add a piece of a page, with its reference. Pages of one folio become one fragment. */
static void uet_txpin_append(struct uet_txbuf *buf, struct page *page, u32 off, u32 n)
{
	struct uet_txfrag *last = buf->nr ? &buf->frags[buf->nr - 1] : NULL;
	struct page *head = compound_head(page);

	off += (u32)(page_to_pfn(page) - page_to_pfn(head)) << PAGE_SHIFT;
	buf->len += n;
	if (last && last->page == head && last->off + last->len == off) {
		last->len += n;
		put_page(head);
		return;
	}
	buf->frags[buf->nr++] = (struct uet_txfrag) {
		.page = head, .off = off, .len = n,
	};
}

/* Take the next pages, which hold up to @len bytes. Returns the bytes, or an errno. */
static int uet_txpin_pages(struct uet_txmsg *msg, struct list_head *bufs,
			   struct iov_iter *from, u32 off, u32 len)
{
	struct page *pages[UET_TXPIN_BATCH];
	size_t start, n, left;
	ssize_t got;
	u32 i;

	got = iov_iter_get_pages2(from, pages, len, UET_TXPIN_BATCH, &start);
	if (got <= 0)
		return got ?: -EFAULT;
	for (i = 0, left = got; left; i++, left -= n, off += n, start = 0) {
		struct uet_txbuf *buf = uet_txbuf_tail(msg, bufs, off);

		n = min_t(size_t, left, PAGE_SIZE - start);
		if (!buf)
			break;
		uet_txpin_append(buf, pages[i], start, n);
	}
	if (!left)
		return got;
	for (; left; i++, left -= n, start = 0) {
		n = min_t(size_t, left, PAGE_SIZE - start);
		put_page(pages[i]);
	}
	return -ENOBUFS;
}

/* In how many places does the data of a packet lie at most? */
static u32 uet_txpin_places(const struct uet_txmsg *msg, u32 payload)
{
	u32 most = 1, n = 0, left = payload, rest, i;
	const struct uet_txbuf *buf;

	list_for_each_entry(buf, &msg->bufs, node) {
		for (i = 0; i < buf->nr; i++) {
			u32 len = buf->frags[i].len;

			most = max(most, ++n);
			if (len < left) {
				left -= len;
				continue;
			}
			/* The packet ends here, and the last of others begins. */
			rest = (len - left) % payload;
			left = payload - rest;
			n = !!rest;
		}
	}
	return most;
}

/**
 * uet_txpin_plan() - decide how packets of a message that is not copied may leave
 * @msg: message with all its data
 * @payload: payload of its packets, if they may leave in runs; else 0
 *
 * Context: process.
 */
void uet_txpin_plan(struct uet_txmsg *msg, u32 payload)
{
	u32 max;

	msg->pinned = true;
	if (!payload || msg->m.len <= payload)
		return;
	/* Each packet but the first has a place for its headers, too. */
	max = (UET_TX_SKB_FRAGS + 1) / (uet_txpin_places(msg, payload) + 1);
	if (max < 2)
		return;
	msg->m.run_len = (u16)payload;
	msg->m.run_max = (u8)min_t(u32, max, UET_RUN_MAX);
}

/**
 * uet_txpin_fill() - make the pages of the sender the data of a message
 * @msg: message, empty and charged
 * @ubuf: notification; the message takes a reference
 * @from: uet_txpin_worth()
 * @payload: payload of its packets, if they may leave in runs; else 0
 *
 * Context: process; sleeps.
 * Return: 0, or a negative errno; then uet_txmsg_cancel() gives back what was taken.
 */
int uet_txpin_fill(struct uet_txmsg *msg, struct ubuf_info *ubuf,
		   struct iov_iter *from, u32 payload)
{
	u32 done = 0;
	int n;

	msg->pinned = true;
	msg->ubuf = ubuf;
	net_zcopy_get(ubuf);
	for (; done < msg->m.len; done += n) {
		n = uet_txpin_pages(msg, &msg->bufs, from, done, msg->m.len - done);
		if (n < 0)
			return n;
	}
	uet_txpin_plan(msg, payload);
	return 0;
}

/**
 * uet_txpin_lend() - make the pages of a posted send the data of its message
 * @msg: message, empty and charged
 * @buf: the pages
 * @payload: payload of its packets, if they may leave in runs; else 0
 *
 * Context: process; sleeps.
 * Return: 0 or -ENOBUFS; then uet_txmsg_cancel() gives back what was taken.
 */
int uet_txpin_lend(struct uet_txmsg *msg, const struct uet_buffer *buf, u32 payload)
{
	u32 start = buf->off, off = 0, n, i;
	struct uet_txbuf *to;

	msg->pinned = true;
	for (i = 0; off < msg->m.len; i++, off += n, start = 0) {
		n = min_t(u32, msg->m.len - off, PAGE_SIZE - start);
		to = uet_txbuf_tail(msg, &msg->bufs, off);
		if (!to)
			return -ENOBUFS;
		get_page(buf->pages[i]);
		uet_txpin_append(to, buf->pages[i], start, n);
		cond_resched();
	}
	uet_txpin_plan(msg, payload);
	return 0;
}

/**
 * uet_txpin_refers() - is a piece of a page worth a reference?
 * @from: pages (ITER_BVEC)
 * @len: bytes of the next piece
 *
 * Slab memory has no references, who has it takes it back.
 *
 * Return: true if so; else it is to be copied.
 */
bool uet_txpin_refers(const struct iov_iter *from, u32 len)
{
	return len >= UET_TXPIN_PIECE && sendpage_ok(from->bvec->bv_page);
}

/**
 * uet_txpin_refer() - make pages that splice() has data of a message
 * @msg: message
 * @bufs: where to add it
 * @from: pages (ITER_BVEC)
 * @off: offset in the message
 * @len: bytes
 *
 * Context: process; sleeps.
 * Return: 0 or a negative errno; @bufs may have a part of it then.
 */
int uet_txpin_refer(struct uet_txmsg *msg, struct list_head *bufs,
		    struct iov_iter *from, u32 off, u32 len)
{
	u32 end = off + len;
	int n;

	for (; off < end; off += n) {
		n = uet_txpin_pages(msg, bufs, from, off, end - off);
		if (n < 0)
			return n;
	}
	return 0;
}

/* Say of a packet what its pages are. */
static void uet_txpin_mark(struct uet_txmsg *msg, struct sk_buff *skb)
{
	if (msg->spliced)
		skb_shinfo(skb)->flags |= SKBFL_SHARED_FRAG;
	else
		skb_zcopy_set(skb, msg->ubuf, NULL);
}

/**
 * uet_txpin_attach() - make part of a pinned message the payload of a packet
 * @msg: message
 * @skb: packet, headers built
 * @off: offset in the message
 * @len: bytes
 *
 * Context: flow lock held.
 * Return: 0; -EINVAL if the data is not there, -EMSGSIZE if the packet has too few
 * fragments left. On error the packet is of no use.
 */
int uet_txpin_attach(struct uet_txmsg *msg, struct sk_buff *skb, u32 off, u32 len)
{
	uet_txpin_mark(msg, skb);
	return uet_txdata_refer(msg, skb, off, len, NULL);
}

/* The packets of a run, headers at @hdr for each but the first */
static int uet_txpin_attach_packets(struct uet_txmsg *msg, struct sk_buff *skb,
				    u32 off, u32 len, u8 *hdr,
				    struct uet_txgaps *gaps)
{
	struct page *page = virt_to_head_page(hdr);
	u32 at = (u32)(hdr - (u8 *)page_address(page));
	u32 payload = msg->m.run_len, n;
	int err;

	for (;;) {
		n = min(len, payload);
		err = uet_txdata_refer(msg, skb, off, n, NULL);
		if (err || n == len)
			return err;
		off += n;
		len -= n;
		if (!uet_skb_add_frag(skb, page, at, UET_HDR_RUN_LEN))
			return -EMSGSIZE;
		gaps->at[gaps->n++] = page_address(page) + at;
		at += UET_HDR_RUN_LEN;
	}
}

/**
 * uet_txpin_attach_run() - make part of a pinned message the payload of a run
 * @msg: message
 * @skb: buffer with the headers of the first packet
 * @off: offset in the message
 * @len: bytes of all packets, uet_snd_msg.run_len each but the last
 * @gaps: set to where the headers of the others belong
 *
 * Context: flow lock held.
 * Return: see uet_txpin_attach(); -ENOMEM.
 */
int uet_txpin_attach_run(struct uet_txmsg *msg, struct sk_buff *skb, u32 off,
			 u32 len, struct uet_txgaps *gaps)
{
	u32 n = DIV_ROUND_UP(len, msg->m.run_len);
	u8 *hdrs;
	int err;

	if (WARN_ON_ONCE(n < 2 || n > UET_RUN_MAX))
		return -EINVAL;
	uet_txpin_mark(msg, skb);
	hdrs = netdev_alloc_frag((n - 1) * UET_HDR_RUN_LEN);
	if (!hdrs)
		return -ENOMEM;
	err = uet_txpin_attach_packets(msg, skb, off, len, hdrs, gaps);
	/* The packet has references of its own. */
	skb_free_frag(hdrs);
	return err;
}

/**
 * uet_txpin_drop() - a message needs its pages no more
 * @msg: the message, pinned, without references or without data
 *
 * The last packet that refers to them tells the sender.
 *
 * Context: any; flow lock held if others have the message.
 */
void uet_txpin_drop(struct uet_txmsg *msg)
{
	if (msg->lent)
		uet_op_detach(msg);
	net_zcopy_put(msg->ubuf);
	msg->pinned = false;
	msg->lent = false;
}
