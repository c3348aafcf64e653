// SPDX-License-Identifier: GPL-2.0
/*
 * The source: does for the core's sender what a kernel would: memory, packets,
 * timers, messages and their reports, and a new PDC after one died.
 */
#include <string.h>

#include "../../net/uet/tests/ccc_names.h"
#include "pair.h"

#define PAYLOAD		1024
#define OVERHEAD	104

static void msg_report(struct pair_msg *m, int error)
{
	struct pair *p = m->host->pair;

	pair_trace(m->host, "message %u ends: %d", m->uid, error);
	if (m->done)
		pair_fail(p, "a message is reported twice", m->uid);
	m->done = true;
	m->error = error;
	m->host->nr_done++;
	if (!error && !m->delivered_ever)
		pair_fail(p, "reported delivered, but is not", m->uid);
	if (error && !m->cancelled && !p->c->restarts)
		pair_fail(p, "failed for no reason", (uint32_t)error);
}

static struct pair_msg *msg_of(const struct uet_snd_msg *m)
{
	return container_of(m, struct pair_msg, m);
}

struct pair_msg *source_by_uid(struct pair_host *h, uint32_t uid)
{
	return uid < h->nr_msg ? h->msg[uid] : NULL;
}

static struct pair_tx *tx_of(const struct uet_snd *s)
{
	return container_of(s, struct pair_tx, s);
}

static void tx_arm(struct pair_tx *tx)
{
	tx->timer = uet_earliest(tx->timer, tx->s.wake_at);
	tx->s.wake_at = 0;
}

static void flow_init(struct pair_host *h)
{
	struct pair *p = h->pair;
	const struct uet_lb_ops *ops = uet_lb_find(p->c->policy);
	struct uet_lb_config lb = {
		.seed = rnd64(&p->rnd), .n = 16, .base = 50000,
		.trimming = p->c->trim, .rto_ns = 1000000, .mtu = 1200,
		.cwnd = 100000,
	};
	struct uet_cc_config cfg = {};

	uet_cc_config_set(&cfg, UET_CCP_RATE_MBPS, 10000);
	uet_cc_config_set(&cfg, UET_CCP_BASE_RTT_NS, 2 * p->base);
	uet_cc_config_set(&cfg, UET_CCP_MTU, PAYLOAD + OVERHEAD);
	uet_cc_config_set(&cfg, UET_CCP_TRIMMING, !!p->c->trim);
	if (uet_cc_params_derive(&h->params, &cfg, NULL))
		pair_fail(p, "parameters do not fit", 0);
	h->lb = malloc(uet_lb_mem_size(ops, lb.n));
	if (uet_lb_init(h->lb, ops, &lb))
		pair_fail(p, "no path selection", 0);
	uet_ccc_init(&h->ccc, uet_cc_find(p->c->algo), &h->params, h->lb,
		     !p->c->rod, p->now);
	h->rules = (struct uet_snd_rules) {
		.rto_min_us = 100, .rto_max_ms = 20, .max_rto_retx = 5,
		.peer_timeout_s = 30, .max_nack_retx = 5, .nack_retx_us = 50,
		.clear_time_us = 100, .pdc_idle_s = 60,
		.ack_gen_min_pkt_add = 1024,
	};
	h->flow = (struct uet_snd_flow) {
		.ccc = &h->ccc, .rules = &h->rules, .probes = &h->probes,
		.payload_mtu = PAYLOAD, .overhead = OVERHEAD,
	};
	INIT_LIST_HEAD(&h->flow.ready);
}

void source_init(struct pair_host *h)
{
	int i;

	for (i = 0; i < PAIR_QUEUES; i++)
		uet_snd_queue_init(&h->queue[i].q, i % PAIR_PIDS);
	flow_init(h);
}

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

		if (tx && tx->s.state != UET_PDC_DEAD && (int)(i % n) == nr % n)
			return tx;
	}
	return tx_open(h);
}

static struct pair_tx *queue_bind(struct pair_host *h, int nr)
{
	struct pair_queue *q = &h->queue[nr];
	struct uet_snd_lane *lane;

	if (q->tx && q->tx->s.state != UET_PDC_DEAD)
		return q->tx;
	if (q->tx) {
		/* It died, and its messages are being moved. */
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
	m->m.len = rnd_below(&p->rnd, rnd_one_in(&p->rnd, 3) ?
			     p->c->max_len + 1 : PAYLOAD + 1);
	m->m.eom = !rnd_one_in(&p->rnd, 4);
	m->m.filled = m->m.eom ? m->m.len : rnd_below(&p->rnd, m->m.len + 1);
	uet_snd_submit(&tx->s, &m->m, p->now);
	uet_snd_enqueue(&tx->s, &m->m, p->now);
	tx_arm(tx);
}

/* The user adds data to a message that is not complete. */
static void msgs_fill(struct pair_host *h)
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

static void msg_done(struct pair_tx *tx, struct uet_snd_msg *m)
{
	bool failed = m->state == UET_MSG_FAILED;
	struct uet_snd_queue *q = m->queue;
	uint64_t now = tx->host->pair->now;

	if (!uet_snd_finish(&tx->s, m, now))
		return;
	if (!q->unfinished)
		uet_snd_hold_clear(q, now);
	if (!failed)
		msg_report(msg_of(m), 0);
}

/* Messages of a dead PDC move to another one, or fail. */
static void tx_reap(struct pair_tx *tx)
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

static void tx_die(struct pair_tx *tx)
{
	tx->s.state = UET_PDC_DEAD;
	list_del_init(&tx->s.ready_node);
}

static struct pair_tx *tx_by_id(struct pair_host *h, uint16_t id)
{
	return id && id <= h->nr_tx ? h->tx[id - 1] : NULL;
}

static bool tx_grow(struct pair_tx *tx)
{
	struct pair *p = tx->host->pair;
	uint32_t nslots = uet_snd_more_slots(&tx->s);
	struct uet_snd_mem mem;

	if (chance(p, p->c->nomem)) {
		uet_snd_nomem(&tx->s, p->now);
		tx_arm(tx);
		return false;
	}
	mem.win = malloc(uet_txwin_mem_size(nslots));
	mem.pkts = malloc(nslots * sizeof(*mem.pkts));
	uet_snd_attach(&tx->s, &mem, nslots);
	free(mem.win);
	free(mem.pkts);
	return true;
}

static void fill_ses(const struct uet_snd_pkt *k, struct uet_ses_req *ses)
{
	const struct uet_snd_msg *m = k->msg;

	ses->key = msg_of(m)->uid;
	ses->job = 1;
	ses->request_length = m->len;
	ses->message_offset = k->off;
	ses->payload_length = k->len;
	ses->msg_id = m->msg_id;
	ses->pid = m->queue->pid;
	ses->generation = m->generation;
	ses->opcode = UET_SES_OP_SEND;
	if (k->flags & UET_SND_MSG_ERROR) {
		ses->opcode = UET_SES_OP_MSG_ERROR;
		ses->flags = UET_SES_F_EOM;
		return;
	}
	if (!k->off)
		ses->flags |= UET_SES_F_SOM;
	if (k->off + k->len == m->len)
		ses->flags |= UET_SES_F_EOM;
}

static void tx_send(struct pair_tx *tx, const struct uet_snd_out *out)
{
	struct pair_host *h = tx->host;
	struct uet_pkt pkt = {
		.type = tx->s.rod ? UET_PDS_ROD_REQ : UET_PDS_RUD_REQ,
		.next_hdr = UET_NH_REQ_STD,
		.flags = (out->rtx ? UET_F_RETX : 0) | (out->ar ? UET_F_AR : 0),
		.spdcid = tx->id, .dpdcid = tx->remote,
		.req = { .psn = out->psn, .clear_psn = tx->s.win.clear_psn,
			 .start_psn = tx->s.start_psn },
	};

	if (tx->s.state == UET_PDC_SYN)
		pkt.flags |= UET_F_SYN;
	if (psn_delta(out->psn, pkt.req.clear_psn) > S16_MAX)
		pkt.req.clear_psn = out->psn - S16_MAX;
	fill_ses(&out->pkt, &pkt.ses);
	pair_trace(h, "PDC %u sends %u: message %u at %u, %u bytes%s%s%s%s", tx->id,
		   out->psn, msg_of(out->pkt.msg)->uid, out->pkt.off,
		   out->pkt.len, out->rtx ? ", again" : "",
		   out->ar ? ", AR" : "", pkt.flags & UET_F_SYN ? ", SYN" : "",
		   out->pkt.flags ? ", MSG_ERROR" : "");
	pair_send(h->pair, h->peer, &pkt, out->pkt.len, out->params.ev, true);
	h->pair->sent++;
	h->pair->rtx += out->rtx;
}

/* One packet of the sender whose turn it is; false if the flow must wait. */
static bool flow_step(struct pair_host *h)
{
	struct pair *p = h->pair;
	struct uet_snd_out out;
	struct pair_tx *tx = tx_of(list_first_entry(&h->flow.ready,
						    struct uet_snd, ready_node));
	enum uet_snd_verdict v;

	do {
		v = uet_snd_pick(&tx->s, p->now, p->now, &out);
	} while (v == UET_SND_GROW && tx_grow(tx));
	if (v == UET_SND_CLOSED)
		return false;
	if (v != UET_SND_NEW && v != UET_SND_RTX) {
		list_del_init(&tx->s.ready_node);
		return true;
	}
	if (chance(p, p->c->nomem)) {
		uet_snd_nomem(&tx->s, p->now);
		tx_arm(tx);
		return false;
	}
	tx_send(tx, &out);
	uet_snd_commit(&tx->s, &out, p->now, p->now);
	uet_snd_transmitted(&tx->s, p->now);
	tx_arm(tx);
	uet_snd_rotate(&tx->s);
	return true;
}

void source_run(struct pair_host *h)
{
	msgs_fill(h);
	while (!list_empty(&h->flow.ready) && !h->pair->failed)
		if (!flow_step(h))
			break;
}

static void tx_losses(struct pair_tx *tx, struct uet_snd_work *w)
{
	struct uet_ccc_loss loss;

	while (uet_snd_next_lost(&tx->s, w, &loss))
		uet_ccc_on_inferred_loss(&tx->host->ccc, &loss);
}

static void msg_fail(struct pair_tx *tx, struct uet_snd_msg *m, int error)
{
	if (m->state == UET_MSG_FAILED || m->state == UET_MSG_DONE)
		return;
	m->again = false;
	m->withdrawn = false;
	msg_report(msg_of(m), error);
	if (m->state != UET_MSG_SENT)
		uet_snd_end(&tx->s, m, tx->host->pair->now);
	m->state = UET_MSG_FAILED;
}

static void response(struct pair_tx *tx, const struct uet_ses_rsp *rsp,
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

static void tx_ack(struct pair_tx *tx, const struct uet_pkt *pkt, uint16_t ev)
{
	struct pair_host *h = tx->host;
	struct uet_snd *s = &tx->s;
	struct uet_snd_acked acked;
	struct uet_snd_work w;
	u64 rtt;
	uint32_t i;
	bool last;

	if (s->state == UET_PDC_DEAD || !uet_snd_names(s, &pkt->ack))
		return;
	if (s->state == UET_PDC_SYN) {
		tx->remote = pkt->spdcid;
		s->state = UET_PDC_ESTABLISHED;
	} else if (tx->remote != pkt->spdcid) {
		return;
	}
	uet_snd_ack(s, pkt, ev, h->pair->now, &acked);
	if (uet_pkt_has_ses_rsp(pkt))
		response(tx, &pkt->rsp, &acked);
	for (i = 0; i < acked.sum.psns; i++) {
		struct uet_snd_pkt *k = uet_snd_covered(s, acked.from + i, &last);
		struct uet_snd_msg *m = k->msg;

		k->msg = NULL;
		if (last)
			msg_done(tx, m);
	}
	uet_ccc_on_ack(&h->ccc, &acked.cc);
	if (pkt->ack.cc_type == UET_CC_CREDIT)
		uet_ccc_on_credit(&h->ccc, h->pair->now, pkt->ack.credit);
	uet_snd_work_init(&w, h->pair->now, h->pair->now);
	uet_snd_ack_done(s, pkt, &acked, &w);
	if (pkt->flags & UET_F_PROBE) {
		h->probes = UET_PROBES_ANSWERED;
		if (uet_snd_probe_answer(s, &pkt->ack, &w, &rtt))
			uet_ccc_on_probe_rtt(&h->ccc, h->pair->now, rtt);
	}
	tx_losses(tx, &w);
	if (!list_empty(&s->holds))
		uet_snd_hold_acked(s, h->pair->now);
	uet_snd_settled(s, h->pair->now);
	tx_arm(tx);
}

static bool disowns(uint8_t code)
{
	return code == UET_NACK_INV_DPDCID ||
	       code == UET_NACK_PDC_HDR_MISMATCH || code == UET_NACK_CLOSING;
}

static void tx_fatal(struct pair_tx *tx, const struct uet_pkt *pkt)
{
	uint8_t code = pkt->nack.code;
	bool awaited = false;

	tx->movable = code == UET_NACK_INVALID_SYN || disowns(code);
	tx->unopened = code == UET_NACK_INVALID_SYN && !tx->remote;
	if (disowns(code))
		awaited = uet_snd_disown(&tx->s, pkt->nack.psn,
					 pkt->flags & UET_F_RETX,
					 tx->host->pair->now);
	tx_die(tx);
	tx->timer = 0;
	if (awaited)
		tx_arm(tx);
	else
		tx_reap(tx);
}

static void tx_nack(struct pair_tx *tx, const struct uet_pkt *pkt, uint16_t ev)
{
	struct pair *p = tx->host->pair;
	struct uet_snd *s = &tx->s;
	struct uet_snd_nacked nacked;
	struct uet_snd_work w;

	if (s->state == UET_PDC_DEAD) {
		if (!tx->reaped && disowns(pkt->nack.code) &&
		    !uet_snd_disowned(s, pkt->nack.psn,
				      pkt->flags & UET_F_RETX))
			tx_reap(tx);
		return;
	}
	if (s->state == UET_PDC_SYN && !uet_txwin_has(&s->win, pkt->nack.psn))
		return;
	if (pkt->spdcid && s->state == UET_PDC_SYN) {
		tx->remote = pkt->spdcid;
		s->state = UET_PDC_ESTABLISHED;
	} else if (pkt->spdcid && pkt->spdcid != tx->remote) {
		return;
	}
	uet_snd_work_init(&w, p->now, p->now);
	switch (uet_snd_nack(s, pkt, ev, false, &w, &nacked)) {
	case UET_SND_NACK_FATAL:
		tx_fatal(tx, pkt);
		return;
	case UET_SND_NACK_TOO_MANY:
		if (!p->c->forged)
			pair_fail(p, "too many errors", pkt->nack.code);
		s->nack_e = 0;
		return;
	case UET_SND_NACK_FEED:
		if (nacked.fed)
			uet_ccc_on_nack(&tx->host->ccc, &nacked.cc);
		break;
	case UET_SND_NACK_SETTLE:
		break;
	default:
		tx_arm(tx);
		return;
	}
	tx_losses(tx, &w);
	uet_snd_settled(s, p->now);
	tx_arm(tx);
}

static void tx_cps(struct pair_tx *tx, const struct uet_snd_work *w)
{
	struct pair_host *h = tx->host;
	int i;

	for (i = 0; i < w->nr_cps; i++) {
		const struct uet_snd_cp *cp = &w->cps[i];
		struct uet_pkt pkt = {
			.type = UET_PDS_CP, .ctl_type = cp->ctl,
			.flags = cp->ctl == UET_CTL_CLEAR_CMD ? 0 : UET_F_AR,
			.spdcid = tx->id, .dpdcid = tx->remote, .cp = cp->cp,
		};

		pair_trace(h, "PDC %u asks: control %u about %u", tx->id, cp->ctl,
			   cp->cp.psn ?: cp->cp.payload);
		if (tx->remote)
			pair_send(h->pair, h->peer, &pkt, 0, cp->ev, true);
	}
}

void source_answer(struct pair_host *h, const struct uet_pkt *pkt, uint16_t ev)
{
	struct pair_tx *tx = tx_by_id(h, pkt->dpdcid);
	struct uet_snd_work w;

	if (!tx)
		return;
	if (pkt->type == UET_PDS_NACK)
		pair_trace(h, "PDC %u gets NACK %u from %u: code %u%s", tx->id,
			   pkt->nack.psn, pkt->spdcid, pkt->nack.code,
			   pkt->flags & UET_F_RETX ? ", again" : "");
	else if (pkt->type != UET_PDS_CP)
		pair_trace(h, "PDC %u gets ACK %u, CACK %u, SACK %u %llx from %u: code %u",
			   tx->id, pkt->ack.ack_psn, pkt->ack.cack_psn,
			   pkt->ack.sack_base, pkt->ack.sack_bitmap, pkt->spdcid,
			   uet_pkt_has_ses_rsp(pkt) ? pkt->rsp.code : 0);
	if (pkt->type == UET_PDS_ACK_CC || pkt->type == UET_PDS_ACK) {
		tx_ack(tx, pkt, ev);
	} else if (pkt->type == UET_PDS_NACK) {
		tx_nack(tx, pkt, ev);
	} else if (pkt->ctl_type == UET_CTL_CLEAR_REQ &&
		   tx->s.state == UET_PDC_ESTABLISHED) {
		uet_snd_work_init(&w, h->pair->now, h->pair->now);
		uet_snd_clear_req(&tx->s, pkt->cp.payload, ev, &w);
		tx_cps(tx, &w);
		tx_arm(tx);
	}
}

void source_cancel(struct pair_host *h, struct pair_msg *pm)
{
	struct uet_snd_msg *m = &pm->m;
	struct pair_queue *q = container_of(m->queue, struct pair_queue, q);
	uint64_t now = h->pair->now;
	struct uet_snd *s;

	if (pm->done || !q->tx || q->tx->s.state == UET_PDC_DEAD ||
	    m->withdrawn || m->state >= UET_MSG_FAILED)
		return;
	s = &q->tx->s;
	pm->cancelled = true;
	msg_report(pm, ECANCELED);
	m->withdrawn = true;
	if (m->state == UET_MSG_QUEUED) {
		if (uet_snd_drop(s, m, now))
			uet_snd_hold_clear(&q->q, now);
	} else {
		m->state = UET_MSG_FAILED;
		m->given_up = true;
		if (!m->all_sent)
			uet_snd_activate(s, &q->q, now);
	}
	uet_snd_hold_given_up(s, &q->q, now);
	tx_arm(q->tx);
}

void source_unreachable(struct pair_host *h)
{
	struct pair_tx *tx = h->nr_tx ? h->tx[h->nr_tx - 1] : NULL;

	if (!tx || tx->s.state != UET_PDC_ESTABLISHED)
		return;
	uet_snd_unreachable(&tx->s, h->pair->now);
	tx_arm(tx);
}

/* The host restarts: what it had to send is lost. */
void source_restart(struct pair_host *h)
{
	uint32_t i;

	for (i = 0; i < h->nr_tx; i++) {
		struct pair_tx *tx = h->tx[i];

		if (!tx || tx->reaped)
			continue;
		tx_die(tx);
		tx->movable = false;
		tx->timer = 0;
		tx_reap(tx);
	}
}

uint64_t source_next(const struct pair_host *h)
{
	uint64_t at = 0;
	uint32_t i;

	for (i = 0; i < h->nr_tx; i++)
		at = uet_earliest(at, h->tx[i]->timer);
	return at ?: PAIR_NEVER;
}

static void tx_expire(struct pair_tx *tx)
{
	struct pair_host *h = tx->host;
	struct pair *p = h->pair;
	struct uet_snd_work w;

	tx->timer = 0;
	if (tx->s.state == UET_PDC_DEAD) {
		if (!tx->reaped)
			tx_reap(tx);
		return;
	}
	uet_snd_work_init(&w, p->now, p->now);
	uet_snd_expire(&tx->s, &w);
	tx_losses(tx, &w);
	if (w.end == UET_SND_SILENT) {
		if (!p->c->restarts)
			pair_fail(p, "the peer counts as gone", tx->id);
		tx_die(tx);
		tx_reap(tx);
		return;
	}
	tx_cps(tx, &w);
	if (uet_snd_refused(&tx->s, p->now) && !p->c->restarts)
		pair_fail(p, "a forged ICMP is believed", tx->id);
	uet_snd_slacken(&tx->s, p->now);
	tx->s.wake_at = uet_snd_deadline(&tx->s);
	tx_arm(tx);
}

void source_expire(struct pair_host *h)
{
	uint32_t i;

	for (i = 0; i < h->nr_tx; i++)
		if (h->tx[i]->timer && h->tx[i]->timer <= h->pair->now)
			tx_expire(h->tx[i]);
}

/* What the messages that have not ended wait for */
static void source_show(const struct pair_host *h)
{
	const struct uet_ccc *c = &h->ccc;
	uint32_t i;

	printf("# host %d: %s, window %llu, inflight %lld in %u, backlog %llu, resend %u, blocked %u\n",
	       h->nr, ccc_state_name(c->state), uet_ccc_window(c),
	       c->inflight, c->inflight_pkts, c->backlog, c->waiting_rtx,
	       c->blocked);
	for (i = 0; i < h->nr_tx; i++) {
		const struct uet_snd *s = &h->tx[i]->s;

		if (s->state == UET_PDC_DEAD)
			continue;
		printf("# PDC %u: una %u next %u limit %u, marked %u, held %u, sacked %u, ready %d, active %d, timer %llu, rto %llu probe %llu loss %llu hold %llu\n",
		       i + 1, s->win.una, s->win.next, s->win.limit,
		       s->win.nr_marked, s->win.nr_held, s->win.nr_sacked,
		       !list_empty(&s->ready_node), !list_empty(&s->active),
		       (unsigned long long)h->tx[i]->timer, s->rto_at,
		       s->probe_at, s->loss_at, s->hold_at);
	}
	for (i = 0; i < h->nr_msg; i++) {
		const struct uet_snd_msg *m = &h->msg[i]->m;

		if (!h->msg[i]->done)
			printf("# message %u: state %u, %u of %u sent, filled %u, pid %u, hold %d%d%d, again %d, all %d, active %d\n",
			       i, m->state, m->sent, m->len, m->filled,
			       m->queue->pid, m->queue->hold.on,
			       m->queue->hold.ramp, m->queue->hold.trying,
			       m->again, m->all_sent,
			       !list_empty(&m->queue->active));
	}
}

void source_end(struct pair_host *h)
{
	const struct uet_ccc *c = &h->ccc;
	struct pair *p = h->pair;
	uint32_t i;

	if (p->failed) {
		source_show(h);
	} else {
		if (c->stats.imbalance)
			pair_fail(p, "books of congestion control: imbalance",
				  (uint32_t)c->stats.imbalance);
		if (c->backlog || c->waiting_rtx || c->rtx_backlog)
			pair_fail(p, "data waits that nobody has",
				  (uint32_t)c->backlog);
		for (i = 0; i < h->nr_msg; i++)
			if (!h->msg[i]->done)
				pair_fail(p, "a message has not ended", i);
	}
	for (i = 0; i < h->nr_tx; i++) {
		struct pair_tx *tx = h->tx[i];
		struct uet_snd_lane *lane, *next;

		list_for_each_entry_safe(lane, next, &tx->s.lanes, node)
			free(lane);
		free(tx->s.win.slots);
		free(tx->s.pkts);
		free(tx);
	}
	for (i = 0; i < h->nr_msg; i++)
		free(h->msg[i]);
	free(h->lb);
}
