// SPDX-License-Identifier: GPL-2.0
/*
 * Several packets that come in one buffer (GSO) become packets again.
 *
 * A buffer that is no run (input/run.c), or not all of which is new, has packets that
 * are handled one by one: those of short messages that left together (tx/pds/join.c), and
 * whatever virtual machines, packet sockets and devices put together. UDP would split
 * it, too, after it has looked for a socket, and each packet would pass all of UDP.
 *
 * The packets refer to the pages of the buffer, and have a copy of their headers. So
 * nothing is believed but lengths, and nothing is written.
 */
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/skbuff.h>
#include <linux/udp.h>
#include <net/ip.h>

#include "core/wire/hdr_run.h"
#include "input/input.h"

/* As many packets as the kernel lets a UDP socket send at once */
#define UET_SPLIT_MAX	128

/**
 * struct uet_split - a walk along a buffer
 * @skb: the buffer, data at the IP header
 * @off: length of the IP header
 * @frag: index of the fragment, -1 in the linear part
 * @at: offset there
 */
struct uet_split {
	struct sk_buff	*skb;
	u32		off;
	int		frag;
	u32		at;
};

/* Bytes that lie together from here on */
static u32 uet_split_piece(const struct uet_split *s)
{
	if (s->frag < 0)
		return skb_headlen(s->skb) - s->at;
	return skb_frag_size(&skb_shinfo(s->skb)->frags[s->frag]) - s->at;
}

static void uet_split_advance(struct uet_split *s, u32 n)
{
	s->at += n;
	while (!uet_split_piece(s) &&
	       s->frag + 1 < skb_shinfo(s->skb)->nr_frags) {
		s->frag++;
		s->at = 0;
	}
}

static void uet_split_copy(struct uet_split *s, struct sk_buff *to, u32 len)
{
	const skb_frag_t *frag;
	u32 n;

	for (; len; len -= n, uet_split_advance(s, n)) {
		n = min(len, uet_split_piece(s));
		if (s->frag < 0) {
			__skb_put_data(to, s->skb->data + s->at, n);
			continue;
		}
		frag = &skb_shinfo(s->skb)->frags[s->frag];
		__skb_put_data(to, (u8 *)skb_frag_address(frag) + s->at, n);
	}
}

static void uet_split_refer(struct uet_split *s, struct sk_buff *to, u32 len)
{
	const skb_frag_t *frag;
	int i = 0;
	u32 n;

	to->len += len;
	to->data_len += len;
	to->truesize += len;
	for (; len; len -= n, uet_split_advance(s, n)) {
		n = min(len, uet_split_piece(s));
		frag = &skb_shinfo(s->skb)->frags[s->frag];
		get_page(skb_frag_page(frag));
		skb_fill_page_desc(to, i++, skb_frag_page(frag),
				   skb_frag_off(frag) + s->at, n);
	}
}

/* The headers of the buffer, for a packet with @len bytes behind the UDP header */
static void uet_split_headers(const struct uet_split *s, struct sk_buff *to,
			      u32 len)
{
	u32 hdr = s->off + sizeof(struct udphdr);

	skb_copy_header(to, s->skb);
	skb_gso_reset(to);
	to->ip_summed = CHECKSUM_UNNECESSARY;
	skb_reset_mac_header(to);
	skb_reset_mac_len(to);
	skb_reset_network_header(to);
	skb_set_transport_header(to, s->off);
	__skb_put_data(to, s->skb->data, hdr);
	udp_hdr(to)->len = htons(sizeof(struct udphdr) + len);
	if (ip_hdr(to)->version == 4) {
		ip_hdr(to)->tot_len = htons(hdr + len);
		ip_send_check(ip_hdr(to));
	} else {
		ipv6_hdr(to)->payload_len = htons(hdr + len -
						  sizeof(struct ipv6hdr));
	}
}

/* The next packet, with @len bytes behind the UDP header; NULL without memory. What is
 * not in a page is copied.
 */
static struct sk_buff *uet_split_next(struct uet_split *s, u32 len)
{
	u32 hdr = s->off + sizeof(struct udphdr);
	u32 copy = min_t(u32, len, UET_HDR_RUN_LEN);
	struct sk_buff *skb;

	if (s->frag < 0)
		copy = max(copy, min(len, uet_split_piece(s)));
	skb = alloc_skb(NET_SKB_PAD + hdr + copy, GFP_ATOMIC | __GFP_NOWARN);
	if (unlikely(!skb))
		return NULL;
	skb_reserve(skb, NET_SKB_PAD);
	uet_split_headers(s, skb, len);
	uet_split_copy(s, skb, copy);
	uet_split_refer(s, skb, len - copy);
	return skb;
}

/* Split a buffer into a list. False without memory; then the list is empty. */
static bool uet_split_all(struct uet_split *s, u32 len, u32 size,
			  struct sk_buff_head *list)
{
	struct sk_buff *skb;
	u32 n;

	for (; len; len -= n) {
		n = min(len, size);
		skb = uet_split_next(s, n);
		if (unlikely(!skb)) {
			/* Nothing is lost: UDP gets the buffer. */
			while ((skb = __skb_dequeue(list)))
				consume_skb(skb);
			return false;
		}
		__skb_queue_tail(list, skb);
	}
	return true;
}

/* Can packets refer to all fragments of a buffer, and will they not be too many? */
static bool uet_split_can(struct sk_buff *skb, u32 len, u32 size)
{
	const struct skb_shared_info *si = skb_shinfo(skb);
	int i;

	if ((si->gso_type & ~SKB_GSO_DODGY) != SKB_GSO_UDP_L4 || !size || !len ||
	    len > UET_SPLIT_MAX * size || skb_has_frag_list(skb) || skb_zcopy(skb))
		return false;
	for (i = 0; i < si->nr_frags; i++)
		if (!skb_frag_page(&si->frags[i]))
			return false;
	return true;
}

/**
 * uet_input_split() - handle the packets of a buffer one by one
 * @un: namespace
 * @skb: the buffer, data at the IP header; consumed if it was split
 * @off: offset of the UDP header, which is in the linear part
 * @okfn: uet_rx_ctx.okfn
 *
 * Context: softirq, RCU read side.
 * Return: the number of packets that were handled here; 0 if nothing was done, for UDP
 * to split it; -1 if another CPU handles all of them.
 */
int uet_input_split(struct uet_net *un, struct sk_buff *skb, unsigned int off,
		    uet_okfn okfn)
{
	u32 hdr = off + sizeof(struct udphdr), len = skb->len - hdr;
	u32 size = skb_shinfo(skb)->gso_size;
	struct uet_split s = { .skb = skb, .off = off, .frag = -1 };
	struct sk_buff_head list;
	int n = 0;

	if (!uet_split_can(skb, len, size))
		return 0;
	__skb_queue_head_init(&list);
	uet_split_advance(&s, hdr);
	if (!uet_split_all(&s, len, size, &list))
		return 0;
	consume_skb(skb);
	while ((skb = __skb_dequeue(&list))) {
		__skb_pull(skb, off);
		if (!uet_input(un, skb, 0, okfn))
			n++;
	}
	return n ?: -1;
}
