// SPDX-License-Identifier: GPL-2.0
/*
 * Netlink object "ccc": congestion control contexts. Most of it is what UET_INFO
 * tells of the context of a socket.
 */
#include <linux/ktime.h>
#include <linux/rcupdate.h>
#include <linux/uet.h>
#include <net/genetlink.h>

#include "base.h"
#include "ctl/genl/genl.h"
#include "link/peer.h"
#include "pdc/pdc.h"
#include "tx/cms/flow.h"
#include "tx/pds/half.h"
#include "tx/pds/hole.h"
#include "tx/queue/wait.h"

/**
 * struct uet_genl_ccc - what changes of a CCC
 * @info: what UET_INFO tells
 * @acks: acknowledgments
 * @losses_local: packets that the interface dropped
 * @hole: large packets are lost: the shortest of them, 0 = they are not
 * @hole_ns: since when, or how long ago; 0 = never
 * @port_down_ns: time since a port went out of use, 0 = none did
 * @port_shut_ns: time for which the interface has dropped all packets, 0 = it
 *	does not
 * @guessed: the base RTT is a guess
 * @native: packets are IP without UDP
 * @crc: they have a CRC
 * @wait: what its data waits for, enum uet_nl_wait
 * @wait_ns: how long
 */
struct uet_genl_ccc {
	struct uet_info		info;
	u64			acks;
	u64			losses_local;
	u32			hole;
	u64			hole_ns;
	u64			port_down_ns;
	u64			port_shut_ns;
	bool			guessed;
	bool			native;
	bool			crc;
	u32			wait;
	u64			wait_ns;
};

static void uet_genl_ccc_read(struct uet_flow *flow, struct uet_genl_ccc *c)
{
	const struct uet_snd_waits *mpr = &flow->snd.mpr;
	struct uet_wait wait;
	u64 now;

	spin_lock_bh(&flow->lock);
	now = ktime_get_ns();
	uet_info_flow(flow, &c->info, now);
	if (mpr->nr)
		c->info.blocked_ns[UET_BLOCKED_MPR] += now - mpr->since;
	c->acks = flow->ccc.stats.acks;
	c->losses_local = flow->ccc.stats.losses[UET_LOSS_LOCAL];
	c->hole = uet_hole_told(flow, now, &c->hole_ns);
	if (flow->port_down_at)
		c->port_down_ns = max(now - flow->port_down_at, 1ULL);
	if (flow->ccc.state != UET_CCC_IDLE)
		c->port_shut_ns = uet_port_shut_ns(flow, now);
	c->guessed = flow->guessed;
	c->native = flow->form & UET_FORM_IP;
	c->crc = flow->form & UET_FORM_CRC;
	wait = uet_flow_wait(flow);
	c->wait = wait.why;
	c->wait_ns = uet_wait_ns(&wait, now);
	spin_unlock_bh(&flow->lock);
}

#define FLOW(_attr, _kind, _field)					\
	UET_GENL_ROW(CCC_##_attr, _kind, 0, struct uet_flow, _field)
#define KEY(_attr, _kind, _field)					\
	UET_GENL_ROW(CCC_##_attr, _kind, 1, struct uet_peer_key, _field)
#define NOW(_attr, _kind, _field)					\
	UET_GENL_ROW(CCC_##_attr, _kind, 2, struct uet_genl_ccc, _field)
#define INFO(_attr, _kind, _field)	NOW(_attr, _kind, info._field)

static const struct uet_genl_row uet_genl_ccc_rows[] = {
	FLOW(ID,			U64,	id),
	KEY(LOCAL,			ADDR,	laddr),
	KEY(REMOTE,			ADDR,	raddr),
	FLOW(TCLASS,			U32,	tclass),
	FLOW(SPRAYED,			FLAG,	sprayed),
	NOW(NATIVE,			FLAG,	native),
	NOW(CRC,			FLAG,	crc),
	INFO(CC,			STRING,	cc),
	INFO(PATH_POLICY,		STRING,	path_policy),
	INFO(STATE,			U32,	cc_state),
	INFO(CC_MODE,			U32,	cc_mode),
	NOW(WAIT,			U32,	wait),
	NOW(WAIT_NS,			U64,	wait_ns),
	INFO(RTT,			U64,	rtt),
	INFO(RTT_VAR,			U64,	rtt_var),
	INFO(BASE_RTT,			U64,	base_rtt),
	NOW(BASE_GUESSED,		FLAG,	guessed),
	INFO(TARGET_QDELAY,		U64,	target_qdelay),
	INFO(DELAY_AVG,			U64,	delay_avg),
	INFO(CWND,			U64,	cwnd),
	INFO(MAX_WND,			U64,	max_wnd),
	INFO(SAVED_CWND,		U64,	saved_cwnd),
	INFO(INFLIGHT,			U64,	inflight),
	INFO(INFLIGHT_PKTS,		U32,	inflight_pkts),
	INFO(BACKLOG,			U64,	backlog),
	INFO(RTX_BACKLOG,		U64,	rtx_backlog),
	INFO(MTU,			U32,	mtu),
	INFO(PATH_MTU,			U32,	path_mtu),
	INFO(PATH_MTU_STEPS,		U32,	path_mtu_steps),
	INFO(LINK_MBPS,			U32,	link_mbps),
	INFO(CREDIT,			U64,	credit),
	INFO(CREDIT_REQS,		U32,	credit_reqs),
	INFO(PATHS,			U32,	paths),
	INFO(PATHS_BAD,			U32,	paths_bad),
	INFO(PATHS_GONE,		U32,	paths_gone),
	INFO(PORTS,			U32,	ports),
	INFO(PORTS_DOWN,		U32,	ports_down),
	INFO(SENT_PKTS,			U64,	pkts_sent),
	INFO(SENT_BYTES,		U64,	bytes_sent),
	INFO(MARKS,			U64,	marks),
	INFO(TRIMS,			U64,	trims),
	INFO(TRIMS_LASTHOP,		U64,	trims_lasthop),
	INFO(NACKS_SHORTAGE,		U64,	nacks_shortage),
	INFO(NACKS_OTHER,		U64,	nacks_other),
	INFO(RETRANSMITS,		U64,	retransmits),
	INFO(NEEDLESS,			U64,	needless),
	INFO(LOSSES_SACK,		U64,	losses_sack),
	INFO(LOSSES_OOO,		U64,	losses_ooo),
	INFO(LOSSES_PROBE,		U64,	losses_probe),
	INFO(LOSSES_RTO,		U64,	timeouts),
	INFO(LOSSES_RCVR,		U64,	losses_rcvr),
	INFO(LOSSES_GO_BACK,		U64,	losses_go_back),
	INFO(DECREASES,			U64,	decreases),
	INFO(QUICK_ADAPTS,		U64,	quick_adapts),
	INFO(PENALTIES,			U64,	penalties),
	INFO(WAITED_WINDOW_NS,		U64,	blocked_ns[UET_BLOCKED_WINDOW]),
	INFO(WAITED_CREDIT_NS,		U64,	blocked_ns[UET_BLOCKED_CREDIT]),
	INFO(WAITED_RECEIVE_WINDOW_NS,	U64,	blocked_ns[UET_BLOCKED_MPR]),
	INFO(WAITED_ROUTE_NS,		U64,	blocked_ns[UET_BLOCKED_ROUTE]),
	INFO(WAITED_PORT_NS,		U64,	blocked_port_ns),
	NOW(ACKS,			U64,	acks),
	NOW(LOSSES_LOCAL,		U64,	losses_local),
	NOW(HOLE_BYTES,			U32_IF,	hole),
	NOW(HOLE_NS,			U64_IF,	hole_ns),
	NOW(PORTS_DOWN_NS,		U64_IF,	port_down_ns),
	NOW(PORT_SHUT_NS,		U64_IF,	port_shut_ns),
	{ }
};

/**
 * uet_genl_flow_fits() - is a flow wanted?
 * @f: filter
 * @flow: the flow
 *
 * Context: RCU read side.
 * Return: true if id and addresses are those wanted.
 */
bool uet_genl_flow_fits(const struct uet_genl_filter *f,
			const struct uet_flow *flow)
{
	const struct uet_peer_key *key = &flow->peer->key;

	return uet_genl_fits(f, UET_A_FILTER_CCC, flow->id) &&
	       uet_genl_remote_fits(f, &key->raddr) &&
	       uet_genl_local_fits(f, &key->laddr);
}

static int uet_genl_ccc_tell(struct uet_genl_walk *w, void *entry)
{
	struct uet_flow *flow = entry;
	struct uet_genl_ccc c = {};

	BUILD_BUG_ON((int)UET_CC_STATE_PENDING != (int)UET_CC_PENDING ||
		     UET_ALGO_MODE_CREDIT != UET_CC_MODE_CREDIT);
	if (!uet_genl_flow_fits(&w->filter, flow))
		return 0;
	uet_genl_ccc_read(flow, &c);
	if (w->filter.has & UET_WANTS(WAITING) && c.wait == UET_WAIT_NOTHING)
		return 0;
	return uet_genl_tell(w, uet_genl_ccc_rows, flow, &flow->peer->key, &c);
}

static const struct uet_genl_object uet_genl_cccs = {
	.cmd		= UET_CMD_CCC_GET,
	.filter		= UET_A_CCC_FILTER,
	.filters	= UET_WANTS(REMOTE) | UET_WANTS(REMOTE_PLEN) |
			  UET_WANTS(LOCAL) | UET_WANTS(CCC) | UET_WANTS(WAITING),
	.whose		= UET_GENL_FLOWS,
	.ids		= offsetof(struct uet_net, flow_ids),
	.tell		= uet_genl_ccc_tell,
};

UET_GENL_READ(ccc)

/* Contexts that a filter wants are left: each queue, once it is empty, goes to a new one. */
int uet_nl_ccc_renew_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct uet_net *un = uet_net(genl_info_net(info));
	struct uet_genl_filter filter;
	struct uet_flow *flow;
	unsigned long id = 0;
	bool found = false;
	u32 steps = 0;
	int err;

	err = uet_genl_filter_parse(&filter, info->attrs[UET_A_CCC_FILTER],
				    uet_genl_cccs.filters & ~UET_WANTS(WAITING),
				    info->extack);
	if (err)
		return err;
	rcu_read_lock();
	for (; (flow = uet_flow_from(un, &id)); id++) {
		if (uet_genl_flow_fits(&filter, flow)) {
			WRITE_ONCE(flow->old, true);
			found = true;
		}
		if (!(++steps % UET_GENL_STEPS))
			uet_genl_rest();
	}
	rcu_read_unlock();
	if (found) {
		/* The others would have to share the limits with them. */
		uet_pdc_shed(un);
		return 0;
	}
	NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[UET_A_CCC_FILTER],
			    "there is none");
	return -ENOENT;
}
