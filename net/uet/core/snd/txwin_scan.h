/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Searches of a scoreboard: packets that are marked for retransmission, are
 * held, lack an answer, or are suspected lost by time, by SACK or by the
 * out-of-order count (UE 1.0 3.6.13).
 */
#ifndef _UET_CORE_TXWIN_SCAN_H
#define _UET_CORE_TXWIN_SCAN_H

#include "txwin.h"

/* Smallest out-of-order threshold */
#define UET_TX_OOO_MIN_PKTS	5

/**
 * struct uet_tx_scan - iterator over packets in flight
 * @psn: next PSN to look at
 * @end: PSN to stop before
 * @before: only packets last sent at or before this time, ns
 * @oldest: earliest send time of the packets passed so far, ns; for
 *	uet_txwin_scan_sacked()
 * @notes: it records where nothing can be found, for the next scan
 * @steps: number of blocks and packets examined
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
 * uet_txwin_next_marked() - lowest PSN to retransmit
 * @w: scoreboard
 * @psn: receives it
 *
 * Return: false if no PSN is marked and not held.
 */
bool uet_txwin_next_marked(struct uet_txwin *w, u32 *psn);

/**
 * uet_txwin_next_unanswered() - next PSN that is sacked but not answered
 * @w: scoreboard
 * @from: where to start
 * @before: only packets last sent at or before this time, ns
 * @psn: receives it; the caller may ask for its response by a CP ACK_REQ
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
 * Examines every packet in flight and every sacked one that is not answered:
 * for the timer, not for each acknowledgment.  Held packets do not count.
 *
 * Return: false if there is none.
 */
bool uet_txwin_oldest(const struct uet_txwin *w, u32 *psn, u64 *tx_time);

/**
 * uet_txwin_scan() - start to iterate over packets in flight
 * @w: scoreboard
 * @scan: iterator
 * @from: first PSN, clamped to the window
 * @end: PSN to stop before, clamped to the window
 * @before: only packets last sent at or before this time, U64_MAX for all
 *
 * Go-back-N and timeouts scan the whole window, @una to @next.
 */
void uet_txwin_scan(const struct uet_txwin *w, struct uet_tx_scan *scan,
		    u32 from, u32 end, u64 before);

/**
 * uet_txwin_scan_sacked() - iterate over packets that SACK suggests are lost
 * @w: scoreboard
 * @scan: iterator
 * @before: only packets last sent at or before this time
 *
 * These are packets below the highest one received; @before allows for
 * reordering. A receiver that only reports the newest packet would make every
 * acknowledgment scan the whole window. So the scoreboard keeps a lower bound of
 * the send times of the window and of each block of 64, and the scan skips what
 * is too young as a whole.
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
 * @scan: set to the packets to declare lost now; call uet_txwin_ooo_done() at
 *	its end or when the caller's budget is used up
 *
 * Return: true while recovery is running; then @scan is valid.
 */
bool uet_txwin_ooo(struct uet_txwin *w, u32 ooo_count, u32 threshold,
		   u32 wnd_pkts, struct uet_tx_scan *scan);

/**
 * uet_txwin_ooo_done() - record how far recovery went
 * @w: scoreboard
 * @scan: iterator of uet_txwin_ooo()
 */
void uet_txwin_ooo_done(struct uet_txwin *w, const struct uet_tx_scan *scan);

#endif /* _UET_CORE_TXWIN_SCAN_H */
