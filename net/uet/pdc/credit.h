/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Receiver credit in the kernel (UE 1.0 3.6.14): at the destination a pacer per
 * port, at the source the asking. The arithmetic is in core/rccc_pacer.h and
 * core/cc_rccc.h.
 */
#ifndef _UET_CREDIT_H
#define _UET_CREDIT_H

#include <linux/types.h>

struct sk_buff_head;
struct uet_flow;
struct uet_net;
struct uet_pdc;
struct uet_peer;
struct uet_rx_ctx;

/* rx/credit.c: the destination */
void uet_credit_init(struct uet_net *un);
void uet_credit_exit(struct uet_net *un);
void uet_credit_request(struct uet_pdc *pdc, const struct uet_rx_ctx *rx,
			u32 bytes);
void uet_credit_asked(struct uet_pdc *pdc, const struct uet_rx_ctx *rx,
		      struct sk_buff_head *list);
bool uet_credit_state(const struct uet_pdc *pdc, u32 *credit);
void uet_credit_leave(struct uet_pdc *pdc);

/* tx/credit.c: the source */
int uet_credit_take_id(struct uet_peer *peer);
void uet_credit_give_id(struct uet_peer *peer, int id);
void uet_credit_wait(struct uet_flow *flow, struct sk_buff_head *list);
void uet_credit_flow_gone(struct uet_flow *flow);

#endif /* _UET_CREDIT_H */
