// SPDX-License-Identifier: GPL-2.0
/*
 * PDCs that the target disowns by NACK (INV_DPDCID, PDC_HDR_MISMATCH, CLOSING),
 * because the peer restarted, reloaded its module or gave the PDC up; and what
 * becomes of the messages of a dead PDC. See snd.h.
 *
 * A message moves to another PDC if the target cannot have accepted any of it:
 * each packet was NACKed so as often as it was sent. So the source stops
 * sending and waits up to one RTO for NACKs of packets in flight before the PDC
 * is buried (see "Rules of this module" in uet-rules.rst).
 *
 * NACKs tell the first transmission from others, so a packet may have been sent
 * twice, as happens if the RTO fires while a peer starts. They do not tell a packet
 * from an ACK_REQ about it, so nothing is proven of packets that this host asked
 * about (%UET_SND_ASKED).
 */
#include "snd_gone.h"
#include "snd_priv.h"
#include "snd_timer.h"

/* NACKs that prove that a packet was never accepted, as flags of its slot */
static u8 gone_proof(const struct uet_tx_slot *slot)
{
	return slot->rtx ? UET_SND_DISOWNED | UET_SND_DISOWNED_RTX :
			   UET_SND_DISOWNED;
}

/* Was a packet NACKed as often as it was sent? */
static bool gone_proven(const struct uet_tx_slot *slot)
{
	return slot->rtx <= 1 && !(slot->flags & UET_SND_ASKED) &&
	       !(gone_proof(slot) & ~slot->flags);
}

/* Could more NACKs of this packet prove that it was never accepted? */
static bool gone_awaits(const struct uet_snd *s, u32 psn)
{
	const struct uet_tx_slot *slot = uet_txwin_slot(&s->win, psn);

	return slot->rtx <= 1 &&
	       !(slot->flags & (UET_TX_CP | UET_SND_ASKED)) &&
	       !uet_txwin_is_sacked(&s->win, psn) && !gone_proven(slot);
}

bool uet_snd_disowned(struct uet_snd *s, u32 psn, bool rtx)
{
	struct uet_snd_busy *b = uet_snd_busy(s);
	struct uet_tx_slot *slot;

	if (!uet_txwin_has(&s->win, psn) || !gone_awaits(s, psn))
		return b->awaited;
	slot = uet_txwin_slot(&s->win, psn);
	slot->flags |= rtx ? UET_SND_DISOWNED_RTX : UET_SND_DISOWNED;
	if (gone_proven(slot))
		b->awaited--;
	return b->awaited;
}

bool uet_snd_disown(struct uet_snd *s, u32 psn, bool rtx, u64 now)
{
	struct uet_snd_busy *b = uet_snd_busy(s);
	u32 at;

	if (!uet_txwin_outstanding(&s->win))
		return false;
	b->awaited = 0;
	for (at = s->win.una; at != s->win.next; at++)
		b->awaited += gone_awaits(s, at);
	if (!uet_snd_disowned(s, psn, rtx))
		return false;
	snd_start_rto(s, now, uet_snd_rto(s));
	uet_snd_wake(s, s->rto_at);
	return true;
}

/* Count the NACKed bytes of each message. */
static void gone_count(struct uet_snd *s)
{
	const struct uet_snd_pkt *p;
	u32 psn;

	for (psn = s->win.una; psn != s->win.next; psn++) {
		p = snd_pkt(s, psn);
		if (!p->msg)
			continue;
		if (gone_proven(uet_txwin_slot(&s->win, psn)))
			p->msg->disowned += p->len;
		else
			p->msg->maybe_accepted = true;
	}
}

void uet_snd_gone(struct uet_snd *s, u64 backlog, u64 now,
		  struct uet_snd_mem *mem)
{
	struct uet_txwin *win = &s->win;
	const struct uet_tx_ring *r = win->ring;
	struct uet_ccc_gone gone = {
		.now		= now,
		.backlog	= backlog,
		.rtx_bytes	= r->marked_bytes,
		.rtx_pkts	= r->marked_pkts,
		.inflight_bytes	= r->flight_bytes,
		.inflight_pkts	= r->flight_pkts,
	};

	gone_count(s);
	snd_hold_gone(s);
	snd_mpr_over(s, now);
	uet_ccc_pdc_gone(s->flow->ccc, &gone);
	win->una = win->next;
	uet_snd_detach(s, mem);
}

bool uet_snd_may_move(const struct uet_snd *s, struct uet_snd_msg *m,
		      bool unopened)
{
	if (m->withdrawn)
		return false;
	if (m->state == UET_MSG_QUEUED)
		return true;
	if (m->state == UET_MSG_FAILED)
		return false;
	if (!unopened && (m->maybe_accepted || m->disowned != m->sent))
		return false;
	return m->retries++ < READ_ONCE(s->flow->rules->max_nack_retx);
}
