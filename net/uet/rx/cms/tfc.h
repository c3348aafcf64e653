/* SPDX-License-Identifier: GPL-2.0 */
/*
 * TFC at the destination (UE 1.0 3.6.15): cells of the receive buffers of a namespace.
 * The arithmetic is in core/cc/tfc_cells.h.
 */
#ifndef _UET_RX_TFC_H
#define _UET_RX_TFC_H

#include <linux/types.h>

struct uet_credit_src;
struct uet_net;
struct uet_pdc;
struct uet_rxmsg;
struct uet_rxpart;

void uet_tfc_init(struct uet_net *un);
void uet_tfc_exit(struct uet_net *un);
bool uet_tfc_begin(struct uet_net *un, struct uet_credit_src *s, u32 target);
void uet_tfc_again(struct uet_net *un, struct uet_credit_src *s, u32 target);
bool uet_tfc_gone(struct uet_net *un, struct uet_credit_src *s);
void uet_tfc_hear(struct uet_pdc *pdc, u32 target, bool asks);
u32 uet_tfc_cost(const struct uet_pdc *pdc, u8 id, u32 bytes);
void uet_tfc_came(struct uet_pdc *pdc, u32 cells);

/* Cells that messages hold; rx_lock of their socket held */
void uet_tfc_placed(struct uet_net *un, struct uet_rxmsg *msg,
		    const struct uet_rxpart *part);
void uet_tfc_readable(struct uet_net *un, struct uet_rxmsg *msg);
void uet_tfc_given(struct uet_net *un, struct uet_rxmsg *msg, u32 bytes);

#endif /* _UET_RX_TFC_H */
