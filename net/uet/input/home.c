// SPDX-License-Identifier: GPL-2.0
/*
 * The CPU that handles the packets of a PDC.
 *
 * The source ports of UET packets are entropy values, so receive scaling by ports
 * (RSS, RPS) spreads the packets of a PDC over all CPUs: its locks bounce between
 * them, and packets that came in order overtake each other. So each PDC has a home,
 * the CPU where a packet of it came first. Other CPUs parse and verify what they get
 * of it, and queue it there, as RPS does with a backlog.
 *
 * Where a PDC has its home it stays as long as packets come there by themselves. If
 * none does for a while, since interrupts or a local sender have moved, its home is
 * where they come now.
 *
 * Nothing is dropped here. If the queue is full, or the home is offline, a packet is
 * handled where it is, which is always right.
 */
#include <linux/cpumask.h>
#include <linux/ip.h>
#include <linux/netdevice.h>
#include <linux/percpu.h>
#include <linux/skbuff.h>

#include "compat.h"
#include "input/home.h"
#include "input/take.h"
#include "link/bh.h"
#include "link/drop.h"
#include "link/packet.h"
#include "mib.h"

/* Without a packet that came at its home for so long, a PDC moves */
#define UET_HOME_STAY	(HZ / 50 + 1)

/**
 * struct uet_home - what other CPUs have received for one
 * @in: from them, oldest first; its lock is taken with BH disabled
 * @un: namespace of the packet that left @in last, which may still be handled; NULL:
 *	none is; @in.lock
 * @bh: handles them
 */
struct uet_home {
	struct sk_buff_head	in;
	struct uet_net		*un;
	struct uet_bh		bh;
};

static DEFINE_PER_CPU(struct uet_home, uet_homes);

/* Have the data of a packet begin at the UDP header, wherever it begins now. */
static void uet_home_rewind(struct sk_buff *skb)
{
	int off = skb_transport_offset(skb);

	if (off < 0)
		__skb_push(skb, -off);
	else
		__skb_pull(skb, off);
}

/* Give a packet to another CPU. Meanwhile it holds its route and device; its namespace
 * waits for it in uet_home_flush().
 */
static bool uet_home_queue(struct uet_rx_ctx *rx, int cpu)
{
	struct uet_home *h = per_cpu_ptr(&uet_homes, cpu);
	struct sk_buff *skb = rx->skb;
	bool full;

	if (!cpu_online(cpu))
		return false;
	if (skb_dst_is_noref(skb)) {
		if (!dst_hold_safe(skb_dst(skb)))
			return false;
		skb_dst_set(skb, skb_dst(skb));
	}
	spin_lock(&h->in.lock);
	full = skb_queue_len(&h->in) >= uet_max_backlog();
	if (!full) {
		dev_hold(skb->dev);
		uet_home_rewind(skb);
		UET_TAKE_CB(skb)->un = rx->un;
		UET_TAKE_CB(skb)->okfn = rx->okfn;
		UET_TAKE_CB(skb)->form = rx->form;
		__skb_queue_tail(&h->in, skb);
	}
	spin_unlock(&h->in.lock);
	if (unlikely(full)) {
		UET_INC(rx->un, RX_HOME_FULL);
		return false;
	}
	UET_INC(rx->un, RX_STEERED);
	uet_bh_schedule_on(&h->bh);
	rx->skb = NULL;
	rx->handed_over = true;
	return true;
}

/**
 * uet_home_other() - a packet came where its PDC is not at home
 * @pdc: the PDC
 * @rx: the packet
 *
 * The rest of uet_home_elsewhere().
 *
 * Context: softirq, RCU read side.
 * Return: true if the packet was handed over, and is gone.
 */
bool uet_home_other(struct uet_pdc *pdc, struct uet_rx_ctx *rx)
{
	u16 home = READ_ONCE(pdc->home);
	u32 now = (u32)jiffies;

	/* It was handed over, or comes from UDP. */
	if (!rx->okfn || !READ_ONCE(rx->un->sysctl.steer))
		return false;
	if (home && now - READ_ONCE(pdc->home_at) <= UET_HOME_STAY)
		return uet_home_queue(rx, home - 1);
	WRITE_ONCE(pdc->home_at, now);
	WRITE_ONCE(pdc->home, (u16)(smp_processor_id() + 1));
	return false;
}

static struct sk_buff *uet_home_next(struct uet_home *h)
{
	struct sk_buff *skb;

	spin_lock(&h->in.lock);
	skb = __skb_dequeue(&h->in);
	h->un = skb ? UET_TAKE_CB(skb)->un : NULL;
	spin_unlock(&h->in.lock);
	return skb;
}

/* Handle the next packet; false if there is none. */
static bool uet_home_handle(struct uet_home *h)
{
	struct net_device *dev;
	struct sk_buff *skb;

	/* Before it leaves the queue: see uet_home_flush() */
	rcu_read_lock();
	skb = uet_home_next(h);
	if (skb) {
		dev = skb->dev;
		uet_take_again(UET_TAKE_CB(skb)->un, skb);
		dev_put(dev);
	}
	rcu_read_unlock();
	return skb;
}

static int uet_home_poll(struct napi_struct *napi, int budget)
{
	struct uet_home *h = container_of(napi, struct uet_home, bh.napi);
	int done = 0;

	while (done < budget && uet_home_handle(h))
		done++;
	if (done < budget)
		napi_complete_done(napi, done);
	return done;
}

/* Take the packets of a namespace out of a queue. True if one is maybe being handled. */
static bool uet_home_take_out(struct uet_home *h, struct uet_net *un,
			      struct sk_buff_head *list)
{
	struct sk_buff *skb, *next;
	bool busy;

	spin_lock_bh(&h->in.lock);
	skb_queue_walk_safe(&h->in, skb, next) {
		if (UET_TAKE_CB(skb)->un != un)
			continue;
		__skb_unlink(skb, &h->in);
		__skb_queue_tail(list, skb);
	}
	busy = h->un == un;
	spin_unlock_bh(&h->in.lock);
	return busy;
}

/**
 * uet_home_flush() - no CPU has or handles packets of a namespace afterwards
 * @un: the namespace, exiting; no hook gets packets of it any more
 *
 * Context: process.
 */
void uet_home_flush(struct uet_net *un)
{
	struct sk_buff_head list;
	struct net_device *dev;
	struct sk_buff *skb;
	bool busy = false;
	int cpu;

	__skb_queue_head_init(&list);
	for_each_possible_cpu(cpu)
		busy |= uet_home_take_out(per_cpu_ptr(&uet_homes, cpu), un,
					  &list);
	local_bh_disable();
	while ((skb = __skb_dequeue(&list))) {
		dev = skb->dev;
		uet_drop(un, skb, UET_DROP_NETNS);
		dev_put(dev);
	}
	local_bh_enable();
	if (busy)
		synchronize_rcu_expedited();
}

/**
 * uet_home_init() - prepare the queues
 *
 * Context: when the module is loaded.
 */
void uet_home_init(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		skb_queue_head_init(&per_cpu_ptr(&uet_homes, cpu)->in);
	uet_bh_add(&uet_homes.bh, uet_home_poll);
}

/**
 * uet_home_exit() - stop the queues, now empty
 *
 * Context: process.
 */
void uet_home_exit(void)
{
	uet_bh_del(&uet_homes.bh);
}
