/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sets of outstanding PSNs from which the lowest is taken, in memory of the
 * scoreboard (txwin.h).
 *
 * A scoreboard may have many sets at a time, but a PSN is in one of them at most.
 * The caller takes it out before CACK covers it.
 *
 * The peer decides in which order PSNs come and go, so each set is a skew heap:
 * n operations cost O(n log n) in any order, though a single one may be long.
 */
#ifndef _UET_CORE_TXWIN_HEAP_H
#define _UET_CORE_TXWIN_HEAP_H

#include "txwin.h"

/**
 * struct uet_tx_heap - set of PSNs; starts zeroed
 * @nr: number of PSNs
 * @top: the lowest one, if @nr > 0
 * @steps: links followed so far, to measure the cost
 */
struct uet_tx_heap {
	u32 nr;
	u32 top;
	u32 steps;
};

/**
 * uet_txwin_heap_add() - put a PSN into a set
 * @w: scoreboard
 * @h: set
 * @psn: outstanding PSN that is in no set
 */
void uet_txwin_heap_add(struct uet_txwin *w, struct uet_tx_heap *h, u32 psn);

/**
 * uet_txwin_heap_pop() - take the lowest PSN out of a set
 * @w: scoreboard
 * @h: set, not empty
 *
 * Return: the PSN.
 */
u32 uet_txwin_heap_pop(struct uet_txwin *w, struct uet_tx_heap *h);

#endif /* _UET_CORE_TXWIN_HEAP_H */
