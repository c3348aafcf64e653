// SPDX-License-Identifier: GPL-2.0
/*
 * Object "ccc": congestion control contexts.
 */
#include <linux/uet_netlink.h>

#include "field.h"
#include "names.gen.h"
#include "verbs.h"

#define CTR	(F_STATS | F_COUNTER)

static const struct field fields[] = {
	{ "remote", UET_A_CCC_REMOTE, K_ADDR, F_BARE },
	{ "local", UET_A_CCC_LOCAL, K_ADDR },
	{ "id", UET_A_CCC_ID, K_NUM },
	{ "cc", UET_A_CCC_CC, K_STR },
	{ "path_policy", UET_A_CCC_PATH_POLICY, K_STR },
	{ "sprayed", UET_A_CCC_SPRAYED, K_FLAG },
	{ "native", UET_A_CCC_NATIVE, K_FLAG },
	{ "crc", UET_A_CCC_CRC, K_FLAG },
	{ "tclass", UET_A_CCC_TCLASS, K_NUM, F_DETAILS },
	{ "state", UET_A_CCC_STATE, K_ENUM, F_LINE, &names_cc_state },
	{ "cc_mode", UET_A_CCC_CC_MODE, K_FLAGS, F_NONZERO, &names_algo_mode },
	{ "wait", UET_A_CCC_WAIT, K_ENUM, 0, &names_wait },
	{ "wait_ns", UET_A_CCC_WAIT_NS, K_NS, F_NONZERO },
	{ "cwnd", UET_A_CCC_CWND, K_BYTES, F_LINE | F_GAUGE },
	{ "max_wnd", UET_A_CCC_MAX_WND, K_BYTES, F_GAUGE },
	{ "inflight", UET_A_CCC_INFLIGHT, K_SBYTES, F_GAUGE },
	{ "backlog", UET_A_CCC_BACKLOG, K_BYTES, F_GAUGE },
	{ "rtx_backlog", UET_A_CCC_RTX_BACKLOG, K_BYTES, F_NONZERO | F_GAUGE },
	{ "rtt", UET_A_CCC_RTT, K_NS, F_LINE | F_GAUGE },
	{ "base_rtt", UET_A_CCC_BASE_RTT, K_NS, F_GAUGE },
	{ "base_guessed", UET_A_CCC_BASE_GUESSED, K_FLAG },
	{ "paths", UET_A_CCC_PATHS, K_NUM, F_GAUGE },
	{ "paths_bad", UET_A_CCC_PATHS_BAD, K_NUM, F_GAUGE },
	{ "paths_gone", UET_A_CCC_PATHS_GONE, K_NUM, F_GAUGE },
	{ "ports_down", UET_A_CCC_PORTS_DOWN, K_NUM, F_NONZERO | F_GAUGE },
	{ "port_shut", UET_A_CCC_PORT_SHUT_NS, K_NS, F_NONZERO },
	{ "hole_bytes", UET_A_CCC_HOLE_BYTES, K_BYTES, F_NONZERO },
	{ "rtt_var", UET_A_CCC_RTT_VAR, K_NS, F_DETAILS | F_LINE },
	{ "target_qdelay", UET_A_CCC_TARGET_QDELAY, K_NS, F_DETAILS | F_GAUGE },
	{ "delay_avg", UET_A_CCC_DELAY_AVG, K_NS, F_DETAILS | F_GAUGE },
	{ "saved_cwnd", UET_A_CCC_SAVED_CWND, K_BYTES, F_DETAILS },
	{ "inflight_pkts", UET_A_CCC_INFLIGHT_PKTS, K_NUM, F_DETAILS },
	{ "link_mbps", UET_A_CCC_LINK_MBPS, K_MBPS, F_DETAILS },
	{ "mtu", UET_A_CCC_MTU, K_BYTES, F_DETAILS | F_LINE },
	{ "path_mtu", UET_A_CCC_PATH_MTU, K_BYTES, F_DETAILS },
	{ "path_mtu_steps", UET_A_CCC_PATH_MTU_STEPS, K_NUM, F_DETAILS },
	{ "ports", UET_A_CCC_PORTS, K_NUM, F_DETAILS },
	{ "credit", UET_A_CCC_CREDIT, K_SBYTES, F_DETAILS },
	{ "credit_reqs", UET_A_CCC_CREDIT_REQS, K_NUM, F_DETAILS },
	{ "sent_pkts", UET_A_CCC_SENT_PKTS, K_NUM, CTR | F_LINE },
	{ "sent_bytes", UET_A_CCC_SENT_BYTES, K_BYTES, CTR },
	{ "acks", UET_A_CCC_ACKS, K_NUM, CTR },
	{ "marks", UET_A_CCC_MARKS, K_NUM, CTR },
	{ "trims", UET_A_CCC_TRIMS, K_NUM, CTR },
	{ "trims_lasthop", UET_A_CCC_TRIMS_LASTHOP, K_NUM, CTR },
	{ "nacks_shortage", UET_A_CCC_NACKS_SHORTAGE, K_NUM, CTR },
	{ "nacks_other", UET_A_CCC_NACKS_OTHER, K_NUM, CTR },
	{ "retransmits", UET_A_CCC_RETRANSMITS, K_NUM, CTR | F_LINE },
	{ "losses_sack", UET_A_CCC_LOSSES_SACK, K_NUM, CTR },
	{ "losses_ooo", UET_A_CCC_LOSSES_OOO, K_NUM, CTR },
	{ "losses_probe", UET_A_CCC_LOSSES_PROBE, K_NUM, CTR },
	{ "losses_rto", UET_A_CCC_LOSSES_RTO, K_NUM, CTR },
	{ "losses_rcvr", UET_A_CCC_LOSSES_RCVR, K_NUM, CTR },
	{ "losses_go_back", UET_A_CCC_LOSSES_GO_BACK, K_NUM, CTR },
	{ "losses_local", UET_A_CCC_LOSSES_LOCAL, K_NUM, CTR },
	{ "needless", UET_A_CCC_NEEDLESS, K_NUM, CTR },
	{ "decreases", UET_A_CCC_DECREASES, K_NUM, CTR | F_LINE },
	{ "quick_adapts", UET_A_CCC_QUICK_ADAPTS, K_NUM, CTR },
	{ "penalties", UET_A_CCC_PENALTIES, K_NUM, CTR },
	{ "waited_window_ns", UET_A_CCC_WAITED_WINDOW_NS, K_NS, CTR | F_LINE },
	{ "waited_credit_ns", UET_A_CCC_WAITED_CREDIT_NS, K_NS, CTR },
	{ "waited_receive_window_ns", UET_A_CCC_WAITED_RECEIVE_WINDOW_NS, K_NS,
	  CTR },
	{ "waited_route_ns", UET_A_CCC_WAITED_ROUTE_NS, K_NS, CTR },
	{ "waited_port_ns", UET_A_CCC_WAITED_PORT_NS, K_NS, CTR },
	{ 0 }
};

static const struct arg args[] = {
	{ "peer", ARG_PREFIX, UET_A_FILTER_REMOTE, NULL, "with these peers" },
	{ "local", ARG_ADDR, UET_A_FILTER_LOCAL, NULL, "of this local address" },
	{ "id", ARG_U64, UET_A_FILTER_CCC, NULL, "this context" },
	{ "waiting", ARG_FLAG, UET_A_FILTER_WAITING, NULL, "data waits" },
	{ 0 }
};

static const struct arg renew_args[] = {
	{ "peer", ARG_PREFIX, UET_A_FILTER_REMOTE, NULL, "with these peers" },
	{ "local", ARG_ADDR, UET_A_FILTER_LOCAL, NULL, "of this local address" },
	{ "id", ARG_U64, UET_A_FILTER_CCC, NULL, "this context" },
	{ 0 }
};

const struct object object_ccc = {
	UET_CMD_CCC_GET, UET_A_CCC_FILTER, fields,
};

/* Contexts without a peer or a number named are not renewed by a slip */
static int ccc_renew(struct tool *t, const struct cmd *cmd, int argc, char **argv)
{
	struct nlmsghdr *req;
	struct args args;
	int err;

	if (args_parse(&args, cmd->args, argc, argv))
		return EXIT_USAGE;
	if (!argc)
		return usage_error("\"ccc renew\" wants a peer, a prefix or an id");
	err = nl_open(&t->nl);
	if (err)
		return kernel_status(err);
	req = nl_request(&t->nl, UET_CMD_CCC_RENEW, false);
	args_put(&args, req, UET_A_CCC_FILTER);
	return kernel_status(nl_talk(&t->nl, req, NULL, NULL));
}

const struct cmd verbs_ccc[] = {
	{ .name = "show", .run = show_run, .object = &object_ccc, .args = args,
	  .ask = ASK_PEERS, .help = "list congestion control contexts" },
	{ .name = "renew", .run = ccc_renew, .args = renew_args, .ask = ASK_PEERS,
	  .help = "put new ones with the settings of now in their place" },
	{ 0 }
};
