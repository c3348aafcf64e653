// SPDX-License-Identifier: GPL-2.0
/*
 * Creation and sharing of flows (UE 1.0 3.6.16.2).
 *
 * Not here: their constants (tx/cms/flow_params.c), transmission (tx/pds/flow_tx.c).
 */
#include <linux/ktime.h>
#include <linux/slab.h>
#include <linux/udp.h>
#include <linux/wait_bit.h>
#include <net/ip.h>

#include "compat.h"
#include "link/encap.h"
#include "link/neigh.h"
#include "link/peer.h"
#include "link/peer_profile.h"
#include "link/peer_rules.h"
#include "link/pmtu.h"
#include "link/ports.h"
#include "pdc/pdc.h"
#include "pdc/tx_half.h"
#include "tx/cms/credit_id.h"
#include "tx/cms/flow.h"
#include "tx/cms/neigh.h"
#include "tx/cms/path.h"
#include "tx/cms/txq.h"

static struct kmem_cache *uet_flow_cache;

/**
 * uet_flow_set_mtu() - set or change the path MTU
 * @flow: the flow
 * @ip_mtu: MTU of its path
 *
 * Context: flow lock held, or the flow is new.
 */
void uet_flow_set_mtu(struct uet_flow *flow, u32 ip_mtu)
{
	u32 want;

	ip_mtu = clamp_t(u32, ip_mtu, IPV4_MIN_MTU, IP_MAX_MTU);
	flow->ip_mtu = ip_mtu;
	want = uet_pmtu_payload(flow->peer, ip_mtu);
	if (!flow->payload_max)
		flow->payload_max = want;
	flow->snd.payload_mtu = min_t(u32, want, flow->payload_max);
}

/**
 * uet_flow_set_form() - set or change the form of packets
 * @flow: the flow, its path MTU known
 * @form: UET_FORM_* of packets to its peer
 *
 * The constants of congestion control stay: a form differs from another one by some
 * bytes per packet.
 *
 * Context: flow lock held, or the flow is new.
 */
void uet_flow_set_form(struct uet_flow *flow, u8 form)
{
	flow->form = form;
	flow->snd.overhead = flow->headers + uet_form_len(form);
	uet_flow_set_mtu(flow, flow->ip_mtu);
}

static struct uet_lb *uet_flow_new_lb(struct uet_flow *flow,
				      const char *policy)
{
	const struct uet_lb_ops *ops = uet_lb_find(policy);
	struct uet_lb *lb;

	if (!ops || (!flow->sprayed && !ops->ordered))
		return ERR_PTR(-EINVAL);
	lb = uet_path_new(flow, ops);
	if (IS_ERR(lb))
		return lb;
	flow->snd.multi = uet_lb_ports_nr(lb);
	flow->ports_gen = flow->peer->ports_gen;
	return lb;
}

/* The option of the socket, else the setting for the peer */
static const char *uet_flow_name(const char *asked, const char *set)
{
	return *asked ? asked : set;
}

/* Allocate a flow, with an id that leads nowhere yet */
static struct uet_flow *uet_flow_alloc(struct uet_peer *peer,
				       const struct uet_flow_spec *spec)
{
	struct uet_net *un = peer->fep->un;
	struct uet_flow *flow;

	flow = kmem_cache_zalloc(uet_flow_cache, GFP_KERNEL);
	if (!flow)
		return NULL;
	flow->id = atomic_long_inc_return(&un->last_flow_id);
	if (xa_reserve_bh(&un->flow_ids, flow->id, GFP_KERNEL)) {
		kmem_cache_free(uet_flow_cache, flow);
		return NULL;
	}
	INIT_LIST_HEAD(&flow->peer_node);
	flow->snd.ccc = &flow->ccc;
	flow->snd.rules = &un->sysctl.rules;
	flow->snd.probes = &peer->habits.probes;
	flow->snd.probes_apart = uet_profile_says(uet_peer_profile(peer),
						  UET_PROFILE_STRICT_DSCP, false);
	flow->brief = uet_profile_brief(peer, uet_peer_profile(peer));
	INIT_LIST_HEAD(&flow->snd.ready);
	INIT_LIST_HEAD(&flow->queue_node);
	INIT_HLIST_NODE(&flow->neigh_node);
	refcount_set(&flow->ref, 1);
	spin_lock_init(&flow->lock);
	uet_port_share_init(flow);
	flow->peer = peer;
	flow->tclass = spec->tclass;
	flow->sprayed = spec->sprayed;
	strscpy(flow->cc, spec->cc, sizeof(flow->cc));
	strscpy(flow->policy, spec->policy, sizeof(flow->policy));
	return flow;
}

/* Bytes of a data packet that are not payload, as congestion control counts them, in any
 * form
 */
static u32 uet_flow_headers(const struct uet_cc_algo *algo)
{
	BUILD_BUG_ON(sizeof(struct udphdr) + UET_SES_STD_LEN +
		     UET_PDS_REQ_CC_LEN + UET_CRC_LEN + UET_NOMINAL_ADD_BYTES >
		     UET_SND_OVERHEAD_MAX);
	return UET_SES_STD_LEN + UET_NOMINAL_ADD_BYTES +
	       (algo->credit ? UET_PDS_REQ_CC_LEN : UET_PDS_REQ_LEN);
}

static struct uet_flow *uet_flow_new(struct uet_peer *peer,
				     const struct uet_flow_spec *spec)
{
	const struct uet_cc_algo *algo;
	struct uet_flow *flow;
	struct uet_sysctl s;
	struct uet_lb *lb;
	u32 mtu;
	int err;

	err = uet_route_peer(peer, &mtu);
	if (err)
		return ERR_PTR(err);
	uet_flow_ports(peer);
	flow = uet_flow_alloc(peer, spec);
	if (!flow)
		return ERR_PTR(-ENOMEM);
	uet_flow_set_mtu(flow, mtu);

	err = -EINVAL;
	uet_peer_settings(peer->fep->un, &peer->key.raddr, &s);
	algo = uet_cc_find(uet_flow_name(spec->cc, s.congestion_control));
	if (!algo)
		goto err_free;
	flow->headers = uet_flow_headers(algo);
	uet_flow_set_form(flow, uet_form_of_peer(peer));
	err = uet_flow_fit(flow, &s);
	if (err)
		goto err_free;
	lb = uet_flow_new_lb(flow,
			     uet_flow_name(spec->policy, spec->sprayed ?
					   s.path_policy : s.path_policy_ordered));
	if (IS_ERR(lb)) {
		err = PTR_ERR(lb);
		goto err_free;
	}
	if (algo->credit) {
		err = uet_credit_id_take(peer);
		if (err < 0)
			goto err_lb;
		flow->ccc_id = err;
	}
	uet_ccc_init(&flow->ccc, algo, &flow->params, lb, flow->sprayed,
		     ktime_get_ns());
	if (READ_ONCE(peer->base_rtt))
		uet_ccc_set_base_rtt(&flow->ccc, READ_ONCE(peer->base_rtt));
	refcount_inc(&peer->ref);
	atomic_inc(&peer->fep->un->flows);
	/* The entry is reserved: needs no memory */
	xa_store_bh(&peer->fep->un->flow_ids, flow->id, flow, GFP_ATOMIC);
	return flow;

err_lb:
	uet_path_uncharge(flow, lb);
	uet_path_free(lb);
	kfree(flow->past);
err_free:
	xa_erase_bh(&peer->fep->un->flow_ids, flow->id);
	kfree(flow->cfg);
	kmem_cache_free(uet_flow_cache, flow);
	return ERR_PTR(err);
}

static bool uet_flow_matches(const struct uet_flow *flow,
			     const struct uet_flow_spec *spec)
{
	return flow->sprayed && !READ_ONCE(flow->old) &&
	       flow->tclass == spec->tclass &&
	       !strcmp(flow->cc, spec->cc) &&
	       !strcmp(flow->policy, spec->policy);
}

/**
 * uet_flow_get() - find the sprayed flow of a class, or make a flow
 * @peer: both FEPs
 * @spec: what the PDC asks of it
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

	uet_path_free(flow->ccc.lb);
	kfree(flow->past);
	kfree(flow->lost);
	kfree(flow->cfg);
	kmem_cache_free(uet_flow_cache, flow);
}

/**
 * uet_flow_put() - drop a reference
 * @flow: the flow
 *
 * The peer keeps the base RTT, which is to survive the last flow.
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
	uet_neigh_unwait(flow);
	spin_unlock_bh(&peer->lock);
	xa_erase_bh(&un->flow_ids, flow->id);
	uet_credit_id_gone(flow);
	if (flow->ccc.rtt.srtt)
		uet_flow_learned(flow);
	uet_path_uncharge(flow, flow->ccc.lb);
	uet_peer_put(peer);
	/* Received packets may still take the lock through a dead PDC. */
	call_rcu(&flow->rcu, uet_flow_free_rcu);
	/* The exit of the namespace waits for this. */
	if (atomic_dec_and_test(&un->flows))
		wake_up_var(&un->flows);
}

/**
 * uet_flow_net_init() - prepare the table of flows of a namespace
 * @un: namespace
 */
void uet_flow_net_init(struct uet_net *un)
{
	xa_init_flags(&un->flow_ids, XA_FLAGS_LOCK_BH | XA_FLAGS_ACCOUNT);
}

/**
 * uet_flow_net_exit() - free the table of flows, which is empty
 * @un: namespace, exiting
 */
void uet_flow_net_exit(struct uet_net *un)
{
	xa_destroy(&un->flow_ids);
}

int uet_flow_init(void)
{
	uet_flow_cache = kmem_cache_create("uet_flow", sizeof(struct uet_flow),
					   0, SLAB_HWCACHE_ALIGN | SLAB_ACCOUNT |
					   SLAB_NO_MERGE, NULL);
	return uet_flow_cache ? 0 : -ENOMEM;
}

void uet_flow_exit(void)
{
	uet_txq_exit();
	rcu_barrier();
	kmem_cache_destroy(uet_flow_cache);
}
