// SPDX-License-Identifier: GPL-2.0
/*
 * Netlink object "stats": the counters of the namespace, and a few gauges.
 */
#include <linux/string.h>
#include <net/genetlink.h>

#include "base.h"
#include "genl/genl.h"
#include "mib.h"

/* Room for one counter: two headers of nests, name, value, padding */
#define UET_GENL_STAT_ROOM	80

static int uet_genl_stat(struct sk_buff *skb, u16 type, const char *name,
			 const char *begin, u64 value)
{
	struct nlattr *nest;

	if (!strstarts(name, begin))
		return 0;
	nest = nla_nest_start(skb, type);
	if (!nest)
		return -EMSGSIZE;
	if (nla_put_string(skb, UET_A_STAT_NAME, name) ||
	    nla_put_u64_64bit(skb, UET_A_STAT_VALUE, value, UET_A_STAT_PAD)) {
		nla_nest_cancel(skb, nest);
		return -EMSGSIZE;
	}
	nla_nest_end(skb, nest);
	return 0;
}

static int uet_genl_stats_fill(struct sk_buff *skb, struct uet_net *un,
			       const char *begin)
{
	int err = 0;
	u32 i;

	for (i = 0; i < UET_MIB_MAX && !err; i++)
		err = uet_genl_stat(skb, UET_A_STATS_COUNTER, uet_mib_name(i),
				    begin, uet_mib_sum(un, i));
	return err ?:
	       uet_genl_stat(skb, UET_A_STATS_GAUGE, "CurPdcs", begin,
			     atomic_read(&un->pdcs)) ?:
	       uet_genl_stat(skb, UET_A_STATS_GAUGE, "CurMem", begin,
			     atomic_long_read(&un->mem));
}

int uet_nl_stats_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct uet_net *un = uet_net(genl_info_net(info));
	const struct nlattr *name = info->attrs[UET_A_STATS_NAME];
	struct sk_buff *out;
	void *head;
	int err;

	/* One message holds them all. */
	out = genlmsg_new((UET_MIB_MAX + 2) * UET_GENL_STAT_ROOM, GFP_KERNEL);
	if (!out)
		return -ENOMEM;
	head = genlmsg_put_reply(out, info, &uet_genl_family, 0,
				 UET_CMD_STATS_GET);
	err = head ? uet_genl_stats_fill(out, un, name ? nla_data(name) : "") :
		     -EMSGSIZE;
	if (err) {
		nlmsg_free(out);
		return err;
	}
	genlmsg_end(out, head);
	return genlmsg_reply(out, info);
}
