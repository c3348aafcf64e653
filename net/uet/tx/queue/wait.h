/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What data waits for now, and since when.
 */
#ifndef _UET_WAIT_H
#define _UET_WAIT_H

#include <linux/types.h>
#include <linux/uet_netlink.h>

struct uet_dest;
struct uet_flow;
struct uet_pdc;

/**
 * struct uet_wait - what data waits for
 * @why: enum uet_nl_wait
 * @since: since when, ns; may be a little later than now. 0 with
 *	%UET_WAIT_NOTHING
 */
struct uet_wait {
	u32	why;
	u64	since;
};

struct uet_wait uet_flow_wait(const struct uet_flow *flow);
struct uet_wait uet_pdc_wait(const struct uet_pdc *pdc);
struct uet_wait uet_queue_wait(const struct uet_dest *dest,
			       const struct uet_pdc *pdc, unsigned long born);
struct uet_wait uet_moving_wait(unsigned long at);
enum uet_nl_wait uet_sent_msg_wait(u32 why, const struct uet_pdc *pdc);

/* How long it has waited, ns */
static inline u64 uet_wait_ns(const struct uet_wait *w, u64 now)
{
	return w->why != UET_WAIT_NOTHING && now > w->since ? now - w->since : 0;
}

#endif /* _UET_WAIT_H */
