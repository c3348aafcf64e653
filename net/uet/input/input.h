/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Input of packets and ICMP errors, from UDP and IP to the PDCs.
 */
#ifndef _UET_INPUT_H
#define _UET_INPUT_H

#include <linux/types.h>

#include "rx/pds/half.h"
#include "tx/pds/half.h"

struct sk_buff;
struct uet_icmp;
struct uet_net;
struct uet_pdc;

/* input.c */
void uet_input_init(void);
bool uet_input(struct uet_net *un, struct sk_buff *skb, u8 form, uet_okfn okfn);
void uet_input_again(struct uet_net *un, struct sk_buff *skb, u8 form);
struct uet_pdc *uet_input_pdc(struct uet_rx_ctx *rx, u8 *nack);

/* run.c, split.c: several packets in one buffer */
int uet_input_run(struct uet_net *un, struct sk_buff *skb, unsigned int off,
		  uet_okfn okfn);
int uet_input_split(struct uet_net *un, struct sk_buff *skb, unsigned int off,
		    uet_okfn okfn);

/* native.c: packets directly over IP */
void uet_native_init(void);
void uet_native_exit(void);
void uet_native_refuse(struct sk_buff *skb);

/* icmp.c: errors about packets of ours */
bool uet_input_icmp(struct uet_net *un, struct sk_buff *skb,
		    const struct uet_icmp *icmp);

#endif /* _UET_INPUT_H */
