/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Base RTT of a flow: the probe for a first value (UE 1.0 3.6.13.7), and the
 * detection of changes.
 */
#ifndef _UET_TX_RTT_H
#define _UET_TX_RTT_H

#include <linux/types.h>

struct sk_buff;
struct uet_flow;
struct uet_pdc;
struct uet_pkt;

struct sk_buff *uet_rtt_probe(struct uet_pdc *pdc, u16 ev);
void uet_rtt_probe_answer(struct uet_pdc *pdc, const struct uet_pkt *pkt,
			  u64 now);

void uet_rtt_far(struct uet_flow *flow, u64 rtt, u64 now);
void uet_rtt_rise(struct uet_flow *flow, u64 rtt, bool m, u64 now);
void uet_rtt_fall(struct uet_flow *flow, u64 rtt, u64 now);

#endif /* _UET_TX_RTT_H */
