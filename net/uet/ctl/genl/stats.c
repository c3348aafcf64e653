// SPDX-License-Identifier: GPL-2.0
/*
 * Netlink object "stats": the counters of the namespace, and a few gauges.
 */
#include <linux/string.h>
#include <net/genetlink.h>

#include "base.h"
#include "ctl/genl/genl.h"
#include "mib.h"

/* Room for one counter: two headers of nests, name, value, padding */
#define UET_GENL_STAT_ROOM	80

/* Gauges, which come after the counters */
enum {
	UET_GENL_PDCS = UET_MIB_MAX,
	UET_GENL_MEM,
	UET_GENL_STATS,
};

/**
 * struct uet_genl_stat - a counter or gauge to tell
 * @type: UET_A_STATS_*
 * @name: its name
 * @value: its value
 */
struct uet_genl_stat {
	u16		type;
	const char	*name;
	u64		value;
};

/* Counter or gauge number @i, if its name begins as wanted */
static bool uet_genl_stat_at(struct uet_net *un, u32 i, const char *begin,
			     struct uet_genl_stat *s)
{
	s->type = i < UET_MIB_MAX ? UET_A_STATS_COUNTER : UET_A_STATS_GAUGE;
	s->name = i < UET_MIB_MAX ? uet_mib_name(i) :
		  i == UET_GENL_PDCS ? "CurPdcs" : "CurMem";
	if (!strstarts(s->name, begin))
		return false;
	s->value = i < UET_MIB_MAX ? uet_mib_sum(un, i) :
		   i == UET_GENL_PDCS ? atomic_read(&un->pdcs) :
					uet_mem_used(&un->mem);
	return true;
}

static int uet_genl_stat_fill(struct sk_buff *skb, const void *what)
{
	const struct uet_genl_stat *s = what;
	struct nlattr *nest = nla_nest_start(skb, s->type);

	if (!nest || nla_put_string(skb, UET_A_STAT_NAME, s->name) ||
	    nla_put_u64_64bit(skb, UET_A_STAT_VALUE, s->value, UET_A_STAT_PAD))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static const char *uet_genl_stats_begin(struct nlattr **attrs)
{
	return attrs && attrs[UET_A_STATS_NAME] ?
	       nla_data(attrs[UET_A_STATS_NAME]) : "";
}

int uet_nl_stats_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	const char *begin = uet_genl_stats_begin(info->attrs);
	struct uet_net *un = uet_net(genl_info_net(info));
	struct uet_genl_stat s;
	struct sk_buff *out;
	void *head;
	int err;
	u32 i;

	/* One message holds them all. */
	out = genlmsg_new(UET_GENL_STATS * UET_GENL_STAT_ROOM, GFP_KERNEL);
	if (!out)
		return -ENOMEM;
	head = genlmsg_put_reply(out, info, &uet_genl_family, 0,
				 UET_CMD_STATS_GET);
	err = head ? 0 : -EMSGSIZE;
	for (i = 0; i < UET_GENL_STATS && !err; i++)
		if (uet_genl_stat_at(un, i, begin, &s))
			err = uet_genl_stat_fill(out, &s);
	if (err) {
		nlmsg_free(out);
		return err;
	}
	genlmsg_end(out, head);
	return genlmsg_reply(out, info);
}

/* Cursor: 0 is the number of the counter */
static int uet_genl_stats_walk(struct uet_genl_walk *w)
{
	const char *begin = uet_genl_stats_begin(w->attrs);
	struct uet_genl_stat s;
	int err;

	for (; w->cursor[0] < UET_GENL_STATS; w->cursor[0]++) {
		if (!uet_genl_stat_at(w->un, w->cursor[0], begin, &s))
			continue;
		err = uet_genl_put(w, uet_genl_stat_fill, &s);
		if (err)
			return err;
	}
	return 0;
}

static const struct uet_genl_object uet_genl_counters = {
	.cmd	= UET_CMD_STATS_GET,
	.walk	= uet_genl_stats_walk,
};

int uet_nl_stats_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return uet_genl_dump(skb, cb, &uet_genl_counters);
}
