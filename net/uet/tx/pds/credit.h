/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Requests for receiver credit at the source (UE 1.0 3.6.14).
 *
 * Not here: the arithmetic (core/cc/cc_rccc.h).
 */
#ifndef _UET_TX_CREDIT_H
#define _UET_TX_CREDIT_H

#include <linux/types.h>

struct sk_buff_head;
struct uet_flow;
struct uet_pdc;

void uet_credit_wait(struct uet_flow *flow, struct sk_buff_head *list);
void uet_credit_count_anew(struct uet_flow *flow, const struct uet_pdc *pdc,
			   u64 now);

#endif /* _UET_TX_CREDIT_H */
