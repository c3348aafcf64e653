// SPDX-License-Identifier: GPL-2.0
/*
 * Which next hop packets to a peer take, by entropy value, as far as the route of this
 * host tells.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/rtnetlink.h>
#include <string.h>

#include "explain.h"
#include "field.h"
#include "nl.h"

/* What a question was answered */
struct answer {
	const struct route_ask *ask;
	struct fact_hop *hop;
	bool made_up;
};

static void take_route(const struct attrs *a, void *arg)
{
	struct answer *answer = arg;
	struct fact_hop *hop = answer->hop;
	const struct nlattr *via = a->at[RTA_GATEWAY];

	/* IPv4 takes what has no route for on-link where the interface is given: that is
	 * of no table.
	 */
	answer->made_up = attr_has(a, RTA_TABLE) && !attr_num(a, RTA_TABLE);
	if (answer->made_up || !if_indextoname(attr_num(a, RTA_OIF), hop->dev))
		return;
	if (via)
		inet_ntop(mnl_attr_get_payload_len(via) == 4 ? AF_INET : AF_INET6,
			  mnl_attr_get_payload(via), hop->via, sizeof(hop->via));
	else
		addr_text(&answer->ask->peer, hop->via, sizeof(hop->via));
}

static void put_addr(struct nlmsghdr *req, uint16_t attr,
		     const struct in6_addr *addr)
{
	if (IN6_IS_ADDR_UNSPECIFIED(addr))
		return;
	if (IN6_IS_ADDR_V4MAPPED(addr))
		mnl_attr_put(req, attr, 4, &addr->s6_addr[12]);
	else
		mnl_attr_put(req, attr, 16, addr);
}

/**
 * route_ask() - ask where a packet to a peer leaves this host
 * @nl: socket to rtnetlink
 * @ask: the peer
 * @ev: entropy value; with 0 none is given
 * @hop: set to the next hop; without a device if it is not known
 *
 * The ports of UDP are what a route with several next hops hashes, if
 * fib_multipath_hash_policy says so.
 *
 * Return: 0 or a negative error: that of the route, if there is none.
 */
int route_ask(struct nl *nl, const struct route_ask *ask, const struct entropy *ev,
	      struct fact_hop *hop)
{
	struct nlmsghdr *req = mnl_nlmsg_put_header(nl->buf);
	struct answer answer = { ask, hop, false };
	struct rtmsg *rtm;
	bool v4 = IN6_IS_ADDR_V4MAPPED(&ask->peer);
	int err;

	req->nlmsg_type = RTM_GETROUTE;
	req->nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
	rtm = mnl_nlmsg_put_extra_header(req, sizeof(*rtm));
	rtm->rtm_family = v4 ? AF_INET : AF_INET6;
	rtm->rtm_dst_len = v4 ? 32 : 128;
	rtm->rtm_flags = RTM_F_LOOKUP_TABLE;
	put_addr(req, RTA_DST, &ask->peer);
	put_addr(req, RTA_SRC, &ask->own);
	if (!IN6_IS_ADDR_UNSPECIFIED(&ask->own))
		rtm->rtm_src_len = rtm->rtm_dst_len;
	if (ev->dev)
		mnl_attr_put_u32(req, RTA_OIF, ev->dev);
	if (ev->ev) {
		mnl_attr_put_u8(req, RTA_IP_PROTO, IPPROTO_UDP);
		mnl_attr_put_u16(req, RTA_SPORT, htons(ev->ev));
		mnl_attr_put_u16(req, RTA_DPORT, htons(ask->udp_port));
	}
	memset(hop, 0, sizeof(*hop));
	err = nl_talk_route(nl, req, take_route, &answer, sizeof(*rtm));
	return !err && answer.made_up ? -ENETUNREACH : err;
}
