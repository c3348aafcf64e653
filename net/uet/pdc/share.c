// SPDX-License-Identifier: GPL-2.0
/*
 * What ordinary users of a namespace of the machine hold of a pair of addresses and of
 * the PDCIDs of an address: PDCs that were opened for them, counted for each.
 *
 * Who may open a PDC, and who is refused, core/share.h says. Users with
 * CAP_SYS_RESOURCE are refused by the limits alone, and so is the owner of a namespace,
 * to whom all of it belongs.
 *
 * Not here: limits of all that a user holds (account.c).
 */
#include <linux/hashtable.h>
#include <linux/slab.h>

#include "account.h"
#include "core/share.h"
#include "link/peer.h"
#include "pdc/pdc.h"

#define UET_SHARE_BITS	12

/**
 * struct uet_share - PDCs of a user that count against one limit
 * @node: in the table of all
 * @of: peer or FEP whose limit it is, only compared: its PDCs have a reference
 * @acc: account of the user, likewise
 * @pdcs: how many, > 0
 */
struct uet_share {
	struct hlist_node		node;
	const void			*of;
	const struct uet_account	*acc;
	u32				pdcs;
};

static DEFINE_HASHTABLE(uet_shares, UET_SHARE_BITS);
/* Of uet_shares; BH-disabled, a leaf that nests in flow and peer locks */
static DEFINE_SPINLOCK(uet_shares_lock);

/* Does a user have to leave something to others? */
static bool uet_must_share(const struct uet_account *acc)
{
	return acc && acc->un && !acc->exempt;
}

static u32 uet_share_slot(const void *of, const struct uet_account *acc)
{
	return hash_min((unsigned long)of ^ hash_long((unsigned long)acc, 32),
			UET_SHARE_BITS);
}

static struct uet_share *uet_share_find(const void *of,
					const struct uet_account *acc)
{
	struct uet_share *s;

	lockdep_assert_held(&uet_shares_lock);
	hlist_for_each_entry(s, &uet_shares[uet_share_slot(of, acc)], node)
		if (s->of == of && s->acc == acc)
			return s;
	return NULL;
}

static u32 uet_share_held(const void *of, const struct uet_account *acc)
{
	const struct uet_share *s;
	u32 pdcs;

	spin_lock_bh(&uet_shares_lock);
	s = uet_share_find(of, acc);
	pdcs = s ? s->pdcs : 0;
	spin_unlock_bh(&uet_shares_lock);
	return pdcs;
}

/* Count a PDC; @fresh is used if it is the first one. */
static void uet_share_count(const void *of, const struct uet_account *acc,
			    struct uet_share **fresh)
{
	struct uet_share *s = uet_share_find(of, acc);

	if (!s) {
		s = *fresh;
		*fresh = NULL;
		s->of = of;
		s->acc = acc;
		hlist_add_head(&s->node, &uet_shares[uet_share_slot(of, acc)]);
	}
	s->pdcs++;
}

static struct uet_share *uet_share_uncount(const void *of,
					   const struct uet_account *acc)
{
	struct uet_share *s = uet_share_find(of, acc);

	if (WARN_ON_ONCE(!s) || --s->pdcs)
		return NULL;
	hlist_del(&s->node);
	return s;
}

/**
 * uet_share_take() - count a PDC that is opened for a user
 * @peer: both FEPs
 * @acc: account of the user
 *
 * Context: process.
 * Return: false without memory.
 */
bool uet_share_take(const struct uet_peer *peer, const struct uet_account *acc)
{
	struct uet_share *pair, *fep;

	if (!uet_must_share(acc))
		return true;
	pair = kzalloc(sizeof(*pair), GFP_KERNEL_ACCOUNT);
	fep = kzalloc(sizeof(*fep), GFP_KERNEL_ACCOUNT);
	if (!pair || !fep) {
		kfree(pair);
		kfree(fep);
		return false;
	}
	spin_lock_bh(&uet_shares_lock);
	uet_share_count(peer, acc, &pair);
	uet_share_count(peer->fep, acc, &fep);
	spin_unlock_bh(&uet_shares_lock);
	kfree(pair);
	kfree(fep);
	return true;
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
	struct uet_share *pair, *fep;

	if (!uet_must_share(acc))
		return;
	spin_lock_bh(&uet_shares_lock);
	pair = uet_share_uncount(peer, acc);
	fep = uet_share_uncount(peer->fep, acc);
	spin_unlock_bh(&uet_shares_lock);
	kfree(pair);
	kfree(fep);
}

/* Has a user another one of @limit, of which @used are held? */
static bool uet_share_room(const void *of, const struct uet_account *acc,
			   u32 used, u32 limit)
{
	if (!uet_must_share(acc))
		return used < limit;
	return uet_share_user(uet_share_held(of, acc), used, limit);
}

/* Which limit has nothing left for a user who holds @own PDCs, if a part is left? */
static enum uet_limit uet_share_full(const struct uet_peer *peer,
				     const struct uet_account *acc, u32 own, u32 leave)
{
	const struct uet_net *un = peer->fep->un;
	u32 max = uet_share_left(READ_ONCE(un->sysctl.pdc_max), leave);
	u32 used = atomic_read(&un->pdcs);

	if (!uet_share_room(peer, acc, READ_ONCE(peer->nr_pdcs),
			    uet_share_left(READ_ONCE(un->sysctl.pdc_max_per_peer),
					   leave)))
		return UET_LIMIT_PDC_MAX_PER_PEER;
	if (!uet_share_room(peer->fep, acc, atomic_read(&peer->fep->nr_pdcs),
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
 * @laddr: local address
 * @peer: the peer, or NULL for a stranger
 *
 * Context: RCU read side.
 * Return: the limit, %UET_LIMITS for none.
 */
enum uet_limit uet_share_refuses_peer(struct uet_net *un,
				      const struct in6_addr *laddr,
				      const struct uet_peer *peer)
{
	const struct uet_fep *fep = uet_fep_find(un, laddr);
	bool proved = peer && READ_ONCE(peer->confirmed);

	if (peer && !uet_share_peer(READ_ONCE(peer->nr_pdcs),
				    READ_ONCE(un->sysctl.pdc_max_per_peer),
				    proved))
		return UET_LIMIT_PDC_MAX_PER_PEER;
	if (fep && !uet_share_peer(atomic_read(&fep->nr_pdcs), UET_PDCIDS, proved))
		return UET_LIMIT_PDCIDS;
	if (!uet_share_peer(atomic_read(&un->pdcs),
			    READ_ONCE(un->sysctl.pdc_max), proved))
		return UET_LIMIT_PDC_MAX;
	return UET_LIMITS;
}
