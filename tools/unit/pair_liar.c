// SPDX-License-Identifier: GPL-2.0
/*
 * A target that answers whatever it likes: ACKs and NACKs of packets that it has or not,
 * that contradict each other, responses at random. It has the right to end messages and
 * PDCs. But the source must keep its books and end all messages, reported as this or
 * that, once the target answers properly.
 */
#include "pair.h"

/* One in so many packets ends the PDC. */
#define FATAL		400

static void liar_send(struct pair_host *h, const struct pair_packet *pk,
		      const struct pair_tx *tx, struct uet_pkt *pkt)
{
	pkt->dpdcid = tx->id;
	pkt->spdcid = tx->id + 1;
	pair_send(h->pair, h->peer, pkt, 0, pk->ev, 0);
}

/* All that was sent is received. */
static void liar_agrees(struct pair_host *h, const struct pair_packet *pk,
			const struct pair_tx *tx, const struct uet_pkt *to)
{
	bool probe = to->type == UET_PDS_CP && to->ctl_type == UET_CTL_PROBE;
	struct uet_pkt pkt = {
		.type = UET_PDS_ACK_CC, .next_hdr = UET_NH_NONE,
		.flags = probe ? UET_F_PROBE : to->flags & UET_F_RETX,
	};

	pkt.ack = (struct uet_ack) {
		.cack_psn = tx->s.win.next - 1, .ack_psn = tx->s.win.next - 1,
		.sack_base = tx->s.win.next, .cc_type = UET_CC_NSCC,
		.service_time = 1, .mpr = 1,
		.probe_opaque = probe ? to->cp.probe_opaque : 0,
	};
	liar_send(h, pk, tx, &pkt);
}

/* A PSN in the window of the source, or near it */
static uint32_t liar_psn(struct pair_host *h, const struct uet_txwin *w)
{
	return w->una - 8 + rnd_below(&h->pair->rnd, w->next - w->una + 16);
}

static void liar_acks(struct pair_host *h, const struct pair_packet *pk,
		      const struct pair_tx *tx, const struct uet_pkt *to)
{
	static const uint8_t codes[] = {
		UET_RC_OK, UET_RC_NULL, UET_RC_NO_MATCH, UET_RC_BAD_PID,
	};
	static const uint8_t flags[] = {
		0, UET_F_RETX, UET_F_ECN, UET_F_PROBE, UET_F_REQ_CLEAR,
		UET_F_REQ_CLOSE,
	};
	struct test_rnd *rnd = &h->pair->rnd;
	struct uet_pkt pkt = {
		.type = UET_PDS_ACK_CC, .next_hdr = UET_NH_RSP,
		.flags = flags[rnd_below(rnd, ARRAY_SIZE(flags))],
	};
	struct uet_ack *a = &pkt.ack;

	*a = (struct uet_ack) {
		.cack_psn = liar_psn(h, &tx->s.win),
		.ack_psn = liar_psn(h, &tx->s.win),
		.sack_base = liar_psn(h, &tx->s.win),
		.sack_bitmap = rnd64(rnd) & rnd64(rnd),
		.cc_type = UET_CC_NSCC, .service_time = (uint16_t)rnd32(rnd),
		.rcvd_bytes = rnd_below(rnd, 1u << 24),
		.ooo_count = (uint16_t)rnd_below(rnd, 500),
		.mpr = (uint8_t)rnd_below(rnd, 3),
		.probe_opaque = tx->s.probe_id,
	};
	pkt.rsp = (struct uet_ses_rsp) {
		.opcode = UET_RSP_OP_DEFAULT, .job = 1,
		.code = codes[rnd_below(rnd, ARRAY_SIZE(codes))],
		.msg_id = to->type == UET_PDS_CP ? 1 : to->ses.msg_id,
	};
	liar_send(h, pk, tx, &pkt);
}

static void liar_nacks(struct pair_host *h, const struct pair_packet *pk,
		       const struct pair_tx *tx)
{
	static const uint8_t codes[] = {
		UET_NACK_TRIMMED, UET_NACK_NO_PKT_BUFFER, UET_NACK_ROD_OOO,
		UET_NACK_NO_RESOURCE, UET_NACK_PKT_NOT_RCVD,
		UET_NACK_RCVR_INFER_LOSS, UET_NACK_PSN_OOR_WINDOW,
		UET_NACK_EXP_ERROR,
	};
	static const uint8_t fatal[] = {
		UET_NACK_INV_DPDCID, UET_NACK_CLOSING, UET_NACK_UNEXP_EVENT,
		UET_NACK_INVALID_SYN, UET_NACK_PDC_HDR_MISMATCH,
	};
	struct test_rnd *rnd = &h->pair->rnd;
	struct uet_pkt pkt = {
		.type = UET_PDS_NACK,
		.flags = rnd_one_in(rnd, 2) ? UET_F_RETX : 0,
		.nack = {
			.psn = liar_psn(h, &tx->s.win),
			.code = codes[rnd_below(rnd, ARRAY_SIZE(codes))],
		},
	};

	if (rnd_one_in(rnd, FATAL))
		pkt.nack.code = fatal[rnd_below(rnd, ARRAY_SIZE(fatal))];
	liar_send(h, pk, tx, &pkt);
}

void liar_packet(struct pair_host *h, const struct pair_packet *pk,
		 const struct uet_pkt *pkt)
{
	const struct pair_tx *tx = h->peer->tx[pkt->spdcid - 1];
	struct pair *p = h->pair;

	if (p->calm) {
		liar_agrees(h, pk, tx, pkt);
		return;
	}
	switch (rnd_below(&p->rnd, 8)) {
	case 0:
		break;
	case 1:
		liar_agrees(h, pk, tx, pkt);
		break;
	case 2:
	case 3:
		liar_nacks(h, pk, tx);
		break;
	default:
		liar_acks(h, pk, tx, pkt);
		break;
	}
}
