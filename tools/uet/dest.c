// SPDX-License-Identifier: GPL-2.0
/*
 * Object "dest": what sockets send, by endpoint.
 */
#include <linux/uet_netlink.h>

#include "field.h"
#include "names.gen.h"
#include "verbs.h"

static const struct field fields[] = {
	{ "remote", UET_A_DEST_REMOTE, K_ENDPOINT, F_BARE },
	{ "inode", UET_A_DEST_INODE, K_NUM },
	{ "pidonfep", UET_A_DEST_PID, K_NUM },
	{ "mode", UET_A_DEST_MODE, K_ENUM, 0, &names_mode },
	{ "msgs", UET_A_DEST_MSGS, K_NUM },
	{ "bytes", UET_A_DEST_BYTES, K_BYTES },
	{ "wait", UET_A_DEST_WAIT, K_ENUM, 0, &names_wait },
	{ "wait_ns", UET_A_DEST_WAIT_NS, K_NS, F_NONZERO },
	{ "oldest_ns", UET_A_DEST_OLDEST_NS, K_NS },
	{ "local", UET_A_DEST_LOCAL, K_ADDR, F_DETAILS | F_LINE },
	{ "pdc", UET_A_DEST_PDC, K_NUM, F_DETAILS },
	{ "ccc", UET_A_DEST_CCC, K_NUM, F_DETAILS },
	{ "tclass", UET_A_DEST_TCLASS, K_NUM, F_DETAILS },
	{ "waited_receiver_ns", UET_A_DEST_WAITED_RECEIVER_NS, K_NS, F_STATS },
	{ 0 }
};

static const struct arg args[] = {
	{ "peer", ARG_PREFIX, UET_A_FILTER_REMOTE, NULL, "at these peers" },
	{ "inode", ARG_U64, UET_A_FILTER_INODE, NULL, "of this socket" },
	{ "pidonfep", ARG_PID, UET_A_FILTER_PID, NULL, "of the socket" },
	{ "job", ARG_U32, UET_A_FILTER_JOB, NULL, "of this job" },
	{ "waiting", ARG_FLAG, UET_A_FILTER_WAITING, NULL, "data waits" },
	{ 0 }
};

const struct object object_dest = {
	UET_CMD_DEST_GET, UET_A_DEST_FILTER, fields,
};

const struct cmd verbs_dest[] = {
	{ .name = "show", .run = show_run, .object = &object_dest, .args = args,
	  .ask = ASK_PEERS, .help = "list endpoints that sockets send to" },
	{ 0 }
};
