/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Early demux for UET.
 */
#ifndef _UET_DEMUX_H
#define _UET_DEMUX_H

#include <linux/types.h>

struct sk_buff;
struct uet_net;
struct uet_peer;

void uet_demux_enable(struct uet_net *un);
void uet_demux_disable(struct uet_net *un);
bool uet_demux_news(const struct uet_peer *peer, const struct sk_buff *skb);
void uet_demux_learn(struct uet_peer *peer, struct sk_buff *skb);

#endif /* _UET_DEMUX_H */
