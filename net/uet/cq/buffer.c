// SPDX-License-Identifier: GPL-2.0
/*
 * Buffers of programs that are written to when data comes.
 *
 * Their pages are pinned when the buffer is posted, so that softirqs can write to them.
 * What a program does with its addresses meanwhile (munmap(), mprotect(), fork(), exec(),
 * exit()) is its own affair: data goes to the pages that were there.
 *
 * Pages are given back in process context: at the next posting of any program, or a
 * little later. So a program that posts one buffer for each that it has used up
 * causes no further work.
 *
 * Not here: which data goes to which buffer (rx/post.c).
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/workqueue.h>

#include "cq/buffer.h"

/* How long the pages of a buffer that was used up are kept at most, ms */
#define UET_BUFFER_KEEP_MS	20

static LLIST_HEAD(uet_spent);

static void uet_buffer_work(struct work_struct *work)
{
	uet_buffer_reap();
}

static DECLARE_DELAYED_WORK(uet_spent_work, uet_buffer_work);

/**
 * uet_buffer_hold() - pin the pages of a buffer
 * @buf: zeroed, but for @free
 * @addr: address in the current process
 * @len: bytes
 *
 * Context: process; sleeps.
 * Return: 0; -EFAULT, -ENOMEM, -ENOBUFS (RLIMIT_MEMLOCK).
 */
int uet_buffer_hold(struct uet_buffer *buf, u64 addr, u32 len)
{
	unsigned long start = (unsigned long)addr & PAGE_MASK;
	u64 nr;
	int n;

	if (!len)
		return 0;
	if (addr + len < addr || !access_ok(u64_to_user_ptr(addr), len))
		return -EFAULT;
	buf->off = offset_in_page(addr);
	nr = DIV_ROUND_UP((u64)buf->off + len, PAGE_SIZE);
	buf->pages = buf->few;
	if (nr > UET_BUFFER_PAGES)
		buf->pages = kvmalloc_array(nr, sizeof(*buf->pages),
					    GFP_KERNEL_ACCOUNT);
	if (!buf->pages)
		return -ENOMEM;
	if (mm_account_pinned_pages(&buf->pin, nr << PAGE_SHIFT)) {
		uet_buffer_drop(buf);
		return -ENOBUFS;
	}
	while (buf->nr < nr) {
		n = pin_user_pages_fast(start + ((unsigned long)buf->nr << PAGE_SHIFT),
					min_t(u64, nr - buf->nr, INT_MAX),
					FOLL_WRITE | FOLL_LONGTERM,
					buf->pages + buf->nr);
		if (n <= 0) {
			uet_buffer_drop(buf);
			return n ?: -EFAULT;
		}
		buf->nr += n;
	}
	return 0;
}

/**
 * uet_buffer_drop() - give the pages of a buffer back
 * @buf: buffer
 *
 * Context: process; sleeps.
 */
void uet_buffer_drop(struct uet_buffer *buf)
{
	if (buf->nr)
		unpin_user_pages_dirty_lock(buf->pages, buf->nr, true);
	buf->nr = 0;
	mm_unaccount_pinned_pages(&buf->pin);
	if (buf->pages != buf->few)
		kvfree(buf->pages);
	buf->pages = NULL;
}

/**
 * uet_buffer_spend() - a buffer is used up
 * @buf: buffer; its @free is called later
 *
 * Context: any.
 */
void uet_buffer_spend(struct uet_buffer *buf)
{
	if (llist_add(&buf->spent, &uet_spent))
		queue_delayed_work(system_unbound_wq, &uet_spent_work,
				   msecs_to_jiffies(UET_BUFFER_KEEP_MS));
}

/**
 * uet_buffer_reap() - give back the pages of all buffers that are used up
 *
 * Context: process; sleeps.
 */
void uet_buffer_reap(void)
{
	struct uet_buffer *buf, *next;

	if (llist_empty(&uet_spent))
		return;
	llist_for_each_entry_safe(buf, next, llist_del_all(&uet_spent), spent) {
		uet_buffer_drop(buf);
		buf->free(buf);
	}
}

/**
 * uet_buffer_copy() - write payload of a packet to a buffer
 * @buf: buffer
 * @at: where in the buffer
 * @skb: packet
 * @off: offset from skb->data
 * @len: bytes; all of them fit the buffer
 *
 * Context: any.
 * Return: 0 or -EFAULT, if the packet has less.
 */
int uet_buffer_copy(const struct uet_buffer *buf, u64 at,
		    const struct sk_buff *skb, u32 off, u32 len)
{
	u64 pos = buf->off + at;

	while (len) {
		struct page *page = buf->pages[pos >> PAGE_SHIFT];
		u32 in = offset_in_page(pos);
		u32 n = min_t(u32, len, PAGE_SIZE - in);

		/* There is no highmem on 64 bits. */
		if (skb_copy_bits(skb, off, page_address(page) + in, n))
			return -EFAULT;
		flush_dcache_page(page);
		pos += n;
		off += n;
		len -= n;
	}
	return 0;
}

/**
 * uet_buffer_exit() - the module goes: give back what is left
 *
 * Context: process; no socket is left.
 */
void uet_buffer_exit(void)
{
	cancel_delayed_work_sync(&uet_spent_work);
	uet_buffer_reap();
}
