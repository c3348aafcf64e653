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
	       uet_genl_fits(filter, UET_A_FILTER_JOB, f->job) &&
	       uet_genl_fits(filter, UET_A_FILTER_PID, f->pid);
}

#define FAILURE(_attr, _kind, _field)					\
	UET_GENL_ROW(FAILURE_##_attr, _kind, 0, struct uet_failure, _field)

static const struct uet_genl_row uet_genl_failure_rows[] = {
	FAILURE(REMOTE,	ADDR,	remote),
	FAILURE(JOB,	U32,	job),
	FAILURE(PID,	U32,	pid),
	FAILURE(ERROR,	U32,	error),
	FAILURE(SOURCE,	U32,	source),
	FAILURE(CODE,	U32,	code),
	FAILURE(COUNT,	U32,	count),
	{ UET_A_FAILURE_AGO_NS, UET_ROW_U64, 1, sizeof(u64) },
	{ }
};

/* Cursor: 0 is the id of the endpoint */
static int uet_genl_failure_walk(struct uet_genl_walk *w)
{
	unsigned long id = w->cursor[0];
	struct uet_failure f;
	int err = 0;
	u64 ago;

	for (; !err && uet_failure_next(w->un, &id, &f); id += !err) {
		ago = ktime_get_ns() - f.at;
		if (uet_genl_failure_wanted(w, &f))
			err = uet_genl_tell(w, uet_genl_failure_rows, &f, &ago);
	}
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

UET_GENL_READ(failure)
