/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A packet being received: its state from the tunnel socket on.
 */
#ifndef _UET_PACKET_H
#define _UET_PACKET_H

#include <linux/in6.h>
#include <linux/ip.h>
#include <linux/ktime.h>
#include <linux/skbuff.h>
#include <net/inet_ecn.h>
#include <net/ip.h>
#include <net/ipv6.h>
#include <net/l3mdev.h>

#include "base.h"
#include "core/wire/hdr_parse.h"
#include "link/drop.h"
#include "link/form.h"
#include "link/peer.h"
#include "mib.h"

struct uet_sock;

/* What gives a packet to UDP, after the hook of input/take.c */
typedef int (*uet_okfn)(struct net *net, struct sock *sk, struct sk_buff *skb);

/**
 * struct uet_rx_ctx - a packet being received
 * @un: namespace
 * @skb: the packet; data at the PDS header
 * @pkt: its parsed headers
 * @saddr: source address
 * @daddr: destination address
 * @ifindex: interface of a link-local peer, else the VRF or 0
 * @iif: interface by which it arrived
 * @ev: its entropy value, used for the answer
 * @dscp: its DSCP
 * @ce: it is ECN marked (CE)
 * @polled: its device is polled (NAPI), so packets wait in the device's own queue
 * @arrived: its time stamp, 0 if it has none; @skb may be gone when it is answered
 * @form: UET_FORM_*, and UET_FORM_HEARD, or UET_FORM_GUESSED where only the sender knows
 *	whether it has a trailer
 * @pktsize: bytes from the UDP or entropy header to the end of the trailer, for the
 *	nominal size (UE 1.0 3.6.12)
 * @cells: what it costs with TFC, 0 = nothing
 * @us: socket that its data is for, valid in this RCU section; or NULL
 * @generation: generation of the endpoint, for the response BAD_GENERATION
 * @drop: why it is dropped, if it is: enum uet_drop
 * @handed_over: another CPU handles it
 * @okfn: another CPU may handle it, and needs this then; or NULL
 */
struct uet_rx_ctx {
	struct uet_net		*un;
	struct sk_buff		*skb;
	struct uet_pkt		*pkt;
	struct in6_addr		saddr;
	struct in6_addr		daddr;
	int			ifindex;
	int			iif;
	u16			ev;
	u8			dscp;
	u8			form;
	bool			ce;
	bool			polled;
	ktime_t			arrived;
	u32			pktsize;
	u32			cells;
	struct uet_sock		*us;
	u8			generation;
	u8			drop;
	bool			handed_over;
	uet_okfn		okfn;
};

void uet_rx_done(const struct uet_rx_ctx *rx);
void uet_rx_begin6(struct uet_rx_ctx *rx, const struct sk_buff *skb);

/* The interface by which a packet arrived. In a VRF skb->dev is the VRF, and the
 * IP control block has the interface, @sdif.
 */
static inline int uet_rx_interface(const struct sk_buff *skb, int sdif)
{
	return sdif ?: skb->skb_iif ?: skb->dev->ifindex;
}

/* The VRF of a device, or 0; in most cases without a call */
static inline int uet_rx_vrf(struct net_device *dev)
{
	if (likely(!netif_is_l3_master(dev) && !netif_is_l3_slave(dev)))
		return 0;
	return l3mdev_master_ifindex_rcu(dev);
}

/**
 * uet_rx_begin() - fill in addresses, interface, DSCP and ECN mark of a packet
 * @rx: filled in; the fields of @rx->pkt that uet_rx_done() traces are cleared,
 *	since a packet may be dropped before it is parsed
 * @skb: packet with its network header set
 *
 * Context: RCU read side.
 */
static inline void uet_rx_begin(struct uet_rx_ctx *rx, const struct sk_buff *skb)
{
	const struct iphdr *iph = ip_hdr(skb);
	struct uet_pkt *pkt = rx->pkt;

	pkt->type = 0;
	pkt->spdcid = 0;
	pkt->dpdcid = 0;
	if (iph->version != 4) {
		uet_rx_begin6(rx, skb);
		return;
	}
	rx->iif = uet_rx_interface(skb, inet_sdif(skb));
	ipv6_addr_set_v4mapped(iph->saddr, &rx->saddr);
	ipv6_addr_set_v4mapped(iph->daddr, &rx->daddr);
	rx->ce = INET_ECN_is_ce(iph->tos);
	rx->dscp = iph->tos >> 2;
	/* Inside a VRF the scope of a peer is the VRF. */
	rx->ifindex = uet_rx_vrf(skb->dev);
}

/**
 * uet_from_peer() - is a packet from this peer?
 * @peer: the peer
 * @rx: the packet
 *
 * Return: true if so.
 */
static inline bool uet_from_peer(const struct uet_peer *peer,
				 const struct uet_rx_ctx *rx)
{
	return ipv6_addr_equal(&peer->key.raddr, &rx->saddr) &&
	       (peer->key.scope == rx->ifindex ||
		peer->key.scope == rx->iif);
}

bool uet_rx_group(const struct uet_rx_ctx *rx);

#endif /* _UET_PACKET_H */
