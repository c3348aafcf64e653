// SPDX-License-Identifier: GPL-2.0
/*
 * Runs: consecutive packets of a message that come in one buffer (GSO).
 *
 * A sender on this host, or one whose device has put its packets together again,
 * delivers them as one skb: one pair of IP and UDP headers, and UDP payloads of
 * gso_size bytes one after the other, each with its own headers. If they are what
 * core/wire/hdr_run.h calls a run, they are handled in one step and stored as they came.
 *
 * Everything else is split into packets (input/split.c), which is always right, so this
 * file takes only what is plain. It believes nothing that a buffer says of itself,
 * since those of virtual machines and packet sockets say anything: the number of
 * packets follows from the lengths, and each header is compared. The pages are only
 * read: taps may have them, too.
 */
#include <linux/skbuff.h>
#include <linux/udp.h>

#include "compat.h"
#include "core/wire/hdr_run.h"
#include "input/home.h"
#include "input/input.h"
#include "link/packet.h"
#include "mib.h"
#include "pdc/pdc.h"

/**
 * struct uet_run_walk - a walk along the headers of a buffer, behind the first one
 * @next: what the next header has to be
 * @off: where it is in the buffer
 * @stride: bytes from one header to the next
 * @left: headers to come
 * @last: the last one, once it was met
 */
struct uet_run_walk {
	struct uet_hdr_run	next;
	u32			off;
	u32			stride;
	u32			left;
	const u8		*last;
};

/* Compare the headers that begin in a piece of memory, which has the bytes of the buffer
 * from @start to @end. False if one is different, or is not in one piece.
 */
static bool uet_run_walk_piece(struct uet_run_walk *walk, const u8 *data,
			       u32 start, u32 end)
{
	u32 n, full;

	if (!walk->left || walk->off >= end)
		return true;
	if (walk->off < start)
		return false;
	n = min(walk->left, (end - 1 - walk->off) / walk->stride + 1);
	if (walk->off + (n - 1) * walk->stride + UET_HDR_RUN_LEN > end)
		return false;
	data += walk->off - start;
	full = n - (n == walk->left);
	if (uet_hdr_run_follow(&walk->next, data, walk->stride, full) != full)
		return false;
	walk->off += n * walk->stride;
	walk->left -= n;
	if (walk->left)
		return true;
	walk->last = data + full * walk->stride;
	return uet_hdr_run_ends(&walk->next, walk->last);
}

/* Compare the headers behind the first one, at @off, with what follows it. */
static bool uet_run_follows(const struct sk_buff *skb, u32 off,
			    struct uet_rx_run *run)
{
	const struct skb_shared_info *si = skb_shinfo(skb);
	struct uet_run_walk walk = {
		.off	= off + UET_HDR_RUN_LEN + run->seg,
		.stride	= UET_HDR_RUN_LEN + run->seg,
		.left	= run->n - 1,
	};
	u32 start = 0, end = skb_headlen(skb), i;

	uet_hdr_run_begin(&walk.next, skb->data + off, run->seg);
	if (!uet_run_walk_piece(&walk, skb->data, start, end))
		return false;
	for (i = 0; walk.left && i < si->nr_frags; i++) {
		const skb_frag_t *frag = &si->frags[i];
		struct page *page = skb_frag_page(frag);

		start = end;
		end += skb_frag_size(frag);
		if (!page ||
		    !uet_run_walk_piece(&walk, (u8 *)page_address(page) +
					skb_frag_off(frag), start, end))
			return false;
	}
	if (walk.left)
		return false;
	run->ar = uet_hdr_has_ar(walk.last);
	run->eom = uet_hdr_has_eom(walk.last);
	return uet_hdr_len(walk.last) == run->len - (run->n - 1) * run->seg;
}

/* Number and lengths of the packets, from the length of the buffer and gso_size */
static bool uet_run_lengths(u32 len, u32 size, struct uet_rx_run *run)
{
	if (size <= UET_HDR_RUN_LEN || len <= size ||
	    size - UET_HDR_RUN_LEN > UET_SES_LEN14)
		return false;
	run->n = DIV_ROUND_UP(len, size);
	run->seg = size - UET_HDR_RUN_LEN;
	run->len = len - run->n * UET_HDR_RUN_LEN;
	return run->n <= UET_RUN_MAX &&
	       len - (run->n - 1) * size > UET_HDR_RUN_LEN;
}

static bool uet_run_sends(u8 opcode)
{
	return opcode == UET_SES_OP_SEND || opcode == UET_SES_OP_TAGGED_SEND ||
	       opcode == UET_SES_OP_DEFERRABLE_SEND ||
	       opcode == UET_SES_OP_DEFERRABLE_TSEND;
}

/* May a packet be the first of a run? */
static bool uet_run_begins(const struct uet_pkt *pkt,
			   const struct uet_rx_run *run)
{
	const struct uet_ses_req *ses = &pkt->ses;

	return (pkt->type == UET_PDS_RUD_REQ || pkt->type == UET_PDS_ROD_REQ) &&
	       pkt->next_hdr == UET_NH_REQ_STD && !pkt->flags &&
	       !pkt->violation && pkt->hdr_len == UET_HDR_RUN_LEN &&
	       pkt->payload_len == run->seg &&
	       uet_run_sends(ses->opcode) &&
	       !(ses->flags & (UET_SES_F_IE | UET_SES_F_EOM)) &&
	       (u64)ses->message_offset + run->len <= ses->request_length;
}

/* Do the settings want to see each packet? */
static bool uet_run_excluded(struct uet_net *un, const struct in6_addr *saddr)
{
	return uet_form_protect(un, saddr) == UET_PROTECT_CRC ||
	       READ_ONCE(un->sysctl.ack_per_packet) || READ_ONCE(un->exiting);
}

/* Give a run to its PDC; false if nothing was done. If it was handed over to another
 * CPU, the buffer is gone.
 */
static bool uet_run_deliver(struct uet_rx_ctx *rx, const struct uet_rx_run *run,
			    unsigned int hdr)
{
	unsigned int off = hdr + UET_HDR_RUN_LEN;
	struct uet_pdc *pdc;
	u8 nack;

	pdc = uet_input_pdc(rx, &nack);
	if (!pdc || !uet_pdc_rx(pdc))
		return false;
	if (unlikely(uet_home_elsewhere(pdc, rx)))
		return true;
	__skb_pull(rx->skb, off);
	if (uet_pdc_request_run(pdc, rx, run))
		return true;
	__skb_push(rx->skb, off);
	return false;
}

/**
 * uet_input_run() - handle a buffer of several packets as one, if it is plain
 * @un: namespace
 * @skb: the buffer, data at the IP header; consumed if it was handled
 * @off: offset of the UDP header, which has the length of what follows it
 * @okfn: uet_rx_ctx.okfn
 *
 * Context: softirq, RCU read side.
 * Return: the number of packets; 0 if nothing was done, for uet_input_split(); -1 if
 * another CPU handles it.
 */
int uet_input_run(struct uet_net *un, struct sk_buff *skb, unsigned int off,
		  uet_okfn okfn)
{
	unsigned int type = skb_shinfo(skb)->gso_type & ~SKB_GSO_DODGY;
	unsigned int hdr = off + sizeof(struct udphdr);
	u32 size = skb_shinfo(skb)->gso_size;
	struct uet_rx_run run;
	struct uet_pkt pkt;
	struct uet_rx_ctx rx = {
		.un = un, .skb = skb, .pkt = &pkt, .arrived = skb->tstamp,
		.polled = uet_skb_polled(skb), .form = UET_FORM_HEARD,
		.okfn = okfn,
	};

	if (type != SKB_GSO_UDP_L4 || skb_has_frag_list(skb) ||
	    !uet_run_lengths(skb->len - hdr, size, &run) ||
	    !pskb_may_pull(skb, hdr + UET_HDR_RUN_LEN))
		return 0;
	uet_rx_begin(&rx, skb);
	if (uet_run_excluded(un, &rx.saddr) ||
	    uet_pkt_parse(&pkt, skb->data + hdr, UET_HDR_RUN_LEN, size) ||
	    !uet_run_begins(&pkt, &run) || !uet_run_follows(skb, hdr, &run))
		return 0;
	rx.ev = ntohs(udp_hdr(skb)->source);
	rx.pktsize = skb->len - hdr + run.n * sizeof(struct udphdr);
	if (!uet_run_deliver(&rx, &run, hdr))
		return 0;
	if (unlikely(rx.handed_over))
		return -1;
	UET_INC(un, RX_RUNS);
	UET_ADD(un, RX_RUN_REQS, run.n);
	UET_ADD(un, RX_PKTS, run.n);
	UET_ADD(un, RX_BYTES, rx.pktsize);
	if (rx.ce)
		UET_ADD(un, RX_CE, run.n);
	return run.n;
}
