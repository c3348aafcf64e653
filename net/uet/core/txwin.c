// SPDX-License-Identifier: GPL-2.0
/*
 * Scoreboard of sent PSNs.  PSNs that are 64 apart or closer and share the bits
 * above the lowest six form a block, one word of each state bit.  When the
 * window is nearly as long as the ring its first and last block may share a
 * word, so bits are always cut to the range of PSNs in question.
 */
#include "txwin.h"

#define BLOCK		64
#define BLOCK_MASK	(BLOCK - 1)
/* Share of the window in the out-of-order threshold: 3/2 */
#define OOO_CWND_NUM	3
#define OOO_CWND_DEN	2

static struct uet_tx_word *word_of(const struct uet_txwin *w, u32 psn)
{
	return &w->words[uet_txwin_index(w, psn) / BLOCK];
}

static u64 bit_of(u32 psn)
{
	return BIT_ULL(psn & BLOCK_MASK);
}

/* Bits of the PSNs in [@psn, @end) that are in the block of @psn */
static u64 block_bits(u32 psn, u32 end)
{
	u32 lo = psn & BLOCK_MASK;
	u32 n = end - psn;
	u64 bits = U64_MAX << lo;

	if (n < BLOCK - lo)
		bits &= BIT_ULL(lo + n) - 1;
	return bits;
}

/* First PSN of the next block, @end if that comes earlier */
static u32 next_block(u32 psn, u32 end)
{
	return psn_min((psn | BLOCK_MASK) + 1, end);
}

/* PSN of the lowest of @bits, which are of the block of @psn */
static u32 first_psn(u32 psn, u64 bits)
{
	return (psn & ~BLOCK_MASK) + __ffs64(bits);
}

void uet_txwin_init(struct uet_txwin *w, u32 start_psn, u32 range)
{
	memset(w, 0, sizeof(*w));
	w->una = start_psn;
	w->next = start_psn;
	w->range = range;
	w->limit = start_psn - 1 + range;
	w->clear_psn = start_psn - 1;
	w->high_sacked = start_psn - 1;
	w->mark_from = start_psn;
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
	w->slots = mem;
	w->words = (void *)(w->slots + nslots);
	w->nslots = nslots;
	memset(mem, 0, uet_txwin_mem_size(nslots));
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
	}
	*old = from.slots;
	return 0;
}

void *uet_txwin_detach(struct uet_txwin *w)
{
	void *mem = w->slots;

	if (uet_txwin_outstanding(w))
		return NULL;
	w->slots = NULL;
	w->words = NULL;
	w->nslots = 0;
	return mem;
}

static void flight_add(struct uet_txwin *w, const struct uet_tx_slot *slot)
{
	if (slot->flags & UET_TX_CP)
		return;
	w->flight_pkts++;
	w->flight_bytes += slot->size;
}

static void flight_sub(struct uet_txwin *w, const struct uet_tx_slot *slot)
{
	if (slot->flags & UET_TX_CP)
		return;
	w->flight_pkts--;
	w->flight_bytes -= slot->size;
}

static void marked_add(struct uet_txwin *w, const struct uet_tx_slot *slot)
{
	w->nr_marked++;
	if (slot->flags & UET_TX_CP)
		return;
	w->marked_pkts++;
	w->marked_bytes += slot->size;
}

static void marked_sub(struct uet_txwin *w, const struct uet_tx_slot *slot)
{
	w->nr_marked--;
	if (slot->flags & UET_TX_CP)
		return;
	w->marked_pkts--;
	w->marked_bytes -= slot->size;
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
	flight_add(w, slot);
	if (!(flags & UET_TX_CP))
		w->sent_bytes += size;
	return psn;
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
		marked_sub(w, slot);
		flight_add(w, slot);
	}
	uet_txwin_unhold(w, psn);
	slot->tx_time = now;
	slot->ev = ev;
	if (slot->rtx < UET_TX_RTX_MAX)
		slot->rtx++;
}

void uet_txwin_touch(struct uet_txwin *w, u32 psn, u64 now)
{
	if (uet_txwin_has(w, psn))
		uet_txwin_slot(w, psn)->tx_time = now;
}

/*
 * Packets of one block turn out to be received: @bits of them were not known
 * to be.  Takes them out of flight and out of the marked ones.
 */
static void account_acked(struct uet_txwin *w, u32 psn, u64 bits,
			  struct uet_tx_acked *sum)
{
	struct uet_tx_word *word = word_of(w, psn);
	u64 marked = bits & word->marked;
	u64 flight = bits & ~word->marked;

	for (; flight; flight &= flight - 1) {
		const struct uet_tx_slot *slot;

		slot = uet_txwin_slot(w, first_psn(psn, flight));
		flight_sub(w, slot);
		if (slot->flags & UET_TX_CP)
			continue;
		sum->pkts++;
		sum->bytes += slot->size;
	}
	word->marked &= ~marked;
	for (; marked; marked &= marked - 1) {
		const struct uet_tx_slot *slot;

		slot = uet_txwin_slot(w, first_psn(psn, marked));
		marked_sub(w, slot);
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
static void advance_clear(struct uet_txwin *w)
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

enum uet_cack_verdict uet_txwin_cack(struct uet_txwin *w, u32 cack,
				     struct uet_tx_acked *sum)
{
	s32 dist = psn_delta(cack, w->una);
	u32 psn, end = cack + 1;

	if (dist < 0)
		return dist == -1 ? UET_CACK_SAME : UET_CACK_OLD;
	if (!uet_txwin_has(w, cack))
		return UET_CACK_BAD;
	for (psn = w->una; psn != end; psn = next_block(psn, end)) {
		struct uet_tx_word *word = word_of(w, psn);
		u64 bits = block_bits(psn, end);

		account_acked(w, psn, bits & ~word->sacked, sum);
		if (word->sacked & bits) {
			w->nr_sacked -= hweight64(word->sacked & bits);
			word->sacked &= ~bits;
			word->answered &= ~bits;
		}
	}
	sum->psns += end - w->una;
	w->una = end;
	w->limit = psn_max(w->limit, cack + w->range);
	w->high_sacked = psn_max(w->high_sacked, cack);
	w->mark_from = psn_max(w->mark_from, end);
	if (w->recovering && !psn_before(cack, w->recover_to))
		w->recovering = false;
	if (psn_before(w->clear_psn, cack))
		w->clear_psn = cack;
	if (w->nr_sacked)
		advance_clear(w);
	return UET_CACK_NEW;
}

/* @bits of the block of @psn, all outstanding, were received. */
static void block_sacked(struct uet_txwin *w, u32 psn, u64 bits,
			 struct uet_tx_acked *sum)
{
	struct uet_tx_word *word = word_of(w, psn);
	u64 newly = bits & ~word->sacked;
	u32 high;

	if (!newly)
		return;
	account_acked(w, psn, newly, sum);
	word->sacked |= newly;
	w->nr_sacked += hweight64(newly);
	high = (psn & ~BLOCK_MASK) + fls64(newly) - 1;
	w->high_sacked = psn_max(w->high_sacked, high);
}

void uet_txwin_sack(struct uet_txwin *w, u32 base, u64 bitmap,
		    struct uet_tx_acked *sum)
{
	s32 skip = psn_delta(w->una, base);
	s32 room = psn_delta(w->next, base);
	u32 lo = base & BLOCK_MASK;

	if (skip >= BLOCK || room <= 0)
		return;
	if (skip > 0)
		bitmap &= U64_MAX << skip;
	if (room < BLOCK)
		bitmap &= BIT_ULL(room) - 1;
	if (bitmap << lo)
		block_sacked(w, base, bitmap << lo, sum);
	if (lo && bitmap >> (BLOCK - lo))
		block_sacked(w, base + BLOCK, bitmap >> (BLOCK - lo), sum);
}

bool uet_txwin_answer(struct uet_txwin *w, u32 psn, struct uet_tx_acked *sum)
{
	struct uet_tx_word *word;

	if (!uet_txwin_has(w, psn))
		return false;
	word = word_of(w, psn);
	if (word->answered & bit_of(psn))
		return false;
	block_sacked(w, psn, bit_of(psn), sum);
	word->answered |= bit_of(psn);
	if (psn == w->clear_psn + 1)
		advance_clear(w);
	return true;
}

void uet_txwin_mpr(struct uet_txwin *w, u32 cack, u8 mpr)
{
	u32 range = mpr * UET_MPR_UNIT_PSNS;

	if (!mpr || cack != w->una - 1)
		return;
	w->range = range;
	w->limit = psn_max(w->limit, cack + range);
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
	flight_sub(w, slot);
	marked_add(w, slot);
	w->mark_from = psn_min(w->mark_from, psn);
	return slot;
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
	w->mark_from = psn_min(w->mark_from, psn);
}

bool uet_txwin_next_marked(struct uet_txwin *w, u32 *psn)
{
	u32 at = psn_max(w->mark_from, w->una);

	if (w->nr_marked) {
		for (; at != w->next; at = next_block(at, w->next)) {
			const struct uet_tx_word *word = word_of(w, at);
			u64 ready = word->marked & ~word->held &
				    block_bits(at, w->next);

			if (!ready)
				continue;
			*psn = first_psn(at, ready);
			w->mark_from = *psn;
			return true;
		}
	}
	w->mark_from = w->next;
	return false;
}

bool uet_txwin_next_held(const struct uet_txwin *w, u32 from, u32 *psn)
{
	u32 at = psn_max(from, w->una);

	if (!w->nr_held)
		return false;
	for (; psn_before(at, w->next); at = next_block(at, w->next)) {
		u64 held = word_of(w, at)->held & block_bits(at, w->next);

		if (held) {
			*psn = first_psn(at, held);
			return true;
		}
	}
	return false;
}

/* The first of @bits in the block of @psn that was last sent by @before */
static bool first_by_time(const struct uet_txwin *w, u32 at, u64 bits,
			  u64 before, u32 *psn)
{
	for (; bits; bits &= bits - 1) {
		*psn = first_psn(at, bits);
		if (uet_txwin_slot(w, *psn)->tx_time <= before)
			return true;
	}
	return false;
}

bool uet_txwin_next_unanswered(const struct uet_txwin *w, u32 from, u64 before,
			       u32 *psn)
{
	u32 at = psn_max(from, w->una);

	if (!w->nr_sacked)
		return false;
	for (; psn_before(at, w->next); at = next_block(at, w->next)) {
		const struct uet_tx_word *word = word_of(w, at);
		u64 bits = word->sacked & ~word->answered &
			   block_bits(at, w->next);

		if (first_by_time(w, at, bits, before, psn))
			return true;
	}
	return false;
}

bool uet_txwin_oldest(const struct uet_txwin *w, u32 *psn, u64 *tx_time)
{
	bool found = false;
	u32 at;

	for (at = w->una; at != w->next; at = next_block(at, w->next)) {
		const struct uet_tx_word *word = word_of(w, at);
		u64 bits = block_bits(at, w->next) &
			   ~(word->answered | word->marked | word->held);

		for (; bits; bits &= bits - 1) {
			u32 p = first_psn(at, bits);
			u64 t = uet_txwin_slot(w, p)->tx_time;

			if (found && t >= *tx_time)
				continue;
			found = true;
			*psn = p;
			*tx_time = t;
		}
	}
	return found;
}

bool uet_txwin_rtt(const struct uet_txwin *w, u32 psn, bool retx, u64 *tx_time)
{
	const struct uet_tx_slot *slot;

	if (!uet_txwin_has(w, psn) || uet_txwin_is_sacked(w, psn))
		return false;
	slot = uet_txwin_slot(w, psn);
	*tx_time = slot->tx_time;
	return slot->rtx == retx;
}

/* The nearest PSN that is outstanding, or the next one to send */
static u32 into_window(const struct uet_txwin *w, u32 psn)
{
	if (psn_before(psn, w->una))
		return w->una;
	return w->una + min(psn - w->una, w->next - w->una);
}

void uet_txwin_scan(const struct uet_txwin *w, struct uet_tx_scan *scan,
		    u32 from, u32 end, u64 before)
{
	/* Far from the window, comparing @from with @end would say nothing. */
	scan->psn = into_window(w, from);
	scan->end = into_window(w, end);
	scan->before = before;
}

void uet_txwin_scan_sacked(const struct uet_txwin *w, struct uet_tx_scan *scan,
			   u64 before)
{
	u32 end = w->nr_sacked ? w->high_sacked - UET_TX_SACK_GUARD_PSNS :
				 w->una;

	uet_txwin_scan(w, scan, w->una, end, before);
}

bool uet_txwin_scan_next(const struct uet_txwin *w, struct uet_tx_scan *scan,
			 u32 *psn)
{
	while (psn_before(scan->psn, scan->end)) {
		const struct uet_tx_word *word = word_of(w, scan->psn);
		u64 bits = block_bits(scan->psn, scan->end) &
			   ~(word->sacked | word->marked | word->held);

		if (first_by_time(w, scan->psn, bits, scan->before, psn)) {
			scan->psn = *psn + 1;
			return true;
		}
		scan->psn = next_block(scan->psn, scan->end);
	}
	return false;
}

u32 uet_txwin_ooo_threshold(u64 cwnd, u64 max_wnd, u32 avg_size)
{
	u64 wnd = min(cwnd / OOO_CWND_DEN * OOO_CWND_NUM, max_wnd);

	return max_t(u64, div_u64(wnd, avg_size), UET_TX_OOO_MIN_PKTS);
}

bool uet_txwin_ooo(struct uet_txwin *w, u32 ooo_count, u32 threshold,
		   u32 wnd_pkts, struct uet_tx_scan *scan)
{
	u32 end;

	if (!w->recovering) {
		if (ooo_count == UET_OOO_INVALID || ooo_count < threshold ||
		    !uet_txwin_outstanding(w))
			return false;
		w->recovering = true;
		w->recover_to = w->next - 1;
		w->recover_next = w->una;
	}
	end = psn_min(w->recover_to, w->una - 1 +
		      min_t(u32, wnd_pkts, UET_TXWIN_MAX_SLOTS));
	uet_txwin_scan(w, scan, w->recover_next, end, U64_MAX);
	return true;
}

void uet_txwin_ooo_done(struct uet_txwin *w, const struct uet_tx_scan *scan)
{
	w->recover_next = psn_max(w->recover_next, scan->psn);
}

/* Bytes that may still be released: what was sent, in the field's unit */
static u64 release_cap(const struct uet_txwin *w)
{
	u64 sent = round_up(w->sent_bytes, (u64)UET_RCVD_UNIT_BYTES);

	return sent - w->released_bytes;
}

u32 uet_txwin_release_rcvd(struct uet_txwin *w, u32 field)
{
	u64 n = uet_rcvd_newly(&w->last_rcvd, field);
	u64 ahead = min(n, w->ahead_bytes);

	w->ahead_bytes -= ahead;
	n = min(n - ahead, release_cap(w));
	w->released_bytes += n;
	return n;
}

u32 uet_txwin_release_plain(struct uet_txwin *w, u64 bytes)
{
	u64 n = min3(bytes, release_cap(w), (u64)U32_MAX);

	w->released_bytes += n;
	w->ahead_bytes += n;
	return n;
}
