// SPDX-License-Identifier: GPL-2.0
/*
 * Recycling of the pages that a socket writes its messages in.
 *
 * Under init_on_alloc a fresh page is zeroed before the message overwrites it.
 * That and the page allocator cost about a tenth of the path of a packet. So a
 * full page is kept; once the packets that refer to it are acknowledged and
 * freed, the reference here is the last one, and the page can be reused.
 *
 * Pages become free about in the order in which they were written, so that it
 * is enough to check the oldest one. A page that others still refer to costs
 * nothing to keep; all are freed when nothing has been outstanding for a while.
 */
#include <linux/mm.h>
#include <linux/skbuff.h>
#include <net/sock.h>

#include "compat.h"
#include "sock.h"
#include "tx/msg/txmsg.h"
#include "tx/msg/txpage.h"
#include "tx/msg/wmem.h"

/* A socket frees its pages if nothing was outstanding for this long. */
#define UET_TXPAGES_IDLE	HZ

static struct uet_sock *uet_txpages_sock(struct uet_txpages *tp)
{
	return container_of(tp, struct uet_sock, tx_pages);
}

/* May another page be kept? Pages of a socket <= SO_SNDBUF, and they count in
 * net.uet.mem, whose second half is for messages alone.
 */
static bool uet_txpages_charge(struct uet_txpages *tp, unsigned long size)
{
	struct uet_sock *us = uet_txpages_sock(tp);
	struct uet_net *un = us->un;
	unsigned long taken = atomic_long_read(&un->mem.taken);

	if (tp->nr == UET_TXPAGES || tp->bytes + size > uet_sock_sndbuf(us) ||
	    taken > READ_ONCE(un->sysctl.mem) / 2 || !uet_mem_charge(un, size))
		return false;
	tp->bytes += size;
	return true;
}

static void uet_txpages_uncharge(struct uet_txpages *tp, unsigned long size)
{
	uet_mem_uncharge(uet_txpages_sock(tp)->un, size);
	tp->bytes -= size;
}

/* Keep a full page, or free it if there are too many. */
static void uet_txpages_keep(struct uet_txpages *tp, struct page *page)
{
	lockdep_assert_held(&tp->lock);
	if (!uet_txpages_charge(tp, page_size(page))) {
		put_page(page);
		return;
	}
	tp->ring[(tp->first + tp->nr) % UET_TXPAGES] = page;
	tp->nr++;
}

/* The oldest page, if nobody else refers to it. */
static struct page *uet_txpages_reuse(struct uet_txpages *tp)
{
	struct page *page = tp->nr ? tp->ring[tp->first] : NULL;

	lockdep_assert_held(&tp->lock);
	if (!page || page_ref_count(page) != 1)
		return NULL;
	tp->first = (tp->first + 1) % UET_TXPAGES;
	tp->nr--;
	uet_txpages_uncharge(tp, page_size(page));
	return page;
}

/**
 * uet_txpages_refill() - make room to write
 * @tp: pages of the socket
 * @pf: page of the task, so that senders of one socket do not share a page;
 *	replaced if it is full
 * @least: bytes that the caller must get; it may use what else there is
 *
 * Context: process; sleeps.
 * Return: false without memory.
 */
bool uet_txpages_refill(struct uet_txpages *tp, struct page_frag *pf, u32 least)
{
	struct page *page;

	/* If only the task refers to its page, the page is rewritten. */
	if (!pf->page || pf->offset + least <= pf->size ||
	    page_ref_count(pf->page) == 1)
		return skb_page_frag_refill(least, pf, GFP_KERNEL_ACCOUNT);
	spin_lock_bh(&tp->lock);
	tp->used = true;
	uet_txpages_keep(tp, pf->page);
	page = uet_txpages_reuse(tp);
	spin_unlock_bh(&tp->lock);
	*pf = (struct page_frag){ .page = page };
	if (!page)
		return skb_page_frag_refill(least, pf, GFP_KERNEL_ACCOUNT);
	pf->size = page_size(page);
	return true;
}

static void uet_txpages_drain(struct uet_txpages *tp)
{
	spin_lock_bh(&tp->lock);
	tp->used = false;
	for (; tp->nr; tp->nr--) {
		uet_txpages_uncharge(tp, page_size(tp->ring[tp->first]));
		put_page(tp->ring[tp->first]);
		tp->first = (tp->first + 1) % UET_TXPAGES;
	}
	spin_unlock_bh(&tp->lock);
}

static void uet_txpages_timeout(struct timer_list *t)
{
	struct uet_sock *us = timer_container_of(us, t, tx_pages.timer);
	struct uet_txpages *tp = &us->tx_pages;

	if (READ_ONCE(tp->used)) {
		WRITE_ONCE(tp->used, false);
		sk_reset_timer(&us->sk, t, jiffies + UET_TXPAGES_IDLE);
	} else {
		uet_txpages_drain(tp);
		/* If a sender is about to take a message, it is not idle. */
		if (!uet_txmsg_try_drop_spares(us))
			sk_reset_timer(&us->sk, t, jiffies + UET_TXPAGES_IDLE);
	}
	sock_put(&us->sk);
}

/**
 * uet_txpages_init() - prepare lock and timer
 * @tp: pages of a new socket
 */
void uet_txpages_init(struct uet_txpages *tp)
{
	spin_lock_init(&tp->lock);
	timer_setup(&tp->timer, uet_txpages_timeout, 0);
}

/**
 * uet_txpages_idle() - start the idle timer: a socket has nothing outstanding
 * @us: the socket
 *
 * If the socket stays idle the timer frees its pages and spare messages.
 *
 * Context: process or BH; not after uet_txpages_free().
 */
void uet_txpages_idle(struct uet_sock *us)
{
	struct uet_txpages *tp = &us->tx_pages;

	if ((READ_ONCE(tp->nr) || !llist_empty(&us->tx_spare)) &&
	    !timer_pending(&tp->timer))
		sk_reset_timer(&us->sk, &tp->timer, jiffies + UET_TXPAGES_IDLE);
}

/**
 * uet_txpages_free() - free the pages of a socket that closes
 * @us: the socket; no sender is in it, and none of its messages refers to it
 *
 * Context: process.
 */
void uet_txpages_free(struct uet_sock *us)
{
	struct uet_txpages *tp = &us->tx_pages;

	sk_stop_timer_sync(&us->sk, &tp->timer);
	uet_txpages_drain(tp);
	uet_txmsg_drop_spares(us);
}
