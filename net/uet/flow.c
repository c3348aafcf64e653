// SPDX-License-Identifier: GPL-2.0
/*
 * Flows: creation from settings, sharing, and the transmit queues that let
 * ready flows take turns in softirq.
 */

#include <linux/interrupt.h>
#include <linux/ktime.h>
#include <linux/percpu.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/udp.h>
#include <linux/wait_bit.h>
#include <net/ip.h>

#include "credit.h"
#include "encap.h"
#include "flow.h"
#include "mib.h"
#include "pdc.h"
#include "peer.h"

/**
 * struct uet_txq - flows of one CPU that have something to send
 * @lock: protects @flows; taken by other CPUs only when this one went offline
 * @flows: struct uet_flow by queue_node, each with a reference
 * @tasklet: the softirq that serves them
 */
struct uet_txq {
	spinlock_t		lock;		/* of flows */
	struct list_head	flows;
	struct tasklet_struct	tasklet;
};

static DEFINE_PER_CPU(struct uet_txq, uet_txqs);

/* Bytes in front of the payload of a full packet, by the wire */
static u32 uet_flow_headers(const struct uet_net *un)
{
	return sizeof(struct udphdr) + UET_PDS_REQ_CC_LEN + UET_SES_STD_LEN +
	       (un->sysctl.data_protect ? UET_CRC_LEN : 0);
}

/*
 * Payload MTU of a path, which may change at any time: the largest of the
 * four sizes UET knows that fits, or what the operator set as far as it fits
 * (wire.md 1.7).
 */
static void uet_flow_set_mtu(struct uet_flow *flow, u32 ip_mtu)
{
	const struct uet_net *un = flow->peer->fep->un;
	u32 iph = uet_peer_is_v4(flow->peer) ? sizeof(struct iphdr) :
					       sizeof(struct ipv6hdr);
	u32 room, want = READ_ONCE(un->sysctl.payload_mtu);
	u32 headers = uet_flow_headers(un);

	ip_mtu = clamp_t(u32, ip_mtu, IPV4_MIN_MTU, IP_MAX_MTU);
	room = max_t(u32, ip_mtu, iph + headers + 64) - iph - headers;
	if (!want) {
		want = rounddown_pow_of_two(clamp_t(u32, room, 1024, 8192));
		want = max_t(u32, want, 1024);
	}
	flow->ip_mtu = ip_mtu;
	want = min3(want, room, (u32)UET_SES_LEN14);
	/* The CCC counts in packets of the size it was made for, at most. */
	if (flow->params.mtu)
		want = min(want, flow->params.mtu - flow->overhead);
	flow->payload_mtu = want;
}

/**
 * uet_flow_link_mbps() - speed of the local port towards a peer
 * @peer: the peer
 *
 * Context: process or BH.
 * Return: by setting, else by device as found when the peer was made, else 0.
 */
u32 uet_flow_link_mbps(struct uet_peer *peer)
{
	u32 mbps = READ_ONCE(peer->fep->un->sysctl.link_mbps);

	return mbps ?: READ_ONCE(peer->link_mbps);
}

/*
 * A configured base RTT sizes the window for good (UE 1.0 3.6.13 has the
 * window follow every lower sample): samples of packets much shorter than the
 * MTU lack most of its serialisation, which on slow links is a good part of
 * the round trip, and a window sized by them cannot fill the path.
 */
static void uet_flow_fixed_rtt(struct uet_cc_config *cfg, u32 mbps,
			       u32 base_rtt_us)
{
	u64 base_rtt = (u64)base_rtt_us * NSEC_PER_USEC;
	u64 bdp = uet_cc_bdp(mbps ?: UET_RATE_DEFAULT_MBPS, base_rtt);
	u64 floor = UET_WND_MIN_MTUS * cfg->val[UET_CCP_MTU];

	uet_cc_config_set(cfg, UET_CCP_BASE_RTT_NS, base_rtt);
	uet_cc_config_set(cfg, UET_CCP_MAX_WND,
			  clamp_t(u64, bdp * 3 / 2, floor, UET_WND_MAX));
}

static void uet_flow_config(const struct uet_flow *flow,
			    struct uet_cc_config *cfg)
{
	struct uet_peer *peer = flow->peer;
	const struct uet_sysctl *s = &peer->fep->un->sysctl;
	u32 mbps = uet_flow_link_mbps(peer);

	/* All of these passed the same range checks in the sysctl handlers. */
	uet_cc_config_set(cfg, UET_CCP_MTU,
			  flow->overhead + flow->payload_mtu);
	if (mbps)
		uet_cc_config_set(cfg, UET_CCP_RATE_MBPS, mbps);
	if (s->base_rtt_us)
		uet_flow_fixed_rtt(cfg, mbps, s->base_rtt_us);
	if (s->target_qdelay_us)
		uet_cc_config_set(cfg, UET_CCP_TARGET_QDELAY_NS,
				  (u64)s->target_qdelay_us * NSEC_PER_USEC);
	uet_cc_config_set(cfg, UET_CCP_TRIMMING, s->trimming);
	uet_cc_config_set(cfg, UET_CCP_GAMMA_Q16, s->nscc_gamma);
	uet_cc_config_set(cfg, UET_CCP_MAX_MD_JUMP_Q16, s->nscc_max_md_jump);
	uet_cc_config_set(cfg, UET_CCP_QA_GATE, s->nscc_qa_gate);
	uet_cc_config_set(cfg, UET_CCP_CLEAR_DELAY_NS, s->nscc_clear_delay_ns);
	uet_cc_config_set(cfg, UET_CCP_DISABLE_QA, s->nscc_disable_qa);
	uet_cc_config_set(cfg, UET_CCP_WND_UNUSED, s->nscc_idle_window);
	uet_cc_config_set(cfg, UET_CCP_DELAY_AVG, s->nscc_htsim_avg);
	uet_cc_config_set(cfg, UET_CCP_DFC_LITERAL, s->nscc_dfc_literal);
	uet_cc_config_set(cfg, UET_CCP_ACK_GEN_TRIGGER, s->ack_gen_trigger);
}

static int uet_flow_init_lb(struct uet_flow *flow, const char *policy)
{
	struct uet_peer *peer = flow->peer;
	const struct uet_sysctl *s = &peer->fep->un->sysctl;
	const struct uet_lb_ops *ops = uet_lb_find(policy);
	struct uet_lb_config cfg = {
		.seed		= get_random_u64(),
		.n		= s->entropy_size,
		.run		= s->spray_run,
		.threshold_pct	= s->congestion_threshold,
		.trimming	= s->trimming,
		.t_reroute	= s->t_reroute,
		.idle_ns	= (u64)s->reroute_idle_us * NSEC_PER_USEC,
		.peer_key	= peer->ev_key,
		.rto_ns		= (u64)s->rto_min_us * NSEC_PER_USEC,
		.cwnd		= flow->params.max_wnd,
		.mtu		= flow->params.mtu,
	};

	if (!ops || (!flow->sprayed && !ops->ordered))
		return -EINVAL;
	cfg.n = uet_lb_space(ops, cfg.n);
	/* Contexts of one peer share a space, so that their single paths differ. */
	cfg.base = uet_lb_choose_base(cfg.n, flow->sprayed ?
				      get_random_u32() : peer->ev_key, true);
	cfg.peer_index = flow->sprayed ? 0 : peer->ev_index++;
	flow->lb = kzalloc(uet_lb_mem_size(ops, cfg.n), GFP_KERNEL);
	if (!flow->lb)
		return -ENOMEM;
	return uet_lb_init(flow->lb, ops, &cfg);
}

static struct uet_flow *uet_flow_new(struct uet_peer *peer,
				     const struct uet_flow_spec *spec)
{
	const struct uet_sysctl *s = &peer->fep->un->sysctl;
	const struct uet_cc_algo *algo;
	struct uet_cc_config cfg = {};
	struct uet_flow *flow;
	const char *name;
	u32 mtu;
	int err;

	err = uet_route_peer(peer, &mtu);
	if (err)
		return ERR_PTR(err);
	flow = kzalloc(sizeof(*flow), GFP_KERNEL);
	if (!flow)
		return ERR_PTR(-ENOMEM);
	INIT_LIST_HEAD(&flow->peer_node);
	INIT_LIST_HEAD(&flow->ready);
	INIT_LIST_HEAD(&flow->queue_node);
	refcount_set(&flow->ref, 1);
	spin_lock_init(&flow->lock);
	flow->peer = peer;
	flow->tclass = spec->tclass;
	flow->sprayed = spec->sprayed;
	strscpy(flow->cc, spec->cc, sizeof(flow->cc));
	strscpy(flow->policy, spec->policy, sizeof(flow->policy));
	uet_flow_set_mtu(flow, mtu);

	err = -EINVAL;
	name = *spec->cc ? spec->cc : s->congestion_control;
	algo = uet_cc_find(name);
	if (!algo)
		goto err_free;
	flow->overhead = sizeof(struct udphdr) + UET_SES_STD_LEN +
			 (algo->credit ? UET_PDS_REQ_CC_LEN : UET_PDS_REQ_LEN) +
			 (s->data_protect ? UET_CRC_LEN : 0) +
			 UET_NOMINAL_ADD_BYTES;
	uet_flow_config(flow, &cfg);
	err = uet_cc_params_derive(&flow->params, &cfg, NULL);
	if (err)
		goto err_free;
	name = *spec->policy ? spec->policy :
	       spec->sprayed ? s->path_policy : s->path_policy_ordered;
	err = uet_flow_init_lb(flow, name);
	if (err)
		goto err_lb;
	if (algo->credit) {
		err = uet_credit_take_id(peer);
		if (err < 0)
			goto err_lb;
		flow->ccc_id = err;
	}
	uet_ccc_init(&flow->ccc, algo, &flow->params, flow->lb, flow->sprayed,
		     ktime_get_ns());
	if (READ_ONCE(peer->base_rtt))
		uet_ccc_set_base_rtt(&flow->ccc, READ_ONCE(peer->base_rtt));
	refcount_inc(&peer->ref);
	atomic_inc(&peer->fep->un->flows);
	return flow;

err_lb:
	kfree(flow->lb);
err_free:
	kfree(flow);
	return ERR_PTR(err);
}

static bool uet_flow_matches(const struct uet_flow *flow,
			     const struct uet_flow_spec *spec)
{
	return flow->sprayed && flow->tclass == spec->tclass &&
	       !strcmp(flow->cc, spec->cc) &&
	       !strcmp(flow->policy, spec->policy);
}

/**
 * uet_flow_get() - find the sprayed flow of a class, or make a flow
 * @peer: both FEPs
 * @spec: what is asked of it
 *
 * Context: process; the caller serialises (uet_net.open_mutex).
 * Return: the flow with a reference, or an ERR_PTR: -ENOMEM, -EINVAL for
 * settings that contradict each other, errors of the route lookup.
 */
struct uet_flow *uet_flow_get(struct uet_peer *peer,
			      const struct uet_flow_spec *spec)
{
	struct uet_flow *flow;

	if (spec->sprayed) {
		spin_lock_bh(&peer->lock);
		list_for_each_entry(flow, &peer->flows, peer_node) {
			if (uet_flow_matches(flow, spec) &&
			    refcount_inc_not_zero(&flow->ref)) {
				spin_unlock_bh(&peer->lock);
				return flow;
			}
		}
		spin_unlock_bh(&peer->lock);
	}
	flow = uet_flow_new(peer, spec);
	if (!IS_ERR(flow) && spec->sprayed) {
		spin_lock_bh(&peer->lock);
		list_add(&flow->peer_node, &peer->flows);
		spin_unlock_bh(&peer->lock);
	}
	return flow;
}

static void uet_flow_free_rcu(struct rcu_head *head)
{
	struct uet_flow *flow = container_of(head, struct uet_flow, rcu);

	kfree(flow->lb);
	kfree(flow);
}

/**
 * uet_flow_put() - drop a reference
 * @flow: the flow
 *
 * What must survive an idle peer, its base RTT, goes to the peer.
 *
 * Context: any, flow lock not held.
 */
void uet_flow_put(struct uet_flow *flow)
{
	struct uet_peer *peer = flow->peer;
	struct uet_net *un = peer->fep->un;

	if (!refcount_dec_and_test(&flow->ref))
		return;
	spin_lock_bh(&peer->lock);
	list_del(&flow->peer_node);
	spin_unlock_bh(&peer->lock);
	uet_credit_flow_gone(flow);
	if (flow->ccc.rtt.srtt)
		WRITE_ONCE(peer->base_rtt, flow->ccc.base_rtt);
	uet_peer_put(peer);
	/* Packets still look at the lock through a PDC that is dead. */
	call_rcu(&flow->rcu, uet_flow_free_rcu);
	/* The namespace waits for this in its exit. */
	if (atomic_dec_and_test(&un->flows))
		wake_up_var(&un->flows);
}

/* Packets of one turn; returns how many were built. */
static unsigned int uet_flow_build(struct uet_flow *flow,
				   struct sk_buff_head *list, unsigned int max)
{
	struct uet_pdc *pdc;
	unsigned int n = 0;
	u64 now;

	lockdep_assert_held(&flow->lock);
	if (flow->dead || list_empty(&flow->ready))
		return 0;
	now = ktime_get_ns();
	while (n < max && !list_empty(&flow->ready)) {
		pdc = list_first_entry(&flow->ready, struct uet_pdc,
				       tx.ready_node);
		switch (uet_pdc_tx_next(pdc, list, now)) {
		case 0:		/* nothing to send on this one: parked */
			list_del_init(&pdc->tx.ready_node);
			break;
		case -EAGAIN:	/* the window is closed for all of them */
			return n;
		case -ENOMEM:	/* tried again by timer */
			return n;
		default:
			n++;
			/* A turn each, by packets. */
			list_move_tail(&pdc->tx.ready_node, &flow->ready);
		}
	}
	return n;
}

/* Send up to @budget packets; true if there is more that may go. */
static bool uet_flow_serve(struct uet_flow *flow, unsigned int budget)
{
	struct uet_output out;
	struct sk_buff_head list;
	struct sk_buff *skb;
	unsigned int n;
	bool more, way;

	__skb_queue_head_init(&list);
	/* Without a way they are lost, and timeouts tell. */
	way = !uet_output_begin(&out, flow->peer);
	spin_lock(&flow->lock);
	if (likely(way) && unlikely(dst_mtu(out.dst) != flow->ip_mtu))
		uet_flow_set_mtu(flow, dst_mtu(out.dst));
	if (flow->running) {
		flow->again = true;
		more = false;
		goto out;
	}
	flow->running = true;
	do {
		flow->again = false;
		n = uet_flow_build(flow, &list,
				   min_t(unsigned int, budget, UET_TX_BATCH));
		if (n) {
			spin_unlock(&flow->lock);
			if (unlikely(!way)) {
				UET_ADD(flow->peer->fep->un, TX_ERRORS, n);
				__skb_queue_purge(&list);
			}
			while ((skb = __skb_dequeue(&list)))
				uet_output(&out, skb);
			spin_lock(&flow->lock);
		}
		budget -= n;
	} while (budget && (n == UET_TX_BATCH || flow->again));
	flow->running = false;
	uet_credit_wait(flow, &list);
	more = flow->again || (!budget && !list_empty(&flow->ready));
out:
	spin_unlock(&flow->lock);
	while ((skb = __skb_dequeue(&list))) {
		if (likely(way))
			uet_output(&out, skb);
		else
			kfree_skb(skb);
	}
	if (likely(way))
		uet_output_end(&out);
	return more;
}

/**
 * uet_flow_run() - send what may be sent now
 * @flow: the flow
 *
 * Context: BH disabled, flow lock not held.
 */
void uet_flow_run(struct uet_flow *flow)
{
	if (uet_flow_serve(flow, UET_TX_BUDGET))
		uet_flow_queue(flow);
}

/**
 * uet_flow_queue() - let the transmit softirq of this CPU serve a flow
 * @flow: the flow
 *
 * Context: BH disabled; locks may be held.
 */
void uet_flow_queue(struct uet_flow *flow)
{
	struct uet_txq *q;

	if (test_and_set_bit(0, &flow->queued))
		return;
	refcount_inc(&flow->ref);
	q = this_cpu_ptr(&uet_txqs);
	spin_lock(&q->lock);
	list_add_tail(&flow->queue_node, &q->flows);
	spin_unlock(&q->lock);
	tasklet_schedule(&q->tasklet);
}

static void uet_txq_run(struct tasklet_struct *t)
{
	struct uet_txq *q = from_tasklet(q, t, tasklet);
	unsigned int turns = UET_TX_BUDGET / UET_TX_BATCH;
	struct uet_flow *flow;

	while (turns--) {
		spin_lock(&q->lock);
		flow = list_first_entry_or_null(&q->flows, struct uet_flow,
						queue_node);
		if (flow)
			list_del_init(&flow->queue_node);
		spin_unlock(&q->lock);
		if (!flow)
			return;
		clear_bit(0, &flow->queued);
		smp_mb__after_atomic(); /* pairs with uet_flow_queue() */
		if (uet_flow_serve(flow, UET_TX_BATCH))
			uet_flow_queue(flow);
		uet_flow_put(flow);
	}
	tasklet_schedule(t);
}

int uet_flow_init(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct uet_txq *q = per_cpu_ptr(&uet_txqs, cpu);

		spin_lock_init(&q->lock);
		INIT_LIST_HEAD(&q->flows);
		tasklet_setup(&q->tasklet, uet_txq_run);
	}
	return 0;
}

void uet_flow_exit(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		tasklet_kill(&per_cpu_ptr(&uet_txqs, cpu)->tasklet);
}
