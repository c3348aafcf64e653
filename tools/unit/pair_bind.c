// SPDX-License-Identifier: GPL-2.0
/*
 * Which PDC a queue of the source uses, and what becomes of messages if it dies.
 */
#include "../../net/uet/core/snd/snd_gone.h"
#include "../../net/uet/core/snd/snd_queue.h"
#include "pair.h"

static struct pair_tx *tx_open(struct pair_host *h)
{
	struct pair *p = h->pair;
	struct pair_tx *tx = calloc(1, sizeof(*tx));
	uint32_t psn = p->c->wrap ? 0xffffffff - rnd_below(&p->rnd, 200) :
				    0x10000 + rnd_below(&p->rnd, 1u << 30);

	if (h->nr_tx == PAIR_PDCS) {
		pair_fail(p, "too many PDCs die", h->nr_tx);
		free(tx);
		return NULL;
	}
	tx->host = h;
	tx->id = ++h->nr_tx;
	tx->used = true;
	h->tx[tx->id - 1] = tx;
	uet_snd_init(&tx->s, &h->flow, psn, p->c->rod, rnd32(&p->rnd), p->now);
	return tx;
}

/* A PDC of the host that takes messages; unordered ones may share a CCC. */
static struct pair_tx *tx_choose(struct pair_host *h, int nr)
{
	int n = h->pair->c->rod ? 1 : 2;
	uint32_t i;

	for (i = 0; i < h->nr_tx; i++) {
		struct pair_tx *tx = h->tx[i];

		if (tx->s.state <= UET_PDC_ESTABLISHED && (int)(i % n) == nr % n)
			return tx;
	}
	return tx_open(h);
}

struct pair_tx *queue_bind(struct pair_host *h, int nr)
{
	struct pair_queue *q = &h->queue[nr];
	struct uet_snd_lane *lane;

	if (q->tx && q->tx->s.state <= UET_PDC_ESTABLISHED)
		return q->tx;
	/* What has begun to close takes the messages of its queues to their end. */
	if (q->tx && q->tx->s.state != UET_PDC_DEAD && q->q.unfinished)
		return q->tx;
	if (q->tx) {
		/* It closes, or died and its messages are being moved. */
		free(uet_snd_leave(&q->tx->s, &q->q, h->pair->now));
		q->tx = NULL;
	}
	q->tx = tx_choose(h, nr);
	if (q->tx && q->tx->s.rod) {
		lane = malloc(sizeof(*lane));
		free(uet_snd_lane_join(&q->tx->s, &q->q, lane));
	}
	return q->tx;
}

void tx_die(struct pair_tx *tx)
{
	tx->s.state = UET_PDC_DEAD;
	list_del_init(&tx->s.ready_node);
}

/* Messages of a dead PDC move to another one, or fail. */
void tx_reap(struct pair_tx *tx)
{
	struct pair_host *h = tx->host;
	struct pair *p = h->pair;
	struct uet_snd_msg *m, *next;
	struct uet_snd_mem mem;
	uint64_t backlog = 0;
	int i;

	tx->reaped = true;
	for (i = 0; i < PAIR_QUEUES; i++)
		if (h->queue[i].tx == tx)
			list_for_each_entry(m, &h->queue[i].q.msgs, node) {
				backlog += m->backlog;
				m->backlog = 0;
			}
	uet_snd_gone(&tx->s, backlog, p->now, &mem);
	free(mem.win);
	free(mem.pkts);
	for (i = 0; i < PAIR_QUEUES; i++) {
		struct pair_queue *q = &h->queue[i];
		struct list_head *from[2] = { &q->q.sent, &q->q.msgs };
		struct list_head moving;
		int k;

		if (q->tx != tx)
			continue;
		INIT_LIST_HEAD(&moving);
		for (k = 0; k < 2; k++)
			list_for_each_entry_safe(m, next, from[k], node)
				list_move_tail(&m->node, &moving);
		q->q.unfinished = 0;
		list_for_each_entry_safe(m, next, &moving, node) {
			list_del_init(&m->node);
			if (m->state != UET_MSG_QUEUED)
				list_del(&m->begun);
			if (!tx->movable ||
			    !uet_snd_may_move(&tx->s, m, tx->unopened)) {
				if (m->state != UET_MSG_FAILED)
					msg_report(msg_of(m), ECONNRESET);
				m->state = UET_MSG_DONE;
				continue;
			}
			uet_snd_rewind(m);
			if (!queue_bind(h, i))
				return;
			uet_snd_submit(&q->tx->s, m, p->now);
			uet_snd_enqueue(&q->tx->s, m, p->now);
			tx_arm(q->tx);
		}
		if (q->tx == tx) {
			free(uet_snd_leave(&tx->s, &q->q, p->now));
			q->tx = NULL;
		}
	}
}
