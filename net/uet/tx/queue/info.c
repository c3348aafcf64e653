// SPDX-License-Identifier: GPL-2.0
/*
 * State and counters of a flow, for UET_INFO, which has them in the manner of
 * TCP_INFO, and for netlink. All come from variables that the transport needs
 * anyway.
 */
#include <linux/ktime.h>

#include "core/lb/lb_ports.h"
#include "core/snd/snd_hold.h"
#include "core/snd/snd_timer.h"
#include "link/peer.h"
#include "pdc/pdc.h"
#include "tx/cms/flow.h"
#include "tx/msg/txmsg.h"
#include "tx/pds/half.h"
#include "tx/pds/pds.h"

static void uet_info_counts(const struct uet_flow *flow, struct uet_info *info)
{
	const struct uet_ccc_stats *st = &flow->ccc.stats;

	info->pkts_sent = st->sent_pkts;
	info->bytes_sent = st->sent_bytes;
	info->retransmits = st->rtx_pkts;
	info->needless = st->needless;
	info->timeouts = st->losses[UET_LOSS_RTO];
	info->losses_sack = st->losses[UET_LOSS_SACK];
	info->losses_ooo = st->losses[UET_LOSS_OOO];
	info->losses_probe = st->losses[UET_LOSS_PROBE];
	info->losses_go_back = st->losses[UET_LOSS_GO_BACK];
	info->losses_rcvr = st->nacks[UET_NACKED_LOST];
	info->marks = st->marks;
	info->trims = st->nacks[UET_NACKED_TRIMMED];
	info->trims_lasthop = st->nacks[UET_NACKED_LASTHOP];
	info->nacks_shortage = flow->snd.nacks_shortage;
	info->nacks_other = st->nacks[UET_NACKED_OTHER] - flow->snd.nacks_shortage;
	info->decreases = st->mds;
	info->quick_adapts = st->qas;
	info->penalties = st->dfc_episodes;
}

static u32 uet_info_mode(const struct uet_ccc *ccc,
			 const struct uet_cc_info *cc)
{
	u32 mode = 0;

	if (cc->fast)
		mode |= UET_CC_MODE_FAST;
	if (cc->draining)
		mode |= UET_CC_MODE_DRAINING;
	if (cc->saved_cwnd)
		mode |= UET_CC_MODE_PENALTY;
	if (cc->speculating)
		mode |= UET_CC_MODE_SPECULATING;
	if (ccc->rccc)
		mode |= UET_CC_MODE_CREDIT;
	return mode;
}

static void uet_info_ports(const struct uet_flow *flow, struct uet_info *info)
{
	u32 i, nr = uet_lb_ports_nr(flow->ccc.lb);

	info->ports = max_t(u32, nr, 1);
	for (i = 0; i < nr; i++)
		info->ports_down += !uet_lb_ports_get(flow->ccc.lb, i)->up;
}

static void uet_info_ccc(const struct uet_flow *flow, struct uet_info *info,
			 u64 now)
{
	const struct uet_ccc *ccc = &flow->ccc;
	struct uet_cc_info cc;

	BUILD_BUG_ON((int)UET_CC_PENDING != (int)UET_CCC_PENDING);
	uet_ccc_info(ccc, &cc);
	info->rtt = uet_rtt_est_ns(&ccc->rtt);
	info->rtt_var = ccc->rtt.var >> 2;
	info->base_rtt = ccc->base_rtt;
	info->target_qdelay = ccc->params->target;
	info->link_mbps = ccc->params->rate_mbps;
	info->delay_avg = cc.avg_delay;
	info->cwnd = uet_ccc_window(ccc);
	info->saved_cwnd = cc.saved_cwnd;
	info->inflight = ccc->inflight;
	info->max_wnd = cc.max_wnd;
	info->mtu = ccc->params->mtu;
	info->inflight_pkts = ccc->inflight_pkts;
	info->backlog = ccc->backlog;
	info->rtx_backlog = ccc->rtx_backlog;
	info->credit = cc.credit;
	info->credit_granted = cc.granted;
	info->credit_reqs = ccc->credit_reqs;
	info->cc_state = ccc->state;
	info->cc_mode = uet_info_mode(ccc, &cc);
	uet_ccc_blocked_ns(ccc, now, &info->blocked_ns[UET_BLOCKED_WINDOW],
			   &info->blocked_ns[UET_BLOCKED_CREDIT]);
	if (ccc->blocked & UET_CC_BLOCK_WINDOW)
		info->blocked_by = UET_BLOCKED_WINDOW;
	else if (ccc->blocked & UET_CC_BLOCK_CREDIT)
		info->blocked_by = UET_BLOCKED_CREDIT;
	info->blocked_port_ns = uet_port_share_waited(flow, now);
	if (!info->blocked_by && flow->share.since)
		info->blocked_by = UET_BLOCKED_PORT;
	info->blocked_ns[UET_BLOCKED_MPR] = flow->snd.mpr_ns;
	info->blocked_ns[UET_BLOCKED_ROUTE] = uet_flow_route_ns(flow, now);
	if (flow->route_since && ccc->state != UET_CCC_IDLE)
		info->blocked_by = UET_BLOCKED_ROUTE;
	info->paths = uet_lb_paths(flow->ccc.lb);
	info->paths_bad = uet_lb_bad_paths(flow->ccc.lb);
	info->paths_gone = uet_minute_sum(&flow->gone, now);
	uet_info_ports(flow, info);
	info->path_mtu = flow->ip_mtu;
	info->path_mtu_steps = flow->hole.steps;
	strscpy(info->cc, ccc->algo->name, sizeof(info->cc));
	strscpy(info->path_policy, uet_lb_policy(flow->ccc.lb)->name,
		sizeof(info->path_policy));
}

/* State of the PDC and of this socket's queue */
static void uet_info_dest(const struct uet_dest *dest,
			  const struct uet_pdc *pdc, struct uet_info *info,
			  u64 now)
{
	const struct uet_pdc_tx *tx = pdc->tx;

	info->pdcs = READ_ONCE(pdc->peer->nr_pdcs);
	info->rto = uet_snd_rto(&tx->snd);
	info->mpr = tx->snd.win.range;
	info->mpr_used = tx->snd.win.next - tx->snd.win.una;
	if (uet_snd_busy(&tx->snd)->mpr_since)
		info->blocked_ns[UET_BLOCKED_MPR] += now - uet_snd_busy(&tx->snd)->mpr_since;
	info->blocked_ns[UET_BLOCKED_RECEIVER] = uet_snd_held_ns(&dest->q, now);
	if (dest->q.hold.on) {
		info->blocked_by = UET_BLOCKED_RECEIVER;
	} else if (!info->blocked_by && uet_snd_busy(&tx->snd)->mpr_since &&
		   !list_empty(&dest->q.active)) {
		info->blocked_by = UET_BLOCKED_MPR;
	}
}

/**
 * uet_info_flow() - state of a flow
 * @flow: the flow
 * @info: what is no property of a queue or PDC is filled in; zeroed by the caller
 * @now: time, ns
 *
 * Context: flow lock held.
 */
void uet_info_flow(const struct uet_flow *flow, struct uet_info *info, u64 now)
{
	lockdep_assert_held(&flow->lock);
	uet_info_counts(flow, info);
	uet_info_ccc(flow, info, now);
}

/**
 * uet_info_fill() - state towards the peer of a queue
 * @dest: the queue
 * @pdc: PDC that carries it
 * @info: filled; zeroed by the caller
 *
 * Context: flow lock held.
 */
void uet_info_fill(const struct uet_dest *dest, const struct uet_pdc *pdc,
		   struct uet_info *info)
{
	u64 now = ktime_get_ns();

	uet_info_flow(pdc->tx->flow, info, now);
	uet_info_dest(dest, pdc, info, now);
}
