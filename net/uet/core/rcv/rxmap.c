// SPDX-License-Identifier: GPL-2.0
/*
 * Receive map, see rxmap.h.  The ring holds PSNs in (edge, cack + range] only.
 * It has at least @range bits and cack <= edge, so no two PSNs share a bit.
 * Bits are cleared as @edge passes them.
 */
#include "rxmap.h"

#define WORD_BITS	64

void uet_rxmap_init(struct uet_rxmap *m, u32 start_psn, u32 range)
{
	memset(m, 0, sizeof(*m));
	m->range = (u16)range;
	m->cack = start_psn - 1;
	m->edge = start_psn - 1;
	m->highest = start_psn - 1;
	m->clear_psn = start_psn - 1;
}

u32 uet_rxmap_nbits(u32 range)
{
	u32 nbits = WORD_BITS;

	while (nbits < range && nbits < BIT(31))
		nbits *= 2;
	return nbits;
}

/* Bits of the ring from @psn on; PSNs outside the window read as garbage. */
static u64 rxmap_ring_get(const struct uet_rxmap *m, u32 psn)
{
	u32 i = psn & (m->nbits - 1);
	u32 words = m->nbits / WORD_BITS;
	u32 shift = i % WORD_BITS;
	u64 bits = m->bits[i / WORD_BITS] >> shift;

	if (shift)
		bits |= m->bits[(i / WORD_BITS + 1) & (words - 1)] <<
			(WORD_BITS - shift);
	return bits;
}

/* Set the first @n bits, at most 64, from @psn on. */
static void rxmap_ring_set(struct uet_rxmap *m, u32 psn, u32 n)
{
	u32 i = psn & (m->nbits - 1);
	u32 words = m->nbits / WORD_BITS;
	u32 shift = i % WORD_BITS;
	u64 mask = n < WORD_BITS ? BIT_ULL(n) - 1 : U64_MAX;

	m->bits[i / WORD_BITS] |= mask << shift;
	if (shift)
		m->bits[(i / WORD_BITS + 1) & (words - 1)] |=
			mask >> (WORD_BITS - shift);
}

/* Clear the first @n bits, at most 64, from @psn on. */
static void rxmap_ring_clear(struct uet_rxmap *m, u32 psn, u32 n)
{
	u32 i = psn & (m->nbits - 1);
	u32 words = m->nbits / WORD_BITS;
	u32 shift = i % WORD_BITS;
	u64 mask = n < WORD_BITS ? BIT_ULL(n) - 1 : U64_MAX;

	m->bits[i / WORD_BITS] &= ~(mask << shift);
	if (shift)
		m->bits[(i / WORD_BITS + 1) & (words - 1)] &=
			~(mask >> (WORD_BITS - shift));
}

/* The lowest @n bits: none if n <= 0, all if n >= 64 */
static u64 rxmap_low_mask(s32 n)
{
	if (n <= 0)
		return 0;
	return n < WORD_BITS ? BIT_ULL(n) - 1 : U64_MAX;
}

u64 *uet_rxmap_attach(struct uet_rxmap *m, u64 *bits, u32 nbits)
{
	struct uet_rxmap old = *m;
	u32 psn;

	if (nbits < WORD_BITS || nbits > UET_RXMAP_MAX_BITS ||
	    nbits & (nbits - 1) || nbits < m->range || nbits < m->nbits)
		return bits;
	memset(bits, 0, nbits / 8);
	m->bits = bits;
	m->nbits = (u16)nbits;
	if (!old.above)
		return old.bits;
	for (psn = old.edge + 1; !psn_after(psn, old.highest); psn++) {
		if (uet_rxmap_received(&old, psn))
			rxmap_ring_set(m, psn, 1);
	}
	return old.bits;
}

u64 *uet_rxmap_detach(struct uet_rxmap *m)
{
	u64 *bits = m->bits;

	if (m->above)
		return NULL;
	m->bits = NULL;
	m->nbits = 0;
	return bits;
}

bool uet_rxmap_received(const struct uet_rxmap *m, u32 psn)
{
	if (!psn_after(psn, m->edge))
		return true;
	return m->above && !psn_after(psn, m->highest) &&
	       (rxmap_ring_get(m, psn) & 1);
}

enum uet_rx_verdict uet_rxmap_classify(const struct uet_rxmap *m, u32 psn)
{
	s32 dist = psn_delta(psn, m->cack);

	if (uet_rxmap_in_order(m, psn))
		return UET_RX_NEW;
	if (dist <= 0)
		return dist < -UET_RXMAP_FAR_PSNS ? UET_RX_FAR_BELOW :
						    UET_RX_DUP;
	if (dist > (s32)m->range)
		return UET_RX_ABOVE;
	if (uet_rxmap_received(m, psn))
		return UET_RX_DUP;
	return m->bits ? UET_RX_NEW : UET_RX_NOMAP;
}

/* Where @cack is once @edge is at @to: max(cack, min(to, hold - 1)) */
static u32 rxmap_cack_at(const struct uet_rxmap *m, u32 to)
{
	if (m->held)
		to = psn_min(to, m->hold - 1);
	return psn_max(m->cack, to);
}

/* Returns the increase. */
static u32 rxmap_advance_cack(struct uet_rxmap *m)
{
	u32 old = m->cack;

	m->cack = rxmap_cack_at(m, m->edge);
	return m->cack - old;
}

enum uet_rx_verdict uet_rxmap_classify_run(const struct uet_rxmap *m, u32 psn,
					   u32 n)
{
	enum uet_rx_verdict first = uet_rxmap_classify(m, psn);
	u32 last = psn + n - 1, cack = m->cack;

	/* The window moves with each PSN in order, and only then. */
	if (likely(psn == m->edge + 1))
		cack = rxmap_cack_at(m, last - 1);
	if (first != UET_RX_NEW && first != UET_RX_NOMAP)
		return first;
	if (psn_delta(last, cack) > (s32)m->range)
		return UET_RX_ABOVE;
	if (m->above && rxmap_ring_get(m, psn) & rxmap_low_mask(n))
		return UET_RX_DUP;
	return first;
}

/* Move @edge over what is set in the ring. */
static void rxmap_absorb(struct uet_rxmap *m)
{
	u32 run;

	/* All iterations but the last take 64 PSNs: at most range / 64 + 1. */
	while (m->above) {
		u64 missing = ~rxmap_ring_get(m, m->edge + 1);

		run = missing ? __ffs64(missing) : WORD_BITS;
		if (!run)
			break;
		rxmap_ring_clear(m, m->edge + 1, run);
		m->edge += run;
		m->above -= run;
		if (run < WORD_BITS)
			break;
	}
}

u32 uet_rxmap_set_any(struct uet_rxmap *m, u32 psn, u32 n)
{
	u32 last = psn + n - 1;

	m->highest = psn_max(m->highest, last);
	if (psn != m->edge + 1) {
		rxmap_ring_set(m, psn, n);
		m->above += n;
		return 0;
	}
	m->edge = last;
	rxmap_absorb(m);
	return rxmap_advance_cack(m);
}

u32 uet_rxmap_set(struct uet_rxmap *m, u32 psn)
{
	return uet_rxmap_set_run(m, psn, 1);
}

bool uet_rxmap_due(const struct uet_rxmap *m)
{
	return m->above && rxmap_ring_get(m, m->edge + 1) & 1;
}

u32 uet_rxmap_deliver(struct uet_rxmap *m, u32 n)
{
	if (uet_rxmap_due(m)) {
		rxmap_ring_clear(m, m->edge + 1, n);
		m->above -= n;
	}
	m->edge += n;
	m->highest = psn_max(m->highest, m->edge);
	return rxmap_advance_cack(m);
}

u32 uet_rxmap_set_hold(struct uet_rxmap *m, u32 psn)
{
	if (!psn_after(psn, m->cack))
		return 0;
	m->hold = psn;
	m->held = true;
	return rxmap_advance_cack(m);
}

u32 uet_rxmap_drop_hold(struct uet_rxmap *m)
{
	m->held = false;
	return rxmap_advance_cack(m);
}

u32 uet_rxmap_sack_base(const struct uet_rxmap *m, u32 ack_psn)
{
	if (m->highest == m->cack)
		return m->cack + 1;
	return psn_max(m->cack + 1, ack_psn - (UET_RXMAP_SACK_BITS - 1));
}

u32 uet_rxmap_probe_base(const struct uet_rxmap *m, u32 wanted)
{
	s32 dist = psn_delta(wanted, m->cack);

	return dist == (s16)dist ? wanted : m->cack + 1;
}

u64 uet_rxmap_sack(const struct uet_rxmap *m, u32 base)
{
	s32 to_edge = psn_delta(m->edge, base);
	s32 to_top = psn_delta(m->highest, base);
	u64 bits;

	/* A base 2^31 or more away counts as above everything. */
	if (to_top < 0)
		return 0;
	bits = to_edge >= 0 ? rxmap_low_mask(min(to_edge, WORD_BITS) + 1) : 0;
	if (m->above)
		bits |= rxmap_ring_get(m, base) &
			rxmap_low_mask(min(to_top, WORD_BITS) + 1);
	return bits;
}
