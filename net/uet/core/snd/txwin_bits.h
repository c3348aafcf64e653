/* SPDX-License-Identifier: GPL-2.0 */
/*
 * State bits of a scoreboard, for txwin.c and txwin_scan.c. 64 PSNs that differ
 * only in the lowest six bits form a block: one word of each state bit. When the
 * window is nearly as long as the ring, its first and last block may share a
 * word, so always mask bits by the range of PSNs in question.
 */
#ifndef _UET_CORE_TXWIN_BITS_H
#define _UET_CORE_TXWIN_BITS_H

#include "txwin.h"

#define TX_BLOCK		64
#define TX_BLOCK_MASK	(TX_BLOCK - 1)

static inline struct uet_tx_word *word_of(const struct uet_txwin *w, u32 psn)
{
	return &w->ring->words[uet_txwin_index(w, psn) / TX_BLOCK];
}

static inline u64 bit_of(u32 psn)
{
	return BIT_ULL(psn & TX_BLOCK_MASK);
}

/* Bits of the PSNs in [@psn, @end) that are in the block of @psn */
static inline u64 block_bits(u32 psn, u32 end)
{
	u32 lo = psn & TX_BLOCK_MASK;
	u32 n = end - psn;
	u64 bits = U64_MAX << lo;

	if (n < TX_BLOCK - lo)
		bits &= BIT_ULL(lo + n) - 1;
	return bits;
}

/* min(first PSN of the next block, @end) */
static inline u32 next_block(u32 psn, u32 end)
{
	return psn_min((psn | TX_BLOCK_MASK) + 1, end);
}

/* PSN of the lowest of @bits in the block of @psn */
static inline u32 first_psn(u32 psn, u64 bits)
{
	return (psn & ~TX_BLOCK_MASK) + __ffs64(bits);
}

#endif /* _UET_CORE_TXWIN_BITS_H */
