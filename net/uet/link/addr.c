// SPDX-License-Identifier: GPL-2.0
/*
 * Checks of struct sockaddr_uet at bind(), connect() and sendmsg().
 */
#include <linux/if_addr.h>
#include <linux/inetdevice.h>
#include <linux/netdevice.h>
#include <net/addrconf.h>
#include <net/ipv6.h>
#include <net/l3mdev.h>
#include <net/route.h>

#include "link/addr.h"
#include "sock.h"

/**
 * uet_addr_any() - is it the wildcard address?
 * @addr: fabric address
 *
 * Return: true for all zero and for the v4-mapped 0.0.0.0.
 */
bool uet_addr_any(const struct in6_addr *addr)
{
	return ipv6_addr_any(addr) ||
	       (ipv6_addr_v4mapped(addr) && !addr->s6_addr32[3]);
}

/**
 * uet_addr_check() - check format and ranges of an address from user space
 * @ua: address, copied in
 * @len: its length as given by the caller
 *
 * Return: 0, -EINVAL or -EAFNOSUPPORT.
 */
int uet_addr_check(const struct sockaddr_uet *ua, int len)
{
	if (len < (int)sizeof(*ua))
		return -EINVAL;
	if (ua->suet_family != uet_family)
		return -EAFNOSUPPORT;
	if (ua->suet_flags & ~(UET_ADDR_ABSOLUTE | UET_ADDR_PID_ZERO) ||
	    (ua->suet_flags & UET_ADDR_PID_ZERO && ua->suet_pid) ||
	    ua->suet_reserved || ua->suet_job > UET_JOB_MAX || ua->suet_pid > UET_PID_MAX ||
	    ua->suet_ri > UET_RI_MAX)
		return -EINVAL;
	return 0;
}

/* A multicast or broadcast address, which no end of a message can have */
static bool uet_addr_group(const struct in6_addr *addr)
{
	if (ipv6_addr_v4mapped(addr))
		return ipv4_is_multicast(addr->s6_addr32[3]) ||
		       ipv4_is_lbcast(addr->s6_addr32[3]);
	return ipv6_addr_is_multicast(addr);
}

/* Does a link-local address belong to the interface or VRF that the socket is
 * bound to?
 */
static bool uet_addr_in_scope(const struct sock *sk, u32 scope)
{
	int dev = READ_ONCE(sk->sk_bound_dev_if);
	bool ret;

	if (!dev || !scope || dev == scope)
		return dev || scope;
	rcu_read_lock();
	ret = l3mdev_master_upper_ifindex_by_index_rcu(sock_net(sk), scope) == dev;
	rcu_read_unlock();
	return ret;
}

/**
 * uet_addr_check_dest() - may a socket send to an address?
 * @us: the socket, bound
 * @addr: checked by uet_addr_check()
 *
 * The job must be that of the sender's endpoint, since it is part of the return
 * address. IPv4 and IPv6 addresses do not mix.
 *
 * Return: 0, -EINVAL, -EACCES or -ENETUNREACH.
 */
int uet_addr_check_dest(const struct uet_sock *us,
			const struct sockaddr_uet *addr)
{
	const struct in6_addr *a = &addr->suet_addr;

	if (uet_addr_any(a) || uet_addr_group(a))
		return -EINVAL;
	if (!ipv6_addr_v4mapped(a) &&
	    ipv6_addr_type(a) & IPV6_ADDR_LINKLOCAL &&
	    !uet_addr_in_scope(&us->sk, addr->suet_scope_id))
		return -EINVAL;
	if (addr->suet_job != us->local.suet_job)
		return -EACCES;
	if (!uet_addr_any(&us->local.suet_addr) &&
	    ipv6_addr_v4mapped(&us->local.suet_addr) != ipv6_addr_v4mapped(a))
		return -ENETUNREACH;
	return 0;
}

static int uet_addr_check_local4(struct net *net, int oif, __be32 addr)
{
	u32 tb = l3mdev_fib_table_by_index(net, oif) ?: RT_TABLE_LOCAL;

	if (inet_addr_type_table(net, addr, tb) != RTN_LOCAL)
		return -EADDRNOTAVAIL;
	return 0;
}

static int uet_addr_check_local6(struct net *net, int oif,
				 const struct in6_addr *addr, u32 scope)
{
	struct net_device *dev = NULL;
	int err = 0;

	/* With ipv6.disable=1 there is no table of addresses to look in. */
	if (!ipv6_mod_enabled())
		return -EADDRNOTAVAIL;
	if (ipv6_addr_type(addr) & IPV6_ADDR_LINKLOCAL) {
		oif = scope ? scope : oif;
		if (!oif)
			return -EINVAL;
	}
	rcu_read_lock();
	if (oif) {
		dev = dev_get_by_index_rcu(net, oif);
		if (!dev)
			err = -ENODEV;
	}
	if (!err && !ipv6_chk_addr(net, addr, dev, 0))
		err = -EADDRNOTAVAIL;
	rcu_read_unlock();
	return err;
}

/**
 * uet_addr_check_local() - may a socket be bound to a fabric address?
 * @us: the socket
 * @addr: checked by uet_addr_check()
 *
 * Return: 0, -EADDRNOTAVAIL if the namespace (or the VRF of the bound device)
 * has no such address, -EINVAL for a link-local one without an interface,
 * -ENODEV.
 */
int uet_addr_check_local(const struct uet_sock *us,
			 const struct sockaddr_uet *addr)
{
	int oif = READ_ONCE(us->sk.sk_bound_dev_if);
	const struct in6_addr *a = &addr->suet_addr;
	struct net *net = sock_net(&us->sk);

	if (uet_addr_any(a))
		return 0;
	if (uet_addr_group(a))
		return -EADDRNOTAVAIL;
	if (ipv6_addr_v4mapped(a))
		return uet_addr_check_local4(net, oif, a->s6_addr32[3]);
	return uet_addr_check_local6(net, oif, a, addr->suet_scope_id);
}
