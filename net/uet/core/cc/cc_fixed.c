// SPDX-License-Identifier: GPL-2.0
/*
 * "fixed": a constant window; not in UE 1.0. The baseline for measurements,
 * and the smallest example of an algorithm: it has no state of its own, since
 * the CCC counts the bytes in flight.
 */
#include "ccc.h"

static bool fixed_can_send(const struct uet_ccc *c)
{
	return c->inflight + c->params->mtu <= (s64)c->params->fixed_wnd;
}

static u64 fixed_room(const struct uet_ccc *c)
{
	return (u64)((s64)c->params->fixed_wnd - c->inflight - c->params->mtu);
}

static bool fixed_ack_request(const struct uet_ccc *c, u32 size)
{
	s64 wnd = (s64)c->params->fixed_wnd;

	return wnd - (c->inflight + size) < c->params->mtu ||
	       wnd < c->params->ack_gen_trigger;
}

static void fixed_on_ack(struct uet_ccc *c, const struct uet_ccc_ack *ack)
{
	if (ack->rtt_valid && !ack->rtt_short)
		uet_ccc_lower_base_rtt(c, ack->rtt);
}

static u64 fixed_window(const struct uet_ccc *c)
{
	return c->params->fixed_wnd;
}

static void fixed_info(const struct uet_ccc *c, struct uet_cc_info *info)
{
	info->cwnd = c->params->fixed_wnd;
	info->max_wnd = c->params->fixed_wnd;
}

static void fixed_init(struct uet_ccc *c, u64 now)
{
}

const struct uet_cc_ops uet_cc_fixed = {
	.can_send = fixed_can_send,
	.room = fixed_room,
	.ack_request = fixed_ack_request,
	.on_ack = fixed_on_ack,
	.window = fixed_window,
	.info = fixed_info,
	.init = fixed_init,
	.name = "fixed",
};
