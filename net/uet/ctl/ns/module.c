// SPDX-License-Identifier: GPL-2.0
/*
 * Module init and exit, in order of dependencies.
 */
#include <linux/module.h>
#include <linux/uet.h>

#include "cq/buffer.h"
#include "ctl/genl/genl.h"
#include "ctl/ns/netns.h"
#include "input/home.h"
#include "input/input.h"
#include "link/bh.h"
#include "link/speed.h"
#include "pdc/pdc.h"
#include "rx/pds/half.h"
#include "rx/ses/rxmsg.h"
#include "sock.h"
#include "sock/calls.h"
#include "tx/cms/neigh.h"
#include "tx/cms/path.h"
#include "tx/msg/txmsg.h"
#include "tx/pds/half.h"

module_param_named(family, uet_family, int, 0444);
MODULE_PARM_DESC(family, "number of the address family, below AF_MAX");

static int __init uet_caches_init(void)
{
	int err = uet_txmsg_cache_init();

	if (err)
		return err;
	err = uet_rxmsg_cache_init();
	if (err)
		goto err_tx;
	err = uet_dest_cache_init();
	if (err)
		goto err_rx;
	err = uet_pdc_cache_init();
	if (err)
		goto err_dest;
	err = uet_pdc_tx_init();
	if (err)
		goto err_pdc;
	err = uet_pdc_rx_init();
	if (err)
		goto err_pdc_tx;
	err = uet_early_cache_init();
	if (err)
		goto err_pdc_rx;
	return 0;

err_pdc_rx:
	uet_pdc_rx_exit();
err_pdc_tx:
	uet_pdc_tx_exit();
err_pdc:
	uet_pdc_cache_exit();
err_dest:
	uet_dest_cache_exit();
err_rx:
	uet_rxmsg_cache_exit();
err_tx:
	uet_txmsg_cache_exit();
	return err;
}

static void uet_caches_exit(void)
{
	uet_early_cache_exit();
	uet_pdc_rx_exit();
	uet_pdc_tx_exit();
	uet_pdc_cache_exit();
	uet_dest_cache_exit();
	uet_rxmsg_cache_exit();
	uet_txmsg_cache_exit();
}

static int __init uet_init(void)
{
	int err;

	uet_input_init();
	err = uet_bh_init();
	if (err)
		return err;
	uet_home_init();
	uet_ack_late_init();
	err = uet_caches_init();
	if (err)
		goto err_home;
	err = uet_buffer_init();
	if (err)
		goto err_caches;
	err = uet_sock_init();
	if (err)
		goto err_buffer;
	err = uet_path_init();
	if (err)
		goto err_sock;
	err = uet_neigh_init();
	if (err)
		goto err_path;
	err = uet_netns_register();
	if (err)
		goto err_neigh;
	uet_native_init();
	err = uet_speed_init();
	if (err)
		goto err_native;
	err = uet_genl_init();
	if (err)
		goto err_speed;
	err = uet_sock_open();
	if (err)
		goto err_genl;
	return 0;

err_genl:
	uet_genl_exit();
err_speed:
	uet_speed_exit();
err_native:
	uet_native_exit();
	uet_netns_unregister();
err_neigh:
	uet_neigh_exit();
err_path:
	uet_path_exit();
err_sock:
	uet_sock_exit();
err_buffer:
	uet_buffer_exit();
err_caches:
	rcu_barrier();
	uet_caches_exit();
err_home:
	uet_ack_late_exit();
	uet_home_exit();
	uet_bh_exit();
	return err;
}

static void __exit uet_exit(void)
{
	uet_sock_close();
	uet_genl_exit();
	uet_speed_exit();
	uet_native_exit();
	uet_netns_unregister();
	uet_sock_wait();
	uet_buffer_exit();
	uet_neigh_exit();
	uet_path_exit();
	uet_sock_exit();
	uet_caches_exit();
	uet_ack_late_exit();
	uet_home_exit();
	uet_bh_exit();
}

module_init(uet_init);
module_exit(uet_exit);

MODULE_DESCRIPTION("Ultra Ethernet Transport sockets");
MODULE_LICENSE("GPL");
/* In a kernel tree it has none but that of the kernel */
#ifdef UET_VERSION
MODULE_VERSION(UET_VERSION);
#endif
MODULE_ALIAS_NETPROTO(AF_UET);
