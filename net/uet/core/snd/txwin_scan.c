// SPDX-License-Identifier: GPL-2.0
/*
 * Searches of a scoreboard, see txwin_scan.h. They go word by word: the cost
 * depends on the number of words in the window and of packets found.
 */
#include "txwin_bits.h"
#include "txwin_scan.h"

/* Share of the window in the out-of-order threshold: 3/2 */
#define OOO_CWND_NUM	3
#define OOO_CWND_DEN	2

bool uet_txwin_next_marked(struct uet_txwin *w, u32 *psn)
{
	u32 at;

	if (!w->ring->nr_marked)
		return false;
	for (at = psn_max(w->ring->mark_from, w->una); at != w->next;
	     at = next_block(at, w->next)) {
		const struct uet_tx_word *word = word_of(w, at);
		u64 ready = word->marked & ~word->held &
			    block_bits(at, w->next);

		if (!ready)
			continue;
		*psn = first_psn(at, ready);
		w->ring->mark_from = *psn;
		return true;
	}
	w->ring->mark_from = w->next;
	return false;
}

/* The first of @bits in the block of @at with tx_time <= @before */
static bool scan_first_by_time(const struct uet_txwin *w, u32 at, u64 bits,
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

	if (!w->ring->nr_sacked)
		return false;
	for (; psn_before(at, w->next); at = next_block(at, w->next)) {
		const struct uet_tx_word *word = word_of(w, at);
		u64 bits = word->sacked & ~word->answered &
			   block_bits(at, w->next);

		if (scan_first_by_time(w, at, bits, before, psn))
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

/* Clamp @psn to [una, next]. */
static u32 scan_into_window(const struct uet_txwin *w, u32 psn)
{
	if (psn_before(psn, w->una))
		return w->una;
	return w->una + min(psn - w->una, w->next - w->una);
}

void uet_txwin_scan(const struct uet_txwin *w, struct uet_tx_scan *scan,
		    u32 from, u32 end, u64 before)
{
	/* Clamp, since PSNs far from the window cannot be compared. */
	scan->psn = scan_into_window(w, from);
	scan->end = scan_into_window(w, end);
	scan->before = before;
	scan->oldest = U64_MAX;
	scan->notes = false;
	scan->steps = 0;
}

void uet_txwin_scan_sacked(const struct uet_txwin *w, struct uet_tx_scan *scan,
			   u64 before)
{
	u32 end = w->ring->nr_sacked ? w->ring->high_sacked : w->una;
	bool quiet = before < w->ring->quiet;

	uet_txwin_scan(w, scan, quiet ? w->ring->quiet_end : w->una, end, before);
	scan->notes = true;
	if (quiet)
		scan->oldest = w->ring->quiet;
}

/* Earliest send time of @bits in the current block of the scan */
static u64 scan_oldest_of(const struct uet_txwin *w, struct uet_tx_scan *scan,
			  u64 bits)
{
	u64 oldest = U64_MAX;

	for (; bits; bits &= bits - 1) {
		u32 psn = first_psn(scan->psn, bits);

		oldest = min(oldest, uet_txwin_slot(w, psn)->tx_time);
		scan->steps++;
	}
	return oldest;
}

/* Were all of @bits of a block sent after scan->before, by what is noted? Of a part of a
 * block nothing is.
 */
static bool scan_too_young(const struct uet_txwin *w, struct uet_tx_scan *scan,
			   struct uet_tx_word *word, u64 bits)
{
	if (!scan->notes || block_bits(scan->psn, scan->end) != U64_MAX)
		return false;
	if (word->since <= scan->before)
		word->since = scan_oldest_of(w, scan, bits);
	if (word->since <= scan->before)
		return false;
	scan->oldest = min(scan->oldest, word->since);
	return true;
}

/* The first of @bits of a block that was sent early enough */
static bool scan_first(const struct uet_txwin *w, struct uet_tx_scan *scan,
		       u64 bits, u32 *psn)
{
	for (; bits; bits &= bits - 1) {
		u64 at;

		*psn = first_psn(scan->psn, bits);
		at = uet_txwin_slot(w, *psn)->tx_time;
		scan->oldest = min(scan->oldest, at);
		scan->steps++;
		if (at <= scan->before)
			return true;
	}
	return false;
}

bool uet_txwin_scan_next(struct uet_txwin *w, struct uet_tx_scan *scan,
			 u32 *psn)
{
	while (psn_before(scan->psn, scan->end)) {
		struct uet_tx_word *word = word_of(w, scan->psn);
		u64 bits = block_bits(scan->psn, scan->end) &
			   ~(word->sacked | word->marked | word->held);

		scan->steps++;
		if (!scan_too_young(w, scan, word, bits) &&
		    scan_first(w, scan, bits, psn)) {
			scan->psn = *psn + 1;
			return true;
		}
		scan->psn = next_block(scan->psn, scan->end);
	}
	if (scan->notes) {
		w->ring->quiet = scan->oldest;
		w->ring->quiet_end = scan->end;
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

	if (!w->ring->recovering) {
		if (ooo_count == UET_OOO_INVALID || ooo_count < threshold ||
		    !uet_txwin_outstanding(w))
			return false;
		w->ring->recovering = true;
		w->ring->recover_to = w->next - 1;
		w->ring->recover_next = w->una;
	}
	end = psn_min(w->ring->recover_to, w->una - 1 +
		      min_t(u32, wnd_pkts, UET_TXWIN_MAX_SLOTS));
	uet_txwin_scan(w, scan, w->ring->recover_next, end, U64_MAX);
	return true;
}

void uet_txwin_ooo_done(struct uet_txwin *w, const struct uet_tx_scan *scan)
{
	w->ring->recover_next = psn_max(w->ring->recover_next, scan->psn);
}
