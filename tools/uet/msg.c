// SPDX-License-Identifier: GPL-2.0
/*
 * Object "msg": messages that are under way, the oldest first.
 */
#include <linux/uet_netlink.h>

#include "field.h"
#include "msg.h"
#include "names.gen.h"
#include "verbs.h"

const struct field fields_msg[] = {
	{ "direction", UET_A_MSG_DIRECTION, K_ENUM, F_BARE, &names_direction },
	{ "remote", UET_A_MSG_REMOTE, K_ENDPOINT },
	{ "inode", UET_A_MSG_INODE, K_NUM },
	{ "pidonfep", UET_A_MSG_PID, K_NUM },
	{ "mode", UET_A_MSG_MODE, K_ENUM, 0, &names_mode },
	{ "len", UET_A_MSG_LEN, K_BYTES },
	{ "sent", UET_A_MSG_SENT, K_BYTES },
	{ "done", UET_A_MSG_DONE, K_BYTES },
	{ "age_ns", UET_A_MSG_AGE_NS, K_NS },
	{ "wait", UET_A_MSG_WAIT, K_ENUM, 0, &names_wait },
	{ "msg_id", UET_A_MSG_MSG_ID, K_NUM, F_DETAILS },
	{ "cookie", UET_A_MSG_COOKIE, K_NUM, F_DETAILS },
	{ 0 }
};

static const struct arg args[] = {
	{ "peer", ARG_PREFIX, UET_A_FILTER_REMOTE, NULL, "to or from these peers" },
	{ "inode", ARG_U64, UET_A_FILTER_INODE, NULL, "of this socket" },
	{ "pidonfep", ARG_PID, UET_A_FILTER_PID, NULL, "of the socket" },
	{ "job", ARG_U32, UET_A_FILTER_JOB, NULL, "of this job" },
	{ "limit", ARG_LIMIT, 0, NULL, "so many" },
	{ 0 }
};

static void show_one(const struct attrs *a, void *arg)
{
	struct out *o = arg;

	out_object(o, NULL);
	fields_out(o, fields_msg, a);
	out_object_end(o);
}

/**
 * msg_dump() - get the messages that wait, the oldest first
 * @t: tool
 * @args: filter, NULL = all
 * @limit: so many, 0 = as many as the kernel tells without being asked for more
 * @fn: gets each
 * @arg: for @fn
 *
 * Return: 0 or a negative error.
 */
int msg_dump(struct tool *t, const struct args *args, uint32_t limit,
	     nl_object_fn fn, void *arg)
{
	struct nlmsghdr *req;
	int err = nl_open(&t->nl);

	if (err)
		return err;
	req = nl_request(&t->nl, UET_CMD_MSG_GET, true);
	if (limit)
		mnl_attr_put_u32(req, UET_A_MSG_LIMIT, limit);
	if (args)
		args_put(args, req, UET_A_MSG_FILTER);
	return nl_talk(&t->nl, req, fn, arg);
}

static int msg_show(struct tool *t, const struct cmd *cmd, int argc, char **argv)
{
	const struct given *limit;
	struct args given;
	int err;

	if (args_parse(&given, cmd->args, argc, argv))
		return EXIT_USAGE;
	limit = args_get(&given, "limit");
	err = nl_open(&t->nl);
	if (err)
		return kernel_status(err);
	out_list(&t->out);
	err = msg_dump(t, &given, limit ? limit->num : 0, show_one, &t->out);
	out_list_end(&t->out);
	return kernel_status(err);
}

const struct cmd verbs_msg[] = {
	{ .name = "show", .run = msg_show, .args = args, .ask = ASK_PEERS,
	  .help = "list messages that wait, the oldest first" },
	{ 0 }
};
