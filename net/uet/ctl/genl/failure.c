// SPDX-License-Identifier: GPL-2.0
/*
 * Netlink object "failure": how messages to other endpoints failed last.
 */
#include <linux/ktime.h>
#include <net/genetlink.h>

#include "base.h"
#include "ctl/genl/genl.h"
#include "tx/msg/failure.h"

#define UET_GENL_FAILURE_FILTERS					\
	(UET_WANTS(REMOTE) | UET_WANTS(REMOTE_PLEN) | UET_WANTS(JOB) |	\
	 UET_WANTS(PID))

static bool uet_genl_failure_wanted(const struct uet_genl_walk *w,
				    const struct uet_failure *f)
{
	const struct uet_genl_filter *filter = &w->filter;

	return uet_may_see(&w->viewer, f->uid) &&
	       uet_genl_remote_fits(filter, &f->remote) &&
	       uet_genl_fits(filter, UET_WANTS(JOB), filter->job, f->job) &&
	       uet_genl_fits(filter, UET_WANTS(PID), filter->pid, f->pid);
}

static int uet_genl_failure_fill(struct sk_buff *skb, const void *what)
{
	const struct uet_failure *f = what;

	return nla_put_in6_addr(skb, UET_A_FAILURE_REMOTE, &f->remote) ||
	       nla_put_u32(skb, UET_A_FAILURE_JOB, f->job) ||
	       nla_put_u32(skb, UET_A_FAILURE_PID, f->pid) ||
	       nla_put_u32(skb, UET_A_FAILURE_ERROR, f->error) ||
	       nla_put_u32(skb, UET_A_FAILURE_SOURCE, f->source) ||
	       nla_put_u32(skb, UET_A_FAILURE_CODE, f->code) ||
	       nla_put_u32(skb, UET_A_FAILURE_COUNT, f->count) ||
	       nla_put_u64_64bit(skb, UET_A_FAILURE_AGO_NS,
				 ktime_get_ns() - f->at, UET_A_FAILURE_PAD);
}

/* Cursor: 0 is the id of the endpoint */
static int uet_genl_failure_walk(struct uet_genl_walk *w)
{
	unsigned long id = w->cursor[0];
	struct uet_failure f;
	int err = 0;

	for (; !err && uet_failure_next(w->un, &id, &f); id += !err)
		if (uet_genl_failure_wanted(w, &f))
			err = uet_genl_put(w, uet_genl_failure_fill, &f);
	w->cursor[0] = id;
	return err;
}

static const struct uet_genl_object uet_genl_failures = {
	.cmd		= UET_CMD_FAILURE_GET,
	.filter		= UET_A_FAILURE_FILTER,
	.filters	= UET_GENL_FAILURE_FILTERS,
	.whose		= UET_GENL_OWN,
	.walk		= uet_genl_failure_walk,
};

int uet_nl_failure_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	return uet_genl_get(skb, info, &uet_genl_failures);
}

int uet_nl_failure_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return uet_genl_dump(skb, cb, &uet_genl_failures);
}
