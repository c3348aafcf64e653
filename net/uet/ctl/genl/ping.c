// SPDX-License-Identifier: GPL-2.0
/*
 * Netlink requests for probes of paths and endpoints, and their results, which go to
 * the socket that asked, by itself.
 *
 * Everybody may probe as data would go: with an entropy value at random, and the TTL
 * of the route. Who chooses these may send packets that look like those of others, so
 * that takes the right to open raw sockets. Asking as a member of a job takes the
 * right to enter it.
 */
#include <linux/capability.h>
#include <linux/icmp.h>
#include <linux/icmpv6.h>
#include <linux/netlink.h>
#include <linux/notifier.h>
#include <linux/rtnetlink.h>
#include <net/genetlink.h>
#include <net/ipv6.h>
#include <net/net_namespace.h>

#include "base.h"
#include "core/wire/nack.h"
#include "ctl/genl/genl.h"
#include "link/peer.h"
#include "ping/ping.h"

#define UET_PING_TIMEOUT_MS	1000

static int uet_genl_ping_denied(const struct sk_buff *skb,
				struct genl_info *info, int attr, int cap)
{
	struct user_namespace *ns = genl_info_net(info)->user_ns;

	if (netlink_ns_capable(skb, ns, cap) ||
	    netlink_ns_capable(skb, ns, CAP_NET_ADMIN))
		return 0;
	if (cap == CAP_NET_RAW)
		NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[attr],
				    "needs CAP_NET_RAW");
	else
		NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[attr],
				    "needs CAP_NET_ADMIN");
	return -EPERM;
}

static int uet_genl_ping_allowed(const struct sk_buff *skb,
				 struct genl_info *info,
				 const struct uet_ping_req *req)
{
	int err = 0;

	if (req->ev)
		err = uet_genl_ping_denied(skb, info, UET_A_PING_EV,
					   CAP_NET_RAW);
	if (!err && req->ttl)
		err = uet_genl_ping_denied(skb, info, UET_A_PING_TTL,
					   CAP_NET_RAW);
	if (!err && req->job)
		err = uet_genl_ping_denied(skb, info, UET_A_PING_JOB,
					   CAP_NET_ADMIN);
	return err;
}

static u32 uet_genl_ping_u32(struct genl_info *info, int attr, u32 other)
{
	return info->attrs[attr] ? nla_get_u32(info->attrs[attr]) : other;
}

static int uet_genl_ping_parse(struct genl_info *info, struct uet_ping_req *req)
{
	struct nlattr **attrs = info->attrs;

	if (GENL_REQ_ATTR_CHECK(info, UET_A_PING_REMOTE))
		return -EINVAL;
	req->raddr = nla_get_in6_addr(attrs[UET_A_PING_REMOTE]);
	req->scope = uet_genl_ping_u32(info, UET_A_PING_IFINDEX, 0);
	req->timeout = uet_genl_ping_u32(info, UET_A_PING_TIMEOUT,
					 UET_PING_TIMEOUT_MS);
	req->size = uet_genl_ping_u32(info, UET_A_PING_SIZE, 0);
	req->ev = uet_genl_ping_u32(info, UET_A_PING_EV, 0);
	req->ttl = uet_genl_ping_u32(info, UET_A_PING_TTL, 0);
	req->endpoint = attrs[UET_A_PING_PID];
	req->pid = uet_genl_ping_u32(info, UET_A_PING_PID, 0);
	req->ri = uet_genl_ping_u32(info, UET_A_PING_RI, 0);
	req->job = uet_genl_ping_u32(info, UET_A_PING_JOB, 0);
	if (req->endpoint && req->size) {
		NL_SET_ERR_MSG_ATTR(info->extack, attrs[UET_A_PING_SIZE],
				    "an endpoint is asked without payload");
		return -EINVAL;
	}
	if (!req->endpoint && (attrs[UET_A_PING_RI] || attrs[UET_A_PING_JOB])) {
		NL_SET_ERR_MSG(info->extack, "job and index go with a pid");
		return -EINVAL;
	}
	if (ipv6_addr_type(&req->raddr) & IPV6_ADDR_LINKLOCAL && !req->scope) {
		NL_SET_ERR_MSG(info->extack,
			       "a link-local address needs an interface");
		return -EINVAL;
	}
	return 0;
}

static void uet_genl_ping_error(struct genl_info *info, int err)
{
	struct netlink_ext_ack *extack = info->extack;

	switch (err) {
	case -EMSGSIZE:
		NL_SET_ERR_MSG_ATTR(extack, info->attrs[UET_A_PING_SIZE],
				    "packet longer than the MTU of the route");
		break;
	case -EINVAL:
		NL_SET_ERR_MSG_ATTR(extack, info->attrs[UET_A_PING_REMOTE],
				    "not the address of one host");
		break;
	case -EAGAIN:
		NL_SET_ERR_MSG(extack, "too many probes per second");
		break;
	case -ENOBUFS:
		NL_SET_ERR_MSG(extack, "too many probes under way");
		break;
	case -EPERM:
		NL_SET_ERR_MSG(extack, "a firewall of this host refuses it");
		break;
	}
}

struct uet_genl_ping {
	const struct uet_ping		*ping;
	const struct uet_ping_way	*way;
};

static int uet_genl_ping_way(struct sk_buff *skb, const void *what)
{
	const struct uet_genl_ping *p = what;
	const struct uet_peer *peer = p->ping->peer;

	return nla_put_in6_addr(skb, UET_A_PING_LOCAL, &peer->key.laddr) ||
	       nla_put_u32(skb, UET_A_PING_DEV, p->way->ifindex) ||
	       nla_put_u16(skb, UET_A_PING_UDP_PORT,
			   READ_ONCE(p->ping->un->sysctl.udp_port)) ||
	       nla_put_u32(skb, UET_A_PING_MTU, p->way->mtu) ||
	       nla_put_u32(skb, UET_A_PING_PAYLOAD_MTU, p->way->payload_mtu) ||
	       nla_put_u32(skb, UET_A_PING_LEN, p->way->len) ||
	       nla_put_u32(skb, UET_A_PING_EV, p->ping->ev) ||
	       (p->ping->ttl &&
		nla_put_u32(skb, UET_A_PING_TTL, p->ping->ttl));
}

/* UET_CMD_PING */
int uet_nl_ping_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct uet_net *un = uet_net(genl_info_net(info));
	struct uet_ping_req req = { 0 };
	struct uet_ping_way way = { 0 };
	struct uet_genl_ping p = { .way = &way };
	struct uet_ping *ping;
	int err;

	err = uet_genl_ping_parse(info, &req) ?:
	      uet_genl_ping_allowed(skb, info, &req);
	if (err)
		return err;
	ping = uet_ping_begin(un, &req, &way);
	if (IS_ERR(ping)) {
		uet_genl_ping_error(info, PTR_ERR(ping));
		return PTR_ERR(ping);
	}
	ping->portid = info->snd_portid;
	ping->seq = info->snd_seq;
	p.ping = ping;
	/* Before the result, which may come at once */
	err = uet_genl_reply(info, UET_CMD_PING, uet_genl_ping_way, &p);
	if (err) {
		uet_ping_free(ping);
		return err;
	}
	err = uet_ping_start(ping);
	uet_genl_ping_error(info, err);
	return err;
}

static enum uet_nl_ping_result uet_genl_ping_icmp(bool v4, u8 type, u8 code)
{
	if (v4 ? type == ICMP_TIME_EXCEEDED : type == ICMPV6_TIME_EXCEED)
		return UET_PING_RESULT_HOP;
	if (v4 ? type != ICMP_DEST_UNREACH : type != ICMPV6_DEST_UNREACH)
		return UET_PING_RESULT_UNREACHABLE;
	if (v4) {
		switch (code) {
		case ICMP_PORT_UNREACH:
		case ICMP_PROT_UNREACH:
			return UET_PING_RESULT_REFUSED;
		case ICMP_NET_ANO:
		case ICMP_HOST_ANO:
		case ICMP_PKT_FILTERED:
			return UET_PING_RESULT_FILTERED;
		}
	} else if (code == ICMPV6_PORT_UNREACH) {
		return UET_PING_RESULT_REFUSED;
	} else if (code == ICMPV6_ADM_PROHIBITED) {
		return UET_PING_RESULT_FILTERED;
	}
	return UET_PING_RESULT_UNREACHABLE;
}

/* A target without room answers the first packet of a PDC by such a NACK. */
static bool uet_genl_ping_busy(const struct uet_ping *ping)
{
	switch (ping->result.answer.nack) {
	case UET_NACK_NO_PDC_AVAIL:
	case UET_NACK_NO_CCC_AVAIL:
	case UET_NACK_NO_BITMAP:
	case UET_NACK_NO_PKT_BUFFER:
	case UET_NACK_NO_GTD_DEL_AVAIL:
	case UET_NACK_NO_SES_MSG_AVAIL:
	case UET_NACK_NO_RESOURCE:
		return true;
	default:
		return false;
	}
}

static enum uet_nl_ping_result uet_genl_ping_end(const struct uet_ping *ping)
{
	const struct uet_ping_result *res = &ping->result;

	switch (res->end) {
	case UET_PING_END_ANSWERED:
		return ping->ask.endpoint && uet_genl_ping_busy(ping) ?
		       UET_PING_RESULT_BUSY : UET_PING_RESULT_ANSWERED;
	case UET_PING_END_ICMP:
		return res->too_big ? UET_PING_RESULT_TOO_BIG :
		       uet_genl_ping_icmp(uet_peer_is_v4(ping->peer),
					  res->icmp_type, res->icmp_code);
	default:
		return UET_PING_RESULT_LOST;
	}
}

static int uet_genl_ping_answer(struct sk_buff *skb, const struct uet_ping *ping)
{
	const struct uet_ping_result *res = &ping->result;
	const struct uet_ping_answer *a = &res->answer;

	if (res->end != UET_PING_END_ANSWERED)
		return 0;
	if ((a->marked && nla_put_flag(skb, UET_A_PING_MARKED)) ||
	    (a->nack && nla_put_u32(skb, UET_A_PING_NACK, a->nack)))
		return -EMSGSIZE;
	if (!ping->ask.endpoint || a->nack)
		return 0;
	return nla_put_u32(skb, UET_A_PING_CODE, a->rc) ||
	       (a->rc == UET_RC_BAD_GENERATION &&
		nla_put_u32(skb, UET_A_PING_GENERATION, a->generation)) ||
	       (res->has_version &&
		nla_put_u32(skb, UET_A_PING_VERSION, res->version)) ||
	       (a->mpr &&
		nla_put_u32(skb, UET_A_PING_WINDOW, a->mpr * UET_MPR_UNIT_PSNS));
}

static int uet_genl_ping_fill(struct sk_buff *skb, const void *what)
{
	const struct uet_ping *ping = what;
	const struct uet_ping_result *res = &ping->result;
	bool icmp = res->end == UET_PING_END_ICMP;

	return nla_put_in6_addr(skb, UET_A_PING_REMOTE,
				&ping->peer->key.raddr) ||
	       nla_put_u32(skb, UET_A_PING_EV, ping->ev) ||
	       (ping->ttl && nla_put_u32(skb, UET_A_PING_TTL, ping->ttl)) ||
	       (ping->ask.endpoint &&
		nla_put_u32(skb, UET_A_PING_PID, ping->ask.pid)) ||
	       nla_put_u32(skb, UET_A_PING_RESULT, uet_genl_ping_end(ping)) ||
	       nla_put_u32(skb, UET_A_PING_SENT, ping->sent) ||
	       (!ipv6_addr_any(&res->from) &&
		nla_put_in6_addr(skb, UET_A_PING_FROM, &res->from)) ||
	       (res->rtt && nla_put_u64_64bit(skb, UET_A_PING_RTT, res->rtt,
					      UET_A_PING_PAD)) ||
	       (icmp && nla_put_u32(skb, UET_A_PING_ICMP, res->icmp_type << 8 |
							  res->icmp_code)) ||
	       (icmp && res->too_big &&
		nla_put_u32(skb, UET_A_PING_MTU, res->mtu)) ||
	       uet_genl_ping_answer(skb, ping);
}

/* A socket that does not read loses results, as of anything by netlink. */
static void uet_genl_ping_tell(const struct uet_ping *ping)
{
	struct uet_genl_walk w = {
		.portid	= ping->portid,
		.seq	= ping->seq,
		.cmd	= UET_CMD_PING_RESULT,
	};

	w.skb = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_KERNEL);
	if (!w.skb)
		return;
	if (WARN_ON_ONCE(uet_genl_put(&w, uet_genl_ping_fill, ping)))
		nlmsg_free(w.skb);
	else
		genlmsg_unicast(ping->un->net, w.skb, ping->portid);
}

static int uet_genl_ping_release(struct notifier_block *nb,
				 unsigned long event, void *data)
{
	const struct netlink_notify *n = data;

	if (event == NETLINK_URELEASE && n->protocol == NETLINK_GENERIC &&
	    n->portid)
		uet_pings_forget(uet_net(n->net), n->portid);
	return NOTIFY_DONE;
}

static struct notifier_block uet_genl_ping_nb = {
	.notifier_call = uet_genl_ping_release,
};

/**
 * uet_genl_ping_init() - tell results of probes from now on
 *
 * Return: 0 or a negative error.
 */
int uet_genl_ping_init(void)
{
	WRITE_ONCE(uet_ping_tell, uet_genl_ping_tell);
	return netlink_register_notifier(&uet_genl_ping_nb);
}

/**
 * uet_genl_ping_exit() - end the probes of all namespaces; nobody can ask for more
 */
void uet_genl_ping_exit(void)
{
	struct net *net;

	netlink_unregister_notifier(&uet_genl_ping_nb);
	down_read(&net_rwsem);
	for_each_net(net)
		uet_pings_stop(uet_net(net));
	up_read(&net_rwsem);
}
