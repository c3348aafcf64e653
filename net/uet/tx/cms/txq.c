// SPDX-License-Identifier: GPL-2.0
/*
 * Transmit queues: on each CPU the flows that have something to send.
 *
 * Not here: what serves them (tx/pds/flow_tx.c).
 */
#include <linux/percpu.h>

#include "link/bh.h"
#include "tx/cms/flow.h"
#include "tx/cms/txq.h"

/**
 * struct uet_txq - flows of one CPU that have something to send
 * @lock: protects @flows; taken by other CPUs only when this one went offline
 * @flows: struct uet_flow by queue_node, each with a reference
 * @bh: the softirq that serves them
 */
struct uet_txq {
	spinlock_t		lock;		/* of flows */
	struct list_head	flows;
	struct uet_bh		bh;
};

static DEFINE_PER_CPU(struct uet_txq, uet_txqs);

/**
 * uet_flow_queue() - let the transmit softirq of this CPU serve a flow
 * @flow: the flow
 *
 * Context: BH disabled; locks may be held.
 */
void uet_flow_queue(struct uet_flow *flow)
{
	struct uet_txq *q;

	if (test_and_set_bit(0, &flow->queued))
		return;
	refcount_inc(&flow->ref);
	q = this_cpu_ptr(&uet_txqs);
	spin_lock(&q->lock);
	list_add_tail(&flow->queue_node, &q->flows);
	spin_unlock(&q->lock);
	uet_bh_schedule(&q->bh);
}

/**
 * uet_txq_next() - take the next flow off a transmit queue
 * @napi: of the queue
 *
 * Context: softirq.
 * Return: the flow with the reference of the queue, NULL if there is none.
 */
struct uet_flow *uet_txq_next(struct napi_struct *napi)
{
	struct uet_txq *q = container_of(napi, struct uet_txq, bh.napi);
	struct uet_flow *flow;

	spin_lock(&q->lock);
	flow = list_first_entry_or_null(&q->flows, struct uet_flow, queue_node);
	if (flow)
		list_del_init(&flow->queue_node);
	spin_unlock(&q->lock);
	if (!flow)
		return NULL;
	clear_bit(0, &flow->queued);
	smp_mb__after_atomic(); /* pairs with uet_flow_queue() */
	return flow;
}

/**
 * uet_txq_init() - prepare the transmit queues
 * @poll: serves the flows of a queue, see uet_txq_next()
 */
void uet_txq_init(int (*poll)(struct napi_struct *napi, int budget))
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct uet_txq *q = per_cpu_ptr(&uet_txqs, cpu);

		spin_lock_init(&q->lock);
		INIT_LIST_HEAD(&q->flows);
	}
	uet_bh_add(&uet_txqs.bh, poll);
}

/**
 * uet_txq_exit() - stop the transmit queues, now empty
 */
void uet_txq_exit(void)
{
	uet_bh_del(&uet_txqs.bh);
}
