// SPDX-License-Identifier: GPL-2.0
/*
 * Scoreboard of sent PSNs, see txwin.h: transmissions and acknowledgments.
 *
 * Not here: searches of the scoreboard (txwin_scan.c).
 */
#include "../cc/rtt.h"
#include "txwin_bits.h"

static const struct uet_tx_ring txwin_rest;

void uet_txwin_init(struct uet_txwin *w, u32 start_psn, u32 range)
{
	memset(w, 0, sizeof(*w));
	w->ring = (struct uet_tx_ring *)&txwin_rest;
	w->una = start_psn;
	w->next = start_psn;
	w->range = (u16)range;
	w->limit = start_psn - 1 + range;
	w->cack = start_psn - 1;
	w->clear_psn = start_psn - 1;
}

void uet_txwin_narrow(struct uet_txwin *w, u32 most)
{
	w->most = (u16)min_t(u32, most, U16_MAX);
	w->range = min(w->range, w->most);
	w->limit = w->cack + w->range;
}

int uet_txwin_attach(struct uet_txwin *w, void *mem, u32 nslots, void **old)
{
	struct uet_txwin from = *w;
	u32 psn, end;

	if (nslots < UET_TXWIN_MIN_SLOTS || nslots > UET_TXWIN_MAX_SLOTS ||
	    nslots & (nslots - 1))
		return -EINVAL;
	if (uet_txwin_outstanding(w) > nslots)
		return -ENOSPC;
	memset(mem, 0, uet_txwin_mem_size(nslots));
	w->ring = mem;
	w->nslots = (u16)nslots;
	if (from.nslots) {
		*w->ring = *from.ring;
	} else {
		w->ring->high_sacked = w->una - 1;
		w->ring->mark_from = w->una;
		w->ring->quiet_end = w->una;
	}
	w->ring->words = (void *)(w->ring->slots + nslots);
	for (psn = w->una; psn != w->next; psn = end) {
		const struct uet_tx_word *src = word_of(&from, psn);
		struct uet_tx_word *dst = word_of(w, psn);
		u64 bits = block_bits(psn, w->next);

		dst->sacked |= src->sacked & bits;
		dst->answered |= src->answered & bits;
		dst->marked |= src->marked & bits;
		dst->held |= src->held & bits;
		end = next_block(psn, w->next);
		memcpy(uet_txwin_slot(w, psn), uet_txwin_slot(&from, psn),
		       (end - psn) * sizeof(struct uet_tx_slot));
		memcpy(&uet_txwin_links(w)[uet_txwin_index(w, psn)],
		       &uet_txwin_links(&from)[uet_txwin_index(&from, psn)],
		       (end - psn) * sizeof(struct uet_tx_link));
	}
	*old = from.nslots ? from.ring : NULL;
	return 0;
}

void *uet_txwin_detach(struct uet_txwin *w)
{
	void *mem = w->ring;

	if (uet_txwin_outstanding(w) || !w->nslots)
		return NULL;
	w->ring = (struct uet_tx_ring *)&txwin_rest;
	w->nslots = 0;
	w->nr_held = 0;
	return mem;
}

/* Update the lower bounds of send times for a packet sent at @time. */
static void txwin_not_quiet(struct uet_txwin *w, u32 psn, u64 time)
{
	struct uet_tx_word *word = word_of(w, psn);
	struct uet_tx_ring *r = w->ring;

	word->since = min(word->since, time);
	if (psn_before(psn, r->quiet_end))
		r->quiet = min(r->quiet, time);
}

static void txwin_flight_add(struct uet_txwin *w,
			     const struct uet_tx_slot *slot)
{
	struct uet_tx_ring *r = w->ring;

	if (slot->flags & UET_TX_CP)
		return;
	r->flight_pkts++;
	r->flight_bytes += slot->size;
}

static void txwin_flight_sub(struct uet_txwin *w,
			     const struct uet_tx_slot *slot)
{
	struct uet_tx_ring *r = w->ring;

	if (slot->flags & UET_TX_CP)
		return;
	r->flight_pkts--;
	r->flight_bytes -= slot->size;
}

static void txwin_marked_add(struct uet_txwin *w,
			     const struct uet_tx_slot *slot)
{
	struct uet_tx_ring *r = w->ring;

	r->nr_marked++;
	if (slot->flags & UET_TX_CP)
		return;
	r->marked_pkts++;
	r->marked_bytes += slot->size;
}

static void txwin_marked_sub(struct uet_txwin *w,
			     const struct uet_tx_slot *slot)
{
	struct uet_tx_ring *r = w->ring;

	r->nr_marked--;
	if (slot->flags & UET_TX_CP)
		return;
	r->marked_pkts--;
	r->marked_bytes -= slot->size;
}

u32 uet_txwin_send(struct uet_txwin *w, u32 size, u16 ev, u8 flags, u64 now)
{
	u32 psn = w->next++;
	struct uet_tx_slot *slot = uet_txwin_slot(w, psn);

	slot->tx_time = now;
	slot->size = size;
	slot->ev = ev;
	slot->rtx = 0;
	slot->flags = flags;
	txwin_not_quiet(w, psn, now);
	txwin_flight_add(w, slot);
	if (!(flags & UET_TX_CP))
		w->sent_bytes += size;
	return psn;
}

void uet_txwin_send_run(struct uet_txwin *w, const struct uet_tx_run *run)
{
	u32 bytes = (run->n - 1) * run->size + run->last_size;
	u32 psn = w->next, end = psn + run->n, next;
	struct uet_tx_ring *r = w->ring;
	struct uet_tx_slot *slot = NULL;
	u64 at = run->at;
	u8 flags = 0;

	for (; psn != end; psn++) {
		slot = &r->slots[uet_txwin_index(w, psn)];
		*slot = (struct uet_tx_slot) {
			.tx_time = at, .size = run->size, .ev = run->ev,
			.flags = flags,
		};
		flags = UET_TX_NEXT;
		at += run->step;
	}
	slot->size = run->last_size;
	/* Lower bounds: the time of the first packet in each word */
	at = run->at;
	for (psn = w->next; psn != end; psn = next) {
		next = next_block(psn, end);
		txwin_not_quiet(w, psn, at);
		at += (u64)run->step * (next - psn);
	}
	w->next = end;
	r->flight_pkts += run->n;
	r->flight_bytes += bytes;
	w->sent_bytes += bytes;
}

void uet_txwin_resend(struct uet_txwin *w, u32 psn, u16 ev, u64 now)
{
	struct uet_tx_slot *slot;
	struct uet_tx_word *word;

	if (!uet_txwin_has(w, psn))
		return;
	slot = uet_txwin_slot(w, psn);
	word = word_of(w, psn);
	if (word->marked & bit_of(psn)) {
		word->marked &= ~bit_of(psn);
		txwin_marked_sub(w, slot);
		txwin_flight_add(w, slot);
	}
	uet_txwin_unhold(w, psn);
	slot->tx_time = now;
	txwin_not_quiet(w, psn, now);
	slot->ev = ev;
	slot->flags &= ~UET_TX_NEXT;
	if (uet_txwin_has(w, psn + 1))
		uet_txwin_slot(w, psn + 1)->flags &= ~UET_TX_NEXT;
	if (slot->rtx < UET_RTX_COUNT_MANY)
		slot->rtx++;
}

void uet_txwin_touch(struct uet_txwin *w, u32 psn, u64 now)
{
	if (!uet_txwin_has(w, psn))
		return;
	uet_txwin_slot(w, psn)->tx_time = now;
	txwin_not_quiet(w, psn, now);
}

/*
 * The packets @bits of one block are newly known to be received.  Take them out
 * of the counts of packets in flight and of marked packets.
 */
static void txwin_account_acked(struct uet_txwin *w, u32 psn, u64 bits,
				struct uet_tx_acked *sum)
{
	struct uet_tx_word *word = word_of(w, psn);
	u64 marked = bits & word->marked;
	u64 flight = bits & ~word->marked;

	for (; flight; flight &= flight - 1) {
		const struct uet_tx_slot *slot;

		slot = uet_txwin_slot(w, first_psn(psn, flight));
		txwin_flight_sub(w, slot);
		if (slot->flags & UET_TX_CP)
			continue;
		sum->pkts++;
		sum->bytes += slot->size;
	}
	word->marked &= ~marked;
	for (; marked; marked &= marked - 1) {
		const struct uet_tx_slot *slot;

		slot = uet_txwin_slot(w, first_psn(psn, marked));
		txwin_marked_sub(w, slot);
		if (slot->flags & UET_TX_CP)
			continue;
		sum->unmarked_pkts++;
		sum->unmarked_bytes += slot->size;
	}
	if (word->held & bits) {
		w->nr_held -= hweight64(word->held & bits);
		word->held &= ~bits;
	}
}

/* Move clear_psn over the answered packets that follow it. */
static void txwin_advance_clear(struct uet_txwin *w)
{
	u32 psn = w->clear_psn + 1;

	while (psn != w->next) {
		u64 bits = block_bits(psn, w->next);
		u64 missing = bits & ~word_of(w, psn)->answered;

		if (missing) {
			psn = first_psn(psn, missing);
			break;
		}
		psn = next_block(psn, w->next);
	}
	w->clear_psn = psn - 1;
}

/* Every PSN before @end is acknowledged or settled: remove it. */
static void txwin_cover(struct uet_txwin *w, u32 end, struct uet_tx_acked *sum)
{
	struct uet_tx_ring *r = w->ring;
	u32 psn;

	for (psn = w->una; psn != end; psn = next_block(psn, end)) {
		struct uet_tx_word *word = word_of(w, psn);
		u64 bits = block_bits(psn, end);

		txwin_account_acked(w, psn, bits & ~word->sacked, sum);
		if (word->sacked & bits) {
			r->nr_sacked -= hweight64(word->sacked & bits);
			word->sacked &= ~bits;
			word->answered &= ~bits;
		}
	}
	sum->psns += end - w->una;
	w->una = end;
	r->high_sacked = psn_max(r->high_sacked, end - 1);
	r->mark_from = psn_max(r->mark_from, end);
	r->quiet_end = psn_max(r->quiet_end, end);
	if (r->recovering && psn_after(end, r->recover_to))
		r->recovering = false;
	if (psn_before(w->clear_psn, end - 1))
		w->clear_psn = end - 1;
	if (r->nr_sacked)
		txwin_advance_clear(w);
}

enum uet_cack_verdict uet_txwin_cack(struct uet_txwin *w, u32 cack,
				     struct uet_tx_acked *sum)
{
	s32 dist = psn_delta(cack, w->una);

	if (dist >= 0 && !uet_txwin_has(w, cack))
		return UET_CACK_BAD;
	w->cack = psn_max(w->cack, cack);
	if (dist < 0)
		return dist == -1 ? UET_CACK_SAME : UET_CACK_OLD;
	txwin_cover(w, cack + 1, sum);
	return UET_CACK_NEW;
}

bool uet_txwin_settle(struct uet_txwin *w, struct uet_tx_acked *sum)
{
	if (!psn_after(w->clear_psn + 1, w->una))
		return false;
	txwin_cover(w, w->clear_psn + 1, sum);
	return true;
}

/* The packets @bits of the block of @psn, all outstanding, were received. */
static void txwin_block_sacked(struct uet_txwin *w, u32 psn, u64 bits,
			       struct uet_tx_acked *sum)
{
	struct uet_tx_word *word = word_of(w, psn);
	u64 newly = bits & ~word->sacked;
	struct uet_tx_ring *r = w->ring;
	u32 high;

	if (!newly)
		return;
	txwin_account_acked(w, psn, newly, sum);
	word->sacked |= newly;
	r->nr_sacked += hweight64(newly);
	high = (psn & ~TX_BLOCK_MASK) + fls64(newly) - 1;
	r->high_sacked = psn_max(r->high_sacked, high);
}

void uet_txwin_sack(struct uet_txwin *w, u32 base, u64 bitmap,
		    struct uet_tx_acked *sum)
{
	s32 skip = psn_delta(w->una, base);
	s32 room = psn_delta(w->next, base);
	u32 lo = base & TX_BLOCK_MASK;

	if (skip >= TX_BLOCK || room <= 0)
		return;
	if (skip > 0)
		bitmap &= U64_MAX << skip;
	if (room < TX_BLOCK)
		bitmap &= BIT_ULL(room) - 1;
	if (bitmap << lo)
		txwin_block_sacked(w, base, bitmap << lo, sum);
	if (lo && bitmap >> (TX_BLOCK - lo))
		txwin_block_sacked(w, base + TX_BLOCK,
				   bitmap >> (TX_BLOCK - lo), sum);
}

bool uet_txwin_answer(struct uet_txwin *w, u32 psn, struct uet_tx_acked *sum)
{
	struct uet_tx_word *word;

	if (!uet_txwin_has(w, psn))
		return false;
	word = word_of(w, psn);
	if (word->answered & bit_of(psn))
		return false;
	txwin_block_sacked(w, psn, bit_of(psn), sum);
	word->answered |= bit_of(psn);
	if (psn == w->clear_psn + 1)
		txwin_advance_clear(w);
	return true;
}

void uet_txwin_mpr(struct uet_txwin *w, u32 cack, u8 mpr)
{
	if (cack != w->cack)
		return;
	if (mpr)
		w->range = (u16)(mpr * UET_MPR_UNIT_PSNS);
	if (unlikely(w->most))
		w->range = min(w->range, w->most);
	w->limit = psn_max(w->limit, cack + w->range);
}

enum uet_nack_verdict uet_txwin_nack(const struct uet_txwin *w, u32 psn,
				     bool retx)
{
	const struct uet_tx_word *word;

	if (!uet_txwin_has(w, psn))
		return UET_NACK_OUTSIDE;
	word = word_of(w, psn);
	if (word->sacked & bit_of(psn))
		return UET_NACK_ACKED;
	if (word->marked & bit_of(psn))
		return UET_NACK_MARKED;
	if (!retx && uet_txwin_slot(w, psn)->rtx)
		return UET_NACK_STALE;
	return UET_NACK_VALID;
}

const struct uet_tx_slot *uet_txwin_mark(struct uet_txwin *w, u32 psn)
{
	const struct uet_tx_slot *slot;
	struct uet_tx_word *word;

	if (!uet_txwin_has(w, psn))
		return NULL;
	word = word_of(w, psn);
	if ((word->sacked | word->marked) & bit_of(psn))
		return NULL;
	slot = uet_txwin_slot(w, psn);
	word->marked |= bit_of(psn);
	w->ring->mark_from = w->ring->nr_marked ?
			     psn_min(w->ring->mark_from, psn) : psn;
	txwin_flight_sub(w, slot);
	txwin_marked_add(w, slot);
	return slot;
}

u32 uet_txwin_shrink(struct uet_txwin *w, u32 psn, u32 size)
{
	struct uet_tx_slot *slot;
	u32 less;

	if (!uet_txwin_has(w, psn) || !uet_txwin_is_marked(w, psn))
		return 0;
	slot = uet_txwin_slot(w, psn);
	if (slot->flags & UET_TX_CP || slot->size <= size)
		return 0;
	less = slot->size - size;
	slot->size = size;
	w->ring->marked_bytes -= less;
	return less;
}

bool uet_txwin_hold(struct uet_txwin *w, u32 psn)
{
	struct uet_tx_word *word;

	if (!uet_txwin_has(w, psn))
		return false;
	word = word_of(w, psn);
	if (word->sacked & bit_of(psn))
		return false;
	if (!(word->held & bit_of(psn))) {
		word->held |= bit_of(psn);
		w->nr_held++;
	}
	return true;
}

void uet_txwin_unhold(struct uet_txwin *w, u32 psn)
{
	struct uet_tx_word *word;

	if (!uet_txwin_has(w, psn))
		return;
	word = word_of(w, psn);
	if (!(word->held & bit_of(psn)))
		return;
	word->held &= ~bit_of(psn);
	w->nr_held--;
	txwin_not_quiet(w, psn, uet_txwin_slot(w, psn)->tx_time);
	w->ring->mark_from = psn_min(w->ring->mark_from, psn);
}

bool uet_txwin_rtt(const struct uet_txwin *w, u32 psn, bool retx, u64 *tx_time)
{
	const struct uet_tx_slot *slot;

	if (!uet_txwin_has(w, psn) || uet_txwin_is_sacked(w, psn))
		return false;
	slot = uet_txwin_slot(w, psn);
	*tx_time = slot->tx_time;
	return uet_rtt_valid(slot->rtx, retx);
}

/* Bytes that may still be released: rounded up sent_bytes - released_bytes */
static u64 txwin_release_cap(const struct uet_txwin *w)
{
	u64 sent = round_up(w->sent_bytes, (u64)UET_RCVD_UNIT_BYTES);

	return sent - w->released_bytes;
}

u32 uet_txwin_release_rcvd(struct uet_txwin *w, u32 field)
{
	u64 n = uet_rcvd_newly(&w->last_rcvd, field);
	u64 ahead = min(n, w->ahead_bytes);

	w->ahead_bytes -= ahead;
	n = min(n - ahead, txwin_release_cap(w));
	w->released_bytes += n;
	return n;
}

u32 uet_txwin_release_plain(struct uet_txwin *w, u64 bytes)
{
	u64 n = min3(bytes, txwin_release_cap(w), (u64)U32_MAX);

	w->released_bytes += n;
	w->ahead_bytes += n;
	return n;
}
