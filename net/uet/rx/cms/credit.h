/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Receiver credit at the destination (UE 1.0 3.6.14): a pacer per device. The
 * arithmetic is in core/cc/rccc_pacer.h. With TFC a source gets cells instead (rx/cms/tfc.h).
 */
#ifndef _UET_RX_CREDIT_H
#define _UET_RX_CREDIT_H

#include <linux/types.h>

struct sk_buff_head;
struct uet_credit_src;
struct uet_net;
struct uet_pdc;
struct uet_rx_ctx;

void uet_credit_init(struct uet_net *un);
void uet_credit_exit(struct uet_net *un);
void uet_credit_request(struct uet_pdc *pdc, struct uet_rx_ctx *rx, u32 bytes);
void uet_credit_trimmed(struct uet_pdc *pdc, const struct uet_rx_ctx *rx,
			bool lasthop);
void uet_credit_asked(struct uet_pdc *pdc, const struct uet_rx_ctx *rx,
		      struct sk_buff_head *list);
bool uet_credit_state(const struct uet_pdc *pdc, u32 *credit);
void uet_credit_leave(struct uet_pdc *pdc);
void uet_credit_tell(struct uet_credit_src *s, struct sk_buff_head *list);
void uet_credit_xmit(struct sk_buff_head *list);

#endif /* _UET_RX_CREDIT_H */
