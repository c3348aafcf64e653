/* SPDX-License-Identifier: GPL-2.0 */
/* Deferrable messages for which a socket has no room: rx/ses/defer.c */
#ifndef _UET_RX_DEFER_H
#define _UET_RX_DEFER_H

#include <linux/in6.h>
#include <linux/types.h>
#include <linux/uet.h>

struct uet_pdc;
struct uet_rx_ctx;
struct uet_sock;

/**
 * struct uet_defer_rtr - how to ask for a message
 * @from: its sender
 * @laddr: address that it was sent to
 * @token: of its source
 * @id: names it at its socket
 * @len: its length
 * @share: bytes set aside for it, if its source was asked
 */
struct uet_defer_rtr {
	struct sockaddr_uet	from;
	struct in6_addr		laddr;
	u32			token;
	u32			id;
	u32			len;
	u32			share;
};

bool uet_defer_msg(struct uet_pdc *pdc, struct uet_rx_ctx *rx,
		   struct uet_sock *us);
bool uet_defer_next(struct uet_sock *us, struct uet_defer_rtr *rtr);
void uet_defer_unasked(struct uet_sock *us, u32 id);
void uet_defer_answered(struct uet_sock *us, u32 id, bool comes);
unsigned long uet_defer_pause(struct uet_sock *us);
void uet_defer_room(struct uet_sock *us);
void uet_defer_drop_all(struct uet_sock *us);

#endif /* _UET_RX_DEFER_H */
