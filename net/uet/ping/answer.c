// SPDX-License-Identifier: GPL-2.0
/*
 * What comes back to probes: answers of the peer, and ICMP errors.
 *
 * Both name PDCID and PSN of the probe, which are random, and come from, or quote, the
 * address that was asked: who has not seen the probe cannot forge one.
 */
#include <linux/icmp.h>
#include <linux/icmpv6.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/ktime.h>
#include <net/ip.h>
#include <net/ipv6.h>

#include "link/encap.h"
#include "link/packet.h"
#include "link/peer.h"
#include "mib.h"
#include "ping/ping.h"

/* When a packet arrived, on the clock of the time when the probe was sent */
static u64 uet_ping_arrived(const struct uet_rx_ctx *rx)
{
	s64 ago = 0;

	if (rx->arrived)
		ago = ktime_to_ns(ktime_sub(ktime_get_real(), rx->arrived));
	/* The real-time clock may have been set meanwhile. */
	if (ago < 0 || ago > NSEC_PER_SEC)
		ago = 0;
	return ktime_get_ns() - ago;
}

static void uet_ping_time(struct uet_ping *ping, u64 arrived)
{
	/* Which copy is answered is not known. */
	if (ping->sent == 1 && arrived > ping->sent_at)
		ping->result.rtt = arrived - ping->sent_at;
}

static void uet_ping_note(struct uet_ping *ping, const struct uet_rx_ctx *rx)
{
	struct uet_ping_result *res = &ping->result;

	res->end = UET_PING_END_ANSWERED;
	res->from = rx->saddr;
	/* Parsed, so it is linear */
	res->has_version = uet_pkt_is_ack(rx->pkt) &&
			   uet_pkt_has_ses_rsp(rx->pkt);
	if (res->has_version)
		res->version = rx->skb->data[rx->pkt->pds_len + 1] >> 6;
	uet_ping_time(ping, uet_ping_arrived(rx));
}

/**
 * uet_ping_answered() - take an answer to a probe
 * @rx: a packet that names no PDC of this host
 *
 * Context: softirq, no lock held.
 * Return: true if it is one.
 */
bool uet_ping_answered(const struct uet_rx_ctx *rx)
{
	struct uet_pings *pings = rx->un->pings;
	enum uet_ping_verdict verdict = UET_PING_FOREIGN;
	struct uet_ping_answer answer;
	struct uet_ping *ping;

	spin_lock(&pings->lock);
	ping = uet_ping_find(pings, &rx->daddr, rx->pkt->dpdcid);
	if (ping && uet_from_peer(ping->peer, rx))
		verdict = uet_ping_judge(&ping->ask, rx->pkt, &answer);
	if (verdict == UET_PING_ANSWERED) {
		ping->result.answer = answer;
		uet_ping_note(ping, rx);
	}
	if (verdict != UET_PING_FOREIGN)
		uet_ping_done(pings, ping);
	spin_unlock(&pings->lock);
	if (verdict == UET_PING_FOREIGN)
		return false;
	UET_INC(rx->un, PINGS_ANSWERED);
	return true;
}

/* Who sent an ICMP error; skb->data is behind its ICMP header. */
static void uet_icmp_from(const struct sk_buff *skb, struct in6_addr *from)
{
	const struct ipv6hdr *ip6h;
	const struct iphdr *iph;

	*from = in6addr_any;
	if (skb->protocol == htons(ETH_P_IP)) {
		iph = (const void *)(skb->data - sizeof(struct icmphdr) -
				     IPCB(skb)->opt.optlen - sizeof(*iph));
		if ((u8 *)iph >= skb->head && iph->version == 4)
			ipv6_addr_set_v4mapped(iph->saddr, from);
		return;
	}
	/* Behind extension headers it is not looked for. */
	ip6h = (const void *)(skb->data - sizeof(struct icmp6hdr) -
			      sizeof(*ip6h));
	if ((u8 *)ip6h >= skb->head && ip6h->version == 6 &&
	    ip6h->nexthdr == IPPROTO_ICMPV6)
		*from = ip6h->saddr;
}

/**
 * uet_ping_icmp() - take an ICMP error about a probe
 * @un: namespace
 * @skb: data at the quoted IP header
 * @quote: the quoted packet
 * @icmp: the error
 *
 * Context: softirq, no lock held.
 * Return: true if it quotes a probe; the stack has nothing to do then.
 */
bool uet_ping_icmp(struct uet_net *un, const struct sk_buff *skb,
		   const struct uet_quote *quote, const struct uet_icmp *icmp)
{
	struct uet_pings *pings = un->pings;
	struct uet_ping *ping;
	bool ours;

	spin_lock(&pings->lock);
	ping = uet_ping_find(pings, &quote->laddr, quote->spdcid);
	ours = ping && ping->ask.psn == quote->psn &&
	       ipv6_addr_equal(&ping->peer->key.raddr, &quote->raddr);
	/* A redirect is no result: the hop has forwarded the probe. */
	if (ours && ping->state == UET_PING_WAITS && !icmp->redirect) {
		ping->result = (struct uet_ping_result){
			.end		= UET_PING_END_ICMP,
			.icmp_type	= icmp->type,
			.icmp_code	= icmp->code,
			.too_big	= icmp->too_big,
			.mtu		= icmp->mtu,
		};
		uet_icmp_from(skb, &ping->result.from);
		uet_ping_time(ping, ktime_get_ns());
		uet_ping_done(pings, ping);
	}
	spin_unlock(&pings->lock);
	return ours;
}
