// SPDX-License-Identifier: GPL-2.0
/*
 * Object "port": local interfaces towards peers.
 */
#include <linux/uet_netlink.h>

#include "field.h"
#include "verbs.h"

static const struct field fields[] = {
	{ "dev", UET_A_PORT_IFINDEX, K_DEV, F_BARE },
	{ "up", UET_A_PORT_UP, K_FLAG },
	{ "mbps", UET_A_PORT_MBPS, K_MBPS },
	{ "local", UET_A_PORT_LOCAL, K_ADDR },
	{ "remote", UET_A_PORT_REMOTE, K_ADDR },
	{ "via", UET_A_PORT_VIA, K_ADDR },
	{ "via_state", UET_A_PORT_VIA_STATE, K_NUD },
	{ "mtu", UET_A_PORT_MTU, K_NUM },
	{ "backlog", UET_A_PORT_BACKLOG, K_BYTES },
	{ 0 }
};

static const struct arg args[] = {
	{ "peer", ARG_PREFIX, UET_A_FILTER_REMOTE, NULL, "towards these peers" },
	{ "local", ARG_ADDR, UET_A_FILTER_LOCAL, NULL, "of this local address" },
	{ "dev", ARG_DEV, UET_A_FILTER_IFINDEX, NULL, "this interface" },
	{ 0 }
};

const struct object object_port = {
	UET_CMD_PORT_GET, UET_A_PORT_FILTER, fields,
};

const struct cmd verbs_port[] = {
	{ .name = "show", .run = show_run, .object = &object_port, .args = args,
	  .ask = ASK_PEERS, .help = "list local interfaces towards peers" },
	{ 0 }
};
