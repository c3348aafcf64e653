// SPDX-License-Identifier: GPL-2.0
/*
 * Freeing received packets that nobody will read. A PDC that dies, or a message
 * that is given up, may hold as many packets as the peer likes, so a work item
 * instead of the softirq frees more than UET_RX_FREE_BATCH of them.
 */
#include <linux/sched.h>
#include <linux/skbuff.h>
#include <linux/workqueue.h>

#include "base.h"
#include "link/drop.h"
#include "rx/ses/rxmsg.h"

/* Packets freed at a time */
#define UET_RX_FREE_BATCH	64

static void uet_rx_free_work(struct work_struct *work)
{
	struct uet_net *un = container_of(work, struct uet_net, rx_free_work);
	struct sk_buff *skb;
	int n = 0;

	while ((skb = skb_dequeue(&un->rx_free))) {
		uet_drop(un, skb, UET_DROP_UNREAD);
		if (++n % UET_RX_FREE_BATCH == 0)
			cond_resched();
	}
}

/**
 * uet_rx_free() - free packets that nobody will read
 * @un: namespace
 * @gone: the packets, uncharged; empty afterwards
 *
 * Context: any.
 */
void uet_rx_free(struct uet_net *un, struct sk_buff_head *gone)
{
	if (likely(skb_queue_len(gone) <= UET_RX_FREE_BATCH)) {
		uet_drop_list(un, gone, UET_DROP_UNREAD);
		return;
	}
	spin_lock_bh(&un->rx_free.lock);
	skb_queue_splice_tail_init(gone, &un->rx_free);
	spin_unlock_bh(&un->rx_free.lock);
	schedule_work(&un->rx_free_work);
}

/**
 * uet_rx_free_init() - prepare deferred freeing
 * @un: namespace
 *
 * Context: process.
 */
void uet_rx_free_init(struct uet_net *un)
{
	skb_queue_head_init(&un->rx_free);
	INIT_WORK(&un->rx_free_work, uet_rx_free_work);
}

/**
 * uet_rx_free_exit() - free what is left
 * @un: namespace without PDCs and sockets
 *
 * Context: process.
 */
void uet_rx_free_exit(struct uet_net *un)
{
	cancel_work_sync(&un->rx_free_work);
	uet_drop_list(un, &un->rx_free, UET_DROP_UNREAD);
}
