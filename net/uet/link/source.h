/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The local address of a peer: may it be used, and which one would be chosen now?
 */
#ifndef _UET_SOURCE_H
#define _UET_SOURCE_H

#include <linux/atomic.h>
#include <linux/compiler.h>

#include "base.h"
#include "link/peer.h"

/**
 * enum uet_source - state of the local address of a peer
 * @UET_SOURCE_GOOD: this host has it
 * @UET_SOURCE_COMING: duplicate address detection (RFC 4862) has not ended
 * @UET_SOURCE_GONE: this host does not have it, or it is a duplicate
 */
enum uet_source {
	UET_SOURCE_GOOD,
	UET_SOURCE_COMING,
	UET_SOURCE_GONE,
};

/**
 * enum uet_source_choice - the address that uet_source_choose() found
 * @UET_CHOICE_GOOD: may be used at once
 * @UET_CHOICE_COMING: after duplicate address detection
 * @UET_CHOICE_NARROW: may be used, but no answer comes back through a router
 */
enum uet_source_choice {
	UET_CHOICE_GOOD,
	UET_CHOICE_COMING,
	UET_CHOICE_NARROW,
};

enum uet_source uet_source_look(struct uet_peer *peer);
bool uet_source_narrow(const struct uet_peer_key *key);
int uet_source_choose(struct uet_net *un, struct uet_peer_key *key,
		      enum uet_source_choice *choice);

/**
 * uet_source_genid() - count of changes of the addresses of a namespace
 * @un: namespace
 * @v4: of IPv4, else IPv6
 *
 * The kernel counts each address that comes, goes, ends its duplicate address detection
 * or is deprecated.
 *
 * Context: any.
 * Return: the count.
 */
static inline int uet_source_genid(const struct uet_net *un, bool v4)
{
#if IS_ENABLED(CONFIG_IPV6)
	if (!v4)
		return atomic_read(&un->net->ipv6.dev_addr_genid);
#endif
	return atomic_read(&un->net->ipv4.dev_addr_genid);
}

/**
 * uet_source_away() - is the local address of a peer not to be used now?
 * @peer: the peer
 *
 * Context: BH disabled.
 * Return: its state, 0 if it may be used.
 */
static inline enum uet_source uet_source_away(struct uet_peer *peer)
{
	if (likely(READ_ONCE(peer->addr_genid) ==
		   uet_source_genid(peer->fep->un, uet_peer_is_v4(peer)) &&
		   !READ_ONCE(peer->away)))
		return UET_SOURCE_GOOD;
	return uet_source_look(peer);
}

#endif /* _UET_SOURCE_H */
