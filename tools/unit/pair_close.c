// SPDX-License-Identifier: GPL-2.0
/*
 * PDCs are closed by the source, of itself or since the target asks: it takes no new
 * queues (QUIESCE), and once all is answered CLOSE_CMD goes, which has a PSN and is
 * resent until it is acknowledged (CLOSING). Then the PDC is dead, orderly.
 *
 * Not here: what the target does (pair_target.c).
 */
#include "../../net/uet/core/snd/snd_pick.h"
#include "../../net/uet/core/snd/snd_timer.h"
#include "pair.h"

static void close_send(struct pair_tx *tx, uint8_t flags)
{
	struct pair_host *h = tx->host;
	struct uet_pkt pkt = {
		.type = UET_PDS_CP, .ctl_type = UET_CTL_CLOSE_CMD,
		.flags = UET_F_AR | flags, .spdcid = tx->id,
		.dpdcid = tx->remote, .cp.psn = tx->close_psn,
	};

	pair_trace(h, "PDC %u closes by %u%s", tx->id, tx->close_psn,
		   flags ? ", again" : "");
	pair_send(h->pair, h->peer, &pkt, 0, 50000, 0);
	uet_snd_commit_cp(&tx->s, tx->close_psn, h->pair->now);
	tx_arm(tx);
}

void close_ask(struct pair_tx *tx)
{
	if (tx->s.state != UET_PDC_ESTABLISHED)
		return;
	tx->s.state = UET_PDC_QUIESCE;
	uet_snd_wake(&tx->s, tx->host->pair->now);
	tx_arm(tx);
}

/* The timer of a PDC that takes no new queues fired. */
void close_try(struct pair_tx *tx)
{
	struct uet_snd *s = &tx->s;

	if (s->state != UET_PDC_QUIESCE || s->nr_msgs ||
	    uet_txwin_outstanding(&s->win))
		return;
	if (uet_snd_has_room(s) == UET_SND_GROW)
		tx_grow(tx);
	if (uet_snd_has_room(s) != UET_SND_NEW) {
		uet_snd_nomem(s, tx->host->pair->now);
		tx_arm(tx);
		return;
	}
	s->state = UET_PDC_CLOSING;
	tx->close_psn = s->win.next;
	close_send(tx, 0);
}

/* CLOSE_CMD was lost. */
bool close_again(struct pair_tx *tx)
{
	struct pair *p = tx->host->pair;

	if (chance(p, p->c->nomem)) {
		uet_snd_nomem(&tx->s, p->now);
		tx_arm(tx);
		return false;
	}
	close_send(tx, UET_F_RETX);
	return true;
}

/* An answer was processed; true if it was that to CLOSE_CMD. */
bool close_done(struct pair_tx *tx)
{
	if (tx->s.state == UET_PDC_QUIESCE && !tx->s.nr_msgs)
		uet_snd_wake(&tx->s, tx->host->pair->now);
	if (tx->s.state != UET_PDC_CLOSING ||
	    uet_txwin_outstanding(&tx->s.win))
		return false;
	close_end(tx);
	return true;
}

void close_end(struct pair_tx *tx)
{
	pair_trace(tx->host, "PDC %u is closed", tx->id);
	if (tx->s.nr_msgs)
		pair_fail(tx->host->pair, "a PDC closes with messages", tx->id);
	tx_die(tx);
	tx->timer = 0;
	tx_reap(tx);
}
