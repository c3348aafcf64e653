// SPDX-License-Identifier: GPL-2.0
/*
 * Packets of an ordered PDC that come early (UE 1.0 3.5.12): they are kept until those
 * before them have come, so that a lost packet costs one retransmission. Otherwise the
 * source would send everything behind it again.
 *
 * Their source takes them for received, since SACK reports them: one that is kept is
 * never dropped but with its PDC. So how many there are is bounded: by the receive window
 * of the PDC and, for the whole namespace, by a part of net.uet.mem, which they are
 * charged to. What delivers in order may use the reserves above net.uet.mem, so these
 * packets cannot keep out those that they wait for. One that is refused goes again by
 * ROD_OOO.
 *
 * Not here: which packets are early, and their delivery (rx/pds/request.c).
 */
#include <linux/netdevice.h>
#include <linux/slab.h>

#include "compat.h"
#include "pdc/pdc.h"
#include "rx/pds/half.h"
#include "rx/ses/rxmsg.h"

static struct kmem_cache *uet_early_cache;

/* All of a namespace may take this part of net.uet.mem */
#define UET_EARLY_PART		4

/* May the namespace keep so many bytes more? */
static bool uet_early_charge(struct uet_net *un, long bytes)
{
	long most = READ_ONCE(un->sysctl.mem) / UET_EARLY_PART;

	if (atomic_long_add_return(bytes, &un->rx_early) <= most &&
	    uet_mem_charge_more(un, bytes, 0))
		return true;
	atomic_long_sub(bytes, &un->rx_early);
	return false;
}

static void uet_early_uncharge(struct uet_net *un, long bytes)
{
	atomic_long_sub(bytes, &un->rx_early);
	uet_mem_uncharge(un, bytes);
}

static bool uet_early_before(struct rb_node *a, const struct rb_node *b)
{
	return psn_before(rb_entry(a, struct uet_early, node)->psn,
			  rb_entry(b, struct uet_early, node)->psn);
}

/* Leave nothing behind that belongs to the device or to the sender. */
static void uet_early_scrub(struct sk_buff *skb)
{
	skb_orphan(skb);
	skb_dst_drop(skb);
	nf_reset_ct(skb);
	skb_ext_reset(skb);
	skb->dev = NULL;
}

/**
 * uet_early_keep() - keep a packet that came early
 * @pdc: an ordered PDC
 * @rx: the packet, new, and not the next one
 * @psn: its PSN
 * @skb: the packet, consumed on success; NULL if only the PSN matters
 *
 * Context: softirq, rx.lock held.
 * Return: false if there is no memory for it; then nothing was done.
 */
bool uet_early_keep(struct uet_pdc *pdc, const struct uet_rx_ctx *rx, u32 psn,
		    struct sk_buff *skb)
{
	struct uet_early *e;
	u32 bytes = sizeof(*e) + (skb ? skb->truesize : 0);

	lockdep_assert_held(&pdc->rx->lock);
	if (!uet_early_charge(pdc->un, bytes))
		return false;
	e = kmem_cache_alloc(uet_early_cache, GFP_ATOMIC | __GFP_NOWARN);
	if (unlikely(!e)) {
		uet_early_uncharge(pdc->un, bytes);
		return false;
	}
	e->psn = psn;
	e->bytes = bytes;
	e->pkt = *rx->pkt;
	e->rx = *rx;
	e->rx.pkt = &e->pkt;
	e->rx.skb = skb;
	/* The time that it is kept is no part of the round trip. */
	if (!e->rx.arrived)
		e->rx.arrived = ktime_get_real();
	if (skb) {
		e->dev = skb->dev->ifindex;
		e->headroom = skb_headroom(skb);
		uet_early_scrub(skb);
	}
	rb_add(&e->node, &pdc->rx->early, uet_early_before);
	pdc->rx->nr_early++;
	return true;
}

/**
 * uet_early_open() - prepare the first kept packet for delivery
 * @pdc: a PDC that keeps some
 *
 * Context: BH disabled, RCU section, rx.lock held.
 * Return: the packet; uet_early_close() or uet_early_free() follows.
 */
struct uet_early *uet_early_open(struct uet_pdc *pdc)
{
	struct uet_early *e;

	lockdep_assert_held(&pdc->rx->lock);
	e = rb_entry(rb_first(&pdc->rx->early), struct uet_early, node);
	/* For filters; NULL if it is gone */
	if (e->rx.skb)
		e->rx.skb->dev = dev_get_by_index_rcu(pdc->un->net, e->dev);
	return e;
}

/**
 * uet_early_close() - a packet could not be delivered: keep it as it was
 * @e: of uet_early_open()
 */
void uet_early_close(struct uet_early *e)
{
	struct sk_buff *skb = e->rx.skb;

	e->rx.us = NULL;
	e->rx.drop = UET_DROP_NONE;
	if (!skb)
		return;
	skb->dev = NULL;
	/* Its headers may have been removed. */
	__skb_push(skb, skb_headroom(skb) - e->headroom);
}

/**
 * uet_early_free() - a packet is delivered or dropped, forget it
 * @pdc: the PDC
 * @e: of uet_early_open()
 *
 * Context: rx.lock held.
 */
void uet_early_free(struct uet_pdc *pdc, struct uet_early *e)
{
	lockdep_assert_held(&pdc->rx->lock);
	rb_erase(&e->node, &pdc->rx->early);
	pdc->rx->nr_early--;
	uet_early_uncharge(pdc->un, e->bytes);
	kmem_cache_free(uet_early_cache, e);
}

/**
 * uet_early_drop_all() - drop the packets that a PDC keeps; it dies
 * @pdc: the PDC
 *
 * Context: rx.lock held.
 */
void uet_early_drop_all(struct uet_pdc *pdc)
{
	struct sk_buff_head gone;
	struct uet_early *e;
	struct rb_node *n;

	lockdep_assert_held(&pdc->rx->lock);
	__skb_queue_head_init(&gone);
	while ((n = rb_first(&pdc->rx->early))) {
		e = rb_entry(n, struct uet_early, node);
		if (e->rx.skb)
			__skb_queue_tail(&gone, e->rx.skb);
		uet_early_free(pdc, e);
	}
	uet_rx_free(pdc->un, &gone);
}

/**
 * uet_early_cache_init() - make the slab cache
 *
 * Return: 0 or -ENOMEM.
 */
int __init uet_early_cache_init(void)
{
	uet_early_cache = kmem_cache_create("uet_early",
					    sizeof(struct uet_early), 0,
					    SLAB_NO_MERGE, NULL);
	return uet_early_cache ? 0 : -ENOMEM;
}

/**
 * uet_early_cache_exit() - destroy the slab cache
 */
void uet_early_cache_exit(void)
{
	kmem_cache_destroy(uet_early_cache);
}
