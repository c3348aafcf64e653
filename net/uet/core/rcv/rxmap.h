/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Receive map: which PSNs of one direction of a PDC have arrived, the CACK and
 * SACK that acknowledgments report about it, and how far guaranteed responses
 * hold CACK back (UE 1.0 3.5.11, 3.5.12).
 *
 * @edge is the last PSN before the first gap.  @cack follows it, but stops below
 * the first guaranteed response that the source has not cleared.  Neither ever
 * moves backward.
 *
 * Where packets are delivered in order, those that come early are recorded by
 * uet_rxmap_set(), and uet_rxmap_deliver() moves @edge when the next one was
 * delivered, whether it came just now or before.  Both ways are not mixed.
 *
 * The bitmap records only PSNs above @edge, so a PDC whose packets arrive in
 * order needs none and @bits may be NULL.  uet_rxmap_classify() returns
 * UET_RX_NOMAP when a bitmap is needed.  The caller then attaches one, or NACKs
 * the packet with NO_BITMAP.  It may detach the bitmap whenever it is empty.
 *
 * The caller serialises.
 */
#ifndef _UET_CORE_RXMAP_H
#define _UET_CORE_RXMAP_H

#include "../wire/psn.h"
#include "../wire/wire.h"

#define UET_RXMAP_SACK_BITS	64
#define UET_RXMAP_MAX_BITS	32768
/* A PSN farther behind CACK than this cannot be a duplicate. */
#define UET_RXMAP_FAR_PSNS	65536

/**
 * enum uet_rx_verdict - what an arriving PSN is
 * @UET_RX_NEW: inside the window, not received yet
 * @UET_RX_NOMAP: new and out of order, but there is no bitmap to record it
 * @UET_RX_DUP: received before
 * @UET_RX_ABOVE: above the receive window
 * @UET_RX_FAR_BELOW: too far behind to be a duplicate
 */
enum uet_rx_verdict {
	UET_RX_NEW,
	UET_RX_NOMAP,
	UET_RX_DUP,
	UET_RX_ABOVE,
	UET_RX_FAR_BELOW,
};

/**
 * enum uet_clear_verdict - what a CLEAR_PSN is
 * @UET_CLEAR_OLD: not above the largest one so far: ignore it
 * @UET_CLEAR_NEW: new: free the responses up to it
 * @UET_CLEAR_BAD: above everything received: ignore and count it
 */
enum uet_clear_verdict {
	UET_CLEAR_OLD,
	UET_CLEAR_NEW,
	UET_CLEAR_BAD,
};

/**
 * struct uet_rxmap - receive map
 * @bits: ring of bits for PSNs above @edge, indexed by PSN modulo @nbits;
 *	NULL while nothing out of order was received
 * @nbits: size of @bits, power of two, 64 to %UET_RXMAP_MAX_BITS and at least
 *	@range; 0 without bitmap
 * @range: MP_RANGE, PSNs accepted above @cack
 * @cack: every PSN up to here was received, and its response need not be kept
 * @edge: every PSN up to here was received, and delivered if that is in order
 * @highest: highest PSN received
 * @above: PSNs received above @edge
 * @hold: first PSN that @cack must not reach
 * @clear_psn: largest CLEAR_PSN accepted
 * @held: whether @hold is in force
 */
struct uet_rxmap {
	u64 *bits;
	u16 nbits;
	u16 range;
	u32 cack;
	u32 edge;
	u32 highest;
	u16 above;
	bool held;
	u32 hold;
	u32 clear_psn;
};

/**
 * uet_rxmap_init() - prepare a map without bitmap
 * @m: map
 * @start_psn: first PSN to expect
 * @range: MP_RANGE in PSNs, 1 to 32640
 */
void uet_rxmap_init(struct uet_rxmap *m, u32 start_psn, u32 range);

/**
 * uet_rxmap_nbits() - size of the bitmap a range needs
 * @range: MP_RANGE in PSNs
 *
 * Return: number of bits, a power of two of at least 64.
 */
u32 uet_rxmap_nbits(u32 range);

/**
 * uet_rxmap_attach() - give the map a bitmap, or a bigger one
 * @m: map
 * @bits: memory of @nbits / 8 bytes; it is cleared here
 * @nbits: power of two, 64 to %UET_RXMAP_MAX_BITS, at least the range, at least as
 *	many as the map has now
 *
 * Return: the old bitmap, which the caller must free, or NULL.  @bits itself if
 * @nbits is unsuitable and nothing was changed.
 */
u64 *uet_rxmap_attach(struct uet_rxmap *m, u64 *bits, u32 nbits);

/**
 * uet_rxmap_detach() - take the bitmap away
 * @m: map
 *
 * Return: the bitmap, which the caller must free, or NULL if there is none or
 * it is in use.
 */
u64 *uet_rxmap_detach(struct uet_rxmap *m);

/**
 * uet_rxmap_in_order() - whether a PSN is new, the next one, and nothing is behind it
 * @m: map
 * @psn: PSN of a packet
 *
 * Return: true only if uet_rxmap_classify() says UET_RX_NEW.
 */
static inline bool uet_rxmap_in_order(const struct uet_rxmap *m, u32 psn)
{
	/* With packets above it, the next one may be waiting for its delivery. */
	return likely(psn == m->edge + 1 && !m->above &&
		      psn_delta(psn, m->cack) <= (s32)m->range);
}

/**
 * uet_rxmap_classify() - what an arriving PSN is, UE 1.0 3.5.12
 * @m: map
 * @psn: PSN of a packet
 *
 * Return: verdict; for UET_RX_NEW uet_rxmap_set() may follow.
 */
enum uet_rx_verdict uet_rxmap_classify(const struct uet_rxmap *m, u32 psn);

/**
 * uet_rxmap_received() - whether a PSN was received
 * @m: map
 * @psn: any PSN
 *
 * Return: true for everything up to @edge and what the bitmap holds.
 */
bool uet_rxmap_received(const struct uet_rxmap *m, u32 psn);

/**
 * uet_rxmap_set() - record a packet
 * @m: map
 * @psn: PSN for which uet_rxmap_classify() has just returned UET_RX_NEW
 *
 * If the packet has a guaranteed response, call uet_rxmap_set_hold() before.
 *
 * Return: by how many PSNs @cack advanced.
 */
u32 uet_rxmap_set(struct uet_rxmap *m, u32 psn);

/**
 * uet_rxmap_classify_run() - what a run of PSNs is, if they arrive in order
 * @m: map
 * @psn: the first one
 * @n: their number, 1 to 64
 *
 * The cost does not depend on @n.
 *
 * Return: UET_RX_NEW if each would be new after uet_rxmap_set() for those before it;
 * UET_RX_NOMAP if each would be, with a bitmap. Otherwise the verdict on one that is
 * not new; the others may be.
 */
enum uet_rx_verdict uet_rxmap_classify_run(const struct uet_rxmap *m, u32 psn,
					   u32 n);

/**
 * uet_rxmap_set_any() - uet_rxmap_set_run() out of order, or with a hold
 * @m: map
 * @psn: see uet_rxmap_set_run()
 * @n: see uet_rxmap_set_run()
 *
 * Return: by how many PSNs @cack advanced.
 */
u32 uet_rxmap_set_any(struct uet_rxmap *m, u32 psn, u32 n);

/**
 * uet_rxmap_set_run() - record a run of packets
 * @m: map
 * @psn: PSN of the first one
 * @n: their number; uet_rxmap_classify_run() has just returned UET_RX_NEW
 *
 * The same as uet_rxmap_set() for each, one after the other.
 *
 * Return: by how many PSNs @cack advanced.
 */
static inline u32 uet_rxmap_set_run(struct uet_rxmap *m, u32 psn, u32 n)
{
	u32 last = psn + n - 1, old = m->cack;

	if (unlikely(psn != m->edge + 1 || m->above || m->held))
		return uet_rxmap_set_any(m, psn, n);
	/* Nothing is above @edge, so @highest is not, and @cack follows. */
	m->highest = last;
	m->edge = last;
	m->cack = last;
	return last - old;
}

/**
 * uet_rxmap_deliver() - the next packets in order were delivered
 * @m: map
 * @n: their number, 1 to 64; all of them are new (uet_rxmap_classify_run()), or all of
 *	them were recorded before
 *
 * Those recorded behind them stay above @edge until they are delivered too.
 *
 * Return: by how many PSNs @cack advanced.
 */
u32 uet_rxmap_deliver(struct uet_rxmap *m, u32 n);

/**
 * uet_rxmap_set_hold() - set the first guaranteed response that is not cleared
 * @m: map
 * @psn: lowest PSN whose guaranteed response is not cleared; ignored unless
 *	above @cack, which never moves backward
 *
 * Return: by how many PSNs @cack advanced, because the hold moved up.
 */
u32 uet_rxmap_set_hold(struct uet_rxmap *m, u32 psn);

/**
 * uet_rxmap_drop_hold() - all guaranteed responses are cleared
 * @m: map
 *
 * Return: by how many PSNs @cack advanced.
 */
u32 uet_rxmap_drop_hold(struct uet_rxmap *m);

/**
 * uet_rxmap_clear() - process a CLEAR_PSN
 * @m: map
 * @clear_psn: from a request or CLEAR_CMD
 *
 * Return: verdict; for UET_CLEAR_NEW the caller frees responses up to
 * @clear_psn and then moves or drops the hold.
 */
static inline enum uet_clear_verdict uet_rxmap_clear(struct uet_rxmap *m,
						     u32 clear_psn)
{
	if (psn_after(clear_psn, m->highest))
		return UET_CLEAR_BAD;
	if (!psn_after(clear_psn, m->clear_psn))
		return UET_CLEAR_OLD;
	m->clear_psn = clear_psn;
	return UET_CLEAR_NEW;
}

/**
 * uet_rxmap_sack_base() - first PSN of the SACK bitmap in an acknowledgment
 * @m: map
 * @ack_psn: PSN that triggered the acknowledgment
 *
 * Return: max(cack + 1, ack_psn - 63), so that the bitmap covers @ack_psn;
 * cack + 1 when nothing above @cack was received.
 */
u32 uet_rxmap_sack_base(const struct uet_rxmap *m, u32 ack_psn);

/**
 * uet_rxmap_probe_base() - first PSN of the SACK bitmap in a PROBE's answer
 * @m: map
 * @wanted: payload of the PROBE, any value
 *
 * Return: @wanted if its distance from @cack fits into 16 bits, else cack + 1.
 */
u32 uet_rxmap_probe_base(const struct uet_rxmap *m, u32 wanted);

/**
 * uet_rxmap_sack() - SACK bitmap from a base
 * @m: map
 * @base: PSN of bit 0, any value
 *
 * Return: bit i set if PSN @base + i was received.
 */
u64 uet_rxmap_sack(const struct uet_rxmap *m, u32 base);

/**
 * uet_rxmap_ooo_count() - packets received above CACK
 * @m: map
 *
 * Return: their number, at most the largest valid value of the field.
 */
static inline u16 uet_rxmap_ooo_count(const struct uet_rxmap *m)
{
	return (u16)min_t(u32, m->edge - m->cack + m->above,
			  UET_OOO_INVALID - 1);
}

/**
 * uet_rxmap_expected() - next PSN in order
 * @m: map
 *
 * Return: the only PSN a ROD PDC delivers.
 */
static inline u32 uet_rxmap_expected(const struct uet_rxmap *m)
{
	return m->edge + 1;
}

/**
 * uet_rxmap_due() - was the next PSN in order recorded, but not delivered?
 * @m: map of packets that are delivered in order
 *
 * Return: true if so.
 */
bool uet_rxmap_due(const struct uet_rxmap *m);

/**
 * uet_rxmap_may_hold() - is there a place for one more guaranteed response?
 * @m: map
 * @psn: request that it answers, not received yet
 * @kept: responses kept that are not cleared
 * @max: places
 *
 * The last place is for the next PSN in order. A source clears up to its first gap:
 * if all places went to PSNs above one, none of them could be cleared, and the gap
 * could not be filled.
 *
 * Return: true if the response may be kept.
 */
static inline bool uet_rxmap_may_hold(const struct uet_rxmap *m, u32 psn,
				      u32 kept, u32 max)
{
	return kept + (psn != uet_rxmap_expected(m)) < max;
}

#endif /* _UET_CORE_RXMAP_H */
