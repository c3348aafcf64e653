/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The table of endpoints: finds the socket that a message is for.
 */
#ifndef _UET_EP_H
#define _UET_EP_H

#include <linux/types.h>

struct in6_addr;
struct sockaddr_uet;
struct uet_ep_hint;
struct uet_net;
struct uet_sock;

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
struct uet_sock *uet_ep_recall(struct uet_net *un, struct uet_ep_hint *hint,
			       const struct in6_addr *laddr, int scope,
			       int iif, u32 job, u16 pid, u16 ri,
			       enum uet_lookup_fail *why);
int uet_ep_bind(struct uet_sock *us, const struct sockaddr_uet *addr);
int uet_ep_autobind(struct uet_sock *us);
void uet_ep_unbind(struct uet_sock *us);

void uet_ep_table_init(struct uet_net *un);
void uet_ep_table_exit(struct uet_net *un);
struct uet_sock *uet_ep_next(struct uet_net *un, u64 *id);
void uet_ep_for_each(struct uet_net *un,
		     void (*fn)(struct uet_sock *us, void *arg), void *arg);

#endif /* _UET_EP_H */
