/* SPDX-License-Identifier: GPL-2.0 */
/* The next packet of a sender (snd.h). */
#ifndef _UET_CORE_SND_PICK_H
#define _UET_CORE_SND_PICK_H

#include "snd.h"

/**
 * enum uet_snd_verdict - whether a sender has a packet to send
 * @UET_SND_NOTHING: no
 * @UET_SND_CLOSED: yes, but the window of congestion control is closed
 * @UET_SND_GROW: yes, but it needs larger rings first
 * @UET_SND_NEW: a new packet
 * @UET_SND_RTX: a retransmission
 * @UET_SND_CP: a control packet is to be sent again
 */
enum uet_snd_verdict {
	UET_SND_NOTHING,
	UET_SND_CLOSED,
	UET_SND_GROW,
	UET_SND_NEW,
	UET_SND_RTX,
	UET_SND_CP,
};

/**
 * struct uet_snd_out - the packet or run to send
 * @pkt: what it carries, or the first packet of a run
 * @ask: question to congestion control; its @size is that of @pkt
 * @params: its answer: entropy value, credit target
 * @rule: how the target counts it
 * @psn: its PSN, of a run the first one
 * @n: packets, 1 unless it is a run
 * @last_len: payload of the last packet
 * @tx_time: when it was sent last, if it is a retransmission, ns
 * @rtx: it is one
 * @dropped: it is one, and this host dropped what was sent last
 * @ar: the last packet asks for an ACK
 * @last: it is the last new packet of its message, or has it
 * @alone: by uet_snd_pick_alone()
 * @joined: it is all of a message, and that of the next one may share its buffer
 */
struct uet_snd_out {
	struct uet_snd_pkt pkt;
	struct uet_ccc_ask ask;
	struct uet_ccc_send params;
	struct uet_ackreq_rule rule;
	u32 psn;
	u32 n;
	u32 last_len;
	u64 tx_time;
	bool rtx;
	bool dropped;
	bool ar;
	bool last;
	bool alone;
	bool joined;
};

/**
 * uet_snd_out_len() - payload of what is sent
 * @out: packet or run
 *
 * Return: bytes.
 */
static inline u32 uet_snd_out_len(const struct uet_snd_out *out)
{
	return (out->n - 1) * out->pkt.len + out->last_len;
}

/**
 * uet_snd_out_size() - nominal size of what is sent
 * @out: packet or run
 *
 * Return: bytes.
 */
static inline u32 uet_snd_out_size(const struct uet_snd_out *out)
{
	return out->n * out->ask.size - (out->pkt.len - out->last_len);
}

/**
 * uet_snd_pick() - the next packet or run of a sender
 * @s: sender
 * @now: time, ns
 * @port_free: when the interface has sent what it was given, ns
 * @out: filled for %UET_SND_NEW, %UET_SND_RTX; only @psn for %UET_SND_CP
 *
 * The caller builds the packet and calls uet_snd_commit(), or uet_snd_nomem().
 *
 * Return: verdict.
 */
enum uet_snd_verdict uet_snd_pick(struct uet_snd *s, u64 now, u64 port_free,
				  struct uet_snd_out *out);

/**
 * uet_snd_may_alone() - may a message be sent without waiting in line?
 * @s: sender
 * @m: message, in no list, of which the sender knows (uet_snd_enter()); it need not be
 *	announced
 *
 * Return: true if it fits one packet and nothing else waits.
 */
bool uet_snd_may_alone(const struct uet_snd *s, const struct uet_snd_msg *m);

/**
 * uet_snd_pick_alone() - the packet of a message that need not wait in line
 * @s: sender with room, see uet_snd_has_room()
 * @m: message, uet_snd_may_alone()
 * @now: time, ns
 * @port_free: as for uet_snd_pick()
 * @out: filled
 */
void uet_snd_pick_alone(struct uet_snd *s, struct uet_snd_msg *m, u64 now,
			u64 port_free, struct uet_snd_out *out);

/**
 * uet_snd_has_room() - may another PSN be used at once?
 * @s: sender
 *
 * Return: %UET_SND_NEW if so, %UET_SND_GROW if it needs larger rings, else
 * %UET_SND_NOTHING.
 */
static inline enum uet_snd_verdict uet_snd_has_room(const struct uet_snd *s)
{
	/* 4096 packets at most before the first answer */
	if (unlikely(s->state == UET_PDC_SYN &&
		     s->win.next - s->start_psn > UET_SYN_PSN_OFFSET_MAX))
		return UET_SND_NOTHING;
	if (likely(uet_txwin_room(&s->win)))
		return UET_SND_NEW;
	return uet_txwin_allowed(&s->win) && uet_snd_more_slots(s) ?
	       UET_SND_GROW : UET_SND_NOTHING;
}

/**
 * uet_snd_pick_single() - send the first packet of a run alone
 * @s: sender
 * @out: a run that was picked, not committed
 * @now: time, ns
 */
void uet_snd_pick_single(struct uet_snd *s, struct uet_snd_out *out, u64 now);

/**
 * uet_snd_commit() - a packet or run was handed over for transmission
 * @s: sender
 * @out: the packet or run
 * @at: when it leaves the interface, by estimate, ns; of a run the first packet
 * @step: how much later each other packet of a run leaves, ns
 * @now: time, ns
 */
void uet_snd_commit(struct uet_snd *s, struct uet_snd_out *out, u64 at,
		    u32 step, u64 now);

/**
 * uet_snd_commit_cp() - a control packet with a PSN was sent or sent again
 * @s: sender
 * @psn: its PSN; uet_snd.win.next for a new one
 * @now: time, ns
 *
 * A new one needs room: uet_snd_has_room().
 */
void uet_snd_commit_cp(struct uet_snd *s, u32 psn, u64 now);

/**
 * uet_snd_answer_due() - will a packet in flight be answered?
 * @s: sender
 *
 * Return: true if one has AR, or the target sends an ACK by itself.
 */
bool uet_snd_answer_due(const struct uet_snd *s);

#endif /* _UET_CORE_SND_PICK_H */
