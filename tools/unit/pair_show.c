// SPDX-License-Identifier: GPL-2.0
/* What the messages of a source that have not ended wait for */
#include "../../net/uet/tests/ccc_names.h"
#include "pair.h"

static void show_ccc(const struct pair_host *h)
{
	const struct uet_ccc *c = &h->ccc;

	printf("# host %d: %s, window %llu, ", h->nr, ccc_state_name(c->state),
	       uet_ccc_window(c));
	printf("inflight %lld in %u, ", c->inflight, c->inflight_pkts);
	printf("backlog %llu, resend %u, blocked %u\n", c->backlog,
	       c->waiting_rtx, c->blocked);
}

static void show_pdc(const struct pair_tx *tx)
{
	const struct uet_snd *s = &tx->s;
	const struct uet_txwin *w = &s->win;

	printf("# PDC %u: state %u, una %u next %u limit %u, ", tx->id, s->state,
	       w->una, w->next, w->limit);
	printf("marked %u, held %u, sacked %u, ready %d, active %d, ",
	       w->ring->nr_marked, w->nr_held, w->ring->nr_sacked,
	       !list_empty(&s->ready_node), !list_empty(&s->active));
	printf("timer %llu, rto %llu probe %llu loss %llu hold %llu\n",
	       (unsigned long long)tx->timer, s->rto_at, uet_snd_busy(s)->probe_at,
	       uet_snd_busy(s)->loss_at, s->hold_at);
}

static void show_msg(const struct pair_msg *pm)
{
	const struct uet_snd_msg *m = &pm->m;
	const struct uet_snd_hold *h = &m->queue->hold;

	printf("# message %u: state %u, %u of %u sent, filled %u, pid %u, ",
	       pm->uid, m->state, m->sent, m->len, m->filled, m->queue->pid);
	printf("hold %d%d%d, again %d, all %d, active %d\n", h->on, h->ramp,
	       h->trying, m->again, m->all_sent,
	       !list_empty(&m->queue->active));
}

void source_show(const struct pair_host *h)
{
	uint32_t i;

	show_ccc(h);
	for (i = 0; i < h->nr_tx; i++)
		if (h->tx[i]->s.state != UET_PDC_DEAD)
			show_pdc(h->tx[i]);
	for (i = 0; i < h->nr_msg; i++)
		if (!h->msg[i]->done)
			show_msg(h->msg[i]);
}
