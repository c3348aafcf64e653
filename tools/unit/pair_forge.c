// SPDX-License-Identifier: GPL-2.0
/*
 * Answers that a third party forges, who knows the PDCIDs but has not seen the packets:
 * they may cost packets and time, but must not end a PDC nor lose a message. So they do
 * not name packets in flight as received, nor fatal errors of them.
 *
 * Not here: a target that lies (pair_liar.c).
 */
#include "pair.h"

#define FORGED_EV	50000

/* NACKs about packets that may be outstanding or not, of codes that do no harm */
static void forge_nack(struct pair *p, const struct pair_tx *tx,
		       struct uet_pkt *pkt)
{
	static const uint8_t codes[] = {
		UET_NACK_TRIMMED, UET_NACK_NO_PKT_BUFFER, UET_NACK_ROD_OOO,
		UET_NACK_PKT_NOT_RCVD, UET_NACK_RCVR_INFER_LOSS,
		UET_NACK_RCVD_SES_PROCG, UET_NACK_UNEXP_EVENT,
	};
	struct uet_nack *n = &pkt->nack;

	pkt->type = UET_PDS_NACK;
	pkt->flags = rnd_one_in(&p->rnd, 2) ? UET_F_RETX : 0;
	n->code = codes[rnd_below(&p->rnd, ARRAY_SIZE(codes))];
	n->psn = tx->s.win.una - 4 + rnd_below(&p->rnd, 64);
	if (rnd_one_in(&p->rnd, 4))
		n->psn = rnd_one_in(&p->rnd, 2) ? 0 : rnd32(&p->rnd);
	/* About a packet it would end the PDC. */
	if (n->code == UET_NACK_UNEXP_EVENT &&
	    uet_txwin_has(&tx->s.win, n->psn))
		n->code = UET_NACK_TRIMMED;
}

/* A CACK that says nothing new: an old one, or one of packets never sent */
static uint32_t forge_cack(struct pair *p, const struct uet_txwin *w)
{
	switch (rnd_below(&p->rnd, 4)) {
	case 0:
		return w->next + rnd_below(&p->rnd, 70000);
	case 1:
		return w->una + (1u << 31) - rnd_below(&p->rnd, 2);
	case 2:
		return w->cack;
	default:
		return w->cack - rnd_below(&p->rnd, 70000);
	}
}

/* SACK of nothing that is in flight, and bits missing that were set before */
static void forge_sack(struct pair *p, const struct uet_txwin *w,
		       struct uet_ack *a)
{
	uint32_t psn;
	int i;

	a->sack_base = w->una - 70 + rnd_below(&p->rnd, w->next - w->una + 140);
	a->sack_bitmap = rnd64(&p->rnd);
	for (i = 0; i < 64; i++) {
		psn = a->sack_base + i;
		if (uet_txwin_has(w, psn) && !uet_txwin_is_sacked(w, psn))
			a->sack_bitmap &= ~BIT_ULL(i);
	}
}

static void forge_ack(struct pair *p, const struct pair_tx *tx,
		      struct uet_pkt *pkt)
{
	static const uint8_t flags[] = {
		0, UET_F_RETX, UET_F_ECN, UET_F_PROBE, UET_F_REQ_CLEAR,
		UET_F_PROBE | UET_F_RETX, UET_F_REQ_CLOSE | UET_F_ECN,
	};
	const struct uet_txwin *w = &tx->s.win;
	struct uet_ack *a = &pkt->ack;

	pkt->type = UET_PDS_ACK_CC;
	pkt->next_hdr = UET_NH_NONE;
	pkt->flags = flags[rnd_below(&p->rnd, ARRAY_SIZE(flags))];
	a->cack_psn = forge_cack(p, w);
	a->ack_psn = w->una - 1 - rnd_below(&p->rnd, 100);
	if (rnd_one_in(&p->rnd, 2))
		a->ack_psn = w->next + rnd_below(&p->rnd, 100);
	forge_sack(p, w, a);
	a->cc_type = UET_CC_NSCC;
	a->service_time = (uint16_t)rnd32(&p->rnd);
	a->rcvd_bytes = rnd_below(&p->rnd, 1u << 24);
	a->ooo_count = (uint16_t)rnd_below(&p->rnd, 2000);
	a->mpr = (uint8_t)rnd_below(&p->rnd, p->c->range / 128 + 1);
	a->probe_opaque = rnd_one_in(&p->rnd, 2) ? tx->s.probe_id :
						   (uint16_t)rnd32(&p->rnd);
}

void forge(struct pair *p, struct pair_host *h)
{
	struct uet_pkt pkt = {};
	const struct pair_tx *tx;

	if (!h->nr_tx)
		return;
	tx = h->tx[rnd_below(&p->rnd, h->nr_tx)];
	pkt.dpdcid = tx->id;
	pkt.spdcid = tx->remote;
	if (rnd_one_in(&p->rnd, 2))
		forge_nack(p, tx, &pkt);
	else if (tx->s.state != UET_PDC_SYN)
		forge_ack(p, tx, &pkt);
	else
		return;
	source_answer(h, &pkt, FORGED_EV + rnd_below(&p->rnd, 16));
}
