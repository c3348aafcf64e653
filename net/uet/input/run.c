// SPDX-License-Identifier: GPL-2.0
/*
 * Runs: consecutive packets of a message that come in one buffer (GSO).
 *
 * A sender on this host, or one whose device has put its packets together again,
 * delivers them as one skb: one pair of IP and UDP headers, and UDP payloads of
 * gso_size bytes one after the other, each with its own headers. If they are what
 * core/hdr_run.h calls a run, they are handled in one step and stored as they came.
 *
 * Everything else is left to UDP, which splits the buffer into packets. That is
 * always right, so this file takes only what is plain. It believes nothing that a
 * buffer says of itself, since those of virtual machines and packet sockets say
 * anything: the number of packets follows from the lengths, and each header is
 * compared. The pages are only read: taps may have them, too.
 */
#include <linux/skbuff.h>
#include <linux/udp.h>

#include "compat.h"
#include "core/hdr_run.h"
#include "input/input.h"
#include "input/run.h"
#include "link/packet.h"
#include "mib.h"
#include "pdc/pdc.h"

/**
 * struct uet_run_walk - a walk along the headers of a buffer
 * @skb: the buffer
 * @frag: fragment that is next
 * @start: offset of that fragment in the buffer
 */
struct uet_run_walk {
	const struct sk_buff	*skb;
	unsigned int		frag;
	u32			start;
};

/* The headers at @off, at or behind those before; NULL if not in one piece */
static const u8 *uet_run_header(struct uet_run_walk *walk, u32 off)
{
	const struct skb_shared_info *si = skb_shinfo(walk->skb);

	if (off + UET_HDR_RUN_LEN <= skb_headlen(walk->skb))
		return walk->skb->data + off;
	for (; walk->frag < si->nr_frags; walk->frag++) {
		const skb_frag_t *frag = &si->frags[walk->frag];
		struct page *page = skb_frag_page(frag);
		u32 end = walk->start + skb_frag_size(frag);

		if (off >= end) {
			walk->start = end;
			continue;
		}
		if (!page || off < walk->start || off + UET_HDR_RUN_LEN > end)
			return NULL;
		return (u8 *)page_address(page) + skb_frag_off(frag) +
		       off - walk->start;
	}
	return NULL;
}

/* Compare the headers behind the first one, at @off, with what follows it. */
static bool uet_run_follows(const struct sk_buff *skb, u32 off,
			    struct uet_rx_run *run)
{
	struct uet_run_walk walk = { .skb = skb, .start = skb_headlen(skb) };
	struct uet_hdr_run next;
	const u8 *hdr = NULL;
	u32 i;

	uet_hdr_run_begin(&next, skb->data + off, run->seg);
	for (i = 1; i < run->n; i++) {
		off += UET_HDR_RUN_LEN + run->seg;
		hdr = uet_run_header(&walk, off);
		if (!hdr || !uet_hdr_run_follows(&next, hdr, i == run->n - 1))
			return false;
	}
	run->ar = uet_hdr_has_ar(hdr);
	run->eom = uet_hdr_has_eom(hdr);
	return uet_hdr_len(hdr) == run->len - (run->n - 1) * run->seg;
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

/* May a packet be the first of a run? */
static bool uet_run_begins(const struct uet_pkt *pkt,
			   const struct uet_rx_run *run)
{
	const struct uet_ses_req *ses = &pkt->ses;

	return (pkt->type == UET_PDS_RUD_REQ || pkt->type == UET_PDS_ROD_REQ) &&
	       pkt->next_hdr == UET_NH_REQ_STD && !pkt->flags &&
	       !pkt->violation && pkt->hdr_len == UET_HDR_RUN_LEN &&
	       pkt->payload_len == run->seg &&
	       (ses->opcode == UET_SES_OP_SEND ||
		ses->opcode == UET_SES_OP_TAGGED_SEND) &&
	       !(ses->flags & (UET_SES_F_IE | UET_SES_F_EOM)) &&
	       (u64)ses->message_offset + run->len <= ses->request_length;
}

/* Do the settings want to see each packet? */
static bool uet_run_excluded(const struct uet_net *un)
{
	return un->sysctl.data_protect || READ_ONCE(un->sysctl.ack_per_packet) ||
	       READ_ONCE(un->exiting);
}

/* Give a run to its PDC; false if nothing was done. */
static bool uet_run_deliver(struct uet_rx_ctx *rx, const struct uet_rx_run *run,
			    unsigned int off)
{
	struct uet_pdc *pdc;
	u8 nack;

	pdc = uet_input_pdc(rx, &nack);
	if (!pdc || !uet_pdc_rx(pdc))
		return false;
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
 *
 * Context: softirq, RCU read side.
 * Return: the number of packets; 0 if nothing was done, for UDP to split it.
 */
u32 uet_input_run(struct uet_net *un, struct sk_buff *skb, unsigned int off)
{
	unsigned int type = skb_shinfo(skb)->gso_type & ~SKB_GSO_DODGY;
	unsigned int hdr = off + sizeof(struct udphdr);
	u32 size = skb_shinfo(skb)->gso_size;
	struct uet_rx_run run;
	struct uet_pkt pkt;
	struct uet_rx_ctx rx = {
		.un = un, .skb = skb, .pkt = &pkt, .arrived = skb->tstamp,
		.polled = uet_skb_polled(skb),
	};

	if (type != SKB_GSO_UDP_L4 || skb_has_frag_list(skb) ||
	    uet_run_excluded(un) || !uet_run_lengths(skb->len - hdr, size, &run) ||
	    !pskb_may_pull(skb, hdr + UET_HDR_RUN_LEN))
		return 0;
	uet_rx_begin(&rx, skb);
	if (uet_pkt_parse(&pkt, skb->data + hdr, UET_HDR_RUN_LEN, size) ||
	    !uet_run_begins(&pkt, &run) || !uet_run_follows(skb, hdr, &run))
		return 0;
	rx.ev = ntohs(udp_hdr(skb)->source);
	rx.udp_len = skb->len - hdr + run.n * sizeof(struct udphdr);
	if (!uet_run_deliver(&rx, &run, hdr + UET_HDR_RUN_LEN))
		return 0;
	UET_INC(un, RX_RUNS);
	UET_ADD(un, RX_RUN_REQS, run.n);
	UET_ADD(un, RX_PKTS, run.n);
	UET_ADD(un, RX_BYTES, rx.udp_len);
	if (rx.ce)
		UET_ADD(un, RX_CE, run.n);
	return run.n;
}
