/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of the sender share among themselves; see snd.h.
 */
#ifndef _UET_CORE_SND_PRIV_H
#define _UET_CORE_SND_PRIV_H

#include "../cc/fall.h"
#include "snd.h"

#define SND_NS_PER_US	1000ULL
#define SND_NS_PER_MS	1000000ULL
#define SND_NS_PER_S	1000000000ULL

/* Blocks and packets that a search for missing packets may examine per ACK that came, and
 * per packet that was acknowledged, since the one before
 */
#define SND_SCAN_PER_PKT	64
/* Searches that are not paid for in this way, per age at which packets count as lost */
#define SND_SCANS_PER_AGE	4

/*
 * Steps of an event, in order. Each scans packets, or is done at once. "Go back",
 * "timed out" and "asked" may follow the step that begins them.
 */
#define SND_DO_CLEAR		BIT(0)	/* CLEAR_CMD */
#define SND_DO_HOLD		BIT(1)	/* pauses that have ended */
#define SND_DO_OVERTAKEN	BIT(2)	/* missing below SACKed packets */
#define SND_DO_PROBED		BIT(3)	/* missing before an answered probe */
#define SND_DO_OOO		BIT(4)	/* the out-of-order count is large */
#define SND_DO_GO_BACK		BIT(5)	/* resend all from a gap of an ordered PDC */
#define SND_DO_KNOWN		BIT(6)	/* does the target know the PDC? */
#define SND_DO_PROBE		BIT(7)	/* tail probe */
#define SND_DO_RTO		BIT(8)	/* retransmission timeout */
#define SND_DO_TIMED_OUT	BIT(9)	/* ... which packets are lost */
#define SND_DO_ASK		BIT(10)	/* ... ask for an answer, back off */

static inline struct uet_snd_msg *snd_head(const struct uet_snd_queue *q)
{
	return list_empty(&q->msgs) ? NULL :
	       list_first_entry(&q->msgs, struct uet_snd_msg, node);
}

/* The queue whose turn it is, or NULL */
static inline struct uet_snd_queue *snd_first(const struct uet_snd *s)
{
	return list_empty(&s->active) ? NULL :
	       list_first_entry(&s->active, struct uet_snd_queue, active);
}

static inline struct uet_snd_pkt *snd_pkt(const struct uet_snd *s, u32 psn)
{
	return &uet_snd_busy(s)->pkts[uet_txwin_index(&s->win, psn)];
}

/* Does the target drop what follows a gap, as far as is known? */
static inline bool snd_goes_back(const struct uet_snd *s)
{
	return s->rod && !s->keeps;
}

/* The RTO runs from @from on. */
static inline void snd_start_rto(struct uet_snd *s, u64 from, u64 rto)
{
	s->rto_at = from + rto;
	s->rto_half = uet_wait_pack(rto / 2);
}

static inline void snd_waits_begin(struct uet_snd_waits *w, u64 now)
{
	if (!w->nr++)
		w->since = now;
}

static inline void snd_waits_end(struct uet_snd_waits *w)
{
	w->nr--;
}

/* The receive window no longer blocks a sender, or it is dead. */
static inline void snd_mpr_over(struct uet_snd *s, u64 now)
{
	struct uet_snd_busy *b = uet_snd_busy(s);

	if (likely(!b->mpr_since))
		return;
	s->flow->mpr_ns += now - b->mpr_since;
	b->mpr_since = 0;
	snd_waits_end(&s->flow->mpr);
}

/* Quantum of a sender among those of its flow: a full packet, or a run of them */
static inline u32 snd_flow_quantum(const struct uet_snd_flow *f)
{
	return uet_snd_nominal(f, f->payload_mtu) * max_t(u32, f->run, 1);
}

/* Quantum of a queue among those of its sender */
static inline u32 snd_queue_quantum(const struct uet_snd_flow *f)
{
	return max_t(u32, UET_SND_QUANTUM, snd_flow_quantum(f));
}

/* Payload bytes of the next packet of a message, -1 if none can be cut yet. */
static inline int snd_next_len(const struct uet_snd_msg *m, u32 mtu)
{
	u32 have = m->filled - m->sent;

	if (m->withdrawn)
		return 0;		/* MSG_ERROR */
	if (have >= mtu)
		return (int)mtu;
	/* Every packet but the last is full. */
	return m->eom ? (int)have : -1;
}

/* The rule by which the target sends ACKs without AR. If a run was cut on its way it
 * does not wait so long, and there are more ACKs than this rule foresees, which does no
 * harm.
 */
static inline struct uet_ackreq_rule snd_ackreq_rule(const struct uet_snd *s)
{
	const struct uet_snd_flow *f = s->flow;
	u32 trigger = f->ccc->params->ack_gen_trigger;

	return (struct uet_ackreq_rule) {
		.trigger = f->run > 1 ?
			   uet_ackreq_run_trigger(trigger,
						  f->run * f->payload_mtu) :
			   trigger,
		.min_add = READ_ONCE(f->rules->ack_gen_min_pkt_add),
		.overhead = f->overhead,
	};
}

/* Does the packet before it, in the same run, wait for retransmission as well? Then
 * path selection was told of that one.
 */
static inline bool snd_run_marked(const struct uet_snd *s, u32 psn,
				  const struct uet_tx_slot *slot)
{
	return slot->flags & UET_TX_NEXT && uet_txwin_has(&s->win, psn - 1) &&
	       uet_txwin_is_marked(&s->win, psn - 1);
}

/* snd_queue.c */
bool snd_may_send(const struct uet_snd *s, const struct uet_snd_queue *q,
		  const struct uet_snd_msg *head);
/* The backlog must cover what is sent next: @size nominal bytes. */
void snd_cover(struct uet_snd *s, struct uet_snd_msg *m, u32 size, u64 now);
/* ... the next packet of an active queue, also if it is the rest of a message whose
 * packets became smaller, or MSG_ERROR.
 */
void snd_cover_next(struct uet_snd *s, struct uet_snd_msg *m, u64 now);
/* Let a queue wait for its lane, active or not. */
void snd_lane_wait(struct uet_snd_queue *q);
/* Let the next one in line have the lane that a queue owns. */
void snd_lane_pass_on(struct uet_snd *s, struct uet_snd_lane *lane, u64 now);

/* Does another queue own the lane? */
static inline bool snd_lane_busy(const struct uet_snd_queue *q)
{
	return unlikely(q->lane) && q->lane->owner && q->lane->owner != q;
}

/* The last packet of a message was sent: free the lane. */
static inline void snd_lane_ended(struct uet_snd *s, struct uet_snd_queue *q,
				  u64 now)
{
	if (unlikely(q->lane) && q->lane->owner == q)
		snd_lane_pass_on(s, q->lane, now);
}

/* snd_hold.c: account a new packet of a queue whose hold has ended. */
void snd_hold_sent(struct uet_snd_queue *q, u32 psn);
/* ... a SACK tells of packets; those that are not outstanding do not count. */
void snd_hold_sacked(struct uet_snd *s, u32 base, u64 bitmap);
/* ... CACK covers the @n packets from @from on, whose contents are still there. */
void snd_hold_covered(struct uet_snd *s, u32 from, u32 n);
/* ... no packet is held any more, since the rings go; the holds go on. */
void snd_hold_gone(struct uet_snd *s);

#endif /* _UET_CORE_SND_PRIV_H */
