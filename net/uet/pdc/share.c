// SPDX-License-Identifier: GPL-2.0
/*
 * PDCs of each pair of addresses, and what ordinary users of a namespace of the machine
 * hold of those and of the PDCIDs of an address: PDCs that were opened for them, counted
 * for each.
 *
 * Who may open a PDC, and who is refused, core/share.h says. Users with
 * CAP_SYS_RESOURCE are refused by the limits alone, and so is the owner of a namespace,
 * to whom all of it belongs.
 *
 * Not here: limits of all that a user holds (account.c).
 */
#include <linux/hashtable.h>
#include <linux/jhash.h>
#include <linux/net.h>
#include <linux/slab.h>
#include <net/ipv6.h>

#include "account.h"
#include "core/share.h"
#include "link/peer.h"
#include "pdc/pdc.h"

#define UET_SHARE_BITS	12

/**
 * struct uet_share_key - what is counted
 * @fep: local address, only compared: its PDCs have a reference
 * @acc: account of the user, likewise; NULL: of all, and of peers
 * @raddr: the other address; any: of all of them
 * @scope: its interface, if it is link-local; of a width that leaves no padding, since
 *	keys are hashed and compared as bytes
 *
 * Not a struct uet_peer: to a pair of addresses there is one for each traffic class, and
 * for each user where routing rules may match that, and the other host counts them as one.
 */
struct uet_share_key {
	const struct uet_fep		*fep;
	const struct uet_account	*acc;
	struct in6_addr			raddr;
	s64				scope;
};

/**
 * struct uet_share - PDCs that count against one limit
 * @node: in the table of all
 * @key: which
 * @pdcs: how many, > 0
 */
struct uet_share {
	struct hlist_node	node;
	struct uet_share_key	key;
	u32			pdcs;
};

/* Counts of a PDC: those of a pair of addresses, of all and of a user, and of a FEP */
#define UET_SHARE_COUNTS	3

static DEFINE_HASHTABLE(uet_shares, UET_SHARE_BITS);
/* Of uet_shares; BH-disabled, a leaf that nests in flow and peer locks */
static DEFINE_SPINLOCK(uet_shares_lock);

/* Does a user have to leave something to others? */
static bool uet_must_share(const struct uet_account *acc)
{
	return acc && acc->un && !acc->exempt;
}

/* All PDCs of a pair of addresses */
static struct uet_share_key uet_share_pair(const struct uet_fep *fep,
					   const struct uet_peer_key *key)
{
	return (struct uet_share_key){
		.fep	= fep,
		.raddr	= key->raddr,
		.scope	= ipv6_addr_type(&key->raddr) & IPV6_ADDR_LINKLOCAL ? key->scope : 0,
	};
}

static struct hlist_head *uet_share_slot(const struct uet_share_key *key)
{
	static u32 secret __read_mostly;
	u32 hash;

	BUILD_BUG_ON(sizeof(*key) % sizeof(u32));
	net_get_random_once(&secret, sizeof(secret));
	hash = jhash2((const u32 *)key, sizeof(*key) / sizeof(u32), secret);
	return &uet_shares[hash_min(hash, UET_SHARE_BITS)];
}

static struct uet_share *uet_share_find(const struct uet_share_key *key)
{
	struct uet_share *s;

	lockdep_assert_held(&uet_shares_lock);
	hlist_for_each_entry(s, uet_share_slot(key), node)
		if (!memcmp(&s->key, key, sizeof(*key)))
			return s;
	return NULL;
}

static u32 uet_share_held(const struct uet_share_key *key)
{
	const struct uet_share *s;
	u32 pdcs;

	/* A source that is made up has no PDC, so that most need no lock here. */
	if (hlist_empty(uet_share_slot(key)))
		return 0;
	spin_lock_bh(&uet_shares_lock);
	s = uet_share_find(key);
	pdcs = s ? s->pdcs : 0;
	spin_unlock_bh(&uet_shares_lock);
	return pdcs;
}

/* What is counted of a PDC; returns how many keys that are. */
static u32 uet_share_keys(const struct uet_peer *peer, const struct uet_account *acc,
			  struct uet_share_key keys[UET_SHARE_COUNTS])
{
	memset(keys, 0, UET_SHARE_COUNTS * sizeof(*keys));
	keys[0] = uet_share_pair(peer->fep, &peer->key);
	if (!uet_must_share(acc))
		return 1;
	keys[1] = keys[0];
	keys[1].acc = acc;
	keys[2].fep = peer->fep;
	keys[2].acc = acc;
	return 3;
}

/* Count a PDC; @fresh is used if it is the first one. */
static void uet_share_count(const struct uet_share_key *key, struct uet_share **fresh)
{
	struct uet_share *s = uet_share_find(key);

	if (!s) {
		s = *fresh;
		*fresh = NULL;
		s->key = *key;
		hlist_add_head(&s->node, uet_share_slot(key));
	}
	s->pdcs++;
}

static struct uet_share *uet_share_uncount(const struct uet_share_key *key)
{
	struct uet_share *s = uet_share_find(key);

	if (WARN_ON_ONCE(!s) || --s->pdcs)
		return NULL;
	hlist_del(&s->node);
	return s;
}

/**
 * uet_share_take() - count a PDC
 * @peer: both FEPs
 * @acc: account of the user for whom it is opened; NULL if the peer opens it
 * @gfp: %GFP_KERNEL or %GFP_ATOMIC
 *
 * Context: as @gfp says.
 * Return: false without memory.
 */
bool uet_share_take(const struct uet_peer *peer, const struct uet_account *acc, gfp_t gfp)
{
	struct uet_share *fresh[UET_SHARE_COUNTS] = {};
	struct uet_share_key keys[UET_SHARE_COUNTS];
	u32 n = uet_share_keys(peer, acc, keys), i;
	bool ok = true;

	for (i = 0; i < n; i++) {
		fresh[i] = kzalloc(sizeof(*fresh[i]), gfp | __GFP_ACCOUNT);
		ok &= !!fresh[i];
	}
	spin_lock_bh(&uet_shares_lock);
	for (i = 0; ok && i < n; i++)
		uet_share_count(&keys[i], &fresh[i]);
	spin_unlock_bh(&uet_shares_lock);
	for (i = 0; i < n; i++)
		kfree(fresh[i]);
	return ok;
}

/**
 * uet_share_give() - undo uet_share_take()
 * @peer: both FEPs
 * @acc: account of the user, or NULL
 *
 * Context: any.
 */
void uet_share_give(const struct uet_peer *peer, const struct uet_account *acc)
{
	struct uet_share_key keys[UET_SHARE_COUNTS];
	struct uet_share *gone[UET_SHARE_COUNTS];
	u32 n = uet_share_keys(peer, acc, keys), i;

	spin_lock_bh(&uet_shares_lock);
	for (i = 0; i < n; i++)
		gone[i] = uet_share_uncount(&keys[i]);
	spin_unlock_bh(&uet_shares_lock);
	for (i = 0; i < n; i++)
		kfree(gone[i]);
}

/* Has a user another one of @limit, of which @used are held? */
static bool uet_share_room(const struct uet_share_key *key, u32 used, u32 limit)
{
	if (!uet_must_share(key->acc))
		return used < limit;
	return uet_share_user(uet_share_held(key), used, limit);
}

/* Which limit has nothing left for a user who holds @own PDCs, if a part is left? */
static enum uet_limit uet_share_full(const struct uet_peer *peer,
				     const struct uet_account *acc, u32 own, u32 leave)
{
	const struct uet_net *un = peer->fep->un;
	u32 max = uet_share_left(READ_ONCE(un->sysctl.pdc_max), leave);
	struct uet_share_key pair = uet_share_pair(peer->fep, &peer->key);
	struct uet_share_key fep = { .fep = peer->fep, .acc = acc };
	u32 of_pair = uet_share_held(&pair), used = atomic_read(&un->pdcs);

	pair.acc = acc;
	if (!uet_share_room(&pair, of_pair,
			    uet_share_left(READ_ONCE(un->sysctl.pdc_max_per_peer), leave)))
		return UET_LIMIT_PDC_MAX_PER_PEER;
	if (!uet_share_room(&fep, atomic_read(&peer->fep->nr_pdcs),
			    uet_share_left(UET_PDCIDS, leave)))
		return UET_LIMIT_PDCIDS;
	if (uet_must_share(acc) ? !uet_share_user(own, used, max) : used >= max)
		return UET_LIMIT_PDC_MAX;
	return UET_LIMITS;
}

static bool uet_share_short_of(const struct uet_peer *peer,
			       const struct uet_account *acc, u32 leave)
{
	u32 own = acc ? atomic_read(&acc->pdcs) : 0;

	return (acc && own >= uet_share_left(uet_account_pdc_max(acc), leave)) ||
	       uet_share_full(peer, acc, own, leave) != UET_LIMITS;
}

/**
 * uet_share_spare() - may a user have a PDC although another one would do?
 * @peer: both FEPs
 * @acc: account of the user
 *
 * Half of each limit is for that, shared like the limit: so one that is needed is not
 * refused for it.
 *
 * Context: any.
 * Return: true if so.
 */
bool uet_share_spare(const struct uet_peer *peer, const struct uet_account *acc)
{
	acc = peer->fep->un->owner ?: acc;
	return !uet_share_short_of(peer, acc, UET_SHARE_SPARE_LEAVE);
}

/**
 * uet_share_short() - are PDCs nearly used up, for a user or for all?
 * @peer: both FEPs
 * @acc: account of the user, or NULL
 *
 * Context: any.
 * Return: true if so.
 */
bool uet_share_short(const struct uet_peer *peer, const struct uet_account *acc)
{
	return uet_share_short_of(peer, acc, UET_SHARE_SHORT_LEAVE);
}

/**
 * uet_share_refuses() - which limit refuses a PDC to a user?
 * @peer: both FEPs
 * @acc: account of the user, the PDC counted in it
 *
 * Context: process.
 * Return: the limit, %UET_LIMITS for none.
 */
enum uet_limit uet_share_refuses(const struct uet_peer *peer,
				 const struct uet_account *acc)
{
	return uet_share_full(peer, acc, atomic_read(&acc->pdcs) - 1,
			      UET_SHARE_NONE_LEAVE);
}

/**
 * uet_share_refuses_peer() - which limit refuses a PDC to a peer?
 * @un: namespace
 * @key: the addresses
 * @peer: the peer, or NULL for a stranger
 * @fewer: if so many PDCs of strangers had gone
 *
 * Context: RCU read side.
 * Return: the limit, %UET_LIMITS for none.
 */
enum uet_limit uet_share_refuses_peer(struct uet_net *un,
				      const struct uet_peer_key *key,
				      const struct uet_peer *peer, u32 fewer)
{
	const struct uet_fep *fep = uet_fep_find(un, &key->laddr);
	struct uet_share_key pair = uet_share_pair(fep, key);
	u32 ids = fep ? atomic_read(&fep->nr_pdcs) : 0, pdcs = atomic_read(&un->pdcs);
	bool proved = peer && READ_ONCE(peer->confirmed);

	if (!uet_share_peer(uet_share_held(&pair), READ_ONCE(un->sysctl.pdc_max_per_peer),
			    proved))
		return UET_LIMIT_PDC_MAX_PER_PEER;
	if (!uet_share_peer(ids - min(ids, fewer), UET_PDCIDS, proved))
		return UET_LIMIT_PDCIDS;
	if (!uet_share_peer(pdcs - min(pdcs, fewer), READ_ONCE(un->sysctl.pdc_max),
			    proved))
		return UET_LIMIT_PDC_MAX;
	return UET_LIMITS;
}
