// SPDX-License-Identifier: GPL-2.0
/*
 * Accounting per user: endpoints, PDCs opened and, in network namespaces of the
 * user's own, memory of messages.
 *
 * A network namespace of the initial user namespace has an account per user. One
 * below another user namespace belongs to the owner of that: the owner is root in
 * it, may raise its limits, and make more of them. So all namespaces of an owner
 * share one account with the limits of init_net. Users with CAP_SYS_RESOURCE in
 * the initial user namespace are counted but not limited.
 *
 * The memory control group is charged as well (GFP_KERNEL_ACCOUNT).
 */
#include <linux/capability.h>
#include <linux/hashtable.h>
#include <linux/slab.h>
#include <linux/user_namespace.h>
#include <net/net_namespace.h>

#include "account.h"
#include "base.h"

#define UET_ACCOUNT_BITS	8
/* Memory of the namespaces of one owner <= net.uet.mem of init_net / share */
#define UET_OWNER_MEM_SHARE	2
/* Probes of a user that wait for an answer */
#define UET_USER_PINGS		1024
/* PDCs of a user with silent peers try these so often in all */
#define UET_SILENT_TRIES_PER_MS	10

static DEFINE_HASHTABLE(uet_accounts, UET_ACCOUNT_BITS);
static DEFINE_SPINLOCK(uet_accounts_lock);	/* of uet_accounts */

static u32 uet_account_slot(const struct uet_net *un, kuid_t uid)
{
	return hash_min((unsigned long)un + __kuid_val(uid), UET_ACCOUNT_BITS);
}

static struct uet_account *uet_account_find(const struct uet_net *un,
					    kuid_t uid, bool exempt)
{
	struct uet_account *acc;

	lockdep_assert_held(&uet_accounts_lock);
	hlist_for_each_entry(acc, &uet_accounts[uet_account_slot(un, uid)], node)
		if (acc->un == un && uid_eq(acc->uid, uid) &&
		    acc->exempt == exempt)
			return acc;
	return NULL;
}

static struct uet_account *uet_account_get(struct uet_net *un, kuid_t uid,
					   bool exempt)
{
	struct uet_account *acc, *fresh;

	fresh = kzalloc(sizeof(*fresh), GFP_KERNEL_ACCOUNT);
	if (!fresh)
		return NULL;
	fresh->un = un;
	fresh->uid = uid;
	fresh->exempt = exempt;
	refcount_set(&fresh->ref, 1);
	spin_lock_bh(&uet_accounts_lock);
	acc = uet_account_find(un, uid, exempt);
	/* The last reference is dropped under the lock: ref > 0 here. */
	if (acc)
		refcount_inc(&acc->ref);
	else
		hlist_add_head(&fresh->node,
			       &uet_accounts[uet_account_slot(un, uid)]);
	spin_unlock_bh(&uet_accounts_lock);
	if (!acc)
		return fresh;
	kfree(fresh);
	return acc;
}

/**
 * uet_account_put() - drop a reference
 * @acc: the account, or NULL
 *
 * Context: any but hard interrupts.
 */
void uet_account_put(struct uet_account *acc)
{
	if (!acc)
		return;
	local_bh_disable();
	if (refcount_dec_and_lock(&acc->ref, &uet_accounts_lock)) {
		hlist_del(&acc->node);
		spin_unlock(&uet_accounts_lock);
		WARN_ON_ONCE(atomic_read(&acc->eps) ||
			     atomic_read(&acc->pdcs) ||
			     atomic_read(&acc->silent) ||
			     atomic_read(&acc->held) ||
			     atomic_read(&acc->pings) ||
			     atomic_long_read(&acc->mem));
		kfree(acc);
	}
	local_bh_enable();
}

/**
 * uet_account_owner() - get the account of the owner of a namespace
 * @un: namespace
 * @acc: set to the account with a reference; NULL in the initial user namespace
 *
 * Nested user namespaces belong to the owner of the outermost one.
 *
 * Context: process.
 * Return: 0 or -ENOMEM.
 */
int uet_account_owner(struct uet_net *un, struct uet_account **acc)
{
	struct user_namespace *ns = un->net->user_ns;

	*acc = NULL;
	if (ns == &init_user_ns)
		return 0;
	while (ns->parent != &init_user_ns)
		ns = ns->parent;
	*acc = uet_account_get(NULL, ns->owner, false);
	return *acc ? 0 : -ENOMEM;
}

/**
 * uet_account_user() - get the account of the user who creates a socket
 * @un: namespace
 * @uid: the user
 *
 * Context: process, of that user.
 * Return: the account with a reference, or NULL without memory.
 */
struct uet_account *uet_account_user(struct uet_net *un, kuid_t uid)
{
	bool exempt = ns_capable_noaudit(&init_user_ns, CAP_SYS_RESOURCE);

	if (!un->owner || exempt)
		return uet_account_get(un, uid, exempt);
	refcount_inc(&un->owner->ref);
	return un->owner;
}

/* The sysctls with the limits of an account */
static const struct uet_sysctl *uet_account_limits(const struct uet_account *acc)
{
	return acc->un ? &acc->un->sysctl : &uet_net(&init_net)->sysctl;
}

/**
 * uet_account_ep() - charge an endpoint
 * @acc: the account
 *
 * Context: any.
 * Return: false if its user has net.uet.user_eps of them.
 */
bool uet_account_ep(struct uet_account *acc)
{
	u32 max = READ_ONCE(uet_account_limits(acc)->user_eps);

	if ((u32)atomic_inc_return(&acc->eps) <= max || acc->exempt)
		return true;
	atomic_dec(&acc->eps);
	return false;
}

/**
 * uet_account_pdc_max() - how many PDCs may a user have?
 * @acc: the account
 *
 * Context: any.
 * Return: net.uet.user_pdcs, or no limit.
 */
u32 uet_account_pdc_max(const struct uet_account *acc)
{
	return acc->exempt ? U32_MAX : READ_ONCE(uet_account_limits(acc)->user_pdcs);
}

/**
 * uet_account_pdc() - charge a PDC
 * @acc: the account
 *
 * Context: any.
 * Return: false if its user has net.uet.user_pdcs of them.
 */
bool uet_account_pdc(struct uet_account *acc)
{
	if ((u32)atomic_inc_return(&acc->pdcs) <= uet_account_pdc_max(acc)) {
		refcount_inc(&acc->ref);
		return true;
	}
	atomic_dec(&acc->pdcs);
	return false;
}

/**
 * uet_account_pdc_gone() - undo uet_account_pdc()
 * @acc: the account, or NULL
 *
 * Context: any but hard interrupts.
 */
void uet_account_pdc_gone(struct uet_account *acc)
{
	if (!acc)
		return;
	atomic_dec(&acc->pdcs);
	uet_account_put(acc);
}

/**
 * uet_account_silent() - the peer of a PDC does not answer, or does again
 * @acc: the account of the PDC
 * @silent: whether it is silent now, another value than before
 *
 * Context: any.
 */
void uet_account_silent(struct uet_account *acc, bool silent)
{
	atomic_add(silent ? 1 : -1, &acc->silent);
}

/**
 * uet_account_spread_ms() - how seldom each silent peer of a user may be tried
 * @acc: the account
 *
 * Timers try silent peers, whether the programs of the user run or not: all of them
 * together take a small part of a processor.
 *
 * Context: any.
 * Return: least interval, ms.
 */
u32 uet_account_spread_ms(const struct uet_account *acc)
{
	return (u32)atomic_read(&acc->silent) / UET_SILENT_TRIES_PER_MS;
}

/**
 * uet_account_ping() - charge a probe of a path or an endpoint
 * @acc: the account
 *
 * Context: any.
 * Return: false if its user has as many as a user may have.
 */
bool uet_account_ping(struct uet_account *acc)
{
	if (atomic_inc_return(&acc->pings) <= UET_USER_PINGS || acc->exempt)
		return true;
	atomic_dec(&acc->pings);
	return false;
}

/**
 * uet_account_mem() - charge memory of messages to the owner of a namespace
 * @acc: account of the owner
 * @bytes: how much
 * @eighths: reserve above the limit, see uet_mem_charge_more(); < 0: what is left below
 *
 * Context: any.
 * Return: false above half of net.uet.mem of init_net, plus or less @eighths of it.
 */
bool uet_account_mem(struct uet_account *acc, unsigned long bytes,
		     int eighths)
{
	unsigned long max = READ_ONCE(uet_account_limits(acc)->mem) /
			    UET_OWNER_MEM_SHARE;

	max += (long)(max / 8) * eighths;
	if ((unsigned long)atomic_long_add_return(bytes, &acc->mem) <= max)
		return true;
	atomic_long_sub(bytes, &acc->mem);
	return false;
}
