/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Settings for peers by address prefix, which override those of the namespace.
 */
#ifndef _UET_PEER_RULES_H
#define _UET_PEER_RULES_H

#include <linux/in6.h>
#include <linux/list.h>
#include <linux/types.h>

#include "settings.h"

struct uet_net;
struct uet_peer;

/**
 * struct uet_peer_rule - settings of the peers with a prefix
 * @node: in uet_net.peer_rules
 * @addr: the prefix, IPv4 as v4-mapped
 * @plen: its length
 * @params: settings
 * @rcu: for freeing
 */
struct uet_peer_rule {
	struct list_head	node;
	struct in6_addr		addr;
	u8			plen;
	struct uet_peer_params	params;
	struct rcu_head		rcu;
};

int uet_peer_set_params(struct uet_net *un, const struct in6_addr *addr,
			u8 plen, const struct uet_peer_params *params);
bool uet_peer_rule_get(struct uet_net *un, const struct in6_addr *addr, u8 plen,
		       struct uet_peer_params *params);
bool uet_peer_rule_next(struct uet_net *un, const struct in6_addr *after,
			struct in6_addr *addr, u8 *plen,
			struct uet_peer_params *params);
bool uet_peer_get_params(struct uet_net *un, const struct in6_addr *addr,
			 struct uet_peer_params *params);

void uet_peer_rules_changed(struct uet_net *un);
bool uet_addr_trusted(struct uet_net *un, const struct in6_addr *addr);
bool uet_peer_trusted(struct uet_peer *peer);

void uet_peer_rules_init(struct uet_net *un);
void uet_peer_rules_exit(struct uet_net *un);

#endif /* _UET_PEER_RULES_H */
