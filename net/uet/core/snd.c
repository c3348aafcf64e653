// SPDX-License-Identifier: GPL-2.0
/*
 * A sender and its rings; what it does is in the files that snd.h names.
 */
#include "snd.h"

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
	uet_ackreq_init(&s->ackreq, start_psn);
	s->clear_sent = start_psn - 1;
	s->heard = now;
	s->next_msg_id = (u16)seed;
	s->prng = seed;
}

u32 uet_snd_more_slots(const struct uet_snd *s)
{
	u32 nslots = s->win.nslots ? s->win.nslots * 2 : UET_TXWIN_MIN_SLOTS;

	return nslots <= UET_TXWIN_MAX_SLOTS ? nslots : 0;
}

void uet_snd_attach(struct uet_snd *s, struct uet_snd_mem *mem, u32 nslots)
{
	struct uet_snd_pkt *pkts = mem->pkts;
	u32 old_slots = s->win.nslots, psn;
	void *old;

	/* It cannot fail: there are more slots than before. */
	uet_txwin_attach(&s->win, mem->win, nslots, &old);
	for (psn = s->win.una; psn != s->win.next; psn++)
		pkts[psn & (nslots - 1)] = s->pkts[psn & (old_slots - 1)];
	mem->win = old;
	mem->pkts = s->pkts;
	s->pkts = pkts;
}

void uet_snd_detach(struct uet_snd *s, struct uet_snd_mem *mem)
{
	mem->win = uet_txwin_detach(&s->win);
	mem->pkts = NULL;
	if (mem->win)
		swap(mem->pkts, s->pkts);
}
