// SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause)
/* Do not edit directly, auto-generated from: */
/*	Documentation/netlink/specs/uet.yaml */
/* YNL-GEN kernel source */

#include <net/netlink.h>
#include <net/genetlink.h>

#include "gen.h"

#include <uapi/linux/uet_netlink.h>

/* Integer value ranges */
static const struct netlink_range_validation uet_a_ping_ifindex_range = {
	.min	= 1ULL,
	.max	= S32_MAX,
};

static const struct netlink_range_validation uet_a_ping_timeout_range = {
	.min	= 1ULL,
	.max	= 60000ULL,
};

static const struct netlink_range_validation uet_a_ping_ev_range = {
	.min	= 1ULL,
	.max	= 65535ULL,
};

static const struct netlink_range_validation uet_a_ping_job_range = {
	.max	= 16777215ULL,
};

/* Common nested types */
const struct nla_policy uet_filter_nl_policy[UET_A_FILTER_IFINDEX + 1] = {
	[UET_A_FILTER_REMOTE] = NLA_POLICY_EXACT_LEN(16),
	[UET_A_FILTER_REMOTE_PLEN] = NLA_POLICY_MAX(NLA_U8, 128),
	[UET_A_FILTER_LOCAL] = NLA_POLICY_EXACT_LEN(16),
	[UET_A_FILTER_JOB] = { .type = NLA_U32, },
	[UET_A_FILTER_STATE] = NLA_POLICY_MAX(NLA_U32, 5),
	[UET_A_FILTER_INODE] = { .type = NLA_U64, },
	[UET_A_FILTER_PID] = NLA_POLICY_MAX(NLA_U32, 4095),
	[UET_A_FILTER_CCC] = { .type = NLA_U64, },
	[UET_A_FILTER_PATH_STATE] = NLA_POLICY_MAX(NLA_U32, 4),
	[UET_A_FILTER_WAITING] = { .type = NLA_FLAG, },
	[UET_A_FILTER_ID] = { .type = NLA_U16, },
	[UET_A_FILTER_IFINDEX] = { .type = NLA_U32, },
};

const struct nla_policy uet_setting_nl_policy[UET_A_SETTING_PAD + 1] = {
	[UET_A_SETTING_NAME] = { .type = NLA_NUL_STRING, .len = 31, },
	[UET_A_SETTING_NUMBER] = { .type = NLA_S64, },
	[UET_A_SETTING_WORD] = { .type = NLA_NUL_STRING, .len = 31, },
};

/* UET_CMD_FEP_GET - do */
const struct nla_policy uet_fep_get_nl_policy[UET_A_FEP_FILTER + 1] = {
	[UET_A_FEP_FILTER] = NLA_POLICY_NESTED(uet_filter_nl_policy),
};

/* UET_CMD_PDC_GET - do */
const struct nla_policy uet_pdc_get_nl_policy[UET_A_PDC_FILTER + 1] = {
	[UET_A_PDC_FILTER] = NLA_POLICY_NESTED(uet_filter_nl_policy),
};

/* UET_CMD_CCC_GET - do */
const struct nla_policy uet_ccc_get_nl_policy[UET_A_CCC_FILTER + 1] = {
	[UET_A_CCC_FILTER] = NLA_POLICY_NESTED(uet_filter_nl_policy),
};

/* UET_CMD_PATH_GET - do */
const struct nla_policy uet_path_get_nl_policy[UET_A_PATH_FILTER + 1] = {
	[UET_A_PATH_FILTER] = NLA_POLICY_NESTED(uet_filter_nl_policy),
};

/* UET_CMD_PORT_GET - do */
const struct nla_policy uet_port_get_nl_policy[UET_A_PORT_FILTER + 1] = {
	[UET_A_PORT_FILTER] = NLA_POLICY_NESTED(uet_filter_nl_policy),
};

/* UET_CMD_SOCK_GET - do */
const struct nla_policy uet_sock_get_nl_policy[UET_A_SOCK_FILTER + 1] = {
	[UET_A_SOCK_FILTER] = NLA_POLICY_NESTED(uet_filter_nl_policy),
};

/* UET_CMD_DEST_GET - do */
const struct nla_policy uet_dest_get_nl_policy[UET_A_DEST_FILTER + 1] = {
	[UET_A_DEST_FILTER] = NLA_POLICY_NESTED(uet_filter_nl_policy),
};

/* UET_CMD_MSG_GET - do */
const struct nla_policy uet_msg_get_nl_policy[UET_A_MSG_FILTER + 1] = {
	[UET_A_MSG_LIMIT] = NLA_POLICY_RANGE(NLA_U32, 1, 4096),
	[UET_A_MSG_FILTER] = NLA_POLICY_NESTED(uet_filter_nl_policy),
};

/* UET_CMD_PEER_GET - do */
const struct nla_policy uet_peer_get_nl_policy[UET_A_RULE_PLEN + 1] = {
	[UET_A_RULE_PREFIX] = NLA_POLICY_EXACT_LEN(16),
	[UET_A_RULE_PLEN] = NLA_POLICY_MAX(NLA_U8, 128),
};

/* UET_CMD_PEER_NEW - do */
const struct nla_policy uet_peer_new_nl_policy[UET_A_RULE_SETTING + 1] = {
	[UET_A_RULE_PREFIX] = NLA_POLICY_EXACT_LEN(16),
	[UET_A_RULE_PLEN] = NLA_POLICY_MAX(NLA_U8, 128),
	[UET_A_RULE_SETTING] = NLA_POLICY_NESTED(uet_setting_nl_policy),
};

/* UET_CMD_PEER_SET - do */
const struct nla_policy uet_peer_set_nl_policy[UET_A_RULE_UNSET + 1] = {
	[UET_A_RULE_PREFIX] = NLA_POLICY_EXACT_LEN(16),
	[UET_A_RULE_PLEN] = NLA_POLICY_MAX(NLA_U8, 128),
	[UET_A_RULE_SETTING] = NLA_POLICY_NESTED(uet_setting_nl_policy),
	[UET_A_RULE_UNSET] = { .type = NLA_STRING, .len = 31, },
};

/* UET_CMD_PEER_DEL - do */
const struct nla_policy uet_peer_del_nl_policy[UET_A_RULE_PLEN + 1] = {
	[UET_A_RULE_PREFIX] = NLA_POLICY_EXACT_LEN(16),
	[UET_A_RULE_PLEN] = NLA_POLICY_MAX(NLA_U8, 128),
};

/* UET_CMD_PARAM_GET - do */
const struct nla_policy uet_param_get_nl_policy[UET_A_PARAM_NAME + 1] = {
	[UET_A_PARAM_NAME] = { .type = NLA_NUL_STRING, .len = 31, },
};

/* UET_CMD_PARAM_SET - do */
const struct nla_policy uet_param_set_nl_policy[UET_A_PARAM_WORD + 1] = {
	[UET_A_PARAM_NAME] = { .type = NLA_NUL_STRING, .len = 31, },
	[UET_A_PARAM_NUMBER] = { .type = NLA_S64, },
	[UET_A_PARAM_WORD] = { .type = NLA_NUL_STRING, .len = 31, },
};

/* UET_CMD_STATS_GET - do */
const struct nla_policy uet_stats_get_nl_policy[UET_A_STATS_NAME + 1] = {
	[UET_A_STATS_NAME] = { .type = NLA_NUL_STRING, .len = 31, },
};

/* UET_CMD_FAILURE_GET - do */
const struct nla_policy uet_failure_get_nl_policy[UET_A_FAILURE_FILTER + 1] = {
	[UET_A_FAILURE_FILTER] = NLA_POLICY_NESTED(uet_filter_nl_policy),
};

/* UET_CMD_PING - do */
const struct nla_policy uet_ping_nl_policy[UET_A_PING_JOB + 1] = {
	[UET_A_PING_REMOTE] = NLA_POLICY_EXACT_LEN(16),
	[UET_A_PING_IFINDEX] = NLA_POLICY_FULL_RANGE(NLA_U32, &uet_a_ping_ifindex_range),
	[UET_A_PING_TIMEOUT] = NLA_POLICY_FULL_RANGE(NLA_U32, &uet_a_ping_timeout_range),
	[UET_A_PING_SIZE] = NLA_POLICY_MAX(NLA_U32, 16383),
	[UET_A_PING_EV] = NLA_POLICY_FULL_RANGE(NLA_U32, &uet_a_ping_ev_range),
	[UET_A_PING_TTL] = NLA_POLICY_RANGE(NLA_U32, 1, 255),
	[UET_A_PING_PID] = NLA_POLICY_MAX(NLA_U32, 4095),
	[UET_A_PING_RI] = NLA_POLICY_MAX(NLA_U32, 4095),
	[UET_A_PING_JOB] = NLA_POLICY_FULL_RANGE(NLA_U32, &uet_a_ping_job_range),
};

/* UET_CMD_CCC_RENEW - do */
const struct nla_policy uet_ccc_renew_nl_policy[UET_A_CCC_FILTER + 1] = {
	[UET_A_CCC_FILTER] = NLA_POLICY_NESTED(uet_filter_nl_policy),
};

/* Ops table for uet */
const struct genl_ops uet_nl_ops[18] = {
	{
		.cmd		= UET_CMD_FEP_GET,
		.doit		= uet_nl_fep_get_doit,
		.dumpit		= uet_nl_fep_get_dumpit,
		.policy		= uet_fep_get_nl_policy,
		.maxattr	= UET_A_FEP_FILTER,
	},
	{
		.cmd		= UET_CMD_PDC_GET,
		.doit		= uet_nl_pdc_get_doit,
		.dumpit		= uet_nl_pdc_get_dumpit,
		.policy		= uet_pdc_get_nl_policy,
		.maxattr	= UET_A_PDC_FILTER,
	},
	{
		.cmd		= UET_CMD_CCC_GET,
		.doit		= uet_nl_ccc_get_doit,
		.dumpit		= uet_nl_ccc_get_dumpit,
		.policy		= uet_ccc_get_nl_policy,
		.maxattr	= UET_A_CCC_FILTER,
	},
	{
		.cmd		= UET_CMD_PATH_GET,
		.doit		= uet_nl_path_get_doit,
		.dumpit		= uet_nl_path_get_dumpit,
		.policy		= uet_path_get_nl_policy,
		.maxattr	= UET_A_PATH_FILTER,
	},
	{
		.cmd		= UET_CMD_PORT_GET,
		.doit		= uet_nl_port_get_doit,
		.dumpit		= uet_nl_port_get_dumpit,
		.policy		= uet_port_get_nl_policy,
		.maxattr	= UET_A_PORT_FILTER,
	},
	{
		.cmd		= UET_CMD_SOCK_GET,
		.doit		= uet_nl_sock_get_doit,
		.dumpit		= uet_nl_sock_get_dumpit,
		.policy		= uet_sock_get_nl_policy,
		.maxattr	= UET_A_SOCK_FILTER,
	},
	{
		.cmd		= UET_CMD_DEST_GET,
		.doit		= uet_nl_dest_get_doit,
		.dumpit		= uet_nl_dest_get_dumpit,
		.policy		= uet_dest_get_nl_policy,
		.maxattr	= UET_A_DEST_FILTER,
	},
	{
		.cmd		= UET_CMD_MSG_GET,
		.doit		= uet_nl_msg_get_doit,
		.dumpit		= uet_nl_msg_get_dumpit,
		.policy		= uet_msg_get_nl_policy,
		.maxattr	= UET_A_MSG_FILTER,
	},
	{
		.cmd		= UET_CMD_PEER_GET,
		.doit		= uet_nl_peer_get_doit,
		.dumpit		= uet_nl_peer_get_dumpit,
		.policy		= uet_peer_get_nl_policy,
		.maxattr	= UET_A_RULE_PLEN,
	},
	{
		.cmd		= UET_CMD_PEER_NEW,
		.doit		= uet_nl_peer_new_doit,
		.policy		= uet_peer_new_nl_policy,
		.maxattr	= UET_A_RULE_SETTING,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd		= UET_CMD_PEER_SET,
		.doit		= uet_nl_peer_set_doit,
		.policy		= uet_peer_set_nl_policy,
		.maxattr	= UET_A_RULE_UNSET,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd		= UET_CMD_PEER_DEL,
		.doit		= uet_nl_peer_del_doit,
		.policy		= uet_peer_del_nl_policy,
		.maxattr	= UET_A_RULE_PLEN,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd		= UET_CMD_PARAM_GET,
		.doit		= uet_nl_param_get_doit,
		.dumpit		= uet_nl_param_get_dumpit,
		.policy		= uet_param_get_nl_policy,
		.maxattr	= UET_A_PARAM_NAME,
	},
	{
		.cmd		= UET_CMD_PARAM_SET,
		.doit		= uet_nl_param_set_doit,
		.policy		= uet_param_set_nl_policy,
		.maxattr	= UET_A_PARAM_WORD,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd		= UET_CMD_STATS_GET,
		.doit		= uet_nl_stats_get_doit,
		.dumpit		= uet_nl_stats_get_dumpit,
		.policy		= uet_stats_get_nl_policy,
		.maxattr	= UET_A_STATS_NAME,
	},
	{
		.cmd		= UET_CMD_FAILURE_GET,
		.doit		= uet_nl_failure_get_doit,
		.dumpit		= uet_nl_failure_get_dumpit,
		.policy		= uet_failure_get_nl_policy,
		.maxattr	= UET_A_FAILURE_FILTER,
	},
	{
		.cmd		= UET_CMD_PING,
		.doit		= uet_nl_ping_doit,
		.policy		= uet_ping_nl_policy,
		.maxattr	= UET_A_PING_JOB,
	},
	{
		.cmd		= UET_CMD_CCC_RENEW,
		.doit		= uet_nl_ccc_renew_doit,
		.policy		= uet_ccc_renew_nl_policy,
		.maxattr	= UET_A_CCC_FILTER,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
};

static const struct genl_multicast_group uet_nl_mcgrps[] = {
	[UET_NLGRP_EVENTS] = { "events", },
};
