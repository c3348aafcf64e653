// SPDX-License-Identifier: GPL-2.0
/*
 * Receiver credit at the destination (UE 1.0 3.6.14): each port that requests
 * with a credit target arrive by has a pacer and a timer. A source is a peer
 * with the id it gave its congestion control context; all PDCs of that context
 * share its grants. Credit goes out in control packets, and is repeated in ACKs
 * where this host is set to receiver credit alone.
 *
 * Life: a PDC that carries a target holds its source, a source its port, the
 * armed timer the port too. PDCs leave when they die, so namespace exit, which
 * waits for them, only has to wait for ports whose timer still runs.
 *
 * Locks: uet_pdc_rx.lock -> uet_net.credit_lock -> uet_credit_port.lock. The
 * first orders coming and going, the second is all that packets and the timer
 * need.
 */
#include <linux/ethtool.h>
#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include <linux/wait_bit.h>

#include "core/rccc_pacer.h"
#include "credit.h"
#include "encap.h"
#include "flow.h"
#include "mib.h"
#include "pdc.h"
#include "peer.h"

/* Credit is given so far ahead, that one tick gives a batch at high rates */
#define UET_CREDIT_SLACK_NS	(10 * NSEC_PER_USEC)
#define UET_CREDIT_BATCH	32
/* Round trip assumed where none is configured, as for contexts */
#define UET_CREDIT_RTT_NS	UET_BASE_RTT_DEFAULT_NS

/**
 * struct uet_credit_port - the port of this host that is shared out
 * @node: in uet_net.credit_ports; credit_lock
 * @un: namespace
 * @ref: sources and the armed timer
 * @ifindex: device
 * @mbps: its speed, 0 = not known yet
 * @sources: that refer to it; credit_lock
 * @lock: BH-disabled; protects the pacer, its sources and @timer_at
 * @pacer: rings and pace
 * @timer: when credit is due
 * @timer_at: when it fires, 0 = not armed
 * @rcu: for freeing
 */
struct uet_credit_port {
	struct list_head	node;
	struct uet_net		*un;
	refcount_t		ref;
	int			ifindex;
	u32			mbps;
	u32			sources;
	spinlock_t		lock;	/* of pacer, sources, timer_at */
	struct uet_rccc_pacer	pacer;
	struct hrtimer		timer;
	u64			timer_at;
	struct rcu_head		rcu;
};

/**
 * struct uet_credit_src - a congestion control context of a peer
 * @src: what the pacer knows of it; first
 * @node: in uet_peer.credit_srcs; credit_lock
 * @port: where its requests arrive, with a reference
 * @via: PDC that carried its last request and will carry the answer, or NULL
 * @pdcs: PDCs that hold it
 * @id: ccc_id it named
 * @greeted: an unconfirmed PDC was given its first credit
 */
struct uet_credit_src {
	struct uet_rccc_src	src;
	struct list_head	node;
	struct uet_credit_port	*port;
	struct uet_pdc		*via;
	u32			pdcs;
	u8			id;
	bool			greeted;
};

static u64 uet_credit_rtt(const struct uet_net *un)
{
	u32 us = READ_ONCE(un->sysctl.base_rtt_us);

	return us ? (u64)us * NSEC_PER_USEC : UET_CREDIT_RTT_NS;
}

static u32 uet_credit_mbps(const struct uet_credit_port *port)
{
	u32 mbps = READ_ONCE(port->un->sysctl.link_mbps);

	return mbps ?: READ_ONCE(port->mbps);
}

/* The speed of new ports; needs the RTNL, which softirq cannot take. */
static void uet_credit_work(struct work_struct *work)
{
	struct uet_net *un = container_of(work, struct uet_net, credit_work);
	struct ethtool_link_ksettings ks;
	struct uet_credit_port *port;
	struct net_device *dev;
	int ifindex;

	rtnl_lock();
	for_each_netdev(un->net, dev) {
		if (__ethtool_get_link_ksettings(dev, &ks) || !ks.base.speed ||
		    ks.base.speed == (u32)SPEED_UNKNOWN)
			continue;
		ifindex = dev->ifindex;
		spin_lock_bh(&un->credit_lock);
		list_for_each_entry(port, &un->credit_ports, node)
			if (port->ifindex == ifindex)
				WRITE_ONCE(port->mbps, ks.base.speed);
		spin_unlock_bh(&un->credit_lock);
	}
	rtnl_unlock();
}

void uet_credit_init(struct uet_net *un)
{
	INIT_LIST_HEAD(&un->credit_ports);
	spin_lock_init(&un->credit_lock);
	INIT_WORK(&un->credit_work, uet_credit_work);
}

/**
 * uet_credit_exit() - wait for the last port
 * @un: namespace, exiting, without PDCs
 *
 * Context: process.
 */
void uet_credit_exit(struct uet_net *un)
{
	wait_var_event(&un->nr_credit_ports, !atomic_read(&un->nr_credit_ports));
	cancel_work_sync(&un->credit_work);
}

static void uet_credit_port_free(struct rcu_head *head)
{
	kfree(container_of(head, struct uet_credit_port, rcu));
}

static void uet_credit_port_put(struct uet_credit_port *port)
{
	struct uet_net *un = port->un;

	if (!refcount_dec_and_test(&port->ref))
		return;
	/* Module exit waits for the callback, and so for who runs the timer. */
	call_rcu(&port->rcu, uet_credit_port_free);
	if (atomic_dec_and_test(&un->nr_credit_ports))
		wake_up_var(&un->nr_credit_ports);
}

static void uet_credit_arm(struct uet_credit_port *port, u64 at)
{
	lockdep_assert_held(&port->lock);
	if (!at || (port->timer_at && port->timer_at <= at))
		return;
	if (!port->timer_at)
		refcount_inc(&port->ref);
	port->timer_at = at;
	hrtimer_start(&port->timer, ns_to_ktime(at), HRTIMER_MODE_ABS_SOFT);
}

/* Send what a source was granted so far; port->lock held. */
static void uet_credit_say(struct uet_credit_src *s, struct sk_buff_head *list)
{
	struct uet_cp cp = {
		.payload = FIELD_PREP(UET_CP_CREDIT, s->src.granted),
	};

	if (!s->via || uet_cp_queue(s->via, list, &cp, UET_CTL_CREDIT, 0, 0))
		return;
	UET_TXMETA(skb_peek_tail(list))->peer = s->via->peer;
	UET_INC(s->port->un, TX_CREDITS);
}

static void uet_credit_xmit(struct sk_buff_head *list)
{
	struct sk_buff *skb;

	while ((skb = __skb_dequeue(list))) {
		struct uet_txmeta *meta = UET_TXMETA(skb);

		uet_answer(meta->peer, skb, meta->ev);
	}
}

static void uet_credit_tick(struct uet_credit_port *port,
			    struct sk_buff_head *list)
{
	struct uet_rccc_grant grants[UET_CREDIT_BATCH];
	u64 now = ktime_get_ns(), next;
	u32 i, n;

	uet_rccc_pacer_set(&port->pacer, uet_credit_mbps(port),
			   uet_credit_rtt(port->un));
	n = uet_rccc_tick(&port->pacer, now, grants, ARRAY_SIZE(grants),
			  UET_CREDIT_SLACK_NS, &next);
	for (i = 0; i < n; i++) {
		uet_credit_say((struct uet_credit_src *)grants[i].src, list);
		UET_ADD(port->un, CREDIT_GRANTED, grants[i].bytes);
	}
	uet_credit_arm(port, next);
}

static enum hrtimer_restart uet_credit_timer(struct hrtimer *timer)
{
	struct uet_credit_port *port = container_of(timer,
						    struct uet_credit_port,
						    timer);
	struct sk_buff_head list;

	__skb_queue_head_init(&list);
	/* Peers named by the packets stay until this section ends. */
	rcu_read_lock();
	spin_lock(&port->lock);
	/* Started again since it fired: that start took no reference. */
	if (hrtimer_is_queued(timer))
		refcount_inc(&port->ref);
	else
		port->timer_at = 0;
	uet_credit_tick(port, &list);
	spin_unlock(&port->lock);
	uet_credit_xmit(&list);
	rcu_read_unlock();
	uet_credit_port_put(port);
	return HRTIMER_NORESTART;
}

/* The port a packet came by; credit_lock held. */
static struct uet_credit_port *uet_credit_port_get(const struct uet_rx_ctx *rx)
{
	struct uet_net *un = rx->un;
	struct uet_credit_port *port;

	list_for_each_entry(port, &un->credit_ports, node) {
		if (port->ifindex == rx->iif) {
			refcount_inc(&port->ref);
			return port;
		}
	}
	port = kzalloc(sizeof(*port), GFP_ATOMIC | __GFP_NOWARN);
	if (!port)
		return NULL;
	port->un = un;
	port->ifindex = rx->iif;
	refcount_set(&port->ref, 1);
	spin_lock_init(&port->lock);
	hrtimer_init(&port->timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_SOFT);
	port->timer.function = uet_credit_timer;
	/* Nominal size of a packet that fills the device's MTU, about */
	uet_rccc_pacer_init(&port->pacer, uet_credit_mbps(port),
			    uet_credit_rtt(un),
			    rx->skb->dev->mtu + UET_NOMINAL_ADD_BYTES,
			    ktime_get_ns());
	atomic_inc(&un->nr_credit_ports);
	list_add(&port->node, &un->credit_ports);
	schedule_work(&un->credit_work);
	return port;
}

static struct uet_credit_src *uet_credit_src_new(struct uet_peer *peer,
						 const struct uet_rx_ctx *rx,
						 u8 id)
{
	struct uet_credit_src *s;

	s = kzalloc(sizeof(*s), GFP_ATOMIC | __GFP_NOWARN);
	if (!s)
		return NULL;
	s->port = uet_credit_port_get(rx);
	if (!s->port) {
		kfree(s);
		return NULL;
	}
	s->port->sources++;
	s->id = id;
	uet_rccc_src_init(&s->src, ktime_get_ns());
	list_add(&s->node, &peer->credit_srcs);
	return s;
}

/* A PDC has no source yet, or its source changed its id. */
static void uet_credit_join(struct uet_pdc *pdc, const struct uet_rx_ctx *rx,
			    u8 id)
{
	struct uet_net *un = pdc->un;
	struct uet_credit_src *s;

	uet_credit_leave(pdc);
	spin_lock(&un->credit_lock);
	list_for_each_entry(s, &pdc->peer->credit_srcs, node)
		if (s->id == id)
			goto found;
	s = uet_credit_src_new(pdc->peer, rx, id);
found:
	if (s)
		s->pdcs++;
	pdc->rx.credit = s;
	spin_unlock(&un->credit_lock);
}

/**
 * uet_credit_leave() - a PDC needs no credit any more
 * @pdc: target PDC that dies
 *
 * Context: BH disabled, rx.lock held.
 */
void uet_credit_leave(struct uet_pdc *pdc)
{
	struct uet_credit_src *s = pdc->rx.credit;
	struct uet_credit_port *port;
	struct uet_net *un = pdc->un;

	if (!s)
		return;
	pdc->rx.credit = NULL;
	port = s->port;
	spin_lock(&un->credit_lock);
	spin_lock(&port->lock);
	if (s->via == pdc)
		s->via = NULL;
	if (--s->pdcs) {
		spin_unlock(&port->lock);
		spin_unlock(&un->credit_lock);
		return;
	}
	uet_rccc_remove(&port->pacer, &s->src);
	list_del(&s->node);
	spin_unlock(&port->lock);
	kfree(s);
	/* Of the references only sources' ones can be taken anew, here. */
	if (!--port->sources) {
		list_del(&port->node);
		if (hrtimer_try_to_cancel(&port->timer) == 1)
			uet_credit_port_put(port);
	}
	spin_unlock(&un->credit_lock);
	uet_credit_port_put(port);
}

/*
 * What a source wants. One whose address is not proved gets a first grant, so
 * that a forged packet leads to one small answer at most.
 */
static u32 uet_credit_want(struct uet_pdc *pdc, struct uet_credit_src *s,
			   u32 target)
{
	if (pdc->rx.confirmed)
		return target;
	if (s->greeted)
		return s->src.granted;
	s->greeted = true;
	return (s->src.granted + 1) & UET_CREDIT_MASK;
}

/* News of a source; with @list it is answered at once. */
static void uet_credit_hear(struct uet_pdc *pdc, const struct uet_rx_ctx *rx,
			    u32 word, u32 bytes, struct sk_buff_head *list)
{
	u32 target = FIELD_GET(UET_REQ_CC_TARGET, word);
	u8 id = FIELD_GET(UET_REQ_CC_CCC_ID, word);
	struct uet_credit_src *s = pdc->rx.credit;
	struct uet_credit_port *port;
	u64 now = ktime_get_ns();

	if (unlikely(!s || s->id != id)) {
		uet_credit_join(pdc, rx, id);
		s = pdc->rx.credit;
		if (!s)
			return;
	}
	port = s->port;
	spin_lock(&port->lock);
	s->via = pdc;
	if (uet_rccc_on_rx(&port->pacer, &s->src, now,
			   uet_credit_want(pdc, s, target), bytes))
		uet_credit_arm(port, max(port->pacer.next_tick, now));
	if (list)
		uet_credit_say(s, list);
	spin_unlock(&port->lock);
}

/**
 * uet_credit_request() - a request named a credit target
 * @pdc: target PDC, peer verified
 * @rx: the request, whole or trimmed, not yet handed on
 * @bytes: its nominal size, 0 if it was trimmed
 *
 * Context: softirq, rx.lock held.
 */
void uet_credit_request(struct uet_pdc *pdc, const struct uet_rx_ctx *rx,
			u32 bytes)
{
	const struct uet_req *req = &rx->pkt->req;

	uet_credit_hear(pdc, rx, FIELD_PREP(UET_REQ_CC_CCC_ID, req->ccc_id) |
			FIELD_PREP(UET_REQ_CC_TARGET, req->credit_target),
			bytes, NULL);
}

/**
 * uet_credit_asked() - a Credit Request came
 * @pdc: target PDC, peer verified
 * @rx: the control packet
 * @list: the answer is added here
 *
 * It is answered by what was granted so far, since that may have been lost;
 * more follows at the pace of the port.
 *
 * Context: softirq, rx.lock held.
 */
void uet_credit_asked(struct uet_pdc *pdc, const struct uet_rx_ctx *rx,
		      struct sk_buff_head *list)
{
	UET_INC(rx->un, RX_CREDIT_REQS);
	uet_credit_hear(pdc, rx, rx->pkt->cp.payload, 0, list);
}

/**
 * uet_credit_state() - the CREDIT state of an ACK
 * @pdc: target PDC
 * @credit: what its source was granted so far
 *
 * An ACK has room for one state, and a source that uses a window besides needs
 * that of NSCC. Nothing on the wire tells the two kinds of source apart, so it
 * is this host's own setting that says whether receiver credit is alone.
 *
 * Context: rx.lock held.
 * Return: false if the ACK carries NSCC state.
 */
bool uet_credit_state(const struct uet_pdc *pdc, u32 *credit)
{
	const struct uet_credit_src *s = pdc->rx.credit;

	if (likely(!s) || strcmp(pdc->un->sysctl.congestion_control, "rccc"))
		return false;
	*credit = READ_ONCE(s->src.granted);
	return true;
}
