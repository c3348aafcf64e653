// SPDX-License-Identifier: GPL-2.0
/*
 * Packets that a switch trimmed (UE 1.0 3.6.12).
 *
 * Instead of dropping a packet, a switch may cut its payload. It adjusts the IP
 * length but not the UDP length, so UDP drops the packet before any socket sees
 * it. While net.uet.trimming is on, a netfilter hook in LOCAL_IN takes trimmed
 * packets ahead of UDP. Their CRC cannot be checked, so they are hints: they
 * deliver nothing, open no PDC and confirm none.
 */
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/netfilter.h>
#include <linux/netfilter_ipv4.h>
#include <linux/netfilter_ipv6.h>
#include <linux/udp.h>
#include <net/dsfield.h>
#include <net/ip.h>
#include <net/ipv6.h>

#include "link/encap.h"
#include "link/hook.h"
#include "link/peer.h"
#include "mib.h"
#include "pdc/pdc.h"
#include "rx/half.h"
#include "rx/trim.h"

/* Trimming leaves at least the UDP header and 16 bytes of PDS header */
#define UET_TRIM_MIN	(sizeof(struct udphdr) + UET_TRIM_KEEP_BYTES)

static void uet_trim_request(struct uet_rx_ctx *rx, bool lasthop)
{
	u8 code = lasthop ? UET_NACK_TRIMMED_LASTHOP : UET_NACK_TRIMMED;
	const struct uet_pkt *pkt = rx->pkt;
	struct uet_syn_key key = {
		.raddr	= rx->saddr,
		.laddr	= rx->daddr,
		.spdcid	= pkt->spdcid,
		.scope	= rx->ifindex,
	};
	struct uet_pdc *pdc;

	if (pkt->flags & UET_F_SYN)
		pdc = uet_pdc_by_syn(rx->un, &key);
	else
		pdc = uet_pdc_by_id(rx->un, &rx->daddr, pkt->dpdcid);
	if (!pdc && pkt->flags & UET_F_SYN) {
		/* It opens no PDC, but its source may know that it was trimmed. */
		uet_nack_stateless(rx, code, pkt->req.psn);
	} else if (!pdc) {
		rx->drop = UET_DROP_NO_PDC;
		uet_nack_stateless(rx, UET_NACK_INV_DPDCID, pkt->req.psn);
	} else if (!uet_from_peer(pdc->peer, rx) ||
		   pdc->remote_id != pkt->spdcid) {
		rx->drop = UET_DROP_PEER;
	} else if (!uet_pdc_rx_attach(pdc)) {
		rx->drop = UET_DROP_STATE;
	} else {
		uet_pdc_trimmed(pdc, rx, lasthop);
	}
}

static void uet_trim_input(struct uet_net *un, struct sk_buff *skb,
			   unsigned int off, bool lasthop)
{
	struct uet_pkt pkt;
	struct uet_rx_ctx rx = {
		.un = un, .skb = skb, .pkt = &pkt, .arrived = skb->tstamp,
	};
	const struct udphdr *uh = (const void *)(skb->data + off);

	UET_INC(un, RX_TRIMMED);
	rx.ev = ntohs(uh->source);
	uet_rx_begin(&rx, skb);
	if (uet_pkt_parse_trimmed(&pkt, uh + 1, skb_headlen(skb) - off -
				  sizeof(*uh))) {
		rx.drop = UET_DROP_MALFORMED;
	} else if (uet_pkt_is_pds_req(&pkt)) {
		uet_trim_request(&rx, lasthop);
	} else {
		rx.drop = UET_DROP_TYPE;
	}
	uet_rx_done(&rx);
}

static unsigned int uet_trim_take(const struct nf_hook_state *state,
				  struct sk_buff *skb, unsigned int off,
				  u8 dscp)
{
	struct uet_net *un = uet_net_rcu(state->net);
	const struct uet_sysctl *s = &un->sysctl;
	bool lasthop = dscp == READ_ONCE(s->dscp_trimmed_lasthop);
	const struct udphdr *uh;

	if (!lasthop && dscp != READ_ONCE(s->dscp_trimmed))
		return NF_ACCEPT;
	if (!pskb_may_pull(skb, off + UET_TRIM_MIN))
		return NF_ACCEPT;
	uh = (const void *)(skb->data + off);
	/* The UDP port is closed while nobody uses UET. */
	if (uh->dest != htons(READ_ONCE(s->udp_port)) || !READ_ONCE(un->sock4))
		return NF_ACCEPT;
	uet_trim_input(un, skb, off, lasthop);
	return NF_STOLEN;
}

static unsigned int uet_trim_hook4(void *priv, struct sk_buff *skb,
				   const struct nf_hook_state *state)
{
	const struct iphdr *iph = ip_hdr(skb);

	if (iph->protocol != IPPROTO_UDP || ip_is_fragment(iph))
		return NF_ACCEPT;
	return uet_trim_take(state, skb, iph->ihl * 4, iph->tos >> 2);
}

static unsigned int uet_trim_hook6(void *priv, struct sk_buff *skb,
				   const struct nf_hook_state *state)
{
	const struct ipv6hdr *ip6h = ipv6_hdr(skb);

	/* UET packets carry no extension headers. */
	if (ip6h->nexthdr != IPPROTO_UDP)
		return NF_ACCEPT;
	return uet_trim_take(state, skb, sizeof(*ip6h),
			     ipv6_get_dsfield(ip6h) >> 2);
}

static const struct nf_hook_ops uet_trim_ops[] = {
	{
		.hook		= uet_trim_hook4,
		.pf		= NFPROTO_IPV4,
		.hooknum	= NF_INET_LOCAL_IN,
		.priority	= NF_IP_PRI_LAST,
	},
	{
		.hook		= uet_trim_hook6,
		.pf		= NFPROTO_IPV6,
		.hooknum	= NF_INET_LOCAL_IN,
		.priority	= NF_IP6_PRI_LAST,
	},
};

/**
 * uet_trim_enable() - take trimmed packets from now on
 * @un: namespace
 *
 * Context: process.
 * Return: 0 or the error of registering the hooks.
 */
int uet_trim_enable(struct uet_net *un)
{
	return uet_net_hook(un, &un->trim_hooked, uet_trim_ops,
			    ARRAY_SIZE(uet_trim_ops));
}

/**
 * uet_trim_disable() - leave trimmed packets to UDP, which drops them
 * @un: namespace
 *
 * Context: process.
 */
void uet_trim_disable(struct uet_net *un)
{
	uet_net_unhook(un, &un->trim_hooked, uet_trim_ops,
		       ARRAY_SIZE(uet_trim_ops));
}
