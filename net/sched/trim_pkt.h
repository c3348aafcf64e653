/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What sch_trim does to single packets: read the headers that decide about
 * them, cut them, mark them. Nothing in here knows of queues.
 */
#ifndef _TRIM_PKT_H
#define _TRIM_PKT_H

#include <linux/etherdevice.h>
#include <linux/icmpv6.h>
#include <linux/if_arp.h>
#include <linux/if_vlan.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/skbuff.h>
#include <linux/udp.h>
#include <net/checksum.h>
#include <net/dsfield.h>
#include <net/inet_ecn.h>
#include <net/ip.h>
#include <net/ipv6.h>
#include <net/ndisc.h>

/* Tags inside the packet data that are looked through. */
#define TRIM_VLAN_DEPTH		4

/*
 * What a receiver needs of a trimmed packet at the least: UDP header, or
 * entropy header of native IP, and the longest PDS request header (UE 1.0
 * 3.5.10).
 */
#define TRIM_PDS_BYTES		16
#define TRIM_MIN_UDP		(8 + TRIM_PDS_BYTES)
#define TRIM_MIN_NATIVE		(4 + TRIM_PDS_BYTES)

/**
 * struct trim_pkt - what matters of one packet
 * @l3: offset of the IP header in the packet data
 * @l4: offset of the transport header
 * @end: offset of the first byte behind the IP packet
 * @version: 4 or 6, 0 for anything that is not a well-formed IP packet
 * @dscp: DSCP, if @version is not 0
 * @proto: transport protocol, IPPROTO_NONE if that cannot be told
 * @whole: not a fragment of a larger packet
 * @neigh: keeps the link alive: address resolution, link-local frames
 */
struct trim_pkt {
	unsigned int	l3;
	unsigned int	l4;
	unsigned int	end;
	u8		version;
	u8		dscp;
	u8		proto;
	bool		whole;
	bool		neigh;
};

/*
 * Offset of the network header and its type. skb->network_header is no help:
 * whether it lies before or behind a tag in the data depends on who built the
 * packet.
 */
static inline __be16 trim_pkt_network(const struct net_device *dev,
				      const struct sk_buff *skb,
				      struct trim_pkt *pkt)
{
	const struct ethhdr *eth;
	struct ethhdr _eth;
	__be16 type;
	int depth;

	if (dev->type != ARPHRD_ETHER && dev->type != ARPHRD_LOOPBACK) {
		pkt->l3 = max(skb_network_offset(skb), 0);
		return skb->protocol;
	}

	eth = skb_header_pointer(skb, 0, sizeof(_eth), &_eth);
	if (!eth)
		return 0;
	pkt->neigh = is_link_local_ether_addr(eth->h_dest);
	pkt->l3 = ETH_HLEN;
	type = eth->h_proto;

	for (depth = 0; depth < TRIM_VLAN_DEPTH && eth_type_vlan(type);
	     depth++) {
		const struct vlan_hdr *vlan;
		struct vlan_hdr _vlan;

		vlan = skb_header_pointer(skb, pkt->l3, sizeof(_vlan), &_vlan);
		if (!vlan)
			return 0;
		type = vlan->h_vlan_encapsulated_proto;
		pkt->l3 += VLAN_HLEN;
	}
	return type;
}

static inline void trim_pkt_ipv4(const struct sk_buff *skb,
				 struct trim_pkt *pkt)
{
	const struct iphdr *iph;
	struct iphdr _iph;

	iph = skb_header_pointer(skb, pkt->l3, sizeof(_iph), &_iph);
	if (!iph || iph->version != 4 || iph->ihl < 5 ||
	    ntohs(iph->tot_len) < iph->ihl * 4)
		return;

	pkt->l4 = pkt->l3 + iph->ihl * 4;
	pkt->end = pkt->l3 + ntohs(iph->tot_len);
	if (pkt->end > skb->len)
		return;

	pkt->version = 4;
	pkt->dscp = ipv4_get_dsfield(iph) >> 2;
	pkt->proto = iph->protocol;
	pkt->whole = !ip_is_fragment(iph);
}

/* IPv6 asks for neighbours inside IPv6, with an ordinary DSCP. */
static inline bool trim_pkt_is_ndisc(const struct sk_buff *skb,
				     const struct trim_pkt *pkt)
{
	const u8 *type;
	u8 _type;

	if (pkt->proto != IPPROTO_ICMPV6)
		return false;
	type = skb_header_pointer(skb, pkt->l4, sizeof(_type), &_type);
	return type && *type >= NDISC_ROUTER_SOLICITATION &&
	       *type <= NDISC_REDIRECT;
}

static inline void trim_pkt_ipv6(const struct sk_buff *skb,
				 struct trim_pkt *pkt)
{
	const struct ipv6hdr *ip6h;
	struct ipv6hdr _ip6h;
	__be16 frag = 0;
	int l4;

	ip6h = skb_header_pointer(skb, pkt->l3, sizeof(_ip6h), &_ip6h);
	if (!ip6h || ip6h->version != 6)
		return;

	pkt->end = pkt->l3 + sizeof(_ip6h) + ntohs(ip6h->payload_len);
	if (pkt->end > skb->len)
		return;

	pkt->version = 6;
	pkt->dscp = ipv6_get_dsfield(ip6h) >> 2;
	pkt->proto = ip6h->nexthdr;
	l4 = ipv6_skip_exthdr(skb, pkt->l3 + sizeof(_ip6h), &pkt->proto, &frag);
	if (l4 < 0) {
		pkt->proto = IPPROTO_NONE;
		return;
	}
	pkt->l4 = l4;
	pkt->whole = !(frag & htons(IP6_OFFSET | IP6_MF));
	pkt->neigh = trim_pkt_is_ndisc(skb, pkt);
}

/**
 * trim_pkt_parse() - read what decides about a packet
 * @dev: device that will send it
 * @skb: the packet, data at its link layer header
 * @pkt: result; malformed packets come out with version 0
 */
static inline void trim_pkt_parse(const struct net_device *dev,
				  const struct sk_buff *skb,
				  struct trim_pkt *pkt)
{
	memset(pkt, 0, sizeof(*pkt));
	pkt->proto = IPPROTO_NONE;

	switch (trim_pkt_network(dev, skb, pkt)) {
	case htons(ETH_P_IP):
		trim_pkt_ipv4(skb, pkt);
		break;
	case htons(ETH_P_IPV6):
		trim_pkt_ipv6(skb, pkt);
		break;
	case htons(ETH_P_ARP):
		pkt->neigh = true;
		break;
	}
}

/**
 * trim_pkt_keep() - where a packet of the transport may be cut
 * @skb: the packet
 * @pkt: what was read from it
 * @port: UDP destination port of the transport
 * @proto: IP protocol of the transport without UDP, 0 if that is not used
 * @size: bytes to keep from the IP header on
 *
 * Return: length of the packet data after the cut, 0 if the packet does not
 * belong to the transport or cutting would not make it shorter.
 */
static inline unsigned int trim_pkt_keep(const struct sk_buff *skb,
					 const struct trim_pkt *pkt,
					 u16 port, u8 proto, u32 size)
{
	unsigned int keep;

	if (!pkt->version || !pkt->whole)
		return 0;

	if (pkt->proto == IPPROTO_UDP) {
		const struct udphdr *uh;
		struct udphdr _uh;

		uh = skb_header_pointer(skb, pkt->l4, sizeof(_uh), &_uh);
		if (!uh || uh->dest != htons(port))
			return 0;
		keep = pkt->l4 + TRIM_MIN_UDP;
	} else if (proto && pkt->proto == proto) {
		keep = pkt->l4 + TRIM_MIN_NATIVE;
	} else {
		return 0;
	}

	keep = max(keep, pkt->l3 + size);
	return keep < pkt->end ? keep : 0;
}

/**
 * trim_pkt_cut() - trim a packet
 * @skb: the packet, not shared; clones keep their content
 * @pkt: what was read from it
 * @keep: what trim_pkt_keep() returned
 * @dscp: code point that tells the receiver
 *
 * The IP length follows, the UDP length does not: it is how the receiver
 * learns the size of the packet that was sent (UE 1.0 3.6.12). No checksum of
 * the payload can be right from here on, so none is left to be computed.
 *
 * Return: 0 or a negative error for want of memory, the packet is then good
 * for nothing but to be dropped.
 */
static inline int trim_pkt_cut(struct sk_buff *skb, const struct trim_pkt *pkt,
			       unsigned int keep, u8 dscp)
{
	unsigned int hlen = pkt->version == 4 ? sizeof(struct iphdr) :
						sizeof(struct ipv6hdr);
	int err;

	err = pskb_trim(skb, keep);
	if (!err)
		err = skb_ensure_writable(skb, pkt->l3 + hlen);
	if (err)
		return err;

	skb->ip_summed = CHECKSUM_NONE;
	if (pkt->version == 4) {
		struct iphdr *iph = (struct iphdr *)(skb->data + pkt->l3);
		__be16 len = htons(keep - pkt->l3);

		csum_replace2(&iph->check, iph->tot_len, len);
		iph->tot_len = len;
		ipv4_change_dsfield(iph, INET_ECN_MASK, dscp << 2);
	} else {
		struct ipv6hdr *ip6h = (struct ipv6hdr *)(skb->data + pkt->l3);

		ip6h->payload_len = htons(keep - pkt->l3 - hlen);
		ipv6_change_dsfield(ip6h, INET_ECN_MASK, dscp << 2);
	}
	return 0;
}

/**
 * trim_pkt_mark() - set the CE code point
 * @skb: the packet; clones keep their content
 * @l3: offset of the IP header
 * @version: of IP, 0 if the packet is none
 *
 * Return: true if the packet is ECN-capable and was not marked before.
 */
static inline bool trim_pkt_mark(struct sk_buff *skb, unsigned int l3,
				 u8 version)
{
	if (skb_shared(skb))
		return false;

	if (version == 4) {
		struct iphdr *iph;

		if (skb_ensure_writable(skb, l3 + sizeof(*iph)))
			return false;
		iph = (struct iphdr *)(skb->data + l3);
		return !INET_ECN_is_ce(iph->tos) && IP_ECN_set_ce(iph);
	}
	if (version == 6) {
		struct ipv6hdr *ip6h;

		if (skb_ensure_writable(skb, l3 + sizeof(*ip6h)))
			return false;
		ip6h = (struct ipv6hdr *)(skb->data + l3);
		return !INET_ECN_is_ce(ipv6_get_dsfield(ip6h)) &&
		       IP6_ECN_set_ce(skb, ip6h);
	}
	return false;
}

#endif /* _TRIM_PKT_H */
