// SPDX-License-Identifier: GPL-2.0
#include "genl/genl.h"
#define NONE(_o) int uet_nl_##_o##_get_doit(struct sk_buff *skb, struct genl_info *info) { return -EOPNOTSUPP; } \
int uet_nl_##_o##_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb) { return -EOPNOTSUPP; }
NONE(failure)
