// SPDX-License-Identifier: GPL-2.0
/*
 * Building control packets; the caller sends them.
 */
#include "core/lb/lb.h"
#include "core/wire/hdr_build.h"
#include "link/encap.h"
#include "link/peer.h"
#include "mib.h"
#include "pdc/pdc.h"

/**
 * uet_cp_queue() - build a control packet
 * @pdc: the PDC
 * @list: the packet is appended here
 * @cp: psn, payload, probe_opaque
 * @ctl: enum uet_ctl_type
 * @flags: UET_F_*
 * @ev: entropy value
 *
 * Context: BH disabled.
 * Return: 0, -ENOMEM, or -ENOTCONN if the peer has not answered yet; but a PROBE leaves,
 * and names no PDC.
 */
int uet_cp_queue(struct uet_pdc *pdc, struct sk_buff_head *list,
		 const struct uet_cp *cp, u8 ctl, u8 flags, u16 ev)
{
	struct uet_pkt pkt = {
		.type		= UET_PDS_CP,
		.ctl_type	= ctl,
		.flags		= flags,
		.spdcid		= pdc->id,
		.dpdcid		= pdc->remote_id,
		.cp		= *cp,
	};
	struct uet_txmeta *meta;
	struct sk_buff *skb;

	/* This module opens PDCs by requests only. */
	if (!pdc->remote_id && ctl != UET_CTL_PROBE)
		return -ENOTCONN;
	skb = alloc_skb(UET_HEADROOM + UET_PDS_CP_LEN + UET_CRC_LEN,
			GFP_ATOMIC | __GFP_NOWARN);
	if (!skb) {
		UET_INC(pdc->un, TX_NOMEM);
		return -ENOMEM;
	}
	skb_reserve(skb, UET_HEADROOM);
	skb_put(skb, uet_build_cp(skb->data, &pkt));
	skb->priority = UET_CONTROL_PRIO;
	meta = UET_TXMETA(skb);
	meta->ev = ev ?: UET_LB_UDP_LOW + pdc->id % 16384;
	meta->dsfield = READ_ONCE(pdc->un->sysctl.dscp_control) << 2;
	meta->df = true;
	__skb_queue_tail(list, skb);
	UET_INC(pdc->un, TX_CPS);
	return 0;
}

