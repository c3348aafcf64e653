// SPDX-License-Identifier: GPL-2.0
/*
 * Messages at the source: their data, reports, responses, and users who cancel.
 */
#include "../../net/uet/core/snd/snd_hold.h"
#include "../../net/uet/core/snd/snd_loss.h"
#include "../../net/uet/core/snd/snd_queue.h"
#include "pair.h"

void msg_report(struct pair_msg *m, int error)
{
	struct pair *p = m->host->pair;

	pair_trace(m->host, "message %u ends: %d", m->uid, error);
	if (m->done)
		pair_fail(p, "a message is reported twice", m->uid);
	m->done = true;
	m->error = error;
	m->host->nr_done++;
	if (p->c->liar)
		return;
	if (!error && !m->delivered_ever)
		pair_fail(p, "reported delivered, but is not", m->uid);
	if (error && !m->cancelled && !p->c->restarts)
		pair_fail(p, "failed for no reason", (uint32_t)error);
}

struct pair_msg *msg_of(const struct uet_snd_msg *m)
{
	return container_of(m, struct pair_msg, m);
}

struct pair_msg *source_by_uid(struct pair_host *h, uint32_t uid)
{
	return uid < h->nr_msg ? h->msg[uid] : NULL;
}

void source_submit(struct pair_host *h)
{
	struct pair *p = h->pair;
	int nr = rnd_below(&p->rnd, PAIR_QUEUES);
	struct pair_queue *q = &h->queue[nr];
	struct pair_msg *m;
	struct pair_tx *tx;

	/* Messages of a dead PDC move first. */
	if (q->tx && q->tx->s.state == UET_PDC_DEAD)
		return;
	tx = queue_bind(h, nr);
	if (!tx)
		return;
	m = calloc(1, sizeof(*m));
	m->host = h;
	m->uid = h->nr_msg;
	h->msg[h->nr_msg++] = m;
	m->serial = q->next_serial++;
	m->m.queue = &q->q;
	INIT_LIST_HEAD(&m->m.node);
	m->m.len = rnd_below(&p->rnd, rnd_one_in(&p->rnd, 3) ?
			     p->c->max_len + 1 : PAIR_PAYLOAD + 1);
	m->m.eom = !rnd_one_in(&p->rnd, 4);
	m->m.filled = m->m.eom ? m->m.len : rnd_below(&p->rnd, m->m.len + 1);
	if (p->c->run_max)
		m->m.run_len = h->flow.payload_mtu;
	uet_snd_enter(&tx->s, &m->m);
	if (!send_alone(tx, m)) {
		uet_snd_announce(&tx->s, &m->m, p->now);
		uet_snd_enqueue(&tx->s, &m->m, p->now);
	}
	tx_arm(tx);
}

/* The user adds data to a message that is not complete. */
void msgs_fill(struct pair_host *h)
{
	struct pair *p = h->pair;
	uint32_t i;

	for (i = 0; i < h->nr_msg; i++) {
		struct pair_msg *m = h->msg[i];
		struct pair_queue *q;

		if (m->m.eom || m->done || !rnd_one_in(&p->rnd, 4))
			continue;
		q = container_of(m->m.queue, struct pair_queue, q);
		m->m.filled += rnd_below(&p->rnd, m->m.len - m->m.filled + 1);
		if (m->m.filled == m->m.len || rnd_one_in(&p->rnd, 8)) {
			m->m.filled = m->m.len;
			m->m.eom = true;
		}
		if (m->m.state >= UET_MSG_FAILED || m->m.withdrawn ||
		    q->tx->s.state == UET_PDC_DEAD)
			continue;
		uet_snd_announce(&q->tx->s, &m->m, p->now);
		uet_snd_activate(&q->tx->s, &q->q, p->now);
		tx_arm(q->tx);
	}
}

void msg_done(struct pair_tx *tx, struct uet_snd_msg *m)
{
	bool failed = m->state == UET_MSG_FAILED;
	struct uet_snd_queue *q = m->queue;
	uint64_t now = tx->host->pair->now;

	if (!uet_snd_finish(&tx->s, m, now))
		return;
	if (!q->unfinished)
		uet_snd_hold_clear(&tx->s, q, now);
	if (!failed)
		msg_report(msg_of(m), 0);
}

static void msg_fail(struct pair_tx *tx, struct uet_snd_msg *m, int error)
{
	if (m->state == UET_MSG_FAILED || m->state == UET_MSG_DONE)
		return;
	uet_snd_not_again(m);
	msg_report(msg_of(m), error);
	if (m->state != UET_MSG_SENT)
		uet_snd_end(&tx->s, m, tx->host->pair->now);
	m->state = UET_MSG_FAILED;
}

void msg_response(struct pair_tx *tx, const struct uet_ses_rsp *rsp,
		  const struct uet_snd_acked *acked)
{
	uint64_t now = tx->host->pair->now;
	struct uet_snd_msg *m;

	if (rsp->code == UET_RC_OK || rsp->code == UET_RC_NULL ||
	    !acked->answered || !acked->answered->msg)
		return;
	m = acked->answered->msg;
	if (m->msg_id != rsp->msg_id || m->again || m->state == UET_MSG_FAILED)
		return;
	if (rsp->code != UET_RC_NO_MATCH) {
		msg_fail(tx, m, EREMOTEIO);
		return;
	}
	m->again = true;
	uet_snd_pause(&tx->s, m->queue, now);
	if (!m->all_sent)
		uet_snd_end(&tx->s, m, now);
}

void source_cancel(struct pair_host *h, struct pair_msg *pm)
{
	struct uet_snd_msg *m = &pm->m;
	struct pair_queue *q = container_of(m->queue, struct pair_queue, q);
	uint64_t now = h->pair->now;
	struct uet_snd *s;

	if (pm->done || !q->tx)
		return;
	s = &q->tx->s;
	pm->cancelled = true;
	msg_report(pm, ECANCELED);
	uet_snd_not_again(m);
	m->withdrawn = true;
	if (m->state == UET_MSG_QUEUED) {
		if (uet_snd_drop(s, m, now))
			uet_snd_hold_clear(s, &q->q, now);
	} else {
		m->state = UET_MSG_FAILED;
		m->given_up = true;
		if (!m->all_sent)
			uet_snd_activate(s, &q->q, now);
	}
	uet_snd_hold_given_up(s, &q->q, now);
	tx_arm(q->tx);
}
