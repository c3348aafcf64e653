/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Netfilter hooks of a namespace.
 */
#ifndef _UET_HOOK_H
#define _UET_HOOK_H

#include <linux/types.h>

struct nf_hook_ops;
struct uet_net;

int uet_net_hook_locked(struct uet_net *un, bool *on,
			const struct nf_hook_ops *ops, unsigned int n);
void uet_net_unhook_locked(struct uet_net *un, bool *on,
			   const struct nf_hook_ops *ops, unsigned int n);
int uet_net_hook(struct uet_net *un, bool *on, const struct nf_hook_ops *ops,
		 unsigned int n);
void uet_net_unhook(struct uet_net *un, bool *on,
		    const struct nf_hook_ops *ops, unsigned int n);

#endif /* _UET_HOOK_H */
