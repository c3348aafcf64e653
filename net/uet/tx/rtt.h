/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Base RTT of a peer: the probe for a first good one (UE 1.0 3.6.13.7), and
 * what is remembered of peers that are gone.
 */
#ifndef _UET_RTTCACHE_H
#define _UET_RTTCACHE_H

#include <linux/types.h>

struct sk_buff;
struct uet_ccc;
struct uet_net;
struct uet_pdc;
struct uet_peer;
struct uet_peer_key;
struct uet_pkt;

struct sk_buff *uet_rtt_probe(struct uet_pdc *pdc, u16 ev);
void uet_rtt_probe_answer(struct uet_pdc *pdc, const struct uet_pkt *pkt,
			  u64 now);

void uet_rtt_far(struct uet_flow *flow, u64 rtt, u64 now);
void uet_rtt_rise(struct uet_flow *flow, u64 rtt, bool m, u64 now);
void uet_rtt_fall(struct uet_flow *flow, u64 rtt, u64 now);
void uet_rtt_learned(const struct uet_flow *flow);
void uet_rtt_keep(const struct uet_peer *peer);
void uet_rtt_recall(struct uet_net *un, struct uet_peer *peer);
void uet_rtt_forget(struct uet_net *un);

#endif /* _UET_RTTCACHE_H */
