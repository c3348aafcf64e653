/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sources of credit at the destination, for rx/cms/credit.c and rx/cms/tfc.c.
 */
#ifndef _UET_RX_CREDIT_SRC_H
#define _UET_RX_CREDIT_SRC_H

#include <linux/atomic.h>
#include <linux/hrtimer.h>
#include <linux/list.h>
#include <linux/spinlock.h>

#include "core/cc/rccc_pacer.h"
#include "core/cc/tfc_cells.h"
#include "core/lb/lb_ports.h"

struct uet_credit_src;
struct uet_net;
struct uet_pdc;

/**
 * struct uet_credit_port - a device whose receive rate is shared out as credit
 * @node: in uet_net.credit_ports; credit_lock
 * @un: namespace
 * @ifindex: device
 * @mbps: its speed, 0 = not known yet
 * @sources: number of ways that refer to it; credit_lock
 * @left: when the last way left, ns; credit_lock
 * @lock: BH-disabled; protects the pacer, its sources and @timer_at
 * @pacer: rings and pace
 * @timer: fires when credit is due
 * @timer_at: expiry of @timer, ns, 0 = not armed
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

/**
 * struct uet_credit_way - a source at one of its ports
 * @src: its state at the port's pacer; first member. Its counters match those on
 *	the wire only if nr_ways == 1
 * @port: the port, which counts this way in its @sources
 * @of: the source
 * @via: PDC of the last request by this port, which carries the CREDIT packets; or
 *	NULL. Once the address is verified, only of requests that verify it
 * @due: packets that came before the address was verified and were not followed by a
 *	CREDIT packet
 * @proved: the address is verified
 */
struct uet_credit_way {
	struct uet_rccc_src	src;
	struct uet_credit_port	*port;
	struct uet_credit_src	*of;
	struct uet_pdc		*via;
	u32			due;
	bool			proved;
};

/**
 * struct uet_credit_src - a congestion control context of a peer
 * @node: in uet_peer.credit_srcs; credit_lock
 * @granted: cumulative grant of all ways, quanta; its low 24 bits are on the wire
 * @pdcs: PDCs that hold it
 * @nr_ways: entries of @way in use; grows under credit_lock, never shrinks
 * @id: ccc_id on the wire
 * @tclass: DSCP of its PDCs: the context at the peer serves one traffic class
 * @tfc: its credit is cells of a buffer instead of a part of the pace of ports; constant,
 *	as are @cell and @overhead
 * @gone: no PDC holds it; it is freed when none of its packets holds cells. uet_tfc.lock
 * @cell: bytes of a cell
 * @overhead: what a packet takes in cells beside its own bytes
 * @cells: its part of the buffer; uet_tfc.lock
 * @way: one for each port by which its requests arrived
 */
struct uet_credit_src {
	struct list_head	node;
	atomic_t		granted;
	u32			pdcs;
	u32			nr_ways;
	u8			id;
	u8			tclass;
	bool			tfc;
	bool			gone;
	u32			cell;
	u32			overhead;
	struct uet_tfc_src	cells;
	struct uet_credit_way	*way[UET_LB_PORTS_MAX];
};

static inline u32 uet_credit_granted(const struct uet_credit_src *s)
{
	return (u32)atomic_read(&s->granted) & UET_CREDIT_MASK;
}

#endif /* _UET_RX_CREDIT_SRC_H */
