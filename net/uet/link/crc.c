// SPDX-License-Identifier: GPL-2.0
/*
 * The CRC-32C trailer (data_protect). It covers the IP addresses, the UDP or entropy
 * header and all that follows, and is stored big-endian at the end. UDP and IP lengths
 * include its four bytes.
 */
#include <linux/crc32c.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/skbuff.h>
#include <net/ipv6.h>

#include "core/wire/bytes.h"
#include "link/encap.h"

static u32 uet_crc_addrs(const struct in6_addr *saddr,
			 const struct in6_addr *daddr)
{
	u32 crc = ~0U;

	if (ipv6_addr_v4mapped(saddr)) {
		crc = crc32c(crc, &saddr->s6_addr32[3], 4);
		return crc32c(crc, &daddr->s6_addr32[3], 4);
	}
	crc = crc32c(crc, saddr, sizeof(*saddr));
	return crc32c(crc, daddr, sizeof(*daddr));
}

static u32 uet_crc_data(u32 crc, struct sk_buff *skb, unsigned int len)
{
	struct skb_seq_state st;
	unsigned int done = 0, n;
	const u8 *data;

	skb_prepare_seq_read(skb, 0, len, &st);
	while (done < len) {
		n = skb_seq_read(done, &data, &st);
		if (WARN_ON_ONCE(!n))
			break;
		/* A block may reach beyond the end asked for. */
		n = min(n, len - done);
		crc = crc32c(crc, data, n);
		done += n;
	}
	skb_abort_seq_read(&st);
	return crc;
}

/**
 * uet_crc_append() - add the trailer to an outgoing packet
 * @skb: packet, data at the UDP header, whose length includes the trailer, or at the
 *	entropy header
 * @saddr: IP source address
 * @daddr: IP destination address
 *
 * Context: BH disabled.
 * Return: 0 or -ENOMEM.
 */
int uet_crc_append(struct sk_buff *skb, const struct in6_addr *saddr,
		   const struct in6_addr *daddr)
{
	u32 crc;
	u8 *end;

	crc = ~uet_crc_data(uet_crc_addrs(saddr, daddr), skb, skb->len);

	if (!skb_is_nonlinear(skb)) {
		end = skb_put(skb, UET_CRC_LEN);
	} else {
		end = napi_alloc_frag(UET_CRC_LEN);
		if (!end)
			return -ENOMEM;
		skb_add_rx_frag(skb, skb_shinfo(skb)->nr_frags,
				virt_to_head_page(end),
				end - (u8 *)page_address(virt_to_head_page(end)),
				UET_CRC_LEN, UET_CRC_LEN);
	}
	uet_put_be32(crc, end);
	return 0;
}

/**
 * uet_crc_strip() - check and remove the trailer of a received packet
 * @skb: packet, data at the UDP or entropy header, IP header known
 *
 * Context: softirq.
 * Return: %UET_DROP_NONE if it was correct, and was removed; else why the packet is
 * to be dropped.
 */
enum uet_drop uet_crc_strip(struct sk_buff *skb)
{
	struct in6_addr saddr, daddr;
	__be32 trailer;
	u32 crc;

	if (skb->len < UET_CRC_LEN ||
	    skb_copy_bits(skb, skb->len - UET_CRC_LEN, &trailer, UET_CRC_LEN))
		return UET_DROP_CRC;
	if (ip_hdr(skb)->version == 4) {
		ipv6_addr_set_v4mapped(ip_hdr(skb)->saddr, &saddr);
		ipv6_addr_set_v4mapped(ip_hdr(skb)->daddr, &daddr);
	} else {
		saddr = ipv6_hdr(skb)->saddr;
		daddr = ipv6_hdr(skb)->daddr;
	}
	crc = uet_crc_addrs(&saddr, &daddr);
	crc = ~uet_crc_data(crc, skb, skb->len - UET_CRC_LEN);
	if (crc != be32_to_cpu(trailer))
		return UET_DROP_CRC;
	return pskb_trim(skb, skb->len - UET_CRC_LEN) ? UET_DROP_NOMEM :
							UET_DROP_NONE;
}
