/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Several packets in one buffer.
 */
#ifndef _UET_RUN_H
#define _UET_RUN_H

#include <linux/types.h>

#include "link/packet.h"

struct sk_buff;
struct uet_net;

int uet_input_run(struct uet_net *un, struct sk_buff *skb, unsigned int off,
		  uet_okfn okfn);
int uet_input_split(struct uet_net *un, struct sk_buff *skb, unsigned int off,
		    uet_okfn okfn);

#endif /* _UET_RUN_H */
