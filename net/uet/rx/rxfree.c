// SPDX-License-Identifier: GPL-2.0
/*
 * Freeing what was received and is not to be read. A peer decides how much a PDC
 * holds when it dies or a message when it is given up, so what is more than a few
 * packets is not freed in the softirq that finds it out.
 */
#include <linux/sched.h>
#include <linux/skbuff.h>
#include <linux/workqueue.h>

#include "base.h"
#include "rx/rxmsg.h"

/* Packets freed at a time */
#define UET_RX_FREE_BATCH	64

static void uet_rx_free_work(struct work_struct *work)
{
	struct uet_net *un = container_of(work, struct uet_net, rx_free_work);
	struct sk_buff *skb;
	int n = 0;

	while ((skb = skb_dequeue(&un->rx_free))) {
		kfree_skb(skb);
		if (++n % UET_RX_FREE_BATCH == 0)
			cond_resched();
	}
}

/**
 * uet_rx_free() - free packets that nobody will read
 * @un: namespace
 * @gone: the packets, charged to nobody any more; empty afterwards
 *
 * Context: any.
 */
void uet_rx_free(struct uet_net *un, struct sk_buff_head *gone)
{
	if (likely(skb_queue_len(gone) <= UET_RX_FREE_BATCH)) {
		__skb_queue_purge(gone);
		return;
	}
	spin_lock_bh(&un->rx_free.lock);
	skb_queue_splice_tail_init(gone, &un->rx_free);
	spin_unlock_bh(&un->rx_free.lock);
	schedule_work(&un->rx_free_work);
}

/**
 * uet_rx_free_init() - prepare it
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
 * uet_rx_free_exit() - end it
 * @un: namespace without PDCs and sockets
 *
 * Context: process.
 */
void uet_rx_free_exit(struct uet_net *un)
{
	cancel_work_sync(&un->rx_free_work);
	skb_queue_purge(&un->rx_free);
}
