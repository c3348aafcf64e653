/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Packets that a switch trimmed (UE 1.0 3.6.12).
 */
#ifndef _UET_TRIM_H
#define _UET_TRIM_H

#include <linux/types.h>

struct sk_buff;
struct uet_net;

bool uet_trim_take(struct uet_net *un, struct sk_buff *skb, unsigned int off,
		   u8 dscp, u8 form);

#endif /* _UET_TRIM_H */
