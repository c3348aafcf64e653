// SPDX-License-Identifier: GPL-2.0
/*
 * Object "failure": how messages to peers failed last.
 */
#include <linux/uet_netlink.h>

#include "field.h"
#include "names.gen.h"
#include "verbs.h"

static const struct field fields[] = {
	{ "remote", UET_A_FAILURE_REMOTE, K_ADDR, F_BARE },
	{ "job", UET_A_FAILURE_JOB, K_NUM },
	{ "pidonfep", UET_A_FAILURE_PID, K_NUM },
	{ "error", UET_A_FAILURE_ERROR, K_ERRNO },
	{ "source", UET_A_FAILURE_SOURCE, K_ENUM, 0, &names_report_source },
	{ "code", UET_A_FAILURE_CODE, K_CODE },
	{ "count", UET_A_FAILURE_COUNT, K_NUM },
	{ "ago_ns", UET_A_FAILURE_AGO_NS, K_NS },
	{ 0 }
};

static const struct arg args[] = {
	{ "peer", ARG_PREFIX, UET_A_FILTER_REMOTE, NULL, "of these peers" },
	{ "job", ARG_U32, UET_A_FILTER_JOB, NULL, "of this job" },
	{ 0 }
};

const struct object object_failure = {
	UET_CMD_FAILURE_GET, UET_A_FAILURE_FILTER, fields,
};

const struct cmd verbs_failure[] = {
	{ .name = "show", .run = show_run, .object = &object_failure,
	  .args = args, .ask = ASK_PEERS,
	  .help = "list how messages to peers failed last" },
	{ 0 }
};
