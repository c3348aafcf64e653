// SPDX-License-Identifier: GPL-2.0
/*
 * The constants of a flow (UE 1.0 3.6.13): they follow from the settings of the
 * namespace and of the peer, the speed of the link and the base RTT. That is
 * configured, known from an earlier flow, or guessed until it is measured.
 */
#include <linux/ktime.h>
#include <linux/slab.h>

#include "link/peer.h"
#include "link/ports.h"
#include "settings.h"
#include "tx/cms/flow.h"

/*
 * A configured base RTT sizes the window for good, whereas in UE 1.0 3.6.13 the
 * window follows every lower sample. Samples of packets much shorter than the
 * MTU lack most of its serialisation delay, on slow links a good part of the
 * round trip: a window sized by them cannot fill the path. Nor do they lower a
 * configured base RTT: queues would seem longer than they are.
 */
static void uet_flow_fixed_rtt(struct uet_cc_config *cfg,
			       const struct uet_sysctl *s)
{
	u64 base_rtt = (u64)s->base_rtt_us * NSEC_PER_USEC;
	u64 bdp = uet_cc_bdp(uet_cc_config_rate(cfg), base_rtt);
	u64 floor = UET_WND_MIN_MTUS * cfg->val[UET_CCP_MTU];

	uet_cc_config_set(cfg, UET_CCP_BASE_RTT_NS, base_rtt);
	if (s->nscc_wnd_follows)
		return;
	uet_cc_config_set(cfg, UET_CCP_MAX_WND,
			  clamp_t(u64,
				  uet_cc_wnd(bdp, cfg->val[UET_CCP_WND_ADD],
					     cfg->val[UET_CCP_WND_ADD_RUNS]),
				  floor, UET_WND_MAX));
}

/* The rate of the local ports */
static u32 uet_flow_mbps(struct uet_peer *peer, const struct uet_sysctl *s)
{
	u32 speeds[UET_LB_PORTS_MAX];

	if (!s->link_mbps)
		return uet_peer_mbps(peer);
	return s->link_mbps * max(uet_ports_speeds(peer, speeds), 1U);
}

static void uet_flow_config(struct uet_flow *flow, const struct uet_sysctl *s,
			    struct uet_cc_config *cfg)
{
	u32 mbps = uet_flow_mbps(flow->peer, s);

	/* Constants that copy a setting; the others are derived below */
	uet_settings_feed(s, cfg);
	uet_cc_config_set(cfg, UET_CCP_MTU,
			  flow->snd.overhead + flow->snd.payload_mtu);
	if (mbps) {
		uet_cc_config_set(cfg, UET_CCP_RATE_MBPS, mbps);
		flow->ns_per_byte_q16 = ((u32)UET_MBPS_NS_PER_BYTE << 16) /
					mbps;
	}
	/*
	 * Data that arrived and waits for an ACK fills the window, but no
	 * queue. The 1.5 BDP of UE 1.0 leave no room for it, on slow links a
	 * good part of them.
	 */
	if (s->nscc_wnd_add >= 0) {
		uet_cc_config_set(cfg, UET_CCP_WND_ADD, s->nscc_wnd_add);
	} else if (!s->ack_per_packet) {
		uet_cc_config_set(cfg, UET_CCP_WND_ADD, s->ack_gen_trigger);
		if (s->udp_csum != UET_UDP_CSUM_OFF)
			uet_cc_config_set(cfg, UET_CCP_WND_ADD_RUNS,
					  s->ack_gen_trigger *
					  UET_ACK_RUN_MOST);
	}
	if (s->base_rtt_us)
		uet_flow_fixed_rtt(cfg, s);
	if (s->nscc_max_wnd)
		uet_cc_config_set(cfg, UET_CCP_MAX_WND,
				  max_t(u32, s->nscc_max_wnd, UET_WND_MIN_MTUS *
							      UET_MTU_MIN));
}

/*
 * Derive all from a measured base RTT. Above the guess another link than the
 * local one is likely to be the bottleneck: there the window stays what it
 * would be at the guessed base RTT, or on a link of 10 Gb/s, and operators who
 * know better set base_rtt_us.
 */
static void uet_flow_base_rtt(struct uet_cc_config *cfg, u64 ns)
{
	u64 mbps = uet_cc_config_rate(cfg);

	ns = clamp_t(u64, ns, UET_BASE_RTT_MIN_NS, UET_BASE_RTT_MAX_NS);
	uet_cc_config_set(cfg, UET_CCP_BASE_RTT_NS, ns);
	if (ns <= UET_BASE_RTT_DEFAULT_NS)
		return;
	mbps = div64_u64(max_t(u64, mbps, UET_RATE_DEFAULT_MBPS) *
			 UET_BASE_RTT_DEFAULT_NS, ns);
	uet_cc_config_set(cfg, UET_CCP_RATE_MBPS,
			  clamp_t(u64, mbps, 1, uet_cc_config_rate(cfg)));
}

/*
 * UE 1.0 wants the base RTT configured: the delay target and all gains follow
 * from it. Otherwise they follow from the value known for the peer, or from a
 * guess until it is measured (uet_flow_measured()). A value above the guess is
 * not believed if only a probe found it (core/cc/far.h).
 */
static int uet_flow_config_rtt(struct uet_flow *flow,
			       struct uet_cc_config *cfg)
{
	u64 known = READ_ONCE(flow->peer->base_rtt);

	flow->fixed_rtt = cfg->set & BIT_ULL(UET_CCP_BASE_RTT_NS);
	if (flow->fixed_rtt)
		return 0;
	flow->cfg = kmemdup(cfg, sizeof(*cfg), GFP_KERNEL_ACCOUNT);
	if (!flow->cfg)
		return -ENOMEM;
	if (known && (known <= UET_BASE_RTT_DEFAULT_NS ||
		      READ_ONCE(flow->peer->far))) {
		uet_flow_base_rtt(cfg, known);
		return 0;
	}
	if (known)
		uet_far_start(&flow->far);
	flow->guessed = true;
	return 0;
}

/**
 * uet_flow_fit() - derive the constants of a new flow
 * @flow: the flow, its peer, MTU and overhead known
 * @s: settings for the peer
 *
 * Context: process.
 * Return: 0, -EINVAL for settings that contradict each other, -ENOMEM; the
 * caller frees @flow->cfg.
 */
int uet_flow_fit(struct uet_flow *flow, const struct uet_sysctl *s)
{
	struct uet_cc_config cfg = {};
	int err;

	uet_flow_config(flow, s, &cfg);
	err = uet_flow_config_rtt(flow, &cfg);
	return err ?: uet_cc_params_fit(&flow->params, &cfg);
}

/**
 * uet_flow_measured() - derive the constants anew from a measured base RTT
 * @flow: the flow, whose base RTT is not configured
 * @base_rtt: ns
 * @now: time, ns
 *
 * Context: flow lock held.
 */
void uet_flow_measured(struct uet_flow *flow, u64 base_rtt, u64 now)
{
	struct uet_cc_config cfg = *flow->cfg;
	struct uet_cc_params params;

	lockdep_assert_held(&flow->lock);
	uet_flow_base_rtt(&cfg, base_rtt);
	if (!uet_cc_params_fit(&params, &cfg))
		flow->params = params;
	flow->guessed = false;
	uet_ccc_rebase(&flow->ccc, now);
}

/**
 * uet_flow_learned() - store the measured base RTT of a flow in its peer
 * @flow: the flow
 *
 * Configured or guessed values are not stored.
 *
 * Context: any.
 */
void uet_flow_learned(const struct uet_flow *flow)
{
	if (!flow->guessed && !flow->fixed_rtt)
		WRITE_ONCE(flow->peer->base_rtt, flow->ccc.base_rtt);
}
