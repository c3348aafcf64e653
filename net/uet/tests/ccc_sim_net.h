/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An honest network and target of the sender in ccc_sim.h. The network delays,
 * reorders, trims and loses packets, the target answers them.
 */
#ifndef _UET_TESTS_CCC_SIM_NET_H
#define _UET_TESTS_CCC_SIM_NET_H

#include "ccc_sim.h"

/* How far a packet may overtake others */
#define SIM_REORDER	8U

static inline u8 sim_nack_code(struct sim *s)
{
	static const u8 codes[] = {
		UET_NACK_TRIMMED, UET_NACK_TRIMMED, UET_NACK_TRIMMED_LASTHOP,
		UET_NACK_NO_PKT_BUFFER, UET_NACK_PSN_OOR_WINDOW,
		UET_NACK_PKT_NOT_RCVD, UET_NACK_RCVR_INFER_LOSS,
	};

	return codes[rnd_below(&s->rnd, ARRAY_SIZE(codes))];
}

static inline u8 sim_ack_flags(struct sim *s, const struct sim_tx *tx)
{
	return (tx->rtx ? UET_F_RETX : 0) | (tx->probe ? UET_F_PROBE : 0) |
	       (rnd_one_in(&s->rnd, 3) ? UET_F_ECN : 0);
}

/* The kind of an ACK: with the state of NSCC, or with credit, or plain */
static inline u8 sim_cc_type(struct sim *s)
{
	if (s->c.algo->credit && rnd_one_in(&s->rnd, 2))
		return UET_CC_CREDIT;
	return rnd_one_in(&s->rnd, 10) ? UET_CC_NONE : UET_CC_NSCC;
}

static inline void sim_fill_nscc(struct sim *s, struct uet_ack *a)
{
	a->rcvd_bytes = uet_rcvd_field(s->arrived);
	a->rc = rnd_one_in(&s->rnd, 4);
	if (rnd_one_in(&s->rnd, 40))
		a->pend = (u8)rnd_below(&s->rnd, UET_PEND_MAX + 1);
	if (rnd_one_in(&s->rnd, 20))
		a->service_time = UET_SERVICE_TIME_SATURATED;
	else if (rnd_one_in(&s->rnd, 500))
		a->service_time = (u16)rnd32(&s->rnd);
}

/* The target acknowledges a packet or a PROBE. */
static inline void sim_ack(struct sim *s, const struct sim_tx *tx, bool again)
{
	struct uet_ack *a = &s->pkt.ack;
	const struct uet_rxmap *map = &s->map;

	memset(&s->pkt, 0, sizeof(s->pkt));
	s->pkt.type = UET_PDS_ACK_CC;
	s->pkt.flags = sim_ack_flags(s, tx);
	if (!tx->probe) {
		s->pkt.next_hdr = UET_NH_RSP;
		s->pkt.rsp.code = again ? UET_RC_NULL : UET_RC_OK;
	}
	a->cack_psn = map->cack;
	a->ack_psn = tx->probe ? map->cack : tx->psn;
	a->sack_base = tx->probe ? uet_rxmap_probe_base(map, tx->psn) :
				   uet_rxmap_sack_base(map, tx->psn);
	a->sack_bitmap = uet_rxmap_sack(map, a->sack_base);
	a->ooo_count = uet_rxmap_ooo_count(map);
	a->probe_opaque = tx->probe;
	a->mpr = SIM_PKTS / UET_MPR_UNIT_PSNS;
	a->cc_type = sim_cc_type(s);
	if (a->cc_type == UET_CC_NSCC)
		sim_fill_nscc(s, a);
	else if (a->cc_type == UET_CC_CREDIT)
		a->credit = s->granted;
	sim_take_ack(s);
}

static inline void sim_nack(struct sim *s, const struct sim_tx *tx)
{
	memset(&s->pkt, 0, sizeof(s->pkt));
	s->pkt.type = UET_PDS_NACK;
	s->pkt.flags = sim_ack_flags(s, tx);
	s->pkt.nack.psn = tx->psn;
	s->pkt.nack.code = sim_nack_code(s);
	sim_take_nack(s);
}

/* A packet reaches the target: true if it was there before. */
static inline bool sim_received(struct sim *s, u32 psn)
{
	if (uet_rxmap_classify(&s->map, psn) != UET_RX_NEW)
		return true;
	s->arrived += uet_txwin_slot(&s->snd.win, psn)->size;
	uet_rxmap_set(&s->map, psn);
	return false;
}

/* The packet that leaves the network next; at times it overtakes others. */
static inline void sim_pop(struct sim *s, struct sim_tx *tx)
{
	struct sim_tx *first = &s->net[s->net_out % SIM_PKTS];
	u32 n = s->net_in - s->net_out;
	struct sim_tx *next = first;

	if (rnd_one_in(&s->rnd, 4))
		next = &s->net[(s->net_out + rnd_below(&s->rnd,
						       min(n, SIM_REORDER))) %
			       SIM_PKTS];
	*tx = *next;
	*next = *first;
	s->net_out++;
}

/* The queue of the path changes now and then. */
static inline void sim_queue(struct sim *s)
{
	if (!rnd_one_in(&s->rnd, 50))
		return;
	s->delay = rnd_one_in(&s->rnd, 2) ? rnd_below(&s->rnd, 900) :
		   s->p.target * rnd_below(&s->rnd, 1024) >> 8;
}

/* The target grants the requested credit in small steps. */
static inline void sim_credit(struct sim *s)
{
	u32 step;

	if (!s->c.algo->credit)
		return;
	step = uet_credit_step(uet_ccc_credit_target(&s->c), s->granted);
	s->granted = (s->granted + min(step, 4 * s->p.mtu / 256)) &
		     UET_CREDIT_MASK;
	uet_ccc_on_credit(&s->c, s->now, s->granted);
	sim_note(s);
}

/* Time passes until the next deadline. */
static inline void sim_wait(struct sim *s)
{
	sim_pass(s, uet_snd_deadline(&s->snd));
}

/* The next packet in the network arrives, or does not. */
static inline void sim_arrive(struct sim *s)
{
	u32 dice = rnd_below(&s->rnd, 100);
	struct sim_tx tx;
	bool again;

	if (s->net_in == s->net_out) {
		if (s->c.blocked & UET_CC_BLOCK_CREDIT)
			sim_credit(s);
		else
			sim_wait(s);
		return;
	}
	sim_pop(s, &tx);
	sim_queue(s);
	sim_pass(s, tx.at + s->p.base_rtt + s->delay);
	if (dice < 1)
		return;			/* lost */
	if (!tx.probe && dice < 5) {
		sim_nack(s, &tx);
		return;
	}
	again = !tx.probe && sim_received(s, tx.psn);
	if (dice >= 7)			/* else the ACK is lost */
		sim_ack(s, &tx, again);
}

/* One random event that can happen now. A round trip takes many of them. */
static inline void sim_step(struct sim *s)
{
	u32 dice = rnd_below(&s->rnd, 1000);
	u64 step = div_u64(s->p.base_rtt, 32 + 4 * (s->net_in - s->net_out));

	sim_pass(s, s->now + rnd_below(&s->rnd, (u32)step + 1));
	if (dice < 300 && !s->c.backlog)
		sim_data(s);
	else if (dice < 600 && sim_send(s))
		return;
	else if (dice < 910)
		sim_arrive(s);
	else if (dice < 915)
		sim_lose(s);
	else if (dice < 925)
		sim_cancel(s);
	else if (dice < 926)
		sim_wait(s);
	else
		sim_credit(s);
}

/* Send all messages to their end. */
static inline bool sim_drain(struct sim *s)
{
	u32 guard = 100000;

	while (s->queue.unfinished && guard--) {
		if (sim_send(s))
			continue;
		sim_credit(s);
		sim_arrive(s);
	}
	return !s->queue.unfinished;
}

#endif /* _UET_TESTS_CCC_SIM_NET_H */
