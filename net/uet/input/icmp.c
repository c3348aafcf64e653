// SPDX-License-Identifier: GPL-2.0
/*
 * ICMP errors about packets of ours. Anybody can forge one, so it must quote
 * addresses, PDCID and PSN of an outstanding packet of a PDC. Even then it ends a
 * PDC only while that opens, as TCP does (see "Rules of this module" in
 * uet-rules.rst).
 *
 * Not here: the path MTU of a peer (link/pmtu.c).
 */
#include <linux/icmp.h>
#include <linux/icmpv6.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/ktime.h>
#include <linux/uet.h>
#include <net/ipv6.h>

#include "core/snd/snd_timer.h"
#include "core/wire/wire.h"
#include "input/input.h"
#include "link/encap.h"
#include "link/peer.h"
#include "link/pmtu.h"
#include "mib.h"
#include "pdc/pdc.h"
#include "ping/ping.h"
#include "rx/pds/half.h"
#include "tx/cms/flow.h"
#include "tx/pds/half.h"
#include "tx/queue/rudi.h"

/* Errors about datagrams count for so long after one was sent. */
#define UET_DATAGRAMS_RECENT	(10 * HZ)

static bool uet_icmp_quote(struct uet_quote *quote, const struct sk_buff *skb,
			   const struct uet_icmp *icmp)
{
	struct uet_pds_req_wire req;
	u8 type;

	/* Control packets have these fields in the same places. */
	if (skb_copy_bits(skb, icmp->outer_off + uet_form_outer(icmp->form), &req,
			  sizeof(req)))
		return false;
	type = FIELD_GET(UET_PROLOGUE_TYPE, ntohs(req.prologue));
	quote->datagram = type == UET_PDS_UUD_REQ;
	quote->rudi = type == UET_PDS_RUDI_REQ;
	quote->spdcid = ntohs(req.spdcid);
	quote->psn = ntohl(req.psn);
	if (skb->protocol == htons(ETH_P_IP)) {
		const struct iphdr *iph = (const struct iphdr *)skb->data;

		ipv6_addr_set_v4mapped(iph->saddr, &quote->laddr);
		ipv6_addr_set_v4mapped(iph->daddr, &quote->raddr);
		quote->len = ntohs(iph->tot_len);
	} else {
		const struct ipv6hdr *ip6h = (const struct ipv6hdr *)skb->data;

		quote->laddr = ip6h->saddr;
		quote->raddr = ip6h->daddr;
		quote->len = ntohs(ip6h->payload_len) + sizeof(*ip6h);
	}
	return true;
}

/* Does the error say that the host has no UET in this form? */
static bool uet_icmp_refused(const struct uet_icmp *icmp, bool v4)
{
	if (v4)
		return icmp->type == ICMP_DEST_UNREACH &&
		       (icmp->code == ICMP_PORT_UNREACH ||
			icmp->code == ICMP_PROT_UNREACH);
	if (icmp->form & UET_FORM_IP && icmp->type == ICMPV6_PARAMPROB)
		return icmp->code == ICMPV6_UNK_NEXTHDR;
	return icmp->type == ICMPV6_DEST_UNREACH &&
	       icmp->code == ICMPV6_PORT_UNREACH;
}

/* Source quench says nothing, and is ignored (RFC 6633) */
static bool uet_icmp_quench(const struct uet_icmp *icmp, bool v4)
{
	return v4 && icmp->type == ICMP_SOURCE_QUENCH;
}

/* Does the error say that somebody forbids the packet (RFC 1812 5.2.7.1, RFC 4443 3.1)? */
static bool uet_icmp_prohibited(const struct uet_icmp *icmp, bool v4)
{
	if (v4)
		return icmp->type == ICMP_DEST_UNREACH &&
		       (icmp->code == ICMP_NET_ANO || icmp->code == ICMP_HOST_ANO ||
			icmp->code == ICMP_PKT_FILTERED);
	return icmp->type == ICMPV6_DEST_UNREACH &&
	       (icmp->code == ICMPV6_ADM_PROHIBITED ||
		icmp->code == ICMPV6_POLICY_FAIL ||
		icmp->code == ICMPV6_REJECT_ROUTE);
}

/* Does the error say that a router has no route? */
static bool uet_icmp_no_route(const struct uet_icmp *icmp, bool v4)
{
	if (v4)
		return icmp->type == ICMP_DEST_UNREACH &&
		       (icmp->code == ICMP_NET_UNREACH ||
			icmp->code == ICMP_NET_UNKNOWN ||
			icmp->code == ICMP_NET_UNR_TOS);
	return icmp->type == ICMPV6_DEST_UNREACH && icmp->code == ICMPV6_NOROUTE;
}

/**
 * uet_icmp_errno() - what an error says about the peer
 * @icmp: the error
 * @v4: over IPv4
 * @hard: set to whether it is final, and not what routes may mend (RFC 1122 4.2.3.9)
 *
 * Return: errno.
 */
static int uet_icmp_errno(const struct uet_icmp *icmp, bool v4, bool *hard)
{
	bool refused = uet_icmp_refused(icmp, v4);
	int error = uet_icmp_no_route(icmp, v4) ? ENETUNREACH : EHOSTUNREACH;

	*hard = refused || uet_icmp_prohibited(icmp, v4);
	return refused ? ECONNREFUSED : error;
}

/*
 * A PDC that opens ends by an error that is final at once, by others when nothing is heard
 * for a while, here or at a timeout. One that the peer has answered survives, as a firewall
 * or a route may come and go: the error tells what to report if the peer stays silent.
 */
static void uet_pdc_unreachable(struct uet_pdc *pdc,
				const struct uet_icmp *icmp)
{
	struct uet_pdc_tx *tx = pdc->tx;
	u64 now = ktime_get_ns();
	u32 heard;
	bool hard;
	int error = uet_icmp_errno(icmp, uet_peer_is_v4(pdc->peer), &hard);

	if (tx->snd.state != UET_PDC_SYN) {
		uet_pdc_soft_err(tx, error, now);
		return;
	}
	heard = (u32)(tx->snd.heard >> UET_SOFT_SHIFT);
	if (!tx->unreached || (s32)(tx->soft_at - heard) < 0)
		uet_pdc_soft_err(tx, error, now);
	tx->unreached = true;
	tx->soft_err = (u8)error;
	tx->err_code = icmp->type << 8 | icmp->code;
	if (hard || uet_pdc_unreached(tx, now))
		uet_pdc_fail(pdc, error, UET_REPORT_ICMP, tx->err_code);
}

/*
 * Datagrams have no context that a forged error would have to know. So only the route is
 * told, as for any UDP socket, and only while the namespace sends some.
 */
static bool uet_icmp_datagram(const struct uet_net *un,
			      const struct uet_icmp *icmp)
{
	return icmp->too_big &&
	       time_before(jiffies, READ_ONCE(un->datagrams_at) +
				    UET_DATAGRAMS_RECENT);
}

/* About a RUDI_REQ. The route is told the path MTU, as for a datagram. */
static bool uet_icmp_rudi(struct uet_net *un, const struct uet_quote *quote,
			  const struct uet_icmp *icmp)
{
	bool v4 = ipv6_addr_v4mapped(&quote->raddr), hard;
	int error = uet_icmp_errno(icmp, v4, &hard);

	if (icmp->too_big || icmp->redirect || uet_icmp_quench(icmp, v4))
		error = 0;
	return uet_rudi_unreachable(un, quote->psn, &quote->laddr, &quote->raddr,
				    error, error && hard,
				    icmp->type << 8 | icmp->code);
}

/**
 * uet_input_icmp() - handle an ICMP error about a packet of ours
 * @un: namespace
 * @skb: data at the quoted IP header
 * @icmp: the error
 *
 * Context: softirq, RCU read side.
 * Return: true if it is a redirect, or about a datagram, and the stack may act on it.
 */
bool uet_input_icmp(struct uet_net *un, struct sk_buff *skb,
		    const struct uet_icmp *icmp)
{
	struct uet_quote quote;
	struct uet_flow *flow;
	bool redirect = false;
	struct uet_pdc *pdc;

	if (!uet_icmp_quote(&quote, skb, icmp))
		goto ignore;
	if (quote.datagram) {
		if (uet_icmp_datagram(un, icmp))
			return true;
		goto ignore;
	}
	if (quote.rudi) {
		if (!uet_icmp_rudi(un, &quote, icmp))
			goto ignore;
		UET_INC(un, ICMP);
		return icmp->too_big || icmp->redirect;
	}
	if (unlikely(uet_pings_wait(un)) &&
	    uet_ping_icmp(un, skb, &quote, icmp))
		return false;
	pdc = uet_pdc_by_id(un, &quote.laddr, quote.spdcid);
	if (!pdc || !uet_pdc_tx(pdc) ||
	    !ipv6_addr_equal(&pdc->peer->key.raddr, &quote.raddr))
		goto ignore;
	flow = pdc->tx->flow;
	spin_lock(&flow->lock);
	if (pdc->tx->snd.state == UET_PDC_DEAD ||
	    !uet_txwin_has(&pdc->tx->snd.win, quote.psn)) {
		UET_INC(un, ICMP_IGNORED);
	} else if (icmp->too_big) {
		/*
		 * Some kernels also believe it themselves over IPv6, for the
		 * route they find by address; others leave it to us.
		 */
		if (icmp->mtu < quote.len)
			uet_pmtu_told(pdc->peer, icmp->mtu);
	} else if (icmp->redirect) {
		/* The stack's lookup ignores mark and scope. */
		redirect = !pdc->peer->key.mark && !pdc->peer->key.scope;
	} else if (!uet_icmp_quench(icmp, uet_peer_is_v4(pdc->peer))) {
		uet_pdc_unreachable(pdc, icmp);
	}
	spin_unlock(&flow->lock);
	return redirect;

ignore:
	UET_INC(un, ICMP_IGNORED);
	return false;
}
