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

#define FEP(_attr, _kind, _field)					\
	UET_GENL_ROW(FEP_##_attr, _kind, 0, struct uet_fep, _field)

static const struct uet_genl_row uet_genl_fep_rows[] = {
	FEP(ADDR,	ADDR,	addr),
	FEP(PDCS,	U32,	nr_pdcs.counter),
	FEP(PEERS,	U32,	nr_peers),
	{ UET_A_FEP_IFINDEX, UET_ROW_U32_IF, 1, sizeof(int) },
	UET_GENL_ROW(FEP_UDP_PORT, U32, 2, struct uet_net, sysctl.udp_port),
	{ }
};

static int uet_genl_fep_tell(struct uet_genl_walk *w, void *entry)
{
	const struct uet_fep *fep = entry;
	int ifindex;

	if (!uet_genl_local_fits(&w->filter, &fep->addr))
		return 0;
	ifindex = uet_genl_fep_ifindex(w->un->net, &fep->addr);
	if (!uet_genl_fits(&w->filter, UET_A_FILTER_IFINDEX, ifindex))
		return 0;
	return uet_genl_tell(w, uet_genl_fep_rows, fep, &ifindex, w->un);
}

static const struct uet_genl_object uet_genl_feps = {
	.cmd		= UET_CMD_FEP_GET,
	.filter		= UET_A_FEP_FILTER,
	.filters	= UET_WANTS(LOCAL) | UET_WANTS(IFINDEX),
	.ids		= offsetof(struct uet_net, fep_ids),
	.tell		= uet_genl_fep_tell,
};

UET_GENL_READ(fep)
