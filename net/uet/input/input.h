/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Input of packets and ICMP errors, from the tunnel sockets to the PDCs.
 */
#ifndef _UET_INPUT_H
#define _UET_INPUT_H

#include <linux/types.h>

#include "rx/half.h"
#include "tx/half.h"

struct sk_buff;
struct uet_icmp;
struct uet_net;

/* input.c */
void uet_input_init(void);

/* icmp.c: errors about packets of ours */
bool uet_input_icmp(struct uet_net *un, struct sk_buff *skb,
		    const struct uet_icmp *icmp);

#endif /* _UET_INPUT_H */
