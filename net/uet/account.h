/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Accounts: resources that a user holds, and their limits.
 */
#ifndef _UET_ACCOUNT_H
#define _UET_ACCOUNT_H

#include <linux/atomic.h>
#include <linux/refcount.h>
#include <linux/types.h>
#include <linux/uidgid.h>

struct uet_net;

/**
 * struct uet_account - resources that a user holds
 * @node: in the table of all accounts
 * @un: namespace, part of the key, and for its limits; no reference, as all that
 *	hold one to the account are in it; NULL for an owner of namespaces
 * @uid: user, or owner
 * @exempt: not limited
 * @ref: sockets, PDCs, the namespaces of an owner
 * @eps: endpoints
 * @pdcs: PDCs
 * @silent: those of them whose peers do not answer
 * @held: queues whose targets were short of room
 * @pings: probes of paths and endpoints
 * @pace: when the owner may send the next one, ns; used for owners only
 * @mem: bytes, used for owners only
 */
struct uet_account {
	struct hlist_node	node;
	struct uet_net		*un;
	kuid_t			uid;
	bool			exempt;
	refcount_t		ref;
	atomic_t		eps;
	atomic_t		pdcs;
	atomic_t		silent;
	atomic_t		held;
	atomic_t		pings;
	atomic64_t		pace;
	atomic_long_t		mem;
};

int uet_account_owner(struct uet_net *un, struct uet_account **acc);
struct uet_account *uet_account_user(struct uet_net *un, kuid_t uid);
void uet_account_put(struct uet_account *acc);

bool uet_account_ep(struct uet_account *acc);
u32 uet_account_pdc_max(const struct uet_account *acc);
bool uet_account_pdc(struct uet_account *acc);
void uet_account_pdc_gone(struct uet_account *acc);
void uet_account_silent(struct uet_account *acc, bool silent);
u32 uet_account_spread_ms(const struct uet_account *acc);
bool uet_account_mem(struct uet_account *acc, unsigned long bytes,
		     int eighths);

bool uet_account_ping(struct uet_account *acc);

/* A queue has a target that is short of room, or is empty again. */
static inline void uet_account_held(struct uet_account *acc, bool held)
{
	atomic_add(held ? 1 : -1, &acc->held);
}

/* Their number, which changes at any time */
static inline const int *uet_account_held_nr(const struct uet_account *acc)
{
	return &acc->held.counter;
}

static inline void uet_account_ping_gone(struct uet_account *acc)
{
	atomic_dec(&acc->pings);
}

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
