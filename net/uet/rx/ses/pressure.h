/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Destination flow control, destination side (UE 1.0 3.6.13.2): what this
 * host tells the sources about itself.
 */
#ifndef _UET_PRESSURE_H
#define _UET_PRESSURE_H

#include <linux/jiffies.h>
#include <linux/types.h>

#include "pdc/rx_half.h"

struct uet_ack;
struct uet_rx_ctx;

void uet_reader_changed(struct uet_reader *reader, const struct uet_sock *us);

static inline void uet_reader_update(struct uet_reader *reader,
				     const struct uet_sock *us)
{
	if (unlikely(READ_ONCE(reader->us) != us))
		uet_reader_changed(reader, us);
	if (unlikely(READ_ONCE(reader->seen) != (u32)jiffies))
		WRITE_ONCE(reader->seen, (u32)jiffies);
}

/**
 * uet_reader_note() - note that data of a PDC is for this socket
 * @pdc: the PDC
 * @us: the socket
 *
 * Context: softirq, rx.lock held.
 */
static inline void uet_reader_note(struct uet_pdc *pdc, const struct uet_sock *us)
{
	lockdep_assert_held(&pdc->rx->lock);
	uet_reader_update(&pdc->rx->reader, us);
	if (!pdc->rod)
		uet_reader_update(&pdc->peer->reader, us);
}

bool uet_reader_shares(const struct uet_pdc *pdc);
bool uet_cpu_may_have_more(const struct uet_rx_ctx *rx);
bool uet_pressure_untold(struct uet_pdc *pdc, const struct uet_rx_ctx *rx);
void uet_pressure_state(struct uet_pdc *pdc, const struct uet_rx_ctx *rx,
			struct uet_ack *a);

#endif /* _UET_PRESSURE_H */
