/* SPDX-License-Identifier: GPL-2.0 */
/*
 * FEPs and peers. A FEP is a local fabric address with its table of PDCs. A peer
 * is a pair of fabric addresses with what outlives a single PDC: route, path MTU,
 * base RTT, the flows (CCCs) shared by its PDCs.
 */
#ifndef _UET_PEER_H
#define _UET_PEER_H

#include <linux/hash.h>
#include <linux/in6.h>
#include <linux/list.h>
#include <linux/refcount.h>
#include <linux/rhashtable-types.h>
#include <linux/spinlock.h>
#include <linux/xarray.h>
#include <net/dst_cache.h>
#include <net/ipv6.h>

#include "base.h"
#include "link/form.h"
#include "link/habits.h"
#include "link/reader.h"

struct uet_ports;
struct uet_rudi;

/* Ordered CCCs of a peer that share what they see of their paths (tx/cms/path.c) */
#define UET_SIB_SLOTS	8
#define UET_SIB_SHIFT	10	/* ns to ticks */

#define UET_PDC_RECENT	16

/**
 * struct uet_fep - a local fabric address
 * @node: in uet_net.feps
 * @addr: the address, IPv4 as v4-mapped
 * @id: its place in uet_net.fep_ids, never reused
 * @un: namespace
 * @ref: its peers, and who walks its PDCs
 * @nr_peers: its peers; written under uet_net.fep_lock
 * @nr_pdcs: PDCs in @pdcs
 * @pdcs: PDCID -> struct uet_pdc; RCU readers, xa_lock writers
 * @recent: the newest PDCs, by the low bits of their PDCID: most packets are for
 *	one of them, and an xarray of random ids is deep
 * @next_pdcid: next PDCID of the round robin, which starts at a random point, so
 *	that a rebooted host seldom reuses its own old ones
 * @tx_free: estimated time when its interface has sent all it was given, ns
 * @rcu: for freeing
 */
struct uet_fep {
	struct rhash_head	node;
	struct in6_addr		addr;
	unsigned long		id;
	struct uet_net		*un;
	refcount_t		ref;
	u32			nr_peers;
	atomic_t		nr_pdcs;
	struct xarray		pdcs;
	struct uet_pdc __rcu	*recent[UET_PDC_RECENT];
	u32			next_pdcid;
	u64			tx_free;
	struct rcu_head		rcu;
};

/* CCCs of one peer that the 8 bits of ccc_id can name */
#define UET_CCC_IDS		256

/**
 * struct uet_peer_key - identity of a peer: addresses, and what a route depends on
 * @laddr: local fabric address
 * @raddr: remote fabric address
 * @scope: interface of link-local addresses, else bound device or 0
 * @mark: SO_MARK, 0 for PDCs that the peer opens
 * @uid: sending user, if routing rules may match it; else, and for PDCs that the
 *	peer opens, root of the namespace
 * @tclass: requested traffic class, DSCP + 1; 0 = that of data
 *
 * Compared and hashed as bytes.
 */
struct uet_peer_key {
	struct in6_addr		laddr;
	struct in6_addr		raddr;
	s32			scope;
	u32			mark;
	kuid_t			uid;
	u32			tclass;
};

/**
 * struct uet_peer - a pair of fabric addresses
 * @node: in uet_net.peers
 * @key: identity
 * @id: its place in uet_net.peer_ids, never reused
 * @fep: the local side, with a reference
 * @ref: PDCs and flows
 * @lock: protects @flows, the halves and the counts; BH-disabled; a leaf
 * @flows: struct uet_flow, shared by sending halves
 * @tx_halves: sending halves, to choose one for a new message
 * @return_pdcs: PDCs opened by the peer that may get a sending half
 * @nr_pdcs: PDCs opened by either end
 * @unconfirmed: its unconfirmed PDCs; uet_net.unconfirmed_lock
 * @confirmed: the peer's address is proved, or this host sends to it
 * @far: @base_rtt > the guess, confirmed by more than a probe
 * @ports_known: @ports were looked for
 * @next_ccc_id: where to look for a free one of @ccc_ids
 * @trust: uet_net.rules_gen << 1 at the last check | its jobs are believed
 * @form: how packets go to it
 * @flow_hash: hash of the key, for flow queueing; never 0
 * @out_hash: @flow_hash for packets by the current route, or 0 for none
 * @link_mbps: speed of the local interface, 0 = not known
 * @base_rtt: ns, cached for new flows; 0 = unknown
 * @habits: what is known of its implementation
 * @profile: what rules say of it (link/peer_profile.h): uet_net.rules_gen at the last look
 *	<< 32 | UET_PROFILE_*
 * @ev_index: next unused element of the peer's permutation, for the
 *	coordinated entropy of its single-path flows (UE 1.0 3.6.16.2)
 * @ev_key: key of that permutation
 * @sib: time and ECN mark of the last answer to each ordered CCC, for
 *	uet_path_siblings()
 * @ccc_ids: ccc_ids of local CCCs that use receiver credit
 * @reader: the socket that reads the data of its unordered PDCs
 * @credit_srcs: struct uet_credit_src, the peer's CCCs that use receiver credit;
 *	uet_net.credit_lock
 * @ports_genid: uet_ports_genid() when @ports were found
 * @ports_gen: counts changes of @ports; uet_net.open_mutex
 * @ports_queued: @ports_node is on the list
 * @ports_node: in uet_net.ports_todo
 * @ports: interfaces towards it, NULL if there is only one
 * @neigh_at: when its next hop was last known, jiffies
 * @addr_genid: uet_source_genid() at the last look at @key.laddr
 * @away: enum uet_source of @key.laddr
 * @away_since: since when @away is not 0, jiffies, valid while it is not
 * @looked_at: when a better local address was looked for last, jiffies
 * @stray: another local address would be chosen now (tx/pds/source.c)
 * @pmtu: path MTU learnt besides the route (link/pmtu.c), 0 = none
 * @pmtu_until: end of its validity, jiffies
 * @pmtu_genid: it is valid only for this uet_ports_genid()
 * @reset_at: when it was last reported that it forgot a PDC, jiffies
 * @rudi: packets sent to it as RUDI (tx/queue/rudi.c), NULL until there is one; freed with it
 * @dst: route cache, both families
 * @rx_dst: input route of its packets, with a reference; RCU
 * @rx_iif: interface of @rx_dst, 0 = @rx_dst must not be used
 * @rx_cookie: to check @rx_dst over IPv6
 * @rx_learnt: when @rx_dst was set, jiffies
 * @rcu: for freeing
 */
struct uet_peer {
	struct rhash_head	node;
	struct uet_peer_key	key;
	unsigned long		id;
	struct uet_fep		*fep;
	refcount_t		ref;
	spinlock_t		lock;	/* of flows, halves, counts */
	struct list_head	flows;
	struct list_head	tx_halves;
	struct list_head	return_pdcs;
	u32			nr_pdcs;
	struct uet_unconfirmed	unconfirmed;
	bool			confirmed;
	bool			far;
	bool			ports_known;
	u8			next_ccc_id;
	u32			trust;
	struct uet_form		form;
	u32			flow_hash;
	u32			out_hash;
	u32			link_mbps;
	u64			base_rtt;
	struct uet_habits	habits;
	atomic64_t		profile;
	atomic_t		ev_index;
	u32			ev_key;
	u32			sib[UET_SIB_SLOTS];
	DECLARE_BITMAP(ccc_ids, UET_CCC_IDS);
	struct list_head	credit_srcs;
	struct uet_reader	reader;
	int			ports_genid;
	u32			ports_gen;
	unsigned long		ports_queued;
	struct llist_node	ports_node;
	struct uet_ports __rcu	*ports;
	unsigned long		neigh_at;
	int			addr_genid;
	u8			away;
	bool			stray;
	unsigned long		away_since;
	unsigned long		looked_at;
	u32			pmtu;
	int			pmtu_genid;
	unsigned long		pmtu_until;
	unsigned long		reset_at;
	struct uet_rudi		*rudi;
	struct dst_cache	dst;
	struct dst_entry __rcu	*rx_dst;
	int			rx_iif;
	u32			rx_cookie;
	unsigned long		rx_learnt;
	struct rcu_head		rcu;
};

static inline bool uet_peer_is_v4(const struct uet_peer *peer)
{
	return ipv6_addr_v4mapped(&peer->key.raddr);
}

/* Slot of a peer in the table of the early demux (pdc/demux.c), by the last word of its
 * address
 */
static inline struct uet_peer __rcu **
uet_demux_slot_of(struct uet_net *un, __be32 word)
{
	return &un->rx_peers[hash_32((__force u32)word, UET_RX_PEERS_BITS)];
}

static inline struct uet_peer __rcu **
uet_demux_slot(struct uet_net *un, const struct in6_addr *raddr)
{
	return uet_demux_slot_of(un, raddr->s6_addr32[3]);
}

int uet_peer_tables_init(struct uet_net *un);
void uet_peer_tables_exit(struct uet_net *un);

struct uet_fep *uet_fep_lookup(struct uet_net *un, const struct in6_addr *addr);

/* Is @addr the v4-mapped address of @v4? */
static inline bool uet_addr_is_v4(const struct in6_addr *addr, __be32 v4)
{
	return addr->s6_addr32[3] == v4 && ipv6_addr_v4mapped(addr);
}

/**
 * uet_fep_hinted4() - is an IPv4 address that of the newest FEP?
 * @un: namespace
 * @addr: local address
 *
 * Context: RCU read side.
 * Return: true if so; else uet_fep_find() tells.
 */
static inline bool uet_fep_hinted4(struct uet_net *un, __be32 addr)
{
	const struct uet_fep *fep = rcu_dereference(un->fep_hint);

	return fep && uet_addr_is_v4(&fep->addr, addr);
}

/**
 * uet_fep_find() - find the FEP of a local address
 * @un: namespace
 * @addr: local fabric address
 *
 * Context: RCU read side; valid until its end.
 * Return: the FEP or NULL.
 */
static inline struct uet_fep *uet_fep_find(struct uet_net *un,
					   const struct in6_addr *addr)
{
	struct uet_fep *fep = rcu_dereference(un->fep_hint);

	if (likely(fep && ipv6_addr_equal(&fep->addr, addr)))
		return fep;
	return uet_fep_lookup(un, addr);
}

struct uet_fep *uet_fep_get(struct uet_net *un, const struct in6_addr *addr);
void uet_fep_put(struct uet_fep *fep);

struct uet_peer *uet_peer_get(struct uet_net *un,
			      const struct uet_peer_key *key, gfp_t gfp);
struct uet_peer *uet_peer_find(struct uet_net *un,
			       const struct uet_peer_key *key);
void uet_peer_put(struct uet_peer *peer);

/**
 * uet_peer_from() - the peer with an id, or the next one
 * @un: namespace
 * @id: the id, set to that of the peer
 *
 * Context: RCU read side; valid until its end.
 * Return: the peer, NULL after the last one.
 */
static inline struct uet_peer *uet_peer_from(struct uet_net *un,
					     unsigned long *id)
{
	return xa_find(&un->peer_ids, id, ULONG_MAX, XA_PRESENT);
}

#endif /* _UET_PEER_H */
