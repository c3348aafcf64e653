// SPDX-License-Identifier: GPL-2.0
/*
 * PDCs opened by peers (UE 1.0 3.5.8): the lookup table for SYN packets, and
 * the limits for source addresses that may be spoofed.
 *
 * UE 1.0 opens a PDC with the first packet, without a handshake, so spoofed SYN
 * packets could exhaust the PDCs. A PDC is therefore unconfirmed until a packet
 * carries its local PDCID: that ID is random, and only a host that receives at
 * the source address learns it. Unconfirmed PDCs have two limits. Per namespace,
 * strangers and confirmed peers have a share each, so spoofed addresses do not
 * lock out confirmed peers. Per peer, spoofing a confirmed peer's address leaves
 * that peer most of its limit. When a share is used up, the PDC that was silent
 * for longest is evicted. And strangers leave a part of each limit, and of the PDCIDs
 * of an address, to confirmed peers, who leave a part to users here (core/share.h).
 *
 * Not here: the life of a receiving half (rx/pds/half.c).
 */
#include <linux/jhash.h>
#include <linux/ktime.h>
#include <linux/rhashtable.h>

#include "core/cc/params.h"
#include "link/peer.h"
#include "link/ports.h"
#include "mib.h"
#include "pdc/pdc.h"
#include "rx/pds/half.h"

/* Unconfirmed PDCs <= limit / share: of the namespace's limit, for strangers and
 * for confirmed peers each; of the peer's limit
 */
#define UET_UNCONFIRMED_SHARE		4
#define UET_UNCONFIRMED_PEER_SHARE	2
/* Minimum age for eviction: the SYN of a younger PDC may be retransmitted, and
 * its message would be delivered twice. An honest peer has answered by then.
 */
#define UET_UNCONFIRMED_MIN_NS		NSEC_PER_SEC

static void uet_syn_key_of(struct uet_syn_key *key, const struct uet_pdc *pdc)
{
	*key = (struct uet_syn_key){
		.raddr	= pdc->peer->key.raddr,
		.laddr	= pdc->peer->key.laddr,
		.spdcid	= pdc->remote_id,
		.scope	= pdc->peer->key.scope,
	};
}

static u32 uet_syn_hash(const void *key, u32 len, u32 seed)
{
	BUILD_BUG_ON(sizeof(struct uet_syn_key) % sizeof(u32));
	return jhash2(key, sizeof(struct uet_syn_key) / sizeof(u32), seed);
}

static u32 uet_syn_obj_hash(const void *obj, u32 len, u32 seed)
{
	const struct uet_pdc_rx *r = obj;
	struct uet_syn_key key;

	uet_syn_key_of(&key, r->pdc);
	return uet_syn_hash(&key, len, seed);
}

static int uet_syn_obj_cmp(struct rhashtable_compare_arg *arg, const void *obj)
{
	const struct uet_pdc_rx *r = obj;
	struct uet_syn_key key;

	uet_syn_key_of(&key, r->pdc);
	return memcmp(arg->key, &key, sizeof(key));
}

/* The peer of a PDC in the table outlives it there, and what is freed of both waits for
 * a grace period.
 */
static const struct rhashtable_params uet_syn_params = {
	.key_len	= sizeof(struct uet_syn_key),
	.head_offset	= offsetof(struct uet_pdc_rx, syn_node),
	.hashfn		= uet_syn_hash,
	.obj_hashfn	= uet_syn_obj_hash,
	.obj_cmpfn	= uet_syn_obj_cmp,
	.automatic_shrinking = true,
};

int uet_pdc_accept_init(struct uet_net *un)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(un->unconfirmed); i++)
		INIT_LIST_HEAD(&un->unconfirmed[i].pdcs);
	spin_lock_init(&un->unconfirmed_lock);
	return rhashtable_init(&un->syn_pdcs, &uet_syn_params);
}

void uet_pdc_accept_exit(struct uet_net *un)
{
	rhashtable_destroy(&un->syn_pdcs);
}

/**
 * uet_pdc_by_syn() - find the PDC that a SYN packet belongs to
 * @un: namespace
 * @key: addresses and spdcid
 *
 * Context: RCU read side.
 * Return: the PDC, maybe in TIME_WAIT, or NULL.
 */
struct uet_pdc *uet_pdc_by_syn(struct uet_net *un,
			       const struct uet_syn_key *key)
{
	struct uet_pdc_rx *r = rhashtable_lookup(&un->syn_pdcs, key,
						 uet_syn_params);

	return r ? r->pdc : NULL;
}

/* Evict the head of a list of unconfirmed PDCs if it is old enough, and one of @laddr,
 * unless that is NULL.
 */
static bool uet_unconfirmed_evict(struct uet_net *un,
				  struct uet_unconfirmed *set, bool of_peer,
				  const struct in6_addr *laddr)
{
	struct list_head *first;
	struct uet_pdc *old;
	bool evict = false;
	u64 heard;

	spin_lock_bh(&un->unconfirmed_lock);
	if (!list_empty(&set->pdcs)) {
		first = set->pdcs.next;
		old = of_peer ? list_entry(first, struct uet_pdc_rx,
					   unconfirmed_peer)->pdc :
				list_entry(first, struct uet_pdc,
					   unconfirmed_node);
		/* Read it before the clock: the difference must be >= 0. */
		heard = READ_ONCE(old->rx->heard);
		if (ktime_get_ns() - heard >= UET_UNCONFIRMED_MIN_NS &&
		    (!laddr || ipv6_addr_equal(laddr, &old->peer->key.laddr)))
			evict = refcount_inc_not_zero(&old->ref);
	}
	spin_unlock_bh(&un->unconfirmed_lock);
	if (!evict)
		return false;
	spin_lock_bh(&old->rx->lock);
	/* If it was confirmed meanwhile, it has left the list: room as well. */
	if (!old->rx->confirmed)
		uet_pdc_rx_kill(old, ECONNRESET);
	spin_unlock_bh(&old->rx->lock);
	uet_pdc_put(old);
	return true;
}

static bool uet_unconfirmed_room(struct uet_net *un,
				 struct uet_unconfirmed *set, u32 limit,
				 bool of_peer)
{
	return READ_ONCE(set->count) < max(limit, 1U) ||
	       uet_unconfirmed_evict(un, set, of_peer, NULL);
}

/* May this peer open another PDC? @peer is NULL for a stranger. */
static bool uet_pdc_unconfirmed_room(struct uet_net *un, struct uet_peer *peer)
{
	bool known = peer && READ_ONCE(peer->confirmed);
	u32 max = min_t(u32, READ_ONCE(un->sysctl.pdc_max), UET_PDCIDS);

	if (!uet_unconfirmed_room(un, &un->unconfirmed[known],
				  max / UET_UNCONFIRMED_SHARE, false))
		return false;
	max = READ_ONCE(un->sysctl.pdc_max_per_peer);
	return !peer || uet_unconfirmed_room(un, &peer->unconfirmed,
					     max / UET_UNCONFIRMED_PEER_SHARE,
					     true);
}

static void uet_unconfirmed_join(struct uet_pdc *pdc)
{
	struct uet_peer *peer = pdc->peer;
	struct uet_net *un = pdc->un;
	struct uet_unconfirmed *set;

	pdc->rx->known = READ_ONCE(peer->confirmed);
	set = &un->unconfirmed[pdc->rx->known];
	spin_lock_bh(&un->unconfirmed_lock);
	list_add_tail(&pdc->unconfirmed_node, &set->pdcs);
	WRITE_ONCE(set->count, set->count + 1);
	set = &peer->unconfirmed;
	list_add_tail(&pdc->rx->unconfirmed_peer, &set->pdcs);
	WRITE_ONCE(set->count, set->count + 1);
	spin_unlock_bh(&un->unconfirmed_lock);
}

/**
 * uet_pdc_leave_unconfirmed() - a PDC was confirmed or dies
 * @pdc: the PDC
 *
 * Context: BH disabled, rx.lock held.
 */
void uet_pdc_leave_unconfirmed(struct uet_pdc *pdc)
{
	struct uet_peer *peer = pdc->peer;
	struct uet_net *un = pdc->un;
	struct uet_unconfirmed *set;

	lockdep_assert_held(&pdc->rx->lock);
	if (pdc->rx->confirmed)
		return;
	pdc->rx->confirmed = true;
	set = &un->unconfirmed[pdc->rx->known];
	spin_lock_bh(&un->unconfirmed_lock);
	list_del_init(&pdc->unconfirmed_node);
	WRITE_ONCE(set->count, set->count - 1);
	set = &peer->unconfirmed;
	list_del(&pdc->rx->unconfirmed_peer);
	WRITE_ONCE(set->count, set->count - 1);
	spin_unlock_bh(&un->unconfirmed_lock);
	/* Where the node was */
	pdc->rx->clear_req_at = 0;
	pdc->rx->alive_at = 0;
}

/**
 * uet_pdc_leave_syn() - take a PDC out of the table for SYN packets
 * @pdc: the PDC
 *
 * Context: BH disabled, rx.lock held.
 */
void uet_pdc_leave_syn(struct uet_pdc *pdc)
{
	lockdep_assert_held(&pdc->rx->lock);
	if (pdc->rx->in_syn_table)
		rhashtable_remove_fast(&pdc->un->syn_pdcs, &pdc->rx->syn_node,
				       uet_syn_params);
	pdc->rx->in_syn_table = false;
}

/* Set up a PDC from its first packet. */
static int uet_pdc_begin(struct uet_pdc *pdc, const struct uet_rx_ctx *rx)
{
	pdc->remote_id = rx->pkt->spdcid;
	pdc->start_psn = uet_syn_start_psn(rx->pkt);
	pdc->tclass = rx->dscp;
	if (uet_pkt_has_ses_req(rx->pkt))
		pdc->job = rx->pkt->ses.job;
	pdc->rx = uet_pdc_rx_alloc(pdc);
	return pdc->rx ? 0 : -ENOMEM;
}

/* Publish the PDC, with its lock held: others find it before it is complete. */
static int uet_pdc_enter(struct uet_pdc *pdc)
{
	struct uet_syn_key key;
	int err;

	uet_syn_key_of(&key, pdc);
	spin_lock(&pdc->rx->lock);
	uet_pdc_publish(pdc);
	pdc->rx->in_syn_table = true;
	err = rhashtable_lookup_insert_key(&pdc->un->syn_pdcs, &key,
					   &pdc->rx->syn_node, uet_syn_params);
	if (!err) {
		uet_unconfirmed_join(pdc);
		spin_unlock(&pdc->rx->lock);
		return 0;
	}
	uet_pdc_unpublish(pdc);
	pdc->rx->state = UET_PDC_DEAD;
	pdc->rx->in_syn_table = false;
	spin_unlock(&pdc->rx->lock);
	uet_pdc_put(pdc);
	return err;
}

/* A stranger leaves where that helps: not for a peer that has all it may have, nor where
 * others than strangers have more than this one may take from them.
 */
static bool uet_pdc_make_room(struct uet_net *un, const struct uet_peer_key *key,
			      const struct uet_peer *peer, enum uet_limit limit)
{
	struct uet_unconfirmed *strangers = &un->unconfirmed[0];

	if (uet_share_refuses_peer(un, key, peer,
				   READ_ONCE(strangers->count)) != UET_LIMITS)
		return false;
	return uet_unconfirmed_evict(un, strangers, false,
				     limit == UET_LIMIT_PDCIDS ? &key->laddr : NULL) &&
	       uet_share_refuses_peer(un, key, peer, 0) == UET_LIMITS;
}

/* May a packet open a PDC? Checked before the peer is allocated: a rejected
 * packet must not cost memory.
 */
static bool uet_pdc_acceptable(struct uet_net *un,
			       const struct uet_peer_key *key)
{
	struct uet_peer *peer = uet_peer_find(un, key);
	enum uet_limit limit;

	limit = uet_share_refuses_peer(un, key, peer, 0);
	if (unlikely(limit != UET_LIMITS)) {
		uet_event_limit(un, limit);
		uet_pdc_shed(un);
		if (!uet_pdc_make_room(un, key, peer, limit))
			return false;
	}
	return uet_pdc_unconfirmed_room(un, peer);
}

/**
 * uet_pdc_accept() - make a PDC for a SYN packet
 * @rx: the packet
 *
 * Context: softirq, RCU read side.
 * Return: the PDC (owned by the tables); ERR_PTR(-EBADMSG) if the packet lacks the
 * trailer of its source; ERR_PTR(-EEXIST) if another CPU has
 * just made it, another error if no PDC may be opened.
 */
struct uet_pdc *uet_pdc_accept(struct uet_rx_ctx *rx)
{
	struct uet_peer_key key = {
		.laddr	= rx->daddr,
		.raddr	= rx->saddr,
		.scope	= rx->ifindex,
		.uid	= rx->un->root,
	};
	struct uet_net *un = rx->un;
	struct uet_peer *peer;
	struct uet_pdc *pdc;
	int err;

	if (!uet_pdc_acceptable(un, &key))
		return ERR_PTR(-ENOBUFS);
	peer = uet_peer_get(un, &key, GFP_ATOMIC);
	if (IS_ERR(peer))
		return ERR_CAST(peer);
	if (uet_form_lacks(peer, rx->form)) {
		uet_peer_put(peer);
		return ERR_PTR(-EBADMSG);
	}
	uet_form_greeted(peer, rx->form);
	pdc = uet_pdc_alloc(peer, NULL, uet_syn_is_rod(rx->pkt), GFP_ATOMIC);
	if (!pdc) {
		uet_peer_put(peer);
		return ERR_PTR(-ENOBUFS);
	}
	err = uet_pdc_begin(pdc, rx) ?: uet_pdc_take_id(pdc, GFP_ATOMIC);
	if (err)
		uet_pdc_discard(pdc);
	else
		err = uet_pdc_enter(pdc);
	uet_peer_put(peer);
	if (err)
		return ERR_PTR(err);
	uet_pdc_tell(pdc, UET_PDC_ACCEPTED);
	return pdc;
}

/**
 * uet_pdc_confirm_first() - uet_pdc_confirm() of an unconfirmed PDC
 * @pdc: the PDC
 *
 * Context: softirq, rx.lock held.
 */
void uet_pdc_confirm_first(struct uet_pdc *pdc)
{
	lockdep_assert_held(&pdc->rx->lock);
	uet_pdc_leave_unconfirmed(pdc);
	WRITE_ONCE(pdc->peer->confirmed, true);
	if (pdc->rx->state == UET_PDC_ESTABLISHED && !pdc->rx->asked)
		uet_pdc_offer(pdc);
	if (pdc->rx->nr_gtd)
		uet_pdc_want_clear(pdc, ktime_get_ns());
}

/**
 * uet_pdc_heard_syn() - another SYN packet came for an unconfirmed PDC
 * @pdc: the PDC
 *
 * Keeps the lists of unconfirmed PDCs in LRU order: an active PDC at the head
 * would block the eviction of idle ones.
 *
 * Context: softirq, rx.lock held.
 */
void uet_pdc_heard_syn(struct uet_pdc *pdc)
{
	struct uet_net *un = pdc->un;

	lockdep_assert_held(&pdc->rx->lock);
	if (pdc->rx->confirmed)
		return;
	spin_lock_bh(&un->unconfirmed_lock);
	list_move_tail(&pdc->unconfirmed_node,
		       &un->unconfirmed[pdc->rx->known].pdcs);
	list_move_tail(&pdc->rx->unconfirmed_peer,
		       &pdc->peer->unconfirmed.pdcs);
	spin_unlock_bh(&un->unconfirmed_lock);
}
