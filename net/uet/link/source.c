// SPDX-License-Identifier: GPL-2.0
/*
 * The local address of a peer. It may go, come back, move to another VRF, become
 * deprecated or turn out to be a duplicate, and routes and rules may want another one.
 *
 * The kernel counts changes of addresses and of routes. What sends compares these counts
 * (uet_source_away(), dst_cache) and looks only when they differ: so no notifier is needed,
 * and an address that is gone is noticed before the next packet leaves.
 *
 * Not here: what becomes of the PDCs of such an address (tx/pds/source.c).
 */
#include <linux/if_addr.h>
#include <linux/jiffies.h>
#include <net/addrconf.h>
#include <net/if_inet6.h>
#include <net/ip6_route.h>
#include <net/ipv6.h>
#include <net/l3mdev.h>
#include <net/route.h>

#include "link/encap.h"
#include "link/ports.h"
#include "link/source.h"

/* How often another address is looked for while the one of a peer is away */
#define UET_SOURCE_AGAIN	(HZ / 10)

static enum uet_source uet_source_state4(const struct uet_peer *peer)
{
	struct net *net = peer->fep->un->net;
	u32 tb = l3mdev_fib_table_by_index(net, peer->key.scope) ?:
		 RT_TABLE_LOCAL;

	return inet_addr_type_table(net, peer->key.laddr.s6_addr32[3], tb) ==
	       RTN_LOCAL ? UET_SOURCE_GOOD : UET_SOURCE_GONE;
}

#if IS_ENABLED(CONFIG_IPV6)
/* Does a route make it local, as for a whole prefix? */
static bool uet_source_routed6(const struct uet_peer *peer)
{
	struct flowi6 fl6 = {
		.flowi6_oif	= peer->key.scope,
		.daddr		= peer->key.laddr,
	};
	struct dst_entry *dst;
	bool local;

	dst = ip6_route_output(peer->fep->un->net, NULL, &fl6);
	local = !dst->error &&
		((struct rt6_info *)dst)->rt6i_flags & RTF_LOCAL;
	dst_release(dst);
	return local;
}

static enum uet_source uet_source_state6(const struct uet_peer *peer)
{
	const struct in6_addr *addr = &peer->key.laddr;
	struct net *net = peer->fep->un->net;
	enum uet_source state = UET_SOURCE_GONE;
	struct net_device *dev = NULL;

	rcu_read_lock();
	if (peer->key.scope)
		dev = dev_get_by_index_rcu(net, peer->key.scope);
	if (peer->key.scope && !dev)
		goto out;
	if (ipv6_chk_addr_and_flags(net, addr, dev, !dev, 0, IFA_F_TENTATIVE))
		state = UET_SOURCE_GOOD;
	else if (ipv6_chk_addr_and_flags(net, addr, dev, !dev, 0,
					 IFA_F_DADFAILED))
		state = UET_SOURCE_COMING;
	else if (!(ipv6_addr_type(addr) & IPV6_ADDR_LINKLOCAL) &&
		 uet_source_routed6(peer))
		state = UET_SOURCE_GOOD;
out:
	rcu_read_unlock();
	return state;
}

/* An address of a device that may be the source for @daddr once duplicate address
 * detection has ended: the one that is most alike. RCU.
 */
static bool uet_source_coming(const struct net_device *dev,
			      const struct in6_addr *daddr,
			      struct in6_addr *saddr)
{
	struct inet6_dev *idev = __in6_dev_get(dev);
	int scope = ipv6_addr_src_scope(daddr), best = -1, alike;
	const struct inet6_ifaddr *ifa;

	if (!idev)
		return false;
	read_lock_bh(&idev->lock);
	list_for_each_entry(ifa, &idev->addr_list, if_list) {
		if (!(ifa->flags & IFA_F_TENTATIVE) ||
		    ifa->flags & (IFA_F_DADFAILED | IFA_F_DEPRECATED) ||
		    ipv6_addr_src_scope(&ifa->addr) < scope)
			continue;
		alike = ipv6_addr_diff(&ifa->addr, daddr);
		if (alike <= best)
			continue;
		best = alike;
		*saddr = ifa->addr;
	}
	read_unlock_bh(&idev->lock);
	return best >= 0;
}

/* The kernel has no source for an IPv6 address, or one of too small a scope. */
static int uet_source_choose6(struct uet_net *un, struct uet_peer_key *key,
			      enum uet_source_choice *choice, int err)
{
	u8 form = uet_form_of_addr(un, &key->raddr);
	struct flowi6 fl6 = uet_route_flow6(un, key, form, key->scope);
	struct dst_entry *dst;

	fl6.saddr = in6addr_any;
	rcu_read_lock();
	dst = ip6_route_output(un->net, NULL, &fl6);
	if (dst->error)
		goto out;
	if (uet_source_coming(dst->dev, &key->raddr, &key->laddr)) {
		*choice = UET_CHOICE_COMING;
		err = 0;
	} else if (((struct rt6_info *)dst)->rt6i_flags & RTF_GATEWAY) {
		*choice = UET_CHOICE_NARROW;
	}
out:
	dst_release(dst);
	rcu_read_unlock();
	return err;
}
#else
static enum uet_source uet_source_state6(const struct uet_peer *peer)
{
	return UET_SOURCE_GONE;
}

static int uet_source_choose6(struct uet_net *un, struct uet_peer_key *key,
			      enum uet_source_choice *choice, int err)
{
	return err;
}
#endif

/* Note what was found, unless addresses have changed since: another processor may have
 * noted what it found then. @again is set if a better address is to be looked for.
 */
static bool uet_source_note(struct uet_peer *peer, int genid, enum uet_source state,
			    bool *again)
{
	bool same;

	spin_lock_bh(&peer->lock);
	same = genid == uet_source_genid(peer->fep->un, uet_peer_is_v4(peer));
	*again = same && (genid != peer->addr_genid ||
			  (state && time_after(jiffies, peer->looked_at +
							UET_SOURCE_AGAIN)));
	if (same) {
		if (state && !peer->away)
			WRITE_ONCE(peer->away_since, jiffies);
		/* Pairs with uet_flow_waits_source() */
		smp_store_release(&peer->away, state);
		WRITE_ONCE(peer->addr_genid, genid);
	}
	if (*again)
		peer->looked_at = jiffies;
	spin_unlock_bh(&peer->lock);
	return same;
}

/**
 * uet_source_look() - second part of uet_source_away()
 * @peer: the peer
 *
 * Has a work item look for a better address if addresses have changed, and now and then
 * while this one is away.
 *
 * Context: any.
 * Return: see uet_source_away().
 */
enum uet_source uet_source_look(struct uet_peer *peer)
{
	bool v4 = uet_peer_is_v4(peer), again;
	enum uet_source state;
	int genid;

	/* Once more only if an address has changed meanwhile, which takes rtnl. */
	do {
		genid = uet_source_genid(peer->fep->un, v4);
		state = v4 ? uet_source_state4(peer) : uet_source_state6(peer);
	} while (!uet_source_note(peer, genid, state, &again));
	if (again) {
		WRITE_ONCE(peer->ports_known, false);
		uet_ports_stale(peer);
	}
	return state;
}

/**
 * uet_source_narrow() - has the local address a smaller scope than the remote one?
 * @key: the peer
 *
 * Context: any.
 * Return: true for a link-local address with a global one.
 */
bool uet_source_narrow(const struct uet_peer_key *key)
{
	return !ipv6_addr_v4mapped(&key->raddr) &&
	       ipv6_addr_src_scope(&key->laddr) <
	       ipv6_addr_src_scope(&key->raddr);
}

/**
 * uet_source_choose() - choose the local address of a PDC
 * @un: namespace
 * @key: the peer; @laddr is unset, and is set here
 * @choice: set on success
 *
 * As uet_route_source(); but where that has no address, or one of too small a scope, and a
 * fitting one is under duplicate address detection, that is waited for.
 *
 * Context: process.
 * Return: 0, or the error of the route lookup.
 */
int uet_source_choose(struct uet_net *un, struct uet_peer_key *key,
		      enum uet_source_choice *choice)
{
	int err = uet_route_source(un, key);

	*choice = UET_CHOICE_GOOD;
	if (ipv6_addr_v4mapped(&key->raddr))
		return err;
	if (err ? err == -EADDRNOTAVAIL : uet_source_narrow(key))
		err = uet_source_choose6(un, key, choice, err);
	return err;
}
