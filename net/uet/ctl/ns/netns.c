// SPDX-License-Identifier: GPL-2.0
/*
 * Init and exit of UET in a network namespace.
 *
 * Exit runs in two steps. pre_exit stops everything new and closes the tunnel
 * sockets; the kernel then waits for packets under way. exit kills the PDCs, waits
 * for their timers and the transmit softirq, and then frees what they refer to.
 */
#include <linux/module.h>
#include <linux/netdevice.h>
#include <linux/wait_bit.h>

#include "base.h"
#include "ctl/conf/param.h"
#include "ctl/ns/netns.h"
#include "input/home.h"
#include "link/encap.h"
#include "link/peer.h"
#include "link/peer_rules.h"
#include "link/ports.h"
#include "link/rttcache.h"
#include "link/speed.h"
#include "mib.h"
#include "pdc/pdc.h"
#include "ping/ping.h"
#include "rx/cms/credit.h"
#include "rx/pds/half.h"
#include "rx/ses/ep.h"
#include "rx/ses/rxmsg.h"
#include "sock.h"
#include "tx/cms/flow.h"
#include "tx/msg/failure.h"
#include "tx/msg/txmsg.h"
#include "tx/pds/half.h"
#include "tx/queue/defer.h"
#include "tx/queue/rudi.h"

static void uet_reap_work(struct work_struct *work)
{
	uet_pdc_flush(container_of(work, struct uet_net, reap_work));
}

/* What cannot fail */
static void __net_init uet_net_prepare(struct uet_net *un, struct net *net)
{
	un->net = net;
	un->root = make_kuid(net->user_ns, 0);
	uet_param_defaults(un);
	uet_events_init(un);
	uet_ep_table_init(un);
	init_llist_head(&un->reap);
	init_llist_head(&un->drained);
	INIT_WORK(&un->reap_work, uet_reap_work);
	uet_flow_net_init(un);
	uet_peer_rules_init(un);
	uet_pdc_shed_init(un);
	uet_rx_short_init(un);
	uet_rx_free_init(un);
	uet_flow_source_init(un);
	uet_speed_net_init(un);
	mutex_init(&un->open_mutex);
	uet_encap_init(un);
	uet_nack_limit_init(un);
	uet_close_req_limit_init(un);
	spin_lock_init(&un->rtts_lock);
	uet_credit_init(un);
	uet_rudi_init(un);
	uet_defer_init(un);
}

static int __net_init uet_net_init(struct net *net)
{
	struct uet_net *un = uet_net(net);
	int err;

	uet_net_prepare(un, net);
	err = uet_account_owner(un, &un->owner);
	if (err)
		return err;
	err = uet_mem_init(&un->mem);
	if (err)
		goto err_owner;
	err = uet_failures_init(un);
	if (err)
		goto err_mem;
	err = uet_pings_init(un);
	if (err)
		goto err_failures;
	err = uet_mib_init(un);
	if (err)
		goto err_pings;
	err = uet_proc_init(un);
	if (err)
		goto err_mib;
	err = uet_proc_peer_init(un);
	if (err)
		goto err_proc;
	err = uet_proc_path_init(un);
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
	/* The caller frees @un, which packets in the hooks may still use. */
	synchronize_net();
err_pdcs:
	uet_pdc_accept_exit(un);
err_peers:
	uet_peer_tables_exit(un);
err_dests:
	uet_dest_table_exit(un);
err_show:
	uet_proc_path_exit(un);
err_params:
	uet_proc_peer_exit(un);
err_proc:
	uet_proc_exit(un);
err_mib:
	uet_mib_exit(un);
err_pings:
	uet_pings_exit(un);
err_failures:
	uet_failures_exit(un);
err_mem:
	uet_mem_exit(&un->mem);
err_owner:
	uet_account_put(un->owner);
	uet_events_exit(un);
	return err;
}

static void __net_exit uet_net_pre_exit(struct net *net)
{
	struct uet_net *un = uet_net(net);

	uet_sysctl_unregister(un);
	WRITE_ONCE(un->exiting, true);
	/* Wait for those who saw it clear under the mutex. */
	mutex_lock(&un->open_mutex);
	mutex_unlock(&un->open_mutex);
	uet_pings_stop(un);
	uet_untrack_disable(un);
	uet_guard_disable(un);
	uet_encap_close(un);
}

static void __net_exit uet_net_exit(struct net *net)
{
	struct uet_net *un = uet_net(net);

	uet_home_flush(un);
	uet_rudi_exit(un);
	uet_pdc_kill_all(un);
	flush_work(&un->reap_work);
	uet_pdc_flush(un);
	uet_defer_exit(un);
	wait_var_event(&un->flows, !atomic_read(&un->flows));
	wait_var_event(&un->pdcs, !atomic_read(&un->pdcs));
	flush_work(&un->reap_work);
	wait_var_event(&un->op_ends, !atomic_read(&un->op_ends));
	uet_encap_exit(un);
	uet_pdc_shed_exit(un);
	uet_rx_short_exit(un);
	uet_rx_free_exit(un);
	uet_ports_exit(un);
	uet_speed_net_exit(un);
	uet_credit_exit(un);
	uet_pdc_accept_exit(un);
	uet_peer_tables_exit(un);
	uet_flow_net_exit(un);
	uet_rtt_forget(un);
	uet_dest_table_exit(un);
	uet_proc_path_exit(un);
	uet_proc_peer_exit(un);
	uet_peer_rules_exit(un);
	uet_proc_exit(un);
	uet_events_exit(un);
	uet_pings_exit(un);
	uet_failures_exit(un);
	uet_mib_exit(un);
	uet_ep_table_exit(un);
	WARN_ON_ONCE(uet_mem_used(&un->mem) || uet_mem_ready(&un->mem));
	uet_mem_exit(&un->mem);
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
	uet_flow_tx_init();
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
