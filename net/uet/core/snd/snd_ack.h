/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ACKs at a sender (snd.h): uet_snd_ack(), congestion control, uet_snd_ack_done(),
 * then the losses (snd_loss.h).
 */
#ifndef _UET_CORE_SND_ACK_H
#define _UET_CORE_SND_ACK_H

#include "../wire/hdr_parse.h"
#include "snd.h"
#include "snd_loss.h"

/**
 * struct uet_snd_sent - when a packet left, for its round trip
 * @at: time of the last transmission, ns; 0 if the packet is not missing
 * @wait: wait in the local interface before @at, ns; if > 0, @at is an estimate
 * @valid: the answer is to that transmission, so it gives a round trip
 * @brief: the packet is too short for a base RTT sample
 */
struct uet_snd_sent {
	u64 at;
	u64 wait;
	bool valid;
	bool brief;
};

/**
 * struct uet_snd_acked - what an ACK says
 * @sum: what it changed in the scoreboard
 * @from: the @sum.psns PSNs from here on are complete; walk them with
 *	uet_snd_covered()
 * @answered: contents of the packet it answers, if that is outstanding beyond
 *	CACK; valid until packets are sent
 * @first: it is the first answer to that packet
 * @needless: a retransmission arrived although the original had
 * @cc: for congestion control
 * @sent: when the packet it answers left
 */
struct uet_snd_acked {
	struct uet_tx_acked sum;
	u32 from;
	const struct uet_snd_pkt *answered;
	bool first;
	bool needless;
	struct uet_ccc_ack cc;
	struct uet_snd_sent sent;
};

/**
 * uet_snd_names() - does an ACK name packets of the sender?
 * @s: sender
 * @a: the ACK
 *
 * In SYN it must name a packet that was sent, since it will establish the PDC.
 *
 * Return: true if the ACK may be processed.
 */
static inline bool uet_snd_names(const struct uet_snd *s, const struct uet_ack *a)
{
	if (psn_after(a->cack_psn, s->win.next - 1))
		return false;
	return likely(s->state != UET_PDC_SYN) ||
	       uet_txwin_has(&s->win, a->ack_psn);
}

/**
 * uet_snd_ack() - process an ACK
 * @s: sender, uet_snd_names()
 * @pkt: the ACK
 * @ev: entropy value it echoes
 * @now: time, ns
 * @out: what it says
 *
 * The caller handles the response, walks the packets covered, feeds @out->cc to
 * congestion control, then calls uet_snd_ack_done().
 */
void uet_snd_ack(struct uet_snd *s, const struct uet_pkt *pkt, u16 ev, u64 now,
		 struct uet_snd_acked *out);

/**
 * uet_snd_covered() - contents of a packet that an ACK covers
 * @s: sender
 * @psn: one of the PSNs that uet_snd_ack() named
 * @last: set if it is the last one of its message: uet_snd_finish() may follow
 *
 * Return: contents; their @msg is NULL for a control packet. The caller sets it to
 * NULL.
 */
static inline struct uet_snd_pkt *uet_snd_covered(struct uet_snd *s, u32 psn,
						  bool *last)
{
	struct uet_snd_pkt *p = &uet_snd_busy(s)->pkts[uet_txwin_index(&s->win, psn)];
	const struct uet_snd_msg *m = p->msg;

	*last = m && m->last_psn == psn && m->all_sent;
	return p;
}

/**
 * uet_snd_sent_at() - find the send time of the packet that an answer names
 * @s: sender, the answer not processed yet
 * @psn: the packet
 * @rtx: the answer is to a retransmission
 * @sent: result
 *
 * Return: false if the answer gives no RTT sample.
 */
bool uet_snd_sent_at(const struct uet_snd *s, u32 psn, bool rtx,
		     struct uet_snd_sent *sent);

/**
 * uet_snd_sample() - round trip time of an answer
 * @s: sender
 * @sent: when the packet left
 * @service: service time at the target, ns
 * @now: time, ns
 * @rtt: result, ns
 *
 * If the packet waited in the local interface its send time is an estimate,
 * too late where the interface is faster than it reports: such a sample must
 * not lower the base RTT. The time since the handover to the interface is an
 * upper bound, though, and may lower it: otherwise a flow that always fills its
 * interface would never see its path become shorter.
 *
 * Return: false if there is no sample.
 */
bool uet_snd_sample(const struct uet_snd *s, const struct uet_snd_sent *sent,
		    u64 service, u64 now, u64 *rtt);

/**
 * uet_snd_ack_done() - second part of an ACK, after congestion control
 * @s: sender
 * @pkt: the ACK
 * @acked: what it says
 * @w: initialised; uet_snd_next_lost() follows, then uet_snd_settled()
 */
void uet_snd_ack_done(struct uet_snd *s, const struct uet_pkt *pkt,
		      const struct uet_snd_acked *acked, struct uet_snd_work *w);

/**
 * uet_snd_probe_answer() - an ACK answers a tail probe
 * @s: sender
 * @a: the ACK
 * @w: work of uet_snd_ack_done()
 * @rtt: set to the round trip, ns
 *
 * Return: false if the answer is not to the last probe, or gives no round trip; it may
 * prove losses nevertheless.
 */
bool uet_snd_probe_answer(struct uet_snd *s, const struct uet_ack *a,
			  struct uet_snd_work *w, u64 *rtt);

#endif /* _UET_CORE_SND_ACK_H */
