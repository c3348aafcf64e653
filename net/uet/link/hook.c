// SPDX-License-Identifier: GPL-2.0
/*
 * Netfilter hooks of a namespace: registered when first needed, not twice, and not
 * in a namespace that exits.
 */
#include <linux/netfilter.h>

#include "base.h"
#include "link/hook.h"

/**
 * uet_net_hook_locked() - register netfilter hooks of a namespace
 * @un: namespace
 * @on: set while the hooks are registered; under uet_net.open_mutex
 * @ops: the hooks
 * @n: their number
 *
 * Context: process, uet_net.open_mutex held.
 * Return: 0, also if they were registered already; -ENETDOWN in a namespace
 * that exits, or the error of the registration.
 */
int uet_net_hook_locked(struct uet_net *un, bool *on,
			const struct nf_hook_ops *ops, unsigned int n)
{
	int err = 0;

	lockdep_assert_held(&un->open_mutex);
	if (un->exiting)
		err = -ENETDOWN;
	else if (!*on)
		err = nf_register_net_hooks(un->net, ops, n);
	if (!err)
		WRITE_ONCE(*on, true);
	return err;
}

/**
 * uet_net_unhook_locked() - undo uet_net_hook_locked()
 * @un: namespace
 * @on: see uet_net_hook_locked()
 * @ops: see uet_net_hook_locked()
 * @n: see uet_net_hook_locked()
 *
 * Context: process, uet_net.open_mutex held.
 */
void uet_net_unhook_locked(struct uet_net *un, bool *on,
			   const struct nf_hook_ops *ops, unsigned int n)
{
	lockdep_assert_held(&un->open_mutex);
	if (*on)
		nf_unregister_net_hooks(un->net, ops, n);
	WRITE_ONCE(*on, false);
}

/**
 * uet_net_hook() - take the mutex and call uet_net_hook_locked()
 * @un: namespace
 * @on: see uet_net_hook_locked()
 * @ops: see uet_net_hook_locked()
 * @n: see uet_net_hook_locked()
 *
 * Context: process.
 * Return: see uet_net_hook_locked().
 */
int uet_net_hook(struct uet_net *un, bool *on, const struct nf_hook_ops *ops,
		 unsigned int n)
{
	int err;

	mutex_lock(&un->open_mutex);
	err = uet_net_hook_locked(un, on, ops, n);
	mutex_unlock(&un->open_mutex);
	return err;
}

/**
 * uet_net_unhook() - undo uet_net_hook()
 * @un: namespace
 * @on: see uet_net_hook_locked()
 * @ops: see uet_net_hook_locked()
 * @n: see uet_net_hook_locked()
 *
 * Context: process.
 */
void uet_net_unhook(struct uet_net *un, bool *on,
		    const struct nf_hook_ops *ops, unsigned int n)
{
	mutex_lock(&un->open_mutex);
	uet_net_unhook_locked(un, on, ops, n);
	mutex_unlock(&un->open_mutex);
}
