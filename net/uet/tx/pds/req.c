// SPDX-License-Identifier: GPL-2.0
/*
 * Building a request packet, or a run of them: PDS and SES headers, and the data of
 * their message.
 *
 * Not here: which packet is next (core/snd/snd_pick.c), UDP and IP headers (link/).
 */
#include <linux/netdevice.h>
#include <linux/skbuff.h>

#include "core/snd/snd_pick.h"
#include "core/snd/snd_queue.h"
#include "core/wire/hdr_build.h"
#include "core/wire/hdr_run.h"
#include "link/encap.h"
#include "link/owner.h"
#include "mib.h"
#include "pdc/pdc.h"
#include "tx/cms/flow.h"
#include "tx/msg/txdata.h"
#include "tx/msg/txmsg.h"
#include "tx/pds/half.h"

/* What tells a deferrable message from others (UE 1.0 3.4.1): it has tokens in place of
 * an offset in the target's buffer.
 */
static void uet_pdc_fill_deferrable(const struct uet_txmsg *msg,
				    struct uet_ses_req *ses)
{
	ses->opcode = msg->has_tag ? UET_SES_OP_DEFERRABLE_TSEND :
				     UET_SES_OP_DEFERRABLE_SEND;
	ses->buffer_offset = uet_ses_tokens(msg->token, msg->target_token);
}

/* The SES header of a packet of a message */
static void uet_pdc_fill_ses(const struct uet_txmsg *msg,
			     const struct uet_snd_pkt *p, struct uet_ses_req *ses)
{
	const struct uet_dest *dest = msg->dest;
	u8 flags = dest->key.absolute ? 0 : UET_SES_F_REL;

	ses->buffer_offset = 0;
	ses->header_data = 0;
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
	if (unlikely(msg->token))
		uet_pdc_fill_deferrable(msg, ses);
	else if (unlikely(dest->key.watch))
		ses->opcode = dest->key.watch == UET_DEST_RTR ?
			      UET_SES_OP_DEFERRABLE_RTR : UET_SES_OP_NO_OP;
	if (unlikely(p->flags & UET_SND_MSG_ERROR)) {
		/* A deferred one stops by a packet of its own kind. */
		if (likely(!uet_snd_is_deferred(&msg->m)))
			ses->opcode = UET_SES_OP_MSG_ERROR;
		ses->flags = flags | UET_SES_F_EOM;
		return;
	}
	if (!p->off) {
		flags |= UET_SES_F_SOM;
		if (msg->has_hd) {
			flags |= UET_SES_F_HD;
			ses->header_data = msg->header_data;
		}
	}
	if (p->off + p->len == msg->m.len)
		flags |= UET_SES_F_EOM;
	ses->flags = flags;
}

/* The form of the SES header, which an operation that is one packet may have shorter */
static u8 uet_pdc_form(const struct uet_txmsg *msg, const struct uet_snd_pkt *p)
{
	if (likely(!msg->m.less) || p->flags & UET_SND_MSG_ERROR)
		return UET_NH_REQ_STD;
	UET_INC(msg->dest->un, TX_BRIEF);
	return msg->dest->key.watch ? UET_NH_REQ_SMALL : UET_NH_REQ_MEDIUM;
}

/* The headers of what was picked: what the functions that build them read of @pkt */
static void uet_pdc_fill(const struct uet_pdc *pdc, const struct uet_snd_out *out,
			 struct uet_pkt *pkt)
{
	const struct uet_txmsg *msg = uet_txmsg_of(out->pkt.msg);
	u32 clear_psn = pdc->tx->snd.win.clear_psn;
	bool cc = pdc->tx->flow->ccc.algo->credit;
	u32 last = out->psn + out->n - 1;
	u8 flags = 0;

	if (out->rtx)
		flags = UET_F_RETX;
	if (pdc->tx->snd.state == UET_PDC_SYN)
		flags |= UET_F_SYN;
	/* A run has one AR, in its last packet. */
	if (out->ar && out->n == 1)
		flags |= UET_F_AR;
	/* The offset has 16 bits; an older CLEAR_PSN does no harm. */
	if (psn_delta(last, clear_psn) > S16_MAX)
		clear_psn = last - S16_MAX;
	pkt->type = pdc->rod ? (cc ? UET_PDS_ROD_CC_REQ : UET_PDS_ROD_REQ) :
			       (cc ? UET_PDS_RUD_CC_REQ : UET_PDS_RUD_REQ);
	pkt->next_hdr = uet_pdc_form(msg, &out->pkt);
	pkt->flags = flags;
	pkt->spdcid = pdc->id;
	pkt->dpdcid = pdc->remote_id;
	pkt->req.psn = out->psn;
	pkt->req.clear_psn = clear_psn;
	pkt->req.start_psn = pdc->start_psn;
	pkt->req.credit_target = out->params.credit_target;
	pkt->req.ccc_id = pdc->tx->flow->ccc_id;
	uet_pdc_fill_ses(msg, &out->pkt, &pkt->ses);
}

/**
 * uet_pdc_write_req() - write the headers of a packet
 * @pdc: the PDC, established, without receiver credit
 * @out: the packet, no run
 * @to: room for UET_HDR_RUN_LEN bytes
 *
 * Context: flow lock held.
 */
void uet_pdc_write_req(const struct uet_pdc *pdc, const struct uet_snd_out *out,
		       u8 *to)
{
	struct uet_pkt pkt __uninitialized;	/* uet_pdc_fill() */

	lockdep_assert_held(&pdc->tx->flow->lock);
	uet_pdc_fill(pdc, out, &pkt);
	to += uet_build_req(to, &pkt);
	uet_build_ses_std(to, &pkt.ses);
}

/* A packet with headers, and @room more bytes */
static struct sk_buff *uet_pdc_alloc_req(const struct uet_pkt *pkt, u32 room)
{
	struct sk_buff *skb;
	unsigned int len;

	skb = alloc_skb(UET_HEADROOM + UET_PDS_REQ_CC_LEN + UET_SES_STD_LEN +
			UET_CRC_LEN + room, GFP_ATOMIC | __GFP_NOWARN);
	if (unlikely(!skb))
		return NULL;
	skb_reserve(skb, UET_HEADROOM);
	len = uet_build_req(skb->data, pkt);
	len += uet_build_ses_req(skb->data + len, pkt);
	__skb_put(skb, len);
	return skb;
}

/* What the output and the qdisc must know of a packet or run */
static void uet_pdc_dress_req(struct uet_pdc *pdc, struct sk_buff *skb,
			      const struct uet_snd_out *out)
{
	const struct uet_dest *dest = uet_txmsg_of(out->pkt.msg)->dest;
	struct uet_txmeta *meta = UET_TXMETA(skb);

	skb->priority = dest->prio;
	uet_owner_mark(skb, dest->owner);
	meta->ev = out->params.ev;
	meta->psn = out->psn;
	meta->n = (u8)out->n;
	meta->pdcid = pdc->id;
	meta->dsfield = pdc->tclass << 2 | UET_ECT0;
	/* Only a packet cut before the path MTU shrank may be fragmented. */
	meta->df = out->pkt.len <= pdc->tx->flow->snd.payload_mtu;
}

/* Write the headers of all packets of a run but the first. */
static void uet_pdc_fill_gaps(const struct uet_snd_out *out, const u8 *first,
			      const struct uet_txgaps *gaps)
{
	const struct uet_snd_msg *m = out->pkt.msg;
	u32 end = out->pkt.off + uet_snd_out_len(out), i;
	struct uet_hdr_run run;

	uet_hdr_run_begin(&run, first, out->pkt.len);
	for (i = 0; i < gaps->n; i++)
		uet_hdr_run_put(&run, gaps->at[i]);
	if (out->last_len != out->pkt.len)
		uet_hdr_set_len(gaps->at[gaps->n - 1], out->last_len);
	uet_hdr_end(gaps->at[gaps->n - 1], out->ar, end == m->len);
}

/**
 * uet_pdc_build_run() - build a run
 * @pdc: the PDC
 * @out: the run, two packets at least
 *
 * Context: flow lock held.
 * Return: one buffer for segmentation; NULL without memory, or if its data lies in
 * too many places: then the packets may go one by one.
 */
struct sk_buff *uet_pdc_build_run(struct uet_pdc *pdc,
				  const struct uet_snd_out *out)
{
	const struct uet_snd_pkt *p = &out->pkt;
	struct uet_txmsg *msg = uet_txmsg_of(p->msg);
	struct skb_shared_info *si;
	struct uet_txgaps gaps;
	struct sk_buff *skb;
	struct uet_pkt pkt __uninitialized;	/* uet_pdc_fill() */

	lockdep_assert_held(&pdc->tx->flow->lock);
	uet_pdc_fill(pdc, out, &pkt);
	skb = uet_pdc_alloc_req(&pkt, 0);
	if (unlikely(!skb))
		return NULL;
	if (unlikely(uet_txdata_attach_run(msg, skb, p->off,
					   uet_snd_out_len(out), &gaps) ||
		     skb_headlen(skb) != UET_HDR_RUN_LEN ||
		     gaps.n != out->n - 1)) {
		consume_skb(skb);
		return NULL;
	}
	uet_pdc_fill_gaps(out, skb->data, &gaps);
	si = skb_shinfo(skb);
	si->gso_type = SKB_GSO_UDP_L4;
	si->gso_size = UET_HDR_RUN_LEN + p->len;
	si->gso_segs = out->n;
	uet_pdc_dress_req(pdc, skb, out);
	return skb;
}

/* Room for data that is not in pages; of @n messages if others may join this one, as far
 * as a page has it
 */
static u32 uet_pdc_req_room(const struct uet_snd_out *out, u32 n)
{
	const u32 most = SKB_MAX_ORDER(UET_HEADROOM + UET_PDS_REQ_CC_LEN +
				       UET_SES_STD_LEN + UET_CRC_LEN, 0);
	u32 len = out->pkt.len;

	if (!uet_txmsg_of(out->pkt.msg)->inlined)
		return 0;
	/* @n is 0 before the first run of a flow. */
	if (!out->joined || n <= 1)
		return len;
	return min(n * (UET_HDR_RUN_LEN + len), most);
}

/* A packet with its data. That is copied if it lies in too many places. */
static struct sk_buff *uet_pdc_make_req(struct uet_txmsg *msg,
					const struct uet_snd_pkt *p,
					const struct uet_pkt *pkt, u32 room)
{
	struct sk_buff *skb = uet_pdc_alloc_req(pkt, room);
	int err;

	if (!skb || !p->len)
		return skb;
	if (msg->inlined) {
		/* uet_pdc_req_room() has counted it. */
		__skb_put_data(skb, &msg->inline_data[p->off], p->len);
		return skb;
	}
	err = uet_txdata_attach(msg, skb, p->off, p->len);
	if (likely(!err))
		return skb;
	/* Not dropped: it is built again. */
	consume_skb(skb);
	if (err != -EMSGSIZE)
		return NULL;
	skb = uet_pdc_alloc_req(pkt, p->len);
	if (skb && uet_txdata_copy(msg, skb, p->off, p->len)) {
		consume_skb(skb);
		return NULL;
	}
	return skb;
}

/**
 * uet_pdc_build_req() - build one transmission of a PSN
 * @pdc: the PDC
 * @out: the packet, no run
 *
 * Context: flow lock held.
 * Return: the packet, NULL without memory.
 */
struct sk_buff *uet_pdc_build_req(struct uet_pdc *pdc,
				  const struct uet_snd_out *out)
{
	const struct uet_snd_pkt *p = &out->pkt;
	struct uet_txmsg *msg = uet_txmsg_of(p->msg);
	struct sk_buff *skb;
	struct uet_pkt pkt __uninitialized;	/* uet_pdc_fill() */

	lockdep_assert_held(&pdc->tx->flow->lock);
	uet_pdc_fill(pdc, out, &pkt);
	skb = uet_pdc_make_req(msg, p, &pkt,
			       uet_pdc_req_room(out, pdc->tx->flow->snd.run));
	if (likely(skb))
		uet_pdc_dress_req(pdc, skb, out);
	return skb;
}
