/* SPDX-License-Identifier: GPL-2.0 */
/*
 * CCCs with receiver credit: their ids, and how many of them have data (UE 1.0 3.6.14).
 */
#ifndef _UET_CREDIT_ID_H
#define _UET_CREDIT_ID_H

#include <linux/types.h>

struct uet_flow;
struct uet_peer;

int uet_credit_id_take(struct uet_peer *peer);
void uet_credit_id_give(struct uet_peer *peer, int id);
void uet_credit_id_gone(struct uet_flow *flow);
void uet_credit_count(struct uet_flow *flow, bool sending);

#endif /* _UET_CREDIT_ID_H */
