/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Settings for peers by address prefix, which override those of the namespace.
 */
#ifndef _UET_PEER_RULES_H
#define _UET_PEER_RULES_H

#include <linux/in6.h>
#include <linux/list.h>
#include <linux/types.h>

#include "base.h"
#include "settings.h"

struct uet_peer;

/**
 * struct uet_peer_rule - settings of the peers with a prefix
 * @node: in uet_net.peer_rules
 * @addr: the prefix, IPv4 as v4-mapped
 * @plen: its length
 * @params: settings
 * @profile: uet_profile_of() them
 * @rcu: for freeing
 */
struct uet_peer_rule {
	struct list_head	node;
	struct in6_addr		addr;
	u8			plen;
	struct uet_peer_params	params;
	u32			profile;
	struct rcu_head		rcu;
};

int uet_peer_set_params(struct uet_net *un, const struct in6_addr *addr,
			u8 plen, const struct uet_peer_params *params);
bool uet_peer_rule_get(struct uet_net *un, const struct in6_addr *addr, u8 plen,
		       struct uet_peer_params *params);
bool uet_peer_rule_next(struct uet_net *un, const struct in6_addr *after,
			struct in6_addr *addr, u8 *plen,
			struct uet_peer_params *params);
void uet_peer_settings(struct uet_net *un, const struct in6_addr *addr,
		       struct uet_sysctl *s);

void uet_peer_rules_changed(struct uet_net *un);
bool uet_addr_trusted(struct uet_net *un, const struct in6_addr *addr);
bool uet_peer_trusted(struct uet_peer *peer);
bool uet_addr_strict_ruled(struct uet_net *un, const struct in6_addr *addr);

/**
 * uet_addr_strict() - is an address sent no DSCP that a socket wants?
 * @un: namespace
 * @addr: the address
 *
 * Context: any.
 * Return: true if only those that the namespace has for data and control packets.
 */
static inline bool uet_addr_strict(struct uet_net *un,
				   const struct in6_addr *addr)
{
	return unlikely(READ_ONCE(un->nr_strict_rules)) &&
	       uet_addr_strict_ruled(un, addr);
}

void uet_peer_rules_init(struct uet_net *un);
void uet_peer_rules_exit(struct uet_net *un);

#endif /* _UET_PEER_RULES_H */
