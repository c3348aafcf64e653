// SPDX-License-Identifier: GPL-2.0
/*
 * Building a request packet: PDS and SES headers, and the data of its message.
 *
 * Not here: which packet is next (core/snd_pick.c), UDP and IP headers (link/).
 */
#include <linux/netdevice.h>
#include <linux/skbuff.h>

#include "core/hdr_build.h"
#include "core/snd_pick.h"
#include "link/encap.h"
#include "link/owner.h"
#include "pdc/pdc.h"
#include "tx/flow.h"
#include "tx/half.h"
#include "tx/txdata.h"
#include "tx/txmsg.h"

/* The SES header of a packet of a message; @ses is zero */
static void uet_pdc_fill_ses(const struct uet_txmsg *msg,
			     const struct uet_snd_pkt *p, struct uet_ses_req *ses)
{
	const struct uet_dest *dest = msg->dest;

	ses->key = msg->match_bits;
	ses->job = dest->key.job;
	ses->initiator = dest->initiator;
	ses->request_length = msg->m.len;
	ses->message_offset = p->off;
	ses->payload_length = p->len;
	ses->msg_id = msg->m.msg_id;
	ses->pid = dest->key.pid;
	ses->ri = dest->key.ri;
	ses->generation = msg->m.generation;
	ses->opcode = msg->has_tag ? UET_SES_OP_TAGGED_SEND : UET_SES_OP_SEND;
	if (unlikely(dest->key.watch))
		ses->opcode = UET_SES_OP_NO_OP;
	if (!dest->key.absolute)
		ses->flags |= UET_SES_F_REL;
	if (p->flags & UET_SND_MSG_ERROR) {
		ses->opcode = UET_SES_OP_MSG_ERROR;
		ses->flags |= UET_SES_F_EOM;
		return;
	}
	if (!p->off) {
		ses->flags |= UET_SES_F_SOM;
		if (msg->has_hd) {
			ses->flags |= UET_SES_F_HD;
			ses->header_data = msg->header_data;
		}
	}
	if (p->off + p->len == msg->m.len)
		ses->flags |= UET_SES_F_EOM;
}

/**
 * uet_pdc_build_req() - build one transmission of a PSN
 * @pdc: the PDC
 * @out: the packet
 *
 * Context: flow lock held.
 * Return: the packet, NULL without memory.
 */
struct sk_buff *uet_pdc_build_req(struct uet_pdc *pdc,
				  const struct uet_snd_out *out)
{
	const struct uet_snd_pkt *p = &out->pkt;
	struct uet_txmsg *msg = uet_txmsg_of(p->msg);
	u32 psn = out->psn;
	bool cc = pdc->tx->flow->ccc.algo->credit;
	struct uet_pkt pkt = {
		.type		= pdc->rod ?
				  (cc ? UET_PDS_ROD_CC_REQ : UET_PDS_ROD_REQ) :
				  (cc ? UET_PDS_RUD_CC_REQ : UET_PDS_RUD_REQ),
		.next_hdr	= UET_NH_REQ_STD,
		.flags		= (out->rtx ? UET_F_RETX : 0) |
				  (out->ar ? UET_F_AR : 0),
		.spdcid		= pdc->id,
		.dpdcid		= pdc->remote_id,
		.req = {
			.psn		= psn,
			.clear_psn	= pdc->tx->snd.win.clear_psn,
			.start_psn	= pdc->start_psn,
			.credit_target	= out->params.credit_target,
			.ccc_id		= pdc->tx->flow->ccc_id,
		},
	};
	unsigned int room = UET_PDS_REQ_CC_LEN + UET_SES_STD_LEN + UET_CRC_LEN;
	struct uet_txmeta *meta;
	struct sk_buff *skb;
	unsigned int len;

	lockdep_assert_held(&pdc->tx->flow->lock);
	if (pdc->tx->snd.state == UET_PDC_SYN)
		pkt.flags |= UET_F_SYN;
	/* The offset has 16 bits; an older CLEAR_PSN does no harm. */
	if (psn_delta(psn, pkt.req.clear_psn) > S16_MAX)
		pkt.req.clear_psn = psn - S16_MAX;
	if (msg->inlined)
		room += p->len;
	skb = alloc_skb(UET_HEADROOM + room, GFP_ATOMIC | __GFP_NOWARN);
	if (unlikely(!skb))
		return NULL;
	skb_reserve(skb, UET_HEADROOM);
	uet_pdc_fill_ses(msg, p, &pkt.ses);
	len = uet_build_req(skb->data, &pkt);
	len += uet_build_ses_std(skb->data + len, &pkt.ses);
	__skb_put(skb, len);
	if (p->len && unlikely(uet_txdata_attach(msg, skb, p->off, p->len))) {
		/* Not dropped: it is built again. */
		consume_skb(skb);
		return NULL;
	}
	skb->priority = msg->dest->prio;
	uet_owner_mark(skb, msg->dest->owner);
	meta = UET_TXMETA(skb);
	meta->ev = out->params.ev;
	meta->psn = psn;
	meta->pdcid = pdc->id;
	meta->dsfield = pdc->tclass << 2 | UET_ECT0;
	/* Only a packet cut before the path MTU shrank may be fragmented. */
	meta->df = p->len <= pdc->tx->flow->snd.payload_mtu;
	return skb;
}
