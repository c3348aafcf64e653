/* SPDX-License-Identifier: GPL-2.0 */
/* Messages that their target has deferred, at their source: tx/queue/defer.c */
#ifndef _UET_TX_DEFER_H
#define _UET_TX_DEFER_H

#include <linux/types.h>

struct list_head;
struct uet_dest;
struct uet_net;
struct uet_pdc;
struct uet_rtr;
struct uet_txmsg;

void uet_defer_name(struct uet_txmsg *msg);
void uet_msg_deferred(struct uet_pdc *pdc, struct uet_txmsg *msg);
void uet_defer_park(struct uet_txmsg *msg);
u8 uet_defer_restart(struct uet_net *un, const struct uet_rtr *rtr);
bool uet_defer_pull(struct uet_dest *dest,
		    bool (*meant)(const struct uet_txmsg *msg, void *arg),
		    void *arg, struct list_head *to);
void uet_defer_lock(struct uet_net *un);
void uet_defer_unlock(struct uet_net *un);
void uet_defer_init(struct uet_net *un);
void uet_defer_exit(struct uet_net *un);

#endif /* _UET_TX_DEFER_H */
