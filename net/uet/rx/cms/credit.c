// SPDX-License-Identifier: GPL-2.0
/*
 * Receiver credit at the destination (RCCC, UE 1.0 3.6.14). Each port, here a
 * network device by which requests with a credit target arrive, has a pacer and
 * a timer. A source is one congestion control context (CCC) of a peer, named by its
 * traffic class, which it has one of (UE 1.0 3.6.12), and its ccc_id: the classes of a
 * peer may use the same ids. All PDCs of that CCC share its grants. CREDIT packets
 * carry the credit; ACKs repeat it if receiver credit is this host's only algorithm.
 *
 * Requests of one source may arrive by several ports. The source then has a
 * "way" at the pacer of each, and its credit is the sum of what its ways were
 * granted.
 *
 * Life: a PDC whose requests carry a credit target holds its source until it
 * dies. A port stays when its last source leaves, since peers could otherwise
 * make us free and allocate ports at will. The work item that reads the speed of
 * new ports frees idle ones; namespace exit, without PDCs left, frees all.
 *
 * With TFC a source gets cells of a buffer instead (rx/cms/tfc.c), and its ways only carry
 * CREDIT packets.
 *
 * Locks: uet_pdc_rx.lock -> uet_net.credit_lock -> uet_credit_port.lock.
 * credit_lock serialises the coming and going of ports, sources and ways;
 * packets and the timer need a port's lock only. No two ports are ever locked
 * at once.
 *
 * Not here: the arithmetic of the pacer (core/cc/rccc_pacer.h), cells (rx/cms/tfc.c), credit at
 * the source (tx/pds/credit.c).
 */
#include <linux/ethtool.h>
#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/netdevice.h>
#include <linux/random.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>

#include "compat.h"
#include "core/cc/rccc_pacer.h"
#include "link/encap.h"
#include "link/peer.h"
#include "mib.h"
#include "pdc/pdc.h"
#include "pdc/rx_half.h"
#include "rx/cms/credit.h"
#include "rx/cms/credit_src.h"
#include "rx/cms/tfc.h"

/* Credit is granted so far ahead: one tick grants a batch at high rates */
#define UET_CREDIT_SLACK_NS	(10 * NSEC_PER_USEC)
#define UET_CREDIT_BATCH	32
/* Round trip assumed if none is configured, as for CCCs */
#define UET_CREDIT_RTT_NS	UET_BASE_RTT_DEFAULT_NS
/* A port without sources for so long is freed, or its speed is read again */
#define UET_CREDIT_REST_NS	(10 * NSEC_PER_SEC)
/* Least time between changes of a PDC's source: each costs an allocation */
#define UET_CREDIT_MOVE		msecs_to_jiffies(10)

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
		/* It is off the list: nobody can arm the timer again. */
		hrtimer_cancel(&port->timer);
		kfree(port);
	}
}

/* Read the speed of new ports; needs the RTNL, which softirq cannot take. */
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
	uet_tfc_init(un);
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
	uet_tfc_exit(un);
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

/*
 * May the grants of a way be told by a packet? An address that is not verified gets no
 * more packets than come from it: it may be that of a victim.
 */
static bool uet_credit_may_say(struct uet_credit_way *way)
{
	lockdep_assert_held(&way->port->lock);
	if (likely(way->proved))
		return true;
	if (!way->due)
		return false;
	way->due--;
	return true;
}

/* Send the cumulative grant of a source; lock of the way's port held. */
static void uet_credit_say(struct uet_credit_way *way,
			   struct sk_buff_head *list)
{
	struct uet_cp cp = {
		.payload = FIELD_PREP(UET_CP_CREDIT,
				      uet_credit_granted(way->of)),
	};

	lockdep_assert_held(&way->port->lock);
	if (!way->via || uet_cp_queue(way->via, list, &cp, UET_CTL_CREDIT, 0,
				      0))
		return;
	UET_TXMETA(skb_peek_tail(list))->peer = way->via->peer;
	UET_INC(way->port->un, TX_CREDITS);
}

/**
 * uet_credit_tell() - queue a CREDIT packet with what a source was granted
 * @s: the source
 * @list: it is added here, for uet_credit_xmit()
 *
 * Context: BH disabled, RCU section, credit_lock held.
 */
void uet_credit_tell(struct uet_credit_src *s, struct sk_buff_head *list)
{
	struct uet_credit_way *way;
	u32 i, queued = skb_queue_len(list);

	for (i = 0; i < s->nr_ways && skb_queue_len(list) == queued; i++) {
		way = s->way[i];
		spin_lock(&way->port->lock);
		if (way->proved)
			uet_credit_say(way, list);
		spin_unlock(&way->port->lock);
	}
}

/**
 * uet_credit_xmit() - send CREDIT packets
 * @list: the packets
 *
 * Context: BH disabled, no locks held, the RCU section in which they were queued.
 */
void uet_credit_xmit(struct sk_buff_head *list)
{
	struct sk_buff *skb;

	while ((skb = __skb_dequeue(list))) {
		struct uet_txmeta *meta = UET_TXMETA(skb);

		uet_output_answer(meta->peer, skb);
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
		if (uet_credit_may_say(way))
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
	/* Keeps the peers that the packets point to until the section ends. */
	rcu_read_lock();
	spin_lock(&port->lock);
	/* It may have been armed again since it fired. */
	if (!hrtimer_is_queued(timer))
		port->timer_at = 0;
	uet_credit_tick(port, &list);
	spin_unlock(&port->lock);
	uet_credit_xmit(&list);
	rcu_read_unlock();
	return HRTIMER_NORESTART;
}

/* Set up the pacer; a work item reads the device's speed, once per port. */
static void uet_credit_port_start(struct uet_credit_port *port,
				  const struct uet_rx_ctx *rx)
{
	/* About the nominal size of a packet that fills the device's MTU */
	uet_rccc_pacer_init(&port->pacer, uet_credit_mbps(port),
			    uet_credit_rtt(port->un),
			    rx->skb->dev->mtu + UET_NOMINAL_ADD_BYTES,
			    ktime_get_ns(), get_random_u32());
	schedule_work(&port->un->credit_work);
}

/* The port by which a packet arrived; credit_lock held. */
static struct uet_credit_port *uet_credit_port_get(const struct uet_rx_ctx *rx)
{
	struct uet_net *un = rx->un;
	struct uet_credit_port *port;

	lockdep_assert_held(&un->credit_lock);
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
	uet_hrtimer_setup(&port->timer, uet_credit_timer);
	uet_credit_port_start(port, rx);
	list_add(&port->node, &un->credit_ports);
	return port;
}

/* First request of a source by this port; credit_lock held. */
static struct uet_credit_way *uet_credit_way_new(struct uet_credit_src *s,
						 const struct uet_rx_ctx *rx)
{
	struct uet_credit_way *way;

	lockdep_assert_held(&rx->un->credit_lock);
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

/* The source's way at the packet's port, or NULL */
static struct uet_credit_way *uet_credit_way_by(struct uet_credit_src *s,
						const struct uet_rx_ctx *rx)
{
	/* Pairs with uet_credit_way_new() */
	u32 i, nr = smp_load_acquire(&s->nr_ways);

	for (i = 0; i < nr; i++)
		if (likely(s->way[i]->port->ifindex == rx->iif))
			return s->way[i];
	return NULL;
}

/* ... which is made if missing; the first way if there is no memory */
static struct uet_credit_way *uet_credit_way(struct uet_credit_src *s,
					     const struct uet_rx_ctx *rx)
{
	struct uet_credit_way *way = uet_credit_way_by(s, rx);

	if (likely(way))
		return way;
	spin_lock(&rx->un->credit_lock);
	/* Another CPU may have made it. */
	way = uet_credit_way_by(s, rx);
	if (!way && s->nr_ways < ARRAY_SIZE(s->way))
		way = uet_credit_way_new(s, rx);
	spin_unlock(&rx->un->credit_lock);
	return way ?: s->way[0];
}

static struct uet_credit_src *uet_credit_src_new(const struct uet_pdc *pdc,
						 const struct uet_rx_ctx *rx,
						 u8 id, u32 target)
{
	struct uet_credit_port *port;
	struct uet_credit_src *s;
	u32 granted;

	s = kzalloc(sizeof(*s), GFP_ATOMIC | __GFP_NOWARN);
	if (!s)
		return NULL;
	if (!uet_credit_way_new(s, rx)) {
		kfree(s);
		return NULL;
	}
	port = s->way[0]->port;
	spin_lock(&port->lock);
	granted = uet_rccc_start(&port->pacer, target);
	spin_unlock(&port->lock);
	s->way[0]->src.granted = granted;
	s->way[0]->src.target = granted;
	s->id = id;
	s->tclass = pdc->tclass;
	if (uet_tfc_begin(rx->un, s, target))
		granted = s->cells.granted;
	atomic_set(&s->granted, (int)granted);
	list_add(&s->node, &pdc->peer->credit_srcs);
	UET_INC(rx->un, CREDIT_SOURCES);
	return s;
}

/* A PDC has no source yet, or its requests name another ccc_id. */
static void uet_credit_join(struct uet_pdc *pdc, const struct uet_rx_ctx *rx,
			    u8 id, u32 target)
{
	struct uet_net *un = pdc->un;
	struct uet_credit_src *s;

	uet_credit_leave(pdc);
	spin_lock(&un->credit_lock);
	list_for_each_entry(s, &pdc->peer->credit_srcs, node) {
		if (s->id == id && s->tclass == pdc->tclass) {
			if (s->tfc)
				uet_tfc_again(un, s, target);
			goto found;
		}
	}
	s = uet_credit_src_new(pdc, rx, id, target);
found:
	if (s)
		s->pdcs++;
	pdc->rx->credit = s;
	spin_unlock(&un->credit_lock);
}

/* @last: no other PDC holds the source; credit_lock held */
static void uet_credit_way_leave(struct uet_credit_way *way,
				 const struct uet_pdc *pdc, bool last)
{
	struct uet_credit_port *port = way->port;

	lockdep_assert_held(&port->un->credit_lock);
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
 * uet_credit_leave() - a PDC leaves its source of credit
 * @pdc: the PDC, which dies or changes its source
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
		if (!s->tfc || uet_tfc_gone(un, s))
			kfree(s);
	}
	spin_unlock(&un->credit_lock);
}

/* Did packets arrive by this way lately? Then it shares the source's grants. */
static bool uet_credit_live(const struct uet_credit_way *way, u64 now)
{
	u64 last = READ_ONCE(way->src.last_rx);

	return now < last || now - last <= UET_CREDIT_TIMEOUT_RTTS *
					   READ_ONCE(way->port->pacer.base_rtt);
}

/*
 * A way's part of the source's outstanding demand, in proportion to the speed of
 * its port. It is 0 if outstanding - least > max_wnd: most of what this way was
 * granted arrives by other ports, so the source does not use the speed of this
 * port. Loss looks the same, but each packet that does arrive here lowers
 * outstanding.
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

/* The credit target of a way, in its own count; each packet updates it */
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
		if (way->src.stranger)
			return way->src.granted;
		want = uet_rccc_grant_quanta(pacer);
		atomic_cmpxchg(&s->granted, was, target - want);
	}
	want = want ? uet_credit_part(way, want, now) : 0;
	return want ? (way->src.granted + want) & UET_CREDIT_MASK :
		      way->src.target;
}

/*
 * What a packet proves of its source, whose address is verified once a packet of one of
 * its PDCs is. A later PDC that is not carries no CREDIT packets: else who forges one
 * could hide the grants of another.
 */
static void uet_credit_proof(struct uet_credit_way *way, struct uet_pdc *pdc,
			     u32 bytes)
{
	lockdep_assert_held(&way->port->lock);
	way->src.stranger = !pdc->rx->confirmed;
	if (likely(pdc->rx->confirmed))
		way->proved = true;
	else if (way->proved)
		return;
	else if (bytes && way->due < U32_MAX)
		way->due++;
	way->via = pdc;
}

/*
 * Handle the CC word of a request; if @list is set, queue a CREDIT packet. @signal is
 * an enum uet_rccc_signal.
 */
static void uet_credit_hear(struct uet_pdc *pdc, const struct uet_rx_ctx *rx,
			    u32 word, u32 bytes, u8 signal,
			    struct sk_buff_head *list)
{
	u32 target = FIELD_GET(UET_REQ_CC_TARGET, word);
	u8 id = FIELD_GET(UET_REQ_CC_CCC_ID, word);
	struct uet_credit_src *s = pdc->rx->credit;
	struct uet_credit_port *port;
	struct uet_credit_way *way;
	u64 now = ktime_get_ns();
	u32 granted;

	if (unlikely(!s || s->id != id)) {
		/* A PDC keeps its CCC: a change is odd, or an attack. */
		if (s && (u32)jiffies - pdc->rx->credit_moved < UET_CREDIT_MOVE)
			return;
		pdc->rx->credit_moved = (u32)jiffies;
		uet_credit_join(pdc, rx, id, target);
		s = pdc->rx->credit;
		if (!s)
			return;
	}
	way = uet_credit_way(s, rx);
	port = way->port;
	spin_lock(&port->lock);
	if (unlikely(s->tfc)) {
		uet_credit_proof(way, pdc, bytes);
		uet_tfc_hear(pdc, target, list);
		if (list)
			uet_credit_say(way, list);
		spin_unlock(&port->lock);
		return;
	}
	uet_rccc_pacer_yield(&port->pacer,
			     !READ_ONCE(port->un->credit_beside_window));
	uet_credit_proof(way, pdc, bytes);
	target = uet_credit_target(way, target, now);
	granted = way->src.granted;
	if (uet_rccc_on_rx(&port->pacer, &way->src, now, target, bytes))
		uet_credit_arm(port, max(port->pacer.next_tick, now));
	if (uet_rccc_signal(&port->pacer, &way->src, now, signal))
		UET_INC(port->un, CREDIT_SLOWED);
	/* The pacer may have restarted its count. */
	if (unlikely(way->src.granted != granted))
		atomic_add(way->src.granted - granted, &s->granted);
	if (list)
		uet_credit_say(way, list);
	spin_unlock(&port->lock);
}

/**
 * uet_credit_request() - a request named a credit target
 * @pdc: the PDC, peer verified
 * @rx: the request, whole, not yet delivered; with TFC gets its cells
 * @bytes: its nominal size
 *
 * Context: softirq, rx.lock held.
 */
void uet_credit_request(struct uet_pdc *pdc, struct uet_rx_ctx *rx, u32 bytes)
{
	const struct uet_req *req = &rx->pkt->req;

	lockdep_assert_held(&pdc->rx->lock);
	uet_credit_hear(pdc, rx, FIELD_PREP(UET_REQ_CC_CCC_ID, req->ccc_id) |
			FIELD_PREP(UET_REQ_CC_TARGET, req->credit_target),
			bytes, rx->ce ? UET_RCCC_MARKED : UET_RCCC_CLEAR,
			NULL);
	rx->cells = uet_tfc_cost(pdc, req->ccc_id, bytes);
}

/**
 * uet_credit_trimmed() - what is left of a request named a credit target
 * @pdc: the PDC, peer verified
 * @rx: the request
 * @lasthop: trimmed on the last hop, where credit itself prevents congestion
 *
 * Nothing has verified its header. So its PDC joins no source and changes none, the
 * source gets no way by another port, where it would be granted a window in advance,
 * and its target is only a hint.
 *
 * Context: softirq, rx.lock held.
 */
void uet_credit_trimmed(struct uet_pdc *pdc, const struct uet_rx_ctx *rx,
			bool lasthop)
{
	const struct uet_req *req = &rx->pkt->req;
	struct uet_credit_src *s = pdc->rx->credit;
	struct uet_credit_port *port;
	u8 signal = rx->ce ? UET_RCCC_MARKED : UET_RCCC_CLEAR;
	struct uet_credit_way *way;
	u32 target;

	lockdep_assert_held(&pdc->rx->lock);
	if (!lasthop)
		signal = UET_RCCC_TRIMMED;
	if (!s || s->id != req->ccc_id)
		return;
	way = uet_credit_way_by(s, rx);
	if (!way)
		return;
	port = way->port;
	spin_lock(&port->lock);
	target = uet_rccc_hint(&port->pacer, uet_credit_granted(s),
			       req->credit_target);
	spin_unlock(&port->lock);
	uet_credit_hear(pdc, rx, FIELD_PREP(UET_REQ_CC_CCC_ID, s->id) |
			FIELD_PREP(UET_REQ_CC_TARGET, target), 0, signal,
			NULL);
}

/**
 * uet_credit_asked() - a Credit Request came
 * @pdc: the PDC, peer verified
 * @rx: the control packet
 * @list: the answer is added here
 *
 * The answer repeats the cumulative grant, since the last CREDIT may have been
 * lost; more credit follows at the pace of the port.
 *
 * Context: softirq, rx.lock held.
 */
void uet_credit_asked(struct uet_pdc *pdc, const struct uet_rx_ctx *rx,
		      struct sk_buff_head *list)
{
	lockdep_assert_held(&pdc->rx->lock);
	UET_INC(rx->un, RX_CREDIT_REQS);
	uet_credit_hear(pdc, rx, rx->pkt->cp.payload, 0,
			UET_RCCC_NO_SIGNAL, list);
}

/**
 * uet_credit_state() - the CREDIT state of an ACK
 * @pdc: the PDC
 * @credit: set to the cumulative grant of its source
 *
 * An ACK has room for one state, and a source that combines credit with NSCC
 * needs the NSCC state. The wire does not tell such sources apart, so this host
 * decides by its own congestion_control setting.
 *
 * No source combines TFC with a window.
 *
 * Context: rx.lock held.
 * Return: false if the ACK carries NSCC state.
 */
bool uet_credit_state(const struct uet_pdc *pdc, u32 *credit)
{
	const struct uet_credit_src *s = pdc->rx->credit;

	lockdep_assert_held(&pdc->rx->lock);
	if (likely(!s) || !(s->tfc || READ_ONCE(pdc->un->credit_in_acks)))
		return false;
	*credit = uet_credit_granted(s);
	return true;
}
