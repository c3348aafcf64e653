/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The CPU that handles the packets of a PDC.
 */
#ifndef _UET_HOME_H
#define _UET_HOME_H

#include <linux/compiler.h>
#include <linux/jiffies.h>
#include <linux/smp.h>
#include <linux/types.h>

#include "link/packet.h"
#include "pdc/pdc.h"

struct uet_net;

bool uet_home_other(struct uet_pdc *pdc, struct uet_rx_ctx *rx);
void uet_home_flush(struct uet_net *un);
void uet_home_init(void);
void uet_home_exit(void);

/**
 * uet_home_elsewhere() - hand a packet over to the CPU of its PDC
 * @pdc: the PDC
 * @rx: the packet, data anywhere in its headers
 *
 * Context: softirq, RCU read side.
 * Return: true if so, and the packet is gone; false if it is to be handled here.
 */
static inline bool uet_home_elsewhere(struct uet_pdc *pdc, struct uet_rx_ctx *rx)
{
	u32 now = (u32)jiffies;

	if (unlikely(READ_ONCE(pdc->home) != smp_processor_id() + 1))
		return uet_home_other(pdc, rx);
	/* Most packets come within the same jiffy. Those that were handed over do not count:
	 * a home to which all are would never move.
	 */
	if (unlikely(READ_ONCE(pdc->home_at) != now) && rx->okfn)
		WRITE_ONCE(pdc->home_at, now);
	return false;
}

#endif /* _UET_HOME_H */
