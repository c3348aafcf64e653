/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Cache of base RTT and path MTU of peers that were freed.
 */
#ifndef _UET_RTTCACHE_H
#define _UET_RTTCACHE_H

struct uet_net;
struct uet_peer;

void uet_rtt_keep(const struct uet_peer *peer);
void uet_rtt_recall(struct uet_net *un, struct uet_peer *peer);
void uet_rtt_forget(struct uet_net *un);

#endif /* _UET_RTTCACHE_H */
