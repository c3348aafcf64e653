/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What to do next about the packets of a scoreboard: which ones are to be sent
 * again, are held, want an answer, or are suspected lost by time, by SACK
 * evidence or by the out-of-order count (UE 1.0 3.6.13).
 */
#ifndef _UET_CORE_TXWIN_SCAN_H
#define _UET_CORE_TXWIN_SCAN_H

#include "txwin.h"

/* Least out-of-order count that means loss */
#define UET_TX_OOO_MIN_PKTS	5

/**
 * struct uet_tx_scan - iterator over packets in flight
 * @psn: next PSN to look at
 * @end: PSN to stop before
 * @before: only packets last sent at or before this time, ns
 * @oldest: when the oldest packet was sent of those passed so far; for
 *	uet_txwin_scan_sacked()
 * @notes: it leaves a note where nothing is to be found, for the next one
 * @steps: blocks and packets looked at
 */
struct uet_tx_scan {
	u32 psn;
	u32 end;
	u64 before;
	u64 oldest;
	bool notes;
	u32 steps;
};

/**
 * uet_txwin_next_marked() - lowest PSN to be sent again
 * @w: scoreboard
 * @psn: receives it
 *
 * Return: false if none is marked that is not held.
 */
bool uet_txwin_next_marked(struct uet_txwin *w, u32 *psn);

/**
 * uet_txwin_next_held() - next held PSN
 * @w: scoreboard
 * @from: where to start
 * @psn: receives it
 *
 * Return: false if there is none at or after @from.
 */
bool uet_txwin_next_held(const struct uet_txwin *w, u32 from, u32 *psn);

/**
 * uet_txwin_next_unanswered() - next PSN received whose response is missing
 * @w: scoreboard
 * @from: where to start
 * @before: only packets last sent at or before this time, ns
 * @psn: receives it; a CP ACK_REQ asks for its response
 *
 * Return: false if there is none at or after @from.
 */
bool uet_txwin_next_unanswered(const struct uet_txwin *w, u32 from, u64 before,
			       u32 *psn);

/**
 * uet_txwin_oldest() - oldest transmission in flight
 * @w: scoreboard
 * @psn: receives its PSN
 * @tx_time: receives its time, ns
 *
 * Looks at every packet in flight and every unanswered one: for the timer, not
 * for each acknowledgment.  Held packets do not count.
 *
 * Return: false if there is none.
 */
bool uet_txwin_oldest(const struct uet_txwin *w, u32 *psn, u64 *tx_time);

/**
 * uet_txwin_scan() - start to iterate over packets in flight
 * @w: scoreboard
 * @scan: iterator
 * @from: first PSN; the window's beginning if that is later
 * @end: PSN to stop before; the window's end if that is earlier
 * @before: only packets last sent at or before this time, U64_MAX for all
 *
 * The whole window is @una to @next: go-back-N, or losses found by a timeout.
 */
void uet_txwin_scan(const struct uet_txwin *w, struct uet_tx_scan *scan,
		    u32 from, u32 end, u64 before);

/**
 * uet_txwin_scan_sacked() - iterate over packets that SACK evidence suspects
 * @w: scoreboard
 * @scan: iterator
 * @before: only packets last sent at or before this time
 *
 * Packets below the highest one received; @before protects from reordering. A
 * receiver that reports nothing but the newest packet leaves all of the window to
 * be looked at with each acknowledgment. So it is remembered, for the window and for
 * each block of 64, how long ago anything of it was sent, and what is too young
 * as a whole is passed over.
 */
void uet_txwin_scan_sacked(const struct uet_txwin *w, struct uet_tx_scan *scan,
			   u64 before);

/**
 * uet_txwin_scan_next() - next packet in flight that is not held
 * @w: scoreboard
 * @scan: iterator; marking the PSN returned does not disturb it
 * @psn: receives the PSN
 *
 * Return: false at the end.
 */
bool uet_txwin_scan_next(struct uet_txwin *w, struct uet_tx_scan *scan,
			 u32 *psn);

/**
 * uet_txwin_ooo_threshold() - out-of-order count that means loss
 * @cwnd: congestion window, bytes
 * @max_wnd: largest window, bytes
 * @avg_size: average nominal packet size, bytes, not 0
 *
 * Return: max(min(1.5 * cwnd, max_wnd) / avg_size, 5) packets.
 */
u32 uet_txwin_ooo_threshold(u64 cwnd, u64 max_wnd, u32 avg_size);

/**
 * uet_txwin_ooo() - process the out-of-order count of an acknowledgment
 * @w: scoreboard, after CACK and SACK were processed
 * @ooo_count: the field, UET_OOO_INVALID if not stated
 * @threshold: see uet_txwin_ooo_threshold()
 * @wnd_pkts: packets in a congestion window
 * @scan: receives what to declare lost now; call uet_txwin_ooo_done() when
 *	finished or out of budget
 *
 * Return: true while recovery is running, then @scan is valid.
 */
bool uet_txwin_ooo(struct uet_txwin *w, u32 ooo_count, u32 threshold,
		   u32 wnd_pkts, struct uet_tx_scan *scan);

/**
 * uet_txwin_ooo_done() - remember how far recovery went
 * @w: scoreboard
 * @scan: iterator of uet_txwin_ooo()
 */
void uet_txwin_ooo_done(struct uet_txwin *w, const struct uet_tx_scan *scan);

#endif /* _UET_CORE_TXWIN_SCAN_H */
