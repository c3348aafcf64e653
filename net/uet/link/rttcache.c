// SPDX-License-Identifier: GPL-2.0
/*
 * Cache of base RTT and path MTU of peers that were freed.
 */
#include <linux/jhash.h>
#include <linux/jiffies.h>
#include <linux/slab.h>

#include "link/peer.h"
#include "link/rttcache.h"

#define UET_RTT_CACHE_SIZE	256
/* Routes change: older entries are ignored */
#define UET_RTT_CACHE_AGE	(600 * HZ)

struct uet_rtt_entry {
	struct uet_peer_key	key;
	u64			base_rtt;
	unsigned long		at;
	u32			pmtu;
	int			pmtu_genid;
	unsigned long		pmtu_until;
};

/**
 * struct uet_rtt_cache - base RTT and path MTU of freed peers
 * @e: one entry per hash of a key, the last one written
 */
struct uet_rtt_cache {
	struct uet_rtt_entry	e[UET_RTT_CACHE_SIZE];
};

static struct uet_rtt_entry *uet_rtt_place(struct uet_rtt_cache *cache,
					   const struct uet_peer_key *key)
{
	BUILD_BUG_ON(sizeof(*key) % sizeof(u32));
	return &cache->e[jhash2((const u32 *)key, sizeof(*key) / sizeof(u32),
				0) % UET_RTT_CACHE_SIZE];
}

/**
 * uet_rtt_keep() - store base RTT and path MTU of a peer that is freed
 * @peer: the peer
 *
 * Context: any.
 */
void uet_rtt_keep(const struct uet_peer *peer)
{
	struct uet_net *un = peer->fep->un;
	u64 base_rtt = READ_ONCE(peer->base_rtt);
	struct uet_rtt_entry *e;

	if ((!base_rtt && !peer->pmtu) || READ_ONCE(un->exiting))
		return;
	spin_lock_bh(&un->rtts_lock);
	if (!un->rtts)
		un->rtts = kzalloc(sizeof(*un->rtts),
				   GFP_ATOMIC | __GFP_NOWARN);
	if (un->rtts) {
		e = uet_rtt_place(un->rtts, &peer->key);
		e->key = peer->key;
		e->base_rtt = base_rtt;
		e->at = jiffies;
		e->pmtu = peer->pmtu;
		e->pmtu_genid = peer->pmtu_genid;
		e->pmtu_until = peer->pmtu_until;
	}
	spin_unlock_bh(&un->rtts_lock);
}

/**
 * uet_rtt_recall() - load cached base RTT and path MTU into a new peer
 * @un: namespace
 * @peer: the peer
 *
 * Context: any.
 */
void uet_rtt_recall(struct uet_net *un, struct uet_peer *peer)
{
	const struct uet_peer_key *key = &peer->key;
	const struct uet_rtt_entry *e;

	spin_lock_bh(&un->rtts_lock);
	if (un->rtts) {
		e = uet_rtt_place(un->rtts, key);
		if (!memcmp(&e->key, key, sizeof(*key)) &&
		    time_before(jiffies, e->at + UET_RTT_CACHE_AGE)) {
			peer->base_rtt = e->base_rtt;
			peer->pmtu = e->pmtu;
			peer->pmtu_genid = e->pmtu_genid;
			peer->pmtu_until = e->pmtu_until;
		}
	}
	spin_unlock_bh(&un->rtts_lock);
}

/**
 * uet_rtt_forget() - free the cache
 * @un: namespace
 */
void uet_rtt_forget(struct uet_net *un)
{
	kfree(un->rtts);
}
