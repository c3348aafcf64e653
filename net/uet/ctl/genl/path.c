// SPDX-License-Identifier: GPL-2.0
/*
 * Netlink object "path": entropy values of congestion control contexts. Unlike
 * /proc/net/uet_path it has those of which nothing is known, too.
 */
#include <linux/jiffies.h>
#include <linux/rcupdate.h>
#include <net/genetlink.h>

#include "base.h"
#include "core/lb/lb.h"
#include "ctl/genl/genl.h"
#include "link/peer.h"
#include "tx/cms/flow.h"
#include "tx/cms/path.h"

static u32 uet_genl_path_state(const struct uet_path_info *info)
{
	const struct uet_lb_path *p = &info->path;

	if (info->gone)
		return UET_PATH_STATE_GONE;
	if (p->down)
		return UET_PATH_STATE_DOWN;
	if (p->bad)
		return UET_PATH_STATE_BAD;
	return p->current_ev ? UET_PATH_STATE_CURRENT : UET_PATH_STATE_GOOD;
}

#define KEY(_attr, _kind, _field)					\
	UET_GENL_ROW(PATH_##_attr, _kind, 1, struct uet_peer_key, _field)
#define INFO(_attr, _kind, _field)					\
	UET_GENL_ROW(PATH_##_attr, _kind, 2, struct uet_path_info, _field)

static const struct uet_genl_row uet_genl_path_rows[] = {
	UET_GENL_ROW(PATH_CCC, U64, 0, struct uet_flow, id),
	KEY(LOCAL,	ADDR,	laddr),
	KEY(REMOTE,	ADDR,	raddr),
	INFO(EV,	U32,	path.ev),
	INFO(IFINDEX,	U32_IF,	ifindex),
	{ UET_A_PATH_STATE, UET_ROW_U32, 3, sizeof(u32) },
	INFO(SKIP,	U32,	path.skip),
	INFO(SENT,	U32,	path.live.sent),
	INFO(CLEAR,	U32,	path.live.acked),
	INFO(MARKED,	U32,	path.live.marked),
	INFO(TRIMMED,	U32,	path.live.trimmed),
	INFO(LOST,	U32,	path.live.lost),
	INFO(RTT,	U64,	path.live.rtt),
	{ UET_A_PATH_GONE_NS, UET_ROW_U64, 4, sizeof(u64) },
	{ }
};

static int uet_genl_path_put(struct uet_genl_walk *w, const struct uet_flow *flow,
			     const struct uet_path_info *info)
{
	const struct uet_genl_filter *f = &w->filter;
	u32 state = uet_genl_path_state(info);
	u64 gone_ns;

	if (!uet_genl_fits(f, UET_A_FILTER_PATH_STATE, state) ||
	    !uet_genl_fits(f, UET_A_FILTER_IFINDEX, info->ifindex))
		return 0;
	gone_ns = (u64)jiffies_to_msecs(jiffies - info->at) * NSEC_PER_MSEC;
	return uet_genl_tell(w, uet_genl_path_rows, flow, &flow->peer->key, info,
			     &state, info->gone ? &gone_ns : NULL);
}

/* Does a flow have no path of the wanted state? */
static bool uet_genl_path_none(const struct uet_genl_filter *f,
			       const struct uet_flow *flow)
{
	return f->has & UET_WANTS(PATH_STATE) &&
	       f->value[UET_A_FILTER_PATH_STATE] != UET_PATH_STATE_GOOD &&
	       uet_path_dull(flow) && !flow->lost;
}

/* Cursor: 1 is the index for uet_path_get() */
static int uet_genl_path_tell(struct uet_genl_walk *w, void *entry)
{
	struct uet_flow *flow = entry;
	struct uet_path_info info;
	u32 index = w->cursor[1];
	int err;

	if (!uet_genl_flow_fits(&w->filter, flow))
		return 0;
	spin_lock_bh(&flow->lock);
	err = uet_genl_path_none(&w->filter, flow) ? -ENOENT :
	      uet_path_get(flow, &index, &info);
	spin_unlock_bh(&flow->lock);
	if (err)
		return 0;
	w->cursor[1] = index;
	err = uet_genl_path_put(w, flow, &info);
	if (err)
		return err;
	w->cursor[1]++;
	return UET_GENL_MORE;
}

static const struct uet_genl_object uet_genl_paths = {
	.cmd		= UET_CMD_PATH_GET,
	.filter		= UET_A_PATH_FILTER,
	.filters	= UET_WANTS(REMOTE) | UET_WANTS(REMOTE_PLEN) |
			  UET_WANTS(LOCAL) | UET_WANTS(CCC) |
			  UET_WANTS(PATH_STATE) | UET_WANTS(IFINDEX),
	.whose		= UET_GENL_FLOWS,
	.ids		= offsetof(struct uet_net, flow_ids),
	.tell		= uet_genl_path_tell,
};

UET_GENL_READ(path)
