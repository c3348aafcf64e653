// SPDX-License-Identifier: GPL-2.0
/*
 * TFC at the destination (UE 1.0 3.6.15), where congestion_control is "tfc": sources of
 * credit (rx/cms/credit.c) get cells of a buffer that stands for the receive buffers of the
 * namespace. A cell that a packet took is free again when a reader has read the packet,
 * or when it is dropped, or at once if it has nothing to read.
 *
 * A message holds the cells of its packets and gives them back as it does the memory of
 * its socket, in the same proportion. It may outlive the PDCs of its source, so a source
 * stays until the last of its cells was given back.
 *
 * Cells that are free are granted by a soft hrtimer, since readers free them with
 * rx_lock held, and since one CREDIT packet tells of several grants.
 *
 * Locks: uet_tfc.lock is a leaf: inside uet_pdc_rx.lock, uet_sock.rx_lock, the lock of a
 * port and uet_net.credit_lock, which is held while grants are told and so keeps their sources.
 *
 * Not here: who gets how much (core/cc/tfc_cells.c).
 */
#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/skbuff.h>
#include <linux/slab.h>

#include "compat.h"
#include "link/packet.h"
#include "mib.h"
#include "pdc/pdc.h"
#include "pdc/rx_half.h"
#include "rx/cms/credit.h"
#include "rx/cms/credit_src.h"
#include "rx/cms/tfc.h"
#include "rx/ses/rxmsg.h"

/* What is freed within this time is granted together. */
#define UET_TFC_SLACK_NS	(20 * NSEC_PER_USEC)
#define UET_TFC_BATCH		32
/* The buffer that is handed out, as a part of that of a socket, if none is configured:
 * half of a socket's buffer takes messages as they come, and packets take more memory
 * than cells where devices have large receive buffers.
 */
#define UET_TFC_RMEM_PART	4

static u64 uet_tfc_size(const struct uet_net *un)
{
	u32 bytes = READ_ONCE(un->sysctl.tfc_buffer);

	if (!bytes)
		bytes = READ_ONCE(un->sysctl.rmem) / UET_TFC_RMEM_PART;
	return max_t(u32, bytes / READ_ONCE(un->sysctl.tfc_cell), 1);
}

static void uet_tfc_arm(struct uet_tfc *tfc, u64 at)
{
	lockdep_assert_held(&tfc->lock);
	if (tfc->timer_at && tfc->timer_at <= at)
		return;
	tfc->timer_at = at;
	hrtimer_start(&tfc->timer, ns_to_ktime(at), HRTIMER_MODE_ABS_SOFT);
}

static void uet_tfc_soon(struct uet_tfc *tfc)
{
	uet_tfc_arm(tfc, ktime_get_ns() + UET_TFC_SLACK_NS);
}

/* Count what the buffer has lent and taken back since. */
static void uet_tfc_count(struct uet_net *un, u64 lent, u64 back)
{
	const struct uet_tfc_pool *p = &un->tfc.pool;
	u32 cell = READ_ONCE(un->sysctl.tfc_cell);

	UET_ADD(un, CREDIT_BEYOND, (p->lent - lent) * cell);
	UET_ADD(un, CREDIT_TAKEN_BACK, (p->taken_back - back) * cell);
}

/* Grant what is free. The grants of a source are in @grants. */
static u32 uet_tfc_tick_locked(struct uet_net *un, struct uet_tfc_grant *grants)
{
	struct uet_tfc *tfc = &un->tfc;
	struct uet_tfc_pool *p = &tfc->pool;
	u64 lent = p->lent, back = p->taken_back, next;
	u32 n;

	lockdep_assert_held(&tfc->lock);
	uet_tfc_pool_set(p, uet_tfc_size(un));
	n = uet_tfc_tick(p, ktime_get_ns(), grants, UET_TFC_BATCH, &next);
	uet_tfc_count(un, lent, back);
	if (n == UET_TFC_BATCH)
		uet_tfc_soon(tfc);
	else if (next)
		uet_tfc_arm(tfc, next);
	return n;
}

static void uet_tfc_tell(struct uet_net *un, const struct uet_tfc_grant *grants,
			 u32 n, struct sk_buff_head *list)
{
	struct uet_credit_src *s;
	u32 i;

	lockdep_assert_held(&un->credit_lock);
	for (i = 0; i < n; i++) {
		s = container_of(grants[i].src, struct uet_credit_src, cells);
		atomic_add(grants[i].cells, &s->granted);
		UET_ADD(un, CREDIT_GRANTED, (u64)grants[i].cells * s->cell);
		uet_credit_tell(s, list);
	}
}

static enum hrtimer_restart uet_tfc_timer(struct hrtimer *timer)
{
	struct uet_tfc *tfc = container_of(timer, struct uet_tfc, timer);
	struct uet_net *un = container_of(tfc, struct uet_net, tfc);
	struct uet_tfc_grant grants[UET_TFC_BATCH];
	struct sk_buff_head list;
	u32 n;

	__skb_queue_head_init(&list);
	/* Keeps the peers that the packets point to until the section ends. */
	rcu_read_lock();
	/* No source leaves between a grant and its packet. */
	spin_lock(&un->credit_lock);
	spin_lock(&tfc->lock);
	/* It may have been armed again since it fired. */
	if (!hrtimer_is_queued(timer))
		tfc->timer_at = 0;
	n = uet_tfc_tick_locked(un, grants);
	spin_unlock(&tfc->lock);
	uet_tfc_tell(un, grants, n, &list);
	spin_unlock(&un->credit_lock);
	uet_credit_xmit(&list);
	rcu_read_unlock();
	return HRTIMER_NORESTART;
}

/**
 * uet_tfc_init() - prepare the buffer of a namespace
 * @un: namespace
 */
void uet_tfc_init(struct uet_net *un)
{
	struct uet_tfc *tfc = &un->tfc;

	spin_lock_init(&tfc->lock);
	uet_tfc_pool_init(&tfc->pool, 0);
	uet_hrtimer_setup(&tfc->timer, uet_tfc_timer);
}

/**
 * uet_tfc_exit() - stop the timer
 * @un: namespace, exiting, without PDCs, so that no source wants cells
 *
 * Context: process.
 */
void uet_tfc_exit(struct uet_net *un)
{
	hrtimer_cancel(&un->tfc.timer);
}

/**
 * uet_tfc_begin() - a source is new
 * @un: namespace
 * @s: the source, zeroed
 * @target: its first target
 *
 * What it gets, cells or a part of the pace of ports, it gets as long as it lives.
 *
 * Context: softirq, credit_lock held.
 * Return: true if it gets cells.
 */
bool uet_tfc_begin(struct uet_net *un, struct uet_credit_src *s, u32 target)
{
	lockdep_assert_held(&un->credit_lock);
	if (likely(!READ_ONCE(un->tfc.on)))
		return false;
	s->tfc = true;
	s->cell = READ_ONCE(un->sysctl.tfc_cell);
	s->overhead = READ_ONCE(un->sysctl.tfc_overhead);
	uet_tfc_src_init(&s->cells, target, READ_ONCE(un->sysctl.tfc_first),
			 ktime_get_ns());
	return true;
}

/**
 * uet_tfc_again() - a PDC names a source that is known
 * @un: namespace
 * @s: the source, which gets cells
 * @target: the target that it names
 *
 * Context: softirq, credit_lock held.
 */
void uet_tfc_again(struct uet_net *un, struct uet_credit_src *s, u32 target)
{
	struct uet_tfc *tfc = &un->tfc;

	lockdep_assert_held(&un->credit_lock);
	spin_lock(&tfc->lock);
	uet_tfc_src_again(&tfc->pool, &s->cells, target,
			  READ_ONCE(un->sysctl.tfc_first));
	atomic_set(&s->granted, (int)s->cells.granted);
	spin_unlock(&tfc->lock);
}

/**
 * uet_tfc_gone() - a source is gone
 * @un: namespace
 * @s: the source, which gets cells
 *
 * Context: BH disabled, credit_lock held.
 * Return: true if the caller frees it; else it is freed with what it holds.
 */
bool uet_tfc_gone(struct uet_net *un, struct uet_credit_src *s)
{
	struct uet_tfc *tfc = &un->tfc;
	bool last;

	lockdep_assert_held(&un->credit_lock);
	spin_lock(&tfc->lock);
	uet_tfc_remove(&tfc->pool, &s->cells);
	s->gone = true;
	last = !s->cells.held;
	/* What was reserved for it is for others. */
	if (tfc->pool.nr_turns)
		uet_tfc_soon(tfc);
	spin_unlock(&tfc->lock);
	return last;
}

/**
 * uet_tfc_hear() - a packet of a source told its target
 * @pdc: the PDC, whose source gets cells
 * @target: the target
 * @asks: it is a Credit Request, whose answer tells what is granted here
 *
 * Context: softirq, rx.lock held.
 */
void uet_tfc_hear(struct uet_pdc *pdc, u32 target, bool asks)
{
	struct uet_tfc *tfc = &pdc->un->tfc;
	struct uet_credit_src *s = pdc->rx->credit;
	u64 lent, back, now = ktime_get_ns();
	u32 granted;

	lockdep_assert_held(&pdc->rx->lock);
	spin_lock(&tfc->lock);
	uet_tfc_pool_set(&tfc->pool, uet_tfc_size(pdc->un));
	lent = tfc->pool.lent;
	back = tfc->pool.taken_back;
	granted = s->cells.granted;
	if (uet_tfc_heard(&tfc->pool, &s->cells, now, target,
			  pdc->rx->confirmed, asks)) {
		if (asks)
			UET_ADD(pdc->un, CREDIT_GRANTED, (u64)s->cell *
				uet_tfc_grant(&tfc->pool, &s->cells));
		if (tfc->pool.nr_turns)
			uet_tfc_soon(tfc);
		uet_tfc_count(pdc->un, lent, back);
	} else if (tfc->pool.nr_turns) {
		/* Room may come from who is silent, whom nothing else looks for. */
		uet_tfc_arm(tfc, now + UET_TFC_KEEP_NS);
	}
	/* It was granted something, or its count began anew. */
	if (s->cells.granted != granted)
		atomic_add(s->cells.granted - granted, &s->granted);
	spin_unlock(&tfc->lock);
}

/**
 * uet_tfc_cost() - cells of a request
 * @pdc: the PDC
 * @id: its ccc_id
 * @bytes: its nominal size
 *
 * Context: rx.lock held.
 * Return: cells, 0 if it is not of a source that gets cells.
 */
u32 uet_tfc_cost(const struct uet_pdc *pdc, u8 id, u32 bytes)
{
	const struct uet_credit_src *s = pdc->rx->credit;

	lockdep_assert_held(&pdc->rx->lock);
	if (likely(!s || !s->tfc) || s->id != id)
		return 0;
	return uet_tfc_cells(bytes, s->cell, s->overhead);
}

/**
 * uet_tfc_came() - a request was delivered
 * @pdc: the PDC
 * @cells: its cells
 *
 * Nothing is reserved for it any more.
 *
 * Context: softirq, rx.lock held.
 */
void uet_tfc_came(struct uet_pdc *pdc, u32 cells)
{
	struct uet_tfc *tfc = &pdc->un->tfc;
	struct uet_credit_src *s = pdc->rx->credit;

	lockdep_assert_held(&pdc->rx->lock);
	if (!s || !s->tfc)
		return;
	spin_lock(&tfc->lock);
	uet_tfc_arrived(&tfc->pool, &s->cells, cells);
	spin_unlock(&tfc->lock);
}

/**
 * uet_tfc_placed() - a packet was placed in a message
 * @un: namespace
 * @msg: the message, before uet_tfc_readable() if that makes it readable
 * @part: what the packet has of it, with cells
 *
 * The packets of a message are of one source, unless that has begun its count anew: then
 * the rest of the message holds nothing.
 *
 * Context: softirq, rx.lock of its PDC and rx_lock of its socket held.
 */
void uet_tfc_placed(struct uet_net *un, struct uet_rxmsg *msg,
		    const struct uet_rxpart *part)
{
	struct uet_tfc *tfc = &un->tfc;

	if (msg->cells && msg->credit != part->credit)
		return;
	msg->credit = part->credit;
	msg->cells += part->cells;
	spin_lock(&tfc->lock);
	uet_tfc_hold(&tfc->pool, &msg->credit->cells, part->cells, msg->ready);
	spin_unlock(&tfc->lock);
}

/**
 * uet_tfc_readable() - a message that holds cells can be read from now on
 * @un: namespace
 * @msg: the message
 *
 * Context: BH disabled, rx_lock of its socket held.
 */
void uet_tfc_readable(struct uet_net *un, struct uet_rxmsg *msg)
{
	struct uet_tfc *tfc = &un->tfc;

	spin_lock(&tfc->lock);
	uet_tfc_ready(&tfc->pool, &msg->credit->cells, msg->cells);
	spin_unlock(&tfc->lock);
}

/**
 * uet_tfc_given() - a message that holds cells gives memory back
 * @un: namespace
 * @msg: the message, before that
 * @bytes: how much of uet_rxmsg.bytes
 *
 * Context: BH disabled, rx_lock of its socket held.
 */
void uet_tfc_given(struct uet_net *un, struct uet_rxmsg *msg, u32 bytes)
{
	struct uet_tfc *tfc = &un->tfc;
	struct uet_credit_src *s = msg->credit;
	u32 cells = msg->cells;
	bool last;

	if (bytes < msg->bytes)
		cells = (u32)div_u64((u64)cells * bytes, msg->bytes);
	if (!cells)
		return;
	msg->cells -= cells;
	spin_lock(&tfc->lock);
	if (uet_tfc_free(&tfc->pool, &s->cells, cells, msg->ready))
		uet_tfc_soon(tfc);
	last = s->gone && !s->cells.held;
	spin_unlock(&tfc->lock);
	if (last)
		kfree(s);
}
