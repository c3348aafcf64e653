/* SPDX-License-Identifier: GPL-2.0 */
/* NACKs at a sender (snd.h). */
#ifndef _UET_CORE_SND_NACK_H
#define _UET_CORE_SND_NACK_H

#include "../wire/hdr_parse.h"
#include "snd.h"
#include "snd_loss.h"

/**
 * enum uet_snd_nack_verdict - what a NACK means
 * @UET_SND_NACK_STRAY: it is about no packet of the sender, or its code is reserved
 * @UET_SND_NACK_DONE: nothing more to do
 * @UET_SND_NACK_FATAL: the target has no such PDC
 * @UET_SND_NACK_TOO_MANY: it was one error too many: the PDC fails
 * @UET_SND_NACK_NO_PROBES: the peer does not support PROBEs
 * @UET_SND_NACK_SETTLE: go on with uet_snd_next_lost(), uet_snd_settled()
 * @UET_SND_NACK_FEED: a packet is resent: feed congestion control, if
 *	uet_snd_nacked.fed, then go on with uet_snd_settled()
 */
enum uet_snd_nack_verdict {
	UET_SND_NACK_STRAY,
	UET_SND_NACK_DONE,
	UET_SND_NACK_FATAL,
	UET_SND_NACK_TOO_MANY,
	UET_SND_NACK_NO_PROBES,
	UET_SND_NACK_SETTLE,
	UET_SND_NACK_FEED,
};

/**
 * struct uet_snd_nacked - what a NACK says
 * @cc: for congestion control
 * @fed: @cc is filled
 * @seen: the target has seen the packet: its payload length is @len
 * @len: see @seen
 * @held: a queue whose hold begins now, or NULL
 */
struct uet_snd_nacked {
	struct uet_ccc_nack cc;
	bool fed;
	bool seen;
	u16 len;
	struct uet_snd_queue *held;
};

/**
 * uet_snd_nack() - process a NACK
 * @s: sender, not dead
 * @pkt: the NACK
 * @ev: entropy value it echoes
 * @w: initialised
 * @probing: a PROBE of the flow for another purpose is out
 * @out: what it says
 *
 * Return: verdict.
 */
enum uet_snd_nack_verdict uet_snd_nack(struct uet_snd *s,
				       const struct uet_pkt *pkt, u16 ev,
				       bool probing, struct uet_snd_work *w,
				       struct uet_snd_nacked *out);

#endif /* _UET_CORE_SND_NACK_H */
