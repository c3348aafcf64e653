// SPDX-License-Identifier: GPL-2.0
/*
 * The way of a probe out: what may be asked, what it takes, its packet.
 *
 * Users may have so many probes under way (account.c), and so many per second, that
 * nobody can use this host as a source of floods, and all of them leave some to the
 * administrator. What comes back is never longer than what was sent.
 */
#include <linux/cred.h>
#include <linux/hash.h>
#include <linux/ip.h>
#include <linux/ktime.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <net/fib_rules.h>
#include <net/inet_ecn.h>
#include <net/ip_fib.h>
#include <net/ip6_fib.h>
#include <net/ipv6.h>
#include <net/route.h>

#include "core/lb/lb.h"
#include "link/encap.h"
#include "link/peer.h"
#include "link/pmtu.h"
#include "link/ports.h"
#include "mib.h"
#include "pdc/pdc.h"
#include "ping/ping.h"

/* A user may send a probe each so often, in the long run, ... */
#define UET_PING_PACE_NS	(500 * NSEC_PER_USEC)
/* ... so many at once ... */
#define UET_PING_BURST		512
/* ... and one of an endpoint takes the place of so many: the peer keeps its PDC for
 * a second.
 */
#define UET_PING_ENDPOINT_COST	20

/* Random entropy values are from the space of data. */
#define UET_PING_EV_SPREAD	(U16_MAX - UET_LB_UDP_LOW + 1)

static bool uet_ping_paced(struct uet_net *un, const struct uet_account *acc,
			   kuid_t uid, u32 cost)
{
	s64 old, next, now = ktime_get_ns();
	atomic64_t *pace;

	if (acc->exempt)
		return true;
	/* Users of one slot share its pace. */
	pace = un->owner ? &un->owner->pace :
	       &un->pings->paces[hash_32(__kuid_val(uid), UET_PING_PACES_BITS)];
	old = atomic64_read(pace);
	do {
		next = max(old, now) + cost * UET_PING_PACE_NS;
		if (next - now > UET_PING_BURST * UET_PING_PACE_NS)
			return false;
	} while (!atomic64_try_cmpxchg(pace, &old, next));
	return true;
}

static struct uet_ping *uet_ping_alloc(struct uet_net *un,
				       const struct uet_ping_req *req)
{
	struct uet_pings *pings = un->pings;
	kuid_t uid = current_fsuid();
	struct uet_account *acc = uet_account_user(un, uid);
	struct uet_ping *ping = NULL;
	u32 max = UET_PINGS_MAX;
	int err = -ENOMEM;

	if (!acc)
		return ERR_PTR(-ENOMEM);
	if (!acc->exempt)
		max -= UET_PINGS_RESERVE;
	if (!uet_account_ping(acc)) {
		err = -ENOBUFS;
		goto err_account;
	}
	if (!uet_ping_paced(un, acc, uid,
			    req->endpoint ? UET_PING_ENDPOINT_COST : 1)) {
		err = -EAGAIN;
		goto err_charge;
	}
	ping = kzalloc(sizeof(*ping), GFP_KERNEL_ACCOUNT);
	if (!ping)
		goto err_charge;
	spin_lock_bh(&pings->lock);
	err = pings->stopped ? -ENETDOWN :
	      pings->nr >= max ? -ENOBUFS : 0;
	if (!err)
		WRITE_ONCE(pings->nr, pings->nr + 1);
	spin_unlock_bh(&pings->lock);
	if (err)
		goto err_charge;
	ping->un = un;
	ping->account = acc;
	return ping;

err_charge:
	uet_account_ping_gone(acc);
	kfree(ping);
err_account:
	uet_account_put(acc);
	return ERR_PTR(err);
}

static void uet_ping_free_bare(struct uet_ping *ping)
{
	struct uet_pings *pings = ping->un->pings;

	uet_account_ping_gone(ping->account);
	uet_account_put(ping->account);
	kfree(ping);
	spin_lock_bh(&pings->lock);
	WRITE_ONCE(pings->nr, pings->nr - 1);
	spin_unlock_bh(&pings->lock);
}

/**
 * uet_ping_free() - free a probe
 * @ping: the probe, in no list
 *
 * Context: process.
 */
void uet_ping_free(struct uet_ping *ping)
{
	struct uet_net *un = ping->un;

	if (ping->ask.spdcid)
		uet_pdc_id_release(ping->peer->fep, ping->ask.spdcid);
	uet_peer_put(ping->peer);
	uet_ping_free_bare(ping);
	uet_encap_put(un);
}

/* A group would answer with many packets. */
static bool uet_ping_group(const struct in6_addr *addr)
{
	if (!ipv6_addr_v4mapped(addr))
		return ipv6_addr_any(addr) || ipv6_addr_is_multicast(addr);
	return ipv4_is_zeronet(addr->s6_addr32[3]) ||
	       ipv4_is_multicast(addr->s6_addr32[3]) ||
	       ipv4_is_lbcast(addr->s6_addr32[3]);
}

static bool uet_ping_route_group(const struct uet_peer *peer,
				 const struct dst_entry *dst)
{
	return uet_peer_is_v4(peer) &&
	       container_of(dst, struct rtable, dst)->rt_flags & (RTCF_BROADCAST | RTCF_MULTICAST);
}

/* The peer, as messages to it would have it; without other routing rules than the
 * usual ones all users share one.
 */
static struct uet_peer *uet_ping_peer(struct uet_net *un,
				      const struct uet_ping_req *req)
{
	struct uet_peer_key key = {
		.raddr	= req->raddr,
		.scope	= req->scope,
		.uid	= un->root,
	};
	struct uet_peer *peer;
	int err;

	lockdep_assert_held(&un->open_mutex);
	if (unlikely(fib4_has_custom_rules(un->net) ||
		     fib6_has_custom_rules(un->net)))
		key.uid = current_fsuid();
	err = uet_route_source(un, &key);
	if (err)
		return ERR_PTR(err);
	peer = uet_peer_get(un, &key, GFP_KERNEL_ACCOUNT);
	/* Flows of a peer are told of its ports by others. */
	if (!IS_ERR(peer) && list_empty(&peer->flows))
		uet_ports_update(peer);
	return peer;
}

static u32 uet_ping_headers(const struct uet_peer *peer)
{
	return (uet_peer_is_v4(peer) ? sizeof(struct iphdr) :
				       sizeof(struct ipv6hdr)) +
	       uet_form_len(uet_form_of_peer(peer)) + UET_PING_HDR_LEN;
}

/* How it will be sent: an error if it cannot be */
static int uet_ping_look(const struct uet_ping *ping, struct uet_ping_way *way)
{
	struct uet_peer *peer = ping->peer;
	struct dst_entry *dst;
	int err = 0;

	way->len = uet_ping_headers(peer) + ping->ask.size;
	local_bh_disable();
	dst = uet_peer_dst(peer);
	if (IS_ERR(dst)) {
		local_bh_enable();
		return PTR_ERR(dst);
	}
	way->ifindex = dst->dev->ifindex;
	/* What was learnt of the path beside the route is to be put to the test. */
	if (way->len > dst_mtu(dst))
		err = -EMSGSIZE;
	if (uet_ping_route_group(peer, dst))
		err = -EINVAL;
	way->mtu = uet_pmtu_limit(peer, uet_ports_mtu(peer) ?: dst_mtu(dst));
	dst_release(dst);
	local_bh_enable();
	way->payload_mtu = uet_pmtu_payload(peer, way->mtu);
	return err;
}

static int uet_ping_fill(struct uet_ping *ping, const struct uet_ping_req *req)
{
	struct uet_ping_ask *ask = &ping->ask;

	ask->psn = get_random_u32();
	ask->job = req->job;
	ask->pid = req->pid;
	ask->ri = req->ri;
	ask->size = req->size;
	ask->endpoint = req->endpoint;
	ping->ttl = req->ttl;
	ping->ev = req->ev ?: UET_LB_UDP_LOW +
			      get_random_u32() % UET_PING_EV_SPREAD;
	ping->until = req->timeout * NSEC_PER_MSEC;
	return uet_pdc_id_reserve(ping->peer->fep, &ask->spdcid);
}

/**
 * uet_ping_begin() - make a probe
 * @un: namespace
 * @req: what is asked for, by a user with the right to
 * @way: filled in
 *
 * uet_ping_start() or uet_ping_free() must follow.
 *
 * Context: process, of the user who asks.
 * Return: the probe, or an ERR_PTR: -EINVAL for a group, -EMSGSIZE above the MTU of
 * the route, -EAGAIN if the user sends too many, -ENOBUFS if too many are under way,
 * or that of the route, the tunnel sockets, or memory.
 */
struct uet_ping *uet_ping_begin(struct uet_net *un,
				const struct uet_ping_req *req,
				struct uet_ping_way *way)
{
	struct uet_ping *ping;
	struct uet_peer *peer;
	int err;

	if (uet_ping_group(&req->raddr))
		return ERR_PTR(-EINVAL);
	ping = uet_ping_alloc(un, req);
	if (IS_ERR(ping))
		return ping;
	mutex_lock(&un->open_mutex);
	err = uet_encap_get_locked(un);
	if (!err) {
		peer = uet_ping_peer(un, req);
		if (IS_ERR(peer)) {
			err = PTR_ERR(peer);
			uet_encap_put(un);
		}
	}
	mutex_unlock(&un->open_mutex);
	if (err) {
		uet_ping_free_bare(ping);
		return ERR_PTR(err);
	}
	ping->peer = peer;
	err = uet_ping_fill(ping, req) ?: uet_ping_look(ping, way);
	if (err) {
		uet_ping_free(ping);
		return ERR_PTR(err);
	}
	return ping;
}

/* The packet of a probe, or the one that closes its PDC */
static struct sk_buff *uet_ping_build_skb(struct uet_net *un,
					  const struct uet_ping_ask *ask,
					  u16 ev, bool again)
{
	struct uet_txmeta *meta;
	struct sk_buff *skb;

	skb = alloc_skb(UET_HEADROOM + UET_PING_HDR_LEN + ask->size +
			UET_CRC_LEN, GFP_KERNEL | __GFP_NOWARN);
	if (!skb) {
		UET_INC(un, TX_NOMEM);
		return NULL;
	}
	skb_reserve(skb, UET_HEADROOM);
	meta = UET_TXMETA(skb);
	meta->ev = ev;
	meta->df = true;
	if (ask->remote) {
		skb_put(skb, uet_ping_build_close(skb->data, ask, again));
		skb->priority = UET_CONTROL_PRIO;
		meta->dsfield = READ_ONCE(un->sysctl.dscp_control) << 2;
	} else {
		skb_put(skb, uet_ping_build(skb->data, ask, again));
		skb_put_zero(skb, ask->size);
		/* As data, which it stands for */
		meta->dsfield = uet_data_dscp(un) << 2 | INET_ECN_ECT_0;
	}
	return skb;
}

static int uet_ping_output(struct uet_output *out, struct sk_buff *skb, u8 ttl)
{
	int err;

	if (ttl)
		out->ttl = ttl;
	UET_INC(out->un, PINGS);
	err = uet_output(out, skb);
	return err == NET_XMIT_DROP ? -ENOBUFS : min(err, 0);
}

/**
 * uet_ping_send() - send a probe, or the close of its PDC
 * @peer: where to
 * @ask: the probe
 * @ev: entropy value
 * @ttl: TTL, 0 = that of the route
 * @again: it was sent before
 *
 * Context: process, no lock held.
 * Return: 0 or a negative error.
 */
int uet_ping_send(struct uet_peer *peer, const struct uet_ping_ask *ask,
		  u16 ev, u8 ttl, bool again)
{
	struct sk_buff *skb = uet_ping_build_skb(peer->fep->un, ask, ev, again);
	struct uet_output out;
	int err;

	if (!skb)
		return -ENOMEM;
	local_bh_disable();
	err = uet_output_begin(&out, peer);
	if (err) {
		uet_drop_tx(peer, skb, UET_DROP_TX_ROUTE);
	} else {
		err = uet_ping_output(&out, skb, ttl);
		uet_output_end(&out);
	}
	local_bh_enable();
	return err;
}

/* Send a new probe; *entered is set if it can be answered. */
static int uet_ping_first(struct uet_ping *ping, struct sk_buff *skb,
			  bool *entered)
{
	struct uet_peer *peer = ping->peer;
	u8 ttl = ping->ttl;
	struct uet_output out;
	int err;

	*entered = false;
	local_bh_disable();
	err = uet_output_begin(&out, peer);
	if (err) {
		uet_drop_tx(peer, skb, UET_DROP_TX_ROUTE);
		goto enable;
	}
	ping->sent_at = ktime_get_ns();
	ping->until += ping->sent_at;
	err = uet_ping_enter(ping);
	if (err) {
		consume_skb(skb);
	} else {
		*entered = true;
		err = uet_ping_output(&out, skb, ttl);
	}
	uet_output_end(&out);
enable:
	local_bh_enable();
	return err;
}

/**
 * uet_ping_start() - send a new probe
 * @ping: of uet_ping_begin(), with who asked; from now on it ends by itself
 *
 * Context: process.
 * Return: 0, or a negative error if it could not be sent and nothing will be told.
 */
int uet_ping_start(struct uet_ping *ping)
{
	struct uet_peer *peer = ping->peer;
	u16 spdcid = ping->ask.spdcid;
	struct sk_buff *skb;
	bool entered;
	int err;

	skb = uet_ping_build_skb(ping->un, &ping->ask, ping->ev, false);
	if (!skb) {
		uet_ping_free(ping);
		return -ENOMEM;
	}
	/* It may end, and be freed, as soon as it is entered. */
	refcount_inc(&peer->ref);
	err = uet_ping_first(ping, skb, &entered);
	if (err && (!entered || uet_ping_withdraw(peer, spdcid, ping)))
		uet_ping_free(ping);
	else
		err = 0;
	uet_peer_put(peer);
	return err;
}
