/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The pages that a socket writes its messages in.
 */
#ifndef _UET_TXPAGE_H
#define _UET_TXPAGE_H

#include <linux/mm_types.h>
#include <linux/spinlock.h>
#include <linux/timer.h>
#include <linux/types.h>

struct uet_sock;

/* Pages that wait to be used again: 4 MiB of 32 KiB each */
#define UET_TXPAGES		128

/**
 * struct uet_txpages - pages written full
 * @lock: of all below; BH-disabled, a leaf
 * @first: oldest of @ring
 * @nr: pages in @ring
 * @bytes: their size, charged to the namespace
 * @used: a message was written since the timer ran last
 * @ring: pages written full, each with a reference, in that order
 * @timer: of an idle socket
 */
struct uet_txpages {
	spinlock_t		lock;	/* of all below */
	u16			first;
	u16			nr;
	bool			used;
	unsigned long		bytes;
	struct page		*ring[UET_TXPAGES];
	struct timer_list	timer;
};

void uet_txpages_init(struct uet_txpages *tp);
bool uet_txpages_refill(struct uet_txpages *tp, struct page_frag *pf, u32 want);
void uet_txpages_idle(struct uet_sock *us);
void uet_txpages_free(struct uet_sock *us);

#endif /* _UET_TXPAGE_H */
