// SPDX-License-Identifier: GPL-2.0
/*
 * Object "sock": bound sockets.
 */
#include <linux/uet_netlink.h>
#include <string.h>

#include "field.h"
#include "names.gen.h"
#include "procs.h"
#include "sock.h"
#include "verbs.h"

const struct field fields_sock[] = {
	{ "type", UET_A_SOCK_TYPE, K_ENUM, F_BARE, &names_sock_type },
	{ "local", UET_A_SOCK_LOCAL, K_ENDPOINT },
	{ "remote", UET_A_SOCK_REMOTE, K_ENDPOINT },
	{ "inode", UET_A_SOCK_INODE, K_NUM },
	{ "uid", UET_A_SOCK_UID, K_NUM },
	{ "tx_msgs", UET_A_SOCK_TX_MSGS, K_NUM, F_LINE },
	{ "tx_bytes", UET_A_SOCK_TX_BYTES, K_BYTES },
	{ "sndbuf", UET_A_SOCK_SNDBUF, K_BYTES },
	{ "dests", UET_A_SOCK_DESTS, K_NUM },
	{ "send_wait_ns", UET_A_SOCK_SEND_WAIT_NS, K_NS, F_NONZERO },
	{ "rx_bytes", UET_A_SOCK_RX_BYTES, K_BYTES, F_LINE },
	{ "rx_ready_bytes", UET_A_SOCK_RX_READY_BYTES, K_BYTES },
	{ "rcvbuf", UET_A_SOCK_RCVBUF, K_BYTES },
	{ "rx_refused_ns", UET_A_SOCK_RX_REFUSED_NS, K_NS, F_NONZERO },
	{ "unread_ns", UET_A_SOCK_UNREAD_NS, K_NS, F_NONZERO },
	{ "reports", UET_A_SOCK_REPORTS, K_BYTES, F_NONZERO },
	{ 0 }
};

static const struct arg args[] = {
	{ "peer", ARG_PREFIX, UET_A_FILTER_REMOTE, NULL, "connected to these peers" },
	{ "local", ARG_ADDR, UET_A_FILTER_LOCAL, NULL, "at this local address" },
	{ "inode", ARG_U64, UET_A_FILTER_INODE, NULL, "this socket" },
	{ "pidonfep", ARG_PID, UET_A_FILTER_PID, NULL, "its process on the fabric address" },
	{ "job", ARG_U32, UET_A_FILTER_JOB, NULL, "of this job" },
	{ "-processes", ARG_FLAG, 0, NULL, "with their processes" },
	{ 0 }
};

struct showing {
	struct out *out;
	const struct procs *procs;
};

static void show_one(const struct attrs *a, void *arg)
{
	const struct showing *s = arg;

	out_object(s->out, NULL);
	fields_out(s->out, fields_sock, a);
	if (s->procs)
		procs_out(s->out, s->procs, attr_num(a, UET_A_SOCK_INODE));
	out_object_end(s->out);
}

const struct object object_sock = {
	UET_CMD_SOCK_GET, UET_A_SOCK_FILTER, fields_sock,
};

static int sock_show(struct tool *t, const struct cmd *cmd, int argc, char **argv)
{
	struct showing s = { &t->out, NULL };
	struct procs procs = { 0 };
	struct args given;
	int err;

	if (args_parse(&given, cmd->args, argc, argv))
		return EXIT_USAGE;
	err = nl_open(&t->nl);
	if (err)
		return kernel_status(err);
	if (args_get(&given, "-processes") && !procs_read(&procs))
		s.procs = &procs;
	out_list(&t->out);
	err = show_dump(t, &object_sock, &given, show_one, &s);
	out_list_end(&t->out);
	procs_free(&procs);
	return kernel_status(err);
}

const struct cmd verbs_sock[] = {
	{ .name = "show", .run = sock_show, .args = args,
	  .help = "list bound sockets; -p with their processes" },
	{ 0 }
};
