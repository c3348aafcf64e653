// SPDX-License-Identifier: GPL-2.0
/*
 * FEPs and peers: creation on demand, lookup, release. Both live while a PDC or
 * flow refers to them. The tables hold no reference, so a lookup takes one by
 * refcount_inc_not_zero().
 */
#include <linux/jhash.h>
#include <linux/net.h>
#include <linux/random.h>
#include <linux/rhashtable.h>
#include <linux/slab.h>

#include "link/encap.h"
#include "link/peer.h"
#include "link/ports.h"
#include "link/rttcache.h"
#include "link/source.h"

static const struct rhashtable_params uet_fep_params = {
	.key_len	= sizeof_field(struct uet_fep, addr),
	.key_offset	= offsetof(struct uet_fep, addr),
	.head_offset	= offsetof(struct uet_fep, node),
	.automatic_shrinking = true,
};

static const struct rhashtable_params uet_peer_params = {
	.key_len	= sizeof_field(struct uet_peer, key),
	.key_offset	= offsetof(struct uet_peer, key),
	.head_offset	= offsetof(struct uet_peer, node),
	.automatic_shrinking = true,
};

int uet_peer_tables_init(struct uet_net *un)
{
	int err;

	spin_lock_init(&un->fep_lock);
	xa_init_flags(&un->fep_ids, XA_FLAGS_LOCK_BH | XA_FLAGS_ACCOUNT);
	xa_init_flags(&un->peer_ids, XA_FLAGS_LOCK_BH | XA_FLAGS_ACCOUNT);
	err = rhashtable_init(&un->feps, &uet_fep_params);
	if (err)
		return err;
	err = rhashtable_init(&un->peers, &uet_peer_params);
	if (err)
		rhashtable_destroy(&un->feps);
	return err;
}

void uet_peer_tables_exit(struct uet_net *un)
{
	rhashtable_destroy(&un->peers);
	rhashtable_destroy(&un->feps);
	xa_destroy(&un->peer_ids);
	xa_destroy(&un->fep_ids);
}

/**
 * uet_fep_lookup() - second part of uet_fep_find()
 * @un: namespace
 * @addr: local fabric address
 *
 * Context: RCU read side; valid until its end.
 * Return: the FEP or NULL.
 */
struct uet_fep *uet_fep_lookup(struct uet_net *un, const struct in6_addr *addr)
{
	return rhashtable_lookup(&un->feps, addr, uet_fep_params);
}

/**
 * uet_fep_get() - find or make the FEP of a local address
 * @un: namespace
 * @addr: local fabric address
 *
 * Context: any, atomic allocation.
 * Return: the FEP with a reference, or an ERR_PTR: -ENOMEM, -ENETDOWN.
 */
struct uet_fep *uet_fep_get(struct uet_net *un, const struct in6_addr *addr)
{
	struct uet_fep *fep;
	int err;

	spin_lock_bh(&un->fep_lock);
	rcu_read_lock();
	fep = uet_fep_find(un, addr);
	if (fep && refcount_inc_not_zero(&fep->ref))
		goto out;
	if (un->exiting) {
		fep = ERR_PTR(-ENETDOWN);
		goto out;
	}
	fep = kzalloc(sizeof(*fep), GFP_ATOMIC | __GFP_ACCOUNT);
	if (!fep) {
		fep = ERR_PTR(-ENOMEM);
		goto out;
	}
	fep->addr = *addr;
	fep->un = un;
	refcount_set(&fep->ref, 1);
	xa_init_flags(&fep->pdcs,
		      XA_FLAGS_ALLOC1 | XA_FLAGS_LOCK_BH | XA_FLAGS_ACCOUNT);
	fep->next_pdcid = get_random_u32() & 0xffff;
	fep->id = ++un->last_fep_id;
	err = xa_insert_bh(&un->fep_ids, fep->id, fep, GFP_ATOMIC);
	if (!err)
		err = rhashtable_insert_fast(&un->feps, &fep->node,
					     uet_fep_params);
	if (err) {
		/* A walk may have found it. */
		xa_erase_bh(&un->fep_ids, fep->id);
		kfree_rcu(fep, rcu);
		fep = ERR_PTR(err);
		goto out;
	}
	rcu_assign_pointer(un->fep_hint, fep);
out:
	rcu_read_unlock();
	spin_unlock_bh(&un->fep_lock);
	return fep;
}

/**
 * uet_fep_put() - drop a reference
 * @fep: the FEP
 *
 * The last put removes it from the table under fep_lock, so that uet_fep_get()
 * never finds two FEPs of one address.
 *
 * Context: any.
 */
void uet_fep_put(struct uet_fep *fep)
{
	struct uet_net *un = fep->un;

	local_bh_disable();
	if (refcount_dec_and_lock(&fep->ref, &un->fep_lock)) {
		rhashtable_remove_fast(&un->feps, &fep->node, uet_fep_params);
		xa_erase_bh(&un->fep_ids, fep->id);
		if (rcu_access_pointer(un->fep_hint) == fep)
			RCU_INIT_POINTER(un->fep_hint, NULL);
		spin_unlock(&un->fep_lock);
		xa_destroy(&fep->pdcs);
		kfree_rcu(fep, rcu);
	}
	local_bh_enable();
}

/* Keyed by a secret, so that nobody can choose to collide with another flow */
static u32 uet_peer_flow_hash(const struct uet_peer_key *key)
{
	static u32 secret __read_mostly;

	net_get_random_once(&secret, sizeof(secret));
	return jhash2((const u32 *)key, sizeof(*key) / sizeof(u32), secret) | 1;
}

/**
 * uet_peer_find() - look a peer up
 * @un: namespace
 * @key: address pair, interface and mark
 *
 * Context: RCU read side; valid until its end.
 * Return: the peer or NULL.
 */
struct uet_peer *uet_peer_find(struct uet_net *un,
			       const struct uet_peer_key *key)
{
	return rhashtable_lookup(&un->peers, key, uet_peer_params);
}

/* Let a peer be found; its id is reserved. */
static int uet_peer_publish(struct uet_peer *peer)
{
	struct uet_fep *fep = peer->fep;
	struct uet_net *un = fep->un;
	int err;

	lockdep_assert_held(&un->fep_lock);
	err = rhashtable_insert_fast(&un->peers, &peer->node, uet_peer_params);
	if (err)
		return err;
	/* Needs no memory */
	xa_store_bh(&un->peer_ids, peer->id, peer, GFP_ATOMIC);
	WRITE_ONCE(fep->nr_peers, fep->nr_peers + 1);
	return 0;
}

/**
 * uet_peer_get() - find or make a peer
 * @un: namespace
 * @key: address pair, interface and mark
 * @gfp: use %GFP_KERNEL in process context, since per-CPU memory for many new
 *	peers in a row needs to sleep
 *
 * Context: as @gfp says.
 * Return: the peer with a reference, or an ERR_PTR: -ENOMEM, -ENETDOWN.
 */
struct uet_peer *uet_peer_get(struct uet_net *un,
			      const struct uet_peer_key *key, gfp_t gfp)
{
	struct uet_peer *peer, *old;
	struct uet_fep *fep;
	int err;

	rcu_read_lock();
	peer = uet_peer_find(un, key);
	if (peer && refcount_inc_not_zero(&peer->ref)) {
		rcu_read_unlock();
		return peer;
	}
	rcu_read_unlock();

	fep = uet_fep_get(un, &key->laddr);
	if (IS_ERR(fep))
		return ERR_CAST(fep);
	err = -ENOMEM;
	peer = kzalloc(sizeof(*peer), gfp);
	if (!peer)
		goto err_fep;
	if (dst_cache_init(&peer->dst, gfp))
		goto err_free;
	peer->key = *key;
	peer->fep = fep;
	refcount_set(&peer->ref, 1);
	spin_lock_init(&peer->lock);
	INIT_LIST_HEAD(&peer->flows);
	INIT_LIST_HEAD(&peer->tx_halves);
	INIT_LIST_HEAD(&peer->return_pdcs);
	INIT_LIST_HEAD(&peer->credit_srcs);
	INIT_LIST_HEAD(&peer->unconfirmed.pdcs);
	peer->ev_key = get_random_u32();
	peer->flow_hash = uet_peer_flow_hash(key);
	peer->next_ccc_id = (u8)get_random_u32();
	uet_rtt_recall(un, peer);
	peer->neigh_at = jiffies - HZ;
	peer->addr_genid = uet_source_genid(un, uet_peer_is_v4(peer));
	peer->looked_at = jiffies;
	peer->id = atomic_long_inc_return(&un->last_peer_id);
	err = xa_reserve_bh(&un->peer_ids, peer->id, gfp);
	if (err)
		goto err_dst;

	spin_lock_bh(&un->fep_lock);
	rcu_read_lock();
	old = uet_peer_find(un, key);
	if (old && refcount_inc_not_zero(&old->ref))
		err = -EEXIST;
	else
		err = uet_peer_publish(peer);
	rcu_read_unlock();
	spin_unlock_bh(&un->fep_lock);
	if (!err)
		return peer;

	xa_erase_bh(&un->peer_ids, peer->id);
err_dst:
	dst_cache_destroy(&peer->dst);
err_free:
	kfree(peer);
err_fep:
	uet_fep_put(fep);
	return err == -EEXIST ? old : ERR_PTR(err);
}

static void uet_peer_free_rcu(struct rcu_head *head)
{
	struct uet_peer *peer = container_of(head, struct uet_peer, rcu);

	uet_ports_free(peer);
	dst_cache_destroy(&peer->dst);
	dst_release(rcu_dereference_protected(peer->rx_dst, 1));
	kfree(peer->rudi);
	kfree(peer);
}

/* Remove a peer from the table of the early demux. */
static void uet_demux_forget(struct uet_peer *peer)
{
	struct uet_net *un = peer->fep->un;
	struct uet_peer __rcu **slot = uet_demux_slot(un, &peer->key.raddr);

	lockdep_assert_held(&un->fep_lock);
	if (rcu_access_pointer(*slot) == peer)
		RCU_INIT_POINTER(*slot, NULL);
}

/**
 * uet_peer_put() - drop a reference
 * @peer: the peer
 *
 * Context: any.
 */
void uet_peer_put(struct uet_peer *peer)
{
	struct uet_fep *fep = peer->fep;
	struct uet_net *un = fep->un;

	local_bh_disable();
	if (refcount_dec_and_lock(&peer->ref, &un->fep_lock)) {
		rhashtable_remove_fast(&un->peers, &peer->node,
				       uet_peer_params);
		xa_erase_bh(&un->peer_ids, peer->id);
		WRITE_ONCE(fep->nr_peers, fep->nr_peers - 1);
		uet_demux_forget(peer);
		spin_unlock(&un->fep_lock);
		uet_rtt_keep(peer);
		WARN_ON_ONCE(!list_empty(&peer->flows) ||
			     !list_empty(&peer->tx_halves) ||
			     !list_empty(&peer->return_pdcs));
		call_rcu(&peer->rcu, uet_peer_free_rcu);
		uet_fep_put(fep);
	}
	local_bh_enable();
}
