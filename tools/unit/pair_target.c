// SPDX-License-Identifier: GPL-2.0
/*
 * The target: the core's receive map, and endpoints that store few packets. What
 * finds no room is NACKed, or the whole message is refused by NO_MATCH. One message
 * per endpoint at a time holds a right to room, so that it can be completed. Ordered
 * targets keep what comes early, or drop it.
 */
#include <string.h>

#include "pair.h"

/* Bytes after which an ACK is sent: for single packets fewer than sources expect, for
 * runs as many as they expect
 */
#define TRIGGER		4096
#define TRIGGER_RUNS	UET_ACK_GEN_TRIGGER_DEFAULT
#define RIGHT_NS	20000000ULL
#define TIME_WAIT_NS	5000000ULL	/* longer than any packet is late */

static struct pair_rx *rx_by_id(struct pair_host *h, uint16_t id)
{
	return id && id <= h->nr_rx ? h->rx[id - 1] : NULL;
}

static struct pair_rx *rx_by_source(struct pair_host *h, uint16_t spdcid,
				    uint32_t start)
{
	uint32_t i;

	for (i = 0; i < h->nr_rx; i++)
		if (h->rx[i] && h->rx[i]->remote == spdcid &&
		    h->rx[i]->start == start)
			return h->rx[i];
	return NULL;
}

static void answer(struct pair_host *h, const struct pair_packet *pk,
		   struct uet_pkt *pkt)
{
	if (pk && pk->ce)
		pkt->flags |= UET_F_ECN;
	pair_send(h->pair, h->peer, pkt, 0, pk ? pk->ev : 50000, 0);
}

static void nack(struct pair_host *h, const struct pair_packet *pk,
		 const struct uet_pkt *to, const struct pair_rx *rx,
		 uint8_t code, uint32_t psn)
{
	struct uet_pkt pkt = {
		.type = UET_PDS_NACK,
		.flags = to ? to->flags & UET_F_RETX : 0,
		.spdcid = rx ? rx->id : 0,
		.dpdcid = rx ? rx->remote : to->spdcid,
		.nack = { .psn = psn, .code = code },
	};

	answer(h, pk, &pkt);
}

static void ack(struct pair_host *h, const struct pair_packet *pk,
		const struct uet_pkt *to, struct pair_rx *rx, uint32_t psn,
		uint8_t flags, const struct uet_ses_rsp *rsp)
{
	bool probe = flags & UET_F_PROBE;
	struct uet_pkt pkt = {
		.type = UET_PDS_ACK_CC,
		.next_hdr = rsp ? UET_NH_RSP : UET_NH_NONE,
		.flags = flags | (to->flags & UET_F_RETX),
		.spdcid = rx->id, .dpdcid = rx->remote,
	};
	struct uet_ack *a = &pkt.ack;

	a->ack_psn = psn;
	a->cc_type = UET_CC_NSCC;
	a->service_time = 1;
	a->cack_psn = rx->map.cack;
	a->sack_base = probe ? uet_rxmap_probe_base(&rx->map, to->cp.payload) :
			       uet_rxmap_sack_base(&rx->map, psn);
	a->sack_bitmap = uet_rxmap_sack(&rx->map, a->sack_base);
	a->rcvd_bytes = uet_rcvd_field(rx->rcvd);
	a->ooo_count = uet_rxmap_ooo_count(&rx->map);
	a->mpr = h->pair->c->range / 128;
	if (probe)
		a->probe_opaque = to->cp.probe_opaque;
	if (rsp)
		pkt.rsp = *rsp;
	if (!probe && (h->pair->c->no_sack || h->pair->c->plain)) {
		a->sack_base = a->cack_psn + 1;
		a->sack_bitmap = 0;
	}
	if (!probe && h->pair->c->plain)
		pkt.type = UET_PDS_ACK;
	answer(h, pk, &pkt);
}

static struct uet_ses_rsp plain_rsp(const struct uet_pkt *to, uint8_t code)
{
	return (struct uet_ses_rsp) {
		.opcode = UET_RSP_OP_DEFAULT, .code = code,
		.msg_id = to->ses.msg_id, .job = 1,
	};
}

static struct pair_gtd *gtd_find(struct pair_rx *rx, uint32_t psn)
{
	int i;

	for (i = 0; i < PAIR_GTDS; i++)
		if (rx->gtd[i].used && rx->gtd[i].psn == psn)
			return &rx->gtd[i];
	return NULL;
}

static void gtd_set_hold(struct pair_rx *rx)
{
	const struct pair_gtd *first = NULL;
	int i;

	for (i = 0; i < PAIR_GTDS; i++)
		if (rx->gtd[i].used &&
		    (!first || psn_before(rx->gtd[i].psn, first->psn)))
			first = &rx->gtd[i];
	if (first)
		uet_rxmap_set_hold(&rx->map, first->psn);
	else
		uet_rxmap_drop_hold(&rx->map);
}

static struct pair_gtd *gtd_add(struct pair_rx *rx, const struct uet_pkt *to,
				uint8_t code)
{
	uint32_t kept = 0;
	int i;

	for (i = 0; i < PAIR_GTDS; i++)
		kept += rx->gtd[i].used;
	if (!uet_rxmap_may_hold(&rx->map, to->req.psn, kept, PAIR_GTDS))
		return NULL;
	for (i = 0; i < PAIR_GTDS; i++) {
		struct pair_gtd *g = &rx->gtd[i];

		if (g->used)
			continue;
		g->used = true;
		g->psn = to->req.psn;
		g->rsp = plain_rsp(to, code);
		g->rsp.opcode = UET_RSP_OP_RESPONSE;
		gtd_set_hold(rx);
		return g;
	}
	return NULL;
}

static void cleared(struct pair_rx *rx, uint32_t psn)
{
	int i;

	if (uet_rxmap_clear(&rx->map, psn) != UET_CLEAR_NEW)
		return;
	for (i = 0; i < PAIR_GTDS; i++)
		if (!psn_after(rx->gtd[i].psn, psn))
			rx->gtd[i].used = false;
	gtd_set_hold(rx);
}

static void rx_free(struct pair_host *h, uint32_t i)
{
	free(h->rx[i]->open);
	free(h->rx[i]->early);
	free(h->rx[i]);
	h->rx[i] = NULL;
}

static struct pair_rx *rx_new(struct pair_host *h, const struct uet_pkt *pkt)
{
	struct pair_rx *rx = calloc(1, sizeof(*rx));
	uint32_t range = h->pair->c->range;

	if (h->nr_rx == ARRAY_SIZE(h->rx)) {
		pair_fail(h->pair, "too many PDCs are opened", h->nr_rx);
		free(rx);
		return NULL;
	}
	rx->used = true;
	rx->rod = uet_pkt_is_rod(pkt);
	rx->remote = pkt->spdcid;
	rx->start = pkt->req.start_psn;
	uet_rxmap_init(&rx->map, rx->start, range);
	uet_rxmap_attach(&rx->map, rx->bits, uet_rxmap_nbits(range));
	rx->open = calloc(PAIR_OPEN, sizeof(*rx->open));
	rx->keeps = rx->rod && !h->pair->c->drops_early;
	if (rx->keeps)
		rx->early = calloc(range, sizeof(*rx->early));
	h->rx[h->nr_rx++] = rx;
	rx->id = h->nr_rx;
	return rx;
}

/* The entry of a message; an old one is forgotten when CACK has passed its end. */
static struct pair_open *open_find(struct pair_host *h, struct pair_rx *rx,
				   const struct uet_ses_req *ses, uint32_t psn)
{
	struct pair_open *o = &rx->open[ses->msg_id % PAIR_OPEN];

	if (o->used && o->msg_id != ses->msg_id) {
		if (!o->over || psn_after(o->end, rx->map.cack))
			pair_fail(h->pair, "too many messages are open", 0);
		o->used = false;
	}
	if (!o->used) {
		*o = (struct pair_open) {
			.used = true, .msg_id = ses->msg_id,
			.uid = (uint32_t)ses->key, .end = psn,
		};
	}
	o->end = psn_max(o->end, psn);
	return o;
}

static void open_over(struct pair_host *h, struct pair_pid *pid,
		      struct pair_open *o, bool read)
{
	o->over = true;
	if (read)
		pid->readable += o->pkts;
	else
		pid->stored -= o->pkts;
	o->pkts = 0;
	if (pid->owner == o)
		pid->owner = NULL;
	(void)h;
}

static void deliver(struct pair_host *h, const struct pair_open *o)
{
	struct pair_msg *m = source_by_uid(h->peer, o->uid);
	struct pair_queue *q = container_of(m->m.queue, struct pair_queue, q);

	m->delivered_ever++;
	if (++m->delivered > 1)
		pair_fail(h->pair, "a message is delivered twice", o->uid);
	/* After a restart a late SYN may bring an old message, or one once more. */
	if (!h->pair->c->rod || m->error || m->delivered_ever > 1)
		return;
	if (m->serial < q->last_arrived)
		pair_fail(h->pair, "an ordered message is overtaken", o->uid);
	q->last_arrived = m->serial + 1;
}

enum taken { TAKEN, REFUSED, SHORT };

/* May another packet of the message be stored? */
static bool has_room(struct pair_host *h, struct pair_pid *pid,
		     struct pair_open *o)
{
	struct pair *p = h->pair;

	if (pid->owner && p->now - pid->owner_at > RIGHT_NS)
		pid->owner = NULL;
	if (!pid->owner)
		pid->owner = o;
	if (pid->owner == o) {
		pid->owner_at = p->now;
		return true;
	}
	return pid->stored < p->c->room;
}

static enum taken take(struct pair_host *h, struct pair_rx *rx,
		       const struct uet_pkt *pkt, uint8_t *code)
{
	const struct uet_ses_req *ses = &pkt->ses;
	struct pair_pid *pid = &h->pid[ses->pid % PAIR_PIDS];
	struct pair *p = h->pair;
	struct pair_open *o = open_find(h, rx, ses, pkt->req.psn);
	uint8_t *got = &o->got[ses->message_offset / PAIR_UNIT];

	pair_trace(h, "from PDC %u %u: message %u at %u%s", rx->remote,
		   pkt->req.psn, (uint32_t)ses->key, ses->message_offset,
		   o->over ? ", over" : "");

	if (o->over && o->code && ses->opcode != UET_SES_OP_MSG_ERROR) {
		*code = o->code;	/* not told yet */
		return REFUSED;
	}
	if (o->over)
		return TAKEN;
	if (ses->opcode == UET_SES_OP_MSG_ERROR) {
		open_over(h, pid, o, false);
		return TAKEN;
	}
	if (o->uid != (uint32_t)ses->key) {
		pair_fail(p, "two messages have the same id", o->uid);
		return TAKEN;
	}
	if (!has_room(h, pid, o)) {
		/* Refuse the whole message, where later ones may overtake it. */
		if (!rx->rod && rnd_one_in(&p->rnd, 4)) {
			open_over(h, pid, o, false);
			o->code = UET_RC_NO_MATCH;
			*code = o->code;
			return REFUSED;
		}
		*code = UET_NACK_NO_PKT_BUFFER;
		return SHORT;
	}
	if (*got)
		pair_fail(p, "an offset is received twice", o->uid);
	*got = 1;
	o->pkts++;
	pid->stored++;
	o->bytes += ses->payload_length;
	if (ses->flags & UET_SES_F_EOM)
		o->len = ses->message_offset + ses->payload_length;
	if (ses->flags & UET_SES_F_EOM || o->eom) {
		o->eom = true;
		if (o->bytes == o->len) {
			deliver(h, o);
			open_over(h, pid, o, true);
		}
	}
	return TAKEN;
}

static bool ack_due(struct pair_rx *rx, const struct pair_packet *pk,
		    const struct uet_pkt *pkt, bool created, uint32_t advanced)
{
	bool due = created || pkt->flags & (UET_F_AR | UET_F_RETX) || pk->ce;
	uint32_t trigger = pk->run ?
		uet_ackreq_run_trigger(TRIGGER_RUNS, pk->run) : TRIGGER;

	rx->ack_count += max_t(uint32_t, pk->payload, 1024);
	if (rx->ack_count >= trigger)
		due = true;
	if (rx->ar_wait && advanced && !psn_after(rx->ar_psn, rx->map.cack)) {
		rx->ar_wait = false;
		due = true;
	}
	if (pkt->flags & UET_F_AR && psn_after(pkt->req.psn, rx->map.cack)) {
		if (!rx->ar_wait || psn_after(pkt->req.psn, rx->ar_psn))
			rx->ar_psn = pkt->req.psn;
		rx->ar_wait = true;
	}
	if (due)
		rx->ack_count = 0;
	return due;
}

/* There is no room for a packet. */
static void short_of(struct pair_host *h, struct pair_rx *rx,
		     const struct pair_packet *pk, const struct uet_pkt *pkt,
		     uint8_t code)
{
	uint32_t psn = pkt->req.psn;

	if (!rx->nacked || psn_before(psn, rx->nacked_psn))
		rx->nacked_psn = psn;
	rx->nacked = true;
	nack(h, pk, pkt, rx, code, psn);
}

/* Deliver what was kept and is next. Returns the increase of CACK; if there is no room,
 * *code is set and the rest stays.
 */
static uint32_t deliver_early(struct pair_host *h, struct pair_rx *rx,
			      uint8_t *code)
{
	uint32_t advanced = 0;

	while (rx->keeps && uet_rxmap_due(&rx->map)) {
		uint32_t psn = uet_rxmap_expected(&rx->map);
		struct pair_early *e = &rx->early[psn % h->pair->c->range];
		struct pair_gtd *g = NULL;

		if (e->pkt.req.psn != psn)
			pair_fail(h->pair, "a kept packet is another one", psn);
		switch (take(h, rx, &e->pkt, code)) {
		case TAKEN:
			break;
		case REFUSED:
			g = gtd_add(rx, &e->pkt, *code);
			if (!g) {
				*code = UET_NACK_NO_GTD_DEL_AVAIL;
				return advanced;
			}
			rx->open[e->pkt.ses.msg_id % PAIR_OPEN].code = 0;
			break;
		case SHORT:
			return advanced;
		}
		advanced += uet_rxmap_deliver(&rx->map, 1);
		if (g)
			ack(h, &e->pk, &e->pkt, rx, psn, UET_F_REQ_CLEAR, &g->rsp);
	}
	return advanced;
}

static void gap(struct pair_host *h, struct pair_rx *rx,
		const struct pair_packet *pk, const struct uet_pkt *pkt)
{
	uint32_t expected = uet_rxmap_expected(&rx->map);
	uint64_t now = h->pair->now;

	if (rx->ooo_psn == expected && now < rx->ooo_until)
		return;
	rx->ooo_psn = expected;
	rx->ooo_until = now + 50000;
	nack(h, pk, pkt, rx, UET_NACK_ROD_OOO, pkt->req.psn);
}

/* Is a packet kept, without a response? */
static bool is_kept(const struct pair_rx *rx, uint32_t psn)
{
	return rx->keeps && psn_after(psn, rx->map.edge) &&
	       uet_rxmap_received(&rx->map, psn);
}

/* A packet came early on an ordered PDC: keep it, or have the source go back. */
static void early(struct pair_host *h, struct pair_rx *rx,
		  const struct pair_packet *pk, const struct uet_pkt *pkt)
{
	uint32_t psn = pkt->req.psn;

	/* Now and then there is no memory. */
	if (!rx->keeps || rnd_one_in(&h->pair->rnd, 50)) {
		gap(h, rx, pk, pkt);
		return;
	}
	rx->early[psn % h->pair->c->range] = (struct pair_early) {
		.pk = *pk, .pkt = *pkt,
	};
	uet_rxmap_set(&rx->map, psn);
	rx->rcvd += pk->payload + 104;
	if (ack_due(rx, pk, pkt, false, 0))
		ack(h, pk, pkt, rx, psn, 0, NULL);
}

static void new_packet(struct pair_host *h, struct pair_rx *rx,
		       const struct pair_packet *pk, const struct uet_pkt *pkt,
		       bool created)
{
	struct uet_ses_rsp rsp = plain_rsp(pkt, UET_RC_OK);
	uint32_t psn = pkt->req.psn, advanced;
	struct pair_gtd *g = NULL;
	uint8_t code = 0;

	switch (take(h, rx, pkt, &code)) {
	case TAKEN:
		break;
	case REFUSED:
		g = gtd_add(rx, pkt, code);
		if (g) {
			rx->open[pkt->ses.msg_id % PAIR_OPEN].code = 0;
			break;
		}
		code = UET_NACK_NO_GTD_DEL_AVAIL;
		fallthrough;
	case SHORT:
		short_of(h, rx, pk, pkt, code);
		return;
	}
	if (rx->nacked && rx->nacked_psn == psn)
		rx->nacked = false;
	if (rx->rod)
		advanced = uet_rxmap_deliver(&rx->map, 1);
	else
		advanced = uet_rxmap_set(&rx->map, psn);
	rx->rcvd += pk->payload + 104;
	advanced += deliver_early(h, rx, &code);
	if (g)
		ack(h, pk, pkt, rx, psn, UET_F_REQ_CLEAR, &g->rsp);
	else if (ack_due(rx, pk, pkt, created, advanced))
		ack(h, pk, pkt, rx, psn, 0, &rsp);
}

static void request(struct pair_host *h, struct pair_rx *rx,
		    const struct pair_packet *pk, const struct uet_pkt *pkt,
		    bool created)
{
	uint32_t psn = pkt->req.psn;
	struct uet_ses_rsp rsp = plain_rsp(pkt, UET_RC_NULL);
	const struct pair_gtd *g;
	uint8_t code;

	switch (uet_rxmap_classify(&rx->map, psn)) {
	case UET_RX_NEW:
		if (rx->closed) {
			nack(h, pk, pkt, rx, UET_NACK_CLOSING, psn);
			break;
		}
		cleared(rx, pkt->req.clear_psn);
		code = 0;
		deliver_early(h, rx, &code);
		if (code && rx->keeps && uet_rxmap_due(&rx->map)) {
			short_of(h, rx, pk, pkt, code);
			break;
		}
		if (rx->rod && psn != uet_rxmap_expected(&rx->map)) {
			early(h, rx, pk, pkt);
			break;
		}
		new_packet(h, rx, pk, pkt, created);
		break;
	case UET_RX_DUP:
		cleared(rx, pkt->req.clear_psn);
		if (is_kept(rx, psn)) {
			ack(h, pk, pkt, rx, psn, 0, NULL);
			break;
		}
		g = gtd_find(rx, psn);
		ack(h, pk, pkt, rx, psn, g ? UET_F_REQ_CLEAR : 0,
		    g ? &g->rsp : &rsp);
		break;
	case UET_RX_ABOVE:
		nack(h, pk, pkt, rx, pkt->flags & UET_F_SYN ?
		     UET_NACK_INVALID_SYN : UET_NACK_PSN_OOR_WINDOW, psn);
		break;
	default:
		break;
	}
}

/* CLOSE_CMD: everything before it was received and is cleared. */
static void closing(struct pair_host *h, struct pair_rx *rx,
		    const struct pair_packet *pk, const struct uet_pkt *pkt)
{
	uint32_t psn = pkt->cp.psn, i;

	if (!rx->closed) {
		if (psn != uet_rxmap_expected(&rx->map))
			return;
		cleared(rx, psn - 1);
		uet_rxmap_set(&rx->map, psn);
		rx->closed = h->pair->now;
		for (i = 0; i < PAIR_OPEN; i++)
			if (rx->open[i].used && !rx->open[i].over)
				pair_fail(h->pair, "closed within a message",
					  rx->open[i].uid);
	}
	if (psn == rx->map.cack)
		ack(h, pk, pkt, rx, psn, 0, NULL);
}

static void control(struct pair_host *h, struct pair_rx *rx,
		    const struct pair_packet *pk, const struct uet_pkt *pkt)
{
	uint32_t cack = rx->map.cack, psn = pkt->cp.psn;
	struct uet_ses_rsp rsp = {
		.opcode = UET_RSP_OP_DEFAULT, .code = UET_RC_OK, .job = 1,
		.msg_id = (uint16_t)pkt->cp.payload,
	};
	const struct pair_gtd *g;
	uint8_t code;

	switch (pkt->ctl_type) {
	case UET_CTL_ACK_REQ:
		switch (uet_rxmap_classify(&rx->map, psn)) {
		case UET_RX_DUP:
			deliver_early(h, rx, &code);
			if (is_kept(rx, psn)) {
				nack(h, pk, pkt, rx, UET_NACK_RCVD_SES_PROCG, psn);
				break;
			}
			g = gtd_find(rx, psn);
			ack(h, pk, pkt, rx, psn, g ? UET_F_REQ_CLEAR : 0,
			    g ? &g->rsp : &rsp);
			break;
		case UET_RX_NEW:
			nack(h, pk, pkt, rx, UET_NACK_PKT_NOT_RCVD, psn);
			break;
		default:
			break;
		}
		break;
	case UET_CTL_CLEAR_CMD:
		cleared(rx, pkt->cp.payload);
		if (rx->map.cack != cack)
			ack(h, pk, pkt, rx, rx->map.cack, 0, NULL);
		break;
	case UET_CTL_CLOSE_CMD:
		closing(h, rx, pk, pkt);
		break;
	case UET_CTL_PROBE:
		if (h->pair->c->no_probes)
			nack(h, pk, pkt, NULL, UET_NACK_UNEXP_EVENT, 0);
		else
			ack(h, pk, pkt, rx, rx->map.cack, UET_F_PROBE, NULL);
		break;
	default:
		break;
	}
}

/*
 * A NACK of a control packet without a PSN names PSN 0, to which no PDC of the module
 * comes. Here one may, if PSNs wrap: then such a NACK would seem to be about a packet.
 */
static bool nack_is_ambiguous(const struct pair_host *h,
			      const struct uet_pkt *pkt)
{
	const struct pair_tx *tx = h->peer->tx[pkt->spdcid - 1];

	return pkt->type == UET_PDS_CP && pkt->ctl_type == UET_CTL_PROBE &&
	       uet_txwin_has(&tx->s.win, 0);
}

void target_packet(struct pair_host *h, const struct pair_packet *pk,
		   const struct uet_pkt *pkt)
{
	bool syn = pkt->flags & UET_F_SYN, created = false;
	uint32_t psn = pkt->type == UET_PDS_CP ? pkt->cp.psn : pkt->req.psn;
	struct pair_rx *rx;

	if (syn && pkt->type != UET_PDS_CP)
		rx = rx_by_source(h, pkt->spdcid, pkt->req.start_psn);
	else
		rx = rx_by_id(h, pkt->dpdcid);
	if (!syn && (!rx || rx->remote != pkt->spdcid)) {
		if (!nack_is_ambiguous(h, pkt))
			nack(h, pk, pkt, NULL, UET_NACK_INV_DPDCID, psn);
		return;
	}
	if (pk->trimmed) {
		if (rx && uet_rxmap_classify(&rx->map, psn) == UET_RX_NEW)
			nack(h, pk, pkt, rx, UET_NACK_TRIMMED, psn);
		return;
	}
	if (!rx) {
		if (chance(h->pair, h->pair->c->shed)) {
			nack(h, pk, pkt, NULL, UET_NACK_NO_PDC_AVAIL, psn);
			return;
		}
		rx = rx_new(h, pkt);
		if (!rx)
			return;
		created = true;
	}
	if (pkt->type == UET_PDS_CP)
		control(h, rx, pk, pkt);
	else
		request(h, rx, pk, pkt, created);
}

/* The target would like to be rid of a PDC, which may be closed already. */
void target_ask_close(struct pair_host *h)
{
	struct uet_pkt pkt = {
		.type = UET_PDS_CP, .ctl_type = UET_CTL_CLOSE_REQ,
	};
	const struct pair_rx *rx;

	if (!h->nr_rx)
		return;
	rx = h->rx[rnd_below(&h->pair->rnd, h->nr_rx)];
	if (!rx)
		return;
	pkt.spdcid = rx->id;
	pkt.dpdcid = rx->remote;
	answer(h, NULL, &pkt);
}

/* Ask for CLEAR_CMD: the last one may be lost. */
static void want_clear(struct pair_host *h, const struct pair_rx *rx)
{
	struct uet_pkt pkt = {
		.type = UET_PDS_CP, .ctl_type = UET_CTL_CLEAR_REQ,
		.spdcid = rx->id, .dpdcid = rx->remote,
		.cp.payload = rx->map.hold,
	};

	if (rx->map.held && rnd_one_in(&h->pair->rnd, 4))
		answer(h, NULL, &pkt);
}

void target_read(struct pair_host *h)
{
	struct pair *p = h->pair;
	uint32_t i, n;
	uint8_t code;
	bool room = false;

	for (i = 0; i < PAIR_PIDS; i++) {
		n = rnd_below(&p->rnd, h->pid[i].readable + 1);
		h->pid[i].readable -= n;
		h->pid[i].stored -= n;
		room |= n;
	}
	for (i = 0; i < h->nr_rx; i++) {
		struct pair_rx *rx = h->rx[i];

		if (rx && rx->closed &&
		    p->now > rx->closed + TIME_WAIT_NS) {
			rx_free(h, i);
			continue;
		}
		if (rx)
			want_clear(h, rx);
		if (!room || !rx)
			continue;
		deliver_early(h, rx, &code);
		if (!rx->nacked)
			continue;
		rx->nacked = false;
		nack(h, NULL, NULL, rx, UET_NACK_RCVR_INFER_LOSS,
		     rx->nacked_psn);
	}
	h->wake = p->now + 20000 + rnd_below(&p->rnd, 400000);
}

void target_restart(struct pair_host *h)
{
	uint32_t i;

	pair_trace(h, "restarts");
	for (i = 0; i < h->nr_rx; i++)
		if (h->rx[i])
			rx_free(h, i);
	memset(h->pid, 0, sizeof(h->pid));
	for (i = 0; i < h->peer->nr_msg; i++)
		h->peer->msg[i]->delivered = 0;
	for (i = 0; i < PAIR_QUEUES; i++)
		h->peer->queue[i].last_arrived = 0;
}

void target_end(struct pair_host *h)
{
	uint32_t i;

	for (i = 0; i < h->nr_rx; i++)
		if (h->rx[i])
			rx_free(h, i);
}
