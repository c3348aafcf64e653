// SPDX-License-Identifier: GPL-2.0
/*
 * Messages of one packet that leave together.
 *
 * Where several packets follow one another at once, most of their cost is that of
 * buffers on their way through IP, filters and devices. The packets of a long message
 * go as runs; those of short ones join the buffer of the one before, if they have the
 * same length and way. Nothing waits for others: a buffer is closed when the packets
 * that may leave now are built. Each packet is picked, counted and answered by itself.
 *
 * A message that may be joined has a gap for headers in front of its data, as those
 * that leave in runs (tx/msg/txdata.c), and its packet is written there if it joins
 * another one.
 *
 * Not here: which messages follow one another (core/snd/snd_pick.c), how the other end
 * takes them (input/split.c).
 */
#include <linux/mm.h>
#include <linux/skbuff.h>

#include "core/snd/snd_pick.h"
#include "core/wire/hdr_build.h"
#include "core/wire/hdr_run.h"
#include "link/encap.h"
#include "mib.h"
#include "pdc/pdc.h"
#include "tx/cms/flow.h"
#include "tx/msg/txdata.h"
#include "tx/msg/txmsg.h"
#include "tx/pds/half.h"
#include "tx/pds/join.h"

/* Is it the only packet of a message with a gap, sent for the first time? */
static bool uet_join_able(const struct uet_pdc *pdc,
			  const struct uet_snd_out *out)
{
	const struct uet_snd_pkt *p = &out->pkt;

	return p->msg->joins && !out->rtx && out->n == 1 && !p->off &&
	       p->len == p->msg->len && !p->flags &&
	       pdc->tx->snd.state == UET_PDC_ESTABLISHED &&
	       pdc->tx->flow->snd.run_max > 1;
}

static bool uet_join_fits(const struct uet_join *join, const struct uet_pdc *pdc,
			  const struct uet_snd_out *out)
{
	const struct uet_txmsg *msg = uet_txmsg_of(out->pkt.msg);

	return out->psn == join->psn && out->params.ev == join->ev &&
	       msg->dest == join->dest && out->pkt.len <= join->len &&
	       uet_join_able(pdc, out) &&
	       UET_TXMETA(join->skb)->pdcid == pdc->id &&
	       UET_TXMETA(join->skb)->n < pdc->tx->flow->snd.run_max &&
	       uet_txdata_joins(msg, join->skb);
}

/**
 * uet_join_add() - add a packet to the buffer of the one before
 * @join: that buffer
 * @pdc: the PDC
 * @out: the packet
 *
 * Context: flow lock held.
 * Return: true if it was added; false if it needs a buffer of its own.
 */
bool uet_join_add(struct uet_join *join, struct uet_pdc *pdc,
		  const struct uet_snd_out *out)
{
	struct uet_txmsg *msg = uet_txmsg_of(out->pkt.msg);
	struct uet_txmeta *meta;
	struct sk_buff *skb = join->skb;
	struct skb_shared_info *si;

	lockdep_assert_held(&pdc->tx->flow->lock);
	if (!skb || !uet_join_fits(join, pdc, out))
		return false;
	uet_pdc_write_req(pdc, out, uet_txdata_join(msg, skb));
	/* A gap is written once: somebody may still read it. */
	msg->m.joins = false;
	meta = UET_TXMETA(skb);
	si = skb_shinfo(skb);
	if (meta->n == 1) {
		si->gso_type = SKB_GSO_UDP_L4;
		si->gso_size = UET_HDR_RUN_LEN + join->len;
		UET_INC(pdc->un, TX_RUNS);
		UET_INC(pdc->un, TX_RUN_REQS);
	}
	UET_INC(pdc->un, TX_RUN_REQS);
	si->gso_segs = ++meta->n;
	join->psn++;
	if (out->pkt.len < join->len || out->ar)
		join->skb = NULL;
	return true;
}

/**
 * uet_join_begin() - note the buffer of a packet, which others may join
 * @join: set
 * @pdc: the PDC
 * @out: the packet or run
 * @skb: its buffer
 *
 * Context: flow lock held.
 */
void uet_join_begin(struct uet_join *join, const struct uet_pdc *pdc,
		    const struct uet_snd_out *out, struct sk_buff *skb)
{
	lockdep_assert_held(&pdc->tx->flow->lock);
	join->skb = NULL;
	if (!uet_join_able(pdc, out) || out->ar)
		return;
	*join = (struct uet_join) {
		.skb = skb, .dest = uet_txmsg_of(out->pkt.msg)->dest,
		.psn = out->psn + 1, .len = out->pkt.len, .ev = out->params.ev,
	};
}
