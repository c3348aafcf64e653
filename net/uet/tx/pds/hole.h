/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Path MTU black holes: large packets that vanish.
 */
#ifndef _UET_HOLE_H
#define _UET_HOLE_H

#include <linux/types.h>

struct sk_buff_head;
struct uet_flow;
struct uet_pdc;
struct uet_pkt;

bool uet_hole_resent(struct uet_pdc *pdc, u32 len, u64 sent, u64 now);
void uet_hole_ask(struct uet_pdc *pdc, struct sk_buff_head *list, u64 now);
bool uet_hole_answered(struct uet_flow *flow, const struct uet_pkt *pkt);
void uet_hole_arrived(struct uet_flow *flow, u32 len);
u32 uet_hole_told(const struct uet_flow *flow, u64 now, u64 *ns);
bool uet_hole_hopeless(const struct uet_pdc *pdc, u64 now);

#endif /* _UET_HOLE_H */
