// SPDX-License-Identifier: GPL-2.0
/* Recently acknowledged values: look up, choose and remove. See lb_good.h. */
#include "lb_good.h"

/* Slot of a value, uet_lb_good.nr if it has none. */
static u32 good_slot_of(const struct uet_lb_good *g, u16 ev)
{
	u32 slot = 0;

	while (slot < g->nr && g->ev[slot] != ev)
		slot++;
	return slot;
}

void uet_lb_good_came_back(struct uet_lb_good *g, u16 ev, u64 now)
{
	u32 slot;

	if (likely(uet_lb_good_is_new(g, ev))) {
		uet_lb_good_replace(g, ev, now);
		return;
	}
	slot = good_slot_of(g, ev);
	if (slot == UET_LB_GOOD) {
		uet_lb_good_replace(g, ev, now);
		return;
	}
	if (slot == g->nr)
		g->nr++;
	uet_lb_good_put(g, slot, ev, now);
}

/*
 * Slots in turn: take the first value acknowledged since @since, or if there is
 * none the one acknowledged last.
 */
bool uet_lb_good_recall(struct uet_lb_good *g, u64 since, u16 not, u16 *ev)
{
	u32 from = uet_lb_good_ticks(since);
	u32 k, slot, best = UET_LB_GOOD;

	for (k = 0; k < g->nr; k++) {
		slot = g->turn;
		g->turn = (u8)((slot + 1) % g->nr);
		if (g->ev[slot] == not)
			continue;
		if (best == UET_LB_GOOD || (s32)(g->at[slot] - g->at[best]) > 0)
			best = slot;
		if ((s32)(g->at[slot] - from) >= 0)
			break;
	}
	if (best == UET_LB_GOOD)
		return false;
	*ev = g->ev[best];
	return true;
}

void uet_lb_good_forget(struct uet_lb_good *g, u16 ev)
{
	u32 slot = good_slot_of(g, ev);

	if (slot == g->nr)
		return;
	g->nr--;
	g->ev[slot] = g->ev[g->nr];
	g->low[slot] = g->low[g->nr];
	g->at[slot] = g->at[g->nr];
	g->turn = 0;
}

void uet_lb_good_forget_all(struct uet_lb_good *g)
{
	g->nr = 0;
	g->turn = 0;
}
