/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Several packets in one buffer.
 */
#ifndef _UET_RUN_H
#define _UET_RUN_H

#include <linux/types.h>

struct sk_buff;
struct uet_net;

u32 uet_input_run(struct uet_net *un, struct sk_buff *skb, unsigned int off);

#endif /* _UET_RUN_H */
