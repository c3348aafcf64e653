/* SPDX-License-Identifier: GPL-2.0 */
/*
 * TFC, credit for a destination that must not drop (UE 1.0 3.6.15): what both ends
 * have to agree on.
 *
 * Credit is a number of cells. What is public of UE 1.0 3.6.15 says that the size of a
 * cell and an overhead per packet, both configured, make a number of cells of a packet,
 * that the destination hands out cells as its buffer frees, and that a source sends
 * only what it has cells for. All else here, and in cc_tfc.c and tfc_cells.c, is the
 * choice of this module:
 *
 *	- The fields of requests, ACKs and CREDIT packets count cells as they count quanta
 *	  with RCCC, modulo 2^24.
 *	- A packet costs its cells when it is sent first, and nothing when it is sent
 *	  again: the room for it is reserved until it has come. So neither a loss nor a
 *	  duplicate nor a change of order changes either end's count.
 *	- The first cells need no grant: both ends know of them by their settings.
 *	- What the ends count differently (packets of a PDC that failed, data that was given
 *	  up, grants that were never used) is settled by a new ccc_id, under which both
 *	  begin at 0. Grants do not tell their ccc_id, so a source takes another one only
 *	  when none can be on its way: after a rest, or with the last of its PDCs.
 */
#ifndef _UET_CORE_TFC_H
#define _UET_CORE_TFC_H

#include "../env.h"

/*
 * A source that had nothing outstanding and nothing to send for so long gives up its
 * credit; ...
 */
#define UET_TFC_KEEP_NS		1000000000ULL
/* ... a destination that has heard nothing from it for so long takes it back. */
#define UET_TFC_SILENCE_NS	(2 * UET_TFC_KEEP_NS)

/* Most cells that a source asks for, or has */
#define UET_TFC_CELLS_MAX	0x100000U

/**
 * uet_tfc_cells() - what a packet costs
 * @size: its nominal size, bytes
 * @cell: size of a cell, bytes, not 0
 * @overhead: bytes that each packet takes beside its own
 *
 * Return: cells.
 */
static inline u32 uet_tfc_cells(u32 size, u32 cell, u32 overhead)
{
	return (size + overhead + cell - 1) / cell;
}

#endif /* _UET_CORE_TFC_H */
