// SPDX-License-Identifier: GPL-2.0
/*
 * Scoreboard under hostile acknowledgments.  Input: start PSN, range, then
 * operations.  Counters are recomputed from the state bits after each, and what
 * left the flight is accounted for.
 */
#include "fuzz.h"
#include "../../net/uet/core/snd/txwin_scan.h"

#define MAX_OPS		200
#define CHECK_EVERY	16
#define SLOTS		512

/* Nominal bytes: all sent = released by acknowledgments + flight + marked */
static void check_balance(const struct uet_txwin *w,
			  const struct uet_tx_acked *sum, u64 sent)
{
	u32 psn, marked = 0, sacked = 0, held = 0;

	CHECK(sent == sum->bytes + sum->unmarked_bytes + w->ring->flight_bytes +
		      w->ring->marked_bytes);
	CHECK(uet_txwin_outstanding(w) <= w->nslots);
	for (psn = w->una; psn != w->next; psn++) {
		CHECK(!(uet_txwin_is_marked(w, psn) &&
			uet_txwin_is_sacked(w, psn)));
		CHECK(!uet_txwin_is_answered(w, psn) ||
		      uet_txwin_is_sacked(w, psn));
		marked += uet_txwin_is_marked(w, psn);
		sacked += uet_txwin_is_sacked(w, psn);
		held += uet_txwin_is_held(w, psn);
	}
	CHECK(marked == w->ring->nr_marked);
	CHECK(sacked == w->ring->nr_sacked);
	CHECK(held == w->nr_held);
	CHECK(psn_between(w->clear_psn, w->una - 1, w->next - 1));
	CHECK(psn_between(w->ring->high_sacked, w->una - 1, w->next - 1));
	CHECK(w->released_bytes <= round_up(w->sent_bytes, 256ULL));
}

static void mark_some(struct uet_txwin *w, struct uet_tx_scan *scan, u32 budget)
{
	u32 psn;

	while (budget-- && uet_txwin_scan_next(w, scan, &psn)) {
		CHECK(uet_txwin_has(w, psn));
		CHECK(uet_txwin_mark(w, psn));
	}
}

static void acknowledge(struct uet_txwin *w, struct input *in, u32 psn,
			struct uet_tx_acked *sum)
{
	u32 una = w->una, psns = sum->psns, base = psn + (s8)take(in, 1);
	u8 mpr = take(in, 1);
	u64 bits, t;

	uet_txwin_rtt(w, base, mpr & 1, &t);
	switch (uet_txwin_cack(w, psn, sum)) {
	case UET_CACK_NEW:
		CHECK(sum->psns - psns == w->una - una);
		CHECK(psn_after(w->una, una));
		break;
	default:
		CHECK(sum->psns == psns && w->una == una);
	}
	bits = take(in, 8);
	uet_txwin_sack(w, base, bits, sum);
	uet_txwin_answer(w, base, sum);
	uet_txwin_mpr(w, psn, mpr);
	uet_txwin_release_rcvd(w, take(in, 3));
	uet_txwin_release_plain(w, take(in, 2));
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static u64 mem[2][2048];
	struct input in = { data, size };
	u32 first = take(&in, 4), range = 1 + take(&in, 2) % 1000, ops;
	struct uet_tx_acked sum = { 0 };
	struct uet_txwin w;
	u64 sent = 0, now = 1 << 20;
	void *old;

	CHECK(uet_txwin_mem_size(SLOTS) <= sizeof(mem[0]));
	uet_txwin_init(&w, first, range);
	CHECK(!uet_txwin_attach(&w, mem[0], 64, &old));
	for (ops = 0; in.left && ops < MAX_OPS; ops++) {
		u32 op = take(&in, 1), n = take(&in, 1), got;
		u32 psn = w.una + (s8)n;
		struct uet_tx_scan scan;

		if (op & 0x80)
			psn = (u32)take(&in, 4);
		switch (op & 15) {
		case 0 ... 3:
			for (; n && uet_txwin_room(&w); n--) {
				u8 cp = n % 16 ? 0 : UET_TX_CP;

				uet_txwin_send(&w, 64 + n, n, cp, now);
				sent += cp ? 0 : 64 + n;
			}
			break;
		case 4 ... 6:
			acknowledge(&w, &in, psn, &sum);
			break;
		case 7:
		case 8:
			if (uet_txwin_nack(&w, psn, n & 1) == UET_NACK_VALID)
				CHECK(uet_txwin_mark(&w, psn));
			break;
		case 9:
			while (n-- && uet_txwin_next_marked(&w, &got)) {
				CHECK(uet_txwin_is_marked(&w, got));
				CHECK(!uet_txwin_is_held(&w, got));
				uet_txwin_resend(&w, got, n, now);
			}
			break;
		case 10:
			uet_txwin_hold(&w, psn);
			break;
		case 11:
			uet_txwin_unhold(&w, psn);
			break;
		case 12:
			uet_txwin_scan_sacked(&w, &scan, now - n * 16);
			mark_some(&w, &scan, n);
			break;
		case 13:
			if (!uet_txwin_ooo(&w, n, 5, op, &scan))
				break;
			mark_some(&w, &scan, 8);
			uet_txwin_ooo_done(&w, &scan);
			break;
		case 14:
			uet_txwin_scan(&w, &scan, psn, psn + n, now - n);
			mark_some(&w, &scan, n);
			if (uet_txwin_next_unanswered(&w, psn, now, &got))
				CHECK(uet_txwin_has(&w, got));
			break;
		case 15:
			uet_txwin_attach(&w, w.ring == (void *)mem[0] ?
					     mem[1] : mem[0],
					 64 << (n & 3), &old);
			break;
		}
		now += n;
		if (ops % CHECK_EVERY == 0)
			check_balance(&w, &sum, sent);
	}
	check_balance(&w, &sum, sent);
	return 0;
}
