// SPDX-License-Identifier: GPL-2.0
/*
 * Receiver credit at the destination (UE 1.0 3.6.14): each port that requests
 * with a credit target arrive by has a pacer and a timer. A source is a peer
 * with the id it gave its congestion control context; all PDCs of that context
 * share its grants. Credit goes out in control packets, and is repeated in ACKs
 * where this host is set to receiver credit alone.
 *
 * A source may come by several ports, each of which then grants it what arrives
 * there: it stands at the pacer of each, as a way, and the credit it is told is
 * the sum of what its ways were granted.
 *
 * Life: a PDC that carries a target holds its source, and leaves it when it dies.
 * Ports stay when their last source has gone, since peers decide about that; the
 * work item that looks at the devices for a new port, and namespace exit, which
 * comes when no PDC is left, free those without a source.
 *
 * Locks: uet_pdc_rx.lock -> uet_net.credit_lock -> uet_credit_port.lock. The
 * first orders coming and going, the second is all that packets and the timer
 * need, and no two ports are ever locked at once.
 */
#include <linux/ethtool.h>
#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>

#include "core/lb_ports.h"
#include "core/rccc_pacer.h"
#include "link/encap.h"
#include "link/peer.h"
#include "mib.h"
#include "pdc/pdc.h"
#include "rx/credit.h"
#include "rx/half.h"

/* Credit is given so far ahead, that one tick gives a batch at high rates */
#define UET_CREDIT_SLACK_NS	(10 * NSEC_PER_USEC)
#define UET_CREDIT_BATCH	32
/* Round trip assumed where none is configured, as for contexts */
#define UET_CREDIT_RTT_NS	UET_BASE_RTT_DEFAULT_NS
/* A port without sources for so long is looked at anew, or freed */
#define UET_CREDIT_REST_NS	(10 * NSEC_PER_SEC)
/* A PDC changes its source no more often: each time costs an allocation */
#define UET_CREDIT_MOVE_NS	(10 * NSEC_PER_MSEC)

/**
 * struct uet_credit_port - the port of this host that is shared out
 * @node: in uet_net.credit_ports; credit_lock
 * @un: namespace
 * @ifindex: device
 * @mbps: its speed, 0 = not known yet
 * @sources: ways of sources that refer to it; credit_lock
 * @left: when the last one left, ns; credit_lock
 * @lock: BH-disabled; protects the pacer, its sources and @timer_at
 * @pacer: rings and pace
 * @timer: when credit is due
 * @timer_at: when it fires, 0 = not armed
 */
struct uet_credit_port {
	struct list_head	node;
	struct uet_net		*un;
	int			ifindex;
	u32			mbps;
	u32			sources;
	u64			left;
	spinlock_t		lock;	/* of pacer, sources, timer_at */
	struct uet_rccc_pacer	pacer;
	struct hrtimer		timer;
	u64			timer_at;
};

struct uet_credit_src;

/**
 * struct uet_credit_way - a source at one of the ports it comes by
 * @src: what the pacer of that port knows of it; first. Its counters are those of
 *	the wire while there is no other way, and of no meaning by themselves else
 * @port: the port, which counts it in its @sources
 * @of: the source
 * @via: PDC that carried the last request by this port and will carry the
 *	answer, or NULL
 */
struct uet_credit_way {
	struct uet_rccc_src	src;
	struct uet_credit_port	*port;
	struct uet_credit_src	*of;
	struct uet_pdc		*via;
};

/**
 * struct uet_credit_src - a congestion control context of a peer
 * @node: in uet_peer.credit_srcs; credit_lock
 * @granted: cumulative grant of all ways, quanta; the wire has 24 bits of it
 * @pdcs: PDCs that hold it
 * @nr_ways: ways in use; more come under credit_lock, none goes
 * @id: ccc_id it named
 * @way: by the ports it came by so far
 */
struct uet_credit_src {
	struct list_head	node;
	atomic_t		granted;
	u32			pdcs;
	u32			nr_ways;
	u8			id;
	struct uet_credit_way	*way[UET_LB_PORTS_MAX];
};

static u32 uet_credit_granted(const struct uet_credit_src *s)
{
	return (u32)atomic_read(&s->granted) & UET_CREDIT_MASK;
}

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

/* Free the ports that no source has referred to since @before. */
static void uet_credit_prune(struct uet_net *un, u64 before)
{
	struct uet_credit_port *port, *next;
	LIST_HEAD(gone);

	spin_lock_bh(&un->credit_lock);
	list_for_each_entry_safe(port, next, &un->credit_ports, node)
		if (!port->sources && port->left <= before)
			list_move(&port->node, &gone);
	spin_unlock_bh(&un->credit_lock);
	list_for_each_entry_safe(port, next, &gone, node) {
		/* Nobody else can find it to arm the timer again. */
		hrtimer_cancel(&port->timer);
		kfree(port);
	}
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
	uet_credit_prune(un, ktime_get_ns() - UET_CREDIT_REST_NS);
}

void uet_credit_init(struct uet_net *un)
{
	INIT_LIST_HEAD(&un->credit_ports);
	spin_lock_init(&un->credit_lock);
	INIT_WORK(&un->credit_work, uet_credit_work);
}

/**
 * uet_credit_exit() - free the ports
 * @un: namespace, exiting, without PDCs
 *
 * Context: process.
 */
void uet_credit_exit(struct uet_net *un)
{
	cancel_work_sync(&un->credit_work);
	uet_credit_prune(un, U64_MAX);
}

static void uet_credit_arm(struct uet_credit_port *port, u64 at)
{
	lockdep_assert_held(&port->lock);
	if (!at || (port->timer_at && port->timer_at <= at))
		return;
	port->timer_at = at;
	hrtimer_start(&port->timer, ns_to_ktime(at), HRTIMER_MODE_ABS_SOFT);
}

/* Send what a source was granted so far; lock of the way's port held. */
static void uet_credit_say(struct uet_credit_way *way,
			   struct sk_buff_head *list)
{
	struct uet_cp cp = {
		.payload = FIELD_PREP(UET_CP_CREDIT,
				      uet_credit_granted(way->of)),
	};

	if (!way->via || uet_cp_queue(way->via, list, &cp, UET_CTL_CREDIT, 0,
				      0))
		return;
	UET_TXMETA(skb_peek_tail(list))->peer = way->via->peer;
	UET_INC(way->port->un, TX_CREDITS);
}

static void uet_credit_xmit(struct sk_buff_head *list)
{
	struct sk_buff *skb;

	while ((skb = __skb_dequeue(list))) {
		struct uet_txmeta *meta = UET_TXMETA(skb);

		uet_output_one(meta->peer, skb);
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
		struct uet_credit_way *way =
			(struct uet_credit_way *)grants[i].src;

		atomic_add(grants[i].bytes >> UET_CREDIT_UNIT_SHIFT,
			   &way->of->granted);
		uet_credit_say(way, list);
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
	/* It may have been started again since it fired. */
	if (!hrtimer_is_queued(timer))
		port->timer_at = 0;
	uet_credit_tick(port, &list);
	spin_unlock(&port->lock);
	uet_credit_xmit(&list);
	rcu_read_unlock();
	return HRTIMER_NORESTART;
}

/* Learn about the device: in a work item, and not for every source. */
static void uet_credit_port_start(struct uet_credit_port *port,
				  const struct uet_rx_ctx *rx)
{
	/* Nominal size of a packet that fills the device's MTU, about */
	uet_rccc_pacer_init(&port->pacer, uet_credit_mbps(port),
			    uet_credit_rtt(port->un),
			    rx->skb->dev->mtu + UET_NOMINAL_ADD_BYTES,
			    ktime_get_ns());
	schedule_work(&port->un->credit_work);
}

/* The port a packet came by; credit_lock held. */
static struct uet_credit_port *uet_credit_port_get(const struct uet_rx_ctx *rx)
{
	struct uet_net *un = rx->un;
	struct uet_credit_port *port;

	list_for_each_entry(port, &un->credit_ports, node) {
		if (port->ifindex != rx->iif)
			continue;
		if (!port->sources &&
		    ktime_get_ns() - port->left > UET_CREDIT_REST_NS) {
			spin_lock(&port->lock);
			uet_credit_port_start(port, rx);
			spin_unlock(&port->lock);
		}
		return port;
	}
	port = kzalloc(sizeof(*port), GFP_ATOMIC | __GFP_NOWARN);
	if (!port)
		return NULL;
	port->un = un;
	port->ifindex = rx->iif;
	port->left = ktime_get_ns();
	spin_lock_init(&port->lock);
	hrtimer_init(&port->timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_SOFT);
	port->timer.function = uet_credit_timer;
	uet_credit_port_start(port, rx);
	list_add(&port->node, &un->credit_ports);
	return port;
}

/* A source came by a port for the first time; credit_lock held. */
static struct uet_credit_way *uet_credit_way_new(struct uet_credit_src *s,
						 const struct uet_rx_ctx *rx)
{
	struct uet_credit_way *way;

	way = kzalloc(sizeof(*way), GFP_ATOMIC | __GFP_NOWARN);
	if (!way)
		return NULL;
	way->port = uet_credit_port_get(rx);
	if (!way->port) {
		kfree(way);
		return NULL;
	}
	way->port->sources++;
	way->of = s;
	uet_rccc_src_init(&way->src, ktime_get_ns());
	s->way[s->nr_ways] = way;
	/* Pairs with uet_credit_way() */
	smp_store_release(&s->nr_ways, s->nr_ways + 1);
	return way;
}

/* Its way by the port a packet came by; in want of memory the first one */
static struct uet_credit_way *uet_credit_way(struct uet_credit_src *s,
					     const struct uet_rx_ctx *rx)
{
	struct uet_credit_way *way = NULL;
	u32 i, nr;

	/* Pairs with uet_credit_way_new() */
	nr = smp_load_acquire(&s->nr_ways);
	for (i = 0; i < nr; i++)
		if (likely(s->way[i]->port->ifindex == rx->iif))
			return s->way[i];
	spin_lock(&rx->un->credit_lock);
	for (; i < s->nr_ways && !way; i++)
		if (s->way[i]->port->ifindex == rx->iif)
			way = s->way[i];
	if (!way && s->nr_ways < ARRAY_SIZE(s->way))
		way = uet_credit_way_new(s, rx);
	spin_unlock(&rx->un->credit_lock);
	return way ?: s->way[0];
}

static struct uet_credit_src *uet_credit_src_new(struct uet_peer *peer,
						 const struct uet_rx_ctx *rx,
						 u8 id)
{
	struct uet_credit_src *s;

	s = kzalloc(sizeof(*s), GFP_ATOMIC | __GFP_NOWARN);
	if (!s)
		return NULL;
	if (!uet_credit_way_new(s, rx)) {
		kfree(s);
		return NULL;
	}
	s->id = id;
	list_add(&s->node, &peer->credit_srcs);
	UET_INC(rx->un, CREDIT_SOURCES);
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
	pdc->rx->credit = s;
	spin_unlock(&un->credit_lock);
}

/* @last: nobody else holds the source; credit_lock held */
static void uet_credit_way_leave(struct uet_credit_way *way,
				 const struct uet_pdc *pdc, bool last)
{
	struct uet_credit_port *port = way->port;

	spin_lock(&port->lock);
	if (way->via == pdc)
		way->via = NULL;
	if (last)
		uet_rccc_remove(&port->pacer, &way->src);
	spin_unlock(&port->lock);
	if (!last)
		return;
	kfree(way);
	if (!--port->sources)
		port->left = ktime_get_ns();
}

/**
 * uet_credit_leave() - a PDC needs no credit any more
 * @pdc: target PDC that dies
 *
 * Context: BH disabled, rx.lock held.
 */
void uet_credit_leave(struct uet_pdc *pdc)
{
	struct uet_credit_src *s = pdc->rx->credit;
	struct uet_net *un = pdc->un;
	bool last;
	u32 i;

	lockdep_assert_held(&pdc->rx->lock);
	if (!s)
		return;
	pdc->rx->credit = NULL;
	spin_lock(&un->credit_lock);
	last = !--s->pdcs;
	for (i = 0; i < s->nr_ways; i++)
		uet_credit_way_leave(s->way[i], pdc, last);
	if (last) {
		list_del(&s->node);
		kfree(s);
	}
	spin_unlock(&un->credit_lock);
}

/*
 * What a source wants. One whose address is not proved gets nothing before it
 * has, so that a forged packet leads to its answer alone.
 */
static u32 uet_credit_want(struct uet_pdc *pdc, struct uet_credit_src *s,
			   u32 target)
{
	if (pdc->rx->confirmed)
		return target;
	return uet_credit_granted(s);
}

/* Packets came by it lately: it takes part in what the source is granted. */
static bool uet_credit_live(const struct uet_credit_way *way, u64 now)
{
	u64 last = READ_ONCE(way->src.last_rx);

	return now < last || now - last <= UET_CREDIT_TIMEOUT_RTTS *
					   READ_ONCE(way->port->pacer.base_rtt);
}

/*
 * A way's part of what the source still wants, by speed of the ports it comes by.
 * Nothing if most of what this one was granted comes by others: the speed of its
 * port is not what the source gets there. What is lost looks the same, but then
 * everything that does come by it makes room.
 */
static u32 uet_credit_part(const struct uet_credit_way *way, u32 want, u64 now)
{
	const struct uet_rccc_pacer *pacer = &way->port->pacer;
	u64 least = way->src.outstanding, speed = pacer->rate_mbps;
	const struct uet_credit_src *s = way->of;
	u32 i;

	for (i = 0; i < s->nr_ways; i++) {
		const struct uet_credit_way *other = s->way[i];

		if (other == way || !uet_credit_live(other, now))
			continue;
		least = min(least, READ_ONCE(other->src.outstanding));
		speed += READ_ONCE(other->port->pacer.rate_mbps);
	}
	if (way->src.outstanding - least > pacer->max_wnd)
		return 0;
	return (u32)div64_u64((u64)want * pacer->rate_mbps + speed - 1, speed);
}

/* The target of a way, by its own count; the next packet by it brings another */
static u32 uet_credit_target(const struct uet_credit_way *way, u32 target,
			     u64 now)
{
	const struct uet_rccc_pacer *pacer = &way->port->pacer;
	struct uet_credit_src *s = way->of;
	u32 granted, want;
	int was;

	if (likely(s->nr_ways == 1))
		return target;
	was = atomic_read(&s->granted);
	granted = (u32)was & UET_CREDIT_MASK;
	want = uet_credit_step(target, granted);
	if (unlikely(uet_rccc_astray(pacer, granted, target))) {
		want = uet_rccc_grant_quanta(pacer);
		atomic_cmpxchg(&s->granted, was, target - want);
	}
	want = want ? uet_credit_part(way, want, now) : 0;
	return want ? (way->src.granted + want) & UET_CREDIT_MASK :
		      way->src.target;
}

/* News of a source; with @list it is answered at once. */
static void uet_credit_hear(struct uet_pdc *pdc, const struct uet_rx_ctx *rx,
			    u32 word, u32 bytes, struct sk_buff_head *list)
{
	u32 target = FIELD_GET(UET_REQ_CC_TARGET, word);
	u8 id = FIELD_GET(UET_REQ_CC_CCC_ID, word);
	struct uet_credit_src *s = pdc->rx->credit;
	struct uet_credit_port *port;
	struct uet_credit_way *way;
	u64 now = ktime_get_ns();
	u32 granted;

	if (unlikely(!s || s->id != id)) {
		/* A context stays with its PDC: this is odd or an attack. */
		if (s && now - pdc->rx->credit_moved < UET_CREDIT_MOVE_NS)
			return;
		pdc->rx->credit_moved = now;
		uet_credit_join(pdc, rx, id);
		s = pdc->rx->credit;
		if (!s)
			return;
	}
	way = uet_credit_way(s, rx);
	port = way->port;
	spin_lock(&port->lock);
	way->via = pdc;
	way->src.stranger = !pdc->rx->confirmed;
	target = uet_credit_target(way, uet_credit_want(pdc, s, target), now);
	granted = way->src.granted;
	if (uet_rccc_on_rx(&port->pacer, &way->src, now, target, bytes))
		uet_credit_arm(port, max(port->pacer.next_tick, now));
	/* It may have begun to count anew. */
	if (unlikely(way->src.granted != granted))
		atomic_add(way->src.granted - granted, &s->granted);
	if (list)
		uet_credit_say(way, list);
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

	lockdep_assert_held(&pdc->rx->lock);
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
	lockdep_assert_held(&pdc->rx->lock);
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
	const struct uet_credit_src *s = pdc->rx->credit;

	lockdep_assert_held(&pdc->rx->lock);
	if (likely(!s) || !READ_ONCE(pdc->un->credit_in_acks))
		return false;
	*credit = uet_credit_granted(s);
	return true;
}
