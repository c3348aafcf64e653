/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Source of RUDI packets (UE 1.0 3.5.8): which may be outstanding at a peer, when one is
 * sent again, when it is given up.
 *
 * There is no PDC, hence neither PSN nor SACK: each packet has its own timeout and is
 * answered by itself. The window reacts as that of NSCC does to loss and trimming (UE
 * 1.0 3.6.13): the size of the packet is taken off. Marks take half of it off, as with
 * them a window that is marked throughout is halved.
 *
 * Not here: packets, timers and memory (tx/queue/rudi.c).
 */
#ifndef _UET_CORE_RUDI_H
#define _UET_CORE_RUDI_H

#include "../cc/rtt.h"
#include "snd_rules.h"

/* Packets of full size that may be outstanding at a peer: at first, and ever */
#define UET_RUDI_FIRST		16
#define UET_RUDI_MOST		256

/**
 * struct uet_rudi_win - what may be outstanding at a peer
 * @rtt: smoothed round trip
 * @rto_min: least timeout, ns: one after which an answer came that may be that of an
 *	earlier copy, and no sample since (Karn); 0 = none
 * @cwnd: window, bytes of nominal size
 * @ssthresh: up to here it grows by what is answered
 * @inflight: outstanding, bytes of nominal size
 * @full: nominal size of a full packet
 */
struct uet_rudi_win {
	struct uet_rtt_est rtt;
	u64 rto_min;
	u64 cwnd;
	u64 ssthresh;
	u64 inflight;
	u32 full;
};

/**
 * struct uet_rudi_try - a packet that was sent, or is to be
 * @sent: when it was last sent, ns
 * @since: since when its target is silent about it, ns; 0 = it was never sent
 * @rto: its timeout when it was last sent, ns
 * @size: nominal size
 * @rtx: retransmissions, saturating at %UET_RTX_COUNT_MANY
 * @timeouts: in a row
 * @shorts: NACKs for shortage in a row, saturating
 * @errors: NACKs of the error class
 * @flying: counted in uet_rudi_win.inflight
 */
struct uet_rudi_try {
	u64 sent;
	u64 since;
	u64 rto;
	u32 size;
	u8 rtx;
	u16 timeouts;
	u8 shorts;
	u16 errors;
	bool flying;
};

/**
 * enum uet_rudi_verdict - what a NACK or a timeout means for a packet
 * @UET_RUDI_AGAIN: send it again at the time that is told
 * @UET_RUDI_FAIL: give its message up
 * @UET_RUDI_IGNORE: nothing
 */
enum uet_rudi_verdict {
	UET_RUDI_AGAIN,
	UET_RUDI_FAIL,
	UET_RUDI_IGNORE,
};

/**
 * uet_rudi_win_init() - start a window
 * @w: window
 * @full: nominal size of a full packet, bytes, > 0
 */
void uet_rudi_win_init(struct uet_rudi_win *w, u32 full);

/**
 * uet_rudi_win_open() - may a packet be sent?
 * @w: window
 * @size: its nominal size
 * @limit: window of the CCC to the same peer, bytes; 0 = there is none
 *
 * Return: true if it fits, or nothing is outstanding.
 */
bool uet_rudi_win_open(const struct uet_rudi_win *w, u32 size, u64 limit);

/**
 * uet_rudi_sent() - a packet leaves
 * @w: window
 * @t: the packet, @t->size set
 * @now: time, ns
 * @rules: settings
 *
 * Return: when it times out, ns.
 */
u64 uet_rudi_sent(struct uet_rudi_win *w, struct uet_rudi_try *t, u64 now,
		  const struct uet_snd_rules *rules);

/**
 * uet_rudi_answered() - a response arrived
 * @w: window
 * @t: the packet, sent before
 * @flags: UET_F_ECN, UET_F_RETX of the response
 * @now: time, ns
 */
void uet_rudi_answered(struct uet_rudi_win *w, struct uet_rudi_try *t, u8 flags,
		       u64 now);

/**
 * uet_rudi_nacked() - a NACK arrived
 * @w: window
 * @t: the packet, sent before
 * @code: enum uet_nack_code, any value
 * @now: time, ns
 * @rules: settings
 * @at: when to send again, ns; set with %UET_RUDI_AGAIN
 *
 * Return: what to do.
 */
enum uet_rudi_verdict uet_rudi_nacked(struct uet_rudi_win *w,
				      struct uet_rudi_try *t, u8 code, u64 now,
				      const struct uet_snd_rules *rules, u64 *at);

/**
 * uet_rudi_expired() - the timeout of a packet is over
 * @w: window
 * @t: the packet, sent before
 * @now: time, ns
 * @rules: settings
 *
 * Return: %UET_RUDI_AGAIN for now, or %UET_RUDI_FAIL.
 */
enum uet_rudi_verdict uet_rudi_expired(struct uet_rudi_win *w,
				       struct uet_rudi_try *t, u64 now,
				       const struct uet_snd_rules *rules);

/**
 * uet_rudi_gone() - a packet is given up
 * @w: window
 * @t: the packet
 */
void uet_rudi_gone(struct uet_rudi_win *w, struct uet_rudi_try *t);

#endif /* _UET_CORE_RUDI_H */
