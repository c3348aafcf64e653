// SPDX-License-Identifier: GPL-2.0
/* Requests out of the source: memory, turns, packets */
#include "../../net/uet/core/snd/snd_pick.h"
#include "../../net/uet/core/snd/snd_queue.h"
#include "../../net/uet/core/snd/snd_timer.h"
#include "pair.h"

static struct pair_tx *tx_of(const struct uet_snd *s)
{
	return container_of(s, struct pair_tx, s);
}

bool tx_grow(struct pair_tx *tx)
{
	struct pair *p = tx->host->pair;
	uint32_t nslots = uet_snd_more_slots(&tx->s);
	struct uet_snd_mem mem;

	if (chance(p, p->c->nomem)) {
		uet_snd_nomem(&tx->s, p->now);
		tx_arm(tx);
		return false;
	}
	mem.win = malloc(uet_snd_win_size(nslots));
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

/* @i: which packet of a run */
static void tx_send(struct pair_tx *tx, const struct uet_snd_out *out, uint32_t i,
		    uint64_t departs)
{
	bool end = i == out->n - 1, ar = out->ar && end;
	uint32_t psn = out->psn + i;
	struct uet_snd_pkt k = out->pkt;
	struct pair_host *h = tx->host;
	struct uet_pkt pkt = {
		.type = tx->s.rod ? UET_PDS_ROD_REQ : UET_PDS_RUD_REQ,
		.next_hdr = UET_NH_REQ_STD,
		.flags = (out->rtx ? UET_F_RETX : 0) | (ar ? UET_F_AR : 0),
		.spdcid = tx->id, .dpdcid = tx->remote,
		.req = { .psn = psn, .clear_psn = tx->s.win.clear_psn,
			 .start_psn = tx->s.start_psn },
	};

	if (tx->s.state == UET_PDC_SYN)
		pkt.flags |= UET_F_SYN;
	if (psn_delta(psn, pkt.req.clear_psn) > S16_MAX)
		pkt.req.clear_psn = psn - S16_MAX;
	k.off += i * out->pkt.len;
	if (end)
		k.len = (uint16_t)out->last_len;
	fill_ses(&k, &pkt.ses);
	pair_trace(h, "PDC %u sends %u: message %u at %u, %u bytes%s%s%s%s%s", tx->id,
		   psn, msg_of(k.msg)->uid, k.off, k.len, out->rtx ? ", again" : "",
		   ar ? ", AR" : "", pkt.flags & UET_F_SYN ? ", SYN" : "",
		   k.flags ? ", MSG_ERROR" : "", out->n > 1 ? ", in a run" : "");
	pair_send(h->pair, h->peer, &pkt, k.len, out->params.ev, departs);
}

/* Is what was picked as a run what may be one? */
static void check_run(struct pair_tx *tx, const struct uet_snd_out *out)
{
	const struct uet_snd_msg *m = out->pkt.msg;
	struct pair *p = tx->host->pair;

	if (out->n == 1)
		return;
	p->total.in_runs += out->n;
	if (out->n > p->c->run_max || out->rtx || out->n > out->params.run ||
	    out->pkt.len != m->run_len || !out->last_len ||
	    out->last_len > out->pkt.len || m->sent % m->run_len ||
	    m->sent + uet_snd_out_len(out) > m->filled ||
	    (out->last_len < out->pkt.len && !out->last))
		pair_fail(p, "no such run may be", out->n);
}

/* Send the packet that was picked; false without memory: a timer tries again. */
static bool tx_commit(struct pair_tx *tx, struct uet_snd_out *out)
{
	struct pair_host *h = tx->host;
	struct pair *p = h->pair;
	bool dropped = chance(p, p->c->drops);
	uint32_t step, i;
	uint64_t departs;

	if (chance(p, p->c->nomem)) {
		uet_snd_nomem(&tx->s, p->now);
		tx_arm(tx);
		return false;
	}
	check_run(tx, out);
	p->total.sent += out->n;
	p->total.rtx += out->rtx;
	step = port_takes(h, out->ask.size);
	departs = port_departs(h, uet_snd_out_size(out)) - (out->n - 1) * step;
	if (out->n > 1)
		p->run = (out->n - 1) * out->pkt.len + out->last_len;
	for (i = 0; !dropped && i < out->n; i++)
		tx_send(tx, out, i, departs + (uint64_t)i * step);
	p->run = 0;
	uet_snd_commit(&tx->s, out, departs, step, p->now);
	uet_snd_transmitted(&tx->s, p->now);
	tx_arm(tx);
	if (dropped)
		port_dropped(tx, out->psn, out->n);
	return true;
}

/* A message of one packet is sent at once if nothing else waits. */
bool send_alone(struct pair_tx *tx, struct pair_msg *m)
{
	struct pair_host *h = tx->host;
	struct uet_snd *s = &tx->s;
	struct uet_snd_out out;

	if (!m->m.eom || !list_empty(&h->flow.ready) || port_wait(h) ||
	    !uet_snd_may_alone(s, &m->m))
		return false;
	if (uet_snd_has_room(s) != UET_SND_NEW &&
	    (uet_snd_has_room(s) != UET_SND_GROW || !tx_grow(tx)))
		return false;
	uet_snd_pick_alone(s, &m->m, h->pair->now, port_free(h), &out);
	return tx_commit(tx, &out);
}

/* One packet of the sender whose turn it is; false if the flow must wait. */
static bool flow_step(struct pair_host *h)
{
	struct uet_snd_out out;
	struct pair_tx *tx = tx_of(list_first_entry(&h->flow.ready,
						    struct uet_snd, ready_node));
	enum uet_snd_verdict v;

	if (port_wait(h))
		return false;
	do {
		v = uet_snd_pick(&tx->s, h->pair->now, port_free(h), &out);
	} while (v == UET_SND_GROW && tx_grow(tx));
	if (v == UET_SND_CLOSED)
		return false;
	if (v == UET_SND_CP) {
		if (!close_again(tx))
			return false;
		uet_snd_transmitted(&tx->s, h->pair->now);
		uet_snd_rotate(&tx->s);
		return true;
	}
	if (v != UET_SND_NEW && v != UET_SND_RTX) {
		list_del_init(&tx->s.ready_node);
		return true;
	}
	if (!tx_commit(tx, &out))
		return false;
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
