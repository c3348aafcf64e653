/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Packets that a switch trimmed (UE 1.0 3.6.12).
 */
#ifndef _UET_TRIM_H
#define _UET_TRIM_H

#include <linux/types.h>

#include "base.h"

struct sk_buff;

bool uet_trim_take_marked(struct uet_net *un, struct sk_buff *skb,
			  unsigned int off, u8 dscp, u8 form);

/**
 * uet_trim_take() - handle a packet if a switch trimmed it
 * @un: namespace
 * @skb: packet for UET
 * @off: offset of its UDP or entropy header, from skb->data on
 * @dscp: its DSCP
 * @form: %UET_FORM_IP or 0
 *
 * Context: softirq, RCU read side.
 * Return: true if it did and @skb is consumed; false if nothing was done.
 */
static inline bool uet_trim_take(struct uet_net *un, struct sk_buff *skb,
				 unsigned int off, u8 dscp, u8 form)
{
	return unlikely(READ_ONCE(un->sysctl.trimming)) &&
	       uet_trim_take_marked(un, skb, off, dscp, form);
}

#endif /* _UET_TRIM_H */
