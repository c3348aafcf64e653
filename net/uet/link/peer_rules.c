// SPDX-License-Identifier: GPL-2.0
/*
 * Settings for peers by address prefix.
 *
 * Rules are few and needed when a CCC is made, so they are a list, the longest
 * prefix first, then by address. Whether a peer's jobs are believed, in which form
 * packets go to it, and what its implementation is like, is looked up in softirq, once
 * per peer after each change, so that these lookups read the list under RCU.
 */
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <net/ipv6.h>

#include "base.h"
#include "link/peer.h"
#include "link/peer_profile.h"
#include "link/peer_rules.h"

#define UET_PEER_RULES_MAX	1024

/* Order of rules: < 0 if @rule comes before the rule of a prefix, 0 if it is that */
static int uet_peer_rule_cmp(const struct uet_peer_rule *rule,
			     const struct in6_addr *addr, u8 plen)
{
	if (rule->plen != plen)
		return plen - rule->plen;
	return ipv6_addr_cmp(&rule->addr, addr);
}

/* The rule of exactly this prefix; or NULL, and *pos to insert it before */
static struct uet_peer_rule *uet_peer_rule_find(struct uet_net *un,
						const struct in6_addr *addr,
						u8 plen, struct list_head **pos)
{
	struct uet_peer_rule *rule;
	struct in6_addr prefix;
	int cmp;

	lockdep_assert_held(&un->peer_rules_lock);
	ipv6_addr_prefix(&prefix, addr, plen);
	list_for_each_entry(rule, &un->peer_rules, node) {
		cmp = uet_peer_rule_cmp(rule, &prefix, plen);
		if (!cmp)
			return rule;
		if (cmp > 0)
			break;
	}
	*pos = &rule->node;
	return NULL;
}

/**
 * uet_peer_rule_get() - settings of exactly one prefix
 * @un: namespace
 * @addr: the prefix
 * @plen: its length
 * @params: set if it has some
 *
 * Context: process.
 * Return: true if it has.
 */
bool uet_peer_rule_get(struct uet_net *un, const struct in6_addr *addr, u8 plen,
		       struct uet_peer_params *params)
{
	struct uet_peer_rule *rule;
	struct list_head *pos;

	mutex_lock(&un->peer_rules_lock);
	rule = uet_peer_rule_find(un, addr, plen, &pos);
	if (rule)
		*params = rule->params;
	mutex_unlock(&un->peer_rules_lock);
	return rule;
}

/**
 * uet_peer_rule_next() - walk the prefixes with settings
 * @un: namespace
 * @after: the prefix before, with *@plen its length; NULL for the first one. Need
 *	not have settings any more
 * @addr: set to the next prefix
 * @plen: set to its length
 * @params: set to its settings
 *
 * Context: process.
 * Return: false if there is none.
 */
bool uet_peer_rule_next(struct uet_net *un, const struct in6_addr *after,
			struct in6_addr *addr, u8 *plen,
			struct uet_peer_params *params)
{
	struct uet_peer_rule *rule;
	bool found = false;

	mutex_lock(&un->peer_rules_lock);
	list_for_each_entry(rule, &un->peer_rules, node) {
		if (after && uet_peer_rule_cmp(rule, after, *plen) <= 0)
			continue;
		*addr = rule->addr;
		*plen = rule->plen;
		*params = rule->params;
		found = true;
		break;
	}
	mutex_unlock(&un->peer_rules_lock);
	return found;
}

/* Does a rule decide about strict_dscp? */
static bool uet_peer_rule_is_strict(const struct uet_peer_rule *rule)
{
	return rule && rule->profile &
	       UET_PROFILE_STRICT_DSCP << UET_PROFILE_RULED_SHIFT;
}

/* A rule takes the place of another one; either may be NULL. */
static void uet_peer_rules_count(struct uet_net *un,
				 const struct uet_peer_rule *old,
				 const struct uet_peer_rule *fresh)
{
	lockdep_assert_held(&un->peer_rules_lock);
	WRITE_ONCE(un->nr_protect_rules, un->nr_protect_rules -
		   (old && uet_peer_sets(&old->params, data_protect)) +
		   (fresh && uet_peer_sets(&fresh->params, data_protect)));
	WRITE_ONCE(un->nr_strict_rules, un->nr_strict_rules -
		   uet_peer_rule_is_strict(old) +
		   uet_peer_rule_is_strict(fresh));
}

/**
 * uet_peer_set_params() - set, replace or remove the rule of a prefix
 * @un: namespace
 * @addr: address, IPv4 as v4-mapped
 * @plen: length of the prefix, 0 to 128
 * @params: settings, which replace those of the same prefix; NULL removes them
 *
 * New CCCs use, in this order, the options of the socket, the rule with the longest
 * matching prefix, the sysctls.
 *
 * Context: process.
 * Return: 0, -EINVAL for such a length, -ENOENT, -ENOSPC, -ENOMEM.
 */
int uet_peer_set_params(struct uet_net *un, const struct in6_addr *addr,
			u8 plen, const struct uet_peer_params *params)
{
	struct uet_peer_rule *rule, *fresh = NULL;
	struct list_head *pos;
	int err = 0;

	if (plen > 128)
		return -EINVAL;
	if (params) {
		fresh = kzalloc(sizeof(*fresh), GFP_KERNEL_ACCOUNT);
		if (!fresh)
			return -ENOMEM;
		ipv6_addr_prefix(&fresh->addr, addr, plen);
		fresh->plen = plen;
		fresh->params = *params;
		fresh->profile = uet_profile_of(params);
	}
	mutex_lock(&un->peer_rules_lock);
	rule = uet_peer_rule_find(un, addr, plen, &pos);
	if (rule && fresh) {
		list_replace_rcu(&rule->node, &fresh->node);
	} else if (rule) {
		list_del_rcu(&rule->node);
		un->nr_peer_rules--;
	} else if (!fresh) {
		err = -ENOENT;
	} else if (un->nr_peer_rules >= UET_PEER_RULES_MAX) {
		kfree(fresh);
		err = -ENOSPC;
	} else {
		list_add_tail_rcu(&fresh->node, pos);
		un->nr_peer_rules++;
	}
	if (!err)
		uet_peer_rules_count(un, rule, fresh);
	mutex_unlock(&un->peer_rules_lock);
	if (rule)
		kfree_rcu(rule, rcu);
	if (!err) {
		uet_peer_rules_changed(un);
		uet_event_rule(un, addr, plen, !params);
	}
	return err;
}

/**
 * uet_peer_rules_changed() - have all peers look at rules and settings again
 * @un: namespace
 *
 * Context: any.
 */
void uet_peer_rules_changed(struct uet_net *un)
{
	/* After the rules or the setting; pairs with uet_peer_trusted(),
	 * uet_form_gen() and uet_peer_profile()
	 */
	smp_mb__before_atomic();
	atomic_inc(&un->rules_gen);
}

/**
 * uet_addr_trusted() - does this host believe the job ids of an address?
 * @un: namespace
 * @addr: the address
 *
 * By the longest matching prefix that sets trust, else by net.uet.trust_jobs.
 *
 * Context: RCU read side.
 * Return: true if so.
 */
bool uet_addr_trusted(struct uet_net *un, const struct in6_addr *addr)
{
	const struct uet_peer_rule *rule;

	list_for_each_entry_rcu(rule, &un->peer_rules, node)
		if (uet_peer_sets(&rule->params, trust_jobs) &&
		    ipv6_prefix_equal(&rule->addr, addr, rule->plen))
			return rule->params.val.trust_jobs;
	return READ_ONCE(un->sysctl.trust_jobs);
}

/**
 * uet_peer_trusted() - does this host believe the job ids of a peer?
 * @peer: the peer
 *
 * Context: RCU read side.
 * Return: true if the peer is trusted to keep users out of jobs of others.
 */
bool uet_peer_trusted(struct uet_peer *peer)
{
	struct uet_net *un = peer->fep->un;
	/* Pairs with uet_peer_rules_changed() */
	u32 gen = (u32)atomic_read_acquire(&un->rules_gen) << 1;
	u32 verdict = READ_ONCE(peer->trust);

	if (unlikely((verdict & ~1U) != gen)) {
		verdict = gen | uet_addr_trusted(un, &peer->key.raddr);
		WRITE_ONCE(peer->trust, verdict);
	}
	return verdict & 1;
}

/* What the rules say of the implementation at an address. Each setting is decided by
 * the longest prefix that has it.
 */
static u32 uet_addr_profile(struct uet_net *un, const struct in6_addr *addr)
{
	const struct uet_peer_rule *rule;
	u32 profile = 0;

	rcu_read_lock();
	list_for_each_entry_rcu(rule, &un->peer_rules, node)
		if (rule->profile &&
		    ipv6_prefix_equal(&rule->addr, addr, rule->plen))
			profile = uet_profile_merge(profile, rule->profile);
	rcu_read_unlock();
	return profile;
}

/**
 * uet_addr_strict_ruled() - uet_addr_strict() if there are rules about that
 * @un: namespace
 * @addr: the address
 *
 * Context: any.
 * Return: as uet_addr_strict().
 */
bool uet_addr_strict_ruled(struct uet_net *un, const struct in6_addr *addr)
{
	return uet_profile_says(uet_addr_profile(un, addr),
				UET_PROFILE_STRICT_DSCP, false);
}

/**
 * uet_profile_refresh() - look at the rules again, which have changed
 * @peer: the peer
 *
 * Context: any.
 * Return: UET_PROFILE_*.
 */
u32 uet_profile_refresh(struct uet_peer *peer)
{
	struct uet_net *un = peer->fep->un;
	/* Pairs with uet_peer_rules_changed() */
	u32 gen = (u32)atomic_read_acquire(&un->rules_gen);
	u32 profile = uet_addr_profile(un, &peer->key.raddr);

	uet_habit_ruled(&peer->habits,
			profile & UET_PROFILE_PROBES << UET_PROFILE_RULED_SHIFT,
			profile & UET_PROFILE_PROBES);
	atomic64_set(&peer->profile, (u64)gen << 32 | profile);
	return profile;
}

/**
 * uet_peer_settings() - the settings for a peer
 * @un: namespace
 * @addr: its address
 * @s: set to those of the rule with the longest matching prefix, and to those of the
 *	namespace for what that leaves open
 *
 * Context: process.
 */
void uet_peer_settings(struct uet_net *un, const struct in6_addr *addr,
		       struct uet_sysctl *s)
{
	const struct uet_peer_rule *rule;

	/* Each is written at once, and taken as it is now. */
	data_race(*s = un->sysctl);
	mutex_lock(&un->peer_rules_lock);
	list_for_each_entry(rule, &un->peer_rules, node) {
		if (ipv6_prefix_equal(&rule->addr, addr, rule->plen)) {
			uet_settings_overlay(s, &rule->params);
			break;
		}
	}
	mutex_unlock(&un->peer_rules_lock);
}

/**
 * uet_peer_rules_init() - no settings yet
 * @un: namespace
 */
void uet_peer_rules_init(struct uet_net *un)
{
	INIT_LIST_HEAD(&un->peer_rules);
	/* Not 0, the value in a new peer */
	atomic_set(&un->rules_gen, 1);
	mutex_init(&un->peer_rules_lock);
	mutex_init(&un->peer_rules_writer);
}

/**
 * uet_peer_rules_exit() - free all rules
 * @un: namespace
 */
void uet_peer_rules_exit(struct uet_net *un)
{
	struct uet_peer_rule *rule, *next;

	list_for_each_entry_safe(rule, next, &un->peer_rules, node)
		kfree(rule);
}
