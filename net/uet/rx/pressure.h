/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Destination flow control, destination side (UE 1.0 3.6.13.2): what this
 * host tells the sources about itself.
 */
#ifndef _UET_PRESSURE_H
#define _UET_PRESSURE_H

#include <linux/types.h>

struct uet_ack;
struct uet_pdc;
struct uet_rx_ctx;
struct uet_sock;

void uet_reader_note(struct uet_pdc *pdc, const struct uet_sock *us);
bool uet_reader_shares(const struct uet_pdc *pdc);
bool uet_cpu_may_have_more(const struct uet_rx_ctx *rx);
bool uet_pressure_untold(struct uet_pdc *pdc, const struct uet_rx_ctx *rx);
void uet_pressure_state(struct uet_pdc *pdc, const struct uet_rx_ctx *rx,
			struct uet_ack *a);

#endif /* _UET_PRESSURE_H */
