/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause) */
/* Do not edit directly, auto-generated from: */
/*	Documentation/netlink/specs/uet.yaml */
/* YNL-GEN kernel header */

#ifndef _LINUX_UET_GEN_H
#define _LINUX_UET_GEN_H

#include <net/netlink.h>
#include <net/genetlink.h>

#include <uapi/linux/uet_netlink.h>

/* Common nested types */
extern const struct nla_policy uet_filter_nl_policy[UET_A_FILTER_IFINDEX + 1];
extern const struct nla_policy uet_setting_nl_policy[UET_A_SETTING_PAD + 1];

extern const struct nla_policy uet_fep_get_nl_policy[UET_A_FEP_FILTER + 1];

extern const struct nla_policy uet_pdc_get_nl_policy[UET_A_PDC_FILTER + 1];

extern const struct nla_policy uet_ccc_get_nl_policy[UET_A_CCC_FILTER + 1];

extern const struct nla_policy uet_path_get_nl_policy[UET_A_PATH_FILTER + 1];

extern const struct nla_policy uet_port_get_nl_policy[UET_A_PORT_FILTER + 1];

extern const struct nla_policy uet_sock_get_nl_policy[UET_A_SOCK_FILTER + 1];

extern const struct nla_policy uet_dest_get_nl_policy[UET_A_DEST_FILTER + 1];

extern const struct nla_policy uet_msg_get_nl_policy[UET_A_MSG_FILTER + 1];

extern const struct nla_policy uet_peer_get_nl_policy[UET_A_RULE_PLEN + 1];

extern const struct nla_policy uet_peer_new_nl_policy[UET_A_RULE_SETTING + 1];

extern const struct nla_policy uet_peer_set_nl_policy[UET_A_RULE_UNSET + 1];

extern const struct nla_policy uet_peer_del_nl_policy[UET_A_RULE_PLEN + 1];

extern const struct nla_policy uet_param_get_nl_policy[UET_A_PARAM_NAME + 1];

extern const struct nla_policy uet_param_set_nl_policy[UET_A_PARAM_WORD + 1];

extern const struct nla_policy uet_stats_get_nl_policy[UET_A_STATS_NAME + 1];

extern const struct nla_policy uet_failure_get_nl_policy[UET_A_FAILURE_FILTER + 1];

extern const struct nla_policy uet_ping_nl_policy[UET_A_PING_JOB + 1];

extern const struct nla_policy uet_ccc_renew_nl_policy[UET_A_CCC_FILTER + 1];

/* Ops table for uet */
extern const struct genl_ops uet_nl_ops[18];

int uet_nl_fep_get_doit(struct sk_buff *skb, struct genl_info *info);
int uet_nl_fep_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int uet_nl_pdc_get_doit(struct sk_buff *skb, struct genl_info *info);
int uet_nl_pdc_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int uet_nl_ccc_get_doit(struct sk_buff *skb, struct genl_info *info);
int uet_nl_ccc_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int uet_nl_path_get_doit(struct sk_buff *skb, struct genl_info *info);
int uet_nl_path_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int uet_nl_port_get_doit(struct sk_buff *skb, struct genl_info *info);
int uet_nl_port_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int uet_nl_sock_get_doit(struct sk_buff *skb, struct genl_info *info);
int uet_nl_sock_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int uet_nl_dest_get_doit(struct sk_buff *skb, struct genl_info *info);
int uet_nl_dest_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int uet_nl_msg_get_doit(struct sk_buff *skb, struct genl_info *info);
int uet_nl_msg_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int uet_nl_peer_get_doit(struct sk_buff *skb, struct genl_info *info);
int uet_nl_peer_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int uet_nl_peer_new_doit(struct sk_buff *skb, struct genl_info *info);
int uet_nl_peer_set_doit(struct sk_buff *skb, struct genl_info *info);
int uet_nl_peer_del_doit(struct sk_buff *skb, struct genl_info *info);
int uet_nl_param_get_doit(struct sk_buff *skb, struct genl_info *info);
int uet_nl_param_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int uet_nl_param_set_doit(struct sk_buff *skb, struct genl_info *info);
int uet_nl_stats_get_doit(struct sk_buff *skb, struct genl_info *info);
int uet_nl_stats_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int uet_nl_failure_get_doit(struct sk_buff *skb, struct genl_info *info);
int uet_nl_failure_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int uet_nl_ping_doit(struct sk_buff *skb, struct genl_info *info);
int uet_nl_ccc_renew_doit(struct sk_buff *skb, struct genl_info *info);

enum {
	UET_NLGRP_EVENTS,
};

#endif /* _LINUX_UET_GEN_H */
