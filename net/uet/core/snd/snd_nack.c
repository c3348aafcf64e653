// SPDX-License-Identifier: GPL-2.0
/*
 * NACKs at a sender (UE 1.0 3.5): which packets are resent and when, and
 * which codes end a PDC. See snd.h.
 *
 * Not here: holds for shortage (snd_hold.c), codes that disown a PDC
 * (snd_gone.c).
 */
#include "../wire/nack.h"
#include "snd_ack.h"
#include "snd_hold.h"
#include "snd_loss.h"
#include "snd_nack.h"
#include "snd_priv.h"
#include "snd_timer.h"

/* Count NACKs of the error class; true if there were too many for a packet. */
static bool snd_nack_error(struct uet_snd *s, u32 psn)
{
	struct uet_snd_busy *b = uet_snd_busy(s);

	if (b->nack_e && b->nack_e_psn != psn)
		b->nack_e = 0;
	b->nack_e_psn = psn;
	return ++b->nack_e > READ_ONCE(s->flow->rules->max_nack_retx);
}

static u8 snd_nack_reason(u8 code)
{
	switch (code) {
	case UET_NACK_TRIMMED:
		return UET_NACKED_TRIMMED;
	case UET_NACK_TRIMMED_LASTHOP:
		return UET_NACKED_LASTHOP;
	case UET_NACK_RCVR_INFER_LOSS:
		return UET_NACKED_LOST;
	default:
		return UET_NACKED_OTHER;
	}
}

static bool snd_nack_shortage(u8 code)
{
	switch (code) {
	case UET_NACK_NO_PDC_AVAIL:
	case UET_NACK_NO_CCC_AVAIL:
	case UET_NACK_NO_BITMAP:
	case UET_NACK_NO_PKT_BUFFER:
	case UET_NACK_NO_GTD_DEL_AVAIL:
	case UET_NACK_NO_SES_MSG_AVAIL:
	case UET_NACK_NO_RESOURCE:
		return true;
	default:
		return false;
	}
}

/*
 * A NACK without a PSN disowns the PDC, and anybody could have forged it. Send
 * ACK_REQ: a true answer names the PSN of that.
 */
static void snd_doubt(struct uet_snd *s, u64 now)
{
	if (s->doubt_at && now < s->doubt_at + uet_snd_rto(s))
		return;
	s->doubted = true;
	s->doubt_at = now;
	uet_snd_wake(s, now);
}

/*
 * A NACK about a control packet without a PSN. A peer that does not support
 * PROBE answers UNEXP_EVENT.
 */
static enum uet_snd_nack_verdict snd_nack_control(struct uet_snd *s,
						  const struct uet_nack *n,
						  bool probing, u64 now)
{
	probing |= uet_snd_busy(s)->probe_tx || s->asked;
	if (s->doubt_at && !s->doubted && n->psn == s->doubt_psn &&
	    uet_nack_class(n->code) == UET_NACK_CLASS_FATAL)
		return UET_SND_NACK_FATAL;
	if (n->psn || (!probing && !s->flow->ccc->credit_reqs))
		return UET_SND_NACK_STRAY;
	switch (n->code) {
	case UET_NACK_INV_DPDCID:
	case UET_NACK_PDC_HDR_MISMATCH:
		snd_doubt(s, now);
		return UET_SND_NACK_DONE;
	case UET_NACK_UNEXP_EVENT:
		if (!probing)
			break;
		if (uet_snd_busy(s)->probe_tx)
			uet_snd_busy(s)->probe_tx = 0;
		s->asked = false;
		return UET_SND_NACK_NO_PROBES;
	}
	return UET_SND_NACK_STRAY;
}

/* An ordered target dropped what follows a gap. */
static enum uet_snd_nack_verdict snd_nack_gap(struct uet_snd *s, u32 psn,
					      struct uet_snd_work *w)
{
	const struct uet_ccc *ccc = s->flow->ccc;

	if (!s->rod || w->now < uet_snd_busy(s)->gbn_until)
		return UET_SND_NACK_DONE;
	s->keeps = false;
	uet_snd_busy(s)->gbn_until = w->now + ccc->base_rtt + ccc->params->target;
	w->from = psn;
	w->how = UET_LOSS_GO_BACK;
	w->todo |= SND_DO_GO_BACK;
	return UET_SND_NACK_SETTLE;
}

/* The packet is to be resent: mark it, and tell congestion control. */
static void snd_nacked(struct uet_snd *s, const struct uet_pkt *pkt, u16 ev,
		       u64 now, struct uet_snd_nacked *out)
{
	u32 psn = pkt->nack.psn;
	const struct uet_tx_slot *slot;
	struct uet_snd_sent sent;

	out->cc = (struct uet_ccc_nack) {
		.now	= now,
		.ev	= ev,
		.m	= pkt->flags & UET_F_ECN,
		.reason	= snd_nack_reason(pkt->nack.code),
		/* A trimmed packet lacks the delay of its payload. */
		.rtt_short = true,
	};
	if (uet_snd_sent_at(s, psn, pkt->flags & UET_F_RETX, &sent))
		out->cc.rtt_valid = uet_snd_sample(s, &sent, 0, now,
						   &out->cc.rtt);
	slot = uet_txwin_mark(&s->win, psn);
	if (!slot || slot->flags & UET_TX_CP)
		return;
	out->fed = true;
	out->cc.size = slot->size;
	out->cc.again = snd_run_marked(s, psn, slot);
	/* Reported missing: no value or round trip of that packet came back. */
	if (out->cc.reason == UET_NACKED_LOST) {
		out->cc.ev = slot->ev;
		out->cc.rtt_valid = false;
	}
}

enum uet_snd_nack_verdict uet_snd_nack(struct uet_snd *s,
				       const struct uet_pkt *pkt, u16 ev,
				       bool probing, struct uet_snd_work *w,
				       struct uet_snd_nacked *out)
{
	const struct uet_nack *n = &pkt->nack;
	u32 psn = n->psn;
	u64 now = w->now;
	u8 code = n->code;

	out->fed = false;
	out->seen = false;
	out->held = NULL;
	if (!uet_txwin_has(&s->win, psn))
		return snd_nack_control(s, n, probing, now);
	if (uet_nack_class(code) == UET_NACK_CLASS_UNKNOWN)
		return UET_SND_NACK_STRAY;
	s->heard = now;
	if (uet_nack_class(code) == UET_NACK_CLASS_FATAL)
		return UET_SND_NACK_FATAL;
	if (uet_nack_class(code) == UET_NACK_CLASS_ERROR &&
	    !uet_txwin_is_held(&s->win, psn) && snd_nack_error(s, psn))
		return UET_SND_NACK_TOO_MANY;
	if (code == UET_NACK_RCVR_INFER_LOSS &&
	    uet_txwin_is_held(&s->win, psn)) {
		uet_snd_hold_wake(s, psn, now);
		return UET_SND_NACK_SETTLE;
	}
	if (code == UET_NACK_RCVD_SES_PROCG)
		return UET_SND_NACK_DONE;
	if (code == UET_NACK_ROD_OOO)
		return snd_nack_gap(s, psn, w);
	if (uet_txwin_nack(&s->win, psn, pkt->flags & UET_F_RETX) !=
	    UET_NACK_VALID)
		return UET_SND_NACK_DONE;
	/* With any other code the target has seen the packet. */
	out->seen = code != UET_NACK_PKT_NOT_RCVD &&
		    code != UET_NACK_RCVR_INFER_LOSS;
	out->len = snd_pkt(s, psn)->len;
	snd_nacked(s, pkt, ev, now, out);
	if (snd_nack_shortage(code)) {
		s->flow->nacks_shortage++;
		/* Missing for shortage is no error. */
		uet_snd_busy(s)->nack_e = 0;
		out->held = uet_snd_hold(s, psn, now);
	}
	return UET_SND_NACK_FEED;
}
