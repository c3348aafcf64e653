// SPDX-License-Identifier: GPL-2.0
/*
 * The transmit backlog of a device.
 */
#include <linux/netdevice.h>
#include <net/sch_generic.h>

#include "link/ports.h"

/* Transmit queues of a device that are added up, at most */
#define UET_DEV_TXQS		64

/* Bytes queued to the device and not completed. Both counts change meanwhile:
 * num_completed <= num_queued holds only if num_completed is read first.
 */
static u32 uet_txq_inflight(const struct netdev_queue *txq)
{
#ifdef CONFIG_BQL
	u32 completed = READ_ONCE(txq->dql.num_completed);

	smp_rmb();	/* the writers promise no order */
	return READ_ONCE(txq->dql.num_queued) - completed;
#else
	return 0;
#endif
}

/**
 * uet_dev_backlog() - bytes that wait in a device to be sent
 * @dev: the device
 *
 * Context: BH disabled, RCU read side.
 * Return: bytes in its queueing disciplines and its rings.
 */
u64 uet_dev_backlog(struct net_device *dev)
{
	u32 i, n = min_t(u32, dev->real_num_tx_queues, UET_DEV_TXQS);
	const struct Qdisc *last = NULL;
	u32 qlen, backlog;
	u64 sum = 0;

	for (i = 0; i < n; i++) {
		struct netdev_queue *txq = netdev_get_tx_queue(dev, i);
		struct Qdisc *q = rcu_dereference(txq->qdisc);

		sum += uet_txq_inflight(txq);
		/* All queues may share one qdisc: count it once. */
		if (!q || !q->enqueue || q == last)
			continue;
		last = q;
		qdisc_qstats_qlen_backlog(q, &qlen, &backlog);
		sum += backlog;
	}
	return sum;
}
