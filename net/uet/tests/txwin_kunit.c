// SPDX-License-Identifier: GPL-2.0
/* Scoreboard: single rules. */
#include <kunit/test.h>

#include "../core/snd/txwin_scan.h"

#define SLOTS		128
#define RANGE		128
#define FIRST		0xffffffe0u	/* close to the wrap */
#define SIZE		1000

static void tx_open(struct kunit *test, struct uet_txwin *w, u32 first)
{
	void *mem = kunit_kzalloc(test, uet_txwin_mem_size(SLOTS), GFP_KERNEL);
	void *old;

	KUNIT_ASSERT_NOT_NULL(test, mem);
	uet_txwin_init(w, first, RANGE);
	KUNIT_ASSERT_EQ(test, uet_txwin_attach(w, mem, SLOTS, &old), 0);
}

/* PSN @first + i goes out at time 100 + i with entropy value i. */
static void tx_send(struct uet_txwin *w, u32 n)
{
	u32 i;

	for (i = 0; i < n; i++)
		uet_txwin_send(w, SIZE + i, i, 0, 100 + i);
}

static void txwin_ring_on_demand(struct kunit *test)
{
	struct uet_txwin w;
	void *old, *mem;

	uet_txwin_init(&w, FIRST, RANGE);
	KUNIT_EXPECT_EQ(test, uet_txwin_room(&w), 0u);
	KUNIT_EXPECT_EQ(test, uet_txwin_allowed(&w), (u32)RANGE);
	mem = kunit_kzalloc(test, uet_txwin_mem_size(SLOTS), GFP_KERNEL);
	KUNIT_EXPECT_EQ(test, uet_txwin_attach(&w, mem, 32, &old), -EINVAL);
	KUNIT_EXPECT_EQ(test, uet_txwin_attach(&w, mem, 96, &old), -EINVAL);
	KUNIT_EXPECT_EQ(test, uet_txwin_attach(&w, mem, 65536, &old), -EINVAL);
	KUNIT_EXPECT_EQ(test, uet_txwin_attach(&w, mem, SLOTS, &old), 0);
	KUNIT_EXPECT_PTR_EQ(test, old, NULL);
	KUNIT_EXPECT_EQ(test, uet_txwin_room(&w), (u32)RANGE);
	tx_send(&w, 1);
	KUNIT_EXPECT_EQ(test, uet_txwin_room(&w), RANGE - 1u);
	KUNIT_EXPECT_PTR_EQ(test, uet_txwin_detach(&w), NULL);
	uet_txwin_cack(&w, FIRST, &(struct uet_tx_acked){ 0 });
	uet_txwin_mpr(&w, FIRST, 0);
	KUNIT_EXPECT_PTR_EQ(test, uet_txwin_detach(&w), mem);
	KUNIT_EXPECT_EQ(test, uet_txwin_room(&w), 0u);
	KUNIT_EXPECT_EQ(test, uet_txwin_allowed(&w), (u32)RANGE);
}

static void txwin_cack_verdicts(struct kunit *test)
{
	struct uet_tx_acked sum = { 0 };
	struct uet_txwin w;

	tx_open(test, &w, FIRST);
	KUNIT_EXPECT_EQ(test, uet_txwin_cack(&w, FIRST, &sum), UET_CACK_BAD);
	tx_send(&w, 40);
	KUNIT_EXPECT_EQ(test, w.ring->flight_pkts, 40u);
	KUNIT_EXPECT_EQ(test, uet_txwin_cack(&w, FIRST - 1, &sum),
			UET_CACK_SAME);
	KUNIT_EXPECT_EQ(test, uet_txwin_cack(&w, FIRST + 40, &sum),
			UET_CACK_BAD);
	KUNIT_EXPECT_EQ(test, uet_txwin_cack(&w, FIRST + 0x70000000, &sum),
			UET_CACK_BAD);
	KUNIT_EXPECT_EQ(test, sum.psns, 0u);
	KUNIT_EXPECT_EQ(test, uet_txwin_cack(&w, FIRST + 1, &sum),
			UET_CACK_NEW);
	KUNIT_EXPECT_EQ(test, sum.psns, 2u);
	KUNIT_EXPECT_EQ(test, sum.pkts, 2u);
	KUNIT_EXPECT_EQ(test, sum.bytes, 2ULL * SIZE + 1);
	KUNIT_EXPECT_EQ(test, uet_txwin_cack(&w, FIRST, &sum), UET_CACK_OLD);
	KUNIT_EXPECT_EQ(test, uet_txwin_cack(&w, FIRST + 39, &sum),
			UET_CACK_NEW);
	KUNIT_EXPECT_EQ(test, sum.psns, 40u);
	KUNIT_EXPECT_EQ(test, w.ring->flight_pkts, 0u);
	KUNIT_EXPECT_EQ(test, w.ring->flight_bytes, 0ULL);
	KUNIT_EXPECT_EQ(test, w.clear_psn, FIRST + 39);
}

static void txwin_receive_window(struct kunit *test)
{
	struct uet_tx_acked sum = { 0 };
	struct uet_txwin w;

	tx_open(test, &w, FIRST);
	tx_send(&w, RANGE);
	KUNIT_EXPECT_EQ(test, uet_txwin_allowed(&w), 0u);
	uet_txwin_cack(&w, FIRST + 9, &sum);
	/* not stated; from an older acknowledgment; a bigger window */
	uet_txwin_mpr(&w, FIRST + 9, 0);
	KUNIT_EXPECT_EQ(test, uet_txwin_allowed(&w), 10u);
	uet_txwin_mpr(&w, FIRST + 8, 255);
	KUNIT_EXPECT_EQ(test, uet_txwin_allowed(&w), 10u);
	uet_txwin_mpr(&w, FIRST + 9, 8);
	KUNIT_EXPECT_EQ(test, uet_txwin_allowed(&w), 10u + 7 * 128);
	KUNIT_EXPECT_EQ(test, uet_txwin_room(&w), 10u);
	/* a smaller window does not revoke PSNs already allowed */
	uet_txwin_mpr(&w, FIRST + 9, 1);
	KUNIT_EXPECT_EQ(test, uet_txwin_allowed(&w), 10u + 7 * 128);
	uet_txwin_cack(&w, FIRST + RANGE - 1, &sum);
	uet_txwin_mpr(&w, FIRST + RANGE - 1, 0);
	KUNIT_EXPECT_EQ(test, uet_txwin_allowed(&w), 10u + 7 * 128);
}

/* A window that shrinks while it moves on: what came before is history. */
static void txwin_settled_keeps_receive_window(struct kunit *test)
{
	struct uet_tx_acked sum = { 0 };
	struct uet_txwin w;
	u32 i;

	tx_open(test, &w, FIRST);
	tx_send(&w, RANGE);
	KUNIT_EXPECT_FALSE(test, uet_txwin_settle(&w, &sum));
	for (i = 0; i < RANGE; i++)
		uet_txwin_answer(&w, FIRST + i, &sum);
	KUNIT_EXPECT_EQ(test, sum.pkts, (u32)RANGE);
	KUNIT_EXPECT_TRUE(test, uet_txwin_settle(&w, &sum));
	KUNIT_EXPECT_EQ(test, sum.psns, (u32)RANGE);
	KUNIT_EXPECT_EQ(test, sum.pkts, (u32)RANGE);
	KUNIT_EXPECT_EQ(test, uet_txwin_outstanding(&w), 0u);
	KUNIT_EXPECT_TRUE(test, uet_txwin_waits_for_cack(&w));

	/* The window moves with CACK, not with settled packets. */
	KUNIT_EXPECT_EQ(test, uet_txwin_cack(&w, FIRST + 63, &sum),
			UET_CACK_OLD);
	uet_txwin_mpr(&w, FIRST + 63, 1);
	KUNIT_EXPECT_EQ(test, uet_txwin_allowed(&w), 64u);
	KUNIT_EXPECT_FALSE(test, uet_txwin_waits_for_cack(&w));
	uet_txwin_mpr(&w, FIRST + 40, 2);
	KUNIT_EXPECT_EQ(test, uet_txwin_allowed(&w), 64u);
	KUNIT_EXPECT_EQ(test, uet_txwin_cack(&w, FIRST + RANGE - 1, &sum),
			UET_CACK_SAME);
	uet_txwin_mpr(&w, FIRST + RANGE - 1, 1);
	KUNIT_EXPECT_EQ(test, uet_txwin_allowed(&w), (u32)RANGE);
}

static void txwin_receive_window_shrinks(struct kunit *test)
{
	struct uet_tx_acked sum = { 0 };
	struct uet_txwin w;

	tx_open(test, &w, FIRST);
	tx_send(&w, RANGE);
	uet_txwin_mpr(&w, FIRST - 1, 8);
	uet_txwin_cack(&w, FIRST + RANGE - 1, &sum);
	uet_txwin_mpr(&w, FIRST + RANGE - 1, 7);
	KUNIT_EXPECT_EQ(test, uet_txwin_allowed(&w), 7u * 128);
}

/* A receiver whose window MP_RANGE cannot state: it is never more than so many. */
static void txwin_receive_window_narrow(struct kunit *test)
{
	struct uet_tx_acked sum = { 0 };
	struct uet_txwin w;
	u32 i;

	tx_open(test, &w, FIRST);
	uet_txwin_narrow(&w, 1);
	for (i = 0; i < 40; i++) {	/* across the wrap */
		KUNIT_ASSERT_EQ(test, uet_txwin_allowed(&w), 1u);
		KUNIT_ASSERT_EQ(test, uet_txwin_room(&w), 1u);
		tx_send(&w, 1);
		KUNIT_ASSERT_EQ(test, uet_txwin_allowed(&w), 0u);
		/* not while CACK stays, whatever is stated */
		uet_txwin_mpr(&w, FIRST + i - 1, 255);
		KUNIT_ASSERT_EQ(test, uet_txwin_allowed(&w), 0u);
		uet_txwin_cack(&w, FIRST + i, &sum);
		uet_txwin_mpr(&w, FIRST + i, i & 1 ? 8 : 0);
	}
	tx_open(test, &w, FIRST);
	uet_txwin_narrow(&w, 2 * RANGE);
	KUNIT_EXPECT_EQ(test, uet_txwin_allowed(&w), (u32)RANGE);
	uet_txwin_mpr(&w, FIRST - 1, 8);
	KUNIT_EXPECT_EQ(test, uet_txwin_allowed(&w), 2u * RANGE);
}

static void txwin_sack_counts_once(struct kunit *test)
{
	struct uet_tx_acked sum = { 0 };
	struct uet_txwin w;

	tx_open(test, &w, FIRST);
	tx_send(&w, 100);
	uet_txwin_sack(&w, FIRST + 1, 0x5, &sum);
	KUNIT_EXPECT_EQ(test, sum.pkts, 2u);
	KUNIT_EXPECT_EQ(test, sum.bytes, 2ULL * SIZE + 1 + 3);
	KUNIT_EXPECT_EQ(test, w.ring->nr_sacked, 2u);
	KUNIT_EXPECT_EQ(test, w.ring->high_sacked, FIRST + 3);
	/* a clear bit does not undo a SACK */
	uet_txwin_sack(&w, FIRST + 1, 0x4, &sum);
	KUNIT_EXPECT_EQ(test, sum.pkts, 2u);
	KUNIT_EXPECT_TRUE(test, uet_txwin_is_sacked(&w, FIRST + 1));
	KUNIT_EXPECT_EQ(test, w.clear_psn, FIRST - 1);
	uet_txwin_cack(&w, FIRST + 3, &sum);
	KUNIT_EXPECT_EQ(test, sum.pkts, 4u);
	KUNIT_EXPECT_EQ(test, sum.psns, 4u);
	KUNIT_EXPECT_EQ(test, w.ring->nr_sacked, 0u);
	KUNIT_EXPECT_EQ(test, w.ring->flight_pkts, 96u);
}

static void txwin_sack_outside_is_ignored(struct kunit *test)
{
	struct uet_tx_acked sum = { 0 };
	struct uet_txwin w;
	u32 i;

	tx_open(test, &w, FIRST);
	tx_send(&w, 10);
	uet_txwin_cack(&w, FIRST + 1, &sum);
	memset(&sum, 0, sizeof(sum));
	uet_txwin_sack(&w, FIRST + 10, U64_MAX, &sum);
	uet_txwin_sack(&w, FIRST + 2 - 64, U64_MAX, &sum);
	uet_txwin_sack(&w, FIRST + 0x80000000u, U64_MAX, &sum);
	uet_txwin_sack(&w, FIRST + 0x7fffffffu, U64_MAX, &sum);
	KUNIT_EXPECT_EQ(test, sum.pkts, 0u);
	for (i = 0; i < 64; i++)
		uet_txwin_sack(&w, FIRST + 9 - i, U64_MAX, &sum);
	KUNIT_EXPECT_EQ(test, sum.pkts, 8u);
	KUNIT_EXPECT_EQ(test, w.ring->high_sacked, FIRST + 9);
	KUNIT_EXPECT_EQ(test, w.ring->flight_pkts, 0u);
	for (i = 10; i < SLOTS; i++)
		KUNIT_EXPECT_FALSE(test, uet_txwin_is_sacked(&w, FIRST + i));
}

/* A lost packet is not in flight; retransmission or ACK ends the mark. */
static void txwin_mark_resend(struct kunit *test)
{
	struct uet_tx_acked sum = { 0 };
	const struct uet_tx_slot *slot;
	struct uet_txwin w;
	u32 psn;

	tx_open(test, &w, FIRST);
	tx_send(&w, 10);
	KUNIT_EXPECT_FALSE(test, uet_txwin_next_marked(&w, &psn));
	slot = uet_txwin_mark(&w, FIRST + 5);
	KUNIT_ASSERT_NOT_NULL(test, slot);
	KUNIT_EXPECT_EQ(test, slot->ev, 5);
	KUNIT_EXPECT_EQ(test, slot->size, SIZE + 5u);
	KUNIT_EXPECT_PTR_EQ(test, uet_txwin_mark(&w, FIRST + 5), NULL);
	KUNIT_EXPECT_PTR_EQ(test, uet_txwin_mark(&w, FIRST + 10), NULL);
	KUNIT_EXPECT_PTR_EQ(test, uet_txwin_mark(&w, FIRST - 1), NULL);
	uet_txwin_mark(&w, FIRST + 3);
	uet_txwin_mark(&w, FIRST + 8);
	KUNIT_EXPECT_EQ(test, w.ring->flight_pkts, 7u);
	KUNIT_EXPECT_EQ(test, w.ring->marked_pkts, 3u);
	KUNIT_EXPECT_EQ(test, w.ring->marked_bytes, 3ULL * SIZE + 16);
	KUNIT_ASSERT_TRUE(test, uet_txwin_next_marked(&w, &psn));
	KUNIT_EXPECT_EQ(test, psn, FIRST + 3);
	uet_txwin_resend(&w, psn, 77, 1000);
	KUNIT_EXPECT_EQ(test, uet_txwin_slot(&w, psn)->rtx, 1);
	KUNIT_EXPECT_EQ(test, uet_txwin_slot(&w, psn)->ev, 77);
	KUNIT_EXPECT_EQ(test, uet_txwin_slot(&w, psn)->tx_time, 1000ULL);
	KUNIT_EXPECT_EQ(test, w.ring->flight_pkts, 8u);
	/* the acknowledgment of a marked packet cancels it */
	uet_txwin_sack(&w, FIRST + 5, 1, &sum);
	KUNIT_EXPECT_EQ(test, sum.pkts, 0u);
	KUNIT_EXPECT_EQ(test, sum.unmarked_pkts, 1u);
	KUNIT_EXPECT_EQ(test, sum.unmarked_bytes, SIZE + 5ULL);
	KUNIT_ASSERT_TRUE(test, uet_txwin_next_marked(&w, &psn));
	KUNIT_EXPECT_EQ(test, psn, FIRST + 8);
	uet_txwin_cack(&w, FIRST + 9, &sum);
	KUNIT_EXPECT_EQ(test, sum.unmarked_pkts, 2u);
	KUNIT_EXPECT_EQ(test, sum.pkts, 8u);
	KUNIT_EXPECT_EQ(test, w.ring->nr_marked, 0u);
	KUNIT_EXPECT_EQ(test, w.ring->marked_bytes, 0ULL);
	KUNIT_EXPECT_FALSE(test, uet_txwin_next_marked(&w, &psn));
}

static void txwin_rtx_count_saturates(struct kunit *test)
{
	struct uet_txwin w;
	u32 i;

	tx_open(test, &w, FIRST);
	tx_send(&w, 1);
	for (i = 1; i < 300; i++) {
		uet_txwin_mark(&w, FIRST);
		uet_txwin_resend(&w, FIRST, 0, i);
		KUNIT_EXPECT_EQ(test, uet_txwin_slot(&w, FIRST)->rtx,
				min(i, 2u));
	}
}

static void txwin_control_packets_are_not_counted(struct kunit *test)
{
	struct uet_tx_acked sum = { 0 };
	struct uet_txwin w;

	tx_open(test, &w, FIRST);
	uet_txwin_send(&w, 64, 0, UET_TX_CP, 1);
	uet_txwin_send(&w, 64, 0, UET_TX_CP, 1);
	KUNIT_EXPECT_EQ(test, w.ring->flight_pkts, 0u);
	KUNIT_EXPECT_EQ(test, w.sent_bytes, 0ULL);
	KUNIT_EXPECT_TRUE(test, !!uet_txwin_mark(&w, FIRST));
	KUNIT_EXPECT_EQ(test, w.ring->nr_marked, 1u);
	KUNIT_EXPECT_EQ(test, w.ring->marked_pkts, 0u);
	uet_txwin_cack(&w, FIRST + 1, &sum);
	KUNIT_EXPECT_EQ(test, sum.psns, 2u);
	KUNIT_EXPECT_EQ(test, sum.pkts + sum.unmarked_pkts, 0u);
	KUNIT_EXPECT_EQ(test, w.ring->nr_marked, 0u);
}

static void txwin_nack_verdicts(struct kunit *test)
{
	struct uet_tx_acked sum = { 0 };
	struct uet_txwin w;

	tx_open(test, &w, FIRST);
	tx_send(&w, 10);
	uet_txwin_cack(&w, FIRST, &sum);
	uet_txwin_sack(&w, FIRST + 2, 1, &sum);
	KUNIT_EXPECT_EQ(test, uet_txwin_nack(&w, FIRST, 0), UET_NACK_OUTSIDE);
	KUNIT_EXPECT_EQ(test, uet_txwin_nack(&w, FIRST + 10, 0),
			UET_NACK_OUTSIDE);
	KUNIT_EXPECT_EQ(test, uet_txwin_nack(&w, FIRST + 2, 0), UET_NACK_ACKED);
	KUNIT_EXPECT_EQ(test, uet_txwin_nack(&w, FIRST + 1, 0), UET_NACK_VALID);
	uet_txwin_mark(&w, FIRST + 1);
	KUNIT_EXPECT_EQ(test, uet_txwin_nack(&w, FIRST + 1, 0), UET_NACK_MARKED);
	uet_txwin_resend(&w, FIRST + 1, 0, 500);
	KUNIT_EXPECT_EQ(test, uet_txwin_nack(&w, FIRST + 1, 0), UET_NACK_STALE);
	KUNIT_EXPECT_EQ(test, uet_txwin_nack(&w, FIRST + 1, 1), UET_NACK_VALID);
}

/* UE 1.0 3.6.13.1: which echoed flag goes with which retransmission count */
static void txwin_rtt_validity(struct kunit *test)
{
	struct uet_tx_acked sum = { 0 };
	struct uet_txwin w;
	u64 t = 0;

	tx_open(test, &w, FIRST);
	tx_send(&w, 4);
	KUNIT_EXPECT_TRUE(test, uet_txwin_rtt(&w, FIRST + 1, 0, &t));
	KUNIT_EXPECT_EQ(test, t, 101ULL);
	KUNIT_EXPECT_FALSE(test, uet_txwin_rtt(&w, FIRST + 1, 1, &t));
	uet_txwin_mark(&w, FIRST + 1);
	uet_txwin_resend(&w, FIRST + 1, 0, 200);
	KUNIT_EXPECT_FALSE(test, uet_txwin_rtt(&w, FIRST + 1, 0, &t));
	KUNIT_EXPECT_TRUE(test, uet_txwin_rtt(&w, FIRST + 1, 1, &t));
	KUNIT_EXPECT_EQ(test, t, 200ULL);
	uet_txwin_mark(&w, FIRST + 1);
	uet_txwin_resend(&w, FIRST + 1, 0, 300);
	KUNIT_EXPECT_FALSE(test, uet_txwin_rtt(&w, FIRST + 1, 0, &t));
	KUNIT_EXPECT_FALSE(test, uet_txwin_rtt(&w, FIRST + 1, 1, &t));
	/* covered by CACK, or sacked already */
	uet_txwin_cack(&w, FIRST, &sum);
	KUNIT_EXPECT_FALSE(test, uet_txwin_rtt(&w, FIRST, 0, &t));
	uet_txwin_sack(&w, FIRST + 3, 1, &sum);
	KUNIT_EXPECT_FALSE(test, uet_txwin_rtt(&w, FIRST + 3, 0, &t));
	KUNIT_EXPECT_FALSE(test, uet_txwin_rtt(&w, FIRST + 4, 0, &t));
}

static void txwin_shrink(struct kunit *test)
{
	u32 full, gone;
	struct uet_txwin w;

	tx_open(test, &w, FIRST);
	tx_send(&w, 4);
	full = uet_txwin_slot(&w, FIRST + 1)->size;
	/* The size of a packet in flight does not change */
	KUNIT_EXPECT_EQ(test, uet_txwin_shrink(&w, FIRST + 1, 10), 0u);
	uet_txwin_mark(&w, FIRST + 1);
	uet_txwin_mark(&w, FIRST + 2);
	KUNIT_EXPECT_EQ(test, uet_txwin_shrink(&w, FIRST + 9, 10), 0u);
	gone = uet_txwin_shrink(&w, FIRST + 1, 10);
	KUNIT_EXPECT_EQ(test, gone, full - 10);
	KUNIT_EXPECT_EQ(test, uet_txwin_shrink(&w, FIRST + 1, 10), 0u);
	KUNIT_EXPECT_EQ(test, uet_txwin_shrink(&w, FIRST + 1, 20), 0u);
	KUNIT_EXPECT_EQ(test, w.ring->marked_bytes, (u64)full + 1 + 10);
	uet_txwin_resend(&w, FIRST + 1, 0, 1);
	uet_txwin_resend(&w, FIRST + 2, 0, 1);
	KUNIT_EXPECT_EQ(test, w.ring->marked_bytes, 0ull);
	KUNIT_EXPECT_EQ(test, w.ring->flight_bytes, w.sent_bytes - gone);
}

static void txwin_hold(struct kunit *test)
{
	struct uet_tx_acked sum = { 0 };
	struct uet_tx_scan scan;
	struct uet_txwin w;
	u32 psn;
	u64 t;

	tx_open(test, &w, FIRST);
	tx_send(&w, 100);
	uet_txwin_mark(&w, FIRST + 2);
	uet_txwin_mark(&w, FIRST + 90);
	KUNIT_EXPECT_TRUE(test, uet_txwin_hold(&w, FIRST + 2));
	KUNIT_EXPECT_TRUE(test, uet_txwin_hold(&w, FIRST + 0));
	KUNIT_EXPECT_TRUE(test, uet_txwin_hold(&w, FIRST + 0));
	KUNIT_EXPECT_FALSE(test, uet_txwin_hold(&w, FIRST + 100));
	KUNIT_EXPECT_EQ(test, w.nr_held, 2u);
	KUNIT_ASSERT_TRUE(test, uet_txwin_next_marked(&w, &psn));
	KUNIT_EXPECT_EQ(test, psn, FIRST + 90);
	KUNIT_EXPECT_TRUE(test, uet_txwin_is_held(&w, FIRST + 2));
	KUNIT_EXPECT_FALSE(test, uet_txwin_is_held(&w, FIRST + 3));
	/* the timer and loss inference skip held packets */
	KUNIT_ASSERT_TRUE(test, uet_txwin_oldest(&w, &psn, &t));
	KUNIT_EXPECT_EQ(test, psn, FIRST + 1);
	uet_txwin_scan(&w, &scan, w.una, w.next, U64_MAX);
	KUNIT_ASSERT_TRUE(test, uet_txwin_scan_next(&w, &scan, &psn));
	KUNIT_EXPECT_EQ(test, psn, FIRST + 1);
	KUNIT_ASSERT_TRUE(test, uet_txwin_scan_next(&w, &scan, &psn));
	KUNIT_EXPECT_EQ(test, psn, FIRST + 3);
	uet_txwin_unhold(&w, FIRST + 2);
	KUNIT_ASSERT_TRUE(test, uet_txwin_next_marked(&w, &psn));
	KUNIT_EXPECT_EQ(test, psn, FIRST + 2);
	uet_txwin_hold(&w, FIRST + 2);
	uet_txwin_resend(&w, FIRST + 2, 0, 900);
	KUNIT_EXPECT_EQ(test, w.nr_held, 1u);
	/* received after all */
	uet_txwin_sack(&w, FIRST, 1, &sum);
	KUNIT_EXPECT_EQ(test, w.nr_held, 0u);
	KUNIT_EXPECT_FALSE(test, uet_txwin_hold(&w, FIRST));
}

/* Received but not answered, as when the ACK with the response was lost */
static void txwin_unanswered(struct kunit *test)
{
	struct uet_tx_acked sum = { 0 };
	struct uet_txwin w;
	u32 psn;
	u64 t;

	tx_open(test, &w, 10);
	tx_send(&w, 2);
	KUNIT_EXPECT_EQ(test, w.clear_psn, 9u);
	uet_txwin_sack(&w, 10, 3, &sum);
	KUNIT_EXPECT_EQ(test, w.ring->flight_pkts, 0u);
	KUNIT_EXPECT_EQ(test, w.clear_psn, 9u);
	KUNIT_ASSERT_TRUE(test, uet_txwin_oldest(&w, &psn, &t));
	KUNIT_EXPECT_EQ(test, psn, 10u);
	KUNIT_EXPECT_FALSE(test, uet_txwin_next_unanswered(&w, 10, 99, &psn));
	KUNIT_ASSERT_TRUE(test, uet_txwin_next_unanswered(&w, 10, 100, &psn));
	KUNIT_EXPECT_EQ(test, psn, 10u);
	uet_txwin_touch(&w, 10, 5000);
	KUNIT_ASSERT_TRUE(test, uet_txwin_next_unanswered(&w, 10, 200, &psn));
	KUNIT_EXPECT_EQ(test, psn, 11u);
	KUNIT_EXPECT_TRUE(test, uet_txwin_answer(&w, 11, &sum));
	KUNIT_EXPECT_EQ(test, w.clear_psn, 9u);
	KUNIT_EXPECT_TRUE(test, uet_txwin_answer(&w, 10, &sum));
	KUNIT_EXPECT_FALSE(test, uet_txwin_answer(&w, 10, &sum));
	KUNIT_EXPECT_FALSE(test, uet_txwin_answer(&w, 12, &sum));
	KUNIT_EXPECT_EQ(test, w.clear_psn, 11u);
	KUNIT_EXPECT_FALSE(test, uet_txwin_oldest(&w, &psn, &t));
	KUNIT_EXPECT_EQ(test, sum.pkts, 2u);
	/* an answer implies that the packet was received */
	tx_send(&w, 1);
	KUNIT_EXPECT_TRUE(test, uet_txwin_answer(&w, 12, &sum));
	KUNIT_EXPECT_EQ(test, sum.pkts, 3u);
	KUNIT_EXPECT_EQ(test, w.clear_psn, 12u);
}

static void txwin_scan_sack_evidence(struct kunit *test)
{
	struct uet_tx_acked sum = { 0 };
	struct uet_tx_scan scan;
	struct uet_txwin w;
	u32 psn;

	tx_open(test, &w, FIRST);
	tx_send(&w, 100);
	uet_txwin_scan_sacked(&w, &scan, U64_MAX);
	KUNIT_EXPECT_FALSE(test, uet_txwin_scan_next(&w, &scan, &psn));
	/* 0, 2, 4, 8 received; of the others only 1 is old enough */
	uet_txwin_sack(&w, FIRST, 0x100 | 0x15, &sum);
	uet_txwin_scan_sacked(&w, &scan, 102);
	KUNIT_ASSERT_TRUE(test, uet_txwin_scan_next(&w, &scan, &psn));
	KUNIT_EXPECT_EQ(test, psn, FIRST + 1);
	uet_txwin_mark(&w, psn);
	KUNIT_EXPECT_FALSE(test, uet_txwin_scan_next(&w, &scan, &psn));
	uet_txwin_scan_sacked(&w, &scan, 104);
	KUNIT_ASSERT_TRUE(test, uet_txwin_scan_next(&w, &scan, &psn));
	KUNIT_EXPECT_EQ(test, psn, FIRST + 3);
	KUNIT_EXPECT_FALSE(test, uet_txwin_scan_next(&w, &scan, &psn));
}

/* Average number of blocks and packets examined per acknowledgment, if a receiver
 * reports single packets from the end of the window backwards. With @losses each
 * acknowledgment makes one more packet old enough.
 */
static u32 txwin_steps(struct kunit *test, u32 nslots, bool losses)
{
	struct uet_tx_acked sum = { 0 };
	struct uet_tx_scan scan;
	u32 i, psn, steps = 0;
	struct uet_txwin w;
	void *mem, *old;

	mem = kunit_kzalloc(test, uet_txwin_mem_size(nslots), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, mem);
	uet_txwin_init(&w, FIRST, nslots);
	KUNIT_ASSERT_EQ(test, uet_txwin_attach(&w, mem, nslots, &old), 0);
	for (i = 0; i < nslots; i++)
		uet_txwin_send(&w, 1000, 1, 0, 1000 + i);
	for (i = 0; i < nslots / 2; i++) {
		u32 at = FIRST + nslots - 1 - i;

		uet_txwin_answer(&w, at, &sum);
		uet_txwin_scan_sacked(&w, &scan, losses ? 1000 + i : 999);
		while (uet_txwin_scan_next(&w, &scan, &psn)) {
			KUNIT_EXPECT_EQ(test, psn, FIRST + i);
			KUNIT_EXPECT_TRUE(test, losses);
			uet_txwin_mark(&w, psn);
			uet_txwin_resend(&w, psn, 1, 10000 + i);
		}
		steps += scan.steps;
	}
	return steps / (nslots / 2);
}

/* The cost per acknowledgment does not grow with the window. */
static void txwin_bounded_scan(struct kunit *test)
{
	KUNIT_EXPECT_LE(test, txwin_steps(test, 256, false), 4u);
	KUNIT_EXPECT_LE(test, txwin_steps(test, 4096, false), 4u);
	/* Words of the window, and two blocks */
	KUNIT_EXPECT_LE(test, txwin_steps(test, 256, true), 4 + 4 * 64u);
	KUNIT_EXPECT_LE(test, txwin_steps(test, 4096, true), 64 + 4 * 64u);
}

/* A scan sees packets that are unheld or retransmitted. */
static void txwin_scan_notes(struct kunit *test)
{
	struct uet_tx_acked sum = { 0 };
	struct uet_tx_scan scan;
	struct uet_txwin w;
	u32 psn;

	tx_open(test, &w, FIRST);
	tx_send(&w, 128);
	uet_txwin_answer(&w, FIRST + 127, &sum);
	uet_txwin_hold(&w, FIRST + 40);
	uet_txwin_mark(&w, FIRST + 100);
	uet_txwin_scan_sacked(&w, &scan, 50);
	KUNIT_EXPECT_FALSE(test, uet_txwin_scan_next(&w, &scan, &psn));
	/* Older than the send times recorded by the scan */
	uet_txwin_slot(&w, FIRST + 40)->tx_time = 40;
	uet_txwin_unhold(&w, FIRST + 40);
	uet_txwin_scan_sacked(&w, &scan, 50);
	KUNIT_ASSERT_TRUE(test, uet_txwin_scan_next(&w, &scan, &psn));
	KUNIT_EXPECT_EQ(test, psn, FIRST + 40);
	uet_txwin_mark(&w, psn);
	KUNIT_EXPECT_FALSE(test, uet_txwin_scan_next(&w, &scan, &psn));
	uet_txwin_resend(&w, FIRST + 100, 1, 45);
	uet_txwin_scan_sacked(&w, &scan, 50);
	KUNIT_ASSERT_TRUE(test, uet_txwin_scan_next(&w, &scan, &psn));
	KUNIT_EXPECT_EQ(test, psn, FIRST + 100);
}

/* UE 1.0 3.5.12: a ROD source goes back to CACK + 1. */
static void txwin_go_back(struct kunit *test)
{
	struct uet_tx_acked sum = { 0 };
	struct uet_tx_scan scan;
	struct uet_txwin w;
	u32 psn, n = 0;

	tx_open(test, &w, FIRST);
	tx_send(&w, 100);
	uet_txwin_cack(&w, FIRST + 29, &sum);
	uet_txwin_scan(&w, &scan, w.una, w.next, U64_MAX);
	while (uet_txwin_scan_next(&w, &scan, &psn)) {
		KUNIT_EXPECT_EQ(test, psn, FIRST + 30 + n);
		KUNIT_EXPECT_TRUE(test, !!uet_txwin_mark(&w, psn));
		n++;
	}
	KUNIT_EXPECT_EQ(test, n, 70u);
	KUNIT_EXPECT_EQ(test, w.ring->flight_pkts, 0u);
	KUNIT_EXPECT_EQ(test, w.ring->flight_bytes, 0ULL);
	for (n = 0; uet_txwin_next_marked(&w, &psn); n++) {
		KUNIT_EXPECT_EQ(test, psn, FIRST + 30 + n);
		uet_txwin_resend(&w, psn, 1, 999);
	}
	KUNIT_EXPECT_EQ(test, n, 70u);
	KUNIT_EXPECT_EQ(test, w.ring->flight_pkts, 70u);
}

/* A range anywhere in the space of PSNs yields packets of the window only. */
static void txwin_scan_outside(struct kunit *test)
{
	static const u32 far[] = {
		100, 1 << 30, S32_MAX - 150, S32_MAX - 100, S32_MAX - 1,
		S32_MAX, BIT(31), BIT(31) + 1, BIT(31) + 99, U32_MAX - 100,
	};
	static const u32 lengths[] = { 1, 101, 1000, 1 << 30 };
	struct uet_tx_scan scan;
	struct uet_txwin w;
	u32 i, k, n, psn;

	tx_open(test, &w, FIRST);
	tx_send(&w, 100);
	for (i = 0; i < ARRAY_SIZE(far) * ARRAY_SIZE(lengths); i++) {
		psn = FIRST + far[i / ARRAY_SIZE(lengths)];
		k = lengths[i % ARRAY_SIZE(lengths)];
		uet_txwin_scan(&w, &scan, psn, psn + k, U64_MAX);
		for (n = 0; uet_txwin_scan_next(&w, &scan, &psn); n++)
			KUNIT_ASSERT_TRUE(test, uet_txwin_has(&w, psn));
		KUNIT_EXPECT_LE(test, n, 100u);
	}
}

static void txwin_ooo_threshold(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, uet_txwin_ooo_threshold(100000, 1000000, 1000),
			150u);
	KUNIT_EXPECT_EQ(test, uet_txwin_ooo_threshold(100000, 120000, 1000),
			120u);
	KUNIT_EXPECT_EQ(test, uet_txwin_ooo_threshold(1000, 120000, 1000), 5u);
	KUNIT_EXPECT_EQ(test, uet_txwin_ooo_threshold(0, 0, 1), 5u);
}

static void txwin_ooo_recovery(struct kunit *test)
{
	struct uet_tx_acked sum = { 0 };
	struct uet_tx_scan scan;
	struct uet_txwin w;
	u32 psn, n = 0;

	tx_open(test, &w, FIRST);
	KUNIT_EXPECT_FALSE(test, uet_txwin_ooo(&w, 100, 5, 50, &scan));
	tx_send(&w, 40);
	KUNIT_EXPECT_FALSE(test, uet_txwin_ooo(&w, 4, 5, 50, &scan));
	KUNIT_EXPECT_FALSE(test, uet_txwin_ooo(&w, UET_OOO_INVALID, 5, 50,
					       &scan));
	uet_txwin_sack(&w, FIRST + 1, 0x1f, &sum);
	/* ten packets above CACK at a time; 1 to 5 are received */
	KUNIT_ASSERT_TRUE(test, uet_txwin_ooo(&w, 5, 5, 10, &scan));
	KUNIT_EXPECT_TRUE(test, w.ring->recovering);
	for (; uet_txwin_scan_next(&w, &scan, &psn); n++)
		uet_txwin_mark(&w, psn);
	uet_txwin_ooo_done(&w, &scan);
	KUNIT_EXPECT_EQ(test, n, 4u);
	KUNIT_EXPECT_EQ(test, psn, FIRST + 8);
	/* already retransmitted in this recovery */
	uet_txwin_resend(&w, FIRST, 0, 500);
	KUNIT_ASSERT_TRUE(test, uet_txwin_ooo(&w, 0, 5, 12, &scan));
	KUNIT_ASSERT_TRUE(test, uet_txwin_scan_next(&w, &scan, &psn));
	KUNIT_EXPECT_EQ(test, psn, FIRST + 9);
	uet_txwin_ooo_done(&w, &scan);
	uet_txwin_cack(&w, FIRST + 38, &sum);
	KUNIT_EXPECT_TRUE(test, w.ring->recovering);
	uet_txwin_cack(&w, FIRST + 39, &sum);
	KUNIT_EXPECT_FALSE(test, w.ring->recovering);
}

static void txwin_release(struct kunit *test)
{
	struct uet_txwin w;

	tx_open(test, &w, FIRST);
	uet_txwin_send(&w, 1000, 0, 0, 0);
	uet_txwin_send(&w, 100, 0, 0, 0);
	uet_txwin_send(&w, 100, 0, UET_TX_CP, 0);
	/* 1100 bytes sent: at most five units, whatever the field says */
	KUNIT_EXPECT_EQ(test, uet_txwin_release_rcvd(&w, 4), 1024u);
	KUNIT_EXPECT_EQ(test, uet_txwin_release_rcvd(&w, 3), 0u);
	KUNIT_EXPECT_EQ(test, uet_txwin_release_rcvd(&w, 0x700000), 256u);
	KUNIT_EXPECT_EQ(test, uet_txwin_release_rcvd(&w, 0x700001), 0u);
}

/* If a peer mixes both kinds of acknowledgment, bytes are released once. */
static void txwin_release_ahead(struct kunit *test)
{
	struct uet_txwin w;

	tx_open(test, &w, FIRST);
	uet_txwin_send(&w, 5120, 0, 0, 0);
	KUNIT_EXPECT_EQ(test, uet_txwin_release_plain(&w, 1024), 1024u);
	KUNIT_EXPECT_EQ(test, w.ahead_bytes, 1024ULL);
	KUNIT_EXPECT_EQ(test, uet_txwin_release_rcvd(&w, 2), 0u);
	KUNIT_EXPECT_EQ(test, w.ahead_bytes, 512ULL);
	KUNIT_EXPECT_EQ(test, uet_txwin_release_rcvd(&w, 6), 512u);
	KUNIT_EXPECT_EQ(test, w.ahead_bytes, 0ULL);
	KUNIT_EXPECT_EQ(test, uet_txwin_release_plain(&w, 100000), 3584u);
	KUNIT_EXPECT_EQ(test, uet_txwin_release_plain(&w, 1), 0u);
	KUNIT_EXPECT_EQ(test, w.released_bytes, 5120ULL);
}

static void txwin_grow(struct kunit *test)
{
	struct uet_tx_acked sum = { 0 };
	struct uet_txwin w;
	void *big, *old, *was;
	u32 i;

	tx_open(test, &w, FIRST + 7);
	tx_send(&w, SLOTS);
	uet_txwin_cack(&w, FIRST + 7 + 9, &sum);
	tx_send(&w, 10);
	uet_txwin_sack(&w, w.next - 64, 0x8000000000000001ULL, &sum);
	uet_txwin_answer(&w, w.next - 1, &sum);
	uet_txwin_mark(&w, w.una);
	uet_txwin_hold(&w, w.una + 1);
	was = w.ring;
	big = kunit_kzalloc(test, uet_txwin_mem_size(1024), GFP_KERNEL);
	KUNIT_EXPECT_EQ(test, uet_txwin_attach(&w, big, 64, &old), -ENOSPC);
	KUNIT_ASSERT_EQ(test, uet_txwin_attach(&w, big, 1024, &old), 0);
	KUNIT_EXPECT_PTR_EQ(test, old, was);
	for (i = 0; i < SLOTS; i++) {
		u32 psn = w.una + i;

		KUNIT_EXPECT_EQ(test, uet_txwin_slot(&w, psn)->ev,
				i < 118 ? i + 10 : i - 118);
		KUNIT_EXPECT_EQ(test, uet_txwin_is_sacked(&w, psn),
				i == 127 || i == 64);
		KUNIT_EXPECT_EQ(test, uet_txwin_is_answered(&w, psn), i == 127);
		KUNIT_EXPECT_EQ(test, uet_txwin_is_marked(&w, psn), i == 0);
		KUNIT_EXPECT_EQ(test, uet_txwin_is_held(&w, psn), i == 1);
	}
	KUNIT_EXPECT_FALSE(test, uet_txwin_is_sacked(&w, w.next));
}

static struct kunit_case txwin_cases[] = {
	KUNIT_CASE(txwin_ring_on_demand),
	KUNIT_CASE(txwin_cack_verdicts),
	KUNIT_CASE(txwin_receive_window),
	KUNIT_CASE(txwin_settled_keeps_receive_window),
	KUNIT_CASE(txwin_receive_window_shrinks),
	KUNIT_CASE(txwin_receive_window_narrow),
	KUNIT_CASE(txwin_sack_counts_once),
	KUNIT_CASE(txwin_sack_outside_is_ignored),
	KUNIT_CASE(txwin_mark_resend),
	KUNIT_CASE(txwin_rtx_count_saturates),
	KUNIT_CASE(txwin_control_packets_are_not_counted),
	KUNIT_CASE(txwin_nack_verdicts),
	KUNIT_CASE(txwin_rtt_validity),
	KUNIT_CASE(txwin_shrink),
	KUNIT_CASE(txwin_hold),
	KUNIT_CASE(txwin_unanswered),
	KUNIT_CASE(txwin_scan_sack_evidence),
	KUNIT_CASE(txwin_bounded_scan),
	KUNIT_CASE(txwin_scan_notes),
	KUNIT_CASE(txwin_go_back),
	KUNIT_CASE(txwin_scan_outside),
	KUNIT_CASE(txwin_ooo_threshold),
	KUNIT_CASE(txwin_ooo_recovery),
	KUNIT_CASE(txwin_release),
	KUNIT_CASE(txwin_release_ahead),
	KUNIT_CASE(txwin_grow),
	{}
};

static struct kunit_suite txwin_suite = {
	.name = "uet_txwin",
	.test_cases = txwin_cases,
};

kunit_test_suites(&txwin_suite);
