// SPDX-License-Identifier: GPL-2.0
/*
 * Object "fep": local fabric addresses.
 */
#include <linux/uet_netlink.h>

#include "field.h"
#include "verbs.h"

static const struct field fields[] = {
	{ "addr", UET_A_FEP_ADDR, K_ADDR, F_BARE },
	{ "dev", UET_A_FEP_IFINDEX, K_DEV },
	{ "udp_port", UET_A_FEP_UDP_PORT, K_NUM },
	{ "peers", UET_A_FEP_PEERS, K_NUM },
	{ "pdcs", UET_A_FEP_PDCS, K_NUM },
	{ 0 }
};

static const struct arg args[] = {
	{ "local", ARG_ADDR, UET_A_FILTER_LOCAL, NULL, "this address" },
	{ "dev", ARG_DEV, UET_A_FILTER_IFINDEX, NULL, "addresses of this interface" },
	{ 0 }
};

const struct object object_fep = {
	UET_CMD_FEP_GET, UET_A_FEP_FILTER, fields,
};

const struct cmd verbs_fep[] = {
	{ .name = "show", .run = show_run, .object = &object_fep, .args = args,
	  .help = "list local fabric addresses that are in use" },
	{ 0 }
};
