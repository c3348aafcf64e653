// SPDX-License-Identifier: GPL-2.0
/*
 * A sender and its rings; what it does is in the files that snd.h names.
 */
#include "snd.h"

static const struct uet_snd_busy snd_rest;

static void snd_no_rings(struct uet_snd *s)
{
	s->win.ring = (struct uet_tx_ring *)&snd_rest.ring;
}

void uet_snd_init(struct uet_snd *s, struct uet_snd_flow *f, u32 start_psn,
		  bool rod, u32 seed, u64 now)
{
	s->flow = f;
	s->rod = rod;
	s->start_psn = start_psn;
	s->state = UET_PDC_SYN;
	INIT_LIST_HEAD(&s->ready_node);
	INIT_LIST_HEAD(&s->active);
	INIT_LIST_HEAD(&s->holds);
	INIT_LIST_HEAD(&s->lanes);
	INIT_LIST_HEAD(&s->begun);
	uet_txwin_init(&s->win, start_psn, UET_MPR_FIRST_PSNS);
	snd_no_rings(s);
	uet_ackreq_init(&s->ackreq, start_psn);
	s->clear_sent = start_psn - 1;
	s->heard = now;
	s->next_msg_id = (u16)seed;
	f->prng = seed;
}

u32 uet_snd_more_slots(const struct uet_snd *s)
{
	u32 nslots = s->win.nslots ? s->win.nslots * 2 : UET_TXWIN_MIN_SLOTS;

	return nslots <= UET_TXWIN_MAX_SLOTS ? nslots : 0;
}

void uet_snd_attach(struct uet_snd *s, struct uet_snd_mem *mem, u32 nslots)
{
	struct uet_snd_busy *busy = mem->win, *was = uet_snd_busy(s);
	u32 old_slots = s->win.nslots, psn;
	void *old;

	memcpy(busy, was, offsetof(struct uet_snd_busy, ring));
	busy->pkts = mem->pkts;
	/* It cannot fail: there are more slots than before. */
	uet_txwin_attach(&s->win, &busy->ring, nslots, &old);
	for (psn = s->win.una; psn != s->win.next; psn++)
		busy->pkts[psn & (nslots - 1)] = was->pkts[psn & (old_slots - 1)];
	mem->win = old_slots ? was : NULL;
	mem->pkts = was->pkts;
}

void uet_snd_detach(struct uet_snd *s, struct uet_snd_mem *mem)
{
	struct uet_snd_busy *busy = uet_snd_busy(s);

	mem->win = NULL;
	mem->pkts = NULL;
	if (!uet_txwin_detach(&s->win))
		return;
	mem->win = busy;
	mem->pkts = busy->pkts;
	snd_no_rings(s);
}
