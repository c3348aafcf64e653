// SPDX-License-Identifier: GPL-2.0
/*
 * Netlink object "fep": local fabric addresses that are in use.
 */
#include <linux/inetdevice.h>
#include <linux/netdevice.h>
#include <linux/rcupdate.h>
#include <net/addrconf.h>
#include <net/genetlink.h>

#include "base.h"
#include "ctl/genl/genl.h"
#include "link/peer.h"

/**
 * struct uet_genl_fep - a FEP to tell
 * @fep: the FEP
 * @ifindex: interface that has its address, 0 if none has
 */
struct uet_genl_fep {
	const struct uet_fep	*fep;
	int			ifindex;
};

/* The interface that has an address; RCU */
static int uet_genl_fep_ifindex(struct net *net, const struct in6_addr *addr)
{
	struct net_device *dev;

	if (ipv6_addr_v4mapped(addr))
		dev = __ip_dev_find(net, addr->s6_addr32[3], false);
	else	/* With ipv6.disable=1 there is no table of addresses to look in. */
		dev = ipv6_mod_enabled() ? ipv6_dev_find(net, addr, NULL) : NULL;
	return dev ? dev->ifindex : 0;
}

static int uet_genl_fep_fill(struct sk_buff *skb, const void *what)
{
	const struct uet_genl_fep *f = what;
	const struct uet_fep *fep = f->fep;

	return nla_put_in6_addr(skb, UET_A_FEP_ADDR, &fep->addr) ||
	       nla_put_u32(skb, UET_A_FEP_PDCS, atomic_read(&fep->nr_pdcs)) ||
	       nla_put_u32(skb, UET_A_FEP_PEERS, READ_ONCE(fep->nr_peers)) ||
	       (f->ifindex && nla_put_u32(skb, UET_A_FEP_IFINDEX, f->ifindex)) ||
	       nla_put_u32(skb, UET_A_FEP_UDP_PORT,
			   READ_ONCE(fep->un->sysctl.udp_port));
}

static int uet_genl_fep_put(struct uet_genl_walk *w, const struct uet_fep *fep)
{
	struct uet_genl_fep f = { .fep = fep };

	if (!uet_genl_local_fits(&w->filter, &fep->addr))
		return 0;
	f.ifindex = uet_genl_fep_ifindex(w->un->net, &fep->addr);
	if (!uet_genl_fits(&w->filter, UET_WANTS(IFINDEX), w->filter.ifindex,
			   f.ifindex))
		return 0;
	return uet_genl_put(w, uet_genl_fep_fill, &f);
}

/* Cursor: 0 is the id of the FEP */
static int uet_genl_fep_walk(struct uet_genl_walk *w)
{
	unsigned long id = w->cursor[0];
	struct uet_fep *fep;
	int err = 0;

	rcu_read_lock();
	while (!err && (fep = uet_fep_from(w->un, &id))) {
		err = uet_genl_fep_put(w, fep);
		w->cursor[0] = err ? id : ++id;
		uet_genl_breathe(w);
	}
	rcu_read_unlock();
	return err;
}

static const struct uet_genl_object uet_genl_feps = {
	.cmd		= UET_CMD_FEP_GET,
	.filter		= UET_A_FEP_FILTER,
	.filters	= UET_WANTS(LOCAL) | UET_WANTS(IFINDEX),
	.walk		= uet_genl_fep_walk,
};

int uet_nl_fep_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	return uet_genl_get(skb, info, &uet_genl_feps);
}

int uet_nl_fep_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return uet_genl_dump(skb, cb, &uet_genl_feps);
}
