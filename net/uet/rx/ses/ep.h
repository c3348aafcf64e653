/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The table of endpoints: finds the socket that a message is for.
 */
#ifndef _UET_EP_H
#define _UET_EP_H

#include <linux/types.h>
#include <net/ipv6.h>

#include "link/addr.h"
#include "link/packet.h"
#include "sock.h"

/*
 * enum uet_lookup_fail - why no endpoint was found, with its SES return code
 */
enum uet_lookup_fail {
	UET_LOOKUP_JOB	= 1,	/* BAD_JOB_ID */
	UET_LOOKUP_PID,		/* BAD_PID */
	UET_LOOKUP_RI,		/* BAD_INDEX */
};

struct uet_sock *uet_ep_lookup(struct uet_net *un, const struct in6_addr *laddr,
			       int scope, int iif, u32 job, u16 pid, u16 ri,
			       enum uet_lookup_fail *why);
u8 uet_lookup_rc(enum uet_lookup_fail why);
struct uet_sock *uet_ep_recall_any(struct uet_ep_hint *hint,
				   const struct uet_rx_ctx *rx,
				   enum uet_lookup_fail *why);

static inline bool uet_ep_named(const struct uet_sock *us,
				const struct uet_ses_req *ses)
{
	const struct sockaddr_uet *name = &us->local;

	return name->suet_job == ses->job && name->suet_pid == ses->pid &&
	       name->suet_ri == ses->ri;
}

/* Is a packet for an endpoint that it names, whatever its interface is? */
static inline bool uet_ep_takes(const struct uet_sock *us,
				const struct uet_rx_ctx *rx)
{
	const struct sockaddr_uet *name = &us->local;

	if (READ_ONCE(us->sk.sk_bound_dev_if) || READ_ONCE(us->rx_closed))
		return false;
	return likely(ipv6_addr_equal(&name->suet_addr, &rx->daddr)) ?
	       !name->suet_scope_id : uet_addr_any(&name->suet_addr);
}

/**
 * uet_ep_recall() - uet_ep_lookup() for repeated lookups of one endpoint
 * @hint: remembers the endpoint; the caller's lock protects it
 * @rx: a request
 * @why: see uet_ep_lookup()
 *
 * A hint is valid as long as the table does not change. An endpoint leaves the
 * table before its grace period begins.
 *
 * Context: RCU section; the result is valid in it.
 * Return: the socket or NULL.
 */
static inline struct uet_sock *uet_ep_recall(struct uet_ep_hint *hint,
					     const struct uet_rx_ctx *rx,
					     enum uet_lookup_fail *why)
{
	struct uet_sock *us = hint->us;

	/* Pairs with uet_ep_changed() */
	if (likely(us && hint->gen == smp_load_acquire(&rx->un->ep_gen) &&
		   uet_ep_named(us, &rx->pkt->ses) && uet_ep_takes(us, rx)))
		return us;
	return uet_ep_recall_any(hint, rx, why);
}

int uet_ep_bind(struct uet_sock *us, const struct sockaddr_uet *addr);
int uet_ep_autobind(struct uet_sock *us);
void uet_ep_unbind(struct uet_sock *us);

void uet_ep_table_init(struct uet_net *un);
void uet_ep_table_exit(struct uet_net *un);
struct uet_sock *uet_ep_next(struct uet_net *un, u64 *id);
void uet_ep_for_each(struct uet_net *un,
		     void (*fn)(struct uet_sock *us, void *arg), void *arg);

#endif /* _UET_EP_H */
