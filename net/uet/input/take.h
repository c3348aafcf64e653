/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Taking UET packets ahead of UDP.
 */
#ifndef _UET_TAKE_H
#define _UET_TAKE_H

#include <linux/ipv6.h>
#include <linux/skbuff.h>
#include <net/ip.h>

#include "link/packet.h"

struct uet_net;

/**
 * struct uet_take_cb - of a packet that goes to another CPU
 * @h4: of IPv4, which still wants it
 * @h6: of IPv6
 * @un: namespace
 * @okfn: what gives it to UDP
 * @form: uet_rx_ctx.form
 */
struct uet_take_cb {
	union {
		struct inet_skb_parm	h4;
		struct inet6_skb_parm	h6;
	};
	struct uet_net		*un;
	uet_okfn		okfn;
	u8			form;
};

static_assert(sizeof(struct uet_take_cb) <=
	      sizeof_field(struct sk_buff, cb));

#define UET_TAKE_CB(skb)	((struct uet_take_cb *)(skb)->cb)

void uet_take_again(struct uet_net *un, struct sk_buff *skb);
void uet_take_enable(struct uet_net *un);
void uet_take_disable(struct uet_net *un);

#endif /* _UET_TAKE_H */
