// SPDX-License-Identifier: GPL-2.0
/*
 * Coming and going of UET in a network namespace.
 *
 * Exit runs in two steps. In pre_exit nothing new may start any more and the
 * tunnel sockets close; the kernel then waits for all packets under way. In
 * exit the PDCs die, their timers and the transmit softirq finish, and only
 * then does what they refer to go.
 */
#include <linux/module.h>
#include <linux/netdevice.h>
#include <linux/netfilter.h>
#include <linux/wait_bit.h>

#include "base.h"
#include "link/encap.h"
#include "link/peer.h"
#include "link/ports.h"
#include "link/speed.h"
#include "mib.h"
#include "ns/peer_params.h"
#include "pdc/credit.h"
#include "pdc/pdc.h"
#include "rx/rxmsg.h"
#include "sock.h"
#include "tx/flow.h"
#include "tx/path.h"
#include "tx/rtt.h"
#include "tx/txmsg.h"

unsigned int uet_net_id __read_mostly;

/**
 * uet_net_hook_locked() - see packets of a namespace pass
 * @un: namespace
 * @on: set while the hooks are registered; under uet_net.open_mutex
 * @ops: the hooks
 * @n: their number
 *
 * Context: process, uet_net.open_mutex held.
 * Return: 0, also if they were registered already; -ENETDOWN in a namespace
 * that goes away, or the error of the registration.
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
 * uet_net_unhook_locked() - undo it
 * @un: namespace
 * @on: as there
 * @ops: as there
 * @n: as there
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
 * uet_net_hook() - uet_net_hook_locked() without the mutex
 * @un: namespace
 * @on: as there
 * @ops: as there
 * @n: as there
 *
 * Context: process.
 * Return: as there.
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
 * @on: as there
 * @ops: as there
 * @n: as there
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

static void uet_reap_work(struct work_struct *work)
{
	uet_pdc_flush(container_of(work, struct uet_net, reap_work));
}

static int __net_init uet_net_init(struct net *net)
{
	struct uet_net *un = uet_net(net);
	int err;

	un->net = net;
	un->root = make_kuid(net->user_ns, 0);
	uet_sysctl_defaults(un);
	uet_ep_table_init(un);
	init_llist_head(&un->reap);
	INIT_WORK(&un->reap_work, uet_reap_work);
	uet_pdc_shed_init(un);
	uet_rx_short_init(un);
	uet_rx_free_init(un);
	uet_ports_init(un);
	uet_speed_net_init(un);
	mutex_init(&un->open_mutex);
	uet_encap_init(un);
	uet_nack_limit_init(un);
	spin_lock_init(&un->rtts_lock);
	uet_credit_init(un);
	err = uet_account_owner(un, &un->owner);
	if (err)
		return err;
	err = uet_mib_init(un);
	if (err)
		goto err_owner;
	err = uet_peer_params_init(un);
	if (err)
		goto err_mib;
	err = uet_path_show_init(un);
	if (err)
		goto err_params;
	err = uet_dest_table_init(un);
	if (err)
		goto err_show;
	err = uet_peer_tables_init(un);
	if (err)
		goto err_dests;
	err = uet_pdc_accept_init(un);
	if (err)
		goto err_peers;
	err = uet_guard_enable(un);
	if (err)
		goto err_pdcs;
	err = uet_sysctl_register(un);
	if (err)
		goto err_guard;
	return 0;

err_guard:
	uet_guard_disable(un);
	/* The caller frees @un, and packets may still be in the hooks. */
	synchronize_net();
err_pdcs:
	uet_pdc_accept_exit(un);
err_peers:
	uet_peer_tables_exit(un);
err_dests:
	uet_dest_table_exit(un);
err_show:
	uet_path_show_exit(un);
err_params:
	uet_peer_params_exit(un);
err_mib:
	uet_mib_exit(un);
err_owner:
	uet_account_put(un->owner);
	return err;
}

static void __net_exit uet_net_pre_exit(struct net *net)
{
	struct uet_net *un = uet_net(net);

	uet_sysctl_unregister(un);
	WRITE_ONCE(un->exiting, true);
	/* Whoever saw it clear under the mutex has finished after this. */
	mutex_lock(&un->open_mutex);
	mutex_unlock(&un->open_mutex);
	uet_trim_disable(un);
	uet_untrack_disable(un);
	uet_guard_disable(un);
	uet_encap_close(un);
}

static void __net_exit uet_net_exit(struct net *net)
{
	struct uet_net *un = uet_net(net);

	uet_pdc_kill_all(un);
	wait_var_event(&un->flows, !atomic_read(&un->flows));
	wait_var_event(&un->pdcs, !atomic_read(&un->pdcs));
	uet_encap_exit(un);
	uet_pdc_shed_exit(un);
	uet_rx_short_exit(un);
	uet_rx_free_exit(un);
	uet_ports_exit(un);
	uet_speed_net_exit(un);
	uet_credit_exit(un);
	uet_pdc_accept_exit(un);
	uet_peer_tables_exit(un);
	uet_rtt_forget(un);
	uet_dest_table_exit(un);
	uet_path_show_exit(un);
	uet_peer_params_exit(un);
	uet_mib_exit(un);
	uet_ep_table_exit(un);
	WARN_ON_ONCE(atomic_long_read(&un->mem) ||
		     atomic_long_read(&un->rx_ready));
	uet_account_put(un->owner);
}

static struct pernet_operations uet_net_ops = {
	.init		= uet_net_init,
	.pre_exit	= uet_net_pre_exit,
	.exit		= uet_net_exit,
	.id		= &uet_net_id,
	.size		= sizeof(struct uet_net),
};

int uet_netns_register(void)
{
	int err = uet_flow_init();

	if (err)
		return err;
	err = register_pernet_subsys(&uet_net_ops);
	if (err)
		uet_flow_exit();
	return err;
}

void uet_netns_unregister(void)
{
	unregister_pernet_subsys(&uet_net_ops);
	uet_flow_exit();
}
