// SPDX-License-Identifier: GPL-2.0
/*
 * ACKs at the source (UE 1.0 3.5.12): completion of messages, responses, round
 * trips, and congestion control, which hears of ACKs and losses.
 *
 * Not here: what an ACK means for recovery (core/snd/snd_ack.c, core/snd/snd_loss.c).
 */
#include <linux/ktime.h>

#include "core/snd/snd_ack.h"
#include "core/snd/snd_hold.h"
#include "core/snd/snd_loss.h"
#include "core/snd/snd_queue.h"
#include "core/snd/snd_timer.h"
#include "link/encap.h"
#include "link/habits.h"
#include "link/peer.h"
#include "link/peer_profile.h"
#include "mib.h"
#include "pdc/pdc.h"
#include "tx/cms/cctrace.h"
#include "tx/cms/flow.h"
#include "tx/cms/path.h"
#include "tx/cms/trace_path.h"
#include "tx/msg/txmsg.h"
#include "tx/pds/half.h"
#include "tx/pds/hole.h"
#include "tx/pds/pds.h"
#include "tx/pds/rtt.h"
#include "tx/queue/defer.h"

/* Counter of a loss; what "go back" resends is in uet_snd_work.gone_back. */
static void uet_pdc_count_lost(struct uet_pdc *pdc, u8 how)
{
	switch (how) {
	case UET_LOSS_RTO:
		UET_INC(pdc->un, RETX_RTO);
		break;
	case UET_LOSS_SACK:
		UET_INC(pdc->un, RETX_SACK);
		break;
	case UET_LOSS_PROBE:
		UET_INC(pdc->un, RETX_PROBE);
		break;
	case UET_LOSS_OOO:
		UET_INC(pdc->un, RETX_OOO);
		break;
	}
}

/**
 * uet_pdc_losses() - do the rest of an event: congestion control hears of losses
 * @pdc: the PDC
 * @w: the event
 *
 * Context: flow lock held.
 */
void uet_pdc_losses(struct uet_pdc *pdc, struct uet_snd_work *w)
{
	struct uet_flow *flow = pdc->tx->flow;
	struct uet_ccc_loss loss;

	lockdep_assert_held(&flow->lock);
	while (unlikely(uet_snd_next_lost(&pdc->tx->snd, w, &loss))) {
		trace_uet_path_signal(flow, loss.ev, UET_LB_TIMEOUT, 0);
		uet_cc_loss(flow, &loss);
		if (!w->back)
			uet_pdc_count_lost(pdc, loss.how);
	}
	if (unlikely(w->gone_back))
		UET_ADD(pdc->un, RETX_GBN, w->gone_back);
}

/* CACK covers the last packet of a message; @msg is invalid afterwards. */
static void uet_msg_covered(struct uet_pdc *pdc, struct uet_txmsg *msg, u64 now)
{
	bool failed = msg->m.state == UET_MSG_FAILED;
	bool deferred = uet_snd_is_deferred(&msg->m);
	struct uet_dest *dest = msg->dest;

	if (!uet_snd_finish(&pdc->tx->snd, &msg->m, now)) {
		msg->cursor = NULL;
		return;
	}
	if (!dest->q.unfinished)
		uet_dest_emptied(pdc, dest, now);
	/* No progress: else one that is deferred for ever would outlive its socket. */
	if (unlikely(deferred)) {
		uet_defer_park(msg);
		return;
	}
	dest->progress = now;
	if (!failed)
		uet_txmsg_done(msg, 0, 0, 0);
	uet_txmsg_retire(msg);
}

/**
 * uet_msg_fail() - fail a message that the target answered by an SES error
 * @pdc: the PDC
 * @msg: the message
 * @error: errno
 * @source: enum uet_report_source
 * @code: code of that source
 *
 * It is reported now and stays queued until its PSNs are acknowledged; if not all
 * of it was sent, MSG_ERROR tells the target that no more follows.
 *
 * Context: flow lock held.
 */
void uet_msg_fail(struct uet_pdc *pdc, struct uet_txmsg *msg, int error,
		  u8 source, u16 code)
{
	lockdep_assert_held(&pdc->tx->flow->lock);
	if (msg->m.state == UET_MSG_FAILED || msg->m.state == UET_MSG_DONE)
		return;
	uet_snd_not_again(&msg->m);
	uet_txmsg_done(msg, error, source, code);
	if (msg->m.state != UET_MSG_SENT)
		uet_snd_end(&pdc->tx->snd, &msg->m, ktime_get_ns());
	msg->m.state = UET_MSG_FAILED;
}

/**
 * uet_rc_errno() - what a return code means for the sender of a message
 * @code: enum uet_rc, neither OK nor NULL
 *
 * Return: a negative errno.
 */
int uet_rc_errno(u8 code)
{
	switch (code) {
	case UET_RC_BAD_JOB_ID:
	case UET_RC_BAD_MKEY:
	case UET_RC_PERM_VIOLATION:
		return -EACCES;
	case UET_RC_BAD_PID:
	case UET_RC_BAD_INDEX:
		return -ECONNREFUSED;
	case UET_RC_UNSUPPORTED_OP:
	case UET_RC_UNSUPPORTED_SIZE:
		return -EOPNOTSUPP;
	case UET_RC_TOO_LONG:
		return -EMSGSIZE;
	case UET_RC_BAD_ADDR:
		return -ERANGE;
	default:
		return -EREMOTEIO;
	}
}

/* Does it say no more than that the packet was accepted? A deferrable message is deferred
 * by a response of its own that accepts nothing of it (UE 1.0 3.4.1).
 */
static bool uet_rsp_is_plain(const struct uet_ses_rsp *rsp)
{
	if (rsp->code == UET_RC_OK)
		return rsp->opcode != UET_RSP_OP_RESPONSE ||
		       rsp->modified_length;
	return rsp->code == UET_RC_NULL;
}

/* The SES response that an ACK carries for its ACK_PSN */
static void uet_pdc_response(struct uet_pdc *pdc, const struct uet_pkt *pkt,
			     const struct uet_snd_acked *acked)
{
	const struct uet_ses_rsp *rsp = &pkt->rsp;
	struct uet_txmsg *msg;

	if (likely(uet_rsp_is_plain(rsp)) || !acked->answered ||
	    !acked->answered->msg)
		return;
	/* What ends a message of which not all was sent is not judged in its place: a
	 * target that did not take the message may know nothing of it.
	 */
	if (unlikely(acked->answered->flags & UET_SND_MSG_ERROR))
		return;
	msg = uet_txmsg_of(acked->answered->msg);
	/* Without a message id in its headers the PSN names it. */
	if (msg->m.msg_id != rsp->msg_id && likely(!msg->m.less))
		return;
	if (rsp->code == UET_RC_OK) {
		/* All other messages were accepted, whatever this says. */
		if (msg->token)
			uet_msg_deferred(pdc, msg);
		return;
	}
	if (rsp->code == UET_RC_NO_MATCH || rsp->code == UET_RC_DISABLED_GEN)
		uet_msg_again(pdc, msg, rsp->code);
	else if (rsp->code == UET_RC_BAD_GENERATION)
		uet_msg_regenerate(pdc, msg, rsp->generation);
	else
		uet_msg_fail(pdc, msg, -uet_rc_errno(rsp->code), UET_REPORT_SES,
			     rsp->code);
}

/*
 * Note progress on a PDC that has messages of closed sockets. Only bytes
 * beyond @best count, since NO_MATCH restarts a message from the beginning.
 */
static void uet_msg_advance(const struct uet_snd_pkt *p, u64 now)
{
	struct uet_txmsg *msg = uet_txmsg_of(p->msg);

	if (p->off + p->len <= msg->best)
		return;
	msg->best = p->off + p->len;
	msg->dest->progress = now;
}

/* A packet above CACK was answered. */
static void uet_pdc_answered(struct uet_pdc *pdc, const struct uet_snd_pkt *p,
			     u64 now)
{
	if (!p->msg)
		return;
	if (pdc->tx->orphan_at)
		uet_msg_advance(p, now);
	uet_hole_arrived(pdc->tx->flow, p->len);
}

/* Per-packet work of an ACK: release data, complete messages. */
static void uet_pdc_covered(struct uet_pdc *pdc, u32 psn, u32 n, u64 now)
{
	struct uet_pdc_tx *tx = pdc->tx;
	bool last;

	for (; n; n--, psn++) {
		struct uet_snd_pkt *p = uet_snd_covered(&tx->snd, psn, &last);
		struct uet_txmsg *msg;

		if (!p->msg)
			continue;
		msg = uet_txmsg_of(p->msg);
		if (unlikely(tx->orphan_at))
			uet_msg_advance(p, now);
		if (unlikely(tx->flow->hole.since))
			uet_hole_arrived(tx->flow, p->len);
		p->msg = NULL;
		if (msg->streamed && !msg->m.again)
			uet_txdata_release(msg, p->off + p->len);
		if (last)
			uet_msg_covered(pdc, msg, now);
	}
}

/**
 * uet_pdc_learn() - check the target's PDCID in an answer, learn the first one
 * @pdc: the PDC
 * @spdcid: PDCID of the target
 *
 * The first answer establishes the PDC.
 *
 * Context: flow lock held.
 * Return: true if @spdcid is that of the PDC's target.
 */
bool uet_pdc_learn(struct uet_pdc *pdc, u16 spdcid)
{
	lockdep_assert_held(&pdc->tx->flow->lock);
	if (pdc->remote_id == spdcid)
		return true;
	if (pdc->tx->snd.state != UET_PDC_SYN || !spdcid)
		return false;
	pdc->remote_id = spdcid;
	uet_snd_opened(&pdc->tx->snd);
	return true;
}

/* An ACK answers a PROBE. */
static void uet_pdc_probe_answer(struct uet_pdc *pdc, const struct uet_pkt *pkt,
				 struct uet_snd_work *w)
{
	struct uet_flow *flow = pdc->tx->flow;
	struct uet_ccc *ccc = &flow->ccc;
	u64 rtt;

	uet_habit_answered(&pdc->peer->habits);
	if (pkt->ack.probe_opaque == UET_PROBE_RTT) {
		uet_rtt_probe_answer(pdc, pkt, w->now);
		return;
	}
	if (pkt->ack.probe_opaque == UET_PROBE_HABIT) {
		pdc->tx->snd.asked = false;
		return;
	}
	if (!uet_snd_probe_answer(&pdc->tx->snd, &pkt->ack, w, &rtt) ||
	    flow->fixed_rtt)
		return;
	uet_ccc_on_probe_rtt(ccc, w->now, rtt);
	uet_rtt_fall(flow, uet_ccc_probe_base_rtt(ccc->params, rtt), w->now);
}

/* Feed an ACK to congestion control */
static void uet_pdc_ack_cc(struct uet_pdc *pdc, const struct uet_ack *a,
			   struct uet_ccc_ack *ack)
{
	struct uet_flow *flow = pdc->tx->flow;
	struct uet_ccc *ccc = &flow->ccc;
	u64 now = ack->now;

	if (a->cc_type == UET_CC_CREDIT)
		uet_cc_credit(flow, now, a->credit);
	if (unlikely(a->pend))
		UET_INC(pdc->un, RX_PENALTIES);
	if (!ccc->sprayed)
		ack->siblings = uet_path_siblings(flow, ack->m, now);
	trace_uet_path_signal(flow, ack->ev,
			      ack->m ? UET_LB_ECN : UET_LB_NO_ECN, ack->rtt);
	uet_cc_ack(flow, ack);
	if (unlikely(ccc->did & UET_CC_DID_BASE_RTT))
		uet_flow_learned(flow);
	if (!ack->rtt_valid || ack->rtt_short)
		return;
	if (unlikely(flow->far.on))
		uet_rtt_far(flow, ack->rtt, now);
	if (unlikely(!uet_fall_quiet(&flow->fall, flow->params.base_rtt,
				     ack->rtt)))
		uet_rtt_fall(flow, ack->rtt, now);
	if (unlikely(!uet_rise_quiet(&flow->rise, ccc, ack->rtt)))
		uet_rtt_rise(flow, ack->rtt, ack->m, now);
}

/* Process an ACK; false if it does not belong to the PDC. */
static bool uet_pdc_ack_locked(struct uet_pdc *pdc, struct uet_rx_ctx *rx)
{
	const struct uet_pkt *pkt = rx->pkt;
	const struct uet_ack *a = &pkt->ack;
	struct uet_pdc_tx *tx = pdc->tx;
	struct uet_snd *s = &tx->snd;
	struct uet_snd_acked acked;
	struct uet_snd_work w;
	u64 now;

	if (s->state == UET_PDC_DEAD || !uet_snd_names(s, a) ||
	    !uet_pdc_learn(pdc, pkt->spdcid))
		return false;
	now = ktime_get_ns();
	uet_snd_ack(s, pkt, rx->ev, now, &acked);
	if (acked.first && unlikely(tx->orphan_at || tx->flow->hole.since))
		uet_pdc_answered(pdc, acked.answered, now);
	if (uet_pkt_has_ses_rsp(pkt))
		uet_pdc_response(pdc, pkt, &acked);
	uet_pdc_covered(pdc, acked.from, acked.sum.psns, now);
	if (unlikely(acked.needless))
		UET_INC(pdc->un, TX_NEEDLESS);
	uet_pdc_ack_cc(pdc, a, &acked.cc);
	uet_snd_work_init(&w, now, 0);
	uet_snd_ack_done(s, pkt, &acked, &w);
	if (pkt->flags & UET_F_PROBE)
		uet_pdc_probe_answer(pdc, pkt, &w);
	if (unlikely(w.todo))
		uet_pdc_losses(pdc, &w);
	if (!list_empty(&s->holds))
		uet_snd_hold_acked(s, now);
	if ((pkt->flags & UET_F_REQ_MASK) == UET_F_REQ_CLOSE && pdc->initiator &&
	    s->state == UET_PDC_ESTABLISHED)
		s->state = UET_PDC_QUIESCE;
	uet_pdc_tx_rearm(pdc, now);
	return true;
}

/**
 * uet_pdc_ack() - process an ACK
 * @pdc: a PDC with a sending half, named by dpdcid, peer's address verified
 * @rx: the packet
 *
 * Context: softirq.
 */
void uet_pdc_ack(struct uet_pdc *pdc, struct uet_rx_ctx *rx)
{
	struct uet_flow *flow = pdc->tx->flow;
	u32 profile = uet_peer_profile(pdc->peer);
	struct sk_buff *probe = NULL;
	bool known = uet_habit_probes_known(&pdc->peer->habits);

	spin_lock(&flow->lock);
	flow->snd.probes_apart = uet_profile_says(profile,
						  UET_PROFILE_STRICT_DSCP, false);
	flow->brief = uet_profile_brief(pdc->peer, profile);
	if (!uet_pdc_ack_locked(pdc, rx))
		rx->drop = UET_DROP_ACK;
	else if (unlikely(!flow->ccc.base_known || !known))
		probe = uet_rtt_probe(pdc, rx->ev) ?:
			uet_habit_probe(pdc, rx->ev);
	spin_unlock(&flow->lock);
	if (unlikely(probe))
		uet_output_one(pdc->peer, probe);
}
