// SPDX-License-Identifier: GPL-2.0
/*
 * The source: does for the core's sender what a kernel would. Here: answers and timers.
 *
 * Not here: messages (pair_msg.c), which PDC they take (pair_bind.c), requests out
 * (pair_send.c).
 */
#include <string.h>

#include "../../net/uet/core/snd/snd_gone.h"
#include "../../net/uet/core/snd/snd_hold.h"
#include "../../net/uet/core/snd/snd_loss.h"
#include "../../net/uet/core/snd/snd_nack.h"
#include "../../net/uet/core/snd/snd_pick.h"
#include "../../net/uet/core/snd/snd_queue.h"
#include "../../net/uet/core/snd/snd_timer.h"
#include "../../net/uet/core/wire/probe.h"
#include "pair.h"

void tx_arm(struct pair_tx *tx)
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
		.cwnd = 100000, .run = p->c->spray_run,
	};
	struct uet_cc_config cfg = {};

	uet_cc_config_set(&cfg, UET_CCP_RATE_MBPS,
			  1000 * (p->c->gbps ?: 10));
	uet_cc_config_set(&cfg, UET_CCP_BASE_RTT_NS, 2 * p->base);
	uet_cc_config_set(&cfg, UET_CCP_MTU, PAIR_PAYLOAD + PAIR_OVERHEAD);
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
		.payload_mtu = PAIR_PAYLOAD, .overhead = PAIR_OVERHEAD,
		.run_max = p->c->run_max,
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

static struct pair_tx *tx_by_id(struct pair_host *h, uint16_t id)
{
	return id && id <= h->nr_tx ? h->tx[id - 1] : NULL;
}

static void tx_losses(struct pair_tx *tx, struct uet_snd_work *w)
{
	struct uet_ccc_loss loss;

	while (uet_snd_next_lost(&tx->s, w, &loss))
		uet_ccc_on_inferred_loss(&tx->host->ccc, &loss);
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
		msg_response(tx, &pkt->rsp, &acked);
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
	if (close_done(tx))
		return;
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

	/* The target has closed the PDC and forgot it; its ACK was lost. */
	if (tx->s.state == UET_PDC_CLOSING && code == UET_NACK_INV_DPDCID) {
		close_end(tx);
		return;
	}
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
		if (!p->c->forged && !p->c->liar)
			pair_fail(p, "too many errors", pkt->nack.code);
		uet_snd_busy(s)->nack_e = 0;
		if (p->c->liar)
			tx_fatal(tx, pkt);
		return;
	case UET_SND_NACK_FEED:
		if (nacked.fed)
			uet_ccc_on_nack(&tx->host->ccc, &nacked.cc);
		break;
	case UET_SND_NACK_SETTLE:
		break;
	case UET_SND_NACK_NO_PROBES:
		tx->host->probes = UET_PROBES_NACKED;
		return;
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
			pair_send(h->pair, h->peer, &pkt, 0, cp->ev,
				  cp->data_class ? port_free(h) : 0);
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
		   tx->s.state != UET_PDC_SYN && tx->s.state != UET_PDC_DEAD) {
		uet_snd_work_init(&w, h->pair->now, h->pair->now);
		uet_snd_clear_req(&tx->s, pkt->cp.payload, ev, &w);
		tx_cps(tx, &w);
		tx_arm(tx);
	} else if (pkt->ctl_type == UET_CTL_CLOSE_REQ) {
		close_ask(tx);
	}
}

/* A PDC was idle for long, if the user had nothing to send. */
void source_close(struct pair_host *h)
{
	if (h->nr_tx)
		close_ask(h->tx[rnd_below(&h->pair->rnd, h->nr_tx)]);
}

/* The MTU of the path changes; the context was made for packets of PAIR_PAYLOAD. */
void source_mtu(struct pair_host *h)
{
	h->flow.payload_mtu = PAIR_UNIT << rnd_below(&h->pair->rnd, 3);
	pair_trace(h, "the MTU is %u", h->flow.payload_mtu);
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

bool source_at_rest(const struct pair_host *h)
{
	uint32_t i;

	for (i = 0; i < h->nr_tx; i++)
		if (!h->tx[i]->reaped &&
		    uet_txwin_outstanding(&h->tx[i]->s.win))
			return false;
	/* The backlog may be MSG_ERROR of a message that has ended. */
	return !h->ccc.inflight_pkts && !h->ccc.waiting_rtx &&
	       !h->ccc.backlog;
}

uint64_t source_next(const struct pair_host *h)
{
	uint64_t at = 0;
	uint32_t i;

	for (i = 0; i < h->nr_tx; i++)
		at = uet_earliest(at, h->tx[i]->timer);
	if (!list_empty(&h->flow.ready))
		at = uet_earliest(at, port_wait(h));
	return at ?: PAIR_NEVER;
}

static void tx_expire(struct pair_tx *tx)
{
	struct pair_host *h = tx->host;
	struct pair *p = h->pair;
	struct uet_snd_work w;

	tx->timer = 0;
	live_fired(tx);
	if (tx->s.state == UET_PDC_DEAD) {
		if (tx->reaped)
			return;
		if (p->now < tx->s.rto_at)
			tx->timer = tx->s.rto_at;
		else
			tx_reap(tx);
		return;
	}
	uet_snd_work_init(&w, p->now, p->now);
	uet_snd_expire(&tx->s, &w);
	tx_losses(tx, &w);
	if (w.end == UET_SND_SILENT) {
		if (!p->c->restarts && !p->c->liar)
			pair_fail(p, "the peer counts as gone", tx->id);
		tx_die(tx);
		tx_reap(tx);
		return;
	}
	tx_cps(tx, &w);
	close_try(tx);
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
		if (tx->s.win.nslots) {
			free(uet_snd_busy(&tx->s)->pkts);
			free(uet_snd_busy(&tx->s));
		}
		free(tx);
	}
	for (i = 0; i < h->nr_msg; i++)
		free(h->msg[i]);
	free(h->lb);
}
