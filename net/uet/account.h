/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Accounts: what a user holds of the module, and may.
 */
#ifndef _UET_ACCOUNT_H
#define _UET_ACCOUNT_H

#include <linux/atomic.h>
#include <linux/refcount.h>
#include <linux/types.h>
#include <linux/uidgid.h>

struct uet_net;

/**
 * struct uet_account - what a user holds
 * @node: in the table of all accounts
 * @un: namespace, as a name and for its limits: who holds a reference is in it;
 *	NULL for the owner of namespaces
 * @uid: user, or owner
 * @exempt: not limited
 * @ref: sockets, contexts, the namespaces of an owner
 * @eps: endpoints
 * @pdcs: contexts
 * @mem: bytes, only of an owner
 */
struct uet_account {
	struct hlist_node	node;
	struct uet_net		*un;
	kuid_t			uid;
	bool			exempt;
	refcount_t		ref;
	atomic_t		eps;
	atomic_t		pdcs;
	atomic_long_t		mem;
};

int uet_account_owner(struct uet_net *un, struct uet_account **acc);
struct uet_account *uet_account_user(struct uet_net *un, kuid_t uid);
void uet_account_put(struct uet_account *acc);

bool uet_account_ep(struct uet_account *acc);
bool uet_account_pdc(struct uet_account *acc);
void uet_account_pdc_gone(struct uet_account *acc);
bool uet_account_mem(struct uet_account *acc, unsigned long bytes,
		     unsigned int eighths);

static inline void uet_account_ep_gone(struct uet_account *acc)
{
	atomic_dec(&acc->eps);
}

static inline void uet_account_mem_gone(struct uet_account *acc,
					unsigned long bytes)
{
	atomic_long_sub(bytes, &acc->mem);
}

#endif /* _UET_ACCOUNT_H */
