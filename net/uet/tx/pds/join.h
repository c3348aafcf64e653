/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Messages of one packet that leave together, in one buffer.
 */
#ifndef _UET_TX_JOIN_H
#define _UET_TX_JOIN_H

#include <linux/types.h>

struct sk_buff;
struct uet_dest;
struct uet_pdc;
struct uet_snd_out;

/**
 * struct uet_join - a buffer that more messages may join
 * @skb: the buffer, in the list of packets to be sent; NULL: there is none
 * @dest: queue of its messages, only compared
 * @psn: PSN that joins it
 * @len: payload of each packet; that of the last one may be less
 * @ev: its entropy value
 */
struct uet_join {
	struct sk_buff		*skb;
	const struct uet_dest	*dest;
	u32			psn;
	u32			len;
	u16			ev;
};

bool uet_join_add(struct uet_join *join, struct uet_pdc *pdc,
		  const struct uet_snd_out *out);
void uet_join_begin(struct uet_join *join, const struct uet_pdc *pdc,
		    const struct uet_snd_out *out, struct sk_buff *skb);

#endif /* _UET_TX_JOIN_H */
